/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse dynamics: all motions known, forces sought. Newton and Euler outward, wrenches inward. With K = wdot^x +
 * w^x w^x the acceleration of a point x of a body is vdot + K x: for its children's joints and its mass centre. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

static const double ZERO[6] = {0};

static inline void ball_acceleration(PfTreeWork *work, const Node *node, const double *v, const double *vdot,
                                     double A[6])
{
  const Extra *extra = &work->extras[node->extra];
  turn3_back(extra->R, A, A);
  turn3_back(extra->R, A + 3, A + 3);
  if (v) add3(A, extra->a);
  if (vdot) add3(A, vdot + node->v);
}

static void general_acceleration(PfTreeWork *work, const Node *node, const double *vdot, double A[6])
{
  const PfTree *tree = work->tree;
  const Extra *extra = &work->extras[node->extra];
  turn3_back(extra->R, A, A);
  turn3_back(extra->R, A + 3, A + 3);
  add_scaled(A, 1, extra->a, 6);
  for (int i = 0; vdot && i < pf_joint_nv(tree->bodies[node->body].joint); i++)
    add_scaled(A, vdot[node->v + i], extra->H + 6*i, 6);
}

static void axial_acceleration(PfTreeWork *work, int k, const double *v, const double *vdot, double A[6])
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  double h[6], a[6];
  axial_column(tree, k, h);
  axial_bias(work, k, v, a);
  edge_back(work, k, A);
  edge_back(work, k, A + 3);
  add_scaled(A, 1, a, 6);
  if (vdot) add_scaled(A, vdot[node->v], h, 6);
}

/* M Vdot + b, (12) */
static inline void body_wrench(const Mass *mass, const double w[3], const double A[6], double f[6])
{
  const double *c = mass->mc;
  double Jw[3], Jd[3], gyro[3], swing[3], whirl[3], turn[3];
  sym3_mul(mass->J, w, Jw);
  sym3_mul(mass->J, A, Jd);
  cross3(w, Jw, gyro);
  cross3(A, c, swing);
  centripetal(w, c, whirl);
  cross3(c, A + 3, turn);
  for (int i = 0; i < 3; i++) {
    f[i] = Jd[i] + gyro[i] + turn[i];
    f[3 + i] = mass->m*A[3 + i] + swing[i] + whirl[i];
  }
}

static void sweep_out(PfTreeWork *work, const double *v, const double *vdot, const double *load)
{
  const PfTree *tree = work->tree;
  const double *g = tree->gravity, base[6] = {0, 0, 0, -g[0], -g[1], -g[2]};
  for (int k = 0; k < tree->node_count; k++) {
    const Node *node = &tree->nodes[k];
    const double *Ap = node->parent < 0 ? base : work->A + 6*(size_t)node->parent;
    const double *w = node->parent < 0 ? ZERO : work->kin[node->parent].w;
    double *A = work->A + 6*(size_t)k, *f = work->scratch + 6*(size_t)k, l[3];
    node_length(work, k, l);
    carry_acceleration(Ap, w, l, A);
    if (node->kind == NODE_REVOLUTE) {
      const Kin *kin = &work->kin[k];
      const double rate = v ? v[node->v] : 0;
      edge_back(work, k, A);
      edge_back(work, k, A + 3);
      A[0] += kin->w[1]*rate;
      A[1] -= kin->w[0]*rate;
      A[2] += vdot ? vdot[node->v] : 0;
    } else if (node->kind == NODE_BALL) {
      ball_acceleration(work, node, v, vdot, A);
    } else if (node->extra >= 0) {
      general_acceleration(work, node, vdot, A);
    } else {
      axial_acceleration(work, k, v, vdot, A);
    }
    body_wrench(&tree->masses[k], work->kin[k].w, A, f);
    if (load) add_scaled(f, -1, load + 6*(size_t)k, 6);
  }
}

static void sweep_in(PfTreeWork *work, double *tau)
{
  const PfTree *tree = work->tree;
  for (int k = tree->node_count - 1; k >= 0; k--) {
    const Node *node = &tree->nodes[k];
    double *f = work->scratch + 6*(size_t)k, h[6], l[3], turn[3];
    if (node->kind == NODE_BALL) {
      memcpy(tau + node->v, f, 3*sizeof *tau);
    } else if (node->extra >= 0) {
      const Extra *extra = &work->extras[node->extra];
      for (int i = 0; i < pf_joint_nv(tree->bodies[node->body].joint); i++)
        tau[node->v + i] = dot3(extra->H + 6*i, f) + dot3(extra->H + 6*i + 3, f + 3);
    } else if (node->kind == NODE_REVOLUTE) {
      tau[node->v] = f[2];
    } else {
      axial_column(tree, k, h);
      tau[node->v] = h[2]*f[2] + h[5]*f[5];
    }
    if (node->parent < 0) continue;
    if (node->extra >= 0) {
      turn3(work->extras[node->extra].R, f, f);
      turn3(work->extras[node->extra].R, f + 3, f + 3);
    } else {
      edge_up(work, k, f);
      edge_up(work, k, f + 3);
    }
    double *to = work->scratch + 6*(size_t)node->parent;
    node_length(work, k, l);
    cross3(l, f + 3, turn);
    add3(f, turn);
    add_scaled(to, 1, f, 6);
  }
}

static void take_passive(const PfTree *tree, const double *q, const double *v, double *tau)
{
  for (int k = 0; k < tree->node_count; k++) {
    const Node *node = &tree->nodes[k];
    const Body *body = &tree->bodies[node->body];
    double passive[6];
    if (!(node->flags & NODE_PASSIVE)) continue;
    pf_joint_passive(tree, body, q + node->q, v ? v + node->v : NULL, passive);
    add_scaled(tau + node->v, -1, passive, pf_joint_nv(body->joint));
  }
}

static PfStatus check_forces(const PfTreeWork *work, const double *tau)
{
  const PfTree *tree = work->tree;
  if (!any_bad(tau, tree->nv)) return PF_OK;
  int k = 0;
  while (!any_bad(tau + tree->nodes[k].v, pf_joint_nv(tree->bodies[tree->nodes[k].body].joint))) k++;
  char name[80];
  pf_tree_name(tree, tree->nodes[k].body, name, sizeof name);
  return pf_fail(work->ctx, PF_ERR_NUMBER, "the force of the joint of %s is not finite", name);
}

PfStatus pf_tree_inverse(PfTreeWork *work, const double *q, const double *v, const double *vdot, double *tau)
{
  work->factored = 0;
  pf_tree_sweep_out(work, q, v);
  sweep_out(work, v, vdot, NULL);
  sweep_in(work, tau);
  if (work->tree->springs) take_passive(work->tree, q, v, tau);
  return check_forces(work, tau);
}
