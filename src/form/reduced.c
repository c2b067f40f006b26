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

/* X = N^T M N, right = N^T (load - M a) */
static void reduce(const PfSolver *s, PfReduced *r, int free)
{
  int n = s->system->n;
  pf_times(s->at.M, n, n, r->a, r->Ma);
  for (int i = 0; i < n; i++) r->Ma[i] = s->at.load[i] - r->Ma[i];
  pf_transposed_times(r->N, n, free, r->Ma, r->right);
  pf_product(s->at.M, r->N, n, n, free, r->MN);
  for (int i = 0; i < free; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += r->N[k*free + i]*r->MN[k*free + j];
      r->X[i*free + j] = r->X[j*free + i] = sum;
    }
}

/* The coordinate that takes most part in a direction. */
static int strongest_coordinate(const PfReduced *r, int n, int free, int direction)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (fabs(r->N[i*free + direction]) > fabs(r->N[best*free + direction])) best = i;
  return best;
}

PfTrouble pf_reduced_solve(PfSolver *s, PfReduced *r, int free, double *acceleration, int *row)
{
  int n = s->system->n;
  reduce(s, r, free);
  r->mass.n = free; /* made for n, and free <= n */
  PfStatus status = pf_ldl_factor(&r->mass, r->X, 0);
  if (status != PF_OK || r->mass.rank < free) {
    int direction = status != PF_OK ? r->mass.fault_row : r->mass.order[r->mass.rank];
    *row = strongest_coordinate(r, n, free, direction);
    return status != PF_OK ? PF_TROUBLE_INDEFINITE : PF_TROUBLE_NOT_UNIQUE;
  }
  pf_ldl_solve(&r->mass, r->right, r->y);
  pf_times(r->N, n, free, r->y, acceleration);
  for (int i = 0; i < n; i++) acceleration[i] += r->a[i];
  return PF_TROUBLE_NONE;
}
