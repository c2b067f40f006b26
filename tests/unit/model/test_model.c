/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a checked model. */
#include "mech/system.h"

static PfModel *read_model(Fixture *f, const char *text)
{
  PfModel *model;
  if (pf_model_read(f->ctx, "test.pf", text, strlen(text), &model) != PF_OK)
    fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
  return model;
}

static void kinds_of_constraints_have_names(void **state)
{
  (void)state;
  assert_string_equal(pf_constraint_kind_name(PF_HOLONOMIC), "holonomic");
  assert_string_equal(pf_constraint_kind_name(PF_PFAFFIAN), "pfaffian");
  assert_string_equal(pf_constraint_kind_name(PF_AFFINE), "affine");
  assert_string_equal(pf_constraint_kind_name(PF_NONLINEAR), "nonlinear");
  assert_string_equal(pf_constraint_kind_name(PF_ACCELERATION), "acceleration");
}

static void freeing_no_model_does_nothing(void **state)
{
  (void)state;
  pf_model_free(NULL);
}

static void names_are_found_in_full(void **state)
{
  PfModel *model = read_model(*state, "param m, k[2]\ncoord x, q[2]\nkinetic m*x'^2 + k[1]*q[1]'^2 + k[2]*q[2]'^2\n");
  assert_int_equal(pf_model_find_parameter(model, "m"), 0);
  assert_int_equal(pf_model_find_parameter(model, "k[2]"), 2);
  assert_int_equal(pf_model_find_parameter(model, "k"), -1);
  assert_int_equal(pf_model_find_parameter(model, "x"), -1);
  assert_int_equal(pf_model_find_coordinate(model, "q[1]"), 1);
  assert_int_equal(pf_model_find_coordinate(model, "x'"), -1);
  pf_model_free(model);
}

/* ---------------------------------------------------------------- time derivatives */

static void time_derivatives_follow_coordinates_velocities_inputs_and_time(void **state)
{
  Fixture *f = *state;
  System s = {.ctx = f->ctx, .arena = f->arena};
  s.model = read_model(f, "param m\ninput u = t^2\ncoord x, y\nkinetic x'^2 + y'^2\nforce x = u*m\n");
  PfExpr e[4] = {formula(f->ctx, "m*x^2*y"), formula(f->ctx, "x'*y"), formula(f->ctx, "u*x"),
                 formula(f->ctx, "sin(t)*m")};
  assert_int_equal(pf_model_time_derivative(s.model, e, 4, e), PF_OK); /* in place */
  assert_formula(&s, e[0], "m*(2*x*x'*y + x^2*y')");
  assert_formula(&s, e[1], "x''*y + x'*y'");
  assert_formula(&s, e[2], "2*t*x + u*x'");
  assert_formula(&s, e[3], "cos(t)*m");
  pf_model_free(s.model);
}

