/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of a small symmetric matrix by cyclic Jacobi rotations: slower than tridiagonalisation, but
 * it finds small eigenvalues of a mass matrix well, and gives the same digits on every machine.
 * Golub & Van Loan, Matrix Computations, 4th ed., section 8.5. */
#include "num/num.h"

#include <float.h>
#include <math.h>

enum { MAX_SWEEPS = 60 }; /* convergence is quadratic: six or seven do in practice */

/* Makes S[p][q] zero by the smaller of the two rotations that do it. False when it is zero already. */
static bool annihilate(double *S, double *V, int n, int p, int q)
{
  double off = S[p*n + q], a = S[p*n + p], b = S[q*n + q];
  if (fabs(off) <= DBL_EPSILON/4*sqrt(fabs(a))*sqrt(fabs(b)) || fabs(off) < DBL_MIN) return false;
  double tau = (b - a)/(2*off);
  double t = (tau >= 0 ? 1 : -1)/(fabs(tau) + hypot(1, tau));
  double c = 1/sqrt(1 + t*t), s = t*c;
  pf_rotate(S + p, S + q, n, n, c, s);
  pf_rotate(S + p*n, S + q*n, n, 1, c, s);
  S[p*n + q] = S[q*n + p] = 0;
  if (V) pf_rotate(V + p, V + q, n, n, c, s);
  return true;
}

/* Cost: some ten sweeps of n^3 operations each. */
PfStatus pf_eig_symmetric(const double *A, int n, double *values, double *vectors, double *work)
{
  for (int i = 0; i < n; i++)
    if (pf_first_not_finite(A + (size_t)i*(size_t)n, (size_t)i + 1) >= 0) return PF_ERR_NUMBER;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) work[i*n + j] = work[j*n + i] = A[i*n + j];
  double scale = pf_binary_scale(work, (size_t)n*(size_t)n);
  for (int i = 0; i < n*n; i++) work[i] /= scale;
  for (int i = 0; vectors && i < n*n; i++) vectors[i] = i%(n + 1) == 0;

  bool moved = true;
  for (int sweep = 0; moved && sweep < MAX_SWEEPS; sweep++) {
    moved = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) moved |= annihilate(work, vectors, n, p, q);
  }
  for (int i = 0; i < n; i++) values[i] = work[i*n + i]*scale;
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (values[j] < values[least]) least = j;
    if (least == i) continue;
    pf_exchange(values + i, values + least, 1, 1);
    if (vectors) pf_exchange(vectors + i, vectors + least, n, n);
  }
  return PF_OK;
}
