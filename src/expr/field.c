/* Zero test by evaluation at random points of a prime field. What holds for real numbers is carried over:
 *
 * - p + 1 is a multiple of every small prime, so all small primes are squares modulo p, -1 is none, and the
 *   squares play the part of the positive numbers: each has one root that is a square, and that root is
 *   multiplicative, as sqrt is.
 * - The unit circle c^2 + s^2 = 1 has p + 1 points and holds exact images of cos(pi/n), sin(pi/n) for n that
 *   divide p + 1; all other angles are random points of the circle.
 *
 * So a polynomial in symbols, sines, cosines and roots of integers maps to its image in the field, and an
 * image that is not zero proves that the polynomial is not. Schwartz, J. ACM 27 (1980) 701-717, for the
 * other direction. */
#include "expr/normal.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the field */

/* Numbers a are kept as a*2^64 mod p: Montgomery, Math. Comp. 44 (1985) 519-521. */
typedef struct Field {
  uint64_t p;
  uint64_t reducer; /* -1/p modulo 2^64 */
  uint64_t one;     /* 2^64 mod p */
  uint64_t square;  /* 2^128 mod p: to enter the form */
} Field;

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;

static uint64_t multiply_wide(uint64_t a, uint64_t b, uint64_t *low)
{
  Wide product = (Wide)a*b;
  *low = (uint64_t)product;
  return (uint64_t)(product >> 64);
}
#else
static uint64_t multiply_wide(uint64_t a, uint64_t b, uint64_t *low)
{
  uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  uint64_t bottom = a0*b0, left = a1*b0 + (bottom >> 32), right = a0*b1 + (left & 0xFFFFFFFFu);
  *low = (right << 32) | (bottom & 0xFFFFFFFFu);
  return a1*b1 + (left >> 32) + (right >> 32);
}
#endif

static uint64_t add(const Field *f, uint64_t a, uint64_t b)
{
  uint64_t sum = a + b; /* p has 61 bits */
  return sum >= f->p ? sum - f->p : sum;
}

static uint64_t negate(const Field *f, uint64_t a)
{
  return a ? f->p - a : 0;
}

static uint64_t subtract(const Field *f, uint64_t a, uint64_t b)
{
  return add(f, a, negate(f, b));
}

static uint64_t multiply(const Field *f, uint64_t a, uint64_t b)
{
  uint64_t low, ignored;
  uint64_t high = multiply_wide(a, b, &low);
  uint64_t sum = high + multiply_wide(low*f->reducer, f->p, &ignored) + (low != 0);
  return sum >= f->p ? sum - f->p : sum;
}

static uint64_t power(const Field *f, uint64_t a, uint64_t n)
{
  uint64_t result = f->one;
  for (; n; n >>= 1) {
    if (n & 1) result = multiply(f, result, a);
    a = multiply(f, a, a);
  }
  return result;
}

static uint64_t invert(const Field *f, uint64_t a)
{
  return power(f, a, f->p - 2);
}

static uint64_t enter(const Field *f, uint64_t a)
{
  return multiply(f, a%f->p, f->square);
}

static uint64_t enter_signed(const Field *f, int64_t a)
{
  return a < 0 ? negate(f, enter(f, 0 - (uint64_t)a)) : enter(f, (uint64_t)a);
}

static bool is_square(const Field *f, uint64_t a)
{
  return power(f, a, (f->p - 1)/2) == f->one;
}

/* The root that is a square itself; p + 1 is a multiple of 4. */
static uint64_t square_root(const Field *f, uint64_t a)
{
  return power(f, a, (f->p + 1)/4);
}

static void set_modulus(Field *f, uint64_t p)
{
  f->p = p;
  uint64_t inverse = p; /* correct to 3 bits; Newton doubles them */
  for (int i = 0; i < 5; i++) inverse *= 2 - p*inverse;
  f->reducer = 0 - inverse;
  f->one = (0 - p)%p;
  f->square = f->one;
  for (int i = 0; i < 64; i++) f->square = add(f, f->square, f->square);
}

