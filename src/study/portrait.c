/* SPDX-License-Identifier: Apache-2.0 */
/* Phase portraits: curves of motions in a plane, all with the same values of chosen integrals. */
#include "study/field_flow.h"
#include "study/path.h"
#include "study/problem.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- lines of steady motions */

/* Lines of steady motions in a plane: along parallels to both axes a rate that changes its sign has a zero, and where
 * all other rates are zero with it, the motion is steady. Isolated ones are met by no parallel but by chance. */
typedef struct SteadyLines {
  PfContext *ctx;
  PfDynamics *f;
  PfLevels *levels;
  const bool *cyclic;           /* components of x that do not count */
  const double *home;           /* all numbers of the field where searches begin, in this chart */
  const PfChartChoice *chart;
  double low[2], high[2];       /* the window that is searched */
} SteadyLines;

enum { LINES = 33, PIECES = 24, HALVINGS = 44 };

/* The search along one line, and the points found so far. */
typedef struct Search {
  const SteadyLines *lines;
  int n, axis;            /* the axis along which the line goes */
  double across;          /* where it is on the other one */
  double *rate[3];        /* at the last point, at this one, in between */
  double scale;           /* the largest rate so far */
  int count, room;
  double *a, *b;
} Search;

/* The point of the plane at this place of the line. */
static void place(const Search *s, double along, double value[2])
{
  value[s->axis] = along;
  value[1 - s->axis] = s->across;
}

/* The rates of the field at a point of the line. */
static PfStatus look(Search *s, double along, double *rate, bool *found)
{
  const SteadyLines *r = s->lines;
  double value[2];
  place(s, along, value);
  memcpy(r->f->full, r->home, (size_t)r->f->count*sizeof *r->home);
  pf_dynamics_use_chart(r->f, r->chart);
  PF_TRY(pf_dynamics_go(r->f, r->levels->origin));
  PF_TRY(pf_levels_go_to(r->levels, value, found));
  if (!*found) return PF_OK;
  pf_dynamics_rate(r->f, rate);
  for (int k = 0; k < s->n; k++) {
    if (r->cyclic[k]) rate[k] = 0;
    if (isfinite(rate[k])) s->scale = fmax(s->scale, fabs(rate[k]));
    else *found = false;
  }
  return PF_OK;
}

/* Halves the interval in which the k-th rate changes its sign; s->rate[0] is at its low end. Keeps the point where all
 * rates vanish, unless the list is full. */
static PfStatus close_in(Search *s, int k, double low, double high)
{
  double *middle = s->rate[2], value[2];
  bool found = true, rises = s->rate[0][k] < 0;
  for (int i = 0; i < HALVINGS && found; i++) {
    double at = (low + high)/2;
    PF_TRY(look(s, at, middle, &found));
    if ((middle[k] < 0) == rises) low = at;
    else high = at;
  }
  for (int i = 0; i < s->n && found; i++) found = !(fabs(middle[i]) > 1e-7*s->scale);
  if (!found || s->count == s->room) return PF_OK;
  place(s, (low + high)/2, value);
  s->a[s->count] = value[0], s->b[s->count++] = value[1];
  return PF_OK;
}

/* Looks along a line for the rate that changes its sign the most between two points. */
static PfStatus search_line(Search *s)
{
  const SteadyLines *r = s->lines;
  double low = r->low[s->axis], width = r->high[s->axis] - low;
  bool had = false;
  for (int i = 0; i <= PIECES; i++) {
    bool found;
    int best = -1;
    double most = 0, at = low + width*(i + 0.137)/PIECES; /* a line of symmetry is met between two points */
    PF_TRY(look(s, at, s->rate[1], &found));
    for (int k = 0; k < s->n && had && found; k++) {
      const double a = s->rate[0][k], b = s->rate[1][k];
      if (a*b < 0 && fabs(b - a) > most) best = k, most = fabs(b - a);
    }
    if (best >= 0) PF_TRY(close_in(s, best, at - width/PIECES, at));
    had = found;
    double *last = s->rate[0];
    s->rate[0] = s->rate[1], s->rate[1] = last;
  }
  return PF_OK;
}

/* LINES parallels to each axis, each in PIECES pieces: so many searches for a state, with some more around each
 * zero. */
/* Points of the window at which all rates vanish, in the arena. A single steady motion is found only where one of the
 * parallels that are searched meets it; fewer than four points count as none. */
