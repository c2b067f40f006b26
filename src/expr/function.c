/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions: the cheap identities at construction, and the partial derivatives. */
#include "expr/expr_impl.h"

#include <assert.h>
#include <math.h>

typedef struct Function {
  PfOp op;
  const char *name;
  int arity;
} Function;

static const Function functions[] = {
#define PF_FUNCTION(op, name, arity) {op, name, arity},
#include "pfaff/functions.def"
#undef PF_FUNCTION
};

static const Function *function_of(PfOp op)
{
  int i = (int)op - (int)PF_OP_SIN;
  return i >= 0 && i < (int)(sizeof functions/sizeof *functions) ? functions + i : NULL;
}

const char *pf_function_name(PfOp op)
{
  const Function *function = function_of(op);
  return function ? function->name : NULL;
}

int pf_function_arity(PfOp op)
{
  const Function *function = function_of(op);
  return function ? function->arity : 0;
}

/* ---------------------------------------------------------------- sine and cosine */

/* sin(turn*pi) where it is rational or the square root of a rational; else PF_EXPR_NONE. */
static PfExpr exact_sine(PfExprTable *table, Number turn)
{
  PfContext *ctx = table->ctx;
  Number twelfths = pf_number_mul(table, turn, pf_number_int(12));
  if (!pf_number_is_integer(twelfths)) return PF_EXPR_NONE;
  int64_t i = ((twelfths.num%24) + 24)%24;
  bool negative = i >= 12;
  if (negative) i -= 12;
  if (i > 6) i = 12 - i;
  PfExpr value = PF_EXPR_NONE;
  switch (i) { /* sin(i*pi/12) */
  case 0: value = pf_expr_int(ctx, 0); break;
  case 2: value = pf_expr_rational(ctx, 1, 2); break;
  case 3: value = pf_expr_sqrt(ctx, pf_expr_rational(ctx, 1, 2)); break;
  case 4: value = pf_expr_sqrt(ctx, pf_expr_rational(ctx, 3, 4)); break;
  case 6: value = pf_expr_int(ctx, 1); break;
  default: return PF_EXPR_NONE;
  }
  return negative && value != PF_EXPR_NONE ? pf_expr_neg(ctx, value) : value;
}

/* sin and cos: exact at fractions of pi where that is short, turned by quarters of a turn, with a sign in front, and of
 * their inverse functions. PF_EXPR_NONE: nothing of this applies. */
