/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation at random points of a prime field, and the zero test that rests on it. All angles but the
 * fractions of pi are random points of the circle. An image that is not zero proves that a polynomial in
 * symbols, sines, cosines and roots of integers is not. */
#include "expr/big.h"
#include "expr/field_impl.h"

#include <math.h>
#include <string.h>

static uint64_t scramble(uint64_t x) /* splitmix64 */
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30))*0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27))*0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* A random element that depends on the words only, for this point. */
static uint64_t oracle(const PfProbe *w, uint64_t kind, uint64_t a, uint64_t b)
{
  return scramble(scramble(scramble(w->seed ^ kind) ^ a) + b)%w->field.p;
}

enum { SYMBOL_VALUE = PF_OP_COUNT, CIRCLE_POINT, GROWTH, POWER_VALUE, QUATERNION };

/* ---------------------------------------------------------------- powers */

/* 1/n modulo m, or 0. */
static uint64_t inverse_modulo(uint64_t n, uint64_t m)
{
  int64_t r0 = (int64_t)m, r1 = (int64_t)(n%m), x0 = 0, x1 = 1;
  while (r1) {
    int64_t q = r0/r1, r = r0 - q*r1, x = x0 - q*x1;
    r0 = r1, r1 = r;
    x0 = x1, x1 = x;
  }
  if (r0 != 1) return 0;
  return x0 < 0 ? (uint64_t)(x0 + (int64_t)m) : (uint64_t)x0;
}

/* a^(m/n); among the squares, whose number is odd, every such root is unique. False for a bad point. */
static bool take_power(const PfProbe *w, uint64_t a, Number exponent, uint64_t *result)
{
  const PfField *f = &w->field;
  if (a == 0) {
    *result = 0;
    return exponent.num > 0;
  }
  uint64_t order = exponent.den%2 ? f->p - 1 : (f->p - 1)/2;
  if (exponent.den%2 == 0 && !pf_field_is_square(f, a)) return false;
  uint64_t part = exponent.den == 1 ? 1 : inverse_modulo((uint64_t)exponent.den, order);
  if (!part) {
    *result = oracle(w, POWER_VALUE, a, (uint64_t)exponent.num ^ ((uint64_t)exponent.den << 48));
    return true;
  }
  if (exponent.den != 1) a = pf_field_power(f, a, part);
  *result = pf_field_power(f, a, exponent.num < 0 ? 0 - (uint64_t)exponent.num : (uint64_t)exponent.num);
  if (exponent.num < 0) *result = pf_field_invert(f, *result);
  return true;
}

static bool evaluate_product(const PfProbe *w, int node, uint64_t *result)
{
  const int *at = pf_probe_operands(w, node);
  *result = w->field.one;
  for (int i = 0; i < pf_probe_count(w, node); i += 2) {
    uint64_t a = w->values[at[i]], factor = a;
    Number k;
    if (!pf_probe_exponent(w, at[i + 1], &k))
      factor = oracle(w, POWER_VALUE, a, w->values[at[i + 1]]);
    else if (!pf_number_is(k, 1) && !take_power(w, a, k, &factor))
      return false;
    *result = pf_field_multiply(&w->field, *result, factor);
  }
  return true;
}

/* ---------------------------------------------------------------- other nodes */

static uint64_t enter_big(const PfField *f, const Big *a)
{
  uint64_t base = pf_field_enter(f, INT64_C(1) << 32), sum = 0;
  for (int i = a->count; i-- > 0;)
    sum = pf_field_add(f, pf_field_multiply(f, sum, base), pf_field_enter(f, a->limb[i]));
  return sum;
}

/* Every double is a rational number with a power of 2 below. */
static bool evaluate_number(const PfField *f, Number number, uint64_t *result)
{
  if (pf_number_is_wide(number)) {
    Big num, den;
    pf_number_parts(number, &num, &den);
    uint64_t above = enter_big(f, &num), below = enter_big(f, &den);
    if (pf_number_sign(number) < 0) above = pf_field_negate(f, above);
    *result = pf_field_multiply(f, above, pf_field_invert(f, below));
    return below != 0;
  }
  if (pf_number_is_narrow(number)) {
    uint64_t below = pf_field_enter(f, number.den);
    *result = pf_field_enter(f, number.num);
    if (number.den != 1) *result = pf_field_multiply(f, *result, pf_field_invert(f, below));
    return below != 0;
  }
  int exponent;
  double mantissa = ldexp(frexp(number.value, &exponent), 53);
  uint64_t two = pf_field_enter(f, 2);
  uint64_t scale = pf_field_power(f, two, (uint64_t)(exponent < 53 ? 53 - exponent : exponent - 53));
  if (exponent < 53) scale = pf_field_invert(f, scale);
  *result = pf_field_multiply(f, pf_field_enter(f, (int64_t)mantissa), scale);
  return true;
}

