/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of natural numbers: the classical algorithms of Knuth, The Art of Computer Programming 2, section 4.3.1,
 * and Lehmer's greatest common divisor, section 4.5.2, algorithm L. */
#include "expr/big.h"

#include <math.h>
#include <string.h>

static void trim(Big *a)
{
  while (a->count && !a->limb[a->count - 1]) a->count--;
}

static int bits_of(uint32_t limb)
{
  int bits = 0;
  for (; limb; limb >>= 1) bits++;
  return bits;
}

static void copy(const Big *a, Big *to)
{
  to->count = a->count;
  memcpy(to->limb, a->limb, (size_t)a->count*sizeof *a->limb);
}

void pf_big_set(Big *a, uint64_t value)
{
  a->count = 2;
  a->limb[0] = (uint32_t)value;
  a->limb[1] = (uint32_t)(value >> 32);
  trim(a);
}

uint64_t pf_big_low(const Big *a)
{
  return (a->count > 0 ? a->limb[0] : 0) | (uint64_t)(a->count > 1 ? a->limb[1] : 0) << 32;
}

int pf_big_bits(const Big *a)
{
  return a->count ? 32*(a->count - 1) + bits_of(a->limb[a->count - 1]) : 0;
}

int pf_big_compare(const Big *a, const Big *b)
{
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int i = a->count; i-- > 0;)
    if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

