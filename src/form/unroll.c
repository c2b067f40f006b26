/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps of the articulated-body recursion on terms, for trees without constraints (docs/spatial.md, Featherstone
 * 2008, ch. 7). Each does what src/tree does in numbers, arranged for few operations:
 *
 *   masses   what a joint cannot tell from a mass of its parent is given to the parent: a body that turns about z keeps
 *            Jxx - Jyy, Jxy, Jxz, Jyz, Jzz, mcx and mcy (base parameters, Gautier and Khalil 1990). Motions, pivots and
 *            columns of the recursion stay what they are.
 *   outward  velocities, and accelerations with all rates constant, weight included; the forces they take.
 *   inward   articulated inertias, and forces with what the joints take out of them.
 *   outward  the changes of acceleration that the joints make of it. */
#include "form/unroll_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- masses */

/* Adds an inertia, given in the axes of the node after its first `turns`, to the parent at its own origin. */
static void give_mass(const PfUnrolling *u, const PfUnrollNode *node, int turns, const PfUnrollInertia *given)
{
  if (node->parent < 0) return;
  PfUnrollNode *parent = u->node + node->parent;
  PfUnrollInertia I = *given;
  if (turns > 0) pf_unroll_inertia_up(u, &node->edge, turns, &I);
  pf_unroll_inertia_shift(u, node->edge.l, &I);
  const PfTerm mc[3] = {I.B[7], I.B[2], I.B[3]};
  parent->m = plus(u, parent->m, I.M[0]);
  pf_unroll_add(u, parent->mc, mc, 3);
  pf_unroll_add(u, parent->J, I.J, 6);
}

/* Moves parts of the masses to the parent that the joint does not see: what lies along the axis of a spin, the inertia
 * of a slide, a point mass at a ball joint. This saves operations and changes no motion. */
static void give_masses(const PfUnrolling *u)
{
  const PfTerm zero = u->zero, none[6] = {zero, zero, zero, zero, zero, zero};
  for (int k = u->count; k-- > 0;) {
    PfUnrollNode *node = u->node + k;
    PfUnrollInertia given;
    if (node->joint->kind == PF_CHAIN_SPIN && node->fixed_turns >= 0) { /* what lies along z */
      const PfTerm J[6] = {node->J[3], zero, zero, node->J[3], zero, zero}, mc[3] = {zero, zero, node->mc[2]};
      pf_unroll_inertia_of(u, node->m, mc, J, &given);
      give_mass(u, node, node->fixed_turns, &given);
      node->J[0] = minus(u, node->J[0], node->J[3]);
      node->J[3] = node->mc[2] = node->m = zero;
    } else if (node->joint->kind == PF_CHAIN_SLIDE && node->fixed_turns >= 0) { /* it turns as its parent does */
      if (node->parent >= 0) pf_unroll_add(u, u->node[node->parent].J, node->J, 6);
      memcpy(node->J, none, sizeof none);
    } else if (node->joint->kind == PF_CHAIN_BALL) { /* a point mass at the joint */
      pf_unroll_inertia_of(u, node->m, none, none, &given);
      give_mass(u, node, 0, &given);
      node->m = zero;
    }
  }
}

/* ---------------------------------------------------------------- outward: velocities and forces */

static bool is_driven(const PfUnrolling *u, const PfUnrollNode *node)
{
  return node->joint->rate >= 0 && u->model->recursion->rate[node->joint->rate].role == PF_RATE_DRIVEN;
}

/* [alpha] + [w][w]: what makes accelerations of places. */
static void spin_matrix(const PfUnrolling *u, const PfUnrollNode *node, PfTerm K[9])
{
  const PfTerm *w = node->w, *alpha = node->alpha;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1)%3, k = (i + 2)%3;
    const PfTerm product = times(u, w[i], w[j]);
    K[4*i] = pf_builder_neg(u->builder, plus(u, times(u, w[j], w[j]), times(u, w[k], w[k])));
    K[3*i + j] = minus(u, product, alpha[k]);
    K[3*j + i] = plus(u, product, alpha[k]);
  }
}

/* 2 w x rate, where something slides at the rate. */
static void add_coriolis(const PfUnrolling *u, const PfTerm w[3], const PfTerm rate[3], PfTerm a[3])
{
  PfTerm c[3];
  pf_unroll_cross(u, w, rate, c);
  for (int i = 0; i < 3; i++) a[i] = plus(u, a[i], times(u, pf_builder_number(u->builder, 2), c[i]));
}

