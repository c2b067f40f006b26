/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of operations with at most three operands. Equal operations are one node (value numbering),
 * operations on constants are done at once, by the same C functions that the tape uses. */
#include "kernel/kernel_impl.h"

#include <math.h>

enum { FIRST_SLOTS = 256, POLL_EVERY = 1024 /* nodes, for cancellation */ };

/* By the table of operations (ops.def). */
int pf_op_operands(uint32_t op)
{
  static const int operands[] = {
#define PF_TAPE_OP(name, count, value) count,
#include "kernel/ops.def"
  };
  return op < sizeof operands/sizeof *operands ? operands[op] : 0;
}

/* The same C expressions as in the interpreter, so that constants have the bits that the tape would compute. */
double pf_op_value(uint32_t op, double A, double B, double C)
{
  switch (op) {
#define PF_TAPE_OP(name, operands, value) \
  case PF_TAPE_##name: return value;
#include "kernel/ops.def"
  default: return NAN;
  }
}

/* Memory is taken when the first node comes. */
void pf_graph_init(PfGraph *graph, PfContext *ctx)
{
  *graph = (PfGraph){.ctx = ctx, .allocator = pf_context_allocator(ctx)};
}

/* The graph may not be used afterwards. */
void pf_graph_free(PfGraph *graph)
{
  pf_array_free(graph->allocator, &graph->nodes);
  pf_array_free(graph->allocator, &graph->constants);
  pf_array_free(graph->allocator, &graph->roots);
  graph->allocator->resize(graph->allocator->user, graph->index.slots, 0);
}

/* ---------------------------------------------------------------- hash table */

/* The members move to a table of twice the size, at an average cost of a constant for each. */
bool pf_index_reserve(const PfAllocator *allocator, PfIndex *index, size_t used,
                      uint64_t (*hash)(const void *list, uint32_t member), const void *list)
{
  if (2*(used + 1) <= index->count) return true;
  const size_t count = index->count ? 2*index->count : FIRST_SLOTS;
  uint32_t *slots = allocator->resize(allocator->user, NULL, count*sizeof *slots);
  if (!slots) return false;
  memset(slots, 0, count*sizeof *slots);
  for (size_t i = 0; i < index->count; i++) {
    if (!index->slots[i]) continue;
    size_t slot = hash(list, index->slots[i] - 1) & (count - 1);
    while (slots[slot]) slot = (slot + 1) & (count - 1);
    slots[slot] = index->slots[i];
  }
  allocator->resize(allocator->user, index->slots, 0);
  *index = (PfIndex){slots, count};
  return true;
}

static bool commutes(uint32_t op)
{
  return op == PF_TAPE_ADD || op == PF_TAPE_MUL;
}

/* Constants by their bits, commutative operations without regard to the order of operands. */
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

static uint64_t hash_member(const void *graph, uint32_t node)
{
  return hash_node(graph, ((const PfGraph *)graph)->nodes.at[node]);
}

/* The slot of the node, or the free slot where it belongs. */
static uint32_t *slot_of(const PfGraph *graph, PfGraphNode node)
{
  const PfIndex *index = &graph->index;
  size_t slot = hash_node(graph, node) & (index->count - 1);
  while (index->slots[slot] && !same(graph, graph->nodes.at[index->slots[slot] - 1], node))
    slot = (slot + 1) & (index->count - 1);
  return index->slots + slot;
}

/* The number of the node, which is added unless it is known; has_room was called. */
static uint32_t intern(PfGraph *graph, PfGraphNode node)
{
  uint32_t *slot = slot_of(graph, node);
  if (*slot) return *slot - 1;
  if (graph->nodes.count >= UINT32_MAX - 1 || !pf_push(graph->allocator, &graph->nodes, node)) {
    graph->failed = true;
    return 0;
  }
  *slot = (uint32_t)graph->nodes.count;
  if (graph->nodes.count%POLL_EVERY == 0 && pf_context_is_cancelled(graph->ctx)) graph->failed = true;
  return (uint32_t)graph->nodes.count - 1;
}

static bool has_room(PfGraph *graph)
{
  if (!pf_index_reserve(graph->allocator, &graph->index, graph->nodes.count, hash_member, graph)) graph->failed = true;
  return graph->index.count > graph->nodes.count + 1;
}

/* The graph must have at least one node. */
uint32_t pf_graph_find(const PfGraph *graph, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
  return *slot_of(graph, (PfGraphNode){op, a, b, c}) - 1;
}

/* ---------------------------------------------------------------- nodes */

/* Equal bits are one constant: 0 and -0 are two. */
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

/* Sums and products of the same two operands in either order are one node. Without memory graph->failed is set, and the
 * result is some node. */
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
