/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations by name: what people do with them, snapshots, clones. */
#include "pfaff/lang.h"
#include "sim/simulations.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- a spring */

static const char spring[] =
  "param k = 4 [N/m], m = 1 [kg]\n"
  "coord x [m]\n"
  "input u [N]\n"
  "kinetic m*x'^2/2\n"
  "potential k*x^2/2\n"
  "force x = u\n"
  "let tension = k*x\n"
  "start x = 1\n"
  "run 10 by dopri5 { rtol = 1e-11 }\n";

static void a_spring_swings_as_the_cosine(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  int x = handle(sim, "x"), v = handle(sim, "x'"), a = handle(sim, "x''"), f = handle(sim, "tension"),
      e = handle(sim, "kinetic");
  start(sim);
  for (int k = 1; k <= 20; k++) {
    double t = 0.3*k;
    advance(sim, t);
    assert_true(pf_sim_time(sim) == t);
    assert_near(pf_sim_get(sim, x), cos(2*t), 0, 1e-8);
    assert_near(pf_sim_get(sim, v), -2*sin(2*t), 0, 1e-8);
    assert_near(pf_sim_get(sim, a), -4*cos(2*t), 0, 1e-8);
    assert_near(pf_sim_get(sim, f), 4*cos(2*t), 0, 1e-8);
    assert_near(pf_sim_get(sim, e), 2*sin(2*t)*sin(2*t), 0, 1e-8);
  }
  pf_sim_close(sim);
}

static void parameters_and_starts_hold_from_the_next_start(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  int x = handle(sim, "x");
  start(sim);
  advance(sim, 1);
  assert_true(pf_sim_set_text(sim, "k", "9 [N/m]"));
  assert_true(pf_sim_set(sim, "x", 2));
  start(sim);
  assert_true(pf_sim_time(sim) == 0);
  advance(sim, 1);
  assert_near(pf_sim_get(sim, x), 2*cos(3), 0, 1e-8);
  assert_false(pf_sim_set(sim, "kk", 1));
  assert_contains(pf_sim_error(sim)->message, "'kk'");
  assert_contains(pf_sim_error(sim)->hint, "'k'");
  assert_false(pf_sim_advance(sim, 0.5));
  assert_contains(pf_sim_error(sim)->message, "stands at t = 1");
  pf_sim_close(sim);
}

/* A constant force moves the place of rest: x = u/k + (1 - u/k) cos 2t from the instant it is set. */
static void inputs_hold_from_when_they_are_set(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  int x = handle(sim, "x"), u = handle(sim, "u");
  start(sim);
  assert_true(pf_sim_put(sim, u, 2));
  advance(sim, 1);
  assert_near(pf_sim_get(sim, x), 0.5 + 0.5*cos(2), 0, 1e-8);
  assert_near(pf_sim_get(sim, u), 2, 0, 0);
  pf_sim_close(sim);
}

typedef struct Pd {
  int x, v, u;
  int calls;
} Pd;

static void control(void *user, PfSim *sim)
{
  Pd *pd = user;
  pd->calls++;
  assert_true(pf_sim_put(sim, pd->u, 4*pf_sim_get(sim, pd->x) - pf_sim_get(sim, pd->x) - 0.2*pf_sim_get(sim, pd->v)));
}

/* The controller takes the spring's force away and puts its own in place, held over a period: the exact sampled
 * motion. */
static void a_controller_is_called_every_period(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  Pd pd = {.x = handle(sim, "x"), .v = handle(sim, "x'"), .u = handle(sim, "u")};
  const double h = 0.01;
  double x = 1, v = 0;
  assert_true(pf_sim_control(sim, h, control, &pd));
  start(sim);
  advance(sim, 2);
  assert_int_equal(pd.calls, 200); /* at 0, 0.01, … 1.99; at 2 when it goes on */
  for (int k = 0; k < 200; k++) { /* x'' = u - 4x with u constant, in closed form */
    double u = 4*x - x - 0.2*v, c = cos(2*h), s = sin(2*h), rest = u/4, y = x - rest;
    x = rest + y*c + v/2*s;
    v = -2*y*s + v*c;
  }
  assert_near(pf_sim_get(sim, pd.x), x, 0, 1e-9);
  assert_near(pf_sim_get(sim, pd.v), v, 0, 1e-9);
  pf_sim_close(sim);
}

