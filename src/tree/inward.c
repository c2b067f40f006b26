/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep inward, 3.2 of docs/spatial.md: articulated inertias P and forces z.
 *
 * Everything is in node axes. The centripetal part w x (w x l) of a_k is applied on the side of the parent, where w and
 * l are at hand. Joints of several degrees of freedom are eliminated one by one: after dof i, f = P_i A_i + z_i with
 * P_i = P - U U^T/D and z_i = z + U (T - h.z)/D, which is (86) and (89) without D^-1 of a matrix. */
#include "tree/forward.h"
#include "tree/sweep.h"

#include <float.h>

/* A pivot counts as zero when it is this small against the inertia it is taken from, and against the parts that joints
 * further out have taken: three slides leave nothing of a mass but rounding. */
static const double PIVOT_TOLERANCE = 64*DBL_EPSILON;

/* Sums of a child, on top of those of the others. */
static inline void add_sum(Sum *to, const Sum *more)
{
  const double *from = (const double *)more;
  double *at = (double *)to;
  for (size_t i = 0; i < sizeof *to/sizeof(double); i++) at[i] += from[i];
}

/* P_k and z_k: the body itself, (77)-(79), its load, and the sums of its children. The first of them comes right before
 * on the way inward, so that its sum is at hand; the others have left theirs in a slot. */
PF_INLINE void begin(const PfTreeWork *work, int k, const double *load, Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  const Mass *mass = &work->tree->masses[k];
  const double *w = work->kin[k].w, *c = mass->mc;
  double Jw[3];
  if (node->flags & NODE_LEAF) memset(sum, 0, sizeof *sum);
  else if (has_branches(node)) add_sum(sum, &work->sums[node->slot]);
  Sym6 *P = &sum->P;
  for (int i = 0; i < 6; i++) P->J[i] += mass->J[i];
  P->B[1] -= c[2], P->B[2] += c[1], P->B[3] += c[2], P->B[5] -= c[0], P->B[6] -= c[1], P->B[7] += c[0];
  P->M[0] += mass->m, P->M[3] += mass->m, P->M[5] += mass->m;
  sym3_mul(mass->J, w, Jw);
  double gyro[3], whirl[3];
  cross3(w, Jw, gyro);
  centripetal(w, c, whirl);
  add3(sum->z, gyro);
  add3(sum->z + 3, whirl);
  if (load) add_scaled(sum->z, -1, load + 6*(size_t)k, 6);
}

/* To the point and the axes of the parent are done: into its sums, unless it comes next. */
static inline void finish(PfTreeWork *work, const Node *node, const Sum *sum)
{
  const Node *parent = &work->tree->nodes[node->parent];
  if (parent == node - 1) return;
  if (node->flags & NODE_FIRST) work->sums[parent->slot] = *sum;
  else add_sum(&work->sums[parent->slot], sum);
}

/* The last of a_k, then Phi^T: all in parent axes. */
PF_INLINE void shift_to_parent(const PfTreeWork *work, const Node *node, const double l[3], Sum *sum)
{
  const double *w = work->kin[node->parent].w;
  double u[3], turn[3], push[3];
  centripetal(w, l, u);
  turn3(sum->P.B, u, turn);
  sym3_mul(sum->P.M, u, push);
  add3(sum->z, turn);
  add3(sum->z + 3, push);
  cross3(l, sum->z + 3, turn);
  add3(sum->z, turn);
  sym6_shift(l, &sum->P);
}

/* To the axes and the point of the parent, over any joint: X -> R X R^T, then the shift. */
static void general_to_parent(PfTreeWork *work, const Node *node, const double R[9], const double l[3], Sum *sum)
{
  sym6_turn(R, &sum->P);
  turn3(R, sum->z, sum->z);
  turn3(R, sum->z + 3, sum->z + 3);
  shift_to_parent(work, node, l, sum);
  finish(work, node, sum);
}