static PfStatus find_steady_lines(PfArena *arena, const SteadyLines *r, int *count, double **a, double **b)
{
  Search s = {.lines = r, .n = pf_dynamics_size(r->f), .room = 8*LINES};
  size_t most = 2*(size_t)(r->f->n + r->f->nw);
  PF_TRY(pf_arrays(r->ctx, arena, "the portrait", PF_ROOM(s.rate[0], most), PF_ROOM(s.rate[1], most),
                   PF_ROOM(s.rate[2], most), PF_ROOM(s.a, s.room), PF_ROOM(s.b, s.room)));
  for (s.axis = 0; s.axis < 2; s.axis++)
    for (int i = 0; i < LINES; i++) {
      int other = 1 - s.axis;
      s.across = r->low[other] + (r->high[other] - r->low[other])*(i + 0.5)/LINES;
      PF_TRY(search_line(&s));
    }
  *count = s.count < 4 ? 0 : s.count;
  *a = s.a, *b = s.b;
  return PF_OK;
}

/* ---------------------------------------------------------------- curves */

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
  PfFieldFlow back;
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

/* x where the simulation shows it. */
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

/* ---------------------------------------------------------------- points */

/* An empty half, with room for all samples and for points before and after events. */
static PfStatus begin_half(Draw *d, Half *half)
{
  const PfModel *complete = d->f->model->complete;
  int events = complete ? complete->event_count : 0;
  *half = (Half){.room = SAMPLES + 4 + 2*events, .sample = 1, .period = NAN, .end = "end of the time"};
  return pf_arrays(d->ctx, d->arena, "the portrait", PF_ROOM(half->a, half->room), PF_ROOM(half->b, half->room));
}

/* Adds a point unless the half is full, and notes when it leaves the picture by three times its size. */
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
static bool next_sample(const Draw *d, Half *half, double direction, double last, double *t)
{
  *t = d->t0 + direction*d->o->span*half->sample/SAMPLES;
  if (half->outside || half->sample > SAMPLES || direction*(last - *t) < -1e-12*d->o->span) return false;
  half->sample++;
  return true;
}

/* ---------------------------------------------------------------- forwards */

/* Adds the two shown quantities where the simulation is. */
static void add_shown(Draw *d, Half *half)
{
  const int *handle = d->o->plane.handle;
  add_point(d, half, (double[2]){pf_sim_get(d->sim, handle[0]), pf_sim_get(d->sim, handle[1])});
}

/* Follows the motion of the simulation until the curve closes, leaves the picture or ends. It is closed where the
 * latest step passes the plane across its beginning near that; not after an event, which lasts. */
