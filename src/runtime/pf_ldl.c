/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Symmetric positive semidefinite systems by L D L^T with diagonal pivoting. The pivot is the diagonal
 * element of which most is left, relative to where it started: a choice that does not change when a
 * coordinate is measured in other units. Higham, Accuracy and Stability, 2nd ed., section 10.3. */
#include "pf_dense.h"

PF_RUNTIME PfLdl pf_ldl_place(int n, pf_real **reals, int **ints)
{
  PfLdl ldl = {.n = n, .fault_row = -1};
  ldl.L = pf_take_reals(reals, n*n);
  ldl.start = pf_take_reals(reals, n);
  ldl.work = pf_take_reals(reals, n);
  ldl.order = pf_take_ints(ints, n);
  return ldl;
}

static PfFault pf_ldl_refuse(PfLdl *ldl, PfFault fault, int row)
{
  ldl->fault = fault;
  ldl->fault_row = row;
  return fault;
}

/* Copies the lower triangle; what is above it stays unused. */
static PfFault pf_ldl_load(PfLdl *ldl, const pf_real *A)
{
  const int n = ldl->n;
  for (int i = 0; i < n; i++) {
    const pf_real *row = A + (size_t)i*(size_t)n;
    pf_real *to = ldl->L + (size_t)i*(size_t)n, probe = 0;
    for (int j = 0; j <= i; j++) {
      to[j] = row[j];
      probe += 0*row[j]; /* not 0 when the element is not finite */
    }
    if (!(probe == 0)) return pf_ldl_refuse(ldl, PF_FAULT_NOT_FINITE, i);
    if (row[i] < 0) return pf_ldl_refuse(ldl, PF_FAULT_INDEFINITE, i);
    ldl->start[i] = row[i];
    ldl->order[i] = i;
  }
  return PF_FAULT_NONE;
}

static void pf_ldl_swap(pf_real *x, pf_real *y)
{
  pf_real t = *x;
  *x = *y;
  *y = t;
}

/* Exchanges the rows and columns k < p in the lower triangle. */
static void pf_ldl_exchange(PfLdl *ldl, int k, int p)
{
  if (k == p) return;
  const size_t n = (size_t)ldl->n, a = (size_t)k, b = (size_t)p;
  pf_real *L = ldl->L;
  for (size_t j = 0; j < a; j++) pf_ldl_swap(&L[a*n + j], &L[b*n + j]);
  pf_ldl_swap(&L[a*n + a], &L[b*n + b]);
  for (size_t i = a + 1; i < b; i++) pf_ldl_swap(&L[i*n + a], &L[b*n + i]);
  for (size_t i = b + 1; i < n; i++) pf_ldl_swap(&L[i*n + a], &L[i*n + b]);
  pf_ldl_swap(&ldl->start[k], &ldl->start[p]);
  int row = ldl->order[k];
  ldl->order[k] = ldl->order[p];
  ldl->order[p] = row;
}

static pf_real pf_ldl_part_left(const PfLdl *ldl, int i)
{
  pf_real d = ldl->L[(size_t)i*(size_t)ldl->n + (size_t)i], start = ldl->start[i];
  if (!(start > 0)) return 0;
  return d == start ? 1 : d/start; /* untouched so far: no need to divide */
}

/* The row from k on of whose diagonal most is left; rounding does not decide among equal ones. */
static int pf_ldl_strongest(const PfLdl *ldl, int k, pf_real *part)
{
  int best = k;
  *part = pf_ldl_part_left(ldl, k);
  for (int i = k + 1; i < ldl->n; i++) {
    pf_real p = pf_ldl_part_left(ldl, i);
    if (p > *part*PF_LARGER) *part = p, best = i;
  }
  return best;
}

/* Takes the pivot k out of the rows below it; many mass matrices have zeros. */
static void pf_ldl_eliminate(PfLdl *ldl, int k)
{
  const size_t n = (size_t)ldl->n, c = (size_t)k;
  pf_real *L = ldl->L, *column = ldl->work, d = L[c*n + c];
  for (size_t i = c + 1; i < n; i++) {
    pf_real *row = L + i*n;
    column[i] = row[c];
    if (row[c] == 0) continue;
    pf_real l = row[c]/d;
    for (size_t j = c + 1; j <= i; j++) row[j] -= l*column[j];
    row[c] = l;
  }
}

/* What is left after the last pivot must be zero: |s_ij| <= pf_sqrt(s_ii s_jj) in a semidefinite matrix. */
static PfFault pf_ldl_check_rest(PfLdl *ldl, pf_real tol)
{
  const size_t n = (size_t)ldl->n;
  for (size_t i = (size_t)ldl->rank; i < n; i++) {
    for (size_t j = (size_t)ldl->rank; j <= i; j++) {
      pf_real scale = pf_sqrt(ldl->start[i])*pf_sqrt(ldl->start[j]);
      if (pf_fabs(ldl->L[i*n + j]) > 2*tol*scale) return pf_ldl_refuse(ldl, PF_FAULT_INDEFINITE, ldl->order[i]);
      ldl->L[i*n + j] = 0;
    }
  }
  return PF_FAULT_NONE;
}

/* A row of the factors without exchanges, from those above it: makes l_ij for j < i, and returns d_i.
 * `inverse` holds 1/d_j. */
