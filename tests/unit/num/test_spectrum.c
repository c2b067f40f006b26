/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues, vectors, ranks and pivots do not hang on rounding: matrices are changed by one unit in the last place,
 * in a hundred ways, and what a person reads must stay. Values against closed forms. */
#include "support.h"

#include "num/num.h"

#include <math.h>

enum { TRIALS = 100, MOST = 8 };

/* Each element one step up, down, or as it is; a zero becomes rounding beside the largest of its row and column. */
static void perturb(const double *A, int n, uint64_t *seed, double *out)
{
  for (int i = 0; i < n*n; i++) {
    double most = pf_largest(A + i/n*n, n);
    for (int k = 0; k < n; k++) most = fmax(most, fabs(A[k*n + i%n]));
    *seed = *seed*6364136223846793005u + 1442695040888963407u;
    int way = (int)(*seed >> 33)%3 - 1;
    out[i] = A[i] == 0 ? way*1e-16*most : way ? nextafter(A[i], way > 0 ? HUGE_VAL : -HUGE_VAL) : A[i];
  }
}

/* All of it as a person would read it: ten digits. */
static void write(Fixture *f, const double *A, int n, char *text, size_t room)
{
  double re[MOST], im[MOST], V[MOST*MOST];
  size_t used = 0;
  assert_int_equal(pf_eig_general(f->ctx, A, NULL, n, re, im, V), PF_OK);
  for (int k = 0; k < n; k++) used += (size_t)snprintf(text + used, room - used, "%.10g %.10g, ", re[k], im[k]);
  for (int i = 0; i < n*n; i++) used += (size_t)snprintf(text + used, room - used, "%.6f ", V[i] + 0.0);
  assert_true(used < room);
}

static void same_text(Fixture *f, const double *A, int n)
{
  char wanted[2000], text[2000];
  double B[MOST*MOST];
  uint64_t seed = 1;
  write(f, A, n, wanted, sizeof wanted);
  for (int t = 0; t < TRIALS; t++) {
    perturb(A, n, &seed, B);
    write(f, B, n, text, sizeof text);
    assert_string_equal(text, wanted);
  }
}

/* Two pendulums of 2 and 7 rad/s: all four real parts are zero. */
static void pairs_on_the_axis_come_by_their_frequency(void **state)
{
  const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, -4, 0, 0, 0, 0, -49, 0, 0};
  double re[4], im[4];
  assert_int_equal(pf_eig_general(((Fixture *)*state)->ctx, A, NULL, 4, re, im, NULL), PF_OK);
  const double wanted[] = {7, -7, 2, -2};
  for (int k = 0; k < 4; k++) {
    assert_true(re[k] == 0);
    assert_near(im[k], wanted[k], 1e-14, 0);
  }
  same_text(*state, A, 4);
}

/* Coupled: x'' = -K x with K = [5 -1; -2 4], whose eigenvalues are 3 and 6. */
static void coupled_pairs_on_the_axis(void **state)
{
  const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, -5, 1, 0, 0, 2, -4, 0, 0};
  double re[4], im[4];
  assert_int_equal(pf_eig_general(((Fixture *)*state)->ctx, A, NULL, 4, re, im, NULL), PF_OK);
  assert_near(im[0], sqrt(6), 1e-14, 0);
  assert_near(im[2], sqrt(3), 1e-14, 0);
  same_text(*state, A, 4);
}

/* (s + 3)^2: rounding splits it by 1e-8, into two real ones or a pair. */
static void a_double_eigenvalue_stays_double(void **state)
{
  const double A[] = {0, 1, -9, -6};
  double re[2], im[2], V[4];
  assert_int_equal(pf_eig_general(((Fixture *)*state)->ctx, A, NULL, 2, re, im, V), PF_OK);
  assert_near(re[0], -3, 1e-13, 0);
  assert_true(re[1] == re[0] && im[0] == 0 && im[1] == 0);
  assert_near(V[2]/V[0], -3, 1e-7, 0);
  assert_near(V[1], V[0], 0, 0); /* one vector only: it is repeated */
  same_text(*state, A, 2);
}

/* A mass that slides: a double 0 beside an oscillation; and a chain of three integrators. */
static void zeros_stay_zeros(void **state)
{
  const double slides[] = {0, 0, 1, 0, 0, 0, 0, 1, 0, 0.3, 0, 0, 0, -8, 0, 0};
  const double chain[] = {0, 2, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, -7};
  double re[4], im[4];
  PfContext *ctx = ((Fixture *)*state)->ctx;
  assert_int_equal(pf_eig_general(ctx, slides, NULL, 4, re, im, NULL), PF_OK);
  assert_near(im[0], sqrt(8), 1e-14, 0);
  assert_true(re[2] == 0 && im[2] == 0 && re[3] == 0 && im[3] == 0);
  assert_int_equal(pf_eig_general(ctx, chain, NULL, 4, re, im, NULL), PF_OK);
  assert_true(re[0] == 0 && re[1] == 0 && re[2] == 0 && im[0] == 0);
  assert_near(re[3], -7, 1e-14, 0);
  same_text(*state, slides, 4);
  same_text(*state, chain, 4);
}

