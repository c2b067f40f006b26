/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "runtime/pf_priority.h"

enum { MOST = 3 }; /* unknowns, rows of a set */

static bool solve(const PfRowSet *sets, int count, int n, double *x)
{
  double reals[PF_PRIORITY_REALS(MOST, MOST)];
  int ints[PF_PRIORITY_INTS(MOST, MOST)];
  return pf_priority_solve(sets, count, n, reals, ints, x);
}

/* x + y = 2 first, then x = 5: y must give way. */
static void a_later_set_has_what_the_first_leaves(void **state)
{
  (void)state;
  const double first[] = {1, 1}, second[] = {1, 0}, b[] = {2}, c[] = {5};
  const PfRowSet sets[] = {{1, first, b, 1e-8}, {1, second, c, 1e-8}};
  double x[2];
  assert_true(solve(sets, 2, 2, x));
  assert_near(x[0], 5, 1e-14, 0);
  assert_near(x[1], -3, 1e-14, 0);
}

/* x = 1 holds; x = 3 and y = 4 come second: x stays, y has its value. */
static void what_is_decided_is_not_moved(void **state)
{
  (void)state;
  const double first[] = {2, 0, 0}, second[] = {1, 0, 0, 0, 1, 0}, b[] = {2}, c[] = {3, 4};
  const PfRowSet sets[] = {{1, first, b, 1e-8}, {0, NULL, NULL, 1e-8}, {2, second, c, 1e-8}};
  double x[3];
  assert_true(solve(sets, 3, 3, x));
  assert_near(x[0], 1, 1e-14, 0);
  assert_near(x[1], 4, 1e-14, 0);
  assert_near(x[2], 0, 0, 1e-15);
}

/* Of all x + y + z = 3 the shortest is (1, 1, 1); units of the row do not matter. */
static void what_is_open_is_short(void **state)
{
  (void)state;
  const double row[] = {1e-6, 1e-6, 1e-6}, b[] = {3e-6};
  const PfRowSet set = {1, row, b, 1e-8};
  double x[3];
  assert_true(solve(&set, 1, 3, x));
  for (int k = 0; k < 3; k++) assert_near(x[k], 1, 1e-14, 0);
}

/* x = 1 and x = 2 together: between them; a row of zeros asks for nothing. */
static void contradictions_share_the_miss(void **state)
{
  (void)state;
  const double rows[] = {1, 0, 1, 0, 0, 0}, b[] = {1, 2, 7};
  const PfRowSet set = {3, rows, b, 1e-8};
  double x[2];
  assert_true(solve(&set, 1, 2, x));
  assert_near(x[0], 1.5, 1e-14, 0);
  assert_near(x[1], 0, 0, 1e-15);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  const double row[] = {1, NAN}, b[] = {1};
  const PfRowSet set = {1, row, b, 1e-8};
  double x[2];
  assert_false(solve(&set, 1, 2, x));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_later_set_has_what_the_first_leaves), cmocka_unit_test(what_is_decided_is_not_moved),
    cmocka_unit_test(what_is_open_is_short),                 cmocka_unit_test(contradictions_share_the_miss),
    cmocka_unit_test(numbers_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
