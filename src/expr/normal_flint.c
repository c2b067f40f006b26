/* The arithmetic of normal forms by FLINT: ratios of polynomials, reduced by the relations s^2 = 1 - c^2,
 * C^2 = 1 + S^2 and r^n = base. All denominators of one form are products of a common list of divisors, so
 * that sums need no greatest common divisors. FLINT aborts without memory: every operation is estimated
 * before it is done, and given up when it is too large. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#include <math.h>
#include <string.h>

/* num/(den * product of divisors^powers) */
typedef struct Ratio {
  fmpz_mpoly_t num;
  fmpz_t den;
  int *powers; /* of the divisors of the ring that existed then */
  int power_count;
  bool live;
} Ratio;

/* cos = c/den and sin = s/den of an angle. */
typedef struct Turned {
  fmpz_mpoly_t c, s;
  fmpz_t den;
  bool live;
} Turned;

typedef struct Ring {
  NormalPlan plan;
  fmpz_mpoly_ctx_t of;
  fmpz_mpoly_struct *relations; /* per generator: what its power `degree` is */
  bool *related;
  fmpz_mpoly_struct *divisors;
  int divisor_count;
  Ratio *values;  /* per node */
  Turned *turned; /* per circular angle */
  int *opaque;    /* nodes of functions that are not looked into, in order */
  int opaque_count;
  double work;    /* what may still be spent, in products of terms */
  double held;    /* terms that may still be held */
  bool gave_up;
} Ring;

enum { MOST_DIVISORS = 64, MOST_REDUCTIONS = 4096 };

/* ---------------------------------------------------------------- polynomials */

static bool give_up(Ring *ring)
{
  ring->gave_up = true;
  return false;
}

static bool spend(Ring *ring, double work)
{
  ring->work -= work;
  return ring->work >= 0 || give_up(ring);
}

static double size_of(const fmpz_mpoly_t a)
{
  return (double)a->length;
}

static double weight_of(const Ring *ring, const fmpz_mpoly_t a)
{
  if (a->length == 0) return 0;
  return 1 + (double)labs(fmpz_mpoly_max_bits(a))/256 + (double)ring->plan.generator_count/32;
}

static bool reduce(Ring *ring, fmpz_mpoly_t a);

static bool multiply(Ring *ring, fmpz_mpoly_t product, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
  double terms = size_of(a)*size_of(b);
  if (!spend(ring, terms*(weight_of(ring, a) + weight_of(ring, b)) + 1)) return false;
  fmpz_mpoly_mul(product, a, b, ring->of);
  return reduce(ring, product);
}

static bool add(Ring *ring, fmpz_mpoly_t sum, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
  if (!spend(ring, size_of(a) + size_of(b) + 1)) return false;
  fmpz_mpoly_add(sum, a, b, ring->of);
  return true;
}

/* Replaces the power `degree` of a generator wherever it occurs, by Horner's rule. */
static bool replace_powers(Ring *ring, fmpz_mpoly_t a, int g, fmpz_mpoly_t sum, fmpz_mpoly_univar_t parts)
{
  slong degree = ring->plan.generators[g].degree;
  fmpz_mpoly_to_univar(parts, a, g, ring->of);
  slong left = fmpz_mpoly_univar_get_term_exp_si(parts, 0, ring->of)/degree;
  if (left > MOST_REDUCTIONS) return give_up(ring);
  for (slong i = 0; i < parts->length; i++) {
    slong exponent = fmpz_mpoly_univar_get_term_exp_si(parts, i, ring->of);
    for (; left > exponent/degree; left--)
      if (!multiply(ring, sum, sum, ring->relations + g)) return false;
    fmpz_mpoly_gen(a, g, ring->of); /* a is free now */
    if (!fmpz_mpoly_pow_ui(a, a, (ulong)(exponent%degree), ring->of)) return give_up(ring);
    fmpz_mpoly_mul(a, a, parts->coeffs + i, ring->of);
    if (!add(ring, sum, sum, a)) return false;
  }
  for (; left > 0; left--)
    if (!multiply(ring, sum, sum, ring->relations + g)) return false;
  fmpz_mpoly_swap(a, sum, ring->of);
  return true;
}

/* Later roots may hold earlier ones: downwards. */
static bool reduce(Ring *ring, fmpz_mpoly_t a)
{
  for (int g = ring->plan.generator_count - 1; g >= 0; g--) {
    if (!ring->related[g]) continue;
    if (!fmpz_mpoly_degrees_fit_si(a, ring->of)) return give_up(ring);
    if (fmpz_mpoly_degree_si(a, g, ring->of) < ring->plan.generators[g].degree) continue;
    fmpz_mpoly_t sum;
    fmpz_mpoly_univar_t parts;
    fmpz_mpoly_init(sum, ring->of);
    fmpz_mpoly_univar_init(parts, ring->of);
    bool good = replace_powers(ring, a, g, sum, parts);
    fmpz_mpoly_univar_clear(parts, ring->of);
    fmpz_mpoly_clear(sum, ring->of);
    if (!good) return false;
  }
  return true;
}

/* a^n by squaring; a is used up. */
static bool raise_to(Ring *ring, fmpz_mpoly_t result, fmpz_mpoly_t a, uint64_t n)
{
  fmpz_mpoly_one(result, ring->of);
  for (; n; n >>= 1) {
    if ((n & 1) && !multiply(ring, result, result, a)) return false;
    if (n > 1 && !multiply(ring, a, a, a)) return false;
  }
  return true;
}

static bool multiply_power(Ring *ring, fmpz_mpoly_t a, const fmpz_mpoly_t base, uint64_t n)
{
  if (n == 0) return true;
  if (n == 1) return multiply(ring, a, a, base);
  fmpz_mpoly_t power, copy;
  fmpz_mpoly_init(power, ring->of);
  fmpz_mpoly_init(copy, ring->of);
  fmpz_mpoly_set(copy, base, ring->of);
  bool good = raise_to(ring, power, copy, n) && multiply(ring, a, a, power);
  fmpz_mpoly_clear(power, ring->of);
  fmpz_mpoly_clear(copy, ring->of);
  return good;
}

/* ---------------------------------------------------------------- ratios */

static void start_ratio(Ring *ring, Ratio *ratio)
{
  fmpz_mpoly_init(ratio->num, ring->of);
  fmpz_init_set_ui(ratio->den, 1);
  ratio->powers = pf_arena_array(ring->plan.arena, int, MOST_DIVISORS);
  ratio->power_count = 0;
  ratio->live = true;
  if (!ratio->powers) give_up(ring);
}

static void end_ratio(Ring *ring, Ratio *ratio)
{
  if (!ratio->live) return;
  fmpz_mpoly_clear(ratio->num, ring->of);
  fmpz_clear(ratio->den);
  ratio->live = false;
}

