/* SPDX-License-Identifier: Apache-2.0 */
/* Motion: integrators behind one interface, consistent starts, projection, events, sampling.
 *
 * The state is y = (q, v) with q' = v and v' from a formulation, or from the constraints themselves for the methods
 * that solve them directly. */
#ifndef PFAFF_TIME_H
#define PFAFF_TIME_H

#include "pfaff/form.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- consistent start */

/* A number of the start that was changed. */
typedef struct PfStartCorrection {
  const char *name, *unit; /* with `rate`: of the coordinate whose velocity it is */
  bool rate;
  PfStartPriority priority; /* PF_START_OPEN: it was not given and was solved for */
  bool remarkable;          /* it was given, or the change is large: worth a warning */
  double from, to;
  PfPlace place;
} PfStartCorrection;

enum { PF_MOST_CORRECTIONS = 12 };

typedef struct PfStart {
  double position_change, velocity_change; /* largest change of a coordinate, of a velocity */
  int corrected_coordinate, corrected_velocity; /* which one, or -1 */
  double position, velocity; /* largest violation left */
  double scaled_violation; /* the same, of each constraint in the size of its residuals */
  int correction_count; /* how many changed by more than rounding */
  /* the first of them: given values, what was found far away, the rest; in each coordinates before velocities, the
   * largest change first */
  PfStartCorrection corrections[PF_MOST_CORRECTIONS];
} PfStart;

/* Changes coordinates, then velocities, in `values` (the numbers of pf_system_symbols) so that the constraints hold.
 * What the start of the model gives stays, what it does not mention is solved for: what an unmet constraint contains
 * first, then what is attached to that, then the rest, by the smallest mass-weighted change. Only where that is not
 * possible is something changed that was given: the model's own numbers before those of pf_model_set_start, and what is
 * marked with '!' never. Angular velocities and speeds that are given hold at the corrected configuration. Fails with
 * PF_ERR_MODEL naming the constraint that conflicts. */
PF_API PfStatus pf_start_correct(PfContext *ctx, const PfSystem *system, double *values, PfStart *start);

/* Only the violation of the constraints; nothing is changed. */
PF_API PfStatus pf_start_measure(PfContext *ctx, const PfSystem *system, const double *values, PfStart *start);
/* Is the start off the constraints by more than the rounding of what people type? */
PF_API bool pf_start_is_off(const PfStart *start);

/* Are constraints dependent in the state in `values` that are independent nearby? There the forces of constraint are
 * not determined. *row gets one of them, or -1. */
PF_API PfStatus pf_state_singular(PfContext *ctx, const PfSystem *system, const double *values, int *row);

/* ---------------------------------------------------------------- running */

/* One instant of a motion. Arrays belong to the run and are valid during the call. */
typedef struct PfSample {
  double t;
  const double *q, *v, *a;  /* n */
  const double *multiplier; /* m */
  double kinetic, potential;
  double position, velocity; /* largest violations */
  double balance;            /* energy gained less work done, since the start */
  const double *parameters;  /* those of the model as they are there; NULL: as at the start */
  const bool *active;        /* m: which rows hold; NULL: all */
  const bool *held;          /* n: what events hold; NULL: nothing */
  const double *momentum;    /* linear, angular about the origin (6), where a body floats and the recursion tells it */
  const double *modes;       /* of the surfaces of pf_switches_find, from -1 to 1 where it sticks; NULL: by the state */
} PfSample;

/* Expressions in numbers, sample by sample. They are made of what a PfPlot may contain. */
typedef struct PfReadings PfReadings;

/* `values` are the numbers of pf_system_symbols at the start of the run: parameters and inputs without a function are
 * taken from them. The system must outlive the readings. Fails with PF_ERR_NAME for what the model does not have. */
PF_API PfStatus pf_readings_new(PfContext *ctx, const PfSystem *system, const double *values, const PfExpr *list,
                                int count, PfReadings **readings);
PF_API void pf_readings_free(PfReadings *readings);
/* Inputs without a function that have changed since; as many as the model has. */
PF_API void pf_readings_set_inputs(PfReadings *readings, const double *inputs);
/* All numbers at a sample. Allocates nothing. */
PF_API void pf_readings_evaluate(PfReadings *readings, const PfSample *sample, double *numbers);

