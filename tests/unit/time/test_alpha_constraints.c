/* SPDX-License-Identifier: Apache-2.0 */
/* The alpha methods with constraints of every kind. */
#include "alpha_motions.h"

/* ---------------------------------------------------------------- constraints at every step */

static void velocities_stay_on_the_constraints_to_rounding(void **state)
{
  static const double steps[] = {1e-2, 1e-3};
  Motion motion;
  open_example(*state, "snakeboard", "F", 20, &motion);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      for (int printed = 0; printed < 2; printed++) {
        Scheme scheme = {both[i], steps[k], rho_paper, printed, PF_ALPHA_SHIFTED};
        PfRunResult result = run_scheme(&motion, &scheme, 0.8, 0, NULL);
        assert_int_equal(result.end, PF_RUN_DONE);
        assert_true(result.velocity <= 1e-13);
      }
  close_motion(&motion);
}

/* phi_b - phi_f = -(pi/3) cos(Omega t), Omega^2 = kw/Jw, whatever pushes. */
static double miss_of_identity(const Motion *motion, const Scheme *scheme)
{
  Samples *samples = new_samples(motion);
  const double Omega = sqrt(0.1/0.0013), pi = acos(-1);
  int b = coordinate(&motion->s, "phi_b"), f = coordinate(&motion->s, "phi_f");
  double miss = 0;
  assert_int_equal(run_scheme(motion, scheme, 0.8, 0.05, samples).end, PF_RUN_DONE);
  assert_int_equal(samples->count, 17);
  for (int i = 0; i < samples->count; i++)
    miss = fmax(miss, fabs(samples->x[i][b] - samples->x[i][f] + pi/3*cos(Omega*samples->t[i])));
  return miss;
}

static void the_difference_of_the_wheel_angles_is_a_cosine_to_second_order(void **state)
{
  Motion motion;
  open_example(*state, "snakeboard", "F", 20, &motion);
  for (int i = 0; i < 2; i++) {
    Scheme coarse = {both[i], 2e-3, rho_paper, false, PF_ALPHA_SHIFTED}, fine = coarse;
    fine.step = 1e-3;
    double a = miss_of_identity(&motion, &coarse), b = miss_of_identity(&motion, &fine);
    assert_near(order(a, b, 2), 2, 0, 0.05);
    assert_true(b < 2e-4);
  }
  close_motion(&motion);
}

static void a_loss_of_rank_is_reported_with_time_and_constraint(void **state)
{
  Fixture *f = *state;
  static const double t_star = 1.2536883587532748; /* 7 pi/(2 Omega) */
  Motion motion;
  open_example(f, "snakeboard", "F", 20, &motion);
  for (int i = 0; i < 2; i++) {
    PfRunOptions options = pf_run_options();
    options.method = both[i];
    options.step = 1e-3;
    options.rho = rho_paper;
    options.t_end = 2;
    PfRunResult result = run_options(&motion, options, NULL);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, t_star, 0, 1e-4);
    assert_contains(pf_context_message(f->ctx), "1.2537");
    assert_contains(pf_context_message(f->ctx), "'front'");
    options.keep_going = true;
    result = run_options(&motion, options, NULL);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_true(result.velocity <= 1e-13); /* which proves nothing about what comes after */
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- holonomic constraints */

/* x = cos 3 t, y = sin 3 t, and m x'' = 2 x lambda gives lambda = -m 9/2. */
static void a_bead_on_a_ring_goes_round_evenly(void **state)
{
  Motion motion;
  open_text(*state, circle, &motion);
  for (int i = 0; i < 2; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      Samples *samples = new_samples(&motion);
      Scheme scheme = {both[i], k ? 1e-2 : 2e-2, 0.8, false, PF_ALPHA_SHIFTED};
      PfRunResult result = run_scheme(&motion, &scheme, 2, 0.1, samples);
      assert_int_equal(result.end, PF_RUN_DONE);
      assert_true(result.position <= 1e-14 && result.velocity <= 1e-14);
      error[k] = 0;
      for (int l = 0; l < samples->count; l++) {
        error[k] = fmax(error[k], fabs(samples->x[l][0] - cos(3*samples->t[l])));
        assert_near(samples->x[l][6], -9, 2e-2, 0); /* it is m v^2/2, and v is off by a little */
      }
    }
    assert_near(order(error[0], error[1], 2), 2, 0, 0.1);
    assert_true(error[1] < 1e-2);
  }
  close_motion(&motion);
}