static bool divide(const PfField *f, uint64_t a, uint64_t b, uint64_t *result)
{
  *result = pf_field_multiply(f, a, pf_field_invert(f, b));
  return b != 0;
}

/* Functions about which nothing is known but that equal arguments give equal values, and the linear
 * relations of if, min and max. */
static uint64_t evaluate_opaque(const PfProbe *w, PfOp op, int node)
{
  const PfField *f = &w->field;
  const int *at = pf_probe_operands(w, node);
  uint64_t a = w->values[at[0]], b = pf_probe_count(w, node) > 1 ? w->values[at[1]] : 0;
  switch (op) {
  case PF_OP_ABS: return oracle(w, op, pf_field_multiply(f, a, a), 0);
  case PF_OP_MIN: return oracle(w, PF_OP_MIN, a < b ? a : b, a < b ? b : a);
  case PF_OP_MAX:
    return pf_field_subtract(f, pf_field_add(f, a, b), oracle(w, PF_OP_MIN, a < b ? a : b, a < b ? b : a));
  case PF_OP_IF: {
    uint64_t otherwise = w->values[at[2]];
    return pf_field_add(f, otherwise,
                        pf_field_multiply(f, oracle(w, op, a, 0), pf_field_subtract(f, b, otherwise)));
  }
  default: return oracle(w, (uint64_t)op, a, b);
  }
}

/* The entry of the rotation by a random quaternion: (w^2 - v.v) 1 + 2 v v^T + 2 w (v x), over |q|^2. */
static bool evaluate_rotation(const PfProbe *w, int rotation, int entry, uint64_t *result)
{
  const PfField *f = &w->field;
  uint64_t q[4], square[4], sum = 0;
  for (int k = 0; k < 4; k++) {
    q[k] = oracle(w, QUATERNION, w->table->rotations.at[rotation].entry[0], (uint64_t)k);
    square[k] = pf_field_multiply(f, q[k], q[k]);
    sum = pf_field_add(f, sum, square[k]);
  }
  int i = entry/3, j = entry%3;
  if (i == j) {
    uint64_t others = pf_field_add(f, square[(i + 1)%3 + 1], square[(i + 2)%3 + 1]);
    *result = pf_field_subtract(f, pf_field_add(f, square[0], square[i + 1]), others);
  } else {
    uint64_t along = pf_field_multiply(f, q[i + 1], q[j + 1]), across = pf_field_multiply(f, q[0], q[4 - i - j]);
    *result = j == (i + 2)%3 ? pf_field_add(f, along, across) : pf_field_subtract(f, along, across);
    *result = pf_field_add(f, *result, *result);
  }
  return divide(f, *result, sum, result);
}

/* The value of a node from those of its operands; false where it has none in this field. */
static bool evaluate_node(const PfProbe *w, int i, uint64_t *result)
{
  const PfField *f = &w->field;
  const int *at = pf_probe_operands(w, i);
  PfExpr e = w->nodes[i];
  PfOp op = op_of(w->table, e);
  switch (op) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE: return evaluate_number(f, number_of(w->table, e), result);
  case PF_OP_SUM:
    *result = w->values[at[0]];
    for (int k = 1; k < pf_probe_count(w, i); k += 2) {
      uint64_t c = w->values[at[k]], t = w->values[at[k + 1]];
      *result = pf_field_add(f, *result, c == f->one ? t : pf_field_multiply(f, c, t));
    }
    return true;
  case PF_OP_PRODUCT: return evaluate_product(w, i, result);
  case PF_OP_PI:
  case PF_OP_SYMBOL: {
    int entry, rotation = pf_rotation_of(w->table, e, &entry);
    if (rotation >= 0) return evaluate_rotation(w, rotation, entry, result);
    *result = oracle(w, SYMBOL_VALUE, e, 0);
    return true;
  }
  default:
    if (is_hyperbolic(op)) {
      uint64_t growth = w->growths[w->hyperbolic.of_node[i]];
      uint64_t half = pf_field_invert(f, pf_field_add(f, f->one, f->one)), decay = pf_field_invert(f, growth);
      uint64_t sinh_value = pf_field_multiply(f, half, pf_field_subtract(f, growth, decay));
      uint64_t cosh_value = pf_field_multiply(f, half, pf_field_add(f, growth, decay));
      *result = op == PF_OP_EXP ? growth : op == PF_OP_SINH ? sinh_value : cosh_value;
      return op != PF_OP_TANH || divide(f, sinh_value, cosh_value, result);
    }
    if (is_circular(op)) {
      PfCirclePoint point = w->points[w->circular.of_node[i]];
      *result = op == PF_OP_SIN ? point.s : point.c;
      return op != PF_OP_TAN || divide(f, point.s, point.c, result);
    }
    *result = evaluate_opaque(w, op, i);
    return true;
  }
}

