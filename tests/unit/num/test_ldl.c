/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

#include <limits.h>

static PfLdl ldl;

static PfStatus factor(Fixture *f, const double *A, int n)
{
  assert_int_equal(pf_ldl_make(f->ctx, f->arena, n, &ldl), PF_OK);
  return pf_ldl_factor(&ldl, A, 0);
}

/* Double pendulum, m = l = 1: M = [2 cos; cos 1], so M^-1 b is known, also for other units of the second
 * angle. */
static void the_mass_matrix_of_a_double_pendulum_is_solved(void **state)
{
  for (double unit = 1e-6; unit < 1e7; unit *= 1000) {
    const double c = cos(0.8), det = 2 - c*c;
    const double M[] = {2, 99, c*unit, unit*unit}; /* the upper triangle is not read */
    const double b[] = {1, -3*unit};
    double x[2];
    assert_int_equal(factor(*state, M, 2), PF_OK);
    assert_int_equal(ldl.rank, 2);
    assert_near(pf_ldl_solve(&ldl, b, x), 0, 0, 0);
    assert_near(x[0], (1 + 3*c)/det, 1e-14, 0);
    assert_near(x[1], (-6 - c)/det/unit, 1e-14, 0);
  }
}

/* A_ij = min(i, j) + 1 has the second-difference matrix as its inverse. */
static void a_chain_of_thirty_is_solved(void **state)
{
  enum { n = 30 };
  double A[n*n], b[n], x[n];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i*n + j] = (i < j ? i : j) + 1;
    b[i] = sin(i);
  }
  assert_int_equal(factor(*state, A, n), PF_OK);
  assert_int_equal(ldl.rank, n);
  pf_ldl_solve(&ldl, b, x);
  for (int i = 0; i < n; i++) {
    double expected = (i + 1 < n ? 2 : 1)*b[i] - (i ? b[i - 1] : 0) - (i + 1 < n ? b[i + 1] : 0);
    assert_near(x[i], expected, 0, 1e-12);
  }
}

/* M = m (1, r)(1, r)^T: two coordinates for one motion, as of a mass that is described twice. */
static void a_singular_mass_matrix_has_a_rank_and_a_solution_if_consistent(void **state)
{
  const double r = 0.3, M[] = {7, 0, 7*r, 7*r*r}, b[] = {7*2, 7*r*2}, wrong[] = {7*2, -7*r*2};
  double x[2];
  assert_int_equal(factor(*state, M, 2), PF_OK);
  assert_int_equal(ldl.rank, 1);
  assert_true(pf_ldl_solve(&ldl, b, x) < 1e-15);
  assert_near(x[0] + r*x[1], 2, 1e-15, 0);
  assert_near(pf_ldl_solve(&ldl, wrong, x), 1, 1e-15, 0);
}

static void a_massless_coordinate_lowers_the_rank(void **state)
{
  const double M[] = {0, 0, 0, 0, 3, 0, 0, 1, 2};
  assert_int_equal(factor(*state, M, 3), PF_OK);
  assert_int_equal(ldl.rank, 2);
  assert_int_equal(ldl.order[2], 0);
}

static void a_solution_may_overwrite_its_right_hand_side(void **state)
{
  const double M[] = {1, 0, 0, 4};
  double x[] = {3, 8};
  assert_int_equal(factor(*state, M, 2), PF_OK);
  pf_ldl_solve(&ldl, x, x);
  assert_near(x[0], 3, 0, 0);
  assert_near(x[1], 2, 0, 0);
}

/* ---------------------------------------------------------------- bad input */

static void a_negative_mass_is_named(void **state)
{
  const double M[] = {1, 0, 0, 0, -2, 0, 0, 0, 1};
  assert_int_equal(factor(*state, M, 3), PF_ERR_NUMBER);
  assert_int_equal(ldl.fault, PF_FAULT_INDEFINITE);
  assert_int_equal(ldl.fault_row, 1);
}

/* [1 2; 2 1] has the eigenvalues 3 and -1; [0 1; 1 0] has 1 and -1 and no pivot at all. */
static void an_indefinite_matrix_with_good_diagonal_is_refused(void **state)
{
  const double A[] = {1, 0, 2, 1}, B[] = {0, 0, 1, 0};
  assert_int_equal(factor(*state, A, 2), PF_ERR_NUMBER);
  assert_int_equal(ldl.fault, PF_FAULT_INDEFINITE);
  assert_int_equal(ldl.fault_row, 1);
  assert_int_equal(factor(*state, B, 2), PF_ERR_NUMBER);
  assert_int_equal(ldl.fault, PF_FAULT_INDEFINITE);
}

static void a_number_that_is_not_finite_is_found(void **state)
{
  const double A[] = {1, 0, NAN, 1}, B[] = {INFINITY, 0, 0, 1};
  assert_int_equal(factor(*state, A, 2), PF_ERR_NUMBER);
  assert_int_equal(ldl.fault, PF_FAULT_NOT_FINITE);
  assert_int_equal(ldl.fault_row, 1);
  assert_int_equal(factor(*state, B, 2), PF_ERR_NUMBER);
  assert_int_equal(ldl.fault_row, 0);
}

static void an_empty_system_is_solved(void **state)
{
  assert_int_equal(factor(*state, NULL, 0), PF_OK);
  assert_int_equal(ldl.rank, 0);
  assert_near(pf_ldl_solve(&ldl, NULL, NULL), 0, 0, 0);
}

static void an_impossible_size_is_refused(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_ldl_make(f->ctx, f->arena, -1, &ldl), PF_ERR_ARGUMENT);
  assert_int_equal(pf_ldl_make(f->ctx, f->arena, INT_MAX, &ldl), PF_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_mass_matrix_of_a_double_pendulum_is_solved),
    with_fixture(a_chain_of_thirty_is_solved),
    with_fixture(a_singular_mass_matrix_has_a_rank_and_a_solution_if_consistent),
    with_fixture(a_massless_coordinate_lowers_the_rank),
    with_fixture(a_solution_may_overwrite_its_right_hand_side),
    with_fixture(a_negative_mass_is_named),
    with_fixture(an_indefinite_matrix_with_good_diagonal_is_refused),
    with_fixture(a_number_that_is_not_finite_is_found),
    with_fixture(an_empty_system_is_solved),
    with_fixture(an_impossible_size_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
