/* SPDX-License-Identifier: Apache-2.0 */
/* Products and inverses of poses (position and rotation matrix), and 3-vectors. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

#include "num/rotation.h"

PfPose pf_pose_identity(void)
{
  return (PfPose){{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

PfPose pf_pose_make(const double p[3], const double R[9])
{
  PfPose pose;
  memcpy(pose.p, p, sizeof pose.p);
  memcpy(pose.R, R, sizeof pose.R);
  return pose;
}

void pf_pose_direction(const PfPose *pose, const double local[3], double world[3])
{
  pf_rotation_times(pose->R, local, world);
}

void pf_pose_point(const PfPose *pose, const double local[3], double world[3])
{
  pf_rotation_times(pose->R, local, world);
  for (int i = 0; i < 3; i++) world[i] += pose->p[i];
}

void pf_pose_local_direction(const PfPose *pose, const double world[3], double local[3])
{
  for (int i = 0; i < 3; i++) local[i] = pose->R[i]*world[0] + pose->R[3 + i]*world[1] + pose->R[6 + i]*world[2];
}

void pf_pose_local(const PfPose *pose, const double world[3], double local[3])
{
  double from[3];
  for (int i = 0; i < 3; i++) from[i] = world[i] - pose->p[i];
  pf_pose_local_direction(pose, from, local);
}

PfPose pf_pose_times(const PfPose *a, const PfPose *b)
{
  PfPose out;
  pf_pose_point(a, b->p, out.p);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out.R[3*i + j] = 0;
      for (int k = 0; k < 3; k++) out.R[3*i + j] += a->R[3*i + k]*b->R[3*k + j];
    }
  return out;
}

double pf_dot3(const double a[3], const double b[3])
{
  return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

void pf_cross3(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1]*b[2] - a[2]*b[1], out[1] = a[2]*b[0] - a[0]*b[2], out[2] = a[0]*b[1] - a[1]*b[0];
}

double pf_length3(const double a[3])
{
  return sqrt(pf_dot3(a, a));
}

double pf_distance3(const double a[3], const double b[3])
{
  return pf_length3((const double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/* The columns of R are x, y and z = the direction: x is the axis of the world that is farthest from z, made normal to
 * it, and y = z x x. */
void pf_turn_to(const double direction[3], double R[9])
{
  double length = pf_length3(direction), z[3] = {0, 0, 1}, x[3] = {0}, y[3];
  for (int i = 0; i < 3 && length > 0; i++) z[i] = direction[i]/length;
  int far = fabs(z[0]) <= fabs(z[1]) && fabs(z[0]) <= fabs(z[2]) ? 0 : fabs(z[1]) <= fabs(z[2]) ? 1 : 2;
  for (int i = 0; i < 3; i++) x[i] = (i == far) - z[far]*z[i];
  length = pf_length3(x);
  for (int i = 0; i < 3; i++) x[i] /= length;
  pf_cross3(z, x, y);
  for (int i = 0; i < 3; i++) R[3*i] = x[i], R[3*i + 1] = y[i], R[3*i + 2] = z[i];
}
