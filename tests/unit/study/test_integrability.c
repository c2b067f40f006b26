/* SPDX-License-Identifier: Apache-2.0 */
/* Growth vectors and holonomic combinations: expected ones are derived by hand in the comments, or classical. */
#include "mech/system.h"

#include "pfaff/integrals.h"
#include "study/integrability.h"

static PfIntegrability study(System *s)
{
  PfIntegrability found;
  if (pf_equations_start(s->ctx, &s->eq, s->given, s->values) != PF_OK) fail_msg("%s", pf_context_message(s->ctx));
  if (pf_integrability(s->ctx, s->arena, &s->eq, s->given, s->values, &found) != PF_OK)
    fail_msg("%s", pf_context_message(s->ctx));
  return found;
}

/* Ranks as text, "2, 3, 5". */
#define assert_growth(growth, text) assert_growth_at((growth), (text), __FILE__, __LINE__)
static void assert_growth_at(const PfGrowth *growth, const char *expected, const char *file, int line)
{
  char text[256] = "";
  for (int i = 0; i < growth->length; i++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%d", i ? ", " : "", growth->rank[i]);
  }
  if (!strcmp(text, expected) && growth->complete) return;
  print_error("growth vector (%s)%s, not (%s)\n", text, growth->complete ? "" : " and more", expected);
  _fail(file, line);
}

