/* SPDX-License-Identifier: Apache-2.0 */
/* How much each random number matters, from the groups of members that a design makes for it. */
#include "sweep/sweep_impl.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- groups */

/* Variances by the estimators of Saltelli and others, Computer Physics Communications 181 (2010), table 2: (b) and (f).
 * A group is f(A), f(B), f(A with column i of B). */
static void add_variances(const double *f, int count, PfSensitivity *s, double *total)
{
  total[0] += f[0] + f[1];
  total[1] += f[0]*f[0] + f[1]*f[1];
  for (int i = 0; i < count; i++) {
    s[i].first += f[1]*(f[2 + i] - f[0]);
    s[i].total += (f[0] - f[2 + i])*(f[0] - f[2 + i]);
  }
}

static void end_variances(int count, PfSensitivity *s, const double *total, double groups)
{
  const double mean = total[0]/(2*groups), variance = total[1]/(2*groups) - mean*mean;
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

typedef struct Work {
  PfSweep *sweep;
  const char *path;
  int size;           /* of a group */
  long long block;    /* members that are read at once: whole groups */
  double *columns, *f, *total, *groups; /* total, groups: of each item */
  unsigned char *ends;
} Work;

static void add_group(const Work *w, long long first, long long rows, long long at, PfSensitivity *s)
{
  const PfPlan *plan = &w->sweep->plan;
  const int count = plan->chance_count;
  for (int t = 0; t < w->sweep->take.columns; t++) {
    const double *column = w->columns + (plan->variable_count + t)*rows + at;
    bool finite = true;
    for (int k = 0; k < w->size; k++) finite = finite && isfinite(w->f[k] = column[k]);
    if (!finite) continue; /* one that failed takes its group with it */
    w->groups[t]++;
    if (plan->design == PF_DESIGN_SALTELLI) add_variances(w->f, count, s + t*count, w->total + 2*t);
    else add_effects(plan, w->f, first + at, s + t*count);
  }
}

static PfStatus add_groups(const Work *w, PfSensitivity *s)
{
  const long long all = w->sweep->plan.count;
  for (long long first = 0; first < all; first += w->block) {
    const long long rows = all - first < w->block ? all - first : w->block;
    PF_TRY(pf_sweep_read(w->sweep, w->path, first, rows, w->columns, w->ends, NULL));
    for (long long at = 0; at + w->size <= rows; at += w->size) add_group(w, first, rows, at, s);
  }
  return PF_OK;
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
  const PfPlan *plan = &sweep->plan;
  const int taken = sweep->take.columns, count = plan->chance_count;
  PfArena *arena = pf_arena_new(pf_context_allocator(sweep->ctx));
  Work w = {.sweep = sweep, .path = path, .size = (int)pf_plan_group(plan)};
  w.block = (16384/w.size + 1)*w.size;
  if (arena) {
    w.columns = pf_arena_array(arena, double, w.block*sweep->columns);
    w.f = pf_arena_array(arena, double, w.size);
    w.total = pf_arena_array(arena, double, 2*taken);
    w.groups = pf_arena_array(arena, double, taken);
    w.ends = pf_arena_array(arena, unsigned char, w.block);
  }
  memset(s, 0, (size_t)taken*(size_t)count*sizeof *s);
  const bool good = arena && w.columns && w.f && w.total && w.groups && w.ends;
  PfStatus status = good ? add_groups(&w, s) : pf_no_room(sweep->ctx, "sensitivities");
  for (int t = 0; t < taken && status == PF_OK; t++) {
    if (plan->design == PF_DESIGN_SALTELLI) end_variances(count, s + t*count, w.total + 2*t, w.groups[t]);
    else end_effects(count, s + t*count, w.groups[t]);
  }
  pf_arena_free(arena);
  return status;
}
