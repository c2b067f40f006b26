/* SPDX-License-Identifier: Apache-2.0 */
/* Products b1^e1 b2^e2 …, bases in order of creation, like bases collected, the number in front kept
 * outside (3*x*y is the sum of one term 3*(x*y)). A product inside a product is taken apart unless it is
 * long. */
#include "expr/expr_impl.h"

#include <math.h>
#include <string.h>

/* Begins with the product 1. */
void pf_product_begin(ProductBuilder *product, PfExprTable *table)
{
  product->table = table;
  product->coefficient = pf_number_int(1);
  product->factors.at = product->few;
  product->factors.count = 0;
  product->factors.room = sizeof product->few/sizeof *product->few;
  product->failed = product->zero_division = false;
}

/* Adds a factor to the list. */
static void push_factor(ProductBuilder *product, PfExpr base, PfExpr exponent)
{
  if (product->factors.count == product->factors.room) {
    size_t room = 2*product->factors.room;
    Factor *factors = pf_arena_array(pf_context_scratch(product->table->ctx), Factor, room);
    if (!factors) {
      product->failed = true;
      return;
    }
    memcpy(factors, product->factors.at, product->factors.count*sizeof *factors);
    product->factors.at = factors;
    product->factors.room = room;
  }
  product->factors.at[product->factors.count++] = (Factor){base, exponent};
}

static void push_number_factor(ProductBuilder *product, Number factor)
{
  product->coefficient = pf_number_mul(product->table, product->coefficient, factor);
}

/* ---------------------------------------------------------------- numbers to a power */

/* The largest s with s*s dividing n, for small n. */
static int64_t square_part(int64_t n)
{
  int64_t square = 1;
  for (int64_t p = 2; p <= 1000 && p <= n/p; p++)
    while (n%(p*p) == 0) {
      n /= p*p;
      square *= p;
    }
  int64_t root = (int64_t)llround(sqrt((double)n));
  return root <= 3037000499 && root*root == n ? square*root : square;
}

/* number^(k/2), k odd: number^((k-1)/2) times the root, with the square part taken out and a rational denominator:
 * sqrt(8/3) = 2/3*sqrt(6). */
static void push_half_power(ProductBuilder *product, Number value, int64_t k, PfExpr half)
{
  PfExprTable *table = product->table;
  Number outside, inside, whole = value;
  push_number_factor(product, pf_number_pow(table, value, (k - 1)/2));
  if (pf_number_is_narrow(value)) whole = pf_number_mul(table, pf_number_int(value.num), pf_number_int(value.den));
  if (pf_number_is_narrow(whole)) {
    int64_t root = square_part(whole.num);
    outside = pf_number_rational(table, root, value.den);
    inside = pf_number_int(whole.num/root/root);
  } else {
    pf_number_root(table, value, &outside, &inside);
  }
  if (!pf_number_is_narrow(inside)) { /* a product of a few such roots would have no value as a double */
    push_factor(product, pf_intern_number(table, value), half);
    return;
  }
  push_number_factor(product, outside);
  if (!pf_number_is(inside, 1)) push_factor(product, pf_intern_number(table, inside), half);
}

/* A power of a number: whole powers are worked out, square roots get their whole part in front, so that sqrt(12) is
 * 2*sqrt(3); powers with doubles become doubles. */
static void push_number_power(ProductBuilder *product, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = product->table;
  Number value = number_of(table, base);
  int sign = pf_number_sign(value);
  if (is_integer(table, exponent)) {
    int64_t k = number_of(table, exponent).num;
    if (sign == 0 && k < 0) product->zero_division = true;
    else push_number_factor(product, pf_number_pow(table, value, k));
  } else if (is_number(table, exponent) && sign == 0) {
    if (pf_number_sign(number_of(table, exponent)) < 0) product->zero_division = true;
    push_number_factor(product, pf_number_int(0));
  } else if (pf_number_is(value, 1)) {
    return;
  } else if (is_number(table, exponent) && sign > 0 && pf_number_is_exact(value) &&
             number_of(table, exponent).den == 2) {
    push_half_power(product, value, number_of(table, exponent).num, pf_expr_rational(table->ctx, 1, 2));
  } else if (is_number(table, exponent) && sign > 0 &&
             (!pf_number_is_exact(value) || !pf_number_is_exact(number_of(table, exponent)))) {
    double power = pow(pf_number_value(value), pf_number_value(number_of(table, exponent)));
    push_number_factor(product, pf_number_double(power));
  } else {
    push_factor(product, base, exponent);
  }
}

