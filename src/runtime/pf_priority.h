/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Linear equations in an order of priority: the first are met as well as they can be, the next as well as the first
 * allow, and so on; of the remaining solutions the shortest is taken. */
#ifndef PF_RUNTIME_PRIORITY_H
#define PF_RUNTIME_PRIORITY_H

#include "pf_dense.h"

#ifndef PF_SINGLE

/* A x = b, m x n. A row of which less than tol of its length is open after the sets before it counts as decided by
 * them. */
typedef struct PfRowSet {
  int m;
  const double *A, *b;
  double tol;
} PfRowSet;

/* Room in numbers and whole numbers for n unknowns and sets of up to `rows` rows each. */
#define PF_PRIORITY_REALS(n, rows) (2*(n)*(rows) + 2*(rows) + 2*((n) < (rows) ? (n) : (rows)) + 3*(n)*(n) + 2*(n))
#define PF_PRIORITY_INTS(n, rows) (n)

/* The x (n) that meets every set as well as the sets before it allow (by least squares of rows of length one), and is
 * the shortest of those. False when something is not finite. Costs an orthogonal factorisation for each set. */
PF_RUNTIME bool pf_priority_solve(const PfRowSet *sets, int count, int n, double *reals, int *ints, double *x);

#endif

#endif
