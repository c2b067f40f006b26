/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent starts: what is given holds, what is not mentioned is solved for. Numbers are closed forms. */
#include "motions.h"

/* A corrected start. */
typedef struct Corrected {
  Moving x;
  PfStart start;
  const double *q, *v;
} Corrected;

static PfStatus try_to_correct(Fixture *f, const char *text, Corrected *c)
{
  open_text(f, text, &c->x);
  const PfSymbols *in = pf_system_symbols(c->x.system);
  c->q = c->x.s.values + in->q;
  c->v = c->x.s.values + in->v;
  return pf_start_correct(f->ctx, c->x.system, c->x.s.values, &c->start);
}

static void correct(Fixture *f, const char *text, Corrected *c)
{
  if (try_to_correct(f, text, c) != PF_OK) fail_msg("%s", pf_context_message(f->ctx));
}

static const PfStartCorrection *moved(const Corrected *c, const char *name)
{
  for (int i = 0; i < c->start.correction_count && i < PF_MOST_CORRECTIONS; i++)
    if (!strcmp(c->start.corrections[i].name, name)) return c->start.corrections + i;
  return NULL;
}

#define DISC                                                                                                         \
  "coord x, y, z [m], psi, phi, chi [rad]\n"                                                                          \
  "body b in ground at (x, y, z) turn psi about z turn phi about x turn chi about y {\n"                               \
  "  mass 2 [kg], inertia diag(0.08, 0.16, 0.08)\n}\n"                                                               \
  "roll w: disc b { radius 0.4 [m], axis b.y } on ground\n"

/* z = R cos(phi); rolling gives x' = R (chi' + psi' sin(phi)). */
static void a_lean_that_is_given_stays(void **state)
{
  Corrected c;
  const double phi = 60*acos(-1)/180;
  correct(*state, DISC "start phi = 60 [deg], chi' = 5, psi' = 1\n", &c);
  assert_near(c.q[4], phi, 1e-16, 0);
  assert_near(c.q[2], 0.4*cos(phi), 1e-15, 0);
  assert_near(c.v[0], 0.4*(5 + sin(phi)), 1e-14, 0);
  assert_true(c.v[5] == 5 && c.v[3] == 1);
  assert_true(moved(&c, "z") && !moved(&c, "z")->remarkable && !moved(&c, "phi"));
  close_moving(&c.x);
}

/* With height and lean both given, and contradicting each other, the one without '!' yields. */
static void a_mark_decides_who_yields(void **state)
{
  Corrected c;
  correct(*state, DISC "start phi = 1 !, z = 0.3\n", &c);
  assert_true(c.q[4] == 1);
  assert_near(c.q[2], 0.4*cos(1), 1e-15, 0);
  assert_true(moved(&c, "z")->remarkable && moved(&c, "z")->priority == PF_START_GIVEN && moved(&c, "z")->from == 0.3);
  close_moving(&c.x);
}

/* Both cannot hold, so both move: to the nearest place of the circle. A given value of another mechanism stays as it
 * is. */
static void contradicting_values_go_to_the_nearest_place(void **state)
{
  Corrected c;
  correct(*state,
          "coord x, y, z, u\nkinetic (x'^2 + y'^2 + z'^2 + u'^2)/2\nconstraint c: x^2 + y^2 = 1\nconstraint d: z = u\n"
          "start x = 0.6, y = 0.9, z = 0.25\n", &c);
  assert_near(c.q[0], 0.6/hypot(0.6, 0.9), 1e-12, 0); /* straight inwards */
  assert_near(c.q[1], 0.9/hypot(0.6, 0.9), 1e-12, 0);
  assert_near(c.q[2], 0.25, 1e-15, 0);
  assert_near(c.q[3], 0.25, 1e-15, 0);
  assert_int_equal(c.start.correction_count, 3);
  assert_string_equal(c.start.corrections[0].name, "y"); /* the largest of those that were given */
  assert_string_equal(c.start.corrections[1].name, "x");
  assert_string_equal(c.start.corrections[2].name, "u");
  assert_true(c.start.corrections[0].remarkable && c.start.corrections[1].remarkable &&
              !c.start.corrections[2].remarkable);
  close_moving(&c.x);
}

