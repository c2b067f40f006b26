/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 128 bits. */
#ifndef PF_BASE_WIDE_H
#define PF_BASE_WIDE_H

#include <stdint.h>

/* The upper 64 bits of a*b; the lower ones go to *low. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 PfWide;

/* The 128-bit product a*b: returns its high half, *low gets the other. */
static inline uint64_t pf_multiply_wide(uint64_t a, uint64_t b, uint64_t *low)
{
  PfWide product = (PfWide)a*b;
  *low = (uint64_t)product;
  return (uint64_t)(product >> 64);
}
#else
static inline uint64_t pf_multiply_wide(uint64_t a, uint64_t b, uint64_t *low)
{
  uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  uint64_t bottom = a0*b0, left = a1*b0 + (bottom >> 32), right = a0*b1 + (left & 0xFFFFFFFFu);
  *low = (right << 32) | (bottom & 0xFFFFFFFFu);
  return a1*b1 + (left >> 32) + (right >> 32);
}
#endif

#endif
