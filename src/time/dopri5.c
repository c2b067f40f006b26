/* SPDX-License-Identifier: Apache-2.0 */
/* Dormand and Prince, order 5(4), with the interpolation of order 4 that needs no further evaluation.
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table II.5.2 and section II.6. */
#include "time/erk.h"

#include <math.h>

enum { STAGES = PF_DOPRI5_STAGES };

static double error(const PfMotionRun *run, const double *k, double h, const double *y, const double *y_new)
{
  return pf_dopri5_error(2*run->n, k, 2*run->n, h, y, y_new, run->options.atol, run->options.rtol);
}

/* The last two stages stand at the same time: |k7 - k6|/|y7 - y6| is a rate, in units of the tolerance. */
double pf_dopri5_stiffness(const PfMotionRun *run)
{
  const double *a = pf_dopri5_tableau()->a, *k = ((const PfErk *)run->stepper.data)->k;
  const double h = run->state.t - run->state.t_old;
  int N = 2*run->n;
  double rates = 0, steps = 0;
  for (int i = 0; i < N; i++) {
    double apart = 0, size = pf_allowed(run, run->state.y[i], 0), rate = (k[6*N + i] - k[5*N + i])/size;
    for (int s = 0; s < 6; s++) apart += (a[6*STAGES + s] - a[5*STAGES + s])*k[s*N + i];
    rates += rate*rate;
    steps += apart/size*(apart/size);
  }
  return steps > 0 && h > 0 ? sqrt(rates/steps) : 0;
}

static PfStatus prepare(PfMotionRun *run)
{
  return pf_erk_make(run, pf_dopri5_tableau(), error, 0, PF_DOPRI5_DENSE);
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  PfErk *erk = run->stepper.data;
  const PfState *at = &run->state;
  int N = 2*run->n;
  double h = at->t - at->t_old, x = (t - at->t_old)/h;
  for (int i = 0; i < N && !erk->dense_ready; i++)
    pf_dopri5_dense(erk->k + i, (size_t)N, h, at->y_old[i], erk->trial[i], erk->dense + PF_DOPRI5_DENSE*i);
  erk->dense_ready = true;
  for (int i = 0; i < N; i++) y[i] = pf_dopri5_at(erk->dense + PF_DOPRI5_DENSE*i, x);
}

const PfMethod pf_method_dopri5 = {
  .name = "dopri5", .summary = "Dormand and Prince, order 5(4): the ode45 of many papers",
  .direct = true, .prepare = prepare, .step = pf_erk_step, .interpolate = interpolate};
