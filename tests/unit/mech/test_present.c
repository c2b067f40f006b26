/* SPDX-License-Identifier: Apache-2.0 */
/* Equations for people: shorter, but the same. */
#include "mech/system.h"

static void assert_probably(const System *s, const char *name, const char *what, PfExpr a, PfExpr b)
{
  if (a == b) return;
  if (pf_expr_is_probably_zero(s->ctx, pf_expr_sub(s->ctx, a, b), 2) != PF_TRUE)
    fail_msg("%s: the simple form of %s is something else:\n%s\n%s", name, what,
             pf_expr_print(s->ctx, s->arena, a, PF_TEXT), pf_expr_print(s->ctx, s->arena, b, PF_TEXT));
}

static void assert_lists(const System *s, const char *name, const char *what, const PfExpr *a, const PfExpr *b,
                         int count)
{
  for (int i = 0; i < count; i++) {
    assert_probably(s, name, what, a[i], b[i]);
    assert_true(pf_expr_length(s->ctx, a[i]) <= pf_expr_length(s->ctx, b[i]));
  }
}

/* Abbreviations put back, the latest first. */
static PfExpr written_out(const System *s, const PfDerivation *d, PfExpr e)
{
  for (int i = d->part_count; i-- > 0;)
    assert_int_equal(pf_expr_substitute(s->ctx, &e, 1, d->part_names + i, d->part_values + i, 1, &e), PF_OK);
  return e;
}

/* M q'' - F - C - A^T lambda and A q'' - b. */
static PfExpr residual(const System *s, int i)
{
  PfContext *ctx = s->ctx;
  int n = s->eq.n, m = s->eq.m;
  PfExpr sum = i < n ? pf_expr_neg(ctx, pf_expr_add(ctx, s->eq.F[i], s->eq.C[i])) : pf_expr_neg(ctx, s->eq.b[i - n]);
  for (int j = 0; j < n; j++) {
    PfExpr factor = i < n ? s->eq.M[i*n + j] : s->eq.A[(i - n)*n + j];
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, factor, s->model->coordinates[j].a));
  }
  for (int k = 0; k < m && i < n; k++)
    sum = pf_expr_sub(ctx, sum, pf_expr_mul(ctx, s->eq.A[k*n + i], s->model->constraints[k].multiplier));
  return sum;
}

static void compare(Fixture *f, const System *s, const char *name)
{
  PfDerivation d;
  int n = s->eq.n, m = s->eq.m;
  assert_int_equal(pf_derive_lagrange(f->ctx, f->arena, &s->eq, &d), PF_OK);
  assert_string_equal(d.form, "multipliers");
  assert_int_equal(d.equation_count, n + m);
  assert_int_equal(d.unknown_count, n + m);
  assert_lists(s, name, "M", d.simple.M, s->eq.M, n*n);
  assert_lists(s, name, "F", d.simple.F, s->eq.F, n);
  assert_lists(s, name, "C", d.simple.C, s->eq.C, n);
  assert_lists(s, name, "A", d.simple.A, s->eq.A, m*n);
  assert_lists(s, name, "b", d.simple.b, s->eq.b, m);
  for (int i = 0; i < n + m; i++) {
    PfExpr left = written_out(s, &d, d.equations[i].left), right = written_out(s, &d, d.equations[i].right);
    assert_probably(s, name, d.equations[i].name, pf_expr_sub(s->ctx, left, right), residual(s, i));
  }
}

/* Spacecraft have pages of equations, which take seconds. */
static bool is_slow(const char *name)
{
  static const char *const slow[] = {"spacecraft", "capture", "dual_arm"};
  for (size_t i = 0; i < sizeof slow/sizeof *slow; i++)
    if (!strcmp(name, slow[i])) return true;
  return false;
}

/* Also: no entry becomes longer than it was. */
static void the_form_for_people_is_the_same_for_examples(void **state)
{
  Fixture *f = *state;
  for (const char *const *name = representative_examples(f); *name; name++) {
    System s;
    if (is_slow(*name)) continue;
    load_system(f, *name, &s);
    compare(f, &s, *name);
    pf_model_free(s.model);
  }
}

static void unknowns_are_accelerations_and_multipliers(void **state)
{
  Fixture *f = *state;
  System s;
  PfDerivation d;
  read_system(f, "param m, g\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint slope: x = 2*y\n", &s);
  assert_int_equal(pf_derive_lagrange(f->ctx, f->arena, &s.eq, &d), PF_OK);
  assert_string_equal(pf_expr_symbol_name(f->ctx, d.unknowns[0]), "x''");
  assert_string_equal(pf_expr_symbol_name(f->ctx, d.unknowns[2]), "lambda[slope]");
  assert_string_equal(d.equations[1].name, "y");
  assert_string_equal(d.equations[2].name, "slope");
  assert_formula(&s, d.equations[1].left, "m*y''");
  assert_formula(&s, d.equations[1].right, "-m*g - 2*lambda[slope]");
  assert_formula(&s, d.equations[2].left, "x'' - 2*y''");
  pf_model_free(s.model);
}

/* A long chain: shared parts get names, and every name is defined before it is used. */
static void long_equations_are_abbreviated(void **state)
{
  Fixture *f = *state;
  System s;
  PfDerivation d;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_text_add(&text, "coord q[5]\ngravity (0, 0, -9.81)\nbody b0 in ground { mass 1 }\n");
  for (int i = 1; i <= 5; i++)
    pf_text_print(&text, "body b%d in b%d at (0, 1, 0) turn q[%d] about %c "
                  "{ mass 1, com (1, 1, 0), inertia diag(1, 2, 3) }\n", i, i - 1, i, "xyzxy"[i - 1]);
  read_system(f, pf_text_get(&text), &s);
  assert_int_equal(pf_derive_lagrange(f->ctx, f->arena, &s.eq, &d), PF_OK);
  assert_true(d.part_count > 0);
  for (int i = 0; i < d.part_count; i++)
    for (int j = i; j < d.part_count; j++)
      assert_false(pf_expr_depends(f->ctx, d.part_values[i], d.part_names + j, 1));
  compare(f, &s, "chain");
  pf_model_free(s.model);
  pf_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_form_for_people_is_the_same_for_examples),
    with_fixture(unknowns_are_accelerations_and_multipliers),
    with_fixture(long_equations_are_abbreviated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
