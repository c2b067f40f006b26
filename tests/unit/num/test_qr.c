/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

#include <limits.h>

static PfQr qr;

static PfStatus factor(Fixture *f, const double *A, int m, int n)
{
  assert_int_equal(pf_qr_make(f->ctx, f->arena, m, n, &qr), PF_OK);
  return pf_qr_factor(&qr, A, 0);
}

/* A N = 0 and N^T N = 1. */
static void check_null_space(const double *A, int m, int n)
{
  double N[64];
  const int k = n - qr.rank;
  pf_qr_null_space(&qr, N);
  for (int c = 0; c < k; c++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += A[i*n + j]*N[j*k + c];
      assert_near(sum, 0, 0, 1e-14);
    }
    for (int d = 0; d < k; d++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += N[j*k + c]*N[j*k + d];
      assert_near(sum, c == d, 0, 1e-14);
    }
  }
}

/* Normal equations of the line 1 + 2 t through five points that are off by (1, -2, 1, 0, 0)*d: that error is
 * orthogonal to both columns for t = 0 1 2. */
static void a_line_is_fitted_by_least_squares(void **state)
{
  const double A[] = {1, 0, 1, 1, 1, 2, 1, 3, 1, 4}, d = 0.5;
  const double b[] = {1 + d, 3 - 2*d, 5 + d, 7, 9};
  double x[2];
  assert_int_equal(factor(*state, A, 5, 2), PF_OK);
  assert_int_equal(qr.rank, 2);
  assert_near(pf_qr_solve(&qr, b, x), d*sqrt(6), 1e-14, 0);
  assert_near(x[0], 1, 1e-14, 0);
  assert_near(x[1], 2, 1e-14, 0);
}

/* Rolling disc, v = (x', y', theta', phi'): two constraints, the two motions that are left are in the null
 * space. */
static void a_rolling_disc_has_two_free_motions(void **state)
{
  const double r = 0.35, c = cos(0.9), s = sin(0.9);
  const double A[] = {1, 0, 0, -r*c, 0, 1, 0, -r*s};
  assert_int_equal(factor(*state, A, 2, 4), PF_OK);
  assert_int_equal(qr.rank, 2);
  check_null_space(A, 2, 4);
}

/* The shortest solution of one equation a.x = b is a b/|a|^2. */
static void the_solution_of_one_equation_is_the_shortest(void **state)
{
  const double A[] = {1, 2, -2}, b[] = {3};
  double x[3];
  assert_int_equal(factor(*state, A, 1, 3), PF_OK);
  assert_near(pf_qr_solve(&qr, b, x), 0, 0, 1e-15);
  for (int j = 0; j < 3; j++) assert_near(x[j], A[j]/3, 1e-15, 0);
  check_null_space(A, 1, 3);
}

/* A = u v^T has the pseudo-inverse v u^T/(|u|^2 |v|^2). */
static void redundant_rows_do_no_harm(void **state)
{
  const double u[] = {1, -2, 3}, v[] = {0.5, 4, -1, 2}, b[] = {1, 1, 1};
  double A[12], x[4];
  for (int i = 0; i < 12; i++) A[i] = u[i/4]*v[i%4];
  assert_int_equal(factor(*state, A, 3, 4), PF_OK);
  assert_int_equal(qr.rank, 1);
  pf_qr_solve(&qr, b, x);
  for (int j = 0; j < 4; j++) assert_near(x[j], v[j]*2/(14*21.25), 1e-14, 0);
  check_null_space(A, 3, 4);
}

static void huge_and_tiny_matrices_are_solved(void **state)
{
  for (int k = -1; k <= 1; k += 2) {
    const double s = k > 0 ? 1e306 : 1e-306, A[] = {3*s, 4*s, -4*s, 3*s}, b[] = {25*s, 0};
    double x[2];
    assert_int_equal(factor(*state, A, 2, 2), PF_OK);
    assert_int_equal(qr.rank, 2);
    pf_qr_solve(&qr, b, x);
    assert_near(x[0], 3, 1e-14, 0);
    assert_near(x[1], 4, 1e-14, 0);
  }
}

