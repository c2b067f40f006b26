/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of admissible velocities. A basis is found by elimination with expressions, guided by values at the
 * point of interest: in a prime field for exact decisions, in doubles where the point is not known exactly. Nothing
 * is multiplied out, so expressions stay as small as the work that made them. */
#include "study/distribution.h"

#include "base/base.h"
#include "form/exact.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* The length is not asked for where it would take longer than the answer is worth. */
PfExpr pf_tidy(PfContext *ctx, PfExpr e)
{
  enum { MANY_NODES = 80, LONG_ENTRY = 600 };
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes;
  int count = 0;
  if (e == PF_EXPR_NONE || pf_expr_reach(ctx, scratch, &e, 1, &nodes, &count) != PF_OK) count = MANY_NODES;
  pf_arena_release(scratch, mark);
  return count >= MANY_NODES || pf_expr_length(ctx, e) > LONG_ENTRY ? e : pf_expr_simplest(ctx, e);
}

/* ---------------------------------------------------------------- numbers */

/* A fraction with a small denominator next to the number, by continued fractions; false when there is none within two
 * units of the last place. */
static bool near_fraction(double value, int64_t *num, int64_t *den)
{
  const double most = 1e6;
  double rest = value, n0 = 0, n1 = 1, d0 = 1, d1 = 0;
  for (int i = 0; i < 40; i++) {
    double whole = floor(rest), n = whole*n1 + n0, d = whole*d1 + d0;
    if (!(fabs(n) < 1e15) || d > most) return false;
    n0 = n1, n1 = n;
    d0 = d1, d1 = d;
    if (fabs(n/d - value) <= 5e-16*fabs(value)) {
      *num = (int64_t)n, *den = (int64_t)d;
      return true;
    }
    rest = 1/(rest - whole);
  }
  return false;
}

bool pf_exact_number(PfContext *ctx, double value, PfExpr *exact)
{
  int64_t num, den;
  if (near_fraction(value/3.14159265358979323846, &num, &den) && den <= 360 && num != 0) {
    *exact = pf_expr_mul(ctx, pf_expr_rational(ctx, num, den), pf_expr_pi(ctx));
    return true;
  }
  if (!near_fraction(value, &num, &den)) return false;
  *exact = pf_expr_rational(ctx, num, den);
  return true;
}

/* ---------------------------------------------------------------- the forms */

PfStatus pf_put_parameters(PfContext *ctx, const PfModel *model, const double *parameters, PfExpr *e, int count)
{
  for (int k = model->parameter_count; k-- > 0;) { /* the later ones first: they may contain earlier ones */
    int i = model->parameter_order[k];
    const PfParameter *p = model->parameters + i;
    bool given = parameters && !isnan(parameters[i]);
    PfExpr value = p->value;
    if (given && !pf_exact_number(ctx, parameters[i], &value)) value = pf_expr_shortest(ctx, parameters[i]);
    if (value != PF_EXPR_NONE) PF_TRY(pf_expr_substitute(ctx, e, count, &p->symbol, &value, 1, e));
  }
  return pf_expr_check(ctx);
}

