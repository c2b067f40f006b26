/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

/* ---------------------------------------------------------------- one handle for one expression */

static void the_same_name_is_the_same_symbol(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x");
  assert_int_equal(pf_expr_symbol(f->ctx, "x"), x);
  assert_int_not_equal(pf_expr_symbol(f->ctx, "x'"), x);
  assert_string_equal(pf_expr_symbol_name(f->ctx, x), "x");
  assert_null(pf_expr_symbol_name(f->ctx, pf_expr_int(f->ctx, 1)));
}

static void a_name_is_copied(void **state)
{
  Fixture *f = *state;
  char name[] = "phi_b";
  PfExpr phi = pf_expr_symbol(f->ctx, name);
  name[0] = '?';
  assert_string_equal(pf_expr_symbol_name(f->ctx, phi), "phi_b");
}

static void the_same_input_twice_gives_the_same_handles(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"m*(x'^2 + y'^2)/2 - m*g*y", "sin(x + y)*cos(x - y)/sqrt(1 + x^2)",
                         "if(x < 0, atan2(y, x), max(x, exp(-y)))"};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    PfExpr first = formula(f->ctx, texts[i]);
    uint32_t size = pf_expr_table_size(f->ctx);
    assert_int_equal(formula(f->ctx, texts[i]), first);
    assert_int_equal(pf_expr_table_size(f->ctx), size);
  }
}

/* Nothing may depend on addresses or on what another context did. */
static void two_contexts_number_alike(void **state)
{
  Fixture *f = *state;
  PfContext *other = pf_context_new(NULL);
  uint64_t seed = 1, again = 1;
  for (int i = 0; i < 20; i++)
    assert_int_equal(random_formula(f->ctx, &seed, 30), random_formula(other, &again, 30));
  pf_context_free(other);
}

static void equal_numbers_are_one_node(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_expr_rational(f->ctx, 2, -4), pf_expr_rational(f->ctx, -1, 2));
  assert_int_equal(pf_expr_double(f->ctx, 3.0), pf_expr_int(f->ctx, 3));
  assert_int_equal(pf_expr_double(f->ctx, -0.0), pf_expr_int(f->ctx, 0));
  assert_int_equal(pf_expr_double(f->ctx, 0.1), pf_expr_double(f->ctx, 0.1));
  assert_int_equal(pf_expr_op(f->ctx, pf_expr_double(f->ctx, 0.1)), PF_OP_DOUBLE);
}

static void operands_come_before_what_uses_them(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 7;
  random_formula(f->ctx, &seed, 60);
  for (PfExpr e = 1; e <= pf_expr_table_size(f->ctx); e++)
    for (int i = 0; i < pf_expr_arg_count(f->ctx, e); i++) assert_true(pf_expr_arg(f->ctx, e, i) < e);
}

static void a_hundred_thousand_symbols_are_found_again(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000 };
  char name[16];
  PfExpr first = pf_expr_symbol(f->ctx, "a0");
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < COUNT; i++) {
      snprintf(name, sizeof name, "a%d", i);
      assert_int_equal(pf_expr_symbol(f->ctx, name), first + (PfExpr)i);
    }
}

/* ---------------------------------------------------------------- looking */

static void a_sum_is_a_constant_and_coefficients_with_terms(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x"), y = pf_expr_symbol(f->ctx, "y");
  PfExpr e = formula(f->ctx, "2*x - y/3 + 5");
  int64_t num, den;
  assert_int_equal(pf_expr_op(f->ctx, e), PF_OP_SUM);
  assert_int_equal(pf_expr_arg_count(f->ctx, e), 5);
  assert_true(pf_expr_is_int(f->ctx, pf_expr_arg(f->ctx, e, 0), 5));
  assert_true(pf_expr_is_int(f->ctx, pf_expr_arg(f->ctx, e, 1), 2));
  assert_int_equal(pf_expr_arg(f->ctx, e, 2), x);
  assert_true(pf_expr_is_rational(f->ctx, pf_expr_arg(f->ctx, e, 3), &num, &den));
  assert_true(num == -1 && den == 3);
  assert_int_equal(pf_expr_arg(f->ctx, e, 4), y);
}

