/* SPDX-License-Identifier: Apache-2.0 */
/* Portraits and sections, against closed forms. */
#include "studies.h"

static PfQuantity quantity(const Studied *s, const char *name)
{
  PfQuantity q;
  if (!pf_dynamics_quantity(s->d, name, &q)) fail_msg("no quantity '%s'", name);
  return q;
}

static int handle(const Studied *s, const char *name)
{
  int found = pf_sim_find(s->sim, name);
  if (found < 0) fail_msg("no handle for '%s'", name);
  return found;
}

/* The plane of two quantities of the state. */
static PfPlane plane(const Studied *s, const char *a, const char *b)
{
  return (PfPlane){.show = {quantity(s, a), quantity(s, b)}, .handle = {handle(s, a), handle(s, b)},
                   .low = {-1, -1}, .high = {1, 1}};
}

/* A simulation placed where the field is. */
static void simulate(Studied *s, double rtol)
{
  PfError error;
  s->sim = pf_sim_of_model(s->x.s.ctx, s->x.s.model, &s->x.s.eq, &error);
  if (!s->sim || !pf_sim_place(s->sim)) fail_msg("no simulation: %s", error.message);
  PfRunOptions options = pf_sim_options(s->sim);
  options.rtol = rtol;
  assert_true(pf_sim_set_options(s->sim, &options));
}

/* The plane of a coordinate and the energy. */
static PfPlane with_energy(const Studied *s, const char *a, PfQuantity energy)
{
  return (PfPlane){.show = {quantity(s, a), energy}, .handle = {handle(s, a), handle(s, "kinetic + potential")}};
}

static PfPortrait portrait(Studied *s, const PfPortraitOptions *options)
{
  PfPortrait p;
  assert_int_equal(pf_portrait(s->x.s.arena, s->d, s->sim, options, &p), PF_OK);
  return p;
}

static PfSection section_of(Studied *s, const PfSectionOptions *options)
{
  PfSection section;
  assert_int_equal(pf_section(s->x.s.arena, s->d, s->sim, options, &section), PF_OK);
  return section;
}

/* The field of a text with the energy as its only output. */
static PfQuantity study_energy(Fixture *f, const char *text, Studied *s)
{
  study_text(f, text, s);
  const PfExpr energy = pf_expr_add(s->x.s.ctx, s->x.s.eq.kinetic, s->x.s.eq.potential);
  PfOutputs outputs = {1, &energy};
  pf_dynamics_free(s->d);
  begin_study(s, &outputs);
  simulate(s, 1e-10);
  return (PfQuantity){.output = true, .index = 0};
}

/* An example with one output: what its first plot shows. */
static void study_with_plot(Fixture *f, const char *name, Studied *s)
{
  *s = (Studied){0};
  open_example(f, name, &s->x);
  PfOutputs outputs = {1, s->x.s.model->plots[0].values};
  begin_study(s, &outputs);
  simulate(s, 1e-11);
}

/* ---------------------------------------------------------------- portraits */

/* In the plane of nu3 and nu2 the motions with the same K are ellipses; that of (1, 1, 1) has the period of the
 * closed form. */
static void inertial_motions_are_ellipses(void **state)
{
  Studied s;
  const double A1 = 1.25, A2 = 1.5, A3 = 2.6875, kappa = 0.13953488372093023, K = 2.3125, B = 1.1976744186046512;
  study_with_plot(*state, "carriage_inertia", &s);
  const PfQuantity keep = {.output = true, .index = 0};
  PfPortraitOptions options = {.plane = plane(&s, "nu[3]", "nu[2]"), .starts = 8, .span = 40};
  options.plane.low[0] = -0.5, options.plane.high[0] = 2;
  options.plane.low[1] = -8, options.plane.high[1] = 8;
  options.plane.keep = &keep, options.plane.keep_count = 1;
  PfPortrait p = portrait(&s, &options);
  assert_int_equal(p.count, 8);
  assert_near(p.orbits[0].period, 20.181346371326264, 1e-9, 0);
  for (int i = 0; i < p.count; i++) {
    const PfOrbit *o = p.orbits + i;
    double stretch = A1/(kappa*kappa) - A3, center = K/A3;
    double size = stretch*pow(o->start[0] - center, 2) + A2*pow(o->start[1], 2);
    for (int k = 0; k < o->count; k++)
      assert_near(stretch*pow(o->a[k] - center, 2) + A2*pow(o->b[k], 2), size, 1e-7, 0); /* interpolated points */
    double a = sqrt(size/stretch);
    if (a < center) /* periodic: shorter than 40 s unless it passes close to nu3 = 0 */
      if (!isnan(o->period))
        assert_near(o->period, 2*acos(-1)*2*sqrt(A2*B)/sqrt(center*center - a*a), 1e-8, 0);
    if (a > center) assert_true(isnan(o->period));
  }
  end_study(&s);
}

