/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of polynomials in variables, by FLINT. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include "expr/flint.h"

#include <string.h>

/* Within these limits a polynomial is factored in 20 ms at most, mostly in 1 ms; beyond there are some that
 * take minutes. */
enum { MOST_FACTORED = 120, MOST_VARIABLES = 40, HIGHEST_DEGREE = 8, HIGHEST_SUM_OF_DEGREES = 40 };

/* Which variables occur, in order; 0 when the polynomial is not one to be factored. */
static int list_variables(const Poly *poly, int *variables)
{
  int count = 0;
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < poly->terms[i].count; k++) {
      int var = poly->terms[i].powers[k].var, at = 0;
      while (at < count && variables[at] < var) at++;
      if (at < count && variables[at] == var) continue;
      if (count == MOST_VARIABLES) return 0;
      memmove(variables + at + 1, variables + at, (size_t)(count++ - at)*sizeof *variables);
      variables[at] = var;
    }
  return count;
}

/* Are the degrees small enough for FLINT to factor the polynomial in a short time? */
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

/* ---------------------------------------------------------------- polynomials as numbers */

/* A polynomial as a list of numbers: how many variables and terms, then of each term the coefficient (which is a Number
 * and takes two places, as the table keeps wide ones) and the exponents.
 * Which variables the variables are is not in it, so that what was found for one polynomial serves all of its shape. */
static int64_t *list_numbers(Vars *vars, const Poly *poly, const int *variables, int count, size_t *size)
{
  *size = 2 + (size_t)poly->count*(size_t)(2 + count);
  int64_t *list = pf_arena_array(vars->arena, int64_t, *size), *next = list;
  if (!list) return NULL;
  *next++ = count;
  *next++ = poly->count;
  for (int i = 0; i < poly->count; i++) {
    *next++ = poly->terms[i].coefficient.num;
    *next++ = poly->terms[i].coefficient.den;
    for (int k = 0; k < count; k++) *next++ = pf_monomial_exponent(poly->terms + i, variables[k]);
  }
  return list;
}

static Number number_at(const int64_t *place)
{
  return (Number){.num = place[0], .den = place[1]};
}

static const int64_t *read_numbers(Vars *vars, const int64_t *next, const int *variables, Poly *poly)
{
  int64_t count = *next++, terms = *next++;
  *poly = pf_poly_make(vars, (int)terms);
  for (int64_t i = 0; i < terms && !vars->failed; i++) {
    VarPower *powers = pf_arena_array(vars->arena, VarPower, count);
    Monomial *term = poly->terms + poly->count++;
    *term = (Monomial){.coefficient = number_at(next), .powers = powers};
    next += 2;
    if (!powers || !pf_number_is_exact(term->coefficient)) vars->failed = true;
    for (int64_t k = 0; k < count && powers; k++, next++)
      if (*next) powers[term->count++] = (VarPower){variables[k], (int)*next};
  }
  pf_poly_tidy(vars, poly);
  return next;
}

/* ---------------------------------------------------------------- FLINT */

/* Factors as numbers: the content, how many there are, and of each its power and its polynomial. */
typedef struct Numbers {
  PfExprTable *table;
  PF_ARRAY(int64_t) list;
  bool failed; /* no memory */
} Numbers;

static void put(Numbers *numbers, int64_t number)
{
  if (!pf_push(numbers->table->allocator, &numbers->list, number)) numbers->failed = true;
}

static void put_integer(const PfFlint *flint, Numbers *numbers, const fmpz *number)
{
  const fmpz one = 1; /* an fmpz as it is */
  Number whole = pf_flint_number(flint, numbers->table, number, &one);
  put(numbers, whole.num);
  put(numbers, whole.den);
}

static void take_poly(const PfFlint *flint, fmpz_mpoly_t a, const int64_t *next, const fmpz_mpoly_ctx_t of)
{
  ulong exponents[MOST_VARIABLES];
  int64_t count = *next++, terms = *next++;
  fmpz_t coefficient, one;
  fmpz_init(coefficient);
  fmpz_init(one);
  for (int64_t i = 0; i < terms; i++) {
    pf_flint_parts(flint, number_at(next), coefficient, one);
    next += 2;
    for (int64_t k = 0; k < count; k++) exponents[k] = (ulong)*next++;
    flint->fmpz_mpoly_push_term_fmpz_ui(a, coefficient, exponents, of);
  }
  flint->fmpz_clear(coefficient);
  flint->fmpz_clear(one);
  flint->fmpz_mpoly_sort_terms(a, of);
}

