/* SPDX-License-Identifier: Apache-2.0 */
/* Models of other programs, turned into the language or into trees of bodies. */
#ifndef PFAFF_IMPORT_H
#define PFAFF_IMPORT_H

#include "pfaff/tree.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_URDF_LARGEST ((size_t)64 << 20) /* bytes of a file */

/* How the root of a robot hangs on the ground. */
typedef enum PfBase {
  PF_BASE_FIXED,
  PF_BASE_FREE,
  PF_BASE_PLANAR /* moves in the plane z = 0 and turns about z: base_x, base_y, base_yaw */
} PfBase;

/* What is made of a robot; {0} is the robot as URDF has it, fixed to the ground. */
typedef struct PfUrdf {
  PfBase base;
  const char *weld; /* joints that become welds: names with commas, "elbow:0.3" at this value, "massless" for all
                       that move no mass; NULL: none */
  /* The text of a model only: */
  bool no_friction; /* leaves out the dry friction of joints */
  /* joints that get an input, a force on their coordinate: names with commas, or "all"; NULL: none */
  const char *actuators;
  const char *const *wheels; /* links that roll on the plane z = 0 without slip: "left_wheel", "left_wheel:0.1"
                                with the radius, several with commas */
  int wheel_count;
} PfUrdf;

/* A robot in URDF as the text of a model, in `arena`: links become bodies, joints placements and coordinates, damping
 * and dry friction forces, <mimic> and <constraint> constraints. What URDF says and the model does not (limits, meshes)
 * is a comment or a warning; so are joints that move no mass. `options` may be NULL. Fails with PF_ERR_SYNTAX,
 * PF_ERR_MODEL or PF_ERR_NAME naming the place; with PF_ERR_MISSING when this build has no XML reader. */
PF_API PfStatus pf_import_urdf(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                               const PfUrdf *options, const char **text);

/* Joints that follow others (<mimic>): rows for pf_tree_constrained, and by how much the first coordinate of a row is
 * ahead of the multiple of the second. They live in the arena given. */
typedef struct PfTreeCouplings {
  int count;
  PfTreeConstraint *row;
  double *offset;
} PfTreeCouplings;

/* A robot in URDF as a tree of bodies, freed by pf_tree_free: every link is a body and every joint a joint, under the
 * names of the file (pf_tree_find_body, pf_tree_find_joint); fixed joints are welds, which cost nothing in the
 * recursions. Damping is in the tree, dry friction is not (a warning says so), gravity is (0, 0, -9.81). A planar joint
 * `p` is three joints: p_u and p_v along, p about its axis. `options` may be NULL. Accelerations equal those of the
 * model that pf_import_urdf writes, without friction.
 *
 * Refused by PF_ERR_MODEL: loops (<constraint>), and joints that follow others unless `couplings` takes them (then
 * `arena` must be given; else it may be NULL). Fails otherwise as pf_import_urdf and pf_tree_builder_add do. */
PF_API PfStatus pf_tree_from_urdf(PfContext *ctx, const char *path, const PfUrdf *options, PfTree **tree);
/* The same from text; `file` is for messages. */
PF_API PfStatus pf_tree_from_urdf_text(PfContext *ctx, PfArena *arena, const char *file, const char *bytes,
                                       size_t count, const PfUrdf *options, PfTree **tree, PfTreeCouplings *couplings);

#ifdef __cplusplus
}
#endif
#endif
