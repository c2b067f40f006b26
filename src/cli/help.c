/* SPDX-License-Identifier: Apache-2.0 */
/* Help, made from the table of options. */

#include "cli/cli.h"

#include <string.h>

enum { WIDE = 98, WIDEST_NAME = 28 };

const char *const pf_group_titles[PF_SETTING_GROUPS] = {"Options", "The state and the numbers", "The run",
                                                        "The result"};

/* ---------------------------------------------------------------- lines */

/* Characters, not bytes. */
static int width_of(const char *text, size_t bytes)
{
  int width = 0;
  for (size_t i = 0; i < bytes; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
  return width;
}

/* Words from the column on, in lines that begin at `indent`; where the text has a line end there is one. */
static void wrap(FILE *stream, const char *words, int column, int indent)
{
  bool first = true;
  PfText spelled = pf_cli_spelled(words);
  for (const char *text = pf_text_get(&spelled); *text;) {
    size_t length = strcspn(text, " \n");
    int width = width_of(text, length);
    if (!first && column + 1 + width > WIDE) {
      fprintf(stream, "\n%*s", indent, "");
      column = indent, first = true;
    }
    fprintf(stream, "%s%.*s", first ? "" : " ", (int)length, text);
    column += width + !first;
    first = false;
    text += length;
    for (; *text == '\n'; text++) {
      fputc('\n', stream);
      if (text[1] != '\n') fprintf(stream, "%*s", text[1] ? indent : 0, "");
      column = indent, first = true;
    }
    text += *text == ' ';
  }
  fputc('\n', stream);
  pf_text_free(&spelled);
}

/* A name at `indent`, what it means from `column` on: on the next line when the name is too long. */
static void put_entry(FILE *stream, int indent, const char *name, int column, const char *text)
{
  int end = indent + width_of(name, strlen(name));
  fprintf(stream, "%*s%s", indent, "", name);
  if (end + 2 > column) fprintf(stream, "\n%*s", column, "");
  else fprintf(stream, "%*s", column - end, "");
  wrap(stream, text, column, column);
}

/* ---------------------------------------------------------------- options */

PfSettingValues pf_option_few_values(const PfSetting *option)
{
  enum { MOST = 30 };
  const char *summary;
  for (int i = 0; option->values && i < MOST; i++)
    if (!option->values(i, &summary)) return option->values;
  return NULL;
}

/* "-p, --param NAME=VALUE" */
static void print_name(const PfSetting *option, char *name, size_t size)
{
  char letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(name, size, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
           option->argument ? option->argument : "");
}

void pf_option_meaning(const PfTask *command, const PfSetting *option, char *help, size_t size)
{
  char list[LONGEST_LIST] = "", standard[32] = "";
  bool out = !strcmp(option->name, "out");
  if (out) pf_task_list_endings(command, " or ", list);
  if (option->standard) snprintf(standard, sizeof standard, " (%s)", option->standard);
  PfText words = pf_cli_spelled(option->help);
  snprintf(help, size, "%s%s%s%s", pf_text_get(&words), standard, out ? ": " : "", list);
  pf_text_free(&words);
}

static int find_column(const PfTask *command)
{
  int widest = 0;
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) {
    char name[80];
    print_name(&option, name, sizeof name);
    int width = width_of(name, strlen(name));
    if (width <= WIDEST_NAME && width > widest) widest = width;
  }
  return widest + 4;
}

static void put_group(FILE *stream, const PfTask *command, PfSettingGroup group, int column)
{
  bool any = false;
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) {
    char name[80], help[400];
    if (option.group != group) continue;
    if (!any) fprintf(stream, "\n%s:\n", pf_group_titles[group]);
    any = true;
    print_name(&option, name, sizeof name);
    pf_option_meaning(command, &option, help, sizeof help);
    put_entry(stream, 2, name, column, help);
  }
}

static void put_values(FILE *stream, const PfSetting *option)
{
  enum { COLUMN = 22 };
  const char *value, *summary;
  PfSettingValues values = pf_option_few_values(option);
  if (!values) return;
  fprintf(stream, "\n%s of --%s:\n", option->argument, option->name);
  for (int i = 0; (value = values(i, &summary)); i++) put_entry(stream, 2, value, COLUMN, summary);
}

/* ---------------------------------------------------------------- commands */

void pf_cli_usage(const PfTask *command, FILE *stream)
{
  fprintf(stream, "usage: pfaff %s [options] %s\n", pf_cli_command(command), command->operands);
}

void pf_cli_help(const PfTask *command, FILE *stream)
{
  int column = find_column(command);
  pf_cli_usage(command, stream);
  fputc('\n', stream);
  wrap(stream, command->about, 0, 0);
  for (int group = 0; group < PF_SETTING_GROUPS; group++) put_group(stream, command, (PfSettingGroup)group, column);
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) put_values(stream, &option);
  if (!command->examples) return;
  fputs("\nExamples:\n", stream);
  PfText words = pf_cli_spelled(command->examples);
  for (const char *line = pf_text_get(&words); *line;) {
    size_t length = strcspn(line, "\n");
    fprintf(stream, "  %.*s\n", (int)length, line);
    line += length + (line[length] != 0);
  }
  pf_text_free(&words);
}

/* ---------------------------------------------------------------- the tables of the documentation */

static void list_takers(FILE *stream, const PfSetting *option)
{
  int count = 0, studies = 0, all = 0;
  for (const PfTask *const *c = pf_commands; *c; c++)
    if (pf_task_takes(*c, option)) fprintf(stream, "%s%s", count++ ? ", " : "", pf_cli_command(*c));
  for (const PfTask *const *c = pf_studies; *c; c++, all++) studies += pf_task_takes(*c, option);
  if (studies == all) {
    fprintf(stream, "%sall studies", count ? ", " : "");
    return;
  }
  for (const PfTask *const *c = pf_studies; *c; c++)
    if (pf_task_takes(*c, option)) fprintf(stream, "%s%s", count++ ? ", " : "", pf_cli_command(*c));
}

void pf_cli_list_options(FILE *stream)
{
  fputs("| option | meaning | commands |\n|---|---|---|\n", stream);
  for (int i = 0; pf_setting(i); i++) {
    const PfSetting *option = pf_setting(i);
    char letter[8] = "", standard[32] = "";
    if (!strcmp(option->name, "help")) continue; /* all take it */
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    if (option->standard) snprintf(standard, sizeof standard, " (%s)", option->standard);
    PfText words = pf_cli_spelled(option->help);
    fprintf(stream, "| `%s--%s%s%s` | %s%s | ", letter, option->name, option->argument ? " " : "",
            option->argument ? option->argument : "", pf_text_get(&words), standard);
    pf_text_free(&words);
    list_takers(stream, option);
    fputs(" |\n", stream);
  }
}

static void list_endings(FILE *stream, const PfTask *command)
{
  char list[LONGEST_LIST];
  pf_task_list_endings(command, ", ", list);
  if (list[0]) fprintf(stream, "| `%s` | %s |\n", pf_cli_command(command), list);
}

void pf_cli_list_outputs(FILE *stream)
{
  fputs("| command | endings |\n|---|---|\n", stream);
  for (const PfTask *const *c = pf_commands; *c; c++) list_endings(stream, *c);
  for (const PfTask *const *c = pf_studies; *c; c++) list_endings(stream, *c);
}