/* Velocities and accelerations of the parent at the own origin, in own axes. */
static void begin_motion(const PfUnrolling *u, PfUnrollNode *node)
{
  if (node->parent < 0) {
    for (int i = 0; i < 3; i++) node->w[i] = node->alpha[i] = u->zero;
    for (int i = 0; i < 3; i++) node->a[i] = pf_builder_neg(u->builder, u->gravity[i]);
  } else {
    const PfUnrollNode *parent = u->node + node->parent;
    PfTerm K[9];
    memcpy(node->w, parent->w, sizeof node->w);
    memcpy(node->alpha, parent->alpha, sizeof node->alpha);
    spin_matrix(u, parent, K);
    pf_unroll_times(u, K, node->edge.l, node->a);
    pf_unroll_add(u, node->a, parent->a, 3);
  }
  if (node->joint->kind == PF_CHAIN_FREE) add_coriolis(u, node->w, node->h, node->a);
  pf_unroll_back(u, &node->edge, node->w);
  pf_unroll_back(u, &node->edge, node->alpha);
  pf_unroll_back(u, &node->edge, node->a);
}

/* The joint's own part: c = w x h rate, or twice that of a slide. */
static void add_joint_motion(const PfUnrolling *u, PfUnrollNode *node)
{
  PfTerm rate[3], c[3];
  if (node->joint->rate < 0) {
    /* w_i = 2 (x0 dx_i + x_l dx_j - x_i dx0 - x_j dx_l)/x.x */
    const PfTerm *x = node->x, *dx = node->dx, two = pf_builder_number(u->builder, 2);
    const PfTerm scale = pf_builder_div(u->builder, two, pf_unroll_dot(u, x, x, 4));
    for (int i = 1; i < 4; i++) {
      const int j = i%3 + 1, l = (i + 1)%3 + 1;
      const PfTerm along = plus(u, times(u, x[0], dx[i]), times(u, x[l], dx[j]));
      const PfTerm against = plus(u, times(u, x[i], dx[0]), times(u, x[j], dx[l]));
      node->spin[i - 1] = times(u, scale, minus(u, along, against));
    }
    pf_unroll_cross(u, node->w, node->spin, c);
    pf_unroll_add(u, node->alpha, c, 3);
    pf_unroll_add(u, node->w, node->spin, 3);
    return;
  }
  for (int i = 0; i < 3; i++) rate[i] = times(u, node->h[i], node->rate);
  if (node->joint->kind == PF_CHAIN_SLIDE) add_coriolis(u, node->w, rate, node->a);
  if (node->joint->kind == PF_CHAIN_SPIN) {
    pf_unroll_cross(u, node->w, rate, c);
    pf_unroll_add(u, node->alpha, c, 3);
    pf_unroll_add(u, node->w, rate, 3);
  }
  PfTerm *given = node->joint->kind == PF_CHAIN_SPIN ? node->alpha : node->a;
  for (int i = 0; i < 3 && is_driven(u, node); i++) given[i] = plus(u, given[i], times(u, node->h[i], node->second));
}

/* n = J alpha + w x J w + mc x a,  f = m a + ([alpha] + [w][w]) mc */
static void find_effort(const PfUnrolling *u, PfUnrollNode *node)
{
  PfTerm K[9], turn[3], Jw[3], *n = node->z, *f = node->z + 3;
  pf_unroll_symmetric_times(u, node->J, node->alpha, n);
  pf_unroll_symmetric_times(u, node->J, node->w, Jw);
  pf_unroll_cross(u, node->w, Jw, turn);
  pf_unroll_add(u, n, turn, 3);
  pf_unroll_cross(u, node->mc, node->a, turn);
  pf_unroll_add(u, n, turn, 3);
  spin_matrix(u, node, K);
  pf_unroll_times(u, K, node->mc, f);
  for (int i = 0; i < 3; i++) f[i] = plus(u, f[i], times(u, node->m, node->a[i]));
}

/* ---------------------------------------------------------------- inward: inertias and forces */

static PfStatus refuse(PfUnrolling *u, const char *why_not)
{
  u->why_not = why_not;
  return PF_ERR_MODEL;
}

