/* SPDX-License-Identifier: Apache-2.0 */
/* Sine and cosine against long double, which has 11 bits more where it is a type of its own. `test_sincos COUNT` tries
 * as many arguments as one likes. */
#include "support.h"

#include "runtime/pf_sincos.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

static long count = 1000000;

/* |x - exact| in units of the last place of x. */
static double units_off(double x, long double exact)
{
  int exponent;
  (void)frexpl(exact, &exponent);
  if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
  return (double)fabsl(((long double)x - exact)/ldexpl(1, exponent - DBL_MANT_DIG));
}

/* All sizes, small ones up to a turn, and doubles next to multiples of a quarter turn, where most digits cancel. */
static double argument(uint64_t *seed, long k)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  const double part = (double)(*seed >> 11)*0x1p-53, quarter = 1.57079632679489661923;
  switch (k%4) {
  case 0: return (2*part - 1)*PF_LARGEST_ANGLE;
  case 1: return 8*part - 4;
  case 2: return ldexp(part - 0.5, (int)(*seed%60) - 50);
  default: return floor(part*PF_LARGEST_ANGLE/quarter)*quarter*(1 + DBL_EPSILON*(double)((int)(*seed%5) - 2));
  }
}

static void results_are_within_one_unit_in_the_last_place(void **state)
{
  uint64_t seed = 1;
  double worst_sine = 0, worst_cosine = 0;
  (void)state;
  if (LDBL_MANT_DIG < 64) skip(); /* nothing to compare with */
  for (long k = 0; k < count; k++) {
    const double x = argument(&seed, k);
    double sine, cosine;
    pf_sincos(x, &sine, &cosine);
    worst_sine = fmax(worst_sine, units_off(sine, sinl(x)));
    worst_cosine = fmax(worst_cosine, units_off(cosine, cosl(x)));
  }
  print_message("of %ld: sine off by %.4f, cosine by %.4f units\n", count, worst_sine, worst_cosine);
  assert_true(worst_sine < 0.9);
  assert_true(worst_cosine < 0.9);
}

static void signs_and_exact_values_are_right(void **state)
{
  (void)state;
  assert_true(pf_sin(0.0) == 0 && !signbit(pf_sin(0.0)));
  assert_true(pf_sin(-0.0) == 0 && signbit(pf_sin(-0.0)));
  assert_true(pf_cos(0.0) == 1 && pf_cos(-0.0) == 1);
  assert_true(pf_sin(1e-300) == 1e-300 && pf_sin(5e-324) == 5e-324 && pf_cos(1e-9) == 1);
  for (double x = 0.001; x < 40000; x *= 1.01) {
    assert_true(pf_sin(-x) == -pf_sin(x) && pf_cos(-x) == pf_cos(x));
    assert_near(pf_sin(x)*pf_sin(x) + pf_cos(x)*pf_cos(x), 1, 4e-16, 0);
  }
}

static void what_is_large_or_no_number_is_left_to_the_c_library(void **state)
{
  (void)state;
  for (double x = 40000; x < 1e300; x *= 7e3) {
    assert_true(pf_sin(x) == sin(x));
    assert_true(pf_cos(-x) == cos(-x));
  }
  assert_true(isnan(pf_sin(INFINITY)) && isnan(pf_cos(-INFINITY)) && isnan(pf_sin(NAN)));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_are_within_one_unit_in_the_last_place),
    cmocka_unit_test(signs_and_exact_values_are_right),
    cmocka_unit_test(what_is_large_or_no_number_is_left_to_the_c_library),
  };
  if (argc > 1) count = atol(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
