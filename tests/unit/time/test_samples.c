/* SPDX-License-Identifier: Apache-2.0 */
/* Times of samples: those asked for, the ends of steps, and pieces of steps. */
#include "mech/system.h"

#include "pfaff/time.h"

#include <math.h>

enum { MOST = 64 };

typedef struct Times {
  int count;
  double t[MOST];
} Times;

static PfStatus keep(void *user, const PfSample *sample)
{
  Times *times = user;
  assert_true(times->count < MOST);
  times->t[times->count++] = sample->t;
  return PF_OK;
}

/* Samples of a motion from 0 to 1 by steps of one size. */
static void sample(Fixture *f, const double *at, int at_count, double step, int pieces, Times *times)
{
  System s;
  PfSystem *system;
  PfRunOptions o = pf_run_options();
  PfRunResult result;
  read_system(f, "coord x\nkinetic x'^2/2\nstart x' = 1\n", &s);
  assert_int_equal(pf_system_new(f->ctx, &s.eq, &system), PF_OK);
  assert_int_equal(pf_equations_start(f->ctx, &s.eq, NULL, s.values), PF_OK);
  *times = (Times){0};
  o.method = "rk4", o.step = step, o.t_end = 1;
  o.at = at, o.at_count = at_count, o.pieces = pieces;
  o.sample = keep, o.user = times;
  assert_int_equal(pf_run(f->ctx, system, s.values, &o, &result), PF_OK);
  pf_system_free(system);
  pf_model_free(s.model);
}

static void assert_times(const Times *times, const double *expected, int count)
{
  assert_int_equal(times->count, count);
  for (int i = 0; i < count; i++) assert_near(times->t[i], expected[i], 1e-15, 1e-15);
}

static void only_the_times_that_are_asked_for(void **state)
{
  const double at[] = {0, 0.1, 0.75, 1};
  Times times;
  sample(*state, at, 4, 0.25, 0, &times);
  assert_times(&times, at, 4);
}

/* Steps so short that with pieces they would be taken whole. */
static void short_steps_give_nothing_by_themselves(void **state)
{
  const double at[] = {0, 1};
  Times times;
  sample(*state, at, 2, 1e-5, 0, &times);
  assert_times(&times, at, 2);
}

static void ends_of_steps_besides_and_each_time_once(void **state)
{
  const double at[] = {0, 0.1, 0.75, 1}, expected[] = {0, 0.1, 0.25, 0.5, 0.75, 1};
  Times times;
  sample(*state, at, 4, 0.25, 1, &times);
  assert_times(&times, expected, 6);
}

static void pieces_of_steps_besides(void **state)
{
  const double at[] = {0, 0.1, 1}, expected[] = {0, 0.1, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
  Times times;
  sample(*state, at, 3, 0.25, 2, &times);
  assert_times(&times, expected, 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(only_the_times_that_are_asked_for),
    with_fixture(short_steps_give_nothing_by_themselves),
    with_fixture(ends_of_steps_besides_and_each_time_once),
    with_fixture(pieces_of_steps_besides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
