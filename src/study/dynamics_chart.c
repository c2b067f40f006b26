/* SPDX-License-Identifier: Apache-2.0 */
/* Where a field is: the choice of independent coordinates and velocities, and the way from them to the full state. */
#include "study/dynamics.h"

#include "form/solver.h"
#include "num/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

static PfStatus factor_levels(PfDynamics *f);

static void run_levels(PfDynamics *f)
{
  pf_tape_run(f->levels, f->full, f->level_out, f->work);
}

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
static bool uses_usual_sizes(const PfDynamics *f, int rows, int independent)
{
  return independent < rows && pf_solver_row_sizes(f->solver);
}

static double binary(double size)
{
  return size > 0 ? pf_binary_scale(&size, 1) : 1;
}

static void give_motion_units(PfDynamics *f)
{
  const double *size = pf_solver_row_sizes(f->solver);
  PfAlike *units = &f->motion_units;
  double mass = 0;
  units->given = !f->speeds && f->ny + f->nj && uses_usual_sizes(f, f->nv, f->w_dependents);
  if (!units->given) return;
  for (int i = 0; i < f->n; i++) mass = fmax(mass, pf_largest(f->K + (size_t)i*(size_t)f->nz, f->nw));
  for (int i = 0; i < f->n; i++) units->row[i] = binary(mass);
  for (int k = 0; k < f->m; k++) units->row[f->n + k] = binary(size[k]);
  for (int j = 0; j < f->nw; j++) units->column[j] = 1;
  for (int k = 0; k < f->m; k++) units->column[f->nw + k] = binary(mass)/binary(size[k]);
}

/* As many rows of the constraints count as the chart has found independent: the rounding of the others is no further
 * constraint. */
static PfStatus leave_out_rounding(PfDynamics *f)
{
  PfQr *qr = &f->motion_qr;
  const int most = f->n + f->w_dependents;
  if (!f->motion_units.given || qr->rank <= most) return PF_OK;
  const double *R = qr->R, first = fabs(R[0]), next = fabs(R[(size_t)most*(size_t)qr->m + (size_t)most]);
  const double rounding = 1e-6;
  return first > 0 && next < rounding*first ? pf_qr_factor(qr, f->K, 2*next/first) : PF_OK;
}

PfStatus pf_dynamics_factor(PfDynamics *f)
{
  if (f->factored) return PF_OK;
  pf_tape_run(f->forces, f->full, f->K, f->work);
  give_motion_units(f);
  f->factored = pf_alike_factor(&f->motion_units, &f->motion_qr, f->K, 0) == PF_OK && leave_out_rounding(f) == PF_OK;
  if (f->factored) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the equations of motion are not finite here");
}

typedef struct Rates {
  PfDynamics *f;
  const double *v;
} Rates;

static PfStatus rates_residual(void *user, PfMiss *miss)
{
  const Rates *r = user;
  PfDynamics *f = r->f;
  miss->size = 0;
  run_levels(f);
  for (int i = 0; i < f->n; i++) {
    f->right[i] = r->v[i] - f->rate[i];
    miss->size = fmax(miss->size, fabs(f->right[i])/(1 + fabs(r->v[i])));
  }
  miss->merit = miss->size;
  return PF_OK;
}

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

/* The speeds that belong to the velocities: least squares of v = rate, which is linear in them (or Newton). */
static PfStatus find_speeds(PfDynamics *f, const double *v)
{
  const PfNewtonPolicy policy = {.iterations = 20, .enough = 1e-13, .shortest = 1e-15, .patience = 20};
  Rates rates = {f, v};
  const PfNewton newton = {.user = &rates, .n = f->nw, .x = f->full + f->at_w, .step = f->step,
                           .residual = rates_residual, .solve = rates_step};
  PfNewtonResult result = {0};
  return pf_newton(&newton, &policy, &result) == PF_NEWTON_FAILED ? result.status : PF_OK;
}

