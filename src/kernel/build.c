/* SPDX-License-Identifier: Apache-2.0 */
/* Items to the graph. A list becomes a chain from the left, so that the parts can be computed one by one,
 * each used up at once; a sum begins with a part that needs no sign. */
#include "kernel/kernel_impl.h"

#include <math.h>
#include <stdlib.h>

typedef struct Build {
  PfGraph *graph;
  const PfItems *items;
  uint32_t *image;           /* of each item: its node + 1, 0 = not built yet */
  PF_ARRAY(uint32_t) stack;  /* items to build, each above its users */
  PF_ARRAY(PfPart) sorted;
} Build;

static uint32_t op2(Build *build, uint32_t op, uint32_t a, uint32_t b)
{
  return pf_graph_node(build->graph, op, a, b, 0);
}

static uint32_t node_of(const Build *build, uint32_t item)
{
  return build->image[item] - 1;
}

/* ---------------------------------------------------------------- products and powers */

/* By repeated squaring; squares are nodes of the graph, so powers of one base share them. The exponent is positive; at
 * most 2 log2(exponent) multiplications. */
static uint32_t build_power(Build *build, uint32_t base, int exponent)
{
  uint32_t square = base, power = base;
  bool begun = false;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) power = begun ? op2(build, PF_TAPE_MUL, power, square) : square;
    begun = begun || (exponent & 1);
    if (exponent > 1) square = op2(build, PF_TAPE_MUL, square, square);
  }
  return power;
}

/* The product of those factors whose exponent has the sign; factors with equal exponents are multiplied
 * first. */
static bool build_factors(Build *build, uint32_t count, bool below, uint32_t *product)
{
  const PfPart *parts = build->sorted.at;
  bool begun = false;
  for (uint32_t i = 0; i < count;) {
    double size = fabs(parts[i].coefficient);
    uint32_t group = 0;
    bool found = false;
    for (; i < count && fabs(parts[i].coefficient) == size; i++) {
      if ((parts[i].coefficient < 0) != below) continue;
      uint32_t factor = node_of(build, parts[i].item);
      group = found ? op2(build, PF_TAPE_MUL, group, factor) : factor;
      found = true;
    }
    if (!found) continue;
    group = build_power(build, group, (int)size);
    *product = begun ? op2(build, PF_TAPE_MUL, *product, group) : group;
    begun = true;
  }
  return begun;
}

/* ---------------------------------------------------------------- sums */

/* A running sum; `begun` is false while it is zero. */
typedef struct Sum {
  uint32_t node;
  bool begun;
} Sum;

static void add(Build *build, Sum *sum, uint32_t node, bool negative)
{
  if (sum->begun) sum->node = op2(build, negative ? PF_TAPE_SUB : PF_TAPE_ADD, sum->node, node);
  else sum->node = negative ? op2(build, PF_TAPE_NEG, node, 0) : node;
  sum->begun = true;
}

/* Adds parts with coefficients of equal size, as +-1. */
static void add_group(Build *build, Sum *sum, const PfPart *parts, uint32_t count, bool negate)
{
  uint32_t first = 0;
  while (!sum->begun && first < count && (parts[first].coefficient < 0) != negate) first++;
  if (first == count || sum->begun) first = 0;
  for (uint32_t k = 0; k < count; k++) { /* the first positive part, then the others in order */
    uint32_t i = k == 0 ? first : k <= first ? k - 1 : k;
    add(build, sum, node_of(build, parts[i].item), (parts[i].coefficient < 0) != negate);
  }
}

/* A chain of additions; terms with equal coefficients are added before they are scaled. `count` parts are in
 * build->sorted, in the order of by_size. */
static uint32_t build_sum(Build *build, uint32_t count)
{
  const PfPart *parts = build->sorted.at;
  Sum sum = {0};
  uint32_t i = 0;
  for (; i < count && parts[i].item == PF_ITEM_ONE; i++) {
    sum.node = pf_graph_constant(build->graph, parts[i].coefficient);
    sum.begun = true;
  }
  while (i < count) {
    uint32_t next = i;
    double size = fabs(parts[i].coefficient);
    while (next < count && fabs(parts[next].coefficient) == size) next++;
    if (size == 1) {
      add_group(build, &sum, parts + i, next - i, false);
    } else { /* c*(p - q …) with c > 0 where the sum has begun, and with any sign where it begins */
      Sum group = {0};
      bool negative = parts[i].coefficient < 0, outside = sum.begun; /* subtract c*… rather than add (-c)*… */
      add_group(build, &group, parts + i, next - i, negative);
      uint32_t factor = pf_graph_constant(build->graph, negative && !outside ? -size : size);
      add(build, &sum, op2(build, PF_TAPE_MUL, factor, group.node), negative && outside);
    }
    i = next;
  }
  return sum.node;
}

