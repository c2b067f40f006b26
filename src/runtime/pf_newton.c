/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
#include "pf_newton.h"

#ifndef PF_SINGLE

#include <string.h>

typedef struct PfNewtonIteration {
  const PfNewtonLoop *newton;
  const PfNewtonPolicy *policy;
  PfNewtonOutcome *outcome;
  PfResidualNorm now, last; /* last: where the step began */
  double fraction;             /* of the step that was taken */
  int halvings;
  bool fresh;       /* the factors belong to this iteration */
} PfNewtonIteration;

static bool pf_newton_evaluate(PfNewtonIteration *it)
{
  const PfNewtonLoop *newton = it->newton;
  const bool good = newton->residual(newton->user, &it->now);
  it->outcome->norm = it->now.size;
  return good;
}

static void pf_newton_go(PfNewtonIteration *it, double fraction)
{
  const PfNewtonLoop *newton = it->newton;
  it->fraction = fraction;
  for (int j = 0; j < newton->n; j++) newton->x[j] = newton->before[j] + fraction*newton->step[j];
}

static PfNewtonEnd pf_newton_fail(PfNewtonIteration *it)
{
  return it->outcome->end = PF_NEWTON_FAILED;
}

/* Back to where the step began. */
static PfNewtonEnd pf_newton_take_back(PfNewtonIteration *it, PfNewtonEnd end)
{
  if (it->policy->halvings) {
    pf_newton_go(it, 0);
    if (!pf_newton_evaluate(it)) return pf_newton_fail(it);
  }
  return it->outcome->end = end;
}

/* Does the residual stay what it is because of rounding? */
static bool pf_newton_is_stalled(const PfNewtonIteration *it)
{
  const PfNewtonPolicy *policy = it->policy;
  if (it->outcome->iterations == 0 || !(it->now.size >= policy->stall*it->last.size)) return false;
  return it->now.size <= policy->rounding || (it->outcome->length < policy->negligible && isfinite(it->now.size));
}

static bool pf_newton_has_fallen(const PfNewtonIteration *it)
{
  if (!isfinite(it->now.merit)) return false;
  if (it->outcome->iterations <= it->policy->patience) return true;
  return it->now.merit < (1 - it->policy->decrease*it->fraction)*it->last.merit;
}

/* The next step; false when there is none. A step with factors that are used again counts as one, too. */
static bool pf_newton_take_step(PfNewtonIteration *it, bool stalled)
{
  const PfNewtonLoop *newton = it->newton;
  const PfNewtonPolicy *policy = it->policy;
  PfNewtonOutcome *outcome = it->outcome;
  bool fresh = stalled || !(policy->reuse > 0) || it->now.merit > policy->reuse*it->last.merit;
  outcome->length = 0;
  const bool good = newton->solve(newton->user, fresh, &outcome->length);
  if (fresh) it->fresh = true;
  if (!good) outcome->end = PF_NEWTON_FAILED;
  else if (isnan(outcome->length)) outcome->end = PF_NEWTON_NOT_FINITE;
  else if (policy->longest > 0 && outcome->length > policy->longest) outcome->end = PF_NEWTON_ASTRAY;
  else if (!(outcome->length < policy->shortest)) {
    if (policy->halvings) memcpy(newton->before, newton->x, (size_t)newton->n*sizeof *newton->x);
    for (int j = 0; j < newton->n; j++) newton->x[j] += newton->step[j];
    it->last = it->now;
    it->fraction = 1;
    it->halvings = 0;
    outcome->iterations++;
    return true;
  }
  return false;
}

/* The loop: residual, test, step or half of it. */
PF_RUNTIME PfNewtonEnd pf_newton_loop(const PfNewtonLoop *newton, const PfNewtonPolicy *policy,
                                      PfNewtonOutcome *outcome)
{
  const PfNewtonOutcome begun = {.end = PF_NEWTON_CONVERGED, .length = INFINITY};
  PfNewtonIteration it = {newton, policy, outcome, .last = {INFINITY, INFINITY}, .fraction = 1, .fresh = newton->fresh};
  *outcome = begun;
  for (;;) {
    if (!pf_newton_evaluate(&it)) return pf_newton_fail(&it);
    if (it.now.size <= policy->enough) return outcome->end;
    bool stalled = pf_newton_is_stalled(&it);
    if (stalled && it.fresh)
      return it.now.merit < it.last.merit ? outcome->end : pf_newton_take_back(&it, outcome->end);
    if (!stalled && !pf_newton_has_fallen(&it)) {
      if (outcome->iterations == 0) return outcome->end = PF_NEWTON_NOT_FINITE;
      if (it.halvings == policy->halvings) return pf_newton_take_back(&it, PF_NEWTON_STUCK);
      it.halvings++;
      pf_newton_go(&it, it.fraction/2);
      continue;
    }
    if (outcome->iterations == policy->iterations) return outcome->end = PF_NEWTON_LIMIT;
    if (!pf_newton_take_step(&it, stalled)) return outcome->end;
  }
}

#endif
