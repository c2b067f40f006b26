/* SPDX-License-Identifier: Apache-2.0 */
/* Where a step has to end. Every surface and every comparison of a condition is a function of time along the step, g(t)
 * = g(t, y(t)), whose first change of sign is sought. It is compared with the cubic that its values and slopes at both
 * ends give: where this differs from what g is between them, g is not resolved yet and the interval is divided. In an
 * interval that is resolved g has a zero where its sign changes, or where it goes towards zero at the beginning and
 * away from it at the end and its extremum lies beyond zero. What depends on time alone is sought ahead of the steps,
 * so that a step ends there exactly. */
#include "time/breaks_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- values */

/* The inputs of the tape: accelerations, when something depends on them, are those that were found last. */
static const double *inputs(const PfMotionRun *run, PfBreaks *b)
{
  size_t count = (size_t)run->symbols->count, n = (size_t)run->n;
  if (!b->in) return run->flow.values;
  memcpy(b->in, run->flow.values, count*sizeof *b->in);
  memcpy(b->in + count, b->dy + n, n*sizeof *b->in);
  return b->in;
}

/* Evaluates all g at (t, y); with forces for those that depend on them, when wanted. False where these cannot be
 * found. */
static bool evaluate(PfMotionRun *run, PfBreaks *b, double t, const double *y, bool by_forces, double *out)
{
  run->flow.values[run->symbols->time] = t;
  memcpy(run->flow.values + run->symbols->q, y, 2*(size_t)run->n*sizeof *y);
  if (by_forces) {
    bool good = pf_flow(run, t, y, b->dy);
    run->result.evaluations--; /* not work of the method */
    if (!good) return false;
    memcpy(run->flow.values + run->symbols->lambda, run->flow.multiplier, (size_t)run->m*sizeof *run->flow.values);
  }
  pf_tape_run(b->tape, inputs(run, b), out, b->work);
  return true;
}

/* Evaluates all g at a time inside the last step. */
static bool evaluate_inside(PfMotionRun *run, PfBreaks *b, double t, bool by_forces, double *out)
{
  if (t >= run->state.t) return evaluate(run, b, run->state.t, run->state.y, by_forces, out);
  if (t <= run->state.t_old) return evaluate(run, b, run->state.t_old, run->state.y_old, by_forces, out);
  pf_interpolate(run, t, b->y);
  return evaluate(run, b, t, b->y, by_forces, out);
}

/* All g with multipliers at a time inside the last step, from memory where another g was sought at the same time: with
 * many joints that stick, each is sought at the same times, and the forces of all of them take long to find. */
static const double *remember_inside(PfMotionRun *run, PfBreaks *b, double t)
{
  for (int k = 0; k < b->remembered; k++)
    if (b->memory_t[k] == t) return b->memory + (size_t)k*(size_t)b->count;
  int k = b->remembered < MEMORY_ROOM ? b->remembered++ : b->forgotten++%MEMORY_ROOM;
  double *out = b->memory + (size_t)k*(size_t)b->count;
  b->memory_t[k] = t;
  if (!evaluate_inside(run, b, t, true, out))
    for (int i = 0; i < b->count; i++) out[i] = NAN;
  return out;
}

typedef struct Course {
  PfMotionRun *run;
  PfBreaks *b;
  int item;
} Course;

static void evaluate_timed(PfMotionRun *run, PfBreaks *b, double t)
{
  run->flow.values[run->symbols->time] = t;
  pf_tape_run(b->tape, inputs(run, b), b->value, b->work);
}

/* One g along the step, or along time when it depends on nothing else. */
static double value_at(const Course *c, double t)
{
  PfBreaks *b = c->b;
  if (b->at[c->item].by_forces) return remember_inside(c->run, b, t)[c->item];
  if (b->at[c->item].timed) evaluate_timed(c->run, b, t);
  else (void)evaluate_inside(c->run, b, t, false, b->value);
  return b->value[c->item];
}

static PfStatus value_for_root(void *user, double t, double *value)
{
  *value = value_at(user, t);
  return PF_OK;
}

