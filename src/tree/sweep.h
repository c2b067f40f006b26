/* SPDX-License-Identifier: Apache-2.0 */
/* Steps along an edge of the tree, shared by all fast sweeps. */
#ifndef PF_SRC_TREE_SWEEP_H
#define PF_SRC_TREE_SWEEP_H

#include "tree/tree_impl.h"
#include "tree/turns.h"

/* Nodes that are turned together, before anything is done to them one by one. */
enum { BLOCK = 8 };

/* Cosine and sine of the turns about z of the axial ones among the LANES nodes from `first`; 0, and none, when there
 * are none. */
PF_INLINE int axial_turns(const PfTree *tree, int first, const double *q, Lanes *cosine, Lanes *sine)
{
  Lanes angle = {0};
  int any = 0;
  for (int i = 0; i < LANES && first + i < tree->node_count; i++) {
    const Node *node = &tree->nodes[first + i];
    if (node->extra >= 0) continue;
    PF_LANE(angle, i) = tree->offsets[first + i] + (node->kind == NODE_PRISMATIC ? 0 : q[node->q]);
    any = 1;
  }
  if (any) turn_lanes(angle, cosine, sine);
  return any;
}

/* A vector of three from the parent of an axial node to the node, and back up. */
static inline void edge_back(const PfTreeWork *work, int k, double x[3])
{
  const PfTree *tree = work->tree;
  const Edge *edge = &tree->edges[k];
  const Kin *kin = &work->kin[k];
  if (tree->nodes[k].flags & NODE_TURNED) turn2_back(tree->leads[k].c, tree->leads[k].s, &x[0], &x[1]);
  turn2_back(edge->ca, edge->sa, &x[1], &x[2]);
  turn2_back(kin->c, kin->s, &x[0], &x[1]);
}

/* And from an axial node to its parent. */
static inline void edge_up(const PfTreeWork *work, int k, double x[3])
{
  const PfTree *tree = work->tree;
  const Edge *edge = &tree->edges[k];
  const Kin *kin = &work->kin[k];
  turn2(kin->c, kin->s, &x[0], &x[1]);
  turn2(edge->ca, edge->sa, &x[1], &x[2]);
  if (tree->nodes[k].flags & NODE_TURNED) turn2(tree->leads[k].c, tree->leads[k].s, &x[0], &x[1]);
}

/* The joint point of an axial node in parent axes. */
static inline void axial_length(const PfTreeWork *work, int k, double l[3])
{
  const PfTree *tree = work->tree;
  memcpy(l, tree->edges[k].l, 3*sizeof *l);
  if (tree->nodes[k].kind != NODE_REVOLUTE) add_scaled(l, work->shifts[k], tree->slide + 4*(size_t)k, 3);
}

/* The same of any node. */
static inline void node_length(const PfTreeWork *work, int k, double l[3])
{
  const Node *node = &work->tree->nodes[k];
  if (node->kind == NODE_GENERAL || node->kind == NODE_FREE) memcpy(l, work->extras[node->extra].l, 3*sizeof *l);
  else if (node->kind == NODE_BALL) memcpy(l, work->tree->edges[k].l, 3*sizeof *l);
  else axial_length(work, k, l);
}

/* The column of H of a joint about or along z. */
static inline void axial_column(const PfTree *tree, int k, double h[6])
{
  const int kind = tree->nodes[k].kind;
  memset(h, 0, 6*sizeof *h);
  h[2] = kind != NODE_PRISMATIC;
  if (kind != NODE_REVOLUTE) h[5] = tree->slide[4*(size_t)k + 3];
}

/* Its a_k without the centripetal part: with x = w - h rate the parent's angular velocity in node axes,
 * [x x h rate; 2 x x h rate] = rate (x_y, -x_x, 0) and so on. */
static inline void axial_bias(const PfTreeWork *work, int k, const double *v, double a[6])
{
  const PfTree *tree = work->tree;
  const double *w = work->kin[k].w, rate = v ? v[tree->nodes[k].v] : 0;
  double h[6];
  axial_column(tree, k, h);
  a[0] = w[1]*rate*h[2], a[1] = -w[0]*rate*h[2], a[2] = 0;
  a[3] = 2*w[1]*rate*h[5], a[4] = -2*w[0]*rate*h[5], a[5] = 0;
}

