/* SPDX-License-Identifier: Apache-2.0 */
/* From expressions to ratios of polynomials, node by node: sines and cosines of angle sums, exponentials,
 * roots, and functions that are not looked into. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

/* cos and sin of an angle. */
typedef struct Turned {
  Ratio *c, *s;
} Turned;

typedef struct Conversion {
  NormalPlan plan;
  Ring *ring;
  Ratio **values; /* per node */
  Turned *turned; /* per circular angle */
  int *opaque;    /* nodes of functions that are not looked into, in order */
  int opaque_count;
} Conversion;

static const Ratio *value_of(const Conversion *c, PfExpr e)
{
  return c->values[c->plan.table->place[e]];
}

static Ratio *number(Conversion *c, int64_t num, int64_t den)
{
  return pf_ratio_number(c->ring, pf_number_rational(c->plan.table, num, den));
}

static Ratio *generator(Conversion *c, GeneratorKind kind, PfExpr key)
{
  return pf_ratio_generator(c->ring, pf_generator_find(&c->plan, kind, key));
}

/* ---------------------------------------------------------------- angles */

static bool turned_number(Conversion *c, int64_t cosine, int64_t sine, Turned *turned)
{
  turned->c = number(c, cosine, 1);
  turned->s = number(c, sine, 1);
  return turned->c && turned->s;
}

/* a turned by b: (cos + i sin)(cos + i sin) */
static bool turn(Conversion *c, Turned *a, const Turned *b)
{
  Turned sum;
  bool good = turned_number(c, 0, 0, &sum) && pf_ratio_add_product(c->ring, sum.c, a->c, b->c, 1) &&
              pf_ratio_add_product(c->ring, sum.c, a->s, b->s, -1) &&
              pf_ratio_add_product(c->ring, sum.s, a->s, b->c, 1) &&
              pf_ratio_add_product(c->ring, sum.s, a->c, b->s, 1) && pf_ratio_keep(c->ring, sum.c) &&
              pf_ratio_keep(c->ring, sum.s);
  *a = sum;
  return good;
}

/* Turns by n times the unit, by doubling; a negative angle has the opposite sine. */
static bool turn_by(Conversion *c, Turned *a, Turned unit, int64_t n)
{
  if (!unit.c || !unit.s) return false;
  if (n < 0) {
    Ratio *opposite = number(c, 0, 1), *one = number(c, 1, 1);
    if (!opposite || !one || !pf_ratio_add_product(c->ring, opposite, unit.s, one, -1)) return false;
    unit.s = opposite;
  }
  for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left; left >>= 1) {
    if ((left & 1) && !turn(c, a, &unit)) return false;
    if (left > 1 && !turn(c, &unit, &unit)) return false;
  }
  return true;
}

/* sqrt(n)/2 for a prime n. */
static Ratio *half_root(Conversion *c, int64_t n)
{
  Ratio *root = generator(c, GENERATOR_ROOT, pf_expr_int(c->plan.table->ctx, n)), *half = number(c, 1, 2);
  return root && half && pf_ratio_multiply(c->ring, root, half, 1) ? root : NULL;
}

/* Turns by halves, thirds and quarters of pi; without roots that the angle does not need. pi/2, pi/3 and pi/4 are
 * (0, 1), (1, sqrt(3))/2 and (sqrt(2), sqrt(2))/2. */
static bool turn_by_pi(Conversion *c, Turned *a, Number part)
{
  int64_t twelfths = part.num%(2*part.den)*(12/part.den), remainder = twelfths%6;
  int64_t halves = twelfths/6, thirds = 0, quarters = 0;
  if (remainder%2 == 0) { /* rest/12 = rest/4 - rest/6 */
    halves += remainder/2;
    thirds = -remainder/2;
  } else if (remainder%3 == 0) {
    quarters = remainder/3;
  } else { /* rest/12 = rest/3 - rest/4 */
    thirds = remainder;
    quarters = -remainder;
  }
  return (!halves || turn_by(c, a, (Turned){number(c, 0, 1), number(c, 1, 1)}, halves)) &&
         (!thirds || turn_by(c, a, (Turned){number(c, 1, 2), half_root(c, 3)}, thirds)) &&
         (!quarters || turn_by(c, a, (Turned){half_root(c, 2), half_root(c, 2)}, quarters));
}

