/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations by the state in systems of any size, the conditions of a partition, and its matrices. */
#include "expr/eliminate.h"
#include "form/derived.h"

static void derive_by(System *s, const PfDeriveOptions *how, PfDerivation *d)
{
  PfStatus status = pf_derive(s->ctx, s->arena, &s->eq, how, d);
  if (status != PF_OK) fail_msg("%s: %s", how->form, pf_context_message(s->ctx));
}

/* ---------------------------------------------------------------- closed forms */

/* T = J a'^2/2 + sum of J_i (a' + q_i')^2/2 and V = k cos(a + b): with u_i = a' + q_i', J1 u_1' = k sin(a + b), the
 * other u' are zero, and the force on a is that on b: J a'' = 0. */
static void four_coupled_accelerations_are_solved(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  read_system(*state,
              "param J = 1, J1 = 2, J2 = 3, J3 = 4, k = 5\ncoord a, b, c, d, e\n"
              "kinetic J/2*a'^2 + J1/2*(a' + b')^2 + J2/2*(a' + c')^2 + J3/2*(a' + d')^2\n"
              "potential k*cos(a + b)\nconstraint z: e' = a'\n", &s);
  derive_by(&s, &(PfDeriveOptions){.form = "rosenberg_extended", .solved = true}, &d);
  assert_int_equal(d.motion_count, 4);
  assert_int_equal(d.part_count, 0);
  assert_equation(&s, &d, "a", "a''", "0");
  assert_equation(&s, &d, "b", "b''", "k*sin(a + b)/J1");
  assert_equation(&s, &d, "c", "c''", "0");
  assert_equation(&s, &d, "d", "d''", "0");
  assert_equation(&s, &d, "e", "e''", "0");
  pf_model_free(s.model);
}

/* Zhao et al. 2023, (55): the accelerations of the wheels are over Y1 Y2, Y1 = 3 I1 + 6 m1 r^2 + 2 m2 r^2 and
 * Y2 = I2 r^2 + 3 m1 L^2 r^2 + 3 I1 L^2, not over the determinant Y1^2 Y2; the platform moves as by itself. */
