/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of frames, found link by link in their shortest form. */
#ifndef PF_MECH_LINKS_H
#define PF_MECH_LINKS_H

#include "mech/mech_impl.h"

/* Velocity of the origin and angular velocity, in the axes of the frame (of its parent, if it is a round wheel). */
typedef struct PfLink {
  PfExpr u[3], w[3];
} PfLink;

typedef struct PfLinks PfLinks;

/* Velocities v of all coordinates as linear forms of `count` unknowns, both read when a frame is reached, as is what
 * cannot move (PfKinematics; may be NULL): a sum that a constraint makes zero need not be worked out. */
PfStatus pf_links_make(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *v, const PfExpr *unknowns,
                       int count, const uint8_t *still, PfLinks **links);

PfStatus pf_links_reach(PfLinks *links, int frame, const PfLink **link);

/* The frame in whose axes the velocities of this one are. */
int pf_links_axes(const PfLinks *links, int frame);

/* Drops the forms that depend on an unknown, which must be found again: that velocity is known now. */
void pf_links_forget(PfLinks *links, PfExpr unknown);

/* Coefficients of the unknowns in their shortest form, then the term without unknowns: count + 1. */
PfStatus pf_links_form(const PfLinks *links, PfExpr e, PfExpr *form);

#endif
