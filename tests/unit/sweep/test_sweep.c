/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of members, against closed forms: x'' = -w^2 x from x = a, which is a cos(w t). */
#include "support.h"

#include "pfaff/sweep.h"

static const char spring[] = "param w = 2 [1/s]\ncoord x [m]\nkinetic 0.5[kg]*x'^2\npotential 0.5[kg]*w^2*x^2\n"
                             "start x = 1\nrun 3\n";
enum { MOST = 16 };

typedef struct Row {
  double at[MOST];
  int end;
  char reason[PF_REASON];
} Row;

static Row row_of(Fixture *f, const PfSweepSetting *settings, long long member)
{
  PfSweep *sweep;
  Row row;
  int count = 0;
  while (settings[count].key) count++;
  const PfStatus status = pf_sweep_new(f->ctx, settings, count, &sweep);
  if (status != PF_OK) print_message("%s\n", pf_context_message(f->ctx));
  assert_int_equal(status, PF_OK);
  assert_true(pf_sweep_columns(sweep) <= MOST);
  assert_int_equal(pf_sweep_member(sweep, member, row.at, &row.end, row.reason), PF_OK);
  pf_sweep_free(sweep);
  return row;
}

static void what_is_taken_is_that_of_the_motion(void **state)
{
  const PfSweepSetting settings[] = {
    {"model", spring}, {"axis", "w=1,2"}, {"rtol", "1e-11"},
    {"take", "x, max(x'), min(x), mean(x), integral(x), rms(x), at(x, 0.5, 1 [s]), first(x < 0), "
             "first(x > 2 [m]), t_end"},
    {0}};
  const double w = 2, T = 3;
  const Row row = row_of(*state, settings, 1);
  assert_int_equal(row.end, PF_MEMBER_DONE);
  const double wanted[] = {w, cos(w*T), w, -1, sin(w*T)/(w*T), sin(w*T)/w, sqrt(0.5 + sin(2*w*T)/(4*w*T)), cos(0.5*w),
                           cos(w), 1.5707963267948966/w, NAN, T};
  for (size_t i = 0; i < sizeof wanted/sizeof *wanted; i++) {
    if (isnan(wanted[i])) assert_true(isnan(row.at[i]));
    else assert_near(row.at[i], wanted[i], 0, 2e-9); /* quarters of steps at a tolerance of 1e-11 */
  }
}

static void formulas_are_those_of_the_numbers(void **state)
{
  const PfSweepSetting settings[] = {
    {"model", spring}, {"axis", "w=1,2"}, {"rtol", "1e-11"}, {"axis", "x=2,3"},
    {"take", "(max(x) - min(x)) [cm], sqrt(mean(x^2)), integral(x)/t_end, x/max(x), w*first(x < 0 [m])"}, {0}};
  const double w = 2, T = 3;
  const Row row = row_of(*state, settings, 3);
  const double wanted[] = {w, 3, 600, 3*sqrt(0.5 + sin(2*w*T)/(4*w*T)), 3*sin(w*T)/(w*T), cos(w*T), 1.5707963267948966};
  for (size_t i = 0; i < sizeof wanted/sizeof *wanted; i++) assert_near(row.at[i], wanted[i], 1e-8, 2e-9);
}

/* Of w between 1 and 2 in the middles of a grid: t_end is 3 for all, and x the mean of cos(3 w). */
static void statistics_need_no_rows(void **state)
{
  Fixture *f = *state;
  const PfSweepSetting settings[] = {{"model", spring}, {"axis", "w=1..2:5001"}, {"take", "x, t_end"}};
  PfSweepColumn found[2] = {{0}};
  double quantile[2];
  for (int k = 0; k < 2; k++) {
    PfSweep *sweep;
    PfSweepResult result;
    const PfSweepRunOptions how = {.threads = k ? 4 : 1, .statistics_only = true};
    double column;
    unsigned char end;
    assert_int_equal(pf_sweep_new(f->ctx, settings, 3, &sweep), PF_OK);
    assert_false(pf_sweep_column(sweep, 1, found + k));
    assert_int_equal(pf_sweep_run(sweep, &how, &result), PF_OK);
    assert_true(pf_sweep_column(sweep, 1, found + k));
    assert_false(pf_sweep_column(sweep, 0, found)); /* what varies has none */
    quantile[k] = pf_sweep_quantile(sweep, 1, 0.5);
    assert_int_not_equal(pf_sweep_read(sweep, NULL, 0, 1, &column, &end, NULL), PF_OK);
    pf_diagnostics_clear(f->ctx);
    pf_sweep_free(sweep);
  }
  assert_int_equal(found[0].count, 5001);
  assert_near(found[0].mean, (sin(6) - sin(3))/3, 0, 3e-4); /* the grid has both ends: half a step too much */
  assert_memory_equal(found, found + 1, sizeof *found);
  assert_true(quantile[0] == quantile[1]);
}

