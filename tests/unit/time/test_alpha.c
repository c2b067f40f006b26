/* SPDX-License-Identifier: Apache-2.0 */
/* The alpha methods: errors and orders of the published cases (tests/reference/alpha-convergence.csv). */
#include "alpha_motions.h"

/* ---------------------------------------------------------------- the published cases */

typedef struct Trial {
  const char *name, *model, *parameter;
  double value, t_end, every;
} Trial;

static const Trial snakeboard_20 = {"snakeboard F=20 t<=0.8", "snakeboard", "F", 20, 0.8, 0.05};
static const Trial snakeboard_1 = {"snakeboard F=1 t<=5", "snakeboard", "F", 1, 5, 0.25};
static const Trial sleigh = {"sleigh variable mass t<=2", "sleigh_variable_mass", NULL, 0, 2, 0.1};

/* The names of the table. With a constant mass matrix printed and corrected schemes are one. Those of the printed
 * schemes that start with values of both ends of the first step are run with the plain start: the difference is
 * small. */
typedef struct Row {
  const char *scheme, *method;
  bool recursion;       /* of accelerations: the corrected scheme */
  PfAlphaStart start;
} Row;

static const Row rows[] = {
  {"galpha start (1-alpha)F0+alpha F1", "generalized_alpha", false, PF_ALPHA_SHIFTED},
  {"galpha start a0=qdd0", "generalized_alpha", false, PF_ALPHA_PLAIN},
  {"galpha acceleration recursion start (1-alpha)+alpha", "generalized_alpha", true, PF_ALPHA_SHIFTED},
  {"galpha acceleration recursion start a0=qdd0", "generalized_alpha", true, PF_ALPHA_PLAIN},
  {"alpha-rattle start with f", "rattle", false, PF_ALPHA_SHIFTED},
  {"alpha-rattle start a0=Minv f0", "rattle", false, PF_ALPHA_PLAIN},
  {"alpha-rattle acceleration recursion start with f", "rattle", true, PF_ALPHA_SHIFTED},
};

static const Row *find_row(const char *scheme)
{
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++)
    if (!strcmp(rows[i].scheme, scheme)) return rows + i;
  return NULL;
}

static void assert_errors(const Table *table, int line, const Errors *errors, double rtol)
{
  double middle = cell(table, line, "err_lam_mid");
  assert_near(errors->q, cell(table, line, "err_q"), rtol, 0);
  assert_near(errors->v, cell(table, line, "err_qd"), rtol, 0);
  assert_near(errors->end, cell(table, line, "err_lam_end"), rtol, 0);
  assert_near(errors->post, cell(table, line, "err_lam_post"), rtol, 0);
  if (isfinite(middle)) assert_near(errors->middle, middle, rtol, 0);
}

/* Every line of the table for one case; four digits are printed. */
static void assert_table(Fixture *f, const Trial *c, int lines)
{
  const Table *table = read_table(f, "alpha-convergence.csv");
  Motion motion;
  open_example(f, c->model, c->parameter, c->value, &motion);
  bool constant_mass = c->parameter != NULL;
  for (int i = 1; i < table->lines; i++) {
    const Row *row = find_row(table->cell[i][1]);
    if (strcmp(table->cell[i][0], c->name) != 0 || !row) continue;
    Scheme scheme = {row->method, cell(table, i, "h"), rho_paper, !constant_mass && !row->recursion, row->start};
    Errors errors = find_errors(&motion, &scheme, c->t_end, c->every);
    bool same_start = !scheme.printed || row->start == PF_ALPHA_PLAIN;
    assert_errors(table, i, &errors, same_start ? 2e-3 : 0.02);
    lines--;
  }
  assert_int_equal(lines, 0);
  close_motion(&motion);
}

static void errors_on_the_snakeboard_with_20_N_are_those_of_the_table(void **state)
{
  assert_table(*state, &snakeboard_20, 16);
}

/* Errors of more than 0.1 there make the multipliers sensitive; what is printed is met all the same. */
static void errors_on_the_snakeboard_with_1_N_are_those_of_the_table(void **state)
{
  assert_table(*state, &snakeboard_1, 16);
}

static void errors_on_the_sleigh_with_variable_mass_are_those_of_the_table(void **state)
{
  assert_table(*state, &sleigh, 28);
}

/* The motions the errors above are measured against are those of quadruple precision. */
static void assert_reference(Fixture *f, const Trial *c, const char *file, const char *const *multipliers)
{
  const Table *table = read_table(f, file);
  Motion motion;
  double at[MOST_SAMPLES];
  int count = 0;
  open_example(f, c->model, c->parameter, c->value, &motion);
  for (int i = 2; i < table->lines && cell(table, i, "t") < c->t_end + 1e-9; i++) at[count++] = cell(table, i, "t");
  const Samples *exact = reference(&motion, at, count);
  int n = motion.s.eq.n;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < n; j++) {
      char rate[64];
      const char *name = motion.s.model->coordinates[j].name;
      snprintf(rate, sizeof rate, "%s_d", name);
      assert_near(exact->x[i][j], cell(table, i + 2, name), 0, 1e-10);
      assert_near(exact->x[i][n + j], cell(table, i + 2, rate), 0, 1e-10);
    }
    for (int k = 0; k < motion.s.eq.m; k++) /* the files have lambda on the left side */
      assert_near(exact->x[i][3*n + k], -cell(table, i + 2, multipliers[k]), 1e-9, 1e-9);
  }
  close_motion(&motion);
}

