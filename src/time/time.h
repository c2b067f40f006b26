/* Integration in time. */
#ifndef PF_SRC_TIME_H
#define PF_SRC_TIME_H

#include "base/base.h"

/* y' = f(t, y); false when f can't be evaluated there (the cause stays with the user). */
typedef bool (*PfRightSide)(void *user, double t, const double *y, double *dy);

typedef struct PfOdeOptions {
  double rtol, atol;
  long most_steps; /* 0: ten million */
} PfOdeOptions;

typedef enum PfOdeEnd {
  PF_ODE_DONE,
  PF_ODE_FAILED,    /* the right side could not be evaluated at time t, however small the step */
  PF_ODE_TOO_SMALL, /* the step became too small at time t */
  PF_ODE_LIMIT      /* too many steps */
} PfOdeEnd;

typedef struct PfOdeResult {
  PfOdeEnd end;
  double t;
  long steps, rejected, evaluations;
} PfOdeResult;

/* Workspace of an integration of n equations: allocate once, integrate often. */
typedef struct PfOde {
  int n;
  double *k, *trial, *best;
} PfOde;
PfStatus pf_ode_make(PfContext *ctx, PfArena *arena, int n, PfOde *ode);

/* Dormand and Prince 5(4) from t0 to t1 with local extrapolation; y is advanced in place (dopri5.c). */
PfOdeResult pf_dopri5(PfOde *ode, PfRightSide f, void *user, double t0, double t1, double *y,
                      const PfOdeOptions *options);

#endif
