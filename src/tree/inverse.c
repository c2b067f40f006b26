/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse dynamics: all motions known, forces sought. Newton and Euler outward, wrenches inward. With K = wdot^x +
 * w^x w^x the acceleration of a point x of a body is vdot + K x: for its children's joints, its mass centre and, by
 * the second moment of mass S, the moment of its inertial forces, whose components are those of K S less its transpose.
 *
 * Motions go from node to node and are done one by one, in blocks; turns and inertial forces of the nodes of a block
 * have nothing to do with each other and are done LANES at once (lanes.h). */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

enum { GROUPS = BLOCK/LANES }; /* in a block */

typedef struct Motion {
  double w[3], d[3], a[3]; /* angular velocity, angular acceleration, acceleration of O_k; in node axes */
  double K[9];
} Motion;

/* The motions of a block, as inertial forces want them. */
typedef struct Inert {
  Lanes K[GROUPS][9], a[GROUPS][3];
} Inert;

typedef struct Known {
  const double *q, *v, *vdot; /* the last two may be NULL */
} Known;

/* ---------------------------------------------------------------- turns */

/* Rz(f) Rx(a) Rz(angle) */
PF_INLINE void turn_group(const Pack *pack, Lanes c, Lanes s, Lanes R[9])
{
  const Lanes *t = pack->turn;
  R[0] = c*t[0] + s*t[2], R[1] = c*t[2] - s*t[0], R[2] = t[5];
  R[3] = c*t[1] + s*t[3], R[4] = c*t[3] - s*t[1], R[5] = t[6];
  R[6] = s*t[4], R[7] = c*t[4], R[8] = t[7];
}

/* The quaternions of the ball joints among the LANES nodes from `first`, and ones in their lanes of `mask`; how many
 * there are. */
PF_INLINE int ball_quats(const PfTree *tree, int first, const double *q, Lanes quat[4], LaneBits *mask)
{
  const Lanes none = {0};
  const LaneBits no = {0};
  int balls = 0;
  *mask = no;
  quat[0] = none + 1, quat[1] = quat[2] = quat[3] = none;
  for (int i = 0; i < LANES && first + i < tree->node_count; i++) {
    const Node *node = &tree->nodes[first + i];
    if (node->kind != NODE_BALL) continue;
    for (int j = 0; j < 4; j++) PF_LANE(quat[j], i) = q[node->q + j];
    PF_LANE(*mask, i) = UINT64_MAX;
    balls++;
  }
  return balls;
}

/* quat_mul and pf_quat_rotation, with the placement in the first four of `turn` */
PF_INLINE void turn_balls(const Pack *pack, const Lanes q[4], Lanes R[9])
{
  const Lanes *p = pack->turn;
  const Lanes w = p[0]*q[0] - p[1]*q[1] - p[2]*q[2] - p[3]*q[3], x = p[0]*q[1] + p[1]*q[0] + p[2]*q[3] - p[3]*q[2],
              y = p[0]*q[2] + p[2]*q[0] + p[3]*q[1] - p[1]*q[3], z = p[0]*q[3] + p[3]*q[0] + p[1]*q[2] - p[2]*q[1];
  const Lanes k = 2/(w*w + x*x + y*y + z*z);
  R[0] = 1 - k*(y*y + z*z), R[1] = k*(x*y - w*z), R[2] = k*(x*z + w*y);
  R[3] = k*(x*y + w*z), R[4] = 1 - k*(x*x + z*z), R[5] = k*(y*z - w*x);
  R[6] = k*(x*z - w*y), R[7] = k*(y*z + w*x), R[8] = 1 - k*(x*x + y*y);
}

