/* SPDX-License-Identifier: Apache-2.0 */
/* The formulations over a prime field, each by its own algebra: nothing but matrices is shared. A comment
 * gives the equations; sources are in the files of the formulations in numbers. Growth of degrees: with
 * entries that are polynomials of degree d (a common denominator of M and F, and of A and b, cancels), a
 * determinant of size k has the degree k*d, and so has a solution by Cramer's rule. */
#include "form/exact.h"

#include <assert.h>
#include <string.h>

/* ---------------------------------------------------------------- memory */

/* Each formulation needs a few matrices of n + m rows and columns; one level of the cascade returns its memory before
 * the next. */
size_t pf_exact_pool_size(int n, int m)
{
  size_t side = (size_t)n + (size_t)m + 1;
  return 16*side*side;
}

/* The pool is large enough for every formulation, which the assertion makes sure of. */
uint64_t *pf_exact_take(PfExactSystem *at, int count)
{
  uint64_t *block = at->pool + at->pool_used;
  at->pool_used += (size_t)count;
  assert(at->pool_used <= at->pool_room);
  return block;
}

static uint64_t *take(PfExactSystem *at, int rows, int columns)
{
  return pf_exact_take(at, rows*columns);
}

static bool solve(PfExactSystem *at, const uint64_t *A, int n, const uint64_t *B, int q, uint64_t *X)
{
  return pf_exact_solve(at->field, A, n, B, q, take(at, n, n + q), X);
}

/* ---------------------------------------------------------------- multipliers */

/* [M -A^T; A 0] [q''; lambda] = [F + C; b] The whole saddle point system, of n + rank rows. */
static PfExactAnswer multipliers(PfExactSystem *at, uint64_t *q2)
{
  int n = at->n, r = at->rank, size = n + r;
  uint64_t *K = take(at, size, size), *right = take(at, size, 1), *x = take(at, size, 1);
  memset(K, 0, (size_t)size*(size_t)size*sizeof *K);
  for (int i = 0; i < n; i++) {
    memcpy(K + (size_t)i*(size_t)size, at->M + (size_t)i*(size_t)n, (size_t)n*sizeof *K);
    for (int k = 0; k < r; k++) {
      K[i*size + n + k] = pf_field_negate(at->field, at->A[k*n + i]);
      K[(n + k)*size + i] = at->A[k*n + i];
    }
  }
  memcpy(right, at->load, (size_t)n*sizeof *right);
  memcpy(right + n, at->b, (size_t)r*sizeof *right);
  if (!solve(at, K, size, right, 1, x)) return PF_EXACT_NOT_UNIQUE;
  memcpy(q2, x, (size_t)n*sizeof *q2);
  return PF_EXACT_DONE;
}

static double multipliers_growth(int n, int rank, int speeds)
{
  (void)speeds;
  return n + rank;
}

/* ---------------------------------------------------------------- Udwadia and Kalaba */

/* q'' = a + M^-1 A^T (A M^-1 A^T)^-1 (b - A a), a = M^-1 (F + C) */
static PfExactAnswer udwadia_kalaba(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  int n = at->n, r = at->rank;
  uint64_t *At = take(at, n, r), *T = take(at, n, r), *a = take(at, n, 1), *S = take(at, r, r);
  uint64_t *e = take(at, r, 1), *y = take(at, r, 1);
  pf_exact_transpose(at->A, r, n, At);
  if (!solve(at, at->M, n, at->load, 1, a) || !solve(at, at->M, n, At, r, T)) return PF_EXACT_SINGULAR_MASS;
  pf_exact_product(f, at->A, T, r, n, r, S);
  pf_exact_product(f, at->A, a, r, n, 1, e);
  pf_exact_subtract(f, at->b, e, r, e);
  if (!solve(at, S, r, e, 1, y)) return PF_EXACT_UNDEFINED;
  pf_exact_product(f, T, y, n, r, 1, q2);
  pf_exact_add(f, a, q2, n, q2);
  return PF_EXACT_DONE;
}

