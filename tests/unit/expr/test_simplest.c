/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest form: no longer than what a person would write, and proven equal to the expression. */
#include "support.h"

#include "expr/normal.h"
#include "formula.h"

#include <time.h>

#ifdef PF_HAVE_FLINT
static const bool has_flint = true;
#else
static const bool has_flint = false;
#endif

/* Fails unless the shortest form is proven equal and, with FLINT, no longer than `model`, which is written
 * as the printer writes. */
#define assert_short(state, text, model) assert_short_at((state), (text), (model), __FILE__, __LINE__)
static void assert_short_at(void **state, const char *text, const char *model, const char *file, int line)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, text), s = pf_expr_simplest(f->ctx, e);
  PfExpr difference = pf_expr_sub(f->ctx, e, s);
  PfExpr from_model = pf_expr_sub(f->ctx, e, formula(f->ctx, model));
  bool equal = pf_expr_is_probably_zero(f->ctx, difference, 1) == PF_TRUE;
  if (has_flint) equal = pf_expr_is_zero(f->ctx, difference) == PF_TRUE;
  bool same_model = pf_expr_is_probably_zero(f->ctx, from_model, 1) == PF_TRUE;
  bool brief = !has_flint || strlen(text_of(f, s)) <= strlen(model);
  assert_int_equal(pf_expr_check(f->ctx), PF_OK);
  if (equal && same_model && brief) return;
  print_error("%s\nbecomes\n%s\nwhich is%s; a person writes\n%s%s\n", text, text_of(f, s),
              equal ? " equal" : " NOT proven equal", model, same_model ? "" : " (which is something else)");
  _fail(file, line);
}

/* ---------------------------------------------------------------- algebra */

static void polynomials_are_factored_and_collected(void **state)
{
  assert_short(state, "x^2 + 2*x*y + y^2", "(x + y)^2");
  assert_short(state, "a*c + a*d + b*c + b*d", "(a + b)*(c + d)");
  assert_short(state, "(x + y)^2 - (x - y)^2", "4*x*y");
  assert_short(state, "(x + 1)^3 - x^3 - 1", "3*x*(x + 1)");
  assert_short(state, "a*b + a*c + a^2", "a*(a + b + c)");
  assert_short(state, "x^2 - 1", "x^2 - 1");
  assert_short(state, "x*y + x*z + u", "u + x*(y + z)");
  assert_short(state, "x/2 + y/2 + (x - y)/2", "x");
}

static void fractions_are_cancelled(void **state)
{
  assert_short(state, "(x^2 - 1)/(x - 1)", "x + 1");
  assert_short(state, "1/(x - 1) - 1/(x + 1)", "2/(x^2 - 1)");
  assert_short(state, "(x^2 + 2*x*y + y^2)/(x + y)^3", "1/(x + y)");
  assert_short(state, "a/x + b/y + (cos(t)^2 + sin(t)^2)/z", "1/z + a/x + b/y");
  assert_short(state, "(a*x + a*y)/(b*x + b*y)", "a/b");
  assert_short(state, "1/(1 + 1/(1 + 1/x))", "(x + 1)/(2*x + 1)");
  assert_short(state, "m*l^2/(m*l)", "l");
}

static void angles_are_added_up(void **state)
{
  assert_short(state, "sin(x)^2 + cos(x)^2 + y", "y + 1");
  assert_short(state, "cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)");
  assert_short(state, "sin(a)*cos(b) - cos(a)*sin(b)", "sin(a - b)");
  assert_short(state,
               "cos(a)*cos(b)*cos(c) - sin(a)*sin(b)*cos(c) - sin(a)*cos(b)*sin(c) - cos(a)*sin(b)*sin(c)",
               "cos(a + b + c)");
  assert_short(state, "4*cos(x)^3 - 3*cos(x)", "cos(3*x)");
  assert_short(state, "2*sin(x)*cos(x)", "sin(2*x)");
  assert_short(state, "m - m*cos(t)^2", "m*sin(t)^2");
  assert_short(state, "I1*sin(t)^2 + I2*cos(t)^2", "I1 + (I2 - I1)*cos(t)^2");
  assert_short(state, "cos(x) + cos(x + 2*pi/3) + cos(x - 2*pi/3)", "0");
  assert_short(state, "cos(x)*cos(x + pi/3) + sin(x)*sin(x + pi/3)", "1/2");
  assert_short(state, "sin(x)/cos(x)", "tan(x)");
  assert_short(state, "tan(x)*cos(x)", "sin(x)");
  assert_short(state, "1 + tan(x)^2", "1/cos(x)^2");
  assert_short(state, "(a*cos(x) + b*sin(x))^2 + (a*sin(x) - b*cos(x))^2", "a^2 + b^2");
}

