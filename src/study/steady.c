/* SPDX-License-Identifier: Apache-2.0 */
/* Steady motions by Newton's method from many places. Solutions that are known are deflated: the residual is
 * multiplied by prod (1 + 1/|u - u_i|^2), which changes a Newton step by a factor only (Farrell, Birkisson, Funke
 * 2015, section 3).
 *
 * A place is identified by u = (all coordinates, all velocities or speeds): independent ones alone do not determine
 * which of several solutions of the constraints the others take. Starts lie on all sheets of the constraints, and
 * equilibria are followed from one choice of independent coordinates to the next. */
#include "study/steady_impl.h"

#include "form/solver.h"
#include "num/tolerances.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200, NEAR_STARTS = 24 };

/* Evaluations of the equations for every requested start. A start takes a hundred as a rule; where solutions are
 * families of many dimensions, distinguishing them takes thousands. */
enum { BUDGET = 1000, NEAR_BUDGET = 150 };

/* The text is static. */
const char *pf_stability_name(PfStability stability)
{
  static const char *const names[] = {"stable", "neutral", "unstable"};
  return names[stability];
}

/* ---------------------------------------------------------------- known ones */

/* Writes the solution where the field is in its simplest numbers: angles between half a turn below and above the middle
 * of the box, quaternions on the side of the start, and exact zeros for what is zero but for rounding, unless the state
 * is not a solution with them: by dry friction the sign of 1e-18 is not that of 0. The field is there then. */