/* The same over an axial joint, by turns about z and x. */
static void axial_to_parent(PfTreeWork *work, int k, Sum *sum)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  const Edge *edge = &tree->edges[k];
  const Kin *kin = &work->kin[k];
  double l[3];
  sym6_turn_z(kin->c, kin->s, &sum->P);
  sym6_turn_x(edge->ca, edge->sa, &sum->P);
  if (node->flags & NODE_TURNED) sym6_turn_z(work->tree->leads[k].c, work->tree->leads[k].s, &sum->P);
  edge_up(work, k, sum->z);
  edge_up(work, k, sum->z + 3);
  axial_length(work, k, l);
  shift_to_parent(work, node, l, sum);
  finish(work, node, sum);
}

/* A revolute joint whose motion is sought: U is a column of P, and the row of P that belongs to it becomes zero. */
PF_INLINE int revolute_in(PfTreeWork *work, int k, double T, const double *v, Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  const Edge *edge = &work->tree->edges[k];
  const Kin *kin = &work->kin[k];
  Dof *dof = &work->dofs[node->v];
  double *J = sum->P.J, *B = sum->P.B, *M = sum->P.M, *z = sum->z;
  const double D = J[5], d = 1/D, ux = J[2], uy = J[4], bx = B[6], by = B[7], bz = B[8];
  if (!(D > PIVOT_TOLERANCE*(J[0] + J[3] + D + sum->seen[0]))) return 0;
  const double gx = ux*d, gy = uy*d, hx = bx*d, hy = by*d, hz = bz*d, eps = T - z[2];
  dof->g[0] = gx, dof->g[1] = gy, dof->g[2] = 1, dof->g[3] = hx, dof->g[4] = hy, dof->g[5] = hz;
  dof->d = d;
  dof->nu = eps*d;
  if (node->parent < 0) return 1;

  J[0] -= gx*ux, J[1] -= gx*uy, J[3] -= gy*uy, J[2] = J[4] = J[5] = 0; /* (86) */
  B[0] -= gx*bx, B[1] -= gx*by, B[2] -= gx*bz;
  B[3] -= gy*bx, B[4] -= gy*by, B[5] -= gy*bz;
  B[6] = B[7] = B[8] = 0;
  M[0] -= hx*bx, M[1] -= hx*by, M[2] -= hx*bz, M[3] -= hy*by, M[4] -= hy*bz, M[5] -= hz*bz;
  const double rate = v ? v[node->v] : 0, ax = kin->w[1]*rate, ay = -kin->w[0]*rate; /* w x e_z rate */
  z[0] += gx*eps + J[0]*ax + J[1]*ay;
  z[1] += gy*eps + J[1]*ax + J[3]*ay;
  z[2] = T;
  z[3] += hx*eps + B[0]*ax + B[3]*ay;
  z[4] += hy*eps + B[1]*ax + B[4]*ay;
  z[5] += hz*eps + B[2]*ax + B[5]*ay;

  const double c = kin->c, s = kin->s;
  const Turn t = turn_squares(c, s); /* turn about z of what is not zero */
  turn_pair(t, &J[0], &J[1], &J[3]);
  turn_square(t, &B[0], &B[1], &B[3], &B[4]);
  turn2(c, s, &B[2], &B[5]);
  turn_pair(t, &M[0], &M[1], &M[3]);
  turn2(c, s, &M[2], &M[4]);
  sym6_turn_x(edge->ca, edge->sa, &sum->P);
  if (node->flags & NODE_TURNED) sym6_turn_z(work->tree->leads[k].c, work->tree->leads[k].s, &sum->P);
  edge_up(work, k, z);
  edge_up(work, k, z + 3);
  shift_to_parent(work, node, edge->l, sum);
  finish(work, node, sum);
  return 1;
}

