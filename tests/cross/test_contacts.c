/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling contacts, skates and roller wheels: their constraints against equations written out by hand. */
#include "mech/system.h"

/* ---------------------------------------------------------------- by hand */

static PfExpr velocity_of(const System *s, const char *name)
{
  return s->eq.velocity[constraint(s, name)];
}

static PfExpr position_of(const System *s, const char *name)
{
  return s->eq.position[constraint(s, name)];
}

/* The formula with abbreviations: pairs of a name and what it stands for, later ones in terms of earlier ones. */
static PfExpr with(const System *s, const char *text, const char *const *where)
{
  PfExpr e = formula(s->ctx, text);
  int count = 0;
  while (where[2*count]) count++;
  while (count-- > 0) {
    PfExpr name = formula(s->ctx, where[2*count]), value = formula(s->ctx, where[2*count + 1]);
    assert_int_equal(pf_expr_substitute(s->ctx, &e, 1, &name, &value, 1, &e), PF_OK);
  }
  return e;
}

/* Heading psi, lean phi, spin chi. The disc turns about its axle by chi' + psi' sin(phi), which moves the centre along
 * the heading; leaning by phi' moves the centre against the lean, as seen from the contact. */
static void the_leaning_disc_rolls_as_derived_by_hand(void **state)
{
  System s;
  load_system(*state, "leaning_disc", &s);
  assert_int_equal(s.eq.m, 2);
  assert_formula(&s, velocity_of(&s, "contact.roll"), "x'*cos(psi) + y'*sin(psi) - R*(chi' + psi'*sin(phi))");
  assert_formula(&s, velocity_of(&s, "contact.side"), "-x'*sin(psi) + y'*cos(psi) + R*phi'*cos(phi)");
  pf_model_free(s.model);
}

static void a_disc_at_a_free_height_gets_its_height_as_a_constraint(void **state)
{
  System s;
  read_system(*state,
              "param m = 1, R = 0.5\n"
              "coord x, y, z, psi, phi, chi\n"
              "body d in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass m, inertia 1 }\n"
              "roll c: disc d { radius R, axis d.y } on ground\n"
              "start z = R\n", &s);
  assert_int_equal(s.eq.m, 3);
  assert_formula(&s, position_of(&s, "c.height"), "z - R*cos(phi)");
  assert_formula(&s, velocity_of(&s, "c.roll"), "x'*cos(psi) + y'*sin(psi) - R*(chi' + psi'*sin(phi))");
  assert_formula(&s, velocity_of(&s, "c.side"), "-x'*sin(psi) + y'*cos(psi) + R*phi'*cos(phi)");
  pf_model_free(s.model);
}

/* The axle may be written in either direction: the contact is the same. */
static void the_sense_of_the_axle_does_not_matter(void **state)
{
  System s;
  read_system(*state,
              "param m = 1, R = 0.5\n"
              "coord x, y, z, psi, phi, chi\n"
              "body d in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass m, inertia 1 }\n"
              "roll c: disc d { radius R, axis -1*d.y } on ground\n"
              "start z = R\n", &s);
  assert_formula(&s, position_of(&s, "c.height"), "z - R*cos(phi)");
  assert_formula(&s, pf_expr_pow_int(s.ctx, velocity_of(&s, "c.roll"), 2),
                 "(x'*cos(psi) + y'*sin(psi) - R*(chi' + psi'*sin(phi)))^2");
  assert_formula(&s, pf_expr_pow_int(s.ctx, velocity_of(&s, "c.side"), 2),
                 "(-x'*sin(psi) + y'*cos(psi) + R*phi'*cos(phi))^2");
  pf_model_free(s.model);
}

/* Upside down the disc still touches with its lowest point: its centre is above the plane. */
static void a_disc_that_starts_upside_down_still_stands_on_the_plane(void **state)
{
  Fixture *f = *state;
  System s;
  PfDiagnosis d;
  read_system(f,
              "param m = 1, R = 0.5, over = 3\n"
              "coord x, y, z, psi, phi, chi\n"
              "body d in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass m, inertia 1 }\n"
              "roll c: disc d { radius R, axis d.y } on ground\n"
              "start phi = over, z = -R*cos(over)\n", &s);
  assert_formula(&s, position_of(&s, "c.height"), "z + R*cos(phi)");
  assert_int_equal(pf_diagnose(f->ctx, f->arena, &s.eq, NULL, &d), PF_OK);
  assert_true(d.start_consistent);
  pf_model_free(s.model);
}

