/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints at position, velocity and acceleration level. */
#include "mech/system.h"

static void a_holonomic_constraint_has_all_three_levels(void **state)
{
  System s;
  read_system(*state, "param L\ncoord x, y\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = L^2\n", &s);
  assert_int_equal(s.model->constraints[0].kind, PF_HOLONOMIC);
  assert_formula(&s, s.eq.position[0], "x^2 + y^2 - L^2");
  assert_formula(&s, s.eq.velocity[0], "2*x*x' + 2*y*y'");
  assert_formula(&s, s.eq.A[0], "2*x");
  assert_formula(&s, s.eq.A[1], "2*y");
  assert_formula(&s, s.eq.b[0], "-2*x'^2 - 2*y'^2");
  pf_model_free(s.model);
}

static void a_pfaffian_constraint_has_no_position_level(void **state)
{
  System s;
  read_system(*state, "coord x, y, a\nkinetic x'^2 + y'^2 + a'^2\nconstraint blade: y'*cos(a) = x'*sin(a)\n", &s);
  assert_int_equal(s.model->constraints[0].kind, PF_PFAFFIAN);
  assert_int_equal(s.eq.position[0], PF_EXPR_NONE);
  assert_formula(&s, s.eq.velocity[0], "y'*cos(a) - x'*sin(a)");
  assert_formula(&s, row_entry(&s, "blade", "x"), "-sin(a)");
  assert_formula(&s, row_entry(&s, "blade", "y"), "cos(a)");
  assert_formula(&s, row_entry(&s, "blade", "a"), "0");
  assert_formula(&s, s.eq.b[0], "a'*(y'*sin(a) + x'*cos(a))");
  pf_model_free(s.model);
}

static void an_affine_constraint_keeps_its_free_term(void **state)
{
  System s;
  read_system(*state, "param C\ncoord x, y\nkinetic x'^2 + y'^2\nconstraint c: x*x' + y' = C*y + t^2\n", &s);
  assert_int_equal(s.model->constraints[0].kind, PF_AFFINE);
  assert_true(s.model->constraints[0].rheonomic);
  assert_formula(&s, s.eq.b[0], "-x'^2 + C*y' + 2*t");
  pf_model_free(s.model);
}

static void a_nonlinear_constraint_gives_a_row_with_velocities(void **state)
{
  System s;
  read_system(*state, "param r\ncoord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint c: x'^2 + y'^2 = r^2*z'^2*x\n",
              &s);
  assert_int_equal(s.model->constraints[0].kind, PF_NONLINEAR);
  assert_formula(&s, s.eq.A[0], "2*x'");
  assert_formula(&s, s.eq.A[2], "-2*r^2*z'*x");
  assert_formula(&s, s.eq.b[0], "r^2*z'^2*x'");
  pf_model_free(s.model);
}

