/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals as exact numbers: 0.016 is 2/125, wherever it was written, in the text of a model or on a command line; and
 * numbers as they are printed. */
#include "expr/big.h"
#include "expr/expr_impl.h"
#include "expr/print_impl.h"

#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- reading */

/* digits*10^exponent, without zeros at the end of the digits */
typedef struct Decimal {
  Big digits;
  int64_t exponent;
  bool fits;
} Decimal;

static void append(Decimal *d, uint32_t digit)
{
  if (pf_big_bits(&d->digits) > WIDE_BITS) d->fits = false;
  else if (d->digits.count) pf_big_scale(&d->digits, 10, digit);
  else pf_big_set(&d->digits, digit);
}

/* Reads digits, a point and an exponent as digits*10^exponent, where zeros at the end are left to the exponent; d->fits
 * is false when the digits or the exponent are too many. */
static void read_digits(const char *at, Decimal *d)
{
  bool point = false;
  *d = (Decimal){.fits = true};
  int64_t zeros = 0; /* that count once another digit follows */
  for (; *at && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    d->exponent -= point;
    zeros++;
    if (*at == '0') continue;
    for (; zeros > 1 && d->digits.count && d->fits; zeros--) append(d, 0);
    append(d, (uint32_t)(*at - '0'));
    zeros = 0;
  }
  d->exponent += zeros;
  if (!*at) return;
  long given = strtol(at + 1, NULL, 10);
  if (given > INT32_MAX || given < -INT32_MAX) d->fits = false;
  else d->exponent += given;
}

/* Exact as long as it is not longer than wide numbers are; else the nearest double. */
PfExpr pf_expr_decimal(PfContext *ctx, const char *text)
{
  enum { HIGHEST = 308 }; /* 10^308 has 1024 bits */
  const bool negative = *text == '-';
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return PF_EXPR_NONE;
  Decimal d;
  read_digits(text + negative, &d);
  if (!d.digits.count && d.fits) return pf_expr_int(ctx, 0);
  if (!d.fits || d.exponent > HIGHEST || d.exponent < -HIGHEST)
    return pf_expr_double(ctx, pf_read_double(text, NULL));
  Big den;
  pf_big_set(&den, 1);
  for (int64_t k = 0; k < d.exponent; k++) pf_big_scale(&d.digits, 10, 0);
  for (int64_t k = 0; k > d.exponent; k--) pf_big_scale(&den, 10, 0);
  return pf_intern_number(table, pf_number_ratio(table, negative ? -1 : 1, &d.digits, &den));
}

PfExpr pf_expr_shortest(PfContext *ctx, double value)
{
  char text[DOUBLE_TEXT];
  if (!isfinite(value)) return pf_expr_double(ctx, value);
  pf_double_text(value, text);
  return pf_expr_decimal(ctx, text);
}

/* ---------------------------------------------------------------- writing */

enum { MOST_WRITTEN = 64, NUMBER_DIGITS = 512 };

static void write_whole(Big *a, char *text)
{
  char digits[2*NUMBER_DIGITS];
  int count = 0;
  while (a->count) {
    uint32_t part = pf_big_divide_small(a, 1000000000);
    for (int k = 0; k < 9 && (a->count || part); k++, part /= 10) digits[count++] = (char)('0' + part%10);
  }
  for (int i = 0; i < count; i++) text[i] = digits[count - 1 - i];
  text[count] = 0;
}

static int take_factor(Big *a, uint32_t factor)
{
  int count = 0;
  for (; pf_big_modulo_small(a, factor) == 0; count++) (void)pf_big_divide_small(a, factor);
  return count;
}

/* A decimal that ends after MOST_WRITTEN digits at most. */
static bool write_decimal(Number value, char *text)
{
  char digits[NUMBER_DIGITS];
  Big num, den;
  pf_number_parts(value, &num, &den);
  /* num/den = digits*10^-places; no decimal when it has no end, or one that is far. */
  enum { FAR = 220 }; /* 2^220 has more digits than are written */
  int twos = take_factor(&den, 2), fives = take_factor(&den, 5);
  int places = twos > fives ? twos : fives;
  if (den.count != 1 || den.limb[0] != 1 || abs(twos - fives) > FAR) return false;
  for (int k = twos; k < places; k++) pf_big_scale(&num, 2, 0);
  for (int k = fives; k < places; k++) pf_big_scale(&num, 5, 0);
  write_whole(&num, digits);
  int all = (int)strlen(digits), count = all;
  while (count > 1 && digits[count - 1] == '0') count--;
  if (count > MOST_WRITTEN) return false;
  /* Few digits as %g writes them; more than 15, which would look like a double, without an exponent where that is not
   * too long. The first digit stands for so many times 10^high. */
  int high = all - 1 - places;
  enum { FEW = 15 };
  static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
  int length = high < 0 ? count - high : high < count ? count : high + 1;
  bool far = high < -4 || (high >= FEW && high >= count);
  if (far && (count <= FEW || length > MOST_WRITTEN)) {
    int shown = snprintf(text, NUMBER_TEXT, "%c%s%.*s", digits[0], count > 1 ? "." : "", count - 1, digits + 1);
    snprintf(text + shown, (size_t)(NUMBER_TEXT - shown), "e%c%02d", high < 0 ? '-' : '+', abs(high));
  } else if (high < 0) {
    snprintf(text, NUMBER_TEXT, "0.%.*s%.*s", -high - 1, zeros, count, digits);
  } else {
    int whole = high + 1 < count ? high + 1 : count;
    int shown = snprintf(text, NUMBER_TEXT, "%.*s%.*s", whole, digits, high + 1 - whole, zeros);
    if (count > whole) snprintf(text + shown, (size_t)(NUMBER_TEXT - shown), ".%.*s", count - whole, digits + whole);
  }
  return true;
}

/* Most numbers are of this kind, and are written again and again. */
static void write_narrow(int64_t value, char *text)
{
  char digits[NUMBER_TEXT];
  int count = 0;
  uint64_t left = (uint64_t)(value < 0 ? -value : value);
  do digits[count++] = (char)('0' + left%10);
  while (left /= 10);
  for (int i = 0; i < count; i++) text[i] = digits[count - 1 - i];
  text[count] = 0;
}

/* The absolute value as text, for all notations: above and, if it is a fraction, below the line. Numbers that are too
 * wide for both are rounded to a double. */
void pf_number_text(Number value, NumberText *text)
{
  text->above[0] = text->below[0] = 0;
  if (pf_number_is_narrow(value)) {
    write_narrow(value.num, text->above);
    if (value.den != 1) write_narrow(value.den, text->below);
    return;
  }
  if (pf_number_is_wide(value)) {
    if (write_decimal(value, text->above)) return;
    char above[NUMBER_DIGITS], below[NUMBER_DIGITS];
    Big num, den;
    pf_number_parts(value, &num, &den);
    write_whole(&num, above);
    write_whole(&den, below);
    if (strlen(above) + strlen(below) <= MOST_WRITTEN) {
      snprintf(text->above, NUMBER_TEXT, "%s", above);
      snprintf(text->below, NUMBER_TEXT, "%s", below);
      return;
    }
  }
  pf_double_text(fabs(pf_number_value(value)), text->above);
}

bool pf_number_is_fraction(Number value)
{
  NumberText text;
  if (!pf_number_is_wide(value)) return pf_number_is_narrow(value) && value.den != 1;
  pf_number_text(value, &text);
  return text.below[0] != 0;
}
