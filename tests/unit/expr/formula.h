/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas as text in the tests of expressions: a small reader of what pf_expr_print writes, made for tests
 * only (it nests by recursion and takes every text for a right one). */
#ifndef PF_TESTS_FORMULA_H
#define PF_TESTS_FORMULA_H

#include "support.h"

#include "expr/expr_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Reader {
  PfContext *ctx;
  const char *at;
} Reader;

static inline PfExpr read_or(Reader *r);

static inline bool take(Reader *r, const char *sign)
{
  while (*r->at == ' ') r->at++;
  if (strncmp(r->at, sign, strlen(sign)) != 0) return false;
  r->at += strlen(sign);
  return true;
}

static inline bool take_word(Reader *r, const char *word)
{
  const char *start = r->at;
  if (take(r, word) && !isalnum((unsigned char)*r->at)) return true;
  r->at = start;
  return false;
}

static inline PfExpr read_number(Reader *r)
{
  char *end;
  double value = strtod(r->at, &end);
  bool whole = (size_t)(end - r->at) == strspn(r->at, "0123456789");
  PfExpr e = whole ? pf_expr_int(r->ctx, strtoll(r->at, NULL, 10)) : pf_expr_double(r->ctx, value);
  r->at = end;
  return e;
}

static inline PfExpr read_call(Reader *r, const char *name)
{
  PfExpr args[3] = {0};
  int count = 0;
  do args[count++] = read_or(r);
  while (take(r, ",") && count < 3);
  assert_true(take(r, ")"));
  if (!strcmp(name, "sqrt")) return pf_expr_sqrt(r->ctx, args[0]);
  for (int op = PF_OP_SIN; op < PF_OP_COUNT; op++)
    if (!strcmp(name, pf_function_name((PfOp)op))) {
      assert_int_equal(count, pf_function_arity((PfOp)op));
      return pf_expr_call(r->ctx, (PfOp)op, args);
    }
  fail_msg("no function '%s'", name);
  return PF_EXPR_NONE;
}

static inline PfExpr read_primary(Reader *r)
{
  if (take(r, "(")) {
    PfExpr e = read_or(r);
    assert_true(take(r, ")"));
    return e;
  }
  if (isdigit((unsigned char)*r->at) || *r->at == '.') return read_number(r);
  char name[80] = "";
  size_t length = 0;
  while (*r->at && (isalnum((unsigned char)*r->at) || strchr("_.[]'", *r->at)) && length < 79)
    name[length++] = *r->at++;
  if (!length) fail_msg("an operand is missing at '%s'", r->at);
  if (*r->at == '(') {
    r->at++;
    return read_call(r, name);
  }
  return strcmp(name, "pi") ? pf_expr_symbol(r->ctx, name) : pf_expr_pi(r->ctx);
}

static inline PfExpr read_power(Reader *r)
{
  if (take(r, "-")) return pf_expr_neg(r->ctx, read_power(r));
  PfExpr base = read_primary(r);
  return take(r, "^") ? pf_expr_pow(r->ctx, base, read_power(r)) : base;
}

static inline PfExpr read_product(Reader *r)
{
  PfExpr e = read_power(r);
  for (;;) {
    if (take(r, "*")) e = pf_expr_mul(r->ctx, e, read_power(r));
    else if (take(r, "/")) e = pf_expr_div(r->ctx, e, read_power(r));
    else return e;
  }
}

static inline PfExpr read_sum(Reader *r)
{
  PfExpr e = read_product(r);
  for (;;) {
    if (take(r, "+")) e = pf_expr_add(r->ctx, e, read_product(r));
    else if (take(r, "-")) e = pf_expr_sub(r->ctx, e, read_product(r));
    else return e;
  }
}

static inline PfExpr read_comparison(Reader *r)
{
  if (take_word(r, "not")) return pf_expr_call1(r->ctx, PF_OP_NOT, read_comparison(r));
  PfExpr a = read_sum(r);
  if (take(r, "<=")) return pf_expr_call2(r->ctx, PF_OP_LESS_EQUAL, a, read_sum(r));
  if (take(r, "<")) return pf_expr_call2(r->ctx, PF_OP_LESS, a, read_sum(r));
  if (take(r, "==")) return pf_expr_call2(r->ctx, PF_OP_EQUAL, a, read_sum(r));
  return a;
}

static inline PfExpr read_and(Reader *r)
{
  PfExpr e = read_comparison(r);
  while (take_word(r, "and")) e = pf_expr_call2(r->ctx, PF_OP_AND, e, read_comparison(r));
  return e;
}

static inline PfExpr read_or(Reader *r)
{
  PfExpr e = read_and(r);
  while (take_word(r, "or")) e = pf_expr_call2(r->ctx, PF_OP_OR, e, read_and(r));
  return e;
}

/* The expression of a text. */
static inline PfExpr formula(PfContext *ctx, const char *text)
{
  Reader reader = {ctx, text};
  PfExpr e = read_or(&reader);
  if (*reader.at) fail_msg("'%s' is left of '%s'", reader.at, text);
  return e;
}

/* ---------------------------------------------------------------- checks */

static inline const char *text_of(Fixture *f, PfExpr e)
{
  const char *text = pf_expr_print(f->ctx, f->arena, e, PF_TEXT);
  return text ? text : "(nothing)";
}

