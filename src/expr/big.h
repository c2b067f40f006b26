/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the expression module: natural numbers of up to 2144 bits on the stack. A product of two wide numbers of 1024
 * bits, a sum of such products and a numerator shifted by 64 bits fit; callers keep within that. */
#ifndef PF_EXPR_BIG_H
#define PF_EXPR_BIG_H

#include <stdbool.h>
#include <stdint.h>

enum { BIG_LIMBS = 68 }; /* one more than a number may have */

typedef struct Big Big;
struct Big {
  int count;                /* of limbs; 0 for zero, the last one is not 0 */
  uint32_t limb[BIG_LIMBS]; /* lowest first */
};

void pf_big_set(Big *a, uint64_t value);
uint64_t pf_big_low(const Big *a); /* the lowest 64 bits */
int pf_big_bits(const Big *a);     /* the number of bits; 0 for a = 0 */
int pf_big_compare(const Big *a, const Big *b); /* the sign of a - b */
void pf_big_add(Big *a, const Big *b);      /* a += b */
void pf_big_subtract(Big *a, const Big *b); /* a -= b, which is not larger */
void pf_big_shift(Big *a, int bits);        /* a *= 2^bits */
void pf_big_scale(Big *a, uint32_t factor, uint32_t plus); /* a = a*factor + plus */
uint32_t pf_big_divide_small(Big *a, uint32_t by);         /* a /= by; returns the remainder */
uint32_t pf_big_modulo_small(const Big *a, uint32_t by);   /* the remainder of a/by */
void pf_big_multiply(const Big *a, const Big *b, Big *product); /* another one than a and b */
/* a = quotient*b + rest, with quotient 0 for b = 0; the results are others than a and b. */
void pf_big_divide(const Big *a, const Big *b, Big *quotient, Big *remainder);
/* The greatest common divisor, in a; b is overwritten. */
void pf_big_gcd(Big *a, Big *b);
/* The largest number whose square is not larger than a > 0. */
void pf_big_root(const Big *a, Big *root);
/* The double nearest to a/b, ties to even; infinite when that is too large. b > 0 has at most 2048 bits. */
double pf_big_ratio(const Big *a, const Big *b);

#endif