static void assert_order_2_text(Fixture *f, const char *text, const char *method, double t_end)
{
  Motion motion;
  open_text(f, text, &motion);
  Orders orders = find_orders(&motion, method, false, 2e-3, t_end, 0.1);
  assert_orders(&orders, 2);
  Scheme scheme = {method, 1e-2, rho_paper, false, PF_ALPHA_SHIFTED};
  PfRunResult result = run_scheme(&motion, &scheme, t_end, 0, NULL);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(result.position <= 1e-13 && result.velocity <= 1e-13);
  close_motion(&motion);
}

/* Its mass matrix depends on the angles. */
static void holonomic_constraints_hold_at_both_levels_and_multipliers_are_of_second_order(void **state)
{
  for (int i = 0; i < 2; i++) assert_order_2_text(*state, slider_crank, both[i], 1);
}

/* ---------------------------------------------------------------- constraints of other kinds */

/* Constant accelerations as in examples/paper-003/x1.pf: every scheme is exact, constraints with time in them too. */
static void affine_constraints_with_time_are_met_exactly(void **state)
{
  static const double a[] = {143.0/276, 487.0/1932, 1009.0/1932, 89.0/322, 485.0/1932};
  Motion motion;
  open_example(*state, "x1", NULL, 0, &motion);
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = {both[i], 0.1, 0.5, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 1, 0.5, samples);
    assert_int_equal(samples->count, 3);
    assert_true(result.velocity <= 1e-14);
    for (int j = 0; j < 5; j++) {
      assert_near(samples->x[2][j], a[j]/2, 0, 1e-14);
      assert_near(samples->x[2][5 + j], a[j], 0, 1e-14);
    }
  }
  close_motion(&motion);
}

/* The row of A changes with the velocity and with time. */
static const char given_pace[] = "model given_pace\nparam k = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential k/2*x^2 + y\nconstraint pace: x'^2 + y'^2 = 1 + 0.5*sin(t)\n"
                                 "start x = 0.5, x' = 0.6, y' = 0.8\n";

static void constraints_that_are_not_linear_in_the_velocities_keep_second_order(void **state)
{
  for (int i = 0; i < 2; i++) assert_order_2_text(*state, given_pace, both[i], 2);
}

static const char on_accelerations[] =
    "model on_accelerations\nparam m = 2, k = 3\ncoord x, y, th\n"
    "kinetic m/2*(x'^2 + y'^2) + th'^2/4*(1 + x^2/4)\npotential k/2*th^2 + y^2\n"
    "constraint c: x'' + sin(th)*y'' + th'^2*cos(x) - x*y' = 0\n"
    "start x = 0.3, y = 0.5, th = 0.2, x' = 0.1, th' = 1\n";

static void generalized_alpha_takes_constraints_on_accelerations(void **state)
{
  Motion motion;
  open_text(*state, on_accelerations, &motion);
  Orders orders = find_orders(&motion, "generalized_alpha", false, 5e-3, 2, 0.1);
  assert_orders(&orders, 2);
  close_motion(&motion);
}

static void rattle_refuses_constraints_on_accelerations(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  PfRunOptions options = pf_run_options();
  open_text(f, on_accelerations, &motion);
  options.method = "rattle";
  options.step = 1e-3;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'c' is on accelerations");
  options.method = "generalized_alpha";
  options.printed = true;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_MODEL);
  close_motion(&motion);
}

/* lambda = m g cos a - T sin b, x'' = g sin a + T/m cos b - mu lambda/m: constant, so both methods are exact. */
static void friction_that_depends_on_the_multiplier_is_exact_on_an_incline(void **state)
{
  Motion motion;
  open_example(*state, "incline_friction", NULL, 0, &motion);
  double lambda = 3*9.81*cos(0.5) - 4*sin(0.2), a = 9.81*sin(0.5) + 4.0/3*cos(0.2) - 0.3*lambda/3;
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = {both[i], 0.1, 0.5, false, PF_ALPHA_SHIFTED};
    assert_int_equal(run_scheme(&motion, &scheme, 1, 1, samples).end, PF_RUN_DONE);
    assert_near(samples->x[1][0], 0.5 + a/2, 1e-13, 0);
    assert_near(samples->x[1][2], 0.5 + a, 1e-13, 0);
    assert_near(samples->x[1][6], lambda, 1e-13, 0);
  }
  close_motion(&motion);
}

