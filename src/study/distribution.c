/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of admissible velocities. A basis is found by elimination with expressions, guided by values at the
 * point of interest: in a prime field for exact decisions, in doubles where the point is not known exactly. Nothing
 * is multiplied out, so expressions stay as small as the work that made them. */
#include "study/distribution.h"

#include "base/base.h"
#include "form/exact.h"
#include "model/model.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* The shortest form of an expression, unless it is too long for that: the length is not computed where that would take
 * longer than the result is worth. */
static PfExpr simplified(PfContext *ctx, PfExpr e)
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

/* Multiples of pi first: 1.5707963267948966 is pi/2 rather than a fraction. */
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

/* In exact numbers where the values have them, so that decisions about ranks stay exact; in place. */
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

/* The Pfaffian forms of the constraints, sum A_ij dq_j + a_i dt = 0, by names and with the values of parameters: the
 * rows of A, and, of a constraint at velocity level, its value at rest. Time is a coordinate only where it
 * occurs. */
static PfStatus make_forms(PfDistribution *d)
{
  PfContext *ctx = d->ctx;
  const PfEquations *eq = d->eq;
  const PfModel *model = eq->model;
  const int n = eq->n, wide = n + 1, size = d->m*wide;
  PfExpr *rows;
  PF_TRY(pf_arrays(ctx, d->arena, "the distribution of admissible velocities", PF_ROOM(rows, size),
                   PF_ROOM(d->x, wide), PF_ROOM(d->forms, size), PF_ROOM(d->valued, size)));
  for (int i = 0; i < d->m; i++) {
    memcpy(rows + i*wide, eq->A + (size_t)i*(size_t)n, (size_t)n*sizeof *rows);
    PF_TRY(pf_put_velocities(model, NULL, eq->velocity + i, 1, rows + i*wide + n));
  }
  PF_TRY(pf_insert_inputs(ctx, model, rows, (size_t)size));
  PF_TRY(pf_model_expand(model, rows, size, rows));
  for (int i = 0; i < size; i++)
    d->timed = d->timed || (i%wide == n && !pf_expr_is_structural_zero(ctx, rows[i])) ||
               pf_expr_depends(ctx, rows[i], &model->time, 1);
  d->n = d->timed ? wide : n;
  for (int i = 0; i < d->m; i++)
    for (int j = 0; j < d->n; j++) d->forms[i*d->n + j] = rows[i*wide + j];
  for (int j = 0; j < n; j++) d->x[j] = model->coordinates[j].q;
  d->x[n] = model->time;
  memcpy(d->valued, d->forms, (size_t)d->m*(size_t)d->n*sizeof *d->forms);
  return pf_put_parameters(ctx, model, d->parameters, d->valued, d->m*d->n);
}

/* The constraints are looked at in the order of the model, and the first that does not fit is reported at its place. */
PfStatus pf_distribution_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                              PfDistribution *distribution)
{
  *distribution = (PfDistribution){
      .ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters, .m = equations->m};
  for (int i = 0; i < equations->model->constraint_count; i++) {
    const PfConstraint *c = equations->model->constraints + i;
    if (c->kind != PF_NONLINEAR && c->kind != PF_ACCELERATION) continue;
    pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is %s: its admissible velocities are no distribution",
               c->name, c->kind == PF_NONLINEAR ? "not linear in the velocities" : "one of accelerations");
    pf_hint(ctx, "integrability is a question about constraints that are linear in the velocities");
    return PF_ERR_MODEL;
  }
  return make_forms(distribution);
}

/* ---------------------------------------------------------------- values at an anchor */

/* Tries random points by increasing seeds. Half of the elements of a field have no square root, so that each square
 * root in the expressions doubles the number of tries. */
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

/* The failure where the forms have no values. */
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

/* Values of expressions at the anchor: in doubles at given numbers, else exactly in a prime field, at the given
 * configuration or at a random point. */
