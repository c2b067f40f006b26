/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

#include "expr/big.h"
#include "expr/normal.h"
#include "expr/print_impl.h"

static void assert_exact(Number a, int64_t num, int64_t den)
{
  assert_true(a.num == num && a.den == den);
}

static void assert_inexact(Number a, double value)
{
  assert_false(pf_number_is_exact(a));
  assert_near(a.value, value, 1e-15, 0); /* one rounding */
}

static PfExprTable *table_of(void **state)
{
  const Fixture *f = *state;
  return pf_expr_table(f->ctx);
}

/* ---------------------------------------------------------------- rationals */

static void rationals_are_in_lowest_terms_with_a_positive_denominator(void **state)
{
  PfExprTable *t = table_of(state);
  assert_exact(pf_number_rational(t, 6, 4), 3, 2);
  assert_exact(pf_number_rational(t, 6, -4), -3, 2);
  assert_exact(pf_number_rational(t, -6, -4), 3, 2);
  assert_exact(pf_number_rational(t, 0, -7), 0, 1);
  assert_exact(pf_number_rational(t, INT64_MAX, INT64_MAX), 1, 1);
}

static void rationals_add_and_multiply_exactly(void **state)
{
  PfExprTable *t = table_of(state);
  assert_exact(pf_number_add(t, pf_number_rational(t, 1, 6), pf_number_rational(t, 1, 10)), 4, 15);
  assert_exact(pf_number_add(t, pf_number_rational(t, 1, 6), pf_number_rational(t, -1, 6)), 0, 1);
  assert_exact(pf_number_mul(t, pf_number_rational(t, 2, 3), pf_number_rational(t, 9, 4)), 3, 2);
  assert_exact(pf_number_mul(t, pf_number_rational(t, -2, 3), pf_number_int(0)), 0, 1);
  assert_exact(pf_number_inverse(t, pf_number_rational(t, -2, 3)), -3, 2);
}

static void common_factors_do_not_overflow(void **state)
{
  PfExprTable *t = table_of(state);
  Number large = pf_number_rational(t, INT64_MAX, 2), small = pf_number_rational(t, 4, INT64_MAX);
  assert_exact(pf_number_mul(t, large, small), 2, 1);
  Number smallest = pf_number_rational(t, 1, INT64_MAX);
  assert_exact(pf_number_add(t, smallest, smallest), 2, INT64_MAX);
}

static void the_greatest_common_divisor_takes_every_sign(void **state)
{
  (void)state;
  assert_int_equal(pf_gcd(12, 18), 6);
  assert_int_equal(pf_gcd(-12, 18), 6);
  assert_int_equal(pf_gcd(12, -18), 6);
  assert_int_equal(pf_gcd(0, -5), 5);
  assert_int_equal(pf_gcd(0, 0), 0);
  assert_int_equal(pf_gcd(INT64_MIN, 6), 2);
}

/* ---------------------------------------------------------------- powers */

static void powers_of_rationals_are_exact(void **state)
{
  PfExprTable *t = table_of(state);
  assert_exact(pf_number_pow(t, pf_number_rational(t, -2, 3), 3), -8, 27);
  assert_exact(pf_number_pow(t, pf_number_rational(t, -2, 3), -3), -27, 8);
  assert_exact(pf_number_pow(t, pf_number_rational(t, 5, 7), 0), 1, 1);
  assert_exact(pf_number_pow(t, pf_number_int(0), 0), 1, 1);
  assert_exact(pf_number_pow(t, pf_number_int(2), 62), INT64_C(1) << 62, 1);
}

static void one_to_a_huge_power_is_the_integer_one(void **state)
{
  PfExprTable *t = table_of(state);
  assert_exact(pf_number_pow(t, pf_number_int(1), 1000000), 1, 1);
  assert_exact(pf_number_pow(t, pf_number_int(-1), 1000001), -1, 1);
  assert_exact(pf_number_pow(t, pf_number_int(-1), INT64_MAX - 1), 1, 1);
}

/* ---------------------------------------------------------------- what does not fit */

static void assert_wide(Number a, double value, const char *above, const char *below)
{
  NumberText text;
  assert_true(pf_number_is_wide(a));
  assert_near(pf_number_value(a), value, 0, 0);
  pf_number_text(a, &text);
  assert_string_equal(text.above, above);
  assert_string_equal(text.below, below);
}

