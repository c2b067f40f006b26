/* SPDX-License-Identifier: Apache-2.0 */
/* Projection on the constraints: Newton steps of least length in the metric of the mass matrix. */
#include "time/manifold.h"

#include "num/newton.h"

#include <math.h>
#include <string.h>

static PfStatus make_tape(PfContext *ctx, PfArena *arena, PfManifold *f)
{
  const PfEquations *eq = pf_system_equations(f->system);
  const PfModel *model = eq->model;
  size_t n = (size_t)f->n, m = (size_t)f->m;
  PfExpr *roots = pf_arena_array(arena, PfExpr, n*n + m + m*n + m + m*n), zero = pf_expr_int(ctx, 0);
  f->row = pf_arena_array(arena, int, m);
  if (!roots || !f->row) return pf_no_room(ctx, "the constraints");
  size_t at = n*n;
  memcpy(roots, eq->M, n*n*sizeof *roots);
  for (size_t k = 0; k < m; k++)
    if (eq->position[k] != PF_EXPR_NONE) f->row[f->positions++] = (int)k, roots[at++] = eq->position[k];
  for (int k = 0; k < f->positions; k++, at += n)
    memcpy(roots + at, eq->A + (size_t)f->row[k]*n, n*sizeof *roots);
  for (size_t k = 0; k < m; k++) roots[at++] = eq->velocity[k] == PF_EXPR_NONE ? zero : eq->velocity[k];
  for (size_t k = 0; k < m; k++, at += n)
    for (size_t j = 0; j < n; j++) roots[at + j] = eq->velocity[k] == PF_EXPR_NONE ? zero : eq->A[k*n + j];
  PF_TRY(pf_insert_inputs(ctx, model, roots, at));
  const PfSymbols *in = pf_system_symbols(f->system);
  PF_TRY(pf_tape_new(ctx, in->symbol, in->count, roots, (int)at, &f->tape));
  f->work = pf_arena_array(arena, double, pf_tape_work_size(f->tape));
  f->out = pf_arena_array(arena, double, at);
  if (!f->work || !f->out) return pf_no_room(ctx, "the constraints");
  f->M = f->out;
  f->phi = f->M + n*n;
  f->slope = f->phi + f->positions;
  f->psi = f->slope + (size_t)f->positions*n;
  f->A = f->psi + m;
  return PF_OK;
}

PfStatus pf_manifold_make(PfContext *ctx, PfArena *arena, const PfSystem *system, PfManifold *f)
{
  const PfEquations *eq = pf_system_equations(system);
  *f = (PfManifold){.system = system, .n = eq->n, .m = eq->m};
  PF_TRY(make_tape(ctx, arena, f));
  f->B = pf_arena_array(arena, double, (size_t)f->m*(size_t)f->n);
  f->step = pf_arena_array(arena, double, f->n);
  f->right = pf_arena_array(arena, double, f->m);
  f->scaled = pf_arena_array(arena, double, f->n);
  f->square = pf_arena_array(arena, double, f->m);
  f->length = pf_arena_array(arena, double, f->m);
  f->kept = pf_arena_array(arena, double, 2*(size_t)f->n + 1);
  if (!f->B || !f->step || !f->right || !f->scaled || !f->square || !f->length || !f->kept)
    return pf_no_room(ctx, "the constraints");
  PF_TRY(pf_ldl_make(ctx, arena, f->n, &f->mass));
  PF_TRY(pf_qr_make(ctx, arena, f->positions, f->n, &f->position_qr));
  return pf_qr_make(ctx, arena, f->m, f->n, &f->velocity_qr);
}

void pf_manifold_release(PfManifold *f)
{
  pf_tape_free(f->tape);
  f->tape = NULL;
}

