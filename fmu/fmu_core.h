/* SPDX-License-Identifier: Apache-2.0 */
/* An instance of the model as an importer sees it: values by reference, modes, events, motion, derivatives. The same
 * for FMI 2 and FMI 3; fmi2.c and fmi3.c are the doors. Nothing here is global, and nothing is allocated. */
#ifndef MODEL_FMU_CORE_H
#define MODEL_FMU_CORE_H

#include "fmu_model.h"

#include <stddef.h>

/* What may be called depends on them; one bit each. */
enum {
  MODEL_FMU_INSTANTIATED = 1,
  MODEL_FMU_INITIALIZING = 2,
  MODEL_FMU_AT_EVENT = 4,
  MODEL_FMU_CONTINUOUS = 8, /* Model Exchange, between events */
  MODEL_FMU_STEPPING = 16,  /* Co-Simulation */
  MODEL_FMU_TERMINATED = 32,
  MODEL_FMU_ANY = 63
};

typedef enum model_fmu_status {
  MODEL_FMU_OK,
  MODEL_FMU_DISCARD, /* no answer at this state; another one may have one */
  MODEL_FMU_ERROR    /* the message says what is wrong */
} model_fmu_status;

/* All that an instance remembers: copied for a saved state, and written as it is for a serialised one. */
typedef struct model_fmu_data {
  model_params p;
  model_state x;
  model_input u; /* after the inputs of the model: modes of surfaces, flags of structure, captured numbers */
  double tolerance;
  double step;       /* Co-Simulation: the next step to try; 0: not known */
  double last_error; /* of the step before, in units of the tolerance */
  double begun;      /* the time of the start, or of the latest change of the equations */
  double next_event; /* the next event by time, when has_next; -infinity: not known */
  int next_surface;  /* that of it */
  int has_next;
  int mode, co_simulation;
  int was_set;   /* parameters, states or inputs, since the motion began or the last event */
  int unsettled; /* in initialization mode: something was set since the start was last made consistent */
  int ended;     /* the condition of 'until' holds */
  int is_set_q[MODEL_N], is_set_v[MODEL_N]; /* starts set by the importer: the others move first; */
  double set_q[MODEL_N], set_v[MODEL_N];    /* the values that were set */
  int stays[MODEL_FMU_SURFACES1]; /* 1: the motion stays on the surface, its mode is between -1 and 1 */
  double sign[MODEL_FMU_SURFACES1];  /* of each indicator, until it changes */
  double slack[MODEL_FMU_SURFACES1]; /* a state within this distance on the other side has not passed a surface */
  double truth[MODEL_FMU_SURFACES1]; /* of comparisons in conditions, 1 or 0 */
  int happened[MODEL_FMU_EVENTS1]; /* events that lock, attach and detach happen once */
  int due;                         /* one of them at the start */
  model_rows rows;                 /* chosen where the constraints hold, kept until the next such state */
} model_fmu_data;

typedef struct model_fmu {
  model_fmu_data d;
  int has_motion, has_shown, has_factors; /* what follows belongs to the state */
  double a[MODEL_N], lambda[MODEL_FMU_M1], shown[MODEL_FMU_SHOWN1];
  /* of the equations of a and lambda: triangles, rows exchanged as `row` says */
  double K[MODEL_FMU_ROWS*MODEL_FMU_ROWS];
  int row[MODEL_FMU_ROWS];
  int has_column[MODEL_FMU_SEEDS];
  double D[MODEL_FMU_SEEDS*MODEL_FMU_RESULTS]; /* derivatives of a, lambda and what is shown, by each known */
  char message[256];
} model_fmu;

/* At the values of the model. */
void model_fmu_begin(model_fmu *f, int co_simulation);

/* Fails when the mode is none of `modes`. */
model_fmu_status model_fmu_allow(model_fmu *f, const char *function, int modes);
model_fmu_status model_fmu_fail(model_fmu *f, const char *words, const char *more);

model_fmu_status model_fmu_get(model_fmu *f, unsigned reference, double *value);
model_fmu_status model_fmu_set(model_fmu *f, unsigned reference, double value);
void model_fmu_set_time(model_fmu *f, double time);
void model_fmu_get_states(const model_fmu *f, double *states);
model_fmu_status model_fmu_set_states(model_fmu *f, const double *states);
model_fmu_status model_fmu_get_rates(model_fmu *f, double *rates);
model_fmu_status model_fmu_get_indicators(model_fmu *f, double *indicators);

/* d(unknown)/d(known), exact. */
model_fmu_status model_fmu_slope(model_fmu *f, unsigned unknown, unsigned known, double *slope);

/* Makes the start consistent, and finds on which side of each surface it is. */
model_fmu_status model_fmu_start(model_fmu *f);

/* Whatever is due now: projection, sides, events, the end, the next event by time. `moved`: states have changed. */
model_fmu_status model_fmu_update(model_fmu *f, int *moved);

