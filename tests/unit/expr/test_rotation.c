/* SPDX-License-Identifier: Apache-2.0 */
/* Nine symbols that are a rotation: what is known about them decides what vanishes, and makes formulas short. */
#include "expr/formula.h"

static const char *const names[9] = {"a1", "a2", "a3", "b1", "b2", "b3", "g1", "g2", "g3"};

static void declare(Fixture *f)
{
  PfExpr entries[9];
  for (int i = 0; i < 9; i++) entries[i] = pf_expr_symbol(f->ctx, names[i]);
  assert_true(pf_expr_rotation(f->ctx, entries));
  assert_true(pf_expr_rotation(f->ctx, entries)); /* again: nothing new */
}

/* Rows and columns of length one, across each other, right-handed. */
static void what_holds_for_rotations_vanishes(void **state)
{
  static const char *const zeros[] = {
    "a1^2 + a2^2 + a3^2 - 1", "a1*b1 + a2*b2 + a3*b3", "a1*g1 + a2*g2 + a3*g3", "a1^2 + b1^2 + g1^2 - 1",
    "a1*a2 + b1*b2 + g1*g2", "a1 - b2*g3 + b3*g2", "b2 - g3*a1 + g1*a3", "g3 - a1*b2 + a2*b1",
  };
  Fixture *f = *state;
  declare(f);
  for (size_t i = 0; i < sizeof zeros/sizeof *zeros; i++) {
    PfExpr e = formula(f->ctx, zeros[i]);
    assert_int_equal(pf_expr_is_probably_zero(f->ctx, e, 2), PF_TRUE);
#ifdef PF_HAVE_FLINT
    assert_int_equal(pf_expr_is_zero(f->ctx, e), PF_TRUE);
#endif
  }
  assert_int_equal(pf_expr_is_zero(f->ctx, formula(f->ctx, "a1*b2 - a2*b1 + g3")), PF_FALSE); /* a left hand */
  assert_int_equal(pf_expr_is_zero(f->ctx, formula(f->ctx, "a1*b1 + a2*b2")), PF_FALSE);
}

static void rows_that_drop_out_are_not_written(void **state)
{
#ifndef PF_HAVE_FLINT
  (void)state;
  skip();
#else
  Fixture *f = *state;
  declare(f);
  assert_int_equal(pf_expr_simplest(f->ctx, formula(f->ctx, "a1*a2 + b1*b2")), formula(f->ctx, "-g1*g2"));
  assert_int_equal(pf_expr_simplest(f->ctx, formula(f->ctx, "b2*g3 - b3*g2")), formula(f->ctx, "a1"));
  assert_int_equal(pf_expr_simplest(f->ctx, formula(f->ctx, "g2*a3 - g3*a2")), formula(f->ctx, "b1"));
  PfExpr square = pf_expr_simplest(f->ctx, formula(f->ctx, "m*(a1*w)^2 + m*(b1*w)^2 + m*(g1*w)^2"));
  assert_int_equal(square, formula(f->ctx, "m*w^2"));
#endif
}

static void words_are_names_numbers_and_signs(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_expr_token_count(f->ctx, formula(f->ctx, "m*a*w^2")), 7);
  assert_int_equal(pf_expr_token_count(f->ctx, formula(f->ctx, "(I + m*a^2)*sin(theta)")), 10);
  assert_int_equal(pf_expr_token_count(f->ctx, formula(f->ctx, "x''")), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(what_holds_for_rotations_vanishes),
    with_fixture(rows_that_drop_out_are_not_written),
    with_fixture(words_are_names_numbers_and_signs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
