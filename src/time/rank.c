/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of the constraints. Its measure is the rank margin: Gram-Schmidt on the rows of A, in the metric of M^-1,
 * leaves of each row the part that is independent of the rows before it; the smallest of these parts, each in units of
 * the largest length that its row has had so far, is the margin. It is 1 when the rows are orthogonal, and 0 when one
 * follows from the others or vanishes; its square is the smallest pivot of A M^-1 A^T over the diagonal element it
 * started as. */
#include "form/solver.h"
#include "time/manifold.h"
#include "time/rank.h"

#include <math.h>
#include <string.h>

/* Begins the orthogonalisation of the rows that were evaluated last. */
static void begin_rows(const PfMotionRun *run, PfWatch *w)
{
  size_t n = (size_t)run->n;
  memcpy(w->rows, ((const PfManifold *)run->projection)->B, (size_t)run->m*n*sizeof *w->rows);
  for (int i = 0; i < run->m; i++) {
    w->length[i] = w->idle[i] ? 0 : pf_norm(w->rows + (size_t)i*n, run->n);
    if (w->length[i] < PF_EMPTY_ROW*w->typical[i]) w->length[i] = 0;
    w->taken[i] = false;
    w->part[i] = 1;
  }
}

/* Evaluates the rows at (t, y). */
static void load_rows(PfMotionRun *run, PfWatch *w, double t, const double *y)
{
  pf_run_set_state(run, t, y);
  (void)pf_manifold_rows(run->projection, run->flow.values);
  begin_rows(run, w);
}

/* The length in which row i is measured. */
static double unit(const PfWatch *w, int i)
{
  return fmax(w->typical[i], w->length[i]);
}

/* Normalises what is left of row i and subtracts its direction from the rows that follow. Returns the length that was
 * left, in the unit of the row. */
static double take_row(const PfMotionRun *run, PfWatch *w, int i)
{
  int n = run->n;
  double *row = w->rows + (size_t)i*(size_t)n, left = pf_norm(row, n);
  w->taken[i] = true;
  w->part[i] = 0;
  if (!(w->length[i] > 0)) return 0;
  for (int j = 0; j < n; j++) row[j] = left > 0 ? row[j]/left : 0;
  for (int k = 0; k < run->m; k++)
    if (!w->taken[k]) (void)pf_remove_part(w->rows + (size_t)k*(size_t)n, row, n);
  return w->part[i] = left/unit(w, i);
}

/* The next row to be orthogonalised, of those not taken; -1: none. As written, or in the order of the sparse factors,
 * since both must measure the same; where rows are redundant, the one of which most is left. */
static int next_row(const PfMotionRun *run, const PfWatch *w)
{
  int best = -1;
  double most = -1;
  for (int k = 0; k < run->m; k++) {
    int i = w->rank == run->m && w->order ? w->order[run->n + k] - run->n : k;
    if (w->taken[i]) continue;
    if (w->rank == run->m) return i;
    double part = w->length[i] > 0 ? pf_norm(w->rows + (size_t)i*(size_t)run->n, run->n)/unit(w, i) : 0;
    if (part > most) most = part, best = i;
  }
  return best;
}

/* In sparse systems, while all rows are independent, the margin follows from the pivots of the sparse factors. */
static bool by_structure(PfMotionRun *run, PfWatch *w, double t, const double *y, double *margin)
{
  PfManifold *f = run->projection;
  if (!f->sparse || w->rank < run->m) return false;
  pf_run_set_state(run, t, y);
  if (!pf_manifold_margin(f, run->flow.values, margin, &w->row)) return false;
  memcpy(w->length, f->length, (size_t)run->m*sizeof *w->length);
  for (int i = 0; i < run->m; i++) w->taken[i] = true, w->part[i] = i == w->row ? *margin : 1;
  return true;
}

