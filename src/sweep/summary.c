/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/summary.h"
#include "sweep/sensitivity.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <string.h>

static bool make_groups(PfArena *arena, PfSummary *s)
{
  if (!pf_sweep_has_sensitivity(s->sweep)) return true;
  const size_t taken = (size_t)s->taken;
  s->chances = s->sweep->plan.chance_count;
  s->size = (int)pf_plan_group(&s->sweep->plan);
  s->sensitivity = pf_arena_array(arena, PfSensitivity, taken*(size_t)s->chances);
  s->group = pf_arena_array(arena, double, taken*(size_t)s->size);
  s->total = pf_arena_array(arena, double, PF_SENSITIVITY_TOTALS*taken);
  return s->sensitivity && s->group && s->total;
}

PfStatus pf_summary_make(PfContext *ctx, PfArena *arena, const PfSweep *sweep, PfSummary **summary)
{
  PfSummary *s = *summary = pf_arena_array(arena, PfSummary, 1);
  if (!s) return pf_no_room(ctx, "the summary");
  s->sweep = sweep;
  s->taken = sweep->take.columns;
  s->statistics = pf_arena_array(arena, PfStatistics, s->taken);
  if (!s->statistics || !make_groups(arena, s)) return pf_no_room(ctx, "the summary");
  for (int i = 0; i < s->taken; i++) pf_statistics_begin(s->statistics + i);
  return PF_OK;
}

/* A group that is complete goes into the sums; one that failed takes its group with it. */
static void add_to_group(PfSummary *s, long long member, const double *taken, bool good)
{
  const int at = (int)(member%s->size);
  for (int t = 0; t < s->taken; t++) s->group[t*s->size + at] = good ? taken[t] : NAN;
  if (at < s->size - 1) return;
  for (int t = 0; t < s->taken; t++) {
    const double *f = s->group + t*s->size;
    bool finite = true;
    for (int k = 0; k < s->size; k++) finite = finite && isfinite(f[k]);
    if (!finite) continue;
    pf_sensitivity_add(&s->sweep->plan, f, member - at, s->sensitivity + t*s->chances,
                       s->total + PF_SENSITIVITY_TOTALS*t);
  }
}

void pf_summary_add(PfSummary *s, long long member, const double *taken, int end, const char *reason)
{
  end = end >= 0 && end < PF_MEMBER_ENDS ? end : PF_MEMBER_OTHER;
  const bool good = end != PF_MEMBER_MISSING && end < PF_MEMBER_NO_START;
  s->members++;
  if (!s->ends[end]++) {
    s->first_of[end] = member;
    if (reason) memcpy(s->reason[end], reason, PF_REASON);
  }
  if (s->size) add_to_group(s, member, taken, good);
  for (int i = 0; i < s->taken && good; i++) pf_statistics_add(s->statistics + i, member, taken[i]);
}

/* Of a part of the members there are no sensitivities. */
void pf_summary_end(PfSummary *s)
{
  if (s->members != s->sweep->plan.count || s->ends[PF_MEMBER_MISSING]) s->chances = 0;
  for (int t = 0; t < s->taken && s->chances; t++)
    pf_sensitivity_end(&s->sweep->plan, s->sensitivity + t*s->chances, s->total + PF_SENSITIVITY_TOTALS*t);
}

/* ---------------------------------------------------------------- from rows */

typedef struct Rows {
  double *columns, *taken;
  unsigned char *ends;
  char *reasons;
} Rows;

enum { BLOCK = 16384 };

static PfStatus add_rows(PfSweep *sweep, const char *path, const Rows *r, PfSummary *s)
{
  const long long count = sweep->plan.count;
  const int varied = sweep->plan.variable_count;
  for (long long first = 0; first < count; first += BLOCK) {
    const long long rows = count - first < BLOCK ? count - first : BLOCK;
    PF_TRY(pf_sweep_read(sweep, path, first, rows, r->columns, r->ends, r->reasons));
    for (long long k = 0; k < rows; k++) {
      for (int i = 0; i < s->taken; i++) r->taken[i] = r->columns[(varied + i)*rows + k];
      pf_summary_add(s, first + k, r->taken, r->ends[k], r->reasons + k*PF_REASON);
    }
  }
  pf_summary_end(s);
  return PF_OK;
}

PfStatus pf_summary_of_rows(PfSweep *sweep, PfArena *arena, const char *path, PfSummary **summary)
{
  PF_TRY(pf_summary_make(sweep->ctx, arena, sweep, summary));
  PfArena *room = pf_arena_new(pf_context_allocator(sweep->ctx));
  Rows r = {0};
  if (room) {
    r.columns = pf_arena_array(room, double, (size_t)BLOCK*(size_t)sweep->columns);
    r.taken = pf_arena_array(room, double, sweep->take.columns);
    r.ends = pf_arena_array(room, unsigned char, BLOCK);
    r.reasons = pf_arena_array(room, char, (size_t)BLOCK*PF_REASON);
  }
  const bool good = room && r.columns && r.taken && r.ends && r.reasons;
  PfStatus status = good ? add_rows(sweep, path, &r, *summary) : pf_no_room(sweep->ctx, "the summary");
  pf_arena_free(room);
  return status;
}
