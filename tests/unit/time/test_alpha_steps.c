/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the alpha methods: damping, given and chosen lengths, what goes wrong, memory. */
#include "alpha_motions.h"

/* ---------------------------------------------------------------- damping */

static double amplitude_after(const Motion *motion, const Scheme *scheme, int steps)
{
  Drive drive;
  drive_open(motion, scheme, 1e9, &drive);
  for (int i = 0; i < steps; i++) drive_step(&drive);
  double size = hypot(drive.run.state.y[0], drive.run.state.y[1]*scheme->step/2);
  drive_close(&drive);
  return size;
}

/* A motion that is much faster than the step dies like rho^n; a double root makes it n rho^n at most. */
static void fast_motions_are_damped_by_rho_per_step(void **state)
{
  static const double rhos[] = {0.9, 0.6, 0.3};
  Motion motion;
  open_text(*state, oscillator, &motion);
  set_parameter(&motion.s, "w", 1e6);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      Scheme scheme = {both[i], 1, rhos[k], false, PF_ALPHA_SHIFTED};
      double rate = pow(amplitude_after(&motion, &scheme, 60)/amplitude_after(&motion, &scheme, 30), 1.0/30);
      assert_near(rate, rhos[k], 0.08, 0); /* 2^(2/30) is 1.047 */
    }
  close_motion(&motion);
}

/* rho = 1 is the trapezoidal rule: the energy of a linear oscillator stays for ever; 100 steps per period. */
static void slow_motions_keep_their_energy(void **state)
{
  Motion motion;
  open_text(*state, oscillator, &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 0.0628, 1, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 100, 0, NULL);
    assert_true(result.drift < 1e-12);
    scheme.rho = 0.9; /* loses (omega h)^3 times a small number per period */
    result = run_scheme(&motion, &scheme, 100, 0, NULL);
    assert_true(result.drift > 1e-8 && result.drift < 1e-3);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- steps */

static void the_last_step_is_shortened(void **state)
{
  Motion motion;
  open_example(*state, "sleigh_variable_mass", NULL, 0, &motion);
  double at[] = {1.0063};
  const Samples *exact = reference(&motion, at, 1);
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = {both[i], 1e-2, rho_paper, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, at[0], 0, samples);
    assert_int_equal(result.steps, 101);
    assert_true(result.t == at[0]);
    assert_near(distance(samples->x[101], exact->x[0], 6), 0, 0, 1e-4); /* as with equal steps: 6e-5 */
  }
  close_motion(&motion);
}

/* Interpolation between the steps is as good as the steps. */
static void samples_between_steps_are_of_second_order(void **state)
{
  Motion motion;
  open_example(*state, "sleigh_variable_mass", NULL, 0, &motion);
  double at[20];
  for (int i = 0; i < 20; i++) at[i] = 0.0973*(i + 1);
  const Samples *exact = reference(&motion, at, 20);
  for (int i = 0; i < 2; i++) {
    double error[2] = {0};
    for (int k = 0; k < 2; k++) {
      Samples *samples = new_samples(&motion);
      PfRunOptions options = pf_run_options();
      options.method = both[i];
      options.step = k ? 2e-3 : 4e-3;
      options.t_end = 2;
      options.at = at;
      options.at_count = 20;
      (void)run_options(&motion, options, samples);
      for (int l = 0; l < 20; l++) error[k] = fmax(error[k], distance(samples->x[l], exact->x[l], 6));
    }
    assert_near(order(error[0], error[1], 2), 2, 0, 0.05);
  }
  close_motion(&motion);
}

