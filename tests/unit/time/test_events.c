/* SPDX-License-Identifier: Apache-2.0 */
/* Events: locks, releases and attachments, against closed forms and the reference trajectory of the spacecraft. */
#include "mech/system.h"

#include "pfaff/time.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 64, MOST_NUMBERS = 40 };

/* A model with events, made ready; its complete system gives the layout of everything. */
typedef struct Motion {
  System s;               /* of the complete model; s.model is that of the user */
  PfModel *complete;
  PfSystem *start, *system;
  double *values;
  PfEventLog log;
  PfRunResult result;
  int rows;
  double t[MOST_ROWS], kinetic[MOST_ROWS], q[MOST_ROWS][MOST_NUMBERS], v[MOST_ROWS][MOST_NUMBERS];
} Motion;

static PfStatus keep(void *user, const PfSample *sample)
{
  Motion *m = user;
  int n = m->complete->coordinate_count;
  assert_true(m->rows < MOST_ROWS && n <= MOST_NUMBERS);
  m->t[m->rows] = sample->t;
  m->kinetic[m->rows] = sample->kinetic;
  memcpy(m->q[m->rows], sample->q, (size_t)n*sizeof(double));
  memcpy(m->v[m->rows], sample->v, (size_t)n*sizeof(double));
  m->rows++;
  return PF_OK;
}

static void make_ready(Fixture *f, Motion *m)
{
  m->complete = m->s.model->complete;
  assert_non_null(m->complete);
  PfEquations *eq = pf_arena_array(f->arena, PfEquations, 1);
  assert_non_null(eq);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, m->complete, eq), PF_OK);
  assert_int_equal(pf_system_new(f->ctx, eq, &m->system), PF_OK);
  m->values = pf_arena_array(f->arena, double, pf_system_symbols(m->system)->count);
  assert_non_null(m->values);
  assert_int_equal(pf_equations_start(f->ctx, eq, NULL, m->values), PF_OK);
}

static Motion *read_motion(Fixture *f, const char *text)
{
  Motion *m = pf_arena_array(f->arena, Motion, 1);
  assert_non_null(m);
  read_system(f, text, &m->s);
  make_ready(f, m);
  return m;
}

static PfStatus run_by(Fixture *f, Motion *m, double t_end, double every, const char *method, const char *formulation)
{
  PfRunOptions o = pf_run_options();
  o.formulation = formulation;
  o.t_end = t_end;
  o.every = every;
  o.rtol = 1e-12;
  o.method = method;
  o.sample = keep;
  o.user = m;
  return pf_run_events(f->ctx, f->arena, m->system, m->values, &o, &m->log, &m->result);
}

static PfStatus run(Fixture *f, Motion *m, double t_end, double every, const char *method)
{
  return run_by(f, m, t_end, every, method, pf_run_options().formulation);
}

static void end(Motion *m)
{
  pf_system_free(m->system);
  pf_model_free(m->s.model);
}

static int find(const Motion *m, const char *name)
{
  int i = pf_model_find_coordinate(m->complete, name);
  if (i < 0) fail_msg("no coordinate %s", name);
  return i;
}

/* ---------------------------------------------------------------- the spacecraft */

/* t, phase, then numbers. */
static bool read_row(FILE *stream, double *x, int count)
{
  char line[4096], *at = line;
  if (!fgets(line, sizeof line, stream)) return false;
  x[0] = strtod(at, &at);
  at = strchr(at + 1, ',');
  for (int i = 1; i < count; i++) x[i] = strtod(at + 1, &at);
  return true;
}

static double largest_difference(const Motion *m, int row, const double *x)
{
  static const char *const names[] = {"hub.qw", "hub.qx", "hub.qy", "hub.qz", "hub.px", "hub.py", "hub.pz", "left[1]",
                                      "left[2]", "left[3]", "right[1]", "right[2]", "right[3]", "fold"};
  double most = fabs(m->t[row] - x[0]);
  for (int i = 0; i < 14; i++) most = fmax(most, fabs(m->q[row][find(m, names[i])] - x[1 + i]));
  for (int i = 4; i < 14; i++) /* hub velocity and joint rates follow the angular velocity */
    most = fmax(most, fabs(m->v[row][find(m, names[i])] - x[14 + i]));
  return fmax(most, fabs(m->kinetic[row] - x[34]));
}

