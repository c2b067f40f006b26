/* SPDX-License-Identifier: Apache-2.0 */
/* The functions used from FLINT. It depends on other large libraries and only algebra needs it, so it is loaded at its
 * first use; PF_FLINT_FILE is the library, and without that name it is linked. Its short functions are in its headers
 * and in the library as well: those that call others are taken from the library, as nothing of FLINT is linked. */
#ifndef PF_EXPR_FLINT_H
#define PF_EXPR_FLINT_H

#include "base/library.h"
#include "expr/expr_impl.h"

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#define PF_FLINT_FUNCTIONS(USE) \
  USE(_fmpz_vec_content) \
  USE(fmpz_bits) \
  USE(fmpz_clear) \
  USE(fmpz_divexact) \
  USE(fmpz_divisible) \
  USE(fmpz_equal) \
  USE(fmpz_fits_si) \
  USE(fmpz_gcd) \
  USE(fmpz_get_si) \
  USE(fmpz_get_ui_array) \
  USE(fmpz_init_set_ui) \
  USE(fmpz_lcm) \
  USE(fmpz_mul) \
  USE(fmpz_mul_2exp) \
  USE(fmpz_neg) \
  USE(fmpz_one) \
  USE(fmpz_pow_ui) \
  USE(fmpz_set) \
  USE(fmpz_set_d) \
  USE(fmpz_set_si) \
  USE(fmpz_set_ui_array) \
  USE(fmpz_sgn) \
  USE(fmpz_mpoly_add) \
  USE(fmpz_mpoly_add_si) \
  USE(fmpz_mpoly_clear) \
  USE(fmpz_mpoly_ctx_clear) \
  USE(fmpz_mpoly_ctx_init) \
  USE(fmpz_mpoly_degree_si) \
  USE(fmpz_mpoly_degrees_fit_si) \
  USE(fmpz_mpoly_divides) \
  USE(fmpz_mpoly_divrem_ideal) \
  USE(fmpz_mpoly_equal) \
  USE(fmpz_mpoly_evaluate_all_fmpz) \
  USE(fmpz_mpoly_factor) \
  USE(fmpz_mpoly_factor_clear) \
  USE(fmpz_mpoly_factor_get_exp_si) \
  USE(fmpz_mpoly_factor_init) \
  USE(fmpz_mpoly_factor_sort) \
  USE(fmpz_mpoly_gen) \
  USE(fmpz_mpoly_get_term_exp_si) \
  USE(fmpz_mpoly_get_term_exp_ui) \
  USE(fmpz_mpoly_init) \
  USE(fmpz_mpoly_is_one) \
  USE(fmpz_mpoly_max_bits) \
  USE(fmpz_mpoly_mul) \
  USE(fmpz_mpoly_neg) \
  USE(fmpz_mpoly_one) \
  USE(fmpz_mpoly_pow_ui) \
  USE(fmpz_mpoly_push_term_fmpz_ui) \
  USE(fmpz_mpoly_scalar_divexact_fmpz) \
  USE(fmpz_mpoly_scalar_mul_fmpz) \
  USE(fmpz_mpoly_set) \
  USE(fmpz_mpoly_set_fmpz) \
  USE(fmpz_mpoly_set_si) \
  USE(fmpz_mpoly_sort_terms) \
  USE(fmpz_mpoly_swap) \
  USE(fmpz_mpoly_term_content) \
  USE(fmpz_mpoly_to_univar) \
  USE(fmpz_mpoly_total_degree_fits_si) \
  USE(fmpz_mpoly_total_degree_si) \
  USE(fmpz_mpoly_univar_clear) \
  USE(fmpz_mpoly_univar_get_term_exp_si) \
  USE(fmpz_mpoly_univar_init) \
  USE(fmpz_mpoly_zero)

typedef struct PfFlint {
  PF_FLINT_FUNCTIONS(PF_LIBRARY_MEMBER)
} PfFlint;

/* NULL where it cannot be loaded, or without memory. */
const PfFlint *pf_flint(PfContext *ctx);

/* num/den; not exact when it is too long. */
Number pf_flint_number(const PfFlint *flint, PfExprTable *table, const fmpz *num, const fmpz *den);
/* Numerator and denominator of an exact number. */
void pf_flint_parts(const PfFlint *flint, Number number, fmpz_t num, fmpz_t den);

#endif
