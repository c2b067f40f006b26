/* SPDX-License-Identifier: Apache-2.0 */
/* A run: the motion from the start to the end, with samples along the way. */
#include "time/samples.h"

#include <math.h>
#include <string.h>

PfRunOptions pf_run_options(void)
{
  return (PfRunOptions){.rho = NAN, .t_end = PF_DEFAULT_HORIZON};
}

const char *pf_run_method(const PfRunOptions *o)
{
  return o->method ? o->method : PF_DEFAULT_METHOD;
}

const char *pf_run_formulation(const PfRunOptions *o)
{
  return o->formulation ? o->formulation : PF_DEFAULT_FORMULATION;
}

const char *pf_run_end_text(PfRunEnd end)
{
  static const char *const texts[] = {
#define TEXT(code, text) text,
    PF_RUN_END_LIST(TEXT)
#undef TEXT
  };
  return texts[end];
}

double pf_run_rtol(const PfRunOptions *o)
{
  return o->rtol > 0 ? o->rtol : PF_DEFAULT_RTOL;
}

/* An instant without accelerations, between successful steps, is a sample with NaN for them where it was requested, and
 * left out otherwise. */
static PfStatus give_samples(PfDriver *motion, PfSampler *sampler, const PfRunOptions *o)
{
  double t;
  PfSample sample;
  bool scheduled = sampler->at || sampler->every > 0;
  while (pf_sampler_next(sampler, motion, &t)) {
    bool good = o->sample && pf_driver_dense_output(motion, t, &sample);
    if (good || (o->sample && scheduled && sample.q)) PF_TRY(o->sample(o->user, &sample));
  }
  return PF_OK;
}

static PfStatus run(PfDriver *motion, PfSampler *sampler, const PfRunOptions *o, PfRunResult *result)
{
  PfAdvance advance = PF_ADVANCE_EVENT;
  bool cancelled = false;
  PfStatus status = give_samples(motion, sampler, o);
  while (status == PF_OK && advance != PF_ADVANCE_END && !cancelled) {
    PfStatus moved = pf_driver_advance(motion, o->t_end, &advance);
    *result = pf_driver_result(motion);
    PF_TRY(moved);
    status = give_samples(motion, sampler, o);
    cancelled = advance == PF_ADVANCE_STEP && pf_context_is_cancelled(motion->ctx);
  }
  if (status != PF_OK || cancelled) result->end = PF_RUN_CANCELLED;
  return status;
}

PfStatus pf_run_events(PfContext *ctx, PfArena *arena, const PfSystem *complete, const double *values,
                       const PfRunOptions *options, PfEventLog *log, PfRunResult *result)
{
  PfDriver *motion;
  PfSampler sampler;
  *result = (PfRunResult){.weakest = 1, .weakest_row = -1};
  if (log) *log = (PfEventLog){0};
  PF_TRY(pf_sampler_make(ctx, options, values[pf_system_symbols(complete)->time], &sampler));
  PF_TRY(pf_driver_open(ctx, arena, complete, values, options, log, &motion));
  *result = pf_driver_result(motion);
  PfStatus status = run(motion, &sampler, options, result);
  if (options->final) pf_driver_state(motion, options->final);
  pf_driver_close(motion);
  return status;
}

PfStatus pf_run(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                PfRunResult *result)
{
  return pf_run_events(ctx, NULL, system, values, options, NULL, result);
}
