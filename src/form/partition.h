/* A = [A1 A2]: dependent and independent coordinates. */
#ifndef PF_FORM_PARTITION_H
#define PF_FORM_PARTITION_H

#include "form/form_impl.h"

typedef struct PfPartition {
  int n, m, rank;
  int *row;      /* the first `rank` rows are independent */
  int *column;   /* the first `rank` columns are the dependent coordinates */
  double *unit;  /* rows are divided by this; chosen with the partition */
  double *K, *d; /* A1^-1 A2 (rank x (n - rank)) and A1^-1 b */
  double *LU, *W, *work;
  int *swap;
  bool chosen;
  int changes;   /* how often it was chosen anew */
} PfPartition;

PfStatus pf_partition_make(PfSolver *solver, PfPartition *partition);

/* Chooses rows and columns for A, whatever was chosen before. */
void pf_partition_choose(PfPartition *partition, const double *A);

/* K and d for these numbers; chooses anew when the block is ill-conditioned. False when that does not help. */
bool pf_partition_update(PfPartition *partition, const double *A, const double *b);

/* x <- A1^-T x (rank numbers) */
void pf_partition_solve_transposed(const PfPartition *partition, double *x);

#endif
