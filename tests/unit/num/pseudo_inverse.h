/* SPDX-License-Identifier: Apache-2.0 */
/* The pseudo-inverse by singular values: an oracle for what the library does by other ways. */
#ifndef PF_TESTS_PSEUDO_INVERSE_H
#define PF_TESTS_PSEUDO_INVERSE_H

#include "support.h"

#include "num/num.h"

#include <float.h>

/* inverse (n x m) = V diag(1/s) U^T of A (m x n); singular values up to tol times the largest count as zero (tol 0:
 * rounding). */
static inline void pseudo_inverse(PfContext *ctx, const double *A, int m, int n, double tol, double *inverse)
{
  enum { MOST = 64 };
  static double s[MOST], U[MOST*MOST], Vt[MOST*MOST];
  int k = m < n ? m : n;
  assert_true(m <= MOST && n <= MOST);
  assert_int_equal(pf_svd(ctx, A, m, n, s, U, Vt), PF_OK);
  if (!(tol > 0)) tol = (m > n ? m : n)*DBL_EPSILON;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < k && s[l] > tol*s[0]; l++) sum += Vt[l*n + j]/s[l]*U[i*k + l];
      inverse[j*m + i] = sum;
    }
}

#endif
