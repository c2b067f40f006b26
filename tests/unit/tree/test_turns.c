/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "tree/turns.h"

#include <float.h>

static const double HALF_PI = 1.57079632679489661923;

/* One unit in the last place, of 1e-4 for values below it. */
static void assert_turn(double angle, double cosine, double sine)
{
  const double c = cos(angle), s = sin(angle);
  if (fabs(cosine - c) > DBL_EPSILON*fmax(fabs(c), 1e-4) || fabs(sine - s) > DBL_EPSILON*fmax(fabs(s), 1e-4))
    fail_msg("angle %.17g: %.17g, %.17g instead of %.17g, %.17g", angle, cosine, sine, c, s);
}

enum { MANY = 8 };

/* All angles, LANES at once. */
static void turn_many(const double angle[MANY], double cosine[MANY], double sine[MANY])
{
  for (int i = 0; i < MANY; i += LANES) {
    Lanes x, c, s;
    memcpy(&x, angle + i, sizeof x);
    turn_lanes(x, &c, &s);
    memcpy(cosine + i, &c, sizeof c);
    memcpy(sine + i, &s, sizeof s);
  }
}

static void assert_many(const double angle[MANY])
{
  double cosine[MANY], sine[MANY];
  turn_many(angle, cosine, sine);
  for (int i = 0; i < MANY; i++) assert_turn(angle[i], cosine[i], sine[i]);
}

static void agree_with_the_library_everywhere(void **state)
{
  (void)state;
  for (double size = 1e-12; size < 2e5; size *= 3)
    for (int i = -40; i < 40; i++) {
      double angle[MANY];
      for (int j = 0; j < MANY; j++) angle[j] = size*(i + 0.12*j)/40;
      assert_many(angle);
    }
}

static void agree_around_multiples_of_right_angles(void **state)
{
  (void)state;
  for (int n = -5000; n <= 5000; n++) {
    double angle[MANY];
    for (int j = 0; j < MANY; j++) angle[j] = n*HALF_PI*(1 + (j - 4)*DBL_EPSILON);
    assert_many(angle);
  }
}

static void angles_beyond_the_reduction_are_left_to_the_library(void **state)
{
  (void)state;
  const double angle[MANY] = {1e300, -1e17, 3, 1e6};
  assert_many(angle);
  const double bad[MANY] = {INFINITY, NAN, 1};
  double cosine[MANY], sine[MANY];
  turn_many(bad, cosine, sine);
  assert_true(isnan(cosine[0]) && isnan(sine[1]));
  assert_turn(1, cosine[2], sine[2]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(agree_with_the_library_everywhere),
    cmocka_unit_test(agree_around_multiples_of_right_angles),
    cmocka_unit_test(angles_beyond_the_reduction_are_left_to_the_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
