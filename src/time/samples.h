/* What is summed up at the ends of steps, and samples along a run. */
#ifndef PF_TIME_SAMPLES_H
#define PF_TIME_SAMPLES_H

#include "time/phases.h"

/* Which samples of a run are wanted, and how far they have been given. */
typedef struct PfSampler {
  const PfRunOptions *options;
  int next_at;     /* index in options->at */
  long next_every; /* multiple of options->every */
  bool any;
  double last;     /* time of the latest one, if any */
} PfSampler;

PfStatus pf_sampler_make(PfContext *ctx, const PfRunOptions *options, double start, PfSampler *sampler);
/* All samples up to where the motion is. */
PfStatus pf_sampler_due(PfSampler *sampler, PfPhases *motion);
/* One where the motion is; with `again` even if there was one at this time. */
PfStatus pf_sampler_here(PfSampler *sampler, PfPhases *motion, bool again);
/* At the end of the run: the stop by a condition has a sample, and so has the end when samples are taken at multiples. */
PfStatus pf_sampler_last(PfSampler *sampler, PfPhases *motion, PfRunEnd end);

#endif
