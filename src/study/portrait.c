/* SPDX-License-Identifier: Apache-2.0 */
/* Phase portraits: curves of motions in a plane, all with the same values of chosen integrals. */
#include "study/course.h"
#include "study/path.h"
#include "study/problem.h"
#include "study/rest.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 600, MOST_STEPS = 200000 };

typedef struct Draw {
  PfContext *ctx;
  PfArena *arena;
  PfDynamics *f;
  PfSim *sim;
  const PfPortraitOptions *o;
  PfPortrait *result;
  PfProblem problem;
  PfLevels levels;
  PfChartChoice chart;      /* in which the curves begin */
  double *home;             /* all numbers where the field was */
  PfPath path;              /* forwards */
  PfCourse back;
  int *component;           /* handles of the components of x */
  double *y, *start, *rate; /* x now, at the beginning of the curve, and x' there */
  double t0;
  int n, starts;
} Draw;

/* Half a curve while it grows. */
typedef struct Half {
  int count, room;
  int sample;               /* the next one, at a multiple of span/SAMPLES */
  bool outside;
  double *a, *b;
  double period;
  const char *end;
} Half;

/* ---------------------------------------------------------------- closed curves */

static void read_state(Draw *d)
{
  for (int k = 0; k < d->n; k++) d->y[k] = pf_sim_get(d->sim, d->component[k]);
}

/* How far the motion is past the plane across it at its beginning; cyclic components do not count. */
static double ahead(void *user)
{
  Draw *d = user;
  double sum = 0;
  read_state(d);
  for (int k = 0; k < d->n; k++)
    if (!d->problem.cyclic[k]) sum += d->rate[k]*(d->y[k] - d->start[k]);
  return sum;
}

static double away(Draw *d)
{
  double most = 0;
  read_state(d);
  for (int k = 0; k < d->n; k++)
    if (!d->problem.cyclic[k]) most = fmax(most, fabs(d->y[k] - d->start[k])/(1 + fabs(d->start[k])));
  return most;
}

/* Where the latest step passes the plane near the beginning, the curve is closed; not after an event, which lasts. */
static double find_period(Draw *d)
{
  for (double t; pf_path_pass(&d->path, &t);)
    if (d->path.from > d->t0 && away(d) < 1e-5 && !pf_sim_event(d->sim, 0)) return t - d->t0;
  return NAN;
}

/* ---------------------------------------------------------------- points */

static PfStatus begin_half(Draw *d, Half *half)
{
  const PfModel *complete = d->f->model->complete;
  int events = complete ? complete->event_count : 0;
  *half = (Half){.room = SAMPLES + 4 + 2*events, .sample = 1, .period = NAN, .end = "end of the time"};
  half->a = pf_arena_array(d->arena, double, half->room), half->b = pf_arena_array(d->arena, double, half->room);
  return half->a && half->b ? PF_OK : pf_no_room(d->ctx, "the portrait");
}

static void add_point(const Draw *d, Half *half, const double value[2])
{
  const PfPlane *plane = &d->o->plane;
  if (half->count == half->room) return;
  half->a[half->count] = value[0], half->b[half->count++] = value[1];
  for (int k = 0; k < 2; k++) {
    double width = plane->high[k] - plane->low[k];
    half->outside = half->outside || value[k] > plane->high[k] + 3*width || value[k] < plane->low[k] - 3*width;
  }
}

/* The time of the next sample, when it comes before `last`; rounding does not hide the very end. */
static bool next_sample(const Draw *d, Half *half, double way, double last, double *t)
{
  *t = d->t0 + way*d->o->span*half->sample/SAMPLES;
  if (half->outside || half->sample > SAMPLES || way*(last - *t) < -1e-12*d->o->span) return false;
  half->sample++;
  return true;
}

/* ---------------------------------------------------------------- forwards */

static void add_shown(Draw *d, Half *half)
{
  const int *handle = d->o->plane.handle;
  add_point(d, half, (double[2]){pf_sim_get(d->sim, handle[0]), pf_sim_get(d->sim, handle[1])});
}

static void sample_step(Draw *d, Half *half, double last)
{
  for (double t; next_sample(d, half, 1, last, &t);)
    if (pf_sim_look(d->sim, fmin(t, d->path.to))) add_shown(d, half);
}

static PfStatus go_forwards(Draw *d, Half *half)
{
  bool goes = true;
  add_shown(d, half);
  while (goes && !half->outside) {
    PF_TRY(pf_path_step(&d->path, &goes));
    if (!goes) break;
    if (d->path.from == d->path.to) add_shown(d, half); /* before and after an event */
    half->period = find_period(d);
    bool closed = !isnan(half->period);
    sample_step(d, half, closed ? d->t0 + half->period : d->path.to);
    if (!closed) continue;
    half->end = "closed";
    add_point(d, half, (double[2]){half->a[0], half->b[0]});
    return PF_OK;
  }
  if (half->outside) half->end = "leaves the picture";
  else if (pf_sim_result(d->sim).end == PF_RUN_UNTIL) half->end = "the condition of 'until' holds";
  else if (pf_path_end(&d->path, d->arena)) half->end = "cannot be followed further";
  return PF_OK;
}

/* ---------------------------------------------------------------- backwards */

/* By the vector field: a simulation goes on only. */
static PfStatus add_state(Draw *d, Half *half, const double *x)
{
  double value[2];
  PF_TRY(pf_dynamics_go(d->f, x));
  for (int k = 0; k < 2; k++)
    PF_TRY(pf_quantity_value(d->f, d->o->plane.show[k], d->levels.outputs, value + k));
  add_point(d, half, value);
  return PF_OK;
}

