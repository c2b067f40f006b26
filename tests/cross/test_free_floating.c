/* SPDX-License-Identifier: Apache-2.0 */
/* The free-floating robot: the derived equations are the corrected ones of the literature, and the form for people is
 * no longer than these are written there (see tests/reference/README.md). */
#include "mech/system.h"

static const char *const names[] = {"theta", "psi1", "psi2"};

/* The formulas of the reference page with k = m2 r L and J = m2 L^2. */
static const char *const reference_M[3][3] = {
  {"2*J + 2*m2*r^2 + 2*k*(cos(psi1) + cos(psi2)) + I", "-k*cos(psi1) - J", "-k*cos(psi2) - J"},
  {"-k*cos(psi1) - J", "J", "0"},
  {"-k*cos(psi2) - J", "0", "J"},
};
static const char reference_b[] =
  "k*(2*theta'*(psi1'*sin(psi1) + psi2'*sin(psi2)) - psi1'^2*sin(psi1) - psi2'^2*sin(psi2))";
static const char *const reference_F[3] = {reference_b, "-k*sin(psi1)*theta'^2", "-k*sin(psi2)*theta'^2"};
static const char *const published_F[3] = {"0", "k*sin(psi1)*theta'*(psi1' - theta')",
                                           "k*sin(psi2)*theta'*(psi2' - theta')"};

static void assert_equations(const System *s, const char *const *F)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      assert_formula(s, mass_entry(s, names[i], names[j]), reference_M[i][j]);
      if (!i) assert_formula(s, row_entry(s, "momentum", names[j]), reference_M[0][j]);
    }
    assert_formula(s, force_on(s, names[i]), F[i]);
  }
  assert_formula(s, s->eq.b[0], reference_b);
}

static void the_derived_equations_are_the_corrected_ones(void **state)
{
  System s;
  load_system(*state, "free_floating", &s);
  assert_int_equal(s.model->constraints[0].kind, PF_AFFINE);
  assert_equations(&s, reference_F);
  pf_model_free(s.model);
}

static void the_published_variant_has_the_published_forces(void **state)
{
  System s;
  load_system(*state, "free_floating_published", &s);
  assert_equations(&s, published_F);
  pf_model_free(s.model);
}

/* A = first row of M and F[theta] = b: the momentum is conserved without any constraint. */
static void the_force_of_the_momentum_constraint_vanishes(void **state)
{
  static const char *const models[] = {"free_floating", "free_floating_cm"};
  for (int i = 0; i < 2; i++) {
    System s;
    load_system(*state, models[i], &s);
    for (int j = 0; j < 3; j++)
      assert_equal(&s, row_entry(&s, "momentum", names[j]), mass_entry(&s, "theta", names[j]));
    assert_equal(&s, force_on(&s, "theta"), s.eq.b[0]);
    pf_model_free(s.model);
  }
}

static void the_momentum_is_the_derivative_of_the_energy(void **state)
{
  static const char *const models[] = {"free_floating", "free_floating_cm"};
  for (int i = 0; i < 2; i++) {
    System s;
    load_system(*state, models[i], &s);
    PfExpr C = pf_expr_symbol(s.ctx, "C");
    assert_equal(&s, pf_expr_sub(s.ctx, s.eq.momentum[0], C), s.eq.velocity[0]);
    pf_model_free(s.model);
  }
}

