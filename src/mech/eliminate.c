/* Symbolic Gauss-Jordan elimination with pivots that cannot vanish where possible. */
#include "mech/eliminate.h"

#include <math.h>
#include <string.h>

typedef struct Work {
  PfContext *ctx;
  const PfModel *model;
  int m, n;
  PfExpr *A, *f;
  int *row, *column, rank;
  PfExpr *symbols; /* for a generic evaluation */
  double *values;
  int symbol_count;
  PfElimination *result;
} Work;

static PfStatus no_room(PfContext *ctx)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room to eliminate");
}

static PfExpr *entry(const Work *w, int i, int j)
{
  return w->A + w->row[i]*w->n + w->column[j];
}

static PfStatus prepare(Work *w, PfArena *arena, const PfExpr *A, const PfExpr *f)
{
  PfSymbols s;
  size_t mn = (size_t)w->m*(size_t)w->n;
  PF_TRY(pf_equations_symbols(w->ctx, arena, w->model, &s));
  w->symbols = s.symbol;
  w->symbol_count = s.count;
  w->values = pf_arena_array(arena, double, s.count);
  w->A = pf_arena_array(arena, PfExpr, mn);
  w->f = pf_arena_array(arena, PfExpr, w->m);
  w->row = pf_arena_array(arena, int, w->m);
  w->column = pf_arena_array(arena, int, w->n);
  if (!w->values || !w->A || !w->f || !w->row || !w->column) return no_room(w->ctx);
  if (mn) memcpy(w->A, A, mn*sizeof *A);
  if (w->m) memcpy(w->f, f, (size_t)w->m*sizeof *f);
  for (int i = 0; i < w->m; i++) w->row[i] = i;
  for (int j = 0; j < w->n; j++) w->column[j] = j;
  for (int i = 0; i < s.count; i++) w->values[i] = 0.4 + 0.9*fmod(0.61803398875*(i + 1), 1);
  return pf_model_parameter_values(w->model, NULL, PF_MISSING_GENERIC, w->values);
}

/* Made of numbers and parameters only: no coordinate, velocity, time or input. */
static bool is_constant(const Work *w, PfExpr e)
{
  int first = w->model->parameter_count; /* after the parameters come all that moves */
  return !pf_expr_depends(w->ctx, e, w->symbols + first, w->symbol_count - first);
}

/* How good a pivot is: constants first, simple ones before long ones, then the size at a generic configuration. 0: zero. */
static double quality(const Work *w, PfExpr e)
{
  double value = 0;
  if (pf_expr_is_structural_zero(w->ctx, e)) return 0;
  if (pf_expr_evaluate(w->ctx, &e, 1, w->symbols, w->values, w->symbol_count, &value) != PF_OK) return 0;
  if (!(fabs(value) > 1e-9)) return 0;
  bool constant = is_constant(w, e);
  return (constant ? 1e6 : 1)*(1 + fmin(fabs(value), 1e3)/1e3)/(1 + 0.001*(double)fmin((double)pf_expr_length(w->ctx, e), 1e6));
}

static bool choose_pivot(Work *w)
{
  double best = 0;
  int best_row = -1, best_column = -1, k = w->rank;
  for (int i = k; i < w->m; i++)
    for (int j = k; j < w->n; j++) {
      double q = quality(w, *entry(w, i, j));
      if (q > best) best = q, best_row = i, best_column = j;
    }
  if (best_row < 0) return false;
  int t = w->row[k];
  w->row[k] = w->row[best_row], w->row[best_row] = t;
  t = w->column[k];
  w->column[k] = w->column[best_column], w->column[best_column] = t;
  return true;
}

static PfExpr tidy(const Work *w, PfExpr e)
{
  return pf_expr_simplest(w->ctx, e);
}

static void eliminate_column(Work *w)
{
  PfContext *ctx = w->ctx;
  int k = w->rank;
  PfExpr pivot = *entry(w, k, k);
  if (!is_constant(w, pivot)) w->result->divisors[w->result->divisor_count++] = pivot;
  for (int j = k; j < w->n; j++) *entry(w, k, j) = tidy(w, pf_expr_div(ctx, *entry(w, k, j), pivot));
  PfExpr *f = w->f + w->row[k];
  *f = tidy(w, pf_expr_div(ctx, *f, pivot));
  for (int i = 0; i < w->m; i++) {
    PfExpr factor = *entry(w, i, k);
    if (i == k || pf_expr_is_structural_zero(ctx, factor)) continue;
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
  if (!e->K || !e->d) return no_room(w->ctx);
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < free; j++) e->K[i*free + j] = *entry(w, i, r + j);
    e->d[i] = w->f[w->row[i]];
  }
  return pf_expr_check(w->ctx);
}

PfStatus pf_eliminate(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *A, const PfExpr *f, int m,
                      int n, PfElimination *elimination)
{
  *elimination = (PfElimination){0};
  elimination->divisors = pf_arena_array(arena, PfExpr, m);
  if (!elimination->divisors) return no_room(ctx);
  Work w = {.ctx = ctx, .model = model, .m = m, .n = n, .result = elimination};
  PF_TRY(prepare(&w, arena, A, f));
  while (w.rank < m && w.rank < n && choose_pivot(&w)) {
    eliminate_column(&w);
    PF_TRY(pf_expr_check(ctx));
    w.rank++;
  }
  return read_result(&w, arena);
}
