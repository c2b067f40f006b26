/* SPDX-License-Identifier: Apache-2.0 */
/* The vector field and its derivatives, against differences of the field and accelerations found otherwise. */
#include "studies.h"

/* Models with every kind of state: speeds, chosen velocities, holonomic and nonholonomic constraints, contact
 * coordinates. */
static const char *const models[] = {"differential_drive", "snakeboard", "bicycle", "leaning_disc", "ball_on_surface",
                                     "carriage_omni3", "double_pendulum_bodies", "free_floating_cm"};
enum { MODELS = sizeof models/sizeof *models };

/* ---------------------------------------------------------------- along a line */

typedef struct Line {
  Studied *s;
  const double *x, *d;
  int part; /* 0: f; 1: Df, row by row */
} Line;

static void along(void *user, double e, double *out)
{
  Line *line = user;
  double x[64];
  int n = line->s->size;
  for (int i = 0; i < n; i++) x[i] = line->x[i] + e*line->d[i];
  assert_int_equal(pf_dynamics_go(line->s->d, x), PF_OK);
  if (line->part == 0) pf_dynamics_rate(line->s->d, out);
  else assert_int_equal(pf_dynamics_jacobian(line->s->d, out, NULL), PF_OK);
}

/* Moves a little away from the start, where many terms vanish. */
static void leave_start(Studied *s, double *x)
{
  pf_dynamics_get(s->d, x);
  for (int i = 0; i < s->size; i++) x[i] += 0.02*sin(3*i + 1);
  assert_int_equal(pf_dynamics_go(s->d, x), PF_OK);
}

