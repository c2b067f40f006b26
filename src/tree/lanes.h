/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of LANES nodes side by side, for what is done to every node whatever its neighbours do: vectors where the
 * compiler has them, else single numbers. Nothing is ever added up across lanes, so that the results do not depend on
 * how many there are. */
#ifndef PF_SRC_TREE_LANES_H
#define PF_SRC_TREE_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined PF_LANES /* tests compare the widths */
#elif defined __AVX__
#define PF_LANES 4
#elif defined __GNUC__
#define PF_LANES 2
#else
#define PF_LANES 1
#endif
enum { LANES = PF_LANES };

/* Arrays from an arena have the alignment of max_align_t. PF_LANE is one lane: vectors are put together in registers,
 * because reading as a whole what was just stored number by number would wait until it has reached the cache. */
#if PF_LANES > 1
typedef double Lanes __attribute__((vector_size(8*LANES), may_alias, aligned(_Alignof(max_align_t))));
typedef uint64_t LaneBits __attribute__((vector_size(8*LANES), aligned(_Alignof(max_align_t))));
#define PF_LANE(x, i) ((x)[i])
#else
typedef double Lanes;
typedef uint64_t LaneBits;
#define PF_LANE(x, i) (x)
#endif

/* The bits of the numbers, and back. */
static inline LaneBits lane_bits(Lanes x)
{
  LaneBits bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline Lanes lanes_of(LaneBits bits)
{
  Lanes x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* a where the mask has ones, b where it has zeros, and the sign turned over by the highest bit of `sign`. */
static inline Lanes choose(LaneBits mask, Lanes a, Lanes b, LaneBits sign)
{
  return lanes_of(((lane_bits(a) & mask) | (lane_bits(b) & ~mask)) ^ sign);
}

/* The group of node k. */
static inline size_t lane_group(int k)
{
  return (size_t)k/LANES;
}

/* The first number of node k in a group; its numbers stand LANES apart. */
static inline double *of_lane(Lanes *group, int k)
{
  return (double *)group + (size_t)k%LANES;
}

/* How many groups of LANES hold `count` nodes. */
static inline size_t lane_groups(size_t count)
{
  return (count + LANES - 1)/LANES;
}

#endif