static void the_spacecraft_follows_the_reference_through_the_lock(void **state)
{
  Fixture *f = *state;
  Motion *m = pf_arena_array(f->arena, Motion, 1);
  assert_non_null(m);
  load_system(f, "spacecraft", &m->s);
  make_ready(f, m);
  assert_int_equal(run(f, m, 10, 0.5, "dop853"), PF_OK);
  assert_int_equal(m->rows, 22);
  FILE *stream = fopen(PF_SOURCE_DIR "/tests/reference/spatial/trajectory_spacecraft.csv", "r");
  assert_non_null(stream);
  char head[2048];
  assert_non_null(fgets(head, sizeof head, stream));
  for (int row = 0; row < m->rows; row++) {
    double x[35];
    assert_true(read_row(stream, x, 35));
    double off = largest_difference(m, row, x);
    if (!(off <= 1e-9)) fail_msg("row %d (t = %g): off by %g", row, x[0], off);
  }
  fclose(stream);
  assert_int_equal(m->log.count, 1);
  const PfEventRecord *r = m->log.record;
  assert_near(r->joint[find(m, "left[3]")], -1.3824815956800741, 0, 1e-9);
  for (int k = 0; k < 6; k++) assert_near(r->momentum_after[k], r->momentum_before[k], 0, 1e-11);
  end(m);
}

/* ---------------------------------------------------------------- closed forms */

/* The example of the reference page, 4.3: two bodies dock side by side. */
static void docking_is_the_worked_example(void **state)
{
  Fixture *f = *state;
  Motion *m = read_motion(f, "body bus in ground free { mass 2, inertia 1 }\n"
                             "body probe in ground free { mass 1, inertia 0.5 }\n"
                             "start bus.v = (1, 0, 0), probe.p = (0, 1, 0)\n"
                             "when t = 0 { attach probe to bus }\n");
  assert_int_equal(run(f, m, 1, 1, "dopri5"), PF_OK);
  const PfEventRecord *r = m->log.record;
  assert_int_equal(m->log.count, 1);
  assert_near(r->kinetic_before, 1, 1e-14, 0);
  assert_near(r->kinetic_after, 10.0/13, 1e-14, 0);
  assert_near(m->v[1][find(m, "bus.px")], 10.0/13, 1e-14, 0);
  assert_near(m->v[1][find(m, "probe.px")], 6.0/13, 1e-14, 0);
  assert_near(2*m->v[1][find(m, "bus.qz")], 4.0/13, 1e-14, 0);
  for (int k = 0; k < m->complete->constraint_count; k++) {
    const char *name = m->complete->constraints[k].name;
    if (!strcmp(name, "probe.bus.x")) assert_near(r->multiplier[k], 6.0/13, 1e-13, 0);
    if (!strcmp(name, "probe.bus.turn_z")) assert_near(r->multiplier[k], 2.0/13, 1e-13, 0);
  }
  assert_near(m->rows, 3, 0, 0); /* before, after, end */
  end(m);
}

/* Two equal discs on one axle, one of them turning: locked together they turn at half the speed. */
static void a_lock_shares_the_momentum(void **state)
{
  Fixture *f = *state;
  Motion *m = read_motion(f, "coord a, b\n"
                             "body base in ground turn a about z { inertia 3 }\n"
                             "body disc in base turn b about z { inertia 1 }\n"
                             "start b' = 4\n"
                             "when b > 2 { lock disc }\n"
                             "when t = 2 { unlock disc }\n"
                             "force b = if(t < 2, 0, 3)\n");
  assert_int_equal(run(f, m, 3, 0, "dopri5"), PF_OK);
  assert_int_equal(m->log.count, 2);
  assert_near(m->log.record[0].t, 0.5, 0, 1e-12);
  assert_near(m->log.record[0].kinetic_before, 8, 1e-12, 0);
  assert_near(m->log.record[0].kinetic_after, 2, 1e-12, 0); /* 4/4 = 1: half of 4 */
  assert_near(m->log.record[0].joint[find(m, "b")], -3, 1e-12, 0);
  assert_near(m->log.record[1].t, 2, 0, 0);
  assert_near(m->v[m->rows - 1][find(m, "b")], 4, 1e-9, 0); /* 3 N m over the reduced inertia 3/4 for one second */
  end(m);
}

