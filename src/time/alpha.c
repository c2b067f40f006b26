/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized-alpha for constraints at velocity level (index 2), and at both levels for those that have two.
 *
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) w_{n+1} + alpha_f w_n
 *   M(q_{n+1}) w_{n+1} = f_{n+1} + A_{n+1}^T lambda_{n+1},   psi(q_{n+1}, v_{n+1}, t_{n+1}) = 0
 *
 * The printed form (Ma, Chen, Zhang 2008) has M a and M w in the place of a and w in the first line, which is
 * second order for a constant M only. */
#include "time/alpha_common.h"

#include <string.h>

static PfStatus prepare(PfMotionRun *run)
{
  return pf_alpha_make(run, false);
}

/* Where positions are put right: along M^-1 A^T at the beginning of the step. */
static bool find_directions(PfMotionRun *run, PfAlpha *s)
{
  if (!s->p) return true;
  if (!pf_alpha_push_at(run, run->state.t, run->state.y, run->state.y + s->n)) return false;
  for (int k = 0; k < s->p; k++) pf_alpha_direction(s, s->position_row[k]);
  return true;
}

/* w and lambda are the acceleration and the multipliers at t_{n+1}; in the printed form, and where multipliers share a
 * force, they must be found anew. */
static bool find_motion(PfMotionRun *run, const PfAlpha *s)
{
  size_t n = (size_t)s->n, bytes = n*sizeof *s->x;
  if (s->printed || s->redundant) return pf_flow(run, run->state.t, run->state.y, run->state.dy);
  memcpy(run->state.dy, run->state.y + n, bytes);
  memcpy(run->state.dy + n, s->x, bytes);
  memcpy(run->flow.multiplier, s->x + n, (size_t)s->m*sizeof *s->x);
  return true;
}

static bool attempt(PfMotionRun *run, double h)
{
  PfAlpha *s = run->stepper.data;
  if (!pf_alpha_has_started(run)) pf_alpha_start(run, run->state.dy + s->n);
  pf_alpha_begin(run, h);
  return find_directions(run, s) && pf_alpha_solve(run);
}

static PfStepEnd step(PfMotionRun *run)
{
  if (!run->stepper.fixed) return pf_alpha_controlled_step(run, attempt);
  if (!attempt(run, pf_alpha_fixed_step(run))) return pf_alpha_tell(run);
  pf_alpha_accept(run);
  return find_motion(run, run->stepper.data) ? PF_STEP_DONE : PF_STEP_TROUBLE;
}

const PfMethod pf_method_generalized_alpha = {
  .name = "generalized_alpha",
  .summary = "generalized-alpha with the constraints in every step, order 2, fixed or chosen step",
  .fixed = true, .damped = true, .bound = true, .formulas = true, .direct = true,
  .prepare = prepare, .step = step, .interpolate = pf_hermite, .release = pf_alpha_release};
