/* Steps along an edge of the tree, shared by all fast sweeps. */
#ifndef PF_SRC_TREE_SWEEP_H
#define PF_SRC_TREE_SWEEP_H

#include "tree/tree_impl.h"

static inline void set_turn(Kin *kin, double angle)
{
  kin->c = cos(angle);
  kin->s = sin(angle);
}

/* A vector of three from the parent to the node, and back up. */
static inline void edge_back(const Edge *edge, const Kin *kin, int flags, double x[3])
{
  if (flags & NODE_TURNED) turn2_back(edge->cf, edge->sf, &x[0], &x[1]);
  turn2_back(edge->ca, edge->sa, &x[1], &x[2]);
  turn2_back(kin->c, kin->s, &x[0], &x[1]);
}

static inline void edge_up(const Edge *edge, const Kin *kin, int flags, double x[3])
{
  turn2(kin->c, kin->s, &x[0], &x[1]);
  turn2(edge->ca, edge->sa, &x[1], &x[2]);
  if (flags & NODE_TURNED) turn2(edge->cf, edge->sf, &x[0], &x[1]);
}

/* The joint point in parent axes. */
static inline void axial_length(const PfTree *tree, int k, const double *q, double l[3])
{
  const Node *node = &tree->nodes[k];
  memcpy(l, tree->edges[k].l, 3*sizeof *l);
  if (node->kind == NODE_REVOLUTE) return;
  const double *slide = tree->slide + 4*(size_t)k;
  add_scaled(l, slide[3]*q[node->q], slide, 3);
}

static inline void node_length(const PfTreeWork *work, int k, const double *q, double l[3])
{
  const Node *node = &work->tree->nodes[k];
  if (node->kind == NODE_GENERAL) memcpy(l, work->extras[node->extra].l, 3*sizeof *l);
  else if (node->kind == NODE_BALL) memcpy(l, work->tree->edges[k].l, 3*sizeof *l);
  else axial_length(work->tree, k, q, l);
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

/* Phi Vdot_lambda and the centripetal part of a_k, in parent axes. */
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

static inline int any_bad(const double *x, int n)
{
  double probe = 0;
  for (int i = 0; i < n; i++) probe += 0*x[i];
  return !(probe == 0);
}

#endif
