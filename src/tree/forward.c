/* Forward and hybrid dynamics: the sweeps 3.1 to 3.3 of docs/spatial.md, (80)-(97) of the paper with its errata.
 *
 * Everything is in node axes. Accelerations are those of material points, so that linear velocities appear nowhere;
 * gravity is a base that accelerates upwards. The centripetal part w x (w x l) of a_k is applied on the side of the
 * parent, where w and l are at hand. Joints of several degrees of freedom are eliminated one by one: after dof i, f
 * = P_i A_i + z_i with P_i = P - U U^T/D and z_i = z + U (T - h.z)/D, which is (86) and (89) without D^-1 of a
 * matrix. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"
#include "tree/turns.h"

#include <float.h>

static const double ZERO[6] = {0};

/* A pivot counts as zero when it is this small against the inertia it is taken from. */
static const double PIVOT_TOLERANCE = 64*DBL_EPSILON;

typedef struct Problem {
  const double *q, *v, *tau, *vdot;
  const unsigned char *mask;
  const double *load;
  double gravity[3];
  int passive;
  int keep; /* leave all accelerations in work->A */
  double *vdot_out, *tau_out;
  double *capture; /* 6 per node: f_k = P_k Vdot_k + z_k on a second way inward, with the accelerations known */
} Problem;

/* ---------------------------------------------------------------- outward: turns and angular velocities, 3.1 */

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

/* H, l and a_k of any other joint, in node axes. */
static void sweep_general(PfTreeWork *work, const Node *node, const double *q, const double *v, const double *w,
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
static void set_turns(PfTreeWork *work, int first, int count, const double *q)
{
  const PfTree *tree = work->tree;
  double angle[TURNS] = {0}, cosine[TURNS], sine[TURNS];
  int any = 0;
  for (int i = 0; i < count; i++) {
    const Node *node = &tree->nodes[first + i];
    if (node->extra >= 0) continue;
    angle[i] = tree->offsets[first + i] + (node->kind == NODE_PRISMATIC ? 0 : q[node->q]);
    any = 1;
  }
  if (!any) return;
  turn_block(angle, count, cosine, sine);
  for (int i = 0; i < count; i++) work->kin[first + i].c = cosine[i], work->kin[first + i].s = sine[i];
}

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
  default: sweep_general(work, node, q, v, w, kin->w); break;
  }
}

void pf_tree_place(PfTreeWork *work, const double *q)
{
  const PfTree *tree = work->tree;
  double still[3];
  for (int first = 0; first < tree->node_count; first += TURNS) {
    const int last = tree->node_count - first < TURNS ? tree->node_count : first + TURNS;
    set_turns(work, first, last - first, q);
    for (int k = first; k < last; k++) {
      const Node *node = &tree->nodes[k];
      if (node->kind == NODE_BALL) sweep_ball(work, node, q, NULL, ZERO, still);
      else if (node->extra >= 0) sweep_general(work, node, q, NULL, ZERO, still);
      else if (node->kind != NODE_REVOLUTE) work->shifts[k] = q[node->q]*tree->slide[4*(size_t)k + 3];
    }
  }
}

void pf_tree_sweep_out(PfTreeWork *work, const double *q, const double *v)
{
  const int count = work->tree->node_count;
  for (int first = 0; first < count; first += TURNS) {
    const int last = count - first < TURNS ? count : first + TURNS;
    set_turns(work, first, last - first, q);
    for (int k = first; k < last; k++) sweep_node(work, k, q, v);
  }
}

/* ---------------------------------------------------------------- inward: articulated inertias, 3.2 */

/* More children than the one that follows it. */
static inline int has_branches(const Node *node)
{
  return !(node->flags & NODE_LEAF) && !(node[1].flags & NODE_FIRST);
}

static inline void add_sum(Sum *to, const Sum *more)
{
  const double *from = (const double *)more;
  double *at = (double *)to;
  for (size_t i = 0; i < sizeof *to/sizeof(double); i++) at[i] += from[i];
}

/* P_k and z_k: the body itself, (77)-(79), its load, and what its children have summed up. The first of them comes
 * right before on the way inward, so that its sum is at hand; the others have left theirs in a slot. */
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

