/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps: one model moved many times, with numbers that vary from member to member, over all cores.
 *
 *   const PfSweepSetting settings[] = {{"model", text}, {"axis", "m=5..7:50"}, {"random", "theta ~ normal(0, 0.1
 * [rad])"},
 *                                {"n", "100000"}, {"take", "x, max(abs(theta)), t_end"}};
 *   PfSweep *sweep;
 *   PfSweepRunOptions how = {.out = "study.zarr"};
 *   PfSweepResult result;
 *   if (pf_sweep_new(ctx, settings, 5, &sweep) == PF_OK) pf_sweep_run(sweep, &how, &result);
 *   pf_sweep_free(sweep);
 *
 * Member k is a function of the settings and of k alone: results are the same bit for bit whoever computes them. */
#ifndef PFAFF_SWEEP_H
#define PFAFF_SWEEP_H

#include "pfaff/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfSweep PfSweep;

/* What a sweep is made of, as a list of keys and texts:
 *
 *   model      the text of the model; file: what it is called
 *   param, state   NAME=VALUE, the same for all; time: when they start
 *   axis       NAME=a..b:n, NAME=a..b:n:log or NAME=a,b,c: a direction of the grid. Several NAME=… with semicolons
 *              between them go along together
 *   vary       the same for a setting of the run: step, rho, rtol, atol
 *   random     NAME ~ normal(mean, deviation), uniform(low, high) or lognormal(median, sigma)
 *   correlate  NAME, NAME = r: of two that are random
 *   design     random, latin, sobol, saltelli or morris: how random ones are spread; n: how many; seed
 *   study      linearize: members are not moved, but studied where they start
 *   take       the outputs of each member, with commas between; of a study: growth, stable, re[1], im[1], …
 *   by, form, for, step, rtol, atol, rho, most-steps   numbers and names of the run
 *   adaptive, printed, no-projection, keep-going, as-given   "yes"
 *
 * Texts must outlive the sweep. */
typedef struct PfSweepSetting {
  const char *key, *value;
} PfSweepSetting;

/* Reads the model and everything else. Fails with the words in the context. */
PF_API PfStatus pf_sweep_new(PfContext *ctx, const PfSweepSetting *settings, int count, PfSweep **sweep);
/* The same with the model of the settings read before, as a machine. */
PF_API PfStatus pf_sweep_of_machine(PfContext *ctx, PfMachine *machine, const PfSweepSetting *settings, int count,
                                    PfSweep **sweep);
PF_API void pf_sweep_free(PfSweep *sweep); /* NULL is allowed */
PF_API PfContext *pf_sweep_context(const PfSweep *sweep);
/* Is there a result? Fails with words when there is none. */
PF_API PfStatus pf_sweep_find_result(PfContext *ctx, const char *path);
/* The same from what a result has inside. */
PF_API PfStatus pf_sweep_of_result(PfContext *ctx, const char *path, PfSweep **sweep);

/* How many members, and the columns of their rows: first what varies, then the outputs. Numbers of rows are in the
 * units of the columns. */
PF_API long long pf_sweep_count(const PfSweep *sweep);
PF_API const char *pf_sweep_model(const PfSweep *sweep); /* what the model is called */
PF_API int pf_sweep_columns(const PfSweep *sweep);
/* How many of the columns are varied inputs; outputs follow them. */
PF_API int pf_sweep_varied(const PfSweep *sweep);
/* The name of a column; it belongs to the sweep. */
PF_API const char *pf_sweep_name(const PfSweep *sweep, int column);
/* Its unit as a text, "" for none. */
/* Is it a setting of the run that varies? */
PF_API bool pf_sweep_is_setting(const PfSweep *sweep, int column);
PF_API const char *pf_sweep_unit(const PfSweep *sweep, int column);

/* What varies, of a member: pf_sweep_varied numbers in the units of their columns. */
PF_API PfStatus pf_sweep_values(const PfSweep *sweep, long long member, double *values);

/* How a member ended; failures from PF_MEMBER_NO_START on. */
#define PF_MEMBER_LIST(ENTRY)                                       \
  ENTRY(PF_MEMBER_MISSING, "missing")                               \
  ENTRY(PF_MEMBER_DONE, "done")                                     \
  ENTRY(PF_MEMBER_UNTIL, "stopped by its condition")                \
  ENTRY(PF_MEMBER_NO_START, "no consistent start")                  \
  ENTRY(PF_MEMBER_RANK_LOSS, "the constraints lost rank")           \
  ENTRY(PF_MEMBER_TROUBLE, "the accelerations could not be found")  \
  ENTRY(PF_MEMBER_STEP, "the step became too small")                \
  ENTRY(PF_MEMBER_LIMIT, "too many steps")                          \
  ENTRY(PF_MEMBER_STALL, "no progress")                             \
  ENTRY(PF_MEMBER_OTHER, "another failure")

typedef enum PfMemberEnd {
#define PF_MEMBER_ENTRY(code, text) code,
  PF_MEMBER_LIST(PF_MEMBER_ENTRY)
#undef PF_MEMBER_ENTRY
  PF_MEMBER_ENDS
} PfMemberEnd;
/* The status of a member in words, as in PF_MEMBER_LIST. */
PF_API const char *pf_member_end_text(int end);

