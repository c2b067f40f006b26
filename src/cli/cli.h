/* What the commands share: options, diagnostics on the terminal, loading a model. */
#ifndef PF_SRC_CLI_H
#define PF_SRC_CLI_H

#include "base/base.h"
#include "num/num.h"
#include "out/out.h"
#include "pfaff/pfaff.h"

/* Exit codes of the program. */
enum { PF_EXIT_OK = 0, PF_EXIT_FAILED = 1, PF_EXIT_USAGE = 2 };

typedef struct Command {
  const char *name, *summary, *usage;
  int (*run)(int argc, char **argv);
} Command;

extern const Command pf_command_check, pf_command_compare, pf_command_derive, pf_command_eval, pf_command_fmt, pf_command_import,
    pf_command_plot, pf_command_run, pf_command_converge, pf_command_study;

/* Options of studies: name, word, whether an argument follows. */
#define PF_STUDY_OPTIONS(ENTRY)                  \
  ENTRY(INPUTS, "inputs", required_argument)     \
  ENTRY(SWEEP, "sweep", required_argument)       \
  ENTRY(STARTS, "starts", required_argument)     \
  ENTRY(WITHIN, "within", required_argument)     \
  ENTRY(EQUILIBRIA, "equilibria", no_argument)   \
  ENTRY(STAY, "stay", no_argument)               \
  ENTRY(POINTS, "points", required_argument)     \
  ENTRY(SHOW, "show", required_argument)         \
  ENTRY(KEEP, "keep", required_argument)         \
  ENTRY(SECTION, "section", required_argument)   \
  ENTRY(SKIP, "skip", required_argument)         \
  ENTRY(NEAR, "near", required_argument)

typedef enum StudyOption {
#define PF_STUDY_ENTRY(name, word, argument) STUDY_##name,
  PF_STUDY_OPTIONS(PF_STUDY_ENTRY)
#undef PF_STUDY_ENTRY
  STUDY_OPTIONS
} StudyOption;

/* The bit of a study's option in the set of those that a command allows. */
static inline unsigned pf_study_option(int option)
{
  return 1u << (16 + option);
}

/* What a command was asked: its one file and the common switches. */
typedef struct Options {
  const char *file;
  bool json, latex, help;
  int parameter_count;
  const char *parameters[64]; /* name=value */
  const char *form, *time;
  const char *method, *horizon, *rtol, *atol, *step, *every, *at, *out, *rho, *most_steps;
  bool as_given, drift, keep_going, printed, adaptive, prove;
  const char *columns, *against;
  bool log;
  int state_count;
  const char *state[256]; /* name=value */
  bool real_time, invariants, spatial;
  const char *rate;
  bool free;  /* import: the root may move */
  bool write; /* fmt: replace the file */
  const char *study[STUDY_OPTIONS]; /* NULL: not given */
  const Command *command;
} Options;

typedef enum OptionSet { OPTION_JSON = 1, OPTION_LATEX = 2, OPTION_PARAMETER = 4, OPTION_FORM = 8, OPTION_WRITE = 16, OPTION_STATE = 32, OPTION_RUN = 64, OPTION_PROVE = 128, OPTION_PLOT = 256, OPTION_FREE = 512, OPTION_PACE = 1024,
  OPTION_OUT = 2048, OPTION_FOR = 4096, OPTION_SPATIAL = 8192, OPTION_TIME = 16384 } OptionSet;

/* Reads the options a command allows; PF_EXIT_OK, or PF_EXIT_USAGE after saying what is wrong. */
int pf_cli_options(const Command *command, unsigned allowed, int argc, char **argv, Options *options);
void pf_cli_usage(const Command *command, FILE *stream);

/* All diagnostics of the context to standard error, with the line and a caret. */
void pf_cli_diagnostics(const PfContext *ctx);
void pf_cli_json_diagnostics(const PfContext *ctx, PfJson *json);

/* Writes the text to standard output; PF_EXIT_FAILED (and a message) when that fails. */
int pf_cli_print(const PfText *text);

/* A command that turns one text into another: reads the file, lets `turn` work, prints what it made (NULL: nothing). */
typedef PfStatus (*TurnText)(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                             const Options *options, const char **result);
int pf_cli_turn_text(const Options *options, size_t largest, TurnText turn);

/* What to call the model: its name, or its file. */
const char *pf_cli_name(const PfModel *model);

