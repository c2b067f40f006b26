/* SPDX-License-Identifier: Apache-2.0 */
/* The zero test by random points of a prime field: identities, non-identities, and what it must not say. */
#include "support.h"

#include "expr/normal.h"
#include "formula.h"

static PfTruth truth(void **state, const char *text)
{
  Fixture *f = *state;
  return pf_expr_is_probably_zero(f->ctx, formula(f->ctx, text), 2);
}

static void assert_all(void **state, const char *const *texts, size_t count, PfTruth expected)
{
  for (size_t i = 0; i < count; i++) {
    PfTruth found = truth(state, texts[i]);
    if (found != expected) fail_msg("%s: %d, not %d", texts[i], (int)found, (int)expected);
  }
}
#define assert_each(state, texts, expected) \
  assert_all((state), (texts), sizeof(texts)/sizeof *(texts), (expected))

static void polynomial_and_rational_identities_hold(void **state)
{
  static const char *const texts[] = {
    "(x + y)^2 - x^2 - 2*x*y - y^2",
    "(x + y)*(x - y) - x^2 + y^2",
    "1/(x - 1) - 1/(x + 1) - 2/(x^2 - 1)",
    "x/3 + x/6 - x/2",
    "(x^3 - 1)/(x - 1) - x^2 - x - 1",
    "0.5*x - x/2",
    "0.25*0.5*x - x/8",
    "pi*(x + 1) - pi*x - pi",
  };
  assert_each(state, texts, PF_TRUE);
}

static void circular_identities_hold(void **state)
{
  static const char *const texts[] = {
    "sin(x)^2 + cos(x)^2 - 1",
    "sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)",
    "cos(x - y) - cos(x)*cos(y) - sin(x)*sin(y)",
    "cos(3*x) - 4*cos(x)^3 + 3*cos(x)",
    "sin(2*x) - 2*sin(x)*cos(x)",
    "cos(x)^2 - (1 + cos(2*x))/2",
    "sin(x/2)^2 - (1 - cos(x))/2",
    "tan(x) - sin(x)/cos(x)",
    "tan(2*x) - 2*tan(x)/(1 - tan(x)^2)",
    "1 + tan(x)^2 - 1/cos(x)^2",
    "cos(x*(y + z)) - cos(x*y)*cos(x*z) + sin(x*y)*sin(x*z)",
    "sin((x + y)^2 - x^2 - y^2) - sin(2*x*y)",
    "cos(12*x) - 2*cos(6*x)^2 + 1",
    "sin(0.5*x)^2 - (1 - cos(x))/2",
    "sin(1)^2 + cos(1)^2 - 1",
  };
  assert_each(state, texts, PF_TRUE);
}

/* The circle of the field holds the regular polygons, on the side of the roots that the field has chosen. */
static void fractions_of_pi_have_their_values(void **state)
{
  static const char *const texts[] = {
    "cos(x + pi/3) - cos(x)/2 + sqrt(3)/2*sin(x)",
    "cos(x) + cos(x + 2*pi/3) + cos(x - 2*pi/3)",
    "sin(x + pi/4) - (sin(x) + cos(x))/sqrt(2)",
    "cos(pi/5) - (1 + sqrt(5))/4",
    "cos(2*pi/5) - (sqrt(5) - 1)/4",
    "sin(pi/12) - (sqrt(6) - sqrt(2))/4",
    "8*cos(pi/7)*cos(2*pi/7)*cos(4*pi/7) + 1",
    "tan(3*pi/11) + 4*sin(2*pi/11) - sqrt(11)",
    "cos(x) + cos(x + 2*pi/5) + cos(x + 4*pi/5) + cos(x + 6*pi/5) + cos(x + 8*pi/5)",
    "4*cos(pi/9)^3 - 3*cos(pi/9) - 1/2",
    "2*cos(pi/8)^2 - 1 - 1/sqrt(2)",
    "cos(2*pi/17) + cos(4*pi/17) + cos(8*pi/17) + cos(16*pi/17) - (sqrt(17) - 1)/4",
    "sqrt(3)*sqrt(37) - sqrt(111)",
    "sqrt(41)*sqrt(43)*sqrt(1009) - sqrt(1778867)",
  };
  assert_each(state, texts, PF_TRUE);
}

