/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

/* ---------------------------------------------------------------- sine and cosine */

static void sines_and_cosines_of_parts_of_pi_are_exact(void **state)
{
  Fixture *f = *state;
  assert_same(f, "sin(0)", "0");
  assert_same(f, "cos(0)", "1");
  assert_same(f, "sin(pi/6)", "1/2");
  assert_same(f, "cos(pi/3)", "1/2");
  assert_same(f, "sin(pi/4)", "sqrt(2)/2");
  assert_same(f, "sin(pi/3)", "sqrt(3)/2");
  assert_same(f, "cos(pi/6)", "sqrt(3)/2");
  assert_same(f, "sin(pi)", "0");
  assert_same(f, "cos(pi)", "-1");
  assert_same(f, "cos(2*pi/3)", "-1/2");
  assert_same(f, "sin(-7*pi/6)", "1/2");
  assert_same(f, "cos(1000001*pi/2)", "0");
}

/* Every twelfth of a turn, against the C library. */
static void every_twelfth_of_pi_has_the_right_value(void **state)
{
  Fixture *f = *state;
  for (int k = -30; k <= 30; k++) {
    PfExpr angle = pf_expr_mul(f->ctx, pf_expr_rational(f->ctx, k, 12), pf_expr_pi(f->ctx));
    double a = k*3.14159265358979323846/12;
    /* the argument of the library's sine is wrong by up to 30/12*pi*2^-53 */
    assert_near(value_at(f->ctx, pf_expr_call1(f->ctx, PF_OP_SIN, angle), 0, 0, 0), sin(a), 0, 2e-15);
    assert_near(value_at(f->ctx, pf_expr_call1(f->ctx, PF_OP_COS, angle), 0, 0, 0), cos(a), 0, 2e-15);
  }
}

static void quarter_turns_are_taken_out(void **state)
{
  Fixture *f = *state;
  assert_same(f, "sin(x + pi/2)", "cos(x)");
  assert_same(f, "cos(x + pi/2)", "-sin(x)");
  assert_same(f, "sin(x + pi)", "-sin(x)");
  assert_same(f, "cos(x - pi)", "-cos(x)");
  assert_same(f, "sin(x + 2*pi)", "sin(x)");
  assert_same(f, "sin(pi/2 - x)", "cos(x)");
  assert_same(f, "cos(pi - x)", "-cos(x)");
  assert_same(f, "sin(x - y + 3*pi/2)", "-cos(x - y)");
  assert_different(f, "sin(x + pi/3)", "sin(x)");
}

static void signs_come_out_of_odd_and_even_functions(void **state)
{
  Fixture *f = *state;
  const char *odd[] = {"sin", "tan", "asin", "atan", "sinh", "tanh", "sign"};
  const char *even[] = {"cos", "cosh", "abs"};
  char minus[32], plain[32];
  for (size_t i = 0; i < sizeof odd/sizeof *odd; i++) {
    snprintf(minus, sizeof minus, "%s(y - x)", odd[i]);
    snprintf(plain, sizeof plain, "-%s(x - y)", odd[i]);
    assert_same(f, minus, plain);
  }
  for (size_t i = 0; i < sizeof even/sizeof *even; i++) {
    snprintf(minus, sizeof minus, "%s(-2*x)", even[i]);
    snprintf(plain, sizeof plain, "%s(2*x)", even[i]);
    assert_same(f, minus, plain);
  }
  assert_different(f, "exp(-x)", "-exp(x)");
  assert_different(f, "acos(-x)", "acos(x)");
}

/* ---------------------------------------------------------------- the others */

static void values_at_zero_and_one_are_exact(void **state)
{
  Fixture *f = *state;
  const char *zero[] = {"tan(0)", "asin(0)", "atan(0)", "sinh(0)", "tanh(0)", "abs(0)",
                        "sign(0)", "log(1)", "acos(1)", "atan2(0, 3)"};
  for (size_t i = 0; i < sizeof zero/sizeof *zero; i++) assert_same(f, zero[i], "0");
  assert_same(f, "cosh(0)", "1");
  assert_same(f, "exp(0)", "1");
  assert_same(f, "acos(0)", "pi/2");
  assert_same(f, "asin(1)", "pi/2");
  assert_same(f, "atan(1)", "pi/4");
  assert_same(f, "atan(-1)", "-pi/4");
  assert_same(f, "sign(-2/3)", "-1");
}

