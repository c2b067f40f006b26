/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a start, by an owner without equations of a model: starts with closed forms. */
#include "support.h"

#include "runtime/pf_start.h"

enum { N = 3, ROWS = 2, CONDITIONS = 1, PLACES = ROWS*N };

typedef void Rows(const double *x, double *residual, double *slope); /* slope: ROWS x N */

typedef struct Owner {
  Rows *constraints;
  int count;                    /* of constraints; all coordinates may occur in each */
  double mass[N];
  double q[N], v[N];
  double row[N], target;        /* of the start condition row*v = target */
  bool refuses;                 /* no room for a problem */
  int evaluations;
  bool plain[N];
  PfPriority priority[N], condition_priority;
  double reals[PF_START_REALS(N, ROWS, CONDITIONS, PLACES)], problem[PF_START_PROBLEM_REALS(N, ROWS, CONDITIONS)];
  int ints[PF_START_INTS(N, ROWS, CONDITIONS, PLACES)], problem_ints[PF_START_PROBLEM_INTS(N, ROWS, CONDITIONS)];
  bool bools[PF_START_BOOLS(N, ROWS, CONDITIONS, PLACES)];
  PfStartSearch search;
} Owner;

static void evaluate(void *user)
{
  Owner *o = user;
  PfStartSearch *s = &o->search;
  double residual[ROWS] = {0}, slope[PLACES] = {0};
  o->evaluations++;
  if (o->count) o->constraints(o->q, residual, slope);
  for (int i = 0; i < s->constraints; i++) {
    s->residual[i] = s->velocities ? pf_dot(slope + i*N, o->v, N) : residual[i];
    for (int p = s->begin[i]; p < s->begin[i + 1]; p++) s->slope[p] = slope[i*N + s->column[p]];
  }
  for (int g = 0; g < s->conditions; g++) {
    s->value[g] = pf_dot(o->row, o->v, N);
    s->target[g] = o->target;
    memcpy(s->rows, o->row, sizeof o->row);
  }
}

static void inertia(void *user, const int *local, int n, double *M)
{
  const Owner *o = user;
  for (int j = 0; j < N; j++)
    if (local[j] >= 0) M[local[j]*n + local[j]] = o->mass[j];
}

static bool room(void *user, int n, int m, int conditions, double **reals, int **ints)
{
  Owner *o = user;
  assert_true(n <= N && m <= ROWS && conditions <= CONDITIONS);
  *reals = o->problem;
  *ints = o->problem_ints;
  return !o->refuses;
}

/* Searches on the level; rows contain the coordinates that are in `places` (count x N). */
static PfSearchEnd search(Owner *o, bool velocities, int conditions, const int *places)
{
  static const PfStartCalls calls = {evaluate, inertia, room, NULL};
  PfStartSearch *s = &o->search;
  int place = 0;
  memset(o->reals, 0, sizeof o->reals);
  memset(o->ints, 0, sizeof o->ints);
  memset(o->bools, 0, sizeof o->bools);
  *s = (PfStartSearch){.user = o, .calls = &calls, .n = N, .constraints = o->count, .conditions = conditions,
                       .places = PLACES, .velocities = velocities, .dense = true, .q = o->q,
                       .all = velocities ? o->v : o->q, .priority = o->priority,
                       .condition_priority = &o->condition_priority, .plain = o->plain};
  pf_start_place(s, o->reals, o->ints, o->bools);
  for (int i = 0; i < o->count; i++) {
    s->begin[i] = place;
    for (int j = 0; j < N; j++)
      if (places[i*N + j]) s->column[place++] = j;
  }
  s->begin[o->count] = s->places = place;
  return pf_start_search(s);
}

/* x^2 + y^2 = 4 */
static void circle(const double *x, double *residual, double *slope)
{
  residual[0] = x[0]*x[0] + x[1]*x[1] - 4;
  slope[0] = 2*x[0], slope[1] = 2*x[1];
}

static const int in_circle[] = {1, 1, 0};

static void the_open_coordinate_follows_from_the_given_one(void **state)
{
  (void)state;
  Owner o = {.constraints = circle, .count = 1, .mass = {1, 1, 1}, .q = {1.2, 0.5, 7},
             .priority = {PF_PRIORITY_GIVEN, PF_PRIORITY_OPEN, PF_PRIORITY_OPEN}};
  assert_int_equal(search(&o, false, 0, in_circle), PF_SEARCH_FOUND);
  assert_near(o.q[0], 1.2, 0, 0);
  assert_near(o.q[1], 1.6, 1e-15, 0);
  assert_near(o.q[2], 7, 0, 0); /* occurs in no row */
  assert_false(o.plain[1]);
}

/* Where the gradient of the open coordinate vanishes at the start, it is sought around. */
static void a_gradient_that_vanishes_at_the_start_is_no_obstacle(void **state)
{
  (void)state;
  Owner o = {.constraints = circle, .count = 1, .mass = {1, 1, 1}, .q = {1.2, 0},
             .priority = {PF_PRIORITY_GIVEN, PF_PRIORITY_OPEN}};
  assert_int_equal(search(&o, false, 0, in_circle), PF_SEARCH_FOUND);
  assert_near(o.q[0], 1.2, 0, 0);
  assert_near(fabs(o.q[1]), 1.6, 1e-14, 0);
}

