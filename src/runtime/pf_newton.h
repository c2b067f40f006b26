/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Newton's method, written once. The owner gives the residual and the step, which contain all special parts (metric,
 * rank, deflation, priorities), and a policy: when it has converged, how steps that do not help are treated, how long
 * factors serve. The outcome says how it ended. */
#ifndef PF_RUNTIME_NEWTON_H
#define PF_RUNTIME_NEWTON_H

#include "pf_real.h"

#ifndef PF_SINGLE

/* How far a point is from a solution. */
typedef struct PfResidualNorm {
  double size;  /* norm for the stop rule */
  double merit; /* norm that steps have to reduce; often the same */
} PfResidualNorm;

typedef struct PfNewtonLoop {
  void *user;
  int n;
  double *x;      /* n: the unknowns; moved in place */
  double *step;   /* n */
  double *before; /* n: where the step began; NULL when the policy halves no steps */
  bool fresh;     /* the factors at hand were made at this start; only with policy.reuse */
  /* The residual at x; false ends the iteration. */
  bool (*residual)(void *user, PfResidualNorm *norm);
  /* Newton's step from x, where the latest residual was taken, into `step`. Its length in a metric of the owner goes
   * to *length for policies that ask for it. Unless `fresh`, factors of an earlier point may serve. False ends the
   * iteration. */
  bool (*solve)(void *user, bool fresh, double *length);
} PfNewtonLoop;

typedef struct PfNewtonPolicy {
  int iterations;    /* at most so many steps */
  double enough;     /* a residual of this size counts as zero; negative: only the length of steps decides */
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

typedef struct PfNewtonOutcome {
  PfNewtonEnd end;
  int iterations;  /* steps taken */
  double norm;     /* at the x given back */
  double length;   /* of the last step, taken or not */
} PfNewtonOutcome;

/* Moves x to a zero of the residual. The last point that was given to `residual` is the x given back. */
PF_RUNTIME PfNewtonEnd pf_newton_loop(const PfNewtonLoop *newton, const PfNewtonPolicy *policy,
                                      PfNewtonOutcome *outcome);

#endif

#endif
