/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations of a tree as a tape of their own: pf_flow_tape. */
#include "form/form_impl.h"
#include "form/unroll.h"

#include <math.h>

typedef struct Flow {
  PfContext *ctx;
  const PfModel *model;
  const PfSymbols *in;
  PfExpr *numbers; /* of the parameters, or NULL */
} Flow;

static PfStatus expand(const void *user, PfExpr *list, int count)
{
  const Flow *flow = user;
  PF_TRY(pf_insert_inputs(flow->ctx, flow->model, list, (size_t)count));
  if (!flow->numbers) return PF_OK;
  return pf_expr_substitute(flow->ctx, list, count, flow->in->symbol, flow->numbers, flow->in->time, list);
}

static PfStatus take_numbers(Flow *flow, PfArena *arena, const double *values)
{
  flow->numbers = pf_arena_array(arena, PfExpr, flow->in->time);
  if (!flow->numbers) return pf_no_room(flow->ctx, "the recursion");
  for (int i = 0; i < flow->in->time; i++) {
    if (!isfinite(values[i]))
      return pf_fail(flow->ctx, PF_ERR_ARGUMENT, "the parameter '%s' has no value", flow->model->parameters[i].name);
    flow->numbers[i] = pf_expr_double(flow->ctx, values[i]);
  }
  return PF_OK;
}

PfStatus pf_flow_tape(const PfSystem *system, const double *values, PfTape **tape)
{
  Flow flow = {.ctx = system->ctx, .model = system->eq->model, .in = &system->symbols};
  PfArena *arena = pf_arena_new(pf_context_allocator(flow.ctx));
  *tape = NULL;
  if (!arena) return pf_no_room(flow.ctx, "the recursion");
  PfStatus status = values ? take_numbers(&flow, arena, values) : PF_OK;
  const int first = values ? flow.in->time : 0;
  const PfUnrollPlan plan = {.inputs = flow.in->symbol + first, .input_count = flow.in->lambda - first,
                             .expand = expand, .user = &flow};
  if (status == PF_OK) status = pf_unroll(flow.ctx, system, &plan, tape);
  pf_arena_free(arena);
  return status;
}
