/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

static PfExpr derivative(Fixture *f, const char *text)
{
  return pf_expr_diff(f->ctx, formula(f->ctx, text), pf_expr_symbol(f->ctx, "x"));
}

/* ---------------------------------------------------------------- closed forms */

static void derivatives_of_powers_and_products_are_the_schoolbook_ones(void **state)
{
  Fixture *f = *state;
  assert_is(f, derivative(f, "5"), "0");
  assert_is(f, derivative(f, "y*z"), "0");
  assert_is(f, derivative(f, "x"), "1");
  assert_is(f, derivative(f, "3*x^4 - 2*x + 7"), "12*x^3 - 2");
  assert_is(f, derivative(f, "x*y*z"), "y*z");
  assert_is(f, derivative(f, "1/x"), "-1/x^2");
  assert_is(f, derivative(f, "sqrt(x)"), "1/(2*sqrt(x))");
  assert_is(f, derivative(f, "x^y"), "y*x^(y - 1)");
  assert_is(f, derivative(f, "y^x"), "y^x*log(y)");
  assert_is(f, derivative(f, "2^x"), "2^x*log(2)");
  assert_is(f, derivative(f, "(x^2 + 1)^3"), "6*x*(x^2 + 1)^2");
  assert_is(f, derivative(f, "x/(x + 1)"), "1/(x + 1) - x/(x + 1)^2");
  assert_is(f, derivative(f, "sqrt(x*y)"), "y/(2*sqrt(x*y))");
}

static void derivatives_of_functions_are_the_schoolbook_ones(void **state)
{
  Fixture *f = *state;
  assert_is(f, derivative(f, "sin(3*x)"), "3*cos(3*x)");
  assert_is(f, derivative(f, "cos(x*y)"), "-y*sin(x*y)");
  assert_is(f, derivative(f, "tan(x)"), "1 + tan(x)^2");
  assert_is(f, derivative(f, "asin(x)"), "1/sqrt(1 - x^2)");
  assert_is(f, derivative(f, "acos(x)"), "-1/sqrt(1 - x^2)");
  assert_is(f, derivative(f, "atan(x)"), "1/(1 + x^2)");
  assert_is(f, derivative(f, "sinh(x)"), "cosh(x)");
  assert_is(f, derivative(f, "cosh(x)"), "sinh(x)");
  assert_is(f, derivative(f, "tanh(x)"), "1 - tanh(x)^2");
  assert_is(f, derivative(f, "exp(x^2)"), "2*x*exp(x^2)");
  assert_is(f, derivative(f, "log(x)"), "1/x");
  assert_is(f, derivative(f, "atan2(x, y)"), "y/(x^2 + y^2)");
  assert_is(f, derivative(f, "atan2(y, x)"), "-y/(x^2 + y^2)");
}

static void derivatives_of_choices_keep_the_branches_apart(void **state)
{
  Fixture *f = *state;
  assert_is(f, derivative(f, "if(x < 0, x^2, y*x)"), "if(x < 0, 2*x, y)");
  assert_is(f, derivative(f, "if(y < 0, x, x + 1)"), "1");
  assert_is(f, derivative(f, "min(x, y)"), "if(x < y, 1, 0)");
  assert_is(f, derivative(f, "max(x, y)"), "if(x < y, 0, 1)");
  assert_is(f, derivative(f, "min(y, x^2)"), "if(y < x^2, 0, 2*x)");
  assert_is(f, derivative(f, "abs(x)"), "sign(x)");
  assert_is(f, derivative(f, "abs(x)^3"), "3*x^2*sign(x)");
  assert_is(f, derivative(f, "sign(x)"), "0");
  assert_is(f, derivative(f, "x < y"), "0");
}

