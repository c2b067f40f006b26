/* SPDX-License-Identifier: Apache-2.0 */
/* Projection of a state on the constraints after a step. */
#include "form/solver.h"
#include "time/manifold.h"
#include "time/time_impl.h"

#include <string.h>

PfStatus pf_project_make(PfMotionRun *run)
{
  PfManifold *manifold = run->projection = pf_run_array(run, PfManifold, 1);
  if (!manifold) return PF_ERR_MEMORY;
  PF_TRY(pf_manifold_make(run->ctx, run->arena, run->system, manifold));
  bool kept = pf_checkpoint_add(run->arena, &run->checkpoint, manifold->typical,
                                (size_t)run->m*sizeof *manifold->typical);
  return kept ? PF_OK : PF_ERR_MEMORY;
}

PfStatus pf_project_check_sizes(PfMotionRun *run)
{
  const double most = 1e120; /* squares of it and of 1/it keep all digits */
  for (int k = 0; k < run->m; k++) {
    double size = pf_manifold_scale(run->projection, k);
    if (size < most && size > 1/most) continue;
    (void)pf_fail(run->ctx, PF_ERR_NUMBER, "the constraint '%s' has numbers of about %.0e: '%s' computes with their "
                  "squares, which are beyond the range of numbers",
                  pf_system_equations(run->system)->model->constraints[k].name, size, run->stepper.method->name);
    pf_hint(run->ctx, "write the constraint in other units, or take another method");
    return PF_ERR_NUMBER;
  }
  return PF_OK;
}

static bool project(PfMotionRun *run, double t, double *y, double enough)
{
  PfManifold *f = run->projection;
  double *values = run->flow.values;
  PfSolver *solver = run->flow.solver; /* not made yet while the watch looks around */
  if (run->m == 0) return false;
  pf_run_set_state(run, t, y);
  bool changed = f->positions && pf_manifold_project(f, values, PF_LEVEL_POSITION, enough);
  PfProjected end = solver ? pf_solver_project(solver, values, pf_manifold_scales(f), enough) : PF_PROJECTED_NOT;
  if (end == PF_PROJECTED_NOT ? pf_manifold_project(f, values, PF_LEVEL_VELOCITY, enough) : end == PF_PROJECTED_NOW)
    changed = true;
  if (changed) memcpy(y, values + run->symbols->q, 2*(size_t)run->n*sizeof *y);
  return changed;
}

bool pf_project(PfMotionRun *run, double t, double *y)
{
  return project(run, t, y, PF_ON_CONSTRAINTS);
}

bool pf_project_closely(PfMotionRun *run, double t, double *y)
{
  return project(run, t, y, 0);
}
