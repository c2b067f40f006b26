/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a start other than coordinates and velocities: components of angular velocities (hub.wz, omega(b).x) and
 * speeds. Each is a function of the velocities with a value that it shall have. */
#ifndef PF_TIME_START_CONDITIONS_H
#define PF_TIME_START_CONDITIONS_H

#include "num/num.h"
#include "pfaff/form.h"

typedef struct PfStartCondition {
  const char *name, *unit;
  PfStartPriority priority;
  PfPlace place;
  double target, value;
  double *row;  /* n: its derivatives in the velocities */
  int root;     /* its place on the tape, or -1: a speed */
  int speed;
} PfStartCondition;

typedef struct PfStartConditions {
  const PfSystem *system;
  int n, count, speeds; /* speeds: as many as the model has, 0 when none is given */
  PfStartCondition *condition;
  /* value, target and row of each function; then rates, their derivatives and targets of the speeds */
  PfTape *tape;
  double *in, *out, *work;
  int at_speeds;        /* where they begin in `out` */
  PfQr qr;              /* of the derivatives of the rates in the speeds */
  double *unit, *step;
} PfStartConditions;

PfStatus pf_start_conditions_make(PfContext *ctx, PfArena *arena, const PfSystem *system,
                                  PfStartConditions *conditions);
void pf_start_conditions_release(PfStartConditions *conditions);

/* Values, targets and rows at the numbers in `values`. */
void pf_start_conditions_evaluate(PfStartConditions *conditions, const double *values);

/* Velocities (n) that the speeds of the start give at the configuration in `values`; false when no speeds are given. */
bool pf_start_conditions_rates(PfStartConditions *conditions, const double *values, double *v);

/* Fails where speeds of the start have no value, or give velocities without bound; `v`: room for n numbers. */
PfStatus pf_start_conditions_check_place(PfContext *ctx, PfStartConditions *conditions, const double *values,
                                         double *v);

#endif
