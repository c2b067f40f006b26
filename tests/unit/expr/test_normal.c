/* SPDX-License-Identifier: Apache-2.0 */
/* The zero test by exact normal forms. */
#include "support.h"

#include "expr/normal.h"
#include "formula.h"

#include <time.h>

#ifdef PF_HAVE_FLINT
static const PfTruth proven = PF_TRUE;
#else
static const PfTruth proven = PF_UNKNOWN;
#endif

static PfTruth truth(void **state, const char *text)
{
  Fixture *f = *state;
  return pf_expr_is_zero(f->ctx, formula(f->ctx, text));
}

static void assert_all(void **state, const char *const *texts, size_t count, PfTruth expected)
{
  Fixture *f = *state;
  for (size_t i = 0; i < count; i++) {
    bool obvious = pf_expr_is_structural_zero(f->ctx, formula(f->ctx, texts[i])); /* by construction */
    PfTruth found = truth(state, texts[i]), wanted = obvious ? PF_TRUE : expected;
    if (found != wanted) fail_msg("%s: %d, not %d", texts[i], (int)found, (int)wanted);
  }
}
#define assert_each(state, texts, expected) \
  assert_all((state), (texts), sizeof(texts)/sizeof *(texts), (expected))

static void polynomial_identities_are_proven(void **state)
{
  static const char *const texts[] = {
    "(x + y)^2 - x^2 - 2*x*y - y^2",
    "(x + y + z)^3 - x^3 - y^3 - z^3 - 3*(x + y)*(y + z)*(z + x)",
    "(a^2 + b^2)*(c^2 + d^2) - (a*c - b*d)^2 - (a*d + b*c)^2",
    "x/3 + x/6 - x/2 + 0*y",
    "(x + 0.1)*(y + z) - x*(y + z) - 0.1*y - 0.1*z",
    "(x + 0.5)^2 - x^2 - x - 1/4",
    "pi*(x + 1)^2 - pi*x^2 - 2*pi*x - pi",
  };
  assert_each(state, texts, proven);
}

static void rational_identities_are_proven(void **state)
{
  static const char *const texts[] = {
    "1/(x - 1) - 1/(x + 1) - 2/(x^2 - 1)",
    "(x^3 - 1)/(x - 1) - x^2 - x - 1",
    "1/(x*(x + 1)) - 1/x + 1/(x + 1)",
    "a/(b/(c/d)) - a*c/(b*d)",
    "1/(1 + 1/(1 + 1/x)) - (x + 1)/(2*x + 1)",
    "a/((a - b)*(a - c)) + b/((b - c)*(b - a)) + c/((c - a)*(c - b))",
    "(x - y)^-3*(y - x)^3 + 1",
  };
  assert_each(state, texts, proven);
}

static void circular_identities_are_proven(void **state)
{
  static const char *const texts[] = {
    "sin(x)^2 + cos(x)^2 - 1",
    "sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)",
    "cos(a - b)*cos(c) + sin(a - b)*sin(c) - cos(a - b - c)",
    "cos(3*x) - 4*cos(x)^3 + 3*cos(x)",
    "sin(3*x) - 3*sin(x) + 4*sin(x)^3",
    "cos(5*x) - 16*cos(x)^5 + 20*cos(x)^3 - 5*cos(x)",
    "sin(x)^4 - (3 - 4*cos(2*x) + cos(4*x))/8",
    "sin(x/2)^2 - (1 - cos(x))/2",
    "tan(x) - sin(x)/cos(x)",
    "tan(x + y) - (tan(x) + tan(y))/(1 - tan(x)*tan(y))",
    "1 + tan(x)^2 - 1/cos(x)^2",
    "(1 - cos(x))/sin(x) - sin(x)/(1 + cos(x))",
    "tan(x/2) - sin(x)/(1 + cos(x))",
    "cos(x*(y + z)) - cos(x*y)*cos(x*z) + sin(x*y)*sin(x*z)",
    "sin(0.5*x)^2 - (1 - cos(x))/2",
    "sin(1)^2 + cos(1)^2 - 1",
    "cos(2) - 2*cos(1)^2 + 1",
  };
  assert_each(state, texts, proven);
}