/* Where it is called by hand it is not called again; between its instants nothing happens. */
static void a_controller_is_called_where_the_motion_stands(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  Pd pd = {.x = handle(sim, "x"), .v = handle(sim, "x'"), .u = handle(sim, "u")};
  assert_true(pf_sim_control(sim, 0.5, control, &pd));
  assert_false(pf_sim_control_now(sim)); /* not started */
  start(sim);
  assert_true(pf_sim_control_now(sim) && pf_sim_control_now(sim));
  assert_int_equal(pd.calls, 1);
  assert_near(pf_sim_get(sim, pd.u), 3, 1e-15, 0);
  advance(sim, 0.25);
  assert_true(pf_sim_control_now(sim));
  assert_int_equal(pd.calls, 1);
  advance(sim, 0.5);
  assert_true(pf_sim_control_now(sim));
  assert_int_equal(pd.calls, 2);
  advance(sim, 0.75);
  assert_int_equal(pd.calls, 2);
  pf_sim_close(sim);
}

/* ---------------------------------------------------------------- samples, steps, events */

static void samples_lie_between_steps(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  int x = handle(sim, "x"), count = 0;
  start(sim);
  PfSampling *sampling = pf_sampling_new(sim, 0.25, NULL, 0);
  assert_non_null(sampling);
  for (bool goes = true; goes; goes = pf_sim_step(sim))
    while (pf_sim_next_sample(sim, sampling)) {
      assert_near(pf_sim_time(sim), 0.25*count++, 1e-14, 0);
      assert_near(pf_sim_get(sim, x), cos(2*pf_sim_time(sim)), 0, 1e-8);
    }
  while (pf_sim_next_sample(sim, sampling)) count++;
  assert_int_equal(count, 41);
  assert_int_equal(pf_sim_result(sim).end, PF_RUN_DONE);
  pf_sampling_free(sampling);
  pf_sim_close(sim);
}

static void matrices_and_poses_are_read(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x [m], phi [rad]\n"
                         "gravity (0, 0, -9.81)\n"
                         "body cart in ground at (x, 0, 0) { mass 2 [kg] }\n"
                         "body bob in cart turn phi about y { mass 1 [kg], inertia diag(1, 1, 1) }\n"
                         "start phi = 0.3\n");
  int M = handle(sim, "matrix M"), pose = handle(sim, "pose bob");
  start(sim);
  double mass[4], p[12];
  assert_int_equal(pf_sim_size(sim, M), 4);
  assert_true(pf_sim_read(sim, M, mass));
  assert_near(mass[0], 3, 1e-15, 0);
  assert_near(mass[3], 1, 1e-15, 0);
  assert_int_equal(pf_sim_size(sim, pose), 12);
  assert_true(pf_sim_read(sim, pose, p));
  assert_near(p[3], cos(0.3), 1e-15, 0);
  assert_near(p[5], sin(0.3), 1e-15, 0);
  pf_sim_close(sim);
}

/* Steps are cut at the times that are asked for; the time that is left of them must not be lost. */
static void irregular_times_lose_nothing(void **state)
{
  (void)state;
  for (int i = 0; pf_method(i); i++) {
    const PfMethod *method = pf_method(i);
    if (!pf_method_is_present(method)) continue;
    PfSim *sim = open_text(spring);
    PfRunOptions o = pf_sim_options(sim);
    o.method = pf_method_name(method);
    if (pf_method_has_fixed_step(method)) o.step = 1e-3;
    int x = handle(sim, "x");
    assert_true(pf_sim_set_options(sim, &o));
    start(sim);
    for (int k = 1; k <= 40; k++) {
      double t = 0.0377*k;
      advance(sim, t);
      assert_near(pf_sim_get(sim, x), cos(2*t), 0, 1e-5); /* order 2 with h = 1e-3, some damping */
    }
    pf_sim_close(sim);
  }
}