/* ---------------------------------------------------------------- a change of sign in an interval */

/* A point of the course: time, value and slope. */
typedef struct Point {
  double t, g, slope;
} Point;

static Point point_at(const Course *c, double t, double small)
{
  double g = value_at(c, t);
  return (Point){t, g, (value_at(c, t + small) - g)/small};
}

static double root_between(const Course *c, double a, double ga, double b, double gb)
{
  double x;
  if (ga == 0) return a;
  return pf_root(value_for_root, (void *)c, a, ga, b, gb, &x) == PF_OK ? x : b;
}

typedef struct Slope {
  const Course *c;
  double sign; /* of the slope before the extremum */
} Slope;

static bool is_before_extremum(void *user, double t, double width)
{
  const Slope *s = user;
  double small = 1e-3*width;
  return (value_at(s->c, t + small) - value_at(s->c, t - small))*s->sign > 0;
}

/* The extremum between two points of opposite slopes. */
static double extremum(const Course *c, Point a, Point b)
{
  double left = a.t, right = b.t;
  pf_bisect(is_before_extremum, &(Slope){c, a.slope}, &left, &right, 1e-9*(b.t - a.t));
  return 0.5*(left + right);
}

/* From a point on the surface: the latest one between it and b that is on the side, so that the zero lies behind it. */
static double change_after(const Course *c, Point a, Point b, double side, double noise)
{
  enum { HALVES = 23 }; /* down to 1e-7 of the interval */
  double h = b.t - a.t;
  for (int k = 0; k < HALVES; k++) {
    h *= 0.5;
    double g = value_at(c, a.t + h);
    if (side*g > noise) return root_between(c, a.t + h, g, b.t, b.g);
  }
  return a.t;
}

static double change_between(const Course *c, Point a, Point b, double side, double noise)
{
  return side*a.g > noise ? root_between(c, a.t, a.g, b.t, b.g) : change_after(c, a, b, side, noise);
}

/* In an interval that is resolved: where side*g falls below -noise. NaN: nowhere. */
static double change_in(const Course *c, Point a, Point b, double side, double noise)
{
  if (side*b.g < -noise) return change_between(c, a, b, side, noise);
  if (!(side*a.slope < 0 && side*b.slope > 0)) return NAN;
  Point least = {.t = extremum(c, a, b)};
  least.g = value_at(c, least.t);
  return side*least.g < -noise ? change_between(c, a, least, side, noise) : NAN;
}

/* The cubic through both points, and its slope. */
static Point hermite(Point a, Point b, double t)
{
  double h = b.t - a.t, x = (t - a.t)/h, z = 1 - x;
  double g = (1 + 2*x)*z*z*a.g + x*z*z*h*a.slope + x*x*(3 - 2*x)*b.g - x*x*z*h*b.slope;
  double slope = 6*x*z*(b.g - a.g)/h + (1 - 4*x + 3*x*x)*a.slope + (3*x*x - 2*x)*b.slope;
  return (Point){t, g, slope};
}

/* Is g between a and b what its ends say it is? Value and slope at one point, and the value at another one, are looked
 * at: a function that swings many times in between would have to agree by chance with all three. Slopes that could not
 * bring g to zero within the interval need not agree: of a g that hardly changes they are rounding. */
static bool is_resolved(const Course *c, Point a, Point m, Point b)
{
  double h = b.t - a.t, size = fmax(fmax(fabs(a.g), fabs(b.g)), fabs(m.g));
  double steepest = fmax(fmax(fabs(a.slope), fabs(b.slope)), fabs(m.slope));
  Point guess = hermite(a, b, m.t);
  double bend = fmax(0.3*steepest, 0.05*size/h);
  if (steepest*h > 20*size || fabs(guess.g - m.g) > 0.05*size || fabs(guess.slope - m.slope) > bend) return false;
  double other = a.t + 0.7863*h;
  return fabs(hermite(m, b, other).g - value_at(c, other)) <= 0.05*size;
}

