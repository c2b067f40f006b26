/* SPDX-License-Identifier: Apache-2.0 */
/* The graph to instructions: pairs of operations that one instruction does are fused; the order is one of runs of equal
 * instructions, as long as they can be found, because a processor foresees a jump that goes where the last one went; a
 * slot is free again after the last use of its value.
 *
 * The numbers do not depend on the order: each operation has the operands that it has in the graph. */
#include "kernel/kernel_impl.h"

enum { MOST_SLOTS = 1 << 24 };

typedef struct Emit {
  PfContext *ctx;
  PfGraph *graph;
  PfTape *tape;
  uint32_t *uses;  /* of each node, that are still to come; an output is a use that never comes */
  uint32_t *slot;  /* of each node that is done */
  bool *done;
  uint32_t *free;  /* slots to use again, the last freed first: it is in the cache */
  size_t free_count, run_count;
} Emit;

/* ---------------------------------------------------------------- fusing */

/* An operation around an inner one that has no other use, and the one instruction that does both. */
typedef struct Fusion {
  uint8_t outer, inner, place; /* place of the inner one among the operands of the outer: 0 or 1 */
  uint8_t fused;
  char order[4]; /* its operands: x, y of the inner operation, o the other one of the outer */
} Fusion;

/* The first that fits is taken. */
static const Fusion fusions[] = {
  {PF_TAPE_ADD, PF_TAPE_MUL, 1, PF_TAPE_ADD_MUL, "oxy"},
  {PF_TAPE_ADD, PF_TAPE_MUL, 0, PF_TAPE_ADD_MUL, "oxy"},
  {PF_TAPE_SUB, PF_TAPE_MUL, 1, PF_TAPE_SUB_MUL, "oxy"},
  {PF_TAPE_SUB, PF_TAPE_MUL, 0, PF_TAPE_MUL_SUB, "oxy"},
  {PF_TAPE_MUL, PF_TAPE_MUL, 0, PF_TAPE_MUL_MUL, "xyo"},
  {PF_TAPE_MUL, PF_TAPE_MUL, 1, PF_TAPE_MUL_MUL, "xyo"},
  {PF_TAPE_MUL, PF_TAPE_ADD, 0, PF_TAPE_ADD_TIMES, "xyo"},
  {PF_TAPE_MUL, PF_TAPE_ADD, 1, PF_TAPE_ADD_TIMES, "xyo"},
  {PF_TAPE_MUL, PF_TAPE_SUB, 0, PF_TAPE_SUB_TIMES, "xyo"},
  {PF_TAPE_MUL, PF_TAPE_SUB, 1, PF_TAPE_SUB_TIMES, "xyo"},
  {PF_TAPE_ADD, PF_TAPE_ADD, 0, PF_TAPE_ADD_ADD, "xyo"},
  {PF_TAPE_ADD, PF_TAPE_ADD, 1, PF_TAPE_ADD_ADD, "xyo"},
  {PF_TAPE_ADD, PF_TAPE_SUB, 0, PF_TAPE_SUB_ADD, "xyo"},
  {PF_TAPE_ADD, PF_TAPE_SUB, 1, PF_TAPE_SUB_ADD, "xyo"},
  {PF_TAPE_SUB, PF_TAPE_ADD, 0, PF_TAPE_ADD_SUB, "xyo"},
  {PF_TAPE_SUB, PF_TAPE_SUB, 0, PF_TAPE_SUB_SUB, "xyo"},
  {PF_TAPE_DIV, PF_TAPE_MUL, 0, PF_TAPE_MUL_DIV, "xyo"},
  {PF_TAPE_DIV, PF_TAPE_MUL, 1, PF_TAPE_DIV_MUL, "oxy"},
  {PF_TAPE_NEG, PF_TAPE_MUL, 0, PF_TAPE_NEG_MUL, "xy"},
};

/* Replaces a node and the inner operation that it alone uses by one instruction; the rounding of both operations stays
 * as it is. */
