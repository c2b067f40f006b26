/* SPDX-License-Identifier: Apache-2.0 */
/* Equations between vectors and between matrices: those of the books come out, and they are the same as the others. */
#include "form/derived.h"

#include <string.h>

/* ---------------------------------------------------------------- vectors */

static bool has_line(const PfLine *lines, int count, const char *text)
{
  for (int i = 0; i < count; i++)
    if (!strcmp(lines[i].text, text)) return true;
  for (int i = 0; i < count; i++) print_message("  %s\n", lines[i].text);
  return false;
}

static void assert_lines(Fixture *f, const char *model, const char *const *lines)
{
  System s;
  PfDerivation d;
  read_system(f, model, &s);
  derive(&s, "laconic", &d);
  for (int i = 0; lines[i]; i++)
    if (!has_line(d.lines, d.line_count, lines[i])) fail_msg("no line '%s'", lines[i]);
  pf_model_free(s.model);
}

static void a_free_body_has_eulers_equations(void **state)
{
  needs_shortest_forms();
  assert_lines(*state,
                 "param m = 2, A = 1, B = 2, C = 2.5\nbody b in ground free { mass m, inertia diag(A, B, C) }\n",
                 (const char *const[]){"I*b.w' + b.w x I*b.w = 0", "I = diag(A, B, C)", "b.q' = b.q o b.w/2", NULL});
}

/* The torque of the weight: c x g with c = -m g times the centre of mass, which may lie anywhere in the body. */
static void the_weight_of_a_top_is_a_cross_product(void **state)
{
  needs_shortest_forms();
  assert_lines(*state,
                 "param m = 2, g = 9.81, a = 0.1, l = 0.3, A = 1, B = 2, C = 2.5\ngravity (0, 0, -g)\n"
                 "body top in ground ball { mass m, com (a, 0, l), inertia diag(A, B, C) }\n",
                 (const char *const[]){"I*top.w' + top.w x I*top.w = (-m*a*g, 0, -m*g*l) x top.g",
                                       "I = ((A + m*l^2, 0, -m*a*l), (0, B + m*a^2 + m*l^2, 0), "
                                       "(-m*a*l, 0, C + m*a^2))",
                                       "top.g' = top.g x top.w", NULL});
}

/* Chaplygin 1903: (I + D) w' - D (g.w') g + w x I w = 0 with D = m R^2, here in a name I = diag(A + D, …). */
static void chaplygins_sphere_is_one_line(void **state)
{
  needs_shortest_forms();
  assert_lines(*state,
                 "param m = 2, R = 0.3, A = 0.05, B = 0.06, C = 0.07\n"
                 "body ball in ground free { mass m, inertia diag(A, B, C) }\n"
                 "roll contact: ball ball { radius R } on ground\nstart ball.pz = R\n",
                 (const char *const[]){"I*ball.w' + ball.w x I*ball.w - m*R^2*(ball.g . ball.w')*ball.g = 0",
                                       "I = diag(A + m*R^2, B + m*R^2, C + m*R^2)", NULL});
}

/* A parameter I keeps its name, and two bodies have an inertia each. */
static void names_of_inertias_do_not_clash(void **state)
{
  needs_shortest_forms();
  assert_lines(*state, "param I = 2, A = 1, B = 2, C = 2.5\nbody b in ground ball { inertia diag(A, B, I) }\n",
                 (const char *const[]){"I2*b.w' + b.w x I2*b.w = 0", "I2 = diag(A, B, I)", NULL});
  assert_lines(*state,
                 "param A = 1, B = 2, C = 2.5\nbody b in ground ball { inertia diag(A, B, C) }\n"
                 "body c in ground ball { inertia diag(C, B, A) }\n",
                 (const char *const[]){"I_b = diag(A, B, C)", "I_c = diag(C, B, A)", NULL});
}

/* The rate of a name is the same whether a direction cosine in it has a definition of its own, as in --c, or not: the
 * model knows how cosines follow, and they must not be counted twice. */
