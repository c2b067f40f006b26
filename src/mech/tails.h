/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints that can be solved one after another, each for a velocity of its own. */
#ifndef PF_MECH_TAILS_H
#define PF_MECH_TAILS_H

#include "mech/eliminate.h"

typedef struct PfTails {
  int count, *row, *coordinate; /* in the order in which they were cut off: to be solved from the last to the first */
  int left_count, *left;        /* the other rows */
} PfTails;

/* Cuts tails off the constraints rows*q' = free: the rows that are left come first then, and do not contain the
 * velocities that were cut off. */
PfStatus pf_tails_find(PfContext *ctx, PfArena *arena, const PfGuide *guide, const PfEquations *equations, PfExpr *rows,
                       PfExpr *free, PfTails *tails);

/* Completes the kinematics of the rows that were left, in which all velocities that were cut off are independent. */
PfStatus pf_tails_solve(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfTails *tails,
                        PfKinematics *kinematics);

#endif
