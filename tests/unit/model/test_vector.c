/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and vectors: turning, adding, and how points move. */
#include "mech/system.h"

/* Two branches on the ground; turns about coordinate axes and others, translations that move. */
static const char branches[] =
  "param l = 0.7, one = 1\ncoord a, b, c, x\nkinetic a'^2 + b'^2 + c'^2 + x'^2\n"
  "frame first in ground at (x, l, 0) turn a about z\n"
  "frame second in first at (l, one*x*b, 0) turn b about z turn c about (1, 2, 2)\n"
  "frame third in second shift a along y turn -1*a about y\n"
  "frame other in ground turn c + one*sin(t) about x shift b along (0, 3, 4)\n"
  "frame still in other at (0, 0, l)\n";

static int frame_of(const System *s, const char *name)
{
  for (int i = 0; i < s->model->frame_count; i++)
    if (!strcmp(s->model->frames[i].name, name)) return i;
  fail_msg("no frame '%s'", name);
  return -1;
}

static void unit_vector(const System *s, int i, PfExpr *c)
{
  for (int k = 0; k < 3; k++) c[k] = pf_expr_int(s->ctx, k == i);
}

static const char *const names[] = {"ground", "first", "second", "third", "other", "still"};
enum { NAMES = 6 };

/* ---------------------------------------------------------------- turning */

static void turning_there_and_back_changes_nothing(void **state)
{
  System s;
  read_system(*state, branches, &s);
  PfExpr v[3] = {formula(s.ctx, "u1"), formula(s.ctx, "u2"), formula(s.ctx, "u3")};
  for (int i = 0; i < NAMES; i++)
    for (int j = 0; j < NAMES; j++) {
      PfExpr w[3];
      pf_frame_turn(s.model, frame_of(&s, names[i]), frame_of(&s, names[j]), v, w);
      pf_frame_turn(s.model, frame_of(&s, names[j]), frame_of(&s, names[i]), w, w);
      for (int k = 0; k < 3; k++) assert_equal(&s, w[k], v[k]);
    }
  pf_model_free(s.model);
}

static void a_turn_about_z_is_the_usual_one(void **state)
{
  System s;
  read_system(*state, branches, &s);
  PfExpr x[3], out[3];
  unit_vector(&s, 0, x);
  pf_frame_to_parent(s.model, frame_of(&s, "first"), x, out);
  assert_formula(&s, out[0], "cos(a)");
  assert_formula(&s, out[1], "sin(a)");
  assert_formula(&s, out[2], "0");
  pf_frame_from_parent(s.model, frame_of(&s, "first"), x, out);
  assert_formula(&s, out[0], "cos(a)");
  assert_formula(&s, out[1], "-sin(a)");
  pf_model_free(s.model);
}

/* Rodrigues: the x axis about (1, 2, 2)/3. */
static void a_turn_about_a_general_axis_follows_rodrigues(void **state)
{
  System s;
  read_system(*state, "coord c\nkinetic c'^2\nframe f in ground turn c about (1, 2, 2)\n", &s);
  PfExpr x[3], out[3];
  unit_vector(&s, 0, x);
  pf_frame_turn(s.model, frame_of(&s, "f"), 0, x, out);
  assert_formula(&s, out[0], "cos(c) + (1 - cos(c))/9");
  assert_formula(&s, out[1], "2/3*sin(c) + 2/9*(1 - cos(c))");
  assert_formula(&s, out[2], "-2/3*sin(c) + 2/9*(1 - cos(c))");
  pf_model_free(s.model);
}

