/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of any matrix in a form that does not depend on rounding: which are zero, which are equal, which comes
 * first, and how the vectors are scaled. An eigenvalue of condition 1/s moves by about norm*noise/s when the matrix is
 * noisy (Golub & Van Loan, Matrix Computations, 4th ed., section 7.2.2); where two meet in one vector s goes to zero
 * with their distance, so that a double eigenvalue split by rounding is recognised, and its mean is exact again. */
#include "num/num.h"

#include <math.h>
#include <string.h>

#define SCRUB 2e-14     /* smaller elements, relative to others of their row or column, are rounding */
#define NOISE 1e-13     /* of the elements of A, in parts of its norm */
#define ZERO 1e-10      /* an eigenvalue or its part below this is zero */
#define SAME_PART 1e-9  /* real parts nearer than this are equal when eigenvalues are sorted */

typedef struct Sorting {
  PfContext *ctx;
  PfArena *scratch;
  double *A, *scale; /* the matrix, balanced, and the divisors of its components */
  int n;
  PfSpectrum s;
  double noise;  /* of the balanced matrix: its possible change by rounding */
  int *group;    /* of equal eigenvalues, by the least of their numbers */
  int *order;
  double *level; /* real parts, equal ones made exactly equal */
} Sorting;

/* ---------------------------------------------------------------- pieces */

/* Each factor is a power of two, so that nothing is rounded. */
void pf_balance(double *A, int n, double *scale)
{
  bool moved = true;
  for (int i = 0; i < n; i++) scale[i] = 1;
  for (int sweep = 0; moved && sweep < 50; sweep++) {
    moved = false;
    for (int i = 0; i < n; i++) {
      double row = 0, column = 0, factor = 1;
      for (int j = 0; j < n; j++)
        if (j != i) row += fabs(A[i*n + j]), column += fabs(A[j*n + i]);
      if (!(row > 0) || !(column > 0)) continue;
      double sum = row + column;
      while (column < row/2) factor *= 2, column *= 4;
      while (column >= row*2) factor /= 2, column /= 4;
      if ((row + column)/factor >= 0.95*sum) continue; /* not worth it */
      moved = true;
      scale[i] *= factor;
      for (int j = 0; j < n; j++) A[i*n + j] /= factor;
      for (int j = 0; j < n; j++) A[j*n + i] *= factor;
    }
  }
}

/* The first component that is the largest but for rounding. */
static int leading(const double *x, const double *y, int n)
{
  double most = 0;
  int first = 0;
  for (int i = 0; i < n; i++) most = fmax(most, hypot(x[i], y ? y[i] : 0));
  while (first < n - 1 && hypot(x[first], y ? y[first] : 0) < (1 - 1e-6)*most) first++;
  return first;
}

/* Zero vectors stay. */
void pf_orient(double *x, int n)
{
  if (!n || x[leading(x, NULL, n)] >= 0) return;
  for (int i = 0; i < n; i++) x[i] = -x[i];
}

static double largest(const double *x, int n, int step)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i*step]));
  return most;
}

static double noise_removed(double value, double limit)
{
  return fabs(value) <= limit ? 0 : value;
}

/* Takes A without elements that are rounding: one of them may join independent parts, and balancing by it has no
 * meaning. Elements are compared in their row and column only, whatever the units of the others. */
static PfStatus load(Sorting *t, const double *A, const double *noise)
{
  int n = t->n;
  size_t size = (size_t)n*(size_t)n;
  double *rows = pf_arena_array(t->scratch, double, n), *columns = pf_arena_array(t->scratch, double, n);
  t->A = pf_arena_array(t->scratch, double, size), t->scale = pf_arena_array(t->scratch, double, n);
  if (!rows || !columns || !t->A || !t->scale) return pf_no_room(t->ctx, "the eigenvalues");
  int bad = pf_first_not_finite(A, size);
  if (bad >= 0) return pf_fail(t->ctx, PF_ERR_NUMBER, "matrix row %d holds a number that is not finite", bad/n);
  for (int i = 0; i < n; i++) rows[i] = largest(A + (size_t)i*(size_t)n, n, 1), columns[i] = largest(A + i, n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      t->A[i*n + j] = noise_removed(A[i*n + j], fmax(noise ? noise[i*n + j] : 0, SCRUB*fmax(rows[i], columns[j])));
  pf_balance(t->A, n, t->scale);
  for (int i = 0; i < n && noise; i++)
    for (int j = 0; j < n; j++) t->noise = hypot(t->noise, noise[i*n + j]*t->scale[j]/t->scale[i]);
  return PF_OK;
}

/* ---------------------------------------------------------------- equal ones */

/* How far rounding can have moved the eigenvalue k. */
static double uncertainty(const Sorting *t, int k)
{
  const PfSpectrum *s = &t->s;
  return fmin(fmax(NOISE*s->norm, t->noise)/fmax(s->sense[k], 1e-300), 1e-3*s->norm);
}

/* Both must be that uncertain: a well determined eigenvalue does not belong to a double one near it. */
static bool are_equal(const Sorting *t, int a, int b)
{
  const PfSpectrum *s = &t->s;
  return hypot(s->re[a] - s->re[b], s->im[a] - s->im[b]) <= 2*fmin(uncertainty(t, a), uncertainty(t, b));
}

static bool are_identical(const Sorting *t, int a, int b)
{
  return t->s.re[a] == t->s.re[b] && t->s.im[a] == t->s.im[b];
}

/* Joins groups; an eigenvalue that is equal to one member belongs to all. */
static void join_groups(Sorting *t, bool (*equal)(const Sorting *t, int a, int b))
{
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < t->n; i++)
      for (int j = 0; j < i; j++) {
        if (t->group[i] == t->group[j] || !equal(t, i, j)) continue;
        t->group[i] = t->group[j] = t->group[i] < t->group[j] ? t->group[i] : t->group[j];
        moved = true;
      }
  }
}

