/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Vectors: dot product, safe length, scale, whether all numbers are finite. */
#include "pf_dense.h"

#ifndef PF_SINGLE
#include <stdint.h>
#include <string.h>
#endif

PF_RUNTIME pf_real pf_dot(const pf_real *x, const pf_real *y, int n)
{
  pf_real sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]*y[i];
  return sum;
}

PF_RUNTIME pf_real pf_remove_part(pf_real *x, const pf_real *direction, int n)
{
  pf_real part = pf_dot(x, direction, n);
  for (int i = 0; i < n; i++) x[i] -= part*direction[i];
  return part;
}

PF_RUNTIME pf_real pf_largest(const pf_real *x, int n)
{
  pf_real most = 0;
  for (int i = 0; i < n; i++) most = pf_fmax(most, pf_fabs(x[i]));
  return most;
}

#ifndef PF_SINGLE
/* Added to the exponent of a number, the sign bit says that it is not finite; without a branch for each. */
static bool pf_are_finite(const pf_real *x, size_t count)
{
  const uint64_t one = (uint64_t)1 << 52, exponent = (uint64_t)0x7FF << 52;
  uint64_t marks = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    marks |= (bits & exponent) + one;
  }
  return !(marks >> 63);
}

/* The exponent of a finite number that is not zero and not denormal, as a power of two. */
static pf_real pf_power_of_two(pf_real x)
{
  union { double number; uint64_t bits; } scale = {x};
  scale.bits &= UINT64_C(0x7ff0000000000000); /* the exponent alone */
  return scale.number;
}

#else
static bool pf_are_finite(const float *x, size_t count)
{
  bool finite = true;
  for (size_t i = 0; i < count; i++) finite = finite && isfinite(x[i]);
  return finite;
}

static float pf_power_of_two(float x)
{
  int exponent;
  (void)frexpf(x, &exponent);
  return ldexpf(0.5f, exponent);
}
#endif

PF_RUNTIME int pf_first_not_finite(const pf_real *x, size_t count)
{
  if (pf_are_finite(x, count)) return -1;
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return (int)i;
  return -1;
}

PF_RUNTIME pf_real pf_binary_scale(const pf_real *x, size_t count)
{
  pf_real largest = 0;
  for (size_t i = 0; i < count; i++) {
    pf_real size = pf_fabs(x[i]);
    largest = size > largest ? size : largest;
  }
  if (!(largest > 0) || !isfinite(largest)) return 1;
  if (largest < PF_SMALLEST) return 2*PF_SMALLEST; /* neither it nor 1/it may overflow */
  return pf_power_of_two(largest);
}

PF_RUNTIME pf_real pf_norm(const pf_real *x, int n)
{
  pf_real plain = pf_sqrt(pf_dot(x, x, n));
  if (plain > PF_NUMBER(1e-140, 1e-15f) && plain < PF_NUMBER(1e140, 1e15f)) return plain; /* no square was lost */

  pf_real scale = pf_binary_scale(x, (size_t)n), sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]/scale*(x[i]/scale);
  return scale*pf_sqrt(sum);
}

PF_RUNTIME pf_real *pf_take_reals(pf_real **from, int count)
{
  pf_real *at = *from;
  *from += count;
  return at;
}

PF_RUNTIME int *pf_take_ints(int **from, int count)
{
  int *at = *from;
  *from += count;
  return at;
}
