/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of velocities by names, and rows by the velocities of one body. */
#include "mech/system.h"

#include "mech/body_rows.h"
#include "mech/extended_velocities.h"

/* ---------------------------------------------------------------- rows of one body */

static const char hinged[] = "model m\ncoord x, y, a[6]\nparam d = 0.3\n"
                             "body b1 in ground at (x, y, 0) turn a[1] about z { mass 1, inertia diag(1, 1, 1) }\n"
                             "body b2 in b1 at (1, 0, 0) turn a[2] about z { mass 1, inertia diag(1, 1, 1) }\n"
                             "body b3 in b2 at (1, 0, 0) turn a[3] about z { mass 1, inertia diag(1, 1, 1) }\n"
                             "body b4 in b3 at (1, 0, 0) turn a[4] about z { mass 1, inertia diag(1, 1, 1) }\n"
                             "body b5 in b4 at (1, 0, 0) turn a[5] about z { mass 1, inertia diag(1, 1, 1) }\n"
                             "body b6 in b5 at (1, 0, 0) turn a[6] about z { mass 1, inertia diag(1, 1, 1) }\n"
                             "frame axle in b6 at (-d, 0, 0)\nframe side in b5 at (0, 2*d, 0) turn 0.3 about z\n";

/* The rows with `lines` added, before and after; they are the same functions. */
static void find_rows(Fixture *f, const char *lines, System *s, PfExpr *rows)
{
  char text[4096];
  uint64_t seed = 1;
  snprintf(text, sizeof text, "%s%s", hinged, lines);
  read_system(f, text, s);
  memcpy(rows, s->eq.velocity, (size_t)s->eq.m*sizeof *rows);
  assert_int_equal(pf_body_rows(f->ctx, f->arena, &s->eq, rows), PF_OK);
  for (int state = 0; state < 5; state++) {
    double before[8], after[8];
    set_random_state(s, &seed);
    evaluate(s, s->eq.velocity, s->eq.m, before);
    evaluate(s, rows, s->eq.m, after);
    for (int k = 0; k < s->eq.m; k++) assert_near(after[k], before[k], 1e-13, 1e-13);
  }
}

static void rows_along_an_axis_of_a_body_are_local(void **state)
{
  System s;
  PfExpr rows[8];
  find_rows(*state, "skate k1: b6\nskate k2: axle\nskate k3: side\n"
                    "constraint c4: dot(vel(b5), b5.x) = 3*t^2\n", &s, rows);
  for (int k = 0; k < s.eq.m; k++) assert_true(rows[k] != s.eq.velocity[k]);
  pf_model_free(s.model);
}

static void other_rows_stay(void **state)
{
  System s;
  PfExpr rows[8];
  find_rows(*state, "constraint c1: dot(vel(b5), b6.x) + dot(vel(b2), b2.y) = 0\nconstraint c2: a[1]' = a[2]'\n"
                    "constraint c3: dot(vel(b6), vel(b6)) = 2\nconstraint c4: dot(pos(b6), ground.y) = 0\n", &s, rows);
  for (int k = 0; k < s.eq.m; k++) assert_true(rows[k] == s.eq.velocity[k]);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- names */

static void sums_are_made_of_those_before_them(void **state)
{
  Fixture *f = *state;
  System s;
  PfExtendedVelocities extended;
  read_system(f, "model m\ncoord x, h[5]\nlet X1 = x + cos(h[1])\nlet X2 = X1 + cos(h[2])\nlet X3 = X2 + cos(h[3])\n"
                 "let X4 = X3 + cos(h[4])\nlet X5 = X4 + cos(h[5])\nkinetic x'^2 + h[1]'^2 + h[2]'^2 + h[3]'^2\n"
                 "kinetic h[4]'^2 + h[5]'^2 + X4'^2/2 + X5'^2/2\nconstraint c: h[1]*X4' + h[2]*X5' = 0\n", &s);
  assert_int_equal(pf_extended_velocities_make(f->ctx, f->arena, &s.eq, &extended), PF_OK);
  assert_int_equal(extended.count, 2); /* X4' and X5' */
  assert_int_equal(extended.links.count, 5 + 2);
  assert_int_equal(extended.rows.count, 2);
  assert_int_equal(extended.mass.count, 6 + 2);
  for (int k = 0; k < extended.mass.count; k++) assert_int_equal(extended.mass.row[k], extended.mass.column[k]);
  pf_model_free(s.model);
}

static void constraints_on_accelerations_are_not_lifted(void **state)
{
  Fixture *f = *state;
  System s;
  PfExtendedVelocities extended;
  read_system(f, "model m\ncoord x, h[3]\nlet X = x + cos(h[1]) + cos(h[2]) + cos(h[3])\n"
                 "kinetic x'^2 + h[1]'^2 + h[2]'^2 + h[3]'^2 + X'^2\nconstraint c: x'' + h[1]'' = X\n", &s);
  assert_int_equal(pf_extended_velocities_make(f->ctx, f->arena, &s.eq, &extended), PF_OK);
  assert_int_equal(extended.count, 0);
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(rows_along_an_axis_of_a_body_are_local),
    with_fixture(other_rows_stay),
    with_fixture(sums_are_made_of_those_before_them),
    with_fixture(constraints_on_accelerations_are_not_lifted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