static void twelfths_of_pi_are_exact(void **state)
{
  static const char *const texts[] = {
    "cos(x + pi/3) - cos(x)/2 + sqrt(3)/2*sin(x)",
    "cos(x) + cos(x + 2*pi/3) + cos(x - 2*pi/3)",
    "sin(x)*sin(x + 2*pi/3) + sin(x + 2*pi/3)*sin(x + 4*pi/3) + sin(x + 4*pi/3)*sin(x) + 3/4",
    "sin(x + pi/4) - (sin(x) + cos(x))/sqrt(2)",
    "sin(x + pi/4)*sin(x - pi/4) + cos(2*x)/2",
    "sin(pi/12) - (sqrt(6) - sqrt(2))/4",
    "cos(5*pi/12) - (sqrt(6) - sqrt(2))/4",
    "cos(7*pi/12) + (sqrt(6) - sqrt(2))/4",
    "sin(x + 11*pi/12) + sin(x - pi/12)",
    "tan(x + pi/6)*(sqrt(3)*cos(x) - sin(x)) - sqrt(3)*sin(x) - cos(x)",
  };
  assert_each(state, texts, proven);
}

static void other_functions_keep_their_identities(void **state)
{
  static const char *const texts[] = {
    "exp(x)*exp(y) - exp(x + y)",
    "exp(x/2)^2*exp(-x) - 1",
    "cosh(x)^2 - sinh(x)^2 - 1",
    "sinh(x + y) - sinh(x)*cosh(y) - cosh(x)*sinh(y)",
    "exp(x) - cosh(x) - sinh(x)",
    "tanh(2*x) - 2*tanh(x)/(1 + tanh(x)^2)",
    "sqrt(x)^2 - x",
    "(a + sqrt(b))*(a - sqrt(b)) - a^2 + b",
    "1/(1 + sqrt(x)) - (1 - sqrt(x))/(1 - x)",
    "1/sqrt(x + y) - sqrt(x + y)/(x + y)",
    "(1 + sqrt(2) + sqrt(3))*(1 + sqrt(2) - sqrt(3)) - 2*sqrt(2)",
    "sqrt(6) - sqrt(2)*sqrt(3)",
    "(x^(1/3) + 1)*(x^(2/3) - x^(1/3) + 1) - x - 1",
    "sqrt(1 + sqrt(x))^4 - 1 - 2*sqrt(x) - x",
    "sqrt(x/y)*sqrt(x/y)*y - x",
    "(1 + sqrt(1/(x + 1)))*(1 - sqrt(1/(x + 1))) - x/(x + 1)",
    "log(x*(y + 1)) - log(x*y + x)",
    "atan2((x + y)^2, 1) - atan2(x^2 + 2*x*y + y^2, sin(x)^2 + cos(x)^2)",
    "abs(x - y)^2 - (x - y)^2",
    "x^(a + 1) - x*x^a",
    "log(1/(x - 1) - 1/(x + 1)) - log(2/(x^2 - 1))",
  };
  assert_each(state, texts, proven);
}

static void what_is_false_is_proven_false(void **state)
{
  static const char *const texts[] = {
    "1",
    "x",
    "(x + y)^2 - x^2 - y^2",
    "1/(x - 1) - 1/(x + 1) - 1/(x^2 - 1)",
    "sin(x)^2 + cos(x)^2 - 1 - 1/1000000",
    "sin(x + y) - sin(x)*cos(y) + cos(x)*sin(y)",
    "cos(x + pi/3) - cos(x)/2 - sqrt(3)/2*sin(x)",
    "tan(x) - sin(x)",
    "1.0000000000000002*x - x",
    "pi - 22/7",
  };
  assert_each(state, texts, PF_FALSE);
}

static void of_unknown_functions_nothing_is_said_to_be_false(void **state)
{
  static const char *const texts[] = {
    "log(x*y) - log(x) - log(y)",
    "sqrt(x^4 + 2*x^2 + 1) - x^2 - 1",
    "exp(x) - 1",
    "atan(x) - x",
    "abs(x) - x",
    "x^y - y^x",
    "if(x < 0, x, y) - y",
    "1/(sin(x)^2 + cos(x)^2 - 1)",
  };
  assert_each(state, texts, PF_UNKNOWN);
  assert_int_equal(pf_expr_is_zero((*(Fixture **)state)->ctx, PF_EXPR_NONE), PF_UNKNOWN);
}

/* The normal form alone, without the field: it finds the same. */
static void the_two_tests_are_independent(void **state)
{
#ifdef PF_HAVE_FLINT
  Fixture *f = *state;
  assert_int_equal(pf_normal_is_zero(f->ctx, formula(f->ctx, "sin(2*x) - 2*sin(x)*cos(x)")), PF_TRUE);
  assert_int_equal(pf_normal_is_zero(f->ctx, formula(f->ctx, "sin(2*x) - sin(x)*cos(x)")), PF_FALSE);
  assert_int_equal(pf_normal_is_zero(f->ctx, formula(f->ctx, "x/y - y/x")), PF_FALSE);
#else
  (void)state;
#endif
}

