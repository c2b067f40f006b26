/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method of the runtime (pf_newton.h), for callers whose functions return a PfStatus. Nothing is allocated and
 * no message is recorded: the result says how it ended. */
#ifndef PF_SRC_NEWTON_H
#define PF_SRC_NEWTON_H

#include "base/base.h"
#include "runtime/pf_newton.h"

#include <stdbool.h>

typedef struct PfNewton {
  void *user;
  int n;
  double *x;      /* n: the unknowns; moved in place */
  double *step;   /* n */
  double *before; /* n: where the step began; NULL when the policy halves no steps */
  bool fresh;     /* the factors at hand were made at this start; only with policy.reuse */
  /* The residual at x. */
  PfStatus (*residual)(void *user, PfResidualNorm *norm);
  /* Newton's step from x, where the latest residual was taken, into `step`. Its length in a metric of the caller goes
   * to *length for policies that ask for it. Unless `fresh`, factors of an earlier point may serve. */
  PfStatus (*solve)(void *user, bool fresh, double *length);
} PfNewton;

typedef struct PfNewtonResult {
  PfNewtonEnd end;
  PfStatus status; /* of the callback that failed */
  int iterations;  /* steps taken */
  double norm;     /* at the x given back */
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
