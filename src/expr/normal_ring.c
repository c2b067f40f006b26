/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials in the generators of a plan, reduced by the relations s^2 = 1 - c^2, C^2 = 1 + S^2 and r^n = base, and
 * the ring that holds them. FLINT aborts without memory: every operation is estimated before it is done, and given up
 * when it is too large. */
#include "expr/normal_ring.h"

#ifdef PF_HAVE_FLINT

#include <math.h>
#include <stdlib.h>

enum { MOST_REDUCTIONS = 4096 };

/* ---------------------------------------------------------------- polynomials */
static bool spend(Ring *ring, double work)
{
  ring->work -= work;
  return ring->work >= 0 && !pf_context_is_cancelled(ring->plan->table->ctx);
}

static double weight_of(const Ring *ring, const fmpz_mpoly_t a)
{
  if (a->length == 0) return 0;
  return 1 + (double)labs(ring->flint->fmpz_mpoly_max_bits(a))/256 + (double)ring->plan->generator_count/32;
}

static bool reduce(Ring *ring, fmpz_mpoly_t a);

/* product = a b, reduced by the relations between generators. Costs about the number of products of terms; false when
 * the budget does not suffice. */
static bool multiply(Ring *ring, fmpz_mpoly_t product, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
  double terms = poly_size(a)*poly_size(b);
  if (!spend(ring, terms*(weight_of(ring, a) + weight_of(ring, b)) + 1)) return false;
  ring->flint->fmpz_mpoly_mul(product, a, b, ring->of);
  return reduce(ring, product);
}

/* sum = a + b; false when the budget does not suffice. */
bool pf_ring_add(Ring *ring, fmpz_mpoly_t sum, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
  if (!spend(ring, poly_size(a) + poly_size(b) + 1)) return false;
  ring->flint->fmpz_mpoly_add(sum, a, b, ring->of);
  return true;
}

/* Replaces the power `degree` of a generator wherever it occurs, by Horner's rule. */
static bool replace_powers(Ring *ring, fmpz_mpoly_t a, int g, fmpz_mpoly_t sum, fmpz_mpoly_univar_t parts)
{
  slong degree = ring->plan->generators[g].degree;
  ring->flint->fmpz_mpoly_to_univar(parts, a, g, ring->of);
  slong left = ring->flint->fmpz_mpoly_univar_get_term_exp_si(parts, 0, ring->of)/degree;
  if (left > MOST_REDUCTIONS) return false;
  for (slong i = 0; i < parts->length; i++) {
    slong exponent = ring->flint->fmpz_mpoly_univar_get_term_exp_si(parts, i, ring->of);
    for (; left > exponent/degree; left--)
      if (!multiply(ring, sum, sum, ring->relations + g)) return false;
    ring->flint->fmpz_mpoly_gen(a, g, ring->of); /* a is free now */
    if (!ring->flint->fmpz_mpoly_pow_ui(a, a, (ulong)(exponent%degree), ring->of)) return false;
    ring->flint->fmpz_mpoly_mul(a, a, parts->coeffs + i, ring->of);
    if (!pf_ring_add(ring, sum, sum, a)) return false;
  }
  for (; left > 0; left--)
    if (!multiply(ring, sum, sum, ring->relations + g)) return false;
  ring->flint->fmpz_mpoly_swap(a, sum, ring->of);
  return true;
}

/* Later roots may hold earlier ones: downwards. */
static bool reduce(Ring *ring, fmpz_mpoly_t a)
{
  for (int g = ring->plan->generator_count - 1; g >= 0; g--) {
    if (!ring->related[g]) continue;
    if (!ring->flint->fmpz_mpoly_degrees_fit_si(a, ring->of)) return false;
    if (ring->flint->fmpz_mpoly_degree_si(a, g, ring->of) < ring->plan->generators[g].degree) continue;
    fmpz_mpoly_t sum;
    fmpz_mpoly_univar_t parts;
    ring->flint->fmpz_mpoly_init(sum, ring->of);
    ring->flint->fmpz_mpoly_univar_init(parts, ring->of);
    bool good = replace_powers(ring, a, g, sum, parts);
    ring->flint->fmpz_mpoly_univar_clear(parts, ring->of);
    ring->flint->fmpz_mpoly_clear(sum, ring->of);
    if (!good) return false;
  }
  return pf_ring_reduce_rotations(ring, a);
}