static PfExpr simplify_trig(PfExprTable *table, PfOp op, PfExpr a)
{
  PfContext *ctx = table->ctx;
  PfExpr pi = pf_expr_pi(ctx), rest = a;
  Number turn = pf_number_int(a == pi); /* a = rest + turn*pi with a rational turn */
  if (op_of(table, a) == PF_OP_SUM && !is_long_sum(table, a))
    for (uint32_t i = 1; i < node_of(table, a)->count; i += 2)
      if (args_of(table, a)[i + 1] == pi && pf_number_is_narrow(number_of(table, args_of(table, a)[i])))
        turn = number_of(table, args_of(table, a)[i]);
  if (!pf_number_is(turn, 0)) rest = pf_expr_sub(ctx, a, pf_expr_scale(table, turn, pi));
  if (pf_expr_is_int(ctx, rest, 0)) {
    if (op == PF_OP_COS) turn = pf_number_add(table, turn, pf_number_rational(table, 1, 2));
    PfExpr exact = exact_sine(table, turn);
    if (exact != PF_EXPR_NONE) return exact;
  }
  Number quarters = pf_number_mul(table, turn, pf_number_int(2));
  if (!pf_number_is(turn, 0) && pf_number_is_integer(quarters)) {
    /* by quarter turns: sin, cos, -sin, -cos */
    int64_t quarter = ((quarters.num + (op == PF_OP_COS))%4 + 4)%4;
    PfExpr value = pf_expr_call1(ctx, quarter%2 ? PF_OP_COS : PF_OP_SIN, rest);
    return quarter >= 2 ? pf_expr_neg(ctx, value) : value;
  }
  if (pf_expr_is_negative(table, a)) {
    PfExpr value = pf_expr_call1(ctx, op, pf_expr_neg(ctx, a));
    return op == PF_OP_SIN ? pf_expr_neg(ctx, value) : value;
  }
  if (op == PF_OP_SIN && op_of(table, a) == PF_OP_ASIN) return args_of(table, a)[0];
  if (op == PF_OP_COS && op_of(table, a) == PF_OP_ACOS) return args_of(table, a)[0];
  return PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- one argument */

double pf_function_value(PfOp op, double a, double b)
{
  switch (op) {
  case PF_OP_SIN: return sin(a);
  case PF_OP_COS: return cos(a);
  case PF_OP_TAN: return tan(a);
  case PF_OP_ASIN: return asin(a);
  case PF_OP_ACOS: return acos(a);
  case PF_OP_ATAN: return atan(a);
  case PF_OP_SINH: return sinh(a);
  case PF_OP_COSH: return cosh(a);
  case PF_OP_TANH: return tanh(a);
  case PF_OP_EXP: return exp(a);
  case PF_OP_LOG: return log(a);
  case PF_OP_ABS: return fabs(a);
  case PF_OP_SIGN: return (a > 0) - (a < 0);
  case PF_OP_ATAN2: return atan2(a, b);
  case PF_OP_MIN: return a < b ? a : b;
  case PF_OP_MAX: return a < b ? b : a;
  case PF_OP_LESS: return a < b;
  case PF_OP_LESS_EQUAL: return a <= b;
  case PF_OP_EQUAL: return a == b;
  case PF_OP_AND: return a != 0 && b != 0;
  case PF_OP_OR: return a != 0 || b != 0;
  case PF_OP_NOT: return a == 0;
  default: return NAN;
  }
}

/* Values at 0 and 1 that are exact. */
static PfExpr exact_value(PfContext *ctx, PfOp op, PfExpr a)
{
  if (pf_expr_is_int(ctx, a, 0)) {
    if (op == PF_OP_COSH || op == PF_OP_EXP) return pf_expr_int(ctx, 1);
    if (op == PF_OP_ACOS) return pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_pi(ctx));
    if (op != PF_OP_LOG) return pf_expr_int(ctx, op == PF_OP_NOT);
  }
  if (pf_expr_is_int(ctx, a, 1)) {
    if (op == PF_OP_LOG || op == PF_OP_ACOS) return pf_expr_int(ctx, 0);
    if (op == PF_OP_ASIN) return pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_pi(ctx));
    if (op == PF_OP_ATAN) return pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 4), pf_expr_pi(ctx));
  }
  return PF_EXPR_NONE;
}

/* |x| is x where x cannot be negative: even powers, absolute values, exponentials. */
static bool is_never_negative(const PfExprTable *table, PfExpr a)
{
  PfOp op = op_of(table, a);
  if (op == PF_OP_ABS || op == PF_OP_EXP || op == PF_OP_COSH) return true;
  if (op != PF_OP_PRODUCT) return false;
  for (uint32_t i = 0; i < node_of(table, a)->count; i += 2) {
    PfExpr exponent = args_of(table, a)[i + 1];
    bool even = is_integer(table, exponent) && number_of(table, exponent).num%2 == 0;
    Number power = is_number(table, exponent) ? number_of(table, exponent) : pf_number_int(1);
    bool root = pf_number_is_narrow(power) && power.den%2 == 0;
    if (!even && !root) return false;
  }
  return true;
}

static PfExpr simplify_abs(PfExprTable *table, PfExpr a)
{
  Number content;
  PfExpr rest;
  if (is_number(table, a)) return pf_number_sign(number_of(table, a)) < 0 ? pf_expr_neg(table->ctx, a) : a;
  if (is_never_negative(table, a)) return a;
  pf_expr_content(table, a, &content, &rest);
  if (pf_number_is(content, 1)) return PF_EXPR_NONE;
  if (pf_number_sign(content) < 0) content = pf_number_negative(content);
  return pf_expr_scale(table, content, pf_expr_call1(table->ctx, PF_OP_ABS, rest));
}

/* The identities of functions of one argument: values at numbers, signs, inverse functions. PF_EXPR_NONE: none
 * applies. */