static void fuse(Emit *emit, PfGraphNode *node)
{
  for (size_t i = 0; i < sizeof fusions/sizeof *fusions; i++) {
    const Fusion *fusion = fusions + i;
    if (fusion->outer != node->op) continue;
    uint32_t inner = pf_value_operand(node, fusion->place), other = pf_value_operand(node, 1 - fusion->place);
    const PfGraphNode *in = emit->graph->nodes.at + inner;
    if (in->op != fusion->inner || emit->uses[inner] != 1) continue;
    uint32_t operands[3] = {0};
    for (int k = 0; k < 3 && fusion->order[k]; k++)
      operands[k] = fusion->order[k] == 'x' ? in->a : fusion->order[k] == 'y' ? in->b : other;
    *node = (PfGraphNode){fusion->fused, operands[0], operands[1], operands[2]};
    emit->uses[inner] = 0;
    return;
  }
}

/* -(a - b) is b - a, exactly, and -(a - b)*c is (b - a)*c. */
static void drop_negation(Emit *emit, PfGraphNode *node)
{
  const uint32_t inner = node->a;
  PfGraphNode *in = emit->graph->nodes.at + inner, *turned = NULL;
  if (node->op != PF_TAPE_NEG || emit->uses[inner] != 1) return;
  if (in->op == PF_TAPE_SUB) turned = in;
  for (int k = 0; k < 2 && (in->op == PF_TAPE_MUL || in->op == PF_TAPE_DIV); k++) {
    PfGraphNode *factor = emit->graph->nodes.at + pf_value_operand(in, k);
    if (factor->op == PF_TAPE_SUB && emit->uses[pf_value_operand(in, k)] == 1) turned = factor;
  }
  if (!turned) return;
  uint32_t a = turned->a;
  turned->a = turned->b;
  turned->b = a;
  *node = *in;
  emit->uses[inner] = 0;
}

/* ---------------------------------------------------------------- slots */

/* Constants that are used get the first slots, inputs the next ones. Constants that fusing has made superfluous get no
 * slot. */
static void place_leaves(Emit *emit)
{
  PfGraph *graph = emit->graph;
  PfTape *tape = emit->tape;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    if (graph->nodes.at[i].op != PF_VALUE_CONSTANT || !emit->uses[i]) continue;
    tape->constants[tape->constant_count] = graph->constants.at[graph->nodes.at[i].a];
    emit->slot[i] = tape->constant_count++;
    emit->done[i] = true;
  }
  for (size_t i = 0; i < graph->nodes.count; i++) {
    if (graph->nodes.at[i].op != PF_VALUE_INPUT) continue;
    emit->slot[i] = tape->constant_count + graph->nodes.at[i].a;
    emit->done[i] = true;
  }
  tape->slot_count = tape->constant_count + (uint32_t)tape->input_count;
}

/* A free slot, or a new one at the end. */
static uint32_t take_slot(Emit *emit)
{
  return emit->free_count ? emit->free[--emit->free_count] : emit->tape->slot_count++;
}

/* One use less; a slot of a computed value is free after its last use. */
static void use(Emit *emit, uint32_t node)
{
  uint32_t first = emit->tape->constant_count + (uint32_t)emit->tape->input_count;
  if (--emit->uses[node] == 0 && emit->slot[node] >= first) emit->free[emit->free_count++] = emit->slot[node];
}

/* ---------------------------------------------------------------- instructions */

/* An instruction of the tape; arithmetic ones join the run before them. */
static void append(Emit *emit, uint32_t op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
  PfTape *tape = emit->tape;
  /* The run before goes on, if it is one of the same operation and there is room in it. */
  uint16_t *runs = emit->tape->runs;
  uint32_t last = emit->run_count ? runs[emit->run_count - 1] : PF_RUN(PF_TAPE_END, 1);
  uint32_t most = op < PF_TAPE_SQRT ? PF_RUN_MOST : 1; /* arithmetic comes first */
  if (last >= PF_RUN(op, 1) && last < PF_RUN(op, most)) runs[emit->run_count - 1]++;
  else runs[emit->run_count++] = (uint16_t)PF_RUN(op, 1);
  tape->instructions[tape->instruction_count++] = (PfInstruction){pf_slots(dst, a), pf_slots(b, c)};
}

/* The cosine of the sine's argument or the other way round, if it is still to be done. */
static bool find_partner(const Emit *emit, const PfGraphNode *node, uint32_t *partner)
{
  if (node->op != PF_TAPE_SIN && node->op != PF_TAPE_COS) return false;
  *partner = pf_graph_find(emit->graph, node->op == PF_TAPE_SIN ? PF_TAPE_COS : PF_TAPE_SIN, node->a, 0, 0);
  return *partner != UINT32_MAX && emit->uses[*partner] && !emit->done[*partner];
}

