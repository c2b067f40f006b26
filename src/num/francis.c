/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of any matrix without LAPACK: A = Z T Z^T with T triangular but for blocks of two rows, by reflections to
 * Hessenberg form and Francis' double steps; vectors by substitution in T. Golub & Van Loan, Matrix Computations, 4th
 * ed., sections 7.4 to 7.6; the test for a negligible element is that of Ahues and Tisseur (1997). */
#include "num/small.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_EACH = 40, STUCK = 10 }; /* steps for an eigenvalue at most; other shifts after so many */

typedef struct Schur {
  int n;
  int low, high; /* outside of these rows T is triangular from the beginning */
  double *T, *Z; /* n x n */
  double norm;   /* the largest sum of magnitudes in a column */
} Schur;

static double *at(const Schur *z, int i, int j)
{
  return z->T + (size_t)i*(size_t)z->n + (size_t)j;
}

/* ---------------------------------------------------------------- what is triangular already */

static void exchange(const Schur *z, int i, int j)
{
  const int n = z->n;
  pf_exchange(at(z, 0, i), at(z, 0, j), n, n);
  pf_exchange(z->Z + i, z->Z + j, n, n);
  pf_exchange(at(z, i, 0), at(z, j, 0), n, 1);
}

/* ---------------------------------------------------------------- reflections */

/* v = (1, …) and the factor b such that (1 - b v v^T) x is a multiple of the first axis; x becomes v. Gives the
 * multiple. */
static double make_reflection(double *x, int count, double *b)
{
  double length = pf_norm(x, count), rest = pf_norm(x + 1, count - 1);
  *b = 0;
  if (!(rest > 0)) {
    double first = x[0];
    x[0] = 1;
    return first;
  }
  double target = x[0] > 0 ? -length : length, first = x[0] - target;
  *b = -first/target;
  for (int i = 1; i < count; i++) x[i] /= first;
  x[0] = 1;
  return target;
}

/* Rows first, first + 1, … in columns from `column` on. */
static void reflect_rows(const Schur *z, const double *v, double b, int count, int first, int column)
{
  for (int j = column; j < z->n; j++) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += v[i]**at(z, first + i, j);
    for (int i = 0; i < count; i++) *at(z, first + i, j) -= b*sum*v[i];
  }
}

/* Columns first, first + 1, … of T or Z in the rows 0 … rows - 1. */
static void reflect_columns(double *A, int n, const double *v, double b, int count, int first, int rows)
{
  for (int i = 0; i < rows; i++) {
    double *row = A + (size_t)i*(size_t)n + (size_t)first;
    double sum = b*pf_dot(row, v, count);
    for (int j = 0; j < count; j++) row[j] -= sum*v[j];
  }
}

/* ---------------------------------------------------------------- Francis' step */

/* The element left of the diagonal in row k may be taken as zero. */
static bool is_negligible(const Schur *z, int k)
{
  double below = fabs(*at(z, k, k - 1)), above = fabs(*at(z, k - 1, k));
  double d = *at(z, k, k), gap = fabs(*at(z, k - 1, k - 1) - d), sum = fabs(*at(z, k - 1, k - 1)) + fabs(d);
  if (below <= DBL_MIN/DBL_EPSILON) return true;
  if (!(sum > 0)) sum = z->norm;
  if (below > DBL_EPSILON*sum) return false;
  double large = fmax(below, above), small = fmin(below, above);
  double most = fmax(fabs(d), gap), least = fmin(fabs(d), gap), all = most + large;
  return small*(large/all) <= fmax(DBL_MIN/DBL_EPSILON, DBL_EPSILON*(least*(most/all)));
}

/* Sum and product of the two shifts: the eigenvalues of the last two rows; real ones give the nearer one twice. */
static void find_shifts(const Schur *z, int last, int step, double *sum, double *product)
{
  double a = *at(z, last - 1, last - 1), b = *at(z, last - 1, last), c = *at(z, last, last - 1), d = *at(z, last, last);
  if (step%STUCK == STUCK - 1) { /* out of a cycle, by any other numbers of the same size */
    double size = fabs(c) + fabs(*at(z, last - 1, last - 2));
    a = d = d + 0.75*size, b = -0.4375*size, c = size;
  }
  double half = (a - d)/2, square = half*half + b*c;
  *sum = a + d, *product = a*d - b*c;
  if (square >= 0) {
    double root = sqrt(square), nearer = d + half + (half > 0 ? -root : root);
    *sum = 2*nearer, *product = nearer*nearer;
  }
}

/* Where the step begins: the first column of (T - s1)(T - s2) from there on is x. Above two small elements in a row
 * nothing needs to be changed. */
static int find_start(const Schur *z, int first, int last, double sum, double product, double x[3])
{
  for (int m = last - 2;; m--) {
    double h = *at(z, m, m), below = *at(z, m + 1, m), next = *at(z, m + 1, m + 1);
    x[0] = h*(h - sum) + product + *at(z, m, m + 1)*below;
    x[1] = below*(h + next - sum), x[2] = below**at(z, m + 2, m + 1);
    double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    for (int i = 0; i < 3 && size > 0; i++) x[i] /= size;
    if (m == first) return m;
    double reach = fabs(*at(z, m - 1, m - 1)) + fabs(h) + fabs(next);
    if (fabs(*at(z, m, m - 1))*(fabs(x[1]) + fabs(x[2])) <= DBL_EPSILON*fabs(x[0])*reach) return m;
  }
}

