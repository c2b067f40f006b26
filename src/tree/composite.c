/* SPDX-License-Identifier: Apache-2.0 */
/* The joint-space inertia matrix. Composite inertias are summed inward in node axes, where a revolute joint finds Ic
 * H as a column of Ic. Then columns of H and of Ic H are taken to the axes and the origin of the root, and an
 * element of M is a scalar product of six numbers, H_j^T (Ic_k H_k), for each j between k and the root. The columns
 * of those lie side by side, one array per component. M does not depend on where the root is: its own joint turns
 * nothing. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

typedef struct Frame {
  double E[9], r[3]; /* node axes to those of the root; origin from that of the root */
} Frame;

/* ---------------------------------------------------------------- inward: composite inertias */

/* S -> Rz S Rz^T */
static inline void sym3_turn_z(double c, double s, double S[6])
{
  turn_pair(turn_squares(c, s), &S[0], &S[1], &S[3]);
  turn2(c, s, &S[2], &S[4]);
}

/* A composite inertia from node axes to those of the parent. */
static inline void turn_composite(const PfTreeWork *work, int k, Mass *I)
{
  const Node *node = &work->tree->nodes[k];
  const Edge *edge = &work->tree->edges[k];
  const Kin *kin = &work->kin[k];
  if (node->extra >= 0) {
    const double *R = work->extras[node->extra].R;
    double J[6];
    memcpy(J, I->J, sizeof J);
    sym3_turn(R, J, I->J);
    turn3(R, I->mc, I->mc);
    return;
  }
  sym3_turn_z(kin->c, kin->s, I->J);
  /* S -> Rx S Rx^T */
  double *S = I->J;
  turn_pair(turn_squares(edge->ca, edge->sa), &S[3], &S[4], &S[5]);
  turn2(edge->ca, edge->sa, &S[1], &S[2]);
  if (node->flags & NODE_TURNED) sym3_turn_z(work->tree->leads[k].c, work->tree->leads[k].s, I->J);
  edge_up(work, k, I->mc);
}

static inline void add_composite(Mass *to, const Mass *more)
{
  for (int i = 0; i < 6; i++) to->J[i] += more->J[i];
  add3(to->mc, more->mc);
  to->m += more->m;
}

/* One node on the way inward. `carried` is what the node after it, its first child if it has any, passes on; other
 * children have left theirs at composites[k]. */
static inline void sum_composite(const PfTreeWork *work, int k, Mass *composites, Mass *carried)
{
  const Node *node = &work->tree->nodes[k];
  Mass I = work->tree->masses[k];
  double l[3];
  if (!(node->flags & NODE_LEAF)) {
    add_composite(&I, carried);
    if (!(node[1].flags & NODE_FIRST)) add_composite(&I, &composites[k]);
  }
  composites[k] = I;
  if (node->parent < 0) return;
  turn_composite(work, k, &I);
  node_length(work, k, l);
  /* From the origin of node k to that of its parent, all in parent axes: with c and d the moments m c before and
   * after it, J' = J + (l.c + l.d) 1 - l c^T - d l^T. */
  const double c[3] = {I.mc[0], I.mc[1], I.mc[2]};
  double *d = I.mc, *J = I.J;
  for (int i = 0; i < 3; i++) d[i] += I.m*l[i];
  const double x = l[0]*c[0] + d[0]*l[0], y = l[1]*c[1] + d[1]*l[1], z = l[2]*c[2] + d[2]*l[2];
  J[0] += y + z;
  J[1] -= l[0]*c[1] + d[0]*l[1];
  J[2] -= l[0]*c[2] + d[0]*l[2];
  J[3] += x + z;
  J[4] -= l[1]*c[2] + d[1]*l[2];
  J[5] += x + y;
  if (node->parent == k - 1) *carried = I;
  else if (node->flags & NODE_FIRST) composites[node->parent] = I;
  else add_composite(&composites[node->parent], &I);
}

/* Ic h = [J w + mc x v; m v - mc x w] */
static void composite_mul(const Mass *I, const double h[6], double f[6])
{
  double swing[3], turn[3];
  sym3_mul(I->J, h, f);
  cross3(I->mc, h + 3, turn);
  cross3(I->mc, h, swing);
  for (int i = 0; i < 3; i++) {
    f[i] += turn[i];
    f[3 + i] = I->m*h[3 + i] - swing[i];
  }
}

/* ---------------------------------------------------------------- outward: frames, columns, rows of M */

/* E Rz(f) Rx(a) Rz(turn), row by row: as vectors go from the parent to the node */
static inline void turn_frame(const PfTreeWork *work, int k, const double Ep[9], double E[9])
{
  for (int i = 0; i < 9; i += 3) {
    double x[3] = {Ep[i], Ep[i + 1], Ep[i + 2]};
    edge_back(work, k, x);
    E[i] = x[0], E[i + 1] = x[1], E[i + 2] = x[2];
  }
}

/* The frame of node k from that of its parent. */
static inline void set_frame(const PfTreeWork *work, int k, const Frame *parent, Frame *frame)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  double l[3];
  node_length(work, k, l);
  turn3(parent->E, l, frame->r);
  add3(frame->r, parent->r);
  if (node->extra >= 0) mul33(parent->E, work->extras[node->extra].R, frame->E);
  else turn_frame(work, k, parent->E, frame->E);
}

/* A column of H to the axes and the origin of the root: the velocity of the point of the body there is v + r x w. */
static inline void carry_column(const Frame *frame, const double h[6], double to[6])
{
  double turn[3];
  turn3(frame->E, h, to);
  turn3(frame->E, h + 3, to + 3);
  cross3(frame->r, to, turn);
  add3(to + 3, turn);
}

