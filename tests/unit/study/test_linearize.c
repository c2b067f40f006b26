/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models: the benchmark bicycle, closed forms, and the flow of the simulation. */
#include "studies.h"

#include "study/field_flow.h"

#include <stdlib.h>

static void linear_model(Studied *s, const int *inputs, int count, PfLinear *l)
{
  if (pf_linearize(s->x.s.ctx, s->x.s.arena, s->d, inputs, count, l) != PF_OK)
    fail_msg("no linear model: %s", pf_context_message(s->x.s.ctx));
}

/* ---------------------------------------------------------------- the bicycle */

/* The nonzero eigenvalues, rightmost first; the others belong to place, heading, wheels and speed. */
static int nonzero(const PfLinear *l, double *re, double *im)
{
  int count = 0;
  for (int k = 0; k < l->states; k++)
    if (hypot(l->re[k], l->im[k]) > 1e-5) re[count] = l->re[k], im[count++] = l->im[k];
  return count;
}

static void check_speed(Fixture *f, const double row[9])
{
  Studied s;
  PfLinear l;
  double re[16], im[16];
  study_example(f, "bicycle", &s, "v", row[0], NULL);
  linear_model(&s, NULL, 0, &l);
  assert_int_equal(l.states, 10);
  assert_int_equal(nonzero(&l, re, im), 4);
  for (int k = 0; k < 4; k++) {
    assert_near(re[k], row[1 + 2*k], 2e-11, 2e-11); /* of a defective matrix of norm 30: ten digits */
    assert_near(im[k], row[2 + 2*k], 2e-11, 2e-11);
  }
  end_study(&s);
}

static void the_bicycle_has_the_eigenvalues_of_the_benchmark(void **state)
{
  FILE *file = fopen(PF_SOURCE_DIR "/tests/reference/bicycle-eigenvalues.csv", "r");
  char line[1024];
  int rows = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    double row[9];
    char *at = line;
    if (line[0] == '#' || line[0] == 'v') continue;
    for (int i = 0; i < 9; i++, at++) row[i] = strtod(at, &at);
    check_speed(*state, row);
    rows++;
  }
  fclose(file);
  assert_int_equal(rows, 21);
}

/* Lean and steer, as the paper writes them: M q'' + v C1 q' + (g K0 + v^2 K2) q = f. */
static void the_bicycle_has_the_matrices_of_the_benchmark(void **state)
{
  const double M[] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686};
  const double K0[] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618};
  const double K2[] = {0, 76.59734589573222, 0, 2.65431523794604}, v = 5, g = 9.81;
  Studied s;
  PfLinear l;
  study_example(*state, "bicycle", &s, NULL);
  linear_model(&s, NULL, 0, &l);
  int q[2] = {component(&s, "phi"), component(&s, "delta")}, w[2] = {component(&s, "phi'"), component(&s, "delta'")};
  const double sign[2] = {1, -1}; /* here y points to the left: steer is positive to the left, lean to the right */
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      double sum = g*K0[2*i + k] + v*v*K2[2*i + k]; /* M A + K = 0 */
      for (int j = 0; j < 2; j++) sum += M[2*i + j]*sign[j]*l.A[w[j]*l.states + q[k]]*sign[k];
      assert_near(sum, 0, 0, 1e-9);
    }
  end_study(&s);
}

/* ---------------------------------------------------------------- the flow */

/* x after a time T, by another integrator on the full equations. */
typedef struct Shot {
  Studied *s;
  const double *x;
  int k;
  double T;
} Shot;