/* Equilibria of a pendulum turned by its start, and the exponent of one that stands upside down: sqrt(g/l). */
static void members_rest_and_depart(void **state)
{
  static const char pendulum[] = "param w = 3\ncoord a\nkinetic a'^2/2\npotential -w^2*cos(a)\nstart a = 3\nrun 1\n";
  const double pi = 3.141592653589793;
  const PfSweepSetting rest[] = {{"model", pendulum}, {"axis", "a=0.2,3"}, {"study", "equilibria"},
                                 {"take", "a, growth, stable, found"}, {0}};
  const Row below = row_of(*state, rest, 0), above = row_of(*state, rest, 1);
  assert_near(below.at[1], 0, 0, 1e-9);
  assert_true(below.at[3] == 1 && below.at[4] >= 2);
  assert_near(above.at[1], pi, 1e-9, 0);
  assert_near(above.at[2], 3, 1e-9, 0);
  assert_true(above.at[3] == 0);
  const PfSweepSetting depart[] = {{"model", pendulum}, {"axis", "w=2,3"}, {"state", "a=pi"}, {"study", "lyapunov"},
                                   {"for", "8"}, {"take", "exponent"}, {0}};
  /* from (1, 1)/sqrt(2) a deviation grows as A e^(w t) (1, w), A = (1 + 1/w)/sqrt(8) */
  assert_near(row_of(*state, depart, 1).at[1], 3 + log((1 + 1.0/3)/sqrt(8)*sqrt(10))/8, 1e-4, 0);
}

static void starts_and_units_vary_too(void **state)
{
  const PfSweepSetting settings[] = {{"model", spring}, {"axis", "x=1,20 [cm]"}, {"param", "w=1"}, {"for", "1"},
                                     {"take", "x [cm]"}, {0}};
  const Row row = row_of(*state, settings, 1);
  assert_near(row.at[0], 0.2, 1e-15, 0);
  assert_near(row.at[1], 20*cos(1), 1e-7, 0);
}

static void a_member_that_fails_says_why(void **state)
{
  const PfSweepSetting settings[] = {{"model", spring}, {"axis", "w=1,2"}, {"most-steps", "3"}, {"take", "x, t_end"},
                                     {0}};
  const Row row = row_of(*state, settings, 1);
  assert_int_equal(row.end, PF_MEMBER_LIMIT);
  assert_true(isnan(row.at[1]) && row.at[2] > 0 && row.at[2] < 3);
  assert_contains(row.reason, "3 steps");
}

/* What went before leaves nothing behind: a member is the same alone, after others, and in a sweep. */
static void a_member_does_not_depend_on_others(void **state)
{
  Fixture *f = *state;
  const PfSweepSetting settings[] = {{"model", spring}, {"random", "w ~ uniform(0.5, 4)"},
                                     {"random", "x ~ normal(0, 1)"},
                                     {"n", "200"}, {"take", "x, max(x)"}, {0}};
  PfSweep *sweep;
  assert_int_equal(pf_sweep_new(f->ctx, settings, 5, &sweep), PF_OK);
  static double columns[4*200];
  unsigned char ends[200];
  PfSweepRunOptions how = {.threads = 3};
  PfSweepResult result;
  assert_int_equal(pf_sweep_run(sweep, &how, &result), PF_OK);
  assert_int_equal(result.progress.done, 200);
  assert_int_equal(pf_sweep_read(sweep, NULL, 0, 200, columns, ends, NULL), PF_OK);
  for (int k = 199; k >= 0; k -= 13) {
    const Row row = row_of(f, settings, k);
    assert_int_equal(row.end, ends[k]);
    for (int i = 0; i < 4; i++) assert_true(row.at[i] == columns[200*i + k]);
  }
  pf_sweep_free(sweep);
}

static void what_does_not_exist_is_told(void **state)
{
  Fixture *f = *state;
  static const struct {
    PfSweepSetting settings[4];
    const char *said;
  } cases[] = {{{{"take", "x"}}, "needs a model"},
               {{{"model", spring}}, "what is taken"},
               {{{"model", spring}, {"take", "y"}}, "take = y"},
               {{{"model", spring}, {"take", "x,,x'"}}, "missing between two commas"},
               {{{"model", spring}, {"take", "x,x"}}, "taken twice"},
               {{{"model", spring}, {"take", "first(x)"}}, "needs a condition"},
               {{{"model", spring}, {"take", "event(1)"}}, "no such event"},
               {{{"model", spring}, {"take", "at(x)"}}, "at what time"},
               {{{"model", spring}, {"take", "max(x + 1 [s])"}}, "take = max(x + 1 [s])"},
               {{{"model", spring}, {"take", "x"}, {"axis", "v=1,2"}}, "'v'"},
               {{{"model", spring}, {"take", "x"}, {"param", "w=1 [m]"}}, "w=1 [m]"},
               {{{"model", "coord"}, {"take", "x"}}, ""}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfSweep *sweep;
    int count = 0;
    while (count < 4 && cases[i].settings[count].key) count++;
    assert_int_not_equal(pf_sweep_new(f->ctx, cases[i].settings, count, &sweep), PF_OK);
    assert_null(sweep);
    assert_contains(pf_context_message(f->ctx), cases[i].said);
    pf_diagnostics_clear(f->ctx);
  }
}