static pf_real pf_ldl_next_row(const PfLdl *ldl, const pf_real *a, size_t i, const pf_real *inverse)
{
  const size_t n = (size_t)ldl->n;
  pf_real *row = ldl->L + i*n, d = a[i];
  size_t first = 0;
  for (; first < i && a[first] == 0; first++) row[first] = 0; /* many mass matrices have zeros */
  for (size_t j = first; j < i; j++) {                        /* l_ij d_j */
    const pf_real *above = ldl->L + j*n;
    pf_real sum = a[j];
    for (size_t k = first; k < j; k++) sum -= above[k]*row[k];
    row[j] = sum;
  }
  for (size_t j = first; j < i; j++) {
    pf_real l = row[j]*inverse[j];
    d -= l*row[j];
    row[j] = l;
  }
  return row[i] = d;
}

/* The factors without exchanges, which are as accurate. Parts are at most 1 and their product is the same in
 * every order, so that none could be smaller than the product: when that is well above tol, A has full
 * rank. */
static bool pf_ldl_factor_in_order(PfLdl *ldl, const pf_real *A, pf_real tol)
{
  const size_t n = (size_t)ldl->n;
  const pf_real least = tol > PF_NUMBER(1e-9, 1e-7f) ? 10*tol : PF_NUMBER(1e-8, 1e-5f);
  pf_real product = 1, margin = 1, *inverse = ldl->work;
  for (size_t i = 0; i < n; i++, A += n) {
    pf_real d = pf_ldl_next_row(ldl, A, i, inverse), part = d/A[i];
    product *= part;
    if (!(product > least && d >= PF_SMALLEST)) return false; /* also what is not finite */
    margin = part < margin ? part : margin;
    inverse[i] = 1/d;
    ldl->order[i] = (int)i;
  }
  ldl->margin = n ? margin : 0;
  ldl->rank = ldl->n;
  return true;
}

static PfFault pf_ldl_pivot_factor(PfLdl *ldl, const pf_real *A, pf_real tol)
{
  ldl->rank = 0;
  ldl->margin = 1;
  if (pf_ldl_load(ldl, A) != PF_FAULT_NONE) return ldl->fault;
  for (; ldl->rank < ldl->n; ldl->rank++) {
    pf_real part;
    int best = pf_ldl_strongest(ldl, ldl->rank, &part);
    if (!(part > tol)) break;
    pf_ldl_exchange(ldl, ldl->rank, best);
    if (part < ldl->margin) ldl->margin = part;
    pf_ldl_eliminate(ldl, ldl->rank);
  }
  return pf_ldl_check_rest(ldl, tol);
}

PF_RUNTIME PfFault pf_ldl_compute(PfLdl *ldl, const pf_real *A, pf_real tol)
{
  ldl->fault = PF_FAULT_NONE;
  ldl->fault_row = -1;
  if (!(tol > 0)) tol = (pf_real)(8*ldl->n)*PF_EPSILON;
  return pf_ldl_factor_in_order(ldl, A, tol) ? PF_FAULT_NONE : pf_ldl_pivot_factor(ldl, A, tol);
}

PF_RUNTIME void pf_ldl_forward(const PfLdl *ldl, const pf_real *b, pf_real *y)
{
  const size_t n = (size_t)ldl->n, rank = (size_t)ldl->rank;
  const pf_real *row = ldl->L;
  for (size_t i = 0; i < rank; i++, row += n) {
    pf_real sum = b[ldl->order[i]];
    for (size_t j = 0; j < i; j++) sum -= row[j]*y[j];
    y[i] = sum;
  }
}

PF_RUNTIME void pf_ldl_forward_many(const PfLdl *ldl, pf_real *Y, int count)
{
  const size_t n = (size_t)ldl->n, rank = (size_t)ldl->rank, width = (size_t)count;
  for (size_t i = 1; i < rank; i++) {
    const pf_real *row = ldl->L + i*n;
    pf_real *y = Y + i*width;
    for (size_t j = 0; j < i; j++) {
      const pf_real l = row[j], *above = Y + j*width;
      if (l == 0) continue; /* many mass matrices have zeros */
      for (size_t r = 0; r < width; r++) y[r] -= l*above[r];
    }
  }
}

PF_RUNTIME void pf_ldl_backward(const PfLdl *ldl, pf_real *y, pf_real *x)
{
  const size_t n = (size_t)ldl->n, rank = (size_t)ldl->rank;
  for (size_t i = 0; i < rank; i++) y[i] /= ldl->L[i*(n + 1)];
  for (size_t i = rank; i-- > 0;) {
    const pf_real *row = ldl->L + i*n, value = y[i];
    for (size_t j = 0; j < i; j++) y[j] -= row[j]*value;
    x[ldl->order[i]] = value;
  }
}

/* The relative residual of the equations after the rank. */
static pf_real pf_ldl_residual(const PfLdl *ldl, const pf_real *b, const pf_real *y)
{
  pf_real worst = 0;
  for (int i = ldl->rank; i < ldl->n; i++) {
    const pf_real *row = ldl->L + (size_t)i*(size_t)ldl->n;
    pf_real sum = b[ldl->order[i]], size = pf_fabs(sum);
    for (int j = 0; j < ldl->rank; j++) {
      sum -= row[j]*y[j];
      size += pf_fabs(row[j]*y[j]);
    }
    if (size > 0) worst = pf_fmax(worst, pf_fabs(sum)/size);
  }
  return worst;
}

PF_RUNTIME pf_real pf_ldl_solve(const PfLdl *ldl, const pf_real *b, pf_real *x)
{
  pf_real *y = ldl->work, miss = 0;
  pf_ldl_forward(ldl, b, y);
  if (ldl->rank < ldl->n) miss = pf_ldl_residual(ldl, b, y);
  pf_ldl_backward(ldl, y, x);
  for (int i = ldl->rank; i < ldl->n; i++) x[ldl->order[i]] = 0;
  return miss;
}
