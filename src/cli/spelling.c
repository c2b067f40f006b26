/* SPDX-License-Identifier: Apache-2.0 */
/* How the shell names settings and tasks in messages: --step 0.01, 'pfaff study linearize'. */
#include "cli/cli.h"

#include <string.h>

static void put_setting(PfText *text, const char *name, const char *value)
{
  pf_text_add(text, pf_setting_name(name) != name ? "-" : "--"); /* a letter, or a whole name */
  for (; *name; name++) pf_text_put(text, *name == '_' ? "-" : name, 1);
  if (value) pf_text_print(text, " %s", value);
}

static void put_task(PfText *text, const char *name, const char *words, const char *settings, bool quoted)
{
  (void)settings;
  const char *mark = quoted ? "'" : "", *before = "";
  for (const PfTask *const *study = pf_studies; *study; study++)
    if (!strcmp((*study)->name, name)) before = "study ";
  pf_text_print(text, "%spfaff %s%s%s%s", mark, before, name, words, mark);
}

const PfSpelling pf_spelling_of_shell = {put_setting, put_task};

PfContext *pf_cli_context(void)
{
  PfContext *ctx = pf_context_new(NULL);
  if (ctx) pf_context_set_spelling(ctx, &pf_spelling_of_shell);
  return ctx;
}

PfText pf_cli_spelled(const char *words)
{
  static const PfAllocator standard = {pf_standard_resize, NULL};
  PfText text;
  pf_text_init(&text, &standard);
  pf_text_spell_words(&text, &pf_spelling_of_shell, words);
  return text;
}
