/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

/* ---------------------------------------------------------------- collecting */

static void like_bases_are_collected(void **state)
{
  Fixture *f = *state;
  assert_same(f, "x*x", "x^2");
  assert_same(f, "x*y*x^3", "y*x^4");
  assert_same(f, "x^y*x^2", "x^(y + 2)");
  assert_same(f, "x^y/x^y", "1");
  assert_same(f, "x/x", "1");
  assert_same(f, "x^2/x", "x");
  assert_same(f, "2*x*3*y/4", "3*x*y/2");
  assert_same(f, "sin(x)*sin(x)", "sin(x)^2");
}

static void the_order_of_factors_does_not_matter(void **state)
{
  Fixture *f = *state;
  assert_same(f, "a*b*c", "c*b*a");
  assert_same(f, "a/b*c/d", "c/d/b*a");
  assert_same(f, "a/(b*c)", "a/c/b");
  assert_same(f, "1/(1/x)", "x");
}

static void zero_and_one_are_neutral_as_they_should(void **state)
{
  Fixture *f = *state;
  assert_same(f, "0*x", "0");
  assert_same(f, "1*x", "x");
  assert_same(f, "x^1", "x");
  assert_same(f, "1^x", "1");
  assert_same(f, "x^0", "1");
  assert_same(f, "0^0", "1");
  assert_same(f, "(x - x)^0", "1");
  assert_same(f, "0^2", "0");
  assert_same(f, "0^(1/2)", "0");
  assert_int_equal(pf_expr_product(f->ctx, NULL, 0), pf_expr_int(f->ctx, 1));
}

static void zero_in_the_denominator_is_an_error(void **state)
{
  Fixture *f = *state;
  const char *bad[] = {"1/0", "x/0", "0/0", "0^(-1)", "0^(-1/2)", "x*(y - y)^(-2)"};
  for (size_t i = 0; i < sizeof bad/sizeof *bad; i++) {
    assert_int_equal(formula(f->ctx, bad[i]), PF_EXPR_NONE);
    assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
    assert_contains(pf_context_message(f->ctx), "zero");
  }
}

/* ---------------------------------------------------------------- powers */

static void integer_powers_distribute(void **state)
{
  Fixture *f = *state;
  assert_same(f, "(x*y)^2", "x^2*y^2");
  assert_same(f, "(x/y)^(-3)", "y^3/x^3");
  assert_same(f, "(2*x)^3", "8*x^3");
  assert_same(f, "(-x)^2", "x^2");
  assert_same(f, "(-x)^3", "-x^3");
  assert_same(f, "(x^y)^2", "x^(2*y)");
  assert_same(f, "(x^2)^3", "x^6");
  assert_same(f, "sqrt(x)^2", "x");
}

static void broken_powers_stay_where_signs_are_unknown(void **state)
{
  Fixture *f = *state;
  assert_different(f, "sqrt(x*y)", "sqrt(x)*sqrt(y)");
  assert_different(f, "(x^2)^y", "x^(2*y)");
  assert_different(f, "sqrt(x^3)", "x^(3/2)");
  assert_same(f, "sqrt(x*y)^2", "x*y");
  assert_same(f, "sqrt(x*y)*sqrt(x*y)", "x*y");
}

static void the_root_of_a_square_is_the_absolute_value(void **state)
{
  Fixture *f = *state;
  assert_same(f, "sqrt(x^2)", "abs(x)");
  assert_same(f, "sqrt(4*x^2)", "2*abs(x)");
  assert_same(f, "sqrt(x^4)", "x^2");
  assert_same(f, "sqrt(x^6)", "abs(x)^3");
  assert_same(f, "abs(x)^2", "x^2");
  assert_same(f, "abs(x)*abs(x)", "x^2");
  assert_same(f, "sqrt((x - y)^2)", "abs(x - y)");
  assert_same(f, "sqrt(exp(x)^2)", "exp(x)");
}

static void roots_of_numbers_are_in_simplest_form(void **state)
{
  Fixture *f = *state;
  assert_same(f, "sqrt(4)", "2");
  assert_same(f, "sqrt(8)", "2*sqrt(2)");
  assert_same(f, "sqrt(2)*sqrt(2)", "2");
  assert_same(f, "sqrt(2)^3", "2*sqrt(2)");
  assert_same(f, "sqrt(1/2)", "sqrt(2)/2");
  assert_same(f, "1/sqrt(2)", "sqrt(2)/2");
  assert_same(f, "sqrt(8/3)", "2*sqrt(6)/3");
  assert_same(f, "4^(3/2)", "8");
  assert_same(f, "4^(-1/2)", "1/2");
  assert_same(f, "sqrt(10^18)", "10^9");
  assert_same(f, "sqrt(1000003^2)", "1000003"); /* the square of a large prime */
  assert_same(f, "2^(1/3)*2^(2/3)", "2");
  assert_same(f, "sqrt(3)*x*sqrt(3)", "3*x");
}

