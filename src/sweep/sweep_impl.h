/* SPDX-License-Identifier: Apache-2.0 */
/* Inside sweep. */
#ifndef PF_SWEEP_IMPL_H
#define PF_SWEEP_IMPL_H

#include "base/lock.h"
#include "base/base.h"
#include "lang/constant.h"
#include "pfaff/kernel.h"
#include "pfaff/sim_parts.h"
#include "pfaff/sweep.h"

#include <pthread.h>
#include <time.h>

/* ---------------------------------------------------------------- what varies (plan.c, plan_read.c) */

typedef struct PfVariable {
  const char *name;
  PfMeasure measure;
  const struct PfVariedOption *option; /* a setting of the run; NULL: of the model */
} PfVariable;

/* A setting of the run that may vary, by name (members.c); NULL: there is none. */
typedef struct PfVariedOption PfVariedOption;
const PfVariedOption *pf_varied_option_find(const char *name);
/* Fails for a setting that varies, but not the motion by this method; `adaptive` as in PfRunOptions. */
PfStatus pf_varied_option_check(PfContext *ctx, const PfVariedOption *option, const PfMethod *method, bool adaptive);
/* Fails for a value that the setting cannot have. */
PfStatus pf_varied_option_allows(PfContext *ctx, const PfVariedOption *option, double value);
PfMeasure pf_varied_option_measure(const PfVariedOption *option);

/* Values of a variable along a direction, in SI: a list, or a range, of which each is worked out when it is needed. */
typedef struct PfGridValues {
  const double *list; /* NULL: a range */
  double from, to;
  bool log_scale;
} PfGridValues;

/* A direction of the grid: some variables that go along together through `count` values each. */
typedef struct PfGridAxis {
  int first, width;  /* variables */
  long long count;
  PfGridValues *values; /* of each of them */
} PfGridAxis;

typedef enum PfLaw { PF_LAW_NORMAL, PF_LAW_UNIFORM, PF_LAW_LOGNORMAL } PfLaw;

typedef struct PfRandomVariable {
  int variable;
  PfLaw law;
  double a, b;       /* mean and deviation; low and high; median, and deviation of the logarithm */
} PfRandomVariable;

typedef enum PfDesign {
  PF_DESIGN_RANDOM,
  PF_DESIGN_LATIN,
  PF_DESIGN_SOBOL,
  PF_DESIGN_SALTELLI, /* groups of members for sensitivities by variance */
  PF_DESIGN_MORRIS    /* paths for elementary effects */
} PfDesign;

typedef struct PfPlan {
  int variable_count, axis_count, random_count;
  PfVariable *variables;
  PfGridAxis *axes;
  PfRandomVariable *randoms;
  double *mixing;    /* random_count^2, lower triangle: correlates independent normal numbers; NULL: none */
  long long points;  /* of the grid */
  long long groups;  /* of the design: draws, or groups of members that belong together */
  long long count;   /* members */
  PfDesign design;
  uint64_t seed;
} PfPlan;

/* Reads the settings axis, random, correlate, design, n and seed. The plan lives in the arena. Fails with
 * PF_ERR_ARGUMENT, and with PF_ERR_LIMIT for more members than can be numbered. */
PfStatus pf_plan_read(PfContext *ctx, PfArena *arena, const PfModel *model, const PfSweepSetting *settings, int count,
                      PfPlan *plan);
/* The numbers of a member, in SI. */
void pf_plan_member(const PfPlan *plan, long long member, double *values);
/* How many members of the design belong together. */
long long pf_plan_group(const PfPlan *plan);

/* ---------------------------------------------------------------- the outputs (outputs.c) */

typedef enum PfOutputKind {
  PF_OUTPUT_END,    /* the value at the end */
  PF_OUTPUT_MAX, PF_OUTPUT_MIN, PF_OUTPUT_MEAN, PF_OUTPUT_INTEGRAL, PF_OUTPUT_RMS,
  PF_OUTPUT_AT,     /* the value at a time */
  PF_OUTPUT_FIRST,  /* when a quantity first passes zero upwards */
  PF_OUTPUT_EVENT,  /* when an event first happens */
  PF_OUTPUT_T_END,
  PF_OUTPUT_GROWTH, PF_OUTPUT_STABLE, PF_OUTPUT_RE, PF_OUTPUT_IM, PF_OUTPUT_FOUND, PF_OUTPUT_EXPONENT /* of a study */
} PfOutputKind;

/* One number of the motion, which is followed: max(x). */
typedef struct PfOutput {
  PfOutputKind kind;
  const char *quantity; /* as the language reads it, or NULL */
  const char *unit; /* of the quantity, or of a time; an integral has that times the second */
  double scale;     /* one of the unit in SI */
  int handle, part; /* of the quantity, and which of its numbers */
  double time;
  int event;
} PfOutput;

