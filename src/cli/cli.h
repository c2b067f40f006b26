/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: options, diagnostics on the terminal, loading a model. */
#ifndef PF_SRC_CLI_H
#define PF_SRC_CLI_H

#include "base/base.h"
#include "cli/options.h"
#include "lang/constant.h"
#include "num/num.h"
#include "out/out.h"
#include "pfaff/pfaff.h"
#include "report/report.h"

extern const Command pf_command_check, pf_command_compare, pf_command_converge, pf_command_derive, pf_command_draw,
    pf_command_eval, pf_command_examples, pf_command_export, pf_command_fmt, pf_command_import, pf_command_new,
    pf_command_page, pf_command_plot, pf_command_run, pf_command_study, pf_command_sweep;

/* Finds the command that the words of the command line ask for, and runs it. Returns the exit code (commands.c). */
int pf_cli_run(const Console *console, int argc, char **argv);
/* The same on the streams of this process, with its signals (terminal.c). */
int pf_cli_terminal(int argc, char **argv);
/* The folder of the program; "" where the system does not tell. */
void pf_cli_program_folder(char *folder, size_t size);

/* Words that may come from a file or the command line: nothing in them can steer the terminal. */
void pf_cli_say(FILE *stream, const char *words);

/* All diagnostics of the context to standard error, with the line and a caret. */
void pf_cli_diagnostics(const PfContext *ctx, const Console *console);
void pf_cli_json_diagnostics(PfContext *ctx, PfJson *json);

/* Members of a report as the next members of a JSON object: for commands that write their JSON themselves. */
typedef void (*WriteReport)(void *user, PfReport *report);
void pf_cli_json_part(PfContext *ctx, const PfField *fields, void *user, WriteReport write, PfJson *json);

/* Writes the text to standard output; PF_EXIT_FAILED (and a message) when that fails. */
int pf_cli_print(const Console *console, const PfText *text);

/* A command that turns one text into another: reads the file, lets `turn` work, prints what it made (NULL: nothing) or
 * writes it where --out says. */
typedef PfStatus (*TurnText)(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                             const Options *options, const char **result);
int pf_cli_turn_text(const Options *options, size_t largest, TurnText turn);

/* What to call the model: its name, or its file; above a picture its title, when it has one. */
#define PF_FIELD_MODEL PF_FIELD("model", STRING, "the name of the model, or of its file")
const char *pf_cli_name(const PfModel *model);
const char *pf_cli_title(const PfModel *model);
/* The model in a report: the member "model", and a first line with its name and title. */
void pf_cli_report_model(const PfModel *model, PfReport *report);

/* Prints a report: its JSON when asked for, else its text. */
int pf_cli_put_report(PfContext *ctx, const Options *options, PfReport *report);
/* A report with the diagnostics of the context; to be freed also after an error. */
PfStatus pf_cli_make_report(PfContext *ctx, const PfField *fields, void *user, WriteReport write, PfReport **report);
/* The end of a command: makes and prints the report when all went well, otherwise as pf_cli_fail; then the diagnostics
 * for people. Returns the exit code. */
int pf_cli_report(PfContext *ctx, PfStatus status, const Options *options, const PfField *fields, void *user,
                  WriteReport write);
/* The end of a command after an error: an object with the diagnostics when JSON is asked for, and the diagnostics for
 * people. Returns the exit code. */
int pf_cli_fail(PfContext *ctx, PfStatus status, const Options *options);
int pf_cli_exit_code(PfStatus status);
/* The end before a command was found: what is wrong, and a hint; for programs when --json is among the words. */
int pf_cli_wrong_usage(const Console *console, int argc, char **argv, const char *hint, const char *format, ...)
    PF_PRINTF(5, 6);

/* A summary to standard error, next to a result on standard output. */
int pf_cli_put_aside(PfContext *ctx, const Options *options, const char *summary);

/* The last part of a path. */
const char *pf_cli_base_name(const char *path);

/* --out, before anything else is done: the ending must be one that the command knows, the place one that can be
 * written. */
PfStatus pf_cli_check_out(PfContext *ctx, const Options *options);
/* The kind of file --out asks for, as "csv"; NULL when it is none that the command knows. */
const char *pf_cli_out_kind(const Options *options);
bool pf_cli_out_is(const Options *options, const char *kind);
bool pf_cli_out_is_standard(const Options *options);
/* The text as it is as the file of --out. A console that keeps what is printed gets what goes to standard output,
 * too. */
PfStatus pf_cli_put(PfContext *ctx, const Options *options, const PfText *text);
/* The text as the file of --out. Charts are given as SVG and become .png or .pdf where that is asked for. */
PfStatus pf_cli_write(PfContext *ctx, const Options *options, const PfText *text);

/* The name before '=', without blanks, and the value behind it; false when there is none. */
enum { PF_LONGEST_NAME = 128 };
bool pf_cli_split(const char *text, char name[PF_LONGEST_NAME], const char **value);