/* Of the nodes of a block; free and general joints are left to their motion, which overwrites what is here. */
static void turn_nodes(PfTreeWork *work, int first, int last, const double *q)
{
  const PfTree *tree = work->tree;
  const LaneBits plus = {0};
  Lanes c, s, quat[4], R[9];
  LaneBits mask;
  for (int k = first; k < last; k += LANES) {
    const Pack *pack = &tree->packs[lane_group(k)];
    Effort *effort = &work->efforts[lane_group(k)];
    const int balls = ball_quats(tree, k, q, quat, &mask);
    if (balls < LANES && axial_turns(tree, k, q, &c, &s)) turn_group(pack, c, s, effort->R);
    if (balls) {
      turn_balls(pack, quat, R);
      for (int i = 0; i < 9; i++) effort->R[i] = balls < LANES ? choose(mask, R[i], effort->R[i], plus) : R[i];
    }
    for (int i = 0; i < 3; i++) effort->l[i] = pack->l[i];
  }
}

/* Rotation and joint point of node k, as numbers of its lane. */
static inline void put_turn(Effort *effort, int k, const double R[9], const double l[3])
{
  for (int i = 0; i < 9; i++) of_lane(effort->R, k)[i*LANES] = R[i];
  for (int i = 0; i < 3; i++) of_lane(effort->l, k)[i*LANES] = l[i];
}

/* ---------------------------------------------------------------- outward: motions */

/* K = d^x + w^x w^x of a motion. */
PF_INLINE void spread(Motion *m)
{
  const double *w = m->w, *d = m->d;
  const double xx = w[0]*w[0], yy = w[1]*w[1], zz = w[2]*w[2], xy = w[0]*w[1], xz = w[0]*w[2], yz = w[1]*w[2];
  m->K[0] = -(yy + zz), m->K[1] = xy - d[2], m->K[2] = xz + d[1];
  m->K[3] = xy + d[2], m->K[4] = -(xx + zz), m->K[5] = yz - d[0];
  m->K[6] = xz - d[1], m->K[7] = yz + d[0], m->K[8] = -(xx + yy);
}

/* c = R^T a, with R of one lane */
PF_INLINE void lane_back(const double *R, const double a[3], double c[3])
{
  const double x = R[0]*a[0] + R[3*LANES]*a[1] + R[6*LANES]*a[2],
               y = R[LANES]*a[0] + R[4*LANES]*a[1] + R[7*LANES]*a[2],
               z = R[2*LANES]*a[0] + R[5*LANES]*a[1] + R[8*LANES]*a[2];
  c[0] = x, c[1] = y, c[2] = z;
}

/* c = R a, with R of one lane */
PF_INLINE void lane_up(const double *R, const double a[3], double c[3])
{
  const double x = R[0]*a[0] + R[LANES]*a[1] + R[2*LANES]*a[2],
               y = R[3*LANES]*a[0] + R[4*LANES]*a[1] + R[5*LANES]*a[2],
               z = R[6*LANES]*a[0] + R[7*LANES]*a[1] + R[8*LANES]*a[2];
  c[0] = x, c[1] = y, c[2] = z;
}

/* From the parent to the node as if it were welded on. */
PF_INLINE void carry_motion(Effort *effort, int k, Motion *m)
{
  const double *R = of_lane(effort->R, k), *l = of_lane(effort->l, k);
  double swing[3];
  turn3(m->K, (const double[]){l[0], l[LANES], l[2*LANES]}, swing);
  add3(m->a, swing);
  lane_back(R, m->w, m->w);
  lane_back(R, m->d, m->d);
  lane_back(R, m->a, m->a);
}

/* A joint that slides along `axis` of the parent: [2 w x h rate; h vdot] of a_k, before the turn. */
PF_INLINE void slide(const double axis[3], double rate, double change, Motion *m)
{
  double turn[3];
  cross3(m->w, axis, turn);
  for (int i = 0; i < 3; i++) m->a[i] += 2*rate*turn[i] + change*axis[i];
}

/* A joint that turns about z: [rate; w x rate + change] in node axes. */
PF_INLINE void spin(double rate, double change, Motion *m)
{
  m->w[2] += rate;
  m->d[0] += m->w[1]*rate;
  m->d[1] -= m->w[0]*rate;
  m->d[2] += change;
}

