/* SPDX-License-Identifier: Apache-2.0 */
/* Inside sim: the struct of a simulation, its states, and what the files of this folder call of each other. open.c
 * makes and closes it, start.c sets and places it, move.c moves it, read.c reads it, snapshot.c saves it. */
#ifndef PF_SIM_IMPL_H
#define PF_SIM_IMPL_H

#include "base/base.h"
#include "pfaff/lang.h"
#include "pfaff/sim_parts.h"
#include "sim/quantities.h"
#include "time/samples.h"

#include <math.h>

/* The kinds of numbers that can be read by a handle. */
typedef enum PfHandleKind {
  PF_HANDLE_STATE,  /* a coordinate or velocity: no evaluation is needed */
  PF_HANDLE_INPUT,
  PF_HANDLE_QUANTITY
} PfHandleKind;

/* A name that was looked up. Texts and arrays are in the arena of the simulation, the readings of their own. */
typedef struct PfHandle {
  const char *name;
  PfHandleKind kind;
  int index;            /* among q and v, or among the inputs */
  int size;
  PfExpr *roots;        /* a quantity: its expressions, and their readings once it is started */
  PfReadings *readings;
  bool by_forces;       /* needs accelerations, multipliers or energies of a monitor */
  double *numbers;      /* room for all of them */
  PfMeasure measure;    /* of the first number */
  const PfPlot *plot;   /* a quantity of several numbers: their units; else NULL */
  PfMark before, after; /* of the arena of the simulation, when it was found */
} PfHandle;

/* A start that was set, for simulations that start likewise. */
typedef struct PfSetStart {
  const char *name;
  double value;
} PfSetStart;

/* The states of a simulation, by the calls since. Its members below belong to them.
 *
 *                 set…         place        start        a start that fails
 *   OPEN          OPEN         PLACED       MOVING       OPEN, or PLACED once the start was found
 *   PLACED        OPEN         PLACED       MOVING       PLACED
 *   MOVING        CHANGED      PLACED       MOVING       PLACED
 *   CHANGED       CHANGED      PLACED       MOVING       OPEN, or PLACED once the start was found
 *
 * From OPEN and CHANGED, starting finds the start first; from PLACED and MOVING it is known. Options that are given
 * while it moves hold at once and change no state. A motion that is over is still MOVING or CHANGED: it can be read. */
typedef enum PfSimState {
  PF_SIM_OPEN,   /* the start is not known */
  PF_SIM_PLACED, /* start.values are consistent with the constraints and with the settings */
  PF_SIM_MOVING, /* motion.driver moves from there */
  PF_SIM_CHANGED /* the same, and something was set for the next start */
} PfSimState;

/* Numbers and choices of the caller, for the next start; inputs and options hold at once, too. */
typedef struct PfSimSettings {
  double *given;           /* per parameter: the number set, or NaN */
  double *input;           /* per input: the number set */
  PF_ARRAY(PfSetStart) starts;
  double time;             /* at the start */
  PfRunOptions options;
  bool options_given;      /* by the caller: those of the model are not taken again */
  const char *method, *formulation; /* given in place of the model's, or NULL */
  bool as_given;           /* the start is not made consistent */
} PfSimSettings;

/* The start, once it is placed. */
typedef struct PfSimStart {
  double *values, *complete_values; /* of the symbols of the system, of the complete system */
  PfStart changes;
  bool keeps_offset;       /* it is off the constraints: options.drift was set for it */
} PfSimStart;

/* The motion, while the state is MOVING or CHANGED, and its controller. */
typedef struct PfSimMotion {
  PfDriver *driver;
  PfArena *arena;          /* of the log */
  PfEventLog log;
  PfError trouble;         /* why it cannot go on; status PF_OK while it can */
  double period;           /* of the controller; 0: none */
  PfController *controller;
  void *user;
  double control_start;
  long control_next;       /* instant control_start + control_next*period */
} PfSimMotion;

/* Whether `sample` is that of the instant at which the motion is read. */
typedef enum PfSampleState {
  PF_SAMPLE_STALE, /* not yet: the motion has moved, or an input was set */
  PF_SAMPLE_GOOD,
  PF_SAMPLE_BAD    /* there are no accelerations */
} PfSampleState;

