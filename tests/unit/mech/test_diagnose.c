/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a system before it moves. */
#include "mech/system.h"

static PfStatus diagnose(Fixture *f, const char *text, System *s, PfDiagnosis *d)
{
  read_system(f, text, s);
  return pf_diagnose(f->ctx, f->arena, &s->eq, NULL, d);
}

static void a_system_without_constraints_has_all_its_freedoms(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "coord x, y\nkinetic x'^2 + y'^2\n", &s, &d), PF_OK);
  assert_int_equal(d.rank, 0);
  assert_int_equal(d.degrees_of_freedom, 2);
  assert_int_equal(d.mass_rank, 2);
  assert_false(d.mass_singular);
  assert_true(d.reached);
  assert_true(d.start_consistent);
  assert_int_equal(d.start_worst, -1);
  pf_model_free(s.model);
}

/* Both wheels of an axle forbid the same motion. */
static void two_wheels_on_one_axle_forbid_one_motion(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "coord x, y, a\n"
                            "body cart in ground at (x, y, 0) turn a about z { mass 1, inertia 1 }\n"
                            "frame left in cart at (0, 1, 0)\nframe right in cart at (0, -1, 0)\n"
                            "skate first: left\nskate second: right\n", &s, &d), PF_OK);
  assert_int_equal(d.rank, 1);
  assert_int_equal(d.redundant_count, 1);
  assert_int_equal(d.redundant[0], 1); /* the second one written is the one to name */
  assert_int_equal(d.degrees_of_freedom, 2);
  pf_model_free(s.model);
}

/* x = y, y = z and z = x: any one follows from the two others. */
static void a_ring_of_constraints_has_one_too_many(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                            "constraint x = y\nconstraint y = z\nconstraint z = x\n", &s, &d), PF_OK);
  assert_int_equal(d.rank, 2);
  assert_int_equal(d.redundant_count, 1);
  pf_model_free(s.model);
}

/* At the start both wheel sets of the snakeboard may point ahead, where the rows coincide; in general they do not. */
static void the_rank_is_that_of_a_generic_configuration(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f,
                            "coord x, y, a, b, c\nkinetic x'^2 + y'^2 + a'^2 + b'^2 + c'^2\n"
                            "constraint first: x'*sin(b) - y'*cos(b) = 0\n"
                            "constraint second: x'*sin(c) - y'*cos(c) = 0\n"
                            "constraint third: a = 0\n", &s, &d), PF_OK);
  assert_int_equal(d.rank, 3);
  assert_int_equal(d.redundant_count, 0);
  pf_model_free(s.model);
}

static void contradictory_positions_are_named(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 + y'^2\nconstraint one: x + y = 1\n"
                            "constraint two: 2*x + 2*y = 3\n", &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'one'");
  assert_contains(pf_context_message(f->ctx), "'two'");
  assert_contains(pf_context_message(f->ctx), "contradict");
  pf_model_free(s.model);
}

static void contradictory_velocities_are_named(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 + y'^2\nconstraint one: x' - y' = 1\n"
                            "constraint two: x' = y' + 2\n", &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'one'");
  assert_contains(pf_context_message(f->ctx), "'two'");
  assert_contains(pf_context_message(f->ctx), "contradict");
  pf_model_free(s.model);
}

/* A wall and a servo that walks through it agree only for an instant; contradicted by their velocities. */
static void a_servo_against_a_wall_is_a_contradiction(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 + y'^2\nconstraint wall: x = 0\nconstraint servo: x = t\n",
                            &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'wall'");
  assert_contains(pf_context_message(f->ctx), "'servo'");
  pf_model_free(s.model);
}

static void three_constraints_may_contradict_together(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint one: x = 1\n"
                            "constraint two: y = 2\nconstraint three: x + y = 4\n", &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'three'");
  pf_model_free(s.model);
}

static void a_constraint_of_accelerations_counts_and_says_nothing_about_the_start(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x'' = -4*x + y''\n"
                            "start x = 3, x' = 2\n", &s, &d), PF_OK);
  assert_int_equal(d.rank, 1);
  assert_true(d.start_consistent);
  pf_model_free(s.model);
}

