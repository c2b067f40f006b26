/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines of several angles at once: calls, one by one, would be a quarter of the time of the recursion. */
#ifndef PF_SRC_TREE_TURNS_H
#define PF_SRC_TREE_TURNS_H

#include "runtime/pf_sincos.h"
#include "tree/lanes.h"

#include <math.h>

#define PF_CODE(...) __VA_ARGS__
#define REAL Lanes
#define BITS LaneBits
#define AS_BITS lane_bits
#define AS_REAL lanes_of
#define SINCOS sincos_of_lanes
#include "runtime/pf_sincos.def"
#undef REAL
#undef BITS
#undef AS_BITS
#undef AS_REAL
#undef SINCOS

/* Cosines and sines of LANES angles; those of angles that are too large for the polynomials by the C library. */
static inline void turn_lanes(Lanes angle, Lanes *cosine, Lanes *sine)
{
  double size = 0;
  sincos_of_lanes(&angle, sine, cosine);
  for (int i = 0; i < LANES; i++) size += fabs(PF_LANE(angle, i));
  if (size <= PF_LARGEST_ANGLE) return;
  for (int i = 0; i < LANES; i++) {
    const double x = PF_LANE(angle, i);
    if (!(fabs(x) <= PF_LARGEST_ANGLE)) PF_LANE(*cosine, i) = cos(x), PF_LANE(*sine, i) = sin(x);
  }
}

#endif