static void raise_power(Ratio *ratio, int divisor, int by)
{
  for (; ratio->power_count <= divisor; ratio->power_count++) ratio->powers[ratio->power_count] = 0;
  ratio->powers[divisor] += by;
}

/* The number of a divisor, primitive and positive at its leading term; -1 if there is no place. */
static int find_divisor(Ring *ring, const fmpz_mpoly_t a)
{
  for (int i = 0; i < ring->divisor_count; i++)
    if (fmpz_mpoly_equal(ring->divisors + i, a, ring->of)) return i;
  if (ring->divisor_count == MOST_DIVISORS) return -1;
  fmpz_mpoly_init(ring->divisors + ring->divisor_count, ring->of);
  fmpz_mpoly_set(ring->divisors + ring->divisor_count, a, ring->of);
  return ring->divisor_count++;
}

static bool divide_by(Ring *ring, Ratio *ratio, const fmpz_mpoly_t divisor, int n)
{
  int i = find_divisor(ring, divisor);
  if (i < 0) return give_up(ring);
  raise_power(ratio, i, n);
  return true;
}

static bool divide_by_generators(Ring *ring, Ratio *ratio, fmpz_mpoly_t content, int n)
{
  fmpz_mpoly_t letter;
  fmpz_mpoly_init(letter, ring->of);
  bool good = true;
  for (int g = 0; g < ring->plan.generator_count && good; g++) {
    slong exponent = fmpz_mpoly_degree_si(content, g, ring->of);
    if (exponent <= 0) continue;
    if (exponent > 1000000/n) good = give_up(ring);
    fmpz_mpoly_gen(letter, g, ring->of);
    if (good) good = divide_by(ring, ratio, letter, (int)exponent*n);
  }
  fmpz_mpoly_clear(letter, ring->of);
  return good;
}

/* ratio /= a^n: number, generators and the rest of a become divisors of their own. a is used up. */
static bool divide(Ring *ring, Ratio *ratio, fmpz_mpoly_t a, int n)
{
  if (fmpz_mpoly_is_zero(a, ring->of)) return give_up(ring);
  fmpz_t content;
  fmpz_mpoly_t common;
  fmpz_init(content);
  fmpz_mpoly_init(common, ring->of);
  _fmpz_vec_content(content, a->coeffs, a->length);
  if (fmpz_sgn(a->coeffs) < 0) fmpz_neg(content, content);
  fmpz_mpoly_scalar_divexact_fmpz(a, a, content, ring->of);
  fmpz_mpoly_term_content(common, a, ring->of);
  bool good = fmpz_mpoly_divides(a, a, common, ring->of) && fmpz_bits(content) < (ulong)4096/(ulong)n;
  if (!good) give_up(ring);
  good = good && divide_by_generators(ring, ratio, common, n);
  if (good && !fmpz_mpoly_is_one(a, ring->of)) good = divide_by(ring, ratio, a, n);
  if (good) {
    fmpz_pow_ui(content, content, (ulong)n);
    fmpz_mul(ratio->den, ratio->den, content);
  }
  fmpz_mpoly_clear(common, ring->of);
  fmpz_clear(content);
  return good;
}

/* ratio *= factor^n, n > 0 */
static bool multiply_ratio(Ring *ring, Ratio *ratio, const Ratio *factor, int n)
{
  for (int i = 0; i < factor->power_count; i++)
    if (factor->powers[i]) raise_power(ratio, i, factor->powers[i]*n);
  fmpz_t den;
  fmpz_init(den);
  bool good = fmpz_bits(factor->den) < (ulong)4096/(ulong)n || fmpz_is_one(factor->den) || give_up(ring);
  if (good) {
    fmpz_pow_ui(den, factor->den, (ulong)n);
    fmpz_mul(ratio->den, ratio->den, den);
  }
  fmpz_clear(den);
  return good && multiply_power(ring, ratio->num, factor->num, (uint64_t)n);
}

/* ratio /= factor^n */
static bool divide_ratio(Ring *ring, Ratio *ratio, const Ratio *factor, int n)
{
  for (int i = 0; i < factor->power_count; i++)
    if (!multiply_power(ring, ratio->num, ring->divisors + i, (uint64_t)(factor->powers[i]*n))) return false;
  fmpz_t den;
  fmpz_mpoly_t num;
  fmpz_init(den);
  fmpz_mpoly_init(num, ring->of);
  fmpz_mpoly_set(num, factor->num, ring->of);
  bool good = fmpz_bits(factor->den) < (ulong)4096/(ulong)n || fmpz_is_one(factor->den) || give_up(ring);
  if (good) {
    fmpz_pow_ui(den, factor->den, (ulong)n);
    fmpz_mpoly_scalar_mul_fmpz(ratio->num, ratio->num, den, ring->of);
    good = divide(ring, ratio, num, n);
  }
  fmpz_clear(den);
  fmpz_mpoly_clear(num, ring->of);
  return good;
}

/* Brings a to the denominator of `common`, whose powers and number are multiples of a's. */
static bool expand_to(Ring *ring, fmpz_mpoly_t result, const Ratio *a, const Ratio *common)
{
  fmpz_t scale;
  fmpz_init(scale);
  fmpz_divexact(scale, common->den, a->den);
  fmpz_mpoly_scalar_mul_fmpz(result, a->num, scale, ring->of);
  fmpz_clear(scale);
  for (int i = 0; i < common->power_count; i++) {
    int missing = common->powers[i] - (i < a->power_count ? a->powers[i] : 0);
    if (!multiply_power(ring, result, ring->divisors + i, (uint64_t)missing)) return false;
  }
  return true;
}

static void widen(Ratio *common, const Ratio *a)
{
  fmpz_lcm(common->den, common->den, a->den);
  for (int i = 0; i < a->power_count; i++) {
    raise_power(common, i, 0);
    if (common->powers[i] < a->powers[i]) common->powers[i] = a->powers[i];
  }
}

/* ---------------------------------------------------------------- numbers */

/* Every double is a whole number times a power of 2. */
static void set_number(Ratio *ratio, Number number, fmpz_t num)
{
  if (number.exact) {
    fmpz_set_si(num, number.num);
    fmpz_set_si(ratio->den, number.den);
    return;
  }
  int exponent;
  fmpz_set_d(num, ldexp(frexp(number.value, &exponent), 53));
  exponent -= 53;
  if (exponent > 0) fmpz_mul_2exp(num, num, (ulong)exponent);
  else fmpz_mul_2exp(ratio->den, ratio->den, (ulong)-exponent);
}

