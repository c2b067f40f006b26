/* SPDX-License-Identifier: Apache-2.0 */
/* Joints that move no mass, and joints that become welds. A joint without inertia has no acceleration of its own: one
 * such finger would make the mass matrix of a whole robot singular. */
#include "import/urdf.h"
#include "num/rotation.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- what a joint moves */

/* What hangs on a link: by welds as one body (mass, mass times centre, inertia about the origin of the link, in its
 * axes), and whether joints that move carry more. */
typedef struct Load {
  double mass, moment[3], inertia[9];
  bool carries_more;
} Load;

static void add_point_terms(double I[9], const double a[3], const double b[3], double times)
{
  double dot = a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) I[3*i + j] += times*((i == j ? dot : 0) - a[i]*b[j]);
}

static void add_link(Load *load, const UrdfLink *link)
{
  double I[6];
  pf_urdf_inertia(link, I);
  const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
  load->mass += link->mass;
  for (int i = 0; i < 3; i++) load->moment[i] += link->mass*link->center.at[i];
  for (int i = 0; i < 9; i++) load->inertia[i] += full[i];
  add_point_terms(load->inertia, link->center.at, link->center.at, link->mass);
}

/* x' = R x + p for every point of the child: the inertia is that of the moved points. */
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

static bool has_mass(const Load *load)
{
  for (int i = 0; i < 9; i++)
    if (load->inertia[i] != 0) return true;
  return load->mass != 0 || load->carries_more;
}

/* Rounding of the sums above must not count as inertia about an axis on which all mass lies. */
static bool moves(const UrdfJoint *joint, const Load *load)
{
  const double *a = joint->axis, *I = load->inertia;
  if (load->carries_more) return true;
  if (joint->kind == URDF_PRISMATIC) return load->mass != 0;
  if (joint->kind != URDF_REVOLUTE) return has_mass(load);
  double about = 0, square = a[0]*a[0] + a[1]*a[1] + a[2]*a[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) about += a[i]*I[3*i + j]*a[j];
  return fabs(about) > 1e-14*square*(fabs(I[0]) + fabs(I[4]) + fabs(I[8]));
}

/* Children come before their parents, so that each joint knows what it carries. A joint without mass is rigid for those
 * above it. A loop holds what is on its way: these joints follow others. */
static PfStatus find_massless(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  Load *loads = pf_arena_array(arena, Load, robot->link_count);
  if (!loads) return pf_no_room(ctx, "the robot");
  for (int i = 0; i < robot->loop_count; i++)
    for (int end = 0; end < 2; end++) loads[robot->loops[i].end[end].link].carries_more = true;
  for (int at = robot->link_count - 1; at >= 0; at--) {
    const UrdfLink *link = robot->links + robot->order[at];
    Load *load = loads + robot->order[at];
    add_link(load, link);
    if (link->joint < 0) continue;
    UrdfJoint *joint = robot->joints + link->joint;
    bool rigid = joint->kind == URDF_FIXED || !moves(joint, load);
    joint->moves_no_mass = joint->kind != URDF_FIXED && rigid;
    if (rigid) add_child(loads + joint->parent, load, &joint->origin);
    else loads[joint->parent].carries_more = true;
  }
  return PF_OK;
}

/* Joints that follow each other move together: one with mass is enough. */
static PfStatus join_followers(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  bool *moved = pf_arena_array(arena, bool, robot->joint_count);
  if (!moved) return pf_no_room(ctx, "the robot");
  for (int j = 0; j < robot->joint_count; j++)
    if (robot->joints[j].kind != URDF_FIXED && !robot->joints[j].moves_no_mass) moved[pf_urdf_leader(robot, j)] = true;
  for (int j = 0; j < robot->joint_count; j++) {
    int leader = pf_urdf_leader(robot, j);
    if (moved[leader] || robot->joints[leader].kind == URDF_FIXED) robot->joints[j].moves_no_mass = false;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- welding */

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
  if (joint && given && (!isfinite(value) || (joint->kind != URDF_REVOLUTE && joint->kind != URDF_PRISMATIC)))
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

/* Roll, pitch and yaw of a rotation; where only a sum of roll and yaw is determined, roll is 0. */
static void find_angles(const double R[9], double rpy[3])
{
  double level = hypot(R[0], R[3]);
  bool upright = level < 1e-12;
  rpy[0] = upright ? 0 : atan2(R[7], R[8]);
  rpy[1] = atan2(-R[6], level);
  rpy[2] = upright ? atan2(-R[1], R[4]) : atan2(R[3], R[0]);
}

/* Moves the placement of the child to where the joint is held. */
static void hold(UrdfJoint *joint)
{
  double q = joint->held;
  double R[9], turn[9], both[9] = {0}, unit[3], shift[3];
  double length = hypot(hypot(joint->axis[0], joint->axis[1]), joint->axis[2]);
  for (int i = 0; i < 3; i++) unit[i] = joint->axis[i]/length;
  pf_urdf_rotation(joint->origin.rpy, R);
  if (joint->kind == URDF_PRISMATIC) {
    pf_rotation_times(R, unit, shift);
    for (int i = 0; i < 3; i++) joint->origin.at[i] += q*shift[i];
    return;
  }
  pf_rotation_about(unit, q, turn);
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) both[i] += R[3*(i/3) + k]*turn[3*k + i%3];
  find_angles(both, joint->origin.rpy);
}

/* Joints that follow a welded one are held where it puts them, by their constraint. */
static void weld(UrdfRobot *robot)
{
  for (int j = 0; j < robot->joint_count; j++) {
    UrdfJoint *joint = robot->joints + j;
    if (joint->mimics >= 0 && robot->joints[joint->mimics].is_welded)
      joint->offset += joint->multiplier*robot->joints[joint->mimics].held;
    if (!joint->is_welded) continue;
    if (joint->held != 0) hold(joint);
    joint->kind = URDF_FIXED;
    joint->moves_no_mass = false;
  }
}

PfStatus pf_urdf_weld(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const char *list)
{
  PfStatus status = PF_OK;
  const char *at = list ? list : "";
  PF_TRY(find_massless(ctx, arena, robot));
  PF_TRY(join_followers(ctx, arena, robot));
  for (char *name; status == PF_OK && (name = pf_urdf_next_name(ctx, arena, &at, &status));)
    status = choose(ctx, robot, name);
  if (status == PF_OK) weld(robot);
  return status;
}
