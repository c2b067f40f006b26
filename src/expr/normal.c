/* SPDX-License-Identifier: Apache-2.0 */
/* The normal form: which variables it has, and what is decided by it. Symbols, calls of functions that are
 * not looked into, sines and cosines of independent angles, exponentials, and roots become variables of a
 * polynomial ring. */
#include "expr/normal.h"

/* ---------------------------------------------------------------- generators */

int pf_generator_find(const NormalPlan *plan, GeneratorKind kind, PfExpr key)
{
  for (int i = 0; i < plan->generator_count; i++)
    if (plan->generators[i].kind == kind && plan->generators[i].key == key) return i;
  return -1;
}

/* Adds unless it is there; false when there is no place left. */
static bool add_generator(NormalPlan *plan, GeneratorKind kind, PfExpr key, int degree)
{
  if (key == PF_EXPR_NONE) return false;
  int found = pf_generator_find(plan, kind, key);
  if (found >= 0) {
    Generator *generator = plan->generators + found;
    if (degree) generator->degree = generator->degree/(int)pf_gcd(generator->degree, degree)*degree;
    return true;
  }
  if (plan->generator_count == MOST_GENERATORS) return false;
  plan->generators[plan->generator_count++] = (Generator){kind, key, degree};
  return true;
}

bool pf_is_root_exponent(const PfExprTable *table, PfExpr exponent, Number *rational)
{
  enum { HIGHEST_ROOT = 6 };
  return is_number(table, exponent) && pf_number_as_narrow(number_of(table, exponent), rational) &&
         rational->den <= HIGHEST_ROOT;
}

bool pf_is_number_root(const PfExprTable *table, PfExpr base, Number exponent)
{
  return exponent.den == 2 && is_integer(table, base) && number_of(table, base).num > 0;
}

static int64_t smallest_factor(int64_t n)
{
  for (int64_t q = 2; q <= 10000 && q <= n/q; q++)
    if (n%q == 0) return q;
  return n;
}

/* sqrt(6) = sqrt(2)*sqrt(3), so that roots of numbers are independent. */
static bool add_number_root(NormalPlan *plan, int64_t n)
{
  while (n > 1) {
    int64_t q = smallest_factor(n);
    if (!add_generator(plan, GENERATOR_ROOT, pf_expr_int(plan->table->ctx, q), 2)) return false;
    while (n%q == 0) n /= q;
  }
  return true;
}

PfExpr pf_inverse_key(PfExprTable *table, PfExpr base, Number exponent)
{
  if (exponent.den == 1) return base;
  return pf_expr_pow(table->ctx, base, pf_expr_rational(table->ctx, 1, exponent.den));
}

static bool plan_power(NormalPlan *plan, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = plan->table;
  Number k;
  if (!pf_is_root_exponent(table, exponent, &k))
    return add_generator(plan, GENERATOR_LETTER, pf_expr_pow(table->ctx, base, exponent), 0);
  if (pf_is_number_root(table, base, k)) return add_number_root(plan, number_of(table, base).num);
  if (plan->style.inverse_letters && k.num < 0)
    return add_generator(plan, GENERATOR_INVERSE, pf_inverse_key(table, base, k), 0);
  return k.den == 1 || add_generator(plan, GENERATOR_ROOT, base, (int)k.den);
}

static bool plan_product(NormalPlan *plan, PfExpr e)
{
  const PfExprTable *table = plan->table;
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2)
    if (!plan_power(plan, args_of(table, e)[i], args_of(table, e)[i + 1])) return false;
  return true;
}

static bool plan_call(NormalPlan *plan, PfExpr e)
{
  PfExprTable *table = plan->table;
  PfOp op = op_of(table, e);
  PfExpr argument = args_of(table, e)[0];
  bool written = plan->style.angles == ANGLES_AS_WRITTEN;
  if (op == PF_OP_TAN && plan->style.inverse_letters)
    return add_generator(plan, GENERATOR_INVERSE, pf_expr_call1(table->ctx, PF_OP_COS, argument), 0);
  if (op == PF_OP_TANH && plan->style.inverse_letters &&
      !add_generator(plan, GENERATOR_INVERSE, pf_expr_call1(table->ctx, PF_OP_COSH, argument), 0))
    return false;
  if (is_hyperbolic(op) && op != PF_OP_EXP && written)
    return add_generator(plan, GENERATOR_COSH, argument, 2) &&
           add_generator(plan, GENERATOR_SINH, argument, 0);
  if (is_circular(op) || is_hyperbolic(op)) return true;
  return add_generator(plan, GENERATOR_LETTER, e, 0);
}

