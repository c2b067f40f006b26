/* SPDX-License-Identifier: Apache-2.0 */
/* Lagrange's equations of models that are given by energies. */
#include "mech/system.h"

static void a_mass_on_a_spring_has_the_usual_equation(void **state)
{
  System s;
  read_system(*state, "param m, k, c, F\ncoord x\nkinetic m/2*x'^2\npotential k/2*x^2\ndissipation c/2*x'^2\n"
              "force x = F\n", &s);
  assert_formula(&s, s.eq.M[0], "m");
  assert_formula(&s, s.eq.F[0], "F - k*x - c*x'");
  assert_formula(&s, s.eq.kinetic, "m*x'^2/2");
  assert_formula(&s, s.eq.potential, "k*x^2/2");
  assert_formula(&s, s.eq.momentum[0], "m*x'");
  pf_model_free(s.model);
}

static void polar_coordinates_bring_centrifugal_and_coriolis_terms(void **state)
{
  System s;
  read_system(*state, "param m\ncoord r, a\nkinetic m/2*(r'^2 + r^2*a'^2)\n", &s);
  assert_formula(&s, mass_entry(&s, "r", "r"), "m");
  assert_formula(&s, mass_entry(&s, "r", "a"), "0");
  assert_formula(&s, mass_entry(&s, "a", "a"), "m*r^2");
  assert_formula(&s, force_on(&s, "r"), "m*r*a'^2");
  assert_formula(&s, force_on(&s, "a"), "-2*m*r*r'*a'");
  assert_formula(&s, s.eq.momentum[1], "m*r^2*a'");
  pf_model_free(s.model);
}

/* T = m/2 v^2 + B x y': the force of a magnetic field, which does no work. */
static void terms_linear_in_the_velocities_give_gyroscopic_forces(void **state)
{
  System s;
  read_system(*state, "param m, B\ncoord x, y\nkinetic m/2*(x'^2 + y'^2) + B*x*y'\n", &s);
  assert_formula(&s, force_on(&s, "x"), "B*y'");
  assert_formula(&s, force_on(&s, "y"), "-B*x'");
  pf_model_free(s.model);
}

/* A bead on a wire that turns with the angle W t^2/2: T = m/2 (x'^2 + x^2 (W t)^2). */
static void time_in_the_kinetic_energy_is_differentiated(void **state)
{
  System s;
  read_system(*state, "param m, W\ncoord x\nkinetic m/2*(x'^2 + (x*W*t)^2) + m*W*t*x'\n", &s);
  assert_formula(&s, s.eq.F[0], "m*x*(W*t)^2 - m*W");
  pf_model_free(s.model);
}

static void an_input_in_the_kinetic_energy_is_differentiated_by_its_function(void **state)
{
  System s;
  read_system(*state, "param a\ninput u = a*t^2\ncoord x\nkinetic x'^2/2 + u*x'\n", &s);
  assert_formula(&s, s.eq.F[0], "-2*a*t");
  pf_model_free(s.model);
}

static void an_input_without_a_function_cannot_be_differentiated(void **state)
{
  Fixture *f = *state;
  const char *text = "input u\ncoord x\nkinetic u*x'^2/2\n";
  PfModel *model;
  PfEquations eq;
  assert_int_equal(pf_model_read(f->ctx, "test.pf", text, strlen(text), &model), PF_OK);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, model, &eq), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'u'");
  pf_model_free(model);
}

static void an_input_without_a_function_is_welcome_as_a_force(void **state)
{
  System s;
  read_system(*state, "input u\ncoord x\nkinetic x'^2/2\nforce x = u\n", &s);
  assert_formula(&s, s.eq.F[0], "u");
  pf_model_free(s.model);
}

/* Power of a force f at a point: Q_i = f . dv/dq_i'. */
static void a_force_at_a_point_acts_by_its_power(void **state)
{
  System s;
  read_system(*state,
              "param L, P\ncoord x, a\n"
              "frame arm in ground at (x, 0, 0) turn a about z\n"
              "point tip in arm at (L, 0, 0)\n"
              "kinetic (x'^2 + a'^2)/2\n"
              "force (0, P, 0) at tip\n"
              "force P*arm.y at tip from arm\n", &s); /* of the pair only the moment is left */
  assert_formula(&s, force_on(&s, "x"), "0");
  assert_formula(&s, force_on(&s, "a"), "P*L*cos(a) + P*L");
  pf_model_free(s.model);
}

