/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete modes of blocks on a line, by hand: unit masses, coordinates x_i, a = M^-1 (push - W^T F s). */
#include "support.h"

#include "runtime/pf_modes.h"

enum { BLOCKS = 2, MOST = 3 };

/* Surface k is g_k = w_k . v; its friction is -F_k s_k along w_k. A tie: both blocks have one acceleration. */
typedef struct Blocks {
  int surfaces;
  double w[MOST][BLOCKS], F[MOST], v[BLOCKS], push[BLOCKS], a[BLOCKS];
  bool tied, broken;
  PfModes modes;
} Blocks;

static int accelerate(void *user)
{
  Blocks *b = user;
  for (int i = 0; i < BLOCKS; i++) {
    b->a[i] = b->push[i];
    for (int k = 0; k < b->surfaces; k++) b->a[i] -= b->w[k][i]*b->F[k]*b->modes.mode[k];
  }
  if (b->tied) b->a[0] = b->a[1] = (b->a[0] + b->a[1])/2;
  return b->broken ? 7 : 0;
}

static void evaluate(void *user)
{
  Blocks *b = user;
  for (int k = 0; k < b->surfaces; k++) {
    PfModes *m = &b->modes;
    m->g[k] = m->g_rate[k] = m->g_second[k] = m->g_size[k] = m->g_slope[k] = 0;
    for (int i = 0; i < BLOCKS; i++) {
      m->g[k] += b->w[k][i]*b->v[i];
      m->g_rate[k] += b->w[k][i]*b->a[i];
      m->g_size[k] += fabs(b->w[k][i]*b->v[i]);
      m->g_slope[k] += fabs(b->w[k][i]);
    }
  }
}

static const PfModesCalls calls = {accelerate, evaluate};
static const int degree[MOST] = {1, 1, 1};
static const bool timed[MOST];

/* The first block on the ground, the second one on the first one, or as `w` says. */
static void begin(Blocks *b, int surfaces)
{
  static double reals[PF_MODES_REALS(MOST)];
  static int ints[PF_MODES_INTS(MOST)];
  static bool bools[PF_MODES_BOOLS(MOST)];
  memset(reals, 0, sizeof reals);
  memset(ints, 0, sizeof ints);
  memset(bools, 0, sizeof bools);
  b->surfaces = surfaces;
  b->modes = (PfModes){.user = b, .calls = &calls, .count = surfaces, .degree = degree, .timed = timed, .atol = 1e-12,
                       .acceleration = b->a, .n = BLOCKS};
  pf_modes_place(&b->modes, reals, ints, bools);
}

static void a_block_sticks_or_slides_by_its_load(void **state)
{
  (void)state;
  for (int k = -3; k <= 3; k++) { /* pushes of -1.5 … 1.5 against a friction of 1 */
    Blocks b = {.w = {{1, 0}}, .F = {1}, .push = {0.5*k, 0}};
    begin(&b, 1);
    assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
    assert_int_equal(b.modes.sticks[0], k*k <= 4);
    assert_near(b.modes.mode[0], fmax(-1, fmin(1, 0.5*k)), 0, 1e-8);
  }
}

/* It moves: the mode is the sign of its velocity; it is met while the load is above the limit: it goes on. */
static void the_sign_of_a_velocity_is_the_mode(void **state)
{
  Blocks b = {.w = {{1, 0}}, .F = {1}, .v = {-2, 0}, .push = {3, 0}};
  (void)state;
  begin(&b, 1);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_near(b.modes.mode[0], -1, 0, 0);
  b.v[0] = 0;
  assert_int_equal(pf_modes_decide(&b.modes, (const bool[]){true}, NULL), 0);
  assert_near(b.modes.mode[0], 1, 0, 0);
  assert_false(b.modes.sticks[0]);
}

/* Ground 3, between the blocks 1. A pull of 2 on the upper one: it slides with 2 - 1, the lower one sticks and bears 1
 * of 3. A pull of 0.5: both stick. */
static void contacts_are_decided_together(void **state)
{
  Blocks b = {.w = {{1, 0}, {-1, 1}}, .F = {3, 1}, .push = {0, 2}};
  (void)state;
  begin(&b, 2);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_true(b.modes.sticks[0] && !b.modes.sticks[1]);
  assert_near(b.modes.mode[0], 1.0/3, 0, 1e-8);
  assert_near(b.modes.mode[1], 1, 0, 0);
  b.push[1] = 0.5;
  begin(&b, 2);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_true(b.modes.sticks[0] && b.modes.sticks[1]);
  assert_near(b.modes.mode[0], 0.5/3, 0, 1e-8);
  assert_near(b.modes.mode[1], 0.5, 0, 1e-8);
}

/* Two blocks of one velocity, each with a friction of 1, under 1.2: they share the load, 0.6 each. */
static void equal_contacts_share_the_load(void **state)
{
  Blocks b = {.w = {{1, 0}, {0, 1}}, .F = {1, 1}, .push = {1.2, 0}, .tied = true};
  (void)state;
  begin(&b, 2);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_true(b.modes.sticks[0] && b.modes.sticks[1]);
  for (int k = 0; k < 2; k++) assert_near(b.modes.mode[k], 0.6, 0, 1e-8);
  assert_int_equal(pf_modes_choose_rows(&b.modes), 0);
  assert_int_equal(b.modes.row_count, 1); /* one row keeps both, and both modes are its multiplier */
  const double multiplier[] = {0.6};
  double mode[2] = {0};
  pf_modes_from_rows(&b.modes, multiplier, mode);
  for (int k = 0; k < 2; k++) assert_near(mode[k], 0.6, 0, 0);
}

