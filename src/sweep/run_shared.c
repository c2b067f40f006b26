/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compute one result together without messages: locks on the files of small parts decide which process
 * computes what, and the system takes the locks of a process that dies. So no process waits for a certain other one. */
#include "base/base.h"
#include "pfaff/sweep.h"

#include <time.h>

enum { PARTS_FOR_EACH = 8, MOST_PARTS = 100000 };

/* Takes one part after the other, beginning elsewhere in each process, and goes round until all are complete. A part
 * that another process computes is not an error, and needs no message; where there is no other, waits a tenth of a
 * second. */
static PfStatus take_parts(PfContext *ctx, PfSweep *sweep, const PfSweepRunOptions *how, int rank, int parts,
                           char *complete, PfSweepResult *result)
{
  const struct timespec tenth = {.tv_nsec = 100000000};
  PfSweepProgress *sum = &result->progress;
  for (int left = parts; left && !result->stopped;) {
    bool idle = true;
    for (int i = 0; i < parts && !result->stopped; i++) {
      const int k = (int)(((long long)rank*parts/PARTS_FOR_EACH + i)%parts), before = pf_diagnostic_count(ctx);
      PfSweepRunOptions own = *how;
      PfSweepResult part = {0};
      own.part = k + 1, own.parts = parts;
      if (complete[k]) continue;
      const PfStatus status = pf_sweep_run(sweep, &own, &part);
      if (part.busy) pf_diagnostics_truncate(ctx, before);
      else PF_TRY(status);
      result->stopped = part.stopped;
      if (part.busy || part.stopped) continue;
      sum->done += part.progress.done;
      sum->failed += part.progress.failed;
      sum->before += part.progress.before;
      sum->seconds += part.progress.seconds;
      idle = idle && part.progress.done == part.progress.before;
      complete[k] = true;
      left--;
    }
    if (left && idle) (void)nanosleep(&tenth, NULL);
  }
  return PF_OK;
}

PfStatus pf_sweep_run_shared(PfSweep *sweep, const PfSweepRunOptions *how, int rank, int ranks, PfSweepResult *result,
                             bool *last)
{
  PfContext *ctx = pf_sweep_context(sweep);
  const long long count = pf_sweep_count(sweep), wanted = (long long)ranks*PARTS_FOR_EACH;
  const int parts = (int)(wanted < count ? wanted < MOST_PARTS ? wanted : MOST_PARTS : count);
  const PfAllocator *allocator = pf_context_allocator(ctx);
  char *complete = pf_allocate(allocator, (size_t)parts);
  *result = (PfSweepResult){0};
  *last = false;
  if (!complete) return pf_no_room(ctx, "the parts");
  for (int i = 0; i < parts; i++) complete[i] = false;
  PfStatus status = take_parts(ctx, sweep, how, rank, parts, complete, result);
  pf_release(allocator, complete);
  result->progress.count = count;
  if (status != PF_OK || result->stopped) return status;
  PfSweepResult joined;
  const int before = pf_diagnostic_count(ctx);
  status = pf_sweep_join(sweep, how->out, &joined);
  *last = status == PF_OK && joined.joined;
  if (joined.busy) pf_diagnostics_truncate(ctx, before); /* another one joins them */
  if (*last) result->progress = joined.progress;
  return joined.busy ? PF_OK : status;
}
