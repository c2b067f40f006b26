/* SPDX-License-Identifier: Apache-2.0 */
/* The normal form: its variables, and the decisions that are based on it. Symbols, calls of functions that are not
 * looked into, sines and cosines of independent angles, exponentials, and roots become variables of a polynomial
 * ring. */
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

/* sqrt(6) = sqrt(2)*sqrt(3), so that roots of numbers are independent. Factors beyond 10000 are not looked for. */
static bool add_number_root(NormalPlan *plan, int64_t n)
{
  for (int64_t q = 2; n > 1; q++) {
    if (q > 10000 || q > n/q) q = n;
    if (n%q) continue;
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
    return add_generator(plan, GENERATOR_VAR, pf_expr_pow(table->ctx, base, exponent), 0);
  if (pf_is_number_root(table, base, k)) return add_number_root(plan, number_of(table, base).num);
  if (plan->style.inverse_vars && k.num < 0)
    return add_generator(plan, GENERATOR_INVERSE, pf_inverse_key(table, base, k), 0);
  return k.den == 1 || add_generator(plan, GENERATOR_ROOT, base, (int)k.den);
}

/* Adds the generators of a function. Those of sines, cosines and powers of e come with the atoms of the angles
 * (plan_angles); other functions are variables. */
static bool plan_call(NormalPlan *plan, PfExpr e)
{
  PfExprTable *table = plan->table;
  PfOp op = op_of(table, e);
  PfExpr argument = args_of(table, e)[0];
  bool written = plan->style.angles == ANGLES_AS_WRITTEN;
  if (op == PF_OP_TAN && plan->style.inverse_vars)
    return add_generator(plan, GENERATOR_INVERSE, pf_expr_call1(table->ctx, PF_OP_COS, argument), 0);
  if (op == PF_OP_TANH && plan->style.inverse_vars &&
      !add_generator(plan, GENERATOR_INVERSE, pf_expr_call1(table->ctx, PF_OP_COSH, argument), 0))
    return false;
  if (is_hyperbolic(op) && op != PF_OP_EXP && written)
    return add_generator(plan, GENERATOR_COSH, argument, 2) &&
           add_generator(plan, GENERATOR_SINH, argument, 0);
  if (is_circular(op) || is_hyperbolic(op)) return true;
  return add_generator(plan, GENERATOR_VAR, e, 0);
}

/* Adds the generators that a node needs; false when there are too many. */
static bool plan_node(NormalPlan *plan, PfExpr e)
{
  PfOp op = op_of(plan->table, e);
  bool var = op == PF_OP_SYMBOL || op == PF_OP_PI;
  if (op == PF_OP_DOUBLE && plan->style.readable) { /* doubles such as 0.5 are taken as fractions */
    Number exact;
    var = !pf_number_as_narrow(number_of(plan->table, e), &exact) || exact.den > 1024;
  }
  if (var) return add_generator(plan, GENERATOR_VAR, e, 0);
  if (op == PF_OP_PRODUCT) {
    const PfExprTable *table = plan->table;
    for (uint32_t i = 0; i < node_of(table, e)->count; i += 2)
      if (!plan_power(plan, args_of(table, e)[i], args_of(table, e)[i + 1])) return false;
    return true;
  }
  return op < PF_OP_SIN || plan_call(plan, e);
}

/* ---------------------------------------------------------------- angles */

PfExpr pf_angle_unit(PfExprTable *table, const Angles *angles, int atom)
{
  return pf_expr_scale(table, pf_number_rational(table, 1, angles->divisors[atom]), angles->atoms[atom]);
}

/* Adds sine and cosine of each atom of the angles, the roots of 2 and 3 that turns by fractions of pi need, and powers
 * of e. */
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
      if (!add_generator(plan, GENERATOR_VAR, table->rotations.at[r].entry[3*row + column], 0)) return false;
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
  return k.num > 0 || !plan->style.inverse_vars;
}

bool pf_normal_plan(PfExprTable *table, PfArena *arena, PfExpr e, NormalStyle style, NormalPlan *plan)
{
  enum { MOST_NODES = 50000 };
  *plan = (NormalPlan){.table = table, .arena = arena, .style = style};
  if (pf_walk(table, arena, &e, 1, &plan->nodes, &plan->node_count) != PF_OK) return false;
  PfExpr *nodes = plan->nodes;
  int count = plan->node_count;
  if (count > MOST_NODES) return false;
  int64_t turns = style.angles == ANGLES_AS_WRITTEN ? 0 : 12;
  if (pf_angles_find(table, arena, nodes, count, CIRCULAR, style.angles, turns, &plan->circular) != PF_OK ||
      !pf_angles_rebase(table, arena, &plan->circular) ||
      pf_angles_find(table, arena, nodes, count, HYPERBOLIC, style.angles, 0, &plan->hyperbolic) != PF_OK)
    return false;
  plan->needed = pf_arena_array(arena, bool, count);
  plan->generators = pf_arena_array(arena, Generator, MOST_GENERATORS);
  if (!plan->needed || !plan->generators || !plan_rotations(plan) || !plan_angles(plan)) return false;
  plan->needed[count - 1] = true;
  for (int i = count - 1; i >= 0; i--)
    for (uint32_t k = 0; k < node_of(table, nodes[i])->count && plan->needed[i]; k++)
      if (needs_operand(plan, nodes[i], k)) plan->needed[table->place[args_of(table, nodes[i])[k]]] = true;
  for (int i = 0; i < count; i++)
    if (plan->needed[i] && !plan_node(plan, nodes[i])) return false;
  return true;
}

/* ---------------------------------------------------------------- generators as variables */

/* sin(x + pi/2), taken as a variable, is cos(x); and cos(x + pi/2) is -sin(x). */
Shown pf_generator_show(Vars *vars, const Generator *generator)
{
  PfContext *ctx = vars->table->ctx;
  Number sign = pf_number_int(1);
  bool below = generator->kind == GENERATOR_INVERSE;
  PfExpr rest = generator->key;
  switch (generator->kind) {
  case GENERATOR_SINE: rest = pf_expr_call1(ctx, PF_OP_SIN, rest); break;
  case GENERATOR_COSINE: rest = pf_expr_call1(ctx, PF_OP_COS, rest); break;
  case GENERATOR_GROWTH: rest = pf_expr_call1(ctx, PF_OP_EXP, rest); break;
  case GENERATOR_COSH: rest = pf_expr_call1(ctx, PF_OP_COSH, rest); break;
  case GENERATOR_SINH: rest = pf_expr_call1(ctx, PF_OP_SINH, rest); break;
  case GENERATOR_ROOT: rest = pf_expr_pow(ctx, rest, pf_expr_rational(ctx, 1, generator->degree)); break;
  default: break;
  }
  if (rest == PF_EXPR_NONE) vars->failed = true;
  else if (!below) pf_expr_content(vars->table, rest, &sign, &rest);
  if (!pf_number_is(sign, 1) && !pf_number_is(sign, -1)) vars->failed = true;
  return (Shown){vars->failed ? 0 : pf_var(vars, rest), below ? -1 : 1, pf_number_sign(sign)};
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
