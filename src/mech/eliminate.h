/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic elimination: A x = f solved for dependent unknowns. */
#ifndef PF_MECH_ELIMINATE_H
#define PF_MECH_ELIMINATE_H

#include "mech/mech_impl.h"

/* x1 = d - K x2, with x1 the unknowns column[0 … rank-1] and x2 the others. */
typedef struct PfElimination {
  int rank, *column;
  PfExpr *K, *d;  /* rank x (n - rank), rank */
  int unsolved;   /* a row that vanishes but for its right side: it asks for something else than unknowns; or -1 */
  int divisor_count;
  PfExpr *divisors; /* pivots that could vanish in some configuration */
  double *divisor_sizes; /* in a generic one */
} PfElimination;

/* Numbers for the symbols: the parameters of the model, and a configuration as good as any other where A is
 * finite. `start` holds those of the start, or is NULL. */
PfStatus pf_generic_values(PfContext *ctx, PfArena *scratch, const PfEquations *equations, const PfSymbols *symbols,
                           const double *start, double *values);

/* The numbers at the start, NULL when the model does not have them. */
PfStatus pf_start_values(PfContext *ctx, PfArena *arena, const PfEquations *equations, int count, double **start);

/* Eliminates A x = f (m rows of n as in the equations) by rows. A pivot that is a number or made of
 * parameters is preferred, since it cannot vanish; then one that does not vanish at the start of the model;
 * of these the one that is short and large at a generic configuration. It is listed as a divisor. Redundant
 * rows are left out. */
PfStatus pf_eliminate(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfExpr *A, const PfExpr *f,
                      PfElimination *elimination);

#endif