static void a_product_is_bases_with_exponents(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "x^2/y");
  assert_int_equal(pf_expr_op(f->ctx, e), PF_OP_PRODUCT);
  assert_int_equal(pf_expr_arg_count(f->ctx, e), 4);
  assert_true(pf_expr_is_int(f->ctx, pf_expr_arg(f->ctx, e, 1), 2));
  assert_true(pf_expr_is_int(f->ctx, pf_expr_arg(f->ctx, e, 3), -1));
}

static void three_x_y_is_a_sum_of_one_term(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "3*x*y");
  assert_int_equal(pf_expr_op(f->ctx, e), PF_OP_SUM);
  assert_int_equal(pf_expr_arg_count(f->ctx, e), 3);
  assert_int_equal(pf_expr_arg(f->ctx, e, 2), formula(f->ctx, "x*y"));
}

static void numbers_tell_their_values(void **state)
{
  Fixture *f = *state;
  double value;
  assert_true(pf_expr_is_number(f->ctx, pf_expr_rational(f->ctx, 1, 4), &value));
  assert_near(value, 0.25, 0, 0);
  assert_true(pf_expr_is_number(f->ctx, pf_expr_double(f->ctx, 0.1), &value));
  assert_near(value, 0.1, 0, 0);
  assert_false(pf_expr_is_number(f->ctx, pf_expr_pi(f->ctx), &value));
  assert_false(pf_expr_is_rational(f->ctx, pf_expr_double(f->ctx, 0.1), NULL, NULL));
  assert_true(pf_expr_is_rational(f->ctx, pf_expr_int(f->ctx, 2), NULL, NULL));
  assert_true(pf_expr_is_structural_zero(f->ctx, pf_expr_int(f->ctx, 0)));
  assert_false(pf_expr_is_structural_zero(f->ctx, pf_expr_symbol(f->ctx, "x")));
}

/* ---------------------------------------------------------------- failures */

static void division_by_zero_absorbs_and_is_reported_once(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x");
  PfExpr bad = pf_expr_div(f->ctx, x, pf_expr_sub(f->ctx, x, x));
  assert_int_equal(bad, PF_EXPR_NONE);
  PfExpr e = pf_expr_call1(f->ctx, PF_OP_SIN, pf_expr_add(f->ctx, x, pf_expr_mul(f->ctx, x, bad)));
  assert_int_equal(e, PF_EXPR_NONE);
  assert_int_equal(pf_expr_mul(f->ctx, pf_expr_int(f->ctx, 0), bad), PF_EXPR_NONE);

  assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "division by zero");
  assert_int_equal(pf_expr_check(f->ctx), PF_OK);
}

static void every_use_of_nothing_is_reported(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x"), none = PF_EXPR_NONE;
  assert_int_equal(pf_expr_add(f->ctx, x, none), PF_EXPR_NONE);
  assert_int_not_equal(pf_expr_check(f->ctx), PF_OK);
  assert_int_equal(pf_expr_pow(f->ctx, x, none), PF_EXPR_NONE);
  assert_int_not_equal(pf_expr_check(f->ctx), PF_OK);
  assert_int_equal(pf_expr_call1(f->ctx, PF_OP_COS, none), PF_EXPR_NONE);
  assert_int_not_equal(pf_expr_check(f->ctx), PF_OK);
  assert_int_equal(pf_expr_if(f->ctx, x, x, none), PF_EXPR_NONE);
  assert_int_not_equal(pf_expr_check(f->ctx), PF_OK);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
  Fixture *f = *state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pf_expr_double(f->ctx, bad[i]), PF_EXPR_NONE);
    assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
  }
  PfExpr large = pf_expr_double(f->ctx, 1e300);
  assert_int_equal(pf_expr_mul(f->ctx, large, large), PF_EXPR_NONE);
  assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
  assert_int_equal(pf_expr_rational(f->ctx, 1, 0), PF_EXPR_NONE);
  assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
}