/* The instruction of one node; a sine and a cosine of one angle are one instruction. */
static void emit_node(Emit *emit, uint32_t i)
{
  const PfGraphNode *node = emit->graph->nodes.at + i;
  uint32_t partner, slots[3] = {0};
  if (find_partner(emit, node, &partner)) {
    uint32_t argument = emit->slot[node->a];
    use(emit, node->a);
    use(emit, node->a);
    emit->slot[i] = take_slot(emit);
    emit->slot[partner] = take_slot(emit);
    emit->done[i] = emit->done[partner] = true;
    bool sine = node->op == PF_TAPE_SIN;
    append(emit, PF_TAPE_SINCOS, emit->slot[sine ? i : partner], argument, emit->slot[sine ? partner : i], 0);
    return;
  }
  const int operands = pf_op_operands(node->op);
  for (int k = 0; k < operands; k++) slots[k] = emit->slot[pf_value_operand(node, k)];
  for (int k = 0; k < operands; k++) use(emit, pf_value_operand(node, k)); /* the result may reuse a slot */
  emit->slot[i] = take_slot(emit);
  emit->done[i] = true;
  append(emit, node->op, emit->slot[i], slots[0], slots[1], slots[2]);
}

/* ---------------------------------------------------------------- order */

/* Nodes whose operands are done wait in a queue for each instruction: a list through `next`. */
typedef struct Order {
  uint32_t *missing;      /* operands of each node that are not done */
  uint32_t *first, *user; /* users of node i: user[first[i]] … user[first[i + 1] - 1] */
  uint32_t *next;
  uint32_t head[PF_TAPE_OP_COUNT], tail[PF_TAPE_OP_COUNT], waiting[PF_TAPE_OP_COUNT];
} Order;

enum { NO_NODE = UINT32_MAX };

static bool is_operation(const Emit *emit, size_t i)
{
  return emit->uses[i] && emit->graph->nodes.at[i].op < PF_TAPE_OP_COUNT;
}

/* Puts a node whose operands are done into the queue of its instruction; a sine and a cosine of one argument are
 * one. */
static void enter(const Emit *emit, Order *order, uint32_t i)
{
  uint32_t partner;
  uint32_t op = find_partner(emit, emit->graph->nodes.at + i, &partner) ? PF_TAPE_SINCOS : emit->graph->nodes.at[i].op;
  order->next[i] = NO_NODE;
  if (order->head[op] == NO_NODE) order->head[op] = i;
  else order->next[order->tail[op]] = i;
  order->tail[op] = i;
  order->waiting[op]++;
}

/* Its users have one operand less to wait for. */
static void release(const Emit *emit, Order *order, uint32_t i)
{
  for (uint32_t k = order->first[i]; k < order->first[i + 1]; k++)
    if (--order->missing[order->user[k]] == 0) enter(emit, order, order->user[k]);
}

/* Runs: of the instruction for which most nodes wait all that wait, and all that are ready by then. Cancellation by the
 * host is checked once for each run. */
static void emit_runs(Emit *emit, Order *order)
{
  for (;;) {
    uint32_t op = 0, partner;
    for (uint32_t other = 1; other < PF_TAPE_OP_COUNT; other++)
      if (order->waiting[other] > order->waiting[op]) op = other;
    if (!order->waiting[op] || pf_context_is_cancelled(emit->ctx)) return;
    while (order->waiting[op]) {
      uint32_t i = order->head[op];
      order->head[op] = order->next[i];
      order->waiting[op]--;
      if (emit->done[i]) continue; /* a cosine may be done with its sine */
      bool pair = find_partner(emit, emit->graph->nodes.at + i, &partner);
      emit_node(emit, i);
      release(emit, order, i);
      if (pair) release(emit, order, partner);
    }
  }
}

