/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials in the entries of a rotation matrix, reduced by the relations between them.
 *
 * Rows a, b, g of a rotation satisfy a = b x g, b.b = 1, b.g = 0, g.g = 1. The list is the Groebner basis of these for
 * the lexicographic order a1 > a2 > … > g3: a function of g alone, whatever a and b it was written with, is reduced to
 * g alone. With rows in the order b, a, g the same list holds for b, -a, g. */
#include "expr/normal_ring.h"

#ifdef PF_HAVE_FLINT

/* A variable with its number is an entry; a square is written twice. */
static const char *const basis[] = {
  "+a1 -b2g3 +b3g2",
  "+a2 +b1g3 -b3g1",
  "+a3 -b1g2 +b2g1",
  "+b1b1 +b2b2 +b3b3 -",
  "+b1b2g2 +b1b3g3 -b2b2g1 -b3b3g1 +g1",
  "+b1b2g3g3 -b1b2 -b1b3g2g3 -b2b3g1g3 +b3b3g1g2 -g1g2",
  "+b1g1 +b2g2 +b3g3",
  "+b1g2g2 +b1g3g3 -b1 -b2g1g2 -b3g1g3",
  "+b2b2g3g3 -b2b2 -b2b3g2g3 -b2b3g2g3 +b3b3g2g2 -b3b3 -g2g2 -g3g3 +",
  "+g1g1 +g2g2 +g3g3 -",
};

enum { BASIS = sizeof basis/sizeof *basis };

/* One term, from its sign to the blank after it. */
static const char *add_term(Ring *ring, fmpz_mpoly_t sum, int first, const char *text)
{
  fmpz_mpoly_t term, factor;
  ring->flint->fmpz_mpoly_init(term, ring->of);
  ring->flint->fmpz_mpoly_init(factor, ring->of);
  ring->flint->fmpz_mpoly_set_si(term, *text == '-' ? -1 : 1, ring->of);
  for (text++; *text && *text != ' '; text += 2) {
    int row = text[0] == 'a' ? 0 : text[0] == 'b' ? 1 : 2, column = text[1] - '1';
    if (ring->plan->style.first_row && row == 1) ring->flint->fmpz_mpoly_neg(term, term, ring->of);
    ring->flint->fmpz_mpoly_gen(factor, first + 3*row + column, ring->of);
    ring->flint->fmpz_mpoly_mul(term, term, factor, ring->of);
  }
  ring->flint->fmpz_mpoly_add(sum, sum, term, ring->of);
  ring->flint->fmpz_mpoly_clear(factor, ring->of);
  ring->flint->fmpz_mpoly_clear(term, ring->of);
  return *text ? text + 1 : text;
}

bool pf_ring_add_rotations(Ring *ring)
{
  const NormalPlan *plan = ring->plan;
  size_t count = 2*(size_t)BASIS*(size_t)plan->rotation_count;
  ring->basis = pf_arena_array(plan->arena, fmpz_mpoly_struct, count);
  ring->basis_list = pf_arena_array(plan->arena, fmpz_mpoly_struct *, count);
  if (!ring->basis || !ring->basis_list) return false;
  for (int r = 0; r < plan->rotation_count; r++)
    for (int k = 0; k < BASIS; k++) {
      fmpz_mpoly_struct *p = ring->basis + ring->basis_count++;
      ring->flint->fmpz_mpoly_init(p, ring->of);
      for (const char *text = basis[k]; *text;) text = add_term(ring, p, plan->rotations[r], text);
    }
  for (int k = 0; k < ring->basis_count; k++)
    ring->flint->fmpz_mpoly_init(ring->basis + ring->basis_count + k, ring->of);
  for (int k = 0; k < 2*ring->basis_count; k++) ring->basis_list[k] = ring->basis + k;
  return true;
}

/* Frees the Groebner basis of the rotations. */
void pf_ring_free_rotations(Ring *ring)
{
  for (int k = 0; k < 2*ring->basis_count; k++) ring->flint->fmpz_mpoly_clear(ring->basis + k, ring->of);
}

static bool has_entries(const Ring *ring, const fmpz_mpoly_t a)
{
  for (int r = 0; r < ring->plan->rotation_count; r++)
    for (int k = 0; k < 9; k++)
      if (ring->flint->fmpz_mpoly_degree_si(a, ring->plan->rotations[r] + k, ring->of) > 0) return true;
  return false;
}

/* a modulo the relations between the entries of rotation matrices. */
bool pf_ring_reduce_rotations(Ring *ring, fmpz_mpoly_t a)
{
  enum { MOST_TERMS = 4000 };
  if (!ring->basis_count || !has_entries(ring, a)) return true;
  if (a->length > MOST_TERMS) return false;
  fmpz_mpoly_t remainder;
  ring->flint->fmpz_mpoly_init(remainder, ring->of);
  ring->flint->fmpz_mpoly_divrem_ideal(ring->basis_list + ring->basis_count, remainder, a, ring->basis_list,
                                       ring->basis_count, ring->of);
  ring->flint->fmpz_mpoly_swap(a, remainder, ring->of);
  ring->flint->fmpz_mpoly_clear(remainder, ring->of);
  return true;
}

#endif
