/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of commands and options say, for those who print it: help, manual pages, completion of shells. */
#ifndef PF_CLI_HELP_H
#define PF_CLI_HELP_H

#include "cli/options.h"

extern const char *const pf_group_titles[OPTION_GROUPS];

/* Of an option in a command: what stands for its value (NULL for flags), its meaning, the values it may have (or
 * NULL). */
const char *pf_option_argument(const Command *command, const Option *option);
void pf_option_meaning(const Command *command, const Option *option, char *text, size_t size);
OptionValues pf_option_values(const Command *command, const Option *option);
/* The values where people read them: NULL also when there are too many, or the command does not take the option. */
OptionValues pf_option_few_values(const Command *command, const Option *option);

/* The manual page of a command in roff; NULL: of the program (manual.c). */
void pf_cli_manual(const Command *command, FILE *stream);
/* A script by which a shell (bash, zsh, fish) completes commands, options and values; false: no such shell
 * (completion.c). */
bool pf_cli_completion(const char *shell, FILE *stream);

#endif
