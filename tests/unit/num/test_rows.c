/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "num/num.h"

#include <limits.h>

static PfRows rows;
static PfConsistency answer;

static PfStatus sort(Fixture *f, const double *A, int m, int n)
{
  return pf_rows_sort(f->ctx, f->arena, A, m, n, 0, &rows);
}

static PfStatus consistent(Fixture *f, const double *A, const double *b, int m, int n)
{
  return pf_rows_consistent(f->ctx, A, b, m, n, 0, 0, &answer);
}

/* ---------------------------------------------------------------- rank */

/* A cart on two parallel wheels cannot slip sideways: both wheels say so, one is redundant. */
static void two_wheels_on_one_axle_forbid_one_motion(void **state)
{
  const double s = sin(0.3), c = cos(0.3);
  const double A[] = {-s, c, 0, -s, c, 0}; /* left and right wheel, no side slip */

  assert_int_equal(sort(*state, A, 2, 3), PF_OK);
  assert_int_equal(rows.rank, 1);
  assert_int_equal(rows.order[0], 0);
  assert_int_equal(rows.order[1], 1); /* the second one written is the one to name */
}

/* The same wheels in different units: rounding makes the lengths differ, the answer must not. */
static void a_repeated_row_is_the_redundant_one_whatever_its_units(void **state)
{
  const double s = sin(0.7), c = cos(0.7);
  for (int k = 1; k <= 20; k++) {
    const double u = pow(10, k)/3;
    const double A[] = {-s, c, 0.1, -s*u, c*u, 0.1*u, 1, 0, 0};
    assert_int_equal(sort(*state, A, 3, 3), PF_OK);
    assert_int_equal(rows.rank, 2);
    assert_int_equal(rows.order[2], 1);
  }
}

/* Snakeboard, q = (x, y, theta): at phi_b = phi_f = phi the rows differ only by the sign of L cos(phi),
 * and at phi = pi/2 that difference vanishes. */
static void a_snakeboard_loses_rank_when_both_wheels_stand_across(void **state)
{
  const double L = 0.2, theta = 0.4;
  for (int k = 0; k <= 1; k++) {
    const double phi = k ? acos(-1)/2 : 1.0, a = theta + phi;
    const double A[] = {-sin(a), cos(a), -L*cos(phi), -sin(a), cos(a), L*cos(phi)};
    assert_int_equal(sort(*state, A, 2, 3), PF_OK);
    assert_int_equal(rows.rank, k ? 1 : 2);
  }
}

/* Two unit rows at an angle: what is left of the second is its sine. */
static void the_margin_is_the_sine_of_the_angle(void **state)
{
  for (double angle = 1; angle > 1e-7; angle /= 10) {
    const double A[] = {1, 0, 3*cos(angle), 3*sin(angle)};
    assert_int_equal(sort(*state, A, 2, 2), PF_OK);
    assert_int_equal(rows.rank, 2);
    assert_near(rows.margin, sin(angle), 1e-7, 0); /* cos(angle) is rounded to eps/angle^2 of it */
  }
}

/* The Hilbert matrix of 6 rows has condition 1.5e7: of full rank; that of 14 rows, 1e18, is not. */
static void a_hilbert_matrix_loses_rank_when_it_grows(void **state)
{
  double A[14*14];
  for (int n = 6; n <= 14; n += 8) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i*n + j] = 1.0/(i + j + 1);
    assert_int_equal(sort(*state, A, n, n), PF_OK);
    if (n == 6) assert_int_equal(rows.rank, 6);
    else assert_true(rows.rank < 14);
  }
}

static void more_rows_than_columns_leave_redundant_rows(void **state)
{
  const double A[] = {0, 1, 2, 1, 0, 0, 1, 1};
  assert_int_equal(sort(*state, A, 4, 2), PF_OK);
  assert_int_equal(rows.rank, 2);
  int seen = 0;
  for (int i = 0; i < 4; i++) seen |= 1 << rows.order[i];
  assert_int_equal(seen, 15);
}

static void a_row_of_zeros_is_redundant(void **state)
{
  const double A[] = {0, 0, 0, 1, 2, 3};
  assert_int_equal(sort(*state, A, 2, 3), PF_OK);
  assert_int_equal(rows.rank, 1);
  assert_int_equal(rows.order[0], 1);
}

static void huge_and_tiny_rows_neither_overflow_nor_vanish(void **state)
{
  const double A[] = {1e308, 1e308, 1e-308, -1e-308, 5e-324, 0};
  assert_int_equal(sort(*state, A, 3, 2), PF_OK);
  assert_int_equal(rows.rank, 2);
  assert_near(rows.margin, 1, 1e-12, 0);
}

static void an_empty_matrix_has_rank_zero(void **state)
{
  const double A[] = {0};
  assert_int_equal(sort(*state, A, 0, 5), PF_OK);
  assert_int_equal(rows.rank, 0);
  assert_int_equal(sort(*state, A, 3, 0), PF_OK);
  assert_int_equal(rows.rank, 0);
  assert_int_equal(rows.order[2], 2);
}