/* Topological order by counting missing operands; ready nodes of one operation form runs. */
static PfStatus emit_all(Emit *emit, PfArena *scratch)
{
  const PfGraph *graph = emit->graph;
  size_t count = graph->nodes.count, uses = 0;
  for (size_t i = 0; i < count; i++)
    if (is_operation(emit, i)) uses += (size_t)pf_op_operands(graph->nodes.at[i].op);
  Order order = {.missing = pf_arena_array(scratch, uint32_t, count),
                 .first = pf_arena_array(scratch, uint32_t, count + 2),
                 .user = pf_arena_array(scratch, uint32_t, uses), .next = pf_arena_array(scratch, uint32_t, count)};
  if (!order.missing || !order.first || !order.user || !order.next) return pf_no_room(emit->ctx, "a tape");
  for (int op = 0; op < PF_TAPE_OP_COUNT; op++) order.head[op] = order.tail[op] = NO_NODE;
  /* The users of each node: counted, added up, then filled in, in the order of the nodes. */
  for (size_t i = 0; i < graph->nodes.count; i++)
    for (int k = 0; is_operation(emit, i) && k < pf_op_operands(graph->nodes.at[i].op); k++)
      order.first[pf_value_operand(graph->nodes.at + i, k) + 2]++;
  for (size_t i = 2; i < graph->nodes.count + 2; i++) order.first[i] += order.first[i - 1];
  for (size_t i = 0; i < graph->nodes.count; i++)
    for (int k = 0; is_operation(emit, i) && k < pf_op_operands(graph->nodes.at[i].op); k++)
      order.user[order.first[pf_value_operand(graph->nodes.at + i, k) + 1]++] = (uint32_t)i;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    if (!is_operation(emit, i)) continue;
    for (int k = 0; k < pf_op_operands(graph->nodes.at[i].op); k++)
      order.missing[i] += !emit->done[pf_value_operand(graph->nodes.at + i, k)];
    if (!order.missing[i]) enter(emit, &order, (uint32_t)i);
  }
  emit_runs(emit, &order);
  return pf_check_cancelled(emit->ctx);
}

/* ---------------------------------------------------------------- memory */

/* Constants, instructions, runs and outputs by the number of nodes that are used. False without memory. */
static bool make_tape_room(Emit *emit)
{
  PfTape *tape = emit->tape;
  size_t nodes = 0, constants = 0;
  for (size_t i = 0; i < emit->graph->nodes.count; i++) {
    if (!emit->uses[i]) continue;
    constants += emit->graph->nodes.at[i].op == PF_VALUE_CONSTANT;
    nodes++;
  }
  tape->constants = pf_arena_array(tape->arena, double, constants);
  tape->instructions = pf_arena_array(tape->arena, PfInstruction, nodes);
  tape->runs = pf_arena_array(tape->arena, uint16_t, nodes + 1);
  tape->outputs = pf_arena_array(tape->arena, uint32_t, emit->graph->roots.count);
  return tape->constants && tape->instructions && tape->runs && tape->outputs;
}

/* The tape has its arena and its counts of inputs and outputs already. Fails with PF_ERR_LIMIT where it would hold more
 * values than slots can be numbered. */
PfStatus pf_graph_emit(PfContext *ctx, PfGraph *graph, PfArena *scratch, PfTape *tape)
{
  const size_t count = graph->nodes.count;
  Emit emit = {.ctx = ctx, .graph = graph, .tape = tape, .uses = pf_arena_array(scratch, uint32_t, count),
               .slot = pf_arena_array(scratch, uint32_t, count), .done = pf_arena_array(scratch, bool, count),
               .free = pf_arena_array(scratch, uint32_t, count)};
  if (!emit.uses || !emit.slot || !emit.done || !emit.free) return pf_no_room(ctx, "a tape");
  for (size_t i = 0; i < graph->roots.count; i++) emit.uses[graph->roots.at[i]]++;
  for (size_t i = count; i-- > 0;) {
    const PfGraphNode *node = graph->nodes.at + i;
    for (int k = 0; emit.uses[i] && k < pf_op_operands(node->op); k++) emit.uses[pf_value_operand(node, k)]++;
  }
  /* From the outside in: the outer operation of a chain chooses first. */
  for (size_t i = count; i-- > 0;) {
    if (!emit.uses[i]) continue;
    drop_negation(&emit, graph->nodes.at + i);
    fuse(&emit, graph->nodes.at + i);
  }
  if (!make_tape_room(&emit)) return pf_no_room(ctx, "a tape");
  place_leaves(&emit);
  PF_TRY(emit_all(&emit, scratch));
  for (size_t i = 0; i < graph->roots.count; i++) tape->outputs[i] = emit.slot[graph->roots.at[i]];
  if (tape->slot_count > MOST_SLOTS)
    return pf_fail(ctx, PF_ERR_LIMIT, "a tape that holds more than %d values at a time", MOST_SLOTS);
  tape->runs[emit.run_count] = PF_RUN(PF_TAPE_END, 1);
  return PF_OK;
}