enum { PF_REASON = 160 }; /* bytes of the words of a failure, cut there; unused ones are zero */

/* One member alone: its row, how it ended and, where it failed, why (PF_REASON bytes). Fails only when something other
 * than the member is wrong. */
PF_API PfStatus pf_sweep_member(PfSweep *sweep, long long member, double *row, int *end, char *reason);

typedef struct PfSweepProgress {
  long long done, failed; /* of those that this call computes, and were there before */
  long long count;        /* of those that it has to see to */
  long long before;       /* that were there before it began */
  double seconds;
} PfSweepProgress;

typedef struct PfSweepRunOptions {
  const char *out;     /* the folder of the result; NULL: rows stay in memory */
  bool resume;         /* goes on with a result that is there */
  int threads;         /* 0: as many as there are cores */
  PfNative native;     /* whether what runs long is compiled (pfaff/codegen.h) */
  int part, parts;     /* the part (1, 2, …) of so many; 0: all of it */
  bool statistics_only; /* rows are not kept, whatever `out` says: memory does not grow with the members */
  /* Called several times a second; true stops. NULL: nobody asks. */
  bool (*report)(void *user, const PfSweepProgress *progress);
  void *user;
} PfSweepRunOptions;

typedef struct PfSweepResult {
  PfSweepProgress progress;
  bool stopped;        /* on request: what is done is kept */
  bool busy;           /* failed since somebody else is computing the same */
  bool joined;         /* of pf_sweep_join: there were rows to put together; else somebody has done so before */
} PfSweepResult;

/* How long a member takes on one thread, from some of them that run for about so many seconds as they do in a sweep. */
typedef struct PfSweepEstimate {
  double seconds_each;
  int tried, failed;
} PfSweepEstimate;
/* Times members for about so many seconds. */
PF_API PfStatus pf_sweep_try(PfSweep *sweep, PfNative native, double seconds, PfSweepEstimate *estimate);

/* Is something wrong with all members? Fails, or warns of what would be no number. pf_sweep_run asks this, too, unless
 * somebody has. */
PF_API PfStatus pf_sweep_check(PfSweep *sweep);

/* Computes all members that the result does not have. Members that fail are no failure. */
PF_API PfStatus pf_sweep_run(PfSweep *sweep, const PfSweepRunOptions *how, PfSweepResult *result);
/* One of several processes, maybe on several machines, that compute one result together, in a folder that all of them
 * see: they take small parts in turn, whoever is free the next one, and what a process that dies leaves is taken by
 * another. The last one joins the parts: *last. */
PF_API PfStatus pf_sweep_run_shared(PfSweep *sweep, const PfSweepRunOptions *how, int rank, int ranks,
                                    PfSweepResult *result, bool *last);
/* Makes one result of its parts. */
PF_API PfStatus pf_sweep_join(PfSweep *sweep, const char *path, PfSweepResult *result);

/* The summary of a run that kept no rows: of the column (one of an output) how many finite numbers there were, mean,
 * standard deviation, extremes, and the number below which such a part of them lies. False when there is none. */
typedef struct PfSweepColumn {
  long long count;
  double mean, deviation, least, most;
} PfSweepColumn;
/* Statistics of one output column; false for varied inputs and where rows were kept. */
PF_API bool pf_sweep_column(const PfSweep *sweep, int column, PfSweepColumn *result);
/* The quantile of one output column, 0 <= part <= 1, by a t-digest; NaN without numbers. */
PF_API double pf_sweep_quantile(const PfSweep *sweep, int column, double part);

/* Reads rows again, of a result or from memory, `count` from `first` on: columns one after the other (columns x count),
 * ends, and reasons (count x PF_REASON, or NULL). */
PF_API PfStatus pf_sweep_read(PfSweep *sweep, const char *path, long long first, long long count, double *columns,
                              unsigned char *ends, char *reasons);
/* Of the designs 'saltelli' and 'morris' without a grid: how much each random number (pf_sweep_random_variable, NULL
 * past the last) matters for each output. Of saltelli: the part of the variance that it makes alone (first), and with
 * all others together (total). Of morris: mean effect (first), mean magnitude (total) and deviation of the effects,
 * each in the unit of the column for the whole range of the number, measured by its probability. */
typedef struct PfSensitivity {
  double first, total, deviation;
} PfSensitivity;
/* Has the sweep a design for sensitivities? */
PF_API bool pf_sweep_has_sensitivity(const PfSweep *sweep);
/* Is it that of Morris (elementary effects), not Saltelli's (variances)? */
PF_API bool pf_sweep_is_morris(const PfSweep *sweep);
/* The name of a random variable; NULL past the last. */
PF_API const char *pf_sweep_random_variable(const PfSweep *sweep, int index);
/* One for each output and, within it, for each random number. */
PF_API PfStatus pf_sweep_sensitivity(PfSweep *sweep, const char *path, PfSensitivity *sensitivities);

/* Removes a result: the files that pf_sweep_run makes, and nothing else that is in the folder. */
PF_API PfStatus pf_sweep_remove(PfSweep *sweep, const char *path);

#ifdef __cplusplus
}
#endif
#endif