static PfStatus tidy(PfSeek *s)
{
  const double half = 3.141592653589793;
  PfDynamics *f = s->p->field;
  double *q = f->full + f->at_q;
  bool any = false, yes = true;
  for (int j = 0; j < f->n; j++)
    if (s->p->turns[j]) q[j] -= 2*half*ceil((q[j] - 0.5*(s->low[j] + s->high[j]) - half)/(2*half) - 1e-9);
  for (int k = 0; k < f->model->ball_count; k++) {
    double *turned = q + f->model->balls[k].q;
    const bool other = pf_dot(turned, s->start + f->model->balls[k].q, 4) < 0;
    for (int i = 0; i < 4 && other; i++) turned[i] = -turned[i];
  }
  pf_problem_get(s->p, s->z);
  for (int k = 0; k < s->n; k++) {
    double before = s->z[k];
    if (before == 0 || fabs(before) > 1e-8*pf_seek_scale(s, k)) continue;
    pf_seek_remember(s, s->backup);
    s->z[k] = 0;
    PF_TRY(pf_seek_is_solution(s, &yes));
    if (yes) continue;
    memcpy(f->full, s->backup, pf_seek_bytes(s));
    s->z[k] = before;
  }
  pf_seek_remember(s, s->backup);
  for (int i = 0; i < f->nw; i++) { /* remains of larger dependent velocities on the way */
    const double scale = s->scale[f->n + i];
    double *w = f->full + f->at_w + i;
    if (*w == 0 || !isfinite(scale) || !(fabs(*w) <= 1e-12*scale)) continue;
    any = true, *w = 0;
  }
  yes = true;
  if (any) PF_TRY(pf_seek_is_solution(s, &yes));
  if (!yes) memcpy(f->full, s->backup, pf_seek_bytes(s));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* ---------------------------------------------------------------- stability */

/* Zeros beyond those that the family explains leave it open; so do families that fill the whole space. */
PfStability pf_stability_of(const double *re, int count, int family, int *unstable)
{
  int axis = 0;
  *unstable = 0;
  for (int k = 0; k < count; k++) axis += re[k] == 0, *unstable += re[k] > 0;
  if (*unstable) return PF_UNSTABLE;
  return axis > family || (axis && axis == count) ? PF_NEUTRAL : PF_STABLE;
}

/* Arrays of eigenvalues are in `arena`; the matrix is in that of the problem for a while. */
PfStatus pf_steady_judge(PfProblem *p, PfArena *arena, int family, PfSteadyPoint *point)
{
  size_t n = (size_t)p->size;
  point->family = family, point->count = point->unstable = 0, point->stability = PF_NEUTRAL;
  PF_TRY(pf_arrays(p->ctx, arena, "steady motions", PF_ROOM(point->re, n), PF_ROOM(point->im, n)));
  PF_TRY(pf_dynamics_kink(p->field, arena, &point->kink));
  if (point->kink) return PF_OK;
  PfMark mark = pf_arena_mark(p->arena);
  double *matrix = pf_arena_array(p->arena, double, n*n), *noise = pf_arena_array(p->arena, double, n*n);
  PfStatus status = matrix && noise ? pf_problem_matrix(p, matrix, noise, &point->count)
                                    : pf_no_room(p->ctx, "steady motions");
  if (status == PF_OK) status = pf_eig_general(p->ctx, matrix, noise, point->count, point->re, point->im, NULL);
  pf_arena_release(p->arena, mark);
  PF_TRY(status);
  point->stability = pf_stability_of(point->re, point->count, point->family, &point->unstable);
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

/* The free directions of a family (rows of s->tangents) as combinations that each change one component of the state
 * alone among those that distinguish its members: its largest one, if the family moves there, else the largest of all
 * coordinates and velocities, whose numbers come after those of the components. */
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
    const double *line = s->tangents + (size_t)d*(size_t)s->numbers;
    int pivot = 0, number = 0;
    for (int c = 0; c < size; c++)
      if (fabs(row[c]) > fabs(row[pivot])*PF_LARGER) pivot = c;
    for (int i = 0; i < s->numbers; i++)
      if (isfinite(s->scale[i]) && fabs(line[i]) > fabs(line[number])*PF_LARGER) number = i;
    const bool moves = fabs(row[pivot]) > 1e-9*pf_largest(line, s->numbers);
    point->free[d] = moves ? pivot : size + number;
    const double by = row[pivot];
    if (!moves || by == 0) {
      memset(row, 0, (size_t)size*sizeof *row);
      continue;
    }
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
  PF_TRY(pf_arrays(s->ctx, s->arena, "steady motions", PF_ROOM(point->x, size), PF_ROOM(point->q, n),
                   PF_ROOM(point->v, n), PF_ROOM(point->free, family), PF_ROOM2(point->directions, family, size)));
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

/* Is the place s->spot a member of a family that is listed by that very member? Then the directions at s->spot lead
 * along the listed family, too: each of its directions changes one component of the state alone among those that
 * distinguish its members. */
static bool is_same(PfSeek *s)
{
  const double near = 1e-5; /* the least distance from the start is flat: 1e-6 of it are the root of rounding */
  const int size = s->steady->size;
  for (int i = 0; i < s->steady->count; i++) {
    const PfSteadyPoint *there = s->steady->points + i;
    if (there->family < s->family) continue;
    place_of(s, there, s->room);
    pf_seek_place(s, s->u);
    bool same = pf_seek_distance(s, s->room, s->u) < near;
    for (int t = 0; t < s->family && same; t++) {
      const double *line = s->tangents + (size_t)t*(size_t)s->numbers;
      double off = 0, whole = 0;
      for (int c = 0; c < size; c++) {
        if (s->steady->cyclic[c]) continue;
        double left = line[component_number(s, c)];
        whole += left*left;
        for (int d = 0; d < there->family; d++)
          if (there->free[d] < size) left -= line[component_number(s, there->free[d])]*there->directions[d*size + c];
        off += left*left;
      }
      if (whole > 1e-12 && off > 0.02*whole) same = false; /* tangents have the length 1 */
    }
    if (same) return true;
  }
  return false;
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

/* The family of s->spot, unless it is listed. Its member next to the start, which represents it, may belong to another
 * family, too, which crosses there: which family it is, is decided where it was met. A family of one dimension is
 * followed as a curve, whose cost may go beyond the budget. */
static PfStatus keep_family(PfSeek *s, bool *listed)
{
  memcpy(s->met, s->spot, pf_seek_bytes(s));
  memcpy(s->met_tangents, s->tangents, (size_t)s->family*(size_t)s->numbers*sizeof *s->tangents);
  s->curves[s->steady->count] = (PfSeekCurve){0};
  PF_TRY(settle(s));
  *listed = is_same(s);
  if (*listed) return PF_OK;
  pf_seek_exchange(s);
  PF_TRY(is_connected(s, listed));
  pf_seek_exchange(s);
  if (*listed || s->family > 1) return PF_OK;
  PfSeekCurve *curve = s->curves + s->steady->count;
  const long long first = s->p->field->evaluations;
  PF_TRY(pf_seek_trace(s, curve));
  const long long taken = s->p->field->evaluations - first, given = taken < s->spare ? taken : s->spare;
  s->budget += given, s->spare -= given;
  const double *best = curve->u; /* the place of the curve next to the start */
  for (const double *u = best; u < curve->u + (size_t)curve->count*(size_t)s->numbers; u += s->numbers)
    if (away_from_start(s, u) < away_from_start(s, best)*(1 - 1e-6)) best = u;
  if (best != curve->u) {
    bool found;
    PF_TRY(pf_seek_solve_near(s, best, (PfSeekStrategy){.longest = 1}, &found));
    if (found) pf_seek_remember(s, s->spot);
    PF_TRY(found ? settle(s) : pf_seek_recall(s, s->spot));
  }
  *listed = is_same(s);
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
    const double typical = rest ? fmax(s->elsewhere, s->median_acceleration) : s->elsewhere;
    if (!(fabs(actual - sum) <= 1e-6*size + 1e-7*typical)) *yes = false;
  }
  return PF_OK;
}

/* Is the solution where the field is a steady motion? Velocities of 1e16 are not sought. */
static PfStatus is_right(PfSeek *s, bool *yes)
{
  const size_t size = (size_t)s->p->size;
  pf_seek_place(s, s->u);
  *yes = pf_seek_distance(s, s->u, s->start) < 1e4;
  if (!*yes) return PF_OK;
  PfMark mark = pf_arena_mark(s->p->arena);
  int *components, before = pf_diagnostic_count(s->ctx);
  double *slopes;
  PfStatus status = pf_arrays(s->ctx, s->p->arena, "steady motions", PF_ROOM(components, size),
                              PF_ROOM2(slopes, size, size));
  if (status == PF_OK) status = moves_steadily(s, components, slopes, yes);
  pf_arena_release(s->p->arena, mark);
  return pf_end_attempt(s->ctx, before, status);
}

/* Keeps the solution where the field is unless it is known, or belongs to a family that is there. */
static PfStatus keep(PfSeek *s)
{
  bool same, stands, right;
  PF_TRY(is_right(s, &right));
  if (!right) return PF_OK;
  PF_TRY(tidy(s));
  PF_TRY(pf_surfaces_agree(&s->surfaces, s->p->field, &stands));
  /* Is the solution where the field is known? A zero of higher order is met with few digits only: then all is
   * zero between the earlier solution and this one. The field stays. */
  same = false;
  pf_seek_place(s, s->u);
  for (int i = 0; i < s->known_count && !same; i++) {
    const double *known = s->known + (size_t)i*(size_t)s->numbers;
    double away = pf_seek_distance(s, s->u, known);
    if (away < 1e-7) same = true;
    if (away < 1e-7 || away > 1e-3) continue;
    pf_seek_subtract(s, s->u, known, s->lifted);
    pf_seek_remember(s, s->backup);
    for (int k = 0; k < s->n; k++) s->z[k] -= 0.5*s->lifted[pf_seek_number(s, k)];
    PF_TRY(pf_seek_is_solution(s, &same));
    PF_TRY(pf_seek_recall(s, s->backup));
  }
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
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
 * one that is small compared with the box. Steps of equal length, halved where the way turns back. */
static PfStatus descend(PfSeek *s)
{
  enum { STEPS = 60 };
  const PfDynamics *f = s->p->field;
  double h = 0.1, *strategy = s->step, *last = s->last_z;
  memset(last, 0, (size_t)s->n*sizeof *last);
  for (int t = 0; t < STEPS && h > 1e-3; t++) {
    PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
    for (int k = 0; k < s->n; k++) {
      int j = pf_seek_number(s, k);
      strategy[k] = (s->p->flows[j] ? f->rate[j] : f->motion.acceleration[j])/pf_seek_scale(s, k);
    }
    double length = pf_norm(strategy, s->n);
    if (!(length > 0)) return PF_OK;
    for (int k = 0; k < s->n; k++) strategy[k] /= length;
    if (pf_dot(strategy, last, s->n) < 0) h /= 2;
    for (int k = 0; k < s->n; k++) s->z[k] += h*strategy[k]*pf_seek_scale(s, k), last[k] = strategy[k];
  }
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* No more solutions can be listed. */
static bool is_full(const PfSeek *s)
{
  return s->known_count == MOST_POINTS;
}

/* Newton's method from all starts: from the start itself by short steps, which lead to a solution near by if there is
 * one; from the others by long ones; to equilibria by long and short ones in turn, which do not jump over narrow
 * valleys, and now and then downhill first. */
static PfStatus look(PfSeek *s)
{
  static const double longest[] = {0.1, 1, 0.3};
  const bool rest = s->p->kind == PF_EQUILIBRIA, free = !s->p->field->np && !s->p->field->nv;
  for (int t = 0; t < s->steady->starts && !is_full(s); t++) {
    if (pf_seek_is_spent(s)) {
      s->steady->starts = t;
      break;
    }
    int before = pf_diagnostic_count(s->ctx);
    bool found = false;
    const PfSeekStrategy strategy = {.deflated = true, .damped = rest && t%4 >= 2 && free,
                                     .longest = !t || rest ? longest[t%3] : 1};
    PfStatus start = choose_start(s, t);
    if (start == PF_OK && rest && t%5 == 4) start = descend(s);
    PF_TRY(pf_end_attempt(s->ctx, before, start));
    if (start == PF_OK) PF_TRY(pf_seek_solve(s, strategy, &found));
    if (found) PF_TRY(keep(s));
    else s->steady->failed++;
  }
  return PF_OK;
}

/* That of the nearest solution so far; infinite without one. */
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
      double half = radius*(1 + t%BOXES)/BOXES;
      bool found;
      pf_problem_use_chart(s->p, &s->chart);
      for (int i = 0; i < s->numbers; i++)
        s->other[i] = s->start[i] + half*(2*pf_halton(t + round*NEAR_STARTS, i) - 1);
      PF_TRY(pf_seek_solve_near(s, s->other, (PfSeekStrategy){.deflated = true, .longest = 0.25}, &found));
      if (found) PF_TRY(keep(s));
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

/* Typical size of the rates, and of all accelerations, away from solutions: the median of some starts, because near a
 * place where a chart fails rates have no limit. */
static PfStatus find_typical(PfSeek *s)
{
  enum { PROBES = 11 };
  double rates[PROBES], accelerations[PROBES];
  int count = 0, still = 0;
  for (int t = 0; t < PROBES; t++) {
    int before = pf_diagnostic_count(s->ctx);
    PfStatus status = choose_start(s, t);
    if (status == PF_OK) status = pf_problem_go(s->p, s->z, NAN, s->r);
    PF_TRY(pf_end_attempt(s->ctx, before, status));
    if (status != PF_OK || pf_first_not_finite(s->r, (size_t)s->p->equations) >= 0) continue;
    PF_TRY(pf_problem_rounding(s->p, s->noise));
    double rate = pf_largest(s->r, s->p->equations);
    still += rate <= pf_largest(s->noise, s->p->equations);
    insert(accelerations, count, pf_largest(s->p->field->motion.acceleration, s->p->field->n));
    insert(rates, count++, rate);
  }
  if (count) s->elsewhere = rates[count/2], s->median_acceleration = accelerations[count/2];
  s->idle = 2*still > count;
  return PF_OK;
}

/* ---------------------------------------------------------------- order */

/* The nearest first, of equally near ones by their coordinates, in the units of the field; numbers that differ by
 * rounding are equal. */
static bool comes_before(const PfSeek *s, const PfSteadyPoint *a, const PfSteadyPoint *b)
{
  if (a->distance != b->distance) return a->distance < b->distance;
  const int size = s->steady->size;
  for (int i = 0; i < size + s->p->field->n; i++) {
    const bool component = i < size;
    if (component ? s->steady->cyclic[i] : s->p->held[i - size]) continue;
    const double x = component ? a->x[i] : a->q[i - size], y = component ? b->x[i] : b->q[i - size];
    if (fabs(x - y) > 1e-7*(1 + fmax(fabs(x), fabs(y)))) return x < y;
  }
  return false;
}

/* In place, by insertion: equal ones keep their order. */
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

/* ---------------------------------------------------------------- where to look */

/* The box in which places are looked for: half a turn, or a unit and its own size, around the start. Velocities are
 * sought of steady motions only. Where units differ much, as those of metres and pascals, the size of a coordinate is
 * that of all starts in its unit, since of two pressures one may start at 0; where all do, the size that belongs to the
 * finest unit by the constraints. */
static void choose_box(PfSeek *s)
{
  const PfProblem *p = s->p;
  const PfDynamics *f = p->field;
  const PfCoordinate *c = f->model->coordinates;
  const double *unit = pf_solver_units(f->solver);
  for (int i = 0; i < s->numbers; i++) s->low[i] = s->high[i] = s->start[i], s->scale[i] = INFINITY;
  for (int j = 0; j < f->n; j++) {
    double size = fabs(s->start[j]), least = INFINITY;
    for (int i = 0; i < f->n && unit; i++) {
      if (!strcmp(c[i].unit, c[j].unit)) size = fmax(size, fabs(s->start[i]));
      least = fmin(least, unit[i]);
    }
    if (unit && !(size > 0)) size = unit[j]/least - 1;
    double width = pf_coordinate_is_angle(f->model, j) ? 3.141592653589793 : 2*(1 + size);
    if (!p->held[j]) s->low[j] -= width, s->high[j] += width;
  }
  for (int i = f->n; i < s->numbers && p->kind == PF_STEADY; i++) {
    double width = 5*(1 + fabs(s->start[i]));
    s->low[i] -= width, s->high[i] += width;
  }
}

/* Puts an interval of the user into the box, for the component of the state or the coordinate of its name. */
static PfStatus take_interval(PfSeek *s, const PfInterval *interval)
{
  const PfDynamics *f = s->p->field;
  const int n = f->n;
  int i = -1;
  for (int c = 0; c < s->steady->size && i < 0; c++)
    if (!strcmp(s->steady->names[c], interval->name)) i = component_number(s, c);
  for (int j = 0; j < n && i < 0; j++)
    if (!strcmp(f->model->coordinates[j].name, interval->name)) i = j;
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

/* All arrays of the search, and of its result, once. */
static PfStatus make_room(PfSeek *s)
{
  const PfDynamics *f = s->p->field;
  PfSteady *st = s->steady;
  const size_t n = (size_t)s->n, u = (size_t)s->numbers + n, field = (size_t)f->count, size = (size_t)s->p->size;
  PF_TRY(pf_arrays(s->ctx, s->arena, "steady motions", PF_ROOM(s->low, u), PF_ROOM(s->high, u), PF_ROOM(s->scale, u),
                   PF_ROOM(s->weight, u), PF_ROOM(s->u, u), PF_ROOM(s->start, u), PF_ROOM(s->other, u),
                   PF_ROOM(s->lifted, u), PF_ROOM(s->r, u), PF_ROOM(s->noise, u), PF_ROOM(s->from, u),
                   PF_ROOM(s->aim, u), PF_ROOM(s->tangent, u), PF_ROOM(s->room, u), PF_ROOM(s->seed, field),
                   PF_ROOM(s->last, field), PF_ROOM(s->spot, field), PF_ROOM(s->backup, field),
                   PF_ROOM(s->walked, field), PF_ROOM(s->met, field), PF_ROOM(s->z, n), PF_ROOM(s->last_z, n),
                   PF_ROOM(s->before, n), PF_ROOM(s->step, n)));
  PF_TRY(pf_arrays(s->ctx, s->arena, "steady motions", PF_ROOM2(s->J, u, n), PF_ROOM2(s->planes, n, n),
                   PF_ROOM(s->kernel, 2*n*n + n), PF_ROOM(s->curves, MOST_POINTS), PF_ROOM(s->lines, 2*n*u),
                   PF_ROOM2(s->tangents, n, u), PF_ROOM2(s->met_tangents, n, u), PF_ROOM(s->known, MOST_POINTS*u)));
  PF_TRY(pf_arrays(s->ctx, s->arena, "steady motions", PF_ROOM(st->names, size), PF_ROOM(st->cyclic, size),
                   PF_ROOM(st->low, size), PF_ROOM(st->high, size), PF_ROOM(st->q_low, f->n),
                   PF_ROOM(st->q_high, f->n), PF_ROOM(st->points, MOST_POINTS)));
  memcpy(st->cyclic, s->p->cyclic, size*sizeof *st->cyclic);
  for (size_t c = 0; c < size; c++) st->names[c] = pf_dynamics_name(f, s->arena, (int)c);
  PF_TRY(pf_dynamics_keep_chart(f, s->arena, &s->chart));
  return pf_qr_make(s->ctx, s->arena, s->numbers + s->n, s->n, &s->qr);
}

/* ---------------------------------------------------------------- all */

/* list[i] *= by[i] */
static void multiply(double *list, const double *by, int count)
{
  for (int i = 0; i < count; i++) list[i] *= by[i];
}

/* The search in its box: states of rest first, every one of which is a steady motion, too (`rest`, found by their fewer
 * unknowns), then all starts, then around the start. The field is back at its base then. */
static PfStatus search(PfSeek *s, const PfSteady *rest)
{
  const PfDynamics *f = s->p->field;
  PF_TRY(find_typical(s));
  for (int i = 0; i < rest->count && !is_full(s); i++) {
    bool found;
    pf_problem_use_chart(s->p, &s->chart);
    memcpy(s->aim, rest->points[i].q, (size_t)f->n*sizeof *s->aim);
    for (int j = 0; j < f->nw; j++) s->aim[f->n + j] = f->speeds ? 0 : rest->points[i].v[j];
    PF_TRY(pf_seek_solve_near(s, s->aim, (PfSeekStrategy){.longest = 0.1}, &found));
    if (found) PF_TRY(keep(s));
  }
  PF_TRY(look(s));
  PF_TRY(look_nearer(s));
  /* Lists the points by their distances in SI units, which are those that are shown. The order in which points
   * are found depends on the ways of Newton's method, and so do the last digits of distances: those that differ
   * by no more become the same, and coordinates decide. */
  const double last_digits = 1e-13;
  PfSteady *st = s->steady;
  PfSteadyPoint *points = st->points;
  pf_seek_remember(s, s->backup);
  for (int i = 0; i < st->count; i++) {
    place_of(s, points + i, s->room);
    pf_seek_subtract(s, s->room, s->start, s->other);
    for (int k = 0; k < s->numbers; k++) s->other[k] *= unit_of(s, k);
    points[i].distance = pf_norm(s->other, s->numbers);
  }
  memcpy(s->p->field->full, s->backup, pf_seek_bytes(s));
  sort_points(s);
  for (int i = 1; i < st->count; i++)
    if (points[i].distance <= points[i - 1].distance*(1 + last_digits)) points[i].distance = points[i - 1].distance;
  sort_points(s);
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
  /* Puts the intervals of the user into the search box, and derives scales and weights from its widths. */
  PfSteady *st = s->steady;
  int n = s->p->field->n;
  for (int i = 0; i < options->interval_count; i++) PF_TRY(take_interval(s, options->intervals + i));
  for (int i = 0; i < s->numbers; i++)
    if (s->high[i] > s->low[i]) s->scale[i] = 0.5*(s->high[i] - s->low[i]);
  for (int k = 0; k < s->n; k++) /* a number that an interval of no width holds is an unknown all the same */
    if (!isfinite(pf_seek_scale(s, k))) s->scale[pf_seek_number(s, k)] = 1e-300;
  for (int j = 0; j < n; j++) s->weight[j] = isfinite(s->scale[j]) ? 1 : 0;
  for (int c = 0; c < st->size; c++) {
    st->low[c] = s->low[component_number(s, c)];
    st->high[c] = s->high[component_number(s, c)];
  }
  memcpy(st->q_low, s->low, (size_t)n*sizeof *s->low);
  memcpy(st->q_high, s->high, (size_t)n*sizeof *s->high);
  PfStatus status = pf_surfaces_make(p->field, s->arena, &s->surfaces);
  if (status == PF_OK) status = search(s, rest);
  pf_surfaces_free(&s->surfaces);
  return status;
}

/* Intervals of the unknowns at rest: coordinates that are not cyclic there. */
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
  pf_diagnostics_truncate(p->ctx, before);
  f->held = p->held;
  memcpy(f->full, p->home, (size_t)f->count*sizeof *p->home);
  pf_problem_use_chart(p, &chart);
  return pf_dynamics_go(f, p->base);
}

/* For steady motions the states of rest are found first. Results are converted to SI units where the field has units of
 * its own. The field is back at the base of the problem then. */
PfStatus pf_steady_search(PfContext *ctx, PfArena *arena, PfProblem *p, const PfSteadyOptions *options,
                          PfSteady *steady)
{
  PfSteady rest = {0};
  PfSeek s = {.ctx = ctx, .arena = arena, .p = p, .steady = steady};
  if (p->kind == PF_STEADY) PF_TRY(find_rest(arena, p, options, &rest));
  PF_TRY(search_all(&s, options, &rest));
  if (p->field->in_units) {
    /* All but the distances, from the units of the field to SI units. */
    PfSteady *st = s.steady;
    double *unit = s.lifted;
    if (st->count) st->radius = st->points[0].distance;
    for (int c = 0; c < st->size; c++) unit[c] = unit_of(&s, component_number(&s, c));
    for (int i = 0; i < st->count; i++) {
      PfSteadyPoint *point = st->points + i;
      const int size = s.steady->size;
      const double *units = s.p->field->unit_q;
      multiply(point->x, unit, size);
      multiply(point->q, units, s.p->field->n);
      multiply(point->v, units, s.p->field->n);
      for (int d = 0; d < point->family; d++) {
        multiply(point->directions + (size_t)d*(size_t)size, unit, size);
        for (int c = 0; c < size && point->free[d] < size; c++)
          point->directions[d*size + c] /= unit[point->free[d]]; /* which still changes by 1 */
      }
    }
    multiply(st->low, unit, st->size);
    multiply(st->high, unit, st->size);
    multiply(st->q_low, s.p->field->unit_q, s.p->field->n);
    multiply(st->q_high, s.p->field->unit_q, s.p->field->n);
  }
  return PF_OK;
}

/* In the units of the field, at the place where it is. */
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

/* Coordinates and velocities of the solution are written into `values`, and the field is placed there. Not found is a
 * failure here, with the number of starts in words. */
PfStatus pf_steady_nearest(PfContext *ctx, PfArena *arena, PfDynamics *field, PfSteadyKind kind, double *values,
                           PfSteady *found)
{
  const PfSymbols *in = pf_system_symbols(field->system);
  const size_t n = (size_t)field->n;
  PfStatus status = pf_steady_find(ctx, arena, field, &(PfSteadyOptions){.kind = kind}, found);
  if (status != PF_OK) return *found = (PfSteady){0}, status;
  if (!found->count)
    return pf_fail(ctx, PF_ERR_NUMBER, "no %s was found near the start, from %d places",
                   kind == PF_EQUILIBRIA ? "equilibrium" : "steady motion", found->starts);
  memcpy(values + in->q, found->points->q, n*sizeof *values);
  memcpy(values + in->v, found->points->v, n*sizeof *values);
  return pf_dynamics_place(field, values);
}