/* Divided as often as it may be, and still it swings: changes of sign may be missed. (Not where g itself jumps, or is
 * rounding.) */
static void tell_skipped(const Course *c, Point a, Point m, Point b, double noise)
{
  const Break *item = c->b->at + c->item;
  PfPhaseRun *phase = c->b->phase;
  double size = fmax(fmax(fabs(a.g), fabs(b.g)), fabs(m.g)), most = 1e3*noise + 1e-12*fabs(c->b->size[2*c->item]);
  if (phase->warned_of_skips || item->timed || item->jumps || item->by_forces || !(size > most)) return;
  phase->warned_of_skips = true;
  pf_warn_at(c->run->ctx, (PfPlace){0}, "'%s' changes its sign too often to be followed in a step, at t = %.6g: some "
             "changes may be missed", pf_expr_print(c->run->ctx, c->run->arena, c->b->g[c->item], PF_TEXT), a.t);
  pf_hint(c->run->ctx, "shorter steps follow it: { largest_step = … } after 'run', or --step");
}

static double first_change(const Course *c, Point a, Point b, double side, double noise, int depth)
{
  double h = b.t - a.t, middle = a.t + 0.4641*h; /* not at the half: periodic functions repeat themselves there */
  if (!(h > 16*DBL_EPSILON*fmax(fabs(a.t), fabs(b.t)))) return side*b.g < -noise ? b.t : NAN;
  Point m = point_at(c, middle, 1e-6*h);
  bool resolved = isnan(m.g) || is_resolved(c, a, m, b);
  if (depth == 0 && !resolved) tell_skipped(c, a, m, b, noise);
  if (depth == 0 || resolved) {
    double t = change_in(c, a, m, side, noise);
    return isnan(t) ? change_in(c, m, b, side, noise) : t;
  }
  double t = first_change(c, a, m, side, noise, depth - 1);
  return isnan(t) ? first_change(c, m, b, side, noise, depth - 1) : t;
}

/* ---------------------------------------------------------------- ahead: what depends on time alone */

static double next_of(PfMotionRun *run, PfBreaks *b, int i, double from)
{
  enum { DEPTH = 14 };
  Course c = {run, b, i};
  double end = b->phase->horizon, side = b->at[i].side;
  if (!(end > from)) return INFINITY;
  if (b->at[i].linear) {
    double origin = value_at(&c, 0), slope = value_at(&c, 1) - origin, t = -origin/slope;
    return side*slope < 0 && t > from && t <= end ? t : side*slope < 0 && t <= from ? from : INFINITY;
  }
  double length = b->at[i].gap > 0 ? 2*b->at[i].gap : (end - from)/64, t = from;
  while (t < end) { /* not too far at once: see is_resolved */
    double stop = fmin(t + length, end), small = 1e-7*(stop - t);
    double found = first_change(&c, point_at(&c, t, small), point_at(&c, stop, -small), side, 0, DEPTH);
    t = stop;
    length *= 1.5;
    if (isnan(found)) continue;
    b->at[i].gap = fmax(found - from, 1e-6*length);
    for (int k = 0; k < 8 && b->at[i].jumps && side*value_at(&c, found) > 0; k++) found = nextafter(found, INFINITY);
    return found;
  }
  return INFINITY;
}

double pf_breaks_next_instant(PfMotionRun *run, PfBreaks *b)
{
  if (b->known > run->state.t) return b->known;
  double keep = run->flow.values[run->symbols->time];
  b->known = INFINITY;
  for (int i = 0; i < b->count; i++) {
    if (!b->at[i].timed) continue;
    double t = next_of(run, b, i, run->state.t);
    if (t < b->known) b->known = t, b->known_break = i;
  }
  run->flow.values[run->symbols->time] = keep;
  return b->known;
}

/* ---------------------------------------------------------------- the start */

/* What constraints and sticking hold at a value is there up to the projection, or by some methods up to the tolerance:
 * a comparison with that value must not turn on the rest. */