/* How a run ended, in order: the codes and their texts. */
#define PF_RUN_END_LIST(ENTRY)                                       \
  ENTRY(PF_RUN_DONE, "reached the end")                              \
  ENTRY(PF_RUN_UNTIL, "the stop condition became true")              \
  ENTRY(PF_RUN_CANCELLED, "stopped on request")                      \
  ENTRY(PF_RUN_RANK_LOSS, "the constraints lost rank")               \
  ENTRY(PF_RUN_TROUBLE, "the accelerations could not be found")      \
  ENTRY(PF_RUN_STEP, "the step became too small")                    \
  ENTRY(PF_RUN_LIMIT, "too many steps")                              \
  ENTRY(PF_RUN_STALL, "no progress") /* steps too short to reach the end */

typedef enum PfRunEnd {
#define PF_RUN_ENTRY(code, text) code,
  PF_RUN_END_LIST(PF_RUN_ENTRY)
#undef PF_RUN_ENTRY
} PfRunEnd;
PF_API const char *pf_run_end_text(PfRunEnd end);

/* A motion whose steps are limited by stability, with more than so many to come, is stiff. */
enum { PF_MOST_STIFF_STEPS = 100000 };

/* The settings of a run that leaves them open. They stand here alone; pf_run_method, pf_run_formulation and pf_run_rtol
 * give the settings in force for given options. */
#define PF_DEFAULT_METHOD "dopri5"
#define PF_DEFAULT_FORMULATION "auto"
#define PF_DEFAULT_RTOL 1e-8
#define PF_DEFAULT_RHO 0.9
#define PF_DEFAULT_HORIZON 10.0 /* in s */
#define PF_DEFAULT_MOST_STEPS 100000000L
/* The absolute tolerance of a state of this size (pf_state_size). */
static inline double pf_default_atol(double size, double rtol)
{
  return size*rtol/100;
}

typedef struct PfRunOptions {
  const char *method;      /* NULL: the default, and an implicit method from where the motion is too stiff for it */
  const char *formulation; /* NULL: the default */
  double t_end;
  double rtol, atol;       /* 0: PF_DEFAULT_RTOL, pf_default_atol of the size of the state at the start */
  double step;             /* fixed-step methods: the step; others: the first one. 0: chosen; rk4 needs one */
  bool adaptive;           /* alpha methods: `step` is only the first one, the others are chosen by the tolerances */
  double largest_step;     /* 0: none */
  double rho;              /* numerical damping of the methods that have it; NaN: pf_method_default_rho */
  bool printed;            /* alpha methods as printed in paper 001 */
  bool drift;              /* no projection on the constraints */
  bool without_events;     /* of a simulation: the model stays as it is at the start */
  bool keep_going;         /* a rank loss is a warning */
  long most_steps;         /* 0: PF_DEFAULT_MOST_STEPS */
  double every;            /* samples at multiples; 0: at every step */
  const double *at;        /* samples at these times, ascending, instead; or NULL */
  int at_count;
  int pieces;              /* with `at`: besides, where each step ends and so many times in it; 0: not */
  PfExpr until;            /* PF_EXPR_NONE: none */
  /* Called for every sample in order; a failure ends the run with PF_RUN_CANCELLED. NULL: no samples. */
  PfStatus (*sample)(void *user, const PfSample *sample);
  void *user;
  double *final;           /* gets q and v at the end (2n), or NULL */
} PfRunOptions;

PF_API PfRunOptions pf_run_options(void); /* the defaults */
/* The method, formulation and relative tolerance of a run with these options. */
PF_API const char *pf_run_method(const PfRunOptions *options);
PF_API const char *pf_run_formulation(const PfRunOptions *options);
PF_API double pf_run_rtol(const PfRunOptions *options);

/* The size of a motion from `values` to t_end, for the absolute tolerance: 1, or less where coordinates are declared in
 * a unit below a thousandth ([um], [nm]), all numbers of the state are below a hundredth, or it is zero and no
 * acceleration at instants of the run is above 1e-4. Not below 1e-9. */
