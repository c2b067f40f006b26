/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* A mass matrix as a metric: x = T y with T^T M T = diag(1, 0). The first `rank` numbers of y are directions with
 * inertia, in which the mass-weighted length is the plain one; the others are directions without any. With P M P^T =
 * L D L^T, where the pivots that vanish are replaced by 1, T = P^T L^-T D^-1/2. */
#include "pf_dense.h"

PF_RUNTIME void pf_metric_factor(PfLdl *metric, const pf_real *M)
{
  const size_t n = (size_t)metric->n;
  if (pf_ldl_compute(metric, M, 0) != PF_FAULT_NONE) { /* no metric at all: every number in its own unit */
    metric->rank = 0;
    for (size_t i = 0; i < n; i++) {
      metric->order[i] = (int)i;
      for (size_t j = 0; j < i; j++) metric->L[i*n + j] = 0;
    }
  }
  for (size_t i = (size_t)metric->rank; i < n; i++) metric->L[i*(n + 1)] = 1;
}

PF_RUNTIME void pf_metric_rows(const PfLdl *metric, const pf_real *rows, int count, pf_real *out)
{
  const int n = metric->n;
  const pf_real *L = metric->L;
  for (int i = 0; i < count; i++) {
    const pf_real *from = rows + (size_t)i*(size_t)n;
    pf_real *row = out + (size_t)i*(size_t)n;
    for (int j = 0; j < n; j++) {
      pf_real sum = from[metric->order[j]];
      for (int k = 0; k < j; k++) sum -= L[j*n + k]*row[k];
      row[j] = sum;
    }
    for (int j = 0; j < n; j++) row[j] /= pf_sqrt(L[j*n + j]);
  }
}

PF_RUNTIME void pf_metric_back(const PfLdl *metric, pf_real *y, pf_real *x)
{
  const int n = metric->n;
  const pf_real *L = metric->L;
  for (int j = n; j-- > 0;) {
    pf_real sum = y[j]/pf_sqrt(L[j*n + j]);
    for (int k = j + 1; k < n; k++) sum -= L[k*n + j]*y[k];
    y[j] = sum;
    x[metric->order[j]] = sum;
  }
}
