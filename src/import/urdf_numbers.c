/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a robot: rotations, planes, inertias, and warnings of doubtful ones. */
#include "import/urdf.h"

#include <math.h>
#include <string.h>

void pf_urdf_rotation(const double rpy[3], double R[9])
{
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]), sy = sin(rpy[2]);
  double all[9] = {cy*cp, cy*sp*sr - sy*cr, cy*sp*cr + sy*sr,
                   sy*cp, sy*sp*sr + cy*cr, sy*sp*cr - cy*sr,
                   -sp, cp*sr, cp*cr};
  memcpy(R, all, sizeof all);
}

void pf_urdf_plane(const double axis[3], double u[3], double v[3])
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) < fabs(axis[least])) least = i;
  double e[3] = {0};
  e[least] = 1;
  for (int i = 0; i < 3; i++) v[i] = axis[(i + 1)%3]*e[(i + 2)%3] - axis[(i + 2)%3]*e[(i + 1)%3];
  for (int i = 0; i < 3; i++) u[i] = v[(i + 1)%3]*axis[(i + 2)%3] - v[(i + 2)%3]*axis[(i + 1)%3];
}

void pf_urdf_product(const double A[9], const double B[9], double C[9])
{
  for (int i = 0; i < 9; i++) {
    C[i] = 0;
    for (int k = 0; k < 3; k++) C[i] += A[3*(i/3) + k]*B[3*k + i%3];
  }
}

void pf_urdf_inertia(const UrdfLink *link, double out[6])
{
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *I = link->inertia;
  memcpy(out, I, 6*sizeof *out);
  const double *rpy = link->center.rpy;
  if (rpy[0] == 0 && rpy[1] == 0 && rpy[2] == 0) return;
  double R[9], full[3][3] = {{I[0], I[3], I[5]}, {I[3], I[1], I[4]}, {I[5], I[4], I[2]}};
  pf_urdf_rotation(rpy, R);
  for (int e = 0; e < 6; e++) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) sum += R[3*row[e] + i]*full[i][j]*R[3*column[e] + j];
    out[e] = fabs(sum) < 1e-15*(fabs(I[0]) + fabs(I[1]) + fabs(I[2])) ? 0 : sum; /* rounding of a quarter turn */
  }
}

void pf_urdf_inertia_matrix(const UrdfLink *link, double full[9])
{
  static const int entry[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  double I[6];
  pf_urdf_inertia(link, I);
  for (int i = 0; i < 9; i++) full[i] = I[entry[i]];
}

bool pf_urdf_has_coordinate(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE || joint->kind == URDF_PRISMATIC;
}

bool pf_urdf_has_friction(const UrdfJoint *joint)
{
  return joint->friction > 0 && pf_urdf_has_coordinate(joint);
}

void pf_urdf_warn_friction(PfContext *ctx, const UrdfRobot *robot, bool none)
{
  for (int j = 0; j < robot->joint_count; j++) {
    const UrdfJoint *joint = robot->joints + j;
    bool has_friction = pf_urdf_has_friction(joint);
    if (joint->kind == URDF_FIXED || joint->friction == 0 || (has_friction && !none)) continue;
    pf_warn_at(ctx, joint->place, "the dry friction of the joint '%s' is left out", joint->name);
    pf_hint(ctx, "%s", has_friction ? "a tree of bodies has none" : joint->friction < 0 ? "it is negative"
                                                                  : "the joint has more than one coordinate");
  }
}

void pf_urdf_warn(PfContext *ctx, const UrdfRobot *robot)
{
  for (const UrdfLink *link = robot->links; link < robot->links + robot->link_count; link++) {
    /* No distribution of mass has a moment larger than the sum of the two others. */
    const double *I = link->inertia;
    int i = 0;
    while (i < 3 && !(I[i] < 0 || I[i] > (I[(i + 1)%3] + I[(i + 2)%3])*(1 + 1e-9))) i++;
    if (i == 3) continue;
    pf_warn_at(ctx, link->place, "no body has the moments of inertia of the link '%s': %g, %g, %g", link->name, I[0],
               I[1], I[2]);
    pf_hint(ctx, "each must not be larger than the sum of the others");
  }
  /* One warning with the names of all joints that move no mass: one alone makes the mass matrix singular. */
  const UrdfJoint *first = NULL;
  int count = 0;
  PfText names;
  pf_text_init(&names, pf_context_allocator(ctx));
  for (int j = 0; j < robot->joint_count; j++) {
    const UrdfJoint *joint = robot->joints + j;
    if (!joint->moves_no_mass) continue;
    if (!first) first = joint;
    pf_text_print(&names, "%s'%s'", count++ ? ", " : "", joint->name);
  }
  if (count && !names.failed) {
    pf_warn_at(ctx, first->place, "%d joint%s no mass, so nothing determines %s acceleration%s: %s", count,
               count > 1 ? "s move" : " moves", count > 1 ? "their" : "its", count > 1 ? "s" : "",
               pf_text_get(&names));
    pf_hint(ctx, "@weld{massless} makes welds of them; else give their links inertia");
  }
  pf_text_free(&names);
  if (robot->mesh_count)
    pf_warn_at(ctx, robot->first_mesh, "%d mesh%s of <visual> %s left out: pictures show the inertia of the links",
               robot->mesh_count, robot->mesh_count > 1 ? "es" : "", robot->mesh_count > 1 ? "are" : "is");
  pf_urdf_warn_starts(ctx, robot);
}
