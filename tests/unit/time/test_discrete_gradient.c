/* SPDX-License-Identifier: Apache-2.0 */
/* The method that keeps the energy, its decaying sibling, and the members of the alpha family. Orders are observed
 * against dop853, amplitudes compared with closed forms of the oscillator. */
#include "alpha_motions.h"

#include <complex.h>

static const char keeps[] = "discrete_gradient";

/* x and z are in no formula, and nothing pushes them. */
static const char free_ones[] = "model free_ones\nparam m = 2\ncoord x, y, z\n"
                                "kinetic m/2*(x'^2 + y'^2 + z'^2)\npotential y^4 + 3*cos(y)\n"
                                "start x' = 0.3, y = 1, z' = -2\n";

/* Energy that depends on time, a moving support, a driven constraint, and friction. */
static const char driven[] = "model driven\nparam m = 1, g = 9.81, c = 0.2\ncoord x, y, z\n"
                             "kinetic m/2*((x' + 0.3*cos(2*t))^2 + y'^2 + z'^2)\n"
                             "potential (5 + sin(3*t))/2*(x^2 + z^2) + m*g*y\n"
                             "constraint rod: x^2 + y^2 = 1 + 0.1*sin(t)\nconstraint follow: z' - y*x' = 0.2\n"
                             "force x = -c*x'\nstart x = 0.6, y = -0.8, x' = 1\n";

static void open_consistent(Fixture *f, const char *name, const char *parameter, double value, Motion *motion)
{
  PfStart start;
  if (strchr(name, '\n')) open_text(f, name, motion);
  else open_example(f, name, parameter, value, motion);
  assert_int_equal(pf_start_correct(motion->s.ctx, motion->system, motion->s.values, &start), PF_OK);
}

static Scheme scheme_of(double step, double rho)
{
  return (Scheme){keeps, step, rho, false, PF_ALPHA_SHIFTED};
}

/* ---------------------------------------------------------------- order */

typedef struct Witness {
  const char *model, *parameter;
  double value, t_end, step;
} Witness;

/* The hand is chaotic after some tenths of a second. */
static const Witness witnesses[] = {{"snakeboard", "F", 1, 0.8, 4e-3}, {"four_bar", NULL, 0, 1, 2e-3},
                                    {"leaning_disc", NULL, 0, 1, 2e-3}, {"hand", NULL, 0, 0.2, 5e-4},
                                    {"sleigh_variable_mass", NULL, 0, 1, 4e-3}};
enum { WITNESSES = sizeof witnesses/sizeof *witnesses };

/* Largest error of the state at four instants. */
static double error_of(const Motion *motion, const Scheme *scheme, double t_end, const Samples *exact)
{
  const int n = motion->s.eq.n;
  PfRunOptions options = pf_run_options();
  Samples *samples = new_samples(motion);
  options.method = scheme->method;
  options.step = scheme->step;
  options.rho = scheme->rho;
  options.t_end = t_end;
  options.at = exact->t;
  options.at_count = exact->count;
  PfRunResult result = run_options(motion, options, samples);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(fmax(result.position, result.velocity) < 1e-14);
  double error = 0;
  for (int i = 0; i < exact->count; i++) error = fmax(error, distance(samples->x[i], exact->x[i], 2*n));
  return error;
}

static void assert_second_order(const Motion *motion, double step, double rho, double t_end)
{
  double at[4], error[2];
  for (int i = 0; i < 4; i++) at[i] = t_end*(i + 1)/4;
  const Samples *exact = reference(motion, at, 4);
  for (int k = 0; k < 2; k++) {
    Scheme scheme = scheme_of(step/(k + 1), rho);
    error[k] = error_of(motion, &scheme, t_end, exact);
  }
  assert_near(order(error[0], error[1], 2), 2, 0, 0.05);
}

static void the_order_is_two_on_every_witness_for_every_rho(void **state)
{
  static const double rhos[] = {1, 0.8, 0};
  for (int i = 0; i < WITNESSES; i++) {
    const Witness *w = witnesses + i;
    Motion motion;
    open_consistent(*state, w->model, w->parameter, w->value, &motion);
    for (int k = 0; k < 3; k++) assert_second_order(&motion, w->step/4, rhos[k], w->t_end);
    close_motion(&motion);
  }
}

static void the_order_is_two_where_energy_and_constraints_depend_on_time(void **state)
{
  Motion motion;
  open_consistent(*state, driven, NULL, 0, &motion);
  for (int k = 0; k < 2; k++) assert_second_order(&motion, 2e-3, k ? 0.5 : 1, 2);
  close_motion(&motion);
}

/* ---------------------------------------------------------------- energy */