static void friction_on_a_sleigh_keeps_second_order(void **state)
{
  Motion motion;
  open_example(*state, "sleigh_friction", NULL, 0, &motion);
  for (int i = 0; i < 2; i++) {
    Orders orders = find_orders(&motion, both[i], false, 4e-3, 1, 0.2);
    assert_orders(&orders, 2);
  }
  close_motion(&motion);
}

/* One constraint written twice: the motion is that of one, the force is shared. */
static void redundant_constraints_do_no_harm(void **state)
{
  static const char twice[] = "model twice\nparam g = 9.81\ncoord x, y\nkinetic x'^2 + y'^2\npotential 2*g*y\n"
                              "constraint rod: x^2 + y^2 = 1\nconstraint again: 3*x^2 + 3*y^2 = 3\nstart x = 1\n";
  for (int i = 0; i < 2; i++) {
    Motion motion;
    open_text(*state, twice, &motion);
    Scheme coarse = {both[i], 4e-3, 0.8, false, PF_ALPHA_SHIFTED}, fine = coarse;
    fine.step = 2e-3;
    Errors a = find_errors(&motion, &coarse, 1, 0.2), b = find_errors(&motion, &fine, 1, 0.2);
    assert_near(order(a.q, b.q, 2), 2, 0, 0.1);
    assert_near(order(a.v, b.v, 2), 2, 0, 0.1);
    assert_near(order(a.post, b.post, 2), 2, 0, 0.1);
    close_motion(&motion);
  }
}

/* Exact accelerations of examples/paper-003/x2.pf with p = 1; q3 has no inertia. */
static void generalized_alpha_needs_no_regular_mass_matrix(void **state)
{
  static const double a[] = {100783.0/132500, -3941.0/26500, -55741.0/66250, -4877.0/132500, 39651.0/66250,
                             173933.0/132500};
  Motion motion;
  open_example(*state, "x2", NULL, 0, &motion);
  Samples *samples = new_samples(&motion);
  Scheme scheme = {"generalized_alpha", 0.1, 0.5, false, PF_ALPHA_SHIFTED};
  assert_int_equal(run_scheme(&motion, &scheme, 1, 1, samples).end, PF_RUN_DONE);
  for (int j = 0; j < 6; j++) assert_near(samples->x[1][j], a[j]/2, 0, 1e-13);
  close_motion(&motion);
}

static void rattle_says_that_it_needs_inertia(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_example(f, "x2", NULL, 0, &motion);
  Scheme scheme = {"rattle", 0.1, 0.5, false, PF_ALPHA_SHIFTED};
  assert_int_equal(run_scheme(&motion, &scheme, 1, 1, NULL).end, PF_RUN_TROUBLE);
  assert_contains(pf_context_message(f->ctx), "'q3' has no inertia");
  assert_int_equal(pf_error_count(f->ctx), 1);
  close_motion(&motion);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(velocities_stay_on_the_constraints_to_rounding),
    with_fixture(the_difference_of_the_wheel_angles_is_a_cosine_to_second_order),
    with_fixture(a_loss_of_rank_is_reported_with_time_and_constraint),
    with_fixture(a_bead_on_a_ring_goes_round_evenly),
    with_fixture(holonomic_constraints_hold_at_both_levels_and_multipliers_are_of_second_order),
    with_fixture(affine_constraints_with_time_are_met_exactly),
    with_fixture(constraints_that_are_not_linear_in_the_velocities_keep_second_order),
    with_fixture(generalized_alpha_takes_constraints_on_accelerations),
    with_fixture(rattle_refuses_constraints_on_accelerations),
    with_fixture(friction_that_depends_on_the_multiplier_is_exact_on_an_incline),
    with_fixture(friction_on_a_sleigh_keeps_second_order),
    with_fixture(redundant_constraints_do_no_harm),
    with_fixture(generalized_alpha_needs_no_regular_mass_matrix),
    with_fixture(rattle_says_that_it_needs_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
