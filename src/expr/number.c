/* SPDX-License-Identifier: Apache-2.0 */
/* Exact rationals in 64 bits that turn into doubles when they do not fit any more. */
#include "expr/expr_impl.h"

#include <limits.h>
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

/* Most numbers are small: they need none of the divisions. */
static bool is_small(int64_t a)
{
  return a == (int32_t)a;
}

static bool mul_fits(int64_t a, int64_t b, int64_t *product)
{
  if (is_small(a) && is_small(b)) {
    *product = a*b;
    return true;
  }
  if (a != 0 && (b > INT64_MAX/(a < 0 ? -a : a) || b < -(INT64_MAX/(a < 0 ? -a : a)))) return false;
  *product = a*b;
  return true;
}

Number pf_number_int(int64_t value)
{
  return (Number){true, value, 1, 0};
}

Number pf_number_rational(int64_t num, int64_t den)
{
  if (den == 1 && num != INT64_MIN) return pf_number_int(num);
  if (num == INT64_MIN || den == INT64_MIN || den == 0) return pf_number_double((double)num/(double)den);
  int64_t g = pf_gcd(num, den);
  if (den < 0) g = -g;
  return (Number){true, num/g, den/g, 0};
}

/* Small integers are exact again, so that there is one 1 only. */
Number pf_number_double(double value)
{
  if (fabs(value) < 9007199254740992.0 && value == floor(value)) return pf_number_int((int64_t)value);
  return (Number){false, 0, 1, value};
}

/* a/b rounded once: with more than 53 bits a and b are no doubles themselves. Bits of the quotient by long division,
 * and a last one for what is left over. */
static double nearest_quotient(uint64_t a, uint64_t b)
{
  const uint64_t exact = UINT64_C(1) << 53;
  if (b == 1 || (a <= exact && b <= exact)) return (double)a/(double)b;
  uint64_t quotient = a/b, rest = a%b;
  int shift = 0;
  for (; quotient >> 62 == 0; shift--) {
    rest *= 2;
    quotient = 2*quotient + (rest >= b);
    if (rest >= b) rest -= b;
  }
  return ldexp((double)(quotient | (rest != 0)), shift);
}

double pf_number_value(Number a)
{
  if (!a.exact) return a.value;
  double size = nearest_quotient((uint64_t)(a.num < 0 ? -a.num : a.num), (uint64_t)a.den);
  return a.num < 0 ? -size : size;
}

int pf_number_sign(Number a)
{
  return a.exact ? (a.num > 0) - (a.num < 0) : (a.value > 0) - (a.value < 0);
}

bool pf_number_is(Number a, int64_t value)
{
  return a.exact && a.den == 1 && a.num == value;
}

bool pf_number_is_integer(Number a)
{
  return a.exact && a.den == 1;
}

Number pf_number_add(Number a, Number b)
{
  if (a.exact && b.exact) {
    if (a.num == 0) return b;
    if (b.num == 0) return a;
    int64_t g = pf_gcd(a.den, b.den), left, right, num, den;
    if (mul_fits(a.num, b.den/g, &left) && mul_fits(b.num, a.den/g, &right) &&
        add_fits(left, right, &num) && mul_fits(a.den, b.den/g, &den))
      return pf_number_rational(num, den);
  }
  return pf_number_double(pf_number_value(a) + pf_number_value(b));
}

Number pf_number_mul(Number a, Number b)
{
  if ((a.exact && a.num == 0) || (b.exact && b.num == 0)) return pf_number_int(0);
  if (a.exact && b.exact) {
    int64_t g = b.den == 1 ? 1 : pf_gcd(a.num, b.den), h = a.den == 1 ? 1 : pf_gcd(b.num, a.den), num, den;
    if (mul_fits(a.num/g, b.num/h, &num) && mul_fits(a.den/h, b.den/g, &den))
      return (Number){true, num, den, 0};
  }
  return pf_number_double(pf_number_value(a)*pf_number_value(b));
}

Number pf_number_inverse(Number a)
{
  if (a.exact) return pf_number_rational(a.den, a.num);
  return pf_number_double(1/a.value);
}

Number pf_number_pow(Number a, int64_t exponent)
{
  if (exponent < 0) return pf_number_pow(pf_number_inverse(a), exponent == INT64_MIN ? INT64_MAX : -exponent);
  if (exponent > 4096) return pf_number_double(pow(pf_number_value(a), (double)exponent));
  Number result = pf_number_int(1);
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = pf_number_mul(result, a);
    if (exponent > 1) a = pf_number_mul(a, a);
  }
  return result;
}
