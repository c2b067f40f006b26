/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
#include "pf_projection.h"

PF_RUNTIME void pf_projection_place(PfProjection *p, int n, int m, PfLdl *mass, PfQr *qr, pf_real *reals, int *ints)
{
  const PfProjection none = {.n = n, .mass = mass, .qr = qr, .massless = qr + 1};
  *p = none;
  *mass = pf_ldl_place(n, &reals, &ints);
  qr[0] = pf_qr_place(m, n, &reals, &ints);
  qr[1] = pf_qr_place(m, n, &reals, &ints);
  p->B = pf_take_reals(&reals, m*n);
  p->columns = pf_take_reals(&reals, m*n);
  p->Z = pf_take_reals(&reals, m*m);
  p->combined = pf_take_reals(&reals, m);
  p->y = pf_take_reals(&reals, n);
}

/* The columns of B without inertia, one after the other. What is rounding next to the rest of its row is zero. */
static void pf_projection_take_massless(const PfProjection *p, int rows)
{
  const pf_real rounding = PF_NUMBER(1e-13, 1e-6f);
  const int n = p->n, first = p->mass->rank;
  for (int i = 0; i < rows; i++) {
    const pf_real *row = p->B + (size_t)i*(size_t)n;
    const bool empty = pf_norm(row + first, n - first) <= rounding*pf_norm(row, n);
    for (int j = first; j < n; j++) p->columns[(size_t)(j - first)*(size_t)rows + (size_t)i] = empty ? 0 : row[j];
  }
}

/* y of B y = r with the least length of the part with inertia; the part without has no say in it and follows from the
 * rows. They are combined so that it drops out of as many as possible: Z^T B, where Z^T B_massless = 0. */
static void pf_projection_solve_massless(PfProjection *p, int rows, pf_real *right)
{
  const pf_real rounding = PF_NUMBER(1e-12, 1e-5f); /* coordinates without inertia may be of very different size */
  const int n = p->n, rank = p->mass->rank;
  PfQr *massless = p->massless;
  massless->m = rows, massless->n = n - rank;
  pf_projection_take_massless(p, rows);
  (void)pf_qr_compute_columns(massless, p->columns, rounding);
  const int count = rows - massless->rank;
  pf_qr_null_space_transposed(massless, p->Z);
  for (int k = 0; k < count; k++) {
    p->combined[k] = 0;
    for (int i = 0; i < rows; i++) p->combined[k] += p->Z[i*count + k]*right[i];
    for (int j = 0; j < rank; j++) {
      pf_real sum = 0;
      for (int i = 0; i < rows; i++) sum += p->Z[i*count + k]*p->B[i*n + j];
      p->columns[(size_t)j*(size_t)count + (size_t)k] = sum;
    }
  }
  PfQr part = *p->qr;
  part.m = count, part.n = rank;
  (void)pf_qr_compute_columns(&part, p->columns, PF_RANK_TOLERANCE);
  (void)pf_qr_solve(&part, p->combined, p->y);
  for (int i = 0; i < rows; i++) right[i] -= pf_dot(p->B + (size_t)i*(size_t)n, p->y, rank);
  (void)pf_qr_solve(massless, right, p->y + rank);
}

/* Factors of B, the rows of `slope` in the metric. Rows that are nearly dependent there may be so by masses of very
 * different sizes only: which are independent is decided in the units of the coordinates. */
static void pf_projection_factor(PfProjection *p, const pf_real *slope, int rows)
{
  const pf_real rounding = PF_NUMBER(1e-13, 1e-6f);
  const size_t n = (size_t)p->n;
  PfQr *qr = p->qr;
  qr->m = rows, qr->n = p->n;
  if (pf_qr_compute(qr, p->B, PF_RANK_TOLERANCE) != PF_FAULT_NONE || qr->rank == rows) return;
  for (int i = 0; i < rows; i++) {
    pf_real *row = p->columns + (size_t)i*n;
    for (size_t j = 0; j < n; j++) row[j] = slope[(size_t)i*n + j]*(p->column ? p->column[j] : 1);
    const pf_real unit = pf_binary_scale(row, n);
    for (size_t j = 0; j < n; j++) row[j] /= unit;
  }
  (void)pf_qr_compute(qr, p->columns, PF_RANK_TOLERANCE);
  (void)pf_qr_compute(qr, p->B, qr->rank == rows ? rounding : PF_RANK_TOLERANCE);
}

PF_RUNTIME void pf_projection_step(PfProjection *p, const pf_real *M, const pf_real *slope, int rows,
                                   const pf_real *unit, pf_real *right, pf_real *change)
{
  const int n = p->n;
  pf_metric_factor(p->mass, M);
  pf_metric_rows(p->mass, slope, rows, p->B);
  for (int i = 0; i < rows; i++) {
    pf_real length = unit ? unit[i] : pf_norm(p->B + (size_t)i*(size_t)n, n);
    if (!unit && p->typical)
      length *= pf_fmax(1, p->typical[i]/pf_binary_scale(slope + (size_t)i*(size_t)n, (size_t)n));
    if (!(length > 0)) continue;
    for (int j = 0; j < n; j++) p->B[i*n + j] /= length;
    right[i] /= length;
  }
  if (p->mass->rank < n) {
    pf_projection_solve_massless(p, rows, right);
  } else {
    pf_projection_factor(p, slope, rows);
    (void)pf_qr_solve(p->qr, right, p->y);
  }
  pf_metric_back(p->mass, p->y, change);
}

PF_RUNTIME int pf_descend(const PfDescent *d, pf_real enough)
{
  enum { MOST = 20 };
  pf_real last = 0;
  int steps;
  for (steps = 0;; steps++) {
    const pf_real size = d->residual(d->user);
    if (size <= enough || !isfinite(size) || (steps && !(size < last/2)) || steps == MOST || !d->step(d->user)) break;
    for (int j = 0; j < d->n; j++) d->x[j] += d->change[j];
    last = size;
  }
  return steps;
}
