/* SPDX-License-Identifier: Apache-2.0 */
/* The graph to instructions: pairs of operations that one instruction does are fused; the order is depth
 * first, so that a value is made shortly before it is used; a slot is free again after the last use of
 * its value. */
#include "kernel/kernel_impl.h"


enum { MOST_SLOTS = 1 << 24 }; /* what the field `dst` can name */
enum { UNSEEN, OPEN, DONE };

typedef struct Emit {
  PfContext *ctx;
  PfGraph *graph;
  PfTape *tape;
  uint32_t *uses;  /* of each node, that are still to come; an output is a use that never comes */
  uint32_t *slot;  /* of each node that is done */
  uint8_t *state;
  uint32_t *stack; /* nodes to do */
  uint32_t *free;  /* slots to use again, the last freed first: it is in the cache */
  size_t free_count;
} Emit;

static int operands_of(const PfGraphNode *node)
{
  return pf_op_operands(node->op);
}

static uint32_t operand(const PfGraphNode *node, int i)
{
  return i == 0 ? node->a : i == 1 ? node->b : node->c;
}

/* ---------------------------------------------------------------- fusing */

static void count_uses(Emit *emit)
{
  const PfGraph *graph = emit->graph;
  for (size_t i = 0; i < graph->roots.count; i++) emit->uses[graph->roots.at[i]]++;
  for (size_t i = graph->nodes.count; i-- > 0;) {
    const PfGraphNode *node = graph->nodes.at + i;
    for (int k = 0; emit->uses[i] && k < operands_of(node); k++) emit->uses[operand(node, k)]++;
  }
}

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

