/* SPDX-License-Identifier: Apache-2.0 */
/* alpha-RATTLE: the constraints push over the whole step, all else follows generalized-alpha.
 *
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) w_{n+1} + alpha_f w_n,   M(q) w = f
 *   R = M_m^-1 A_m^T lambda,   psi(q_{n+1}, v_{n+1}, t_{n+1}) = 0
 *
 * m is the middle of the step, q_n + h/2 v_n. lambda belongs to t_n + h/2; values at t_{n+1} come from the
 * accelerations of the run's formulation. Constraints that are not linear in the velocities need A at a velocity in the
 * middle as well: v_n + h/2 q''_n. Friction that depends on lambda is part of the push. */
#include "time/alpha_common.h"

#include <string.h>

static PfStatus prepare(PfMotionRun *run)
{
  return pf_alpha_make(run, true);
}

static bool needs_inertia(PfMotionRun *run, const PfAlpha *s)
{
  const PfModel *model = pf_system_equations(run->system)->model;
  run->flow.told = true;
  pf_fail(run->ctx, PF_ERR_MODEL, "'rattle' needs a regular mass matrix, and '%s' has no inertia of its own",
          model->coordinates[s->mass.order[s->mass.rank]].name);
  pf_hint(run->ctx, "'generalized_alpha' does not need one");
  return false;
}

static bool push_at(PfMotionRun *run, PfAlpha *s, double t, const double *q, const double *v)
{
  return pf_alpha_push_at(run, t, q, v) && (s->mass.rank == s->n || needs_inertia(run, s));
}

/* w_0 = M_0^-1 f_0: without the constraints. */
static bool start(PfMotionRun *run, PfAlpha *s)
{
  double *w = s->right;
  if (!push_at(run, s, run->state.t, run->state.y, run->state.y + s->n)) return false;
  pf_alpha_forces(s, run->state.t, run->state.y, w);
  pf_ldl_solve(&s->mass, w, w);
  pf_alpha_start(run, w);
  return true;
}

static bool find_middle(PfMotionRun *run, PfAlpha *s)
{
  int n = s->n;
  double half = 0.5*s->h, *q = s->miss, *v = s->right;
  for (int j = 0; j < n; j++) {
    q[j] = run->state.y[j] + half*run->state.y[n + j];
    v[j] = run->state.y[n + j] + half*run->state.dy[n + j];
  }
  if (!push_at(run, s, run->state.t + half, q, v)) return false;
  for (int k = 0; k < s->m; k++) pf_alpha_direction(s, k);
  return true;
}

static bool attempt(PfMotionRun *run, double h)
{
  PfAlpha *s = run->stepper.data;
  if (!pf_alpha_has_started(run) && !start(run, s)) return false;
  pf_alpha_begin(run, h);
  return find_middle(run, s) && pf_alpha_solve(run);
}

static PfStepEnd step(PfMotionRun *run)
{
  if (!run->stepper.fixed) return pf_alpha_controlled_step(run, attempt);
  if (!attempt(run, pf_alpha_fixed_step(run))) return pf_alpha_tell(run);
  pf_alpha_accept(run);
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? PF_STEP_DONE : PF_STEP_TROUBLE;
}

const PfMethod pf_method_rattle = {
  .name = "rattle", .summary = "alpha-RATTLE: the constraints push once per step, order 2, fixed or chosen step",
  .fixed = true, .damped = true, .bound = true, .formulas = true, .direct = true,
  .prepare = prepare, .step = step, .interpolate = pf_hermite, .release = pf_alpha_release};
