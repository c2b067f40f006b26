/* SPDX-License-Identifier: Apache-2.0 */
/* Where steps end: conditions, instants, what lies inside a step. Closed forms throughout. */
#include "time/motions.h"

#include <math.h>

/* Runs a text that has no events; `until` is that of the text. */
static PfRunResult run_text(Fixture *f, const char *text, const char *method, double t_end, Last *last)
{
  Moving x;
  open_text(f, text, &x);
  PfRunOptions o = options_of(method, 1e-10, t_end);
  *last = (Last){.n = x.n};
  o.until = x.s.model->run.until;
  o.every = t_end; /* the start and the end */
  o.sample = keep_last;
  o.user = last;
  PfRunResult result = run_with(&x, o);
  close_moving(&x);
  return result;
}

/* A stone thrown up: 5 + 3 t - 5 t^2 = 0. */
static void the_stop_is_the_last_sample(void **state)
{
  Last last;
  const double t = (3 + sqrt(109))/10;
  PfRunResult r = run_text(*state, "coord y\nkinetic y'^2/2\nforce y = -10\nstart y = 5, y' = 3\nrun 3 until y < 0\n",
                           "dopri5", 3, &last);
  assert_int_equal(r.end, PF_RUN_UNTIL);
  assert_near(r.t, t, 1e-12, 0);
  assert_near(last.t, t, 1e-12, 0);
  assert_near(last.q[0], 0, 0, 1e-12);
  assert_near(last.v[0], -sqrt(109), 1e-12, 0);
}

/* A body flies straight past a point, 0.06 away: nearer than 0.1 for 0.16 s of 9 s that one step takes. */
static void a_dip_inside_a_step_is_found(void **state)
{
  static const char *const all[] = {"dopri5", "dop853", "cvode_adams", "ida"};
  for (int i = 0; i < 4; i++) {
    Last last;
    if (!pf_method_is_present(pf_method_find(all[i]))) continue;
    PfRunResult r = run_text(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\nstart x' = 1, y = 0.06\n"
                             "run 9 until sqrt((x - 5)^2 + y^2) < 0.1\n", all[i], 9, &last);
    assert_int_equal(r.end, PF_RUN_UNTIL);
    assert_near(r.t, 4.92, 0, 1e-8);
  }
}

static void an_equality_is_a_condition(void **state)
{
  Last last;
  PfRunResult r = run_text(*state, "coord x\nkinetic x'^2/2\nstart x' = 2\nrun 9 until x == 7\n", "dopri5", 9, &last);
  assert_int_equal(r.end, PF_RUN_UNTIL);
  assert_near(r.t, 3.5, 1e-13, 0);
}

static void conditions_are_combined(void **state)
{
  Last last; /* x = t, y = t^2/2: y > 2 from t = 2 on, x < 1 until 1, x > 3 from 3 on */
  PfRunResult r = run_text(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y = 1\nstart x' = 1\n"
                           "run 9 until y > 2 and (x < 1 or not (x <= 3))\n", "dopri5", 9, &last);
  assert_int_equal(r.end, PF_RUN_UNTIL);
  assert_near(r.t, 3, 1e-13, 0);
}

static void a_condition_that_holds_at_the_start_stops_there(void **state)
{
  Last last;
  PfRunResult r = run_text(*state, "coord x\nkinetic x'^2/2\nstart x = 1\nrun 9 until x > 0\n", "dopri5", 9, &last);
  assert_int_equal(r.end, PF_RUN_UNTIL);
  assert_near(r.t, 0, 0, 0);
  assert_near(last.t, 0, 0, 0);
}

/* A pendulum's rod under tension -m (g cos a + l a'^2) becomes slack: here a particle on the top of a sphere, which it
 * leaves at cos a = 2/3 when it starts from rest (nearly). */
static void multipliers_in_conditions_are_those_of_the_instant(void **state)
{
  Last last;
  PfRunResult r = run_text(*state,
                           "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint ball: x^2 + y^2 = 1\n"
                           "start y = 1, x' = 0.001\nrun 9 until lambda[ball] < 0\n", "dop853", 9, &last);
  assert_int_equal(r.end, PF_RUN_UNTIL);
  assert_near(last.q[1], (2 + 1e-6/10)/3, 0, 1e-9);
}

/* Known instants end a step exactly: no error at all where the motion between them is a polynomial. */
static void a_short_pulse_is_not_stepped_over(void **state)
{
  static const char *const all[] = {"dopri5", "dop853", "cvode_bdf", "ida2"};
  for (int i = 0; i < 4; i++) {
    Last last;
    if (!pf_method_is_present(pf_method_find(all[i]))) continue;
    (void)run_text(*state, "input u = if(t < 5, 0, if(t < 5.2, 10, 0))\ncoord x\nkinetic x'^2/2\nforce x = u\n", all[i],
                   9, &last);
    assert_near(last.v[0], 2, 0, 1e-9);
    assert_near(last.q[0], 0.2 + 2*3.8, 0, 1e-8);
  }
}

/* A square wave of period 1 for 2,000 periods on a free body, whose steps could be as long as one likes. */
static void every_edge_of_a_periodic_input_is_met(void **state)
{
  Last last;
  (void)run_text(*state, "input u = if(sin(2*pi*t) > 0, 1, -1)\ncoord x\nkinetic x'^2/2\nforce x = u\n", "dopri5",
                 2000.25, &last);
  assert_near(last.v[0], 0.25, 0, 1e-9);
  assert_near(last.q[0], 2000*0.25 + 0.03125, 1e-9, 0);
}

/* Forces that exist on one side only: sqrt(1 - x) up to x = 1. */
static void a_force_may_end_at_its_surface(void **state)
{
  Last last;
  PfRunResult r = run_text(*state, "coord x\nkinetic x'^2/2\nforce x = if(x < 1, -sqrt(1 - x), 0)\nstart x' = 2\n",
                           "dopri5", 3, &last);
  assert_int_equal(r.end, PF_RUN_DONE);
  assert_near(last.v[0], sqrt(4 - 4.0/3), 0, 1e-7); /* v^2/2 falls by 2/3 */
}

/* Half a period inside, then out and in again within one long step. */
static void what_leaves_a_surface_and_comes_back_in_one_step_is_seen(void **state)
{
  Last last; /* parabolas between the walls of the potential abs(x): period 4 sqrt(2) */
  (void)run_text(*state, "coord x\nkinetic x'^2/2\npotential abs(x)\nstart x = 1\n", "dop853", 40*sqrt(2), &last);
  assert_near(last.q[0], 1, 0, 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_stop_is_the_last_sample),
    with_fixture(a_dip_inside_a_step_is_found),
    with_fixture(an_equality_is_a_condition),
    with_fixture(conditions_are_combined),
    with_fixture(a_condition_that_holds_at_the_start_stops_there),
    with_fixture(multipliers_in_conditions_are_those_of_the_instant),
    with_fixture(a_short_pulse_is_not_stepped_over),
    with_fixture(every_edge_of_a_periodic_input_is_met),
    with_fixture(a_force_may_end_at_its_surface),
    with_fixture(what_leaves_a_surface_and_comes_back_in_one_step_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
