/* SPDX-License-Identifier: Apache-2.0 */
/* Where a step has to end: surfaces of switching, conditions of events and of the stop, ends of sticking. The search is
 * that of the runtime (runtime/pf_crossings.h). */
#ifndef PF_TIME_CROSSINGS_H
#define PF_TIME_CROSSINGS_H

#include "time/modes.h"
#include "time/time_impl.h"

/* Input of a run of one phase, and its results at the end. */
typedef struct PfPhaseExchange {
  PfSwitchModes *modes;     /* or NULL: nothing switches */
  const int *stuck;         /* surfaces that stick: the multipliers of their rows are the last ones of the system */
  int stuck_count;
  const PfExpr *stuck_mode; /* their modes by these multipliers */
  const PfExpr *conditions; /* each ends the phase when it becomes true */
  int condition_count;
  bool *holds;              /* result when one has become true, for each condition: is it true? */
  double horizon;           /* of the whole run */
  int changes;              /* of modes at one instant */
  double change_t;
  bool warned_of_skips;     /* that a surface changes too often in a step to be followed */
  int condition;            /* result: the first one that has become true, or -1 */
  bool switched;            /* result: other surfaces stick from here on */
} PfPhaseExchange;

typedef struct PfCrossings PfCrossings;

PfStatus pf_crossings_make(PfMotionRun *run, PfPhaseExchange *phase, PfCrossings **crossings);
void pf_crossings_release(PfCrossings *crossings);

/* Sides and truths at the state of the run, from where the next steps start; a condition that holds there, or -1. */
int pf_crossings_begin(PfMotionRun *run, PfCrossings *crossings);

/* The next instant at which something that depends on time alone changes; INFINITY: none before the horizon. */
double pf_crossings_next_instant(PfMotionRun *run, PfCrossings *crossings);

/* After a step: the first instant in it, or its end, at which something changes that ends it. */
PfCrossing pf_crossings_find(PfMotionRun *run, PfCrossings *crossings);
/* After a step that failed: beyond a surface the forces of this side need not exist (sqrt(1 - x) where x < 1). Is one
 * no further away than `most`? */
bool pf_crossings_nearest(PfMotionRun *run, PfCrossings *crossings, double most, PfCrossing *crossing);
/* Surfaces that were met at the crossing, and those that stick no longer (as many as there are modes); conditions that
 * hold then. */
const bool *pf_crossings_met(const PfCrossings *crossings);
const bool *pf_crossings_released(const PfCrossings *crossings);
bool pf_crossings_condition(const PfCrossings *crossings, int condition);

#endif