/* The columns between a node and its root, one array of `room` per component, and which rates they belong to. */
typedef struct Path {
  double *column[6];
  double *row; /* products with them, on the way */
  int *dof;
  int count;
} Path;

/* The products with all columns of the path. */
static inline void put_products(const Path *path, const double f[6], double *restrict to)
{
  const int n = path->count;
  const double *restrict a = path->column[0], *restrict b = path->column[1], *restrict c = path->column[2],
               *restrict d = path->column[3], *restrict e = path->column[4], *restrict g = path->column[5];
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4], f5 = f[5];
  for (int i = 0; i < n; i++) to[i] = (a[i]*f0 + b[i]*f1 + c[i]*f2) + (d[i]*f3 + e[i]*f4 + g[i]*f5);
}

/* Parents come before children: this is below the diagonal. A chain has its rates in the order 0, 1, 2, …; elsewhere
 * products side by side, and then to where they belong, are faster than one by one. */
static inline void put_row(const Path *path, const double f[6], int in_line, double *to)
{
  if (in_line) {
    put_products(path, f, to);
    return;
  }
  put_products(path, f, path->row);
  for (int i = 0; i < path->count; i++) to[path->dof[i]] = path->row[i];
}

/* A turn about one of the axes of the node: h = [e_i; 0], so that Ic h is a column of Ic. */
static inline void turning_columns(const Frame *frame, const Mass *I, int axis, double h[6], double f[6])
{
  static const int ROW[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double *E = frame->E, *c = I->mc;
  const double moment[3] = {I->J[ROW[axis][0]], I->J[ROW[axis][1]], I->J[ROW[axis][2]]};
  const double forces[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}}; /* e_i x m c */
  double turn[3];
  h[0] = E[axis], h[1] = E[3 + axis], h[2] = E[6 + axis];
  cross3(frame->r, h, h + 3);
  turn3(E, forces[axis], f + 3);
  turn3(E, moment, f);
  cross3(frame->r, f + 3, turn);
  add3(f, turn);
}

/* Adds a column to the path, and the row of M of its rate: products of f = Ic h with all columns so far. */
static inline void put_column(const PfTree *tree, int dof, const double h[6], const double f[6], Path *path, double *M)
{
  for (int j = 0; j < 6; j++) path->column[j][path->count] = h[j];
  path->dof[path->count++] = dof;
  put_row(path, f, tree->in_line, M + (size_t)dof*(size_t)tree->nv);
}

/* The columns of M of one node: its composite inertia times H, carried inward along the path to the root. */
static inline void put_node(const PfTreeWork *work, int k, const Frame *frame, const Mass *Ic, Path *path, double *M)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  double H[36], local[6], h[6], f[6];
  path->count = tree->depths[k];
  if (node->kind == NODE_REVOLUTE) {
    turning_columns(frame, Ic, 2, h, f);
    put_column(tree, node->v, h, f, path, M);
    return;
  }
  const int nv = node_columns(work, k, H);
  for (int i = 0; i < nv; i++) {
    if (node->kind == NODE_BALL && i < 3) {
      turning_columns(frame, Ic, i, h, f);
    } else {
      carry_column(frame, H + 6*i, h);
      composite_mul(Ic, H + 6*i, local);
      /* A wrench to the axes and the origin of the root: the moment there is m + r x f. */
      double turn[3];
      turn3(frame->E, local, f);
      turn3(frame->E, local + 3, f + 3);
      cross3(frame->r, f + 3, turn);
      add3(f, turn);
    }
    put_column(tree, node->v + i, h, f, path, M);
  }
}

/* Composite inertias inward and frames outward: two recursions that have nothing to do with each other, so that each
 * fills the time in which the other waits for its last result. */
static void sweep(PfTreeWork *work, Frame *frames, Mass *composites)
{
  static const Frame ROOT = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
  const PfTree *tree = work->tree;
  Mass carried = {{0}, {0}, 0};
  for (int k = 0; k < tree->node_count; k++) {
    const int parent = tree->nodes[k].parent;
    if (parent < 0) frames[k] = ROOT;
    else set_frame(work, k, &frames[parent], &frames[k]);
    sum_composite(work, tree->node_count - 1 - k, composites, &carried);
  }
}

/* Rows of M below the diagonal, node by node; elements of rates on different branches are zero. */
PfStatus pf_tree_inertia(PfTreeWork *work, const double *q, double *M)
{
  const PfTree *tree = work->tree;
  const size_t nv = (size_t)tree->nv;
  Frame *frames = (Frame *)(void *)work->frames;
  Mass *composites = (Mass *)(void *)work->composites;
  Path path = {.row = work->scratch, .dof = work->path_dofs};
  for (int i = 0; i < 6; i++) path.column[i] = work->rows + (size_t)i*nv;
  work->factored = 0;
  pf_tree_place(work, q);
  sweep(work, frames, composites);
  for (size_t i = 0; !tree->in_line && i < nv; i++) memset(M + i*nv, 0, (i + 1)*sizeof *M);
  for (int k = 0; k < tree->node_count; k++) put_node(work, k, &frames[k], &composites[k], &path, M);
  double probe = 0;
  for (size_t i = 0; i < nv; i++) probe += 0*M[i*nv + i];
  for (size_t i = 0; !(probe == 0) && i < nv; i++)
    if (!isfinite(M[i*nv + i]))
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the inertia matrix is not finite in row %d", (int)i);
  return PF_OK;
}