/* ---------------------------------------------------------------- snapshots */

static const char snakeboard[] = PF_SOURCE_DIR "/examples/skates/snakeboard.pf";

static const char events[] =
  "coord x, y, theta\n"
  "kinetic (x'^2 + y'^2 + theta'^2)/2\n"
  "potential x^2 + 2*y^2\n"
  "constraint blade: -sin(theta)*x' + cos(theta)*y' = 0\n"
  "start x' = 1, theta' = 1\n"
  "when x > 0.4 { lock theta }\n"
  "when t = 1.5 { unlock theta }\n"
  "run 3\n";

static const char friction[] =
  "coord x, y\n"
  "kinetic (x'^2 + y'^2)/2\n"
  "potential (x - y)^2*5\n"
  "force x = 6*sin(3*t) - 2*sign(x')\n"
  "start x' = 1\n"
  "run 4\n";

enum { MOST = 160 };

static int read_state(PfSim *sim, double *y)
{
  const PfModel *model = pf_sim_model(sim);
  int n = model->coordinate_count;
  for (int i = 0; i < 2*n; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", model->coordinates[i%n].name, i < n ? "" : "'");
    y[i] = pf_sim_get(sim, handle(sim, name));
  }
  return 2*n;
}

static void assert_same_bits(const double *a, const double *b, int count, const char *method, const char *what)
{
  if (memcmp(a, b, (size_t)count*sizeof *a) == 0) return;
  for (int i = 0; i < count; i++)
    if (a[i] != b[i]) fail_msg("%s, %s: %d: %.17g is not %.17g", method ? method : "auto", what, i, a[i], b[i]);
}

static PfSim *open_by(const char *model, const char *method)
{
  PfError error;
  PfSim *sim = strchr(model, '\n') ? open_text(model) : pf_sim_open(model, &error);
  assert_non_null(sim);
  PfRunOptions o = pf_sim_options(sim);
  o.method = method;
  if (method && !pf_method_takes_rho(pf_method_find(method), o.rho)) o.rho = NAN; /* that of the model */
  if (method && pf_method_has_fixed_step(pf_method_find(method))) o.step = 0.01;
  if (!pf_sim_set_options(sim, &o)) fail_msg("%s", pf_sim_error(sim)->message);
  start(sim);
  return sim;
}

/* From t1 on three ways: straight on, put back after going further, and in a clone. */
static void check_snapshot(const char *model, const char *method, double t1, double t2)
{
  double straight[MOST], again[MOST], cloned[MOST];
  PfSim *sim = open_by(model, method);
  PfError error;
  advance(sim, t1);
  size_t size = pf_sim_snapshot_size(sim);
  char *bytes = malloc(size);
  assert_non_null(bytes);
  assert_true(pf_sim_save(sim, bytes, size));
  PfSim *clone = pf_sim_clone(sim, &error);
  if (!clone) fail_msg("%s: %s", method ? method : "auto", error.message);
  assert_true(pf_sim_restore(sim, bytes, size)); /* the clone has made a snapshot of its own */
  advance(sim, t2);
  int count = read_state(sim, straight);
  if (!pf_sim_restore(sim, bytes, size)) fail_msg("%s: %s", method ? method : "auto", pf_sim_error(sim)->message);
  assert_true(pf_sim_time(sim) == t1);
  advance(sim, t2);
  (void)read_state(sim, again);
  assert_same_bits(again, straight, count, method, "put back");
  advance(clone, t2);
  (void)read_state(clone, cloned);
  assert_same_bits(cloned, straight, count, method, "clone");
  free(bytes);
  pf_sim_close(clone);
  pf_sim_close(sim);
}