static void wheel_angles_of_the_omni_robot_have_the_published_divisor(void **state)
{
  needs_shortest_forms();
  static const char *const wheels[] = {"psi[1]", "psi[2]", "psi[3]"};
  System s;
  PfDerivation d;
  load_system(*state, "omni_robot", &s);
  derive_by(&s, &(PfDeriveOptions){.form = "rosenberg_extended", .solved = true,
                                   .independent = "psi[1],psi[2],psi[3]"}, &d);
  assert_int_equal(d.divisor_count, 0);
  PfExpr Y = formula(s.ctx, "(3*I1 + 6*m1*r^2 + 2*m2*r^2)*(I2*r^2 + 3*m1*L^2*r^2 + 3*I1*L^2)");
  for (int i = 0; i < 3; i++) {
    PfExpr above = pf_expr_simplest(s.ctx, pf_expr_mul(s.ctx, equation(&d, wheels[i])->right, Y));
    assert_null(strchr(pf_expr_print(s.ctx, s.arena, above, PF_TEXT), '/'));
  }
  assert_equation(&s, &d, "theta", "(3*m1*L^2 + I2 + 3*I1*L^2/r^2)*theta''", "-L*Q/r");
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- conditions */

static double at_angle(System *s, PfExpr e, double angle)
{
  PfExpr theta = pf_expr_symbol(s->ctx, "theta");
  double value = NAN;
  assert_int_equal(pf_expr_evaluate(s->ctx, &e, 1, &theta, &angle, 1, &value), PF_OK);
  return value;
}

/* Wherever e changes its sign, `other` vanishes. */
static void assert_vanishes_with(System *s, PfExpr e, const PfExpr *other, int count)
{
  const double step = 0.1, end = 6.3;
  for (double angle = 0.013; angle < end; angle += step) {
    double low = angle, high = angle + step, least = INFINITY;
    if (at_angle(s, e, low)*at_angle(s, e, high) > 0) continue;
    for (int i = 0; i < 60; i++) {
      double middle = (low + high)/2;
      if (at_angle(s, e, low)*at_angle(s, e, middle) > 0) low = middle;
      else high = middle;
    }
    for (int i = 0; i < count; i++) least = fmin(least, fabs(at_angle(s, other[i], low)));
    assert_true(least < 1e-9);
  }
}

/* All twenty choices of three independent accelerations of the omni robot: the conditions vanish where the determinant
 * of the other three columns of A does, and nowhere else. */
static void conditions_are_the_factors_of_the_determinant(void **state)
{
  needs_shortest_forms();
  System s;
  load_system(*state, "omni_robot", &s);
  int regular = 0, partitions = 0;
  PfExpr parameters[16], numbers[16];
  for (int i = 0; i < s.model->parameter_count; i++)
    parameters[i] = s.model->parameters[i].symbol, numbers[i] = s.model->parameters[i].value;
  for (int set = 0; set < 64; set++) {
    char list[200] = "";
    PfExpr A1[9], determinant;
    int dependent = 0;
    if (__builtin_popcount((unsigned)set) != 3) continue;
    for (int j = 0; j < 6; j++) {
      if (set >> j & 1) {
        strcat(list, s.model->coordinates[j].name);
        strcat(list, ",");
        continue;
      }
      for (int i = 0; i < 3; i++) A1[3*i + dependent] = s.eq.A[6*i + j];
      dependent++;
    }
    determinant = pf_expr_determinant(s.ctx, A1, 3);
    replace(&s, &determinant, parameters[0], numbers[0]);
    for (int i = 1; i < s.model->parameter_count; i++) replace(&s, &determinant, parameters[i], numbers[i]);
    PfDerivation d;
    PfDeriveOptions how = {.form = "rosenberg", .independent = list};
    PfStatus status = pf_derive(s.ctx, s.arena, &s.eq, &how, &d);
    pf_diagnostics_clear(s.ctx);
    partitions++;
    if (pf_expr_is_zero(s.ctx, determinant) == PF_TRUE) {
      assert_int_equal(status, PF_ERR_MODEL);
      continue;
    }
    assert_int_equal(status, PF_OK);
    if (pf_expr_is_zero(s.ctx, pf_expr_diff(s.ctx, determinant, formula(s.ctx, "theta"))) == PF_TRUE) {
      assert_int_equal(d.divisor_count, 0);
      regular++;
      continue;
    }
    assert_true(d.divisor_count > 0);
    for (int i = 0; i < d.divisor_count; i++) assert_vanishes_with(&s, d.divisors[i], &determinant, 1);
    assert_vanishes_with(&s, determinant, d.divisors, d.divisor_count);
  }
  assert_int_equal(partitions, 20);
  assert_true(regular >= 2);
  pf_model_free(s.model);
}

/* y has no mass: x' = tan(y) y' and m tan(y)^2 y'' = …, so cos(y) and sin(y) must not vanish; with M regular det X
 * would not be a condition. */
static void pivots_are_conditions_where_the_mass_is_singular(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  read_system(*state,
              "param m = 2, F = 3\ncoord x, y\nkinetic m*x'^2/2\nforce x = F\n"
              "constraint c: x'*cos(y) = y'*sin(y)\nstart y = 0.5, y' = 0.4\n", &s);
  derive_by(&s, &(PfDeriveOptions){.form = "rosenberg_extended", .independent = "y"}, &d);
  assert_int_equal(d.divisor_count, 2);
  assert_equal(&s, d.divisors[0], formula(s.ctx, "cos(y)"));
  assert_equal(&s, d.divisors[1], formula(s.ctx, "sin(y)"));
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- nothing is hidden */

static bool contains_unknown(const System *s, const PfDerivation *d, PfExpr e)
{
  return pf_expr_depends(s->ctx, e, d->unknowns, d->unknown_count);
}

/* Left sides show the matrix before the unknowns: no name contains one. */
static void names_hide_no_accelerations(void **state)
{
  static const char *const names[] = {"hand_cascade", "hand_sliding", "mobile_manipulator", "stewart"};
  static const char *const forms[] = {"multipliers", "rosenberg"};
  for (int i = 0; i < 8; i++) {
    System s;
    PfDerivation d;
    load_system(*state, names[i/2], &s);
    if (pf_derive_form(s.ctx, s.arena, &s.eq, forms[i%2], &d) == PF_OK) {
      assert_true(d.part_count > 0);
      for (int k = 0; k < d.part_count; k++) assert_false(contains_unknown(&s, &d, d.part_values[k]));
    }
    pf_diagnostics_clear(s.ctx);
    pf_model_free(s.model);
  }
}

/* Every equation is solved, by the state alone, and holds in numbers. */
static void assert_solved(System *s, const char *form)
{
  PfDerivation d;
  Forms list;
  uint64_t seed = 5;
  derive_by(s, &(PfDeriveOptions){.form = form, .solved = true}, &d);
  for (int k = 0; k < d.part_count; k++) assert_false(contains_unknown(s, &d, d.part_values[k]));
  for (int k = 0; k < d.equation_count; k++) {
    assert_int_equal(pf_expr_op(s->ctx, d.equations[k].left), PF_OP_SYMBOL);
    assert_false(contains_unknown(s, &d, d.equations[k].right));
  }
  set_random_state(s, &seed);
  put_on_positions(s);
  make_consistent(s);
  forms_open(s, &list);
  Answer x = answer(&list, "multipliers");
  for (int k = 0; k < d.equation_count; k++) {
    double left;
    if (!is_force(s, &x, d.equations[k].left, &left)) left = numeric(s, &x, d.equations[k].left);
    double right = numeric(s, &x, in_coordinates(s, &d, d.equations[k].right));
    assert_near(right, left, 1e-8, 1e-8*(1 + largest(x.a, s->eq.n)));
  }
  forms_close(&list);
}

static void accelerations_and_forces_by_the_state(void **state)
{
  static const char *const names[] = {"snakeboard", "omni_arm", "free_floating_cm", "rover_arm", "cart_pendulum"};
  for (int i = 0; i < 5; i++) {
    System s;
    load_system(*state, names[i], &s);
    assert_solved(&s, "rosenberg_extended");
    if (i != 3) assert_solved(&s, "udwadia_kalaba"); /* the rover has redundant constraints */
    pf_model_free(s.model);
  }
}

static void only_solved_forms_can_be_solved(void **state)
{
  Fixture *f = *state;
  System s;
  PfDerivation d;
  load_system(f, "unicycle", &s);
  PfDeriveOptions how = {.form = "rosenberg", .solved = true};
  assert_int_equal(pf_derive(s.ctx, s.arena, &s.eq, &how, &d), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "solved goes with form = rosenberg_extended or udwadia_kalaba");
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- matrices */

static const PfNamedMatrix *matrix(const System *s, const PfDerivation *d, const char *name)
{
  for (int i = 0; i < d->matrix_count; i++)
    if (!strcmp(pf_expr_symbol_name(s->ctx, d->matrices[i].name), name)) return d->matrices + i;
  fail_msg("no matrix '%s'", name);
  return NULL;
}

/* y += m x */
static void add_product(const System *s, const PfDerivation *d, const Answer *x, const PfNamedMatrix *m,
                        const double *from, double *y)
{
  for (int k = 0; k < m->rows*m->columns; k++)
    y[k/m->columns] += numeric(s, x, in_coordinates(s, d, m->entries[k]))*from[k%m->columns];
}

static void read_vector(const System *s, const PfDerivation *d, const Answer *x, const char *name, double *y)
{
  const PfNamedMatrix *m = matrix(s, d, name);
  for (int i = 0; i < m->rows; i++) y[i] = numeric(s, x, in_coordinates(s, d, m->entries[i]));
}

/* The number that belongs to a coordinate of a vector q of coordinates. */
static double of_coordinate(const System *s, PfExpr q, const double *list)
{
  for (int i = 0; i < s->eq.n; i++)
    if (s->model->coordinates[i].q == q) return list[i];
  return NAN;
}

/* q1'' = R1 F + R2 b, q2'' = R3 F + R4 b and Fc = S1 F + S2 b give the accelerations and forces of the multipliers. */
static void the_matrices_give_accelerations_and_forces(void **state)
{
  static const char *const names[] = {"omni_robot", "free_floating", "snakeboard"};
  for (int i = 0; i < 3; i++) {
    System s;
    PfDerivation d;
    Forms list;
    uint64_t seed = 11;
    double F[32], b[32], y[32] = {0};
    load_system(*state, names[i], &s);
    set_random_state(&s, &seed);
    make_consistent(&s);
    forms_open(&s, &list);
    Answer x = answer(&list, "multipliers");
    derive_by(&s, &(PfDeriveOptions){.form = "rosenberg_extended", .matrices = true}, &d);
    const PfNamedMatrix *q1 = matrix(&s, &d, "q1"), *q2 = matrix(&s, &d, "q2");
    read_vector(&s, &d, &x, "F1", F);
    read_vector(&s, &d, &x, "F2", F + q1->rows);
    read_vector(&s, &d, &x, "b", b);
    add_product(&s, &d, &x, matrix(&s, &d, "R1"), F, y);
    add_product(&s, &d, &x, matrix(&s, &d, "R2"), b, y);
    add_product(&s, &d, &x, matrix(&s, &d, "R3"), F, y + q1->rows);
    add_product(&s, &d, &x, matrix(&s, &d, "R4"), b, y + q1->rows);
    double size = 1e-9*(1 + largest(x.a, s.eq.n));
    for (int k = 0; k < s.eq.n; k++) {
      PfExpr q = k < q1->rows ? q1->entries[k] : q2->entries[k - q1->rows];
      assert_near(y[k], of_coordinate(&s, q, x.a), 1e-9, size);
    }
    derive_by(&s, &(PfDeriveOptions){.form = "udwadia_kalaba", .matrices = true}, &d);
    memset(y, 0, sizeof y);
    add_product(&s, &d, &x, matrix(&s, &d, "S1"), F, y);
    add_product(&s, &d, &x, matrix(&s, &d, "S2"), b, y);
    for (int k = 0; k < s.eq.n; k++)
      assert_near(y[k], of_coordinate(&s, matrix(&s, &d, "q")->entries[k], x.force), 1e-9,
                  1e-9*(1 + largest(x.force, s.eq.n)));
    forms_close(&list);
    pf_model_free(s.model);
  }
}

static void matrices_of_a_partition_need_one(void **state)
{
  Fixture *f = *state;
  System s;
  PfDerivation d;
  read_system(f, "coord x\nkinetic x'^2/2\n", &s);
  PfDeriveOptions how = {.form = "rosenberg", .matrices = true};
  assert_int_equal(pf_derive(s.ctx, s.arena, &s.eq, &how, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "needs dependent and independent accelerations: all are independent");
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(four_coupled_accelerations_are_solved),
    with_fixture(wheel_angles_of_the_omni_robot_have_the_published_divisor),
    with_fixture(conditions_are_the_factors_of_the_determinant),
    with_fixture(pivots_are_conditions_where_the_mass_is_singular),
    with_fixture(names_hide_no_accelerations),
    with_fixture(accelerations_and_forces_by_the_state),
    with_fixture(only_solved_forms_can_be_solved),
    with_fixture(the_matrices_give_accelerations_and_forces),
    with_fixture(matrices_of_a_partition_need_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
