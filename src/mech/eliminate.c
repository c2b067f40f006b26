/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic Gauss-Jordan elimination with pivots that cannot vanish where possible. */
#include "mech/eliminate.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

typedef struct Work {
  PfContext *ctx;
  const PfModel *model;
  int m, n;
  PfExpr *A, *f;
  int *row, *column, rank;
  PfExpr *symbols;
  int symbol_count;
  double *values; /* of the symbols in a generic configuration */
  double *start;  /* and at the start of the model; NULL when that is not known */
  double *size;   /* of each row in the generic configuration: what counts as zero in it */
  PfElimination *result;
  PfStatus status; /* of evaluations */
} Work;

static PfExpr *entry(const Work *w, int i, int j)
{
  return w->A + w->row[i]*w->n + w->column[j];
}

static double value_at(Work *w, PfExpr e, const double *values)
{
  double value = NAN;
  PfStatus status = pf_expr_evaluate(w->ctx, &e, 1, w->symbols, values, w->symbol_count, &value);
  if (status != PF_OK) w->status = status;
  return status == PF_OK ? value : NAN;
}

static PfStatus load_rows(Work *w, PfArena *arena, const PfExpr *A, const PfExpr *f)
{
  size_t mn = (size_t)w->m*(size_t)w->n;
  w->A = pf_arena_array(arena, PfExpr, mn);
  w->f = pf_arena_array(arena, PfExpr, w->m);
  w->row = pf_arena_array(arena, int, w->m);
  w->column = pf_arena_array(arena, int, w->n);
  w->size = pf_arena_array(arena, double, w->m);
  if (!w->A || !w->f || !w->row || !w->column || !w->size) return pf_no_room(w->ctx, "the elimination");
  if (mn) memcpy(w->A, A, mn*sizeof *A);
  if (w->m) memcpy(w->f, f, (size_t)w->m*sizeof *f);
  for (int j = 0; j < w->n; j++) w->column[j] = j;
  for (int i = 0; i < w->m; i++) {
    w->row[i] = i;
    for (int j = 0; j < w->n; j++)
      if (!pf_expr_is_structural_zero(w->ctx, A[i*w->n + j]))
        w->size[i] = fmax(w->size[i], fabs(value_at(w, A[i*w->n + j], w->values)));
  }
  return PF_OK;
}

PfStatus pf_start_values(PfContext *ctx, PfArena *arena, const PfEquations *eq, int count, double **start)
{
  *start = pf_arena_array(arena, double, count);
  if (!*start) return pf_no_room(ctx, "the elimination");
  int said = pf_diagnostic_count(ctx);
  PfStatus status = pf_equations_start(ctx, eq, NULL, *start);
  if (status == PF_OK || pf_is_final(status)) return status;
  pf_diagnostics_cut(ctx, said); /* it is only wished for */
  *start = NULL;
  return PF_OK;
}

PfStatus pf_generic_values(PfContext *ctx, PfArena *scratch, const PfEquations *eq, const PfSymbols *symbols,
                           const double *start, double *values)
{
  int size = eq->m*eq->n;
  double *A = pf_arena_array(scratch, double, size);
  if (!A) return pf_no_room(ctx, "the elimination");
  for (int i = 0; i < symbols->count; i++) values[i] = 0.4 + 0.9*fmod(0.61803398875*(i + 1), 1);
  PF_TRY(pf_model_parameter_values(eq->model, NULL, PF_MISSING_GENERIC, values));
  PF_TRY(pf_expr_evaluate(ctx, eq->A, size, symbols->symbol, values, symbols->count, A));
  if (!start || pf_first_not_finite(A, (size_t)size) < 0) return PF_OK;
  for (int i = symbols->time; i < symbols->count; i++) /* near the start */
    values[i] = start[i] + 0.02*(values[i] - 0.85);
  return PF_OK;
}

static PfStatus prepare(Work *w, PfArena *arena, const PfEquations *eq)
{
  PfSymbols s;
  PF_TRY(pf_equations_symbols(w->ctx, arena, w->model, &s));
  w->symbols = s.symbol;
  w->symbol_count = s.count;
  w->values = pf_arena_array(arena, double, s.count);
  if (!w->values) return pf_no_room(w->ctx, "the elimination");
  PF_TRY(pf_start_values(w->ctx, arena, eq, s.count, &w->start));
  return pf_generic_values(w->ctx, arena, eq, &s, w->start, w->values);
}

/* Made of numbers and parameters only: no coordinate, velocity, time or input. */
static bool is_constant(const Work *w, PfExpr e)
{
  int first = w->model->parameter_count; /* after the parameters come all that moves */
  return !pf_expr_depends(w->ctx, e, w->symbols + first, w->symbol_count - first);
}

/* How many entries the pivot (i, j) makes longer: those right of it times those in its column (Markowitz). */
static int fill(const Work *w, int i, int j)
{
  int right = 0, column = 0;
  for (int k = w->rank; k < w->n; k++) right += k != j && !pf_expr_is_structural_zero(w->ctx, *entry(w, i, k));
  for (int k = 0; k < w->m; k++) column += k != i && !pf_expr_is_structural_zero(w->ctx, *entry(w, k, j));
  return right*column;
}

