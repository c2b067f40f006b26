/* Udwadia and Kalaba: q'' = a + M^-1/2 (A M^-1/2)^+ (b - A a), a = M^-1 (F + C) (Zhao et al. 2023, eq.
 * (19)-(20)). Any T with T T^T = M^-1 serves as M^-1/2: both give the correction of least length in the
 * metric of M. T comes from the factors of M, so no square root of a matrix is taken. */
#include "form/form_impl.h"

#include <math.h>

typedef struct Data {
  PfLdl mass;
  PfQr qr; /* of B */
  PfSpan span;
  double *B, *unit, *r, *y, *x;
} Data;

static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  d->B = pf_solver_array(s, double, (size_t)m*(size_t)n);
  d->unit = pf_solver_array(s, double, m);
  d->r = pf_solver_array(s, double, m);
  d->y = pf_solver_array(s, double, n);
  d->x = pf_solver_array(s, double, n);
  if (!d->B || !d->unit || !d->r || !d->y || !d->x) return pf_solver_no_room(s);
  s->unknowns = n;
  PF_TRY(pf_ldl_make(s->ctx, s->arena, n, &d->mass));
  PF_TRY(pf_span_make(s, &d->span));
  return pf_qr_make(s->ctx, s->arena, m, n, &d->qr);
}

/* Row of B = A T: D^-1/2 L^-1 P a. */
static void turn_row(const PfLdl *mass, const double *a, double *row)
{
  int n = mass->n;
  for (int i = 0; i < n; i++) {
    double sum = a[mass->order[i]];
    for (int k = 0; k < i; k++) sum -= mass->L[i*n + k]*row[k];
    row[i] = sum;
  }
  for (int i = 0; i < n; i++) row[i] /= sqrt(mass->L[i*n + i]);
}

/* x = T y = P^T L^-T D^-1/2 y */
static void turn_back(const PfLdl *mass, const double *y, double *x)
{
  int n = mass->n;
  for (int i = n; i-- > 0;) {
    double sum = y[i]/sqrt(mass->L[i*n + i]);
    for (int k = i + 1; k < n; k++) sum -= mass->L[k*n + i]*x[mass->order[k]];
    x[mass->order[i]] = sum;
  }
}

/* B = A T and r = b - A a, each row in a unit of its own. */
static void find_rows(PfSolver *s, Data *d, const double *a)
{
  int n = s->system->n, m = s->system->m;
  pf_unit_rows(s);
  for (int i = 0; i < m; i++) {
    const double *row = s->at.unit_A + (size_t)i*(size_t)n;
    double *B = d->B + (size_t)i*(size_t)n;
    turn_row(&d->mass, row, B);
    d->unit[i] = pf_binary_scale(B, (size_t)n);
    for (int j = 0; j < n; j++) B[j] /= d->unit[i];
    d->r[i] = (s->at.unit_b[i] - pf_dot(row, a, n))/d->unit[i];
  }
}

/* From y = B^T lambda; the shortest when constraints are redundant. */
static PfTrouble find_multipliers(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  int m = s->system->m;
  if (d->qr.rank < m) {
    pf_span_factor(s, &d->span);
    pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
    return pf_check_constraints(s, motion->acceleration, row);
  }
  pf_qr_solve_transposed(&d->qr, d->y, motion->multiplier);
  for (int i = 0; i < m; i++) motion->multiplier[i] /= d->unit[i]*s->at.unit[i];
  return PF_TROUBLE_NONE;
}

static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data;
  double *a = motion->acceleration;
  if (pf_ldl_factor(&d->mass, s->at.M, PF_MASS_TOLERANCE) != PF_OK || d->mass.rank < n) {
    *row = d->mass.fault == PF_FAULT_NONE ? d->mass.order[d->mass.rank] : d->mass.fault_row;
    return d->mass.fault == PF_FAULT_NONE ? PF_TROUBLE_MASSLESS : PF_TROUBLE_INDEFINITE;
  }
  pf_ldl_solve(&d->mass, s->at.load, a);
  if (m == 0) return PF_TROUBLE_NONE;
  find_rows(s, d, a);
  (void)pf_qr_factor(&d->qr, d->B, PF_RANK_TOLERANCE);
  pf_qr_solve(&d->qr, d->r, d->y);
  turn_back(&d->mass, d->y, d->x);
  for (int j = 0; j < n; j++) a[j] += d->x[j];
  return find_multipliers(s, d, motion, row);
}

const PfFormulation pf_form_udwadia_kalaba = {
  "udwadia_kalaba", "Zhao, Yu, Chen, Feng, Cao 2023, eq. (19)-(20), after Udwadia and Kalaba",
  "the free acceleration plus the smallest correction in the metric of the mass matrix",
  prepare, accelerate};
