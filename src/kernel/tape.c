/* Making and freeing tapes. */
#include "kernel/kernel_impl.h"

/* The steps that kernel_impl.h lists. */
static PfStatus make(PfContext *ctx, PfArena *scratch, const PfExpr *inputs, const PfExpr *roots, PfItems *plain,
                     PfItems *items, PfGraph *graph, PfTape *tape)
{
  PF_TRY(pf_items_lower(ctx, plain, inputs, tape->input_count, roots, tape->output_count));
  PF_TRY(pf_items_factor(ctx, plain, items));
  pf_items_share(items, PF_ITEM_PRODUCT, scratch);
  pf_items_share(items, PF_ITEM_SUM, scratch);
  PF_TRY(pf_graph_build(ctx, graph, items, scratch));
  return pf_graph_emit(ctx, graph, scratch, tape);
}

static PfTape *allocate(PfContext *ctx, int input_count, int output_count)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfTape *tape = arena ? pf_arena_array(arena, PfTape, 1) : NULL;
  if (tape) *tape = (PfTape){.arena = arena, .input_count = input_count, .output_count = output_count};
  else pf_arena_free(arena);
  return tape;
}

PfStatus pf_tape_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                     PfTape **tape)
{
  *tape = NULL;
  if (input_count < 0 || root_count < 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "a tape of %d inputs and %d outputs", input_count, root_count);
  PfTape *made = allocate(ctx, input_count, root_count);
  if (!made) return pf_fail(ctx, PF_ERR_MEMORY, "no room for a tape");

  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfItems plain, items;
  PfGraph graph;
  pf_items_init(&plain, pf_context_allocator(ctx));
  pf_items_init(&items, pf_context_allocator(ctx));
  pf_graph_init(&graph, pf_context_allocator(ctx));
  PfStatus status = make(ctx, scratch, inputs, roots, &plain, &items, &graph, made);
  pf_graph_free(&graph);
  pf_items_free(&items);
  pf_items_free(&plain);
  pf_arena_release(scratch, mark);
  if (status == PF_OK) *tape = made;
  else pf_tape_free(made);
  return status;
}

void pf_tape_free(PfTape *tape)
{
  if (tape) pf_arena_free(tape->arena);
}

int pf_tape_input_count(const PfTape *tape)
{
  return tape->input_count;
}

int pf_tape_output_count(const PfTape *tape)
{
  return tape->output_count;
}

size_t pf_tape_work_size(const PfTape *tape)
{
  return tape->slot_count;
}

int pf_tape_instruction_count(const PfTape *tape)
{
  return tape->instruction_count;
}