static void other_functions_are_letters(void **state)
{
  assert_short(state, "exp(x)*exp(-x) + y", "y + 1");
  assert_short(state, "cosh(x)^2 - sinh(x)^2 + y", "y + 1");
  assert_short(state, "log(u)*a + log(u)*b", "(a + b)*log(u)");
  assert_short(state, "sqrt(a*b + a*c)^2 + a^2", "a*(a + b + c)");
  assert_short(state, "(1 + sqrt(x))*(1 - sqrt(x))", "1 - x");
  assert_short(state, "abs(u)*v - v*abs(u) + w", "w");
  assert_short(state, "x^y*a + x^y*b", "(a + b)*x^y");
}

/* What stands inside functions, roots and denominators is shortened too. */
static void insides_are_shortened(void **state)
{
  assert_short(state, "atan2(sin(x)^2*y + cos(x)^2*y, 2*z - z)", "atan2(y, z)");
  assert_short(state, "log((x + y)^2 - x^2 - y^2)", "log(2*x*y)");
  assert_short(state, "sqrt(sin(x)^2*a + cos(x)^2*a + b)", "sqrt(a + b)");
  assert_short(state, "log(log((x + 1)^2 - x^2 - 2*x + z) + y)", "log(y + log(z + 1))");
  assert_short(state, "sin(x*(y + 1) - x*y)", "sin(x)");
}

static void what_is_short_already_stays(void **state)
{
  Fixture *f = *state;
  static const char *const texts[] = {"0",   "pi",    "x",     "-x",       "x + y",
                                      "3/4", "x*y/z", "1.5*x", "sqrt(2)*x", "sin(x)"};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    PfExpr e = formula(f->ctx, texts[i]);
    assert_true(pf_expr_simplest(f->ctx, e) == e);
  }
  assert_true(pf_expr_simplest(f->ctx, PF_EXPR_NONE) == PF_EXPR_NONE);
}

/* 0.1 is no decimal fraction, and the square of a double is rounded: such forms are not taken. */
static void doubles_keep_their_value(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "(0.1*x + y)^2 - y^2 - 0.2*x*y");
  PfExpr s = pf_expr_simplest(f->ctx, e);
  assert_true(s == e || pf_expr_is_probably_zero(f->ctx, pf_expr_sub(f->ctx, e, s), 1) == PF_TRUE);
  assert_short(state, "0.1*x + 0.1*x*(cos(y)^2 + sin(y)^2)", "0.2*x");
}

/* ---------------------------------------------------------------- mechanics */

/* The robot of Zhao et al., section 4.1, corrected: M11, b and the forces, from the positions of the tip
 * masses d = r e(theta) + L e(theta - psi). */
#define TIP_X(i) "(r*sin(theta)*w + L*sin(theta - psi" #i ")*(w - w" #i "))"
#define TIP_Y(i) "(r*cos(theta)*w + L*cos(theta - psi" #i ")*(w - w" #i "))"
#define KINETIC                                                                     \
  "I*w^2/2 + m2/2*(" TIP_X(1) "^2 + " TIP_Y(1) "^2 + " TIP_X(2) "^2 + " TIP_Y(2) "^2)"

static PfExpr derivative(PfContext *ctx, PfExpr e, const char *by)
{
  return pf_expr_diff(ctx, e, pf_expr_symbol(ctx, by));
}

static void assert_expression(void **state, PfExpr e, const char *model)
{
  Fixture *f = *state;
  const char *text = text_of(f, e);
  assert_short(state, text, model);
}

