/* SPDX-License-Identifier: Apache-2.0 */
/* Where a step has to end: surfaces of switching, conditions of events and of the stop, what ceases to stick. */
#ifndef PF_TIME_BREAKS_H
#define PF_TIME_BREAKS_H

#include "time/sides.h"
#include "time/time_impl.h"

/* What a run of one phase is told, and what it tells about its end. */
typedef struct PfPhaseRun {
  PfSides *sides;           /* or NULL: nothing switches */
  const int *stuck;         /* surfaces that stick: the multipliers of their rows are the last ones of the system */
  int stuck_count;
  const PfExpr *stuck_side; /* their sides by these multipliers */
  const PfExpr *conditions; /* each ends the phase when it becomes true */
  int condition_count;
  bool *holds;              /* told when one has become true, for each condition: is it true? */
  double horizon;           /* of the whole run */
  int changes;              /* of sides at one instant */
  double change_t;
  bool warned_of_skips;     /* that a surface changes too often in a step to be followed */
  int condition;            /* told: the first one that has become true, or -1 */
  bool switched;            /* told: other surfaces stick from here on */
} PfPhaseRun;

typedef struct PfBreaks PfBreaks;

PfStatus pf_breaks_make(PfMotionRun *run, PfPhaseRun *phase, PfBreaks **breaks);
void pf_breaks_release(PfBreaks *breaks);

/* Sides and truths at the state of the run, from where the next steps start. */
void pf_breaks_begin(PfMotionRun *run, PfBreaks *breaks);
/* A condition that holds at the state of the run, or -1. */
int pf_breaks_holds(PfMotionRun *run, PfBreaks *breaks);

/* The next instant at which something that depends on time alone changes; INFINITY: none before the horizon. */
double pf_breaks_next_instant(PfMotionRun *run, PfBreaks *breaks);

/* After a step: the first instant in it, or its end, at which something changes that ends it. */
PfCut pf_breaks_find(PfMotionRun *run, PfBreaks *breaks);
/* After a step that failed: beyond a surface the forces of this side need not exist (sqrt(1 - x) where x < 1). Is one
 * no further away than `most`? */
bool pf_breaks_nearest(PfMotionRun *run, PfBreaks *breaks, double most, PfCut *cut);
/* Surfaces that were met at the cut, and those that stick no longer (as many as there are sides); conditions that hold
 * then. */
const bool *pf_breaks_met(const PfBreaks *breaks);
const bool *pf_breaks_released(const PfBreaks *breaks);
bool pf_breaks_condition(const PfBreaks *breaks, int condition);

#endif
