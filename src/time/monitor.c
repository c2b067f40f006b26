/* What is looked at along the way: energies, power, violations, the stop condition. */
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

enum { KINETIC, POTENTIAL, POWER, UNTIL, FIRST_RESIDUAL };

/* Power of everything that has no potential: forces, constraints, and potentials that change with time. */
static PfStatus power(PfMotionRun *run, const PfEquations *eq, PfExpr *sum)
{
  PfContext *ctx = run->ctx;
  const PfModel *model = eq->model;
  *sum = pf_expr_diff(ctx, eq->potential, model->time);
  for (int i = 0; i < eq->n; i++) {
    PfExpr force = pf_expr_add(ctx, eq->applied[i], eq->C[i]);
    *sum = pf_expr_add(ctx, *sum, pf_expr_mul(ctx, force, model->coordinates[i].v));
  }
  for (int k = 0; k < eq->m; k++) /* A v vanishes for scleronomic constraints: only the others do work */
    if (model->constraints[k].kind != PF_PFAFFIAN && (model->constraints[k].kind != PF_HOLONOMIC || model->constraints[k].rheonomic))
      for (int i = 0; i < eq->n; i++) {
        PfExpr factors[3] = {eq->A[k*eq->n + i], model->constraints[k].multiplier, model->coordinates[i].v};
        *sum = pf_expr_add(ctx, *sum, pf_expr_product(ctx, factors, 3));
      }
  run->has_power = !pf_expr_is_structural_zero(ctx, *sum);
  run->power_of_constraints = pf_expr_depends(ctx, *sum, run->symbols->symbol + run->symbols->lambda, run->m);
  return pf_expr_check(ctx);
}

PfStatus pf_monitor_make(PfMotionRun *run)
{
  const PfEquations *eq = pf_system_equations(run->system);
  const PfModel *model = eq->model;
  int m = run->m, count = FIRST_RESIDUAL + 2*m;
  PfExpr *roots = pf_run_array(run, PfExpr, count), zero = pf_expr_int(run->ctx, 0);
  run->monitored = pf_run_array(run, double, count);
  if (!roots || !run->monitored) return PF_ERR_MEMORY;
  roots[KINETIC] = eq->kinetic;
  roots[POTENTIAL] = eq->potential;
  PF_TRY(power(run, eq, roots + POWER));
  run->power_form = roots[POWER];
  roots[UNTIL] = run->options.until == PF_EXPR_NONE ? zero : run->options.until;
  for (int k = 0; k < m; k++) {
    roots[FIRST_RESIDUAL + k] = eq->position[k] == PF_EXPR_NONE ? zero : eq->position[k];
    roots[FIRST_RESIDUAL + m + k] = eq->velocity[k] == PF_EXPR_NONE ? zero : eq->velocity[k];
  }
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_substitute(run->ctx, roots, count, &model->inputs[i].symbol, &model->inputs[i].value, 1, roots));
  PF_TRY(pf_tape_new(run->ctx, run->symbols->symbol, run->symbols->count, roots, count, &run->monitor));
  run->monitor_work = pf_run_array(run, double, pf_tape_work_size(run->monitor));
  return run->monitor_work ? PF_OK : PF_ERR_MEMORY;
}

void pf_monitor_at(PfMotionRun *run, double t, const double *y, const double *multiplier)
{
  run->values[run->symbols->time] = t;
  memcpy(run->values + run->symbols->q, y, 2*(size_t)run->n*sizeof *y);
  if (multiplier) memcpy(run->values + run->symbols->lambda, multiplier, (size_t)run->m*sizeof *multiplier);
  pf_tape_run(run->monitor, run->values, run->monitored, run->monitor_work);
}

double pf_monitor_kinetic(const PfMotionRun *run)
{
  return run->monitored[KINETIC];
}

double pf_monitor_potential(const PfMotionRun *run)
{
  return run->monitored[POTENTIAL];
}

double pf_monitor_power(const PfMotionRun *run)
{
  return run->monitored[POWER];
}

bool pf_monitor_until(const PfMotionRun *run)
{
  return run->monitored[UNTIL] != 0;
}

static double largest(const double *x, int count)
{
  double size = 0;
  for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
  return size;
}

double pf_monitor_position(const PfMotionRun *run)
{
  return largest(run->monitored + FIRST_RESIDUAL, run->m);
}

double pf_monitor_velocity(const PfMotionRun *run)
{
  return largest(run->monitored + FIRST_RESIDUAL + run->m, run->m);
}
