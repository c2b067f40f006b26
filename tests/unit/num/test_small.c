/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values and eigenvalues by our own code: against LAPACK where it is there, and against what they are defined
 * by everywhere. Matrices of 1 to 60 rows: random, of low rank, with clusters, badly scaled, defective. */
#include "support.h"

#include "num/small.h"

#include <complex.h>

enum { MOST = 60, SIZES = 9 };

static const int sizes[SIZES] = {1, 2, 3, 4, 7, 12, 25, 40, MOST};

typedef struct Decomposition {
  double s[MOST], U[MOST*MOST], Vt[MOST*MOST];
} Decomposition;

static double uniform(uint64_t *seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/(double)(UINT64_C(1) << 52) - 1;
}

static void fill(double *A, int m, int n, uint64_t *seed)
{
  for (int i = 0; i < m*n; i++) A[i] = uniform(seed);
}

static void multiply(const double *A, const double *B, int m, int k, int n, double *out)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += A[i*k + l]*B[l*n + j];
      out[i*n + j] = sum;
    }
}

/* Elements of the size 1, as both want them. */
static void scale_to_one(double *A, int count)
{
  double scale = pf_binary_scale(A, (size_t)count);
  for (int i = 0; i < count; i++) A[i] /= scale;
}

/* ---------------------------------------------------------------- singular values */

static void random_rows(double *A, int m, int n, uint64_t *seed)
{
  fill(A, m, n, seed);
}

static void low_rank(double *A, int m, int n, uint64_t *seed)
{
  double B[MOST*MOST], C[MOST*MOST];
  int rank = (m < n ? m : n)/2;
  fill(B, m, rank, seed), fill(C, rank, n, seed);
  multiply(B, C, m, rank, n, A);
}

/* (M A^T; A 0) with constraints that are written twice: singular values that are rounding beside others of all
 * sizes. */
static void redundant_constraints(double *A, int m, int n, uint64_t *seed)
{
  const int masses = (m < n ? m : n)/2;
  memset(A, 0, (size_t)(m*n)*sizeof *A);
  for (int i = 0; i < masses; i++) A[i*n + i] = 1 + uniform(seed);
  for (int i = masses; i < m; i++)
    for (int j = 0; j < masses; j++) {
      A[i*n + j] = i%2 && i > masses ? A[(i - 1)*n + j]*0.7 : uniform(seed);
      if (i < n && j < m) A[j*n + i] = A[i*n + j];
    }
}

/* Rows of sizes from 1 to 1e-12. */
static void graded_rows(double *A, int m, int n, uint64_t *seed)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) A[i*n + j] = uniform(seed)*pow(10, -12.0*i/m);
}

/* All singular values but one are equal: the identity and a matrix of rank one. */
static void clustered_rows(double *A, int m, int n, uint64_t *seed)
{
  (void)seed;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) A[i*n + j] = (i == j) + 1e-3*(i + 1)*(j + 1);
}

static void no_numbers(double *A, int m, int n, uint64_t *seed)
{
  (void)seed;
  memset(A, 0, (size_t)(m*n)*sizeof *A);
}

static void is_orthonormal(const double *Q, int count, int length, int by_row, int along)
{
  for (int a = 0; a < count; a++)
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < length; i++) sum += Q[a*by_row + i*along]*Q[b*by_row + i*along];
      assert_near(sum, a == b, 0, 1e-13);
    }
}

static void gives_back(const double *A, int m, int n, const Decomposition *d)
{
  const int k = m < n ? m : n;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += d->U[i*k + l]*d->s[l]*d->Vt[l*n + j];
      assert_near(sum, A[i*n + j], 0, 1e-13*(1 + d->s[0]));
    }
  is_orthonormal(d->U, k, m, 1, k);
  is_orthonormal(d->Vt, k, n, n, 1);
}

static void against_lapack(Fixture *f, const double *A, int m, int n, const double *s)
{
#ifdef PF_HAVE_LAPACK
  double copy[MOST*MOST], other[MOST];
  memcpy(copy, A, (size_t)(m*n)*sizeof *copy);
  assert_int_equal(pf_lapack_svd(f->ctx, f->arena, copy, m, n, other, NULL, NULL), PF_OK);
  for (int i = 0; i < (m < n ? m : n); i++) assert_near(s[i], other[i], 0, 1e-13*other[0]);
#else
  (void)f, (void)A, (void)m, (void)n, (void)s;
#endif
}

