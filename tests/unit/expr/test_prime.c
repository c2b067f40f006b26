/* SPDX-License-Identifier: Apache-2.0 */
/* Prime fields and their circles. */
#include "support.h"

#include "expr/prime.h"

static PfField field(int number)
{
  PfField f;
  assert_true(pf_field_find(&f, number) > 0);
  return f;
}

static void numbers_add_and_multiply_as_they_should(void **state)
{
  (void)state;
  PfField f = field(PF_FIRST_FIELD);
  for (int64_t a = -7; a <= 7; a++)
    for (int64_t b = -7; b <= 7; b++) {
      uint64_t x = pf_field_enter(&f, a), y = pf_field_enter(&f, b);
      assert_int_equal(pf_field_add(&f, x, y), pf_field_enter(&f, a + b));
      assert_int_equal(pf_field_subtract(&f, x, y), pf_field_enter(&f, a - b));
      assert_int_equal(pf_field_multiply(&f, x, y), pf_field_enter(&f, a*b));
    }
  assert_int_equal(pf_field_enter(&f, (int64_t)f.p), 0);
  assert_int_equal(pf_field_power(&f, pf_field_enter(&f, 3), 20), pf_field_enter(&f, 3486784401));
}

static void everything_but_zero_has_an_inverse(void **state)
{
  (void)state;
  PfField f = field(PF_FIRST_FIELD);
  for (int64_t a = 1; a < 100; a++) {
    uint64_t x = pf_field_enter(&f, a*a*1234567 - 77);
    assert_int_equal(pf_field_multiply(&f, x, pf_field_invert(&f, x)), f.one);
  }
  assert_int_equal(pf_field_invert(&f, 0), 0);
}

/* No divisor up to 10^5, more than 2^60 elements, and Fermat's theorem. */
static void fields_have_different_primes(void **state)
{
  (void)state;
  PfField f;
  int number = PF_FIRST_FIELD + 1, count = 0;
  while (count < 40 && (number = pf_field_find(&f, number - 1)) > 0) {
    assert_true(f.p > (uint64_t)1 << 60 && f.p < (uint64_t)1 << 61);
    for (uint64_t d = 2; d < 100000; d++) assert_true(f.p%d != 0);
    assert_int_equal(pf_field_power(&f, pf_field_enter(&f, 5), f.p - 1), f.one);
    count++;
  }
  assert_int_equal(count, 40);
  assert_int_equal(pf_field_find(&f, 1), 0);
}

static void small_primes_are_squares_and_minus_one_is_not(void **state)
{
  (void)state;
  PfField f = field(PF_FIRST_FIELD);
  static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (size_t i = 0; i < sizeof primes/sizeof *primes; i++)
    assert_true(pf_field_is_square(&f, pf_field_enter(&f, primes[i])));
  assert_false(pf_field_is_square(&f, pf_field_enter(&f, -1)));
}

static void points_lie_on_the_circle_and_turn(void **state)
{
  (void)state;
  PfField f = field(PF_FIRST_FIELD);
  PfCirclePoint a = pf_circle_point(&f, pf_field_enter(&f, 123456789)), three = pf_circle_repeat(&f, a, 3);
  uint64_t length = pf_field_add(&f, pf_field_multiply(&f, a.c, a.c), pf_field_multiply(&f, a.s, a.s));
  assert_int_equal(length, f.one);
  PfCirclePoint sum = pf_circle_turn(&f, a, pf_circle_turn(&f, a, a));
  PfCirclePoint back = pf_circle_turn(&f, sum, pf_circle_repeat(&f, a, -3));
  assert_int_equal(three.c, sum.c);
  assert_int_equal(three.s, sum.s);
  assert_int_equal(back.c, f.one);
  assert_int_equal(back.s, 0);
}

/* A sixth of a turn has the cosine 1/2, a quarter the sine 1. */
static void the_circle_holds_regular_polygons(void **state)
{
  (void)state;
  PfField f = field(PF_FIRST_FIELD);
  PfCirclePoint unity = pf_circle_unity(&f);
  uint64_t half = pf_field_invert(&f, pf_field_enter(&f, 2));
  assert_int_equal(pf_circle_repeat(&f, unity, PF_CIRCLE_ORDER/6).c, half);
  assert_int_equal(pf_circle_repeat(&f, unity, PF_CIRCLE_ORDER/4).s, f.one);
  assert_int_equal(pf_circle_repeat(&f, unity, PF_CIRCLE_ORDER).c, f.one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_add_and_multiply_as_they_should),
    cmocka_unit_test(everything_but_zero_has_an_inverse),
    cmocka_unit_test(fields_have_different_primes),
    cmocka_unit_test(small_primes_are_squares_and_minus_one_is_not),
    cmocka_unit_test(points_lie_on_the_circle_and_turn),
    cmocka_unit_test(the_circle_holds_regular_polygons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
