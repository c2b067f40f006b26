/* SPDX-License-Identifier: Apache-2.0 */
/* CVODE and IDA as methods of a run: reference trajectories, drift and projection, stiffness, constraints of every
 * kind, troubles. Numbers come from tests/reference, from closed forms, or from dop853, which meets the references to
 * 1e-10. */
#include "motions.h"

#include <unistd.h>

static const char *const all[] = {"cvode_adams", "cvode_bdf", "ida", "ida2"};
enum { ALL = sizeof all/sizeof *all };

#ifndef PF_HAVE_SUNDIALS

static void without_the_library_the_methods_say_so(void **state)
{
  Moving x;
  open_snakeboard(*state, 1, &x);
  for (int i = 0; i < ALL; i++) {
    PfRunResult result;
    PfRunOptions options = options_of(all[i], 1e-6, 1);
    assert_int_equal(pf_run(x.s.ctx, x.system, x.s.values, &options, &result), PF_ERR_MISSING);
    assert_contains(pf_context_message(x.s.ctx), "SUNDIALS");
    assert_contains(pf_context_message(x.s.ctx), all[i]);
    assert_false(pf_method_is_present(pf_method_find(all[i])));
  }
  assert_true(pf_method_is_present(pf_method_find("dopri5")));
  close_moving(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(without_the_library_the_methods_say_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* ---------------------------------------------------------------- reference trajectories */

typedef struct Trajectory {
  const char *file, *model;
  double t_end;
  const char *names[8]; /* column of the file and coordinate of the model in turn */
  double unit;          /* of x and y in the file */
} Trajectory;

static const Trajectory trajectories[] = {
  {"snakeboard-F1.csv", "snakeboard", 10, {"x", "x", "y", "y", "theta", "theta", "phi_f", "phi_f"}, 1},
  {"sleigh-variable-mass.csv", "sleigh_variable_mass", 2, {"x", "x", "y", "y", "theta", "theta"}, 1},
  {"freefloat_corrected_paperic.csv", "free_floating", 60, {"theta", "theta", "psi1", "psi1", "psi2", "psi2"}, 1},
  {"omni3_corrected.csv", "omni_robot", 60, {"x", "x", "y", "y", "theta", "theta", "psi1", "psi[1]"}, 1e-3},
  {"mecanum4_moving.csv", "carriage_mecanum", 3, {"x", "x", "y", "y", "theta", "theta", "chi4", "chi[4]"}, 1},
  {"omnicarriage_driven.csv", "carriage_omni3", 20, {"x", "x", "y", "y", "theta", "theta", "chi1", "chi[1]"}, 1},
};

typedef struct Comparison {
  const Trajectory *what;
  const Table *table;
  const System *s;
  int line;
  double worst; /* relative to the size of a number, where that is more than 1 */
} Comparison;

static PfStatus compare_line(void *user, const PfSample *sample)
{
  Comparison *c = user;
  int line = c->line++;
  assert_near(sample->t, cell(c->table, line, "t"), 0, 1e-12);
  for (int i = 0; i < 8 && c->what->names[i]; i += 2) {
    const char *name = c->what->names[i + 1];
    double unit = !strcmp(name, "x") || !strcmp(name, "y") ? c->what->unit : 1;
    double want = unit*cell(c->table, line, c->what->names[i]);
    c->worst = fmax(c->worst, fabs(sample->q[coordinate(c->s, name)] - want)/fmax(1, fabs(want)));
  }
  return PF_OK;
}

static double worst_of(const Moving *x, const Trajectory *what, const Table *table, const char *method, double rtol)
{
  double times[MOST_LINES];
  Comparison c = {.what = what, .table = table, .s = &x->s, .line = 1};
  PfRunOptions options = options_of(method, rtol, what->t_end);
  options.at = times;
  for (int i = 1; i < table->lines; i++) {
    times[options.at_count] = cell(table, i, "t");
    if (times[options.at_count] <= what->t_end + 1e-9) options.at_count++;
  }
  options.sample = compare_line;
  options.user = &c;
  PfRunResult result = run_with(x, options);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_int_equal(c.line, options.at_count + 1);
  return c.worst;
}

static void compare_all(Fixture *f, const char *method, double rtol, double tolerance)
{
  for (size_t i = 0; i < sizeof trajectories/sizeof *trajectories; i++) {
    Moving x;
    open_example(f, trajectories[i].model, &x);
    double worst = worst_of(&x, trajectories + i, read_table(f, trajectories[i].file), method, rtol);
    if (!(worst <= tolerance)) fail_msg("%s by %s: off by %.3g", trajectories[i].file, method, worst);
    close_moving(&x);
  }
}

static void adams_formulas_meet_the_reference_trajectories(void **state)
{
  compare_all(*state, "cvode_adams", 1e-13, 1e-8);
}

static void backward_differences_meet_the_reference_trajectories(void **state)
{
  compare_all(*state, "cvode_bdf", 1e-13, 1e-8);
}

/* Looser, for the sake of time: order 5 at most. */
static void both_forms_of_ida_meet_the_reference_trajectories(void **state)
{
  compare_all(*state, "ida", 1e-10, 1e-6);
  compare_all(*state, "ida2", 1e-10, 1e-6);
}

/* The motion tends to rest at theta = pi in swings. */
static void the_piano_wheel_near_its_stable_heading(void **state)
{
  static const Trajectory stable = {"piano_stable.csv", "piano_wheel", 10,
                                    {"x", "x", "y", "y", "theta", "theta", "chi", "chi"}, 1};
  Moving x;
  double angle = acos(-1) - 0.1, R = 0.05, spin = -2;
  open_example(*state, "piano_wheel", &x);
  set_state(&x.s, "theta", angle, 0);
  set_state(&x.s, "chi", 0, spin);
  set_state(&x.s, "x", 0, R*spin*cos(angle));
  set_state(&x.s, "y", 0, R*spin*sin(angle));
  const Table *table = read_table(*state, stable.file);
  for (int i = 0; i < 2; i++) assert_true(worst_of(&x, &stable, table, all[i], 1e-13) <= 1e-8);
  close_moving(&x);
}

/* ---------------------------------------------------------------- drift and projection */

static const double tolerances[] = {1e-4, 1e-6, 1e-8};

/* snakeboard-alpha reference, section 5: violation and tolerance go together. */
static void the_index_1_form_drifts_with_its_tolerance(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < 3; i++) {
    PfRunOptions options = options_of("ida", tolerances[i], 0.8);
    options.drift = true;
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_in_range((uintmax_t)(result.velocity/tolerances[i]*1000), 100, 100000); /* 0.1 to 100 times */
  }
  close_moving(&x);
}

static void the_index_2_form_violates_as_much_as_newton_leaves(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int i = 0; i < 3; i++) {
    PfRunResult result = run_with(&x, options_of("ida2", tolerances[i], 0.8));
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_in_range((uintmax_t)(result.velocity/tolerances[i]*1000), 10, 10000); /* 0.01 to 10 times */
  }
  close_moving(&x);
}

static void with_projection_the_constraints_hold_to_rounding(void **state)
{
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      PfRunResult result = run_with(&x, options_of(all[k], tolerances[i], 0.8));
      assert_int_equal(result.end, PF_RUN_DONE);
      assert_true(result.velocity <= 1e-13);
    }
  close_moving(&x);
}