bool pf_ring_multiply_power(Ring *ring, fmpz_mpoly_t a, const fmpz_mpoly_t base, uint64_t n)
{
  if (n == 0) return true;
  if (n == 1) return multiply(ring, a, a, base);
  bool good = true;
  fmpz_mpoly_t power, square;
  ring->flint->fmpz_mpoly_init(power, ring->of);
  ring->flint->fmpz_mpoly_init(square, ring->of);
  ring->flint->fmpz_mpoly_set(square, base, ring->of);
  ring->flint->fmpz_mpoly_one(power, ring->of);
  for (; n && good; n >>= 1) {
    if (n & 1) good = multiply(ring, power, power, square);
    if (n > 1 && good) good = multiply(ring, square, square, square);
  }
  good = good && multiply(ring, a, a, power);
  ring->flint->fmpz_mpoly_clear(power, ring->of);
  ring->flint->fmpz_mpoly_clear(square, ring->of);
  return good;
}

/* ---------------------------------------------------------------- the ring */

/* The ring of polynomials in the generators of the plan, which must outlive it, with a budget in products of terms;
 * NULL without memory or FLINT. */
Ring *pf_ring_new(const NormalPlan *plan, double work)
{
  Ring *ring = pf_arena_array(plan->arena, Ring, 1);
  if (!ring) return NULL;
  ring->plan = plan;
  ring->flint = pf_flint(plan->table->ctx);
  if (!ring->flint) return NULL;
  ring->relations = pf_arena_array(plan->arena, fmpz_mpoly_struct, plan->generator_count);
  ring->related = pf_arena_array(plan->arena, bool, plan->generator_count);
  ring->divisors = pf_arena_array(plan->arena, fmpz_mpoly_struct, MOST_DIVISORS);
  if (!ring->relations || !ring->related || !ring->divisors) return NULL;
  ring->given = ring->work = work;
  ring->held = work/10;
  ring->flint->fmpz_mpoly_ctx_init(ring->of, plan->generator_count ? plan->generator_count : 1, ORD_LEX);
  /* Replacements of powers of generators: s^2 = 1 - c^2, C^2 = 1 + S^2, and squares of square roots of numbers. */
  for (int g = 0; g < ring->plan->generator_count; g++) {
    const Generator *generator = ring->plan->generators + g;
    fmpz_mpoly_struct *relation = ring->relations + g;
    ring->flint->fmpz_mpoly_init(relation, ring->of);
    bool sine = generator->kind == GENERATOR_SINE, cosh_of_it = generator->kind == GENERATOR_COSH;
    bool number = generator->kind == GENERATOR_ROOT && is_integer(ring->plan->table, generator->key);
    if (sine || cosh_of_it) { /* 1 - c^2 or 1 + S^2 */
      ring->flint->fmpz_mpoly_gen(relation, g + 1, ring->of);
      ring->flint->fmpz_mpoly_mul(relation, relation, relation, ring->of);
      if (sine) ring->flint->fmpz_mpoly_neg(relation, relation, ring->of);
      ring->flint->fmpz_mpoly_add_si(relation, relation, 1, ring->of);
    } else if (number && generator->degree == 2) {
      ring->flint->fmpz_mpoly_set_si(relation, number_of(ring->plan->table, generator->key).num, ring->of);
    }
    ring->related[g] = sine || cosh_of_it || (number && generator->degree == 2);
  }
  if (pf_ring_add_rotations(ring)) return ring;
  pf_ring_free(ring);
  return NULL;
}

static void clear_ratios(Ring *ring, Ratio *ratio)
{
  for (; ratio; ratio = ratio->next) {
    ring->flint->fmpz_mpoly_clear(ratio->num, ring->of);
    ring->flint->fmpz_clear(ratio->den);
  }
}

/* Frees the ring and all its ratios. */
void pf_ring_free(Ring *ring)
{
  if (!ring) return;
  clear_ratios(ring, ring->all);
  clear_ratios(ring, ring->spare);
  for (int g = 0; g < ring->plan->generator_count; g++) ring->flint->fmpz_mpoly_clear(ring->relations + g, ring->of);
  for (int i = 0; i < ring->divisor_count; i++) ring->flint->fmpz_mpoly_clear(ring->divisors + i, ring->of);
  pf_ring_free_rotations(ring);
  ring->flint->fmpz_mpoly_ctx_clear(ring->of);
}

double pf_ring_work(const Ring *ring)
{
  return ring->work;
}

double pf_ring_need(const Ring *ring)
{
  if (ring->work < 0 || ring->held < 0) return INFINITY;
  return fmax(ring->given - ring->work, ring->given - 10*ring->held + 1); /* 1: for rounding */
}

#endif
