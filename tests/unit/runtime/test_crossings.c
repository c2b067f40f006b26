/* SPDX-License-Identifier: Apache-2.0 */
/* Where steps end: indicators that are closed forms of time, whose zeros are known. */
#include "support.h"

#include "runtime/pf_crossings.h"

enum { MOST = 3 };

typedef struct Indicators {
  double (*g[MOST])(double t);
  bool known;       /* forces are known */
  int condition;    /* the comparison that is the condition */
  int skipped;      /* changes of sign that were too many */
  int evaluations;
} Indicators;

static bool inside(void *user, double t, bool with_forces, double *g)
{
  Indicators *x = user;
  x->evaluations++;
  for (int i = 0; i < MOST && x->g[i]; i++) g[i] = x->g[i](t);
  return !with_forces || x->known;
}

static void timed(void *user, double t, double *g)
{
  (void)inside(user, t, false, g);
}

static void sizes(void *user, double *size)
{
  const Indicators *x = user;
  for (int i = 0; i < MOST && x->g[i]; i++) size[2*i] = size[2*i + 1] = 1;
}

static void conditions(void *user, const double *truth, double *holds)
{
  holds[0] = truth[((const Indicators *)user)->condition];
}

static void skipped(void *user, int indicator, double t)
{
  (void)indicator, (void)t;
  ((Indicators *)user)->skipped++;
}

static const PfIndicatorCalls calls = {inside, timed, sizes, conditions, skipped};
static double reals[2000];
static bool bools[2*MOST];

/* Indicators of these kinds; the surfaces have the modes given. */
static PfIndicators set_of(Indicators *x, PfIndicator *at, int count, const double *mode, const bool *sticks)
{
  PfIndicators set = {.user = x, .calls = &calls, .count = count, .comparison_count = MOST, .condition_count = 1,
                      .surface_count = MOST, .at = at, .mode = mode, .sticks = sticks, .atol = 1e-12, .horizon = 100};
  for (int i = 0; i < count; i++) {
    set.by_forces = set.by_forces || at[i].by_forces;
    set.by_state = set.by_state || !at[i].timed;
  }
  memset(reals, 0, sizeof reals);
  assert_true(PF_INDICATOR_REALS(count, MOST, 1, set.by_forces) <= (int)(sizeof reals/sizeof *reals));
  pf_indicators_place(&set, reals, bools);
  return set;
}

static PfCrossing step(PfIndicators *set, double from, double to)
{
  set->t_old = from;
  set->t = to;
  return pf_indicators_cross(set);
}

static double cosine(double t)
{
  return cos(t);
}

static double dip(double t) /* zeros at 1 and 1.1 */
{
  return (t - 1)*(t - 1.1);
}

static double line(double t)
{
  return 2.5 - t;
}

static double fast(double t)
{
  return sin(1e5*t);
}

static double creep(double t) /* rests until 2 */
{
  return t < 2 ? 0 : (t - 2)*(t - 2);
}

/* cos(t) = 0 at pi/2 in a step up to 3. */
static void the_first_change_of_sign_ends_a_step(void **state)
{
  Indicators x = {.g = {cosine}};
  PfIndicator at[] = {{.kind = PF_INDICATOR_SURFACE}};
  const double mode[MOST] = {1};
  const bool sticks[MOST] = {false};
  PfIndicators set = set_of(&x, at, 1, mode, sticks);
  (void)state;
  assert_int_equal(pf_indicators_begin(&set), -1);
  const PfCrossing none = step(&set, 0, 1.5);
  assert_int_equal(none.kind, PF_CROSSING_NONE);
  assert_near(none.t, 1.5, 0, 0);
  const PfCrossing crossing = step(&set, 0, 3);
  assert_int_equal(crossing.kind, PF_CROSSING_SWITCH);
  assert_near(crossing.t, acos(-1)/2, 1e-15, 0);
  assert_true(set.met[0]);
}

/* Positive at both ends, negative between 1 and 1.1. */
static void two_changes_in_a_step_are_seen(void **state)
{
  Indicators x = {.g = {dip}};
  PfIndicator at[] = {{.kind = PF_INDICATOR_SURFACE}};
  const double mode[MOST] = {1};
  const bool sticks[MOST] = {false};
  PfIndicators set = set_of(&x, at, 1, mode, sticks);
  (void)state;
  (void)pf_indicators_begin(&set);
  assert_near(step(&set, 0, 4).t, 1, 1e-14, 0);
}

/* The comparison changes at 2.5, where cos(t) has done so before. */
static void conditions_follow_comparisons(void **state)
{
  Indicators x = {.g = {cosine, line}, .condition = 1};
  PfIndicator at[] = {{.kind = PF_INDICATOR_COMPARISON, .index = 0}, {.kind = PF_INDICATOR_COMPARISON, .index = 1}};
  PfIndicators set = set_of(&x, at, 2, NULL, NULL);
  (void)state;
  set.surface_count = 0;
  assert_int_equal(pf_indicators_begin(&set), -1);
  const PfCrossing crossing = step(&set, 0, 4);
  assert_int_equal(crossing.kind, PF_CROSSING_CONDITION);
  assert_int_equal(crossing.condition, 0);
  assert_near(crossing.t, 2.5, 1e-15, 0);
  assert_near(set.truth[0], 1, 0, 0); /* cos(2.5) < 0 */
  set.t = 4; /* where the condition holds from the start */
  assert_int_equal(pf_indicators_begin(&set), 0);
}

