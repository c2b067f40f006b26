/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method: the loop, for every residual, step and policy. */
#include "num/newton.h"

#include <math.h>
#include <string.h>

typedef struct Iteration {
  const PfNewton *newton;
  const PfNewtonPolicy *policy;
  PfNewtonResult *result;
  PfMiss now, last; /* last: where the step began */
  double share;     /* of the step that was taken */
  int halvings;
  bool fresh;       /* the factors belong to this iteration */
} Iteration;

static bool evaluate(Iteration *it)
{
  const PfNewton *newton = it->newton;
  it->result->status = newton->residual(newton->user, &it->now);
  it->result->miss = it->now.size;
  return it->result->status == PF_OK;
}

static void go(Iteration *it, double share)
{
  const PfNewton *newton = it->newton;
  it->share = share;
  for (int j = 0; j < newton->n; j++) newton->x[j] = newton->before[j] + share*newton->step[j];
}

static PfNewtonEnd fail(Iteration *it)
{
  return it->result->end = PF_NEWTON_FAILED;
}

/* Back to where the step began. */
static PfNewtonEnd take_back(Iteration *it, PfNewtonEnd end)
{
  if (it->policy->halvings) {
    go(it, 0);
    if (!evaluate(it)) return fail(it);
  }
  return it->result->end = end;
}

/* Does the miss stay what it is because of rounding? */
static bool is_stalled(const Iteration *it)
{
  const PfNewtonPolicy *policy = it->policy;
  if (it->result->iterations == 0 || !(it->now.size >= policy->stall*it->last.size)) return false;
  return it->now.size <= policy->rounding || (it->result->length < policy->negligible && isfinite(it->now.size));
}

static bool has_fallen(const Iteration *it)
{
  if (!isfinite(it->now.merit)) return false;
  if (it->result->iterations <= it->policy->patience) return true;
  return it->now.merit < (1 - it->policy->decrease*it->share)*it->last.merit;
}

/* The next step; false when there is none. */
static bool take_step(Iteration *it, bool stalled)
{
  const PfNewton *newton = it->newton;
  const PfNewtonPolicy *policy = it->policy;
  PfNewtonResult *result = it->result;
  bool fresh = stalled || !(policy->reuse > 0) || it->now.merit > policy->reuse*it->last.merit;
  result->length = 0;
  result->status = newton->solve(newton->user, fresh, &result->length);
  if (fresh) it->fresh = true;
  if (result->status != PF_OK) result->end = PF_NEWTON_FAILED;
  else if (isnan(result->length)) result->end = PF_NEWTON_NOT_FINITE;
  else if (policy->longest > 0 && result->length > policy->longest) result->end = PF_NEWTON_ASTRAY;
  else if (!(result->length < policy->shortest)) {
    if (policy->halvings) memcpy(newton->before, newton->x, (size_t)newton->n*sizeof *newton->x);
    for (int j = 0; j < newton->n; j++) newton->x[j] += newton->step[j];
    it->last = it->now;
    it->share = 1;
    it->halvings = 0;
    result->iterations++;
    return true;
  }
  return false;
}

PfNewtonEnd pf_newton(const PfNewton *newton, const PfNewtonPolicy *policy, PfNewtonResult *result)
{
  Iteration it = {newton, policy, result, .last = {INFINITY, INFINITY}, .share = 1, .fresh = newton->fresh};
  *result = (PfNewtonResult){.end = PF_NEWTON_CONVERGED, .length = INFINITY};
  for (;;) {
    if (!evaluate(&it)) return fail(&it);
    if (it.now.size <= policy->enough) return result->end;
    bool stalled = is_stalled(&it);
    if (stalled && it.fresh) return it.now.merit < it.last.merit ? result->end : take_back(&it, result->end);
    if (!stalled && !has_fallen(&it)) {
      if (result->iterations == 0) return result->end = PF_NEWTON_NOT_FINITE;
      if (it.halvings == policy->halvings) return take_back(&it, PF_NEWTON_STUCK);
      it.halvings++;
      go(&it, it.share/2);
      continue;
    }
    if (result->iterations == policy->iterations) return result->end = PF_NEWTON_LIMIT;
    if (!take_step(&it, stalled)) return result->end;
  }
}
