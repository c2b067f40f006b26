/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the nodes. The axis of a turning joint is z of its node. The rotation from a node to its parent, before the
 * joint moves, is Rz(f) Rx(a) Rz(p): the last is an offset of the joint's angle, the first is taken away by turning the
 * frame of the parent about its own axis, for one child of each. The origin lies on the axis where the way from the
 * parent has fewest components: a common normal, as Denavit and Hartenberg have it. Slides keep the axes of their
 * parent. Then all expressions become terms. */
#include "form/unroll_impl.h"

#include <math.h>
#include <string.h>

/* Numbers of one joint: node axes to axes of its moving side, and how it is turned before it moves. */
typedef struct Frame {
  double Q[9];
  double lead, ca, sa, third; /* the three turns */
  bool planar;                /* they are known */
} Frame;

/* What becomes terms. */
typedef struct Wanted {
  PfExpr *list;
  int count;
} Wanted;

typedef struct Framing {
  PfUnrolling *u;
  const PfUnrollModel *model;
  Frame *frame;
  PfExpr *slide; /* per joint: how far the origin of the node is moved along the axis */
  PfExpr zero;
} Framing;

/* Those of one node, in the order in which they are listed. */
enum { MOST_OF_NODE = 9 + 3 + 3 + 10 + 5 + 22 };

/* ---------------------------------------------------------------- small rotations in numbers */

/* Axes of the node of a joint's parent: numbers of the ground are 1. */
static const double *parent_axes(const Framing *g, int k)
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int parent = g->model->joint[k].parent;
  return parent < 0 ? unit : g->frame[parent].Q;
}

static double snap(double x)
{
  const double whole = round(x);
  return fabs(x - whole) < 1e-14 ? whole : x;
}

static void snap_all(double *x, int count)
{
  for (int i = 0; i < count; i++) x[i] = snap(x[i]);
}

static void multiply(const double A[9], const double B[9], double out[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3*i + j] = A[3*i]*B[j] + A[3*i + 1]*B[3 + j] + A[3*i + 2]*B[6 + j];
}

static void multiply_transposed(const double A[9], const double B[9], double out[9])
{
  const double T[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
  multiply(T, B, out);
}

static bool take_numbers(PfContext *ctx, const PfExpr *e, int count, double *x)
{
  for (int i = 0; i < count; i++)
    if (!pf_expr_is_number(ctx, e[i], x + i)) return false;
  return true;
}

/* A rotation whose third column is the axis. */
static void set_axis(const double axis[3], double Q[9])
{
  int least = 0;
  double x[3] = {0}, length = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) < fabs(axis[least])) least = i;
  x[least] = 1;
  for (int i = 0; i < 3; i++) x[i] -= axis[least]*axis[i];
  for (int i = 0; i < 3; i++) length += x[i]*x[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1)%3, k = (i + 2)%3;
    Q[3*i] = x[i]/sqrt(length);
    Q[3*i + 1] = (axis[j]*x[k] - axis[k]*x[j])/sqrt(length);
    Q[3*i + 2] = axis[i];
  }
  snap_all(Q, 9);
}

/* K = Q_parent^T R Q */
static void relative_turn(const Framing *g, int k, const double R[9], double K[9])
{
  double half[9];
  multiply_transposed(parent_axes(g, k), R, half);
  multiply(half, g->frame[k].Q, K);
  snap_all(K, 9);
}

/* ---------------------------------------------------------------- the angle about the own axis */

/* The leading angle of a child: of the common normal, or, if the axes are parallel, of the way between them. */
static bool leading_angle(const Framing *g, int child, double *angle)
{
  const PfUnrollJoint *joint = g->model->joint + child;
  double R[9], K[9], p[3], l[3];
  if (!take_numbers(g->u->ctx, joint->R, 9, R)) return false;
  relative_turn(g, child, R, K);
  if (K[2] != 0 || K[5] != 0) {
    *angle = atan2(K[2], -K[5]);
    return true;
  }
  if (!take_numbers(g->u->ctx, joint->p, 3, p)) return false;
  const double *Q = g->frame[joint->parent].Q;
  for (int i = 0; i < 3; i++) l[i] = Q[i]*p[0] + Q[3 + i]*p[1] + Q[6 + i]*p[2];
  *angle = atan2(l[1], l[0]);
  return true;
}

