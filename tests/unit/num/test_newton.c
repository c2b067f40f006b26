/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/newton.h"

/* A function of one unknown with its derivative, and what was asked of it. */
typedef struct Scalar {
  double (*f)(double x), (*slope)(double x);
  double x, step, before;
  double r, factor;        /* the residual and the derivative that is used */
  double floor;            /* what rounding leaves of the residual */
  int residuals, factored;
  double last;             /* where the residual was taken last */
} Scalar;

static PfStatus residual(void *user, PfResidualNorm *norm)
{
  Scalar *s = user;
  s->residuals++;
  s->last = s->x;
  s->r = s->f(s->x);
  norm->size = norm->merit = fabs(s->r) < s->floor ? s->floor : fabs(s->r); /* NaN stays */
  return PF_OK;
}

static PfStatus solve(void *user, bool fresh, double *length)
{
  Scalar *s = user;
  if (fresh) s->factor = s->slope(s->x), s->factored++;
  s->step = -s->r/s->factor;
  *length = fabs(s->step);
  return PF_OK;
}

static PfNewtonResult result;

static PfNewtonEnd run(Scalar *s, PfNewtonPolicy policy)
{
  const PfNewton newton = {.user = s, .n = 1, .x = &s->x, .step = &s->step, .before = &s->before, .residual = residual,
                           .solve = solve};
  return pf_newton(&newton, &policy, &result);
}

static double square(double x) { return x*x - 2; }
static double square_slope(double x) { return 2*x; }
static double arc(double x) { return atan(x); }
static double arc_slope(double x) { return 1/(1 + x*x); }
static double hill(double x) { return x*x + 1; }
static double root(double x) { return sqrt(x); }
static double root_slope(double x) { return 0.5/sqrt(x); }

static void it_converges_quadratically(void **state)
{
  (void)state;
  Scalar s = {square, square_slope, .x = 1.5};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .enough = 1e-15}), PF_NEWTON_CONVERGED);
  assert_near(s.x, sqrt(2), 1e-15, 0);
  assert_true(result.iterations <= 5 && result.norm <= 1e-15);
  assert_int_equal(s.residuals, result.iterations + 1);
  assert_int_equal(s.factored, result.iterations);
}

static void factors_serve_while_they_help(void **state)
{
  (void)state;
  Scalar s = {square, square_slope, .x = 1.5, .factor = 2*1.5};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 40, .enough = 1e-14, .reuse = 0.2}), PF_NEWTON_CONVERGED);
  assert_near(s.x, sqrt(2), 1e-14, 0);
  assert_int_equal(s.factored, 0); /* the chord brings the residual to 1 - 2 sqrt(2)/3 = 0.057 each time */
  s = (Scalar){square, square_slope, .x = 1.5, .factor = 6};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 40, .enough = 1e-14, .reuse = 0.2}), PF_NEWTON_CONVERGED);
  assert_int_equal(s.factored, 1); /* the first step brings it to a half only */
}

static void steps_that_do_not_help_are_halved_or_are_the_end(void **state)
{
  (void)state;
  Scalar s = {arc, arc_slope, .x = 3};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .enough = 1e-15}), PF_NEWTON_STUCK);
  s = (Scalar){arc, arc_slope, .x = 3};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .enough = 1e-15, .halvings = 10}), PF_NEWTON_CONVERGED);
  assert_near(s.x, 0, 0, 1e-15);
}

/* No zero: the point given back is the best one, and the residual was taken there. */
static void a_step_in_vain_is_taken_back(void **state)
{
  (void)state;
  Scalar s = {hill, square_slope, .x = 0.01};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .decrease = 1e-4, .halvings = 5}), PF_NEWTON_STUCK);
  assert_near(s.x, 0.01, 0, 0);
  assert_near(s.last, s.x, 0, 0);
  assert_near(result.norm, hill(0.01), 0, 0);
}