/* Doubles such as 0.5 are taken as fractions. */
static bool is_short(Number number)
{
  Number exact;
  return pf_number_as_narrow(number, &exact) && exact.den <= 1024;
}

static bool plan_node(NormalPlan *plan, PfExpr e)
{
  PfOp op = op_of(plan->table, e);
  if (op == PF_OP_SYMBOL || op == PF_OP_PI) return add_generator(plan, GENERATOR_LETTER, e, 0);
  if (op == PF_OP_DOUBLE && plan->style.readable && !is_short(number_of(plan->table, e)))
    return add_generator(plan, GENERATOR_LETTER, e, 0);
  if (op == PF_OP_PRODUCT) return plan_product(plan, e);
  return op < PF_OP_SIN || plan_call(plan, e);
}

/* ---------------------------------------------------------------- angles */

PfExpr pf_angle_unit(PfExprTable *table, const Angles *angles, int atom)
{
  return pf_expr_scale(table, pf_number_rational(table, 1, angles->divisors[atom]), angles->atoms[atom]);
}

static bool plan_angles(NormalPlan *plan)
{
  PfExprTable *table = plan->table;
  for (int i = 0; i < plan->circular.atom_count; i++) {
    PfExpr unit = pf_angle_unit(table, &plan->circular, i);
    if (!add_generator(plan, GENERATOR_SINE, unit, 2) || !add_generator(plan, GENERATOR_COSINE, unit, 0))
      return false;
  }
  for (int i = 0; i < plan->circular.count; i++) {
    int64_t den = plan->circular.at[i].turn.den;
    if (den%3 == 0 && !add_number_root(plan, 3)) return false;
    if (den%4 == 0 && !add_number_root(plan, 2)) return false;
  }
  for (int i = 0; i < plan->hyperbolic.atom_count; i++)
    if (!add_generator(plan, GENERATOR_GROWTH, pf_angle_unit(table, &plan->hyperbolic, i), 0)) return false;
  return true;
}

/* ---------------------------------------------------------------- rotations */

/* The entries of rotations come first, by rows: the order in which normal_rotation.c reduces them. */
static bool plan_rotations(NormalPlan *plan)
{
  const PfExprTable *table = plan->table;
  size_t all = table->rotations.count;
  if (!plan->style.rotation || !all) return true;
  bool *occurs = pf_arena_array(plan->arena, bool, all);
  plan->rotations = pf_arena_array(plan->arena, int, all);
  if (!occurs || !plan->rotations) return false;
  for (int i = 0; i < plan->node_count; i++) {
    int rotation = pf_rotation_of(table, plan->nodes[i], NULL);
    if (rotation >= 0) occurs[rotation] = true;
  }
  for (size_t r = 0; r < all; r++) {
    if (!occurs[r]) continue;
    plan->rotations[plan->rotation_count++] = plan->generator_count;
    for (int k = 0; k < 9; k++) {
      int column = (k%3 + plan->style.rotation - 1)%3, row = k/3;
      if (plan->style.first_row && row < 2) row = 1 - row;
      if (!add_generator(plan, GENERATOR_LETTER, table->rotations.at[r].entry[3*row + column], 0)) return false;
    }
  }
  return true;
}

/* ---------------------------------------------------------------- the plan */

/* Arguments of functions that are not looked into are compared by their forms, except as written. */
static bool needs_operand(const NormalPlan *plan, PfExpr e, uint32_t i)
{
  const PfExprTable *table = plan->table;
  bool written = plan->style.angles == ANGLES_AS_WRITTEN;
  PfOp op = op_of(table, e);
  if (op == PF_OP_SUM) return true;
  if (op != PF_OP_PRODUCT) return !written && !is_circular(op) && !is_hyperbolic(op);
  PfExpr base = args_of(table, e)[i - i%2], exponent = args_of(table, e)[i - i%2 + 1];
  Number k;
  if (i%2 || !pf_is_root_exponent(table, exponent, &k) || pf_is_number_root(table, base, k)) return false;
  return k.num > 0 || !plan->style.inverse_letters;
}

