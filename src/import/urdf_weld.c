/* SPDX-License-Identifier: Apache-2.0 */
/* Joints that move no mass, and joints that become welds. A joint without inertia has no acceleration of its own: one
 * such finger would make the mass matrix of a whole robot singular. */
#include "import/urdf.h"
#include "num/rotation.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- joints without mass */

/* The bodies that hang on a link: by welds as one body (mass, mass times centre, inertia about the origin of the link,
 * in its axes), and whether joints that move carry more. */
typedef struct Load {
  double mass, moment[3], inertia[9];
  bool carries_more;
} Load;

/* I += times ((a.b) 1 - a b^T), the terms of Steiner's theorem. */
static void add_point_terms(double I[9], const double a[3], const double b[3], double times)
{
  double dot = a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) I[3*i + j] += times*((i == j ? dot : 0) - a[i]*b[j]);
}

/* Adds the load of a child that is welded on by the pose: x' = R x + p for every point of it. */
static void add_child(Load *parent, const Load *child, const UrdfPose *pose)
{
  double R[9], h[3];
  const double *p = pose->at, *I = child->inertia;
  pf_urdf_rotation(pose->rpy, R);
  pf_rotation_times(R, child->moment, h);
  parent->mass += child->mass;
  for (int i = 0; i < 3; i++) parent->moment[i] += h[i] + child->mass*p[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) parent->inertia[3*i + j] += R[3*i + k]*I[3*k + l]*R[3*j + l];
  add_point_terms(parent->inertia, p, p, child->mass);
  add_point_terms(parent->inertia, p, h, 1);
  add_point_terms(parent->inertia, h, p, 1);
  parent->carries_more = parent->carries_more || child->carries_more;
}

/* Does the joint move any mass? Rounding of the sums above must not count as inertia about an axis on which all mass
 * lies. */
static bool moves(const UrdfJoint *joint, const Load *load)
{
  const double *a = joint->axis, *I = load->inertia;
  if (load->carries_more) return true;
  if (joint->kind == URDF_PRISMATIC) return load->mass != 0;
  if (joint->kind != URDF_REVOLUTE) {
    for (int i = 0; i < 9; i++)
      if (load->inertia[i] != 0) return true;
    return load->mass != 0 || load->carries_more;
  }
  double about = 0, square = a[0]*a[0] + a[1]*a[1] + a[2]*a[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) about += a[i]*I[3*i + j]*a[j];
  return fabs(about) > 1e-14*square*(fabs(I[0]) + fabs(I[4]) + fabs(I[8]));
}

/* Children come before their parents, so that the load of each joint is known. A joint without mass is rigid for those
 * above it. A loop holds the joints on its way: these follow others. */