/* Miller and Rabin; p - 1 is twice an odd number, and these bases decide up to 3e24. */
static bool is_prime(const Field *f)
{
  static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};
  for (size_t i = 0; i < sizeof bases/sizeof *bases; i++) {
    uint64_t x = power(f, enter(f, bases[i]), (f->p - 1)/2);
    if (x != f->one && x != negate(f, f->one)) return false;
  }
  return true;
}

/* Fields are numbered by k: p = k*CIRCLE*29*31*37 - 1, near 2^61 for the first one. */
static const uint64_t circle_order = (uint64_t)32*9*5*7*11*13*17*19*23;
static const uint64_t first_field = 6472;

/* The next field at or below k; 0 when there is none left. */
static uint64_t find_field(Field *f, uint64_t k)
{
  for (; k > first_field/2; k--) {
    set_modulus(f, k*circle_order*29*31*37 - 1);
    if (is_prime(f)) return k;
  }
  return 0;
}

/* ---------------------------------------------------------------- the circle */

typedef struct Point {
  uint64_t c, s;
} Point;

static Point turn(const Field *f, Point a, Point b)
{
  return (Point){subtract(f, multiply(f, a.c, b.c), multiply(f, a.s, b.s)),
                 add(f, multiply(f, a.s, b.c), multiply(f, a.c, b.s))};
}

/* The point at n times the angle. */
static Point repeat(const Field *f, Point a, int64_t n)
{
  Point result = {f->one, 0};
  uint64_t count = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  if (n < 0) a.s = negate(f, a.s);
  for (; count; count >>= 1) {
    if (count & 1) result = turn(f, result, a);
    a = turn(f, a, a);
  }
  return result;
}

/* ((1 - t^2)/(1 + t^2), 2t/(1 + t^2)); -1 is no square. */
static Point point_of(const Field *f, uint64_t t)
{
  uint64_t square = multiply(f, t, t), scale = invert(f, add(f, f->one, square));
  return (Point){multiply(f, subtract(f, f->one, square), scale), multiply(f, add(f, t, t), scale)};
}

static bool is_start(const Field *f, Point a)
{
  return a.c == f->one && a.s == 0;
}

/* Some point of order q^k, for a prime q whose power divides p + 1. */
static Point point_of_order(const Field *f, int64_t q, int64_t order)
{
  for (uint64_t t = 2;; t++) {
    uint64_t rest = f->p + 1;
    while (rest%(uint64_t)q == 0) rest /= (uint64_t)q;
    Point a = repeat(f, point_of(f, enter(f, t)), (int64_t)rest);
    if (is_start(f, a)) continue;
    Point next = repeat(f, a, order); /* the order may still be higher by powers of q */
    while (!is_start(f, next)) {
      a = repeat(f, a, q);
      next = repeat(f, next, q);
    }
    if (!is_start(f, repeat(f, a, order/q))) return a;
  }
}

static bool is_residue(int64_t a, int64_t q)
{
  for (int64_t x = 1; x < q; x++)
    if (x*x%q == a) return true;
  return false;
}

/* Gauss: sum_a (a/q) e^(2 pi i a/q) = sqrt(q) for q = 4n + 1 and i sqrt(q) for q = 4n + 3. Is `a` of order
 * q on the side of sqrt(q) that the field has chosen? */
static bool agrees_with_root(const Field *f, Point a, int64_t q)
{
  Point sum = {0, 0}, at = a;
  for (int64_t n = 1; n < q; n++, at = turn(f, at, a)) {
    bool plus = is_residue(n, q);
    sum.c = plus ? add(f, sum.c, at.c) : subtract(f, sum.c, at.c);
    sum.s = plus ? add(f, sum.s, at.s) : subtract(f, sum.s, at.s);
  }
  return (q%4 == 1 ? sum.c : sum.s) == square_root(f, enter(f, (uint64_t)q));
}

static int64_t first_nonresidue(int64_t q)
{
  int64_t a = 2;
  while (is_residue(a, q)) a++;
  return a;
}

/* e^(2 pi i/order) for an odd prime power. */
static Point odd_root(const Field *f, int64_t q, int64_t order)
{
  Point a = point_of_order(f, q, order);
  return agrees_with_root(f, repeat(f, a, order/q), q) ? a : repeat(f, a, first_nonresidue(q));
}

