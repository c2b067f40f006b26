/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-based random numbers (Philox4x32-10), permutations by a Feistel network, and the normal distribution function
 * with its inverse. */
#include "sweep/random.h"

#include <math.h>

/* ---------------------------------------------------------------- words */

/* Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC'11, section 4.3. */
void pf_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
  enum { ROUNDS = 10 };
  uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int i = 0; i < ROUNDS; i++) {
    const uint64_t a = (uint64_t)0xD2511F53u*x[0], b = (uint64_t)0xCD9E8D57u*x[2];
    x[0] = (uint32_t)(b >> 32) ^ x[1] ^ k[0];
    x[1] = (uint32_t)b;
    x[2] = (uint32_t)(a >> 32) ^ x[3] ^ k[1];
    x[3] = (uint32_t)a;
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; i++) out[i] = x[i];
}

uint64_t pf_random_bits(uint64_t seed, PfStream stream, uint32_t dimension, uint64_t index)
{
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), dimension, (uint32_t)stream};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t out[4];
  pf_philox(counter, key, out);
  return out[0] | (uint64_t)out[1] << 32;
}

double pf_random_unit(uint64_t seed, PfStream stream, uint32_t dimension, uint64_t index)
{
  return ((double)(pf_random_bits(seed, stream, dimension, index) >> 12) + 0.5)*0x1p-52;
}

/* ---------------------------------------------------------------- orders */

/* Four rounds of Feistel's network permute the numbers of 2*half bits, whatever the rounds compute. A number outside is
 * shuffled again until it is inside: that is a permutation of the smaller set. */
uint64_t pf_random_place(uint64_t seed, uint32_t dimension, uint64_t index, uint64_t count)
{
  unsigned half = 1;
  if (count < 2) return 0;
  while (half < 30 && UINT64_C(1) << 2*half < count) half++;
  const uint64_t mask = (UINT64_C(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; round++) {
      uint64_t next = left ^ (pf_random_bits(seed, PF_STREAM_ORDER, dimension, right | round << 60) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

/* ---------------------------------------------------------------- the normal distribution */

double pf_normal_part(double x)
{
  return 0.5*erfc(-x*0.70710678118654752440);
}

/* The quotient of two polynomials of degree 7, by Horner's rule. */
static double ratio(const double *over, const double *under, double x)
{
  double a = over[7], b = under[7];
  for (int i = 6; i >= 0; i--) a = a*x + over[i], b = b*x + under[i];
  return a/b;
}

/* Wichura, Algorithm AS 241, Applied Statistics 37 (1988): to 16 digits, by quotients of polynomials in the middle and,
 * in sqrt(-log(part)), towards the ends. */
double pf_normal_inverse(double part)
{
  static const double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                             1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                             3.3430575583588128105e4, 2.5090809287301226727e3};
  static const double b[] = {1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                             2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
                             5.2264952788528545610e3};
  static const double c[] = {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[] = {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
                             1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
  static const double e[] = {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[] = {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                             7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                             2.04426310338993978564e-15};
  const double q = part - 0.5;
  if (fabs(q) <= 0.425) return q*ratio(a, b, 0.180625 - q*q);
  const double r = sqrt(-log(q < 0 ? part : 1 - part));
  const double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -x : x;
}
