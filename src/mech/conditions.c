/* SPDX-License-Identifier: Apache-2.0 */
/* Where a form of the equations holds: the divisors that must not vanish, as short as possible. */
#include "mech/mech_impl.h"

#include <math.h>

typedef struct Work {
  PfContext *ctx;
  const PfModel *model;
  PfSymbols symbols;
  int first; /* of the symbols that are not parameters: all that moves */
} Work;

/* Made of numbers and parameters only: a matter of the model, not of the configuration. */
static bool is_constant(const Work *w, PfExpr e)
{
  return !pf_expr_depends(w->ctx, e, w->symbols.symbol + w->first, w->symbols.count - w->first);
}

static bool is_positive(const Work *w, PfExpr e, int depth);

/* An even power, or a product of even powers and positive factors. */
static bool is_no_less_than_zero(const Work *w, PfExpr e, int depth)
{
  int64_t num, den;
  PfOp op = pf_expr_op(w->ctx, e);
  if (op == PF_OP_ABS || is_positive(w, e, depth)) return true;
  if (op != PF_OP_PRODUCT) return false;
  for (int i = 0; i < pf_expr_arg_count(w->ctx, e); i += 2) {
    bool even = pf_expr_is_rational(w->ctx, pf_expr_arg(w->ctx, e, i + 1), &num, &den) && den == 1 && num%2 == 0;
    if (!even && !is_no_less_than_zero(w, pf_expr_arg(w->ctx, e, i), depth - 1)) return false;
  }
  return true;
}

/* A positive number, plus squares: 1 + x^2. */
static bool is_positive_sum(const Work *w, PfExpr e, int depth)
{
  double value = 0;
  bool positive = pf_expr_is_number(w->ctx, pf_expr_arg(w->ctx, e, 0), &value) && value > 0;
  if (!(value >= 0)) return false;
  for (int i = 1; i < pf_expr_arg_count(w->ctx, e); i += 2) {
    PfExpr term = pf_expr_arg(w->ctx, e, i + 1);
    if (!pf_expr_is_number(w->ctx, pf_expr_arg(w->ctx, e, i), &value) || !(value > 0)) return false;
    if (!is_no_less_than_zero(w, term, depth)) return false;
    positive = positive || is_positive(w, term, depth);
  }
  return positive;
}

/* Is e positive for certain: made of positive numbers, pi, exp and cosh, and sums of such? */
static bool is_positive(const Work *w, PfExpr e, int depth)
{
  double value = 0;
  PfOp op = pf_expr_op(w->ctx, e);
  if (depth <= 0) return false;
  if (pf_expr_is_number(w->ctx, e, &value)) return value > 0;
  if (op == PF_OP_PI || op == PF_OP_EXP || op == PF_OP_COSH) return true;
  if (op == PF_OP_SUM) return is_positive_sum(w, e, depth - 1);
  if (op != PF_OP_PRODUCT) return false;
  for (int i = 0; i < pf_expr_arg_count(w->ctx, e); i += 2)
    if (!is_positive(w, pf_expr_arg(w->ctx, e, i), depth - 1)) return false;
  return true;
}

enum { DEEPEST = 8 };

/* The exponent of a base in a term: 0 where it does not occur. */
static double exponent_in(PfContext *ctx, PfExpr term, PfExpr base)
{
  double exponent = 0;
  if (term == base) return 1;
  if (pf_expr_op(ctx, term) != PF_OP_PRODUCT) return 0;
  for (int i = 0; i < pf_expr_arg_count(ctx, term); i += 2)
    if (pf_expr_arg(ctx, term, i) == base && !pf_expr_is_number(ctx, pf_expr_arg(ctx, term, i + 1), &exponent))
      return 0;
  return exponent;
}

/* A sum without a constant power that all of its terms have: L*sin(a) + L*sin(b) vanishes where sin(a) + sin(b) does.
 * The sum itself when there is none. */
static PfExpr without_constant(const Work *w, PfExpr sum)
{
  PfContext *ctx = w->ctx;
  const int count = pf_expr_arg_count(ctx, sum);
  if (!pf_expr_is_int(ctx, pf_expr_arg(ctx, sum, 0), 0)) return sum;
  const PfExpr first = pf_expr_arg(ctx, sum, 2);
  for (int i = 0; i < (pf_expr_op(ctx, first) == PF_OP_PRODUCT ? pf_expr_arg_count(ctx, first) : 2); i += 2) {
    PfExpr base = pf_expr_op(ctx, first) == PF_OP_PRODUCT ? pf_expr_arg(ctx, first, i) : first;
    double common = exponent_in(ctx, first, base);
    if (!is_constant(w, base)) continue;
    for (int k = 3; k < count; k += 2) {
      double own = exponent_in(ctx, pf_expr_arg(ctx, sum, k + 1), base);
      if (common > 0 ? own < common : own > common) common = own*common > 0 ? own : 0;
    }
    if (common == 0 || common != floor(common) || fabs(common) > 100) continue;
    PfExpr power = pf_expr_pow_int(ctx, base, (int)common), rest = pf_expr_int(ctx, 0);
    for (int k = 1; k < count; k += 2) {
      PfExpr term = pf_expr_mul(ctx, pf_expr_arg(ctx, sum, k), pf_expr_arg(ctx, sum, k + 1));
      rest = pf_expr_add(ctx, rest, pf_expr_div(ctx, term, power));
    }
    return rest;
  }
  return sum;
}

