/* SPDX-License-Identifier: Apache-2.0 */
/* What a robot gets besides what its file says: actuators on joints, wheels that roll. */
#include "import/urdf.h"
#include "num/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- lists of names */

/* The next name of a list with commas, without the blanks around it; NULL at the end. `*at` moves on. */
static char *next_name(PfContext *ctx, PfArena *arena, const char **at, PfStatus *status)
{
  *at += strspn(*at, ", \t");
  if (!**at) return NULL;
  size_t length = strcspn(*at, ",");
  const char *begin = *at;
  *at += length;
  while (length > 0 && (begin[length - 1] == ' ' || begin[length - 1] == '\t')) length--;
  char *name = pf_arena_text(arena, begin, length);
  if (!name) *status = pf_no_room(ctx, "a name");
  return name;
}

static UrdfJoint *joint_called(const UrdfRobot *robot, const char *name)
{
  for (int j = 0; j < robot->joint_count; j++)
    if (!strcmp(robot->joints[j].name, name)) return robot->joints + j;
  return NULL;
}

static UrdfLink *link_called(const UrdfRobot *robot, const char *name)
{
  for (int i = 0; i < robot->link_count; i++)
    if (!strcmp(robot->links[i].name, name)) return robot->links + i;
  return NULL;
}

/* ---------------------------------------------------------------- actuators */

static bool can_be_driven(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE || joint->kind == URDF_PRISMATIC;
}

/* Those that a <transmission> names; in a file without, all that move by themselves. */
static void actuate_all(UrdfRobot *robot)
{
  for (int i = 0; i < robot->transmission_count; i++) {
    UrdfJoint *joint = joint_called(robot, robot->transmissions[i]);
    if (joint && can_be_driven(joint)) joint->is_actuated = true;
  }
  for (int j = 0; j < robot->joint_count && !robot->transmission_count; j++)
    robot->joints[j].is_actuated = can_be_driven(robot->joints + j) && robot->joints[j].mimics < 0;
}

static PfStatus actuate(PfContext *ctx, UrdfRobot *robot, const char *name)
{
  UrdfJoint *joint = joint_called(robot, name);
  if (!joint) {
    pf_fail(ctx, PF_ERR_NAME, "there is no joint '%s' to put an actuator on", name);
    pf_urdf_suggest(ctx, &robot->joints->name, sizeof *robot->joints, robot->joint_count, name);
    return PF_ERR_NAME;
  }
  if (!can_be_driven(joint))
    return pf_fail_at(ctx, PF_ERR_MODEL, joint->place, "the joint '%s' has no coordinate of its own for an actuator",
                      name);
  joint->is_actuated = true;
  return PF_OK;
}

static PfStatus add_actuators(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const char *list)
{
  PfStatus status = PF_OK;
  if (!strcmp(list, "all")) actuate_all(robot);
  else
    for (const char *at = list, *name; status == PF_OK && (name = next_name(ctx, arena, &at, &status));)
      status = actuate(ctx, robot, name);
  return status;
}

/* ---------------------------------------------------------------- wheels */

/* "name:0.1": the number goes to *radius and the name ends before the colon. Names may have colons themselves. */
static bool split_radius(char *name, double *radius)
{
  char *colon = strrchr(name, ':'), *end;
  if (!colon) return false;
  double value = pf_read_double(colon + 1, &end);
  if (end == colon + 1 || *end) return false;
  *colon = 0;
  *radius = value;
  return true;
}

static PfStatus refuse_wheel(PfContext *ctx, const UrdfRobot *robot, const char *name)
{
  pf_fail(ctx, PF_ERR_NAME, "there is no link '%s' that could be a wheel", name);
  pf_urdf_suggest(ctx, &robot->links->name, sizeof *robot->links, robot->link_count, name);
  return PF_ERR_NAME;
}

