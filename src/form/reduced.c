/* SPDX-License-Identifier: Apache-2.0 */
/* Motion along admissible directions: what Maggi, Rosenberg and the cascade have in common. */
#include "form/form_impl.h"

#include <math.h>

PfStatus pf_reduced_make(PfSolver *s, PfReduced *r)
{
  int n = s->system->n;
  size_t nn = (size_t)n*(size_t)n;
  r->N = pf_solver_array(s, double, nn);
  r->a = pf_solver_array(s, double, n);
  r->MN = pf_solver_array(s, double, nn);
  r->X = pf_solver_array(s, double, nn);
  r->right = pf_solver_array(s, double, n);
  r->y = pf_solver_array(s, double, n);
  r->Ma = pf_solver_array(s, double, n);
  if (!r->N || !r->a || !r->MN || !r->X || !r->right || !r->y || !r->Ma) return pf_solver_no_room(s);
  return pf_ldl_make(s->ctx, s->arena, n, &r->mass);
}

/* The lower triangle of X = N^T M N, and right = N^T (load - M a) */
static void reduce(const PfSolver *s, PfReduced *r, int free)
{
  int n = s->system->n;
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
}

/* The coordinate that takes most part in the motion N y. */
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

/* y with y_k = 1 and X y = 0 in the rows that were factored: a motion without energy, or with a negative
 * one. */
static void free_motion(PfReduced *r, int k)
{
  const PfLdl *X = &r->mass;
  for (int i = 0; i < X->n; i++) r->y[X->order[i]] = i == k;
  for (int i = X->rank; i-- > 0;) {
    double sum = 0;
    for (int j = i + 1; j <= k; j++) sum += X->L[j*X->n + i]*r->y[X->order[j]];
    r->y[X->order[i]] = -sum;
  }
}

/* The sign of M in the direction k of N: 0 when its energy is nothing but rounding. */
static int energy_sign(const PfSolver *s, const PfReduced *r, int free, int k)
{
  int n = s->system->n;
  double terms = 0, energy = r->X[k*free + k];
  for (int i = 0; i < n; i++) terms += r->N[i*free + k]*r->N[i*free + k]*fabs(s->at.M[i*n + i]);
  return energy > PF_MASS_TOLERANCE*terms ? 1 : energy < -PF_MASS_TOLERANCE*terms ? -1 : 0;
}

/* Factors X, or says which coordinate has no inertia or a negative one. */
static PfTrouble factor(const PfSolver *s, PfReduced *r, int free, int *row)
{
  int n = s->system->n;
  for (int k = 0; k < free; k++) {
    int sign = energy_sign(s, r, free, k);
    if (sign > 0) continue;
    for (int i = 0; i < free; i++) r->y[i] = i == k;
    *row = strongest_coordinate(r, n, free);
    return sign < 0 ? PF_TROUBLE_INDEFINITE : PF_TROUBLE_NOT_UNIQUE;
  }
  r->mass.n = free; /* made for n, and free <= n */
  PfStatus status = pf_ldl_factor(&r->mass, r->X, PF_MASS_TOLERANCE);
  if (status == PF_OK && r->mass.rank == free) return PF_TROUBLE_NONE;
  int at = r->mass.rank;
  while (status != PF_OK && at < free - 1 && r->mass.order[at] != r->mass.fault_row) at++;
  free_motion(r, at);
  *row = strongest_coordinate(r, n, free);
  return status != PF_OK ? PF_TROUBLE_INDEFINITE : PF_TROUBLE_NOT_UNIQUE;
}

PfTrouble pf_reduced_solve(PfSolver *s, PfReduced *r, int free, double *acceleration, int *row)
{
  int n = s->system->n;
  reduce(s, r, free);
  PfTrouble trouble = factor(s, r, free, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  pf_ldl_solve(&r->mass, r->right, r->y);
  pf_times(r->N, n, free, r->y, acceleration);
  for (int i = 0; i < n; i++) acceleration[i] += r->a[i];
  return PF_TROUBLE_NONE;
}

PfTrouble pf_reduced_null_space(PfSolver *s, PfReduced *r, PfSpan *span, int rank, double *acceleration, int *row)
{
  pf_qr_null_space_transposed(&span->qr, r->N);
  return pf_reduced_solve(s, r, s->system->n - rank, acceleration, row);
}
