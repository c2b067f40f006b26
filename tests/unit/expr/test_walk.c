/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

enum { DEEP = 100000 };

/* sin(sin(…sin(x)…)) */
static PfExpr deep_chain(PfContext *ctx, const char *name)
{
  PfExpr e = pf_expr_symbol(ctx, name);
  for (int i = 0; i < DEEP; i++) e = pf_expr_call1(ctx, PF_OP_SIN, e);
  return e;
}

/* ---------------------------------------------------------------- reaching */

static void what_is_reached_comes_operands_first_and_once(void **state)
{
  Fixture *f = *state;
  PfExpr roots[] = {formula(f->ctx, "sin(x)*y"), formula(f->ctx, "sin(x) + z"), PF_EXPR_NONE};
  PfExpr *nodes;
  int count;
  assert_int_equal(pf_expr_reach(f->ctx, f->arena, roots, 3, &nodes, &count), PF_OK);
  for (int i = 1; i < count; i++) assert_true(nodes[i - 1] < nodes[i]);
  /* x, y, z, sin(x), the two roots, and the numbers 0 and 1 */
  assert_int_equal(count, 8);
}

static void nothing_is_reached_from_nothing(void **state)
{
  Fixture *f = *state;
  PfExpr *nodes;
  int count = -1;
  assert_int_equal(pf_expr_reach(f->ctx, f->arena, NULL, 0, &nodes, &count), PF_OK);
  assert_int_equal(count, 0);
}

static void dependence_is_on_what_occurs(void **state)
{
  Fixture *f = *state;
  PfExpr symbols[] = {formula(f->ctx, "x"), formula(f->ctx, "y")};
  assert_true(pf_expr_depends(f->ctx, formula(f->ctx, "sin(1 + y*z)"), symbols, 2));
  assert_false(pf_expr_depends(f->ctx, formula(f->ctx, "sin(1 + z)"), symbols, 2));
  assert_false(pf_expr_depends(f->ctx, formula(f->ctx, "y + z - y"), symbols, 2));
  assert_true(pf_expr_depends(f->ctx, formula(f->ctx, "2^x"), symbols, 2));
  assert_false(pf_expr_depends(f->ctx, symbols[0], symbols, 0));
  PfExpr later = pf_expr_symbol(f->ctx, "made_later");
  assert_false(pf_expr_depends(f->ctx, symbols[0], &later, 1));
}

/* ---------------------------------------------------------------- substitution */

static PfExpr replaced(Fixture *f, const char *text, const char *symbol, const char *value)
{
  PfExpr e = formula(f->ctx, text), x = formula(f->ctx, symbol), v = formula(f->ctx, value), out;
  return pf_expr_substitute(f->ctx, &e, 1, &x, &v, 1, &out) == PF_OK ? out : PF_EXPR_NONE;
}

static void a_substitution_simplifies_again(void **state)
{
  Fixture *f = *state;
  assert_is(f, replaced(f, "x + 2*y", "y", "x"), "3*x");
  assert_is(f, replaced(f, "(x + y)*(x - y)", "y", "x"), "0");
  assert_is(f, replaced(f, "sin(x + y)", "y", "pi/2"), "cos(x)");
  assert_is(f, replaced(f, "x^y", "y", "2"), "x^2");
  assert_is(f, replaced(f, "if(x < 0, y, z)", "x", "1"), "z");
  assert_is(f, replaced(f, "sqrt(x)", "x", "8"), "2*sqrt(2)");
  assert_is(f, replaced(f, "(x + y)^2", "z", "8"), "(x + y)^2");
  assert_is(f, replaced(f, "x'^2", "x'", "cos(x)"), "cos(x)^2");
}

static void all_symbols_are_replaced_at_once(void **state)
{
  Fixture *f = *state;
  PfExpr x = formula(f->ctx, "x"), y = formula(f->ctx, "y"), roots[2] = {formula(f->ctx, "x - 2*y"), y};
  PfExpr symbols[2] = {x, y}, values[2] = {y, x};
  assert_int_equal(pf_expr_substitute(f->ctx, roots, 2, symbols, values, 2, roots), PF_OK);
  assert_is(f, roots[0], "y - 2*x");
  assert_is(f, roots[1], "x");
}

