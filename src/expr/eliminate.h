/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic elimination: A x = f solved for dependent unknowns. */
#ifndef PF_EXPR_ELIMINATE_H
#define PF_EXPR_ELIMINATE_H

#include "base/base.h"
#include "pfaff/expr.h"

/* Numbers by which vanishing expressions are recognised. */
typedef struct PfSamplePoint {
  int count, constants; /* the first symbols are constants: expressions of them alone do not vanish */
  const PfExpr *symbols;
  const double *generic; /* as good as any other, where A is finite */
  const double *start;   /* where pivots should not vanish either, or NULL */
  const bool *kept;      /* per unknown: it is not solved for; NULL: any may be */
  const double *unit;    /* per unknown: elements are compared with others of their row in these units; NULL: all 1 */
} PfSamplePoint;

/* x1 = d - K x2, with x1 the unknowns column[0 … rank-1] and x2 the others. */
typedef struct PfElimination {
  int rank, *column;
  int *row;         /* the first `rank` gave pivots, the others follow from them */
  PfExpr *K, *d;    /* rank x (n - rank), rank */
  PfExpr *residual; /* per row that follows: its final right side; 0 unless it contradicts */
  int unsolved;     /* a row with only a right side: it constrains something else than unknowns; or -1 */
  int divisor_count;
  PfExpr *divisors; /* pivots that could vanish in some configuration */
  double *divisor_sizes; /* in a generic one */
  PfExpr *A;          /* m x n: the rows after elimination */
  PfExpr determinant; /* of the block that was inverted, but for its sign */
} PfElimination;

/* Eliminates A x = f (m rows of n) by rows, the first `first` of them before the others. A pivot that is a number or
 * made of constants is preferred, since it cannot vanish; then one that does not vanish at the start; of these the one
 * that is short and large at a generic configuration. It is listed as a divisor. Redundant rows are left out. */
PfStatus pf_eliminate(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int m, int n, int first,
                      const PfExpr *A, const PfExpr *f, PfElimination *elimination);

/* Puts those rows that do not follow from others first, in their order: e->rank of them. */
void pf_elimination_keep_rows(const PfElimination *e, int n, PfExpr *A, PfExpr *f);

/* Eliminates as long as pivots are constant; the remainders of the other rows are in A and rest. */
PfStatus pf_eliminate_constants(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int m, int n,
                                const PfExpr *A, const PfExpr *f, PfElimination *elimination);

/* The determinant of n x n entries by rows, n at most PF_MOST_CRAMER; nothing is divided. */
enum { PF_MOST_CRAMER = 3 };
PfExpr pf_expr_determinant(PfContext *ctx, const PfExpr *entries, int n);

/* Solves the rows that gave pivots once more for the same unknowns, now dividing by nothing but constants and the
 * determinants of blocks (at most PF_MOST_CRAMER rows that determine as many unknowns): then the divisors are the
 * factors of the determinant of all these rows, and none that the choice of pivots has brought in. K, d, divisors and
 * the determinant of the elimination are replaced; larger blocks leave it as it is. A and f are those of
 * pf_eliminate. */
PfStatus pf_eliminate_by_determinants(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int n,
                                      const PfExpr *A, const PfExpr *f, PfElimination *elimination);

/* Is the expression made of numbers and constants only? */
bool pf_sample_is_constant(PfContext *ctx, const PfSamplePoint *sample, PfExpr e);

/* The value of an expression where the symbols of the sample have these values; NAN and *status where it cannot be
 * evaluated, else *status stays as it is. */
double pf_sample_value(PfContext *ctx, const PfSamplePoint *sample, PfExpr e, const double *values, PfStatus *status);

/* All solutions of A x = f, x = d + N u, with parameters u that are unknowns or combinations of them. */
typedef struct PfDirections {
  int count;
  int *column;         /* of each u: it is this unknown, or -1 */
  PfExpr *N, *d;       /* n x count, n */
  PfExpr *combination; /* count x n: u by the unknowns */
  int divisor_count;
  PfExpr *divisors;    /* where they vanish the rows of A are dependent, and N is not enough */
  double *divisor_sizes;
} PfDirections;

/* Finds solutions that divide by nothing that can vanish but for the rank of A: constant pivots first; rows that have
 * none are satisfied by moving along the direction in which r of them leave r + 1 unknowns; its components are minors.
 * -sin(a)*x + cos(a)*y = 0 has x = u*cos(a), y = u*sin(a). `found` is false when there are rows of another kind. */
PfStatus pf_directions_find(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int m, int n, const PfExpr *A,
                            const PfExpr *f, PfDirections *directions, bool *found);

#endif