/* det M * det(A adj(M) A^T), and as much again above. */
static double udwadia_kalaba_growth(int n, int rank, int speeds)
{
  (void)speeds;
  return (n + 1.0)*(rank + 2);
}

/* ---------------------------------------------------------------- elimination */

/* row -= factor*other */
static void take_row(const PfField *f, uint64_t *row, const uint64_t *other, int width, uint64_t factor)
{
  for (int j = 0; j < width; j++) row[j] = pf_field_subtract(f, row[j], pf_field_multiply(f, factor, other[j]));
}

/* B = W^-1 B for q columns by Gauss's elimination without pivoting, which also changes W; false when a pivot is zero.
 * The elimination of 'elimination' takes no pivots either, so that a zero one means the same. */
static bool eliminate(const PfField *f, uint64_t *W, int n, uint64_t *B, int q)
{
  for (int p = 0; p < n; p++) {
    if (!W[p*n + p]) return false;
    uint64_t inverse = pf_field_invert(f, W[p*n + p]);
    for (int i = p + 1; i < n; i++) {
      uint64_t factor = pf_field_multiply(f, W[i*n + p], inverse);
      take_row(f, W + (size_t)i*(size_t)n, W + (size_t)p*(size_t)n, n, factor);
      take_row(f, B + (size_t)i*(size_t)q, B + (size_t)p*(size_t)q, q, factor);
    }
  }
  for (int p = n; p-- > 0;) {
    uint64_t *row = B + (size_t)p*(size_t)q, inverse = pf_field_invert(f, W[p*n + p]);
    for (int i = p + 1; i < n; i++) take_row(f, row, B + (size_t)i*(size_t)q, q, W[p*n + i]);
    for (int j = 0; j < q; j++) row[j] = pf_field_multiply(f, row[j], inverse);
  }
  return true;
}

/* [Y a] = M^-1 [A^T (F + C)], A Y lambda = b - A a, q'' = a + Y lambda */
static PfExactAnswer elimination(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  int n = at->n, m = at->m, width = m + 1;
  uint64_t *M = take(at, n, n), *Y = take(at, n, width), *all = take(at, m, width), *S = take(at, m, m),
           *lambda = take(at, m, 1);
  if (at->rank < m) return PF_EXACT_ABSENT;
  memcpy(M, at->M, (size_t)n*(size_t)n*sizeof *M);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) Y[i*width + k] = at->A[k*n + i];
    Y[i*width + m] = at->load[i];
  }
  if (!eliminate(f, M, n, Y, width)) return PF_EXACT_SINGULAR_MASS;
  pf_exact_product(f, at->A, Y, m, n, width, all);
  for (int k = 0; k < m; k++) {
    memcpy(S + (size_t)k*(size_t)m, all + (size_t)k*(size_t)width, (size_t)m*sizeof *S);
    lambda[k] = pf_field_subtract(f, at->b[k], all[k*width + m]);
  }
  if (!eliminate(f, S, m, lambda, 1)) return PF_EXACT_UNDEFINED;
  for (int i = 0; i < n; i++) {
    q2[i] = Y[i*width + m];
    for (int k = 0; k < m; k++) q2[i] = pf_field_add(f, q2[i], pf_field_multiply(f, Y[i*width + k], lambda[k]));
  }
  return PF_EXACT_DONE;
}

/* ---------------------------------------------------------------- Udwadia and Phohomsiri */

/* q'' = B^+ [F + C; b], B = [P M; A], P = I - A^T (A A^T)^-1 A; by the normal equations, as B has full
 * rank. */
