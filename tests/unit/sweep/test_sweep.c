/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken of members, against closed forms: x'' = -w^2 x from x = a, which is a cos(w t). */
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

static Row row_of(Fixture *f, const PfSweepWord *words, long long member)
{
  PfSweep *sweep;
  Row row;
  int count = 0;
  while (words[count].key) count++;
  const PfStatus status = pf_sweep_new(f->ctx, words, count, &sweep);
  if (status != PF_OK) print_message("%s\n", pf_context_message(f->ctx));
  assert_int_equal(status, PF_OK);
  assert_true(pf_sweep_columns(sweep) <= MOST);
  assert_int_equal(pf_sweep_member(sweep, member, row.at, &row.end, row.reason), PF_OK);
  pf_sweep_free(sweep);
  return row;
}

static void what_is_taken_is_that_of_the_motion(void **state)
{
  const PfSweepWord words[] = {
    {"model", spring}, {"axis", "w=1,2"}, {"rtol", "1e-11"},
    {"take", "x, max(x'), min(x), mean(x), integral(x), rms(x), at(x, 0.5, 1 [s]), first(x < 0), "
             "first(x > 2 [m]), t_end"},
    {0}};
  const double w = 2, T = 3;
  const Row row = row_of(*state, words, 1);
  assert_int_equal(row.end, PF_MEMBER_DONE);
  const double wanted[] = {w, cos(w*T), w, -1, sin(w*T)/(w*T), sin(w*T)/w, sqrt(0.5 + sin(2*w*T)/(4*w*T)), cos(0.5*w),
                           cos(w), 1.5707963267948966/w, NAN, T};
  for (size_t i = 0; i < sizeof wanted/sizeof *wanted; i++) {
    if (isnan(wanted[i])) assert_true(isnan(row.at[i]));
    else assert_near(row.at[i], wanted[i], 0, 2e-9); /* quarters of steps at a tolerance of 1e-11 */
  }
}

static void starts_and_units_vary_too(void **state)
{
  const PfSweepWord words[] = {{"model", spring}, {"axis", "x=1,20 [cm]"}, {"param", "w=1"}, {"for", "1"},
                               {"take", "x [cm]"}, {0}};
  const Row row = row_of(*state, words, 1);
  assert_near(row.at[0], 0.2, 1e-15, 0);
  assert_near(row.at[1], 20*cos(1), 1e-7, 0);
}

static void a_member_that_fails_says_why(void **state)
{
  const PfSweepWord words[] = {{"model", spring}, {"axis", "w=1,2"}, {"most-steps", "3"}, {"take", "x, t_end"}, {0}};
  const Row row = row_of(*state, words, 1);
  assert_int_equal(row.end, PF_MEMBER_LIMIT);
  assert_true(isnan(row.at[1]) && row.at[2] > 0 && row.at[2] < 3);
  assert_contains(row.reason, "3 steps");
}

/* What went before leaves nothing behind: a member is the same alone, after others, and in a sweep. */
static void a_member_does_not_depend_on_others(void **state)
{
  Fixture *f = *state;
  const PfSweepWord words[] = {{"model", spring}, {"random", "w ~ uniform(0.5, 4)"}, {"random", "x ~ normal(0, 1)"},
                               {"n", "200"}, {"take", "x, max(x)"}, {0}};
  PfSweep *sweep;
  assert_int_equal(pf_sweep_new(f->ctx, words, 5, &sweep), PF_OK);
  static double columns[4*200];
  unsigned char ends[200];
  PfSweepHow how = {.threads = 3};
  PfSweepResult result;
  assert_int_equal(pf_sweep_run(sweep, &how, &result), PF_OK);
  assert_int_equal(result.progress.done, 200);
  assert_int_equal(pf_sweep_read(sweep, NULL, 0, 200, columns, ends, NULL), PF_OK);
  for (int k = 199; k >= 0; k -= 13) {
    const Row row = row_of(f, words, k);
    assert_int_equal(row.end, ends[k]);
    for (int i = 0; i < 4; i++) assert_true(row.at[i] == columns[200*i + k]);
  }
  pf_sweep_free(sweep);
}

static void what_does_not_exist_is_told(void **state)
{
  Fixture *f = *state;
  static const struct {
    PfSweepWord words[4];
    const char *said;
  } cases[] = {{{{"take", "x"}}, "needs a model"},
               {{{"model", spring}}, "what is taken"},
               {{{"model", spring}, {"take", "y"}}, "--take y"},
               {{{"model", spring}, {"take", "x,,x'"}}, "missing between two commas"},
               {{{"model", spring}, {"take", "x,x"}}, "taken twice"},
               {{{"model", spring}, {"take", "first(x)"}}, "needs a condition"},
               {{{"model", spring}, {"take", "event(1)"}}, "no such event"},
               {{{"model", spring}, {"take", "at(x)"}}, "at what time"},
               {{{"model", spring}, {"take", "max(x + 1 [s])"}}, "--take max(x + 1 [s])"},
               {{{"model", spring}, {"take", "x"}, {"axis", "v=1,2"}}, "'v'"},
               {{{"model", spring}, {"take", "x"}, {"param", "w=1 [m]"}}, "w=1 [m]"},
               {{{"model", "coord"}, {"take", "x"}}, ""}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfSweep *sweep;
    int count = 0;
    while (count < 4 && cases[i].words[count].key) count++;
    assert_int_not_equal(pf_sweep_new(f->ctx, cases[i].words, count, &sweep), PF_OK);
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
  const PfSweepWord words[] = {{"model", ishigami}, ANGLES, {"n", count}, {"design", design}, {"take", "f"}};
  PfSweep *sweep;
  PfSweepHow how = {.threads = 2};
  PfSweepResult result;
  assert_int_equal(pf_sweep_new(f->ctx, words, 7, &sweep), PF_OK);
  assert_true(pf_sweep_has_sensitivity(sweep));
  assert_string_equal(pf_sweep_chance(sweep, 2), "c");
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
  const PfSweepWord words[] = {{"model", damped}, {"axis", "d=0.3,-0.1"}, {"study", "linearize"},
                               {"take", "growth, stable, re[2], im[1], re[3]"}, {0}};
  for (int k = 0; k < 2; k++) {
    const Row row = row_of(*state, words, k);
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
    with_fixture(what_is_taken_is_that_of_the_motion), with_fixture(starts_and_units_vary_too),
    with_fixture(a_member_that_fails_says_why), with_fixture(a_member_does_not_depend_on_others),
    with_fixture(what_does_not_exist_is_told), with_fixture(parts_of_the_variance_are_known),
    with_fixture(effects_are_those_of_the_levels), with_fixture(a_member_can_be_studied)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