/* Newton with exact slopes and kept factors: few evaluations per step. */
static void a_step_takes_few_evaluations(void **state)
{
  Motion motion;
  open_example(*state, "snakeboard", "F", 1, &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 1e-3, rho_paper, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 5, 0, NULL);
    assert_true(result.evaluations < 6*result.steps);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- what goes wrong */

static void rho_outside_0_to_1_is_refused(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  open_text(f, oscillator, &motion);
  static const double bad[] = {-0.1, 1.1, INFINITY};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      PfRunOptions options = pf_run_options();
      options.method = both[i];
      options.step = 1e-2;
      options.rho = bad[k];
      assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
      assert_contains(pf_context_message(f->ctx), "between 0");
    }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- chosen steps */

static PfRunResult run_adaptive(const Motion *motion, const char *method, double rtol, double rho, double t_end,
                                Samples *samples)
{
  PfRunOptions options = pf_run_options();
  options.method = method;
  options.rtol = rtol;
  options.rho = rho;
  options.t_end = t_end;
  options.every = t_end/8;
  options.adaptive = true;
  PfRunResult result = run_options(motion, options, samples);
  assert_int_equal(result.end, PF_RUN_DONE);
  return result;
}

/* Local errors are of third order: a tolerance 1000 times as small means steps a tenth as long, and errors a hundredth
 * as large. */
static void assert_control(const Motion *motion, const char *method, double rho, double t_end)
{
  int n = motion->s.eq.n;
  double error[2] = {0}, at[8];
  for (int i = 0; i < 8; i++) at[i] = (i + 1)*t_end/8;
  const Samples *exact = reference(motion, at, 8);
  PfRunResult result[2];
  for (int k = 0; k < 2; k++) {
    Samples *samples = new_samples(motion);
    result[k] = run_adaptive(motion, method, k ? 1e-9 : 1e-6, rho, t_end, samples);
    for (int i = 0; i < 8; i++) error[k] = fmax(error[k], distance(samples->x[i + 1], exact->x[i], 2*n));
    assert_true(result[k].velocity <= 1e-13 && result[k].position <= 1e-13);
    assert_true(result[k].rejected < result[k].steps/5 + 5);
  }
  assert_near((double)result[1].steps/(double)result[0].steps, 10, 0.2, 0);
  assert_near(error[0]/error[1], 100, 0.3, 0);
  assert_true(error[0] < 0.02);
}

static void chosen_steps_keep_the_second_order(void **state)
{
  static const double rhos[] = {0, 3.0/7, 0.9, 1};
  Motion board, mass;
  open_example(*state, "snakeboard", "F", 20, &board);
  open_example(*state, "sleigh_variable_mass", NULL, 0, &mass);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++) {
      assert_control(&board, both[i], rhos[k], 0.8);
      assert_control(&mass, both[i], rhos[k], 2);
    }
  close_motion(&board);
  close_motion(&mass);
}

static void chosen_steps_hold_holonomic_constraints_at_both_levels(void **state)
{
  Motion motion;
  open_text(*state, slider_crank, &motion);
  for (int i = 0; i < 2; i++) assert_control(&motion, both[i], 0.8, 1);
  close_motion(&motion);
}

/* A spring that hits: steps are long before and after, and short in between. */
static void steps_follow_the_motion(void **state)
{
  Motion motion;
  open_text(*state, "model stop\ncoord x\nkinetic x'^2/2\nforce x = -exp(100*(x - 1))\nstart x' = 1\n", &motion);
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    PfRunResult result = run_adaptive(&motion, both[i], 1e-5, 0.9, 2, samples);
    assert_near(samples->x[8][1], -1, 0, 1e-2); /* it comes back as fast as it went */
    assert_true(result.steps < 200);
  }
  close_motion(&motion);
}

static void without_a_step_the_step_is_chosen(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  open_text(f, oscillator, &motion);
  PfRunOptions options = pf_run_options();
  options.method = "rattle";
  options.rtol = 1e-4;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_OK);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(result.steps > 50 && result.steps < 1000);
  close_motion(&motion);
}

static void settings_that_cannot_be_obeyed_are_refused(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  open_text(f, oscillator, &motion);
  PfRunOptions options = pf_run_options();
  options.printed = true; /* dopri5 */
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "dopri5");
  options.method = "generalized_alpha"; /* without a step */
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "steps of one size");
  options.printed = false;
  options.adaptive = true;
  options.method = "rk4";
  options.step = 0.1;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "rk4");
  options.adaptive = false;
  options.step = 0;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "needs a step");
  close_motion(&motion);
}

/* Newton's method fails until the step is too small; it is said once. */
static void chosen_steps_without_end_are_reported_once(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_text(f, "model ends\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nforce y = sqrt(1 - t)\n", &motion);
  for (int i = 0; i < 2; i++) {
    PfRunOptions options = pf_run_options();
    options.method = both[i];
    options.rtol = 1e-4;
    PfRunResult result = run_options(&motion, options, NULL);
    assert_true(result.end == PF_RUN_TROUBLE || result.end == PF_RUN_STEP);
    assert_near(result.t, 1, 0, 1e-6);
    assert_int_equal(pf_error_count(f->ctx), 1);
    pf_diagnostics_clear(f->ctx);
  }
  close_motion(&motion);
}

/* w = exp(50 h w/2) has no solution for h = 1. */
static void a_step_without_solution_is_reported(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_text(f, "model runaway\ncoord x\nkinetic x'^2/2\nforce x = exp(50*x')\n", &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 1, 0.9, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 10, 0, NULL);
    assert_int_equal(result.end, PF_RUN_TROUBLE);
    assert_int_equal(result.steps, 0);
    assert_int_equal(pf_error_count(f->ctx), 1);
    assert_contains(pf_context_message(f->ctx), both[i]);
    assert_contains(pf_context_message(f->ctx), "Newton");
    assert_contains(pf_diagnostic(f->ctx, 0)->hint, "smaller steps");
    pf_diagnostics_clear(f->ctx);
  }
  close_motion(&motion);
}