/* 100,000 steps of the size with which the motions are resolved; what is left is rounding. */
static void energy_and_constraints_hold_over_many_steps(void **state)
{
  static const Witness conservative[] = {{"snakeboard", "F", 0, 0, 1e-2}, {"four_bar", NULL, 0, 0, 5e-3},
                                         {"leaning_disc", NULL, 0, 0, 2e-3}, {"double_pendulum", NULL, 0, 0, 5e-3}};
  for (int i = 0; i < 4; i++) {
    const Witness *w = conservative + i;
    Motion motion;
    open_consistent(*state, w->model, w->parameter, w->value, &motion);
    Scheme scheme = scheme_of(w->step, 1);
    PfRunResult result = run_scheme(&motion, &scheme, 1e5*w->step, 1e9, NULL);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_int_equal(result.steps, 100000);
    assert_true(result.drift <= 1e-12*result.kinetic);
    assert_true(result.position < 1e-14 && result.velocity < 3e-14); /* the disc rolls at 30 m/s */
    close_motion(&motion);
  }
}

/* The balance holds with forces, friction and moving supports as well: it is imposed. */
static void the_balance_holds_for_what_is_driven(void **state)
{
  Motion motion;
  open_consistent(*state, driven, NULL, 0, &motion);
  Scheme scheme = scheme_of(1e-2, 1);
  PfRunResult result = run_scheme(&motion, &scheme, 20, 1e9, NULL);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(result.drift < 1e-12);
  assert_true(result.position < 1e-14 && result.velocity < 1e-14);
  close_motion(&motion);
}

/* The force that makes the balance exact is along coordinates on which something depends. */
static void absent_coordinates_are_not_pushed(void **state)
{
  Motion motion;
  open_text(*state, free_ones, &motion);
  Samples *samples = new_samples(&motion);
  Scheme scheme = scheme_of(1e-2, 1);
  PfRunResult result = run_scheme(&motion, &scheme, 20, 1, samples);
  assert_true(result.drift < 1e-12);
  for (int i = 0; i < samples->count; i++) {
    assert_near(samples->x[i][3], 0.3, 1e-14, 0);
    assert_near(samples->x[i][5], -2, 1e-14, 0);
  }
  close_motion(&motion);
}

/* With rho < 1 energy is lost in every step, and never gained. */
static void energy_never_grows_where_it_decays(void **state)
{
  Motion motion;
  open_example(*state, "double_pendulum", NULL, 0, &motion);
  for (int k = 0; k < 3; k++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = scheme_of(2e-2, 0.4*k);
    (void)run_scheme(&motion, &scheme, 4, 0, samples);
    double before = INFINITY;
    for (int i = 0; i < samples->count; i++) {
      double values[MOST_STATE] = {0};
      PfExpr energy = pf_expr_add(motion.s.ctx, motion.s.eq.kinetic, motion.s.eq.potential);
      const PfSymbols *in = pf_system_symbols(motion.system);
      assert_in_range(in->count, 1, MOST_STATE);
      memcpy(values, motion.s.values, (size_t)in->count*sizeof *values);
      memcpy(values + in->q, samples->x[i], 2*(size_t)motion.s.eq.n*sizeof *values);
      double now = 0;
      assert_int_equal(pf_expr_evaluate(motion.s.ctx, &energy, 1, in->symbol, values, in->count, &now), PF_OK);
      assert_true(now <= before + 1e-13);
      before = now;
    }
    close_motion(&motion);
    open_example(*state, "double_pendulum", NULL, 0, &motion);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- amplification */

/* x'' = -omega^2 x: x - i x'/omega is multiplied by R(i omega h) in each step; the formula of the file's head. */
static void an_oscillator_is_amplified_as_the_formula_says(void **state)
{
  static const double rhos[] = {1, 0.9, 0.5, 0.1, 0}, sizes[] = {0.01, 0.3, 1, 3, 30};
  Motion motion;
  open_text(*state, oscillator, &motion);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++) {
      const double sigma = (1 - rhos[i])/(1 + rhos[i]), alpha = sigma*sigma, beta = sigma*(1 - sigma), w = sizes[k];
      const double complex z = I*w, N = (1 - (alpha + beta)*z)/(1 - beta*z);
      const double complex R = rhos[i] < 1 ? (N + z/2)/(N + z/2 - z*N) : (1 + z/2)/(1 - z/2);
      set_parameter(&motion.s, "w", w);
      motion.s.values[pf_system_symbols(motion.system)->v] = 0.7*w;
      Samples *samples = new_samples(&motion);
      Scheme scheme = scheme_of(1, rhos[i]);
      (void)run_scheme(&motion, &scheme, 3, 0, samples);
      double complex c = 1 - 0.7*I;
      for (int step = 0; step < samples->count; step++, c *= R) {
        assert_near(samples->x[step][0], creal(c), 1e-9, 1e-9);
        assert_near(-samples->x[step][1]/w, cimag(c), 1e-9, 1e-9);
      }
      assert_int_equal(samples->count, 4);
    }
  close_motion(&motion);
}

/* Members of the alpha family: fast motions are left as rho^n, or n rho^n where roots coincide. */
static void members_of_the_family_damp_by_rho(void **state)
{
  static const struct {
    const char *method;
    double rho;
  } rows[] = {{"hht_alpha", 0.6}, {"hht_alpha", 0.9}, {"wbz_alpha", 0.6}, {"wbz_alpha", 0.3}, {"newmark", 0.6},
               {"newmark", 0.3}};
  Motion motion;
  open_text(*state, oscillator, &motion);
  set_parameter(&motion.s, "w", 1e6);
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++) {
    double size[2];
    for (int k = 0; k < 2; k++) {
      Scheme scheme = {rows[i].method, 1, rows[i].rho, false, PF_ALPHA_SHIFTED};
      Drive drive;
      drive_open(&motion, &scheme, 1e9, &drive);
      for (int step = 0; step < 10*(k + 1); step++) drive_step(&drive);
      size[k] = hypot(drive.run.state.y[0], drive.run.state.y[1]/2);
      drive_close(&drive);
    }
    assert_near(pow(size[1]/size[0], 0.1), rows[i].rho, 0.16, 0); /* 2^(2/10) is 1.149 */
  }
  close_motion(&motion);
}

