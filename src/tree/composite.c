/* The joint-space inertia matrix. Composite inertias and columns of H are taken in inertial axes at one point per tree, the
 * origin of its root: there composites just add up, and an element of M is a scalar product of six numbers,
 * H_j^T (Ic_k H_k), for each j between k and the root. The columns of those lie side by side, one array per component. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

/* Inertia at the reference point: J (6), m c (3), m */
typedef struct Composite {
  double J[6], mc[3], m;
} Composite;

typedef struct Frame {
  double E[9], r[3]; /* node to inertial axes; origin from the reference point */
} Frame;

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void turn_columns_z(double c, double s, double E[9]) /* E Rz */
{
  for (int i = 0; i < 9; i += 3) turn2_back(c, s, &E[i], &E[i + 1]);
}

static void turn_columns_x(double c, double s, double E[9])
{
  for (int i = 0; i < 9; i += 3) turn2_back(c, s, &E[i + 1], &E[i + 2]);
}

static void set_frame(const PfTreeWork *work, int k, const Frame *parent, Frame *frame)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  const Edge *edge = &tree->edges[k];
  const double *Ep = parent ? parent->E : UNIT;
  double l[3];
  memset(frame->r, 0, sizeof frame->r); /* a root is its own reference point */
  if (parent) {
    node_length(work, k, l);
    turn3(Ep, l, frame->r);
    add3(frame->r, parent->r);
  }
  if (node->extra >= 0) {
    mul33(Ep, work->extras[node->extra].R, frame->E);
    return;
  }
  memcpy(frame->E, Ep, sizeof frame->E);
  if (node->flags & NODE_TURNED) turn_columns_z(edge->cf, edge->sf, frame->E);
  turn_columns_x(edge->ca, edge->sa, frame->E);
  turn_columns_z(work->kin[k].c, work->kin[k].s, frame->E);
}

/* From O_k to the reference point, with c the new mc: J' = J - m (…) written with mc and r only. */
static void set_composite(const Mass *mass, const Frame *frame, Composite *to)
{
  const double *r = frame->r, m = mass->m;
  double c[3];
  turn3(frame->E, mass->mc, c);
  sym3_turn(frame->E, mass->J, to->J);
  /* J_ref = J_O + (2 r.c + m r.r) 1 - r c^T - c r^T - m r r^T */
  const double trace = 2*dot3(r, c) + m*dot3(r, r);
  for (int i = 0, at = 0; i < 3; i++)
    for (int j = i; j < 3; j++, at++) to->J[at] += (i == j ? trace : 0) - r[i]*c[j] - c[i]*r[j] - m*r[i]*r[j];
  for (int i = 0; i < 3; i++) to->mc[i] = c[i] + m*r[i];
  to->m = m;
}

/* Ic h = [J w + mc x v; m v - mc x w] */
static void composite_mul(const Composite *I, const double h[6], double f[6])
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

/* A column of H to inertial axes and the reference point. */
static void carry_column(const Frame *frame, const double h[6], double to[6])
{
  double turn[3];
  turn3(frame->E, h, to);
  turn3(frame->E, h + 3, to + 3);
  cross3(to, frame->r, turn); /* velocity of the point of the body at the reference point: v - w x r */
  for (int i = 0; i < 3; i++) to[3 + i] -= turn[i];
}

/* The columns between a node and its root, one array of `room` per component, and which rates they belong to. */
typedef struct Path {
  double *column[6];
  int *dof;
  int count;
} Path;

static void put_row(const Path *path, const double f[6], int row, int nv, int contiguous, double *M)
{
  double *to = M + (size_t)row*(size_t)nv;
  const int n = path->count;
  const double *restrict a = path->column[0], *restrict b = path->column[1], *restrict c = path->column[2],
               *restrict d = path->column[3], *restrict e = path->column[4], *restrict g = path->column[5];
  if (contiguous) { /* a chain: the rates of the path are 0, 1, 2, … */
    for (int i = 0; i < n; i++) to[i] = a[i]*f[0] + b[i]*f[1] + c[i]*f[2] + d[i]*f[3] + e[i]*f[4] + g[i]*f[5];
    return;
  }
  for (int i = 0; i < n; i++) {
    const double x = a[i]*f[0] + b[i]*f[1] + c[i]*f[2] + d[i]*f[3] + e[i]*f[4] + g[i]*f[5];
    to[path->dof[i]] = x; /* parents come before children: this is below the diagonal */
  }
}

static void put_node(const PfTreeWork *work, int k, const Frame *frame, const Composite *Ic, Path *path, double *M)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  double H[36];
  const int nv = node_columns(work, k, H), start = path->count;
  for (int i = 0; i < nv; i++) {
    double h[6], f[6];
    carry_column(frame, H + 6*i, h);
    for (int j = 0; j < 6; j++) path->column[j][start + i] = h[j];
    path->dof[start + i] = node->v + i;
    path->count = start + i + 1;
    composite_mul(Ic, h, f);
    put_row(path, f, node->v + i, tree->nv, tree->in_line, M);
  }
}

PfStatus pf_tree_inertia(PfTreeWork *work, const double *q, double *M)
{
  const PfTree *tree = work->tree;
  const size_t nv = (size_t)tree->nv;
  Frame *frames = (Frame *)(void *)work->frames;
  Composite *composites = (Composite *)(void *)work->composites;
  Path path = {.dof = work->path_dofs};
  for (int i = 0; i < 6; i++) path.column[i] = work->rows + (size_t)i*nv;
  work->factored = 0;
  pf_tree_sweep_out(work, q, NULL);
  for (int k = 0; k < tree->node_count; k++) {
    const int parent = tree->nodes[k].parent;
    set_frame(work, k, parent < 0 ? NULL : &frames[parent], &frames[k]);
    set_composite(&tree->masses[k], &frames[k], &composites[k]);
  }
  for (int k = tree->node_count - 1; k >= 0; k--)
    if (tree->nodes[k].parent >= 0) {
      const double *from = (const double *)&composites[k];
      double *to = (double *)&composites[tree->nodes[k].parent];
      for (int i = 0; i < 10; i++) to[i] += from[i];
    }
  for (size_t i = 0; !tree->in_line && i < nv; i++) memset(M + i*nv, 0, (i + 1)*sizeof *M);
  for (int k = 0; k < tree->node_count; k++) {
    path.count = tree->nodes[k].depth;
    put_node(work, k, &frames[k], &composites[k], &path, M);
  }
  for (size_t i = 0; i < nv; i++)
    if (!isfinite(M[i*nv + i]))
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the inertia matrix is not finite in row %d", (int)i);
  return PF_OK;
}
