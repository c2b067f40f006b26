/* SPDX-License-Identifier: Apache-2.0 */
/* What a tree refuses, and how it says so; memory. */
#include "trees.h"

static PfTreeBody brick(int parent, PfJoint joint)
{
  PfTreeBody body = pf_tree_body(parent, joint);
  body.mass = 2;
  for (int i = 0; i < 3; i++) body.inertia[4*i] = 1;
  body.pos[0] = 1;
  body.com[0] = 0.5;
  return body;
}

static void assert_refused(Fixture *f, const PfTreeBody *body, const char *message)
{
  PfTreeBuilder *builder;
  const PfTreeBody first = brick(-1, PF_JOINT_REVOLUTE);
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &first, NULL), PF_OK);
  assert_int_not_equal(pf_tree_builder_add(builder, body, NULL), PF_OK);
  assert_contains(pf_context_message(f->ctx), message);
  pf_tree_builder_free(builder);
}

static void bodies_that_make_no_sense_are_named(void **state)
{
  Fixture *f = *state;
  PfTreeBody b = brick(0, PF_JOINT_REVOLUTE);
  b.name = "arm";
  b.mass = -1;
  assert_refused(f, &b, "'arm': the mass is negative (-1)");
  b = brick(0, PF_JOINT_REVOLUTE);
  b.inertia[0] = -3;
  assert_refused(f, &b, "body 1: the inertia has a negative principal moment (-3)");
  b = brick(0, PF_JOINT_REVOLUTE);
  b.inertia[0] = 3;
  assert_refused(f, &b, "body 1: no body has the principal moments of inertia 1, 1, 3");
  b.inertia[0] = 1;
  b.inertia[1] = 0.5;
  assert_refused(f, &b, "the inertia matrix is not symmetric");
  b = brick(0, PF_JOINT_REVOLUTE);
  b.axis[2] = 0;
  assert_refused(f, &b, "body 1: the axis of the joint has length zero");
  b = brick(0, PF_JOINT_UNIVERSAL);
  memset(b.axis2, 0, sizeof b.axis2);
  assert_refused(f, &b, "second axis of the universal joint has length zero");
  b.axis2[2] = -4;
  assert_refused(f, &b, "the two axes of the universal joint are parallel");
  b = brick(1, PF_JOINT_REVOLUTE);
  assert_refused(f, &b, "body 1: its parent is body 1, but only bodies added before it");
  b = brick(5, PF_JOINT_REVOLUTE);
  assert_refused(f, &b, "its parent is body 5");
  b = brick(-2, PF_JOINT_REVOLUTE);
  assert_refused(f, &b, "its parent is body -2");
  b = brick(0, PF_JOINT_REVOLUTE);
  memset(b.quat, 0, sizeof b.quat);
  assert_refused(f, &b, "the quaternion of the placement has length zero");
  b = brick(0, PF_JOINT_REVOLUTE);
  b.com[1] = NAN;
  assert_refused(f, &b, "the mass centre holds a number that is not finite");
  b = brick(0, (PfJoint)17);
  assert_refused(f, &b, "17 is not a kind of joint");
}

static void a_tree_without_bodies_is_none(void **state)
{
  Fixture *f = *state;
  PfTreeBuilder *builder;
  PfTree *tree;
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_ERR_MODEL);
  pf_tree_builder_free(builder);
}

static void quaternions_and_axes_are_normalised(void **state)
{
  Fixture *f = *state;
  PfTreeBuilder *builder;
  PfTree *tree;
  PfTreeBody b = brick(-1, PF_JOINT_REVOLUTE);
  memcpy(b.quat, (const double[]){0, 0, 3, 4}, sizeof b.quat);
  memcpy(b.axis, (const double[]){0, 5, 0}, sizeof b.axis);
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &b, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_OK);
  pf_tree_builder_free(builder);
  assert_near(pf_tree_get(tree, 0).quat[2], 0.6, 1e-15, 0);
  assert_near(pf_tree_get(tree, 0).axis[1], 1, 0, 0);
  pf_tree_free(tree);
}

static PfTree *pair(Fixture *f, PfJoint joint, double mass, PfTreeWork **work)
{
  PfTreeBuilder *builder;
  PfTree *tree;
  PfTreeBody first = brick(-1, PF_JOINT_REVOLUTE), second = pf_tree_body(0, joint);
  second.name = "feather";
  second.mass = mass;
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &first, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &second, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_OK);
  pf_tree_builder_free(builder);
  assert_int_equal(pf_tree_work_new(f->ctx, tree, work), PF_OK);
  return tree;
}

