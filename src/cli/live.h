/* SPDX-License-Identifier: Apache-2.0 */
/* Curves in the terminal while a run goes on: pfaff run --watch. */
#ifndef PF_CLI_LIVE_H
#define PF_CLI_LIVE_H

#include "cli/cli.h"
#include "task/trajectory.h"

/* The curves of one run. */
typedef struct Live {
  const Console *console;
  struct LiveCurves *curves; /* NULL before a run begins */
} Live;

/* Its functions take a Live. `begin` fails with PF_ERR_ARGUMENT where standard error is not a terminal that can be
 * drawn on; `show` draws at most ten times a second; the last curves stay on the screen. */
extern const RunWatch pf_live_watch;

#endif