static PfStatus find_massless(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  Load *loads = pf_arena_array(arena, Load, robot->link_count);
  if (!loads) return pf_no_room(ctx, "the robot");
  for (int i = 0; i < robot->loop_count; i++)
    for (int end = 0; end < 2; end++) loads[robot->loops[i].end[end].link].carries_more = true;
  for (int at = robot->link_count - 1; at >= 0; at--) {
    const UrdfLink *link = robot->links + robot->order[at];
    Load *load = loads + robot->order[at];
    double full[9];
    pf_urdf_inertia_matrix(link, full);
    load->mass += link->mass;
    for (int i = 0; i < 3; i++) load->moment[i] += link->mass*link->center.at[i];
    for (int i = 0; i < 9; i++) load->inertia[i] += full[i];
    add_point_terms(load->inertia, link->center.at, link->center.at, link->mass);
    if (link->joint < 0) continue;
    UrdfJoint *joint = robot->joints + link->joint;
    bool rigid = joint->kind == URDF_FIXED || !moves(joint, load);
    joint->moves_no_mass = joint->kind != URDF_FIXED && rigid;
    if (rigid) add_child(loads + joint->parent, load, &joint->origin);
    else loads[joint->parent].carries_more = true;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- welding */

/* Marks the joints of one entry of the list: a joint, a joint with its value, or "massless". */
static PfStatus choose(PfContext *ctx, UrdfRobot *robot, char *name)
{
  if (!strcmp(name, "massless")) {
    for (int j = 0; j < robot->joint_count; j++)
      if (robot->joints[j].moves_no_mass && !robot->joints[j].is_welded) {
        robot->joints[j].is_welded = true;
        robot->joints[j].held = pf_urdf_position(robot, j);
      }
    return PF_OK;
  }
  double value = 0;
  UrdfJoint *joint = pf_urdf_joint(robot, name);
  bool given = !joint && pf_urdf_split_number(name, &value);
  if (given) joint = pf_urdf_joint(robot, name);
  if (joint && given && (!isfinite(value) || !pf_urdf_has_coordinate(joint)))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "the joint '%s' cannot be welded at a value", name);
  if (joint) {
    joint->is_welded = joint->kind != URDF_FIXED;
    joint->held = given ? value : pf_urdf_position(robot, (int)(joint - robot->joints));
    return PF_OK;
  }
  pf_fail(ctx, PF_ERR_NAME, "there is no joint '%s' to weld", name);
  pf_urdf_suggest(ctx, &robot->joints->name, sizeof *robot->joints, robot->joint_count, name);
  return PF_ERR_NAME;
}

/* Moves the placement of the child to where the joint is held. Roll, pitch and yaw follow from the rotation; where only
 * a sum of roll and yaw is determined, roll is 0. */
static void hold(UrdfJoint *joint)
{
  double q = joint->held;
  double R[9], turn[9], both[9], unit[3], shift[3];
  double length = hypot(hypot(joint->axis[0], joint->axis[1]), joint->axis[2]);
  for (int i = 0; i < 3; i++) unit[i] = joint->axis[i]/length;
  pf_urdf_rotation(joint->origin.rpy, R);
  if (joint->kind == URDF_PRISMATIC) {
    pf_rotation_times(R, unit, shift);
    for (int i = 0; i < 3; i++) joint->origin.at[i] += q*shift[i];
    return;
  }
  pf_rotation_about(unit, q, turn);
  pf_urdf_product(R, turn, both);
  double *rpy = joint->origin.rpy;
  double level = hypot(both[0], both[3]);
  bool upright = level < 1e-12;
  rpy[0] = upright ? 0 : atan2(both[7], both[8]);
  rpy[1] = atan2(-both[6], level);
  rpy[2] = upright ? atan2(-both[1], both[4]) : atan2(both[3], both[0]);
}

/* Welds the joints of the list (or NULL): names with commas, "elbow:0.3" at this value, "massless" for all that move no
 * mass. Joints that follow each other move together, so that one with mass is enough; those that follow a welded one
 * are held where it puts them, by their constraint. */
static PfStatus weld(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const char *list)
{
  PfStatus status = PF_OK;
  PF_TRY(find_massless(ctx, arena, robot));
  bool *moved = pf_arena_array(arena, bool, robot->joint_count);
  if (!moved) return pf_no_room(ctx, "the robot");
  for (int j = 0; j < robot->joint_count; j++)
    if (robot->joints[j].kind != URDF_FIXED && !robot->joints[j].moves_no_mass) moved[pf_urdf_leader(robot, j)] = true;
  for (int j = 0; j < robot->joint_count; j++) {
    int leader = pf_urdf_leader(robot, j);
    if (moved[leader] || robot->joints[leader].kind == URDF_FIXED) robot->joints[j].moves_no_mass = false;
  }
  const char *at = list ? list : "";
  for (char *name; status == PF_OK && (name = pf_urdf_next_name(ctx, arena, &at, &status));)
    status = choose(ctx, robot, name);
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++) {
    UrdfJoint *joint = robot->joints + j;
    if (joint->mimics >= 0 && robot->joints[joint->mimics].is_welded)
      joint->offset += joint->multiplier*robot->joints[joint->mimics].held;
    if (!joint->is_welded) continue;
    if (joint->held != 0) hold(joint);
    joint->kind = URDF_FIXED;
    joint->moves_no_mass = false;
  }
  return status;
}

PfStatus pf_urdf_load(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      const PfUrdf **options, UrdfRobot *robot)
{
  static const PfUrdf plain = {0};
  *robot = (UrdfRobot){0};
  if (!*options) *options = &plain;
  PF_TRY(pf_urdf_read(ctx, arena, file, bytes, count, robot));
  PF_TRY(pf_urdf_connect(ctx, arena, robot));
  return weld(ctx, arena, robot, (*options)->weld);
}
