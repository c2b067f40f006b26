/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tasks: the model and its values, the result, files. */
#ifndef PF_SRC_TASK_H
#define PF_SRC_TASK_H

#include "base/spelling.h"
#include "task/request.h"
#include "lang/constant.h"
#include "machine/machine.h"
#include "num/num.h"
#include "out/out.h"
#include "out/record.h"
#include "pfaff/pfaff.h"
#include "report/report.h"

extern const PfTask pf_check_task, pf_compare_task, pf_converge_task, pf_derive_task, pf_draw_task,
    pf_eval_task, pf_examples_task, pf_export_task, pf_fmt_task, pf_import_task, pf_new_task,
    pf_page_task, pf_plot_task, pf_run_task, pf_sweep_task, pf_linearize_task, pf_equilibria_task, pf_steady_task,
    pf_continue_task, pf_portrait_task, pf_poincare_task, pf_integrability_task, pf_invariants_task,
    pf_measure_task;

/* The fields of their reports, as far as no other header has them. 'fmt' and 'import' share some, and 'equilibria' and
 * 'steady'. */
extern const PfField pf_check_fields[], pf_compare_fields[], pf_converge_fields[], pf_eval_fields[],
    pf_examples_fields[], pf_export_fields[], pf_text_fields[], pf_new_fields[], pf_page_fields[], pf_plot_fields[],
    pf_run_fields[], pf_linearize_fields[], pf_steady_fields[], pf_continue_fields[], pf_portrait_fields[],
    pf_poincare_fields[], pf_integrability_fields[], pf_invariants_fields[], pf_measure_fields[];

/* The surroundings of a task at work. */
typedef struct Host {
  PfObserver observer;
  PfMachine *machine;   /* of the request's first file, when it is open already; else NULL */
  PfReport *report;     /* the result, when there is one */
  FILE *out;            /* the file '-'; NULL: standard output */
  /* Of the program alone, which owns the process; elsewhere NULL. Their first argument is the observer's. */
  void (*tell)(void *user, const PfContext *ctx); /* shows diagnostics before work that may take long */
  void (*say)(void *user, const char *text);      /* shows lines of text then */
  const struct RunWatch *watch;                   /* curves while a run goes on (trajectory.h), with their own user */
  void *watch_user;
} Host;

/* Does the task in surroundings that the caller has set up; the report is in the host. */
PfStatus pf_task_do(Host *host, const PfRequest *request);
/* Has a request to stop arrived? */
bool pf_task_is_stopped(const PfRequest *request);

/* The folder of the program; "" where the system does not provide it. */
void pf_task_program_folder(char *folder, size_t size);

/* Writes a result to a report. */
typedef void (*WriteReport)(void *user, PfReport *report);

/* A task that turns one text into another: reads the file, lets `turn` work, and reports what it made (NULL: nothing)
 * or writes it to the file of 'out'. */
typedef PfStatus (*TurnText)(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                             const PfRequest *options, const char **result);
PfStatus pf_task_turn_text(const PfRequest *options, size_t largest, TurnText turn);

/* What to call the model: its name, or its file; above a picture its title, when it has one. */
#define PF_FIELD_MODEL PF_FIELD("model", STRING, "the name of the model, or of its file")
const char *pf_model_label(const PfModel *model);
const char *pf_model_heading(const PfModel *model);
/* The model in a report: the member "model", and a first line with its name and title. */
void pf_task_report_model(const PfModel *model, PfReport *report);

/* A report with the diagnostics of the context; to be freed also after an error. */
PfStatus pf_task_make_report(PfContext *ctx, const PfField *fields, void *user, WriteReport write, PfReport **report);
/* The end of a task: makes the report when all went well, otherwise one that has the diagnostics only, and leaves it in
 * the host. The fields are those that the task has for the request. The context is NULL without memory. Returns the
 * status. */
PfStatus pf_task_report(PfContext *ctx, PfStatus status, const PfRequest *options, void *user, WriteReport write);
/* Leaves a report in the host, which frees it, with copies of the diagnostics of the context. NULL, or a request to
 * stop, leaves one with the diagnostics only. */
PfStatus pf_task_give(PfContext *ctx, PfStatus status, const PfRequest *options, PfReport *report);

/* The last part of a path. */
const char *pf_task_base_name(const char *path);

/* 'out', before anything else is done: the ending must be one that the command knows, the place one that can be
 * written. */
PfStatus pf_task_check_out(PfContext *ctx, const PfRequest *options);
/* The kind of file 'out' asks for, as "csv"; NULL when it is none that the command knows. */
const char *pf_task_out_kind(const PfRequest *options);
bool pf_task_out_is(const PfRequest *options, const char *kind);
bool pf_task_out_is_standard(const PfRequest *options);
/* Rows go where the host wants them: to the observer, when it takes files, or to the host's own stream for '-'. */
void pf_task_lead(const PfRequest *options, PfRecord *record);
/* The text as it is as the file of 'out', or to the observer, when it takes files. */
PfStatus pf_task_put(PfContext *ctx, const PfRequest *options, const PfText *text);
/* The text as the file of 'out'. Charts are given as SVG and become .png or .pdf where that is asked for. */
PfStatus pf_task_write(PfContext *ctx, const PfRequest *options, const PfText *text);

/* The name before '=', without blanks, and the value after it; false when there is no '='. */
enum { PF_LONGEST_NAME = 128 };
bool pf_task_split(const char *text, char name[PF_LONGEST_NAME], const char **value);

/* "3 s", "4 min", "5.2 h" */
void pf_print_seconds(char *to, size_t size, double seconds);