static void roots_and_powers_of_doubles_are_numbers(void **state)
{
  Fixture *f = *state;
  double value;
  assert_true(pf_expr_is_number(f->ctx, formula(f->ctx, "sqrt(0.1)"), &value));
  assert_near(value, sqrt(0.1), 1e-16, 0);
  assert_true(pf_expr_is_number(f->ctx, formula(f->ctx, "2^0.1"), &value));
  assert_near(value, pow(2, 0.1), 1e-16, 0);
  assert_same(f, "0.25^(1/2)*2", "1");
}

/* ---------------------------------------------------------------- content */

static void numbers_come_out_of_sums(void **state)
{
  Fixture *f = *state;
  assert_same(f, "(2*x + 4*y)*z", "2*(x + 2*y)*z");
  assert_same(f, "(x/2 + y/3)*z", "(3*x + 2*y)*z/6");
  assert_same(f, "(2*x + 4*y)^2", "4*(x + 2*y)^2");
  assert_same(f, "(2*x + 2)/(x + 1)", "2");
  assert_same(f, "1/(2*x + 4)", "1/(2*(x + 2))");
}

static void signs_come_out_of_sums(void **state)
{
  Fixture *f = *state;
  assert_same(f, "(x - y)*(y - x)", "-(x - y)^2");
  assert_same(f, "(x - y)/(y - x)", "-1");
  assert_same(f, "(y - x)^2", "(x - y)^2");
  assert_same(f, "(y - x)^3", "-(x - y)^3");
  assert_same(f, "-(x - y)*z", "(y - x)*z");
}

/* ---------------------------------------------------------------- long products */

static PfExpr chain(PfContext *ctx, int from, int to)
{
  char name[16];
  PfExpr e = pf_expr_int(ctx, 1);
  for (int i = from; i < to; i++) {
    snprintf(name, sizeof name, "a%d", i);
    e = pf_expr_mul(ctx, e, pf_expr_symbol(ctx, name));
  }
  return e;
}

static void a_product_that_grows_factor_by_factor_stays_small(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 20000 };
  uint32_t size = 0;
  PfExpr e = chain(f->ctx, 0, COUNT);
  PfExpr *nodes;
  int node_count;
  assert_int_equal(pf_expr_reach(f->ctx, f->arena, &e, 1, &nodes, &node_count), PF_OK);
  for (int i = 0; i < node_count; i++) size += (uint32_t)pf_expr_arg_count(f->ctx, nodes[i]);
  assert_true(size < 3*COUNT); /* base and exponent each, and the long parts */
  assert_int_equal(pf_expr_div(f->ctx, e, e), pf_expr_int(f->ctx, 1));
}

static void a_product_of_a_hundred_thousand_factors_can_be_built(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000 };
  char name[16];
  PfExpr *factors = pf_arena_array(f->arena, PfExpr, COUNT);
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "a%d", i%1000);
    factors[i] = pf_expr_symbol(f->ctx, name);
  }
  PfExpr e = pf_expr_product(f->ctx, factors, COUNT);
  assert_int_equal(pf_expr_arg_count(f->ctx, e), 2*1000);
  for (int i = 0; i < 1000; i++) assert_true(pf_expr_is_int(f->ctx, pf_expr_arg(f->ctx, e, 2*i + 1), 100));
}

/* x1*…*x30 by x1 must not be the product divided by x1: x1 may be zero. */
static void the_derivative_of_a_long_product_divides_by_nothing(void **state)
{
  Fixture *f = *state;
  PfExpr e = chain(f->ctx, 0, 30), a0 = pf_expr_symbol(f->ctx, "a0");
  PfExpr rate = pf_expr_diff(f->ctx, e, a0), symbols[30];
  double values[30] = {0}, result;
  for (int i = 0; i < 30; i++) {
    char name[16];
    snprintf(name, sizeof name, "a%d", i);
    symbols[i] = pf_expr_symbol(f->ctx, name);
    if (i) values[i] = 2;
  }
  assert_int_equal(pf_expr_evaluate(f->ctx, &rate, 1, symbols, values, 30, &result), PF_OK);
  assert_near(result, ldexp(1, 29), 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(like_bases_are_collected),
      with_fixture(the_order_of_factors_does_not_matter),
      with_fixture(zero_and_one_are_neutral_as_they_should),
      with_fixture(zero_in_the_denominator_is_an_error),
      with_fixture(integer_powers_distribute),
      with_fixture(broken_powers_stay_where_signs_are_unknown),
      with_fixture(the_root_of_a_square_is_the_absolute_value),
      with_fixture(roots_of_numbers_are_in_simplest_form),
      with_fixture(roots_and_powers_of_doubles_are_numbers),
      with_fixture(numbers_come_out_of_sums),
      with_fixture(signs_come_out_of_sums),
      with_fixture(a_product_that_grows_factor_by_factor_stays_small),
      with_fixture(a_product_of_a_hundred_thousand_factors_can_be_built),
      with_fixture(the_derivative_of_a_long_product_divides_by_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
