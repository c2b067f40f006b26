/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages in roff, from the same tables as --help. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

/* ---------------------------------------------------------------- text */

/* A backslash is a command of roff, and so are a point and an apostrophe at the beginning of a line; a hyphen is one
 * that can be searched for and copied only as \-. */
static void put(FILE *stream, const char *text, size_t length, bool begins)
{
  if (begins && length && (*text == '.' || *text == '\'')) fputs("\\&", stream);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\\') fputs("\\e", stream);
    else if (text[i] == '-') fputs("\\-", stream);
    else fputc(text[i], stream);
  }
}

static void put_text(FILE *stream, const char *text)
{
  put(stream, text, strlen(text), false);
}

/* Lines as they are; an empty one begins a paragraph. */
static void put_lines(FILE *stream, const char *words)
{
  PfText spelled = pf_cli_spelled(words);
  for (const char *text = pf_text_get(&spelled); *text;) {
    size_t length = strcspn(text, "\n");
    if (length) put(stream, text, length, true);
    else fputs(".PP", stream);
    fputc('\n', stream);
    text += length + (text[length] != 0);
  }
  pf_text_free(&spelled);
}

/* "pfaff-study-steady" of "study steady" */
static void put_page_name(FILE *stream, const char *name, bool upper)
{
  char text[64];
  snprintf(text, sizeof text, "pfaff%s%s", name ? "-" : "", name ? name : "");
  for (char *c = text; *c; c++) {
    if (*c == ' ') *c = '-';
    if (upper) *c = (char)toupper((unsigned char)*c);
  }
  put_text(stream, text);
}

static void put_head(FILE *stream, const char *name, const char *summary)
{
  fputs(".TH ", stream);
  put_page_name(stream, name, true);
  fprintf(stream, " 1 \"\" \"Pfaff %s\" \"User Commands\"\n.SH NAME\n", pf_version());
  put_page_name(stream, name, false);
  fputs(" \\- ", stream);
  put_text(stream, summary);
  fputs("\n.SH SYNOPSIS\n", stream);
}

/* ---------------------------------------------------------------- one command */

static void put_option(FILE *stream, const PfTask *command, const PfSetting *option)
{
  char meaning[400];
  fputs(".TP\n", stream);
  if (option->letter) fprintf(stream, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB\\-\\-", stream);
  put_text(stream, option->name);
  fputs("\\fR", stream);
  if (option->argument) {
    fputs(" \\fI", stream);
    put_text(stream, option->argument);
    fputs("\\fR", stream);
  }
  fputc('\n', stream);
  pf_option_meaning(command, option, meaning, sizeof meaning);
  put_lines(stream, meaning);
}

static void put_group(FILE *stream, const PfTask *command, PfSettingGroup group)
{
  bool any = false;
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) {
    if (option.group != group) continue;
    if (!any && group != PF_SETTINGS_OF_TASK) fprintf(stream, ".SS %s\n", pf_group_titles[group]);
    any = true;
    put_option(stream, command, &option);
  }
}

static void put_values(FILE *stream, const PfSetting *option)
{
  const char *value, *summary;
  PfSettingValues values = pf_option_few_values(option);
  if (!values) return;
  fprintf(stream, ".SS %s of \\-\\-", option->argument);
  put_text(stream, option->name);
  fputc('\n', stream);
  for (int i = 0; (value = values(i, &summary)); i++) {
    fputs(".TP\n.B ", stream);
    put_text(stream, value);
    fputc('\n', stream);
    put_lines(stream, summary);
  }
}

static void put_command(FILE *stream, const PfTask *command)
{
  put_head(stream, pf_cli_command(command), command->summary);
  fprintf(stream, ".B pfaff %s\n[options] ", pf_cli_command(command));
  put_text(stream, command->operands);
  fputs("\n.SH DESCRIPTION\n", stream);
  put_lines(stream, command->about);
  fputs(".SH OPTIONS\n", stream);
  for (int group = 0; group < PF_SETTING_GROUPS; group++) put_group(stream, command, (PfSettingGroup)group);
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) put_values(stream, &option);
  if (command->examples) {
    fputs(".SH EXAMPLES\n.nf\n", stream);
    put_lines(stream, command->examples);
    fputs(".fi\n", stream);
  }
  fputs(".SH SEE ALSO\n.BR pfaff (1)\n", stream);
}

/* ---------------------------------------------------------------- the program */

static void list_commands(FILE *stream, const PfTask *const *list)
{
  for (; *list; list++) {
    fputs(".TP\n.BR ", stream);
    put_page_name(stream, pf_cli_command(*list), false);
    fputs(" (1)\n", stream);
    put_lines(stream, (*list)->summary);
  }
}

static void put_program(FILE *stream)
{
  put_head(stream, NULL, "constrained mechanical systems, nonholonomic ones first");
  fputs(".B pfaff\n.I COMMAND\n[options]\n.I FILE\n.SH DESCRIPTION\n"
        "Pfaff derives, simulates and studies constrained mechanical systems: wheeled and omnidirectional robots,\n"
        "skates, hands that roll objects, spacecraft that float. A model is a text file; \\- is standard input.\n"
        ".SH COMMANDS\n", stream);
  list_commands(stream, pf_commands);
  fputs(".SH STUDIES\n", stream);
  list_commands(stream, pf_studies);
  fputs(".SH EXIT STATUS\n.TP\n.B 0\nIt was done.\n.TP\n.B 1\n"
        "It failed; standard error says where, what and how to mend it.\n"
        ".TP\n.B 2\nThe command line is wrong.\n"
        ".SH ENVIRONMENT\n.TP\n.B XDG_CACHE_HOME\n"
        "Where compiled models are kept, in the folder pfaff of it; otherwise ~/.cache.\n"
        ".TP\n.B TMPDIR\nWhere the compiler works; otherwise /tmp.\n", stream);
}

void pf_cli_manual(const PfTask *command, FILE *stream)
{
  if (command) put_command(stream, command);
  else put_program(stream);
}