/* The same sum with coefficients that are not all negative, nor all the same number. */
static PfExpr without_number(PfContext *ctx, PfExpr sum)
{
  double first = 0, own = 0;
  bool negative = true, same = pf_expr_is_int(ctx, pf_expr_arg(ctx, sum, 0), 0);
  (void)pf_expr_is_number(ctx, pf_expr_arg(ctx, sum, same ? 1 : 0), &first);
  for (int k = same ? 1 : 0; k < pf_expr_arg_count(ctx, sum); k += k ? 2 : 1) {
    if (!pf_expr_is_number(ctx, pf_expr_arg(ctx, sum, k), &own)) return sum;
    negative = negative && own < 0;
    same = same && fabs(own) == fabs(first);
  }
  PfExpr factor = same ? pf_expr_arg(ctx, sum, 1) : pf_expr_int(ctx, 1), rest = pf_expr_int(ctx, 0);
  if (same && first < 0) factor = pf_expr_neg(ctx, factor);
  if (negative) factor = pf_expr_neg(ctx, factor);
  if (pf_expr_is_int(ctx, factor, 1)) return sum;
  if (!pf_expr_is_int(ctx, pf_expr_arg(ctx, sum, 0), 0))
    rest = pf_expr_div(ctx, pf_expr_arg(ctx, sum, 0), factor);
  for (int k = 1; k < pf_expr_arg_count(ctx, sum); k += 2) {
    PfExpr coefficient = pf_expr_div(ctx, pf_expr_arg(ctx, sum, k), factor);
    rest = pf_expr_add(ctx, rest, pf_expr_mul(ctx, coefficient, pf_expr_arg(ctx, sum, k + 1)));
  }
  return rest;
}

/* A factor that can vanish, without constants; the sine of a tangent; 1 for one that cannot vanish. */
static PfExpr essence(const Work *w, PfExpr e)
{
  PfContext *ctx = w->ctx;
  PfExpr before = PF_EXPR_NONE;
  if (pf_expr_op(ctx, e) == PF_OP_TAN) e = pf_expr_call1(ctx, PF_OP_SIN, pf_expr_arg(ctx, e, 0));
  while (pf_expr_op(ctx, e) == PF_OP_SUM && e != before) {
    before = e;
    e = without_number(ctx, without_constant(w, e));
  }
  return is_constant(w, e) || is_positive(w, e, DEEPEST) ? pf_expr_int(ctx, 1) : e;
}

/* Adds the essence of a factor, once. */
static void add_factor(const Work *w, PfDerivation *d, PfExpr e)
{
  PfContext *ctx = w->ctx;
  e = essence(w, e);
  bool listed = pf_expr_is_int(ctx, e, 1);
  for (int k = 0; k < d->divisor_count && !listed; k++)
    listed = d->divisors[k] == e || d->divisors[k] == pf_expr_neg(ctx, e);
  if (!listed) d->divisors[d->divisor_count++] = e;
}

