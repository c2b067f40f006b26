/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of what an instance shows. */
#include "pf_runtime.h"

#include "fmu_core.h"

#include <math.h>
#include <string.h>

/* The place of a known among the seeds; -1: none. */
static int model_fmu_seed(unsigned known)
{
  const int r = known < MODEL_FMU_VARIABLES ? (int)known : -1;
  if (r == 0) return MODEL_FMU_SEED_T;
  if (r < 0 || r >= MODEL_FMU_AT_A) return -1;
  if (r < MODEL_FMU_AT_INPUT) return r - MODEL_FMU_AT_PARAMETER;
  if (r < MODEL_FMU_AT_Q) return MODEL_FMU_SEED_U + r - MODEL_FMU_AT_INPUT;
  return r < MODEL_FMU_AT_V ? MODEL_FMU_SEED_Q + r - MODEL_FMU_AT_Q : MODEL_FMU_SEED_V + r - MODEL_FMU_AT_V;
}

static double *model_fmu_known(model_fmu_data *d, unsigned known)
{
  const int r = (int)known;
  if (r == 0) return &d->x.time;
  if (r < MODEL_FMU_AT_INPUT) return model_fmu_parameter(&d->p, r - MODEL_FMU_AT_PARAMETER);
  if (r < MODEL_FMU_AT_Q) return model_fmu_input(&d->u, r - MODEL_FMU_AT_INPUT);
  return r < MODEL_FMU_AT_V ? &d->x.q[r - MODEL_FMU_AT_Q] : &d->x.v[r - MODEL_FMU_AT_V];
}

/* Along surfaces the sides follow the state: by differences there, and where formulas would be too long. */
static model_fmu_status model_fmu_difference(model_fmu *f, unsigned unknown, unsigned known, double *slope)
{
  const model_fmu_data kept = f->d;
  double value[2], *x = model_fmu_known(&f->d, known), at = *x;
  const double h = 6e-6*(1 + fabs(at));
  model_fmu_status status = MODEL_FMU_OK;
  int i;
  for (i = 0; i < 2 && status == MODEL_FMU_OK; i++) {
    *x = at + (i ? -h : h);
    model_fmu_forget(f);
    status = model_fmu_get(f, unknown, &value[i]);
  }
  f->d = kept;
  model_fmu_forget(f);
  *slope = status == MODEL_FMU_OK ? (value[0] - value[1])/(2*h) : 0;
  return status;
}

#if MODEL_FMU_EXACT

/* K = d(residuals)/d(a, lambda) as triangles. The last diagonal is a little more than zero, so that redundant
 * constraints share their forces. */
static model_fmu_status model_fmu_factor(model_fmu *f)
{
  enum { n = MODEL_FMU_ROWS };
  double seed[MODEL_FMU_SEEDS] = {0}, column[MODEL_FMU_ROWS], most = 0, *K = f->K;
  int i, j;
  for (j = 0; j < n; j++) {
    seed[MODEL_FMU_SEED_A + j] = 1;
    model_fmu_residuals_along(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, seed, column);
    seed[MODEL_FMU_SEED_A + j] = 0;
    for (i = 0; i < n; i++) {
      K[i*n + j] = column[i];
      if (!(fabs(column[i]) <= most)) most = fabs(column[i]);
    }
  }
  for (i = MODEL_N; i < n; i++) K[i*n + i] += 1e-14*most;
  if (pf_lu_factor(K, n, f->row) == 0) return model_fmu_status_of(f, MODEL_SINGULAR);
  memset(f->has_column, 0, sizeof f->has_column);
  f->has_factors = 1;
  return MODEL_FMU_OK;
}

/* All derivatives by one known: K d(a, lambda) = -d(residuals), and what is shown along with them. */
static model_fmu_status model_fmu_column(model_fmu *f, int known)
{
  double seed[MODEL_FMU_SEEDS] = {0}, *column = f->D + known*MODEL_FMU_RESULTS;
  model_fmu_status status = model_fmu_move(f);
  int i;
  if (status == MODEL_FMU_OK && !f->has_factors) status = model_fmu_factor(f);
  if (status != MODEL_FMU_OK || f->has_column[known]) return status;
  seed[known] = 1;
  model_fmu_residuals_along(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, seed, column);
  for (i = 0; i < MODEL_FMU_ROWS; i++) column[i] = -column[i];
  pf_lu_solve(f->K, MODEL_FMU_ROWS, f->row, column);
  for (i = 0; i < MODEL_FMU_ROWS; i++) {
    if (!(column[i] - column[i] == 0)) return model_fmu_status_of(f, MODEL_NOT_FINITE);
    seed[MODEL_FMU_SEED_A + i] = column[i];
  }
  model_fmu_shown_along(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, seed, column + MODEL_FMU_ROWS);
  f->has_column[known] = 1;
  return MODEL_FMU_OK;
}

#else

/* Never asked. */
static model_fmu_status model_fmu_column(model_fmu *f, int known)
{
  (void)known;
  return model_fmu_move(f);
}

#endif

model_fmu_status model_fmu_slope(model_fmu *f, unsigned unknown, unsigned known, double *slope)
{
  const int r = unknown < MODEL_FMU_VARIABLES ? (int)unknown : -1, seed = model_fmu_seed(known);
  model_fmu_status status;
  if (r < 0 || seed < 0) return model_fmu_fail(f, "there is no such derivative", "");
  status = model_fmu_settle(f);
  if (status != MODEL_FMU_OK) return status;
  if (r < MODEL_FMU_AT_A) {
    *slope = unknown == known;
    return MODEL_FMU_OK;
  }
  if (!MODEL_FMU_EXACT || r >= MODEL_FMU_AT_INDICATOR || model_fmu_stay_count(&f->d))
    return model_fmu_difference(f, unknown, known, slope);
  status = model_fmu_column(f, seed);
  if (status == MODEL_FMU_OK) *slope = f->D[seed*MODEL_FMU_RESULTS + r - MODEL_FMU_AT_A];
  return status;
}
