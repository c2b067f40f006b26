/* SPDX-License-Identifier: Apache-2.0 */
/* What all of num needs: dot product, safe length, checks of sizes and of numbers. */
#include "num/num.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

double pf_dot(const double *x, const double *y, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]*y[i];
  return sum;
}

double pf_remove_part(double *x, const double *direction, int n)
{
  double part = pf_dot(x, direction, n);
  for (int i = 0; i < n; i++) x[i] -= part*direction[i];
  return part;
}

double pf_largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

double pf_without_noise(double value, double scale)
{
  return fabs(value) <= 1e-13*fabs(scale) || value == 0 ? 0 : value;
}

/* Added to the exponent of a number, the sign bit says that it is not finite; without a branch for each. */
static bool are_finite(const double *x, size_t count)
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

int pf_first_not_finite(const double *x, size_t count)
{
  if (are_finite(x, count)) return -1;
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return (int)i;
  return -1;
}

double pf_binary_scale(const double *x, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    double size = fabs(x[i]);
    largest = size > largest ? size : largest;
  }
  if (!(largest > 0) || !isfinite(largest)) return 1;
  if (largest < DBL_MIN) return 2*DBL_MIN; /* neither it nor 1/it may overflow */
  union { double number; uint64_t bits; } scale = {largest};
  scale.bits &= UINT64_C(0x7ff0000000000000); /* the exponent alone */
  return scale.number;
}

double pf_norm(const double *x, int n)
{
  double plain = sqrt(pf_dot(x, x, n));
  if (plain > 1e-140 && plain < 1e140) return plain; /* no square was lost */

  double scale = pf_binary_scale(x, (size_t)n), sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]/scale*(x[i]/scale);
  return scale*sqrt(sum);
}

PfStatus pf_check_size(PfContext *ctx, int m, int n)
{
  if (m >= 0 && n >= 0 && (!n || m <= INT_MAX/n)) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "a matrix of %d x %d", m, n);
}
