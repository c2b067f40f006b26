/* SPDX-License-Identifier: Apache-2.0 */
/* The commands on the streams of this process, which belongs to them: for the program, and what starts as it does. */
#include "cli/cli.h"
#include "cli/signals.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stopped(void *user)
{
  (void)user;
  return pf_signals_stop();
}

int pf_cli_terminal(int argc, char **argv)
{
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is like a full disk: writing fails, and that is said */
  (void)setenv("OPENBLAS_NUM_THREADS", "1", 0); /* else it starts one for every processor as soon as it is loaded */
  pf_signals_install();
  const Console console = {.out = stdout, .err = stderr, .terminal = isatty(STDERR_FILENO) != 0,
                           .exact = isatty(STDOUT_FILENO) == 0, .is_stopped = is_stopped};
  int code = pf_cli_run(&console, argc, argv);
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (written || code != PF_EXIT_OK) return code;
  fputs("pfaff: error: cannot write the result\n", stderr);
  return PF_EXIT_FAILED;
}

void pf_cli_program_folder(char *folder, size_t size)
{
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
}
