/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method with statuses: the loop is that of the runtime. */
#include "num/newton.h"

typedef struct Caller {
  const PfNewton *newton;
  PfStatus status; /* of its latest function */
} Caller;

static bool find_residual(void *user, PfResidualNorm *norm)
{
  Caller *caller = user;
  caller->status = caller->newton->residual(caller->newton->user, norm);
  return caller->status == PF_OK;
}

static bool find_step(void *user, bool fresh, double *length)
{
  Caller *caller = user;
  caller->status = caller->newton->solve(caller->newton->user, fresh, length);
  return caller->status == PF_OK;
}

/* Functions that fail leave their status in the result. */
PfNewtonEnd pf_newton(const PfNewton *newton, const PfNewtonPolicy *policy, PfNewtonResult *result)
{
  Caller caller = {newton, PF_OK};
  const PfNewtonLoop loop = {.user = &caller, .n = newton->n, .x = newton->x, .step = newton->step,
                             .before = newton->before, .fresh = newton->fresh, .residual = find_residual,
                             .solve = find_step};
  PfNewtonOutcome outcome = {0};
  (void)pf_newton_loop(&loop, policy, &outcome);
  *result = (PfNewtonResult){.end = outcome.end, .status = caller.status, .iterations = outcome.iterations,
                             .norm = outcome.norm, .length = outcome.length};
  return result->end;
}
