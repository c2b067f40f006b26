/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations of a tree as a tape of their own: pf_flow_tape.
 *
 * The tape computes q'' of a tree without constraints from parameters, time, inputs, q and v, followed by
 * PF_UNROLL_PAIRS pairs of a pivot and its size. `recursive` runs it for small trees, and lanes of sweeps do
 * (sweep/lanes_make.c). */
#include "form/form_impl.h"
#include "form/unroll.h"

#include <math.h>

typedef struct Flow {
  PfContext *ctx;
  const PfModel *model;
  const PfSymbols *in;
  PfExpr *numbers; /* of the parameters, or NULL */
} Flow;

/* Inputs by their functions of time; parameters by their numbers where these are known. */
static PfStatus expand(const void *user, PfExpr *list, int count)
{
  const Flow *flow = user;
  PF_TRY(pf_insert_inputs(flow->ctx, flow->model, list, (size_t)count));
  if (!flow->numbers) return PF_OK;
  return pf_expr_substitute(flow->ctx, list, count, flow->in->symbol, flow->numbers, flow->in->time, list);
}

/* With `values` (numbers of pf_system_symbols) the parameters are numbers in the tape, whose inputs then begin with the
 * time. Fails with PF_ERR_MODEL where the recursion does not apply and with PF_ERR_ARGUMENT where a parameter has no
 * value. */
PfStatus pf_flow_tape(const PfSystem *system, const double *values, PfTape **tape)
{
  Flow flow = {.ctx = system->ctx, .model = system->eq->model, .in = &system->symbols};
  PfArena *arena = pf_arena_new(pf_context_allocator(flow.ctx));
  *tape = NULL;
  if (!arena) return pf_no_room(flow.ctx, "the recursion");
  PfStatus status = PF_OK;
  if (values) flow.numbers = pf_arena_array(arena, PfExpr, flow.in->time);
  if (values && !flow.numbers) status = pf_no_room(flow.ctx, "the recursion");
  for (int i = 0; values && status == PF_OK && i < flow.in->time; i++) {
    if (!isfinite(values[i]))
      status = pf_fail(flow.ctx, PF_ERR_ARGUMENT, "the parameter '%s' has no value", flow.model->parameters[i].name);
    else flow.numbers[i] = pf_expr_double(flow.ctx, values[i]);
  }
  const int first = values ? flow.in->time : 0;
  const PfUnrollPlan plan = {.inputs = flow.in->symbol + first, .input_count = flow.in->lambda - first,
                             .expand = expand, .user = &flow};
  if (status == PF_OK) status = pf_unroll(flow.ctx, system, &plan, tape);
  pf_arena_free(arena);
  return status;
}
