/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that makes up the state of something. */
#include "base/base.h"

#include <string.h>

struct PfKeptPart {
  PfKeptPart *next;
  void *at;
  size_t size;
};

bool pf_keep(PfArena *arena, PfKept *kept, void *at, size_t size)
{
  PfKeptPart *part = pf_arena_array(arena, PfKeptPart, 1);
  if (!part) return false;
  *part = (PfKeptPart){.at = at, .size = size};
  if (kept->last) kept->last->next = part;
  else kept->first = part;
  kept->last = part;
  kept->size += size;
  return true;
}

bool pf_keep_all(PfArena *arena, PfKept *kept, const PfKept *others)
{
  for (const PfKeptPart *part = others->first; part; part = part->next)
    if (!pf_keep(arena, kept, part->at, part->size)) return false;
  return true;
}

size_t pf_kept_save(const PfKept *kept, void *bytes)
{
  char *to = bytes;
  for (const PfKeptPart *part = kept->first; part; to += part->size, part = part->next)
    if (part->size) memcpy(to, part->at, part->size);
  return kept->size;
}

size_t pf_kept_load(const PfKept *kept, const void *bytes)
{
  const char *from = bytes;
  for (const PfKeptPart *part = kept->first; part; from += part->size, part = part->next)
    if (part->size) memcpy(part->at, from, part->size);
  return kept->size;
}
