/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of a vector field by implicit differentiation of F(Z) = 0: a direction of x is completed stage by stage
 * (positions, velocities, accelerations) with factors that all directions and orders share. Jacobians are made of the
 * unit directions. */
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

/* Is one of the numbers not zero? */
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
static void solve(PfDynamics *f, int level, const double *rows, int count, const int *columns, int unknowns, double *s)
{
  memcpy(f->right, rows, (size_t)count*sizeof *f->right);
  pf_alike_solve(&f->level_units[level], level ? &f->velocity_qr : &f->position_qr, f->right, f->step);
  for (int k = 0; k < unknowns; k++) s[columns[k]] -= f->step[k];
}

/* The dependent coordinates of a direction: phi_q s + phi_p s_p + constant = 0. */
static void complete_positions(PfDynamics *f, double *s, const double *constant, double *out)
{
  if (!f->np) return;
  if (moves_parameters(f, s)) run_first(f, s, constant, out);
  else multiply(f, f->phi_q, s + f->at_q, constant, f->np, out);
  solve(f, 0, out, f->np, f->y_dependent, f->y_dependents, s + f->at_q);
}

/* The dependent velocities, from the derivative of the velocity constraints in `out` without them. */
static void solve_velocities(PfDynamics *f, double *s, const double *out)
{
  solve(f, 1, out + f->at_psi, f->nv, f->w_dependent, f->w_dependents, s + f->at_w);
}

/* The dependent velocities of a direction whose coordinates are complete. Where nothing but velocities moves the
 * Jacobian of the levels is enough; otherwise the tape of first derivatives runs. */
static void complete_velocities(PfDynamics *f, double *s, const double *constant, double *out)
{
  if (!f->nv) return;
  if (moves_parameters(f, s) || is_seeded(s + f->at_q, f->n)) run_first(f, s, constant, out);
  else multiply(f, f->psi_w, s + f->at_w, constant ? constant + f->at_psi : NULL, f->nv, out + f->at_psi);
  solve_velocities(f, s, out);
}

/* Accelerations and multipliers, by K d(a, lambda) = -(the derivative of r without them). */
static void solve_accelerations(PfDynamics *f, double *s, const double *out)
{
  memcpy(f->right, out + f->at_r, (size_t)f->nr*sizeof *f->right);
  pf_alike_solve(&f->motion_units, &f->motion_qr, f->right, f->step);
  for (int k = 0; k < f->nw; k++) s[f->at_a + k] -= f->step[k];
  for (int k = 0; k < f->m; k++) s[f->at_lambda + k] -= f->step[f->nw + k];
}

/* Outputs are not equations: their derivatives need not be finite. */
static PfStatus check_finite(const PfDynamics *f, const double *s, const double *out)
{
  int bad = pf_first_not_finite(out, (size_t)f->at_out);
  if (bad < 0) bad = pf_first_not_finite(s, (size_t)f->count);
  if (bad < 0) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the equations of motion have no finite derivative here");
}

/* Positions, then velocities, then accelerations and multipliers, as the levels follow from each other. Outputs that
 * depend on the last need the tape once more. */
PfStatus pf_dynamics_complete(PfDynamics *f, double *s, const double *constant, double *out)
{
  PF_TRY(pf_check_cancelled(f->ctx));
  PF_TRY(pf_dynamics_factor(f));
  complete_positions(f, s, constant, out);
  complete_velocities(f, s, constant, out);
  run_first(f, s, constant, out);
  solve_accelerations(f, s, out);
  if (f->follows) run_first(f, s, constant, out);
  return check_finite(f, s, out);
}

/* Dependent quantities are 0 until pf_dynamics_complete. */
void pf_dynamics_unit(const PfDynamics *f, int k, double *s)
{
  memset(s, 0, (size_t)f->count*sizeof *s);
  if (k < f->ny) s[f->at_q + f->y[k]] = 1;
  else s[f->at_w + f->w[k - f->ny]] = 1;
}

/* d has pf_dynamics_size numbers, in the order of the chart. */
void pf_dynamics_direction(const PfDynamics *f, const double *d, double *s)
{
  memset(s, 0, (size_t)f->count*sizeof *s);
  for (int k = 0; k < f->ny; k++) s[f->at_q + f->y[k]] = d[k];
  for (int k = 0; k < f->nj; k++) s[f->at_w + f->w[k]] = d[f->ny + k];
}

/* Rates of coordinates are roots of the tape, `out`; those of velocities are the accelerations in s. */
void pf_dynamics_rate_of(const PfDynamics *f, const double *s, const double *out, double *df)
{
  for (int k = 0; k < f->ny; k++) df[k] = out[f->at_rate + f->y[k]];
  for (int k = 0; k < f->nj; k++) df[f->ny + k] = s[f->at_a + f->w[k]];
}

/* ---------------------------------------------------------------- several directions at a time */

/* Row k of `seeds` is where the field is and the direction k, as the tape of first derivatives takes them. */
typedef struct Columns {
  int size, moves_q; /* how many; of these, how many at the beginning move coordinates */
  double *seeds, *out, *work;
} Columns;

/* Where the direction of column k begins. */
static double *direction_of(const PfDynamics *f, const Columns *c, int k)
{
  return c->seeds + (size_t)(2*k + 1)*(size_t)f->count;
}

/* Where the results of column k begin. */
static double *out_of(const PfDynamics *f, const Columns *c, int k)
{
  return c->out + (size_t)k*(size_t)f->root_count;
}

