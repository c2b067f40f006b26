/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* An indicator is compared with the cubic that its values and slopes at both ends of an interval give: where the cubic
 * differs from g between them, g is not resolved yet and the interval is divided. In an interval that is resolved g has
 * a zero where its sign changes, or where it goes towards zero at the beginning and away from it at the end and its
 * extremum lies beyond zero. Zeros of functions of time alone are sought ahead of the steps, so that a step ends there
 * exactly. */
#include "pf_crossings.h"
#include "pf_runge_kutta.h"

#ifndef PF_SINGLE

PF_RUNTIME void pf_indicators_place(PfIndicators *s, double *reals, bool *bools)
{
  double **const places[] = {&s->value, &s->size, &s->samples, &s->when, &s->truth, &s->holds, &s->memory,
                             &s->memory_t};
  const int memory = s->by_forces ? PF_INDICATOR_MEMORY : 0;
  const int amount[] = {s->count, 2*s->count, 6*s->count, s->count, s->comparison_count, s->condition_count,
                        memory*s->count, memory};
  for (size_t k = 0; k < sizeof amount/sizeof *amount; k++) *places[k] = reals, reals += amount[k];
  s->met = bools;
  s->released = bools + s->surface_count;
}

/* ---------------------------------------------------------------- values */

/* One indicator along the step. */
typedef struct PfIndicatorCurve {
  PfIndicators *set;
  int item;
} PfIndicatorCurve;

/* All g with forces at a time inside the last step, from memory where another g was sought at the same time: with many
 * sticking contacts, each is sought at the same times, and the forces of all of them take long to find. */
static const double *pf_crossing_remember(PfIndicators *s, double t)
{
  for (int k = 0; k < s->remembered; k++)
    if (s->memory_t[k] == t) return s->memory + (size_t)k*(size_t)s->count;
  const int k = s->remembered < PF_INDICATOR_MEMORY ? s->remembered++ : s->forgotten++%PF_INDICATOR_MEMORY;
  double *g = s->memory + (size_t)k*(size_t)s->count;
  s->memory_t[k] = t;
  if (!s->calls->inside(s->user, t, true, g))
    for (int i = 0; i < s->count; i++) g[i] = NAN;
  return g;
}

/* One g along the step, or along time when it depends on nothing else. */
static double pf_crossing_value(const PfIndicatorCurve *c, double t)
{
  PfIndicators *s = c->set;
  if (s->at[c->item].by_forces) return pf_crossing_remember(s, t)[c->item];
  if (s->at[c->item].timed) s->calls->timed(s->user, t, s->value);
  else (void)s->calls->inside(s->user, t, false, s->value);
  return s->value[c->item];
}

static int pf_crossing_function(void *user, double t, double *value)
{
  *value = pf_crossing_value(user, t);
  return 0;
}

/* Size of rounding in g, at the state where the sizes were computed. Quantities that constraints and sticking keep at a
 * value have it up to the projection, or with some methods up to the tolerance: the residual must not decide a
 * comparison with that value. */
static double pf_crossing_noise_here(const PfIndicators *s, int i)
{
  const bool compared = s->at[i].kind == PF_INDICATOR_COMPARISON;
  const double each = 1e-4*s->atol + (compared ? s->constraint_residual : 0);
  return 1e-13*s->size[2*i] + each*s->size[2*i + 1];
}

/* The same at the state that was evaluated last: a change of sign within it does not count. */
static double pf_crossing_noise(PfIndicators *s, int i)
{
  s->calls->sizes(s->user, s->size);
  return fmax(pf_crossing_noise_here(s, i), s->at[i].slack);
}

/* ---------------------------------------------------------------- a change of sign in an interval */

/* A point of the curve: time, value and slope. */
typedef struct PfIndicatorPoint {
  double t, g, slope;
} PfIndicatorPoint;