/* To the parent from a ball joint, which passes on no moment but T: P+ = [0 0; 0 M], z+ = [T; z]. */
static inline void ball_to_parent(PfTreeWork *work, int k, const double *T, Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  const double *R = work->extras[node->extra].R, *l = work->tree->edges[k].l, *w = work->kin[node->parent].w;
  double *z = sum->z, M[6], u[3], push[3], turn[3];
  memcpy(M, sum->P.M, sizeof M);
  sym3_turn(R, M, sum->P.M);
  turn3(R, T, z);
  turn3(R, z + 3, z + 3);
  centripetal(w, l, u);
  sym3_mul(sum->P.M, u, push);
  add3(z + 3, push);
  cross3(l, z + 3, turn);
  add3(z, turn);
  sym6_shift_mass(l, &sum->P);
  finish(work, node, sum);
}

/* A ball joint, all free: J = L diag(D) L^T, and what is left of M is M - W^T diag(D) W with W = D^-1 L^-1 B. */
static int ball_in(PfTreeWork *work, int k, const double *T, Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  Dof *dof = &work->dofs[node->v];
  const double *J = sum->P.J, *B = sum->P.B;
  double *M = sum->P.M, *z = sum->z;
  const double scale = PIVOT_TOLERANCE*(J[0] + J[3] + J[5] + sum->seen[0]);
  const double d0 = 1/J[0], l1 = J[1]*d0, l2 = J[2]*d0;
  const double D1 = J[3] - l1*J[1], d1 = 1/D1, below = J[4] - l1*J[2], l3 = below*d1;
  const double D2 = J[5] - l2*J[2] - l3*below, d2 = 1/D2;
  if (!(J[0] > scale && D1 > scale && D2 > scale)) return 0;
  const double e0 = T[0] - z[0], e1 = T[1] - z[1] - l1*e0, e2 = T[2] - z[2] - l2*e0 - l3*e1;
  double *g0 = dof[0].g, *g1 = dof[1].g, *g2 = dof[2].g, b[3][3];
  for (int j = 0; j < 3; j++) {
    b[0][j] = B[j], b[1][j] = B[3 + j] - l1*b[0][j], b[2][j] = B[6 + j] - l2*b[0][j] - l3*b[1][j];
    g0[3 + j] = b[0][j]*d0, g1[3 + j] = b[1][j]*d1, g2[3 + j] = b[2][j]*d2;
  }
  g0[0] = g1[1] = g2[2] = 1, g1[0] = g2[0] = g2[1] = 0, g0[1] = l1, g0[2] = l2, g1[2] = l3;
  dof[0].d = d0, dof[1].d = d1, dof[2].d = d2;
  dof[0].nu = e0*d0, dof[1].nu = e1*d1, dof[2].nu = e2*d2;
  if (node->parent < 0) return 1;
  for (int i = 0, at = 0; i < 3; i++) {
    z[3 + i] += e0*g0[3 + i] + e1*g1[3 + i] + e2*g2[3 + i];
    for (int j = i; j < 3; j++, at++) M[at] -= b[0][i]*g0[3 + j] + b[1][i]*g1[3 + j] + b[2][i]*g2[3 + j];
  }
  ball_to_parent(work, k, T, sum);
  return 1;
}

/* The three rotations of a free joint, none prescribed: unit columns. Leaves P+ = [0 0; 0 M - B^T J^-1 B]. */
static int eliminate_turns(Dof *dof, const double *T, Sum *sum)
{
  static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double scale = PIVOT_TOLERANCE*(sum->P.J[0] + sum->P.J[3] + sum->P.J[5] + sum->seen[0]);
  double *z = sum->z;
  for (int i = 0; i < 3; i++) {
    double u[6];
    for (int j = 0; j < 3; j++) u[j] = sum->P.J[row[i][j]], u[3 + j] = sum->P.B[3*i + j];
    if (!(u[i] > scale)) return 0;
    const double d = 1/u[i], eps = T[i] - z[i];
    dof[i].d = d;
    dof[i].nu = eps*d;
    for (int j = 0; j < 6; j++) dof[i].g[j] = u[j]*d;
    sym6_reduce(&sum->P, dof[i].g, u);
    for (int j = 0; j < 6; j++) z[j] += eps*dof[i].g[j];
  }
  memcpy(z, T, 3*sizeof *z); /* what acts on the parent about these axes, exactly */
  return 1;
}

