/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

/* e <- sin(e) + cos(e)*y: the text doubles each time, the graph grows by a few nodes. */
static PfExpr doubled(PfContext *ctx, int levels)
{
  PfExpr e = pf_expr_symbol(ctx, "x"), y = pf_expr_symbol(ctx, "y");
  for (int i = 0; i < levels; i++) {
    PfExpr cosine = pf_expr_mul(ctx, pf_expr_call1(ctx, PF_OP_COS, e), y);
    e = pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_SIN, e), cosine);
  }
  return e;
}

/* The parts put back, the last one first: each uses only earlier ones. */
static PfExpr put_back(Fixture *f, PfExpr root, const PfParts *parts)
{
  for (int i = parts->count; i-- > 0;)
    assert_int_equal(
        pf_expr_substitute(f->ctx, &root, 1, parts->names + i, parts->values + i, 1, &root), PF_OK);
  return root;
}

static size_t total_length(Fixture *f, PfExpr root, const PfParts *parts)
{
  size_t length = pf_expr_length(f->ctx, root);
  for (int i = 0; i < parts->count; i++) length += pf_expr_length(f->ctx, parts->values[i]);
  return length;
}

/* ---------------------------------------------------------------- what is taken out */

static void a_part_used_twice_gets_a_name(void **state)
{
  Fixture *f = *state;
  PfExpr root = formula(f->ctx, "(x + y + z + 1)^2*a + sin(x + y + z + 1)");
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 0, &parts), PF_OK);
  assert_int_equal(parts.count, 1);
  assert_is(f, parts.names[0], "s1");
  assert_is(f, parts.values[0], "x + y + z + 1");
  assert_is(f, root, "s1^2*a + sin(s1)");
}

static void parts_are_shared_between_roots(void **state)
{
  Fixture *f = *state;
  PfExpr roots[] = {formula(f->ctx, "a*sqrt(x^2 + y^2 + z^2)"), formula(f->ctx, "sqrt(x^2 + y^2 + z^2)"),
                    PF_EXPR_NONE};
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, roots, 3, "s", 0, &parts), PF_OK);
  assert_int_equal(parts.count, 1);
  assert_is(f, roots[0], "a*sqrt(s1)");
  assert_is(f, roots[1], "sqrt(s1)");
  assert_int_equal(roots[2], PF_EXPR_NONE);
}

/* a'' stays in sight in the first root, in the second it may be in a name. */
static void symbols_that_a_root_shows_are_in_no_name(void **state)
{
  Fixture *f = *state;
  PfExpr long_sum = formula(f->ctx, "x + y*z + sin(x)*cos(z)*w + 1");
  PfExpr both = pf_expr_mul(f->ctx, long_sum, formula(f->ctx, "w + v"));
  PfExpr roots[] = {pf_expr_call1(f->ctx, PF_OP_SIN, both), pf_expr_call1(f->ctx, PF_OP_COS, both)};
  PfExpr shown = formula(f->ctx, "v"), before[] = {roots[0], roots[1]};
  PfParts parts;
  PfShown how = {&shown, 1, (bool[]){true, true}};
  assert_int_equal(pf_expr_share_around(f->ctx, f->arena, roots, 2, &how, "s", 0, &parts), PF_OK);
  for (int i = 0; i < parts.count; i++) assert_false(pf_expr_depends(f->ctx, parts.values[i], &shown, 1));
  for (int i = 0; i < 2; i++) assert_true(pf_expr_depends(f->ctx, roots[i], &shown, 1));
  for (int i = 0; i < 2; i++) assert_int_equal(put_back(f, roots[i], &parts), before[i]);
}

static void short_formulas_are_left_alone(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "(x + y + z + 1)^2*a + sin(x + y + z + 1)"), root = e;
  size_t length = pf_expr_length(f->ctx, e);
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", length + 1, &parts), PF_OK);
  assert_int_equal(parts.count, 0);
  assert_int_equal(root, e);
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", length, &parts), PF_OK);
  assert_int_equal(parts.count, 1);
}

