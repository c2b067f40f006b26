/* SPDX-License-Identifier: Apache-2.0 */
/* Help, made from the table of options. */
#include "cli/help.h"

#include "cli/cli.h"

#include <string.h>

enum { WIDE = 98, WIDEST_NAME = 28 };

const char *const pf_group_titles[OPTION_GROUPS] = {"Options", "The state and the numbers", "The run", "The result"};

/* ---------------------------------------------------------------- lines */

/* Characters, not bytes. */
static int width_of(const char *text, size_t bytes)
{
  int width = 0;
  for (size_t i = 0; i < bytes; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
  return width;
}

/* Words from the column on, in lines that begin at `indent`; where the text has a line end there is one. */
static void wrap(FILE *stream, const char *text, int column, int indent)
{
  bool first = true;
  while (*text) {
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

static const OptionHelp *own_help(const Command *command, const Option *option)
{
  for (const OptionHelp *own = command->own; own && own->name; own++)
    if (!strcmp(own->name, option->name)) return own;
  return NULL;
}

const char *pf_option_argument(const Command *command, const Option *option)
{
  const OptionHelp *own = own_help(command, option);
  return own && own->argument ? own->argument : option->argument;
}

OptionValues pf_option_values(const Command *command, const Option *option)
{
  const OptionHelp *own = own_help(command, option);
  return own && own->values ? own->values : option->values;
}

OptionValues pf_option_few_values(const Command *command, const Option *option)
{
  enum { MOST = 30 };
  const char *summary;
  OptionValues values = pf_command_takes(command, option) ? pf_option_values(command, option) : NULL;
  for (int i = 0; values && i < MOST; i++)
    if (!values(i, &summary)) return values;
  return NULL;
}

/* "-p, --param NAME=VALUE" */
static void print_name(const Command *command, const Option *option, char *name, size_t size)
{
  const char *argument = pf_option_argument(command, option);
  char letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(name, size, "%s--%s%s%s", letter, option->name, argument ? " " : "", argument ? argument : "");
}

/* What it means in this command; of --out also what may be written. */
void pf_option_meaning(const Command *command, const Option *option, char *help, size_t size)
{
  const OptionHelp *own = own_help(command, option);
  char list[LONGEST_LIST] = "";
  bool out = !strcmp(option->name, "out");
  if (out) pf_cli_list_endings(command, " or ", list);
  snprintf(help, size, "%s%s%s", own && own->help ? own->help : option->help, out ? ": " : "", list);
}

static void put_option(FILE *stream, const Command *command, const Option *option, int column)
{
  char name[80], help[400];
  print_name(command, option, name, sizeof name);
  pf_option_meaning(command, option, help, sizeof help);
  put_entry(stream, 2, name, column, help);
}

static void put_values(FILE *stream, const Command *command, const Option *option)
{
  enum { COLUMN = 22 };
  const char *value, *summary;
  OptionValues values = pf_option_few_values(command, option);
  if (!values) return;
  fprintf(stream, "\n%s of --%s:\n", option->argument, option->name);
  for (int i = 0; (value = values(i, &summary)); i++) put_entry(stream, 2, value, COLUMN, summary);
}

static int find_column(const Command *command)
{
  int widest = 0;
  for (int i = 0; pf_option(i); i++) {
    char name[80];
    print_name(command, pf_option(i), name, sizeof name);
    int width = width_of(name, strlen(name));
    if (pf_command_takes(command, pf_option(i)) && width <= WIDEST_NAME && width > widest) widest = width;
  }
  return widest + 4;
}

static void put_group(FILE *stream, const Command *command, OptionGroup group, int column)
{
  bool any = false;
  for (int i = 0; pf_option(i); i++) {
    const Option *option = pf_option(i);
    if (option->group != group || !pf_command_takes(command, option)) continue;
    if (!any) fprintf(stream, "\n%s:\n", pf_group_titles[group]);
    any = true;
    put_option(stream, command, option, column);
  }
}

/* ---------------------------------------------------------------- commands */

void pf_cli_usage(const Command *command, FILE *stream)
{
  fprintf(stream, "usage: pfaff %s [options] %s\n", command->name, command->operands);
}

void pf_cli_help(const Command *command, FILE *stream)
{
  int column = find_column(command);
  pf_cli_usage(command, stream);
  fputc('\n', stream);
  wrap(stream, command->about, 0, 0);
  for (int group = 0; group < OPTION_GROUPS; group++) put_group(stream, command, (OptionGroup)group, column);
  for (int i = 0; pf_option(i); i++) put_values(stream, command, pf_option(i));
  if (!command->examples) return;
  fputs("\nExamples:\n", stream);
  for (const char *line = command->examples; *line;) {
    size_t length = strcspn(line, "\n");
    fprintf(stream, "  %.*s\n", (int)length, line);
    line += length + (line[length] != 0);
  }
}

/* ---------------------------------------------------------------- the tables of the documentation */

static void list_takers(FILE *stream, const Option *option)
{
  int count = 0, studies = 0, all = 0;
  for (const Command *const *c = pf_commands; *c; c++)
    if (pf_command_takes(*c, option)) fprintf(stream, "%s%s", count++ ? ", " : "", (*c)->name);
  for (const Command *const *c = pf_studies; *c; c++, all++) studies += pf_command_takes(*c, option);
  if (studies == all) {
    fprintf(stream, "%sall studies", count ? ", " : "");
    return;
  }
  for (const Command *const *c = pf_studies; *c; c++)
    if (pf_command_takes(*c, option)) fprintf(stream, "%s%s", count++ ? ", " : "", (*c)->name);
}

void pf_cli_list_options(FILE *stream)
{
  fputs("| option | meaning | commands |\n|---|---|---|\n", stream);
  for (int i = 0; pf_option(i); i++) {
    const Option *option = pf_option(i);
    char letter[8] = "";
    if (!strcmp(option->name, "help")) continue; /* all take it */
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    fprintf(stream, "| `%s--%s%s%s` | %s | ", letter, option->name, option->argument ? " " : "",
            option->argument ? option->argument : "", option->help);
    list_takers(stream, option);
    fputs(" |\n", stream);
  }
}

static void list_endings(FILE *stream, const Command *command)
{
  char list[LONGEST_LIST];
  pf_cli_list_endings(command, ", ", list);
  if (list[0]) fprintf(stream, "| `%s` | %s |\n", command->name, list);
}

void pf_cli_list_outputs(FILE *stream)
{
  fputs("| command | endings |\n|---|---|\n", stream);
  for (const Command *const *c = pf_commands; *c; c++) list_endings(stream, *c);
  for (const Command *const *c = pf_studies; *c; c++) list_endings(stream, *c);
}
