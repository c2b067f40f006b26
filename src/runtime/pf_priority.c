/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Each set is solved in the null space of those before it. Golub & Van Loan, Matrix Computations, 4th ed., section 6.2
 * (constrained least squares). */
#include "pf_priority.h"

#ifndef PF_SINGLE

#include <string.h>

typedef struct PfPriorityWork {
  int n, free;              /* free: columns of N */
  double *N, *other, *Z;    /* n x n each. N (n x free): directions that the sets so far leave open; NULL: all */
  double *C, *r, *z, *reals; /* rows x n, rows, n; reals: of a factorisation */
  int *ints;
} PfPriorityWork;

static void pf_priority_place(PfPriorityWork *w, int n, int rows, double *reals, int *ints)
{
  const PfPriorityWork none = {.n = n, .free = n, .ints = ints};
  *w = none;
  w->other = pf_take_reals(&reals, n*n);
  w->Z = pf_take_reals(&reals, 2*n*n);
  w->C = pf_take_reals(&reals, rows*n);
  w->r = pf_take_reals(&reals, rows);
  w->z = pf_take_reals(&reals, n);
  w->reals = reals;
}

/* C = A N and r = b - A x, every row divided by the length of its row of A: units do not matter. The rest of a row in N
 * is rounding when it is less than tol. */
static void pf_priority_reduce(const PfPriorityWork *w, const PfRowSet *set, const double *x)
{
  int n = w->n, p = w->free;
  for (int i = 0; i < set->m; i++) {
    const double *row = set->A + (size_t)i*(size_t)n;
    double *out = w->C + (size_t)i*(size_t)p, length = pf_norm(row, n), scale = length > 0 ? 1/length : 0;
    w->r[i] = scale*(set->b[i] - pf_dot(row, x, n));
    for (int k = 0; k < p; k++) {
      double sum = w->N ? 0 : row[k];
      for (int j = 0; w->N && j < n; j++) sum += row[j]*w->N[(size_t)j*(size_t)p + (size_t)k];
      out[k] = scale*sum;
    }
    if (pf_norm(out, p) < set->tol) memset(out, 0, (size_t)p*sizeof *out);
  }
}

/* N becomes N times the null space of C. */
static void pf_priority_narrow(PfPriorityWork *w, PfQr *qr)
{
  const int n = w->n, p = w->free, left = p - qr->rank;
  double *const N = w->N, *const product = w->other;
  pf_qr_null_space(qr, w->Z);
  for (int j = 0; N && j < n; j++)
    for (int k = 0; k < left; k++) {
      double sum = 0;
      for (int i = 0; i < p; i++) sum += N[(size_t)j*(size_t)p + (size_t)i]*w->Z[(size_t)i*(size_t)left + (size_t)k];
      product[(size_t)j*(size_t)left + (size_t)k] = sum;
    }
  if (N) {
    w->N = product;
    w->other = N;
  } else { /* the null space itself */
    w->N = w->Z;
    w->Z += n*n;
  }
  w->free = left;
}

/* Solves a set in the directions that those before it leave free, by least squares. */
static bool pf_priority_solve_set(const PfPriorityWork *w, const PfRowSet *set, PfQr *qr, double *x)
{
  double *reals = w->reals;
  int *ints = w->ints;
  *qr = pf_qr_place(set->m, w->free, &reals, &ints);
  pf_priority_reduce(w, set, x);
  if (pf_qr_compute(qr, w->C, set->tol) != PF_FAULT_NONE || pf_first_not_finite(w->r, (size_t)set->m) >= 0)
    return false;
  (void)pf_qr_solve(qr, w->r, w->z);
  for (int j = 0; j < w->n; j++) { /* x += N z */
    if (!w->N) x[j] += w->z[j];
    for (int i = 0; w->N && i < w->free; i++) x[j] += w->N[(size_t)j*(size_t)w->free + (size_t)i]*w->z[i];
  }
  return true;
}

PF_RUNTIME bool pf_priority_solve(const PfRowSet *sets, int count, int n, double *reals, int *ints, double *x)
{
  PfPriorityWork w;
  int last = -1, rows = 0; /* the last set that has rows */
  for (int k = 0; k < count; k++) {
    if (sets[k].m > 0) last = k;
    if (sets[k].m > rows) rows = sets[k].m;
  }
  pf_priority_place(&w, n, rows, reals, ints);
  memset(x, 0, (size_t)n*sizeof *x);
  for (int k = 0; k <= last && w.free > 0; k++) {
    PfQr qr;
    if (sets[k].m == 0) continue;
    if (!pf_priority_solve_set(&w, sets + k, &qr, x)) return false;
    if (k < last) pf_priority_narrow(&w, &qr);
  }
  return true;
}

#endif
