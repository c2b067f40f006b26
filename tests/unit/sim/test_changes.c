/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations that are changed while they move, copied, refused, and led into trouble. */
#include "pfaff/lang.h"
#include "sim/simulations.h"

#include <stdlib.h>

static double get(PfSim *sim, const char *name)
{
  return pf_sim_get(sim, handle(sim, name));
}

static const char spring[] =
  "param k = 4\ncoord x\ninput u\nkinetic x'^2/2\npotential k*x^2/2\nforce x = u\nstart x = 1\n";
static const char circle[] =
  "coord x, y\ninput u\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nforce x = u\n"
  "constraint c: x^2 + y^2 = 1\nstart x = 1, y = 0\n";
static const char slider[] =
  "coord x\nparam m = 2\ninput u\nkinetic m/2*x'^2\nforce x = u - 5*sign(x')\nstart x' = 1\n";
/* two bodies in a row; the second one is locked to the first */
static const char pair[] =
  "coord a, b\ninput u\nbody p in ground shift a along x { mass 1 }\nbody q in p shift b along x { mass 1 }\n"
  "force a = u\nstart a' = 1, b' = 1\nwhen t = 1 { lock b }\n";

/* ---------------------------------------------------------------- method and formulation */

/* What cannot be set leaves no trace: the motion goes on bit for bit. */
static void a_refused_method_leaves_the_motion_as_it_was(void **state)
{
  (void)state;
  static const char *const models[] = {spring, circle, slider, pair};
  for (size_t i = 0; i < sizeof models/sizeof *models; i++) {
    PfSim *sim = open_text(models[i]), *other = open_text(models[i]);
    start(sim), start(other);
    advance(sim, 0.2), advance(other, 0.2);
    assert_false(pf_sim_set_method(sim, "dopri6", NULL));
    assert_contains(pf_sim_error(sim)->hint, "'dopri5'");
    assert_false(pf_sim_set_method(sim, NULL, "nosuch"));
    assert_false(pf_sim_set_method(sim, "rk4", NULL));
    assert_contains(pf_sim_error(sim)->message, "'rk4' needs a step");
    assert_contains(pf_sim_error(sim)->hint, "step");
    PfRunOptions o = pf_sim_options(sim);
    assert_true(!o.method || strcmp(o.method, "dopri5") == 0);
    advance(sim, 1.5), advance(other, 1.5);
    const char *name = pf_sim_complete(sim)->coordinates[0].name;
    assert_true(get(sim, name) == get(other, name));
    start(sim);
    pf_sim_close(sim), pf_sim_close(other);
  }
}

/* 'recursive' needs bodies, 'rosenberg' equations that determine all accelerations. */
static void a_formulation_that_does_not_apply_leaves_the_motion_as_it_was(void **state)
{
  (void)state;
  PfSim *sim = open_text(circle);
  start(sim);
  advance(sim, 0.3);
  assert_false(pf_sim_set_method(sim, NULL, "recursive"));
  assert_contains(pf_sim_error(sim)->message, "no bodies");
  assert_true(pf_sim_set_method(sim, NULL, "maggi"));
  advance(sim, 0.7);
  assert_false(pf_sim_set_method(sim, NULL, "rosenberg"));
  advance(sim, 1);
  assert_string_equal(pf_sim_result(sim).formulation, "maggi");
  assert_near(get(sim, "energy"), 0, 0, 1e-6);
  pf_sim_close(sim);
}

static void names_of_the_caller_need_not_last(void **state)
{
  (void)state;
  char method[] = "dop853", formulation[] = "maggi";
  PfSim *sim = open_text(circle);
  assert_true(pf_sim_set_method(sim, method, formulation));
  memset(method, 'x', sizeof method - 1), memset(formulation, 'x', sizeof formulation - 1);
  start(sim);
  assert_string_equal(pf_sim_options(sim).method, "dop853");
  assert_string_equal(pf_sim_result(sim).formulation, "maggi");
  pf_sim_close(sim);
}

/* Options that are set later hold, whatever was set by name before. */
static void options_take_the_place_of_names(void **state)
{
  (void)state;
  PfSim *sim = open_text(circle);
  assert_true(pf_sim_set_method(sim, "dop853", "maggi"));
  PfRunOptions o = pf_sim_options(sim);
  o.formulation = "elimination";
  assert_true(pf_sim_set_options(sim, &o));
  start(sim);
  assert_string_equal(pf_sim_result(sim).formulation, "elimination");
  pf_sim_close(sim);
}

