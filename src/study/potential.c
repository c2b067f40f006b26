/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals of closed forms by rules: coordinate after coordinate, term after term.
 *
 * F = int f_1 dx_1 + int (f_2 - dF/dx_2) dx_2 + …: for a closed form each rest depends on later coordinates only. The
 * rules for one term and one coordinate x are tried in order: powers, f(u) u', parts, products of circular functions.
 * PF_EXPR_NONE stands for a term that no rule can integrate. */
#include "study/integrability.h"

/* Does e depend on the symbol x? */
static bool contains(PfContext *ctx, PfExpr e, PfExpr x)
{
  return pf_expr_depends(ctx, e, &x, 1);
}

/* ---------------------------------------------------------------- one term */

/* c with a = c*b, if c does not contain x; else PF_EXPR_NONE. */
static PfExpr constant_ratio(PfContext *ctx, PfExpr a, PfExpr b, PfExpr x)
{
  if (pf_expr_is_structural_zero(ctx, b)) return PF_EXPR_NONE;
  PfExpr ratio = pf_expr_div(ctx, a, b);
  if (contains(ctx, ratio, x)) ratio = pf_expr_simplest(ctx, ratio);
  return contains(ctx, ratio, x) ? PF_EXPR_NONE : ratio;
}

/* term = c u^k u': c u^(k+1)/(k+1), or c log u */
static PfExpr by_power(PfContext *ctx, PfExpr term, PfExpr u, PfExpr k, PfExpr x)
{
  PfExpr slope = pf_expr_diff(ctx, u, x);
  PfExpr c = constant_ratio(ctx, term, pf_expr_mul(ctx, pf_expr_pow(ctx, u, k), slope), x);
  if (c == PF_EXPR_NONE) return PF_EXPR_NONE;
  if (pf_expr_is_int(ctx, k, -1)) return pf_expr_mul(ctx, c, pf_expr_call1(ctx, PF_OP_LOG, u));
  PfExpr more = pf_expr_add(ctx, k, pf_expr_int(ctx, 1));
  return pf_expr_div(ctx, pf_expr_mul(ctx, c, pf_expr_pow(ctx, u, more)), more);
}

/* The functions whose integral over the argument is another of them, times a sign. */
static bool next_integral(PfOp *op, int *sign)
{
  switch (*op) {
  case PF_OP_SIN: *op = PF_OP_COS, *sign = -*sign; return true;
  case PF_OP_COS: *op = PF_OP_SIN; return true;
  case PF_OP_SINH: *op = PF_OP_COSH; return true;
  case PF_OP_COSH: *op = PF_OP_SINH; return true;
  case PF_OP_EXP: return true;
  default: return false;
  }
}

/* term = c f(u) u' */
static PfExpr by_function(PfContext *ctx, PfExpr term, PfExpr f, PfExpr x)
{
  PfOp op = pf_expr_op(ctx, f);
  int sign = 1;
  if (!next_integral(&op, &sign)) return PF_EXPR_NONE;
  PfExpr u = pf_expr_arg(ctx, f, 0);
  PfExpr c = constant_ratio(ctx, term, pf_expr_mul(ctx, f, pf_expr_diff(ctx, u, x)), x);
  if (c == PF_EXPR_NONE) return PF_EXPR_NONE;
  return pf_expr_mul(ctx, pf_expr_mul(ctx, pf_expr_int(ctx, sign), c), pf_expr_call1(ctx, op, u));
}

/* term = p f(u), p a polynomial in x and u linear in it: int p f = p F1 - p' F2 + p'' F3 - … with the repeated
 * integrals F of f. */
static PfExpr by_parts(PfContext *ctx, PfExpr term, PfExpr f, PfExpr x)
{
  enum { MOST_POWER = 6 };
  PfOp op = pf_expr_op(ctx, f);
  int sign = 1;
  if (!next_integral(&op, &sign)) return PF_EXPR_NONE;
  PfExpr u = pf_expr_arg(ctx, f, 0), slope = pf_expr_diff(ctx, u, x), p = pf_expr_div(ctx, term, f);
  if (contains(ctx, slope, x)) return PF_EXPR_NONE;
  PfExpr sum = pf_expr_int(ctx, 0), scale = pf_expr_div(ctx, pf_expr_int(ctx, 1), slope);
  for (int k = 0; k <= MOST_POWER; k++) {
    PfExpr part[] = {pf_expr_int(ctx, sign), p, scale, pf_expr_call1(ctx, op, u)};
    sum = pf_expr_add(ctx, sum, pf_expr_product(ctx, part, 4));
    p = pf_expr_neg(ctx, pf_expr_diff(ctx, p, x));
    if (pf_expr_is_structural_zero(ctx, p)) return sum;
    scale = pf_expr_div(ctx, scale, slope);
    (void)next_integral(&op, &sign);
  }
  return PF_EXPR_NONE;
}

