/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines of many angles at once, without a branch, so that compilers make vector code of it: calls of the
 * C library, one by one, would be a quarter of the time of the recursion. The angle is reduced by the multiple of
 * pi/2 nearest to it, in two parts of pi/2, and the coefficients are those of the kernels of fdlibm (Sun
 * Microsystems, 1993). Errors are below one unit in the last place, those of values under 1e-4 below one such unit
 * of 1e-4. */
#ifndef PF_SRC_TREE_TURNS_H
#define PF_SRC_TREE_TURNS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TURNS = 8 }; /* angles in a block */

/* Larger angles, and what is not a number, are left to the C library. */
static const double MOST_ANGLE = 1e5;

static inline void turn_small(double angle, double *cosine, double *sine)
{
  const double ROUND = 6755399441055744.0; /* 1.5*2^52: the sum has the integer in its last bits */
  const double shifted = angle*0.63661977236758134308 + ROUND, n = shifted - ROUND;
  uint64_t quadrant;
  memcpy(&quadrant, &shifted, sizeof quadrant);
  const double r = (angle - n*1.57079632673412561417e+00) - n*6.07710050650619224932e-11, z = r*r;
  const double s = r + r*z*(-1.66666666666666324348e-01 + z*(8.33333333332248946124e-03 +
                                                             z*(-1.98412698298579493134e-04 +
                   z*(2.75573137070700676789e-06 + z*(-2.50507602534068634195e-08 + z*1.58969099521155010221e-10)))));
  const double tail = z*z*(4.16666666666666019037e-02 + z*(-1.38888888888741095749e-03 + z*(2.48015872894767294178e-05 +
                      z*(-2.75573143513906633035e-07 + z*(2.08757232129817482790e-09 -
                                                          z*1.13596475577881948265e-11)))));
  const double half = 0.5*z, top = 1 - half, c = top + (((1 - top) - half) + tail);
  const double x = quadrant & 1 ? s : c, y = quadrant & 1 ? c : s;
  *cosine = (quadrant + 1) & 2 ? -x : x;
  *sine = quadrant & 2 ? -y : y;
}

/* The first `count` of them are wanted. */
static inline void turn_block(const double angle[TURNS], int count, double cosine[TURNS], double sine[TURNS])
{
  int large = 0;
  for (int i = 0; i < TURNS; i++) large |= !(fabs(angle[i]) <= MOST_ANGLE);
  if (large) {
    for (int i = 0; i < count; i++) cosine[i] = cos(angle[i]), sine[i] = sin(angle[i]);
  } else if (count <= TURNS/4) { /* setting up vectors would take longer */
    turn_small(angle[0], &cosine[0], &sine[0]);
    turn_small(angle[1], &cosine[1], &sine[1]);
  } else {
    for (int i = 0; i < TURNS; i++) turn_small(angle[i], &cosine[i], &sine[i]);
  }
}

#endif
