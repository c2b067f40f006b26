/* SPDX-License-Identifier: Apache-2.0 */
/* How much each random number matters, from the groups of members that a design makes for it. */
#include "sweep/sensitivity.h"
#include "sweep/summary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- groups */

/* Variances by the estimators of Saltelli and others, Computer Physics Communications 181 (2010), table 2: (b) and (f).
 * A group is f(A), f(B), f(A with column i of B). */
static void add_variances(const double *f, int count, PfSensitivity *s, double *total)
{
  const double a = f[0] - total[2], b = f[1] - total[2]; /* from about the mean: what all have is only noise */
  total[0] += a + b;
  total[1] += a*a + b*b;
  for (int i = 0; i < count; i++) {
    s[i].first += b*(f[2 + i] - f[0]);
    s[i].total += (f[0] - f[2 + i])*(f[0] - f[2 + i]);
  }
}

/* NaN where the numbers differ by their rounding only: there is no variance to have parts. */
static double find_variance(const double *total, double groups)
{
  const double mean = total[0]/(2*groups), variance = total[1]/(2*groups) - mean*mean;
  const double rounding = 64*DBL_EPSILON*fabs(total[2]);
  return variance > rounding*rounding ? variance : NAN;
}

static void end_variances(int count, PfSensitivity *s, const double *total, double groups)
{
  const double variance = find_variance(total, groups);
  for (int i = 0; i < count; i++) {
    s[i].first = s[i].first/(groups*variance);
    s[i].total = s[i].total/(2*groups*variance);
  }
}

/* Which number a step of a path changes, and whether it goes up. */
static int find_step(const PfPlan *plan, long long member, bool *up)
{
  double before[256], after[256];
  pf_plan_member(plan, member, before);
  pf_plan_member(plan, member + 1, after);
  for (int i = 0; i < plan->chance_count; i++) {
    const int v = plan->chances[i].variable;
    *up = after[v] > before[v];
    if (after[v] != before[v]) return i;
  }
  return -1;
}

/* Elementary effects: what half of the range of a number, measured by its probability, makes of the result. Morris,
 * Technometrics 33 (1991); the mean of magnitudes by Campolongo and others (2007). */
static void add_effects(const PfPlan *plan, const double *f, long long first, PfSensitivity *s)
{
  for (int k = 0; k < plan->chance_count; k++) {
    bool up;
    const int i = find_step(plan, first + k, &up);
    if (i < 0) continue;
    const double effect = (up ? 2 : -2)*(f[k + 1] - f[k]);
    s[i].first += effect;
    s[i].total += fabs(effect);
    s[i].deviation += effect*effect;
  }
}

static void end_effects(int count, PfSensitivity *s, double groups)
{
  for (int i = 0; i < count; i++) {
    s[i].first /= groups;
    s[i].total /= groups;
    const double square = s[i].deviation/groups - s[i].first*s[i].first;
    s[i].deviation = groups > 1 ? sqrt(fmax(square, 0)*groups/(groups - 1)) : NAN;
  }
}

/* ---------------------------------------------------------------- all groups */

void pf_sensitivity_add(const PfPlan *plan, const double *f, long long first, PfSensitivity *sums, double *total)
{
  if (!(total[3]++ > 0)) total[2] = 0.5*(f[0] + f[1]);
  if (plan->design == PF_DESIGN_SALTELLI) add_variances(f, plan->chance_count, sums, total);
  else add_effects(plan, f, first, sums);
}

void pf_sensitivity_end(const PfPlan *plan, PfSensitivity *sums, const double *total)
{
  const double groups = total[3];
  if (plan->design == PF_DESIGN_SALTELLI) end_variances(plan->chance_count, sums, total, groups);
  else end_effects(plan->chance_count, sums, groups);
}

bool pf_sweep_has_sensitivity(const PfSweep *sweep)
{
  return pf_plan_group(&sweep->plan) > 1 && sweep->plan.points == 1;
}

const char *pf_sweep_chance(const PfSweep *sweep, int index)
{
  return index >= 0 && index < sweep->plan.chance_count
         ? sweep->plan.variables[sweep->plan.chances[index].variable].name : NULL;
}

bool pf_sweep_is_morris(const PfSweep *sweep)
{
  return sweep->plan.design == PF_DESIGN_MORRIS;
}

PfStatus pf_sweep_sensitivity(PfSweep *sweep, const char *path, PfSensitivity *s)
{
  const size_t count = (size_t)sweep->take.columns*(size_t)sweep->plan.chance_count;
  if (!pf_sweep_has_sensitivity(sweep))
    return pf_fail(sweep->ctx, PF_ERR_ARGUMENT, "sensitivities need the design 'saltelli' or 'morris', without a grid");
  PfArena *arena = pf_arena_new(pf_context_allocator(sweep->ctx));
  PfSummary *summary = NULL;
  PfStatus status = arena ? pf_summary_of_rows(sweep, arena, path, &summary) : pf_no_room(sweep->ctx, "sensitivities");
  if (status == PF_OK) memcpy(s, summary->sensitivity, count*sizeof *s);
  pf_arena_free(arena);
  return status;
}
