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
  model_input u; /* behind the inputs of the model: sides of surfaces, what is held and active, what was captured */
  double tolerance;
  double step;       /* Co-Simulation: the next step to try; 0: not known */
  double next_event; /* the next event by time, when has_next */
  int has_next;
  int mode, co_simulation;
  int was_set;   /* parameters, states or inputs, since the motion began or the last event */
  int unsettled; /* in initialization mode: something was set since the start was last made consistent */
  int ended;     /* the condition of 'until' holds */
  int held_q[MODEL_N], held_v[MODEL_N]; /* starts set by the importer: the others move first */
  int stays[MODEL_FMU_SURFACES1]; /* 1: the motion stays on the surface, its side is between -1 and 1 */
  double slack[MODEL_FMU_SURFACES1]; /* a state that is no further on the other side of a surface has not passed it */
  int truth[MODEL_FMU_SURFACES1]; /* of comparisons in conditions */
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
double *model_fmu_side(model_input *u, int k);
double *model_fmu_flag(model_input *u, int k);
/* Is the coordinate held by an event? */
int model_fmu_is_held(const model_input *u, int i);

/* The state has changed. */
void model_fmu_forget(model_fmu *f);
/* Accelerations and multipliers of the state are there. */
model_fmu_status model_fmu_move(model_fmu *f);
/* In initialization mode values are those of the consistent start. */
model_fmu_status model_fmu_settle(model_fmu *f);
/* The same at any state; u gets the sides of surfaces that the motion stays on. */
model_status model_fmu_flow(const model_fmu_data *d, const model_state *x, model_input *u, double *a, double *lambda);
int model_fmu_stay_count(const model_fmu_data *d);
/* W x = r by elimination with pivots by columns; 0: singular. */
int model_fmu_solve(double *W, double *r, int n);

/* One step of Dormand and Prince from f->d.x; `error` is relative to the tolerance. */
model_status model_fmu_try(const model_fmu *f, double h, const double *a0, model_state *end, model_input *u,
                           double *error);

/* Where, within a step of Co-Simulation, something that is watched changes its sign. */
typedef struct model_fmu_crossing {
  int found;
  int at_once;                        /* its sign is wrong from the beginning */
  double low, high;                   /* behind low, at high or before */
  double before[MODEL_FMU_SURFACES1]; /* what is watched, at low */
} model_fmu_crossing;
/* Looks along the step of length h from f->d.x, whose accelerations are known, to x; 1: it is too long to see how the
 * surfaces change along it. */
int model_fmu_scan(const model_fmu *f, const model_state *x, const model_input *u, double h,
                   model_fmu_crossing *crossing);
/* The step *h that ends just where the first of them has changed its sign; without `crosses`, where none has. */
model_fmu_status model_fmu_locate(model_fmu *f, const model_fmu_crossing *crossing, double *h, int *crosses);

/* What is watched, one number for each surface: positive as long as nothing happens. */
model_fmu_status model_fmu_watch(model_fmu *f, double *z);
/* On which side of each surface the state is; where it is on one, to which side it leaves. */
model_fmu_status model_fmu_find_sides(model_fmu *f);
/* The same after surfaces were met, or forces that hold have come to their limits. */
model_fmu_status model_fmu_decide(model_fmu *f, const int *met, const int *released);
/* Takes the velocities back to the surfaces that the motion stays on. */
void model_fmu_hold(model_fmu *f);
/* How near to each surface a state that has just come to it is, by what the roots of importers leave; how far off a
 * state that stays on it may be. */
void model_fmu_allowances(model_fmu *f, double *near, double *off);
/* Forces that hold give way when they exceed their limits by this part: so a load that equals the limit is held. */
#define MODEL_FMU_GIVE 1e-8
/* Rates fall with the side itself by this part of how they depend on sides: so surfaces that hold the same share the
 * load evenly. */
#define MODEL_FMU_EVENLY 1e-9
/* Is the state clearly past a surface? */
int model_fmu_is_contradicted(model_fmu *f);
/* Which comparisons hold, which conditions: whether the motion has ended, whether an event is due. */
void model_fmu_find_truths(model_fmu *f);
/* The next event by time. */
void model_fmu_plan(model_fmu *f);
model_fmu_status model_fmu_project(model_fmu *f);
/* At a state on the constraints: which of them are independent. */
model_fmu_status model_fmu_choose(model_fmu *f);

#endif
