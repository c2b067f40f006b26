/* SPDX-License-Identifier: Apache-2.0 */
/* Projection on the constraints: Newton steps of least length in the metric of the mass matrix. Coordinates without
 * inertia follow from the constraints and do not share in the change of those with inertia. */
#include "time/manifold.h"

#include "form/solver.h"
#include "num/sparse.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- making it */

/* The outputs of the tapes: residuals, and the entries of M, of the Jacobian of the positions and of A that are not
 * zero at all times. */
typedef struct Lists {
  PfExpr *roots;
  int *place;     /* in the dense matrices, one after the other */
  PfEntry *entry; /* row and column in its matrix; of M the lower triangle */
  int count[3];   /* of each matrix */
} Lists;

static void list_matrix(const PfEquations *eq, Lists *l, int which, const PfExpr *matrix, int row, size_t offset)
{
  int n = eq->n, last = which == 0 ? row : n - 1, at = l->count[0] + l->count[1] + l->count[2];
  PfExpr zero = pf_expr_int(eq->model->ctx, 0);
  for (int j = 0; j <= last; j++) {
    if (matrix[j] == zero) continue;
    l->roots[at] = matrix[j];
    l->entry[at] = (PfEntry){row, j};
    l->place[at++] = (int)(offset + (size_t)row*(size_t)n + (size_t)j);
    l->count[which]++;
  }
}

static PfStatus make_tape(PfContext *ctx, PfArena *arena, const PfManifold *f, const PfExpr *roots, int count,
                          const PfTape **tape, double **work)
{
  PF_TRY(pf_shared_tape(pf_system_store(f->system), roots, count, tape));
  *work = pf_arena_array(arena, double, pf_tape_work_size(*tape));
  return *work ? PF_OK : pf_no_room(ctx, "the constraints");
}

static PfStatus make_residuals(PfContext *ctx, PfArena *arena, PfManifold *f)
{
  const PfEquations *eq = pf_system_equations(f->system);
  size_t m = (size_t)f->m;
  PfExpr *roots = pf_arena_array(arena, PfExpr, 2*m), zero = pf_expr_int(ctx, 0);
  f->row = pf_arena_array(arena, int, m);
  f->phi = pf_arena_array(arena, double, 2*m);
  if (!roots || !f->row || !f->phi) return pf_no_room(ctx, "the constraints");
  for (size_t k = 0; k < m; k++)
    if (eq->position[k] != PF_EXPR_NONE) f->row[f->positions] = (int)k, roots[f->positions++] = eq->position[k];
  for (size_t k = 0; k < m; k++)
    roots[(size_t)f->positions + k] = eq->velocity[k] == PF_EXPR_NONE ? zero : eq->velocity[k];
  f->psi = f->phi + f->positions;
  return make_tape(ctx, arena, f, roots, f->positions + f->m, &f->residuals, &f->residual_work);
}

/* One saddle point system for the positions, one for the velocities. */
static PfStatus make_saddles(PfContext *ctx, PfArena *arena, PfManifold *f, const Lists *l)
{
  const PfEntry *mass = l->entry, *position = mass + l->count[0], *velocity = position + l->count[1];
  if (!pf_saddle_is_large(f->n, f->m)) return PF_OK;
  PF_TRY(pf_saddle_make(ctx, arena, mass, l->count[0], velocity, l->count[2], f->n, f->m, PF_ROWS_LAST,
                        &f->saddle[1]));
  PF_TRY(pf_saddle_make(ctx, arena, mass, l->count[0], position, l->count[1], f->n, f->positions,
                        PF_ROWS_LAST, &f->saddle[0]));
  f->value = pf_arena_array(arena, double, l->count[0] + l->count[1] + l->count[2]);
  if (!f->value) return pf_no_room(ctx, "the constraints");
  f->sparse = pf_saddle_pays(&f->saddle[1]);
  return PF_OK;
}