/* The past is kept: a projection that made the formulas start again would need many times the steps. The error becomes
 * smaller, since that across the constraints is gone. */
static void projection_costs_no_steps_and_no_accuracy(void **state)
{
  Moving x;
  open_snakeboard(*state, 1, &x);
  Last exact, free_end, held_end;
  run_to_end(&x, options_of("dop853", 1e-12, 5), &exact);
  for (int k = 0; k < 3; k++) {
    PfRunOptions options = options_of(all[k], 1e-7, 5);
    PfRunResult held = run_to_end(&x, options, &held_end);
    options.drift = true;
    PfRunResult free_run = run_to_end(&x, options, &free_end);
    assert_true((double)held.steps < 1.2*(double)free_run.steps);
    assert_true(distance(&held_end, &exact) < 1.5*distance(&free_end, &exact));
  }
  close_moving(&x);
}

/* ---------------------------------------------------------------- kinds of systems */

/* x'' = -c x' - k x with a mode that dies 1e5 times faster than the other; the start has only the slow one. */
static void stiff_systems_take_few_steps_by_backward_differences(void **state)
{
  Moving x;
  open_text(*state,
            "model stiff\nparam c = 1e5, k = 1e5\ncoord x\nkinetic x'^2/2\nforce x = -c*x' - k*x\nstart x = 1\n", &x);
  double c = 1e5, slow = -2*c/(c + sqrt(c*c - 4*c));
  set_state(&x.s, "x", 1, slow);
  for (int k = 1; k < ALL; k++) {
    Last last;
    PfRunResult result = run_to_end(&x, options_of(all[k], 1e-7, 2), &last);
    assert_near(last.q[0], exp(slow*2), 1e-4, 0);
    assert_true(result.steps < 1000); /* an explicit method needs 3e4 at least */
  }
  close_moving(&x);
}

