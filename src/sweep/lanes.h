/* SPDX-License-Identifier: Apache-2.0 */
/* Members side by side: each in a lane with a time, a step and an end of its own, all of them evaluated together by
 * tapes at groups of states (pf_tape_run_groups). A lane is bit by bit what it would be alone.
 *
 * Arrays hold groups of PF_LANES lanes: number i of a lane stands at (lane/PF_LANES*N + i)*PF_LANES + lane%PF_LANES
 * where there are N of them. */
#ifndef PF_SWEEP_LANES_H
#define PF_SWEEP_LANES_H

#include "kernel/native.h"
#include "sweep/sweep_impl.h"

enum { PF_LANE_GROUPS = 8, PF_LANE_COUNT = PF_LANE_GROUPS*PF_LANES, PF_LANE_STAGES = 7 };

typedef struct PfLane {
  long long member;
  double t0, t, t_old, t_end;
  double h;            /* the step to try next */
  double last_error;   /* of the step before, in units of the tolerance */
  double largest_step;
  long steps, most_steps;
  bool rejected;       /* the attempt before */
  double looked_t;     /* where its headway was looked at */
} PfLane;

/* Tapes: their inputs are those of pf_system_symbols up to the velocities. */
typedef struct PfLaneTapes {
  PfTape *flow;                /* accelerations, then pairs of pivots and what they were before */
  PfTape *velocity, *position; /* what brings the state back on the constraints, as a change; NULL: nothing does */
  PfTape *take;                /* what is taken; NULL: nothing but times */
  int pairs, mass_pairs;
  int outputs;                 /* of the flow */
} PfLaneTapes;

typedef struct PfLaneEngine {
  const PfTake *what;
  PfLaneTapes tapes;
  bool adaptive;               /* dopri5; else rk4 */
  bool by_default;             /* nobody has asked for it: in a stiff motion another method takes over */
  int n, width, time, q;       /* coordinates; inputs of a lane, and where time and state stand among them */
  int roots, *root;            /* outputs of the tape of what is taken; of each item the one, or -1 */
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

/* lanes_steps.c: what is done for all lanes of so many groups, by the vectors that the processor has. */

/* A stage of a method: time and state in the rows = now + part*tried, y + (tried/divisor)*sum_s a[s] k_s; in the order
 * of time/erk.c and time/rk4.c. */
typedef struct PfLaneStage {
  double part, divisor;
  int count;
  const double *a;
} PfLaneStage;
void pf_lanes_combine(const PfLaneEngine *e, int groups, const PfLaneStage *stage);
/* From what the tape of the flow has given: the stage, with NaN where the accelerations are not to be trusted. */
void pf_lanes_derive(const PfLaneEngine *e, int groups, int stage);
/* Adds what a tape has given to the state in the rows from number `first` on. */
void pf_lanes_correct(const PfLaneEngine *e, int groups, int first);
/* Errors of a step: 0 where the stage is finite, NaN elsewhere. */
void pf_lanes_look(const PfLaneEngine *e, int groups, int stage);
/* Errors of the step: the fifth order less the fourth. */
void pf_lanes_errors(const PfLaneEngine *e, int groups, const double *weights);

#endif