static void fuse(Emit *emit, PfGraphNode *node)
{
  for (size_t i = 0; i < sizeof fusions/sizeof *fusions; i++) {
    const Fusion *fusion = fusions + i;
    if (fusion->outer != node->op) continue;
    uint32_t inner = operand(node, fusion->place), other = operand(node, 1 - fusion->place);
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

static void swap_difference(PfGraphNode *node)
{
  uint32_t a = node->a;
  node->a = node->b;
  node->b = a;
}

/* -(a - b) is b - a, exactly, and -(a - b)*c is (b - a)*c. */
static void drop_negation(Emit *emit, PfGraphNode *node)
{
  const uint32_t inner = node->a;
  PfGraphNode *in = emit->graph->nodes.at + inner, *turned = NULL;
  if (node->op != PF_TAPE_NEG || emit->uses[inner] != 1) return;
  if (in->op == PF_TAPE_SUB) turned = in;
  for (int k = 0; k < 2 && (in->op == PF_TAPE_MUL || in->op == PF_TAPE_DIV); k++) {
    PfGraphNode *factor = emit->graph->nodes.at + operand(in, k);
    if (factor->op == PF_TAPE_SUB && emit->uses[operand(in, k)] == 1) turned = factor;
  }
  if (!turned) return;
  swap_difference(turned);
  *node = *in;
  emit->uses[inner] = 0;
}

/* From the outside in: the outer operation of a chain chooses first. */
static void fuse_all(Emit *emit)
{
  for (size_t i = emit->graph->nodes.count; i-- > 0;) {
    if (!emit->uses[i]) continue;
    drop_negation(emit, emit->graph->nodes.at + i);
    fuse(emit, emit->graph->nodes.at + i);
  }
}

/* ---------------------------------------------------------------- slots */

/* Constants that are used get the first slots, inputs the next ones. */
static void place_leaves(Emit *emit)
{
  PfGraph *graph = emit->graph;
  PfTape *tape = emit->tape;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    if (graph->nodes.at[i].op != PF_NODE_CONSTANT || !emit->uses[i]) continue;
    tape->constants[tape->constant_count] = graph->constants.at[graph->nodes.at[i].a];
    emit->slot[i] = tape->constant_count++;
    emit->state[i] = DONE;
  }
  for (size_t i = 0; i < graph->nodes.count; i++) {
    if (graph->nodes.at[i].op != PF_NODE_INPUT) continue;
    emit->slot[i] = tape->constant_count + graph->nodes.at[i].a;
    emit->state[i] = DONE;
  }
  tape->slot_count = tape->constant_count + (uint32_t)tape->input_count;
}

static uint32_t take_slot(Emit *emit)
{
  return emit->free_count ? emit->free[--emit->free_count] : emit->tape->slot_count++;
}

static void use(Emit *emit, uint32_t node)
{
  uint32_t first = emit->tape->constant_count + (uint32_t)emit->tape->input_count;
  if (--emit->uses[node] == 0 && emit->slot[node] >= first) emit->free[emit->free_count++] = emit->slot[node];
}

/* ---------------------------------------------------------------- instructions */

static void append(Emit *emit, uint32_t op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
  PfInstruction *to = emit->tape->instructions + emit->tape->instruction_count++;
  *to = (PfInstruction){op & 0xff, dst & 0xffffff, a, b, c};
}

/* The cosine of the sine's argument or the other way round, if it is still to be done. */
static bool find_partner(const Emit *emit, const PfGraphNode *node, uint32_t *partner)
{
  if (node->op != PF_TAPE_SIN && node->op != PF_TAPE_COS) return false;
  *partner = pf_graph_find(emit->graph, node->op == PF_TAPE_SIN ? PF_TAPE_COS : PF_TAPE_SIN, node->a, 0, 0);
  return *partner != UINT32_MAX && emit->uses[*partner] && emit->state[*partner] != DONE;
}

static void emit_sincos(Emit *emit, uint32_t i, uint32_t partner)
{
  const PfGraphNode *node = emit->graph->nodes.at + i;
  uint32_t argument = emit->slot[node->a];
  use(emit, node->a);
  use(emit, node->a);
  emit->slot[i] = take_slot(emit);
  emit->slot[partner] = take_slot(emit);
  emit->state[i] = emit->state[partner] = DONE;
  bool sine = node->op == PF_TAPE_SIN;
  append(emit, PF_TAPE_SINCOS, emit->slot[sine ? i : partner], argument, emit->slot[sine ? partner : i], 0);
}

static void emit_node(Emit *emit, uint32_t i)
{
  const PfGraphNode *node = emit->graph->nodes.at + i;
  uint32_t partner, slots[3] = {0};
  if (find_partner(emit, node, &partner)) {
    emit_sincos(emit, i, partner);
    return;
  }
  for (int k = 0; k < operands_of(node); k++) slots[k] = emit->slot[operand(node, k)];
  for (int k = 0; k < operands_of(node); k++) use(emit, operand(node, k)); /* the result may reuse a slot */
  emit->slot[i] = take_slot(emit);
  emit->state[i] = DONE;
  append(emit, node->op, emit->slot[i], slots[0], slots[1], slots[2]);
}

/* A node is opened once, and then puts at most three others on the stack: 3 n + 1 places do. */
static void emit_root(Emit *emit, uint32_t root)
{
  size_t count = 0;
  emit->stack[count++] = root;
  while (count) {
    uint32_t i = emit->stack[count - 1];
    const PfGraphNode *node = emit->graph->nodes.at + i;
    if (emit->state[i] == DONE) {
      count--;
    } else if (emit->state[i] == OPEN) {
      emit_node(emit, i);
      count--;
    } else {
      emit->state[i] = OPEN;
      for (int k = operands_of(node); k-- > 0;)
        if (emit->state[operand(node, k)] == UNSEEN) emit->stack[count++] = operand(node, k);
    }
  }
}

/* ---------------------------------------------------------------- memory */

static bool make_room(Emit *emit, PfArena *scratch)
{
  const size_t count = emit->graph->nodes.count;
  emit->uses = pf_arena_array(scratch, uint32_t, count);
  emit->slot = pf_arena_array(scratch, uint32_t, count);
  emit->state = pf_arena_array(scratch, uint8_t, count);
  emit->stack = pf_arena_array(scratch, uint32_t, 3*count + 1);
  emit->free = pf_arena_array(scratch, uint32_t, count);
  return emit->uses && emit->slot && emit->state && emit->stack && emit->free;
}

static bool make_tape_room(Emit *emit)
{
  PfTape *tape = emit->tape;
  size_t nodes = 0, constants = 0;
  for (size_t i = 0; i < emit->graph->nodes.count; i++) {
    if (!emit->uses[i]) continue;
    constants += emit->graph->nodes.at[i].op == PF_NODE_CONSTANT;
    nodes++;
  }
  tape->constants = pf_arena_array(tape->arena, double, constants);
  tape->instructions = pf_arena_array(tape->arena, PfInstruction, nodes + 1);
  tape->outputs = pf_arena_array(tape->arena, uint32_t, emit->graph->roots.count);
  return tape->constants && tape->instructions && tape->outputs;
}

PfStatus pf_graph_emit(PfContext *ctx, PfGraph *graph, PfArena *scratch, PfTape *tape)
{
  Emit emit = {.ctx = ctx, .graph = graph, .tape = tape};
  if (!make_room(&emit, scratch)) return pf_no_room(ctx, "a tape");
  count_uses(&emit);
  fuse_all(&emit);
  if (!make_tape_room(&emit)) return pf_no_room(ctx, "a tape");
  place_leaves(&emit);
  for (size_t i = 0; i < graph->roots.count; i++) {
    emit_root(&emit, graph->roots.at[i]);
    tape->outputs[i] = emit.slot[graph->roots.at[i]];
  }
  if (tape->slot_count > MOST_SLOTS)
    return pf_fail(ctx, PF_ERR_LIMIT, "a tape that holds more than %d values at a time", MOST_SLOTS);
  append(&emit, PF_TAPE_END, 0, 0, 0, 0);
  tape->instruction_count--; /* the END is not counted */
  return PF_OK;
}