/* Each divisor in its shortest form, factor by factor; those below a fraction line were divided by before. */
PfStatus pf_conditions_find(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfExpr *divisors, int count,
                            PfDerivation *d)
{
  Work w = {.ctx = ctx, .model = eq->model, .first = eq->model->parameter_count};
  int room = 0;
  PfExpr *list;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &w.symbols));
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(list, count)));
  for (int i = 0; i < count; i++) {
    list[i] = pf_expr_simplest(ctx, divisors[i]);
    if (pf_expr_op(ctx, list[i]) == PF_OP_SUM && pf_expr_arg_count(ctx, list[i]) == 3 &&
        pf_expr_is_int(ctx, pf_expr_arg(ctx, list[i], 0), 0))
      list[i] = pf_expr_arg(ctx, list[i], 2); /* a number times something */
    room += pf_expr_op(ctx, list[i]) == PF_OP_PRODUCT ? pf_expr_arg_count(ctx, list[i])/2 : 1;
  }
  d->divisor_count = 0;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(d->divisors, room)));
  for (int i = 0; i < count; i++) {
    bool product = pf_expr_op(ctx, list[i]) == PF_OP_PRODUCT;
    for (int k = 0; k < (product ? pf_expr_arg_count(ctx, list[i]) : 2); k += 2) {
      double exponent = 1;
      if (product) (void)pf_expr_is_number(ctx, pf_expr_arg(ctx, list[i], k + 1), &exponent);
      if (exponent > 0) add_factor(&w, d, product ? pf_expr_arg(ctx, list[i], k) : list[i]);
    }
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- what the printed formulas divide by */

/* The factor of a denominator by which it vanishes somewhere for certain: a sine, a cosine (a tangent by its sine) or a
 * coordinate. Whether a sum vanishes is not known here: PF_EXPR_NONE. */
static PfExpr surely_vanishing(const Work *w, PfExpr base)
{
  PfContext *ctx = w->ctx;
  PfOp op = pf_expr_op(ctx, base);
  if (op == PF_OP_TAN) base = pf_expr_call1(ctx, PF_OP_SIN, pf_expr_arg(ctx, base, 0));
  bool vanishes = op == PF_OP_SIN || op == PF_OP_COS || op == PF_OP_TAN;
  for (int i = 0; i < w->model->coordinate_count; i++) vanishes = vanishes || w->model->coordinates[i].q == base;
  return vanishes && !is_constant(w, base) ? base : PF_EXPR_NONE;
}

/* Adds a divisor unless it, its negative or a multiple of it is listed, or `most` are. False when there is no more
 * room. */
static bool add_divisor(const Work *w, PfDerivation *d, PfExpr e, int most)
{
  PfContext *ctx = w->ctx;
  if (d->divisor_count == most) return false;
  for (int i = 0; i < d->divisor_count; i++) {
    PfExpr listed = d->divisors[i];
    if (listed == e || listed == pf_expr_neg(ctx, e)) return true;
    for (int k = 0; pf_expr_op(ctx, listed) == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, listed); k += 2)
      if (pf_expr_arg(ctx, listed, k) == e) return true;
  }
  d->divisors[d->divisor_count++] = e;
  return true;
}

/* Is this tangent used in another way than as a divisor? 1/tan(x) is cos(x)/sin(x), which the cosine does not hurt.
 * Roots count as used so. */
static bool is_used_above(PfContext *ctx, PfExpr tangent, const PfExpr *nodes, int count, const PfExpr *roots,
                          int root_count)
{
  for (int i = 0; i < root_count; i++)
    if (roots[i] == tangent) return true;
  for (int i = 0; i < count; i++) {
    const bool product = pf_expr_op(ctx, nodes[i]) == PF_OP_PRODUCT;
    for (int k = 0; k < pf_expr_arg_count(ctx, nodes[i]); k++) {
      double exponent = 0;
      if (pf_expr_arg(ctx, nodes[i], k) != tangent) continue;
      if (!product || k%2 || !pf_expr_is_number(ctx, pf_expr_arg(ctx, nodes[i], k + 1), &exponent) || exponent >= 0)
        return true;
    }
  }
  return false;
}

/* Goes through all nodes of the printed formulas, for denominators of products and for tangents. At most so many are
 * added: formulas that divide by more are too long to be read. */
PfStatus pf_conditions_complete(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  enum { MOST = 24 };
  Work w = {.ctx = ctx, .model = eq->model, .first = eq->model->parameter_count};
  const int listed = d->divisor_count;
  PfExpr *nodes, *divisors, *roots;
  int count;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(divisors, listed + MOST)));
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &w.symbols));
  PF_TRY(pf_formulas_reach(ctx, arena, d->equations, d->equation_count, d->part_values, d->part_count, &roots, &nodes,
                           &count));
  for (int i = 0; i < listed; i++) divisors[i] = d->divisors[i];
  d->divisors = divisors;
  for (int i = 0; i < count; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    if (op == PF_OP_TAN && is_used_above(ctx, nodes[i], nodes, count, roots, 2*d->equation_count + d->part_count)) {
      /* divides by its cosine */
      PfExpr cosine = pf_expr_call1(ctx, PF_OP_COS, pf_expr_arg(ctx, nodes[i], 0));
      if (!is_constant(&w, cosine)) (void)add_divisor(&w, d, cosine, listed + MOST);
    }
    for (int k = 0; op == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, nodes[i]); k += 2) {
      double exponent = 0;
      bool below = pf_expr_is_number(ctx, pf_expr_arg(ctx, nodes[i], k + 1), &exponent) && exponent < 0;
      PfExpr e = below ? surely_vanishing(&w, pf_expr_arg(ctx, nodes[i], k)) : PF_EXPR_NONE;
      if (e != PF_EXPR_NONE && !add_divisor(&w, d, e, listed + MOST)) break;
    }
  }
  return pf_expr_check(ctx);
}
