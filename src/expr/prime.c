/* SPDX-License-Identifier: Apache-2.0 */
/* Prime fields in which what holds for real numbers is carried over, and their unit circles. */
#include "expr/prime.h"

#include <stddef.h>

/* ---------------------------------------------------------------- the field */

/* a^n by squaring. */
uint64_t pf_field_power(const PfField *f, uint64_t a, uint64_t n)
{
  uint64_t result = f->one;
  for (; n > 1; n >>= 1) {
    if (n & 1) result = pf_field_multiply(f, result, a);
    a = pf_field_multiply(f, a, a);
  }
  return n ? pf_field_multiply(f, result, a) : result;
}

uint64_t pf_field_invert(const PfField *f, uint64_t a)
{
  return pf_field_power(f, a, f->p - 2);
}

static uint64_t enter(const PfField *f, uint64_t a)
{
  return pf_field_multiply(f, a%f->p, f->square);
}

uint64_t pf_field_enter(const PfField *f, int64_t a)
{
  return a < 0 ? pf_field_negate(f, enter(f, 0 - (uint64_t)a)) : enter(f, (uint64_t)a);
}

bool pf_field_is_square(const PfField *f, uint64_t a)
{
  return pf_field_power(f, a, (f->p - 1)/2) == f->one;
}

/* The root that is a square itself; p + 1 is a multiple of 4. */
static uint64_t square_root(const PfField *f, uint64_t a)
{
  return pf_field_power(f, a, (f->p + 1)/4);
}

/* Miller and Rabin; p - 1 is twice an odd number, and these bases decide up to 3e24. */
static bool is_prime(const PfField *f)
{
  static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};
  for (size_t i = 0; i < sizeof bases/sizeof *bases; i++) {
    uint64_t x = pf_field_power(f, enter(f, bases[i]), (f->p - 1)/2);
    if (x != f->one && x != pf_field_negate(f, f->one)) return false;
  }
  return true;
}

/* p = k*PF_CIRCLE_ORDER*29*31*37 - 1, near 2^61 for the first one. */
int pf_field_find(PfField *f, int number)
{
  for (int k = number; k > PF_FIRST_FIELD/2; k--) {
    uint64_t p = (uint64_t)k*(uint64_t)PF_CIRCLE_ORDER*29*31*37 - 1;
    f->p = p; /* Montgomery's reduction modulo p: -1/p, 2^64 and 2^128 modulo p */
    uint64_t inverse = p; /* correct to 3 bits; Newton doubles them */
    for (int i = 0; i < 5; i++) inverse *= 2 - p*inverse;
    f->reducer = 0 - inverse;
    f->one = (0 - p)%p;
    f->square = f->one;
    for (int i = 0; i < 64; i++) f->square = pf_field_add(f, f->square, f->square);
    if (is_prime(f)) return k;
  }
  return 0;
}

/* ---------------------------------------------------------------- the circle */

PfCirclePoint pf_circle_turn(const PfField *f, PfCirclePoint a, PfCirclePoint b)
{
  uint64_t cc = pf_field_multiply(f, a.c, b.c), ss = pf_field_multiply(f, a.s, b.s);
  uint64_t sc = pf_field_multiply(f, a.s, b.c), cs = pf_field_multiply(f, a.c, b.s);
  return (PfCirclePoint){pf_field_subtract(f, cc, ss), pf_field_add(f, sc, cs)};
}

/* The point at n times the angle, by doubling; n may be negative. */
PfCirclePoint pf_circle_repeat(const PfField *f, PfCirclePoint a, int64_t n)
{
  PfCirclePoint result = {f->one, 0};
  uint64_t count = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  if (n < 0) a.s = pf_field_negate(f, a.s);
  for (; count; count >>= 1) {
    if (count & 1) result = pf_circle_turn(f, result, a);
    a = pf_circle_turn(f, a, a);
  }
  return result;
}

