/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse factors against dense ones. */
#include "support.h"

#include "expr/formula.h"
#include "num/sparse.h"

enum { MOST = 60, MOST_ENTRIES = 2000 };

typedef struct Matrix {
  int n, m, mass_count, row_count;
  PfEntry mass[MOST_ENTRIES], rows[MOST_ENTRIES];
  double value[2*MOST_ENTRIES];
  PfRowOrder order;
} Matrix;

static void add_mass(Matrix *a, int i, int j, double x)
{
  a->mass[a->mass_count] = (PfEntry){i, j};
  a->value[a->mass_count++] = x;
}

/* n coordinates of which neighbours are coupled, and rows on three coordinates each; dominated by the diagonal. */
static void draw_matrix(uint64_t *seed, int n, int m, Matrix *a)
{
  double rows[MOST_ENTRIES];
  *a = (Matrix){.n = n, .m = m};
  for (int i = 0; i < n; i++) {
    add_mass(a, i, i, 4 + draw_number(seed));
    if (i > 0 && draw_number(seed) > -0.5) add_mass(a, i, i - 1, draw_number(seed));
    if (i > 6 && draw_number(seed) > 0.3) add_mass(a, i, i - 7, draw_number(seed));
  }
  for (int k = 0; k < m; k++)
    for (int c = 0; c < 3; c++) {
      rows[a->row_count] = c == 0 ? 2 + draw_number(seed) : draw_number(seed);
      a->rows[a->row_count++] = (PfEntry){k, (2*k + 5*c)%n};
    }
  memcpy(a->value + a->mass_count, rows, (size_t)a->row_count*sizeof *rows);
}

/* M x - A^T lambda - f and A x - b, by the entries. */
static void assert_solved(const Matrix *a, const double *f, const double *b, const double *x, const double *lambda)
{
  double left[MOST] = {0}, rows[MOST] = {0};
  for (int k = 0; k < a->mass_count; k++) {
    int i = a->mass[k].row, j = a->mass[k].column;
    left[i] += a->value[k]*x[j];
    if (i != j) left[j] += a->value[k]*x[i];
  }
  for (int k = 0; k < a->row_count; k++) {
    double c = a->value[a->mass_count + k];
    left[a->rows[k].column] -= c*lambda[a->rows[k].row];
    rows[a->rows[k].row] += c*x[a->rows[k].column];
  }
  for (int i = 0; i < a->n; i++) assert_near(left[i], f[i], 1e-12, 1e-12);
  for (int k = 0; k < a->m; k++) assert_near(rows[k], b[k], 1e-12, 1e-12);
}

static PfSaddle make(Fixture *f, const Matrix *a)
{
  PfSaddle saddle;
  assert_int_equal(pf_saddle_make(f->ctx, f->arena, a->mass, a->mass_count, a->rows, a->row_count, a->n, a->m,
                                  a->order, &saddle),
                   PF_OK);
  return saddle;
}

static void saddle_points_of_many_patterns_are_solved(void **state)
{
  uint64_t seed = 11;
  Matrix a;
  for (int trial = 0; trial < 200; trial++) {
    int n = 4 + trial%40, m = trial%5 ? n/3 : 0;
    double f[MOST], b[MOST], x[MOST], lambda[MOST];
    draw_matrix(&seed, n, m, &a);
    a.order = trial%2 ? PF_ROWS_SOON : PF_ROWS_LAST;
    PfSaddle saddle = make(*state, &a);
    for (int i = 0; i < n; i++) f[i] = draw_number(&seed);
    for (int k = 0; k < m; k++) b[k] = draw_number(&seed);
    PfSaddleMargin margin = pf_saddle_factor(&saddle, a.value, NULL);
    assert_true(margin.mass > 0.1 && margin.rows > 1e-3);
    pf_saddle_solve(&saddle, f, b, x, lambda);
    assert_solved(&a, f, b, x, lambda);
  }
}

/* Two rows on coordinates of their own, with M = 1: the pivots are those of Gram and Schmidt. */
static void the_margin_is_the_sine_of_the_angle_between_rows(void **state)
{
  const double angle = 0.1;
  Matrix a = {.n = 2, .m = 2, .row_count = 4, .rows = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}};
  add_mass(&a, 0, 0, 1);
  add_mass(&a, 1, 1, 1);
  const double rows[] = {3, 0, 5*cos(angle), 5*sin(angle)};
  memcpy(a.value + 2, rows, sizeof rows);
  PfSaddle saddle = make(*state, &a);
  PfSaddleMargin margin = pf_saddle_factor(&saddle, a.value, NULL);
  assert_near(margin.mass, 1, 1e-15, 0);
  assert_near(margin.rows, sin(angle)*sin(angle), 1e-12, 0);
  assert_near(pf_saddle_square(&saddle, 0), 9, 1e-15, 0);
  assert_near(pf_saddle_square(&saddle, 1), 25, 1e-15, 0);
  const double longer[] = {6, 5}; /* the first row was twice as long once */
  assert_near(pf_saddle_factor(&saddle, a.value, longer).rows, fmin(sin(angle)*sin(angle), 0.25), 1e-12, 0);
}

