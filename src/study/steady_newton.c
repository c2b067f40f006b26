/* SPDX-License-Identifier: Apache-2.0 */
/* Places of the search for steady motions, and Newton's method from one of them to a zero. */
#include "study/steady_impl.h"

#include "form/solver.h"
#include "num/newton.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 50, PATIENT_STEPS = 20 };

/* ---------------------------------------------------------------- places */

/* Has the search taken its budget of evaluations? */
bool pf_seek_is_spent(PfSeek *s)
{
  s->steady->evaluations = s->p->field->evaluations - s->first;
  if (s->steady->evaluations >= s->budget) s->steady->spent = true;
  return s->steady->evaluations >= s->budget;
}

size_t pf_seek_bytes(const PfSeek *s)
{
  return (size_t)s->p->field->count*sizeof *s->last;
}

/* The number of u that the unknown k is. */
int pf_seek_number(const PfSeek *s, int k)
{
  const PfDynamics *f = s->p->field;
  int c = s->p->unknown[k];
  return c < f->ny ? f->y[c] : f->n + f->w[c - f->ny];
}

double pf_seek_scale(const PfSeek *s, int k)
{
  return s->scale[pf_seek_number(s, k)];
}

void pf_seek_place(const PfSeek *s, double *u)
{
  const PfDynamics *f = s->p->field;
  memcpy(u, f->full + f->at_q, (size_t)f->n*sizeof *u);
  memcpy(u + f->n, f->full + f->at_w, (size_t)f->nw*sizeof *u);
}

/* Differences of all numbers that count, without full turns; quaternions q and -q are the same attitude. */
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

double pf_seek_distance(const PfSeek *s, const double *a, const double *b)
{
  double most = 0, *d = s->lifted;
  pf_seek_subtract(s, a, b, d);
  for (int i = 0; i < s->numbers; i++) most = fmax(most, fabs(d[i])/s->scale[i]);
  return most;
}

/* Puts the field where all its numbers are given, with independent coordinates that suit the place. */
PfStatus pf_seek_recall(PfSeek *s, const double *numbers)
{
  memcpy(s->p->field->full, numbers, pf_seek_bytes(s));
  PF_TRY(pf_problem_rechart(s->p));
  pf_problem_get(s->p, s->z);
  return PF_OK;
}

void pf_seek_remember(const PfSeek *s, double *numbers)
{
  memcpy(numbers, s->p->field->full, pf_seek_bytes(s));
}

/* The place of the constraints next to u, whichever sheet that is on. */
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

/* A direction of the unknowns in all numbers of u: dependent coordinates move along. */
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

static double scaled_length(const PfSeek *s, const double *d)
{
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum += d[k]/pf_seek_scale(s, k)*(d[k]/pf_seek_scale(s, k));
  return sqrt(sum);
}

/* What the residual is multiplied by where the field is. */
static double deflation_factor(PfSeek *s)
{
  double factor = 1, *e = s->lifted;
  pf_seek_place(s, s->u);
  for (int i = 0; i < s->known_count; i++) {
    double square = 0;
    pf_seek_subtract(s, s->u, s->known + (size_t)i*(size_t)s->numbers, e);
    for (int k = 0; k < s->numbers; k++) square += e[k]/s->scale[k]*(e[k]/s->scale[k]);
    factor *= 1 + 1/(square + 1e-300);
  }
  return factor;
}

