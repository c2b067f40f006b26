/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense linear algebra. Matrices are row-major doubles. Functions that run inside a step (factor, solve) allocate
 * nothing and record nothing: they work in room that a _make function took from an arena, and leave the cause of a
 * failure in their struct, so that the caller can name the constraint or coordinate. */
#ifndef PF_SRC_NUM_H
#define PF_SRC_NUM_H

#include "base/base.h"
#include "num/tolerances.h"
#include "runtime/pf_dense.h"
#include "runtime/pf_priority.h"
#include "runtime/pf_units.h"

#include <stdbool.h>

/* ---------------------------------------------------------------- numbers (dense.c) */

/* For people: a value that is nothing but rounding compared with numbers of the size `scale` is 0 (and never -0),
 * others are unchanged. Files keep every digit. */
double pf_without_noise(double value, double scale);
/* Exchanges n numbers of x and y, each `stride` after the one before: rows of a matrix, or columns. */
void pf_exchange(double *x, double *y, int n, int stride);
/* Turns n pairs of numbers of x and y by an angle of cosine c and sine s: x' = c x - s y, y' = s x + c y. */
void pf_rotate(double *x, double *y, int n, int stride, double c, double s);
/* Fails with PF_ERR_ARGUMENT for a negative size or more than INT_MAX elements. */
PfStatus pf_check_size(PfContext *ctx, int m, int n);

/* ---------------------------------------------------------------- units of columns (units.c, runtime/pf_units.h) */

/* Makes columns and rows of A alike by its own sizes, for decisions about rank in a generic state. `sure` as above. */
PfStatus pf_make_alike(PfContext *ctx, double *A, const bool *sure, int m, int n);

/* ---------------------------------------------------------------- rows of a constraint matrix (rows.c) */

/* The rows of a constraint matrix, sorted into independent and redundant ones. */
typedef struct PfRows {
  int rank;      /* how many rows are independent */
  int *order;    /* all row numbers: the independent ones first, the strongest first */
  double margin; /* smallest part of a kept row that was new: how safe the decision is */
} PfRows;

/* Sorts the m rows of A (m x n, unchanged) by pivoted orthogonalisation. A row is redundant when at most
 * tol of its own length is left; tol = 0 means sqrt(DBL_EPSILON). The result lives in `arena`.
 *
 * Fails with PF_ERR_NUMBER if A holds a NaN or an infinity (the message names the row), with
 * PF_ERR_ARGUMENT for an impossible size, with PF_ERR_MEMORY. */
PfStatus pf_rows_sort(PfContext *ctx, PfArena *arena, const double *A, int m, int n, double tol,
                      PfRows *rows);

/* Whether A v = b has a solution. */
typedef struct PfConsistency {
  int rank;        /* of A */
  double residual; /* largest residual of a redundant row, relative to its terms; 0 without redundant rows */
  int row;         /* the row with the largest residual beyond the tolerance; -1 if none */
  int against;     /* the independent row it leans on most; -1 if it stands alone (a row of zeros) */
} PfConsistency;

/* Finds out whether b (m) lies in the range of A (m x n). tol, and failures, as for pf_rows_sort. `size`: of solutions
 * of which b is the difference; where it is zero but for rounding, that is rounding compared with these. */
PfStatus pf_rows_consistent(PfContext *ctx, const double *A, const double *b, int m, int n, double tol, double size,
                            PfConsistency *answer);

/* ---------------------------------------------------------------- factorisations (dense.c, runtime/pf_dense.h) */

PfStatus pf_ldl_make(PfContext *ctx, PfArena *arena, int n, PfLdl *ldl);
PfStatus pf_qr_make(PfContext *ctx, PfArena *arena, int m, int n, PfQr *qr);
/* The factors belong to the state of who uses them again later. False without memory. */
bool pf_qr_checkpoint(PfArena *arena, PfCheckpoint *checkpoint, PfQr *qr);