static void cosines_that_are_defined_are_counted_once(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d, more;
  int compared = 0;
  read_system(*state,
              "param m = 1, h = 0.14, l = 0.8, M = 1.8, J = 0.9\n"
              "body b in ground free { mass m, inertia 1.5, com (0.2, 0, h) }\n"
              "body c in b at (l, 0, 0) { mass M, inertia J }\n", &s);
  derive(&s, "laconic", &d);
  more = d;
  more.part_count = d.part_count + 9;
  more.part_names = pf_arena_array(s.arena, PfExpr, more.part_count);
  more.part_values = pf_arena_array(s.arena, PfExpr, more.part_count);
  for (int i = 0; i < 9; i++) {
    more.part_names[i] = d.model->auxiliaries[i].symbol;
    more.part_values[i] = d.model->auxiliaries[i].value;
  }
  for (int i = 0; i < d.part_count; i++) {
    PfExpr plain, defined;
    more.part_names[9 + i] = d.part_names[i];
    more.part_values[9 + i] = d.part_values[i];
    assert_int_equal(pf_derivation_rate(s.ctx, s.arena, &d, i, &plain), PF_OK);
    assert_int_equal(pf_derivation_rate(s.ctx, s.arena, &more, 9 + i, &defined), PF_OK);
    assert_int_equal(pf_expr_is_probably_zero(s.ctx, pf_expr_sub(s.ctx, plain, defined), 2), PF_TRUE);
    compared += pf_expr_depends(s.ctx, d.part_values[i], more.part_names, 9);
  }
  assert_true(compared > 0);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- matrices */

static const PfNamedMatrix *matrix(const PfDerivation *d, const System *s, const char *name)
{
  for (int i = 0; i < d->matrix_count; i++)
    if (!strcmp(pf_expr_symbol_name(s->ctx, d->matrices[i].name), name)) return d->matrices + i;
  fail_msg("no matrix '%s'", name);
  return NULL;
}

static void derive_matrices(const System *s, const char *form, PfDerivation *d)
{
  PfDeriveOptions options = {.form = form, .matrices = true};
  assert_int_equal(pf_derive(s->ctx, s->arena, &s->eq, &options, d), PF_OK);
}

/* Zobova 2011, eq. (4.6), with the numbers of the reference: A = E + lambda^2 Xi^T Xi in units of M R^2. */
static void the_mecanum_carriage_is_equation_4_6(void **state)
{
  static const double Xi4[4][3] = {{-1, 1, 1.7}, {1, 1, -1.7}, {-1, 1, -59./30}, {1, 1, 59./30}};
  static const double A[3][3] = {{1.4, 0, 4./75}, {0, 1.4, 0}, {4./75, 0, 2.3515555555555556}};
  System s;
  PfDerivation d;
  load_system(*state, "carriage_mecanum", &s);
  derive_matrices(&s, "laconic", &d);
  const PfNamedMatrix *Xi = matrix(&d, &s, "Xi"), *J = matrix(&d, &s, "J"), *G0 = matrix(&d, &s, "G0");
  assert_int_equal(Xi->rows, 4);
  assert_int_equal(Xi->columns, 3);
  assert_true(has_line(d.matrix_lines, d.matrix_line_count, "(G0 + Xi^T*J*Xi)*nu' = g + Xi^T*tau"));
  assert_true(has_line(d.matrix_lines, d.matrix_line_count, "chi' = Xi*nu"));
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double sum = value_of(&s, G0->entries[a*3 + b]);
      for (int i = 0; i < 4; i++) {
        assert_near(value_of(&s, Xi->entries[i*3 + a]), Xi4[i][a], 1e-14, 1e-15);
        sum += value_of(&s, J->entries[i*5])*Xi4[i][a]*Xi4[i][b];
      }
      assert_near(sum/(20*0.01), A[a][b], 1e-14, 1e-15);
    }
  pf_model_free(s.model);
}