static const char pendulum[] = "model pendulum\nparam m = 1, g = 9.81\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                               "potential m*g*y\nconstraint rod: x^2 + y^2 = 1\nstart x = 1\n";

static void a_rod_keeps_its_length(void **state)
{
  Moving x;
  open_text(*state, pendulum, &x);
  Last exact, last;
  run_to_end(&x, options_of("dop853", 1e-12, 3), &exact);
  for (int k = 0; k < ALL; k++) {
    PfRunResult result = run_to_end(&x, options_of(all[k], 1e-9, 3), &last);
    double allowed = k < 3 ? 1e-13 : 1e-7; /* index 2: what Newton leaves */
    assert_true(result.position <= allowed && result.velocity <= allowed);
    assert_true(distance(&last, &exact) < 2e-6);
  }
  close_moving(&x);
}

static void a_moving_support_and_a_law_of_accelerations(void **state)
{
  static const char *const models[] = {
    "model lift\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
    "constraint rod: x^2 + (y - 0.1*sin(3*t))^2 = 1\nstart x = 1, y' = 0.3\n",
    "model law\nparam m = 2\ncoord x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\npotential z^2 + x^2\n"
    "constraint law: x*x'' + y'' = x'^2 + t\nconstraint edge: z' = 0.3*x'\nstart x = 1, y' = 2\n",
    "model quick\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nforce y = -1\nconstraint pace: x'^2 + y'^2 = 4\nstart x' = 2\n",
  };
  for (size_t i = 0; i < sizeof models/sizeof *models; i++) {
    Moving x;
    open_text(*state, models[i], &x);
    Last exact, last;
    run_to_end(&x, options_of("dop853", 1e-12, 1), &exact);
    for (int k = 0; k < ALL; k++) {
      run_to_end(&x, options_of(all[k], 1e-9, 1), &last);
      if (!(distance(&last, &exact) < 1e-6)) fail_msg("model %zu by %s: off by %g", i, all[k], distance(&last, &exact));
    }
    close_moving(&x);
  }
}

/* Wheels on one axle say the same; the multipliers of the first take all. */
static void redundant_constraints_are_taken(void **state)
{
  Moving x;
  open_text(*state,
            "model wheels\nparam m = 1, J = 0.1\ncoord x, y, th\nkinetic m/2*(x'^2 + y'^2) + J/2*th'^2\nforce x = 0.3\n"
            "constraint left: -sin(th)*x' + cos(th)*y' = 0\nconstraint right: -2*sin(th)*x' + 2*cos(th)*y' = 0\n"
            "constraint turn: th' = 0.5\nstart x' = 1, th' = 0.5\n", &x);
  Last exact, last;
  run_to_end(&x, options_of("dop853", 1e-12, 5), &exact);
  for (int k = 0; k < ALL; k++) {
    run_to_end(&x, options_of(all[k], 1e-9, 5), &last);
    assert_true(distance(&last, &exact) < 1e-6);
  }
  close_moving(&x);
}

static void friction_that_depends_on_the_multipliers(void **state)
{
  Moving x;
  open_example(*state, "sleigh_friction", &x);
  Last exact, last;
  run_to_end(&x, options_of("dop853", 1e-12, 1), &exact);
  for (int k = 0; k < ALL; k++) {
    run_to_end(&x, options_of(all[k], 1e-9, 1), &last);
    assert_true(distance(&last, &exact) < 1e-6);
  }
  close_moving(&x);
}

/* An input that is a function of time: x'' = sin t. */
static void inputs_move_with_time(void **state)
{
  Moving x;
  open_text(*state, "model pushed\ninput u = sin(t)\ncoord x\nkinetic x'^2/2\nforce x = u\n", &x);
  for (int k = 0; k < ALL; k++) {
    Last last;
    run_to_end(&x, options_of(all[k], 1e-10, 2), &last);
    assert_near(last.q[0], 2 - sin(2), 0, 1e-7);
  }
  close_moving(&x);
}

/* ---------------------------------------------------------------- the loop around */

