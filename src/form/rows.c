/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of A: scaled, their residuals, and what they span. */
#include "form/form_impl.h"

#include <math.h>

/* Part of its usual size below which a row counts as fading. */
static double fading(const PfSolver *s)
{
  return s->drifts ? 1 : 1e-3;
}

double pf_row_unit(PfSolver *s, size_t i, double size)
{
  if (!s->length) return size;
  if (size > s->usual[i]) s->usual[i] = size;
  return size < fading(s)*s->usual[i] ? s->usual[i] : size;
}

void pf_unit_rows(PfSolver *s)
{
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  double *unit = s->at.unit;
  for (size_t i = 0; i < m; i++) {
    const double size = pf_binary_scale(s->at.A + i*n, n);
    const bool empty = size < PF_EMPTY_ROW*s->units.row[i];
    unit[i] = empty ? s->units.row[i] : pf_row_unit(s, i, size);
    const double scale = 1/unit[i], *row = s->at.A + i*n; /* powers of two: exact */
    double *to = s->at.unit_A + i*n;
    for (size_t j = 0; j < n; j++) to[j] = empty ? 0 : row[j]*scale;
    s->at.unit_b[i] = s->at.b[i]*scale;
  }
}

/* The largest acceleration that forces alone would give: what cancels against constraints leaves rounding of it. */
static double fastest_alone(const PfSolver *s)
{
  const int n = s->system->n;
  double most = 0;
  for (int j = 0; j < n && s->system->mass_size; j++) {
    const double mass = s->at.M[(size_t)j*(size_t)n + (size_t)j];
    if (mass > 0) most = fmax(most, fabs(s->at.F[j])/mass);
  }
  return isfinite(most) ? most : 0;
}

/* Residual of row i, and the size of its terms, with accelerations of `least` at least: smaller ones need not agree. A
 * row that counts as redundant may have a little of its own, which is not asked to agree either. */
static double find_miss(const PfSolver *s, const double *acceleration, double least, int i, double *size)
{
  int n = s->system->n;
  const double *row = s->at.A + (size_t)i*(size_t)n;
  double miss = -s->at.b[i], largest = 0, fastest = 0;
  *size = fabs(s->at.b[i]);
  for (int j = 0; j < n; j++) {
    double term = row[j]*acceleration[j];
    miss += term;
    *size += fabs(term);
    largest = fmax(largest, fabs(row[j]));
    fastest = fmax(fastest, fabs(acceleration[j]));
  }
  if (s->length && largest < fading(s)*s->usual[i]) largest = s->usual[i];
  *size += largest*(least + 0.2*fastest); /* times the agreement: PF_RANK_TOLERANCE */
  return fabs(miss);
}

/* The row with the largest residual relative to its own terms, or -1. */
static int worst_row(const PfSolver *s, const double *acceleration)
{
  int m = s->system->m, worst = -1;
  const double least = 1e-3 + 1e-6*fastest_alone(s);
  double size, sizes = 1e-300, most = 1;
  for (int i = 0; i < m; i++) {
    find_miss(s, acceleration, least, i, &size);
    sizes = fmax(sizes, size);
  }
  for (int i = 0; i < m; i++) {
    double miss = find_miss(s, acceleration, least, i, &size), part = miss/(s->agreement*size + 1e-12*sizes);
    if (part > most) most = part, worst = i;
  }
  return worst;
}

/* Takes the rows before i out of row i, right side included; they are orthonormal or zero. Twice is enough. */
static void orthogonalise(PfSolver *s, int i)
{
  int n = s->system->n;
  double *row = s->at.unit_A + (size_t)i*(size_t)n;
  for (int k = 0; k < 2*i; k++) {
    const double *other = s->at.unit_A + (size_t)(k%i)*(size_t)n;
    s->at.unit_b[i] -= pf_remove_part(row, other, n)*s->at.unit_b[k%i];
  }
}

/* The first row, as they are written, that contradicts those before it: the same name by every formulation.
 * -1 if rounding hides it. */
