/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian elimination with partial pivoting: for square systems whose determinant matters, since its sign tells on
 * which side of a singularity one is. Golub & Van Loan, Matrix Computations, 4th ed., section 3.4. */
#include "num/num.h"

#include <math.h>

static void exchange_rows(double *A, int n, int i, int j)
{
  for (int k = 0; k < n; k++) {
    double t = A[(size_t)i*(size_t)n + (size_t)k];
    A[(size_t)i*(size_t)n + (size_t)k] = A[(size_t)j*(size_t)n + (size_t)k];
    A[(size_t)j*(size_t)n + (size_t)k] = t;
  }
}

int pf_lu_factor(double *A, int n, int *order)
{
  int sign = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[(size_t)i*(size_t)n + (size_t)k]) > fabs(A[(size_t)best*(size_t)n + (size_t)k])) best = i;
    order[k] = best;
    if (best != k) exchange_rows(A, n, k, best), sign = -sign;
    double pivot = A[(size_t)k*(size_t)n + (size_t)k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return 0;
    if (pivot < 0) sign = -sign;
    for (int i = k + 1; i < n; i++) {
      double *row = A + (size_t)i*(size_t)n, factor = row[k] /= pivot;
      const double *top = A + (size_t)k*(size_t)n;
      for (int j = k + 1; j < n && factor != 0; j++) row[j] -= factor*top[j];
    }
  }
  return sign;
}

void pf_lu_solve(const double *A, int n, const int *order, double *x)
{
  for (int k = 0; k < n; k++) {
    double t = x[order[k]];
    x[order[k]] = x[k];
    x[k] = t;
  }
  for (int i = 1; i < n; i++) x[i] -= pf_dot(A + (size_t)i*(size_t)n, x, i);
  for (int i = n - 1; i >= 0; i--) {
    const double *row = A + (size_t)i*(size_t)n;
    x[i] = (x[i] - pf_dot(row + i + 1, x + i + 1, n - i - 1))/row[i];
  }
}