/* How good the pivot (i, j) is: constants first, then what does not vanish at the start; those that make few
 * entries longer before others, short ones before long ones, then by size in the generic configuration. 0:
 * zero. */
static double quality(Work *w, int i, int j)
{
  PfExpr e = *entry(w, i, j);
  if (pf_expr_is_structural_zero(w->ctx, e)) return 0;
  double value = fabs(value_at(w, e, w->values));
  if (!(value > 1e-9*w->size[w->row[i]])) return 0;
  bool constant = is_constant(w, e);
  bool vanishes = !constant && w->start && !(fabs(value_at(w, e, w->start)) > 1e-6*value);
  double cost = (1 + fill(w, i, j))*(1 + 0.001*fmin((double)pf_expr_length(w->ctx, e), 1e6));
  return (constant ? 1e9 : vanishes ? 1e-6 : 1)*(1 + fmin(value, 1e3)/1e3)/cost;
}

static bool choose_pivot(Work *w)
{
  double best = 0;
  int best_row = -1, best_column = -1, k = w->rank;
  for (int i = k; i < w->m; i++)
    for (int j = k; j < w->n; j++) {
      double q = quality(w, i, j);
      if (q > best) best = q, best_row = i, best_column = j;
    }
  if (best_row < 0) return false;
  int t = w->row[k];
  w->row[k] = w->row[best_row], w->row[best_row] = t;
  t = w->column[k];
  w->column[k] = w->column[best_column], w->column[best_column] = t;
  return true;
}

/* The shortest form keeps entries from growing; where they have grown nevertheless it takes too long. */
static PfExpr tidy(const Work *w, PfExpr e)
{
  enum { LONG_ENTRY = 800 };
  return pf_expr_length(w->ctx, e) > LONG_ENTRY ? e : pf_expr_simplest(w->ctx, e);
}

static void eliminate_column(Work *w)
{
  PfContext *ctx = w->ctx;
  int k = w->rank;
  PfExpr pivot = *entry(w, k, k);
  double value = fabs(value_at(w, pivot, w->values)), size = w->size[w->row[k]] /= value;
  if (!is_constant(w, pivot)) {
    w->result->divisor_sizes[w->result->divisor_count] = value;
    w->result->divisors[w->result->divisor_count++] = pivot;
  }
  for (int j = k; j < w->n; j++) *entry(w, k, j) = tidy(w, pf_expr_div(ctx, *entry(w, k, j), pivot));
  PfExpr *f = w->f + w->row[k];
  *f = tidy(w, pf_expr_div(ctx, *f, pivot));
  for (int i = 0; i < w->m; i++) {
    PfExpr factor = *entry(w, i, k);
    if (i == k || pf_expr_is_structural_zero(ctx, factor)) continue;
    w->size[w->row[i]] += size*fabs(value_at(w, factor, w->values));
    for (int j = k; j < w->n; j++)
      *entry(w, i, j) = tidy(w, pf_expr_sub(ctx, *entry(w, i, j), pf_expr_mul(ctx, factor, *entry(w, k, j))));
    PfExpr *other = w->f + w->row[i];
    *other = tidy(w, pf_expr_sub(ctx, *other, pf_expr_mul(ctx, factor, *f)));
  }
}

static PfStatus read_result(Work *w, PfArena *arena)
{
  PfElimination *e = w->result;
  int r = w->rank, free = w->n - r;
  e->rank = r;
  e->column = w->column;
  e->K = pf_arena_array(arena, PfExpr, (size_t)r*(size_t)free);
  e->d = pf_arena_array(arena, PfExpr, r);
  if (!e->K || !e->d) return pf_no_room(w->ctx, "the elimination");
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < free; j++) e->K[i*free + j] = *entry(w, i, r + j);
    e->d[i] = w->f[w->row[i]];
  }
  e->unsolved = -1;
  for (int i = w->m - 1; i >= r; i--) {
    int row = w->row[i];
    if (pf_expr_is_structural_zero(w->ctx, w->f[row])) continue;
    if (fabs(value_at(w, w->f[row], w->values)) > 1e-9*(1 + w->size[row])) e->unsolved = row;
  }
  return pf_expr_check(w->ctx);
}

PfStatus pf_eliminate(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfExpr *A, const PfExpr *f,
                      PfElimination *elimination)
{
  *elimination = (PfElimination){0};
  elimination->divisors = pf_arena_array(arena, PfExpr, eq->m);
  elimination->divisor_sizes = pf_arena_array(arena, double, eq->m);
  if (!elimination->divisors || !elimination->divisor_sizes) return pf_no_room(ctx, "the elimination");
  Work w = {.ctx = ctx, .model = eq->model, .m = eq->m, .n = eq->n, .result = elimination};
  PF_TRY(prepare(&w, arena, eq));
  PF_TRY(load_rows(&w, arena, A, f));
  while (w.rank < w.m && w.rank < w.n && choose_pivot(&w)) {
    eliminate_column(&w);
    PF_TRY(pf_expr_check(ctx));
    w.rank++;
  }
  PF_TRY(read_result(&w, arena));
  return w.status;
}