static PfExactAnswer udwadia_phohomsiri(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  int n = at->n, r = at->rank;
  uint64_t *At = take(at, n, r), *S = take(at, r, r), *Y = take(at, r, n), *P = take(at, n, n);
  uint64_t *B = take(at, n + r, n), *right = take(at, n + r, 1), *BB = take(at, n, n), *Bright = take(at, n, 1);
  pf_exact_transpose(at->A, r, n, At);
  pf_exact_product(f, at->A, At, r, n, r, S);
  if (!solve(at, S, r, at->A, n, Y)) return PF_EXACT_UNDEFINED;
  pf_exact_product(f, At, Y, n, r, n, P);
  for (int i = 0; i < n*n; i++) P[i] = pf_field_subtract(f, i%(n + 1) ? 0 : f->one, P[i]);
  pf_exact_product(f, P, at->M, n, n, n, B);
  memcpy(B + (size_t)n*(size_t)n, at->A, (size_t)r*(size_t)n*sizeof *B);
  memcpy(right, at->load, (size_t)n*sizeof *right);
  memcpy(right + n, at->b, (size_t)r*sizeof *right);
  pf_exact_transposed_product(f, B, B, n, n + r, n, BB);
  pf_exact_transposed_product(f, B, right, n, n + r, 1, Bright);
  return solve(at, BB, n, Bright, 1, q2) ? PF_EXACT_DONE : PF_EXACT_NOT_UNIQUE;
}

/* B has the degree 2 rank + 1 after multiplication by det(A A^T), its square twice that. */
static double udwadia_phohomsiri_growth(int n, int rank, int speeds)
{
  (void)speeds;
  return (n + 1.0)*2*(2*rank + 1);
}

/* ---------------------------------------------------------------- Rosenberg */

/* Dependent coordinates 1 and independent ones 2, with K = A1^-1 A2 and d = A1^-1 b. */
typedef struct Partition {
  int r, free;
  const int *first, *second;      /* coordinates */
  uint64_t *K, *d, *M11, *M12, *M21, *M22, *F1, *F2;
} Partition;

/* Rows or columns that are NULL are all of them, in their order. */
static uint64_t *gather(PfExactSystem *at, const uint64_t *A, int width, const int *rows, int row_count,
                        const int *columns, int column_count)
{
  uint64_t *block = take(at, row_count, column_count);
  for (int i = 0; i < row_count; i++)
    for (int j = 0; j < column_count; j++)
      block[i*column_count + j] = A[(rows ? rows[i] : i)*width + (columns ? columns[j] : 0)];
  return block;
}

/* Dependent coordinates by pivots of A: q''_1 = d - K q''_2, and the blocks of M that belong to it. */
static bool partition(PfExactSystem *at, const int *order, Partition *p)
{
  const PfField *f = at->field;
  int n = at->n, r = p->r = at->rank, free = p->free = n - r;
  uint64_t *W = take(at, r, n);
  memcpy(W, at->A, (size_t)r*(size_t)n*sizeof *W);
  if (pf_exact_reduce(f, W, r, n, order, n, at->pivot) < r) return false;
  /* at->columns: the dependent coordinates (pivots), then the others. */
  int count = r;
  memcpy(at->columns, at->pivot, (size_t)r*sizeof *at->columns);
  for (int j = 0; j < at->n; j++) {
    bool dependent = false;
    for (int k = 0; k < r && !dependent; k++) dependent = at->pivot[k] == j;
    if (!dependent) at->columns[count++] = j;
  }
  p->first = at->columns;
  p->second = at->columns + r;
  const uint64_t *A1 = gather(at, at->A, n, NULL, r, p->first, r);
  const uint64_t *A2 = gather(at, at->A, n, NULL, r, p->second, free);
  p->K = take(at, r, free);
  p->d = take(at, r, 1);
  p->M11 = gather(at, at->M, n, p->first, r, p->first, r);
  p->M12 = gather(at, at->M, n, p->first, r, p->second, free);
  p->M21 = gather(at, at->M, n, p->second, free, p->first, r);
  p->M22 = gather(at, at->M, n, p->second, free, p->second, free);
  p->F1 = gather(at, at->load, 1, p->first, r, NULL, 1);
  p->F2 = gather(at, at->load, 1, p->second, free, NULL, 1);
  return solve(at, A1, r, A2, free, p->K) && solve(at, A1, r, at->b, 1, p->d);
}