/* e^(2 pi i/32): its 8th power is i, and 2 cos(pi/4) = sqrt(2). */
static Point even_root(const Field *f)
{
  Point a = point_of_order(f, 2, 32);
  if (repeat(f, a, 8).s != f->one) a.s = negate(f, a.s);
  uint64_t cosine = repeat(f, a, 4).c;
  return add(f, cosine, cosine) == square_root(f, enter(f, 2)) ? a : repeat(f, a, 5);
}

/* e^(2 pi i/circle_order), from 1/order = sum_q x_q/q^k modulo 1. */
static Point root_of_unity(const Field *f)
{
  static const int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
  static const int64_t orders[] = {32, 9, 5, 7, 11, 13, 17, 19, 23};
  Point root = {f->one, 0};
  for (size_t i = 0; i < sizeof primes/sizeof *primes; i++) {
    int64_t rest = (int64_t)circle_order/orders[i]%orders[i], x = 1;
    while (rest*x%orders[i] != 1) x++;
    Point part = primes[i] == 2 ? even_root(f) : odd_root(f, primes[i], orders[i]);
    root = turn(f, root, repeat(f, part, x));
  }
  return root;
}

/* ---------------------------------------------------------------- what is to be evaluated */

typedef struct Work {
  PfExprTable *table;
  const PfExpr *nodes;
  int node_count;
  Angles circular, hyperbolic;
  bool has_turns;   /* some angle has a multiple of pi in it */
  bool has_roots;   /* of something that is not a number: their signs are chances */
  bool certain;     /* a value that is not zero is a proof */

  Field field;
  uint64_t field_number;
  Point unity;      /* e^(2 pi i/circle_order) */
  uint64_t seed;    /* of the point */
  uint64_t *values; /* per node */
  Point *points;    /* per circular angle */
  uint64_t *growths; /* per hyperbolic angle: its exponential */
  Point *atom_points;
  uint64_t *atom_growths;
} Work;

static uint64_t scramble(uint64_t x) /* splitmix64 */
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30))*0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27))*0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* A random element that depends on the words only, for this point. */
static uint64_t oracle(const Work *w, uint64_t kind, uint64_t a, uint64_t b)
{
  return scramble(scramble(scramble(w->seed ^ kind) ^ a) + b)%w->field.p;
}

enum { SYMBOL_VALUE = PF_OP_COUNT, CIRCLE_POINT, GROWTH, POWER_VALUE };

/* ---------------------------------------------------------------- powers */

/* Exponents that are rational and small enough to be taken as such. */
static bool is_rational_exponent(const PfExprTable *table, PfExpr exponent, Number *rational)
{
  return is_number(table, exponent) && pf_number_exact(number_of(table, exponent), rational) &&
         rational->den <= 1024;
}

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
static bool take_power(const Work *w, uint64_t a, Number exponent, uint64_t *result)
{
  const Field *f = &w->field;
  if (a == 0) {
    *result = 0;
    return exponent.num > 0;
  }
  uint64_t order = exponent.den%2 ? f->p - 1 : (f->p - 1)/2;
  if (exponent.den%2 == 0 && !is_square(f, a)) return false;
  uint64_t part = inverse_modulo((uint64_t)exponent.den, order);
  if (!part) {
    *result = oracle(w, POWER_VALUE, a, (uint64_t)exponent.num ^ ((uint64_t)exponent.den << 48));
    return true;
  }
  a = power(f, a, part);
  *result = power(f, a, exponent.num < 0 ? 0 - (uint64_t)exponent.num : (uint64_t)exponent.num);
  if (exponent.num < 0) *result = invert(f, *result);
  return true;
}

static bool evaluate_product(const Work *w, PfExpr e, uint64_t *result)
{
  const PfExprTable *table = w->table;
  *result = w->field.one;
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
    PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
    uint64_t a = w->values[table->place[base]], factor = a;
    Number k;
    if (!is_rational_exponent(table, exponent, &k))
      factor = oracle(w, POWER_VALUE, a, w->values[table->place[exponent]]);
    else if (!pf_number_is(k, 1) && !take_power(w, a, k, &factor))
      return false;
    *result = multiply(&w->field, *result, factor);
  }
  return true;
}

