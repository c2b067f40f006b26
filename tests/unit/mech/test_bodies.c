/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies on frames: small systems whose equations everybody knows. Larger ones are in tests/cross/test_recursion.c. */
#include "mech/system.h"

static void a_translation_has_the_mass_and_nothing_else(void **state)
{
  System s;
  read_system(*state, "param m\ncoord x, y, z, a\n"
              "body b in ground at (x, y, z) turn a about z { mass m, inertia 1 }\n", &s);
  PfExpr m = formula(s.ctx, "m"), zero = formula(s.ctx, "0");
  for (int i = 0; i < 3; i++) /* to the letter, not only in value: no m cos^2 + m sin^2 */
    for (int j = 0; j < 3; j++) assert_int_equal(s.eq.M[4*i + j], i == j ? m : zero);
  for (int i = 0; i < 4; i++) assert_int_equal(s.eq.F[i], zero);
  pf_model_free(s.model);
}

static void a_falling_body_weighs_what_it_should(void **state)
{
  System s;
  read_system(*state, "param m, g\ncoord x, z\nbody b in ground at (x, 0, z) { mass m }\ngravity (0, 0, -g)\n", &s);
  assert_formula(&s, force_on(&s, "x"), "0");
  assert_formula(&s, force_on(&s, "z"), "-m*g");
  assert_formula(&s, s.eq.potential, "m*g*z");
  assert_formula(&s, s.eq.kinetic, "m/2*(x'^2 + z'^2)");
  pf_model_free(s.model);
}

static void gravity_may_have_any_direction(void **state)
{
  System s;
  read_system(*state, "param m, gx, gy, gz, l\ncoord a\nbody b in ground turn a about z { mass m, com (l, 0, 0) }\n"
              "gravity (gx, gy, gz)\n", &s);
  assert_formula(&s, s.eq.F[0], "m*l*(gy*cos(a) - gx*sin(a))");
  pf_model_free(s.model);
}

/* I about the centre of mass plus m l^2. */
static void a_pendulum_has_the_inertia_about_its_hinge(void **state)
{
  System s;
  read_system(*state, "param m, l, I, g\ncoord a\n"
              "body b in ground turn a about z { mass m, com (0, -l, 0), inertia diag(0, 0, I) }\n"
              "gravity (0, -g, 0)\n", &s);
  assert_formula(&s, s.eq.M[0], "I + m*l^2");
  assert_formula(&s, s.eq.F[0], "-m*g*l*sin(a)");
  assert_formula(&s, s.eq.momentum[0], "(I + m*l^2)*a'");
  pf_model_free(s.model);
}

/* The symmetric top with Euler angles psi, theta, phi: C (phi' + psi' cos(theta)) is the spin. */
static void a_top_has_the_equations_of_lagrange(void **state)
{
  System s;
  read_system(*state, "param A, C, m, g, l\ncoord psi, theta, phi\ngravity (0, 0, -g)\n"
              "body top in ground turn psi about z turn theta about x turn phi about z "
              "{ mass m, com (0, 0, l), inertia diag(A, A, C) }\n", &s);
  assert_formula(&s, mass_entry(&s, "psi", "psi"), "(A + m*l^2)*sin(theta)^2 + C*cos(theta)^2");
  assert_formula(&s, mass_entry(&s, "psi", "phi"), "C*cos(theta)");
  assert_formula(&s, mass_entry(&s, "theta", "theta"), "A + m*l^2");
  assert_formula(&s, mass_entry(&s, "psi", "theta"), "0");
  assert_formula(&s, mass_entry(&s, "phi", "phi"), "C");
  assert_formula(&s, force_on(&s, "theta"),
                 "(A + m*l^2 - C)*sin(theta)*cos(theta)*psi'^2 - C*sin(theta)*psi'*phi' + m*g*l*sin(theta)");
  assert_formula(&s, force_on(&s, "phi"), "C*sin(theta)*theta'*psi'");
  pf_model_free(s.model);
}

