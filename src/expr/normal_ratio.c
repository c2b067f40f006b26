/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios of polynomials. All denominators in a ring are products of a common list of divisors, so that sums need no
 * greatest common divisors. */
#include "expr/normal_ring.h"

#ifdef PF_HAVE_FLINT

#include <math.h>

enum { MOST_BITS = 4096 };

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
    ring->flint->fmpz_mpoly_init(ratio->num, ring->of);
    fmpz_init(ratio->den);
    ratio->powers = powers;
  }
  ring->flint->fmpz_mpoly_zero(ratio->num, ring->of);
  ring->flint->fmpz_one(ratio->den);
  ratio->power_count = 0;
  ratio->next = ring->all;
  return ring->all = ratio;
}

/* Keeps the fraction for reuse; pf_ring_free frees all others. */
static void recycle_ratio(Ring *ring, Ratio *ratio)
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
static bool enlarge_den(const Ring *ring, Ratio *ratio, const fmpz_t number, int64_t n)
{
  if (fmpz_is_one(number)) return true;
  if (ring->flint->fmpz_bits(number)*(uint64_t)n > MOST_BITS) return false;
  fmpz_t power;
  fmpz_init(power);
  ring->flint->fmpz_pow_ui(power, number, (ulong)n);
  ring->flint->fmpz_mul(ratio->den, ratio->den, power);
  ring->flint->fmpz_clear(power);
  return true;
}

/* ratio /= divisor^n for a divisor that is primitive and positive at its leading term; false when there are too many
 * divisors, or the power is too high. */
static bool divide_by(Ring *ring, Ratio *ratio, const fmpz_mpoly_t divisor, int64_t n)
{
  int i = 0;
  while (i < ring->divisor_count && !ring->flint->fmpz_mpoly_equal(ring->divisors + i, divisor, ring->of)) i++;
  if (i == MOST_DIVISORS) return false;
  if (i == ring->divisor_count) {
    ring->flint->fmpz_mpoly_init(ring->divisors + i, ring->of);
    ring->flint->fmpz_mpoly_set(ring->divisors + i, divisor, ring->of);
    ring->divisor_count++;
  }
  return raise_power(ratio, i, n);
}

/* ratio /= a^n for a primitive a, which is used up: its generators and the rest are divisors of their own. */
static bool divide_by_parts(Ring *ring, Ratio *ratio, fmpz_mpoly_t a, int64_t n)
{
  fmpz_mpoly_t common, var;
  ring->flint->fmpz_mpoly_init(common, ring->of);
  ring->flint->fmpz_mpoly_init(var, ring->of);
  ring->flint->fmpz_mpoly_term_content(common, a, ring->of);
  bool good = ring->flint->fmpz_mpoly_divides(a, a, common, ring->of);
  for (int g = 0; g < ring->plan->generator_count && good; g++) {
    slong exponent = ring->flint->fmpz_mpoly_degree_si(common, g, ring->of);
    if (exponent <= 0) continue;
    ring->flint->fmpz_mpoly_gen(var, g, ring->of);
    good = exponent <= HIGHEST_POWER/n && divide_by(ring, ratio, var, exponent*n);
  }
  ring->flint->fmpz_mpoly_clear(var, ring->of);
  ring->flint->fmpz_mpoly_clear(common, ring->of);
  return good && (ring->flint->fmpz_mpoly_is_one(a, ring->of) || divide_by(ring, ratio, a, n));
}

/* ratio /= a^n */
static bool divide(Ring *ring, Ratio *ratio, const fmpz_mpoly_t a, int64_t n)
{
  if (fmpz_mpoly_is_zero(a, ring->of)) return false;
  fmpz_t content;
  fmpz_mpoly_t primitive;
  fmpz_init(content);
  ring->flint->fmpz_mpoly_init(primitive, ring->of);
  ring->flint->_fmpz_vec_content(content, a->coeffs, a->length);
  if (ring->flint->fmpz_sgn(a->coeffs) < 0) ring->flint->fmpz_neg(content, content);
  ring->flint->fmpz_mpoly_scalar_divexact_fmpz(primitive, a, content, ring->of);
  bool good = enlarge_den(ring, ratio, content, n) && divide_by_parts(ring, ratio, primitive, n);
  ring->flint->fmpz_mpoly_clear(primitive, ring->of);
  ring->flint->fmpz_clear(content);
  return good;
}

