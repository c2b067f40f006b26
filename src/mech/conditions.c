/* SPDX-License-Identifier: Apache-2.0 */
/* Where a form of the equations holds: what was divided by, as short as it can be said. */
#include "mech/mech_impl.h"

typedef struct Work {
  PfContext *ctx;
  const PfModel *model;
  PfSymbols symbols;
  int first; /* of the symbols that are no parameters: all that moves */
} Work;

/* Made of numbers and parameters only: a matter of the model, not of the configuration. */
static bool is_constant(const Work *w, PfExpr e)
{
  return !pf_expr_depends(w->ctx, e, w->symbols.symbol + w->first, w->symbols.count - w->first);
}

static bool is_even(const Work *w, PfExpr exponent)
{
  int64_t num, den;
  return pf_expr_is_rational(w->ctx, exponent, &num, &den) && den == 1 && num%2 == 0;
}

static bool is_positive(const Work *w, PfExpr e, int depth);

/* An even power, or a product of such and of what is positive. */
static bool is_no_less_than_zero(const Work *w, PfExpr e, int depth)
{
  PfOp op = pf_expr_op(w->ctx, e);
  if (op == PF_OP_ABS || is_positive(w, e, depth)) return true;
  if (op != PF_OP_PRODUCT) return false;
  for (int i = 0; i < pf_expr_arg_count(w->ctx, e); i += 2)
    if (!is_even(w, pf_expr_arg(w->ctx, e, i + 1)) && !is_no_less_than_zero(w, pf_expr_arg(w->ctx, e, i), depth - 1))
      return false;
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

static bool is_listed(const PfExpr *list, int count, PfExpr e)
{
  for (int i = 0; i < count; i++)
    if (list[i] == e) return true;
  return false;
}

PfStatus pf_conditions_find(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfExpr *divisors, int count,
                            PfDerivation *d)
{
  Work w = {.ctx = ctx, .model = eq->model, .first = eq->model->parameter_count};
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &w.symbols));
  d->divisor_count = 0;
  d->divisors = pf_arena_array(arena, PfExpr, count);
  if (!d->divisors) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < count; i++) {
    PfExpr e = essence(&w, pf_expr_simplest(ctx, divisors[i]));
    if (pf_expr_is_int(ctx, e, 1) || is_listed(d->divisors, d->divisor_count, e)) continue;
    d->divisors[d->divisor_count++] = e;
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- what the printed formulas divide by */

/* Is it a factor of one that is listed, or one itself? */
static bool is_told(const Work *w, const PfDerivation *d, PfExpr e)
{
  for (int i = 0; i < d->divisor_count; i++) {
    PfExpr told = d->divisors[i];
    if (told == e || told == pf_expr_neg(w->ctx, e)) return true;
    for (int k = 0; pf_expr_op(w->ctx, told) == PF_OP_PRODUCT && k < pf_expr_arg_count(w->ctx, told); k += 2)
      if (pf_expr_arg(w->ctx, told, k) == e) return true;
  }
  return false;
}

static bool is_coordinate(const Work *w, PfExpr e)
{
  for (int i = 0; i < w->model->coordinate_count; i++)
    if (w->model->coordinates[i].q == e) return true;
  return false;
}

/* Sines, cosines and coordinates vanish somewhere for certain; whether a sum does is not known here. */
static PfExpr surely_vanishing(const Work *w, PfExpr base)
{
  PfContext *ctx = w->ctx;
  PfOp op = pf_expr_op(ctx, base);
  if (op == PF_OP_TAN) base = pf_expr_call1(ctx, PF_OP_SIN, pf_expr_arg(ctx, base, 0));
  bool vanishes = op == PF_OP_SIN || op == PF_OP_COS || op == PF_OP_TAN || is_coordinate(w, base);
  return vanishes && !is_constant(w, base) ? base : PF_EXPR_NONE;
}

/* What one node divides by: the first factor below its fraction line from number k on; a tangent by its cosine. */
static PfExpr divided_by(const Work *w, PfExpr node, int *k)
{
  PfContext *ctx = w->ctx;
  PfOp op = pf_expr_op(ctx, node);
  if (op == PF_OP_TAN && (*k)++ == 0) {
    PfExpr cosine = pf_expr_call1(ctx, PF_OP_COS, pf_expr_arg(ctx, node, 0));
    return is_constant(w, cosine) ? PF_EXPR_NONE : cosine;
  }
  for (; op == PF_OP_PRODUCT && *k < pf_expr_arg_count(ctx, node); *k += 2) {
    double exponent = 0;
    bool below = pf_expr_is_number(ctx, pf_expr_arg(ctx, node, *k + 1), &exponent) && exponent < 0;
    PfExpr e = below ? surely_vanishing(w, pf_expr_arg(ctx, node, *k)) : PF_EXPR_NONE;
    if (e == PF_EXPR_NONE) continue;
    *k += 2;
    return e;
  }
  return PF_EXPR_NONE;
}

static PfStatus list_formulas(PfContext *ctx, PfArena *arena, const PfDerivation *d, PfExpr **nodes, int *count)
{
  int roots = 2*d->equation_count + d->part_count;
  PfExpr *list = pf_arena_array(arena, PfExpr, roots);
  if (!list) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < d->equation_count; i++)
    list[2*i] = d->equations[i].left, list[2*i + 1] = d->equations[i].right;
  for (int i = 0; i < d->part_count; i++) list[2*d->equation_count + i] = d->part_values[i];
  return pf_expr_reach(ctx, arena, list, roots, nodes, count);
}

PfStatus pf_conditions_complete(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  enum { MOST = 24 };
  Work w = {.ctx = ctx, .model = eq->model, .first = eq->model->parameter_count};
  PfExpr *nodes, *divisors = pf_arena_array(arena, PfExpr, d->divisor_count + MOST);
  int count, told = d->divisor_count;
  if (!divisors) return pf_no_room(ctx, "the equations");
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &w.symbols));
  PF_TRY(list_formulas(ctx, arena, d, &nodes, &count));
  for (int i = 0; i < told; i++) divisors[i] = d->divisors[i];
  d->divisors = divisors;
  for (int i = 0; i < count; i++)
    for (int k = 0;;) {
      PfExpr e = divided_by(&w, nodes[i], &k);
      if (e == PF_EXPR_NONE || d->divisor_count == told + MOST) break;
      if (!is_told(&w, d, e)) d->divisors[d->divisor_count++] = e;
    }
  return pf_expr_check(ctx);
}
