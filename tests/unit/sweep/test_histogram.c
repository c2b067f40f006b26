/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "sweep/histogram.h"
#include "sweep/random.h"

#include <stdlib.h>

static long long total(const PfHistogram *h)
{
  long long sum = 0;
  for (int i = 0; i < PF_HISTOGRAM_BINS; i++) sum += h->bins[i];
  return sum;
}

/* Counted again with the bins that came out; a number at an edge may have been put on its other side. */
static void bins_hold_what_lies_in_them(void **state)
{
  (void)state;
  enum { COUNT = 20000 };
  PfHistogram h = {0};
  long long again[PF_HISTOGRAM_BINS] = {0}, off = 0;
  static double value[COUNT];
  for (int i = 0; i < COUNT; i++) {
    value[i] = pf_normal_inverse(pf_random_unit(3, PF_STREAM_DRAW, 0, (uint64_t)i));
    pf_histogram_add(&h, value[i]);
  }
  for (int i = 0; i < COUNT; i++) again[(int)((value[i] - h.low)/h.width)]++;
  for (int i = 0; i < PF_HISTOGRAM_BINS; i++) off += llabs(again[i] - h.bins[i]);
  assert_int_equal(h.total, COUNT);
  assert_int_equal(total(&h), COUNT);
  assert_true(off <= 4);
  int first, end;
  pf_histogram_span(&h, &first, &end);
  assert_true(end - first > PF_HISTOGRAM_BINS/8); /* they are not coarser than four doublings make them */
}

static void it_grows_to_both_sides(void **state)
{
  (void)state;
  static const double values[] = {1, 1.25, 1000, -3000, 1e9, -1e12, 1};
  PfHistogram h = {0};
  for (size_t i = 0; i < sizeof values/sizeof *values; i++) pf_histogram_add(&h, values[i]);
  assert_int_equal(total(&h), 7);
  int first, end;
  pf_histogram_span(&h, &first, &end);
  assert_true(h.low + first*h.width <= -1e12 && h.low + end*h.width >= 1e9);
}

static void equal_numbers_need_no_width(void **state)
{
  (void)state;
  PfHistogram h = {0};
  int first, end;
  for (int i = 0; i < 5; i++) pf_histogram_add(&h, 7);
  pf_histogram_span(&h, &first, &end);
  assert_true(h.width == 0 && h.low == 7 && end - first == 1 && h.bins[first] == 5);
  pf_histogram_add(&h, 8);
  assert_int_equal(h.bins[(int)((7 - h.low)/h.width)], 5);
  assert_int_equal(h.bins[(int)((8 - h.low)/h.width)], 1);
  assert_int_equal(total(&h), 6);
}

static void numbers_too_far_apart_for_bins_are_counted(void **state)
{
  (void)state;
  PfHistogram h = {0};
  pf_histogram_add(&h, -1.7e308);
  pf_histogram_add(&h, 1.7e308);
  pf_histogram_add(&h, 0);
  assert_int_equal(total(&h), 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bins_hold_what_lies_in_them), cmocka_unit_test(it_grows_to_both_sides),
    cmocka_unit_test(equal_numbers_need_no_width), cmocka_unit_test(numbers_too_far_apart_for_bins_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
