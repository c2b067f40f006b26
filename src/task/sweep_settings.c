/* SPDX-License-Identifier: Apache-2.0 */
/* From options to settings of the sweep. */
#include "task/sweep.h"

#include <string.h>

static PfStatus add(Sweep *sw, const char *key, const char *value)
{
  if (!value) return PF_OK;
  bool good = pf_push(pf_context_allocator(sw->s.ctx), &sw->settings, (PfSweepSetting){key, value});
  return good ? PF_OK : pf_no_room(sw->s.ctx, "the sweep");
}

/* A list or a range, where run would have one value. */
static bool varies(const char *text)
{
  const char *equals = strchr(text, '=');
  return equals && (strstr(equals, "..") || *pf_piece_end(equals + 1, ","));
}

/* ---------------------------------------------------------------- lists that go along together */

static bool begins_with_name(const char *text, const char *name, size_t length)
{
  text += strspn(text, " ");
  return !strncmp(text, name, length) && text[length + strspn(text + length, " ")] == '=';
}

static const char *find_given(const Texts *list, const char *name, size_t length)
{
  for (int i = 0; i < list->count; i++)
    if (varies(list->at[i]) && begins_with_name(list->at[i], name, length)) return list->at[i];
  return NULL;
}

/* Is the list named by one of --zip? */
static bool is_zipped(const Sweep *sw, const char *text)
{
  for (int i = 0; i < sw->options->zip.count; i++)
    for (const char *at = sw->options->zip.at[i]; *at;) {
      at += strspn(at, " ,");
      const size_t length = strcspn(at, " ,");
      if (length && begins_with_name(text, at, length)) return true;
      at += length;
    }
  return false;
}

static PfStatus add_zip(Sweep *sw, const char *names)
{
  const PfRequest *o = sw->options;
  PfText text;
  PfStatus status = PF_OK;
  int count = 0;
  pf_text_init(&text, pf_context_allocator(sw->s.ctx));
  for (const char *at = names; *at && status == PF_OK;) {
    at += strspn(at, " ,");
    const size_t length = strcspn(at, " ,");
    const char *given = length ? find_given(&o->parameters, at, length) : NULL;
    if (length && !given) given = find_given(&o->state, at, length);
    if (length && !given) given = find_given(&o->held, at, length);
    if (length && !given)
      status = pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@zip{%s}: '%.*s' is not given as a list or range by @p, @s or "
                       "@input", names, (int)length, at);
    if (given) pf_text_print(&text, "%s%s", count++ ? ";" : "", given);
    at += length;
  }
  if (status == PF_OK && count < 2)
    status = pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@zip{%s}: two names or more go along together", names);
  const char *word = pf_arena_text(sw->s.arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  if (status != PF_OK) return status;
  return word ? add(sw, "axis", word) : pf_no_room(sw->s.ctx, "the sweep");
}

static PfStatus add_lists(Sweep *sw, const Texts *list, const char *key)
{
  for (int i = 0; i < list->count; i++) {
    if (!varies(list->at[i])) PF_TRY(add(sw, key, list->at[i]));
    else if (!is_zipped(sw, list->at[i])) PF_TRY(add(sw, "axis", list->at[i]));
  }
  return PF_OK;
}

static PfStatus add_table(Sweep *sw, const char *given)
{
  const char *word;
  if (!given) return PF_OK;
  PF_TRY(pf_sweep_table_setting(sw, given, &word));
  return add(sw, "axis", word);
}

/* ---------------------------------------------------------------- names */

/* Which option is for which names: what 'run' refuses for one value is refused for several. */
static PfStatus check_name(const Sweep *sw, const char *option, const char *text)
{
  const PfModel *model = sw->s.model;
  char name[PF_LONGEST_NAME];
  const char *value;
  if (!pf_task_split(text, name, &value)) return PF_OK;
  char *bracket = strchr(name, '[');
  if (bracket && bracket > name && bracket[-1] == ' ') *bracket = 0;
  size_t length = strlen(name);
  while (length && name[length - 1] == ' ') name[--length] = 0;
  const char *own = pf_model_find_parameter(model, name) >= 0 ? "p" : pf_task_is_input(model, name) ? "input"
                  : pf_task_is_start(model, name) ? "s" : NULL;
  if (!own || !strcmp(own, option)) return PF_OK;
  pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@%s{%s}: '%s' is %s", option, text, name,
          *own == 'p' ? "a parameter"
          : *own == 's' ? "the start of a coordinate, a velocity or a speed" : "an input");
  pf_hint(sw->s.ctx, "write @%s{\"%s\"}", own, text);
  return PF_ERR_ARGUMENT;
}

static PfStatus check_names(const Sweep *sw, const char *option, const Texts *list)
{
  for (int i = 0; i < list->count; i++)
    if (varies(list->at[i]) || !strcmp(option, "input")) PF_TRY(check_name(sw, option, list->at[i]));
  return PF_OK;
}

/* ---------------------------------------------------------------- all of them */

static PfStatus add_texts(Sweep *sw, const char *key, const Texts *list)
{
  for (int i = 0; i < list->count; i++) PF_TRY(add(sw, key, list->at[i]));
  return PF_OK;
}

PfStatus pf_sweep_read_options(Sweep *sw)
{
  const PfRequest *o = sw->options;
  PF_TRY(check_names(sw, "p", &o->parameters));
  PF_TRY(check_names(sw, "s", &o->state));
  PF_TRY(check_names(sw, "input", &o->held));
  PF_TRY(add(sw, "model", sw->s.model->text));
  PF_TRY(add(sw, "file", sw->s.model->file));
  PF_TRY(add_lists(sw, &o->parameters, "param"));
  PF_TRY(add_lists(sw, &o->state, "state"));
  PF_TRY(add_lists(sw, &o->held, "param"));
  for (int i = 0; i < o->zip.count; i++) PF_TRY(add_zip(sw, o->zip.at[i]));
  PF_TRY(add_texts(sw, "vary", &o->vary));
  PF_TRY(add_table(sw, o->table));
  PF_TRY(add_texts(sw, "random", &o->random));
  PF_TRY(add_texts(sw, "correlate", &o->correlate));
  /* Options with one value, as they were written; flags are "yes". */
  static const struct {
    const char *option, *key;
  } names[] = {{"design", "design"}, {"members", "n"}, {"seed", "seed"}, {"study", "study"}, {"take", "take"},
               {"time", "time"},
               {"as-given", "as-given"}, {"by", "by"}, {"form", "form"}, {"for", "for"}, {"step", "step"},
               {"rtol", "rtol"}, {"atol", "atol"}, {"rho", "rho"}, {"most-steps", "most-steps"},
               {"adaptive", "adaptive"}, {"printed", "printed"}, {"no-projection", "no-projection"},
               {"keep-going", "keep-going"}};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    const int at = pf_setting_index(pf_setting_find(names[i].option));
    if (!sw->options->given[at]) continue;
    const char *word = sw->options->word[at];
    if (!strcmp(names[i].key, "form")) word = pf_form_name(word);
    PF_TRY(add(sw, names[i].key, word ? word : "yes"));
  }
  return PF_OK;
}