static PfIndicatorPoint pf_crossing_point(const PfIndicatorCurve *c, double t, double small)
{
  PfIndicatorPoint p = {.t = t};
  p.g = pf_crossing_value(c, t);
  p.slope = (pf_crossing_value(c, t + small) - p.g)/small;
  return p;
}

static double pf_crossing_root(const PfIndicatorCurve *c, double a, double ga, double b, double gb)
{
  PfIndicatorCurve curve = *c;
  double x;
  if (ga == 0) return a;
  return pf_root(pf_crossing_function, &curve, a, ga, b, gb, &x) == 0 ? x : b;
}

typedef struct PfIndicatorSlope {
  const PfIndicatorCurve *c;
  double sign; /* of the slope before the extremum */
} PfIndicatorSlope;

static bool pf_crossing_is_before_extremum(void *user, double t, double width)
{
  const PfIndicatorSlope *s = user;
  const double small = 1e-3*width;
  return (pf_crossing_value(s->c, t + small) - pf_crossing_value(s->c, t - small))*s->sign > 0;
}

/* The extremum between two points of opposite slopes. */
static double pf_crossing_extremum(const PfIndicatorCurve *c, PfIndicatorPoint a, PfIndicatorPoint b)
{
  PfIndicatorSlope slope = {c, a.slope};
  double left = a.t, right = b.t;
  pf_bisect(pf_crossing_is_before_extremum, &slope, &left, &right, 1e-9*(b.t - a.t));
  return 0.5*(left + right);
}

/* The change of sign between two points, of which b lies beyond it. From a point on the surface: the latest point
 * between it and b that is on the side is sought first, so that the zero comes after it. */
static double pf_crossing_between(const PfIndicatorCurve *c, PfIndicatorPoint a, PfIndicatorPoint b, double side,
                                  double noise)
{
  enum { HALVES = 23 }; /* down to 1e-7 of the interval */
  double h = b.t - a.t;
  if (side*a.g > noise) return pf_crossing_root(c, a.t, a.g, b.t, b.g);
  for (int k = 0; k < HALVES; k++) {
    h *= 0.5;
    const double g = pf_crossing_value(c, a.t + h);
    if (side*g > noise) return pf_crossing_root(c, a.t + h, g, b.t, b.g);
  }
  return a.t;
}

/* In an interval that is resolved: where side*g falls below -noise. NaN: nowhere. */
static double pf_crossing_in(const PfIndicatorCurve *c, PfIndicatorPoint a, PfIndicatorPoint b, double side,
                             double noise)
{
  if (side*b.g < -noise) return pf_crossing_between(c, a, b, side, noise);
  if (!(side*a.slope < 0 && side*b.slope > 0)) return NAN;
  PfIndicatorPoint least = {.t = pf_crossing_extremum(c, a, b)};
  least.g = pf_crossing_value(c, least.t);
  return side*least.g < -noise ? pf_crossing_between(c, a, least, side, noise) : (double)NAN;
}

/* The cubic through both points, and its slope. */
static PfIndicatorPoint pf_crossing_cubic(PfIndicatorPoint a, PfIndicatorPoint b, double t)
{
  const double h = b.t - a.t, x = (t - a.t)/h, z = 1 - x;
  PfIndicatorPoint p = {.t = t};
  pf_rk_hermite(x, h, 1, &a.g, &a.slope, &b.g, &b.slope, &p.g);
  p.slope = 6*x*z*(b.g - a.g)/h + (1 - 4*x + 3*x*x)*a.slope + (3*x*x - 2*x)*b.slope;
  return p;
}

static double pf_crossing_size(PfIndicatorPoint a, PfIndicatorPoint m, PfIndicatorPoint b)
{
  return fmax(fmax(fabs(a.g), fabs(b.g)), fabs(m.g));
}

/* Is g between a and b what its ends say it is? Value and slope at one point, and the value at another one, are looked
 * at: a function that swings many times in between would have to agree by chance with all three. Slopes that could not
 * bring g to zero within the interval need not agree: of a g that hardly changes they are rounding. */
