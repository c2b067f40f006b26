/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations by the state: symmetric linear equations solved in formulas, however many there are. */
#ifndef PF_MECH_SOLVED_H
#define PF_MECH_SOLVED_H

#include "expr/eliminate.h"
#include "mech/mech_impl.h"

/* X x = r with n unknowns; X is symmetric, and zero where two unknowns are not coupled. */
typedef struct PfSymmetric {
  PfContext *ctx;
  PfArena *arena;
  const PfSamplePoint *sample; /* where pivots are compared with zero */
  const PfExpr *X;
  int n;
  PfDerivation *named;         /* gets names for intermediate quantities; NULL: closed fractions or nothing */
  int divisor_count;           /* determinants and pivots that were divided by, if `divisors` (room for n) is there */
  PfExpr *divisors;
} PfSymmetric;

/* Unknowns that are coupled, directly or by others, are solved for together: up to three by Cramer's rule, where these
 * fractions stay short; otherwise X = L D L^T, as a sequence of quantities each made of the state and of names before
 * it. x is PF_EXPR_NONE, and *all false, where there is no solution: a block that is singular, or without names too
 * long. */
PfStatus pf_solve_symmetric(PfSymmetric *equations, const PfExpr *r, PfExpr *x, bool *all);

/* A name in the place of a formula that is too long to be written inside of others. */
PfStatus pf_name_if_long(PfContext *ctx, PfArena *arena, PfDerivation *derivation, PfExpr *e);

/* Writes right sides without accelerations: by the state where the result is short, else by a name for each
 * acceleration. Equations that are not solved for a single unknown stay as they are. */
PfStatus pf_solve_by_state(PfContext *ctx, PfArena *arena, PfDerivation *derivation);

/* Is the matrix of n x n positive definite at the generic values of the sample? */
PfStatus pf_is_definite(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, const PfExpr *M, int n, bool *yes);

/* Which matrices: those of the embedding, with those of its solution, or those of constraint forces. */
typedef enum PfPartitionMatrices {
  PF_MATRICES_EMBEDDED,
  PF_MATRICES_SOLVED,
  PF_MATRICES_OF_FORCES
} PfPartitionMatrices;

/* Adds them and the equations between them, for the partition of an elimination of A q'' = b
 * (partition_matrices.c). */
PfStatus pf_derive_partition_matrices(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                      const PfSamplePoint *sample, const PfElimination *elimination,
                                      PfPartitionMatrices which, PfDerivation *derivation);

#endif