PF_API double pf_state_size(PfContext *ctx, const PfSystem *system, const double *values, double t_end);

typedef struct PfRunResult {
  PfRunEnd end;
  double t;
  const char *method;                     /* by which it moves now: that of the options, */
  bool stiff;                             /* or an implicit one, as none was asked for and dopri5 made no progress, */
  double stiff_t;                         /* since this time */
  const char *formulation;                /* by which the accelerations were found, in the last phase */
  unsigned formulations;                  /* and in all of them: bit i for pf_formulation(i) */
  long steps, rejected, evaluations;
  /* how often surfaces of switching were met, and how often something began to stick */
  long switches, sticks;
  double position, velocity;              /* largest violations at the ends of steps */
  double energy_start, energy_end;        /* kinetic and potential */
  /* largest |energy gained less work done|, summed over the phases between events and changes of what sticks; what is
   * moved from outside does work, too */
  double drift;
  /* largest kinetic energy at the ends of steps: what the drift is to be seen against */
  double kinetic;
  double weakest;                         /* smallest rank margin of the constraints: 1 orthogonal, 0 dependent */
  double weakest_t;
  int weakest_row;                        /* the constraint that was most dependent then */
} PfRunResult;

/* Integrates from `values` (time and state in them; they must satisfy the constraints) to t_end. PF_OK also when the
 * run ended early: then `result->end` says why, and a diagnostic is recorded for troubles. */
PF_API PfStatus pf_run(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                       PfRunResult *result);

/* ---------------------------------------------------------------- events */

/* What an event did. */
typedef struct PfEventRecord {
  int event;             /* its number in the model */
  double t;
  double kinetic_before, kinetic_after;
  double momentum_before[6], momentum_after[6]; /* linear, and angular about the origin */
  double *joint;         /* per coordinate: impulse of the lock that holds it now, else 0; of a quaternion 0 and the
                            torque about the axes of the body */
  double *multiplier;    /* per constraint: its impulse */
} PfEventRecord;

typedef struct PfEventLog {
  int count;
  PfEventRecord *record; /* in the order in which they happened */
} PfEventLog;

/* The same for a model with events. `complete` is the system of model->complete and gives the order of values and
 * samples; `values` must satisfy the constraints that hold at the start. Around an event there are two samples at one
 * time. The log lives in `arena`. */
PF_API PfStatus pf_run_events(PfContext *ctx, PfArena *arena, const PfSystem *complete, const double *values,
                              const PfRunOptions *options, PfEventLog *log, PfRunResult *result);

/* The methods; NULL when index is past the last. */
typedef struct PfMethod PfMethod;
PF_API const PfMethod *pf_method(int index);
PF_API const PfMethod *pf_method_find(const char *name);
PF_API const char *pf_method_name(const PfMethod *method);
PF_API const char *pf_method_summary(const PfMethod *method);
PF_API bool pf_method_has_fixed_step(const PfMethod *method);
/* Does it know rho, the numerical damping? */
PF_API bool pf_method_has_damping(const PfMethod *method);
/* The rho of a run that gives none. */
PF_API double pf_method_default_rho(const PfMethod *method);
/* Is this a rho that it has? */
PF_API bool pf_method_takes_rho(const PfMethod *method, double rho);
/* The rho that a model gives for another method, where it says the same of this one; NaN where it does not. */
PF_API double pf_method_rho_from(const PfMethod *method, const PfMethod *other, double rho);
/* Is it one of the alpha methods, which know rho, printed and adaptive? */
PF_API bool pf_method_is_alpha(const PfMethod *method);
/* Can it go on off the constraints? False for those whose equations contain the constraints themselves. */
PF_API bool pf_method_can_drift(const PfMethod *method);
/* The library it needs, which a build may lack; NULL: none. */
PF_API const char *pf_method_library(const PfMethod *method);
/* False when this build lacks the library it needs: a run by it fails with PF_ERR_MISSING. */
PF_API bool pf_method_is_present(const PfMethod *method);
/* Are matrix-free equations (pf_equations_derive_matrix_free) all that a motion with these options needs? */
PF_API bool pf_motion_does_without_formulas(const PfRunOptions *options);

#ifdef __cplusplus
}
#endif
#endif
