/* SPDX-License-Identifier: Apache-2.0 */
/* When samples of a run are due. */
#include "time/samples.h"

#include <float.h>
#include <math.h>

PfStatus pf_sampler_make(PfContext *ctx, const PfRunOptions *o, double start, PfSampler *s)
{
  const double most = 1e15; /* 1/DBL_EPSILON, rounded down */
  *s = (PfSampler){.every = o->every, .at = o->at, .at_count = o->at_count, .pieces = o->at ? o->pieces : 0,
                   .from = start, .start = start, .end = o->t_end, .least = o->at ? (o->t_end - start)/5e5 : 0,
                   .served = -1};
  if (o->at && o->at_count > 0 && o->at[0] < start - 1e-12*fmax(1, fabs(start)))
    return pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "at"},
                      "a sample is asked for at t = %g, before the start at t = %g", o->at[0],
                   start);
  if (o->every > 0 && fmax(fabs(start), fabs(o->t_end))/o->every > most)
    return pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "every"},
                      "samples every %g s are too close: there would be %.2g of them", o->every,
                   (o->t_end - start)/o->every);
  if (o->every > 0) s->next_every = (long)ceil(start/o->every - 4*DBL_EPSILON*fabs(start/o->every));
  return PF_OK;
}

static double rounding(const PfSampler *s, double t)
{
  return 8*DBL_EPSILON*fmax(fabs(t), fabs(s->start));
}

/* Are the two times one, but for rounding? */
static bool is_same(const PfSampler *s, double a, double b)
{
  return fabs(a - b) <= rounding(s, b);
}

static bool give(PfSampler *s, double time, double *t)
{
  s->last = *t = s->any ? fmax(time, s->last) : time; /* times never go back */
  return s->any = true;
}

/* All samples of the latest move have been given. */
static void finish(PfSampler *s, const PfDriver *motion)
{
  s->served = motion->advances;
  s->from = pf_driver_time(motion);
  s->piece = 0;
}

/* One where the motion is, unless there was one. */
static bool here(PfSampler *s, const PfDriver *motion, double *t)
{
  double now = pf_driver_time(motion);
  finish(s, motion);
  return (!s->any || s->last < now) && give(s, now, t);
}

/* The next one that is planned by its time; not before the start. */
static double planned(const PfSampler *s)
{
  double t = INFINITY;
  if (s->at && s->next_at < s->at_count) t = s->at[s->next_at];
  if (!s->at && s->every > 0) t = (double)s->next_every*s->every;
  if (t < s->start || is_same(s, t, s->start)) return s->start;
  return is_same(s, t, s->end) ? s->end : t;
}

static void pass(PfSampler *s)
{
  if (s->at) s->next_at++;
  else s->next_every++;
}

/* Where an event happens there is a sample before and one after it, whatever the plan. */
static void pass_instant(PfSampler *s, double now)
{
  while (is_same(s, planned(s), now)) pass(s);
}

/* All up to the present instant of the motion, and those a little later, unless the state jumps there. */
static bool due(PfSampler *s, const PfDriver *motion, double *t)
{
  double now = pf_driver_time(motion), most = now + 1e-12*fmax(1, now - s->start) + rounding(s, now);
  if (pf_driver_is_stop(motion)) {
    pass_instant(s, now);
    most = now;
  }
  /* The end of the next piece of the step. Of short steps there are many: they are whole, or left out when they are
   * shorter than anything that can be seen. */
  double next = planned(s), piece = INFINITY;
  int pieces = s->pieces > 1 && now - s->from < 20*s->least ? 1 : s->pieces;
  if (s->piece < pieces && s->from < now && !(now - s->last < s->least))
    piece = s->piece + 1 == pieces ? now : s->from + (now - s->from)*(s->piece + 1)/pieces;
  if (piece <= now && piece <= next) {
    s->piece++;
    if (next > most || piece < now) return give(s, piece, t);
  }
  if (next <= most) {
    pass(s);
    return give(s, next, t);
  }
  finish(s, motion);
  return !s->at && !(s->every > 0) && give(s, now, t);
}

bool pf_sampler_next(PfSampler *s, const PfDriver *motion, double *t)
{
  if (s->served == motion->advances) return false;
  if (motion->advances == 0) return due(s, motion, t);
  PfRunEnd end = pf_driver_result(motion).end;
  switch (motion->latest) {
  case PF_ADVANCE_STEP: return due(s, motion, t);
  case PF_ADVANCE_BEFORE: return here(s, motion, t);
  case PF_ADVANCE_EVENT:
    pass_instant(s, pf_driver_time(motion));
    finish(s, motion);
    return give(s, pf_driver_time(motion), t); /* the state has jumped: one more */
  case PF_ADVANCE_END:
    if (end == PF_RUN_UNTIL || (end == PF_RUN_DONE && s->every > 0 && !s->at)) return here(s, motion, t);
    finish(s, motion);
    return false;
  }
  return false;
}
