/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Small dense linear algebra of the runtime. Matrices are row-major. Factorisations work in arrays that their owner
 * provides, and leave the cause of a failure in their struct. */
#ifndef PF_RUNTIME_DENSE_H
#define PF_RUNTIME_DENSE_H

#include "pf_real.h"

/* ---------------------------------------------------------------- vectors (pf_vector.c) */

PF_RUNTIME pf_real pf_dot(const pf_real *x, const pf_real *y, int n);
/* A step of Gram and Schmidt: takes the part along a direction of length one out of x, and returns it. */
PF_RUNTIME pf_real pf_remove_part(pf_real *x, const pf_real *direction, int n);
/* Euclidean length without overflow or underflow on the way. */
PF_RUNTIME pf_real pf_norm(const pf_real *x, int n);
/* The largest magnitude; NaN are passed over. */
PF_RUNTIME pf_real pf_largest(const pf_real *x, int n);
/* The first index whose number is not finite, or -1. */
PF_RUNTIME int pf_first_not_finite(const pf_real *x, size_t count);
/* The power of two next to the largest magnitude: dividing by it is exact. 1 for a vector of zeros. */
PF_RUNTIME pf_real pf_binary_scale(const pf_real *x, size_t count);

/* The next `count` of an array of numbers or whole numbers; *from is moved on. */
PF_RUNTIME pf_real *pf_take_reals(pf_real **from, int count);
PF_RUNTIME int *pf_take_ints(int **from, int count);

/* Why a factorisation was refused, and where. */
typedef enum PfFault {
  PF_FAULT_NONE,
  PF_FAULT_NOT_FINITE, /* a number of the row `fault_row` is not finite */
  PF_FAULT_INDEFINITE  /* the pivot of the row `fault_row` came out negative */
} PfFault;

/* ---------------------------------------------------------------- symmetric systems (pf_ldl.c) */

/* P A P^T = L D L^T of a symmetric positive semidefinite A. */
typedef struct PfLdl {
  int n, rank;
  int *order;     /* order[k]: the row of A that became row k */
  pf_real *L;      /* n x n: unit lower triangle, D on the diagonal */
  pf_real margin;  /* smallest kept pivot over the diagonal element it started as */
  PfFault fault;  /* what is wrong with the factors */
  int fault_row;  /* and in which row of A */
  pf_real *start, *work; /* n each: the diagonal of A, and scratch */
} PfLdl;

/* One for n rows, in the next n^2 + 2 n numbers and n whole numbers. */
PF_RUNTIME PfLdl pf_ldl_place(int n, pf_real **reals, int **ints);

/* Factors A, of which only the lower triangle is read. A pivot that is at most tol of the diagonal element
 * it started as counts as zero (tol = 0 means 8 n PF_EPSILON), so the decision does not depend on units.
 * PF_FAULT_NONE also for rank < n; a fault, also in the struct with its row, when A is not finite or not
 * semidefinite. */
PF_RUNTIME PfFault pf_ldl_compute(PfLdl *ldl, const pf_real *A, pf_real tol);

/* A x = b; x may be b. When rank < n, the unknowns order[rank…] are set to zero. Returns the residual of the equations
 * left over, relative to their terms: about PF_EPSILON if they are consistent. */
PF_RUNTIME pf_real pf_ldl_solve(const PfLdl *ldl, const pf_real *b, pf_real *x);

/* Its two halves for full rank: y = L^-1 P b, and x = P^T L^-T D^-1 y, which changes y; x is not y. */
PF_RUNTIME void pf_ldl_forward(const PfLdl *ldl, const pf_real *b, pf_real *y);
PF_RUNTIME void pf_ldl_backward(const PfLdl *ldl, pf_real *y, pf_real *x);
/* L^-1 of several right sides at once, in place: row k of Y has the `count` numbers of the row order[k] of A. Same
 * numbers as one by one, sooner: they do not wait for each other. */
PF_RUNTIME void pf_ldl_forward_many(const PfLdl *ldl, pf_real *Y, int count);

/* ---------------------------------------------------------------- a mass matrix as a metric (pf_metric.c) */

/* Factors M (n x n, semidefinite) for the change of variables x = T y. The first metric->rank numbers of y have the
 * mass-weighted length of x as their plain length, the others are directions without inertia. */
PF_RUNTIME void pf_metric_factor(PfLdl *metric, const pf_real *M);
/* Rows for x (count x n) become rows for y: out = rows T. */
PF_RUNTIME void pf_metric_rows(const PfLdl *metric, const pf_real *rows, int count, pf_real *out);
/* x = T y; changes y. */
PF_RUNTIME void pf_metric_back(const PfLdl *metric, pf_real *y, pf_real *x);

/* ---------------------------------------------------------------- orthogonal factors (pf_qr.c) */

/* A P = Q [T 0; 0 0] Z: Householder QR with column pivoting, completed from the right. */
typedef struct PfQr {
  int m, n, rank;
  int *order;    /* order[k]: the column of A that became column k */
  pf_real *R;     /* m x n by columns: T, and the Householder vectors of Q (below) and of Z (right) */
  pf_real *left, *right; /* their factors, min(m, n) each */
  pf_real scale;  /* A was divided by this */
  pf_real margin; /* smallest over largest kept diagonal element of R */
  PfFault fault;
  int fault_row;
  pf_real *work;  /* m + n */
} PfQr;

/* One for m x n, in the next m n + 2 min(m, n) + m + n numbers and n whole numbers. */
PF_RUNTIME PfQr pf_qr_place(int m, int n, pf_real **reals, int **ints);

/* Factors A (m x n, unchanged). Columns of which less than tol times the largest is left are dependent;
 * tol = 0 means 8 max(m, n) PF_EPSILON. PF_FAULT_NOT_FINITE, with fault_row, when A is not finite. */
PF_RUNTIME PfFault pf_qr_compute(PfQr *qr, const pf_real *A, pf_real tol);
/* The same for an A that is given column by column. */
PF_RUNTIME PfFault pf_qr_compute_columns(PfQr *qr, const pf_real *A, pf_real tol);

/* The x (n) of least length among those that make |A x - b| least. Returns that least |A x - b|. */
PF_RUNTIME pf_real pf_qr_solve(PfQr *qr, const pf_real *b, pf_real *x);
/* The same for A^T x = b: x (m), b (n). They must not overlap. */
PF_RUNTIME pf_real pf_qr_solve_transposed(PfQr *qr, const pf_real *b, pf_real *x);

/* Orthonormal columns that span the null space of A, as an n x (n - rank) matrix. */
PF_RUNTIME void pf_qr_null_space(PfQr *qr, pf_real *N);
/* The same for A^T: m x (m - rank). */
PF_RUNTIME void pf_qr_null_space_transposed(PfQr *qr, pf_real *N);

/* ---------------------------------------------------------------- square systems (pf_lu.c) */

/* P A = L U in place (n x n); order (n) records the exchanges. Returns the sign of the determinant, 0 when A is
 * singular or not finite: then it is not to be used. */
PF_RUNTIME int pf_lu_factor(pf_real *A, int n, int *order);
/* A x = b in place: x holds b at first. */
PF_RUNTIME void pf_lu_solve(const pf_real *A, int n, const int *order, pf_real *x);

#endif