/* g . d, where g is the gradient of the logarithm of the deflation: the step d becomes d/(1 - g.d). */
static PfStatus deflation(PfSeek *s, const double *step, double *sum)
{
  *sum = 0;
  if (!s->known_count) return PF_OK;
  PF_TRY(pf_seek_lift(s, step, s->other));
  pf_seek_place(s, s->u);
  for (int i = 0; i < s->known_count; i++) {
    double square = 0, along = 0, *e = s->lifted;
    pf_seek_subtract(s, s->u, s->known + (size_t)i*(size_t)s->numbers, e);
    for (int k = 0; k < s->numbers; k++) {
      if (!isfinite(s->scale[k])) continue;
      square += e[k]/s->scale[k]*(e[k]/s->scale[k]);
      along += e[k]/s->scale[k]*s->other[k]/s->scale[k];
    }
    *sum += -2*along/(square*(square + 1) + 1e-300);
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

static bool is_all_rounding(const PfSeek *s)
{
  for (int i = 0; i < s->p->equations; i++)
    if (!is_rounding(s, i)) return false;
  return true;
}

/* Does the residual count as zero? Each rate is measured by how it changes with a move of one unit of scale, and by
 * what rates are elsewhere: near a place where the velocities of the chart fail, the first grows without limit. */
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

/* Are the dependent coordinates and velocities still held by the constraints, by this part of what they were? */
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

/* Goes to s->z; where the constraints have no solution there, to a point on the way. */
static PfStatus go(Descent *d)
{
  enum { HALVINGS = 6 };
  PfSeek *s = d->s;
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  for (int i = 0; i < HALVINGS && status != PF_OK && !pf_is_final(status) && d->begun; i++) {
    pf_diagnostics_cut(s->ctx, before);
    for (int k = 0; k < s->n; k++) s->z[k] = (s->z[k] + s->last_z[k])/2;
    memcpy(s->p->field->full, s->last, pf_seek_bytes(s));
    status = pf_problem_go(s->p, s->z, NAN, s->r);
  }
  PF_TRY(status);
  if (is_held(s, 0.3)) return PF_OK;
  if (!s->p->bound) s->plane = 0; /* the unknowns are others now */
  PF_TRY(pf_problem_rechart(s->p));
  pf_problem_get(s->p, s->z);
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* A residual that is rounding is none; that is looked at where the search begins, and where it seems to end. */
static PfStatus find_residual(void *user, PfMiss *miss)
{
  Descent *d = user;
  PfSeek *s = d->s;
  PF_TRY(go(d));
  miss->size = miss->merit = pf_norm(s->r, s->p->equations);
  if (d->deflated) miss->merit *= deflation_factor(s);
  if (!d->begun || d->polished) {
    PF_TRY(pf_problem_rounding(s->p, s->noise));
    if (is_all_rounding(s)) miss->size = 0;
  }
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  pf_seek_remember(s, s->last);
  memcpy(s->last_z, s->z, (size_t)s->n*sizeof *s->z);
  d->begun = true;
  return PF_OK;
}

/* What a rate is divided by for the steps: its largest slope where the units of the coordinates differ much. */
static double rate_size(const PfSeek *s, const double *slopes)
{
  const double most = pf_largest(slopes, s->n);
  return pf_solver_units(s->p->field->solver) && most > 0 ? most : 1;
}

/* Rows behind those of the rates that forbid steps along the family; as large as they are. */
static void add_planes(PfSeek *s, double *right)
{
  const size_t n = (size_t)s->n, m = (size_t)s->p->equations;
  const double size = pf_largest(s->J, (int)(m*n));
  for (size_t i = 0; i < (size_t)s->plane; i++) {
    for (size_t k = 0; k < n; k++) s->J[(m + i)*n + k] = s->planes[i*n + k]*size;
    right[m + i] = 0;
  }
}

/* s->step from the residual and the slopes, in parts of the scales. */
static PfStatus solve_slopes(PfSeek *s)
{
  double *size = s->lifted, *right = s->other;
  s->qr.m = s->p->equations + s->plane;
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    for (int k = 0; k < s->n; k++) row[k] *= pf_seek_scale(s, k);
    size[i] = rate_size(s, row);
    for (int k = 0; k < s->n; k++) row[k] /= size[i];
    right[i] = s->r[i]/size[i];
  }
  add_planes(s, right);
  PF_TRY(pf_qr_factor(&s->qr, s->J, 1e-11));
  pf_qr_solve(&s->qr, right, s->step);
  for (int i = 0; i < s->p->equations; i++)
    for (int k = 0; k < s->n; k++) s->J[i*s->n + k] *= size[i]/pf_seek_scale(s, k);
  return PF_OK;
}

/* The length is that of the step without deflation. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  static const double arrived = 1e-9; /* then it is only polished */
  Descent *d = user;
  PfSeek *s = d->s;
  double g = 0;
  (void)fresh;
  PF_TRY(solve_slopes(s));
  for (int k = 0; k < s->n; k++) s->step[k] *= -pf_seek_scale(s, k);
  *length = scaled_length(s, s->step);
  if (d->deflated) PF_TRY(deflation(s, s->step, &g));
  if (d->longest < *length && d->shortened++ >= PATIENT_STEPS) d->longest *= 1.25; /* a way that is far */
  double factor = fabs(1 - g) > 1e-12 ? 1/(1 - g) : 1, most = d->longest / *length;
  factor = fmax(-most, fmin(most, factor));
  for (int k = 0; k < s->n; k++) s->step[k] *= factor;
  if (*length < arrived) d->deflated = false, d->polished = true;
  return PF_OK;
}

/* Failures on the way are silent: there is nothing to be found. */
PfStatus pf_seek_quietly(const PfSeek *s, int before, PfStatus status)
{
  if (pf_is_final(status)) return status;
  pf_diagnostics_cut(s->ctx, before);
  return PF_OK;
}

/* From s->z to a zero; the field is there then. Rounding may keep the steps above the limit. */
PfStatus pf_seek_solve(PfSeek *s, PfSeekWay way, bool *found)
{
  const bool deflated = way.deflated, damped = way.damped;
  const double longest = way.longest;
  const PfNewtonPolicy policy = {.iterations = way.steps ? way.steps : MOST_STEPS, .enough = 0,
                                 .shortest = 1e-13, .decrease = 1e-4,
                                 .patience = damped ? 0 : MOST_STEPS, .halvings = damped ? 10 : 0};
  Descent descent = {.s = s, .deflated = deflated, .longest = longest};
  const PfNewton newton = {.user = &descent, .n = s->n, .x = s->z, .step = s->step, .before = s->before,
                           .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  int before = pf_diagnostic_count(s->ctx);
  PfNewtonEnd end = pf_newton(&newton, &policy, &result);
  bool arrived = end == PF_NEWTON_CONVERGED || (end == PF_NEWTON_LIMIT && result.length < 1e-9);
  if (arrived && end != PF_NEWTON_FAILED) result.status = pf_problem_rounding(s->p, s->noise);
  *found = arrived && result.status == PF_OK && is_zero(s) && is_held(s, 1e-2);
  return pf_seek_quietly(s, before, result.status);
}

/* Is there a zero at s->z as it stands? */
PfStatus pf_seek_is_solution(PfSeek *s, bool *yes)
{
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  if (status == PF_OK) status = pf_problem_slope(s->p, s->J, NULL);
  if (status == PF_OK) status = pf_problem_rounding(s->p, s->noise);
  *yes = status == PF_OK && pf_first_not_finite(s->r, (size_t)s->p->equations) < 0 && is_zero(s) && is_held(s, 1e-2);
  return pf_seek_quietly(s, before, status);
}