static void other_functions_keep_their_identities(void **state)
{
  static const char *const texts[] = {
    "exp(x)*exp(y) - exp(x + y)",
    "cosh(x)^2 - sinh(x)^2 - 1",
    "exp(x) - cosh(x) - sinh(x)",
    "tanh(2*x) - 2*tanh(x)/(1 + tanh(x)^2)",
    "exp(2*x/3)^3 - exp(x)^2",
    "sqrt(x)^2 - x",
    "sqrt(x)*sqrt(y) - sqrt(x*y)",
    "(a + sqrt(b))*(a - sqrt(b)) - a^2 + b",
    "1/(1 + sqrt(x)) - (1 - sqrt(x))/(1 - x)",
    "x^(1/3)*x^(2/3) - x",
    "(x + y)^(1/2)*(x + y)^(1/6) - (x + y)^(2/3)",
    "log(x*(y + 1)) - log(x*y + x)",
    "atan2((x + y)^2, 1) - atan2(x^2 + 2*x*y + y^2, 1)",
    "max(a, b) + min(a, b) - a - b",
    "min(x, y) - min(y, x)",
    "if(x < 0, y + 1, z + 1) - if(x < 0, y, z) - 1",
    "abs(x - y) - abs(y - x)",
    "x^(a + 1) - x*x^a",
  };
  assert_each(state, texts, PF_TRUE);
}

static void what_is_false_is_proven_false(void **state)
{
  static const char *const texts[] = {
    "1",
    "x",
    "1/10^15",
    "(x + y)^2 - x^2 - y^2",
    "sin(x)^2 + cos(x)^2 - 1 - 1/1000000",
    "sin(x + y) - sin(x)*cos(y) + cos(x)*sin(y)",
    "cos(x) + cos(x + 2*pi/3) + cos(x + 2*pi/5)",
    "sin(x) - x",
    "tan(x) - sin(x)",
    "cos(pi/7) - 9/10",
    "sqrt(2) - 1414213562373095/1000000000000000",
    "sqrt(2) + sqrt(3) - sqrt(5)",
    "sin(x*(y + z)) - sin(x*y + x*z + 1)",
    "1.0000000000000002*x - x",
    "pi - 22/7",
  };
  assert_each(state, texts, PF_FALSE);
}

/* Their values at a point are accidents, so they prove nothing. */
static void of_unknown_functions_nothing_is_said_to_be_false(void **state)
{
  static const char *const texts[] = {
    "log(x*y) - log(x) - log(y)",
    "sqrt(x^4 + 2*x^2 + 1) - x^2 - 1",
    "sqrt((x + y)^2 + 1) - x",
    "exp(x) - 1",
    "atan(x) + atan(1/x) - pi/2",
    "abs(x) - x",
    "sign(x)*x - abs(x)",
    "sin(asin(x)*2) - 2*x*sqrt(1 - x^2)",
    "sin(1/(x + y)) - sin(1/x)",
    "cos(pi/41) - x",
    "x^y - y^x",
  };
  assert_each(state, texts, PF_UNKNOWN);
}

/* |x| = x for half of all points: one point is not enough. */
static void a_root_is_not_taken_for_one_of_its_signs(void **state)
{
  assert_int_equal(truth(state, "sqrt(x^2 + 2*x*y + y^2) - x - y"), PF_UNKNOWN);
}

static void what_divides_by_zero_everywhere_is_unknown(void **state)
{
  assert_int_equal(truth(state, "1/(sin(x)^2 + cos(x)^2 - 1)"), PF_UNKNOWN);
  assert_int_equal(truth(state, "sqrt(0 - 1)"), PF_UNKNOWN);
  assert_int_equal(pf_expr_is_probably_zero((*(Fixture **)state)->ctx, PF_EXPR_NONE, 1), PF_UNKNOWN);
}

