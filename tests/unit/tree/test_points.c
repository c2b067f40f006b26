/* SPDX-License-Identifier: Apache-2.0 */
/* Points of bodies, the mass centre, and look-ups by name. */
#include "trees.h"

#include "num/num.h"

enum { SEEDS = 60 };

/* q moved along a rate for a small time, to first order: exact enough for central differences of positions. */
static void moved(const Sample *s, int rate, double h, double *q)
{
  double v[MOST_RATES] = {0}, qdot[7*MOST_BODIES];
  v[rate] = 1;
  pf_tree_qdot(s->tree, s->q, v, qdot);
  for (int i = 0; i < s->nq; i++) q[i] = s->q[i] + h*qdot[i];
  pf_tree_normalise(s->tree, q);
}

static void point_at(const Sample *s, const double *q, const double point[3], double x[3], double com[3])
{
  PfTreeTotals totals;
  assert_int_equal(pf_tree_kinematics(s->work, q, NULL), PF_OK);
  pf_tree_point(s->work, s->n - 1, point, x, NULL);
  pf_tree_totals(s->work, q, &totals);
  memcpy(com, totals.com, 3*sizeof *com);
}

/* Central differences with h = 1e-5 are off by about h^2 times third derivatives, and by 1e-16/h. */
static void the_columns_of_points_are_their_derivatives(void **state)
{
  Fixture *f = *state;
  const double point[] = {0.3, -0.2, 0.7}, h = 1e-5;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, seed%2 == 0);
    double J[6*MOST_RATES], C[3*MOST_RATES];
    assert_int_equal(pf_tree_kinematics(s.work, s.q, NULL), PF_OK);
    pf_tree_jacobian(s.work, s.n - 1, point, s.q, J);
    pf_tree_com_jacobian(s.work, s.q, C);
    for (int j = 0; j < s.nv; j++) {
      double q[7*MOST_BODIES], x[2][3], com[2][3];
      for (int side = 0; side < 2; side++) {
        moved(&s, j, side ? h : -h, q);
        point_at(&s, q, point, x[side], com[side]);
      }
      for (int i = 0; i < 3; i++) {
        assert_near(J[(3 + i)*s.nv + j], (x[1][i] - x[0][i])/(2*h), 1e-7, 1e-7);
        assert_near(C[i*s.nv + j], (com[1][i] - com[0][i])/(2*h), 1e-7, 1e-7);
      }
    }
    free_sample(&s);
  }
}

/* Adds m Jv^T Jv + Jw^T (E I E^T) Jw of one body, its mass centre being the point. */
static void add_inertia(const Sample *s, int k, double *M)
{
  const PfTreeBody body = pf_tree_get(s->tree, k);
  const double *E = pf_tree_rotation(s->work, k);
  double J[6*MOST_RATES], I[9] = {0};
  pf_tree_jacobian(s->work, k, body.com, s->q, J);
  for (int e = 0; e < 9; e++)
    for (int a = 0; a < 9; a++) I[e] += E[3*(e/3) + a/3]*body.inertia[a]*E[3*(e%3) + a%3];
  for (int i = 0; i < s->nv; i++)
    for (int j = 0; j < s->nv; j++)
      for (int a = 0; a < 3; a++) {
        M[i*s->nv + j] += body.mass*J[(3 + a)*s->nv + i]*J[(3 + a)*s->nv + j];
        for (int b = 0; b < 3; b++) M[i*s->nv + j] += J[a*s->nv + i]*I[3*a + b]*J[b*s->nv + j];
      }
}

static void the_inertia_matrix_is_made_of_the_columns_of_the_mass_centres(void **state)
{
  Fixture *f = *state;
  static double M[MOST_RATES*MOST_RATES], sum[MOST_RATES*MOST_RATES];
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, 0);
    memset(sum, 0, sizeof sum);
    assert_int_equal(pf_tree_kinematics(s.work, s.q, NULL), PF_OK);
    for (int k = 0; k < s.n; k++) add_inertia(&s, k, sum);
    assert_int_equal(pf_tree_inertia(s.work, s.q, M), PF_OK);
    for (int i = 0; i < s.nv; i++)
      for (int j = 0; j <= i; j++) assert_near(M[i*s.nv + j], sum[i*s.nv + j], 1e-11, 1e-11);
    free_sample(&s);
  }
}