static int first_contradiction(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  pf_unit_rows(s);
  for (int i = 0; i < m; i++) {
    double *row = s->at.unit_A + (size_t)i*(size_t)n, length = pf_norm(row, n), b = fabs(s->at.unit_b[i]);
    orthogonalise(s, i);
    double left = pf_norm(row, n);
    bool redundant = left <= s->rank_tolerance*length;
    if (redundant && fabs(s->at.unit_b[i]) > s->agreement*b + 1e-9) return i;
    for (int j = 0; j < n; j++) row[j] = redundant ? 0 : row[j]/left;
    s->at.unit_b[i] = redundant ? 0 : s->at.unit_b[i]/left;
  }
  return -1;
}

PfTrouble pf_check_constraints(PfSolver *s, const double *acceleration, int *row)
{
  int worst = worst_row(s, acceleration);
  if (worst < 0) return PF_TROUBLE_NONE;
  int first = first_contradiction(s);
  *row = first >= 0 ? first : worst;
  return PF_TROUBLE_CONTRADICTION;
}

PfTrouble pf_check_before(PfSolver *s, const double *a, int *row)
{
  return s->drifts ? PF_TROUBLE_NONE : pf_check_constraints(s, a, row);
}

PfTrouble pf_check_after(PfSolver *s, const double *acceleration, int *row)
{
  return s->drifts ? pf_check_constraints(s, acceleration, row) : PF_TROUBLE_NONE;
}

/* ---------------------------------------------------------------- what they span */

PfStatus pf_span_make(PfSolver *s, PfSpan *span)
{
  int n = s->system->n, m = s->system->m;
  span->force = pf_solver_array(s, double, n);
  span->Z = pf_solver_array(s, double, (size_t)m*(size_t)m);
  span->z = pf_solver_array(s, double, m);
  if (!span->force || !span->Z || !span->z) return pf_solver_no_room(s);
  PF_TRY(pf_qr_make(s->ctx, s->arena, m, m, &span->rest));
  return pf_qr_make(s->ctx, s->arena, n, m, &span->qr);
}

int pf_span_factor(PfSolver *s, PfSpan *span)
{
  pf_unit_rows(s);
  /* the rows of A are the columns of A^T */
  (void)pf_qr_factor_columns(&span->qr, s->at.unit_A, s->rank_tolerance);
  return span->qr.rank;
}

void pf_span_solve(PfSolver *s, PfSpan *span, double *a)
{
  pf_qr_solve_transposed(&span->qr, s->at.unit_b, a);
}

/* Redundant rows: lambda + Z z is as good as lambda when A^T Z = 0. The shortest is found by least squares. */
static void shorten(PfSpan *span, const double *unit, int m, double *lambda)
{
  int count = m - span->qr.rank;
  pf_qr_null_space(&span->qr, span->Z);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < count; k++) span->Z[i*count + k] /= unit[i];
  span->rest.n = count;
  (void)pf_qr_factor(&span->rest, span->Z, 0);
  pf_qr_solve(&span->rest, lambda, span->z);
  for (int i = 0; i < m; i++) lambda[i] -= pf_dot(span->Z + (size_t)i*(size_t)count, span->z, count);
}

void pf_span_multipliers(PfSolver *s, PfSpan *span, const double *acceleration, double *lambda)
{
  int n = s->system->n;
  if (s->system->m == 0) return;
  const double *inertia = pf_inertia(s, acceleration);
  for (int j = 0; j < n; j++) span->force[j] = inertia[j] - s->at.load[j];
  pf_span_share(s, span, lambda);
}

void pf_span_share(PfSolver *s, PfSpan *span, double *lambda)
{
  int m = s->system->m;
  pf_qr_solve(&span->qr, span->force, lambda);
  for (int i = 0; i < m; i++) lambda[i] /= s->at.unit[i];
  if (span->qr.rank < m) shorten(span, s->at.unit, m, lambda);
}
