/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages in roff, from the same tables as --help. */
#include "cli/cli.h"
#include "cli/help.h"

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
static void put_lines(FILE *stream, const char *text)
{
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (length) put(stream, text, length, true);
    else fputs(".PP", stream);
    fputc('\n', stream);
    text += length + (text[length] != 0);
  }
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

static void put_option(FILE *stream, const Command *command, const Option *option)
{
  char meaning[400];
  const char *argument = pf_option_argument(command, option);
  fputs(".TP\n", stream);
  if (option->letter) fprintf(stream, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB\\-\\-", stream);
  put_text(stream, option->name);
  fputs("\\fR", stream);
  if (argument) {
    fputs(" \\fI", stream);
    put_text(stream, argument);
    fputs("\\fR", stream);
  }
  fputc('\n', stream);
  pf_option_meaning(command, option, meaning, sizeof meaning);
  put_lines(stream, meaning);
}

static void put_group(FILE *stream, const Command *command, OptionGroup group)
{
  bool any = false;
  for (int i = 0; pf_option(i); i++) {
    if (pf_option(i)->group != group || !pf_command_takes(command, pf_option(i))) continue;
    if (!any && group != OPTIONS_OF_COMMAND) fprintf(stream, ".SS %s\n", pf_group_titles[group]);
    any = true;
    put_option(stream, command, pf_option(i));
  }
}

static void put_values(FILE *stream, const Command *command, const Option *option)
{
  const char *value, *summary;
  OptionValues values = pf_option_few_values(command, option);
  if (!values) return;
  fprintf(stream, ".SS %s of \\-\\-", pf_option_argument(command, option));
  put_text(stream, option->name);
  fputc('\n', stream);
  for (int i = 0; (value = values(i, &summary)); i++) {
    fputs(".TP\n.B ", stream);
    put_text(stream, value);
    fputc('\n', stream);
    put_lines(stream, summary);
  }
}

static void put_command(FILE *stream, const Command *command)
{
  put_head(stream, command->name, command->summary);
  fprintf(stream, ".B pfaff %s\n[options] ", command->name);
  put_text(stream, command->operands);
  fputs("\n.SH DESCRIPTION\n", stream);
  put_lines(stream, command->about);
  fputs(".SH OPTIONS\n", stream);
  for (int group = 0; group < OPTION_GROUPS; group++) put_group(stream, command, (OptionGroup)group);
  for (int i = 0; pf_option(i); i++) put_values(stream, command, pf_option(i));
  if (command->examples) {
    fputs(".SH EXAMPLES\n.nf\n", stream);
    put_lines(stream, command->examples);
    fputs(".fi\n", stream);
  }
  fputs(".SH SEE ALSO\n.BR pfaff (1)\n", stream);
}

/* ---------------------------------------------------------------- the program */

static void list_commands(FILE *stream, const Command *const *list)
{
  for (; *list; list++) {
    fputs(".TP\n.BR ", stream);
    put_page_name(stream, (*list)->name, false);
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

void pf_cli_manual(const Command *command, FILE *stream)
{
  if (command) put_command(stream, command);
  else put_program(stream);
}
