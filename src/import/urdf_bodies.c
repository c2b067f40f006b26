/* SPDX-License-Identifier: Apache-2.0 */
/* A robot as a tree of bodies in numbers: every link is a body, joints of the type fixed are welds. */
#include "import/urdf.h"
#include "num/rotation.h"
#include "pfaff/import.h"

#include <stdio.h>
#include <string.h>

typedef struct Making {
  PfContext *ctx;
  PfArena *arena;
  const UrdfRobot *robot;
  PfTreeBuilder *builder;
  int *body; /* per link */
} Making;

/* ---------------------------------------------------------------- joints */

/* A planar joint as two slides and a turn, as the model has them, so that the coordinates are the same. The slides are
 * bodies without mass, the first at the placement of `body`; the turn is left to the caller in `body`. */
static PfStatus add_planar(Making *k, PfTreeBody *body, const double axis[3], const char *const names[3])
{
  double direction[2][3];
  int parent = body->parent;
  pf_urdf_plane(axis, direction[0], direction[1]);
  for (int i = 0; i < 2; i++) {
    PfTreeBody slide = pf_tree_body(parent, PF_JOINT_PRISMATIC);
    slide.joint_name = names[i];
    memcpy(slide.axis, direction[i], sizeof slide.axis);
    if (!i) memcpy(slide.quat, body->quat, sizeof slide.quat);
    if (!i) memcpy(slide.pos, body->pos, sizeof slide.pos);
    PF_TRY(pf_tree_builder_add(k->builder, &slide, &parent));
  }
  *body = pf_tree_body(parent, PF_JOINT_REVOLUTE);
  body->joint_name = names[2];
  memcpy(body->axis, axis, sizeof body->axis);
  return PF_OK;
}

/* The joint of a link in the terms of the tree; a planar one becomes two slides and a turn. */
static PfStatus set_joint(Making *k, const UrdfJoint *joint, PfTreeBody *body)
{
  static const PfJoint kinds[] = {[URDF_FIXED] = PF_JOINT_WELD, [URDF_REVOLUTE] = PF_JOINT_REVOLUTE,
                                  [URDF_PRISMATIC] = PF_JOINT_PRISMATIC, [URDF_PLANAR] = PF_JOINT_WELD,
                                  [URDF_FLOATING] = PF_JOINT_FREE};
  double R[9];
  *body = pf_tree_body(k->body[joint->parent], kinds[joint->kind]);
  body->joint_name = joint->name;
  pf_urdf_rotation(joint->origin.rpy, R);
  pf_rotation_quat(R, body->quat);
  memcpy(body->pos, joint->origin.at, sizeof body->pos);
  memcpy(body->axis, joint->axis, sizeof body->axis);
  if (pf_urdf_has_coordinate(joint)) body->damping[0] = joint->damping;
  if (joint->kind != URDF_PLANAR) return PF_OK;
  const char *names[3] = {NULL, NULL, joint->name};
  size_t room = strlen(joint->name) + 3;
  for (int i = 0; i < 2; i++) {
    char *name = pf_arena_alloc(k->arena, room, 1);
    if (!name) return pf_no_room(k->ctx, "the tree of the robot");
    snprintf(name, room, "%s_%c", joint->name, "uv"[i]);
    names[i] = name;
  }
  return add_planar(k, body, joint->axis, names);
}

/* ---------------------------------------------------------------- joints that follow others */

static bool is_follower(const UrdfJoint *joint)
{
  return joint->mimics >= 0 && joint->kind != URDF_FIXED;
}

/* A tree alone has neither joints that follow others nor loops: fails where the robot has them. `coupled`: the
 * couplings are returned besides. */
