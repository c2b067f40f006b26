/* SPDX-License-Identifier: Apache-2.0 */
/* A tree against the model it was made of: states of one as states of the other, accelerations by both. */
#ifndef PF_TESTS_TREE_STATES_H
#define PF_TESTS_TREE_STATES_H

#include "tree/trees.h"

#include "pfaff/form.h"

/* Where the tree has the coordinate: q of a joint of its name, or a part of the ball joint of the body of its name. */
static inline int place_of(const PfModel *model, const PfTree *tree, int i)
{
  for (int k = 0; k < model->ball_count; k++) {
    const PfBall *ball = model->balls + k;
    int body = pf_tree_find_body(tree, ball->name);
    assert_true(body >= 0);
    if (i >= ball->q && i < ball->q + 4) return pf_tree_q_at(tree, body) + i - ball->q;
    if (ball->p >= 0 && i >= ball->p && i < ball->p + 3) return pf_tree_q_at(tree, body) + 4 + i - ball->p;
  }
  int body = pf_tree_find_joint(tree, model->coordinates[i].name);
  if (body < 0) fail_msg("the tree has no joint '%s'", model->coordinates[i].name);
  return pf_tree_q_at(tree, body);
}

/* q'' = B(q) v' + B(q') v, B being linear in quaternions and constant else. */
static inline void second_rates(const PfTree *tree, const double *q, const double *v, const double *vdot, double *qdd)
{
  double qdot[7*MOST_BODIES], turn[7*MOST_BODIES], none[7*MOST_BODIES];
  double zero[7*MOST_BODIES] = {0};
  pf_tree_qdot(tree, q, v, qdot);
  pf_tree_qdot(tree, q, vdot, qdd);
  pf_tree_qdot(tree, qdot, v, turn);
  pf_tree_qdot(tree, zero, v, none); /* what does not depend on q */
  for (int i = 0; i < pf_tree_nq(tree); i++) qdd[i] += turn[i] - none[i];
}

/* At a random state, without joint forces: the largest acceleration is the measure, because the mass matrix mixes
 * them. */
static inline void assert_same_accelerations(const PfTree *tree, PfTreeWork *work, PfSystem *system, PfSolver *solver,
                                             uint64_t seed)
{
  const PfModel *model = pf_system_equations(system)->model;
  const PfSymbols *in = pf_system_symbols(system);
  double q[7*MOST_BODIES], v[MOST_RATES], vdot[MOST_RATES], qdot[7*MOST_BODIES], qdd[7*MOST_BODIES], a[7*MOST_BODIES];
  double lambda[MOST_BODIES], values[512], size = 1;
  int row, n = pf_system_equations(system)->n, nq = pf_tree_nq(tree), nv = pf_tree_nv(tree);
  Dice dice = {seed*31 + 7};
  assert_int_equal(n, nq);
  assert_true(in->count <= 512);
  assert_int_equal(pf_equations_start(model->ctx, pf_system_equations(system), NULL, values), PF_OK);
  dice_fill(&dice, q, nq);
  dice_fill(&dice, v, nv);
  pf_tree_normalise(tree, q);
  pf_tree_qdot(tree, q, v, qdot);
  for (int i = 0; i < n; i++) {
    values[in->q + i] = q[place_of(model, tree, i)];
    values[in->v + i] = qdot[place_of(model, tree, i)];
  }
  PfMotion motion = {.acceleration = a, .multiplier = lambda};
  assert_int_equal(pf_solver_accelerate(solver, values, &motion, &row), PF_TROUBLE_NONE);
  assert_int_equal(pf_tree_forward(work, q, v, NULL, vdot), PF_OK);
  second_rates(tree, q, v, vdot, qdd);
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  for (int i = 0; i < n; i++)
    if (!(fabs(qdd[place_of(model, tree, i)] - a[i]) <= 1e-12*size))
      fail_msg("%d, %s'': %.17g by the tree and %.17g by the model", (int)seed, model->coordinates[i].name,
               qdd[place_of(model, tree, i)], a[i]);
}

#endif