/* The unit directions of the components (NULL: all), with their arrays, which the caller's mark of the arena frees. */
static PfStatus make_columns(PfDynamics *f, const int *components, int size, Columns *c)
{
  const size_t count = (size_t)f->count;
  c->size = size;
  PF_TRY(pf_arrays(f->ctx, f->arena, "the derivatives of the vector field", PF_ROOM(c->seeds, 2*(size_t)size*count),
                   PF_ROOM2(c->out, size, f->root_count), PF_ROOM(c->work, pf_tape_many_work_size(f->first))));
  for (int k = 0; k < size; k++) {
    const int component = components ? components[k] : k;
    memcpy(direction_of(f, c, k) - count, f->full, count*sizeof *f->full);
    pf_dynamics_unit(f, component, direction_of(f, c, k));
    if (component < f->ny && c->moves_q == k) c->moves_q++;
  }
  return PF_OK;
}

/* The first `count` directions; values that are not finite are found later. */
static void run_columns(PfDynamics *f, const Columns *c, int count)
{
  (void)pf_tape_run_many(f->first, count, c->seeds, c->out, c->work);
}

/* As pf_dynamics_complete does it for one. */
static PfStatus complete_columns(PfDynamics *f, const Columns *c)
{
  PF_TRY(pf_check_cancelled(f->ctx));
  for (int k = 0; k < c->size; k++) complete_positions(f, direction_of(f, c, k), NULL, out_of(f, c, k));
  if (f->nv) run_columns(f, c, c->moves_q);
  for (int k = 0; k < c->moves_q && f->nv; k++) solve_velocities(f, direction_of(f, c, k), out_of(f, c, k));
  for (int k = c->moves_q; k < c->size; k++) complete_velocities(f, direction_of(f, c, k), NULL, out_of(f, c, k));
  run_columns(f, c, c->size);
  for (int k = 0; k < c->size; k++) solve_accelerations(f, direction_of(f, c, k), out_of(f, c, k));
  if (f->follows) run_columns(f, c, c->size);
  for (int k = 0; k < c->size; k++) PF_TRY(check_finite(f, direction_of(f, c, k), out_of(f, c, k)));
  return PF_OK;
}

/* All directions run through the tape together, which is several times as fast as one after the other. Counts as many
 * evaluations as there are components. */
PfStatus pf_dynamics_slopes(PfDynamics *f, const int *components, int count, double *A, double *C)
{
  Columns columns = {0};
  f->evaluations += count;
  PF_TRY(pf_dynamics_factor(f));
  PfMark mark = pf_arena_mark(f->arena);
  double *column = pf_arena_array(f->arena, double, pf_dynamics_size(f));
  PfStatus status = column ? make_columns(f, components, count, &columns)
                           : pf_no_room(f->ctx, "the derivatives of the vector field");
  if (status == PF_OK) status = complete_columns(f, &columns);
  if (status == PF_OK) {
    int n = pf_dynamics_size(f), size = columns.size;
    for (int k = 0; k < size; k++) {
      const double *out = out_of(f, &columns, k);
      pf_dynamics_rate_of(f, direction_of(f, &columns, k), out, column);
      for (int i = 0; i < n; i++) A[i*size + k] = column[i];
      for (int i = 0; C && i < f->no; i++) C[i*size + k] = out[f->at_out + i];
    }
  }
  pf_arena_release(f->arena, mark);
  return status;
}

/* pf_dynamics_slopes for all components. */
PfStatus pf_dynamics_jacobian(PfDynamics *f, double *A, double *C)
{
  return pf_dynamics_slopes(f, NULL, pf_dynamics_size(f), A, C);
}

/* ---------------------------------------------------------------- parameters */

/* The chain rule through derived parameters and inputs: dp_i/dp = sum_k dvalue_i/dp_k dp_k/dp, in the order in which
 * values are made. Overridden parameters do not follow. */
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
    if (i == parameter || (!isnan(f->given[i])) || !model->parameters[i].value) continue;
    PF_TRY(pf_expr_derive_along(f->ctx, &model->parameters[i].value, 1, symbols, slope, np, slope + i));
  }
  for (int i = 0; i < ni; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_derive_along(f->ctx, &model->inputs[i].value, 1, symbols, slope, np, slope + np + i));
  PF_TRY(pf_expr_check(f->ctx));
  return pf_tape_new(f->ctx, f->symbol, f->count, slope, np + ni, tape);
}

/* Nothing but parameters and inputs moves in s; the state is held. */
void pf_dynamics_seed_parameter(const PfDynamics *f, const PfTape *tape, double *slope, double *work, double *s)
{
  const int parameters = f->model->parameter_count, inputs = f->model->input_count;
  pf_tape_run(tape, f->full, slope, work);
  memset(s, 0, (size_t)f->count*sizeof *s);
  memcpy(s + f->at_parameters, slope, (size_t)parameters*sizeof *s);
  if (inputs) memcpy(s + f->at_inputs, slope + parameters, (size_t)inputs*sizeof *s);
}

/* Parameters and inputs are evaluated anew; state and accelerations are the old ones until pf_dynamics_go. */
PfStatus pf_dynamics_set_parameter(PfDynamics *f, int parameter, double value)
{
  const PfModel *model = f->model;
  f->given[parameter] = value;
  PF_TRY(pf_model_parameter_values(model, f->given, PF_MISSING_FAILS, f->full + f->at_parameters));
  PfSymbols symbols = {.count = f->count, .inputs = f->at_inputs, .symbol = f->symbol};
  return pf_evaluate_inputs(f->ctx, model, &symbols, f->full);
}