static PfStatus refuse(Making *k, bool coupled)
{
  if (k->robot->loop_count) {
    const UrdfLoop *loop = k->robot->loops;
    pf_fail_at(k->ctx, PF_ERR_MODEL, loop->place, "the constraint '%s' closes a loop, which a tree alone cannot say",
               loop->name);
    pf_hint(k->ctx, "import the robot as a model, which has constraints");
    return PF_ERR_MODEL;
  }
  for (int j = 0; j < k->robot->joint_count && !coupled; j++) {
    const UrdfJoint *joint = k->robot->joints + j;
    if (!is_follower(joint)) continue;
    pf_fail_at(k->ctx, PF_ERR_MODEL, joint->place, "the joint '%s' follows '%s', which a tree alone cannot say",
               joint->name, joint->mimic_name);
    pf_hint(k->ctx, "ask for the couplings too, and use them with pf_tree_constrained");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* Rows for joints that mimic others: q = multiplier*leader + offset, differentiated twice, as constraints on
 * accelerations. They live in the arena. */
static PfStatus add_couplings(Making *k, const PfTree *tree, PfTreeCouplings *couplings)
{
  PF_TRY(pf_arrays(k->ctx, k->arena, "the tree of the robot", PF_ROOM(couplings->row, k->robot->joint_count),
                   PF_ROOM(couplings->offset, k->robot->joint_count)));
  for (int j = 0; j < k->robot->joint_count; j++) {
    const UrdfJoint *joint = k->robot->joints + j;
    if (!is_follower(joint)) continue;
    const UrdfJoint *leader = k->robot->joints + joint->mimics;
    const bool follows = leader->kind != URDF_FIXED && joint->multiplier != 0;
    int *dofs = pf_arena_array(k->arena, int, 2);
    double *coefficients = pf_arena_array(k->arena, double, 2);
    if (!dofs || !coefficients) return pf_no_room(k->ctx, "the tree of the robot");
    dofs[0] = pf_tree_v_at(tree, k->body[joint->child]);
    coefficients[0] = 1;
    if (follows) dofs[1] = pf_tree_v_at(tree, k->body[leader->child]);
    if (follows) coefficients[1] = -joint->multiplier;
    couplings->offset[couplings->count] = joint->offset;
    couplings->row[couplings->count++] = (PfTreeConstraint){.kind = PF_TREE_RATES, .body_a = -1, .body_b = -1,
                                                            .dofs = dofs, .coefficients = coefficients,
                                                            .terms = follows ? 2 : 1};
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* Adds all links to a builder and finishes the tree. */
static PfStatus build(Making *k, const PfUrdf *options, PfTree **tree, PfTreeCouplings *couplings)
{
  static const double gravity[3] = {0, 0, -9.81};
  k->body = pf_arena_array(k->arena, int, k->robot->link_count);
  if (!k->body) return pf_no_room(k->ctx, "the tree of the robot");
  PF_TRY(refuse(k, couplings));
  PF_TRY(pf_tree_builder_new(k->ctx, &k->builder));
  pf_tree_builder_trust(k->builder); /* a doubtful inertia is a warning, as for the model */
  pf_tree_builder_gravity(k->builder, gravity);
  for (int i = 0; i < k->robot->link_count; i++) {
    int index = k->robot->order[i];
    const UrdfLink *link = k->robot->links + index;
    PfTreeBody body;
    if (link->joint < 0) {
      static const char *const names[3] = {"base_x", "base_y", "base_yaw"};
      body = pf_tree_body(-1, options->base == PF_BASE_FREE ? PF_JOINT_FREE : PF_JOINT_WELD);
      if (options->base == PF_BASE_FREE) body.joint_name = "base";
      if (options->base == PF_BASE_PLANAR) PF_TRY(add_planar(k, &body, (const double[]){0, 0, 1}, names));
    } else PF_TRY(set_joint(k, k->robot->joints + link->joint, &body));
    body.name = link->name;
    body.mass = link->mass;
    memcpy(body.com, link->center.at, sizeof body.com);
    pf_urdf_inertia_matrix(link, body.inertia);
    PF_TRY(pf_tree_builder_add(k->builder, &body, k->body + index));
  }
  PF_TRY(pf_tree_builder_finish(k->builder, tree));
  return couplings ? add_couplings(k, *tree, couplings) : PF_OK;
}

/* Reads the robot, then builds its tree. */
static PfStatus make(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                     const PfUrdf *options, PfTree **tree, PfTreeCouplings *couplings)
{
  UrdfRobot robot;
  PF_TRY(pf_urdf_load(ctx, arena, file, bytes, count, &options, &robot));
  pf_urdf_warn_friction(ctx, &robot, true);
  pf_urdf_warn(ctx, &robot);
  Making k = {.ctx = ctx, .arena = arena, .robot = &robot};
  PfStatus status = build(&k, options, tree, couplings);
  pf_tree_builder_free(k.builder);
  if (status == PF_OK) return PF_OK;
  pf_tree_free(*tree);
  *tree = NULL;
  return status;
}

PfStatus pf_tree_from_urdf_text(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                                const PfUrdf *options, PfTree **tree, PfTreeCouplings *couplings)
{
  *tree = NULL;
  if (couplings) *couplings = (PfTreeCouplings){0};
  PfArena *own = arena ? NULL : pf_arena_new(pf_context_allocator(ctx)); /* without couplings nothing stays in it */
  if (!arena && !own) return pf_no_room(ctx, "the tree of the robot");
  PfStatus status = couplings && !arena ? pf_fail(ctx, PF_ERR_ARGUMENT, "couplings need an arena to live in")
                                        : make(ctx, arena ? arena : own, file, bytes, count, options, tree, couplings);
  pf_arena_free(own);
  return status;
}

PfStatus pf_tree_from_urdf(PfContext *ctx, const char *path, const PfUrdf *options, PfTree **tree)
{
  const char *bytes;
  size_t count;
  *tree = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  if (!arena) return pf_no_room(ctx, "the tree of the robot");
  PfStatus status = pf_file_read(ctx, arena, path, PF_URDF_LARGEST, &bytes, &count);
  if (status == PF_OK) status = pf_tree_from_urdf_text(ctx, arena, path, bytes, count, options, tree, NULL);
  pf_arena_free(arena);
  return status;
}
