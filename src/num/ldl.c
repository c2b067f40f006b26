/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric positive semidefinite systems by L D L^T with diagonal pivoting. The pivot is the diagonal
 * element of which most is left, relative to where it started: a choice that does not change when a
 * coordinate is measured in other units. Higham, Accuracy and Stability, 2nd ed., section 10.3. */
#include "num/num.h"

#include <float.h>
#include <math.h>

PfStatus pf_ldl_make(PfContext *ctx, PfArena *arena, int n, PfLdl *ldl)
{
  *ldl = (PfLdl){.n = n, .fault_row = -1};
  PF_TRY(pf_check_size(ctx, n, n));
  ldl->order = pf_arena_array(arena, int, n);
  ldl->L = pf_arena_array(arena, double, (size_t)n*(size_t)n);
  ldl->start = pf_arena_array(arena, double, n);
  ldl->work = pf_arena_array(arena, double, n);
  if (ldl->order && ldl->L && ldl->start && ldl->work) return PF_OK;
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for a symmetric matrix of %d rows", n);
}

static PfStatus refuse(PfLdl *ldl, PfFault fault, int row)
{
  ldl->fault = fault;
  ldl->fault_row = row;
  return PF_ERR_NUMBER;
}

/* Copies the lower triangle; what is above it stays unused. */
static PfStatus load(PfLdl *ldl, const double *A)
{
  const int n = ldl->n;
  for (int i = 0; i < n; i++) {
    const double *row = A + (size_t)i*(size_t)n;
    double *to = ldl->L + (size_t)i*(size_t)n, probe = 0;
    for (int j = 0; j <= i; j++) {
      to[j] = row[j];
      probe += 0*row[j]; /* not 0 when the element is not finite */
    }
    if (!(probe == 0)) return refuse(ldl, PF_FAULT_NOT_FINITE, i);
    if (row[i] < 0) return refuse(ldl, PF_FAULT_INDEFINITE, i);
    ldl->start[i] = row[i];
    ldl->order[i] = i;
  }
  return PF_OK;
}

static void swap(double *x, double *y)
{
  double t = *x;
  *x = *y;
  *y = t;
}

/* Exchanges the rows and columns k < p in the lower triangle. */
static void exchange(PfLdl *ldl, int k, int p)
{
  if (k == p) return;
  const size_t n = (size_t)ldl->n, a = (size_t)k, b = (size_t)p;
  double *L = ldl->L;
  for (size_t j = 0; j < a; j++) swap(&L[a*n + j], &L[b*n + j]);
  swap(&L[a*n + a], &L[b*n + b]);
  for (size_t i = a + 1; i < b; i++) swap(&L[i*n + a], &L[b*n + i]);
  for (size_t i = b + 1; i < n; i++) swap(&L[i*n + a], &L[i*n + b]);
  swap(&ldl->start[k], &ldl->start[p]);
  int row = ldl->order[k];
  ldl->order[k] = ldl->order[p];
  ldl->order[p] = row;
}

static double part_left(const PfLdl *ldl, int i)
{
  double d = ldl->L[(size_t)i*(size_t)ldl->n + (size_t)i], start = ldl->start[i];
  if (!(start > 0)) return 0;
  return d == start ? 1 : d/start; /* untouched so far: no need to divide */
}

/* The row from k on of whose diagonal most is left; rounding does not decide among equal ones. */
static int strongest(const PfLdl *ldl, int k, double *part)
{
  int best = k;
  *part = part_left(ldl, k);
  for (int i = k + 1; i < ldl->n; i++) {
    double p = part_left(ldl, i);
    if (p > *part*PF_LARGER) *part = p, best = i;
  }
  return best;
}

/* Takes the pivot k out of the rows below it; many mass matrices have zeros. */
static void eliminate(PfLdl *ldl, int k)
{
  const size_t n = (size_t)ldl->n, c = (size_t)k;
  double *L = ldl->L, *column = ldl->work, d = L[c*n + c];
  for (size_t i = c + 1; i < n; i++) {
    double *row = L + i*n;
    column[i] = row[c];
    if (row[c] == 0) continue;
    double l = row[c]/d;
    for (size_t j = c + 1; j <= i; j++) row[j] -= l*column[j];
    row[c] = l;
  }
}

/* What is left after the last pivot must be zero: |s_ij| <= sqrt(s_ii s_jj) in a semidefinite matrix. */
static PfStatus check_rest(PfLdl *ldl, double tol)
{
  const size_t n = (size_t)ldl->n;
  for (size_t i = (size_t)ldl->rank; i < n; i++) {
    for (size_t j = (size_t)ldl->rank; j <= i; j++) {
      double scale = sqrt(ldl->start[i])*sqrt(ldl->start[j]);
      if (fabs(ldl->L[i*n + j]) > 2*tol*scale) return refuse(ldl, PF_FAULT_INDEFINITE, ldl->order[i]);
      ldl->L[i*n + j] = 0;
    }
  }
  return PF_OK;
}

/* A row of the factors without exchanges, from those above it: makes l_ij for j < i, and returns d_i.
 * `inverse` holds 1/d_j. */
