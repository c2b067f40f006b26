/* pfaff: the program. One file per command; this one finds it. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

static const Command *const commands[] = {&pf_command_check, &pf_command_derive, &pf_command_compare, &pf_command_eval,
                                          &pf_command_run, &pf_command_plot,
                                          &pf_command_converge, &pf_command_study, &pf_command_fmt,
                                          &pf_command_import};
enum { COMMANDS = sizeof commands/sizeof *commands };

static void usage(FILE *stream)
{
  fputs("pfaff: constrained mechanical systems, nonholonomic ones first\n\nusage: pfaff COMMAND [options] FILE\n\n",
        stream);
  for (int i = 0; i < COMMANDS; i++) fprintf(stream, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
  fputs("\n'pfaff COMMAND --help' tells more. FILE '-' is standard input.\n", stream);
}

static const Command *find(const char *name)
{
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}

static int unknown(const char *name)
{
  fprintf(stderr, "pfaff: there is no command '%s'", name);
  for (int i = 0; i < COMMANDS; i++)
    if (pf_name_distance(name, commands[i]->name, 2) <= 2) {
      fprintf(stderr, " (did you mean '%s'?)", commands[i]->name);
      break;
    }
  fputs("\n'pfaff --help' lists them\n", stderr);
  return PF_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
  if (argc < 2) {
    usage(stderr);
    return PF_EXIT_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    const Command *command = argc > 2 ? find(argv[2]) : NULL;
    if (command) pf_cli_usage(command, stdout);
    else usage(stdout);
    return PF_EXIT_OK;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("pfaff %s\n", pf_version());
    return PF_EXIT_OK;
  }
  const Command *command = find(argv[1]);
  return command ? command->run(argc - 1, argv + 1) : unknown(argv[1]);
}

int main(int argc, char **argv)
{
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is like a full disk: writing fails, and that is said */
  int code = run(argc, argv);
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (written || code != PF_EXIT_OK) return code;
  fputs("pfaff: error: cannot write the result\n", stderr);
  return PF_EXIT_FAILED;
}
