/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for shells, from the tables of commands and options. */
#include "cli/cli.h"

#include <string.h>

/* ---------------------------------------------------------------- words */

/* Between apostrophes, where a shell changes nothing. */
static void put_quoted(FILE *stream, const char *text)
{
  fputc('\'', stream);
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", stream);
    else fputc(*text, stream);
  }
  fputc('\'', stream);
}

static void list_names(FILE *stream, const PfTask *const *list)
{
  for (; *list; list++) fprintf(stream, "%s%s", (*list)->name, list[1] ? " " : "");
}

static void list_values(FILE *stream, PfSettingValues values)
{
  const char *value, *summary;
  for (int i = 0; (value = values(i, &summary)); i++) fprintf(stream, "%s%s", i ? " " : "", value);
}

static void list_options(FILE *stream, const PfTask *command)
{
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) fprintf(stream, " --%s", option.name);
}

/* ---------------------------------------------------------------- bash */

static void put_bash_case(FILE *stream, const PfTask *command)
{
  fprintf(stream, "    '%s') options='", pf_cli_command(command));
  list_options(stream, command);
  fputs("'\n      case $before in\n", stream);
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) {
    if (!option.values) continue;
    fprintf(stream, "        --%s) values='", option.name);
    list_values(stream, option.values);
    fputs("' ;;\n", stream);
  }
  fputs("      esac ;;\n", stream);
}

static void put_bash(FILE *stream)
{
  fputs("# completion of pfaff for bash\n"
        "_pfaff()\n{\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  local options= values= command=${COMP_WORDS[1]}\n"
        "  COMPREPLY=()\n"
        "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '", stream);
  list_names(stream, pf_commands);
  fputs(" help version' -- \"$word\")); return; fi\n"
        "  if [[ $command == study ]]; then\n"
        "    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W '", stream);
  list_names(stream, pf_studies);
  fputs("' -- \"$word\")); return; fi\n"
        "    command=\"study ${COMP_WORDS[2]}\"\n"
        "  fi\n"
        "  if [[ $command == help ]]; then COMPREPLY=($(compgen -W '", stream);
  list_names(stream, pf_commands);
  fputs("' -- \"$word\")); return; fi\n  case $command in\n", stream);
  for (const PfTask *const *c = pf_commands; *c; c++) put_bash_case(stream, *c);
  for (const PfTask *const *c = pf_studies; *c; c++) put_bash_case(stream, *c);
  fputs("  esac\n"
        "  if [[ $values ]]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
        "  elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "  else compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
        "}\ncomplete -F _pfaff pfaff\n", stream);
}

/* ---------------------------------------------------------------- zsh */

/* The text in the brackets of _arguments, where colons and brackets have a meaning. */
static void put_zsh_text(FILE *stream, const char *text)
{
  for (; *text; text++) {
    if (strchr("[]:\\", *text)) fputc('\\', stream);
    if (*text == '\'') fputs("'\\''", stream);
    else fputc(*text == '\n' ? ' ' : *text, stream);
  }
}

static void put_zsh_option(FILE *stream, const PfTask *command, const PfSetting *option)
{
  char meaning[400];
  pf_option_meaning(command, option, meaning, sizeof meaning);
  fprintf(stream, " \\\n        '%s--%s[", option->type == PF_SETTING_LIST ? "*" : "", option->name);
  put_zsh_text(stream, meaning);
  fputc(']', stream);
  if (option->argument) {
    fputc(':', stream);
    put_zsh_text(stream, option->argument);
    fputc(':', stream);
    if (option->values) {
      fputc('(', stream);
      list_values(stream, option->values);
      fputc(')', stream);
    } else {
      fputs("_files", stream);
    }
  }
  fputc('\'', stream);
}

static void put_zsh_command(FILE *stream, const PfTask *command)
{
  fprintf(stream, "    '%s')\n      _arguments", pf_cli_command(command));
  PfSetting option;
  for (int i = 0; pf_task_option(command, i, &option); i++) put_zsh_option(stream, command, &option);
  fputs(" \\\n        '*:file:_files' ;;\n", stream);
}

static void describe(FILE *stream, const PfTask *const *list)
{
  for (; *list; list++) {
    fprintf(stream, " '%s:", (*list)->name);
    put_zsh_text(stream, (*list)->summary);
    fputc('\'', stream);
  }
}

static void put_zsh(FILE *stream)
{
  fputs("#compdef pfaff\n"
        "local -a commands studies\ncommands=(", stream);
  describe(stream, pf_commands);
  fputs(")\nstudies=(", stream);
  describe(stream, pf_studies);
  fputs(")\nif ((CURRENT == 2)); then _describe command commands; return; fi\n"
        "local command=$words[2]\nlocal -i taken=1\n"
        "if [[ $command == help ]]; then _describe command commands; return; fi\n"
        "if [[ $command == study ]]; then\n"
        "  if ((CURRENT == 3)); then _describe study studies; return; fi\n"
        "  command=\"study $words[3]\"; taken=2\n"
        "fi\nshift $taken words; ((CURRENT -= taken))\n"
        "case $command in\n", stream);
  for (const PfTask *const *c = pf_commands; *c; c++) put_zsh_command(stream, *c);
  for (const PfTask *const *c = pf_studies; *c; c++) put_zsh_command(stream, *c);
  fputs("    *) _files ;;\nesac\n", stream);
}

/* ---------------------------------------------------------------- fish */

static void put_fish_option(FILE *stream, const PfTask *command, const PfSetting *option)
{
  char meaning[400];
  pf_option_meaning(command, option, meaning, sizeof meaning);
  fprintf(stream, "complete -c pfaff -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
  if (option->letter) fprintf(stream, " -s %c", option->letter);
  if (option->argument) fputs(option->values ? " -x" : " -r", stream);
  if (option->values) {
    fputs(" -a '", stream);
    list_values(stream, option->values);
    fputc('\'', stream);
  }
  fputs(" -d ", stream);
  put_quoted(stream, meaning);
  fputc('\n', stream);
}

static void put_fish_list(FILE *stream, const PfTask *const *list, const char *when)
{
  for (; *list; list++) {
    fprintf(stream, "complete -c pfaff -n '%s' -f -a %s -d ", when, (*list)->name);
    put_quoted(stream, (*list)->summary);
    fputc('\n', stream);
    PfSetting option;
    for (int i = 0; pf_task_option(*list, i, &option); i++) put_fish_option(stream, *list, &option);
  }
}

static void put_fish(FILE *stream)
{
  char when[400] = "__fish_seen_subcommand_from study; and not __fish_seen_subcommand_from";
  for (const PfTask *const *c = pf_studies; *c; c++) {
    size_t used = strlen(when);
    snprintf(when + used, sizeof when - used, " %s", (*c)->name);
  }
  fputs("# completion of pfaff for fish\n", stream);
  put_fish_list(stream, pf_commands, "__fish_use_subcommand");
  put_fish_list(stream, pf_studies, when);
}

bool pf_cli_completion(const char *shell, FILE *stream)
{
  if (!strcmp(shell, "bash")) put_bash(stream);
  else if (!strcmp(shell, "zsh")) put_zsh(stream);
  else if (!strcmp(shell, "fish")) put_fish(stream);
  else return false;
  return true;
}
