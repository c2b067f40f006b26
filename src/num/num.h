/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense linear algebra. Matrices are row-major doubles. What runs inside a step (factor, solve)
 * allocates nothing and records nothing: it works in room that a _make function took from an arena, and
 * leaves the cause of a failure in its struct, so that the caller can name the constraint or coordinate. */
#ifndef PF_SRC_NUM_H
#define PF_SRC_NUM_H

#include "base/base.h"
#include "num/tolerances.h"

#include <stdbool.h>

/* ---------------------------------------------------------------- vectors (vector.c) */

double pf_dot(const double *x, const double *y, int n);
/* A step of Gram and Schmidt: takes the part along a direction of length one out of x, and returns it. */
double pf_remove_part(double *x, const double *direction, int n);
/* Euclidean length without overflow or underflow on the way. */
double pf_norm(const double *x, int n);
/* The largest magnitude; NaN are passed over. */
double pf_largest(const double *x, int n);
/* For people: what is nothing but rounding beside numbers of the size `scale` is 0 (and never -0), the rest stays as it
 * is. Files keep every digit. */
double pf_without_noise(double value, double scale);
/* The first index whose number is not finite, or -1. */
int pf_first_not_finite(const double *x, size_t count);
/* The power of two next to the largest magnitude: dividing by it is exact. 1 for a vector of zeros. */
double pf_binary_scale(const double *x, size_t count);
/* Fails with PF_ERR_ARGUMENT for a negative size or more than INT_MAX elements. */
PfStatus pf_check_size(PfContext *ctx, int m, int n);

/* ---------------------------------------------------------------- units of columns (units.c) */

/* Sizes of the elements of a matrix. */
typedef struct PfSizes {
  int m, n;
  double *size;          /* m x n, overwritten */
  const bool *sure;      /* m x n: elements that are no rounding, however small they are; NULL: none is known */
  const double *inertia; /* n: roots of the masses, which tie columns that no row does; NULL: all 1 */
} PfSizes;

/* Units (n, powers of two) in which the columns of a matrix with elements of these sizes are alike: a change of the
 * units in which columns and rows are written changes the matrix times them by factors of rows only. True where they
 * differ by much. `work` has 2 n numbers. */
bool pf_column_units(const PfSizes *sizes, double *unit, double *work);
/* A (m x n) with each column multiplied by its unit. */
void pf_scale_columns(double *A, int m, int n, const double *unit);
/* Makes columns and rows of A alike by its own sizes, for decisions about rank in a generic state. `sure` as above. */
PfStatus pf_make_alike(PfContext *ctx, double *A, const bool *sure, int m, int n);

/* A (m x n) and the roots of the masses (n) at a state: coordinates, then velocities. False where it is not defined. */
typedef bool PfLook(void *user, const double *state, double *A, double *inertia);

/* Units of a constraint matrix, measured at a state and at others beside it: what vanishes there by chance has its
 * usual size. */
typedef struct PfUnits {
  int m, n;
  bool *sure;     /* m x n, as in PfSizes; more are found by the measurement */
  double *column; /* n: the units */
  double *row;    /* m: usual size of each row in them */
  double *spread; /* n: changes of the coordinates by this much change the matrix as a whole; 1 where that is so */
  double *scale;  /* m: sizes of residuals, by these changes; 1 where they are usual ones */
  bool far;       /* the units differ by much */
  double *size, *logarithm, *A, *first, *change, *inertia, *look_inertia, *state, *work;
} PfUnits;

/* How many numbers the scratch of a measurement has, and where it is; returns what comes behind it. */
size_t pf_units_room(int m, int n);
double *pf_units_place(PfUnits *units, double *room);
void pf_units_measure(PfUnits *units, const double *state, PfLook *look, void *user);
/* The usual sizes of the rows, after a change of the units. */
void pf_units_rows(PfUnits *units);
/* Do decisions about rank need these units at the state that was measured, or is everything clear without? */
bool pf_units_matter(PfUnits *units);