PfCirclePoint pf_circle_point(const PfField *f, uint64_t t)
{
  uint64_t square = pf_field_multiply(f, t, t), scale = pf_field_invert(f, pf_field_add(f, f->one, square));
  return (PfCirclePoint){pf_field_multiply(f, pf_field_subtract(f, f->one, square), scale),
                         pf_field_multiply(f, pf_field_add(f, t, t), scale)};
}

static bool is_start(const PfField *f, PfCirclePoint a)
{
  return a.c == f->one && a.s == 0;
}

/* Some point of order q^k, for a prime q whose power divides p + 1. */
static PfCirclePoint point_of_order(const PfField *f, int64_t q, int64_t order)
{
  for (uint64_t t = 2;; t++) {
    uint64_t remainder = f->p + 1;
    while (remainder%(uint64_t)q == 0) remainder /= (uint64_t)q;
    PfCirclePoint a = pf_circle_repeat(f, pf_circle_point(f, enter(f, t)), (int64_t)remainder);
    if (is_start(f, a)) continue;
    PfCirclePoint next = pf_circle_repeat(f, a, order); /* the order may still be higher by powers of q */
    while (!is_start(f, next)) {
      a = pf_circle_repeat(f, a, q);
      next = pf_circle_repeat(f, next, q);
    }
    if (!is_start(f, pf_circle_repeat(f, a, order/q))) return a;
  }
}

static bool is_residue(int64_t a, int64_t q)
{
  for (int64_t x = 1; x < q; x++)
    if (x*x%q == a) return true;
  return false;
}

/* Gauss: sum_a (a/q) e^(2 pi i a/q) = sqrt(q) for q = 4n + 1 and i sqrt(q) for q = 4n + 3. Is `a` of order
 * q on the side of sqrt(q) that the field has chosen? */
static bool agrees_with_root(const PfField *f, PfCirclePoint a, int64_t q)
{
  PfCirclePoint sum = {0, 0}, at = a;
  for (int64_t n = 1; n < q; n++, at = pf_circle_turn(f, at, a)) {
    bool plus = is_residue(n, q);
    sum.c = plus ? pf_field_add(f, sum.c, at.c) : pf_field_subtract(f, sum.c, at.c);
    sum.s = plus ? pf_field_add(f, sum.s, at.s) : pf_field_subtract(f, sum.s, at.s);
  }
  return (q%4 == 1 ? sum.c : sum.s) == square_root(f, enter(f, (uint64_t)q));
}

/* e^(2 pi i/order) for an odd prime power. */
static PfCirclePoint odd_root(const PfField *f, int64_t q, int64_t order)
{
  PfCirclePoint a = point_of_order(f, q, order);
  if (agrees_with_root(f, pf_circle_repeat(f, a, order/q), q)) return a;
  int64_t n = 2; /* the first that is not a square modulo q */
  while (is_residue(n, q)) n++;
  return pf_circle_repeat(f, a, n);
}

/* e^(2 pi i/32): its 8th power is i, and 2 cos(pi/4) = sqrt(2). */
static PfCirclePoint even_root(const PfField *f)
{
  PfCirclePoint a = point_of_order(f, 2, 32);
  if (pf_circle_repeat(f, a, 8).s != f->one) a.s = pf_field_negate(f, a.s);
  uint64_t cosine = pf_circle_repeat(f, a, 4).c;
  return pf_field_add(f, cosine, cosine) == square_root(f, enter(f, 2)) ? a : pf_circle_repeat(f, a, 5);
}

/* From 1/order = sum_q x_q/q^k modulo 1. */
PfCirclePoint pf_circle_unity(const PfField *f)
{
  static const int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
  static const int64_t orders[] = {32, 9, 5, 7, 11, 13, 17, 19, 23};
  PfCirclePoint root = {f->one, 0};
  for (size_t i = 0; i < sizeof primes/sizeof *primes; i++) {
    int64_t remainder = PF_CIRCLE_ORDER/orders[i]%orders[i], x = 1;
    while (remainder*x%orders[i] != 1) x++;
    PfCirclePoint part = primes[i] == 2 ? even_root(f) : odd_root(f, primes[i], orders[i]);
    root = pf_circle_turn(f, root, pf_circle_repeat(f, part, x));
  }
  return root;
}
