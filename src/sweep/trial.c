/* SPDX-License-Identifier: Apache-2.0 */
/* Before all members: errors that every one of them would have, and how long they take. */
#include "sweep/settings.h"
#include "sweep/sweep_impl.h"

PfStatus pf_sweep_set_native(const PfSweep *sweep, PfNative native)
{
  if (pf_sim_set_native(sweep->base, native)) return PF_OK;
  return pf_fail(sweep->ctx, pf_sim_error(sweep->base)->status, "%s", pf_sim_error(sweep->base)->message);
}

/* ---------------------------------------------------------------- what is wrong with all of them */

/* Starts the first member on a clone of the simulation. That it does not start is not a failure of the sweep, but
 * options that make no sense are; outputs at times after the end are warned of. */
static PfStatus start_first(PfSweep *sweep, PfSim *sim)
{
  PfMember first = {.sweep = sweep, .sim = sim,
                    .values = pf_arena_array(sweep->arena, double, sweep->plan.variable_count)};
  PfRunOptions options;
  if (!first.values) return pf_no_room(sweep->ctx, "the sweep");
  if (pf_member_place(&first, 0, &options) != PF_OK) return PF_OK;
  for (int i = 0; i < sweep->output_set.count; i++) {
    const PfOutput *item = sweep->output_set.items + i;
    if (item->kind != PF_OUTPUT_AT || item->time <= options.t_end) continue;
    pf_warn_at(sweep->ctx, (PfPlace){0}, "@take: the motion ends at t = %g, and is not there at t = %g", options.t_end,
               item->time);
    pf_hint(sweep->ctx, "@for makes it longer");
    break;
  }
  if (pf_sim_set_options(sim, &options) && pf_sim_start(sim)) return PF_OK;
  const PfError *error = pf_sim_error(sim);
  if (error->status != PF_ERR_ARGUMENT) return PF_OK;
  pf_fail(sweep->ctx, error->status, "%s", error->message);
  if (error->hint[0]) pf_hint(sweep->ctx, "%s", error->hint);
  return error->status;
}

PfStatus pf_sweep_check(PfSweep *sweep)
{
  PfError error;
  if (sweep->checked || pf_sweep_setting(sweep, "study")) return PF_OK;
  PfSim *sim = pf_sim_clone(sweep->base, &error);
  if (!sim) return pf_fail(sweep->ctx, error.status, "%s", error.message);
  PfStatus status = start_first(sweep, sim);
  pf_sim_close(sim);
  sweep->checked = status == PF_OK;
  return status;
}

/* ---------------------------------------------------------------- how long they take */

/* Runs of neighbours, spread over all members, as threads take them. */
typedef struct Trial {
  long long count, given, done, failed; /* members of the sweep; begun, ended and failed here */
  double until;                         /* by pf_clock */
} Trial;

enum { RUN = 128, RUNS = 64 };

static bool next_of_trial(void *user, long long *number)
{
  Trial *t = user;
  const long long wanted = t->count < (long long)RUN*RUNS ? t->count : (long long)RUN*RUNS;
  if (t->given >= wanted || pf_clock() > t->until) return false;
  const long long run = t->given/RUN, at = t->given%RUN;
  *number = t->count > wanted ? (long long)((double)(t->count - RUN)*((double)run/RUNS)) + at : t->given;
  t->given++;
  return true;
}

static bool count_trial(void *user, long long number, const double *row, int end, const char *reason)
{
  Trial *t = user;
  (void)number, (void)row, (void)reason;
  t->done++;
  t->failed += end >= PF_MEMBER_NO_START;
  return true;
}

/* Runs members for some seconds; the first one goes before, since it makes everything ready. */
static PfStatus time_members(PfSweep *sweep, PfMember *member, double seconds, PfSweepEstimate *estimate)
{
  Trial trial = {.count = sweep->plan.count};
  const PfMemberFlow flow = {next_of_trial, count_trial, &trial};
  char reason[PF_REASON];
  int end;
  if (!pf_member_run(member, 0, member->row, &end, reason)) return PF_ERR_CANCELLED;
  const double start = pf_clock();
  trial.until = start + seconds;
  if (!pf_members_run(member, &flow)) return PF_ERR_CANCELLED;
  *estimate = (PfSweepEstimate){.seconds_each = (pf_clock() - start)/(double)(trial.done ? trial.done : 1),
                                .tried = (int)trial.done, .failed = (int)trial.failed};
  return PF_OK;
}

PfStatus pf_sweep_try(PfSweep *sweep, PfNative native, double seconds, PfSweepEstimate *estimate)
{
  PfMember member;
  *estimate = (PfSweepEstimate){0};
  PF_TRY(pf_sweep_check(sweep));
  PF_TRY(pf_sweep_set_native(sweep, native));
  PfStatus status = pf_member_open(sweep->ctx, sweep, &member);
  if (status == PF_OK) status = time_members(sweep, &member, seconds, estimate);
  pf_member_close(&member);
  return status;
}
