/* SPDX-License-Identifier: Apache-2.0 */
/* Linear equations solved with expressions: what is divided by, and that the solutions solve. */
#include "formula.h"

#include "expr/eliminate.h"

enum { MOST = 36 };

/* A system of equations as text, row by row with the right side last; constants a, b; what moves p, q, s. */
typedef struct Rows {
  Fixture *f;
  int m, n;
  PfExpr A[MOST], right[MOST], symbols[5];
  double generic[5], start[5];
  PfSamplePoint sample;
} Rows;

static void read_rows(Fixture *f, const char *const *text, int m, int n, Rows *r)
{
  static const char *const names[] = {"a", "b", "p", "q", "s"};
  *r = (Rows){.f = f, .m = m, .n = n, .generic = {1.3, 0.7, 0.4, 1.1, 0.9}, .start = {1.3, 0.7, 0, 0, 0}};
  for (int i = 0; i < 5; i++) r->symbols[i] = pf_expr_symbol(f->ctx, names[i]);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) r->A[i*n + j] = formula(f->ctx, text[i*(n + 1) + j]);
    r->right[i] = formula(f->ctx, text[i*(n + 1) + n]);
  }
  r->sample = (PfSamplePoint){.count = 5, .constants = 2, .symbols = r->symbols, .generic = r->generic,
                              .start = r->start};
}

static void assert_zero(const Rows *r, PfExpr e, int row)
{
  if (pf_expr_is_probably_zero(r->f->ctx, e, 2) != PF_TRUE)
    fail_msg("row %d: %s", row, text_of(r->f, pf_expr_simplest(r->f->ctx, e)));
}

/* A (d + N u) = f for every u, and the combinations of the unknowns are u. */
static void assert_solves(const Rows *r, const PfDirections *d)
{
  PfContext *ctx = r->f->ctx;
  PfExpr x[MOST], u[MOST];
  for (int a = 0; a < d->count; a++) {
    char name[16];
    snprintf(name, sizeof name, "u%d", a);
    u[a] = pf_expr_symbol(ctx, name);
  }
  for (int i = 0; i < r->n; i++) {
    x[i] = d->d[i];
    for (int a = 0; a < d->count; a++) x[i] = pf_expr_add(ctx, x[i], pf_expr_mul(ctx, d->N[i*d->count + a], u[a]));
  }
  for (int i = 0; i < r->m; i++) {
    PfExpr sum = pf_expr_neg(ctx, r->right[i]);
    for (int j = 0; j < r->n; j++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, r->A[i*r->n + j], x[j]));
    assert_zero(r, sum, i);
  }
  for (int a = 0; a < d->count; a++) {
    PfExpr sum = pf_expr_neg(ctx, u[a]);
    for (int j = 0; j < r->n; j++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, d->combination[a*r->n + j], x[j]));
    assert_zero(r, sum, r->m + a);
  }
}

static void find(Rows *r, PfDirections *d, bool *found)
{
  Fixture *f = r->f;
  assert_int_equal(pf_directions_find(f->ctx, f->arena, &r->sample, r->m, r->n, r->A, r->right, d, found), PF_OK);
}

/* ---------------------------------------------------------------- directions */

static void a_row_across_moves_along(void **state)
{
  needs_shortest_forms();
  static const char *const rows[] = {"-a*sin(p)", "a*cos(p)", "0", "0"};
  Rows r;
  PfDirections d;
  bool found;
  read_rows(*state, rows, 1, 3, &r);
  find(&r, &d, &found);
  assert_true(found);
  assert_int_equal(d.count, 2);
  assert_int_equal(d.divisor_count, 0);
  assert_int_equal(d.column[0], -1);
  assert_int_equal(d.column[1], 2);
  assert_is(*state, d.N[0], "cos(p)"); /* forward where it begins, and of length one */
  assert_is(*state, d.N[2], "sin(p)");
  assert_solves(&r, &d);
}

/* Something else in the row, and on the right side. */
static void a_row_with_a_rest_has_its_shortest_solution(void **state)
{
  needs_shortest_forms();
  static const char *const rows[] = {"-sin(p)", "cos(p)", "q*s", "b*s"};
  Rows r;
  PfDirections d;
  bool found;
  read_rows(*state, rows, 1, 3, &r);
  find(&r, &d, &found);
  assert_true(found);
  assert_int_equal(d.count, 2);
  assert_int_equal(d.divisor_count, 0);
  assert_solves(&r, &d);
}