/* 3.7: a massless leaf must not move freely, but may be moved. A mass point may not turn about itself. */
static void a_joint_that_moves_no_mass_is_named(void **state)
{
  Fixture *f = *state;
  const PfJoint joints[] = {PF_JOINT_REVOLUTE, PF_JOINT_PRISMATIC, PF_JOINT_CYLINDRICAL, PF_JOINT_SPHERICAL,
                            PF_JOINT_FREE};
  for (size_t i = 0; i < sizeof joints/sizeof *joints; i++) {
    PfTreeWork *work;
    PfTree *tree = pair(f, joints[i], joints[i] == PF_JOINT_SPHERICAL || joints[i] == PF_JOINT_REVOLUTE, &work);
    double q[8], vdot[8], tau[8];
    char message[120];
    pf_tree_q_rest(tree, q);
    assert_int_equal(pf_tree_forward(work, q, NULL, NULL, vdot), PF_ERR_NUMBER);
    snprintf(message, sizeof message, "the %s joint of 'feather' can move without moving any mass",
             pf_joint_name(joints[i]));
    assert_contains(pf_context_message(f->ctx), message);
    const unsigned char held[8] = {0, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(pf_tree_hybrid(work, &(PfTreeInput){.q = q, .prescribed = held}, vdot, tau), PF_OK);
    PfTreeOperators all[2];
    assert_int_equal(pf_tree_operators(work, &(PfTreeInput){.q = q}, all), PF_ERR_NUMBER);
    assert_contains(pf_context_message(f->ctx), message);
    pf_tree_work_free(work);
    pf_tree_free(tree);
  }
}

static void numbers_that_are_not_finite_are_found(void **state)
{
  Fixture *f = *state;
  Sample s = random_sample(f->ctx, 3, 0);
  double x[MOST_RATES], q[7*MOST_BODIES];
  memcpy(q, s.q, sizeof q);
  q[s.nq - 1] = NAN;
  assert_int_equal(pf_tree_forward(s.work, q, s.v, s.tau, x), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "not finite");
  assert_int_equal(pf_tree_inverse(s.work, q, s.v, s.tau, x), PF_ERR_NUMBER);
  assert_int_equal(pf_tree_kinematics(s.work, q, s.v), PF_ERR_NUMBER);
  s.tau[0] = INFINITY;
  assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, x), PF_ERR_NUMBER);
  free_sample(&s);
}

static void constraints_that_cannot_be_are_named(void **state)
{
  Fixture *f = *state;
  Sample s = random_sample(f->ctx, 5, 0);
  PfTreeRows *rows;
  double x[MOST_RATES];
  const int dof[] = {0, 1000};
  const double one[] = {1, 1};
  const PfTreeInput input = {.q = s.q, .v = s.v};
  const PfTreeOutput output = {.vdot = x};
  PfTreeConstraint bad[] = {{.kind = PF_TREE_RATES, .dofs = dof, .coefficients = one, .terms = 1},
                            {.kind = PF_TREE_RATES, .dofs = dof, .coefficients = one, .terms = 1, .rhs = 1}};
  assert_int_equal(pf_tree_rows_new(f->ctx, s.tree, -1, &rows), PF_ERR_ARGUMENT);
  assert_int_equal(pf_tree_rows_new(f->ctx, s.tree, 2, &rows), PF_OK);
  assert_int_equal(pf_tree_constrained(s.work, rows, &input, bad, 2, &output), PF_ERR_NUMBER);
  assert_contains(pf_context_message(f->ctx), "contradicts the others");
  bad[1].rhs = 0;
  assert_int_equal(pf_tree_constrained(s.work, rows, &input, bad, 2, &output), PF_OK);
  assert_int_equal(pf_tree_rows_rank(rows), 1);
  assert_near(x[0], 0, 0, 1e-12);
  bad[1].terms = 2;
  assert_int_equal(pf_tree_constrained(s.work, rows, &input, bad, 2, &output), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "constraint 1: the tree has rates 0 to");
  bad[0] = (PfTreeConstraint){.kind = PF_TREE_POINT, .body_a = 0, .body_b = 99};
  assert_int_equal(pf_tree_constrained(s.work, rows, &input, bad, 1, &output), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "constraint 0: there is no body 99");
  bad[0].body_b = -1;
  assert_int_equal(pf_tree_constrained(s.work, rows, &input, bad, 1, &output), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "room for 2 constraint rows");
  pf_tree_rows_free(rows);
  free_sample(&s);
}

/* ---------------------------------------------------------------- memory */