static void what_is_singular_or_not_finite_has_no_margin(void **state)
{
  Matrix a = {.n = 2, .m = 2, .row_count = 4, .rows = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}};
  add_mass(&a, 0, 0, 1);
  add_mass(&a, 1, 1, 1);
  const double same[] = {1, 2, 1, 2}, absent[] = {0, 0, 1, 2}, bad[] = {NAN, 0, 1, 2};
  PfSaddle saddle = make(*state, &a);
  memcpy(a.value + 2, same, sizeof same);
  assert_false(pf_saddle_factor(&saddle, a.value, NULL).rows > 1e-15);
  memcpy(a.value + 2, absent, sizeof absent);
  assert_false(pf_saddle_factor(&saddle, a.value, NULL).rows > 1e-15);
  memcpy(a.value + 2, bad, sizeof bad);
  assert_false(pf_saddle_factor(&saddle, a.value, NULL).rows > 1e-15);
  memcpy(a.value + 2, (double[]){1, 0, 0, 1}, sizeof same);
  a.value[0] = -1; /* not positive definite */
  assert_false(pf_saddle_factor(&saddle, a.value, NULL).mass > 0);
  a.value[0] = 0; /* no inertia at all */
  assert_false(pf_saddle_factor(&saddle, a.value, NULL).mass > 0);
}

/* k blocks of three coordinates and two rows each: L has no element between blocks, so the cost is k times that of
 * one. */
static void separate_loops_never_meet(void **state)
{
  double cost[2] = {0};
  for (int large = 0; large < 2; large++) {
    int blocks = large ? 10 : 1;
    Matrix a = {.n = 3*blocks, .m = 2*blocks};
    for (int k = 0; k < blocks; k++)
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) add_mass(&a, i*blocks + k, j*blocks + k, i == j ? 3 : 1); /* shuffled */
        for (int r = 0; r < 2; r++) a.rows[a.row_count++] = (PfEntry){r*blocks + k, i*blocks + k};
      }
    PfSaddle saddle = make(*state, &a);
    cost[large] = pf_sparse_cost(&saddle.ldl);
  }
  assert_near(cost[1], 10*cost[0], 0, 0);
}

/* Masses on a line whose neighbours keep their distances: each row goes right after its two masses, so L has a few
 * elements in each column; after all masses the rows of a full inertia would fill up. */
static double cost_of_chain(Fixture *f, int n, PfRowOrder order)
{
  Matrix a = {.n = n, .m = n - 1, .order = order};
  for (int i = 0; i < n; i++) {
    add_mass(&a, i, i, 3);
    if (i > 0) add_mass(&a, i, i - 1, 1);
  }
  for (int k = 0; k < n - 1; k++)
    for (int i = 0; i < 2; i++) a.rows[a.row_count++] = (PfEntry){k, k + i};
  PfSaddle saddle = make(f, &a);
  return pf_sparse_cost(&saddle.ldl);
}

static void rows_that_go_soon_keep_a_chain_a_chain(void **state)
{
  double few = cost_of_chain(*state, 15, PF_ROWS_SOON), many = cost_of_chain(*state, 60, PF_ROWS_SOON);
  assert_true(many < 4.5*few);
  assert_true(cost_of_chain(*state, 60, PF_ROWS_LAST) > 5*many);
}

/* A row comes after all coordinates that it has, and its pivot tells when it depends on those before it. */
static void rows_that_go_soon_wait_for_their_coordinates(void **state)
{
  uint64_t seed = 5;
  Matrix a;
  draw_matrix(&seed, 40, 12, &a);
  a.order = PF_ROWS_SOON;
  PfSaddle saddle = make(*state, &a);
  for (int k = 0; k < a.row_count; k++)
    assert_true(saddle.place[a.n + a.rows[k].row] > saddle.place[a.rows[k].column]);
  for (int k = 0; k < 3; k++) { /* the second row becomes twice the first one */
    a.rows[3 + k].column = a.rows[k].column;
    a.value[a.mass_count + 3 + k] = 2*a.value[a.mass_count + k];
  }
  saddle = make(*state, &a);
  PfSaddleMargin margin = pf_saddle_factor(&saddle, a.value, NULL);
  assert_true(margin.mass > 0.1 && !(margin.rows > 1e-14));
  assert_true(margin.row == 0 || margin.row == 1);
}

/* Wrong by one part in a thousand in one entry, the factors still lead to the solution. */
static void residuals_refine_a_solution(void **state)
{
  uint64_t seed = 7;
  Matrix a;
  double f[MOST], b[MOST], x[MOST], lambda[MOST], rf[MOST], rb[MOST], dx[MOST], dl[MOST], last = 1;
  draw_matrix(&seed, 30, 10, &a);
  PfSaddle saddle = make(*state, &a);
  for (int i = 0; i < 30; i++) f[i] = draw_number(&seed);
  for (int k = 0; k < 10; k++) b[k] = draw_number(&seed);
  a.value[0] *= 1.001;
  (void)pf_saddle_factor(&saddle, a.value, NULL);
  a.value[0] /= 1.001;
  pf_saddle_solve(&saddle, f, b, x, lambda);
  for (int step = 0; step < 6; step++) {
    pf_saddle_residual(&saddle, &(PfSaddleNumbers){a.value, f, b}, x, lambda, rf, rb);
    pf_saddle_solve(&saddle, rf, rb, dx, dl);
    (void)pf_add_step(lambda, dl, 10);
    last = pf_add_step(x, dx, 30);
  }
  assert_true(last < 1e-14);
  assert_solved(&a, f, b, x, lambda);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(saddle_points_of_many_patterns_are_solved),
    with_fixture(rows_that_go_soon_keep_a_chain_a_chain),
    with_fixture(rows_that_go_soon_wait_for_their_coordinates),
    with_fixture(residuals_refine_a_solution),
    with_fixture(the_margin_is_the_sine_of_the_angle_between_rows),
    with_fixture(what_is_singular_or_not_finite_has_no_margin),
    with_fixture(separate_loops_never_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