static void convert_number(Ring *ring, Ratio *ratio, Number number)
{
  fmpz_t num, common;
  fmpz_init(num);
  fmpz_init(common);
  set_number(ratio, number, num);
  fmpz_gcd(common, num, ratio->den);
  fmpz_divexact(num, num, common);
  fmpz_divexact(ratio->den, ratio->den, common);
  fmpz_mpoly_set_fmpz(ratio->num, num, ring->of);
  fmpz_clear(num);
  fmpz_clear(common);
}

static bool convert_generator(Ring *ring, Ratio *ratio, int g)
{
  if (g < 0) return give_up(ring);
  fmpz_mpoly_gen(ratio->num, g, ring->of);
  return true;
}

/* ---------------------------------------------------------------- angles */

static void start_turned(Ring *ring, Turned *turned)
{
  fmpz_mpoly_init(turned->c, ring->of);
  fmpz_mpoly_init(turned->s, ring->of);
  fmpz_init_set_ui(turned->den, 1);
  fmpz_mpoly_one(turned->c, ring->of);
  turned->live = true;
}

static void end_turned(Ring *ring, Turned *turned)
{
  if (!turned->live) return;
  fmpz_mpoly_clear(turned->c, ring->of);
  fmpz_mpoly_clear(turned->s, ring->of);
  fmpz_clear(turned->den);
  turned->live = false;
}

/* a turned by b: (c + is)(c' + is') */
static bool turn(Ring *ring, Turned *a, const Turned *b)
{
  fmpz_mpoly_t cc, ss, cs, sc;
  fmpz_mpoly_init(cc, ring->of);
  fmpz_mpoly_init(ss, ring->of);
  fmpz_mpoly_init(cs, ring->of);
  fmpz_mpoly_init(sc, ring->of);
  bool good = multiply(ring, cc, a->c, b->c) && multiply(ring, ss, a->s, b->s) &&
              multiply(ring, cs, a->c, b->s) && multiply(ring, sc, a->s, b->c);
  if (good) {
    fmpz_mpoly_sub(a->c, cc, ss, ring->of);
    fmpz_mpoly_add(a->s, sc, cs, ring->of);
    fmpz_mul(a->den, a->den, b->den);
  }
  fmpz_mpoly_clear(cc, ring->of);
  fmpz_mpoly_clear(ss, ring->of);
  fmpz_mpoly_clear(cs, ring->of);
  fmpz_mpoly_clear(sc, ring->of);
  return good;
}

/* Turns by n times what `unit` holds, which is used up. */
static bool turn_often(Ring *ring, Turned *a, Turned *unit, int64_t n)
{
  if (n < 0) fmpz_mpoly_neg(unit->s, unit->s, ring->of);
  for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left; left >>= 1) {
    if ((left & 1) && !turn(ring, a, unit)) return false;
    if (left > 1 && !turn(ring, unit, unit)) return false;
  }
  return true;
}

static int root_of_prime(const Ring *ring, int64_t prime)
{
  return pf_generator_find(&ring->plan, GENERATOR_ROOT, pf_expr_int(ring->plan.table->ctx, prime));
}

/* pi/2, pi/3 and pi/4 are (0, 1), (1, sqrt(3))/2 and (sqrt(2), sqrt(2))/2. */
static bool set_fraction_of_pi(Ring *ring, Turned *unit, int n)
{
  int g = n == 2 ? -1 : root_of_prime(ring, n == 3 ? 3 : 2);
  if (n == 2) {
    fmpz_mpoly_zero(unit->c, ring->of);
    fmpz_mpoly_one(unit->s, ring->of);
    return true;
  }
  if (g < 0) return give_up(ring);
  fmpz_mpoly_gen(unit->s, g, ring->of);
  if (n == 4) fmpz_mpoly_gen(unit->c, g, ring->of);
  fmpz_set_ui(unit->den, 2);
  return true;
}

/* Turns by halves, thirds and quarters of pi; without roots that the angle does not need. */
static bool turn_by_pi(Ring *ring, Turned *a, Number turn_of_it)
{
  int64_t twelfths = turn_of_it.num%(2*turn_of_it.den)*(12/turn_of_it.den);
  static const int parts[] = {2, 3, 4};
  int64_t counts[3] = {twelfths/6, 0, 0};
  int64_t rest = twelfths%6;
  if (rest%2 == 0) { /* rest/12 = rest/4 - rest/6 */
    counts[0] += rest/2;
    counts[1] = -rest/2;
  } else if (rest%3 == 0) {
    counts[2] = rest/3;
  } else { /* rest/12 = rest/3 - rest/4 */
    counts[1] = rest;
    counts[2] = -rest;
  }
  for (int i = 0; i < 3; i++) {
    if (!counts[i]) continue;
    Turned unit;
    start_turned(ring, &unit);
    bool good = set_fraction_of_pi(ring, &unit, parts[i]) && turn_often(ring, a, &unit, counts[i]);
    end_turned(ring, &unit);
    if (!good) return false;
  }
  return true;
}

static bool turn_by_part(Ring *ring, Turned *a, AnglePart part)
{
  PfExpr key = pf_angle_unit(ring->plan.table, &ring->plan.circular, part.atom);
  int g = pf_generator_find(&ring->plan, GENERATOR_SINE, key);
  if (g < 0) return give_up(ring);
  Turned unit;
  start_turned(ring, &unit);
  fmpz_mpoly_gen(unit.s, g, ring->of);
  fmpz_mpoly_gen(unit.c, g + 1, ring->of);
  bool good = turn_often(ring, a, &unit, part.multiple);
  end_turned(ring, &unit);
  return good;
}

static Turned *turned_by(Ring *ring, int angle)
{
  Turned *turned = ring->turned + angle;
  const Angle *from = ring->plan.circular.at + angle;
  if (turned->live) return turned;
  start_turned(ring, turned);
  for (int i = 0; i < from->part_count; i++)
    if (!turn_by_part(ring, turned, from->parts[i])) return NULL;
  return from->turn.num == 0 || turn_by_pi(ring, turned, from->turn) ? turned : NULL;
}

/* Divides by a polynomial, or multiplies by the letter for the inverse of what it is the form of. */
static bool put_below(Ring *ring, Ratio *ratio, const fmpz_mpoly_t a, PfExpr key)
{
  fmpz_mpoly_t below;
  fmpz_mpoly_init(below, ring->of);
  fmpz_mpoly_set(below, a, ring->of);
  bool good;
  if (ring->plan.style.inverse_letters) {
    int g = pf_generator_find(&ring->plan, GENERATOR_INVERSE, key);
    good = g >= 0 || give_up(ring);
    if (good) fmpz_mpoly_gen(below, g, ring->of);
    good = good && multiply(ring, ratio->num, ratio->num, below);
  } else {
    good = divide(ring, ratio, below, 1);
  }
  fmpz_mpoly_clear(below, ring->of);
  return good;
}