static void what_does_not_fit_64_bits_stays_exact(void **state)
{
  PfExprTable *t = table_of(state);
  Number large = pf_number_int(INT64_MAX), one = pf_number_int(1);
  assert_wide(pf_number_add(t, large, one), ldexp(1, 63), "9223372036854775808", "");
  assert_wide(pf_number_add(t, pf_number_int(-INT64_MAX), pf_number_int(-1)), -ldexp(1, 63), "9223372036854775808", "");
  assert_wide(pf_number_mul(t, large, pf_number_int(-2)), -18446744073709551614.0, "18446744073709551614", "");
  assert_wide(pf_number_pow(t, pf_number_int(2), 100), ldexp(1, 100), "1267650600228229401496703205376", "");
  assert_wide(pf_number_pow(t, pf_number_int(10), -30), 1e-30, "1e-30", "");
  Number third = pf_number_mul(t, pf_number_pow(t, pf_number_int(2), 70), pf_number_rational(t, 1, 3));
  assert_wide(third, ldexp(1, 70)/3, "1180591620717411303424", "3");
  assert_exact(pf_number_mul(t, third, pf_number_pow(t, pf_number_int(2), -70)), 1, 3);
}

static void the_smallest_integer_is_wide(void **state)
{
  PfExprTable *t = table_of(state);
  assert_wide(pf_number_rational(t, INT64_MIN, 1), -ldexp(1, 63), "9223372036854775808", "");
  assert_near(pf_number_value(pf_number_rational(t, 1, INT64_MIN)), -ldexp(1, -63), 0, 0);
  assert_exact(pf_number_rational(t, INT64_MIN, INT64_MIN), 1, 1);
  assert_exact(pf_number_rational(t, INT64_MIN, 2), INT64_MIN/2, 1);
}

static void equal_wide_numbers_are_the_same(void **state)
{
  PfExprTable *t = table_of(state);
  Number a = pf_number_pow(t, pf_number_rational(t, 7, 10), 50), b = pf_number_pow(t, pf_number_rational(t, 7, 10), 25);
  assert_true(pf_number_is_same(a, pf_number_mul(t, b, b)));
  assert_true(pf_number_is_same(pf_number_negative(a), pf_number_mul(t, b, pf_number_negative(b))));
  assert_true(pf_number_is(pf_number_add(t, a, pf_number_negative(a)), 0));
  assert_true(pf_number_is(pf_number_div(t, a, a), 1));
  assert_int_equal(pf_number_compare(t, a, b), -1);
  assert_true(pf_intern_number(t, a) == pf_intern_number(t, pf_number_mul(t, b, b)));
  assert_true(pf_intern_number(t, a) != pf_intern_number(t, pf_number_negative(a)));
}

/* (10^k + 1)(10^k - 1) = 10^2k - 1, and quotients of sums are put together again. */
static void wide_numbers_keep_the_laws_of_arithmetic(void **state)
{
  PfExprTable *t = table_of(state);
  for (int k = 1; k <= 150; k++) {
    Number ten = pf_number_pow(t, pf_number_int(10), k), one = pf_number_int(1), minus = pf_number_int(-1);
    Number product = pf_number_mul(t, pf_number_add(t, ten, one), pf_number_add(t, ten, minus));
    Number square = pf_number_add(t, pf_number_mul(t, ten, ten), minus);
    assert_true(pf_number_is_exact(product) && pf_number_is_same(product, square));
    Number a = pf_number_inverse(t, pf_number_add(t, ten, one)), b = pf_number_inverse(t, pf_number_add(t, ten, minus));
    Number sum = pf_number_add(t, a, b), expected = pf_number_div(t, pf_number_mul(t, pf_number_int(2), ten), square);
    assert_true(pf_number_is_same(sum, expected));
    assert_true(pf_number_is_same(pf_number_gcd(t, product, pf_number_add(t, ten, one)), pf_number_add(t, ten, one)));
    assert_int_equal(pf_number_digits(product), 2*k);
  }
}

static void what_is_longer_than_1024_bits_is_rounded_to_a_double(void **state)
{
  PfExprTable *t = table_of(state);
  Number two = pf_number_int(2), third = pf_number_rational(t, 1, 3);
  assert_true(pf_number_is_wide(pf_number_pow(t, two, 1023)));
  assert_true(pf_number_is_wide(pf_number_pow(t, two, -1023)));
  Number rounded = pf_number_pow(t, pf_number_rational(t, 2, 3), 660);
  assert_false(pf_number_is_exact(rounded));
  assert_near(pf_number_value(rounded), pow(2.0/3, 660), 1e-13, 0); /* 660 times the rounding of 2/3 */
  Number long_sum = pf_number_add(t, pf_number_pow(t, third, 640), pf_number_pow(t, two, -1000));
  assert_false(pf_number_is_exact(long_sum));
  assert_near(pf_number_value(long_sum), ldexp(1, -1000) + pow(1.0/3, 640), 1e-15, 0);
}

