/* SPDX-License-Identifier: Apache-2.0 */
/* Where a form of the equations holds: what was divided by, as short as it can be said. */
#include "mech/mech_impl.h"

typedef struct Work {
  PfContext *ctx;
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
  Work w = {.ctx = ctx, .first = eq->model->parameter_count};
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
