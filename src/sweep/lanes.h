/* SPDX-License-Identifier: Apache-2.0 */
/* Members side by side: each in a lane with a time, a step and an end of its own, all of them evaluated together by
 * tapes at groups of states (pf_tape_run_groups). A lane is bit by bit what it would be alone.
 *
 * Arrays hold groups of PF_LANES lanes: number i of a lane stands at (lane/PF_LANES*N + i)*PF_LANES + lane%PF_LANES
 * where there are N of them. */
#ifndef PF_SWEEP_LANES_H
#define PF_SWEEP_LANES_H

#include "kernel/native.h"
#include "runtime/pf_runge_kutta.h"
#include "sweep/sweep_impl.h"

enum { PF_LANE_GROUPS = 8, PF_LANE_COUNT = PF_LANE_GROUPS*PF_LANES };

typedef struct PfLane {
  long long member;
  double t0, t, t_old, t_end;
  double h;            /* the step to try next */
  PfStepControl control;
  double largest_step;
  long steps, most_steps;
  double checked_t;     /* where its progress was checked */
} PfLane;

/* Tapes: their inputs are those of pf_system_symbols up to the velocities. */
typedef struct PfLaneTapes {
  PfTape *flow;                /* accelerations, then pairs of pivots and their values before */
  PfTape *velocity, *position; /* the change that restores the constraints; NULL: none is needed */
  PfTape *output;              /* the outputs; NULL: nothing but times */
  int pairs, mass_pairs;
  int outputs;                 /* of the flow */
} PfLaneTapes;

typedef struct PfLaneEngine {
  const PfOutputSet *what;
  PfLaneTapes tapes;
  bool adaptive;               /* dopri5; else rk4 */
  bool by_default;             /* the method is the default: in a stiff motion another one takes over */
  int n, width, time, q;       /* coordinates; inputs of a lane, and where time and state stand among them */
  int roots, *root;            /* outputs of the tape of the outputs; of each item the one, or -1 */
  int count;                   /* lanes at work: the first ones */
  PfLane lane[PF_LANE_COUNT];
  double *now, *tried;         /* of each lane: its time, the step that is tried, */
  double *rtol, *atol, *error; /* tolerances; error in units of them, or 0 or NaN of a step that is only to be finite */
  double *rows;                /* width: inputs, with the state that is tried */
  double *out, *work;
  double *y, *y_old;           /* 2n */
  double *k;                   /* stages of 2n: the first is the derivative at the start of the step */
  double *value, *node;        /* by lane and item, and for nodes 5 each: no groups */
  double *end, *room;          /* of the items of a lane that has ended; for formulas of them */
} PfLaneEngine;

/* lanes_steps.c: operations on all lanes of so many groups, by the vectors that the processor has. */

/* Puts time and state of a stage of the method into the rows. */
void pf_lanes_combine(const PfLaneEngine *e, int groups, int stage);
/* From the results of the tape of the flow: the stage, with NaN where the accelerations are not reliable. */
void pf_lanes_derive(const PfLaneEngine *e, int groups, int stage);
/* Adds the results of a tape to the state in the rows from number `first` on. */
void pf_lanes_correct(const PfLaneEngine *e, int groups, int first);
/* Errors of a step: 0 where the stage is finite, NaN elsewhere. */
void pf_lanes_check_finite(const PfLaneEngine *e, int groups, int stage);
/* Errors of the step by dopri5: the fifth order less the fourth. */
void pf_lanes_errors(const PfLaneEngine *e, int groups);

#endif