/* ---------------------------------------------------------------- sums and products to a power */

/* A power of a sum: its content comes in front, so that (2 x + 2)^2 is 4 (x + 1)^2; with a broken exponent only of a
 * single term with a positive coefficient. */
static void push_sum_power(ProductBuilder *product, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = product->table;
  Number content;
  PfExpr rest;
  pf_expr_content(table, base, &content, &rest);
  bool single = op_of(table, rest) != PF_OP_SUM;
  if (is_integer(table, exponent)) {
    push_number_factor(product, pf_number_pow(table, content, number_of(table, exponent).num));
    if (single) pf_product_push(product, rest, exponent);
    else push_factor(product, rest, exponent);
  } else if (single && pf_number_sign(content) > 0) {
    push_number_power(product, pf_intern_number(table, content), exponent);
    pf_product_push(product, rest, exponent);
  } else {
    push_factor(product, base, exponent);
  }
}

/* A power of a product: a whole exponent goes to each factor, unless the product is long; and (x^2k)^(1/2) = |x|^k.
 * Other products stay whole under a broken power. */
static void push_product_power(ProductBuilder *product, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = product->table;
  if (!is_integer(table, exponent)) {
    PfExpr inner = args_of(table, base)[0], power = args_of(table, base)[1];
    Number k = is_number(table, power) ? number_of(table, power) : pf_number_int(1);
    bool even = node_of(table, base)->count == 2 && pf_number_is_integer(k) && k.num%2 == 0;
    if (even && is_number(table, exponent)) {
      PfExpr size = pf_expr_call1(table->ctx, PF_OP_ABS, inner);
      PfExpr total = pf_intern_number(table, pf_number_mul(table, k, number_of(table, exponent)));
      pf_product_push(product, size, total);
      return;
    }
  }
  if (!is_integer(table, exponent) || is_long_product(table, base)) {
    push_factor(product, base, exponent);
    return;
  }
  bool one = pf_number_is(number_of(table, exponent), 1);
  for (uint32_t i = 0; i < node_of(table, base)->count; i += 2) {
    PfExpr inner = args_of(table, base)[i], power = args_of(table, base)[i + 1];
    if (one) push_factor(product, inner, power);
    else pf_product_push(product, inner, pf_expr_mul(table->ctx, power, exponent));
  }
}

/* Multiplies by base^exponent. Powers of numbers, sums and products are taken apart as far as that is exact; 0 to a
 * negative power makes the result PF_EXPR_NONE. */
void pf_product_push(ProductBuilder *product, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = product->table;
  if (base == PF_EXPR_NONE || exponent == PF_EXPR_NONE) {
    product->failed = true;
    return;
  }
  PfOp op = op_of(table, base);
  if (is_number(table, base)) push_number_power(product, base, exponent);
  else if (op == PF_OP_SUM) push_sum_power(product, base, exponent);
  else if (op == PF_OP_PRODUCT) push_product_power(product, base, exponent);
  else push_factor(product, base, exponent);
}

/* ---------------------------------------------------------------- collecting */

/* Adds the exponents of equal bases; says whether a merged power must be taken apart again, as
 * sqrt(2)*sqrt(2), sqrt(x*y)^2 or |x|^2. */
static bool collect_like_bases(ProductBuilder *product)
{
  PfExprTable *table = product->table;
  Factor *factors = product->factors.at;
  size_t kept = 0;
  bool again = false;
  for (size_t i = 0; i < product->factors.count;) {
    Factor factor = factors[i++];
    bool merged = false;
    for (; i < product->factors.count && factors[i].base == factor.base; i++, merged = true)
      factor.exponent = pf_expr_add(table->ctx, factor.exponent, factors[i].exponent);
    if (factor.exponent == PF_EXPR_NONE) {
      product->failed = true;
      return false;
    }
    if (pf_expr_is_int(table->ctx, factor.exponent, 0)) continue;
    PfOp op = op_of(table, factor.base);
    again = again || (merged && (is_number(table, factor.base) || op == PF_OP_SUM || op == PF_OP_PRODUCT));
    factors[kept++] = factor;
  }
  product->factors.count = kept;
  return again;
}