/* A ball joint; `rate` and `change` may be NULL. */
PF_INLINE void spin3(const double *rate, const double *change, Motion *m)
{
  double turn[3];
  if (rate) {
    add3(m->w, rate);
    cross3(m->w, rate, turn);
    add3(m->d, turn);
  }
  if (change) add3(m->d, change);
}

/* The motion of a node with a prismatic or screw joint. */
PF_INLINE void move_sliding(PfTreeWork *work, int k, Known x, Motion *m)
{
  const Node *node = &work->tree->nodes[k];
  const double *axis = work->tree->slide + 4*(size_t)k, pitch = axis[3];
  const double rate = x.v ? x.v[node->v] : 0, change = x.vdot ? x.vdot[node->v] : 0;
  Effort *effort = &work->efforts[lane_group(k)];
  for (int i = 0; i < 3; i++) of_lane(effort->l, k)[i*LANES] += pitch*x.q[node->q]*axis[i];
  slide(axis, pitch*rate, pitch*change, m);
  carry_motion(effort, k, m);
  if (node->kind == NODE_SCREW) spin(rate, change, m);
}

/* Motion of a node with a free joint. */
static void move_free(PfTreeWork *work, int k, Known x, Motion *m)
{
  static const double NONE[3] = {0};
  const Node *node = &work->tree->nodes[k];
  const Fixed *fixed = &work->tree->fixed[node->extra];
  const double *rate = x.v ? x.v + node->v : NULL, *change = x.vdot ? x.vdot + node->v : NULL;
  double quat[4], R[9], l[3], u[3], turn[3];
  quat_mul(fixed->quat, x.q + node->q, quat);
  pf_quat_rotation(quat, R);
  turn3(fixed->Rt, x.q + node->q + 4, l);
  add3(l, fixed->s);
  put_turn(&work->efforts[lane_group(k)], k, R, l);
  turn3(fixed->Rt, rate ? rate + 3 : NONE, u);
  cross3(m->w, u, turn);
  add_scaled(m->a, 2, turn, 3);
  turn3(fixed->Rt, change ? change + 3 : NONE, u);
  add3(m->a, u);
  carry_motion(&work->efforts[lane_group(k)], k, m);
  spin3(rate, change, m);
}

/* Motion of a node with any other joint. */
static void move_general(PfTreeWork *work, int k, Known x, Motion *m)
{
  const Node *node = &work->tree->nodes[k];
  Extra *extra = &work->extras[node->extra];
  double w[3];
  pf_tree_place_general(work, node, x.q, x.v, m->w, w);
  put_turn(&work->efforts[lane_group(k)], k, extra->R, extra->l);
  carry_motion(&work->efforts[lane_group(k)], k, m);
  memcpy(m->w, w, sizeof w);
  add3(m->d, extra->a);
  add3(m->a, extra->a + 3);
  for (int i = 0; x.vdot && i < pf_joint_nv(work->tree->bodies[node->body].joint); i++) {
    add_scaled(m->d, x.vdot[node->v + i], extra->H + 6*i, 3);
    add_scaled(m->a, x.vdot[node->v + i], extra->H + 6*i + 3, 3);
  }
}

static Motion move_other(PfTreeWork *work, int k, Known x, Motion m)
{
  if (work->tree->nodes[k].kind == NODE_FREE) move_free(work, k, x, &m);
  else move_general(work, k, x, &m);
  return m;
}

/* The motion stays in registers unless the joint is one of the others. */
PF_INLINE void move_node(PfTreeWork *work, int k, Known x, Motion *m)
{
  const Node *node = &work->tree->nodes[k];
  Effort *effort = &work->efforts[lane_group(k)];
  if (node->kind == NODE_REVOLUTE) {
    carry_motion(effort, k, m);
    spin(x.v ? x.v[node->v] : 0, x.vdot ? x.vdot[node->v] : 0, m);
  } else if (node->kind == NODE_BALL) {
    carry_motion(effort, k, m);
    spin3(x.v ? x.v + node->v : NULL, x.vdot ? x.vdot + node->v : NULL, m);
  } else if (node->extra < 0) {
    move_sliding(work, k, x, m);
  } else {
    *m = move_other(work, k, x, *m);
  }
  spread(m);
}

