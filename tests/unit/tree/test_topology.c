/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that change: poses stay, momentum stays, and the motion afterwards does not know how it came about. */
#include "trees.h"

static void totals_of(PfContext *ctx, const PfTree *tree, const double *q, const double *v, PfTreeTotals *totals)
{
  PfTreeWork *work;
  assert_int_equal(pf_tree_work_new(ctx, tree, &work), PF_OK);
  assert_int_equal(pf_tree_kinematics(work, q, v), PF_OK);
  pf_tree_totals(work, q, totals);
  pf_tree_work_free(work);
}

static void assert_same_momentum(PfContext *ctx, const Sample *s, const PfTreeChange *change, double tol)
{
  PfTreeTotals before, after;
  totals_of(ctx, s->tree, s->q, s->v, &before);
  totals_of(ctx, change->tree, change->q, change->v, &after);
  assert_all_near(after.linear, before.linear, 3, tol);
  assert_all_near(after.angular, before.angular, 3, tol);
}

/* Angular velocity and acceleration of a body, and position and acceleration of its mass centre: what no choice of
 * frames changes. */
static void invariants(const PfTree *tree, const PfTreeWork *work, const double *A, int k, double out[12])
{
  const PfTreeBody body = pf_tree_get(tree, k);
  const double *E = pf_tree_rotation(work, k), *V = pf_tree_velocity(work, k), *r = pf_tree_position(work, k);
  double c[3], wc[3];
  for (int i = 0; i < 3; i++) c[i] = E[3*i]*body.com[0] + E[3*i + 1]*body.com[1] + E[3*i + 2]*body.com[2];
#define CROSS(a, b, i) ((a)[((i) + 1)%3]*(b)[((i) + 2)%3] - (a)[((i) + 2)%3]*(b)[((i) + 1)%3])
  for (int i = 0; i < 3; i++) wc[i] = CROSS(V, c, i);
  for (int i = 0; i < 3; i++) {
    out[i] = V[i];
    out[3 + i] = A[i];
    out[6 + i] = r[i] + c[i];
    out[9 + i] = A[3 + i] + CROSS(A, c, i) + CROSS(V, wc, i);
  }
#undef CROSS
}

static void motion_of(PfContext *ctx, const PfTree *tree, const double *q, const double *v, double *out)
{
  PfTreeWork *work;
  double A[6*MOST_BODIES];
  assert_int_equal(pf_tree_work_new(ctx, tree, &work), PF_OK);
  assert_int_equal(pf_tree_complete(work, &(PfTreeInput){.q = q, .v = v}, &(PfTreeOutput){.acceleration = A}), PF_OK);
  for (int k = 0; k < pf_tree_count(tree); k++) invariants(tree, work, A + 6*k, k, out + 12*k);
  pf_tree_work_free(work);
}

static void a_new_root_changes_no_motion(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < 500; seed++) {
    Sample s = random_sample(f->ctx, seed, 1);
    double before[12*MOST_BODIES], after[12*MOST_BODIES];
    PfTreeChange change;
    assert_int_equal(pf_tree_reroot(f->ctx, f->arena, s.tree, s.q, s.v, s.n - 1, &change), PF_OK);
    assert_int_equal(pf_tree_get(change.tree, 0).joint, PF_JOINT_FREE);
    assert_int_equal(change.from[0], s.n - 1);
    motion_of(f->ctx, s.tree, s.q, s.v, before);
    motion_of(f->ctx, change.tree, change.q, change.v, after);
    for (int k = 0; k < s.n; k++) assert_all_near(after + 12*k, before + 12*change.from[k], 12, 1e-9);
    assert_same_momentum(f->ctx, &s, &change, 1e-12);
    pf_tree_free(change.tree);
    free_sample(&s);
  }
}

static void a_lock_keeps_momentum_and_loses_energy(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    Sample s = random_sample(f->ctx, seed, 1);
    double vdot[MOST_RATES];
    PfTreeChange change;
    PfTreeWork *work;
    memset(s.mask, 0, 6); /* the free joint of the root stays free */
    s.mask[s.nv - 1] = s.nv > 6;
    if (s.nv > 6) {
      assert_int_equal(pf_tree_lock(f->ctx, f->arena, s.tree, s.q, s.v, s.mask, &change), PF_OK);
      assert_same_momentum(f->ctx, &s, &change, 1e-12);
      assert_true(change.kinetic_after <= change.kinetic_before*(1 + 1e-14));
      assert_int_equal(pf_tree_work_new(f->ctx, change.tree, &work), PF_OK);
      assert_int_equal(pf_tree_forward(work, change.q, change.v, s.tau, vdot), PF_OK);
      for (int i = 0; i < s.nv; i++)
        if (s.mask[i]) {
          assert_true(change.v[i] == 0 && vdot[i] == 0);
          assert_true(pf_tree_is_locked(change.tree, i));
        }
      pf_tree_work_free(work);
      PfTreeChange open;
      assert_int_equal(pf_tree_unlock(f->ctx, f->arena, change.tree, change.q, change.v, s.mask, &open), PF_OK);
      assert_false(pf_tree_is_locked(open.tree, s.nv - 1));
      pf_tree_free(open.tree);
      pf_tree_free(change.tree);
    }
    free_sample(&s);
  }
}