static void shoot(void *user, double e, double *out)
{
  Shot *shot = user;
  Studied *s = shot->s;
  const PfSymbols *in = pf_system_symbols(s->x.system);
  double x[64];
  memcpy(x, shot->x, (size_t)s->size*sizeof *x);
  x[shot->k] += e;
  s->d->full[in->time] = 0;
  assert_int_equal(pf_dynamics_go(s->d, x), PF_OK);
  memcpy(s->x.s.values, s->d->full, (size_t)in->count*sizeof *x);
  Last last;
  run_to_end(&s->x, options_of("dop853", 1e-12, shot->T), &last);
  for (int i = 0; i < s->d->ny; i++) out[i] = last.q[s->d->y[i]];
  if (!s->d->speeds) {
    for (int i = 0; i < s->d->nj; i++) out[s->d->ny + i] = last.v[s->d->w[i]];
    return;
  }
  memcpy(s->x.s.values + in->q, last.q, (size_t)s->x.n*sizeof *x);
  memcpy(s->x.s.values + in->v, last.v, (size_t)s->x.n*sizeof *x);
  assert_int_equal(pf_dynamics_place(s->d, s->x.s.values), PF_OK); /* finds the speeds */
  pf_dynamics_get(s->d, x);
  memcpy(out + s->d->ny, x + s->d->ny, (size_t)s->d->nj*sizeof *x);
}

/* d x(T)/d x(0) by the variational equations is that of central differences of the simulated motion, to 1e-6. */
static void the_derivative_of_the_flow_is_that_of_the_simulation(void **state)
{
  static const char *const names[] = {"differential_drive", "snakeboard", "bicycle"};
  for (int m = 0; m < 3; m++) {
    Fixture *f = *state;
    Studied s;
    PfFieldFlow course;
    double x[64], out[2][64], T = 0.05;
    study_example(f, names[m], &s, NULL);
    pf_dynamics_get(s.d, x);
    assert_int_equal(pf_field_flow_make(f->ctx, f->arena, s.d, true, 1e-11, &course), PF_OK);
    for (int k = 0; k < s.size; k++) {
      Shot shot = {&s, x, k, T};
      const double h = 1e-4;
      shoot(&shot, h, out[0]);
      shoot(&shot, -h, out[1]);
      const PfSymbols *in = pf_system_symbols(s.x.system);
      s.d->full[in->time] = 0;
      assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
      pf_dynamics_unit(s.d, k, course.s);
      for (int i = 0; i < s.size; i++) course.y[s.size + i] = i == k;
      assert_int_equal(pf_field_flow_begin(&course, 1), PF_OK);
      while (course.t < T) assert_int_equal(pf_field_flow_step(&course, T), PF_OK);
      for (int i = 0; i < s.size; i++) {
        double difference = (out[0][i] - out[1][i])/(2*h);
        if (fabs(difference - course.y[s.size + i]) > 1e-6*fmax(1, fabs(difference)))
          fail_msg("%s: d x%d(T)/d x%d is %.12g, the simulation says %.12g", names[m], i, k, course.y[s.size + i],
                   difference);
      }
    }
    pf_field_flow_release(&course);
    end_study(&s);
  }
}

/* ---------------------------------------------------------------- closed forms */

/* m x'' = -k x - c x' + u: what every textbook has. */
static void a_mass_on_a_spring(void **state)
{
  Studied s;
  PfLinear l;
  const int inputs[] = {0};
  study_text(*state, "param m = 2, k = 8, c = 0.8\ncoord x\ninput u\nkinetic m/2*x'^2\npotential k/2*x^2\n"
             "dissipation c/2*x'^2\nforce x = u", &s);
  linear_model(&s, inputs, 1, &l);
  const double A[] = {0, 1, -4, -0.4};
  for (int i = 0; i < 4; i++) assert_near(l.A[i], A[i], 1e-14, 1e-15);
  assert_near(l.B[0], 0, 0, 1e-15);
  assert_near(l.B[1], 0.5, 1e-14, 0);
  assert_near(l.re[0], -0.2, 1e-13, 0);
  assert_near(l.im[0], sqrt(4 - 0.04), 1e-13, 0);
  assert_near(l.im[1], -l.im[0], 1e-13, 0);
  assert_int_equal(l.controllable, 2);
  end_study(&s);
}

