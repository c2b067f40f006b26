/* SPDX-License-Identifier: Apache-2.0 */
/* Phase portraits: curves of motions in a plane, all with the same values of chosen integrals. */
#include "study/course.h"
#include "study/problem.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 600, MOST_STEPS = 200000 };

typedef struct Draw {
  PfContext *ctx;
  PfArena *arena;
  PfDynamics *f;
  const PfPortraitOptions *o;
  PfPortrait *result;
  PfProblem problem;
  PfLevels levels;
  PfChartChoice chart;      /* in which the curves begin */
  bool moved;               /* it was left on the way */
  double *home;             /* all numbers where the field was */
  PfCourse flow;
  double *y, *start, *rate; /* workspace; beginning of the curve and x' there */
  double t0;
  int n;
} Draw;

/* Half a curve while it grows. */
typedef struct Half {
  int count;
  double *a, *b;
  double period;
  const char *end;
} Half;

/* ---------------------------------------------------------------- closed curves */

/* How far y lies past the plane across the motion at its beginning; cyclic components do not count. */
static double ahead(const Draw *d, const double *y)
{
  double sum = 0;
  for (int k = 0; k < d->n; k++)
    if (!d->problem.cyclic[k]) sum += d->rate[k]*(y[k] - d->start[k]);
  return sum;
}

static double away(const Draw *d, const double *y)
{
  double most = 0;
  for (int k = 0; k < d->n; k++)
    if (!d->problem.cyclic[k]) most = fmax(most, fabs(y[k] - d->start[k])/(1 + fabs(d->start[k])));
  return most;
}

static PfStatus ahead_at(void *user, double t, double *value)
{
  Draw *d = user;
  PF_TRY(pf_course_exactly_at(&d->flow, t, d->y));
  *value = ahead(d, d->y);
  return PF_OK;
}

/* When the last step passes the plane forwards near the beginning, the curve is closed. */
static PfStatus find_period(Draw *d, double *period)
{
  PfCourse *w = &d->flow;
  double before = ahead(d, w->y_old), after = ahead(d, w->y), t;
  *period = NAN;
  if (d->moved || !(before < 0) || !(after >= 0) || w->t_old <= d->t0) return PF_OK;
  memcpy(d->y, w->y, (size_t)d->n*sizeof *d->y);
  PF_TRY(pf_root(ahead_at, d, w->t_old, before, w->t, after, &t));
  if (away(d, d->y) < 1e-5) *period = t - d->t0;
  return PF_OK;
}

/* ---------------------------------------------------------------- one curve */

static PfStatus add_point(Draw *d, Half *half, const double *y, bool *outside)
{
  double value[2];
  PF_TRY(pf_dynamics_go(d->f, y));
  for (int k = 0; k < 2; k++) PF_TRY(pf_quantity_value(d->f, d->o->show[k], d->levels.outputs, value + k));
  half->a[half->count] = value[0], half->b[half->count++] = value[1];
  *outside = false;
  for (int k = 0; k < 2; k++) {
    double width = d->o->high[k] - d->o->low[k];
    *outside = *outside || value[k] > d->o->high[k] + 3*width || value[k] < d->o->low[k] - 3*width;
  }
  return PF_OK;
}

/* Samples of the last step at equal parts of the span, up to the time `last`; rounding does not hide the very end. */
static PfStatus sample(Draw *d, Half *half, double last, bool *outside)
{
  PfCourse *w = &d->flow;
  double least = 1e-12*d->o->span;
  while (half->count <= SAMPLES && !*outside) {
    double next = d->t0 + w->way*d->o->span*half->count/SAMPLES;
    if (w->way*(last - next) < -least) break;
    pf_course_at(w, next, d->y);
    PF_TRY(add_point(d, half, d->y, outside));
  }
  return PF_OK;
}

static PfStatus follow(Draw *d, double way, Half *half)
{
  PfCourse *w = &d->flow;
  double t_end = d->t0 + way*d->o->span;
  bool outside = false;
  *half = (Half){.period = NAN, .end = "end of the time", .a = pf_arena_array(d->arena, double, SAMPLES + 4),
                 .b = pf_arena_array(d->arena, double, SAMPLES + 4)};
  if (!half->a || !half->b) return pf_no_room(d->ctx, "the portrait");
  PF_TRY(pf_course_begin(w, way));
  PF_TRY(add_point(d, half, w->y, &outside));
  for (int k = 0; k < MOST_STEPS && way*(t_end - w->t) > 0 && !outside; k++) {
    int before = pf_diagnostic_count(d->ctx);
    PfStatus status = pf_course_step(w, t_end);
    if (status == PF_ERR_NUMBER) {
      pf_diagnostics_cut(d->ctx, before);
      half->end = "cannot be followed further";
      return PF_OK;
    }
    PF_TRY(status);
    d->moved = d->moved || w->moved; /* then the beginning has other names */
    if (way > 0) {
      double last = w->t;
      PF_TRY(find_period(d, &half->period));
      if (!isnan(half->period)) last = d->t0 + half->period;
      PF_TRY(sample(d, half, last, &outside));
      if (isnan(half->period)) continue;
      half->end = "closed";
      return add_point(d, half, d->start, &outside);
    }
    PF_TRY(sample(d, half, w->t, &outside));
  }
  if (outside) half->end = "leaves the picture";
  else if (way*(t_end - w->t) > 0) half->end = "too many steps";
  return PF_OK;
}

