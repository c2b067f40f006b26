/* SPDX-License-Identifier: Apache-2.0 */
/* Units of columns: changes of units by powers of two are taken out exactly, but for factors of rows. */
#include "support.h"

#include "num/num.h"

static void sizes_of(const double *A, int count, double *size)
{
  for (int i = 0; i < count; i++) size[i] = fabs(A[i]);
}

static void columns_that_are_alike_are_told(void **state)
{
  (void)state;
  const double A[] = {1, -2, 0, 0.01, 0, 5};
  double size[6], unit[3], work[6];
  sizes_of(A, 6, size);
  assert_false(pf_column_units(&(PfSizes){2, 3, size, NULL, NULL}, unit, work));
}

/* det = -2: of three rows that are independent in any units. */
static void a_change_of_units_is_taken_out(void **state)
{
  Fixture *f = *state;
  const double A[] = {1, 1, 0, 1, 0, 1, 0, 1, 1};
  for (int power = -40; power <= 40; power += 20) {
    double changed[9], size[9], unit[3], work[6];
    PfRows rows;
    for (int i = 0; i < 9; i++) changed[i] = A[i]*(i%3 == 0 ? ldexp(1, power) : 1);
    sizes_of(changed, 9, size);
    assert_true(pf_column_units(&(PfSizes){3, 3, size, NULL, NULL}, unit, work) == (power != 0));
    pf_scale_columns(changed, 3, 3, unit);
    assert_int_equal(pf_rows_sort(f->ctx, f->arena, changed, 3, 3, PF_RANK_TOLERANCE, &rows), PF_OK);
    assert_int_equal(rows.rank, 3);
    assert_true(rows.margin > 0.3);
  }
}

/* cos(pi/2) is 6e-17 in doubles: a column of nothing else is zero and not a matter of units. */
static void rounding_is_not_blown_up(void **state)
{
  (void)state;
  const double A[] = {1, 6e-17, 1, 3, -3e-17, 2};
  double size[6], unit[3], work[6];
  sizes_of(A, 6, size);
  (void)pf_column_units(&(PfSizes){2, 3, size, NULL, NULL}, unit, work);
  assert_true(unit[1] < 1e3*unit[0]);
}

/* x' and x' + s y', where s is a number that was given: y has another unit, and the rows are independent. */
static void small_coefficients_that_are_sure_count(void **state)
{
  Fixture *f = *state;
  const bool sure[] = {true, false, true, true};
  for (int power = -4; power > -1000; power -= 83) {
    double A[] = {1, 0, 1, ldexp(1, power)}, size[4], unit[2], work[4];
    PfRows rows;
    sizes_of(A, 4, size);
    (void)pf_column_units(&(PfSizes){2, 2, size, sure, NULL}, unit, work);
    pf_scale_columns(A, 2, 2, unit);
    assert_int_equal(pf_rows_sort(f->ctx, f->arena, A, 2, 2, PF_RANK_TOLERANCE, &rows), PF_OK);
    assert_int_equal(rows.rank, 2);
    assert_true(rows.margin > 0.3); /* units are powers of two */
  }
}

/* No row ties x to y: their masses do, and rows decide about units within a part. */
static void masses_tie_what_rows_do_not(void **state)
{
  (void)state;
  const double inertia[] = {1, 1024, 1};
  double size[] = {1, 0, 4}, unit[3], work[6];
  (void)pf_column_units(&(PfSizes){1, 3, size, NULL, inertia}, unit, work);
  assert_true(unit[0] == 4*unit[2]);
  assert_true(unit[1] < unit[2]/256 && unit[1] > unit[2]/2048);
}

/* diag(1, 2^18) times {1, 1; 1, -1} by columns of 1 and 2^16: rows are scaled and columns are not. x = (3, 2^-15). */
/* Columns that differ by little have units too, which the factors do not use. */
static void factors_solve_where_columns_differ_by_little(void **state)
{
  Fixture *f = *state;
  double A[] = {1, 8, 1e6, -8e6}, b[] = {9, -7e6}, x[2];
  PfAlike alike;
  PfQr qr;
  assert_int_equal(pf_alike_make(f->ctx, f->arena, 2, 2, &alike), PF_OK);
  assert_int_equal(pf_qr_make(f->ctx, f->arena, 2, 2, &qr), PF_OK);
  assert_int_equal(pf_alike_factor(&alike, &qr, A, 1e-12), PF_OK);
  pf_alike_solve(&alike, &qr, b, x);
  assert_near(x[0], 1, 1e-13, 0);
  assert_near(x[1], 1, 1e-13, 0);
}

static void factors_solve_where_rows_alone_are_scaled(void **state)
{
  Fixture *f = *state;
  double A[] = {1, 65536, 262144, -262144*65536.0}, b[] = {5, 262144}, x[2];
  PfAlike alike;
  PfQr qr;
  assert_int_equal(pf_alike_make(f->ctx, f->arena, 2, 2, &alike), PF_OK);
  assert_int_equal(pf_qr_make(f->ctx, f->arena, 2, 2, &qr), PF_OK);
  assert_int_equal(pf_alike_factor(&alike, &qr, A, 1e-12), PF_OK);
  pf_alike_solve(&alike, &qr, b, x);
  assert_near(x[0], 3, 1e-14, 0);
  assert_near(x[1]*32768, 1, 1e-10, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(columns_that_are_alike_are_told),
    with_fixture(a_change_of_units_is_taken_out),
    with_fixture(factors_solve_where_columns_differ_by_little),
    with_fixture(factors_solve_where_rows_alone_are_scaled),
    with_fixture(rounding_is_not_blown_up),
    with_fixture(small_coefficients_that_are_sure_count),
    with_fixture(masses_tie_what_rows_do_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