/* Fails unless both texts build the same handle. */
#define assert_same(f, a, b) assert_same_at((f), (a), (b), __FILE__, __LINE__)
static inline void assert_same_at(Fixture *f, const char *a, const char *b, const char *file, int line)
{
  PfExpr x = formula(f->ctx, a), y = formula(f->ctx, b);
  if (x == y && x != PF_EXPR_NONE) return;
  print_error("%s  is  %s\n%s  is  %s\n", a, text_of(f, x), b, text_of(f, y));
  _fail(file, line);
}

static inline void assert_different(Fixture *f, const char *a, const char *b)
{
  if (formula(f->ctx, a) == formula(f->ctx, b)) fail_msg("%s and %s are the same", a, b);
}

/* Fails unless the expression is the one of the text. */
#define assert_is(f, e, text) assert_is_at((f), (e), (text), __FILE__, __LINE__)
static inline void assert_is_at(Fixture *f, PfExpr e, const char *text, const char *file, int line)
{
  if (e == formula(f->ctx, text) && e != PF_EXPR_NONE) return;
  print_error("%s\nis not %s\n", text_of(f, e), text);
  _fail(file, line);
}

/* The value where x, y, z have the given values. */
static inline double value_at(PfContext *ctx, PfExpr e, double x, double y, double z)
{
  PfExpr symbols[3] = {pf_expr_symbol(ctx, "x"), pf_expr_symbol(ctx, "y"), pf_expr_symbol(ctx, "z")};
  double values[3] = {x, y, z}, result = NAN;
  assert_int_equal(pf_expr_evaluate(ctx, &e, 1, symbols, values, 3, &result), PF_OK);
  return result;
}

/* ---------------------------------------------------------------- random formulas */

/* A generator of our own: the same numbers on every machine. */
static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33)%below;
}

/* A number between -1 and 1. */
static inline double draw_number(uint64_t *seed)
{
  return (double)draw(seed, 2000001)/1000000 - 1;
}

/* u squared plus one: safe for roots and logarithms, and between -1 and 1: safe for the others. */
static inline PfExpr above_one(PfContext *ctx, PfExpr u)
{
  return pf_expr_add(ctx, pf_expr_pow_int(ctx, u, 2), pf_expr_int(ctx, 1));
}
static inline PfExpr within_one(PfContext *ctx, PfExpr u)
{
  return pf_expr_mul(ctx, pf_expr_rational(ctx, 9, 10), pf_expr_call1(ctx, PF_OP_TANH, u));
}

/* One operation of any kind on earlier expressions, with values that stay moderate. */
static inline PfExpr random_operation(PfContext *ctx, uint64_t *seed, PfExpr u, PfExpr v)
{
  switch (draw(seed, 24)) {
  case 0: return pf_expr_add(ctx, u, pf_expr_mul(ctx, pf_expr_rational(ctx, 2, 3), v));
  case 1: return pf_expr_sub(ctx, u, v);
  case 2: return pf_expr_mul(ctx, within_one(ctx, u), v);
  case 3: return pf_expr_div(ctx, u, above_one(ctx, v));
  case 4: return pf_expr_pow_int(ctx, within_one(ctx, u), 3);
  case 5: return pf_expr_sqrt(ctx, above_one(ctx, u));
  case 6: return pf_expr_pow(ctx, above_one(ctx, within_one(ctx, u)), within_one(ctx, v));
  case 7: return pf_expr_pow(ctx, above_one(ctx, u), pf_expr_rational(ctx, -2, 3));
  case 8: return pf_expr_call1(ctx, PF_OP_SIN, u);
  case 9: return pf_expr_call1(ctx, PF_OP_COS, u);
  case 10: return pf_expr_call1(ctx, PF_OP_TAN, within_one(ctx, u));
  case 11: return pf_expr_call1(ctx, PF_OP_ASIN, within_one(ctx, u));
  case 12: return pf_expr_call1(ctx, PF_OP_ACOS, within_one(ctx, u));
  case 13: return pf_expr_call1(ctx, PF_OP_ATAN, u);
  case 14: return pf_expr_call1(ctx, PF_OP_SINH, within_one(ctx, u));
  case 15: return pf_expr_call1(ctx, PF_OP_COSH, within_one(ctx, u));
  case 16: return pf_expr_call1(ctx, PF_OP_EXP, within_one(ctx, u));
  case 17: return pf_expr_call1(ctx, PF_OP_LOG, above_one(ctx, u));
  case 18: return pf_expr_call1(ctx, PF_OP_ABS, u);
  case 19: return pf_expr_mul(ctx, u, pf_expr_call1(ctx, PF_OP_SIGN, v));
  case 20: return pf_expr_call2(ctx, PF_OP_ATAN2, u, above_one(ctx, v));
  case 21: return pf_expr_call2(ctx, PF_OP_MIN, u, v);
  case 22: return pf_expr_call2(ctx, PF_OP_MAX, u, v);
  default: return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_LESS, u, v), v, pf_expr_mul(ctx, u, v));
  }
}

/* An expression in x, y, z of that many operations; parts are used several times. */
static inline PfExpr random_formula(PfContext *ctx, uint64_t *seed, int operations)
{
  enum { MOST = 64 };
  PfExpr parts[MOST] = {pf_expr_symbol(ctx, "x"), pf_expr_symbol(ctx, "y"), pf_expr_symbol(ctx, "z")};
  int count = 3;
  while (count < operations + 3 && count < MOST) {
    uint32_t latest = (uint32_t)count;
    PfExpr u = parts[latest - 1 - draw(seed, 3)], v = parts[draw(seed, latest)];
    parts[count++] = random_operation(ctx, seed, u, v);
  }
  return parts[count - 1];
}

#endif
