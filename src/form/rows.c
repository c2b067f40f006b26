/* The rows of A: in units of their own, what they miss, and the multipliers that belong to accelerations. */
#include "form/form_impl.h"

#include <math.h>

void pf_unit_rows(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  double most = 0;
  for (int i = 0; i < m; i++) {
    s->at.unit[i] = pf_binary_scale(s->at.A + (size_t)i*(size_t)n, (size_t)n);
    most = fmax(most, s->at.unit[i]);
  }
  for (int i = 0; i < m; i++) {
    bool empty = s->at.unit[i] < PF_EMPTY_ROW*most;
    double unit = s->at.unit[i] = empty ? most : s->at.unit[i];
    for (int j = 0; j < n; j++) s->at.unit_A[i*n + j] = empty ? 0 : s->at.A[i*n + j]/unit;
    s->at.unit_b[i] = s->at.b[i]/unit;
  }
}

/* What row i misses, and the size of its terms; accelerations of 1e-3 at least, smaller ones are not asked to agree. */
static double find_miss(const PfSolver *s, const double *acceleration, int i, double *size)
{
  int n = s->system->n;
  const double *row = s->at.A + (size_t)i*(size_t)n;
  double miss = -s->at.b[i], largest = 0;
  *size = fabs(s->at.b[i]);
  for (int j = 0; j < n; j++) {
    double term = row[j]*acceleration[j];
    miss += term;
    *size += fabs(term);
    largest = fmax(largest, fabs(row[j]));
  }
  *size += 1e-3*largest;
  return fabs(miss);
}

/* The row that misses most, or -1. Beside its own terms, and not what rounding leaves of those of others. */
static int worst_row(const PfSolver *s, const double *acceleration)
{
  int m = s->system->m, worst = -1;
  double size, sizes = 1e-300, most = 1;
  for (int i = 0; i < m; i++) {
    find_miss(s, acceleration, i, &size);
    sizes = fmax(sizes, size);
  }
  for (int i = 0; i < m; i++) {
    double miss = find_miss(s, acceleration, i, &size), part = miss/(1e-6*size + 1e-12*sizes);
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
    double part = pf_dot(row, other, n);
    for (int j = 0; j < n; j++) row[j] -= part*other[j];
    s->at.unit_b[i] -= part*s->at.unit_b[k%i];
  }
}

/* The first row, as they are written, that contradicts those before it: the same name by every formulation. -1 if rounding
 * hides it. */
static int first_contradiction(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  pf_unit_rows(s);
  for (int i = 0; i < m; i++) {
    double *row = s->at.unit_A + (size_t)i*(size_t)n, length = pf_norm(row, n), b = fabs(s->at.unit_b[i]);
    orthogonalise(s, i);
    double left = pf_norm(row, n);
    bool redundant = left <= PF_RANK_TOLERANCE*length;
    if (redundant && fabs(s->at.unit_b[i]) > 1e-6*b + 1e-9) return i;
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

/* ---------------------------------------------------------------- multipliers */

PfStatus pf_multipliers_make(PfSolver *s, MultiplierWork *work)
{
  size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  work->At = pf_solver_array(s, double, n*m);
  work->force = pf_solver_array(s, double, n);
  work->Z = pf_solver_array(s, double, m*m);
  work->z = pf_solver_array(s, double, m);
  if (!work->At || !work->force || !work->Z || !work->z) return pf_solver_no_room(s);
  PF_TRY(pf_qr_make(s->ctx, s->arena, (int)m, (int)m, &work->rest));
  return pf_qr_make(s->ctx, s->arena, (int)n, (int)m, &work->qr);
}

/* Redundant rows: lambda + Z z is as good as lambda when A^T Z = 0. The shortest is found by least squares. */
static void shorten(MultiplierWork *work, const double *unit, int m, double *lambda)
{
  int count = m - work->qr.rank;
  pf_qr_null_space(&work->qr, work->Z);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < count; k++) work->Z[i*count + k] /= unit[i];
  work->rest.n = count;
  (void)pf_qr_factor(&work->rest, work->Z, 0);
  pf_qr_solve(&work->rest, lambda, work->z);
  for (int i = 0; i < m; i++) lambda[i] -= pf_dot(work->Z + (size_t)i*(size_t)count, work->z, count);
}

int pf_multipliers_factor(PfSolver *s, MultiplierWork *work)
{
  int n = s->system->n, m = s->system->m;
  pf_unit_rows(s);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) work->At[j*m + i] = s->at.unit_A[i*n + j];
  (void)pf_qr_factor(&work->qr, work->At, PF_RANK_TOLERANCE);
  return work->qr.rank;
}

void pf_multipliers_solve(PfSolver *s, MultiplierWork *work, const double *acceleration, double *lambda)
{
  int n = s->system->n, m = s->system->m;
  pf_times(s->at.M, n, n, acceleration, work->force);
  for (int j = 0; j < n; j++) work->force[j] -= s->at.load[j];
  pf_qr_solve(&work->qr, work->force, lambda);
  for (int i = 0; i < m; i++) lambda[i] /= s->at.unit[i];
  if (work->qr.rank < m) shorten(work, s->at.unit, m, lambda);
}

void pf_multipliers_from(PfSolver *s, MultiplierWork *work, const double *acceleration, double *lambda)
{
  if (s->system->m == 0) return;
  pf_multipliers_factor(s, work);
  pf_multipliers_solve(s, work, acceleration, lambda);
}
