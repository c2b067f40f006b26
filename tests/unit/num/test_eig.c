/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

/* Free chain of n equal masses and springs, fixed ends: 2 - 2 cos(k pi/(n + 1)). */
static void a_chain_of_springs_has_its_known_frequencies(void **state)
{
  (void)state;
  enum { n = 12 };
  double K[n*n] = {0}, values[n], vectors[n*n], work[n*n];
  for (int i = 0; i < n; i++) {
    K[i*n + i] = 2;
    if (i) K[i*n + i - 1] = -1;
    if (i + 1 < n) K[i*n + i + 1] = NAN; /* the upper triangle is not read */
  }
  assert_int_equal(pf_eig_symmetric(K, n, values, vectors, work), PF_OK);
  for (int k = 0; k < n; k++)
    assert_near(values[k], 2 - 2*cos((k + 1)*acos(-1)/(n + 1)), 0, 1e-14);

  /* the lowest mode is a half sine */
  double scale = vectors[0]/sin(acos(-1)/(n + 1));
  for (int i = 0; i < n; i++)
    assert_near(vectors[i*n], scale*sin((i + 1)*acos(-1)/(n + 1)), 0, 1e-13);
}

/* A body with unequal units: kg and kg m^2 of a gram-sized wheel. The small eigenvalue keeps its digits. */
static void small_eigenvalues_of_a_mass_matrix_keep_their_digits(void **state)
{
  (void)state;
  const double a = 5, b = 1e-7, c = 3e-4; /* eigenvalues from trace and determinant */
  const double M[] = {a, 0, c, b}, det = a*b - c*c, half = (a + b)/2;
  const double large = half + sqrt(half*half - det);
  double values[2], work[4];
  assert_int_equal(pf_eig_symmetric(M, 2, values, NULL, work), PF_OK);
  assert_near(values[1], large, 1e-15, 0);
  assert_near(values[0], det/large, 1e-14, 0);
}

static void a_singular_and_an_indefinite_matrix_are_told(void **state)
{
  (void)state;
  const double A[] = {1, 0, 0, 1, 1, 0, 1, 1, 1}, B[] = {0, 0, 1, 0};
  double values[3], work[9];
  assert_int_equal(pf_eig_symmetric(A, 3, values, NULL, work), PF_OK);
  assert_near(values[0], 0, 0, 1e-15);
  assert_near(values[1], 0, 0, 1e-15);
  assert_near(values[2], 3, 1e-15, 0);
  assert_int_equal(pf_eig_symmetric(B, 2, values, NULL, work), PF_OK);
  assert_near(values[0], -1, 1e-15, 0);
  assert_near(values[1], 1, 1e-15, 0);
}

static void huge_numbers_do_not_overflow(void **state)
{
  (void)state;
  const double A[] = {1e307, 0, 2e307, 1e307};
  double values[2], work[4];
  assert_int_equal(pf_eig_symmetric(A, 2, values, NULL, work), PF_OK);
  assert_near(values[0], -1e307, 1e-15, 0);
  assert_near(values[1], 3e307, 1e-15, 0);
}

static void what_is_not_finite_is_refused_and_nothing_has_no_eigenvalues(void **state)
{
  (void)state;
  const double A[] = {1, 0, NAN, 1};
  double values[2], work[4];
  assert_int_equal(pf_eig_symmetric(A, 2, values, NULL, work), PF_ERR_NUMBER);
  assert_int_equal(pf_eig_symmetric(A, 0, values, NULL, work), PF_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_chain_of_springs_has_its_known_frequencies),
    cmocka_unit_test(small_eigenvalues_of_a_mass_matrix_keep_their_digits),
    cmocka_unit_test(a_singular_and_an_indefinite_matrix_are_told),
    cmocka_unit_test(huge_numbers_do_not_overflow),
    cmocka_unit_test(what_is_not_finite_is_refused_and_nothing_has_no_eigenvalues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
