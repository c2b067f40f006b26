/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
#include "pf_sincos.h"

#include <stdint.h>
#include <string.h>

#ifndef PF_SINGLE

#define PF_CODE(...) __VA_ARGS__
#if defined __GNUC__ && !defined __wasm__

/* In a vector, though only one number is wanted: there are its bits and its value in the same register. */
typedef double PfPair __attribute__((vector_size(16)));
typedef uint64_t PfPairBits __attribute__((vector_size(16)));
#define REAL PfPair
#define BITS PfPairBits
#define AS_BITS (PfPairBits)
#define AS_REAL (PfPair)
#define SINCOS pf_sincos_of_pair
#include "pf_sincos.def"

static inline void pf_sincos_of_one(double angle, double *sine, double *cosine)
{
  PfPair s, c;
  const PfPair both = {angle, angle};
  pf_sincos_of_pair(&both, &s, &c);
  *sine = s[0];
  *cosine = c[0];
}

#else

static inline uint64_t pf_bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double pf_real_of(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define REAL double
#define BITS uint64_t
#define AS_BITS pf_bits_of
#define AS_REAL pf_real_of
#define SINCOS pf_sincos_within
#include "pf_sincos.def"

static inline void pf_sincos_of_one(double angle, double *sine, double *cosine)
{
  pf_sincos_within(&angle, sine, cosine);
}

#endif
#undef REAL
#undef BITS
#undef AS_BITS
#undef AS_REAL
#undef SINCOS

PF_RUNTIME void pf_sincos(double angle, double *sine, double *cosine)
{
  if (fabs(angle) <= PF_LARGEST_ANGLE) {
    pf_sincos_of_one(angle, sine, cosine);
    return;
  }
  *sine = sin(angle);
  *cosine = cos(angle);
}

PF_RUNTIME double pf_sin(double angle)
{
  double sine, cosine;
  pf_sincos(angle, &sine, &cosine);
  return sine;
}

PF_RUNTIME double pf_cos(double angle)
{
  double sine, cosine;
  pf_sincos(angle, &sine, &cosine);
  return cosine;
}

#endif