/* Instants of functions of time are known before the steps: the line by its coefficients, the cosine by its values. */
static void instants_are_known_ahead(void **state)
{
  Indicators x = {.g = {cosine, line}};
  PfIndicator at[] = {{.kind = PF_INDICATOR_SURFACE, .index = 0, .timed = true},
                      {.kind = PF_INDICATOR_SURFACE, .index = 1, .timed = true, .linear = true}};
  const double mode[MOST] = {1, 1};
  const bool sticks[MOST] = {false};
  PfIndicators set = set_of(&x, at, 2, mode, sticks);
  (void)state;
  (void)pf_indicators_begin(&set);
  assert_near(pf_indicators_next_instant(&set), acos(-1)/2, 1e-15, 0);
  const PfCrossing first = step(&set, 0, pf_indicators_next_instant(&set));
  assert_int_equal(first.kind, PF_CROSSING_SWITCH);
  assert_true(set.met[0] && !set.met[1]);
  at[0].side = -1;
  assert_near(pf_indicators_next_instant(&set), 2.5, 0, 0);
  set.horizon = 2; /* and nothing happens beyond the horizon */
  set.known = -INFINITY;
  assert_true(pf_indicators_next_instant(&set) > 1e300);
}

/* 1 - s^2 with s = cos(t) - 0.5 is 0 where cos(t) = -0.5: at 2 pi/3. Without forces there is no answer. */
static double margin(double t)
{
  const double s = cos(t) - 0.5;
  return 1 - s*s;
}

static void a_sticking_contact_gives_way_at_its_limit(void **state)
{
  Indicators x = {.g = {margin}, .known = true};
  PfIndicator at[] = {{.kind = PF_INDICATOR_RELEASE, .index = 1, .by_forces = true}};
  const double mode[MOST] = {0, 0.5};
  const bool sticks[MOST] = {false, true};
  PfIndicators set = set_of(&x, at, 1, mode, sticks);
  (void)state;
  (void)pf_indicators_begin(&set);
  const PfCrossing crossing = step(&set, 0, 3);
  assert_int_equal(crossing.kind, PF_CROSSING_SWITCH);
  assert_near(crossing.t, 2*acos(-1)/3, 1e-12, 0);
  assert_true(set.released[1] && !set.met[1]);
  x.known = false;
  assert_int_equal(step(&set, 0, 3).kind, PF_CROSSING_NONE);
}

/* From g = 0 the motion departs at 2, as soon as g is more than its rounding, here 1e-13: within sqrt(1e-13). */
static void rest_ends_where_the_motion_departs(void **state)
{
  Indicators x = {.g = {creep}};
  PfIndicator at[] = {{.kind = PF_INDICATOR_SURFACE}};
  const double mode[MOST] = {0};
  const bool sticks[MOST] = {false};
  PfIndicators set = set_of(&x, at, 1, mode, sticks);
  (void)state;
  (void)pf_indicators_begin(&set);
  assert_near(step(&set, 0, 3).t, 2, 0, 1e-6);
}

static void swinging_too_often_is_said(void **state)
{
  Indicators x = {.g = {fast}};
  PfIndicator at[] = {{.kind = PF_INDICATOR_SURFACE}};
  const double mode[MOST] = {1};
  const bool sticks[MOST] = {false};
  PfIndicators set = set_of(&x, at, 1, mode, sticks);
  (void)state;
  set.t = 1e-6;
  (void)pf_indicators_begin(&set);
  (void)step(&set, 1e-6, 3);
  assert_true(x.skipped > 0);
}

/* In linear approximation 2.5 - t vanishes at 2.5, and cos(t) near 2 at 2 + cos(2)/sin(2), which has passed. */
static void a_failed_step_meets_the_nearest_surface(void **state)
{
  Indicators x = {.g = {cosine, line}};
  PfIndicator at[] = {{.kind = PF_INDICATOR_SURFACE, .index = 0}, {.kind = PF_INDICATOR_SURFACE, .index = 1}};
  const double mode[MOST] = {-1, 1}, small = 1e-3, now[] = {cos(2), 0.5}, ahead[] = {cos(2 + small), 0.5 - small};
  const bool sticks[MOST] = {false};
  PfIndicators set = set_of(&x, at, 2, mode, sticks);
  PfCrossing crossing;
  (void)state;
  set.t = 2;
  assert_false(pf_indicators_meet(&set, now, ahead, small, 0.4, &crossing));
  assert_true(pf_indicators_meet(&set, now, ahead, small, 1, &crossing));
  assert_near(crossing.t, 2.5, 1e-12, 0);
  assert_true(set.met[1] && !set.met[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_change_of_sign_ends_a_step),
    cmocka_unit_test(two_changes_in_a_step_are_seen),
    cmocka_unit_test(conditions_follow_comparisons),
    cmocka_unit_test(instants_are_known_ahead),
    cmocka_unit_test(a_sticking_contact_gives_way_at_its_limit),
    cmocka_unit_test(rest_ends_where_the_motion_departs),
    cmocka_unit_test(swinging_too_often_is_said),
    cmocka_unit_test(a_failed_step_meets_the_nearest_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
