/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's sequence in base 2 by its direction numbers; Bratley and Fox, Algorithm 659, ACM TOMS 14 (1988). */
#include "sweep/random.h"

#include <string.h>

typedef struct Direction {
  int degree, coefficients; /* of the primitive polynomial, without its first and last */
  uint32_t m[8];
} Direction;

static const Direction directions[] = {
#include "sweep/sobol.def"
};

_Static_assert(sizeof directions/sizeof *directions == PF_SOBOL_DIMENSIONS - 1, "one for each but the first");

enum { BITS = 32 };

/* In the usual order of Gray's code. The shift keeps its evenness and takes the origin away. */
double pf_sobol(uint64_t seed, uint32_t dimension, uint64_t index)
{
  uint32_t v[BITS], x = 0;
  const uint64_t gray = index ^ index >> 1;
  /* v_k = m_k 2^(32-k); later m follow from the recurrence of the polynomial. */
  for (int k = 0; !dimension && k < BITS; k++) v[k] = UINT32_C(1) << (BITS - 1 - k);
  if (dimension) {
    const Direction *d = directions + dimension - 1;
    const int s = d->degree; /* 1 to 8 */
    memset(v, 0, BITS*sizeof *v);
    for (int k = 0; k < s; k++) v[k] = d->m[k] << (BITS - 1 - k);
    for (int k = s; k < BITS; k++) {
      v[k] = v[k - s] ^ (v[k - s] >> s);
      for (int i = 1; i < s; i++)
        if (d->coefficients >> (s - 1 - i) & 1) v[k] ^= v[k - i];
    }
  }
  for (int k = 0; k < BITS; k++)
    if (gray >> k & 1) x ^= v[k];
  const uint32_t shift = seed ? (uint32_t)pf_random_bits(seed, PF_STREAM_SHIFT, dimension, 0) : 0;
  return ((double)(x ^ shift) + 0.5)*0x1p-32;
}