/* A free joint, nothing prescribed: the rotations, then three translations, which only meet what the rotations have
 * left of M. */
static int free_in(PfTreeWork *work, int k, const double *T, Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  const Extra *extra = &work->extras[node->extra];
  Dof *dof = &work->dofs[node->v];
  double *M = sum->P.M, *F = sum->z + 3;
  const double scale = PIVOT_TOLERANCE*(M[0] + M[3] + M[5] + sum->seen[1]);
  if (!eliminate_turns(dof, T, sum)) return 0;
  for (int i = 3; i < 6; i++) {
    const double *h = extra->H + 6*i + 3;
    double u[3];
    sym3_mul(M, h, u);
    const double D = dot3(h, u), eps = T[i] - dot3(h, F);
    if (!(D > scale)) return 0;
    dof[i].d = 1/D;
    dof[i].nu = eps*dof[i].d;
    for (int j = 0; j < 3; j++) dof[i].g[j] = 0, dof[i].g[3 + j] = u[j]*dof[i].d;
    const double *g = dof[i].g + 3;
    M[0] -= g[0]*u[0], M[1] -= g[0]*u[1], M[2] -= g[0]*u[2], M[3] -= g[1]*u[1], M[4] -= g[1]*u[2], M[5] -= g[2]*u[2];
    for (int j = 0; j < 3; j++) F[j] += eps*g[j];
  }
  if (node->parent < 0) return 1;
  memset(&sum->P, 0, sizeof sum->P); /* it carries forces only */
  general_to_parent(work, node, extra->R, extra->l, sum);
  return 1;
}

/* One dof with column h: sought (free) or given (prescribed, which acts like a part of a_k). */
static int eliminate(Dof *dof, const double h[6], double T, double scale, Sum *sum)
{
  double u[6];
  sym6_mul(&sum->P, h, u);
  const double D = dot3(h, u) + dot3(h + 3, u + 3), eps = T - dot3(h, sum->z) - dot3(h + 3, sum->z + 3);
  if (!(D > scale)) return 0;
  dof->d = 1/D;
  for (int j = 0; j < 6; j++) dof->g[j] = u[j]*dof->d;
  dof->nu = eps*dof->d;
  sym6_reduce(&sum->P, dof->g, u);
  add_scaled(sum->z, eps, dof->g, 6);
  return 1;
}

/* All columns of a joint, then P+ a' + z. The force of a dof whose motion is given is h.(P Vdot + z), (97). Returns 0
 * at a bad pivot. */
static int columns_in(PfTreeWork *work, int k, const TreeProblem *problem, const double *T, const double *H, int nv,
                      const double a[6], Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  Dof *dof = &work->dofs[node->v];
  const unsigned char *mask = problem->mask ? problem->mask + node->v : NULL;
  double bias[6], scale[6], push[6];
  memcpy(bias, a, sizeof bias);
  sum->seen[0] += sum->P.J[0] + sum->P.J[3] + sum->P.J[5];
  sum->seen[1] += sum->P.M[0] + sum->P.M[3] + sum->P.M[5];
  for (int i = 0; i < nv; i++) {
    const double *h = H + 6*i;
    /* The size below which the pivot of a column counts as zero. */
    scale[i] = PIVOT_TOLERANCE*(dot3(h, h)*sum->seen[0] + dot3(h + 3, h + 3)*sum->seen[1]);
    if (!mask || !mask[i]) continue;
    /* One dof with column h whose motion is given: its force is h.(P Vdot + z), (97). */
    sym6_mul(&sum->P, h, dof[i].g);
    dof[i].d = 0;
    dof[i].nu = dot3(h, sum->z) + dot3(h + 3, sum->z + 3);
    add_scaled(bias, problem->vdot ? problem->vdot[node->v + i] : 0, h, 6);
  }
  for (int i = 0; i < nv; i++)
    if ((!mask || !mask[i]) && !eliminate(&dof[i], H + 6*i, T[i], scale[i], sum)) return 0;
  sym6_mul(&sum->P, bias, push);
  add_scaled(sum->z, 1, push, 6);
  return 1;
}

