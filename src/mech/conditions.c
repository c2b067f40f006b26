/* SPDX-License-Identifier: Apache-2.0 */
/* Where a form of the equations holds: the divisors that must not vanish, as short as possible. */
#include "mech/mech_impl.h"

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

/* The factors that can vanish, each once; those below the fraction line were divided by before. 1 when there are
 * none. */
static PfExpr essence(const Work *w, PfExpr e)
{
  PfContext *ctx = w->ctx;
  PfExpr result = pf_expr_int(ctx, 1);
  if (pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
      pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0))
    e = pf_expr_arg(ctx, e, 2); /* a number times something */
  if (is_constant(w, e) || is_positive(w, e, DEEPEST)) return result;
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) return e;
  for (int i = 0; i < pf_expr_arg_count(ctx, e); i += 2) {
    PfExpr base = pf_expr_arg(ctx, e, i);
    double exponent = 0;
    bool known = pf_expr_is_number(ctx, pf_expr_arg(ctx, e, i + 1), &exponent);
    if ((known && exponent < 0) || is_constant(w, base) || is_positive(w, base, DEEPEST)) continue;
    result = pf_expr_mul(ctx, result, base);
  }
  return result;
}

/* Each divisor in its shortest form, reduced to its essence; those that cannot vanish have the essence 1. */
PfStatus pf_conditions_find(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfExpr *divisors, int count,
                            PfDerivation *d)
{
  Work w = {.ctx = ctx, .model = eq->model, .first = eq->model->parameter_count};
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &w.symbols));
  d->divisor_count = 0;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(d->divisors, count)));
  for (int i = 0; i < count; i++) {
    PfExpr e = essence(&w, pf_expr_simplest(ctx, divisors[i]));
    bool listed = pf_expr_is_int(ctx, e, 1);
    for (int k = 0; k < d->divisor_count && !listed; k++) listed = d->divisors[k] == e;
    if (!listed) d->divisors[d->divisor_count++] = e;
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

/* Goes through all nodes of the printed formulas, for denominators of products and for tangents. At most so many are
 * added: formulas that divide by more are too long to be read. */
PfStatus pf_conditions_complete(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  enum { MOST = 24 };
  Work w = {.ctx = ctx, .model = eq->model, .first = eq->model->parameter_count};
  const int listed = d->divisor_count;
  PfExpr *nodes, *divisors;
  int count;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(divisors, listed + MOST)));
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &w.symbols));
  PF_TRY(pf_formulas_reach(ctx, arena, d->equations, d->equation_count, d->part_values, d->part_count, NULL, &nodes,
                           &count));
  for (int i = 0; i < listed; i++) divisors[i] = d->divisors[i];
  d->divisors = divisors;
  for (int i = 0; i < count; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    if (op == PF_OP_TAN) { /* divides by its cosine */
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
