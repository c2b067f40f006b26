/* SPDX-License-Identifier: Apache-2.0 */
/* Inside sim. */
#ifndef PF_SIM_IMPL_H
#define PF_SIM_IMPL_H

#include "base/base.h"
#include "pfaff/lang.h"
#include "pfaff/sim_parts.h"
#include "sim/quantities.h"
#include "time/samples.h"

/* What can be read by a handle. */
typedef enum PfHandleKind {
  PF_HANDLE_STATE,  /* a coordinate or velocity: no evaluation is needed */
  PF_HANDLE_INPUT,
  PF_HANDLE_QUANTITY
} PfHandleKind;

typedef struct PfHandle {
  const char *name;
  PfHandleKind kind;
  int index;            /* among q and v, or among the inputs */
  int size;
  PfExpr *roots;        /* a quantity: its expressions, and their readings once it is started */
  PfReadings *readings;
  bool by_forces;       /* needs accelerations, multipliers or what a monitor sees */
  double *numbers;      /* room for all of them */
  PfMeasure measure;
  PfMark before, after; /* of the arena of the simulation, when it was found */
} PfHandle;

/* A start that was set, for those who start likewise. */
typedef struct PfSetStart {
  const char *name;
  double value;
} PfSetStart;

struct PfSim {
  PfContext *ctx;
  PfArena *arena;
  PfWorkspace own;         /* context, model and equations; empty when they are the caller's (pf_sim_of_model) */
  PfModel *model;          /* as it is at the start */
  PfEquations equations;
  PfSystem *system;
  PfModel *complete;       /* with everything that events need; the model itself without */
  PfEquations complete_equations;
  PfSystem *complete_system; /* the system itself, or one of its own */
  PfSystem *outline;       /* of deep trees: the system without formulas; else NULL */
  PfSystem *written;       /* and the one with them, once something needs it: `system` is one of the two */
  PfEquations written_equations;
  double *given;           /* per parameter: the number set, or NaN */
  double *input;           /* per input: the number set */
  PF_ARRAY(PfSetStart) starts;
  double start_time;
  double *values, *complete_values;
  PfRunOptions options;
  bool options_set;        /* by the caller: the model's are not taken again */
  const char *method, *formulation; /* set by the caller in place of the model's, or NULL */
  bool as_given;
  bool keeps_offset;       /* the start is off the constraints, and nothing is projected */
  bool placed;             /* values and options are those of the start */
  PfStart start;
  PfEventLog log;
  PfArena *run_arena;      /* of the log */
  PfPhases *motion;        /* NULL: not started */
  PfError error;           /* the latest failure */
  PfError trouble;         /* why the motion cannot go on; status PF_OK while it can */

  double period;           /* of the controller; 0: none */
  PfController *controller;
  void *user;
  double control_start;
  long control_next;       /* instant control_start + control_next*period */

  PF_ARRAY(PfHandle *) handles;
  PfDerivedNames derived;  /* of the complete model, once a quantity has an unknown name */
  bool looking;            /* at a sample inside the step */
  double look_t;
  bool looked, look_good;  /* `sample` belongs to where it stands */
  PfSample sample;
  double *state;           /* 2n of the complete model */
  double *zeros;           /* accelerations or multipliers where there are none */
};

/* Keeps a failure in words, by the first error from the diagnostic `before` on; returns whether there was none. */
bool pf_sim_check_since(PfSim *sim, PfStatus status, int before);

/* Why a motion ends in trouble is said once, after the diagnostic `before`: kept for whoever asks later. */
void pf_sim_note_trouble(PfSim *sim, int before);
PfStatus pf_sim_not_started(PfSim *sim);
bool pf_sim_is_over(const PfSim *sim);

/* Sets what was set before the start of another one. */
PfStatus pf_sim_copy_start(const PfSim *from, PfSim *to);
/* Starts as another one was started, whatever was set in it since then. */
PfStatus pf_sim_start_like(const PfSim *from, PfSim *to);

/* Writes out equations that are an outline, for those who need formulas; the motion must not be open. */
/* The system for a run by these options: of a deep tree the outline or the one with formulas. */
PfStatus pf_sim_system_for(PfSim *sim, const PfRunOptions *options, PfSystem **system);
PfStatus pf_sim_write_out(PfSim *sim, PfSystem **system);

/* Makes or renews what reads the handles, after the start. */
PfStatus pf_sim_bind(PfSim *sim, PfHandle *handle);
void pf_sim_unbind(PfSim *sim);

#endif
