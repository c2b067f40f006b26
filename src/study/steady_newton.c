/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method of the search for steady motions: damped, deflated by known solutions, with steps limited in parts of
 * the box; it changes the chart where the constraints hold the dependent coordinates badly. Also the metric of the
 * search: differences and distances of states without full turns. */
#include "study/steady_impl.h"

#include "form/solver.h"
#include "num/newton.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 50, PATIENT_STEPS = 20 };

/* ---------------------------------------------------------------- places */

/* Also counts the evaluations so far, for the result. */
bool pf_seek_is_spent(PfSeek *s)
{
  s->steady->evaluations = s->p->field->evaluations - s->first;
  if (s->steady->evaluations >= s->budget) s->steady->spent = true;
  return s->steady->evaluations >= s->budget;
}

/* For copies of field->full. */
size_t pf_seek_bytes(const PfSeek *s)
{
  return (size_t)s->p->field->count*sizeof *s->last;
}

/* Coordinates first, then velocities or speeds, by the present chart. */
int pf_seek_number(const PfSeek *s, int k)
{
  const PfDynamics *f = s->p->field;
  int c = s->p->unknown[k];
  return c < f->ny ? f->y[c] : f->n + f->w[c - f->ny];
}

/* Positive and finite for every unknown. */
double pf_seek_scale(const PfSeek *s, int k)
{
  return s->scale[pf_seek_number(s, k)];
}

/* u has all coordinates, then all velocities or speeds. */
void pf_seek_place(const PfSeek *s, double *u)
{
  const PfDynamics *f = s->p->field;
  memcpy(u, f->full + f->at_q, (size_t)f->n*sizeof *u);
  memcpy(u + f->n, f->full + f->at_w, (size_t)f->nw*sizeof *u);
}

/* d = a - b; 0 where a number does not count. */
void pf_seek_subtract(const PfSeek *s, const double *a, const double *b, double *d)
{
  const PfModel *model = s->p->field->model;
  int n = s->p->field->n;
  for (int i = 0; i < s->numbers; i++)
    d[i] = !isfinite(s->scale[i]) ? 0 : i < n ? pf_problem_turned_coordinate(s->p, i, a[i] - b[i]) : a[i] - b[i];
  for (int k = 0; k < model->ball_count; k++) {
    const int q = model->balls[k].q;
    if (pf_dot(a + q, b + q, 4) >= 0) continue;
    for (int i = q; i < q + 4; i++) d[i] = isfinite(s->scale[i]) ? a[i] + b[i] : 0;
  }
}

/* The maximum norm, in parts of the scales; s->lifted is overwritten. */
double pf_seek_distance(const PfSeek *s, const double *a, const double *b)
{
  double most = 0, *d = s->lifted;
  pf_seek_subtract(s, a, b, d);
  for (int i = 0; i < s->numbers; i++) most = fmax(most, fabs(d[i])/s->scale[i]);
  return most;
}

/* The unknowns s->z are those of the new chart there. */
PfStatus pf_seek_recall(PfSeek *s, const double *numbers)
{
  memcpy(s->p->field->full, numbers, pf_seek_bytes(s));
  PF_TRY(pf_problem_rechart(s->p));
  pf_problem_get(s->p, s->z);
  return PF_OK;
}

/* The field does not move; `numbers` has room for pf_seek_bytes. */
void pf_seek_remember(const PfSeek *s, double *numbers)
{
  memcpy(numbers, s->p->field->full, pf_seek_bytes(s));
}

/* From home, with the numbers of u that count, moved onto the constraints of position by the least weighted step.
 * Dependent velocities follow when the problem goes to s->z. */
PfStatus pf_seek_put(PfSeek *s, const double *u)
{
  PfDynamics *f = s->p->field;
  memcpy(f->full, s->p->home, pf_seek_bytes(s));
  for (int j = 0; j < f->n; j++)
    if (isfinite(s->scale[j])) f->full[f->at_q + j] = u[j];
  for (int j = 0; j < f->nw; j++)
    if (isfinite(s->scale[f->n + j])) f->full[f->at_w + j] = u[f->n + j];
  PF_TRY(pf_dynamics_project(f, s->weight));
  PF_TRY(pf_problem_rechart(s->p));
  pf_problem_get(s->p, s->z);
  return PF_OK;
}

/* du has `numbers` numbers; where everything is independent the direction itself is copied. */
PfStatus pf_seek_lift(PfSeek *s, const double *step, double *du)
{
  PfDynamics *f = s->p->field;
  double *d = s->p->x;
  memset(d, 0, (size_t)s->p->size*sizeof *d);
  for (int k = 0; k < s->n; k++) d[s->p->unknown[k]] = step[k];
  pf_dynamics_direction(f, d, s->seed);
  if (f->y_dependents || f->w_dependents) PF_TRY(pf_dynamics_complete(f, s->seed, NULL, f->derived));
  memcpy(du, s->seed + f->at_q, (size_t)f->n*sizeof *du);
  memcpy(du + f->n, s->seed + f->at_w, (size_t)f->nw*sizeof *du);
  return PF_OK;
}

