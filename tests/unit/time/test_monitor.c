/* SPDX-License-Identifier: Apache-2.0 */
/* The balance of energy and work: what moving supports, turning frames and inputs give and take is work, not an
 * error. */
#include "motions.h"

static void assert_balanced(void **state, const char *text, double t_end)
{
  static const char *const methods[] = {"dopri5", "dop853"};
  Moving x;
  open_text(*state, text, &x);
  for (size_t i = 0; i < sizeof methods/sizeof *methods; i++) {
    PfRunResult result = run_with(&x, options_of(methods[i], 1e-11, t_end));
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_true(fabs(result.energy_end - result.energy_start) > 1e-3); /* else there is nothing to balance */
    assert_true(result.drift < 1e-8*fmax(1, result.kinetic));
  }
  close_moving(&x);
}

static void a_support_that_is_moved_does_work(void **state)
{
  assert_balanced(state,
                  "param m = 1, l = 0.5, g = 9.81\n"
                  "coord th\n"
                  "input y0 = 0.02*cos(100*t)\n"
                  "body bob in ground at (0, 0, y0) turn th about y at (0, 0, l) { mass m }\n"
                  "gravity (0, 0, -g)\n"
                  "start th = 0.2\n", 1);
}

static void a_frame_that_turns_does_work(void **state)
{
  assert_balanced(state,
                  "coord r\n"
                  "frame arm in ground turn 2*t about z\n"
                  "body bead in arm at (r, 0, 0) { mass 1 }\n"
                  "start r = 0.1\n", 1);
}

static void energies_relative_to_a_turning_frame_are_balanced(void **state)
{
  assert_balanced(state,
                  "param W = 2\n"
                  "coord x, y\n"
                  "kinetic ((x' - W*y)^2 + (y' + W*x)^2)/2\n"
                  "potential x^2\n"
                  "start x = 1, y' = 1\n", 2);
}

static void masses_that_change_with_time_are_balanced(void **state)
{
  assert_balanced(state,
                  "input m = 2 + sin(t)\n"
                  "coord x\n"
                  "kinetic m/2*x'^2 + m*x'\n"
                  "spring x - m { stiffness 2 }\n"
                  "start x' = 1\n", 3);
}

static void energies_that_are_not_quadratic_are_balanced(void **state)
{
  assert_balanced(state,
                  "param c = 3\n"
                  "coord x\n"
                  "kinetic -c^2*sqrt(1 - x'^2/c^2)\n"
                  "force x = 1\n", 2);
}

/* A bead on a straight arm that turns at W: r = r0 cosh(W t), r' = r0 W sinh(W t). */
static void the_energy_itself_is_that_of_the_body(void **state)
{
  Moving x;
  open_text(*state,
            "coord r\n"
            "frame arm in ground turn 2*t about z\n"
            "body bead in arm at (r, 0, 0) { mass 1 }\n"
            "start r = 0.1\n", &x);
  PfRunResult result = run_with(&x, options_of("dop853", 1e-12, 1));
  double u = 0.1*2*sinh(2), w = 0.1*2*cosh(2);
  assert_true(fabs(result.energy_start - 0.02) < 1e-15);
  assert_true(fabs(result.energy_end - (u*u + w*w)/2) < 1e-10);
  close_moving(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_support_that_is_moved_does_work),
    with_fixture(a_frame_that_turns_does_work),
    with_fixture(energies_relative_to_a_turning_frame_are_balanced),
    with_fixture(masses_that_change_with_time_are_balanced),
    with_fixture(energies_that_are_not_quadratic_are_balanced),
    with_fixture(the_energy_itself_is_that_of_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