static void squares_that_cancel_leave_a_linear_constraint(void **state)
{
  System s;
  read_system(*state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: (x' + y)^2 - x'^2 = y^2 + 3*y'\n", &s);
  assert_int_equal(s.model->constraints[0].kind, PF_PFAFFIAN);
  assert_formula(&s, s.eq.A[0], "2*y");
  assert_formula(&s, s.eq.A[1], "-3");
  pf_model_free(s.model);
}

static void a_constraint_may_be_given_in_accelerations(void **state)
{
  System s;
  read_system(*state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x*x'' + x'^2 + cos(t)*y'' = 5\n", &s);
  assert_int_equal(s.model->constraints[0].kind, PF_ACCELERATION);
  assert_int_equal(s.eq.position[0], PF_EXPR_NONE);
  assert_int_equal(s.eq.velocity[0], PF_EXPR_NONE);
  assert_formula(&s, s.eq.A[0], "x");
  assert_formula(&s, s.eq.A[1], "cos(t)");
  assert_formula(&s, s.eq.b[0], "5 - x'^2");
  pf_model_free(s.model);
}

/* x = f(t): x' = f', x'' = f''. */
static void a_servo_follows_its_function_of_time(void **state)
{
  System s;
  read_system(*state, "param w\ncoord x\nkinetic x'^2\nconstraint servo: x = sin(w*t)\n", &s);
  assert_true(s.model->constraints[0].rheonomic);
  assert_formula(&s, s.eq.velocity[0], "x' - w*cos(w*t)");
  assert_formula(&s, s.eq.b[0], "-w^2*sin(w*t)");
  pf_model_free(s.model);
}

static void a_servo_by_an_input_uses_the_derivatives_of_the_input(void **state)
{
  System s;
  read_system(*state, "input u = t^3\ncoord x\nkinetic x'^2\nconstraint servo: x = u\n", &s);
  assert_true(s.model->constraints[0].rheonomic);
  assert_formula(&s, s.eq.velocity[0], "x' - 3*t^2");
  assert_formula(&s, s.eq.b[0], "6*t");
  pf_model_free(s.model);
}

static void a_servo_by_an_input_without_a_function_is_refused(void **state)
{
  Fixture *f = *state;
  const char *text = "input u\ncoord x\nkinetic x'^2\nconstraint servo: x = u\n";
  PfModel *model;
  PfEquations eq;
  assert_int_equal(pf_model_read(f->ctx, "test.pf", text, strlen(text), &model), PF_OK);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, model, &eq), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'u'");
  pf_model_free(model);
}

/* ---------------------------------------------------------------- at random states */

static const char mixed[] =
  "param C = 0.3\ninput u = sin(2*t)\ncoord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
  "constraint sphere: x^2 + y*z + z^2 = 1 + u\n"
  "constraint plane: cos(x)*y' - sin(y*z)*z' = 0\n"
  "constraint drift: x*x' + y'*t = C*z\n"
  "constraint hurry: x'^2 + y'^2*z^2 = 4 + x\n";

/* For constraints that are linear in the velocities the row times v is the residual less its free term. */
static void rows_times_velocities_are_the_velocity_residual(void **state)
{
  System s;
  uint64_t seed = 11;
  read_system(*state, mixed, &s);
  for (int round = 0; round < 20; round++) {
    set_random_state(&s, &seed);
    for (int k = 0; k < 3; k++) {
      double A[3], v[3], full = value_of(&s, s.eq.velocity[k]);
      evaluate(&s, s.eq.A + 3*k, 3, A);
      memcpy(v, v_of(&s), sizeof v);
      memset(v_of(&s), 0, sizeof v);
      double free_term = value_of(&s, s.eq.velocity[k]);
      memcpy(v_of(&s), v, sizeof v);
      assert_near(pf_dot(A, v, 3) + free_term, full, 1e-13, 1e-13);
    }
  }
  pf_model_free(s.model);
}

/* d/dt of what vanishes at velocity level is A q'' - b, by central differences along a motion with any q''. */
static void the_acceleration_level_is_the_rate_of_the_velocity_level(void **state)
{
  System s;
  uint64_t seed = 12;
  const double h = 1e-5;
  read_system(*state, mixed, &s);
  for (int round = 0; round < 20; round++) {
    double q[3], v[3], a[3], t, A[3], r[2];
    set_random_state(&s, &seed);
    t = s.values[s.symbols.time];
    memcpy(q, q_of(&s), sizeof q);
    memcpy(v, v_of(&s), sizeof v);
    for (int i = 0; i < 3; i++) a[i] = draw_number(&seed);
    for (int k = 0; k < 4; k++) {
      evaluate(&s, s.eq.A + 3*k, 3, A);
      double exact = pf_dot(A, a, 3) - value_of(&s, s.eq.b[k]);
      for (int side = 0; side < 2; side++) {
        double step = side ? -h : h;
        for (int i = 0; i < 3; i++) {
          q_of(&s)[i] = q[i] + step*v[i] + step*step/2*a[i];
          v_of(&s)[i] = v[i] + step*a[i];
        }
        set_time(&s, t + step);
        r[side] = value_of(&s, s.eq.velocity[k]);
      }
      set_time(&s, t);
      memcpy(q_of(&s), q, sizeof q);
      memcpy(v_of(&s), v, sizeof v);
      assert_near((r[0] - r[1])/(2*h), exact, 1e-7, 1e-8);
    }
  }
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_holonomic_constraint_has_all_three_levels),
    with_fixture(a_pfaffian_constraint_has_no_position_level),
    with_fixture(an_affine_constraint_keeps_its_free_term),
    with_fixture(a_nonlinear_constraint_gives_a_row_with_velocities),
    with_fixture(squares_that_cancel_leave_a_linear_constraint),
    with_fixture(a_constraint_may_be_given_in_accelerations),
    with_fixture(a_servo_follows_its_function_of_time),
    with_fixture(a_servo_by_an_input_uses_the_derivatives_of_the_input),
    with_fixture(a_servo_by_an_input_without_a_function_is_refused),
    with_fixture(rows_times_velocities_are_the_velocity_residual),
    with_fixture(the_acceleration_level_is_the_rate_of_the_velocity_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
