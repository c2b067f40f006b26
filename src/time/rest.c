/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything is held nothing moves: the "method" of a phase without coordinates goes from one instant to the
 * next, or by fixed steps. */
#include "time/time_impl.h"

#include <math.h>

static PfStatus prepare(PfMotionRun *run)
{
  (void)run;
  return PF_OK;
}

static PfStepEnd step(PfMotionRun *run)
{
  double left = run->state.t_end - run->state.t;
  double h = run->stepper.fixed ? fmin(run->options.step, left) : left;
  run->state.t_old = run->state.t;
  run->state.t = left - h <= 1e-9*h ? run->state.t_end : run->state.t + h;
  return PF_STEP_DONE;
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  (void)run, (void)t, (void)y;
}

const PfMethod pf_method_rest = {
  .name = "rest", .summary = "nothing moves", .direct = true, .prepare = prepare, .step = step,
  .interpolate = interpolate};