/* The difference shows only in the second derivative: x = 0 and x = t^2 agree in position and velocity at t = 0. */
static void a_contradiction_of_accelerations_is_found_too(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 + y'^2\nconstraint wall: x = 0\nconstraint servo: x = t^2\n",
                            &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'wall'");
  assert_contains(pf_context_message(f->ctx), "'servo'");
  pf_model_free(s.model);
}

static void a_position_that_cannot_be_reached_is_said(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 + y'^2\nconstraint impossible: x^2 + y^2 = -1\n", &s, &d),
                   PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'impossible'");
  pf_model_free(s.model);
}

static void the_start_is_judged_by_the_worst_constraint(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "coord x, y\nkinetic x'^2 + y'^2\nconstraint small: x = 0\nconstraint large: y = 2\n"
                            "start x = 0.25, y = 1.5\n", &s, &d), PF_OK);
  assert_false(d.start_consistent);
  assert_near(d.start_violation, 0.5, 0, 0);
  assert_int_equal(d.start_worst, 1);
  pf_model_free(s.model);
}

static void a_start_may_miss_at_velocity_level_only(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "coord x, y\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 25\n"
                            "start x = 3, y = 4, x' = 1, y' = 0.5\n", &s, &d), PF_OK);
  assert_false(d.start_consistent);
  assert_near(d.start_violation, 10, 1e-15, 0); /* 2 x x' + 2 y y' */
  assert_int_equal(d.start_worst, 0);
  pf_model_free(s.model);
}

static void the_published_start_of_the_omni_robot_misses_by_the_known_number(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f,
                            "param m = 1 [kg], r = 20 [mm], L = 40 [mm]\nlet alpha[3] = list(pi/3, pi, -pi/3)\n"
                            "coord psi[3] [rad], x, y [mm], theta [rad]\nkinetic m*(x'^2 + y'^2 + (r*theta')^2)\n"
                            "for i in 1..3 {\n  constraint wheel: sin(theta + alpha[i])*x' - cos(theta + alpha[i])*y'"
                            " - L*theta' - r*psi[i]' = 0\n}\n"
                            "start theta = pi/6, psi[1]' = 1, psi[2]' = 1, psi[3]' = 2\n"
                            "start x' = -6.667, y' = -11.547, theta' = -0.667\n", &s, &d), PF_OK);
  assert_false(d.start_consistent);
  /* mm/s in the reference, cancellation of 20 mm/s */
  assert_near(d.start_violation, 0.013504662501086946e-3, 1e-11, 0);
  assert_int_equal(d.start_worst, 1);
  assert_int_equal(d.mass_rank, 3);
  assert_true(d.mass_singular);
  pf_model_free(s.model);
}

static void a_start_in_the_middle_of_time_dependent_constraints_is_taken_at_time_zero(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "input u = cos(3*t)\ncoord x\nkinetic x'^2\nconstraint servo: x = u + t\n"
                            "start x = 1, x' = 1\n", &s, &d), PF_OK);
  assert_true(d.start_consistent);
  assert_int_equal(d.degrees_of_freedom, 0);
  pf_model_free(s.model);
}

static void speeds_give_the_velocities_of_the_start(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "param R = 2\ncoord x, a\nspeed w\nkinetic x'^2 + a'^2\nconstraint roll_x: x' = R*a'\n"
                            "rate x' = R*w, a' = w\nstart w = 3\n", &s, &d), PF_OK);
  assert_true(d.start_consistent);
  assert_near(d.start_v[0], 6, 0, 0);
  assert_near(d.start_v[1], 3, 0, 0);
  pf_model_free(s.model);
}