/* ---------------------------------------------------------------- a point */

static PfCirclePoint evaluate_angle(const PfProbe *w, const Angle *angle)
{
  const PfField *f = &w->field;
  PfCirclePoint at = {f->one, 0};
  for (int k = 0; k < angle->part_count; k++)
    at = pf_circle_turn(f, at, pf_circle_repeat(f, w->atom_points[angle->parts[k].atom], angle->parts[k].multiple));
  if (angle->turn.num == 0) return at;
  int64_t step = PF_CIRCLE_ORDER/2/angle->turn.den;
  return pf_circle_turn(f, at, pf_circle_repeat(f, w->unity, angle->turn.num%(2*angle->turn.den)*step));
}

/* All nodes at the point that the seed says. False when it is a bad one: something divides by zero there, or a root has
 * no value; and when the host wants to stop, then without any values. */
static bool evaluate(PfProbe *w)
{
  enum { POLL_EVERY = 4096 };
  bool good = true;
  /* Random values of the atoms of the angles (points of the unit circle, values of exp), then of all angles, which are
   * integer combinations of them. */
  for (int i = 0; i < w->circular.atom_count; i++)
    w->atom_points[i] = pf_circle_point(&w->field, oracle(w, CIRCLE_POINT, w->circular.atoms[i], 0));
  for (int i = 0; i < w->hyperbolic.atom_count; i++)
    w->atom_growths[i] = 1 + oracle(w, GROWTH, w->hyperbolic.atoms[i], 0)%(w->field.p - 1);
  for (int i = 0; i < w->circular.count; i++) w->points[i] = evaluate_angle(w, w->circular.at + i);
  for (int i = 0; i < w->hyperbolic.count; i++) {
    const Angle *angle = w->hyperbolic.at + i;
    const PfField *f = &w->field;
    uint64_t growth = f->one;
    for (int k = 0; k < angle->part_count; k++) {
      int64_t n = angle->parts[k].multiple;
      uint64_t part = pf_field_power(f, w->atom_growths[angle->parts[k].atom], n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
      growth = pf_field_multiply(f, growth, n < 0 ? pf_field_invert(f, part) : part);
    }
    w->growths[i] = growth;
  }
  for (int i = 0; i < w->node_count; i++) {
    if (i%POLL_EVERY == POLL_EVERY - 1 && pf_context_is_cancelled(w->table->ctx)) {
      for (int k = 0; k < w->node_count; k++) w->values[k] = PF_UNDEFINED;
      return false;
    }
    const int *at = pf_probe_operands(w, i);
    bool defined = true;
    for (int k = 0; k < pf_probe_count(w, i) && !good && defined; k++) defined = w->values[at[k]] != PF_UNDEFINED;
    if (defined && evaluate_node(w, i, w->values + i)) continue;
    if (!w->to_the_end) return false;
    w->values[i] = PF_UNDEFINED;
    good = false;
  }
  return good;
}

/* ---------------------------------------------------------------- fields that fit */

/* Does the field have all roots of positive numbers that occur? sqrt(41) needs a field in which 41 is a square. */
static bool has_constant_roots(const PfProbe *w)
{
  const PfExprTable *table = w->table;
  for (int i = 0; i < w->node_count; i++) {
    if (op_of(table, w->nodes[i]) != PF_OP_PRODUCT) continue;
    const int *at = pf_probe_operands(w, i);
    for (int k = 0; k < pf_probe_count(w, i); k += 2) {
      PfExpr base = w->nodes[at[k]];
      Number exponent;
      uint64_t value;
      if (!is_number(table, base) || pf_number_sign(number_of(table, base)) < 0) continue;
      if (!pf_probe_exponent(w, at[k + 1], &exponent) || exponent.den%2) continue;
      if (!evaluate_number(&w->field, number_of(table, base), &value)) return false;
      if (!pf_field_is_square(&w->field, value)) return false;
    }
  }
  return true;
}

/* The next field from this number on, with its known properties; only `found` when nothing more can be remembered. */
static KnownField *find_field(PfExprTable *table, int asked, KnownField *found)
{
  for (size_t i = 0; i < table->fields.count; i++)
    if (table->fields.at[i].asked == asked) return table->fields.at + i;
  *found = (KnownField){.asked = asked};
  found->number = pf_field_find(&found->field, asked);
  return pf_push(table->allocator, &table->fields, *found) ? table->fields.at + table->fields.count - 1 : found;
}

bool pf_probe_next_field(PfProbe *w)
{
  enum { MOST_FIELDS = 2000 };
  int number = w->field_number ? w->field_number - 1 : PF_FIRST_FIELD;
  for (int i = 0; i < MOST_FIELDS; i++) {
    KnownField own, *known = find_field(w->table, number, &own);
    w->field = known->field;
    w->field_number = known->number;
    if (!w->field_number) return false;
    if (has_constant_roots(w)) {
      if (w->has_turns) {
        if (!known->has_unity) known->unity = pf_circle_unity(&known->field);
        known->has_unity = true;
        w->unity = known->unity;
      }
      return true;
    }
    number = w->field_number - 1;
  }
  return false;
}

/* ---------------------------------------------------------------- what a value proves */

/* Roots that every field has, and only once: their prime factors are 2 and divisors of p + 1. */
static bool is_root_of_fields(int64_t degree)
{
  static const int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (size_t i = 0; i < sizeof primes/sizeof *primes; i++)
    while (degree%primes[i] == 0) degree /= primes[i];
  return degree == 1;
}

/* Counts square roots of a base once, whatever the power. */
static void inspect_product(PfProbe *w, int node, bool *rooted)
{
  const int *at = pf_probe_operands(w, node);
  for (int i = 0; i < pf_probe_count(w, node); i += 2) {
    PfExpr base = w->nodes[at[i]];
    Number k;
    if (is_integer(w->table, w->nodes[at[i + 1]])) continue;
    bool root = pf_probe_exponent(w, at[i + 1], &k);
    bool positive = is_number(w->table, base) && pf_number_sign(number_of(w->table, base)) > 0;
    if (!root || !is_root_of_fields(k.den)) w->outside[node] = "^";
    if (root && positive && k.den == 2) continue;
    w->certain = false;
    if (!root || positive || k.den%2 || rooted[at[i]]) continue;
    rooted[at[i]] = true;
    w->square_roots++;
  }
}

/* ---------------------------------------------------------------- making it ready */

/* The places of roots and operands, which hold only until the next walk, in lists of our own. */
static PfStatus keep_places(PfProbe *w, PfArena *arena, const PfExpr *roots)
{
  const PfExprTable *table = w->table;
  size_t total = 0;
  for (int i = 0; i < w->node_count; i++) total += node_of(table, w->nodes[i])->count;
  int *root = pf_arena_array(arena, int, w->root_count), *first = pf_arena_array(arena, int, w->node_count);
  int *operands = pf_arena_array(arena, int, total), used = 0;
  if (!root || !first || !operands || total > INT32_MAX)
    return pf_no_room(table->ctx, "the evaluation in a prime field");
  for (int i = 0; i < w->root_count; i++) root[i] = (int)table->place[roots[i]];
  for (int i = 0; i < w->node_count; i++) {
    first[i] = used;
    for (uint32_t k = 0; k < node_of(table, w->nodes[i])->count; k++)
      operands[used++] = (int)table->place[args_of(table, w->nodes[i])[k]];
  }
  w->root = root;
  w->first = first;
  w->operands = operands;
  return PF_OK;
}

/* Lists the nodes, analyses the angles and allocates the values; then all points and fields use the same lists. */
static PfStatus prepare(PfProbe *w, PfArena *arena, const PfExpr *roots)
{
  PfExpr *nodes;
  PF_TRY(pf_walk(w->table, arena, roots, w->root_count, &nodes, &w->node_count));
  w->nodes = nodes;
  PF_TRY(keep_places(w, arena, roots));
  PF_TRY(pf_angles_find(w->table, arena, nodes, w->node_count, CIRCULAR, ANGLES_EXPANDED, PF_CIRCLE_ORDER/2,
                        &w->circular));
  PF_TRY(pf_angles_find(w->table, arena, nodes, w->node_count, HYPERBOLIC, ANGLES_EXPANDED, 0,
                        &w->hyperbolic));
  bool *rooted;
  PF_TRY(pf_arrays(w->table->ctx, arena, "the evaluation in a prime field", PF_ROOM(w->values, w->node_count),
                   PF_ROOM(w->points, w->circular.count), PF_ROOM(w->growths, w->hyperbolic.count),
                   PF_ROOM(w->atom_points, w->circular.atom_count), PF_ROOM(w->atom_growths, w->hyperbolic.atom_count),
                   PF_ROOM(w->outside, w->node_count), PF_ROOM(rooted, w->node_count)));
  /* Notes for each node whether it can be evaluated in a field at all, whether roots occur, and whether angles
   * contain fractions of pi. */
  w->certain = w->circular.certain;
  for (int i = 0; i < w->node_count; i++) {
    PfOp op = op_of(w->table, w->nodes[i]);
    if (op == PF_OP_PRODUCT) inspect_product(w, i, rooted);
    if (op >= PF_OP_SIN && !is_circular(op)) w->certain = false;
    if (op >= PF_OP_SIN && !is_circular(op) && !is_hyperbolic(op)) w->outside[i] = pf_function_name(op);
    const int *at = pf_probe_operands(w, i);
    for (int k = 0; k < pf_probe_count(w, i) && !w->outside[i]; k++) w->outside[i] = w->outside[at[k]];
  }
  for (int i = 0; i < w->circular.count; i++)
    if (w->circular.at[i].turn.num) w->has_turns = true;
  return PF_OK;
}

PfStatus pf_probe_make(PfContext *ctx, PfArena *arena, const PfExpr *roots, int count, PfProbe **probe)
{
  PfProbe *w = *probe = pf_arena_array(arena, PfProbe, 1);
  PfExprTable *table = pf_expr_table(ctx);
  if (!w || !table) return pf_no_room(ctx, "the evaluation in a prime field");
  *w = (PfProbe){.table = table, .root_count = count, .to_the_end = true};
  for (int i = 0; i < count; i++)
    if (roots[i] == PF_EXPR_NONE) return pf_fail(ctx, PF_ERR_ARGUMENT, "there is no expression %d to evaluate", i);
  return prepare(w, arena, roots);
}

/* The prime field in which the probe evaluates at present. It belongs to the probe. */
const PfField *pf_probe_field(const PfProbe *probe)
{
  return &probe->field;
}

void pf_probe_evaluate(PfProbe *probe, uint64_t seed, uint64_t *values)
{
  probe->seed = scramble(seed);
  (void)evaluate(probe);
  for (int i = 0; i < probe->root_count; i++) values[i] = probe->values[probe->root[i]];
}

const char *pf_probe_outside(const PfProbe *probe, int root)
{
  return probe->outside[probe->root[root]];
}

int pf_probe_square_roots(const PfProbe *probe)
{
  return probe->square_roots;
}

/* ---------------------------------------------------------------- the zero test */

/* Evaluates at random points, in another field now and then: a value that is not zero proves that an expression is not
 * zero; zeros in all rounds make it almost certain that it is. The seed is fixed: the same answer every time. */
static PfTruth test(PfProbe *w, int rounds, int *which)
{
  enum { TRIES_PER_FIELD = 16, POINTS_FOR_SIGNS = 48 };
  const double most_evaluations = 3e7;
  if (w->square_roots && rounds < POINTS_FOR_SIGNS) rounds = POINTS_FOR_SIGNS;
  if (!pf_probe_next_field(w)) return PF_UNKNOWN;
  w->seed = 0x5DEECE66D1CE4E5Bu;
  int tries = 0;
  for (int round = 0; round < rounds;) {
    if ((double)tries*w->node_count > most_evaluations || pf_context_is_cancelled(w->table->ctx)) return PF_UNKNOWN;
    if (++tries%TRIES_PER_FIELD == 0 && !pf_probe_next_field(w)) return PF_UNKNOWN;
    w->seed = scramble(w->seed);
    if (!evaluate(w)) continue;
    round++;
    int found = 0;
    while (found < w->root_count && !w->values[w->root[found]]) found++;
    if (found == w->root_count) continue;
    if (which) *which = found;
    return w->certain ? PF_FALSE : PF_UNKNOWN;
  }
  return PF_TRUE;
}

PfTruth pf_expr_all_probably_zero(PfContext *ctx, const PfExpr *roots, int count, int rounds, int *which)
{
  PfProbe work = {.table = pf_expr_table(ctx), .root_count = count};
  if (which) *which = -1;
  for (int i = 0; i < count; i++)
    if (roots[i] == PF_EXPR_NONE) return PF_UNKNOWN;
  if (!work.table) return PF_UNKNOWN;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfTruth truth = PF_UNKNOWN;
  if (prepare(&work, scratch, roots) == PF_OK) truth = test(&work, rounds < 1 ? 1 : rounds, which);
  pf_arena_release(scratch, mark);
  return truth;
}

PfTruth pf_expr_is_probably_zero(PfContext *ctx, PfExpr e, int rounds)
{
  return pf_expr_all_probably_zero(ctx, &e, 1, rounds, NULL);
}
