/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of operations with at most three operands. Equal operations are one node (value numbering),
 * operations on constants are done at once, by the same C functions that the tape uses. */
#include "kernel/kernel_impl.h"

#include <math.h>

enum { FIRST_SLOTS = 256, ASK_EVERY = 1024 /* nodes: whether to stop */ };

int pf_op_operands(uint32_t op)
{
  static const int operands[] = {
#define PF_TAPE_OP(name, count, value) count,
#include "kernel/ops.def"
  };
  return op < sizeof operands/sizeof *operands ? operands[op] : 0;
}

double pf_op_value(uint32_t op, double A, double B, double C)
{
  switch (op) {
#define PF_TAPE_OP(name, operands, value) \
  case PF_TAPE_##name: return value;
#include "kernel/ops.def"
  default: return NAN;
  }
}

void pf_graph_init(PfGraph *graph, PfContext *ctx)
{
  *graph = (PfGraph){.ctx = ctx, .allocator = pf_context_allocator(ctx)};
}

void pf_graph_free(PfGraph *graph)
{
  pf_array_free(graph->allocator, &graph->nodes);
  pf_array_free(graph->allocator, &graph->constants);
  pf_array_free(graph->allocator, &graph->roots);
  graph->allocator->resize(graph->allocator->user, graph->slots, 0);
}

/* ---------------------------------------------------------------- hash table */

static bool commutes(uint32_t op)
{
  return op == PF_TAPE_ADD || op == PF_TAPE_MUL;
}

static uint64_t hash_node(const PfGraph *graph, PfGraphNode node)
{
  uint64_t a = node.a, b = node.b;
  if (node.op == PF_VALUE_CONSTANT) a = bits_of(graph->constants.at[node.a]);
  if (commutes(node.op) && a > b) a = node.b, b = node.a;
  uint64_t hash = mix(mix(mix(node.op, a), b), node.c);
  return hash ^ (hash >> 32);
}

static bool same(const PfGraph *graph, PfGraphNode x, PfGraphNode y)
{
  if (x.op != y.op || x.c != y.c) return false;
  if (x.op == PF_VALUE_CONSTANT)
    return bits_of(graph->constants.at[x.a]) == bits_of(graph->constants.at[y.a]);
  return (x.a == y.a && x.b == y.b) || (commutes(x.op) && x.a == y.b && x.b == y.a);
}

static bool enlarge(PfGraph *graph)
{
  size_t count = graph->slot_count ? 2*graph->slot_count : FIRST_SLOTS;
  uint32_t *slots = graph->allocator->resize(graph->allocator->user, NULL, count*sizeof *slots);
  if (!slots) return false;
  memset(slots, 0, count*sizeof *slots);
  for (size_t i = 0; i < graph->nodes.count; i++) {
    size_t slot = hash_node(graph, graph->nodes.at[i]) & (count - 1);
    while (slots[slot]) slot = (slot + 1) & (count - 1);
    slots[slot] = (uint32_t)i + 1;
  }
  graph->allocator->resize(graph->allocator->user, graph->slots, 0);
  graph->slots = slots;
  graph->slot_count = count;
  return true;
}

/* The slot of the node, or the free slot where it belongs. */
static size_t slot_of(const PfGraph *graph, PfGraphNode node)
{
  size_t slot = hash_node(graph, node) & (graph->slot_count - 1);
  while (graph->slots[slot] && !same(graph, graph->nodes.at[graph->slots[slot] - 1], node))
    slot = (slot + 1) & (graph->slot_count - 1);
  return slot;
}

static uint32_t intern(PfGraph *graph, PfGraphNode node)
{
  size_t slot = slot_of(graph, node);
  if (graph->slots[slot]) return graph->slots[slot] - 1;
  if (graph->nodes.count >= UINT32_MAX - 1 || !pf_push(graph->allocator, &graph->nodes, node)) {
    graph->failed = true;
    return 0;
  }
  graph->slots[slot] = (uint32_t)graph->nodes.count;
  if (graph->nodes.count%ASK_EVERY == 0 && pf_context_is_cancelled(graph->ctx)) graph->failed = true;
  return (uint32_t)graph->nodes.count - 1;
}

static bool has_room(PfGraph *graph)
{
  if (2*(graph->nodes.count + 1) > graph->slot_count && !enlarge(graph)) graph->failed = true;
  return graph->slot_count > graph->nodes.count + 1;
}

uint32_t pf_graph_find(const PfGraph *graph, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
  return graph->slots[slot_of(graph, (PfGraphNode){op, a, b, c})] - 1;
}

/* ---------------------------------------------------------------- nodes */

uint32_t pf_graph_constant(PfGraph *graph, double value)
{
  size_t count = graph->constants.count;
  if (!has_room(graph) || !pf_push(graph->allocator, &graph->constants, value)) {
    graph->failed = true;
    return 0;
  }
  uint32_t node = intern(graph, (PfGraphNode){PF_VALUE_CONSTANT, (uint32_t)count, 0, 0});
  if (graph->nodes.at && graph->nodes.at[node].a != count) graph->constants.count = count; /* was known */
  return node;
}

static bool is_constant(const PfGraph *graph, uint32_t node, double *value)
{
  const PfGraphNode *n = graph->nodes.at + node;
  if (n->op != PF_VALUE_CONSTANT) return false;
  *value = graph->constants.at[n->a];
  return true;
}

uint32_t pf_graph_node(PfGraph *graph, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
  if (graph->failed || !has_room(graph)) return 0;
  const int operands = op == PF_VALUE_INPUT ? 0 : pf_op_operands(op);
  double x = 0, y = 0, z = 0;
  bool known = operands > 0 && is_constant(graph, a, &x);
  if (known && operands > 1) known = is_constant(graph, b, &y);
  if (known && operands > 2) known = is_constant(graph, c, &z);
  if (known) return pf_graph_constant(graph, pf_op_value(op, x, y, z));

  if (op == PF_TAPE_MUL && is_constant(graph, a, &x) && x == 1) return b;
  if ((op == PF_TAPE_MUL || op == PF_TAPE_DIV) && is_constant(graph, b, &y) && y == 1) return a;
  return intern(graph, (PfGraphNode){op, a, operands > 1 ? b : 0, operands > 2 ? c : 0});
}
