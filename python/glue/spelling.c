/* SPDX-License-Identifier: Apache-2.0 */
/* How messages name settings and tasks to Python: step=0.01, by='rk4', m.linearize(). */
#include "glue.h"

#include <ctype.h>
#include <string.h>

/* Settings that are called otherwise here. */
static const char *const names[][2] = {{"for", "duration"}, {"param", "params"}, {"input", "inputs"},
                                       {"as_given", "as_given=True"}, {"members", "n"}};

/* Tasks that are not methods of the same name. */
static const char *const calls[][2] = {{"examples", "pfaff.examples()"}, {"continue", "m.continuation()"},
                                       {"import", "pfaff.import_urdf()"}, {"new", "pfaff.example()"},
                                       {"fmt", "m.format()"}};

/* What a setting is called here: "duration" for "for". */
static const char *name_of(const char *name)
{
  name = pf_setting_name(name);
  for (size_t i = 0; i < sizeof names/sizeof *names; i++)
    if (!strcmp(names[i][0], name)) return names[i][1];
  return name;
}

/* A number, NAME for what is to be written there, or a text with quotation marks of its own. */
static bool stands_alone(const char *value)
{
  if (*value == '"' || *value == '\'' || isdigit((unsigned char)*value) || *value == '.') return true;
  return isupper((unsigned char)*value) && !value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")];
}

static void put_setting(PfText *text, const char *name, const char *value)
{
  const char *whole = pf_setting_name(name), *ours = name_of(name);
  const bool named = !strcmp(whole, "param") || !strcmp(whole, "state") || !strcmp(whole, "input");
  pf_text_add(text, ours);
  if (!value || strchr(ours, '=')) return;
  if (named) pf_text_print(text, ": %s", value); /* what stands in a dictionary */
  else if (stands_alone(value)) pf_text_print(text, "=%s", value);
  else pf_text_print(text, "='%s'", value);
}

static void put_task(PfText *text, const char *name, const char *words, const char *settings, bool quoted)
{
  (void)words, (void)quoted;
  if (!strcmp(settings, "help")) settings = "";
  if (!strncmp(settings, "resume=", 7)) { /* it needs no model */
    pf_text_print(text, "pfaff.command('sweep', '--resume', %s)", settings + 7);
    return;
  }
  for (size_t i = 0; i < sizeof calls/sizeof *calls; i++)
    if (!strcmp(calls[i][0], name)) {
      pf_text_add(text, calls[i][1]);
      return;
    }
  pf_text_print(text, "m.%s(%s)", name, settings);
}

const PfSpelling pf_spelling_of_python = {put_setting, put_task};
