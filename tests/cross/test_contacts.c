/* Rolling contacts, skates and roller wheels: their constraints against equations written out by hand, and against the
 * velocity of the material point in contact, found by rotation matrices and finite differences. */
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

/* ---------------------------------------------------------------- by rotation matrices */

typedef struct Pose {
  double at[3], turn[3][3]; /* ground = at + turn*own */
} Pose;

static void multiply(double a[3][3], double b[3][3], double out[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j] + a[i][2]*b[2][j];
}

/* Rodrigues: 1 + sin K + (1 - cos) K^2 */
static void rotation(double x, double y, double z, double angle, double out[3][3])
{
  double length = sqrt(x*x + y*y + z*z), K[3][3] = {{0, -z, y}, {z, 0, -x}, {-y, x, 0}}, KK[3][3];
  multiply(K, K, KK);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[i][j] = (i == j) + sin(angle)*K[i][j]/length + (1 - cos(angle))*KK[i][j]/(length*length);
}

static void to_ground(const Pose *pose, const double *own, double *out)
{
  for (int i = 0; i < 3; i++)
    out[i] = pose->at[i] + pose->turn[i][0]*own[0] + pose->turn[i][1]*own[1] + pose->turn[i][2]*own[2];
}

static void from_ground(const Pose *pose, const double *point, double *own)
{
  for (int i = 0; i < 3; i++) {
    own[i] = 0;
    for (int j = 0; j < 3; j++) own[i] += pose->turn[j][i]*(point[j] - pose->at[j]);
  }
}

/* Where the body of every model here is: (x, y, z), turned by psi about z, phi about x, chi about y. */
static Pose body_pose(const System *s, const double *q)
{
  Pose pose;
  double first[3][3], second[3][3], both[3][3], third[3][3];
  for (int i = 0; i < 3; i++) pose.at[i] = q[coordinate(s, (const char *[]){"x", "y", "z"}[i])];
  rotation(0, 0, 1, q[coordinate(s, "psi")], first);
  rotation(1, 0, 0, q[coordinate(s, "phi")], second);
  rotation(0, 1, 0, q[coordinate(s, "chi")], third);
  multiply(first, second, both);
  multiply(both, third, pose.turn);
  return pose;
}

