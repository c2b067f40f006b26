/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of time: a run in progress and the common parts of the methods. */
#ifndef PF_TIME_IMPL_H
#define PF_TIME_IMPL_H

#include "base/base.h"
#include "num/num.h"
#include "pfaff/time.h"
#include "runtime/pf_crossings.h"

typedef struct PfMotionRun PfMotionRun;

typedef enum PfStepEnd {
  PF_STEP_DONE,
  PF_STEP_TROUBLE,  /* see run->flow.trouble and .row, or run->flow.reported is set and a diagnostic recorded */
  PF_STEP_TOO_SMALL
} PfStepEnd;

/* A method. `step` advances run->state.t and run->state.y by at most run->state.h (less when it must), keeps the old
 * ones in t_old and y_old, fills dy = (v, a) at the new state, and proposes the next h. `interpolate` gives y between
 * t_old and t. */
struct PfMethod {
  const char *name, *summary;
  const char *library; /* that it needs, or NULL */
  bool fixed;  /* takes options.step and keeps it */
  bool damped; /* knows rho, */
  double default_rho; /* which is this unless it is given; 0: PF_DEFAULT_RHO */
  double least_rho;   /* and no less than this */
  bool alpha;  /* one of the alpha methods: has a printed form, and without a step it chooses its own */
  bool bound;  /* solves the constraints in every step: it cannot go on off them */
  bool formulas; /* needs M and F as formulas, not only accelerations */
  bool direct; /* leaves y on the constraints by itself: no projection afterwards */
  PfStatus (*prepare)(PfMotionRun *run);
  PfStepEnd (*step)(PfMotionRun *run); /* NULL: this build lacks its library, and prepare says which */
  void (*interpolate)(PfMotionRun *run, double t, double *y);
  void (*release)(PfMotionRun *run); /* or NULL */
  bool loose;   /* inside a step y is on the constraints within the tolerance, no closer */
  bool forgets; /* its memory is not ours, and cannot be saved */
};

/* The end of the last step as it is seen from outside: that of the step, or where it was cut short. The consequences of
 * the crossing are handled at the beginning of the next step, so that the motion inside this one can be evaluated until
 * then. */
typedef struct PfSeen {
  double t;
  PfCrossing crossing;
  bool inside;     /* it was cut short */
  bool pending;    /* the consequences of the crossing have not been handled */
  bool crossed;    /* the step failed, and the state was carried on to the surface */
} PfSeen;

/* Progress over a window of steps: a run that would take forever is recognised and stopped with a message. */
typedef struct PfStallDetector {
  long counted;   /* steps, tried ones too */
  double t;
  double longest; /* step so far */
  bool slow;      /* in the window before */
  long checked;    /* steps, and the time, when stiffness was looked for; in how many such windows it was found */
  double checked_t;
  int stiff;
} PfStallDetector;

/* The source of the motion inside the last step. */
typedef enum PfBetween {
  PF_BETWEEN_METHOD,
  PF_BETWEEN_CUBIC,      /* the step was none of the method: pf_hermite */
  PF_BETWEEN_COLLOCATION /* and near a loss of rank: pf_collocation_at */
} PfBetween;

/* Where the motion is, and where it was before the last step. */
typedef struct PfState {
  double t, t_old, h;      /* h: the step to try next */
  double t_end;            /* limit of the next step, */
  double horizon;          /* and limit of the whole phase */
  PfBetween between;
  double *y, *y_old;       /* 2n: q, then v */
  double *dy, *dy_old;     /* 2n: derivatives there */
} PfState;

/* Accelerations, and the results of their latest evaluation. */
typedef struct PfFlow {
  double *values;          /* numbers of all symbols; time and state are filled in by pf_flow */
  PfSolver *solver;
  double *multiplier;      /* m */
  bool known;              /* power and margin are known: some formulations compute them along with the accelerations */
  double power;
  double margin, margin_t; /* rank margin of the constraints (watch.c), and its time */
  int margin_row;          /* the constraint it belongs to */
  int margins;             /* evaluations in this step that came with a margin */
  double margin_least;     /* and the smallest of them */
  PfTrouble trouble;       /* why there are no accelerations */
  int row;
  bool reported;           /* a diagnostic says why a step failed */
} PfFlow;

/* The method and its memory. */
typedef struct PfStepper {
  const PfMethod *method;
  void *data;
  bool fixed;              /* steps of a fixed size in this run: the alpha methods can do both */
  /* the state has changed since the last step: the method must not use its history; it resets this */
  bool restart;
} PfStepper;