static void parts_that_push_each_other_apart_keep_their_momentum(void **state)
{
  Fixture *f = *state;
  const double push[] = {0.3, -0.2, 0.5, 1, 2, -1};
  for (uint64_t seed = 0; seed < 200; seed++) {
    Sample s = random_sample(f->ctx, seed, 1);
    PfTreeChange change, back;
    assert_int_equal(pf_tree_detach(f->ctx, f->arena, s.tree, s.q, s.v, s.n - 1, push, &change), PF_OK);
    assert_same_momentum(f->ctx, &s, &change, 1e-12);
    /* and joined again, rigidly */
    const PfTreeBody weld = pf_tree_body(-1, PF_JOINT_WELD);
    Sample apart = {.tree = change.tree, .n = s.n};
    memcpy(apart.q, change.q, (size_t)pf_tree_nq(change.tree)*sizeof(double));
    memcpy(apart.v, change.v, (size_t)pf_tree_nv(change.tree)*sizeof(double));
    assert_int_equal(pf_tree_dock(f->ctx, f->arena, change.tree, change.q, change.v, 0, s.n - 1, (const double[]){0.8,
        0, 0.6, 0},
                                  (const double[]){0.1, 0.2, 0.3}, &weld, &back), PF_OK);
    assert_same_momentum(f->ctx, &apart, &back, 1e-11);
    assert_true(back.kinetic_after <= back.kinetic_before*(1 + 1e-13));
    pf_tree_free(back.tree);
    pf_tree_free(change.tree);
    free_sample(&s);
  }
}

/* docs/spatial.md: A (m = 2, I = 1) moves with 1 along x, B (m = 1, I = 1/2) rests at y = 1; rigid docking at the
 * mass centre of B gives 4/13, 10/13, 6/13 and loses 3/13. */
static void two_balls_dock_as_worked_out_by_hand(void **state)
{
  Fixture *f = *state;
  PfTreeBuilder *builder;
  PfTree *tree;
  PfTreeChange change;
  PfTreeWork *work;
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  for (int k = 0; k < 2; k++) {
    PfTreeBody ball = pf_tree_body(-1, PF_JOINT_FREE);
    ball.mass = 2 - k;
    for (int i = 0; i < 3; i++) ball.inertia[4*i] = 1 - 0.5*k;
    assert_int_equal(pf_tree_builder_add(builder, &ball, NULL), PF_OK);
  }
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_OK);
  pf_tree_builder_free(builder);
  const double q[] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, v[12] = {[3] = 1};
  const PfTreeBody weld = pf_tree_body(-1, PF_JOINT_WELD);
  assert_int_equal(pf_tree_dock(f->ctx, f->arena, tree, q, v, 0, 1, (const double[]){1, 0, 0, 0}, (const double[]){0,
      0, 0}, &weld,
                                &change), PF_OK);
  assert_int_equal(pf_tree_work_new(f->ctx, change.tree, &work), PF_OK);
  assert_int_equal(pf_tree_kinematics(work, change.q, change.v), PF_OK);
  const double A[] = {0, 0, 4./13, 10./13, 0, 0}, B[] = {0, 0, 4./13, 6./13, 0, 0}, push[] = {0, 0, 2./13, 6./13, 0, 0};
  for (int i = 0; i < 6; i++) {
    assert_near(pf_tree_velocity(work, 0)[i], A[i], 0, 1e-15);
    assert_near(pf_tree_velocity(work, 1)[i], B[i], 0, 1e-15);
    assert_near(change.interface_impulse[6 + i], push[i], 0, 1e-15);
  }
  assert_near(change.kinetic_before, 1, 0, 1e-15);
  assert_near(change.kinetic_after, 10./13, 0, 1e-15);
  pf_tree_work_free(work);
  pf_tree_free(change.tree);
  pf_tree_free(tree);
}