/* The backward half, reversed, before the forward one. */
static PfStatus join(Draw *d, const Half *back, const Half *forward)
{
  PfOrbit *orbit = d->result->orbits + d->result->count++;
  int more = back->count ? back->count - 1 : 0; /* the beginning is in both */
  *orbit = (PfOrbit){.count = more + forward->count, .period = forward->period, .end = forward->end,
                     .start = {forward->a[0], forward->b[0]}};
  orbit->a = pf_arena_array(d->arena, double, orbit->count), orbit->b = pf_arena_array(d->arena, double, orbit->count);
  if (!orbit->a || !orbit->b) return pf_no_room(d->ctx, "the portrait");
  for (int i = 0; i < more; i++) orbit->a[i] = back->a[more - i], orbit->b[i] = back->b[more - i];
  memcpy(orbit->a + more, forward->a, (size_t)forward->count*sizeof *orbit->a);
  memcpy(orbit->b + more, forward->b, (size_t)forward->count*sizeof *orbit->b);
  return PF_OK;
}

/* Back to a state in the chart of the beginning. */
static PfStatus go_back(Draw *d, const double *x)
{
  memcpy(d->f->full, d->home, (size_t)d->f->count*sizeof *d->home);
  pf_dynamics_use_chart(d->f, &d->chart);
  d->moved = false;
  return pf_dynamics_go(d->f, x);
}

/* The curve through the place of the field. */
static PfStatus draw(Draw *d)
{
  Half forward, back = {0};
  d->n = pf_dynamics_size(d->f);
  pf_dynamics_get(d->f, d->start);
  pf_dynamics_rate(d->f, d->rate);
  PF_TRY(follow(d, 1, &forward));
  if (isnan(forward.period)) {
    PF_TRY(go_back(d, d->start));
    PF_TRY(follow(d, -1, &back));
  }
  return join(d, &back, &forward);
}

/* ---------------------------------------------------------------- all curves */

static PfStatus place(Draw *d, int trial, bool *found)
{
  for (int k = 0; k < 2; k++)
    d->levels.target[k] = d->o->low[k] + pf_halton(trial, k)*(d->o->high[k] - d->o->low[k]);
  return pf_levels_go(&d->levels, found);
}

static PfStatus prepare(Draw *d)
{
  const PfPortraitOptions *o = d->o;
  size_t most = 2*(size_t)(d->f->n + d->f->nw);
  int starts = o->starts > 0 ? o->starts : 25;
  PF_TRY(pf_problem_make(d->ctx, d->arena, d->f, PF_STEADY, -1, &d->problem));
  PF_TRY(pf_dynamics_go(d->f, d->problem.base));
  PF_TRY(pf_levels_make(d->ctx, d->arena, d->f, d->problem.cyclic, 2 + o->keep_count, &d->levels));
  for (int k = 0; k < 2 + o->keep_count; k++) {
    PfQuantity quantity = k < 2 ? o->show[k] : o->keep[k - 2];
    double now;
    PF_TRY(pf_quantity_value(d->f, quantity, d->levels.outputs, &now));
    pf_levels_add(&d->levels, quantity, now);
  }
  PF_TRY(pf_course_make(d->ctx, d->arena, d->f, false, o->rtol > 0 ? o->rtol : 1e-11, &d->flow));
  d->t0 = d->f->full[pf_system_symbols(d->f->system)->time];
  d->y = pf_arena_array(d->arena, double, most), d->start = pf_arena_array(d->arena, double, most);
  d->rate = pf_arena_array(d->arena, double, most), d->home = pf_arena_array(d->arena, double, d->f->count);
  d->result->orbits = pf_arena_array(d->arena, PfOrbit, starts);
  if (!d->y || !d->start || !d->rate || !d->home || !d->result->orbits) return pf_no_room(d->ctx, "the portrait");
  memcpy(d->home, d->f->full, (size_t)d->f->count*sizeof *d->home);
  return pf_dynamics_keep_chart(d->f, d->arena, &d->chart);
}

static PfStatus draw_all(Draw *d)
{
  int starts = d->o->starts > 0 ? d->o->starts : 25;
  PF_TRY(prepare(d));
  PF_TRY(draw(d));
  for (int k = 1; k < starts; k++) {
    bool found;
    PF_TRY(go_back(d, d->levels.origin));
    PF_TRY(place(d, k, &found));
    if (found) PF_TRY(draw(d));
    else d->result->failed++;
  }
  return PF_OK;
}

PfStatus pf_portrait(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfPortraitOptions *options,
                     PfPortrait *portrait)
{
  *portrait = (PfPortrait){0};
  if (!(options->span > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "a portrait needs a time span");
  Draw d = {.ctx = ctx, .arena = arena, .f = field, .o = options, .result = portrait};
  PfStatus status = draw_all(&d);
  pf_course_release(&d.flow);
  pf_problem_release(&d.problem);
  return status;
}