static void the_reference_motions_are_right(void **state)
{
  static const char *const wheels[] = {"lambda_b", "lambda_f"}, *const blade[] = {"lambda"};
  assert_reference(*state, &snakeboard_20, "snakeboard-F20.csv", wheels);
  assert_reference(*state, &snakeboard_1, "snakeboard-F1.csv", wheels);
  assert_reference(*state, &sleigh, "sleigh-variable-mass.csv", blade);
}

/* ---------------------------------------------------------------- orders */

static void assert_case_orders(Fixture *f, const Trial *c, bool printed, double expected)
{
  static const char *const methods[] = {"generalized_alpha", "rattle"};
  Motion motion;
  open_example(f, c->model, c->parameter, c->value, &motion);
  for (int i = 0; i < 2; i++) {
    Orders orders = find_orders(&motion, methods[i], printed, 4e-3, c->t_end, c->every == 0.05 ? 0.08 : c->every);
    assert_orders(&orders, expected);
  }
  close_motion(&motion);
}

static void with_a_constant_mass_matrix_all_schemes_are_of_second_order(void **state)
{
  assert_case_orders(*state, &snakeboard_20, false, 2);
  assert_case_orders(*state, &snakeboard_20, true, 2);
}

static void with_a_variable_mass_matrix_the_printed_schemes_are_of_first_order(void **state)
{
  assert_case_orders(*state, &sleigh, true, 1);
}

static void with_a_variable_mass_matrix_the_corrected_schemes_are_of_second_order(void **state)
{
  assert_case_orders(*state, &sleigh, false, 2);
}

/* The multipliers of the first step, where a plain start is off by a term of first order. */
static void multipliers_of_the_first_step_are_of_second_order(void **state)
{
  Motion motion;
  open_example(*state, sleigh.model, NULL, 0, &motion);
  double error[2][2];
  for (int start = 0; start < 2; start++)
    for (int k = 0; k < 2; k++) {
      Scheme scheme = {"generalized_alpha", k ? 1e-3 : 2e-3, 0, false, start ? PF_ALPHA_PLAIN : PF_ALPHA_SHIFTED};
      error[start][k] = find_errors(&motion, &scheme, scheme.step, scheme.step).end;
    }
  assert_near(order(error[0][0], error[0][1], 2), 2, 0, 0.1);
  assert_near(order(error[1][0], error[1][1], 2), 1, 0, 0.1);
  close_motion(&motion);
}

/* rho of section 4 of the comparison: 0.8 s with 20 N, h = 1e-3. */
static void errors_for_other_rho_are_those_published(void **state)
{
  static const struct {
    double rho, alpha[3], rattle[3];
  } table[] = {
    {1, {5.31e-5, 4.62e-4, 7.05e-3}, {5.01e-5, 6.64e-4, 9.06e-3}},
    {0.8, {5.60e-5, 4.88e-4, 7.09e-3}, {5.26e-5, 7.05e-4, 9.56e-3}},
    {3.0/7, {9.01e-5, 7.98e-4, 1.17e-2}, {8.37e-5, 1.20e-3, 1.56e-2}},
    {0, {2.85e-4, 2.55e-3, 3.95e-2}, {2.62e-4, 3.98e-3, 5.01e-2}},
  };
  const Trial *c = &snakeboard_20;
  Motion motion;
  open_example(*state, c->model, c->parameter, c->value, &motion);
  for (size_t i = 0; i < sizeof table/sizeof *table; i++) {
    Scheme scheme = {"generalized_alpha", 1e-3, table[i].rho, false, PF_ALPHA_SHIFTED};
    Errors a = find_errors(&motion, &scheme, c->t_end, c->every);
    scheme.method = "rattle";
    Errors b = find_errors(&motion, &scheme, c->t_end, c->every);
    assert_near(a.q, table[i].alpha[0], 0.02, 0);
    assert_near(a.v, table[i].alpha[1], 0.02, 0);
    assert_near(a.end, table[i].alpha[2], 0.02, 0);
    assert_near(b.q, table[i].rattle[0], 0.02, 0);
    assert_near(b.v, table[i].rattle[1], 0.02, 0);
    assert_near(b.post, table[i].rattle[2], 0.02, 0);
  }
  close_motion(&motion);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_reference_motions_are_right),
    with_fixture(errors_on_the_snakeboard_with_20_N_are_those_of_the_table),
    with_fixture(errors_on_the_snakeboard_with_1_N_are_those_of_the_table),
    with_fixture(errors_on_the_sleigh_with_variable_mass_are_those_of_the_table),
    with_fixture(with_a_constant_mass_matrix_all_schemes_are_of_second_order),
    with_fixture(with_a_variable_mass_matrix_the_printed_schemes_are_of_first_order),
    with_fixture(with_a_variable_mass_matrix_the_corrected_schemes_are_of_second_order),
    with_fixture(multipliers_of_the_first_step_are_of_second_order),
    with_fixture(errors_for_other_rho_are_those_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
