/* SPDX-License-Identifier: Apache-2.0 */
/* Where joints that follow others start: the joint that leads is given a value for which all keep their limits, nearest
 * to 0, and the others are where the constraints put them. */
#include "import/urdf.h"

#include <math.h>

/* q = factor*leader + offset, over any number of joints between; leader -1: it stays where it is. */
typedef struct Following {
  int leader;
  double factor, offset;
} Following;

/* Which joint the joint j follows in the end, and how. */
static Following following(const UrdfRobot *robot, int j)
{
  Following f = {j, 1, 0};
  while (robot->joints[f.leader].kind != URDF_FIXED && robot->joints[f.leader].mimics >= 0) {
    const UrdfJoint *joint = robot->joints + f.leader;
    f.offset += f.factor*joint->offset;
    f.factor *= joint->multiplier;
    f.leader = joint->mimics;
  }
  if (robot->joints[f.leader].kind == URDF_FIXED) f.factor = 0, f.leader = -1;
  return f;
}

int pf_urdf_leader(const UrdfRobot *robot, int j)
{
  while (robot->joints[j].kind != URDF_FIXED && robot->joints[j].mimics >= 0) j = robot->joints[j].mimics;
  return j;
}

/* The value of the leader nearest to 0 for which all joints that follow it keep their limits. */
bool pf_urdf_start(const UrdfRobot *robot, int leader, double *start)
{
  double least = -INFINITY, most = INFINITY;
  bool moved = false;
  *start = 0;
  if (!robot->joints[leader].is_followed) return false;
  for (int j = 0; j < robot->joint_count; j++) {
    const Following f = following(robot, j);
    const UrdfJoint *joint = robot->joints + j;
    if (f.leader != leader || !joint->has_limits || f.factor == 0) continue;
    const double a = (joint->lower - f.offset)/f.factor, b = (joint->upper - f.offset)/f.factor;
    least = fmax(least, fmin(a, b));
    most = fmin(most, fmax(a, b));
  }
  *start = least > most ? 0 : fmin(fmax(0, least), most);
  for (int j = 0; j < robot->joint_count; j++) {
    Following f = following(robot, j);
    moved = moved || (f.leader == leader && f.factor**start + f.offset != 0);
  }
  return moved;
}

double pf_urdf_position(const UrdfRobot *robot, int j)
{
  Following f = following(robot, j);
  double start = 0;
  if (f.leader >= 0) (void)pf_urdf_start(robot, f.leader, &start);
  return f.factor*start + f.offset;
}

void pf_urdf_warn_starts(PfContext *ctx, const UrdfRobot *robot)
{
  for (int j = 0; j < robot->joint_count; j++) {
    const UrdfJoint *joint = robot->joints + j;
    if (joint->mimics < 0 || joint->kind == URDF_FIXED) continue;
    const double q = pf_urdf_position(robot, j), near = 1e-9*fmax(1, fabs(q));
    if (!joint->has_limits || (q >= joint->lower - near && q <= joint->upper + near)) continue;
    pf_warn_at(ctx, joint->place, "the joint '%s' follows '%s' and starts at %.6g, outside of its limits", joint->name,
               joint->mimic_name, q);
    pf_hint(ctx, "no position keeps the limits of all joints that move together");
  }
}
