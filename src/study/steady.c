/* SPDX-License-Identifier: Apache-2.0 */
/* Steady motions by Newton's method from many places. Solutions that are known are deflated: the residual is
 * multiplied by prod (1 + 1/|u - u_i|^2), which changes a Newton step by a factor only (Farrell, Birkisson, Funke
 * 2015, section 3).
 *
 * A place is told by u = (all coordinates, all velocities or speeds): independent ones alone do not tell which of
 * several solutions of the constraints the others take. Starts lie on all sheets of the constraints, and equilibria are
 * followed from one choice of independent coordinates to the next. */
#include "study/steady.h"

#include "form/solver.h"
#include "num/newton.h"
#include "num/tolerances.h"
#include "study/quantity.h"
#include "study/surfaces.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200, MOST_STEPS = 50, NEAR_STARTS = 24 };

/* Evaluations of the equations for every start that is asked for. A start takes a hundred as a rule; where solutions
 * are families of many dimensions, telling them apart takes thousands. */
enum { BUDGET = 1200, NEAR_BUDGET = 300 };

typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  PfProblem *p;
  PfSteady *steady;
  int n;                  /* unknowns */
  int numbers;            /* of u */
  PfQr qr;
  double *z, *last_z, *before; /* n: unknowns in the present choice of independent ones */
  double *r, *noise;      /* residual, and what rounding may change in it */
  double *J, *step, *kernel;
  double *low, *high;     /* numbers: where starts are */
  double *scale;          /* numbers: half of that; infinite for what does not count, as cyclic coordinates */
  double *weight;         /* coordinates: how freely each moves when a start is put onto the constraints */
  double *u, *start, *other, *lifted; /* numbers each: a place, where the search begins, and others */
  double *lines;          /* unknowns x numbers: kernel of J in all numbers */
  double *seed;           /* a direction of the field, with all that follows from it */
  double *last, *spot, *backup; /* all numbers of the field at some place */
  double *known;          /* MOST_POINTS x numbers */
  int known_count;
  double elsewhere;       /* rates of the size that is found at the starts */
  long long first, budget, near_budget; /* evaluations before the search, and those that it and its end may take */
  PfChartChoice chart;    /* in which the search begins */
  PfSurfaces surfaces;
} Search;

const char *pf_stability_name(PfStability stability)
{
  static const char *const names[] = {"stable", "neutral", "unstable"};
  return names[stability];
}

/* ---------------------------------------------------------------- places */

/* Has the search taken its budget of evaluations? */
static bool is_spent(Search *s)
{
  s->steady->evaluations = s->p->field->evaluations - s->first;
  if (s->steady->evaluations >= s->budget) s->steady->spent = true;
  return s->steady->evaluations >= s->budget;
}

static size_t field_bytes(const Search *s)
{
  return (size_t)s->p->field->count*sizeof *s->last;
}

/* The number of u that the unknown k is. */
static int number_of(const Search *s, int k)
{
  const PfDynamics *f = s->p->field;
  int c = s->p->unknown[k];
  return c < f->ny ? f->y[c] : f->n + f->w[c - f->ny];
}

static double scale_of(const Search *s, int k)
{
  return s->scale[number_of(s, k)];
}

static void get_place(const Search *s, double *u)
{
  const PfDynamics *f = s->p->field;
  memcpy(u, f->full + f->at_q, (size_t)f->n*sizeof *u);
  memcpy(u + f->n, f->full + f->at_w, (size_t)f->nw*sizeof *u);
}

/* Differences of all numbers that count, without full turns; quaternions q and -q are the same attitude. */
static void subtract(const Search *s, const double *a, const double *b, double *d)
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

static double distance(const Search *s, const double *a, const double *b)
{
  double most = 0, *d = s->lifted;
  subtract(s, a, b, d);
  for (int i = 0; i < s->numbers; i++) most = fmax(most, fabs(d[i])/s->scale[i]);
  return most;
}

/* Puts the field where all its numbers are given, with independent coordinates that suit the place. */
static PfStatus recall(Search *s, const double *numbers)
{
  memcpy(s->p->field->full, numbers, field_bytes(s));
  PF_TRY(pf_problem_rechart(s->p));
  pf_problem_get(s->p, s->z);
  return PF_OK;
}

static void remember(const Search *s, double *numbers)
{
  memcpy(numbers, s->p->field->full, field_bytes(s));
}

