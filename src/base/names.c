/* SPDX-License-Identifier: Apache-2.0 */
/* Map from names, and how far apart two names are (for "did you mean"). */
#include "base/base.h"

#include <ctype.h>
#include <string.h>

uint64_t pf_hash_bytes(const void *bytes, size_t count, uint64_t seed)
{
  /* FNV-1a with a final mix: short keys, no need for more. */
  const unsigned char *at = bytes;
  uint64_t hash = 14695981039346656037u ^ seed;
  for (size_t i = 0; i < count; i++) hash = (hash ^ at[i])*1099511628211u;
  hash ^= hash >> 32;
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

void pf_map_init(PfMap *map, const PfAllocator *allocator)
{
  *map = (PfMap){.allocator = allocator};
}

void pf_map_free(PfMap *map)
{
  map->allocator->resize(map->allocator->user, map->slots, 0);
  pf_array_free(map->allocator, &map->entries);
  map->slots = NULL;
  map->slot_count = 0;
}

/* The slot that holds the key, or the free slot where it belongs. */
static size_t find(const PfMap *map, const char *key, size_t length, uint64_t hash)
{
  size_t slot = (size_t)hash & (map->slot_count - 1);
  for (; map->slots[slot]; slot = (slot + 1) & (map->slot_count - 1)) {
    const PfMapEntry *entry = map->entries.at + map->slots[slot] - 1;
    if (entry->hash == hash && entry->length == length && !memcmp(entry->key, key, length)) break;
  }
  return slot;
}

void *pf_map_get(const PfMap *map, const char *key, size_t length)
{
  if (!map->slot_count) return NULL;
  size_t slot = find(map, key, length, pf_hash_bytes(key, length, 0));
  return map->slots[slot] ? map->entries.at[map->slots[slot] - 1].value : NULL;
}

bool pf_map_set(PfMap *map, const char *key, size_t length, void *value)
{
  if (2*(map->entries.count + 1) > map->slot_count) { /* twice the slots, at most half of them used */
    size_t slot_count = map->slot_count ? 2*map->slot_count : 16;
    uint32_t *slots = map->allocator->resize(map->allocator->user, NULL, slot_count*sizeof *slots);
    if (!slots) return false;
    memset(slots, 0, slot_count*sizeof *slots);
    map->allocator->resize(map->allocator->user, map->slots, 0);
    map->slots = slots;
    map->slot_count = slot_count;
    for (size_t i = 0; i < map->entries.count; i++) {
      const PfMapEntry *entry = map->entries.at + i;
      map->slots[find(map, entry->key, entry->length, entry->hash)] = (uint32_t)i + 1;
    }
  }
  uint64_t hash = pf_hash_bytes(key, length, 0);
  size_t slot = find(map, key, length, hash);
  if (map->slots[slot]) {
    map->entries.at[map->slots[slot] - 1].value = value;
    return true;
  }
  if (!pf_push(map->allocator, &map->entries, (PfMapEntry){key, length, hash, value})) return false;
  map->slots[slot] = (uint32_t)map->entries.count;
  return true;
}

/* Optimal string alignment distance with three rolling rows. */
int pf_name_distance(const char *a, const char *b, int limit)
{
  enum { LONGEST = 64 };
  int rows[3][LONGEST + 1];
  int m = (int)strnlen(a, LONGEST + 1), n = (int)strnlen(b, LONGEST + 1);
  if (m > LONGEST || n > LONGEST || m - n > limit || n - m > limit) return limit + 1;
  for (int j = 0; j <= n; j++) rows[0][j] = j;
  for (int i = 1; i <= m; i++) {
    int *row = rows[i%3], *above = rows[(i + 2)%3], *above2 = rows[(i + 1)%3];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < best)
        best = above2[j - 2] + 1;
      row[j] = best;
    }
  }
  int distance = rows[m%3][n];
  return distance > limit ? limit + 1 : distance;
}

/* ---------------------------------------------------------------- derivatives as people spell them */

bool pf_rate_spelling(const char *name, int k, char *other, size_t room, int *order)
{
  static const struct {
    const char *before, *after;
    int order;
  } ways[] = {{"", "_ddot", 2}, {"", "ddot", 2}, {"", "_dot", 1}, {"", "dot", 1}, {"", "_dd", 2}, {"", "_d", 1},
              {"", "_t", 1}, {"dd", "", 2}, {"d2", "", 2}, {"d_", "", 1}, {"d", "", 1}};
  size_t own = strcspn(name, "["), seen = 0;
  for (size_t i = 0; i < sizeof ways/sizeof *ways; i++) {
    size_t before = strlen(ways[i].before), after = strlen(ways[i].after);
    bool fits = own > before + after && !strncmp(name, ways[i].before, before) &&
                !strncmp(name + own - after, ways[i].after, after);
    if (!fits || seen++ != (size_t)k) continue;
    int length = snprintf(other, room, "%.*s%s", (int)(own - before - after), name + before, name + own);
    *order = ways[i].order;
    return length >= 0 && (size_t)length < room;
  }
  return false;
}

bool pf_name_is_nearer(const char *name, const char *candidate, int *best)
{
  size_t length = strlen(name);
  /* p for P: of one letter only the other case is near. */
  bool other_case = length == 1 && strlen(candidate) == 1 && *name != *candidate &&
                    tolower((unsigned char)*name) == tolower((unsigned char)*candidate);
  int most = *best ? *best - 1 : length < 2 ? other_case : length < 5 ? 1 : 2;
  int distance = pf_name_distance(name, candidate, most);
  if (distance > most || !distance) return false;
  *best = distance;
  return true;
}

bool pf_word_is_in(const char *list, const char *word, size_t length)
{
  while (*list) {
    size_t size = strcspn(list, " ");
    if (size == length && !memcmp(list, word, length)) return true;
    list += size + (list[size] == ' ');
  }
  return false;
}

const char *pf_piece_end(const char *text, const char *separators)
{
  int depth = 0;
  for (; *text; text++) {
    depth += *text == '(' || *text == '[';
    depth -= *text == ')' || *text == ']';
    if (depth <= 0 && strchr(separators, *text)) break;
  }
  return text;
}