/* The same without ever saving: only for methods whose memory is ours. */
static void check_undisturbed(const char *model, const char *method, double t1, double t2)
{
  double saved[MOST], never[MOST];
  PfSim *a = open_by(model, method), *b = open_by(model, method);
  advance(a, t1);
  advance(b, t1);
  size_t size = pf_sim_snapshot_size(a);
  char *bytes = malloc(size);
  assert_non_null(bytes);
  assert_true(pf_sim_save(a, bytes, size));
  assert_true(pf_sim_restore(a, bytes, size));
  advance(a, t2);
  advance(b, t2);
  int count = read_state(a, saved);
  (void)read_state(b, never);
  assert_same_bits(saved, never, count, method, "never saved");
  free(bytes);
  pf_sim_close(a);
  pf_sim_close(b);
}

static bool is_foreign(const char *method)
{
  return !strncmp(method, "cvode", 5) || !strncmp(method, "ida", 3);
}

static void a_motion_goes_on_bit_for_bit(void **state)
{
  (void)state;
  for (int i = 0; pf_method(i); i++) {
    const char *method = pf_method_name(pf_method(i));
    if (!pf_method_is_present(pf_method(i))) continue;
    check_snapshot(snakeboard, method, 1.37, 4);
    if (!is_foreign(method)) check_undisturbed(snakeboard, method, 1.37, 4);
  }
}

/* Rates of decay of 1e9/s: the default goes on by an implicit method, which a snapshot in it and before it keeps. */
static const char stiff[] =
  "param J = 1e-7\ncoord a, b\nkinetic a'^2/2 + J*(a' + b')^2/2\n"
  "potential -9.81*cos(a) + 50*(b - sin(3*a))^2/2\ndissipation 100*b'^2/2\nstart a = 1\n";

static void a_stiff_motion_goes_on_bit_for_bit(void **state)
{
  (void)state;
  static const char *const more[] = {"", "when t = 0.6 { lock b }\n", "force a = -sign(a')\n"};
  static const double from[] = {1e-4, 0.3, 0.7};
  char text[600];
  for (size_t i = 0; i < sizeof more/sizeof *more; i++) {
    snprintf(text, sizeof text, "%s%s", stiff, more[i]);
    PfSim *sim = open_by(text, NULL);
    advance(sim, 0.3);
    assert_true(pf_sim_result(sim).stiff && pf_sim_result(sim).stiff_t < 0.1);
    pf_sim_close(sim);
    for (size_t k = 0; k < sizeof from/sizeof *from; k++) check_snapshot(text, NULL, from[k], 1);
  }
}

static void a_motion_goes_on_bit_for_bit_through_events(void **state)
{
  (void)state;
  for (int i = 0; pf_method(i); i++) {
    const char *method = pf_method_name(pf_method(i));
    if (!pf_method_is_present(pf_method(i))) continue;
    for (double t1 = 0.2; t1 < 2; t1 += 0.5) check_snapshot(events, method, t1, 2.5);
    if (!is_foreign(method)) check_undisturbed(events, method, 0.9, 2.5);
  }
}

static void a_motion_goes_on_bit_for_bit_through_sticking(void **state)
{
  (void)state;
  static const char *const methods[] = {"dopri5", "dop853", "rk4", "generalized_alpha"};
  for (size_t i = 0; i < sizeof methods/sizeof *methods; i++)
    for (double t1 = 0.3; t1 < 3; t1 += 0.8) {
      check_snapshot(friction, methods[i], t1, 3.5);
      check_undisturbed(friction, methods[i], t1, 3.5);
    }
}

/* Deep enough that its inertia is not written out: a floating base and 45 hinges, two constraints. */
static const char deep[] =
  "model deep\ncoord q[45] [rad]\nbody hub in ground free { mass 5, inertia diag(0.3, 0.2, 0.4) }\n"
  "body b[1] in hub at (0.1, 0, 0) turn q[1] about z { mass 1, com (0, 0.1, 0), inertia diag(0.02, 0.01, 0.03) }\n"
  "for i in 2..45 { body b[i] in b[i - 1] at (0, 0.2, 0.1) turn q[i] about x turn 0.4*i about y {\n"
  "  mass 1, com (0, 0.1, 0), inertia diag(0.02, 0.01, 0.03) }\nspring q[i] { stiffness 5, damping 0.1 } }\n"
  "constraint gear: q[3] = 2*q[40]\nconstraint slip: cos(q[1])*q[2]' = q[45]'\nstart hub.w = (0.3, 0.2, 0.1)\nrun 1\n";