/* Two equal pendulums, not coupled: any two directions of their plane are modes. */
static void a_multiple_eigenvalue_has_one_basis(void **state)
{
  const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, -4, 0, 0, 0, 0, -4, 0, 0};
  double re[4], im[4], V[16];
  assert_int_equal(pf_eig_general(((Fixture *)*state)->ctx, A, NULL, 4, re, im, V), PF_OK);
  assert_true(im[0] == im[2] && im[1] == im[3]);
  assert_near(V[4 + 0], 0, 0, 1e-12); /* the first moves x_1 only, the second x_2 only */
  assert_near(V[0 + 2], 0, 0, 1e-12);
  same_text(*state, A, 4);
}

/* Fast and slow together: what is small is not zero for that. */
static void a_slow_eigenvalue_beside_a_fast_one(void **state)
{
  const double A[] = {-1e6, 1, 0, 3e-3, -1e-2, 0, 0, 2, -2};
  double re[3], im[3];
  assert_int_equal(pf_eig_general(((Fixture *)*state)->ctx, A, NULL, 3, re, im, NULL), PF_OK);
  assert_near(re[0], -1e-2 + 3e-9, 0, 1e-15*1e6); /* rounding of the whole matrix */
  assert_near(re[1], -2, 1e-9, 0);
  assert_near(re[2], -1e6, 1e-12, 0);
}

static void the_sign_of_a_vector_is_its_largest_component(void **state)
{
  const double A[] = {2, 1, 0, 1, 2, 0, 0, 0, -1};
  double re[3], im[3], V[9];
  assert_int_equal(pf_eig_general(((Fixture *)*state)->ctx, A, NULL, 3, re, im, V), PF_OK);
  const double half = sqrt(0.5), wanted[] = {half, half, 0, half, -half, 0, 0, 0, 1};
  for (int i = 0; i < 9; i++) assert_near(V[i], wanted[i], 0, 1e-14);
  same_text(*state, A, 3);
}

/* Rows of equal strength: the order of the independent ones is that in which they are written. */
static void ranks_and_pivots_do_not_see_the_last_digit(void **state)
{
  Fixture *f = *state;
  const double A[] = {0.6, 0.8, 0, 0, 0.8, -0.6, 0, 0, 1.4, 0.2, 0, 0, 0, 0, 0.6, 0.8};
  double B[16];
  uint64_t seed = 5;
  PfRows wanted, rows;
  PfQr qr;
  assert_int_equal(pf_rows_sort(f->ctx, f->arena, A, 4, 4, 0, &wanted), PF_OK);
  assert_int_equal(wanted.rank, 3);
  assert_int_equal(pf_qr_make(f->ctx, f->arena, 4, 4, &qr), PF_OK);
  int order[4];
  assert_int_equal(pf_qr_factor(&qr, A, 1e-10), PF_OK);
  memcpy(order, qr.order, sizeof order);
  for (int t = 0; t < TRIALS; t++) {
    perturb(A, 4, &seed, B);
    assert_int_equal(pf_rows_sort(f->ctx, f->arena, B, 4, 4, 0, &rows), PF_OK);
    assert_int_equal(rows.rank, wanted.rank);
    for (int k = 0; k < 4; k++) assert_int_equal(rows.order[k], wanted.order[k]);
    assert_int_equal(pf_qr_factor(&qr, B, 1e-10), PF_OK);
    assert_int_equal(qr.rank, 3);
    for (int k = 0; k < 3; k++) assert_int_equal(qr.order[k], order[k]);
  }
}

static void noise_is_what_is_small_beside_a_scale(void **state)
{
  (void)state;
  assert_false(signbit(pf_without_noise(-0.0, 1)));
  assert_true(pf_without_noise(3e-15, 10) == 0);
  assert_true(pf_without_noise(3e-15, 0) == 3e-15); /* alone it is a number like any other */
  assert_true(pf_without_noise(-2e-9, 1) == -2e-9);
  assert_true(isnan(pf_without_noise(NAN, 1)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(pairs_on_the_axis_come_by_their_frequency),
    with_fixture(coupled_pairs_on_the_axis),
    with_fixture(a_double_eigenvalue_stays_double),
    with_fixture(zeros_stay_zeros),
    with_fixture(a_multiple_eigenvalue_has_one_basis),
    with_fixture(a_slow_eigenvalue_beside_a_fast_one),
    with_fixture(the_sign_of_a_vector_is_its_largest_component),
    with_fixture(ranks_and_pivots_do_not_see_the_last_digit),
    with_fixture(noise_is_what_is_small_beside_a_scale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