/* K = Rz(lead) Rx(alpha) Rz(third), with ca and sa for alpha in 0 … pi. */
static void split_turn(const double K[9], Frame *frame)
{
  const double sine = hypot(K[2], K[5]), norm = hypot(sine, K[8]);
  frame->lead = sine > 0 ? atan2(K[2], -K[5]) : 0;
  frame->ca = snap(K[8]/norm);
  frame->sa = snap(sine/norm);
  const double c = cos(frame->lead), s = sin(frame->lead);
  if (fabs(c - 1) + fabs(s) < 1e-13) frame->lead = 0;
  frame->third = atan2(frame->ca*(c*K[3] - s*K[0]) + frame->sa*K[6], c*K[0] + s*K[3]);
  if (fabs(frame->third) < 1e-13) frame->third = 0;
}

/* Axes of joints first, then the angles about them, then what is left between neighbours. */
static void set_frames(const Framing *g)
{
  const PfUnrollModel *model = g->model;
  double R[9], K[9], axis[3];
  for (int k = 0; k < model->count; k++) {
    const PfUnrollJoint *joint = model->joint + k;
    Frame *frame = g->frame + k;
    *frame = (Frame){.Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    frame->planar = joint->kind == PF_CHAIN_SPIN && take_numbers(g->u->ctx, joint->axis, 3, axis) &&
                    take_numbers(g->u->ctx, joint->R, 9, R);
    if (frame->planar) set_axis(axis, frame->Q);
  }
  for (int k = 0; k < model->count; k++) {
    double angle;
    int child = k + 1;
    if (!g->frame[k].planar) continue;
    while (child < model->count && !(model->joint[child].parent == k && g->frame[child].planar)) child++;
    if (child < model->count && leading_angle(g, child, &angle)) {
      const double c = snap(cos(angle)), s = snap(sin(angle)), turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
      double turned[9];
      multiply(g->frame[k].Q, turn, turned);
      memcpy(g->frame[k].Q, turned, sizeof turned);
    }
  }
  for (int k = 0; k < model->count; k++) {
    const PfUnrollJoint *joint = model->joint + k;
    if (!take_numbers(g->u->ctx, joint->R, 9, R)) continue;
    if (joint->kind == PF_CHAIN_SLIDE) { /* Q = R^T Q_parent */
      multiply_transposed(R, parent_axes(g, k), g->frame[k].Q);
      snap_all(g->frame[k].Q, 9);
    }
    if (!g->frame[k].planar) continue;
    relative_turn(g, k, R, K);
    split_turn(K, g->frame + k);
  }
}

/* ---------------------------------------------------------------- expressions in node axes */

/* Q^T v */
static void to_node(PfContext *ctx, const double Q[9], const PfExpr v[3], PfExpr out[3])
{
  PfExpr moved[3];
  for (int i = 0; i < 3; i++) {
    moved[i] = pf_expr_int(ctx, 0);
    for (int j = 0; j < 3; j++)
      moved[i] = pf_expr_add(ctx, moved[i], pf_expr_mul(ctx, pf_unroll_number(ctx, Q[3*j + i]), v[j]));
  }
  memcpy(out, moved, sizeof moved);
}

/* Moves the own origin along the axis, so that the component that the axis has most of vanishes. `l` is the way from
 * the parent's origin, in its axes; g->slide[k] gets the shift along the own axis. */
static void shorten_way(const Framing *g, int k, PfExpr l[3])
{
  PfContext *ctx = g->u->ctx;
  const Frame *frame = g->frame + k;
  const double axis[3] = {snap(sin(frame->lead))*frame->sa, -snap(cos(frame->lead))*frame->sa, frame->ca};
  int most = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) > fabs(axis[most])) most = i;
  PfExpr move = pf_expr_neg(ctx, pf_expr_div(ctx, l[most], pf_unroll_number(ctx, axis[most])));
  for (int i = 0; i < 3; i++)
    l[i] = i == most ? g->zero : pf_expr_add(ctx, l[i], pf_expr_mul(ctx, pf_unroll_number(ctx, axis[i]), move));
  g->slide[k] = move;
}