/* The method whose name is like this word; NULL: none. */
const char *pf_cli_nearest_method(const char *name);
/* The methods of a list as "rk4,rattle". */
enum { PF_MOST_METHODS = 16 };
PfStatus pf_cli_methods(PfContext *ctx, const char *list, const PfMethod *methods[PF_MOST_METHODS], int *count);

/* What a name of the model is: an input; the start of a coordinate, a velocity or a speed. */
bool pf_cli_is_input(const PfModel *model, const char *name);
bool pf_cli_is_start(const PfModel *model, const char *name);
void pf_cli_hint_parameter(PfContext *ctx, const PfModel *model, const char *name);

/* The numbers given by -p, NaN elsewhere, in the arena. NULL after an error that is in the context. */
double *pf_cli_parameters(PfContext *ctx, PfArena *arena, const PfModel *model, const Options *options);

/* What a command works in. Without a machine while no model is open. */
typedef PfWorkspace Session;

/* A context whose work stops when the console says so. */
PfContext *pf_cli_context(const Console *console);
bool pf_cli_is_stopped(const Console *console);

/* One without a model. */
PfStatus pf_cli_begin_session(Session *session, const Console *console);
/* What --native says. */
PfStatus pf_cli_choose_native(PfContext *ctx, const Options *options);
/* The functions that were compiled, as the member "native" of a report and, where there are any, a line of its text. */
extern const PfField pf_native_fields[];
#define PF_FIELD_NATIVE                                                                             \
  PF_FIELD_RECORD("native", pf_native_fields, "compiled machine code")
void pf_native_report(const PfContext *ctx, PfReport *report);
/* Loads the model into it, derives its equations, and changes its start as --state says. */
PfStatus pf_cli_load(Session *session, const Options *options);
PfStatus pf_cli_load_to_move(Session *session, const Options *options);
/* Both, after a look at --out. */
PfStatus pf_cli_open(Session *session, const Options *options);
/* The same for a motion alone: of large trees the equations are an outline. */
PfStatus pf_cli_open_to_move(Session *session, const Options *options);
PfStatus pf_cli_give_state(Session *session, const Options *options);
void pf_cli_close(Session *session);
/* Operations that evaluate M, F, A and b once, after sharing. */
PfStatus pf_cli_count(Session *session, PfCount *count);

/* Parameters of the command line become those of the model (derive.c). */
PfStatus pf_cli_keep_parameters(Session *session, const Options *options);

/* Numbers of all symbols of the system at the start, with what --param and --time say; in the arena. */
PfStatus pf_cli_state(Session *session, const Options *options, const PfSystem *system, double **values);
/* Makes them consistent, unless --as-given says otherwise, and warns of what was given and changed, or is far off. */
PfStatus pf_cli_correct(Session *session, const Options *options, const PfSystem *system, double *values,
                        PfStart *start);
/* What is said of a start that was made consistent (or failed: then the diagnostics from `before` on tell it). */
PfStatus pf_cli_judge_start(Session *session, const Options *options, PfStatus status, int before,
                            const PfStart *start);
/* Both: the start that every command uses. */
PfStatus pf_cli_start(Session *session, const Options *options, const PfSystem *system, double **values,
                      PfStart *start);
/* --as-given off the constraints is an error for a study. */
PfStatus pf_cli_need_consistent(Session *session, const Options *options, const PfStart *start);
/* Warns of what was given and changed, and of what was found far away. */
void pf_start_warn(PfContext *ctx, const PfModel *model, const PfStart *start);
/* What was changed, by name. */
extern const PfField pf_start_change_fields[];
#define PF_FIELD_START_CHANGE                                                                       \
  {.key = "start_change", .type = PF_TYPE_RECORD, .fields = pf_start_change_fields,                 \
   .about = "how the start was made consistent"}
void pf_start_report(const PfModel *model, const Options *options, const PfStart *start, PfReport *report);
/* Accelerations may exist where no motion does: what 'check' refuses near the start becomes a warning. */
PfStatus pf_cli_warn_contradiction(Session *session, const Options *options);
/* A state on a surface of switching (at rest with dry friction): what is shown there is no motion (surfaces.c). */
PfStatus pf_cli_warn_surface(const Session *session, const PfSystem *system, const double *values);

/* For studies of models whose forces jump: what is not done about it (PF_SWITCHING_…), when they do. */
#define PF_SWITCHING_STATES "states on a surface of switching, at rest with dry friction, are not found"
PfStatus pf_cli_warn_switching(const Session *session, const char *what);

/* For what does not follow events ('when'): says that they are left out, when the model has any (events.c). */
void pf_cli_warn_events(const Session *session);

/* Fails, naming the constraint, where the forces of constraint are not determined though they are nearby. */
PfStatus pf_cli_refuse_singular(Session *session, const PfSystem *system, const double *values);

/* How to run the model: its own 'run' statement, changed by the command line. */
PfStatus pf_cli_run_options(Session *session, const Options *options, const PfSystem *system, const double *values,
                            PfRunOptions *settings);

/* Looks at the model's 'run' statement without running: method, settings and formulation must exist. */
PfStatus pf_cli_check_run(Session *session);

#endif