/* The root is not defined for x < 0, but then it is not taken. */
static void a_branch_that_is_not_taken_cannot_spoil_the_derivative(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "if(x < 0, 3*x, sqrt(x))"), x = formula(f->ctx, "x"), gradient;
  assert_int_equal(pf_expr_gradient(f->ctx, e, &x, 1, &gradient), PF_OK);
  assert_near(value_at(f->ctx, pf_expr_diff(f->ctx, e, x), -1, 0, 0), 3, 0, 0);
  assert_near(value_at(f->ctx, pf_expr_diff(f->ctx, e, x), 4, 0, 0), 0.25, 1e-15, 0);
  assert_near(value_at(f->ctx, gradient, -1, 0, 0), 3, 0, 0);
  assert_near(value_at(f->ctx, gradient, 4, 0, 0), 0.25, 1e-15, 0);
}

static void guards_stay_outside_however_often_a_part_is_used(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"if(x < 0, y, sqrt(x)*sin(sqrt(x)))", "max(x, if(x < 0, y, log(x)^2*x))",
                         "if(x < 0, y, if(y < 0, x, sqrt(x)*exp(sqrt(x))))",
                         "if(x < 0, y, sqrt(x)) + 2*if(x < 0, y, sqrt(x) + 1)"};
  PfExpr x = formula(f->ctx, "x"), gradient;
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    PfExpr e = formula(f->ctx, texts[i]), rate = pf_expr_diff(f->ctx, e, x);
    assert_int_equal(pf_expr_gradient(f->ctx, e, &x, 1, &gradient), PF_OK);
    for (int k = -1; k <= 1; k += 2) {
      double forward = value_at(f->ctx, rate, 0.3*k, 0.7, 0);
      assert_true(isfinite(forward));
      assert_near(value_at(f->ctx, gradient, 0.3*k, 0.7, 0), forward, 1e-14, 1e-15);
    }
  }
}

/* ---------------------------------------------------------------- against finite differences */

static double central_difference(PfContext *ctx, PfExpr e, const double at[3], double step)
{
  double right = value_at(ctx, e, at[0] + step, at[1], at[2]);
  return (right - value_at(ctx, e, at[0] - step, at[1], at[2]))/(2*step);
}

/* Two steps agree where there is no kink of abs, min, max or if between. */
static bool is_smooth(double coarse, double fine)
{
  return fabs(coarse - fine) <= 1e-6*(1 + fabs(fine));
}

static void derivatives_agree_with_finite_differences(void **state)
{
  Fixture *f = *state;
  enum { FORMULAS = 400 };
  uint64_t seed = 20240229;
  int compared = 0;
  PfExpr x = pf_expr_symbol(f->ctx, "x");
  for (int i = 0; i < FORMULAS; i++) {
    PfExpr e = random_formula(f->ctx, &seed, 4 + i%12), rate = pf_expr_diff(f->ctx, e, x);
    assert_int_equal(pf_expr_check(f->ctx), PF_OK);
    const double at[3] = {draw_number(&seed), draw_number(&seed), draw_number(&seed)};
    double coarse = central_difference(f->ctx, e, at, 2e-5), fine = central_difference(f->ctx, e, at, 1e-5);
    if (!is_smooth(coarse, fine)) continue;
    compared++;
    /* truncation 1e-10 times a third derivative, rounding 1e-16/1e-5 */
    double value = value_at(f->ctx, rate, at[0], at[1], at[2]);
    if (fabs(value - fine) > 1e-6*(1 + fabs(fine))) print_error("%s\n", text_of(f, e));
    assert_near(value, fine, 1e-6, 1e-6);
  }
  assert_true(compared > FORMULAS*9/10);
}

/* ---------------------------------------------------------------- forward and backward */

static void the_gradient_agrees_with_forward_derivatives(void **state)
{
  Fixture *f = *state;
  PfExpr symbols[3] = {formula(f->ctx, "x"), formula(f->ctx, "y"), formula(f->ctx, "z")}, gradient[3];
  uint64_t seed = 99;
  for (int i = 0; i < 300; i++) {
    PfExpr e = random_formula(f->ctx, &seed, 3 + i%15);
    assert_int_equal(pf_expr_gradient(f->ctx, e, symbols, 3, gradient), PF_OK);
    const double at[3] = {draw_number(&seed), draw_number(&seed), draw_number(&seed)};
    for (int j = 0; j < 3; j++) {
      double forward = value_at(f->ctx, pf_expr_diff(f->ctx, e, symbols[j]), at[0], at[1], at[2]);
      double backward = value_at(f->ctx, gradient[j], at[0], at[1], at[2]);
      assert_near(backward, forward, 1e-11, 1e-11); /* the same products in another order */
    }
  }
}