static PfTerm reciprocal(const PfUnrolling *u, PfTerm a)
{
  return pf_builder_div(u->builder, u->one, a);
}

/* The least reciprocal of a pivot and the largest ratio to the inertia it is taken from; numbers are decided here. */
static PfStatus note_pivot(PfUnrolling *u, PfTerm pivot, PfTerm size)
{
  double value;
  if (pf_builder_is_number(u->builder, pivot, &value))
    return value > 0 ? PF_OK : refuse(u, "a joint can move without moving any mass");
  const PfTerm inverse = reciprocal(u, pivot), ratio = times(u, size, inverse);
  u->least = u->has_pivots ? pf_builder_min(u->builder, u->least, inverse) : inverse;
  u->most = u->has_pivots ? pf_builder_max(u->builder, u->most, ratio) : ratio;
  u->has_pivots = true;
  return PF_OK;
}

/* Element i, j of the whole matrix. */
static PfTerm *element(PfUnrollInertia *I, int i, int j)
{
  if (i < 3 && j < 3) return I->J + symmetric(i, j);
  if (i >= 3 && j >= 3) return I->M + symmetric(i - 3, j - 3);
  return i < 3 ? I->B + 3*i + j - 3 : I->B + 3*j + i - 3;
}

/* U = P h, D = h.U, g = U/D, P - U g^T; z + g (tau - h.z). A row that is taken out as a whole is zero then, not what
 * rounding leaves of it. */
static PfStatus eliminate_axial(PfUnrolling *u, PfUnrollNode *node)
{
  const int first = node->joint->kind == PF_CHAIN_SPIN ? 0 : 3;
  const PfTerm tau = pf_builder_div(u->builder, node->force, node->slope);
  PfTerm U[6];
  int whole = -1;
  for (int i = 0; i < 3; i++)
    if (node->h[i] == u->one && pf_builder_is_zero(u->builder, node->h[(i + 1)%3]) &&
        pf_builder_is_zero(u->builder, node->h[(i + 2)%3])) whole = first + i;
  for (int i = 0; i < 6; i++) {
    U[i] = u->zero;
    for (int j = 0; j < 3; j++) U[i] = plus(u, U[i], times(u, *element(&node->I, i, first + j), node->h[j]));
  }
  const PfTerm D = pf_unroll_dot(u, node->h, U + first, 3);
  const PfTerm eps = minus(u, tau, pf_unroll_dot(u, node->h, node->z + first, 3));
  /* Of an axial joint: what it has to move if nothing further out moves. */
  PF_TRY(note_pivot(u, D, node->joint->kind == PF_CHAIN_SPIN ? node->J[5] : node->m));
  const PfTerm inverse = reciprocal(u, D);
  for (int i = 0; i < 6; i++) node->g[i] = i == whole ? u->one : times(u, U[i], inverse);
  node->nu = times(u, eps, inverse);
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++) {
      PfTerm *at = element(&node->I, i, j);
      *at = i == whole || j == whole ? u->zero : minus(u, *at, times(u, U[i], node->g[j]));
    }
  for (int i = 0; i < 6; i++) node->z[i] = i == whole ? tau : plus(u, node->z[i], times(u, node->g[i], eps));
  return PF_OK;
}

/* W = L D L^T in place, n <= 6: L below, 1/D on the diagonal. */
static PfStatus factor(PfUnrolling *u, PfTerm *W, int n)
{
  PfTerm size[6];
  for (int p = 0; p < n; p++) size[p] = W[p*n + p];
  for (int p = 0; p < n; p++) {
    PF_TRY(note_pivot(u, W[p*n + p], size[p]));
    W[p*n + p] = reciprocal(u, W[p*n + p]);
    for (int i = p + 1; i < n; i++) {
      const PfTerm column = W[i*n + p];
      W[i*n + p] = times(u, column, W[p*n + p]);
      for (int j = p + 1; j <= i; j++) W[i*n + j] = minus(u, W[i*n + j], times(u, W[i*n + p], W[p*n + j]));
    }
    for (int i = p + 1; i < n; i++) /* what later rows are multiplied by: the columns before the division */
      for (int j = p + 1; j < i; j++) W[j*n + i] = W[i*n + j];
  }
  return PF_OK;
}

