/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of polynomials in the generators of a plan, and ratios of them, shared by normal_ring.c, normal_ratio.c and
 * normal_write.c. A function that returns false has given up, as too large or too long. */
#ifndef PF_EXPR_NORMAL_RING_H
#define PF_EXPR_NORMAL_RING_H

#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include "expr/flint.h"

enum { MOST_DIVISORS = 64, HIGHEST_POWER = 1000000 };

/* num/(den * product of divisors^powers) */
struct Ratio {
  fmpz_mpoly_t num;
  fmpz_t den;
  int *powers; /* of the divisors of the ring that existed then */
  int power_count;
  Ratio *next; /* in a list of the ring */
};

struct Ring {
  const NormalPlan *plan;
  const PfFlint *flint;
  fmpz_mpoly_ctx_t of;
  fmpz_mpoly_struct *relations; /* per generator: the replacement of its power `degree` */
  bool *related;
  fmpz_mpoly_struct *basis;     /* relations between the entries of rotations; as many more as work space */
  fmpz_mpoly_struct **basis_list;
  int basis_count;
  fmpz_mpoly_struct *divisors;
  int divisor_count;
  Ratio *all, *spare; /* ratios in use, and those that can be used again */
  double given, work; /* whole and remaining budget, in products of terms */
  double held;        /* terms that may still be kept */
};

static inline double poly_size(const fmpz_mpoly_t a)
{
  return (double)a->length;
}

bool pf_ring_add(Ring *ring, fmpz_mpoly_t sum, const fmpz_mpoly_t a, const fmpz_mpoly_t b);
/* Entries of rotation matrices (normal_rotation.c): their relations, and the reduction of a by them. */
bool pf_ring_add_rotations(Ring *ring);
void pf_ring_free_rotations(Ring *ring);
bool pf_ring_reduce_rotations(Ring *ring, fmpz_mpoly_t a);
/* a *= base^n */
bool pf_ring_multiply_power(Ring *ring, fmpz_mpoly_t a, const fmpz_mpoly_t base, uint64_t n);
/* Takes the common factor of the numbers out of numerator and denominator. */
void pf_ratio_cancel_numbers(Ring *ring, Ratio *ratio);

#endif

#endif
