/* SPDX-License-Identifier: Apache-2.0 */
/* Rationals that do not fit 64 bits. Each is kept once, in the table, for as long as the table lives; so equal numbers
 * are the same number, and a Number is as short as before. */
#include "expr/big.h"
#include "expr/expr_impl.h"

#include <math.h>
#include <string.h>

struct Wide {
  double value; /* the nearest double */
  uint32_t hash;
  int num_count, den_count;
  uint32_t limbs[]; /* of the numerator, then of the denominator */
};

/* The nearest double. */
double pf_wide_value(const Wide *a)
{
  return a->value;
}

/* A hash of the value. */
uint32_t pf_wide_hash(const Wide *a)
{
  return a->hash;
}

/* ---------------------------------------------------------------- in and out of the table */

static void load(Big *to, const uint32_t *limbs, int count)
{
  to->count = count;
  memcpy(to->limb, limbs, (size_t)count*sizeof *limbs);
}

void pf_number_parts(Number a, Big *num, Big *den)
{
  if (pf_number_is_narrow(a)) {
    pf_big_set(num, (uint64_t)(a.num < 0 ? -a.num : a.num));
    pf_big_set(den, (uint64_t)a.den);
  } else {
    load(num, a.wide->limbs, a.wide->num_count);
    load(den, a.wide->limbs + a.wide->num_count, a.wide->den_count);
  }
}

static void insert(const Wide **wides, size_t room, const Wide *a)
{
  size_t slot = a->hash & (room - 1);
  while (wides[slot]) slot = (slot + 1) & (room - 1);
  wides[slot] = a;
}

static bool has_room(PfExprTable *table)
{
  if (2*table->wide_count < table->wide_room) return true;
  const PfAllocator *allocator = table->allocator;
  size_t room = table->wide_room ? 2*table->wide_room : 64;
  const Wide **wides = allocator->resize(allocator->user, NULL, room*sizeof *wides);
  if (!wides) return false;
  for (size_t i = 0; i < room; i++) wides[i] = NULL;
  for (size_t i = 0; i < table->wide_room; i++)
    if (table->wides[i]) insert(wides, room, table->wides[i]);
  allocator->resize(allocator->user, table->wides, 0);
  table->wides = wides;
  table->wide_room = room;
  return true;
}

/* The number num/den of the table: the one that is there, or a new one. NULL without memory. */
static const Wide *keep(PfExprTable *table, const Big *num, const Big *den)
{
  size_t above = (size_t)num->count*sizeof *num->limb, below = (size_t)den->count*sizeof *den->limb;
  uint32_t hash = (uint32_t)pf_hash_bytes(den->limb, below, pf_hash_bytes(num->limb, above, PF_OP_RATIONAL));
  const size_t mask = table->wide_room - 1;
  for (size_t slot = hash & mask; table->wide_room && table->wides[slot]; slot = (slot + 1) & mask) {
    const Wide *a = table->wides[slot];
    if (a->hash == hash && a->num_count == num->count && a->den_count == den->count &&
        !memcmp(a->limbs, num->limb, above) && !memcmp(a->limbs + num->count, den->limb, below))
      return a;
  }
  Wide *made = has_room(table) ? pf_arena_alloc(table->names_arena, 1, sizeof *made + above + below) : NULL;
  if (!made) return NULL;
  *made = (Wide){pf_big_ratio(num, den), hash, num->count, den->count};
  memcpy(made->limbs, num->limb, above);
  memcpy(made->limbs + num->count, den->limb, below);
  insert(table->wides, table->wide_room, made);
  table->wide_count++;
  return made;
}

static bool fits_narrow(const Big *a)
{
  return a->count < 2 || (a->count == 2 && a->limb[1] <= INT32_MAX);
}

static void cancel(Big *num, Big *den)
{
  Big common = *num, scratch = *den, remainder;
  if (den->count == 1 && den->limb[0] == 1) return;
  pf_big_gcd(&common, &scratch);
  if (common.count == 1 && common.limb[0] == 1) return;
  Big whole = *num;
  pf_big_divide(&whole, &common, num, &remainder);
  whole = *den;
  pf_big_divide(&whole, &common, den, &remainder);
}

/* sign*num/den in lowest terms, as a narrow, wide or double number, whatever it fits. num and den are overwritten. */
Number pf_number_ratio(PfExprTable *table, int sign, Big *num, Big *den)
{
  if (!num->count) return pf_number_int(0);
  cancel(num, den);
  if (fits_narrow(num) && fits_narrow(den))
    return (Number){.num = sign*(int64_t)pf_big_low(num), .den = (int64_t)pf_big_low(den)};
  if (pf_big_bits(num) > WIDE_BITS || pf_big_bits(den) > WIDE_BITS)
    return pf_number_double(sign*pf_big_ratio(num, den));
  const Wide *wide = keep(table, num, den);
  if (!wide) {
    (void)pf_expr_poison(table, PF_ERR_MEMORY, "no room for more expressions");
    return pf_number_double(sign*pf_big_ratio(num, den));
  }
  Number made = {.num = 0, .den = sign < 0 ? NUMBER_WIDE_NEGATIVE : NUMBER_WIDE};
  made.wide = wide;
  return made;
}