double pf_manifold_residual(PfManifold *f, const double *values, PfLevel level, int *row)
{
  pf_tape_run(f->tape, values, f->out, f->work);
  bool position = level == PF_LEVEL_POSITION;
  const double *miss = position ? f->phi : f->psi;
  double largest = 0;
  int which = -1;
  for (int i = 0; i < (position ? f->positions : f->m); i++)
    if (!(fabs(miss[i]) <= largest)) largest = fabs(miss[i]), which = i;
  if (row) *row = which < 0 ? -1 : position ? f->row[which] : which;
  return largest;
}

/* The metric where the mass matrix is singular: its diagonal, with 1 where that vanishes. */
static void weigh(const PfManifold *f, const double *slope, int rows, double *B)
{
  int n = f->n;
  for (int j = 0; j < n; j++) {
    double mass = f->M[j*n + j];
    f->scaled[j] = mass > 0 ? 1/sqrt(mass) : 1;
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      B[(size_t)i*(size_t)n + (size_t)j] = slope[(size_t)i*(size_t)n + (size_t)j]*f->scaled[j];
}

/* B = J T, M^-1 = T T^T (see udwadia_kalaba.c). */
static void to_metric(const PfManifold *f, const double *slope, int rows, double *B)
{
  int n = f->n;
  for (int i = 0; i < rows; i++) {
    double *row = B + (size_t)i*(size_t)n;
    for (int j = 0; j < n; j++) {
      double sum = slope[i*n + f->mass.order[j]];
      for (int k = 0; k < j; k++) sum -= f->mass.L[j*n + k]*row[k];
      row[j] = sum;
    }
    for (int j = 0; j < n; j++) row[j] /= sqrt(f->mass.L[j*n + j]);
  }
}

/* x = T y; y is changed. */
static void from_metric(const PfManifold *f, double *y, double *x)
{
  int n = f->n;
  for (int j = n; j-- > 0;) {
    double sum = y[j]/sqrt(f->mass.L[j*n + j]);
    for (int k = j + 1; k < n; k++) sum -= f->mass.L[k*n + j]*y[k];
    y[j] = sum;
    x[f->mass.order[j]] = sum;
  }
}

/* y = B^+ r, each row in its unit. */
static void solve(PfManifold *f, int rows, const int *row, PfQr *qr, double *y)
{
  int n = f->n;
  for (int i = 0; i < rows; i++) {
    double square = f->square[row ? row[i] : i], unit = square > 0 ? 1/sqrt(square) : 1;
    for (int j = 0; j < n; j++) f->B[i*n + j] *= unit;
    f->right[i] *= unit;
  }
  (void)pf_qr_factor(qr, f->B, PF_RANK_TOLERANCE);
  pf_qr_solve(qr, f->right, y);
}

/* Least length in the full metric: y = B^+ r, then the step is T y. */
static void full_metric(PfManifold *f, const double *slope, int rows, const int *row, PfQr *qr)
{
  to_metric(f, slope, rows, f->B);
  solve(f, rows, row, qr, f->scaled);
  from_metric(f, f->scaled, f->step);
}

static bool is_regular(PfManifold *f)
{
  return pf_ldl_factor(&f->mass, f->M, 0) == PF_OK && f->mass.rank == f->n;
}

const double *pf_manifold_rows(PfManifold *f, const double *values)
{
  pf_tape_run(f->tape, values, f->out, f->work);
  if (is_regular(f)) to_metric(f, f->A, f->m, f->B);
  else weigh(f, f->A, f->m, f->B);
  for (int i = 0; i < f->m; i++) f->length[i] = pf_norm(f->B + (size_t)i*(size_t)f->n, f->n);
  return f->B;
}

/* Noise of a linear congruential generator. */
double pf_manifold_blur(double x, unsigned *noise)
{
  *noise = *noise*1664525u + 1013904223u;
  return x + 0.02*((*noise >> 16)/65536.0 - 0.5)*(1 + fabs(x));
}

static void keep_lengths(PfManifold *f, const double *values, double part)
{
  (void)pf_manifold_rows(f, values);
  for (int i = 0; i < f->m; i++) {
    double length = part*f->length[i];
    if (isfinite(length)) f->square[i] = fmax(f->square[i], length*length);
  }
}

void pf_manifold_measure(PfManifold *f, double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  size_t N = 2*(size_t)f->n;
  double *y = values + in->q, *t = values + in->time; /* q, then v */
  unsigned noise = 3;
  memcpy(f->kept, y, N*sizeof *y);
  f->kept[N] = *t;
  keep_lengths(f, values, 1);
  for (int trial = 0; trial < 3; trial++) {
    for (size_t i = 0; i < N; i++) y[i] = pf_manifold_blur(f->kept[i], &noise);
    *t = pf_manifold_blur(f->kept[N], &noise);
    keep_lengths(f, values, 0.1);
  }
  memcpy(y, f->kept, N*sizeof *y);
  *t = f->kept[N];
}

/* ---------------------------------------------------------------- the metric of what may move */

bool pf_manifold_metric(PfManifold *f, const bool *held, double *M)
{
  size_t n = (size_t)f->n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) M[i*n + j] = held[i] || held[j] ? i == j : f->M[i*n + j];
  return pf_ldl_factor(&f->mass, M, 0) == PF_OK && f->mass.rank == f->n;
}