static PfExpr call_at(const Ring *ring, PfOp op, PfExpr e)
{
  return pf_expr_call1(ring->plan.table->ctx, op, args_of(ring->plan.table, e)[0]);
}

/* sin, cos, or tan = sin/cos, where the common denominator cancels. */
static bool convert_circular(Ring *ring, Ratio *ratio, int i)
{
  PfExpr e = ring->plan.nodes[i];
  PfOp op = op_of(ring->plan.table, e);
  const Turned *turned = turned_by(ring, ring->plan.circular.of_node[i]);
  if (!turned) return false;
  fmpz_mpoly_set(ratio->num, op == PF_OP_COS ? turned->c : turned->s, ring->of);
  if (op == PF_OP_TAN) return put_below(ring, ratio, turned->c, call_at(ring, PF_OP_COS, e));
  fmpz_set(ratio->den, turned->den);
  return true;
}

/* ---------------------------------------------------------------- exponentials */

/* exp of the angle as above/below, both products of generators. */
static bool grow(Ring *ring, const Angle *angle, fmpz_mpoly_t above, fmpz_mpoly_t below)
{
  fmpz_mpoly_t unit;
  fmpz_mpoly_init(unit, ring->of);
  bool good = true;
  for (int i = 0; i < angle->part_count && good; i++) {
    int64_t n = angle->parts[i].multiple;
    PfExpr key = pf_angle_unit(ring->plan.table, &ring->plan.hyperbolic, angle->parts[i].atom);
    int g = pf_generator_find(&ring->plan, GENERATOR_GROWTH, key);
    good = (g >= 0 && n < 1000000 && n > -1000000) || give_up(ring);
    if (!good) break;
    fmpz_mpoly_gen(unit, g, ring->of);
    good = multiply_power(ring, n > 0 ? above : below, unit, (uint64_t)(n > 0 ? n : -n));
  }
  fmpz_mpoly_clear(unit, ring->of);
  return good;
}

/* With e^x = a/b: sinh = (a^2 - b^2)/2ab, cosh = (a^2 + b^2)/2ab, tanh = (a^2 - b^2)/(a^2 + b^2). */
static bool combine_growth(Ring *ring, Ratio *ratio, PfOp op, fmpz_mpoly_t a, fmpz_mpoly_t b)
{
  fmpz_mpoly_set(ratio->num, a, ring->of);
  if (op == PF_OP_EXP) return divide(ring, ratio, b, 1);
  fmpz_mpoly_t below;
  fmpz_mpoly_init(below, ring->of);
  bool good = multiply(ring, below, a, b) && multiply(ring, a, a, a) && multiply(ring, b, b, b);
  if (good) {
    if (op == PF_OP_COSH) fmpz_mpoly_add(ratio->num, a, b, ring->of);
    else fmpz_mpoly_sub(ratio->num, a, b, ring->of);
    if (op == PF_OP_TANH) fmpz_mpoly_add(below, a, b, ring->of);
    else fmpz_mpoly_scalar_mul_ui(below, below, 2, ring->of);
    good = divide(ring, ratio, below, 1);
  }
  fmpz_mpoly_clear(below, ring->of);
  return good;
}

/* As written: exp, sinh and cosh are generators, tanh = sinh/cosh. */
static bool convert_written_hyperbolic(Ring *ring, Ratio *ratio, PfExpr e)
{
  PfOp op = op_of(ring->plan.table, e);
  PfExpr argument = args_of(ring->plan.table, e)[0];
  GeneratorKind kind = op == PF_OP_EXP    ? GENERATOR_GROWTH
                       : op == PF_OP_COSH ? GENERATOR_COSH
                                          : GENERATOR_SINH;
  if (!convert_generator(ring, ratio, pf_generator_find(&ring->plan, kind, argument))) return false;
  if (op != PF_OP_TANH) return true;
  fmpz_mpoly_t below;
  fmpz_mpoly_init(below, ring->of);
  fmpz_mpoly_gen(below, pf_generator_find(&ring->plan, GENERATOR_COSH, argument), ring->of);
  bool good = put_below(ring, ratio, below, call_at(ring, PF_OP_COSH, e));
  fmpz_mpoly_clear(below, ring->of);
  return good;
}

static bool convert_hyperbolic(Ring *ring, Ratio *ratio, int i)
{
  PfExpr e = ring->plan.nodes[i];
  if (ring->plan.style.angles == ANGLES_AS_WRITTEN) return convert_written_hyperbolic(ring, ratio, e);
  fmpz_mpoly_t above, below;
  fmpz_mpoly_init(above, ring->of);
  fmpz_mpoly_init(below, ring->of);
  fmpz_mpoly_one(above, ring->of);
  fmpz_mpoly_one(below, ring->of);
  bool good = grow(ring, ring->plan.hyperbolic.at + ring->plan.hyperbolic.of_node[i], above, below) &&
              combine_growth(ring, ratio, op_of(ring->plan.table, e), above, below);
  fmpz_mpoly_clear(above, ring->of);
  fmpz_mpoly_clear(below, ring->of);
  return good;
}

/* ---------------------------------------------------------------- sums */

static bool is_alike(const Ratio *a, const Ratio *b)
{
  if (!fmpz_equal(a->den, b->den)) return false;
  for (int i = 0; i < a->power_count || i < b->power_count; i++)
    if ((i < a->power_count ? a->powers[i] : 0) != (i < b->power_count ? b->powers[i] : 0)) return false;
  return true;
}

/* sum += a, over the common denominator. */
static bool add_ratio(Ring *ring, Ratio *sum, const Ratio *a)
{
  if (is_alike(sum, a)) return add(ring, sum->num, sum->num, a->num);
  Ratio before = *sum, common = {.live = false};
  fmpz_mpoly_t part;
  start_ratio(ring, &common);
  fmpz_mpoly_init(part, ring->of);
  bool good = !ring->gave_up;
  if (good) {
    widen(&common, &before);
    widen(&common, a);
    good = expand_to(ring, common.num, &before, &common) && expand_to(ring, part, a, &common) &&
           add(ring, common.num, common.num, part);
  }
  fmpz_mpoly_clear(part, ring->of);
  end_ratio(ring, sum);
  *sum = common;
  return good;
}

static bool add_product(Ring *ring, Ratio *sum, const Ratio *coefficient, const Ratio *term)
{
  if (fmpz_mpoly_is_one(coefficient->num, ring->of) && fmpz_is_one(coefficient->den))
    return add_ratio(ring, sum, term);
  Ratio product = {.live = false};
  start_ratio(ring, &product);
  fmpz_mpoly_one(product.num, ring->of);
  bool good = !ring->gave_up && multiply_ratio(ring, &product, term, 1) &&
              multiply_ratio(ring, &product, coefficient, 1) && add_ratio(ring, sum, &product);
  end_ratio(ring, &product);
  return good;
}

