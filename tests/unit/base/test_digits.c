/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by the fewest digits that read back. */
#include "support.h"

#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_text(double x, const char *expected)
{
  char text[PF_LONGEST_NUMBER];
  assert_int_equal(pf_put_shortest(text, x), strlen(expected));
  assert_string_equal(text, expected);
}

static void the_digits_are_the_fewest(void **state)
{
  (void)state;
  assert_text(0.1, "0.1");
  assert_text(1.0/3, "0.3333333333333333");
  assert_text(4.35, "4.35");
  assert_text(-2.5, "-2.5");
  assert_text(100, "100");
  assert_text(0, "0");
  assert_text(1e23, "1e+23"); /* not the nearest to 10^23, but it reads as it */
  assert_text(9007199254740993., "9007199254740992");
  assert_text(5e-324, "5e-324");
  assert_text(DBL_MIN, "2.2250738585072014e-308");
  assert_text(DBL_MAX, "1.7976931348623157e+308");
}

/* Where %.17g has an exponent. */
static void small_and_large_numbers_have_an_exponent(void **state)
{
  (void)state;
  assert_text(0.0001, "0.0001");
  assert_text(0.00001, "1e-05");
  assert_text(0.000012345, "1.2345e-05");
  assert_text(1e16, "10000000000000000");
  assert_text(1e17, "1e+17");
  assert_text(-1.5e-200, "-1.5e-200");
}

static uint64_t next_random(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  return *seed ^= *seed << 17;
}

/* Of any bits, of fractions and of decimals: they read back, and one digit less would not. */
static void every_number_reads_back(void **state)
{
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 200000; i++) {
    uint64_t bits = next_random(&seed);
    char text[PF_LONGEST_NUMBER], other[64];
    double x = (double)(bits >> 11)*0x1p-53;
    if (i%3 == 0) memcpy(&x, &bits, sizeof x);
    if (i%3 == 1) x = ((double)(bits%2000001) - 1e6)/1000;
    if (!isfinite(x)) continue;
    assert_true(pf_put_shortest(text, x) < PF_LONGEST_NUMBER);
    assert_true(strtod(text, NULL) == x);
    int digits = 0; /* without zeros at the ends */
    for (int p = 17; p > 0; p--) {
      snprintf(other, sizeof other, "%.*g", p, x);
      if (strtod(other, NULL) != x) break;
      digits = p;
    }
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    assert_true(strlen(text) <= strlen(other) + 2 || fabs(x) >= 1e5); /* the point may be elsewhere */
  }
}

static void powers_of_two_read_back(void **state)
{
  (void)state;
  for (int k = -1074; k < 1024; k++) {
    char text[PF_LONGEST_NUMBER];
    (void)pf_put_shortest(text, ldexp(1, k));
    assert_true(strtod(text, NULL) == ldexp(1, k));
  }
}

static void what_is_no_number_is_said(void **state)
{
  (void)state;
  assert_text(INFINITY, "inf");
  assert_text(-INFINITY, "-inf");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_digits_are_the_fewest),
    cmocka_unit_test(small_and_large_numbers_have_an_exponent),
    cmocka_unit_test(every_number_reads_back),
    cmocka_unit_test(powers_of_two_read_back),
    cmocka_unit_test(what_is_no_number_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
