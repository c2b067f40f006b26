/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for a step of the alpha methods, with the exact Jacobian. */
#include "num/newton.h"
#include "time/alpha_common.h"
#include "time/manifold.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool pf_alpha_impulse_at(PfMotionRun *run, double t, const double *q, const double *v)
{
  PfAlpha *s = run->stepper.data;
  pf_alpha_set_state(s, s->impulse_values, t, q, v);
  pf_tape_run(s->impulse, s->impulse_values, s->M, s->impulse_work);
  int n = s->n, bad = pf_first_not_finite(s->M, (size_t)(n*n + s->m*n));
  if (bad >= 0) {
    run->flow.trouble = PF_TROUBLE_NOT_FINITE;
    run->flow.row = bad < n*n ? bad/n : n + (bad - n*n)/n;
    return false;
  }
  if (pf_ldl_factor(&s->mass, s->M, 0) != PF_OK) {
    run->flow.trouble = PF_TROUBLE_INDEFINITE;
    run->flow.row = s->mass.fault_row;
    return false;
  }
  if (!s->rattle || s->mass.rank == n) return true;
  run->flow.reported = true;
  pf_fail(run->ctx, PF_ERR_MODEL, "'rattle' needs a regular mass matrix, and '%s' has no inertia of its own",
          pf_system_equations(run->system)->model->coordinates[s->mass.order[s->mass.rank]].name);
  pf_hint(run->ctx, "'generalized_alpha' does not need one");
  return false;
}

void pf_alpha_direction(const PfLdl *mass, const double *M, const double *A, double *D)
{
  const int n = mass->n;
  if (mass->rank == n) {
    pf_ldl_solve(mass, A, D);
    return;
  }
  for (int j = 0; j < n; j++) D[j] = M[j*n + j] > 0 ? A[j]/M[j*n + j] : A[j];
}

/* ---------------------------------------------------------------- from unknowns to equations */

/* The state at t_{n+1} that belongs to x, into the numbers of the tapes. */
static void place(PfAlpha *s)
{
  int n = s->n, m = s->m;
  double h = s->h, *q = s->values + s->in->q, *v = s->values + s->in->v;
  const double *w = s->x, *lambda = s->x + n, *mu = s->x + n + m;
  if (s->friction) { /* M R = A^T lambda + C(lambda) with everything but lambda fixed */
    memcpy(s->impulse_values + s->in->lambda, lambda, (size_t)m*sizeof *lambda);
    pf_tape_run(s->impulse, s->impulse_values, s->M, s->impulse_work);
    pf_ldl_solve(&s->mass, s->C, s->R);
  } else {
    memset(s->R, 0, (size_t)n*sizeof *s->R);
  }
  for (int k = 0; k < m && s->rattle; k++)
    for (int j = 0; j < n; j++) s->R[j] += s->D[k*n + j]*lambda[k];
  for (int j = 0; j < n; j++) {
    q[j] = s->qc[j] + h*h*(s->kq*w[j] + 0.5*s->R[j]);
    v[j] = s->vc[j] + h*(s->kv*w[j] + s->R[j]);
  }
  for (int k = 0; k < s->p; k++)
    for (int j = 0; j < n; j++) q[j] += 0.5*h*h*s->D[s->position_row[k]*n + j]*mu[k];
  s->values[s->in->time] = s->t;
  memcpy(s->values + s->in->lambda, lambda, (size_t)m*sizeof *lambda);
  memcpy(s->values + s->in->count, w, (size_t)n*sizeof *w);
}

/* Rows on velocities are divided by h, rows on positions by h^2. */
static double weight_of(const PfAlpha *s, int row)
{
  if (row < s->n) return 1;
  if (row >= s->n + s->m) return 1/(s->h*s->h);
  return s->on_velocity[row - s->n] ? 1/s->h : 1;
}

double pf_alpha_row_rounding(const PfManifold *manifold, int constraint, const double *row, const double *x, int n)
{
  double unit = pf_manifold_scale(manifold, constraint), sum = 0;
  for (int j = 0; j < n; j++) sum += fabs(row[j])/unit*fabs(x[j]);
  return (fmin(2*DBL_EPSILON*sum, 5e-14) + 1e-16)*unit;
}

