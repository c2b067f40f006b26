/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a vector field: choice of independent coordinates and velocities by pivoted QR of the constraint
 * Jacobian (a chart), Newton's method for the dependent ones, and accelerations from the equations of motion.
 * Everything else about a field begins with pf_dynamics_go. */
#include "study/dynamics.h"

#include "form/solver.h"
#include "num/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

static PfStatus factor_levels(PfDynamics *f);

/* Constraints at position and velocity level with their Jacobians, and rates, at the numbers of the field. */
static void run_levels(PfDynamics *f)
{
  pf_tape_run(f->levels, f->full, f->level_out, f->work);
}

/* The velocities of coordinates that belong to the speeds. */
static void sync_velocities(PfDynamics *f)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  if (f->speeds) memcpy(f->full + in->v, f->rate, (size_t)f->n*sizeof *f->full);
}

/* ---------------------------------------------------------------- accelerations */

/* Accelerations and multipliers, and those of the speeds from a = N omega' + drift. */
static PfStatus accelerate(PfDynamics *f)
{
  int row, n = f->n;
  PfTrouble trouble = pf_solver_accelerate(f->solver, f->full, &f->motion, &row);
  PF_TRY(pf_trouble_report(f->ctx, f->system, trouble, row));
  if (f->m) memcpy(f->full + f->at_lambda, f->motion.multiplier, (size_t)f->m*sizeof *f->full);
  if (!f->speeds) {
    memcpy(f->full + f->at_a, f->motion.acceleration, (size_t)n*sizeof *f->full);
    return PF_OK;
  }
  for (int i = 0; i < n; i++) f->right[i] = f->motion.acceleration[i] - f->drift[i];
  if (pf_qr_factor(&f->velocity_qr, f->N, 0) != PF_OK)
    return pf_fail(f->ctx, PF_ERR_NUMBER, "the rates by the speeds are not finite here");
  pf_qr_solve(&f->velocity_qr, f->right, f->full + f->at_a);
  return PF_OK;
}

/* Where constraints depend on each other, which may be so up to rounding only, elements of rounding must not count as
 * sizes: rows have the sizes that are usual nearby, and multipliers go with them. */
static bool uses_typical_sizes(const PfDynamics *f, int rows, int independent)
{
  return independent < rows && pf_solver_row_sizes(f->solver);
}

/* The power of two next to the size, by which numbers are divided without rounding; 1 for 0. */
static double binary(double size)
{
  return size > 0 ? pf_binary_scale(&size, 1) : 1;
}

/* Units of the equations of motion where constraints depend on each other: that of the masses for forces, and the usual
 * sizes of the rows. */
static void give_motion_units(PfDynamics *f)
{
  const double *size = pf_solver_row_sizes(f->solver);
  PfAlike *units = &f->motion_units;
  double mass = 0;
  units->given = !f->speeds && f->ny + f->nj && uses_typical_sizes(f, f->nv, f->w_dependents);
  if (!units->given) return;
  for (int i = 0; i < f->n; i++) mass = fmax(mass, pf_largest(f->K + (size_t)i*(size_t)f->nz, f->nw));
  for (int i = 0; i < f->n; i++) units->row[i] = binary(mass);
  for (int k = 0; k < f->m; k++) units->row[f->n + k] = binary(size[k]);
  for (int j = 0; j < f->nw; j++) units->column[j] = 1;
  for (int k = 0; k < f->m; k++) units->column[f->nw + k] = binary(mass)/binary(size[k]);
}

/* As many rows of the constraints count as the chart has found independent: the rounding errors of the others do not
 * count as further constraints. */
