/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* What a start that gives speeds and angular velocities needs: the speeds that belong to velocities, and the rates of
 * quaternions that belong to angular velocities. */
#ifndef PF_RUNTIME_SPEEDS_H
#define PF_RUNTIME_SPEEDS_H

#include "pf_dense.h"

#ifndef PF_SINGLE

/* Velocities are functions of the speeds, and linear in them, or nearly. */
typedef struct PfSpeeds {
  void *user;
  void (*evaluate)(void *user); /* finds rate and slope at `speed` */
  int n, count;
  double *speed;                /* count */
  const double *rate, *slope;   /* n: the velocities by the speeds; n x count: their derivatives */
  const double *velocity;       /* n: the velocities to which speeds are sought */
  double *unit, *step;          /* n, count */
  PfQr *qr;                     /* n x count */
} PfSpeeds;

/* Moves speeds->speed to the speeds that belong to the velocities by least squares. */
PF_RUNTIME void pf_speeds_find(PfSpeeds *speeds);
/* After that: the derivatives of the speeds by the velocity j go to speeds->step. */
PF_RUNTIME void pf_speeds_slope(PfSpeeds *speeds, int j);

/* The angular velocity w (3), in the axes of the body, of a quaternion q (4) with these rates (4). */
PF_RUNTIME void pf_spin_of_rate(const double *q, const double *rate, double *w);
/* The rates of a quaternion of length 1. */
PF_RUNTIME void pf_rate_of_spin(const double *q, const double *w, double *rate);
/* Quaternions may be given with any length: makes it 1 and keeps the angular velocity. */
PF_RUNTIME void pf_normalise_quaternion(double *q, double *rate);

#endif

#endif