/* The slope of the circle by y vanishes at y = 0, where y is looked for; far from there it is worth a warning. */
static void a_vanishing_slope_is_left(void **state)
{
  Corrected c;
  correct(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\nstart x = 0.5\n", &c);
  assert_true(c.q[0] == 0.5);
  assert_near(fabs(c.q[1]), sqrt(0.75), 1e-15, 0);
  assert_true(moved(&c, "y")->remarkable && moved(&c, "y")->priority == PF_START_OPEN);
  close_moving(&c.x);
  correct(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x'^2 + y'^2 = 1\nstart x' = 0.6\n", &c);
  assert_true(c.v[0] == 0.6);
  assert_near(fabs(c.v[1]), 0.8, 1e-15, 0);
  close_moving(&c.x);
}

/* Kilometres and micrometres: sizes are judged against themselves. */
static void sizes_do_not_matter(void **state)
{
  static const char *const text[] = {
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 4.9e13\nstart x = 4.2e6 !\n",
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1e-10\nstart x = 6e-6 !\n"};
  for (int k = 0; k < 2; k++) {
    Corrected c;
    correct(*state, text[k], &c);
    assert_near(fabs(c.q[1]), k ? 8e-6 : 5.6e6, 1e-14, 0);
    close_moving(&c.x);
  }
  Corrected c;
  assert_int_equal(try_to_correct(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1e-10\n"
                                  "start x = 30e-6 !\n", &c), PF_ERR_MODEL);
  close_moving(&c.x);
}

/* pf_model_set_start comes before the model's own numbers, and a mark stays. */
static void what_is_set_comes_before_what_the_model_gives(void **state)
{
  Fixture *f = *state;
  Moving x;
  PfStart start;
  open_text(f, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\nstart x = 0.8, y = 0.6\n", &x);
  assert_true(pf_model_set_start(x.s.model, "x", 0.28));
  assert_true(pf_model_set_start(x.s.model, "y'", 0.5));
  assert_false(pf_model_set_start(x.s.model, "z", 1));
  assert_int_equal(pf_equations_start(f->ctx, &x.s.eq, NULL, x.s.values), PF_OK);
  assert_int_equal(pf_start_correct(f->ctx, x.system, x.s.values, &start), PF_OK);
  const double *q = x.s.values + pf_system_symbols(x.system)->q;
  assert_true(q[0] == 0.28 && q[3] == 0.5);
  assert_near(q[1], 0.96, 1e-14, 0);
  assert_near(q[2], -0.5*0.96/0.28, 1e-14, 0);
  assert_int_equal(start.corrections[0].priority, PF_START_GIVEN);
  close_moving(&x);
}

#define BALL "coord z\nbody b in ground at (0, 0, z) ball { mass 1, inertia 1 }\nconstraint c: z = 0.2*b.x.z + 0.01\n"

/* Component k of the angular velocity of the ball, whose quaternion begins at q[1]. */
static double spin(const Corrected *c, int k)
{
  const double *q = c->q + 1, *v = c->v + 1;
  int a = 1 + (k + 1)%3, b = 1 + (k + 2)%3;
  return 2*(q[0]*v[1 + k] + q[b]*v[a] - q[1 + k]*v[0] - q[a]*v[b]);
}

static void angular_velocities_survive_the_correction(void **state)
{
  Corrected c;
  correct(*state, BALL "start b.wz = 1 !\n", &c);
  assert_true(fabs(c.q[0]) > 1e-3);
  assert_near(spin(&c, 2), 1, 1e-15, 0);
  close_moving(&c.x);
  correct(*state, BALL "start z = 0.05 !, b.w = (0.3, -0.2, 1)\n", &c); /* b.x.z = 0.2: the attitude must change */
  assert_true(c.q[0] == 0.05);
  assert_near(spin(&c, 0), 0.3, 1e-14, 0);
  assert_near(spin(&c, 1), -0.2, 1e-14, 0);
  assert_near(spin(&c, 2), 1, 1e-14, 0);
  assert_null(moved(&c, "b.wx"));
  close_moving(&c.x);
}

/* The rate of z is given as well and marked: something of w must yield, the marked component not. */
static void a_component_that_is_marked_stays(void **state)
{
  Corrected c;
  correct(*state, BALL "start b.turn = (0.1, 0.2, 0.3) !, b.wz = 1 !, b.wy = 0.5, z' = 0 !\n", &c);
  assert_true(c.v[0] == 0);
  assert_near(spin(&c, 2), 1, 1e-14, 0);
  assert_true(moved(&c, "b.wy")->remarkable && !moved(&c, "b.wz"));
  close_moving(&c.x);
}

/* A quaternion of another length is the same attitude, and turns as fast. */
static void quaternions_are_made_unit_ones(void **state)
{
  Fixture *f = *state;
  Corrected c;
  open_text(f, "body b in ground ball { mass 1, inertia 1 }\nstart b.wz = 2\n", &c.x);
  assert_true(pf_model_set_start(c.x.s.model, "b.qz", 0.75));
  assert_int_equal(pf_equations_start(f->ctx, &c.x.s.eq, NULL, c.x.s.values), PF_OK);
  assert_int_equal(pf_start_correct(f->ctx, c.x.system, c.x.s.values, &c.start), PF_OK);
  const PfSymbols *in = pf_system_symbols(c.x.system);
  c.q = c.x.s.values + in->q - 1, c.v = c.x.s.values + in->v - 1;
  assert_near(c.q[1], 0.8, 1e-15, 0);
  assert_near(c.q[4], 0.6, 1e-15, 0);
  assert_near(spin(&c, 2), 2, 1e-15, 0);
  close_moving(&c.x);
}

/* x' = u cos(th), y' = u sin(th) at the corrected th, not at the one that was looked from. */
static void speeds_survive_the_correction(void **state)
{
  Corrected c;
  correct(*state, "coord x, y, th\nspeed u, w\nrate x' = u*cos(th), y' = u*sin(th), th' = w\n"
          "kinetic (x'^2 + y'^2 + th'^2)/2\nconstraint k: -sin(th)*x' + cos(th)*y' = 0\nconstraint c: th = 0.3\n"
          "start u = 2 !\n", &c);
  assert_near(c.v[0], 2*cos(0.3), 1e-15, 0);
  assert_near(c.v[1], 2*sin(0.3), 1e-15, 0);
  close_moving(&c.x);
}

/* a' e_z + b' (cos a, sin a, 0) + c' (sin b sin a, -sin b cos a, cos b) is omega in the axes of the ground. */
static void rates_of_angles_come_from_omega(void **state)
{
  Corrected c;
  correct(*state, "coord a, b, c\nbody g in ground turn a about z turn b about x turn c about z { mass 1, inertia "
                  "diag(1, 2, 3) }\n"
          "start b = 0.5, a = 0.2, c = 1, omega(g) = (0.1, 0.2, 3)\n", &c);
  const double a = 0.2, b = 0.5;
  assert_near(c.v[1]*cos(a) + c.v[2]*sin(b)*sin(a), 0.1, 1e-14, 0);
  assert_near(c.v[1]*sin(a) - c.v[2]*sin(b)*cos(a), 0.2, 1e-14, 0);
  assert_near(c.v[0] + c.v[2]*cos(b), 3, 1e-14, 0);
  assert_int_equal(c.start.correction_count, 0);
  close_moving(&c.x);
}

/* The disc leans by 0.3, found from its height; omega holds there and the rolling velocity follows. */
static void omega_holds_at_the_corrected_attitude(void **state)
{
  Corrected c;
  correct(*state, DISC "start z = 0.4*cos(0.3) !, phi = 0.2, omega(b) = (0.1, 2, 0.5)\n", &c);
  const double phi = c.q[4], *v = c.v;
  assert_near(phi, 0.3, 1e-14, 0);
  assert_near(v[4], 0.1, 1e-13, 0);
  assert_near(v[5]*cos(phi), 2, 1e-13, 0);
  assert_near(v[3] + v[5]*sin(phi), 0.5, 1e-13, 0);
  close_moving(&c.x);
}

static void no_start(Fixture *f, const char *text, const char *words)
{
  System s;
  read_system(f, text, &s);
  assert_int_equal(pf_equations_start(f->ctx, &s.eq, NULL, s.values), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), words);
  pf_model_free(s.model);
}

static void omega_that_the_angles_cannot_give_is_an_error(void **state)
{
  no_start(*state, "coord a\nbody g in ground turn a about z { mass 1, inertia 1 }\nstart omega(g) = (0, 0.2, 3)\n",
           "no rates of the coordinates give omega(g).y");
  no_start(*state,
           "coord a, b, c\nbody g in ground turn a about z turn b about x turn c about z { mass 1, inertia 1 }\n"
           "start omega(g) = (0.1, 0.2, 3)\n", "no rates of the coordinates give omega(g).y"); /* z and z coincide */
}

static void marks_that_contradict_are_errors(void **state)
{
  Fixture *f = *state;
  Corrected c;
  assert_int_equal(try_to_correct(f, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint circle: x^2 + y^2 = 1\n"
                                  "start x = 0.6 !, y = 0.8 !, x' = 1 !, y' = 0.5 !\n", &c), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "no velocity near the start satisfies the constraint 'circle'");
  close_moving(&c.x);
  assert_int_equal(try_to_correct(f, "coord a\nbody g in ground turn a about z { mass 1, inertia 1 }\n"
                                  "start omega(g) = (0, 0, 3) !, a' = 2 !\n", &c), PF_ERR_MODEL);
  close_moving(&c.x);
}

/* A loop that does not close by the digits that were typed is closed by the values that were typed, not by turning
 * it. */
static void typed_digits_yield_before_the_whole_mechanism_turns(void **state)
{
  Corrected c;
  correct(*state, "coord a, b\nbody hub in ground ball { mass 9, inertia 9 }\n"
          "body p in hub turn a about z { mass 1, inertia 1 }\nbody r in hub at (1, 0, 0) turn b about z { mass 1, "
          "inertia 1 }\n"
          "point e in p at (1, 0, 0)\npoint f in r at (1, 0, 0)\nconstraint tied: pos(e) = pos(f)\n"
          "start a = 60.01 [deg], b = 120 [deg]\n", &c);
  const double third = acos(-1)/3;
  assert_near(c.q[0], third, 1e-14, 0);
  assert_near(c.q[1], 2*third, 1e-14, 0);
  for (int k = 0; k < 4; k++) assert_near(c.q[2 + k], k == 0, 0, 1e-4);
  close_moving(&c.x);
}

/* Redundant rows, a coordinate without mass, a prescribed motion. */
static void odd_systems_have_starts(void **state)
{
  Corrected c;
  correct(*state, "coord x, y, p\nkinetic (x'^2 + p'^2)/2\nconstraint c: x + y = 1\nconstraint d: 2*x + 2*y = 2\n"
          "prescribe p = 0.4 + sin(t)\nstart y = 0.3, x' = 2\n", &c);
  assert_near(c.q[0], 0.7, 1e-15, 0);
  assert_true(c.q[1] == 0.3 && c.v[0] == 2);
  assert_near(c.q[2], 0.4, 1e-15, 0);
  assert_near(c.v[1], -2, 1e-15, 0);
  assert_near(c.v[2], 1, 1e-15, 0);
  close_moving(&c.x);
}

/* Thirty links in absolute coordinates; x of the third is beyond its reach. What was given is told before all that was
 * found. */
static void a_long_chain_yields_where_it_must(void **state)
{
  enum { LINKS = 30 };
  static char text[64*1024];
  size_t used = (size_t)snprintf(text, sizeof text, "coord x[%d], y[%d], th[%d]\n", LINKS, LINKS, LINKS);
  for (int i = 1; i <= LINKS; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "kinetic (x[%d]'^2 + y[%d]'^2 + 0.1*th[%d]'^2)/2\n", i, i,
                             i);
    const char *before = i > 1 ? "x[%d] - 0.5*cos(th[%d]) - x[%d] - 0.5*cos(th[%d])" : "x[%d] - 0.5*cos(th[%d])";
    const char *below = i > 1 ? "y[%d] - 0.5*sin(th[%d]) - y[%d] - 0.5*sin(th[%d])" : "y[%d] - 0.5*sin(th[%d])";
    used += (size_t)snprintf(text + used, sizeof text - used, "constraint c%d: ", i);
    used += (size_t)snprintf(text + used, sizeof text - used, before, i, i, i - 1, i - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, " = 0\nconstraint d%d: ", i);
    used += (size_t)snprintf(text + used, sizeof text - used, below, i, i, i - 1, i - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, " = 0\nstart th[%d] = %g\n", i, 0.05*i);
  }
  snprintf(text + used, sizeof text - used, "start x[3] = 3\n");
  Corrected c;
  correct(*state, text, &c);
  assert_true(c.start.position < 1e-12);
  assert_int_equal(c.start.corrections[0].priority, PF_START_GIVEN);
  assert_string_equal(c.start.corrections[0].name, "x[3]");
  assert_true(c.q[2] <= 2.5);
  close_moving(&c.x);
}

/* b is prescribed to begin at 0 and is 0, not 1e-30; a + a^3 = 1. */
static void nothing_is_left_of_rounding(void **state)
{
  Corrected c;
  correct(*state, "coord a, b\nkinetic (a'^2 + b'^2)/2\nconstraint c: a + b + a^3 = 1\nprescribe b = 0.2*t\n", &c);
  assert_true(c.q[1] == 0);
  assert_near(c.q[0] + c.q[0]*c.q[0]*c.q[0], 1, 1e-15, 0);
  close_moving(&c.x);
}

static void measuring_changes_nothing(void **state)
{
  Fixture *f = *state;
  Moving x;
  PfStart start;
  open_text(f, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\nstart x = 1, y = 0.5, x' = 0.25\n",
            &x);
  assert_int_equal(pf_start_measure(f->ctx, x.system, x.s.values, &start), PF_OK);
  assert_near(start.position, 0.25, 1e-15, 0);
  assert_near(start.velocity, 0.5, 1e-15, 0);
  assert_int_equal(start.correction_count, 0);
  close_moving(&x);
}

static void correct_with_counter(Counter *counter, void *user)
{
  const char *text = user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfModel *model = NULL;
  PfSystem *system = NULL;
  PfEquations eq;
  PfStart start;
  double values[64];
  PfStatus status = ctx ? pf_model_read(ctx, "test.pf", text, strlen(text), &model) : PF_ERR_MEMORY;
  if (status == PF_OK) status = pf_equations_derive(ctx, model->arena, model, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &system);
  if (status == PF_OK) status = pf_equations_start(ctx, &eq, NULL, values);
  if (status == PF_OK) status = pf_start_correct(ctx, system, values, &start);
  bool hopeless = counter->refused && counter->fail_on;
  assert_true(status == PF_ERR_MEMORY ? counter->refused > 0 : status == PF_OK && !hopeless);
  pf_system_free(system);
  if (model) pf_model_free(model);
  if (ctx) pf_context_free(ctx);
}

static void lack_of_memory_is_reported(void **state)
{
  (void)state;
  static char text[] = "coord x, a\nbody g in ground at (x, 0, 0) turn a about z { mass 1, inertia 1 }\n"
                       "constraint c: x^2 + a^2 = 1\nstart x = 0.9, a = 0.9, omega(g) = (0, 0, 1)\n";
  fail_every_allocation(correct_with_counter, text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_lean_that_is_given_stays),
    with_fixture(a_mark_decides_who_yields),
    with_fixture(contradicting_values_go_to_the_nearest_place),
    with_fixture(a_vanishing_slope_is_left),
    with_fixture(sizes_do_not_matter),
    with_fixture(what_is_set_comes_before_what_the_model_gives),
    with_fixture(angular_velocities_survive_the_correction),
    with_fixture(a_component_that_is_marked_stays),
    with_fixture(quaternions_are_made_unit_ones),
    with_fixture(speeds_survive_the_correction),
    with_fixture(rates_of_angles_come_from_omega),
    with_fixture(omega_holds_at_the_corrected_attitude),
    with_fixture(omega_that_the_angles_cannot_give_is_an_error),
    with_fixture(marks_that_contradict_are_errors),
    with_fixture(typed_digits_yield_before_the_whole_mechanism_turns),
    with_fixture(odd_systems_have_starts),
    with_fixture(a_long_chain_yields_where_it_must),
    with_fixture(nothing_is_left_of_rounding),
    with_fixture(measuring_changes_nothing),
    with_fixture(lack_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
