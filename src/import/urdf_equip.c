/* SPDX-License-Identifier: Apache-2.0 */
/* Equipment that a file does not have: actuators on joints, wheels that roll. */
#include "import/urdf.h"
#include "num/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- lists of names */

char *pf_urdf_next_name(PfContext *ctx, PfArena *arena, const char **at, PfStatus *status)
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

bool pf_urdf_split_number(char *name, double *value)
{
  char *colon = strrchr(name, ':'), *end;
  if (!colon) return false;
  double number = pf_read_double(colon + 1, &end);
  if (end == colon + 1 || *end) return false;
  *colon = 0;
  *value = number;
  return true;
}

UrdfJoint *pf_urdf_joint(const UrdfRobot *robot, const char *name)
{
  for (int j = 0; j < robot->joint_count; j++)
    if (!strcmp(robot->joints[j].name, name)) return robot->joints + j;
  return NULL;
}

/* The link of that name in the file, or NULL. */
static UrdfLink *link_called(const UrdfRobot *robot, const char *name)
{
  for (int i = 0; i < robot->link_count; i++)
    if (!strcmp(robot->links[i].name, name)) return robot->links + i;
  return NULL;
}

/* ---------------------------------------------------------------- actuators */

/* Marks the joints of the list: names with commas; or "all", which are those that a <transmission> names, in a file
 * without any all that move by themselves. */
static PfStatus add_actuators(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const char *list)
{
  PfStatus status = PF_OK;
  if (!strcmp(list, "all")) {
    for (int i = 0; i < robot->transmission_count; i++) {
      UrdfJoint *joint = pf_urdf_joint(robot, robot->transmissions[i]);
      if (joint && pf_urdf_has_coordinate(joint)) joint->is_actuated = true;
    }
    for (UrdfJoint *j = robot->joints; j < robot->joints + robot->joint_count && !robot->transmission_count; j++)
      j->is_actuated = pf_urdf_has_coordinate(j) && j->mimics < 0;
    return status;
  }
  for (const char *at = list, *name; status == PF_OK && (name = pf_urdf_next_name(ctx, arena, &at, &status));) {
    UrdfJoint *joint = pf_urdf_joint(robot, name);
    if (!joint) {
      status = pf_fail(ctx, PF_ERR_NAME, "there is no joint '%s' to put an actuator on", name);
      pf_urdf_suggest(ctx, &robot->joints->name, sizeof *robot->joints, robot->joint_count, name);
    } else if (!pf_urdf_has_coordinate(joint)) {
      status = pf_fail_at(ctx, PF_ERR_MODEL, joint->place,
                          "the joint '%s' has no coordinate of its own for an actuator", name);
    } else joint->is_actuated = true;
  }
  return status;
}

/* ---------------------------------------------------------------- wheels */

/* The joint about which the link turns, which may be that of a hub to which it is welded, and its axis in the axes of
 * the link. */
static bool find_axle(const UrdfRobot *robot, UrdfLink *link)
{
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* of the link in the hub */
  link->axle = link->joint;
  while (link->axle >= 0 && robot->joints[link->axle].kind == URDF_FIXED) {
    const UrdfJoint *joint = robot->joints + link->axle;
    double weld[9], both[9];
    pf_urdf_rotation(joint->origin.rpy, weld);
    pf_urdf_product(weld, R, both);
    memcpy(R, both, sizeof R);
    link->axle = robot->links[joint->parent].joint;
  }
  if (link->axle < 0 || robot->joints[link->axle].kind != URDF_REVOLUTE) return false;
  const double *a = robot->joints[link->axle].axis;
  for (int i = 0; i < 3; i++) {
    double sum = R[i]*a[0] + R[3 + i]*a[1] + R[6 + i]*a[2];
    bool is_rounding = fabs(sum) < 1e-15*(fabs(a[0]) + fabs(a[1]) + fabs(a[2])); /* of a quarter turn */
    link->axis[i] = is_rounding ? 0 : sum;
  }
  return true;
}