/* ---------------------------------------------------------------- Newton */

/* The deflation by the known zeros u_i where the field is: `factor`, prod (1 + 1/d_i^2) with the distances d_i in parts
 * of the scales, by which the residual is multiplied, and for a step d of the unknowns (or NULL) `slope` = g . d, where
 * g is the gradient of the factor's logarithm: Newton's step d becomes d/(1 - g.d). */
static PfStatus deflate(PfSeek *s, const double *step, double *factor, double *slope)
{
  double *e = s->lifted;
  *factor = 1, *slope = 0;
  if (!s->known_count) return PF_OK;
  if (step) PF_TRY(pf_seek_lift(s, step, s->other));
  pf_seek_place(s, s->u);
  for (int i = 0; i < s->known_count; i++) {
    double square = 0, along = 0;
    pf_seek_subtract(s, s->u, s->known + (size_t)i*(size_t)s->numbers, e);
    for (int k = 0; k < s->numbers; k++) {
      if (!isfinite(s->scale[k])) continue;
      const double part = e[k]/s->scale[k];
      square += part*part;
      if (step) along += part*s->other[k]/s->scale[k];
    }
    *factor *= 1 + 1/(square + 1e-300);
    *slope += -2*along/(square*(square + 1) + 1e-300);
  }
  return PF_OK;
}

/* Is the rate i nothing but rounding? Where a chart nearly fails, rounding is of the size of all rates and says
 * nothing, unless all rates are rounding everywhere. */
static bool is_rounding(const PfSeek *s, int i)
{
  if (s->idle) return fabs(s->r[i]) <= fmax(s->noise[i], 32*s->elsewhere);
  return fabs(s->r[i]) <= s->noise[i] && (s->noise[i] <= 1e-9*s->elsewhere || s->elsewhere <= s->noise[i]);
}

/* Does the residual count as zero? Each rate is measured by how it changes with a move of one unit of scale, and by the
 * rates elsewhere: near a place where the velocities of the chart fail, the first grows without limit. */
static bool is_zero(const PfSeek *s)
{
  for (int i = 0; i < s->p->equations; i++) {
    double slope = 0, size = fabs(s->r[i]);
    for (int k = 0; k < s->n; k++) slope = fmax(slope, fabs(s->J[i*s->n + k])*pf_seek_scale(s, k));
    if (is_rounding(s, i)) continue;
    if (!(size <= 1e-10*slope) || !(size <= 1e-7*s->elsewhere)) return false;
  }
  return true;
}

/* Do the constraints still hold the dependent coordinates and velocities, to this part of their original strength? */
static bool is_held(const PfSeek *s, double part)
{
  const PfDynamics *f = s->p->field;
  return (!f->np || f->hold[0] > part*f->chosen_hold[0]) &&
         (!f->nv || f->speeds || f->hold[1] > part*f->chosen_hold[1]);
}

/* Newton's method while it goes on; `deflated` keeps away from the known zeros. */
typedef struct Descent {
  PfSeek *s;
  bool deflated, begun, polished;
  double longest; /* step, in parts of the scales */
  int shortened;  /* steps so far that were longer */
} Descent;

/* PfNewton's residual: the rates at s->z. Where the constraints have no solution there, s->z moves back to a point on
 * the way; where they hardly hold the dependent coordinates any more, it is written in other independent ones. A
 * residual that is rounding counts as zero: that is tested where the search begins, and where it seems to end. */
static PfStatus find_residual(void *user, PfResidualNorm *norm)
{
  enum { HALVINGS = 6 };
  Descent *d = user;
  PfSeek *s = d->s;
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  for (int i = 0; i < HALVINGS && status != PF_OK && !pf_is_final(status) && d->begun; i++) {
    pf_diagnostics_truncate(s->ctx, before);
    for (int k = 0; k < s->n; k++) s->z[k] = (s->z[k] + s->last_z[k])/2;
    memcpy(s->p->field->full, s->last, pf_seek_bytes(s));
    status = pf_problem_go(s->p, s->z, NAN, s->r);
  }
  PF_TRY(status);
  if (!is_held(s, 0.3)) {
    if (!s->p->bound) s->plane = 0; /* the unknowns are others now */
    PF_TRY(pf_problem_rechart(s->p));
    pf_problem_get(s->p, s->z);
    PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  }
  double factor = 1, slope;
  if (d->deflated) PF_TRY(deflate(s, NULL, &factor, &slope));
  norm->size = pf_norm(s->r, s->p->equations);
  norm->merit = norm->size*factor;
  if (!d->begun || d->polished) {
    bool all = true;
    PF_TRY(pf_problem_rounding(s->p, s->noise));
    for (int i = 0; i < s->p->equations && all; i++) all = is_rounding(s, i);
    if (all) norm->size = 0;
  }
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  pf_seek_remember(s, s->last);
  memcpy(s->last_z, s->z, (size_t)s->n*sizeof *s->z);
  d->begun = true;
  return PF_OK;
}