static void general_to_parent(PfTreeWork *work, const Node *node, const double R[9], const double l[3], Sum *sum)
{
  sym6_turn(R, &sum->P);
  turn3(R, sum->z, sum->z);
  turn3(R, sum->z + 3, sum->z + 3);
  shift_to_parent(work, node, l, sum);
  finish(work, node, sum);
}

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
  if (!(D > PIVOT_TOLERANCE*(J[0] + J[3] + D))) return 0;
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
  const double scale = PIVOT_TOLERANCE*(J[0] + J[3] + J[5]);
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

/* The three turns of a free joint, all free: unit columns. Leaves P+ = [0 0; 0 M - B^T J^-1 B]. */
static int eliminate_turns(Dof *dof, const double *T, Sum *sum)
{
  static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double scale = PIVOT_TOLERANCE*(sum->P.J[0] + sum->P.J[3] + sum->P.J[5]);
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

/* A free joint, all free: the turns, then three shifts that only meet what the turns have left of M. */
static int free_in(PfTreeWork *work, int k, const double *T, Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  const Extra *extra = &work->extras[node->extra];
  Dof *dof = &work->dofs[node->v];
  double *M = sum->P.M, *F = sum->z + 3;
  const double scale = PIVOT_TOLERANCE*(M[0] + M[3] + M[5]);
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

static void prescribe(Dof *dof, const double h[6], const Sum *sum)
{
  sym6_mul(&sum->P, h, dof->g);
  dof->d = 0;
  dof->nu = dot3(h, sum->z) + dot3(h + 3, sum->z + 3);
}

static double pivot_scale(const Sym6 *P, const double h[6])
{
  return PIVOT_TOLERANCE*(dot3(h, h)*(P->J[0] + P->J[3] + P->J[5]) + dot3(h + 3, h + 3)*(P->M[0] + P->M[3] + P->M[5]));
}

/* All columns of a joint, then P+ a' + z. Returns 0 at a bad pivot. */
static int columns_in(PfTreeWork *work, int k, const Problem *problem, const double *T, const double *H, int nv,
                      const double a[6], Sum *sum)
{
  const Node *node = &work->tree->nodes[k];
  Dof *dof = &work->dofs[node->v];
  const unsigned char *mask = problem->mask ? problem->mask + node->v : NULL;
  double bias[6], scale[6], push[6];
  memcpy(bias, a, sizeof bias);
  for (int i = 0; i < nv; i++) {
    scale[i] = pivot_scale(&sum->P, H + 6*i);
    if (!mask || !mask[i]) continue;
    prescribe(&dof[i], H + 6*i, sum);
    add_scaled(bias, problem->vdot ? problem->vdot[node->v + i] : 0, H + 6*i, 6);
  }
  for (int i = 0; i < nv; i++)
    if ((!mask || !mask[i]) && !eliminate(&dof[i], H + 6*i, T[i], scale[i], sum)) return 0;
  sym6_mul(&sum->P, bias, push);
  add_scaled(sum->z, 1, push, 6);
  return 1;
}

static int general_in(PfTreeWork *work, int k, const Problem *problem, const double *T, Sum *sum)
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  Extra *extra = &work->extras[node->extra];
  if (node->kind == NODE_BALL) set_ball_columns(tree, k, problem->v != NULL, extra);
  if (!columns_in(work, k, problem, T, extra->H, pf_joint_nv(tree->bodies[node->body].joint), extra->a, sum)) return 0;
  if (node->parent >= 0) general_to_parent(work, node, extra->R, extra->l, sum);
  return 1;
}

static int axial_in(PfTreeWork *work, int k, const Problem *problem, const double *T, Sum *sum)
{
  double h[6], a[6];
  axial_column(work->tree, k, h);
  axial_bias(work, k, problem->v, a);
  if (!columns_in(work, k, problem, T, h, 1, a, sum)) return 0;
  if (work->tree->nodes[k].parent >= 0) axial_to_parent(work, k, sum);
  return 1;
}

static void joint_forces(const PfTreeWork *work, const Node *node, const Problem *problem, double T[6])
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
static int revolutes_in(PfTreeWork *work, int k, const Problem *problem, Sum *sum, int *good)
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

/* Returns the node of the bad pivot, or -1. */
static int sweep_in(PfTreeWork *work, const Problem *problem)
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

/* ---------------------------------------------------------------- outward: accelerations, 3.3 */

/* The dofs in the order opposite to their elimination: betadot = nu - g.A, (94); given ones are in A already. */
static void recover(PfTreeWork *work, const Node *node, const Problem *problem, const double *H, int nv, double A[6])
{
  const Dof *dof = &work->dofs[node->v];
  const unsigned char *mask = problem->mask ? problem->mask + node->v : NULL;
  double *vdot = problem->vdot_out ? problem->vdot_out + node->v : NULL;
  for (int i = nv - 1; i >= 0; i--) {
    if (mask && mask[i]) continue;
    const double rate = dof[i].nu - dot3(dof[i].g, A) - dot3(dof[i].g + 3, A + 3);
    add_scaled(A, rate, H + 6*i, 6);
    if (vdot) vdot[i] = rate;
  }
  if (!mask) return;
  double passive[6] = {0};
  if (problem->passive && node->flags & NODE_PASSIVE)
    pf_joint_passive(work->tree, &work->tree->bodies[node->body], problem->q + node->q,
                     problem->v ? problem->v + node->v : NULL, passive);
  for (int i = 0; i < nv; i++) { /* T = h.(P Vdot + z), (97) */
    if (!mask[i]) continue;
    if (vdot) vdot[i] = problem->vdot ? problem->vdot[node->v + i] : 0;
    if (problem->tau_out)
      problem->tau_out[node->v + i] = dot3(dof[i].g, A) + dot3(dof[i].g + 3, A + 3) + dof[i].nu - passive[i];
  }
}

static void add_prescribed(const Problem *problem, const Node *node, const double *H, int nv, double A[6])
{
  for (int i = 0; problem->mask && problem->vdot && i < nv; i++)
    if (problem->mask[node->v + i]) add_scaled(A, problem->vdot[node->v + i], H + 6*i, 6);
}

static inline void revolute_out(PfTreeWork *work, int k, const Problem *problem, double A[6])
{
  const Node *node = &work->tree->nodes[k];
  const double *w = work->kin[k].w, rate = problem->v ? problem->v[node->v] : 0;
  const Dof *dof = &work->dofs[node->v];
  edge_back(work, k, A);
  edge_back(work, k, A + 3);
  A[0] += w[1]*rate;
  A[1] -= w[0]*rate;
  const double along = (dof->g[0]*A[0] + dof->g[1]*A[1]) + A[2];
  const double vdot = dof->nu - (along + (dof->g[3]*A[3] + dof->g[4]*A[4]) + dof->g[5]*A[5]);
  A[2] += vdot;
  problem->vdot_out[node->v] = vdot;
}

/* A run of revolute joints, each on the one before: a loop of its own, which keeps A in registers. Returns where it
 * ends. */
static int revolutes_out(PfTreeWork *work, int k, const Problem *problem, double A[6])
{
  const PfTree *tree = work->tree;
  double x[6] = {A[0], A[1], A[2], A[3], A[4], A[5]};
  do {
    const Node *node = &tree->nodes[k];
    carry_acceleration(x, node->parent < 0 ? ZERO : work->kin[node->parent].w, tree->edges[k].l, x);
    fetch_outward(work, k);
    revolute_out(work, k, problem, x);
    if (problem->keep || has_branches(node)) memcpy(work->A + 6*(size_t)k, x, sizeof x);
    k++;
  } while (k < tree->node_count && tree->nodes[k].kind == NODE_REVOLUTE && tree->nodes[k].parent == k - 1);
  memcpy(A, x, sizeof x);
  return k;
}

static inline void ball_out(PfTreeWork *work, const Node *node, const Problem *problem, double A[6])
{
  const Extra *extra = &work->extras[node->extra];
  const Dof *dof = &work->dofs[node->v];
  turn3_back(extra->R, A, A);
  turn3_back(extra->R, A + 3, A + 3);
  if (problem->v) add3(A, extra->a);
  const double *f = A + 3, z = dof[2].nu - dot3(dof[2].g + 3, f); /* the angular acceleration itself */
  const double y = dof[1].nu - dot3(dof[1].g + 3, f) - dof[1].g[2]*z;
  const double x = dof[0].nu - dot3(dof[0].g + 3, f) - dof[0].g[1]*y - dof[0].g[2]*z;
  double *vdot = problem->vdot_out + node->v;
  vdot[0] = x - A[0], vdot[1] = y - A[1], vdot[2] = z - A[2];
  A[0] = x, A[1] = y, A[2] = z;
}

static void general_out(PfTreeWork *work, int k, const Problem *problem, double A[6])
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  if (node->extra >= 0) {
    const Extra *extra = &work->extras[node->extra];
    const int nv = pf_joint_nv(tree->bodies[node->body].joint);
    turn3_back(extra->R, A, A);
    turn3_back(extra->R, A + 3, A + 3);
    add_scaled(A, 1, extra->a, 6);
    add_prescribed(problem, node, extra->H, nv, A);
    recover(work, node, problem, extra->H, nv, A);
  } else {
    double h[6], a[6];
    axial_column(tree, k, h);
    axial_bias(work, k, problem->v, a);
    edge_back(work, k, A);
    edge_back(work, k, A + 3);
    add_scaled(A, 1, a, 6);
    add_prescribed(problem, node, h, 1, A);
    recover(work, node, problem, h, 1, A);
  }
}