/* One double step on the rows first … last; `number` counts the steps for this eigenvalue. */
static void step(const Schur *z, int first, int last, int number)
{
  double sum, product, x[3];
  find_shifts(z, last, number, &sum, &product);
  int start = find_start(z, first, last, sum, product, x);
  for (int k = start; k < last; k++) {
    int count = k < last - 1 ? 3 : 2;
    double b;
    for (int i = 0; i < count && k > start; i++) x[i] = *at(z, k + i, k - 1);
    double target = make_reflection(x, count, &b);
    if (k > start) {
      *at(z, k, k - 1) = target;
      for (int i = 1; i < count; i++) *at(z, k + i, k - 1) = 0;
    } else if (k > first) {
      *at(z, k, k - 1) *= 1 - b;
    }
    reflect_rows(z, x, b, count, k, k);
    reflect_columns(z->T, z->n, x, b, count, k, (k + 3 < last ? k + 3 : last) + 1);
    reflect_columns(z->Z, z->n, x, b, count, k, z->n);
  }
}

/* A block of two rows with real eigenvalues becomes triangular. */
static void split(const Schur *z, int k)
{
  double a = *at(z, k, k), b = *at(z, k, k + 1), c = *at(z, k + 1, k), d = *at(z, k + 1, k + 1);
  double half = (a - d)/2, square = half*half + b*c, factor;
  if (square < 0) return;
  double root = half + (half >= 0 ? sqrt(square) : -sqrt(square));
  double x[2] = {root, c}; /* the eigenvector of d + root */
  make_reflection(x, 2, &factor);
  reflect_rows(z, x, factor, 2, k, k);
  reflect_columns(z->T, z->n, x, factor, 2, k, k + 2);
  reflect_columns(z->Z, z->n, x, factor, 2, k, z->n);
  *at(z, k + 1, k) = 0;
}

/* False where an eigenvalue needs more than STEPS_EACH + n steps, which is not known to happen. */
static bool make_triangular(const Schur *z)
{
  for (int last = z->high, steps = 0; last > z->low;) {
    int first = last;
    while (first > z->low && !is_negligible(z, first)) first--;
    if (first > z->low) *at(z, first, first - 1) = 0;
    if (first >= last - 1) {
      if (first == last - 1) split(z, first);
      last = first - 1, steps = 0;
      continue;
    }
    if (steps >= STEPS_EACH + z->n) return false;
    step(z, first, last, steps++);
  }
  return true;
}

/* ---------------------------------------------------------------- vectors */

static bool is_pair(const double *T, int n, int k)
{
  return k < n - 1 && T[(size_t)(k + 1)*(size_t)n + (size_t)k] != 0;
}

/* Pivots are never smaller than rounding leaves them anyway. */
static double complex pivot(double complex value, double least)
{
  return cabs(value) < least ? least : value;
}

/* (a b; c d) x = r by elimination with the larger pivot. */
static void solve_pair(double complex a, double b, double c, double complex d, double least, double complex r[2])
{
  if (cabs(a) >= fabs(c)) {
    a = pivot(a, least);
    double complex factor = c/a;
    r[1] = (r[1] - factor*r[0])/pivot(d - factor*b, least);
    r[0] = (r[0] - b*r[1])/a;
  } else {
    double complex factor = a/c, top = r[0];
    double complex second = (top - factor*r[1])/pivot(b - factor*d, least);
    r[0] = (r[1] - d*second)/c;
    r[1] = second;
  }
}

static double complex row_times(const double *row, const double complex *x, int from, int to)
{
  double complex sum = 0;
  for (int j = from; j < to; j++) sum += row[j]*x[j];
  return sum;
}

/* T x = value x, the value being that of the block of `size` rows at k; T is triangular in blocks. x has length 1. */
static void find_vector(const double *T, int n, double norm, int k, int size, double complex value, double complex *x)
{
  const double least = fmax(DBL_EPSILON*norm, DBL_MIN/DBL_EPSILON);
  const int end = k + size;
  memset(x, 0, (size_t)n*sizeof *x);
  x[k] = 1;
  if (size == 2) {
    const double *row = T + (size_t)k*(size_t)n + (size_t)k, *next = row + n;
    if (fabs(row[1]) >= fabs(next[0])) x[k + 1] = (value - row[0])/row[1];
    else x[k] = (value - next[1])/next[0], x[k + 1] = 1;
  }
  for (int i = k - 1; i >= 0; i--) {
    const double *row = T + (size_t)i*(size_t)n;
    x[i] = -row_times(row, x, i + 1, end);
    if (i > 0 && is_pair(T, n, i - 1)) {
      const double *above = row - n;
      x[i - 1] = -row_times(above, x, i + 1, end);
      solve_pair(above[i - 1] - value, above[i], row[i - 1], row[i] - value, least, x + i - 1);
      i--;
    } else {
      x[i] /= pivot(row[i] - value, least);
    }
    double most = 0; /* numbers stay far from overflow: a division by the least pivot cannot take them there */
    for (int j = i; j < end; j++) most = fmax(most, cabs(x[j]));
    for (int j = i; j < end && most > 1e100; j++) x[j] /= most;
  }
  double length = pf_norm((const double *)x, 2*end);
  for (int i = 0; i < end; i++) x[i] /= length;
}

