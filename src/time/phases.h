/* A run as a sequence of phases: between two events, and between two changes of what sticks, one set of equations moves. */
#ifndef PF_TIME_PHASES_H
#define PF_TIME_PHASES_H

#include "time/breaks.h"

typedef struct PfPhases {
  PfContext *ctx;
  PfArena *arena;           /* of the caller: the log */
  PfArena *own;
  PfSwitches switches;      /* of the complete model */
  const PfEquations *eq;    /* of the complete model, with the sides of its surfaces as inputs */
  const PfModel *model;
  const PfSymbols *symbols;
  PfSymbols own_symbols;
  const PfRunOptions *options;
  PfEventLog *log, no_log;  /* no_log: of a run that is not asked for one */
  PfRunResult *result;
  double *values;           /* of the complete model, where the run is */
  double *instant;          /* per event; NaN for conditions */
  bool *held, *active, *fired, *forced; /* forced: its condition has come true, whatever rounding says */
  bool stopped;             /* by the stop condition of the run */
  bool by_forces;           /* some condition depends on multipliers */
  double *a, *multiplier;   /* of a sample */
  PfExpr momentum[6];
  /* the phase */
  PfPhase phase;
  PfArena *phase_arena;
  PfSystem *phase_system;
  double *phase_values, *end;
  PfSides sides;            /* when there are switches */
  bool decided, undecided;  /* the sides fit the state; none do */
  /* the same with what sticks as constraints; the phase itself when nothing does */
  PfStuck stuck;
  PfArena *stuck_arena;
  PfSystem *stuck_system;
  double *stuck_values;
  int *stuck_list, stuck_count, stuck_before; /* before: in the phase that has ended */
  PfPhaseRun told;
  bool warned;              /* that a formulation was not used */
  bool warned_of_sharing;   /* that forces of what sticks are not determined */
  bool here;                /* the sample is asked for, at a time that may have had one */
  bool sampled_now;         /* a sample was given at the time where the phase begins */
  bool any_sample;
  double sampled_t;
} PfPhases;

PfStatus pf_phases_no_room(const PfPhases *s);

/* Expressions of the complete model where the run is. */
PfStatus pf_phases_evaluate(const PfPhases *s, const PfExpr *e, int count, double *out);

/* The equations of what is held and active now. */
PfStatus pf_phases_begin(PfPhases *s);
/* Numbers of the phase from those of the complete model, and back. */
void pf_phases_load(PfPhases *s);
void pf_phases_store(PfPhases *s, double t, const double *q, const double *v);

/* Event e happens where the run is, and is logged (events.c). */
PfStatus pf_phases_happen(PfPhases *s, int e);

#endif
