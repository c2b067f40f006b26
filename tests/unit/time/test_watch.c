/* SPDX-License-Identifier: Apache-2.0 */
/* The watch over the independence of the constraints: losses of rank are found by every method, near misses are not
 * taken for losses, and a run can be made to go on. */
#include "motions.h"

typedef struct Way {
  const char *method;
  double rtol, step;
} Way;

static const Way ways[] = {{"dopri5", 1e-5, 0},  {"dopri5", 1e-10, 0}, {"dop853", 1e-6, 0},
                           {"dop853", 1e-11, 0}, {"rk4", 0, 1e-3},     {"rk4", 0, 1e-4}};

/* Methods and steps, up to those that are too long for all but the watch. */
static const Way rough_ways[] = {
  {"rk4", 0, 2e-2}, {"rk4", 0, 1.5e-2}, {"rk4", 0, 1e-2}, {"rk4", 0, 7e-3}, {"rk4", 0, 5e-3}, {"rk4", 0, 2e-3},
  {"generalized_alpha", 0, 1.5e-2}, {"generalized_alpha", 0, 1e-2}, {"generalized_alpha", 0, 7e-3},
  {"generalized_alpha", 0, 2e-3}, {"generalized_alpha", 0, 1e-3}, {"rattle", 0, 7e-3}, {"rattle", 0, 5e-3},
  {"rattle", 0, 2e-3}, {"rattle", 0, 1e-3}, {"generalized_alpha", 1e-3, 0}, {"generalized_alpha", 1e-6, 0},
  {"rattle", 1e-3, 0}, {"rattle", 1e-6, 0}, {"dopri5", 1e-3, 0}, {"dop853", 1e-3, 0},
#ifdef PF_HAVE_SUNDIALS
  {"cvode_adams", 1e-3, 0}, {"cvode_adams", 1e-7, 0}, {"cvode_bdf", 1e-3, 0}, {"cvode_bdf", 1e-7, 0}, {"ida", 1e-3, 0},
  {"ida", 1e-7, 0}, {"ida2", 1e-3, 0}, {"ida2", 1e-7, 0},
#endif
};
enum { ROUGH_WAYS = sizeof rough_ways/sizeof *rough_ways };
enum { WAYS = sizeof ways/sizeof *ways };

static PfRunOptions options_by(const Way *way, double t_end)
{
  PfRunOptions options = options_of(way->method, way->rtol, t_end);
  options.step = way->step;
  return options;
}

/* ---------------------------------------------------------------- the snakeboard */

static const double t_star = 1.2536883587532748; /* 7 pi/(2 Omega): both wheel sets across */

static void the_loss_of_rank_of_the_snakeboard_is_found_ahead(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < WAYS; i++) {
    pf_diagnostics_clear(x.s.ctx);
    PfRunResult result = run_with(&x, options_by(ways + i, 2));
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, t_star, 0, 1e-6); /* it does not depend on the errors of the run */
    assert_true(result.t < t_star && result.t > t_star - 0.02);
    assert_int_equal(result.weakest_row, constraint(&x.s, "front"));
    assert_contains(pf_context_message(x.s.ctx), "1.25368");
    assert_contains(pf_context_message(x.s.ctx), "'front'");
  }
  close_moving(&x);
}

/* By every method, however long its steps; when is as wrong as the motion is. */
static void no_method_steps_over_the_loss(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < ROUGH_WAYS; i++) {
    pf_diagnostics_clear(x.s.ctx);
    PfRunResult result = run_with(&x, options_by(rough_ways + i, 2));
    if (result.end != PF_RUN_RANK_LOSS)
      fail_msg("%s, step %g, rtol %g: %d at t = %g", rough_ways[i].method, rough_ways[i].step, rough_ways[i].rtol,
               result.end, result.t);
    assert_near(result.weakest_t, t_star, 0, 4e-3);
    assert_true(result.t < result.weakest_t);
    assert_contains(pf_context_message(x.s.ctx), "'front'");
  }
  close_moving(&x);
}

/* Longer steps find no way at all, or one that has nothing to do with the motion; the first is an error, the second is
 * seen in the balance of energy. */
