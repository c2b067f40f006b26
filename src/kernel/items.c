/* SPDX-License-Identifier: Apache-2.0 */
/* Items: sums, products, powers and calls as lists of parts, each list stored once. */
#include "kernel/kernel_impl.h"

#include <stdlib.h>

/* Nothing else is allocated until items come. */
void pf_items_init(PfItems *items, PfContext *ctx)
{
  *items = (PfItems){.ctx = ctx, .allocator = pf_context_allocator(ctx)};
  pf_item_constant(items, 1); /* PF_ITEM_ONE */
}

/* Polls the host at every 1024th call. */
bool pf_items_go_on(PfItems *items)
{
  enum { POLL_EVERY = 1024 };
  if (++items->turns%POLL_EVERY == 0 && pf_context_is_cancelled(items->ctx)) items->failed = true;
  return !items->failed;
}

/* The items may not be used afterwards. */
void pf_items_free(PfItems *items)
{
  pf_array_free(items->allocator, &items->items);
  pf_array_free(items->allocator, &items->parts);
  pf_array_free(items->allocator, &items->roots);
  items->allocator->resize(items->allocator->user, items->index.slots, 0);
}

static uint64_t hash_parts(uint32_t kind, uint32_t op, const PfPart *parts, uint32_t count)
{
  uint64_t hash = mix(kind, op);
  for (uint32_t i = 0; i < count; i++)
    hash = mix(mix(hash, parts[i].item), bits_of(parts[i].coefficient));
  return hash ^ (hash >> 32);
}

static uint64_t hash_member(const void *items, uint32_t i)
{
  const PfItems *list = items;
  const PfItem *item = list->items.at + i;
  return hash_parts(item->kind, item->op, list->parts.at + item->first, item->count);
}

/* The parts are copied. Without memory `failed` is set, and the result is the item 1. */
uint32_t pf_item_add(PfItems *items, PfItemKind kind, int op, const PfPart *parts, uint32_t count)
{
  size_t first = items->parts.count;
  PfItem item = {(uint8_t)kind, (uint8_t)op, (uint32_t)first, count};
  (void)pf_items_go_on(items);
  if (first + count > UINT32_MAX || !pf_reserve(items->allocator, &items->parts, first + count) ||
      !items->parts.at || !pf_push(items->allocator, &items->items, item)) {
    items->failed = true;
    return PF_ITEM_ONE;
  }
  memcpy(items->parts.at + first, parts, count*sizeof *parts);
  items->parts.count += count;
  return (uint32_t)items->items.count - 1;
}

/* Coefficients are compared by their bits. */
static bool equals(const PfItems *items, uint32_t i, int kind, int op, const PfPart *parts, uint32_t count)
{
  const PfItem *item = items->items.at + i;
  if (item->kind != kind || item->op != op || item->count != count) return false;
  for (uint32_t k = 0; k < count; k++) {
    PfPart part = items->parts.at[item->first + k];
    if (part.item != parts[k].item || bits_of(part.coefficient) != bits_of(parts[k].coefficient))
      return false;
  }
  return true;
}

/* Finds the item by its hash, or adds it. */
uint32_t pf_item(PfItems *items, PfItemKind kind, int op, const PfPart *parts, uint32_t count)
{
  PfIndex *index = &items->index;
  if (!pf_index_reserve(items->allocator, index, items->items.count, hash_member, items)) {
    items->failed = true;
    return PF_ITEM_ONE;
  }
  size_t slot = hash_parts(kind, (uint32_t)op, parts, count) & (index->count - 1);
  for (; index->slots[slot]; slot = (slot + 1) & (index->count - 1))
    if (equals(items, index->slots[slot] - 1, (int)kind, op, parts, count)) return index->slots[slot] - 1;
  uint32_t item = pf_item_add(items, kind, op, parts, count);
  if (!items->failed) index->slots[slot] = item + 1;
  return item;
}

/* A leaf whose only part holds the value. */
uint32_t pf_item_constant(PfItems *items, double value)
{
  return pf_item(items, PF_ITEM_CONSTANT, 0, &(PfPart){PF_ITEM_ONE, value}, 1);
}

static int by_item(const void *a, const void *b)
{
  uint32_t x = ((const PfPart *)a)->item, y = ((const PfPart *)b)->item;
  return (x > y) - (x < y);
}

/* Parts end in ascending order of their items. Sorting is skipped where they are so already, as they nearly always
 * are. */
uint32_t pf_parts_settle(PfPart *parts, uint32_t count)
{
  uint32_t kept = 0, sorted = 1; /* nearly always all of them */
  while (sorted < count && parts[sorted - 1].item < parts[sorted].item) sorted++;
  if (sorted < count) qsort(parts, count, sizeof *parts, by_item);
  for (uint32_t i = 0; i < count;) {
    PfPart part = parts[i++];
    while (i < count && parts[i].item == part.item) part.coefficient += parts[i++].coefficient;
    if (part.coefficient != 0) parts[kept++] = part;
  }
  return kept;
}

/* A list of no parts is 0 for a sum and 1 for a product. `parts` is changed. */
uint32_t pf_item_list(PfItems *items, PfItemKind kind, PfPart *parts, uint32_t count)
{
  count = pf_parts_settle(parts, count);
  if (count == 0) return pf_item_constant(items, kind == PF_ITEM_PRODUCT);
  if (count == 1 && parts[0].coefficient == 1) return parts[0].item;
  return pf_item(items, kind, 0, parts, count);
}

/* ---------------------------------------------------------------- cost */

/* Counted for two candidates only, to compare them: additions, multiplications and divisions count the same. */
size_t pf_items_cost(const PfItems *items, PfArena *scratch)
{
  PfMark mark = pf_arena_mark(scratch);
  bool *needed = pf_arena_array(scratch, bool, items->items.count);
  size_t cost = needed ? 0 : SIZE_MAX;
  for (size_t i = 0; needed && i < items->roots.count; i++) needed[items->roots.at[i]] = true;
  for (size_t i = items->items.count; needed && i-- > 0;) {
    const PfItem *item = items->items.at + i;
    if (!needed[i]) continue;
    /* An operation for each part but the first, and one for each coefficient; a power by squaring. */
    const PfPart *parts = items->parts.at + item->first;
    cost += is_leaf(item) ? 0 : item->kind == PF_ITEM_CALL ? 1 : item->count - 1;
    for (uint32_t k = 0; k < item->count; k++) {
      double size = parts[k].coefficient < 0 ? -parts[k].coefficient : parts[k].coefficient;
      if (item->kind == PF_ITEM_SUM) cost += size != 1;
      for (size_t left = item->kind == PF_ITEM_PRODUCT ? (size_t)size : 1; left > 1; left /= 2)
        cost += 1 + left%2;
      needed[parts[k].item] = true;
    }
  }
  pf_arena_release(scratch, mark);
  return cost;
}
