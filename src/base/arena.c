/* SPDX-License-Identifier: Apache-2.0 */
/* Arena: a list of blocks that only grows until it is released to a mark or freed. */
#include "base/base.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Block {
  struct Block *before;
  size_t room, used;
  alignas(max_align_t) char bytes[];
} Block;

struct PfArena {
  PfAllocator allocator;
  Block *block;
  Block *spare; /* the largest block given back: scratch use takes and releases all the time */
};

enum { FIRST_BLOCK = 4096 };

void *pf_standard_resize(void *user, void *block, size_t size)
{
  (void)user;
  if (size) return realloc(block, size);
  free(block);
  return NULL;
}

PfArena *pf_arena_new(const PfAllocator *allocator)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  if (!allocator) allocator = &standard;
  PfArena *arena = allocator->resize(allocator->user, NULL, sizeof *arena);
  if (arena) *arena = (PfArena){*allocator, NULL, NULL};
  return arena;
}

static void free_block(PfArena *arena, Block *block)
{
  arena->allocator.resize(arena->allocator.user, block, 0);
}

/* Takes the newest block off; the larger of it and the spare one is kept. */
static void drop_block(PfArena *arena)
{
  Block *block = arena->block, *spare = arena->spare;
  arena->block = block->before;
  bool keep = !spare || spare->room < block->room;
  if (keep) arena->spare = block;
  free_block(arena, keep ? spare : block);
}

void pf_arena_free(PfArena *arena)
{
  if (!arena) return;
  PfAllocator allocator = arena->allocator;
  while (arena->block) drop_block(arena);
  free_block(arena, arena->spare);
  allocator.resize(allocator.user, arena, 0);
}

static Block *add_block(PfArena *arena, size_t need)
{
  size_t room = arena->block ? 2*arena->block->room : FIRST_BLOCK;
  if (room > ((size_t)1 << 24)) room = (size_t)1 << 24;
  if (room < need) room = need;
  if (room > SIZE_MAX - sizeof(Block)) return NULL;
  Block *block = arena->spare;
  if (block && block->room >= need) {
    arena->spare = NULL;
    block->before = arena->block;
    block->used = 0;
    return arena->block = block;
  }
  block = arena->allocator.resize(arena->allocator.user, NULL, sizeof(Block) + room);
  if (!block) return NULL;
  block->before = arena->block;
  block->room = room;
  block->used = 0;
  return arena->block = block;
}

void *pf_arena_alloc(PfArena *arena, size_t count, size_t size)
{
  const size_t grain = alignof(max_align_t);
  if (size && count > (SIZE_MAX - grain)/size) return NULL;
  size_t need = (count*size + grain - 1)/grain*grain;
  if (!need) need = grain;

  Block *block = arena->block;
  if (!block || block->room - block->used < need) block = add_block(arena, need);
  if (!block) return NULL;
  void *result = block->bytes + block->used;
  block->used += need;
  return memset(result, 0, need);
}

char *pf_arena_text(PfArena *arena, const char *text, size_t length)
{
  if (length == SIZE_MAX) return NULL;
  char *copy = pf_arena_alloc(arena, length + 1, 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

char *pf_arena_print(PfArena *arena, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  const int length = vsnprintf(NULL, 0, format, words);
  va_end(words);
  char *text = length < 0 ? NULL : pf_arena_alloc(arena, (size_t)length + 1, 1);
  if (!text) return NULL;
  va_start(words, format);
  vsnprintf(text, (size_t)length + 1, format, words);
  va_end(words);
  return text;
}

PfMark pf_arena_mark(const PfArena *arena)
{
  return (PfMark){arena->block, arena->block ? arena->block->used : 0};
}

void pf_arena_release(PfArena *arena, PfMark mark)
{
  while (arena->block && arena->block != mark.block) drop_block(arena);
  if (arena->block) arena->block->used = mark.used;
}
