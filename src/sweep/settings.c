/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a sweep as keys and texts: look-up, comparison with those of a result, JSON. */
#include "sweep/settings.h"
#include "sweep/sweep_impl.h"

#include <stdio.h>
#include <string.h>

const char *pf_find_setting(const PfSweepSetting *settings, int count, const char *key)
{
  for (int i = 0; i < count; i++)
    if (!strcmp(settings[i].key, key)) return settings[i].value;
  return NULL;
}

const char *pf_piece(PfArena *arena, const char *first, const char *end)
{
  while (first < end && (*first == ' ' || *first == '\t' || *first == '\n')) first++;
  while (end > first && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n')) end--;
  return pf_arena_text(arena, first, (size_t)(end - first));
}

const char *pf_sweep_setting(const PfSweep *sweep, const char *key)
{
  return pf_find_setting(sweep->settings, sweep->setting_count, key);
}

const PfSweepSetting *pf_sweep_settings(const PfSweep *sweep, int *count)
{
  *count = sweep->setting_count;
  return sweep->settings;
}

const PfModel *pf_sweep_the_model(const PfSweep *sweep)
{
  return pf_sim_model(sweep->base);
}

void pf_sweep_settings_put(const PfSweep *sweep, PfJson *json, const char *key)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < sweep->setting_count; i++) {
    pf_json_open(json, NULL, '[');
    pf_json_string(json, NULL, sweep->settings[i].key);
    pf_json_string(json, NULL, sweep->settings[i].value);
    pf_json_close(json, ']');
  }
  pf_json_close(json, ']');
}

void pf_sweep_settings_json(const PfSweep *sweep, PfText *text)
{
  PfJson json;
  pf_json_begin(&json, text->allocator);
  pf_sweep_settings_put(sweep, &json, NULL);
  if (json.text.failed) text->failed = true;
  else pf_text_put(text, json.text.at, json.text.count);
  pf_json_free(&json);
}

/* ---------------------------------------------------------------- two lists of them */

const char *pf_word_subject(const char *key)
{
  if (!strcmp(key, "axis")) return " the grid";
  if (!strcmp(key, "version")) return " version";
  return !strcmp(key, "codec") ? " compression" : key;
}

/* The settings are compared in their order, without 'file', the name of the model, which does not matter. Where the
 * keys differ, one of the lists has a key that the other lacks or has elsewhere. */
bool pf_settings_differ(const PfSweepSetting *there, int there_count, const PfSweepSetting *here, int here_count,
                        PfSettingDifference *difference)
{
  for (int i = 0, k = 0;; i++, k++) {
    while (i < there_count && !strcmp(there[i].key, "file")) i++;
    while (k < here_count && !strcmp(here[k].key, "file")) k++;
    const PfSweepSetting *a = i < there_count ? there + i : NULL, *b = k < here_count ? here + k : NULL;
    if (!a && !b) return false;
    if (a && b && !strcmp(a->key, b->key)) {
      *difference = (PfSettingDifference){a->key, a->value, b->value};
      if (strcmp(a->value, b->value) != 0) return true;
    } else {
      const bool lacks = a && (!b || !pf_find_setting(here, here_count, a->key));
      *difference = lacks ? (PfSettingDifference){a->key, a->value, NULL}
                          : (PfSettingDifference){b->key, NULL, b->value};
      return true;
    }
  }
}
