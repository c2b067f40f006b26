/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compute one result together. They do not talk to each other: locks on the files of small parts say who
 * computes what, and the system takes the locks of a process that dies. So no process waits for a certain other one. */
#include "base/base.h"
#include "pfaff/sweep.h"

#include <time.h>

enum { PARTS_FOR_EACH = 8, MOST_PARTS = 100000 };

static void wait_a_while(void)
{
  const struct timespec tenth = {.tv_nsec = 100000000};
  (void)nanosleep(&tenth, NULL);
}

static void add(PfSweepProgress *sum, const PfSweepProgress *more)
{
  sum->done += more->done;
  sum->failed += more->failed;
  sum->before += more->before;
  sum->seconds += more->seconds;
}

/* Whether somebody is at work on the part is no error, and needs no words. */
static PfStatus take_part(PfContext *ctx, PfSweep *sweep, const PfSweepHow *how, PfSweepResult *part)
{
  const int before = pf_diagnostic_count(ctx);
  const PfStatus status = pf_sweep_run(sweep, how, part);
  if (!part->busy) return status;
  pf_diagnostics_cut(ctx, before);
  return PF_OK;
}

/* Each begins elsewhere, and goes round until all parts are complete. */
static PfStatus take_parts(PfContext *ctx, PfSweep *sweep, const PfSweepHow *how, int rank, int parts, char *complete,
                           PfSweepResult *result)
{
  int left = parts;
  while (left && !result->stopped) {
    bool idle = true;
    for (int i = 0; i < parts && !result->stopped; i++) {
      PfSweepHow own = *how;
      PfSweepResult part = {0};
      const int k = (int)(((long long)rank*parts/PARTS_FOR_EACH + i)%parts);
      own.part = k + 1, own.parts = parts;
      if (complete[k]) continue;
      PF_TRY(take_part(ctx, sweep, &own, &part));
      result->stopped = part.stopped;
      if (part.busy || part.stopped) continue;
      add(&result->progress, &part.progress);
      idle = idle && part.progress.done == part.progress.before;
      complete[k] = true;
      left--;
    }
    if (left && idle) wait_a_while();
  }
  return PF_OK;
}

PfStatus pf_sweep_share(PfSweep *sweep, const PfSweepHow *how, int rank, int ranks, PfSweepResult *result, bool *last)
{
  PfContext *ctx = pf_sweep_context(sweep);
  const long long count = pf_sweep_count(sweep), wanted = (long long)ranks*PARTS_FOR_EACH;
  const int parts = (int)(wanted < count ? wanted < MOST_PARTS ? wanted : MOST_PARTS : count);
  const PfAllocator *allocator = pf_context_allocator(ctx);
  char *complete = allocator->resize(allocator->user, NULL, (size_t)parts);
  *result = (PfSweepResult){0};
  *last = false;
  if (!complete) return pf_no_room(ctx, "the parts");
  for (int i = 0; i < parts; i++) complete[i] = false;
  PfStatus status = take_parts(ctx, sweep, how, rank, parts, complete, result);
  allocator->resize(allocator->user, complete, 0);
  result->progress.count = count;
  if (status != PF_OK || result->stopped) return status;
  PfSweepResult joined;
  const int before = pf_diagnostic_count(ctx);
  status = pf_sweep_join(sweep, how->out, &joined);
  *last = status == PF_OK && joined.joined;
  if (joined.busy) pf_diagnostics_cut(ctx, before); /* another one joins them */
  if (*last) result->progress = joined.progress;
  return joined.busy ? PF_OK : status;
}
