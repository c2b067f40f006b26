/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of a small symmetric matrix by cyclic Jacobi rotations: slower than tridiagonalisation, but
 * it finds small eigenvalues of a mass matrix well, and gives the same digits on every machine.
 * Golub & Van Loan, Matrix Computations, 4th ed., section 8.5. */
#include "num/num.h"

#include <float.h>
#include <math.h>

enum { MAX_SWEEPS = 60 }; /* convergence is quadratic: six or seven do in practice */

/* The lower triangle of A on both sides, divided by a power of two, which is given back. */
static double load(const double *A, int n, double *S)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) S[i*n + j] = S[j*n + i] = A[i*n + j];
  double scale = pf_binary_scale(S, (size_t)n*(size_t)n);
  for (int i = 0; i < n*n; i++) S[i] /= scale;
  return scale;
}

/* Rotates the columns p, q of an n x n matrix. */
static void rotate_columns(double *S, int n, int p, int q, double c, double s)
{
  for (int i = 0; i < n; i++) {
    double *row = S + i*n, x = row[p], y = row[q];
    row[p] = c*x - s*y;
    row[q] = s*x + c*y;
  }
}

static void rotate_rows(double *S, int n, int p, int q, double c, double s)
{
  for (int j = 0; j < n; j++) {
    double x = S[p*n + j], y = S[q*n + j];
    S[p*n + j] = c*x - s*y;
    S[q*n + j] = s*x + c*y;
  }
}

/* Makes S[p][q] zero by the smaller of the two rotations that do it. False when it is zero already. */
static bool annihilate(double *S, double *V, int n, int p, int q)
{
  double off = S[p*n + q], a = S[p*n + p], b = S[q*n + q];
  if (fabs(off) <= DBL_EPSILON/4*sqrt(fabs(a))*sqrt(fabs(b)) || fabs(off) < DBL_MIN) return false;
  double tau = (b - a)/(2*off);
  double t = (tau >= 0 ? 1 : -1)/(fabs(tau) + hypot(1, tau));
  double c = 1/sqrt(1 + t*t), s = t*c;
  rotate_columns(S, n, p, q, c, s);
  rotate_rows(S, n, p, q, c, s);
  S[p*n + q] = S[q*n + p] = 0;
  if (V) rotate_columns(V, n, p, q, c, s);
  return true;
}

static void exchange(double *values, double *V, int n, int i, int j)
{
  double t = values[i];
  values[i] = values[j];
  values[j] = t;
  for (int k = 0; V && k < n; k++) {
    t = V[k*n + i];
    V[k*n + i] = V[k*n + j];
    V[k*n + j] = t;
  }
}

static void sort_ascending(double *values, double *V, int n)
{
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (values[j] < values[least]) least = j;
    if (least != i) exchange(values, V, n, i, least);
  }
}

PfStatus pf_eig_symmetric(const double *A, int n, double *values, double *vectors, double *work)
{
  for (int i = 0; i < n; i++)
    if (pf_first_not_finite(A + (size_t)i*(size_t)n, (size_t)i + 1) >= 0) return PF_ERR_NUMBER;
  double scale = load(A, n, work);
  for (int i = 0; vectors && i < n*n; i++) vectors[i] = i%(n + 1) == 0;

  bool moved = true;
  for (int sweep = 0; moved && sweep < MAX_SWEEPS; sweep++) {
    moved = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) moved |= annihilate(work, vectors, n, p, q);
  }
  for (int i = 0; i < n; i++) values[i] = work[i*n + i]*scale;
  sort_ascending(values, vectors, n);
  return PF_OK;
}
