/* SPDX-License-Identifier: Apache-2.0 */
/* Exact rationals in 64 bits; wide.c goes on where they do not fit any more. */
#include "expr/expr_impl.h"

#include <math.h>

int64_t pf_gcd(int64_t a, int64_t b)
{
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y) {
    uint64_t r = x%y;
    x = y;
    y = r;
  }
  return x > INT64_MAX ? 1 : (int64_t)x;
}

static bool add_fits(int64_t a, int64_t b, int64_t *sum)
{
  if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < -INT64_MAX - b)) return false;
  *sum = a + b;
  return true;
}

static bool mul_fits(int64_t a, int64_t b, int64_t *product)
{
  bool small = a == (int32_t)a && b == (int32_t)b; /* most numbers are, and need no division */
  if (!small && a != 0 && (b > INT64_MAX/(a < 0 ? -a : a) || b < -(INT64_MAX/(a < 0 ? -a : a)))) return false;
  *product = a*b;
  return true;
}

/* num/den in lowest terms; den may be negative. A division by 0 gives a double that is not finite. */
Number pf_number_rational(PfExprTable *table, int64_t num, int64_t den)
{
  if (den == 1 && num != INT64_MIN) return pf_number_int(num);
  if (den == 0) return pf_number_double((double)num/(double)den);
  if (num == INT64_MIN) /* twice one half of it */
    return pf_number_mul(table, pf_number_int(2), pf_number_rational(table, num/2, den));
  if (den == INT64_MIN)
    return pf_number_mul(table, pf_number_rational(table, 1, 2), pf_number_rational(table, num, den/2));
  int64_t g = pf_gcd(num, den);
  if (den < 0) g = -g;
  return (Number){.num = num/g, .den = den/g};
}

/* Small integers are exact again, so that there is one 1 only. */
Number pf_number_double(double value)
{
  if (fabs(value) < 9007199254740992.0 && value == floor(value)) return pf_number_int((int64_t)value);
  return (Number){.value = value, .den = NUMBER_DOUBLE};
}

/* a/b rounded once: with more than 53 bits a and b are not doubles themselves. Bits of the quotient by long division,
 * and a last one for the remainder. */
static double nearest_quotient(uint64_t a, uint64_t b)
{
  const uint64_t exact = UINT64_C(1) << 53;
  if (b == 1 || (a <= exact && b <= exact)) return (double)a/(double)b;
  uint64_t quotient = a/b, remainder = a%b;
  int shift = 0;
  for (; quotient >> 62 == 0; shift--) {
    remainder *= 2;
    quotient = 2*quotient + (remainder >= b);
    if (remainder >= b) remainder -= b;
  }
  return ldexp((double)(quotient | (remainder != 0)), shift);
}

double pf_number_value(Number a)
{
  if (a.den == NUMBER_DOUBLE) return a.value;
  if (pf_number_is_wide(a)) return a.den == NUMBER_WIDE ? pf_wide_value(a.wide) : -pf_wide_value(a.wide);
  double size = nearest_quotient((uint64_t)(a.num < 0 ? -a.num : a.num), (uint64_t)a.den);
  return a.num < 0 ? -size : size;
}

int pf_number_sign(Number a)
{
  if (pf_number_is_narrow(a)) return (a.num > 0) - (a.num < 0);
  if (a.den == NUMBER_DOUBLE) return (a.value > 0) - (a.value < 0);
  return a.den == NUMBER_WIDE ? 1 : -1;
}

/* -a. */
Number pf_number_negative(Number a)
{
  if (pf_number_is_narrow(a)) a.num = -a.num;
  else if (a.den == NUMBER_DOUBLE) a.value = -a.value;
  else a.den = a.den == NUMBER_WIDE ? NUMBER_WIDE_NEGATIVE : NUMBER_WIDE;
  return a;
}

/* ---------------------------------------------------------------- arithmetic */