static bool pf_crossing_is_resolved(const PfIndicatorCurve *c, PfIndicatorPoint a, PfIndicatorPoint m,
                                    PfIndicatorPoint b)
{
  const double h = b.t - a.t, size = pf_crossing_size(a, m, b);
  const double steepest = fmax(fmax(fabs(a.slope), fabs(b.slope)), fabs(m.slope));
  const PfIndicatorPoint guess = pf_crossing_cubic(a, b, m.t);
  const double bound = fmax(0.3*steepest, 0.05*size/h);
  if (steepest*h > 20*size || fabs(guess.g - m.g) > 0.05*size || fabs(guess.slope - m.slope) > bound) return false;
  const double other = a.t + 0.7863*h;
  return fabs(pf_crossing_cubic(m, b, other).g - pf_crossing_value(c, other)) <= 0.05*size;
}

/* Divided as often as it may be, and still it swings: changes of sign may be missed. (Not where g itself jumps, or is
 * rounding.) */
static void pf_crossing_note_skipped(const PfIndicatorCurve *c, double size, double t, double noise)
{
  const PfIndicators *s = c->set;
  const PfIndicator *item = s->at + c->item;
  const double most = 1e3*noise + 1e-12*fabs(s->size[2*c->item]);
  if (!s->calls->skipped || item->timed || item->jumps || item->by_forces || !(size > most)) return;
  s->calls->skipped(s->user, c->item, t);
}

/* The first change of sign between a and b; NaN: there is none. The interval is divided `depth` times at most. */
static double pf_crossing_first(const PfIndicatorCurve *c, PfIndicatorPoint a, PfIndicatorPoint b, double side,
                                double noise, int depth)
{
  const double h = b.t - a.t, middle = a.t + 0.4641*h; /* not at the half: periodic functions repeat themselves there */
  if (!(h > 16*DBL_EPSILON*fmax(fabs(a.t), fabs(b.t)))) return side*b.g < -noise ? b.t : (double)NAN;
  const PfIndicatorPoint m = pf_crossing_point(c, middle, 1e-6*h);
  const bool resolved = isnan(m.g) || pf_crossing_is_resolved(c, a, m, b);
  if (depth == 0 && !resolved) pf_crossing_note_skipped(c, pf_crossing_size(a, m, b), a.t, noise);
  if (depth == 0 || resolved) {
    const double t = pf_crossing_in(c, a, m, side, noise);
    return isnan(t) ? pf_crossing_in(c, m, b, side, noise) : t;
  }
  const double t = pf_crossing_first(c, a, m, side, noise, depth - 1);
  return isnan(t) ? pf_crossing_first(c, m, b, side, noise, depth - 1) : t;
}

/* ---------------------------------------------------------------- ahead: functions of time alone */

static double pf_crossing_next(PfIndicators *s, int i, double from)
{
  enum { DEPTH = 14 };
  const PfIndicatorCurve c = {s, i};
  const double end = s->horizon, side = s->at[i].side;
  if (!(end > from)) return INFINITY;
  if (s->at[i].linear) {
    const double origin = pf_crossing_value(&c, 0), slope = pf_crossing_value(&c, 1) - origin, t = -origin/slope;
    return side*slope < 0 && t > from && t <= end ? t : side*slope < 0 && t <= from ? from : (double)INFINITY;
  }
  double length = s->at[i].gap > 0 ? 2*s->at[i].gap : (end - from)/64, t = from;
  while (t < end) { /* not too far at once: see pf_crossing_is_resolved */
    const double stop = fmin(t + length, end), small = 1e-7*(stop - t);
    const PfIndicatorPoint a = pf_crossing_point(&c, t, small), b = pf_crossing_point(&c, stop, -small);
    double found = pf_crossing_first(&c, a, b, side, 0, DEPTH);
    t = stop;
    length *= 1.5;
    if (isnan(found)) continue;
    s->at[i].gap = fmax(found - from, 1e-6*length);
    for (int k = 0; k < 8 && s->at[i].jumps && side*pf_crossing_value(&c, found) > 0; k++)
      found = nextafter(found, INFINITY);
    return found;
  }
  return INFINITY;
}

