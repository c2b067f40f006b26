/* SPDX-License-Identifier: Apache-2.0 */
/* Speeds that are combinations of velocities, by name in a simulation: started, read, in events. */
#include "sim/simulations.h"

#include <math.h>

/* Nothing acts on the rotor: Omega stays; on a sleigh with its mass on the blade v and w stay too. */
static const char sleigh[] =
  "param m = 1 [kg], I = 0.2 [kg m^2], a = 0 [m], Jr = 0.1 [kg m^2]\ncoord x, y [m], theta, psi [rad]\n"
  "body sleigh in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, I), com (a, 0, 0) }\n"
  "body rotor in sleigh turn psi about z { inertia diag(0, 0, Jr) }\nskate blade: sleigh\n"
  "speed v [mm/s] = dot(vel(sleigh), sleigh.x), Omega = theta' + psi'\n"
  "start v = 2000, theta' = 0.5 [rad/s], Omega = 2 [rad/s]\n";

/* Angular momentum after the lock is that before: (I + Jr) w = I w0 + Jr Omega0. */
static const double locked = (0.2*0.5 + 0.1*2)/0.3;

static double get(PfSim *sim, const char *name)
{
  return pf_sim_get(sim, handle(sim, name));
}

static PfSim *open_with(const char *more, const char *form)
{
  char text[2000];
  snprintf(text, sizeof text, "%s%s", sleigh, more);
  PfSim *sim = open_text(text);
  if (!pf_sim_set_method(sim, NULL, form)) fail_msg("%s: %s", form, pf_sim_error(sim)->message);
  start(sim);
  return sim;
}

static void speeds_are_started_and_read_by_name(void **state)
{
  static const char *const forms[] = {"multipliers", "laconic", "maggi", "elimination", "udwadia_kalaba"};
  (void)state;
  for (size_t i = 0; i < sizeof forms/sizeof *forms; i++) {
    PfSim *sim = open_with("", forms[i]);
    assert_near(get(sim, "v"), 2, 0, 1e-12);
    assert_near(get(sim, "psi'"), 1.5, 0, 1e-12);
    advance(sim, 3);
    assert_near(get(sim, "v"), 2, 0, 1e-7);
    assert_near(get(sim, "Omega"), 2, 0, 1e-7);
    assert_near(get(sim, "theta"), 1.5, 0, 1e-7);
    assert_near(get(sim, "x"), 4*sin(1.5), 0, 1e-6);
    assert_near(get(sim, "v^2"), 4, 0, 1e-6);
    pf_sim_close(sim);
  }
}

static void another_start_of_a_speed_holds(void **state)
{
  (void)state;
  PfSim *sim = open_text(sleigh);
  assert_true(pf_sim_set(sim, "v", 3));
  start(sim);
  assert_near(get(sim, "x'"), 3, 0, 1e-12);
  assert_near(get(sim, "theta'"), 0.5, 0, 1e-12);
  pf_sim_close(sim);
}

/* While a joint is locked there are fewer degrees of freedom than speeds. */
static void events_go_on_by_every_formulation(void **state)
{
  static const char *const forms[] = {"multipliers", "laconic", "maggi"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    PfSim *sim = open_with("when v*t > 2 [m] { lock psi }\nwhen t = 2 { unlock psi }\n", forms[i]);
    advance(sim, 1.5);
    assert_near(get(sim, "theta'"), locked, 0, 1e-7);
    assert_near(get(sim, "Omega"), locked, 0, 1e-7);
    assert_near(get(sim, "v"), 2, 0, 1e-7);
    advance(sim, 3);
    assert_near(get(sim, "theta"), 0.5 + 2*locked, 0, 1e-5);
    pf_sim_close(sim);
  }
}

/* A blade along y moves along y alone: by x' nothing is said of it, unless it rests. */
static void speeds_do_not_start_singular_places(void **state)
{
  (void)state;
  static const char blade[] =
    "coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\nconstraint c: -sin(theta)*x' + cos(theta)*y' = 0\n"
    "speed u = x', w = theta'\nstart u = 1/2, w = 2\n";
  PfSim *sim = open_text(blade);
  start(sim);
  assert_true(pf_sim_set(sim, "theta", acos(-1)/2));
  assert_false(pf_sim_start(sim));
  assert_contains(pf_sim_error(sim)->message, "by the speed 'u' at this place");
  assert_contains(pf_sim_error(sim)->message, "cos(theta) vanishes");
  assert_true(pf_sim_set(sim, "u", 0));
  start(sim);
  assert_near(pf_sim_get(sim, handle(sim, "theta'")), 2, 0, 1e-12);
  pf_sim_close(sim);
  sim = open_text("coord x\nkinetic x'^2/2\nspeed u = x'/x\nstart x = 0, u = 1\n");
  assert_false(pf_sim_start(sim));
  assert_contains(pf_sim_error(sim)->message, "'u' at this place: x'/x is not finite");
  assert_true(pf_sim_set(sim, "x", 2));
  start(sim);
  assert_near(pf_sim_get(sim, handle(sim, "x'")), 2, 0, 1e-12);
  pf_sim_close(sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(speeds_are_started_and_read_by_name),
    cmocka_unit_test(another_start_of_a_speed_holds),
    cmocka_unit_test(events_go_on_by_every_formulation),
    cmocka_unit_test(speeds_do_not_start_singular_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