static PfStatus make_slopes(PfContext *ctx, PfArena *arena, PfArena *scratch, PfManifold *f)
{
  const PfEquations *eq = pf_system_equations(f->system);
  const size_t n = (size_t)f->n, m = (size_t)f->m, positions = (size_t)f->positions;
  const PfExpr zero = pf_expr_int(ctx, 0);
  size_t most = f->in_bodies ? n : 0;
  for (size_t i = 0; i < n*n && !f->in_bodies; i++) most += eq->M[i] != zero;
  for (size_t i = 0; i < m*n; i++) most += 2*(size_t)(eq->A[i] != zero);
  Lists l = {pf_arena_array(scratch, PfExpr, most), pf_arena_array(scratch, int, most),
             pf_arena_array(scratch, PfEntry, most), {0}};
  if (!l.roots || !l.place || !l.entry) return pf_no_room(ctx, "the constraints");
  for (size_t i = 0; i < n; i++) {
    if (!f->in_bodies) {
      list_matrix(eq, &l, 0, eq->M + i*n, (int)i, 0);
      continue;
    }
    /* matrix-free equations have no M: changes are then small by themselves, each in its unit */
    int at = l.count[0]++;
    l.roots[at] = pf_expr_int(ctx, 1);
    l.entry[at] = (PfEntry){(int)i, (int)i};
    l.place[at] = (int)(i*n + i);
  }
  for (size_t k = 0; k < positions; k++) list_matrix(eq, &l, 1, eq->A + (size_t)f->row[k]*n, (int)k, n*n);
  for (size_t k = 0; k < m; k++)
    if (eq->velocity[k] != PF_EXPR_NONE) list_matrix(eq, &l, 2, eq->A + k*n, (int)k, n*n + positions*n);
  int count = l.count[0] + l.count[1] + l.count[2];
  f->place = pf_arena_array(arena, int, count);
  f->out = pf_arena_array(arena, double, count);
  f->entry = pf_arena_array(arena, PfEntry, count);
  if (!f->place || !f->out || !f->entry) return pf_no_room(ctx, "the constraints");
  memcpy(f->place, l.place, (size_t)count*sizeof *f->place);
  memcpy(f->entry, l.entry, (size_t)count*sizeof *f->entry);
  memcpy(f->count, l.count, sizeof f->count);
  PF_TRY(make_tape(ctx, arena, f, l.roots, count, &f->slopes, &f->slope_work));
  return make_saddles(ctx, arena, f, &l);
}

static PfStatus make_units(PfContext *ctx, PfArena *arena, PfManifold *f)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const size_t n = (size_t)f->n, m = (size_t)f->m;
  PfUnits *u = &f->units;
  *u = (PfUnits){.m = f->m, .n = f->n,
                 .sure = pf_sure_entries(ctx, arena, pf_system_equations(f->system)->A, m*n)};
  double *room = pf_arena_array(arena, double, pf_units_room(f->m, f->n) + m + 4*n + (size_t)in->count);
  if (!u->sure || !room) return pf_no_room(ctx, "the constraints");
  u->column = pf_units_place(u, room);
  u->spread = u->column + n;
  u->row = u->spread + n;
  f->home = u->row + m;
  f->probe_values = f->home + 2*n;
  for (size_t j = 0; j < n; j++) u->column[j] = u->spread[j] = 1;
  return PF_OK;
}