/* ---------------------------------------------------------------- other nodes */

/* Every double is a rational number with a power of 2 below. */
static bool evaluate_number(const Field *f, Number number, uint64_t *result)
{
  if (number.exact) {
    uint64_t below = enter_signed(f, number.den);
    *result = enter_signed(f, number.num);
    if (number.den != 1) *result = multiply(f, *result, invert(f, below));
    return below != 0;
  }
  int exponent;
  double mantissa = ldexp(frexp(number.value, &exponent), 53);
  uint64_t scale = power(f, enter(f, 2), (uint64_t)(exponent < 53 ? 53 - exponent : exponent - 53));
  *result = multiply(f, enter_signed(f, (int64_t)mantissa), exponent < 53 ? invert(f, scale) : scale);
  return true;
}

static uint64_t evaluate_sum(const Work *w, PfExpr e)
{
  const PfExpr *args = args_of(w->table, e);
  uint64_t sum = w->values[w->table->place[args[0]]];
  for (uint32_t i = 1; i < node_of(w->table, e)->count; i += 2) {
    uint64_t c = w->values[w->table->place[args[i]]], t = w->values[w->table->place[args[i + 1]]];
    sum = add(&w->field, sum, c == w->field.one ? t : multiply(&w->field, c, t));
  }
  return sum;
}

static bool divide(const Field *f, uint64_t a, uint64_t b, uint64_t *result)
{
  *result = multiply(f, a, invert(f, b));
  return b != 0;
}

static bool evaluate_circular(const Work *w, PfOp op, Point at, uint64_t *result)
{
  *result = op == PF_OP_SIN ? at.s : at.c;
  return op != PF_OP_TAN || divide(&w->field, at.s, at.c, result);
}

static bool evaluate_hyperbolic(const Work *w, PfOp op, uint64_t growth, uint64_t *result)
{
  const Field *f = &w->field;
  uint64_t half = invert(f, add(f, f->one, f->one)), decay = invert(f, growth);
  uint64_t sinh_value = multiply(f, half, subtract(f, growth, decay));
  uint64_t cosh_value = multiply(f, half, add(f, growth, decay));
  *result = op == PF_OP_EXP ? growth : op == PF_OP_SINH ? sinh_value : cosh_value;
  return op != PF_OP_TANH || divide(f, sinh_value, cosh_value, result);
}

/* Functions about which nothing is known but that equal arguments give equal values, and the linear
 * relations of if, min and max. */
static uint64_t evaluate_opaque(const Work *w, PfExpr e)
{
  const Field *f = &w->field;
  PfOp op = op_of(w->table, e);
  const PfExpr *args = args_of(w->table, e);
  uint64_t a = w->values[w->table->place[args[0]]];
  uint64_t b = node_of(w->table, e)->count > 1 ? w->values[w->table->place[args[1]]] : 0;
  switch (op) {
  case PF_OP_ABS: return oracle(w, op, multiply(f, a, a), 0);
  case PF_OP_MIN: return oracle(w, PF_OP_MIN, a < b ? a : b, a < b ? b : a);
  case PF_OP_MAX: return subtract(f, add(f, a, b), oracle(w, PF_OP_MIN, a < b ? a : b, a < b ? b : a));
  case PF_OP_IF: {
    uint64_t otherwise = w->values[w->table->place[args[2]]];
    return add(f, otherwise, multiply(f, oracle(w, op, a, 0), subtract(f, b, otherwise)));
  }
  default: return oracle(w, (uint64_t)op, a, b);
  }
}

static bool evaluate_node(const Work *w, int i, uint64_t *result)
{
  PfExpr e = w->nodes[i];
  PfOp op = op_of(w->table, e);
  switch (op) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE: return evaluate_number(&w->field, number_of(w->table, e), result);
  case PF_OP_SUM: *result = evaluate_sum(w, e); return true;
  case PF_OP_PRODUCT: return evaluate_product(w, e, result);
  case PF_OP_PI:
  case PF_OP_SYMBOL: *result = oracle(w, SYMBOL_VALUE, e, 0); return true;
  default:
    if (is_circular(op)) return evaluate_circular(w, op, w->points[w->circular.of_node[i]], result);
    if (is_hyperbolic(op)) return evaluate_hyperbolic(w, op, w->growths[w->hyperbolic.of_node[i]], result);
    *result = evaluate_opaque(w, e);
    return true;
  }
}