PfStatus pf_dynamics_factor(PfDynamics *f)
{
  const double rounding = 1e-6;
  if (f->factored) return PF_OK;
  pf_tape_run(f->forces, f->full, f->K, f->work);
  give_motion_units(f);
  PfQr *qr = &f->motion_qr;
  PfStatus status = pf_alike_factor(&f->motion_units, qr, f->K, 0);
  const int most = f->n + f->w_dependents;
  if (status == PF_OK && f->motion_units.given && qr->rank > most) {
    const double first = fabs(qr->R[0]), next = fabs(qr->R[(size_t)most*(size_t)qr->m + (size_t)most]);
    if (first > 0 && next < rounding*first) status = pf_qr_factor(qr, f->K, 2*next/first);
  }
  f->factored = status == PF_OK;
  if (f->factored) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the equations of motion are not finite here");
}

/* The velocities of the coordinates to which speeds are sought. */
typedef struct Rates {
  PfDynamics *f;
  const double *v;
} Rates;

/* PfNewton's residual of v = rate, for the speeds that belong to given velocities. */
static PfStatus rates_residual(void *user, PfResidualNorm *norm)
{
  const Rates *r = user;
  PfDynamics *f = r->f;
  norm->size = 0;
  run_levels(f);
  for (int i = 0; i < f->n; i++) {
    f->right[i] = r->v[i] - f->rate[i];
    norm->size = fmax(norm->size, fabs(f->right[i])/(1 + fabs(r->v[i])));
  }
  norm->merit = norm->size;
  return PF_OK;
}

/* PfNewton's step for the speeds: least squares of N du = v - rate. */
static PfStatus rates_step(void *user, bool fresh, double *length)
{
  PfDynamics *f = ((const Rates *)user)->f;
  (void)fresh;
  if (pf_qr_factor(&f->velocity_qr, f->N, 0) != PF_OK)
    return pf_fail(f->ctx, PF_ERR_NUMBER, "the rates by the speeds are not finite here");
  pf_qr_solve(&f->velocity_qr, f->right, f->step);
  for (int j = 0; j < f->nw; j++) *length = fmax(*length, fabs(f->step[j])/(1 + fabs(f->full[f->at_w + j])));
  return PF_OK;
}

/* Room for all factors, once. */
static PfStatus make_factors(PfDynamics *f)
{
  const int n = f->n, rows = f->np > f->nv ? f->np : f->nv;
  const int np = f->np < n ? f->np : n, nv = f->nv < n ? f->nv : n, most = rows < n ? rows : n; /* dependent at most */
  if (f->motion_qr.R) return PF_OK;
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(f->weight, n)));
  PF_TRY(pf_qr_make(f->ctx, f->arena, f->np, np, &f->position_qr));
  PF_TRY(pf_qr_make(f->ctx, f->arena, f->speeds ? n : f->nv, f->speeds ? f->nw : nv, &f->velocity_qr));
  PF_TRY(pf_qr_make(f->ctx, f->arena, rows, most, &f->hold_qr));
  PF_TRY(pf_alike_make(f->ctx, f->arena, f->np, np, &f->level_units[0]));
  PF_TRY(pf_alike_make(f->ctx, f->arena, f->nv, nv, &f->level_units[1]));
  PF_TRY(pf_alike_make(f->ctx, f->arena, f->nr, f->nz, &f->motion_units));
  return pf_qr_make(f->ctx, f->arena, f->nr, f->nz, &f->motion_qr); /* the last: its presence says that all are there */
}

/* The tape of the levels runs at the given numbers, then again where the field is, so that its results are those of the
 * place as before. Numbers that are not finite count as infinite. */
double pf_dynamics_residual(PfDynamics *f, const double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  double most = 0;
  if (f->speeds) return INFINITY; /* unknown without the speeds */
  memcpy(f->seeds, values, (size_t)in->count*sizeof *values);
  pf_tape_run(f->levels, f->seeds, f->level_out, f->work);
  for (int k = 0; k < f->np; k++) most = fmax(most, isnan(f->phi[k]) ? INFINITY : fabs(f->phi[k]));
  for (int k = 0; k < f->nv; k++) most = fmax(most, isnan(f->psi[k]) ? INFINITY : fabs(f->psi[k]));
  run_levels(f);
  return most;
}

