/* SPDX-License-Identifier: Apache-2.0 */
/* Steady motions by Newton's method from many places. Solutions that are known are deflated: the residual is
 * multiplied by prod (1 + 1/|z - z_i|^2), which changes a Newton step by a factor only (Farrell, Birkisson, Funke
 * 2015, section 3). */
#include "study/steady.h"

#include "num/newton.h"
#include "study/quantity.h"
#include "study/surfaces.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200, MOST_STEPS = 100 };

typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  PfProblem *p;
  PfSteady *steady;
  int n, m;               /* unknowns, equations */
  PfQr qr;
  double *z, *r, *J, *step, *scale, *kernel, *other;
  double *typical;        /* m: rates of the size that is found at the starts */
  double *place, *target, *backup; /* of steps along a family */
  double *home, *there;   /* all numbers of the field: where the search began, where the last solution was found */
  double *known;          /* MOST_POINTS x n */
  int known_count;
  PfSurfaces surfaces;
} Search;

const char *pf_stability_name(PfStability stability)
{
  static const char *const names[] = {"stable", "neutral", "unstable"};
  return names[stability];
}

/* ---------------------------------------------------------------- Newton */

static double scaled_length(const Search *s, const double *d)
{
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum += d[k]/s->scale[k]*(d[k]/s->scale[k]);
  return sqrt(sum);
}

/* z alone does not tell which of several solutions the dependent coordinates take: they follow from where they were. */
static void recall(Search *s, const double *numbers)
{
  memcpy(s->p->field->full, numbers, (size_t)s->p->field->count*sizeof *numbers);
}

static void remember(Search *s)
{
  memcpy(s->there, s->p->field->full, (size_t)s->p->field->count*sizeof *s->there);
}


/* g . d, where g is the gradient of the logarithm of the deflation: the step d becomes d/(1 - g.d). */
static double deflation(const Search *s, const double *z, const double *d)
{
  double sum = 0;
  for (int i = 0; i < s->known_count; i++) {
    const double *zi = s->known + (size_t)i*(size_t)s->n;
    double square = 0, along = 0;
    for (int k = 0; k < s->n; k++) {
      double e = (z[k] - zi[k])/s->scale[k];
      square += e*e, along += e*d[k]/s->scale[k];
    }
    sum += -2*along/(square*(square + 1) + 1e-300);
  }
  return sum;
}

/* Does the residual count as zero? Each rate is measured by how it changes with a move of one unit of scale, and by
 * what rates are elsewhere: near a place where the velocities of the chart fail, the first grows without limit. */
static bool is_zero(const Search *s)
{
  double elsewhere = pf_largest(s->typical, s->m);
  for (int i = 0; i < s->m; i++) {
    double slope = 0, size = fabs(s->r[i]);
    for (int k = 0; k < s->n; k++) slope = fmax(slope, fabs(s->J[i*s->n + k])*s->scale[k]);
    if (!(size <= 1e-10*slope + 1e-13*elsewhere) || (elsewhere > 0 && size > 1e-7*elsewhere)) return false;
  }
  return true;
}

/* Are the dependent coordinates and velocities still held by the constraints? */
static bool is_held(const Search *s)
{
  const PfDynamics *f = s->p->field;
  return (!f->np || f->hold[0] > 1e-7*f->chosen_hold[0]) &&
         (!f->nv || f->speeds || f->hold[1] > 1e-7*f->chosen_hold[1]);
}

/* Newton's method while it goes on; `deflated` keeps away from the known zeros. */
typedef struct Descent {
  Search *s;
  double *z;
  bool deflated;
} Descent;

static PfStatus find_residual(void *user, PfMiss *miss)
{
  const Descent *d = user;
  Search *s = d->s;
  PF_TRY(pf_problem_go(s->p, d->z, NAN, s->r));
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  miss->size = miss->merit = pf_norm(s->r, s->m);
  return PF_OK;
}

