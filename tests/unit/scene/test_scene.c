/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes: which shapes a model has, and where they are. */
#include "pfaff/scene.h"
#include "pfaff/lang.h"
#include "pfaff/sim_parts.h"
#include "scene/picture.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct Case {
  PfSim *sim;
  PfScene *scene;
  double *numbers;
} Case;

static Case open_case(const char *text)
{
  PfError error;
  Case c = {.sim = pf_sim_open_text(text, &error)};
  if (!c.sim) fail_msg("%d: %s", error.line, error.message);
  if (!pf_sim_start(c.sim)) fail_msg("%s", pf_sim_error(c.sim)->message);
  if (pf_scene_new(c.sim, &c.scene) != PF_OK) fail_msg("%s", pf_diagnostic(pf_sim_context(c.sim), 0)->message);
  c.numbers = calloc((size_t)pf_scene_size(c.scene), sizeof *c.numbers);
  assert_true(pf_scene_read(c.scene, c.numbers));
  return c;
}

static void close_case(Case *c)
{
  free(c->numbers);
  pf_scene_free(c->scene);
  pf_sim_close(c->sim);
}

static int count_role(const PfScene *scene, PfRole role)
{
  int count = 0;
  for (int i = 0; i < scene->shape_count; i++) count += scene->shapes[i].role == role;
  return count;
}

static const PfShape *find(const PfScene *scene, const char *name, PfRole role)
{
  for (int i = 0; i < scene->shape_count; i++)
    if (scene->shapes[i].role == role && !strcmp(scene->shapes[i].name, name)) return scene->shapes + i;
  fail_msg("no shape of %s", name);
  return NULL;
}

/* Where a point of the shape is in the world. */
static void place(const Case *c, const PfShape *s, const double local[3], double out[3])
{
  const double *pose = c->numbers + 12*s->pose;
  double in[3];
  for (int i = 0; i < 3; i++) {
    in[i] = s->at[i];
    for (int k = 0; k < 3; k++) in[i] += s->turn[3*i + k]*local[k];
  }
  for (int i = 0; i < 3; i++) {
    out[i] = pose[i];
    for (int k = 0; k < 3; k++) out[i] += pose[3 + 3*i + k]*in[k];
  }
}

/* ---------------------------------------------------------------- poses */

static const char arm[] =
  "param l = 0.5 [m], m = 1 [kg]\n"
  "coord a, b [rad]\n"
  "gravity (0, -9.81, 0)\n"
  "body upper in ground at (1, 2, 0) turn a about z { mass m, com (l/2, 0, 0), inertia diag(0, 0, m*l^2/12) }\n"
  "body lower in upper at (l, 0, 0) turn b about z { mass m, com (l/2, 0, 0), inertia diag(0, 0, m*l^2/12) }\n"
  "start a = 0.3, b = -0.8\n"
  "run 1\n";

/* The ends of the rods by trigonometry, at the start and in motion. */
static void rods_follow_their_joints(void **state)
{
  (void)state;
  Case c = open_case(arm);
  assert_true(c.scene->flat && !c.scene->ground);
  assert_near(c.scene->up[1], 1, 0, 1e-15);
  assert_int_equal(count_role(c.scene, PF_ROLE_LINK), 2);
  assert_int_equal(count_role(c.scene, PF_ROLE_JOINT), 2);
  assert_int_equal(count_role(c.scene, PF_ROLE_BASE), 1);
  const PfShape *upper = find(c.scene, "upper", PF_ROLE_LINK), *lower = find(c.scene, "lower", PF_ROLE_LINK);
  assert_near(lower->size[1], 0.5, 1e-14, 0);
  int a = pf_sim_find(c.sim, "a"), b = pf_sim_find(c.sim, "b");
  for (int k = 0; k < 3; k++) {
    double A = pf_sim_get(c.sim, a), B = pf_sim_get(c.sim, b), tip[3], elbow[3], other[3];
    assert_true(pf_scene_read(c.scene, c.numbers));
    place(&c, upper, (const double[]){0, 0, upper->size[1]/2}, elbow);
    place(&c, lower, (const double[]){0, 0, -lower->size[1]/2}, other);
    place(&c, lower, (const double[]){0, 0, lower->size[1]/2}, tip);
    const double x = 1 + 0.5*cos(A), y = 2 + 0.5*sin(A);
    for (int i = 0; i < 3; i++) assert_near(elbow[i], other[i], 0, 1e-12);
    assert_near(elbow[0], x, 0, 1e-12);
    assert_near(elbow[1], y, 0, 1e-12);
    assert_near(tip[0], x + 0.5*cos(A + B), 0, 1e-12);
    assert_near(tip[1], y + 0.5*sin(A + B), 0, 1e-12);
    assert_true(pf_sim_advance(c.sim, 0.3*(k + 1)));
  }
  close_case(&c);
}