static const Ratio *value_of(const Ring *ring, PfExpr e)
{
  return ring->values + ring->plan.table->place[e];
}

static bool convert_sum(Ring *ring, Ratio *ratio, PfExpr e)
{
  const PfExpr *args = args_of(ring->plan.table, e); /* nothing is built meanwhile */
  if (!add_ratio(ring, ratio, value_of(ring, args[0]))) return false;
  for (uint32_t i = 1; i < node_of(ring->plan.table, e)->count; i += 2)
    if (!add_product(ring, ratio, value_of(ring, args[i]), value_of(ring, args[i + 1]))) return false;
  return true;
}

/* ---------------------------------------------------------------- products and roots */

/* The whole denominator of a ratio. */
static bool denominator_of(Ring *ring, fmpz_mpoly_t den, const Ratio *ratio)
{
  fmpz_mpoly_set_fmpz(den, ratio->den, ring->of);
  for (int i = 0; i < ratio->power_count; i++)
    if (!multiply_power(ring, den, ring->divisors + i, (uint64_t)ratio->powers[i])) return false;
  return true;
}

/* With base = N/D, the generator R stands for D*base^(1/n), and R^n = N*D^(n-1): no denominators. */
static bool relate_root(Ring *ring, int g, const Ratio *base, const fmpz_mpoly_t den)
{
  if (ring->related[g]) return true;
  fmpz_mpoly_set(ring->relations + g, base->num, ring->of);
  ring->related[g] = true;
  return multiply_power(ring, ring->relations + g, den, (uint64_t)ring->plan.generators[g].degree - 1);
}

/* ratio *= (R/D)^n */
static bool multiply_root(Ring *ring, Ratio *ratio, int g, fmpz_mpoly_t den, int n)
{
  fmpz_mpoly_t root;
  fmpz_mpoly_init(root, ring->of);
  fmpz_mpoly_gen(root, g, ring->of);
  bool good = n > 0 ? multiply_power(ring, ratio->num, root, (uint64_t)n) && divide(ring, ratio, den, n)
                    : multiply_power(ring, ratio->num, den, (uint64_t)-n) && divide(ring, ratio, root, -n);
  fmpz_mpoly_clear(root, ring->of);
  return good;
}

static bool is_equal(Ring *ring, const Ratio *a, const Ratio *b);

/* The generator of a root; roots of equal forms have the same. */
static int root_of(Ring *ring, PfExpr base)
{
  int g = pf_generator_find(&ring->plan, GENERATOR_ROOT, base);
  for (int k = 0; k < g; k++) {
    const Generator *other = ring->plan.generators + k;
    if (other->kind != GENERATOR_ROOT || !ring->related[k] || is_number(ring->plan.table, other->key)) continue;
    if (other->degree == ring->plan.generators[g].degree &&
        is_equal(ring, value_of(ring, base), value_of(ring, other->key)))
      return k;
  }
  return g;
}

static bool convert_root(Ring *ring, Ratio *ratio, PfExpr base, Number exponent)
{
  int g = root_of(ring, base);
  if (g < 0 || exponent.num > 1000 || exponent.num < -1000) return give_up(ring);
  const Ratio *value = value_of(ring, base);
  fmpz_mpoly_t den;
  fmpz_mpoly_init(den, ring->of);
  bool good = denominator_of(ring, den, value);
  bool whole = good && fmpz_mpoly_is_one(den, ring->of);
  if (ring->plan.style.readable && !whole) fmpz_mpoly_one(den, ring->of); /* a mere letter */
  else good = good && relate_root(ring, g, value, den);
  int n = (int)exponent.num*(ring->plan.generators[g].degree/(int)exponent.den);
  good = good && multiply_root(ring, ratio, g, den, n);
  fmpz_mpoly_clear(den, ring->of);
  return good;
}

static bool multiply_generator(Ring *ring, Ratio *ratio, int g, int64_t n)
{
  if (g < 0 || n > 1000000) return give_up(ring);
  fmpz_mpoly_t letter;
  fmpz_mpoly_init(letter, ring->of);
  fmpz_mpoly_gen(letter, g, ring->of);
  bool good = multiply_power(ring, ratio->num, letter, (uint64_t)n);
  fmpz_mpoly_clear(letter, ring->of);
  return good;
}

/* sqrt(n)^k, k > 0, by its primes, for which there are generators. */
static bool convert_number_root(Ring *ring, Ratio *ratio, int64_t n, int64_t k)
{
  if (k < 0) return give_up(ring); /* construction leaves no root below */
  const NormalPlan *plan = &ring->plan;
  for (int g = 0; g < plan->generator_count && n > 1; g++) {
    const Generator *generator = plan->generators + g;
    if (generator->kind != GENERATOR_ROOT || !is_integer(plan->table, generator->key)) continue;
    int64_t prime = number_of(plan->table, generator->key).num;
    for (; prime > 1 && n%prime == 0; n /= prime)
      if (!multiply_generator(ring, ratio, g, k)) return false;
  }
  return n == 1 || give_up(ring);
}

static bool convert_power(Ring *ring, Ratio *ratio, PfExpr base, PfExpr exponent)
{
  PfExprTable *table = ring->plan.table;
  Number k;
  if (!pf_is_root_exponent(table, exponent, &k)) {
    PfExpr key = pf_expr_pow(table->ctx, base, exponent);
    return multiply_generator(ring, ratio, pf_generator_find(&ring->plan, GENERATOR_LETTER, key), 1);
  }
  if (pf_is_number_root(table, base, k))
    return convert_number_root(ring, ratio, number_of(table, base).num, k.num);
  if (k.num > 1000000 || k.num < -1000000) return give_up(ring);
  if (k.num < 0 && ring->plan.style.inverse_letters) {
    PfExpr key = pf_inverse_key(table, base, k);
    return multiply_generator(ring, ratio, pf_generator_find(&ring->plan, GENERATOR_INVERSE, key), -k.num);
  }
  if (k.den > 1) return convert_root(ring, ratio, base, k);
  return k.num > 0 ? multiply_ratio(ring, ratio, value_of(ring, base), (int)k.num)
                   : divide_ratio(ring, ratio, value_of(ring, base), (int)-k.num);
}

static bool convert_product(Ring *ring, Ratio *ratio, PfExpr e)
{
  const PfExprTable *table = ring->plan.table;
  fmpz_mpoly_one(ratio->num, ring->of);
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2)
    if (!convert_power(ring, ratio, args_of(table, e)[i], args_of(table, e)[i + 1])) return false;
  return true;
}

