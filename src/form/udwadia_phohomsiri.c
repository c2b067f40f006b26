/* Udwadia and Phohomsiri: q'' = [P M; A]^+ [F + C; b] with P = I - A^+ A, for singular mass matrices
 * (Zhao, Jiao, Wang 2015, theorem 2, with the misprints of (11), (12), (16), (17) mended). With an orthonormal basis N
 * of the null space of A it is P = N N^T, so the rows P M can be replaced by N^T M, and the right side by
 * N^T (F + C): the same solution, better conditioned (reference page, section 4). */
#include "form/form_impl.h"

#include <math.h>

typedef struct Data {
  PfQr constraints, stack;
  MultiplierWork multipliers;
  double *N, *G, *right;
} Data;

static const double rank_tolerance = 1e-11, contradiction = 1e-6;

static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  d->N = pf_solver_array(s, double, (size_t)n*(size_t)n);
  d->G = pf_solver_array(s, double, (size_t)(n + m)*(size_t)n);
  d->right = pf_solver_array(s, double, n + m);
  if (!d->N || !d->G || !d->right) return pf_solver_no_room(s);
  s->unknowns = n;
  PF_TRY(pf_multipliers_make(s, &d->multipliers));
  PF_TRY(pf_qr_make(s->ctx, s->arena, m, n, &d->constraints));
  return pf_qr_make(s->ctx, s->arena, n + m, n, &d->stack);
}

static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data;
  (void)pf_qr_factor(&d->constraints, s->at.A, rank_tolerance);
  int free = n - d->constraints.rank;
  pf_qr_null_space(&d->constraints, d->N); /* n x free */
  double scale = pf_binary_scale(s->at.M, (size_t)n*(size_t)n), size = 1;
  for (int i = 0; i < n + m; i++) {
    d->right[i] = 0;
    for (int j = 0; j < n; j++) d->G[i*n + j] = 0;
  }
  for (int i = 0; i < free; i++)
    for (int k = 0; k < n; k++) {
      double weight = d->N[k*free + i]/scale;
      for (int j = 0; j < n; j++) d->G[i*n + j] += weight*s->at.M[k*n + j];
      d->right[i] += weight*s->at.load[k];
    }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) d->G[(n + i)*n + j] = s->at.A[i*n + j];
    d->right[n + i] = s->at.b[i];
    size = fmax(size, fabs(s->at.b[i]));
  }
  (void)pf_qr_factor(&d->stack, d->G, rank_tolerance);
  if (d->stack.rank < n) {
    *row = d->stack.order[d->stack.rank];
    return PF_TROUBLE_NOT_UNIQUE;
  }
  double miss = pf_qr_solve(&d->stack, d->right, motion->acceleration);
  if (miss > contradiction*(size + pf_norm(motion->acceleration, n))) {
    *row = 0;
    return PF_TROUBLE_CONTRADICTION;
  }
  pf_multipliers_from(s, &d->multipliers, motion->acceleration, motion->multiplier);
  return PF_TROUBLE_NONE;
}

const PfFormulation pf_form_udwadia_phohomsiri = {
  "udwadia_phohomsiri", "Zhao, Jiao, Wang 2015, theorem 2 (eq. (11)-(12), corrected), after Udwadia and Phohomsiri",
  "the mass matrix projected along the constraints, stacked on them; takes singular masses",
  prepare, accelerate};