static PfStatus make_dense(PfContext *ctx, PfArena *arena, PfManifold *f)
{
  size_t n = (size_t)f->n, m = (size_t)f->m, positions = (size_t)f->positions;
  f->M = pf_arena_array(arena, double, n*n + positions*n + m*n);
  f->B = pf_arena_array(arena, double, m*n);
  if (!f->M || !f->B) return pf_no_room(ctx, "the constraints");
  f->slope = f->M + n*n;
  f->A = f->slope + positions*n;
  PF_TRY(make_units(ctx, arena, f));
  PfQr *qr = pf_arena_array(arena, PfQr, 2);
  if (!qr) return pf_no_room(ctx, "the constraints");
  PF_TRY(pf_qr_make(ctx, arena, f->m, f->n, qr));
  PF_TRY(pf_qr_make(ctx, arena, f->m, f->n, qr + 1));
  PF_TRY(pf_ldl_make(ctx, arena, f->n, &f->mass));
  f->dense = (PfProjection){.n = f->n, .mass = &f->mass, .qr = qr, .massless = qr + 1, .B = f->B, .y = f->scaled,
                            .columns = pf_arena_array(arena, double, m*n), .Z = pf_arena_array(arena, double, m*m),
                            .combined = pf_arena_array(arena, double, m), .column = f->units.column};
  f->row_unit = pf_arena_array(arena, double, m);
  bool good = f->dense.columns && f->dense.Z && f->dense.combined && f->row_unit;
  return good ? PF_OK : pf_no_room(ctx, "the constraints");
}

static PfStatus make(PfContext *ctx, PfArena *arena, const PfSystem *system, bool metric, PfManifold *f)
{
  const PfEquations *eq = pf_system_equations(system);
  *f = (PfManifold){.system = system, .n = eq->n, .m = eq->m, .in_bodies = pf_system_in_bodies(system)};
  PF_TRY(make_residuals(ctx, arena, f));
  if (!metric) return PF_OK;
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = scratch ? make_slopes(ctx, arena, scratch, f) : pf_no_room(ctx, "the constraints");
  pf_arena_free(scratch);
  PF_TRY(status);
  f->step = pf_arena_array(arena, double, f->n);
  f->right = pf_arena_array(arena, double, f->m);
  f->scaled = pf_arena_array(arena, double, f->n);
  f->typical = pf_arena_array(arena, double, f->m);
  f->length = pf_arena_array(arena, double, f->m);
  f->kept = pf_arena_array(arena, double, 2*(size_t)f->n + 1);
  if (!f->step || !f->right || !f->scaled || !f->typical || !f->length || !f->kept)
    return pf_no_room(ctx, "the constraints");
  return f->sparse && pf_saddle_is_huge(f->n, f->m) ? PF_OK : make_dense(ctx, arena, f);
}

PfStatus pf_manifold_make_metric(PfContext *ctx, PfArena *arena, const PfSystem *system, PfManifold *f)
{
  return make(ctx, arena, system, true, f);
}

PfStatus pf_manifold_make(PfContext *ctx, PfArena *arena, const PfSystem *system, PfManifold *f)
{
  return make(ctx, arena, system, pf_system_equations(system)->m > 0 || !pf_system_in_bodies(system), f);
}

/* ---------------------------------------------------------------- numbers */

double pf_manifold_scale(const PfManifold *f, int constraint)
{
  return f && f->measured ? f->units.scale[constraint] : 1;
}

const double *pf_manifold_scales(const PfManifold *f)
{
  return f && f->measured ? f->units.scale : NULL;
}

double pf_manifold_scaled_residual(PfManifold *f, const double *values, PfLevel level)
{
  pf_tape_run(f->residuals, values, f->phi, f->residual_work);
  bool position = level == PF_LEVEL_POSITION;
  double largest = 0;
  for (int i = 0; i < (position ? f->positions : f->m); i++) {
    double norm = fabs(position ? f->phi[i] : f->psi[i])/pf_manifold_scale(f, position ? f->row[i] : i);
    if (!(norm <= largest)) largest = norm;
  }
  return largest;
}

double pf_manifold_residual(PfManifold *f, const double *values, PfLevel level, int *row)
{
  pf_tape_run(f->residuals, values, f->phi, f->residual_work);
  bool position = level == PF_LEVEL_POSITION;
  const double *norm = position ? f->phi : f->psi;
  double largest = 0;
  int which = -1;
  for (int i = 0; i < (position ? f->positions : f->m); i++)
    if (!(fabs(norm[i]) <= largest)) largest = fabs(norm[i]), which = i;
  if (row) *row = which < 0 ? -1 : position ? f->row[which] : which;
  return largest;
}