/* Keeps a motion that more than one child needs. */
PF_INLINE void keep(PfTreeWork *work, int k, const Motion *m)
{
  double *w = work->kin[k].w, *A = work->A + 6*(size_t)k;
  for (int i = 0; i < 3; i++) w[i] = m->w[i], A[i] = m->d[i], A[3 + i] = m->a[i];
}

/* The motion of node k as it was kept, or of the base (-1), which accelerates upwards in place of gravity. */
PF_INLINE void resume(const PfTreeWork *work, int k, Motion *m)
{
  const double *g = work->tree->gravity, base[6] = {0, 0, 0, -g[0], -g[1], -g[2]};
  const double *w = k < 0 ? base : work->kin[k].w, *A = k < 0 ? base : work->A + 6*(size_t)k;
  for (int i = 0; i < 3; i++) m->w[i] = w[i], m->d[i] = A[i], m->a[i] = A[3 + i];
  spread(m);
}

/* ---------------------------------------------------------------- outward: inertial forces */

/* [integral of x x (vdot + K x); m vdot + K mc], (12) */
PF_INLINE void group_wrench(const Pack *pack, const Lanes *K, const Lanes *a, Lanes *f)
{
  const Lanes *S = pack->S, *c = pack->mc;
  const Lanes x = (K[6]*S[1] - K[3]*S[2]) + (K[7]*S[3] - K[5]*S[5]) + S[4]*(K[8] - K[4]);
  const Lanes y = (K[1]*S[4] - K[7]*S[1]) + (K[2]*S[5] - K[6]*S[0]) + S[2]*(K[0] - K[8]);
  const Lanes z = (K[5]*S[2] - K[2]*S[4]) + (K[3]*S[0] - K[1]*S[3]) + S[1]*(K[4] - K[0]);
  f[0] = x + (c[1]*a[2] - c[2]*a[1]);
  f[1] = y + (c[2]*a[0] - c[0]*a[2]);
  f[2] = z + (c[0]*a[1] - c[1]*a[0]);
  for (int i = 0; i < 3; i++)
    f[3 + i] = pack->m*a[i] + (K[3*i]*c[0] + K[3*i + 1]*c[1] + K[3*i + 2]*c[2]);
}

/* ---------------------------------------------------------------- outward: a block at a time */

/* The motions of `count` nodes from `first` on, one by one, and their K and a by lanes. */
PF_INLINE void move_block(PfTreeWork *work, int first, int count, Known x, Motion *m, Inert *inert)
{
  const Lanes none = {0};
  for (int i = 0; i < 9 && count%LANES; i++) inert->K[count/LANES][i] = none; /* lanes without a node */
  for (int i = 0; i < 3 && count%LANES; i++) inert->a[count/LANES][i] = none;
  for (int i = 0; i < count; i++) {
    const int k = first + i;
    const Node *node = &work->tree->nodes[k];
    if (node->parent != k - 1) resume(work, node->parent, m);
    move_node(work, k, x, m);
    if (has_branches(node)) keep(work, k, m);
    double *K = of_lane(inert->K[lane_group(i)], i), *a = of_lane(inert->a[lane_group(i)], i);
    for (int j = 0; j < 9; j++) K[j*LANES] = m->K[j];
    for (int j = 0; j < 3; j++) a[j*LANES] = m->a[j];
  }
}

/* ---------------------------------------------------------------- inward */

