/* SPDX-License-Identifier: Apache-2.0 */
/* Rotation matrices (3 x 3, by rows) and quaternions (scalar first). */
#include "num/rotation.h"

#include <math.h>

void pf_rotation_about(const double axis[3], double angle, double R[9])
{
  const double c = cos(angle), s = sin(angle), half = sin(angle/2), t = 2*half*half; /* 1 - c without cancellation */
  const double x = axis[0], y = axis[1], z = axis[2];
  R[0] = c + t*x*x, R[1] = t*x*y - s*z, R[2] = t*x*z + s*y;
  R[3] = t*x*y + s*z, R[4] = c + t*y*y, R[5] = t*y*z - s*x;
  R[6] = t*x*z - s*y, R[7] = t*y*z + s*x, R[8] = c + t*z*z;
}

/* The largest of the four components first: Shepperd's method. */
void pf_rotation_quat(const double R[9], double quat[4])
{
  const double trace = R[0] + R[4] + R[8];
  const double squares[] = {1 + trace, 1 + 2*R[0] - trace, 1 + 2*R[4] - trace, 1 + 2*R[8] - trace};
  const double pairs[4][4] = {{0, R[7] - R[5], R[2] - R[6], R[3] - R[1]},
                              {R[7] - R[5], 0, R[1] + R[3], R[2] + R[6]},
                              {R[2] - R[6], R[1] + R[3], 0, R[5] + R[7]},
                              {R[3] - R[1], R[2] + R[6], R[5] + R[7], 0}};
  int best = 0;
  for (int i = 1; i < 4; i++)
    if (squares[i] > squares[best]) best = i;
  const double root = sqrt(squares[best]);
  for (int i = 0; i < 4; i++) quat[i] = 0.5*(i == best ? root : pairs[best][i]/root);
}
