/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values by one-sided Jacobi rotations (Hestenes 1958): pairs of columns are turned until all are orthogonal;
 * their lengths are the singular values. Slower than bidiagonalisation, and at least as accurate (Demmel and Veselic
 * 1992: small values have small errors of their own). Golub & Van Loan, Matrix Computations, 4th ed., section 8.6.3. */
#include "num/small.h"

#include <float.h>
#include <math.h>

enum {
  MAX_SWEEPS = 60,   /* convergence is quadratic: about ten do in practice */
  PATIENT_SWEEPS = 12 /* what has not settled by then turns in its own rounding */
};

/* The columns w_j as rows of W, and the rotations so far: w = (given columns) R. With m >= n the columns are those of
 * A, else those of A^T, so that there are no more of them than they have components. */
typedef struct Columns {
  int count, length;
  double *W; /* count x length */
  double *R; /* count x count, r_j as row j; NULL when nobody wants it */
  double tolerance; /* of the cosine between columns */
  double noise;     /* columns of that length are rounding: their directions mean nothing */
} Columns;

static void turn(double *x, double *y, int n, double c, double s)
{
  for (int i = 0; i < n; i++) {
    double t = c*x[i] - s*y[i];
    y[i] = s*x[i] + c*y[i];
    x[i] = t;
  }
}

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
  turn(x, y, c->length, cosine, sine);
  if (c->R) turn(c->R + (size_t)p*(size_t)c->count, c->R + (size_t)q*(size_t)c->count, c->count, cosine, sine);
  return true;
}

static double longest(const Columns *c)
{
  double most = 0;
  for (int j = 0; j < c->count; j++) most = fmax(most, pf_norm(c->W + (size_t)j*(size_t)c->length, c->length));
  return most;
}

static bool separate_all(Columns *c)
{
  bool moved = true;
  c->tolerance = DBL_EPSILON;
  for (int sweep = 0; moved && sweep < MAX_SWEEPS; sweep++) {
    moved = false;
    if (sweep == PATIENT_SWEEPS) c->tolerance *= c->length, c->noise = c->tolerance*longest(c);
    for (int p = 0; p < c->count; p++)
      for (int q = p + 1; q < c->count; q++) moved |= separate(c, p, q);
  }
  return !moved;
}

static void exchange(double *x, double *y, int n)
{
  for (int i = 0; i < n; i++) {
    double t = x[i];
    x[i] = y[i], y[i] = t;
  }
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
    exchange(s + i, s + most, 1);
    exchange(c->W + i*length, c->W + most*length, c->length);
    if (c->R) exchange(c->R + i*count, c->R + most*count, c->count);
  }
}

/* What is left of x less its parts along the first `count` rows of W, which are of length 1; twice, for rounding. */
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

/* The column j, of length 0, becomes a unit vector orthogonal to those before it. Of the axes one has at least
 * 1/sqrt(length) left. */
static void invent(const Columns *c, int j)
{
  double *w = c->W + (size_t)j*(size_t)c->length, left = 0;
  for (int axis = 0; axis < c->length && left < 0.5/sqrt(c->length); axis++) {
    for (int i = 0; i < c->length; i++) w[i] = i == axis;
    left = clear(c->W, c->length, j, w);
  }
  for (int i = 0; i < c->length; i++) w[i] /= left;
}

/* Columns of length 1. Those that are rounding beside the longest are so in direction as well, and are made
 * orthogonal. */
static void normalise(const Columns *c, const double *s)
{
  const double noise = fmax(c->noise, DBL_EPSILON*c->length*s[0]);
  for (int j = 0; j < c->count; j++) {
    double *w = c->W + (size_t)j*(size_t)c->length, length = s[j];
    for (int i = 0; i < c->length && length > DBL_MIN; i++) w[i] /= length;
    if (length > noise) continue;
    length = length > DBL_MIN ? clear(c->W, c->length, j, w) : 0;
    for (int i = 0; i < c->length && length > 0.5; i++) w[i] /= length;
    if (!(length > 0.5)) invent(c, j);
  }
}

static void write_factors(const Columns *c, int m, int n, double *U, double *Vt)
{
  const double *left = m >= n ? c->W : c->R, *right = m >= n ? c->R : c->W; /* by rows: U^T and V^T */
  for (int k = 0; k < c->count; k++) {
    for (int i = 0; i < m; i++) U[(size_t)i*(size_t)c->count + (size_t)k] = left[(size_t)k*(size_t)m + (size_t)i];
    for (int j = 0; j < n; j++) Vt[(size_t)k*(size_t)n + (size_t)j] = right[(size_t)k*(size_t)n + (size_t)j];
  }
}

static void load(const double *A, int m, int n, const Columns *c)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      size_t at = m >= n ? (size_t)j*(size_t)m + (size_t)i : (size_t)i*(size_t)n + (size_t)j;
      c->W[at] = A[(size_t)i*(size_t)n + (size_t)j];
    }
  for (int i = 0; c->R && i < c->count; i++)
    for (int j = 0; j < c->count; j++) c->R[(size_t)i*(size_t)c->count + (size_t)j] = i == j;
}

PfStatus pf_small_svd(PfContext *ctx, PfArena *scratch, double *A, int m, int n, double *s, double *U, double *Vt)
{
  Columns c = {.count = m < n ? m : n, .length = m < n ? n : m};
  const size_t count = (size_t)c.count;
  c.W = pf_arena_array(scratch, double, count*(size_t)c.length);
  if (U) c.R = pf_arena_array(scratch, double, count*count);
  if (!c.W || (U && !c.R)) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);
  load(A, m, n, &c);
  if (!separate_all(&c))
    return pf_fail(ctx, PF_ERR_NUMBER, "the singular values of a %d x %d matrix do not converge", m, n);
  sort(&c, s);
  if (!U) return PF_OK;
  normalise(&c, s);
  write_factors(&c, m, n, U, Vt);
  return PF_OK;
}
