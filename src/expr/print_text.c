/* SPDX-License-Identifier: Apache-2.0 */
/* The notation of the language: m*(x'^2 + y'^2)/2. */
#include "expr/print_impl.h"

#include <string.h>

static void put_wrapped(Printer *p, PfExpr e)
{
  pf_put_all(p, "(", e, ")");
}

/* ---------------------------------------------------------------- numbers */

static void put_number(Printer *p, Number value)
{
  NumberText text;
  pf_number_text(value, &text);
  if (pf_number_sign(value) < 0) pf_put(p, "-");
  pf_put_copy(p, text.above);
  if (!*text.below) return;
  pf_put(p, "/");
  pf_put_copy(p, text.below);
}

/* In brackets, unless it can be a factor, a base or an exponent as it stands. */
static void put_alone(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  bool alone = op != PF_OP_SUM && op != PF_OP_PRODUCT && !is_infix(op);
  if (is_number(p->table, e)) {
    Number value = number_of(p->table, e);
    alone = pf_number_sign(value) >= 0 && !pf_number_is_fraction(value);
  }
  if (alone) pf_put_expr(p, e);
  else put_wrapped(p, e);
}

/* ---------------------------------------------------------------- products */

/* Factors with * between them; square roots by name, other exponents after ^. */
static void put_powers(Printer *p, const Power *powers, uint32_t count, bool continued)
{
  for (uint32_t i = 0; i < count; i++) {
    if (i || continued) pf_put(p, "*");
    const Power *power = powers + i;
    if (is_half(power->number)) {
      pf_put_all(p, "sqrt(", power->base, ")");
      continue;
    }
    put_alone(p, power->base);
    if (pf_number_is(power->number, 1)) continue;
    pf_put(p, "^");
    bool whole = pf_number_is_integer(power->number) && power->number.num != 0;
    if (pf_number_is(power->number, 0)) {
      put_alone(p, power->exponent);
    } else {
      if (!whole) pf_put(p, "(");
      put_number(p, power->number);
      if (!whole) pf_put(p, ")");
    }
  }
}

static void put_fraction(Printer *p, const Fraction *fraction)
{
  NumberText size;
  pf_number_text(fraction->size, &size);
  bool number = strcmp(size.above, "1") != 0 || fraction->above_count == 0;
  if (number) pf_put_copy(p, size.above);
  put_powers(p, fraction->above, fraction->above_count, number);
  if (!*size.below && !fraction->below_count) return;
  number = *size.below != 0;
  bool several = number + fraction->below_count > 1;
  pf_put(p, several ? "/(" : "/");
  if (number) pf_put_copy(p, size.below);
  put_powers(p, fraction->below, fraction->below_count, number);
  if (several) pf_put(p, ")");
}

/* ---------------------------------------------------------------- functions */

/* How tightly an operator binds its operands; other nodes bind tightest. */
static int tightness(PfOp op)
{
  switch (op) {
  case PF_OP_OR: return 1;
  case PF_OP_AND: return 2;
  case PF_OP_NOT: return 3;
  case PF_OP_LESS:
  case PF_OP_LESS_EQUAL:
  case PF_OP_EQUAL: return 4;
  default: return 5;
  }
}

static void put_operand(Printer *p, PfExpr e, int least)
{
  if (tightness(op_of(p->table, e)) >= least) pf_put_expr(p, e);
  else put_wrapped(p, e);
}

/* Comparisons do not chain; and, or group to the left. */
static void put_infix(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  PfExpr a = args_of(p->table, e)[0];
  int own = tightness(op);
  if (op == PF_OP_NOT) {
    pf_put(p, "not ");
    put_operand(p, a, own);
    return;
  }
  put_operand(p, a, own == 4 ? 5 : own);
  pf_put(p, " ");
  pf_put(p, pf_function_name(op));
  pf_put(p, " ");
  put_operand(p, args_of(p->table, e)[1], own + 1);
}

void pf_lay_out_text(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  switch (op) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE: put_number(p, number_of(p->table, e)); break;
  case PF_OP_PI: pf_put(p, "pi"); break;
  case PF_OP_SYMBOL: pf_put(p, p->table->names.at[node_of(p->table, e)->first]); break;
  case PF_OP_SUM:
  case PF_OP_PRODUCT: pf_put_terms(p, e, put_fraction); break;
  default:
    if (is_infix(op)) put_infix(p, e);
    else {
      pf_put(p, pf_function_name(op_of(p->table, e)));
      for (uint32_t i = 0; i < node_of(p->table, e)->count; i++) {
        pf_put(p, i ? ", " : "(");
        pf_put_expr(p, args_of(p->table, e)[i]);
      }
      pf_put(p, ")");
    }
  }
}
