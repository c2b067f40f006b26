/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling contacts: their constraints against the velocity of the material point in contact, found by rotation matrices
 * and finite differences. */
#include "mech/system.h"
#include "num/newton.h"

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
  PfGaussNewtonResult result;
  PfGaussNewtonOptions options = {.tolerance = 1e-13, .iterations = 100};
  PfStatus status = pf_gauss_newton(s->ctx, position_residual, s, positions, s->eq.n, x, &options, &result);
  pf_diagnostics_truncate(s->ctx, before);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(rolling_is_rest_of_the_material_point_in_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
