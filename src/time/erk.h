/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit Runge-Kutta methods: stages, error control. */
#ifndef PF_TIME_ERK_H
#define PF_TIME_ERK_H

#include "runtime/pf_runge_kutta.h"
#include "time/time_impl.h"

/* Size of the error of a step in units of the tolerance. */
typedef double (*PfErkError)(const PfMotionRun *run, const double *k, double h, const double *y, const double *y_new);

typedef struct PfErk {
  const PfTableau *tableau;
  PfErkError error;
  double *k;     /* stages (and extra ones for dense output) x 2n */
  double *trial; /* 2n */
  double *dense; /* coefficients of the interpolation, method's own */
  double power[PF_MOST_STAGES];                /* of the forces without potential, at each stage, */
  bool first_known, known;                     /* and whether that of the first one, and all, are known */
  PfStepControl control;
  bool dense_ready, dense_failed; /* failed: its extra stages had no accelerations */
} PfErk;

/* Makes run->stepper.data, a PfErk with room for extra stages and dense_rows x 2n coefficients of dense output. */
PfStatus pf_erk_make(PfMotionRun *run, const PfTableau *tableau, PfErkError error, int extra_stages, int dense_rows);
/* The step of these methods (PfMethod). */
PfStepEnd pf_erk_step(PfMotionRun *run);
/* trial = y_old + h*sum_j a[j] k_j, then k_stage = f there; for extra stages of dense output. */
bool pf_erk_stage(PfMotionRun *run, PfErk *erk, int stage, double c, const double *a);
/* Of the last step of dopri5: its length times the largest rate of decay seen in it. Steps that stability limits, and
 * not the tolerance, have about 3.3. Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.2. */
double pf_dopri5_stiffness(const PfMotionRun *run);
/* A first step that changes y by a hundredth of the change that the tolerance resolves. */
double pf_first_step(const PfMotionRun *run);

/* Admissible error of a number that is a before the step and b after it. */
static inline double pf_allowed(const PfMotionRun *run, double a, double b)
{
  return pf_rk_allowed(run->options.atol, run->options.rtol, a, b);
}

#endif