/* Three directions of rolling in the plane, one of them redundant, given as rows and as the columns of the transpose:
 * what one factorisation says of A^T, the other says of A. */
static void one_factorisation_serves_a_matrix_and_its_transpose(void **state)
{
  Fixture *f = *state;
  const double A[] = {1, 0, 0, -0.3, 0, 1, 0.5, -0.2, 2, 3, 1.5, -1.2}; /* third row: 2 first + 3 second */
  const double b[] = {0.7, -0.4, 0.2}, wrong[] = {0.7, -0.4, 0.9};
  double x[4], y[4], N[8], sum;
  assert_int_equal(factor(f, A, 3, 4), PF_OK);
  pf_qr_solve(&qr, b, x);
  assert_int_equal(pf_qr_make(f->ctx, f->arena, 4, 3, &qr), PF_OK);
  assert_int_equal(pf_qr_factor_columns(&qr, A, 0), PF_OK);
  assert_int_equal(qr.rank, 2);
  assert_near(pf_qr_solve_transposed(&qr, b, y), 0, 0, 1e-15);
  for (int j = 0; j < 4; j++) assert_near(y[j], x[j], 0, 1e-15);
  assert_near(pf_qr_solve_transposed(&qr, wrong, y), 0.7/sqrt(14), 1e-14, 0); /* off by 0.7, along (2, 3, -1) */

  pf_qr_null_space_transposed(&qr, N);
  for (int c = 0; c < 2; c++) {
    for (int i = 0; i < 3; i++) {
      sum = 0;
      for (int j = 0; j < 4; j++) sum += A[i*4 + j]*N[j*2 + c];
      assert_near(sum, 0, 0, 1e-15);
    }
    for (int d = 0; d < 2; d++) {
      sum = 0;
      for (int j = 0; j < 4; j++) sum += N[j*2 + c]*N[j*2 + d];
      assert_near(sum, c == d, 0, 1e-15);
    }
  }
}

static void a_matrix_of_zeros_has_the_whole_space_as_null_space(void **state)
{
  const double A[6] = {0}, b[] = {3, 4};
  double x[3];
  assert_int_equal(factor(*state, A, 2, 3), PF_OK);
  assert_int_equal(qr.rank, 0);
  assert_near(pf_qr_solve(&qr, b, x), 5, 1e-15, 0);
  for (int j = 0; j < 3; j++) assert_near(x[j], 0, 0, 0);
  check_null_space(A, 2, 3);
}

static void an_empty_matrix_is_solved(void **state)
{
  double x[2] = {1, 1};
  assert_int_equal(factor(*state, NULL, 0, 2), PF_OK);
  pf_qr_solve(&qr, NULL, x);
  assert_near(x[1], 0, 0, 0);
  check_null_space(NULL, 0, 2);
  assert_int_equal(factor(*state, NULL, 2, 0), PF_OK);
  assert_int_equal(qr.rank, 0);
}

static void a_number_that_is_not_finite_is_found(void **state)
{
  const double A[] = {1, 0, 0, 1, -INFINITY, 0};
  assert_int_equal(factor(*state, A, 3, 2), PF_ERR_NUMBER);
  assert_int_equal(qr.fault, PF_FAULT_NOT_FINITE);
  assert_int_equal(qr.fault_row, 2);
}

static void an_impossible_size_is_refused(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_qr_make(f->ctx, f->arena, 3, -1, &qr), PF_ERR_ARGUMENT);
  assert_int_equal(pf_qr_make(f->ctx, f->arena, INT_MAX, INT_MAX, &qr), PF_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_line_is_fitted_by_least_squares),
    with_fixture(a_rolling_disc_has_two_free_motions),
    with_fixture(the_solution_of_one_equation_is_the_shortest),
    with_fixture(redundant_rows_do_no_harm),
    with_fixture(huge_and_tiny_matrices_are_solved),
    with_fixture(one_factorisation_serves_a_matrix_and_its_transpose),
    with_fixture(a_matrix_of_zeros_has_the_whole_space_as_null_space),
    with_fixture(an_empty_matrix_is_solved),
    with_fixture(a_number_that_is_not_finite_is_found),
    with_fixture(an_impossible_size_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
