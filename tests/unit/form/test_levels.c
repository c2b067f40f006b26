/* SPDX-License-Identifier: Apache-2.0 */
/* Which constraints make a level of the cascade. */
#include "form/formulations.h"

#include "form/form_impl.h"

static void assert_levels(void **state, const char *text, int levels, const int *first, const int *rows)
{
  enum { MOST = 8 };
  System s;
  int found_rows[MOST] = {0}, found_first[MOST + 1] = {0};
  read_system(*state, text, &s);
  assert_true(s.eq.m <= MOST);
  assert_int_equal(pf_cascade_levels(s.model, found_rows, found_first), levels);
  for (int l = 0; l <= levels; l++) assert_int_equal(found_first[l], first[l]);
  for (int i = 0; i < s.eq.m; i++) assert_int_equal(found_rows[i], rows[i]);
  pf_model_free(s.model);
}

static void names_that_agree_up_to_a_dot_or_bracket_are_one_level(void **state)
{
  assert_levels(state,
                "coord q[6]\n"
                "kinetic sum(i in 1..6, q[i]'^2)\n"
                "part pin(i) { constraint hold: q[i]' = 0 }\n"
                "constraint list[1]: q[1]' = 0\n"
                "constraint listed: q[4]' = 0\n"
                "constraint list[2]: q[3]' = 0\n"
                "use pin(2) as p\n" /* the constraints of parts come last */
                "constraint hold: q[5]' = 0\n",
                4, (int[]){0, 2, 3, 4, 5}, (int[]){0, 2, 1, 3, 4});
}

static void a_plain_name_is_a_level_of_its_own(void **state)
{
  assert_levels(state,
                "coord x, y\n"
                "kinetic x'^2 + y'^2\n"
                "constraint b: x' = 0\n"
                "constraint a: y' = 0\n",
                2, (int[]){0, 1, 2}, (int[]){0, 1});
}

static void no_constraints_are_no_level(void **state)
{
  assert_levels(state, "coord x\nkinetic x'^2\n", 0, (int[]){0}, (int[]){0});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(names_that_agree_up_to_a_dot_or_bracket_are_one_level),
    with_fixture(a_plain_name_is_a_level_of_its_own),
    with_fixture(no_constraints_are_no_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
