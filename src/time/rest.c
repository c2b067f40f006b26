/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything is held nothing moves: the "method" of a phase without coordinates goes from one instant to the
 * next. */
#include "time/time_impl.h"

static PfStatus prepare(PfMotionRun *run)
{
  (void)run;
  return PF_OK;
}

static PfStepEnd step(PfMotionRun *run)
{
  run->state.t_old = run->state.t;
  run->state.t = run->state.t_end;
  return PF_STEP_DONE;
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  (void)run, (void)t, (void)y;
}

const PfMethod pf_method_rest = {
  .name = "rest", .summary = "nothing moves", .direct = true, .prepare = prepare, .step = step,
  .interpolate = interpolate};