/* Speeds are the state: every change of one of them, alone, must satisfy the constraints (A N = 0). */
static PfStatus check_speeds(PfDynamics *f)
{
  const double least = 1e-8;
  const int n = f->n, nw = f->nw;
  PfMark mark = pf_arena_mark(f->arena);
  double *A = pf_arena_array(f->arena, double, n);
  PfStatus status = A ? PF_OK : pf_no_room(f->ctx, "the vector field");
  for (int k = 0; k < f->m && status == PF_OK; k++) {
    status = pf_expr_evaluate(f->ctx, f->eq->A + (size_t)k*(size_t)n, n, f->symbol, f->full, f->count, A);
    for (int j = 0; j < nw && status == PF_OK; j++) {
      double sum = 0, size = 0;
      for (int i = 0; i < n; i++) sum += A[i]*f->N[i*nw + j], size = fmax(size, fabs(f->N[i*nw + j]));
      if (!(fabs(sum) > least*size*pf_largest(A, n))) continue;
      status = pf_fail_at(f->ctx, PF_ERR_MODEL, f->model->constraints[k].place,
                          "the constraint '%s' binds the speed '%s': studies need speeds that are independent",
                          f->model->constraints[k].name, f->model->speeds[j].name);
      pf_hint(f->ctx, "leave out 'speed' lines until as many are left as there are degrees of freedom, or all of them");
    }
  }
  pf_arena_release(f->arena, mark);
  return status;
}

/* Speeds are found from the velocities first. The units of the field are measured anew; a chart that was chosen before
 * is factored at the new place. Fails with PF_ERR_MODEL where a constraint binds the speeds, with PF_ERR_NUMBER where
 * there are no accelerations. */
PfStatus pf_dynamics_place(PfDynamics *f, const double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  memcpy(f->full, values, (size_t)in->count*sizeof *values);
  PF_TRY(make_factors(f));
  if (f->speeds) {
    /* The speeds that belong to the velocities: least squares of v = rate, which is linear in them (or Newton). */
    const PfNewtonPolicy policy = {.iterations = 20, .enough = 1e-13, .shortest = 1e-15, .patience = 20};
    Rates rates = {f, values + in->v};
    const PfNewton newton = {.user = &rates, .n = f->nw, .x = f->full + f->at_w, .step = f->step,
                             .residual = rates_residual, .solve = rates_step};
    PfNewtonResult result = {0};
    if (pf_newton(&newton, &policy, &result) == PF_NEWTON_FAILED) PF_TRY(result.status);
  }
  run_levels(f);
  sync_velocities(f);
  if (f->speeds) PF_TRY(check_speeds(f));
  PF_TRY(accelerate(f));
  f->factored = false;
  PF_TRY(pf_dynamics_find_units(f));
  return f->ny + f->nj && !f->natural ? factor_levels(f) : PF_OK;
}

/* ---------------------------------------------------------------- the chart */

/* The largest element of a row of the constraints, in the units of the coordinates. */
static double row_size(const PfDynamics *f, const double *row)
{
  const double *unit = pf_solver_units(f->solver);
  double most = 0;
  for (int j = 0; j < f->n; j++) most = fmax(most, fabs(row[j])*(unit ? unit[j] : 1));
  return most;
}

/* Splits the columns of rows (m x n) into dependent ones, as many as the rank, and the others in ascending order. A
 * column with a larger weight is rather dependent. Where coordinates have units that differ much, as metres and pascals
 * do, rows and columns are in units of their own, those of several states: what is small by position stays small. */