/* The same poses as the simulation gives by name. */
static void poses_are_those_of_the_simulation(void **state)
{
  (void)state;
  Case c = open_case("body hub in ground free { mass 2 [kg], inertia diag(0.1, 0.2, 0.25) }\n"
                     "coord q [rad]\n"
                     "body arm in hub at (0.3, 0.1, 0) turn 0.4 about x turn q about (1, 1, 0) { mass 1, com (0, 0, "
                     "0.4), inertia 0.02 }\n"
                     "start hub.w = (1, 2, 3), hub.p = (1, 0, 2), q = 0.5, q' = 2\n");
  assert_true(pf_sim_advance(c.sim, 0.7));
  assert_true(pf_scene_read(c.scene, c.numbers));
  int seen = 0;
  for (int i = 1; i < c.scene->pose_count; i++) {
    char name[80];
    double pose[12];
    if (!c.scene->poses[i][0]) continue;
    snprintf(name, sizeof name, "pose %s", c.scene->poses[i]);
    assert_true(pf_sim_read(c.sim, pf_sim_find(c.sim, name), pose));
    for (int k = 0; k < 12; k++) assert_near(c.numbers[12*i + k], pose[k], 0, 1e-12);
    seen++;
  }
  assert_int_equal(seen, 2);
  close_case(&c);
}

/* A body that an event detaches hangs on its joint before, and its shape goes with it afterwards. */
static void a_detached_body_takes_its_shape_along(void **state)
{
  (void)state;
  Case c = open_case("coord a, b [rad]\ngravity (0, -9.81, 0)\n"
                     "body upper in ground turn a about z { mass 1, com (0.25, 0, 0), inertia diag(0, 0, 0.02) }\n"
                     "body lower in upper at (0.5, 0, 0) turn b about z {\n"
                     "  mass 1, com (0.25, 0, 0), inertia diag(0.001, 0.02, 0.0205)\n}\n"
                     "when t = 0.2 { detach lower }\n");
  assert_int_equal(count_role(c.scene, PF_ROLE_JOINT), 2);
  const PfShape *upper = find(c.scene, "upper", PF_ROLE_LINK), *lower = find(c.scene, "lower", PF_ROLE_BODY);
  for (int k = 0; k < 2; k++) {
    double elbow[3], centre[3], square = 0;
    assert_true(pf_scene_read(c.scene, c.numbers));
    place(&c, upper, (const double[]){0, 0, upper->size[1]/2}, elbow);
    place(&c, lower, (const double[]){0, 0, 0}, centre);
    for (int i = 0; i < 3; i++) square += (elbow[i] - centre[i])*(elbow[i] - centre[i]);
    if (k) assert_true(sqrt(square) > 0.35);
    else assert_near(sqrt(square), 0.25, 0, 1e-12);
    assert_true(pf_sim_advance(c.sim, 0.7));
  }
  close_case(&c);
}

/* ---------------------------------------------------------------- what rolls, slides and pulls */

