/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

static void assert_exact(Number a, int64_t num, int64_t den)
{
  assert_true(a.exact);
  assert_true(a.num == num && a.den == den);
}

static void assert_inexact(Number a, double value)
{
  assert_false(a.exact);
  assert_near(a.value, value, 1e-15, 0); /* one rounding */
}

/* ---------------------------------------------------------------- rationals */

static void rationals_are_in_lowest_terms_with_a_positive_denominator(void **state)
{
  (void)state;
  assert_exact(pf_number_rational(6, 4), 3, 2);
  assert_exact(pf_number_rational(6, -4), -3, 2);
  assert_exact(pf_number_rational(-6, -4), 3, 2);
  assert_exact(pf_number_rational(0, -7), 0, 1);
  assert_exact(pf_number_rational(INT64_MAX, INT64_MAX), 1, 1);
}

static void rationals_add_and_multiply_exactly(void **state)
{
  (void)state;
  assert_exact(pf_number_add(pf_number_rational(1, 6), pf_number_rational(1, 10)), 4, 15);
  assert_exact(pf_number_add(pf_number_rational(1, 6), pf_number_rational(-1, 6)), 0, 1);
  assert_exact(pf_number_mul(pf_number_rational(2, 3), pf_number_rational(9, 4)), 3, 2);
  assert_exact(pf_number_mul(pf_number_rational(-2, 3), pf_number_int(0)), 0, 1);
  assert_exact(pf_number_inverse(pf_number_rational(-2, 3)), -3, 2);
}

static void common_factors_do_not_overflow(void **state)
{
  (void)state;
  Number large = pf_number_rational(INT64_MAX, 2), small = pf_number_rational(4, INT64_MAX);
  assert_exact(pf_number_mul(large, small), 2, 1);
  Number smallest = pf_number_rational(1, INT64_MAX);
  assert_exact(pf_number_add(smallest, smallest), 2, INT64_MAX);
}

static void the_greatest_common_divisor_takes_every_sign(void **state)
{
  (void)state;
  assert_int_equal(pf_gcd(12, 18), 6);
  assert_int_equal(pf_gcd(-12, 18), 6);
  assert_int_equal(pf_gcd(12, -18), 6);
  assert_int_equal(pf_gcd(0, -5), 5);
  assert_int_equal(pf_gcd(0, 0), 0);
  assert_int_equal(pf_gcd(INT64_MIN, 6), 2);
}

/* ---------------------------------------------------------------- powers */

static void powers_of_rationals_are_exact(void **state)
{
  (void)state;
  assert_exact(pf_number_pow(pf_number_rational(-2, 3), 3), -8, 27);
  assert_exact(pf_number_pow(pf_number_rational(-2, 3), -3), -27, 8);
  assert_exact(pf_number_pow(pf_number_rational(5, 7), 0), 1, 1);
  assert_exact(pf_number_pow(pf_number_int(0), 0), 1, 1);
  assert_exact(pf_number_pow(pf_number_int(2), 62), INT64_C(1) << 62, 1);
}

static void one_to_a_huge_power_is_the_integer_one(void **state)
{
  (void)state;
  assert_exact(pf_number_pow(pf_number_int(1), 1000000), 1, 1);
  assert_exact(pf_number_pow(pf_number_int(-1), 1000001), -1, 1);
  assert_exact(pf_number_pow(pf_number_int(-1), INT64_MAX - 1), 1, 1);
}

/* ---------------------------------------------------------------- what does not fit */

static void what_does_not_fit_64_bits_becomes_a_double(void **state)
{
  (void)state;
  Number large = pf_number_int(INT64_MAX);
  assert_inexact(pf_number_add(large, pf_number_int(1)), 9223372036854775808.0);
  assert_inexact(pf_number_add(pf_number_int(-INT64_MAX), pf_number_int(-1)), -9223372036854775808.0);
  assert_inexact(pf_number_mul(large, pf_number_int(-2)), -18446744073709551616.0);
  assert_inexact(pf_number_pow(pf_number_int(2), 100), ldexp(1, 100));
  assert_inexact(pf_number_pow(pf_number_int(10), -30), 1e-30);
}

static void the_smallest_integer_is_a_double(void **state)
{
  (void)state;
  assert_inexact(pf_number_rational(INT64_MIN, 1), -9223372036854775808.0);
  assert_inexact(pf_number_rational(1, INT64_MIN), -1/9223372036854775808.0);
}

static void doubles_that_are_small_integers_are_exact_again(void **state)
{
  (void)state;
  assert_exact(pf_number_double(3.0), 3, 1);
  assert_exact(pf_number_double(-0.0), 0, 1);
  assert_exact(pf_number_add(pf_number_double(0.5), pf_number_double(0.5)), 1, 1);
  assert_exact(pf_number_mul(pf_number_double(0.25), pf_number_int(8)), 2, 1);
  assert_exact(pf_number_inverse(pf_number_double(0.5)), 2, 1);
  assert_inexact(pf_number_double(0.1), 0.1);
  assert_inexact(pf_number_double(9007199254740992.0), 9007199254740992.0);
}

static void signs_are_those_of_the_values(void **state)
{
  (void)state;
  assert_int_equal(pf_number_sign(pf_number_rational(-1, 3)), -1);
  assert_int_equal(pf_number_sign(pf_number_int(0)), 0);
  assert_int_equal(pf_number_sign(pf_number_double(1e-300)), 1);
  assert_near(pf_number_value(pf_number_rational(-1, 3)), -1.0/3, 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rationals_are_in_lowest_terms_with_a_positive_denominator),
      cmocka_unit_test(rationals_add_and_multiply_exactly),
      cmocka_unit_test(common_factors_do_not_overflow),
      cmocka_unit_test(the_greatest_common_divisor_takes_every_sign),
      cmocka_unit_test(powers_of_rationals_are_exact),
      cmocka_unit_test(one_to_a_huge_power_is_the_integer_one),
      cmocka_unit_test(what_does_not_fit_64_bits_becomes_a_double),
      cmocka_unit_test(the_smallest_integer_is_a_double),
      cmocka_unit_test(doubles_that_are_small_integers_are_exact_again),
      cmocka_unit_test(signs_are_those_of_the_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
