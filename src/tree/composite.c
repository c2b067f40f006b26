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

/* E Rz(f) Rx(a) Rz(turn), row by row */
static inline void turn_frame(const Edge *edge, const Kin *kin, int flags, const double Ep[9], double E[9])
{
  for (int i = 0; i < 9; i += 3) {
    double x = Ep[i], y = Ep[i + 1], z = Ep[i + 2];
    if (flags & NODE_TURNED) turn2_back(edge->cf, edge->sf, &x, &y);
    turn2_back(edge->ca, edge->sa, &y, &z);
    turn2_back(kin->c, kin->s, &x, &y);
    E[i] = x, E[i + 1] = y, E[i + 2] = z;
  }
}

static inline void set_frame(const PfTreeWork *work, int k, const Frame *parent, Frame *frame)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  const double *Ep = parent ? parent->E : UNIT;
  double l[3], r[3] = {0}; /* a root is its own reference point */
  if (parent) {
    node_length(work, k, l);
    turn3(Ep, l, r);
    add3(r, parent->r);
  }
  memcpy(frame->r, r, sizeof r);
  if (node->extra >= 0) mul33(Ep, work->extras[node->extra].R, frame->E);
  else turn_frame(&tree->edges[k], &work->kin[k], node->flags, Ep, frame->E);
}

/* J_ref = J_O + (2 r.c + m r.r) 1 - r c^T - c r^T - m r r^T with c = m times the mass centre from O. With
 * d = c + m r/2 the last three are -(r d^T + d r^T), and the trace is 2 r.d. */
static inline void set_composite(const Mass *mass, const Frame *frame, Composite *to)
{
  const double x = frame->r[0], y = frame->r[1], z = frame->r[2], m = mass->m;
  double c[3], J[6];
  turn3(frame->E, mass->mc, c);
  sym3_turn(frame->E, mass->J, J);
  const double a = c[0] + 0.5*m*x, b = c[1] + 0.5*m*y, d = c[2] + 0.5*m*z, ax = a*x, by = b*y, dz = d*z;
  to->J[0] = J[0] + 2*(by + dz);
  to->J[3] = J[3] + 2*(ax + dz);
  to->J[5] = J[5] + 2*(ax + by);
  to->J[1] = J[1] - (x*b + a*y);
  to->J[2] = J[2] - (x*d + a*z);
  to->J[4] = J[4] - (y*d + b*z);
  to->mc[0] = c[0] + m*x, to->mc[1] = c[1] + m*y, to->mc[2] = c[2] + m*z;
  to->m = m;
}

/* Ic h = [J w + mc x v; m v - mc x w] */
static inline void composite_mul(const Composite *I, const double h[6], double f[6])
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

/* The products with all columns of the path; a chain has its rates in the order 0, 1, 2, … */
static inline void put_row(const Path *path, const double f[6], int in_line, double *restrict to)
{
  const int n = path->count;
  const double *restrict a = path->column[0], *restrict b = path->column[1], *restrict c = path->column[2],
               *restrict d = path->column[3], *restrict e = path->column[4], *restrict g = path->column[5];
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4], f5 = f[5];
  if (in_line)
    for (int i = 0; i < n; i++) to[i] = (a[i]*f0 + b[i]*f1 + c[i]*f2) + (d[i]*f3 + e[i]*f4 + g[i]*f5);
  else
    for (int i = 0; i < n; i++) /* parents come before children: this is below the diagonal */
      to[path->dof[i]] = (a[i]*f0 + b[i]*f1 + c[i]*f2) + (d[i]*f3 + e[i]*f4 + g[i]*f5);
}

static inline void put_column(const PfTree *tree, int dof, const double h[6], const Composite *Ic, Path *path, double *M)
{
  double f[6];
  for (int j = 0; j < 6; j++) path->column[j][path->count] = h[j];
  path->dof[path->count++] = dof;
  composite_mul(Ic, h, f);
  put_row(path, f, tree->in_line, M + (size_t)dof*(size_t)tree->nv);
}

static inline void put_node(const PfTreeWork *work, int k, const Frame *frame, const Composite *Ic, Path *path, double *M)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  double H[36], h[6];
  path->count = node->depth;
  if (node->kind == NODE_REVOLUTE) {
    h[0] = frame->E[2], h[1] = frame->E[5], h[2] = frame->E[8];
    cross3(frame->r, h, h + 3);
    put_column(tree, node->v, h, Ic, path, M);
    return;
  }
  const int nv = node_columns(work, k, H);
  for (int i = 0; i < nv; i++) {
    carry_column(frame, H + 6*i, h);
    put_column(tree, node->v + i, h, Ic, path, M);
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
  for (int k = 0; k < tree->node_count; k++) put_node(work, k, &frames[k], &composites[k], &path, M);
  for (size_t i = 0; i < nv; i++)
    if (!isfinite(M[i*nv + i]))
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the inertia matrix is not finite in row %d", (int)i);
  return PF_OK;
}
