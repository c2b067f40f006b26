/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines of several angles at once, without a branch: calls of the C library, one by one, would be a quarter
 * of the time of the recursion. The angle is reduced by the multiple of pi/2 nearest to it, in two parts of pi/2, and
 * the coefficients are those of the kernels of fdlibm (Sun Microsystems, 1993). Errors are below one unit in the last
 * place, those of values under 1e-4 below one such unit of 1e-4. */
#ifndef PF_SRC_TREE_TURNS_H
#define PF_SRC_TREE_TURNS_H

#include "tree/lanes.h"

#include <math.h>

/* Larger angles, and what is not a number, are left to the C library. */
static const double MOST_ANGLE = 1e5;

/* a where the mask has ones, b where it has zeros, and the sign turned over by the highest bit of `sign`. */
static inline Lanes choose(LaneBits mask, Lanes a, Lanes b, LaneBits sign)
{
  return lanes_of(((lane_bits(a) & mask) | (lane_bits(b) & ~mask)) ^ sign);
}

static inline void turn_small(Lanes angle, Lanes *cosine, Lanes *sine)
{
  const double ROUND = 6755399441055744.0; /* 1.5*2^52: the sum has the integer in its last bits */
  const Lanes shifted = angle*0.63661977236758134308 + ROUND, n = shifted - ROUND;
  const LaneBits quadrant = lane_bits(shifted), odd = -(quadrant & 1);
  const Lanes r = (angle - n*1.57079632673412561417e+00) - n*6.07710050650619224932e-11, z = r*r;
  const Lanes s = r + r*z*(-1.66666666666666324348e-01 + z*(8.33333333332248946124e-03 +
                                                            z*(-1.98412698298579493134e-04 +
                  z*(2.75573137070700676789e-06 + z*(-2.50507602534068634195e-08 + z*1.58969099521155010221e-10)))));
  const Lanes tail = z*z*(4.16666666666666019037e-02 + z*(-1.38888888888741095749e-03 + z*(2.48015872894767294178e-05 +
                     z*(-2.75573143513906633035e-07 + z*(2.08757232129817482790e-09 -
                                                         z*1.13596475577881948265e-11)))));
  const Lanes half = 0.5*z, top = 1 - half, c = top + (((1 - top) - half) + tail);
  *cosine = choose(odd, s, c, ((quadrant + 1) & 2) << 62);
  *sine = choose(odd, c, s, (quadrant & 2) << 62);
}

static inline void turn_lanes(Lanes angle, Lanes *cosine, Lanes *sine)
{
  double size = 0;
  turn_small(angle, cosine, sine);
  for (int i = 0; i < LANES; i++) size += fabs(PF_LANE(angle, i));
  if (size <= MOST_ANGLE) return;
  for (int i = 0; i < LANES; i++) {
    const double x = PF_LANE(angle, i);
    if (!(fabs(x) <= MOST_ANGLE)) PF_LANE(*cosine, i) = cos(x), PF_LANE(*sine, i) = sin(x);
  }
}

#endif