/* A column of the result: a number, or a formula of several, max(x) - min(x). */
typedef struct PfOutputColumn {
  const char *name, *unit;
  double scale;     /* one of the unit in SI */
  int item;         /* -1: a formula */
  int formula;
} PfOutputColumn;

typedef struct PfOutputSet {
  int count;
  PfOutput *items;
  bool followed;    /* some need to see the motion between start and end */
  int widest;       /* numbers of the widest quantity */
  int columns;
  PfOutputColumn *column;
  PfTape *formulas; /* NULL: there are none */
  int formula_count, input_count;
  int *input;       /* items that they are made of */
} PfOutputSet;

/* `study`: members are studied, not moved. To be freed also when it fails. */
PfStatus pf_output_set_read(PfContext *ctx, PfArena *arena, PfSim *sim, const char *text, const char *study,
                            PfOutputSet *output_set);
/* Frees the tape of the formulas; the rest is in the arena. */
void pf_output_set_free(PfOutputSet *output_set);
/* All columns in their units, from the numbers of the items in SI; `room` holds pf_output_set_room doubles. */
void pf_output_set_row(const PfOutputSet *output_set, const double *value, double *room, double *row);
/* The doubles of workspace that pf_output_set_row needs. */
size_t pf_output_set_room(const PfOutputSet *output_set);

/* Whether it needs the motion between start and end. */
bool pf_output_is_followed(const PfOutput *item);

/* The update of outputs, for numbers from any source: the value of an item at the start, after a step with the quantity
 * at its start, quarters and end (`node`), and at the end, where the quantity is `now`. Between the nodes it is
 * evaluated where that pays. */
enum { PF_OUTPUT_NODES = 5 };
typedef struct PfQuantityAt {
  double (*quantity_at)(void *user, int item, double t);
  void *user;
  int item;
} PfQuantityAt;
/* The accumulator of an output at the start of the motion. */
double pf_output_first(const PfOutput *item, double now, double t);
/* The accumulator after a step from t to end: an extremum is refined by dense output, integrals are summed by Boole's
 * rule over the five nodes, a zero crossing is located. */
double pf_output_step(const PfOutput *item, const PfQuantityAt *at, const double *node, double t, double end,
                      double value);
/* The output when the motion ends at t: an integral becomes a mean or a root mean square. */
double pf_output_end(const PfOutput *item, double value, double now, double t0, double t);

/* The state of a member that is under way: numbers per item. */
typedef struct PfAccumulator {
  const PfOutputSet *output_set;
  PfSim *sim;
  double *value;    /* result so far */
  double *node;     /* count x 5: the quantity at the start, the quarters and the end of the step */
  double *numbers;  /* room for one quantity */
  double *room;     /* for formulas */
  double t0, t;     /* the start, and the end of the latest step */
} PfAccumulator;

/* Room for the accumulators of one simulation, in the arena. */
PfStatus pf_accumulator_make(PfContext *ctx, PfArena *arena, const PfOutputSet *output_set, PfSim *sim,
                             PfAccumulator *accumulator);
/* Sets all accumulators at the start of a motion. */
void pf_accumulator_start(PfAccumulator *accumulator);
/* Updates them after each step of the simulation. */
void pf_accumulator_step(PfAccumulator *accumulator);
/* All of them, in their units. */
void pf_accumulator_end(PfAccumulator *accumulator, double *row);

/* ---------------------------------------------------------------- one member (members.c) */

/* Options of the run in the settings, which override those of the model. NaN, NULL: not given. */
typedef struct PfRunOverrides {
  const char *method, *formulation;
  double horizon, step, rtol, atol, rho, most_steps;
  bool adaptive, printed, drift, keep_going;
} PfRunOverrides;

/* Reads the settings of the run (method, step, tolerances, …); fails with PF_ERR_ARGUMENT for a number that makes no
 * sense. */
PfStatus pf_run_overrides_read(PfContext *ctx, const PfSweepSetting *settings, int count, PfRunOverrides *run);

/* A simulation of its own, for one thread. */
typedef struct PfMember {
  const struct PfSweep *sweep;
  PfSim *sim;
  PfArena *arena;
  PfAccumulator accumulator;
  double *values;     /* of the variables */
  double *row;        /* room for a row */
  struct PfLaneEngine *lanes; /* NULL: one after the other */
  struct PfMemberStudy *study; /* NULL: they are moved */
  long long since;    /* members since the simulation was made */
} PfMember;

/* Clones the simulation of the sweep and prepares outputs, lanes or the study. To be closed also after a failure. */
PfStatus pf_member_open(PfContext *ctx, const struct PfSweep *sweep, PfMember *member);
/* Frees the clone and all that was made for it. */
void pf_member_close(PfMember *member);
/* Numbers of members stay in the table of expressions: after many of them everything is made anew, which has the
 * original to itself as long as it holds the mutex. `cancelled` is polled for a stop. */
