/* SPDX-License-Identifier: Apache-2.0 */
/* Residuals of the equations for implicit methods. Index 2 is stabilised after Gear, Leimkuhler and Gupta (1985);
 * constraints at acceleration level stay as they are. */
#include "time/residual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- expressions */

/* v + G^T mu */
static void write_rates(PfMotionRun *run, const PfResiduals *f, const PfExpr *mu, PfExpr *out)
{
  const PfEquations *eq = pf_system_equations(run->system);
  PfContext *ctx = run->ctx;
  for (int j = 0; j < f->n; j++) {
    out[j] = eq->model->coordinates[j].v;
    for (int k = 0; k < f->p; k++)
      out[j] = pf_expr_add(ctx, out[j], pf_expr_mul(ctx, eq->A[f->position_row[k]*f->n + j], mu[k]));
  }
}

/* M a - F - C - A^T lambda */
static void write_motion(PfMotionRun *run, const PfResiduals *f, PfExpr *out)
{
  const PfEquations *eq = pf_system_equations(run->system);
  const PfExpr *lambda = run->symbols->symbol + run->symbols->lambda;
  PfContext *ctx = run->ctx;
  for (int i = 0; i < f->n; i++) {
    out[i] = pf_expr_neg(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]));
    for (int j = 0; j < f->n; j++)
      out[i] = pf_expr_add(ctx, out[i], pf_expr_mul(ctx, eq->M[i*f->n + j], eq->model->coordinates[j].a));
    for (int k = 0; k < f->m; k++) out[i] = pf_expr_sub(ctx, out[i], pf_expr_mul(ctx, eq->A[k*f->n + i], lambda[k]));
  }
}

/* A a - b; for index 2 the velocity level, where there is one. */
static void write_constraints(PfMotionRun *run, const PfResiduals *f, PfExpr *out)
{
  const PfEquations *eq = pf_system_equations(run->system);
  PfContext *ctx = run->ctx;
  for (int k = 0; k < f->m; k++) {
    out[k] = eq->velocity[k];
    if (f->index == PF_INDEX_2 && out[k] != PF_EXPR_NONE) continue;
    out[k] = pf_expr_neg(ctx, eq->b[k]);
    for (int j = 0; j < f->n; j++)
      out[k] = pf_expr_add(ctx, out[k], pf_expr_mul(ctx, eq->A[k*f->n + j], eq->model->coordinates[j].a));
  }
}

static PfStatus write_rows(PfMotionRun *run, const PfResiduals *f, const PfExpr *mu, PfExpr *out)
{
  const PfEquations *eq = pf_system_equations(run->system);
  const PfModel *model = eq->model;
  write_rates(run, f, mu, out);
  write_motion(run, f, out + f->n);
  write_constraints(run, f, out + 2*f->n);
  for (int k = 0; k < f->p; k++) out[2*f->n + f->m + k] = eq->position[f->position_row[k]];
  PF_TRY(pf_insert_inputs(run->ctx, model, out, (size_t)f->count));
  return pf_expr_check(run->ctx);
}

/* ---------------------------------------------------------------- tapes */

typedef struct Inputs {
  PfExpr *symbol; /* those of the run, a, mu */
  int count;
} Inputs;

static PfStatus make_residual(PfMotionRun *run, PfResiduals *f, const Inputs *in, const PfExpr *rows)
{
  PF_TRY(pf_tape_new(run->ctx, in->symbol, in->count, rows, f->count, &f->residual));
  f->residual_work = pf_run_scratch(run, double, pf_tape_work_size(f->residual));
  f->r = pf_run_array(run, double, f->count);
  return f->residual_work && f->r ? PF_OK : PF_ERR_MEMORY;
}

static PfStatus try_slopes(PfMotionRun *run, PfResiduals *f, const Inputs *in, const PfExpr *rows)
{
  size_t n = (size_t)f->n, m = (size_t)f->m, p = (size_t)f->p;
  const PfSymbols *of_run = run->symbols;
  PfExpr *columns = pf_run_array(run, PfExpr, 3*n + m + p);
  if (!columns) return PF_ERR_MEMORY;
  memcpy(columns, in->symbol + of_run->q, 2*n*sizeof *columns);
  memcpy(columns + 2*n, in->symbol + of_run->count, n*sizeof *columns);
  memcpy(columns + 3*n, in->symbol + of_run->lambda, m*sizeof *columns);
  memcpy(columns + 3*n + m, in->symbol + of_run->count + n, p*sizeof *columns);
  PF_TRY(pf_expr_jacobian(run->ctx, run->arena, rows, f->count, columns, (int)(3*n + m + p), &f->entries));
  PF_TRY(pf_tape_new(run->ctx, in->symbol, in->count, f->entries.value, f->entries.count, &f->jacobian));
  f->jacobian_work = pf_run_scratch(run, double, pf_tape_work_size(f->jacobian));
  f->value = pf_run_array(run, double, f->entries.count);
  return f->jacobian_work && f->value ? PF_OK : PF_ERR_MEMORY;
}