/* Factors by FLINT. The result is a list of numbers: content, count, and the exponent and terms of each factor. */
static bool factor(const PfFlint *flint, const int64_t *poly, Numbers *numbers)
{
  fmpz_mpoly_ctx_t of;
  fmpz_mpoly_t a;
  fmpz_mpoly_factor_t found;
  ulong exponents[MOST_VARIABLES];
  int count = (int)poly[0];
  flint->fmpz_mpoly_ctx_init(of, count, ORD_LEX);
  flint->fmpz_mpoly_init(a, of);
  flint->fmpz_mpoly_factor_init(found, of);
  take_poly(flint, a, poly, of);
  bool good = flint->fmpz_mpoly_factor(found, a, of);
  if (good) {
    flint->fmpz_mpoly_factor_sort(found, of);
    put_integer(flint, numbers, found->constant);
    put(numbers, found->num);
    for (slong i = 0; i < found->num; i++) {
      const fmpz_mpoly_struct *base = found->poly + i;
      put(numbers, flint->fmpz_mpoly_factor_get_exp_si(found, i, of));
      put(numbers, count);
      put(numbers, base->length);
      for (slong term = 0; term < base->length; term++) {
        put_integer(flint, numbers, base->coeffs + term);
        flint->fmpz_mpoly_get_term_exp_ui(exponents, base, term, of);
        for (int k = 0; k < count; k++) put(numbers, (int64_t)exponents[k]);
      }
    }
  }
  flint->fmpz_mpoly_factor_clear(found, of);
  flint->fmpz_mpoly_clear(a, of);
  flint->fmpz_mpoly_ctx_clear(of);
  return good;
}

/* ---------------------------------------------------------------- irreducible ones */

/* Most polynomials of mechanics are linear in some variable x, a mass or a length: p = a x + b, and a factor without x
 * divides a and b. Whether these have a common divisor with a variable y in it is seen modulo a prime, with numbers for
 * all other variables: if the images have none, and the leading coefficient of a in y is not 0, a and b have none. */
enum { PRIME = 2147483647 };

typedef struct Image {
  int degree; /* -1: zero */
  uint64_t at[HIGHEST_DEGREE + 1];
} Image;

/* The image of the terms with x^exponent; *highest is their degree in y, or -1 when there are none. */
static Image image_of(const int64_t *poly, int64_t x, int64_t exponent, int64_t y, int64_t *highest)
{
  Image image = {.degree = HIGHEST_DEGREE};
  int64_t count = poly[0];
  *highest = -1;
  for (int64_t i = 0; i < poly[1]; i++) {
    const int64_t *term = poly + 2 + i*(2 + count), *exponents = term + 2;
    if (exponents[x] != exponent) continue;
    if (exponents[y] > *highest) *highest = exponents[y];
    /* the value without the power of y; x is the same in all of them and need not be left out */
    uint64_t value = pf_number_modulo(number_at(term), PRIME);
    for (int64_t k = 0; k < count; k++)
      for (int64_t n = k == y ? 0 : exponents[k]; n > 0; n--) value = value*(1000003 + 7919*(uint64_t)k)%PRIME;
    image.at[exponents[y]] = (image.at[exponents[y]] + value)%PRIME;
  }
  while (image.degree >= 0 && !image.at[image.degree]) image.degree--;
  return image;
}

/* Euclid's algorithm for two polynomials in one variable over a prime field. */
static bool are_coprime(Image a, Image b)
{
  while (b.degree > 0) {
    Image remainder = a;
    /* rest = a modulo b, without dividing: times a power of the leading coefficient of b */
    for (; remainder.degree >= b.degree && remainder.degree >= 0; remainder.degree--) {
      uint64_t top = remainder.at[remainder.degree], factor = b.at[b.degree];
      for (int i = 0; i < remainder.degree; i++) {
        int k = i - (remainder.degree - b.degree);
        uint64_t taken = k < 0 ? 0 : top*b.at[k]%PRIME;
        remainder.at[i] = (remainder.at[i]*factor + PRIME - taken)%PRIME;
      }
    }
    while (remainder.degree >= 0 && !remainder.at[remainder.degree]) remainder.degree--;
    a = b;
    b = remainder;
  }
  return b.degree == 0; /* a number that is not zero */
}