static void what_cannot_be_joined_or_reversed_is_said(void **state)
{
  Fixture *f = *state;
  PfTreeBuilder *builder;
  PfTree *tree;
  PfTreeChange change;
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  for (int k = 0; k < 3; k++) {
    PfTreeBody body = pf_tree_body(k - 1, k == 2 ? PF_JOINT_PLANAR : PF_JOINT_REVOLUTE);
    body.name = k == 0 ? "post" : k == 1 ? "arm" : "hand";
    body.mass = 1;
    body.stiffness[0] = k == 2;
    for (int i = 0; i < 3; i++) body.inertia[4*i] = 1;
    assert_int_equal(pf_tree_builder_add(builder, &body, NULL), PF_OK);
  }
  PfTreeBody probe = pf_tree_body(-1, PF_JOINT_FREE);
  probe.mass = 1;
  for (int i = 0; i < 3; i++) probe.inertia[4*i] = 1;
  assert_int_equal(pf_tree_builder_add(builder, &probe, NULL), PF_OK);
  probe.parent = 3;
  probe.joint = PF_JOINT_PLANAR;
  probe.stiffness[1] = 3;
  assert_int_equal(pf_tree_builder_add(builder, &probe, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_OK);
  pf_tree_builder_free(builder);
  double q[15], v[14] = {0};
  pf_tree_q_rest(tree, q);
  const double quat[] = {1, 0, 0, 0}, pos[] = {0, 0, 0};
  const PfTreeBody weld = pf_tree_body(-1, PF_JOINT_WELD);

  assert_int_equal(pf_tree_dock(f->ctx, f->arena, tree, q, v, 0, 2, quat, pos, &weld, &change), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'hand' and 'post' belong to the same tree: joining them closes a loop");
  assert_int_equal(pf_tree_dock(f->ctx, f->arena, tree, q, v, 3, 1, quat, pos, &weld, &change), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'post' hangs on the inertial frame by a revolute joint");
  assert_int_equal(pf_tree_reroot(f->ctx, f->arena, tree, q, v, 4, &change), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "the planar joint of body 4 cannot be reversed");
  assert_int_equal(pf_tree_detach(f->ctx, f->arena, tree, q, v, 7, NULL, &change), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "there is no body 7");
  assert_int_equal(pf_tree_lock(f->ctx, f->arena, tree, q, v, (const unsigned char[14]){0}, &change), PF_ERR_ARGUMENT);
  assert_null(change.tree);
  const double nothing[4] = {0};
  assert_int_equal(pf_tree_dock(f->ctx, f->arena, tree, q, v, 0, 3, nothing, pos, &weld, &change), PF_ERR_ARGUMENT);
  PfTreeBody hinge = pf_tree_body(-1, PF_JOINT_REVOLUTE);
  hinge.axis[2] = 0;
  assert_int_equal(pf_tree_dock(f->ctx, f->arena, tree, q, v, 0, 3, quat, pos, &hinge, &change), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "axes of the revolute joint");
  pf_tree_free(tree);
}

/* Two pendulums whose tips meet with different velocities: the jump makes them equal and pushes nothing outside. */
static void a_loop_that_closes_has_no_relative_velocity_afterwards(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    Sample s = random_sample(f->ctx, seed, 1);
    PfTreeRows *rows;
    const PfTreeConstraint weld = {.kind = PF_TREE_WELD, .body_a = 0, .body_b = s.n - 1, .point_b = {0.1, 0.2, 0.3}};
    PfTreeTotals before, after;
    assert_int_equal(pf_tree_rows_new(f->ctx, s.tree, 6, &rows), PF_OK);
    assert_int_equal(pf_tree_kinematics(s.work, s.q, s.v), PF_OK);
    pf_tree_totals(s.work, s.q, &before);
    PfTreeConstraint constraint = weld; /* the point of the hub that is at the point of the last body */
    const double *E = pf_tree_rotation(s.work, s.n - 1), *E0 = pf_tree_rotation(s.work, 0);
    double x[3];
    for (int i = 0; i < 3; i++) {
      x[i] = pf_tree_position(s.work, s.n - 1)[i] - pf_tree_position(s.work, 0)[i];
      for (int j = 0; j < 3; j++) x[i] += E[3*i + j]*weld.point_b[j];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) constraint.point_a[i] += E0[3*j + i]*x[j];
    double v[MOST_RATES];
    memcpy(v, s.v, sizeof v);
    assert_int_equal(pf_tree_close(s.work, rows, s.q, v, NULL, &constraint, 1), PF_OK);
    assert_int_equal(pf_tree_close(s.work, rows, s.q, v, NULL, &constraint, 1), PF_OK);
    /* before the second closing */
    for (int i = 0; i < 6; i++) assert_near(pf_tree_rows_velocity(rows)[i], 0, 0, 1e-10);
    assert_int_equal(pf_tree_kinematics(s.work, s.q, v), PF_OK);
    pf_tree_totals(s.work, s.q, &after);
    assert_all_near(after.linear, before.linear, 3, 1e-11);
    assert_all_near(after.angular, before.angular, 3, 1e-11);
    assert_true(after.kinetic <= before.kinetic*(1 + 1e-12));
    pf_tree_rows_free(rows);
    free_sample(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(a_new_root_changes_no_motion),
      with_fixture(a_lock_keeps_momentum_and_loses_energy),
      with_fixture(parts_that_push_each_other_apart_keep_their_momentum),
      with_fixture(two_balls_dock_as_worked_out_by_hand),
      with_fixture(what_cannot_be_joined_or_reversed_is_said),
      with_fixture(a_loop_that_closes_has_no_relative_velocity_afterwards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