/* Eight four-bars: by the structure. */
static const char bars[] =
  "model bars\ncoord a[8], b[8], c[8] [rad]\ngravity (0, -9.81, 0)\nfor i in 1..8 {\n"
  "body u[i] in ground at (5*i, 0, 0) turn a[i] about z { mass 1, com (0.5, 0, 0), inertia diag(0, 0, 0.1) }\n"
  "body v[i] in u[i] at (1, 0, 0) turn b[i] about z { mass 2, com (1, 0, 0), inertia diag(0, 0, 0.3) }\n"
  "body w[i] in ground at (5*i + 2, 0, 0) turn c[i] about z { mass 1, com (0.7, 0, 0), inertia diag(0, 0, 0.2) }\n"
  "constraint x[i]: cos(a[i]) + 2*cos(a[i] + b[i]) = 2 + 1.5*cos(c[i])\n"
  "constraint y[i]: sin(a[i]) + 2*sin(a[i] + b[i]) = 1.5*sin(c[i])\n"
  "start a[i] = 1.2, a[i]' = 0.1*i\n}\nrun 1\n";

static void large_systems_go_on_bit_for_bit(void **state)
{
  (void)state;
  static const char *const methods[] = {"dopri5", "dop853", "rk4"};
  for (size_t i = 0; i < sizeof methods/sizeof *methods; i++) {
    check_snapshot(deep, methods[i], 0.05, 0.1);
    check_undisturbed(deep, methods[i], 0.05, 0.1);
    check_snapshot(bars, methods[i], 0.2, 0.4);
    check_undisturbed(bars, methods[i], 0.2, 0.4);
    check_snapshot(PF_SOURCE_DIR "/examples/hands/hand.pf", methods[i], 0.02, 0.05); /* with multipliers in reserve */
  }
}

/* What was made for the first motion serves the second. */
static void a_second_motion_is_the_same_to_the_bit(void **state)
{
  (void)state;
  static const char *const models[] = {deep, bars, friction, PF_SOURCE_DIR "/examples/hands/hand.pf"};
  for (size_t i = 0; i < sizeof models/sizeof *models; i++) {
    double first[MOST], second[MOST];
    PfSim *sim = open_by(models[i], "dopri5");
    advance(sim, 0.05);
    int count = read_state(sim, first);
    start(sim);
    advance(sim, 0.05);
    (void)read_state(sim, second);
    assert_same_bits(second, first, count, "dopri5", "second motion");
    pf_sim_close(sim);
  }
}

/* Formulas that nobody needed so far, while it moves: rows of M are momenta per velocity, so T = v.M v/2. */
static void formulas_of_a_deep_tree_can_be_read(void **state)
{
  (void)state;
  PfSim *sim = open_by(deep, "dopri5");
  advance(sim, 0.05);
  int n = pf_sim_model(sim)->coordinate_count;
  double v[MOST], sum = 0, *M = malloc((size_t)n*(size_t)n*sizeof *M);
  assert_non_null(M);
  (void)read_state(sim, v);
  assert_true(pf_sim_read(sim, handle(sim, "matrix M"), M));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += v[n + i]*M[i*n + j]*v[n + j];
  assert_near(pf_sim_get(sim, handle(sim, "kinetic")), sum/2, 1e-11, 0);
  free(M);
  pf_sim_close(sim);
}

/* An arm on the ground beside a rock: it has no formulas until a method or formulation needs them. */
static const char arm[] =
  "model arm\ncoord q[7] [rad]\ngravity (0, 0, -9.81)\nbody rock in ground at (0, 0, 3) { mass 5, inertia 1 }\n"
  "body b[1] in ground turn q[1] about z { mass 1, inertia 0.1, com (0, 0.1, 0.2) }\n"
  "for i in 2..7 { body b[i] in b[i - 1] at (0, 0.1, 0.2) turn q[i] about x turn 0.4*i about y {\n"
  "  mass 1/i, inertia 0.1, com (0, 0.1, 0.2) } }\nstart q[1]' = 1\n";

