/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines written by others: the same values, fewer calls. */
#include "expr/formula.h"
#include "support.h"

#include "form/angles.h"

static const char *const letters[] = {"a", "b", "c"};

/* The values of e at points that look arbitrary. */
static double number_at(PfContext *ctx, PfExpr e, int point)
{
  PfExpr symbols[3];
  double values[3], out = NAN;
  for (int i = 0; i < 3; i++) {
    symbols[i] = pf_expr_symbol(ctx, letters[i]);
    values[i] = sin(1.7*point + 2.3*i) + 0.3*point;
  }
  assert_int_equal(pf_expr_evaluate(ctx, &e, 1, symbols, values, 3, &out), PF_OK);
  return out;
}

static void assert_equal_values(PfContext *ctx, PfExpr e, PfExpr f)
{
  for (int point = 0; point < 10; point++)
    assert_near(number_at(ctx, e, point), number_at(ctx, f, point), 1e-13, 1e-13);
}

/* Different angles in the formulas. */
static int angles_in(Fixture *f, const PfExpr *roots, int count)
{
  PfExpr *nodes, seen[64];
  int node_count, angles = 0;
  assert_int_equal(pf_expr_reach(f->ctx, f->arena, roots, count, &nodes, &node_count), PF_OK);
  for (int i = 0; i < node_count; i++) {
    PfOp op = pf_expr_op(f->ctx, nodes[i]);
    if (op != PF_OP_SIN && op != PF_OP_COS) continue;
    bool known = false;
    for (int k = 0; k < angles; k++) known = known || seen[k] == pf_expr_arg(f->ctx, nodes[i], 0);
    if (!known) seen[angles++] = pf_expr_arg(f->ctx, nodes[i], 0);
  }
  return angles;
}

static void assert_shared(Fixture *f, const char *text, int before, int after)
{
  PfExpr e = formula(f->ctx, text), shared = e;
  assert_int_equal(angles_in(f, &e, 1), before);
  assert_int_equal(pf_angles_share(f->ctx, f->arena, &shared, 1), PF_OK);
  assert_int_equal(angles_in(f, &shared, 1), after);
  assert_equal_values(f->ctx, shared, e);
}

static void angles_that_differ_by_a_number_share_one_call(void **state)
{
  assert_shared(*state, "sin(a) + 2*cos(a + 0.3)*b + sin(a - 1.5)^2", 3, 1);
  assert_shared(*state, "sin(a + pi/3)*cos(a - pi/3) + cos(a)", 3, 1);
  assert_shared(*state, "sin(b*c + 1)/(2 + cos(b*c + 2)) + c", 2, 1);
}

static void sums_share_the_calls_of_their_parts(void **state)
{
  assert_shared(*state, "sin(a)*cos(a)*sin(b)*cos(b)*sin(a + b) + cos(a + b)^3", 3, 2);
  assert_shared(*state, "sin(a) + cos(a) + sin(b) - cos(b) + sin(a - b) + cos(b - a)*c", 3, 2);
}

/* A call is not worse than two new ones. */
static void sums_stay_where_their_parts_are_not_needed(void **state)
{
  assert_shared(*state, "sin(a + b) + cos(a + b)", 1, 1);
  assert_shared(*state, "sin(a)*sin(b) + sin(a + b)", 3, 3);
  assert_shared(*state, "sin(2*a) + sin(a)*cos(a)", 2, 2);
}

static void angles_inside_angles_and_powers_are_found(void **state)
{
  assert_shared(*state, "exp(sin(a))*sqrt(2 + cos(a + 1)) + if(a < sin(a + 2), b, c*cos(a))", 3, 1);
  assert_shared(*state, "cos(sin(a + 1) + b) + sin(a)", 3, 2);
}

static void nothing_changes_where_nothing_is_shared(void **state)
{
  Fixture *f = *state;
  PfExpr roots[2] = {formula(f->ctx, "a*b + sin(c)"), formula(f->ctx, "3")}, before[2] = {roots[0], roots[1]};
  assert_int_equal(pf_angles_share(f->ctx, f->arena, roots, 2), PF_OK);
  assert_int_equal(roots[0], before[0]);
  assert_int_equal(roots[1], before[1]);
}

/* ---------------------------------------------------------------- the other way round */

static void assert_joined(Fixture *f, const char *text, int angles)
{
  PfExpr e = formula(f->ctx, text), joined = pf_angles_join(f->ctx, e);
  assert_equal_values(f->ctx, joined, e);
  assert_int_equal(angles_in(f, &joined, 1), angles);
}

static void squares_of_sine_and_cosine_make_one(void **state)
{
  assert_joined(*state, "1 + 3*sin(a)^2 + 3*cos(a)^2 + b", 0);
  assert_joined(*state, "b/(1 + c^2)*sin(a)^2 + b/(1 + c^2)*cos(a)^2", 0);
  assert_joined(*state, "2*sin(a)^2 + 2*cos(a)^2 + sin(b)^2 + cos(b)^2", 0);
}

static void products_make_the_cosine_of_a_difference(void **state)
{
  assert_joined(*state, "5*sin(a + 1)*sin(a + 2) + 5*cos(a + 1)*cos(a + 2) + b", 0);
  assert_joined(*state, "sin(a + pi/3)*sin(a) + cos(a)*cos(a + pi/3)", 0);
}

static void what_does_not_fit_together_stays(void **state)
{
  assert_joined(*state, "3*sin(a)^2 + 2*cos(a)^2", 1);
  assert_joined(*state, "sin(a)*sin(b) + cos(a)*cos(b)", 2); /* not a number */
  assert_joined(*state, "b*sin(a)^2 + c*cos(a)^2", 1);
  assert_joined(*state, "sin(a)^2 + cos(b)^2", 2);
  assert_joined(*state, "sin(a)", 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(angles_that_differ_by_a_number_share_one_call),
    with_fixture(sums_share_the_calls_of_their_parts),
    with_fixture(sums_stay_where_their_parts_are_not_needed),
    with_fixture(angles_inside_angles_and_powers_are_found),
    with_fixture(nothing_changes_where_nothing_is_shared),
    with_fixture(squares_of_sine_and_cosine_make_one),
    with_fixture(products_make_the_cosine_of_a_difference),
    with_fixture(what_does_not_fit_together_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
