/* SPDX-License-Identifier: Apache-2.0 */
/* Points and tangents of a branch, and its branch and Hopf points (tracer.c, branch_point.c, hopf.c). Inside, every
 * component is divided by its scale. */
#ifndef PF_STUDY_TRACE_H
#define PF_STUDY_TRACE_H

#include "study/steady.h"

typedef struct PfTracer {
  PfContext *ctx;
  PfArena *arena;
  PfProblem *p;
  int n;             /* unknowns of the problem; u has n + 1 numbers, the last one is the parameter */
  double *scale;     /* n + 1 */
  double *J;         /* n x (n + 1): Jacobian of the residual where the tracer is */
  double *B;         /* (n + 1) x (n + 1): J with one more row, factored */
  double *step, *r;  /* n + 1 each: Newton's step, the residual */
  double *z;         /* workspace: unknowns, or the Jacobian without scales */
  int *order;        /* of the rows of B */
} PfTracer;

/* Room for a predictor-corrector along the solutions of the problem with its parameter, all in the arena. The caller
 * sets the scales. */
PfStatus pf_tracer_make(PfContext *ctx, PfArena *arena, PfProblem *problem, PfTracer *tracer);

/* Goes to u, with residual and Jacobian. */
PfStatus pf_tracer_go(PfTracer *tracer, const double *u);
/* Newton from u onto the branch in the plane normal . (u - at) = 0. Fails with PF_ERR_NUMBER, saying nothing, when it
 * does not converge. */
PfStatus pf_tracer_correct(PfTracer *tracer, double *u, const double *at, const double *normal);
/* Unit tangent where the tracer is, with tangent . towards > 0; returns the sign of the determinant of [J; tangent],
 * 0 when it is singular. */
int pf_tracer_tangent(PfTracer *tracer, const double *towards, double *tangent);

/* The kernel of J where the tracer is: its dimension (1, or 2 at a branch point), and a unit vector of it in
 * `tangent`, towards larger values of the parameter. */
PfStatus pf_tracer_kernel(PfTracer *tracer, int *dimension, double *tangent);

/* From u near a simple branch point to it (A. Griewank, G. W. Reddien 1984: f + beta p = 0, p f_u = 0, |p| = 1). `p`
 * (n) gets the left null vector. PF_ERR_NUMBER, saying nothing, when it does not converge. */
PfStatus pf_tracer_branch_point(PfTracer *tracer, double *u, double *p);
/* The tangents (n + 1 each) of the two branches through the point where the tracer is; false when there is one only. */
PfStatus pf_tracer_directions(PfTracer *tracer, const double *p, double *first, double *second, bool *two);

/* First Lyapunov coefficient at a Hopf point where the problem is, with its frequency (Kuznetsov, Elements of Applied
 * Bifurcation Theory, 3rd ed., eq. (5.39)). NaN when it cannot be computed. */
PfStatus pf_hopf_coefficient(PfProblem *problem, double *frequency, double *coefficient);

#endif