/* Straight motion of the differential drive without torques: eigenvalue -Delta nu2/(Lambda^2 (Delta^2/Lambda^2 +
 * A3)). */
static void straight_motion_of_the_differential_drive(void **state)
{
  Studied s;
  PfLinear l;
  const double Delta = 0.5, Lambda = 2, A3 = 1 + 2*0.05, nu2 = 1;
  study_example(*state, "differential_drive", &s, "torque_at[1]", 0.0, "torque_at[2]", 0.0, NULL);
  double x[64];
  pf_dynamics_get(s.d, x);
  x[component(&s, "nu3")] = 0;
  assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
  linear_model(&s, NULL, 0, &l);
  double expected = -Delta*nu2/(Lambda*Lambda*(Delta*Delta/(Lambda*Lambda) + A3));
  assert_near(l.re[l.states - 1], expected, 1e-12, 0);
  assert_near(l.re[0], 0, 0, 1e-9);
  end_study(&s);
}

/* Inertial carriage, straight motion (nu1, nu2, 0): eigenvalue kappa nu2/(Lambda B). */
static void straight_motion_of_the_inertial_carriage(void **state)
{
  const double kappa = 0.13953488372093023, B = 1.1976744186046512;
  for (double nu2 = -6; nu2 < 7; nu2 += 12) {
    Studied s;
    PfLinear l;
    double x[64];
    study_example(*state, "carriage_inertia", &s, NULL);
    pf_dynamics_get(s.d, x);
    x[component(&s, "nu[2]")] = nu2, x[component(&s, "nu[3]")] = 0;
    assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
    linear_model(&s, NULL, 0, &l);
    assert_near(l.re[nu2 > 0 ? 0 : l.states - 1], kappa*nu2/(2*B), 1e-9, 0);
    end_study(&s);
  }
}

/* Piano wheel, theta = 0 and pi: eigenvalues +-sqrt(D F/J1), real and imaginary. */
static void the_heading_of_the_piano_wheel(void **state)
{
  for (int half = 0; half < 2; half++) {
    Studied s;
    PfLinear l;
    double x[64];
    study_example(*state, "piano_wheel", &s, NULL);
    pf_dynamics_get(s.d, x);
    x[component(&s, "theta")] = half ? acos(-1) : 0;
    assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
    linear_model(&s, NULL, 0, &l);
    double real = 0, imaginary = 0;
    for (int k = 0; k < l.states; k++) real = fmax(real, l.re[k]), imaginary = fmax(imaginary, l.im[k]);
    assert_near(half ? imaginary : real, 3.8729833462074169, 1e-9, 0);
    end_study(&s);
  }
}

/* ---------------------------------------------------------------- ranks */

/* Two masses, a force on the first: without a spring between them the second stays out of reach. */
static void what_is_not_coupled_cannot_be_reached(void **state)
{
  for (int coupled = 0; coupled < 2; coupled++) {
    Studied s;
    PfLinear l;
    char text[300];
    const int inputs[] = {0};
    snprintf(text, sizeof text,
             "coord x, y\ninput u\nkinetic x'^2/2 + y'^2/2\npotential x^2 + y^2 + %d*(x - y)^2\nforce x = u",
             coupled);
    study_text(*state, text, &s);
    linear_model(&s, inputs, 1, &l);
    assert_int_equal(l.controllable, coupled ? 4 : 2);
    end_study(&s);
  }
}

/* A chain of ten masses pushed at one end is controllable: powers of A would hide it behind rounding. */
static void a_long_chain_is_controllable(void **state)
{
  Studied s;
  PfLinear l;
  const int inputs[] = {0};
  study_text(*state, "coord x[10]\ninput u\nkinetic sum(i in 1..10, x[i]'^2/2)\n"
             "potential sum(i in 1..9, 50*(x[i + 1] - x[i])^2)\nforce x[1] = u", &s);
  linear_model(&s, inputs, 1, &l);
  assert_int_equal(l.controllable, 20);
  end_study(&s);
}