/* Tolerance of each residual: small against the forces, for the motion; for the constraints, rounding of the numbers in
 * them, in its unit hardly ever more than 5e-14. */
static double allowed(const PfAlpha *s, int row, double force)
{
  int n = s->n, m = s->m, k = row - n;
  bool position = row >= n + m;
  if (row < n || (!position && !s->on_velocity[k])) return force/s->scale[row];
  if (position) k = s->position_row[k - m];
  const double *x = s->values + (position ? s->in->q : s->in->v), *size = s->size_A + (size_t)k*(size_t)n;
  return pf_alpha_row_rounding(s->manifold, k, size, x, n);
}

static double largest_force(const PfAlpha *s)
{
  double force = 0;
  for (int i = 0; i < s->n + s->m; i++) force = fmax(force, fabs(s->x[i])/s->scale[i]);
  return force;
}

/* Does the equation follow from others? Then it says: its multiplier stays zero. */
static bool is_dropped(const PfAlpha *s, int row)
{
  int k = row - s->n;
  if (!s->redundant || k < 0) return false;
  return k < s->m ? s->dropped[k] : s->unplaced[s->position_row[k - s->m]];
}

/* Size of the residual in units of the tolerances; its merit is the same in the metric of the unknowns. */
static PfStatus find_residual(void *user, PfResidualNorm *norm)
{
  PfMotionRun *run = user;
  PfAlpha *s = run->stepper.data;
  run->result.evaluations++;
  place(s);
  pf_tape_run(s->equations, s->values, s->left_side, s->equations_work);
  for (int i = 0; i < s->n && s->printed; i++) s->left_side[i] -= s->load[i];
  for (int i = s->n; i < s->size && s->redundant; i++)
    if (is_dropped(s, i)) s->left_side[i] = 0;
  s->bad_row = pf_first_not_finite(s->left_side, (size_t)s->size);
  *norm = s->bad_row < 0 ? (PfResidualNorm){0, 0} : (PfResidualNorm){INFINITY, INFINITY};
  if (s->bad_row >= 0) return PF_OK;
  /* The size of forces that matter, in the metric of the mass matrix. Where they pass zero together, as the load on a
   * sticking block does, the rounding errors of their terms remain. */
  double speed = 0;
  const double *v = s->values + s->in->v;
  for (int i = 0; i < s->n; i++) speed = fmax(speed, fabs(v[i])/s->scale[i]);
  double force = 1e-12*largest_force(s) + 4*DBL_EPSILON*(speed/s->h + s->most) + DBL_MIN;
  for (int i = 0; i < s->size; i++) {
    norm->size = fmax(norm->size, fabs(s->left_side[i])/allowed(s, i, force));
    norm->merit = fmax(norm->merit, fabs(s->left_side[i])*weight_of(s, i)*s->scale[i]);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the matrix */

/* Unknowns and equations are scaled by the inertia each has, so that decisions about rank do not depend on units. */
static void find_scale(PfAlpha *s)
{
  int n = s->n, m = s->m;
  for (int i = 0; i < s->size; i++) s->scale[i] = 1;
  memset(s->size_A, 0, (size_t)m*(size_t)n*sizeof *s->size_A);
  for (int e = 0; e < s->entries; e++) {
    int i = s->entry_row[e], j = s->entry_column[e], k = i - n;
    if (i < n && j == 2*n + i && s->slope[e] > 0) s->scale[i] = 1/sqrt(s->slope[e]);
    if (k >= 0 && k < m && j >= (s->on_velocity[k] ? n : 2*n) && j < 3*n) s->size_A[k*n + j%n] = fabs(s->slope[e]);
  }
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < n; j++) s->right[j] = s->size_A[k*n + j]*s->scale[j];
    double length = pf_norm(s->right, n);
    if (length > 0) s->scale[n + k] = 1/length;
  }
  for (int k = 0; k < s->p; k++) s->scale[n + m + k] = s->scale[n + s->position_row[k]];
}

