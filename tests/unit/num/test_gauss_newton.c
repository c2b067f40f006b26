/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/newton.h"
#include "num/num.h"

#include <limits.h>

static PfGaussNewtonResult result;

/* A four-bar linkage with bars 1, 2, 2, 2.5: closing it is two equations in three angles. */
static PfStatus four_bar(void *user, const double *x, double *r, double *J)
{
  static const double bar[] = {1, 2, 2};
  (void)user;
  r[0] = -2.5;
  r[1] = 0;
  for (int j = 0; j < 3; j++) {
    r[0] += bar[j]*cos(x[j]);
    r[1] += bar[j]*sin(x[j]);
    if (J) J[j] = -bar[j]*sin(x[j]);
    if (J) J[3 + j] = bar[j]*cos(x[j]);
  }
  return PF_OK;
}

static void a_linkage_is_closed(void **state)
{
  Fixture *f = *state;
  double x[] = {1.2, 0.3, -0.8}, r[2];
  assert_int_equal(pf_gauss_newton(f->ctx, four_bar, NULL, 2, 3, x, NULL, &result), PF_OK);
  assert_int_equal(result.end, PF_NEWTON_CONVERGED);
  assert_true(result.residual <= 1e-10 && result.iterations <= 8);
  assert_int_equal(result.rank, 2);
  four_bar(NULL, x, r, NULL);
  assert_near(r[0], 0, 0, 1e-10);
  assert_near(r[1], 0, 0, 1e-10);
}

/* With the crank held, the triangle of the other bars fixes both angles (law of cosines). */
static void a_coordinate_of_weight_zero_stays(void **state)
{
  Fixture *f = *state;
  const double weight[] = {0, 1, 1};
  const PfGaussNewtonOptions options = {.tolerance = 1e-13, .weight = weight};
  double x[] = {1.2, 0.3, -0.8};
  assert_int_equal(pf_gauss_newton(f->ctx, four_bar, NULL, 2, 3, x, &options, &result), PF_OK);
  assert_near(x[0], 1.2, 0, 0);
  double dx = 2.5 - cos(1.2), dy = -sin(1.2), d = hypot(dx, dy);
  double middle = atan2(dy, dx), half = acos(d/4);
  assert_near(x[1], middle + half, 1e-12, 0);
  assert_near(x[2], middle - half, 1e-12, 0);
}

/* |x| = 1 from (3, 4): the nearest point, in the limit of least steps, is (0.6, 0.8). */
static PfStatus circle(void *user, const double *x, double *r, double *J)
{
  (void)user;
  r[0] = r[1] = x[0]*x[0] + x[1]*x[1] - 1;
  if (J) J[0] = J[2] = 2*x[0], J[1] = J[3] = 2*x[1];
  return PF_OK;
}

static void a_constraint_written_twice_is_no_obstacle(void **state)
{
  Fixture *f = *state;
  double x[] = {3, 4};
  assert_int_equal(pf_gauss_newton(f->ctx, circle, NULL, 2, 2, x, NULL, &result), PF_OK);
  assert_int_equal(result.rank, 1);
  assert_near(x[0], 0.6, 1e-9, 0);
  assert_near(x[1], 0.8, 1e-9, 0);
}

/* atan has a famous start from which plain Newton runs away. */
static PfStatus far_atan(void *user, const double *x, double *r, double *J)
{
  (void)user;
  r[0] = atan(x[0]);
  if (J) J[0] = 1/(1 + x[0]*x[0]);
  return PF_OK;
}

static void damping_brings_back_what_newton_would_lose(void **state)
{
  Fixture *f = *state;
  double x[] = {20};
  assert_int_equal(pf_gauss_newton(f->ctx, far_atan, NULL, 1, 1, x, NULL, &result), PF_OK);
  assert_near(x[0], 0, 0, 1e-10);
}

/* log is defined only for x > 0: the first full step goes too far and must be shortened. */
static PfStatus logarithm(void *user, const double *x, double *r, double *J)
{
  (void)user;
  r[0] = log(x[0]);
  if (J) J[0] = 1/x[0];
  return PF_OK;
}

static void a_step_out_of_the_domain_is_shortened(void **state)
{
  Fixture *f = *state;
  double x[] = {10};
  assert_int_equal(pf_gauss_newton(f->ctx, logarithm, NULL, 1, 1, x, NULL, &result), PF_OK);
  assert_near(x[0], 1, 1e-10, 0);
}