static void an_upright_wheel_needs_no_height(void **state)
{
  System s;
  load_system(*state, "unicycle", &s);
  assert_int_equal(s.eq.m, 2);
  assert_formula(&s, velocity_of(&s, "contact.roll"), "x'*cos(theta) + y'*sin(theta) - R*chi'");
  assert_formula(&s, velocity_of(&s, "contact.side"), "-x'*sin(theta) + y'*cos(theta)");
  pf_model_free(s.model);
}

/* Angular velocity in ground axes of a body turned by a about z, b about x, c about y. */
#define BALL_SPIN                                                                                    \
  "wx", "b'*cos(a) - c'*sin(a)*cos(b)", "wy", "b'*sin(a) + c'*cos(a)*cos(b)", "wz", "a' + c'*sin(b)"
static const char *const ball_spin[] = {BALL_SPIN, NULL};

#define BALL(place) \
  "param m = 1, R = 0.5, Rs = 2\n" \
  "coord x, y, z, a, b, c\n" \
  "body ball in ground at " place " turn a about z turn b about x turn c about y { mass m, inertia 1 }\n"

static void a_ball_rolls_on_a_plane(void **state)
{
  System s;
  read_system(*state, BALL("(x, y, z)") "roll k: ball ball { radius R } on ground\n", &s);
  assert_int_equal(s.eq.m, 3);
  assert_formula(&s, position_of(&s, "k.height"), "z - R");
  assert_equal(&s, velocity_of(&s, "k.x"), with(&s, "x' - R*wy", ball_spin)); /* spin about +y rolls towards +x */
  assert_equal(&s, velocity_of(&s, "k.y"), with(&s, "y' + R*wx", ball_spin));
  pf_model_free(s.model);
}

/* Slip d' + w x c = 0 with c = R d/(Rs - R), the farthest point from the centre of the sphere. */
static void a_ball_rolls_inside_a_sphere(void **state)
{
  System s;
  load_system(*state, "ball_in_bowl", &s);
  assert_int_equal(s.eq.m, 4);
  assert_formula(&s, position_of(&s, "contact.shell"), "x^2 + y^2 + z^2 - (Rs - R)^2");
  assert_equal(&s, velocity_of(&s, "contact.x"), with(&s, "x' + R/(Rs - R)*(wy*z - wz*y)", ball_spin));
  assert_equal(&s, velocity_of(&s, "contact.y"), with(&s, "y' + R/(Rs - R)*(wz*x - wx*z)", ball_spin));
  assert_equal(&s, velocity_of(&s, "contact.z"), with(&s, "z' + R/(Rs - R)*(wx*y - wy*x)", ball_spin));
  pf_model_free(s.model);
}

static void a_ball_rolls_on_top_of_a_sphere(void **state)
{
  System s;
  read_system(*state, BALL("(x, y, z)") "roll k: ball ball { radius R } outside sphere { radius Rs, center ground }\n"
              "start z = Rs + R\n", &s);
  assert_formula(&s, position_of(&s, "k.shell"), "x^2 + y^2 + z^2 - (Rs + R)^2");
  assert_equal(&s, velocity_of(&s, "k.x"), with(&s, "x' - R/(Rs + R)*(wy*z - wz*y)", ball_spin));
  assert_equal(&s, velocity_of(&s, "k.y"), with(&s, "y' - R/(Rs + R)*(wz*x - wx*z)", ball_spin));
  assert_equal(&s, velocity_of(&s, "k.z"), with(&s, "z' - R/(Rs + R)*(wx*y - wy*x)", ball_spin));
  pf_model_free(s.model);
}