/* Modified Gram-Schmidt on the rows that were loaded; returns the margin. */
static double orthogonalise(const PfMotionRun *run, PfWatch *w)
{
  double smallest = 1;
  for (int k = 0; k < w->rank; k++) {
    int row = next_row(run, w);
    double part = take_row(run, w, row);
    if (part < smallest) smallest = part, w->row = row;
  }
  return smallest;
}

double pf_rank_margin(PfMotionRun *run, PfWatch *w, double t, const double *y)
{
  double margin = 1;
  if (by_structure(run, w, t, y, &margin)) return margin;
  load_rows(run, w, t, y);
  return orthogonalise(run, w);
}

int pf_rank_first_lost(const PfMotionRun *run, const PfWatch *w)
{
  for (int i = 0; i < run->m; i++)
    if (w->taken[i] && w->part[i] <= 3*w->part[w->row]) return i;
  return w->row;
}

void pf_rank_keep_lengths(const PfMotionRun *run, PfWatch *w)
{
  for (int i = 0; i < run->m; i++)
    if (isfinite(w->length[i])) w->typical[i] = fmax(w->typical[i], w->length[i]);
}

/* After pf_rank_margin. Constraints on accelerations have no row here, and are not judged. */
static bool is_redundant(const PfMotionRun *run, const PfWatch *w, int i)
{
  return !w->taken[i] && pf_system_equations(run->system)->velocity[i] != PF_EXPR_NONE;
}

/* The rank as `check` and the formulations decide it; a row whose length is rounding in its unit counts as zero. */
static PfStatus rank_at(PfMotionRun *run, PfWatch *w, double t, const double *y, int *rank)
{
  size_t n = (size_t)run->n;
  PfRows rows;
  double margin;
  w->rank = run->m;
  *rank = run->m;
  if (by_structure(run, w, t, y, &margin)) return PF_OK;
  load_rows(run, w, t, y);
  const PfManifold *f = run->projection;
  memcpy(w->rows, f->A, (size_t)run->m*n*sizeof *w->rows);
  pf_scale_columns(w->rows, run->m, run->n, f->units.column);
  for (int i = 0; i < run->m; i++)
    if (!(w->length[i] > PF_RANK_TOLERANCE*unit(w, i))) memset(w->rows + (size_t)i*n, 0, n*sizeof *w->rows);
  *rank = 0;
  if (pf_first_not_finite(w->rows, (size_t)run->m*n) >= 0) return PF_OK;
  PF_TRY(pf_rows_sort(run->ctx, run->arena, w->rows, run->m, run->n, PF_RANK_TOLERANCE, &rows));
  *rank = rows.rank;
  return PF_OK;
}

/* How far w->y is from the start, in the units of the coordinates. */
static double distance(const PfMotionRun *run, const PfWatch *w)
{
  const double *spread = ((const PfManifold *)run->projection)->units.spread;
  double most = 0;
  for (int j = 0; j < run->n; j++)
    most = fmax(most, fabs(w->y[j] - run->state.y[j])/((spread ? spread[j] : 1) + fabs(run->state.y[j])));
  return most;
}

/* A random state near the start, put on the constraints, in w->y; `length` gets the lengths of the rows before that.
 * False when none is found, or only one farther away: where rows are redundant on the constraints alone, the way onto
 * them may end in a singular configuration, which says nothing about this one. */
static bool go_nearby(PfMotionRun *run, PfWatch *w, unsigned *noise, double *length, double *t)
{
  const double *spread = ((const PfManifold *)run->projection)->units.spread;
  for (int i = 0; i < 2*run->n; i++) w->y[i] = pf_blur(run->state.y[i], spread ? spread[i%run->n] : 1, noise);
  *t = pf_blur(run->state.t, 1, noise);
  double away = distance(run, w);
  load_rows(run, w, *t, w->y);
  memcpy(length, w->length, (size_t)run->m*sizeof *length);
  (void)pf_project_closely(run, *t, w->y);
  return pf_first_not_finite(w->y, 2*(size_t)run->n) < 0 && distance(run, w) <= 3*away &&
         pf_manifold_scaled_residual(run->projection, run->flow.values, PF_LEVEL_POSITION) <= 1e-10;
}

