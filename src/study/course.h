/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of a smooth vector field for what a simulation has not: a small deviation that is carried along, x' = f(x),
 * d' = Df(x) d, and the way back in time. By Dormand and Prince's method of order 5(4). The chart of the field may
 * change on the way: then x is renamed. */
#ifndef PF_STUDY_COURSE_H
#define PF_STUDY_COURSE_H

#include "study/dynamics.h"

enum { PF_COURSE_STAGES = 7 };

typedef struct PfCourse {
  PfContext *ctx;
  PfDynamics *f;
  PfTape *inputs;      /* inputs as functions of time; NULL without */
  int n, N;            /* components of x; with deviation 2n */
  bool deviates;
  bool ready, worn;    /* k[0] is known; the chart is to be changed */
  double rtol, atol, way; /* way: -1 goes back in time */
  double t, t_old, h;
  double *y, *y_old, *k[PF_COURSE_STAGES], *trial, *dense, *s, *work, *input_values;
} PfCourse;

PfStatus pf_course_make(PfContext *ctx, PfArena *arena, PfDynamics *field, bool deviates, double rtol, PfCourse *flow);
void pf_course_release(PfCourse *flow);

/* Begins where the field is, at its time; `way` is 1 or -1. */
PfStatus pf_course_begin(PfCourse *flow, double way);
/* One step, not beyond t_end. PF_ERR_NUMBER when no step is short enough. */
PfStatus pf_course_step(PfCourse *flow, double t_end);
/* x (and d) at a time inside the last step, by interpolation of order 4. */
void pf_course_at(const PfCourse *flow, double t, double *y);

#endif
