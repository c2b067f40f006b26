/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a sequence of phases: between two events, and between two changes of sticking, one set of equations
 * applies. */
#ifndef PF_TIME_PHASE_DRIVER_H
#define PF_TIME_PHASE_DRIVER_H

#include "time/crossings.h"

typedef enum PfAdvance {
  PF_ADVANCE_STEP,   /* a step: the motion in it can be looked at */
  PF_ADVANCE_BEFORE, /* an event is about to happen where the motion is */
  PF_ADVANCE_EVENT,  /* it has happened: the state has jumped */
  PF_ADVANCE_END     /* the horizon is reached, or the motion is over: pf_driver_result says why */
} PfAdvance;

/* Where a motion stands between two advances. */
typedef enum PfStage {
  PF_STAGE_CHECK,  /* something may be due */
  PF_STAGE_HAPPEN, /* an event is due, and was announced */
  PF_STAGE_ADVANCE,
  PF_STAGE_OVER    /* it has ended for good */
} PfStage;

/* Where the motion of the phase was opened. Choices are made there, of pivots for example, so a motion that is to go on
 * bit for bit must be opened at the same numbers. */
typedef struct PfOpening {
  double *values;               /* of all symbols */
  double *mode;                 /* of each surface of switching, */
  bool *stuck;                  /* and whether it sticks; */
  double *seen;                 /* numbers by which the equations with sticking were made (values of PfSwitchModes) */
  bool *held, *active, *fired;
  int implicit;                 /* 0: the method of the options; else that of phase_driver.c for stiff motions, */
  double stiff_t;               /* since then */
  PfCheckpoint checkpoint;      /* all of it */
} PfOpening;

typedef struct PfDriver {
  PfContext *ctx;
  PfArena *arena;           /* of the caller: the log */
  PfArena *own;
  PfSwitches switches;      /* of the complete model */
  const PfEquations *eq;    /* of the complete model, with the modes of its surfaces as inputs */
  const PfModel *model;
  const PfSystem *system;   /* of the whole, when it moves in one piece */
  PfEquations written_equations;
  PfSystem *written;        /* the same with formulas, when a method that took over needs them; or NULL */
  const PfSymbols *symbols;
  PfSymbols own_symbols;
  PfRunOptions options;
  double size;             /* of the state at the start: pf_state_size */
  int event_count;          /* those that are followed: none in a run without a log */
  PfEventLog *log, no_log;  /* no_log: of a run without a log */
  PfCheckpoint checkpoint;  /* the state that changes, without that of the motion of the phase */
  PfOpening opened;
  PfRunResult past;         /* summed over the phases that have ended */
  bool any_past;
  bool inputs_changed;
  bool decided, undecided;  /* the modes fit the state; none do */
  bool warned;              /* that a formulation was not used */
  bool warned_of_sharing;   /* that forces of sticking contacts are not determined */
  long advances;            /* so many were made, */
  PfAdvance latest;         /* and the latest was of this kind */
  PfStage stage;
  PfRunEnd end;             /* why it is over */
  bool whole;               /* one phase from the beginning to the end: the system itself moves */
  PfMotionRun *motion;      /* of the phase */
  double *values;           /* of the complete model, where the run is */
  double *instant;          /* per event; NaN for conditions */
  bool *held, *active, *fired, *forced; /* forced: its condition has come true, whatever rounding says */

  bool by_forces;           /* some condition depends on multipliers or accelerations */
  double *q, *a, *multiplier, *mode; /* of a sample; q: followed by v */
  PfExpr momentum[6];
  /* the phase */
  PfPhase phase;
  PfArena *phase_arena;
  PfSystem *phase_system;
  double *phase_values;
  PfSwitchModes modes;      /* when there are switches */
  /* the same with sticking contacts as constraints; the phase itself when nothing sticks */
  PfSlidingSystem stuck;
  PfArena *stuck_arena;
  PfSystem *stuck_system;
  double *stuck_values;
  int *stuck_list, stuck_count, stuck_before; /* before: in the phase that has ended */
  PfPhaseExchange exchange;
  PfExpr until, *condition_form; /* the stop of the run and the condition of each event, with forces written out */
  PfExpr *conditions;       /* the ends of the phase, */
  int *condition_event;     /* the events they belong to, -1: the stop of the run, */
  bool *condition_holds;    /* and which hold when one has become true */
} PfDriver;

PfStatus pf_driver_no_room(const PfDriver *s);