static void steps_that_are_much_too_long_are_not_trusted(void **state)
{
  static const Way ways_too_long[] = {{"rk4", 0, 3e-2}, {"rk4", 0, 4e-2}, {"rk4", 0, 5e-2},
                                      {"generalized_alpha", 0, 2e-2},
                                      {"generalized_alpha", 0, 5e-2}, {"rattle", 0, 1e-2}, {"rattle", 0, 5e-2}};
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (size_t i = 0; i < sizeof ways_too_long/sizeof *ways_too_long; i++) {
    PfRunResult result = run_with(&x, options_by(ways_too_long + i, 2));
    assert_true(result.end != PF_RUN_DONE || result.drift > 0.1*result.kinetic);
  }
  close_moving(&x);
}

static void a_run_that_ends_before_is_not_stopped(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < WAYS; i++) {
    PfRunResult result = run_with(&x, options_by(ways + i, 1.2));
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_int_equal(pf_error_count(x.s.ctx), 0);
  }
  close_moving(&x);
}

/* With one warning. Energy and work agree on both sides of the gap, which is short. */
static void a_run_goes_on_when_asked_to(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < WAYS; i++) {
    pf_diagnostics_clear(x.s.ctx);
    PfRunOptions options = options_by(ways + i, 1.4);
    options.keep_going = true;
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_int_equal(pf_diagnostic_count(x.s.ctx), 1);
    assert_int_equal(pf_error_count(x.s.ctx), 0);
    assert_true(result.velocity < 1e-10);
    assert_true(result.drift < 0.05);
  }
  close_moving(&x);
}

/* However long the steps: near the loss they are made of many small ones. Further on they may be too long again. */
static void every_method_goes_on_when_asked_to(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < ROUGH_WAYS; i++) {
    pf_diagnostics_clear(x.s.ctx);
    PfRunOptions options = options_by(rough_ways + i, 1.4);
    options.keep_going = true;
    PfRunResult result = run_with(&x, options);
    if (result.end != PF_RUN_DONE && !(result.t > t_star + 4*rough_ways[i].step && rough_ways[i].step > 5e-3))
      fail_msg("%s, step %g, rtol %g: ends at t = %g", rough_ways[i].method, rough_ways[i].step, rough_ways[i].rtol,
               result.t);
    assert_int_equal(pf_diagnostic_count(x.s.ctx) - pf_error_count(x.s.ctx), 1);
    assert_int_equal(pf_error_count(x.s.ctx), result.end != PF_RUN_DONE);
  }
  close_moving(&x);
}

static void the_mild_push_never_comes_near(void **state)
{
  Moving x;
  open_snakeboard(*state, 1, &x);
  for (int i = 0; i < 4; i++) {
    PfRunResult result = run_with(&x, options_by(ways + i, 10));
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_true(result.weakest > 0.1 && result.weakest < 1);
  }
  close_moving(&x);
}

/* ---------------------------------------------------------------- losses made to measure */

/* The rows are (1, 0) and (1, s(t)): with M = 1 the measure is |s| over the largest sqrt(1 + s^2) so far. */
static void open_rows(Fixture *f, const char *s, Moving *x)
{
  char text[512];
  snprintf(text, sizeof text,
           "model rows\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential z^2/2\nconstraint one: x' = 0\n"
           "constraint other: x' + (%s)*y' = 0\nstart z = 1\n", s);
  open_text(f, text, x);
}

static void a_simple_zero_is_a_loss(void **state)
{
  Moving x;
  open_rows(*state, "t - 1", &x);
  for (int i = 0; i < WAYS; i++) {
    PfRunResult result = run_with(&x, options_by(ways + i, 3));
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, 1, 0, 1e-5);
    assert_int_equal(result.weakest_row, 1);
  }
  close_moving(&x);
}

static void a_near_miss_is_none(void **state)
{
  Moving x;
  open_rows(*state, "sqrt((t - 1)^2 + 1e-4)", &x);
  for (int i = 0; i < WAYS; i++) {
    PfRunResult result = run_with(&x, options_by(ways + i, 3));
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_true(result.weakest > 0.99*0.01/sqrt(2)); /* of the length at the start */
  }
  close_moving(&x);
}