/* (G0 + Xi^T J Xi) u' = g + Xi^T tau is G u' = g of Maggi's equations, entry by entry. */
static void assert_matrices(Fixture *f, const char *name)
{
  System s;
  PfDerivation d;
  PfKinematics k;
  PfReducedForm form;
  load_system(f, name, &s);
  derive_matrices(&s, "maggi", &d);
  assert_int_equal(pf_kinematics_find(s.ctx, s.arena, &s.eq, &k), PF_OK);
  assert_int_equal(pf_reduce_maggi(s.ctx, s.arena, &s.eq, &k, &form), PF_OK);
  bool wheels = d.matrix_line_count == 2;
  const PfNamedMatrix *G = matrix(&d, &s, wheels ? "G0" : "G"), *g = d.matrices + d.matrix_count - 1;
  const PfNamedMatrix *Xi = wheels ? d.matrices + 2 : NULL, *J = wheels ? d.matrices + 3 : NULL;
  const PfNamedMatrix *tau = wheels ? d.matrices + 4 : NULL;
  assert_int_equal(G->rows, k.count);
  for (int a = 0; a < k.count; a++) {
    PfExpr right = g->entries[a];
    for (int i = 0; wheels && i < Xi->rows; i++)
      right = pf_expr_add(s.ctx, right, pf_expr_mul(s.ctx, Xi->entries[i*k.count + a], tau->entries[i]));
    for (int i = 0; i < s.eq.n; i++) replace(&s, &right, s.model->coordinates[i].v, k.v[i]);
    PfExpr other = form.g[a];
    if (pf_expr_is_probably_zero(s.ctx, pf_expr_sub(s.ctx, right, other), 2) != PF_TRUE)
      fail_msg("%s: right side %d differs", name, a);
    for (int b = 0; b < k.count; b++) {
      PfExpr sum = G->entries[a*k.count + b];
      for (int i = 0; wheels && i < Xi->rows; i++) {
        PfExpr product[3] = {Xi->entries[i*k.count + a], J->entries[i*(Xi->rows + 1)], Xi->entries[i*k.count + b]};
        sum = pf_expr_add(s.ctx, sum, pf_expr_product(s.ctx, product, 3));
      }
      if (pf_expr_is_probably_zero(s.ctx, pf_expr_sub(s.ctx, sum, form.G[a*k.count + b]), 2) != PF_TRUE)
        fail_msg("%s: entry %d, %d differs", name, a, b);
    }
  }
  pf_model_free(s.model);
}

static void matrices_are_those_of_maggi(void **state)
{
  static const char *const names[] = {"carriage_mecanum", "carriage_omni3", "carriage_inertia", "carriage_steady",
                                      "two_omni", "differential_drive", "snakeboard", "snakeboard_bodies", "unicycle",
                                      "piano_wheel", "car_trailer", "omni_robot", "chaplygin_sleigh", "rover_arm"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) assert_matrices(*state, names[i]);
}

/* On a belt that runs by itself a wheel turns at more than its ratio: it is no row of Xi. */
static void a_wheel_on_a_running_belt_is_no_row_of_xi(void **state)
{
  System s;
  PfDerivation d;
  read_system(*state,
              "param m = 2, I = 1, R = 1/2, belt = 3\ncoord x, c\nbody b in ground at (x, 0, R) { mass m }\n"
              "body w in b turn c about y { inertia diag(0, I, 0) }\nframe road in ground at (belt*t, 0, 0)\n"
              "omni k: w { radius R, axis w.y } on road\n", &s);
  derive_matrices(&s, "laconic", &d);
  assert_int_equal(d.matrix_line_count, 1);
  assert_true(has_line(d.matrix_lines, d.matrix_line_count, "G*omega' = g"));
  pf_model_free(s.model);
}

static void equations_with_multipliers_are_matrices_already(void **state)
{
  Fixture *f = *state;
  System s;
  PfDerivation d;
  load_system(f, "unicycle", &s);
  PfDeriveOptions options = {.form = "multipliers", .matrices = true};
  assert_int_equal(pf_derive(s.ctx, s.arena, &s.eq, &options, &d), PF_ERR_ARGUMENT);
  assert_non_null(strstr(pf_context_message(f->ctx), "matrices goes with the other forms"));
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_free_body_has_eulers_equations),
    with_fixture(the_weight_of_a_top_is_a_cross_product),
    with_fixture(chaplygins_sphere_is_one_line),
    with_fixture(names_of_inertias_do_not_clash),
    with_fixture(cosines_that_are_defined_are_counted_once),
    with_fixture(the_mecanum_carriage_is_equation_4_6),
    with_fixture(matrices_are_those_of_maggi),
    with_fixture(a_wheel_on_a_running_belt_is_no_row_of_xi),
    with_fixture(equations_with_multipliers_are_matrices_already),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
