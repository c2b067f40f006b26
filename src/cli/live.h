/* SPDX-License-Identifier: Apache-2.0 */
/* Curves in the terminal while a run goes on: pfaff run --watch. */
#ifndef PF_CLI_LIVE_H
#define PF_CLI_LIVE_H

#include "cli/trajectory.h"

typedef struct Live {
  struct LiveCurves *curves; /* NULL: nobody watches */
} Live;

/* Of a motion that is started, with the columns of the trajectory. Fails with PF_ERR_ARGUMENT where standard error is
 * no terminal that can be drawn on. */
PfStatus pf_live_make(Live *live, Motion *motion, const Trajectory *trajectory, const Options *options);
void pf_live_free(Live *live);
/* The row that the trajectory has just worked out. */
PfStatus pf_live_add(Live *live);
/* Draws, when it is time to: at most ten times a second. */
void pf_live_show(Live *live, double t);
/* The last curves stay on the screen. */
void pf_live_end(Live *live, double t);

#endif
