/* SPDX-License-Identifier: Apache-2.0 */
/* The residuals of implicit methods: zero at a solution, and slopes as difference quotients have them. */
#include "motions.h"

#include "time/residual.h"

static const char system_of_all_kinds[] =
    "model all\nparam m = 2, g = 9.81\ninput u = sin(2*t)\ncoord x, y, z, th\n"
    "kinetic m/2*(x'^2 + y'^2 + z'^2) + (1 + x^2)/2*th'^2\npotential m*g*y\nforce th = u - 0.1*th'\n"
    "constraint ring: x^2 + y^2 = 1 + 0.1*t\nconstraint edge: sin(th)*x' - cos(th)*z' = 0\n"
    "constraint law: th'' + x*z'' = 0.3*y'\nstart x = 1\n";

typedef struct Point {
  double y[8], a[4], lambda[3], mu[1];
} Point;

enum { COLUMNS = 8 + 4 + 3 + 1 };

static double *slot_of(Point *point, int column)
{
  return column < 8    ? &point->y[column]
         : column < 12 ? &point->a[column - 8]
         : column < 15 ? &point->lambda[column - 12]
                       : &point->mu[column - 15];
}

static void open_residuals(Fixture *f, PfIndex index, Moving *x, PfMotionRun *run,
                           PfResiduals *residuals)
{
  open_text(f, system_of_all_kinds, x);
  *run = still_run(x);
  assert_int_equal(pf_residuals_make(run, index, residuals), PF_OK);
  assert_non_null(residuals->jacobian);
}

static void close_residuals(Moving *x, PfMotionRun *run)
{
  end_still_run(run);
  close_moving(x);
}

static void index_2_has_a_row_for_every_position(void **state)
{
  Moving x;
  PfMotionRun run;
  PfResiduals residuals;
  open_residuals(*state, PF_INDEX_1, &x, &run, &residuals);
  assert_int_equal(residuals.p, 0);
  assert_int_equal(residuals.count, 8 + 3);
  close_residuals(&x, &run);
  open_residuals(*state, PF_INDEX_2, &x, &run, &residuals);
  assert_int_equal(residuals.p, 1);
  assert_int_equal(residuals.position_row[0], 0);
  assert_int_equal(residuals.count, 8 + 3 + 1);
  close_residuals(&x, &run);
}

/* The accelerations and multipliers of the formulation solve the rows of motion and of index 1. */
static void they_vanish_at_a_solution(void **state)
{
  Moving x;
  PfMotionRun run;
  PfResiduals residuals;
  uint64_t seed = 5;
  open_residuals(*state, PF_INDEX_1, &x, &run, &residuals);
  for (int k = 0; k < 20; k++) {
    int row;
    double a[4];
    PfMotion motion = {.acceleration = a, .multiplier = run.flow.multiplier};
    set_random_state(&x.s, &seed);
    assert_int_equal(pf_solver_accelerate(run.flow.solver, run.flow.values, &motion, &row), PF_TROUBLE_NONE);
    pf_residuals_set(&residuals, run.symbols, run.flow.values[run.symbols->time], run.state.y, a, run.flow.multiplier,
                     NULL);
    assert_int_equal(pf_residuals_find(&residuals), -1);
    double size = 1 + largest(a, 4) + largest(run.flow.multiplier, 3);
    for (int i = 0; i < 4; i++) assert_near(residuals.r[i], run.state.y[4 + i], 0, 0);
    for (int i = 4; i < residuals.count; i++) assert_near(residuals.r[i], 0, 0, 1e-12*size);
  }
  close_residuals(&x, &run);
}

static void find_at(PfResiduals *residuals, const PfMotionRun *run, const Point *point, double *r)
{
  pf_residuals_set(residuals, run->symbols, 0.4, point->y, point->a, point->lambda, point->mu);
  assert_int_equal(pf_residuals_find(residuals), -1);
  memcpy(r, residuals->r, (size_t)residuals->count*sizeof *r);
}

/* Central differences: exact to h^2 for the curvature here, and to rounding over h. */
static void slopes_are_those_of_difference_quotients(void **state)
{
  for (int index = PF_INDEX_1; index <= PF_INDEX_2; index++) {
    Moving x;
    PfMotionRun run;
    PfResiduals residuals;
    Point point;
    uint64_t seed = 9;
    double plus[16], minus[16], slope[16][COLUMNS] = {{0}};
    const double h = 1e-6;
    open_residuals(*state, (PfIndex)index, &x, &run, &residuals);
    for (int j = 0; j < COLUMNS; j++) *slot_of(&point, j) = draw_number(&seed);
    find_at(&residuals, &run, &point, plus);
    pf_residuals_jacobian(&residuals);
    for (int i = 0; i < residuals.entries.count; i++)
      slope[residuals.entries.row[i]][residuals.entries.column[i]] = residuals.value[i];
    for (int j = 0; j < COLUMNS - (index == PF_INDEX_1); j++) {
      double *number = slot_of(&point, j), kept = *number;
      *number = kept + h;
      find_at(&residuals, &run, &point, plus);
      *number = kept - h;
      find_at(&residuals, &run, &point, minus);
      *number = kept;
      for (int i = 0; i < residuals.count; i++) assert_near((plus[i] - minus[i])/(2*h), slope[i][j], 1e-7, 1e-7);
    }
    close_residuals(&x, &run);
  }
}

/* d sqrt(x)/dx at 0 only steers an iteration. */
static void slopes_that_are_not_finite_count_as_zero(void **state)
{
  Moving x;
  PfResiduals residuals;
  const double y[2] = {0, 1}, a[1] = {0};
  open_text(*state, "model root\ncoord x\nkinetic x'^2/2\nforce x = sqrt(x)\n", &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_residuals_make(&run, PF_INDEX_1, &residuals), PF_OK);
  pf_residuals_set(&residuals, run.symbols, 0, y, a, run.flow.multiplier, NULL);
  assert_int_equal(pf_residuals_find(&residuals), -1);
  pf_residuals_jacobian(&residuals);
  for (int i = 0; i < residuals.entries.count; i++) assert_true(isfinite(residuals.value[i]));
  end_still_run(&run);
  close_moving(&x);
}

static void a_row_that_is_not_finite_is_named(void **state)
{
  Moving x;
  PfResiduals residuals;
  const double y[4] = {-1, 0, 1, 0}, a[2] = {0};
  open_text(*state, "model root\ncoord z, x\nkinetic (x'^2 + z'^2)/2\nforce x = sqrt(z)\n", &x);
  PfMotionRun run = still_run(&x);
  assert_int_equal(pf_residuals_make(&run, PF_INDEX_1, &residuals), PF_OK);
  pf_residuals_set(&residuals, run.symbols, 0, y, a, run.flow.multiplier, NULL);
  assert_int_equal(pf_residuals_find(&residuals), 3); /* rates 0, 1, motion of z, motion of x */
  end_still_run(&run);
  close_moving(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(index_2_has_a_row_for_every_position),
    with_fixture(they_vanish_at_a_solution),
    with_fixture(slopes_are_those_of_difference_quotients),
    with_fixture(slopes_that_are_not_finite_count_as_zero),
    with_fixture(a_row_that_is_not_finite_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
