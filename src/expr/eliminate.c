/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic Gauss-Jordan elimination with pivots that cannot vanish where possible. */
#include "expr/eliminate.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct Work {
  PfContext *ctx;
  const PfSamplePoint *sample;
  int m, n, first;
  bool constants; /* only pivots that are constant, one by one or two together */
  bool paired;    /* the next two pivots are constant together */
  PfExpr *A, *f;
  int *row, *column, rank;
  double *size;   /* of each row in the generic configuration, in units: smaller elements count as zero in comparison */
  PfElimination *result;
  PfStatus status; /* of evaluations */
} Work;

static PfExpr *entry(const Work *w, int i, int j)
{
  return w->A + w->row[i]*w->n + w->column[j];
}

double pf_sample_value(PfContext *ctx, const PfSamplePoint *sample, PfExpr e, const double *values, PfStatus *status)
{
  double value = NAN;
  PfStatus evaluated = pf_expr_evaluate(ctx, &e, 1, sample->symbols, values, sample->count, &value);
  if (evaluated != PF_OK) *status = evaluated;
  return evaluated == PF_OK ? value : NAN;
}

static double value_at(Work *w, PfExpr e, const double *values)
{
  return pf_sample_value(w->ctx, w->sample, e, values, &w->status);
}

/* The unit of an unknown. */
static double unit_of(const Work *w, int column)
{
  return w->sample->unit ? w->sample->unit[column] : 1;
}

/* Copies A and f, finds elements that vanish identically, and measures rows and columns for the choice of pivots. */
static PfStatus load_rows(Work *w, PfArena *arena, const PfExpr *A, const PfExpr *f)
{
  size_t mn = (size_t)w->m*(size_t)w->n;
  PF_TRY(pf_arrays(w->ctx, arena, "the elimination", PF_ROOM(w->A, mn), PF_ROOM(w->f, w->m), PF_ROOM(w->row, w->m),
                   PF_ROOM(w->column, w->n), PF_ROOM(w->size, w->m)));
  if (mn) memcpy(w->A, A, mn*sizeof *A);
  if (w->m) memcpy(w->f, f, (size_t)w->m*sizeof *f);
  for (int j = 0; j < w->n; j++) w->column[j] = j;
  /* Elements that are identically zero without looking so. Their value is rounding, and in a row of nothing else that
   * would be the largest element: small elements are tested in a prime field. */
  const double small = 1e-6;
  double most = 0;
  for (int i = 0; i < w->m*w->n; i++)
    if (!pf_expr_is_structural_zero(w->ctx, w->A[i]))
      most = fmax(most, fabs(value_at(w, w->A[i], w->sample->generic)));
  for (int i = 0; i < w->m*w->n; i++)
    if (!pf_expr_is_structural_zero(w->ctx, w->A[i]) &&
        !(fabs(value_at(w, w->A[i], w->sample->generic)) > small*most) &&
        pf_expr_is_probably_zero(w->ctx, w->A[i], 2) == PF_TRUE)
      w->A[i] = pf_expr_int(w->ctx, 0);
  for (int i = 0; i < w->m; i++) {
    w->row[i] = i;
    for (int j = 0; j < w->n; j++)
      if (!pf_expr_is_structural_zero(w->ctx, w->A[i*w->n + j]))
        w->size[i] = fmax(w->size[i], fabs(value_at(w, w->A[i*w->n + j], w->sample->generic))*unit_of(w, j));
  }
  return PF_OK;
}

bool pf_sample_is_constant(PfContext *ctx, const PfSamplePoint *sample, PfExpr e)
{
  return !pf_expr_depends(ctx, e, sample->symbols + sample->constants, sample->count - sample->constants);
}

static bool is_kept(const Work *w, int j)
{
  return w->sample->kept && w->sample->kept[w->column[j]];
}

/* How good the pivot (i, j) is: constants first, then elements that do not vanish at the start; those that make few
 * entries longer before others (Markowitz: the entries right of it times those in its column), short ones before long
 * ones, then by size in the generic configuration. 0: zero. */
