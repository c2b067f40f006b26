/* SPDX-License-Identifier: Apache-2.0 */
/* A double by the fewest digits that read back as the same number; of several such texts the one nearest to it. By
 * R. Giulietti, The Schubfach way to render doubles, 2020: the number and the ends of the interval that rounds to it,
 * times a power of ten of 128 bits, decide between two neighbours with whole numbers only. */
#include "base/base.h"
#include "base/power_of_ten.h"
#include "base/wide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRACTION_BITS = 52, BIAS = 1075 };

/* digits*10^exponent */
typedef struct Decimal {
  uint64_t digits;
  int exponent;
} Decimal;

static int log2_of_power(int e)
{
  return (e*1741647) >> 19;
}

/* The upper 64 bits of g*x, 128 bits times 64; the last one says whether anything was cut off. */
static uint64_t multiply_to_odd(PfPowerOfTen g, uint64_t x)
{
  uint64_t ignored, low, carry = pf_multiply_wide(g.low, x, &ignored), high = pf_multiply_wide(g.high, x, &low);
  low += carry;
  high += low < carry;
  return high | (low > 1);
}

/* Four times the number and both ends of its interval, times 10^-k; s and s + 1 are the candidates at this place, and
 * the tens around them at the next. */
static Decimal shortest(uint64_t c, int q, bool closer_below)
{
  /* floor(log10(2^e)), and of 3/4 of it; floor(log2(10^e)): exact for all exponents of doubles. */
  int k = ((q*1262611 - (closer_below ? 524031 : 0)) >> 22), h = q + log2_of_power(-k) + 1;
  PfPowerOfTen g = pf_power_of_ten(-k);
  bool even = c%2 == 0;
  uint64_t below = multiply_to_odd(g, (4*c - 2 + closer_below) << h) + !even;
  uint64_t here = multiply_to_odd(g, 4*c << h), above = multiply_to_odd(g, (4*c + 2) << h) - !even, s = here/4;
  if (s >= 10) {
    uint64_t tens = s/10;
    bool down = below <= 40*tens, up = 40*tens + 40 <= above;
    if (down != up) return (Decimal){tens + up, k + 1};
  }
  bool down = below <= 4*s, up = 4*s + 4 <= above;
  if (down != up) return (Decimal){s + up, k};
  uint64_t middle = 4*s + 2;
  return (Decimal){s + (here > middle || (here == middle && s%2)), k};
}

static Decimal decimal_of(uint64_t bits)
{
  uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
  int exponent = (int)(bits >> FRACTION_BITS & 0x7FF);
  if (exponent == 0) return shortest(fraction, 1 - BIAS, false);
  uint64_t c = fraction | (uint64_t)1 << FRACTION_BITS;
  int q = exponent - BIAS;
  if (q <= 0 && q > -FRACTION_BITS - 1 && !(c & (((uint64_t)1 << -q) - 1))) return (Decimal){c >> -q, 0}; /* whole */
  return shortest(c, q, fraction == 0 && exponent > 1);
}

/* ---------------------------------------------------------------- the text */

/* At most 17: mostly all of them are there. */
static int digit_count(uint64_t digits)
{
  int count = 17;
  for (uint64_t power = 10000000000000000; count > 1 && digits < power; power /= 10) count--;
  return count;
}

/* The last `count` of them, two at a time, backwards. */
static void put_last_digits(char *to, int count, uint32_t digits)
{
  static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  for (; count > 1; count -= 2, digits /= 100) memcpy(to + count - 2, pairs + 2*(digits%100), 2);
  if (count) *to = (char)('0' + digits%10);
}

/* e-07, e+20, e+300: as printf writes it. */
static char *put_exponent(char *to, int e)
{
  *to++ = 'e';
  *to++ = e < 0 ? '-' : '+';
  e = e < 0 ? -e : e;
  if (e >= 100) *to++ = (char)('0' + e/100);
  *to++ = (char)('0' + e/10%10);
  *to++ = (char)('0' + e%10);
  return to;
}

/* With an exponent where %.17g has one: below 1e-4 and from 1e17 on. */
static char *lay_out(char *to, const char *digits, int count, int point)
{
  enum { MOST_DIGITS = 17 };
  if (point < -3 || point > MOST_DIGITS) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    memcpy(to, digits + 1, (size_t)count - 1);
    return put_exponent(to + count - 1, point - 1);
  }
  if (point <= 0) {
    memcpy(to, "0.000", (size_t)(2 - point));
    memcpy(to + 2 - point, digits, (size_t)count);
    return to + 2 - point + count;
  }
  const int whole = count < point ? count : point;
  memcpy(to, digits, (size_t)whole);
  memset(to + whole, '0', (size_t)(point - whole));
  to += point;
  if (count <= point) return to;
  *to++ = '.';
  memcpy(to, digits + point, (size_t)(count - point));
  return to + count - point;
}

size_t pf_put_shortest(char *to, double x)
{
  uint64_t bits;
  char digits[24] = "", *const start = to;
  if (!isfinite(x)) return (size_t)snprintf(to, PF_LONGEST_NUMBER, "%g", x);
  memcpy(&bits, &x, sizeof bits);
  if (bits >> 63) *to++ = '-';
  bits &= ~((uint64_t)1 << 63);
  if (bits) {
    Decimal d = decimal_of(bits);
    for (; d.digits%10 == 0; d.digits /= 10) d.exponent++;
    /* In two halves that do not wait for each other. */
    enum { HALF = 8 };
    const uint64_t unit = 100000000;
    const int count = digit_count(d.digits), first = count > HALF ? count - HALF : 0;
    if (first) put_last_digits(digits, first, (uint32_t)(d.digits/unit));
    put_last_digits(digits + first, count - first, (uint32_t)(d.digits%unit));
    to = lay_out(to, digits, count, count + d.exponent);
  } else {
    *to++ = '0';
  }
  *to = 0;
  return (size_t)(to - start);
}

void pf_text_number(PfText *text, double x)
{
  char number[PF_LONGEST_NUMBER];
  pf_text_put(text, number, pf_put_shortest(number, x));
}
