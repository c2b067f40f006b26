/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibria and steady motions, against closed forms. */
#include "studies.h"

static void find(Studied *s, PfSteadyKind kind, int starts, PfSteady *steady)
{
  PfSteadyOptions options = {.kind = kind, .starts = starts};
  if (pf_steady_find(s->x.s.ctx, s->x.s.arena, s->d, &options, steady) != PF_OK)
    fail_msg("the search fails: %s", pf_context_message(s->x.s.ctx));
}

static int index_of(const PfSteady *s, const char *name)
{
  for (int k = 0; k < s->size; k++)
    if (!strcmp(s->names[k], name)) return k;
  fail_msg("no component '%s'", name);
  return -1;
}

/* The point whose component is nearest to the value. */
static const PfSteadyPoint *point_with(const PfSteady *s, const char *name, double value)
{
  int k = index_of(s, name);
  const PfSteadyPoint *best = NULL;
  for (int i = 0; i < s->count; i++)
    if (!best || fabs(s->points[i].x[k] - value) < fabs(best->x[k] - value)) best = s->points + i;
  assert_non_null(best);
  return best;
}

static bool is_cyclic(const PfSteady *s, const char *name)
{
  return s->cyclic[index_of(s, name)];
}

/* ---------------------------------------------------------------- pendulums */

static void a_pendulum_rests_below_and_above(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "param g = 9.81, l = 0.5\ncoord q [rad]\nkinetic l^2/2*q'^2\npotential -g*l*cos(q)\nstart q = 1",
             &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 2);
  const PfSteadyPoint *below = point_with(&r, "q", 0), *above = fabs(r.points[0].x[0]) > 1 ? r.points : r.points + 1;
  assert_near(below->x[0], 0, 0, 1e-12);
  assert_int_equal(below->stability, PF_NEUTRAL);
  assert_near(below->im[0], sqrt(9.81/0.5), 1e-12, 0);
  assert_near(fabs(above->x[0]), acos(-1), 1e-12, 0);
  assert_int_equal(above->stability, PF_UNSTABLE);
  assert_near(above->re[0], sqrt(9.81/0.5), 1e-12, 0);
  end_study(&s);
}

/* The same on a circle: with a holonomic constraint one coordinate is left. */
static void a_constraint_does_not_change_the_equilibria(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "param g = 9.81, l = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\n"
             "constraint rod: x^2 + y^2 = l^2\nstart x = 0.3, y = -0.4", &s);
  find(&s, PF_EQUILIBRIA, 60, &r);
  const PfSteadyPoint *below = point_with(&r, s.d->y[0] == 0 ? "x" : "y", s.d->y[0] == 0 ? 0 : -0.5);
  assert_near(below->q[0], 0, 0, 1e-9);
  assert_near(fabs(below->q[1]), 0.5, 1e-9, 0);
  end_study(&s);
}

static void a_double_pendulum_has_four(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "double_pendulum_bodies", &s, NULL);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 4);
  int unstable[3] = {0};
  for (int i = 0; i < r.count; i++) unstable[r.points[i].unstable]++;
  assert_int_equal(unstable[0], 1); /* both hang */
  assert_int_equal(unstable[1], 2); /* one up, one down */
  assert_int_equal(unstable[2], 1); /* both up */
  end_study(&s);
}

/* ---------------------------------------------------------------- carriages: closed forms and 50 digits */

static void steady_motions_of_the_driven_carriage(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "carriage_omni3", &s, NULL);
  find(&s, PF_STEADY, 0, &r);
  assert_int_equal(r.count, 3);
  const char *const cyclic[] = {"x", "y", "theta", "chi[1]", "chi[2]", "chi[3]"};
  for (int i = 0; i < 6; i++) assert_true(is_cyclic(&r, cyclic[i]));
  const PfSteadyPoint *p = point_with(&r, "nu[3]", 2.35);
  assert_near(p->x[index_of(&r, "nu[1]")], 13.593386622447824, 1e-9, 0);
  assert_near(p->x[index_of(&r, "nu[2]")], 12, 1e-9, 0);
  assert_near(p->x[index_of(&r, "nu[3]")], 2.3540859160995165, 1e-9, 0);
  assert_near(p->v[coordinate(&s.x.s, "theta")], 1.1770429580497582, 1e-9, 0);
  assert_int_equal(p->stability, PF_STABLE);
  assert_near(p->re[0], -0.97484, 0, 5e-6); /* five digits are known */
  assert_near(p->re[1], -1.62581, 0, 5e-6);
  assert_near(p->re[2], -5.58058, 0, 5e-6);
  p = point_with(&r, "nu[3]", 0);
  assert_int_equal(p->stability, PF_UNSTABLE);
  end_study(&s);
}