static double next_row(const PfLdl *ldl, const double *a, size_t i, const double *inverse)
{
  const size_t n = (size_t)ldl->n;
  double *row = ldl->L + i*n, d = a[i];
  size_t first = 0;
  for (; first < i && a[first] == 0; first++) row[first] = 0; /* many mass matrices have zeros */
  for (size_t j = first; j < i; j++) {                        /* l_ij d_j */
    const double *above = ldl->L + j*n;
    double sum = a[j];
    for (size_t k = first; k < j; k++) sum -= above[k]*row[k];
    row[j] = sum;
  }
  for (size_t j = first; j < i; j++) {
    double l = row[j]*inverse[j];
    d -= l*row[j];
    row[j] = l;
  }
  return row[i] = d;
}

/* The factors without exchanges, which are as accurate. Parts are at most 1 and their product is the same in
 * every order, so that none could be smaller than the product: when that is well above tol, A has full
 * rank. */
static bool factor_plainly(PfLdl *ldl, const double *A, double tol)
{
  const size_t n = (size_t)ldl->n;
  const double least = tol > 1e-9 ? 10*tol : 1e-8;
  double product = 1, margin = 1, *inverse = ldl->work;
  for (size_t i = 0; i < n; i++, A += n) {
    double d = next_row(ldl, A, i, inverse), part = d/A[i];
    product *= part;
    if (!(product > least && d >= DBL_MIN)) return false; /* also what is not finite */
    margin = part < margin ? part : margin;
    inverse[i] = 1/d;
    ldl->order[i] = (int)i;
  }
  ldl->margin = n ? margin : 0;
  ldl->rank = ldl->n;
  return true;
}

static PfStatus factor(PfLdl *ldl, const double *A, double tol)
{
  ldl->rank = 0;
  ldl->margin = 1;
  PF_TRY(load(ldl, A));
  for (; ldl->rank < ldl->n; ldl->rank++) {
    double part;
    int best = strongest(ldl, ldl->rank, &part);
    if (!(part > tol)) break;
    exchange(ldl, ldl->rank, best);
    if (part < ldl->margin) ldl->margin = part;
    eliminate(ldl, ldl->rank);
  }
  return check_rest(ldl, tol);
}

PfStatus pf_ldl_factor(PfLdl *ldl, const double *A, double tol)
{
  ldl->fault = PF_FAULT_NONE;
  ldl->fault_row = -1;
  if (!(tol > 0)) tol = 8*ldl->n*DBL_EPSILON;
  return factor_plainly(ldl, A, tol) ? PF_OK : factor(ldl, A, tol);
}

void pf_ldl_forward(const PfLdl *ldl, const double *b, double *y)
{
  const size_t n = (size_t)ldl->n, rank = (size_t)ldl->rank;
  const double *row = ldl->L;
  for (size_t i = 0; i < rank; i++, row += n) {
    double sum = b[ldl->order[i]];
    for (size_t j = 0; j < i; j++) sum -= row[j]*y[j];
    y[i] = sum;
  }
}

void pf_ldl_forward_many(const PfLdl *ldl, double *Y, int count)
{
  const size_t n = (size_t)ldl->n, rank = (size_t)ldl->rank, width = (size_t)count;
  for (size_t i = 1; i < rank; i++) {
    const double *row = ldl->L + i*n;
    double *y = Y + i*width;
    for (size_t j = 0; j < i; j++) {
      const double l = row[j], *above = Y + j*width;
      if (l == 0) continue; /* many mass matrices have zeros */
      for (size_t r = 0; r < width; r++) y[r] -= l*above[r];
    }
  }
}

void pf_ldl_backward(const PfLdl *ldl, double *y, double *x)
{
  const size_t n = (size_t)ldl->n, rank = (size_t)ldl->rank;
  for (size_t i = 0; i < rank; i++) y[i] /= ldl->L[i*(n + 1)];
  for (size_t i = rank; i-- > 0;) {
    const double *row = ldl->L + i*n, value = y[i];
    for (size_t j = 0; j < i; j++) y[j] -= row[j]*value;
    x[ldl->order[i]] = value;
  }
}

/* The relative residual of the equations after the rank. */
static double miss_of_rest(const PfLdl *ldl, const double *b, const double *y)
{
  double worst = 0;
  for (int i = ldl->rank; i < ldl->n; i++) {
    const double *row = ldl->L + (size_t)i*(size_t)ldl->n;
    double sum = b[ldl->order[i]], size = fabs(sum);
    for (int j = 0; j < ldl->rank; j++) {
      sum -= row[j]*y[j];
      size += fabs(row[j]*y[j]);
    }
    if (size > 0) worst = fmax(worst, fabs(sum)/size);
  }
  return worst;
}

double pf_ldl_solve(const PfLdl *ldl, const double *b, double *x)
{
  double *y = ldl->work, miss = 0;
  pf_ldl_forward(ldl, b, y);
  if (ldl->rank < ldl->n) miss = miss_of_rest(ldl, b, y);
  pf_ldl_backward(ldl, y, x);
  for (int i = ldl->rank; i < ldl->n; i++) x[ldl->order[i]] = 0;
  return miss;
}