/* On the sleigh with M(q): order 2 of all but Newmark's with damping; without damping they are one method. */
static void members_of_the_family_have_their_orders(void **state)
{
  static const struct {
    const char *method;
    double rho, order;
  } rows[] = {{"hht_alpha", 0.6, 2}, {"wbz_alpha", 0.6, 2}, {"newmark", 1, 2}, {"newmark", 0.6, 1},
               {"hht_alpha", 1, 2}, {"wbz_alpha", 1, 2}};
  Motion motion;
  open_example(*state, "sleigh_variable_mass", NULL, 0, &motion);
  double trapezoidal = 0;
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++) {
    Errors errors[2];
    for (int k = 0; k < 2; k++) {
      Scheme scheme = {rows[i].method, k ? 5e-3 : 1e-2, rows[i].rho, false, PF_ALPHA_SHIFTED};
      errors[k] = find_errors(&motion, &scheme, 1, 0.1);
    }
    assert_near(order(errors[0].q, errors[1].q, 2), rows[i].order, 0, 0.05);
    assert_near(order(errors[0].v, errors[1].v, 2), rows[i].order, 0, 0.05);
    if (rows[i].rho == 1 && trapezoidal > 0) assert_near(errors[0].q, trapezoidal, 1e-9, 0);
    if (rows[i].rho == 1) trapezoidal = errors[0].q;
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- settings */

static void what_it_lacks_is_refused(void **state)
{
  Motion motion;
  open_text(*state, oscillator, &motion);
  const struct {
    const char *method;
    double step, rho;
    bool adaptive, printed;
    const char *message;
  } rows[] = {{keeps, 0, NAN, false, false, "needs a step"}, {keeps, 0.1, 1.5, false, false, "rho is 1.5"},
               {keeps, 0.1, NAN, true, false, "only the alpha methods"},
               {keeps, 0.1, NAN, false, true, "only the alpha methods"},
               {"hht_alpha", 0.1, 0.4, false, false, "between 0.5 and 1"}};
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++) {
    PfRunOptions options = pf_run_options();
    PfRunResult result;
    options.method = rows[i].method, options.step = rows[i].step, options.rho = rows[i].rho;
    options.adaptive = rows[i].adaptive, options.printed = rows[i].printed;
    options.t_end = 1;
    assert_int_not_equal(pf_run(motion.s.ctx, motion.system, motion.s.values, &options, &result), PF_OK);
    assert_non_null(strstr(pf_context_message(motion.s.ctx), rows[i].message));
  }
  close_motion(&motion);
}

/* A step of the length of the period: the balance has no solution that belongs to the motion. */
static void a_step_that_would_gain_energy_is_refused(void **state)
{
  Motion motion;
  open_text(*state, "model m\ncoord a\nkinetic a'^2/2\npotential -9.81*cos(a)\nstart a = 2\n", &motion);
  PfRunOptions options = pf_run_options();
  PfRunResult result;
  options.method = keeps, options.step = 2, options.t_end = 20;
  assert_int_equal(pf_run(motion.s.ctx, motion.system, motion.s.values, &options, &result), PF_OK);
  assert_int_equal(result.end, PF_RUN_TROUBLE);
  assert_true(result.steps == 0);
  close_motion(&motion);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_order_is_two_on_every_witness_for_every_rho),
    with_fixture(the_order_is_two_where_energy_and_constraints_depend_on_time),
    with_fixture(energy_and_constraints_hold_over_many_steps),
    with_fixture(the_balance_holds_for_what_is_driven),
    with_fixture(absent_coordinates_are_not_pushed),
    with_fixture(energy_never_grows_where_it_decays),
    with_fixture(an_oscillator_is_amplified_as_the_formula_says),
    with_fixture(members_of_the_family_damp_by_rho),
    with_fixture(members_of_the_family_have_their_orders),
    with_fixture(what_it_lacks_is_refused),
    with_fixture(a_step_that_would_gain_energy_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