/* The length is that of the step without deflation. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  static const double arrived = 1e-9; /* then it is only polished */
  Descent *d = user;
  Search *s = d->s;
  (void)fresh;
  PF_TRY(pf_qr_factor(&s->qr, s->J, 1e-11));
  pf_qr_solve(&s->qr, s->r, s->step);
  for (int k = 0; k < s->n; k++) s->step[k] = -s->step[k];
  *length = scaled_length(s, s->step);
  double g = d->deflated ? deflation(s, d->z, s->step) : 0;
  double factor = fabs(1 - g) > 1e-12 ? 1/(1 - g) : 1, most = 1.0 / *length; /* no step leaves the box at once */
  factor = fmax(-most, fmin(most, factor));
  for (int k = 0; k < s->n; k++) s->step[k] *= factor;
  if (*length < arrived) d->deflated = false;
  return PF_OK;
}

/* Failures on the way are silent: there is nothing to be found. */
static PfStatus end_quietly(const Search *s, int before, PfStatus status)
{
  if (pf_is_final(status)) return status;
  pf_diagnostics_cut(s->ctx, before);
  return PF_OK;
}

/* From z to a zero. Rounding may keep the steps above the limit. */
static PfStatus solve(Search *s, double *z, bool deflated, bool *found)
{
  const PfNewtonPolicy policy = {.iterations = MOST_STEPS, .enough = -1, .shortest = 1e-13, .patience = MOST_STEPS};
  Descent descent = {s, z, deflated};
  const PfNewton newton = {.user = &descent, .n = s->n, .x = z, .step = s->step, .residual = find_residual,
                           .solve = find_step};
  PfNewtonResult result = {0};
  int before = pf_diagnostic_count(s->ctx);
  PfNewtonEnd end = pf_newton(&newton, &policy, &result);
  bool arrived = end == PF_NEWTON_CONVERGED || (end == PF_NEWTON_LIMIT && result.length < 1e-9);
  *found = arrived && is_zero(s) && is_held(s);
  return end_quietly(s, before, result.status);
}

/* ---------------------------------------------------------------- known ones */

/* Difference of the unknown k in parts of its scale, without full turns. */
static double apart(const Search *s, const double *a, const double *b, int k)
{
  return pf_problem_turned(s->p, s->p->unknown[k], a[k] - b[k])/s->scale[k];
}

static double distance(const Search *s, const double *a, const double *b)
{
  double most = 0;
  for (int k = 0; k < s->n; k++) most = fmax(most, fabs(apart(s, a, b, k)));
  return most;
}

/* Is there a zero at z as it stands? */
static PfStatus is_solution(Search *s, const double *z, bool *yes)
{
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, z, NAN, s->r);
  if (status == PF_OK) status = pf_problem_slope(s->p, s->J, NULL);
  *yes = status == PF_OK && pf_first_not_finite(s->r, (size_t)s->m) < 0 && is_zero(s) && is_held(s);
  return end_quietly(s, before, status);
}

/* A zero of higher order is met with few digits only: then all is zero between what was found before and now. */
static PfStatus is_known(Search *s, const double *z, bool *yes)
{
  *yes = false;
  for (int i = 0; i < s->known_count && !*yes; i++) {
    const double *zi = s->known + (size_t)i*(size_t)s->n;
    double away = distance(s, z, zi);
    if (away < 1e-7) *yes = true;
    if (away < 1e-7 || away > 1e-3) continue;
    for (int k = 0; k < s->n; k++) s->other[k] = z[k] - 0.5*apart(s, z, zi, k)*s->scale[k];
    recall(s, s->there);
    PF_TRY(is_solution(s, s->other, yes));
  }
  return PF_OK;
}

/* Angles between half a turn below and above the middle of the box, and exact zeros where a component is zero but for
 * rounding. */
static PfStatus tidy(Search *s, double *z)
{
  const double half = 3.141592653589793;
  for (int k = 0; k < s->n; k++) {
    int c = s->p->unknown[k];
    double middle = 0.5*(s->steady->low[c] + s->steady->high[c]);
    if (s->p->turns[c]) z[k] -= 2*half*ceil((z[k] - middle - half)/(2*half) - 1e-9);
    bool yes = false;
    double before = z[k];
    if (z[k] == 0 || fabs(z[k]) > 1e-8*s->scale[k]) continue;
    z[k] = 0;
    recall(s, s->there);
    PF_TRY(is_solution(s, z, &yes));
    if (!yes) z[k] = before;
  }
  recall(s, s->there);
  PF_TRY(pf_problem_go(s->p, z, NAN, s->r));
  remember(s);
  return PF_OK;
}

