/* SPDX-License-Identifier: Apache-2.0 */
/* What the correction of a start changed, by name. */
#ifndef PF_TIME_MOVED_H
#define PF_TIME_MOVED_H

#include "pfaff/time.h"
#include "time/goals.h"

/* The angular velocity, in the axes of the body, of a quaternion with its rate. */
void pf_moved_spin(const double q[4], const double rate[4], double w[3]);

/* Fills in the changes from `before` to `after` (q and v each). `plain` (q and v): those of which there was no
 * other solution. The goals must have been evaluated at the end. */
PfStatus pf_moved_list(PfContext *ctx, PfArena *arena, const PfModel *model, const PfGoals *goals, const double *before,
                       const double *after, const bool *plain, PfStart *start);

#endif
