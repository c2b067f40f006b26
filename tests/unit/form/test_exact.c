/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in a prime field, and the formulations over it against exact fractions. */
#include "support.h"

#include "form/exact.h"

static PfField field(void)
{
  PfField f;
  assert_true(pf_field_find(&f, PF_FIRST_FIELD) > 0);
  return f;
}

static uint64_t fraction(const PfField *f, int64_t above, int64_t below)
{
  return pf_field_multiply(f, pf_field_enter(f, above), pf_field_invert(f, pf_field_enter(f, below)));
}

static void enter(const PfField *f, const int *numbers, int count, uint64_t *elements)
{
  for (int i = 0; i < count; i++) elements[i] = pf_field_enter(f, numbers[i]);
}

/* ---------------------------------------------------------------- matrices */

/* Hilbert's matrix 1/(i + j + 1) is the worst in floating point; its inverse has whole numbers. */
static void the_inverse_of_hilberts_matrix_is_exact(void **state)
{
  (void)state;
  static const int inverse[] = {16, -120, 240, -140, -120, 1200, -2700, 1680,
                                240, -2700, 6480, -4200, -140, 1680, -4200, 2800};
  PfField f = field();
  uint64_t H[16], I[16], work[32], X[16];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      H[i*4 + j] = fraction(&f, 1, i + j + 1);
      I[i*4 + j] = i == j ? f.one : 0;
    }
  assert_true(pf_exact_solve(&f, H, 4, I, 4, work, X));
  for (int i = 0; i < 16; i++) assert_int_equal(X[i], pf_field_enter(&f, inverse[i]));
}

static void a_zero_on_the_diagonal_is_no_obstacle_but_a_singular_matrix_is(void **state)
{
  (void)state;
  PfField f = field();
  static const int regular[] = {0, 2, 3, 0}, singular[] = {1, 2, 2, 4}, right[] = {4, 9};
  uint64_t A[4], b[2], work[6], x[2];
  enter(&f, right, 2, b);
  enter(&f, regular, 4, A);
  assert_true(pf_exact_solve(&f, A, 2, b, 1, work, x));
  assert_int_equal(x[0], pf_field_enter(&f, 3));
  assert_int_equal(x[1], pf_field_enter(&f, 2));
  enter(&f, singular, 4, A);
  assert_false(pf_exact_solve(&f, A, 2, b, 1, work, x));
}

static void products_with_a_transposed_matrix_are_those_with_its_transpose(void **state)
{
  (void)state;
  PfField f = field();
  static const int a[] = {1, -2, 3, 4, 5, -6}, b[] = {2, 0, -1, 7, 3, 3};
  uint64_t A[6], B[6], T[6], first[4], second[4];
  enter(&f, a, 6, A);
  enter(&f, b, 6, B);
  pf_exact_transpose(A, 3, 2, T);
  pf_exact_product(&f, T, B, 2, 3, 2, first);
  pf_exact_transposed_product(&f, A, B, 2, 3, 2, second);
  assert_memory_equal(first, second, sizeof first);
  assert_int_equal(first[0], pf_field_enter(&f, 1*2 + 3*-1 + 5*3));
}

/* x + 2 y = z, twice it, and y = z: the second row follows from the first. */
static void redundant_rows_are_found_and_must_agree(void **state)
{
  (void)state;
  PfField f = field();
  static const int a[] = {1, 2, -1, 2, 4, -2, 0, 1, -1}, good[] = {1, 2, 5}, bad[] = {1, 3, 5};
  uint64_t A[9], b[3], work[12], N[9], x[3];
  int rows[3], pivot[3];
  enter(&f, a, 9, A);
  enter(&f, good, 3, b);
  assert_int_equal(pf_exact_independent_rows(&f, A, 3, 3, work, rows), 2);
  assert_int_equal(rows[0], 0);
  assert_int_equal(rows[1], 2);
  assert_int_equal(pf_exact_solutions(&f, A, b, 3, 3, NULL, work, pivot, N, x), 2);
  uint64_t AN[3], Ax[3];
  pf_exact_product(&f, A, N, 3, 3, 1, AN);
  pf_exact_product(&f, A, x, 3, 3, 1, Ax);
  assert_true(pf_exact_is_zero(AN, 3));
  assert_memory_equal(Ax, b, sizeof b);
  enter(&f, bad, 3, b);
  assert_int_equal(pf_exact_solutions(&f, A, b, 3, 3, NULL, work, pivot, N, x), -1);
}

