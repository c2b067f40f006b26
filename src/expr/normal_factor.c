/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of polynomials in letters, by FLINT. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include "expr/flint.h"

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

/* ---------------------------------------------------------------- polynomials as numbers */

/* A polynomial as a list of numbers: how many variables and terms, then of each term the coefficient (which is a Number
 * and takes two places, as the table keeps wide ones) and the exponents.
 * Which letters the variables are is not in it, so that what was found for one polynomial serves all of its shape. */
static int64_t *list_numbers(Letters *letters, const Poly *poly, const int *variables, int count, size_t *size)
{
  *size = 2 + (size_t)poly->count*(size_t)(2 + count);
  int64_t *list = pf_arena_array(letters->arena, int64_t, *size), *next = list;
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

static const int64_t *read_numbers(Letters *letters, const int64_t *next, const int *variables, Poly *poly)
{
  int64_t count = *next++, terms = *next++;
  *poly = pf_poly_make(letters, (int)terms);
  for (int64_t i = 0; i < terms && !letters->failed; i++) {
    LetterPower *powers = pf_arena_array(letters->arena, LetterPower, count);
    Monomial *term = poly->terms + poly->count++;
    *term = (Monomial){.coefficient = number_at(next), .powers = powers};
    next += 2;
    if (!powers || !pf_number_is_exact(term->coefficient)) letters->failed = true;
    for (int64_t k = 0; k < count && powers; k++, next++)
      if (*next) powers[term->count++] = (LetterPower){variables[k], (int)*next};
  }
  pf_poly_tidy(letters, poly);
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

static void put_poly(const PfFlint *flint, Numbers *numbers, const fmpz_mpoly_t a, int count, const fmpz_mpoly_ctx_t of)
{
  ulong exponents[MOST_VARIABLES];
  put(numbers, count);
  put(numbers, a->length);
  for (slong i = 0; i < a->length; i++) {
    put_integer(flint, numbers, a->coeffs + i);
    flint->fmpz_mpoly_get_term_exp_ui(exponents, a, i, of);
    for (int k = 0; k < count; k++) put(numbers, (int64_t)exponents[k]);
  }
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

static bool factor(const PfFlint *flint, const int64_t *poly, Numbers *numbers)
{
  fmpz_mpoly_ctx_t of;
  fmpz_mpoly_t a;
  fmpz_mpoly_factor_t found;
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
      put(numbers, flint->fmpz_mpoly_factor_get_exp_si(found, i, of));
      put_poly(flint, numbers, found->poly + i, count, of);
    }
  }
  flint->fmpz_mpoly_factor_clear(found, of);
  flint->fmpz_mpoly_clear(a, of);
  flint->fmpz_mpoly_ctx_clear(of);
  return good;
}

/* ---------------------------------------------------------------- irreducible ones */

/* Most polynomials of mechanics are linear in some letter x, a mass or a length: p = a x + b, and a factor without x
 * divides a and b. Whether these have a common divisor with a letter y in it is seen modulo a prime, with numbers for
 * all other letters: if the images have none, and the leading coefficient of a in y is not 0, a and b have none. */
enum { PRIME = 2147483647 };

typedef struct Image {
  int degree; /* -1: zero */
  uint64_t at[HIGHEST_DEGREE + 1];
} Image;

static uint64_t power_of(uint64_t x, int64_t n)
{
  uint64_t power = 1;
  for (; n > 0; n--) power = power*x%PRIME;
  return power;
}

static uint64_t number_for(int64_t variable)
{
  return 1000003 + 7919*(uint64_t)variable;
}

/* Of a term without its power of y. */
static uint64_t value_of(const int64_t *term, int64_t count, int64_t y)
{
  uint64_t value = pf_number_modulo(number_at(term), PRIME);
  const int64_t *exponents = term + 2;
  for (int64_t k = 0; k < count; k++)
    if (exponents[k] && k != y) value = value*power_of(number_for(k), exponents[k])%PRIME;
  return value;
}

/* Of the terms with x^exponent; *highest is their degree in y, or -1 when there are none. */
static Image image_of(const int64_t *poly, int64_t x, int64_t exponent, int64_t y, int64_t *highest)
{
  Image image = {.degree = HIGHEST_DEGREE};
  int64_t count = poly[0];
  *highest = -1;
  for (int64_t i = 0; i < poly[1]; i++) {
    const int64_t *term = poly + 2 + i*(2 + count);
    int64_t degree = term[2 + y];
    if (term[2 + x] != exponent) continue;
    if (degree > *highest) *highest = degree;
    /* x is the same in all of them and need not be left out */
    image.at[degree] = (image.at[degree] + value_of(term, count, y))%PRIME;
  }
  while (image.degree >= 0 && !image.at[image.degree]) image.degree--;
  return image;
}

/* a modulo b, without dividing: times a power of the leading coefficient of b */
static void reduce(Image *a, const Image *b)
{
  for (; a->degree >= b->degree && a->degree >= 0; a->degree--) {
    uint64_t top = a->at[a->degree], factor = b->at[b->degree];
    for (int i = 0; i < a->degree; i++) {
      int k = i - (a->degree - b->degree);
      uint64_t taken = k < 0 ? 0 : top*b->at[k]%PRIME;
      a->at[i] = (a->at[i]*factor + PRIME - taken)%PRIME;
    }
  }
  while (a->degree >= 0 && !a->at[a->degree]) a->degree--;
}

static bool are_coprime(Image a, Image b)
{
  while (b.degree > 0) {
    Image rest = a;
    reduce(&rest, &b);
    a = b;
    b = rest;
  }
  return b.degree == 0; /* a number that is not zero */
}

/* Is p = a x + b with a and b that have no letter in a common divisor? */
static bool is_irreducible_by(const int64_t *poly, int64_t x)
{
  for (int64_t y = 0; y < poly[0]; y++) {
    int64_t degree_a, degree_b;
    if (y == x) continue;
    Image a = image_of(poly, x, 1, y, &degree_a), b = image_of(poly, x, 0, y, &degree_b);
    if (degree_a < 0 || degree_b < 0) return false;
    if (degree_a == 0 || degree_b == 0) continue; /* y is in one of them only */
    if (a.degree < degree_a || !are_coprime(a, b)) return false;
  }
  return poly[0] > 1;
}

static bool is_irreducible(const int64_t *poly)
{
  int64_t count = poly[0];
  for (int64_t x = 0; x < count; x++) {
    bool linear = true;
    for (int64_t i = 0; i < poly[1] && linear; i++) linear = poly[2 + i*(2 + count) + 2 + x] <= 1;
    if (linear) return is_irreducible_by(poly, x);
  }
  return false;
}

/* ---------------------------------------------------------------- what was factored before */

struct Factored {
  Factored *next;
  uint64_t hash;
  size_t size;
  const int64_t *poly, *factors; /* NULL: it could not be factored */
};

static const Factored *recall(const PfExprTable *table, uint64_t hash, const int64_t *poly, size_t size)
{
  const Factored *known = table->factored ? table->factored[hash%PF_FACTORED_LISTS] : NULL;
  while (known && (known->hash != hash || known->size != size || memcmp(known->poly, poly, size*sizeof *poly) != 0))
    known = known->next;
  return known;
}

static const int64_t *keep(PfExprTable *table, const int64_t *numbers, size_t count)
{
  int64_t *kept = pf_arena_array(table->names_arena, int64_t, count);
  if (kept && count) memcpy(kept, numbers, count*sizeof *kept);
  return kept;
}

/* NULL without memory. */
static const Factored *remember(PfExprTable *table, Factored known, const Numbers *factors)
{
  if (!table->factored) table->factored = pf_arena_array(table->names_arena, Factored *, PF_FACTORED_LISTS);
  Factored *kept = pf_arena_array(table->names_arena, Factored, 1);
  known.poly = keep(table, known.poly, known.size);
  if (factors) known.factors = keep(table, factors->list.at, factors->list.count);
  if (!table->factored || !kept || !known.poly || (factors && !known.factors)) return NULL;
  known.next = table->factored[known.hash%PF_FACTORED_LISTS];
  *kept = known;
  return table->factored[known.hash%PF_FACTORED_LISTS] = kept;
}

/* One factor, to the power 1. */
static bool put_itself(Numbers *numbers, const Factored *known)
{
  for (int i = 0; i < 4; i++) put(numbers, 1); /* the number 1, one factor, its power */
  for (size_t i = 0; i < known->size; i++) put(numbers, known->poly[i]);
  return true;
}

static const Factored *factor_anew(const PfFlint *flint, PfExprTable *table, Factored known)
{
  Numbers numbers = {.table = table};
  bool good = is_irreducible(known.poly) ? put_itself(&numbers, &known) : factor(flint, known.poly, &numbers);
  const Factored *kept = numbers.failed ? NULL : remember(table, known, good ? &numbers : NULL);
  pf_array_free(table->allocator, &numbers.list);
  return kept;
}

static bool write_factors(Letters *letters, const int64_t *next, const int *variables, Factors *factors)
{
  *factors = (Factors){.content = number_at(next)};
  next += 2;
  factors->count = (int)*next++;
  factors->bases = pf_arena_array(letters->arena, Poly, factors->count);
  factors->powers = pf_arena_array(letters->arena, int, factors->count);
  if (!factors->bases || !factors->powers || !pf_number_is_exact(factors->content)) return false;
  for (int i = 0; i < factors->count && !letters->failed; i++) {
    factors->powers[i] = (int)*next++;
    next = read_numbers(letters, next, variables, factors->bases + i);
  }
  return !letters->failed;
}

bool pf_poly_factor(Letters *letters, const Poly *poly, Factors *factors)
{
  PfExprTable *table = letters->table;
  int variables[MOST_VARIABLES + 1];
  if (poly->count > MOST_FACTORED || letters->factorings == 0) return false;
  int count = list_variables(poly, variables);
  if (!is_to_be_factored(poly, variables, count)) return false;
  const PfFlint *flint = pf_flint(table->ctx);
  if (!flint) return false;
  letters->factorings--;
  Factored wanted = {0};
  wanted.poly = list_numbers(letters, poly, variables, count, &wanted.size);
  if (!wanted.poly) return false;
  wanted.hash = pf_hash_bytes(wanted.poly, wanted.size*sizeof *wanted.poly, 0);
  const Factored *known = recall(table, wanted.hash, wanted.poly, wanted.size);
  if (!known) known = factor_anew(flint, table, wanted);
  return known && known->factors && write_factors(letters, known->factors, variables, factors);
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
