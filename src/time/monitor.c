/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities that a run monitors: energies, power, violations of the constraints. */
#include "form/solver.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

enum { KINETIC, POTENTIAL, CARRIED, POWER, FIRST_RESIDUAL };

/* The inertia of a system in which nothing is moved from outside is a quadratic form of the velocities: it, and the
 * momenta, vanish with them, and the mass matrix does not contain them. Sufficient, not necessary. */
static PfStatus is_quadratic(PfMotionRun *run, const PfEquations *eq, bool *yes)
{
  PfContext *ctx = run->ctx;
  int n = eq->n;
  const PfExpr *v = run->symbols->symbol + run->symbols->v;
  PfExpr *zeros = pf_run_array(run, PfExpr, n), *resting = pf_run_array(run, PfExpr, n + 1);
  if (!zeros || !resting) return PF_ERR_MEMORY;
  for (int i = 0; i < n; i++) zeros[i] = pf_expr_int(ctx, 0), resting[i] = eq->momentum[i];
  resting[n] = eq->kinetic;
  PF_TRY(pf_expr_substitute(ctx, resting, n + 1, v, zeros, n, resting));
  *yes = true;
  for (int i = 0; *yes && i <= n; i++) *yes = pf_expr_is_structural_zero(ctx, resting[i]);
  if (pf_expr_is_structural_zero(ctx, eq->model->kinetic)) return PF_OK; /* that of bodies has no higher powers */
  bool moving = false;
  if (*yes) PF_TRY(pf_expr_contain(ctx, eq->M, n*n, v, n, &moving));
  *yes = *yes && !moving;
  return PF_OK;
}

/* Energy that moving supports have put into T + V beyond Jacobi's v dT/dv - T + V, whose balance they enter only by
 * dL/dt: 2T - v dT/dv, that is T1 + 2 T0. It is a function of the state, so that the work of the supports need not be
 * integrated. */
static PfStatus carried(PfMotionRun *run, const PfEquations *eq, PfExpr *sum)
{
  PfContext *ctx = run->ctx;
  bool quadratic = true;
  *sum = pf_expr_int(ctx, 0);
  /* joints of matrix-free equations do not know time */
  if (!run->monitor.in_bodies) PF_TRY(is_quadratic(run, eq, &quadratic));
  if (quadratic) return PF_OK;
  *sum = pf_expr_mul(ctx, pf_expr_int(ctx, 2), eq->kinetic);
  for (int i = 0; i < eq->n; i++)
    *sum = pf_expr_sub(ctx, *sum, pf_expr_mul(ctx, eq->momentum[i], eq->model->coordinates[i].v));
  return pf_expr_check(ctx);
}

/* Power of everything that has no potential: forces, constraints, and energies that change with time, by -dL/dt. */
static PfStatus power(PfMotionRun *run, const PfEquations *eq, PfExpr *sum)
{
  PfContext *ctx = run->ctx;
  const PfModel *model = eq->model;
  *sum = pf_expr_sub(ctx, eq->potential, eq->kinetic);
  PF_TRY(pf_insert_inputs(ctx, model, sum, 1));
  *sum = pf_expr_diff(ctx, *sum, model->time);
  for (int i = 0; i < eq->n; i++) {
    PfExpr force = pf_expr_add(ctx, eq->applied[i], eq->C[i]);
    *sum = pf_expr_add(ctx, *sum, pf_expr_mul(ctx, force, model->coordinates[i].v));
  }
  for (int k = 0; k < eq->m; k++) /* A v vanishes for scleronomic constraints: only the others do work */
    if (model->constraints[k].kind != PF_PFAFFIAN &&
        (model->constraints[k].kind != PF_HOLONOMIC || model->constraints[k].rheonomic))
      for (int i = 0; i < eq->n; i++) {
        PfExpr factors[3] = {eq->A[k*eq->n + i], model->constraints[k].multiplier, model->coordinates[i].v};
        *sum = pf_expr_add(ctx, *sum, pf_expr_product(ctx, factors, 3));
      }
  run->monitor.has_power = !pf_expr_is_structural_zero(ctx, *sum);
  run->monitor.power_of_constraints = pf_expr_depends(ctx, *sum, run->symbols->symbol + run->symbols->lambda, run->m);
  return pf_expr_check(ctx);
}