static PfStatus make_factors(PfDynamics *f)
{
  if (f->motion_qr.R) return PF_OK;
  f->weight = pf_arena_array(f->arena, double, f->n);
  if (!f->weight) return pf_no_room(f->ctx, "the vector field");
  PF_TRY(pf_qr_make(f->ctx, f->arena, f->np, f->np < f->n ? f->np : f->n, &f->position_qr));
  PF_TRY(f->speeds ? pf_qr_make(f->ctx, f->arena, f->n, f->nw, &f->velocity_qr)
                   : pf_qr_make(f->ctx, f->arena, f->nv, f->nv < f->n ? f->nv : f->n, &f->velocity_qr));
  const int rows = f->np > f->nv ? f->np : f->nv;
  PF_TRY(pf_qr_make(f->ctx, f->arena, rows, rows < f->n ? rows : f->n, &f->hold_qr));
  PF_TRY(pf_alike_make(f->ctx, f->arena, f->np, f->np < f->n ? f->np : f->n, &f->level_units[0]));
  PF_TRY(pf_alike_make(f->ctx, f->arena, f->nv, f->nv < f->n ? f->nv : f->n, &f->level_units[1]));
  PF_TRY(pf_alike_make(f->ctx, f->arena, f->nr, f->nz, &f->motion_units));
  return pf_qr_make(f->ctx, f->arena, f->nr, f->nz, &f->motion_qr); /* the last: its presence says that all are there */
}

