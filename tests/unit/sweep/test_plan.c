/* SPDX-License-Identifier: Apache-2.0 */
/* What varies: grids, laws, designs, and texts that make no sense. */
#include "support.h"

#include "sweep/sweep_impl.h"

static const char model_text[] = "param m = 1 [kg], k = 2 [N/m]\ncoord x [m], phi [deg]\n"
                                 "kinetic m/2*(x'^2 + phi'^2*1[m^2])\npotential k/2*x^2\n";

enum { MOST = 8 };

static PfStatus read_plan(Fixture *f, const PfSweepSetting *settings, PfPlan *plan)
{
  PfModel *model;
  int count = 0;
  while (settings[count].key) count++;
  assert_int_equal(pf_model_read(f->ctx, "text", model_text, sizeof model_text - 1, &model), PF_OK);
  PfStatus status = pf_plan_read(f->ctx, f->arena, model, settings, count, plan);
  pf_model_free(model);
  return status;
}

static double value_of(const PfPlan *plan, long long member, int variable)
{
  double values[MOST];
  pf_plan_member(plan, member, values);
  return values[variable];
}

static void directions_are_combined(void **state)
{
  PfPlan plan;
  const PfSweepSetting settings[] = {{"axis", "m=5..7:3"}, {"axis", "k=1,2 [N/cm],4"}, {0}};
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  assert_int_equal(plan.count, 9);
  static const double m[] = {5, 5, 5, 6, 6, 6, 7, 7, 7}, k[] = {1, 200, 4, 1, 200, 4, 1, 200, 4};
  for (int i = 0; i < 9; i++) {
    assert_near(value_of(&plan, i, 0), m[i], 0, 0);
    assert_near(value_of(&plan, i, 1), k[i], 1e-15, 0);
  }
}

static void what_is_zipped_goes_along(void **state)
{
  PfPlan plan;
  const PfSweepSetting settings[] = {{"axis", "m=1,2,3;phi=10,20,30"}, {"axis", "k=1..100:3:log"}, {0}};
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  assert_int_equal(plan.count, 9);
  assert_near(value_of(&plan, 4, 0), 2, 0, 0);
  assert_near(value_of(&plan, 4, 1), 20*0.017453292519943295, 1e-15, 0);
  assert_near(value_of(&plan, 4, 2), 10, 1e-15, 0);
  assert_near(value_of(&plan, 5, 2), 100, 0, 0);
}

/* A unit behind the last value, or behind all of it, holds for those without one. */
static void units_hold_for_all_values(void **state)
{
  static const struct {
    const char *axis;
    double value[3];
  } cases[] = {{"m=1..3 [g]:3", {0.001, 0.002, 0.003}}, {"m=1..3:3 [g]", {0.001, 0.002, 0.003}},
               {"m [g]=1..3:3", {0.001, 0.002, 0.003}}, {"m=1,2,3 [g]", {0.001, 0.002, 0.003}},
               {"m=1 [kg]..3000 [g]:3", {1, 2, 3}}, {"m=1 [kg],2,3 [g]", {1, 0.002, 0.003}},
               {"m=1..4:3:log [g]", {0.001, 0.002, 0.004}}, {"m=-1,1+1,3 [g]", {-0.001, 0.002, 0.003}}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfPlan plan;
    const PfSweepSetting settings[] = {{"axis", cases[i].axis}, {0}};
    assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
    assert_int_equal(plan.count, 3);
    for (int k = 0; k < 3; k++) assert_near(value_of(&plan, k, 0), cases[i].value[k], 1e-15, 0);
  }
}

/* Values of a range are not kept: it may be long. */
static void long_ranges_need_no_room(void **state)
{
  PfPlan plan;
  const PfSweepSetting settings[] = {{"axis", "m=0..1000000000:1000000001"}, {"axis", "k=1,2"}, {0}};
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  assert_near(value_of(&plan, 2*123456789LL + 1, 0), 123456789, 1e-15, 0);
  assert_near(value_of(&plan, 2000000001, 0), 1e9, 0, 0);
}