/* With nu3 = 0 the carriage goes straight on, at any nu2: a line of steady motions. */
static void straight_motions_are_a_line_at_rest(void **state)
{
  Studied s;
  study_with_plot(*state, "carriage_inertia", &s);
  const PfQuantity keep = {.output = true, .index = 0};
  PfPortraitOptions options = {.plane = plane(&s, "nu[3]", "nu[2]"), .starts = 1, .span = 1};
  options.plane.low[0] = -0.5, options.plane.high[0] = 0.4;
  options.plane.keep = &keep, options.plane.keep_count = 1;
  PfPortrait p = portrait(&s, &options);
  double low = 1, high = -1;
  assert_true(p.steady_count >= 20);
  for (int i = 0; i < p.steady_count; i++) {
    assert_near(p.steady_a[i], 0, 0, 1e-6);
    low = fmin(low, p.steady_b[i]), high = fmax(high, p.steady_b[i]);
  }
  assert_true(low < -1.3 && high > 1.3);
  end_study(&s);
}

/* A pendulum rests at two points, and nowhere along a line. */
static void single_equilibria_are_no_line(void **state)
{
  Studied s;
  study_text(*state,
             "param g = 9.81, l = 0.5\ncoord q [rad]\nkinetic l^2/2*q'^2\npotential -g*l*cos(q)\nstart q = 1", &s);
  simulate(&s, 1e-9);
  PfPortraitOptions options = {.plane = plane(&s, "q", "q'"), .starts = 1, .span = 1};
  assert_int_equal(portrait(&s, &options).steady_count, 0);
  end_study(&s);
}

/* Period of the pendulum at amplitude pi/2: 4 K(sin(pi/4)) sqrt(l/g), K(1/sqrt(2)) = 1.8540746773013719. */
static void the_period_of_a_pendulum(void **state)
{
  Studied s;
  study_text(*state,
             "param g = 9.81, l = 0.5\ncoord q [rad]\nkinetic l^2/2*q'^2\npotential -g*l*cos(q)\nstart q = pi/2", &s);
  simulate(&s, 1e-11);
  PfPortraitOptions options = {.plane = plane(&s, "q", "q'"), .starts = 1, .span = 5};
  PfPortrait p = portrait(&s, &options);
  assert_near(p.orbits[0].period, 4*1.8540746773013719*sqrt(0.5/9.81), 1e-9, 0);
  end_study(&s);
}

/* A pendulum as a point on a circle that turns over: no chart of one coordinate holds all the way round. */
static void charts_change_on_the_way_round(void **state)
{
  Studied s;
  PfQuantity energy = study_energy(*state,
             "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\nconstraint rod: x^2 + y^2 = 1\n"
             "start y = -1, x' = 8", &s);
  PfSectionOptions options = {.section = handle(&s, "x"), .plane = with_energy(&s, "y", energy), .span = 5};
  PfSection section = section_of(&s, &options);
  assert_null(section.end);
  assert_true(section.count >= 4);
  for (int i = 0; i < section.count; i++) {
    assert_near(section.a[i], -1, 1e-8, 0);           /* x passes 0 upwards below */
    assert_near(section.b[i], 32 - 9.81, 1e-7, 0);    /* energy of the start */
  }
  end_study(&s);
}

/* Its portrait: every curve keeps its energy, through all charts, forwards and backwards. */
static void curves_go_on_through_other_charts(void **state)
{
  Studied s;
  PfQuantity energy = study_energy(*state,
             "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\n"
             "constraint rod: x^2 + y^2 = 1\nstart y = -1, x' = 8", &s);
  PfPortraitOptions options = {.plane = with_energy(&s, "x", energy), .starts = 4, .span = 3};
  options.plane.low[0] = -0.5, options.plane.high[0] = 0.5;
  options.plane.low[1] = 15, options.plane.high[1] = 30;
  PfPortrait p = portrait(&s, &options);
  assert_int_equal(p.count, 4);
  for (int i = 0; i < p.count; i++) {
    double least = 1, most = -1;
    for (int k = 0; k < p.orbits[i].count; k++) {
      assert_near(p.orbits[i].b[k], p.orbits[i].start[1], 1e-6, 0);
      least = fmin(least, p.orbits[i].a[k]), most = fmax(most, p.orbits[i].a[k]);
    }
    assert_true(least < -0.99 && most > 0.99); /* all the way round */
  }
  end_study(&s);
}

/* ---------------------------------------------------------------- sections and exponents */

