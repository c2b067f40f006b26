/* SPDX-License-Identifier: Apache-2.0 */
/* From expressions to a tape: lowering to items, two candidates (as they are, with common factors taken out) of which
 * the cheaper is kept, sharing of common sums and products, the graph of operations, instructions. */
#include "kernel/kernel_impl.h"

/* The service is freed with its last user. */
void pf_native_service_release(PfNativeService *service)
{
  if (atomic_fetch_sub(&service->users, 1) == 1) service->release(service);
}

/* A tape with two states, for one evaluation and for many at a time, gets its native code from the service. */
static void join(PfTape *tape, PfNativeService *service, PfTapeState *state)
{
  tape->service = service;
  tape->state = state;
  state[1].many = true;
  atomic_fetch_add(&service->users, 1);
}

/* Two candidates cost twice the time of one; for energies that were differentiated the factored one is often half as
 * long. */
static PfStatus build_best(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                           PfItems *plain, PfItems *factored, PfGraph *graph)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PF_TRY(pf_items_lower(ctx, plain, inputs, input_count, roots, root_count));
  bool better = pf_items_factor(plain, factored, scratch) &&
                pf_items_cost(factored, scratch) < pf_items_cost(plain, scratch);
  PF_TRY(pf_check_cancelled(ctx));
  /* The items are changed. */
  PfItems *items = better ? factored : plain;
  PfMark mark = pf_arena_mark(scratch);
  pf_items_invert(items, scratch);
  pf_items_share(items, PF_ITEM_PRODUCT, scratch);
  pf_items_share(items, PF_ITEM_SUM, scratch);
  PfStatus status = items->failed ? pf_no_room(ctx, "a tape") : pf_graph_build(ctx, graph, items, scratch);
  pf_arena_release(scratch, mark);
  return status;
}

/* Fails with PF_ERR_NAME for a symbol that is not an input, with PF_ERR_MEMORY, or when the host cancels. */
PfStatus pf_graph_of(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                     PfGraph *graph)
{
  if (input_count < 0 || root_count < 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "a tape of %d inputs and %d outputs", input_count, root_count);
  PfItems plain, factored;
  pf_items_init(&plain, ctx);
  pf_items_init(&factored, ctx);
  PfStatus status = build_best(ctx, inputs, input_count, roots, root_count, &plain, &factored, graph);
  pf_items_free(&factored);
  pf_items_free(&plain);
  return status;
}

/* *tape is set on success only. The tape has an arena of its own and, where the context has a service, a state for
 * single runs and one for groups. */
PfStatus pf_graph_tape(PfContext *ctx, PfGraph *graph, int input_count, PfTape **tape)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfTape *made = arena ? pf_arena_array(arena, PfTape, 1) : NULL;
  PfTapeState *state = made && pf_context_native_service(ctx) ? pf_arena_array(arena, PfTapeState, 2) : NULL;
  if (made) *made = (PfTape){.arena = arena, .input_count = input_count, .output_count = (int)graph->roots.count};
  else pf_arena_free(arena);
  if (state) join(made, pf_context_native_service(ctx), state);
  pf_context_note_tape(ctx);
  PfStatus status = made ? pf_graph_emit(ctx, graph, scratch, made) : pf_no_room(ctx, "a tape");
  pf_arena_release(scratch, mark);
  if (status == PF_OK) *tape = made;
  else if (made) pf_tape_free(made);
  return status;
}

/* From expressions to a tape: lowering, factoring, sharing, graph, instructions. Cost: a few passes over all nodes that
 * the roots reach. The tape is freed by pf_tape_free. */
PfStatus pf_tape_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots,
                     int root_count, PfTape **tape)
{
  PfGraph graph;
  *tape = NULL;
  pf_graph_init(&graph, ctx);
  PfStatus status = pf_graph_of(ctx, inputs, input_count, roots, root_count, &graph);
  if (status == PF_OK) status = pf_graph_tape(ctx, &graph, input_count, tape);
  pf_graph_free(&graph);
  return status;
}

/* See native.h. */
PfStatus pf_tape_view(PfContext *ctx, PfArena *arena, const PfTape *from, PfTape **tape)
{
  const bool helped = pf_context_native_service(ctx);
  PfTapeState *state = helped ? pf_arena_array(arena, PfTapeState, 2) : NULL;
  PfTape *view = !helped || state ? pf_arena_array(arena, PfTape, 1) : NULL;
  *tape = view;
  if (!view) return pf_no_room(ctx, "a tape");
  *view = *from;
  view->arena = NULL;
  view->service = NULL;
  view->state = NULL;
  if (state) join(view, pf_context_native_service(ctx), state);
  return PF_OK;
}

/* Native code is closed first; NULL is allowed. */
void pf_tape_free(PfTape *tape)
{
  if (!tape) return;
  PfNativeService *service = tape->service;
  for (int k = 0; service && k < 2; k++) service->part(service, tape->state + k);
  pf_arena_free(tape->arena);
  if (service) pf_native_service_release(service);
}

/* In doubles. */
size_t pf_tape_work_size(const PfTape *tape)
{
  size_t outputs = (size_t)tape->output_count; /* native code leaves them there, where places are requested */
  return tape->slot_count > outputs ? tape->slot_count : outputs;
}

/* Of the interpreter: fused operations count as one. */
int pf_tape_instruction_count(const PfTape *tape)
{
  return tape->instruction_count;
}

/* Two tapes with the same description differ in constants at most. */
void pf_tape_describe(const PfTape *tape, void (*take)(void *user, const void *bytes, size_t count), void *user)
{
  const uint64_t counts[] = {(uint64_t)tape->input_count, (uint64_t)tape->output_count,
                             (uint64_t)tape->instruction_count, tape->constant_count, tape->slot_count};
  size_t runs = 0;
  while (tape->runs[runs] != PF_RUN(PF_TAPE_END, 1)) runs++;
  take(user, counts, sizeof counts);
  take(user, tape->instructions, (size_t)tape->instruction_count*sizeof *tape->instructions);
  take(user, tape->runs, runs*sizeof *tape->runs);
  take(user, tape->outputs, (size_t)tape->output_count*sizeof *tape->outputs);
}