static void evaluations_allocate_nothing(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfContext *ctx = pf_context_new(&counter.allocator);
  Sample s = random_sample(ctx, 11, 0);
  PfTreeRows *rows;
  static double M[MOST_RATES*MOST_RATES];
  double x[MOST_RATES], y[MOST_RATES], A[6*MOST_BODIES], W[6*MOST_BODIES];
  const PfTreeConstraint pin = {.kind = PF_TREE_POINT, .body_a = s.n - 1, .body_b = -1};
  assert_int_equal(pf_tree_rows_new(ctx, s.tree, 3, &rows), PF_OK);
  const long calls = counter.calls;
  const PfTreeInput input = {s.q, s.v, s.tau, s.vdot, s.mask, s.wrench};
  assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, x), PF_OK);
  assert_int_equal(pf_tree_inverse(s.work, s.q, s.v, x, y), PF_OK);
  assert_int_equal(pf_tree_complete(s.work, &input, &(PfTreeOutput){x, y, A, W}), PF_OK);
  assert_int_equal(pf_tree_impulse(s.work, &input, &(PfTreeOutput){x, y, A, W}), PF_OK);
  assert_int_equal(pf_tree_inertia(s.work, s.q, M), PF_OK);
  assert_int_equal(pf_tree_constrained(s.work, rows, &(PfTreeInput){.q = s.q, .v = s.v}, &pin, 1,
                                       &(PfTreeOutput){.vdot = x}),
                   PF_OK);
  assert_int_equal(counter.calls, calls);
  pf_tree_rows_free(rows);
  free_sample(&s);
  pf_context_free(ctx);
  assert_int_equal(counter.live, 0);
}

static void build_and_change(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfTreeBuilder *builder = NULL;
  PfTree *tree = NULL;
  PfTreeWork *work = NULL;
  PfTreeChange change = {0};
  double q[16], v[16] = {[0] = 1};
  int good = arena && pf_tree_builder_new(ctx, &builder) == PF_OK;
  for (int k = 0; good && k < 3; k++) {
    PfTreeBody body = brick(k == 1 ? 0 : -1, k == 1 ? PF_JOINT_REVOLUTE : PF_JOINT_FREE);
    body.name = "x";
    good = pf_tree_builder_add(builder, &body, NULL) == PF_OK;
  }
  const PfTreeBody weld = pf_tree_body(-1, PF_JOINT_WELD);
  good = good && pf_tree_builder_finish(builder, &tree) == PF_OK && pf_tree_work_new(ctx, tree, &work) == PF_OK;
  if (good) pf_tree_q_rest(tree, q);
  good = good && pf_tree_dock(ctx, arena, tree, q, v, 1, 2, (const double[]){1, 0, 0, 0}, (const double[]){0, 0, 0},
                              &weld,
                              &change) == PF_OK;
  assert_true(good == (counter->refused == 0) || good);
  pf_tree_free(change.tree);
  pf_tree_work_free(work);
  pf_tree_free(tree);
  pf_tree_builder_free(builder);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void every_refused_allocation_is_survived(void **state)
{
  (void)state;
  fail_every_allocation(build_and_change, NULL);
}

/* A chain of 20000: no recursion, at most 2 KB of workspace per body. */
static void long_chains_need_little_room(void **state)
{
  enum { n = 20000 };
  Fixture *f = *state;
  PfTreeBuilder *builder;
  PfTree *tree;
  PfTreeWork *work;
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  for (int k = 0; k < n; k++) {
    const PfTreeBody body = brick(k - 1, PF_JOINT_REVOLUTE);
    assert_int_equal(pf_tree_builder_add(builder, &body, NULL), PF_OK);
  }
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_OK);
  pf_tree_builder_free(builder);
  assert_int_equal(pf_tree_work_new(f->ctx, tree, &work), PF_OK);
  assert_true(pf_tree_work_bytes(work) < (size_t)2048*n);
  double *q = pf_arena_array(f->arena, double, n), *tau = pf_arena_array(f->arena, double, n),
         *vdot = pf_arena_array(f->arena, double, n);
  tau[n - 1] = 1; /* only the last link feels it: its inertia about the joint is that of a link on a link at rest */
  assert_int_equal(pf_tree_forward(work, q, NULL, tau, vdot), PF_OK);
  assert_near(vdot[0], 0, 0, 1e-12);
  assert_true(vdot[n - 1] > 0);
  pf_tree_work_free(work);
  pf_tree_free(tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(bodies_that_make_no_sense_are_named),
      with_fixture(a_tree_without_bodies_is_none),
      with_fixture(quaternions_and_axes_are_normalised),
      with_fixture(a_joint_that_moves_no_mass_is_named),
      with_fixture(numbers_that_are_not_finite_are_found),
      with_fixture(constraints_that_cannot_be_are_named),
      with_fixture(evaluations_allocate_nothing),
      with_fixture(every_refused_allocation_is_survived),
      with_fixture(long_chains_need_little_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