/* Masses about a point at o = (0, 0, s): J - (2 mc.o 1 - mc o^T - o mc^T) + m (o.o 1 - o o^T), mc - m o. */
static void mass_about(PfContext *ctx, PfExpr s, PfExpr m, PfExpr mc[3], PfExpr J[6])
{
  if (pf_expr_is_structural_zero(ctx, s)) return;
  const PfExpr twice = pf_expr_mul(ctx, pf_expr_int(ctx, -2), pf_expr_mul(ctx, mc[2], s));
  const PfExpr change = pf_expr_add(ctx, twice, pf_expr_mul(ctx, m, pf_expr_mul(ctx, s, s)));
  J[0] = pf_expr_add(ctx, J[0], change);
  J[3] = pf_expr_add(ctx, J[3], change);
  J[2] = pf_expr_add(ctx, J[2], pf_expr_mul(ctx, mc[0], s));
  J[4] = pf_expr_add(ctx, J[4], pf_expr_mul(ctx, mc[1], s));
  mc[2] = pf_expr_sub(ctx, mc[2], pf_expr_mul(ctx, m, s));
}

/* ---------------------------------------------------------------- terms */

static void want(Wanted *wanted, const PfExpr *e, int count)
{
  memcpy(wanted->list + wanted->count, e, (size_t)count*sizeof *e);
  wanted->count += count;
}

/* Rotation before the joint moves where that is a matrix: Q_parent^T R. */
static void want_turn(const Framing *g, int k, Wanted *wanted)
{
  const PfUnrollJoint *joint = g->model->joint + k;
  PfExpr R[9];
  for (int j = 0; j < 3; j++) {
    const PfExpr column[3] = {joint->R[j], joint->R[3 + j], joint->R[6 + j]};
    PfExpr turned[3];
    to_node(g->u->ctx, parent_axes(g, k), column, turned);
    for (int i = 0; i < 3; i++) R[3*i + j] = turned[i];
  }
  want(wanted, R, 9);
}

/* Coordinates, rates and forces; those of a free joint have its position, too. */
static PfStatus want_quaternion(const Framing *g, const PfUnrollJoint *joint, Wanted *wanted)
{
  const PfModel *model = g->model->recursion->model;
  const PfBall *ball = model->balls + g->model->recursion->chain.step[joint->step].ball;
  PfExpr *from = wanted->list + wanted->count;
  for (int i = 0; i < 4; i++) want(wanted, &model->coordinates[ball->q + i].q, 1);
  for (int i = 0; i < 4; i++) want(wanted, &model->coordinates[ball->q + i].v, 1);
  want(wanted, g->model->force + ball->q, 4);
  if (joint->kind != PF_CHAIN_FREE) return g->model->plan->expand(g->model->plan->user, from, 8);
  for (int i = 0; i < 3; i++) want(wanted, &model->coordinates[ball->p + i].q, 1);
  for (int i = 0; i < 3; i++) want(wanted, &model->coordinates[ball->p + i].v, 1);
  PF_TRY(g->model->plan->expand(g->model->plan->user, from, 18));
  want(wanted, g->model->force + ball->p, 3);
  return PF_OK;
}

/* Lists the expressions that a node needs, in the order in which take_node reads them. */
static PfStatus want_node(const Framing *g, int k, Wanted *wanted)
{
  PfContext *ctx = g->u->ctx;
  const PfUnrollJoint *joint = g->model->joint + k;
  const Frame *frame = g->frame + k;
  PfExpr l[3], h[3], mass[10];
  /* The way from the origin of the parent's node, in its axes, with the own origin where the joint has it. */
  to_node(ctx, parent_axes(g, k), joint->p, l);
  if (joint->parent >= 0 && g->frame[joint->parent].planar)
    l[2] = pf_expr_sub(ctx, l[2], g->slide[joint->parent]);
  if (frame->planar) shorten_way(g, k, l);
  want_turn(g, k, wanted);
  want(wanted, l, 3);
  to_node(ctx, frame->Q, joint->axis, h);
  want(wanted, h, 3);
  mass[0] = joint->m;
  to_node(ctx, frame->Q, joint->mc, mass + 1);
  /* Q^T J Q */
  PfExpr *out = mass + 4;
  PfExpr half[9], row[3];
  for (int i = 0; i < 3; i++) {
    const PfExpr column[3] = {joint->J[symmetric(0, i)], joint->J[symmetric(1, i)], joint->J[symmetric(2, i)]};
    to_node(ctx, frame->Q, column, half + 3*i); /* row i is column i of Q^T J */
  }
  for (int i = 0; i < 3; i++) {
    const PfExpr column[3] = {half[i], half[3 + i], half[6 + i]};
    to_node(ctx, frame->Q, column, row);
    for (int j = i; j < 3; j++) out[symmetric(i, j)] = row[j];
  }
  mass_about(ctx, g->slide[k], mass[0], mass + 1, mass + 4);
  want(wanted, mass, 10);
  if (joint->rate < 0) return want_quaternion(g, joint, wanted);
  const PfUnrollModel *model = g->model;
  const PfRate *rate = model->recursion->rate + joint->rate;
  const PfExpr state[5] = {model->value[joint->rate], model->rate[joint->rate], model->second[joint->rate],
                           model->slope[joint->rate],
                           rate->role == PF_RATE_OWN ? model->force[rate->coordinate] : g->zero};
  want(wanted, state, 5);
  return PF_OK;
}

