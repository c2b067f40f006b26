/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of equal inertia against the formulas of textbooks. */
#include "scene/scene_impl.h"
#include "support.h"

static void a_box_is_found_again(void **state)
{
  (void)state;
  const double m = 3, a = 0.4, b = 0.7, c = 1.1;
  const double I[9] = {m*(b*b + c*c)/12, 0, 0, 0, m*(a*a + c*c)/12, 0, 0, 0, m*(a*a + b*b)/12};
  PfEqual e;
  pf_equal_inertia(m, I, &e);
  assert_int_equal(e.solidity, PF_SOLID_FULL);
  assert_int_equal(e.kind, PF_SHAPE_BOX);
  assert_near(e.size[0], a, 1e-14, 0);
  assert_near(e.size[1], b, 1e-14, 0);
  assert_near(e.size[2], c, 1e-14, 0);
  assert_near(e.half[2], c/2, 1e-14, 0);
}

/* The inertia of the shape that is found, in the axes of the body. */
static void inertia_of_box(const PfEqual *e, double m, double I[9])
{
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = m*(e->size[(i + 1)%3]*e->size[(i + 1)%3] + e->size[(i + 2)%3]*e->size[(i + 2)%3])/12;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      I[3*i + j] = 0;
      for (int k = 0; k < 3; k++) I[3*i + j] += e->turn[3*i + k]*d[k]*e->turn[3*j + k];
    }
}

static void a_turned_box_has_the_inertia(void **state)
{
  (void)state;
  const double I[9] = {9.2, 0, -2.4, 0, 11, 0, -2.4, 0, 2.8}; /* the rear frame of the bicycle */
  double J[9];
  PfEqual e;
  pf_equal_inertia(85, I, &e);
  assert_int_equal(e.kind, PF_SHAPE_BOX);
  inertia_of_box(&e, 85, J);
  for (int i = 0; i < 9; i++) assert_near(J[i], I[i], 1e-12, 1e-12);
  double determinant =
      e.turn[0]*(e.turn[4]*e.turn[8] - e.turn[5]*e.turn[7]) - e.turn[1]*(e.turn[3]*e.turn[8] - e.turn[5]*e.turn[6]) +
                       e.turn[2]*(e.turn[3]*e.turn[7] - e.turn[4]*e.turn[6]);
  assert_near(determinant, 1, 1e-12, 0);
}

static void symmetric_bodies_are_round(void **state)
{
  (void)state;
  const double m = 2, r = 0.3, h = 0.5, axial = m*r*r/2, across = m*(3*r*r + h*h)/12, ball = 0.4*m*r*r;
  for (int k = 0; k < 3; k++) {
    double I[9] = {across, 0, 0, 0, across, 0, 0, 0, across};
    I[4*k] = axial;
    PfEqual e;
    pf_equal_inertia(m, I, &e);
    assert_int_equal(e.kind, PF_SHAPE_CYLINDER);
    assert_near(e.size[0], r, 1e-14, 0);
    assert_near(e.size[1], h, 1e-13, 0);
    assert_near(e.turn[3*k + 2], 1, 1e-14, 0); /* its axis is that of the body */
  }
  const double J[9] = {ball, 0, 0, 0, ball, 0, 0, 0, ball};
  PfEqual e;
  pf_equal_inertia(m, J, &e);
  assert_int_equal(e.kind, PF_SHAPE_SPHERE);
  assert_near(e.size[0], r, 1e-14, 0);
}

/* m R^2/4, m R^2/2, m R^2/4: no height is left. */
static void a_thin_disc_has_no_height(void **state)
{
  (void)state;
  const double m = 0.1, R = 0.05, I[9] = {m*R*R/4, 0, 0, 0, m*R*R/2, 0, 0, 0, m*R*R/4};
  PfEqual e;
  pf_equal_inertia(m, I, &e);
  assert_int_equal(e.kind, PF_SHAPE_CYLINDER);
  assert_near(e.size[0], R, 1e-14, 0);
  assert_near(e.size[1], 0, 0, 1e-9);
  assert_near(e.turn[3 + 2], 1, 1e-14, 0);
}

static void incomplete_inertia_is_told(void **state)
{
  (void)state;
  PfEqual e;
  const double none[9] = {0}, plane[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0.016}, wild[9] = {0, 0, 0, 0, NAN, 0, 0, 0, 1};
  pf_equal_inertia(6, plane, &e);
  assert_int_equal(e.solidity, PF_SOLID_FLAT);
  assert_near(e.size[0], sqrt(6*0.016/6), 1e-14, 0); /* a square plate: m a^2/6 */
  pf_equal_inertia(0, plane, &e);
  assert_int_equal(e.solidity, PF_SOLID_FLAT);
  pf_equal_inertia(1, none, &e);
  assert_int_equal(e.solidity, PF_SOLID_POINT);
  pf_equal_inertia(0, none, &e);
  assert_int_equal(e.solidity, PF_SOLID_NONE);
  pf_equal_inertia(1, wild, &e);
  assert_int_equal(e.solidity, PF_SOLID_NONE);
}

static void a_rotation_leads_to_its_axis(void **state)
{
  (void)state;
  const double directions[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -3}, {1, -2, 0.5}, {0, 0, 0}};
  for (size_t k = 0; k < sizeof directions/sizeof *directions; k++) {
    double R[9], length = pf_length3(directions[k]);
    pf_turn_to(directions[k], R);
    for (int i = 0; i < 3; i++) assert_near(R[3*i + 2], length > 0 ? directions[k][i]/length : i == 2, 0, 1e-15);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) assert_near(pf_dot3(R + 3*i, R + 3*j), i == j, 0, 1e-15);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_box_is_found_again),
    cmocka_unit_test(a_turned_box_has_the_inertia),
    cmocka_unit_test(symmetric_bodies_are_round),
    cmocka_unit_test(a_thin_disc_has_no_height),
    cmocka_unit_test(incomplete_inertia_is_told),
    cmocka_unit_test(a_rotation_leads_to_its_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
