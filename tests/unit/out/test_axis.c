/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/axis.h"

#include <math.h>

/* The numbers at the ticks, with blanks between them. */
static void ticks_are(Fixture *f, PfAxis axis, double count, int power, const char *wanted)
{
  double ticks[PF_MOST_TICKS];
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_axis_choose(&axis, count);
  int n = pf_axis_ticks(&axis, ticks);
  for (int i = 0; i < n; i++) {
    if (i) pf_text_add(&text, " ");
    pf_axis_number(&axis, ticks[i], 10, &text);
  }
  assert_string_equal(pf_text_get(&text), wanted);
  assert_int_equal(axis.power, power);
  pf_text_free(&text);
}

static void ticks_are_round_numbers(void **state)
{
  ticks_are(*state, (PfAxis){.low = 0, .high = 10}, 5, 0, "0 2 4 6 8 10");
  ticks_are(*state, (PfAxis){.low = -0.3, .high = 0.32}, 6, 0, "−0.3 −0.2 −0.1 0.0 0.1 0.2 0.3");
  ticks_are(*state, (PfAxis){.low = 9.80998, .high = 9.81002}, 4, 0, "9.80998 9.80999 9.81000 9.81001 9.81002");
  ticks_are(*state, (PfAxis){.low = 0, .high = 3e-7}, 3, -9, "0 100 200 300");
  ticks_are(*state, (PfAxis){.low = 0, .high = 2e6}, 4, 6, "0.0 0.5 1.0 1.5 2.0");
  ticks_are(*state, (PfAxis){.low = 0, .high = 0.003}, 3, 0, "0.000 0.001 0.002 0.003");
  ticks_are(*state, (PfAxis){.low = 0.5, .high = 4.5, .whole = true}, 8, 0, "1 2 3 4");
}

#define TEN(x) "10<tspan dy=\"-4.0\" font-size=\"7.2\">" x "</tspan>"
static void logarithmic_ticks_are_decades(void **state)
{
  ticks_are(*state, (PfAxis){.log = true, .low = -2, .high = 1}, 6, 0,
            TEN("−2") " " TEN("−1") " " TEN("0") " " TEN("1"));
  ticks_are(*state, (PfAxis){.log = true, .low = -12, .high = 0}, 3, 0,
            TEN("−12") " " TEN("−8") " " TEN("−4") " " TEN("0"));
}

static PfAxis cover(double low, double high, double noise)
{
  PfAxis axis = {0};
  pf_axis_cover(&axis, low, high, noise, PF_ROOM_SOME);
  return axis;
}

/* Constants, and what differs from them by rounding only, are in the middle of a range in which they are flat. */
static void rounding_is_not_blown_up(void **state)
{
  (void)state;
  PfAxis a = cover(1e-17, 1e-17, 1e-12);
  assert_true(a.low == -1 && a.high == 1);
  a = cover(-3e-17, 2e-17, 1e-12); /* beside numbers of the size 1 */
  assert_true(a.low == -1 && a.high == 1);
  a = cover(-3e-17, 2e-17, 0); /* nothing is known beside it */
  assert_true(a.low < -3e-17 && a.low > -4e-17);
  a = cover(9.81, 9.81 + 1e-14, 0);
  assert_near(a.low, 0.9*9.81, 1e-9, 0);
  assert_near(a.high, 1.1*9.81, 1e-9, 0);
  a = cover(1, 1 + 1e-12, 0); /* that is no rounding */
  assert_true(a.low > 1 - 1e-12 && a.high < 1 + 2e-12);
  a = cover(-5, -5, 1e-12);
  assert_near(a.low, -5.5, 1e-9, 0);
  a = cover(0, 1, 1e-12);
  assert_true(a.low == -0.05 && a.high == 1.05);
  a = cover(0, 0, 0);
  assert_true(a.low == -1 && a.high == 1);
  a = cover(INFINITY, -INFINITY, 0); /* no data */
  assert_true(isfinite(a.low) && a.low < a.high);
}

static void logarithmic_ranges_are_whole_decades(void **state)
{
  (void)state;
  PfAxis axis = {.log = true};
  pf_axis_cover(&axis, log10(3e-5), log10(2e-3), 1, PF_ROOM_SOME);
  assert_true(axis.low == -5 && axis.high == -2);
  pf_axis_cover(&axis, -3, -3, 0, PF_ROOM_SOME);
  assert_true(axis.low == -3 && axis.high == -2);
  assert_true(isnan(pf_axis_value(&axis, 0)) && pf_axis_value(&axis, -100) == 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(ticks_are_round_numbers),
    with_fixture(logarithmic_ticks_are_decades),
    with_fixture(rounding_is_not_blown_up),
    with_fixture(logarithmic_ranges_are_whole_decades),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
