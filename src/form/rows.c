/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of A: scaled, their residuals, and what they span. */
#include "form/form_impl.h"
#include "runtime/pf_kkt.h"

#include <math.h>

/* Part of its usual size below which a row counts as fading. */
static double fading(const PfSolver *s)
{
  return s->drifts ? 1 : 1e-3;
}

/* Without lengths, which only a motion has, a row is measured by itself. */
double pf_row_unit(PfSolver *s, size_t i, double size)
{
  if (!s->length) return size;
  if (size > s->typical[i]) s->typical[i] = size;
  return size < fading(s)*s->typical[i] ? s->typical[i] : size;
}

/* Rows that are zero but for rounding become zero, in the unit that they usually have. */
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

/* Residual of row i, and the size of its terms, with accelerations of `least` at least: smaller ones need not agree. A
 * row that counts as redundant may have a little of its own, which is not asked to agree either. */
static double find_residual_of(const PfSolver *s, const double *acceleration, double least, int i, double *size)
{
  int n = s->system->n;
  const double *row = s->at.A + (size_t)i*(size_t)n;
  double misfit = -s->at.b[i], largest = 0, fastest = 0;
  *size = fabs(s->at.b[i]);
  for (int j = 0; j < n; j++) {
    double term = row[j]*acceleration[j];
    misfit += term;
    *size += fabs(term);
    largest = fmax(largest, fabs(row[j]));
    fastest = fmax(fastest, fabs(acceleration[j]));
  }
  if (s->length && largest < fading(s)*s->typical[i]) largest = s->typical[i];
  *size += largest*(least + 0.2*fastest); /* times the agreement: PF_RANK_TOLERANCE */
  return fabs(misfit);
}

/* The first row, as they are written, that contradicts those before it: the same name by every formulation. -1 if
 * rounding hides it. The rows before it, orthonormal or zero, are taken out of each row, right side included; twice is
 * enough. */
static int first_contradiction(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  pf_unit_rows(s);
  for (int i = 0; i < m; i++) {
    double *row = s->at.unit_A + (size_t)i*(size_t)n, length = pf_norm(row, n), b = fabs(s->at.unit_b[i]);
    for (int k = 0; k < 2*i; k++) {
      const double *other = s->at.unit_A + (size_t)(k%i)*(size_t)n;
      s->at.unit_b[i] -= pf_remove_part(row, other, n)*s->at.unit_b[k%i];
    }
    double left = pf_norm(row, n);
    bool redundant = left <= s->rank_tolerance*length;
    if (redundant && fabs(s->at.unit_b[i]) > s->agreement*b + 1e-9) return i;
    for (int j = 0; j < n; j++) row[j] = redundant ? 0 : row[j]/left;
    s->at.unit_b[i] = redundant ? 0 : s->at.unit_b[i]/left;
  }
  return -1;
}

/* PF_TROUBLE_CONTRADICTION with the first row that contradicts earlier ones, or the worst one where rounding hides
 * which it is. */
PfTrouble pf_check_constraints(PfSolver *s, const double *acceleration, int *row)
{
  /* The row with the largest residual relative to its own terms, or -1. Accelerations count as large at least as
   * 1e-6 of the largest that forces alone would give: their cancellation against constraints leaves rounding of
   * it. */
  const int n = s->system->n, m = s->system->m;
  int worst = -1;
  double alone = 0, size, sizes = 1e-300, most = 1;
  for (int j = 0; j < n && s->system->mass_size; j++) {
    const double mass = s->at.M[(size_t)j*(size_t)n + (size_t)j];
    if (mass > 0) alone = fmax(alone, fabs(s->at.F[j])/mass);
  }
  const double least = 1e-3 + 1e-6*(isfinite(alone) ? alone : 0);
  for (int i = 0; i < m; i++) {
    find_residual_of(s, acceleration, least, i, &size);
    sizes = fmax(sizes, size);
  }
  for (int i = 0; i < m; i++) {
    double misfit = find_residual_of(s, acceleration, least, i, &size), part = misfit/(s->agreement*size + 1e-12*sizes);
    if (part > most) most = part, worst = i;
  }
  if (worst < 0) return PF_TROUBLE_NONE;
  int first = first_contradiction(s);
  *row = first >= 0 ? first : worst;
  return PF_TROUBLE_CONTRADICTION;
}

/* Where the state drifts nothing is known yet: pf_check_after does it then. */
PfTrouble pf_check_before(PfSolver *s, const double *a, int *row)
{
  return s->drifts ? PF_TROUBLE_NONE : pf_check_constraints(s, a, row);
}

/* The other half of pf_check_before. */
PfTrouble pf_check_after(PfSolver *s, const double *acceleration, int *row)
{
  return s->drifts ? pf_check_constraints(s, acceleration, row) : PF_TROUBLE_NONE;
}

/* ---------------------------------------------------------------- what they span */

/* For n coordinates and m rows. */
PfStatus pf_span_make(PfSolver *s, PfSpan *span)
{
  int n = s->system->n, m = s->system->m;
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&span->force, n, 1}, {&span->Z, m, m}, {&span->z, m, 1}, {0}}));
  PF_TRY(pf_qr_make(s->ctx, s->arena, m, m, &span->null_qr));
  return pf_qr_make(s->ctx, s->arena, n, m, &span->qr);
}

/* Cost: that of an orthogonal factorisation, 2 n m^2. The rank is decided by s->rank_tolerance for rows of unit
 * length. */
int pf_span_factor(PfSolver *s, PfSpan *span)
{
  pf_unit_rows(s);
  /* the rows of A are the columns of A^T */
  (void)pf_qr_factor_columns(&span->qr, s->at.unit_A, s->rank_tolerance);
  return span->qr.rank;
}

/* Uses s->at.unit_b, which pf_span_factor has filled. */
void pf_span_solve(PfSolver *s, PfSpan *span, double *a)
{
  pf_qr_solve_transposed(&span->qr, s->at.unit_b, a);
}

/* `lambda` is in the units of the rows as they are written. */
void pf_span_multipliers(PfSolver *s, PfSpan *span, const double *acceleration, double *lambda)
{
  int n = s->system->n;
  if (s->system->m == 0) return;
  const double *inertia = pf_inertia(s, acceleration);
  for (int j = 0; j < n; j++) span->force[j] = inertia[j] - s->at.load[j];
  pf_span_share(s, span, lambda);
}

/* For a force that the caller has put into span->force. */
void pf_span_share(PfSolver *s, PfSpan *span, double *lambda)
{
  int m = s->system->m;
  pf_qr_solve(&span->qr, span->force, lambda);
  for (int i = 0; i < m; i++) lambda[i] /= s->at.unit[i];
  if (span->qr.rank < m) pf_shorten_multipliers(&span->qr, &span->null_qr, s->at.unit, span->Z, span->z, lambda);
}