static void what_is_set_after_the_end_holds_from_the_next_start(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x\nkinetic x'^2/2\nstart x' = 1\nrun 10 until x > 2\n");
  start(sim);
  assert_false(pf_sim_advance(sim, 5));
  assert_true(pf_sim_set_method(sim, "dop853", NULL));
  assert_false(pf_sim_advance(sim, 6));
  start(sim);
  assert_string_equal(pf_sim_options(sim).method, "dop853");
  advance(sim, 1);
  pf_sim_close(sim);
}

static void events_are_not_left_out_on_the_way(void **state)
{
  (void)state;
  PfSim *sim = open_text(pair);
  start(sim);
  advance(sim, 0.5);
  PfRunOptions o = pf_sim_options(sim);
  o.without_events = true;
  assert_false(pf_sim_set_options(sim, &o));
  assert_contains(pf_sim_error(sim)->message, "events");
  assert_false(pf_sim_options(sim).without_events);
  advance(sim, 2);
  assert_non_null(pf_sim_event(sim, 0));
  pf_sim_close(sim);
}

/* ---------------------------------------------------------------- inputs */

/* M x'' = F + A^T lambda with all numbers of one instant, right after the input has changed. */
static void an_input_shows_at_once(void **state)
{
  (void)state;
  PfSim *sim = open_text(circle);
  int u = handle(sim, "u");
  start(sim);
  for (int k = 0; k < 3; k++) {
    if (k) advance(sim, 0.2*k);
    assert_true(isfinite(get(sim, "x''")));
    if (k < 2) assert_true(pf_sim_put(sim, u, 3 + k));
    else assert_true(pf_sim_set(sim, "u", 7));
    double x = get(sim, "x"), y = get(sim, "y"), v2 = get(sim, "x'^2 + y'^2"), F[2];
    assert_true(pf_sim_read(sim, handle(sim, "matrix F"), F));
    assert_near(F[0], k < 2 ? 3 + k : 7, 0, 0);
    /* x'' = u + 2 x l and y'' = -10 + 2 y l with x x'' + y y'' = -v^2 */
    double l = (10*y - F[0]*x - v2)/2;
    assert_near(get(sim, "x''"), F[0] + 2*x*l, 0, 1e-7);
    assert_near(get(sim, "y''"), -10 + 2*y*l, 0, 1e-7);
    assert_near(fabs(get(sim, "lambda[c]")), fabs(l), 0, 1e-7);
  }
  pf_sim_close(sim);
}

/* A block at rest on a rough table: 3 N hold, 7 N move 2 kg by 1 m/s^2 against 5 N. */
static void friction_is_decided_at_once(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x\nparam m = 2\ninput u\nkinetic m/2*x'^2\nforce x = u - 5*sign(x')\n");
  assert_true(pf_sim_set(sim, "u", 3));
  start(sim);
  advance(sim, 1);
  assert_near(get(sim, "x''"), 0, 0, 1e-12);
  assert_true(pf_sim_set(sim, "u", 7));
  assert_near(get(sim, "x''"), 1, 0, 1e-12);
  advance(sim, 2);
  assert_near(get(sim, "x"), 0.5, 0, 1e-8);
  pf_sim_close(sim);
}

/* To look at a new input before the motion takes it changes nothing, bit for bit. */
static void looking_at_an_input_changes_nothing(void **state)
{
  (void)state;
  static const char *const models[] = {spring, circle, slider, pair};
  static const char *const methods[] = {"dopri5", "dop853", "generalized_alpha", "rattle"};
  for (size_t i = 0; i < 16; i++) {
    PfSim *sim[2] = {open_text(models[i/4]), open_text(models[i/4])};
    for (int k = 0; k < 2; k++) {
      assert_true(pf_sim_set_method(sim[k], methods[i%4], NULL));
      start(sim[k]);
      for (int j = 0; j < 6; j++) {
        assert_true(pf_sim_set(sim[k], "u", j%3 ? 4*j : -6));
        if (k) assert_true(isfinite(get(sim[k], "kinetic")));
        advance(sim[k], 0.3*(j + 1));
      }
    }
    const char *name = pf_sim_complete(sim[0])->coordinates[0].name;
    assert_true(get(sim[0], name) == get(sim[1], name));
    pf_sim_close(sim[0]), pf_sim_close(sim[1]);
  }
}