/* Sorts the factors and joins powers of equal bases, |x|^2 = x^2, until nothing needs to be taken apart again. */
static void settle(ProductBuilder *product)
{
  PfExprTable *table = product->table;
  for (int round = 0; round < 8 && !product->failed; round++) {
    if (!pf_sort_by_handle(table, product->factors.at, product->factors.count, sizeof(Factor))) product->failed = true;
    bool again = !product->failed && collect_like_bases(product);
    for (size_t i = 0; i < product->factors.count && !product->failed; i++) {
      Factor *factor = product->factors.at + i;
      if (op_of(table, factor->base) != PF_OP_ABS || !is_integer(table, factor->exponent)) continue;
      if (number_of(table, factor->exponent).num%2) continue;
      factor->base = args_of(table, factor->base)[0];
      again = true;
    }
    if (!again) return;
    size_t count = product->factors.count;
    Factor *factors = pf_arena_array(pf_context_scratch(table->ctx), Factor, count);
    if (!factors) {
      product->failed = true;
      return;
    }
    memcpy(factors, product->factors.at, count*sizeof *factors);
    product->factors.count = 0;
    for (size_t i = 0; i < count; i++) pf_product_push(product, factors[i].base, factors[i].exponent);
  }
}

/* The product as an expression: factors sorted by handle, powers of the same base joined, the number in front. */
PfExpr pf_product_end(ProductBuilder *product)
{
  PfExprTable *table = product->table;
  settle(product);
  if (product->zero_division) return pf_expr_poison(table, PF_ERR_NUMBER, "division by zero");
  if (product->failed) return pf_expr_poison(table, PF_ERR_MEMORY, "no room for a long product");
  if (product->factors.count == 0 || pf_number_is(product->coefficient, 0))
    return pf_intern_number(table, product->coefficient);
  const Factor *first = product->factors.at;
  bool single = product->factors.count == 1 && pf_expr_is_int(table->ctx, first->exponent, 1);
  PfExpr rest = single ? first->base
                       : pf_intern(table, PF_OP_PRODUCT, &first->base, (uint32_t)(2*product->factors.count));
  if (rest == PF_EXPR_NONE || pf_number_is(product->coefficient, 1)) return rest;
  return pf_expr_scale(table, product->coefficient, rest);
}

/* ---------------------------------------------------------------- public */

/* The product of powers; without exponents, of the bases themselves. */
static PfExpr combine(PfContext *ctx, const PfExpr *bases, const PfExpr *exponents, int count)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return PF_EXPR_NONE;
  PfExpr one = exponents ? PF_EXPR_NONE : pf_expr_int(ctx, 1);
  PfMark mark = pf_arena_mark(pf_context_scratch(ctx));
  ProductBuilder product;
  pf_product_begin(&product, table);
  for (int i = 0; i < count; i++) pf_product_push(&product, bases[i], exponents ? exponents[i] : one);
  PfExpr result = pf_product_end(&product);
  pf_arena_release(pf_context_scratch(ctx), mark);
  return result;
}

PfExpr pf_expr_mul(PfContext *ctx, PfExpr a, PfExpr b)
{
  return combine(ctx, (PfExpr[]){a, b}, NULL, 2);
}

PfExpr pf_expr_div(PfContext *ctx, PfExpr a, PfExpr b)
{
  return combine(ctx, (PfExpr[]){a, b}, (PfExpr[]){pf_expr_int(ctx, 1), pf_expr_int(ctx, -1)}, 2);
}

PfExpr pf_expr_pow(PfContext *ctx, PfExpr base, PfExpr exponent)
{
  return combine(ctx, &base, &exponent, 1);
}

PfExpr pf_expr_pow_int(PfContext *ctx, PfExpr base, int exponent)
{
  return pf_expr_pow(ctx, base, pf_expr_int(ctx, exponent));
}

PfExpr pf_expr_sqrt(PfContext *ctx, PfExpr a)
{
  return pf_expr_pow(ctx, a, pf_expr_rational(ctx, 1, 2));
}

PfExpr pf_expr_product(PfContext *ctx, const PfExpr *factors, int count)
{
  return combine(ctx, factors, NULL, count);
}
