/* SPDX-License-Identifier: Apache-2.0 */
/* A second table with the same handles. The arrays of the table hold indices and numbers, and pointers to names and
 * wide numbers, which never move and never change: so copying the arrays copies the table. */
#include "expr/fork.h"

#include "base/spelling.h"
#include "expr/expr_impl.h"

#include <string.h>

/* A copy of `count` items; an empty list needs none. False without memory. */
static bool copy_block(const PfAllocator *allocator, const void *from, size_t count, size_t size, void **to)
{
  *to = NULL;
  if (!count) return true;
  *to = allocator->resize(allocator->user, NULL, count*size);
  if (!*to) return false;
  memcpy(*to, from, count*size);
  return true;
}

#define COPY_ARRAY(list)                                                                                      \
  (to->list.count = to->list.room = from->list.count,                                                         \
   copy_block(allocator, from->list.at, from->list.count, sizeof *from->list.at, (void **)(void *)&to->list.at))
#define COPY_BLOCK(block, size_member)                                                                        \
  (to->size_member = from->size_member,                                                                       \
   copy_block(allocator, from->block, from->size_member, sizeof *from->block, (void **)(void *)&to->block))

/* Caches, such as factors that were found before, are not copied: their entries can be found again. */
static bool copy_table(const PfExprTable *from, PfExprTable *to)
{
  const PfAllocator *allocator = to->allocator;
  memcpy(to->small, from->small, sizeof to->small);
  to->limited = from->limited;
  to->budget = from->budget;
  to->gave_up = from->gave_up;
  to->wide_count = from->wide_count;
  bool good = COPY_ARRAY(nodes);
  good = COPY_ARRAY(args) && pf_reserve(allocator, &to->args, to->args.count + 64) && good; /* see pf_expr_table */
  good = COPY_ARRAY(numbers) && good;
  good = COPY_ARRAY(names) && good;
  good = COPY_ARRAY(notations) && good;
  good = COPY_ARRAY(rotations) && good;
  good = COPY_ARRAY(simplest) && good;
  good = COPY_ARRAY(shortened) && good;
  good = COPY_ARRAY(lengths) && good;
  good = COPY_ARRAY(fields) && good;
  good = COPY_BLOCK(wides, wide_room) && good;
  return COPY_BLOCK(slots, slot_count) && good;
}

PfContext *pf_context_fork(PfContext *from)
{
  PfContext *to = pf_context_new(pf_context_allocator(from));
  const PfExprTable *table = pf_context_expr_table(from);
  bool good = to && pf_diagnostics_copy(to, from);
  if (to) pf_context_set_spelling(to, pf_context_spelling(from));
  if (to) pf_context_count_with(to, from);
  if (good && table) {
    PfExprTable *copy = pf_expr_table_empty(to);
    good = copy && copy_table(table, copy);
  }
  if (good) return to;
  pf_context_free(to);
  return NULL;
}
