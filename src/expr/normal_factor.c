/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of polynomials in letters, by FLINT. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#include <string.h>

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