static void a_grid_that_is_not_filled_is_told(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *n, *said;
  } cases[] = {{"2", "1 of the 3 points of the grid have no member"},
               {"7", "1 of the 3 points of the grid have one"}, {"6", NULL}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfPlan plan;
    const PfSweepSetting settings[] = {{"axis", "m=1,2,3"}, {"random", "k ~ normal(1, 0.1)"}, {"n", cases[i].n}, {0}};
    pf_diagnostics_clear(f->ctx);
    assert_int_equal(read_plan(f, settings, &plan), PF_OK);
    assert_int_equal(pf_diagnostic_count(f->ctx), cases[i].said ? 1 : 0);
    if (cases[i].said) assert_contains(pf_diagnostic(f->ctx, 0)->message, cases[i].said);
  }
}

/* Mean and deviation of n draws are off by about 1/sqrt(n) deviations. */
static void laws_have_their_moments(void **state)
{
  enum { COUNT = 20000 };
  PfPlan plan;
  const PfSweepSetting settings[] = {{"random", "m ~ normal(5, 0.5)"}, {"random", "k ~ uniform(1, 3)"},
                                     {"random", "x ~ lognormal(2, 0.25)"}, {"correlate", "m, x = 0.6"}, {"n", "20000"},
                                         {0}};
  double sum[3] = {0}, square[3] = {0}, product = 0;
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  for (int i = 0; i < COUNT; i++) {
    double v[MOST];
    pf_plan_member(&plan, i, v);
    v[2] = log(v[2]);
    for (int j = 0; j < 3; j++) sum[j] += v[j]/COUNT, square[j] += v[j]*v[j]/COUNT;
    product += v[0]*v[2]/COUNT;
  }
  static const double mean[] = {5, 2, 0.6931471805599453}, deviation[] = {0.5, 0.5773502691896258, 0.25};
  double d[3];
  for (int j = 0; j < 3; j++) {
    d[j] = sqrt(square[j] - sum[j]*sum[j]);
    assert_near(sum[j], mean[j], 0, 0.03*deviation[j]);
    assert_near(d[j], deviation[j], 0.03, 0);
  }
  assert_near((product - sum[0]*sum[2])/(d[0]*d[2]), 0.6, 0, 0.02);
}

static void a_latin_square_has_one_in_each_row(void **state)
{
  PfPlan plan;
  const PfSweepSetting settings[] = {{"random", "m ~ uniform(0, 1)"}, {"random", "k ~ uniform(0, 1)"}, {"n", "50"},
                                     {"design", "latin"}, {0}};
  bool seen[2][50] = {{false}};
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 2; j++) seen[j][(int)(50*value_of(&plan, i, j))] = true;
  for (int i = 0; i < 50; i++) assert_true(seen[0][i] && seen[1][i]);
}

static void a_path_changes_one_number_at_a_time(void **state)
{
  PfPlan plan;
  const PfSweepSetting settings[] = {{"random", "m ~ uniform(0, 1)"}, {"random", "k ~ uniform(0, 1)"},
                                     {"random", "x ~ uniform(0, 1)"}, {"n", "10"}, {"design", "morris"}, {0}};
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  assert_int_equal(plan.count, 40);
  for (int path = 0; path < 10; path++) {
    int moved[3] = {0};
    for (int i = 1; i < 4; i++)
      for (int j = 0; j < 3; j++) {
        const double step = value_of(&plan, 4*path + i, j) - value_of(&plan, 4*path + i - 1, j);
        assert_true(step == 0 || fabs(step) == 0.5);
        moved[j] += step != 0;
      }
    for (int j = 0; j < 3; j++) assert_int_equal(moved[j], 1);
  }
}

static void a_group_of_saltelli_exchanges_columns(void **state)
{
  PfPlan plan;
  const PfSweepSetting settings[] = {{"random", "m ~ uniform(0, 1)"}, {"random", "k ~ uniform(0, 1)"}, {"n", "8"},
                                     {"design", "saltelli"}, {0}};
  assert_int_equal(read_plan(*state, settings, &plan), PF_OK);
  assert_int_equal(plan.count, 32);
  for (int g = 0; g < 8; g++)
    for (int j = 0; j < 2; j++) {
      const double a = value_of(&plan, 4*g, j), b = value_of(&plan, 4*g + 1, j);
      assert_true(a != b);
      assert_true(value_of(&plan, 4*g + 2 + j, j) == b);
      assert_true(value_of(&plan, 4*g + 3 - j, j) == a);
    }
}

