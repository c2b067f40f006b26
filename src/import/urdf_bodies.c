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

/* Adds a body without mass that moves on `parent` by one coordinate, at the placement of `place` (NULL: at the
 * parent). */
static PfStatus add_slide(Making *k, const PfTreeBody *place, int parent, const double axis[3], const char *name,
                          int *index)
{
  PfTreeBody body = pf_tree_body(parent, PF_JOINT_PRISMATIC);
  body.joint_name = name;
  memcpy(body.axis, axis, sizeof body.axis);
  if (place) memcpy(body.quat, place->quat, sizeof body.quat);
  if (place) memcpy(body.pos, place->pos, sizeof body.pos);
  return pf_tree_builder_add(k->builder, &body, index);
}

/* Two slides and a turn, as the model has them: their coordinates are the same. The last one is left to the caller. */
static PfStatus add_planar(Making *k, PfTreeBody *body, const double axis[3], const char *const names[3])
{
  double u[3], v[3];
  int first, second;
  pf_urdf_plane(axis, u, v);
  PF_TRY(add_slide(k, body, body->parent, u, names[0], &first));
  PF_TRY(add_slide(k, NULL, first, v, names[1], &second));
  *body = pf_tree_body(second, PF_JOINT_REVOLUTE);
  body->joint_name = names[2];
  memcpy(body->axis, axis, sizeof body->axis);
  return PF_OK;
}

static PfStatus add_planar_joint(Making *k, PfTreeBody *body, const UrdfJoint *joint)
{
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

static PfStatus set_root(Making *k, PfBase base, PfTreeBody *body)
{
  static const char *const names[3] = {"base_x", "base_y", "base_yaw"};
  *body = pf_tree_body(-1, base == PF_BASE_FREE ? PF_JOINT_FREE : PF_JOINT_WELD);
  if (base == PF_BASE_FREE) body->joint_name = "base";
  return base == PF_BASE_PLANAR ? add_planar(k, body, (const double[]){0, 0, 1}, names) : PF_OK;
}

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
  if (joint->kind == URDF_REVOLUTE || joint->kind == URDF_PRISMATIC) body->damping[0] = joint->damping;
  return joint->kind == URDF_PLANAR ? add_planar_joint(k, body, joint) : PF_OK;
}

/* ---------------------------------------------------------------- links */

static void set_mass(const UrdfLink *link, PfTreeBody *body)
{
  double I[6];
  pf_urdf_inertia(link, I);
  const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
  body->name = link->name;
  body->mass = link->mass;
  memcpy(body->com, link->center.at, sizeof body->com);
  memcpy(body->inertia, full, sizeof full);
}

static PfStatus add_links(Making *k, const PfUrdf *options)
{
  for (int i = 0; i < k->robot->link_count; i++) {
    int index = k->robot->order[i];
    const UrdfLink *link = k->robot->links + index;
    PfTreeBody body;
    if (link->joint < 0) PF_TRY(set_root(k, options->base, &body));
    else PF_TRY(set_joint(k, k->robot->joints + link->joint, &body));
    set_mass(link, &body);
    PF_TRY(pf_tree_builder_add(k->builder, &body, k->body + index));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- joints that follow others */

/* q = multiplier*leader + offset, as accelerations. */
static PfStatus add_coupling(Making *k, const PfTree *tree, const UrdfJoint *joint, PfTreeCouplings *couplings)
{
  const UrdfJoint *leader = k->robot->joints + joint->mimics;
  int *dofs = pf_arena_array(k->arena, int, 2);
  double *coefficients = pf_arena_array(k->arena, double, 2);
  if (!dofs || !coefficients) return pf_no_room(k->ctx, "the tree of the robot");
  dofs[0] = pf_tree_v_at(tree, k->body[joint->child]);
  coefficients[0] = 1;
  bool follows = leader->kind != URDF_FIXED && joint->multiplier != 0;
  if (follows) dofs[1] = pf_tree_v_at(tree, k->body[leader->child]);
  if (follows) coefficients[1] = -joint->multiplier;
  couplings->offset[couplings->count] = joint->offset;
  couplings->row[couplings->count++] = (PfTreeConstraint){.kind = PF_TREE_RATES, .body_a = -1, .body_b = -1,
                                                          .dofs = dofs,
                                                          .coefficients = coefficients, .terms = follows ? 2 : 1};
  return PF_OK;
}

static bool is_follower(const UrdfJoint *joint)
{
  return joint->mimics >= 0 && joint->kind != URDF_FIXED;
}

static PfStatus refuse_loops(const Making *k)
{
  if (!k->robot->loop_count) return PF_OK;
  const UrdfLoop *loop = k->robot->loops;
  pf_fail_at(k->ctx, PF_ERR_MODEL, loop->place, "the constraint '%s' closes a loop, which a tree alone cannot say",
             loop->name);
  pf_hint(k->ctx, "import the robot as a model, which has constraints");
  return PF_ERR_MODEL;
}

static PfStatus refuse_followers(Making *k)
{
  for (int j = 0; j < k->robot->joint_count; j++) {
    const UrdfJoint *joint = k->robot->joints + j;
    if (!is_follower(joint)) continue;
    pf_fail_at(k->ctx, PF_ERR_MODEL, joint->place, "the joint '%s' follows '%s', which a tree alone cannot say",
               joint->name, joint->mimic_name);
    pf_hint(k->ctx, "ask for the couplings too, and use them with pf_tree_constrained");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

static PfStatus add_couplings(Making *k, const PfTree *tree, PfTreeCouplings *couplings)
{
  couplings->row = pf_arena_array(k->arena, PfTreeConstraint, k->robot->joint_count);
  couplings->offset = pf_arena_array(k->arena, double, k->robot->joint_count);
  if (!couplings->row || !couplings->offset) return pf_no_room(k->ctx, "the tree of the robot");
  for (int j = 0; j < k->robot->joint_count; j++)
    if (is_follower(k->robot->joints + j)) PF_TRY(add_coupling(k, tree, k->robot->joints + j, couplings));
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

static PfStatus build(Making *k, const PfUrdf *options, PfTree **tree, PfTreeCouplings *couplings)
{
  static const double gravity[3] = {0, 0, -9.81};
  k->body = pf_arena_array(k->arena, int, k->robot->link_count);
  if (!k->body) return pf_no_room(k->ctx, "the tree of the robot");
  PF_TRY(refuse_loops(k));
  if (!couplings) PF_TRY(refuse_followers(k));
  PF_TRY(pf_tree_builder_new(k->ctx, &k->builder));
  pf_tree_builder_trust(k->builder); /* a doubtful inertia is a warning, as for the model */
  pf_tree_builder_gravity(k->builder, gravity);
  PF_TRY(add_links(k, options));
  PF_TRY(pf_tree_builder_finish(k->builder, tree));
  return couplings ? add_couplings(k, *tree, couplings) : PF_OK;
}

static PfStatus make(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                     const PfUrdf *options, PfTree **tree, PfTreeCouplings *couplings)
{
  static const PfUrdf plain = {0};
  UrdfRobot robot = {0};
  PF_TRY(pf_urdf_read(ctx, arena, file, bytes, count, &robot));
  PF_TRY(pf_urdf_connect(ctx, arena, &robot));
  if (!options) options = &plain;
  PF_TRY(pf_urdf_weld(ctx, arena, &robot, options->weld));
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