bool pf_member_is_stale(const PfMember *member);
/* Closes and opens it again when it is stale. */
PfStatus pf_member_reopen(PfMember *member, pthread_mutex_t *mutex, bool (*cancelled)(void *user), void *user);
/* The start of a member: its numbers are set, its start is consistent, and this is how it is to run. */
PfStatus pf_member_place(PfMember *member, long long number, PfRunOptions *options);
/* One by one on the simulation. False after a request to stop. */
bool pf_member_run(PfMember *member, long long number, double *row, int *end, char *reason);

/* Those that `next` has, until it has none at present, in lanes where that is possible; each is given to `sink` when it
 * is done, in any order. False after a request to stop, or when `sink` has returned false. */
typedef bool PfMemberSink(void *user, long long number, const double *row, int end, const char *reason);
typedef struct PfMemberFlow {
  bool (*next)(void *user, long long *number);
  PfMemberSink *sink;
  void *user;
} PfMemberFlow;
/* Runs members until `next` has no more, in lanes or one by one. */
bool pf_members_run(PfMember *member, const PfMemberFlow *flow);
/* The same of a list. */
bool pf_members_run_list(PfMember *member, const long long *numbers, int count, PfMemberSink *sink, void *user);

/* ---------------------------------------------------------------- studies (studies.c) */

/* Fails where there is no such study; the message describes those that exist. */
PfStatus pf_member_study_check(PfContext *ctx, const char *study);
/* The names of the outputs of a study, for messages. */
const char *pf_member_study_gives(const char *study);
/* The outputs that it has names for; false: it may be a quantity. */
bool pf_member_study_item(const char *study, const char *text, PfOutput *item);
/* Makes the vector field that the study of members needs; nothing for members that are moved. */
PfStatus pf_member_study_make(PfMember *member);
/* Frees the results of pf_member_study_make. */
void pf_member_study_free(PfMember *member);
/* The outputs of a member that is placed; fails with words in the context of the simulation. */
PfStatus pf_member_study_run(PfMember *member, const PfRunOptions *options, double *row);

/* ---------------------------------------------------------------- many members side by side (lanes.c, lanes_make.c) */

/* NULL in *engine when the model, the method or the outputs do not allow it; that is not a failure. */
PfStatus pf_lanes_make(PfMember *member, struct PfLaneEngine **engine);
/* Frees the engine; NULL is allowed. */
void pf_lanes_free(struct PfLaneEngine *engine);
/* pf_members_run with several members integrated at once, one in each lane of a vector. */
bool pf_lanes_run(PfMember *member, const PfMemberFlow *flow);

/* ---------------------------------------------------------------- the sweep */

struct PfSweep {
  PfContext *ctx;
  PfArena *arena;
  const PfSweepSetting *settings;
  int setting_count;
  PfArena *settings_arena; /* where they are when they come from a result, or NULL */
  PfSim *base;             /* others are its clones */
  PfPlan plan;
  PfOutputSet output_set;
  PfRunOverrides run;
  int columns;
  const char **names, **units;
  double *scales;     /* of the variables: one of the unit in SI */
  PfMember alone;     /* of pf_sweep_member */
  struct PfRowStore *memory; /* of the latest run, when it has no folder */
  bool checked;       /* pf_sweep_check has found nothing wrong */
  struct PfRowStore *opened; /* the result that was read last, or NULL */
  struct PfRowStream *stream; /* of the latest run that kept no rows: its summary */
};

/* The value of the first setting of that key, or NULL. */
const char *pf_find_setting(const PfSweepSetting *settings, int count, const char *key);
/* Sets whether native code is made for long runs, as for pf_sim_set_native; the failure is the sweep's (trial.c).
 * */
PfStatus pf_sweep_set_native(const PfSweep *sweep, PfNative native);
/* Data that were read from a result may have changed (result.c). */
void pf_sweep_forget(PfSweep *sweep);

/* ---------------------------------------------------------------- threads (pool.c) */

/* Starts thread number `number` of `wanted` with a function and its argument. Where the system gives none, the first
 * one fails; at a later one there is a warning, and *started is false. */
PfStatus pf_thread_start(PfContext *ctx, void *(*run)(void *user), void *user, int number, int wanted,
                         pthread_t *thread, bool *started);

/* ---------------------------------------------------------------- texts (settings.c) */

/* A copy from `first` to `end` without blanks around it; NULL without memory. */
const char *pf_piece(PfArena *arena, const char *first, const char *end);

/* The first difference between two lists of settings, apart from the name of the model; NULL where a list lacks the
 * setting. */
typedef struct PfSettingDifference {
  const char *key, *there, *here;
} PfSettingDifference;
/* Whether two lists of settings differ; the first difference is described. */
bool pf_settings_differ(const PfSweepSetting *there, int there_count, const PfSweepSetting *here, int here_count,
                        PfSettingDifference *difference);
/* How a message names a word: for "@%s". */
const char *pf_word_subject(const char *key);

#endif