static void a_torque_between_two_bodies_acts_on_their_relative_turn(void **state)
{
  System s;
  read_system(*state,
              "param P\ncoord a, b\n"
              "frame first in ground turn a about z\n"
              "frame second in first turn b about z\n"
              "kinetic (a'^2 + b'^2)/2\n"
              "torque P*ground.z on second from first\n"
              "torque P*ground.x on first\n", &s); /* across the hinge: does nothing */
  assert_formula(&s, force_on(&s, "a"), "0");
  assert_formula(&s, force_on(&s, "b"), "P");
  pf_model_free(s.model);
}

static void springs_and_dampers_between_points_follow_their_length(void **state)
{
  System s;
  read_system(*state,
              "param k, c, l, d\ncoord x, y\n"
              "frame mass in ground at (x, y, 0)\n"
              "point wall in ground at (0, d, 0)\n"
              "kinetic (x'^2 + y'^2)/2\n"
              "spring mass to wall { stiffness k, length l, damping c }\n", &s);
  assert_formula(&s, s.eq.F[0],
                 "-k*x*(1 - l/sqrt(x^2 + (y - d)^2)) - c*x*(x*x' + (y - d)*y')/(x^2 + (y - d)^2)");
  pf_model_free(s.model);
}

static void forces_that_are_not_ideal_stay_apart_and_may_contain_multipliers(void **state)
{
  System s;
  read_system(*state,
              "param mu, m, g\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
              "constraint floor: y = 0\n"
              "nonideal x = -mu*lambda[floor]*sign(x')\n", &s);
  assert_formula(&s, force_on(&s, "x"), "0");
  assert_formula(&s, s.eq.C[0], "-mu*lambda[floor]*sign(x')");
  assert_formula(&s, s.eq.C[1], "0");
  pf_model_free(s.model);
}

/* Not only equal: the same handle on both sides, so that symmetric factorisations see the same number. */
static void the_mass_matrix_is_symmetric_to_the_letter(void **state)
{
  System s;
  read_system(*state,
              "coord x, y, z, w\n"
              "kinetic (x'*cos(y) + y'*sin(x) + z'*x*w)^2 + (x' + y'*w)^2*z^2 + w'^2 + (w'*x + z'*y)^2\n", &s);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) assert_int_equal(s.eq.M[4*i + j], s.eq.M[4*j + i]);
  pf_model_free(s.model);
}

/* v.M v/2 is the part of T that is quadratic in the velocities, whatever T is. */
static void the_mass_matrix_is_the_quadratic_form_of_the_kinetic_energy(void **state)
{
  System s;
  uint64_t seed = 3;
  read_system(*state, "coord x, y\nkinetic x'^2*(1 + y^2) + x'*y'*sin(x) + y'^2*exp(x) + 3*y'*x + x*y\n", &s);
  PfExpr rest = formula(s.ctx, "3*y'*x + x*y");
  for (int round = 0; round < 10; round++) {
    double M[4], *v = v_of(&s);
    set_random_state(&s, &seed);
    evaluate(&s, s.eq.M, 4, M);
    double form = (M[0]*v[0]*v[0] + 2*M[1]*v[0]*v[1] + M[3]*v[1]*v[1])/2;
    assert_near(form, value_of(&s, pf_expr_sub(s.ctx, s.eq.kinetic, rest)), 1e-13, 1e-13);
  }
  pf_model_free(s.model);
}