bool pf_ratio_multiply(Ring *ring, Ratio *product, const Ratio *factor, int64_t n)
{
  if (n > HIGHEST_POWER || n < -HIGHEST_POWER) return false;
  if (n == 0) return true;
  if (n > 0) {
    for (int i = 0; i < factor->power_count; i++)
      if (factor->powers[i] && !raise_power(product, i, factor->powers[i]*n)) return false;
    return enlarge_den(ring, product, factor->den, n) &&
           pf_ring_multiply_power(ring, product->num, factor->num, (uint64_t)n);
  }
  for (int i = 0; i < factor->power_count; i++)
    if (!pf_ring_multiply_power(ring, product->num, ring->divisors + i, (uint64_t)(-n*factor->powers[i])))
      return false;
  if (ring->flint->fmpz_bits(factor->den)*(uint64_t)-n > MOST_BITS && !fmpz_is_one(factor->den)) return false;
  fmpz_t den;
  fmpz_init(den);
  ring->flint->fmpz_pow_ui(den, factor->den, fmpz_is_one(factor->den) ? 1 : (ulong)-n);
  ring->flint->fmpz_mpoly_scalar_mul_fmpz(product->num, product->num, den, ring->of);
  ring->flint->fmpz_clear(den);
  return divide(ring, product, factor->num, -n);
}

/* ---------------------------------------------------------------- sums */

/* Brings a to the denominator of `common`, whose powers and number are multiples of a's. */
static bool expand_to(Ring *ring, fmpz_mpoly_t result, const Ratio *a, const Ratio *common)
{
  fmpz_t scale;
  fmpz_init(scale);
  ring->flint->fmpz_divexact(scale, common->den, a->den);
  ring->flint->fmpz_mpoly_scalar_mul_fmpz(result, a->num, scale, ring->of);
  ring->flint->fmpz_clear(scale);
  for (int i = 0; i < common->power_count; i++) {
    int missing = common->powers[i] - power_of(a, i);
    if (!pf_ring_multiply_power(ring, result, ring->divisors + i, (uint64_t)missing)) return false;
  }
  return true;
}

static void widen(const Ring *ring, Ratio *common, const Ratio *a)
{
  ring->flint->fmpz_lcm(common->den, common->den, a->den);
  for (int i = 0; i < a->power_count; i++) {
    raise_power(common, i, 0);
    if (common->powers[i] < a->powers[i]) common->powers[i] = a->powers[i];
  }
}

static bool is_alike(const Ring *ring, const Ratio *a, const Ratio *b)
{
  if (!ring->flint->fmpz_equal(a->den, b->den)) return false;
  for (int i = 0; i < a->power_count || i < b->power_count; i++)
    if (power_of(a, i) != power_of(b, i)) return false;
  return true;
}

/* The numerators of both over their common denominator, which is that of x. */
static bool make_alike(Ring *ring, const Ratio *a, const Ratio *b, Ratio *x, Ratio *y)
{
  widen(ring, x, a);
  widen(ring, x, b);
  return expand_to(ring, x->num, a, x) && expand_to(ring, y->num, b, x);
}

bool pf_ratio_add(Ring *ring, Ratio *sum, const Ratio *a)
{
  if (is_alike(ring, sum, a)) return pf_ring_add(ring, sum->num, sum->num, a->num);
  Ratio *x = new_ratio(ring), *y = x ? new_ratio(ring) : NULL;
  bool good = y && make_alike(ring, sum, a, x, y) && pf_ring_add(ring, sum->num, x->num, y->num);
  if (good) {
    ring->flint->fmpz_set(sum->den, x->den);
    widen(ring, sum, x);
  }
  recycle_ratio(ring, y);
  recycle_ratio(ring, x);
  return good;
}

/* sum += sign*a*b, over the common denominator of both. */
bool pf_ratio_add_product(Ring *ring, Ratio *sum, const Ratio *a, const Ratio *b, int sign)
{
  Ratio *product = new_ratio(ring);
  if (!product) return false;
  ring->flint->fmpz_mpoly_set_si(product->num, sign, ring->of);
  bool good = pf_ratio_multiply(ring, product, a, 1) && pf_ratio_multiply(ring, product, b, 1) &&
              pf_ratio_add(ring, sum, product);
  recycle_ratio(ring, product);
  return good;
}

/* Is the numerator zero? */
bool pf_ratio_is_zero(const Ring *ring, const Ratio *a)
{
  return fmpz_mpoly_is_zero(a->num, ring->of);
}

/* a = b, by a.num b.den = b.num a.den. */
bool pf_ratio_is_equal(Ring *ring, const Ratio *a, const Ratio *b)
{
  if (is_alike(ring, a, b)) return ring->flint->fmpz_mpoly_equal(a->num, b->num, ring->of);
  Ratio *x = new_ratio(ring), *y = x ? new_ratio(ring) : NULL;
  bool equal = y && make_alike(ring, a, b, x, y) && ring->flint->fmpz_mpoly_equal(x->num, y->num, ring->of);
  recycle_ratio(ring, y);
  recycle_ratio(ring, x);
  return equal;
}