static void a_force_that_stops_being_a_number_is_named(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_text(f, "model ends\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nforce y = sqrt(1.005 - t)\n", &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 1e-2, 0.9, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 10, 0, NULL);
    assert_int_equal(result.end, PF_RUN_TROUBLE);
    assert_near(result.t, 1, 0, 1e-12);
    assert_contains(pf_context_message(f->ctx), "'y'");
    assert_contains(pf_context_message(f->ctx), "not finite");
    pf_diagnostics_clear(f->ctx);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- memory */

static void run_with_counter(Counter *counter, void *user)
{
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfModel *model = NULL;
  PfSystem *system = NULL;
  PfEquations eq;
  PfRunResult result;
  PfRunOptions options = pf_run_options();
  double values[32];
  options.method = user;
  options.step = 0.1;
  options.t_end = 0.2;
  PfStatus status = ctx ? pf_model_read(ctx, "test.pf", circle, strlen(circle), &model) : PF_ERR_MEMORY;
  if (status == PF_OK) status = pf_equations_derive(ctx, model->arena, model, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &system);
  if (status == PF_OK) status = pf_equations_start(ctx, &eq, NULL, values);
  if (status == PF_OK) status = pf_run(ctx, system, values, &options, &result);
  bool hopeless = counter->refused && counter->fail_on; /* one refusal may only cost an optimisation of the tapes */
  assert_true(status == PF_ERR_MEMORY ? counter->refused > 0 : status == PF_OK && !hopeless);
  pf_system_free(system);
  if (model) pf_model_free(model);
  if (ctx) pf_context_free(ctx);
}

static void lack_of_memory_is_reported_and_leaves_nothing_behind(void **state)
{
  (void)state;
  static char alpha[] = "generalized_alpha", rattle[] = "rattle";
  fail_every_allocation(run_with_counter, alpha);
  fail_every_allocation(run_with_counter, rattle);
}

/* Samples see every step: their number of allocations must not change. */
typedef struct Watcher {
  const Counter *counter;
  long calls, steps;
} Watcher;

static PfStatus watch(void *user, const PfSample *sample)
{
  Watcher *watcher = user;
  if (watcher->steps++ == 0) watcher->calls = watcher->counter->calls;
  assert_true(isfinite(sample->t));
  assert_int_equal(watcher->counter->calls, watcher->calls);
  return PF_OK;
}

static void nothing_is_allocated_during_steps(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    Counter counter;
    counter_init(&counter);
    PfContext *ctx = pf_context_new(&counter.allocator);
    PfModel *model;
    PfSystem *system;
    PfEquations eq;
    PfRunResult result;
    PfRunOptions options = pf_run_options();
    Watcher watcher = {.counter = &counter};
    double values[32];
    options.method = both[i%2];
    options.adaptive = i >= 2;
    options.step = 0.01;
    options.t_end = 1;
    options.sample = watch;
    options.user = &watcher;
    assert_int_equal(pf_model_read(ctx, "test.pf", circle, strlen(circle), &model), PF_OK);
    assert_int_equal(pf_equations_derive(ctx, model->arena, model, &eq), PF_OK);
    assert_int_equal(pf_system_new(ctx, &eq, &system), PF_OK);
    assert_int_equal(pf_equations_start(ctx, &eq, NULL, values), PF_OK);
    assert_int_equal(pf_run(ctx, system, values, &options, &result), PF_OK);
    if (i < 2) assert_int_equal(watcher.steps, 101);
    else assert_true(watcher.steps > 10);
    pf_system_free(system);
    pf_model_free(model);
    pf_context_free(ctx);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(fast_motions_are_damped_by_rho_per_step),
    with_fixture(slow_motions_keep_their_energy),
    with_fixture(the_last_step_is_shortened),
    with_fixture(samples_between_steps_are_of_second_order),
    with_fixture(a_step_takes_few_evaluations),
    with_fixture(rho_outside_0_to_1_is_refused),
    with_fixture(chosen_steps_keep_the_second_order),
    with_fixture(chosen_steps_hold_holonomic_constraints_at_both_levels),
    with_fixture(steps_follow_the_motion),
    with_fixture(without_a_step_the_step_is_chosen),
    with_fixture(settings_that_cannot_be_obeyed_are_refused),
    with_fixture(chosen_steps_without_end_are_reported_once),
    with_fixture(a_step_without_solution_is_reported),
    with_fixture(a_force_that_stops_being_a_number_is_named),
    cmocka_unit_test(lack_of_memory_is_reported_and_leaves_nothing_behind),
    cmocka_unit_test(nothing_is_allocated_during_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
