/* SPDX-License-Identifier: Apache-2.0 */
/* Forces that depend on the constraint forces they belong to: lambda = Lambda(C(lambda)), where Lambda gives
 * the multipliers that a formulation finds under the non-ideal forces C. Found by Newton's method with
 * halved steps. With Coulomb's law there may be no solution, or several; a solution is taken only if no
 * other one is found nearby in sign. */
#include "form/form_impl.h"
#include "num/newton.h"

#include <math.h>
#include <string.h>

static const double regular_tolerance = 1e-9;

/* Nothing where no force depends on multipliers. */
PfStatus pf_friction_make(PfSolver *s)
{
  if (!s->system->friction) return PF_OK;
  int n = s->system->n, m = s->system->m;
  PfFriction *f = s->friction = pf_solver_array(s, PfFriction, 1);
  if (!f) return pf_solver_no_room(s);
  f->slope_work = pf_solver_scratch(s, double, pf_tape_work_size(s->system->slope));
  if (!f->slope_work) return pf_solver_no_room(s);
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&f->slope, n, m}, {&f->lambda, m, 1}, {&f->other, m, 1}, {&f->found, m, 1},
                                       {&f->residual, m, 1}, {&f->step, m, 1}, {&f->origin, m, 1}, {&f->jacobian, m, m},
                                       {0}}));
  PF_TRY(pf_span_make(s, &f->span));
  return pf_qr_make(s->ctx, s->arena, m, m, &f->qr);
}

/* ---------------------------------------------------------------- Newton */

/* Multipliers assumed -> non-ideal forces -> accelerations and multipliers. motion gets accelerations and multipliers
 * for the assumed ones. */
static PfTrouble pass(PfSolver *s, const double *assumed, PfMotion *motion, int *row)
{
  memcpy(s->own_values + s->system->symbols.lambda, assumed, (size_t)s->system->m*sizeof *assumed);
  PfTrouble trouble = pf_solver_evaluate(s, row);
  return trouble == PF_TROUBLE_NONE ? s->formulation->accelerate(s, motion, row) : trouble;
}

/* dLambda/dlambda - 1 where the last pass was. The map from loads to multipliers is affine, so its
 * derivative along a column of dC/dlambda is one more pass with that column as additional load. It is found once
 * where C is affine in lambda, as the friction of joints that stick is: each pass solves for all accelerations. */
static PfTrouble find_jacobian(PfSolver *s, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  PfFriction *f = s->friction;
  if (f->is_known) return PF_TROUBLE_NONE;
  memcpy(f->found, motion->multiplier, (size_t)m*sizeof *f->found);
  pf_tape_run(s->system->slope, s->values, f->slope, f->slope_work);
  if (pf_first_not_finite(f->slope, (size_t)n*(size_t)m) >= 0) return PF_TROUBLE_NO_CONVERGENCE;
  for (int i = 0; s->scaled && i < n; i++)
    for (int k = 0; k < m; k++) f->slope[i*m + k] *= s->units.column[i];
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < m; i++) f->jacobian[i*m + k] = -(i == k);
    if (!s->system->in_friction[k]) continue;
    for (int i = 0; i < n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i] + f->slope[i*m + k];
    PfTrouble trouble = s->formulation->accelerate(s, motion, row);
    if (trouble != PF_TROUBLE_NONE) return trouble;
    for (int i = 0; i < m; i++) f->jacobian[i*m + k] += motion->multiplier[i] - f->found[i];
  }
  for (int i = 0; i < n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i];
  /* the Jacobian is a matrix minus the unit matrix: compared with these, not with itself, it must not be small */
  const double left = pf_norm(f->jacobian, m*m), least = regular_tolerance*fmax(1, left);
  if (!(left > least)) return PF_TROUBLE_NO_CONVERGENCE;
  (void)pf_qr_factor(&f->qr, f->jacobian, least/left);
  if (f->qr.rank < m) return PF_TROUBLE_NO_CONVERGENCE;
  f->is_known = s->system->affine;
  return PF_TROUBLE_NONE;
}

/* Newton's method while it goes on. */
typedef struct Search {
  PfSolver *s;
  double *lambda;
  PfMotion *motion;
  PfTrouble trouble;
  int *row;
} Search;

/* lambda - Lambda(C(lambda)) and its size compared with the multipliers and the loads that they balance. */
static PfStatus find_residual(void *user, PfResidualNorm *norm)
{
  Search *search = user;
  const PfSolver *s = search->s;
  PfFriction *f = s->friction;
  const int n = s->system->n, m = s->system->m;
  search->trouble = pass(search->s, search->lambda, search->motion, search->row);
  if (search->trouble != PF_TROUBLE_NONE) return PF_ERR_NUMBER;
  for (int i = 0; i < m; i++) f->residual[i] = search->lambda[i] - search->motion->multiplier[i];
  norm->merit = pf_largest(f->residual, m);
  /* scale of the multipliers: themselves, and the loads they may balance */
  norm->size = norm->merit/(1e-300 + pf_largest(search->motion->multiplier, m) +
                            pf_largest(s->at.load, n)/(1e-300 + pf_largest(s->at.A, m*n)));
  return PF_OK;
}

/* The Jacobian is that of the latest pass, which has the same lambda. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  Search *search = user;
  PfFriction *f = search->s->friction;
  (void)fresh, (void)length;
  search->trouble = find_jacobian(search->s, search->motion, search->row);
  if (search->trouble != PF_TROUBLE_NONE) return PF_ERR_NUMBER;
  pf_qr_solve(&f->qr, f->residual, f->step);
  return PF_OK;
}

/* From lambda to a solution in lambda; the motion belongs to it. At most 60 steps, each with up to 14 halvings; each
 * costs a pass, and the Jacobian one for each multiplier that causes friction. */