/* Frictions of 1 and 3: the strong one takes three times as much. */
static void loads_are_shared_by_strength(void **state)
{
  Blocks b = {.w = {{1, 0}, {0, 1}}, .F = {1, 3}, .push = {2, 0}, .tied = true};
  const double multiplier[] = {0.5};
  double mode[2] = {0};
  (void)state;
  begin(&b, 2);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_int_equal(pf_modes_choose_rows(&b.modes), 0);
  assert_int_equal(b.modes.row_count, 1);
  pf_modes_from_rows(&b.modes, multiplier, mode);
  for (int k = 0; k < 2; k++) assert_near(mode[k], 0.5, 1e-12, 0);
}

/* At its limit a contact is kept; released it slides on the side that it has. A belt that jumps tears it off. */
static void contacts_give_way(void **state)
{
  Blocks b = {.w = {{1, 0}}, .F = {1}, .push = {1, 0}};
  (void)state;
  begin(&b, 1);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_true(b.modes.sticks[0]);
  b.push[0] = 1.1;
  assert_int_equal(pf_modes_decide(&b.modes, (const bool[]){false}, (const bool[]){true}), 0);
  assert_false(b.modes.sticks[0]);
  assert_near(b.modes.mode[0], 1, 0, 0);
  b.push[0] = 0;
  begin(&b, 1);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  b.v[0] = -0.1;
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 0);
  assert_false(b.modes.sticks[0]);
  assert_near(b.modes.mode[0], -1, 0, 0);
}

/* Loads of 2 and 1 on contacts of 3 and 2 that both hold: modes by the loads without rows; and with a rate that is
 * wanted. A contact that has no influence on its own rate has no such mode. */
static void sliding_modes_are_found_without_rows(void **state)
{
  Blocks b = {.w = {{1, 0}, {-1, 1}}, .F = {3, 2}, .push = {1, 1}};
  const double wanted[] = {0.3, 0};
  (void)state;
  begin(&b, 2);
  b.modes.sticks[0] = b.modes.sticks[1] = true;
  assert_int_equal(pf_modes_slide(&b.modes, NULL), 0);
  assert_near(b.modes.mode[0], 2.0/3, 0, 1e-14);
  assert_near(b.modes.mode[1], 0.5, 0, 1e-14);
  for (int i = 0; i < BLOCKS; i++) assert_near(b.a[i], 0, 0, 1e-14);
  assert_int_equal(pf_modes_slide(&b.modes, wanted), 0);
  for (int i = 0; i < BLOCKS; i++) assert_near(b.a[i], 0.3, 0, 1e-14);
  b.F[1] = 0;
  assert_int_equal(pf_modes_slide(&b.modes, NULL), PF_MODES_UNDETERMINED);
}

/* A force that pushes away, +1 along the velocity: a motion that comes from below crosses the surface. */
static void forces_that_push_away_do_not_keep_a_motion(void **state)
{
  Blocks b = {.w = {{1, 0}}, .F = {-1}, .push = {0.5, 0}};
  (void)state;
  begin(&b, 1);
  b.modes.mode[0] = -1;
  assert_int_equal(pf_modes_decide(&b.modes, (const bool[]){true}, NULL), 0);
  assert_false(b.modes.sticks[0]);
  assert_near(b.modes.mode[0], 1, 0, 0);
}

static void failures_are_passed_on(void **state)
{
  Blocks b = {.w = {{1, 0}}, .F = {1}, .broken = true};
  (void)state;
  begin(&b, 1);
  assert_int_equal(pf_modes_decide(&b.modes, NULL, NULL), 7);
  assert_int_equal(pf_modes_choose_rows(&b.modes), 7);
  assert_int_equal(pf_modes_slide(&b.modes, NULL), 7);
}

/* Within 2^14 of the constraints a row keeps its size; 2^20 below them it is raised by as much. */
static void rows_are_measured_next_to_constraints(void **state)
{
  (void)state;
  assert_int_equal(pf_modes_row_scale(1, 1000), 0);
  assert_int_equal(pf_modes_row_scale(ldexp(1, -20), 1), 20);
  assert_int_equal(pf_modes_row_scale(ldexp(1, 20), 1), -20);
  assert_int_equal(pf_modes_row_scale(0, 1), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_sticks_or_slides_by_its_load),
    cmocka_unit_test(the_sign_of_a_velocity_is_the_mode),
    cmocka_unit_test(contacts_are_decided_together),
    cmocka_unit_test(equal_contacts_share_the_load),
    cmocka_unit_test(loads_are_shared_by_strength),
    cmocka_unit_test(contacts_give_way),
    cmocka_unit_test(sliding_modes_are_found_without_rows),
    cmocka_unit_test(forces_that_push_away_do_not_keep_a_motion),
    cmocka_unit_test(failures_are_passed_on),
    cmocka_unit_test(rows_are_measured_next_to_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