/* The example has this growth vector at a generic configuration and at its start, exactly. */
static void check_growth(void **state, const char *name, const char *generic, const char *given)
{
  System s;
  load_system(*state, name, &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, generic);
  assert_growth(&found.given, given);
  assert_true(found.generic.exact);
  assert_true(found.given.exact);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- growth vectors */

static void classical_vehicles_have_their_growth_vectors(void **state)
{
  check_growth(state, "cart", "2, 3", "2, 3");
  check_growth(state, "chaplygin_sleigh", "2, 3", "2, 3");
  check_growth(state, "unicycle", "2, 3, 4", "2, 3, 4");
  check_growth(state, "car", "2, 3, 4", "2, 3, 4");
  check_growth(state, "car_trailer", "2, 3, 4, 5", "2, 3, 4, 5");
}

/* The plate and ball problem; when the ball may spin, the third velocity is free: (3, 5). */
static void a_ball_that_rolls_without_spinning_grows_two_three_five(void **state)
{
  check_growth(state, "rolling_ball", "2, 3, 5", "2, 3, 5");
}

/* D is spanned by d/dpsi, d/dphi_b, d/dphi_f and X(phi_b, phi_f) along the motion of the board; [d/dphi_b, X] and
 * [d/dphi_f, X] are the derivatives of X, which with X span all three velocities of the board: (4, 6). */
static void the_snakeboard_grows_four_six(void **state)
{
  check_growth(state, "snakeboard", "4, 6", "4, 6");
  check_growth(state, "snakeboard_bodies", "4, 6", "4, 6");
}

/* X1 = (cos t0, sin t0, 0, sin(t0 - t1)), X2 = d/dt0: [X1, [X2, X1]] = d/dt1 at every angle, even at a right one. */
static void a_cart_with_a_trailer_has_no_singular_configuration(void **state)
{
  System s;
  read_system(*state,
              "model trailer\ncoord x, y, t0, t1\nkinetic (x'^2 + y'^2 + t0'^2 + t1'^2)/2\n"
              "constraint car: y'*cos(t0) = x'*sin(t0)\nconstraint trailer: y'*cos(t1) - x'*sin(t1) = t1'\n"
              "start t0 = pi/2\n", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "2, 3, 4");
  assert_growth(&found.given, "2, 3, 4");
  assert_true(found.given.exact);
  pf_model_free(s.model);
}

/* Martinet: dz = y^2 dx. Where y = 0 the first bracket -2 y d/dz vanishes, and one more is needed. */
static void martinet_grows_more_slowly_on_its_surface(void **state)
{
  System s;
  read_system(*state, "model martinet\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: z' = y^2*x'\n", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "2, 3");
  assert_growth(&found.given, "2, 2, 3");
  s.values[s.symbols.q + 1] = 0.5;
  assert_int_equal(pf_integrability(s.ctx, s.arena, &s.eq, s.given, s.values, &found), PF_OK);
  assert_growth(&found.given, "2, 3");
  pf_model_free(s.model);
}

/* Doubles that are no short fraction are judged by singular values, and the study says so. */
static void configurations_that_are_not_exact_are_decided_by_numbers(void **state)
{
  System s;
  load_system(*state, "car_trailer", &s);
  (void)study(&s);
  for (int i = 0; i < s.eq.n; i++) q_of(&s)[i] = sin(1.0 + i);
  PfIntegrability found;
  assert_int_equal(pf_integrability(s.ctx, s.arena, &s.eq, s.given, s.values, &found), PF_OK);
  assert_false(found.at_exact);
  assert_false(found.given.exact);
  assert_growth(&found.given, "2, 3, 4, 5");
  pf_model_free(s.model);
}

static void a_configuration_without_full_rank_has_no_growth_vector(void **state)
{
  System s;
  read_system(*state, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: x*x' + y*y' = z*z'*y\n", &s);
  PfIntegrability found = study(&s);
  assert_int_equal(found.rank, 1);
  assert_int_equal(found.given_rank, 0);
  assert_non_null(found.given.why_not);
  pf_model_free(s.model);
}

static void a_system_without_constraints_is_trivial(void **state)
{
  System s;
  read_system(*state, "model f\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "2");
  assert_int_equal(found.holonomic, 0);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- holonomic combinations */

/* Is `text` constant by what was found? It must have the gradient of one integral, up to a factor that is a number. */
static const PfIntegral *find_integral(System *s, const PfIntegrability *found, const char *text)
{
  PfExpr wanted = formula(s->ctx, text);
  for (int i = 0; i < found->integral_count; i++) {
    PfExpr other = found->integrals[i].integral;
    for (int sign = -1; sign <= 1; sign += 2) {
      PfExpr e = pf_expr_sub(s->ctx, wanted, pf_expr_mul(s->ctx, pf_expr_int(s->ctx, sign), other));
      if (pf_expr_is_probably_zero(s->ctx, e, 2) == PF_TRUE) return found->integrals + i;
    }
  }
  fail_msg("%s is not among %d integrals", text, found->integral_count);
  return NULL;
}

/* sum weight*(row of A) = gradient of the integral, the identity that the study claims. */
static void check_identity(System *s, const PfIntegrability *found, const PfIntegral *one)
{
  for (int j = 0; j < s->eq.n; j++) {
    PfExpr sum = pf_expr_int(s->ctx, 0);
    for (int i = 0; i < s->eq.m; i++)
      sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, one->weight[i], s->eq.A[i*s->eq.n + j]));
    PfExpr both[2] = {sum, pf_expr_diff(s->ctx, one->integral, found->coordinate[j])};
    if (one->for_values) assert_int_equal(pf_put_parameters(s->ctx, s->model, s->given, both, 2), PF_OK);
    assert_int_equal(pf_model_expand(s->model, both, 2, both), PF_OK);
    assert_equal(s, both[0], both[1]);
  }
}

/* Reference: 3 L theta + r (psi1 + psi2 + psi3) is constant, the sum of the three rows. */
static void the_omni_robot_has_one_holonomic_combination(void **state)
{
  System s;
  load_system(*state, "omni_robot", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "3, 5");
  assert_int_equal(found.holonomic, 1);
  const PfIntegral *one = find_integral(&s, &found, "3*L*theta + r*(psi[1] + psi[2] + psi[3])");
  assert_false(one->for_values);
  assert_int_equal(one->weight[0], one->weight[1]);
  assert_int_equal(one->weight[0], one->weight[2]);
  check_identity(&s, &found, one);
  pf_model_free(s.model);
}

/* The rows say chi_i' = ± v1 + v2 + e_i theta' with v the velocity in axes of the platform; differences without v are
 * chi1 - chi3 = 11 theta and chi2 - chi4 = -11 theta, the sum of which is free of theta. */
static void the_mecanum_carriage_has_two(void **state)
{
  System s;
  load_system(*state, "carriage_mecanum", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "3, 5");
  assert_int_equal(found.holonomic, 2);
  assert_int_equal(found.integral_count, 2);
  check_identity(&s, &found, find_integral(&s, &found, "chi[1] + chi[2] - chi[3] - chi[4]"));
  check_identity(&s, &found, find_integral(&s, &found, "chi[1] - chi[3] - 11*theta"));
  pf_model_free(s.model);
}

static void other_carriages_have_one(void **state)
{
  System s;
  load_system(*state, "carriage_omni3", &s);
  PfIntegrability found = study(&s);
  check_identity(&s, &found, find_integral(&s, &found, "chi[1] + chi[2] - theta*(delta[1] + delta[2])"));
  pf_model_free(s.model);
  load_system(*state, "differential_drive", &s);
  found = study(&s);
  assert_growth(&found.generic, "2, 3, 4");
  check_identity(&s, &found, find_integral(&s, &found, "chi[1] + chi[2] - 2*delta*theta"));
  pf_model_free(s.model);
}

/* sin(th)*a - cos(th)*b is d(x sin th - y cos th) = du, and cos(th)*a + sin(th)*b is d(x cos th + y sin th) = dw. */
static void combinations_with_sines_are_found(void **state)
{
  System s;
  read_system(*state,
              "model c\ncoord x, y, th, u, w\nkinetic (x'^2 + y'^2 + th'^2 + u'^2 + w'^2)/2\n"
              "constraint a: x' = -y*th' + u'*sin(th) + w'*cos(th)\n"
              "constraint b: y' = x*th' - u'*cos(th) + w'*sin(th)\n", &s);
  PfIntegrability found = study(&s);
  assert_int_equal(found.holonomic, 2);
  check_identity(&s, &found, find_integral(&s, &found, "x*sin(th) - y*cos(th) - u"));
  check_identity(&s, &found, find_integral(&s, &found, "x*cos(th) + y*sin(th) - w"));
  pf_model_free(s.model);
}

static void holonomic_constraints_are_their_own_integrals(void **state)
{
  System s;
  read_system(*state, "model p\nparam l = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = l^2\n"
                      "start x = 2\n", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "1");
  assert_int_equal(found.integral_count, 1);
  assert_true(found.integrals[0].declared);
  pf_model_free(s.model);
}

/* x' = V moves: in space and time, x - V t is constant. */
static void free_terms_make_time_a_coordinate(void **state)
{
  System s;
  read_system(*state, "model a\nparam V = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint belt: x' = V\n", &s);
  PfIntegrability found = study(&s);
  assert_true(found.timed);
  assert_int_equal(found.space, 3);
  assert_int_equal(found.holonomic, 1);
  (void)find_integral(&s, &found, "x - V*t");
  pf_model_free(s.model);
}

/* z' = x y' - y x' is not integrable, but with y = 0 forced by another it is. */
static void a_constraint_may_become_holonomic_by_another(void **state)
{
  System s;
  read_system(*state, "model h\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                      "constraint a: z' = x*y' - y*x'\nconstraint b: y' = 0\n", &s);
  PfIntegrability found = study(&s);
  assert_growth(&found.generic, "1");
  assert_int_equal(found.holonomic, 2);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- potentials */

static void check_potential(Fixture *f, const char *text)
{
  PfExpr x[3] = {pf_expr_symbol(f->ctx, "x"), pf_expr_symbol(f->ctx, "y"), pf_expr_symbol(f->ctx, "z")};
  PfExpr form[3], found, wanted = formula(f->ctx, text);
  assert_int_equal(pf_expr_gradient(f->ctx, wanted, x, 3, form), PF_OK);
  assert_int_equal(pf_potential_find(f->ctx, x, 3, form, &found), PF_OK);
  if (found == PF_EXPR_NONE) fail_msg("no integral of the gradient of %s", text);
  for (int j = 0; j < 3; j++) {
    PfExpr difference = pf_expr_sub(f->ctx, form[j], pf_expr_diff(f->ctx, found, x[j]));
    assert_int_equal(pf_expr_is_probably_zero(f->ctx, difference, 2), PF_TRUE);
  }
}

static void gradients_are_integrated(void **state)
{
  static const char *const texts[] = {
    "3*x - 2*y + p*z", "x^2*y + z^3", "p*sin(2*x + y)*z", "x*cos(y) + y^2*sin(3*z)", "sin(x)*cos(x) + y",
    "exp(x*y) + z",
    "log(x) + y/z", "sqrt(x^2 + y^2)", "x^2*sin(p*x)", "cos(x)^2*z", "sin(x)*sin(y)*cos(z)", "x*sin(x + y)",
  };
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) check_potential(*state, texts[i]);
}

static void a_form_that_is_not_closed_has_no_potential(void **state)
{
  Fixture *f = *state;
  PfExpr x[2] = {pf_expr_symbol(f->ctx, "x"), pf_expr_symbol(f->ctx, "y")}, found;
  PfExpr form[2] = {x[1], pf_expr_neg(f->ctx, x[0])};
  assert_int_equal(pf_potential_find(f->ctx, x, 2, form, &found), PF_OK);
  assert_int_equal(found, PF_EXPR_NONE);
}

/* ---------------------------------------------------------------- bad models */

static void constraints_that_are_not_linear_are_refused(void **state)
{
  System s;
  PfIntegrability found;
  load_system(*state, "appell_hamel", &s);
  assert_int_equal(pf_integrability(s.ctx, s.arena, &s.eq, NULL, NULL, &found), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), "not linear in the velocities");
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(classical_vehicles_have_their_growth_vectors),
    with_fixture(a_ball_that_rolls_without_spinning_grows_two_three_five),
    with_fixture(the_snakeboard_grows_four_six),
    with_fixture(a_cart_with_a_trailer_has_no_singular_configuration),
    with_fixture(martinet_grows_more_slowly_on_its_surface),
    with_fixture(configurations_that_are_not_exact_are_decided_by_numbers),
    with_fixture(a_configuration_without_full_rank_has_no_growth_vector),
    with_fixture(a_system_without_constraints_is_trivial),
    with_fixture(the_omni_robot_has_one_holonomic_combination),
    with_fixture(the_mecanum_carriage_has_two),
    with_fixture(other_carriages_have_one),
    with_fixture(combinations_with_sines_are_found),
    with_fixture(holonomic_constraints_are_their_own_integrals),
    with_fixture(free_terms_make_time_a_coordinate),
    with_fixture(a_constraint_may_become_holonomic_by_another),
    with_fixture(gradients_are_integrated),
    with_fixture(a_form_that_is_not_closed_has_no_potential),
    with_fixture(constraints_that_are_not_linear_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