static PfStatus check_linear(PfContext *ctx, const PfModel *model)
{
  for (int i = 0; i < model->constraint_count; i++) {
    const PfConstraint *c = model->constraints + i;
    if (c->kind != PF_NONLINEAR && c->kind != PF_ACCELERATION) continue;
    pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is %s: its admissible velocities are no distribution",
               c->name, c->kind == PF_NONLINEAR ? "not linear in the velocities" : "one of accelerations");
    pf_hint(ctx, "integrability is a question about constraints that are linear in the velocities");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* What is left of a constraint at velocity level when nothing moves: the coefficient of dt. */
static PfStatus free_term(PfContext *ctx, const PfEquations *eq, int row, PfExpr *term)
{
  *term = eq->velocity[row];
  PfExpr zero = pf_expr_int(ctx, 0);
  for (int j = 0; j < eq->n; j++)
    PF_TRY(pf_expr_substitute(ctx, term, 1, &eq->model->coordinates[j].v, &zero, 1, term));
  return PF_OK;
}

/* The rows of A with the free terms beside them, in terms of coordinates, time and parameters that have no other. */
static PfStatus write_rows(PfDistribution *d, PfExpr *rows)
{
  const PfEquations *eq = d->eq;
  int wide = eq->n + 1;
  for (int i = 0; i < d->m; i++) {
    memcpy(rows + (size_t)i*(size_t)wide, eq->A + (size_t)i*(size_t)eq->n, (size_t)eq->n*sizeof *rows);
    PF_TRY(free_term(d->ctx, eq, i, rows + (size_t)i*(size_t)wide + eq->n));
  }
  PF_TRY(pf_insert_inputs(d->ctx, eq->model, rows, (size_t)(d->m*wide)));
  return pf_model_expand(eq->model, rows, d->m*wide, rows);
}

static bool needs_time(const PfDistribution *d, const PfExpr *rows)
{
  int wide = d->eq->n + 1;
  for (int i = 0; i < d->m*wide; i++) {
    if (i%wide == wide - 1 && !pf_expr_is_structural_zero(d->ctx, rows[i])) return true;
    if (pf_expr_depends(d->ctx, rows[i], &d->eq->model->time, 1)) return true;
  }
  return false;
}

static PfStatus make_forms(PfDistribution *d)
{
  int n = d->eq->n, wide = n + 1;
  size_t size = (size_t)d->m*(size_t)wide;
  PfExpr *rows = pf_arena_array(d->arena, PfExpr, size);
  d->x = pf_arena_array(d->arena, PfExpr, wide);
  d->forms = pf_arena_array(d->arena, PfExpr, size);
  d->valued = pf_arena_array(d->arena, PfExpr, size);
  if (!rows || !d->x || !d->forms || !d->valued) return pf_no_room(d->ctx, "the distribution of admissible velocities");
  PF_TRY(write_rows(d, rows));
  d->timed = needs_time(d, rows);
  d->n = d->timed ? wide : n;
  for (int i = 0; i < d->m; i++)
    for (int j = 0; j < d->n; j++) d->forms[i*d->n + j] = rows[i*wide + j];
  for (int j = 0; j < n; j++) d->x[j] = d->eq->model->coordinates[j].q;
  d->x[n] = d->eq->model->time;
  memcpy(d->valued, d->forms, (size_t)d->m*(size_t)d->n*sizeof *d->forms);
  return pf_put_parameters(d->ctx, d->eq->model, d->parameters, d->valued, d->m*d->n);
}

PfStatus pf_distribution_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                              PfDistribution *distribution)
{
  *distribution = (PfDistribution){
      .ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters, .m = equations->m};
  PF_TRY(check_linear(ctx, equations->model));
  return make_forms(distribution);
}

/* ---------------------------------------------------------------- values at an anchor */

bool pf_probe_somewhere(PfProbe *probe, int count, uint64_t *seed, uint64_t *values)
{
  enum { TRIES = 64 };
  int roots = pf_probe_square_roots(probe);
  for (long tries = (long)TRIES << (roots < 8 ? roots : 8); tries > 0; tries--) {
    pf_probe_evaluate(probe, (*seed)++, values);
    int i = 0;
    while (i < count && values[i] != PF_UNDEFINED) i++;
    if (i == count) return true;
  }
  return false;
}

/* Numbers of more than 1024 bits have become doubles. */
static PfStatus check_exact(PfContext *ctx, const PfExpr *e, int count)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes;
  int node_count = 0, doubles = 0;
  PfStatus status = pf_expr_reach(ctx, scratch, e, count, &nodes, &node_count);
  for (int i = 0; status == PF_OK && i < node_count; i++) doubles += pf_expr_op(ctx, nodes[i]) == PF_OP_DOUBLE;
  pf_arena_release(scratch, mark);
  if (status != PF_OK || !doubles) return status;
  return pf_fail(ctx, PF_ERR_NUMBER, "numbers at this configuration are too long for exact arithmetic");
}

static PfStatus undefined(PfContext *ctx, const PfAnchor *anchor)
{
  const char *where = anchor->at || anchor->numbers ? "at this configuration" : "at any point that was tried";
  return pf_fail(ctx, PF_ERR_NUMBER, "the constraints, or brackets of what they admit, are not defined %s", where);
}

/* Numbers of expressions at the anchor: elements of a field (with that field), or doubles. */
typedef struct Values {
  PfField field;
  uint64_t *exact;
  double *real;
} Values;

