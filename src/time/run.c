/* SPDX-License-Identifier: Apache-2.0 */
/* A run: the motion from the start to the end, with samples along the way. */
#include "time/samples.h"

#include <math.h>
#include <string.h>

PfRunOptions pf_run_options(void)
{
  return (PfRunOptions){.rho = NAN, .t_end = 10};
}

/* An instant without accelerations, between steps that were good, is a sample with NaN for them where it was asked for,
 * and left out otherwise. */
static PfStatus give_samples(PfPhases *motion, PfSampler *sampler, const PfRunOptions *o)
{
  double t;
  PfSample sample;
  bool scheduled = sampler->at || sampler->every > 0;
  while (pf_sampler_next(sampler, motion, &t)) {
    bool good = o->sample && pf_phases_look(motion, t, &sample);
    if (good || (o->sample && scheduled && sample.q)) PF_TRY(o->sample(o->user, &sample));
  }
  return PF_OK;
}

static bool is_cancelled(const PfRunOptions *o, const PfPhases *motion)
{
  return (o->cancelled && o->cancelled(o->user, pf_phases_time(motion))) || pf_context_is_cancelled(motion->ctx);
}

static PfStatus run(PfPhases *motion, PfSampler *sampler, const PfRunOptions *o, PfRunResult *result)
{
  PfMove move = PF_MOVE_EVENT;
  bool cancelled = false;
  PfStatus status = give_samples(motion, sampler, o);
  while (status == PF_OK && move != PF_MOVE_END && !cancelled) {
    PfStatus moved = pf_phases_move(motion, o->t_end, &move);
    *result = pf_phases_result(motion);
    PF_TRY(moved);
    status = give_samples(motion, sampler, o);
    cancelled = move == PF_MOVE_STEP && is_cancelled(o, motion);
  }
  if (status != PF_OK || cancelled) result->end = PF_RUN_CANCELLED;
  return status;
}

PfStatus pf_run_events(PfContext *ctx, PfArena *arena, const PfSystem *complete, const double *values,
                       const PfRunOptions *options, PfEventLog *log, PfRunResult *result)
{
  PfPhases *motion;
  PfSampler sampler;
  *result = (PfRunResult){.weakest = 1, .weakest_row = -1};
  if (log) *log = (PfEventLog){0};
  PF_TRY(pf_sampler_make(ctx, options, values[pf_system_symbols(complete)->time], &sampler));
  PF_TRY(pf_phases_open(ctx, arena, complete, values, options, log, &motion));
  *result = pf_phases_result(motion);
  PfStatus status = run(motion, &sampler, options, result);
  if (options->final) pf_phases_state(motion, options->final);
  pf_phases_close(motion);
  return status;
}

PfStatus pf_run(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                PfRunResult *result)
{
  return pf_run_events(ctx, NULL, system, values, options, NULL, result);
}
