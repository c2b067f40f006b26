/* Accelerations in closed form against the formulation they stand for. */
#include "motions.h"

#include "time/closed.h"

/* ---------------------------------------------------------------- accelerations */

static void compare_state(PfMotionRun *run, PfClosed *closed, const char *name)
{
  double a[MOST_NUMBERS_OF_STATE], lambda[MOST_NUMBERS_OF_STATE], power, a_size, l_size;
  int row;
  assert_true(pf_closed_flow(closed, run->symbols, run->flow.values, a, lambda, &power));
  assert_int_equal(pf_solver_accelerate(run->flow.solver, run->flow.values, &run->flow.motion, &row), PF_TROUBLE_NONE);
  a_size = largest(run->flow.motion.acceleration, run->n) + 1;
  l_size = largest(run->flow.motion.multiplier, run->m) + 1;
  double tolerance = 1e-12/closed->margin; /* rounding, by the condition of A M^-1 A^T */
  for (int i = 0; i < run->n; i++)
    if (!(fabs(a[i] - run->flow.motion.acceleration[i]) <= tolerance*a_size))
      fail_msg("%s, acceleration %d: %.17g, by the formulation %.17g", name, i, a[i], run->flow.motion.acceleration[i]);
  for (int k = 0; k < run->m; k++)
    if (!(fabs(lambda[k] - run->flow.motion.multiplier[k]) <= tolerance*l_size))
      fail_msg("%s, multiplier %d: %.17g, by the formulation %.17g", name, k, lambda[k], run->flow.motion.multiplier[k]);
  pf_monitor_at(run, run->flow.values[run->symbols->time], run->state.y, run->flow.motion.multiplier);
  double scale = fabs(pf_monitor_power(run)) + l_size;
  assert_near(power, pf_monitor_power(run), 0, 1e-9*scale);
}

static void the_closed_form_is_what_the_formulation_computes(void **state)
{
  static const char *const names[] = {"snakeboard", "free_floating", "free_floating_cm", "omni_robot", "carriage_mecanum",
                                      "carriage_omni3", "piano_wheel", "two_omni", "differential_drive", "cart_pendulum",
                                      "double_pendulum_bodies", "sleigh_variable_mass", "chaplygin_sleigh"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    Moving x;
    PfClosed *closed;
    uint64_t seed = 7 + i;
    open_example(*state, names[i], &x);
    PfMotionRun run = still_run(&x);
    assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
    if (!closed) fail_msg("%s has no closed form", names[i]);
    for (int k = 0; k < 30; k++) {
      set_random_state(&x.s, &seed);
      compare_state(&run, closed, names[i]);
    }
    pf_closed_release(closed);
    end_still_run(&run);
    close_moving(&x);
  }
}