static PfStatus evaluate_exactly(const PfDistribution *d, const PfAnchor *anchor, const PfExpr *e, int count, Values *v)
{
  PfExpr *roots = pf_arena_array(d->arena, PfExpr, count);
  PfProbe *probe;
  uint64_t seed = 1;
  v->exact = pf_arena_array(d->arena, uint64_t, count);
  if (!roots || !v->exact) return pf_no_room(d->ctx, "the distribution of admissible velocities");
  memcpy(roots, e, (size_t)count*sizeof *e);
  if (anchor->at) PF_TRY(pf_expr_substitute(d->ctx, roots, count, d->x, anchor->at, d->n, roots));
  PF_TRY(pf_expr_check(d->ctx));
  if (anchor->at) PF_TRY(check_exact(d->ctx, roots, count));
  PF_TRY(pf_probe_make(d->ctx, d->arena, roots, count, &probe));
  bool good = pf_probe_next_field(probe) && pf_probe_somewhere(probe, count, &seed, v->exact);
  if (!good) return undefined(d->ctx, anchor);
  v->field = *pf_probe_field(probe);
  return PF_OK;
}

static PfStatus evaluate_numbers(const PfDistribution *d, const PfAnchor *anchor, const PfExpr *e, int count, Values *v)
{
  v->real = pf_arena_array(d->arena, double, count);
  if (!v->real) return pf_no_room(d->ctx, "the distribution of admissible velocities");
  PF_TRY(pf_expr_evaluate(d->ctx, e, count, d->x, anchor->numbers, d->n, v->real));
  return pf_first_not_finite(v->real, (size_t)count) < 0 ? PF_OK : undefined(d->ctx, anchor);
}

static PfStatus evaluate(const PfDistribution *d, const PfAnchor *anchor, const PfExpr *e, int count, Values *v)
{
  *v = (Values){0};
  return anchor->numbers ? evaluate_numbers(d, anchor, e, count, v) : evaluate_exactly(d, anchor, e, count, v);
}

/* ---------------------------------------------------------------- ranks */

static PfStatus numeric_rank(const PfDistribution *d, const double *rows, int count, int *rank)
{
  const double tolerance = 1e-8; /* brackets of smooth fields at a point that is known to about 1e-12 */
  int least = count < d->n ? count : d->n;
  double *s = pf_arena_array(d->arena, double, least);
  if (!s) return pf_no_room(d->ctx, "the distribution of admissible velocities");
  *rank = 0;
  if (!least) return PF_OK;
  PF_TRY(pf_svd(d->ctx, rows, count, d->n, s, NULL, NULL));
  while (*rank < least && s[*rank] > tolerance*s[0] && s[*rank] > 0) ++*rank;
  return PF_OK;
}

PfStatus pf_rank_at(const PfDistribution *d, const PfAnchor *anchor, const PfExpr *rows, int count, int *rank,
                    int *independent)
{
  Values v;
  size_t size = (size_t)count*(size_t)d->n;
  int *which = independent ? independent : pf_arena_array(d->arena, int, count);
  uint64_t *work = pf_arena_array(d->arena, uint64_t, size);
  if (!which || !work) return pf_no_room(d->ctx, "the distribution of admissible velocities");
  PF_TRY(evaluate(d, anchor, rows, (int)size, &v));
  if (v.real) return numeric_rank(d, v.real, count, rank);
  *rank = pf_exact_independent_rows(&v.field, v.exact, count, d->n, work, which);
  return PF_OK;
}

/* ---------------------------------------------------------------- a basis by elimination */

typedef struct Work {
  const PfDistribution *d;
  int m, n, rank;
  PfExpr *A;
  Values v; /* of A */
  int *row, *column;
  int divisor_count;
  PfExpr *divisors; /* pivots that contain coordinates */
} Work;

static int entry(const Work *w, int i, int j)
{
  return w->row[i]*w->n + w->column[j];
}

/* The largest number that is left, to judge the others by; 1 in a field, where all are as good. */
static double largest_left(const Work *w)
{
  double most = 0;
  for (int i = w->rank; i < w->m; i++)
    for (int j = w->rank; j < w->n; j++) {
      int e = entry(w, i, j);
      most = fmax(most, w->v.real ? fabs(w->v.real[e]) : w->v.exact[e] ? 1 : 0);
    }
  return most;
}

