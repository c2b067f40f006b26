/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a consistent start on one level, positions or velocities: which numbers are to move, and how far. */
#ifndef PF_TIME_SEARCH_H
#define PF_TIME_SEARCH_H

#include "time/start_conditions.h"
#include "time/manifold.h"

/* Moves q or v in `values` until the constraints of the level and the start conditions (NULL for positions) hold.
 * `priority`: n, that of each number . `plain` (n): becomes true for numbers that follow from linear equations, so that
 * there is no other solution to choose. PF_ERR_MODEL names the constraint that is in conflict. */
PfStatus pf_search_start(PfContext *ctx, PfArena *arena, PfManifold *manifold, PfStartConditions *conditions,
                         PfLevel level, const PfStartPriority *priority, double *values, bool *plain);

#endif
