/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in a prime field: no rounding, so every pivot that is not zero is a good one.
 *
 * Numbers are residues modulo a prime near 2^61 (expr/prime.h), so that a product takes some nanoseconds; matrices are
 * small, and no algorithm here needs to be faster than n^3. */
#include "form/exact.h"

#include <string.h>

/* C (p x q), C_ij = sum over k of A_il B_lj, with the elements A_il at A[i*down + l*across]. */
static void multiply(const PfField *f, const uint64_t *A, int down, int across, const uint64_t *B, int p, int k, int q,
                     uint64_t *C)
{
  for (int i = 0; i < p; i++)
    for (int j = 0; j < q; j++) {
      uint64_t sum = 0;
      for (int l = 0; l < k; l++)
        sum = pf_field_add(f, sum, pf_field_multiply(f, A[i*down + l*across], B[l*q + j]));
      C[i*q + j] = sum;
    }
}

/* n^3 products of residues. */
void pf_exact_product(const PfField *f, const uint64_t *A, const uint64_t *B, int p, int k, int q, uint64_t *C)
{
  multiply(f, A, k, 1, B, p, k, q, C);
}

/* A is stored as it is, not as its transpose. */
void pf_exact_transposed_product(const PfField *f, const uint64_t *A, const uint64_t *B, int p, int k, int q,
                                 uint64_t *C)
{
  multiply(f, A, 1, p, B, p, k, q, C);
}

/* T must not be A. */
void pf_exact_transpose(const uint64_t *A, int p, int q, uint64_t *T)
{
  for (int i = 0; i < p; i++)
    for (int j = 0; j < q; j++) T[j*p + i] = A[i*q + j];
}

/* Element by element, as vectors or matrices. */
void pf_exact_add(const PfField *f, const uint64_t *a, const uint64_t *b, int count, uint64_t *c)
{
  for (int i = 0; i < count; i++) c[i] = pf_field_add(f, a[i], b[i]);
}

/* Element by element, as vectors or matrices. */
void pf_exact_subtract(const PfField *f, const uint64_t *a, const uint64_t *b, int count, uint64_t *c)
{
  for (int i = 0; i < count; i++) c[i] = pf_field_subtract(f, a[i], b[i]);
}

/* True for no elements. */
bool pf_exact_is_zero(const uint64_t *a, int count)
{
  for (int i = 0; i < count; i++)
    if (a[i]) return false;
  return true;
}

/* ---------------------------------------------------------------- elimination */

/* Makes row `rank` the one with a 1 in the column, all others have 0 there. False when no row from `rank`
 * on has anything in it. */
static bool take_pivot(const PfField *f, uint64_t *W, int m, int width, int rank, int column)
{
  int row = rank;
  while (row < m && !W[row*width + column]) row++;
  if (row >= m) return false;
  uint64_t *top = W + (size_t)rank*(size_t)width;
  if (row != rank) {
    uint64_t *b = W + (size_t)row*(size_t)width;
    for (int j = 0; j < width; j++) {
      uint64_t t = top[j];
      top[j] = b[j];
      b[j] = t;
    }
  }
  const uint64_t inverse = pf_field_invert(f, top[column]);
  for (int j = 0; j < width; j++) top[j] = pf_field_multiply(f, top[j], inverse);
  for (int i = 0; i < m; i++) {
    uint64_t *other = W + (size_t)i*(size_t)width, factor = other[column];
    if (i == rank || !factor) continue;
    for (int j = 0; j < width; j++)
      other[j] = pf_field_subtract(f, other[j], pf_field_multiply(f, factor, top[j]));
  }
  return true;
}

/* The columns are those of the first `count` of the order; columns after them are carried along, as right sides. */
int pf_exact_reduce(const PfField *f, uint64_t *W, int m, int width, const int *order, int count, int *pivot)
{
  int rank = 0;
  for (int k = 0; k < count && rank < m; k++) {
    int column = order ? order[k] : k;
    if (take_pivot(f, W, m, width, rank, column)) pivot[rank++] = column;
  }
  return rank;
}

/* ---------------------------------------------------------------- systems of equations */

/* W = [A B], both with `rows` rows. */
static void put_beside(const uint64_t *A, int n, const uint64_t *B, int q, int rows, uint64_t *W)
{
  for (int i = 0; i < rows; i++, W += n + q) {
    memcpy(W, A + (size_t)i*(size_t)n, (size_t)n*sizeof *W);
    memcpy(W + n, B + (size_t)i*(size_t)q, (size_t)q*sizeof *W);
  }
}

/* A and B stay as they are; X gets n x q elements. */
bool pf_exact_solve(const PfField *f, const uint64_t *A, int n, const uint64_t *B, int q, uint64_t *work,
                    uint64_t *X)
{
  int width = n + q;
  put_beside(A, n, B, q, n, work);
  for (int k = 0; k < n; k++)
    if (!take_pivot(f, work, n, width, k, k)) return false;
  for (int i = 0; i < n; i++)
    memcpy(X + (size_t)i*(size_t)q, work + (size_t)i*(size_t)width + n, (size_t)q*sizeof *X);
  return true;
}

/* The pivots of A^T are the rows of A that do not follow from earlier ones. */
int pf_exact_independent_rows(const PfField *f, const uint64_t *A, int m, int n, uint64_t *work, int *rows)
{
  pf_exact_transpose(A, m, n, work);
  return pf_exact_reduce(f, work, n, m, NULL, m, rows);
}

/* The test of right sides comes first: a row of zeros with a right side that is not zero is a contradiction. */
int pf_exact_solutions(const PfField *f, const uint64_t *A, const uint64_t *b, int m, int n, const int *order,
                       uint64_t *work, int *pivot, uint64_t *N, uint64_t *a)
{
  put_beside(A, n, b, 1, m, work);
  int rank = pf_exact_reduce(f, work, m, n + 1, order, n, pivot);
  for (int i = rank; i < m; i++)
    if (work[i*(n + 1) + n]) return -1;
  /* Row k of the reduced matrix [K' | d] says x_pivot[k] = d_k - sum K'_kj x_j over the other unknowns j. */
  int free = n - rank, direction = 0;
  memset(N, 0, (size_t)n*(size_t)free*sizeof *N);
  memset(a, 0, (size_t)n*sizeof *a);
  for (int k = 0; k < rank; k++) a[pivot[k]] = work[k*(n + 1) + n];
  for (int j = 0; j < n; j++) {
    bool dependent = false;
    for (int k = 0; k < rank && !dependent; k++) dependent = pivot[k] == j;
    if (dependent) continue;
    N[j*free + direction] = f->one;
    for (int k = 0; k < rank; k++) N[pivot[k]*free + direction] = pf_field_negate(f, work[k*(n + 1) + j]);
    direction++;
  }
  return rank;
}