static bool is_safe(const Work *w, int e, double largest)
{
  return w->v.real ? fabs(w->v.real[e]) > 0.1*largest : w->v.exact[e] != 0;
}

/* How many entries the pivot makes longer (Markowitz). */
static int fill(const Work *w, int i, int j)
{
  int right = 0, column = 0;
  for (int k = w->rank; k < w->n; k++)
    right += k != j && !pf_expr_is_structural_zero(w->d->ctx, w->A[entry(w, i, k)]);
  for (int k = 0; k < w->m; k++)
    column += k != i && !pf_expr_is_structural_zero(w->d->ctx, w->A[entry(w, k, j)]);
  return right*column;
}

/* Lower is better: constants before what may vanish elsewhere, then little fill, then short ones. Time is never
 * solved for while something else can be. */
static double cost(const Work *w, int i, int j)
{
  PfContext *ctx = w->d->ctx;
  PfExpr e = w->A[entry(w, i, j)];
  double moving = pf_expr_depends(ctx, e, w->d->x, w->d->n) ? 1e6 : 0;
  double time = w->d->timed && w->column[j] == w->n - 1 ? 1e9 : 0;
  return time + moving + 10*fill(w, i, j) + fmin((double)pf_expr_length(ctx, e), 1e4)/1e3;
}

static void swap(int *list, int i, int j)
{
  int t = list[i];
  list[i] = list[j];
  list[j] = t;
}

static bool choose_pivot(Work *w)
{
  double largest = largest_left(w), best = INFINITY;
  int best_row = -1, best_column = -1;
  if (!(largest > (w->v.real ? 1e-9 : 0))) return false;
  for (int i = w->rank; i < w->m; i++)
    for (int j = w->rank; j < w->n; j++) {
      if (!is_safe(w, entry(w, i, j), largest)) continue;
      double c = cost(w, i, j);
      if (c < best) best = c, best_row = i, best_column = j;
    }
  if (best_row < 0) return false;
  swap(w->row, w->rank, best_row);
  swap(w->column, w->rank, best_column);
  return true;
}

/* a[to] -= factor*a[from], with expressions and values. */
static void subtract(Work *w, int to, int factor, int from)
{
  PfContext *ctx = w->d->ctx;
  w->A[to] = pf_expr_sub(ctx, w->A[to], pf_expr_mul(ctx, w->A[factor], w->A[from]));
  if (w->v.real) w->v.real[to] -= w->v.real[factor]*w->v.real[from];
  else
    w->v.exact[to] = pf_field_subtract(&w->v.field, w->v.exact[to],
                                       pf_field_multiply(&w->v.field, w->v.exact[factor], w->v.exact[from]));
}

static void divide(Work *w, int to, int by)
{
  w->A[to] = pf_tidy(w->d->ctx, pf_expr_div(w->d->ctx, w->A[to], w->A[by]));
  if (w->v.real) w->v.real[to] /= w->v.real[by];
  else
    w->v.exact[to] = pf_field_multiply(&w->v.field, w->v.exact[to], pf_field_invert(&w->v.field, w->v.exact[by]));
}

/* Gauss and Jordan; the pivot's column itself is not needed afterwards. */
static void eliminate(Work *w)
{
  int k = w->rank;
  PfExpr pivot = w->A[entry(w, k, k)];
  if (pf_expr_depends(w->d->ctx, pivot, w->d->x, w->n)) w->divisors[w->divisor_count++] = pivot;
  for (int j = k + 1; j < w->n; j++) divide(w, entry(w, k, j), entry(w, k, k));
  for (int i = 0; i < w->m; i++)
    for (int j = k + 1; j < w->n && i != k; j++)
      if (!pf_expr_is_structural_zero(w->d->ctx, w->A[entry(w, i, k)]))
        subtract(w, entry(w, i, j), entry(w, i, k), entry(w, k, j));
}

static size_t field_length(const Work *w, const PfExpr *X)
{
  size_t length = 0;
  for (int j = 0; j < w->n; j++) length += pf_expr_length(w->d->ctx, X[j]);
  return length;
}