static void the_measure_is_the_sine_of_the_angle(void **state)
{
  Moving x;
  open_rows(*state, "2 + t", &x);
  PfRunResult result = run_with(&x, options_by(ways, 1));
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(result.weakest >= 2/sqrt(5) && result.weakest < 3/sqrt(10)); /* after the first step, before the last */
  close_moving(&x);
}

/* Rows that are redundant for ever are no loss. */
static void redundancy_from_the_start_is_not_reported(void **state)
{
  Moving x;
  open_text(*state, "model twice\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce z = 1\nconstraint one: x' = y'\n"
                    "constraint same: 2*x' = 2*y'\nconstraint other: x' + (t + 1)*y' = 0\n", &x);
  PfRunResult result = run_with(&x, options_by(ways, 2));
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_int_equal(pf_error_count(x.s.ctx), 0);
  close_moving(&x);
}

static const char *const all_methods[] = {"dopri5", "dop853", "rk4", "generalized_alpha", "rattle",
#ifdef PF_HAVE_SUNDIALS
                                          "cvode_adams", "cvode_bdf", "ida", "ida2",
#endif
};
enum { ALL_METHODS = sizeof all_methods/sizeof *all_methods };

/* Both wheel sets across: the start of the snakeboard that its motion comes to in the end. */
static void a_singular_start_is_reported(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  set_state(&x.s, "phi_b", acos(-1)/2, 0);
  set_state(&x.s, "phi_f", acos(-1)/2, 0);
  set_state(&x.s, "theta", 0, 1);
  for (int i = 0; i < ALL_METHODS; i++) {
    pf_diagnostics_clear(x.s.ctx);
    PfRunOptions options = options_of(all_methods[i], 1e-6, 1);
    options.step = 1e-3;
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_int_equal(result.steps, 0);
    assert_contains(pf_context_message(x.s.ctx), "'front'");
    assert_contains(pf_diagnostic(x.s.ctx, 0)->hint, "begin nearby");
  }
  close_moving(&x);
}

/* One row vanishes where the other is whole; together they are one constraint at all times. */
static void redundancy_may_move_from_row_to_row(void **state)
{
  Moving x;
  open_text(*state, "model turns\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2/2 + z\n"
                    "constraint one: cos(t)*z' = 0\n"
                    "constraint other: sin(t)*z' = 0\nconstraint third: y' = x*z'\nstart x = 1, z = 2\n", &x);
  for (int i = 0; i < ALL_METHODS; i++) {
    Last last;
    PfRunOptions options = options_of(all_methods[i], 1e-6, 5);
    if (pf_method_has_fixed_step(pf_method_find(all_methods[i]))) options.step = 0.01;
    PfRunResult result = run_to_end(&x, options, &last);
    assert_near(last.q[0], cos(5), 0, 1e-3);
    assert_near(last.q[2], 2, 0, 1e-5);
    assert_true(result.weakest > 0.5);
  }
  close_moving(&x);
}

/* The three rows of no slip and the shell are four, three of them independent, others in every direction. Where
 * constraints hold only nearly, as inside a step, so does the dependence: it must not be taken for a constraint of its
 * own. */
/* Bennett's loop of four turning joints moves although it is overconstrained: the sines of the twists are as the
 * lengths. On its motion tan(q1/2) tan(q2/2) = sin((a + b)/2)/sin((b - a)/2), and one of the rows, that of p.x,
 * vanishes at all times. */