/* The same for ball joints. */
static int balls_out(PfTreeWork *work, int k, const Problem *problem, double A[6])
{
  const PfTree *tree = work->tree;
  double x[6] = {A[0], A[1], A[2], A[3], A[4], A[5]};
  do {
    const Node *node = &tree->nodes[k];
    carry_acceleration(x, node->parent < 0 ? ZERO : work->kin[node->parent].w, tree->edges[k].l, x);
    ball_out(work, node, problem, x);
    if (problem->keep || has_branches(node)) memcpy(work->A + 6*(size_t)k, x, sizeof x);
    k++;
  } while (k < tree->node_count && tree->nodes[k].kind == NODE_BALL && tree->nodes[k].parent == k - 1);
  memcpy(A, x, sizeof x);
  return k;
}

/* Accelerations stay in the workspace only where somebody will ask for them: other children, or the caller. */
static void sweep_back_out(PfTreeWork *work, const Problem *problem)
{
  const PfTree *tree = work->tree;
  const double base[6] = {0, 0, 0, -problem->gravity[0], -problem->gravity[1], -problem->gravity[2]};
  double A[6] = {0}, l[3];
  for (int k = 0; k < tree->node_count;) {
    const Node *node = &tree->nodes[k];
    if (node->parent < 0) memcpy(A, base, sizeof A);
    else if (node->parent != k - 1) memcpy(A, work->A + 6*(size_t)node->parent, sizeof A);
    if (node->kind == NODE_REVOLUTE && !problem->mask) {
      k = revolutes_out(work, k, problem, A);
    } else if (node->kind == NODE_BALL && !problem->mask) {
      k = balls_out(work, k, problem, A);
    } else {
      node_length(work, k, l);
      carry_acceleration(A, node->parent < 0 ? ZERO : work->kin[node->parent].w, l, A);
      general_out(work, k, problem, A);
      if (problem->keep || has_branches(node)) memcpy(work->A + 6*(size_t)k, A, sizeof A);
      k++;
    }
  }
}

