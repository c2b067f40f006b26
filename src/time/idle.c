/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything is held nothing moves: the "method" of a phase without coordinates goes from one instant to the
 * next, or by fixed steps. */
#include "runtime/pf_runge_kutta.h"
#include "time/time_impl.h"

static PfStatus prepare(PfMotionRun *run)
{
  (void)run;
  return PF_OK;
}

static PfStepEnd step(PfMotionRun *run)
{
  PfState *at = &run->state;
  const double left = at->t_end - at->t, h = run->stepper.fixed ? pf_rk_fixed_step(run->options.step, left) : left;
  at->t_old = at->t;
  at->t = h == left ? at->t_end : at->t + h;
  return PF_STEP_DONE;
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  (void)run, (void)t, (void)y;
}

const PfMethod pf_method_idle = {
  .name = "rest", .summary = "nothing moves", .direct = true, .prepare = prepare, .step = step,
  .interpolate = interpolate};