/* Steered wheels: their common factor cos(q) is no condition. */
static void common_factors_of_the_minors_are_left_out(void **state)
{
  needs_shortest_forms();
  static const char *const rows[] = {"-sin(p + q)", "cos(p + q)", "-a*cos(q)", "0", "0",
                                     "-sin(p - q)", "cos(p - q)", "a*cos(q)", "0", "0"};
  Rows r;
  PfDirections d;
  bool found;
  read_rows(*state, rows, 2, 4, &r);
  find(&r, &d, &found);
  assert_true(found);
  assert_int_equal(d.count, 2);
  assert_int_equal(d.divisor_count, 0);
  assert_solves(&r, &d);
  for (int i = 0; i < 4; i++) { /* finite at cos(q) = 0 */
    double at[5] = {1.3, 0.7, 0.4, acos(-1)/2, 0.9}, value;
    assert_int_equal(pf_expr_evaluate((*(Fixture **)state)->ctx, d.N + 2*i, 1, r.symbols, at, 5, &value), PF_OK);
    assert_true(isfinite(value));
  }
}

/* Where the length of the direction is not constant it is what the form is said to depend on. */
static void rows_that_can_become_dependent_say_where(void **state)
{
  needs_shortest_forms();
  static const char *const rows[] = {"p", "q", "0"};
  Rows r;
  PfDirections d;
  bool found;
  read_rows(*state, rows, 1, 2, &r);
  find(&r, &d, &found);
  assert_true(found);
  assert_int_equal(d.divisor_count, 1);
  assert_is(*state, d.divisors[0], "p^2 + q^2");
  assert_solves(&r, &d);
}

static void constant_pivots_come_first_and_blocks_are_apart(void **state)
{
  needs_shortest_forms();
  static const char *const rows[] = {
    "-sin(p)", "cos(p)", "0", "0", "0", "0", "0",
    "0", "0", "0", "-sin(q)", "cos(q)", "0", "0",
    "cos(p)", "sin(p)", "a", "cos(q)", "sin(q)", "s", "b*s"};
  Rows r;
  PfDirections d;
  bool found;
  read_rows(*state, rows, 3, 6, &r);
  find(&r, &d, &found);
  assert_true(found);
  assert_int_equal(d.count, 3);
  assert_int_equal(d.divisor_count, 0);
  assert_solves(&r, &d);
}

static void what_has_no_direction_is_told(void **state)
{
  static const char *const square[] = {"p", "q", "0", "q", "p", "0"};
  static const char *const contradicting[] = {"1", "0", "0", "1", "0", "b"};
  Rows r;
  PfDirections d;
  bool found;
  read_rows(*state, square, 2, 2, &r);
  find(&r, &d, &found);
  assert_false(found);
  read_rows(*state, contradicting, 2, 2, &r);
  find(&r, &d, &found);
  assert_false(found);
}

/* ---------------------------------------------------------------- elimination */

/* Components along axes that turn: two rows that are solved together, without a quotient. */
static void two_rows_of_constant_determinant_are_solved_together(void **state)
{
  needs_shortest_forms();
  static const char *const rows[] = {"cos(p)", "sin(p)", "q", "b",
                                     "-sin(p)", "cos(p)", "s", "0"};
  Rows r;
  PfElimination e;
  Fixture *f = *state;
  read_rows(f, rows, 2, 3, &r);
  assert_int_equal(pf_eliminate(f->ctx, f->arena, &r.sample, 2, 3, 2, r.A, r.right, &e), PF_OK);
  assert_int_equal(e.rank, 2);
  assert_int_equal(e.divisor_count, 0);
  assert_is(f, e.determinant, "1");
  assert_int_equal(e.column[2], 2);
  for (int i = 0; i < 2; i++) {
    bool first = e.column[i] == 0;
    PfExpr K = formula(f->ctx, first ? "q*cos(p) - s*sin(p)" : "q*sin(p) + s*cos(p)");
    assert_zero(&r, pf_expr_sub(f->ctx, e.K[i], K), i);
    assert_zero(&r, pf_expr_sub(f->ctx, e.d[i], formula(f->ctx, first ? "b*cos(p)" : "b*sin(p)")), i);
  }
}

static void redundant_rows_are_left_out(void **state)
{
  static const char *const rows[] = {"1", "p", "b", "2", "2*p", "2*b", "0", "q", "0"};
  Rows r;
  PfElimination e;
  Fixture *f = *state;
  read_rows(f, rows, 3, 2, &r);
  assert_int_equal(pf_eliminate(f->ctx, f->arena, &r.sample, 3, 2, 3, r.A, r.right, &e), PF_OK);
  assert_int_equal(e.rank, 2);
  assert_int_equal(e.unsolved, -1);
  assert_int_equal(e.divisor_count, 1);
  pf_elimination_keep_rows(&e, 2, r.A, r.right);
  assert_is(f, r.A[3], "q");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_row_across_moves_along),
    with_fixture(a_row_with_a_rest_has_its_shortest_solution),
    with_fixture(common_factors_of_the_minors_are_left_out),
    with_fixture(rows_that_can_become_dependent_say_where),
    with_fixture(constant_pivots_come_first_and_blocks_are_apart),
    with_fixture(what_has_no_direction_is_told),
    with_fixture(two_rows_of_constant_determinant_are_solved_together),
    with_fixture(redundant_rows_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