static void decomposes(Fixture *f, void (*make)(double *A, int m, int n, uint64_t *seed))
{
  uint64_t seed = 7;
  double A[MOST*MOST], copy[MOST*MOST], s[MOST];
  Decomposition d;
  for (int a = 0; a < SIZES; a++)
    for (int b = 0; b < SIZES; b++) {
      const int m = sizes[a], n = sizes[b];
      const size_t bytes = (size_t)(m*n)*sizeof *A;
      make(A, m, n, &seed);
      scale_to_one(A, m*n);
      memcpy(copy, A, bytes);
      assert_int_equal(pf_small_svd(f->ctx, f->arena, copy, m, n, d.s, d.U, d.Vt), PF_OK);
      gives_back(A, m, n, &d);
      memcpy(copy, A, bytes);
      assert_int_equal(pf_small_svd(f->ctx, f->arena, copy, m, n, s, NULL, NULL), PF_OK);
      for (int i = 0; i < (m < n ? m : n); i++) assert_near(s[i], d.s[i], 0, 0);
      against_lapack(f, A, m, n, s);
    }
}

static void singular_values_of_random_matrices(void **state)
{
  decomposes(*state, random_rows);
}

static void singular_values_where_rows_depend_on_each_other(void **state)
{
  decomposes(*state, low_rank);
  decomposes(*state, redundant_constraints);
  decomposes(*state, no_numbers);
}

static void singular_values_that_are_equal_or_far_apart(void **state)
{
  decomposes(*state, clustered_rows);
  decomposes(*state, graded_rows);
}

/* Rows that are orthogonal have their own lengths as singular values, however small: 1, 1e-10, … to all digits. */
static void small_singular_values_keep_their_digits(void **state)
{
  Fixture *f = *state;
  const double lengths[] = {1, 1e-10, 1e-40, 1e-100};
  double A[16], s[4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) A[i*4 + j] = 0.5*lengths[i]*((i & j) == 1 || (i & j) == 2 ? -1 : 1); /* Hadamard */
  assert_int_equal(pf_small_svd(f->ctx, f->arena, A, 4, 4, s, NULL, NULL), PF_OK);
  for (int i = 0; i < 4; i++) assert_near(s[i], lengths[i], 1e-14, 0);
}

/* ---------------------------------------------------------------- eigenvalues */

typedef struct Eigen {
  double re[MOST], im[MOST], sense[MOST], vectors[MOST*MOST];
  PfSpectrum s;
} Eigen;

static void find(Fixture *f, PfStatus (*method)(PfContext *, PfArena *, double *, int, PfSpectrum *), const double *A,
                 int n, Eigen *e)
{
  double copy[MOST*MOST];
  memcpy(copy, A, (size_t)(n*n)*sizeof *copy);
  e->s = (PfSpectrum){.re = e->re, .im = e->im, .sense = e->sense, .vectors = e->vectors};
  assert_int_equal(method(f->ctx, f->arena, copy, n, &e->s), PF_OK);
}

static double complex value_of(const Eigen *e, int k)
{
  return e->re[k] + e->im[k]*I;
}

/* A x = value x with |x| = 1 and, of a pair, the one with im > 0 first. */
static void has_vectors(const double *A, int n, const Eigen *e)
{
  for (int k = 0; k < n; k++) {
    const double *x = e->vectors + k*n, *y = e->im[k] > 0 ? x + n : NULL;
    double length = 0;
    for (int i = 0; i < n; i++) {
      double complex sum = 0, own = x[i] + (y ? y[i] : 0)*I;
      for (int j = 0; j < n; j++) sum += A[i*n + j]*(x[j] + (y ? y[j] : 0)*I);
      assert_near(cabs(sum - value_of(e, k)*own), 0, 0, 1e-13*(1 + e->s.norm));
      length += creal(own*conj(own));
    }
    assert_near(length, 1, 1e-13, 0);
    if (!y) continue;
    assert_near(e->im[k + 1], -e->im[k], 0, 0);
    k++;
  }
}

#ifdef PF_HAVE_LAPACK

/* Alone: the vectors of equal ones are any basis, and so is their angle to each other. */
static bool is_simple(const Eigen *e, int n, int k)
{
  for (int l = 0; l < n; l++)
    if (l != k && cabs(value_of(e, k) - value_of(e, l)) < 1e-5*e->s.norm) return false;
  return true;
}

/* Every eigenvalue of one has its own partner in the other, nearer than the noise of the matrix moves it. */
static void are_the_same(const Eigen *a, const Eigen *b, int n)
{
  bool taken[MOST] = {false};
  for (int k = 0; k < n; k++) {
    int best = -1;
    for (int l = 0; l < n; l++)
      if (!taken[l] && (best < 0 || cabs(value_of(a, k) - value_of(b, l)) < cabs(value_of(a, k) - value_of(b, best))))
        best = l;
    taken[best] = true;
    double sense = fmax(fmin(a->sense[k], b->sense[best]), 1e-9);
    assert_near(cabs(value_of(a, k) - value_of(b, best)), 0, 0, 1e-13*(1 + b->s.norm)/sense);
    if (sense > 1e-3 && is_simple(b, n, best)) assert_near(a->sense[k], b->sense[best], 1e-8, 0);
  }
  assert_near(a->s.norm, b->s.norm, 1e-14, 0);
}

static void compare_with_lapack(Fixture *f, const double *A, int n, const Eigen *own)
{
  static Eigen other;
  find(f, pf_lapack_spectrum, A, n, &other);
  are_the_same(own, &other, n);
}

