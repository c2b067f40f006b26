/* SPDX-License-Identifier: Apache-2.0 */
/* The first sweep outward, 3.1 of docs/spatial.md: rotations, displacements and angular velocities of all nodes, in
 * node axes. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

static const double ZERO[6] = {0};

/* Rotation, angular velocity wk and a_k of a ball joint from the angular velocity w of its parent. */
static void sweep_ball(PfTreeWork *work, const Node *node, const double *q, const double *v, const double *w,
                       double *wk)
{
  Extra *extra = &work->extras[node->extra];
  const Fixed *fixed = &work->tree->fixed[node->extra];
  double quat[4];
  quat_mul(fixed->quat, q + node->q, quat);
  pf_quat_rotation(quat, extra->R);
  turn3_back(extra->R, w, wk);
  if (!v) return;
  const double *rate = v + node->v;
  add3(wk, rate);
  cross3(wk, rate, extra->a); /* (27**) */
}

void pf_tree_place_general(PfTreeWork *work, const Node *node, const double *q, const double *v, const double *w,
                           double *wk)
{
  const Body *body = &work->tree->bodies[node->body];
  const Fixed *fixed = &work->tree->fixed[node->extra];
  Extra *extra = &work->extras[node->extra];
  JointState joint;
  double d[6] = {0}, turn[3];
  pf_joint_state(body, q + node->q, v ? v + node->v : NULL, &joint);
  mul33(fixed->Rt, joint.R, extra->R);
  turn3(fixed->Rt, joint.d, extra->l);
  add3(extra->l, fixed->s);
  for (int i = 0; i < pf_joint_nv(body->joint); i++) {
    double *h = extra->H + 6*i;
    turn3_back(joint.R, joint.H + 6*i, h);
    turn3_back(joint.R, joint.H + 6*i + 3, h + 3);
    if (v) add_scaled(d, v[node->v + i], h, 6);
  }
  turn3_back(extra->R, w, wk);
  cross3(wk, d, extra->a); /* (27*), its centripetal part apart */
  turn3_back(joint.R, joint.hc, turn);
  add3(extra->a, turn);
  cross3(wk, d + 3, extra->a + 3);
  for (int i = 3; i < 6; i++) extra->a[i] *= 2;
  add3(wk, d);
}

/* Turns about z of a block of nodes. */
static void set_turns(PfTreeWork *work, int first, int last, const double *q)
{
  Lanes c, s;
  for (int at = first; at < last; at += LANES) {
    if (!axial_turns(work->tree, at, q, &c, &s)) continue;
    for (int i = 0; i < LANES && at + i < last; i++) {
      work->kin[at + i].c = PF_LANE(c, i);
      work->kin[at + i].s = PF_LANE(s, i);
    }
  }
}

/* Pose and angular velocity of one node from those of its parent. */
static inline void sweep_node(PfTreeWork *work, int k, const double *q, const double *v)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  const double *w = node->parent < 0 ? ZERO : work->kin[node->parent].w;
  Kin *kin = &work->kin[k];
  double x[3] = {w[0], w[1], w[2]};
  switch (node->kind) {
  case NODE_SCREW: work->shifts[k] = tree->slide[4*(size_t)k + 3]*q[node->q]; /* fall through */
  case NODE_REVOLUTE:
    edge_back(work, k, x);
    kin->w[0] = x[0], kin->w[1] = x[1], kin->w[2] = x[2] + (v ? v[node->v] : 0);
    break;
  case NODE_PRISMATIC:
    work->shifts[k] = q[node->q];
    edge_back(work, k, x);
    memcpy(kin->w, x, sizeof x);
    break;
  case NODE_BALL: sweep_ball(work, node, q, v, w, kin->w); break;
  default: pf_tree_place_general(work, node, q, v, w, kin->w); break;
  }
}

/* Rotations and displacements alone: velocities are those at rest and are not kept. */
void pf_tree_place(PfTreeWork *work, const double *q)
{
  const PfTree *tree = work->tree;
  double still[3];
  for (int first = 0; first < tree->node_count; first += BLOCK) {
    const int last = tree->node_count - first < BLOCK ? tree->node_count : first + BLOCK;
    set_turns(work, first, last, q);
    for (int k = first; k < last; k++) {
      const Node *node = &tree->nodes[k];
      if (node->kind == NODE_BALL) sweep_ball(work, node, q, NULL, ZERO, still);
      else if (node->extra >= 0) pf_tree_place_general(work, node, q, NULL, ZERO, still);
      else if (node->kind != NODE_REVOLUTE) work->shifts[k] = q[node->q]*tree->slide[4*(size_t)k + 3];
    }
  }
}

void pf_tree_sweep_out(PfTreeWork *work, const double *q, const double *v)
{
  const int count = work->tree->node_count;
  for (int first = 0; first < count; first += BLOCK) {
    const int last = count - first < BLOCK ? count : first + BLOCK;
    set_turns(work, first, last, q);
    for (int k = first; k < last; k++) sweep_node(work, k, q, v);
  }
}
