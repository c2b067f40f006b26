/* SPDX-License-Identifier: Apache-2.0 */
/* Residuals of the equations for implicit methods. Index 2 is stabilised after Gear, Leimkuhler and Gupta (1985);
 * constraints at acceleration level stay as they are. */
#include "time/residual.h"

#include "form/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rates v + G^T mu, motion M a - F - C - A^T lambda, constraints A a - b or for index 2 the velocity level where there
 * is one, positions. */
static PfStatus write_rows(PfMotionRun *run, const PfResiduals *f, const PfExpr *mu, PfExpr *out)
{
  PfContext *ctx = run->ctx;
  const PfEquations *eq = pf_system_equations(run->system);
  const PfCoordinate *coordinate = eq->model->coordinates;
  const PfExpr *lambda = run->symbols->symbol + run->symbols->lambda;
  const int n = f->n, m = f->m;
  for (int j = 0; j < n; j++) {
    out[j] = coordinate[j].v;
    for (int k = 0; k < f->p; k++)
      out[j] = pf_expr_add(ctx, out[j], pf_expr_mul(ctx, eq->A[f->position_row[k]*n + j], mu[k]));
  }
  for (int i = 0; i < n; i++) {
    PfExpr sum = pf_expr_neg(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]));
    for (int j = 0; j < n; j++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, eq->M[i*n + j], coordinate[j].a));
    for (int k = 0; k < m; k++) sum = pf_expr_sub(ctx, sum, pf_expr_mul(ctx, eq->A[k*n + i], lambda[k]));
    out[n + i] = sum;
  }
  for (int k = 0; k < m; k++) {
    out[2*n + k] = eq->velocity[k];
    if (f->index == PF_INDEX_2 && eq->velocity[k] != PF_EXPR_NONE) continue;
    PfExpr sum = pf_expr_neg(ctx, eq->b[k]);
    for (int j = 0; j < n; j++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, eq->A[k*n + j], coordinate[j].a));
    out[2*n + k] = sum;
  }
  for (int k = 0; k < f->p; k++) out[2*n + m + k] = eq->position[f->position_row[k]];
  PF_TRY(pf_insert_inputs(ctx, eq->model, out, (size_t)f->count));
  return pf_expr_check(ctx);
}

/* The Jacobian of the rows; `symbol`: those of the run, a, mu. */
static PfStatus make_slopes(PfMotionRun *run, PfResiduals *f, const PfExpr *symbol, const PfTapeList *rows)
{
  size_t n = (size_t)f->n, m = (size_t)f->m, p = (size_t)f->p;
  const PfSymbols *of_run = run->symbols;
  PfExpr *columns = pf_run_array(run, PfExpr, 3*n + m + p);
  if (!columns) return PF_ERR_MEMORY;
  memcpy(columns, symbol + of_run->q, 2*n*sizeof *columns);
  memcpy(columns + 2*n, symbol + of_run->count, n*sizeof *columns);
  memcpy(columns + 3*n, symbol + of_run->lambda, m*sizeof *columns);
  memcpy(columns + 3*n + m, symbol + of_run->count + n, p*sizeof *columns);
  PfTapeList slopes = *rows;
  slopes.columns = columns;
  slopes.column_count = (int)(3*n + m + p);
  PF_TRY(pf_shared_tape_of(pf_system_store(run->system), &slopes, &f->jacobian, &f->entries));
  f->jacobian_work = pf_run_scratch(run, double, pf_tape_work_size(f->jacobian));
  f->value = pf_run_array(run, double, f->entries.count);
  return f->jacobian_work && f->value ? PF_OK : PF_ERR_MEMORY;
}

PfStatus pf_residuals_make(PfMotionRun *run, PfIndex index, PfResiduals *f)
{
  const PfEquations *eq = pf_system_equations(run->system);
  const int base = run->symbols->count, n = run->n, m = run->m;
  *f = (PfResiduals){.index = index, .n = n, .m = m, .position_row = pf_run_array(run, int, m)};
  if (!f->position_row) return PF_ERR_MEMORY;
  for (int k = 0; k < m && index == PF_INDEX_2; k++)
    if (eq->position[k] != PF_EXPR_NONE) f->position_row[f->p++] = k;
  f->count = 2*n + m + f->p;
  const int count = base + n + f->p;
  PfExpr *symbol = pf_run_array(run, PfExpr, count);
  if (!symbol) return PF_ERR_MEMORY;
  PfExpr *mu = symbol + base + n;
  memcpy(symbol, run->symbols->symbol, (size_t)base*sizeof *symbol);
  for (int i = 0; i < n; i++) symbol[base + i] = eq->model->coordinates[i].a;
  for (int k = 0; k < f->p; k++) {
    char name[32];
    snprintf(name, sizeof name, "mu %d", k); /* no name of a model holds a blank */
    mu[k] = pf_expr_symbol(run->ctx, name);
  }
  PF_TRY(pf_expr_check(run->ctx));
  PfExpr *rows = pf_run_array(run, PfExpr, f->count);
  f->inputs = pf_run_array(run, double, count);
  if (!rows || !f->inputs) return PF_ERR_MEMORY;
  memcpy(f->inputs, run->flow.values, (size_t)base*sizeof *f->inputs);
  PF_TRY(write_rows(run, f, mu, rows));
  const PfTapeList list = {.roots = rows, .count = f->count, .more = symbol + base, .more_count = n + f->p};
  PF_TRY(pf_shared_tape_of(pf_system_store(run->system), &list, &f->residual, NULL));
  f->residual_work = pf_run_scratch(run, double, pf_tape_work_size(f->residual));
  f->r = pf_run_array(run, double, f->count);
  if (!f->residual_work || !f->r) return PF_ERR_MEMORY;
  int before = pf_diagnostic_count(run->ctx);
  PfStatus status = make_slopes(run, f, symbol, &list);
  if (status != PF_ERR_LIMIT) return status;
  pf_diagnostics_truncate(run->ctx, before); /* a Jacobian too long: the method takes difference quotients */
  return PF_OK;
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
