/* SPDX-License-Identifier: Apache-2.0 */
/* Units of studies: numbers are SI inside, and in the declared units where people read or write them. */
#include "task/study.h"
#include "lang/constant.h"
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

/* ---------------------------------------------------------------- reading */

PfStatus pf_study_value(Study *st, const char *what, const char *name, const char *text, const char *end, double *value)
{
  const char *copy = pf_arena_text(st->s.arena, text, (size_t)(end - text));
  if (!copy) return pf_no_room(st->s.ctx, "the study");
  return pf_constant_read_for(st->s.ctx, what, copy, pf_study_measure(st, name).unit, value);
}

PfStatus pf_study_bounds(Study *st, const char *what, const char *name, const char *text, const char *end,
                         const char *behind, double ends[2])
{
  const char *dots = strstr(text, "..");
  const char *low = pf_arena_text(st->s.arena, text, (size_t)(dots - text));
  const char *high = pf_arena_text(st->s.arena, dots + 2, (size_t)(end - dots - 2));
  if (!low || !high) return pf_no_room(st->s.ctx, "the study");
  return pf_constant_read_ends(st->s.ctx, what, (const char *[]){low, high, behind}, pf_study_measure(st, name).unit,
                               ends);
}