static void the_mass_centre_moves_with_the_linear_momentum(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, 1);
    double C[3*MOST_RATES], x[3], v[3];
    PfTreeTotals totals;
    assert_int_equal(pf_tree_kinematics(s.work, s.q, s.v), PF_OK);
    pf_tree_totals(s.work, s.q, &totals);
    pf_tree_com_jacobian(s.work, s.q, C);
    pf_tree_point(s.work, 0, (const double[]){0, 0, 0}, x, v);
    for (int i = 0; i < 3; i++) {
      assert_near(totals.com_velocity[i], totals.linear[i]/totals.mass, 1e-15, 0);
      assert_near(pf_dot(C + i*s.nv, s.v, s.nv), totals.com_velocity[i], 1e-12, 1e-12);
      assert_near(x[i], pf_tree_position(s.work, 0)[i], 0, 0);
      assert_near(v[i], pf_tree_velocity(s.work, 0)[3 + i], 0, 1e-15);
    }
    free_sample(&s);
  }
}

/* ---------------------------------------------------------------- names */

static PfTree *named_tree(Fixture *f)
{
  PfTreeBuilder *builder;
  PfTree *tree;
  PfTreeBody bus = pf_tree_body(-1, PF_JOINT_FREE), arm = pf_tree_body(0, PF_JOINT_REVOLUTE),
             bare = pf_tree_body(1, PF_JOINT_WELD);
  bus.name = "bus", arm.name = "arm", arm.joint_name = "shoulder";
  bus.mass = arm.mass = 1;
  for (int i = 0; i < 9; i += 4) bus.inertia[i] = arm.inertia[i] = 1;
  assert_int_equal(pf_tree_builder_new(f->ctx, &builder), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &bus, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &arm, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_add(builder, &bare, NULL), PF_OK);
  assert_int_equal(pf_tree_builder_finish(builder, &tree), PF_OK);
  pf_tree_builder_free(builder); /* names are the tree's own */
  return tree;
}

static void bodies_and_joints_are_found_by_name(void **state)
{
  PfTree *tree = named_tree(*state);
  assert_int_equal(pf_tree_find_body(tree, "arm"), 1);
  assert_int_equal(pf_tree_find_joint(tree, "shoulder"), 1);
  assert_int_equal(pf_tree_find_body(tree, "shoulder"), -1);
  assert_int_equal(pf_tree_find_joint(tree, "arm"), -1);
  assert_int_equal(pf_tree_find_joint(tree, ""), -1);
  assert_string_equal(pf_tree_get(tree, 1).joint_name, "shoulder");
  assert_null(pf_tree_get(tree, 2).name);
  pf_tree_free(tree);
}

static void the_name_of_a_joint_goes_with_the_joint(void **state)
{
  Fixture *f = *state;
  PfTree *tree = named_tree(f);
  PfTreeChange change;
  double q[8], v[7] = {0};
  pf_tree_q_rest(tree, q);
  assert_int_equal(pf_tree_reroot(f->ctx, f->arena, tree, q, v, 1, &change), PF_OK);
  int bus = pf_tree_find_body(change.tree, "bus");
  assert_int_equal(pf_tree_find_joint(change.tree, "shoulder"), bus); /* reversed, it now carries the bus */
  pf_tree_free(change.tree);
  assert_int_equal(pf_tree_detach(f->ctx, f->arena, tree, q, v, 1, NULL, &change), PF_OK);
  assert_int_equal(pf_tree_find_joint(change.tree, "shoulder"), -1);
  assert_true(pf_tree_find_body(change.tree, "arm") >= 0);
  pf_tree_free(change.tree);
  pf_tree_free(tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_columns_of_points_are_their_derivatives),
    with_fixture(the_inertia_matrix_is_made_of_the_columns_of_the_mass_centres),
    with_fixture(the_mass_centre_moves_with_the_linear_momentum),
    with_fixture(bodies_and_joints_are_found_by_name),
    with_fixture(the_name_of_a_joint_goes_with_the_joint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