/* Marks one entry "link" or "link:radius" of the list of wheels. */
static PfStatus mark_wheel(PfContext *ctx, UrdfRobot *robot, char *text)
{
  double radius = 0;
  bool given = false;
  UrdfLink *link = link_called(robot, text);
  if (!link) {
    given = pf_urdf_split_number(text, &radius);
    link = link_called(robot, text);
  }
  if (!link) {
    pf_fail(ctx, PF_ERR_NAME, "there is no link '%s' that could be a wheel", text);
    pf_urdf_suggest(ctx, &robot->links->name, sizeof *robot->links, robot->link_count, text);
    return PF_ERR_NAME;
  }
  if (!find_axle(robot, link))
    return pf_fail_at(ctx, PF_ERR_MODEL, link->place, "the link '%s' does not turn about an axle, so it is no wheel",
                      link->name);
  if (given && !(radius > 0 && isfinite(radius)))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "the radius of the wheel '%s' must be positive, not %g", link->name, radius);
  if (given) link->radius = radius;
  if (!(link->radius > 0) || !isfinite(link->radius)) {
    pf_fail_at(ctx, PF_ERR_MODEL, link->place, "the radius of the wheel '%s' is not known", link->name);
    pf_hint(ctx, "say it: @wheel{%s:0.1}, in metres; it is taken from a cylinder or sphere of the link", link->name);
    return PF_ERR_MODEL;
  }
  link->is_wheel = true;
  robot->joints[link->axle].moves_no_mass = false; /* the ground holds it */
  return PF_OK;
}

/* How high above the ground the centre of the wheel is when the root is at z = 0, all joints being at zero, and the
 * part of its radius that reaches down from there: the axle may lean. */
static void find_height(const UrdfRobot *robot, const UrdfLink *wheel, double *center, double *reach)
{
  double p[3], a[3];
  memcpy(p, wheel->shape.at, sizeof p);
  memcpy(a, wheel->axis, sizeof a);
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
  *center = p[2];
  *reach = sqrt(fmax(0, 1 - s*s));
}

/* A base that stays level can be at one height only, that of the first wheel. Files have rounded numbers: a wheel that
 * touches the ground but for a thousandth of its radius gets the radius with which it touches. */
static PfStatus settle(PfContext *ctx, const UrdfRobot *robot, const UrdfLink *first, UrdfLink *wheel)
{
  static const double rounded = 1e-3, noted = 1e-9; /* parts of the radius */
  double center, reach;
  find_height(robot, wheel, &center, &reach);
  double gap = robot->lift + center - wheel->radius*reach;
  if (fabs(gap) <= rounded*wheel->radius*reach) {
    double radius = wheel->radius + gap/reach;
    if (fabs(gap) > noted*wheel->radius*reach)
      pf_warn_at(ctx, wheel->place, "the wheel '%s' has the radius %.9g instead of %.9g: so it touches the ground "
                 "together with '%s'", wheel->name, radius, wheel->radius, first->name);
    wheel->radius = radius;
    return PF_OK;
  }
  pf_fail_at(ctx, PF_ERR_MODEL, wheel->place, "the wheels '%s' and '%s' touch the ground at heights of the base that "
             "differ by %g", first->name, wheel->name, fabs(gap));
  pf_hint(ctx, "give other radii, or @base{free}: then it may lean");
  return PF_ERR_MODEL;
}

/* Wheels lift the robot so that the first one stands on the ground. */
PfStatus pf_urdf_equip(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const PfUrdf *options)
{
  PfStatus status = PF_OK;
  robot->base = options->base;
  if (options->actuators) PF_TRY(add_actuators(ctx, arena, robot, options->actuators));
  if (options->wheel_count && robot->base == PF_BASE_FIXED) {
    pf_fail(ctx, PF_ERR_ARGUMENT, "wheels cannot roll when the root of the robot is fixed to the ground");
    pf_hint(ctx, "@base{planar}: it moves in a plane; @base{free}: it may pitch and fall");
    return PF_ERR_ARGUMENT;
  }
  for (int i = 0; i < options->wheel_count && status == PF_OK; i++) {
    const char *at = options->wheels[i];
    for (char *name; status == PF_OK && (name = pf_urdf_next_name(ctx, arena, &at, &status));)
      status = mark_wheel(ctx, robot, name);
  }
  if (status != PF_OK) return status;
  const UrdfLink *first = NULL;
  for (int i = 0; i < robot->link_count; i++) {
    UrdfLink *link = robot->links + i;
    if (!link->is_wheel) continue;
    if (first && robot->base == PF_BASE_PLANAR) PF_TRY(settle(ctx, robot, first, link));
    if (first) continue;
    double center, reach;
    find_height(robot, link, &center, &reach);
    first = link;
    robot->lift = link->radius*reach - center;
  }
  return PF_OK;
}