/* What it rolls on: the ground, or a table that moves with a coordinate s, as written in the models. */
static Pose support_pose(const System *s, const double *q)
{
  Pose pose = {{0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  int i = pf_model_find_coordinate(s->model, "s");
  if (i < 0) return pose;
  pose.at[0] = 0.2*q[i], pose.at[1] = -0.1, pose.at[2] = 0.3*q[i]*q[i];
  rotation(1, 2, 2, q[i], pose.turn);
  return pose;
}

/* ---------------------------------------------------------------- where they touch */

static const double radius = 0.5, sphere = 2;

static double surface_height(double x, double y)
{
  return 0.3*sin(0.7*x) + 0.2*x*y;
}

/* The rim point of a disc with axle y: the angle from its z to its x axis. */
static void rim_point(const Pose *body, double angle, double *point)
{
  double own[3] = {radius*sin(angle), 0, radius*cos(angle)};
  to_ground(body, own, point);
}

/* Depth of a rim point over what it rolls on: largest where they touch. */
typedef double (*Depth)(const Pose *support, const double *point);

static double depth_in_plane(const Pose *support, const double *point)
{
  double own[3];
  from_ground(support, point, own);
  return -own[2];
}

static double depth_in_surface(const Pose *support, const double *point)
{
  double own[3];
  from_ground(support, point, own);
  return surface_height(own[0], own[1]) - own[2];
}

static double depth_inside_sphere(const Pose *support, const double *point)
{
  double own[3];
  from_ground(support, point, own);
  return pf_norm(own, 3) - sphere;
}

static double depth_outside_sphere(const Pose *support, const double *point)
{
  return -depth_inside_sphere(support, point);
}

/* The deepest rim point: the best of many, then ternary search. Its place is known to about the root of the rounding
 * error, its depth to the rounding error. */
static double deepest_rim_point(const Pose *body, const Pose *support, Depth depth, double *point)
{
  enum { PARTS = 720 };
  const double step = 2*acos(-1)/PARTS;
  double best = 0, most = -INFINITY;
  for (int i = 0; i < PARTS; i++) {
    rim_point(body, i*step, point);
    if (depth(support, point) > most) most = depth(support, point), best = i*step;
  }
  double low = best - step, high = best + step;
  for (int i = 0; i < 200; i++) {
    double a = low + (high - low)/3, b = high - (high - low)/3, p[3], r[3];
    rim_point(body, a, p);
    rim_point(body, b, r);
    if (depth(support, p) < depth(support, r)) low = a;
    else high = b;
  }
  rim_point(body, (low + high)/2, point);
  return depth(support, point);
}

/* The deepest point of a ball is one radius along the gradient of the depth, which is found from points around. */
static double deepest_ball_point(const Pose *body, const Pose *support, Depth depth, double *point)
{
  memcpy(point, body->at, 3*sizeof *point);
  for (int round = 0; round < 100; round++) { /* the normal at the contact, not at the centre */
    double slope[3], length;
    for (int i = 0; i < 3; i++) {
      double a[3], b[3], h = 1e-4;
      memcpy(a, point, sizeof a);
      memcpy(b, point, sizeof b);
      a[i] += h, b[i] -= h;
      slope[i] = (depth(support, a) - depth(support, b))/(2*h);
    }
    length = pf_norm(slope, 3);
    for (int i = 0; i < 3; i++) point[i] = body->at[i] + radius*slope[i]/length;
  }
  return depth(support, point);
}

/* ---------------------------------------------------------------- motions that roll */

typedef struct Rolling {
  const char *name, *text;
  bool disc;
  Depth depth;
  int rank; /* three conditions on the material point, and one for each contact coordinate */
} Rolling;

#define BODY(shape) \
  "param R = 0.5, Rs = 2\n" \
  "coord x, y, z, psi, phi, chi\n" \
  "let h(x, y) = 0.3*sin(0.7*x) + 0.2*x*y\n" \
  "body d in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass 1, inertia 1 }\n" \
  "start z = 0.5, phi = 0.2, psi = 0.3, chi = 0.1\n" \
  "roll c: " shape " d { radius R"
#define DISC BODY("disc") ", axis d.y } "
#define SPHERE_BALL BODY("ball") " } "
#define TABLE "\ncoord s\nframe table in ground at (0.2*s, -0.1, 0.3*s^2) turn s about (1, 2, 2)\n" \
  "kinetic s'^2/2\n"

static const Rolling rollings[] = {
  {"disc on plane", DISC "on ground\n", true, depth_in_plane, 3},
  {"disc on moving table", DISC "on table\n" TABLE, true, depth_in_plane, 3},
  {"ball on plane", SPHERE_BALL "on ground\n", false, depth_in_plane, 3},
  {"ball on moving table", SPHERE_BALL "on table\n" TABLE, false, depth_in_plane, 3},
  {"ball on surface", SPHERE_BALL "on surface h\n", false, depth_in_surface, 5},
  {"ball on moving surface", SPHERE_BALL "on surface h in table\n" TABLE, false, depth_in_surface, 5},
  {"disc on surface", DISC "on surface h\n", true, depth_in_surface, 6},
  {"disc on moving surface", DISC "on surface h in table\n" TABLE, true, depth_in_surface, 6},
  {"ball inside sphere", SPHERE_BALL "inside sphere { radius Rs, center ground }\n", false, depth_inside_sphere, 3},
  {"ball inside moving sphere", SPHERE_BALL "inside sphere { radius Rs, center table }\n" TABLE, false,
   depth_inside_sphere, 3},
  {"ball outside sphere", SPHERE_BALL "outside sphere { radius Rs, center ground }\n", false, depth_outside_sphere, 3},
  {"disc inside sphere", DISC "inside sphere { radius Rs, center ground }\n", true, depth_inside_sphere, 3},
  {"disc inside moving sphere", DISC "inside sphere { radius Rs, center table }\n" TABLE, true, depth_inside_sphere, 3},
  {"disc outside sphere", DISC "outside sphere { radius Rs, center ground }\n", true, depth_outside_sphere, 3},
};

/* Residuals of the position constraints for Newton. */
static PfStatus position_residual(void *user, const double *x, double *r, double *J)
{
  System *s = user;
  int n = s->eq.n, k = 0;
  memcpy(q_of(s), x, (size_t)n*sizeof *x);
  for (int i = 0; i < s->eq.m; i++) {
    if (s->eq.position[i] == PF_EXPR_NONE) continue;
    evaluate(s, s->eq.position + i, 1, r + k);
    if (J) evaluate(s, s->eq.A + i*n, n, J + k*n);
    k++;
  }
  return PF_OK;
}

/* A random configuration near which the body touches, moved until it does. */
static bool find_touching(System *s, uint64_t *seed)
{
  double x[16];
  int positions = 0, before = pf_diagnostic_count(s->ctx);
  for (int i = 0; i < s->eq.m; i++) positions += s->eq.position[i] != PF_EXPR_NONE;
  for (int i = 0; i < s->eq.n; i++) {
    double start;
    evaluate(s, &s->model->coordinates[i].start_q, 1, &start);
    x[i] = start + 0.4*draw_number(seed);
  }
  PfNewtonResult result;
  PfNewtonOptions options = {.tolerance = 1e-13, .iterations = 100};
  PfStatus status = pf_newton(s->ctx, position_residual, s, positions, s->eq.n, x, &options, &result);
  pf_diagnostics_cut(s->ctx, before);
  memcpy(q_of(s), x, (size_t)s->eq.n*sizeof *x);
  return status == PF_OK;
}

/* Relative velocity of the two material points at `point` for the velocities v, by central differences. */
static void slip_of(const System *s, const double *point, const double *v, double *slip)
{
  const double h = 1e-5;
  double own[3], carried[3], q[16], side[2][2][3];
  Pose body = body_pose(s, q_of(s)), support = support_pose(s, q_of(s));
  from_ground(&body, point, own);
  from_ground(&support, point, carried);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < s->eq.n; i++) q[i] = q_of(s)[i] + (k ? -h : h)*v[i];
    body = body_pose(s, q);
    support = support_pose(s, q);
    to_ground(&body, own, side[k][0]);
    to_ground(&support, carried, side[k][1]);
  }
  for (int i = 0; i < 3; i++) slip[i] = ((side[0][0][i] - side[0][1][i]) - (side[1][0][i] - side[1][1][i]))/(2*h);
}