void pf_manifold_to_metric(const PfManifold *f, bool regular, const double *rows, int count, double *out)
{
  if (regular) to_metric(f, rows, count, out);
  else weigh(f, rows, count, out);
}

void pf_manifold_from_metric(const PfManifold *f, bool regular, double *y, double *x)
{
  if (regular) from_metric(f, y, x);
  for (int j = 0; !regular && j < f->n; j++) x[j] = y[j]*f->scaled[j];
}

/* ---------------------------------------------------------------- onto the constraints */

typedef struct Descent {
  PfManifold *f;
  const double *values;
  PfLevel level;
} Descent;

static PfStatus find_residual(void *user, PfMiss *miss)
{
  const Descent *d = user;
  miss->size = miss->merit = pf_manifold_residual(d->f, d->values, d->level, NULL);
  return PF_OK;
}

/* The step of least mass-weighted length, with the residuals and slopes of the latest pf_manifold_residual. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  const Descent *d = user;
  PfManifold *f = d->f;
  bool position = d->level == PF_LEVEL_POSITION;
  int rows = position ? f->positions : f->m, n = f->n;
  PfQr *qr = position ? &f->position_qr : &f->velocity_qr;
  const int *row = position ? f->row : NULL;
  const double *slope = position ? f->slope : f->A, *miss = position ? f->phi : f->psi;
  (void)fresh, (void)length;
  if (pf_first_not_finite(slope, (size_t)rows*(size_t)n) >= 0) return PF_ERR_NUMBER;
  if (pf_first_not_finite(miss, (size_t)rows) >= 0) return PF_ERR_NUMBER;
  for (int i = 0; i < rows; i++) f->right[i] = -miss[i];
  if (is_regular(f)) {
    full_metric(f, slope, rows, row, qr);
  } else {
    weigh(f, slope, rows, f->B);
    solve(f, rows, row, qr, f->step);
    for (int j = 0; j < n; j++) f->step[j] *= f->scaled[j];
  }
  return PF_OK;
}

bool pf_manifold_project(PfManifold *f, double *values, PfLevel level, double enough)
{
  /* A few steps suffice: a step of the integrator misses by its error only. What does not halve is rounding. */
  const PfNewtonPolicy policy = {.iterations = 20, .enough = enough, .decrease = 0.5};
  const PfSymbols *in = pf_system_symbols(f->system);
  Descent descent = {f, values, level};
  const PfNewton newton = {.user = &descent, .n = f->n, .x = values + (level == PF_LEVEL_POSITION ? in->q : in->v),
                           .step = f->step, .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  (void)pf_newton(&newton, &policy, &result);
  return result.iterations > 0;
}