static void solve(const PfUnrolling *u, const PfTerm *W, int n, PfTerm *x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) x[i] = minus(u, x[i], times(u, W[i*n + j], x[j]));
  for (int i = 0; i < n; i++) x[i] = times(u, x[i], W[i*n + i]);
  for (int i = n; i-- > 0;)
    for (int j = i + 1; j < n; j++) x[i] = minus(u, x[i], times(u, W[j*n + i], x[j]));
}

/* x (0, e): a quaternion times a vector. */
static void turn_by(const PfUnrolling *u, const PfTerm x[4], const PfTerm e[3], PfTerm out[4])
{
  out[0] = pf_builder_neg(u->builder, pf_unroll_dot(u, x + 1, e, 3));
  for (int i = 1; i < 4; i++) {
    const int j = i%3 + 1, l = (i + 1)%3 + 1;
    out[i] = plus(u, times(u, x[0], e[i - 1]), minus(u, times(u, x[j], e[l - 1]), times(u, x[l], e[j - 1])));
  }
}

/* Forces on a quaternion as a moment. */
static void find_moment(const PfUnrolling *u, PfUnrollNode *node)
{
  const PfTerm half = pf_builder_number(u->builder, 0.5);
  for (int k = 0; k < 3; k++) {
    PfTerm e[3] = {u->zero, u->zero, u->zero}, column[4];
    e[k] = u->one;
    turn_by(u, node->x, e, column);
    node->tau[k] = times(u, half, pf_unroll_dot(u, node->Q, column, 4));
  }
}

/* alpha = J^-1 (tau - z) - J^-1 B a: what is left is M - B^T J^-1 B. */
static PfStatus eliminate_ball(PfUnrolling *u, PfUnrollNode *node)
{
  PfUnrollInertia *I = &node->I;
  PfTerm W[9], column[3];
  for (int i = 0; i < 9; i++) W[i] = I->J[symmetric(i/3, i%3)];
  find_moment(u, node);
  PF_TRY(factor(u, W, 3));
  for (int i = 0; i < 3; i++) node->motion[i] = minus(u, node->tau[i], node->z[i]);
  solve(u, W, 3, node->motion);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) column[i] = I->B[3*i + j];
    solve(u, W, 3, column);
    for (int i = 0; i < 3; i++) node->G[3*i + j] = column[i];
  }
  for (int i = 0; i < 3; i++) {
    const PfTerm row[3] = {I->B[i], I->B[3 + i], I->B[6 + i]};
    node->z[3 + i] = plus(u, node->z[3 + i], pf_unroll_dot(u, row, node->motion, 3));
    node->z[i] = node->tau[i];
    for (int j = i; j < 3; j++) {
      const PfTerm other[3] = {node->G[j], node->G[3 + j], node->G[6 + j]};
      I->M[symmetric(i, j)] = minus(u, I->M[symmetric(i, j)], pf_unroll_dot(u, row, other, 3));
    }
  }
  for (int i = 0; i < 9; i++) I->B[i] = u->zero;
  for (int i = 0; i < 6; i++) I->J[i] = u->zero;
  return PF_OK;
}