/* Terms of the next `count` expressions that were wanted. */
static void take(const PfUnrolling *u, PfTerm *to, int count, int *at)
{
  for (int i = 0; i < count; i++) to[i] = pf_builder_root(u->builder, (*at)++);
}

/* ---------------------------------------------------------------- edges */

static void add_turn(const PfUnrolling *u, PfUnrollEdge *edge, int axis, double c, double s)
{
  if (c == 1) return;
  edge->turn[edge->turn_count++] =
      (PfUnrollTurn){axis, pf_builder_number(u->builder, snap(c)), pf_builder_number(u->builder, snap(s))};
}

/* Rt times 1 cos + [h] sin + h h^T (1 - cos) */
static void set_general_spin(const PfUnrolling *u, PfUnrollNode *node)
{
  const PfTerm c = pf_builder_cos(u->builder, node->value), s = pf_builder_sin(u->builder, node->value);
  const PfTerm rest = minus(u, u->one, c), *h = node->h;
  PfTerm *R = node->edge.R;
  for (int i = 0; i < 3; i++) {
    PfTerm row[3];
    for (int j = 0; j < 3; j++) { /* row i of Rt times column j */
      PfTerm column[3];
      for (int k = 0; k < 3; k++) {
        column[k] = times(u, rest, times(u, h[k], h[j]));
        if (k == j) column[k] = plus(u, column[k], c);
        else if ((k + 1)%3 == j) column[k] = minus(u, column[k], times(u, s, h[3 - k - j]));
        else column[k] = plus(u, column[k], times(u, s, h[3 - k - j]));
      }
      row[j] = pf_unroll_dot(u, R + 3*i, column, 3);
    }
    memcpy(R + 3*i, row, sizeof row);
  }
}

/* 1 + 2/(x.x) (…), times Rt from the left. */
static void set_quaternion(const PfUnrolling *u, PfUnrollNode *node)
{
  const PfTerm *x = node->x, two = pf_builder_number(u->builder, 2);
  const PfTerm scale = pf_builder_div(u->builder, two, pf_unroll_dot(u, x, x, 4));
  PfTerm S[9], *R = node->edge.R;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int k = 3 - i - j, a = (i + 1)%3, b = (i + 2)%3;
      if (i == j) {
        const PfTerm rest = plus(u, times(u, x[a + 1], x[a + 1]), times(u, x[b + 1], x[b + 1]));
        S[4*i] = minus(u, u->one, times(u, scale, rest));
        continue;
      }
      const PfTerm e = times(u, x[i + 1], x[j + 1]), turn = times(u, x[0], x[k + 1]);
      S[3*i + j] = times(u, scale, (i + 1)%3 == j ? minus(u, e, turn) : plus(u, e, turn));
    }
  bool plain = true; /* Rt = 1 */
  for (int i = 0; i < 9; i++) plain = plain && R[i] == (i%4 == 0 ? u->one : u->zero);
  for (int i = 0; i < 3; i++) {
    if (plain) memcpy(R + 3*i, S + 3*i, 3*sizeof *R);
    else pf_unroll_transposed_times(u, S, R + 3*i, R + 3*i); /* row i of Rt S */
  }
}

/* The rotation from the parent: by turns about axes where the frames allow it, else by a matrix. The rotation and the
 * way of the edge with the motion of the joint; see unroll_impl.h. */
