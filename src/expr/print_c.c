/* SPDX-License-Identifier: Apache-2.0 */
/* The notation of C: doubles throughout, names made into identifiers. */
#include "expr/print_impl.h"
#include "base/plain.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

static bool is_keyword(const char *name)
{
  static const char *const keywords[] = {
      "auto",   "break",  "case",     "char",   "const",    "continue", "default",  "do",
      "double", "else",   "enum",     "extern", "float",    "for",      "goto",     "if",
      "inline", "int",    "long",     "main",   "register", "restrict", "return",   "short",
      "signed", "sizeof", "static",   "struct", "switch",   "typedef",  "union",    "unsigned",
      "void",   "while",  "volatile", "NAN",    "INFINITY", "HUGE_VAL", "M_PI",     "M_E",
      "pow",    "fabs",   "fmax",     "fmin"};
  for (size_t i = 0; i < sizeof keywords/sizeof *keywords; i++)
    if (!strcmp(name, keywords[i])) return true;
  return false;
}

/* x' is x_d, x'' is x_dd, psi[2] is psi_2, w1.psi is w1_psi. */
static void put_name(Printer *p, const char *name)
{
  char *identifier = pf_arena_alloc(p->arena, 2*strlen(name) + 2, 1), *to = identifier;
  if (!identifier) {
    p->failed = true;
    return;
  }
  for (const char *c = name; *c; c++) {
    if (*c == '\'') {
      if (c == name || c[-1] != '\'') *to++ = '_';
      *to++ = 'd';
    } else if (*c != ']') {
      *to++ = isalnum((unsigned char)*c) ? *c : '_';
    }
  }
  if (is_keyword(name)) *to++ = '_';
  pf_put(p, identifier);
}

/* ---------------------------------------------------------------- numbers */