/* Ishigami and Homma's function of three numbers between -pi and pi, with a = 7 and b = 0.1: its indices are known. */
static const char ishigami[] = "param a = 0, b = 0, c = 0\ncoord x\nkinetic x'^2/2\n"
                               "let f = sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a)\nrun 0.01\n";
#define ANGLES \
  {"random", "a ~ uniform(-pi, pi)"}, {"random", "b ~ uniform(-pi, pi)"}, {"random", "c ~ uniform(-pi, pi)"}

static void sensitivities_of(Fixture *f, const char *design, const char *count, PfSensitivity s[3])
{
  const PfSweepSetting settings[] = {{"model", ishigami}, ANGLES, {"n", count}, {"design", design}, {"take", "f"}};
  PfSweep *sweep;
  PfSweepRunOptions how = {.threads = 2};
  PfSweepResult result;
  assert_int_equal(pf_sweep_new(f->ctx, settings, 7, &sweep), PF_OK);
  assert_true(pf_sweep_has_sensitivity(sweep));
  assert_string_equal(pf_sweep_random_variable(sweep, 2), "c");
  assert_int_equal(pf_sweep_run(sweep, &how, &result), PF_OK);
  assert_int_equal(pf_sweep_sensitivity(sweep, NULL, s), PF_OK);
  pf_sweep_free(sweep);
}

/* V = 1/2 + a^2/8 + b pi^4/5 + b^2 pi^8/18; Saltelli and others, Global Sensitivity Analysis, section 4.8. */
static void parts_of_the_variance_are_known(void **state)
{
  PfSensitivity s[3];
  sensitivities_of(*state, "saltelli", "4096", s);
  static const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
  for (int i = 0; i < 3; i++) {
    assert_near(s[i].first, first[i], 0, 0.02); /* 4096 points */
    assert_near(s[i].total, total[i], 0, 0.02);
  }
}

/* b enters alone and periodically: half of its range changes the square of its sine, at the middles of quarters, by
 * nothing. */
static void effects_are_those_of_the_levels(void **state)
{
  PfSensitivity s[3];
  sensitivities_of(*state, "morris", "500", s);
  assert_near(s[1].total, 0, 0, 1e-12);
  assert_true(s[0].total > 1 && s[2].total > 1);
  assert_near(s[2].first, 0, 0, 0.5); /* c and -c are the same */
}

/* x'' = -w^2 x - 2 d x' has the eigenvalues -d +- i sqrt(w^2 - d^2). */
static void a_member_can_be_studied(void **state)
{
  static const char damped[] = "param w = 2 [1/s], d = 0 [1/s]\ncoord x [m]\nkinetic 0.5[kg]*x'^2\n"
                               "potential 0.5[kg]*w^2*x^2\nforce x = -2[kg]*d*x'\n";
  const PfSweepSetting settings[] = {{"model", damped}, {"axis", "d=0.3,-0.1"}, {"study", "linearize"},
                                     {"take", "growth, stable, re[2], im[1], re[3]"}, {0}};
  for (int k = 0; k < 2; k++) {
    const Row row = row_of(*state, settings, k);
    const double d = k ? -0.1 : 0.3;
    assert_int_equal(row.end, PF_MEMBER_DONE);
    assert_near(row.at[1], -d, 1e-13, 0);
    assert_near(row.at[2], !k, 0, 0);
    assert_near(row.at[3], -d, 1e-13, 0);
    assert_near(fabs(row.at[4]), sqrt(4 - d*d), 1e-13, 0);
    assert_true(isnan(row.at[5]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(what_is_taken_is_that_of_the_motion), with_fixture(formulas_are_those_of_the_numbers),
    with_fixture(statistics_need_no_rows), with_fixture(members_rest_and_depart),
    with_fixture(starts_and_units_vary_too),
    with_fixture(a_member_that_fails_says_why), with_fixture(a_member_does_not_depend_on_others),
    with_fixture(what_does_not_exist_is_told), with_fixture(parts_of_the_variance_are_known),
    with_fixture(effects_are_those_of_the_levels), with_fixture(a_member_can_be_studied)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