/* d/dt dT/dq' - dT/dq = M q'' - F, with the left side by the time derivative of the model. */
static void the_forces_are_what_the_euler_operator_leaves(void **state)
{
  System s;
  read_system(*state, "coord x, y\nkinetic x'^2*(1 + y^2)/2 + x'*y'*sin(x + t) + y'^2*exp(x)\npotential x^2*cos(y)\n",
              &s);
  for (int i = 0; i < 2; i++) {
    const PfCoordinate *c = s.model->coordinates + i;
    PfExpr momentum = pf_expr_diff(s.ctx, s.eq.kinetic, c->v), rate;
    assert_int_equal(pf_model_time_derivative(s.model, &momentum, 1, &rate), PF_OK);
    PfExpr euler = pf_expr_sub(s.ctx, rate,
                               pf_expr_diff(s.ctx, pf_expr_sub(s.ctx, s.eq.kinetic, s.eq.potential), c->q));
    PfExpr inertial = pf_expr_add(s.ctx, pf_expr_mul(s.ctx, s.eq.M[2*i], formula(s.ctx, "x''")),
                                  pf_expr_mul(s.ctx, s.eq.M[2*i + 1], formula(s.ctx, "y''")));
    assert_equal(&s, euler, pf_expr_sub(s.ctx, inertial, s.eq.F[i]));
  }
  pf_model_free(s.model);
}

static void symbols_are_listed_in_a_fixed_order(void **state)
{
  System s;
  read_system(*state, "param m\nlet k = 2*m\ninput u\ncoord x, y\nkinetic k*x'^2 + m*y'^2\nforce x = u\n"
              "constraint c: x = y\n", &s);
  static const char *const names[] = {"m", "k", "t", "u", "x", "y", "x'", "y'", "lambda[c]"};
  assert_int_equal(s.symbols.count, 9);
  for (int i = 0; i < 9; i++) assert_string_equal(pf_expr_symbol_name(s.ctx, s.symbols.symbol[i]), names[i]);
  assert_int_equal(s.symbols.time, 2);
  assert_int_equal(s.symbols.q, 4);
  assert_int_equal(s.symbols.lambda, 8);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- memory */

static const char everything[] =
  "param m = 1, R = 1\ninput u = sin(t)\ncoord x, y, a, b\n"
  "body d in ground at (x, y, R) turn a about z turn b about y { mass m, inertia diag(1, 2, 1) }\n"
  "gravity (0, 0, -9.81)\nkinetic m*a'^2\nforce a = u\nforce m*d.x at d\n"
  "roll c: disc d { radius R, axis d.y } on ground\nconstraint x + y = 0\n";

/* Reading has its own tests: refusals begin after it. */
static void derive_everything(Counter *counter, void *user)
{
  (void)user;
  long refuse = counter->fail_at;
  counter->fail_at = 0;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfModel *model = NULL;
  PfEquations eq;
  PfDiagnosis d;
  assert_int_equal(pf_model_read(ctx, "test.pf", everything, sizeof everything - 1, &model), PF_OK);
  counter->calls = 0;
  counter->fail_at = refuse;
  PfStatus status = pf_equations_derive(ctx, arena, model, &eq);
  if (status == PF_OK) status = pf_diagnose(ctx, arena, &eq, NULL, &d);
  assert_true(status == PF_OK || (status == PF_ERR_MEMORY && counter->refused));
  if (status == PF_OK) assert_int_equal(d.degrees_of_freedom, 1);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void every_refused_allocation_ends_cleanly(void **state)
{
  (void)state;
  fail_every_allocation(derive_everything, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_mass_on_a_spring_has_the_usual_equation),
    with_fixture(polar_coordinates_bring_centrifugal_and_coriolis_terms),
    with_fixture(terms_linear_in_the_velocities_give_gyroscopic_forces),
    with_fixture(time_in_the_kinetic_energy_is_differentiated),
    with_fixture(an_input_in_the_kinetic_energy_is_differentiated_by_its_function),
    with_fixture(an_input_without_a_function_cannot_be_differentiated),
    with_fixture(an_input_without_a_function_is_welcome_as_a_force),
    with_fixture(a_force_at_a_point_acts_by_its_power),
    with_fixture(a_torque_between_two_bodies_acts_on_their_relative_turn),
    with_fixture(springs_and_dampers_between_points_follow_their_length),
    with_fixture(forces_that_are_not_ideal_stay_apart_and_may_contain_multipliers),
    with_fixture(the_mass_matrix_is_symmetric_to_the_letter),
    with_fixture(the_mass_matrix_is_the_quadratic_form_of_the_kinetic_energy),
    with_fixture(the_forces_are_what_the_euler_operator_leaves),
    with_fixture(symbols_are_listed_in_a_fixed_order),
    cmocka_unit_test(every_refused_allocation_ends_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
