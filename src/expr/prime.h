/* SPDX-License-Identifier: Apache-2.0 */
/* Prime fields of about 2^61 elements, and the unit circle of each. Other modules may include this.
 *
 * - p + 1 is a multiple of every small prime, so all small primes are squares modulo p, -1 is not a square, and the
 *   squares play the part of the positive numbers: each has one root that is a square, and that root is
 *   multiplicative, as sqrt is.
 * - The unit circle c^2 + s^2 = 1 has p + 1 points and holds exact images of cos(pi/n), sin(pi/n) for n that
 *   divide p + 1. */
#ifndef PF_EXPR_PRIME_H
#define PF_EXPR_PRIME_H

#include "base/wide.h"

#include <stdbool.h>

/* Elements a are kept as a*2^64 mod p: Montgomery, Math. Comp. 44 (1985) 519-521. */
typedef struct PfField {
  uint64_t p;
  uint64_t reducer; /* -1/p modulo 2^64 */
  uint64_t one;     /* 2^64 mod p */
  uint64_t square;  /* 2^128 mod p: to enter the form */
} PfField;

/* ---------------------------------------------------------------- arithmetic */

static inline uint64_t pf_field_add(const PfField *f, uint64_t a, uint64_t b)
{
  uint64_t sum = a + b; /* p has 61 bits */
  return sum >= f->p ? sum - f->p : sum;
}

static inline uint64_t pf_field_negate(const PfField *f, uint64_t a)
{
  return a ? f->p - a : 0;
}

static inline uint64_t pf_field_subtract(const PfField *f, uint64_t a, uint64_t b)
{
  return pf_field_add(f, a, pf_field_negate(f, b));
}

static inline uint64_t pf_field_multiply(const PfField *f, uint64_t a, uint64_t b)
{
  uint64_t low, ignored;
  uint64_t high = pf_multiply_wide(a, b, &low);
  uint64_t sum = high + pf_multiply_wide(low*f->reducer, f->p, &ignored) + (low != 0);
  return sum >= f->p ? sum - f->p : sum;
}

uint64_t pf_field_power(const PfField *f, uint64_t a, uint64_t exponent);
uint64_t pf_field_invert(const PfField *f, uint64_t a); /* 0 for 0 */
uint64_t pf_field_enter(const PfField *f, int64_t a);
bool pf_field_is_square(const PfField *f, uint64_t a);  /* not for 0 */

/* Fields are numbered downwards from PF_FIRST_FIELD, with gaps; all have more than 2^60 elements. The next
 * one at or below the number; 0 when there is none left. */
enum { PF_FIRST_FIELD = 6472 };
int pf_field_find(PfField *f, int number);

/* ---------------------------------------------------------------- the circle */

typedef struct PfCirclePoint {
  uint64_t c, s;
} PfCirclePoint;

/* Divides p + 1: the circle holds the regular polygons with that many corners. */
#define PF_CIRCLE_ORDER ((int64_t)32*9*5*7*11*13*17*19*23)

/* The angles of two points added; n times the angle. */
PfCirclePoint pf_circle_turn(const PfField *f, PfCirclePoint a, PfCirclePoint b);
PfCirclePoint pf_circle_repeat(const PfField *f, PfCirclePoint a, int64_t n);
/* ((1 - t^2)/(1 + t^2), 2t/(1 + t^2)); -1 is not a square. */
PfCirclePoint pf_circle_point(const PfField *f, uint64_t t);
/* e^(2 pi i/PF_CIRCLE_ORDER), on the side of the square roots that the field has chosen. */
PfCirclePoint pf_circle_unity(const PfField *f);

#endif