static void assert_rolls_at_state(System *s, const Rolling *rolling)
{
  double point[3], A[16*16], N[16*16], slip[3];
  Pose body = body_pose(s, q_of(s)), support = support_pose(s, q_of(s));
  double depth = rolling->disc ? deepest_rim_point(&body, &support, rolling->depth, point)
                               : deepest_ball_point(&body, &support, rolling->depth, point);
  assert_near(depth, 0, 0, 1e-9); /* it touches, and nowhere does it reach deeper */
  PfQr qr;
  evaluate(s, s->eq.A, s->eq.m*s->eq.n, A);
  assert_int_equal(pf_qr_make(s->ctx, s->arena, s->eq.m, s->eq.n, &qr), PF_OK);
  assert_int_equal(pf_qr_factor(&qr, A, 1e-9), PF_OK);
  assert_int_equal(qr.rank, rolling->rank);
  pf_qr_null_space(&qr, N);
  int freedoms = s->eq.n - qr.rank;
  for (int j = 0; j < freedoms; j++) {
    double v[16];
    for (int i = 0; i < s->eq.n; i++) v[i] = N[i*freedoms + j];
    slip_of(s, point, v, slip);
    for (int i = 0; i < 3; i++) assert_near(slip[i], 0, 0, 3e-7); /* the place of the rim point is known to 1e-8 */
  }
}

/* The rows allow only motions in which the material points in contact have the same velocity, and their rank says that
 * they allow all of these. */
static void rolling_is_rest_of_the_material_point_in_contact(void **state)
{
  Fixture *f = *state;
  for (size_t k = 0; k < sizeof rollings/sizeof *rollings; k++) {
    System s;
    uint64_t seed = 1000 + k;
    int found = 0;
    read_system(f, rollings[k].text, &s);
    for (int attempt = 0; attempt < 200 && found < 10; attempt++) {
      if (!find_touching(&s, &seed)) continue;
      assert_rolls_at_state(&s, rollings + k);
      found++;
    }
    if (found < 10) fail_msg("%s: only %d configurations were found", rollings[k].name, found);
    pf_model_free(s.model);
  }
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
    with_fixture(rolling_is_rest_of_the_material_point_in_contact),
    with_fixture(contacts_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