/* strtod rounds correctly; texts longer than its digits, ties and the smallest doubles included. */
static void decimals_have_the_nearest_double(void **state)
{
  const Fixture *f = *state;
  static const char *const texts[] = {
      "0.1000000000000000055511151231257827021181583404541015625", "9007199254740993",
      "9007199254740993.0000000000000000001",
      "9007199254740992.9999999999", "1e22", "1e23", "8.5e-290", "2.2250738585072011e-308", "4.9406564584124654e-300",
      "123456789012345678901234567890123456789012345678901234567890", "1.7976931348623157e308", "0.3", "179e306",
      "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899", "1e-308",
      "2.4703282292062327e-299"};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    double value;
    assert_true(pf_expr_is_number(f->ctx, pf_expr_decimal(f->ctx, texts[i]), &value));
    assert_near(value, strtod(texts[i], NULL), 0, 0);
  }
  uint64_t random = 1;
  for (int round = 0; round < 2000; round++) {
    char text[80];
    int length = 0, digits = 18 + round%30;
    for (int i = 0; i < digits; i++) {
      random = random*6364136223846793005u + 1442695040888963407u;
      text[length++] = (char)('0' + (random >> 60)%10);
      if (i == 0) text[length++] = '.';
    }
    snprintf(text + length, sizeof text - (size_t)length, "e%d", round%520 - 260);
    double value;
    assert_true(pf_expr_is_number(f->ctx, pf_expr_decimal(f->ctx, text), &value));
    assert_near(value, strtod(text, NULL), 0, 0);
  }
}

/* k*2^-1075 for odd k lies between two doubles and goes to the even one; what is a little more goes up. */
static void the_smallest_doubles_are_rounded_once(void **state)
{
  (void)state;
  for (int k = 1; k < 40; k += 2) {
    Big num, den;
    int above = (k + 1)/2;
    pf_big_set(&num, (uint64_t)k);
    pf_big_set(&den, 1);
    pf_big_shift(&den, 1075);
    assert_near(pf_big_ratio(&num, &den), ldexp(above - above%2, -1074), 0, 0);
    pf_big_scale(&num, 1000, 1);
    pf_big_scale(&den, 1000, 0);
    assert_near(pf_big_ratio(&num, &den), ldexp(above, -1074), 0, 0);
  }
}

static void roots_take_squares_out_of_wide_numbers(void **state)
{
  const Fixture *f = *state;
  PfExpr big = pf_expr_decimal(f->ctx, "1e41"), root = pf_expr_sqrt(f->ctx, big);
  assert_string_equal(pf_expr_print(f->ctx, f->arena, root, PF_TEXT), "1e+20*sqrt(10)");
  assert_true(pf_expr_mul(f->ctx, root, root) == big);
  PfExpr square = pf_expr_decimal(f->ctx, "15241578753238836750495351562536198787501905199875019052100");
  assert_true(pf_expr_sqrt(f->ctx, square) == pf_expr_decimal(f->ctx, "123456789012345678901234567890"));
  PfExpr ratio = pf_expr_div(f->ctx, pf_expr_int(f->ctx, 8), pf_expr_mul(f->ctx, big, pf_expr_int(f->ctx, 3)));
  PfExpr of_ratio = pf_expr_sqrt(f->ctx, ratio);
  assert_true(pf_expr_mul(f->ctx, of_ratio, of_ratio) == ratio);
}

