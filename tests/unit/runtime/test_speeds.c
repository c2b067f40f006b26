/* SPDX-License-Identifier: Apache-2.0 */
/* Speeds that belong to velocities, and angular velocities of quaternions: closed forms. */
#include "support.h"

#include "runtime/pf_speeds.h"

enum { N = 3, SPEEDS = 2 };

/* x' = u cos(a), y' = u sin(a), a' = w at a = 0.3 */
typedef struct Sleigh {
  double speed[SPEEDS], rate[N], slope[N*SPEEDS];
} Sleigh;

static void find_rates(void *user)
{
  Sleigh *s = user;
  const double slope[] = {cos(0.3), 0, sin(0.3), 0, 0, 1};
  memcpy(s->slope, slope, sizeof slope);
  for (int j = 0; j < N; j++) s->rate[j] = slope[2*j]*s->speed[0] + slope[2*j + 1]*s->speed[1];
}

/* A velocity across the blade has no part in the speeds. */
static void speeds_belong_to_velocities_by_least_squares(void **state)
{
  (void)state;
  Sleigh sleigh = {.speed = {0}};
  const double velocity[] = {2*cos(0.3) - 0.7*sin(0.3), 2*sin(0.3) + 0.7*cos(0.3), -1.5};
  double reals[N*SPEEDS + 3*SPEEDS + N], unit[N], step[SPEEDS], *at = reals;
  int ints[SPEEDS], *integers = ints;
  PfQr qr = pf_qr_place(N, SPEEDS, &at, &integers);
  PfSpeeds speeds = {.user = &sleigh, .evaluate = find_rates, .n = N, .count = SPEEDS, .speed = sleigh.speed,
                     .rate = sleigh.rate, .slope = sleigh.slope, .velocity = velocity, .unit = unit, .step = step,
                     .qr = &qr};
  pf_speeds_find(&speeds);
  assert_near(sleigh.speed[0], 2, 1e-15, 0);
  assert_near(sleigh.speed[1], -1.5, 1e-15, 0);
  pf_speeds_slope(&speeds, 1); /* u = x' cos(a) + y' sin(a) */
  assert_near(step[0], sin(0.3), 1e-15, 0);
  assert_near(step[1], 0, 0, 1e-15);
}

/* |q| = 2: half of q and of its rates have the same angular velocity. */
static void quaternions_become_unit_ones_with_the_same_angular_velocity(void **state)
{
  (void)state;
  const double w[] = {0.3, -0.2, 1.1};
  double q[] = {1, 1, -1, 1}, rate[4], found[3];
  for (int k = 0; k < 4; k++) q[k] *= 0.5;
  pf_rate_of_spin(q, w, rate);
  assert_near(pf_dot(q, rate, 4), 0, 0, 1e-16); /* the length stays */
  for (int k = 0; k < 4; k++) q[k] *= 2, rate[k] *= 2;
  pf_normalise_quaternion(q, rate);
  assert_near(pf_norm(q, 4), 1, 1e-15, 0);
  pf_spin_of_rate(q, rate, found);
  for (int k = 0; k < 3; k++) assert_near(found[k], w[k], 1e-15, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(speeds_belong_to_velocities_by_least_squares),
    cmocka_unit_test(quaternions_become_unit_ones_with_the_same_angular_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