static double energy_of(PfSim *sim)
{
  double energy;
  assert_true(pf_sim_read(sim, pf_sim_find(sim, "energy"), &energy));
  return energy;
}

static void an_arm_goes_on_by_any_method_and_formulation(void **state)
{
  (void)state;
  static const char *const way[][2] = {{"rattle", NULL}, {"dopri5", NULL}, {NULL, "multipliers"}, {"ida", NULL},
                                       {"dopri5", "auto"}, {"generalized_alpha", NULL}, {"dopri5", NULL}};
  PfError error;
  PfSim *sim = open_by(arm, "dopri5");
  advance(sim, 0.01);
  const double energy = energy_of(sim);
  for (size_t i = 0; i < sizeof way/sizeof *way; i++) {
    const PfMethod *method = way[i][0] ? pf_method_find(way[i][0]) : NULL;
    if (way[i][0] && !method) continue; /* without SUNDIALS */
    if (!pf_sim_set_method(sim, way[i][0], way[i][1])) fail_msg("%s", pf_sim_error(sim)->message);
    advance(sim, 0.01*(double)(i + 2));
    assert_near(energy_of(sim), energy, 1e-5, 0);
    PfSim *clone = pf_sim_clone(sim, &error);
    if (!clone) fail_msg("clone: %s", error.message);
    double x[MOST], y[MOST];
    int count = read_state(sim, x);
    (void)read_state(clone, y);
    assert_same_bits(y, x, count, "clone", way[i][0] ? way[i][0] : way[i][1]);
    pf_sim_close(clone);
  }
  pf_sim_close(sim);
}

static void a_snapshot_of_something_else_is_refused(void **state)
{
  (void)state;
  char bytes[4096] = {0};
  PfSim *sim = open_text(spring);
  assert_false(pf_sim_save(sim, bytes, sizeof bytes));
  start(sim);
  assert_false(pf_sim_restore(sim, bytes, sizeof bytes));
  assert_false(pf_sim_restore(sim, bytes, 3));
  size_t size = pf_sim_snapshot_size(sim);
  assert_true(size <= sizeof bytes);
  assert_false(pf_sim_save(sim, bytes, size - 1));
  assert_true(pf_sim_save(sim, bytes, size));
  assert_true(pf_sim_set_method(sim, "dop853", NULL));
  assert_false(pf_sim_restore(sim, bytes, size));
  assert_contains(pf_sim_error(sim)->message, "another model, method or formulation");
  pf_sim_close(sim);
}

/* ---------------------------------------------------------------- memory and threads */

/* The model of a context whose allocator counts. */
static void nothing_is_allocated_while_it_moves(void **state)
{
  (void)state;
  static const char *const methods[] = {"dopri5", "dop853", "rk4", "generalized_alpha", "rattle"};
  for (size_t i = 0; i < sizeof methods/sizeof *methods; i++) {
    Counter counter;
    counter_init(&counter);
    PfContext *ctx = pf_context_new(&counter.allocator);
    PfArena *arena = pf_arena_new(&counter.allocator);
    PfModel *model;
    PfEquations eq;
    PfError error;
    assert_int_equal(pf_model_load(ctx, snakeboard, &model), PF_OK);
    assert_int_equal(pf_equations_derive(ctx, arena, model, &eq), PF_OK);
    PfSim *sim = pf_sim_of_model(ctx, model, &eq, &error);
    assert_non_null(sim);
    PfRunOptions o = pf_sim_options(sim);
    o.method = methods[i];
    if (!strcmp(methods[i], "rk4")) o.step = 0.001;
    int theta = handle(sim, "theta"), force = handle(sim, "lambda[rear]"), formula = handle(sim, "x'^2 + y'^2");
    assert_true(pf_sim_set_options(sim, &o));
    start(sim);
    long calls = counter.calls;
    for (int k = 1; k <= 100; k++) {
      advance(sim, 0.01*k);
      assert_true(isfinite(pf_sim_get(sim, theta) + pf_sim_get(sim, force) + pf_sim_get(sim, formula)));
    }
    assert_int_equal(counter.calls, calls);
    pf_sim_close(sim);
    pf_model_free(model);
    pf_arena_free(arena);
    pf_context_free(ctx);
    assert_int_equal(counter.live, 0);
  }
}

