/* SPDX-License-Identifier: Apache-2.0 */
/* Members in lanes against the same on simulations, by another formulation. */
#include "support.h"

#include "sweep/lanes.h"

#include <stdlib.h>

enum { MEMBERS = 150, COLUMNS = 8 };

static const char *read_example(Fixture *f, const char *name)
{
  char path[300];
  const char *bytes;
  size_t count;
  snprintf(path, sizeof path, "%s/examples/%s.pf", PF_SOURCE_DIR, name);
  assert_int_equal(pf_file_read(f->ctx, f->arena, path, 1 << 20, &bytes, &count), PF_OK);
  return bytes;
}

/* One row of each member, the ends in `ends`. */
static PfSweep *run_sweep(Fixture *f, const PfSweepSetting *settings, int threads, double *columns, unsigned char *ends)
{
  PfSweep *sweep;
  PfSweepRunOptions how = {.threads = threads};
  PfSweepResult result;
  int count = 0;
  while (settings[count].key) count++;
  const PfStatus status = pf_sweep_new(f->ctx, settings, count, &sweep);
  if (status != PF_OK) print_message("%s\n", pf_context_message(f->ctx));
  assert_int_equal(status, PF_OK);
  assert_true(pf_sweep_columns(sweep) <= COLUMNS && pf_sweep_count(sweep) <= MEMBERS);
  assert_int_equal(pf_sweep_run(sweep, &how, &result), PF_OK);
  assert_int_equal(pf_sweep_read(sweep, NULL, 0, pf_sweep_count(sweep), columns, ends, NULL), PF_OK);
  return sweep;
}

static bool goes_in_lanes(Fixture *f, const PfSweep *sweep)
{
  PfMember member;
  assert_int_equal(pf_member_open(f->ctx, sweep, &member), PF_OK);
  const bool lanes = member.lanes;
  pf_member_close(&member);
  return lanes;
}

typedef struct Case {
  const char *example, *random, *output_set, *method, *step;
} Case;

static void compare(Fixture *f, const Case *c)
{
  static double fast[COLUMNS*MEMBERS], slow[COLUMNS*MEMBERS];
  unsigned char fast_ends[MEMBERS], slow_ends[MEMBERS];
  PfSweepSetting settings[] = {{"model", read_example(f, c->example)}, {"random", c->random}, {"n", "100"},
                               {"take", c->output_set},
                               {"by", c->method}, {"for", "1"},
                                   {c->step ? "step" : "rtol", c->step ? c->step : "1e-10"},
                               {NULL, NULL}, {NULL, NULL}};
  PfSweep *lanes = run_sweep(f, settings, 1, fast, fast_ends);
  if (!goes_in_lanes(f, lanes)) print_message("%s does not go in lanes\n", c->example);
  assert_true(goes_in_lanes(f, lanes));
  settings[7] = (PfSweepSetting){"form", "multipliers"};
  PfSweep *alone = run_sweep(f, settings, 1, slow, slow_ends);
  assert_false(goes_in_lanes(f, alone));
  for (int k = 0; k < 100; k++) assert_int_equal(fast_ends[k], slow_ends[k]);
  for (int k = 0; k < 100*pf_sweep_columns(lanes); k++)
    if (isnan(slow[k])) assert_true(isnan(fast[k])); /* it has not passed */
    else assert_near(fast[k], slow[k], 2e-7, 2e-8); /* tolerances of 1e-10, other formulas inside steps */
  pf_sweep_free(lanes);
  pf_sweep_free(alone);
}

static void lanes_give_the_numbers_of_simulations(void **state)
{
  static const Case cases[] = {
    {"wheels/piano_wheel", "theta ~ normal(0, 0.5)", "x, max(theta'), mean(y), first(theta > 1)", "dopri5", NULL},
    {"wheels/piano_wheel", "theta ~ normal(0, 0.5)", "x, max(theta'), mean(y)", "rk4", "0.002"},
    {"skates/chaplygin_sleigh", "m ~ uniform(0.5, 2)", "x, y, kinetic", "dopri5", NULL},
    {"classics/henon_heiles", "x ~ uniform(-0.1, 0.1)", "x, y, max(abs(x)), integral(y)", "dopri5", NULL},
    {"classics/double_pendulum_bodies", "g ~ uniform(5, 15)", "kinetic + potential", "rk4", "0.001"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) compare(*state, cases + i);
}

/* A lane is what it is alone: the same bits with other neighbours, and by itself. */
static void a_lane_does_not_depend_on_its_neighbours(void **state)
{
  Fixture *f = *state;
  static double columns[COLUMNS*MEMBERS];
  unsigned char ends[MEMBERS];
  const PfSweepSetting settings[] = {{"model", read_example(f, "wheels/piano_wheel")},
                                     {"random", "theta ~ normal(0, 1)"},
                                     {"random", "F ~ uniform(0.1, 5)"}, {"n", "150"},
                                     {"take", "x, max(abs(theta)), first(x > 0.3 [m])"}, {"for", "2"}, {0}};
  PfSweep *sweep = run_sweep(f, settings, 3, columns, ends);
  for (int k = 0; k < MEMBERS; k++) {
    double row[COLUMNS];
    char reason[PF_REASON];
    int end;
    assert_int_equal(pf_sweep_member(sweep, k, row, &end, reason), PF_OK);
    for (int i = 0; i < 5; i++)
      assert_true(row[i] == columns[i*MEMBERS + k] || (isnan(row[i]) && isnan(columns[i*MEMBERS + k])));
  }
  pf_sweep_free(sweep);
}

/* Falls to the centre in pi/(2 sqrt(2 a)), before or after the end: lanes leave those to simulations, which say why. */
static void trouble_is_left_to_simulations(void **state)
{
  Fixture *f = *state;
  static const char fall[] = "param a = 1\ncoord x\nkinetic x'^2/2\nforce x = -a/x^2\nstart x = 1, x' = 0\nrun 1\n";
  static double columns[COLUMNS*MEMBERS];
  unsigned char ends[MEMBERS];
  const PfSweepSetting settings[] = {{"model", fall}, {"axis", "a=0.5,1,1.2,1.3,2"}, {"take", "x, t_end"}, {0}};
  PfSweep *sweep = run_sweep(f, settings, 1, columns, ends);
  assert_true(goes_in_lanes(f, sweep));
  for (int k = 0; k < 5; k++) {
    const double a = columns[k], time = 3.141592653589793/sqrt(8*a);
    assert_int_equal(ends[k] >= PF_MEMBER_NO_START, time < 1);
    if (time < 1) assert_near(columns[10 + k], time, 1e-3, 0);
  }
  pf_sweep_free(sweep);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(lanes_give_the_numbers_of_simulations),
                                     with_fixture(a_lane_does_not_depend_on_its_neighbours),
                                     with_fixture(trouble_is_left_to_simulations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