/* Energies, power, violations (monitor.c), and the balance of energy and work (balance.c). */
typedef struct PfMonitor {
  const PfTape *tape;      /* kinetic, potential, power, position and velocity residuals */
  double *work, *out;
  struct {
    double kinetic, potential;
    double balanced;           /* the energy whose change is the work done */
    double power;              /* of everything that has no potential */
    double position, velocity; /* largest violations of the constraints */
  } at;                    /* where pf_monitor_at was called last */
  bool in_bodies;          /* energies come from the recursion too, */
  double *momentum;        /* and where a body floats the momentum: linear, angular about the origin; else NULL */
  PfExpr energy_form;      /* the energy whose change is the work done */
  PfExpr power_form;       /* power of everything that has no potential */
  bool has_power, power_of_constraints; /* the second: it depends on multipliers */
  bool power_known, step_known;
  double power;            /* at the end of the last step, if known */
  double step_work;        /* work over the last step, if the method knows it */
  double work_done, balance; /* balance: of energy at the end of the last step */
  double balanced_start;   /* at.balanced at the start, plus jumps of given functions of time */
  bool warned_of_jump;
} PfMonitor;

struct PfMotionRun {
  PfContext *ctx;
  PfArena *arena;
  PfCheckpoint checkpoint; /* the state that changes */
  const PfSystem *system;
  const PfSymbols *symbols;
  int n, m;
  PfRunOptions options;
  bool by_default;         /* the method is the default: another may take over */
  PfState state;
  PfFlow flow;
  PfStepper stepper;
  PfMonitor monitor;
  PfRunResult result;      /* of this phase */
  PfSeen seen;
  PfStallDetector stall;
  void *projection;        /* project.c */
  void *watch;             /* rank of the constraints (watch.c) */
  void *collocation;       /* polynomial near a loss of rank (collocation.c) */
  struct PfPhaseExchange *phase;
  /* where steps must end (crossings.c); NULL: nothing switches and no condition ends the run */
  struct PfCrossings *crossings;
  double *first_y, *first_t; /* 2n and one: where the phase began */
  double *crossing_y;      /* 2n: where a step was cut short */
  double *inner_y, *inner_dy; /* 2n: inside a step */
  struct {
    double *values, *y, *dy, *multiplier;
  } shown;                 /* of pf_motion_dense_output: its result, and its instant */
};

/* The state at the end that is seen (2n). */
static inline const double *pf_seen_state(const PfMotionRun *run)
{
  return run->seen.inside ? run->crossing_y : run->state.y;
}

/* Accelerations at (t, y): dy = (v, a). False when they can't be found: run->flow.trouble says why. Counts. */
bool pf_flow(PfMotionRun *run, double t, const double *y, double *dy);

/* Copies time and state (2n) to run->flow.values, at which tapes are evaluated. */
void pf_run_set_state(PfMotionRun *run, double t, const double *y);

/* A step ends at t: state and derivatives become the old ones. The new ones in y and dy are left to the caller. */
void pf_state_advance(PfMotionRun *run, double t);

/* The state at t inside the last step. */
void pf_interpolate(PfMotionRun *run, double t, double *y);

/* One phase (crossings.h) in motion, with one set of equations; pf_run and pf_run_events go from phase to phase. Opens
 * it at the numbers in `values`. PF_OK also when it cannot move: then result->end says why. Closes what it has opened
 * when it fails. */
PfStatus pf_motion_open(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                        struct PfPhaseExchange *phase, PfMotionRun **run);
/* The state of a phase that was made ready is evaluated, and its conditions; result.end as below. */
void pf_motion_begin(PfMotionRun *run);
/* Does what the last step led to, when something is pending (run->seen). result.end says whether the phase goes on
 * (PF_RUN_DONE), phase->switched whether with other equations. */
void pf_motion_settle(PfMotionRun *run);
/* One step, not beyond `horizon`. */
void pf_motion_step(PfMotionRun *run, double horizon);
/* Inputs have changed in run->flow.values: the motion goes on from the same state with them. */
void pf_motion_apply_inputs(PfMotionRun *run);
/* The motion at a time inside the last step; false when it has no accelerations there: these and multipliers are then
 * NaN. Changes nothing of the run.
 * Arrays of the sample are valid until the next call. */
bool pf_motion_dense_output(PfMotionRun *run, double t, PfSample *sample);
void pf_motion_close(PfMotionRun *run);

/* balance.c: adds the work of the forces without potential over the step that is seen; energy and violations at its
 * end. */
void pf_sample_work(PfMotionRun *run);
void pf_sample_statistics(PfMotionRun *run);

/* Inputs into the numbers of a method that keeps its own: the sides of switches are among them. */
void pf_run_copy_inputs(const PfMotionRun *run, double *values);

/* Zeroed memory of the run; NULL and a diagnostic without memory. Numbers are kept in snapshots; of structs the makers
 * say what is (pf_checkpoint_members). What is allocated must not depend on the state. */
void *pf_run_alloc(PfMotionRun *run, size_t count, size_t size, bool kept);
#define pf_run_array(run, type, count) ((type *)pf_run_alloc((run), (size_t)(count), sizeof(type), PF_IS_NUMBER(type)))
/* The same for memory that is not needed later. */
#define pf_run_scratch(run, type, count) ((type *)pf_run_alloc((run), (size_t)(count), sizeof(type), false))

