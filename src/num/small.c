/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values by one-sided Jacobi rotations (Hestenes 1958): pairs of columns are turned until all are orthogonal;
 * their lengths are the singular values. Slower than bidiagonalisation, and at least as accurate (Demmel and Veselic
 * 1992: small values have small errors of their own). Golub & Van Loan, Matrix Computations, 4th ed., section 8.6.3. */
#include "num/small.h"

#include <float.h>
#include <math.h>

enum {
  MAX_SWEEPS = 60,   /* convergence is quadratic: about ten do in practice */
  PATIENT_SWEEPS = 12 /* columns that have not settled by then turn in their own rounding */
};

/* The columns w_j as rows of W, and the rotations so far: w = (given columns) R. With m >= n the columns are those of
 * A, else those of A^T, so that there are no more of them than they have components. */
typedef struct Columns {
  int count, length;
  double *W; /* count x length */
  double *R; /* count x count, r_j as row j; NULL when it is not needed */
  double tolerance; /* of the cosine between columns */
  double noise;     /* columns of that length are rounding: their directions mean nothing */
} Columns;

/* Makes the columns p and q orthogonal. False when they are. */
static bool separate(const Columns *c, int p, int q)
{
  double *x = c->W + (size_t)p*(size_t)c->length, *y = c->W + (size_t)q*(size_t)c->length;
  double a = pf_dot(x, x, c->length), b = pf_dot(y, y, c->length), off = pf_dot(x, y, c->length);
  if (!(fabs(off) > c->tolerance*sqrt(a)*sqrt(b)) || fabs(off) < DBL_MIN) return false;
  if (sqrt(fmin(a, b)) <= c->noise) return false;
  double tau = (b - a)/(2*off);
  double t = (tau >= 0 ? 1 : -1)/(fabs(tau) + hypot(1, tau));
  double cosine = 1/sqrt(1 + t*t), sine = t*cosine;
  pf_rotate(x, y, c->length, 1, cosine, sine);
  if (c->R) pf_rotate(c->R + (size_t)p*(size_t)c->count, c->R + (size_t)q*(size_t)c->count, c->count, 1, cosine, sine);
  return true;
}

/* Lengths into s, the longest column first. */
static void sort(const Columns *c, double *s)
{
  const size_t count = (size_t)c->count, length = (size_t)c->length;
  for (size_t j = 0; j < count; j++) s[j] = pf_norm(c->W + j*length, c->length);
  for (size_t i = 0; i < count; i++) {
    size_t most = i;
    for (size_t j = i + 1; j < count; j++)
      if (s[j] > s[most]) most = j;
    if (most == i) continue;
    pf_exchange(s + i, s + most, 1, 1);
    pf_exchange(c->W + i*length, c->W + most*length, c->length, 1);
    if (c->R) pf_exchange(c->R + i*count, c->R + most*count, c->count, 1);
  }
}

/* The rest of x without its parts along the first `count` rows of W, which are of length 1; twice, for rounding. */
static double clear(const double *W, int length, int count, double *x)
{
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < count; j++) {
      const double *w = W + (size_t)j*(size_t)length;
      double part = pf_dot(w, x, length);
      for (int i = 0; i < length; i++) x[i] -= part*w[i];
    }
  return pf_norm(x, length);
}

/* Columns of length 1. Those that are rounding compared with the longest are so in direction as well, and are made
 * orthogonal; instead of a column of length 0 an axis is, of which at least 1/sqrt(length) is left. */
static void normalise(const Columns *c, const double *s)
{
  const double noise = fmax(c->noise, DBL_EPSILON*c->length*s[0]);
  for (int j = 0; j < c->count; j++) {
    double *w = c->W + (size_t)j*(size_t)c->length, length = s[j];
    for (int i = 0; i < c->length && length > DBL_MIN; i++) w[i] /= length;
    if (length > noise) continue;
    length = length > DBL_MIN ? clear(c->W, c->length, j, w) : 0;
    if (!(length > 0.5)) {
      length = 0;
      for (int axis = 0; axis < c->length && length < 0.5/sqrt(c->length); axis++) {
        for (int i = 0; i < c->length; i++) w[i] = i == axis;
        length = clear(c->W, c->length, j, w);
      }
    }
    for (int i = 0; i < c->length; i++) w[i] /= length;
  }
}

/* A is read only; U and Vt may both be NULL. Cost: some ten sweeps of m n^2 operations. */
PfStatus pf_small_svd(PfContext *ctx, PfArena *scratch, double *A, int m, int n, double *s, double *U, double *Vt)
{
  Columns c = {.count = m < n ? m : n, .length = m < n ? n : m, .tolerance = DBL_EPSILON};
  const size_t count = (size_t)c.count, length = (size_t)c.length;
  c.W = pf_arena_array(scratch, double, count*length);
  if (U) c.R = pf_arena_array(scratch, double, count*count);
  if (!c.W || (U && !c.R)) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      size_t at = m >= n ? (size_t)j*(size_t)m + (size_t)i : (size_t)i*(size_t)n + (size_t)j;
      c.W[at] = A[(size_t)i*(size_t)n + (size_t)j];
    }
  for (size_t i = 0; c.R && i < count; i++)
    for (size_t j = 0; j < count; j++) c.R[i*count + j] = i == j;

  bool moved = true;
  for (int sweep = 0; moved && sweep < MAX_SWEEPS; sweep++) {
    moved = false;
    if (sweep == PATIENT_SWEEPS) {
      double longest = 0;
      for (size_t j = 0; j < count; j++) longest = fmax(longest, pf_norm(c.W + j*length, c.length));
      c.tolerance *= c.length, c.noise = c.tolerance*longest;
    }
    for (int p = 0; p < c.count; p++)
      for (int q = p + 1; q < c.count; q++) moved |= separate(&c, p, q);
  }
  if (moved) return pf_fail(ctx, PF_ERR_NUMBER, "the singular values of a %d x %d matrix do not converge", m, n);
  sort(&c, s);
  if (!U) return PF_OK;
  normalise(&c, s);
  const double *left = m >= n ? c.W : c.R, *right = m >= n ? c.R : c.W; /* by rows: U^T and V^T */
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < (size_t)m; i++) U[i*count + k] = left[k*(size_t)m + i];
    for (size_t j = 0; j < (size_t)n; j++) Vt[k*(size_t)n + j] = right[k*(size_t)n + j];
  }
  return PF_OK;
}
