/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method, written once. Who uses it gives the residual and the step, which hold all that is special (metric,
 * rank, deflation, priorities), and a policy: when it has arrived, what is done about steps that do not help, how long
 * factors serve. Nothing is allocated and nothing is said: the result tells how it ended. */
#ifndef PF_SRC_NEWTON_H
#define PF_SRC_NEWTON_H

#include "base/base.h"

#include <stdbool.h>

/* How far a point is from a solution. */
typedef struct PfMiss {
  double size;  /* what the stop rule looks at */
  double merit; /* what steps have to make smaller; often the same */
} PfMiss;

typedef struct PfNewton {
  void *user;
  int n;
  double *x;      /* n: the unknowns; moved in place */
  double *step;   /* n */
  double *before; /* n: where the step began; NULL when the policy halves no steps */
  bool fresh;     /* the factors at hand were made at this start; only with policy.reuse */
  /* The residual at x. */
  PfStatus (*residual)(void *user, PfMiss *miss);
  /* Newton's step from x, where the latest residual was taken, into `step`. Its length in a metric of the caller goes
   * to *length for policies that ask for it. Unless `fresh`, factors of an earlier point may serve. */
  PfStatus (*solve)(void *user, bool fresh, double *length);
} PfNewton;

typedef struct PfNewtonPolicy {
  int iterations;    /* at most so many steps */
  double enough;     /* a miss of this size is none; negative: only the length of steps decides */
  double shortest;   /* a step below this length is not worth taking: arrived */
  double rounding;   /* misses up to this, */
  double negligible; /* or after a step below this, may be rounding: arrived when the miss */
  double stall;      /* does not fall below this part of the one before */
  double decrease;   /* a step must bring the merit below 1 - decrease of it (by shares for shares of a step) */
  int patience;      /* so many first steps need not */
  int halvings;      /* how often a step that does not is halved; then it is taken back */
  double longest;    /* a step beyond this length leads astray; 0: any will do */
  double reuse;      /* factors serve again after a step that brought the merit to this part; 0: never */
} PfNewtonPolicy;

typedef enum PfNewtonEnd {
  PF_NEWTON_CONVERGED,
  PF_NEWTON_STUCK,      /* no step makes the residual smaller: a contradiction, or a local minimum */
  PF_NEWTON_LIMIT,      /* too many steps */
  PF_NEWTON_ASTRAY,     /* a step of more than the greatest length */
  PF_NEWTON_NOT_FINITE, /* residual or Jacobian is not finite at a point reached */
  PF_NEWTON_FAILED      /* a callback failed */
} PfNewtonEnd;

typedef struct PfNewtonResult {
  PfNewtonEnd end;
  PfStatus status; /* of the callback that failed */
  int iterations;  /* steps taken */
  double miss;     /* at the x given back */
  double length;   /* of the last step, taken or not */
} PfNewtonResult;

/* Moves x to a zero of the residual. The last point that was given to `residual` is the x given back. */
PfNewtonEnd pf_newton(const PfNewton *newton, const PfNewtonPolicy *policy, PfNewtonResult *result);

/* ---------------------------------------------------------------- with a dense Jacobian (gauss_newton.c) */

/* Gives r(x) (m), and its Jacobian J = dr/dx (m x n) unless J is NULL. A failure ends the iteration. */
typedef PfStatus (*PfResidual)(void *user, const double *x, double *r, double *J);

typedef struct PfGaussNewtonOptions {
  double tolerance;     /* largest |r_i| that is accepted; 0 means 1e-10 */
  int iterations;       /* at most so many steps; 0 means 50 */
  const double *weight; /* how freely x_j may move, 0 = not at all; NULL means 1 for all */
} PfGaussNewtonOptions;

typedef struct PfGaussNewtonResult {
  PfNewtonEnd end;
  int iterations;
  double residual; /* largest |r_i| at the x given back */
  int row;         /* its index i, or the one that is not finite; -1 for none */
  int rank;        /* of the last Jacobian */
} PfGaussNewtonResult;

/* Moves x (n) to a zero of r by damped Gauss-Newton steps of least weighted length, so that x ends near
 * where it began. PF_OK only when it converged; else x is the best point found, and the error says what
 * happened. Takes its room from the scratch memory of the context. */
PfStatus pf_gauss_newton(PfContext *ctx, PfResidual residual, void *user, int m, int n, double *x,
                         const PfGaussNewtonOptions *options, PfGaussNewtonResult *result);

#endif