/* Times what was divided by, where that does not make the field longer: its direction is all that counts, and
 * (cos, sin) is defined where (1, tan) is not. */
static PfStatus clear_divisors(const Work *w, PfExpr *X)
{
  enum { LONG_FIELD = 600, SLACK = 10 };
  PfExpr *scaled = pf_arena_array(w->d->arena, PfExpr, w->n);
  int parts = 0;
  if (!scaled) return pf_no_room(w->d->ctx, "the distribution of admissible velocities");
  for (int j = 0; j < w->n; j++) parts += !pf_expr_is_structural_zero(w->d->ctx, X[j]);
  if (parts == 1) return PF_OK;
  for (int k = 0; k < w->divisor_count && field_length(w, X) < LONG_FIELD; k++) {
    for (int j = 0; j < w->n; j++) scaled[j] = pf_tidy(w->d->ctx, pf_expr_mul(w->d->ctx, X[j], w->divisors[k]));
    if (field_length(w, scaled) <= field_length(w, X) + SLACK) memcpy(X, scaled, (size_t)w->n*sizeof *X);
  }
  return PF_OK;
}

/* Field a: 1 at the a-th free coordinate, -A at the dependent ones; or a multiple. */
static PfStatus read_fields(const Work *w, PfFields *fields)
{
  PfContext *ctx = w->d->ctx;
  size_t n = (size_t)w->n;
  fields->count = w->n - w->rank;
  fields->at = pf_arena_array(w->d->arena, PfExpr, (size_t)fields->count*n);
  if (!fields->at) return pf_no_room(ctx, "the distribution of admissible velocities");
  for (int a = 0; a < fields->count; a++) {
    PfExpr *X = fields->at + (size_t)a*n;
    for (int j = 0; j < w->n; j++) X[j] = pf_expr_int(ctx, 0);
    X[w->column[w->rank + a]] = pf_expr_int(ctx, 1);
    for (int i = 0; i < w->rank; i++)
      X[w->column[i]] = pf_tidy(ctx, pf_expr_neg(ctx, w->A[entry(w, i, w->rank + a)]));
    PF_TRY(clear_divisors(w, X));
  }
  return pf_expr_check(ctx);
}

PfStatus pf_distribution_span(const PfDistribution *d, const PfAnchor *anchor, PfFields *fields)
{
  size_t size = (size_t)d->m*(size_t)d->n;
  Work w = {.d = d, .m = d->m, .n = d->n};
  w.A = pf_arena_array(d->arena, PfExpr, size);
  w.row = pf_arena_array(d->arena, int, d->m);
  w.column = pf_arena_array(d->arena, int, d->n);
  w.divisors = pf_arena_array(d->arena, PfExpr, d->m);
  if (!w.A || !w.row || !w.column || !w.divisors)
    return pf_no_room(d->ctx, "the distribution of admissible velocities");
  if (size) memcpy(w.A, d->valued, size*sizeof *w.A);
  for (int i = 0; i < w.m; i++) w.row[i] = i;
  for (int j = 0; j < w.n; j++) w.column[j] = j;
  PF_TRY(evaluate(d, anchor, w.A, (int)size, &w.v));
  while (w.rank < w.m && w.rank < w.n && choose_pivot(&w)) {
    eliminate(&w);
    PF_TRY(pf_expr_check(d->ctx));
    w.rank++;
  }
  return read_fields(&w, fields);
}

/* ---------------------------------------------------------------- brackets */

PfStatus pf_lie_bracket(const PfDistribution *d, const PfExpr *X, const PfExpr *Y, PfExpr *out)
{
  PfArena *scratch = pf_context_scratch(d->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *other = pf_arena_array(scratch, PfExpr, d->n);
  PfStatus status = other ? pf_expr_derive_along(d->ctx, Y, d->n, d->x, X, d->n, out)
                          : pf_no_room(d->ctx, "the distribution of admissible velocities");
  if (status == PF_OK) status = pf_expr_derive_along(d->ctx, X, d->n, d->x, Y, d->n, other);
  for (int j = 0; status == PF_OK && j < d->n; j++) out[j] = pf_tidy(d->ctx, pf_expr_sub(d->ctx, out[j], other[j]));
  pf_arena_release(scratch, mark);
  return status == PF_OK ? pf_expr_check(d->ctx) : status;
}