/* x = 3 leaves no y: the value of the model gives way to that of the user. */
static void a_value_of_lower_priority_gives_way(void **state)
{
  (void)state;
  Owner o = {.constraints = circle, .count = 1, .mass = {1, 1, 1}, .q = {3, 0.8},
             .priority = {PF_PRIORITY_GIVEN, PF_PRIORITY_SET}};
  assert_int_equal(search(&o, false, 0, in_circle), PF_SEARCH_FOUND);
  assert_near(o.q[1], 0.8, 1e-14, 0);
  assert_near(o.q[0], sqrt(4 - 0.64), 1e-14, 0);
}

static void fixed_values_that_contradict_a_row_are_reported_with_it(void **state)
{
  (void)state;
  Owner o = {.constraints = circle, .count = 1, .mass = {1, 1, 1}, .q = {3, 0.8},
             .priority = {PF_PRIORITY_FIXED, PF_PRIORITY_FIXED}};
  assert_int_equal(search(&o, false, 0, in_circle), PF_SEARCH_CONFLICT);
  assert_int_equal(o.search.worst, 0);
  assert_near(o.search.residual[0], 5.64, 1e-14, 0);
}

/* x + y = 3, and z by itself in 2 z = 5 */
static void lines(const double *x, double *residual, double *slope)
{
  residual[0] = x[0] + x[1] - 3, residual[1] = 2*x[2] - 5;
  slope[0] = slope[1] = 1, slope[N + 2] = 2;
}

static const int in_lines[] = {1, 1, 0, 0, 0, 1};

/* The mass-weighted change is least: x moves by m_y/(m_x + m_y) of the way. Components do not touch each other. */
static void changes_are_shared_by_the_masses(void **state)
{
  (void)state;
  Owner o = {.constraints = lines, .count = 2, .mass = {1, 3, 1}};
  assert_int_equal(search(&o, false, 0, in_lines), PF_SEARCH_FOUND);
  assert_int_equal(o.search.parts, 2);
  assert_near(o.q[0], 2.25, 1e-15, 0);
  assert_near(o.q[1], 0.75, 1e-15, 0);
  assert_near(o.q[2], 2.5, 1e-15, 0);
  assert_true(o.plain[0] && o.plain[1] && o.plain[2]);
}

/* Coordinates without inertia move before all others. */
static void coordinates_without_inertia_follow(void **state)
{
  (void)state;
  Owner o = {.constraints = lines, .count = 2, .mass = {1, 0, 1}};
  assert_int_equal(search(&o, false, 0, in_lines), PF_SEARCH_FOUND);
  assert_near(o.q[0], 0, 0, 1e-15);
  assert_near(o.q[1], 3, 1e-15, 0);
}

/* Velocities: x' + y' = 0, and 2 x' + z' = 1 with z' = 0 by its own row. */
static void start_conditions_hold_with_the_constraints(void **state)
{
  (void)state;
  Owner o = {.constraints = lines, .count = 2, .mass = {1, 1, 1}, .row = {2, 0, 1}, .target = 1,
             .condition_priority = PF_PRIORITY_GIVEN};
  assert_int_equal(search(&o, true, 1, in_lines), PF_SEARCH_FOUND);
  assert_near(o.v[0], 0.5, 1e-15, 0);
  assert_near(o.v[1], -0.5, 1e-15, 0);
  assert_near(o.v[2], 0, 0, 1e-15);
}

/* 1.2^2 + 1.6^2 = 4: evaluations to find components, and one more. */
static void a_start_that_holds_stays_bit_by_bit(void **state)
{
  (void)state;
  Owner o = {.constraints = circle, .count = 1, .mass = {1, 1, 1}, .q = {1.2, 1.6}, .refuses = true};
  assert_int_equal(search(&o, false, 0, in_circle), PF_SEARCH_FOUND);
  assert_true(o.q[0] == 1.2 && o.q[1] == 1.6);
  assert_int_equal(o.evaluations, 4);
}

static void an_owner_without_room_ends_the_search(void **state)
{
  (void)state;
  Owner o = {.constraints = circle, .count = 1, .mass = {1, 1, 1}, .q = {1.2, 0.5}, .refuses = true};
  assert_int_equal(search(&o, false, 0, in_circle), PF_SEARCH_NO_ROOM);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_open_coordinate_follows_from_the_given_one),
    cmocka_unit_test(a_gradient_that_vanishes_at_the_start_is_no_obstacle),
    cmocka_unit_test(a_value_of_lower_priority_gives_way),
    cmocka_unit_test(fixed_values_that_contradict_a_row_are_reported_with_it),
    cmocka_unit_test(changes_are_shared_by_the_masses),
    cmocka_unit_test(coordinates_without_inertia_follow),
    cmocka_unit_test(start_conditions_hold_with_the_constraints),
    cmocka_unit_test(a_start_that_holds_stays_bit_by_bit),
    cmocka_unit_test(an_owner_without_room_ends_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
