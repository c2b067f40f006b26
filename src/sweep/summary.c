/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a run that keeps no rows: accumulators for the statistics of all output columns, and for
 * sensitivities. */
#include "sweep/summary.h"
#include "sweep/sweep_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- sensitivities */

/* Further sums over all groups: numbers, their squares, from where they are counted, how many groups. */
enum { PF_SENSITIVITY_TOTALS = 4 };

/* One group of finite numbers f of one output, whose first member is `first`, goes into the sums: one for each random
 * number, and those over all groups (`total`, zero at first).
 *
 * Of Saltelli's design a group is f(A), f(B), f(A with column i of B); variances by the estimators (b) and (f) of
 * Saltelli and others, Computer Physics Communications 181 (2010), table 2, from about the mean: a common offset is
 * only noise. Of Morris' a group is a path; elementary effects are the change of the result over half of the range of a
 * number, measured by its probability: Morris, Technometrics 33 (1991); the mean of magnitudes by Campolongo and others
 * (2007). */
static void add_group(const PfPlan *plan, const double *f, long long first, PfSensitivity *sums, double *total)
{
  if (!(total[3]++ > 0)) total[2] = 0.5*(f[0] + f[1]);
  if (plan->design == PF_DESIGN_SALTELLI) {
    const double a = f[0] - total[2], b = f[1] - total[2];
    total[0] += a + b;
    total[1] += a*a + b*b;
    for (int i = 0; i < plan->random_count; i++) {
      sums[i].first += b*(f[2 + i] - f[0]);
      sums[i].total += (f[0] - f[2 + i])*(f[0] - f[2 + i]);
    }
    return;
  }
  for (int k = 0; k < plan->random_count; k++) {
    double before[256], after[256];
    int i = 0, v = 0; /* the number that the step changes, and its variable */
    pf_plan_member(plan, first + k, before);
    pf_plan_member(plan, first + k + 1, after);
    for (; i < plan->random_count; i++) {
      v = plan->randoms[i].variable;
      if (after[v] != before[v]) break;
    }
    if (i == plan->random_count) continue;
    const double effect = (after[v] > before[v] ? 2 : -2)*(f[k + 1] - f[k]);
    sums[i].first += effect;
    sums[i].total += fabs(effect);
    sums[i].deviation += effect*effect;
  }
}

static void end_sensitivity(const PfPlan *plan, PfSensitivity *sums, const double *total)
{
  const double groups = total[3];
  if (plan->design == PF_DESIGN_SALTELLI) {
    /* Where the numbers differ by their rounding only there is no variance to have parts: NaN. */
    const double mean = total[0]/(2*groups), square = total[1]/(2*groups) - mean*mean;
    const double rounding = 64*DBL_EPSILON*fabs(total[2]), variance = square > rounding*rounding ? square : NAN;
    for (int i = 0; i < plan->random_count; i++) {
      sums[i].first = sums[i].first/(groups*variance);
      sums[i].total = sums[i].total/(2*groups*variance);
    }
  } else {
    for (int i = 0; i < plan->random_count; i++) {
      sums[i].first /= groups;
      sums[i].total /= groups;
      const double square = sums[i].deviation/groups - sums[i].first*sums[i].first;
      sums[i].deviation = groups > 1 ? sqrt(fmax(square, 0)*groups/(groups - 1)) : NAN;
    }
  }
}

/* ---------------------------------------------------------------- of a sweep */

bool pf_sweep_has_sensitivity(const PfSweep *sweep)
{
  return pf_plan_group(&sweep->plan) > 1 && sweep->plan.points == 1;
}

const char *pf_sweep_random_variable(const PfSweep *sweep, int index)
{
  return index >= 0 && index < sweep->plan.random_count
         ? sweep->plan.variables[sweep->plan.randoms[index].variable].name : NULL;
}

bool pf_sweep_is_morris(const PfSweep *sweep)
{
  return sweep->plan.design == PF_DESIGN_MORRIS;
}

PfStatus pf_sweep_sensitivity(PfSweep *sweep, const char *path, PfSensitivity *s)
{
  const size_t count = (size_t)sweep->output_set.columns*(size_t)sweep->plan.random_count;
  if (!pf_sweep_has_sensitivity(sweep))
    return pf_fail(sweep->ctx, PF_ERR_ARGUMENT, "sensitivities need the design 'saltelli' or 'morris', without a grid");
  PfArena *arena = pf_arena_new(pf_context_allocator(sweep->ctx));
  PfSummary *summary = NULL;
  PfStatus status = arena ? pf_summary_of_rows(sweep, arena, path, &summary) : pf_no_room(sweep->ctx, "sensitivities");
  if (status == PF_OK) memcpy(s, summary->sensitivity, count*sizeof *s);
  pf_arena_free(arena);
  return status;
}