/* Ball joints need their columns only when some of them are prescribed. */
static inline void set_ball_columns(const PfTree *tree, int k, int moving, Extra *extra)
{
  memcpy(extra->l, tree->edges[k].l, sizeof extra->l);
  if (!moving) memset(extra->a, 0, 3*sizeof *extra->a);
  memset(extra->a + 3, 0, 3*sizeof *extra->a);
  memset(extra->H, 0, 18*sizeof *extra->H);
  for (int i = 0; i < 3; i++) extra->H[7*i] = 1;
}

/* The columns of H of any node, in node axes; returns how many. */
static inline int node_columns(const PfTreeWork *work, int k, double H[36])
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  if (node->extra < 0) return axial_column(tree, k, H), 1;
  const int nv = pf_joint_nv(tree->bodies[node->body].joint);
  if (node->kind != NODE_BALL) return memcpy(H, work->extras[node->extra].H, 6*(size_t)nv*sizeof *H), nv;
  memset(H, 0, 18*sizeof *H);
  for (int i = 0; i < 3; i++) H[7*i] = 1;
  return nv;
}

/* A vector of three from any node to parent axes. */
static inline void node_up(const PfTreeWork *work, int k, double x[3])
{
  const Node *node = &work->tree->nodes[k];
  if (node->extra >= 0) turn3(work->extras[node->extra].R, x, x);
  else edge_up(work, k, x);
}

/* And from the parent to the node. */
static inline void node_back(const PfTreeWork *work, int k, double x[3])
{
  const Node *node = &work->tree->nodes[k];
  if (node->extra >= 0) turn3_back(work->extras[node->extra].R, x, x);
  else edge_back(work, k, x);
}

/* A = Phi Vdot_lambda and the centripetal part of a_k, in parent axes; A may be Ap. */
static inline void carry_acceleration(const double Ap[6], const double w[3], const double l[3], double A[6])
{
  double u[3], swing[3];
  centripetal(w, l, u);
  cross3(Ap, l, swing);
  for (int i = 0; i < 3; i++) {
    A[i] = Ap[i];
    A[3 + i] = Ap[3 + i] + swing[i] + u[i];
  }
}

/* Fetches data of a node that comes `FETCH_AHEAD` later: processors foresee that themselves, but not across the borders
 * of pages, and on long chains each sweep crosses one every few nodes. */
#if defined __GNUC__
#define PF_FETCH(at) __builtin_prefetch(at)
#else
#define PF_FETCH(at) ((void)(at))
#endif
enum { FETCH_AHEAD = 24 };

static inline void fetch(const PfTreeWork *work, int node, int dof)
{
  PF_FETCH(&work->tree->nodes[node]);
  PF_FETCH(&work->tree->edges[node]);
  PF_FETCH(&work->kin[node]);
  PF_FETCH(&work->dofs[dof]);
}

/* Before node k on the way inward. */
static inline void fetch_inward(const PfTreeWork *work, int k)
{
  const int node = k > FETCH_AHEAD ? k - FETCH_AHEAD : 0, v = work->tree->nodes[k].v;
  fetch(work, node, v > FETCH_AHEAD ? v - FETCH_AHEAD : 0);
  PF_FETCH(&work->tree->masses[node]);
}

/* Before node k on the way outward. */
static inline void fetch_outward(const PfTreeWork *work, int k)
{
  const PfTree *tree = work->tree;
  const int v = tree->nodes[k].v;
  const int node = k + FETCH_AHEAD < tree->node_count ? k + FETCH_AHEAD : k;
  fetch(work, node, v + FETCH_AHEAD < tree->nv ? v + FETCH_AHEAD : v);
}

/* Is one of n numbers not finite? */
static inline int any_bad(const double *x, int n)
{
  double probe[4] = {0}; /* four sums, none of which waits for another */
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int j = 0; j < 4; j++) probe[j] += 0*x[i + j];
  for (; i < n; i++) probe[0] += 0*x[i];
  return !((probe[0] + probe[1]) + (probe[2] + probe[3]) == 0);
}

/* Has it more children than the one that follows it in the array? */
static inline int has_branches(const Node *node)
{
  return !(node->flags & NODE_LEAF) && !(node[1].flags & NODE_FIRST);
}

#endif
