/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program as a function. What they print goes to the descriptors 1 and 2, '-' is read from 0. */
#include "cli/cli.h"
#include "host.h"

int pfaff(int argc, char **argv);

/* Requests to stop come from the host, in place of signals. */
static bool is_stopped(void *user)
{
  (void)user;
  return pf_host_stop() != 0;
}

/* As main; the exit code. */
__attribute__((export_name("pfaff"))) int pfaff(int argc, char **argv)
{
  const Console console = {.out = stdout, .err = stderr, .exact = true, .is_stopped = is_stopped};
  int code = pf_cli_run(&console, argc, argv);
  return fflush(stdout) == 0 && fflush(stderr) == 0 ? code : PF_EXIT_FAILED;
}