/* Rows that vanish at the start and at all states nearby where the constraints hold, but not off the constraints: an
 * overconstrained loop has such rows. */
static PfStatus find_idle(PfMotionRun *run, PfWatch *w)
{
  double *elsewhere = pf_run_scratch(run, double, run->m);
  bool *idle = pf_run_scratch(run, bool, run->m);
  unsigned noise = 7;
  int found = 0;
  if (!elsewhere || !idle) return PF_ERR_MEMORY;
  load_rows(run, w, run->state.t, run->state.y);
  /* constraints on accelerations have no row here */
  const PfExpr *velocity = pf_system_equations(run->system)->velocity;
  for (int i = 0; i < run->m; i++) idle[i] = w->length[i] == 0 && velocity[i] != PF_EXPR_NONE;
  for (int trial = 0; trial < 3; trial++) {
    double t;
    if (!go_nearby(run, w, &noise, elsewhere, &t)) continue;
    found++;
    load_rows(run, w, t, w->y);
    for (int i = 0; i < run->m; i++) idle[i] = idle[i] && w->length[i] <= 1e-6*elsewhere[i];
  }
  for (int i = 0; i < run->m; i++) w->idle[i] = found > 0 && idle[i];
  return PF_OK;
}

static PfStatus make_room(PfMotionRun *run, PfWatch *w)
{
  const PfManifold *f = run->projection;
  const size_t n = (size_t)run->n;
  w->rows = pf_run_array(run, double, f->M ? (size_t)run->m*n : 0);
  w->order = f->sparse ? f->saddle[1].ldl.order : NULL;
  w->length = pf_run_array(run, double, run->m);
  w->typical = f->typical;
  w->part = pf_run_array(run, double, run->m);
  w->taken = pf_run_array(run, bool, run->m);
  w->idle = pf_run_array(run, bool, run->m);
  w->y = pf_run_array(run, double, 2*n);
  w->ahead = pf_run_array(run, double, 2*n);
  w->k = pf_run_array(run, double, 8*n);
  w->kept = pf_run_array(run, double, 4*n);
  bool good = w->rows && w->length && w->part && w->taken && w->idle && w->y && w->ahead && w->k && w->kept;
  return good ? PF_OK : PF_ERR_MEMORY;
}

PfStatus pf_rank_make(PfMotionRun *run, PfWatch *w)
{
  int rank, nearby;
  PF_TRY(make_room(run, w));
  w->now = 1;
  if (run->m == 0) return PF_OK;
  pf_manifold_measure(run->projection, run->flow.values);
  PF_TRY(rank_at(run, w, run->state.t, run->state.y, &rank));
  nearby = rank;
  if (rank < run->m) {
    PF_TRY(find_idle(run, w));
    /* the largest rank at states near the start: at the start itself rows may be dependent by chance */
    double t, *elsewhere = pf_run_scratch(run, double, run->m);
    unsigned noise = 1;
    if (!elsewhere) return PF_ERR_MEMORY;
    nearby = 0;
    for (int trial = 0, there; trial < 3; trial++) {
      if (!go_nearby(run, w, &noise, elsewhere, &t)) continue;
      PF_TRY(rank_at(run, w, t, w->y, &there));
      nearby = there > nearby ? there : nearby;
    }
  }
  w->singular = nearby > rank;
  w->rank = w->singular ? nearby : rank;
  w->now = pf_rank_margin(run, w, run->state.t, run->state.y);
  return PF_OK;
}

/* Rows that are redundant from the start do not count as a loss of rank. Inside a step they are redundant only as far
 * as the constraints hold there: the accelerations must tolerate that. */
