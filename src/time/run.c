/* A run: the motion from the start to the end, with samples along the way. */
#include "time/samples.h"

#include <math.h>
#include <string.h>

PfRunOptions pf_run_options(void)
{
  return (PfRunOptions){.rho = NAN, .t_end = 10};
}

static bool is_cancelled(const PfRunOptions *o, const PfPhases *motion)
{
  return (o->cancelled && o->cancelled(o->user, pf_phases_time(motion))) || pf_context_is_cancelled(motion->ctx);
}

/* One move and its samples; *goes: there is another one. */
static PfStatus move(PfPhases *motion, PfSampler *sampler, const PfRunOptions *o, PfRunResult *result, bool *goes)
{
  PfMove kind;
  PfStatus status = pf_phases_move(motion, o->t_end, &kind);
  *result = pf_phases_result(motion);
  PF_TRY(status);
  if (kind == PF_MOVE_STEP) status = pf_sampler_due(sampler, motion);
  else if (kind != PF_MOVE_END) status = pf_sampler_here(sampler, motion, kind == PF_MOVE_EVENT);
  else status = pf_sampler_last(sampler, motion, result->end);
  bool cancelled = status != PF_OK || (kind == PF_MOVE_STEP && is_cancelled(o, motion));
  if (cancelled) result->end = PF_RUN_CANCELLED;
  *goes = kind != PF_MOVE_END && !cancelled;
  return status;
}

static PfStatus run(PfPhases *motion, PfSampler *sampler, const PfRunOptions *o, PfRunResult *result)
{
  bool goes = true;
  PfStatus status = pf_sampler_due(sampler, motion);
  *result = pf_phases_result(motion);
  if (status != PF_OK) result->end = PF_RUN_CANCELLED;
  while (status == PF_OK && goes) status = move(motion, sampler, o, result, &goes);
  if (o->final) pf_phases_state(motion, o->final);
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
  PfStatus status = run(motion, &sampler, options, result);
  pf_phases_close(motion);
  return status;
}

PfStatus pf_run(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                PfRunResult *result)
{
  return pf_run_events(ctx, NULL, system, values, options, NULL, result);
}