static PfExpr simplify1(PfExprTable *table, PfOp op, PfExpr a)
{
  PfContext *ctx = table->ctx;
  if (op == PF_OP_SIN || op == PF_OP_COS) {
    PfExpr trig = op_of(table, a) == PF_OP_DOUBLE ? PF_EXPR_NONE : simplify_trig(table, op, a);
    if (trig != PF_EXPR_NONE) return trig;
  }
  if (op == PF_OP_ABS) return simplify_abs(table, a);
  PfExpr exact = exact_value(ctx, op, a);
  if (exact != PF_EXPR_NONE) return exact;
  if (op_of(table, a) == PF_OP_DOUBLE || (is_number(table, a) && (op == PF_OP_SIGN || op == PF_OP_NOT)))
    return pf_expr_double(ctx, pf_function_value(op, pf_number_value(number_of(table, a)), 0));
  bool odd = op == PF_OP_TAN || op == PF_OP_ASIN || op == PF_OP_ATAN || op == PF_OP_SINH || op == PF_OP_TANH ||
             op == PF_OP_SIGN;
  if (odd && pf_expr_is_negative(table, a))
    return pf_expr_neg(ctx, pf_expr_call1(ctx, op, pf_expr_neg(ctx, a)));
  if (op == PF_OP_COSH && pf_expr_is_negative(table, a))
    return pf_expr_call1(ctx, op, pf_expr_neg(ctx, a));
  /* op(inverse(x)) = x for every x of the domain of the inverse function */
  PfOp inner = op_of(table, a);
  bool inverse = (op == PF_OP_TAN && inner == PF_OP_ATAN) || (op == PF_OP_EXP && inner == PF_OP_LOG) ||
                 (op == PF_OP_LOG && inner == PF_OP_EXP);
  return inverse ? args_of(table, a)[0] : PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- two and three arguments */

/* The identities of functions of two arguments: min(a, a), and values at numbers where they are exact. PF_EXPR_NONE:
 * none applies. */
static PfExpr simplify2(PfExprTable *table, PfOp op, PfExpr a, PfExpr b)
{
  PfContext *ctx = table->ctx;
  if ((op == PF_OP_MIN || op == PF_OP_MAX) && a == b) return a;
  if (!is_number(table, a) || !is_number(table, b)) return PF_EXPR_NONE;
  Number x = number_of(table, a), y = number_of(table, b);
  if (op == PF_OP_ATAN2 || op == PF_OP_AND || op == PF_OP_OR) {
    bool exact = pf_number_is_exact(x) && pf_number_is_exact(y);
    if (op == PF_OP_ATAN2 && exact && !(pf_number_is(x, 0) && pf_number_sign(y) > 0)) return PF_EXPR_NONE;
    return pf_expr_double(ctx, pf_function_value(op, pf_number_value(x), pf_number_value(y)));
  }
  double order = pf_number_compare(table, x, y), value = pf_function_value(op, order, 0);
  if (op == PF_OP_MIN || op == PF_OP_MAX) return value == order ? a : b;
  return pf_expr_double(ctx, value);
}

/* ---------------------------------------------------------------- public */

PfExpr pf_expr_call(PfContext *ctx, PfOp op, const PfExpr *args)
{
  PfExprTable *table = pf_expr_table(ctx);
  const Function *function = function_of(op);
  if (!table || !function) return PF_EXPR_NONE;
  for (int i = 0; i < function->arity; i++)
    if (args[i] == PF_EXPR_NONE) /* the caller gives as many as the arity. NOLINT */
      return pf_expr_poison(table, PF_ERR_MEMORY, "no room for a function");
  PfStatus before = table->failure;
  PfExpr simpler = PF_EXPR_NONE;
  if (function->arity == 1) simpler = simplify1(table, op, args[0]);
  else if (function->arity == 2) simpler = simplify2(table, op, args[0], args[1]);
  else if (args[1] == args[2]) simpler = args[1];
  else if (is_number(table, args[0])) simpler = pf_number_sign(number_of(table, args[0])) ? args[1] : args[2];
  if (simpler != PF_EXPR_NONE || table->failure != before) return simpler;
  return pf_intern(table, op, args, (uint32_t)function->arity);
}

PfExpr pf_expr_call1(PfContext *ctx, PfOp op, PfExpr a)
{
  assert(pf_function_arity(op) <= 1);
  return pf_expr_call(ctx, op, (PfExpr[3]){a});
}

PfExpr pf_expr_call2(PfContext *ctx, PfOp op, PfExpr a, PfExpr b)
{
  assert(pf_function_arity(op) <= 2);
  return pf_expr_call(ctx, op, (PfExpr[3]){a, b});
}

PfExpr pf_expr_if(PfContext *ctx, PfExpr condition, PfExpr then, PfExpr otherwise)
{
  return pf_expr_call(ctx, PF_OP_IF, (PfExpr[]){condition, then, otherwise});
}

/* ---------------------------------------------------------------- derivatives */

/* 1 - a^2 and 1 + a^2 */
static PfExpr one_minus_square(PfContext *ctx, PfExpr a)
{
  return pf_expr_sub(ctx, pf_expr_int(ctx, 1), pf_expr_pow_int(ctx, a, 2));
}
static PfExpr one_plus_square(PfContext *ctx, PfExpr a)
{
  return pf_expr_add(ctx, pf_expr_int(ctx, 1), pf_expr_pow_int(ctx, a, 2));
}
static PfExpr minus_half_power(PfContext *ctx, PfExpr a)
{
  return pf_expr_pow(ctx, a, pf_expr_rational(ctx, -1, 2));
}

/* f'(a) of a function of one argument. */
static PfExpr derivative1(PfContext *ctx, PfOp op, PfExpr e, PfExpr a)
{
  switch (op) {
  case PF_OP_SIN: return pf_expr_call1(ctx, PF_OP_COS, a);
  case PF_OP_COS: return pf_expr_neg(ctx, pf_expr_call1(ctx, PF_OP_SIN, a));
  case PF_OP_TAN: return one_plus_square(ctx, e);
  case PF_OP_ASIN: return minus_half_power(ctx, one_minus_square(ctx, a));
  case PF_OP_ACOS: return pf_expr_neg(ctx, minus_half_power(ctx, one_minus_square(ctx, a)));
  case PF_OP_ATAN: return pf_expr_pow_int(ctx, one_plus_square(ctx, a), -1);
  case PF_OP_SINH: return pf_expr_call1(ctx, PF_OP_COSH, a);
  case PF_OP_COSH: return pf_expr_call1(ctx, PF_OP_SINH, a);
  case PF_OP_TANH: return one_minus_square(ctx, e);
  case PF_OP_EXP: return e;
  case PF_OP_LOG: return pf_expr_pow_int(ctx, a, -1);
  case PF_OP_ABS: return pf_expr_call1(ctx, PF_OP_SIGN, a);
  default: return pf_expr_int(ctx, 0); /* sign and conditions are constant almost everywhere */
  }
}

PfExpr pf_function_partial(PfContext *ctx, PfExpr e, int i)
{
  PfExprTable *table = pf_expr_table(ctx);
  PfOp op = op_of(table, e);
  PfExpr a = args_of(table, e)[0];
  PfExpr zero = pf_expr_int(ctx, 0), one = pf_expr_int(ctx, 1);
  switch (op) {
  case PF_OP_ATAN2: { /* atan2(y, x): d/dy = x/(x^2 + y^2), d/dx = -y/(x^2 + y^2) */
    PfExpr x = args_of(table, e)[1];
    PfExpr square = pf_expr_add(ctx, pf_expr_pow_int(ctx, x, 2), pf_expr_pow_int(ctx, a, 2));
    return pf_expr_div(ctx, i == 0 ? x : pf_expr_neg(ctx, a), square);
  }
  case PF_OP_MIN:
  case PF_OP_MAX: {
    PfExpr first_smaller = pf_expr_call2(ctx, PF_OP_LESS, a, args_of(table, e)[1]);
    bool chosen = (op == PF_OP_MIN) == (i == 0);
    return pf_expr_if(ctx, first_smaller, chosen ? one : zero, chosen ? zero : one);
  }
  case PF_OP_IF:
    return i == 0 ? zero : pf_expr_if(ctx, a, i == 1 ? one : zero, i == 1 ? zero : one);
  default: return derivative1(ctx, op, e, a);
  }
}