/* The dense matrices from the entries that are not zero at all times. */
static void spread(PfManifold *f)
{
  const size_t n = (size_t)f->n;
  for (int k = 0; k < f->count[0] + f->count[1] + f->count[2]; k++) f->M[f->place[k]] = f->out[k];
  for (int k = 0; k < f->count[0]; k++) {
    size_t i = (size_t)f->place[k]/n, j = (size_t)f->place[k]%n;
    f->M[j*n + i] = f->out[k];
  }
}

void pf_manifold_slopes(PfManifold *f, const double *values)
{
  pf_tape_run(f->slopes, values, f->out, f->slope_work);
  spread(f);
}

/* Sparse: factors of the level; false when they must not be trusted, with margins below `least`. */
static bool factor_sparse(PfManifold *f, PfLevel level, const double *typical, double least, PfSaddleMargin *margin)
{
  bool position = level == PF_LEVEL_POSITION;
  PfSaddle *saddle = &f->saddle[position ? 0 : 1];
  const double *rows = f->out + f->count[0] + (position ? 0 : f->count[1]);
  memcpy(f->value, f->out, (size_t)f->count[0]*sizeof *f->value);
  memcpy(f->value + f->count[0], rows, (size_t)f->count[position ? 1 : 2]*sizeof *f->value);
  /* held coordinates have no entries in the rows and no coupling with the others */
  for (int k = 0; f->held && k < saddle->mass_count + saddle->row_count; k++) {
    const PfEntry *e = saddle->entry + k;
    bool alone = e->row == e->column, held = f->held[e->column] || (e->row < f->n && f->held[e->row]);
    if (held && !alone) f->value[k] = 0;
  }
  *margin = pf_saddle_factor(saddle, f->value, typical);
  return margin->mass > PF_MASS_TOLERANCE && margin->rows > (f->M ? least : PF_SADDLE_LAST);
}

bool pf_manifold_margin(PfManifold *f, const double *values, double *margin, int *row)
{
  /* Which row is the weakest where the rank is about to be lost is decided by matrices, whose choice does not depend on
   * rounding, as long as they do not cost much more than a step. */
  enum { MOST_WATCHED = 200 };
  const double least = f->n + f->m > MOST_WATCHED ? PF_SADDLE_REFINED : PF_SCHUR_MARGIN;
  PfSaddleMargin found;
  if (!f->sparse) return false;
  pf_tape_run(f->slopes, values, f->out, f->slope_work);
  bool good = factor_sparse(f, PF_LEVEL_VELOCITY, f->typical, least, &found);
  if (!good && f->M) return false;
  *margin = found.rows > 0 ? sqrt(found.rows) : 0;
  *row = found.row < 0 ? 0 : found.row;
  for (int k = 0; k < f->m; k++) f->length[k] = sqrt(fmax(pf_saddle_square(&f->saddle[1], k), 0));
  return true;
}

const double *pf_manifold_rows(PfManifold *f, const double *values)
{
  pf_manifold_slopes(f, values);
  pf_metric_factor(&f->mass, f->M);
  pf_metric_rows(&f->mass, f->A, f->m, f->B);
  for (int i = 0; i < f->m; i++) f->length[i] = pf_norm(f->B + (size_t)i*(size_t)f->n, f->n);
  return f->B;
}

static void keep_lengths(PfManifold *f, const double *values, double part)
{
  double margin;
  int row;
  if (!pf_manifold_margin(f, values, &margin, &row)) (void)pf_manifold_rows(f, values);
  for (int i = 0; i < f->m; i++) {
    double length = part*f->length[i];
    if (isfinite(length)) f->typical[i] = fmax(f->typical[i], length);
  }
}