/* x = cos t passes 0.5 downwards at pi/3. */
static void a_condition_stops_the_run_where_it_becomes_true(void **state)
{
  Moving x;
  open_text(*state, "model swing\ncoord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1\nrun 10 until x < 0.5\n", &x);
  for (int k = 0; k < ALL; k++) {
    PfRunOptions options = options_of(all[k], 1e-10, 10);
    options.until = x.s.model->run.until;
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_UNTIL);
    assert_near(result.t, acos(0.5), 0, 1e-8);
    assert_true(result.drift < 1e-7);
  }
  close_moving(&x);
}

static void samples_do_not_change_the_steps(void **state)
{
  Moving x;
  open_snakeboard(*state, 1, &x);
  for (int k = 0; k < ALL; k++) {
    PfRunOptions options = options_of(all[k], 1e-6, 1);
    PfRunResult plain = run_with(&x, options);
    Last last = {.n = x.n};
    options.every = 1e-3;
    options.sample = keep_last;
    options.user = &last;
    PfRunResult sampled = run_with(&x, options);
    assert_int_equal(plain.steps, sampled.steps);
    assert_int_equal(plain.evaluations, sampled.evaluations);
  }
  close_moving(&x);
}

static void the_largest_step_is_obeyed(void **state)
{
  Moving x;
  open_text(*state, "model still\ncoord x\nkinetic x'^2/2\nstart x' = 1\n", &x);
  for (int k = 0; k < ALL; k++) {
    PfRunOptions options = options_of(all[k], 1e-3, 1);
    options.largest_step = 0.01;
    assert_true(run_with(&x, options).steps >= 100);
  }
  close_moving(&x);
}

/* ---------------------------------------------------------------- troubles */

static void a_loss_of_rank_is_reported_and_stepped_over_on_request(void **state)
{
  static const double t_star = 1.2536883587532748; /* 7 pi/(2 Omega) */
  Moving x;
  open_snakeboard(*state, 20, &x);
  for (int k = 0; k < ALL; k++) {
    PfRunOptions options = options_of(all[k], 1e-7, 1.4);
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, t_star, 0, 1e-6);
    assert_true(result.t < t_star);
    options.keep_going = true;
    assert_int_equal(run_with(&x, options).end, PF_RUN_DONE);
  }
  close_moving(&x);
}

/* Runs with standard error in a file, and gives the number of bytes written there. */
static long bytes_said(const Moving *x, PfRunOptions options, PfRunResult *result)
{
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stderr);
  int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  *result = run_with(x, options);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  fclose(file);
  return bytes;
}

static void a_force_that_ends_is_named_and_sundials_keeps_silent(void **state)
{
  Moving x;
  open_text(*state, "model ends\ncoord x\nkinetic x'^2/2\nforce x = sqrt(1 - t)\n", &x);
  for (int k = 0; k < ALL; k++) {
    PfRunResult result;
    pf_diagnostics_clear(x.s.ctx);
    assert_int_equal(bytes_said(&x, options_of(all[k], 1e-8, 2), &result), 0);
    assert_int_not_equal(result.end, PF_RUN_DONE);
    assert_near(result.t, 1, 0, 1e-3);
    assert_true(pf_error_count(x.s.ctx) == 1);
  }
  close_moving(&x);
}

/* x'' = 2 x^3 with x = 1/(1 - t). */
static void a_motion_that_leaves_for_infinity_ends(void **state)
{
  Moving x;
  open_text(*state, "model blow\ncoord x\nkinetic x'^2/2\nforce x = 2*x^3\nstart x = 1, x' = 1\n", &x);
  for (int k = 0; k < ALL; k++) {
    PfRunResult result;
    PfRunOptions options = options_of(all[k], 1e-8, 2);
    options.most_steps = 100000;
    assert_int_equal(bytes_said(&x, options, &result), 0);
    assert_true(result.end == PF_RUN_STEP || result.end == PF_RUN_TROUBLE || result.end == PF_RUN_LIMIT);
    assert_near(result.t, 1, 0, 1e-3);
  }
  close_moving(&x);
}

/* ---------------------------------------------------------------- memory */