/* Articulated inertias, inward: each joint is eliminated, and the rest is passed to the parent. */
static PfStatus sweep_in(PfUnrolling *u)
{
  for (int k = u->count; k-- > 0;) {
    PfUnrollNode *node = u->node + k;
    if (node->joint->kind == PF_CHAIN_BALL) PF_TRY(eliminate_ball(u, node));
    else if (node->joint->kind == PF_CHAIN_FREE) {
      /* All six: nothing is left but the forces of the joint. */
      PfTerm W[36], force[3];
      for (int i = 0; i < 36; i++) W[i] = *element(&node->I, i/6, i%6);
      find_moment(u, node);
      memcpy(force, node->P, sizeof force);
      pf_unroll_back(u, &node->edge, force);
      PF_TRY(factor(u, W, 6));
      for (int i = 0; i < 6; i++) node->motion[i] = minus(u, i < 3 ? node->tau[i] : force[i - 3], node->z[i]);
      solve(u, W, 6, node->motion);
      for (int i = 0; i < 6; i++) node->z[i] = i < 3 ? node->tau[i] : force[i - 3];
      for (int i = 0; i < 9; i++) node->I.B[i] = u->zero;
      for (int i = 0; i < 6; i++) node->I.J[i] = node->I.M[i] = u->zero;
    } else if (!is_driven(u, node)) PF_TRY(eliminate_axial(u, node));
    if (node->parent >= 0) {
      PfUnrollNode *parent = u->node + node->parent;
      PfTerm moment[3];
      pf_unroll_up(u, &node->edge, node->edge.turn_count, node->z);
      pf_unroll_up(u, &node->edge, node->edge.turn_count, node->z + 3);
      pf_unroll_cross(u, node->edge.l, node->z + 3, moment);
      pf_unroll_add(u, node->z, moment, 3);
      pf_unroll_inertia_up(u, &node->edge, node->edge.turn_count, &node->I);
      pf_unroll_inertia_shift(u, node->edge.l, &node->I);
      pf_unroll_add(u, parent->z, node->z, 6);
      pf_unroll_add(u, parent->I.J, node->I.J, 6);
      pf_unroll_add(u, parent->I.B, node->I.B, 9);
      pf_unroll_add(u, parent->I.M, node->I.M, 6);
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- outward: accelerations */

/* Accelerations of a ball or free joint. */
static void ball_rates(const PfUnrolling *u, PfUnrollNode *node)
{
  const bool is_free = node->joint->kind == PF_CHAIN_FREE;
  PfTerm carried[3], taken[3];
  memcpy(carried, node->delta + 3, sizeof carried);
  pf_unroll_back(u, &node->edge, node->delta);
  pf_unroll_back(u, &node->edge, node->delta + 3);
  if (is_free) {
    /* Linear rates of a free joint are those of the position, in the axes before it moves. */
    PfTerm linear[3];
    memcpy(linear, node->motion + 3, sizeof linear);
    pf_unroll_up(u, &node->edge, 0, linear);
    for (int i = 0; i < 3; i++) linear[i] = minus(u, linear[i], carried[i]);
    pf_unroll_transposed_times(u, node->Rt, linear, node->vdot + 3);
  } else pf_unroll_times(u, node->G, node->delta + 3, taken);
  for (int i = 0; i < 3; i++) {
    const PfTerm alpha = is_free ? node->motion[i] : minus(u, node->motion[i], taken[i]);
    node->vdot[i] = minus(u, alpha, node->delta[i]);
    node->delta[i] = alpha;
    if (is_free) node->delta[3 + i] = node->motion[3 + i];
  }
}

/* Accelerations of all joints, outward. */
static void sweep_back_out(const PfUnrolling *u)
{
  for (int k = 0; k < u->count; k++) {
    PfUnrollNode *node = u->node + k;
    /* Of the parent, at the own point and in the own axes. */
    for (int i = 0; i < 6; i++) node->delta[i] = node->parent < 0 ? u->zero : u->node[node->parent].delta[i];
    PfTerm swing[3];
    pf_unroll_cross(u, node->delta, node->edge.l, swing);
    pf_unroll_add(u, node->delta + 3, swing, 3);
    if (node->joint->rate < 0) {
      ball_rates(u, node);
      continue;
    }
    pf_unroll_back(u, &node->edge, node->delta);
    pf_unroll_back(u, &node->edge, node->delta + 3);
    if (is_driven(u, node)) continue;
    node->vdot[0] = minus(u, node->nu, pf_unroll_dot(u, node->g, node->delta, 6));
    PfTerm *moved = node->delta + (node->joint->kind == PF_CHAIN_SPIN ? 0 : 3);
    for (int i = 0; i < 3; i++) moved[i] = plus(u, moved[i], times(u, node->h[i], node->vdot[0]));
  }
}

/* ---------------------------------------------------------------- coordinates */

/* x'' = x (0, vdot/2 + w (x.x')/x.x) - x (x'.x')/x.x: the length is kept. */
static void quaternion_accelerations(const PfUnrolling *u, const PfUnrollNode *node, PfTerm out[4])
{
  const PfTerm inverse = reciprocal(u, pf_unroll_dot(u, node->x, node->x, 4));
  const PfTerm half = pf_builder_number(u->builder, 0.5);
  const PfTerm drift = times(u, pf_unroll_dot(u, node->x, node->dx, 4), inverse);
  const PfTerm pull = times(u, pf_unroll_dot(u, node->dx, node->dx, 4), inverse);
  PfTerm e[3];
  for (int i = 0; i < 3; i++) e[i] = plus(u, times(u, half, node->vdot[i]), times(u, node->spin[i], drift));
  turn_by(u, node->x, e, out);
  for (int i = 0; i < 4; i++) out[i] = minus(u, out[i], times(u, node->x[i], pull));
}

/* ---------------------------------------------------------------- all of it */

/* The articulated-body algorithm written out as terms, and the tape of the accelerations with the measures of its
 * pivots. The tape gives q'' (n), then two pairs that measure the pivots: reciprocals below and ratios above a limit
 * show a joint without inertia. */
static PfStatus run(PfUnrolling *u, int n, PfTape **tape)
{
  PF_TRY(pf_unroll_frames(u));
  give_masses(u);
  for (int k = 0; k < u->count; k++) {
    PfUnrollNode *node = u->node + k;
    begin_motion(u, node);
    add_joint_motion(u, node);
    find_effort(u, node);
    pf_unroll_inertia_of(u, node->m, node->mc, node->J, &node->I);
  }
  const PfStatus status = sweep_in(u);
  if (status != PF_OK) return u->why_not ? pf_fail(u->ctx, PF_ERR_MODEL, "%s", u->why_not) : status;
  sweep_back_out(u);
  PfTerm *roots = pf_arena_array(u->arena, PfTerm, n + 2*PF_UNROLL_PAIRS);
  if (!roots) return pf_no_room(u->ctx, "the recursion");
  const PfRecursion *r = u->model->recursion;
  for (int k = 0; k < u->count; k++) {
    const PfUnrollNode *node = u->node + k;
    if (node->joint->rate < 0) {
      const PfBall *ball = r->model->balls + r->chain.step[node->joint->step].ball;
      quaternion_accelerations(u, node, roots + ball->q);
      if (node->joint->kind == PF_CHAIN_FREE) memcpy(roots + ball->p, node->vdot + 3, 3*sizeof *roots);
    } else if (!is_driven(u, node)) {
      const int i = r->rate[node->joint->rate].coordinate;
      roots[i] = pf_builder_div(u->builder, minus(u, node->vdot[0], node->second), node->slope);
    }
  }
  roots[n] = u->has_pivots ? u->least : u->one;
  roots[n + 1] = u->zero;
  roots[n + 2] = u->one;
  roots[n + 3] = u->has_pivots ? u->most : u->one;
  return pf_builder_tape(u->builder, roots, n + 2*PF_UNROLL_PAIRS, tape);
}

/* Only quaternions may be bound, by their lengths, and every rate is a coordinate's own or known. */
static PfStatus unroll(PfUnrolling *u, PfUnrollModel *model, PfTape **tape)
{
  const PfRecursion *r = model->recursion;
  for (int k = 0; k < model->system->m; k++)
    if (!r->model->constraints[k].norm)
      return pf_fail(u->ctx, PF_ERR_MODEL, "the recursion is written out for trees without constraints, and the model "
                     "has '%s'", r->model->constraints[k].name);
  for (int k = 0; k < r->rate_count; k++)
    if (r->rate[k].role == PF_RATE_FOLLOWS)
      return pf_fail(u->ctx, PF_ERR_MODEL, "the recursion is written out for joints that move one by one, and a "
                     "placement depends on several coordinates");
  PF_TRY(pf_unroll_joints(model));
  return run(u, model->system->n, tape);
}

/* Fails with PF_ERR_MODEL for trees with constraints and for joints that can move without moving a mass. A solver in
 * loops is made for its lists of joints, and freed at the end. */
PfStatus pf_unroll(PfContext *ctx, const PfSystem *system, const PfUnrollPlan *plan, PfTape **tape)
{
  PfSolver *solver;
  *tape = NULL;
  const PfSolverPlan loops = {.in_loops = true}; /* they know the joints, and what is no tree */
  PF_TRY(pf_solver_new_for(ctx, system, &pf_form_recursive, &loops, &solver));
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfUnrollModel model = {.ctx = ctx, .arena = arena, .plan = plan, .system = system, .recursion = solver->data};
  PfUnrolling u = {.ctx = ctx, .arena = arena, .model = &model};
  PfStatus status = arena ? unroll(&u, &model, tape) : pf_no_room(ctx, "the recursion");
  pf_builder_free(u.builder);
  pf_arena_free(arena);
  pf_solver_free(solver);
  return status;
}