/* z = h(x, y) = H cos(kx x) cos(ky y); the ball touches at (u, w, h), its centre is R n above, n = (-hu, -hw, 1)/N. */
static void a_ball_rolls_on_a_surface(void **state)
{
  static const char *const where[] = {
    "h", "H*cos(kx*contact.u)*cos(ky*contact.w)",
    "hu", "-H*kx*sin(kx*contact.u)*cos(ky*contact.w)",
    "hw", "-H*ky*cos(kx*contact.u)*sin(ky*contact.w)",
    "N", "sqrt(1 + (H*kx*sin(kx*contact.u)*cos(ky*contact.w))^2 + (H*ky*cos(kx*contact.u)*sin(ky*contact.w))^2)",
    BALL_SPIN, NULL};
  System s;
  load_system(*state, "ball_on_surface", &s);
  assert_int_equal(s.eq.n, 8);
  assert_int_equal(s.eq.m, 5);
  assert_equal(&s, position_of(&s, "contact.touch_x"), with(&s, "x + R*hu/N - contact.u", where));
  assert_equal(&s, position_of(&s, "contact.touch_y"), with(&s, "y + R*hw/N - contact.w", where));
  assert_equal(&s, position_of(&s, "contact.touch_z"), with(&s, "z - R/N - h", where));
  /* slip = v - R w x n; along (1, 0, hu): (w x n).(1, 0, hu) = [wy + wz hw + hu (wy hu - wx hw)]/N, and so on */
  assert_equal(&s, velocity_of(&s, "contact.roll_x"),
               with(&s, "x' + hu*z' - R/N*(wy + wz*hw + hu*(wy*hu - wx*hw))", where));
  assert_equal(&s, velocity_of(&s, "contact.roll_y"),
               with(&s, "y' + hw*z' - R/N*(-wx - wz*hu + hw*(wy*hu - wx*hw))", where));
  pf_model_free(s.model);
}

/* d = (x, y, z) the centre, a the axle, e = d - (d.a) a towards the contact, l = |e|, slip = d' + w x (R e/l):
 * along a x d:  a.(d x d') + R l (w.a) = 0, because (w x e).(a x e) = (w.a) l^2;
 * along a:      a.d' + (R/l) w.(d x a) = 0; the spin chi' drops out. */
static void a_wheel_rolls_inside_a_sphere(void **state)
{
  static const char *const where[] = {
    "ax", "-sin(psi)*cos(phi)", "ay", "cos(psi)*cos(phi)", "az", "sin(phi)",
    "wx", "phi'*cos(psi)", "wy", "phi'*sin(psi)", "wz", "psi'", /* without chi' */
      "l", "sqrt(x^2 + y^2 + z^2 - (z*sin(phi) + cos(phi)*(y*cos(psi) - x*sin(psi)))^2)", NULL};
  System s;
  load_system(*state, "wheel_in_shell", &s);
  assert_int_equal(s.eq.m, 3);
  assert_likely(&s, position_of(&s, "contact.shell"), with(&s, "x^2 + y^2 + z^2 + 2*R*l + R^2 - Rs^2", where));
  assert_likely(&s, velocity_of(&s, "contact.roll"),
                with(&s, "ax*(y*z' - z*y') + ay*(z*x' - x*z') + az*(x*y' - y*x') + R*l*(chi' + psi'*sin(phi))", where));
  assert_likely(&s, velocity_of(&s, "contact.side"),
                with(&s, "ax*x' + ay*y' + az*z'"
                         " + R/l*(wx*(y*az - z*ay) + wy*(z*ax - x*az) + wz*(x*ay - y*ax))", where));
  pf_model_free(s.model);
}

/* The rim point is the centre + R (cos(rim) z1 + sin(rim) x1) in the axes of the fork, which does not spin. */
static void a_disc_touches_a_surface_with_a_tangent_of_its_rim(void **state)
{
  static const char *const where[] = {
    "hu", "2*k*c.u", "N", "sqrt(1 + 4*k^2*c.u^2)",
    "rx", "cos(c.rim)*sin(phi)*sin(psi) + sin(c.rim)*cos(psi)", /* direction of the rim point */
      "ry", "-cos(c.rim)*sin(phi)*cos(psi) + sin(c.rim)*sin(psi)",
    "rz", "cos(c.rim)*cos(phi)",
    "tx", "-sin(c.rim)*sin(phi)*sin(psi) + cos(c.rim)*cos(psi)", /* its derivative by the angle */
      "tz", "-sin(c.rim)*cos(phi)",
    "wx", "phi'*cos(psi) - chi'*sin(psi)*cos(phi)",
    "wy", "phi'*sin(psi) + chi'*cos(psi)*cos(phi)",
    "wz", "psi' + chi'*sin(phi)", NULL};
  System s;
  read_system(*state,
              "param m = 1, R = 0.5, k = 0.3\n"
              "let h(x, y) = k*x^2\n"
              "coord x, y, z, psi, phi, chi\n"
              "body d in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass m, inertia 1 }\n"
              "roll c: disc d { radius R, axis d.y } on surface h\n"
              "start z = R\n", &s);
  assert_int_equal(s.eq.m, 6);
  assert_equal(&s, position_of(&s, "c.touch_x"), with(&s, "x + R*rx - c.u", where));
  assert_equal(&s, position_of(&s, "c.touch_y"), with(&s, "y + R*ry - c.w", where));
  assert_equal(&s, position_of(&s, "c.touch_z"), with(&s, "z + R*rz - k*c.u^2", where));
  assert_equal(&s, position_of(&s, "c.tangent"), with(&s, "(tz - hu*tx)/N", where));
  assert_equal(&s, velocity_of(&s, "c.roll_x"),
               with(&s, "x' + R*(wy*rz - wz*ry) + hu*(z' + R*(wx*ry - wy*rx))", where));
  assert_equal(&s, velocity_of(&s, "c.roll_y"), with(&s, "y' + R*(wz*rx - wx*rz)", where));
  pf_model_free(s.model);
}