static PfStatus evaluate(const PfDistribution *d, const PfAnchor *anchor, const PfExpr *e, int count, Values *v)
{
  *v = (Values){0};
  if (!anchor->numbers) {
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
  PF_TRY(pf_arrays(d->ctx, d->arena, "the distribution of admissible velocities", PF_ROOM(v->real, count)));
  PF_TRY(pf_expr_evaluate(d->ctx, e, count, d->x, anchor->numbers, d->n, v->real));
  return pf_first_not_finite(v->real, (size_t)count) < 0 ? PF_OK : undefined(d->ctx, anchor);
}

/* ---------------------------------------------------------------- ranks */

/* Exactly by elimination in a prime field; in doubles by singular values, of which those below 1e-8 of the largest are
 * zero. Then `independent` is not filled. */
PfStatus pf_rank_at(const PfDistribution *d, const PfAnchor *anchor, const PfExpr *rows, int count, int *rank,
                    int *independent)
{
  Values v;
  size_t size = (size_t)count*(size_t)d->n;
  int *which = independent ? independent : pf_arena_array(d->arena, int, count);
  uint64_t *work = pf_arena_array(d->arena, uint64_t, size);
  if (!which || !work) return pf_no_room(d->ctx, "the distribution of admissible velocities");
  PF_TRY(evaluate(d, anchor, rows, (int)size, &v));
  if (v.real) {
    const double tolerance = 1e-8; /* brackets of smooth fields at a point that is known to about 1e-12 */
    int least = count < d->n ? count : d->n;
    double *s = pf_arena_array(d->arena, double, least);
    if (!s) return pf_no_room(d->ctx, "the distribution of admissible velocities");
    *rank = 0;
    if (!least) return PF_OK;
    PF_TRY(pf_svd(d->ctx, v.real, count, d->n, s, NULL, NULL));
    while (*rank < least && s[*rank] > tolerance*s[0] && s[*rank] > 0) ++*rank;
    return PF_OK;
  }
  *rank = pf_exact_independent_rows(&v.field, v.exact, count, d->n, work, which);
  return PF_OK;
}

/* ---------------------------------------------------------------- a basis by elimination */

/* Gauss and Jordan's elimination of A, by expressions and by their values side by side. */
typedef struct Work {
  const PfDistribution *d;
  int m, n, rank;
  PfExpr *A;         /* m x n, by rows */
  Values v;          /* of A */
  int *row, *column; /* order of both: the first `rank` are those of pivots */
  int divisor_count;
  PfExpr *divisors; /* pivots that contain coordinates */
} Work;

/* The place of an entry of A, by the order of rows and columns. */
static int entry(const Work *w, int i, int j)
{
  return w->row[i]*w->n + w->column[j];
}

/* How large the remaining entry is at the anchor: in a field, where all are as good, 1. */
static double size_left(const Work *w, int i, int j)
{
  const int e = entry(w, i, j);
  return w->v.real ? fabs(w->v.real[e]) : w->v.exact[e] ? 1 : 0;
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

/* The next pivot of the elimination with the least cost, of those that are large at the anchor; false when all that is
 * left vanishes there. Lower is better: constants before expressions that may vanish elsewhere, then little fill, then
 * short ones. Time is never solved for while something else can be. */
static bool choose_pivot(Work *w)
{
  PfContext *ctx = w->d->ctx;
  const int k = w->rank;
  double largest = 0, best = INFINITY;
  int best_row = -1, best_column = -1;
  for (int i = k; i < w->m; i++)
    for (int j = k; j < w->n; j++) largest = fmax(largest, size_left(w, i, j));
  if (!(largest > (w->v.real ? 1e-9 : 0))) return false;
  for (int i = k; i < w->m; i++)
    for (int j = k; j < w->n; j++) {
      if (!(size_left(w, i, j) > 0.1*largest)) continue;
      PfExpr e = w->A[entry(w, i, j)];
      double moving = pf_expr_depends(ctx, e, w->d->x, w->d->n) ? 1e6 : 0;
      double time = w->d->timed && w->column[j] == w->n - 1 ? 1e9 : 0;
      double c = time + moving + 10*fill(w, i, j) + fmin((double)pf_expr_length(ctx, e), 1e4)/1e3;
      if (c < best) best = c, best_row = i, best_column = j;
    }
  if (best_row < 0) return false;
  const int row = w->row[k], column = w->column[k];
  w->row[k] = w->row[best_row], w->row[best_row] = row;
  w->column[k] = w->column[best_column], w->column[best_column] = column;
  return true;
}

/* Gauss and Jordan; the pivot's column itself is not needed afterwards. */
static void eliminate(Work *w)
{
  int k = w->rank;
  PfExpr pivot = w->A[entry(w, k, k)];
  if (pf_expr_depends(w->d->ctx, pivot, w->d->x, w->n)) w->divisors[w->divisor_count++] = pivot;
  for (int j = k + 1; j < w->n; j++) {
    int to = entry(w, k, j);
    int by = entry(w, k, k);
    w->A[to] = simplified(w->d->ctx, pf_expr_div(w->d->ctx, w->A[to], w->A[by]));
    if (w->v.real) w->v.real[to] /= w->v.real[by];
    else
      w->v.exact[to] = pf_field_multiply(&w->v.field, w->v.exact[to], pf_field_invert(&w->v.field, w->v.exact[by]));
  }
  for (int i = 0; i < w->m; i++)
    for (int j = k + 1; j < w->n && i != k; j++)
      if (!pf_expr_is_structural_zero(w->d->ctx, w->A[entry(w, i, k)])) {
        /* a[to] -= factor*a[from], with expressions and values. */
        int to = entry(w, i, j);
        int factor = entry(w, i, k);
        int from = entry(w, k, j);
        PfContext *ctx = w->d->ctx;
        w->A[to] = pf_expr_sub(ctx, w->A[to], pf_expr_mul(ctx, w->A[factor], w->A[from]));
        if (w->v.real) w->v.real[to] -= w->v.real[factor]*w->v.real[from];
        else
          w->v.exact[to] = pf_field_subtract(&w->v.field, w->v.exact[to],
                                             pf_field_multiply(&w->v.field, w->v.exact[factor], w->v.exact[from]));
      }
}

/* The length in print of all components of a field. */
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
    for (int j = 0; j < w->n; j++) scaled[j] = simplified(w->d->ctx, pf_expr_mul(w->d->ctx, X[j], w->divisors[k]));
    if (field_length(w, scaled) <= field_length(w, X) + SLACK) memcpy(X, scaled, (size_t)w->n*sizeof *X);
  }
  return PF_OK;
}