static void set_edge(const PfUnrolling *u, const Framing *g, int k, PfUnrollNode *node)
{
  PfTerm way[3];
  node->fixed_turns = -1;
  node->edge.by_matrix = !g->frame[k].planar;
  if (g->frame[k].planar) {
    /* Up to three turns about axes: a leading one and one about x, which do not move, then that of the joint. */
    const Frame *frame = g->frame + k;
    PfUnrollEdge *edge = &node->edge;
    const bool merged = frame->sa == 0 && frame->ca == 1; /* nothing between two turns about z */
    const double offset = frame->third + (merged ? frame->lead : 0);
    const PfTerm angle = plus(u, node->value, pf_builder_number(u->builder, offset));
    if (!merged) add_turn(u, edge, 2, cos(frame->lead), sin(frame->lead));
    add_turn(u, edge, 0, frame->ca, frame->sa);
    node->fixed_turns = edge->turn_count;
    edge->turn[edge->turn_count++] =
        (PfUnrollTurn){2, pf_builder_cos(u->builder, angle), pf_builder_sin(u->builder, angle)};
    node->h[0] = node->h[1] = u->zero;
    node->h[2] = u->one;
    return;
  }
  switch (node->joint->kind) {
  case PF_CHAIN_SPIN: set_general_spin(u, node); break;
  case PF_CHAIN_SLIDE: {
    double numbers[9];
    if (take_numbers(u->ctx, node->joint->R, 9, numbers)) node->edge.by_matrix = false; /* axes of the parent */
    memcpy(way, node->h, sizeof way);
    pf_unroll_up(u, &node->edge, 0, way);
    for (int i = 0; i < 3; i++) node->edge.l[i] = plus(u, node->edge.l[i], times(u, way[i], node->value));
    node->fixed_turns = node->edge.by_matrix ? -1 : 0;
    break;
  }
  default:
    if (node->joint->kind == PF_CHAIN_FREE) {
      memcpy(node->Rt, node->edge.R, sizeof node->Rt);
      pf_unroll_times(u, node->edge.R, node->p, way);
      pf_unroll_times(u, node->edge.R, node->dp, node->h); /* the rate of the way, in parent axes */
      pf_unroll_times(u, node->edge.R, node->P, node->P);
      pf_unroll_add(u, node->edge.l, way, 3);
    }
    set_quaternion(u, node);
  }
}

/* The terms of a node. */
static void take_node(const PfUnrolling *u, int k, int *at)
{
  PfUnrollNode *node = u->node + k;
  *node = (PfUnrollNode){.joint = u->model->joint + k, .parent = u->model->joint[k].parent};
  take(u, node->edge.R, 9, at);
  take(u, node->edge.l, 3, at);
  take(u, node->h, 3, at);
  take(u, &node->m, 1, at);
  take(u, node->mc, 3, at);
  take(u, node->J, 6, at);
  if (node->joint->rate >= 0) {
    PfTerm *const state[] = {&node->value, &node->rate, &node->second, &node->slope, &node->force};
    for (int i = 0; i < 5; i++) take(u, state[i], 1, at);
    return;
  }
  take(u, node->x, 4, at);
  take(u, node->dx, 4, at);
  take(u, node->Q, 4, at);
  if (node->joint->kind != PF_CHAIN_FREE) return;
  take(u, node->p, 3, at);
  take(u, node->dp, 3, at);
  take(u, node->P, 3, at);
}

/* Three passes: frames in numbers, expressions in these frames, and the terms that the builder makes of them. */
PfStatus pf_unroll_frames(PfUnrolling *u)
{
  const PfUnrollModel *model = u->model;
  size_t count = (size_t)model->count;
  Wanted wanted = {.list = pf_arena_array(u->arena, PfExpr, MOST_OF_NODE*count + 3)};
  Framing g = {.u = u, .model = model, .frame = pf_arena_array(u->arena, Frame, count),
               .slide = pf_arena_array(u->arena, PfExpr, count), .zero = pf_expr_int(u->ctx, 0)};
  u->node = pf_arena_array(u->arena, PfUnrollNode, count);
  if (!wanted.list || !g.frame || !g.slide || !u->node) return pf_no_room(u->ctx, "the recursion");
  for (size_t k = 0; k < count; k++) g.slide[k] = g.zero;
  set_frames(&g);
  for (int k = 0; k < model->count; k++) PF_TRY(want_node(&g, k, &wanted));
  want(&wanted, model->gravity, 3);
  PF_TRY(pf_expr_check(u->ctx));
  PF_TRY(pf_builder_new(u->ctx, model->plan->inputs, model->plan->input_count, wanted.list, wanted.count, &u->builder));
  u->zero = pf_builder_number(u->builder, 0);
  u->one = pf_builder_number(u->builder, 1);
  u->count = model->count;
  int at = 0;
  for (int k = 0; k < u->count; k++) take_node(u, k, &at);
  take(u, u->gravity, 3, &at);
  for (int k = 0; k < u->count; k++) set_edge(u, &g, k, u->node + k);
  return PF_OK;
}