/* A blade at the distance l ahead of the point (x, y). */
static void a_skate_does_not_move_sideways(void **state)
{
  System s;
  read_system(*state,
              "param m = 1, l = 0.5\n"
              "coord x, y, theta\n"
              "body sledge in ground at (x, y, 0) turn theta about z { mass m, inertia 1 }\n"
              "frame blade in sledge at (l, 0, 0)\n"
              "skate s: blade\n", &s);
  assert_formula(&s, velocity_of(&s, "s"), "-x'*sin(theta) + y'*cos(theta) + l*theta'");
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- wheels with rollers */

/* Wheel at (p, q) on a platform, axle at the angle beta, rollers at gamma to it: v.r + R chi' sin(gamma) = 0, where v
 * is the velocity of the wheel's centre and r = (cos(beta + gamma), sin(beta + gamma)) in the axes of the platform. */
static void a_roller_wheel_does_not_slip_along_the_axle_of_its_roller(void **state)
{
  System s;
  read_system(*state,
              "param m = 1, R = 0.1, p, q, beta, gamma\n"
              "coord x, y, theta, chi, zeta, xi\n"
              "body platform in ground at (x, y, R) turn theta about z { mass m, inertia 1 }\n"
              "body wheel in platform at (p, q, 0) turn beta about z turn chi about x { inertia diag(1, 2, 2) }\n"
              "body second in platform at (p, q, 0) turn zeta about x { inertia diag(1, 2, 2) }\n"
              "body third in platform at (p, q, 0) turn xi about x { inertia diag(1, 2, 2) }\n"
              "mecanum w: wheel { radius R, axis wheel.x, roller gamma }\n"
              "mecanum usual: second { radius R, axis second.x }\n"
              "omni o: third { radius R, axis third.x }\n", &s);
  assert_formula(&s, velocity_of(&s, "w"),
                 "cos(beta + gamma)*(x'*cos(theta) + y'*sin(theta) - q*theta')"
                 " + sin(beta + gamma)*(y'*cos(theta) - x'*sin(theta) + p*theta') + R*chi'*sin(gamma)");
  assert_formula(&s, velocity_of(&s, "usual"),
                 "sqrt(2)/2*(x'*cos(theta) + y'*sin(theta) - q*theta'"
                 " + y'*cos(theta) - x'*sin(theta) + p*theta' + R*zeta')");
  assert_formula(&s, velocity_of(&s, "o"), "y'*cos(theta) - x'*sin(theta) + p*theta' + R*xi'");
  pf_model_free(s.model);
}

/* The carriage of the examples counts chi about minus the axle: our row is -R sin(gamma) times the row there. */
static void mecanum_wheels_on_bodies_are_the_constraints_of_the_carriage(void **state)
{
  System s, carriage;
  load_system(*state, "carriage_mecanum", &carriage);
  read_system(*state,
              "param M, R, Lambda, lambda2, Delta, a[4], b[4]\n"
              "coord x, y, theta, chi[4]\n"
              "let gamma[4] = list(-pi/4, pi/4, -pi/4, pi/4)\n"
              "body platform in ground at (x, y, R) turn theta about z { mass M, inertia diag(0, 0, Lambda^2*M*R^2) }\n"
              "for i in 1..4 {\n"
              "  body wheel in platform at (a[i]*R, (b[i] - Delta)*R, 0) turn -chi[i] about x {\n"
              "    inertia diag(lambda2*M*R^2, 0, 0)\n"
              "  }\n"
              "  mecanum w: wheel { radius R, axis wheel.x, roller gamma[i] }\n"
              "}\n", &s);
  for (int i = 0; i < 4; i++) {
    PfExpr factor = formula(s.ctx, i%2 ? "-R*sqrt(2)/2" : "R*sqrt(2)/2");
    assert_equal(&s, s.eq.velocity[i], pf_expr_mul(s.ctx, factor, carriage.eq.velocity[i]));
  }
  for (int i = 0; i < 49; i++) assert_equal(&s, s.eq.M[i], carriage.eq.M[i]);
  pf_model_free(s.model);
  pf_model_free(carriage.model);
}

/* ---------------------------------------------------------------- bad contacts */

static void assert_refused(Fixture *f, const char *text, const char *words)
{
  PfModel *model;
  pf_diagnostics_clear(f->ctx);
  assert_int_not_equal(pf_model_read(f->ctx, "test.pf", text, strlen(text), &model), PF_OK);
  assert_contains(pf_diagnostic(f->ctx, 0)->message, words);
}

#define ANY_BODY \
  "coord x, y, a\n" \
  "body d in ground at (x, y, 1) turn a about z { mass 1, inertia 1 }\n"

static void contacts_that_make_no_sense_are_refused(void **state)
{
  Fixture *f = *state;
  assert_refused(f, ANY_BODY "roll c: disc d { radius 1, axis d.z } on ground\n", "lies flat");
  assert_refused(f, ANY_BODY "roll c: disc d { radius 2, axis d.y } on ground\n", "does not touch");
  assert_refused(f, ANY_BODY "roll c: disc d { radius 1 } on ground\n", "axle is missing");
  assert_refused(f, ANY_BODY "roll c: disc d { axis d.y } on ground\n", "radius is missing");
  assert_refused(f, ANY_BODY "roll c: disc d { radius 1, axis 2*d.y } on ground\n", "length 1");
  assert_refused(f, ANY_BODY "roll c: disc d { radius 1, axis ground.y } on ground\n", "fixed direction");
  assert_refused(f, ANY_BODY "mecanum c: d { radius 1, axis d.z }\n", "parallel to the plane");
  assert_refused(f, ANY_BODY "roll c: ball d { radius -1 } on ground\n", "positive");
  assert_refused(f, ANY_BODY "roll c: ball d { radius x } on ground\n", "constant");
  assert_refused(f, ANY_BODY "roll c: ball d { radius 1 } inside sphere { radius x }\n", "constant");
  assert_refused(f, ANY_BODY "roll c: ball d { radius 1 } inside sphere { center ground }\n", "radius of the sphere");
  assert_refused(f, ANY_BODY "roll c: ball d { radius 1 } on surface g\n", "two lengths");
  assert_refused(f, ANY_BODY "roll c: ball d { radius 1, axis d.y } on ground\n", "'axis' is not known");
  assert_refused(f, ANY_BODY "skate c: d { radius 1 }\n", "no properties");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_leaning_disc_rolls_as_derived_by_hand),
    with_fixture(a_disc_at_a_free_height_gets_its_height_as_a_constraint),
    with_fixture(the_sense_of_the_axle_does_not_matter),
    with_fixture(a_disc_that_starts_upside_down_still_stands_on_the_plane),
    with_fixture(an_upright_wheel_needs_no_height),
    with_fixture(a_ball_rolls_on_a_plane),
    with_fixture(a_ball_rolls_inside_a_sphere),
    with_fixture(a_ball_rolls_on_top_of_a_sphere),
    with_fixture(a_ball_rolls_on_a_surface),
    with_fixture(a_wheel_rolls_inside_a_sphere),
    with_fixture(a_disc_touches_a_surface_with_a_tangent_of_its_rim),
    with_fixture(a_skate_does_not_move_sideways),
    with_fixture(a_roller_wheel_does_not_slip_along_the_axle_of_its_roller),
    with_fixture(mecanum_wheels_on_bodies_are_the_constraints_of_the_carriage),
    with_fixture(contacts_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
