/* SPDX-License-Identifier: Apache-2.0 */
/* What a start gives beside coordinates and velocities: components of angular velocities (hub.wz, omega(b).x) and
 * speeds. Each is a function of the velocities with a value that it shall have. */
#ifndef PF_TIME_GOALS_H
#define PF_TIME_GOALS_H

#include "num/num.h"
#include "pfaff/form.h"

typedef struct PfGoal {
  const char *name, *unit;
  PfFirmness firm;
  PfPlace place;
  double target, value;
  double *row;  /* n: its derivatives in the velocities */
  int root;     /* its place on the tape, or -1: a speed */
  int speed;
} PfGoal;

typedef struct PfGoals {
  const PfSystem *system;
  int n, count, speeds; /* speeds: as many as the model has, 0 when none is given */
  PfGoal *goal;
  /* value, target and row of each function; then rates, their derivatives and targets of the speeds */
  PfTape *tape;
  double *in, *out, *work;
  int at_speeds;        /* where they begin in `out` */
  PfQr qr;              /* of the derivatives of the rates in the speeds */
  double *unit, *step;
} PfGoals;

PfStatus pf_goals_make(PfContext *ctx, PfArena *arena, const PfSystem *system, PfGoals *goals);
void pf_goals_release(PfGoals *goals);

/* Values, targets and rows at the numbers in `values`. */
void pf_goals_evaluate(PfGoals *goals, const double *values);

/* Velocities (n) that the speeds of the start give at the configuration in `values`; false when no speeds are given. */
bool pf_goals_rates(PfGoals *goals, const double *values, double *v);

/* Fails where speeds of the start have no value, or give velocities without bound; `v`: room for n numbers. */
PfStatus pf_goals_check_place(PfContext *ctx, PfGoals *goals, const double *values, double *v);

#endif