static void inverse_functions_undo_where_they_may(void **state)
{
  Fixture *f = *state;
  assert_same(f, "sin(asin(x))", "x");
  assert_same(f, "cos(acos(x))", "x");
  assert_same(f, "tan(atan(x))", "x");
  assert_same(f, "exp(log(x))", "x");
  assert_same(f, "log(exp(x))", "x");
  assert_different(f, "asin(sin(x))", "x");
  assert_different(f, "atan(tan(x))", "x");
}

static void what_cannot_be_negative_is_its_own_absolute_value(void **state)
{
  Fixture *f = *state;
  assert_same(f, "abs(abs(x))", "abs(x)");
  assert_same(f, "abs(x^2*y^4)", "x^2*y^4");
  assert_same(f, "abs(exp(x))", "exp(x)");
  assert_same(f, "abs(sqrt(x))", "sqrt(x)");
  assert_same(f, "abs(-3)", "3");
  assert_same(f, "abs(-2*x)", "2*abs(x)");
  assert_different(f, "abs(x^3)", "x^3");
}

static void functions_of_exact_numbers_stay_exact(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_expr_op(f->ctx, formula(f->ctx, "sin(2)")), PF_OP_SIN);
  assert_int_equal(pf_expr_op(f->ctx, formula(f->ctx, "exp(1)")), PF_OP_EXP);
  assert_int_equal(pf_expr_op(f->ctx, formula(f->ctx, "atan2(1, 2)")), PF_OP_ATAN2);
}

static void functions_of_doubles_are_numbers(void **state)
{
  Fixture *f = *state;
  double value;
  assert_true(pf_expr_is_number(f->ctx, formula(f->ctx, "sin(0.3)"), &value));
  assert_near(value, sin(0.3), 0, 0);
  assert_true(pf_expr_is_number(f->ctx, formula(f->ctx, "atan2(0.3, -0.2)"), &value));
  assert_near(value, atan2(0.3, -0.2), 0, 0);
  assert_int_equal(formula(f->ctx, "log(-0.5)"), PF_EXPR_NONE);
  assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
}

/* ---------------------------------------------------------------- choices */

static void comparisons_of_numbers_are_decided(void **state)
{
  Fixture *f = *state;
  assert_same(f, "1/3 < 1/2", "1");
  assert_same(f, "1/2 < 1/3", "0");
  assert_same(f, "2 <= 2", "1");
  assert_same(f, "2 == 3", "0");
  assert_same(f, "1 and 0", "0");
  assert_same(f, "1 or 0", "1");
  assert_same(f, "not 0", "1");
  assert_same(f, "not 5", "0");
}

static void choices_that_are_no_choices_disappear(void **state)
{
  Fixture *f = *state;
  assert_same(f, "if(x < 0, y, y)", "y");
  assert_same(f, "if(1 < 2, x, y)", "x");
  assert_same(f, "if(0, x, y)", "y");
  assert_same(f, "min(x, x)", "x");
  assert_same(f, "min(2, 1/3)", "1/3");
  assert_same(f, "max(2, 1/3)", "2");
}

static void every_function_has_a_name_and_an_arity(void **state)
{
  (void)state;
  for (int op = PF_OP_SIN; op < PF_OP_COUNT; op++) {
    assert_non_null(pf_function_name((PfOp)op));
    assert_in_range(pf_function_arity((PfOp)op), 1, 3);
  }
  assert_null(pf_function_name(PF_OP_SUM));
  assert_null(pf_function_name(PF_OP_COUNT));
  assert_int_equal(pf_function_arity(PF_OP_SYMBOL), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(sines_and_cosines_of_parts_of_pi_are_exact),
      with_fixture(every_twelfth_of_pi_has_the_right_value),
      with_fixture(quarter_turns_are_taken_out),
      with_fixture(signs_come_out_of_odd_and_even_functions),
      with_fixture(values_at_zero_and_one_are_exact),
      with_fixture(inverse_functions_undo_where_they_may),
      with_fixture(what_cannot_be_negative_is_its_own_absolute_value),
      with_fixture(functions_of_exact_numbers_stay_exact),
      with_fixture(functions_of_doubles_are_numbers),
      with_fixture(comparisons_of_numbers_are_decided),
      with_fixture(choices_that_are_no_choices_disappear),
      with_fixture(every_function_has_a_name_and_an_arity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