/* Expressions of the complete model where the run is. */
PfStatus pf_driver_evaluate(const PfDriver *s, const PfExpr *e, int count, double *out);

/* The equations with the coordinates and rows that are held and active now. */
PfStatus pf_driver_begin_phase(PfDriver *s);
void pf_driver_end_phase(PfDriver *s);
/* Decides what sticks where the run is, unless that was done; s->undecided when the state has no accelerations. */
PfStatus pf_driver_decide(PfDriver *s);
/* The equations with sticking contacts according to the modes. */
PfStatus pf_driver_begin_sliding(PfDriver *s);
/* The system that moves now, with the numbers where the run is. */
const PfSystem *pf_driver_moving_system(PfDriver *s, const double **values);
/* Replaces held velocities and inactive multipliers by zero, and the marks of both by their values. */
PfStatus pf_driver_without_absent(const PfDriver *s, PfExpr *e);
/* Numbers of the phase from those of the complete model, and back. */
void pf_driver_load_phase(PfDriver *s);
void pf_driver_store_phase(PfDriver *s, double t, const double *q, const double *v);

/* A motion, ready at the numbers in `values`; with a log events happen, and the log lives in `arena`. */
PfStatus pf_driver_open(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                        const PfRunOptions *options, PfEventLog *log, PfDriver **driver);
PfStatus pf_driver_advance(PfDriver *s, double horizon, PfAdvance *move);
/* The motion at a time inside the last step, for the complete model. False when it has no accelerations there: the
 * sample then has NaN for them and for multipliers, or, of a motion that never began, no state (q is NULL). */
bool pf_driver_dense_output(PfDriver *s, double t, PfSample *sample);
/* An input without a function of time has another value from where the motion is. */
void pf_driver_set_input(PfDriver *s, int input, double value);
/* Takes the inputs at the present instant, as the next advance would: the quantities of the motion are then those of
 * the new inputs. PF_ERR_NUMBER when there are no accelerations with them: then the next advance ends the motion,
 * unless others are set. */
PfStatus pf_driver_apply_inputs(PfDriver *s);
/* Goes on from where the motion is by another method or formulation, on failure as before. The stop of the run
 * stays. `system` is another one of the same model, or the same. */
PfStatus pf_driver_set_options(PfDriver *s, const PfSystem *system, const PfRunOptions *options);
/* All inputs of the complete model by which it moves now. */
const double *pf_driver_inputs(const PfDriver *s);
double pf_driver_time(const PfDriver *s);
/* Does an event happen, or the run stop by its condition, where the motion is? Conditions that hold at the very start
 * are not seen. */
bool pf_driver_is_stop(const PfDriver *s);
/* q and v (2n) of the complete model where the motion is. */
void pf_driver_state(const PfDriver *s, double *y);
void pf_driver_end_motion(PfDriver *s);
PfRunResult pf_driver_result(const PfDriver *s);
/* How its next advance ends it, or why it is over; PF_RUN_DONE: it goes on. */
PfRunEnd pf_driver_next_end(const PfDriver *s);
static inline bool pf_run_failed(PfRunEnd end)
{
  return end != PF_RUN_DONE && end != PF_RUN_UNTIL;
}
void pf_driver_close(PfDriver *s);

/* snapshot.c: the memory that makes up the state, once all of it is allocated; the opening of a motion; and all of it
 * in a number of bytes that may change from phase to phase. */
PfStatus pf_driver_register_state(PfDriver *s);
void pf_driver_note_opening(PfDriver *s);
void pf_driver_note_sliding(PfDriver *s);
size_t pf_driver_checkpoint_size(const PfDriver *s);
void pf_driver_save(PfDriver *s, void *bytes);
/* On failure the motion goes on as before; without memory for that it is over. */
PfStatus pf_driver_load(PfDriver *s, const void *bytes, size_t size);
/* Opens the motion of the phase with the modes as they are. */
PfStatus pf_driver_open_motion(PfDriver *s, double horizon);

/* event_queue.c: the first event that is due now, -1: none; all that are due happen; when the next instant is, up to
 * the horizon. */
PfStatus pf_driver_due_event(PfDriver *s, int *event);
PfStatus pf_driver_handle_due_events(PfDriver *s);
double pf_driver_next_instant(const PfDriver *s, double horizon);

/* Event e happens where the run is, and is logged (events.c). */
PfStatus pf_driver_handle_event(PfDriver *s, int e);

#endif