/* A rod turning about its end in the plane: released, its centre goes on with the velocity it had. */
static void what_is_detached_goes_on_as_it_moved(void **state)
{
  Fixture *f = *state;
  Motion *m = read_motion(f, "coord a\n"
                             "body rod in ground turn a about z { mass 2, inertia 0.5, com (1, 0, 0) }\n"
                             "start a' = 3\n"
                             "when t = 1 { detach rod with impulse (0, 0, 4) }\n"
                             "plot pos(rod).z\n");
  assert_int_equal(run(f, m, 2, 1, "dop853"), PF_OK);
  const PfEventRecord *r = m->log.record;
  assert_int_equal(m->log.count, 1);
  assert_near(r->momentum_before[0], -2*3*sin(3), 1e-10, 0);
  assert_near(r->momentum_after[0], r->momentum_before[0], 1e-10, 0);
  assert_near(r->momentum_after[2], 4, 1e-10, 0);
  assert_near(r->momentum_before[5], (0.5 + 2)*3, 1e-10, 0);
  assert_near(r->momentum_after[5], (0.5 + 2)*3, 1e-10, 0);
  /* an impulse J at the distance d = 1 from the centre: J^2/(2m) + (J d)^2/(2I) */
  assert_near(r->kinetic_after - r->kinetic_before, 4.0*4/(2*2) + 4.0*4/(2*0.5), 1e-10, 0);
  end(m);
}

static void a_hinge_leaves_the_turn_about_its_axis(void **state)
{
  Fixture *f = *state;
  Motion *m = read_motion(f, "body a in ground free { mass 1, inertia 1 }\n"
                             "body b in ground free { mass 1, inertia 1 }\n"
                             "start b.p = (0, 0, 2), b.w = (0, 0, 5), b.v = (0.3, 0, 0)\n"
                             "when t = 0.5 { attach b to a hinge about z at (0, 0, -1) }\n");
  assert_int_equal(run(f, m, 2, 0.25, "dop853"), PF_OK);
  assert_int_equal(m->log.count, 1);
  assert_int_equal(m->result.end, PF_RUN_DONE);
  int q = find(m, "b.qw");
  double w = 0; /* the angular velocity about the hinge stays */
  const double *x = m->q[m->rows - 1] + q, *v = m->v[m->rows - 1] + q;
  w = 2*(x[0]*v[3] + x[2]*v[1] - x[3]*v[0] - x[1]*v[2]);
  assert_near(w, 5, 1e-9, 0);
  for (int k = 0; k < 6; k++)
    assert_near(m->log.record[0].momentum_after[k], m->log.record[0].momentum_before[k], 0, 1e-12);
  assert_true(m->log.record[0].kinetic_after < m->log.record[0].kinetic_before);
  end(m);
}

static void events_at_the_same_time_happen_as_written(void **state)
{
  Fixture *f = *state;
  Motion *m = read_motion(f, "coord x, y\nbody a in ground at (x, y, 0) { mass 1 }\nstart x' = 1, y' = 2\n"
                             "when t = 1 { lock x }\nwhen t = 1 { lock y }\nwhen x > 100 { unlock x }\n");
  assert_int_equal(run(f, m, 2, 0, "rk4") == PF_OK, 0); /* rk4 needs a step */
  assert_int_equal(run(f, m, 2, 0, "dopri5"), PF_OK);
  assert_int_equal(m->log.count, 2);
  assert_int_equal(m->log.record[0].event, 0);
  assert_int_equal(m->log.record[1].event, 1);
  assert_near(m->q[m->rows - 1][1], 2, 1e-12, 0);
  end(m);
}