static void dependent_unknowns_are_taken_in_the_order_asked_for(void **state)
{
  (void)state;
  PfField f = field();
  static const int a[] = {1, 2, 4}, order[] = {2, 1, 0};
  uint64_t A[3], b[1] = {0}, work[4], N[6], x[3];
  int pivot[3];
  enter(&f, a, 3, A);
  assert_int_equal(pf_exact_solutions(&f, A, b, 1, 3, order, work, pivot, N, x), 1);
  assert_int_equal(pivot[0], 2);
  assert_int_equal(N[2*2 + 0], fraction(&f, -1, 4));
  assert_int_equal(N[2*2 + 1], fraction(&f, -1, 2));
}

/* ---------------------------------------------------------------- formulations */

enum { MOST = 8, POOL = 16*(2*MOST + 1)*(2*MOST + 1) };

typedef struct Case {
  PfField f;
  PfExactSystem at;
  uint64_t M[MOST*MOST], load[MOST], A[MOST*MOST], b[MOST], pool[POOL], q2[MOST];
  int pivot[2*MOST], order[MOST], columns[MOST];
} Case;

static void open_case(Case *c, int n, int m, const int *A)
{
  c->f = field();
  c->at = (PfExactSystem){.field = &c->f, .n = n, .m = m, .rank = m, .M = c->M, .load = c->load, .A = c->A, .b = c->b,
                          .all_A = c->A, .all_b = c->b, .pool = c->pool, .pool_room = POOL, .pivot = c->pivot,
                          .order = c->order, .columns = c->columns};
  memset(c->M, 0, sizeof c->M);
  memset(c->load, 0, sizeof c->load);
  enter(&c->f, A, m*n, c->A);
}

static PfExactAnswer ask(Case *c, const char *name)
{
  for (int i = 0; i < pf_exact_form_count; i++)
    if (!strcmp(pf_exact_forms[i].name, name)) {
      c->at.pool_used = 0;
      return pf_exact_forms[i].accelerate(&c->at, c->q2);
    }
  fail_msg("no formulation '%s'", name);
  return PF_EXACT_ABSENT;
}

static void assert_fractions(Case *c, const char *name, const int64_t (*expected)[2])
{
  assert_int_equal(ask(c, name), PF_EXACT_DONE);
  for (int i = 0; i < c->at.n; i++)
    if (c->q2[i] != fraction(&c->f, expected[i][0], expected[i][1])) fail_msg("%s: component %d", name, i);
}

/* Example X1 of the hand-cascade reference: exact fractions. */
static void open_x1(Case *c)
{
  static const int A[] = {1, 2, -1, 0, 0, 0, 1, 1, -1, 2, 1, 0, -2, 1, 0}, load[] = {2, -4, 6, 1, 8};
  static const int M[] = {4, 1, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 5, -1, 0, 0, 0, -1, 2};
  static const int rows[] = {0, 1, 2}, first[] = {0, 1, 3};
  open_case(c, 5, 3, A);
  enter(&c->f, M, 25, c->M);
  for (int i = 0; i < 5; i++) c->load[i] = fraction(&c->f, load[i], 2);
  c->b[0] = fraction(&c->f, 1, 2);
  c->b[1] = c->f.one;
  c->b[2] = fraction(&c->f, -1, 4);
  c->at.levels = 2;
  c->at.level_rows = rows;
  c->at.level_first = first;
}

static void all_formulations_give_the_fractions_of_x1(void **state)
{
  (void)state;
  static const int64_t exact[][2] = {{143, 276}, {487, 1932}, {1009, 1932}, {89, 322}, {485, 1932}};
  static const char *const names[] = {"multipliers", "udwadia_kalaba", "udwadia_phohomsiri", "rosenberg_extended",
                                      "maggi", "cascade"};
  Case c;
  open_x1(&c);
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) assert_fractions(&c, names[i], exact);
  assert_int_equal(ask(&c, "rosenberg"), PF_EXACT_UNDETERMINED);
  assert_int_equal(ask(&c, "laconic"), PF_EXACT_ABSENT);
}