/* ---------------------------------------------------------------- the calls */

/* The first body whose own numbers are not finite, or -1. */
static int bad_input(const PfTree *tree, const Problem *problem)
{
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    const int nq = pf_joint_nq(body->joint), nv = pf_joint_nv(body->joint);
    if (any_bad(problem->q + body->q, nq) || (problem->v && any_bad(problem->v + body->v, nv)) ||
        (problem->tau && any_bad(problem->tau + body->v, nv)))
      return k;
  }
  return -1;
}

static PfStatus fail_at_pivot(PfTreeWork *work, const Problem *problem, int node)
{
  const PfTree *tree = work->tree;
  const int bad = bad_input(tree, problem), k = bad >= 0 ? bad : tree->nodes[node].body;
  char name[80];
  pf_tree_name(tree, k, name, sizeof name);
  if (bad >= 0) return pf_fail(work->ctx, PF_ERR_NUMBER,
                               "a coordinate, rate or force of the joint of %s is not finite", name);
  pf_fail(work->ctx, PF_ERR_NUMBER, "the %s joint of %s can move without moving any mass",
          pf_joint_name(tree->bodies[k].joint), name);
  pf_hint(work->ctx, "give the body, or one it carries, mass or inertia, or prescribe the motion of this joint");
  return PF_ERR_NUMBER;
}

static PfStatus check_result(PfTreeWork *work, const double *vdot)
{
  const PfTree *tree = work->tree;
  double probe = 0;
  for (int i = 0; i < tree->nv; i++) probe += 0*vdot[i];
  if (probe == 0) return PF_OK;
  for (int k = 0; k < tree->count; k++)
    if (any_bad(vdot + tree->bodies[k].v, pf_joint_nv(tree->bodies[k].joint))) {
      char name[80];
      pf_tree_name(tree, k, name, sizeof name);
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the acceleration of the joint of %s is not finite", name);
    }
  return PF_OK;
}

