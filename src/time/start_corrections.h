/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that the correction of a start made, by name. */
#ifndef PF_TIME_START_CORRECTIONS_H
#define PF_TIME_START_CORRECTIONS_H

#include "pfaff/time.h"
#include "time/start_conditions.h"

/* Fills in the changes from `before` to `after` (q and v each). `plain` (q and v): those of which there was no
 * other solution. The start conditions must have been evaluated at the end. */
PfStatus pf_start_corrections(PfContext *ctx, PfArena *arena, const PfModel *model, const PfStartConditions *conditions,
                              const double *before, const double *after, const bool *plain, PfStart *start);

#endif