static void the_free_floating_robot_has_a_short_mass_matrix(void **state)
{
  PfContext *ctx = (*(Fixture **)state)->ctx;
  PfExpr T = formula(ctx, KINETIC), p = derivative(ctx, T, "w"), p1 = derivative(ctx, T, "w1");
  assert_expression(state, derivative(ctx, p, "w"),
                    "I + 2*m2*L^2 + 2*m2*r^2 + 2*m2*r*L*(cos(psi1) + cos(psi2))");
  assert_expression(state, derivative(ctx, p, "w1"), "-m2*r*L*cos(psi1) - m2*L^2");
  assert_expression(state, derivative(ctx, p1, "w1"), "m2*L^2");
  assert_expression(state, derivative(ctx, p1, "w2"), "0");
  assert_short(state, "I + 2*J + 2*m2*r^2 + 2*k*cos(psi1) + 2*k*cos(psi2)",
               "I + 2*J + 2*m2*r^2 + 2*k*(cos(psi1) + cos(psi2))");
}

/* dT/dq - d(dT/dq')/dt without accelerations. */
static PfExpr inertia_force(PfContext *ctx, const char *coordinate, const char *speed)
{
  PfExpr T = formula(ctx, KINETIC), p = derivative(ctx, T, speed), rate;
  PfExpr q[] = {formula(ctx, "theta"), formula(ctx, "psi1"), formula(ctx, "psi2")};
  PfExpr v[] = {formula(ctx, "w"), formula(ctx, "w1"), formula(ctx, "w2")};
  assert_int_equal(pf_expr_derive_along(ctx, &p, 1, q, v, 3, &rate), PF_OK);
  return pf_expr_sub(ctx, derivative(ctx, T, coordinate), rate);
}

static void the_free_floating_robot_has_short_forces(void **state)
{
  PfContext *ctx = (*(Fixture **)state)->ctx;
  assert_expression(state, inertia_force(ctx, "theta", "w"),
                    "m2*r*L*(2*w*(w1*sin(psi1) + w2*sin(psi2)) - w1^2*sin(psi1) - w2^2*sin(psi2))");
  assert_expression(state, inertia_force(ctx, "psi1", "w1"), "-m2*r*L*sin(psi1)*w^2");
  assert_expression(state, inertia_force(ctx, "psi2", "w2"), "-m2*r*L*sin(psi2)*w^2");
  assert_short(state, "2*k*w*w1*sin(psi1) + 2*k*w*w2*sin(psi2) - k*w1^2*sin(psi1) - k*w2^2*sin(psi2)",
               "k*(2*w*(w1*sin(psi1) + w2*sin(psi2)) - w1^2*sin(psi1) - w2^2*sin(psi2))");
}

static void the_double_pendulum_is_as_in_the_textbooks(void **state)
{
  assert_short(state,
               "m2*((l1*cos(q1) + l2*cos(q1 + q2))*l2*cos(q1 + q2)"
               " + (l1*sin(q1) + l2*sin(q1 + q2))*l2*sin(q1 + q2))",
               "m2*l2^2 + m2*l1*l2*cos(q2)");
  assert_short(state, "m2*((l1*cos(q1) + l2*cos(q2))^2 + (l1*sin(q1) + l2*sin(q2))^2)",
               "m2*(l1^2 + l2^2 + 2*l1*l2*cos(q1 - q2))");
}

/* A symmetric top: twice the kinetic energy in Euler angles, which does not hold the spin angle. */
static void the_energy_of_a_symmetric_top_is_short(void **state)
{
  assert_short(state,
               "A*(psi'*sin(theta)*sin(phi) + theta'*cos(phi))^2"
               " + A*(psi'*sin(theta)*cos(phi) - theta'*sin(phi))^2 + C*(psi'*cos(theta) + phi')^2",
               "A*(theta'^2 + sin(theta)^2*psi'^2) + C*(phi' + cos(theta)*psi')^2");
}

/* ---------------------------------------------------------------- limits */

static double seconds(void)
{
  return (double)clock()/CLOCKS_PER_SEC;
}

