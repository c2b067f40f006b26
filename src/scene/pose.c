/* SPDX-License-Identifier: Apache-2.0 */
/* Positions and rotations in numbers. */
#include "scene/scene_impl.h"

#include <math.h>

#include "num/rotation.h"

PfPose pf_pose_identity(void)
{
  return (PfPose){{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
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

double pf_length3(const double a[3])
{
  return sqrt(pf_dot3(a, a));
}

double pf_distance3(const double a[3], const double b[3])
{
  return pf_length3((const double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/* The other two axes: one is as far from the direction as an axis of the world can be. */
void pf_turn_to(const double direction[3], double R[9])
{
  double length = pf_length3(direction), z[3] = {0, 0, 1}, x[3] = {0}, y[3];
  for (int i = 0; i < 3 && length > 0; i++) z[i] = direction[i]/length;
  int far = fabs(z[0]) <= fabs(z[1]) && fabs(z[0]) <= fabs(z[2]) ? 0 : fabs(z[1]) <= fabs(z[2]) ? 1 : 2;
  for (int i = 0; i < 3; i++) x[i] = (i == far) - z[far]*z[i];
  length = pf_length3(x);
  for (int i = 0; i < 3; i++) x[i] /= length;
  y[0] = z[1]*x[2] - z[2]*x[1], y[1] = z[2]*x[0] - z[0]*x[2], y[2] = z[0]*x[1] - z[1]*x[0];
  for (int i = 0; i < 3; i++) R[3*i] = x[i], R[3*i + 1] = y[i], R[3*i + 2] = z[i];
}
