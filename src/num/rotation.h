/* SPDX-License-Identifier: Apache-2.0 */
/* Rotation matrices (3 x 3, by rows) and quaternions (scalar first). */
#ifndef PF_SRC_ROTATION_H
#define PF_SRC_ROTATION_H

/* About a unit vector. */
void pf_rotation_about(const double axis[3], double angle, double R[9]);
/* R v; out is not v. */
static inline void pf_rotation_times(const double R[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = R[3*i]*v[0] + R[3*i + 1]*v[1] + R[3*i + 2]*v[2];
}
void pf_rotation_quat(const double R[9], double quat[4]);

/* Of any length but zero. In line: the recursion turns every ball joint by it. */
static inline void pf_quat_rotation(const double quat[4], double R[9])
{
  const double w = quat[0], x = quat[1], y = quat[2], z = quat[3], k = 2/(w*w + x*x + y*y + z*z);
  R[0] = 1 - k*(y*y + z*z), R[1] = k*(x*y - w*z), R[2] = k*(x*z + w*y);
  R[3] = k*(x*y + w*z), R[4] = 1 - k*(x*x + z*z), R[5] = k*(y*z - w*x);
  R[6] = k*(x*z - w*y), R[7] = k*(y*z + w*x), R[8] = 1 - k*(x*x + y*y);
}

#endif