/* (A2 s + 2 eps)(A3 B s^2 + (…) s + eps (2 eps sigma^2 - rho nu2/Lambda)): the eigenvalues of straight motion. */
static void straight_motion_has_the_eigenvalues_of_its_polynomial(void **state)
{
  const double eps = 2, Lambda = 2, l2 = 0.25, sigma = 1.5, rho = 1.5, A2 = 1.5, A3 = 2.6875, B = 1.1976744186046512;
  const double speeds[] = {6.1, 11.5, 12.5, 16};
  for (int i = 0; i < 4; i++) {
    Studied s;
    PfSteady r;
    double nu2 = speeds[i], a = A3*B, c = eps*(2*eps*sigma*sigma - rho*nu2/Lambda);
    double b = eps*(1 + rho*rho + 2*sigma*sigma + 4*l2*sigma*sigma) - l2*rho*nu2/Lambda;
    study_example(*state, "carriage_steady", &s, "n2", nu2, NULL);
    find(&s, PF_STEADY, 0, &r);
    const PfSteadyPoint *p = point_with(&r, "nu[3]", 0);
    assert_near(p->x[index_of(&r, "nu[3]")], 0, 0, 1e-10);
    double roots[3] = {-2*eps/A2, (-b + sqrt(b*b - 4*a*c))/(2*a), (-b - sqrt(b*b - 4*a*c))/(2*a)};
    for (int k = 0; k < 3; k++) {
      double nearest = INFINITY;
      for (int j = 0; j < 3; j++) nearest = fmin(nearest, fabs(p->re[j] - roots[k]));
      assert_near(nearest, 0, 0, 1e-9);
    }
    assert_int_equal(p->stability, nu2 < 12 ? PF_STABLE : PF_UNSTABLE);
    end_study(&s);
  }
}

/* Between vertex and crossing rotations are unstable: omega = -0.2 is stable, -0.1333 grows at 0.00169 1/s. */
static void rotations_between_vertex_and_crossing_are_unstable(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "carriage_steady", &s, "n2", 11.94, NULL);
  find(&s, PF_STEADY, 0, &r);
  const PfSteadyPoint *p = point_with(&r, "nu[3]", -0.4), *q = point_with(&r, "nu[3]", -0.2667);
  assert_near(p->x[index_of(&r, "nu[3]")]/2, -0.2, 1e-9, 0);
  assert_int_equal(p->stability, PF_STABLE);
  assert_near(q->x[index_of(&r, "nu[3]")]/2, -2.0/15, 1e-9, 0);
  assert_int_equal(q->stability, PF_UNSTABLE);
  assert_near(q->re[0], 0.00169, 0, 5e-6);
  end_study(&s);
}

static void the_mecanum_carriage_settles(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "carriage_mecanum", &s, NULL);
  find(&s, PF_STEADY, 30, &r);
  assert_int_equal(r.count, 1);
  const double nu[] = {-0.95522706716515838, 7.1427034972649138, 1.1187527944951723};
  for (int i = 0; i < 3; i++) assert_near(r.points[0].x[r.size - 3 + i], nu[i], 1e-9, 0);
  assert_near(r.points[0].re[0], -4.3220446, 0, 5e-8);
  assert_near(r.points[0].im[0], 0.27192007, 0, 5e-9);
  assert_near(r.points[0].re[2], -8.5724058, 0, 5e-8);
  end_study(&s);
}

/* Without motors all straight motions are steady, and so are all turns about the wheels' centre: families. */
static void inertial_motions_form_families(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "carriage_inertia", &s, NULL);
  find(&s, PF_STEADY, 0, &r);
  bool straight = false;
  for (int i = 0; i < r.count; i++) {
    assert_true(r.points[i].family > 0);
    if (fabs(r.points[i].x[index_of(&r, "nu[3]")]) < 1e-9) straight = true, assert_int_equal(r.points[i].family, 2);
  }
  assert_true(straight);
  end_study(&s);
}

/* The heading of a bicycle is cyclic, though it stands in every constraint: with the spin of a wheel as velocity it
 * does not matter. */
static void the_heading_of_a_bicycle_is_cyclic(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "bicycle", &s, NULL);
  find(&s, PF_STEADY, 1, &r);
  assert_true(is_cyclic(&r, "psi") && is_cyclic(&r, "x") && is_cyclic(&r, "y"));
  assert_false(is_cyclic(&r, "phi") || is_cyclic(&r, "delta"));
  assert_int_equal(r.count, 1);
  assert_int_equal(r.points[0].family, 1); /* the speed is free */
  assert_int_equal(r.points[0].stability, PF_STABLE);
  end_study(&s);
}

/* Lean, steer and pitch can be strange, and the heights of the wheels have several solutions for the pitch: what is
 * found must hold for the whole state, by another formulation. */
