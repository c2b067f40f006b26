/* SPDX-License-Identifier: Apache-2.0 */
/* Udwadia and Phohomsiri: q'' = [P M; A]^+ [F + C; b] with P = I - A^+ A, for singular mass matrices (Zhao,
 * Jiao, Wang 2015, theorem 2, with the misprints of (11), (12), (16), (17) mended). With an orthonormal
 * basis N of the null space of A it is P = N N^T, so the rows P M can be replaced by N^T M, and the right
 * side by N^T (F + C): the same solution, better conditioned (reference page, section 4). With q'' = a + N y,
 * where a has no part along N, the stack is triangular: A a = b first, then N^T M N y = N^T (F + C - M a). */
#include "form/form_impl.h"

#include <string.h>

typedef struct Data {
  PfLdl mass;
  PfQr stack;
  PfReduced reduced;
  PfSpan span;
  double *G, *right;
} Data;

static const double uniqueness = 1e-11; /* columns of the stack of which less is left are dependent */

/* The stack has n + m rows at most. */
static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&d->G, n + m, n}, {&d->right, n + m, 1}, {0}}));
  s->unknowns = n;
  PF_TRY(pf_ldl_make(s->ctx, s->arena, n, &d->mass));
  PF_TRY(pf_span_make(s, &d->span));
  PF_TRY(pf_reduced_make(s, &d->reduced));
  return pf_qr_make(s->ctx, s->arena, n + m, n, &d->stack);
}

/* The stack as a whole: [N^T M; A] q'' = [N^T (F + C); b], the first rows in units of the largest mass, the second in
 * units of their own. It gives the coordinate that is not determined. */
static PfTrouble by_stack(PfSolver *s, Data *d, int free, double *acceleration, int *row)
{
  int n = s->system->n, m = s->system->m;
  double scale = pf_binary_scale(s->at.M, (size_t)n*(size_t)n);
  memset(d->right, 0, (size_t)(n + m)*sizeof *d->right);
  memset(d->G, 0, (size_t)(n + m)*(size_t)n*sizeof *d->G);
  for (int i = 0; i < free; i++)
    for (int k = 0; k < n; k++) {
      double weight = d->reduced.N[k*free + i]/scale;
      for (int j = 0; j < n; j++) d->G[i*n + j] += weight*s->at.M[k*n + j];
      d->right[i] += weight*s->at.load[k];
    }
  if (m > 0) {
    memcpy(d->G + (size_t)n*(size_t)n, s->at.unit_A, (size_t)m*(size_t)n*sizeof *d->G);
    memcpy(d->right + n, s->at.unit_b, (size_t)m*sizeof *d->right);
  }
  (void)pf_qr_factor(&d->stack, d->G, uniqueness);
  if (d->stack.rank < n) {
    *row = d->stack.order[d->stack.rank];
    return PF_TROUBLE_NOT_UNIQUE;
  }
  pf_qr_solve(&d->stack, d->right, acceleration);
  return PF_TROUBLE_NONE;
}

/* M must not be indefinite; the triangular way is tried first, the stack as a whole where X is singular. */
static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data;
  if (pf_ldl_factor(&d->mass, s->at.M, PF_MASS_TOLERANCE) != PF_OK) {
    *row = d->mass.fault_row;
    return PF_TROUBLE_INDEFINITE;
  }
  int rank = pf_span_factor(s, &d->span);
  pf_span_solve(s, &d->span, d->reduced.a);
  pf_qr_null_space_transposed(&d->span.qr, d->reduced.N);
  PfTrouble trouble = pf_reduced_solve(s, &d->reduced, n - rank, motion->acceleration, row);
  if (trouble != PF_TROUBLE_NONE) trouble = by_stack(s, d, n - rank, motion->acceleration, row);
  if (trouble == PF_TROUBLE_NONE && rank < m)
    trouble = pf_check_constraints(s, motion->acceleration, row);
  if (trouble == PF_TROUBLE_NONE) pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
  return trouble;
}

const PfFormulation pf_form_udwadia_phohomsiri = {
  .name = "udwadia_phohomsiri",
  .source = "Zhao, Jiao, Wang 2015, theorem 2 (eq. (11)-(12), corrected), after Udwadia and Phohomsiri",
  .summary = "the mass matrix projected along the constraints, stacked on them; takes singular masses",
  .prepare = prepare, .accelerate = accelerate};
