/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Gaussian elimination with partial pivoting: for square systems whose determinant matters, since its sign tells on
 * which side of a singularity one is. Golub & Van Loan, Matrix Computations, 4th ed., section 3.4. */
#include "pf_dense.h"

static void pf_lu_exchange(pf_real *A, int n, int i, int j)
{
  for (int k = 0; k < n; k++) {
    pf_real t = A[(size_t)i*(size_t)n + (size_t)k];
    A[(size_t)i*(size_t)n + (size_t)k] = A[(size_t)j*(size_t)n + (size_t)k];
    A[(size_t)j*(size_t)n + (size_t)k] = t;
  }
}

PF_RUNTIME int pf_lu_factor(pf_real *A, int n, int *order)
{
  int sign = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (pf_fabs(A[(size_t)i*(size_t)n + (size_t)k]) > pf_fabs(A[(size_t)best*(size_t)n + (size_t)k])) best = i;
    order[k] = best;
    if (best != k) pf_lu_exchange(A, n, k, best), sign = -sign;
    pf_real pivot = A[(size_t)k*(size_t)n + (size_t)k];
    if (!(pf_fabs(pivot) > 0) || !isfinite(pivot)) return 0;
    if (pivot < 0) sign = -sign;
    for (int i = k + 1; i < n; i++) {
      pf_real *row = A + (size_t)i*(size_t)n, factor = row[k] /= pivot;
      const pf_real *top = A + (size_t)k*(size_t)n;
      for (int j = k + 1; j < n && factor != 0; j++) row[j] -= factor*top[j];
    }
  }
  return sign;
}

PF_RUNTIME void pf_lu_solve(const pf_real *A, int n, const int *order, pf_real *x)
{
  for (int k = 0; k < n; k++) {
    pf_real t = x[order[k]];
    x[order[k]] = x[k];
    x[k] = t;
  }
  for (int i = 1; i < n; i++) x[i] -= pf_dot(A + (size_t)i*(size_t)n, x, i);
  for (int i = n - 1; i >= 0; i--) {
    const pf_real *row = A + (size_t)i*(size_t)n;
    x[i] = (x[i] - pf_dot(row + i + 1, x + i + 1, n - i - 1))/row[i];
  }
}