static void many_expressions_are_tested_at_once(void **state)
{
  Fixture *f = *state;
  PfExpr roots[] = {formula(f->ctx, "sin(x)^2 + cos(x)^2 - 1"), formula(f->ctx, "0"),
                    formula(f->ctx, "x - y"), formula(f->ctx, "(x + y)^2 - x^2 - 2*x*y - y^2")};
  int which;
  assert_int_equal(pf_expr_all_probably_zero(f->ctx, roots, 4, 1, &which), PF_FALSE);
  assert_int_equal(which, 2);
  roots[2] = roots[3];
  assert_int_equal(pf_expr_all_probably_zero(f->ctx, roots, 4, 1, &which), PF_TRUE);
  assert_int_equal(which, -1);
  assert_int_equal(pf_expr_all_probably_zero(f->ctx, roots, 0, 1, NULL), PF_TRUE);
}

/* Written out, the power would have 10^17 terms; shared, the chain of squares has 2^200. */
static void size_does_not_matter(void **state)
{
  Fixture *f = *state;
  assert_int_equal(truth(state, "(x + y + z + w)^1000000 - (w + z + y + x)^999999*(x + y + z + w)"), PF_TRUE);
  assert_int_equal(truth(state, "(x + y + z + w)^1000000 - (x + y + z)^1000000"), PF_FALSE);
  PfExpr chain = formula(f->ctx, "x + 1"), other = formula(f->ctx, "x + 1");
  for (int i = 0; i < 200; i++) {
    PfExpr x = pf_expr_symbol(f->ctx, i%2 ? "x" : "y");
    chain = pf_expr_add(f->ctx, pf_expr_mul(f->ctx, chain, chain), x);
    other = pf_expr_add(f->ctx, x, pf_expr_pow_int(f->ctx, other, 2));
  }
  assert_int_equal(pf_expr_is_probably_zero(f->ctx, pf_expr_sub(f->ctx, chain, other), 1), PF_TRUE);
  assert_int_equal(pf_expr_is_probably_zero(f->ctx, chain, 1), PF_FALSE);
}

/* Absolute angles of a chain of 40 links: the sums are longer than what construction takes apart. */
static void long_angle_sums_are_taken_apart(void **state)
{
  Fixture *f = *state;
  PfExpr forward = pf_expr_int(f->ctx, 0), backward = forward;
  char name[16];
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "q%d", i);
    forward = pf_expr_add(f->ctx, forward, pf_expr_symbol(f->ctx, name));
    snprintf(name, sizeof name, "q%d", 39 - i);
    backward = pf_expr_add(f->ctx, backward, pf_expr_symbol(f->ctx, name));
  }
  PfExpr difference = pf_expr_sub(f->ctx, pf_expr_call1(f->ctx, PF_OP_SIN, forward),
                                  pf_expr_call1(f->ctx, PF_OP_SIN, backward));
  assert_int_equal(pf_expr_is_probably_zero(f->ctx, difference, 1), PF_TRUE);
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfExpr e = formula(ctx, "cos(x + pi/3) - cos(x)/2 + sqrt(3)/2*sin(x) + exp(x + 1)");
  PfTruth found = pf_expr_is_probably_zero(ctx, e, 1);
  assert_int_equal(found, PF_UNKNOWN); /* it is not zero, and exp makes that no proof */
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
    with_fixture(polynomial_and_rational_identities_hold),
    with_fixture(circular_identities_hold),
    with_fixture(fractions_of_pi_have_their_values),
    with_fixture(other_functions_keep_their_identities),
    with_fixture(what_is_false_is_proven_false),
    with_fixture(of_unknown_functions_nothing_is_said_to_be_false),
    with_fixture(a_root_is_not_taken_for_one_of_its_signs),
    with_fixture(what_divides_by_zero_everywhere_is_unknown),
    with_fixture(many_expressions_are_tested_at_once),
    with_fixture(size_does_not_matter),
    with_fixture(long_angle_sums_are_taken_apart),
    cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
