/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of which a sweep is made. */
#include "sweep/words.h"
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