static void put_double(Printer *p, double value)
{
  char text[DOUBLE_TEXT];
  const PfPlain plain = pf_plain_begin();
  snprintf(text, sizeof text, "%.17g", value);
  pf_plain_end(plain);
  pf_put_format(p, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* Is it a double as it stands? */
static bool is_double(int64_t value)
{
  return value >= -(INT64_C(1) << 53) && value <= INT64_C(1) << 53;
}

/* (1.0/3.0): the compiler divides, and rounds once. */
static void put_number(Printer *p, Number value)
{
  bool divides = pf_number_is_narrow(value) && is_double(value.num) && is_double(value.den);
  if (!divides) put_double(p, pf_number_value(value));
  else if (value.den == 1) pf_put_format(p, "%" PRId64 ".0", value.num);
  else pf_put_format(p, "(%" PRId64 ".0/%" PRId64 ".0)", value.num, value.den);
}

/* In brackets, unless it can be an operand as it stands. */
static void put_alone(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  bool negative = is_number(p->table, e) && pf_number_sign(number_of(p->table, e)) < 0;
  if (op == PF_OP_SUM || op == PF_OP_PRODUCT || negative) pf_put_all(p, "(", e, ")");
  else pf_put_expr(p, e);
}

/* Conditions are integers in C, and a quotient of integers is not what we mean. */
static const char *cast_for(const Printer *p, PfExpr e)
{
  return is_infix(op_of(p->table, e)) ? "(double)" : "";
}

/* ---------------------------------------------------------------- products */

/* x, x*x, sqrt(x), 1/… or pow(x, e). */
static void put_power(Printer *p, const Power *power)
{
  enum { HIGHEST_PRODUCT = 4 }; /* x*x*x*x is faster than pow and as exact */
  Number number = power->number;
  bool symbol = op_of(p->table, power->base) == PF_OP_SYMBOL;
  if (pf_number_is(number, 1)) {
    pf_put(p, cast_for(p, power->base));
    put_alone(p, power->base);
  } else if (is_half(number)) {
    pf_put_all(p, "sqrt(", power->base, ")");
  } else if (symbol && pf_number_is_integer(number) && number.num > 0 && number.num <= HIGHEST_PRODUCT) {
    for (int64_t i = 0; i < number.num; i++) {
      if (i) pf_put(p, "*");
      pf_put_expr(p, power->base);
    }
  } else {
    pf_put_all(p, "pow(", power->base, ", ");
    if (pf_number_is(number, 0)) pf_put_expr(p, power->exponent);
    else if (!pf_number_is_narrow(number)) put_double(p, pf_number_value(number));
    else if (number.den == 1) pf_put_format(p, "%" PRId64, number.num);
    else pf_put_format(p, "%" PRId64 ".0/%" PRId64, number.num, number.den);
    pf_put(p, ")");
  }
}

static void put_powers(Printer *p, const Power *powers, uint32_t count, bool continued)
{
  for (uint32_t i = 0; i < count; i++) {
    if (i || continued) pf_put(p, "*");
    put_power(p, powers + i);
  }
}

static void put_fraction(Printer *p, const Fraction *fraction)
{
  bool number = !pf_number_is(fraction->size, 1) || fraction->above_count == 0;
  if (number) put_number(p, fraction->size);
  put_powers(p, fraction->above, fraction->above_count, number);
  if (!fraction->below_count) return;
  const Power *below = fraction->below;
  bool several = fraction->below_count > 1 || /* x*x must not be divided by without brackets */
                 (op_of(p->table, below->base) == PF_OP_SYMBOL && pf_number_is_integer(below->number) &&
                  below->number.num > 1);
  pf_put(p, several ? "/(" : "/");
  put_powers(p, below, fraction->below_count, false);
  if (several) pf_put(p, ")");
}

/* ---------------------------------------------------------------- functions */

static const char *name_of(PfOp op)
{
  switch (op) {
  case PF_OP_ABS: return "fabs";
  case PF_OP_MIN: return "fmin";
  case PF_OP_MAX: return "fmax";
  case PF_OP_AND: return "&&";
  case PF_OP_OR: return "||";
  default: return pf_function_name(op);
  }
}

/* A call of the C library, an operator, or ? : for a choice. */
static void put_function(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  const PfExpr *args = args_of(p->table, e);
  if (op == PF_OP_SIGN) {
    pf_put_all(p, "(double)((", args[0], " > 0)");
    pf_put_all(p, " - (", args[0], " < 0))");
  } else if (op == PF_OP_IF) {
    pf_put_all(p, "(", args[0], " ? ");
    pf_put_all(p, cast_for(p, args[1]), args[1], " : ");
    pf_put_all(p, cast_for(p, args[2]), args[2], ")");
  } else if (is_infix(op)) {
    /* Operators always stand in brackets: C's order of precedence is not the language's. */
    pf_put(p, op == PF_OP_NOT ? "(!" : "(");
    put_alone(p, args[0]);
    if (op != PF_OP_NOT) {
      pf_put_format(p, " %s ", name_of(op));
      put_alone(p, args[1]);
    }
    pf_put(p, ")");
  } else {
    pf_put(p, name_of(op_of(p->table, e)));
    for (uint32_t i = 0; i < node_of(p->table, e)->count; i++) {
      PfExpr arg = args_of(p->table, e)[i];
      pf_put(p, i ? ", " : "(");
      pf_put_all(p, cast_for(p, arg), arg, "");
    }
    pf_put(p, ")");
  }
}

/* The pieces of a node in C. */
void pf_lay_out_c(Printer *p, PfExpr e)
{
  switch (op_of(p->table, e)) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE: put_number(p, number_of(p->table, e)); break;
  case PF_OP_PI: pf_put(p, "3.1415926535897931"); break;
  case PF_OP_SYMBOL: put_name(p, p->table->names.at[node_of(p->table, e)->first]); break;
  case PF_OP_SUM:
  case PF_OP_PRODUCT: pf_put_terms(p, e, put_fraction); break;
  default: put_function(p, e);
  }
}
