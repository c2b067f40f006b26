/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

static PfExpr symbol_number(PfContext *ctx, int i)
{
  char name[16];
  snprintf(name, sizeof name, "a%d", i);
  return pf_expr_symbol(ctx, name);
}

/* a0 + a1 + …, the first with a coefficient of its own. */
static PfExpr long_sum(PfContext *ctx, int count, int first_coefficient)
{
  PfExpr terms[64];
  for (int i = 0; i < count; i++) terms[i] = symbol_number(ctx, i);
  terms[0] = pf_expr_mul(ctx, pf_expr_int(ctx, first_coefficient), terms[0]);
  return pf_expr_sum(ctx, terms, count);
}

/* ---------------------------------------------------------------- collecting */

static void like_terms_are_collected(void **state)
{
  Fixture *f = *state;
  assert_same(f, "x + x", "2*x");
  assert_same(f, "x + y + x/2", "3*x/2 + y");
  assert_same(f, "2*x*y + y*x", "3*x*y");
  assert_same(f, "1/2 + 1/3", "5/6");
  assert_same(f, "x + 1 + y + 2", "3 + y + x");
  assert_same(f, "sin(x) + 2*sin(x)", "3*sin(x)");
}

static void what_cancels_leaves_the_integer_zero(void **state)
{
  Fixture *f = *state;
  PfExpr zero = pf_expr_int(f->ctx, 0);
  const char *zeros[] = {"x - x", "x + y - (y + x)", "2*x*y - x*y - y*x", "x/3 + x/6 - x/2",
                         "sin(x)*y - y*sin(x)", "0.5*x - x/2", "(x + 1)^2 - (1 + x)^2", "0*x"};
  for (size_t i = 0; i < sizeof zeros/sizeof *zeros; i++)
    assert_int_equal(formula(f->ctx, zeros[i]), zero);
}

static void the_order_of_terms_does_not_matter(void **state)
{
  Fixture *f = *state;
  assert_same(f, "a + b + c", "c + b + a");
  assert_same(f, "(a + b) + (c + d)", "a + (b + (c + d))");
  assert_same(f, "a - b", "-b + a");
  assert_same(f, "-(a - b)", "b - a");
}

static void sums_inside_sums_are_taken_apart(void **state)
{
  Fixture *f = *state;
  assert_same(f, "x + 2*(y + 3*(z + 1))", "x + 2*y + 6*z + 6");
  assert_same(f, "x - (x - y)", "y");
}

static void a_sum_of_nothing_is_zero(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x");
  assert_int_equal(pf_expr_sum(f->ctx, NULL, 0), pf_expr_int(f->ctx, 0));
  assert_int_equal(pf_expr_sum(f->ctx, &x, 1), x);
  assert_int_equal(pf_expr_neg(f->ctx, pf_expr_neg(f->ctx, x)), x);
}

/* ---------------------------------------------------------------- numbers */

static void rationals_that_overflow_go_on_as_doubles(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x"), e = x;
  for (int i = 0; i < 10; i++) e = pf_expr_mul(f->ctx, e, pf_expr_int(f->ctx, 1000003));
  assert_int_equal(pf_expr_check(f->ctx), PF_OK);
  /* 1000003^10 has about 60 digits; ten roundings at most */
  assert_near(value_at(f->ctx, e, 1, 0, 0), pow(1000003, 10), 1e-14, 0);
  assert_int_equal(pf_expr_sub(f->ctx, e, e), pf_expr_int(f->ctx, 0));
}

static void a_coefficient_too_large_for_a_double_spoils_the_sum(void **state)
{
  Fixture *f = *state;
  PfExpr x = pf_expr_symbol(f->ctx, "x"), large = pf_expr_double(f->ctx, 1.5e308);
  PfExpr term = pf_expr_mul(f->ctx, large, x);
  assert_int_equal(pf_expr_add(f->ctx, term, term), PF_EXPR_NONE);
  assert_int_equal(pf_expr_check(f->ctx), PF_ERR_NUMBER);
}

/* ---------------------------------------------------------------- long sums */

static void a_sum_of_a_hundred_thousand_terms_is_collected(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000, SYMBOLS = 50000 };
  PfExpr *terms = pf_arena_array(f->arena, PfExpr, COUNT);
  for (int i = 0; i < COUNT; i++) terms[i] = symbol_number(f->ctx, i*7919%SYMBOLS);
  PfExpr e = pf_expr_sum(f->ctx, terms, COUNT);
  assert_int_equal(pf_expr_arg_count(f->ctx, e), 1 + 2*SYMBOLS);
  for (int i = 0; i < SYMBOLS; i++) /* 7919 is prime to 50000: every symbol comes twice */
    assert_true(pf_expr_is_int(f->ctx, pf_expr_arg(f->ctx, e, 1 + 2*i), 2));
  assert_int_equal(pf_expr_sub(f->ctx, e, e), pf_expr_int(f->ctx, 0));
}

