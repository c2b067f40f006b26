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

double pf_wide_value(const Wide *a)
{
  return a->value;
}

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

static bool is_same(const Wide *a, const Big *num, const Big *den)
{
  return a->num_count == num->count && a->den_count == den->count &&
         !memcmp(a->limbs, num->limb, (size_t)num->count*sizeof *num->limb) &&
         !memcmp(a->limbs + num->count, den->limb, (size_t)den->count*sizeof *den->limb);
}

static uint32_t hash_of(const Big *num, const Big *den)
{
  uint64_t hash = pf_hash_bytes(num->limb, (size_t)num->count*sizeof *num->limb, PF_OP_RATIONAL);
  return (uint32_t)pf_hash_bytes(den->limb, (size_t)den->count*sizeof *den->limb, hash);
}

static const Wide *find(const PfExprTable *table, uint32_t hash, const Big *num, const Big *den)
{
  const size_t mask = table->wide_room - 1;
  for (size_t slot = hash & mask; table->wide_room && table->wides[slot]; slot = (slot + 1) & mask)
    if (table->wides[slot]->hash == hash && is_same(table->wides[slot], num, den)) return table->wides[slot];
  return NULL;
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

/* NULL without memory. */
static const Wide *keep(PfExprTable *table, const Big *num, const Big *den)
{
  uint32_t hash = hash_of(num, den);
  const Wide *known = find(table, hash, num, den);
  if (known) return known;
  size_t limbs = (size_t)(num->count + den->count)*sizeof *num->limb;
  Wide *made = has_room(table) ? pf_arena_alloc(table->names_arena, 1, sizeof *made + limbs) : NULL;
  if (!made) return NULL;
  *made = (Wide){pf_big_ratio(num, den), hash, num->count, den->count};
  memcpy(made->limbs, num->limb, (size_t)num->count*sizeof *num->limb);
  memcpy(made->limbs + num->count, den->limb, (size_t)den->count*sizeof *den->limb);
  insert(table->wides, table->wide_room, made);
  table->wide_count++;
  return made;
}

static bool fits_narrow(const Big *a)
{
  return a->count < 2 || (a->count == 2 && a->limb[1] <= INT32_MAX);
}

static int64_t narrow(const Big *a)
{
  return (int64_t)((a->count > 0 ? a->limb[0] : 0) | (uint64_t)(a->count > 1 ? a->limb[1] : 0) << 32);
}

static void cancel(Big *num, Big *den)
{
  Big common = *num, scratch = *den, rest;
  if (den->count == 1 && den->limb[0] == 1) return;
  pf_big_gcd(&common, &scratch);
  if (common.count == 1 && common.limb[0] == 1) return;
  Big whole = *num;
  pf_big_divide(&whole, &common, num, &rest);
  whole = *den;
  pf_big_divide(&whole, &common, den, &rest);
}

Number pf_number_ratio(PfExprTable *table, int sign, Big *num, Big *den)
{
  if (!num->count) return pf_number_int(0);
  cancel(num, den);
  if (fits_narrow(num) && fits_narrow(den)) return (Number){.num = sign*narrow(num), .den = narrow(den)};
  if (pf_big_bits(num) > WIDE_BITS || pf_big_bits(den) > WIDE_BITS)
    return pf_number_double(sign*pf_big_ratio(num, den));
  const Wide *wide = keep(table, num, den);
  if (!wide) {
    (void)pf_expr_spoil(table, PF_ERR_MEMORY, "no room for more expressions");
    return pf_number_double(sign*pf_big_ratio(num, den));
  }
  Number made = {.num = 0, .den = sign < 0 ? NUMBER_WIDE_NEGATIVE : NUMBER_WIDE};
  made.wide = wide;
  return made;
}

/* ---------------------------------------------------------------- arithmetic */

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

/* What can be cancelled is cancelled across before, where the numbers are shorter. */
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

Number pf_wide_inverse(PfExprTable *table, Number a)
{
  Big num, den;
  pf_number_parts(a, &num, &den);
  return pf_number_ratio(table, pf_number_sign(a), &den, &num);
}

Number pf_wide_gcd(PfExprTable *table, Number a, Number b)
{
  Big num[2], den[2], common, lcm, share, rest;
  pf_number_parts(a, num, den);
  pf_number_parts(b, num + 1, den + 1);
  common = den[0];
  lcm = den[1];
  pf_big_gcd(&common, &lcm);
  pf_big_divide(den, &common, &share, &rest);
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

/* Takes squares of primes below 1000 and of the rest out of a; the root of what was taken. */
static void take_squares(Big *a, Big *root)
{
  Big whole, quotient, rest, product;
  pf_big_set(root, 1);
  for (uint32_t p = 2; p < 1000; p++)
    while (pf_big_modulo_small(a, p*p) == 0) {
      (void)pf_big_divide_small(a, p*p);
      pf_big_scale(root, p, 0);
    }
  pf_big_root(a, &whole);
  pf_big_divide(a, &whole, &quotient, &rest);
  if (rest.count || pf_big_compare(&quotient, &whole) != 0) return;
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

uint32_t pf_number_modulo(Number whole, uint32_t prime)
{
  Big num, den;
  if (pf_number_is_narrow(whole)) {
    int64_t rest = whole.num%(int64_t)prime;
    return (uint32_t)(rest < 0 ? rest + (int64_t)prime : rest);
  }
  pf_number_parts(whole, &num, &den);
  uint32_t rest = pf_big_modulo_small(&num, prime);
  return rest && pf_number_sign(whole) < 0 ? prime - rest : rest;
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
