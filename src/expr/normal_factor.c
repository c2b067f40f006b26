/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of polynomials in letters, by FLINT. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include "expr/flint.h"

#include <string.h>

/* Letters as the variables of polynomials of FLINT. */
typedef struct Variables {
  const PfFlint *flint;
  fmpz_mpoly_ctx_t of;
  const int *letters;
  int count;
} Variables;

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

static void read_poly(const Variables *v, fmpz_mpoly_t a, const Poly *poly)
{
  ulong exponents[MOST_VARIABLES];
  for (int i = 0; i < poly->count; i++) {
    for (int k = 0; k < v->count; k++) exponents[k] = (ulong)pf_monomial_exponent(poly->terms + i, v->letters[k]);
    v->flint->fmpz_mpoly_push_term_si_ui(a, poly->terms[i].coefficient, exponents, v->of);
  }
  v->flint->fmpz_mpoly_sort_terms(a, v->of);
}

static Poly write_poly(const Variables *v, Letters *letters, const fmpz_mpoly_t a)
{
  ulong exponents[MOST_VARIABLES];
  Poly poly = pf_poly_make(letters, (int)a->length);
  for (slong i = 0; i < a->length && !letters->failed; i++) {
    LetterPower *powers = pf_arena_array(letters->arena, LetterPower, v->count);
    Monomial *term = poly.terms + poly.count++;
    *term = (Monomial){.coefficient = v->flint->fmpz_get_si(a->coeffs + i), .powers = powers};
    if (!powers || !v->flint->fmpz_fits_si(a->coeffs + i)) letters->failed = true;
    v->flint->fmpz_mpoly_get_term_exp_ui(exponents, a, i, v->of);
    for (int k = 0; k < v->count && powers; k++)
      if (exponents[k]) powers[term->count++] = (LetterPower){v->letters[k], (int)exponents[k]};
  }
  pf_poly_tidy(letters, &poly);
  return poly;
}

static bool write_factors(const Variables *v, Letters *letters, fmpz_mpoly_factor_t found, Factors *factors)
{
  *factors = (Factors){.count = (int)found->num};
  factors->bases = pf_arena_array(letters->arena, Poly, factors->count);
  factors->powers = pf_arena_array(letters->arena, int, factors->count);
  if (!factors->bases || !factors->powers || !v->flint->fmpz_fits_si(found->constant)) return false;
  factors->content = v->flint->fmpz_get_si(found->constant);
  for (int i = 0; i < factors->count; i++) {
    factors->bases[i] = write_poly(v, letters, found->poly + i);
    factors->powers[i] = (int)v->flint->fmpz_mpoly_factor_get_exp_si(found, i, v->of);
  }
  return !letters->failed;
}

static bool factor(const Variables *v, Letters *letters, const Poly *poly, Factors *factors)
{
  fmpz_mpoly_t a;
  fmpz_mpoly_factor_t found;
  v->flint->fmpz_mpoly_init(a, v->of);
  v->flint->fmpz_mpoly_factor_init(found, v->of);
  read_poly(v, a, poly);
  bool good = v->flint->fmpz_mpoly_factor(found, a, v->of);
  if (good) {
    v->flint->fmpz_mpoly_factor_sort(found, v->of);
    good = write_factors(v, letters, found, factors);
  }
  v->flint->fmpz_mpoly_factor_clear(found, v->of);
  v->flint->fmpz_mpoly_clear(a, v->of);
  return good;
}

bool pf_poly_factor(Letters *letters, const Poly *poly, Factors *factors)
{
  int variables[MOST_VARIABLES + 1];
  if (poly->count > MOST_FACTORED || letters->factorings == 0) return false;
  int count = list_variables(poly, variables);
  if (!is_to_be_factored(poly, variables, count)) return false;
  Variables v = {.flint = pf_flint(letters->table->ctx), .letters = variables, .count = count};
  if (!v.flint) return false;
  letters->factorings--;
  v.flint->fmpz_mpoly_ctx_init(v.of, count, ORD_LEX);
  bool good = factor(&v, letters, poly, factors);
  v.flint->fmpz_mpoly_ctx_clear(v.of);
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