static void the_loop_of_bennett_moves(void **state)
{
  static const char *const methods[] = {"dopri5", "dop853"};
  Moving x;
  open_text(*state,
            "coord q1, q2, q3, q4\n"
            "let c = 2*atan(sqrt(3)/tan(0.5))\n"
            "body b1 in ground turn q1 about z shift 1 along x turn pi/2 about x { mass 1, inertia 0.1 }\n"
            "body b2 in b1 turn q2 about z shift 0.5 along x turn pi/6 about x { mass 1, inertia 0.1 }\n"
            "body b3 in b2 turn q3 about z shift 1 along x turn pi/2 about x { mass 1, inertia 0.1 }\n"
            "body b4 in b3 turn q4 about z shift 0.5 along x turn pi/6 about x { inertia 0.1 }\n"
            "constraint p: pos(b4) = (0, 0, 0)\n"
            "constraint o1: dot(b4.x, ground.y) = 0\n"
            "constraint o2: dot(b4.y, ground.z) = 0\n"
            "constraint o3: dot(b4.z, ground.x) = 0\n"
            "start q1 = 1, q2 = -c, q3 = -1, q4 = c, q1' = 1\n", &x);
  PfStart start;
  assert_int_equal(pf_start_correct(x.s.ctx, x.system, x.s.values, &start), PF_OK);
  for (size_t i = 0; i < sizeof methods/sizeof *methods; i++) {
    PfRunOptions options = options_of(methods[i], 1e-9, 10);
    double y[8];
    options.final = y;
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_true(result.drift < 1e-6 && result.energy_start > 0.5);
    assert_true(fabs(tan(0.5*y[0])*tan(0.5*y[1]) + sqrt(3)) < 1e-9);
    assert_true(fabs(y[0] + y[2]) < 1e-9 && fabs(y[1] + y[3]) < 1e-9 && fabs(y[0] - 1) > 0.1);
  }
  close_moving(&x);
}

static void a_ball_in_a_bowl_is_not_held_up_by_redundancy(void **state)
{
  Moving x;
  Last exact, last;
  open_example(*state, "ball_in_bowl", &x);
  run_to_end(&x, options_of("dop853", 1e-11, 2), &exact);
  for (int i = 0; i < ALL_METHODS; i++) {
    if (pf_method_has_fixed_step(pf_method_find(all_methods[i]))) continue;
    PfRunResult result = run_to_end(&x, options_of(all_methods[i], 1e-6, 2), &last);
    assert_true(result.rejected < result.steps/4);
    assert_true(distance(&last, &exact) < 1e-2);
  }
  assert_true(run_to_end(&x, options_of("dopri5", 1e-6, 2), &last).steps < 500);
  close_moving(&x);
}

/* ---------------------------------------------------------------- no cost inside a step */

typedef struct Count {
  Counter *counter;
  long first, last;
  int samples;
} Count;

/* At the start, where nothing is counted yet, and after every step. */
static PfStatus count_calls(void *user, const PfSample *sample)
{
  (void)sample;
  Count *count = user;
  if (count->samples++ == 1) count->first = count->counter->calls;
  count->last = count->counter->calls;
  return PF_OK;
}

static void no_step_allocates(void **state)
{
  (void)state;
  for (int i = 0; i < WAYS; i++) {
    Counter counter;
    counter_init(&counter);
    Fixture f = {.ctx = pf_context_new(&counter.allocator), .arena = pf_arena_new(&counter.allocator)};
    Moving x;
    Count count = {.counter = &counter};
    open_snakeboard(&f, 1, &x);
    PfRunOptions options = options_by(ways + i, 0.5);
    options.sample = count_calls;
    options.user = &count;
    assert_int_equal(run_with(&x, options).end, PF_RUN_DONE);
    assert_true(count.first > 0);
    assert_int_equal(count.first, count.last);
    close_moving(&x);
    pf_arena_free(f.arena);
    pf_context_free(f.ctx);
    assert_int_equal(counter.live, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_loss_of_rank_of_the_snakeboard_is_found_ahead),
    with_fixture(no_method_steps_over_the_loss),
    with_fixture(steps_that_are_much_too_long_are_not_trusted),
    with_fixture(a_run_that_ends_before_is_not_stopped),
    with_fixture(a_run_goes_on_when_asked_to),
    with_fixture(every_method_goes_on_when_asked_to),
    with_fixture(the_mild_push_never_comes_near),
    with_fixture(a_simple_zero_is_a_loss),
    with_fixture(a_near_miss_is_none),
    with_fixture(the_measure_is_the_sine_of_the_angle),
    with_fixture(redundancy_from_the_start_is_not_reported),
    with_fixture(a_singular_start_is_reported),
    with_fixture(redundancy_may_move_from_row_to_row),
    with_fixture(the_loop_of_bennett_moves),
    with_fixture(a_ball_in_a_bowl_is_not_held_up_by_redundancy),
    with_fixture(no_step_allocates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