/* cos and sin of an angle, from those of its atoms. */
static bool find_turned(Conversion *c, int angle, Turned *turned)
{
  const Angle *from = c->plan.circular.at + angle;
  if (!turned_number(c, 1, 0, turned)) return false;
  for (int i = 0; i < from->part_count; i++) {
    PfExpr key = pf_angle_unit(c->plan.table, &c->plan.circular, from->parts[i].atom);
    Turned unit = {generator(c, GENERATOR_COSINE, key), generator(c, GENERATOR_SINE, key)};
    if (!turn_by(c, turned, unit, from->parts[i].multiple)) return false;
  }
  return from->turn.num == 0 || turn_by_pi(c, turned, from->turn);
}

/* ratio /= below, or times the variable for its inverse. */
static bool divide(Conversion *c, Ratio *ratio, const Ratio *below, PfExpr inverse_of)
{
  if (!c->plan.style.inverse_vars) return pf_ratio_multiply(c->ring, ratio, below, -1);
  const Ratio *var = generator(c, GENERATOR_INVERSE, inverse_of);
  return var && pf_ratio_multiply(c->ring, ratio, var, 1);
}

static PfExpr call_at(const Conversion *c, PfOp op, PfExpr e)
{
  return pf_expr_call1(c->plan.table->ctx, op, args_of(c->plan.table, e)[0]);
}

static Ratio *convert_circular(Conversion *c, int i)
{
  PfExpr e = c->plan.nodes[i];
  PfOp op = op_of(c->plan.table, e);
  Turned *turned = c->turned + c->plan.circular.of_node[i];
  if (!turned->c && !find_turned(c, c->plan.circular.of_node[i], turned)) return NULL;
  Ratio *ratio = number(c, 1, 1);
  bool good = ratio && pf_ratio_multiply(c->ring, ratio, op == PF_OP_COS ? turned->c : turned->s, 1) &&
              (op != PF_OP_TAN || divide(c, ratio, turned->c, call_at(c, PF_OP_COS, e)));
  return good ? ratio : NULL;
}

/* ---------------------------------------------------------------- exponentials */

/* ratio *= exp(n*angle) */
static bool grow(Conversion *c, Ratio *ratio, const Angle *angle, int n)
{
  for (int i = 0; i < angle->part_count; i++) {
    PfExpr key = pf_angle_unit(c->plan.table, &c->plan.hyperbolic, angle->parts[i].atom);
    const Ratio *unit = generator(c, GENERATOR_GROWTH, key);
    if (!unit || !pf_ratio_multiply(c->ring, ratio, unit, n*angle->parts[i].multiple)) return false;
  }
  return true;
}

/* (exp(x) + sign*exp(-x))/2 */
static Ratio *half_growth(Conversion *c, const Angle *angle, int sign)
{
  Ratio *up = number(c, 1, 2), *down = number(c, sign, 2);
  bool good = up && down && grow(c, up, angle, 1) && grow(c, down, angle, -1);
  return good && pf_ratio_add(c->ring, up, down) ? up : NULL;
}

/* exp, sinh, cosh and tanh: as generators where angles stay as they are written, with tanh = sinh/cosh; else by powers
 * of e of the atoms. */
static Ratio *convert_hyperbolic(Conversion *c, int i)
{
  PfExpr e = c->plan.nodes[i], argument = args_of(c->plan.table, e)[0];
  PfOp op = op_of(c->plan.table, e);
  if (c->plan.style.angles == ANGLES_AS_WRITTEN) {
    if (op == PF_OP_EXP) return generator(c, GENERATOR_GROWTH, argument);
    if (op != PF_OP_TANH) return generator(c, op == PF_OP_COSH ? GENERATOR_COSH : GENERATOR_SINH, argument);
    Ratio *above = generator(c, GENERATOR_SINH, argument), *below = generator(c, GENERATOR_COSH, argument);
    return above && below && divide(c, above, below, call_at(c, PF_OP_COSH, e)) ? above : NULL;
  }
  const Angle *angle = c->plan.hyperbolic.at + c->plan.hyperbolic.of_node[i];
  if (op == PF_OP_EXP) {
    Ratio *growth = number(c, 1, 1);
    return growth && grow(c, growth, angle, 1) ? growth : NULL;
  }
  if (op != PF_OP_TANH) return half_growth(c, angle, op == PF_OP_COSH ? 1 : -1);
  Ratio *above = half_growth(c, angle, -1), *below = half_growth(c, angle, 1);
  return above && below && pf_ratio_multiply(c->ring, above, below, -1) ? above : NULL;
}

