/* SPDX-License-Identifier: Apache-2.0 */
/* Starts with several numbers: hub.w=(0, 0, 1), q=(0.1, 0.2, 0.3). */
#ifndef PF_LANG_PARTS_H
#define PF_LANG_PARTS_H

#include "pfaff/lang.h"

enum { PF_MOST_PARTS = 256 };

typedef struct PfPart {
  const char *name; /* hub.wx, q[1]; in the arena */
  double value;     /* in SI */
} PfPart;

/* How many numbers are written for the name: of a joint with a quaternion q, turn, w, p or v, or of a list of
 * parameters, coordinates, velocities or speeds. 0: it is no such name. */
int pf_parts_count(const PfModel *model, const char *name);

/* "(a, b, c)" as what the model knows by names of its own, at most PF_MOST_PARTS: hub.turn is a quaternion then, and
 * quaternions have length 1. What is wrong is said after `what`. */
PfStatus pf_parts_read(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *name,
                       const char *text, PfPart *parts, int *count);

#endif