/* PfNewton's step s->step, by least squares of J with unknowns in parts of their scales, rates in parts of their
 * largest slopes where the units of the coordinates differ much, and rows that forbid steps along the planes. *length
 * is that of the step without deflation; no step is longer than d->longest. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  static const double arrived = 1e-9; /* then it is only polished */
  Descent *d = user;
  PfSeek *s = d->s;
  const size_t n = (size_t)s->n, m = (size_t)s->p->equations;
  double *size = s->lifted, *right = s->other;
  (void)fresh;
  s->qr.m = s->p->equations + s->plane;
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*n;
    for (int k = 0; k < s->n; k++) row[k] *= pf_seek_scale(s, k);
    const double most = pf_largest(row, s->n);
    size[i] = pf_solver_units(s->p->field->solver) && most > 0 ? most : 1;
    for (int k = 0; k < s->n; k++) row[k] /= size[i];
    right[i] = s->r[i]/size[i];
  }
  const double largest = pf_largest(s->J, (int)(m*n));
  for (size_t i = 0; i < (size_t)s->plane; i++) { /* as large as the rows of the rates */
    for (size_t k = 0; k < n; k++) s->J[(m + i)*n + k] = s->planes[i*n + k]*largest;
    right[m + i] = 0;
  }
  PF_TRY(pf_qr_factor(&s->qr, s->J, 1e-11));
  pf_qr_solve(&s->qr, right, s->step);
  for (int i = 0; i < s->p->equations; i++)
    for (int k = 0; k < s->n; k++) s->J[i*s->n + k] *= size[i]/pf_seek_scale(s, k);
  double square = 0, factor, slope = 0;
  for (int k = 0; k < s->n; k++) {
    s->step[k] *= -pf_seek_scale(s, k);
    square += s->step[k]/pf_seek_scale(s, k)*(s->step[k]/pf_seek_scale(s, k));
  }
  *length = sqrt(square);
  if (d->deflated) PF_TRY(deflate(s, s->step, &factor, &slope));
  if (d->longest < *length && d->shortened++ >= PATIENT_STEPS) d->longest *= 1.25; /* a way that is far */
  factor = fabs(1 - slope) > 1e-12 ? 1/(1 - slope) : 1;
  const double most = d->longest / *length;
  factor = fmax(-most, fmin(most, factor));
  for (int k = 0; k < s->n; k++) s->step[k] *= factor;
  if (*length < arrived) d->deflated = false, d->polished = true;
  return PF_OK;
}

/* Newton's method by its policy, with the residual and the step above. It is also a zero where rounding keeps the steps
 * above the limit. Failures of the equations on the way count as not found. */
PfStatus pf_seek_solve(PfSeek *s, PfSeekStrategy strategy, bool *found)
{
  const PfNewtonPolicy policy = {.iterations = strategy.steps ? strategy.steps : MOST_STEPS, .enough = 0,
                                 .shortest = 1e-13, .decrease = 1e-4, .patience = strategy.damped ? 0 : MOST_STEPS,
                                 .halvings = strategy.damped ? 10 : 0};
  Descent descent = {.s = s, .deflated = strategy.deflated, .longest = strategy.longest};
  const PfNewton newton = {.user = &descent, .n = s->n, .x = s->z, .step = s->step, .before = s->before,
                           .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  int before = pf_diagnostic_count(s->ctx);
  PfNewtonEnd end = pf_newton(&newton, &policy, &result);
  bool arrived = end == PF_NEWTON_CONVERGED || (end == PF_NEWTON_LIMIT && result.length < 1e-9);
  if (arrived) result.status = pf_problem_rounding(s->p, s->noise);
  *found = arrived && result.status == PF_OK && is_zero(s) && is_held(s, 1e-2);
  return pf_end_attempt(s->ctx, before, result.status);
}

/* Failures to reach u are dropped with their diagnostics. */
PfStatus pf_seek_solve_near(PfSeek *s, const double *u, PfSeekStrategy strategy, bool *found)
{
  int before = pf_diagnostic_count(s->ctx);
  *found = false;
  PfStatus status = pf_seek_put(s, u);
  return status == PF_OK ? pf_seek_solve(s, strategy, found) : pf_end_attempt(s->ctx, before, status);
}

/* By the same tests as at the end of pf_seek_solve, without a step. */
PfStatus pf_seek_is_solution(PfSeek *s, bool *yes)
{
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  if (status == PF_OK) status = pf_problem_slope(s->p, s->J, NULL);
  if (status == PF_OK) status = pf_problem_rounding(s->p, s->noise);
  *yes = status == PF_OK && pf_first_not_finite(s->r, (size_t)s->p->equations) < 0 && is_zero(s) && is_held(s, 1e-2);
  return pf_end_attempt(s->ctx, before, status);
}
