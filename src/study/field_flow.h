/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of a smooth vector field, for tasks beyond a simulation: a small deviation that is carried along, x' = f(x),
 * d' = Df(x) d, and the way back in time. By Dormand and Prince's method of order 5(4). The chart of the field may
 * change on the way: then x is renamed. */
#ifndef PF_STUDY_FIELD_FLOW_H
#define PF_STUDY_FIELD_FLOW_H

#include "runtime/pf_runge_kutta.h"
#include "study/dynamics.h"

typedef struct PfFieldFlow {
  PfContext *ctx;
  PfDynamics *f;
  PfTape *inputs;      /* inputs as functions of time; NULL without */
  int n, N;            /* components of x; with deviation 2n */
  bool deviates;
  bool chart_poor;     /* the chart is to be changed */
  double rtol, atol, direction; /* direction: -1 goes back in time */
  double t, t_old, h;  /* h: length of the next step */
  PfStepControl control;
  double *y, *y_old;
  double *k;           /* stages, of which the first is y' at the present time */
  double *trial, *dense, *s, *work, *input_values;
} PfFieldFlow;

/* Makes an integrator for the field, with relative tolerance rtol and the absolute one of a state of size 1; `deviates`
 * adds the variational equation d' = Df d, which doubles the size. Its arrays are in the arena; the tape of the inputs
 * belongs to `flow`. */
PfStatus pf_field_flow_make(PfContext *ctx, PfArena *arena, PfDynamics *field, bool deviates, double rtol,
                            PfFieldFlow *flow);
/* Frees the tape of the inputs; the rest goes with the arena. */
void pf_field_flow_release(PfFieldFlow *flow);

/* Begins where the field is, at its time; `direction` is 1 or -1. */
PfStatus pf_field_flow_begin(PfFieldFlow *flow, double direction);
/* One step, not beyond t_end. PF_ERR_NUMBER when no step is short enough. */
PfStatus pf_field_flow_step(PfFieldFlow *flow, double t_end);
/* x (and d) at a time inside the last step, by interpolation of order 4. */
void pf_field_flow_at(const PfFieldFlow *flow, double t, double *y);

#endif