/* What is printed is read again as the same number, as long as it is exact. */
static void wide_numbers_are_printed_as_people_write_them(void **state)
{
  Fixture *f = *state;
  static const char *const texts[] = {"3.14159265358979323846", "6.02214076e+23", "1.380649e-23", "1e+30", "1e-300",
                                      "18446744073709551616", "0.0001234567890123456789", "1234567890123456789.0625",
                                      "5e-25", "12345678901234567890.12345678901234567"};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    PfExpr e = pf_expr_decimal(f->ctx, texts[i]);
    assert_int_equal(pf_expr_op(f->ctx, e), PF_OP_RATIONAL);
    assert_false(pf_expr_is_rational(f->ctx, e, NULL, NULL));
    assert_string_equal(pf_expr_print(f->ctx, f->arena, e, PF_TEXT), texts[i]);
  }
  PfExpr x = pf_expr_symbol(f->ctx, "x");
  PfExpr third = pf_expr_div(f->ctx, pf_expr_decimal(f->ctx, "1e20"), pf_expr_int(f->ctx, 3));
  PfExpr term = pf_expr_neg(f->ctx, pf_expr_mul(f->ctx, third, x));
  assert_string_equal(pf_expr_print(f->ctx, f->arena, term, PF_TEXT), "-100000000000000000000*x/3");
  assert_string_equal(pf_expr_print(f->ctx, f->arena, term, PF_LATEX), "-\\frac{100000000000000000000 x}{3}");
  assert_string_equal(pf_expr_print(f->ctx, f->arena, term, PF_C), "-3.3333333333333332e+19*x");
  PfExpr power = pf_expr_pow(f->ctx, x, third);
  assert_string_equal(pf_expr_print(f->ctx, f->arena, power, PF_TEXT), "x^(100000000000000000000/3)");
  PfExpr longer = pf_expr_pow_int(f->ctx, pf_expr_rational(f->ctx, 2, 3), 100);
  assert_string_equal(pf_expr_print(f->ctx, f->arena, longer, PF_TEXT), "2.4596544265798292e-18");
}

/* Exact sums and comparisons where doubles see no difference. */
static void what_doubles_confuse_is_told_apart(void **state)
{
  const Fixture *f = *state;
  PfExpr a = pf_expr_decimal(f->ctx, "1e30"), b = pf_expr_add(f->ctx, a, pf_expr_int(f->ctx, 1));
  PfExpr args[2] = {a, b};
  assert_true(pf_expr_is_int(f->ctx, pf_expr_sub(f->ctx, b, a), 1));
  assert_true(pf_expr_is_int(f->ctx, pf_expr_call(f->ctx, PF_OP_LESS, args), 1));
  assert_true(pf_expr_is_int(f->ctx, pf_expr_call(f->ctx, PF_OP_EQUAL, args), 0));
  assert_true(pf_expr_call(f->ctx, PF_OP_MAX, args) == b);
}

/* (c x + y)^2 - c^2 x^2 - 2 c x y - y^2 for a wide c, by field and normal form; one digit more and it is not zero. */
static void zero_tests_take_wide_numbers(void **state)
{
  const Fixture *f = *state;
  PfContext *ctx = f->ctx;
  PfExpr x = pf_expr_symbol(ctx, "x"), y = pf_expr_symbol(ctx, "y");
  PfExpr c = pf_expr_decimal(ctx, "1.2345678901234567890123");
  PfExpr cx = pf_expr_mul(ctx, c, x), square = pf_expr_pow_int(ctx, pf_expr_add(ctx, cx, y), 2);
  PfExpr terms[] = {square, pf_expr_neg(ctx, pf_expr_mul(ctx, pf_expr_mul(ctx, c, c), pf_expr_pow_int(ctx, x, 2))),
                    pf_expr_mul(ctx, pf_expr_int(ctx, -2), pf_expr_mul(ctx, cx, y)),
                    pf_expr_neg(ctx, pf_expr_pow_int(ctx, y, 2))};
  PfExpr zero = pf_expr_sum(ctx, terms, 4), small = pf_expr_decimal(ctx, "1e-60");
  assert_int_equal(pf_expr_is_probably_zero(ctx, zero, 3), PF_TRUE);
  assert_int_equal(pf_expr_is_zero(ctx, pf_expr_add(ctx, zero, pf_expr_mul(ctx, small, x))), PF_FALSE);
  if (pf_expr_has_normal_forms(ctx)) assert_int_equal(pf_expr_is_zero(ctx, zero), PF_TRUE);
}

static void attempt_wide(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int k = 1; k <= 100; k++) {
    PfExpr x = pf_expr_symbol(ctx, k%2 ? "x" : "y"), tenth = pf_expr_pow_int(ctx, pf_expr_rational(ctx, 3, 10), 20 + k);
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, tenth, x));
  }
  if (pf_expr_check(ctx) == PF_OK && counter->refused == 0) assert_true(sum != PF_EXPR_NONE);
  if (counter->refused == 0) assert_int_equal(pf_expr_check(ctx), PF_OK);
  pf_context_free(ctx);
}