static double quality(Work *w, int i, int j)
{
  PfContext *ctx = w->ctx;
  PfExpr e = *entry(w, i, j);
  if (pf_expr_is_structural_zero(ctx, e) || is_kept(w, j)) return 0;
  double value = fabs(value_at(w, e, w->sample->generic));
  if (!(value*unit_of(w, w->column[j]) > 1e-9*w->size[w->row[i]])) return 0;
  bool constant = pf_sample_is_constant(ctx, w->sample, e);
  if (w->constants && !constant) return 0;
  bool vanishes = !constant && w->sample->start && !(fabs(value_at(w, e, w->sample->start)) > 1e-6*value);
  int right = 0, column = 0;
  for (int k = w->rank; k < w->n; k++) right += k != j && !pf_expr_is_structural_zero(ctx, *entry(w, i, k));
  for (int k = 0; k < w->m; k++) column += k != i && !pf_expr_is_structural_zero(ctx, *entry(w, k, j));
  double cost = (1 + right*column)*(1 + 0.001*fmin((double)pf_expr_length(ctx, e), 1e6));
  return (constant ? 1e9 : vanishes ? 1e-6 : 1)*(1 + fmin(value, 1e3)/1e3)/cost;
}

/* The best one among the first rows or among the others. Of equal ones the first unknown is solved for by a row of the
 * former, the last one by a row of the latter: frames are placed one in another, and quantities further out are needed
 * less often. */
static bool find_pivot(Work *w, bool first, int *best_row, int *best_column)
{
  double best = 0;
  for (int i = w->rank; i < w->m; i++)
    for (int j = w->rank; j < w->n && (w->row[i] < w->first) == first; j++) {
      double q = quality(w, i, j);
      bool later = !first && q == best && q > 0 && w->column[j] > w->column[*best_column];
      if (q > best || later) best = q, *best_row = i, *best_column = j;
    }
  return best > 0;
}

static void bring(Work *w, int to, int row, int column)
{
  int t = w->row[to];
  w->row[to] = w->row[row], w->row[row] = t;
  t = w->column[to];
  w->column[to] = w->column[column], w->column[column] = t;
}

/* a d - b c */
static PfExpr determinant(PfContext *ctx, PfExpr a, PfExpr b, PfExpr c, PfExpr d)
{
  return pf_expr_sub(ctx, pf_expr_mul(ctx, a, d), pf_expr_mul(ctx, b, c));
}

/* The length of the determinant of the rows i, k in the columns j, l if it is constant, as cos(a)*cos(a) +
 * sin(a)*sin(a) is; else SIZE_MAX. */
static size_t pair_length(Work *w, int i, int k, int j, int l)
{
  enum { LONG_PAIR = 60 };
  PfContext *ctx = w->ctx;
  PfExpr e = determinant(ctx, *entry(w, i, j), *entry(w, i, l), *entry(w, k, j), *entry(w, k, l));
  if (pf_expr_is_structural_zero(ctx, e) || pf_expr_length(ctx, e) > LONG_PAIR) return SIZE_MAX;
  e = pf_expr_simplest(ctx, e);
  bool constant = pf_sample_is_constant(ctx, w->sample, e) && fabs(value_at(w, e, w->sample->generic)) > 1e-9;
  return constant ? pf_expr_length(ctx, e) : SIZE_MAX;
}

/* Two rows that determine two unknowns everywhere, though neither does by itself: a point's velocity by its components
 * along axes that turn; of several such pairs the one with the shortest determinant. Both pivots are brought to their
 * places. */
static bool find_pair(Work *w)
{
  int r = w->rank, best[4] = {0};
  size_t shortest = SIZE_MAX;
  for (int i = r; i < w->m; i++)
    for (int k = i + 1; k < w->m; k++)
      for (int j = r; j < w->n; j++)
        for (int l = j + 1; l < w->n; l++) {
          if ((w->row[i] < w->first) != (w->row[k] < w->first) || is_kept(w, j) || is_kept(w, l)) continue;
          size_t length = pair_length(w, i, k, j, l);
          if (length >= shortest) continue;
          shortest = length;
          best[0] = i, best[1] = k, best[2] = j, best[3] = l;
        }
  if (shortest == SIZE_MAX) return false;
  bring(w, r, best[0], best[2]);
  bring(w, r + 1, best[1], best[3]);
  return true;
}

