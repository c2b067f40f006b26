/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations, multipliers and constraint forces of the examples against independent numbers (tests/reference). */
#include "references.h"

/* ---------------------------------------------------------------- the solution at a state */

typedef struct Solution {
  double *a, *lambda;
  double *inertial;   /* M q'' */
  double *constraint; /* A^T lambda */
  double *applied;    /* F */
} Solution;

static void find_solution(const System *s, Solution *sol)
{
  int n = s->eq.n, m = s->eq.m;
  double *M = pf_arena_array(s->arena, double, n*n), *A = pf_arena_array(s->arena, double, m*n + 1);
  sol->a = pf_arena_array(s->arena, double, n);
  sol->lambda = pf_arena_array(s->arena, double, m + 1);
  sol->inertial = pf_arena_array(s->arena, double, n);
  sol->constraint = pf_arena_array(s->arena, double, n);
  sol->applied = pf_arena_array(s->arena, double, n);
  solve(s, sol->a, sol->lambda);
  evaluate(s, s->eq.M, n*n, M);
  evaluate(s, s->eq.A, m*n, A);
  evaluate(s, s->eq.F, n, sol->applied);
  for (int i = 0; i < n; i++) {
    sol->inertial[i] = pf_dot(M + i*n, sol->a, n);
    sol->constraint[i] = 0;
    for (int k = 0; k < m; k++) sol->constraint[i] += A[k*n + i]*sol->lambda[k];
  }
}

/* ---------------------------------------------------------------- the published systems */

/* 17 digits of the table and the rounding of a small system leave 1e-12 of the number itself, and as much of the
 * largest number of its kind where terms cancel. */
static void compare_case(System *s, const Table *table, const Case *c)
{
  const double rtol = 1e-12, cancelled = 1e-13;
  Solution sol;
  find_solution(s, &sol);
  double a_size = largest(sol.a, s->eq.n), f_size = fmax(largest(sol.inertial, s->eq.n), c->cancels);
  for (int i = 1; i < table->lines; i++) {
    if (strcmp(table->cell[i][0], c->name) != 0) continue;
    const char *name = table->cell[i][1];
    double force = cell(table, i, "force");
    if (is_multiplier(table, i)) {
      assert_near(sol.lambda[constraint(s, name + 7)], (c->millimetres ? 1e-3 : 1)*force, rtol, cancelled*f_size);
      continue;
    }
    int k = coordinate(s, name);
    double unit = unit_of(c, name), force_unit = c->millimetres ? (unit < 1 ? 1e-3 : 1e-6) : 1;
    assert_near(sol.a[k], unit*cell(table, i, "acceleration"), rtol, cancelled*a_size);
    assert_near(sol.constraint[k], force_unit*force, rtol, cancelled*f_size);
  }
}

static void the_published_systems_accelerate_as_tabulated(void **state)
{
  Fixture *f = *state;
  const Table *table = read_table(f, "accelerations.csv");
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    const Case *c = cases + i;
    System s;
    load_system(f, c->model, &s);
    for (int k = 0; k < 2 && c->parameter[k]; k++) set_parameter(&s, c->parameter[k], c->value[k]);
    assert_int_equal(set_case_state(&s, table, c), s.eq.n);
    compare_case(&s, table, c);
    pf_model_free(s.model);
  }
}

static void every_case_of_the_table_is_compared(void **state)
{
  const Table *table = read_table(*state, "accelerations.csv");
  for (int i = 1; i < table->lines; i++) {
    bool known = false;
    for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) known = known || !strcmp(cases[k].name, table->cell[i][0]);
    if (!known) fail_msg("'%s' is not compared", table->cell[i][0]);
  }
}

/* Where a model has speeds, the velocities they give satisfy every constraint identically. */
static void rates_by_speeds_satisfy_the_constraints(void **state)
{
  static const char *const models[] = {"carriage_mecanum", "carriage_omni3", "two_omni", "differential_drive"};
  for (size_t i = 0; i < sizeof models/sizeof *models; i++) {
    System s;
    load_system(*state, models[i], &s);
    assert_true(s.model->speed_count > 0);
    PfExpr v[16];
    for (int k = 0; k < s.eq.n; k++) v[k] = s.model->coordinates[k].v;
    for (int k = 0; k < s.eq.m; k++) {
      PfExpr left;
      assert_int_equal(pf_expr_substitute(s.ctx, s.eq.velocity + k, 1, v, s.eq.rate, s.eq.n, &left), PF_OK);
      assert_formula(&s, left, "0");
    }
    pf_model_free(s.model);
  }
}

/* ---------------------------------------------------------------- motions with accelerations */

/* The files write M q'' + Phi^T lambda = f: their multipliers are minus ours. `grown` is how much the rounding of the
 * state may be magnified. */
static void compare_motion(System *s, const Table *table, const char *const *multipliers, double grown)
{
  for (int line = 1; line < table->lines; line++) {
    for (int k = 0; k < s->eq.n; k++)
      set_line_state(s, table, line, s->model->coordinates[k].name, s->model->coordinates[k].name);
    Solution sol;
    find_solution(s, &sol);
    double tolerance = 1e-12*grown, a_size = largest(sol.a, s->eq.n), l_size = largest(sol.lambda, s->eq.m);
    for (int k = 0; k < s->eq.n; k++)
      assert_near(sol.a[k], line_acceleration(table, line, s->model->coordinates[k].name), tolerance, tolerance*a_size);
    for (int k = 0; k < s->eq.m; k++)
      assert_near(-sol.lambda[k], cell(table, line, multipliers[k]), tolerance, tolerance*l_size);
  }
}

