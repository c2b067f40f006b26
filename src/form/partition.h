/* SPDX-License-Identifier: Apache-2.0 */
/* A = [A1 A2]: dependent and independent coordinates. */
#ifndef PF_FORM_PARTITION_H
#define PF_FORM_PARTITION_H

#include "form/form_impl.h"

/* A partition is kept as long as its quality is above this. */
#define PF_GOOD_PARTITION 1e-3

typedef struct PfPartition {
  int n, m, rank;
  PfSolver *solver; /* its rank tolerance and units of rows */
  int *row;       /* the first `rank` rows are independent */
  int *column;    /* the first `rank` columns are the dependent coordinates */
  double *weight; /* m: rows are multiplied by these powers of two; chosen with the partition */
  double *W;      /* m x (n + 1): first the factors of A1, then d = A1^-1 b, then K = A1^-1 A2 */
  double *inverse; /* rank: 1/pivot */
  double *T;      /* n x (n - rank + 1), in the order of column: F - M a, then M N; the last rows hold
                   * N^T of these up to the diagonal */
  double *work;   /* m */
  int *swap;
  double quality; /* of A1: smallest over largest pivot, and not above 1 over the largest element of K; they
                   * were moderate when the pivots were chosen as the largest elements */
  bool chosen;
  int changes;    /* how often it was chosen anew */
} PfPartition;

PfStatus pf_partition_make(PfSolver *solver, PfPartition *partition);

/* Chooses rows and columns for A, whatever was chosen before. */
void pf_partition_choose(PfPartition *partition, const double *A);

/* K and d for these numbers; chooses anew when the block is ill-conditioned, or rows that were redundant are
 * so no more. False when that does not help. */
bool pf_partition_update(PfPartition *partition, const double *A, const double *b);

/* N = [-K; 1] (n x (n - rank)) and a = (d, 0), in the order of the coordinates: A N = 0, A a = b. */
void pf_partition_directions(const PfPartition *partition, double *N, double *a);

/* Accelerations along these directions, after an update:
 *   q2'' = X^-1 (F2 - K^T F1 + (K^T M11 - M21) d),  X = N^T M N,   q1'' = d - K q2''
 * X is left in `reduced`, M N at the dependent coordinates in partition->T. */
PfTrouble pf_partition_move(PfSolver *solver, PfPartition *partition, PfReduced *reduced, double *acceleration,
                            int *row);

/* lambda = A1^-T (M11 q1'' + M12 q2'' - F1), for rank = m. */
void pf_partition_multipliers(PfSolver *solver, const PfPartition *partition, const PfMotion *motion);

#endif
