/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "sweep/random.h"
#include "sweep/statistics.h"

enum { COUNT = 100000 };

static PfStatistics s;

static void moments_and_extremes(void **state)
{
  (void)state;
  static const double values[] = {4, NAN, 7, 13, 16, INFINITY};
  pf_statistics_begin(&s);
  for (int i = 0; i < 6; i++) pf_statistics_add(&s, i, 1e9 + values[i]);
  assert_int_equal(s.count, 4);
  assert_int_equal(s.missing, 2);
  assert_near(s.mean, 1e9 + 10, 1e-16, 0);
  assert_near(pf_statistics_deviation(&s), sqrt(30), 1e-9, 0); /* 120/4 would be that of all: 4 - 1 are free */
  assert_int_equal(s.least_at, 0);
  assert_int_equal(s.most_at, 4);
}

/* Of normal numbers, whose quantiles are known; the digest promises about q(1 - q)/100. */
static void quantiles_of_many_numbers(void **state)
{
  (void)state;
  static const double parts[] = {0.0001, 0.001, 0.01, 0.25, 0.5, 0.9, 0.999};
  pf_statistics_begin(&s);
  for (int i = 0; i < COUNT; i++) {
    const double part = ((double)pf_random_place(5, 0, (uint64_t)i, COUNT) + 0.5)/COUNT;
    pf_statistics_add(&s, i, pf_normal_inverse(part));
  }
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++)
    assert_near(pf_normal_part(pf_statistics_quantile(&s, parts[i])), parts[i], 0, 0.01*parts[i]*(1 - parts[i]) + 2e-5);
  assert_near(pf_statistics_quantile(&s, 0), s.least, 0, 0);
  assert_near(pf_statistics_quantile(&s, 1), s.most, 0, 0);
}

static void quantiles_of_few_numbers(void **state)
{
  (void)state;
  pf_statistics_begin(&s);
  assert_true(isnan(pf_statistics_quantile(&s, 0.5)));
  for (int i = 0; i < 5; i++) pf_statistics_add(&s, i, i);
  assert_near(pf_statistics_quantile(&s, 0.5), 2, 1e-15, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(moments_and_extremes),
                                     cmocka_unit_test(quantiles_of_many_numbers),
                                     cmocka_unit_test(quantiles_of_few_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