static PfStatus mark_wheel(PfContext *ctx, UrdfRobot *robot, const char *text)
{
  double radius = 0;
  bool given = false;
  UrdfLink *link = link_called(robot, text);
  if (!link) {
    given = split_radius((char *)text, &radius); /* a copy of ours */
    link = link_called(robot, text);
  }
  if (!link) return refuse_wheel(ctx, robot, text);
  if (link->joint < 0 || robot->joints[link->joint].kind != URDF_REVOLUTE)
    return pf_fail_at(ctx, PF_ERR_MODEL, link->place, "the link '%s' does not turn about an axle, so it is no wheel",
                      link->name);
  if (given && !(radius > 0 && isfinite(radius)))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "the radius of the wheel '%s' must be positive, not %g", link->name, radius);
  if (given) link->radius = radius;
  if (!(link->radius > 0) || !isfinite(link->radius)) {
    pf_fail_at(ctx, PF_ERR_MODEL, link->place, "the radius of the wheel '%s' is not known", link->name);
    pf_hint(ctx, "say it: --wheel %s:0.1, in metres; it is taken from a cylinder or sphere of the link", link->name);
    return PF_ERR_MODEL;
  }
  link->is_wheel = true;
  return PF_OK;
}

/* How high the root must be for the wheel to touch the plane z = 0, all joints being at zero: the axle may lean. */
static double height_for(const UrdfRobot *robot, const UrdfLink *wheel)
{
  double p[3], a[3];
  memcpy(p, wheel->shape.at, sizeof p);
  memcpy(a, robot->joints[wheel->joint].axis, sizeof a);
  for (const UrdfLink *link = wheel; link->joint >= 0;) {
    const UrdfJoint *joint = robot->joints + link->joint;
    double R[9], v[3];
    pf_urdf_rotation(joint->origin.rpy, R);
    pf_rotation_times(R, p, v);
    for (int i = 0; i < 3; i++) p[i] = v[i] + joint->origin.at[i];
    pf_rotation_times(R, a, v);
    memcpy(a, v, sizeof a);
    link = robot->links + joint->parent;
  }
  double s = a[2]/sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2]);
  return wheel->radius*sqrt(fmax(0, 1 - s*s)) - p[2];
}

/* A base that stays level can be at one height only. */
static PfStatus lift(PfContext *ctx, UrdfRobot *robot)
{
  const UrdfLink *first = NULL;
  for (int i = 0; i < robot->link_count; i++) {
    const UrdfLink *link = robot->links + i;
    if (!link->is_wheel) continue;
    double height = height_for(robot, link);
    if (!first) first = link, robot->lift = height;
    if (robot->base != PF_BASE_PLANAR || fabs(height - robot->lift) <= 1e-9*(1 + fabs(height))) continue;
    pf_fail_at(ctx, PF_ERR_MODEL, link->place, "the wheels '%s' and '%s' touch the ground at heights of the base that "
               "differ by %g", first->name, link->name, fabs(height - robot->lift));
    pf_hint(ctx, "give other radii, or --base free: then it may lean");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

static PfStatus add_wheels(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const PfUrdf *options)
{
  PfStatus status = PF_OK;
  if (options->wheel_count && robot->base == PF_BASE_FIXED) {
    pf_fail(ctx, PF_ERR_ARGUMENT, "wheels cannot roll when the root of the robot is fixed to the ground");
    pf_hint(ctx, "--base planar: it moves in a plane; --base free: it may pitch and fall");
    return PF_ERR_ARGUMENT;
  }
  for (int i = 0; i < options->wheel_count && status == PF_OK; i++)
    for (const char *at = options->wheels[i], *name; status == PF_OK && (name = next_name(ctx, arena, &at, &status));)
      status = mark_wheel(ctx, robot, name);
  return status == PF_OK ? lift(ctx, robot) : status;
}

PfStatus pf_urdf_equip(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const PfUrdf *options)
{
  robot->base = options->base;
  if (options->actuators) PF_TRY(add_actuators(ctx, arena, robot, options->actuators));
  return add_wheels(ctx, arena, robot, options);
}
