/* SPDX-License-Identifier: Apache-2.0 */
/* Linear equations over a prime field, and fractions read back from it. */
#include "support.h"

#include "study/relations.h"

static PfField a_field(void)
{
  PfField field;
  assert_true(pf_field_find(&field, PF_FIRST_FIELD) > 0);
  return field;
}

static uint64_t fraction(const PfField *f, int64_t num, int64_t den)
{
  return pf_field_multiply(f, pf_field_enter(f, num), pf_field_invert(f, pf_field_enter(f, den)));
}

static void fractions_come_back_from_the_field(void **state)
{
  (void)state;
  static const int64_t list[][2] = {{0, 1}, {1, 1}, {-1, 1}, {2, 3}, {-22, 7}, {12345, 6789}, {-1, 16777216}};
  PfField f = a_field();
  for (size_t i = 0; i < sizeof list/sizeof *list; i++) {
    int64_t num, den;
    assert_true(pf_field_rational(&f, fraction(&f, list[i][0], list[i][1]), &num, &den));
    assert_true(num*list[i][1] == den*list[i][0]);
    assert_true(den > 0);
  }
}

/* The square root of 2 is an element of the field, but no fraction. */
static void what_is_no_fraction_is_refused(void **state)
{
  (void)state;
  PfField f = a_field();
  int64_t num, den;
  uint64_t root = pf_field_power(&f, pf_field_enter(&f, 2), (f.p + 1)/4);
  assert_true(pf_field_multiply(&f, root, root) == pf_field_enter(&f, 2));
  assert_false(pf_field_rational(&f, root, &num, &den));
}

/* x + 2y + 3z = 0, 2x + 4y + 7z = 0, and their sum: z = 0, x = -2y. */
static void redundant_equations_add_nothing(void **state)
{
  Fixture *fixture = *state;
  static const int64_t rows[][3] = {{1, 2, 3}, {2, 4, 7}, {3, 6, 10}};
  PfField f = a_field();
  PfRelations relations;
  assert_int_equal(pf_relations_make(fixture->ctx, fixture->arena, 3, &relations), PF_OK);
  relations.field = &f;
  for (int i = 0; i < 3; i++) {
    uint64_t row[3];
    for (int j = 0; j < 3; j++) row[j] = pf_field_enter(&f, rows[i][j]);
    assert_int_equal(pf_relations_add(&relations, row), i < 2);
  }
  uint64_t solution[3];
  assert_int_equal(relations.rank, 2);
  pf_relations_solve(&relations, solution);
  assert_true(solution[0] == pf_field_enter(&f, -2));
  assert_true(solution[1] == f.one);
  assert_true(solution[2] == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(fractions_come_back_from_the_field),
    with_fixture(what_is_no_fraction_is_refused),
    with_fixture(redundant_equations_add_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
