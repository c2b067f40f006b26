/* SPDX-License-Identifier: Apache-2.0 */
/* Udwadia and Kalaba: q'' = a + M^-1/2 (A M^-1/2)^+ (b - A a), a = M^-1 (F + C) (Zhao et al. 2023, eq.
 * (19)-(20)). Any T with T T^T = M^-1 serves as M^-1/2: both give the correction of least length in the
 * metric of M. T comes from the factors of M, so no square root of a matrix is taken. */
#include "form/form_impl.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  PfLdl mass;
  PfMetric metric;
} Data;

/* Where less than this is left of a row of B, A decides which rows are independent, and B is factored again. */
static const double clearly_independent = 1e-3;
/* Where less is left of a row that A has shown to be independent, the metric has lost its digits: coordinates and
 * masses are in units that do not go together. */
static const double lost = 1e-6;

/* For n coordinates and m rows; the span decides where rows are nearly dependent. */
PfStatus pf_metric_make(PfSolver *s, PfMetric *d)
{
  int n = s->system->n, m = s->system->m;
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&d->B, m, n}, {&d->unit, m, 1}, {&d->r, m, 1}, {&d->y, n, 1}, {&d->c, n, 1},
                                       {&d->root, n, 1}, {0}}));
  d->reduced = pf_solver_array(s, PfReduced, 1);
  if (!d->reduced) return pf_solver_no_room(s);
  PF_TRY(pf_reduced_make(s, d->reduced));
  PF_TRY(pf_span_make(s, &d->span));
  return pf_qr_make(s->ctx, s->arena, n, m, &d->qr);
}

static PfStatus prepare(PfSolver *s)
{
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  s->unknowns = s->system->n;
  PF_TRY(pf_ldl_make(s->ctx, s->arena, s->system->n, &d->mass));
  return pf_metric_make(s, &d->metric);
}

/* B = A T and r = b - A a, each row in a unit of its own. T = P^T L^-T D^-1/2, so a row of B is D^-1/2 L^-1 P times
 * that of A, and A a is B times D^-1/2 L^-1 P (F + C), which is y. d->B (m x n) and d->r (m); d->y is T^T (F + C)
 * already. */
static void find_rows(PfSolver *s, PfMetric *d, const PfLdl *mass)
{
  int n = s->system->n, m = s->system->m;
  pf_unit_rows(s);
  for (int i = 0; i < m; i++) {
    double *B = d->B + (size_t)i*(size_t)n;
    pf_ldl_forward(mass, s->at.unit_A + (size_t)i*(size_t)n, B);
    for (int j = 0; j < n; j++) B[j] /= d->root[j];
    /* a row that has faded does so in the metric, too */
    d->unit[i] = pf_binary_scale(B, (size_t)n)/pf_binary_scale(s->at.unit_A + (size_t)i*(size_t)n, (size_t)n);
    for (int j = 0; j < n; j++) B[j] /= d->unit[i];
    d->r[i] = s->at.unit_b[i]/d->unit[i] - pf_dot(B, d->y, n);
  }
}

/* The rows order[0] … order[count - 1] of B and r to the front. */
static void gather(PfMetric *d, const int *order, int count, int n)
{
  int last = -1;
  for (int k = 0; k < count; k++) { /* ascending, so that none is overwritten that is still needed */
    int next = -1;
    for (int i = 0; i < count; i++)
      if (order[i] > last && (next < 0 || order[i] < next)) next = order[i];
    memmove(d->B + (size_t)k*(size_t)n, d->B + (size_t)next*(size_t)n, (size_t)n*sizeof *d->B);
    d->r[k] = d->r[next];
    last = next;
  }
}

/* c = B^+ r. Which rows are independent is judged by A, as everywhere, and not in the metric; false where it cannot
 * tell them apart. d->c gets the shortest correction, d->rank the number of independent rows. */
static bool correct(PfSolver *s, PfMetric *d)
{
  int m = s->system->m;
  d->qr.n = m;
  (void)pf_qr_factor_columns(&d->qr, d->B, clearly_independent);
  d->rank = m;
  if (d->qr.rank < m) {
    d->qr.n = d->rank = pf_span_factor(s, &d->span);
    if (d->rank < m) gather(d, d->span.qr.order, d->rank, s->system->n);
    (void)pf_qr_factor_columns(&d->qr, d->B, lost);
  }
  if (d->qr.rank < d->rank) return false;
  pf_qr_solve_transposed(&d->qr, d->r, d->c);
  return true;
}

/* q'' = T (y + c) with c = B^+ r, or along the null space of A where the metric has lost its digits. Multipliers follow
 * from c = B^T lambda, the shortest where constraints are redundant. */
PfTrouble pf_metric_solve(PfSolver *s, PfMetric *d, const PfLdl *mass, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  bool along_null_space = false;
  pf_ldl_forward(mass, s->at.load, d->y);
  for (int j = 0; j < n; j++) {
    d->root[j] = sqrt(mass->L[j*n + j]);
    d->y[j] /= d->root[j];
  }
  if (m > 0) {
    find_rows(s, d, mass);
    along_null_space = !correct(s, d);
  }
  if (along_null_space) {
    pf_span_solve(s, &d->span, d->reduced->a);
    PfTrouble trouble = pf_reduced_null_space(s, d->reduced, &d->span, d->rank, motion->acceleration, row);
    if (trouble != PF_TROUBLE_NONE) return trouble;
  } else {
    for (int j = 0; j < n; j++) d->y[j] = (d->y[j] + d->c[j])*d->root[j]; /* c = 0 without constraints */
    pf_ldl_backward(mass, d->y, motion->acceleration);
  }
  if (m == 0) return PF_TROUBLE_NONE;
  if (along_null_space || d->rank < m) {
    pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
    return d->rank < m ? pf_check_constraints(s, motion->acceleration, row) : PF_TROUBLE_NONE;
  }
  pf_qr_solve(&d->qr, d->c, motion->multiplier);
  for (int i = 0; i < m; i++) motion->multiplier[i] /= d->unit[i]*s->at.unit[i];
  return PF_TROUBLE_NONE;
}

static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  if (pf_ldl_factor(&d->mass, s->at.M, PF_MASS_TOLERANCE) == PF_OK && d->mass.rank == s->system->n)
    return pf_metric_solve(s, &d->metric, &d->mass, motion, row);
  *row = d->mass.fault == PF_FAULT_NONE ? d->mass.order[d->mass.rank] : d->mass.fault_row;
  return d->mass.fault == PF_FAULT_NONE ? PF_TROUBLE_MASSLESS : PF_TROUBLE_INDEFINITE;
}

const PfFormulation pf_form_udwadia_kalaba = {
  .name = "udwadia_kalaba", .source = "Zhao, Yu, Chen, Feng, Cao 2023, eq. (19)-(20), after Udwadia and Kalaba",
  .summary = "the free acceleration plus the smallest correction in the metric of the mass matrix",
  .prepare = prepare, .accelerate = accelerate};