static void a_point_outside_the_domain_is_too_far(void **state)
{
  (void)state;
  Scalar s = {root, root_slope, .x = 1}; /* the step goes to -1 */
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 60, .enough = 1e-6, .halvings = 5}), PF_NEWTON_CONVERGED);
  s = (Scalar){root, root_slope, .x = 1};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 60, .enough = 1e-6}), PF_NEWTON_STUCK);
  s = (Scalar){root, root_slope, .x = -1};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 60, .halvings = 5}), PF_NEWTON_NOT_FINITE);
}

static void rounding_is_told_from_a_contradiction(void **state)
{
  (void)state;
  const PfNewtonPolicy policy = {.iterations = 60, .rounding = 1e-10, .stall = 0.5};
  Scalar s = {square, square_slope, .x = 1.5, .floor = 1e-11};
  assert_int_equal(run(&s, policy), PF_NEWTON_CONVERGED);
  assert_near(s.x, sqrt(2), 1e-11, 0);
  s = (Scalar){square, square_slope, .x = 1.5, .floor = 1e-9};
  assert_int_equal(run(&s, policy), PF_NEWTON_STUCK);
  s = (Scalar){square, square_slope, .x = 1.5, .floor = 1e-9}; /* short steps tell it, too */
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 60, .negligible = 1e-4, .stall = 0.5}), PF_NEWTON_CONVERGED);
}

static void the_length_of_steps_may_decide(void **state)
{
  (void)state;
  Scalar s = {square, square_slope, .x = 1.5};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .enough = -1, .shortest = 1e-12, .patience = 20}),
                   PF_NEWTON_CONVERGED);
  assert_near(s.x, sqrt(2), 1e-12, 0);
  assert_true(result.length < 1e-12 && s.last == s.x);
  s = (Scalar){square, square_slope, .x = 0.01};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .patience = 20, .longest = 10}), PF_NEWTON_ASTRAY);
  assert_near(s.x, 0.01, 0, 0);
}

static void patience_and_the_number_of_steps_are_limited(void **state)
{
  (void)state;
  Scalar s = {square, square_slope, .x = 0.1}; /* the first step goes to 10.05 */
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .enough = 1e-15}), PF_NEWTON_STUCK);
  s = (Scalar){square, square_slope, .x = 0.1};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 20, .enough = 1e-15, .patience = 1}), PF_NEWTON_CONVERGED);
  s = (Scalar){square, square_slope, .x = 1.5};
  assert_int_equal(run(&s, (PfNewtonPolicy){.iterations = 2, .enough = 1e-15}), PF_NEWTON_LIMIT);
  assert_int_equal(result.iterations, 2);
}

static PfStatus refuse(void *user, bool fresh, double *length)
{
  (void)user, (void)fresh, (void)length;
  return PF_ERR_CANCELLED;
}

static void a_failure_of_a_callback_is_passed_on(void **state)
{
  (void)state;
  Scalar s = {square, square_slope, .x = 1.5};
  const PfNewton newton = {.user = &s, .n = 1, .x = &s.x, .step = &s.step, .residual = residual, .solve = refuse};
  assert_int_equal(pf_newton(&newton, &(PfNewtonPolicy){.iterations = 5}, &result), PF_NEWTON_FAILED);
  assert_int_equal(result.status, PF_ERR_CANCELLED);
  assert_near(s.x, 1.5, 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_converges_quadratically),
    cmocka_unit_test(factors_serve_while_they_help),
    cmocka_unit_test(steps_that_do_not_help_are_halved_or_are_the_end),
    cmocka_unit_test(a_step_in_vain_is_taken_back),
    cmocka_unit_test(a_point_outside_the_domain_is_too_far),
    cmocka_unit_test(rounding_is_told_from_a_contradiction),
    cmocka_unit_test(the_length_of_steps_may_decide),
    cmocka_unit_test(patience_and_the_number_of_steps_are_limited),
    cmocka_unit_test(a_failure_of_a_callback_is_passed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