/* ---------------------------------------------------------------- functions that are not looked into */

static bool is_equal(Ring *ring, const Ratio *a, const Ratio *b)
{
  if (is_alike(a, b)) return fmpz_mpoly_equal(a->num, b->num, ring->of);
  Ratio common = {.live = false};
  fmpz_mpoly_t part;
  start_ratio(ring, &common);
  fmpz_mpoly_init(part, ring->of);
  bool equal = !ring->gave_up;
  if (equal) {
    widen(&common, a);
    widen(&common, b);
    equal = expand_to(ring, common.num, a, &common) && expand_to(ring, part, b, &common) &&
            fmpz_mpoly_equal(common.num, part, ring->of);
  }
  fmpz_mpoly_clear(part, ring->of);
  end_ratio(ring, &common);
  return equal;
}

static bool has_equal_operands(Ring *ring, PfExpr a, PfExpr b)
{
  const PfExprTable *table = ring->plan.table;
  if (op_of(table, a) != op_of(table, b)) return false;
  const PfExpr *x = args_of(table, a), *y = args_of(table, b);
  for (uint32_t i = 0; i < node_of(table, a)->count; i++)
    if (!is_equal(ring, value_of(ring, x[i]), value_of(ring, y[i]))) return false;
  return true;
}

/* The same function of equal forms is the same generator. */
static bool convert_opaque(Ring *ring, Ratio *ratio, int i)
{
  const NormalPlan *plan = &ring->plan;
  PfExpr e = plan->nodes[i], same = e;
  bool compared = plan->style.angles == ANGLES_EXPANDED;
  for (int k = 0; k < ring->opaque_count && same == e && compared; k++)
    if (has_equal_operands(ring, plan->nodes[ring->opaque[k]], e)) same = plan->nodes[ring->opaque[k]];
  if (same == e) ring->opaque[ring->opaque_count++] = i;
  return !ring->gave_up && convert_generator(ring, ratio, pf_generator_find(plan, GENERATOR_LETTER, same));
}

/* ---------------------------------------------------------------- all nodes */

static bool convert_leaf(Ring *ring, Ratio *ratio, PfExpr e)
{
  int g = pf_generator_find(&ring->plan, GENERATOR_LETTER, e);
  if (g < 0 && is_number(ring->plan.table, e)) {
    convert_number(ring, ratio, number_of(ring->plan.table, e));
    return true;
  }
  return convert_generator(ring, ratio, g);
}

static bool convert_node(Ring *ring, Ratio *ratio, int i)
{
  PfExpr e = ring->plan.nodes[i];
  PfOp op = op_of(ring->plan.table, e);
  if (op == PF_OP_SUM) return convert_sum(ring, ratio, e);
  if (op == PF_OP_PRODUCT) return convert_product(ring, ratio, e);
  if (op < PF_OP_SIN) return convert_leaf(ring, ratio, e);
  if (is_circular(op)) return convert_circular(ring, ratio, i);
  if (is_hyperbolic(op)) return convert_hyperbolic(ring, ratio, i);
  return convert_opaque(ring, ratio, i);
}

/* Takes the common factor of the numbers out. */
static void cancel_numbers(Ring *ring, Ratio *ratio)
{
  fmpz_mpoly_struct *num = ratio->num;
  if (fmpz_is_one(ratio->den) || num->length == 0) return;
  fmpz_t common;
  fmpz_init(common);
  _fmpz_vec_content(common, num->coeffs, num->length);
  fmpz_gcd(common, common, ratio->den);
  if (fmpz_sgn(ratio->den) < 0) fmpz_neg(common, common);
  if (!fmpz_is_one(common)) {
    fmpz_mpoly_scalar_divexact_fmpz(num, num, common, ring->of);
    fmpz_divexact(ratio->den, ratio->den, common);
  }
  fmpz_clear(common);
}

