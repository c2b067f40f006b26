/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing tapes. */
#include "kernel/kernel_impl.h"

static PfTape *allocate(PfContext *ctx, int input_count, int output_count)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfTape *tape = arena ? pf_arena_array(arena, PfTape, 1) : NULL;
  if (tape) *tape = (PfTape){.arena = arena, .input_count = input_count, .output_count = output_count};
  else pf_arena_free(arena);
  return tape;
}

/* From items to a tape. The items are changed. */
static PfStatus finish(PfContext *ctx, PfItems *items, PfTape *tape)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfGraph graph;
  pf_graph_init(&graph, items->allocator);
  pf_items_share(items, PF_ITEM_PRODUCT, scratch);
  pf_items_share(items, PF_ITEM_SUM, scratch);
  PfStatus status = items->failed ? pf_no_room(ctx, "a tape")
                                  : pf_graph_build(ctx, &graph, items, scratch);
  if (status == PF_OK) status = pf_graph_emit(ctx, &graph, scratch, tape);
  pf_graph_free(&graph);
  pf_arena_release(scratch, mark);
  return status;
}

static PfStatus make(PfContext *ctx, PfItems *items, int input_count, int output_count, PfTape **tape)
{
  PfTape *made = allocate(ctx, input_count, output_count);
  if (!made) return pf_no_room(ctx, "a tape");
  PfStatus status = finish(ctx, items, made);
  if (status == PF_OK) *tape = made;
  else pf_tape_free(made);
  return status;
}

static PfStatus make_best(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots,
                          int root_count, PfItems *plain, PfItems *factored, PfTape **tape)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PF_TRY(pf_items_lower(ctx, plain, inputs, input_count, roots, root_count));
  bool better = pf_items_factor(plain, factored, scratch) &&
                pf_items_cost(factored, scratch) < pf_items_cost(plain, scratch);
  return make(ctx, better ? factored : plain, input_count, root_count, tape);
}

PfStatus pf_tape_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots,
                     int root_count, PfTape **tape)
{
  *tape = NULL;
  if (input_count < 0 || root_count < 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "a tape of %d inputs and %d outputs", input_count, root_count);
  PfItems plain, factored;
  pf_items_init(&plain, pf_context_allocator(ctx));
  pf_items_init(&factored, pf_context_allocator(ctx));
  PfStatus status = make_best(ctx, inputs, input_count, roots, root_count, &plain, &factored, tape);
  pf_items_free(&factored);
  pf_items_free(&plain);
  return status;
}

void pf_tape_free(PfTape *tape)
{
  if (tape) pf_arena_free(tape->arena);
}

size_t pf_tape_work_size(const PfTape *tape)
{
  return tape->slot_count;
}

int pf_tape_instruction_count(const PfTape *tape)
{
  return tape->instruction_count;
}
