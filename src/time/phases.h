/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a sequence of phases: between two events, and between two changes of what sticks, one set of equations
 * moves. */
#ifndef PF_TIME_PHASES_H
#define PF_TIME_PHASES_H

#include "time/breaks.h"

typedef enum PfMove {
  PF_MOVE_STEP,   /* a step: the motion in it can be looked at */
  PF_MOVE_BEFORE, /* an event is about to happen where the motion is */
  PF_MOVE_EVENT,  /* it has happened: the state has jumped */
  PF_MOVE_END     /* the horizon is reached, or the motion is over: pf_phases_result says why */
} PfMove;

/* Where a motion stands between two moves. */
typedef enum PfStage {
  PF_STAGE_CHECK,  /* something may be due */
  PF_STAGE_HAPPEN, /* an event is due, and was announced */
  PF_STAGE_MOVE,
  PF_STAGE_OVER    /* it has ended for good */
} PfStage;

/* Where the motion of the phase was opened. Choices are made there, of pivots for example, so a motion that is to go on
 * bit for bit must be opened at the same numbers. */
typedef struct PfOpening {
  double *values;               /* of all symbols */
  double *side;                 /* of each surface of switching, */
  bool *stuck;                  /* and whether it sticks; */
  double *seen;                 /* numbers by which the equations of what sticks were made (values of PfSides) */
  bool *held, *active, *fired;
  int implicit;                 /* 0: the method of the options; else that of moves.c for stiff motions, */
  double stiff_t;               /* since then */
  PfKept kept;                  /* all of it */
} PfOpening;

typedef struct PfPhases {
  PfContext *ctx;
  PfArena *arena;           /* of the caller: the log */
  PfArena *own;
  PfSwitches switches;      /* of the complete model */
  const PfEquations *eq;    /* of the complete model, with the sides of its surfaces as inputs */
  const PfModel *model;
  const PfSystem *system;   /* of the whole, when it moves in one piece */
  PfEquations written_equations;
  PfSystem *written;        /* the same with formulas, when a method that took over needs them; or NULL */
  const PfSymbols *symbols;
  PfSymbols own_symbols;
  PfRunOptions options;
  double size;             /* of the state at the start: pf_state_size */
  int event_count;          /* those that are followed: none in a run without a log */
  PfEventLog *log, no_log;  /* no_log: of a run that is not asked for one */
  PfKept kept;              /* what changes while it moves, beside the motion of the phase */
  PfOpening opened;
  PfRunResult past;         /* summed over the phases that have ended */
  bool any_past;
  bool inputs_changed;
  bool decided, undecided;  /* the sides fit the state; none do */
  bool warned;              /* that a formulation was not used */
  bool warned_of_sharing;   /* that forces of what sticks are not determined */
  long moves;               /* so many were made, */
  PfMove latest;            /* and the latest was of this kind */
  PfStage stage;
  PfRunEnd end;             /* why it is over */
  bool whole;               /* one phase from the beginning to the end: the system itself moves */
  PfMotionRun *motion;      /* of the phase */
  double *values;           /* of the complete model, where the run is */
  double *instant;          /* per event; NaN for conditions */
  bool *held, *active, *fired, *forced; /* forced: its condition has come true, whatever rounding says */
  bool stopped;             /* by the stop condition of the run */
  bool by_forces;           /* some condition depends on multipliers or accelerations */
  double *q, *a, *multiplier, *side; /* of a sample; q: with v behind it */
  PfExpr momentum[6];
  /* the phase */
  PfPhase phase;
  PfArena *phase_arena;
  PfSystem *phase_system;
  double *phase_values;
  PfSides sides;            /* when there are switches */
  /* the same with what sticks as constraints; the phase itself when nothing does */
  PfStuck stuck;
  PfArena *stuck_arena;
  PfSystem *stuck_system;
  double *stuck_values;
  int *stuck_list, stuck_count, stuck_before; /* before: in the phase that has ended */
  PfPhaseRun told;
  PfExpr until, *condition_form; /* the stop of the run and the condition of each event, with forces written out */
  PfExpr *conditions;       /* what ends the phase, */
  int *condition_event;     /* the events they belong to, -1: the stop of the run, */
  bool *condition_holds;    /* and which hold when one has become true */
} PfPhases;