/* Example X2: coordinate 3 has no mass, and a non-ideal force acts on it. */
static void a_coordinate_without_mass_is_given_its_fraction(void **state)
{
  (void)state;
  static const int A[] = {1, 2, 0, -1, 0, 0, 0, 1, 1, 1, -1, 2, 1, 0, 2, -2, 1, 0};
  static const int M[] = {4, 1, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                          0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 5, -1, 0, 0, 0, 0, -1, 2};
  static const int tenths[] = {10, -20, 3, 30, 5, 38}, rows[] = {0, 1, 2}, first[] = {0, 1, 3};
  static const int64_t exact[][2] = {{100783, 132500}, {-3941, 26500}, {-55741, 66250},
                                     {-4877, 132500}, {39651, 66250}, {173933, 132500}};
  static const char *const names[] = {"multipliers", "udwadia_phohomsiri", "rosenberg_extended", "maggi", "cascade"};
  Case c;
  open_case(&c, 6, 3, A);
  enter(&c.f, M, 36, c.M);
  for (int i = 0; i < 6; i++) c.load[i] = fraction(&c.f, tenths[i], 10);
  c.b[0] = fraction(&c.f, 1, 2);
  c.b[1] = c.f.one;
  c.b[2] = fraction(&c.f, -1, 4);
  c.at.levels = 2;
  c.at.level_rows = rows;
  c.at.level_first = first;
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) assert_fractions(&c, names[i], exact);
  assert_int_equal(ask(&c, "udwadia_kalaba"), PF_EXACT_SINGULAR_MASS);
}

/* A conserved momentum: A is the second row of M, and the second acceleration drops out of (16). */
static void rosenberg_finds_the_coordinate_that_drops_out(void **state)
{
  (void)state;
  static const int A[] = {1, 5}, M[] = {2, 1, 1, 5};
  static const int first[] = {0, 1}, rows[] = {0};
  Case c;
  open_case(&c, 2, 1, A);
  enter(&c.f, M, 4, c.M);
  c.load[0] = pf_field_enter(&c.f, 3);
  c.load[1] = pf_field_enter(&c.f, 7);
  c.b[0] = pf_field_enter(&c.f, 4);
  c.at.levels = 1;
  c.at.level_first = first;
  c.at.level_rows = rows;
  /* 2 x + y = 3 + lambda, x + 5 y = 7 + 5 lambda, x + 5 y = 4 */
  static const int64_t exact[][2] = {{8, 9}, {28, 45}};
  assert_fractions(&c, "multipliers", exact);
  assert_fractions(&c, "rosenberg", exact);
}

static void what_nothing_holds_is_not_determined(void **state)
{
  (void)state;
  static const int A[] = {1, 0}, M[] = {1, 0, 0, 0};
  static const int first[] = {0, 1}, rows[] = {0};
  static const char *const names[] = {"multipliers", "udwadia_phohomsiri", "rosenberg_extended", "maggi", "cascade"};
  Case c;
  open_case(&c, 2, 1, A);
  enter(&c.f, M, 4, c.M);
  c.at.levels = 1;
  c.at.level_first = first;
  c.at.level_rows = rows;
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) assert_int_equal(ask(&c, names[i]), PF_EXACT_NOT_UNIQUE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_inverse_of_hilberts_matrix_is_exact),
    cmocka_unit_test(a_zero_on_the_diagonal_is_no_obstacle_but_a_singular_matrix_is),
    cmocka_unit_test(products_with_a_transposed_matrix_are_those_with_its_transpose),
    cmocka_unit_test(redundant_rows_are_found_and_must_agree),
    cmocka_unit_test(dependent_unknowns_are_taken_in_the_order_asked_for),
    cmocka_unit_test(all_formulations_give_the_fractions_of_x1),
    cmocka_unit_test(a_coordinate_without_mass_is_given_its_fraction),
    cmocka_unit_test(rosenberg_finds_the_coordinate_that_drops_out),
    cmocka_unit_test(what_nothing_holds_is_not_determined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
