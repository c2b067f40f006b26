/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit Runge-Kutta methods: stages, error control. */
#ifndef PF_TIME_ERK_H
#define PF_TIME_ERK_H

#include "time/time_impl.h"

enum { PF_MOST_STAGES = 16 };

typedef struct PfTableau {
  int stages;          /* the last one is the derivative at the end of the step */
  int order;           /* of the error estimate + 1: exponent of the step control */
  const double *c;     /* stages */
  const double *a;     /* stages x stages, row by row; the last row holds the weights of the solution */
  /* Size of the error in units of the tolerance. */
  double (*error)(const PfMotionRun *run, const double *k, double h, const double *y, const double *y_new);
} PfTableau;

/* Dormand and Prince 5(4), for those who integrate something else: 7 stages; weights of the error and of the
 * interpolation. */
extern const PfTableau pf_dopri5_tableau;
extern const double pf_dopri5_error[], pf_dopri5_dense[];

typedef struct PfErk {
  const PfTableau *tableau;
  int terms[PF_MOST_STAGES];                   /* coefficients of each stage that are not zero: their number, */
  int term[PF_MOST_STAGES][PF_MOST_STAGES];    /* the stages they belong to */
  double factor[PF_MOST_STAGES][PF_MOST_STAGES];
  double *k;     /* stages (and extra ones for dense output) x 2n */
  double *trial; /* 2n */
  double *dense; /* coefficients of the interpolation, method's own */
  double power[PF_MOST_STAGES];                /* of the forces without potential, at each stage, */
  bool first_known, known;                     /* and whether that of the first one, and all, are known */
  double last_error;                           /* of the step before, in units of the tolerance */
  bool dense_ready, dense_failed; /* failed: its extra stages had no accelerations */
} PfErk;

PfStatus pf_erk_make(PfMotionRun *run, const PfTableau *tableau, int extra_stages, int dense_rows, PfErk *erk);
PfStepEnd pf_erk_step(PfMotionRun *run, PfErk *erk);
/* trial = y_old + h*sum_j a[j] k_j, then k_stage = f there; for extra stages of dense output. */
bool pf_erk_stage(PfMotionRun *run, PfErk *erk, int stage, double c, const double *a);
/* Of the last step of dopri5: its length times the largest rate of decay seen in it. Steps that stability limits, and
 * not the tolerance, have about 3.3. Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.2. */
double pf_dopri5_stiffness(const PfMotionRun *run);
/* A first step that changes y by a hundredth of what the tolerance sees. */
double pf_first_step(const PfMotionRun *run);

/* What an error may be in component i. */
static inline double pf_allowed(const PfMotionRun *run, double a, double b)
{
  double x = a < 0 ? -a : a, z = b < 0 ? -b : b;
  return run->options.atol + run->options.rtol*(x > z ? x : z);
}

#endif