static void a_substitution_that_divides_by_zero_says_so(void **state)
{
  Fixture *f = *state;
  assert_int_equal(replaced(f, "1/(x - y)", "x", "y"), PF_EXPR_NONE);
  assert_contains(pf_context_message(f->ctx), "division by zero");
  assert_int_equal(pf_expr_check(f->ctx), PF_OK);
}

static void nothing_stays_nothing(void **state)
{
  Fixture *f = *state;
  PfExpr none = PF_EXPR_NONE, x = formula(f->ctx, "x"), out = x;
  double value = 0;
  assert_int_equal(pf_expr_substitute(f->ctx, &none, 1, &x, &x, 1, &out), PF_OK);
  assert_int_equal(out, PF_EXPR_NONE);
  assert_int_equal(pf_expr_evaluate(f->ctx, &none, 1, &x, (double[]){1}, 1, &value), PF_OK);
  assert_true(isnan(value));
}

/* ---------------------------------------------------------------- evaluation */

static void every_operation_has_its_value(void **state)
{
  Fixture *f = *state;
  const double x = 0.3, y = 0.7, z = -1.2;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"2*x - y/3 + 1", 2*x - y/3 + 1}, {"x*y^2/z", x*y*y/z},         {"y^(2/3)", pow(y, 2.0/3)},
      {"sin(x)", sin(x)},               {"cos(x)", cos(x)},           {"tan(x)", tan(x)},
      {"asin(x)", asin(x)},             {"acos(x)", acos(x)},         {"atan(x)", atan(x)},
      {"sinh(x)", sinh(x)},             {"cosh(x)", cosh(x)},         {"tanh(x)", tanh(x)},
      {"exp(x)", exp(x)},               {"log(x)", log(x)},           {"abs(z)", -z},
      {"sign(z)", -1},                  {"sign(x)", 1},               {"atan2(y, z)", atan2(y, z)},
      {"min(x, y)", x},                 {"max(x, y)", y},             {"x < y", 1},
      {"y <= x", 0},                    {"x == x + 0*y", 1},          {"x < y and y < x", 0},
      {"x < y or y < x", 1},            {"not x < y", 0},             {"if(z < 0, x, y)", x},
      {"if(x < z, x, y)", y},           {"pi*x", 3.14159265358979323846*x}, {"x^y", pow(x, y)},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    assert_near(value_at(f->ctx, formula(f->ctx, cases[i].text), x, y, z), cases[i].value, 4e-16, 0);
}

static void a_symbol_without_a_value_makes_nan(void **state)
{
  Fixture *f = *state;
  assert_true(isnan(value_at(f->ctx, formula(f->ctx, "x + a"), 1, 2, 3)));
  assert_near(value_at(f->ctx, formula(f->ctx, "if(x < 0, a, y)"), 1, 2, 3), 2, 0, 0);
}

/* ---------------------------------------------------------------- identities keep the value */

/* An expression, and the same computed in doubles without any simplification. */
typedef struct Pair {
  PfExpr e;
  double value;
} Pair;

static Pair raised(PfContext *ctx, Pair u, int num, int den)
{
  return (Pair){pf_expr_pow(ctx, u.e, pf_expr_rational(ctx, num, den)), pow(u.value, (double)num/den)};
}

static Pair called(PfContext *ctx, PfOp op, double (*function)(double), Pair u)
{
  return (Pair){pf_expr_call1(ctx, op, u.e), function(u.value)};
}

static Pair turned(PfContext *ctx, Pair u, int twelfths)
{
  PfExpr angle = pf_expr_mul(ctx, pf_expr_rational(ctx, twelfths, 12), pf_expr_pi(ctx));
  return (Pair){pf_expr_add(ctx, u.e, angle), u.value + twelfths*3.14159265358979323846/12};
}