static void find_needed(NormalPlan *plan)
{
  const PfExprTable *table = plan->table;
  plan->needed[plan->node_count - 1] = true;
  for (int i = plan->node_count - 1; i >= 0; i--) {
    PfExpr e = plan->nodes[i];
    for (uint32_t k = 0; k < node_of(table, e)->count && plan->needed[i]; k++)
      if (needs_operand(plan, e, k)) plan->needed[table->place[args_of(table, e)[k]]] = true;
  }
}

static bool find_angles(NormalPlan *plan)
{
  AngleStyle style = plan->style.angles;
  int64_t turns = style == ANGLES_AS_WRITTEN ? 0 : 12;
  return pf_angles_find(plan->table, plan->arena, plan->nodes, plan->node_count, CIRCULAR, style, turns,
                        &plan->circular) == PF_OK &&
         pf_angles_rebase(plan->table, plan->arena, &plan->circular) &&
         pf_angles_find(plan->table, plan->arena, plan->nodes, plan->node_count, HYPERBOLIC, style, 0,
                        &plan->hyperbolic) == PF_OK;
}

bool pf_normal_plan(PfExprTable *table, PfArena *arena, PfExpr e, NormalStyle style, NormalPlan *plan)
{
  enum { MOST_NODES = 50000 };
  *plan = (NormalPlan){.table = table, .arena = arena, .style = style};
  if (pf_walk(table, arena, &e, 1, &plan->nodes, &plan->node_count) != PF_OK) return false;
  if (plan->node_count > MOST_NODES || !find_angles(plan)) return false;
  plan->needed = pf_arena_array(arena, bool, plan->node_count);
  plan->generators = pf_arena_array(arena, Generator, MOST_GENERATORS);
  if (!plan->needed || !plan->generators || !plan_rotations(plan) || !plan_angles(plan)) return false;
  find_needed(plan);
  for (int i = 0; i < plan->node_count; i++)
    if (plan->needed[i] && !plan_node(plan, plan->nodes[i])) return false;
  return true;
}

/* ---------------------------------------------------------------- generators as letters */

static PfExpr expression_of(PfContext *ctx, const Generator *generator)
{
  switch (generator->kind) {
  case GENERATOR_SINE: return pf_expr_call1(ctx, PF_OP_SIN, generator->key);
  case GENERATOR_COSINE: return pf_expr_call1(ctx, PF_OP_COS, generator->key);
  case GENERATOR_GROWTH: return pf_expr_call1(ctx, PF_OP_EXP, generator->key);
  case GENERATOR_COSH: return pf_expr_call1(ctx, PF_OP_COSH, generator->key);
  case GENERATOR_SINH: return pf_expr_call1(ctx, PF_OP_SINH, generator->key);
  case GENERATOR_ROOT: return pf_expr_pow(ctx, generator->key, pf_expr_rational(ctx, 1, generator->degree));
  default: return generator->key;
  }
}

/* sin(x + pi/2), taken as a letter, is cos(x); and cos(x + pi/2) is -sin(x). */
Shown pf_generator_show(Letters *letters, const Generator *generator)
{
  Number sign = pf_number_int(1);
  bool below = generator->kind == GENERATOR_INVERSE;
  PfExpr rest = expression_of(letters->table->ctx, generator);
  if (rest == PF_EXPR_NONE) letters->failed = true;
  else if (!below) pf_expr_content(letters->table, rest, &sign, &rest);
  if (!pf_number_is(sign, 1) && !pf_number_is(sign, -1)) letters->failed = true;
  return (Shown){letters->failed ? 0 : pf_letter(letters, rest), below ? -1 : 1, pf_number_sign(sign)};
}

/* ---------------------------------------------------------------- public */

/* A value in the prime field that is not zero settles the question at once. If it is zero, the normal form
 * must prove it. */
PfTruth pf_expr_is_zero(PfContext *ctx, PfExpr e)
{
  if (e == PF_EXPR_NONE) return PF_UNKNOWN;
  if (pf_expr_is_structural_zero(ctx, e)) return PF_TRUE;
  if (pf_expr_is_probably_zero(ctx, e, 1) == PF_FALSE) return PF_FALSE;
  return pf_normal_is_zero(ctx, e) == PF_TRUE ? PF_TRUE : PF_UNKNOWN;
}