/* Positions of the masses of a double pendulum in the plane, relative angles: the mass matrix from
 * velocities against the one in the textbooks. */
static void a_double_pendulum_has_the_mass_matrix_of_the_textbooks(void **state)
{
  static const char *const texts[] = {
    "m2*((l1*cos(q1) + l2*cos(q1 + q2))*l2*cos(q1 + q2) + (l1*sin(q1) + l2*sin(q1 + q2))*l2*sin(q1 + q2))"
    " - m2*l2^2 - m2*l1*l2*cos(q2)",
    "m1*((l1*cos(q1))^2 + (l1*sin(q1))^2)"
    " + m2*((l1*cos(q1) + l2*cos(q1 + q2))^2 + (l1*sin(q1) + l2*sin(q1 + q2))^2)"
    " - (m1 + m2)*l1^2 - m2*l2^2 - 2*m2*l1*l2*cos(q2)",
  };
  assert_each(state, texts, proven);
}

static double seconds(void)
{
  return (double)clock()/CLOCKS_PER_SEC;
}

/* What grows over all limits is given up in good time; 2 s leave room for sanitizers and slow machines. */
static void blow_ups_are_given_up_quickly(void **state)
{
  static const char *const texts[] = {
    "(x + y + z + w)^1000000 - (w + z + y + x)^999999*(x + y + z + w)",
    "sin(x)^1000000 - sin(x)^999998 + cos(x)^2*sin(x)^999998",
    "cos(1000001*x + y) - cos(1000001*x)*cos(y) + sin(1000001*x)*sin(y)",
    "(1 + 1/(x + 1/(y + 1/z)))^40000 - (1 + 1/(x + 1/(y + 1/z)))^39999*(1 + 1/(x + 1/(y + 1/z)))",
    "(1.1*x + 1.3*y)^5000 - (1.3*y + 1.1*x)^4999*(1.1*x + 1.3*y)",
    "(1 + exp(x))^1000000 - (1 + exp(x))^999999*(1 + exp(x))",
    "(1/3 + x)^1000000 - (1/3 + x)^999999*(1/3 + x)",
  };
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    double start = seconds();
    PfTruth found = truth(state, texts[i]);
    double needed = seconds() - start;
    if (found == PF_FALSE) fail_msg("%s is zero", texts[i]);
    if (needed > 2) fail_msg("%s took %g s", texts[i], needed);
  }
}

static PfExpr product_of_sums(Fixture *f, int count, int first)
{
  char name[16];
  PfExpr product = pf_expr_int(f->ctx, 1);
  for (int i = 0; i < count; i++) {
    PfExpr sum = pf_expr_int(f->ctx, 1);
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "x%d", (first + 3*i + k)%50);
      sum = pf_expr_add(f->ctx, sum, pf_expr_symbol(f->ctx, name));
    }
    product = pf_expr_mul(f->ctx, product, sum);
  }
  return product;
}

static void products_of_many_sums_are_given_up_quickly(void **state)
{
  Fixture *f = *state;
  PfExpr e = pf_expr_sub(f->ctx, product_of_sums(f, 40, 0), product_of_sums(f, 39, 3));
  double start = seconds();
  assert_int_equal(pf_expr_is_zero(f->ctx, e), PF_FALSE);
  assert_int_not_equal(pf_normal_is_zero(f->ctx, e), PF_TRUE);
  assert_true(seconds() - start < 2);
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfTruth found = pf_expr_is_zero(ctx, formula(ctx, "tan(x + pi/6)*cos(x + pi/6) - sin(x + pi/6)"));
  assert_true(found == proven || (found == PF_UNKNOWN && counter->refused));
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
    with_fixture(polynomial_identities_are_proven),
    with_fixture(rational_identities_are_proven),
    with_fixture(circular_identities_are_proven),
    with_fixture(twelfths_of_pi_are_exact),
    with_fixture(other_functions_keep_their_identities),
    with_fixture(what_is_false_is_proven_false),
    with_fixture(of_unknown_functions_nothing_is_said_to_be_false),
    with_fixture(the_two_tests_are_independent),
    with_fixture(a_double_pendulum_has_the_mass_matrix_of_the_textbooks),
    with_fixture(blow_ups_are_given_up_quickly),
    with_fixture(products_of_many_sums_are_given_up_quickly),
    cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