static void what_is_found_is_steady(void **state)
{
  Studied s;
  PfSteady r;
  double a[16], lambda[16], force[16];
  int row;
  study_example(*state, "bicycle", &s, NULL);
  find(&s, PF_STEADY, 40, &r);
  assert_true(r.count > 3);
  PfSolver *solver;
  PfMotion motion = {a, lambda, force};
  const PfSymbols *in = pf_system_symbols(s.x.system);
  const char *const constant[] = {"z", "phi", "theta", "delta", "spin_r", "spin_f"};
  assert_int_equal(pf_solver_new(s.x.s.ctx, s.x.system, pf_formulation_find("udwadia_kalaba"), &solver), PF_OK);
  for (int i = 0; i < r.count; i++) {
    memcpy(s.x.s.values + in->q, r.points[i].q, 9*sizeof *a);
    memcpy(s.x.s.values + in->v, r.points[i].v, 9*sizeof *a);
    assert_int_equal(pf_solver_accelerate(solver, s.x.s.values, &motion, &row), PF_TROUBLE_NONE);
    double speed = fabs(r.points[i].v[coordinate(&s.x.s, "spin_r")]);
    for (int k = 0; k < 6; k++) assert_near(a[coordinate(&s.x.s, constant[k])], 0, 0, 1e-9*(1 + speed*speed));
  }
  pf_solver_free(solver);
  end_study(&s);
}

/* ---------------------------------------------------------------- bad input */

static void what_changes_in_time_has_no_steady_motion(void **state)
{
  Studied s;
  PfSteady r;
  PfSteadyOptions options = {.kind = PF_STEADY};
  study_text(*state, "coord x\ninput u = sin(t)\nkinetic x'^2/2\nforce x = u", &s);
  assert_int_equal(pf_steady_find(s.x.s.ctx, s.x.s.arena, s.d, &options, &r), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.x.s.ctx), "'u' changes in time");
  end_study(&s);
}

static void a_constraint_that_forbids_rest_is_named(void **state)
{
  Studied s;
  PfSteady r;
  PfSteadyOptions options = {.kind = PF_EQUILIBRIA};
  study_text(*state, "coord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint belt: x' = 1\nstart x' = 1", &s);
  assert_int_equal(pf_steady_find(s.x.s.ctx, s.x.s.arena, s.d, &options, &r), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.x.s.ctx), "forbid rest");
  end_study(&s);
}

static void nothing_found_is_no_failure(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "coord x\nkinetic x'^2/2\npotential exp(x)", &s);
  find(&s, PF_EQUILIBRIA, 10, &r);
  assert_int_equal(r.count, 0);
  assert_int_equal(r.failed, 10);
  end_study(&s);
}

static void an_interval_of_nothing_is_refused(void **state)
{
  Studied s;
  PfSteady r;
  const PfInterval interval = {"nu", 0, 1};
  PfSteadyOptions options = {.kind = PF_STEADY, .interval_count = 1, .intervals = &interval};
  study_example(*state, "carriage_omni3", &s, NULL);
  assert_int_equal(pf_steady_find(s.x.s.ctx, s.x.s.arena, s.d, &options, &r), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(s.x.s.ctx), "'nu' is not a component");
  end_study(&s);
}

/* With x' as the independent velocity of the sleigh the chart fails at theta = pi/2; there, theta' = -1 was called
 * steady. Every state of the list has constant components that are not cyclic. */
static void what_is_listed_does_not_change(void **state)
{
  static const char *const examples[] = {"chaplygin_sleigh", "sleigh_friction", "leaning_disc", "rolling_ball"};
  for (size_t e = 0; e < sizeof examples/sizeof *examples; e++) {
    Studied s;
    PfSteady r;
    double rate[20];
    study_example(*state, examples[e], &s, NULL);
    find(&s, PF_STEADY, 0, &r);
    assert_true(r.count > 0);
    for (int i = 0; i < r.count; i++) {
      assert_int_equal(pf_dynamics_go(s.d, r.points[i].x), PF_OK);
      pf_dynamics_rate(s.d, rate);
      for (int k = 0; k < r.size; k++)
        if (!r.cyclic[k]) assert_near(rate[k], 0, 0, 1e-8);
    }
    end_study(&s);
  }
}

/* sin(x)^3 = 0: triple zeros are met with five digits only, and at every turn. */
static void a_state_is_listed_once(void **state)
{
  Studied s;
  PfSteady r;
  const PfInterval interval = {"q", -20, 20};
  PfSteadyOptions options = {.kind = PF_EQUILIBRIA, .starts = 60, .interval_count = 1, .intervals = &interval};
  study_text(*state, "param k = 1, d = 1\ncoord q [rad]\nkinetic k*q'^2/2\nforce q = -k*sin(q)^3 - d*q'\nstart q = 1",
             &s);
  assert_int_equal(pf_steady_find(s.x.s.ctx, s.x.s.arena, s.d, &options, &r), PF_OK);
  assert_int_equal(r.count, 2);
  end_study(&s);
}

