/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: words become a request, the report of its task becomes text or JSON on the streams. */
#ifndef PF_CLI_H
#define PF_CLI_H

#include "task/task.h"

#include <stdio.h>

/* Exit codes of the program. */
enum { PF_EXIT_OK = 0, PF_EXIT_FAILED = 1, PF_EXIT_USAGE = 2 };

/* The streams of a command: the program gives it the terminal, a program around the library its own memory. */
typedef struct Console {
  FILE *out, *err;
  bool terminal;             /* err is one: colour, progress, motion that is watched */
  bool exact;                /* a program or a file reads `out`: it gets every byte */
  const char *input, *name;  /* what '-' reads, and what it is called; NULL: standard input */
  size_t input_size;
  bool (*is_stopped)(void *user); /* polled by long work */
  void *user;
} Console;

/* All commands, in the order of the help, and all studies: each list is ended by NULL. Studies are one command, whose
 * first operand is the kind (study.c). */
extern const PfTask *const pf_commands[], *const pf_studies[];
extern const PfTask pf_study_task;
/* The command of a task, as "study linearize". */
const char *pf_cli_command(const PfTask *task);

/* Finds the command that the words of the command line ask for, and runs it. Returns the exit code (commands.c). */
int pf_cli_run(const Console *console, int argc, char **argv);
/* The same on the streams of this process, with its signals (terminal.c). */
int pf_cli_terminal(int argc, char **argv);
/* Reads the options and does the task. */
int pf_cli_do(const PfTask *task, const Console *console, int argc, char **argv);
/* The kind of study that the words ask for (study.c). */
int pf_cli_study(const Console *console, int argc, char **argv);

/* Reads the options that the task takes (options.c). PF_EXIT_OK, or PF_EXIT_USAGE after saying what is wrong. With
 * --help the help is printed, and `help` is set. */
int pf_cli_options(const PfTask *task, const Console *console, int argc, char **argv, PfRequest *request);

/* How messages name settings and tasks: --step 0.01, 'pfaff study linearize' (spelling.c). */
extern const PfSpelling pf_spelling_of_shell;
/* A context with messages of the shell; NULL without memory. */
PfContext *pf_cli_context(void);
/* A text of help with its tokens spelled; freed by the caller. */
PfText pf_cli_spelled(const char *words);

/* One diagnostic: place, message, the line with a caret, the hint. */
void pf_cli_diagnostic(FILE *stream, const PfDiagnostic *diagnostic, bool colour);
/* Diagnostics to standard error, with the line and a caret; `ctx` is NULL without memory. */
void pf_cli_diagnostics(const PfContext *ctx, const Console *console);

/* The end after an error: an object with the diagnostics for programs (json), and the diagnostics for people. Returns
 * the exit code. */
int pf_cli_fail(PfContext *ctx, PfStatus status, const Console *console, bool json);
int pf_cli_exit_code(PfStatus status);
/* The end before a command was found: the reason, and a hint; for programs when --json is among the words. */
int pf_cli_wrong_usage(const Console *console, int argc, char **argv, const char *hint, const char *format, ...)
    PF_PRINTF(5, 6);

/* The whole help of a command; its first line; the tables of docs/commands.md (help.c). */
void pf_cli_help(const PfTask *task, FILE *stream);
void pf_cli_usage(const PfTask *task, FILE *stream);
void pf_cli_list_options(FILE *stream);
void pf_cli_list_outputs(FILE *stream);
/* The tables of fields of all reports, as JSON (reports.c). */
void pf_cli_list_reports(FILE *stream);

/* ---------------------------------------------------------------- tables of commands and options */
/* Contents of the tables of commands and options, for help, manual pages and completion of shells. */

extern const char *const pf_group_titles[PF_SETTING_GROUPS];

/* The meaning of an option (pf_task_option) with its default value; of --out also the endings. */
void pf_option_meaning(const PfTask *command, const PfSetting *option, char *text, size_t size);
/* The values where people read them: NULL also when there are too many. */
PfSettingValues pf_option_few_values(const PfSetting *option);

/* The manual page of a command in roff; NULL: of the program (manual.c). */
void pf_cli_manual(const PfTask *command, FILE *stream);
/* A script by which a shell (bash, zsh, fish) completes commands, options and values; false: no such shell
 * (completion.c). */
bool pf_cli_completion(const char *shell, FILE *stream);

/* ---------------------------------------------------------------- progress.c */
/* The progress of a run or a sweep on the terminal. */

typedef struct Progress {
  const Console *console;
  bool hidden;         /* nothing is shown */
  double began, shown; /* when it was called first, and when it was shown last; 0: not yet */
  bool line;           /* there is a line of it on the terminal */
} Progress;

/* On a terminal one line that changes. The processes of a launcher, which hides that, write a line now and then. */
void pf_progress_show(Progress *progress, const PfProgress *now);
/* Takes the line away. */
void pf_progress_end(Progress *progress);

#endif