static void what_makes_no_sense_is_told(void **state)
{
  Fixture *f = *state;
  static const struct {
    PfSweepSetting settings[4];
    const char *said;
  } cases[] = {{{{"axis", "m=5..7"}}, "not a range: how many values"},
               {{{"axis", "m=5..7:x"}}, "not a range: how many values? 'x' is no"},
               {{{"axis", "m=5..7:3:lg"}}, "':lg' behind the count"},
               {{{"axis", "m=5...7:3"}}, "three dots"},
               {{{"axis", "m=5 [g]..7:3"}}, "'5 [g]' has a unit, and '7' has none"},
               {{{"random", "m ~ normal(5 [g], 1)"}, {"n", "5"}}, "'5 [g]' has a unit, and '1' has none"},
               {{{"axis", "m=1..2:1000000000"}, {"axis", "k=1..2:1000000000"}}, "1e+18 members are more than"},
               {{{"axis", "m=-1..7:3:log"}}, "one side of zero"},
               {{{"axis", "m=1,,2"}}, "m=1,,2"},
               {{{"axis", "m=1 [s],2"}}, "m=1 [s],2"},
               {{{"axis", "m=1,2;k=1,2,3"}}, "as many values each"},
               {{{"axis", "m=1,2"}, {"axis", "m=3,4"}}, "varies already"},
               {{{"random", "m ~ normal(1)"}, {"n", "5"}}, "not a law of chance"},
               {{{"random", "m ~ cauchy(1, 2)"}, {"n", "5"}}, "not a law of chance"},
               {{{"random", "m ~ normal(1, -2)"}, {"n", "5"}}, "deviation is positive"},
               {{{"random", "m ~ uniform(3, 2)"}, {"n", "5"}}, "lower end comes first"},
               {{{"random", "m ~ normal(1, 2)"}}, "how many members"},
               {{{"axis", "m=1,2"}, {"n", "5"}}, "nothing is random"},
               {{{"random", "m ~ normal(1, 2)"}, {"n", "5"}, {"design", "sobel"}}, "no design 'sobel'"},
               {{{"random", "m ~ normal(1, 2)"}, {"n", "5"}, {"correlate", "m, k = 0.5"}}, "'k' is not random"},
               {{{"random", "m ~ normal(1, 2)"}, {"n", "1.5"}}, "not a whole number"}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfPlan plan;
    assert_int_not_equal(read_plan(f, cases[i].settings, &plan), PF_OK);
    assert_contains(pf_context_message(f->ctx), cases[i].said);
    pf_diagnostics_clear(f->ctx);
  }
}

static void correlations_that_contradict_each_other_are_refused(void **state)
{
  Fixture *f = *state;
  PfPlan plan;
  const PfSweepSetting settings[] = {{"random", "m ~ normal(1, 2)"}, {"random", "k ~ normal(1, 2)"},
                                     {"random", "x ~ normal(1, 2)"}, {"n", "5"}, {"correlate", "m, k = 0.9"},
                                     {"correlate", "k, x = 0.9"}, {"correlate", "m, x = -0.9"}, {0}};
  assert_int_not_equal(read_plan(f, settings, &plan), PF_OK);
  assert_contains(pf_context_message(f->ctx), "contradict");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(directions_are_combined), with_fixture(what_is_zipped_goes_along),
    with_fixture(units_hold_for_all_values), with_fixture(long_ranges_need_no_room),
    with_fixture(a_grid_that_is_not_filled_is_told), with_fixture(laws_have_their_moments),
    with_fixture(a_latin_square_has_one_in_each_row),
    with_fixture(a_path_changes_one_number_at_a_time),
    with_fixture(a_group_of_saltelli_exchanges_columns),
    with_fixture(what_makes_no_sense_is_told), with_fixture(correlations_that_contradict_each_other_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