void pf_watch_configure_solver(PfMotionRun *run)
{
  static const double drift = 1e-3;
  const PfWatch *w = run->watch;
  for (int i = 0; i < run->m; i++)
    if (is_redundant(run, w, i)) pf_solver_tolerate(run->flow.solver, drift);
  pf_solver_skip(run->flow.solver, w->idle);
  pf_solver_measure_rows(run->flow.solver, w->typical);
}

/* The same for a single state: a run that is opened and makes no step. */
static PfStatus judge_state(PfMotionRun *run, const double *values, int *row)
{
  size_t n = (size_t)run->n, count = (size_t)run->symbols->count;
  PfWatch w = {0};
  run->flow.values = pf_run_array(run, double, count);
  run->state.y = pf_run_array(run, double, 2*n);
  if (!run->flow.values || !run->state.y) return PF_ERR_MEMORY;
  memcpy(run->flow.values, values, count*sizeof *values);
  memcpy(run->state.y, values + run->symbols->q, 2*n*sizeof *values);
  run->state.t = values[run->symbols->time];
  PF_TRY(pf_project_make(run));
  PF_TRY(pf_rank_make(run, &w));
  if (w.singular) *row = pf_rank_first_lost(run, &w);
  return PF_OK;
}

PfStatus pf_state_singular(PfContext *ctx, const PfSystem *system, const double *values, int *row)
{
  const PfEquations *eq = pf_system_equations(system);
  PfMotionRun run = {.ctx = ctx, .system = system, .symbols = pf_system_symbols(system), .n = eq->n, .m = eq->m};
  *row = -1;
  run.arena = pf_arena_new(pf_context_allocator(ctx));
  if (!run.arena) return pf_no_room(ctx, "the judgement of the constraints");
  PfStatus status = run.m ? judge_state(&run, values, row) : PF_OK;
  pf_arena_free(run.arena);
  return status;
}

bool pf_watch_choose(PfMotionRun *run, bool *dropped)
{
  PfWatch *w = run->watch;
  bool any = false;
  (void)pf_rank_margin(run, w, run->state.t, run->state.y);
  for (int i = 0; i < run->m; i++) any |= dropped[i] = is_redundant(run, w, i);
  return any;
}

/* Begins the same for the rows of conditions on positions alone. */
static void begin_positions(const PfMotionRun *run, PfWatch *w)
{
  const PfExpr *position = pf_system_equations(run->system)->position;
  begin_rows(run, w);
  for (int i = 0; i < run->m; i++) w->taken[i] = position[i] == PF_EXPR_NONE;
}

bool pf_watch_choose_again(PfMotionRun *run, bool *dropped, bool *unplaced)
{
  PfWatch *w = run->watch;
  const PfExpr *position = pf_system_equations(run->system)->position;
  const double serves = 0.3; /* as well as the best choice, but for this factor */
  double margin = 1, best = 1;
  load_rows(run, w, run->state.t, run->state.y);
  for (int i = 0; i < run->m; i++)
    if (!dropped[i] && w->length[i] > 0) margin = fmin(margin, take_row(run, w, i));
  begin_rows(run, w);
  bool anew = !(margin > serves*orthogonalise(run, w));
  for (int i = 0; i < run->m && anew; i++) dropped[i] = is_redundant(run, w, i);
  if (!unplaced) return anew;

  margin = 1;
  begin_positions(run, w);
  for (int i = 0; i < run->m; i++)
    if (!unplaced[i] && !w->taken[i]) margin = fmin(margin, take_row(run, w, i));
  begin_positions(run, w);
  for (int row; (row = next_row(run, w)) >= 0;) {
    double part = take_row(run, w, row);
    if (part > PF_RANK_TOLERANCE) best = part;
  }
  if (margin > serves*best) return anew;
  for (int i = 0; i < run->m; i++)
    unplaced[i] = position[i] != PF_EXPR_NONE && !(w->part[i] > PF_RANK_TOLERANCE);
  return true;
}