/* The quantities that are read, and the instant of their numbers. */
typedef struct PfSimReadings {
  PF_ARRAY(PfHandle *) handles;
  PfDerivedNames derived;  /* of the complete model, once a quantity has an unknown name */
  double t;                /* of a sample inside the latest step; NaN: where the motion stands */
  PfSampleState known;
  PfSample sample;
  double *state;           /* 2n of the complete model */
  double *zeros;           /* accelerations or multipliers where there are none */
} PfSimReadings;

/* A simulation. It lies in its own arena, with everything that is made once; the parts of one motion are in the arena
 * of the motion, and the sets of handles and starts are arrays that grow. */
struct PfSim {
  PfContext *ctx;
  PfArena *arena;
  const struct PfSim *prepared; /* kept by the machine: systems that this one has views of; NULL: none */
  PfWorkspace own;         /* context, model and equations; empty when they are the caller's (pf_sim_of_workspace) */
  PfModel *model;          /* as it is at the start */
  PfEquations equations;
  PfSystem *system;
  PfModel *complete;       /* with everything that events need; the model itself without */
  PfEquations complete_equations;
  PfSystem *complete_system; /* the system itself, or one of its own */
  PfSystem *matrix_free;   /* of deep trees: the system without formulas; else NULL */
  PfSystem *written;       /* and the one with them, once something needs it: `system` is one of the two */
  PfEquations written_equations;
  PfSimState state;
  PfSimSettings settings;
  PfSimStart start;
  PfSimMotion motion;
  PfSimReadings readings;
  PfError error;           /* the latest failure */
};

/* Is there a motion, maybe one that is over? */
static inline bool pf_sim_moves(const PfSim *sim)
{
  return sim->state == PF_SIM_MOVING || sim->state == PF_SIM_CHANGED;
}
/* Something was set: the start that was found is not that of these settings. */
static inline void pf_sim_forget_start(PfSim *sim)
{
  sim->state = pf_sim_moves(sim) ? PF_SIM_CHANGED : PF_SIM_OPEN;
}
/* The motion is read where it stands from now on, and its latest sample is stale. */
static inline void pf_sim_forget_sample(PfSim *sim)
{
  sim->readings.t = NAN;
  sim->readings.known = PF_SAMPLE_STALE;
}

/* Keeps a failure in words, by the first error from the diagnostic `before` on; returns whether there was none. */
bool pf_sim_check_since(PfSim *sim, PfStatus status, int before);

/* Why a motion ends in trouble is said once, after the diagnostic `before`: kept for later reports. */
void pf_sim_note_trouble(PfSim *sim, int before);
/* Fails with PF_ERR_ARGUMENT: for calls that need a motion. */
PfStatus pf_sim_not_started(PfSim *sim);
/* Has the motion ended, for whatever reason? Only while there is one. */
bool pf_sim_is_over(const PfSim *sim);

/* Sets what was set before the start of another one. */
PfStatus pf_sim_copy_start(const PfSim *from, PfSim *to);
/* Starts as another one was started, whatever was set in it since then. */
PfStatus pf_sim_start_like(const PfSim *from, PfSim *to);

/* The system for a run by these options: of a deep tree the matrix-free one or the one with formulas. */
PfStatus pf_sim_system_for(PfSim *sim, const PfRunOptions *options, PfSystem **system);
/* Writes out equations that are matrix-free, for methods that need formulas; the motion must not be open. */
PfStatus pf_sim_write_out(PfSim *sim, PfSystem **system);

/* Makes the start consistent with the constraints; gets ready to move from there; and the way back, which leaves the
 * systems and the start. */
PfStatus pf_sim_find_start(PfSim *sim);
PfStatus pf_sim_begin(PfSim *sim);
void pf_sim_end(PfSim *sim);

/* Makes or renews what reads the handles, after the start. */
PfStatus pf_sim_bind(PfSim *sim, PfHandle *handle);
void pf_sim_unbind(PfSim *sim);

#endif
