/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random, against those that others have published. */
#include "support.h"

#include "sweep/random.h"

/* kat_vectors of Random123, philox4x32 with 10 rounds. */
static void philox_gives_the_published_words(void **state)
{
  (void)state;
  static const uint32_t cases[][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
     0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
     0x24126ea1}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    uint32_t out[4];
    pf_philox(cases[i], cases[i] + 4, out);
    for (int k = 0; k < 4; k++) assert_int_equal(out[k], cases[i][6 + k]);
  }
}

/* NormalDist().inv_cdf of Python's statistics. */
static void the_normal_distribution_is_inverted(void **state)
{
  (void)state;
  static const double cases[][2] = {{0.5, 0}, {0.975, 1.9599639845400536}, {0.001, -3.090232306167813},
                                    {1e-10, -6.361340902404056}, {0.3, -0.5244005127080407}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    assert_near(pf_normal_inverse(cases[i][0]), cases[i][1], 1e-15, 1e-16);
    assert_near(pf_normal_part(cases[i][1]), cases[i][0], 1e-14, 0); /* conditioned by x^2 */
  }
}

/* Sobol(6, scramble=False) of SciPy 1.17, and some of point 777 of 40 dimensions. Ours lie in the middle of the last
 * bit. */
static void sobol_gives_the_published_points(void **state)
{
  (void)state;
  static const double points[][6] = {
    {0, 0, 0, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.25, 0.25, 0.75, 0.75},
    {0.25, 0.75, 0.75, 0.75, 0.25, 0.25}, {0.375, 0.375, 0.625, 0.875, 0.375, 0.125},
    {0.875, 0.875, 0.125, 0.375, 0.875, 0.625}, {0.625, 0.125, 0.875, 0.625, 0.625, 0.875}};
  for (uint64_t i = 0; i < sizeof points/sizeof *points; i++)
    for (uint32_t k = 0; k < 6; k++) assert_true(pf_sobol(0, k, i) == points[i][k] + 0x1p-33);
  static const struct {
    uint32_t dimension;
    double value;
  } far[] = {{0, 0.6923828125}, {1, 0.9365234375}, {2, 0.1630859375}, {7, 0.7626953125}, {20, 0.2373046875},
             {39, 0.3583984375}};
  for (size_t i = 0; i < sizeof far/sizeof *far; i++)
    assert_true(pf_sobol(0, far[i].dimension, 777) == far[i].value + 0x1p-33);
}

static void a_shift_keeps_one_point_in_each_interval(void **state)
{
  (void)state;
  for (uint32_t d = 0; d < PF_SOBOL_DIMENSIONS; d++) {
    bool seen[64] = {false};
    for (uint64_t i = 0; i < 64; i++) seen[(int)(64*pf_sobol(7, d, i))] = true;
    for (int k = 0; k < 64; k++) assert_true(seen[k]);
  }
}

static void places_are_an_order(void **state)
{
  (void)state;
  for (uint64_t count = 1; count < 300; count += 37) {
    bool seen[300] = {false};
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t at = pf_random_place(3, 1, i, count);
      assert_true(at < count && !seen[at]);
      seen[at] = true;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(philox_gives_the_published_words), cmocka_unit_test(the_normal_distribution_is_inverted),
    cmocka_unit_test(sobol_gives_the_published_points), cmocka_unit_test(a_shift_keeps_one_point_in_each_interval),
    cmocka_unit_test(places_are_an_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