/* ---------------------------------------------------------------- sums and products */

/* sqrt(n)^k by its primes, for which there are generators; construction leaves no root below. */
static bool multiply_number_root(Conversion *c, Ratio *product, int64_t n, int64_t k)
{
  const NormalPlan *plan = &c->plan;
  for (int g = 0; g < plan->generator_count && n > 1; g++) {
    PfExpr key = plan->generators[g].key;
    if (plan->generators[g].kind != GENERATOR_ROOT || !is_integer(plan->table, key)) continue;
    int64_t prime = number_of(plan->table, key).num;
    for (; prime > 1 && n%prime == 0; n /= prime) {
      const Ratio *root = pf_ratio_generator(c->ring, g);
      if (!root || !pf_ratio_multiply(c->ring, product, root, k)) return false;
    }
  }
  return n == 1 && k > 0;
}

/* The generator of a root; roots of equal forms have the same. */
static int root_of(Conversion *c, PfExpr base)
{
  int g = pf_generator_find(&c->plan, GENERATOR_ROOT, base);
  for (int k = 0; k < g; k++) {
    const Generator *other = c->plan.generators + k;
    bool root = other->kind == GENERATOR_ROOT && !is_number(c->plan.table, other->key);
    if (!root || other->degree != c->plan.generators[g].degree || !pf_ring_is_related(c->ring, k)) continue;
    if (pf_ratio_is_equal(c->ring, value_of(c, base), value_of(c, other->key))) return k;
  }
  return g;
}

/* product *= base^exponent, as a power of a ratio, of a root or of a variable. */
static bool multiply_power(Conversion *c, Ratio *product, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = c->plan.table;
  Number k;
  if (!pf_is_root_exponent(table, exponent, &k)) {
    const Ratio *var = generator(c, GENERATOR_VAR, pf_expr_pow(table->ctx, base, exponent));
    return var && pf_ratio_multiply(c->ring, product, var, 1);
  }
  if (k.num > 1000000 || k.num < -1000000) return false;
  if (pf_is_number_root(table, base, k))
    return multiply_number_root(c, product, number_of(table, base).num, k.num);
  if (k.num < 0 && c->plan.style.inverse_vars) {
    const Ratio *var = generator(c, GENERATOR_INVERSE, pf_inverse_key(table, base, k));
    return var && pf_ratio_multiply(c->ring, product, var, -k.num);
  }
  if (k.den > 1) {
    int g = root_of(c, base);
    if (g < 0) return false;
    int64_t n = c->plan.generators[g].degree/k.den;
    return pf_ratio_multiply_root(c->ring, product, g, value_of(c, base), k.num*n);
  }
  return pf_ratio_multiply(c->ring, product, value_of(c, base), k.num);
}

/* ---------------------------------------------------------------- all nodes */

static bool has_equal_operands(Conversion *c, PfExpr a, PfExpr b)
{
  const PfExprTable *table = c->plan.table;
  if (op_of(table, a) != op_of(table, b)) return false;
  const PfExpr *x = args_of(table, a), *y = args_of(table, b);
  for (uint32_t i = 0; i < node_of(table, a)->count; i++)
    if (!pf_ratio_is_equal(c->ring, value_of(c, x[i]), value_of(c, y[i]))) return false;
  return true;
}

