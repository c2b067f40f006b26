/* SPDX-License-Identifier: Apache-2.0 */
/* Inside study: homogeneous linear equations for unknown constants, gathered at random points of a prime field, and the
 * rational numbers that elements of the field represent. */
#ifndef PF_STUDY_RELATIONS_H
#define PF_STUDY_RELATIONS_H

#include "expr/prime.h"
#include "pfaff/base.h"

/* The equations so far, reduced: the row of a pivot has a 1 there, and zeros in front of it. */
typedef struct PfRelations {
  const PfField *field;
  int unknowns, rank;
  uint64_t *rows; /* unknowns x unknowns: row j belongs to the pivot j */
  bool *taken;    /* is column j a pivot? */
} PfRelations;

/* No equations yet: room for unknowns^2 elements in the arena. The caller sets `field`. */
PfStatus pf_relations_make(PfContext *ctx, PfArena *arena, int unknowns, PfRelations *relations);

/* Adds sum_j row[j]*x_j = 0; the row is changed. True when it does not follow from those before. */
bool pf_relations_add(PfRelations *relations, uint64_t *row);

/* Solutions that span all: as many as unknowns - rank, each with a 1 at one free unknown and zeros at the others;
 * `solutions` has a row for each. */
void pf_relations_solve(const PfRelations *relations, uint64_t *solutions);

/* The fraction with small numerator and denominator (at most 2^24 both) whose image this is: by Euclid's algorithm,
 * Wang, Guy, Davenport, SIGSAM Bulletin 16 (1982) 2-3. False when there is none. */
bool pf_field_rational(const PfField *field, uint64_t a, int64_t *num, int64_t *den);

#endif