PfStatus pf_phases_no_room(const PfPhases *s);

/* Expressions of the complete model where the run is. */
PfStatus pf_phases_evaluate(const PfPhases *s, const PfExpr *e, int count, double *out);

/* The equations of what is held and active now. */
PfStatus pf_phases_begin(PfPhases *s);
void pf_phases_end(PfPhases *s);
/* Decides what sticks where the run is, unless that was done; s->undecided when the state has no accelerations. */
PfStatus pf_phases_decide(PfPhases *s);
/* The equations with what sticks according to the sides. */
PfStatus pf_phases_begin_stuck(PfPhases *s);
/* The system that moves now, with the numbers where the run is. */
const PfSystem *pf_phases_moving_system(PfPhases *s, const double **values);
/* What is held rests, what is not active pulls with nothing, and which these are is known. */
PfStatus pf_phases_without_absent(const PfPhases *s, PfExpr *e);
/* Numbers of the phase from those of the complete model, and back. */
void pf_phases_take(PfPhases *s);
void pf_phases_store(PfPhases *s, double t, const double *q, const double *v);

/* A motion, ready at the numbers in `values`; with a log events happen, and the log lives in `arena`. */
PfStatus pf_phases_open(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                        const PfRunOptions *options, PfEventLog *log, PfPhases **phases);
PfStatus pf_phases_move(PfPhases *s, double horizon, PfMove *move);
/* The motion at a time inside the last step, for the complete model. False when it has no accelerations there: the
 * sample then has NaN for them and for multipliers, or, of a motion that never began, no state (q is NULL). */
bool pf_phases_look(PfPhases *s, double t, PfSample *sample);
/* An input without a function of time has another value from where the motion is. */
void pf_phases_set_input(PfPhases *s, int input, double value);
/* Takes the inputs where the motion stands, as its next move would: what it shows then is of them. PF_ERR_NUMBER when
 * there are no accelerations with them: then the next move ends the motion, unless others are set. */
PfStatus pf_phases_take_inputs(PfPhases *s);
/* Goes on from where the motion is by another method or formulation, on failure as before. The stop of the run
 * stays. `system` is another one of the same model, or the same. */
PfStatus pf_phases_set_options(PfPhases *s, const PfSystem *system, const PfRunOptions *options);
/* All inputs of the complete model by which it moves now. */
const double *pf_phases_inputs(const PfPhases *s);
double pf_phases_time(const PfPhases *s);
/* Does an event happen, or the run stop by its condition, where the motion is? Conditions that hold at the very start
 * are not seen. */
bool pf_phases_is_stop(const PfPhases *s);
/* q and v (2n) of the complete model where the motion is. */
void pf_phases_state(const PfPhases *s, double *y);
void pf_phases_end_motion(PfPhases *s);
PfRunResult pf_phases_result(const PfPhases *s);
/* How its next move ends it, or why it is over; PF_RUN_DONE: it goes on. */
PfRunEnd pf_phases_outlook(const PfPhases *s);
static inline bool pf_run_failed(PfRunEnd end)
{
  return end != PF_RUN_DONE && end != PF_RUN_UNTIL;
}
void pf_phases_close(PfPhases *s);

/* snapshot.c: what makes up the state, once everything has its room; the opening of a motion; and all of it in a number
 * of bytes that may change from phase to phase. */
PfStatus pf_phases_keep(PfPhases *s);
void pf_phases_note_opening(PfPhases *s);
void pf_phases_note_sticking(PfPhases *s);
size_t pf_phases_kept_size(const PfPhases *s);
void pf_phases_save(PfPhases *s, void *bytes);
/* On failure the motion goes on as before; without memory for that it is over. */
PfStatus pf_phases_load(PfPhases *s, const void *bytes, size_t size);
/* Opens the motion of the phase with the sides as they are. */
PfStatus pf_phases_open_motion(PfPhases *s, double horizon);

/* due.c: the first event that is due now, -1: none; all that are due happen; when the next instant is, up to the
 * horizon. */
PfStatus pf_phases_find_due(PfPhases *s, int *event);
PfStatus pf_phases_happen_due(PfPhases *s);
double pf_phases_next_instant(const PfPhases *s, double horizon);

/* Event e happens where the run is, and is logged (events.c). */
PfStatus pf_phases_happen(PfPhases *s, int e);

#endif