/* All members get the mean of their group, with parts that are rounding removed. The values of a pair that meet are in
 * one group, so the imaginary parts cancel. */
static void take_means(Sorting *t)
{
  PfSpectrum *s = &t->s;
  for (int g = 0; g < t->n; g++) {
    double re = 0, im = 0, limit = INFINITY;
    int count = 0;
    for (int k = g; k < t->n; k++)
      if (t->group[k] == g) re += s->re[k], im += s->im[k], count++, limit = fmin(limit, uncertainty(t, k));
    if (!count) continue;
    limit = fmax(limit, ZERO*s->norm);
    re = noise_removed(re/count, limit), im = noise_removed(im/count, limit);
    for (int k = g; k < t->n; k++)
      if (t->group[k] == g) s->re[k] = re, s->im[k] = im;
  }
}

/* ---------------------------------------------------------------- order */

/* The rightmost first, of those equally far right but for rounding the one with the largest |im|. Those of one group
 * stay together, and of a pair its first member is first. */
static void sort(Sorting *t)
{
  const PfSpectrum *s = &t->s;
  double most = 0, *level = t->level;
  for (int k = 0; k < t->n; k++) most = fmax(most, hypot(s->re[k], s->im[k])), level[k] = s->re[k];
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < t->n; i++)
      for (int j = 0; j < t->n; j++)
        if (level[i] < level[j] && fabs(s->re[i] - s->re[j]) <= SAME_PART*most) level[i] = level[j], moved = true;
  }
  for (int i = 0; i < t->n; i++) {
    int k = i;
    for (; k > 0; k--) {
      int other = t->order[k - 1];
      bool before = level[i] != level[other] ? level[i] > level[other] : fabs(s->im[i]) > fabs(s->im[other]);
      if (!before) break;
      t->order[k] = other;
    }
    t->order[k] = i;
  }
}

/* ---------------------------------------------------------------- vectors */

/* A vector x + i y (y NULL: real) of length 1 whose largest component is real and positive, without rounding. */
static void normalise(double *x, double *y, int n)
{
  int k = leading(x, y, n);
  double size = hypot(x[k], y ? y[k] : 0), length = hypot(pf_norm(x, n), y ? pf_norm(y, n) : 0);
  if (!(size > 0)) return;
  double c = x[k]/size/length, d = y ? -y[k]/size/length : 0;
  for (int i = 0; i < n; i++) {
    double re = x[i], im = y ? y[i] : 0;
    x[i] = noise_removed(re*c - im*d, ZERO*size/length);
    if (y) y[i] = i == k ? 0 : noise_removed(re*d + im*c, ZERO*size/length);
  }
}

/* Columns of N (m x d) in reduced echelon form from above; false when its rows decide that too narrowly. */
static bool reduce(double *N, int m, int d)
{
  int found = 0;
  for (int i = 0; i < m && found < d; i++) {
    int best = found;
    for (int c = found; c < d; c++)
      if (fabs(N[i*d + c]) > fabs(N[i*d + best])) best = c;
    double pivot = N[i*d + best];
    if (fabs(pivot) < 1e-3) continue;
    for (int r = 0; r < m; r++) {
      double t = N[r*d + best];
      N[r*d + best] = N[r*d + found], N[r*d + found] = t/pivot;
    }
    for (int c = 0; c < d; c++) {
      double part = N[i*d + c];
      for (int r = 0; r < m && c != found; r++) N[r*d + c] -= part*N[r*d + found];
    }
    found++;
  }
  return found == d;
}