/* Nothing reaches from a body to what it was welded to: it flies off as it was drawn. */
static void a_welded_body_leaves_no_rod_behind(void **state)
{
  (void)state;
  Case c = open_case("body carrier in ground free { mass 4, inertia 1 }\n"
                     "body load in carrier at (3, 0, 0) { mass 1, inertia diag(0.1, 0.2, 0.2) }\n"
                     "start carrier.w = (0, 0, 1)\nwhen t = 1 { detach load }\nrun 2\n");
  assert_int_equal(count_role(c.scene, PF_ROLE_LINK), 0);
  assert_int_equal(count_role(c.scene, PF_ROLE_JOINT), 0);
  assert_int_equal(count_role(c.scene, PF_ROLE_BODY), 2);
  close_case(&c);
}

/* The ground is the plane that is rolled on: its z is the normal of the incline, by hand. */
static void the_ground_may_be_tilted(void **state)
{
  (void)state;
  Case c = open_case("param a = 0.3, R = 0.1\ncoord x, phi\ngravity (0, 0, -9.81)\n"
                     "frame slope in ground at (0, 0, 2) turn a about y\n"
                     "body disc in slope at (x, 0, R) turn phi about y { mass 1, inertia diag(0.01, 0.02, 0.01) }\n"
                     "roll disc disc { radius R, axis disc.y } on slope\n");
  assert_true(c.scene->ground);
  assert_near(c.scene->ground_turn[2], sin(0.3), 1e-15, 0);
  assert_near(c.scene->ground_turn[8], cos(0.3), 1e-15, 0);
  assert_near(c.scene->ground_at[2], 2, 1e-15, 0);
  assert_int_equal(count_role(c.scene, PF_ROLE_SUPPORT), 0);
  close_case(&c);
}

/* A second plane is a surface of its own: a ball in the edge between floor and wall. */
static void a_second_plane_is_drawn_as_a_surface(void **state)
{
  (void)state;
  Case c = open_case("param R = 0.1\n"
                     "frame wall in ground turn -pi/2 about x\n"
                     "body ball in ground free { mass 1, inertia 0.004 }\n"
                     "roll ball ball { radius R } on ground\nroll ball ball { radius R } on wall\n"
                     "start ball.p = (0, R, R)\n");
  assert_true(c.scene->ground);
  assert_near(c.scene->ground_turn[8], 1, 1e-15, 0);
  assert_int_equal(count_role(c.scene, PF_ROLE_SUPPORT), 1);
  close_case(&c);
}

/* x = t: what slides to 3 m needs a rail that goes at least that far. */
static void a_rail_reaches_as_far_as_the_motion(void **state)
{
  (void)state;
  Case c = open_case("coord x [m]\nbody cart in ground at (x, 0, 0) { mass 1, inertia 0.1 }\nstart x' = 1\n");
  const PfShape *rail = find(c.scene, "cart", PF_ROLE_BASE);
  double end[3], start[3];
  assert_true(rail->size[1] < 3);
  assert_true(pf_sim_advance(c.sim, 3));
  assert_true(pf_scene_read(c.scene, c.numbers));
  assert_int_equal(pf_scene_spread(c.scene, c.numbers, 1), PF_OK);
  place(&c, rail, (const double[]){0, 0, rail->size[1]/2}, end);
  place(&c, rail, (const double[]){0, 0, -rail->size[1]/2}, start);
  assert_true(fmax(end[0], start[0]) > 3);
  assert_true(fmin(end[0], start[0]) < 0);
  assert_near(end[1], 0, 0, 1e-12);
  close_case(&c);
}