/* The method whose name is like this word; NULL: none. */
const char *pf_task_nearest_method(const char *name);
/* The methods of a list as "rk4,rattle". */
enum { PF_MOST_METHODS = 16 };
PfStatus pf_task_methods(PfContext *ctx, const char *list, const PfMethod *methods[PF_MOST_METHODS], int *count);

/* What a name of the model is: an input; the start of a coordinate, a velocity or a speed. */
bool pf_task_is_input(const PfModel *model, const char *name);
bool pf_task_is_start(const PfModel *model, const char *name);
void pf_task_hint_parameter(PfContext *ctx, const PfModel *model, const char *name);

/* The numbers given by -p, NaN elsewhere, in the arena. NULL after an error that is in the context. */
double *pf_task_parameters(PfContext *ctx, PfArena *arena, const PfModel *model, const PfRequest *options);

/* What a command works in. Without a machine while no model is open. */
typedef PfWorkspace Session;

/* A context whose work stops when the observer says so. */
PfContext *pf_task_context(const PfRequest *options);

/* One without a model. */
PfStatus pf_task_begin_session(Session *session, const PfRequest *options);
/* What 'native' says. */
PfStatus pf_task_choose_native(PfContext *ctx, const PfRequest *options);
/* The functions that were compiled, as the member "native" of a report and, where there are any, a line of its text. */
extern const PfField pf_native_fields[];
#define PF_FIELD_NATIVE                                                                             \
  PF_FIELD_RECORD("native", pf_native_fields, "compiled machine code")
void pf_native_report(const PfContext *ctx, PfReport *report);
/* Loads the model into it, derives its equations, and changes its start as 'state' says. */
PfStatus pf_task_load(Session *session, const PfRequest *options);
PfStatus pf_task_load_to_move(Session *session, const PfRequest *options);
/* Both, after a look at 'out'. */
PfStatus pf_task_open(Session *session, const PfRequest *options);
/* The same for a motion alone: of large trees the equations are matrix-free. */
PfStatus pf_task_open_to_move(Session *session, const PfRequest *options);
/* The same with a preparation (pf_workspace_open_prepared). */
PfStatus pf_task_open_prepared(Session *session, const PfRequest *options, const PfPreparation *preparation,
                               const char *key, const void *details);
PfStatus pf_task_give_state(Session *session, const PfRequest *options);
void pf_task_close(Session *session);
/* Operations that evaluate M, F, A and b once, after sharing. */
PfStatus pf_task_count(Session *session, PfCount *count);

/* Parameters of the command line become those of the model (derive.c). */
PfStatus pf_task_keep_parameters(Session *session, const PfRequest *options);

/* Numbers of all symbols of the system at the start, with what 'param' and 'time' say; in the arena. */
PfStatus pf_task_state(Session *session, const PfRequest *options, const PfSystem *system, double **values);
/* Makes them consistent, unless 'as-given' says otherwise, and warns of what was given and changed, or is far off. */
PfStatus pf_task_correct(Session *session, const PfRequest *options, const PfSystem *system, double *values,
                        PfStart *start);
/* What is said of a start that was made consistent (or failed: then the diagnostics from `before` on tell it). */
PfStatus pf_task_judge_start(Session *session, const PfRequest *options, PfStatus status, int before,
                            const PfStart *start);
/* Both: the start that every command uses. */
PfStatus pf_task_start(Session *session, const PfRequest *options, const PfSystem *system, double **values,
                      PfStart *start);
/* 'as-given' off the constraints is an error for a study. */
PfStatus pf_task_need_consistent(Session *session, const PfRequest *options, const PfStart *start);
/* Warns of what was given and changed, and of what was found far away. */
void pf_start_warn(PfContext *ctx, const PfModel *model, const PfStart *start);
/* The changed values, by name. */
extern const PfField pf_start_change_fields[];
#define PF_FIELD_START_CHANGE                                                                       \
  {.key = "start_change", .type = PF_TYPE_RECORD, .fields = pf_start_change_fields,                 \
   .about = PF_ABOUT("how the start was made consistent")}
void pf_start_report(const PfModel *model, const PfRequest *options, const PfStart *start, PfReport *report);
/* Accelerations may exist where no motion does: what 'check' refuses near the start becomes a warning. */
PfStatus pf_task_warn_contradiction(Session *session, const PfRequest *options);
/* A state on a surface of switching (at rest with dry friction): what is shown there is no motion (surfaces.c). */
PfStatus pf_task_warn_surface(const Session *session, const PfSystem *system, const double *values);

/* For studies of models whose forces jump: what is not done about it (PF_SWITCHING_…), when they do. */
#define PF_SWITCHING_STATES "states on a surface of switching, at rest with dry friction, are not found"
PfStatus pf_task_warn_switching(const Session *session, const char *what);

/* For what does not follow events ('when'): says that they are left out, when the model has any (events.c). */
void pf_task_warn_events(const Session *session);

/* Fails, naming the constraint, where the forces of constraint are not determined though they are nearby. */
PfStatus pf_task_refuse_singular(Session *session, const PfSystem *system, const double *values);

/* How to run the model: its own 'run' statement, changed by the command line. */
PfStatus pf_task_run_options(Session *session, const PfRequest *options, const PfSystem *system, const double *values,
                            PfRunOptions *settings);

/* Looks at the model's 'run' statement without running: method, settings and formulation must exist. */
PfStatus pf_task_check_run(Session *session);

/* Number of this process among those that a launcher of MPI has started, and their count; 0 of 0: started alone. Reads
 * the environment (sweep_launch.c). */
void pf_launch_ranks(int *own, int *count);

#endif
