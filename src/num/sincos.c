/* SPDX-License-Identifier: Apache-2.0 */
#include "num/sincos.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define PF_CODE(...) __VA_ARGS__
#if defined __GNUC__ && !defined __wasm__

/* In a vector, though only one number is wanted: there are its bits and its value in the same register. */
typedef double Pair __attribute__((vector_size(16)));
typedef uint64_t Bits __attribute__((vector_size(16)));
#define REAL Pair
#define BITS Bits
#define AS_BITS (Bits)
#define AS_REAL (Pair)
#define SINCOS sincos_of_pair
#include "num/sincos.def"

static inline void sincos_of_one(double angle, double *sine, double *cosine)
{
  Pair s, c;
  const Pair both = {angle, angle};
  sincos_of_pair(&both, &s, &c);
  *sine = s[0];
  *cosine = c[0];
}

#else

static inline uint64_t as_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double as_real(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define REAL double
#define BITS uint64_t
#define AS_BITS as_bits
#define AS_REAL as_real
#define SINCOS sincos_within
#include "num/sincos.def"

static inline void sincos_of_one(double angle, double *sine, double *cosine)
{
  sincos_within(&angle, sine, cosine);
}

#endif

void pf_sincos(double angle, double *sine, double *cosine)
{
  if (fabs(angle) <= PF_LARGEST_ANGLE) {
    sincos_of_one(angle, sine, cosine);
    return;
  }
  *sine = sin(angle);
  *cosine = cos(angle);
}

double pf_sin(double angle)
{
  double sine, cosine;
  pf_sincos(angle, &sine, &cosine);
  return sine;
}

double pf_cos(double angle)
{
  double sine, cosine;
  pf_sincos(angle, &sine, &cosine);
  return cosine;
}