/* Makes the result by one of the writers and prints it: JSON when asked for, else text. */
typedef void (*WriteJson)(void *user, PfJson *json);
typedef void (*WriteText)(void *user, PfText *text);
int pf_cli_output(const PfContext *ctx, bool json, void *user, WriteJson write_json, WriteText write_text);

/* The same; to standard error when the result itself goes to standard output (outputs.c). */
int pf_cli_summary(const PfContext *ctx, const Options *options, void *user, WriteJson write_json, WriteText write_text);

/* --out, before anything else is done: the ending must be one that the command knows, the place one that can be written. */
PfStatus pf_cli_check_out(PfContext *ctx, const Options *options);
/* The kind of file --out asks for, as "csv"; NULL when it is none that the command knows. */
const char *pf_cli_out_kind(const Options *options);
bool pf_cli_out_is(const Options *options, const char *kind);
bool pf_cli_out_is_standard(const Options *options);

/* A constant from the command line in SI: "2/3", "5 [g]"; a bare number is in `unit`. What is wrong is said after `what`, the
 * option as it was given. */
PfStatus pf_cli_value(PfContext *ctx, const char *what, const char *text, const char *unit, double *value);

/* The name before '=', without blanks, and the value behind it; false when there is none. */
enum { PF_LONGEST_NAME = 128 };
bool pf_cli_split(const char *text, char name[PF_LONGEST_NAME], const char **value);

/* The pieces of a list between separators, not counting those in brackets: where the piece ends. */
const char *pf_cli_piece(const char *text, const char *separators);

/* Is the candidate nearer to a misspelt name than all before? *best is 0 at first. */
bool pf_cli_is_nearer(const char *name, const char *candidate, int *best);

void pf_cli_hint_parameter(PfContext *ctx, const PfModel *model, const char *name);

/* The numbers given by -p, NaN elsewhere, in the arena. NULL after an error that is in the context. */
double *pf_cli_parameters(PfContext *ctx, PfArena *arena, const PfModel *model, const Options *options);

/* One work area for a command: a context, an arena, and the model with its equations. */
typedef struct Session {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations equations;
  double seconds; /* from text to equations */
} Session;

/* Loads the model, derives its equations, and changes its start as --state says. */
PfStatus pf_cli_open(Session *session, const Options *options);
PfStatus pf_cli_give_state(Session *session, const Options *options);
void pf_cli_close(Session *session);
/* Operations that evaluate M, F, A and b once, after sharing. */
PfStatus pf_cli_count(Session *session, PfCount *count);
double pf_cli_clock(void);

/* Numbers of all symbols of the system at the start, with what --param and --time say; in the arena. */
PfStatus pf_cli_state(Session *session, const Options *options, const PfSystem *system, double **values);
/* Makes them consistent, unless --as-given says otherwise, and warns of what was given and changed, or is far off. */
PfStatus pf_cli_correct(Session *session, const Options *options, const PfSystem *system, double *values, PfStart *start);
/* Both: the start that every command uses. */
PfStatus pf_cli_start(Session *session, const Options *options, const PfSystem *system, double **values, PfStart *start);
/* --as-given off the constraints: an error for a study, no projection for a run (or an error when the method solves them). */
PfStatus pf_cli_need_consistent(Session *session, const Options *options, const PfStart *start);
PfStatus pf_cli_keep_offset(Session *session, const Options *options, const PfStart *start, PfRunOptions *settings);
/* What was changed, by name. */
void pf_start_text(const PfModel *model, const Options *options, const PfStart *start, PfText *text);
void pf_start_json(const PfModel *model, const Options *options, const PfStart *start, PfJson *json);
/* Accelerations may exist where no motion does: what 'check' refuses near the start becomes a warning. */
PfStatus pf_cli_warn_contradiction(Session *session, const Options *options);
/* A state on a surface of switching (at rest with dry friction): what is shown there is no motion (surfaces.c). */
PfStatus pf_cli_warn_surface(const Session *session, const PfSystem *system, const double *values);

/* For studies of models whose forces jump: what is not done about it (PF_SWITCHING_…), when they do. */
#define PF_SWITCHING_STATES "states on a surface of switching, at rest with dry friction, are not found"
#define PF_SWITCHING_CURVES "switches are not located, and motions that stick are not followed,"
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