/* The place of the constraints next to u, whichever sheet that is on. */
static PfStatus put_at(Search *s, const double *u)
{
  PfDynamics *f = s->p->field;
  memcpy(f->full, s->p->home, field_bytes(s));
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
static PfStatus lift(Search *s, const double *step, double *du)
{
  PfDynamics *f = s->p->field;
  double *d = s->p->x;
  memset(d, 0, (size_t)s->p->size*sizeof *d);
  for (int k = 0; k < s->n; k++) d[s->p->unknown[k]] = step[k];
  pf_dynamics_direction(f, d, s->seed);
  if (f->y_dependents) PF_TRY(pf_dynamics_complete(f, s->seed, NULL, f->derived));
  memcpy(du, s->seed + f->at_q, (size_t)f->n*sizeof *du);
  memcpy(du + f->n, s->seed + f->at_w, (size_t)f->nw*sizeof *du);
  return PF_OK;
}

/* ---------------------------------------------------------------- Newton */

static double scaled_length(const Search *s, const double *d)
{
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum += d[k]/scale_of(s, k)*(d[k]/scale_of(s, k));
  return sqrt(sum);
}

/* What the residual is multiplied by where the field is. */
static double deflation_factor(Search *s)
{
  double factor = 1, *e = s->lifted;
  get_place(s, s->u);
  for (int i = 0; i < s->known_count; i++) {
    double square = 0;
    subtract(s, s->u, s->known + (size_t)i*(size_t)s->numbers, e);
    for (int k = 0; k < s->numbers; k++) square += e[k]/s->scale[k]*(e[k]/s->scale[k]);
    factor *= 1 + 1/(square + 1e-300);
  }
  return factor;
}

/* g . d, where g is the gradient of the logarithm of the deflation: the step d becomes d/(1 - g.d). */
static PfStatus deflation(Search *s, const double *step, double *sum)
{
  *sum = 0;
  if (!s->known_count) return PF_OK;
  PF_TRY(lift(s, step, s->other));
  get_place(s, s->u);
  for (int i = 0; i < s->known_count; i++) {
    double square = 0, along = 0, *e = s->lifted;
    subtract(s, s->u, s->known + (size_t)i*(size_t)s->numbers, e);
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
static bool is_rounding(const Search *s, int i)
{
  return fabs(s->r[i]) <= s->noise[i] && (s->noise[i] <= 1e-9*s->elsewhere || s->elsewhere <= s->noise[i]);
}

static bool is_all_rounding(const Search *s)
{
  for (int i = 0; i < s->p->equations; i++)
    if (!is_rounding(s, i)) return false;
  return true;
}

/* Does the residual count as zero? Each rate is measured by how it changes with a move of one unit of scale, and by
 * what rates are elsewhere: near a place where the velocities of the chart fail, the first grows without limit. */
static bool is_zero(const Search *s)
{
  for (int i = 0; i < s->p->equations; i++) {
    double slope = 0, size = fabs(s->r[i]);
    for (int k = 0; k < s->n; k++) slope = fmax(slope, fabs(s->J[i*s->n + k])*scale_of(s, k));
    if (is_rounding(s, i)) continue;
    if (!(size <= 1e-10*slope) || !(size <= 1e-7*s->elsewhere)) return false;
  }
  return true;
}

/* Are the dependent coordinates and velocities still held by the constraints, by this part of what they were? */
static bool is_held(const Search *s, double part)
{
  const PfDynamics *f = s->p->field;
  return (!f->np || f->hold[0] > part*f->chosen_hold[0]) &&
         (!f->nv || f->speeds || f->hold[1] > part*f->chosen_hold[1]);
}

/* Newton's method while it goes on; `deflated` keeps away from the known zeros. */
typedef struct Descent {
  Search *s;
  bool deflated, begun, polished;
  double longest; /* step, in parts of the scales */
} Descent;

/* Goes to s->z; where the constraints have no solution there, to a point on the way. */
static PfStatus go(Descent *d)
{
  enum { HALVINGS = 6 };
  Search *s = d->s;
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  for (int i = 0; i < HALVINGS && status != PF_OK && !pf_is_final(status) && d->begun; i++) {
    pf_diagnostics_cut(s->ctx, before);
    for (int k = 0; k < s->n; k++) s->z[k] = (s->z[k] + s->last_z[k])/2;
    memcpy(s->p->field->full, s->last, field_bytes(s));
    status = pf_problem_go(s->p, s->z, NAN, s->r);
  }
  PF_TRY(status);
  if (is_held(s, 0.3)) return PF_OK;
  PF_TRY(pf_problem_rechart(s->p));
  pf_problem_get(s->p, s->z);
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* A residual that is rounding is none; that is looked at where the search begins, and where it seems to end. */
static PfStatus find_residual(void *user, PfMiss *miss)
{
  Descent *d = user;
  Search *s = d->s;
  PF_TRY(go(d));
  miss->size = miss->merit = pf_norm(s->r, s->p->equations);
  if (d->deflated) miss->merit *= deflation_factor(s);
  if (!d->begun || d->polished) {
    PF_TRY(pf_problem_rounding(s->p, s->noise));
    if (is_all_rounding(s)) miss->size = 0;
  }
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  remember(s, s->last);
  memcpy(s->last_z, s->z, (size_t)s->n*sizeof *s->z);
  d->begun = true;
  return PF_OK;
}

/* What a rate is divided by for the steps: its largest slope where the units of the coordinates differ much. */
static double rate_size(const Search *s, const double *slopes)
{
  const double most = pf_largest(slopes, s->n);
  return pf_solver_units(s->p->field->solver) && most > 0 ? most : 1;
}

/* s->step from the residual and the slopes, in parts of the scales. */
static PfStatus solve_slopes(Search *s)
{
  double *size = s->lifted, *right = s->other;
  s->qr.m = s->p->equations;
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    for (int k = 0; k < s->n; k++) row[k] *= scale_of(s, k);
    size[i] = rate_size(s, row);
    for (int k = 0; k < s->n; k++) row[k] /= size[i];
    right[i] = s->r[i]/size[i];
  }
  PF_TRY(pf_qr_factor(&s->qr, s->J, 1e-11));
  pf_qr_solve(&s->qr, right, s->step);
  for (int i = 0; i < s->p->equations; i++)
    for (int k = 0; k < s->n; k++) s->J[i*s->n + k] *= size[i]/scale_of(s, k);
  return PF_OK;
}

/* The length is that of the step without deflation. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  static const double arrived = 1e-9; /* then it is only polished */
  Descent *d = user;
  Search *s = d->s;
  double g = 0;
  (void)fresh;
  PF_TRY(solve_slopes(s));
  for (int k = 0; k < s->n; k++) s->step[k] *= -scale_of(s, k);
  *length = scaled_length(s, s->step);
  if (d->deflated) PF_TRY(deflation(s, s->step, &g));
  double factor = fabs(1 - g) > 1e-12 ? 1/(1 - g) : 1, most = d->longest / *length;
  factor = fmax(-most, fmin(most, factor));
  for (int k = 0; k < s->n; k++) s->step[k] *= factor;
  if (*length < arrived) d->deflated = false, d->polished = true;
  return PF_OK;
}

/* Failures on the way are silent: there is nothing to be found. */
static PfStatus end_quietly(const Search *s, int before, PfStatus status)
{
  if (pf_is_final(status)) return status;
  pf_diagnostics_cut(s->ctx, before);
  return PF_OK;
}

/* How a zero is looked for: kept away from known ones; by steps of at most this length, in parts of the scales; by
 * steps that make the residual smaller; from the bottom of the valley where the start is. */
typedef struct Way {
  bool deflated, damped, downhill;
  double longest;
  int steps; /* at most so many; 0: MOST_STEPS */
} Way;

/* From s->z to a zero; the field is there then. Rounding may keep the steps above the limit. */
static PfStatus solve(Search *s, Way way, bool *found)
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
  return end_quietly(s, before, result.status);
}

/* ---------------------------------------------------------------- known ones */

/* Is there a zero at s->z as it stands? */
static PfStatus is_solution(Search *s, bool *yes)
{
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  if (status == PF_OK) status = pf_problem_slope(s->p, s->J, NULL);
  if (status == PF_OK) status = pf_problem_rounding(s->p, s->noise);
  *yes = status == PF_OK && pf_first_not_finite(s->r, (size_t)s->p->equations) < 0 && is_zero(s) && is_held(s, 1e-2);
  return end_quietly(s, before, status);
}

/* Is the solution where the field is known? A zero of higher order is met with few digits only: then all is zero
 * between what was found before and now. The field stays. */
static PfStatus is_known(Search *s, bool *yes)
{
  *yes = false;
  get_place(s, s->u);
  for (int i = 0; i < s->known_count && !*yes; i++) {
    const double *known = s->known + (size_t)i*(size_t)s->numbers;
    double away = distance(s, s->u, known);
    if (away < 1e-7) *yes = true;
    if (away < 1e-7 || away > 1e-3) continue;
    subtract(s, s->u, known, s->lifted);
    remember(s, s->backup);
    for (int k = 0; k < s->n; k++) s->z[k] -= 0.5*s->lifted[number_of(s, k)];
    PF_TRY(is_solution(s, yes));
    PF_TRY(recall(s, s->backup));
  }
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Angles between half a turn below and above the middle of the box, quaternions on the side of the start, and exact
 * zeros where a component is zero but for rounding. */
static PfStatus tidy(Search *s)
{
  const double half = 3.141592653589793;
  PfDynamics *f = s->p->field;
  double *q = f->full + f->at_q;
  for (int j = 0; j < f->n; j++)
    if (s->p->turns[j]) q[j] -= 2*half*ceil((q[j] - 0.5*(s->low[j] + s->high[j]) - half)/(2*half) - 1e-9);
  for (int k = 0; k < f->model->ball_count; k++) {
    double *turned = q + f->model->balls[k].q;
    const bool other = pf_dot(turned, s->start + f->model->balls[k].q, 4) < 0;
    for (int i = 0; i < 4 && other; i++) turned[i] = -turned[i];
  }
  pf_problem_get(s->p, s->z);
  for (int k = 0; k < s->n; k++) {
    bool yes = false;
    double before = s->z[k];
    if (before == 0 || fabs(before) > 1e-8*scale_of(s, k)) continue;
    remember(s, s->backup);
    s->z[k] = 0;
    PF_TRY(is_solution(s, &yes));
    if (yes) continue;
    memcpy(f->full, s->backup, field_bytes(s));
    s->z[k] = before;
  }
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* ---------------------------------------------------------------- families */

/* J for unknowns in parts of their scales, and every rate in parts of its largest slope. */
static void scale_slopes(Search *s)
{
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    for (int k = 0; k < s->n; k++) row[k] *= scale_of(s, k);
    double most = pf_largest(row, s->n);
    for (int k = 0; k < s->n && most > 0; k++) row[k] /= most;
  }
}

/* Dimension of the kernel of J where the field is, with its basis in s->kernel, in parts of the scales. */
static PfStatus find_kernel(Search *s, int *dimension)
{
  *dimension = 0;
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  PF_TRY(pf_problem_clean_slope(s->p, s->J));
  scale_slopes(s);
  s->qr.m = s->p->equations;
  if (pf_qr_factor(&s->qr, s->J, 1e-8) != PF_OK) return PF_OK;
  *dimension = s->n - s->qr.rank;
  pf_qr_null_space(&s->qr, s->kernel);
  return PF_OK;
}

/* The kernel in all numbers of u, as rows of s->lines. */
static PfStatus lift_kernel(Search *s, int dimension)
{
  for (int c = 0; c < dimension; c++) {
    for (int k = 0; k < s->n; k++) s->step[k] = s->kernel[k*dimension + c]*scale_of(s, k);
    PF_TRY(lift(s, s->step, s->lines + (size_t)c*(size_t)s->numbers));
  }
  return PF_OK;
}

/* A kernel may also come from a fold: a family is one when a step along it leads to another solution. In how many
 * directions it does from the place s->spot; these are the first rows of s->lines. The field goes back there. */
static PfStatus find_family(Search *s, int *family)
{
  int dimension, count = 0;
  PF_TRY(recall(s, s->spot));
  get_place(s, s->u);
  PF_TRY(find_kernel(s, &dimension));
  PF_TRY(lift_kernel(s, dimension));
  for (int c = 0; c < dimension; c++) {
    bool found;
    double size = 0;
    PF_TRY(recall(s, s->spot));
    PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
    for (int k = 0; k < s->n; k++) size = fmax(size, fabs(s->kernel[k*dimension + c]));
    for (int k = 0; k < s->n; k++) s->z[k] += 1e-3/size*s->kernel[k*dimension + c]*scale_of(s, k);
    PF_TRY(solve(s, (Way){.longest = 1}, &found));
    get_place(s, s->u);
    memcpy(s->other, s->u, (size_t)s->numbers*sizeof *s->u);
    memcpy(s->p->field->full, s->spot, field_bytes(s));
    get_place(s, s->u);
    if (!found || !(distance(s, s->other, s->u) > 3e-4)) continue;
    if (c > count)
      memcpy(s->lines + (size_t)count*(size_t)s->numbers, s->lines + (size_t)c*(size_t)s->numbers,
             (size_t)s->numbers*sizeof *s->lines);
    count++;
  }
  *family = count;
  PF_TRY(recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Orthonormal rows in s->lines, in the metric by which places are near; the kernel takes part. */
static void orthonormalise(Search *s, int dimension)
{
  size_t width = (size_t)s->numbers;
  for (int c = 0; c < dimension; c++) {
    double *line = s->lines + (size_t)c*width;
    for (int i = 0; i < s->numbers; i++)
      if (!isfinite(s->scale[i])) line[i] = 0;
    for (int b = 0; b < c; b++) {
      double part = pf_dot(line, s->lines + (size_t)b*width, s->numbers);
      for (int i = 0; i < s->numbers; i++) line[i] -= part*s->lines[(size_t)b*width + (size_t)i];
      for (int k = 0; k < s->n; k++) s->kernel[k*dimension + c] -= part*s->kernel[k*dimension + b];
    }
    double length = pf_norm(line, s->numbers);
    if (!(length > 0)) continue;
    for (int i = 0; i < s->numbers; i++) line[i] /= length;
    for (int k = 0; k < s->n; k++) s->kernel[k*dimension + c] /= length;
  }
}

/* Moves s->z along the family towards the start of the search, at most half a unit of scale; the length of the way, and
 * the dimension of the kernel here. */
static PfStatus step_home(Search *s, double *length, int *dimension)
{
  PF_TRY(find_kernel(s, dimension));
  PF_TRY(lift_kernel(s, *dimension));
  orthonormalise(s, *dimension);
  get_place(s, s->u);
  subtract(s, s->start, s->u, s->other);
  memset(s->step, 0, (size_t)s->n*sizeof *s->step);
  for (int c = 0; c < *dimension; c++) {
    double part = pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
    for (int k = 0; k < s->n; k++) s->step[k] += part*s->kernel[k**dimension + c];
  }
  *length = pf_norm(s->step, s->n);
  for (int k = 0; k < s->n; k++) s->z[k] += s->step[k]*scale_of(s, k)*fmin(1, 0.5/(*length + 1e-300));
  return PF_OK;
}

/* Which one of a family is met hangs on the way there: it is exchanged for the one next to the start of the search. The
 * place is s->spot, before and after. It ends where another family crosses: the kernel is larger there. */
static PfStatus draw_home(Search *s)
{
  enum { MOST = 100 };
  int first = -1;
  for (int t = 0; t < MOST; t++) {
    bool found;
    int dimension;
    double length;
    PF_TRY(step_home(s, &length, &dimension));
    if (first < 0) first = dimension;
    if (dimension != first) break;
    remember(s, s->spot);
    if (length < 1e-12) break;
    PF_TRY(solve(s, (Way){.longest = 1}, &found));
    if (!found) break;
  }
  PF_TRY(recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Does the step from `from` to s->u lie in the directions in which solutions go on where the field is, but for a
 * curvature? Else it leads over to another family that crosses. */
static PfStatus goes_on(Search *s, const double *from, bool *yes)
{
  int dimension;
  double whole = 0, kept = 0;
  PF_TRY(find_kernel(s, &dimension));
  PF_TRY(lift_kernel(s, dimension));
  orthonormalise(s, dimension);
  get_place(s, s->u);
  subtract(s, s->u, from, s->other);
  whole = pf_dot(s->other, s->other, s->numbers);
  for (int c = 0; c < dimension; c++) {
    double part = pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
    kept += part*part;
  }
  *yes = kept >= 0.6*whole;
  return PF_OK;
}

/* Can one go from the place s->spot to the place `to` through solutions? Along the straight line between them, each
 * point drawn to the nearest one. `room`: 4 times the numbers of a place. */
static PfStatus are_connected(Search *s, const double *to, double *room, bool *yes)
{
  enum { STEPS = 8, NEAR_STEPS = 12 }; /* a solution near by takes few steps of Newton's method */
  size_t bytes = (size_t)s->numbers*sizeof *room;
  double *from = room, *way = room + s->numbers, *last = way + s->numbers, *aim = last + s->numbers;
  memcpy(s->p->field->full, s->spot, field_bytes(s));
  get_place(s, from);
  double whole = distance(s, to, from);
  subtract(s, to, from, way);
  memcpy(last, from, bytes);
  *yes = true;
  for (int t = 1; t <= STEPS && *yes; t++) {
    int before = pf_diagnostic_count(s->ctx);
    for (int i = 0; i < s->numbers; i++) aim[i] = from[i] + way[i]*t/STEPS;
    PfStatus status = put_at(s, aim);
    PF_TRY(end_quietly(s, before, status));
    *yes = status == PF_OK;
    if (*yes) PF_TRY(solve(s, (Way){.longest = 1, .steps = NEAR_STEPS}, yes));
    get_place(s, s->u);
    if (!*yes || distance(s, s->u, aim) > 0.5*whole) return *yes = false, PF_OK;
    PF_TRY(goes_on(s, last, yes));
    get_place(s, last);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- stability */

PfStability pf_stability_of(const double *re, int count, int family, int *unstable)
{
  int axis = 0;
  *unstable = 0;
  for (int k = 0; k < count; k++) axis += re[k] == 0, *unstable += re[k] > 0;
  if (*unstable) return PF_UNSTABLE;
  return axis > family || (axis && axis == count) ? PF_NEUTRAL : PF_STABLE;
}

static void classify(PfSteadyPoint *point)
{
  if (point->kink) return;
  point->stability = pf_stability_of(point->re, point->count, point->family, &point->unstable);
}

PfStatus pf_steady_judge(PfProblem *p, PfArena *arena, int family, PfSteadyPoint *point)
{
  size_t n = (size_t)p->size;
  point->family = family, point->count = point->unstable = 0, point->stability = PF_NEUTRAL;
  point->re = pf_arena_array(arena, double, n), point->im = pf_arena_array(arena, double, n);
  if (!point->re || !point->im) return pf_no_room(p->ctx, "steady motions");
  PF_TRY(pf_dynamics_kink(p->field, arena, false, &point->kink));
  if (point->kink) return PF_OK;
  PfMark mark = pf_arena_mark(p->arena);
  double *matrix = pf_arena_array(p->arena, double, n*n), *noise = pf_arena_array(p->arena, double, n*n);
  PfStatus status = matrix && noise ? pf_problem_matrix(p, matrix, noise, &point->count)
                                    : pf_no_room(p->ctx, "steady motions");
  if (status == PF_OK) status = pf_eig_general(p->ctx, matrix, noise, point->count, point->re, point->im, NULL);
  pf_arena_release(p->arena, mark);
  PF_TRY(status);
  classify(point);
  return PF_OK;
}

/* ---------------------------------------------------------------- the list */

/* How far a place is from the start of the search, by all numbers that count, in SI units. */
static double away_from_start(Search *s, const double *u)
{
  subtract(s, u, s->start, s->lifted);
  return pf_norm(s->lifted, s->numbers);
}

/* The number of u that is the component c of the state, by the independent ones with which the search began. */
static int component_number(const Search *s, int c)
{
  return c < s->chart.ny ? s->chart.y[c] : s->p->field->n + s->chart.w[c - s->chart.ny];
}

/* The free directions of a family (rows of s->lines) as combinations that each change one component of the state alone
 * among those by which they are told apart. */
static void fill_directions(const Search *s, PfSteadyPoint *point)
{
  int size = s->steady->size, count = point->family;
  for (int d = 0; d < count; d++)
    for (int c = 0; c < size; c++) {
      bool counts = !s->steady->cyclic[c] && isfinite(s->scale[component_number(s, c)]);
      const double *line = s->lines + (size_t)d*(size_t)s->numbers;
      point->directions[d*size + c] = counts ? line[component_number(s, c)] : 0;
    }
  for (int d = 0; d < count; d++) {
    double *row = point->directions + (size_t)d*(size_t)size;
    int pivot = 0;
    for (int c = 0; c < size; c++)
      if (fabs(row[c]) > fabs(row[pivot])*PF_LARGER) pivot = c;
    point->free[d] = pivot;
    double by = row[pivot];
    if (by == 0) continue;
    for (int c = 0; c < size; c++) row[c] /= by;
    for (int e = 0; e < count; e++) {
      double part = point->directions[e*size + pivot];
      for (int c = 0; c < size && e != d; c++) point->directions[e*size + c] -= part*row[c];
    }
  }
  for (int i = 0; i < count*size; i++) point->directions[i] = pf_without_noise(point->directions[i], 1);
}

/* The solution where the field is. */
static PfStatus fill_point(Search *s, int family)
{
  const PfDynamics *f = s->p->field;
  PfSteadyPoint *point = s->steady->points + s->steady->count;
  size_t n = (size_t)f->n, size = (size_t)s->steady->size;
  *point = (PfSteadyPoint){.family = family};
  point->x = pf_arena_array(s->arena, double, size);
  point->q = pf_arena_array(s->arena, double, n), point->v = pf_arena_array(s->arena, double, n);
  point->free = pf_arena_array(s->arena, int, family);
  point->directions = pf_arena_array(s->arena, double, (size_t)family*size);
  if (!point->x || !point->q || !point->v || !point->free || !point->directions)
    return pf_no_room(s->ctx, "steady motions");
  get_place(s, s->u);
  for (int c = 0; c < s->steady->size; c++) point->x[c] = s->u[component_number(s, c)];
  memcpy(point->q, s->u, n*sizeof *point->q);
  memcpy(point->v, f->rate, n*sizeof *point->v);
  point->distance = away_from_start(s, s->u);
  fill_directions(s, point);
  PF_TRY(pf_steady_judge(s->p, s->arena, family, point));
  s->steady->count++;
  return PF_OK;
}

/* Is the place s->spot the listed point, or one of its family if `along`? `room`: 5 times the numbers of a place. */
static PfStatus is_of(Search *s, const PfSteadyPoint *there, bool along, double *room, bool *yes)
{
  memcpy(s->p->field->full, s->spot, field_bytes(s));
  get_place(s, s->u);
  memcpy(room, s->u, (size_t)s->numbers*sizeof *room);
  memcpy(room, there->q, (size_t)s->p->field->n*sizeof *room);
  for (int c = s->chart.ny; c < s->steady->size; c++) room[component_number(s, c)] = there->x[c];
  *yes = distance(s, room, s->u) < 1e-7;
  return *yes || !along ? PF_OK : are_connected(s, room, room + s->numbers, yes);
}

/* Is the place s->spot one of a family that is listed? As a rule it is the listed point itself, which costs nothing to
 * see. What cannot be compared any more within the budget is not listed again. */
static PfStatus is_listed(Search *s, int family, bool *yes)
{
  PfMark mark = pf_arena_mark(s->p->arena);
  double *room = pf_arena_array(s->p->arena, double, 5*(size_t)s->numbers);
  PfStatus status = room ? PF_OK : pf_no_room(s->ctx, "steady motions");
  int count = s->steady->count;
  *yes = false;
  for (int i = 0; i < 2*count && status == PF_OK && !*yes; i++) {
    const bool along = i >= count;
    PfSteadyPoint *there = s->steady->points + i%count;
    if (!there->family) continue;
    if (along && is_spent(s)) {
      *yes = true;
      break;
    }
    status = is_of(s, there, along, room, yes);
    if (*yes && family > there->family) there->family = family, classify(there); /* a special member was met first */
  }
  pf_arena_release(s->p->arena, mark);
  return status;
}

/* Keeps the solution where the field is unless it is known, or belongs to a family that is there. */
static PfStatus keep(Search *s)
{
  int family;
  bool same, stands;
  PF_TRY(tidy(s));
  PF_TRY(pf_surfaces_agree(&s->surfaces, s->p->field, &stands));
  PF_TRY(is_known(s, &same));
  if (same) return PF_OK;
  get_place(s, s->known + (size_t)s->known_count++*(size_t)s->numbers);
  if (!stands) return PF_OK; /* known, so that it is not found again, but not shown */
  remember(s, s->spot);
  PF_TRY(find_family(s, &family));
  if (family) {
    PF_TRY(draw_home(s));
    PF_TRY(tidy(s));
    remember(s, s->spot);
    PF_TRY(is_listed(s, family, &same));
    if (same) return PF_OK;
    PF_TRY(find_family(s, &family));
  }
  return fill_point(s, family);
}

/* ---------------------------------------------------------------- starts */

/* The first start is the place of the field. The others fill the box evenly (Halton's points): every other one by the
 * independent coordinates, on the sheet of the start, the rest by all coordinates, on whichever sheet is next. */
static PfStatus choose_start(Search *s, int trial)
{
  PfDynamics *f = s->p->field;
  pf_problem_use_chart(s->p, &s->chart);
  memcpy(f->full, s->p->home, field_bytes(s));
  pf_problem_get(s->p, s->z);
  if (!trial) return PF_OK;
  if (trial%2 && f->y_dependents) {
    for (int i = 0; i < s->numbers; i++) s->other[i] = s->low[i] + (s->high[i] - s->low[i])*pf_halton(trial, i);
    return put_at(s, s->other);
  }
  for (int k = 0; k < s->n; k++) {
    int i = number_of(s, k);
    s->z[k] = s->low[i] + (s->high[i] - s->low[i])*pf_halton(trial, k);
  }
  return PF_OK;
}

/* Equilibria: from s->z downhill, along the accelerations of rest, into a valley: Newton's method alone seldom finds
 * one that is small beside the box. Steps of equal length, halved where the way turns back. */
static PfStatus descend(Search *s)
{
  enum { STEPS = 60 };
  const PfDynamics *f = s->p->field;
  double h = 0.1, *way = s->step, *last = s->last_z;
  memset(last, 0, (size_t)s->n*sizeof *last);
  for (int t = 0; t < STEPS && h > 1e-3; t++) {
    PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
    for (int k = 0; k < s->n; k++) {
      int j = number_of(s, k);
      way[k] = (s->p->flows[j] ? f->rate[j] : f->motion.acceleration[j])/scale_of(s, k);
    }
    double length = pf_norm(way, s->n);
    if (!(length > 0)) return PF_OK;
    for (int k = 0; k < s->n; k++) way[k] /= length;
    if (pf_dot(way, last, s->n) < 0) h /= 2;
    for (int k = 0; k < s->n; k++) s->z[k] += h*way[k]*scale_of(s, k), last[k] = way[k];
  }
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* One search from s->z, if the start is possible. */
static PfStatus search_from(Search *s, PfStatus start, int before, Way way, bool *found)
{
  *found = false;
  if (start == PF_OK && way.downhill) start = descend(s);
  PF_TRY(end_quietly(s, before, start));
  if (start == PF_OK) PF_TRY(solve(s, way, found));
  return *found ? keep(s) : PF_OK;
}

static bool is_full(const Search *s)
{
  return s->known_count == MOST_POINTS;
}

/* From the start itself by short steps, which lead to a solution near by if there is one; from the others by long
 * ones; to equilibria by long and short ones in turn, which do not jump over what is narrow. */
static PfStatus look(Search *s)
{
  static const double longest[] = {0.1, 1, 0.3};
  for (int t = 0; t < s->steady->starts && !is_full(s); t++) {
    if (is_spent(s)) {
      s->steady->starts = t;
      break;
    }
    int before = pf_diagnostic_count(s->ctx);
    bool found;
    const bool rest = s->p->kind == PF_EQUILIBRIA;
    const Way way = {.deflated = true, .damped = rest && t%4 >= 2 && !s->p->field->np && !s->p->field->nv,
                     .downhill = rest && t%5 == 4, .longest = !t || rest ? longest[t%3] : 1};
    PF_TRY(search_from(s, choose_start(s, t), before, way, &found));
    if (!found) s->steady->failed++;
  }
  return PF_OK;
}

static double nearest_distance(const Search *s)
{
  double least = INFINITY;
  for (int i = 0; i < s->steady->count; i++) least = fmin(least, s->steady->points[i].distance);
  return least;
}

/* Is there a nearer one? Looks around the start in boxes that grow up to the nearest one known, until there is none. */
static PfStatus look_nearer(Search *s)
{
  enum { ROUNDS = 6, BOXES = 4 };
  double radius = nearest_distance(s);
  s->budget = s->p->field->evaluations - s->first + s->near_budget;
  for (int round = 0; round < ROUNDS && isfinite(radius) && radius > 1e-9; round++) {
    for (int t = 1; t <= NEAR_STARTS && !is_full(s) && !is_spent(s); t++) {
      int before = pf_diagnostic_count(s->ctx);
      double half = radius*(1 + t%BOXES)/BOXES;
      bool found;
      pf_problem_use_chart(s->p, &s->chart);
      for (int i = 0; i < s->numbers; i++)
        s->other[i] = s->start[i] + half*(2*pf_halton(t + round*NEAR_STARTS, i) - 1);
      PF_TRY(search_from(s, put_at(s, s->other), before, (Way){.deflated = true, .longest = 0.25}, &found));
      s->steady->near_starts++;
    }
    double now = nearest_distance(s);
    if (!(now < (1 - 1e-9)*radius)) break;
    radius = now;
  }
  (void)is_spent(s); /* counts the last ones */
  s->steady->radius = radius;
  return PF_OK;
}

/* What the rates are like away from solutions: the median of some starts, because near a place where a chart fails
 * rates have no limit. */
static PfStatus find_typical(Search *s)
{
  enum { PROBES = 11 };
  double rates[PROBES];
  int count = 0;
  for (int t = 0; t < PROBES; t++) {
    int before = pf_diagnostic_count(s->ctx);
    PfStatus status = choose_start(s, t);
    if (status == PF_OK) status = pf_problem_go(s->p, s->z, NAN, s->r);
    PF_TRY(end_quietly(s, before, status));
    if (status != PF_OK || pf_first_not_finite(s->r, (size_t)s->p->equations) >= 0) continue;
    double rate = pf_largest(s->r, s->p->equations);
    int k = count++;
    for (; k > 0 && rates[k - 1] > rate; k--) rates[k] = rates[k - 1];
    rates[k] = rate;
  }
  if (count) s->elsewhere = rates[count/2];
  return PF_OK;
}

/* ---------------------------------------------------------------- order */

/* The nearest first, of equally near ones by their coordinates; differences by rounding do not count. */
static bool comes_before(const Search *s, const PfSteadyPoint *a, const PfSteadyPoint *b)
{
  double least = 1e-7*(1 + fmax(a->distance, b->distance)), d = a->distance - b->distance;
  for (int c = 0; c < s->steady->size && fabs(d) <= least; c++)
    if (!s->steady->cyclic[c]) d = a->x[c] - b->x[c];
  for (int j = 0; j < s->p->field->n && fabs(d) <= least; j++)
    if (!s->p->held[j]) d = a->q[j] - b->q[j];
  return d < -least;
}

/* In which order they are found hangs on the ways of Newton's method. */
static void sort(Search *s)
{
  PfSteadyPoint *points = s->steady->points;
  for (int i = 1; i < s->steady->count; i++) {
    PfSteadyPoint one = points[i];
    int k = i;
    for (; k > 0 && comes_before(s, &one, points + k - 1); k--) points[k] = points[k - 1];
    points[k] = one;
  }
}

/* ---------------------------------------------------------------- where to look */

/* The size of a coordinate. Where units differ much, as those of metres and pascals, it is that of all starts in its
 * unit, since of two pressures one may start at 0; where all do, what belongs to the finest unit by the constraints. */
static double size_of(const Search *s, int j)
{
  const PfDynamics *f = s->p->field;
  const double *unit = pf_solver_units(f->solver);
  double most = fabs(s->start[j]), least = INFINITY;
  for (int i = 0; i < f->n && unit; i++) {
    if (!strcmp(f->model->coordinates[i].unit, f->model->coordinates[j].unit)) most = fmax(most, fabs(s->start[i]));
    least = fmin(least, unit[i]);
  }
  return !unit || most > 0 ? most : unit[j]/least - 1;
}

/* Half a turn, or a unit and its own size, around the start. Velocities are sought of steady motions only. */
static void choose_box(Search *s)
{
  const PfProblem *p = s->p;
  const PfDynamics *f = p->field;
  for (int i = 0; i < s->numbers; i++) s->low[i] = s->high[i] = s->start[i], s->scale[i] = INFINITY;
  for (int j = 0; j < f->n; j++) {
    double width = pf_coordinate_is_angle(f->model, j) ? 3.141592653589793 : 2*(1 + size_of(s, j));
    if (!p->held[j]) s->low[j] -= width, s->high[j] += width;
  }
  for (int i = f->n; i < s->numbers && p->kind == PF_STEADY; i++) {
    double width = 5*(1 + fabs(s->start[i]));
    s->low[i] -= width, s->high[i] += width;
  }
}

/* The number of u that the name stands for, or -1. */
static int find_number(const Search *s, const char *name)
{
  const PfDynamics *f = s->p->field;
  for (int c = 0; c < s->steady->size; c++)
    if (!strcmp(s->steady->names[c], name)) return component_number(s, c);
  for (int j = 0; j < f->n; j++)
    if (!strcmp(f->model->coordinates[j].name, name)) return j;
  return -1;
}

static PfStatus take_interval(Search *s, const PfInterval *interval)
{
  int i = find_number(s, interval->name), n = s->p->field->n;
  bool cyclic = i >= 0 && i < n && s->p->held[i], fixed = i >= n && s->p->kind == PF_EQUILIBRIA;
  if (i >= 0 && !cyclic && !fixed) {
    s->low[i] = interval->low, s->high[i] = interval->high;
    return PF_OK;
  }
  pf_fail(s->ctx, PF_ERR_ARGUMENT, i < 0 ? "'%s' is not a component of the state"
          : fixed ? "'%s' is zero at rest" : "'%s' is cyclic: it may have any value", interval->name);
  PfText text;
  pf_text_init(&text, pf_context_allocator(s->ctx));
  for (int k = 0; k < s->n; k++) pf_text_print(&text, "%s%s", k ? ", " : "", s->steady->names[s->p->unknown[k]]);
  pf_hint(s->ctx, "what is looked for: %s", pf_text_get(&text));
  pf_text_free(&text);
  return PF_ERR_ARGUMENT;
}

static PfStatus take_intervals(Search *s, const PfSteadyOptions *options)
{
  PfSteady *st = s->steady;
  int n = s->p->field->n;
  for (int i = 0; i < options->interval_count; i++) PF_TRY(take_interval(s, options->intervals + i));
  for (int i = 0; i < s->numbers; i++)
    if (s->high[i] > s->low[i]) s->scale[i] = 0.5*(s->high[i] - s->low[i]);
  for (int k = 0; k < s->n; k++) /* what is held by an interval of no width is an unknown all the same */
    if (!isfinite(scale_of(s, k))) s->scale[number_of(s, k)] = 1e-300;
  for (int j = 0; j < n; j++) s->weight[j] = isfinite(s->scale[j]) ? 1 : 0;
  for (int c = 0; c < st->size; c++) {
    st->low[c] = s->low[component_number(s, c)];
    st->high[c] = s->high[component_number(s, c)];
  }
  memcpy(st->q_low, s->low, (size_t)n*sizeof *s->low);
  memcpy(st->q_high, s->high, (size_t)n*sizeof *s->high);
  return PF_OK;
}

static PfStatus make_lists(Search *s)
{
  PfSteady *st = s->steady;
  size_t size = (size_t)s->p->size, n = (size_t)s->p->field->n;
  st->names = pf_arena_array(s->arena, const char *, size), st->cyclic = pf_arena_array(s->arena, bool, size);
  st->low = pf_arena_array(s->arena, double, size), st->high = pf_arena_array(s->arena, double, size);
  st->q_low = pf_arena_array(s->arena, double, n), st->q_high = pf_arena_array(s->arena, double, n);
  st->points = pf_arena_array(s->arena, PfSteadyPoint, MOST_POINTS);
  bool good = st->names && st->cyclic && st->low && st->high && st->q_low && st->q_high && st->points;
  if (!good) return pf_no_room(s->ctx, "steady motions");
  memcpy(st->cyclic, s->p->cyclic, size*sizeof *st->cyclic);
  for (size_t c = 0; c < size; c++) st->names[c] = pf_dynamics_name(s->p->field, s->arena, (int)c);
  return PF_OK;
}

static PfStatus make_room(Search *s)
{
  const PfDynamics *f = s->p->field;
  size_t n = (size_t)s->n, u = (size_t)s->numbers, count = (size_t)f->count;
  double **const of_u[] = {&s->low, &s->high, &s->scale, &s->weight, &s->u, &s->start, &s->other, &s->lifted, &s->r,
                           &s->noise};
  double **const of_field[] = {&s->seed, &s->last, &s->spot, &s->backup};
  double **const of_n[] = {&s->z, &s->last_z, &s->before, &s->step};
  bool good = true;
  for (size_t i = 0; i < sizeof of_u/sizeof *of_u; i++) good = (*of_u[i] = pf_arena_array(s->arena, double, u)) && good;
  for (size_t i = 0; i < sizeof of_field/sizeof *of_field; i++)
    good = (*of_field[i] = pf_arena_array(s->arena, double, count)) && good;
  for (size_t i = 0; i < sizeof of_n/sizeof *of_n; i++) good = (*of_n[i] = pf_arena_array(s->arena, double, n)) && good;
  s->J = pf_arena_array(s->arena, double, u*n), s->kernel = pf_arena_array(s->arena, double, n*n + n);
  s->lines = pf_arena_array(s->arena, double, n*u), s->known = pf_arena_array(s->arena, double, MOST_POINTS*u);
  if (!good || !s->J || !s->kernel || !s->lines || !s->known) return pf_no_room(s->ctx, "steady motions");
  PF_TRY(make_lists(s));
  PF_TRY(pf_dynamics_keep_chart(f, s->arena, &s->chart));
  return pf_qr_make(s->ctx, s->arena, s->numbers, s->n, &s->qr);
}

/* ---------------------------------------------------------------- all */

static PfStatus search(Search *s)
{
  PF_TRY(find_typical(s));
  PF_TRY(look(s));
  PF_TRY(look_nearer(s));
  sort(s);
  pf_problem_use_chart(s->p, &s->chart);
  memcpy(s->p->field->full, s->p->home, field_bytes(s));
  return pf_dynamics_go(s->p->field, s->p->base);
}

PfStatus pf_steady_search(PfContext *ctx, PfArena *arena, PfProblem *p, const PfSteadyOptions *options,
                          PfSteady *steady)
{
  Search s = {.ctx = ctx, .arena = arena, .p = p, .steady = steady, .n = p->unknowns,
              .numbers = p->field->n + p->field->nw};
  *steady = (PfSteady){.size = p->size, .starts = options->starts > 0 ? options->starts : 100, .radius = INFINITY};
  s.first = p->field->evaluations;
  s.budget = (long long)BUDGET*steady->starts, s.near_budget = (long long)NEAR_BUDGET*steady->starts;
  PF_TRY(make_room(&s));
  get_place(&s, s.start);
  choose_box(&s);
  PF_TRY(take_intervals(&s, options));
  PfStatus status = pf_surfaces_make(p->field, arena, &s.surfaces);
  if (status == PF_OK) status = search(&s);
  pf_surfaces_free(&s.surfaces);
  return status;
}

PfStatus pf_steady_find(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfSteadyOptions *options,
                        PfSteady *steady)
{
  PfProblem problem;
  PfStatus status = pf_problem_make(ctx, arena, field, options->kind, -1, &problem);
  if (status == PF_OK) status = pf_steady_search(ctx, arena, &problem, options, steady);
  pf_problem_release(&problem);
  return status;
}