static void *run_to_the_end(void *user)
{
  PfSim *sim = user;
  (void)pf_sim_advance(sim, 3);
  return NULL;
}

/* Two futures in two threads, and what one thread makes of it; also for the thread sanitizer. */
static void clones_move_in_threads(void **state)
{
  (void)state;
  double own[MOST], others[2][MOST];
  PfSim *sim = open_by(friction, "dopri5"), *clone[2];
  pthread_t thread[2];
  advance(sim, 0.7);
  for (int k = 0; k < 2; k++) {
    clone[k] = pf_sim_clone(sim, NULL);
    assert_non_null(clone[k]);
  }
  for (int k = 0; k < 2; k++) assert_int_equal(pthread_create(thread + k, NULL, run_to_the_end, clone[k]), 0);
  (void)run_to_the_end(sim);
  for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
  int count = read_state(sim, own);
  for (int k = 0; k < 2; k++) {
    assert_true(pf_sim_time(clone[k]) == 3);
    assert_int_equal(read_state(clone[k], others[k]), count);
    assert_same_bits(others[k], own, count, "dopri5", "in a thread");
    pf_sim_close(clone[k]);
  }
  pf_sim_close(sim);
}

/* ---------------------------------------------------------------- errors */

/* Nothing that only an event attaches or releases takes part in a motion without events: two free balls stay apart. */
static void without_events_the_model_stays_as_at_the_start(void **state)
{
  (void)state;
  PfSim *sim = open_text("model balls\n"
                         "coord x, y\n"
                         "body a in ground at (x, 0, 0) { mass 1 [kg] }\n"
                         "body b in ground at (y, 1, 0) { mass 1 [kg] }\n"
                         "when t = 0.5 { attach a to b ball }\n"
                         "start x' = 1, y' = -2\n"
                         "run 1\n");
  PfRunOptions o = pf_run_options();
  o.t_end = 1;
  o.without_events = true;
  assert_true(pf_sim_set_options(sim, &o));
  start(sim);
  advance(sim, 1);
  assert_near(pf_sim_get(sim, handle(sim, "x")), 1, 0, 1e-12);
  assert_near(pf_sim_get(sim, handle(sim, "y")), -2, 0, 1e-12);
  pf_sim_close(sim);
}

static void an_error_has_words_and_a_place(void **state)
{
  (void)state;
  PfError error;
  assert_null(pf_sim_open_text("coord x\nkinetic x'^3 +\n", &error));
  assert_int_equal(error.line, 2);
  assert_true(error.message[0]);
  assert_null(pf_sim_open("/nowhere/model.pf", &error));
  assert_contains(error.message, "/nowhere/model.pf");
  assert_null(pf_sim_open_text("", NULL));
  PfSim *sim = open_text(spring);
  assert_int_equal(pf_sim_find(sim, "z"), -1);
  assert_contains(pf_sim_error(sim)->message, "z");
  assert_false(pf_sim_advance(sim, 1));
  assert_contains(pf_sim_error(sim)->message, "not been started");
  assert_true(isnan(pf_sim_get(sim, 99)));
  pf_sim_close(sim);
  pf_sim_close(NULL);
}