/* Adds to a row of the Jacobian what its derivatives by q_j or v_j give through R, and those by q_j through mu. */
static void add_impulses(PfAlpha *s, double *row, double slope, int j, double by_lambda, double by_mu)
{
  size_t size = (size_t)s->size;
  int n = s->n, m = s->m;
  for (int k = 0; k < m && s->rattle; k++) row[(size_t)(n + k)*size] += slope*by_lambda*s->D_lambda[k*n + j];
  for (int k = 0; k < s->p && by_mu != 0; k++)
    row[(size_t)(n + m + k)*size] += slope*by_mu*s->D[s->position_row[k]*n + j];
}

static void fill_matrix(PfAlpha *s)
{
  int n = s->n;
  size_t size = (size_t)s->size;
  double h = s->h;
  memset(s->matrix, 0, size*size*sizeof *s->matrix);
  for (int e = 0; e < s->entries; e++) {
    int i = s->entry_row[e], group = s->entry_column[e]/n, j = s->entry_column[e] - group*n;
    double slope = s->slope[e]*weight_of(s, i), *row = s->matrix + i;
    if (group == 0) { /* by q */
      row[(size_t)j*size] += slope*h*h*s->kq;
      add_impulses(s, row, slope, j, 0.5*h*h, 0.5*h*h);
    } else if (group == 1) { /* by v */
      row[(size_t)j*size] += slope*h*s->kv;
      add_impulses(s, row, slope, j, h, 0);
    } else { /* by w or lambda: these are the unknowns themselves */
      row[(size_t)(s->entry_column[e] - 2*n)*size] += slope;
    }
  }
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < size; i++) s->matrix[j*size + i] = s->matrix[j*size + i]*s->scale[i]*s->scale[j];
  for (size_t i = (size_t)n; i < size && s->redundant; i++)
    for (size_t j = 0; j < size && is_dropped(s, (int)i); j++) s->matrix[j*size + i] = s->matrix[i*size + j] = i == j;
}

/* Rows that follow from others where the constraints hold do so only nearly on the way there. */
static const double dependent = 1e-10;

static bool factor(PfAlpha *s)
{
  const int n = s->n, m = s->m;
  place(s);
  pf_tape_run(s->slopes, s->values, s->slope, s->slopes_work);
  find_scale(s);
  for (int k = 0; k < m && s->friction; k++) { /* d(M R)/d lambda_k */
    double *D = s->D_lambda + (size_t)k*(size_t)n;
    for (int j = 0; j < n; j++) D[j] = s->C_lambda[j*m + k];
    pf_ldl_solve(&s->mass, D, D);
    for (int j = 0; j < n; j++) D[j] += s->D[k*n + j];
  }
  fill_matrix(s);
  s->factored = pf_qr_factor_columns(&s->qr, s->matrix, dependent) == PF_OK;
  if (!s->factored) s->bad_row = s->qr.fault_row;
  return s->factored;
}

/* ---------------------------------------------------------------- Newton */

/* Its length: the change of w and lambda in parts of them. */
static PfStatus find_change(void *user, bool fresh, double *length)
{
  PfAlpha *s = ((PfMotionRun *)user)->stepper.data;
  if (fresh && !factor(s)) return PF_ERR_NUMBER;
  for (int i = 0; i < s->size; i++) s->right[i] = -s->left_side[i]*weight_of(s, i)*s->scale[i];
  pf_qr_solve(&s->qr, s->right, s->change);
  double size = DBL_MIN, change = 0;
  for (int i = 0; i < s->n + s->m; i++) {
    size = fmax(size, fabs(s->x[i])/s->scale[i]);
    change = fmax(change, fabs(s->change[i]));
  }
  *length = change/size;
  for (int i = 0; i < s->size; i++) s->change[i] *= s->scale[i];
  return PF_OK;
}

/* Converged to rounding, by the last change or by the residual: with stiff forces the residual may stay large. */
#define UNTIL_ROUNDING .iterations = 60, .enough = 1, .rounding = 1e4, .negligible = 1e-10, .stall = 0.5

