/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program as a function. What they print goes to the descriptors 1 and 2, '-' is read from 0. */
#include "cli/cli.h"

int pfaff(int argc, char **argv);

/* As main; the exit code. */
__attribute__((export_name("pfaff"))) int pfaff(int argc, char **argv)
{
  int code = pf_cli_run(argc, argv);
  return fflush(stdout) == 0 && fflush(stderr) == 0 ? code : PF_EXIT_FAILED;
}