/* A torsion spring tells one turn from the next: sin(q) = -q/15 has nine solutions, at nine different angles, since
 * |q| <= 15 and two lie in each of the intervals that the sine allows. */
static void a_wound_spring_is_no_full_turn(void **state)
{
  Studied s;
  PfSteady r;
  const PfInterval interval = {"q", -16, 16};
  PfSteadyOptions options = {.kind = PF_EQUILIBRIA, .starts = 200, .interval_count = 1, .intervals = &interval};
  study_text(*state, "param k = 1, c = 1, d = 1\ncoord q [rad]\nkinetic k*q'^2/2\n"
             "force q = -k*sin(q) - c*q/15 - d*q'\nstart q = 1", &s);
  assert_int_equal(pf_steady_find(s.x.s.ctx, s.x.s.arena, s.d, &options, &r), PF_OK);
  int wanted = 0; /* changes of sign on a fine grid */
  for (int i = -160000; i < 160000; i++) {
    double a = (i + 0.5)*1e-4, b = a + 1e-4;
    wanted += (sin(a) + a/15)*(sin(b) + b/15) < 0;
  }
  assert_int_equal(r.count, wanted);
  end_study(&s);
}

/* The member of a family that is shown is the one next to the start: here the whole circle of radius 2 is at rest. */
static void a_family_is_shown_by_its_nearest_member(void **state)
{
  Studied s;
  PfSteady r;
  const PfInterval box[] = {{"x", -3, 3}, {"y", -3, 3}}; /* equal scales */
  PfSteadyOptions options = {.kind = PF_EQUILIBRIA, .interval_count = 2, .intervals = box};
  study_text(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2 - 4)^2/4\nforce x = -x'\n"
             "force y = -y'\nstart x = 0.3, y = 0.4", &s);
  assert_int_equal(pf_steady_find(s.x.s.ctx, s.x.s.arena, s.d, &options, &r), PF_OK);
  assert_int_equal(r.count, 2); /* the centre is the nearer one */
  assert_int_equal(r.points[1].family, 1);
  assert_near(r.points[1].q[0], 1.2, 1e-7, 0);
  assert_near(r.points[1].q[1], 1.6, 1e-7, 0);
  end_study(&s);
}

/* Without force all that rolls straight on is steady: theta and chi' are free, and no eigenvalue is anything but zero,
 * though every element of the matrix is computed from terms that cancel. */
static void without_force_a_wheel_has_one_family(void **state)
{
  Studied s;
  PfSteady r;
  study_example(*state, "piano_wheel", &s, "F", 0.0, NULL);
  find(&s, PF_STEADY, 0, &r);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.points[0].family, 2);
  assert_int_equal(r.points[0].stability, PF_NEUTRAL);
  for (int k = 0; k < r.points[0].count; k++) assert_true(r.points[0].re[k] == 0 && r.points[0].im[k] == 0);
  end_study(&s);
}

/* The same without a blade that is out of balance, by speeds: v and w are free. */
static void a_balanced_sleigh_has_one_family(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "param m = 1.3, J = 0.7\ncoord x, y, theta\nspeed v = cos(theta)*x' + sin(theta)*y', w = theta'\n"
             "kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2\n"
             "constraint blade: -sin(theta)*x' + cos(theta)*y' = 0\nstart theta = 0.3, v = 1.1, w = 0.7", &s);
  find(&s, PF_STEADY, 0, &r);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.points[0].family, 2);
  assert_int_equal(r.points[0].stability, PF_NEUTRAL);
  assert_near(r.points[0].x[index_of(&r, "v")], 1.1, 1e-12, 0); /* the member next to the start is the start */
  assert_near(r.points[0].x[index_of(&r, "w")], 0.7, 1e-12, 0);
  assert_near(r.points[0].distance, 0, 0, 1e-12);
  for (int d = 0; d < 2; d++) { /* along v alone, and along w alone */
    const double *row = r.points[0].directions + d*r.size;
    for (int k = 0; k < r.size; k++) assert_near(row[k], k == r.points[0].free[d], 0, 1e-12);
  }
  assert_true(r.points[0].free[0] != r.points[0].free[1]);
  end_study(&s);
}

/* ---------------------------------------------------------------- sheets of the constraints */

/* cos(4 phi) on the unit circle has its extremes at the multiples of 45 degrees: minima with 16 = omega^2, maxima with
 * 16 = lambda^2. By x alone only those of one half are seen, and at x = 1 and -1 it tells nothing. */
