/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints that can be solved one after another, each for a velocity of its own. */
#ifndef PF_MECH_TRIANGULAR_ROWS_H
#define PF_MECH_TRIANGULAR_ROWS_H

#include "mech/eliminate.h"

typedef struct PfTriangularRows {
  int count, *row, *coordinate; /* in the order in which they were cut off: to be solved from the last to the first */
  int left_count, *left;        /* the other rows */
} PfTriangularRows;

/* Sets triangular rows of the constraints aside: rows*q' = free: the rows that are left come first then, and do not
 * contain the velocities that were cut off. */
PfStatus pf_triangular_rows_find(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample,
                                 const PfEquations *equations, PfExpr *rows,
                                 PfExpr *free, PfTriangularRows *triangular);

/* Completes the kinematics of the rows that were left, in which all velocities that were cut off are independent. */
PfStatus pf_triangular_rows_solve(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                  const PfTriangularRows *triangular, PfKinematics *kinematics);

#endif