/* Model Exchange: is the state so far off the constraints that it has to be moved back, or past a surface? */
model_fmu_status model_fmu_is_off(model_fmu *f, int *off);

/* Co-Simulation, to the time `end`; stops before it when 'until' holds. */
model_fmu_status model_fmu_advance(model_fmu *f, double end);

/* Saved states. The bytes begin with what tells them from those of other models. */
enum { MODEL_FMU_TOKEN = 40 };
size_t model_fmu_saved_size(void);
void model_fmu_save(const model_fmu_data *d, unsigned char *bytes);
model_fmu_status model_fmu_load(model_fmu *f, const unsigned char *bytes, size_t size, model_fmu_data *d);
/* Takes over a saved state of the same kind. */
void model_fmu_restore(model_fmu *f, const model_fmu_data *d);

/* ---------------------------------------------------------------- between the files of the instance */

model_fmu_status model_fmu_status_of(model_fmu *f, model_status status);

/* Members by number: parameters; the inputs of the model, then the others; the side of a surface; a flag. */
double *model_fmu_parameter(model_params *p, int i);
double *model_fmu_input(model_input *u, int i);
double *model_fmu_mode(model_input *u, int k);
double *model_fmu_flag(model_input *u, int k);
/* Is the coordinate held by an event? */
int model_fmu_is_held(const model_input *u, int i);

/* The state has changed. */
void model_fmu_forget(model_fmu *f);
/* Accelerations and multipliers of the state are there. */
model_fmu_status model_fmu_move(model_fmu *f);
/* In initialization mode values are those of the consistent start. */
model_fmu_status model_fmu_settle(model_fmu *f);
/* The same at any state; u gets the modes of surfaces on which the motion stays. */
model_status model_fmu_flow(const model_fmu_data *d, const model_state *x, model_input *u, double *a, double *lambda);
int model_fmu_stay_count(const model_fmu_data *d);

/* A step of Co-Simulation, and the state at a time inside it by its dense output (fmu_motion.c). */
typedef struct model_fmu_step model_fmu_step;
void model_fmu_step_at(const model_fmu_step *step, double t, model_state *x);

/* Where a step is cut: surfaces that are met, sliding modes whose force is at its limit. */
typedef struct model_fmu_switch {
  double time;
  int met[MODEL_FMU_SURFACES1], released[MODEL_FMU_SURFACES1];
} model_fmu_switch;

/* Signs and truths of the indicators at the state; holds (MODEL_FMU_EVENTS + 1): the conditions that hold there, that
 * of the end first. */
model_fmu_status model_fmu_begin_watch(model_fmu *f, double *holds);
/* The conditions that hold by the truths of comparisons, but for events that have happened. */
void model_fmu_judge(const model_fmu_data *d, const double *truth, double *holds);
/* The next zero of an indicator that depends on time alone, or the horizon, if that is before. Up to an infinite
 * horizon only indicators that are linear in time count. */
double model_fmu_next_instant(model_fmu *f, double horizon);
/* Is there a change in a step from the state of f to the time `end`, or at it? `at` gets the first one. The horizon is
 * the end of the motion, as far as it is known. */
int model_fmu_cross(model_fmu *f, const model_fmu_step *step, double end, double horizon, model_fmu_switch *at,
                    double *holds);

/* Event indicators, one for each surface: positive as long as nothing happens. */
model_fmu_status model_fmu_watched(model_fmu *f, double *z);
/* Distance of the force of a sliding mode from its limit: positive while it holds. */
double model_fmu_margin(double mode);
/* Modes from the state alone. */
model_fmu_status model_fmu_find_modes(model_fmu *f);
/* Modes after surfaces were met, or forces of sliding modes have come to their limits. NULL: neither. */
model_fmu_status model_fmu_decide(model_fmu *f, const model_fmu_switch *at);
/* Moves the velocities back onto the surfaces of sliding modes. */
void model_fmu_hold(model_fmu *f);
/* States are known to rounding, and to a small part of this. */
double model_fmu_atol(const model_fmu_data *d);
/* Of every surface at the state: rounding of g, and how far off a state that stays on it may be. */
void model_fmu_allowances(model_fmu *f, double *noise, double *off);
/* Forces that hold give way when they exceed their limits by this part: so a load that equals the limit is held. */
#define MODEL_FMU_GIVE 1e-8
/* Is the state clearly past a surface? */
int model_fmu_is_contradicted(model_fmu *f);
/* After a change: signs, truths, whether the motion has ended, whether an event is due, the next event by time. */
model_fmu_status model_fmu_look(model_fmu *f);
/* At a change inside a step: the modes, then the events whose conditions hold. */
model_fmu_status model_fmu_follow(model_fmu *f, const model_fmu_switch *at, const double *holds);
model_fmu_status model_fmu_project(model_fmu *f);
/* At a state on the constraints: which of them are independent. */
model_fmu_status model_fmu_choose(model_fmu *f);

#endif