static void a_particle_on_a_circle_rests_at_eight_places(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential cos(4*atan2(y, x))\n"
             "constraint circle: x^2 + y^2 = 1\nstart x = 0.6, y = 0.8", &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 8);
  bool seen[8] = {false};
  for (int i = 0; i < 8; i++) {
    const PfSteadyPoint *p = r.points + i;
    double eighth = atan2(p->q[1], p->q[0])/atan2(1, 1);
    int k = ((int)lround(eighth) + 8)%8;
    assert_near(eighth, round(eighth), 0, 1e-9);
    assert_near(hypot(p->q[0], p->q[1]), 1, 1e-12, 0);
    seen[k] = true;
    assert_int_equal(p->stability, k%2 ? PF_NEUTRAL : PF_UNSTABLE);
    assert_near(k%2 ? p->im[0] : p->re[0], 4, 1e-9, 0);
    assert_near(p->distance, hypot(p->q[0] - 0.6, p->q[1] - 0.8), 1e-12, 0);
    if (i) assert_true(p->distance >= r.points[i - 1].distance - 1e-9);
  }
  for (int k = 0; k < 8; k++) assert_true(seen[k]);
  end_study(&s);
}

/* Wherever it starts, below and above are found, with their eigenvalues: sqrt(g/l), imaginary and real. */
static void a_pendulum_in_x_and_y_rests_below_and_above(void **state)
{
  static const char *const starts[] = {"x = 0.3, y = -0.4", "x = 0.5, y = 0", "x = -0.4, y = 0.3", "x = 0, y = 0.5"};
  for (size_t k = 0; k < sizeof starts/sizeof *starts; k++) {
    Studied s;
    PfSteady r;
    char text[300];
    snprintf(text, sizeof text, "param g = 9.81, l = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\n"
             "constraint rod: x^2 + y^2 = l^2\nstart %s", starts[k]);
    study_text(*state, text, &s);
    find(&s, PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 2);
    for (int i = 0; i < 2; i++) {
      const PfSteadyPoint *p = r.points + i;
      bool above = p->q[1] > 0;
      assert_near(p->q[0], 0, 0, 1e-9);
      assert_near(fabs(p->q[1]), 0.5, 1e-9, 0);
      assert_int_equal(p->stability, above ? PF_UNSTABLE : PF_NEUTRAL);
      assert_near(above ? p->re[0] : p->im[0], sqrt(9.81/0.5), 1e-9, 0);
    }
    assert_true((r.points[0].q[1] > 0) != (r.points[1].q[1] > 0));
    end_study(&s);
  }
}

/* ---------------------------------------------------------------- states of first order */

/* A low-pass filter on the target of a spring: x = s = r*cos(x) at rest. */
static void a_first_order_state_rests_where_its_rate_vanishes(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "param k = 4, c = 0.5, T = 0.2, r = 0.3\ncoord x, s\nkinetic x'^2/2\nforce x = k*(s - x) - c*x'\n"
             "constraint low_pass: T*s' = r*cos(x) - s\nstart x = 0.1, s = 0", &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  double x = 0.3;
  for (int i = 0; i < 100; i++) x = 0.3*cos(x); /* a contraction */
  assert_int_equal(r.count, 1);
  assert_near(r.points[0].q[0], x, 1e-10, 0);
  assert_near(r.points[0].q[1], x, 1e-10, 0);
  assert_int_equal(r.points[0].family, 0);
  assert_int_equal(r.points[0].stability, PF_STABLE);
  end_study(&s);
}

/* u and w feed nothing back. u' = -2*u + x + 1 has the eigenvalue -2 at u = 1/2; w' = w*(1 - w) has 1 at 0, -1 at 1. A
 * filter of two states (p'' = -p - 3*p' as p' = q) has the roots of s^2 + 3*s + 1. An integrator alone stays cyclic. */
static void first_order_states_that_feed_nothing_back_are_no_less_states(void **state)
{
#define OSCILLATOR "kinetic x'^2/2\nforce x = -x - x'\nstart x = 0.3\n"
  Studied s;
  PfSteady r;
  for (int kind = 0; kind < 2; kind++) {
    study_text(*state, "coord x, u\n" OSCILLATOR "constraint a: u' = -2*u + x + 1", &s);
    find(&s, kind ? PF_STEADY : PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 1);
    assert_false(is_cyclic(&r, "u"));
    assert_near(r.points[0].q[1], 0.5, 1e-10, 0);
    assert_int_equal(r.points[0].stability, PF_STABLE);
    assert_int_equal(r.points[0].count, 3);
    assert_near(r.points[0].re[2], -2, 1e-10, 0);
    end_study(&s);
    study_text(*state, "coord x, w\n" OSCILLATOR "constraint b: w' = w*(1 - w)\nstart w = 0.2", &s);
    find(&s, kind ? PF_STEADY : PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 2);
    assert_int_equal(point_with(&r, "w", 0)->stability, PF_UNSTABLE);
    assert_near(point_with(&r, "w", 0)->re[0], 1, 1e-10, 0);
    assert_int_equal(point_with(&r, "w", 1)->stability, PF_STABLE);
    end_study(&s);
    study_text(*state, "coord x, p, q\n" OSCILLATOR "constraint a: p' = q\nconstraint b: q' = 2 - p - 3*q", &s);
    find(&s, kind ? PF_STEADY : PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 1);
    assert_near(point_with(&r, "p", 2)->re[0], (-3 + sqrt(5))/2, 1e-10, 0);
    end_study(&s);
  }
  study_text(*state, "coord x, e\n" OSCILLATOR "constraint a: e' = x", &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 1);
  assert_true(is_cyclic(&r, "e"));
  end_study(&s);
#undef OSCILLATOR
}

