/* SPDX-License-Identifier: Apache-2.0 */
#include "tapes.h"

/* x*y + x*z -> x*(y + z): one instruction instead of two. */
static void a_common_factor_is_taken_out(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_add(ctx, pf_expr_mul(ctx, b.x, b.y), pf_expr_mul(ctx, b.x, b.z));
  assert_int_equal(instructions(ctx, &e, 1), 1);
  assert_near(value(ctx, e, 2, 3, 4), 14, 0, 0);
}

/* 3 x^3 - 5 x^2 + 7 x + 2 by Horner's rule. */
static void a_polynomial_is_computed_by_horners_rule(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  const int coefficients[] = {2, 7, -5, 3};
  PfExpr e = pf_expr_int(ctx, 0);
  for (int k = 0; k < 4; k++)
    e = pf_expr_add(ctx, e, pf_expr_mul(ctx, pf_expr_int(ctx, coefficients[k]), pf_expr_pow_int(ctx, b.x, k)));
  assert_true(instructions(ctx, &e, 1) <= 4);
  assert_near(value(ctx, e, 2, 0, 0), 20, 0, 0);
  assert_near(value(ctx, e, -1, 0, 0), -13, 0, 0);
}

static void a_common_divisor_divides_once(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_sub(ctx, pf_expr_div(ctx, b.x, b.z), pf_expr_div(ctx, b.y, b.z));
  assert_int_equal(instructions(ctx, &e, 1), 2);
  assert_near(value(ctx, e, 7, 1, 4), 1.5, 0, 0);
}

/* x/y + y*z: above and below are different factors. */
static void what_is_above_and_below_is_not_mixed_up(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_add(ctx, pf_expr_div(ctx, b.x, b.y), pf_expr_mul(ctx, b.y, b.z));
  assert_near(value(ctx, e, 2, 4, 3), 12.5, 0, 0);
  e = pf_expr_add(ctx, e, pf_expr_mul(ctx, b.x, pf_expr_pow_int(ctx, b.y, -2)));
  assert_near(value(ctx, e, 2, 4, 3), 12.625, 0, 0);
}

/* The two off-diagonal elements of a double pendulum's mass matrix, as differentiation writes them:
 * x*(a*y + b*y) and y*(a*x + b*x). They are one product. */
static void a_mass_matrix_is_found_symmetric(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  PfExpr x = pf_expr_symbol(ctx, "x"), y = pf_expr_symbol(ctx, "y");
  PfExpr a = pf_expr_symbol(ctx, "a"), b = pf_expr_symbol(ctx, "b");
  const PfExpr inputs[] = {x, y, a, b};
  PfExpr above = pf_expr_add(ctx, pf_expr_mul(ctx, a, y), pf_expr_mul(ctx, b, y));
  PfExpr below = pf_expr_add(ctx, pf_expr_mul(ctx, a, x), pf_expr_mul(ctx, b, x));
  const PfExpr roots[] = {pf_expr_mul(ctx, x, above), pf_expr_mul(ctx, y, below)};
  const double given[] = {2, 3, 5, 7};
  double outputs[2];
  PfTape *tape = tape_of(ctx, inputs, 4, roots, 2);
  assert_int_equal(pf_tape_instruction_count(tape), 2);
  run(tape, given, outputs);
  pf_tape_free(tape);
  assert_near(outputs[0], 72, 0, 0);
  assert_near(outputs[1], 72, 0, 0);
}

/* x + x^2 + … + x^200: brackets inside brackets, more than are opened. */
static void deep_brackets_are_limited_and_right(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr powers[200];
  for (int k = 0; k < 200; k++) powers[k] = pf_expr_pow_int(ctx, b.x, k + 1);
  PfExpr e = pf_expr_sum(ctx, powers, 200);
  assert_near(value(ctx, e, 0.5, 0, 0), 1, 1e-15, 0);
  assert_near(value(ctx, e, 1, 0, 0), 200, 1e-15, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_common_factor_is_taken_out),
    with_fixture(a_polynomial_is_computed_by_horners_rule),
    with_fixture(a_common_divisor_divides_once),
    with_fixture(what_is_above_and_below_is_not_mixed_up),
    with_fixture(a_mass_matrix_is_found_symmetric),
    with_fixture(deep_brackets_are_limited_and_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