static bool evaluate_rows(void *user, const double *state, double *A, double *inertia)
{
  PfManifold *f = user;
  const size_t n = (size_t)f->n;
  memcpy(f->probe_values + pf_system_symbols(f->system)->q, state, 2*n*sizeof *state); /* q, then v */
  pf_manifold_slopes(f, f->probe_values);
  memcpy(A, f->A, (size_t)f->m*n*sizeof *A);
  for (size_t j = 0; j < n; j++) inertia[j] = sqrt(fabs(f->M[j*n + j]));
  return true;
}

static void measure_units(PfManifold *f, const double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  if (!f->M) return;
  memcpy(f->probe_values, values, (size_t)in->count*sizeof *values);
  memcpy(f->home, values + in->q, 2*(size_t)f->n*sizeof *values);
  pf_units_measure(&f->units, f->home, evaluate_rows, f);
  f->measured = true;
}

void pf_manifold_find_units(PfManifold *f, const double *values)
{
  if (!f->measured && f->m) measure_units(f, values);
}

void pf_manifold_measure(PfManifold *f, double *values)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const size_t n = (size_t)f->n, N = 2*n;
  double *y = values + in->q, *t = values + in->time; /* q, then v */
  unsigned noise = 3;
  measure_units(f, values);
  const double *spread = f->units.spread;
  memcpy(f->kept, y, N*sizeof *y);
  f->kept[N] = *t;
  keep_lengths(f, values, 1);
  for (int trial = 0; trial < 3; trial++) {
    for (size_t i = 0; i < N; i++) y[i] = pf_blur(f->kept[i], spread ? spread[i%n] : 1, &noise);
    *t = pf_blur(f->kept[N], 1, &noise);
    keep_lengths(f, values, 0.1);
  }
  memcpy(y, f->kept, N*sizeof *y);
  *t = f->kept[N];
}

/* ---------------------------------------------------------------- onto the constraints */

typedef struct Descent {
  PfManifold *f;
  const double *values;
  PfLevel level;
} Descent;

static double find_residual(void *user)
{
  const Descent *d = user;
  return pf_manifold_scaled_residual(d->f, d->values, d->level);
}

/* The step with the residuals of the latest pf_manifold_scaled_residual. */
static bool find_step(void *user)
{
  const Descent *d = user;
  PfManifold *f = d->f;
  bool position = d->level == PF_LEVEL_POSITION;
  int rows = position ? f->positions : f->m;
  const double *norm = position ? f->phi : f->psi;
  PfSaddleMargin margin;
  pf_tape_run(f->slopes, d->values, f->out, f->slope_work);
  int first = f->count[0] + (position ? 0 : f->count[1]), count = f->count[position ? 1 : 2];
  if (pf_first_not_finite(f->out + first, (size_t)count) >= 0) return false;
  if (pf_first_not_finite(norm, (size_t)rows) >= 0) return false;
  for (int i = 0; i < rows; i++) f->right[i] = -norm[i];
  if (f->sparse && factor_sparse(f, d->level, NULL, PF_SADDLE_REFINED, &margin)) {
    pf_saddle_solve(&f->saddle[position ? 0 : 1], NULL, f->right, f->step, NULL);
    return true;
  }
  if (!f->M) return false;
  spread(f);
  for (int i = 0; i < rows; i++) f->row_unit[i] = f->typical[position ? f->row[i] : i];
  pf_projection_step(&f->dense, f->M, position ? f->slope : f->A, rows, f->row_unit, f->right, f->step);
  return true;
}

bool pf_manifold_project(PfManifold *f, double *values, PfLevel level, double enough)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  Descent descent = {f, values, level};
  const PfDescent d = {.user = &descent, .n = f->n, .x = values + (level == PF_LEVEL_POSITION ? in->q : in->v),
                       .change = f->step, .residual = find_residual, .step = find_step};
  pf_manifold_find_units(f, values);
  return pf_descend(&d, enough) > 0;
}