#define CYLINDER "param m = 500 [kg], A = 20 [cm^2], E = 1.4e9 [Pa], V0 = 0.5 [L], k = 1e4 [N/m]\n" \
  "coord x [m], pA, pB [Pa]\nkinetic m/2*x'^2\nforce x = A*(pA - pB)\n"

/* Pressures of a closed cylinder, in Pa beside m. Both are free together: 0. Of d = pA - pB
 *   d' = -2 E/V0 (A x' + kl d),  m x'' = A d - k x:  s^3 + 5.6 s^2 + 44820 s + 112 = 0. */
static void pressures_beside_metres_are_four_states(void **state)
{
  Studied s;
  PfSteady r;
  for (int kind = 0; kind < 2; kind++) {
    study_text(*state, CYLINDER "param kl = 1e-12 [m^3/(s Pa)]\npotential k/2*x^2\nstart x' = 0.1\n"
               "constraint ca: pA' = E/V0*(-A*x' - kl*(pA - pB))\nconstraint cb: pB' = E/V0*(A*x' + kl*(pA - pB))", &s);
    assert_int_equal(s.size, 4);
    find(&s, kind ? PF_STEADY : PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.points[0].family, 1);
    assert_int_equal(r.points[0].stability, PF_STABLE);
    const double *re = r.points[0].re, *im = r.points[0].im;
    assert_near(re[0], 0, 0, 0);
    assert_near(((re[1] + 5.6)*re[1] + 44820)*re[1], -112, 1e-9, 0);
    assert_near(re[1] + 2*re[2], -5.6, 1e-9, 0);
    assert_near(re[1]*(re[2]*re[2] + im[2]*im[2]), -112, 1e-9, 0);
    end_study(&s);
  }
}

/* A valve holds the place of the piston: at x = want both pressures are p0. */
static void a_servo_with_pressures_rests_where_it_is_wanted(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, CYLINDER "param kl = 1e-13 [m^3/(s Pa)], p0 = 70 [bar], want = 0.1 [m], kq = 1e-4 [m^2/s]\n"
             "let u = want - x\nconstraint ca: pA' = E/V0*(kq*u - A*x' - kl*(pA - p0))\n"
             "constraint cb: pB' = E/V0*(-kq*u + A*x' - kl*(pB - p0))\nstart pA = 70e5, pB = 70e5", &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 1);
  assert_near(r.points[0].q[0], 0.1, 1e-9, 0);
  assert_near(r.points[0].q[1], 70e5, 1e-9, 0);
  assert_near(r.points[0].q[2], 70e5, 1e-9, 0);
  assert_int_equal(r.points[0].stability, PF_STABLE); /* 0.28*44800 > 2240: Routh, Hurwitz */
  end_study(&s);
}

/* With an integrator the motor turns at the speed r: ki*e carries load and friction, (load + d*r)/ki = 0.11; then
 * J s^2 + (kp + d) s + ki = 0. */
static void a_motor_with_an_integrator_turns_at_its_speed(void **state)
{
  Studied s;
  PfSteady r;
  const double J = 0.1, b = 2.05, ki = 5, root = sqrt(b*b - 4*J*ki);
  study_text(*state, "param J = 0.1, d = 0.05, kp = 2, ki = 5, r = 3, load = 0.4\ncoord phi, e\nkinetic J/2*phi'^2\n"
             "force phi = kp*(r - phi') + ki*e - d*phi' - load\nconstraint integrator: e' = r - phi'", &s);
  find(&s, PF_STEADY, 0, &r);
  assert_int_equal(r.count, 1);
  assert_near(r.points[0].q[1], 0.11, 1e-10, 0);
  assert_near(r.points[0].v[0], 3, 1e-10, 0);
  assert_int_equal(r.points[0].stability, PF_STABLE);
  assert_near(r.points[0].re[0], (-b + root)/(2*J), 1e-9, 0);
  assert_near(r.points[0].re[1], (-b - root)/(2*J), 1e-9, 0);
  end_study(&s);
}

/* ---------------------------------------------------------------- random potentials with known equilibria */

static double uniform(uint32_t *seed)
{
  *seed = *seed*1664525u + 1013904223u;
  return (double)(*seed >> 8)/16777216.0;
}

