/* SPDX-License-Identifier: Apache-2.0 */
/* Inside sweep. */
#ifndef PF_SWEEP_IMPL_H
#define PF_SWEEP_IMPL_H

#include "base/base.h"
#include "lang/constant.h"
#include "pfaff/kernel.h"
#include "pfaff/sim_parts.h"
#include "pfaff/sweep.h"

#include <pthread.h>

/* ---------------------------------------------------------------- what varies (plan.c, plan_read.c) */

typedef struct PfVariable {
  const char *name;
  PfMeasure measure;
} PfVariable;

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

typedef struct PfChance {
  int variable;
  PfLaw law;
  double a, b;       /* mean and deviation; low and high; median, and deviation of the logarithm */
} PfChance;

typedef enum PfDesign {
  PF_DESIGN_RANDOM,
  PF_DESIGN_LATIN,
  PF_DESIGN_SOBOL,
  PF_DESIGN_SALTELLI, /* groups of members for sensitivities by variance */
  PF_DESIGN_MORRIS    /* paths for elementary effects */
} PfDesign;

typedef struct PfPlan {
  int variable_count, axis_count, chance_count;
  PfVariable *variables;
  PfGridAxis *axes;
  PfChance *chances;
  double *mixing;    /* chance_count^2, lower triangle: what makes independent normal numbers correlated; NULL: none */
  long long points;  /* of the grid */
  long long groups;  /* of the design: draws, or groups of members that belong together */
  long long count;   /* members */
  PfDesign design;
  uint64_t seed;
} PfPlan;

PfStatus pf_plan_read(PfContext *ctx, PfArena *arena, const PfModel *model, const PfSweepWord *words, int count,
                      PfPlan *plan);
/* The numbers of a member, in SI. */
void pf_plan_member(const PfPlan *plan, long long member, double *values);
/* How many members of the design belong together. */
long long pf_plan_group(const PfPlan *plan);

/* ---------------------------------------------------------------- what is taken (take.c) */

typedef enum PfTakeKind {
  PF_TAKE_END,      /* the value at the end */
  PF_TAKE_MAX, PF_TAKE_MIN, PF_TAKE_MEAN, PF_TAKE_INTEGRAL, PF_TAKE_RMS,
  PF_TAKE_AT,       /* the value at a time */
  PF_TAKE_FIRST,    /* when a quantity first passes zero upwards */
  PF_TAKE_EVENT,    /* when an event first happens */
  PF_TAKE_T_END,
  PF_TAKE_GROWTH, PF_TAKE_STABLE, PF_TAKE_RE, PF_TAKE_IM, PF_TAKE_FOUND, PF_TAKE_EXPONENT /* of a study */
} PfTakeKind;

/* One number of the motion, which is followed: max(x). */
typedef struct PfTaken {
  PfTakeKind kind;
  const char *quantity; /* as the language reads it, or NULL */
  const char *unit; /* of the quantity, or of a time; what an integral has is that times the second */
  double scale;     /* one of the unit in SI */
  int handle, part; /* of the quantity, and which of its numbers */
  double time;
  int event;
} PfTaken;

/* What is told of it: a number, or a formula of several, max(x) - min(x). */
typedef struct PfTakenColumn {
  const char *name, *unit;
  double scale;     /* one of the unit in SI */
  int item;         /* -1: a formula */
  int formula;
} PfTakenColumn;

typedef struct PfTake {
  int count;
  PfTaken *items;
  bool along;       /* some need to see the motion between start and end */
  int widest;       /* numbers of the widest quantity */
  int columns;
  PfTakenColumn *column;
  PfTape *formulas; /* NULL: there are none */
  int formula_count, input_count;
  int *input;       /* items that they are made of */
} PfTake;

/* `study`: members are studied, not moved. To be freed also when it fails. */
PfStatus pf_take_read(PfContext *ctx, PfArena *arena, PfSim *sim, const char *text, const char *study, PfTake *take);
void pf_take_free(PfTake *take);
/* All columns in their units, from the numbers of the items in SI; `room` holds pf_take_room doubles. */
void pf_take_row(const PfTake *take, const double *value, double *room, double *row);
size_t pf_take_room(const PfTake *take);

/* Whether it needs to see the motion on the way. */
bool pf_taken_is_along(const PfTaken *item);

/* What becomes of numbers, whoever brings them: the value of an item at the start, after a step with the quantity at
 * its start, quarters and end (`node`), and at the end, where the quantity is `now`. Between the nodes a look is taken
 * where it is worth it. */
enum { PF_TAKE_NODES = 5 };
typedef struct PfGlance {
  double (*look)(void *user, int item, double t);
  void *user;
  int item;
} PfGlance;
double pf_taken_first(const PfTaken *item, double now, double t);
double pf_taken_step(const PfTaken *item, const PfGlance *at, const double *node, double t, double end, double value);
double pf_taken_end(const PfTaken *item, double value, double now, double t0, double t);

/* The state of a member that is under way: numbers per item. */
typedef struct PfTaking {
  const PfTake *take;
  PfSim *sim;
  double *value;    /* result so far */
  double *node;     /* count x 5: the quantity at the start, the quarters and the end of the step */
  double *numbers;  /* room for one quantity */
  double *room;     /* for formulas */
  double t0, t;     /* the start, and the end of the latest step */
} PfTaking;