/* The space of a multiple eigenvalue in echelon form, as columns of N (m x dimension); dimension 0 where it is
 * not clear. It is the null space of A - (re + i im); complex vectors are kept as x_0, y_0, x_1, y_1, … */
static PfStatus find_space(Sorting *t, double re, double im, double *N, int *dimension)
{
  const size_t n = (size_t)t->n, parts = im != 0 ? 2 : 1, m = n*parts;
  PfQr qr;
  double *out = pf_arena_array(t->scratch, double, m*m);
  if (!out) return pf_no_room(t->ctx, "the eigenvalues");
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < parts; p++) out[(parts*i + p)*m + parts*j + p] = t->A[i*n + j] - (i == j ? re : 0);
  for (size_t i = 0; i < n && im != 0; i++) out[2*i*m + 2*i + 1] = im, out[(2*i + 1)*m + 2*i] = -im;
  PF_TRY(pf_qr_make(t->ctx, t->scratch, (int)m, (int)m, &qr));
  *dimension = 0;
  if (pf_qr_factor(&qr, out, 1e-9) != PF_OK) return PF_OK;
  int d = (int)m - qr.rank;
  pf_qr_null_space(&qr, N);
  if (d && reduce(N, (int)m, d)) *dimension = d;
  return PF_OK;
}

/* Puts the vectors of the group g at the places of its members. */
static PfStatus replace_vectors(Sorting *t, int g, int count)
{
  int n = t->n, d = 0, parts = t->s.im[g] != 0 ? 2 : 1, placed = 0;
  double *N = pf_arena_array(t->scratch, double, (size_t)(n*parts)*(size_t)(n*parts));
  if (!N) return pf_no_room(t->ctx, "the eigenvalues");
  PF_TRY(find_space(t, t->s.re[g], t->s.im[g], N, &d));
  if (!d || d/parts > count) return PF_OK;
  for (int k = g; k < n; k++) {
    if (t->group[k] != g) continue;
    int c = parts*(placed < d/parts ? placed : d/parts - 1);
    for (int i = 0; i < n; i++)
      for (int p = 0; p < parts; p++) t->s.vectors[(k + p)*n + i] = N[(parts*i + p)*d + c];
    placed++;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* Decompose, recognise equal and zero eigenvalues, sort, then repair the vectors of multiple ones. */
static PfStatus find(Sorting *t, const double *A, const double *noise, double *re, double *im, double *vectors)
{
  const int n = t->n;
  PfSpectrum *s = &t->s;
  t->group = pf_arena_array(t->scratch, int, n), t->order = pf_arena_array(t->scratch, int, n);
  t->level = pf_arena_array(t->scratch, double, n);
  if (!t->group || !t->order || !t->level) return pf_no_room(t->ctx, "the eigenvalues");
  PF_TRY(load(t, A, noise));
  PF_TRY(pf_spectrum_find(t->ctx, t->scratch, t->A, n, s));
  for (int k = 0; k < n; k++) t->group[k] = k;
  join_groups(t, are_equal);
  take_means(t);
  join_groups(t, are_identical); /* all that are zero now */
  sort(t);
  for (int g = 0; vectors && g < n; g++) { /* of a multiple eigenvalue vectors are any basis, whichever was found */
    int count = 0;
    for (int k = g; k < n; k++) count += t->group[k] == g;
    if (count > 1 && s->im[g] >= 0) PF_TRY(replace_vectors(t, g, count));
  }
  for (int k = 0; vectors && k < n; k++)
    for (int i = 0; i < n; i++) s->vectors[k*n + i] *= t->scale[i];
  for (int k = 0; vectors && k < n; k++)
    if (s->im[k] >= 0) normalise(s->vectors + k*n, s->im[k] > 0 ? s->vectors + (k + 1)*n : NULL, n);
  for (int k = 0; k < n; k++) {
    re[k] = s->re[t->order[k]], im[k] = s->im[t->order[k]];
    for (int i = 0; vectors && i < n; i++) vectors[i*n + k] = s->vectors[(size_t)t->order[k]*(size_t)n + (size_t)i];
  }
  return PF_OK;
}

/* Scratch memory of the context is used. Cost: that of the decomposition, about 25 n^3. */
PfStatus pf_eig_general(PfContext *ctx, const double *A, const double *noise, int n, double *re, double *im,
                        double *vectors)
{
  PF_TRY(pf_check_size(ctx, n, n));
  if (!n) return PF_OK;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Sorting t = {.ctx = ctx, .scratch = scratch, .n = n};
  PfStatus status = find(&t, A, noise, re, im, vectors);
  pf_arena_release(scratch, mark);
  return status;
}
