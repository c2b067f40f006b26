/* SPDX-License-Identifier: Apache-2.0 */
/* A tree with its state, taken apart for editing: changes of topology work on it. */
#ifndef PF_SRC_TREE_ASSEMBLY_H
#define PF_SRC_TREE_ASSEMBLY_H

#include "tree/tree_impl.h"

typedef struct Part {
  PfTreeBody body;
  double q[7], v[6];
  unsigned char locked[6];
  int from; /* number in the old tree */
} Part;

typedef struct Assembly {
  PfContext *ctx;
  PfArena *arena; /* parts and results */
  double gravity[3];
  int count;
  Part *parts;
} Assembly;

/* Copies bodies and state (q, v) of a tree; parts are in the arena. */
PfStatus pf_assembly_take(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                          Assembly *assembly);
/* Makes a tree from the parts, which the caller frees, with its state and the old numbers of its bodies; the other
 * arrays of the change are made and zero. All arrays are in the arena. Fails where a body is wrong. */
PfStatus pf_assembly_put(const Assembly *assembly, PfTreeChange *change);

/* Renumbers: the subtree of `root` comes last, parents first, children in the order they have. */
PfStatus pf_assembly_sort(Assembly *assembly, int root);

/* Sets the placement of the part to (R, s). */
void pf_part_place(Part *part, const double R[9], const double s[3]);
/* Moves the frame of a body to (R, s) in itself: mass centre, inertia, and the placements of its children. */
void pf_part_move_frame(Assembly *assembly, int part, const double R[9], const double s[3]);
/* Makes the joint free, at the pose and velocity given in inertial axes. */
void pf_part_free(Part *part, const double E[9], const double r[3], const double V[6]);

/* Makes `root` the root of its tree, 4.4; parents are no longer numbered before children. `work` has the poses and
 * velocities of the old tree. */
PfStatus pf_assembly_reroot(Assembly *assembly, const PfTreeWork *work, int root);

#endif