/* The rows of what is attached are made of numbers that the event sets; chosen pseudo-velocities must see them. */
static void expect_laconic_as_maggi(Fixture *f, const char *text, int events)
{
  Motion *by_maggi = read_motion(f, text), *by_laconic = read_motion(f, text);
  assert_int_equal(run_by(f, by_maggi, 6, 0.5, "dop853", "maggi"), PF_OK);
  assert_int_equal(run_by(f, by_laconic, 6, 0.5, "dop853", "laconic"), PF_OK);
  assert_int_equal(by_laconic->result.end, PF_RUN_DONE);
  assert_int_equal(by_maggi->log.count, events);
  assert_int_equal(by_laconic->log.count, events);
  assert_int_equal(by_laconic->rows, by_maggi->rows);
  for (int row = 0; row < by_maggi->rows; row++) {
    assert_near(by_laconic->kinetic[row], by_maggi->kinetic[row], 1e-9, 0);
    for (int i = 0; i < by_maggi->complete->coordinate_count; i++) {
      assert_near(by_laconic->q[row][i], by_maggi->q[row][i], 1e-8, 1e-8);
      assert_near(by_laconic->v[row][i], by_maggi->v[row][i], 1e-8, 1e-8);
    }
  }
  end(by_maggi);
  end(by_laconic);
}

#define TWO_BODIES \
  "body A in ground free { mass 2, inertia diag(1, 2, 3) }\n" \
  "body B in ground free { mass 1, inertia diag(0.5, 0.7, 0.6) }\n" \
  "start A.p = (-2, 0, 0), A.v = (1, 0, 0), B.p = (0, 1, 0), A.w = (0.1, 0.2, 0.3), B.w = (0.3, -0.2, 0.1)\n"
#define LINK \
  "coord s [rad]\n" \
  "body H in A at (0.5, 0, 0) turn s about z { mass 0.5, com (0.3, 0, 0), inertia diag(0.01, 0.02, 0.03) }\n"

static void laconic_equations_follow_what_is_attached(void **state)
{
  Fixture *f = *state;
  expect_laconic_as_maggi(f, TWO_BODIES "when t = 2 { attach B to A }\n", 1);
  expect_laconic_as_maggi(f, TWO_BODIES "when t = 1 { attach B to A }\nwhen t = 3 { detach B from A }\n", 2);
  expect_laconic_as_maggi(f, TWO_BODIES LINK "when t = 2 { attach B to H }\nwhen t = 4 { lock s }\n", 2);
  expect_laconic_as_maggi(f, TWO_BODIES LINK "when t = 1 { lock s }\nwhen t = 2 { attach B to H }\n"
                             "when t = 3 { unlock s }\nwhen t = 4 { detach B from H }\n", 4);
  expect_laconic_as_maggi(f, TWO_BODIES LINK "when t = 2 { attach A to ground }\n"
                             "when t = 3 { attach B to A ball }\n", 2);
}

/* A weld of free bodies leaves six degrees of freedom: energy and both momenta stay from the impact on. */
static void a_weld_keeps_energy_by_laconic_equations(void **state)
{
  Fixture *f = *state;
  Motion *m = read_motion(f, TWO_BODIES "when t = 2 { attach B to A }\n");
  assert_int_equal(run_by(f, m, 12, 1, "dop853", "laconic"), PF_OK);
  assert_near(m->kinetic[m->rows - 1], m->log.record[0].kinetic_after, 1e-10, 0);
  assert_near(m->kinetic[m->rows - 1], 1.004220724, 1e-9, 0);
  end(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_spacecraft_follows_the_reference_through_the_lock),
    with_fixture(docking_is_the_worked_example),
    with_fixture(a_lock_shares_the_momentum),
    with_fixture(what_is_detached_goes_on_as_it_moved),
    with_fixture(a_hinge_leaves_the_turn_about_its_axis),
    with_fixture(events_at_the_same_time_happen_as_written),
    with_fixture(laconic_equations_follow_what_is_attached),
    with_fixture(a_weld_keeps_energy_by_laconic_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
