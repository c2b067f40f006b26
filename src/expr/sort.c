/* SPDX-License-Identifier: Apache-2.0 */
/* A stable sort by handle, that is by order of creation: insertion for few items, merging for many. */
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

bool pf_merge_sort(PfArena *arena, void *items, size_t count, size_t size, size_t width, PfCompare *compare,
                   const void *user)
{
  char *from = items, *to = pf_arena_alloc(arena, count, size);
  if (!to) return false;
  for (; width < count; width *= 2) {
    for (size_t start = 0; start < count; start += 2*width) {
      size_t middle = start + width < count ? start + width : count;
      size_t end = middle + width < count ? middle + width : count, i = start, j = middle;
      for (size_t k = start; k < end; k++) {
        bool left = i < middle && (j >= end || compare(user, from + i*size, from + j*size) <= 0);
        memcpy(to + k*size, from + (left ? i++ : j++)*size, size);
      }
    }
    char *swap = from;
    from = to;
    to = swap;
  }
  if (count && from != (char *)items) memcpy(items, from, count*size);
  return true;
}

static int by_handle(const void *user, const void *a, const void *b)
{
  (void)user;
  PfExpr x = handle_at(a, 0, 0), y = handle_at(b, 0, 0);
  return (x > y) - (x < y);
}

bool pf_sort_by_handle(PfExprTable *table, void *items, size_t count, size_t size)
{
  for (size_t start = 0; start < count; start += FEW)
    insert((char *)items + start*size, count - start < FEW ? count - start : FEW, size);
  if (count <= FEW) return true;
  PfArena *scratch = pf_context_scratch(table->ctx);
  PfMark mark = pf_arena_mark(scratch);
  bool good = pf_merge_sort(scratch, items, count, size, FEW, by_handle, NULL);
  pf_arena_release(scratch, mark);
  return good;
}