/* Is p = a x + b, for the first x in which it is linear, with a and b that have no variable in a common divisor? */
static bool is_irreducible(const int64_t *poly)
{
  int64_t count = poly[0], x = 0;
  for (bool linear = false; x < count; x++) {
    linear = true;
    for (int64_t i = 0; i < poly[1] && linear; i++) linear = poly[2 + i*(2 + count) + 2 + x] <= 1;
    if (linear) break;
  }
  if (x == count || count < 2) return false;
  for (int64_t y = 0; y < count; y++) {
    int64_t degree_a, degree_b;
    if (y == x) continue;
    Image a = image_of(poly, x, 1, y, &degree_a), b = image_of(poly, x, 0, y, &degree_b);
    if (degree_a < 0 || degree_b < 0) return false;
    if (degree_a == 0 || degree_b == 0) continue; /* y is in one of them only */
    if (a.degree < degree_a || !are_coprime(a, b)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- what was factored before */

struct Factored {
  Factored *next;
  uint64_t hash;
  size_t size;
  const int64_t *poly, *factors; /* NULL: it could not be factored */
};

static const int64_t *keep(PfExprTable *table, const int64_t *numbers, size_t count)
{
  int64_t *kept = pf_arena_array(table->names_arena, int64_t, count);
  if (kept && count) memcpy(kept, numbers, count*sizeof *kept);
  return kept;
}

/* Finds the factors of known.poly and remembers them. NULL without memory. */
static const Factored *factor_anew(const PfFlint *flint, PfExprTable *table, Factored known)
{
  Numbers numbers = {.table = table};
  Factored *kept = NULL;
  bool good = true;
  if (is_irreducible(known.poly)) { /* one factor, to the power 1 */
    for (int i = 0; i < 4; i++) put(&numbers, 1); /* the number 1, one factor, its power */
    for (size_t i = 0; i < known.size; i++) put(&numbers, known.poly[i]);
  } else good = factor(flint, known.poly, &numbers);
  if (!numbers.failed) {
    if (!table->factored) table->factored = pf_arena_array(table->names_arena, Factored *, PF_FACTORED_LISTS);
    kept = pf_arena_array(table->names_arena, Factored, 1);
    known.poly = keep(table, known.poly, known.size);
    if (good) known.factors = keep(table, numbers.list.at, numbers.list.count);
    if (!table->factored || !known.poly || (good && !known.factors)) kept = NULL;
  }
  if (kept) {
    Factored **list = table->factored + known.hash%PF_FACTORED_LISTS;
    known.next = *list;
    *kept = known;
    *list = kept;
  }
  pf_array_free(table->allocator, &numbers.list);
  return kept;
}

static bool write_factors(Vars *vars, const int64_t *next, const int *variables, Factors *factors)
{
  *factors = (Factors){.content = number_at(next)};
  next += 2;
  factors->count = (int)*next++;
  factors->bases = pf_arena_array(vars->arena, Poly, factors->count);
  factors->powers = pf_arena_array(vars->arena, int, factors->count);
  if (!factors->bases || !factors->powers || !pf_number_is_exact(factors->content)) return false;
  for (int i = 0; i < factors->count && !vars->failed; i++) {
    factors->powers[i] = (int)*next++;
    next = read_numbers(vars, next, variables, factors->bases + i);
  }
  return !vars->failed;
}

bool pf_poly_factor(Vars *vars, const Poly *poly, Factors *factors)
{
  PfExprTable *table = vars->table;
  int variables[MOST_VARIABLES + 1];
  if (poly->count > MOST_FACTORED || vars->factorings == 0) return false;
  int count = list_variables(poly, variables);
  if (!is_to_be_factored(poly, variables, count)) return false;
  const PfFlint *flint = pf_flint(table->ctx);
  if (!flint) return false;
  vars->factorings--;
  Factored wanted = {0};
  wanted.poly = list_numbers(vars, poly, variables, count, &wanted.size);
  if (!wanted.poly) return false;
  size_t bytes = wanted.size*sizeof *wanted.poly;
  wanted.hash = pf_hash_bytes(wanted.poly, bytes, 0);
  const Factored *known = table->factored ? table->factored[wanted.hash%PF_FACTORED_LISTS] : NULL;
  while (known && (known->hash != wanted.hash || known->size != wanted.size ||
                   memcmp(known->poly, wanted.poly, bytes) != 0))
    known = known->next;
  if (!known) known = factor_anew(flint, table, wanted);
  return known && known->factors && write_factors(vars, known->factors, variables, factors);
}

#else

bool pf_poly_factor(Vars *vars, const Poly *poly, Factors *factors)
{
  (void)vars;
  (void)poly;
  (void)factors;
  return false;
}

#endif