static void wheels_balls_and_blades_are_seen(void **state)
{
  (void)state;
  Case c = open_case("param R = 0.3 [m]\ncoord x, y [m], theta, chi [rad]\n"
                     "frame fork in ground at (x, y, R) turn theta about z\n"
                     "body wheel in fork turn chi about y { mass 2, inertia diag(0.05, 0.09, 0.05) }\n"
                     "roll w: disc wheel { radius R, axis fork.y } on ground\n");
  const PfShape *wheel = find(c.scene, "wheel", PF_ROLE_WHEEL);
  assert_true(c.scene->ground);
  assert_near(wheel->size[0], 0.3, 1e-15, 0);
  assert_near(fabs(wheel->turn[3 + 2]), 1, 0, 1e-12); /* the axle is y */
  const PfShape *contact = find(c.scene, "w", PF_ROLE_CONTACT);
  const double *touch = c.numbers + 12*c.scene->pose_count + 3*contact->point[0];
  for (int i = 0; i < 3; i++) assert_near(touch[i], 0, 0, 1e-12);
  close_case(&c);

  c = open_case("coord x, y, z [m], a, b, e [rad]\nlet h(u, w) = 0.1*u^2\n"
                "body ball in ground at (x, y, z) turn a about z turn b about x turn e about y { mass 1, inertia 0.004 "
                "}\n"
                "roll w: ball ball { radius 0.1 [m] } on surface h\nstart x = 0.2, y = 0\n");
  const PfShape *surface = find(c.scene, "w", PF_ROLE_SUPPORT);
  assert_int_equal(surface->kind, PF_SHAPE_SURFACE);
  for (int i = 0; i < surface->columns; i++) {
    double u = surface->size[0]*(2.0*i/(surface->columns - 1) - 1);
    assert_near(surface->heights[i], 0.1*u*u, 0, 1e-14);
  }
  assert_near(find(c.scene, "ball", PF_ROLE_BODY)->size[0], 0.1, 1e-15, 0);
  close_case(&c);

  c = open_case("coord x, y [m], theta [rad]\n"
                "body sleigh in ground at (x, y, 0) turn theta about z { mass 1, inertia diag(0, 0, 0.2) }\n"
                "skate blade: sleigh\nspring sleigh to point(ground, (1, 1, 0)) { stiffness 2 }\nstart x' = 1\n");
  const PfShape *spring = find(c.scene, "", PF_ROLE_SPRING);
  const double *end = c.numbers + 12*c.scene->pose_count + 3*spring->point[1];
  assert_near(end[0], 1, 0, 1e-15);
  assert_true(count_role(c.scene, PF_ROLE_BLADE) >= 1);
  close_case(&c);
}

/* ---------------------------------------------------------------- what is said, and what cannot be known */

static void draw_takes_the_place_of_what_is_guessed(void **state)
{
  (void)state;
  Case c = open_case("coord x, y [m], theta [rad]\n"
                     "body b in ground at (x, y, 0) turn theta about z { mass 1, inertia diag(0.1, 0.1, 0.1) }\n"
                     "draw point(b, (0, 0, 0.5)) as box(0.4, 0.2, 0.1) { color \"steelblue\" }\n"
                     "draw b as line(-1, 2)\ndraw b as cylinder(0.1, 0.3) { axis x }\n");
  assert_int_equal(count_role(c.scene, PF_ROLE_BODY), 2);
  const PfShape *box = c.scene->shapes, *line = box + 1, *cylinder = box + 2;
  assert_int_equal(box->kind, PF_SHAPE_BOX);
  assert_string_equal(box->color, "steelblue");
  assert_near(box->at[2], 0.5, 1e-15, 0);
  assert_near(line->size[1], 3, 1e-15, 0);
  assert_near(line->at[0], 0.5, 1e-15, 0);
  assert_near(cylinder->turn[2], 1, 1e-15, 0);
  close_case(&c);
}

static void a_model_of_energies_is_a_point_with_a_heading(void **state)
{
  (void)state;
  Case c = open_case("coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\nstart x = 3, theta = 0.5, x' = 1\n");
  assert_true(count_role(c.scene, PF_ROLE_BODY) == 1 && count_role(c.scene, PF_ROLE_TRACE) == 1);
  assert_true(pf_sim_advance(c.sim, 2));
  assert_true(pf_scene_read(c.scene, c.numbers));
  const double *pose = c.numbers + 12*find(c.scene, "model", PF_ROLE_BODY)->pose;
  assert_near(pose[0], 5, 0, 1e-8);
  assert_near(pose[3], cos(0.5), 0, 1e-8);
  close_case(&c);
}