/* Products of two sines and cosines, and squares, as sums: 2 cos a cos b = cos(a - b) + cos(a + b) and so on. */
static PfExpr product_of_two(PfContext *ctx, PfExpr f, PfExpr g)
{
  PfOp F = pf_expr_op(ctx, f), G = pf_expr_op(ctx, g);
  if ((F != PF_OP_SIN && F != PF_OP_COS) || (G != PF_OP_SIN && G != PF_OP_COS)) return PF_EXPR_NONE;
  PfExpr a = pf_expr_arg(ctx, f, 0), b = pf_expr_arg(ctx, g, 0);
  PfExpr minus = pf_expr_sub(ctx, a, b), plus = pf_expr_add(ctx, a, b), first, second;
  bool sine = F != G;
  PfOp op = sine ? PF_OP_SIN : PF_OP_COS;
  first = pf_expr_call1(ctx, op, minus);
  second = pf_expr_call1(ctx, op, plus);
  if (F == PF_OP_SIN && G == PF_OP_SIN) second = pf_expr_neg(ctx, second);
  if (F == PF_OP_COS && G == PF_OP_SIN) first = pf_expr_neg(ctx, first);
  return pf_expr_div(ctx, pf_expr_add(ctx, first, second), pf_expr_int(ctx, 2));
}

static PfExpr integrate_sum(PfContext *ctx, PfExpr e, PfExpr x, int depth);

/* term = rest f g with f and g sines or cosines: their product as a sum, whose terms are integrated one by one. */
static PfExpr by_sum(PfContext *ctx, PfExpr term, PfExpr f, PfExpr g, PfExpr x, int depth)
{
  PfExpr sum = product_of_two(ctx, f, g);
  if (sum == PF_EXPR_NONE) return PF_EXPR_NONE;
  PfExpr rest = pf_expr_div(ctx, pf_expr_div(ctx, term, f), g), parts = pf_expr_int(ctx, 0);
  for (int i = 1; pf_expr_op(ctx, sum) == PF_OP_SUM && i < pf_expr_arg_count(ctx, sum); i += 2) {
    PfExpr c = pf_expr_mul(ctx, pf_expr_arg(ctx, sum, i), pf_expr_arg(ctx, sum, i + 1));
    parts = pf_expr_add(ctx, parts, pf_expr_mul(ctx, rest, c));
  }
  PfExpr number = pf_expr_op(ctx, sum) == PF_OP_SUM ? pf_expr_arg(ctx, sum, 0) : sum;
  return integrate_sum(ctx, pf_expr_add(ctx, parts, pf_expr_mul(ctx, rest, number)), x, depth + 1);
}

/* How many factors the term has; 1 when it is not a product. */
static int factors_of(PfContext *ctx, PfExpr term)
{
  return pf_expr_op(ctx, term) == PF_OP_PRODUCT ? pf_expr_arg_count(ctx, term)/2 : 1;
}

/* The base of factor i; the term itself when it is not a product. */
static PfExpr base_of(PfContext *ctx, PfExpr term, int i)
{
  return pf_expr_op(ctx, term) == PF_OP_PRODUCT ? pf_expr_arg(ctx, term, 2*i) : term;
}

/* The exponent of factor i. */
static PfExpr exponent_of(PfContext *ctx, PfExpr term, int i)
{
  return pf_expr_op(ctx, term) == PF_OP_PRODUCT ? pf_expr_arg(ctx, term, 2*i + 1) : pf_expr_int(ctx, 1);
}

/* By the product of factor i with itself, where its exponent is 2, or with a later factor that contains x. */
static PfExpr by_two_factors(PfContext *ctx, PfExpr term, int i, PfExpr x, int depth)
{
  PfExpr f = base_of(ctx, term, i);
  if (pf_expr_is_int(ctx, exponent_of(ctx, term, i), 2)) return by_sum(ctx, term, f, f, x, depth);
  for (int k = i + 1; k < factors_of(ctx, term); k++) {
    PfExpr g = base_of(ctx, term, k);
    if (!contains(ctx, g, x) || !pf_expr_is_int(ctx, exponent_of(ctx, term, k), 1)) continue;
    PfExpr integral = by_sum(ctx, term, f, g, x, depth);
    if (integral != PF_EXPR_NONE) return integral;
  }
  return PF_EXPR_NONE;
}

/* The integral over x of one term, by the first rule that fits one of its factors. `depth` counts the sums that the
 * rules have made. */