static void a_sum_that_grows_term_by_term_stays_small(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 20000 };
  PfExpr e = pf_expr_int(f->ctx, 0);
  for (int i = 0; i < COUNT; i++) e = pf_expr_add(f->ctx, e, symbol_number(f->ctx, i));
  assert_int_equal(pf_expr_check(f->ctx), PF_OK);
  assert_true(pf_expr_table_size(f->ctx) < 3*COUNT); /* symbols, sums, numbers: not the square */
}

static void a_long_sum_stays_whole_in_another(void **state)
{
  Fixture *f = *state;
  PfExpr e = long_sum(f->ctx, 40, 1), x = pf_expr_symbol(f->ctx, "x");
  PfExpr longer = pf_expr_add(f->ctx, e, x);
  assert_int_equal(pf_expr_arg_count(f->ctx, longer), 5);
  assert_int_equal(pf_expr_sub(f->ctx, longer, e), x);
  assert_int_equal(pf_expr_neg(f->ctx, pf_expr_neg(f->ctx, e)), e);
}

/* Once a sign went round and round between a long sum and its negative. */
static void functions_of_a_long_negative_sum_can_be_built(void **state)
{
  Fixture *f = *state;
  for (int count = 20; count <= 30; count++) {
    PfExpr e = long_sum(f->ctx, count, -1), minus = pf_expr_neg(f->ctx, e);
    PfExpr sine = pf_expr_call1(f->ctx, PF_OP_SIN, e);
    assert_int_equal(pf_expr_call1(f->ctx, PF_OP_SIN, minus), pf_expr_neg(f->ctx, sine));
    assert_int_equal(pf_expr_call1(f->ctx, PF_OP_COS, minus), pf_expr_call1(f->ctx, PF_OP_COS, e));
    assert_int_equal(pf_expr_call1(f->ctx, PF_OP_ABS, minus), pf_expr_call1(f->ctx, PF_OP_ABS, e));
    assert_int_not_equal(pf_expr_call1(f->ctx, PF_OP_TANH, e), PF_EXPR_NONE);
  }
}

static void sine_of_a_long_sum_with_pi_can_be_built(void **state)
{
  Fixture *f = *state;
  PfExpr terms[30];
  for (int i = 0; i < 29; i++) terms[i] = symbol_number(f->ctx, i);
  terms[29] = pf_expr_pi(f->ctx);
  PfExpr e = pf_expr_sum(f->ctx, terms, 30);
  assert_int_not_equal(pf_expr_call1(f->ctx, PF_OP_SIN, e), PF_EXPR_NONE);
  PfExpr turned = pf_expr_add(f->ctx, e, pf_expr_pi(f->ctx));
  assert_int_equal(pf_expr_call1(f->ctx, PF_OP_COS, turned),
                   pf_expr_neg(f->ctx, pf_expr_call1(f->ctx, PF_OP_COS, e)));
}

static void powers_of_long_sums_agree_however_they_are_built(void **state)
{
  Fixture *f = *state;
  PfContext *ctx = f->ctx;
  PfExpr e = long_sum(ctx, 40, -1), z = pf_expr_symbol(ctx, "z");
  PfExpr product = pf_expr_mul(ctx, e, z), minus = pf_expr_neg(ctx, e);
  PfExpr square = pf_expr_mul(ctx, pf_expr_pow_int(ctx, e, 2), pf_expr_pow_int(ctx, z, 2));
  assert_int_equal(pf_expr_pow_int(ctx, product, 2), square);
  assert_int_equal(pf_expr_mul(ctx, product, product), square);
  assert_int_equal(pf_expr_pow_int(ctx, pf_expr_mul(ctx, minus, z), 2), square);
  assert_int_equal(pf_expr_mul(ctx, minus, z), pf_expr_neg(ctx, product));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(like_terms_are_collected),
      with_fixture(what_cancels_leaves_the_integer_zero),
      with_fixture(the_order_of_terms_does_not_matter),
      with_fixture(sums_inside_sums_are_taken_apart),
      with_fixture(a_sum_of_nothing_is_zero),
      with_fixture(rationals_that_overflow_go_on_as_doubles),
      with_fixture(a_coefficient_too_large_for_a_double_spoils_the_sum),
      with_fixture(a_sum_of_a_hundred_thousand_terms_is_collected),
      with_fixture(a_sum_that_grows_term_by_term_stays_small),
      with_fixture(a_long_sum_stays_whole_in_another),
      with_fixture(functions_of_a_long_negative_sum_can_be_built),
      with_fixture(sine_of_a_long_sum_with_pi_can_be_built),
      with_fixture(powers_of_long_sums_agree_however_they_are_built),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