static void the_derivative_of_an_input_without_a_function_is_refused(void **state)
{
  Fixture *f = *state;
  PfModel *model = read_model(f, "input u, w = t\ncoord x\nkinetic x'^2\nforce x = u + w\n");
  PfExpr e = formula(f->ctx, "u*x"), free_of_it = formula(f->ctx, "w*x");
  assert_int_equal(pf_model_time_derivative(model, &e, 1, &e), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'u'");
  assert_int_equal(pf_model_time_derivative(model, &free_of_it, 1, &free_of_it), PF_OK);
  pf_model_free(model);
}

/* ---------------------------------------------------------------- parameters */

static void derived_parameters_are_written_out(void **state)
{
  Fixture *f = *state;
  System s = {.ctx = f->ctx, .arena = f->arena};
  s.model = read_model(f, "let K = 2*J + m\nlet J = m*L^2\nparam m, L\ncoord x\nkinetic K*x'^2 + J*x'^2\n");
  PfExpr e[2] = {formula(f->ctx, "K*x + J"), formula(f->ctx, "x")};
  assert_int_equal(pf_model_expand(s.model, e, 2, e), PF_OK);
  assert_formula(&s, e[0], "(2*m*L^2 + m)*x + m*L^2");
  assert_formula(&s, e[1], "x");
  pf_model_free(s.model);
}

static void values_may_need_each_other_in_any_order(void **state)
{
  PfModel *model = read_model(*state, "param a = 2*b, b = c + 1, c = 3\nlet d = a*b\ncoord x\nkinetic d*c*x'^2\n");
  double values[4];
  assert_int_equal(model->parameter_count, 4);
  assert_int_equal(pf_model_parameter_values(model, NULL, PF_MISSING_FAILS, values), PF_OK);
  assert_near(values[pf_model_find_parameter(model, "a")], 8, 0, 0);
  assert_near(values[pf_model_find_parameter(model, "b")], 4, 0, 0);
  assert_near(values[pf_model_find_parameter(model, "c")], 3, 0, 0);
  assert_near(values[pf_model_find_parameter(model, "d")], 32, 0, 0);
  pf_model_free(model);
}

static void given_values_reach_what_depends_on_them(void **state)
{
  PfModel *model = read_model(*state, "param a = 2*b, b = 3\ncoord x\nkinetic a*b*x'^2\n");
  double given[2] = {NAN, 5}, values[2];
  assert_int_equal(pf_model_parameter_values(model, given, PF_MISSING_FAILS, values), PF_OK);
  assert_near(values[0], 10, 0, 0);
  given[0] = 1;
  assert_int_equal(pf_model_parameter_values(model, given, PF_MISSING_FAILS, values), PF_OK);
  assert_near(values[0], 1, 0, 0);
  pf_model_free(model);
}

static void a_parameter_without_a_value_is_named(void **state)
{
  Fixture *f = *state;
  PfModel *model = read_model(f, "param a = 1, mass\ncoord x\nkinetic a*mass*x'^2\n");
  double values[2], given[2] = {NAN, 2};
  assert_int_equal(pf_model_parameter_values(model, NULL, PF_MISSING_FAILS, values), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'mass'");
  assert_int_equal(pf_model_parameter_values(model, given, PF_MISSING_FAILS, values), PF_OK);
  assert_near(values[1], 2, 0, 0);
  pf_model_free(model);
}

static void generic_values_are_positive_different_and_always_the_same(void **state)
{
  PfModel *model = read_model(*state, "param a[5]\ncoord x\nkinetic sum(i in 1..5, a[i])*x'^2\n");
  double first[5], second[5];
  assert_int_equal(pf_model_parameter_values(model, NULL, PF_MISSING_GENERIC, first), PF_OK);
  assert_int_equal(pf_model_parameter_values(model, NULL, PF_MISSING_GENERIC, second), PF_OK);
  assert_memory_equal(first, second, sizeof first);
  for (int i = 0; i < 5; i++) {
    assert_true(first[i] >= 0.5 && first[i] <= 1.5);
    for (int j = 0; j < i; j++) assert_true(fabs(first[i] - first[j]) > 1e-3);
  }
  pf_model_free(model);
}

static void a_value_that_is_not_finite_is_named(void **state)
{
  Fixture *f = *state;
  PfModel *model = read_model(f, "param a = 0, b = log(a)\ncoord x\nkinetic (1 + a + b)*x'^2\n");
  double values[2], given[2] = {1, NAN};
  assert_int_equal(pf_model_parameter_values(model, NULL, PF_MISSING_FAILS, values), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "'b'");
  assert_int_equal(pf_model_parameter_values(model, given, PF_MISSING_FAILS, values), PF_OK);
  assert_near(values[1], 0, 0, 0);
  pf_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(kinds_of_constraints_have_names),
    with_fixture(freeing_no_model_does_nothing),
    with_fixture(names_are_found_in_full),
    with_fixture(time_derivatives_follow_coordinates_velocities_inputs_and_time),
    with_fixture(the_derivative_of_an_input_without_a_function_is_refused),
    with_fixture(derived_parameters_are_written_out),
    with_fixture(values_may_need_each_other_in_any_order),
    with_fixture(given_values_reach_what_depends_on_them),
    with_fixture(a_parameter_without_a_value_is_named),
    with_fixture(generic_values_are_positive_different_and_always_the_same),
    with_fixture(a_value_that_is_not_finite_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
