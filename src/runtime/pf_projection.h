/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Projection onto constraints: Newton's method with steps of least length in the metric of the mass matrix. */
#ifndef PF_RUNTIME_PROJECTION_H
#define PF_RUNTIME_PROJECTION_H

#include "pf_dense.h"

/* Where a step is found. All arrays are the caller's, for at most m rows of n numbers. */
typedef struct PfProjection {
  int n;
  PfLdl *mass;           /* of M, as a metric */
  PfQr *qr;              /* m x n */
  PfQr *massless;        /* m x n: of the columns without inertia */
  pf_real *B, *columns;  /* m x n each: rows in the metric, and combined so that what has no inertia drops out */
  pf_real *Z, *combined; /* m x m, m */
  pf_real *y;            /* n */
  const pf_real *column; /* n: units of the coordinates, for decisions about rank; NULL: all 1 */
  const pf_real *typical;  /* of each row the size that it usually has, where some are redundant; else NULL */
} PfProjection;

/* Room in numbers and whole numbers, and its use; `mass` and `qr` (two) are the caller's. */
#define PF_PROJECTION_REALS(n, m) ((n)*(n) + 4*(n)*(m) + (m)*(m) + 9*(n) + 3*(m))
#define PF_PROJECTION_INTS(n, m) (3*(n))
PF_RUNTIME void pf_projection_place(PfProjection *p, int n, int m, PfLdl *mass, PfQr *qr, pf_real *reals, int *ints);

/* The change (n) of least mass-weighted length with slope (rows x n) times change = right. What has no inertia follows
 * from the rows and has no say in it. `unit` are the lengths in which the rows are measured, in the metric; 0: 1; NULL:
 * their own, as if rows that nearly vanish had their usual size. Redundant rows do no harm. Overwrites `right`. Costs
 * about n^3/6 + 2 rows^2 n operations. */
PF_RUNTIME void pf_projection_step(PfProjection *p, const pf_real *M, const pf_real *slope, int rows,
                                   const pf_real *unit, pf_real *right, pf_real *change);

/* The iteration: `residual` gives the largest residual at x, `step` the change of x from there, false when there is
 * none. */
typedef struct PfDescent {
  void *user;
  int n;
  pf_real *x, *change; /* n */
  pf_real (*residual)(void *user);
  bool (*step)(void *user);
} PfDescent;

/* Moves x until no residual is larger than `enough`, or until the largest does not halve any more, which is rounding
 * next to the constraints. Returns the number of steps. */
PF_RUNTIME int pf_descend(const PfDescent *descent, pf_real enough);

#endif