void pf_big_add(Big *a, const Big *b)
{
  uint64_t carry = 0;
  for (int i = 0; i < b->count || carry; i++) {
    if (i == a->count) a->limb[a->count++] = 0;
    carry += (uint64_t)a->limb[i] + (i < b->count ? b->limb[i] : 0);
    a->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

void pf_big_subtract(Big *a, const Big *b)
{
  uint32_t borrow = 0;
  for (int i = 0; i < b->count || borrow; i++) {
    uint64_t taken = (uint64_t)(i < b->count ? b->limb[i] : 0) + borrow;
    borrow = a->limb[i] < taken;
    a->limb[i] = (uint32_t)(a->limb[i] - taken);
  }
  trim(a);
}

void pf_big_shift(Big *a, int bits)
{
  int limbs = bits/32, remainder = bits%32;
  if (!a->count || !bits) return;
  a->limb[a->count] = 0;
  for (int i = a->count; i >= 0; i--) {
    uint64_t pair = (uint64_t)a->limb[i] << 32 | (i ? a->limb[i - 1] : 0);
    a->limb[i + limbs] = (uint32_t)(pair >> (32 - remainder));
  }
  memset(a->limb, 0, (size_t)limbs*sizeof *a->limb);
  a->count += limbs + 1;
  trim(a);
}

void pf_big_scale(Big *a, uint32_t factor, uint32_t plus)
{
  uint64_t carry = plus;
  for (int i = 0; i < a->count; i++) {
    carry += (uint64_t)a->limb[i]*factor;
    a->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) a->limb[a->count++] = (uint32_t)carry;
}

uint32_t pf_big_divide_small(Big *a, uint32_t by)
{
  uint64_t remainder = 0;
  for (int i = a->count; i-- > 0;) {
    remainder = remainder << 32 | a->limb[i];
    a->limb[i] = (uint32_t)(remainder/by);
    remainder %= by;
  }
  trim(a);
  return (uint32_t)remainder;
}

uint32_t pf_big_modulo_small(const Big *a, uint32_t by)
{
  uint64_t remainder = 0;
  for (int i = a->count; i-- > 0;) remainder = (remainder << 32 | a->limb[i])%by;
  return (uint32_t)remainder;
}

void pf_big_multiply(const Big *a, const Big *b, Big *product)
{
  product->count = a->count + b->count;
  memset(product->limb, 0, (size_t)product->count*sizeof *product->limb);
  for (int i = 0; i < a->count; i++) {
    uint64_t carry = 0;
    for (int k = 0; k < b->count; k++) {
      carry += (uint64_t)a->limb[i]*b->limb[k] + product->limb[i + k];
      product->limb[i + k] = (uint32_t)carry;
      carry >>= 32;
    }
    product->limb[i + b->count] = (uint32_t)carry;
  }
  trim(product);
}

/* ---------------------------------------------------------------- division */

/* Takes q*v from the n + 1 limbs at u; true when that was once too often, and u has been made good again. */
static bool take_multiple(uint32_t *u, const uint32_t *v, int n, uint32_t q)
{
  uint64_t carry = 0;
  uint32_t borrow = 0;
  for (int i = 0; i <= n; i++) {
    carry += (uint64_t)q*(i < n ? v[i] : 0);
    uint64_t taken = (carry & 0xFFFFFFFFu) + borrow;
    borrow = u[i] < taken;
    u[i] = (uint32_t)(u[i] - taken);
    carry >>= 32;
  }
  if (!borrow) return false;
  for (int i = 0; i <= n; i++) {
    carry += (uint64_t)u[i] + (i < n ? v[i] : 0);
    u[i] = (uint32_t)carry;
    carry >>= 32;
  }
  return true;
}

/* Shifts by less than a limb: the n limbs of a to n + 1 limbs. */
static void shift_up(const uint32_t *a, int n, int bits, uint32_t *to)
{
  uint32_t carry = 0;
  for (int i = 0; i < n; i++) {
    to[i] = a[i] << bits | carry;
    carry = bits ? a[i] >> (32 - bits) : 0;
  }
  to[n] = carry;
}

void pf_big_divide(const Big *a, const Big *b, Big *quotient, Big *remainder)
{
  quotient->count = 0;
  copy(a, remainder);
  if (b->count == 0 || pf_big_compare(a, b) < 0) return;
  if (b->count == 1) {
    copy(a, quotient);
    pf_big_set(remainder, pf_big_divide_small(quotient, b->limb[0]));
    return;
  }
  uint32_t u[BIG_LIMBS + 1], v[BIG_LIMBS + 1];
  int n = b->count, shift = 32 - bits_of(b->limb[n - 1]);
  shift_up(a->limb, a->count, shift, u);
  shift_up(b->limb, n, shift, v);
  /* Algorithm D: v has its highest bit set, u has one limb more than the dividend. */
  int count = a->count + 1;
  quotient->count = count - n;
  for (int j = count - n - 1; j >= 0; j--) {
    /* One digit of the quotient, at most one too large: from two leading limbs of v and three of u. */
    const uint32_t *digits = u + j;
    uint64_t top = (uint64_t)digits[n] << 32 | digits[n - 1], q = top/v[n - 1], rest = top%v[n - 1];
    while (q >> 32 || q*v[n - 2] > (rest << 32 | digits[n - 2])) {
      q--;
      rest += v[n - 1];
      if (rest >> 32) break;
    }
    if (take_multiple(u + j, v, n, (uint32_t)q)) q--;
    quotient->limb[j] = (uint32_t)q;
  }
  trim(quotient);
  remainder->count = n;
  for (int i = 0; i < n; i++) remainder->limb[i] = shift ? u[i] >> shift | u[i + 1] << (32 - shift) : u[i];
  trim(remainder);
}

/* ---------------------------------------------------------------- greatest common divisor */

/* factor[0]*a + factor[1]*b, which is not negative; the factors have opposite signs, or one of them is 0. */
static void combine(const Big *a, const Big *b, const int64_t factor[2], Big *to)
{
  Big parts[2];
  for (int k = 0; k < 2; k++) {
    copy(k ? b : a, parts + k);
    pf_big_scale(parts + k, (uint32_t)(factor[k] < 0 ? -factor[k] : factor[k]), 0);
    trim(parts + k);
  }
  int minuend = factor[0] <= 0;
  copy(parts + minuend, to);
  pf_big_subtract(to, parts + !minuend);
}

/* The steps of Euclid that the leading bits are sure of, as one matrix with entries of 31 bits. */
static bool find_steps(uint64_t x, uint64_t y, int64_t m[2][2])
{
  const int64_t most = INT32_MAX;
  int64_t a = (int64_t)x, b = (int64_t)y, s[2][2] = {{1, 0}, {0, 1}};
  while (b + s[1][0] != 0 && b + s[1][1] != 0) {
    int64_t q = (a + s[0][0])/(b + s[1][0]);
    if (q != (a + s[0][1])/(b + s[1][1]) || q > most) break;
    int64_t next[2] = {s[0][0] - q*s[1][0], s[0][1] - q*s[1][1]};
    if (next[0] > most || next[0] < -most || next[1] > most || next[1] < -most) break;
    int64_t remainder = a - q*b;
    a = b, b = remainder;
    memcpy(s[0], s[1], sizeof s[0]);
    memcpy(s[1], next, sizeof next);
  }
  memcpy(m, s, sizeof s);
  return s[0][1] != 0;
}

/* One step of Lehmer's algorithm for the greatest common divisor: quotients are found from the leading bits as long as
 * these are certain, then applied to the whole numbers at once. Where they give none, one long division is done
 * instead. */
static void step(Big *a, Big *b)
{
  int64_t m[2][2];
  uint64_t x = 0, y = 0;
  Big first, second;
  if (pf_big_bits(a) > 64) {
    /* The 62 leading bits of a, and of b on the same scale. */
    int low = pf_big_bits(a) - 62, limb = low/32, shift = low%32;
    const Big *of[2] = {a, b};
    uint64_t *to[2] = {&x, &y};
    for (int k = 0; k < 2; k++) {
      uint64_t limbs[3];
      for (int i = 0; i < 3; i++) limbs[i] = limb + i < of[k]->count ? of[k]->limb[limb + i] : 0;
      *to[k] = (limbs[0] | limbs[1] << 32) >> shift | (shift ? limbs[2] << (64 - shift) : 0);
    }
    if (find_steps(x, y, m)) {
      combine(a, b, m[0], &first);
      combine(a, b, m[1], &second);
      copy(&first, a);
      copy(&second, b);
      return;
    }
  }
  pf_big_divide(a, b, &first, &second);
  copy(b, a);
  copy(&second, b);
}

void pf_big_gcd(Big *a, Big *b)
{
  if (pf_big_compare(a, b) < 0) {
    Big swap;
    copy(a, &swap);
    copy(b, a);
    copy(&swap, b);
  }
  while (b->count && a->count > 2) step(a, b);
  uint64_t x = pf_big_low(a), y = pf_big_low(b);
  while (y) {
    uint64_t remainder = x%y;
    x = y;
    y = remainder;
  }
  if (a->count <= 2) pf_big_set(a, x);
}

/* ---------------------------------------------------------------- roots and doubles */

/* Newton's iteration from above decreases until it arrives. */
void pf_big_root(const Big *a, Big *root)
{
  Big next, quotient, remainder;
  pf_big_set(root, 1);
  pf_big_shift(root, (pf_big_bits(a) + 1)/2);
  for (;;) {
    pf_big_divide(a, root, &quotient, &remainder);
    copy(&quotient, &next);
    pf_big_add(&next, root);
    (void)pf_big_divide_small(&next, 2);
    if (pf_big_compare(&next, root) >= 0) return;
    copy(&next, root);
  }
}

/* 63 or 64 bits of the quotient and one for the remainder are rounded once, to 53 bits or to the smallest double. */
double pf_big_ratio(const Big *a, const Big *b)
{
  Big above, below, quotient = {0}, remainder;
  if (!a->count) return 0;
  copy(a, &above);
  copy(b, &below);
  int exponent = pf_big_bits(a) - pf_big_bits(b) - 63;
  if (exponent < 0) pf_big_shift(&above, -exponent);
  else pf_big_shift(&below, exponent);
  pf_big_divide(&above, &below, &quotient, &remainder);
  uint64_t q = pf_big_low(&quotient);
  int unit = exponent + pf_big_bits(&quotient) - 53;
  if (unit < -1074) unit = -1074;
  int drop = unit - exponent;
  if (drop < 1 || drop > 64) return 0; /* below half of the smallest double; never less than 10 for b > 0 */
  uint64_t half = UINT64_C(1) << (drop - 1), low = drop == 64 ? q : q & (2*half - 1);
  uint64_t whole = drop == 64 ? 0 : q >> drop;
  whole += low > half || (low == half && (remainder.count || whole & 1));
  return ldexp((double)whole, unit);
}
