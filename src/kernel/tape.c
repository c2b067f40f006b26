/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing tapes. */
#include "kernel/kernel_impl.h"

static void join(PfTape *tape, PfTapeHelper *helper, PfTapeState *state)
{
  tape->helper = helper;
  tape->state = state;
  state[1].many = true;
  atomic_fetch_add(&helper->users, 1);
}

void pf_tape_helper_leave(PfTapeHelper *helper)
{
  if (atomic_fetch_sub(&helper->users, 1) == 1) helper->release(helper);
}

static PfTape *allocate(PfContext *ctx, int input_count, int output_count)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfTape *tape = arena ? pf_arena_array(arena, PfTape, 1) : NULL;
  PfTapeState *state = tape && pf_context_tape_helper(ctx) ? pf_arena_array(arena, PfTapeState, 2) : NULL;
  if (tape) *tape = (PfTape){.arena = arena, .input_count = input_count, .output_count = output_count};
  else pf_arena_free(arena);
  if (state) join(tape, pf_context_tape_helper(ctx), state);
  return tape;
}

/* The items are changed. */
static PfStatus build(PfContext *ctx, PfItems *items, PfGraph *graph)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  pf_items_invert(items, scratch);
  pf_items_share(items, PF_ITEM_PRODUCT, scratch);
  pf_items_share(items, PF_ITEM_SUM, scratch);
  PfStatus status = items->failed ? pf_no_room(ctx, "a tape") : pf_graph_build(ctx, graph, items, scratch);
  pf_arena_release(scratch, mark);
  return status;
}

static PfStatus build_best(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                           PfItems *plain, PfItems *factored, PfGraph *graph)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PF_TRY(pf_items_lower(ctx, plain, inputs, input_count, roots, root_count));
  bool better = pf_items_factor(plain, factored, scratch) &&
                pf_items_cost(factored, scratch) < pf_items_cost(plain, scratch);
  PF_TRY(pf_check_cancelled(ctx));
  return build(ctx, better ? factored : plain, graph);
}

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

PfStatus pf_graph_tape(PfContext *ctx, PfGraph *graph, int input_count, PfTape **tape)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfTape *made = allocate(ctx, input_count, (int)graph->roots.count);
  PfStatus status = made ? pf_graph_emit(ctx, graph, scratch, made) : pf_no_room(ctx, "a tape");
  pf_arena_release(scratch, mark);
  if (status == PF_OK) *tape = made;
  else if (made) pf_tape_free(made);
  return status;
}

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

void pf_tape_free(PfTape *tape)
{
  if (!tape) return;
  PfTapeHelper *helper = tape->helper;
  for (int k = 0; helper && k < 2; k++) helper->part(helper, tape->state + k);
  pf_arena_free(tape->arena);
  if (helper) pf_tape_helper_leave(helper);
}

size_t pf_tape_work_size(const PfTape *tape)
{
  size_t outputs = (size_t)tape->output_count; /* native code leaves them there, where places are asked for */
  return tape->slot_count > outputs ? tape->slot_count : outputs;
}

int pf_tape_instruction_count(const PfTape *tape)
{
  return tape->instruction_count;
}

const double *pf_tape_constants(const PfTape *tape)
{
  return tape->constants;
}

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