double pf_dynamics_residual(PfDynamics *f, const double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  double most = 0;
  if (f->speeds) return INFINITY; /* nobody can tell without the speeds */
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

PfStatus pf_dynamics_place(PfDynamics *f, const double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  memcpy(f->full, values, (size_t)in->count*sizeof *values);
  PF_TRY(make_factors(f));
  if (f->speeds) PF_TRY(find_speeds(f, values + in->v));
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

/* Rows and columns (m x n, in place) in units of their own where coordinates have units that differ much, as metres and
 * pascals do. These units are those of several states: what is small by position stays small. */
static void make_alike(const PfDynamics *f, double *rows, int m)
{
  const double *unit = pf_solver_units(f->solver);
  for (int i = 0; unit && i < m; i++) {
    double *row = rows + (size_t)i*(size_t)f->n, size = row_size(f, row);
    for (int j = 0; j < f->n && size > 0; j++) row[j] *= unit[j]/size;
  }
}

/* Splits the columns of rows (m x n) into dependent ones, as many as the rank, and the others in ascending order. A
 * column with a larger weight is rather dependent. */
static PfStatus split(PfDynamics *f, const double *rows, int m, int n, const double *weight, int *free, int *bound,
                      int *bounds)
{
  PfQr qr;
  PfMark mark = pf_arena_mark(f->arena);
  bool *is_bound = pf_arena_array(f->arena, bool, n);
  PfStatus status = is_bound ? pf_qr_make(f->ctx, f->arena, m, n, &qr) : pf_no_room(f->ctx, "the vector field");
  if (status == PF_OK) {
    memcpy(f->matrix, rows, (size_t)m*(size_t)n*sizeof *rows);
    make_alike(f, f->matrix, m);
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

/* Nothing in the kinetic energy contains the velocity of the coordinate: a first-order state, as a rule. */
static bool is_massless(const PfDynamics *f, int j)
{
  return f->eq->M && pf_expr_is_structural_zero(f->ctx, f->eq->M[(size_t)j*(size_t)f->n + (size_t)j]);
}

/* Weights 1, 30 for what is avoided, 1000 for what must be dependent if anything can, 1/1000 for what is held. They
 * stay well inside the tolerance of the rank. */
static PfStatus choose(PfDynamics *f, const bool *avoid, double *weight)
{
  for (int j = 0; j < f->n; j++) weight[j] = f->held && f->held[j] ? 1e-3 : f->model->coordinates[j].contact ? 1000 : 1;
  PF_TRY(split(f, f->phi_q, f->np, f->n, weight, f->y, f->y_dependent, &f->y_dependents));
  f->ny = f->n - f->y_dependents;
  if (f->speeds) {
    f->nj = f->nw, f->w_dependents = 0;
    for (int j = 0; j < f->nw; j++) f->w[j] = j;
    return PF_OK;
  }
  for (int j = 0; avoid && j < f->n; j++)
    if (avoid[j] && weight[j] < 30) weight[j] = 30;
  for (int j = 0; j < f->n; j++)
    if (is_massless(f, j)) weight[j] = 1000;
  for (int k = 0; k < f->y_dependents; k++) weight[f->y_dependent[k]] = 1000;
  PF_TRY(split(f, f->psi_w, f->nv, f->n, weight, f->w, f->w_dependent, &f->w_dependents));
  f->nj = f->n - f->w_dependents;
  return PF_OK;
}

/* The weakest pivot of the dependent columns over the longest column of all. */
static double hold_of(const PfDynamics *f, const double *rows, int m, const PfQr *qr)
{
  double weakest = INFINITY, longest = 0;
  for (int k = 0; k < qr->rank; k++) weakest = fmin(weakest, fabs(qr->R[(size_t)k*(size_t)m + (size_t)k])*qr->scale);
  for (int j = 0; j < f->n; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += rows[i*f->n + j]*rows[i*f->n + j];
    longest = fmax(longest, sqrt(sum));
  }
  return qr->rank ? weakest/longest : 1;
}

static void take_dependent(PfDynamics *f, const double *rows, int m, const int *columns, int count)
{
  for (int i = 0; i < m; i++)
    for (int k = 0; k < count; k++) f->matrix[i*count + k] = rows[i*f->n + columns[k]];
}

/* How firmly the dependent unknowns are held. A row that hardly contains them any more counts as it is: in units of its
 * own it would seem to hold them. */
static PfStatus find_hold(PfDynamics *f, const double *rows, int m, const int *columns, int count, int level)
{
  const PfQr *qr = level ? &f->velocity_qr : &f->position_qr;
  if (f->level_units[level].scaled) {
    f->hold_qr.m = m, f->hold_qr.n = count;
    take_dependent(f, rows, m, columns, count);
    PF_TRY(pf_qr_factor(&f->hold_qr, f->matrix, 0));
    qr = &f->hold_qr;
  }
  f->hold[level] = hold_of(f, rows, m, qr);
  return PF_OK;
}

static void give_level_units(PfDynamics *f, int m, int count, int level)
{
  const double *size = pf_solver_row_sizes(f->solver);
  const int *row = level ? f->velocity_row : f->position_row;
  PfAlike *units = &f->level_units[level];
  units->given = uses_usual_sizes(f, m, count);
  for (int i = 0; i < m && units->given; i++) units->row[i] = binary(size[row[i]]);
  for (int k = 0; k < count && units->given; k++) units->column[k] = 1;
}

/* Factors the columns of the dependent unknowns: what every solution needs. */
static PfStatus factor_columns(PfDynamics *f, const double *rows, int m, const int *columns, int count, int level)
{
  PfQr *qr = level ? &f->velocity_qr : &f->position_qr;
  take_dependent(f, rows, m, columns, count);
  give_level_units(f, m, count, level);
  if (pf_alike_factor(&f->level_units[level], qr, f->matrix, 1e-12) != PF_OK)
    return pf_fail(f->ctx, PF_ERR_NUMBER, "the constraints are not finite here");
  PF_TRY(find_hold(f, rows, m, columns, count, level));
  if (qr->rank == count) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the constraints leave '%s' open here, or lose rank",
                 f->model->coordinates[columns[qr->order[qr->rank]]].name);
}

static PfStatus factor_levels(PfDynamics *f)
{
  PF_TRY(factor_columns(f, f->phi_q, f->np, f->y_dependent, f->y_dependents, 0));
  if (f->speeds) return PF_OK;
  return factor_columns(f, f->psi_w, f->nv, f->w_dependent, f->w_dependents, 1);
}

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

PfStatus pf_dynamics_chart(PfDynamics *f, const bool *avoid)
{
  if (!f->natural) return chart(f, avoid);
  PF_TRY(pf_dynamics_chart_natural(f, avoid));
  const int before = pf_diagnostic_count(f->ctx); /* in SI units there may be none: that is no failure */
  PfStatus status = chart(f, avoid);
  if (pf_is_final(status)) return status;
  pf_diagnostics_cut(f->ctx, before);
  return PF_OK;
}

static void copy(int *to, const int *from, int count)
{
  if (count) memcpy(to, from, (size_t)count*sizeof *to);
}

PfStatus pf_dynamics_keep_chart(const PfDynamics *f, PfArena *arena, PfChartChoice *c)
{
  *c = (PfChartChoice){f->ny, f->nj, f->y_dependents, f->w_dependents, .hold = {f->chosen_hold[0], f->chosen_hold[1]}};
  c->y = pf_arena_array(arena, int, c->ny), c->y_dependent = pf_arena_array(arena, int, c->y_dependents);
  c->w = pf_arena_array(arena, int, c->nj), c->w_dependent = pf_arena_array(arena, int, c->w_dependents);
  if (!c->y || !c->y_dependent || !c->w || !c->w_dependent) return pf_no_room(f->ctx, "the vector field");
  copy(c->y, f->y, c->ny);
  copy(c->y_dependent, f->y_dependent, c->y_dependents);
  copy(c->w, f->w, c->nj);
  copy(c->w_dependent, f->w_dependent, c->w_dependents);
  return PF_OK;
}

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

int pf_dynamics_size(const PfDynamics *f)
{
  return f->ny + f->nj;
}

const char *pf_dynamics_name(const PfDynamics *f, PfArena *arena, int k)
{
  const PfModel *model = f->model;
  if (k < f->ny) return model->coordinates[f->y[k]].name;
  int j = f->w[k - f->ny];
  if (f->speeds) return model->speeds[j].name;
  const char *name = model->coordinates[j].name;
  size_t room = strlen(name) + 2;
  char *text = pf_arena_alloc(arena, room, 1);
  if (text) snprintf(text, room, "%s'", name);
  return text ? text : "?";
}

/* ---------------------------------------------------------------- moving */

void pf_dynamics_get(const PfDynamics *f, double *x)
{
  for (int k = 0; k < f->ny; k++) x[k] = f->full[f->at_q + f->y[k]];
  for (int k = 0; k < f->nj; k++) x[f->ny + k] = f->full[f->at_w + f->w[k]];
}

/* What rounding may leave of a residual of size 1. */
static const double ROUNDING = 1e-11;

/* The size of which ROUNDING is what the terms of a row leave of its residual in doubles: its elements times x stand
 * for the terms, also for a constant, which they balance. */
static double size_of_terms(const PfDynamics *f, const double *row, const double *x)
{
  const double digits = 16*DBL_EPSILON/ROUNDING;
  double most = 0;
  for (int j = 0; j < f->n; j++) most = fmax(most, fabs(row[j]*x[j]));
  return digits*most;
}

/* The largest residual of the rows, each in parts of its elements where these are large, or of its terms: so is its
 * rounding then. x: the coordinates or velocities that belong to the elements. */
static double largest(const PfDynamics *f, const double *residual, const double *rows, const double *x, int count,
                      int *where)
{
  double most = 0;
  *where = 0;
  for (int i = 0; i < count; i++) {
    const double *row = rows + (size_t)i*(size_t)f->n;
    double size = fabs(residual[i])/fmax(1, fmax(row_size(f, row), size_of_terms(f, row, x)));
    if (!(size <= most)) most = isnan(size) ? INFINITY : size, *where = i;
  }
  return most;
}

/* Constraints of position may have several solutions: a long step would lead to one far away. */
static double shorten(const double *step, const double *x, const int *columns, int count)
{
  double longest = 0;
  for (int c = 0; c < count; c++) longest = fmax(longest, fabs(step[c])/(1 + fabs(x[columns[c]])));
  return longest > 0.5 ? 0.5/longest : 1;
}

/* One level while it is solved: the dependent coordinates (level 0) or velocities (level 1). */
typedef struct Dependents {
  PfDynamics *f;
  int level, rows, count, worst;
  const int *columns;
  double *x; /* all coordinates or velocities */
} Dependents;

static PfStatus dependents_residual(void *user, PfMiss *miss)
{
  Dependents *d = user;
  PfDynamics *f = d->f;
  for (int c = 0; c < d->count; c++) d->x[d->columns[c]] = f->unknown[c];
  run_levels(f);
  miss->size = miss->merit = d->level ? largest(f, f->psi, f->psi_w, d->x, d->rows, &d->worst)
                                      : largest(f, f->phi, f->phi_q, d->x, d->rows, &d->worst);
  return PF_OK;
}

static PfStatus dependents_step(void *user, bool fresh, double *length)
{
  const Dependents *d = user;
  PfDynamics *f = d->f;
  const double *residual = d->level ? f->psi : f->phi;
  (void)fresh, (void)length;
  PF_TRY(factor_columns(f, d->level ? f->psi_w : f->phi_q, d->rows, d->columns, d->count, d->level));
  for (int i = 0; i < d->rows; i++) f->right[i] = -residual[i];
  pf_alike_solve(&f->level_units[d->level], d->level ? &f->velocity_qr : &f->position_qr, f->right, f->step);
  double share = d->level ? 1 : shorten(f->step, d->x, d->columns, d->count);
  for (int c = 0; c < d->count; c++) f->step[c] *= share;
  return PF_OK;
}

static PfStatus unsatisfied(const Dependents *d)
{
  const PfDynamics *f = d->f;
  const PfConstraint *c = f->model->constraints + (d->level ? f->velocity_row : f->position_row)[d->worst];
  return pf_fail(f->ctx, PF_ERR_NUMBER, "the constraint '%s' cannot be satisfied for these independent %s", c->name,
                 d->level ? "velocities" : "coordinates");
}

/* Until rounding. */
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
  return result.miss <= policy.rounding ? PF_OK : unsatisfied(&d);
}

static PfStatus positions(void *user, const double *x, double *r, double *J)
{
  PfDynamics *f = user;
  memcpy(f->full + f->at_q, x, (size_t)f->n*sizeof *x);
  run_levels(f);
  memcpy(r, f->phi, (size_t)f->np*sizeof *r);
  if (J) memcpy(J, f->phi_q, (size_t)f->np*(size_t)f->n*sizeof *J);
  return PF_OK;
}

PfStatus pf_dynamics_project(PfDynamics *f, const double *weight)
{
  PfGaussNewtonOptions options = {.tolerance = 1e-11, .iterations = 30, .weight = weight};
  PfGaussNewtonResult result;
  if (!f->np) return PF_OK;
  memcpy(f->unknown, f->full + f->at_q, (size_t)f->n*sizeof *f->unknown);
  return pf_gauss_newton(f->ctx, positions, f, f->np, f->n, f->unknown, &options, &result);
}

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

PfStatus pf_dynamics_go(PfDynamics *f, const double *x)
{
  PF_TRY(pf_check_cancelled(f->ctx));
  for (int k = 0; k < f->ny; k++) f->full[f->at_q + f->y[k]] = x[k];
  for (int k = 0; k < f->nj; k++) f->full[f->at_w + f->w[k]] = x[f->ny + k];
  PF_TRY(settle(f, 0));
  PF_TRY(settle(f, 1));
  return pf_dynamics_refresh(f);
}

void pf_dynamics_rate(const PfDynamics *f, double *rate)
{
  for (int k = 0; k < f->ny; k++) rate[k] = f->rate[f->y[k]];
  for (int k = 0; k < f->nj; k++) rate[f->ny + k] = f->full[f->at_a + f->w[k]];
}