static PfStatus attempt_run(PfContext *ctx, PfArena *arena, const char *method, PfModel **model, PfSystem **system)
{
  PfEquations eq;
  PfSymbols symbols;
  PfRunResult result;
  PF_TRY(pf_model_read(ctx, "pendulum", pendulum, strlen(pendulum), model));
  PF_TRY(pf_equations_derive(ctx, arena, *model, &eq));
  PF_TRY(pf_system_new(ctx, &eq, system));
  PF_TRY(pf_equations_symbols(ctx, arena, *model, &symbols));
  double *values = pf_arena_array(arena, double, symbols.count);
  if (!values) return PF_ERR_MEMORY;
  PF_TRY(pf_equations_start(ctx, &eq, NULL, values));
  PfRunOptions options = options_of(method, 1e-4, 0.1);
  PF_TRY(pf_run(ctx, *system, values, &options, &result));
  return result.end == PF_RUN_DONE ? PF_OK : PF_ERR_NUMBER;
}

static void attempt(Counter *counter, void *user)
{
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfModel *model = NULL;
  PfSystem *system = NULL;
  if (ctx && arena) {
    PfStatus status = attempt_run(ctx, arena, user, &model, &system);
    assert_true(status == PF_OK || counter->refused > 0);
    assert_true(status == PF_OK || status == PF_ERR_MEMORY);
  }
  pf_system_free(system);
  if (model) pf_model_free(model);
  if (arena) pf_arena_free(arena);
  if (ctx) pf_context_free(ctx);
}

static void lack_of_memory_is_an_error_and_leaks_nothing(void **state)
{
  (void)state;
  fail_every_allocation(attempt, (void *)(uintptr_t) "cvode_bdf");
  fail_every_allocation(attempt, (void *)(uintptr_t) "ida2");
}

/* 3 m/s against friction 0.2 g for one second. The rails leave their forces open, the floor does not. */
static const char two_rails[] = "model two_rails\nparam m = 1, g = 9.81, mu = 0.2\ncoord x, y, z\n"
                                "kinetic m/2*(x'^2 + y'^2 + z'^2)\n"
                                "potential m*g*z\nconstraint floor: z = 0\nconstraint rail: y' = 0\n"
                                "constraint again: 2*y' = 0\n"
                                "nonideal x = -mu*lambda[%s]*sign(x')\nstart x' = 3\n";

static void friction_beside_redundant_constraints(void **state)
{
  Moving x;
  char text[512];
  snprintf(text, sizeof text, two_rails, "floor");
  open_text(*state, text, &x);
  for (int i = 0; i < ALL; i++) {
    Last last;
    run_to_end(&x, options_of(all[i], 1e-8, 1), &last);
    assert_near(last.q[0], 3 - 0.2*9.81/2, 0, 1e-7);
  }
  close_moving(&x);
}

static void friction_that_redundancy_leaves_open_is_refused(void **state)
{
  Moving x;
  char text[512];
  snprintf(text, sizeof text, two_rails, "rail");
  open_text(*state, text, &x);
  for (int i = 0; i < ALL; i++) {
    pf_diagnostics_clear(x.s.ctx);
    PfRunResult result = run_with(&x, options_of(all[i], 1e-8, 1));
    assert_int_equal(result.end, PF_RUN_TROUBLE);
    assert_contains(pf_context_message(x.s.ctx), "'rail'");
  }
  close_moving(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(adams_formulas_meet_the_reference_trajectories),
    with_fixture(backward_differences_meet_the_reference_trajectories),
    with_fixture(both_forms_of_ida_meet_the_reference_trajectories),
    with_fixture(the_piano_wheel_near_its_stable_heading),
    with_fixture(the_index_1_form_drifts_with_its_tolerance),
    with_fixture(the_index_2_form_violates_as_much_as_newton_leaves),
    with_fixture(with_projection_the_constraints_hold_to_rounding),
    with_fixture(projection_costs_no_steps_and_no_accuracy),
    with_fixture(stiff_systems_take_few_steps_by_backward_differences),
    with_fixture(a_rod_keeps_its_length),
    with_fixture(a_moving_support_and_a_law_of_accelerations),
    with_fixture(redundant_constraints_are_taken),
    with_fixture(friction_that_depends_on_the_multipliers),
    with_fixture(inputs_move_with_time),
    with_fixture(a_condition_stops_the_run_where_it_becomes_true),
    with_fixture(samples_do_not_change_the_steps),
    with_fixture(the_largest_step_is_obeyed),
    with_fixture(a_loss_of_rank_is_reported_and_stepped_over_on_request),
    with_fixture(a_force_that_ends_is_named_and_sundials_keeps_silent),
    with_fixture(a_motion_that_leaves_for_infinity_ends),
    with_fixture(lack_of_memory_is_an_error_and_leaks_nothing),
    with_fixture(friction_beside_redundant_constraints),
    with_fixture(friction_that_redundancy_leaves_open_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