/* Its angle of spin appears nowhere: a round body is treated in axes that do not spin with it. */
static void the_angle_of_a_wheel_does_not_appear(void **state)
{
  System s;
  PfExpr chi;
  read_system(*state, "param m, A, B\ncoord psi, phi, chi\n"
              "body wheel in ground turn psi about z turn phi about x turn chi about y "
              "{ mass m, com (0, 0.3, 0), inertia diag(A, B, A) }\n", &s);
  chi = formula(s.ctx, "chi");
  for (int i = 0; i < 9; i++) assert_false(pf_expr_depends(s.ctx, s.eq.M[i], &chi, 1));
  for (int i = 0; i < 3; i++) assert_false(pf_expr_depends(s.ctx, s.eq.F[i], &chi, 1));
  pf_model_free(s.model);
}

static void an_oval_wheel_is_not_round(void **state)
{
  System s;
  read_system(*state, "param A, B, C\ncoord psi, chi\n"
              "body wheel in ground turn psi about z turn chi about y { inertia diag(A, B, C) }\n", &s);
  assert_formula(&s, mass_entry(&s, "psi", "psi"), "A*sin(chi)^2 + C*cos(chi)^2");
  assert_formula(&s, force_on(&s, "chi"), "(A - C)*sin(chi)*cos(chi)*psi'^2");
  pf_model_free(s.model);
}

static void a_wheel_that_carries_something_is_not_round(void **state)
{
  System s;
  read_system(*state, "param m, A, l\ncoord psi, chi\n"
              "body wheel in ground turn psi about z turn chi about x { inertia diag(A, A, A) }\n"
              "body load in wheel at (0, 0, l) { mass m }\n", &s);
  assert_formula(&s, mass_entry(&s, "psi", "psi"), "A + m*l^2*sin(chi)^2");
  assert_formula(&s, force_on(&s, "chi"), "m*l^2*sin(chi)*cos(chi)*psi'^2");
  pf_model_free(s.model);
}

static void a_full_inertia_turns_about_any_axis(void **state)
{
  System s;
  read_system(*state, "param xx, yy, zz, xy, yz, xz\ncoord a\n"
              "body b in ground turn a about (1, 2, 2) { inertia inertia(xx, yy, zz, xy, yz, xz) }\n", &s);
  assert_formula(&s, s.eq.M[0], "(xx + 4*yy + 4*zz + 2*(2*xy + 4*yz + 2*xz))/9");
  assert_formula(&s, s.eq.F[0], "0");
  pf_model_free(s.model);
}

/* A bead on a wire that is turned by hand: m (x'' - W^2 x) = 0, gravity across the wire. */
static void a_prescribed_turn_brings_its_centrifugal_force(void **state)
{
  System s;
  read_system(*state, "param m, W, g\ncoord x\nframe wire in ground turn W*t about z\n"
              "body bead in wire shift x along x { mass m }\ngravity (0, -g, 0)\n", &s);
  assert_formula(&s, s.eq.M[0], "m");
  assert_formula(&s, s.eq.F[0], "m*W^2*x - m*g*sin(W*t)");
  assert_formula(&s, s.eq.kinetic, "m/2*(x'^2 + W^2*x^2)");
  pf_model_free(s.model);
}

/* A pendulum whose hinge is shaken: l a'' + (g + h'') sin(a) = 0. */
static void a_prescribed_translation_brings_its_acceleration(void **state)
{
  System s;
  read_system(*state, "param m, l, g, H, w\ninput h = H*cos(w*t)\ncoord a\n"
              "body b in ground at (0, h, 0) turn a about z { mass m, com (0, -l, 0) }\ngravity (0, -g, 0)\n", &s);
  assert_formula(&s, s.eq.M[0], "m*l^2");
  assert_formula(&s, s.eq.F[0], "-m*l*(g - H*w^2*cos(w*t))*sin(a)");
  pf_model_free(s.model);
}

/* One coordinate drives two turns: a gear of ratio k. */
static void a_coordinate_may_move_several_frames(void **state)
{
  System s;
  read_system(*state, "param I, k\ncoord a\n"
              "body first in ground turn a about z { inertia diag(0, 0, I) }\n"
              "body second in ground turn -k*a about z { inertia diag(0, 0, I) }\n", &s);
  assert_formula(&s, s.eq.M[0], "I*(1 + k^2)");
  assert_formula(&s, s.eq.F[0], "0");
  pf_model_free(s.model);
}