static void a_velocity_that_contradicts_the_speeds_is_refused(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  const char *text = "coord x, y\nspeed w\nkinetic x'^2 + y'^2\nconstraint c: x' = y'\nrate x' = w, y' = w\n"
                     "start w = 1, y' = 5\n";
  assert_int_equal(diagnose(f, text, &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "the start of y' is 5, but the speeds give 1");
  pf_model_free(s.model);
}

static void a_coordinate_without_mass_makes_the_mass_matrix_singular(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "coord x, y\nkinetic x'^2\nconstraint c: x' = y'\n", &s, &d), PF_OK);
  assert_int_equal(d.mass_rank, 1);
  assert_true(d.mass_singular);
  pf_model_free(s.model);
}

/* T = (x' + y')^2: two coordinates, one mass. */
static void masses_that_move_together_make_the_mass_matrix_singular(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "param m = 0.1\ncoord x, y\nkinetic m*(x' + y')^2\n", &s, &d), PF_OK);
  assert_int_equal(d.mass_rank, 1);
  assert_true(d.mass_singular);
  pf_model_free(s.model);
}

static void a_negative_kinetic_energy_is_an_error(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 - y'^2\n", &s, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'y'");
  assert_contains(pf_context_message(f->ctx), "negative");
  pf_model_free(s.model);
}

static void a_mass_that_is_not_finite_is_an_error(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "coord x, y\nkinetic x'^2 + log(-1 - y^2)*y'^2\n", &s, &d), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "'y'");
  pf_model_free(s.model);
}

static void a_start_that_is_not_finite_is_an_error(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(f, "param a = 0\ncoord x, y\nkinetic x'^2 + y'^2\nstart y = log(a)\n", &s, &d),
                   PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "'y'");
  pf_model_free(s.model);
}

/* The start is where the constraint is not defined: said with its name, not with a NaN. */
static void a_constraint_that_is_not_finite_at_the_start_is_an_error(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  PfStatus status = diagnose(f, "coord x, y\nkinetic x'^2 + y'^2\nconstraint bad: log(-1 - x^2) = y\n", &s, &d);
  assert_true(status == PF_ERR_NUMBER || status == PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'bad'");
  pf_model_free(s.model);
}

/* 0/0 at the start, harmless beside it. */
static void a_start_where_a_constraint_is_not_defined_is_not_consistent(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint first: x' + y'*sin(x)/x = 0\n"
                            "constraint second: x = y\n", &s, &d), PF_OK);
  assert_false(d.start_consistent);
  assert_int_equal(d.start_worst, 0);
  assert_true(isinf(d.start_violation));
  assert_int_equal(d.rank, 2);
  pf_model_free(s.model);
}

static void parameters_without_values_get_arbitrary_ones_and_this_is_said(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state, "param m\ncoord x\nkinetic m*x'^2\n", &s, &d), PF_OK);
  assert_true(d.generic);
  assert_int_equal(d.mass_rank, 1);
  pf_model_free(s.model);
}

static void given_parameters_replace_those_of_the_model(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  double m = -1;
  read_system(f, "param m = 1\ncoord x\nkinetic m*x'^2\n", &s);
  assert_int_equal(pf_diagnose(f->ctx, f->arena, &s.eq, &m, &d), PF_ERR_MODEL);
  m = NAN; /* not this one */
  assert_int_equal(pf_diagnose(f->ctx, f->arena, &s.eq, &m, &d), PF_OK);
  assert_false(d.generic);
  pf_model_free(s.model);
}

/* The ball starts on a slope: the contact is beside the centre by R sin, where tan = 1/2. */
static void contact_coordinates_are_found_for_the_start(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "param R = 1\nlet h(x, y) = x/2\ncoord x, y, z, a, b, c\n"
                            "body ball in ground at (x, y, z) turn a about z turn b about x turn c about y "
                            "{ mass 1, inertia 1 }\n"
                            "roll k: ball ball { radius R } on surface h\n"
                            "start x = 3, y = 2, z = 3/2 + sqrt(5)/2*R\n", &s, &d), PF_OK);
  assert_true(d.start_consistent);
  assert_int_equal(d.rank, 5);
  assert_near(d.start_q[coordinate(&s, "k.u")], 3 + 1/sqrt(5), 1e-10, 0);
  assert_near(d.start_q[coordinate(&s, "k.w")], 2, 1e-10, 0);
  pf_model_free(s.model);
}

