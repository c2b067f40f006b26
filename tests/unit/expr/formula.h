/* Formulas as text, for tests of algebra: + - * / ^, functions, sqrt, pi, names, whole numbers (exact) and
 * decimal ones (doubles). Trusts its input. */
#ifndef PF_TESTS_FORMULA_H
#define PF_TESTS_FORMULA_H

#include "pfaff/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  PfContext *ctx;
  const char *at;
} Reader;

static PfExpr read_sum(Reader *r);

static bool accept(Reader *r, char sign)
{
  while (*r->at == ' ') r->at++;
  if (*r->at != sign) return false;
  r->at++;
  return true;
}

static PfExpr read_number(Reader *r)
{
  char *end;
  double value = strtod(r->at, &end);
  bool whole = memchr(r->at, '.', (size_t)(end - r->at)) == NULL;
  r->at = end;
  return whole ? pf_expr_int(r->ctx, (int64_t)value) : pf_expr_double(r->ctx, value);
}

static PfOp function_named(const char *name)
{
  for (int op = PF_OP_SIN; op < PF_OP_COUNT; op++)
    if (!strcmp(pf_function_name((PfOp)op), name)) return (PfOp)op;
  return PF_OP_NONE;
}

static PfExpr read_call(Reader *r, const char *name)
{
  PfExpr args[3] = {0};
  int count = 0;
  do args[count++] = read_sum(r);
  while (count < 3 && accept(r, ','));
  accept(r, ')');
  if (!strcmp(name, "sqrt")) return pf_expr_sqrt(r->ctx, args[0]);
  if (!strcmp(name, "less")) return pf_expr_call(r->ctx, PF_OP_LESS, args);
  return pf_expr_call(r->ctx, function_named(name), args);
}

static PfExpr read_primary(Reader *r)
{
  if (accept(r, '(')) {
    PfExpr inside = read_sum(r);
    accept(r, ')');
    return inside;
  }
  if (isdigit((unsigned char)*r->at)) return read_number(r);
  char name[32] = "";
  for (size_t i = 0; (isalnum((unsigned char)*r->at) || strchr("_'", *r->at)) && *r->at && i < 31; i++)
    name[i] = *r->at++;
  if (accept(r, '(')) return read_call(r, name);
  return !strcmp(name, "pi") ? pf_expr_pi(r->ctx) : pf_expr_symbol(r->ctx, name);
}

static PfExpr read_power(Reader *r)
{
  if (accept(r, '-')) return pf_expr_neg(r->ctx, read_power(r));
  PfExpr base = read_primary(r);
  return accept(r, '^') ? pf_expr_pow(r->ctx, base, read_power(r)) : base;
}

static PfExpr read_product(Reader *r)
{
  PfExpr product = read_power(r);
  for (;;) {
    if (accept(r, '*')) product = pf_expr_mul(r->ctx, product, read_power(r));
    else if (accept(r, '/')) product = pf_expr_div(r->ctx, product, read_power(r));
    else return product;
  }
}

static PfExpr read_sum(Reader *r)
{
  PfExpr sum = read_product(r);
  for (;;) {
    if (accept(r, '+')) sum = pf_expr_add(r->ctx, sum, read_product(r));
    else if (accept(r, '-')) sum = pf_expr_sub(r->ctx, sum, read_product(r));
    else return sum;
  }
}

static PfExpr formula(PfContext *ctx, const char *text)
{
  Reader r = {ctx, text};
  return read_sum(&r);
}

#endif