const PfNewtonPolicy pf_alpha_swift = {UNTIL_ROUNDING, .reuse = 0.03};
const PfNewtonPolicy pf_alpha_careful = {UNTIL_ROUNDING, .halvings = 10};

static bool iterate(PfMotionRun *run, PfAlpha *s, const PfNewtonPolicy *policy)
{
  enum { MANY = 3 };
  bool fresh = !s->factored;
  if (fresh && !factor(s)) return false;
  const PfNewton newton = {.user = run, .n = s->size, .x = s->x, .step = s->change, .before = s->origin, .fresh = fresh,
                           .residual = find_residual, .solve = find_change};
  PfNewtonResult result = {0};
  (void)pf_newton(&newton, policy, &result);
  if (result.end == PF_NEWTON_CONVERGED) s->most = fmax(s->most, largest_force(s));
  if (result.iterations > MANY) s->factored = false; /* the next step deserves new factors */
  return result.end == PF_NEWTON_CONVERGED;
}

/* Straight on from the last two steps, when it was better than staying the last time. */
static void guess(PfAlpha *s)
{
  double moved = 0, missed = 0;
  for (int i = 0; i < s->n + s->m && s->alike > 1; i++) {
    moved = fmax(moved, fabs(s->x[i] - s->x_old[i])/s->scale[i]);
    missed = fmax(missed, fabs(s->x[i] - s->guess[i])/s->scale[i]);
  }
  bool straight = s->alike > 1 && missed < moved;
  for (int i = 0; i < s->size; i++) {
    double x = s->x[i], further = i < s->n + s->m && s->alike > 1 ? x + s->ratio*(x - s->x_old[i]) : x;
    s->x_old[i] = x;
    s->guess[i] = further;
    s->x[i] = i >= s->n + s->m ? 0 : straight ? further : x;
  }
}

void pf_alpha_report_stuck(PfMotionRun *run, double h)
{
  const PfModel *model = pf_system_equations(run->system)->model;
  const PfRunResult *r = &run->result;
  run->flow.reported = true;
  pf_fail(run->ctx, PF_ERR_NUMBER, "'%s' finds no state at the end of the step of %.3g from t = %.12g: Newton's "
          "iteration does not converge", run->stepper.method->name, h, run->state.t);
  if (r->weakest_row >= 0 && r->weakest < 0.1)
    pf_hint(run->ctx, "take smaller steps; the constraints come close to losing rank: '%s' is nearly dependent on the "
            "others (%.2g at t = %.6g, where 1 is orthogonal)", model->constraints[r->weakest_row].name, r->weakest,
            r->weakest_t);
  else
    pf_hint(run->ctx, "take smaller steps; forces that jump may also be the cause");
}

PfStepEnd pf_alpha_explain(PfMotionRun *run)
{
  const PfAlpha *s = run->stepper.data;
  if (s->stuck) pf_alpha_report_stuck(run, s->h);
  return PF_STEP_TROUBLE;
}

bool pf_alpha_solve(PfMotionRun *run)
{
  PfAlpha *s = run->stepper.data;
  s->stuck = false;
  guess(s);
  for (int i = s->n; i < s->size && s->redundant; i++)
    if (is_dropped(s, i)) s->x[i] = s->x_old[i] = 0;
  if (iterate(run, s, &pf_alpha_swift)) return true;
  for (int i = 0; i < s->size; i++) s->x[i] = i < s->n + s->m ? s->x_old[i] : 0;
  s->factored = false;
  if (iterate(run, s, &pf_alpha_careful)) return true;
  /* why it failed: an equation is not finite, or the iteration does not converge */
  s->stuck = s->bad_row < 0;
  run->flow.trouble = s->stuck ? PF_TROUBLE_NONE : PF_TROUBLE_NOT_FINITE;
  if (!s->stuck)
    run->flow.row = s->bad_row < s->n + s->m ? s->bad_row : s->n + s->position_row[s->bad_row - s->n - s->m];
  return false;
}