/* J for unknowns and rates in parts of their scales. */
static void scale_slopes(Search *s)
{
  for (int i = 0; i < s->m; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    for (int k = 0; k < s->n; k++) row[k] *= s->scale[k];
    double most = pf_largest(row, s->n);
    for (int k = 0; k < s->n && most > 0; k++) row[k] /= most;
  }
}

/* Dimension of the kernel of J at z, with its basis in s->kernel, in parts of the scales. */
static PfStatus find_kernel(Search *s, const double *z, int *dimension)
{
  *dimension = 0;
  recall(s, s->there);
  PF_TRY(pf_problem_go(s->p, z, NAN, s->r));
  PF_TRY(pf_problem_clean_slope(s->p, s->J));
  scale_slopes(s);
  if (pf_qr_factor(&s->qr, s->J, 1e-8) != PF_OK) return PF_OK;
  *dimension = s->n - s->qr.rank;
  pf_qr_null_space(&s->qr, s->kernel);
  return PF_OK;
}

/* A kernel may also come from a fold: a family is one when a step along it leads to another solution. */
static PfStatus find_family(Search *s, const double *z, int *family)
{
  int dimension, count = 0;
  PF_TRY(find_kernel(s, z, &dimension));
  for (int c = 0; c < dimension; c++) {
    bool found;
    double size = 0;
    PF_TRY(find_kernel(s, z, &dimension));
    for (int k = 0; k < s->n; k++) size = fmax(size, fabs(s->kernel[k*dimension + c]));
    for (int k = 0; k < s->n; k++) s->other[k] = z[k] + 1e-3/size*s->kernel[k*dimension + c]*s->scale[k];
    PF_TRY(solve(s, s->other, false, &found));
    count += found && distance(s, s->other, z) > 3e-4;
  }
  *family = count;
  return PF_OK;
}

/* Does the step from z to s->other lie in the directions in which solutions go on at z, but for a curvature? Else it
 * leads over to another family that crosses. */
static PfStatus goes_on(Search *s, const double *z, bool *yes)
{
  int dimension;
  double whole = 0, kept = 0;
  PF_TRY(find_kernel(s, z, &dimension));
  for (int k = 0; k < s->n; k++) whole += apart(s, s->other, z, k)*apart(s, s->other, z, k);
  for (int c = 0; c < dimension; c++) {
    double part = 0;
    for (int k = 0; k < s->n; k++) part += s->kernel[k*dimension + c]*apart(s, s->other, z, k);
    kept += part*part;
  }
  *yes = kept >= 0.6*whole;
  return PF_OK;
}

/* Can one go from b, where the last solution is, to a through solutions? Along the straight line between them, each
 * point drawn to the nearest one. */
static PfStatus are_connected(Search *s, const double *a, const double *b, bool *yes)
{
  enum { STEPS = 8 };
  double whole = distance(s, a, b);
  *yes = true;
  memcpy(s->place, b, (size_t)s->n*sizeof *b);
  for (int t = 1; t <= STEPS && *yes; t++) {
    double away = 0;
    recall(s, s->there);
    for (int k = 0; k < s->n; k++) s->other[k] = b[k] + apart(s, a, b, k)*s->scale[k]*t/STEPS;
    PF_TRY(solve(s, s->other, false, yes));
    for (int k = 0; k < s->n; k++)
      away = fmax(away, fabs((s->other[k] - b[k])/s->scale[k] - apart(s, a, b, k)*t/STEPS));
    if (!*yes || away > 0.5*whole) return *yes = false, PF_OK;
    PF_TRY(goes_on(s, s->place, yes));
    memcpy(s->place, s->other, (size_t)s->n*sizeof *b);
  }
  return PF_OK;
}