static PfStatus split(PfDynamics *f, const double *rows, int m, int n, const double *weight, int *free, int *bound,
                      int *bounds)
{
  const double *unit = pf_solver_units(f->solver);
  PfQr qr;
  PfMark mark = pf_arena_mark(f->arena);
  bool *is_bound;
  PfStatus status = pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(is_bound, n));
  if (status == PF_OK) status = pf_qr_make(f->ctx, f->arena, m, n, &qr);
  if (status == PF_OK) {
    memcpy(f->matrix, rows, (size_t)m*(size_t)n*sizeof *rows);
    for (int i = 0; unit && i < m; i++) {
      double *row = f->matrix + (size_t)i*(size_t)n, size = row_size(f, row);
      for (int j = 0; j < n && size > 0; j++) row[j] *= unit[j]/size;
    }
    pf_scale_columns(f->matrix, m, n, weight);
    status = pf_qr_factor(&qr, f->matrix, 1e-9);
    if (status != PF_OK) pf_fail(f->ctx, status, "the constraints are not finite here");
  }
  if (status == PF_OK) {
    int frees = 0;
    *bounds = 0;
    for (int k = 0; k < qr.rank; k++) is_bound[qr.order[k]] = true;
    for (int j = 0; j < n; j++) {
      if (is_bound[j]) bound[(*bounds)++] = j;
      else free[frees++] = j;
    }
  }
  pf_arena_release(f->arena, mark);
  return status;
}

/* Weights 1, 30 for unknowns to avoid, 1000 for those that must be dependent if any can, 1/1000 for held ones. They
 * stay well inside the tolerance of the rank. Velocities that are not in the kinetic energy, as a rule of first-order
 * states, are rather dependent, too. */
static PfStatus choose(PfDynamics *f, const bool *avoid, double *weight)
{
  const size_t n = (size_t)f->n;
  for (int j = 0; j < f->n; j++) weight[j] = f->held && f->held[j] ? 1e-3 : f->model->coordinates[j].contact ? 1000 : 1;
  PF_TRY(split(f, f->phi_q, f->np, f->n, weight, f->y, f->y_dependent, &f->y_dependents));
  f->ny = f->n - f->y_dependents;
  if (f->speeds) {
    f->nj = f->nw, f->w_dependents = 0;
    for (int j = 0; j < f->nw; j++) f->w[j] = j;
    return PF_OK;
  }
  for (size_t j = 0; j < n; j++) {
    if (avoid && avoid[j] && weight[j] < 30) weight[j] = 30;
    if (f->eq->M && pf_expr_is_structural_zero(f->ctx, f->eq->M[j*n + j])) weight[j] = 1000;
  }
  for (int k = 0; k < f->y_dependents; k++) weight[f->y_dependent[k]] = 1000;
  PF_TRY(split(f, f->psi_w, f->nv, f->n, weight, f->w, f->w_dependent, &f->w_dependents));
  f->nj = f->n - f->w_dependents;
  return PF_OK;
}

/* Factors the columns of the dependent unknowns of a level, which every solution needs, and finds how firmly these are
 * held: the weakest pivot of their columns over the longest column of all. A row that hardly contains them any more
 * counts there as it is: in units of its own it would seem to hold them. */
static PfStatus factor_columns(PfDynamics *f, const double *rows, int m, const int *columns, int count, int level)
{
  PfQr *qr = level ? &f->velocity_qr : &f->position_qr, *as_is = qr;
  const double *size = pf_solver_row_sizes(f->solver);
  const int *row = level ? f->velocity_row : f->position_row;
  PfAlike *units = &f->level_units[level];
  for (int i = 0; i < m*count; i++) f->matrix[i] = rows[i/count*f->n + columns[i%count]];
  units->given = uses_typical_sizes(f, m, count);
  for (int i = 0; i < m && units->given; i++) units->row[i] = binary(size[row[i]]);
  for (int k = 0; k < count && units->given; k++) units->column[k] = 1;
  if (pf_alike_factor(units, qr, f->matrix, 1e-12) != PF_OK)
    return pf_fail(f->ctx, PF_ERR_NUMBER, "the constraints are not finite here");
  if (units->scaled) {
    as_is = &f->hold_qr;
    as_is->m = m, as_is->n = count;
    for (int i = 0; i < m*count; i++) f->matrix[i] = rows[i/count*f->n + columns[i%count]];
    PF_TRY(pf_qr_factor(as_is, f->matrix, 0));
  }
  double weakest = INFINITY, longest = 0;
  for (size_t k = 0; k < (size_t)as_is->rank; k++)
    weakest = fmin(weakest, fabs(as_is->R[k*(size_t)m + k])*as_is->scale);
  for (int j = 0; j < f->n; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += rows[i*f->n + j]*rows[i*f->n + j];
    longest = fmax(longest, sqrt(sum));
  }
  f->hold[level] = as_is->rank ? weakest/longest : 1;
  if (qr->rank == count) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the constraints leave '%s' open here, or lose rank",
                 f->model->coordinates[columns[qr->order[qr->rank]]].name);
}