static PfTrouble newton(PfSolver *s, double *lambda, PfMotion *motion, int *row)
{
  const PfNewtonPolicy policy = {.iterations = 60, .enough = 1e-12, .rounding = 1e-9, .stall = 1, .halvings = 14};
  Search search = {s, lambda, motion, PF_TROUBLE_NONE, row};
  const PfNewton iteration = {.user = &search, .n = s->system->m, .x = lambda, .step = s->friction->step,
                              .before = s->friction->origin, .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  (void)pf_newton(&iteration, &policy, &result);
  if (search.trouble == PF_TROUBLE_NO_CONVERGENCE && result.iterations == 0) { /* no slope, as without any force: */
    memcpy(lambda, s->friction->found, (size_t)s->system->m*sizeof *lambda); /* one plain step */
    (void)pf_newton(&iteration, &policy, &result);
  }
  if (result.end == PF_NEWTON_CONVERGED) return PF_TROUBLE_NONE;
  return search.trouble == PF_TROUBLE_NONE ? PF_TROUBLE_NO_CONVERGENCE : search.trouble;
}

/* ---------------------------------------------------------------- is it the only one? */

/* Does Lambda(C(·)) bring multipliers nearer to each other, here and (as for Coulomb's law, whose slope only
 * changes sign) everywhere? Then there is one solution. */
static bool contracts(const PfSolver *s)
{
  int m = s->system->m;
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int k = 0; k < m; k++) sum += fabs(s->friction->jacobian[i*m + k] + (i == k));
    if (sum >= 1) return false;
  }
  return true;
}

/* Newton from the solution with the multiplier k turned round (k = m: all): does it end elsewhere? */
static bool ends_elsewhere(PfSolver *s, int k, PfMotion *motion)
{
  int m = s->system->m, row = -1;
  PfFriction *f = s->friction;
  for (int i = 0; i < m; i++) f->other[i] = i == k || k == m ? -f->lambda[i] : f->lambda[i];
  if (newton(s, f->other, motion, &row) != PF_TROUBLE_NONE) return false;
  for (int i = 0; i < m; i++)
    if (fabs(f->other[i] - f->lambda[i]) > 1e-6*pf_largest(f->lambda, m)) return true;
  return false;
}

/* Friction by multipliers that redundant constraints leave open is not determined either: dC/dlambda Z = 0
 * is needed for all Z with A^T Z = 0. */
static PfTrouble check_redundant(PfSolver *s, int *row)
{
  int n = s->system->n, m = s->system->m;
  PfFriction *f = s->friction;
  int count = m - pf_span_factor(s, &f->span);
  if (count == 0) return PF_TROUBLE_NONE;
  pf_qr_null_space(&f->span.qr, f->span.Z); /* of A^T in units of the rows */
  for (int i = 0; i < n; i++)
    for (int c = 0; c < count; c++) {
      double sum = 0, size = 0;
      int most = 0;
      for (int k = 0; k < m; k++) {
        double term = f->slope[i*m + k]*f->span.Z[k*count + c]/s->at.unit[k];
        if (fabs(term) > size) most = k;
        size = fmax(size, fabs(term));
        sum += term;
      }
      if (fabs(sum) <= 1e-9*size || size <= 1e-9*pf_largest(f->slope, n*m)) continue;
      *row = most;
      return PF_TROUBLE_AMBIGUOUS;
    }
  return PF_TROUBLE_NONE;
}

/* For laws that are affine in lambda the regular Jacobian is proof enough. Each other law is tried from the solution
 * with one multiplier reversed, and with all reversed: m + 1 runs of Newton's method. */
static PfTrouble check_unique(PfSolver *s, PfMotion *motion, int *row)
{
  int m = s->system->m;
  PfTrouble trouble = find_jacobian(s, motion, row);
  if (trouble == PF_TROUBLE_NONE) trouble = check_redundant(s, row);
  if (trouble != PF_TROUBLE_NONE || s->system->affine || contracts(s)) return trouble;
  for (int k = 0; k <= m; k++)
    if ((k == m || s->system->in_friction[k]) && ends_elsewhere(s, k, motion)) return PF_TROUBLE_NO_CONVERGENCE;
  return PF_TROUBLE_NONE;
}

/* The search begins without any force. *row is the constraint that is to blame. The last pass leaves accelerations and
 * multipliers of the solution in `motion`. */
PfTrouble pf_friction_solve(PfSolver *s, PfMotion *motion, int *row)
{
  PfFriction *f = s->friction;
  memset(f->lambda, 0, (size_t)s->system->m*sizeof *f->lambda);
  f->is_known = false;
  PfTrouble trouble = newton(s, f->lambda, motion, row);
  if (trouble == PF_TROUBLE_NONE) trouble = check_unique(s, motion, row);
  if (trouble == PF_TROUBLE_NO_CONVERGENCE) { /* the largest residual among multipliers that cause friction */
    *row = -1;
    for (int k = 0; k < s->system->m; k++)
      if (s->system->in_friction[k] && (*row < 0 || fabs(f->residual[k]) > fabs(f->residual[*row]))) *row = k;
  }
  return trouble == PF_TROUBLE_NONE ? pass(s, f->lambda, motion, row) : trouble;
}