/* ---------------------------------------------------------------- numbers and generators */

/* Takes the common factor of the numbers out. */
void pf_ratio_cancel_numbers(Ring *ring, Ratio *ratio)
{
  fmpz_mpoly_struct *num = ratio->num;
  if (fmpz_is_one(ratio->den) || num->length == 0) return;
  fmpz_t common;
  fmpz_init(common);
  ring->flint->_fmpz_vec_content(common, num->coeffs, num->length);
  ring->flint->fmpz_gcd(common, common, ratio->den);
  if (ring->flint->fmpz_sgn(ratio->den) < 0) ring->flint->fmpz_neg(common, common);
  if (!fmpz_is_one(common)) {
    ring->flint->fmpz_mpoly_scalar_divexact_fmpz(num, num, common, ring->of);
    ring->flint->fmpz_divexact(ratio->den, ratio->den, common);
  }
  ring->flint->fmpz_clear(common);
}

/* A number as a ratio; every double is a whole number times a power of 2. NULL without memory. */
Ratio *pf_ratio_number(Ring *ring, Number number)
{
  Ratio *ratio = new_ratio(ring);
  if (!ratio) return NULL;
  fmpz_t num;
  fmpz_init(num);
  if (pf_number_is_exact(number)) {
    pf_flint_parts(ring->flint, number, num, ratio->den);
  } else {
    int exponent;
    ring->flint->fmpz_set_d(num, ldexp(frexp(number.value, &exponent), 53));
    exponent -= 53;
    if (exponent > 0) ring->flint->fmpz_mul_2exp(num, num, (ulong)exponent);
    else ring->flint->fmpz_mul_2exp(ratio->den, ratio->den, (ulong)-exponent);
  }
  ring->flint->fmpz_mpoly_set_fmpz(ratio->num, num, ring->of);
  ring->flint->fmpz_clear(num);
  pf_ratio_cancel_numbers(ring, ratio);
  return ratio;
}

/* A generator of the ring as a ratio; NULL without memory. */
Ratio *pf_ratio_generator(Ring *ring, int g)
{
  Ratio *ratio = g < 0 ? NULL : new_ratio(ring);
  if (!ratio) return NULL;
  ring->flint->fmpz_mpoly_gen(ratio->num, g, ring->of);
  return pf_ring_reduce_rotations(ring, ratio->num) ? ratio : NULL; /* products are reduced anyway */
}

bool pf_ratio_keep(Ring *ring, Ratio *ratio)
{
  pf_ratio_cancel_numbers(ring, ratio);
  ring->held -= poly_size(ratio->num);
  return ring->held >= 0;
}

/* ---------------------------------------------------------------- roots */

/* With base = N/D, the generator R stands for D*base^(1/degree), and R^degree = N*D^(degree-1): no denominators. The
 * product is multiplied by (R/D)^n. */
bool pf_ratio_multiply_root(Ring *ring, Ratio *product, int g, const Ratio *base, int64_t n)
{
  bool good = true;
  fmpz_mpoly_t den, root;
  ring->flint->fmpz_mpoly_init(den, ring->of);
  ring->flint->fmpz_mpoly_init(root, ring->of);
  ring->flint->fmpz_mpoly_set_fmpz(den, base->den, ring->of);
  for (int i = 0; i < base->power_count && good; i++)
    good = pf_ring_multiply_power(ring, den, ring->divisors + i, (uint64_t)base->powers[i]);
  if (good && ring->plan->style.readable && !ring->flint->fmpz_mpoly_is_one(den, ring->of)) {
    ring->flint->fmpz_mpoly_one(den, ring->of); /* the root of a fraction is a variable */
  } else if (good && !ring->related[g]) {
    ring->flint->fmpz_mpoly_set(ring->relations + g, base->num, ring->of);
    ring->related[g] = true;
    good = pf_ring_multiply_power(ring, ring->relations + g, den, (uint64_t)ring->plan->generators[g].degree - 1);
  }
  if (good && n != 0) {
    ring->flint->fmpz_mpoly_gen(root, g, ring->of);
    const fmpz_mpoly_struct *above = n > 0 ? root : den, *below = n > 0 ? den : root;
    if (n < 0) n = -n;
    good = pf_ring_multiply_power(ring, product->num, above, (uint64_t)n) && divide(ring, product, below, n);
  }
  ring->flint->fmpz_mpoly_clear(root, ring->of);
  ring->flint->fmpz_mpoly_clear(den, ring->of);
  return good;
}

bool pf_ring_is_related(const Ring *ring, int g)
{
  return ring->related[g];
}

#endif