/* Factors of both levels; velocities by speeds need none. */
static PfStatus factor_levels(PfDynamics *f)
{
  PF_TRY(factor_columns(f, f->phi_q, f->np, f->y_dependent, f->y_dependents, 0));
  if (f->speeds) return PF_OK;
  return factor_columns(f, f->psi_w, f->nv, f->w_dependent, f->w_dependents, 1);
}

/* Chooses independent coordinates and velocities where the field is, factors the others, and notes how firmly they are
 * held: charts are changed when that becomes much less. */
static PfStatus chart(PfDynamics *f, const bool *avoid)
{
  run_levels(f);
  PF_TRY(choose(f, avoid, f->weight));
  f->position_qr.n = f->y_dependents; /* there is room for as many as there are rows */
  if (!f->speeds) f->velocity_qr.n = f->w_dependents;
  PF_TRY(factor_levels(f));
  memcpy(f->chosen_hold, f->hold, sizeof f->hold);
  return PF_OK;
}

/* Of a field with a system in units of its own both get a chart; only that one must have one. */
PfStatus pf_dynamics_chart(PfDynamics *f, const bool *avoid)
{
  if (!f->natural) return chart(f, avoid);
  PF_TRY(pf_dynamics_chart_natural(f, avoid));
  const int before = pf_diagnostic_count(f->ctx); /* there may not be one in SI units: that is not a failure */
  PfStatus status = chart(f, avoid);
  return pf_end_attempt(f->ctx, before, status);
}

/* A list that may be empty, with no room. */
static void copy(int *to, const int *from, int count)
{
  if (count) memcpy(to, from, (size_t)count*sizeof *to);
}

/* Four lists of indices and the two numbers of factor_columns. */
PfStatus pf_dynamics_keep_chart(const PfDynamics *f, PfArena *arena, PfChartChoice *c)
{
  *c = (PfChartChoice){f->ny, f->nj, f->y_dependents, f->w_dependents, .hold = {f->chosen_hold[0], f->chosen_hold[1]}};
  PF_TRY(pf_arrays(f->ctx, arena, "the vector field", PF_ROOM(c->y, c->ny), PF_ROOM(c->y_dependent, c->y_dependents),
                   PF_ROOM(c->w, c->nj), PF_ROOM(c->w_dependent, c->w_dependents)));
  copy(c->y, f->y, c->ny);
  copy(c->y_dependent, f->y_dependent, c->y_dependents);
  copy(c->w, f->w, c->nj);
  copy(c->w_dependent, f->w_dependent, c->w_dependents);
  return PF_OK;
}

/* The factors belong to another place until pf_dynamics_go. */
void pf_dynamics_use_chart(PfDynamics *f, const PfChartChoice *c)
{
  f->ny = c->ny, f->nj = c->nj, f->y_dependents = c->y_dependents, f->w_dependents = c->w_dependents;
  copy(f->y, c->y, c->ny);
  copy(f->y_dependent, c->y_dependent, c->y_dependents);
  copy(f->w, c->w, c->nj);
  copy(f->w_dependent, c->w_dependent, c->w_dependents);
  f->position_qr.n = f->y_dependents;
  if (!f->speeds) f->velocity_qr.n = f->w_dependents;
  memcpy(f->chosen_hold, c->hold, sizeof f->chosen_hold);
}