/* Inputs that leave every force on its side need no other equations: nothing is allocated. */
static void inputs_beside_friction_allocate_nothing(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfContext *ctx = pf_context_new(&counter.allocator);
  PfArena *arena = pf_arena_new(&counter.allocator);
  PfModel *model;
  PfEquations eq;
  assert_int_equal(pf_model_read(ctx, "slider", slider, strlen(slider), &model), PF_OK);
  assert_int_equal(pf_equations_derive(ctx, arena, model, &eq), PF_OK);
  PfSim *sim = pf_sim_of_model(ctx, model, &eq, NULL);
  int u = handle(sim, "u"), v = handle(sim, "x'"), a = handle(sim, "x''");
  assert_true(pf_sim_set(sim, "u", 5));
  start(sim);
  long calls = counter.calls;
  double speed = 1;
  for (int k = 1; k <= 100; k++) {
    double force = 5 + 0.1*(k % 7);
    assert_true(pf_sim_put(sim, u, force));
    assert_near(pf_sim_get(sim, a), (force - 5)/2, 0, 1e-12);
    advance(sim, 0.01*k);
    speed += 0.01*(force - 5)/2;
    assert_near(pf_sim_get(sim, v), speed, 0, 1e-9);
  }
  assert_int_equal(counter.calls, calls);
  pf_sim_close(sim);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void follow_b(void *user, PfSim *sim)
{
  const int *h = user;
  (void)pf_sim_put(sim, h[1], pf_sim_get(sim, h[0]));
}

/* u = b' twice, held for 0.5 s each: a' = 1.75, b' = 0.25 and a = 1.4375 at t = 1. The lock makes that a' = 1.875 and
 * b' = 0, which the controller sees then: a = 1.4375 + 1.875. */
static void events_come_before_the_controller(void **state)
{
  (void)state;
  for (int cut = 0; cut < 3; cut++) {
    PfSim *sim = open_text(pair);
    int h[2] = {handle(sim, "b'"), handle(sim, "u")};
    assert_true(pf_sim_control(sim, 0.5, follow_b, h));
    start(sim);
    if (cut == 1) advance(sim, 1);
    if (cut == 2)
      while (pf_sim_time(sim) < 1.2 && pf_sim_step(sim)) continue;
    advance(sim, 2);
    assert_near(get(sim, "a"), 3.3125, 0, 1e-8);
    pf_sim_close(sim);
  }
}

/* ---------------------------------------------------------------- copies */

static void a_clone_reads_like_its_original(void **state)
{
  (void)state;
  PfError error;
  PfSim *sim = open_text(spring);
  int potential = handle(sim, "potential"), formula = handle(sim, "k/2*x^2"), k = handle(sim, "k");
  start(sim);
  advance(sim, 1);
  assert_true(pf_sim_set(sim, "k", 9)); /* from the next start on */
  PfSim *copy = pf_sim_clone(sim, &error);
  assert_non_null(copy);
  assert_near(pf_sim_get(copy, k), 4, 0, 0);
  assert_true(pf_sim_get(copy, formula) == pf_sim_get(sim, formula));
  assert_true(pf_sim_get(copy, potential) == pf_sim_get(sim, potential));
  advance(sim, 2), advance(copy, 2);
  assert_near(get(copy, "x"), cos(4), 0, 1e-6);
  pf_sim_close(sim);
  start(copy);
  advance(copy, 1);
  assert_near(get(copy, "x"), cos(3), 0, 1e-6);
  pf_sim_close(copy);
}

static void a_snapshot_brings_its_parameters(void **state)
{
  (void)state;
  static const char text[] = "param k = 4, T = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential k*x^2/2\n"
                             "start x = 1, y' = 1\n"
                             "when t = T { lock y }\n";
  static const char *const models[] = {spring, text};
  for (size_t i = 0; i < 2; i++) {
    PfSim *sim = open_text(models[i]), *other = open_text(models[i]);
    int k = handle(other, "k"), formula = handle(other, "k/2*x^2"), energy = handle(other, "energy");
    start(sim);
    advance(sim, 1);
    size_t size = pf_sim_snapshot_size(sim);
    char *bytes = malloc(size);
    assert_true(bytes && pf_sim_save(sim, bytes, size));
    assert_true(pf_sim_set(other, "k", 9));
    if (i) assert_true(pf_sim_set(other, "T", 2));
    start(other);
    assert_true(pf_sim_restore(other, bytes, size));
    assert_near(pf_sim_get(other, k), 4, 0, 0);
    assert_near(pf_sim_get(other, formula), 2*cos(2)*cos(2), 0, 1e-6);
    assert_near(pf_sim_get(other, energy), i ? 2.5 : 2, 0, 1e-6);
    advance(other, 4);
    assert_near(get(other, "x"), cos(8), 0, 1e-6);
    if (i) assert_near(get(other, "y"), 3, 0, 1e-9);
    free(bytes);
    pf_sim_close(sim), pf_sim_close(other);
  }
}

/* Friction by a parameter: it sticks from the second turn on, until the force that grows releases it. */
static const char sticking[] =
  "param F = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 5*x^2 + 2*(x - y)^2\n"
  "force x = -F*sign(x') + t^2/20\nforce y = -F/4*tanh(t)*sign(y')\nstart x = 0.9\n";

static PfSim *stick_by(const char *method, double t)
{
  PfSim *sim = open_text(sticking);
  PfRunOptions o = pf_sim_options(sim);
  o.method = method;
  if (pf_method_has_fixed_step(pf_method_find(method))) o.step = 0.01;
  assert_true(pf_sim_set_options(sim, &o));
  start(sim);
  advance(sim, t);
  return sim;
}

static void assert_same_state(PfSim *a, PfSim *b, const char *method)
{
  static const char *const names[] = {"t", "x", "y", "x'", "y'", "energy"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++)
    if (get(a, names[i]) != get(b, names[i]))
      fail_msg("%s: %s = %.17g is not %.17g", method, names[i], get(a, names[i]), get(b, names[i]));
}

static void what_sticks_by_a_parameter_goes_on_bit_for_bit(void **state)
{
  (void)state;
  PfError error;
  for (int i = 0; pf_method(i); i++) {
    const char *method = pf_method_name(pf_method(i));
    if (!pf_method_is_present(pf_method(i))) continue;
    PfSim *sim = stick_by(method, 3), *other = stick_by(method, 0.3);
    assert_near(get(sim, "x'"), 0, 0, 1e-12);
    size_t size = pf_sim_snapshot_size(sim);
    char *bytes = malloc(size);
    assert_true(bytes && pf_sim_save(sim, bytes, size));
    if (!pf_sim_restore(other, bytes, size)) fail_msg("%s: %s", method, pf_sim_error(other)->message);
    assert_same_state(sim, other, method);
    PfSim *copy = pf_sim_clone(sim, &error);
    if (!copy) fail_msg("%s: %s", method, error.message);
    advance(sim, 12), advance(other, 12), advance(copy, 12);
    assert_true(get(sim, "x'") > 0.01);
    assert_same_state(sim, other, method), assert_same_state(sim, copy, method);
    assert_true(pf_sim_restore(sim, bytes, size));
    assert_true(pf_sim_time(sim) == 3);
    advance(sim, 12);
    assert_same_state(sim, other, method);
    free(bytes);
    pf_sim_close(sim), pf_sim_close(other), pf_sim_close(copy);
  }
}

/* Each request for memory in turn is refused. */
static void a_failed_restore_leaves_the_motion_as_it_was(void **state)
{
  (void)state;
  PfSim *from = stick_by("dopri5", 3);
  size_t size = pf_sim_snapshot_size(from);
  char *bytes = malloc(size);
  assert_true(bytes && pf_sim_save(from, bytes, size));
  Counter counter;
  counter_init(&counter);
  PfContext *ctx = pf_context_new(&counter.allocator);
  PfArena *arena = pf_arena_new(&counter.allocator);
  PfModel *model;
  PfEquations eq;
  PfError error;
  assert_int_equal(pf_model_read(ctx, "<text>", sticking, sizeof sticking - 1, &model), PF_OK);
  assert_int_equal(pf_equations_derive(ctx, arena, model, &eq), PF_OK);
  PfSim *sim = pf_sim_of_model(ctx, model, &eq, &error), *other = stick_by("dopri5", 0.3);
  assert_non_null(sim);
  start(sim);
  advance(sim, 0.3);
  bool restored = false;
  for (long k = 1; !restored; k++) {
    counter.fail_at = counter.calls + k;
    restored = pf_sim_restore(sim, bytes, size);
    counter.fail_at = 0;
    if (!restored) assert_same_state(sim, other, "refused");
  }
  assert_true(counter.refused > 0);
  assert_same_state(sim, from, "restored");
  free(bytes);
  pf_sim_close(sim), pf_sim_close(other), pf_sim_close(from);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  assert_int_equal(counter.live, 0);
}

/* ---------------------------------------------------------------- names of 'derive' */

static const char sleigh[] =
  "param m = 2 [kg], J = 3 [kg m^2], a = 0.5 [m]\n"
  "coord x, y [m], th [rad]\n"
  "kinetic m/2*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2) + J/2*th'^2\n"
  "constraint blade: y'*cos(th) - x'*sin(th) = 0\n"
  "start x' = 1, th' = 0.3\n";

/* Names of the model are looked up first; for any other one the velocities that 'derive' chooses are needed. They are
 * derived for the first such name only: the second search asks for a small part of the memory. */
static void names_of_derive_are_derived_once(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfContext *ctx = pf_context_new(&counter.allocator);
  PfArena *arena = pf_arena_new(&counter.allocator);
  PfModel *model;
  PfEquations eq;
  PfError error;
  assert_int_equal(pf_model_read(ctx, "<text>", sleigh, sizeof sleigh - 1, &model), PF_OK);
  assert_int_equal(pf_equations_derive(ctx, arena, model, &eq), PF_OK);
  PfSim *sim = pf_sim_of_model(ctx, model, &eq, &error);
  assert_non_null(sim);
  start(sim);
  long before = counter.calls;
  assert_true(pf_sim_find(sim, "none1") < 0);
  assert_contains(pf_sim_error(sim)->message, "'none1' is not defined");
  long first = counter.calls - before;
  before = counter.calls;
  assert_true(pf_sim_find(sim, "none2") < 0);
  assert_contains(pf_sim_error(sim)->message, "'none2' is not defined");
  assert_true(2*(counter.calls - before) < first);
  /* the blade moves along itself by u = x' cos(th) + y' sin(th), which is 1 at the start */
  assert_near(pf_sim_get(sim, handle(sim, "u")), 1, 0, 1e-12);
  assert_near(pf_sim_get(sim, handle(sim, "u - x'")), 0, 0, 1e-12);
  pf_sim_close(sim);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  assert_int_equal(counter.live, 0);
}

/* ---------------------------------------------------------------- trouble */

static void trouble_is_told_as_often_as_it_is_asked(void **state)
{
  (void)state;
  PfError error;
  PfSim *sim = open_text("coord x, y\nkinetic x'^2/2\nforce y = 1\n");
  start(sim);
  for (int k = 1; k < 3; k++) {
    assert_false(pf_sim_advance(sim, k));
    assert_contains(pf_sim_error(sim)->message, "leave 'y' free");
    assert_contains(pf_sim_error(sim)->hint, "after t = 0");
  }
  PfSim *copy = pf_sim_clone(sim, &error);
  assert_non_null(copy);
  assert_false(pf_sim_advance(copy, 3));
  assert_contains(pf_sim_error(copy)->message, "leave 'y' free");
  assert_non_null(pf_sim_result(copy).formulation);
  pf_sim_close(copy), pf_sim_close(sim);
}

static void failures_of_reading_and_putting_have_words(void **state)
{
  (void)state;
  PfSim *sim = open_text(circle);
  int x = handle(sim, "x"), u = handle(sim, "u");
  double number;
  assert_string_equal(pf_sim_result(sim).formulation, "auto");
  assert_false(pf_sim_read(sim, x, &number));
  assert_contains(pf_sim_error(sim)->message, "not been started");
  start(sim);
  assert_false(pf_sim_read(sim, 99, &number));
  assert_contains(pf_sim_error(sim)->message, "handle 99");
  assert_false(pf_sim_put(sim, x, 1));
  assert_contains(pf_sim_error(sim)->message, "'x' is no input");
  assert_false(pf_sim_put(sim, u, NAN));
  assert_contains(pf_sim_error(sim)->message, "not finite");
  assert_false(pf_sim_advance(sim, INFINITY));
  assert_contains(pf_sim_error(sim)->message, "not finite");
  pf_sim_close(sim);
}

static void what_is_missing_is_refused(void **state)
{
  (void)state;
  PfError error;
  assert_null(pf_sim_open(NULL, &error));
  assert_contains(error.message, "path");
  assert_null(pf_sim_open_text(NULL, &error));
  assert_contains(error.message, "text");
  PfSim *sim = open_text(spring);
  assert_int_equal(pf_sim_find(sim, NULL), -1);
  assert_contains(pf_sim_error(sim)->message, "name");
  assert_false(pf_sim_set(sim, NULL, 1));
  assert_false(pf_sim_set_text(sim, "k", NULL));
  assert_false(pf_sim_set_text(sim, NULL, "1"));
  pf_sim_close(sim);
}

static void refusals_do_not_pile_up(void **state)
{
  (void)state;
  PfSim *sim = open_text(spring);
  start(sim);
  advance(sim, 1);
  int before = pf_diagnostic_count(pf_sim_context(sim));
  for (int k = 0; k < 1000; k++) assert_false(pf_sim_advance(sim, 0.5));
  assert_int_equal(pf_diagnostic_count(pf_sim_context(sim)), before);
  assert_contains(pf_sim_error(sim)->message, "stands at t = 1");
  pf_sim_close(sim);
}

/* ---------------------------------------------------------------- numbers */

static void the_first_number_of_a_vector_is_read(void **state)
{
  (void)state;
  PfSim *sim = open_text(pair);
  int place = handle(sim, "pos(q)"), pose = handle(sim, "pose q");
  start(sim);
  advance(sim, 0.5);
  assert_int_equal(pf_sim_size(sim, place), 3);
  assert_near(pf_sim_get(sim, place), 1, 0, 1e-9);
  assert_near(pf_sim_get(sim, pose), 1, 0, 1e-9);
  pf_sim_close(sim);
}

/* The balance of a short phase after a long one adds to that of the long one. */
static void drift_is_summed_over_phases(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*x^2\n"
                         "start x = 1, y' = 1\nwhen t = 10 { lock y }\n"
                         "run 20 by dopri5 { rtol = 1e-4 }\n");
  start(sim);
  advance(sim, 9.999);
  double before = pf_sim_result(sim).drift;
  advance(sim, 12);
  double after = pf_sim_result(sim).drift;
  assert_true(before > 0 && after > 1.05*before && after < 2*before);
  pf_sim_close(sim);
}