/* The forces of one joint: f in node axes, up the same in parent axes. */
static void other_forces(const PfTreeWork *work, int k, const double f[6], const double up[6], double *tau)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  const double *axis = tree->slide + 4*(size_t)k;
  switch (node->kind) {
  case NODE_PRISMATIC: tau[0] = axis[3]*dot3(axis, up + 3); return;
  case NODE_SCREW: tau[0] = f[2] + axis[3]*dot3(axis, up + 3); return;
  case NODE_FREE:
    memcpy(tau, f, 3*sizeof *tau);
    turn3_back(tree->fixed[node->extra].Rt, up + 3, tau + 3);
    return;
  default: break;
  }
  const Extra *extra = &work->extras[node->extra];
  for (int i = 0; i < pf_joint_nv(tree->bodies[node->body].joint); i++)
    tau[i] = dot3(extra->H + 6*i, f) + dot3(extra->H + 6*i + 3, f + 3);
}

/* Forces inward: each node passes its wrench to its parent, and the joint takes the component along H. */
static void sweep_in(PfTreeWork *work, double *tau)
{
  const PfTree *tree = work->tree;
  double carried[6] = {0}; /* from the node after this one, when that is a child */
  for (int k = tree->node_count - 1; k >= 0; k--) {
    const Node *node = &tree->nodes[k];
    Effort *effort = &work->efforts[lane_group(k)];
    const double *own = of_lane(effort->f, k), *R = of_lane(effort->R, k), *at = of_lane(effort->l, k);
    const double l[3] = {at[0], at[LANES], at[2*LANES]};
    double f[6], up[6], turn[3];
    for (int i = 0; i < 6; i++) f[i] = own[i*LANES] + carried[i];
    lane_up(R, f, up);
    lane_up(R, f + 3, up + 3);
    if (node->kind == NODE_REVOLUTE) tau[node->v] = f[2];
    else if (node->kind == NODE_BALL) memcpy(tau + node->v, f, 3*sizeof *tau);
    else other_forces(work, k, f, up, tau + node->v);
    cross3(l, up + 3, turn);
    add3(up, turn);
    const int along = node->parent == k - 1;
    for (int i = 0; i < 6; i++) carried[i] = along ? up[i] : 0;
    if (along || node->parent < 0) continue;
    double *to = of_lane(work->efforts[lane_group(node->parent)].f, node->parent);
    for (int i = 0; i < 6; i++) to[i*LANES] += up[i];
  }
}

PfStatus pf_tree_inverse(PfTreeWork *work, const double *q, const double *v, const double *vdot, double *tau)
{
  const PfTree *tree = work->tree;
  work->factored = 0;
  /* Motions and inertial forces of all nodes, outward. */
  Known x = (Known){q, v, vdot};
  Inert inert;
  Motion m;
  resume(work, -1, &m);
  for (int first = 0; first < tree->node_count; first += BLOCK) {
    const int count = tree->node_count - first < BLOCK ? tree->node_count - first : BLOCK;
    const Pack *packs = &tree->packs[lane_group(first)];
    Effort *efforts = &work->efforts[lane_group(first)];
    turn_nodes(work, first, first + count, x.q);
    move_block(work, first, count, x, &m, &inert);
    for (int g = 0; g*LANES < count; g++) group_wrench(&packs[g], inert.K[g], inert.a[g], efforts[g].f);
  }
  sweep_in(work, tau);
  for (int k = 0; tree->springs && k < tree->node_count; k++) {
    const Node *node = &tree->nodes[k];
    const Body *body = &tree->bodies[node->body];
    double passive[6];
    if (!(node->flags & NODE_PASSIVE)) continue;
    pf_joint_passive(tree, body, q + node->q, v ? v + node->v : NULL, passive);
    add_scaled(tau + node->v, -1, passive, pf_joint_nv(body->joint));
  }
  if (!any_bad(tau, tree->nv)) return PF_OK;
  int k = 0;
  while (!any_bad(tau + tree->nodes[k].v, pf_joint_nv(tree->bodies[tree->nodes[k].body].joint))) k++;
  return pf_fail(work->ctx, PF_ERR_NUMBER, "the force of the joint of %s is not finite",
                 pf_body_name(tree, tree->nodes[k].body).text);
}