/* Degrees of freedom by positions plus those by velocities: for nonholonomic systems ny > nj. */
int pf_dynamics_size(const PfDynamics *f)
{
  return f->ny + f->nj;
}

/* "theta", "theta'", or the name of a speed; "?" without memory. */
const char *pf_dynamics_name(const PfDynamics *f, PfArena *arena, int k)
{
  const PfModel *model = f->model;
  if (k < f->ny) return model->coordinates[f->y[k]].name;
  int j = f->w[k - f->ny];
  if (f->speeds) return model->speeds[j].name;
  const char *text = pf_arena_print(arena, "%s'", model->coordinates[j].name);
  return text ? text : "?";
}

/* ---------------------------------------------------------------- moving */

/* The independent numbers of field->full, coordinates first. */
void pf_dynamics_get(const PfDynamics *f, double *x)
{
  for (int k = 0; k < f->ny; k++) x[k] = f->full[f->at_q + f->y[k]];
  for (int k = 0; k < f->nj; k++) x[f->ny + k] = f->full[f->at_w + f->w[k]];
}

/* Rounding error of a residual of size 1. */
static const double ROUNDING = 1e-11;

/* The largest residual of the rows, each in parts of its elements where these are large, or of its terms in doubles: so
 * is its rounding then. Elements times x, the coordinates or velocities that belong to them, stand for the terms, also
 * for a constant, which they balance; they count so much that ROUNDING is what they leave of the residual. */
static double largest(const PfDynamics *f, const double *residual, const double *rows, const double *x, int count,
                      int *where)
{
  const double digits = 16*DBL_EPSILON/ROUNDING;
  double most = 0;
  *where = 0;
  for (int i = 0; i < count; i++) {
    const double *row = rows + (size_t)i*(size_t)f->n;
    double term = 0;
    for (int j = 0; j < f->n; j++) term = fmax(term, fabs(row[j]*x[j]));
    double size = fabs(residual[i])/fmax(1, fmax(row_size(f, row), digits*term));
    if (!(size <= most)) most = isnan(size) ? INFINITY : size, *where = i;
  }
  return most;
}

/* One level while it is solved: the dependent coordinates (level 0) or velocities (level 1). */
typedef struct Dependents {
  PfDynamics *f;
  int level, rows, count, worst;
  const int *columns;
  double *x; /* all coordinates or velocities */
} Dependents;

/* PfNewton's residual of a level: its constraints at the present dependent unknowns, by `largest`. */
static PfStatus dependents_residual(void *user, PfResidualNorm *norm)
{
  Dependents *d = user;
  PfDynamics *f = d->f;
  for (int c = 0; c < d->count; c++) d->x[d->columns[c]] = f->unknown[c];
  run_levels(f);
  norm->size = norm->merit = d->level ? largest(f, f->psi, f->psi_w, d->x, d->rows, &d->worst)
                                      : largest(f, f->phi, f->phi_q, d->x, d->rows, &d->worst);
  return PF_OK;
}

/* PfNewton's step. Constraints of position may have several solutions: a long step would lead to one far away. */
static PfStatus dependents_step(void *user, bool fresh, double *length)
{
  const Dependents *d = user;
  PfDynamics *f = d->f;
  const double *residual = d->level ? f->psi : f->phi;
  double longest = 0;
  (void)fresh, (void)length;
  PF_TRY(factor_columns(f, d->level ? f->psi_w : f->phi_q, d->rows, d->columns, d->count, d->level));
  for (int i = 0; i < d->rows; i++) f->right[i] = -residual[i];
  pf_alike_solve(&f->level_units[d->level], d->level ? &f->velocity_qr : &f->position_qr, f->right, f->step);
  for (int c = 0; c < d->count && !d->level; c++)
    longest = fmax(longest, fabs(f->step[c])/(1 + fabs(d->x[d->columns[c]])));
  for (int c = 0; c < d->count && longest > 0.5; c++) f->step[c] *= 0.5/longest;
  return PF_OK;
}

