/* SPDX-License-Identifier: Apache-2.0 */
/* A tree with its state, taken apart for editing: what changes of topology work on. */
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

PfStatus pf_assembly_take(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                          Assembly *assembly);
/* A tree from the parts; q, v, from into the change, whose other arrays are made and zero. */
PfStatus pf_assembly_put(const Assembly *assembly, PfTreeChange *change);

/* Renumbers: the subtree of `root` comes last, parents first, children in the order they have. */
PfStatus pf_assembly_sort(Assembly *assembly, int root);

/* Pose of the part's placement, (R, s), and back. */
void pf_part_placement(const Part *part, double R[9], double s[3]);
void pf_part_place(Part *part, const double R[9], const double s[3]);
/* Moves the frame of a body to (R, s) in itself: mass centre, inertia, and the placements of its children. */
void pf_part_move_frame(Assembly *assembly, int part, const double R[9], const double s[3]);
/* Makes the joint free, at the pose and velocity given in inertial axes. */
void pf_part_free(Part *part, const double E[9], const double r[3], const double V[6]);

/* Makes `root` the root of its tree, 4.4; parents are no longer numbered before children. `work` has the poses and
 * velocities of the old tree. */
PfStatus pf_assembly_reroot(Assembly *assembly, const PfTreeWork *work, int root);

#endif