/* x'' = k^2 x: deviations grow as exp(k t). */
static void the_exponent_of_a_saddle_is_its_eigenvalue(void **state)
{
  Studied s;
  study_text(*state, "coord x\nkinetic x'^2/2\npotential -2*x^2", &s);
  simulate(&s, 1e-9);
  PfSectionOptions options = {.every = 1, .plane = plane(&s, "x", "x'"), .span = 400};
  PfSection section = section_of(&s, &options);
  assert_near(section.exponent, 2, 0, 0.01); /* the first transient has a weight of 1/t */
  assert_int_equal(section.count, 400);
  end_study(&s);
}

static void the_exponent_of_an_oscillator_is_zero(void **state)
{
  Studied s;
  study_text(*state, "coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1", &s);
  simulate(&s, 1e-9);
  PfSectionOptions options = {.section = handle(&s, "x"), .plane = plane(&s, "x", "x'"), .span = 100};
  PfSection section = section_of(&s, &options);
  assert_near(section.exponent, 0, 0, 0.01);
  assert_int_equal(section.count, 16); /* x passes 0 upwards at 3 pi/2 + 2 pi k */
  for (int i = 0; i < section.count; i++) {
    assert_near(section.t[i], acos(-1)*(1.5 + 2*i), 1e-7, 0);
    assert_near(section.a[i], 0, 0, 1e-12);
    assert_near(section.b[i], 1, 1e-7, 0);
  }
  end_study(&s);
}

/* A forced oscillator seen once per period of the force ends in one point: x = cos(2 t)/(1 - 4) after the transient. */
static void a_stroboscope_sees_a_forced_oscillator_stand_still(void **state)
{
  Studied s;
  study_text(*state, "coord x\ninput u = cos(2*t)\nkinetic x'^2/2\npotential x^2/2\nforce x = u - x'", &s);
  double T = acos(-1);
  simulate(&s, 1e-9);
  PfSectionOptions options = {.every = T, .plane = plane(&s, "x", "x'"), .span = 30*T, .skip = 20*T};
  PfSection section = section_of(&s, &options);
  /* x = Re(c exp(2 i t)), c = 1/(1 - 4 + 2 i) = (-3 - 2 i)/13: x(kT) = -3/13, x'(kT) = 4/13 */
  assert_true(section.count >= 9);
  for (int i = 0; i < section.count; i++) {
    assert_near(section.a[i], -3.0/13, 1e-7, 0);
    assert_near(section.b[i], 4.0/13, 1e-7, 0);
  }
  assert_near(section.exponent, -0.5, 0, 0.02);
  end_study(&s);
}

/* Motions of the same energy: kinetic energy makes up for where they begin. */
static void other_motions_keep_what_is_to_be_kept(void **state)
{
  Studied s;
  const PfQuantity energy = study_energy(*state,
             "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2 + x^2*y - y^3/3\n"
             "start y = 0.1, x' = 0.49, y' = 0.1", &s);
  PfSectionOptions options = {.section = handle(&s, "x"), .plane = with_energy(&s, "y", energy), .orbits = 4,
                              .span = 60};
  double E = 0.1*0.1/2 - 1e-3/3 + (0.49*0.49 + 0.01)/2;
  options.plane.low[0] = -0.2, options.plane.high[0] = 0.3;
  options.plane.low[1] = options.plane.high[1] = E;
  options.plane.keep = &energy, options.plane.keep_count = 1;
  PfSection section = section_of(&s, &options);
  assert_int_equal(section.failed, 0);
  assert_int_equal(section.orbit[section.count - 1], 3);
  for (int i = 0; i < section.count; i++) assert_near(section.b[i], E, 1e-7, 0);
  end_study(&s);
}

static void a_portrait_needs_time(void **state)
{
  Studied s;
  study_text(*state, "coord x\nkinetic x'^2/2", &s);
  PfPortrait p;
  simulate(&s, 1e-9);
  PfPortraitOptions options = {.plane = plane(&s, "x", "x'")};
  assert_int_equal(pf_portrait(s.x.s.arena, s.d, s.sim, &options, &p), PF_ERR_ARGUMENT);
  PfQuantity q;
  assert_false(pf_dynamics_quantity(s.d, "z", &q));
  end_study(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(inertial_motions_are_ellipses),
    with_fixture(straight_motions_are_a_line_at_rest),
    with_fixture(single_equilibria_are_no_line),
    with_fixture(the_period_of_a_pendulum),
    with_fixture(charts_change_on_the_way_round),
    with_fixture(curves_go_on_through_other_charts),
    with_fixture(the_exponent_of_a_saddle_is_its_eigenvalue),
    with_fixture(the_exponent_of_an_oscillator_is_zero),
    with_fixture(a_stroboscope_sees_a_forced_oscillator_stand_still),
    with_fixture(other_motions_keep_what_is_to_be_kept),
    with_fixture(a_portrait_needs_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
