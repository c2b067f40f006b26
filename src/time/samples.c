/* Samples of a run: when they are taken. */
#include "time/samples.h"

#include <math.h>

static PfStatus check(PfContext *ctx, const PfRunOptions *o, double start)
{
  const double most = 1e15; /* 1/DBL_EPSILON, rounded down */
  if (o->at && o->at_count > 0 && o->at[0] < start - 1e-12*fmax(1, fabs(start)))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "a sample is asked for at t = %g, before the start at t = %g", o->at[0], start);
  if (o->every > 0 && fmax(fabs(start), fabs(o->t_end))/o->every > most)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "samples every %g s are too close: there would be %.2g of them", o->every,
                   (o->t_end - start)/o->every);
  return PF_OK;
}

PfStatus pf_sampler_make(PfContext *ctx, const PfRunOptions *options, double start, PfSampler *s)
{
  *s = (PfSampler){.options = options};
  PF_TRY(check(ctx, options, start));
  if (options->every > 0) s->next_every = (long)ceil(start/options->every - 1e-9);
  return PF_OK;
}

/* An instant without accelerations is left out: the step itself was good. */
static PfStatus emit(PfSampler *s, PfPhases *motion, double t)
{
  PfSample sample;
  s->any = true;
  s->last = t;
  if (!s->options->sample || !pf_phases_look(motion, t, &sample)) return PF_OK;
  return s->options->sample(s->options->user, &sample);
}

PfStatus pf_sampler_due(PfSampler *s, PfPhases *motion)
{
  const PfRunOptions *o = s->options;
  double now = pf_phases_time(motion), most = now + 1e-12*fmax(1, fabs(now));
  if (o->at) {
    while (s->next_at < o->at_count && o->at[s->next_at] <= most) PF_TRY(emit(s, motion, o->at[s->next_at++]));
  } else if (o->every > 0) {
    while ((double)s->next_every*o->every <= most) PF_TRY(emit(s, motion, (double)s->next_every++*o->every));
  } else {
    PF_TRY(emit(s, motion, now));
  }
  return PF_OK;
}

PfStatus pf_sampler_here(PfSampler *s, PfPhases *motion, bool again)
{
  double now = pf_phases_time(motion);
  return again || !s->any || s->last < now ? emit(s, motion, now) : PF_OK;
}

PfStatus pf_sampler_last(PfSampler *s, PfPhases *motion, PfRunEnd end)
{
  bool over = end == PF_RUN_DONE && s->options->every > 0 && !s->options->at;
  return end == PF_RUN_UNTIL || over ? pf_sampler_here(s, motion, false) : PF_OK;
}