/* ---------------------------------------------------------------- right-hand sides */

/* Two gears prescribed twice: the second prescription repeats the first, or contradicts it. */
static void a_repetition_is_consistent_and_a_contradiction_is_named(void **state)
{
  const double A[] = {1, 0, 0, 0, 1, -2, 0, -3, 6};
  const double same[] = {4, 1, -3}, other[] = {4, 1, -2};

  assert_int_equal(consistent(*state, A, same, 3, 3), PF_OK);
  assert_int_equal(answer.rank, 2);
  assert_int_equal(answer.row, -1);
  assert_true(answer.residual < 1e-14);

  assert_int_equal(consistent(*state, A, other, 3, 3), PF_OK);
  assert_int_equal(answer.row, 2);
  assert_int_equal(answer.against, 1);
  assert_true(answer.residual > 1e-3);
}

/* x + y = 1, x - y = 0, x = b: consistent only for b = 1/2, and it leans on both others. */
static void a_row_made_of_two_others_is_checked_against_both(void **state)
{
  const double A[] = {1, 1, 1, -1, 1, 0};
  const double good[] = {1, 0, 0.5}, bad[] = {1, 0, 0.75};
  assert_int_equal(consistent(*state, A, good, 3, 2), PF_OK);
  assert_int_equal(answer.row, -1);
  assert_int_equal(consistent(*state, A, bad, 3, 2), PF_OK);
  assert_int_equal(answer.rank, 2);
  assert_true(answer.row >= 0 && answer.against >= 0 && answer.row != answer.against);
}

static void zero_velocity_cannot_be_one(void **state)
{
  const double A[] = {0, 0}, b[] = {1}, none[] = {0};
  assert_int_equal(consistent(*state, A, b, 1, 2), PF_OK);
  assert_int_equal(answer.row, 0);
  assert_int_equal(answer.against, -1);
  assert_near(answer.residual, 1, 0, 0);
  assert_int_equal(consistent(*state, A, none, 1, 2), PF_OK);
  assert_int_equal(answer.row, -1);
}

static void no_rows_are_consistent(void **state)
{
  assert_int_equal(consistent(*state, NULL, NULL, 0, 2), PF_OK);
  assert_int_equal(answer.row, -1);
}

/* ---------------------------------------------------------------- bad input */

static void a_number_that_is_not_finite_is_reported_with_its_row(void **state)
{
  Fixture *f = *state;
  const double A[] = {1, 0, 0, NAN}, B[] = {1, 0, 0, INFINITY}, C[] = {1, 0, 0, 1}, b[] = {0, NAN};
  assert_int_equal(sort(f, A, 2, 2), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "row 1");
  assert_int_equal(sort(f, B, 2, 2), PF_ERR_NUMBER);
  assert_int_equal(consistent(f, C, b, 2, 2), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "right-hand side of constraint row 1");
}

static void an_impossible_size_is_refused(void **state)
{
  Fixture *f = *state;
  assert_int_equal(sort(f, NULL, -1, 2), PF_ERR_ARGUMENT);
  assert_int_equal(sort(f, NULL, INT_MAX, 2), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "2147483647 x 2");
  assert_int_equal(consistent(f, NULL, NULL, 2, -7), PF_ERR_ARGUMENT);
}

static void try_to_sort(Counter *counter, void *user)
{
  (void)user;
  const double A[] = {1, 2, 3, 4};
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (ctx && arena) {
    PfStatus status = pf_rows_sort(ctx, arena, A, 2, 2, 0, &rows);
    assert_true(status == PF_OK || status == PF_ERR_MEMORY);
    status = pf_rows_consistent(ctx, A, A, 2, 2, 0, 0, &answer);
    assert_true(status == PF_OK || status == PF_ERR_MEMORY);
  }
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void missing_memory_is_an_error_without_leak(void **state)
{
  (void)state;
  fail_every_allocation(try_to_sort, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(two_wheels_on_one_axle_forbid_one_motion),
    with_fixture(a_repeated_row_is_the_redundant_one_whatever_its_units),
    with_fixture(a_snakeboard_loses_rank_when_both_wheels_stand_across),
    with_fixture(the_margin_is_the_sine_of_the_angle),
    with_fixture(a_hilbert_matrix_loses_rank_when_it_grows),
    with_fixture(more_rows_than_columns_leave_redundant_rows),
    with_fixture(a_row_of_zeros_is_redundant),
    with_fixture(huge_and_tiny_rows_neither_overflow_nor_vanish),
    with_fixture(an_empty_matrix_has_rank_zero),
    with_fixture(a_repetition_is_consistent_and_a_contradiction_is_named),
    with_fixture(a_row_made_of_two_others_is_checked_against_both),
    with_fixture(zero_velocity_cannot_be_one),
    with_fixture(no_rows_are_consistent),
    with_fixture(a_number_that_is_not_finite_is_reported_with_its_row),
    with_fixture(an_impossible_size_is_refused),
    with_fixture(missing_memory_is_an_error_without_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
