/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

#include <limits.h>

/* A = [3 0; 4 5] has the singular values sqrt(45) and sqrt(5) (Strang). */
static void singular_values_are_those_of_the_book(void **state)
{
  Fixture *f = *state;
  const double A[] = {3, 0, 4, 5};
  double s[2];
  assert_int_equal(pf_svd(f->ctx, A, 2, 2, s, NULL, NULL), PF_OK);
  assert_near(s[0], sqrt(45), 1e-14, 0);
  assert_near(s[1], sqrt(5), 1e-14, 0);
}

static void the_factors_give_the_matrix_back_in_either_shape(void **state)
{
  Fixture *f = *state;
  const double A[] = {1, 2, 3, 4, -5, 6, 7, 8, 10, 0, 1, 2};
  const int shapes[][2] = {{3, 4}, {4, 3}, {1, 12}, {12, 1}};
  double s[4], U[48], Vt[48];
  for (int shape = 0; shape < 4; shape++) {
    const int m = shapes[shape][0], n = shapes[shape][1], k = m < n ? m : n;
    assert_int_equal(pf_svd(f->ctx, A, m, n, s, U, Vt), PF_OK);
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < k; l++) sum += U[i*k + l]*s[l]*Vt[l*n + j];
        assert_near(sum, A[i*n + j], 0, 1e-13);
      }
    }
  }
}

/* A = u v^T has one singular value, |u| |v|, whatever the scale: the others are rounding. */
static void one_constraint_written_thrice_has_one_singular_value(void **state)
{
  Fixture *f = *state;
  const double u[] = {1, -2, 3}, v[] = {0.5, 4, -1, 2};
  for (double scale = 1e-100; scale < 1e101; scale *= 1e100) {
    double A[12], s[3];
    for (int i = 0; i < 12; i++) A[i] = scale*u[i/4]*v[i%4];
    assert_int_equal(pf_svd(f->ctx, A, 3, 4, s, NULL, NULL), PF_OK);
    assert_near(s[0]/scale, sqrt(14*21.25), 1e-13, 0);
    assert_true(s[1] < 1e-14*s[0] && s[2] < 1e-14*s[0]);
  }
}

static void zeros_have_zeros_as_singular_values(void **state)
{
  Fixture *f = *state;
  const double A[6] = {0};
  double s[2] = {1, 1};
  assert_int_equal(pf_svd(f->ctx, A, 2, 3, s, NULL, NULL), PF_OK);
  for (int i = 0; i < 2; i++) assert_near(s[i], 0, 0, 0);
}

static void a_number_that_is_not_finite_is_reported_with_its_row(void **state)
{
  Fixture *f = *state;
  const double A[] = {1, 0, 0, NAN};
  double s[2];
  assert_int_equal(pf_svd(f->ctx, A, 2, 2, s, NULL, NULL), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "row 1");
}

static void sizes_are_checked(void **state)
{
  Fixture *f = *state;
  double s[1], U[1];
  assert_int_equal(pf_svd(f->ctx, NULL, 0, 3, s, NULL, NULL), PF_OK);
  assert_int_equal(pf_svd(f->ctx, NULL, INT_MAX, 3, s, NULL, NULL), PF_ERR_ARGUMENT);
  assert_int_equal(pf_svd(f->ctx, s, 1, 1, s, U, NULL), PF_ERR_ARGUMENT);
}

/* x'' + 2 z w x' + w^2 x = 0 and a real eigenvalue beside it. */
static void eigenvalues_come_rightmost_first_with_their_vectors(void **state)
{
  Fixture *f = *state;
  const double w = 3, z = 0.25, A[] = {0, 1, 0, -w*w, -2*z*w, 0, 0, 0, -0.5};
  double re[3], im[3], V[9];
  assert_int_equal(pf_eig_general(f->ctx, A, NULL, 3, re, im, V), PF_OK);
  assert_near(re[0], -0.5, 1e-14, 0);
  assert_near(re[1], -z*w, 1e-14, 0);
  assert_near(im[1], w*sqrt(1 - z*z), 1e-14, 0);
  assert_near(im[2], -im[1], 0, 0);
  for (int i = 0; i < 3; i++) { /* A (a + i b) = (re + i im)(a + i b) */
    double a = 0, b = 0;
    for (int k = 0; k < 3; k++) a += A[3*i + k]*V[3*k + 1], b += A[3*i + k]*V[3*k + 2];
    assert_near(a, re[1]*V[3*i + 1] - im[1]*V[3*i + 2], 0, 1e-14);
    assert_near(b, re[1]*V[3*i + 2] + im[1]*V[3*i + 1], 0, 1e-14);
  }
}

static void eigenvalues_of_huge_and_of_no_numbers(void **state)
{
  Fixture *f = *state;
  const double huge[] = {1e300, 0, 0, -1e300}, bad[] = {1, 2, 3, INFINITY};
  double re[2], im[2];
  assert_int_equal(pf_eig_general(f->ctx, huge, NULL, 2, re, im, NULL), PF_OK);
  assert_near(re[0], 1e300, 1e-14, 0);
  assert_int_equal(pf_eig_general(f->ctx, bad, NULL, 2, re, im, NULL), PF_ERR_NUMBER);
  assert_int_equal(pf_eig_general(f->ctx, NULL, NULL, 0, re, im, NULL), PF_OK);
  assert_int_equal(pf_eig_general(f->ctx, NULL, NULL, -1, re, im, NULL), PF_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(singular_values_are_those_of_the_book),
    with_fixture(the_factors_give_the_matrix_back_in_either_shape),
    with_fixture(one_constraint_written_thrice_has_one_singular_value),
    with_fixture(zeros_have_zeros_as_singular_values),
    with_fixture(a_number_that_is_not_finite_is_reported_with_its_row),
    with_fixture(sizes_are_checked),
    with_fixture(eigenvalues_come_rightmost_first_with_their_vectors),
    with_fixture(eigenvalues_of_huge_and_of_no_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