PfStatus pf_monitor_make(PfMotionRun *run)
{
  const PfEquations *eq = pf_system_equations(run->system);
  int m = run->m, count = FIRST_RESIDUAL + 2*m;
  PfExpr *roots = pf_run_array(run, PfExpr, count), zero = pf_expr_int(run->ctx, 0);
  run->monitor.out = pf_run_array(run, double, count);
  run->monitor.in_bodies = pf_system_in_bodies(run->system);
  bool floats = run->monitor.in_bodies && pf_model_floats(eq->model);
  if (floats) run->monitor.momentum = pf_run_scratch(run, double, 6);
  if (!roots || !run->monitor.out || (floats && !run->monitor.momentum)) return PF_ERR_MEMORY;
  roots[KINETIC] = eq->kinetic;
  roots[POTENTIAL] = eq->potential;
  PF_TRY(carried(run, eq, roots + CARRIED));
  PF_TRY(power(run, eq, roots + POWER));
  run->monitor.energy_form = pf_expr_sub(run->ctx, pf_expr_add(run->ctx, roots[KINETIC], roots[POTENTIAL]),
                                         roots[CARRIED]);
  run->monitor.power_form = roots[POWER];
  for (int k = 0; k < m; k++) {
    roots[FIRST_RESIDUAL + k] = eq->position[k] == PF_EXPR_NONE ? zero : eq->position[k];
    roots[FIRST_RESIDUAL + m + k] = eq->velocity[k] == PF_EXPR_NONE ? zero : eq->velocity[k];
  }
  PF_TRY(pf_shared_tape(pf_system_store(run->system), roots, count, &run->monitor.tape));
  run->monitor.work = pf_run_scratch(run, double, pf_tape_work_size(run->monitor.tape));
  return run->monitor.work ? PF_OK : PF_ERR_MEMORY;
}

void pf_monitor_at(PfMotionRun *run, double t, const double *y, const double *multiplier)
{
  PfMonitor *monitor = &run->monitor;
  double kinetic, potential, *out = monitor->out;
  pf_run_set_state(run, t, y);
  if (multiplier) memcpy(run->flow.values + run->symbols->lambda, multiplier, (size_t)run->m*sizeof *multiplier);
  pf_tape_run(monitor->tape, run->flow.values, out, monitor->work);
  /* of bodies whose inertia is not written out, by the recursion */
  if (monitor->in_bodies && pf_solver_energies(run->flow.solver, run->flow.values, &kinetic, &potential)) {
    out[KINETIC] += kinetic;
    out[POTENTIAL] += potential;
  }
  monitor->at.kinetic = out[KINETIC];
  monitor->at.potential = out[POTENTIAL];
  monitor->at.balanced = out[KINETIC] + out[POTENTIAL] - out[CARRIED];
  monitor->at.power = out[POWER];
  monitor->at.position = pf_largest(out + FIRST_RESIDUAL, run->m);
  monitor->at.velocity = pf_largest(out + FIRST_RESIDUAL + run->m, run->m);
}

const double *pf_monitor_momentum(PfMotionRun *run)
{
  PfTreeTotals totals;
  if (!run->monitor.momentum || !pf_solver_totals(run->flow.solver, run->flow.values, &totals)) return NULL;
  memcpy(run->monitor.momentum, totals.linear, sizeof totals.linear);
  memcpy(run->monitor.momentum + 3, totals.angular, sizeof totals.angular);
  return run->monitor.momentum;
}