PF_RUNTIME double pf_indicators_next_instant(PfIndicators *s)
{
  if (s->known > s->t) return s->known;
  s->known = INFINITY;
  for (int i = 0; i < s->count; i++) {
    if (!s->at[i].timed) continue;
    const double t = pf_crossing_next(s, i, s->t);
    if (t < s->known) s->known = t, s->known_indicator = i;
  }
  return s->known;
}

/* ---------------------------------------------------------------- the start */

static int pf_crossing_first_condition(PfIndicators *s)
{
  s->calls->conditions(s->user, s->truth, s->holds);
  for (int i = 0; i < s->condition_count; i++)
    if (s->holds[i] != 0) return i;
  return -1;
}

/* A surface that sticks by the rows of others is left only where they do not keep it, by more than the tolerance. */
static void pf_crossing_begin_surface(const PfIndicators *s, int i)
{
  PfIndicator *item = s->at + i;
  const bool sticks = s->sticks[item->index];
  item->side = sticks ? 0 : s->mode[item->index];
  item->slack = sticks ? 100*s->atol*s->size[2*i + 1] : 2*fmax(0, -item->side*s->value[i]);
}

PF_RUNTIME int pf_indicators_begin(PfIndicators *s)
{
  (void)s->calls->inside(s->user, s->t, s->by_forces, s->value);
  s->calls->sizes(s->user, s->size);
  for (int i = 0; i < s->count; i++) {
    PfIndicator *item = s->at + i;
    const double g = fabs(s->value[i]) <= pf_crossing_noise_here(s, i) ? 0 : s->value[i];
    switch (item->kind) {
    case PF_INDICATOR_SURFACE: pf_crossing_begin_surface(s, i); break;
    case PF_INDICATOR_RELEASE: item->side = 1; break;
    case PF_INDICATOR_COMPARISON: /* a <= b holds at g = 0, a < b does not; the next change counts in both cases */
      item->side = g < 0 ? -1 : 1;
      s->truth[item->index] = item->equality ? g == 0 : item->or_equal ? g <= 0 : g < 0;
      break;
    }
  }
  s->known = -INFINITY;
  return pf_crossing_first_condition(s);
}

/* ---------------------------------------------------------------- after a step */

static bool pf_crossing_sample(PfIndicators *s)
{
  static const double at[6] = {0, 1e-6, 0.4641, 0.4641 + 1e-6, 1 - 1e-6, 1};
  const double h = s->t - s->t_old;
  for (int k = 0; k < 6; k++)
    if (!s->calls->inside(s->user, k == 5 ? s->t : s->t_old + at[k]*h, s->by_forces, s->samples + k*s->count))
      return false;
  return true;
}

/* Do the samples exclude a change of sign? For most steps the search ends here. */
static bool pf_crossing_is_far(const double *g, int count, double side, double h)
{
  const double small = 1e-6*h, first = g[0], last = g[5*count];
  const double down = (g[count] - first)/small, up = (last - g[4*count])/small;
  const double between = (g[3*count] - g[2*count])/small;
  const double least = fmin(fmin(side*first, side*last), side*g[2*count]);
  return least > h*fmax(fabs(between), fmax(fabs(down), fabs(up)));
}

/* Where something sticks, forces may change much while the state hardly does and steps are long: finer sampling. */
static double pf_crossing_release(const PfIndicatorCurve *c, PfIndicatorPoint a, PfIndicatorPoint z, double side)
{
  enum { PIECES = 8, DEPTH = 9 };
  const double h = (z.t - a.t)/PIECES;
  for (int k = 1; k <= PIECES; k++) {
    const PfIndicatorPoint b = k == PIECES ? z : pf_crossing_point(c, a.t + h, 1e-6*h);
    const double t = pf_crossing_first(c, a, b, side, 0, DEPTH);
    if (!isnan(t)) return t;
    a = b;
  }
  return NAN;
}

