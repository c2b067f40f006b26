/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions at points of fields as other modules see them, and bounds of their degrees. */
#include "support.h"

#include "expr/field.h"
#include "formula.h"

static PfProbe *probe_of(Fixture *f, const char *const *texts, int count)
{
  PfExpr roots[16];
  PfProbe *probe;
  for (int i = 0; i < count; i++) roots[i] = formula(f->ctx, texts[i]);
  assert_int_equal(pf_probe_make(f->ctx, f->arena, roots, count, &probe), PF_OK);
  return probe;
}
#define probe_texts(state, texts) probe_of(*(state), (texts), (int)(sizeof(texts)/sizeof *(texts)))

static double degree(void **state, const char *text)
{
  Fixture *f = *state;
  double result = -1;
  assert_int_equal(pf_probe_degree(probe_of(f, &text, 1), f->arena, &result), PF_OK);
  return result;
}

/* ---------------------------------------------------------------- degrees */

static void polynomials_have_their_degree(void **state)
{
  assert_true(degree(state, "7") == 0);
  assert_true(degree(state, "x*y + 1") == 2);
  assert_true(degree(state, "(x^2 + y)^3*z") == 7);
}

/* c and s are fractions of degree 2 in a parameter of the circle. */
static void sines_count_twice_and_multiples_of_angles_as_often(void **state)
{
  assert_true(degree(state, "sin(x)") == 2);
  assert_true(degree(state, "sin(x)^2*cos(y) + z") == 6);
  assert_true(degree(state, "cos(3*x) + sin(x)") == 6);
  assert_true(degree(state, "cos(x + 2*y - pi/3) + cos(x) + cos(y)") == 6);
  assert_true(degree(state, "tan(x)") == 2);
}

/* The numerator or the denominator, whichever is larger. */
static void terms_with_the_same_denominator_share_it(void **state)
{
  assert_true(degree(state, "1/x + 1/x^2 + y/x^2") == 2);
  assert_true(degree(state, "1/(x + y) + z/(x + y) + z^2/(x + y)") == 2);
  assert_true(degree(state, "1/(x + y) + 1/(x - y)") == 2);
  assert_true(degree(state, "1/(1 + 1/x)") == 1);
  assert_true(degree(state, "(1 + 1/x)/(2 + 1/(x + y))") == 2); /* (x + 1)*(x + y)/(x*(2*x + 2*y + 1)) */
}

static void all_roots_are_written_over_one_denominator(void **state)
{
  Fixture *f = *state;
  static const char *const texts[] = {"1/x", "1/y", "z"};
  double result;
  assert_int_equal(pf_probe_degree(probe_texts(state, texts), f->arena, &result), PF_OK);
  assert_true(result == 3); /* (y, x, x*y*z)/(x*y) */
}

static void powers_of_powers_have_no_finite_bound(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "1 + x/y");
  for (int i = 0; i < 400; i++) e = pf_expr_add(f->ctx, pf_expr_pow_int(f->ctx, e, 9), formula(f->ctx, "1"));
  PfProbe *probe;
  double result;
  assert_int_equal(pf_probe_make(f->ctx, f->arena, &e, 1, &probe), PF_OK);
  assert_int_equal(pf_probe_degree(probe, f->arena, &result), PF_OK);
  assert_true(result == INFINITY);
}

/* ---------------------------------------------------------------- points */

static void equal_expressions_have_equal_values_in_every_field(void **state)
{
  static const char *const texts[] = {"(x + y)^2", "x^2 + 2*x*y + y^2", "cos(x + y)", "cos(x)*cos(y) - sin(x)*sin(y)"};
  PfProbe *probe = probe_texts(state, texts);
  for (uint64_t i = 0; i < 5; i++) {
    uint64_t values[4];
    assert_true(pf_probe_next_field(probe));
    pf_probe_evaluate(probe, i, values);
    assert_int_equal(values[0], values[1]);
    assert_int_equal(values[2], values[3]);
    assert_int_not_equal(values[0], values[2]);
  }
}

static void what_divides_by_zero_is_undefined_and_the_rest_is_not(void **state)
{
  static const char *const texts[] = {"1/(sin(x)^2 + cos(x)^2 - 1)", "x", "y + 1/((x + y)^2 - x^2 - 2*x*y - y^2)"};
  PfProbe *probe = probe_texts(state, texts);
  uint64_t values[3];
  assert_true(pf_probe_next_field(probe));
  pf_probe_evaluate(probe, 1, values);
  assert_true(values[0] == PF_UNDEFINED);
  assert_true(values[1] < pf_probe_field(probe)->p);
  assert_true(values[2] == PF_UNDEFINED);
}

static void functions_of_which_nothing_is_known_are_named_for_each_root(void **state)
{
  static const char *const texts[] = {"sin(x) + exp(y)", "1 + y*abs(x)", "x^y", "sqrt(1 + x)", "x^(1/3)", "x^(1/41)"};
  PfProbe *probe = probe_texts(state, texts);
  assert_null(pf_probe_outside(probe, 0));
  assert_string_equal(pf_probe_outside(probe, 1), "abs");
  assert_string_equal(pf_probe_outside(probe, 2), "^");
  assert_null(pf_probe_outside(probe, 3));
  assert_null(pf_probe_outside(probe, 4));
  assert_string_equal(pf_probe_outside(probe, 5), "^");
}

static void square_roots_are_counted_once_and_not_of_numbers(void **state)
{
  static const char *const texts[] = {"sqrt(1 + x) + (1 + x)^(3/2)", "sqrt(3)*x", "sqrt(y)"};
  assert_int_equal(pf_probe_square_roots(probe_texts(state, texts)), 2);
}

static void an_expression_that_is_none_is_refused(void **state)
{
  Fixture *f = *state;
  PfExpr none = PF_EXPR_NONE;
  PfProbe *probe;
  assert_int_equal(pf_probe_make(f->ctx, f->arena, &none, 1, &probe), PF_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(polynomials_have_their_degree),
    with_fixture(sines_count_twice_and_multiples_of_angles_as_often),
    with_fixture(terms_with_the_same_denominator_share_it),
    with_fixture(all_roots_are_written_over_one_denominator),
    with_fixture(powers_of_powers_have_no_finite_bound),
    with_fixture(equal_expressions_have_equal_values_in_every_field),
    with_fixture(what_divides_by_zero_is_undefined_and_the_rest_is_not),
    with_fixture(functions_of_which_nothing_is_known_are_named_for_each_root),
    with_fixture(square_roots_are_counted_once_and_not_of_numbers),
    with_fixture(an_expression_that_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