/* The step along the family from z towards the place where the search began, at most half a unit of scale; its
 * length. */
static PfStatus step_home(Search *s, const double *z, double *length)
{
  int dimension;
  PF_TRY(find_kernel(s, z, &dimension));
  *length = 0;
  for (int k = 0; k < s->n; k++) s->other[k] = z[k], s->step[k] = 0;
  for (int c = 0; c < dimension; c++) {
    double part = 0;
    for (int k = 0; k < s->n; k++) {
      double d = s->p->base[s->p->unknown[k]] - z[k];
      part += s->kernel[k*dimension + c]*pf_problem_turned(s->p, s->p->unknown[k], d)/s->scale[k];
    }
    for (int k = 0; k < s->n; k++) s->step[k] += part*s->kernel[k*dimension + c];
  }
  *length = pf_norm(s->step, s->n);
  for (int k = 0; k < s->n; k++) s->other[k] += s->step[k]*s->scale[k]*fmin(1, 0.5/(*length + 1e-300));
  return PF_OK;
}

/* Which one of a family is met hangs on the way there: it is exchanged for the one next to the start of the search. */
static PfStatus draw_home(Search *s, double *z, int family)
{
  enum { MOST = 300 };
  for (int t = 0; t < MOST; t++) {
    bool found;
    int now;
    double length;
    PF_TRY(step_home(s, z, &length));
    if (length < 1e-13) return PF_OK;
    recall(s, s->there);
    PF_TRY(solve(s, s->other, false, &found));
    if (!found) return PF_OK;
    memcpy(s->backup, s->there, (size_t)s->p->field->count*sizeof *s->there);
    memcpy(s->place, s->other, (size_t)s->n*sizeof *z);
    remember(s);
    now = family;
    if (length > 1e-3) PF_TRY(find_family(s, s->place, &now));
    if (now != family) { /* the end of the family: another one crosses it there */
      memcpy(s->there, s->backup, (size_t)s->p->field->count*sizeof *s->there);
      return PF_OK;
    }
    memcpy(z, s->place, (size_t)s->n*sizeof *z);
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
  point->stability = pf_stability_of(point->re, point->count, point->family, &point->unstable);
}

PfStatus pf_steady_judge(PfProblem *p, PfArena *arena, int family, PfSteadyPoint *point)
{
  size_t n = (size_t)p->size;
  point->family = family;
  point->re = pf_arena_array(arena, double, n), point->im = pf_arena_array(arena, double, n);
  if (!point->re || !point->im) return pf_no_room(p->ctx, "steady motions");
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

static PfStatus fill_point(Search *s, const double *z, int family)
{
  const PfDynamics *f = s->p->field;
  const PfSymbols *in = pf_system_symbols(f->system);
  PfSteadyPoint *point = s->steady->points + s->steady->count;
  size_t n = (size_t)f->n;
  *point = (PfSteadyPoint){.family = family};
  point->x = pf_arena_array(s->arena, double, s->p->size);
  point->q = pf_arena_array(s->arena, double, n), point->v = pf_arena_array(s->arena, double, n);
  if (!point->x || !point->q || !point->v) return pf_no_room(s->ctx, "steady motions");
  recall(s, s->there);
  PF_TRY(pf_problem_go(s->p, z, NAN, NULL));
  pf_dynamics_get(f, point->x);
  memcpy(point->q, f->full + in->q, n*sizeof *point->q);
  memcpy(point->v, f->rate, n*sizeof *point->v);
  PF_TRY(pf_steady_judge(s->p, s->arena, family, point));
  s->steady->count++;
  return PF_OK;
}

/* Keeps a solution unless it is known, or belongs to a family that is there. */
static PfStatus keep(Search *s, double *z)
{
  int family;
  bool same, stands;
  PF_TRY(tidy(s, z));
  PF_TRY(pf_surfaces_agree(&s->surfaces, s->p->field, &stands));
  PF_TRY(is_known(s, z, &same));
  if (same) return PF_OK;
  memcpy(s->known + (size_t)s->known_count++*(size_t)s->n, z, (size_t)s->n*sizeof *z);
  if (!stands) return PF_OK; /* known, so that it is not found again, but not shown */
  PF_TRY(find_family(s, z, &family));
  if (family) {
    PF_TRY(draw_home(s, z, family));
    PF_TRY(tidy(s, z));
  }
  for (int i = 0; i < s->steady->count && family; i++) {
    PfSteadyPoint *there = s->steady->points + i;
    if (!there->family) continue;
    for (int k = 0; k < s->n; k++) s->target[k] = there->x[s->p->unknown[k]];
    same = distance(s, s->target, z) < 1e-7;
    if (!same) PF_TRY(are_connected(s, s->target, z, &same));
    if (!same) continue;
    if (family > there->family) there->family = family, classify(there); /* a special member was met first */
    return PF_OK;
  }
  return fill_point(s, z, family);
}

/* The first start is the place of the field; the others fill the box evenly (Halton's points). */
static void choose_start(Search *s, int trial)
{
  const PfSteady *st = s->steady;
  for (int k = 0; k < s->n; k++) {
    int c = s->p->unknown[k];
    s->z[k] = trial ? st->low[c] + (st->high[c] - st->low[c])*pf_halton(trial, k) : s->p->base[c];
  }
}

static PfStatus look(Search *s)
{
  for (int t = 0; t < s->steady->starts && s->known_count < MOST_POINTS; t++) {
    bool found;
    choose_start(s, t);
    recall(s, s->home);
    PF_TRY(solve(s, s->z, true, &found));
    if (found) remember(s);
    if (!found) s->steady->failed++;
    else PF_TRY(keep(s, s->z));
  }
  return PF_OK;
}

/* What the rates are like away from solutions. */
static PfStatus find_typical(Search *s)
{
  enum { PROBES = 10 };
  for (int t = 0; t < PROBES; t++) {
    int before = pf_diagnostic_count(s->ctx);
    choose_start(s, t);
    recall(s, s->home);
    PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
    if (pf_is_final(status)) return status;
    pf_diagnostics_cut(s->ctx, before);
    if (status != PF_OK || pf_first_not_finite(s->r, (size_t)s->m) >= 0) continue;
    for (int i = 0; i < s->m; i++) s->typical[i] = fmax(s->typical[i], fabs(s->r[i]));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- order */

/* How far from the start of the search, in parts of the scales. */
static double away_from_start(const Search *s, const PfSteadyPoint *a)
{
  double sum = 0;
  for (int k = 0; k < s->n; k++) {
    int c = s->p->unknown[k];
    double d = pf_problem_turned(s->p, c, a->x[c] - s->p->base[c])/s->scale[k];
    sum += d*d;
  }
  return sqrt(sum);
}

/* The nearest first, of equally near ones by their components; differences by rounding do not count. */
static bool comes_before(const Search *s, const PfSteadyPoint *a, const PfSteadyPoint *b)
{
  double d = away_from_start(s, a) - away_from_start(s, b);
  for (int k = 0; k < s->n && fabs(d) <= 1e-7; k++)
    d = (a->x[s->p->unknown[k]] - b->x[s->p->unknown[k]])/s->scale[k];
  return d < -1e-7;
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

static void choose_box(Search *s)
{
  const PfProblem *p = s->p;
  const PfDynamics *f = p->field;
  for (int c = 0; c < p->size; c++) {
    double width = pf_problem_is_angle(p, c) ? 3.141592653589793
                                             : c < f->ny ? 2*(1 + fabs(p->base[c])) : 5*(1 + fabs(p->base[c]));
    if (p->kind == PF_EQUILIBRIA && c >= f->ny) width = 0; /* velocities are not sought */
    s->steady->low[c] = p->base[c] - width;
    s->steady->high[c] = p->base[c] + width;
  }
}

static PfStatus take_intervals(Search *s, const PfSteadyOptions *options)
{
  for (int i = 0; i < options->interval_count; i++) {
    const PfInterval *interval = options->intervals + i;
    int found = -1;
    for (int c = 0; c < s->p->size; c++)
      if (!strcmp(s->steady->names[c], interval->name)) found = c;
    bool fixed = found >= s->p->field->ny && s->p->kind == PF_EQUILIBRIA;
    if (found < 0 || s->p->cyclic[found] || fixed) {
      pf_fail(s->ctx, PF_ERR_ARGUMENT, found < 0 ? "'%s' is not a component of the state"
              : fixed ? "'%s' is zero at rest" : "'%s' is cyclic: it may have any value", interval->name);
      PfText text;
      pf_text_init(&text, pf_context_allocator(s->ctx));
      for (int k = 0; k < s->n; k++) pf_text_print(&text, "%s%s", k ? ", " : "", s->steady->names[s->p->unknown[k]]);
      pf_hint(s->ctx, "what is looked for: %s", pf_text_get(&text));
      pf_text_free(&text);
      return PF_ERR_ARGUMENT;
    }
    s->steady->low[found] = interval->low;
    s->steady->high[found] = interval->high;
  }
  for (int k = 0; k < s->n; k++) {
    int c = s->p->unknown[k];
    s->scale[k] = fmax(0.5*fabs(s->steady->high[c] - s->steady->low[c]), 1e-300);
  }
  return PF_OK;
}

static PfStatus make_room(Search *s)
{
  size_t n = (size_t)s->n, m = (size_t)s->m, size = (size_t)s->p->size;
  s->z = pf_arena_array(s->arena, double, n), s->r = pf_arena_array(s->arena, double, m);
  s->J = pf_arena_array(s->arena, double, m*n), s->step = pf_arena_array(s->arena, double, n);
  s->scale = pf_arena_array(s->arena, double, n), s->kernel = pf_arena_array(s->arena, double, n*n + n);
  s->home = pf_arena_array(s->arena, double, s->p->field->count);
  s->there = pf_arena_array(s->arena, double, s->p->field->count);
  s->backup = pf_arena_array(s->arena, double, s->p->field->count);
  s->target = pf_arena_array(s->arena, double, n);
  s->place = pf_arena_array(s->arena, double, n), s->typical = pf_arena_array(s->arena, double, m);
  s->other = pf_arena_array(s->arena, double, n), s->known = pf_arena_array(s->arena, double, MOST_POINTS*n);
  PfSteady *st = s->steady;
  st->names = pf_arena_array(s->arena, const char *, size), st->cyclic = pf_arena_array(s->arena, bool, size);
  st->low = pf_arena_array(s->arena, double, size), st->high = pf_arena_array(s->arena, double, size);
  st->points = pf_arena_array(s->arena, PfSteadyPoint, MOST_POINTS);
  bool good = s->z && s->r && s->J && s->step && s->scale && s->kernel && s->other && s->known && s->home &&
              s->backup && s->target && s->place && s->typical &&
              s->there && st->names && st->cyclic && st->low && st->high && st->points;
  if (!good) return pf_no_room(s->ctx, "steady motions");
  memcpy(st->cyclic, s->p->cyclic, size*sizeof *st->cyclic);
  for (size_t c = 0; c < size; c++) st->names[c] = pf_dynamics_name(s->p->field, s->arena, (int)c);
  return pf_qr_make(s->ctx, s->arena, s->m, s->n, &s->qr);
}

PfStatus pf_steady_search(PfContext *ctx, PfArena *arena, PfProblem *p, const PfSteadyOptions *options,
                          PfSteady *steady)
{
  Search s = {.ctx = ctx, .arena = arena, .p = p, .steady = steady, .n = p->unknowns, .m = p->equations};
  *steady = (PfSteady){.size = p->size, .starts = options->starts > 0 ? options->starts : 100};
  PF_TRY(make_room(&s));
  memcpy(s.home, p->field->full, (size_t)p->field->count*sizeof *s.home);
  choose_box(&s);
  PF_TRY(take_intervals(&s, options));
  PF_TRY(find_typical(&s));
  PfStatus status = pf_surfaces_make(p->field, arena, &s.surfaces);
  if (status == PF_OK) status = look(&s);
  pf_surfaces_free(&s.surfaces);
  PF_TRY(status);
  sort(&s);
  return PF_OK;
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
