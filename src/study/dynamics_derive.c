/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of a field: directions completed stage by stage (positions, velocities, accelerations). */
#include "study/dynamics.h"

#include <math.h>
#include <string.h>

/* out = F_Z s + constant */
static void run_first(PfDynamics *f, const double *s, const double *constant, double *out)
{
  size_t count = (size_t)f->count;
  memcpy(f->seeds, f->full, count*sizeof *f->seeds);
  memcpy(f->seeds + count, s, count*sizeof *f->seeds);
  pf_tape_run(f->first, f->seeds, out, f->work);
  for (int i = 0; constant && i < f->root_count; i++) out[i] += constant[i];
}

static bool is_seeded(const double *s, int count)
{
  for (int i = 0; i < count; i++)
    if (s[i] != 0) return true;
  return false;
}

/* Parameters or inputs move along s. */
static bool moves_parameters(const PfDynamics *f, const double *s)
{
  return is_seeded(s + f->at_parameters, f->model->parameter_count) ||
         is_seeded(s + f->at_inputs, f->model->input_count);
}

/* out = J s (rows x n) + constant: enough where parameters and inputs are constant. */
static void multiply(const PfDynamics *f, const double *slope, const double *s, const double *constant, int rows,
                     double *out)
{
  for (int i = 0; i < rows; i++)
    out[i] = pf_dot(slope + (size_t)i*(size_t)f->n, s, f->n) + (constant ? constant[i] : 0);
}

/* Subtracts from s what makes the rows vanish. */
static void solve(PfDynamics *f, PfQr *qr, const double *rows, int count, const int *columns, int unknowns, double *s)
{
  memcpy(f->right, rows, (size_t)count*sizeof *f->right);
  pf_qr_solve(qr, f->right, f->step);
  for (int k = 0; k < unknowns; k++) s[columns[k]] -= f->step[k];
}

static void complete_positions(PfDynamics *f, double *s, const double *constant, double *out)
{
  if (!f->np) return;
  if (moves_parameters(f, s)) run_first(f, s, constant, out);
  else multiply(f, f->phi_q, s + f->at_q, constant, f->np, out);
  solve(f, &f->position_qr, out, f->np, f->y_dependent, f->y_dependents, s + f->at_q);
}

static void complete_velocities(PfDynamics *f, double *s, const double *constant, double *out)
{
  if (!f->nv) return;
  double *rows = out + f->at_psi;
  if (moves_parameters(f, s) || is_seeded(s + f->at_q, f->n)) run_first(f, s, constant, out);
  else multiply(f, f->psi_w, s + f->at_w, constant ? constant + f->at_psi : NULL, f->nv, rows);
  solve(f, &f->velocity_qr, rows, f->nv, f->w_dependent, f->w_dependents, s + f->at_w);
}

PfStatus pf_dynamics_complete(PfDynamics *f, double *s, const double *constant, double *out)
{
  PF_TRY(pf_check_cancelled(f->ctx));
  complete_positions(f, s, constant, out);
  complete_velocities(f, s, constant, out);
  run_first(f, s, constant, out);
  memcpy(f->right, out + f->at_r, (size_t)f->nr*sizeof *f->right);
  pf_qr_solve(&f->motion_qr, f->right, f->step);
  for (int k = 0; k < f->nw; k++) s[f->at_a + k] -= f->step[k];
  for (int k = 0; k < f->m; k++) s[f->at_lambda + k] -= f->step[f->nw + k];
  if (f->follows) run_first(f, s, constant, out);
  int bad = pf_first_not_finite(out, (size_t)f->root_count);
  if (bad < 0) bad = pf_first_not_finite(s, (size_t)f->count);
  if (bad < 0) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the equations of motion have no finite derivative here");
}

void pf_dynamics_unit(const PfDynamics *f, int k, double *s)
{
  memset(s, 0, (size_t)f->count*sizeof *s);
  if (k < f->ny) s[f->at_q + f->y[k]] = 1;
  else s[f->at_w + f->w[k - f->ny]] = 1;
}

void pf_dynamics_direction(const PfDynamics *f, const double *d, double *s)
{
  memset(s, 0, (size_t)f->count*sizeof *s);
  for (int k = 0; k < f->ny; k++) s[f->at_q + f->y[k]] = d[k];
  for (int k = 0; k < f->nj; k++) s[f->at_w + f->w[k]] = d[f->ny + k];
}

void pf_dynamics_rate_of(const PfDynamics *f, const double *s, const double *out, double *df)
{
  for (int k = 0; k < f->ny; k++) df[k] = out[f->at_rate + f->y[k]];
  for (int k = 0; k < f->nj; k++) df[f->ny + k] = s[f->at_a + f->w[k]];
}

PfStatus pf_dynamics_jacobian(PfDynamics *f, double *A, double *C)
{
  int d = pf_dynamics_size(f);
  PfMark mark = pf_arena_mark(f->arena);
  double *s = pf_arena_array(f->arena, double, f->count), *column = pf_arena_array(f->arena, double, d);
  PfStatus status = s && column ? PF_OK : pf_no_room(f->ctx, "the derivatives of the vector field");
  for (int k = 0; k < d && status == PF_OK; k++) {
    pf_dynamics_unit(f, k, s);
    status = pf_dynamics_complete(f, s, NULL, f->derived);
    if (status != PF_OK) break;
    pf_dynamics_rate_of(f, s, f->derived, column);
    for (int i = 0; i < d; i++) A[i*d + k] = column[i];
    for (int i = 0; C && i < f->no; i++) C[i*d + k] = f->derived[f->at_out + i];
  }
  pf_arena_release(f->arena, mark);
  return status;
}

/* ---------------------------------------------------------------- parameters */

static bool is_given(const PfDynamics *f, int parameter)
{
  return !isnan(f->given[parameter]);
}

/* d(parameters, inputs)/dp as expressions: what has a value in terms of p moves with it. */
PfStatus pf_dynamics_parameter_tape(PfDynamics *f, int parameter, PfTape **tape)
{
  const PfModel *model = f->model;
  int np = model->parameter_count, ni = model->input_count;
  const PfExpr *symbols = f->symbol + f->at_parameters;
  PfExpr zero = pf_expr_int(f->ctx, 0);
  PfExpr *slope = pf_arena_array(f->arena, PfExpr, np + ni);
  if (!slope) return pf_no_room(f->ctx, "the derivatives of the vector field");
  for (int i = 0; i < np + ni; i++) slope[i] = zero;
  slope[parameter] = pf_expr_int(f->ctx, 1);
  for (int k = 0; k < np; k++) {
    int i = model->parameter_order[k];
    if (i == parameter || is_given(f, i) || !model->parameters[i].value) continue;
    PF_TRY(pf_expr_derive_along(f->ctx, &model->parameters[i].value, 1, symbols, slope, np, slope + i));
  }
  for (int i = 0; i < ni; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_derive_along(f->ctx, &model->inputs[i].value, 1, symbols, slope, np, slope + np + i));
  PF_TRY(pf_expr_check(f->ctx));
  return pf_tape_new(f->ctx, f->symbol, f->count, slope, np + ni, tape);
}

PfStatus pf_dynamics_set_parameter(PfDynamics *f, int parameter, double value)
{
  const PfModel *model = f->model;
  f->given[parameter] = value;
  PF_TRY(pf_model_parameter_values(model, f->given, PF_MISSING_FAILS, f->full + f->at_parameters));
  PfSymbols symbols = {.count = f->count, .inputs = f->at_inputs, .symbol = f->symbol};
  return pf_evaluate_inputs(f->ctx, model, &symbols, f->full);
}
