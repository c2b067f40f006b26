/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials as lists of terms, in variables that stand for expressions. */
#include "expr/normal.h"

#include <stdlib.h>
#include <string.h>

/* Begins with no variables. `work` is the budget, in products of terms; everything is allocated in the arena. */
void pf_vars_init(Vars *vars, PfExprTable *table, PfArena *arena, double work)
{
  *vars = (Vars){.table = table, .arena = arena, .factorings = 60, .work = work};
}

void pf_vars_spend(Vars *vars, int terms)
{
  vars->work -= terms;
  if (vars->work < 0 || pf_context_is_cancelled(vars->table->ctx)) vars->failed = true;
}

/* A block of twice the room with the same contents; the old one stays in the arena. */
static void *more_room(Vars *vars, const void *block, int count, int *room, size_t size)
{
  int more = *room ? 2**room : 32;
  void *larger = pf_arena_alloc(vars->arena, (size_t)more, size);
  if (!larger) {
    vars->failed = true;
    return NULL;
  }
  if (count) memcpy(larger, block, (size_t)count*size);
  *room = more;
  return larger;
}

/* The number of the angle with this argument, -1 without room. */
static int angle_number(Vars *vars, PfExpr argument)
{
  for (int i = 0; i < vars->angle_count; i++)
    if (vars->angles[i] == argument) return i;
  if (vars->angle_count == vars->angle_room) {
    int *room = &vars->angle_room;
    PfExpr *more = more_room(vars, vars->angles, vars->angle_count, room, sizeof *more);
    if (!more) return 0;
    vars->angles = more;
  }
  vars->angles[vars->angle_count] = argument;
  return vars->angle_count++;
}

int pf_var(Vars *vars, PfExpr e)
{
  if (e == PF_EXPR_NONE) vars->failed = true;
  for (int i = 0; i < vars->count; i++)
    if (vars->at[i].expr == e) return i;
  if (vars->failed) return 0;
  if (vars->count == vars->room) {
    Var *more = more_room(vars, vars->at, vars->count, &vars->room, sizeof *more);
    if (!more) return 0;
    vars->at = more;
  }
  pf_vars_spend(vars, PF_COST_OF_VAR);
  const PfExprTable *table = vars->table; /* a generator costs as many words as it has when it is written */
  PfOp op = op_of(table, e);
  size_t length = pf_expr_length(table->ctx, e);
  Var var = {e, VAR_PLAIN, -1, length > 1000000 ? 1000000 : (int)length};
  if (op == PF_OP_SUM) var.cost += 2;
  if (op == PF_OP_SIN || op == PF_OP_COS) {
    var.kind = op == PF_OP_SIN ? VAR_SINE : VAR_COSINE;
    var.angle = angle_number(vars, args_of(table, e)[0]);
  }
  vars->at[vars->count] = var;
  return vars->count++;
}

/* ---------------------------------------------------------------- monomials */

int pf_monomial_compare(const Monomial *a, const Monomial *b)
{
  for (int i = 0; i < a->count && i < b->count; i++) {
    VarPower x = a->powers[i], y = b->powers[i];
    if (x.var != y.var) return x.var < y.var ? -1 : 1;
    if (x.exponent != y.exponent) return x.exponent > y.exponent ? -1 : 1;
  }
  return (a->count < b->count) - (a->count > b->count);
}

/* The powers of a, and those of b times the sign. */
static void merge_powers(Vars *vars, Monomial *result, Monomial a, Monomial b, int sign)
{
  VarPower *powers = pf_arena_array(vars->arena, VarPower, a.count + b.count);
  if (!powers) {
    vars->failed = true;
    return;
  }
  result->powers = powers;
  for (int i = 0, j = 0; i < a.count || j < b.count;) {
    VarPower power = {0};
    int next = i == a.count                            ? 1
               : j == b.count                          ? -1
               : a.powers[i].var < b.powers[j].var ? -1
                                                       : a.powers[i].var > b.powers[j].var;
    if (next <= 0) power = a.powers[i++];
    if (next > 0) power.var = b.powers[j].var;
    if (next >= 0) power.exponent += sign*b.powers[j++].exponent;
    if (power.exponent) powers[result->count++] = power;
  }
}

Monomial pf_monomial_times(Vars *vars, Monomial a, Monomial b)
{
  Monomial product = {.coefficient = pf_number_mul(vars->table, a.coefficient, b.coefficient)};
  if (!pf_number_is_exact(product.coefficient)) vars->failed = true;
  merge_powers(vars, &product, a, b, 1);
  return product;
}

Monomial pf_monomial_over(Vars *vars, Monomial a, Monomial b)
{
  Monomial quotient = {.coefficient = a.coefficient};
  merge_powers(vars, &quotient, a, b, -1);
  return quotient;
}

/* ---------------------------------------------------------------- polynomials */

Poly pf_poly_make(Vars *vars, int room)
{
  Poly poly = {0, pf_arena_array(vars->arena, Monomial, room)};
  if (!poly.terms) vars->failed = true;
  return poly;
}

static int compare_terms(const void *a, const void *b)
{
  return pf_monomial_compare(a, b);
}

/* By insertion: mostly the terms were sorted before a few of them were changed or added. Others are left to qsort. */
static void sort_terms(Monomial *terms, int count)
{
  int moves = 8*count;
  for (int i = 1; i < count; i++) {
    if (pf_monomial_compare(terms + i - 1, terms + i) <= 0) continue;
    Monomial term = terms[i];
    int at = i;
    for (; at > 0 && pf_monomial_compare(terms + at - 1, &term) > 0; at--) terms[at] = terms[at - 1];
    terms[at] = term;
    if ((moves -= i - at) < 0) {
      qsort(terms, (size_t)count, sizeof *terms, compare_terms);
      return;
    }
  }
}

void pf_poly_tidy(Vars *vars, Poly *poly)
{
  pf_vars_spend(vars, 4*poly->count);
  if (vars->failed) return;
  sort_terms(poly->terms, poly->count);
  int kept = 0;
  for (int i = 0; i < poly->count;) {
    Monomial term = poly->terms[i++];
    for (; i < poly->count && pf_monomial_compare(&term, poly->terms + i) == 0; i++)
      term.coefficient = pf_number_add(vars->table, term.coefficient, poly->terms[i].coefficient);
    if (!pf_number_is_exact(term.coefficient)) vars->failed = true;
    if (!pf_number_is(term.coefficient, 0)) poly->terms[kept++] = term;
  }
  poly->count = kept;
}