static void wide_numbers_without_memory_are_an_error_and_no_leak(void **state)
{
  (void)state;
  fail_every_allocation(attempt_wide, NULL);
}

static void doubles_that_are_small_integers_are_exact_again(void **state)
{
  PfExprTable *t = table_of(state);
  assert_exact(pf_number_double(3.0), 3, 1);
  assert_exact(pf_number_double(-0.0), 0, 1);
  assert_exact(pf_number_add(t, pf_number_double(0.5), pf_number_double(0.5)), 1, 1);
  assert_exact(pf_number_mul(t, pf_number_double(0.25), pf_number_int(8)), 2, 1);
  assert_exact(pf_number_inverse(t, pf_number_double(0.5)), 2, 1);
  assert_inexact(pf_number_double(0.1), 0.1);
  assert_inexact(pf_number_double(9007199254740992.0), 9007199254740992.0);
}

static void signs_are_those_of_the_values(void **state)
{
  PfExprTable *t = table_of(state);
  assert_int_equal(pf_number_sign(pf_number_rational(t, -1, 3)), -1);
  assert_int_equal(pf_number_sign(pf_number_int(0)), 0);
  assert_int_equal(pf_number_sign(pf_number_double(1e-300)), 1);
  assert_near(pf_number_value(pf_number_rational(t, -1, 3)), -1.0/3, 0, 0);
}

/* As the axes of a robot, each divided by its length: roots and sums of long decimals, whose product has a moderate
 * value. */
static void products_of_roots_and_sums_of_long_decimals_have_a_value(void **state)
{
  Fixture *f = *state;
  PfExpr x[2] = {pf_expr_symbol(f->ctx, "x"), pf_expr_symbol(f->ctx, "y")}, product = pf_expr_int(f->ctx, 1);
  const double at[2] = {1, 1};
  double value, expected = 1;
  for (int k = 1; k <= 40; k++) {
    char text[64];
    snprintf(text, sizeof text, "1.00000000000%05d%05d7", 17*k, 23*k);
    PfExpr long_one = pf_expr_decimal(f->ctx, text), square = pf_expr_mul(f->ctx, long_one, long_one);
    PfExpr more = pf_expr_add(f->ctx, square, pf_expr_decimal(f->ctx, "0.3141592653589793"));
    PfExpr sum = pf_expr_add(f->ctx, pf_expr_mul(f->ctx, more, x[0]), pf_expr_mul(f->ctx, square, x[1]));
    product = pf_expr_div(f->ctx, pf_expr_div(f->ctx, product, pf_expr_sqrt(f->ctx, more)), sum);
    double one = strtod(text, NULL), longer = one*one + 0.3141592653589793;
    expected /= sqrt(longer)*(longer + one*one);
  }
  assert_int_equal(pf_expr_evaluate(f->ctx, &product, 1, x, at, 2, &value), PF_OK);
  assert_near(value, expected, 1e-13, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(rationals_are_in_lowest_terms_with_a_positive_denominator),
      with_fixture(rationals_add_and_multiply_exactly),
      with_fixture(common_factors_do_not_overflow),
      with_fixture(the_greatest_common_divisor_takes_every_sign),
      with_fixture(powers_of_rationals_are_exact),
      with_fixture(one_to_a_huge_power_is_the_integer_one),
      with_fixture(what_does_not_fit_64_bits_stays_exact),
      with_fixture(the_smallest_integer_is_wide),
      with_fixture(equal_wide_numbers_are_the_same),
      with_fixture(wide_numbers_keep_the_laws_of_arithmetic),
      with_fixture(what_is_longer_than_1024_bits_is_rounded_to_a_double),
      with_fixture(decimals_have_the_nearest_double),
      with_fixture(the_smallest_doubles_are_rounded_once),
      with_fixture(roots_take_squares_out_of_wide_numbers),
      with_fixture(wide_numbers_are_printed_as_people_write_them),
      with_fixture(what_doubles_confuse_is_told_apart),
      with_fixture(zero_tests_take_wide_numbers),
      with_fixture(wide_numbers_without_memory_are_an_error_and_no_leak),
      with_fixture(doubles_that_are_small_integers_are_exact_again),
      with_fixture(signs_are_those_of_the_values),
      with_fixture(products_of_roots_and_sums_of_long_decimals_have_a_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