/* A Jacobian that outgrows the limit is no error: the method takes difference quotients. */
static PfStatus make_slopes(PfMotionRun *run, PfResiduals *f, const Inputs *in, const PfExpr *rows)
{
  int before = pf_diagnostic_count(run->ctx);
  PfStatus status = try_slopes(run, f, in, rows);
  if (status != PF_ERR_LIMIT) return status;
  pf_diagnostics_cut(run->ctx, before);
  return PF_OK;
}

static PfStatus make_inputs(PfMotionRun *run, const PfResiduals *f, Inputs *in)
{
  int base = run->symbols->count;
  in->count = base + f->n + f->p;
  in->symbol = pf_run_array(run, PfExpr, in->count);
  if (!in->symbol) return PF_ERR_MEMORY;
  memcpy(in->symbol, run->symbols->symbol, (size_t)base*sizeof *in->symbol);
  for (int i = 0; i < f->n; i++) in->symbol[base + i] = pf_system_equations(run->system)->model->coordinates[i].a;
  for (int k = 0; k < f->p; k++) {
    char name[32];
    snprintf(name, sizeof name, "mu %d", k); /* no name of a model holds a blank */
    in->symbol[base + f->n + k] = pf_expr_symbol(run->ctx, name);
  }
  return pf_expr_check(run->ctx);
}

static PfStatus find_positions(PfMotionRun *run, PfResiduals *f)
{
  const PfEquations *eq = pf_system_equations(run->system);
  f->position_row = pf_run_array(run, int, f->m);
  if (!f->position_row) return PF_ERR_MEMORY;
  for (int k = 0; k < f->m && f->index == PF_INDEX_2; k++)
    if (eq->position[k] != PF_EXPR_NONE) f->position_row[f->p++] = k;
  return PF_OK;
}

PfStatus pf_residuals_make(PfMotionRun *run, PfIndex index, PfResiduals *f)
{
  *f = (PfResiduals){.index = index, .n = run->n, .m = run->m};
  Inputs in;
  PF_TRY(find_positions(run, f));
  f->count = 2*f->n + f->m + f->p;
  PF_TRY(make_inputs(run, f, &in));
  PfExpr *rows = pf_run_array(run, PfExpr, f->count);
  f->inputs = pf_run_array(run, double, in.count);
  if (!rows || !f->inputs) return PF_ERR_MEMORY;
  memcpy(f->inputs, run->flow.values, (size_t)run->symbols->count*sizeof *f->inputs);
  PF_TRY(write_rows(run, f, in.symbol + run->symbols->count + f->n, rows));
  PF_TRY(make_residual(run, f, &in, rows));
  return make_slopes(run, f, &in, rows);
}

void pf_residuals_release(PfResiduals *f)
{
  pf_tape_free(f->residual);
  pf_tape_free(f->jacobian);
}

/* ---------------------------------------------------------------- numbers */

void pf_residuals_set(PfResiduals *f, const PfSymbols *in, double t, const double *y, const double *a,
                      const double *lambda, const double *mu)
{
  size_t n = (size_t)f->n;
  f->inputs[in->time] = t;
  memcpy(f->inputs + in->q, y, 2*n*sizeof *y);
  memcpy(f->inputs + in->count, a, n*sizeof *a);
  memcpy(f->inputs + in->lambda, lambda, (size_t)f->m*sizeof *lambda);
  if (f->p) memcpy(f->inputs + in->count + n, mu, (size_t)f->p*sizeof *mu);
}

int pf_residuals_find(PfResiduals *f)
{
  pf_tape_run(f->residual, f->inputs, f->r, f->residual_work);
  return pf_first_not_finite(f->r, (size_t)f->count);
}

void pf_residuals_jacobian(PfResiduals *f)
{
  pf_tape_run(f->jacobian, f->inputs, f->value, f->jacobian_work);
  for (int i = 0; i < f->entries.count; i++)
    if (!isfinite(f->value[i])) f->value[i] = 0;
}
