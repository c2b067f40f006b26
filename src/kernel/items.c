/* SPDX-License-Identifier: Apache-2.0 */
/* Items: sums, products, powers and calls as lists of parts, each list stored once. */
#include "kernel/kernel_impl.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

void pf_items_init(PfItems *items, PfContext *ctx)
{
  *items = (PfItems){.ctx = ctx, .allocator = pf_context_allocator(ctx)};
  pf_item_constant(items, 1); /* PF_ITEM_ONE */
}

bool pf_items_go_on(PfItems *items)
{
  enum { ASK_EVERY = 1024 };
  if (++items->turns%ASK_EVERY == 0 && pf_context_is_cancelled(items->ctx)) items->failed = true;
  return !items->failed;
}

void pf_items_free(PfItems *items)
{
  pf_array_free(items->allocator, &items->items);
  pf_array_free(items->allocator, &items->parts);
  pf_array_free(items->allocator, &items->roots);
  items->allocator->resize(items->allocator->user, items->slots, 0);
}

static uint64_t hash_parts(uint32_t kind, uint32_t op, const PfPart *parts, uint32_t count)
{
  uint64_t hash = mix(kind, op);
  for (uint32_t i = 0; i < count; i++)
    hash = mix(mix(hash, parts[i].item), bits_of(parts[i].coefficient));
  return hash ^ (hash >> 32);
}

static uint64_t hash_item(const PfItems *items, uint32_t i)
{
  const PfItem *item = items->items.at + i;
  return hash_parts(item->kind, item->op, items->parts.at + item->first, item->count);
}

static bool enlarge(PfItems *items)
{
  size_t count = items->slot_count ? 2*items->slot_count : FIRST_SLOTS;
  uint32_t *slots = items->allocator->resize(items->allocator->user, NULL, count*sizeof *slots);
  if (!slots) return false;
  memset(slots, 0, count*sizeof *slots);
  for (size_t i = 0; i < items->slot_count; i++) {
    if (!items->slots[i]) continue;
    size_t slot = hash_item(items, items->slots[i] - 1) & (count - 1);
    while (slots[slot]) slot = (slot + 1) & (count - 1);
    slots[slot] = items->slots[i];
  }
  items->allocator->resize(items->allocator->user, items->slots, 0);
  items->slots = slots;
  items->slot_count = count;
  return true;
}

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

uint32_t pf_item(PfItems *items, PfItemKind kind, int op, const PfPart *parts, uint32_t count)
{
  if (2*(items->items.count + 1) > items->slot_count && !enlarge(items)) {
    items->failed = true;
    return PF_ITEM_ONE;
  }
  size_t slot = hash_parts(kind, (uint32_t)op, parts, count) & (items->slot_count - 1);
  for (; items->slots[slot]; slot = (slot + 1) & (items->slot_count - 1))
    if (equals(items, items->slots[slot] - 1, (int)kind, op, parts, count)) return items->slots[slot] - 1;
  uint32_t item = pf_item_add(items, kind, op, parts, count);
  if (!items->failed) items->slots[slot] = item + 1;
  return item;
}

uint32_t pf_item_constant(PfItems *items, double value)
{
  return pf_item(items, PF_ITEM_CONSTANT, 0, &(PfPart){PF_ITEM_ONE, value}, 1);
}

static int by_item(const void *a, const void *b)
{
  uint32_t x = ((const PfPart *)a)->item, y = ((const PfPart *)b)->item;
  return (x > y) - (x < y);
}

/* Lists are nearly always sorted already. */
static bool is_sorted(const PfPart *parts, uint32_t count)
{
  for (uint32_t i = 1; i < count; i++)
    if (parts[i - 1].item >= parts[i].item) return false;
  return true;
}

uint32_t pf_parts_settle(PfPart *parts, uint32_t count)
{
  uint32_t kept = 0;
  if (!is_sorted(parts, count)) qsort(parts, count, sizeof *parts, by_item);
  for (uint32_t i = 0; i < count;) {
    PfPart part = parts[i++];
    while (i < count && parts[i].item == part.item) part.coefficient += parts[i++].coefficient;
    if (part.coefficient != 0) parts[kept++] = part;
  }
  return kept;
}

uint32_t pf_item_list(PfItems *items, PfItemKind kind, PfPart *parts, uint32_t count)
{
  count = pf_parts_settle(parts, count);
  if (count == 0) return pf_item_constant(items, kind == PF_ITEM_PRODUCT);
  if (count == 1 && parts[0].coefficient == 1) return parts[0].item;
  return pf_item(items, kind, 0, parts, count);
}

/* ---------------------------------------------------------------- cost */

/* An operation for each part but the first, and one for each coefficient; a power by squaring. */
static size_t cost_of(const PfItems *items, const PfItem *item)
{
  const PfPart *parts = items->parts.at + item->first;
  size_t cost = is_leaf(item) ? 0 : item->kind == PF_ITEM_CALL ? 1 : item->count - 1;
  for (uint32_t k = 0; k < item->count; k++) {
    double size = parts[k].coefficient < 0 ? -parts[k].coefficient : parts[k].coefficient;
    if (item->kind == PF_ITEM_SUM) cost += size != 1;
    for (size_t left = item->kind == PF_ITEM_PRODUCT ? (size_t)size : 1; left > 1; left /= 2)
      cost += 1 + left%2;
  }
  return cost;
}

size_t pf_items_cost(const PfItems *items, PfArena *scratch)
{
  PfMark mark = pf_arena_mark(scratch);
  bool *needed = pf_arena_array(scratch, bool, items->items.count);
  size_t cost = needed ? 0 : SIZE_MAX;
  for (size_t i = 0; needed && i < items->roots.count; i++) needed[items->roots.at[i]] = true;
  for (size_t i = items->items.count; needed && i-- > 0;) {
    const PfItem *item = items->items.at + i;
    if (!needed[i]) continue;
    cost += cost_of(items, item);
    for (uint32_t k = 0; k < item->count; k++) needed[items->parts.at[item->first + k].item] = true;
  }
  pf_arena_release(scratch, mark);
  return cost;
}