typedef struct PfIndicatorRest {
  const PfIndicatorCurve *c;
  double noise;
} PfIndicatorRest;

static bool pf_crossing_is_at_rest(void *user, double t, double width)
{
  const PfIndicatorRest *rest = user;
  (void)width;
  return !(fabs(pf_crossing_value(rest->c, t)) > rest->noise);
}

/* A surface on which the motion rests: where it departs from it. */
static double pf_crossing_departure(const PfIndicatorCurve *c, double from, double noise)
{
  const PfIndicators *s = c->set;
  PfIndicatorRest rest = {c, noise};
  double a = from, b = s->t;
  if (pf_crossing_is_at_rest(&rest, b, 0)) b = from + 0.4641*(s->t - from);
  if (pf_crossing_is_at_rest(&rest, b, 0)) return NAN;
  pf_bisect(pf_crossing_is_at_rest, &rest, &a, &b, 4*DBL_EPSILON*fmax(fabs(a), fabs(b)));
  return b;
}

/* The first change of indicator i in the step after `from`; NaN: it has none. */
static double pf_crossing_change(PfIndicators *s, int i, double from)
{
  enum { DEPTH = 12 };
  const double *g = s->samples + i;
  const int n = s->count;
  const double h = s->t - s->t_old, small = 1e-6*h, side = s->at[i].side;
  const bool closer = s->at[i].kind == PF_INDICATOR_RELEASE && h > 0.01*(s->horizon - s->begun);
  if (from <= s->t_old && !closer && side != 0 && pf_crossing_is_far(g, n, side, h)) return NAN;
  const PfIndicatorCurve c = {s, i};
  const PfIndicatorPoint a = {s->t_old, g[0], (g[n] - g[0])/small}, z = {s->t, g[5*n], (g[5*n] - g[4*n])/small};
  const PfIndicatorPoint m = {s->t_old + 0.4641*h, g[2*n], (g[3*n] - g[2*n])/small};
  const double noise = pf_crossing_noise(s, i);
  if (side == 0) return pf_crossing_departure(&c, from, noise);
  if (from > s->t_old)
    return pf_crossing_first(&c, pf_crossing_point(&c, from, 1e-6*(s->t - from)), z, side, noise, DEPTH);
  if (closer) return pf_crossing_release(&c, a, z, side);
  const double t = pf_crossing_first(&c, a, m, side, noise, DEPTH);
  return isnan(t) ? pf_crossing_first(&c, m, z, side, noise, DEPTH) : t;
}

/* Indicator i changes its sign: sets the consequences in the crossing. */
static void pf_crossing_happen(PfIndicators *s, int i, PfCrossing *crossing)
{
  PfIndicator *item = s->at + i;
  switch (item->kind) {
  case PF_INDICATOR_SURFACE:
    s->met[item->index] = true;
    crossing->kind = PF_CROSSING_SWITCH;
    break;
  case PF_INDICATOR_RELEASE:
    s->released[item->index] = true;
    crossing->kind = PF_CROSSING_SWITCH;
    break;
  case PF_INDICATOR_COMPARISON:
    item->side = -item->side;
    s->truth[item->index] = item->equality ? 1 : item->side < 0;
    break;
  }
}

/* After comparisons have changed: does a condition hold now? Equalities hold for this instant only. */
static void pf_crossing_check_conditions(PfIndicators *s, PfCrossing *crossing)
{
  crossing->condition = pf_crossing_first_condition(s);
  if (crossing->condition >= 0) crossing->kind = PF_CROSSING_CONDITION;
  for (int i = 0; i < s->count; i++)
    if (s->at[i].kind == PF_INDICATOR_COMPARISON && s->at[i].equality) s->truth[s->at[i].index] = 0;
}