/* The potential is P(x) + Q(y), with cubic P' and Q' of three roots each: equilibria are the nine pairs of roots. There
 * are redundant coordinates u = x + y, v = x - y, so that the square of a distance is that of x and y three times. The
 * nearest to the start comes first. */
static void all_equilibria_of_random_potentials_are_found(void **state)
{
  uint32_t seed = 7;
  for (int trial = 0; trial < 12; trial++) {
    double a[2][3], start[2], least = INFINITY;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 3; i++) a[k][i] = -1.6 + 1.2*i + 0.8*uniform(&seed);
      start[k] = -1.5 + 3*uniform(&seed);
    }
    char text[900];
    snprintf(text, sizeof text, "coord x, y, u, v\nkinetic (x'^2 + y'^2)/2\n"
             "force x = -(x - %.15g)*(x - %.15g)*(x - %.15g) - x'\n"
             "force y = -(y - %.15g)*(y - %.15g)*(y - %.15g) - y'\n"
             "constraint sum: u = x + y\nconstraint difference: v = x - y\n"
             "start x = %.15g, y = %.15g, u = %.15g, v = %.15g", a[0][0], a[0][1], a[0][2], a[1][0], a[1][1], a[1][2],
             start[0], start[1], start[0] + start[1], start[0] - start[1]);
    Studied s;
    PfSteady r;
    study_text(*state, text, &s);
    find(&s, PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 9);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double away = sqrt(3)*hypot(a[0][i] - start[0], a[1][j] - start[1]), nearest = INFINITY;
        for (int p = 0; p < r.count; p++)
          nearest = fmin(nearest, hypot(r.points[p].q[0] - a[0][i], r.points[p].q[1] - a[1][j]));
        assert_near(nearest, 0, 0, 1e-9);
        least = fmin(least, away);
      }
    assert_near(r.points[0].distance, least, 1e-8, 0);
    assert_near(r.radius, least, 1e-8, 0);
    end_study(&s);
  }
}

/* ---------------------------------------------------------------- closed forms */

/* Above w^2 = g/R the bead leaves the lowest point: cos(q) = g/(w^2 R), with the frequency w sin(q) there. */
static void a_bead_on_a_turning_hoop_has_four(void **state)
{
  Studied s;
  PfSteady r;
  const double g = 9.81, R = 0.5, w = 6, q = acos(g/(w*w*R));
  study_text(*state, "param g = 9.81, R = 0.5, w = 6\ncoord q [rad]\nkinetic R^2/2*(q'^2 + w^2*sin(q)^2)\n"
             "potential -g*R*cos(q)\nstart q = 0.4", &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 4);
  for (int side = -1; side <= 1; side += 2) {
    const PfSteadyPoint *beside = point_with(&r, "q", side*q);
    assert_near(beside->x[0], side*q, 1e-10, 0);
    assert_int_equal(beside->stability, PF_NEUTRAL);
    assert_near(beside->im[0], w*sin(q), 1e-9, 0);
  }
  assert_near(point_with(&r, "q", 0)->re[0], sqrt(w*w - g/R), 1e-9, 0);
  end_study(&s);
}

/* Watt's governor (Pontryagin, Ordinary Differential Equations, section 27), with unit mass and length: steady where
 * cos(q) = F/k and w^2 = g/cos(q), with the characteristic polynomial
 * s^3 + b s^2 + w^2 sin(q)^2 s + 2 w sin(q)^2 cos(q) k/J; stable when b J w > 2 F. */
static void watts_governor_needs_friction(void **state)
{
  static const double friction[] = {1, 0.2};
  for (int i = 0; i < 2; i++) {
    Studied s;
    PfSteady r;
    char text[400];
    const double b = friction[i], k = 3, F = 1.8, J = 2, g = 9.81, c = F/k, w = sqrt(g/c), S = 1 - c*c;
    snprintf(text, sizeof text, "param b = %g, k = 3, F = 1.8, J = 2, g = 9.81\ncoord q, phi\n"
             "kinetic q'^2/2 + J/2*phi'^2\n"
             "force q = phi'^2*sin(q)*cos(q) - g*sin(q) - b*q', phi = k*cos(q) - F\nstart q = 0.8, phi' = 4", b);
    study_text(*state, text, &s);
    find(&s, PF_STEADY, 0, &r);
    const PfSteadyPoint *p = r.points;
    assert_true(is_cyclic(&r, "phi"));
    assert_near(p->x[index_of(&r, "q")], acos(c), 1e-10, 0);
    assert_near(p->x[index_of(&r, "phi'")], w, 1e-10, 0);
    assert_int_equal(p->stability, b*J*w > 2*F ? PF_STABLE : PF_UNSTABLE);
    assert_int_equal(p->count, 3);
    for (int e = 0; e < 3; e++) {
      const double x = p->re[e], y = p->im[e], free = 2*w*S*c*k/J;
      assert_near(x*x*x - 3*x*y*y + b*(x*x - y*y) + w*w*S*x + free, 0, 0, 1e-8);
      assert_near(3*x*x*y - y*y*y + 2*b*x*y + w*w*S*y, 0, 0, 1e-8);
    }
    end_study(&s);
  }
}

