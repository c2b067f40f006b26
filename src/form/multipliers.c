/* SPDX-License-Identifier: Apache-2.0 */
/* Lagrange multipliers. With a regular mass matrix through S = A M^-1 A^T, or through the orthogonal factors of A
 * M^-1/2 where its rows are nearly dependent; with a singular one the whole system
 *   [M -A^T; A 0][q''; lambda] = [F + C; b]
 * (hand-cascade reference, section 2). Large systems go by their structure (sparse.c). Redundant constraints: the
 * multipliers of least length. */
#include "form/extended_form.h"
#include "form/form_impl.h"
#include "form/sparse.h"
#include "runtime/pf_kkt.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  PfLdl mass;
  PfSchur schur;
  PfQr whole;
  PfMetric metric; /* its span also sorts the rows */
  double *K, *right, *solution;
  bool hard;       /* the latest state needed orthogonal factors */
} Data;

/* Rank tolerance for the columns of the augmented system. */
static const double uniqueness = 1e-13;

/* Dense room is made unless the system is too large for it (pf_solver_is_bare): then the sparse form is all there
 * is. */
static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  s->unknowns = n;
  s->unknowns_per_rank = 1;
  if (pf_solver_is_bare(s)) return PF_OK;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  d->schur.mass = &d->mass;
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&d->schur.Y, n, m}, {&d->schur.S, m, m}, {&d->schur.y, n, 1},
                                       {&d->schur.r, m, 1}, {&d->K, n + m, n + m}, {&d->right, n + m, 1},
                                       {&d->solution, n + m, 1}, {0}}));
  PF_TRY(pf_ldl_make(s->ctx, s->arena, n, &d->mass));
  PF_TRY(pf_ldl_make(s->ctx, s->arena, m, &d->schur.factors));
  PF_TRY(pf_metric_make(s, &d->metric));
  return pf_qr_make(s->ctx, s->arena, n + m, n + m, &d->whole);
}

/* ---------------------------------------------------------------- M regular, A of full rank */

/* Each row in its unit (runtime/pf_kkt.h). False when S is nearly singular. */
static bool by_schur(PfSolver *s, Data *d, PfMotion *motion)
{
  if (s->drifts) return false; /* in S a row that fades looks independent */
  pf_unit_rows(s);
  const double tol = fmax(PF_SCHUR_MARGIN, s->rank_tolerance*s->rank_tolerance);
  if (!pf_schur_factor(&d->schur, s->at.unit_A, s->system->m, tol)) return false;
  pf_schur_solve(&d->schur, s->at.load, s->at.unit_b, motion->acceleration, motion->multiplier);
  for (int i = 0; i < s->system->m; i++) motion->multiplier[i] /= s->at.unit[i];
  return true;
}

/* ---------------------------------------------------------------- M singular */

/* Rows of the augmented system: M in units of its largest element, then the `count` independent rows of A. K (N x N)
 * and the right side, N = n + count, row by row. */
static void assemble(PfSolver *s, Data *d, const int *rows, int count)
{
  int n = s->system->n, N = n + count;
  double scale = pf_binary_scale(s->at.M, (size_t)n*(size_t)n);
  memset(d->K, 0, (size_t)N*(size_t)N*sizeof *d->K);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) d->K[i*N + j] = s->at.M[i*n + j]/scale;
    d->right[i] = s->at.load[i]/scale;
  }
  for (int k = 0; k < count; k++) {
    const double *row = s->at.unit_A + (size_t)rows[k]*(size_t)n;
    for (int i = 0; i < n; i++) {
      d->K[i*N + n + k] = -row[i];
      d->K[(n + k)*N + i] = row[i];
    }
    d->right[n + k] = s->at.unit_b[rows[k]];
  }
}

/* A coordinate whose column depends on the others. Multipliers of independent rows are determined; where the rows are
 * nearly dependent they may come last, and then the coordinate of the last column that is one has least of its own. */
static int undetermined(const Data *d, int n)
{
  for (int k = d->whole.rank; k < d->whole.n; k++)
    if (d->whole.order[k] < n) return d->whole.order[k];
  for (int k = d->whole.rank; k-- > 0;)
    if (d->whole.order[k] < n) return d->whole.order[k];
  return -1;
}

/* [M -A^T; A 0] is regular for independent rows exactly when [M; A] has full column rank: then q'' is
 * unique. */
static PfTrouble by_whole(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  PfSpan *span = &d->metric.span;
  int count = pf_span_factor(s, span), N = n + count;
  assemble(s, d, span->qr.order, count);
  d->whole.m = d->whole.n = N;
  (void)pf_qr_factor(&d->whole, d->K, uniqueness);
  if (d->whole.rank < N) {
    *row = undetermined(d, n);
    return PF_TROUBLE_NOT_UNIQUE;
  }
  pf_qr_solve(&d->whole, d->right, d->solution);
  memcpy(motion->acceleration, d->solution, (size_t)n*sizeof *d->solution);
  pf_span_multipliers(s, span, motion->acceleration, motion->multiplier);
  return count < m ? pf_check_constraints(s, motion->acceleration, row) : PF_TROUBLE_NONE;
}

/* Without dense room the sparse form says what is wrong. The order is: S = A M^-1 A^T, then orthogonal factors in the
 * metric of M, then, for singular M, the whole system. */
static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  if (!d) return pf_sparse_form_trouble(s, row);
  d->hard = true;
  if (pf_ldl_factor(&d->mass, s->at.M, PF_MASS_TOLERANCE) != PF_OK) {
    *row = d->mass.fault_row;
    return PF_TROUBLE_INDEFINITE;
  }
  if (d->mass.rank < s->system->n) return by_whole(s, d, motion, row);
  d->hard = !by_schur(s, d, motion);
  return d->hard ? pf_metric_solve(s, &d->metric, &d->mass, motion, row) : PF_TROUBLE_NONE;
}

/* Along chains of sums, else by the structure of the matrices. */
static bool answer(PfSolver *s, PfMotion *motion)
{
  return pf_extended_form_answer(s, motion) || pf_sparse_form_answer(s, motion);
}

static void find_force(PfSolver *s, PfMotion *motion)
{
  if (pf_extended_form_has_answered(s)) pf_extended_form_force(s, motion);
  else pf_sparse_form_force(s, motion);
}

/* 'auto' then looks for a faster formulation. */
bool pf_multipliers_were_hard(const PfSolver *s)
{
  const Data *d = s->data;
  return d && d->hard;
}

const PfFormulation pf_form_multipliers = {
  .name = "multipliers", .source = "Lagrange's multipliers; least length by the minimum-norm solution",
  .summary = "the augmented system of accelerations and multipliers; takes singular masses and redundant constraints",
  .prepare = prepare, .accelerate = accelerate, .answer = answer, .find_force = find_force,
  .raise_lengths = pf_sparse_form_lengths};