/* ---------------------------------------------------------------- arithmetic */

/* a + b of numbers of which at least one is wide. */
Number pf_wide_add(PfExprTable *table, Number a, Number b)
{
  Big num[2], den[2], part, sum;
  int sign = pf_number_sign(a), other = pf_number_sign(b);
  pf_number_parts(a, num, den);
  pf_number_parts(b, num + 1, den + 1);
  pf_big_multiply(num, den + 1, &sum);
  pf_big_multiply(num + 1, den, &part);
  if (sign == other) {
    pf_big_add(&sum, &part);
  } else if (pf_big_compare(&sum, &part) >= 0) {
    pf_big_subtract(&sum, &part);
  } else {
    pf_big_subtract(&part, &sum);
    sum = part;
    sign = other;
  }
  pf_big_multiply(den, den + 1, &part);
  return pf_number_ratio(table, sign, &sum, &part);
}

/* Common factors are cancelled crosswise before the multiplication, where the numbers are shorter. */
Number pf_wide_mul(PfExprTable *table, Number a, Number b)
{
  Big num[2], den[2], above, below;
  pf_number_parts(a, num, den);
  pf_number_parts(b, num + 1, den + 1);
  cancel(num, den + 1);
  cancel(num + 1, den);
  pf_big_multiply(num, num + 1, &above);
  pf_big_multiply(den, den + 1, &below);
  return pf_number_ratio(table, pf_number_sign(a)*pf_number_sign(b), &above, &below);
}

/* 1/a of a wide number. */
Number pf_wide_inverse(PfExprTable *table, Number a)
{
  Big num, den;
  pf_number_parts(a, &num, &den);
  return pf_number_ratio(table, pf_number_sign(a), &den, &num);
}

/* The greatest common divisor of two whole numbers. */
Number pf_wide_gcd(PfExprTable *table, Number a, Number b)
{
  Big num[2], den[2], common, lcm, share, remainder;
  pf_number_parts(a, num, den);
  pf_number_parts(b, num + 1, den + 1);
  common = den[0];
  lcm = den[1];
  pf_big_gcd(&common, &lcm);
  pf_big_divide(den, &common, &share, &remainder);
  pf_big_multiply(&share, den + 1, &lcm);
  pf_big_gcd(num, num + 1);
  return pf_number_ratio(table, 1, num, &lcm);
}

/* ---------------------------------------------------------------- other questions */

bool pf_number_is_whole(Number a)
{
  if (!pf_number_is_wide(a)) return pf_number_is_integer(a);
  return a.wide->den_count == 1 && a.wide->limbs[a.wide->num_count] == 1;
}

/* Takes squares of primes below 1000 and of the rest out of a; `root` is the root of the factor taken out. */
static void take_squares(Big *a, Big *root)
{
  Big whole, quotient, remainder, product;
  pf_big_set(root, 1);
  for (uint32_t p = 2; p < 1000; p++)
    while (pf_big_modulo_small(a, p*p) == 0) {
      (void)pf_big_divide_small(a, p*p);
      pf_big_scale(root, p, 0);
    }
  pf_big_root(a, &whole);
  pf_big_divide(a, &whole, &quotient, &remainder);
  if (remainder.count || pf_big_compare(&quotient, &whole) != 0) return;
  pf_big_multiply(root, &whole, &product);
  *root = product;
  pf_big_set(a, 1);
}

void pf_number_root(PfExprTable *table, Number a, Number *outside, Number *inside)
{
  Big num, den, whole, root, one;
  pf_number_parts(a, &num, &den);
  pf_big_multiply(&num, &den, &whole);
  take_squares(&whole, &root);
  pf_big_set(&one, 1);
  *outside = pf_number_ratio(table, 1, &root, &den);
  *inside = pf_number_ratio(table, 1, &whole, &one);
}

/* The remainder of a whole number, not negative, modulo a prime. */
uint32_t pf_number_modulo(Number whole, uint32_t prime)
{
  Big num, den;
  if (pf_number_is_narrow(whole)) {
    int64_t remainder = whole.num%(int64_t)prime;
    return (uint32_t)(remainder < 0 ? remainder + (int64_t)prime : remainder);
  }
  pf_number_parts(whole, &num, &den);
  uint32_t remainder = pf_big_modulo_small(&num, prime);
  return remainder && pf_number_sign(whole) < 0 ? prime - remainder : remainder;
}

int pf_number_digits(Number whole)
{
  int digits = 1;
  if (pf_number_is_narrow(whole)) {
    for (int64_t left = whole.num < 0 ? -whole.num : whole.num; left > 9; left /= 10) digits++;
    return digits;
  }
  Big num, den;
  pf_number_parts(whole, &num, &den);
  for (; num.count > 1; digits += 9) (void)pf_big_divide_small(&num, 1000000000);
  for (uint32_t left = num.count ? num.limb[0] : 0; left > 9; left /= 10) digits++;
  return digits;
}