static PfStatus go_backwards(Draw *d, Half *half)
{
  PfCourse *w = &d->back;
  double t_end = d->t0 - d->o->span;
  PF_TRY(pf_course_begin(w, -1));
  PF_TRY(add_state(d, half, w->y));
  for (int k = 0; k < MOST_STEPS && w->t > t_end && !half->outside; k++) {
    PF_TRY(pf_course_step(w, t_end));
    for (double t; next_sample(d, half, -1, w->t, &t);) {
      pf_course_at(w, t, d->y);
      PF_TRY(add_state(d, half, d->y));
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- one curve */

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

/* The curve through the place of the field; the first one begins where the simulation is placed. */
static PfStatus draw(Draw *d, bool first)
{
  Half forward, back = {0};
  pf_dynamics_get(d->f, d->start);
  pf_dynamics_rate(d->f, d->rate);
  PF_TRY(begin_half(d, &forward));
  PF_TRY(pf_path_begin(&d->path, first ? NULL : d->f));
  PF_TRY(go_forwards(d, &forward));
  if (isnan(forward.period) && !d->result->forwards) {
    int before = pf_diagnostic_count(d->ctx);
    PF_TRY(begin_half(d, &back));
    PfStatus status = go_backwards(d, &back);
    if (status != PF_ERR_NUMBER) PF_TRY(status);
    else pf_diagnostics_cut(d->ctx, before); /* its end */
  }
  return join(d, &back, &forward);
}

/* ---------------------------------------------------------------- all curves */

/* Back to where all searches begin, in the chart of the beginning. */
static PfStatus go_home(Draw *d)
{
  memcpy(d->f->full, d->home, (size_t)d->f->count*sizeof *d->home);
  pf_dynamics_use_chart(d->f, &d->chart);
  return pf_dynamics_go(d->f, d->levels.origin);
}

static PfStatus find_components(Draw *d)
{
  for (int k = 0; k < d->n; k++) {
    d->component[k] = pf_sim_find(d->sim, pf_dynamics_name(d->f, d->arena, k));
    if (d->component[k] < 0) return pf_sim_error(d->sim)->status;
  }
  return PF_OK;
}

static PfStatus prepare(Draw *d)
{
  const PfPortraitOptions *o = d->o;
  size_t most = 2*(size_t)(d->f->n + d->f->nw);
  d->n = pf_dynamics_size(d->f);
  d->starts = o->starts > 0 ? o->starts : 25;
  PF_TRY(pf_dynamics_may_jump(d->f, &d->result->forwards));
  PF_TRY(pf_problem_make(d->ctx, d->arena, d->f, PF_STEADY, -1, &d->problem));
  PF_TRY(pf_dynamics_go(d->f, d->problem.base));
  PF_TRY(pf_levels_make(d->ctx, d->arena, d->f, d->problem.cyclic, &o->plane, &d->levels));
  PF_TRY(pf_course_make(d->ctx, d->arena, d->f, false, pf_path_rtol(d->sim), &d->back));
  d->t0 = d->f->full[pf_system_symbols(d->f->system)->time];
  d->y = pf_arena_array(d->arena, double, most), d->start = pf_arena_array(d->arena, double, most);
  d->rate = pf_arena_array(d->arena, double, most), d->home = pf_arena_array(d->arena, double, d->f->count);
  d->component = pf_arena_array(d->arena, int, d->n);
  d->result->orbits = pf_arena_array(d->arena, PfOrbit, d->starts);
  if (!d->y || !d->start || !d->rate || !d->home || !d->component || !d->result->orbits)
    return pf_no_room(d->ctx, "the portrait");
  memcpy(d->home, d->f->full, (size_t)d->f->count*sizeof *d->home);
  PF_TRY(find_components(d));
  PF_TRY(pf_path_prepare(d->sim, o->span));
  return pf_dynamics_keep_chart(d->f, d->arena, &d->chart);
}

/* In the picture, which is a little larger than where curves begin. Forces that jump have no rate to be zero. */
static PfStatus find_rest(Draw *d)
{
  const PfPlane *plane = &d->o->plane;
  PfRest rest = {.ctx = d->ctx, .f = d->f, .levels = &d->levels, .cyclic = d->problem.cyclic, .home = d->home,
                 .chart = &d->chart};
  if (d->result->forwards) return PF_OK;
  for (int i = 0; i < 2; i++) {
    double more = 0.25*(plane->high[i] - plane->low[i]);
    rest.low[i] = plane->low[i] - more, rest.high[i] = plane->high[i] + more;
  }
  return pf_rest_find(d->arena, &rest, &d->result->rest_count, &d->result->rest_a, &d->result->rest_b);
}

static PfStatus draw_all(Draw *d)
{
  PF_TRY(prepare(d));
  PF_TRY(draw(d, true));
  for (int k = 1; k < d->starts; k++) {
    bool found;
    PF_TRY(go_home(d));
    PF_TRY(pf_levels_go(&d->levels, k, &found));
    if (found) PF_TRY(draw(d, false));
    else d->result->failed++;
  }
  return find_rest(d);
}

PfStatus pf_portrait(PfArena *arena, PfDynamics *field, PfSim *sim, const PfPortraitOptions *options,
                     PfPortrait *portrait)
{
  PfContext *ctx = field->ctx;
  *portrait = (PfPortrait){0};
  if (!(options->span > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "a portrait needs a time span");
  Draw d = {.ctx = ctx, .arena = arena, .f = field, .sim = sim, .o = options, .result = portrait};
  d.path = (PfPath){.sim = sim, .height = ahead, .user = &d};
  PfStatus status = draw_all(&d);
  pf_course_release(&d.back);
  pf_problem_release(&d.problem);
  return status;
}