/* a + b: exact where both are, as long as the result has at most 1024 bits above and below; else the nearest double. */
Number pf_number_add(PfExprTable *table, Number a, Number b)
{
  if (pf_number_is(a, 0)) return b;
  if (pf_number_is(b, 0)) return a;
  int64_t whole;
  if (a.den == 1 && b.den == 1 && add_fits(a.num, b.num, &whole)) return pf_number_int(whole);
  if (pf_number_is_narrow(a) && pf_number_is_narrow(b)) {
    int64_t g = pf_gcd(a.den, b.den), left, right, num, den;
    if (mul_fits(a.num, b.den/g, &left) && mul_fits(b.num, a.den/g, &right) &&
        add_fits(left, right, &num) && mul_fits(a.den, b.den/g, &den))
      return pf_number_rational(table, num, den);
  }
  if (pf_number_is_exact(a) && pf_number_is_exact(b)) return pf_wide_add(table, a, b);
  return pf_number_double(pf_number_value(a) + pf_number_value(b));
}

/* a b, exact like a sum. */
Number pf_number_mul(PfExprTable *table, Number a, Number b)
{
  if (pf_number_is(a, 0) || pf_number_is(b, 0)) return pf_number_int(0);
  int64_t whole;
  if (a.den == 1 && b.den == 1 && mul_fits(a.num, b.num, &whole)) return pf_number_int(whole);
  if (pf_number_is_narrow(a) && pf_number_is_narrow(b)) {
    int64_t g = b.den == 1 ? 1 : pf_gcd(a.num, b.den), h = a.den == 1 ? 1 : pf_gcd(b.num, a.den), num, den;
    if (mul_fits(a.num/g, b.num/h, &num) && mul_fits(a.den/h, b.den/g, &den)) return (Number){.num = num, .den = den};
  }
  if (pf_number_is_exact(a) && pf_number_is_exact(b)) return pf_wide_mul(table, a, b);
  return pf_number_double(pf_number_value(a)*pf_number_value(b));
}

/* 1/a. */
Number pf_number_inverse(PfExprTable *table, Number a)
{
  if (pf_number_is_narrow(a)) return pf_number_rational(table, a.den, a.num);
  if (pf_number_is_wide(a)) return pf_wide_inverse(table, a);
  return pf_number_double(1/a.value);
}

/* a/b. */
Number pf_number_div(PfExprTable *table, Number a, Number b)
{
  if (pf_number_is(b, 1)) return a;
  if (a.den == 1 && b.den == 1 && b.num != 0 && a.num%b.num == 0) return pf_number_int(a.num/b.num);
  return pf_number_mul(table, a, pf_number_inverse(table, b));
}

/* A power that becomes too long is rounded once, not at every step. */
Number pf_number_pow(PfExprTable *table, Number a, int64_t exponent)
{
  if (exponent < 0) {
    Number inverse = pf_number_inverse(table, a);
    return pf_number_pow(table, inverse, exponent == INT64_MIN ? INT64_MAX : -exponent);
  }
  enum { HIGHEST = 4096 };
  if (exponent <= HIGHEST) {
    Number result = pf_number_int(1), square = a;
    for (int64_t n = exponent; n; n >>= 1) {
      if (n & 1) result = pf_number_mul(table, result, square);
      if (n > 1) square = pf_number_mul(table, square, square);
    }
    if (pf_number_is_exact(result) || !pf_number_is_exact(a)) return result;
  }
  return pf_number_double(pow(pf_number_value(a), (double)exponent));
}

Number pf_number_gcd(PfExprTable *table, Number a, Number b)
{
  if (pf_number_is_narrow(a) && pf_number_is_narrow(b)) {
    int64_t share = a.den == 1 ? 1 : a.den/pf_gcd(a.den, b.den), den;
    if (mul_fits(share, b.den, &den)) return (Number){.num = pf_gcd(a.num, b.num), .den = den};
  }
  return pf_wide_gcd(table, a, b);
}

int pf_number_compare(PfExprTable *table, Number a, Number b)
{
  if (pf_number_is_exact(a) && pf_number_is_exact(b))
    return pf_number_sign(pf_number_add(table, a, pf_number_negative(b)));
  double x = pf_number_value(a), y = pf_number_value(b);
  return (x > y) - (x < y);
}