/* Only the last one can be dropped; the others stay what they are, and its number is given again. */
static void a_handle_is_dropped(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x\nkinetic x'^2/2\nstart x = 3\n");
  start(sim);
  const int twice = handle(sim, "2*x"), matrix = handle(sim, "matrix M");
  pf_sim_drop(sim, matrix); /* its equations are written out for good */
  assert_int_equal(handle(sim, "matrix M"), matrix);
  const int square = handle(sim, "x^2");
  pf_sim_drop(sim, twice);
  assert_near(pf_sim_get(sim, square), 9, 0, 0);
  pf_sim_drop(sim, square);
  assert_true(isnan(pf_sim_get(sim, square)));
  assert_int_equal(handle(sim, "x^3"), square);
  assert_near(pf_sim_get(sim, square), 27, 0, 0);
  assert_near(pf_sim_get(sim, twice), 6, 0, 0);
  assert_int_equal(pf_sim_find(sim, "x*"), -1);
  pf_sim_drop(sim, -1);
  assert_near(pf_sim_get(sim, square), 27, 0, 0);
  pf_sim_close(sim);
}

/* The stop of the model is an end without an error. */
static void a_stop_is_no_error(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x\nkinetic x'^2/2\nstart x' = 1\nrun 10 until x > 2\n");
  start(sim);
  assert_false(pf_sim_advance(sim, 5));
  assert_int_equal(pf_sim_result(sim).end, PF_RUN_UNTIL);
  assert_near(pf_sim_time(sim), 2, 1e-12, 0);
  assert_int_equal(pf_sim_error(sim)->status, PF_OK);
  pf_sim_close(sim);
}

static bool is_over(void *user)
{
  return (*(int *)user)-- <= 0;
}

/* A simulation that asks is there as a whole, or not at all. */
static PfSim *open_asking(PfSim *original, int *left, PfError *error)
{
  return original ? pf_sim_clone_asking(original, is_over, left, error)
                  : pf_sim_open_asking(deep, is_over, left, error);
}

static void opening_and_cloning_can_be_stopped(void **state)
{
  (void)state;
  PfError error;
  PfSim *original = open_text(deep);
  assert_true(pf_sim_start(original));
  for (int k = 0; k < 2; k++) {
    PfSim *sim = NULL;
    for (int asked = 0; !sim; asked += 1 + asked/4) {
      int left = asked;
      sim = open_asking(k ? original : NULL, &left, &error);
      assert_int_equal(error.status, sim ? PF_OK : PF_ERR_CANCELLED);
      if (sim) pf_context_set_cancel(pf_sim_context(sim), NULL, NULL);
    }
    assert_true(pf_sim_start(sim));
    pf_sim_close(sim);
  }
  pf_sim_close(original);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_spring_swings_as_the_cosine),
    cmocka_unit_test(opening_and_cloning_can_be_stopped),
    cmocka_unit_test(parameters_and_starts_hold_from_the_next_start),
    cmocka_unit_test(inputs_hold_from_when_they_are_set),
    cmocka_unit_test(a_controller_is_called_every_period),
    cmocka_unit_test(a_controller_is_called_where_the_motion_stands),
    cmocka_unit_test(samples_lie_between_steps),
    cmocka_unit_test(matrices_and_poses_are_read),
    cmocka_unit_test(irregular_times_lose_nothing),
    cmocka_unit_test(a_motion_goes_on_bit_for_bit),
    cmocka_unit_test(a_motion_goes_on_bit_for_bit_through_events),
    cmocka_unit_test(a_motion_goes_on_bit_for_bit_through_sticking),
    cmocka_unit_test(large_systems_go_on_bit_for_bit),
    cmocka_unit_test(a_second_motion_is_the_same_to_the_bit),
    cmocka_unit_test(formulas_of_a_deep_tree_can_be_read),
    cmocka_unit_test(an_arm_goes_on_by_any_method_and_formulation),
    cmocka_unit_test(a_stiff_motion_goes_on_bit_for_bit),
    cmocka_unit_test(a_snapshot_of_something_else_is_refused),
    cmocka_unit_test(nothing_is_allocated_while_it_moves),
    cmocka_unit_test(clones_move_in_threads),
    cmocka_unit_test(without_events_the_model_stays_as_at_the_start),
    cmocka_unit_test(an_error_has_words_and_a_place),
    cmocka_unit_test(a_handle_is_dropped),
    cmocka_unit_test(a_stop_is_no_error),
  };
  return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