/* A bead on the parabola y = c x^2. */
static void a_placement_may_be_a_curve(void **state)
{
  System s;
  read_system(*state, "param m, c, g\ncoord x\nbody b in ground at (x, c*x^2, 0) { mass m }\ngravity (0, -g, 0)\n", &s);
  assert_formula(&s, s.eq.M[0], "m*(1 + 4*c^2*x^2)");
  assert_formula(&s, s.eq.F[0], "-4*m*c^2*x*x'^2 - 2*m*g*c*x");
  pf_model_free(s.model);
}

static void bodies_and_energies_add_up(void **state)
{
  System s;
  read_system(*state, "param m, k, J\ncoord x, a\nbody b in ground at (x, 0, 0) { mass m }\n"
              "kinetic J/2*(a' + x')^2\npotential k/2*x^2\n", &s);
  assert_formula(&s, mass_entry(&s, "x", "x"), "m + J");
  assert_formula(&s, mass_entry(&s, "x", "a"), "J");
  assert_formula(&s, force_on(&s, "x"), "-k*x");
  assert_formula(&s, s.eq.kinetic, "m/2*x'^2 + J/2*(a' + x')^2");
  pf_model_free(s.model);
}

static void frames_without_bodies_weigh_nothing(void **state)
{
  System s;
  read_system(*state, "param m\ncoord x, y\nbody b in ground at (x, 0, 0) { mass m }\n"
              "frame f in b at (0, y, 0) turn y about x\nkinetic y'^2/2\ngravity (0, -1, 0)\n", &s);
  assert_formula(&s, mass_entry(&s, "y", "y"), "1");
  assert_formula(&s, force_on(&s, "y"), "0");
  pf_model_free(s.model);
}

static void two_bodies_may_share_a_frame(void **state)
{
  System s;
  read_system(*state, "param m, l\ncoord a\nframe f in ground turn a about z\n"
              "body one in f { mass m, com (l, 0, 0) }\nbody two in f { mass m, com (0, 2*l, 0) }\n", &s);
  assert_formula(&s, s.eq.M[0], "5*m*l^2");
  pf_model_free(s.model);
}

/* Rolling on the ground is one thing, a body that does not move at all another: it only adds a constant to V. */
static void a_body_on_the_ground_changes_nothing(void **state)
{
  System s;
  read_system(*state, "coord x\nbody rock in ground at (0, 0, 3) { mass 5, inertia 1 }\nkinetic x'^2/2\n"
              "gravity (0, 0, -10)\n", &s);
  assert_formula(&s, s.eq.M[0], "1");
  assert_formula(&s, s.eq.F[0], "0");
  pf_model_free(s.model);
}

static void the_mass_matrix_of_bodies_is_symmetric_to_the_letter(void **state)
{
  System s;
  load_system(*state, "hand", &s);
  for (int i = 0; i < s.eq.n; i++)
    for (int j = 0; j < s.eq.n; j++) assert_int_equal(s.eq.M[i*s.eq.n + j], s.eq.M[j*s.eq.n + i]);
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_translation_has_the_mass_and_nothing_else),
    with_fixture(a_falling_body_weighs_what_it_should),
    with_fixture(gravity_may_have_any_direction),
    with_fixture(a_pendulum_has_the_inertia_about_its_hinge),
    with_fixture(a_top_has_the_equations_of_lagrange),
    with_fixture(the_angle_of_a_wheel_does_not_appear),
    with_fixture(an_oval_wheel_is_not_round),
    with_fixture(a_wheel_that_carries_something_is_not_round),
    with_fixture(a_full_inertia_turns_about_any_axis),
    with_fixture(a_prescribed_turn_brings_its_centrifugal_force),
    with_fixture(a_prescribed_translation_brings_its_acceleration),
    with_fixture(a_coordinate_may_move_several_frames),
    with_fixture(a_placement_may_be_a_curve),
    with_fixture(bodies_and_energies_add_up),
    with_fixture(frames_without_bodies_weigh_nothing),
    with_fixture(two_bodies_may_share_a_frame),
    with_fixture(a_body_on_the_ground_changes_nothing),
    with_fixture(the_mass_matrix_of_bodies_is_symmetric_to_the_letter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