static bool convert(Ring *ring)
{
  for (int i = 0; i < ring->plan.node_count; i++) {
    if (!ring->plan.needed[i]) continue;
    start_ratio(ring, ring->values + i);
    if (ring->gave_up || !convert_node(ring, ring->values + i, i)) return false;
    cancel_numbers(ring, ring->values + i);
    ring->held -= size_of(ring->values[i].num);
    if (ring->held < 0) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- the ring */

static void set_relations(Ring *ring)
{
  for (int g = 0; g < ring->plan.generator_count; g++) {
    const Generator *generator = ring->plan.generators + g;
    fmpz_mpoly_struct *relation = ring->relations + g;
    fmpz_mpoly_init(relation, ring->of);
    bool sine = generator->kind == GENERATOR_SINE, cosh_of_it = generator->kind == GENERATOR_COSH;
    bool number = generator->kind == GENERATOR_ROOT && is_integer(ring->plan.table, generator->key);
    if (sine || cosh_of_it) { /* 1 - c^2 or 1 + S^2 */
      fmpz_mpoly_gen(relation, g + 1, ring->of);
      fmpz_mpoly_mul(relation, relation, relation, ring->of);
      if (sine) fmpz_mpoly_neg(relation, relation, ring->of);
      fmpz_mpoly_add_si(relation, relation, 1, ring->of);
    } else if (number && generator->degree == 2) {
      fmpz_mpoly_set_si(relation, number_of(ring->plan.table, generator->key).num, ring->of);
    }
    ring->related[g] = sine || cosh_of_it || (number && generator->degree == 2);
  }
}

static bool start_ring(Ring *ring, double work)
{
  NormalPlan *plan = &ring->plan;
  ring->relations = pf_arena_array(plan->arena, fmpz_mpoly_struct, plan->generator_count);
  ring->related = pf_arena_array(plan->arena, bool, plan->generator_count);
  ring->divisors = pf_arena_array(plan->arena, fmpz_mpoly_struct, MOST_DIVISORS);
  ring->values = pf_arena_array(plan->arena, Ratio, plan->node_count);
  ring->turned = pf_arena_array(plan->arena, Turned, plan->circular.count);
  ring->opaque = pf_arena_array(plan->arena, int, plan->node_count);
  bool lists = ring->relations && ring->related && ring->divisors && ring->opaque;
  if (!lists || !ring->values || !ring->turned) return false;
  ring->work = work;
  ring->held = work/10;
  fmpz_mpoly_ctx_init(ring->of, plan->generator_count ? plan->generator_count : 1, ORD_LEX);
  set_relations(ring);
  return true;
}

static void end_ring(Ring *ring)
{
  for (int g = 0; g < ring->plan.generator_count; g++) fmpz_mpoly_clear(ring->relations + g, ring->of);
  for (int i = 0; i < ring->divisor_count; i++) fmpz_mpoly_clear(ring->divisors + i, ring->of);
  for (int i = 0; i < ring->plan.node_count; i++) end_ratio(ring, ring->values + i);
  for (int i = 0; i < ring->plan.circular.count; i++) end_turned(ring, ring->turned + i);
  fmpz_mpoly_ctx_clear(ring->of);
}

/* ---------------------------------------------------------------- zero */

PfTruth pf_normal_is_zero(PfContext *ctx, PfExpr e)
{
  const double work = 4e6; /* about 0.2 s */
  PfExprTable *table = pf_expr_table(ctx);
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfTruth truth = PF_UNKNOWN;
  Ring ring = {.gave_up = false};
  NormalStyle style = {.angles = ANGLES_EXPANDED};
  if (pf_normal_plan(table, scratch, e, style, &ring.plan) && start_ring(&ring, work)) {
    if (convert(&ring))
      truth = fmpz_mpoly_is_zero(ring.values[ring.plan.node_count - 1].num, ring.of) ? PF_TRUE : PF_FALSE;
    end_ring(&ring);
  }
  pf_arena_release(scratch, mark);
  return truth;
}

/* ---------------------------------------------------------------- from generators to letters */

/* A generator is sign*letter^exponent. */
typedef struct Shown {
  int letter, exponent, sign; /* exponent 0: not looked at yet */
} Shown;

static PfExpr expression_of(const Ring *ring, int g)
{
  PfContext *ctx = ring->plan.table->ctx;
  const Generator *generator = ring->plan.generators + g;
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
static void show(const Ring *ring, Letters *letters, int g, Shown *shown)
{
  Number sign;
  PfExpr rest = expression_of(ring, g);
  if (rest == PF_EXPR_NONE) letters->failed = true;
  if (letters->failed) return;
  bool below = ring->plan.generators[g].kind == GENERATOR_INVERSE;
  if (below) sign = pf_number_int(1);
  else pf_expr_content(ring->plan.table, rest, &sign, &rest);
  if (!pf_number_is(sign, 1) && !pf_number_is(sign, -1)) letters->failed = true;
  shown->letter = pf_letter(letters, rest);
  shown->exponent = below ? -1 : 1;
  shown->sign = pf_number_sign(sign);
}

static Monomial monomial_of(const Ring *ring, Letters *letters, Shown *shown, const slong *exponents, fmpz *c)
{
  Monomial term = {.coefficient = fmpz_fits_si(c) ? fmpz_get_si(c) : INT64_MIN};
  if (term.coefficient == INT64_MIN) letters->failed = true;
  for (int g = 0; g < ring->plan.generator_count && !letters->failed; g++) {
    if (!exponents[g]) continue;
    if (exponents[g] > 1000000) letters->failed = true;
    if (!shown[g].exponent) show(ring, letters, g, shown + g);
    if (letters->failed) break;
    LetterPower power = {shown[g].letter, (int)exponents[g]*shown[g].exponent};
    Monomial factor = {exponents[g]%2 ? shown[g].sign : 1, 1, &power};
    term = pf_monomial_times(letters, term, factor);
  }
  return term;
}

static Poly poly_of(const Ring *ring, Letters *letters, Shown *shown, const fmpz_mpoly_t a)
{
  slong exponents[MOST_GENERATORS + 1];
  Poly poly = pf_poly_make(letters, (int)a->length);
  for (slong i = 0; i < a->length && !letters->failed; i++) {
    fmpz_mpoly_get_term_exp_si(exponents, a, i, ring->of);
    poly.terms[poly.count++] = monomial_of(ring, letters, shown, exponents, a->coeffs + i);
  }
  pf_poly_tidy(letters, &poly);
  return poly;
}

/* Where b divides a, the value of b divides the value of a; if not, a division could run away. */
static bool may_divide(const Ring *ring, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
  fmpz values[MOST_GENERATORS + 1] = {0}, *points[MOST_GENERATORS + 1] = {values};
  fmpz_t x, y;
  for (int g = 0; g < ring->plan.generator_count; g++) {
    values[g] = 1000003 + 7919*g; /* small enough to be an fmpz as it is */
    points[g] = values + g;
  }
  fmpz_init(x);
  fmpz_init(y);
  bool good = fmpz_mpoly_evaluate_all_fmpz(x, a, points, ring->of) &&
              fmpz_mpoly_evaluate_all_fmpz(y, b, points, ring->of);
  good = good && !fmpz_is_zero(y) && fmpz_divisible(x, y);
  fmpz_clear(x);
  fmpz_clear(y);
  return good;
}

/* Cancels divisors that divide the numerator. */
static void cancel_divisors(Ring *ring, Ratio *ratio)
{
  const slong highest = 60; /* x^1000000 - 1 is divisible by x - 1, but there is no place for the quotient */
  fmpz_mpoly_t quotient;
  fmpz_mpoly_init(quotient, ring->of);
  bool small = fmpz_mpoly_total_degree_fits_si(ratio->num, ring->of) &&
               fmpz_mpoly_total_degree_si(ratio->num, ring->of) <= highest;
  for (int i = 0; i < ratio->power_count && small; i++)
    while (ratio->powers[i] > 0 && may_divide(ring, ratio->num, ring->divisors + i) &&
           fmpz_mpoly_divides(quotient, ratio->num, ring->divisors + i, ring->of)) {
      fmpz_mpoly_swap(ratio->num, quotient, ring->of);
      ratio->powers[i]--;
    }
  fmpz_mpoly_clear(quotient, ring->of);
}

/* scale = content of the numerator/den, where that fits; the numerator becomes primitive. */
static bool take_scale(Ring *ring, Ratio *ratio, Number *scale)
{
  fmpz_mpoly_struct *num = ratio->num;
  fmpz_t content;
  fmpz_init_set_ui(content, 1);
  if (num->length) _fmpz_vec_content(content, num->coeffs, num->length);
  fmpz_mpoly_scalar_divexact_fmpz(num, num, content, ring->of);
  bool fits = fmpz_fits_si(content) && fmpz_fits_si(ratio->den);
  if (fits) *scale = pf_number_rational(fmpz_get_si(content), fmpz_get_si(ratio->den));
  fmpz_clear(content);
  return fits && scale->exact;
}

static bool write_form(Ring *ring, Letters *letters, NormalForm *form)
{
  Ratio *ratio = ring->values + ring->plan.node_count - 1;
  Shown *shown = pf_arena_array(letters->arena, Shown, MOST_GENERATORS);
  form->divisors = pf_arena_array(letters->arena, Poly, MOST_DIVISORS);
  form->powers = pf_arena_array(letters->arena, int, MOST_DIVISORS);
  if (!shown || !form->divisors || !form->powers) return false;
  cancel_divisors(ring, ratio);
  cancel_numbers(ring, ratio);
  if (!take_scale(ring, ratio, &form->scale)) return false;
  form->numerator = poly_of(ring, letters, shown, ratio->num);
  form->divisor_count = 0;
  for (int i = 0; i < ratio->power_count; i++) {
    if (!ratio->powers[i]) continue;
    form->divisors[form->divisor_count] = poly_of(ring, letters, shown, ring->divisors + i);
    form->powers[form->divisor_count++] = ratio->powers[i];
  }
  return !letters->failed;
}

bool pf_normal_form(Letters *letters, PfExpr e, NormalStyle style, NormalForm *form)
{
  const double most_terms = 3000;
  double work = letters->work/2;
  Ring ring = {.gave_up = false};
  if (!pf_normal_plan(letters->table, letters->arena, e, style, &ring.plan)) return false;
  if (!start_ring(&ring, work)) return false;
  bool good = convert(&ring) && size_of(ring.values[ring.plan.node_count - 1].num) <= most_terms &&
              write_form(&ring, letters, form);
  letters->work -= work - ring.work;
  end_ring(&ring);
  return good;
}

/* ---------------------------------------------------------------- factors */

/* Within these limits a polynomial is factored in 20 ms at most, mostly in 1 ms; beyond there are some that
 * take minutes. */
enum { MOST_FACTORED = 120, MOST_VARIABLES = 40, HIGHEST_DEGREE = 8, HIGHEST_SUM_OF_DEGREES = 40 };

/* Which letters occur, in order; 0 when the polynomial is not one to be factored. */
static int list_variables(const Poly *poly, int *variables)
{
  int count = 0;
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < poly->terms[i].count; k++) {
      int letter = poly->terms[i].powers[k].letter, at = 0;
      while (at < count && variables[at] < letter) at++;
      if (at < count && variables[at] == letter) continue;
      if (count == MOST_VARIABLES) return 0;
      memmove(variables + at + 1, variables + at, (size_t)(count++ - at)*sizeof *variables);
      variables[at] = letter;
    }
  return count;
}

static bool is_to_be_factored(const Poly *poly, const int *variables, int count)
{
  int sum = 0;
  for (int k = 0; k < count; k++) {
    int degree = 0;
    for (int i = 0; i < poly->count; i++) {
      int exponent = pf_monomial_exponent(poly->terms + i, variables[k]);
      if (exponent < 0 || exponent > HIGHEST_DEGREE) return false;
      if (exponent > degree) degree = exponent;
    }
    sum += degree;
  }
  return count > 0 && sum <= HIGHEST_SUM_OF_DEGREES;
}

static void read_poly(fmpz_mpoly_t a, const Poly *poly, const int *variables, int count,
                      const fmpz_mpoly_ctx_t of)
{
  ulong exponents[MOST_VARIABLES];
  for (int i = 0; i < poly->count; i++) {
    for (int k = 0; k < count; k++) exponents[k] = (ulong)pf_monomial_exponent(poly->terms + i, variables[k]);
    fmpz_mpoly_push_term_si_ui(a, poly->terms[i].coefficient, exponents, of);
  }
  fmpz_mpoly_sort_terms(a, of);
}

static Poly write_poly(Letters *letters, const fmpz_mpoly_t a, const int *variables, int count,
                       const fmpz_mpoly_ctx_t of)
{
  ulong exponents[MOST_VARIABLES];
  Poly poly = pf_poly_make(letters, (int)a->length);
  for (slong i = 0; i < a->length && !letters->failed; i++) {
    LetterPower *powers = pf_arena_array(letters->arena, LetterPower, count);
    Monomial *term = poly.terms + poly.count++;
    *term = (Monomial){.coefficient = fmpz_get_si(a->coeffs + i), .powers = powers};
    if (!powers || !fmpz_fits_si(a->coeffs + i)) letters->failed = true;
    fmpz_mpoly_get_term_exp_ui(exponents, a, i, of);
    for (int k = 0; k < count && powers; k++)
      if (exponents[k]) powers[term->count++] = (LetterPower){variables[k], (int)exponents[k]};
  }
  pf_poly_tidy(letters, &poly);
  return poly;
}

static bool write_factors(Letters *letters, fmpz_mpoly_factor_t found, const int *variables, int count,
                          const fmpz_mpoly_ctx_t of, Factors *factors)
{
  *factors = (Factors){.count = (int)found->num};
  factors->bases = pf_arena_array(letters->arena, Poly, factors->count);
  factors->powers = pf_arena_array(letters->arena, int, factors->count);
  if (!factors->bases || !factors->powers || !fmpz_fits_si(found->constant)) return false;
  factors->content = fmpz_get_si(found->constant);
  for (int i = 0; i < factors->count; i++) {
    factors->bases[i] = write_poly(letters, found->poly + i, variables, count, of);
    factors->powers[i] = (int)fmpz_mpoly_factor_get_exp_si(found, i, of);
  }
  return !letters->failed;
}

bool pf_poly_factor(Letters *letters, const Poly *poly, Factors *factors)
{
  int variables[MOST_VARIABLES + 1];
  if (poly->count > MOST_FACTORED || letters->factorings == 0) return false;
  int count = list_variables(poly, variables);
  if (!is_to_be_factored(poly, variables, count)) return false;
  letters->factorings--;
  fmpz_mpoly_ctx_t of;
  fmpz_mpoly_t a;
  fmpz_mpoly_factor_t found;
  fmpz_mpoly_ctx_init(of, count, ORD_LEX);
  fmpz_mpoly_init(a, of);
  fmpz_mpoly_factor_init(found, of);
  read_poly(a, poly, variables, count, of);
  bool good = fmpz_mpoly_factor(found, a, of);
  if (good) {
    fmpz_mpoly_factor_sort(found, of);
    good = write_factors(letters, found, variables, count, of, factors);
  }
  fmpz_mpoly_factor_clear(found, of);
  fmpz_mpoly_clear(a, of);
  fmpz_mpoly_ctx_clear(of);
  return good;
}

#else

PfTruth pf_normal_is_zero(PfContext *ctx, PfExpr e)
{
  (void)ctx;
  (void)e;
  return PF_UNKNOWN;
}

bool pf_normal_form(Letters *letters, PfExpr e, NormalStyle style, NormalForm *form)
{
  (void)letters;
  (void)e;
  (void)style;
  (void)form;
  return false;
}

bool pf_poly_factor(Letters *letters, const Poly *poly, Factors *factors)
{
  (void)letters;
  (void)poly;
  (void)factors;
  return false;
}

#endif