static void nothing_can_be_looked_at(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_expr_op(f->ctx, PF_EXPR_NONE), PF_OP_NONE);
  assert_int_equal(pf_expr_arg_count(f->ctx, PF_EXPR_NONE), 0);
  assert_null(pf_expr_symbol_name(f->ctx, PF_EXPR_NONE));
  assert_false(pf_expr_is_number(f->ctx, PF_EXPR_NONE, NULL));
  assert_false(pf_expr_is_structural_zero(f->ctx, PF_EXPR_NONE));
}

/* ---------------------------------------------------------------- no memory */

/* Builds, differentiates, substitutes, evaluates, prints and shares. Without memory there is an error and no
 * result; with memory everything is right. */
static PfStatus whole_life(PfContext *ctx, PfArena *arena, const char **text)
{
  PfExpr x = pf_expr_symbol(ctx, "x"), y = pf_expr_symbol(ctx, "y"), gradient[2], out;
  PfExpr terms[26];
  for (int i = 0; i < 26; i++) terms[i] = pf_expr_pow_int(ctx, pf_expr_add(ctx, x, pf_expr_int(ctx, i)), 2);
  PfExpr product = pf_expr_product(ctx, terms, 26);
  PfExpr e = pf_expr_add(ctx, pf_expr_sum(ctx, terms, 26), pf_expr_call1(ctx, PF_OP_SIN, product));
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(pf_expr_gradient(ctx, e, (PfExpr[]){x, y}, 2, gradient));
  PF_TRY(pf_expr_substitute(ctx, gradient, 1, &x, &y, 1, &out));
  double value;
  PF_TRY(pf_expr_evaluate(ctx, &out, 1, &y, (double[]){0.5}, 1, &value));
  PfJacobian jacobian;
  PF_TRY(pf_expr_jacobian(ctx, arena, &out, 1, (PfExpr[]){x, y}, 2, &jacobian));
  PfParts parts;
  PF_TRY(pf_expr_share(ctx, arena, &out, 1, "s", 0, &parts));
  *text = pf_expr_print(ctx, arena, out, PF_TEXT);
  return *text ? PF_OK : PF_ERR_MEMORY;
}

static void attempt_whole_life(Counter *counter, void *user)
{
  const char *expected = user, *text = NULL;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (ctx && arena) {
    PfStatus status = whole_life(ctx, arena, &text);
    if (status == PF_OK) assert_string_equal(text, expected);
    else assert_int_equal(status, PF_ERR_MEMORY);
    if (!counter->refused) assert_int_equal(status, PF_OK);
  } else {
    assert_true(counter->refused);
  }
  pf_arena_free(arena);
  if (ctx) pf_context_free(ctx);
}

static void every_failing_allocation_gives_an_error_and_no_leak(void **state)
{
  Fixture *f = *state;
  const char *text = NULL;
  assert_int_equal(whole_life(f->ctx, f->arena, &text), PF_OK);
  char *expected = pf_arena_text(f->arena, text, strlen(text));
  fail_every_allocation(attempt_whole_life, expected);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(the_same_name_is_the_same_symbol),
      with_fixture(a_name_is_copied),
      with_fixture(the_same_input_twice_gives_the_same_handles),
      with_fixture(two_contexts_number_alike),
      with_fixture(equal_numbers_are_one_node),
      with_fixture(operands_come_before_what_uses_them),
      with_fixture(a_hundred_thousand_symbols_are_found_again),
      with_fixture(a_sum_is_a_constant_and_coefficients_with_terms),
      with_fixture(a_product_is_bases_with_exponents),
      with_fixture(three_x_y_is_a_sum_of_one_term),
      with_fixture(numbers_tell_their_values),
      with_fixture(division_by_zero_absorbs_and_is_reported_once),
      with_fixture(every_use_of_nothing_is_reported),
      with_fixture(numbers_that_are_not_finite_are_refused),
      with_fixture(nothing_can_be_looked_at),
      with_fixture(every_failing_allocation_gives_an_error_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
