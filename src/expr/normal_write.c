/* SPDX-License-Identifier: Apache-2.0 */
/* From ratios in the generators to polynomials in the variables that are printed. */
#include "expr/normal_ring.h"

#ifdef PF_HAVE_FLINT

static Monomial monomial_of(const Ring *ring, Vars *vars, Shown *shown, const slong *exponents,
                            const fmpz *coefficient)
{
  const fmpz one = 1; /* an fmpz as it is */
  Monomial term = {.coefficient = pf_flint_number(ring->flint, vars->table, coefficient, &one)};
  if (!pf_number_is_exact(term.coefficient)) vars->failed = true;
  for (int g = 0; g < ring->plan->generator_count && !vars->failed; g++) {
    if (!exponents[g]) continue;
    if (exponents[g] > HIGHEST_POWER) vars->failed = true;
    if (!shown[g].exponent) shown[g] = pf_generator_show(vars, ring->plan->generators + g);
    if (vars->failed) break;
    VarPower power = {shown[g].var, (int)exponents[g]*shown[g].exponent};
    Monomial factor = {pf_number_int(exponents[g]%2 ? shown[g].sign : 1), 1, &power};
    term = pf_monomial_times(vars, term, factor);
  }
  return term;
}

static Poly poly_of(const Ring *ring, Vars *vars, Shown *shown, const fmpz_mpoly_t a)
{
  slong exponents[MOST_GENERATORS + 1];
  Poly poly = pf_poly_make(vars, (int)a->length);
  for (slong i = 0; i < a->length && !vars->failed; i++) {
    ring->flint->fmpz_mpoly_get_term_exp_si(exponents, a, i, ring->of);
    poly.terms[poly.count++] = monomial_of(ring, vars, shown, exponents, a->coeffs + i);
  }
  pf_poly_tidy(vars, &poly);
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
  bool good = ring->flint->fmpz_mpoly_evaluate_all_fmpz(x, a, points, ring->of) &&
              ring->flint->fmpz_mpoly_evaluate_all_fmpz(y, b, points, ring->of);
  good = good && !fmpz_is_zero(y) && ring->flint->fmpz_divisible(x, y);
  ring->flint->fmpz_clear(x);
  ring->flint->fmpz_clear(y);
  return good;
}

bool pf_ratio_write(Ring *ring, Ratio *ratio, Vars *vars, NormalForm *form)
{
  const double most_terms = 3000;
  Shown *shown = pf_arena_array(vars->arena, Shown, MOST_GENERATORS);
  form->divisors = pf_arena_array(vars->arena, Poly, MOST_DIVISORS);
  form->powers = pf_arena_array(vars->arena, int, MOST_DIVISORS);
  if (!shown || !form->divisors || !form->powers || poly_size(ratio->num) > most_terms) return false;
  /* Cancels divisors that divide the numerator. */
  const slong highest = 60; /* x^1000000 - 1 is divisible by x - 1, but there is no place for the quotient */
  fmpz_mpoly_t quotient;
  ring->flint->fmpz_mpoly_init(quotient, ring->of);
  bool small = ring->flint->fmpz_mpoly_total_degree_fits_si(ratio->num, ring->of) &&
               ring->flint->fmpz_mpoly_total_degree_si(ratio->num, ring->of) <= highest;
  for (int i = 0; i < ratio->power_count && small; i++)
    while (ratio->powers[i] > 0 && may_divide(ring, ratio->num, ring->divisors + i) &&
           ring->flint->fmpz_mpoly_divides(quotient, ratio->num, ring->divisors + i, ring->of)) {
      ring->flint->fmpz_mpoly_swap(ratio->num, quotient, ring->of);
      ratio->powers[i]--;
    }
  ring->flint->fmpz_mpoly_clear(quotient, ring->of);
  pf_ratio_cancel_numbers(ring, ratio);
  /* scale = content of the numerator/den, where that fits; the numerator becomes primitive. */
  fmpz_mpoly_struct *num = ratio->num;
  fmpz_t content;
  ring->flint->fmpz_init_set_ui(content, 1);
  if (num->length) ring->flint->_fmpz_vec_content(content, num->coeffs, num->length);
  ring->flint->fmpz_mpoly_scalar_divexact_fmpz(num, num, content, ring->of);
  form->scale = pf_flint_number(ring->flint, ring->plan->table, content, ratio->den);
  ring->flint->fmpz_clear(content);
  if (!pf_number_is_exact(form->scale)) return false;
  form->numerator = poly_of(ring, vars, shown, ratio->num);
  form->divisor_count = 0;
  for (int i = 0; i < ratio->power_count; i++) {
    if (!ratio->powers[i]) continue;
    form->divisors[form->divisor_count] = poly_of(ring, vars, shown, ring->divisors + i);
    form->powers[form->divisor_count++] = ratio->powers[i];
  }
  return !vars->failed;
}

#endif
