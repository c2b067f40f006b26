/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints on one body of a tree, by the velocities of that body. */
#ifndef PF_MECH_BODY_ROWS_H
#define PF_MECH_BODY_ROWS_H

#include "pfaff/mech.h"

/* Rows at velocity level (m, in place) that say something about a point of one frame along an axis of it, blades and
 * wheels, as a.u + b.w + what is left without velocities, with velocity u and angular velocity w of the frame found
 * link by link as in bodies.c. A formula for people goes up to the ground instead and has as many terms as there are
 * links. Other rows stay as they are. */
PfStatus pf_body_rows(PfContext *ctx, PfArena *scratch, const PfEquations *equations, PfExpr *velocity);

#endif