static void a_sine_is_not_worth_a_name(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "sin(x)*a + sin(x)*b + sin(x)^2 + 1/sin(x)"), root = e;
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 0, &parts), PF_OK);
  assert_int_equal(parts.count, 0);
  assert_int_equal(root, e);
}

static void nothing_is_shared_of_nothing(void **state)
{
  Fixture *f = *state;
  PfParts parts = {1, NULL, NULL};
  assert_int_equal(pf_expr_share(f->ctx, f->arena, NULL, 0, "s", 0, &parts), PF_OK);
  assert_int_equal(parts.count, 0);
}

static void names_that_the_formulas_use_are_not_given_again(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "(x + y + s1 + 1)^2*s2 + sin(x + y + s1 + 1)"), root = e;
  pf_expr_symbol(f->ctx, "s3"); /* known, but not used here */
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 0, &parts), PF_OK);
  assert_int_equal(parts.count, 1);
  assert_is(f, parts.names[0], "s3");
  assert_int_equal(put_back(f, root, &parts), e);
}

/* ---------------------------------------------------------------- nothing is lost */

static void parts_are_defined_before_they_are_used(void **state)
{
  Fixture *f = *state;
  PfExpr root = doubled(f->ctx, 40);
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 0, &parts), PF_OK);
  assert_true(parts.count > 30);
  for (int i = 0; i < parts.count; i++) {
    char name[16];
    snprintf(name, sizeof name, "s%d", i + 1);
    assert_string_equal(pf_expr_symbol_name(f->ctx, parts.names[i]), name);
    assert_false(pf_expr_depends(f->ctx, parts.values[i], parts.names + i, parts.count - i));
  }
}

static void the_parts_put_back_give_the_formula_again(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 12;
  int shared = 0;
  for (int i = 0; i < 200; i++) {
    PfExpr e = random_formula(f->ctx, &seed, 5 + i%50), root = e;
    PfParts parts;
    assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 0, &parts), PF_OK);
    assert_int_equal(put_back(f, root, &parts), e);
    shared += parts.count;
  }
  assert_true(shared > 200);
}

static void derivatives_of_shared_formulas_come_back_too(void **state)
{
  Fixture *f = *state;
  PfExpr e = pf_expr_diff(f->ctx, doubled(f->ctx, 12), formula(f->ctx, "x")), root = e;
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "part", 100, &parts), PF_OK);
  assert_int_equal(put_back(f, root, &parts), e);
}

/* ---------------------------------------------------------------- size */

static void the_text_is_no_longer_than_the_graph(void **state)
{
  Fixture *f = *state;
  enum { LEVELS = 1000 };
  PfExpr e = doubled(f->ctx, LEVELS), root = e;
  PfParts parts;
  assert_true(pf_expr_length(f->ctx, e) == SIZE_MAX);
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 1000, &parts), PF_OK);
  /* sin(s123) + y*cos(s123) for every level, and not 2^1000 of them */
  assert_true(total_length(f, root, &parts) < 40*LEVELS);
}

static void a_deep_chain_is_shared_without_recursion(void **state)
{
  Fixture *f = *state;
  PfExpr e = doubled(f->ctx, 100000), root = e;
  PfParts parts;
  assert_int_equal(pf_expr_share(f->ctx, f->arena, &root, 1, "s", 1000, &parts), PF_OK);
  assert_true(parts.count > 90000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(a_part_used_twice_gets_a_name),
      with_fixture(parts_are_shared_between_roots),
      with_fixture(symbols_that_a_root_shows_are_in_no_name),
      with_fixture(short_formulas_are_left_alone),
      with_fixture(a_sine_is_not_worth_a_name),
      with_fixture(nothing_is_shared_of_nothing),
      with_fixture(names_that_the_formulas_use_are_not_given_again),
      with_fixture(parts_are_defined_before_they_are_used),
      with_fixture(the_parts_put_back_give_the_formula_again),
      with_fixture(derivatives_of_shared_formulas_come_back_too),
      with_fixture(the_text_is_no_longer_than_the_graph),
      with_fixture(a_deep_chain_is_shared_without_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