/* ---------------------------------------------------------------- bad input */

static PfStatus no_zero(void *user, const double *x, double *r, double *J)
{
  (void)user;
  r[0] = x[0]*x[0] + 1;
  if (J) J[0] = 2*x[0];
  return PF_OK;
}

static void a_contradiction_ends_with_the_equation_and_its_miss(void **state)
{
  Fixture *f = *state;
  double x[] = {0.7};
  assert_int_equal(pf_gauss_newton(f->ctx, no_zero, NULL, 1, 1, x, NULL, &result), PF_ERR_NUMBER);
  assert_true(result.end == PF_NEWTON_STUCK || result.end == PF_NEWTON_LIMIT);
  assert_int_equal(result.row, 0);
  assert_true(result.residual >= 1 && result.residual <= 1.49);
  assert_contains(pf_context_message(f->ctx), "equation 0");
}

static PfStatus not_finite(void *user, const double *x, double *r, double *J)
{
  r[0] = x[0] - 1;
  r[1] = user ? x[0] : NAN;
  if (J) J[0] = 1, J[1] = INFINITY;
  return PF_OK;
}

static void a_value_that_is_not_finite_is_reported(void **state)
{
  Fixture *f = *state;
  double x[] = {0};
  assert_int_equal(pf_gauss_newton(f->ctx, not_finite, NULL, 2, 1, x, NULL, &result), PF_ERR_NUMBER);
  assert_int_equal(result.end, PF_NEWTON_NOT_FINITE);
  assert_int_equal(result.row, 1);
  assert_contains(pf_context_message(f->ctx), "residual of equation 1");

  assert_int_equal(pf_gauss_newton(f->ctx, not_finite, x, 2, 1, x, NULL, &result), PF_ERR_NUMBER);
  assert_int_equal(result.end, PF_NEWTON_NOT_FINITE);
  assert_contains(pf_context_message(f->ctx), "derivative of equation 1");
}

static PfStatus cancelled(void *user, const double *x, double *r, double *J)
{
  (void)user, (void)x, (void)r, (void)J;
  return PF_ERR_CANCELLED;
}

static void a_failure_of_the_callback_is_passed_on(void **state)
{
  Fixture *f = *state;
  double x[] = {0};
  assert_int_equal(pf_gauss_newton(f->ctx, cancelled, NULL, 1, 1, x, NULL, &result), PF_ERR_CANCELLED);
  assert_int_equal(result.end, PF_NEWTON_FAILED);
}

static void the_number_of_steps_is_limited(void **state)
{
  Fixture *f = *state;
  const PfGaussNewtonOptions options = {.iterations = 1};
  double x[] = {3, 4};
  assert_int_equal(pf_gauss_newton(f->ctx, circle, NULL, 2, 2, x, &options, &result), PF_ERR_NUMBER);
  assert_int_equal(result.end, PF_NEWTON_LIMIT);
  assert_int_equal(result.iterations, 1);
}

static void no_equations_are_solved_at_once_and_sizes_are_checked(void **state)
{
  Fixture *f = *state;
  double x[] = {5};
  assert_int_equal(pf_gauss_newton(f->ctx, no_zero, NULL, -1, 1, x, NULL, &result), PF_ERR_ARGUMENT);
  assert_int_equal(pf_gauss_newton(f->ctx, no_zero, NULL, INT_MAX, 3, x, NULL, &result), PF_ERR_ARGUMENT);
  assert_int_equal(pf_gauss_newton(f->ctx, cancelled, NULL, 1, 0, NULL, NULL, &result), PF_ERR_CANCELLED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_linkage_is_closed),
    with_fixture(a_coordinate_of_weight_zero_stays),
    with_fixture(a_constraint_written_twice_is_no_obstacle),
    with_fixture(damping_brings_back_what_newton_would_lose),
    with_fixture(a_step_out_of_the_domain_is_shortened),
    with_fixture(a_contradiction_ends_with_the_equation_and_its_miss),
    with_fixture(a_value_that_is_not_finite_is_reported),
    with_fixture(a_failure_of_the_callback_is_passed_on),
    with_fixture(the_number_of_steps_is_limited),
    with_fixture(no_equations_are_solved_at_once_and_sizes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