static PfStatus solve(PfTreeWork *work, const Problem *problem)
{
  work->factored = 0;
  pf_tree_sweep_out(work, problem->q, problem->v);
  const int bad = sweep_in(work, problem);
  if (bad >= 0) return fail_at_pivot(work, problem, bad);
  sweep_back_out(work, problem);
  work->factored = 1;
  work->masked = problem->mask != NULL;
  return check_result(work, problem->vdot_out);
}

PfStatus pf_tree_forward(PfTreeWork *work, const double *q, const double *v, const double *tau, double *vdot)
{
  const PfTree *tree = work->tree;
  const Problem problem = {.q = q, .v = v, .tau = tau, .passive = 1, .vdot_out = vdot,
                           .gravity = {tree->gravity[0], tree->gravity[1], tree->gravity[2]}};
  if (tree->locked) return pf_tree_hybrid(work, &(PfTreeInput){.q = q, .v = v, .tau = tau}, vdot, NULL);
  return solve(work, &problem);
}

/* What is prescribed: by the caller, or because it is locked. Locked dofs have no acceleration, whatever is given. */
static void set_mask(PfTreeWork *work, const PfTreeInput *input, Problem *problem)
{
  const PfTree *tree = work->tree;
  const size_t nv = (size_t)tree->nv;
  int any = 0;
  for (size_t i = 0; i < nv; i++) {
    const int locked = tree->locked && tree->locked[i], given = input->prescribed && input->prescribed[i];
    work->mask[i] = (unsigned char)(locked || given);
    work->rates[i] = given && !locked && input->vdot ? input->vdot[i] : 0;
    any |= work->mask[i];
  }
  if (!any) return;
  problem->mask = work->mask;
  problem->vdot = work->rates;
}

static PfStatus mixed(PfTreeWork *work, const PfTreeInput *input, Problem *problem, double *vdot, double *tau)
{
  const size_t nv = (size_t)work->tree->nv;
  set_mask(work, input, problem);
  if (input->wrench) {
    PF_TRY(pf_tree_load(work, input->q, input->wrench));
    problem->load = work->load;
  }
  problem->vdot_out = vdot ? vdot : work->scratch;
  problem->tau_out = tau;
  if (tau && tau != input->tau) {
    if (input->tau) memcpy(tau, input->tau, nv*sizeof *tau);
    else memset(tau, 0, nv*sizeof *tau);
  }
  return solve(work, problem);
}

PfStatus pf_tree_hybrid(PfTreeWork *work, const PfTreeInput *input, double *vdot, double *tau)
{
  const double *g = work->tree->gravity;
  Problem problem = {.q = input->q, .v = input->v, .tau = input->tau, .passive = 1, .keep = 1,
                     .gravity = {g[0], g[1], g[2]}};
  return mixed(work, input, &problem, vdot, tau);
}

/* f_k from P and z, not by adding up inertial forces: on long chains those nearly cancel. */
static PfStatus complete(PfTreeWork *work, const PfTreeInput *input, const double *gravity, int passive,
                         const double *v,
                         const PfTreeOutput *out)
{
  Problem problem = {.q = input->q, .v = v, .tau = input->tau, .passive = passive, .keep = 1,
                     .gravity = {gravity[0], gravity[1], gravity[2]}};
  PF_TRY(mixed(work, input, &problem, out->vdot, out->tau));
  if (!out->acceleration && !out->joint_wrench) return PF_OK;
  if (out->joint_wrench) {
    problem.capture = work->scratch;
    sweep_in(work, &problem);
  }
  PF_TRY(pf_tree_kinematics(work, input->q, v));
  pf_tree_from_nodes(work, work->scratch, gravity, input->wrench, out->acceleration, out->joint_wrench);
  return PF_OK;
}

PfStatus pf_tree_complete(PfTreeWork *work, const PfTreeInput *input, const PfTreeOutput *out)
{
  return complete(work, input, work->tree->gravity, 1, input->v, out);
}

PfStatus pf_tree_impulse(PfTreeWork *work, const PfTreeInput *input, const PfTreeOutput *out)
{
  return complete(work, input, ZERO, 0, NULL, out);
}