static double largest_entry(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* 1e-10 of the largest entry: what extrapolated differences can tell. */
static void first_derivatives_are_those_of_extrapolated_differences(void **state)
{
  for (int m = 0; m < MODELS; m++) {
    Fixture *f = *state;
    Studied s;
    static double A[64*64];
    double x[64], d[64] = {0}, column[64];
    study_example(f, models[m], &s, NULL);
    leave_start(&s, x);
    assert_int_equal(pf_dynamics_jacobian(s.d, A, NULL), PF_OK);
    double scale = fmax(1, largest_entry(A, s.size*s.size));
    for (int k = 0; k < s.size; k++) {
      Line line = {&s, x, d, 0};
      d[k] = 1;
      romberg(along, &line, s.size, 0.02, column);
      d[k] = 0;
      for (int i = 0; i < s.size; i++)
        if (fabs(A[i*s.size + k] - column[i]) > 1e-10*scale)
          fail_msg("%s: d%s'/d%s is %.17g, differences give %.17g", models[m], pf_dynamics_name(s.d, f->arena, i),
                   pf_dynamics_name(s.d, f->arena, k), A[i*s.size + k], column[i]);
    }
    end_study(&s);
  }
}

/* Second and third derivatives along directions, from differences of the exact first and second ones. */
static void second_derivatives_are_differences_of_first_ones(void **state)
{
  for (int m = 0; m < MODELS; m++) {
    Studied s;
    static double slope[64*64], sa[512], sb[512], sc[512], constant[512], out[512];
    double x[64], a[64], b[64], df[64];
    study_example(*state, models[m], &s, NULL);
    if (s.size*s.size > ROMBERG_MOST) {
      end_study(&s);
      continue;
    }
    leave_start(&s, x);
    for (int i = 0; i < s.size; i++) a[i] = cos(2*i), b[i] = sin(i + 0.5);
    pf_dynamics_direction(s.d, a, sa);
    pf_dynamics_direction(s.d, b, sb);
    assert_int_equal(pf_dynamics_complete(s.d, sa, NULL, out), PF_OK);
    assert_int_equal(pf_dynamics_complete(s.d, sb, NULL, out), PF_OK);
    assert_int_equal(pf_dynamics_second(s.d, sa, sb, constant), PF_OK);
    memset(sc, 0, sizeof sc);
    assert_int_equal(pf_dynamics_complete(s.d, sc, constant, out), PF_OK);
    pf_dynamics_rate_of(s.d, sc, out, df);
    Line line = {&s, x, b, 1};
    romberg(along, &line, s.size*s.size, 0.01, slope);
    double scale = fmax(1, largest_entry(slope, s.size*s.size));
    for (int i = 0; i < s.size; i++) {
      double sum = 0;
      for (int k = 0; k < s.size; k++) sum += slope[i*s.size + k]*a[k];
      if (fabs(sum - df[i]) > 1e-8*scale)
        fail_msg("%s: component %d is %.17g, differences give %.17g", models[m], i, df[i], sum);
    }
    end_study(&s);
  }
}

/* ---------------------------------------------------------------- the field itself */

/* x' at a state must be that of the accelerations by another formulation. */
static void rates_are_those_of_udwadia_and_kalaba(void **state)
{
  for (int m = 0; m < 3; m++) {
    Studied s;
    double x[64], rate[64], a[64], lambda[64], force[64];
    int row;
    study_example(*state, models[m], &s, NULL);
    leave_start(&s, x);
    pf_dynamics_rate(s.d, rate);
    PfSolver *solver;
    PfMotion motion = {a, lambda, force};
    assert_int_equal(pf_solver_new(s.x.s.ctx, s.x.system, pf_formulation_find("udwadia_kalaba"), &solver), PF_OK);
    assert_int_equal(pf_solver_accelerate(solver, s.d->full, &motion, &row), PF_TROUBLE_NONE);
    for (int k = 0; k < s.d->nj && !s.d->speeds; k++) assert_near(rate[s.d->ny + k], a[s.d->w[k]], 1e-9, 1e-9);
    const PfSymbols *in = pf_system_symbols(s.x.system);
    for (int k = 0; k < s.d->ny; k++) assert_near(rate[k], s.d->full[in->v + s.d->y[k]], 1e-13, 1e-13);
    pf_solver_free(solver);
    end_study(&s);
  }
}

static void holonomic_constraints_take_coordinates_away_and_rolling_takes_velocities(void **state)
{
  Studied s;
  study_example(*state, "bicycle", &s, NULL);
  assert_int_equal(s.d->ny, 7); /* nine coordinates, two heights */
  assert_int_equal(s.d->nj, 3); /* lean, steer, speed */
  for (int k = 0; k < s.d->ny; k++) {
    assert_string_not_equal(pf_dynamics_name(s.d, s.x.s.arena, k), "z");
    assert_string_not_equal(pf_dynamics_name(s.d, s.x.s.arena, k), "theta");
  }
  end_study(&s);
}

/* Leaning, the bicycle must pitch: the dependent coordinates follow, and both heights hold. */
static void dependent_coordinates_follow(void **state)
{
  Studied s;
  double x[64];
  study_example(*state, "bicycle", &s, NULL);
  pf_dynamics_get(s.d, x);
  x[component(&s, "phi")] = 0.4;
  x[component(&s, "delta")] = 0.3;
  assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
  assert_true(fabs(s.d->phi[0]) < 1e-14 && fabs(s.d->phi[1]) < 1e-14);
  const PfSymbols *in = pf_system_symbols(s.x.system);
  assert_true(fabs(s.d->full[in->q + coordinate(&s.x.s, "theta")]) > 1e-4);
  end_study(&s);
}

static void a_chart_ends_where_the_constraints_cannot_hold(void **state)
{
  Studied s;
  double x[4];
  study_text(*state,
             "coord x, y [m]\nkinetic x'^2/2*1 [kg] + y'^2/2*1 [kg]\nconstraint rod: x^2 + y^2 = 1\nstart y = 1", &s);
  pf_dynamics_get(s.d, x);
  x[0] = 1.5; /* beyond the circle */
  assert_int_equal(pf_dynamics_go(s.d, x), PF_ERR_NUMBER);
  end_study(&s);
}

/* U = c2/c1*(n2, -n2, -n1): the voltages are definitions, which follow the parameter. */
static void definitions_move_with_the_parameter_they_are_made_of(void **state)
{
  Studied s;
  double slope[64], x[64], before[64], after[64];
  const double h = 1e-3;
  study_example(*state, "carriage_steady", &s, NULL);
  int n2 = parameter(&s, "n2"), np = s.d->model->parameter_count;
  PfTape *tape;
  assert_int_equal(pf_dynamics_parameter_tape(s.d, n2, &tape), PF_OK);
  double *work = pf_arena_array(s.x.s.arena, double, pf_tape_work_size(tape));
  pf_tape_run(tape, s.d->full, slope, work);
  assert_near(slope[n2], 1, 0, 0);
  static double direction[512], out[512];
  memcpy(direction + s.d->at_parameters, slope, (size_t)np*sizeof *slope);
  assert_int_equal(pf_dynamics_complete(s.d, direction, NULL, out), PF_OK);
  pf_dynamics_rate_of(s.d, direction, out, slope);
  pf_dynamics_get(s.d, x);
  assert_int_equal(pf_dynamics_set_parameter(s.d, n2, 16 + h), PF_OK);
  assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
  pf_dynamics_rate(s.d, after);
  assert_int_equal(pf_dynamics_set_parameter(s.d, n2, 16 - h), PF_OK);
  assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
  pf_dynamics_rate(s.d, before);
  for (int i = 0; i < s.size; i++) assert_near(slope[i], (after[i] - before[i])/(2*h), 1e-9, 1e-9); /* linear in n2 */
  pf_tape_free(tape);
  end_study(&s);
}

static void a_kink_is_found_where_it_is_and_only_there(void **state)
{
  Studied s;
  double x[2];
  study_text(*state, "coord x\nkinetic x'^2/2\nforce x = -abs(x)", &s);
  assert_int_equal(pf_dynamics_check_smooth(s.d), PF_ERR_NUMBER);
  assert_contains(pf_context_message(s.x.s.ctx), "kink");
  x[0] = 0.1, x[1] = 0;
  assert_int_equal(pf_dynamics_go(s.d, x), PF_OK);
  assert_int_equal(pf_dynamics_check_smooth(s.d), PF_OK);
  end_study(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(first_derivatives_are_those_of_extrapolated_differences),
    with_fixture(second_derivatives_are_differences_of_first_ones),
    with_fixture(rates_are_those_of_udwadia_and_kalaba),
    with_fixture(holonomic_constraints_take_coordinates_away_and_rolling_takes_velocities),
    with_fixture(dependent_coordinates_follow),
    with_fixture(a_chart_ends_where_the_constraints_cannot_hold),
    with_fixture(definitions_move_with_the_parameter_they_are_made_of),
    with_fixture(a_kink_is_found_where_it_is_and_only_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