static void a_parameter_may_be_an_input(void **state)
{
  Studied s;
  PfLinear l;
  study_example(*state, "differential_drive", &s, NULL);
  const int inputs[] = {-1 - parameter(&s, "torque_at[1]")};
  linear_model(&s, inputs, 1, &l);
  /* A2 nu2' = … + M1/(M R^2), A2 = 1.1, M R^2 = 0.1 */
  assert_near(l.B[component(&s, "nu2")], 1/(1.1*0.1), 1e-12, 0);
  end_study(&s);
}

static void an_input_in_a_constraint_is_refused(void **state)
{
  Studied s;
  PfLinear l;
  const int inputs[] = {0};
  study_text(*state, "coord x, y\ninput u = 0\nkinetic x'^2/2 + y'^2/2\nconstraint drive: x' = u", &s);
  assert_int_equal(pf_linearize(s.x.s.ctx, s.x.s.arena, s.d, inputs, 1, &l), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.x.s.ctx), "enters the constraint 'drive'");
  end_study(&s);
}

static void a_kink_is_refused(void **state)
{
  Studied s;
  PfLinear l;
  study_text(*state, "coord x\nkinetic x'^2/2\nforce x = -sign(x')", &s);
  assert_int_equal(pf_linearize(s.x.s.ctx, s.x.s.arena, s.d, NULL, 0, &l), PF_ERR_NUMBER);
  assert_contains(pf_context_message(s.x.s.ctx), "kink");
  end_study(&s);
}

static PfMotionKind motion_of(Fixture *f, const char *text)
{
  Studied s;
  PfLinear l;
  study_text(f, text, &s);
  assert_int_equal(pf_linearize(s.x.s.ctx, s.x.s.arena, s.d, NULL, 0, &l), PF_OK);
  PfMotionKind kind = l.motion;
  end_study(&s);
  return kind;
}

static void rest_steady_motion_and_others_are_told_apart(void **state)
{
  Studied s;
  PfLinear l;
  assert_int_equal(motion_of(*state, "param m = 1\ncoord q [rad]\nkinetic m*q'^2/2\npotential -m*cos(q)"),
                   PF_MOTION_REST);
  assert_int_equal(motion_of(*state, "param m = 1\ncoord q [rad]\nkinetic m*q'^2/2\npotential -m*cos(q)\nstart q = 1"),
                   PF_MOTION_CHANGING);
  assert_int_equal(motion_of(*state, "coord x\nkinetic x'^2/2\nstart x' = 3"), PF_MOTION_STEADY);
  assert_int_equal(motion_of(*state, "coord x\nkinetic x'^2/2\npotential -1e-9*x"), PF_MOTION_CHANGING);
  study_example(*state, "bicycle", &s, NULL); /* rolls straight at 5 m/s */
  assert_int_equal(pf_linearize(s.x.s.ctx, s.x.s.arena, s.d, NULL, 0, &l), PF_OK);
  assert_int_equal(l.motion, PF_MOTION_STEADY);
  end_study(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_bicycle_has_the_eigenvalues_of_the_benchmark),
    with_fixture(the_bicycle_has_the_matrices_of_the_benchmark),
    with_fixture(the_derivative_of_the_flow_is_that_of_the_simulation),
    with_fixture(a_mass_on_a_spring),
    with_fixture(straight_motion_of_the_differential_drive),
    with_fixture(straight_motion_of_the_inertial_carriage),
    with_fixture(the_heading_of_the_piano_wheel),
    with_fixture(what_is_not_coupled_cannot_be_reached),
    with_fixture(a_long_chain_is_controllable),
    with_fixture(a_parameter_may_be_an_input),
    with_fixture(an_input_in_a_constraint_is_refused),
    with_fixture(a_kink_is_refused),
    with_fixture(rest_steady_motion_and_others_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