/* q1'' = d - K q2''  (33) */
static void place(PfExactSystem *at, const Partition *p, const uint64_t *independent, uint64_t *q2)
{
  uint64_t *dependent = take(at, p->r, 1);
  pf_exact_product(at->field, p->K, independent, p->r, p->free, 1, dependent);
  pf_exact_subtract(at->field, p->d, dependent, p->r, dependent);
  for (int i = 0; i < p->r; i++) q2[p->first[i]] = dependent[i];
  for (int i = 0; i < p->free; i++) q2[p->second[i]] = independent[i];
}

/* X = K^T M11 K - K^T M12 - M21 K + M22,  X q2'' = F2 - K^T F1 + (K^T M11 - M21) d  (34) */
static PfExactAnswer rosenberg_extended(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  Partition p;
  if (!partition(at, NULL, &p)) return PF_EXACT_UNDEFINED;
  int r = p.r, free = p.free;
  uint64_t *L = take(at, free, r), *X = take(at, free, free), *KM12 = take(at, free, free);
  uint64_t *right = take(at, free, 1), *KF1 = take(at, free, 1), *y = take(at, free, 1);
  pf_exact_transposed_product(f, p.K, p.M11, free, r, r, L);
  pf_exact_subtract(f, L, p.M21, free*r, L); /* K^T M11 - M21 */
  pf_exact_product(f, L, p.K, free, r, free, X);
  pf_exact_transposed_product(f, p.K, p.M12, free, r, free, KM12);
  pf_exact_subtract(f, X, KM12, free*free, X);
  pf_exact_add(f, X, p.M22, free*free, X);
  pf_exact_product(f, L, p.d, free, r, 1, right);
  pf_exact_transposed_product(f, p.K, p.F1, free, r, 1, KF1);
  pf_exact_subtract(f, right, KF1, free, right);
  pf_exact_add(f, right, p.F2, free, right);
  if (!solve(at, X, free, right, 1, y)) return PF_EXACT_NOT_UNIQUE;
  place(at, &p, y, q2);
  return PF_EXACT_DONE;
}

/* Looks first for dependent coordinates among those that drop out of N^T M q'' = N^T F. */
static bool prefer_dropped(PfExactSystem *at)
{
  const PfField *f = at->field;
  int n = at->n, free = n - at->rank, count = 0;
  uint64_t *N = take(at, n, free), *a = take(at, n, 1), *NM = take(at, free, n), *work = take(at, at->rank, n + 1);
  if (pf_exact_solutions(f, at->A, at->b, at->rank, n, NULL, work, at->pivot, N, a) < 0) return false;
  pf_exact_transposed_product(f, N, at->M, free, n, n, NM);
  for (int part = 0; part < 2; part++)
    for (int j = 0; j < n; j++) {
      int used = 0;
      for (int i = 0; i < free; i++) used |= NM[i*n + j] != 0;
      if (used == part) at->order[count++] = j;
    }
  return true;
}

/* (16) alone, N^T M q'' = N^T F with N = [-K; I]: where M21 = K^T M11, q1'' drops out. */
static PfExactAnswer rosenberg(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  Partition p;
  if (!prefer_dropped(at) || !partition(at, at->order, &p)) return PF_EXACT_UNDEFINED;
  int r = p.r, free = p.free;
  uint64_t *first = take(at, free, r), *second = take(at, free, free);
  uint64_t *right = take(at, free, 1), *y = take(at, free, 1);
  pf_exact_transposed_product(f, p.K, p.M11, free, r, r, first);
  pf_exact_subtract(f, p.M21, first, free*r, first);
  if (!pf_exact_is_zero(first, free*r)) return PF_EXACT_UNDETERMINED;
  pf_exact_transposed_product(f, p.K, p.M12, free, r, free, second);
  pf_exact_subtract(f, p.M22, second, free*free, second);
  pf_exact_transposed_product(f, p.K, p.F1, free, r, 1, right);
  pf_exact_subtract(f, p.F2, right, free, right);
  if (!solve(at, second, free, right, 1, y)) return PF_EXACT_NOT_UNIQUE;
  place(at, &p, y, q2);
  return PF_EXACT_DONE;
}

