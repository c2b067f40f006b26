/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

#include <float.h>
#include <limits.h>

static void lengths_are_right_at_both_ends_of_the_range(void **state)
{
  (void)state;
  for (double scale = 1e-307; scale < 1e308; scale *= 1e10) {
    const double x[] = {3*scale, 0, -4*scale};
    assert_near(pf_norm(x, 3), 5*scale, 1e-15, 0);
  }
  const double tiny[] = {5e-324}, most[] = {DBL_MAX};
  assert_near(pf_norm(tiny, 1), 5e-324, 0, 0);
  assert_near(pf_norm(most, 1), DBL_MAX, 0, 0);
  assert_near(pf_norm(tiny, 0), 0, 0, 0);
}

static void what_is_not_finite_stays_visible(void **state)
{
  (void)state;
  const double x[] = {1, INFINITY, NAN}, y[] = {1, INFINITY};
  assert_true(isnan(pf_norm(x, 3)));
  assert_true(isinf(pf_norm(y, 2)));
  assert_int_equal(pf_first_not_finite(x, 3), 1);
  assert_int_equal(pf_first_not_finite(x, 1), -1);
}

static void scales_are_powers_of_two_whose_inverse_exists(void **state)
{
  (void)state;
  const double x[] = {5e-324, DBL_MAX, -6, 0};
  for (int i = 0; i < 4; i++) {
    int exponent;
    double scale = pf_binary_scale(x + i, 1);
    assert_near(frexp(scale, &exponent), 0.5, 0, 0);
    assert_true(isfinite(1/scale));
    assert_true(fabs(x[i]/scale) < 2);
  }
  assert_near(pf_binary_scale(x + 2, 1), 4, 0, 0);
}

static void sizes_that_would_overflow_are_refused(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_check_size(f->ctx, 0, INT_MAX), PF_OK);
  assert_int_equal(pf_check_size(f->ctx, INT_MAX, 1), PF_OK);
  assert_int_equal(pf_check_size(f->ctx, 46341, 46341), PF_ERR_ARGUMENT);
  assert_int_equal(pf_check_size(f->ctx, -1, 0), PF_ERR_ARGUMENT);
}

static void a_part_is_removed_and_told(void **state)
{
  const double direction[] = {0.6, 0.8};
  double x[] = {5, 10};
  (void)state;
  assert_near(pf_remove_part(x, direction, 2), 11, 1e-15, 0);
  assert_near(x[0], -1.6, 1e-14, 0);
  assert_near(x[1], 1.2, 1e-14, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lengths_are_right_at_both_ends_of_the_range),
    cmocka_unit_test(what_is_not_finite_stays_visible),
    cmocka_unit_test(scales_are_powers_of_two_whose_inverse_exists),
    cmocka_unit_test(a_part_is_removed_and_told),
    with_fixture(sizes_that_would_overflow_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