/* Why a factorisation was refused, and where. */
typedef enum PfFault {
  PF_FAULT_NONE,
  PF_FAULT_NOT_FINITE, /* a number of the row `fault_row` is not finite */
  PF_FAULT_INDEFINITE  /* the pivot of the row `fault_row` came out negative */
} PfFault;

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

/* Tells whether b (m) lies in the range of A (m x n). tol, and failures, as for pf_rows_sort. `size`: of solutions of
 * which b is the difference; where it is zero but for rounding, that is rounding beside these. */
PfStatus pf_rows_consistent(PfContext *ctx, const double *A, const double *b, int m, int n, double tol, double size,
                            PfConsistency *answer);

/* ---------------------------------------------------------------- symmetric systems (ldl.c) */

/* P A P^T = L D L^T of a symmetric positive semidefinite A. */
typedef struct PfLdl {
  int n, rank;
  int *order;     /* order[k]: the row of A that became row k */
  double *L;      /* n x n: unit lower triangle, D on the diagonal */
  double margin;  /* smallest kept pivot over the diagonal element it started as */
  PfFault fault;  /* what is wrong after PF_ERR_NUMBER */
  int fault_row;  /* and in which row of A */
  double *start, *work; /* n each: the diagonal of A, and scratch */
} PfLdl;

PfStatus pf_ldl_make(PfContext *ctx, PfArena *arena, int n, PfLdl *ldl);

/* Factors A, of which only the lower triangle is read. A pivot that is at most tol of the diagonal element
 * it started as counts as zero (tol = 0 means 8 n DBL_EPSILON), so the decision does not depend on units.
 * PF_OK also for rank < n; PF_ERR_NUMBER, with fault and fault_row, when A is not finite or not
 * semidefinite. */
PfStatus pf_ldl_factor(PfLdl *ldl, const double *A, double tol);

/* A x = b; x may be b. When rank < n, the unknowns order[rank…] are set to zero. Returns the residual of the equations
 * left over, relative to their terms: about DBL_EPSILON if they are consistent. */
double pf_ldl_solve(const PfLdl *ldl, const double *b, double *x);

/* Its two halves for full rank: y = L^-1 P b, and x = P^T L^-T D^-1 y, which changes y; x is not y. */
void pf_ldl_forward(const PfLdl *ldl, const double *b, double *y);
void pf_ldl_backward(const PfLdl *ldl, double *y, double *x);
/* L^-1 of several right sides at once, in place: row k of Y has the `count` numbers of the row order[k] of A. Same
 * numbers as one by one, sooner: they do not wait for each other. */
void pf_ldl_forward_many(const PfLdl *ldl, double *Y, int count);

/* ---------------------------------------------------------------- a mass matrix as a metric (metric.c) */

/* Factors M (n x n, semidefinite) for the change of variables x = T y. The first metric->rank numbers of y have the
 * mass-weighted length of x as their plain length, the others are directions without inertia. */
void pf_metric_factor(PfLdl *metric, const double *M);
/* Rows for x (count x n) become rows for y: out = rows T. */
void pf_metric_rows(const PfLdl *metric, const double *rows, int count, double *out);
/* x = T y; changes y. */
void pf_metric_back(const PfLdl *metric, double *y, double *x);

/* ---------------------------------------------------------------- orthogonal factors (qr.c) */

/* A P = Q [T 0; 0 0] Z: Householder QR with column pivoting, completed from the right. */
typedef struct PfQr {
  int m, n, rank;
  int *order;    /* order[k]: the column of A that became column k */
  double *R;     /* m x n by columns: T, and the Householder vectors of Q (below) and of Z (right) */
  double *left, *right; /* their factors, min(m, n) each */
  double scale;  /* A was divided by this */
  double margin; /* smallest over largest kept diagonal element of R */
  PfFault fault;
  int fault_row;
  double *work;  /* m + n */
} PfQr;

PfStatus pf_qr_make(PfContext *ctx, PfArena *arena, int m, int n, PfQr *qr);
/* The factors belong to the state of who uses them again later. False without memory. */
bool pf_qr_keep(PfArena *arena, PfKept *kept, PfQr *qr);

