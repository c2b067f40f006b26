/* SPDX-License-Identifier: Apache-2.0 */
/* Homogeneous linear equations for constants over a prime field, kept in reduced echelon form while they are added one
 * by one; and rational reconstruction of the constants. */
#include "study/relations.h"

#include <string.h>

/* All zeros: no column is a pivot yet. */
PfStatus pf_relations_make(PfContext *ctx, PfArena *arena, int unknowns, PfRelations *r)
{
  *r = (PfRelations){.unknowns = unknowns};
  r->rows = pf_arena_array(arena, uint64_t, (size_t)unknowns*(size_t)unknowns);
  r->taken = pf_arena_array(arena, bool, unknowns);
  return r->rows && r->taken ? PF_OK : pf_fail(ctx, PF_ERR_MEMORY, "no room for %d unknown constants", unknowns);
}

/* The equation that belongs to a pivot. */
static uint64_t *row_of(const PfRelations *r, int pivot)
{
  return r->rows + (size_t)pivot*(size_t)r->unknowns;
}

/* row -= factor*other, from a column on */
static void subtract(const PfField *f, uint64_t *row, uint64_t factor, const uint64_t *other, int from, int count)
{
  for (int j = from; j < count; j++)
    if (other[j]) row[j] = pf_field_subtract(f, row[j], pf_field_multiply(f, factor, other[j]));
}

/* Takes all known equations off the row, from the left; its first number that is left becomes a new pivot. */
bool pf_relations_add(PfRelations *r, uint64_t *row)
{
  const PfField *f = r->field;
  int n = r->unknowns, pivot = -1;
  for (int j = 0; j < n; j++) {
    if (!row[j]) continue;
    if (r->taken[j]) subtract(f, row, row[j], row_of(r, j), j, n);
    else if (pivot < 0) pivot = j;
  }
  if (pivot < 0) return false;
  uint64_t scale = pf_field_invert(f, row[pivot]);
  for (int j = pivot; j < n; j++) row[j] = pf_field_multiply(f, row[j], scale);
  memcpy(row_of(r, pivot), row, (size_t)n*sizeof *row);
  r->taken[pivot] = true;
  r->rank++;
  return true;
}

/* By back substitution from the last column, with one free unknown at a time. */
void pf_relations_solve(const PfRelations *r, uint64_t *solutions)
{
  const PfField *f = r->field;
  int n = r->unknowns;
  for (int free = 0; free < n; free++) {
    if (r->taken[free]) continue;
    memset(solutions, 0, (size_t)n*sizeof *solutions);
    solutions[free] = f->one;
    for (int j = n - 1; j >= 0; j--) { /* x_j = -sum of the terms right of the pivot */
      if (!r->taken[j]) continue;
      const uint64_t *row = row_of(r, j);
      for (int k = j + 1; k < n; k++)
        if (row[k] && solutions[k])
          solutions[j] = pf_field_subtract(f, solutions[j], pf_field_multiply(f, row[k], solutions[k]));
    }
    solutions += n;
  }
}

/* Euclid's algorithm on p and a, stopped where the remainder becomes small: remainder = t a mod p. */
bool pf_field_rational(const PfField *f, uint64_t a, int64_t *num, int64_t *den)
{
  const int64_t most = (int64_t)1 << 24;
  int64_t r0 = (int64_t)f->p, r1 = (int64_t)pf_field_multiply(f, a, 1), t0 = 0, t1 = 1; /* a*1/2^64: out of the form */
  while (r1 > most) {
    int64_t q = r0/r1, r = r0 - q*r1, t = t0 - q*t1;
    r0 = r1, r1 = r;
    t0 = t1, t1 = t;
  }
  *num = t1 < 0 ? -r1 : r1;
  *den = t1 < 0 ? -t1 : t1;
  return *den <= most && *den > 0;
}