/* Eigenvalues of the blocks of T, vectors Z x of A, and how well each value is determined: |y^H x| for vectors of
 * length 1, where the left ones y of T are right ones of its transpose with rows and columns in the opposite order. */
static PfStatus read_spectrum(PfContext *ctx, PfArena *scratch, const Schur *z, PfSpectrum *s)
{
  const int n = z->n;
  double *flipped = pf_arena_array(scratch, double, (size_t)n*(size_t)n);
  double complex *right = pf_arena_array(scratch, double complex, n);
  double complex *left = pf_arena_array(scratch, double complex, n);
  if (!flipped || !right || !left) return pf_no_room(ctx, "the eigenvalues");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) flipped[(size_t)i*(size_t)n + (size_t)j] = *at(z, n - 1 - j, n - 1 - i);
  for (int k = 0, size; k < n; k += size) {
    double *vector = s->vectors + (size_t)k*(size_t)n; /* of a pair the real part, followed by the imaginary part */
    double complex value = *at(z, k, k), sense = 0;
    size = is_pair(z->T, n, k) ? 2 : 1;
    if (size == 2) {
      double d = *at(z, k + 1, k + 1), half = (*at(z, k, k) - d)/2;
      value = d + half + sqrt(fmax(-(half*half + *at(z, k, k + 1)**at(z, k + 1, k)), 0))*I;
    }
    find_vector(z->T, n, z->norm, k, size, value, right);
    find_vector(flipped, n, z->norm, n - k - size, size, value, left);
    for (int i = 0; i < n; i++) sense += right[i]*left[n - 1 - i];
    for (int i = 0; i < n; i++) {
      double complex sum = row_times(z->Z + (size_t)i*(size_t)n, right, 0, n);
      vector[i] = creal(sum);
      if (size == 2) vector[n + i] = cimag(sum);
    }
    for (int part = 0; part < size; part++) {
      s->re[k + part] = creal(value), s->sense[k + part] = cabs(sense);
      s->im[k + part] = part ? -cimag(value) : cimag(value);
    }
  }
  s->norm = z->norm;
  return PF_OK;
}

/* A is overwritten. Cost: about 25 n^3 operations. */
PfStatus pf_small_spectrum(PfContext *ctx, PfArena *scratch, double *A, int n, PfSpectrum *spectrum)
{
  Schur z = {.n = n, .T = A};
  double *v;
  PF_TRY(pf_arrays(ctx, scratch, "the eigenvalues", PF_ROOM(v, n), PF_ROOM2(z.Z, n, n)));
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(*at(&z, i, j));
    z.norm = fmax(z.norm, sum);
    for (int i = 0; i < n; i++) z.Z[(size_t)i*(size_t)n + (size_t)j] = i == j;
  }
  /* Moves eigenvalues that stand in A to the ends: they stay exact, and rounding does not mix decoupled parts.
   * z->low and z->high bound the rows that are left. */
  z.low = 0, z.high = z.n - 1;
  for (int i = z.high; i >= 0; i--) {
    bool alone = true; /* in its row */
    for (int j = 0; j <= z.high; j++) alone = alone && (j == i || *at(&z, i, j) == 0);
    if (alone) exchange(&z, i, z.high), z.high--, i = z.high + 1;
  }
  for (int j = z.low; j <= z.high; j++) {
    bool alone = true; /* in its column */
    for (int i = z.low; i <= z.high; i++) alone = alone && (j == i || *at(&z, i, j) == 0);
    if (alone) exchange(&z, j, z.low), z.low++, j = z.low - 1;
  }
  /* v has room for n numbers. */
  for (int k = z.low; k < z.high - 1; k++) {
    int count = z.high - k;
    double b;
    for (int i = 0; i < count; i++) v[i] = *at(&z, k + 1 + i, k);
    double target = make_reflection(v, count, &b);
    *at(&z, k + 1, k) = target;
    for (int i = 1; i < count; i++) *at(&z, k + 1 + i, k) = 0;
    reflect_rows(&z, v, b, count, k + 1, k + 1);
    reflect_columns(z.T, z.n, v, b, count, k + 1, z.high + 1);
    reflect_columns(z.Z, z.n, v, b, count, k + 1, z.n);
  }
  if (!make_triangular(&z))
    return pf_fail(ctx, PF_ERR_NUMBER, "the eigenvalues of a %d x %d matrix do not converge", n, n);
  return read_spectrum(ctx, scratch, &z, spectrum);
}