static void what_has_no_place_is_told(void **state)
{
  (void)state;
  PfError error;
  PfScene *scene;
  PfSim *sim = pf_sim_open_text("coord q\nkinetic q'^2/2\n", &error);
  assert_true(pf_sim_start(sim));
  assert_int_equal(pf_scene_new(sim, &scene), PF_ERR_MODEL);
  assert_null(scene);
  assert_non_null(strstr(pf_diagnostic(pf_sim_context(sim), 0)->message, "nothing to draw"));
  pf_sim_close(sim);
}

static void its_json_is_the_same_each_time(void **state)
{
  (void)state;
  Case c = open_case(arm);
  const char *text;
  double t = 0;
  assert_int_equal(pf_scene_json(c.scene, &t, c.numbers, 1, &text), PF_OK);
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  assert_non_null(strstr(copy, "\"kind\": \"cylinder\""));
  assert_int_equal(pf_scene_json(c.scene, &t, c.numbers, 1, &text), PF_OK);
  assert_string_equal(copy, text);
  free(copy);
  close_case(&c);
}

/* ---------------------------------------------------------------- little memory */

static PfStatus draw(PfContext *ctx, PfSim *sim, PfText *text)
{
  PfScene *scene;
  double t = 0, numbers[400];
  const char *json;
  PF_TRY(pf_scene_new(sim, &scene));
  bool good = pf_scene_size(scene) <= 400 && pf_scene_read(scene, numbers);
  PfPicture picture = {scene, PF_VIEW_AUTO, "<&>", 1, &t, numbers, 0, NULL};
  PfStatus status = good ? pf_scene_svg(ctx, &picture, text) : PF_ERR_NUMBER;
  if (status == PF_OK) status = pf_scene_json(scene, &t, numbers, 1, &json);
  pf_scene_free(scene);
  return status;
}

static PfStatus read_and_draw(PfContext *ctx, PfArena *arena, PfModel **model, PfEquations *equations, PfSim **sim,
                              PfText *text)
{
  static const char words[] = "coord x, y, a\nbody b in ground at (x, y, 0) turn a about z { mass 1, inertia 1 }\n"
                              "skate s: b\nstart x' = 1\n";
  PfError error;
  PF_TRY(pf_model_read(ctx, "test.pf", words, sizeof words - 1, model));
  PF_TRY(pf_equations_derive(ctx, arena, *model, equations));
  *sim = pf_sim_of_model(ctx, *model, equations, &error);
  if (!*sim) return error.status;
  return pf_sim_place(*sim) ? draw(ctx, *sim, text) : pf_sim_error(*sim)->status;
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfModel *model = NULL;
  PfEquations equations;
  PfSim *sim = NULL;
  PfText text;
  pf_text_init(&text, &counter->allocator);
  if (ctx && arena) {
    PfStatus status = read_and_draw(ctx, arena, &model, &equations, &sim, &text);
    assert_true(status == PF_OK || (status == PF_ERR_MEMORY && counter->refused > 0));
  }
  pf_text_free(&text);
  pf_sim_close(sim);
  if (model) pf_model_free(model);
  if (arena) pf_arena_free(arena);
  if (ctx) pf_context_free(ctx);
}

static void lack_of_memory_is_an_error_and_leaks_nothing(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rods_follow_their_joints),
    cmocka_unit_test(poses_are_those_of_the_simulation),
    cmocka_unit_test(a_detached_body_takes_its_shape_along),
    cmocka_unit_test(a_welded_body_leaves_no_rod_behind),
    cmocka_unit_test(the_ground_may_be_tilted),
    cmocka_unit_test(a_second_plane_is_drawn_as_a_surface),
    cmocka_unit_test(a_rail_reaches_as_far_as_the_motion),
    cmocka_unit_test(wheels_balls_and_blades_are_seen),
    cmocka_unit_test(draw_takes_the_place_of_what_is_guessed),
    cmocka_unit_test(a_model_of_energies_is_a_point_with_a_heading),
    cmocka_unit_test(what_has_no_place_is_told),
    cmocka_unit_test(its_json_is_the_same_each_time),
    cmocka_unit_test(lack_of_memory_is_an_error_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