#define BALL "coord x, y, z [m], a, b, c [rad]\ngravity (0, 0, -g)\n" \
  "body ball in ground at (x, y, z) turn a about z turn b about x turn c about y { mass m, inertia 2/5*m*R^2 }\n"

/* The centre moves on the parallel surface, with the curvature 2k/(1 - 2kR) at the lowest point; rolling adds 2/5 of
 * the mass. */
static void a_ball_rests_in_a_paraboloid(void **state)
{
  static const char *const starts[] = {"start z = R", "start x = 0.1, y = 0.05"};
  for (int i = 0; i < 2; i++) {
    Studied s;
    PfSteady r;
    char text[600];
    snprintf(text, sizeof text, "param m = 0.3 [kg], R = 0.05 [m], k = 1 [1/m], g = 9.81 [m/s^2]\n"
             "let h(u, w) = k*(u^2 + w^2)\n" BALL "roll contact: ball ball { radius R } on surface h\n%s", starts[i]);
    study_text(*state, text, &s);
    find(&s, PF_EQUILIBRIA, 0, &r);
    assert_int_equal(r.count, 1);
    for (int j = 0; j < 3; j++) assert_near(r.points[0].q[j], j < 2 ? 0 : 0.05, 0, 1e-9);
    assert_int_equal(r.points[0].family, 2);
    assert_near(fabs(r.points[0].im[0]), sqrt(9.81*2/(1 - 2*0.05)/1.4), 1e-8, 0);
    end_study(&s);
  }
}

/* With a = +-90 degrees and velocities a', c', y' as independent ones x is not among them: rates of a chart that fails
 * vanish wherever the ball is. */
static void a_ball_on_a_spring_rests_where_the_spring_does(void **state)
{
  Studied s;
  PfSteady r;
  study_text(*state, "param m = 1 [kg], R = 0.1 [m], k = 3 [N/m], g = 9.81 [m/s^2]\n" BALL
             "roll contact: ball ball { radius R } on ground\nforce x = -k*x\nstart x = 0.3, z = R", &s);
  find(&s, PF_EQUILIBRIA, 0, &r);
  assert_int_equal(r.count, 1);
  assert_near(r.points[0].q[0], 0, 0, 1e-9);
  assert_near(r.points[0].q[2], 0.1, 1e-9, 0);
  assert_near(fabs(r.points[0].im[0]), sqrt(3/1.4), 1e-9, 0);
  end_study(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_pendulum_rests_below_and_above),
    with_fixture(a_constraint_does_not_change_the_equilibria),
    with_fixture(a_double_pendulum_has_four),
    with_fixture(steady_motions_of_the_driven_carriage),
    with_fixture(straight_motion_has_the_eigenvalues_of_its_polynomial),
    with_fixture(rotations_between_vertex_and_crossing_are_unstable),
    with_fixture(the_mecanum_carriage_settles),
    with_fixture(inertial_motions_form_families),
    with_fixture(the_heading_of_a_bicycle_is_cyclic),
    with_fixture(what_is_found_is_steady),
    with_fixture(what_changes_in_time_has_no_steady_motion),
    with_fixture(a_constraint_that_forbids_rest_is_named),
    with_fixture(nothing_found_is_no_failure),
    with_fixture(an_interval_of_nothing_is_refused),
    with_fixture(what_is_listed_does_not_change),
    with_fixture(a_state_is_listed_once),
    with_fixture(a_wound_spring_is_no_full_turn),
    with_fixture(a_family_is_shown_by_its_nearest_member),
    with_fixture(without_force_a_wheel_has_one_family),
    with_fixture(a_balanced_sleigh_has_one_family),
    with_fixture(a_particle_on_a_circle_rests_at_eight_places),
    with_fixture(a_pendulum_in_x_and_y_rests_below_and_above),
    with_fixture(a_first_order_state_rests_where_its_rate_vanishes),
    with_fixture(first_order_states_that_feed_nothing_back_are_no_less_states),
    with_fixture(pressures_beside_metres_are_four_states),
    with_fixture(a_servo_with_pressures_rests_where_it_is_wanted),
    with_fixture(a_motor_with_an_integrator_turns_at_its_speed),
    with_fixture(all_equilibria_of_random_potentials_are_found),
    with_fixture(a_bead_on_a_turning_hoop_has_four),
    with_fixture(watts_governor_needs_friction),
    with_fixture(a_ball_rests_in_a_paraboloid),
    with_fixture(a_ball_on_a_spring_rests_where_the_spring_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