/* Factors A (m x n, unchanged). Columns of which less than tol times the largest is left are dependent;
 * tol = 0 means 8 max(m, n) DBL_EPSILON. PF_ERR_NUMBER, with fault_row, when A is not finite. */
PfStatus pf_qr_factor(PfQr *qr, const double *A, double tol);
/* The same for an A that is given column by column. */
PfStatus pf_qr_factor_columns(PfQr *qr, const double *A, double tol);

/* The x (n) of least length among those that make |A x - b| least. Returns that least |A x - b|. */
double pf_qr_solve(PfQr *qr, const double *b, double *x);
/* The same for A^T x = b: x (m), b (n). They must not overlap. */
double pf_qr_solve_transposed(PfQr *qr, const double *b, double *x);

/* Orthonormal columns that span the null space of A, as an n x (n - rank) matrix. */
void pf_qr_null_space(PfQr *qr, double *N);
/* The same for A^T: m x (m - rank). */
void pf_qr_null_space_transposed(PfQr *qr, double *N);

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

/* ---------------------------------------------------------------- square systems (lu.c) */

/* P A = L U in place (n x n); order (n) records the exchanges. Returns the sign of the determinant, 0 when A is
 * singular or not finite: then it is not to be used. */
int pf_lu_factor(double *A, int n, int *order);
/* A x = b in place: x holds b at first. */
void pf_lu_solve(const double *A, int n, const int *order, double *x);

/* ---------------------------------------------------------------- one variable (root.c) */

typedef PfStatus (*PfFunction)(void *user, double x, double *value);

/* A zero of f between a and b, where it has the values fa and fb of different signs; the last call of f is at it. Fails
 * with PF_ERR_NUMBER, saying nothing, without a change of sign or for a value that is no number, and as f does. */
PfStatus pf_root(PfFunction f, void *user, double a, double fa, double b, double fb, double *x);

/* Is x before the place that is looked for? `width`: of the interval in which it still may be. */
typedef bool (*PfBefore)(void *user, double x, double width);

/* Brings a and b as near to the place between them as `resolution`. */
void pf_bisect(PfBefore before, void *user, double *a, double *b, double resolution);

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
 * that cannot be told from zero are zero, eigenvalues that cannot be told from each other are equal (a double one that
 * rounding has split, for one). `noise` (n x n, or NULL) says what rounding may have changed in each element of A where
 * that is more than its last digits: terms may have cancelled in it.
 *
 * `vectors` (n x n, or NULL): the eigenvector k as column k, of length 1, its largest component real and positive; of a
 * pair, its real part as the first and its imaginary part as the second column. A multiple eigenvalue has a basis of
 * its space in echelon form, in the order of the components; where that is too small, its last vector is repeated.
 *
 * PF_ERR_NUMBER when A is not finite or the method does not converge. */
PfStatus pf_eig_general(PfContext *ctx, const double *A, const double *noise, int n, double *re, double *im,
                        double *vectors);

/* Scales by powers of two until rows and columns of A (n x n) are alike (Parlett and Reinsch 1969), so that what
 * is decided on it does not depend on units. scale[i]: what the component i was divided by. */
void pf_balance(double *A, int n, double *scale);

/* Gives x (n) the sign that its largest component is positive: the first of those that are equal but for rounding. */
void pf_orient(double *x, int n);

/* ---------------------------------------------------------------- equations in an order of priority (priority.c) */

/* A x = b, m x n. A row of which less than tol of its length is open after the sets before it counts as decided by
 * them. */
typedef struct PfRowSet {
  int m;
  const double *A, *b;
  double tol;
} PfRowSet;

/* The x (n) that meets every set as well as the sets before it allow (by least squares of rows of length one), and is
 * the shortest of those. PF_ERR_NUMBER when something is not finite, PF_ERR_MEMORY. */
PfStatus pf_priority_solve(PfContext *ctx, const PfRowSet *sets, int count, int n, double *x);

#endif