/* 2 s leave room for sanitizers and slow machines. */
static void large_expressions_come_back_quickly(void **state)
{
  Fixture *f = *state;
  static const char *const texts[] = {
    "(x + y + z + w)^1000000",
    "(x^1000000 - 1)/(x - 1)",
    "(a + b + c + d + e + f)^7 + 1",
    "sin(x)^100 + cos(x)^100",
    "(sin(x) + cos(y))^20 + x",
    "cos(1000001*x)*cos(1000003*y)*sin(11*z) + cos(1000003*y)*x",
    "1/(x + a) + 1/(x + b) + 1/(x + c) + 1/(x + d) + 1/(y + a) + 1/(y + b) + 1/(y + c) + 1/(y + d)",
    "(a*x + b*y + c*z)*(d*x + e*y + f*z)*(g*x + h*y + i*z)*(j*x + k*y + l*z)*(m*x + n*y + o*z) + 1",
    "(exp(x) + exp(y) + exp(x + y))^8 + 1",
    "(x^8 + y^8*z^8 + u^7*v^8 + w^6*x^3 + 1)*(u^8 + x^7*y^6 + z^5*w^8 + v^8 + 2)*(s^8 + t^8*u + x)",
  };
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    double start = seconds();
    PfExpr e = formula(f->ctx, texts[i]), s = pf_expr_simplest(f->ctx, e);
    if (seconds() - start > 2) fail_msg("%s took %g s", texts[i], seconds() - start);
    assert_int_not_equal(pf_expr_is_probably_zero(f->ctx, pf_expr_sub(f->ctx, e, s), 1), PF_FALSE);
  }
}

/* A chain of squares is short as a graph and endless as a text. */
static void shared_parts_are_not_written_out(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "x + y");
  PfExpr z = pf_expr_symbol(f->ctx, "z");
  for (int i = 0; i < 100; i++) e = pf_expr_add(f->ctx, pf_expr_mul(f->ctx, e, e), z);
  assert_true(pf_expr_simplest(f->ctx, e) == e);
}

static void random_expressions_keep_their_values(void **state)
{
  (void)state;
  uint64_t seed = 20240607;
  for (int i = 0; i < 200; i++) {
    PfContext *ctx = pf_context_new(NULL);
    PfExpr e = random_formula(ctx, &seed, 3 + (int)draw(&seed, 12));
    PfExpr d = pf_expr_diff(ctx, e, pf_expr_symbol(ctx, "x")), s = pf_expr_simplest(ctx, d);
    double x = draw_number(&seed), y = draw_number(&seed), z = draw_number(&seed);
    double wanted = value_at(ctx, d, x, y, z);
    /* two orders of summation, with cancellation: 8 digits are left in all of these */
    if (isfinite(wanted)) assert_near(value_at(ctx, s, x, y, z), wanted, 1e-8, 1e-8);
    assert_true(pf_expr_length(ctx, s) <= pf_expr_length(ctx, d));
    pf_context_free(ctx);
  }
}

static void the_same_text_gives_the_same_form(void **state)
{
  Fixture *f = *state;
  const char *text = "l1*((m1 + m2)*cos(q1)*a1 + m2*l2*(cos(q1)*cos(q2) + sin(q1)*sin(q2))*a2)";
  char *first = NULL;
  for (int i = 0; i < 2; i++) {
    PfContext *ctx = pf_context_new(NULL);
    const char *found = pf_expr_print(ctx, f->arena, pf_expr_simplest(ctx, formula(ctx, text)), PF_TEXT);
    assert_non_null(found);
    if (first) assert_string_equal(first, found);
    first = pf_arena_text(f->arena, found, strlen(found));
    pf_context_free(ctx);
  }
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfExpr e = formula(ctx, "a*(cos(x)*cos(y) + sin(x)*sin(y))/(b + 1) + a*log(z^2 + 2*z + 1)");
  PfExpr s = pf_expr_simplest(ctx, e);
  bool shorter = pf_expr_length(ctx, s) < pf_expr_length(ctx, e);
  assert_true(shorter || counter->refused || !has_flint);
  pf_context_free(ctx);
}

static void memory_may_run_out_anywhere(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(polynomials_are_factored_and_collected),
    with_fixture(fractions_are_cancelled),
    with_fixture(angles_are_added_up),
    with_fixture(other_functions_are_letters),
    with_fixture(insides_are_shortened),
    with_fixture(what_is_short_already_stays),
    with_fixture(doubles_keep_their_value),
    with_fixture(the_free_floating_robot_has_a_short_mass_matrix),
    with_fixture(the_free_floating_robot_has_short_forces),
    with_fixture(the_double_pendulum_is_as_in_the_textbooks),
    with_fixture(the_energy_of_a_symmetric_top_is_short),
    with_fixture(large_expressions_come_back_quickly),
    with_fixture(shared_parts_are_not_written_out),
    cmocka_unit_test(random_expressions_keep_their_values),
    with_fixture(the_same_text_gives_the_same_form),
    cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
