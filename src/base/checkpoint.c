/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints in memory: a list of the arrays that make up a state, saved to and restored from one block of bytes. */
#include "base/base.h"

#include <string.h>

struct PfCheckpointPart {
  PfCheckpointPart *next;
  void *at;
  size_t size;
};

bool pf_checkpoint_add(PfArena *arena, PfCheckpoint *checkpoint, void *at, size_t size)
{
  PfCheckpointPart *part = pf_arena_array(arena, PfCheckpointPart, 1);
  if (!part) return false;
  *part = (PfCheckpointPart){.at = at, .size = size};
  if (checkpoint->last) checkpoint->last->next = part;
  else checkpoint->first = part;
  checkpoint->last = part;
  checkpoint->size += size;
  return true;
}

bool pf_checkpoint_add_all(PfArena *arena, PfCheckpoint *checkpoint, const PfCheckpoint *others)
{
  for (const PfCheckpointPart *part = others->first; part; part = part->next)
    if (!pf_checkpoint_add(arena, checkpoint, part->at, part->size)) return false;
  return true;
}

size_t pf_checkpoint_save(const PfCheckpoint *checkpoint, void *bytes)
{
  char *to = bytes;
  for (const PfCheckpointPart *part = checkpoint->first; part; to += part->size, part = part->next)
    if (part->size) memcpy(to, part->at, part->size);
  return checkpoint->size;
}

size_t pf_checkpoint_load(const PfCheckpoint *checkpoint, const void *bytes)
{
  const char *from = bytes;
  for (const PfCheckpointPart *part = checkpoint->first; part; from += part->size, part = part->next)
    if (part->size) memcpy(part->at, from, part->size);
  return checkpoint->size;
}