/* An input with which there are no accelerations: a look says so, and another one lets the motion go on. */
static void inputs_without_accelerations_are_told_and_can_be_mended(void **state)
{
  (void)state;
  static const char *const models[] = {
    "coord x\ninput u\nkinetic x'^2/2\nforce x = sqrt(u)\n",
    "coord x\ninput u\nkinetic x'^2/2\nforce x = sqrt(u) - 1e-9*sign(x' + 1)\n", /* with a switch that is far away, */
      "coord x\ninput u\nkinetic x'^2/2\nforce x = sqrt(u) - 1e-9*sign(x')\n",     /* and where it is */
      "coord x, y\ninput u\nkinetic (x'^2 + y'^2)/2\nforce x = sqrt(u)\nwhen t = 5 { lock y }\n"};
  for (size_t i = 0; i < sizeof models/sizeof *models; i++) {
    PfSim *sim = open_text(models[i]);
    int u = handle(sim, "u"), x = handle(sim, "x"), a = handle(sim, "x''"), square = handle(sim, "x^2");
    assert_true(pf_sim_set(sim, "u", 4));
    start(sim);
    advance(sim, 1); /* x = t^2 */
    for (int k = 0; k < 2; k++) {
      assert_true(pf_sim_put(sim, u, -1));
      assert_true(isnan(pf_sim_get(sim, a)));
      assert_int_equal(pf_sim_error(sim)->status, PF_ERR_NUMBER);
      assert_near(pf_sim_get(sim, x), 1, 1e-6, 0);
      assert_near(pf_sim_get(sim, square), 1, 1e-6, 0); /* needs none */
      assert_true(isnan(pf_sim_get(sim, a)));
      assert_true(pf_sim_put(sim, u, 16 - 12*k));
      assert_near(pf_sim_get(sim, a), k ? 2 : 4, 1e-6, 0);
    }
    advance(sim, 2); /* x = 1 + 2 + 1 */
    assert_near(pf_sim_get(sim, x), 4, 1e-6, 0);
    assert_true(pf_sim_put(sim, u, -1));
    assert_true(isnan(pf_sim_get(sim, a)));
    assert_false(pf_sim_advance(sim, 3));
    assert_int_equal(pf_sim_result(sim).end, PF_RUN_TROUBLE);
    assert_true(pf_sim_put(sim, u, 4)); /* too late */
    assert_false(pf_sim_advance(sim, 3));
    pf_sim_close(sim);
  }
}

