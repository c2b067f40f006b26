/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of which a sweep is made. */
#include "sweep/sweep_impl.h"

#include <string.h>

const char *pf_word(const PfSweepWord *words, int count, const char *key)
{
  for (int i = 0; i < count; i++)
    if (!strcmp(words[i].key, key)) return words[i].value;
  return NULL;
}

const char *pf_piece(PfArena *arena, const char *first, const char *end)
{
  while (first < end && (*first == ' ' || *first == '\t' || *first == '\n')) first++;
  while (end > first && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n')) end--;
  return pf_arena_text(arena, first, (size_t)(end - first));
}