/* Any joint that is not axial, also with prescribed dofs; 0 at a bad pivot. */
static int general_in(PfTreeWork *work, int k, const TreeProblem *problem, const double *T, Sum *sum)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  Extra *extra = &work->extras[node->extra];
  if (node->kind == NODE_BALL) set_ball_columns(tree, k, problem->v != NULL, extra);
  if (!columns_in(work, k, problem, T, extra->H, pf_joint_nv(tree->bodies[node->body].joint), extra->a, sum)) return 0;
  if (node->parent >= 0) general_to_parent(work, node, extra->R, extra->l, sum);
  return 1;
}

/* Any axial joint, the same. */
static int axial_in(PfTreeWork *work, int k, const TreeProblem *problem, const double *T, Sum *sum)
{
  double h[6], a[6];
  axial_column(work->tree, k, h);
  axial_bias(work, k, problem->v, a);
  if (!columns_in(work, k, problem, T, h, 1, a, sum)) return 0;
  if (work->tree->nodes[k].parent >= 0) axial_to_parent(work, k, sum);
  return 1;
}

/* T: given forces, springs and dampers. */
static void joint_forces(const PfTreeWork *work, const Node *node, const TreeProblem *problem, double T[6])
{
  const PfTree *tree = work->tree;
  const Body *body = &tree->bodies[node->body];
  const int nv = pf_joint_nv(body->joint);
  for (int i = 0; i < nv; i++) T[i] = problem->tau ? problem->tau[node->v + i] : 0;
  if (!problem->passive || !(node->flags & NODE_PASSIVE)) return;
  double extra[6];
  pf_joint_passive(tree, body, problem->q + node->q, problem->v ? problem->v + node->v : NULL, extra);
  for (int i = 0; i < nv; i++) T[i] += extra[i];
}

/* A run of revolute joints that ends where another kind begins or, with *good 0, at a bad pivot: a loop of its own,
 * which can keep much of P in registers. */
static int revolutes_in(PfTreeWork *work, int k, const TreeProblem *problem, Sum *sum, int *good)
{
  const PfTree *tree = work->tree;
  Sum x = *sum;
  for (; k >= 0 && tree->nodes[k].kind == NODE_REVOLUTE; k--) {
    const Node *node = &tree->nodes[k];
    double T[6] = {problem->tau ? problem->tau[node->v] : 0};
    if (node->flags & NODE_PASSIVE) joint_forces(work, node, problem, T);
    fetch_inward(work, k);
    begin(work, k, problem->load, &x);
    *good = revolute_in(work, k, T[0], problem->v, &x);
    if (!*good) return k;
  }
  *sum = x;
  return k;
}

int pf_tree_sweep_in(PfTreeWork *work, const TreeProblem *problem)
{
  const PfTree *tree = work->tree;
  Sum sum = {0};
  for (int k = tree->node_count - 1; k >= 0;) {
    const Node *node = &tree->nodes[k];
    double T[6] = {0};
    int good = 1;
    if (node->kind == NODE_REVOLUTE && !problem->mask && !problem->capture) {
      k = revolutes_in(work, k, problem, &sum, &good);
      if (!good) return k;
      continue;
    }
    fetch_inward(work, k);
    begin(work, k, problem->load, &sum);
    if (problem->capture) {
      double *f = problem->capture + 6*(size_t)k;
      sym6_mul(&sum.P, work->A + 6*(size_t)k, f);
      add_scaled(f, 1, sum.z, 6);
    }
    joint_forces(work, node, problem, T);
    if (node->kind == NODE_BALL && !problem->mask) good = ball_in(work, k, T, &sum);
    else if (node->kind == NODE_FREE && !problem->mask) good = free_in(work, k, T, &sum);
    else if (node->extra >= 0) good = general_in(work, k, problem, T, &sum);
    else good = axial_in(work, k, problem, T, &sum);
    if (!good) return k;
    k--;
  }
  return -1;
}
