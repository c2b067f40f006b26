/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals as exact numbers: 0.016 is 2/125, wherever it was written, in the text of a model or on a command line. */
#include "expr/expr_impl.h"
#include "expr/print_impl.h"

#include "base/plain.h"

#include <math.h>
#include <stdlib.h>

typedef struct Decimal {
  int64_t digits;
  int exponent;
  bool fits;
} Decimal;

static Decimal read_digits(const char *at)
{
  Decimal d = {.fits = true};
  bool point = false;
  for (; *at && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    if (d.digits > (INT64_MAX - 9)/10) d.fits = false;
    else d.digits = 10*d.digits + (*at - '0');
    d.exponent -= point;
  }
  if (*at) {
    long given = strtol(at + 1, NULL, 10);
    if (given > 400 || given < -400) d.fits = false;
    else d.exponent += (int)given;
  }
  for (; d.digits && d.exponent < 0 && d.digits%10 == 0; d.exponent++) d.digits /= 10;
  return d;
}

PfExpr pf_expr_decimal(PfContext *ctx, const char *text)
{
  const bool negative = *text == '-';
  Decimal d = read_digits(text + negative);
  int64_t power = 1;
  for (int k = 0; d.fits && k < abs(d.exponent); k++) {
    if (power > INT64_MAX/10) d.fits = false;
    else power *= 10;
  }
  if (d.fits && d.exponent > 0 && d.digits > INT64_MAX/power) d.fits = false;
  if (!d.fits) return pf_expr_double(ctx, pf_read_double(text, NULL));
  if (negative) d.digits = -d.digits;
  return d.exponent < 0 ? pf_expr_rational(ctx, d.digits, power) : pf_expr_int(ctx, d.digits*power);
}

PfExpr pf_expr_shortest(PfContext *ctx, double value)
{
  char text[DOUBLE_TEXT];
  if (!isfinite(value)) return pf_expr_double(ctx, value);
  pf_double_text(value, text);
  return pf_expr_decimal(ctx, text);
}