/* A disc that stands on a hill: the lowest point of the rim is not the one that touches, but close to it. */
static void the_rim_point_of_a_disc_is_found_for_the_start(void **state)
{
  System s;
  PfDiagnosis d;
  assert_int_equal(diagnose(*state,
                            "param R = 1\nlet h(x, y) = x/2\ncoord x, y, z, psi, phi, chi\n"
                            "body disc in ground at (x, y, z) turn psi about z turn phi about x turn chi about y "
                            "{ mass 1, inertia 1 }\n"
                            "roll k: disc disc { radius R, axis disc.y } on surface h\n"
                            "start z = sqrt(5)/2*R, x' = 2, z' = 1, chi' = sqrt(5)/R\n", &s, &d), PF_OK);
  assert_true(d.start_consistent);
  assert_int_equal(d.rank, 6);
  assert_int_equal(d.degrees_of_freedom, 3);
  assert_near(d.start_q[coordinate(&s, "k.u")], 1/sqrt(5), 1e-10, 0); /* R sin of the slope ahead */
  pf_model_free(s.model);
}

static void two_runs_give_the_same_numbers(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis first, second;
  load_system(f, "ball_in_bowl", &s);
  assert_int_equal(pf_diagnose(f->ctx, f->arena, &s.eq, NULL, &first), PF_OK);
  assert_int_equal(pf_diagnose(f->ctx, f->arena, &s.eq, NULL, &second), PF_OK);
  assert_int_equal(first.redundant[0], second.redundant[0]);
  assert_memory_equal(first.start_q, second.start_q, (size_t)s.eq.n*sizeof(double));
  assert_true(first.start_violation <= second.start_violation && second.start_violation <= first.start_violation);
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_system_without_constraints_has_all_its_freedoms),
    with_fixture(two_wheels_on_one_axle_forbid_one_motion),
    with_fixture(a_ring_of_constraints_has_one_too_many),
    with_fixture(the_rank_is_that_of_a_generic_configuration),
    with_fixture(contradictory_positions_are_named),
    with_fixture(contradictory_velocities_are_named),
    with_fixture(a_servo_against_a_wall_is_a_contradiction),
    with_fixture(three_constraints_may_contradict_together),
    with_fixture(a_constraint_of_accelerations_counts_and_says_nothing_about_the_start),
    with_fixture(a_contradiction_of_accelerations_is_found_too),
    with_fixture(a_position_that_cannot_be_reached_is_said),
    with_fixture(the_start_is_judged_by_the_worst_constraint),
    with_fixture(a_start_may_miss_at_velocity_level_only),
    with_fixture(the_published_start_of_the_omni_robot_misses_by_the_known_number),
    with_fixture(a_start_in_the_middle_of_time_dependent_constraints_is_taken_at_time_zero),
    with_fixture(speeds_give_the_velocities_of_the_start),
    with_fixture(a_velocity_that_contradicts_the_speeds_is_refused),
    with_fixture(a_coordinate_without_mass_makes_the_mass_matrix_singular),
    with_fixture(masses_that_move_together_make_the_mass_matrix_singular),
    with_fixture(a_negative_kinetic_energy_is_an_error),
    with_fixture(a_mass_that_is_not_finite_is_an_error),
    with_fixture(a_start_that_is_not_finite_is_an_error),
    with_fixture(a_constraint_that_is_not_finite_at_the_start_is_an_error),
    with_fixture(a_start_where_a_constraint_is_not_defined_is_not_consistent),
    with_fixture(parameters_without_values_get_arbitrary_ones_and_this_is_said),
    with_fixture(given_parameters_replace_those_of_the_model),
    with_fixture(contact_coordinates_are_found_for_the_start),
    with_fixture(the_rim_point_of_a_disc_is_found_for_the_start),
    with_fixture(two_runs_give_the_same_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