/* pf_ldl_compute, pf_qr_compute and pf_qr_compute_columns; PF_ERR_NUMBER where these have a fault. */
PfStatus pf_ldl_factor(PfLdl *ldl, const double *A, double tol);
PfStatus pf_qr_factor(PfQr *qr, const double *A, double tol);
PfStatus pf_qr_factor_columns(PfQr *qr, const double *A, double tol);

/* Units of a matrix that is factored: rows and columns are alike in them. */
typedef struct PfAlike {
  double *row, *column, *size;
  bool given;  /* the caller knows the units: row and column are not measured */
  bool scaled; /* else all are 1 */
} PfAlike;
PfStatus pf_alike_make(PfContext *ctx, PfArena *arena, int m, int n, PfAlike *alike);
/* pf_qr_factor of A (qr->m x qr->n, overwritten) in its units, and pf_qr_solve and pf_qr_solve_transposed with these
 * factors; b is overwritten. */
PfStatus pf_alike_factor(PfAlike *alike, PfQr *qr, double *A, double tol);
void pf_alike_solve(const PfAlike *alike, PfQr *qr, double *b, double *x);
void pf_alike_solve_transposed(const PfAlike *alike, PfQr *qr, double *b, double *x);

/* ---------------------------------------------------------------- eigenvalues (eig.c) */

/* Eigenvalues of a symmetric A (n x n, lower triangle read), ascending, by Jacobi's method. `vectors`
 * (n x n, eigenvectors as columns) may be NULL. `work` holds n x n numbers. PF_ERR_NUMBER when A is not
 * finite. */
PfStatus pf_eig_symmetric(const double *A, int n, double *values, double *vectors, double *work);

/* ---------------------------------------------------------------- singular values and eigenvalues (svd.c) */

/* A = U diag(s) V^T. s holds min(m, n) values, descending; U (m x min) and Vt (min x n) may both be NULL.
 * PF_ERR_NUMBER when A is not finite or the method does not converge. */
PfStatus pf_svd(PfContext *ctx, const double *A, int m, int n, double *s, double *U, double *Vt);

/* Eigenvalues and right vectors as LAPACK or our own code leaves them, in any order. */
typedef struct PfSpectrum {
  double *re, *im;  /* of a pair the one with im > 0 comes first */
  double *sense;    /* reciprocal condition of each: 1 for a normal matrix, near 0 where eigenvalues meet */
  double *vectors;  /* vector k at vectors[k*n]; of a pair, real part and imaginary part */
  double norm;      /* of the matrix */
} PfSpectrum;

PfStatus pf_spectrum_find(PfContext *ctx, PfArena *arena, const double *A, int n, PfSpectrum *spectrum);

/* ---------------------------------------------------------------- eigenvalues of any matrix (spectrum.c) */

/* Eigenvalues re + i im of A (n x n), the rightmost first, of those equally far right the one with the largest |im|
 * first; of a complex pair the one with im > 0 comes first, and its partner next. Nothing depends on rounding: parts
 * that cannot be distinguished from zero are zero, eigenvalues that cannot be distinguished from each other are equal
 * (a double one that rounding has split, for one). `noise` (n x n, or NULL) is the possible change of each element of A
 * by rounding where that is more than its last digits: terms may have cancelled in it.
 *
 * `vectors` (n x n, or NULL): the eigenvector k as column k, of length 1, its largest component real and positive; of a
 * pair, its real part as the first and its imaginary part as the second column. A multiple eigenvalue has a basis of
 * its space in echelon form, in the order of the components; where that is too small, its last vector is repeated.
 *
 * PF_ERR_NUMBER when A is not finite or the method does not converge. */
PfStatus pf_eig_general(PfContext *ctx, const double *A, const double *noise, int n, double *re, double *im,
                        double *vectors);

/* Scales by powers of two until rows and columns of A (n x n) are alike (Parlett and Reinsch 1969), so that decisions
 * based on it do not depend on units. scale[i]: the divisor of component i. */
void pf_balance(double *A, int n, double *scale);

/* Gives x (n) the sign that its largest component is positive: the first of those that are equal but for rounding. */
void pf_orient(double *x, int n);

#endif
