/* SPDX-License-Identifier: Apache-2.0 */
/* Steady motions by Newton's method from many places. Solutions that are known are deflated: the residual is
 * multiplied by prod (1 + 1/|u - u_i|^2), which changes a Newton step by a factor only (Farrell, Birkisson, Funke
 * 2015, section 3).
 *
 * A place is told by u = (all coordinates, all velocities or speeds): independent ones alone do not tell which of
 * several solutions of the constraints the others take. Starts lie on all sheets of the constraints, and equilibria are
 * followed from one choice of independent coordinates to the next. */
#include "study/steady_impl.h"

#include "form/solver.h"
#include "num/tolerances.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200, NEAR_STARTS = 24 };

/* Evaluations of the equations for every start that is asked for. A start takes a hundred as a rule; where solutions
 * are families of many dimensions, telling them apart takes thousands. */
enum { BUDGET = 1000, NEAR_BUDGET = 150 };

const char *pf_stability_name(PfStability stability)
{
  static const char *const names[] = {"stable", "neutral", "unstable"};
  return names[stability];
}

/* ---------------------------------------------------------------- known ones */

/* Is the solution where the field is known? A zero of higher order is met with few digits only: then all is zero
 * between what was found before and now. The field stays. */
static PfStatus is_known(PfSeek *s, bool *yes)
{
  *yes = false;
  pf_seek_place(s, s->u);
  for (int i = 0; i < s->known_count && !*yes; i++) {
    const double *known = s->known + (size_t)i*(size_t)s->numbers;
    double away = pf_seek_distance(s, s->u, known);
    if (away < 1e-7) *yes = true;
    if (away < 1e-7 || away > 1e-3) continue;
    pf_seek_subtract(s, s->u, known, s->lifted);
    pf_seek_remember(s, s->backup);
    for (int k = 0; k < s->n; k++) s->z[k] -= 0.5*s->lifted[pf_seek_number(s, k)];
    PF_TRY(pf_seek_is_solution(s, yes));
    PF_TRY(pf_seek_recall(s, s->backup));
  }
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Exact zeros for what is left of larger dependent velocities on the way, unless the state is none without them: by dry
 * friction, the sign of 1e-18 is not that of 0. */
static PfStatus tidy_velocities(PfSeek *s)
{
  PfDynamics *f = s->p->field;
  bool any = false, yes = true;
  pf_seek_remember(s, s->backup);
  for (int i = 0; i < f->nw; i++) {
    const double scale = s->scale[f->n + i];
    double *w = f->full + f->at_w + i;
    if (*w == 0 || !isfinite(scale) || !(fabs(*w) <= 1e-12*scale)) continue;
    any = true, *w = 0;
  }
  if (any) PF_TRY(pf_seek_is_solution(s, &yes));
  if (!yes) memcpy(f->full, s->backup, pf_seek_bytes(s));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Angles between half a turn below and above the middle of the box, quaternions on the side of the start, and exact
 * zeros where a component is zero but for rounding. */
static PfStatus tidy(PfSeek *s)
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
    if (before == 0 || fabs(before) > 1e-8*pf_seek_scale(s, k)) continue;
    pf_seek_remember(s, s->backup);
    s->z[k] = 0;
    PF_TRY(pf_seek_is_solution(s, &yes));
    if (yes) continue;
    memcpy(f->full, s->backup, pf_seek_bytes(s));
    s->z[k] = before;
  }
  return tidy_velocities(s);
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
  PF_TRY(pf_dynamics_kink(p->field, arena, &point->kink));
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

/* How far a place is from the start of the search, by all numbers that count, in the units of the field. */
static double away_from_start(PfSeek *s, const double *u)
{
  pf_seek_subtract(s, u, s->start, s->lifted);
  return pf_norm(s->lifted, s->numbers);
}

/* The unit of a number of u, in SI units. */
static double unit_of(const PfSeek *s, int number)
{
  const PfDynamics *f = s->p->field;
  return !f->in_units ? 1 : number < f->n ? f->unit_q[number] : f->unit_w[number - f->n];
}

/* The number of u that is the component c of the state, by the independent ones with which the search began. */
static int component_number(const PfSeek *s, int c)
{
  return c < s->chart.ny ? s->chart.y[c] : s->p->field->n + s->chart.w[c - s->chart.ny];
}

/* The largest component of the direction d of a family, of the state if it moves there, else of all coordinates and
 * velocities, whose numbers come behind. */
static int find_pivot(const PfSeek *s, const double *row, const double *line)
{
  const int size = s->steady->size;
  const double whole = pf_largest(line, s->numbers);
  int pivot = 0, number = 0;
  for (int c = 0; c < size; c++)
    if (fabs(row[c]) > fabs(row[pivot])*PF_LARGER) pivot = c;
  for (int i = 0; i < s->numbers; i++)
    if (isfinite(s->scale[i]) && fabs(line[i]) > fabs(line[number])*PF_LARGER) number = i;
  return fabs(row[pivot]) > 1e-9*whole ? pivot : size + number;
}

/* The free directions of a family (rows of s->tangents) as combinations that each change one component of the state
 * alone among those by which they are told apart. */
static void fill_directions(const PfSeek *s, PfSteadyPoint *point)
{
  int size = s->steady->size, count = point->family;
  for (int d = 0; d < count; d++)
    for (int c = 0; c < size; c++) {
      bool counts = !s->steady->cyclic[c] && isfinite(s->scale[component_number(s, c)]);
      const double *line = s->tangents + (size_t)d*(size_t)s->numbers;
      point->directions[d*size + c] = counts ? line[component_number(s, c)] : 0;
    }
  for (int d = 0; d < count; d++) {
    double *row = point->directions + (size_t)d*(size_t)size;
    int pivot = point->free[d] = find_pivot(s, row, s->tangents + (size_t)d*(size_t)s->numbers);
    double by = pivot < size ? row[pivot] : 0;
    if (by == 0) memset(row, 0, (size_t)size*sizeof *row);
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
static PfStatus fill_point(PfSeek *s, int family)
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
  pf_seek_place(s, s->u);
  for (int c = 0; c < s->steady->size; c++) point->x[c] = s->u[component_number(s, c)];
  memcpy(point->q, s->u, n*sizeof *point->q);
  memcpy(point->v, f->rate, n*sizeof *point->v);
  point->distance = away_from_start(s, s->u);
  fill_directions(s, point);
  PF_TRY(pf_steady_judge(s->p, s->arena, family, point));
  s->steady->count++;
  return PF_OK;
}

/* The listed point as a place. */
static void place_of(PfSeek *s, const PfSteadyPoint *point, double *u)
{
  memcpy(s->p->field->full, s->spot, pf_seek_bytes(s));
  pf_seek_place(s, u);
  memcpy(u, point->q, (size_t)s->p->field->n*sizeof *u);
  for (int j = 0; j < s->p->field->nw; j++) u[s->p->field->n + j] = s->p->field->speeds ? 0 : point->v[j];
  for (int c = s->chart.ny; c < s->steady->size; c++) u[component_number(s, c)] = point->x[c];
}

/* Do the directions at s->spot lead along the family of the listed point, too? Each of its directions changes one
 * component of the state alone among those that tell its members apart. */
static bool is_parallel(const PfSeek *s, const PfSteadyPoint *point)
{
  const int size = s->steady->size;
  for (int t = 0; t < s->family; t++) {
    const double *line = s->tangents + (size_t)t*(size_t)s->numbers;
    double off = 0, whole = 0;
    for (int c = 0; c < size; c++) {
      if (s->steady->cyclic[c]) continue;
      double left = line[component_number(s, c)];
      whole += left*left;
      for (int d = 0; d < point->family; d++)
        if (point->free[d] < size) left -= line[component_number(s, point->free[d])]*point->directions[d*size + c];
      off += left*left;
    }
    if (whole > 1e-12 && off > 0.02*whole) return false; /* tangents have the length 1 */
  }
  return true;
}

/* Is the place s->spot a member of a family that is listed by that very member? */
static void is_same(PfSeek *s, bool *yes)
{
  const double near = 1e-5; /* the least distance from the start is flat: 1e-6 of it are the root of rounding */
  *yes = false;
  for (int i = 0; i < s->steady->count && !*yes; i++) {
    const PfSteadyPoint *there = s->steady->points + i;
    if (there->family < s->family) continue;
    place_of(s, there, s->room);
    pf_seek_place(s, s->u);
    *yes = pf_seek_distance(s, s->room, s->u) < near && is_parallel(s, there);
  }
}

/* Is the place s->spot on a family that is listed? What cannot be compared any more within the budget is not listed
 * again. */
static PfStatus is_connected(PfSeek *s, bool *yes)
{
  *yes = false;
  for (int i = 0; i < s->steady->count && !*yes; i++) {
    const PfSteadyPoint *there = s->steady->points + i;
    if (there->family < s->family) continue;
    if (pf_seek_is_spent(s)) return *yes = true, PF_OK;
    place_of(s, there, s->room);
    PF_TRY(s->curves[i].count ? pf_seek_is_on(s, s->curves + i, yes) : pf_seek_connect(s, s->room, yes));
  }
  return PF_OK;
}

/* Draws the place s->spot of a family to the member next to the start. */
static PfStatus settle(PfSeek *s)
{
  PF_TRY(pf_seek_draw_home(s));
  PF_TRY(tidy(s));
  pf_seek_remember(s, s->spot);
  return PF_OK;
}

/* The member of the curve of a family next to the start, by which it is told. */
static PfStatus choose_member(PfSeek *s, const PfSeekCurve *curve)
{
  int best = 0, before = pf_diagnostic_count(s->ctx);
  const size_t width = (size_t)s->numbers;
  for (int i = 1; i < curve->count; i++)
    if (away_from_start(s, curve->u + (size_t)i*width) < away_from_start(s, curve->u + (size_t)best*width)*(1 - 1e-6))
      best = i;
  if (!best) return PF_OK;
  bool found = false;
  PfStatus status = pf_seek_put(s, curve->u + (size_t)best*width);
  PF_TRY(pf_seek_quietly(s, before, status));
  if (status == PF_OK) PF_TRY(pf_seek_solve(s, (PfSeekWay){.longest = 1}, &found));
  if (!found) return pf_seek_recall(s, s->spot);
  pf_seek_remember(s, s->spot);
  return settle(s);
}

/* Follows a family of one dimension. What that costs may go beyond the budget. */
static PfStatus trace(PfSeek *s)
{
  PfSeekCurve *curve = s->curves + s->steady->count;
  const long long first = s->p->field->evaluations;
  PF_TRY(pf_seek_trace(s, curve));
  const long long taken = s->p->field->evaluations - first, given = taken < s->spare ? taken : s->spare;
  s->budget += given, s->spare -= given;
  return choose_member(s, curve);
}

/* The family of s->spot, unless it is listed. Its member next to the start may belong to another family, too, which
 * crosses there: which family it is, is decided where it was met. */
static PfStatus keep_family(PfSeek *s, bool *listed)
{
  memcpy(s->met, s->spot, pf_seek_bytes(s));
  memcpy(s->met_tangents, s->tangents, (size_t)s->family*(size_t)s->numbers*sizeof *s->tangents);
  s->curves[s->steady->count] = (PfSeekCurve){0};
  PF_TRY(settle(s));
  is_same(s, listed);
  if (*listed) return PF_OK;
  pf_seek_exchange(s);
  PF_TRY(is_connected(s, listed));
  pf_seek_exchange(s);
  if (*listed || s->family > 1) return PF_OK;
  PF_TRY(trace(s));
  is_same(s, listed);
  return PF_OK;
}

/* Do the accelerations of the coordinates follow from the motion of the cyclic ones alone, as in a steady motion? At
 * rest there are none. Where the independent velocities end, dependent ones need not follow from them: a plate between
 * balls of which one is at its axis may begin to turn though no ball does. `components`: room for the cyclic ones;
 * `slopes`: by these. */
static PfStatus moves_steadily(PfSeek *s, int *components, double *slopes, bool *yes)
{
  PfDynamics *f = s->p->field;
  const bool rest = s->p->kind == PF_EQUILIBRIA;
  int count = 0;
  *yes = true;
  for (int k = 0; k < s->p->size && !rest; k++)
    if (s->p->cyclic[k]) components[count++] = k;
  if (f->speeds || !f->nv || (rest ? s->idle : !count)) return PF_OK;
  if (count) PF_TRY(pf_dynamics_slopes(f, components, count, slopes, NULL));
  for (int i = 0; i < (rest ? f->n : f->ny); i++) {
    const double actual = f->motion.acceleration[rest ? i : f->y[i]];
    double sum = 0, size = rest ? 0 : fabs(actual);
    for (int c = 0; c < count; c++) {
      const double part = slopes[i*count + c]*f->rate[f->y[components[c]]];
      sum += part, size += fabs(part);
    }
    const double usual = rest ? fmax(s->elsewhere, s->pull) : s->elsewhere;
    if (!(fabs(actual - sum) <= 1e-6*size + 1e-7*usual)) *yes = false;
  }
  return PF_OK;
}

/* Is the solution where the field is one? Velocities of 1e16 are not sought. */
static PfStatus is_right(PfSeek *s, bool *yes)
{
  const size_t size = (size_t)s->p->size;
  pf_seek_place(s, s->u);
  *yes = pf_seek_distance(s, s->u, s->start) < 1e4;
  if (!*yes) return PF_OK;
  PfMark mark = pf_arena_mark(s->p->arena);
  int *components = pf_arena_array(s->p->arena, int, size);
  double *slopes = pf_arena_array(s->p->arena, double, size*size);
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = components && slopes ? moves_steadily(s, components, slopes, yes)
                                         : pf_no_room(s->ctx, "steady motions");
  pf_arena_release(s->p->arena, mark);
  return pf_seek_quietly(s, before, status);
}

/* Keeps the solution where the field is unless it is known, or belongs to a family that is there. */
static PfStatus keep(PfSeek *s)
{
  bool same, stands, right;
  PF_TRY(is_right(s, &right));
  if (!right) return PF_OK;
  PF_TRY(tidy(s));
  PF_TRY(pf_surfaces_agree(&s->surfaces, s->p->field, &stands));
  PF_TRY(is_known(s, &same));
  if (same) return PF_OK;
  pf_seek_place(s, s->known + (size_t)s->known_count++*(size_t)s->numbers);
  if (!stands) return PF_OK; /* known, so that it is not found again, but not shown */
  pf_seek_remember(s, s->spot);
  PF_TRY(pf_seek_family(s));
  if (s->family) PF_TRY(keep_family(s, &same));
  if (same) return PF_OK;
  PF_TRY(pf_seek_recall(s, s->spot));
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  return fill_point(s, s->family);
}

/* ---------------------------------------------------------------- starts */

/* The first start is the place of the field. The others fill the box evenly (Halton's points): every other one by the
 * independent coordinates, on the sheet of the start, the rest by all coordinates, on whichever sheet is next. */
static PfStatus choose_start(PfSeek *s, int trial)
{
  PfDynamics *f = s->p->field;
  pf_problem_use_chart(s->p, &s->chart);
  memcpy(f->full, s->p->home, pf_seek_bytes(s));
  pf_problem_get(s->p, s->z);
  if (!trial) return PF_OK;
  if (trial%2 && (f->y_dependents || (f->w_dependents && s->p->kind == PF_STEADY && !s->p->bound))) {
    for (int i = 0; i < s->numbers; i++) s->other[i] = s->low[i] + (s->high[i] - s->low[i])*pf_halton(trial, i);
    return pf_seek_put(s, s->other);
  }
  for (int k = 0; k < s->n; k++) {
    int i = pf_seek_number(s, k);
    s->z[k] = s->low[i] + (s->high[i] - s->low[i])*pf_halton(trial, k);
  }
  return PF_OK;
}

/* Equilibria: from s->z downhill, along the accelerations of rest, into a valley: Newton's method alone seldom finds
 * one that is small beside the box. Steps of equal length, halved where the way turns back. */
static PfStatus descend(PfSeek *s)
{
  enum { STEPS = 60 };
  const PfDynamics *f = s->p->field;
  double h = 0.1, *way = s->step, *last = s->last_z;
  memset(last, 0, (size_t)s->n*sizeof *last);
  for (int t = 0; t < STEPS && h > 1e-3; t++) {
    PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
    for (int k = 0; k < s->n; k++) {
      int j = pf_seek_number(s, k);
      way[k] = (s->p->flows[j] ? f->rate[j] : f->motion.acceleration[j])/pf_seek_scale(s, k);
    }
    double length = pf_norm(way, s->n);
    if (!(length > 0)) return PF_OK;
    for (int k = 0; k < s->n; k++) way[k] /= length;
    if (pf_dot(way, last, s->n) < 0) h /= 2;
    for (int k = 0; k < s->n; k++) s->z[k] += h*way[k]*pf_seek_scale(s, k), last[k] = way[k];
  }
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* One search from s->z, if the start is possible. */
static PfStatus search_from(PfSeek *s, PfStatus start, int before, PfSeekWay way, bool *found)
{
  *found = false;
  if (start == PF_OK && way.downhill) start = descend(s);
  PF_TRY(pf_seek_quietly(s, before, start));
  if (start == PF_OK) PF_TRY(pf_seek_solve(s, way, found));
  return *found ? keep(s) : PF_OK;
}

static bool is_full(const PfSeek *s)
{
  return s->known_count == MOST_POINTS;
}

/* From the start itself by short steps, which lead to a solution near by if there is one; from the others by long
 * ones; to equilibria by long and short ones in turn, which do not jump over what is narrow. */
static PfStatus look(PfSeek *s)
{
  static const double longest[] = {0.1, 1, 0.3};
  for (int t = 0; t < s->steady->starts && !is_full(s); t++) {
    if (pf_seek_is_spent(s)) {
      s->steady->starts = t;
      break;
    }
    int before = pf_diagnostic_count(s->ctx);
    bool found;
    const bool rest = s->p->kind == PF_EQUILIBRIA;
    const PfSeekWay way = {.deflated = true, .damped = rest && t%4 >= 2 && !s->p->field->np && !s->p->field->nv,
                     .downhill = rest && t%5 == 4, .longest = !t || rest ? longest[t%3] : 1};
    PF_TRY(search_from(s, choose_start(s, t), before, way, &found));
    if (!found) s->steady->failed++;
  }
  return PF_OK;
}

/* Every state of rest is a steady motion: those that are found as such, by their fewer unknowns. */
static PfStatus look_at_rest(PfSeek *s, const PfSteady *rest)
{
  const PfDynamics *f = s->p->field;
  for (int i = 0; i < rest->count && !is_full(s); i++) {
    int before = pf_diagnostic_count(s->ctx);
    bool found;
    pf_problem_use_chart(s->p, &s->chart);
    memcpy(s->aim, rest->points[i].q, (size_t)f->n*sizeof *s->aim);
    for (int j = 0; j < f->nw; j++) s->aim[f->n + j] = f->speeds ? 0 : rest->points[i].v[j];
    PF_TRY(search_from(s, pf_seek_put(s, s->aim), before, (PfSeekWay){.longest = 0.1}, &found));
  }
  return PF_OK;
}

static double nearest_distance(const PfSeek *s)
{
  double least = INFINITY;
  for (int i = 0; i < s->steady->count; i++) least = fmin(least, s->steady->points[i].distance);
  return least;
}

/* Is there a nearer one? Looks around the start in boxes that grow up to the nearest one known, until there is none. */
static PfStatus look_nearer(PfSeek *s)
{
  enum { ROUNDS = 6, BOXES = 4 };
  double radius = nearest_distance(s);
  s->budget = s->p->field->evaluations - s->first + s->near_budget;
  for (int round = 0; round < ROUNDS && isfinite(radius) && radius > 1e-9; round++) {
    for (int t = 1; t <= NEAR_STARTS && !is_full(s) && !pf_seek_is_spent(s); t++) {
      int before = pf_diagnostic_count(s->ctx);
      double half = radius*(1 + t%BOXES)/BOXES;
      bool found;
      pf_problem_use_chart(s->p, &s->chart);
      for (int i = 0; i < s->numbers; i++)
        s->other[i] = s->start[i] + half*(2*pf_halton(t + round*NEAR_STARTS, i) - 1);
      PF_TRY(search_from(s, pf_seek_put(s, s->other), before, (PfSeekWay){.deflated = true, .longest = 0.25}, &found));
      s->steady->near_starts++;
    }
    double now = nearest_distance(s);
    if (!(now < (1 - 1e-9)*radius)) break;
    radius = now;
  }
  (void)pf_seek_is_spent(s); /* counts the last ones */
  s->steady->radius = radius;
  return PF_OK;
}

/* Into a list in ascending order. */
static void insert(double *list, int count, double value)
{
  for (; count > 0 && list[count - 1] > value; count--) list[count] = list[count - 1];
  list[count] = value;
}

/* What the rates, and all accelerations, are like away from solutions: the median of some starts, because near a place
 * where a chart fails rates have no limit. */
static PfStatus find_typical(PfSeek *s)
{
  enum { PROBES = 11 };
  double rates[PROBES], pulls[PROBES];
  int count = 0, still = 0;
  for (int t = 0; t < PROBES; t++) {
    int before = pf_diagnostic_count(s->ctx);
    PfStatus status = choose_start(s, t);
    if (status == PF_OK) status = pf_problem_go(s->p, s->z, NAN, s->r);
    PF_TRY(pf_seek_quietly(s, before, status));
    if (status != PF_OK || pf_first_not_finite(s->r, (size_t)s->p->equations) >= 0) continue;
    PF_TRY(pf_problem_rounding(s->p, s->noise));
    double rate = pf_largest(s->r, s->p->equations);
    still += rate <= pf_largest(s->noise, s->p->equations);
    insert(pulls, count, pf_largest(s->p->field->motion.acceleration, s->p->field->n));
    insert(rates, count++, rate);
  }
  if (count) s->elsewhere = rates[count/2], s->pull = pulls[count/2];
  s->idle = 2*still > count;
  return PF_OK;
}

/* ---------------------------------------------------------------- order */

/* Distances in SI units: those that are shown, and by which the points are listed. */
static void find_distances(PfSeek *s)
{
  PfSteady *st = s->steady;
  pf_seek_remember(s, s->backup);
  for (int i = 0; i < st->count; i++) {
    place_of(s, st->points + i, s->room);
    pf_seek_subtract(s, s->room, s->start, s->other);
    for (int k = 0; k < s->numbers; k++) s->other[k] *= unit_of(s, k);
    st->points[i].distance = pf_norm(s->other, s->numbers);
  }
  memcpy(s->p->field->full, s->backup, pf_seek_bytes(s));
}

/* -1, 1: a number comes before or after another one; 0: they differ by rounding at most. */
static int compare(double a, double b)
{
  const double least = 1e-7*(1 + fmax(fabs(a), fabs(b)));
  return (a - b > least) - (a - b < -least);
}

/* The nearest first, of equally near ones by their coordinates, in the units of the field. */
static bool comes_before(const PfSeek *s, const PfSteadyPoint *a, const PfSteadyPoint *b)
{
  int order = 0;
  if (a->distance != b->distance) return a->distance < b->distance;
  for (int c = 0; c < s->steady->size && !order; c++)
    if (!s->steady->cyclic[c]) order = compare(a->x[c], b->x[c]);
  for (int j = 0; j < s->p->field->n && !order; j++)
    if (!s->p->held[j]) order = compare(a->q[j], b->q[j]);
  return order < 0;
}

static void sort_points(const PfSeek *s)
{
  PfSteadyPoint *points = s->steady->points;
  for (int i = 1; i < s->steady->count; i++) {
    PfSteadyPoint one = points[i];
    int k = i;
    for (; k > 0 && comes_before(s, &one, points + k - 1); k--) points[k] = points[k - 1];
    points[k] = one;
  }
}

/* The order in which points are found hangs on the ways of Newton's method, and so do the last digits of distances:
 * those that differ by no more become the same, and coordinates decide. */
static void sort(PfSeek *s)
{
  const double last_digits = 1e-13;
  PfSteadyPoint *points = s->steady->points;
  find_distances(s);
  sort_points(s);
  for (int i = 1; i < s->steady->count; i++)
    if (points[i].distance <= points[i - 1].distance*(1 + last_digits)) points[i].distance = points[i - 1].distance;
  sort_points(s);
}

/* ---------------------------------------------------------------- where to look */

/* The size of a coordinate. Where units differ much, as those of metres and pascals, it is that of all starts in its
 * unit, since of two pressures one may start at 0; where all do, what belongs to the finest unit by the constraints. */
static double size_of(const PfSeek *s, int j)
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
static void choose_box(PfSeek *s)
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
static int find_number(const PfSeek *s, const char *name)
{
  const PfDynamics *f = s->p->field;
  for (int c = 0; c < s->steady->size; c++)
    if (!strcmp(s->steady->names[c], name)) return component_number(s, c);
  for (int j = 0; j < f->n; j++)
    if (!strcmp(f->model->coordinates[j].name, name)) return j;
  return -1;
}

static PfStatus take_interval(PfSeek *s, const PfInterval *interval)
{
  int i = find_number(s, interval->name), n = s->p->field->n;
  bool cyclic = i >= 0 && i < n && s->p->held[i], fixed = i >= n && s->p->kind == PF_EQUILIBRIA;
  if (i >= 0 && !cyclic && !fixed) {
    s->low[i] = interval->low/unit_of(s, i), s->high[i] = interval->high/unit_of(s, i);
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

static PfStatus take_intervals(PfSeek *s, const PfSteadyOptions *options)
{
  PfSteady *st = s->steady;
  int n = s->p->field->n;
  for (int i = 0; i < options->interval_count; i++) PF_TRY(take_interval(s, options->intervals + i));
  for (int i = 0; i < s->numbers; i++)
    if (s->high[i] > s->low[i]) s->scale[i] = 0.5*(s->high[i] - s->low[i]);
  for (int k = 0; k < s->n; k++) /* what is held by an interval of no width is an unknown all the same */
    if (!isfinite(pf_seek_scale(s, k))) s->scale[pf_seek_number(s, k)] = 1e-300;
  for (int j = 0; j < n; j++) s->weight[j] = isfinite(s->scale[j]) ? 1 : 0;
  for (int c = 0; c < st->size; c++) {
    st->low[c] = s->low[component_number(s, c)];
    st->high[c] = s->high[component_number(s, c)];
  }
  memcpy(st->q_low, s->low, (size_t)n*sizeof *s->low);
  memcpy(st->q_high, s->high, (size_t)n*sizeof *s->high);
  return PF_OK;
}

static PfStatus make_lists(PfSeek *s)
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

static PfStatus make_room(PfSeek *s)
{
  const PfDynamics *f = s->p->field;
  size_t n = (size_t)s->n, u = (size_t)s->numbers + n, count = (size_t)f->count;
  double **const of_u[] = {&s->low, &s->high, &s->scale, &s->weight, &s->u, &s->start, &s->other, &s->lifted, &s->r,
                           &s->noise, &s->from, &s->aim, &s->tangent, &s->room};
  double **const of_field[] = {&s->seed, &s->last, &s->spot, &s->backup, &s->walked, &s->met};
  double **const of_n[] = {&s->z, &s->last_z, &s->before, &s->step};
  bool good = true;
  for (size_t i = 0; i < sizeof of_u/sizeof *of_u; i++) good = (*of_u[i] = pf_arena_array(s->arena, double, u)) && good;
  for (size_t i = 0; i < sizeof of_field/sizeof *of_field; i++)
    good = (*of_field[i] = pf_arena_array(s->arena, double, count)) && good;
  for (size_t i = 0; i < sizeof of_n/sizeof *of_n; i++) good = (*of_n[i] = pf_arena_array(s->arena, double, n)) && good;
  s->J = pf_arena_array(s->arena, double, u*n), s->planes = pf_arena_array(s->arena, double, n*n);
  s->kernel = pf_arena_array(s->arena, double, 2*n*n + n);
  s->curves = pf_arena_array(s->arena, PfSeekCurve, MOST_POINTS);
  s->lines = pf_arena_array(s->arena, double, 2*n*u), s->tangents = pf_arena_array(s->arena, double, n*u);
  s->met_tangents = pf_arena_array(s->arena, double, n*u);
  s->known = pf_arena_array(s->arena, double, MOST_POINTS*u);
  good = good && s->J && s->planes && s->kernel && s->curves && s->lines && s->tangents && s->met_tangents && s->known;
  if (!good) return pf_no_room(s->ctx, "steady motions");
  PF_TRY(make_lists(s));
  PF_TRY(pf_dynamics_keep_chart(f, s->arena, &s->chart));
  return pf_qr_make(s->ctx, s->arena, s->numbers + s->n, s->n, &s->qr);
}

/* ---------------------------------------------------------------- all */

static void multiply(double *list, const double *by, int count)
{
  for (int i = 0; i < count; i++) list[i] *= by[i];
}

static void point_to_si(const PfSeek *s, const double *unit, PfSteadyPoint *point)
{
  const int size = s->steady->size;
  const double *units = s->p->field->unit_q;
  multiply(point->x, unit, size);
  multiply(point->q, units, s->p->field->n);
  multiply(point->v, units, s->p->field->n);
  for (int d = 0; d < point->family; d++) {
    multiply(point->directions + (size_t)d*(size_t)size, unit, size);
    for (int c = 0; c < size && point->free[d] < size; c++)
      point->directions[d*size + c] /= unit[point->free[d]]; /* which still changes by 1 */
  }
}

/* All but the distances, from the units of the field to SI units. */
static void to_si(PfSeek *s)
{
  PfSteady *st = s->steady;
  double *unit = s->lifted;
  if (st->count) st->radius = st->points[0].distance;
  for (int c = 0; c < st->size; c++) unit[c] = unit_of(s, component_number(s, c));
  for (int i = 0; i < st->count; i++) point_to_si(s, unit, st->points + i);
  multiply(st->low, unit, st->size);
  multiply(st->high, unit, st->size);
  multiply(st->q_low, s->p->field->unit_q, s->p->field->n);
  multiply(st->q_high, s->p->field->unit_q, s->p->field->n);
}

static PfStatus search(PfSeek *s, const PfSteady *rest)
{
  PF_TRY(find_typical(s));
  PF_TRY(look_at_rest(s, rest));
  PF_TRY(look(s));
  PF_TRY(look_nearer(s));
  sort(s);
  pf_problem_use_chart(s->p, &s->chart);
  memcpy(s->p->field->full, s->p->home, pf_seek_bytes(s));
  return pf_dynamics_go(s->p->field, s->p->base);
}

/* Evaluations for so many starts: fewer of large systems, whose matrices cost more. */
static long long budget_of(const PfProblem *p, int each, int starts)
{
  enum { LARGE = 20 }; /* equations of motion with their constraints */
  const int rows = p->field->nr;
  return (long long)each*starts*LARGE/(rows > LARGE ? rows : LARGE);
}

/* With the states of rest, when steady motions are sought. All is in the units of the field. */
static PfStatus search_all(PfSeek *s, const PfSteadyOptions *options, const PfSteady *rest)
{
  PfProblem *p = s->p;
  PfSteady *steady = s->steady;
  s->n = p->unknowns, s->numbers = p->field->n + p->field->nw;
  *steady = (PfSteady){.size = p->size, .starts = options->starts > 0 ? options->starts : 100, .radius = INFINITY};
  s->first = p->field->evaluations;
  s->budget = budget_of(p, BUDGET, steady->starts), s->near_budget = budget_of(p, NEAR_BUDGET, steady->starts);
  s->spare = s->budget/3;
  PF_TRY(make_room(s));
  pf_seek_place(s, s->start);
  choose_box(s);
  PF_TRY(take_intervals(s, options));
  PfStatus status = pf_surfaces_make(p->field, s->arena, &s->surfaces);
  if (status == PF_OK) status = search(s, rest);
  pf_surfaces_free(&s->surfaces);
  return status;
}

/* Intervals of what is looked for at rest: coordinates that are not cyclic there. */
static PfStatus take_rest_intervals(const PfProblem *p, PfArena *arena, const PfSteadyOptions *from,
                                    PfSteadyOptions *to)
{
  PfInterval *list = pf_arena_array(arena, PfInterval, from->interval_count);
  if (!list) return pf_no_room(p->ctx, "steady motions");
  *to = (PfSteadyOptions){.kind = PF_EQUILIBRIA, .starts = ((from->starts > 0 ? from->starts : 100) + 1)/2,
                          .intervals = list};
  for (int i = 0; i < from->interval_count; i++)
    for (int j = 0; j < p->field->n; j++)
      if (!p->held[j] && !strcmp(p->field->model->coordinates[j].name, from->intervals[i].name))
        list[to->interval_count++] = from->intervals[i];
  return PF_OK;
}

/* States of rest, for the problem of steady motions of the same field, which goes back to where it was. A model that
 * allows none has none. */
static PfStatus find_rest(PfArena *arena, PfProblem *p, const PfSteadyOptions *options, PfSteady *rest)
{
  PfProblem still;
  PfSteadyOptions own;
  PfChartChoice chart;
  PfDynamics *f = p->field;
  int before = pf_diagnostic_count(p->ctx);
  *rest = (PfSteady){0};
  PF_TRY(pf_dynamics_keep_chart(f, arena, &chart));
  f->held = NULL;
  PfStatus status = pf_problem_make(p->ctx, arena, f, PF_EQUILIBRIA, -1, &still);
  if (status == PF_OK) status = take_rest_intervals(&still, arena, options, &own);
  PfSeek s = {.ctx = p->ctx, .arena = arena, .p = &still, .steady = rest};
  if (status == PF_OK) status = search_all(&s, &own, &(PfSteady){0});
  pf_problem_release(&still);
  if (pf_is_final(status)) return status;
  if (status != PF_OK) *rest = (PfSteady){0};
  pf_diagnostics_cut(p->ctx, before);
  f->held = p->held;
  memcpy(f->full, p->home, (size_t)f->count*sizeof *p->home);
  pf_problem_use_chart(p, &chart);
  return pf_dynamics_go(f, p->base);
}

PfStatus pf_steady_search(PfContext *ctx, PfArena *arena, PfProblem *p, const PfSteadyOptions *options,
                          PfSteady *steady)
{
  PfSteady rest = {0};
  PfSeek s = {.ctx = ctx, .arena = arena, .p = p, .steady = steady};
  if (p->kind == PF_STEADY) PF_TRY(find_rest(arena, p, options, &rest));
  PF_TRY(search_all(&s, options, &rest));
  if (p->field->in_units) to_si(&s);
  return PF_OK;
}

PfStatus pf_steady_find(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfSteadyOptions *options,
                        PfSteady *steady)
{
  PfProblem problem;
  PfDynamics *f;
  PF_TRY(pf_dynamics_natural(field, &f));
  PfStatus status = pf_problem_make(ctx, arena, f, options->kind, -1, &problem);
  if (status == PF_OK) status = pf_steady_search(ctx, arena, &problem, options, steady);
  pf_problem_release(&problem);
  return status;
}