/* ---------------------------------------------------------------- the summary */

PfStatus pf_summary_make(PfContext *ctx, PfArena *arena, const PfSweep *sweep, PfSummary **summary)
{
  PfSummary *s = *summary = pf_arena_array(arena, PfSummary, 1);
  if (!s) return pf_no_room(ctx, "the summary");
  s->sweep = sweep;
  s->outputs = sweep->output_set.columns;
  s->statistics = pf_arena_array(arena, PfStatistics, s->outputs);
  if (!s->statistics) return pf_no_room(ctx, "the summary");
  if (pf_sweep_has_sensitivity(sweep)) {
    const size_t outputs = (size_t)s->outputs;
    s->randoms = sweep->plan.random_count;
    s->size = (int)pf_plan_group(&sweep->plan);
    PF_TRY(pf_arrays(ctx, arena, "the summary", PF_ROOM(s->sensitivity, outputs*(size_t)s->randoms),
                     PF_ROOM(s->group, outputs*(size_t)s->size), PF_ROOM(s->total, PF_SENSITIVITY_TOTALS*outputs)));
  }
  for (int i = 0; i < s->outputs; i++) pf_statistics_begin(s->statistics + i);
  return PF_OK;
}

/* Of a design for sensitivities the member also goes into the group at hand, which is added to the sums when it is
 * complete. A member that failed takes its group with it. */
void pf_summary_add(PfSummary *s, long long member, const double *outputs, int end, const char *reason)
{
  end = end >= 0 && end < PF_MEMBER_ENDS ? end : PF_MEMBER_OTHER;
  const bool good = end != PF_MEMBER_MISSING && end < PF_MEMBER_NO_START;
  const int at = s->size ? (int)(member%s->size) : 0;
  s->members++;
  if (!s->ends[end]++) {
    s->first_of[end] = member;
    if (reason) memcpy(s->reason[end], reason, PF_REASON);
  }
  for (int i = 0; i < s->outputs; i++) {
    double *group = s->size ? s->group + i*s->size : NULL;
    if (good) pf_statistics_add(s->statistics + i, member, outputs[i]);
    if (!group) continue;
    group[at] = good ? outputs[i] : NAN;
    bool whole = at == s->size - 1;
    for (int k = 0; k < s->size && whole; k++) whole = isfinite(group[k]);
    if (whole)
      add_group(&s->sweep->plan, group, member - at, s->sensitivity + i*s->randoms,
                         s->total + PF_SENSITIVITY_TOTALS*i);
  }
}

/* Of a part of the members there are no sensitivities. */
void pf_summary_end(PfSummary *s)
{
  if (s->members != s->sweep->plan.count || s->ends[PF_MEMBER_MISSING]) s->randoms = 0;
  for (int t = 0; t < s->outputs && s->randoms; t++)
    end_sensitivity(&s->sweep->plan, s->sensitivity + t*s->randoms, s->total + PF_SENSITIVITY_TOTALS*t);
}

/* ---------------------------------------------------------------- from rows */

enum { BLOCK = 16384 };

/* The rows are read block by block. */
PfStatus pf_summary_of_rows(PfSweep *sweep, PfArena *arena, const char *path, PfSummary **summary)
{
  const long long count = sweep->plan.count;
  const int varied = sweep->plan.variable_count;
  PF_TRY(pf_summary_make(sweep->ctx, arena, sweep, summary));
  PfArena *room = pf_arena_new(pf_context_allocator(sweep->ctx));
  double *columns = room ? pf_arena_array(room, double, (size_t)BLOCK*(size_t)sweep->columns) : NULL;
  double *outputs = room ? pf_arena_array(room, double, sweep->output_set.columns) : NULL;
  unsigned char *ends = room ? pf_arena_array(room, unsigned char, BLOCK) : NULL;
  char *reasons = room ? pf_arena_array(room, char, (size_t)BLOCK*PF_REASON) : NULL;
  PfStatus status = columns && outputs && ends && reasons ? PF_OK : pf_no_room(sweep->ctx, "the summary");
  for (long long first = 0; first < count && status == PF_OK; first += BLOCK) {
    const long long rows = count - first < BLOCK ? count - first : BLOCK;
    status = pf_sweep_read(sweep, path, first, rows, columns, ends, reasons);
    for (long long k = 0; k < rows && status == PF_OK; k++) {
      for (int i = 0; i < (*summary)->outputs; i++) outputs[i] = columns[(varied + i)*rows + k];
      pf_summary_add(*summary, first + k, outputs, ends[k], reasons + k*PF_REASON);
    }
  }
  if (status == PF_OK) pf_summary_end(*summary);
  pf_arena_free(room);
  return status;
}