#else

static void compare_with_lapack(Fixture *f, const double *A, int n, const Eigen *own)
{
  (void)f, (void)A, (void)n, (void)own;
}

#endif

static void has_eigenvalues(Fixture *f, const double *A, int n)
{
  static Eigen own;
  find(f, pf_small_spectrum, A, n, &own);
  has_vectors(A, n, &own);
  compare_with_lapack(f, A, n, &own);
}

static void eigenvalues_of_random_matrices(void **state)
{
  uint64_t seed = 11;
  double A[MOST*MOST];
  for (int trial = 0; trial < 5; trial++)
    for (int a = 0; a < SIZES; a++) {
      fill(A, sizes[a], sizes[a], &seed);
      has_eigenvalues(*state, A, sizes[a]);
    }
}

/* Q diag Q^T with values near 1, 1e-4 apart and closer: normal, so that all of them are well determined. */
static void eigenvalues_in_clusters(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 13;
  double B[MOST*MOST], A[MOST*MOST];
  Decomposition d;
  for (int a = 1; a < SIZES; a++) {
    const int n = sizes[a];
    fill(B, n, n, &seed);
    assert_int_equal(pf_small_svd(f->ctx, f->arena, B, n, n, d.s, d.U, d.Vt), PF_OK);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) B[i*n + j] = d.Vt[i*n + j]*(1 + 1e-4*(i/3));
    double Q[MOST*MOST];
    for (int i = 0; i < n*n; i++) Q[i] = d.Vt[i%n*n + i/n];
    multiply(Q, B, n, n, n, A);
    has_eigenvalues(f, A, n);
  }
}

/* Rows and columns of very different sizes. */
static void eigenvalues_of_badly_scaled_matrices(void **state)
{
  uint64_t seed = 17;
  double A[MOST*MOST];
  for (int a = 0; a < SIZES; a++) {
    const int n = sizes[a];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i*n + j] = uniform(&seed)*pow(10, 6.0*(j - i)/n);
    scale_to_one(A, n*n);
    has_eigenvalues(*state, A, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i*n + j] = uniform(&seed)*pow(10, -10.0*(i + j)/n);
    has_eigenvalues(*state, A, n);
  }
}

/* What is triangular after renaming keeps its eigenvalues exactly: those of a cyclic coordinate are zero, not nearly
 * so. */
static void eigenvalues_that_stand_in_the_matrix_are_exact(void **state)
{
  Fixture *f = *state;
  const double A[] = {0.3, 0, 0.7, 0, 0.2, 0.1, 0.9, 0.4, 0, 0, 0.6, 0, 0.8, 0, -0.5, 0};
  const double wanted[] = {0.3, 0.1, 0.6, 0};
  Eigen e;
  find(f, pf_small_spectrum, A, 4, &e);
  for (int k = 0; k < 4; k++) {
    bool found = false;
    for (int l = 0; l < 4; l++) found |= e.re[l] == wanted[k] && e.im[l] == 0;
    assert_true(found);
  }
  has_eigenvalues(f, A, 4);
}

/* A Jordan block, a companion matrix with a fourfold root, a nilpotent matrix that is full. */
static void defective_matrices(void **state)
{
  Fixture *f = *state;
  double A[MOST*MOST];
  for (int a = 1; a < SIZES; a++) {
    const int n = sizes[a];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i*n + j] = i == j ? 0.5 : j == i + 1;
    has_eigenvalues(f, A, n);
  }
  const double companion[] = {4.0/6, -1, 4.0/6, -1.0/6, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  const double nilpotent[] = {0.5, 0.5, -0.5, -0.5};
  has_eigenvalues(f, companion, 4);
  has_eigenvalues(f, nilpotent, 2);
}

/* A rotation through a cycle of coordinates converges only with exceptional shifts: its eigenvalues are the roots of
 * 1. */
static void roots_of_unity(void **state)
{
  Fixture *f = *state;
  double A[MOST*MOST];
  for (int a = 0; a < SIZES; a++) {
    const int n = sizes[a];
    Eigen e;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i*n + j] = (i + 1)%n == j;
    has_eigenvalues(f, A, n);
    find(f, pf_small_spectrum, A, n, &e);
    for (int k = 0; k < n; k++) assert_near(cabs(cpow(value_of(&e, k), n) - 1), 0, 0, 1e-13*n);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(singular_values_of_random_matrices),
    with_fixture(singular_values_where_rows_depend_on_each_other),
    with_fixture(singular_values_that_are_equal_or_far_apart),
    with_fixture(small_singular_values_keep_their_digits),
    with_fixture(eigenvalues_of_random_matrices),
    with_fixture(eigenvalues_in_clusters),
    with_fixture(eigenvalues_of_badly_scaled_matrices),
    with_fixture(eigenvalues_that_stand_in_the_matrix_are_exact),
    with_fixture(defective_matrices),
    with_fixture(roots_of_unity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