/* K over det(A1), X over its square. */
static double rosenberg_growth(int n, int rank, int speeds)
{
  (void)speeds;
  return (n - rank + 2.0)*(2*rank + 1);
}

/* ---------------------------------------------------------------- motion along directions */

/* q'' = a + N (N^T M N)^-1 N^T (F + C - M a), N: n x free Common to Maggi's equations and the cascade, which differ in
 * N. */
static PfExactAnswer along(PfExactSystem *at, const uint64_t *N, int free, const uint64_t *a, uint64_t *q2)
{
  const PfField *f = at->field;
  int n = at->n;
  uint64_t *MN = take(at, n, free), *X = take(at, free, free), *rest = take(at, n, 1), *right = take(at, free, 1);
  uint64_t *y = take(at, free, 1);
  pf_exact_product(f, at->M, N, n, n, free, MN);
  pf_exact_transposed_product(f, N, MN, free, n, free, X);
  pf_exact_product(f, at->M, a, n, n, 1, rest);
  pf_exact_subtract(f, at->load, rest, n, rest);
  pf_exact_transposed_product(f, N, rest, free, n, 1, right);
  if (!solve(at, X, free, right, 1, y)) return PF_EXACT_NOT_UNIQUE;
  pf_exact_product(f, N, y, n, free, 1, q2);
  pf_exact_add(f, a, q2, n, q2);
  return PF_EXACT_DONE;
}

/* Does N (n x free) by the user's speeds satisfy the constraints, A N = 0? */
static bool are_admissible(PfExactSystem *at, int free)
{
  if (!at->user_speeds || !at->N || at->speeds != free) return false;
  for (int i = 0; i < at->n*free; i++)
    if (at->N[i] == PF_UNDEFINED) return false;
  uint64_t *AN = take(at, at->rank, free);
  pf_exact_product(at->field, at->A, at->N, at->rank, at->n, free, AN);
  return pf_exact_is_zero(AN, at->rank*free);
}

/* N by the user's speeds, or with dependent coordinates from the last ones. */
static PfExactAnswer maggi(PfExactSystem *at, uint64_t *q2)
{
  int n = at->n, free = n - at->rank;
  uint64_t *N = take(at, n, free), *a = take(at, n, 1), *work = take(at, at->rank, n + 1);
  for (int j = 0; j < n; j++) at->order[j] = n - 1 - j;
  if (pf_exact_solutions(at->field, at->A, at->b, at->rank, n, at->order, work, at->pivot, N, a) < 0)
    return PF_EXACT_CONTRADICTION;
  return along(at, are_admissible(at, free) ? at->N : N, free, a, q2);
}

/* One level of the cascade: B = A_l N, a <- a + N B^+ (b_l - A_l a), N <- N null(B). `*free` becomes the number of
 * directions that are left. False when the level contradicts earlier ones. */