/* By elimination with the pivots that choose_pivot finds at the anchor: n - rank fields, each with one free coordinate
 * that moves by 1, and dependent ones that move by -A; a field may be multiplied by the divisors. The expressions are
 * those of the context, the list is in the arena of the distribution. */
PfStatus pf_distribution_span(const PfDistribution *d, const PfAnchor *anchor, PfFields *fields)
{
  size_t size = (size_t)d->m*(size_t)d->n;
  Work w = {.d = d, .m = d->m, .n = d->n};
  PF_TRY(pf_arrays(d->ctx, d->arena, "the distribution of admissible velocities", PF_ROOM(w.A, size),
                   PF_ROOM(w.row, d->m), PF_ROOM(w.column, d->n), PF_ROOM(w.divisors, d->m)));
  if (size) memcpy(w.A, d->valued, size*sizeof *w.A);
  for (int i = 0; i < w.m; i++) w.row[i] = i;
  for (int j = 0; j < w.n; j++) w.column[j] = j;
  PF_TRY(evaluate(d, anchor, w.A, (int)size, &w.v));
  while (w.rank < w.m && w.rank < w.n && choose_pivot(&w)) {
    eliminate(&w);
    PF_TRY(pf_expr_check(d->ctx));
    w.rank++;
  }
  /* Field a: 1 at the a-th free coordinate, -A at the dependent ones; or a multiple. */
  PfContext *ctx = w.d->ctx;
  size_t n = (size_t)w.n;
  fields->count = w.n - w.rank;
  fields->at = pf_arena_array(w.d->arena, PfExpr, (size_t)fields->count*n);
  if (!fields->at) return pf_no_room(ctx, "the distribution of admissible velocities");
  for (int a = 0; a < fields->count; a++) {
    PfExpr *X = fields->at + (size_t)a*n;
    for (int j = 0; j < w.n; j++) X[j] = pf_expr_int(ctx, 0);
    X[w.column[w.rank + a]] = pf_expr_int(ctx, 1);
    for (int i = 0; i < w.rank; i++)
      X[w.column[i]] = simplified(ctx, pf_expr_neg(ctx, w.A[entry(&w, i, w.rank + a)]));
    PF_TRY(clear_divisors(&w, X));
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- brackets */

/* Component j is sum_k X_k dY_j/dx_k - Y_k dX_j/dx_k, in the shortest form. `out` must not be X or Y. */
PfStatus pf_lie_bracket(const PfDistribution *d, const PfExpr *X, const PfExpr *Y, PfExpr *out)
{
  PfArena *scratch = pf_context_scratch(d->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *other = pf_arena_array(scratch, PfExpr, d->n);
  PfStatus status = other ? pf_expr_derive_along(d->ctx, Y, d->n, d->x, X, d->n, out)
                          : pf_no_room(d->ctx, "the distribution of admissible velocities");
  if (status == PF_OK) status = pf_expr_derive_along(d->ctx, X, d->n, d->x, Y, d->n, other);
  for (int j = 0; status == PF_OK && j < d->n; j++) out[j] = simplified(d->ctx, pf_expr_sub(d->ctx, out[j], other[j]));
  pf_arena_release(scratch, mark);
  return status == PF_OK ? pf_expr_check(d->ctx) : status;
}