static Pair combined(PfContext *ctx, uint64_t *seed, Pair u, Pair v)
{
  int k = (int)draw(seed, 9) - 4;
  switch (draw(seed, 14)) {
  case 0: return (Pair){pf_expr_add(ctx, u.e, v.e), u.value + v.value};
  case 1: return (Pair){pf_expr_sub(ctx, u.e, v.e), u.value - v.value};
  case 2: return (Pair){pf_expr_mul(ctx, u.e, v.e), u.value*v.value};
  case 3: return (Pair){pf_expr_div(ctx, u.e, v.e), u.value/v.value};
  case 4: return (Pair){pf_expr_mul(ctx, u.e, pf_expr_rational(ctx, k, 6)), u.value*k/6};
  case 5: return raised(ctx, u, k, 1);
  case 6: return raised(ctx, raised(ctx, u, 2, 1), k, 2);
  case 7: return raised(ctx, raised(ctx, u, 2, 1), k, 3);
  case 8: return raised(ctx, (Pair){pf_expr_mul(ctx, u.e, v.e), u.value*v.value}, 1, 2);
  case 9: return called(ctx, PF_OP_ABS, fabs, u);
  case 10: return called(ctx, PF_OP_SIN, sin, turned(ctx, u, 3*k));
  case 11: return called(ctx, PF_OP_COS, cos, turned(ctx, u, k));
  case 12: return called(ctx, PF_OP_ATAN, atan, (Pair){pf_expr_neg(ctx, u.e), -u.value});
  default: return called(ctx, PF_OP_COSH, cosh, called(ctx, PF_OP_SIN, sin, u));
  }
}

/* Steps into the undefined or the unwieldy are not taken. */
static bool is_moderate(Pair pair)
{
  return pair.e != PF_EXPR_NONE && isfinite(pair.value) && fabs(pair.value) < 100 && fabs(pair.value) > 0.01;
}

static void no_identity_changes_a_value(void **state)
{
  Fixture *f = *state;
  const double at[3] = {-0.8, 0.45, -1.3};
  uint64_t seed = 2718;
  for (int i = 0; i < 500; i++) {
    Pair pairs[24];
    for (int j = 0; j < 3; j++) pairs[j] = (Pair){formula(f->ctx, (const char *[]){"x", "y", "z"}[j]), at[j]};
    for (int j = 3; j < 24; j++) {
      do {
        uint32_t latest = (uint32_t)j - 1 - draw(&seed, 3), any = draw(&seed, (uint32_t)j);
        pairs[j] = combined(f->ctx, &seed, pairs[latest], pairs[any]);
      } while (!is_moderate(pairs[j]));
      double value = value_at(f->ctx, pairs[j].e, at[0], at[1], at[2]);
      /* values between 0.01 and 100: differences lose a few digits, again and again */
      if (!(fabs(value - pairs[j].value) < 1e-6)) print_error("%s\n", text_of(f, pairs[j].e));
      assert_near(value, pairs[j].value, 1e-6, 0);
    }
  }
}

/* ---------------------------------------------------------------- counting */

static PfCount count_of(Fixture *f, const char *text)
{
  PfExpr e = formula(f->ctx, text);
  PfCount count;
  assert_int_equal(pf_expr_operations(f->ctx, &e, 1, &count), PF_OK);
  return count;
}

static void operations_are_counted_after_sharing(void **state)
{
  Fixture *f = *state;
  PfCount count = count_of(f, "2*x + y - z + 1");
  assert_int_equal(count.additions, 3);
  assert_int_equal(count.multiplications, 1);
  count = count_of(f, "sin(x)*y + sin(x)*z"); /* one sine, two products, one addition */
  assert_int_equal(count.functions, 1);
  assert_int_equal(count.multiplications, 2);
  assert_int_equal(count.additions, 1);
  count = count_of(f, "x*y/(z*w)");
  assert_int_equal(count.multiplications, 2);
  assert_int_equal(count.divisions, 1);
  assert_int_equal(count_of(f, "-x").multiplications, 0);
  assert_int_equal(count_of(f, "sqrt(x)").functions, 1);
}

/* By squaring: k-1 multiplications for k = 1, 2, 3; 2 for 4; 4 for 7. */
static void powers_are_counted_by_squaring(void **state)
{
  Fixture *f = *state;
  const int expected[] = {0, 0, 1, 2, 2, 3, 3, 4, 3};
  for (int k = 1; k <= 8; k++) {
    char text[16];
    snprintf(text, sizeof text, "x^%d", k);
    assert_int_equal(count_of(f, text).multiplications, expected[k]);
  }
}