static bool impose(PfExactSystem *at, int level, uint64_t *N, uint64_t *a, int *free)
{
  const PfField *f = at->field;
  int n = at->n, wide = *free, begin = at->level_first[level], count = at->level_first[level + 1] - begin;
  uint64_t *B = take(at, count, wide), *e = take(at, count, 1), *Z = take(at, wide, wide), *z = take(at, wide, 1);
  uint64_t *next = take(at, n, wide), *step = take(at, n, 1);
  for (int i = 0; i < count; i++) {
    int row = at->level_rows[begin + i];
    pf_exact_product(f, at->all_A + (size_t)row*(size_t)n, N, 1, n, wide, B + (size_t)i*(size_t)wide);
    pf_exact_product(f, at->all_A + (size_t)row*(size_t)n, a, 1, n, 1, e + i);
    e[i] = pf_field_subtract(f, at->all_b[row], e[i]);
  }
  int rank = pf_exact_solutions(f, B, e, count, wide, NULL, take(at, count, wide + 1), at->pivot, Z, z);
  if (rank < 0) return false;
  *free = wide - rank;
  pf_exact_product(f, N, z, n, wide, 1, step);
  pf_exact_add(f, a, step, n, a);
  pf_exact_product(f, N, Z, n, wide, *free, next);
  memcpy(N, next, (size_t)n*(size_t)*free*sizeof *N);
  return true;
}

/* Memory of a level is free again for the next one. All levels contradict each other or none: the first contradiction
 * ends it. */
static PfExactAnswer cascade(PfExactSystem *at, uint64_t *q2)
{
  int n = at->n, free = n;
  uint64_t *N = take(at, n, n), *a = take(at, n, 1);
  memset(a, 0, (size_t)n*sizeof *a);
  for (int i = 0; i < n*n; i++) N[i] = i%(n + 1) ? 0 : at->field->one;
  for (int l = 0; l < at->levels; l++) {
    size_t used = at->pool_used;
    if (!impose(at, l, N, a, &free)) return PF_EXACT_CONTRADICTION;
    at->pool_used = used;
  }
  return along(at, N, free, a, q2);
}

/* N is the basis with ones at the independent coordinates, whatever the road to it: over a determinant of
 * A. That of the user has the degree of the entries. */
static double directions_growth(int n, int rank, int speeds)
{
  (void)speeds;
  return (n - rank + 2.0)*(2*rank + 3);
}

/* ---------------------------------------------------------------- laconic */

/* G omega' = g, q'' = N omega' + drift */
static PfExactAnswer laconic(PfExactSystem *at, uint64_t *q2)
{
  int n = at->n, s = at->speeds;
  if (!at->G) return PF_EXACT_ABSENT;
  if (!at->user_speeds && s != n - at->rank) return PF_EXACT_OTHER_RANK;
  for (int i = 0; i < s*s + s + n*s + n; i++) /* G, g, N, drift are in one piece */
    if (at->G[i] == PF_UNDEFINED) return PF_EXACT_UNDEFINED;
  uint64_t *rate = take(at, s, 1);
  if (!solve(at, at->G, s, at->g, 1, rate)) return PF_EXACT_NOT_UNIQUE;
  pf_exact_product(at->field, at->N, rate, n, s, 1, q2);
  pf_exact_add(at->field, at->drift, q2, n, q2);
  return PF_EXACT_DONE;
}

static double laconic_growth(int n, int rank, int speeds)
{
  (void)n, (void)rank;
  return speeds + 2;
}

/* ---------------------------------------------------------------- the list */

const PfExactForm pf_exact_forms[] = {
  {"multipliers", multipliers, multipliers_growth},
  {"elimination", elimination, udwadia_kalaba_growth}, /* the same determinants */
    {"udwadia_kalaba", udwadia_kalaba, udwadia_kalaba_growth},
  {"udwadia_phohomsiri", udwadia_phohomsiri, udwadia_phohomsiri_growth},
  {"rosenberg", rosenberg, rosenberg_growth},
  {"rosenberg_extended", rosenberg_extended, rosenberg_growth},
  {"maggi", maggi, directions_growth},
  {"laconic", laconic, laconic_growth},
  {"cascade", cascade, directions_growth},
};
const int pf_exact_form_count = sizeof pf_exact_forms/sizeof *pf_exact_forms;