static PfStatus go_forwards(Draw *d, Half *half)
{
  bool goes = true;
  add_shown(d, half);
  while (goes && !half->outside) {
    PF_TRY(pf_path_step(&d->path, &goes));
    if (!goes) break;
    if (d->path.from == d->path.to) add_shown(d, half); /* before and after an event */
    for (double t; isnan(half->period) && pf_path_pass(&d->path, &t);) {
      double away = 0;
      if (!(d->path.from > d->t0)) continue;
      read_state(d);
      for (int k = 0; k < d->n; k++)
        if (!d->problem.cyclic[k]) away = fmax(away, fabs(d->y[k] - d->start[k])/(1 + fabs(d->start[k])));
      if (away < 1e-5 && !pf_sim_event(d->sim, 0)) half->period = t - d->t0;
    }
    bool closed = !isnan(half->period);
    double last = closed ? d->t0 + half->period : d->path.to;
    for (double t; next_sample(d, half, 1, last, &t);)
      if (pf_sim_interpolate(d->sim, fmin(t, d->path.to))) add_shown(d, half);
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

/* Follows the vector field back in time: a simulation goes on only. */
static PfStatus go_backwards(Draw *d, Half *half)
{
  PfFieldFlow *w = &d->back;
  double t_end = d->t0 - d->o->span;
  PF_TRY(pf_field_flow_begin(w, -1));
  PF_TRY(add_state(d, half, w->y));
  for (int k = 0; k < MOST_STEPS && w->t > t_end && !half->outside; k++) {
    PF_TRY(pf_field_flow_step(w, t_end));
    for (double t; next_sample(d, half, -1, w->t, &t);) {
      pf_field_flow_at(w, t, d->y);
      PF_TRY(add_state(d, half, d->y));
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- one curve */

/* The curve through the place of the field, its backward half reversed before the forward one; the first curve begins
 * where the simulation is placed. */
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
    else pf_diagnostics_truncate(d->ctx, before); /* its end */
  }
  PfOrbit *orbit = d->result->orbits + d->result->count++;
  int more = back.count ? back.count - 1 : 0; /* the beginning is in both */
  *orbit = (PfOrbit){.count = more + forward.count, .period = forward.period, .end = forward.end,
                     .start = {forward.a[0], forward.b[0]}};
  PF_TRY(pf_arrays(d->ctx, d->arena, "the portrait", PF_ROOM(orbit->a, orbit->count),
                   PF_ROOM(orbit->b, orbit->count)));
  for (int i = 0; i < more; i++) orbit->a[i] = back.a[more - i], orbit->b[i] = back.b[more - i];
  memcpy(orbit->a + more, forward.a, (size_t)forward.count*sizeof *orbit->a);
  memcpy(orbit->b + more, forward.b, (size_t)forward.count*sizeof *orbit->b);
  return PF_OK;
}

/* ---------------------------------------------------------------- all curves */

/* The whole portrait: the curve of the start, curves from other points of the plane, and lines of equilibria in the
 * picture, which is a little larger than where curves begin. Forces that jump have no rate to be zero. */
static PfStatus draw_all(Draw *d)
{
  const PfPortraitOptions *o = d->o;
  const PfPlane *plane = &o->plane;
  const size_t most = 2*(size_t)(d->f->n + d->f->nw), bytes = (size_t)d->f->count*sizeof *d->home;
  d->n = pf_dynamics_size(d->f);
  d->starts = o->starts > 0 ? o->starts : 25;
  PF_TRY(pf_dynamics_may_jump(d->f, &d->result->forwards));
  PF_TRY(pf_problem_make(d->ctx, d->arena, d->f, PF_STEADY, -1, &d->problem));
  PF_TRY(pf_dynamics_go(d->f, d->problem.base));
  PF_TRY(pf_levels_make(d->ctx, d->arena, d->f, d->problem.cyclic, plane, &d->levels));
  PF_TRY(pf_field_flow_make(d->ctx, d->arena, d->f, false, pf_path_rtol(d->sim), &d->back));
  d->t0 = d->f->full[pf_system_symbols(d->f->system)->time];
  PF_TRY(pf_arrays(d->ctx, d->arena, "the portrait", PF_ROOM(d->y, most), PF_ROOM(d->start, most),
                   PF_ROOM(d->rate, most), PF_ROOM(d->home, d->f->count), PF_ROOM(d->component, d->n),
                   PF_ROOM(d->result->orbits, d->starts)));
  memcpy(d->home, d->f->full, bytes);
  for (int k = 0; k < d->n; k++) {
    d->component[k] = pf_sim_find(d->sim, pf_dynamics_name(d->f, d->arena, k));
    if (d->component[k] < 0) return pf_sim_error(d->sim)->status;
  }
  PF_TRY(pf_path_prepare(d->sim, o->span));
  PF_TRY(pf_dynamics_keep_chart(d->f, d->arena, &d->chart));
  PF_TRY(draw(d, true));
  for (int k = 1; k < d->starts; k++) {
    bool found;
    memcpy(d->f->full, d->home, bytes); /* where all searches begin, in the chart of the beginning */
    pf_dynamics_use_chart(d->f, &d->chart);
    PF_TRY(pf_dynamics_go(d->f, d->levels.origin));
    PF_TRY(pf_levels_go(&d->levels, k, &found));
    if (found) PF_TRY(draw(d, false));
    else d->result->failed++;
  }
  if (d->result->forwards) return PF_OK;
  SteadyLines lines = {.ctx = d->ctx, .f = d->f, .levels = &d->levels, .cyclic = d->problem.cyclic, .home = d->home,
                         .chart = &d->chart};
  for (int i = 0; i < 2; i++) {
    double more = 0.25*(plane->high[i] - plane->low[i]);
    lines.low[i] = plane->low[i] - more, lines.high[i] = plane->high[i] + more;
  }
  return find_steady_lines(d->arena, &lines, &d->result->steady_count, &d->result->steady_a, &d->result->steady_b);
}

/* The curves and points are in the arena; tapes of the problem and of the backward flow are freed. The field is
 * elsewhere after that, the simulation at the end of its last motion. */
PfStatus pf_portrait(PfArena *arena, PfDynamics *field, PfSim *sim, const PfPortraitOptions *options,
                     PfPortrait *portrait)
{
  PfContext *ctx = field->ctx;
  *portrait = (PfPortrait){0};
  if (!(options->span > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "a portrait needs a time span");
  Draw d = {.ctx = ctx, .arena = arena, .f = field, .sim = sim, .o = options, .result = portrait};
  d.path = (PfPath){.sim = sim, .height = ahead, .user = &d};
  PfStatus status = draw_all(&d);
  pf_field_flow_release(&d.back);
  pf_problem_release(&d.problem);
  return status;
}