/* Solves a level for its dependent unknowns, until rounding. */
static PfStatus settle(PfDynamics *f, int level)
{
  const PfNewtonPolicy policy = {.iterations = 40, .enough = 1e-15, .rounding = ROUNDING, .stall = 0.5, .patience = 8};
  Dependents d = {.f = f, .level = level, .rows = level ? f->nv : f->np,
                  .count = level ? f->w_dependents : f->y_dependents,
                  .columns = level ? f->w_dependent : f->y_dependent, .x = f->full + (level ? f->at_w : f->at_q)};
  const PfNewton newton = {.user = &d, .n = d.count, .x = f->unknown, .step = f->step, .residual = dependents_residual,
                           .solve = dependents_step};
  PfNewtonResult result = {0};
  for (int c = 0; c < d.count; c++) f->unknown[c] = d.x[d.columns[c]];
  if (pf_newton(&newton, &policy, &result) == PF_NEWTON_FAILED) return result.status;
  if (result.norm <= policy.rounding) return PF_OK;
  const int row = level ? f->velocity_row[d.worst] : f->position_row[d.worst];
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the constraint '%s' cannot be satisfied for these independent %s",
                 f->model->constraints[row].name, level ? "velocities" : "coordinates");
}

/* Residual and Jacobian of the constraints of position, for pf_gauss_newton over all coordinates. */
static PfStatus positions(void *user, const double *x, double *r, double *J)
{
  PfDynamics *f = user;
  memcpy(f->full + f->at_q, x, (size_t)f->n*sizeof *x);
  run_levels(f);
  memcpy(r, f->phi, (size_t)f->np*sizeof *r);
  if (J) memcpy(J, f->phi_q, (size_t)f->np*(size_t)f->n*sizeof *J);
  return PF_OK;
}

/* By Gauss and Newton's method for phi(q) = 0. Only coordinates change; velocities and accelerations are those of
 * before. */
PfStatus pf_dynamics_project(PfDynamics *f, const double *weight)
{
  PfGaussNewtonOptions options = {.tolerance = 1e-11, .iterations = 30, .weight = weight};
  PfGaussNewtonResult result;
  if (!f->np) return PF_OK;
  memcpy(f->unknown, f->full + f->at_q, (size_t)f->n*sizeof *f->unknown);
  return pf_gauss_newton(f->ctx, positions, f, f->np, f->n, f->unknown, &options, &result);
}

/* Evaluates the levels, factors the columns of the chart, and solves for accelerations and multipliers. Counts as one
 * evaluation of the field. */
PfStatus pf_dynamics_refresh(PfDynamics *f)
{
  f->evaluations++;
  run_levels(f);
  sync_velocities(f);
  PF_TRY(factor_levels(f));
  PF_TRY(accelerate(f));
  f->factored = false;
  return PF_OK;
}

/* Two systems of equations are solved, phi(q) = 0 for the dependent coordinates and psi(q, w) = 0 for the dependent
 * velocities, from where the field was: of several solutions the one next to that is found. */
PfStatus pf_dynamics_go(PfDynamics *f, const double *x)
{
  PF_TRY(pf_check_cancelled(f->ctx));
  for (int k = 0; k < f->ny; k++) f->full[f->at_q + f->y[k]] = x[k];
  for (int k = 0; k < f->nj; k++) f->full[f->at_w + f->w[k]] = x[f->ny + k];
  PF_TRY(settle(f, 0));
  PF_TRY(settle(f, 1));
  return pf_dynamics_refresh(f);
}

/* Components of coordinates are their velocities, those of velocities or speeds their accelerations. */
void pf_dynamics_rate(const PfDynamics *f, double *rate)
{
  for (int k = 0; k < f->ny; k++) rate[k] = f->rate[f->y[k]];
  for (int k = 0; k < f->nj; k++) rate[f->ny + k] = f->full[f->at_a + f->w[k]];
}