/* Brings the next pivot, or the next pair of pivots, to its place; false when there are none left. */
static bool choose_pivot(Work *w)
{
  int best_row = -1, best_column = -1;
  bool any = find_pivot(w, true, &best_row, &best_column) || find_pivot(w, false, &best_row, &best_column);
  if (any && pf_sample_is_constant(w->ctx, w->sample, *entry(w, best_row, best_column)))
    w->paired = false;
  else w->paired = find_pair(w);
  if (any && !w->paired) bring(w, w->rank, best_row, best_column);
  return any || w->paired;
}

/* The shortest form keeps entries from growing; where they have grown nevertheless it takes too long. */
static PfExpr tidy(const Work *w, PfExpr e)
{
  enum { LONG_ENTRY = 800 };
  return pf_expr_length(w->ctx, e) > LONG_ENTRY ? e : pf_expr_simplest(w->ctx, e);
}

/* Gauss and Jordan: divides the pivot's row by the pivot and subtracts multiples of it from all other rows. */
static void eliminate_column(Work *w)
{
  PfContext *ctx = w->ctx;
  int k = w->rank;
  PfExpr pivot = *entry(w, k, k);
  double value = fabs(value_at(w, pivot, w->sample->generic)), size = w->size[w->row[k]] /= value;
  if (!pf_sample_is_constant(w->ctx, w->sample, pivot)) {
    w->result->divisor_sizes[w->result->divisor_count] = value;
    w->result->divisors[w->result->divisor_count++] = pivot;
  }
  w->result->determinant = pf_expr_mul(ctx, w->result->determinant, pivot);
  for (int j = k; j < w->n; j++) *entry(w, k, j) = tidy(w, pf_expr_div(ctx, *entry(w, k, j), pivot));
  PfExpr *f = w->f + w->row[k];
  *f = tidy(w, pf_expr_div(ctx, *f, pivot));
  for (int i = 0; i < w->m; i++) {
    PfExpr factor = *entry(w, i, k);
    if (i == k || pf_expr_is_structural_zero(ctx, factor)) continue;
    w->size[w->row[i]] += size*fabs(value_at(w, factor, w->sample->generic));
    for (int j = k; j < w->n; j++)
      *entry(w, i, j) = tidy(w, pf_expr_sub(ctx, *entry(w, i, j), pf_expr_mul(ctx, factor, *entry(w, k, j))));
    PfExpr *other = w->f + w->row[i];
    *other = tidy(w, pf_expr_sub(ctx, *other, pf_expr_mul(ctx, factor, *f)));
  }
}

/* Both rows by Cramer's rule, which divides by their determinant only. */
static PfStatus eliminate_pair(Work *w, PfArena *arena)
{
  PfContext *ctx = w->ctx;
  int k = w->rank;
  PfExpr a = *entry(w, k, k), b = *entry(w, k, k + 1), c = *entry(w, k + 1, k), d = *entry(w, k + 1, k + 1), f[2];
  PfExpr below = pf_expr_simplest(ctx, determinant(ctx, a, b, c, d)), *rows = pf_arena_array(arena, PfExpr, 2*w->n);
  if (!rows) return pf_no_room(ctx, "the elimination");
  double size = fabs(value_at(w, below, w->sample->generic));
  w->result->determinant = pf_expr_mul(ctx, w->result->determinant, below);
  for (int j = k; j < w->n; j++) {
    PfExpr x = *entry(w, k, j), y = *entry(w, k + 1, j);
    rows[2*j] = *entry(w, k, j) = tidy(w, pf_expr_div(ctx, determinant(ctx, x, b, y, d), below));
    rows[2*j + 1] = *entry(w, k + 1, j) = tidy(w, pf_expr_div(ctx, determinant(ctx, a, x, c, y), below));
  }
  PfExpr x = w->f[w->row[k]], y = w->f[w->row[k + 1]];
  f[0] = w->f[w->row[k]] = tidy(w, pf_expr_div(ctx, determinant(ctx, x, b, y, d), below));
  f[1] = w->f[w->row[k + 1]] = tidy(w, pf_expr_div(ctx, determinant(ctx, a, x, c, y), below));
  w->size[w->row[k]] = w->size[w->row[k + 1]] = w->size[w->row[k]]*w->size[w->row[k + 1]]/size;
  for (int i = 0; i < w->m; i++)
    if (i != k && i != k + 1) {
      /* Takes (p q) times the rows k and k + 1, which are solved, off a row: p and q stand before their unknowns. */
      PfExpr p = *entry(w, i, k), q = *entry(w, i, k + 1);
      if (pf_expr_is_structural_zero(ctx, p) && pf_expr_is_structural_zero(ctx, q)) continue;
      w->size[w->row[i]] += w->size[w->row[k]]*fabs(value_at(w, p, w->sample->generic)) +
                            w->size[w->row[k + 1]]*fabs(value_at(w, q, w->sample->generic));
      for (int j = k; j < w->n; j++) {
        PfExpr off = pf_expr_add(ctx, pf_expr_mul(ctx, p, rows[2*j]), pf_expr_mul(ctx, q, rows[2*j + 1]));
        *entry(w, i, j) = tidy(w, pf_expr_sub(ctx, *entry(w, i, j), off));
      }
      PfExpr off = pf_expr_add(ctx, pf_expr_mul(ctx, p, f[0]), pf_expr_mul(ctx, q, f[1]));
      w->f[w->row[i]] = tidy(w, pf_expr_sub(ctx, w->f[w->row[i]], off));
    }
  return pf_expr_check(ctx);
}