static void the_gradient_of_short_formulas_is_the_same_handle(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"x^2*y + sin(x)", "m*(x^2 + y^2)/2", "cos(x + y)*x", "x", "7", "atan2(y, x)"};
  PfExpr symbols[2] = {formula(f->ctx, "x"), formula(f->ctx, "y")}, gradient[2];
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    PfExpr e = formula(f->ctx, texts[i]);
    assert_int_equal(pf_expr_gradient(f->ctx, e, symbols, 2, gradient), PF_OK);
    for (int j = 0; j < 2; j++) assert_int_equal(gradient[j], pf_expr_diff(f->ctx, e, symbols[j]));
  }
}

static void mixed_second_derivatives_are_symmetric(void **state)
{
  Fixture *f = *state;
  PfExpr x = formula(f->ctx, "x"), y = formula(f->ctx, "y");
  PfExpr e = formula(f->ctx, "exp(x*y)*sin(x + y^2)/(1 + x^2)");
  PfExpr xy = pf_expr_diff(f->ctx, pf_expr_diff(f->ctx, e, x), y);
  PfExpr yx = pf_expr_diff(f->ctx, pf_expr_diff(f->ctx, e, y), x);
  assert_near(value_at(f->ctx, xy, 0.3, -0.4, 0), value_at(f->ctx, yx, 0.3, -0.4, 0), 1e-14, 0);
}

/* ---------------------------------------------------------------- along a direction */

static void the_time_derivative_takes_all_rates_in_one_sweep(void **state)
{
  Fixture *f = *state;
  PfExpr symbols[] = {formula(f->ctx, "x"), formula(f->ctx, "theta"), formula(f->ctx, "t")};
  PfExpr rates[] = {formula(f->ctx, "x'"), formula(f->ctx, "theta'"), pf_expr_int(f->ctx, 1)};
  PfExpr roots[] = {formula(f->ctx, "x*sin(theta) + t^2"), formula(f->ctx, "L"), formula(f->ctx, "theta")};
  assert_int_equal(pf_expr_derive_along(f->ctx, roots, 3, symbols, rates, 3, roots), PF_OK);
  assert_is(f, roots[0], "sin(theta)*x' + x*cos(theta)*theta' + 2*t");
  assert_is(f, roots[1], "0");
  assert_is(f, roots[2], "theta'");
}

static void nothing_has_no_derivative(void **state)
{
  Fixture *f = *state;
  PfExpr x = formula(f->ctx, "x"), out = x;
  assert_int_equal(pf_expr_diff(f->ctx, PF_EXPR_NONE, x), PF_EXPR_NONE);
  assert_int_equal(pf_expr_gradient(f->ctx, PF_EXPR_NONE, &x, 1, &out), PF_OK);
  assert_int_equal(out, PF_EXPR_NONE);
  PfExpr bad = formula(f->ctx, "1/0");
  assert_int_equal(pf_expr_gradient(f->ctx, bad, &x, 1, &out), PF_ERR_NUMBER);
}

/* ---------------------------------------------------------------- Jacobian */

static void a_jacobian_lists_by_rows_what_is_not_zero(void **state)
{
  Fixture *f = *state;
  PfExpr roots[] = {formula(f->ctx, "x*z"), formula(f->ctx, "5"), formula(f->ctx, "y + sin(x)")};
  PfExpr symbols[] = {formula(f->ctx, "x"), formula(f->ctx, "y"), formula(f->ctx, "z")};
  PfJacobian j;
  assert_int_equal(pf_expr_jacobian(f->ctx, f->arena, roots, 3, symbols, 3, &j), PF_OK);
  const int row[] = {0, 0, 2, 2}, column[] = {0, 2, 0, 1};
  const char *value[] = {"z", "x", "cos(x)", "1"};
  assert_int_equal(j.rows, 3);
  assert_int_equal(j.columns, 3);
  assert_int_equal(j.count, 4);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(j.row[k], row[k]);
    assert_int_equal(j.column[k], column[k]);
    assert_is(f, j.value[k], value[k]);
  }
}