PfStatus pf_taking_make(PfContext *ctx, PfArena *arena, const PfTake *take, PfSim *sim, PfTaking *taking);
void pf_taking_start(PfTaking *taking);
void pf_taking_step(PfTaking *taking);
/* All of them, in their units. */
void pf_taking_end(PfTaking *taking, double *row);

/* ---------------------------------------------------------------- one member (members.c) */

/* What the command line says of the run, in place of what the model says. NaN, NULL: nothing. */
typedef struct PfRunWords {
  const char *method, *formulation;
  double horizon, step, rtol, atol, rho, most_steps;
  bool adaptive, printed, drift, keep_going;
} PfRunWords;

PfStatus pf_run_words_read(PfContext *ctx, const PfSweepWord *words, int count, PfRunWords *run);

/* A simulation of its own, for one thread. */
typedef struct PfMember {
  const struct PfSweep *sweep;
  PfSim *sim;
  PfArena *arena;
  PfTaking taking;
  double *values;     /* of the variables */
  double *row;        /* room for a row */
  struct PfLaneEngine *lanes; /* NULL: one after the other */
  struct PfMemberStudy *study; /* NULL: they are moved */
  long long since;    /* members since the simulation was made */
} PfMember;

PfStatus pf_member_open(PfContext *ctx, const struct PfSweep *sweep, PfMember *member);
void pf_member_close(PfMember *member);
/* Numbers of members stay in the table of expressions: after many of them everything is made anew, which has the
 * original to itself as long as it holds the mutex. `cancelled` is asked whether to stop. */
bool pf_member_is_stale(const PfMember *member);
PfStatus pf_member_renew(PfMember *member, pthread_mutex_t *mutex, bool (*cancelled)(void *user), void *user);
/* The start of a member: its numbers are set, its start is consistent, and this is how it is to run. */
PfStatus pf_member_place(PfMember *member, long long number, PfRunOptions *options);
/* One by one on the simulation. False when it was told to stop. */
bool pf_member_run(PfMember *member, long long number, double *row, int *end, char *reason);

/* Those that `next` has, until it has none at present, in lanes where that is possible; each is given to `take` when it
 * is done, in any order. False when it was told to stop, or `take` has said false. */
typedef bool PfTakeMember(void *user, long long number, const double *row, int end, const char *reason);
typedef struct PfMemberFlow {
  bool (*next)(void *user, long long *number);
  PfTakeMember *take;
  void *user;
} PfMemberFlow;
bool pf_members_run(PfMember *member, const PfMemberFlow *flow);
/* The same of a list. */
bool pf_members_run_list(PfMember *member, const long long *numbers, int count, PfTakeMember *take, void *user);

/* ---------------------------------------------------------------- studies (studies.c) */

/* Is there such a study, and what does it give, in words? */
PfStatus pf_member_study_check(PfContext *ctx, const char *study);
const char *pf_member_study_gives(const char *study);
/* What it has names for; false: it may be a quantity. */
bool pf_member_study_item(const char *study, const char *text, PfTaken *item);
PfStatus pf_member_study_make(PfMember *member);
void pf_member_study_free(PfMember *member);
/* What is taken of a member that is placed; fails with words in the context of the simulation. */
PfStatus pf_member_study_run(PfMember *member, const PfRunOptions *options, double *row);

/* ---------------------------------------------------------------- many members side by side (lanes.c, lanes_make.c) */

/* NULL in *engine when the model, the method or what is taken does not allow it; that is no failure. */
PfStatus pf_lanes_make(PfMember *member, struct PfLaneEngine **engine);
void pf_lanes_free(struct PfLaneEngine *engine);
bool pf_lanes_run(PfMember *member, const PfMemberFlow *flow);

/* ---------------------------------------------------------------- the sweep */

struct PfSweep {
  PfContext *ctx;
  PfArena *arena;
  const PfSweepWord *words;
  int word_count;
  PfArena *own_words; /* where they are when they come from a result, or NULL */
  PfSim *base;        /* others are its clones */
  PfPlan plan;
  PfTake take;
  PfRunWords run;
  int columns;
  const char **names, **units;
  double *scales;     /* of the variables: one of the unit in SI */
  PfMember alone;     /* of pf_sweep_member */
  struct PfRowStore *memory; /* of the latest run, when it has no folder */
  bool checked;       /* pf_sweep_check has found nothing wrong */
  struct PfRowStore *looked; /* the result that was read last, or NULL */
  struct PfRowStream *stream; /* of the latest run that kept no rows: its summary */
};

const char *pf_word(const PfSweepWord *words, int count, const char *key);
/* What was read of a result may have changed (result.c). */
void pf_sweep_forget(PfSweep *sweep);

/* ---------------------------------------------------------------- texts (words.c) */

/* A copy from `first` to `end` without blanks around it; NULL without memory. */
const char *pf_piece(PfArena *arena, const char *first, const char *end);

/* The first difference between two lists of words, what the model is called aside; NULL where a list lacks the word. */
typedef struct PfWordDifference {
  const char *key, *there, *here;
} PfWordDifference;
bool pf_words_differ(const PfSweepWord *there, int there_count, const PfSweepWord *here, int here_count,
                     PfWordDifference *difference);
/* How people write a word. */
const char *pf_word_spelling(const char *key, char *room, size_t size);

#endif