static PfStatus run(Work *w, PfArena *arena, const PfExpr *A, const PfExpr *f)
{
  PfElimination *e = w->result;
  *e = (PfElimination){.determinant = pf_expr_int(w->ctx, 1)};
  PF_TRY(pf_arrays(w->ctx, arena, "the elimination", PF_ROOM(e->divisors, w->m), PF_ROOM(e->divisor_sizes, w->m)));
  PF_TRY(load_rows(w, arena, A, f));
  while (w->rank < w->m && w->rank < w->n && choose_pivot(w)) {
    if (w->paired) PF_TRY(eliminate_pair(w, arena));
    else eliminate_column(w);
    PF_TRY(pf_expr_check(w->ctx));
    w->rank += w->paired ? 2 : 1;
  }
  /* x1 = d - K x2 from the eliminated rows; e->unsolved is a row of which nothing is left but a right side that
   * is not zero, or -1. */
  int r = w->rank, free = w->n - r;
  e->rank = r;
  e->column = w->column;
  e->row = w->row;
  e->residual = w->f;
  e->A = w->A;
  e->determinant = tidy(w, e->determinant);
  PF_TRY(pf_arrays(w->ctx, arena, "the elimination", PF_ROOM2(e->K, r, free), PF_ROOM(e->d, r)));
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < free; j++) e->K[i*free + j] = *entry(w, i, r + j);
    e->d[i] = w->f[w->row[i]];
  }
  e->unsolved = -1;
  for (int i = w->m - 1; i >= r; i--) {
    int row = w->row[i];
    if (pf_expr_is_structural_zero(w->ctx, w->f[row])) continue;
    if (fabs(value_at(w, w->f[row], w->sample->generic)) > 1e-9*(1 + w->size[row])) e->unsolved = row;
  }
  PF_TRY(pf_expr_check(w->ctx));
  return w->status;
}

PfStatus pf_eliminate(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int m, int n, int first,
                      const PfExpr *A, const PfExpr *f, PfElimination *elimination)
{
  Work w = {.ctx = ctx, .sample = sample, .m = m, .n = n, .first = first, .result = elimination};
  return run(&w, arena, A, f);
}

PfStatus pf_eliminate_constants(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int m, int n,
                                const PfExpr *A, const PfExpr *f, PfElimination *elimination)
{
  Work w = {.ctx = ctx, .sample = sample, .m = m, .n = n, .first = m, .constants = true, .result = elimination};
  return run(&w, arena, A, f);
}

void pf_elimination_keep_rows(const PfElimination *e, int n, PfExpr *A, PfExpr *f)
{
  for (int i = 0, last = -1; i < e->rank; i++) {
    int next = INT_MAX;
    for (int k = 0; k < e->rank; k++)
      if (e->row[k] > last && e->row[k] < next) next = e->row[k];
    memmove(A + (size_t)i*(size_t)n, A + (size_t)next*(size_t)n, (size_t)n*sizeof *A);
    f[i] = f[next];
    last = next;
  }
}
