/* SPDX-License-Identifier: Apache-2.0 */
/* The classical Runge-Kutta method of order 4 with a fixed step. */
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  double *k; /* 4 x 2n */
  double *trial;
} Data;

static PfStatus prepare(PfMotionRun *run)
{
  Data *d = run->stepper.data = pf_run_array(run, Data, 1);
  if (!d) return PF_ERR_MEMORY;
  d->k = pf_run_array(run, double, 8*(size_t)run->n);
  d->trial = pf_run_array(run, double, 2*(size_t)run->n);
  return d->k && d->trial ? PF_OK : PF_ERR_MEMORY;
}

static PfStepEnd step(PfMotionRun *run)
{
  static const double part[4] = {0, 0.5, 0.5, 1};
  Data *d = run->stepper.data;
  int N = 2*run->n;
  double h = run->state.h = fmin(run->options.step, run->state.t_end - run->state.t);
  if (run->state.t_end - run->state.t - h < 1e-9*h) h = run->state.t_end - run->state.t;
  memcpy(d->k, run->state.dy, (size_t)N*sizeof *d->k);
  for (int s = 1; s < 4; s++) {
    for (int i = 0; i < N; i++) d->trial[i] = run->state.y[i] + part[s]*h*d->k[(s - 1)*N + i];
    if (!pf_flow(run, run->state.t + part[s]*h, d->trial, d->k + (size_t)s*(size_t)N)) return PF_STEP_TROUBLE;
  }
  memcpy(run->state.y_old, run->state.y, (size_t)N*sizeof *run->state.y);
  memcpy(run->state.dy_old, run->state.dy, (size_t)N*sizeof *run->state.dy);
  for (int i = 0; i < N; i++)
    run->state.y[i] += h/6*(d->k[i] + 2*d->k[N + i] + 2*d->k[2*N + i] + d->k[3*N + i]);
  run->state.t_old = run->state.t;
  run->state.t = h == run->state.t_end - run->state.t ? run->state.t_end : run->state.t + h;
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? PF_STEP_DONE : PF_STEP_TROUBLE;
}

const PfMethod pf_method_rk4 = {
  .name = "rk4", .summary = "Runge and Kutta, order 4, fixed step", .fixed = true,
  .prepare = prepare, .step = step, .interpolate = pf_hermite};