static void turns_about_the_same_axis_are_added_up(void **state)
{
  System s;
  read_system(*state,
              "coord a, b\nkinetic a'^2 + b'^2\nframe f in ground turn a about z\nframe g in f turn b about z\n", &s);
  PfExpr x[3], out[3];
  unit_vector(&s, 0, x);
  pf_frame_turn(s.model, frame_of(&s, "g"), 0, x, out);
  assert_int_equal(out[0], formula(s.ctx, "cos(a + b)")); /* to the letter */
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- vectors */

static void the_axle_of_a_wheel_is_kept_in_axes_that_do_not_spin(void **state)
{
  System s;
  read_system(*state, "coord a, b\nkinetic a'^2 + b'^2\nframe fork in ground turn a about z\n"
              "frame wheel in fork turn b about y\n", &s);
  PfExpr y[3];
  unit_vector(&s, 1, y);
  PfVector axle = pf_vector_make(s.model, frame_of(&s, "wheel"), y);
  assert_int_equal(axle.count, 1);
  assert_int_equal(axle.part[0].frame, frame_of(&s, "fork"));
  pf_model_free(s.model);
}

static PfVector sample(const System *s, int k)
{
  PfExpr c[3] = {formula(s->ctx, "u1"), formula(s->ctx, "u2"), formula(s->ctx, "u3")};
  PfExpr d[3] = {formula(s->ctx, "1"), formula(s->ctx, "u1"), formula(s->ctx, "0")};
  return pf_vector_add(s->model, pf_vector_make(s->model, frame_of(s, names[1 + k]), c),
                       pf_vector_make(s->model, frame_of(s, names[4]), d));
}

static void products_do_not_depend_on_the_axes(void **state)
{
  System s;
  read_system(*state, branches, &s);
  PfVector a = sample(&s, 0), b = sample(&s, 2);
  PfExpr x[3], y[3], z[3], w[3];
  pf_vector_express(s.model, a, 0, x);
  pf_vector_express(s.model, b, 0, y);
  assert_equal(&s, pf_vector_dot(s.model, a, b), pf_expr_dot3(s.ctx, x, y));
  pf_vector_express(s.model, pf_vector_cross(s.model, a, b), 0, z);
  pf_expr_cross3(s.ctx, x, y, w);
  for (int k = 0; k < 3; k++) assert_equal(&s, z[k], w[k]);
  pf_model_free(s.model);
}

static void a_cross_product_is_across_both_factors(void **state)
{
  System s;
  read_system(*state, branches, &s);
  PfVector a = sample(&s, 0), b = sample(&s, 1), c = pf_vector_cross(s.model, a, b);
  assert_formula(&s, pf_vector_dot(s.model, a, c), "0");
  assert_formula(&s, pf_vector_dot(s.model, b, c), "0");
  assert_formula(&s, pf_vector_dot(s.model, a, pf_vector_cross(s.model, a, a)), "0");
  pf_model_free(s.model);
}

static void sums_and_multiples_are_linear(void **state)
{
  System s;
  read_system(*state, branches, &s);
  PfVector a = sample(&s, 0), b = sample(&s, 2);
  PfVector nothing = pf_vector_add(s.model, a, pf_vector_scale(s.model, a, pf_expr_int(s.ctx, -1)));
  PfExpr x[3], y[3], z[3];
  pf_vector_express(s.model, nothing, 0, x);
  for (int k = 0; k < 3; k++) assert_formula(&s, x[k], "0");
  pf_vector_express(s.model, pf_vector_add(s.model, a, pf_vector_scale(s.model, b, formula(s.ctx, "3"))), 2, x);
  pf_vector_express(s.model, a, 2, y);
  pf_vector_express(s.model, b, 2, z);
  for (int k = 0; k < 3; k++)
    assert_equal(&s, x[k], pf_expr_add(s.ctx, y[k], pf_expr_mul(s.ctx, formula(s.ctx, "3"), z[k])));
  pf_model_free(s.model);
}

static void a_vector_that_could_not_be_made_spoils_what_is_made_of_it(void **state)
{
  System s;
  read_system(*state, branches, &s);
  PfVector bad = {-1, NULL}, good = sample(&s, 0);
  PfExpr c[3];
  assert_int_equal(pf_vector_add(s.model, bad, good).count, -1);
  assert_int_equal(pf_vector_cross(s.model, good, bad).count, -1);
  assert_int_equal(pf_vector_scale(s.model, bad, formula(s.ctx, "2")).count, -1);
  assert_int_equal(pf_vector_dot(s.model, good, bad), PF_EXPR_NONE);
  pf_vector_express(s.model, bad, 0, c);
  assert_int_equal(c[0], PF_EXPR_NONE);
  pf_model_free(s.model);
}

/* Part by part, in the axes of the ground. */
static void express_by_parts(const System *s, PfVector a, PfExpr out[3])
{
  for (int k = 0; k < 3; k++) out[k] = pf_expr_int(s->ctx, 0);
  for (int i = 0; i < a.count; i++) {
    PfExpr c[3];
    pf_frame_turn(s->model, a.part[i].frame, 0, a.part[i].c, c);
    for (int k = 0; k < 3; k++) out[k] = pf_expr_add(s->ctx, out[k], c[k]);
  }
}

/* In numbers: the axis (1, 2, 2)/3 is no exact one. */
static void assert_equal_numbers(const System *s, PfExpr a, PfExpr b)
{
  const PfExpr both[2] = {a, b};
  double x[2];
  for (int i = 0; i < s->symbols.count; i++) s->values[i] = 0.1*(i%17) - 0.5;
  assert_int_equal(pf_expr_evaluate(s->ctx, both, 2, s->symbols.symbol, s->values, s->symbols.count, x), PF_OK);
  assert_near(x[0], x[1], 1e-10, 1e-9);
}

/* Two long branches on a common one: vectors between their ends are put together link by link. */
static void vectors_of_many_parts_are_the_same_vectors(void **state)
{
  System s;
  read_system(*state,
              "coord q[70]\nkinetic q[1]'^2\nframe f[1] in ground at (1, 0, 0) turn q[1] about z\n"
              "for i in 2..40 {\n"
              "  frame f[i] in f[i - 1] at (1, i/10, 0) turn q[i] about x turn q[i - 1] about (1, 2, 2)\n}\n"
              "frame g[41] in f[10] at (0, 1, 2) turn q[41] about y\n"
              "for i in 42..70 {\n"
              "  frame g[i] in g[i - 1] at (0, q[i], i/10) turn q[i] about z turn q[i - 1] about x\n}\n", &s);
  const int tip = frame_of(&s, "f[40]"), end = frame_of(&s, "g[70]");
  PfExpr minus = pf_expr_int(s.ctx, -1), x[3], y[3], z[3];
  PfVector r = pf_vector_add(s.model, pf_frame_position(s.model, tip),
                             pf_vector_scale(s.model, pf_frame_position(s.model, end), minus));
  PfVector v = pf_frame_velocity(s.model, end);
  assert_true(r.count > 24 && v.count > 24);
  express_by_parts(&s, r, x);
  express_by_parts(&s, v, y);
  assert_equal_numbers(&s, pf_vector_dot(s.model, r, r), pf_expr_dot3(s.ctx, x, x));
  assert_equal_numbers(&s, pf_vector_dot(s.model, r, v), pf_expr_dot3(s.ctx, x, y));
  pf_vector_express(s.model, v, end, z);
  pf_frame_turn(s.model, end, 0, z, z);
  for (int k = 0; k < 3; k++) assert_equal_numbers(&s, z[k], y[k]);
  pf_vector_express(s.model, pf_vector_cross(s.model, r, v), 0, z);
  pf_expr_cross3(s.ctx, x, y, x);
  for (int k = 0; k < 3; k++) assert_equal_numbers(&s, z[k], x[k]);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- motion */

/* In ground axes the velocity is the time derivative of the position, component by component. */
static void velocities_are_derivatives_of_positions(void **state)
{
  System s;
  read_system(*state, branches, &s);
  /* also a point that moves in its frame */
  PfExpr own[3] = {formula(s.ctx, "1/2"), formula(s.ctx, "a"), formula(s.ctx, "-l")};
  for (int i = 0; i < NAMES; i++) {
    int frame = frame_of(&s, names[i]);
    PfExpr r[3], v[3];
    pf_vector_express(s.model, pf_point_position(s.model, frame, own), 0, r);
    pf_vector_express(s.model, pf_point_velocity(s.model, frame, own), 0, v);
    assert_int_equal(pf_model_time_derivative(s.model, r, 3, r), PF_OK);
    for (int k = 0; k < 3; k++) assert_equal(&s, v[k], r[k]);
    pf_vector_express(s.model, pf_frame_position(s.model, frame), 0, r);
    pf_vector_express(s.model, pf_frame_velocity(s.model, frame), 0, v);
    assert_int_equal(pf_model_time_derivative(s.model, r, 3, r), PF_OK);
    for (int k = 0; k < 3; k++) assert_equal(&s, v[k], r[k]);
  }
  pf_model_free(s.model);
}

/* The axes e_k of a frame move by e_k' = w x e_k. */
static void the_spin_turns_the_axes(void **state)
{
  System s;
  read_system(*state, branches, &s);
  for (int i = 0; i < NAMES; i++) {
    int frame = frame_of(&s, names[i]);
    PfExpr w[3], e[3], rate[3], turned[3];
    pf_vector_express(s.model, pf_frame_spin(s.model, frame), 0, w);
    for (int k = 0; k < 3; k++) {
      unit_vector(&s, k, e);
      pf_frame_turn(s.model, frame, 0, e, e);
      assert_int_equal(pf_model_time_derivative(s.model, e, 3, rate), PF_OK);
      pf_expr_cross3(s.ctx, w, e, turned);
      for (int j = 0; j < 3; j++) assert_equal(&s, rate[j], turned[j]);
    }
    pf_frame_turn(s.model, 0, frame, w, w); /* and the frame keeps the same spin in its own axes */
    for (int k = 0; k < 3; k++) assert_equal(&s, s.model->frames[frame].spin[k], w[k]);
  }
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(turning_there_and_back_changes_nothing),
    with_fixture(a_turn_about_z_is_the_usual_one),
    with_fixture(a_turn_about_a_general_axis_follows_rodrigues),
    with_fixture(turns_about_the_same_axis_are_added_up),
    with_fixture(the_axle_of_a_wheel_is_kept_in_axes_that_do_not_spin),
    with_fixture(products_do_not_depend_on_the_axes),
    with_fixture(a_cross_product_is_across_both_factors),
    with_fixture(sums_and_multiples_are_linear),
    with_fixture(a_vector_that_could_not_be_made_spoils_what_is_made_of_it),
    with_fixture(vectors_of_many_parts_are_the_same_vectors),
    with_fixture(velocities_are_derivatives_of_positions),
    with_fixture(the_spin_turns_the_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
