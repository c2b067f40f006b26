/* SPDX-License-Identifier: Apache-2.0 */
/* Divisions by the same number: x/d, y/d become x*(1/d), y*(1/d) with one division, which takes as long as several
 * multiplications and delays dependent operations. Products that have a factor in common with 1/d can share it then. */
#include "kernel/kernel_impl.h"

enum { FEWEST = 2 }; /* divisions that are worth a reciprocal */

/* Products are changed in place; the reciprocals are new items at the end, which are used by earlier ones: items are
 * not in the order of their making afterwards. */
void pf_items_invert(PfItems *items, PfArena *scratch)
{
  const size_t count = items->items.count;
  uint32_t *divisions = pf_arena_array(scratch, uint32_t, count);
  uint32_t *reciprocal = pf_arena_array(scratch, uint32_t, count);
  if (!divisions || !reciprocal) return;
  for (size_t i = 0; i < items->items.count; i++) {
    const PfItem *item = items->items.at + i;
    const PfPart *parts = items->parts.at + item->first;
    for (uint32_t k = 0; item->kind == PF_ITEM_PRODUCT && k < item->count; k++)
      if (parts[k].coefficient < 0) divisions[parts[k].item]++;
  }
  for (uint32_t i = 0; i < count && !items->failed; i++) {
    const PfPart below = {i, -1};
    if (divisions[i] >= FEWEST) reciprocal[i] = pf_item_add(items, PF_ITEM_PRODUCT, 0, &below, 1);
  }
  if (!items->failed) {
    for (size_t i = 0; i < count; i++) {
      const PfItem *item = items->items.at + i;
      PfPart *parts = items->parts.at + item->first;
      for (uint32_t k = 0; item->kind == PF_ITEM_PRODUCT && k < item->count; k++) {
        if (parts[k].coefficient >= 0 || !reciprocal[parts[k].item]) continue;
        parts[k] = (PfPart){reciprocal[parts[k].item], -parts[k].coefficient};
      }
    }
  }
}
