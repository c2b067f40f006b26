/* SPDX-License-Identifier: Apache-2.0 */
/* Motion along admissible directions: what Maggi, Rosenberg and the cascade have in common. */
#include "form/form_impl.h"

#include <math.h>

/* For up to n directions. */
PfStatus pf_reduced_make(PfSolver *s, PfReduced *r)
{
  const int n = s->system->n;
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&r->N, n, n}, {&r->a, n, 1}, {&r->MN, n, n}, {&r->X, n, n}, {&r->right, n, 1},
                                       {&r->y, n, 1}, {&r->Ma, n, 1}, {0}}));
  return pf_ldl_make(s->ctx, s->arena, n, &r->mass);
}

/* The coordinate that takes most part in the motion N y. Rounding does not decide between equal parts. */
static int strongest_coordinate(const PfReduced *r, int n, int free)
{
  int best = 0;
  double most = -1;
  for (int i = 0; i < n; i++) {
    double part = fabs(pf_dot(r->N + (size_t)i*(size_t)free, r->y, free));
    if (part > most*PF_LARGER) most = part, best = i;
  }
  return best;
}

/* Factors X, or gives the coordinate that has no inertia or a negative one: that which takes most part in a motion
 * N y without energy. The energy of a direction k of N counts as zero when it is nothing but rounding. Where only the
 * factors show it, y_k = 1 and X y = 0 in the rows that were factored. */
static PfTrouble factor(const PfSolver *s, PfReduced *r, int free, int *row)
{
  const int n = s->system->n;
  PfLdl *X = &r->mass;
  for (int k = 0; k < free; k++) {
    double terms = 0, energy = r->X[k*free + k];
    for (int i = 0; i < n; i++) terms += r->N[i*free + k]*r->N[i*free + k]*fabs(s->at.M[i*n + i]);
    if (energy > PF_MASS_TOLERANCE*terms) continue;
    for (int i = 0; i < free; i++) r->y[i] = i == k;
    *row = strongest_coordinate(r, n, free);
    return energy < -PF_MASS_TOLERANCE*terms ? PF_TROUBLE_INDEFINITE : PF_TROUBLE_NOT_UNIQUE;
  }
  X->n = free; /* made for n, and free <= n */
  PfStatus status = pf_ldl_factor(X, r->X, PF_MASS_TOLERANCE);
  if (status == PF_OK && X->rank == free) return PF_TROUBLE_NONE;
  int k = X->rank;
  while (status != PF_OK && k < free - 1 && X->order[k] != X->fault_row) k++;
  for (int i = 0; i < X->n; i++) r->y[X->order[i]] = i == k;
  for (int i = X->rank; i-- > 0;) {
    double sum = 0;
    for (int j = i + 1; j <= k; j++) sum += X->L[j*X->n + i]*r->y[X->order[j]];
    r->y[X->order[i]] = -sum;
  }
  *row = strongest_coordinate(r, n, free);
  return status != PF_OK ? PF_TROUBLE_INDEFINITE : PF_TROUBLE_NOT_UNIQUE;
}

/* N (n x free) and a are given in `r`; *row is the coordinate without inertia when it fails. */
PfTrouble pf_reduced_solve(PfSolver *s, PfReduced *r, int free, double *acceleration, int *row)
{
  int n = s->system->n;
  /* The lower triangle of X = N^T M N, and right = N^T (load - M a). Cost: n^2 free + n free^2 products; elements
   * of M that are zero at all times are skipped. */
  pf_mass_product(s, r->N, free, r->MN);
  pf_mass_times(s, r->a, r->Ma);
  for (int i = 0; i < n; i++) r->Ma[i] = s->at.load[i] - r->Ma[i];
  for (int i = 0; i < free; i++) {
    double right = 0;
    for (int k = 0; k < n; k++) right += r->N[k*free + i]*r->Ma[k];
    r->right[i] = right;
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += r->N[k*free + i]*r->MN[k*free + j];
      r->X[i*free + j] = sum;
    }
  }
  PfTrouble trouble = factor(s, r, free, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  pf_ldl_solve(&r->mass, r->right, r->y);
  pf_times(r->N, n, free, r->y, acceleration);
  for (int i = 0; i < n; i++) acceleration[i] += r->a[i];
  return PF_TROUBLE_NONE;
}

/* N is filled here; a must be there. */
PfTrouble pf_reduced_null_space(PfSolver *s, PfReduced *r, PfSpan *span, int rank, double *acceleration, int *row)
{
  pf_qr_null_space_transposed(&span->qr, r->N);
  return pf_reduced_solve(s, r, s->system->n - rank, acceleration, row);
}
