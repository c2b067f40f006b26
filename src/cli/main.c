/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff: the program. commands.c finds the command; each has its own file. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
  return pf_cli_terminal(argc, argv);
}
