/* Arithmetic of normal forms by FLINT: ratios of polynomials, reduced by the relations s^2 = 1 - c^2,
 * C^2 = 1 + S^2 and r^n = base. All denominators in a ring are products of a common list of divisors, so that
 * sums need no greatest common divisors. FLINT aborts without memory: every operation is estimated before it
 * is done, and given up when it is too large. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#include <math.h>
#include <string.h>

/* num/(den * product of divisors^powers) */
struct Ratio {
  fmpz_mpoly_t num;
  fmpz_t den;
  int *powers; /* of the divisors of the ring that existed then */
  int power_count;
  Ratio *next; /* in a list of the ring */
};

struct Ring {
  const NormalPlan *plan;
  fmpz_mpoly_ctx_t of;
  fmpz_mpoly_struct *relations; /* per generator: what its power `degree` is */
  bool *related;
  fmpz_mpoly_struct *divisors;
  int divisor_count;
  Ratio *all, *spare; /* ratios in use, and those that can be used again */
  double work;        /* what may still be spent, in products of terms */
  double held;        /* terms that may still be kept */
};

enum { MOST_DIVISORS = 64, MOST_REDUCTIONS = 4096, HIGHEST_POWER = 1000000, MOST_BITS = 4096 };

/* ---------------------------------------------------------------- polynomials */

static bool spend(Ring *ring, double work)
{
  ring->work -= work;
  return ring->work >= 0 && !pf_context_is_cancelled(ring->plan->table->ctx);
}

static double size_of(const fmpz_mpoly_t a)
{
  return (double)a->length;
}