static PfExpr integrate_term(PfContext *ctx, PfExpr term, PfExpr x, int depth)
{
  if (!contains(ctx, term, x)) return pf_expr_mul(ctx, term, x);
  for (int rule = 0; rule < 4; rule++)
    for (int i = 0; i < factors_of(ctx, term); i++) {
      PfExpr f = base_of(ctx, term, i), k = exponent_of(ctx, term, i), integral;
      if (!contains(ctx, f, x) || !pf_expr_is_number(ctx, k, NULL)) continue;
      if (rule == 0) integral = by_power(ctx, term, f, k, x);
      else if (rule == 1) integral = by_function(ctx, term, f, x);
      else if (rule == 2) integral = by_parts(ctx, term, f, x);
      else integral = by_two_factors(ctx, term, i, x, depth);
      if (integral != PF_EXPR_NONE) return integral;
    }
  return PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- sums */

/* The integral over x, term by term; none when one term has none, or the rules go round in circles. */
static PfExpr integrate_sum(PfContext *ctx, PfExpr e, PfExpr x, int depth)
{
  enum { MOST_DEPTH = 4 };
  if (depth > MOST_DEPTH) return PF_EXPR_NONE;
  if (pf_expr_op(ctx, e) != PF_OP_SUM) return integrate_term(ctx, e, x, depth);
  PfExpr sum = pf_expr_mul(ctx, pf_expr_arg(ctx, e, 0), x);
  for (int i = 1; i < pf_expr_arg_count(ctx, e); i += 2) {
    PfExpr part = integrate_term(ctx, pf_expr_arg(ctx, e, i + 1), x, depth);
    if (part == PF_EXPR_NONE) return PF_EXPR_NONE;
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, pf_expr_arg(ctx, e, i), part));
  }
  return sum;
}

/* The product c*(a + b + …) of a sum is multiplied out once, since only its terms can be integrated. */
static PfExpr spread(PfContext *ctx, PfExpr e)
{
  int factors = factors_of(ctx, e);
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) return e;
  for (int i = 0; i < factors; i++) {
    PfExpr sum = base_of(ctx, e, i);
    if (pf_expr_op(ctx, sum) != PF_OP_SUM || !pf_expr_is_int(ctx, exponent_of(ctx, e, i), 1)) continue;
    PfExpr rest = pf_expr_div(ctx, e, sum), all = pf_expr_mul(ctx, rest, pf_expr_arg(ctx, sum, 0));
    for (int k = 1; k < pf_expr_arg_count(ctx, sum); k += 2) {
      PfExpr term = pf_expr_mul(ctx, pf_expr_arg(ctx, sum, k), pf_expr_arg(ctx, sum, k + 1));
      all = pf_expr_add(ctx, all, pf_expr_mul(ctx, rest, term));
    }
    return all;
  }
  return e;
}

/* As it is, multiplied out, and in the shortest form. */
static PfExpr integrate(PfContext *ctx, PfExpr e, PfExpr x)
{
  PfExpr short_form = pf_expr_simplest(ctx, e);
  PfExpr attempts[] = {e, short_form, spread(ctx, e), spread(ctx, short_form)};
  for (size_t i = 0; i < sizeof attempts/sizeof *attempts; i++) {
    PfExpr integral = integrate_sum(ctx, attempts[i], x, 0);
    if (integral != PF_EXPR_NONE) return integral;
  }
  return PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- forms */

/* By form, or by random values that the exact test does not contradict. */
static bool is_zero(PfContext *ctx, PfExpr e)
{
  if (pf_expr_is_structural_zero(ctx, e)) return true;
  return pf_expr_is_probably_zero(ctx, e, 2) == PF_TRUE && pf_expr_is_zero(ctx, e) != PF_FALSE;
}

/* F with dF = form, by the coordinates in their order (step 1) or backwards (-1): one of them may have integrals where
 * the other has not. The part of the form that the coordinates so far leave over must not contain them any more; in the
 * end all derivatives of F are compared with the form. */
static PfExpr build(PfContext *ctx, const PfExpr *x, int n, const PfExpr *form, int step)
{
  PfExpr F = pf_expr_int(ctx, 0);
  for (int k = 0; k < n; k++) {
    int j = step > 0 ? k : n - 1 - k;
    PfExpr rest = pf_expr_sub(ctx, form[j], pf_expr_diff(ctx, F, x[j]));
    if (is_zero(ctx, rest)) continue;
    rest = pf_expr_simplest(ctx, rest);
    PfExpr more = integrate(ctx, rest, x[j]);
    if (more == PF_EXPR_NONE) return PF_EXPR_NONE;
    F = pf_expr_add(ctx, F, more);
  }
  for (int j = 0; j < n; j++)
    if (!is_zero(ctx, pf_expr_sub(ctx, form[j], pf_expr_diff(ctx, F, x[j])))) return PF_EXPR_NONE;
  return pf_expr_simplest(ctx, F);
}

/* The result is in the context. */
PfStatus pf_potential_find(PfContext *ctx, const PfExpr *x, int n, const PfExpr *form, PfExpr *potential)
{
  *potential = build(ctx, x, n, form, 1);
  if (*potential == PF_EXPR_NONE) *potential = build(ctx, x, n, form, -1);
  return pf_expr_check(ctx);
}