/* What friction holds a block with, in formulas and in F, is what the motion takes: the force that is pulled with. */
static void formulas_have_the_force_that_holds(void **state)
{
  (void)state;
  PfSim *sim = open_text("coord x\ninput u\nlet f = -5*sign(x')\nkinetic x'^2\nforce x = u + f\nstart x' = 1\n");
  int F = handle(sim, "matrix F"), f = handle(sim, "f"), other = handle(sim, "sign(-2*x')"), u = handle(sim, "u");
  start(sim);
  assert_near(pf_sim_get(sim, f), -5, 1e-12, 0);
  assert_near(pf_sim_get(sim, other), -1, 1e-12, 0);
  advance(sim, 1); /* at rest from t = 0.4 on */
  assert_near(pf_sim_get(sim, f), 0, 0, 1e-12);
  for (double pull = -4; pull < 5; pull += 2) {
    assert_true(pf_sim_put(sim, u, pull));
    assert_near(pf_sim_get(sim, f), -pull, 0, 1e-12);
    assert_near(pf_sim_get(sim, other), -pull/5, 0, 1e-12);
    assert_near(pf_sim_get(sim, F), 0, 0, 1e-12);
  }
  assert_true(pf_sim_put(sim, u, 7)); /* too much */
  assert_near(pf_sim_get(sim, f), -5, 1e-12, 0);
  assert_near(pf_sim_get(sim, F), 2, 1e-12, 0);
  pf_sim_close(sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(formulas_have_the_force_that_holds),
    cmocka_unit_test(inputs_without_accelerations_are_told_and_can_be_mended),
    cmocka_unit_test(a_refused_method_leaves_the_motion_as_it_was),
    cmocka_unit_test(a_formulation_that_does_not_apply_leaves_the_motion_as_it_was),
    cmocka_unit_test(names_of_the_caller_need_not_last),
    cmocka_unit_test(options_take_the_place_of_names),
    cmocka_unit_test(what_is_set_after_the_end_holds_from_the_next_start),
    cmocka_unit_test(events_are_not_left_out_on_the_way),
    cmocka_unit_test(an_input_shows_at_once),
    cmocka_unit_test(friction_is_decided_at_once),
    cmocka_unit_test(looking_at_an_input_changes_nothing),
    cmocka_unit_test(inputs_beside_friction_allocate_nothing),
    cmocka_unit_test(events_come_before_the_controller),
    cmocka_unit_test(a_clone_reads_like_its_original),
    cmocka_unit_test(a_snapshot_brings_its_parameters),
    cmocka_unit_test(what_sticks_by_a_parameter_goes_on_bit_for_bit),
    cmocka_unit_test(a_failed_restore_leaves_the_motion_as_it_was),
    cmocka_unit_test(names_of_derive_are_derived_once),
    cmocka_unit_test(trouble_is_told_as_often_as_it_is_asked),
    cmocka_unit_test(failures_of_reading_and_putting_have_words),
    cmocka_unit_test(what_is_missing_is_refused),
    cmocka_unit_test(refusals_do_not_pile_up),
    cmocka_unit_test(the_first_number_of_a_vector_is_read),
    cmocka_unit_test(drift_is_summed_over_phases),
  };
  return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
