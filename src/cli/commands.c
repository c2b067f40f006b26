/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all commands, and which of them is asked for. */
#include "cli/cli.h"
#include "cli/help.h"

#include <string.h>

const Command *const pf_commands[] = {&pf_command_check, &pf_command_derive, &pf_command_eval, &pf_command_compare,
                                      &pf_command_run, &pf_command_plot, &pf_command_draw, &pf_command_page,
                                      &pf_command_converge, &pf_command_study, &pf_command_sweep, &pf_command_fmt,
                                      &pf_command_import, &pf_command_export, &pf_command_examples, &pf_command_new,
                                      NULL};

static void usage(FILE *stream)
{
  fputs("usage: pfaff COMMAND [options] FILE\n\n"
        "Pfaff derives, simulates and studies constrained mechanical systems, nonholonomic ones first.\n\nCommands:\n",
        stream);
  for (const Command *const *c = pf_commands; *c; c++) fprintf(stream, "  %-9s %s\n", (*c)->name, (*c)->summary);
  fputs("\n'pfaff COMMAND --help' or 'pfaff help COMMAND' tells more, 'pfaff version' the version.\n"
        "FILE is a model; '-' is standard input.\n", stream);
}

static const Command *find(const char *name)
{
  for (const Command *const *c = pf_commands; *c; c++)
    if (!strcmp((*c)->name, name)) return *c;
  return NULL;
}

/* The words of other programs. */
static const struct {
  const char *word, *ours;
} habits[] = {{"simulate", "run"},    {"sim", "run"},         {"integrate", "run"}, {"equations", "derive"},
              {"animate", "page"},    {"show", "page"},       {"view", "page"},     {"generate", "export"},
              {"codegen", "export"},  {"linearize", "study linearize"},             {"stability", "study linearize"},
              {"list", "examples"},   {"init", "new"},        {"create", "new"},    {"validate", "check"},
              {"convert", "import"},  {"format", "fmt"},      {"test", "check"},    {"ensemble", "sweep"}};

static int unknown(const Console *console, int argc, char **argv)
{
  char hint[80] = "'pfaff --help' lists them";
  int best = 0;
  for (size_t i = 0; i < sizeof habits/sizeof *habits; i++)
    if (!strcmp(habits[i].word, argv[0])) snprintf(hint, sizeof hint, "it is called 'pfaff %s' here", habits[i].ours);
  for (const Command *const *c = pf_commands; *c; c++)
    if (pf_name_is_nearer(argv[0], (*c)->name, &best)) snprintf(hint, sizeof hint, "did you mean '%s'?", (*c)->name);
  return pf_cli_wrong_usage(console, argc, argv, hint, "there is no command '%s'", argv[0]);
}

/* pfaff help, pfaff help COMMAND, pfaff help study KIND: what --help behind them says. */
static int help(const Console *console, int argc, char **argv)
{
  static char word[] = "--help";
  if (argc < 2) {
    usage(console->out);
    return PF_EXIT_OK;
  }
  const Command *command = find(argv[1]);
  if (!command) return unknown(console, argc - 1, argv + 1);
  bool kind = command == &pf_command_study && argc > 2; /* other words would be read as options, or end them */
  char *asked[] = {argv[1], kind ? argv[2] : word, word};
  return command->run(console, kind ? 3 : 2, asked);
}

/* pfaff --man, pfaff --man COMMAND, pfaff --man study KIND: the manual page in roff. */
static int manual(const Console *console, int argc, char **argv)
{
  char name[64];
  const Command *command = argc > 1 ? find(argv[1]) : NULL;
  if (argc > 1 && !command) return unknown(console, argc - 1, argv + 1);
  if (command == &pf_command_study && argc > 2) {
    snprintf(name, sizeof name, "study %s", argv[2]);
    for (const Command *const *c = pf_studies; *c; c++)
      if (!strcmp((*c)->name, name)) command = *c;
  }
  pf_cli_manual(command, console->out);
  return PF_EXIT_OK;
}

static int completion(const Console *console, int argc, char **argv)
{
  if (argc == 2 && pf_cli_completion(argv[1], console->out)) return PF_EXIT_OK;
  return pf_cli_wrong_usage(console, argc, argv, "there are bash, zsh and fish: pfaff --completion bash",
                            argc < 2 ? "the shell is missing" : "there is no completion for '%s'", argv[argc - 1]);
}

/* The word alone or as an option. */
static bool is_word(const char *given, const char *word)
{
  return !strcmp(given, word) || (!strncmp(given, "--", 2) && !strcmp(given + 2, word));
}

int pf_cli_run(const Console *console, int argc, char **argv)
{
  if (argc < 2) {
    usage(console->err);
    return PF_EXIT_USAGE;
  }
  if (is_word(argv[1], "help") || !strcmp(argv[1], "-h")) return help(console, argc - 1, argv + 1);
  if (is_word(argv[1], "version")) {
    fprintf(console->out, "pfaff %s\n", pf_version());
    return PF_EXIT_OK;
  }
  if (!strcmp(argv[1], "--options")) return pf_cli_list_options(console->out), PF_EXIT_OK; /* for docs/commands.md */
  if (!strcmp(argv[1], "--outputs")) return pf_cli_list_outputs(console->out), PF_EXIT_OK;
  if (!strcmp(argv[1], "--man")) return manual(console, argc - 1, argv + 1);
  if (!strcmp(argv[1], "--completion")) return completion(console, argc - 1, argv + 1);
  const Command *command = find(argv[1]);
  return command ? command->run(console, argc - 1, argv + 1) : unknown(console, argc - 1, argv + 1);
}