static PfCrossing pf_crossing_none(PfIndicators *s)
{
  const PfCrossing none = {.t = s->t, .condition = -1};
  for (int k = 0; k < s->surface_count; k++) s->met[k] = s->released[k] = false;
  return none;
}

/* Something comes to rest at a switch, and a comparison with its velocity changes there: inside a step constraints hold
 * within the tolerance only, so that the comparison may seem to change just before. Where it has not gone further than
 * that at the switch, where forces change and the step ends in any case, the state after the switch decides. */
static void pf_crossing_leave_to_switch(PfIndicators *s)
{
  double t = INFINITY;
  for (int i = 0; i < s->count; i++)
    if (s->at[i].kind != PF_INDICATOR_COMPARISON && s->when[i] < t) t = s->when[i];
  if (!(t < INFINITY) || !(s->constraint_residual > 0)) return;
  for (int i = 0; i < s->count; i++) {
    if (s->at[i].kind != PF_INDICATOR_COMPARISON || !(s->when[i] <= t)) continue;
    const PfIndicatorCurve c = {s, i};
    const double g = pf_crossing_value(&c, t), noise = pf_crossing_noise(s, i);
    if (fabs(g) <= noise + 10*s->atol*s->size[2*i + 1]) s->when[i] = NAN;
  }
}

/* Everything that changes first after `from`, all that does at the same instant. */
static bool pf_crossing_find_first(PfIndicators *s, double from, PfCrossing *crossing)
{
  double first = INFINITY;
  for (int i = 0; i < s->count; i++) s->when[i] = s->at[i].timed ? (double)NAN : pf_crossing_change(s, i, from);
  pf_crossing_leave_to_switch(s);
  for (int i = 0; i < s->count; i++)
    if (s->when[i] < first) first = s->when[i];
  if (!(first < INFINITY)) return false;
  crossing->t = first;
  return true;
}

PF_RUNTIME PfCrossing pf_indicators_cross(PfIndicators *s)
{
  PfCrossing crossing = pf_crossing_none(s);
  double from = s->t_old;
  s->remembered = s->forgotten = 0;
  if (s->by_state && pf_crossing_sample(s)) {
    while (pf_crossing_find_first(s, from, &crossing)) {
      const double near = 4*DBL_EPSILON*fmax(fabs(crossing.t), fabs(s->t));
      for (int i = 0; i < s->count; i++)
        if (!s->at[i].timed && s->when[i] <= crossing.t + near) pf_crossing_happen(s, i, &crossing);
      if (crossing.kind == PF_CROSSING_NONE) pf_crossing_check_conditions(s, &crossing);
      if (crossing.kind != PF_CROSSING_NONE) return crossing;
      from = crossing.t + near;
      if (from >= s->t) break;
    }
  }
  crossing.t = s->t;
  if (s->known > s->t) return crossing;
  for (int i = 0; i < s->count; i++)
    if (s->at[i].timed && (i == s->known_indicator || pf_crossing_next(s, i, s->t_old) <= s->t))
      pf_crossing_happen(s, i, &crossing);
  if (crossing.kind == PF_CROSSING_NONE) pf_crossing_check_conditions(s, &crossing);
  s->known = -INFINITY;
  return crossing;
}

PF_RUNTIME bool pf_indicators_meet(PfIndicators *s, const double *now, const double *ahead, double small, double most,
                                   PfCrossing *crossing)
{
  double nearest = most;
  int which = -1;
  *crossing = pf_crossing_none(s);
  for (int i = 0; i < s->count; i++) {
    if (s->at[i].kind != PF_INDICATOR_SURFACE || s->at[i].timed) continue;
    const double distance = now[i]*small/(now[i] - ahead[i]);
    if (distance >= 0 && distance <= nearest) nearest = distance, which = i;
  }
  if (which < 0) return false;
  crossing->t = s->t + nearest;
  pf_crossing_happen(s, which, crossing);
  return true;
}

#endif