/* ---------------------------------------------------------------- lists */

static int by_size(const void *a, const void *b)
{
  const PfPart *x = a, *y = b;
  double p = fabs(x->coefficient), q = fabs(y->coefficient);
  if ((x->item == PF_ITEM_ONE) != (y->item == PF_ITEM_ONE)) return x->item == PF_ITEM_ONE ? -1 : 1;
  if (p != q) return (p == 1) != (q == 1) ? (q == 1) - (p == 1) : (p > q) - (p < q);
  return (x->item > y->item) - (x->item < y->item);
}

/* The parts in the order in which they are used: the number, those with +-1, the others by size. An item of a list
 * becomes a chain of operations; a product with factors below becomes one division. */
static uint32_t build_list(Build *build, PfItemKind kind, const PfPart *parts, uint32_t count)
{
  if (!pf_reserve(build->graph->allocator, &build->sorted, count)) {
    build->graph->failed = true;
    return 0;
  }
  memcpy(build->sorted.at, parts, count*sizeof *parts);
  qsort(build->sorted.at, count, sizeof *parts, by_size);
  if (kind == PF_ITEM_SUM) return build_sum(build, count);
  uint32_t above = 0, below = 0;
  bool has_above = build_factors(build, count, false, &above);
  bool has_below = build_factors(build, count, true, &below);
  if (!has_below) return above;
  if (!has_above) above = pf_graph_constant(build->graph, 1);
  return op2(build, PF_TAPE_DIV, above, below);
}

/* ---------------------------------------------------------------- items */

/* The node of an item, whose parts have theirs. */
static uint32_t build_item(Build *build, const PfItem *item)
{
  const PfPart *parts = build->items->parts.at + item->first;
  uint32_t args[3] = {0};
  switch ((PfItemKind)item->kind) {
  case PF_ITEM_CONSTANT: return pf_graph_constant(build->graph, parts->coefficient);
  case PF_ITEM_INPUT: return pf_graph_node(build->graph, PF_VALUE_INPUT, (uint32_t)parts->coefficient, 0, 0);
  case PF_ITEM_SUM:
  case PF_ITEM_PRODUCT: return build_list(build, (PfItemKind)item->kind, parts, item->count);
  case PF_ITEM_CALL:
    for (uint32_t i = 0; i < item->count; i++) args[i] = node_of(build, parts[i].item);
    return pf_graph_node(build->graph, item->op, args[0], args[1], args[2]);
  }
  return 0;
}

/* Puts the item on the stack, unless it is built. */
static void want(Build *build, uint32_t item)
{
  if (build->image[item]) return;
  if (!pf_push(build->graph->allocator, &build->stack, item)) build->graph->failed = true;
}

/* Items that no root needs are not built. Cost: one node for each operation and one comparison of the hash table for
 * each. Fails without memory or when the host cancels. */
PfStatus pf_graph_build(PfContext *ctx, PfGraph *graph, const PfItems *items, PfArena *scratch)
{
  Build build = {.graph = graph, .items = items};
  build.image = pf_arena_array(scratch, uint32_t, items->items.count);
  if (!build.image) graph->failed = true;
  for (size_t root = 0; root < items->roots.count && !graph->failed; root++) {
    want(&build, items->roots.at[root]);
    /* Depth first with a stack of our own: chains may be as deep as the input likes. */
    while (build.stack.count && !graph->failed) {
      uint32_t i = build.stack.at[build.stack.count - 1];
      const PfItem *item = items->items.at + i;
      size_t before = build.stack.count;
      if (!build.image[i] && !is_leaf(item))
        for (uint32_t k = item->count; k-- > 0;) want(&build, items->parts.at[item->first + k].item);
      if (build.stack.count != before) continue;
      if (!build.image[i]) build.image[i] = build_item(&build, item) + 1;
      build.stack.count--;
    }
    if (!graph->failed && !pf_push(graph->allocator, &graph->roots, node_of(&build, items->roots.at[root])))
      graph->failed = true;
  }
  pf_array_free(graph->allocator, &build.stack);
  pf_array_free(graph->allocator, &build.sorted);
  return graph->failed ? pf_no_room(ctx, "a tape") : PF_OK;
}