static double rest_of_constraints(const PfMotionRun *run)
{
  return run->stepper.method->loose ? fmax(10*run->options.atol, 1e-13) : 1e-13;
}

/* Size of rounding in g, at the state where the sizes were computed. */
static double noise_at(const PfMotionRun *run, const PfBreaks *b, int i)
{
  bool held = run->m > 0 && b->at[i].kind == ATOM;
  double each = 1e-4*run->options.atol + (held ? rest_of_constraints(run) : 0);
  return 1e-13*b->size[2*i] + each*b->size[2*i + 1];
}

static double sign_of(double x)
{
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* A surface that sticks by the rows of others is left only where they do not hold it, by more than the tolerance. */
static void begin_surface(const PfMotionRun *run, const PfBreaks *b, int i)
{
  Break *item = b->at + i;
  const PfSides *s = b->phase->sides;
  item->side = s->stuck[item->index] ? 0 : s->side[item->index];
  item->slack = s->stuck[item->index] ? 100*run->options.atol*b->size[2*i + 1] : 2*fmax(0, -item->side*b->value[i]);
}

static void begin_item(const PfMotionRun *run, const PfBreaks *b, int i)
{
  Break *item = b->at + i;
  double g = fabs(b->value[i]) <= noise_at(run, b, i) ? 0 : b->value[i];
  switch (item->kind) {
  case SURFACE: begin_surface(run, b, i); break;
  case RELEASE: item->side = 1; break;
  case ATOM: /* a <= b holds at g = 0, a < b does not; the next change counts in both cases */
    item->side = sign_of(g);
    b->truth[item->index] = item->equality ? g == 0 : item->or_equal ? g <= 0 : g < 0;
    if (item->side == 0) item->side = 1;
    break;
  }
}

void pf_breaks_begin(PfMotionRun *run, PfBreaks *b)
{
  (void)evaluate(run, b, run->state.t, run->state.y, b->by_forces, b->value);
  pf_tape_run(b->sizes, run->flow.values, b->size, b->size_work);
  for (int i = 0; i < b->count; i++) begin_item(run, b, i);
  b->known = -INFINITY;
}

static int first_that_holds(const PfBreaks *b)
{
  pf_tape_run(b->conditions, b->truth, b->holds, b->conditions_work);
  for (int i = 0; i < b->phase->condition_count; i++)
    if (b->holds[i] != 0) return i;
  return -1;
}

int pf_breaks_holds(PfMotionRun *run, PfBreaks *b)
{
  pf_breaks_begin(run, b);
  return first_that_holds(b);
}

/* ---------------------------------------------------------------- after a step */

static const double sample_at[6] = {0, 1e-6, 0.4641, 0.4641 + 1e-6, 1 - 1e-6, 1};

static bool take_samples(PfMotionRun *run, PfBreaks *b)
{
  double h = run->state.t - run->state.t_old;
  for (int s = 0; s < 6; s++)
    if (!evaluate_inside(run, b, s == 5 ? run->state.t : run->state.t_old + sample_at[s]*h, b->by_forces,
                         b->samples + (size_t)s*(size_t)b->count))
      return false;
  return true;
}

/* Size of rounding in g: a change of sign within it does not count. */
static double noise_of(const PfMotionRun *run, const PfBreaks *b, int i)
{
  pf_tape_run(b->sizes, run->flow.values, b->size, b->size_work);
  return fmax(noise_at(run, b, i), b->at[i].slack);
}

/* Do the samples exclude a change of sign? For most steps the search ends here. */
static bool is_far(const double *g, int count, double side, double h)
{
  double small = 1e-6*h, first = g[0], last = g[5*count];
  double down = (g[count] - first)/small, up = (last - g[4*count])/small, between = (g[3*count] - g[2*count])/small;
  double least = fmin(fmin(side*first, side*last), side*g[2*count]);
  return least > h*fmax(fabs(between), fmax(fabs(down), fabs(up)));
}

/* Where something sticks, forces may change much while the state hardly does and steps are long: finer sampling. */
static double change_of_release(const Course *c, Point a, Point z, double side)
{
  enum { PIECES = 8, DEPTH = 9 };
  double h = (z.t - a.t)/PIECES;
  for (int k = 1; k <= PIECES; k++) {
    Point b = k == PIECES ? z : point_at(c, a.t + h, 1e-6*h);
    double t = first_change(c, a, b, side, 0, DEPTH);
    if (!isnan(t)) return t;
    a = b;
  }
  return NAN;
}

typedef struct Rest {
  const Course *c;
  double noise;
} Rest;

static bool is_at_rest(void *user, double t, double width)
{
  const Rest *rest = user;
  (void)width;
  return !(fabs(value_at(rest->c, t)) > rest->noise);
}

/* A surface on which the motion rests: where it departs from it. */
static double departure(const Course *c, double from, double noise)
{
  const PfMotionRun *run = c->run;
  Rest rest = {c, noise};
  double a = from, b = run->state.t;
  if (is_at_rest(&rest, b, 0)) b = from + 0.4641*(run->state.t - from);
  if (is_at_rest(&rest, b, 0)) return NAN;
  pf_bisect(is_at_rest, &rest, &a, &b, 4*DBL_EPSILON*fmax(fabs(a), fabs(b)));
  return b;
}

static double change_of(PfMotionRun *run, PfBreaks *b, int i, double from)
{
  enum { DEPTH = 12 };
  const double *g = b->samples + i;
  int n = b->count;
  double h = run->state.t - run->state.t_old, small = 1e-6*h, side = b->at[i].side;
  bool closer = b->at[i].kind == RELEASE && h > 0.01*(b->phase->horizon - b->begun);
  if (from <= run->state.t_old && !closer && side != 0 && is_far(g, n, side, h)) return NAN;
  Course c = {run, b, i};
  Point a = {run->state.t_old, g[0], (g[n] - g[0])/small},
        m = {run->state.t_old + 0.4641*h, g[2*n], (g[3*n] - g[2*n])/small};
  Point z = {run->state.t, g[5*n], (g[5*n] - g[4*n])/small};
  double noise = noise_of(run, b, i);
  if (side == 0) return departure(&c, from, noise);
  if (from > run->state.t_old)
    return first_change(&c, point_at(&c, from, 1e-6*(run->state.t - from)), z, side, noise, DEPTH);
  if (closer) return change_of_release(&c, a, z, side);
  double t = first_change(&c, a, m, side, noise, DEPTH);
  return isnan(t) ? first_change(&c, m, z, side, noise, DEPTH) : t;
}

/* The break i happens: what follows from it. */
static void happen(PfBreaks *b, int i, PfCut *cut)
{
  Break *item = b->at + i;
  switch (item->kind) {
  case SURFACE:
    b->met[item->index] = true;
    cut->kind = PF_CUT_SWITCH;
    break;
  case RELEASE:
    b->released[b->phase->stuck[item->index]] = true;
    cut->kind = PF_CUT_SWITCH;
    break;
  case ATOM:
    item->side = -item->side;
    b->truth[item->index] = item->equality ? 1 : item->side < 0;
    break;
  }
}

/* After comparisons have changed: does a condition hold now? Equalities hold for this instant only. */
static void look_at_conditions(PfBreaks *b, PfCut *cut)
{
  cut->condition = first_that_holds(b);
  if (cut->condition >= 0) cut->kind = PF_CUT_CONDITION;
  for (int i = 0; i < b->count; i++)
    if (b->at[i].kind == ATOM && b->at[i].equality) b->truth[b->at[i].index] = 0;
}

static PfCut no_cut(PfBreaks *b, double t)
{
  size_t count = b->phase->sides ? (size_t)b->phase->sides->count : 0;
  if (count) memset(b->met, 0, count*sizeof *b->met), memset(b->released, 0, count*sizeof *b->met);
  return (PfCut){.t = t, .condition = -1};
}

/* The first surface or release of those that were found, where forces change and the step ends in any case. */
static double first_switch(const PfBreaks *b)
{
  double first = INFINITY;
  for (int i = 0; i < b->count; i++)
    if (b->at[i].kind != ATOM && b->when[i] < first) first = b->when[i];
  return first;
}

/* Something comes to rest at a switch, and a comparison with its velocity changes there: inside a step constraints hold
 * within the tolerance only, so that the comparison may seem to change just before. Where it has not gone further than
 * that at the switch, the state after the switch decides. */
static void leave_to_switch(PfMotionRun *run, PfBreaks *b)
{
  double t = first_switch(b);
  if (!(t < INFINITY) || run->m == 0) return;
  for (int i = 0; i < b->count; i++) {
    if (b->at[i].kind != ATOM || !(b->when[i] <= t)) continue;
    double g = value_at(&(Course){run, b, i}, t), noise = noise_of(run, b, i);
    if (fabs(g) <= noise + 10*run->options.atol*b->size[2*i + 1]) b->when[i] = NAN;
  }
}

/* Everything that changes first after `from`, all that does at the same instant. */
static bool first_changes(PfMotionRun *run, PfBreaks *b, double from, PfCut *cut)
{
  double first = INFINITY;
  for (int i = 0; i < b->count; i++) b->when[i] = b->at[i].timed ? NAN : change_of(run, b, i, from);
  leave_to_switch(run, b);
  for (int i = 0; i < b->count; i++)
    if (b->when[i] < first) first = b->when[i];
  if (!(first < INFINITY)) return false;
  cut->t = first;
  return true;
}

PfCut pf_breaks_find(PfMotionRun *run, PfBreaks *b)
{
  PfCut cut = no_cut(b, run->state.t);
  double from = run->state.t_old;
  b->remembered = b->forgotten = 0;
  if (b->by_state && take_samples(run, b)) {
    while (first_changes(run, b, from, &cut)) {
      double near = 4*DBL_EPSILON*fmax(fabs(cut.t), fabs(run->state.t));
      for (int i = 0; i < b->count; i++)
        if (!b->at[i].timed && b->when[i] <= cut.t + near) happen(b, i, &cut);
      if (cut.kind == PF_CUT_NONE) look_at_conditions(b, &cut);
      if (cut.kind != PF_CUT_NONE) return cut;
      from = cut.t + near;
      if (from >= run->state.t) break;
    }
  }
  cut.t = run->state.t;
  if (b->known > run->state.t) return cut;
  for (int i = 0; i < b->count; i++)
    if (b->at[i].timed && (i == b->known_break || next_of(run, b, i, run->state.t_old) <= run->state.t))
      happen(b, i, &cut);
  if (cut.kind == PF_CUT_NONE) look_at_conditions(b, &cut);
  b->known = -INFINITY;
  return cut;
}

bool pf_breaks_nearest(PfMotionRun *run, PfBreaks *b, double most, PfCut *cut)
{
  *cut = no_cut(b, run->state.t);
  double nearest = most, small = 1e-3*most;
  int which = -1;
  if (!evaluate(run, b, run->state.t, run->state.y, b->by_forces, b->samples)) return false;
  for (int i = 0; i < 2*run->n; i++) b->y[i] = run->state.y[i] + small*run->state.dy[i];
  if (!evaluate(run, b, run->state.t + small, b->y, b->by_forces, b->value)) return false;
  for (int i = 0; i < b->count; i++) {
    if (b->at[i].kind != SURFACE || b->at[i].timed) continue;
    double distance = b->samples[i]*small/(b->samples[i] - b->value[i]);
    if (distance >= 0 && distance <= nearest) nearest = distance, which = i;
  }
  if (which < 0) return false;
  cut->t = run->state.t + nearest;
  happen(b, which, cut);
  return true;
}

const bool *pf_breaks_met(const PfBreaks *b)
{
  return b->met;
}

const bool *pf_breaks_released(const PfBreaks *b)
{
  return b->released;
}

bool pf_breaks_condition(const PfBreaks *b, int condition)
{
  return b->holds[condition] != 0;
}
