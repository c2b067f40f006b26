/* SPDX-License-Identifier: Apache-2.0 */
/* The classical Runge-Kutta method of order 4 with a fixed step. */
#include "runtime/pf_runge_kutta.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  double *k; /* 4 x 2n */
  double *trial, *end; /* 2n each */
} Data;

static PfStatus prepare(PfMotionRun *run)
{
  Data *d = run->stepper.data = pf_run_array(run, Data, 1);
  if (!d) return PF_ERR_MEMORY;
  d->k = pf_run_array(run, double, 8*(size_t)run->n);
  d->trial = pf_run_array(run, double, 2*(size_t)run->n);
  d->end = pf_run_array(run, double, 2*(size_t)run->n);
  return d->k && d->trial && d->end ? PF_OK : PF_ERR_MEMORY;
}

static int rate(void *user, double t, const double *y, double *dy)
{
  return !pf_flow(user, t, y, dy);
}

static PfStepEnd step(PfMotionRun *run)
{
  Data *d = run->stepper.data;
  PfState *at = &run->state;
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  const double h = at->h = pf_rk_fixed_step(run->options.step, at->t_end - at->t);
  memcpy(d->k, at->dy, bytes);
  memcpy(d->end, at->y, bytes);
  if (pf_rk4_step(rate, run, 2*run->n, at->t, h, d->end, d->k, d->trial) != 0) return PF_STEP_TROUBLE;
  pf_state_advance(run, pf_rk_end(at->t, h, at->t_end));
  memcpy(at->y, d->end, bytes);
  return pf_flow(run, at->t, at->y, at->dy) ? PF_STEP_DONE : PF_STEP_TROUBLE;
}

const PfMethod pf_method_rk4 = {
  .name = "rk4", .summary = "Runge and Kutta, order 4, fixed step", .fixed = true,
  .prepare = prepare, .step = step, .interpolate = pf_hermite};
