/* SPDX-License-Identifier: Apache-2.0 */
/* Units of studies: numbers are SI inside, and in the declared units where people read or write them. */
#include "cli/study.h"
#include "out/record.h"

#include <string.h>

PfMeasure pf_study_measure(const Study *st, const char *name)
{
  PfMeasure own = pf_model_measure(st->s.model, name);
  if (own.unit[0]) return own;
  for (int i = 0; i < st->output_count; i++)
    if (!strcmp(st->output_names[i], name)) return st->output_measures[i];
  return own;
}

static const char *with_unit(Study *st, const char *name, const char *unit)
{
  size_t length = strlen(name) + strlen(unit) + 4;
  bool written = name[0] && name[strlen(name) - 1] == ']' && strstr(name, " ["); /* theta [deg]: as it was asked for */
  char *text = unit[0] && !written ? pf_arena_alloc(st->s.arena, length, 1) : NULL;
  if (text) snprintf(text, length, "%s [%s]", name, unit);
  return text ? text : name;
}

const char *pf_study_head(Study *st, const char *name)
{
  return with_unit(st, name, pf_study_measure(st, name).unit);
}

void pf_study_csv_head(Study *st, PfText *text, const char *name)
{
  pf_text_add(text, ",");
  pf_csv_put(text, pf_study_head(st, name), "");
}

const char *pf_study_word(Study *st, const char *name)
{
  PfMeasure own = pf_study_measure(st, name);
  return with_unit(st, name, own.scale != 1 ? own.unit : "");
}

const char *const *pf_study_words(Study *st, const char *const *names, int count)
{
  const char **words = pf_arena_array(st->s.arena, const char *, count);
  for (int i = 0; words && i < count; i++) words[i] = pf_study_word(st, names[i]);
  return words ? words : names;
}

void pf_study_show(const Study *st, const char *const *names, int count, double *x)
{
  for (int i = 0; i < count; i++) {
    double scale = pf_study_measure(st, names[i]).scale;
    if (scale != 1) x[i] /= scale;
  }
}

void pf_study_show_one(const Study *st, const char *name, int count, double *x)
{
  double scale = pf_study_measure(st, name).scale;
  for (int i = 0; i < count && scale != 1; i++) x[i] /= scale;
}

void pf_study_json_units(const Study *st, PfJson *json, const char *key, const char *const *names, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, pf_study_measure(st, names[i]).unit);
  pf_json_close(json, ']');
}

/* ---------------------------------------------------------------- reading */

PfStatus pf_study_value(Study *st, const char *what, const char *name, const char *text, const char *end, double *value)
{
  const char *copy = pf_arena_text(st->s.arena, text, (size_t)(end - text));
  if (!copy) return pf_no_room(st->s.ctx, "the study");
  return pf_constant_read_for(st->s.ctx, what, copy, pf_study_measure(st, name).unit, value);
}

/* The unit at the end of a value, from its bracket on; NULL: it has none. */
static const char *unit_at_end(const char *text, const char *end)
{
  while (end > text && end[-1] == ' ') end--;
  if (end == text || end[-1] != ']') return NULL;
  while (end > text && *end != '[') end--;
  return end;
}

static bool has_bracket(const char *text, const char *end)
{
  return memchr(text, '[', (size_t)(end - text)) != NULL;
}

PfStatus pf_study_bounds(Study *st, const char *what, const char *name, const char *text, const char *end,
                         double ends[2])
{
  const char *dots = strstr(text, ".."), *unit = unit_at_end(dots + 2, end), *low = text;
  size_t length = (size_t)(dots - text), unit_length = unit ? (size_t)(end - unit) : 0;
  if (unit && !has_bracket(text, dots)) { /* (-1) [rad]: the unit holds for all of it */
    char *both = pf_arena_alloc(st->s.arena, length + unit_length + 3, 1);
    if (!both) return pf_no_room(st->s.ctx, "the study");
    snprintf(both, length + unit_length + 3, "(%.*s)%.*s", (int)length, text, (int)unit_length, unit);
    low = both;
    length += unit_length + 2;
  }
  PF_TRY(pf_study_value(st, what, name, low, low + length, ends));
  return pf_study_value(st, what, name, dots + 2, end, ends + 1);
}