/* Inputs by their functions, a mass that moves in time, a constraint with a drive. */
static void time_enters_as_well(void **state)
{
  Moving x;
  PfClosed *closed;
  uint64_t seed = 3;
  open_text(*state,
            "model driven\nparam m = 2, w = 3\ninput u = cos(w*t)\ncoord x, y, th\n"
            "kinetic (m + sin(t))/2*(x'^2 + y'^2) + (1 + x^2)/2*th'^2 + 0.3*th'*x'\npotential x^2*cos(t)\n"
            "force x = u*y, th = -th'^3\nconstraint drive: cos(th + 1)*x' + sin(th + 1)*y' = u\n"
            "start x' = 1.9, th' = 2\n", &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
  assert_non_null(closed);
  for (int k = 0; k < 50; k++) {
    set_random_state(&x.s, &seed);
    compare_state(&run, closed, "driven");
  }
  pf_closed_release(closed);
  end_still_run(&run);
  close_moving(&x);
}

/* ---------------------------------------------------------------- where it does not serve */

static void assert_not_closed(Fixture *f, const char *text)
{
  Moving x;
  PfClosed *closed;
  open_text(f, text, &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
  assert_null(closed);
  assert_int_equal(pf_error_count(f->ctx), 0);
  end_still_run(&run);
  close_moving(&x);
}

static void singular_redundant_and_frictional_systems_stay_with_the_formulation(void **state)
{
  assert_not_closed(*state, "model massless\ncoord x, y\nkinetic x'^2/2\nconstraint c: x' = y'\n");
  assert_not_closed(*state, "model half\ncoord x, y\nkinetic (x' + y')^2/2\nconstraint c: x' = y'\n");
  assert_not_closed(*state, "model twice\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x' = y'\n"
                            "constraint b: 2*x' = 2*y'\n");
  assert_not_closed(*state, "model rough\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n"
                            "nonideal x = -0.3*lambda[floor]*sign(x')\nstart x' = 1\n");
}

static void long_chains_stay_with_the_formulation(void **state)
{
  assert_not_closed(*state, "model chain\nparam n = 1\ncoord q[20]\n"
                            "kinetic sum(i in 1..20, sum(j in 1..i, q[j]'*cos(q[j]))^2 + q[i]'^2)\n");
}

/* Near a loss of rank the formulation decides. */
static void a_small_pivot_is_refused(void **state)
{
  Moving x;
  PfClosed *closed;
  double a[8], lambda[8], power, right_angle = acos(-1)/2;
  open_snakeboard(*state, 20, &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
  assert_non_null(closed);
  set_state(&x.s, "phi_b", right_angle, 0);
  set_state(&x.s, "phi_f", right_angle - 1e-5, 0);
  assert_false(pf_closed_flow(closed, run.symbols, run.flow.values, a, lambda, &power));
  set_state(&x.s, "phi_f", NAN, 0);
  assert_false(pf_closed_flow(closed, run.symbols, run.flow.values, a, lambda, &power));
  set_state(&x.s, "phi_f", 0.3, 0);
  assert_true(pf_closed_flow(closed, run.symbols, run.flow.values, a, lambda, &power));
  pf_closed_release(closed);
  end_still_run(&run);
  close_moving(&x);
}

/* ---------------------------------------------------------------- velocities */

/* The change is M^-1 A^T times something, so it is orthogonal to every admissible velocity in the metric of M. */
static void velocities_move_by_the_smallest_change(void **state)
{
  Moving x;
  PfClosed *closed;
  uint64_t seed = 11;
  open_snakeboard(*state, 1, &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
  for (int k = 0; k < 20; k++) {
    double before[6], change[6], push[6], M[36], A[12], miss[2], lambda[2];
    set_random_state(&x.s, &seed);
    memcpy(before, v_of(&x.s), sizeof before);
    assert_int_equal(pf_closed_project(closed, run.symbols, run.flow.values, 1e-14), PF_CLOSED_MOVED);
    evaluate(&x.s, x.s.eq.velocity, 2, miss);
    assert_true(largest(miss, 2) < 1e-14);
    assert_int_equal(pf_closed_project(closed, run.symbols, run.flow.values, 1e-14), PF_CLOSED_FINE);
    evaluate(&x.s, x.s.eq.M, 36, M);
    evaluate(&x.s, x.s.eq.A, 12, A);
    for (int i = 0; i < 6; i++) change[i] = v_of(&x.s)[i] - before[i];
    for (int i = 0; i < 6; i++) push[i] = pf_dot(M + 6*i, change, 6);
    assert_near(push[3], 0, 0, 1e-14); /* no constraint takes hold of psi, phi_b, phi_f */
    assert_near(push[4], 0, 0, 1e-14);
    double det = A[0]*A[7] - A[1]*A[6]; /* push = A^T lambda: two components give lambda, the third must agree */
    lambda[0] = (push[0]*A[7] - push[1]*A[6])/det;
    lambda[1] = (A[0]*push[1] - A[1]*push[0])/det;
    assert_near(push[2], A[2]*lambda[0] + A[8]*lambda[1], 1e-9, 1e-9);
  }
  pf_closed_release(closed);
  end_still_run(&run);
  close_moving(&x);
}

static void constraints_nonlinear_in_the_velocities_are_left_to_iteration(void **state)
{
  Moving x;
  PfClosed *closed;
  open_text(*state, "model pace\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint pace: x'^2 + y'^2 = 4\nstart x' = 2\n", &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
  assert_non_null(closed);
  assert_null(closed->velocity);
  assert_int_equal(pf_closed_project(closed, run.symbols, run.flow.values, 1e-14), PF_CLOSED_FAILED);
  pf_closed_release(closed);
  end_still_run(&run);
  close_moving(&x);
}

/* ---------------------------------------------------------------- the watch */

/* sqrt(margin) is the sine of the angle between the rows in the metric of M^-1; M = 1: that of the angle b. */
static void the_margin_is_the_angle_between_the_rows(void **state)
{
  Moving x;
  PfClosed *closed;
  double a[3], lambda[2], power;
  open_text(*state, "model two\nparam b = 0.7\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint one: x' = 0\n"
                    "constraint other: cos(b + z)*x' + sin(b + z)*y' = 0\n", &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_closed_make(&run, &closed), PF_OK);
  set_state(&x.s, "z", 0.2, 0);
  assert_true(pf_closed_flow(closed, run.symbols, run.flow.values, a, lambda, &power));
  assert_near(sqrt(closed->margin), sin(0.9), 1e-14, 0);
  assert_int_equal(closed->margin_row, 1);
  pf_closed_release(closed);
  end_still_run(&run);
  close_moving(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_closed_form_is_what_the_formulation_computes),
    with_fixture(time_enters_as_well),
    with_fixture(singular_redundant_and_frictional_systems_stay_with_the_formulation),
    with_fixture(long_chains_stay_with_the_formulation),
    with_fixture(a_small_pivot_is_refused),
    with_fixture(velocities_move_by_the_smallest_change),
    with_fixture(constraints_nonlinear_in_the_velocities_are_left_to_iteration),
    with_fixture(the_margin_is_the_angle_between_the_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