/* ---------------------------------------------------------------- a point */

static Point evaluate_angle(const Work *w, const Angle *angle)
{
  const Field *f = &w->field;
  Point at = {f->one, 0};
  for (int k = 0; k < angle->part_count; k++)
    at = turn(f, at, repeat(f, w->atom_points[angle->parts[k].atom], angle->parts[k].multiple));
  if (angle->turn.num == 0) return at;
  int64_t step = (int64_t)circle_order/2/angle->turn.den;
  return turn(f, at, repeat(f, w->unity, angle->turn.num%(2*angle->turn.den)*step));
}

static uint64_t evaluate_growth(const Work *w, const Angle *angle)
{
  const Field *f = &w->field;
  uint64_t growth = f->one;
  for (int k = 0; k < angle->part_count; k++) {
    int64_t n = angle->parts[k].multiple;
    uint64_t part = power(f, w->atom_growths[angle->parts[k].atom], n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    growth = multiply(f, growth, n < 0 ? invert(f, part) : part);
  }
  return growth;
}

/* All nodes at the point that the seed says. False when it is a bad one: something divides by zero there, or
 * a root has no value. */
static bool evaluate(Work *w)
{
  for (int i = 0; i < w->circular.atom_count; i++)
    w->atom_points[i] = point_of(&w->field, oracle(w, CIRCLE_POINT, w->circular.atoms[i], 0));
  for (int i = 0; i < w->hyperbolic.atom_count; i++)
    w->atom_growths[i] = 1 + oracle(w, GROWTH, w->hyperbolic.atoms[i], 0)%(w->field.p - 1);
  for (int i = 0; i < w->circular.count; i++) w->points[i] = evaluate_angle(w, w->circular.at + i);
  for (int i = 0; i < w->hyperbolic.count; i++) w->growths[i] = evaluate_growth(w, w->hyperbolic.at + i);
  for (int i = 0; i < w->node_count; i++)
    if (!evaluate_node(w, i, w->values + i)) return false;
  return true;
}

/* ---------------------------------------------------------------- fields that fit */

/* Is it a power of a positive number that the field does not have? sqrt(41) wants 41 to be a square. */
static bool is_missing(const Work *w, PfExpr base, PfExpr exponent)
{
  const PfExprTable *table = w->table;
  Number k;
  uint64_t value;
  if (!is_number(table, base) || pf_number_sign(number_of(table, base)) < 0) return false;
  if (!is_rational_exponent(table, exponent, &k) || k.den%2) return false;
  return !evaluate_number(&w->field, number_of(table, base), &value) || !is_square(&w->field, value);
}

static bool has_constant_roots(const Work *w)
{
  const PfExprTable *table = w->table;
  for (int i = 0; i < w->node_count; i++) {
    PfExpr e = w->nodes[i];
    if (op_of(table, e) != PF_OP_PRODUCT) continue;
    for (uint32_t k = 0; k < node_of(table, e)->count; k += 2)
      if (is_missing(w, args_of(table, e)[k], args_of(table, e)[k + 1])) return false;
  }
  return true;
}

static bool choose_field(Work *w, uint64_t number)
{
  enum { MOST_FIELDS = 2000 };
  for (int i = 0; i < MOST_FIELDS; i++) {
    w->field_number = find_field(&w->field, number);
    if (!w->field_number) return false;
    if (has_constant_roots(w)) {
      if (w->has_turns) w->unity = root_of_unity(&w->field);
      return true;
    }
    number = w->field_number - 1;
  }
  return false;
}

/* ---------------------------------------------------------------- what a value proves */

static void inspect_product(Work *w, PfExpr e)
{
  const PfExprTable *table = w->table;
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
    PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
    Number k;
    if (is_integer(table, exponent)) continue;
    bool root = is_rational_exponent(table, exponent, &k);
    bool positive = is_number(table, base) && pf_number_sign(number_of(table, base)) > 0;
    if (root && positive && k.den == 2) continue;
    w->certain = false;
    if (root && k.den%2 == 0) w->has_roots = true;
  }
}