/* T_cm by hand: the five-coordinate model with the centre (X, Y) of the body, total momentum zero. */
static void the_floating_body_is_the_five_coordinate_model_reduced(void **state)
{
  System s, whole;
  load_system(*state, "free_floating_cm", &s);
  read_system(*state,
              "param m1, m2, I, r, L\n"
              "coord X, Y, theta, psi1, psi2\n"
              "body hub in ground at (X, Y, 0) turn theta about z { mass m1, inertia diag(0, 0, I) }\n"
              "body tip1 in hub at (-r, 0, 0) turn -psi1 about z { mass m2, com (-L, 0, 0) }\n"
              "body tip2 in hub at (r, 0, 0) turn -psi2 about z { mass m2, com (L, 0, 0) }\n", &whole);
  /* X' and Y' from dT/dX' = dT/dY' = 0: both momenta are linear with the same mass in front */
  PfContext *ctx = s.ctx;
  PfExpr v[2] = {formula(ctx, "X'"), formula(ctx, "Y'")}, zero[2] = {formula(ctx, "0"), formula(ctx, "0")}, drift[2];
  assert_int_equal(pf_expr_substitute(ctx, whole.eq.momentum, 2, v, zero, 2, drift), PF_OK);
  for (int i = 0; i < 2; i++) drift[i] = pf_expr_neg(ctx, pf_expr_div(ctx, drift[i], formula(ctx, "m1 + 2*m2")));
  PfExpr kinetic = whole.eq.kinetic, own = s.eq.kinetic;
  assert_int_equal(pf_expr_substitute(ctx, &kinetic, 1, v, drift, 2, &kinetic), PF_OK);
  assert_int_equal(pf_model_expand(s.model, &own, 1, &own), PF_OK);
  assert_equal(&s, own, kinetic);
  pf_model_free(whole.model);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- the form for people */

static void assert_no_longer(const System *s, PfExpr own, PfExpr reference)
{
  size_t length = pf_expr_length(s->ctx, own), allowed = pf_expr_length(s->ctx, reference);
  if (length > allowed)
    fail_msg("%s\nis longer (%zu) than (%zu)\n%s", pf_expr_print(s->ctx, s->arena, own, PF_TEXT), length, allowed,
             pf_expr_print(s->ctx, s->arena, reference, PF_TEXT));
}

/* The formula as it is written, with k and J as names or written out. */
static PfExpr written(const System *s, const char *text, bool names_kept)
{
  PfExpr e = formula(s->ctx, text);
  if (!names_kept) assert_int_equal(pf_model_expand(s->model, &e, 1, &e), PF_OK);
  return e;
}

static PfExpr shortest(const System *s, PfExpr e, bool names_kept)
{
  if (!names_kept) assert_int_equal(pf_model_expand(s->model, &e, 1, &e), PF_OK);
  PfExpr simple = pf_expr_simplest(s->ctx, e);
  assert_equal(s, simple, e);
  return simple;
}

static void assert_short(const System *s, bool names_kept)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      assert_no_longer(s, shortest(s, mass_entry(s, names[i], names[j]), names_kept),
                       written(s, reference_M[i][j], names_kept));
    assert_no_longer(s, shortest(s, force_on(s, names[i]), names_kept), written(s, reference_F[i], names_kept));
  }
  assert_no_longer(s, shortest(s, s->eq.b[0], names_kept), written(s, reference_b, names_kept));
}

static void the_simplest_form_is_no_longer_than_the_formulas_of_the_reference(void **state)
{
  needs_shortest_forms();
  System s;
  load_system(*state, "free_floating", &s);
  assert_short(&s, true);
  assert_short(&s, false);
  pf_model_free(s.model);
}

static void the_derivation_for_people_holds_these_forms(void **state)
{
  needs_shortest_forms();
  Fixture *f = *state;
  System s;
  load_system(f, "free_floating", &s);
  PfDerivation d;
  assert_int_equal(pf_derive_lagrange(f->ctx, f->arena, &s.eq, &d), PF_OK);
  assert_int_equal(d.part_count, 0);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) assert_no_longer(&s, d.simple.M[3*i + j], formula(f->ctx, reference_M[i][j]));
    assert_no_longer(&s, d.simple.F[i], formula(f->ctx, reference_F[i]));
    assert_formula(&s, d.simple.F[i], reference_F[i]);
  }
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_derived_equations_are_the_corrected_ones),
    with_fixture(the_published_variant_has_the_published_forces),
    with_fixture(the_force_of_the_momentum_constraint_vanishes),
    with_fixture(the_momentum_is_the_derivative_of_the_energy),
    with_fixture(the_floating_body_is_the_five_coordinate_model_reduced),
    with_fixture(the_simplest_form_is_no_longer_than_the_formulas_of_the_reference),
    with_fixture(the_derivation_for_people_holds_these_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
