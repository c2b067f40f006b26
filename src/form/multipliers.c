/* Lagrange multipliers. With a regular mass matrix through S = A M^-1 A^T; with a singular one the whole system
 *   [M -A^T; A 0][q''; lambda] = [F + C; b]
 * (hand-cascade reference, section 2). Redundant constraints: the multipliers of least length. */
#include "form/form_impl.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  PfLdl mass, schur;
  PfQr schur_qr, whole, stack;
  double *Y, *S, *r, *K, *right, *solution;
  bool whole_made;
} Data;

static const double rank_tolerance = 1e-11, contradiction = 1e-6;

static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  size_t N = (size_t)n + (size_t)m;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  d->Y = pf_solver_array(s, double, N*N);
  d->S = pf_solver_array(s, double, (size_t)m*(size_t)m);
  d->r = pf_solver_array(s, double, N);
  d->K = pf_solver_array(s, double, N*N);
  d->right = pf_solver_array(s, double, N);
  d->solution = pf_solver_array(s, double, N);
  if (!d->Y || !d->S || !d->r || !d->K || !d->right || !d->solution) return pf_solver_no_room(s);
  s->unknowns = n + m;
  PF_TRY(pf_ldl_make(s->ctx, s->arena, n, &d->mass));
  PF_TRY(pf_ldl_make(s->ctx, s->arena, m, &d->schur));
  PF_TRY(pf_qr_make(s->ctx, s->arena, m, m, &d->schur_qr));
  PF_TRY(pf_qr_make(s->ctx, s->arena, n + m, n + m, &d->whole));
  return pf_qr_make(s->ctx, s->arena, n + m, n, &d->stack);
}

/* Is A q'' = b met? Else the constraint that misses most. */
static PfTrouble check_constraints(const PfSolver *s, const double *acceleration, int *row)
{
  int n = s->system->n, m = s->system->m;
  for (int i = 0; i < m; i++) {
    double miss = -s->at.b[i], scale = 1 + fabs(s->at.b[i]);
    for (int j = 0; j < n; j++) {
      double term = s->at.A[i*n + j]*acceleration[j];
      miss += term;
      scale += fabs(term);
    }
    if (fabs(miss) > contradiction*scale) {
      *row = i;
      return PF_TROUBLE_CONTRADICTION;
    }
  }
  return PF_TROUBLE_NONE;
}

/* lambda from S lambda = r; least length when S is singular. */
static void solve_schur(Data *d, int m, double *lambda)
{
  if (pf_ldl_factor(&d->schur, d->S, rank_tolerance) == PF_OK && d->schur.rank == m) {
    pf_ldl_solve(&d->schur, d->r, lambda);
    return;
  }
  (void)pf_qr_factor(&d->schur_qr, d->S, rank_tolerance);
  pf_qr_solve(&d->schur_qr, d->r, lambda);
}

/* q'' = M^-1 (load + A^T lambda) */
static PfTrouble regular(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  double *a = motion->acceleration;
  pf_ldl_solve(&d->mass, s->at.load, a);
  if (m == 0) return PF_TROUBLE_NONE;
  for (int i = 0; i < m; i++) pf_ldl_solve(&d->mass, s->at.A + (size_t)i*(size_t)n, d->Y + (size_t)i*(size_t)n);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k <= i; k++)
      d->S[i*m + k] = d->S[k*m + i] = pf_dot(s->at.A + (size_t)i*(size_t)n, d->Y + (size_t)k*(size_t)n, n);
    d->r[i] = s->at.b[i] - pf_dot(s->at.A + (size_t)i*(size_t)n, a, n);
  }
  solve_schur(d, m, motion->multiplier);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) a[j] += d->Y[i*n + j]*motion->multiplier[i];
  return d->schur.rank < m ? check_constraints(s, a, row) : PF_TROUBLE_NONE;
}

/* Uniqueness: [M; A] has full column rank. */
static PfTrouble check_unique(PfSolver *s, Data *d, int *row)
{
  int n = s->system->n, m = s->system->m;
  double scale = pf_binary_scale(s->at.M, (size_t)n*(size_t)n);
  for (int i = 0; i < n*n; i++) d->K[i] = s->at.M[i]/scale;
  for (int i = 0; i < m; i++) {
    double length = pf_norm(s->at.A + (size_t)i*(size_t)n, n);
    for (int j = 0; j < n; j++) d->K[(n + i)*n + j] = length > 0 ? s->at.A[i*n + j]/length : 0;
  }
  (void)pf_qr_factor(&d->stack, d->K, rank_tolerance);
  if (d->stack.rank == n) return PF_TROUBLE_NONE;
  *row = d->stack.order[d->stack.rank];
  return PF_TROUBLE_NOT_UNIQUE;
}

static PfTrouble singular(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m, N = n + m;
  PfTrouble trouble = check_unique(s, d, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  double scale = pf_binary_scale(s->at.M, (size_t)n*(size_t)n); /* lambda in units of the masses */
  memset(d->K, 0, (size_t)N*(size_t)N*sizeof *d->K);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) d->K[i*N + j] = s->at.M[i*n + j]/scale;
    for (int k = 0; k < m; k++) {
      d->K[i*N + n + k] = -s->at.A[k*n + i];
      d->K[(n + k)*N + i] = s->at.A[k*n + i];
    }
    d->right[i] = s->at.load[i]/scale;
  }
  for (int k = 0; k < m; k++) d->right[n + k] = s->at.b[k];
  if (pf_qr_factor(&d->whole, d->K, rank_tolerance) != PF_OK) return PF_TROUBLE_SINGULAR;
  pf_qr_solve(&d->whole, d->right, d->solution);
  memcpy(motion->acceleration, d->solution, (size_t)n*sizeof *d->solution);
  for (int k = 0; k < m; k++) motion->multiplier[k] = d->solution[n + k]*scale;
  return check_constraints(s, motion->acceleration, row);
}

static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  if (pf_ldl_factor(&d->mass, s->at.M, 0) != PF_OK) {
    *row = d->mass.fault_row;
    return PF_TROUBLE_INDEFINITE;
  }
  return d->mass.rank == s->system->n ? regular(s, d, motion, row) : singular(s, d, motion, row);
}

const PfFormulation pf_form_multipliers = {
  "multipliers", "Lagrange's multipliers; least length by the minimum-norm solution",
  "the augmented system of accelerations and multipliers; takes singular masses and redundant constraints",
  prepare, accelerate};
