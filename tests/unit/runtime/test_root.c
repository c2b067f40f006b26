/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "runtime/pf_root.h"

static int cosine(void *user, double x, double *value)
{
  ++*(int *)user;
  *value = cos(x) - x;
  return 0;
}

static void the_zero_of_a_smooth_function_takes_few_steps(void **state)
{
  int calls = 0;
  double x;
  (void)state;
  assert_int_equal(pf_root(cosine, &calls, 0, 1, 1, cos(1) - 1, &x), 0);
  assert_near(x, 0.73908513321516064, 1e-15, 0);
  assert_true(calls < 15);
}

/* Flat at one end: a plain secant or regula falsi would creep. */
static int steep(void *user, double x, double *value)
{
  (void)user;
  *value = pow(x, 9) - 1e-9;
  return 0;
}

static void it_does_not_get_stuck(void **state)
{
  double x;
  (void)state;
  assert_int_equal(pf_root(steep, NULL, 0, -1e-9, 1, 1 - 1e-9, &x), 0);
  assert_near(x, 0.1, 1e-12, 0);
}

static int broken(void *user, double x, double *value)
{
  *value = NAN;
  (void)x;
  return user ? 5 : 0;
}

static void failures_are_passed_on(void **state)
{
  int flag = 1;
  double x;
  (void)state;
  assert_int_equal(pf_root(broken, &flag, 0, -1, 1, 1, &x), 5);
  assert_int_equal(pf_root(broken, NULL, 0, -1, 1, 1, &x), PF_ROOT_NONE);
  assert_int_equal(pf_root(cosine, &flag, 0, 1, 1, 2, &x), PF_ROOT_NONE); /* no change of sign */
  assert_int_equal(pf_root(cosine, &flag, 0, 1, 3, 0, &x), 0);         /* already there */
  assert_near(x, 3, 0, 0);
}

static bool is_less(void *user, double x, double width)
{
  assert_true(width > 0);
  return x*x < *(double *)user;
}

static void bisection_encloses_the_place(void **state)
{
  double square = 2, a = 0, b = 2;
  (void)state;
  pf_bisect(is_less, &square, &a, &b, 1e-12);
  assert_true(a*a < 2 && b*b >= 2 && b - a <= 1e-12);
  pf_bisect(is_less, &square, &a, &b, 0); /* ends where doubles do */
  assert_true(a*a < 2 && b*b >= 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_zero_of_a_smooth_function_takes_few_steps),
    cmocka_unit_test(it_does_not_get_stuck),
    cmocka_unit_test(failures_are_passed_on),
    cmocka_unit_test(bisection_encloses_the_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
