/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by handle, that is by order of creation. */
#include "expr/expr_impl.h"

#include <string.h>

enum { FEW = 24, LARGEST_ITEM = 64 };

static PfExpr handle_at(const char *items, size_t i, size_t size)
{
  PfExpr handle;
  memcpy(&handle, items + i*size, sizeof handle);
  return handle;
}

static void insert(char *items, size_t count, size_t size)
{
  char moved[LARGEST_ITEM];
  for (size_t i = 1; i < count; i++) {
    PfExpr handle = handle_at(items, i, size);
    size_t j = i;
    while (j > 0 && handle_at(items, j - 1, size) > handle) j--;
    if (j == i) continue;
    memcpy(moved, items + i*size, size);
    memmove(items + (j + 1)*size, items + j*size, (i - j)*size);
    memcpy(items + j*size, moved, size);
  }
}

static void merge(const char *from, char *to, size_t start, size_t middle, size_t end, size_t size)
{
  size_t i = start, j = middle;
  for (size_t k = start; k < end; k++) {
    bool left = i < middle && (j >= end || handle_at(from, i, size) <= handle_at(from, j, size));
    memcpy(to + k*size, from + (left ? i++ : j++)*size, size);
  }
}

bool pf_sort_by_handle(PfExprTable *table, void *items, size_t count, size_t size)
{
  if (count <= FEW) {
    insert(items, count, size);
    return true;
  }
  PfArena *scratch = pf_context_scratch(table->ctx);
  PfMark mark = pf_arena_mark(scratch);
  char *from = items, *to = pf_arena_alloc(scratch, count, size);
  if (!to) return false;
  for (size_t start = 0; start < count; start += FEW)
    insert(from + start*size, count - start < FEW ? count - start : FEW, size);
  for (size_t width = FEW; width < count; width *= 2) {
    for (size_t start = 0; start < count; start += 2*width) {
      size_t middle = start + width < count ? start + width : count;
      size_t end = start + 2*width < count ? start + 2*width : count;
      merge(from, to, start, middle, end, size);
    }
    char *swap = from;
    from = to;
    to = swap;
  }
  if (from != (char *)items) memcpy(items, from, count*size);
  pf_arena_release(scratch, mark);
  return true;
}
