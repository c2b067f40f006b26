/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of which a sweep is made. */
#include "sweep/words.h"
#include "sweep/sweep_impl.h"

#include <stdio.h>
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

const char *pf_sweep_word(const PfSweep *sweep, const char *key)
{
  return pf_word(sweep->words, sweep->word_count, key);
}

const PfSweepWord *pf_sweep_words_of(const PfSweep *sweep, int *count)
{
  *count = sweep->word_count;
  return sweep->words;
}

const PfModel *pf_sweep_the_model(const PfSweep *sweep)
{
  return pf_sim_model(sweep->base);
}

void pf_sweep_words_put(const PfSweep *sweep, PfJson *json, const char *key)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < sweep->word_count; i++) {
    pf_json_open(json, NULL, '[');
    pf_json_string(json, NULL, sweep->words[i].key);
    pf_json_string(json, NULL, sweep->words[i].value);
    pf_json_close(json, ']');
  }
  pf_json_close(json, ']');
}

void pf_sweep_words_json(const PfSweep *sweep, PfText *text)
{
  PfJson json;
  pf_json_begin(&json, text->allocator);
  pf_sweep_words_put(sweep, &json, NULL);
  if (json.text.failed) text->failed = true;
  else pf_text_put(text, json.text.at, json.text.count);
  pf_json_free(&json);
}

/* ---------------------------------------------------------------- two lists of them */

const char *pf_word_spelling(const char *key, char *room, size_t size)
{
  if (!strcmp(key, "axis")) return "the grid";
  if (!strcmp(key, "version")) return "version";
  if (!strcmp(key, "codec")) return "compression";
  snprintf(room, size, "%s%s", !strcmp(key, "n") ? "-" : "--", key);
  return room;
}

/* What the model is called does not matter. */
static int skip_name(const PfSweepWord *words, int count, int at)
{
  while (at < count && !strcmp(words[at].key, "file")) at++;
  return at;
}

/* One of the lists has a key that the other lacks, or has elsewhere. */
static PfWordDifference differ_in_key(const PfSweepWord *a, const PfSweepWord *b, const PfSweepWord *here, int count)
{
  if (a && (!b || !pf_word(here, count, a->key))) return (PfWordDifference){a->key, a->value, NULL};
  return b ? (PfWordDifference){b->key, NULL, b->value} : (PfWordDifference){0};
}

bool pf_words_differ(const PfSweepWord *there, int there_count, const PfSweepWord *here, int here_count,
                     PfWordDifference *difference)
{
  for (int i = 0, k = 0;; i++, k++) {
    i = skip_name(there, there_count, i);
    k = skip_name(here, here_count, k);
    const PfSweepWord *a = i < there_count ? there + i : NULL, *b = k < here_count ? here + k : NULL;
    if (!a && !b) return false;
    if (!a || !b || strcmp(a->key, b->key) != 0) {
      *difference = differ_in_key(a, b, here, here_count);
      return true;
    }
    if (strcmp(a->value, b->value) != 0) {
      *difference = (PfWordDifference){a->key, a->value, b->value};
      return true;
    }
  }
}