static double weight_of(const Ring *ring, const fmpz_mpoly_t a)
{
  if (a->length == 0) return 0;
  return 1 + (double)labs(fmpz_mpoly_max_bits(a))/256 + (double)ring->plan->generator_count/32;
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
  slong degree = ring->plan->generators[g].degree;
  fmpz_mpoly_to_univar(parts, a, g, ring->of);
  slong left = fmpz_mpoly_univar_get_term_exp_si(parts, 0, ring->of)/degree;
  if (left > MOST_REDUCTIONS) return false;
  for (slong i = 0; i < parts->length; i++) {
    slong exponent = fmpz_mpoly_univar_get_term_exp_si(parts, i, ring->of);
    for (; left > exponent/degree; left--)
      if (!multiply(ring, sum, sum, ring->relations + g)) return false;
    fmpz_mpoly_gen(a, g, ring->of); /* a is free now */
    if (!fmpz_mpoly_pow_ui(a, a, (ulong)(exponent%degree), ring->of)) return false;
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
  for (int g = ring->plan->generator_count - 1; g >= 0; g--) {
    if (!ring->related[g]) continue;
    if (!fmpz_mpoly_degrees_fit_si(a, ring->of)) return false;
    if (fmpz_mpoly_degree_si(a, g, ring->of) < ring->plan->generators[g].degree) continue;
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

/* A ratio that is 0. */
static Ratio *new_ratio(Ring *ring)
{
  Ratio *ratio = ring->spare;
  if (ratio) {
    ring->spare = ratio->next;
  } else {
    ratio = pf_arena_array(ring->plan->arena, Ratio, 1);
    int *powers = pf_arena_array(ring->plan->arena, int, MOST_DIVISORS);
    if (!ratio || !powers) return NULL;
    fmpz_mpoly_init(ratio->num, ring->of);
    fmpz_init(ratio->den);
    ratio->powers = powers;
  }
  fmpz_mpoly_zero(ratio->num, ring->of);
  fmpz_one(ratio->den);
  ratio->power_count = 0;
  ratio->next = ring->all;
  return ring->all = ratio;
}

void pf_ratio_free(Ring *ring, Ratio *ratio)
{
  if (!ratio) return;
  Ratio **at = &ring->all; /* it is one of the latest */
  while (*at != ratio) at = &(*at)->next;
  *at = ratio->next;
  ratio->next = ring->spare;
  ring->spare = ratio;
}

static int power_of(const Ratio *ratio, int divisor)
{
  return divisor < ratio->power_count ? ratio->powers[divisor] : 0;
}

static bool raise_power(Ratio *ratio, int divisor, int64_t by)
{
  for (; ratio->power_count <= divisor; ratio->power_count++) ratio->powers[ratio->power_count] = 0;
  if (by > HIGHEST_POWER - ratio->powers[divisor]) return false;
  ratio->powers[divisor] += (int)by;
  return true;
}

/* ratio->den *= number^n */
static bool enlarge_den(Ratio *ratio, const fmpz_t number, int64_t n)
{
  if (fmpz_is_one(number)) return true;
  if (fmpz_bits(number)*(uint64_t)n > MOST_BITS) return false;
  fmpz_t power;
  fmpz_init(power);
  fmpz_pow_ui(power, number, (ulong)n);
  fmpz_mul(ratio->den, ratio->den, power);
  fmpz_clear(power);
  return true;
}

/* The number of a divisor, primitive and positive at its leading term; -1 if there is no place for it. */
static int find_divisor(Ring *ring, const fmpz_mpoly_t a)
{
  for (int i = 0; i < ring->divisor_count; i++)
    if (fmpz_mpoly_equal(ring->divisors + i, a, ring->of)) return i;
  if (ring->divisor_count == MOST_DIVISORS) return -1;
  fmpz_mpoly_init(ring->divisors + ring->divisor_count, ring->of);
  fmpz_mpoly_set(ring->divisors + ring->divisor_count, a, ring->of);
  return ring->divisor_count++;
}

static bool divide_by(Ring *ring, Ratio *ratio, const fmpz_mpoly_t divisor, int64_t n)
{
  int i = find_divisor(ring, divisor);
  return i >= 0 && raise_power(ratio, i, n);
}

static bool divide_by_generators(Ring *ring, Ratio *ratio, const fmpz_mpoly_t content, int64_t n)
{
  fmpz_mpoly_t letter;
  fmpz_mpoly_init(letter, ring->of);
  bool good = true;
  for (int g = 0; g < ring->plan->generator_count && good; g++) {
    slong exponent = fmpz_mpoly_degree_si(content, g, ring->of);
    if (exponent <= 0) continue;
    fmpz_mpoly_gen(letter, g, ring->of);
    good = exponent <= HIGHEST_POWER/n && divide_by(ring, ratio, letter, exponent*n);
  }
  fmpz_mpoly_clear(letter, ring->of);
  return good;
}

/* ratio /= a^n for a primitive a, which is used up: its generators and the rest are divisors of their own. */
static bool divide_by_parts(Ring *ring, Ratio *ratio, fmpz_mpoly_t a, int64_t n)
{
  fmpz_mpoly_t common;
  fmpz_mpoly_init(common, ring->of);
  fmpz_mpoly_term_content(common, a, ring->of);
  bool good = fmpz_mpoly_divides(a, a, common, ring->of) && divide_by_generators(ring, ratio, common, n);
  fmpz_mpoly_clear(common, ring->of);
  return good && (fmpz_mpoly_is_one(a, ring->of) || divide_by(ring, ratio, a, n));
}

/* ratio /= a^n */
static bool divide(Ring *ring, Ratio *ratio, const fmpz_mpoly_t a, int64_t n)
{
  if (fmpz_mpoly_is_zero(a, ring->of)) return false;
  fmpz_t content;
  fmpz_mpoly_t primitive;
  fmpz_init(content);
  fmpz_mpoly_init(primitive, ring->of);
  _fmpz_vec_content(content, a->coeffs, a->length);
  if (fmpz_sgn(a->coeffs) < 0) fmpz_neg(content, content);
  fmpz_mpoly_scalar_divexact_fmpz(primitive, a, content, ring->of);
  bool good = enlarge_den(ratio, content, n) && divide_by_parts(ring, ratio, primitive, n);
  fmpz_mpoly_clear(primitive, ring->of);
  fmpz_clear(content);
  return good;
}

/* product *= factor^n, n > 0 */
static bool multiply_up(Ring *ring, Ratio *product, const Ratio *factor, int64_t n)
{
  for (int i = 0; i < factor->power_count; i++)
    if (factor->powers[i] && !raise_power(product, i, factor->powers[i]*n)) return false;
  return enlarge_den(product, factor->den, n) && multiply_power(ring, product->num, factor->num, (uint64_t)n);
}

/* product /= factor^n, n > 0 */
static bool multiply_down(Ring *ring, Ratio *product, const Ratio *factor, int64_t n)
{
  for (int i = 0; i < factor->power_count; i++)
    if (!multiply_power(ring, product->num, ring->divisors + i, (uint64_t)(factor->powers[i]*n)))
      return false;
  if (fmpz_bits(factor->den)*(uint64_t)n > MOST_BITS && !fmpz_is_one(factor->den)) return false;
  fmpz_t den;
  fmpz_init(den);
  fmpz_pow_ui(den, factor->den, fmpz_is_one(factor->den) ? 1 : (ulong)n);
  fmpz_mpoly_scalar_mul_fmpz(product->num, product->num, den, ring->of);
  fmpz_clear(den);
  return divide(ring, product, factor->num, n);
}

bool pf_ratio_multiply(Ring *ring, Ratio *product, const Ratio *factor, int64_t n)
{
  if (n > HIGHEST_POWER || n < -HIGHEST_POWER) return false;
  return n == 0 || (n > 0 ? multiply_up(ring, product, factor, n) : multiply_down(ring, product, factor, -n));
}

/* ---------------------------------------------------------------- sums of ratios */

/* Brings a to the denominator of `common`, whose powers and number are multiples of a's. */
static bool expand_to(Ring *ring, fmpz_mpoly_t result, const Ratio *a, const Ratio *common)
{
  fmpz_t scale;
  fmpz_init(scale);
  fmpz_divexact(scale, common->den, a->den);
  fmpz_mpoly_scalar_mul_fmpz(result, a->num, scale, ring->of);
  fmpz_clear(scale);
  for (int i = 0; i < common->power_count; i++) {
    int missing = common->powers[i] - power_of(a, i);
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

static bool is_alike(const Ratio *a, const Ratio *b)
{
  if (!fmpz_equal(a->den, b->den)) return false;
  for (int i = 0; i < a->power_count || i < b->power_count; i++)
    if (power_of(a, i) != power_of(b, i)) return false;
  return true;
}

/* The numerators of both over their common denominator, which is that of x. */
static bool make_alike(Ring *ring, const Ratio *a, const Ratio *b, Ratio *x, Ratio *y)
{
  widen(x, a);
  widen(x, b);
  return expand_to(ring, x->num, a, x) && expand_to(ring, y->num, b, x);
}

bool pf_ratio_add(Ring *ring, Ratio *sum, const Ratio *a)
{
  if (is_alike(sum, a)) return add(ring, sum->num, sum->num, a->num);
  Ratio *x = new_ratio(ring), *y = x ? new_ratio(ring) : NULL;
  bool good = y && make_alike(ring, sum, a, x, y) && add(ring, sum->num, x->num, y->num);
  if (good) {
    fmpz_set(sum->den, x->den);
    widen(sum, x);
  }
  pf_ratio_free(ring, y);
  pf_ratio_free(ring, x);
  return good;
}

bool pf_ratio_add_product(Ring *ring, Ratio *sum, const Ratio *a, const Ratio *b, int sign)
{
  Ratio *product = new_ratio(ring);
  if (!product) return false;
  fmpz_mpoly_set_si(product->num, sign, ring->of);
  bool good = pf_ratio_multiply(ring, product, a, 1) && pf_ratio_multiply(ring, product, b, 1) &&
              pf_ratio_add(ring, sum, product);
  pf_ratio_free(ring, product);
  return good;
}

bool pf_ratio_is_zero(const Ring *ring, const Ratio *a)
{
  return fmpz_mpoly_is_zero(a->num, ring->of);
}

bool pf_ratio_is_equal(Ring *ring, const Ratio *a, const Ratio *b)
{
  if (is_alike(a, b)) return fmpz_mpoly_equal(a->num, b->num, ring->of);
  Ratio *x = new_ratio(ring), *y = x ? new_ratio(ring) : NULL;
  bool equal = y && make_alike(ring, a, b, x, y) && fmpz_mpoly_equal(x->num, y->num, ring->of);
  pf_ratio_free(ring, y);
  pf_ratio_free(ring, x);
  return equal;
}

/* ---------------------------------------------------------------- numbers and generators */

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

Ratio *pf_ratio_number(Ring *ring, Number number)
{
  Ratio *ratio = new_ratio(ring);
  if (!ratio) return NULL;
  fmpz_t num;
  fmpz_init(num);
  set_number(ratio, number, num);
  fmpz_mpoly_set_fmpz(ratio->num, num, ring->of);
  fmpz_clear(num);
  cancel_numbers(ring, ratio);
  return ratio;
}

Ratio *pf_ratio_generator(Ring *ring, int g)
{
  Ratio *ratio = g < 0 ? NULL : new_ratio(ring);
  if (ratio) fmpz_mpoly_gen(ratio->num, g, ring->of);
  return ratio;
}

bool pf_ratio_keep(Ring *ring, Ratio *ratio)
{
  cancel_numbers(ring, ratio);
  ring->held -= size_of(ratio->num);
  return ring->held >= 0;
}

/* ---------------------------------------------------------------- roots */

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
  return multiply_power(ring, ring->relations + g, den, (uint64_t)ring->plan->generators[g].degree - 1);
}

/* product *= (R/D)^n */
static bool multiply_by_root(Ring *ring, Ratio *product, int g, const fmpz_mpoly_t den, int64_t n)
{
  if (n == 0) return true;
  fmpz_mpoly_t root;
  fmpz_mpoly_init(root, ring->of);
  fmpz_mpoly_gen(root, g, ring->of);
  const fmpz_mpoly_struct *above = n > 0 ? root : den, *below = n > 0 ? den : root;
  if (n < 0) n = -n;
  bool good = multiply_power(ring, product->num, above, (uint64_t)n) && divide(ring, product, below, n);
  fmpz_mpoly_clear(root, ring->of);
  return good;
}

bool pf_ratio_multiply_root(Ring *ring, Ratio *product, int g, const Ratio *base, int64_t n)
{
  fmpz_mpoly_t den;
  fmpz_mpoly_init(den, ring->of);
  bool good = denominator_of(ring, den, base);
  bool letter = good && ring->plan->style.readable && !fmpz_mpoly_is_one(den, ring->of);
  if (letter) fmpz_mpoly_one(den, ring->of);
  else good = good && relate_root(ring, g, base, den);
  good = good && multiply_by_root(ring, product, g, den, n);
  fmpz_mpoly_clear(den, ring->of);
  return good;
}

bool pf_ring_is_related(const Ring *ring, int g)
{
  return ring->related[g];
}

/* ---------------------------------------------------------------- the ring */

static void set_relations(Ring *ring)
{
  for (int g = 0; g < ring->plan->generator_count; g++) {
    const Generator *generator = ring->plan->generators + g;
    fmpz_mpoly_struct *relation = ring->relations + g;
    fmpz_mpoly_init(relation, ring->of);
    bool sine = generator->kind == GENERATOR_SINE, cosh_of_it = generator->kind == GENERATOR_COSH;
    bool number = generator->kind == GENERATOR_ROOT && is_integer(ring->plan->table, generator->key);
    if (sine || cosh_of_it) { /* 1 - c^2 or 1 + S^2 */
      fmpz_mpoly_gen(relation, g + 1, ring->of);
      fmpz_mpoly_mul(relation, relation, relation, ring->of);
      if (sine) fmpz_mpoly_neg(relation, relation, ring->of);
      fmpz_mpoly_add_si(relation, relation, 1, ring->of);
    } else if (number && generator->degree == 2) {
      fmpz_mpoly_set_si(relation, number_of(ring->plan->table, generator->key).num, ring->of);
    }
    ring->related[g] = sine || cosh_of_it || (number && generator->degree == 2);
  }
}

Ring *pf_ring_new(const NormalPlan *plan, double work)
{
  Ring *ring = pf_arena_array(plan->arena, Ring, 1);
  if (!ring) return NULL;
  ring->plan = plan;
  ring->relations = pf_arena_array(plan->arena, fmpz_mpoly_struct, plan->generator_count);
  ring->related = pf_arena_array(plan->arena, bool, plan->generator_count);
  ring->divisors = pf_arena_array(plan->arena, fmpz_mpoly_struct, MOST_DIVISORS);
  if (!ring->relations || !ring->related || !ring->divisors) return NULL;
  ring->work = work;
  ring->held = work/10;
  fmpz_mpoly_ctx_init(ring->of, plan->generator_count ? plan->generator_count : 1, ORD_LEX);
  set_relations(ring);
  return ring;
}

static void clear_ratios(Ring *ring, Ratio *ratio)
{
  for (; ratio; ratio = ratio->next) {
    fmpz_mpoly_clear(ratio->num, ring->of);
    fmpz_clear(ratio->den);
  }
}

void pf_ring_free(Ring *ring)
{
  if (!ring) return;
  clear_ratios(ring, ring->all);
  clear_ratios(ring, ring->spare);
  for (int g = 0; g < ring->plan->generator_count; g++) fmpz_mpoly_clear(ring->relations + g, ring->of);
  for (int i = 0; i < ring->divisor_count; i++) fmpz_mpoly_clear(ring->divisors + i, ring->of);
  fmpz_mpoly_ctx_clear(ring->of);
}

double pf_ring_work(const Ring *ring)
{
  return ring->work;
}

/* ---------------------------------------------------------------- from generators to letters */

static Monomial monomial_of(const Ring *ring, Letters *letters, Shown *shown, const slong *exponents,
                            const fmpz *coefficient)
{
  Monomial term = {.coefficient = fmpz_fits_si(coefficient) ? fmpz_get_si(coefficient) : INT64_MIN};
  if (term.coefficient == INT64_MIN) letters->failed = true;
  for (int g = 0; g < ring->plan->generator_count && !letters->failed; g++) {
    if (!exponents[g]) continue;
    if (exponents[g] > HIGHEST_POWER) letters->failed = true;
    if (!shown[g].exponent) shown[g] = pf_generator_show(letters, ring->plan->generators + g);
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
  for (int g = 0; g < ring->plan->generator_count; g++) {
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

bool pf_ratio_write(Ring *ring, Ratio *ratio, Letters *letters, NormalForm *form)
{
  const double most_terms = 3000;
  Shown *shown = pf_arena_array(letters->arena, Shown, MOST_GENERATORS);
  form->divisors = pf_arena_array(letters->arena, Poly, MOST_DIVISORS);
  form->powers = pf_arena_array(letters->arena, int, MOST_DIVISORS);
  if (!shown || !form->divisors || !form->powers || size_of(ratio->num) > most_terms) return false;
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

bool pf_poly_factor(Letters *letters, const Poly *poly, Factors *factors)
{
  (void)letters;
  (void)poly;
  (void)factors;
  return false;
}

#endif