static void the_snakeboard_starts_as_computed_independently(void **state)
{
  static const double a[] = {1.9740254856336105, 1.7095562182766201, 8.5477810913831005, -11.325558869160878,
                             -8.5477810913831005, -89.101438875736773};
  static const double lambda[] = {-5.5485567989736857, -9.4175610213720698};
  static const char *const models[] = {"snakeboard", "snakeboard_bodies"};
  for (int i = 0; i < 2; i++) {
    System s;
    load_system(*state, models[i], &s);
    set_parameter(&s, "F", 20);
    set_state(&s, "psi", 0.2, 0);
    set_state(&s, "phi_f", acos(-1)/3, 0);
    Solution sol;
    find_solution(&s, &sol);
    for (int k = 0; k < 6; k++) assert_near(sol.a[k], a[k], 1e-12, 0);
    for (int k = 0; k < 2; k++) assert_near(-sol.lambda[k], lambda[k], 1e-12, 0);
    pf_model_free(s.model);
  }
}

static void the_snakeboard_accelerates_as_computed_independently(void **state)
{
  static const char *const multipliers[] = {"lambda_b", "lambda_f"};
  static const char *const models[] = {"snakeboard", "snakeboard_bodies"};
  for (int i = 0; i < 2; i++) {
    System s;
    load_system(*state, models[i], &s);
    set_parameter(&s, "F", 1);
    compare_motion(&s, read_table(*state, "snakeboard-F1.csv"), multipliers, 1);
    set_parameter(&s, "F", 20);
    compare_motion(&s, read_table(*state, "snakeboard-F20.csv"), multipliers, 100); /* nears a loss of rank */
    pf_model_free(s.model);
  }
}

static void the_sleigh_accelerates_as_computed_independently(void **state)
{
  static const char *const multipliers[] = {"lambda"};
  System s;
  load_system(*state, "sleigh_variable_mass", &s);
  compare_motion(&s, read_table(*state, "sleigh-variable-mass.csv"), multipliers, 1);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- the hand */

static void the_hand_accelerates_as_computed_independently(void **state)
{
  const Table *table = read_table(*state, "hand-state.csv");
  assert_int_equal(table->lines, 19);
  for (size_t l = 0; l < sizeof loads/sizeof *loads; l++) {
    System s;
    load_hand(*state, loads + l, &s);
    char name[8];
    for (int i = 1; i < table->lines; i++)
      set_state(&s, hand_name(table->cell[i][0], name), cell(table, i, "q"), cell(table, i, "qd"));
    Solution sol;
    find_solution(&s, &sol);
    for (int i = 1; i < table->lines; i++) {
      int k = coordinate(&s, hand_name(table->cell[i][0], name));
      assert_near(sol.a[k], cell(table, i, loads[l].acceleration), hand_tolerance, 1e-13*hand_acceleration);
      assert_near(sol.inertial[k] - sol.applied[k], cell(table, i, loads[l].force), hand_tolerance, 1e-13);
    }
    pf_model_free(s.model);
  }
}

static void compare_contact_forces(const System *s, const Solution *sol, const Table *table, int line, bool resistance)
{
  double size = 1e-11*fmax(1, largest(sol->lambda, s->eq.m));
  for (int finger = 1; finger <= 3; finger++) {
    char column[8], row[16], u[8], v[8];
    for (int k = 0; k < 2; k++) {
      snprintf(column, sizeof column, "F%d%c", finger, 'x' + k);
      snprintf(row, sizeof row, "f%d.slip.%c", finger, 'x' + k);
      assert_near(-sol->lambda[constraint(s, row)], cell(table, line, column), hand_tolerance, size);
    }
    snprintf(row, sizeof row, "f%d.arcs", finger);
    assert_near(sol->lambda[constraint(s, row)], 0, 0, size);
    snprintf(row, sizeof row, "f%d.normal", finger);
    snprintf(u, sizeof u, "u%d_d", finger);
    snprintf(v, sizeof v, "v%d_d", finger);
    double moment = (resistance ? 2e-4 : 0)*(cell(table, line, u) - cell(table, line, v));
    assert_near(sol->lambda[constraint(s, row)], moment, hand_tolerance, 0.1*size);
  }
}

static void the_contact_forces_of_the_hand_are_the_multipliers(void **state)
{
  Fixture *f = *state;
  const Table *coordinates = read_table(f, "hand-state.csv");
  for (size_t l = 0; l < sizeof loads/sizeof *loads; l++) {
    const Table *motion = read_table(f, loads[l].motion);
    System s;
    load_hand(f, loads + l, &s);
    for (int line = 1; line < motion->lines; line++) {
      char name[8];
      for (int i = 1; i < coordinates->lines; i++)
        set_line_state(&s, motion, line, coordinates->cell[i][0], hand_name(coordinates->cell[i][0], name));
      Solution sol;
      find_solution(&s, &sol);
      double size = fmax(hand_acceleration, largest(sol.a, s.eq.n));
      for (int i = 1; i < coordinates->lines; i++)
        assert_near(sol.a[coordinate(&s, hand_name(coordinates->cell[i][0], name))],
                    line_acceleration(motion, line, coordinates->cell[i][0]), hand_tolerance, 1e-12*size);
      compare_contact_forces(&s, &sol, motion, line, loads[l].resistance);
    }
    pf_model_free(s.model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_published_systems_accelerate_as_tabulated),
    with_fixture(every_case_of_the_table_is_compared),
    with_fixture(rates_by_speeds_satisfy_the_constraints),
    with_fixture(the_snakeboard_starts_as_computed_independently),
    with_fixture(the_snakeboard_accelerates_as_computed_independently),
    with_fixture(the_sleigh_accelerates_as_computed_independently),
    with_fixture(the_hand_accelerates_as_computed_independently),
    with_fixture(the_contact_forces_of_the_hand_are_the_multipliers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