/* ---------------------------------------------------------------- deep chains */

static void a_deep_chain_can_be_evaluated(void **state)
{
  Fixture *f = *state;
  double expected = 1;
  for (int i = 0; i < DEEP; i++) expected = sin(expected);
  assert_near(value_at(f->ctx, deep_chain(f->ctx, "x"), 1, 0, 0), expected, 0, 0);
  /* sin iterated n times from 1 goes like sqrt(3/n) */
  assert_near(expected, sqrt(3.0/DEEP), 1e-3, 0);
}

static void a_deep_chain_can_be_substituted(void **state)
{
  Fixture *f = *state;
  PfExpr e = deep_chain(f->ctx, "x"), x = formula(f->ctx, "x"), y = formula(f->ctx, "y"), out;
  assert_int_equal(pf_expr_substitute(f->ctx, &e, 1, &x, &y, 1, &out), PF_OK);
  assert_int_equal(out, deep_chain(f->ctx, "y"));
  PfExpr zero = pf_expr_int(f->ctx, 0);
  assert_int_equal(pf_expr_substitute(f->ctx, &e, 1, &x, &zero, 1, &out), PF_OK);
  assert_int_equal(out, zero);
}

static void a_deep_chain_can_be_differentiated(void **state)
{
  Fixture *f = *state;
  PfExpr e = deep_chain(f->ctx, "x"), x = formula(f->ctx, "x"), gradient;
  PfExpr rate = pf_expr_diff(f->ctx, e, x);
  assert_int_equal(pf_expr_gradient(f->ctx, e, &x, 1, &gradient), PF_OK);
  double expected = 1, u = 0.1;
  for (int i = 0; i < DEEP; i++) expected *= cos(u), u = sin(u);
  /* 10^5 roundings in another order */
  assert_near(value_at(f->ctx, rate, 0.1, 0, 0), expected, 1e-10, 0);
  assert_near(value_at(f->ctx, gradient, 0.1, 0, 0), expected, 1e-10, 0);
}

static void a_deep_chain_can_be_measured_and_printed(void **state)
{
  Fixture *f = *state;
  PfExpr e = deep_chain(f->ctx, "x");
  assert_int_equal(pf_expr_length(f->ctx, e), 5*DEEP + 1);
  assert_int_equal(strlen(text_of(f, e)), 5*DEEP + 1);
}

/* x^(1 + x^(1 + …)): operands that are exponents. */
static void a_deep_tower_of_powers_can_be_walked(void **state)
{
  Fixture *f = *state;
  PfExpr x = formula(f->ctx, "x"), one = pf_expr_int(f->ctx, 1), e = x;
  for (int i = 0; i < DEEP; i++) e = pf_expr_pow(f->ctx, x, pf_expr_add(f->ctx, one, e));
  assert_int_not_equal(pf_expr_diff(f->ctx, e, x), PF_EXPR_NONE);
  assert_near(value_at(f->ctx, e, 1, 0, 0), 1, 0, 0);
  assert_int_equal(pf_expr_length(f->ctx, e), 8*DEEP + 1); /* x^(…) and " + 1" for every level */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(what_is_reached_comes_operands_first_and_once),
      with_fixture(nothing_is_reached_from_nothing),
      with_fixture(dependence_is_on_what_occurs),
      with_fixture(a_substitution_simplifies_again),
      with_fixture(all_symbols_are_replaced_at_once),
      with_fixture(a_substitution_that_divides_by_zero_says_so),
      with_fixture(nothing_stays_nothing),
      with_fixture(every_operation_has_its_value),
      with_fixture(a_symbol_without_a_value_makes_nan),
      with_fixture(no_identity_changes_a_value),
      with_fixture(operations_are_counted_after_sharing),
      with_fixture(powers_are_counted_by_squaring),
      with_fixture(a_deep_chain_can_be_evaluated),
      with_fixture(a_deep_chain_can_be_substituted),
      with_fixture(a_deep_chain_can_be_differentiated),
      with_fixture(a_deep_chain_can_be_measured_and_printed),
      with_fixture(a_deep_tower_of_powers_can_be_walked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