/* Everything that changes while it moves, as pf_motion_checkpoint_size bytes. A method of a library forgets its past:
 * it begins anew where it was saved, in the run that goes on as in one that is restored. */
size_t pf_motion_checkpoint_size(const PfMotionRun *run);
void pf_motion_save(PfMotionRun *run, void *bytes);
/* Into a run of the same phase, opened at the same numbers. */
void pf_motion_load(PfMotionRun *run, const void *bytes);

/* monitor.c: quantities monitored along the way. pf_monitor_at evaluates them into run->monitor.at, at run->flow.values
 * with this state, and unless NULL these multipliers, put into them. */
PfStatus pf_monitor_make(PfMotionRun *run);
void pf_monitor_at(PfMotionRun *run, double t, const double *y, const double *multiplier);
/* There: linear momentum and angular about the origin, of matrix-free equations that float; else NULL. */
const double *pf_monitor_momentum(PfMotionRun *run);

/* project.c: puts y on the constraints by the smallest mass-weighted change. True when y was changed. */
PfStatus pf_project_make(PfMotionRun *run);
bool pf_project(PfMotionRun *run, double t, double *y);
/* Fails where the numbers of a constraint are so large or small that methods which square them cannot run. */
PfStatus pf_project_check_sizes(PfMotionRun *run);
/* The same as closely as rounding permits: near a loss of rank residuals are magnified. */
bool pf_project_closely(PfMotionRun *run, double t, double *y);

/* rank.c: which constraints (m) follow from the others at the state of the run, when some have done so from the start:
 * false when none do. */
bool pf_watch_choose(PfMotionRun *run, bool *dropped);
/* The same later, where pf_watch_choose was true: chooses anew only where the others no longer serve nearly as well as
 * any; returns whether it did. `unplaced` (m, or NULL) is the same for the conditions on positions among themselves:
 * one may follow from others on velocities, and be needed nevertheless. Costs one factorisation of the mass matrix. */
bool pf_watch_choose_again(PfMotionRun *run, bool *dropped, bool *unplaced);
/* Are the constraints dependent at the start, and only there? */
bool pf_watch_start(PfMotionRun *run);
PfStatus pf_watch_make(PfMotionRun *run);
/* Independence of the constraints after a step; true when a loss lies ahead, or lay between t_old and t: then the run
 * stands at t_old again. In both cases the next steps are made by pf_watch_pass. */
bool pf_watch_step(PfMotionRun *run);
/* After a step that failed: is a loss near? Then that is why, and pf_watch_pass goes on. */
bool pf_watch_ahead(PfMotionRun *run);
/* Which rows the solver of the run leaves out, how far others may disagree, and how they are measured. */
void pf_watch_configure_solver(PfMotionRun *run);

typedef enum PfPass {
  PF_PASS_NONE, /* nothing is near */
  PF_PASS_STEP, /* a step towards the loss */
  PF_PASS_OVER, /* a step over it */
  PF_PASS_LEAP, /* the same, where motions part and another step would have led elsewhere */
  PF_PASS_GONE, /* no step: a row has vanished, and the run may go on without it */
  PF_PASS_END   /* no step: the run ends here, by its options or because nothing goes on smoothly */
} PfPass;
PfPass pf_watch_pass(PfMotionRun *run);

/* collocation.c: the motion as a polynomial from the state of the run over h; it may reach across a loss of rank in the
 * middle. `left` is the measure of independence there. False when it is not found to within the tolerance. */
PfStatus pf_collocation_make(PfMotionRun *run);
bool pf_collocation_try(PfMotionRun *run, double h, double left);
/* The same by Taylor's polynomial of the state, which is good for a short way only; false when it does not lead to a
 * state on the constraints with the right energy. */
bool pf_collocation_leap(PfMotionRun *run, double h);
/* The state on the polynomial that was found last. */
void pf_collocation_at(const PfMotionRun *run, double t, double *y);
/* Makes it a step of the run, up to `end`. */
void pf_collocation_accept(PfMotionRun *run, double end);

/* Cubic Hermite interpolation of the last step: for methods without something better. */
void pf_hermite(PfMotionRun *run, double t, double *y);

/* Says that there is no such method, and which ones there are (methods.c). */
PfStatus pf_method_unknown(PfContext *ctx, const char *name);

extern const PfMethod pf_method_idle; /* idle.c: where nothing can move */
extern const PfMethod pf_method_dopri5, pf_method_dop853, pf_method_rk4, pf_method_generalized_alpha, pf_method_rattle;
extern const PfMethod pf_method_newmark, pf_method_hht_alpha, pf_method_wbz_alpha, pf_method_discrete_gradient;
extern const PfMethod pf_method_cvode_adams, pf_method_cvode_bdf, pf_method_ida, pf_method_ida2; /* sundials.c */

#endif