/* The ratio of polynomials that a node is, from those of its operands; NULL when that takes too much work. */
static Ratio *convert_node(Conversion *c, int i)
{
  const PfExprTable *table = c->plan.table;
  PfExpr e = c->plan.nodes[i];
  PfOp op = op_of(table, e);
  if (op == PF_OP_SUM) {
    /* The ratio of a sum: its terms are added over a common denominator. */
    const PfExpr *args = args_of(c->plan.table, e); /* nothing is built meanwhile */
    Ratio *sum = number(c, 0, 1);
    if (!sum || !pf_ratio_add(c->ring, sum, value_of(c, args[0]))) return NULL;
    for (uint32_t j = 1; j < node_of(c->plan.table, e)->count; j += 2) {
      const Ratio *coefficient = value_of(c, args[j]), *term = value_of(c, args[j + 1]);
      bool plain = pf_number_is(number_of(c->plan.table, args[j]), 1);
      bool good = plain ? pf_ratio_add(c->ring, sum, term)
                        : pf_ratio_add_product(c->ring, sum, coefficient, term, 1);
      if (!good) return NULL;
    }
    return sum;
  }
  if (op == PF_OP_PRODUCT) {
    Ratio *product = number(c, 1, 1);
    for (uint32_t k = 0; k < node_of(table, e)->count && product; k += 2)
      if (!multiply_power(c, product, args_of(table, e)[k], args_of(table, e)[k + 1])) return NULL;
    return product;
  }
  if (op < PF_OP_SIN) {
    bool var = pf_generator_find(&c->plan, GENERATOR_VAR, e) >= 0;
    if (!var && is_number(table, e)) return pf_ratio_number(c->ring, number_of(table, e));
    return generator(c, GENERATOR_VAR, e);
  }
  if (is_circular(op)) return convert_circular(c, i);
  if (is_hyperbolic(op)) return convert_hyperbolic(c, i);
  /* The same function of equal forms is the same generator. */
  const PfExpr *nodes = c->plan.nodes;
  bool compared = c->plan.style.angles == ANGLES_EXPANDED;
  for (int k = 0; k < c->opaque_count && compared; k++)
    if (has_equal_operands(c, nodes[c->opaque[k]], nodes[i]))
      return generator(c, GENERATOR_VAR, nodes[c->opaque[k]]);
  c->opaque[c->opaque_count++] = i;
  return generator(c, GENERATOR_VAR, nodes[i]);
}

/* The root as a ratio, NULL when it is given up. */
static Ratio *convert(Conversion *c)
{
  PfArena *arena = c->plan.arena;
  c->values = pf_arena_array(arena, Ratio *, c->plan.node_count);
  c->turned = pf_arena_array(arena, Turned, c->plan.circular.count);
  c->opaque = pf_arena_array(arena, int, c->plan.node_count);
  if (!c->values || !c->turned || !c->opaque) return NULL;
  for (int i = 0; i < c->plan.node_count; i++) {
    if (!c->plan.needed[i]) continue;
    c->values[i] = convert_node(c, i);
    if (!c->values[i] || !pf_ratio_keep(c->ring, c->values[i])) return NULL;
  }
  return c->values[c->plan.node_count - 1];
}

/* ---------------------------------------------------------------- public */

PfTruth pf_normal_is_zero(PfContext *ctx, PfExpr e)
{
  const double work = 4e6; /* about 0.2 s */
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfTruth truth = PF_UNKNOWN;
  Conversion c = {.ring = NULL};
  NormalStyle style = {.angles = ANGLES_EXPANDED, .rotation = 1};
  if (pf_normal_plan(pf_expr_table(ctx), scratch, e, style, &c.plan)) c.ring = pf_ring_new(&c.plan, work);
  const Ratio *root = c.ring ? convert(&c) : NULL;
  if (root) truth = pf_ratio_is_zero(c.ring, root) ? PF_TRUE : PF_FALSE;
  pf_ring_free(c.ring);
  pf_arena_release(scratch, mark);
  return truth;
}

bool pf_normal_form(Vars *vars, PfExpr e, NormalStyle style, NormalForm *form)
{
  double work = vars->work/2;
  Conversion c = {.ring = NULL};
  if (pf_normal_plan(vars->table, vars->arena, e, style, &c.plan)) c.ring = pf_ring_new(&c.plan, work);
  if (!c.ring) return false;
  Ratio *root = convert(&c);
  vars->work -= work - pf_ring_work(c.ring);
  vars->need = 2*pf_ring_need(c.ring);
  bool good = root && pf_ratio_write(c.ring, root, vars, form);
  pf_ring_free(c.ring);
  return good;
}

#else

PfTruth pf_normal_is_zero(PfContext *ctx, PfExpr e)
{
  (void)ctx;
  (void)e;
  return PF_UNKNOWN;
}

bool pf_normal_form(Vars *vars, PfExpr e, NormalStyle style, NormalForm *form)
{
  (void)vars;
  (void)e;
  (void)style;
  (void)form;
  return false;
}

#endif
