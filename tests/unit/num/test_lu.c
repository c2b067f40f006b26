/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

static void a_system_is_solved(void **state)
{
  (void)state;
  double A[] = {0, 2, 1, 4, -1, 3, 2, 5, -2}, x[] = {7, 11, 6}; /* A (1, 2, 3) = (7, 11, 6) */
  int order[3];
  assert_int_equal(pf_lu_factor(A, 3, order), 1); /* determinant 50 */
  pf_lu_solve(A, 3, order, x);
  for (int i = 0; i < 3; i++) assert_near(x[i], i + 1, 1e-14, 0);
}

static void the_sign_is_that_of_the_determinant(void **state)
{
  (void)state;
  int order[3];
  double exchange[] = {0, 1, 1, 0}, turn[] = {0, -1, 1, 0}, cycle[] = {0, 1, 0, 0, 0, 1, 1, 0, 0},
      minus[] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
  assert_int_equal(pf_lu_factor(exchange, 2, order), -1);
  assert_int_equal(pf_lu_factor(turn, 2, order), 1);
  assert_int_equal(pf_lu_factor(cycle, 3, order), 1);
  assert_int_equal(pf_lu_factor(minus, 3, order), -1);
}

static void what_is_singular_or_not_finite_has_no_sign(void **state)
{
  (void)state;
  int order[2];
  double zero[] = {0, 0, 0, 0}, twice[] = {1, 2, 2, 4}, bad[] = {NAN, 1, 1, 1};
  assert_int_equal(pf_lu_factor(zero, 2, order), 0);
  assert_int_equal(pf_lu_factor(twice, 2, order), 0);
  assert_int_equal(pf_lu_factor(bad, 2, order), 0);
  assert_int_equal(pf_lu_factor(zero, 0, order), 1); /* the empty product */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_system_is_solved),
    cmocka_unit_test(the_sign_is_that_of_the_determinant),
    cmocka_unit_test(what_is_singular_or_not_finite_has_no_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