static void a_jacobian_of_nothing_is_empty(void **state)
{
  Fixture *f = *state;
  PfJacobian j;
  assert_int_equal(pf_expr_jacobian(f->ctx, f->arena, NULL, 0, NULL, 0, &j), PF_OK);
  assert_int_equal(j.count, 0);
}

/* ---------------------------------------------------------------- size */

/* e <- sin(e)*cos(e): written out, 500 levels have 2^500 sines. */
static void shared_parts_are_differentiated_once(void **state)
{
  Fixture *f = *state;
  enum { LEVELS = 500 };
  PfExpr x = formula(f->ctx, "x"), e = x;
  for (int i = 0; i < LEVELS; i++)
    e = pf_expr_mul(f->ctx, pf_expr_call1(f->ctx, PF_OP_SIN, e), pf_expr_call1(f->ctx, PF_OP_COS, e));
  uint32_t before = pf_expr_table_size(f->ctx);
  PfExpr rate = pf_expr_diff(f->ctx, e, x), gradient;
  assert_int_equal(pf_expr_gradient(f->ctx, e, &x, 1, &gradient), PF_OK);
  assert_true(pf_expr_table_size(f->ctx) - before < 20*LEVELS);
  double u = 0.7, expected = 1;
  for (int i = 0; i < LEVELS; i++) expected *= cos(2*u), u = sin(2*u)/2;
  assert_near(value_at(f->ctx, rate, 0.7, 0, 0), expected, 1e-12, 0);
  assert_near(value_at(f->ctx, gradient, 0.7, 0, 0), expected, 1e-12, 0);
}

static void a_sum_of_a_hundred_thousand_terms_is_differentiated(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000 };
  PfExpr x = formula(f->ctx, "x"), out;
  PfExpr *terms = pf_arena_array(f->arena, PfExpr, COUNT);
  for (int i = 0; i < COUNT; i++)
    terms[i] = pf_expr_call1(f->ctx, PF_OP_SIN, pf_expr_mul(f->ctx, pf_expr_int(f->ctx, i + 1), x));
  PfExpr e = pf_expr_sum(f->ctx, terms, COUNT);
  assert_int_equal(pf_expr_gradient(f->ctx, e, &x, 1, &out), PF_OK);
  assert_near(value_at(f->ctx, out, 0, 0, 0), COUNT*(COUNT + 1.0)/2, 0, 0); /* 1 + 2 + … */
  assert_near(value_at(f->ctx, pf_expr_diff(f->ctx, e, x), 0, 0, 0), COUNT*(COUNT + 1.0)/2, 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(derivatives_of_powers_and_products_are_the_schoolbook_ones),
      with_fixture(derivatives_of_functions_are_the_schoolbook_ones),
      with_fixture(derivatives_of_choices_keep_the_branches_apart),
      with_fixture(a_branch_that_is_not_taken_cannot_spoil_the_derivative),
      with_fixture(guards_stay_outside_however_often_a_part_is_used),
      with_fixture(derivatives_agree_with_finite_differences),
      with_fixture(the_gradient_agrees_with_forward_derivatives),
      with_fixture(the_gradient_of_short_formulas_is_the_same_handle),
      with_fixture(mixed_second_derivatives_are_symmetric),
      with_fixture(the_time_derivative_takes_all_rates_in_one_sweep),
      with_fixture(nothing_has_no_derivative),
      with_fixture(a_jacobian_lists_by_rows_what_is_not_zero),
      with_fixture(a_jacobian_of_nothing_is_empty),
      with_fixture(shared_parts_are_differentiated_once),
      with_fixture(a_sum_of_a_hundred_thousand_terms_is_differentiated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