static void inspect(Work *w)
{
  w->certain = w->circular.certain;
  for (int i = 0; i < w->node_count; i++) {
    PfOp op = op_of(w->table, w->nodes[i]);
    if (op == PF_OP_PRODUCT) inspect_product(w, w->nodes[i]);
    if (op >= PF_OP_SIN && !is_circular(op)) w->certain = false;
  }
  for (int i = 0; i < w->circular.count; i++)
    if (w->circular.at[i].turn.num) w->has_turns = true;
}

/* ---------------------------------------------------------------- public */

static PfStatus prepare(Work *w, PfArena *arena, const PfExpr *roots, int count)
{
  const int64_t turns = (int64_t)circle_order/2;
  PfExpr *nodes;
  PF_TRY(pf_walk(w->table, arena, roots, count, &nodes, &w->node_count));
  w->nodes = nodes;
  PF_TRY(pf_angles_find(w->table, arena, nodes, w->node_count, CIRCULAR, ANGLES_EXPANDED, turns,
                        &w->circular));
  PF_TRY(pf_angles_find(w->table, arena, nodes, w->node_count, HYPERBOLIC, ANGLES_EXPANDED, 0,
                        &w->hyperbolic));
  w->values = pf_arena_array(arena, uint64_t, w->node_count);
  w->points = pf_arena_array(arena, Point, w->circular.count);
  w->growths = pf_arena_array(arena, uint64_t, w->hyperbolic.count);
  w->atom_points = pf_arena_array(arena, Point, w->circular.atom_count);
  w->atom_growths = pf_arena_array(arena, uint64_t, w->hyperbolic.atom_count);
  if (!w->values || !w->points || !w->growths || !w->atom_points || !w->atom_growths)
    return pf_fail(w->table->ctx, PF_ERR_MEMORY, "no room to evaluate in a prime field");
  inspect(w);
  return PF_OK;
}

static int first_nonzero(const Work *w, const PfExpr *roots, int count)
{
  for (int i = 0; i < count; i++)
    if (w->values[w->table->place[roots[i]]]) return i;
  return -1;
}

static PfTruth test(Work *w, const PfExpr *roots, int count, int rounds, int *which)
{
  enum { TRIES_PER_FIELD = 16, POINTS_FOR_SIGNS = 48 };
  const double most_evaluations = 3e7;
  if (w->has_roots && rounds < POINTS_FOR_SIGNS) rounds = POINTS_FOR_SIGNS;
  if (!choose_field(w, first_field)) return PF_UNKNOWN;
  w->seed = 0x5DEECE66D1CE4E5Bu;
  int tries = 0;
  for (int round = 0; round < rounds;) {
    if ((double)tries*w->node_count > most_evaluations) return PF_UNKNOWN;
    if (++tries%TRIES_PER_FIELD == 0 && !choose_field(w, w->field_number - 1)) return PF_UNKNOWN;
    w->seed = scramble(w->seed);
    if (!evaluate(w)) continue;
    round++;
    int found = first_nonzero(w, roots, count);
    if (found < 0) continue;
    if (which) *which = found;
    return w->certain ? PF_FALSE : PF_UNKNOWN;
  }
  return PF_TRUE;
}

PfTruth pf_expr_all_probably_zero(PfContext *ctx, const PfExpr *roots, int count, int rounds, int *which)
{
  Work work = {.table = pf_expr_table(ctx)};
  if (which) *which = -1;
  for (int i = 0; i < count; i++)
    if (roots[i] == PF_EXPR_NONE) return PF_UNKNOWN;
  if (!work.table) return PF_UNKNOWN;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfTruth truth = PF_UNKNOWN;
  if (prepare(&work, scratch, roots, count) == PF_OK)
    truth = test(&work, roots, count, rounds < 1 ? 1 : rounds, which);
  pf_arena_release(scratch, mark);
  return truth;
}

PfTruth pf_expr_is_probably_zero(PfContext *ctx, PfExpr e, int rounds)
{
  return pf_expr_all_probably_zero(ctx, &e, 1, rounds, NULL);
}
