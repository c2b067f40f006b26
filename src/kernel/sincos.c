/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/sincos.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
#define PF_CODE(...) __VA_ARGS__
#include "kernel/sincos.def"

void pf_sincos(double angle, double *sine, double *cosine)
{
  if (fabs(angle) <= PF_LARGEST_ANGLE) {
    sincos_within(angle, sine, cosine);
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
