/* SPDX-License-Identifier: Apache-2.0 */
/* The model as joints, masses and forces, in expressions. Whatever the plan gives numbers for is a number here; other
 * parameters stay symbols. */
#include "form/unroll_impl.h"

#include "model/model.h"
#include "num/rotation.h"

#include <math.h>
#include <string.h>

typedef struct Pose {
  int joint; /* -1: the ground */
  PfExpr R[9], p[3];
} Pose;

/* An expression without symbols, functions of numbers too. */
static bool is_number(const PfUnrollModel *u, PfExpr e, double *x)
{
  bool found = true;
  if (pf_expr_is_number(u->ctx, e, x)) return true;
  if (pf_expr_contain(u->ctx, &e, 1, u->plan->inputs, u->plan->input_count, &found) != PF_OK || found) return false;
  return pf_expr_evaluate(u->ctx, &e, 1, NULL, NULL, 0, x) == PF_OK;
}

static void turn_vector(PfContext *ctx, const PfExpr R[9], const PfExpr v[3], PfExpr out[3])
{
  for (int i = 0; i < 3; i++) out[i] = pf_expr_dot3(ctx, R + 3*i, v);
}

static void product(PfContext *ctx, const PfExpr A[9], const PfExpr B[9], PfExpr out[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const PfExpr column[3] = {B[j], B[3 + j], B[6 + j]};
      out[3*i + j] = pf_expr_dot3(ctx, A + 3*i, column);
    }
}

/* ---------------------------------------------------------------- rotations */

/* Quarters of turns are exact, so that what they make zero is zero. */
static double snap(double x)
{
  const double whole = round(x);
  return fabs(x - whole) < 1e-15 ? whole : x;
}

/* 1 cos + [v] sin + v v^T (1 - cos) */
static void rotation_by_symbols(PfContext *ctx, const PfExpr v[3], PfExpr angle, PfExpr R[9])
{
  const PfExpr c = pf_expr_call1(ctx, PF_OP_COS, angle), s = pf_expr_call1(ctx, PF_OP_SIN, angle);
  const PfExpr rest = pf_expr_sub(ctx, pf_expr_int(ctx, 1), c);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      PfExpr e = pf_expr_mul(ctx, rest, pf_expr_mul(ctx, v[i], v[j]));
      if (i == j) e = pf_expr_add(ctx, e, c);
      else if ((i + 1)%3 == j) e = pf_expr_sub(ctx, e, pf_expr_mul(ctx, s, v[3 - i - j]));
      else e = pf_expr_add(ctx, e, pf_expr_mul(ctx, s, v[3 - i - j]));
      R[3*i + j] = e;
    }
}

/* Of a quaternion that is held; its length does not count. */
static void rotation_of_quaternion(PfContext *ctx, const PfExpr q[4], PfExpr R[9])
{
  PfExpr square[4], s;
  for (int i = 0; i < 4; i++) square[i] = pf_expr_mul(ctx, q[i], q[i]);
  s = pf_expr_sum(ctx, square, 4);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int k = 3 - i - j;
      PfExpr e = i == j ? pf_expr_sub(ctx, square[i + 1], pf_expr_sum(ctx, square + 1, 3))
                        : pf_expr_mul(ctx, q[i + 1], q[j + 1]);
      const PfExpr turn = i == j ? pf_expr_int(ctx, 0) : pf_expr_mul(ctx, q[0], q[k + 1]);
      if (i != j) e = (i + 1)%3 == j ? pf_expr_sub(ctx, e, turn) : pf_expr_add(ctx, e, turn);
      e = pf_expr_div(ctx, pf_expr_mul(ctx, pf_expr_int(ctx, 2), e), s);
      R[3*i + j] = i == j ? pf_expr_add(ctx, pf_expr_int(ctx, 1), e) : e;
    }
}

/* ---------------------------------------------------------------- joints */

static PfStatus expand(const PfUnrollModel *u, const PfExpr *list, int count, PfExpr *out)
{
  memcpy(out, list, (size_t)count*sizeof *out);
  return u->plan->expand(u->plan->user, out, count);
}

static void shift(PfContext *ctx, Pose *pose, const PfExpr v[3])
{
  PfExpr moved[3];
  turn_vector(ctx, pose->R, v, moved);
  for (int i = 0; i < 3; i++) pose->p[i] = pf_expr_add(ctx, pose->p[i], moved[i]);
}

static void append(PfContext *ctx, Pose *pose, const PfExpr S[9])
{
  PfExpr R[9];
  product(ctx, pose->R, S, R);
  memcpy(pose->R, R, sizeof R);
}

/* Begins a pose at the axes of a joint. */
static void begin_pose(PfContext *ctx, int joint, Pose *pose)
{
  const PfExpr zero = pf_expr_int(ctx, 0);
  *pose = (Pose){.joint = joint, .p = {zero, zero, zero}};
  for (int i = 0; i < 9; i++) pose->R[i] = pf_expr_int(ctx, i%4 == 0);
}

/* One step of a placement: a constant one is multiplied into the pose, a moving one becomes a joint. Frames of a held
 * quaternion are fixed like those of a turn. */
static PfStatus take_step(PfUnrollModel *u, int k, Pose *pose)
{
  const PfChainStep *step = u->recursion->chain.step + k;
  PfExpr v[3], angle, q[4], R[9];
  PF_TRY(expand(u, step->v, 3, v));
  switch (step->kind) {
  case PF_CHAIN_SHIFT: shift(u->ctx, pose, v); return PF_OK;
  case PF_CHAIN_TURN:
    PF_TRY(expand(u, &step->value, 1, &angle));
    /* By numbers where axis and angle are numbers, so that zeros of quarter turns are exact. */
    double axis[3], number_of_angle;
    if (is_number(u, v[0], axis) && is_number(u, v[1], axis + 1) && is_number(u, v[2], axis + 2) &&
        is_number(u, angle, &number_of_angle)) {
      double numbers[9];
      pf_rotation_about(axis, number_of_angle, numbers);
      for (int i = 0; i < 9; i++) R[i] = pf_unroll_number(u->ctx, snap(numbers[i]));
    } else rotation_by_symbols(u->ctx, v, angle, R);
    append(u->ctx, pose, R);
    return PF_OK;
  case PF_CHAIN_FREE: shift(u->ctx, pose, v); break;
  case PF_CHAIN_BALL:
    if (step->ball >= 0) break;
    PF_TRY(expand(u, u->system->eq->model->frames[step->frame].quaternion, 4, q));
    rotation_of_quaternion(u->ctx, q, R);
    append(u->ctx, pose, R);
    return PF_OK;
  case PF_CHAIN_SLIDE:
  case PF_CHAIN_SPIN: break;
  }
  /* The joint of a moving step; the pose begins anew on its moving side. */
  const PfRecursion *r = u->recursion;
  const PfExpr zero = pf_expr_int(u->ctx, 0);
  PfUnrollJoint *joint = u->joint + u->count;
  *joint = (PfUnrollJoint){.parent = pose->joint, .kind = r->chain.step[k].kind, .step = k, .rate = -1,
                           .m = zero, .mc = {zero, zero, zero}, .J = {zero, zero, zero, zero, zero, zero}};
  for (int j = r->rate_count; j-- > 0;)
    if (r->rate[j].step == k) joint->rate = j;
  memcpy(joint->R, pose->R, sizeof joint->R);
  memcpy(joint->p, pose->p, sizeof joint->p);
  memcpy(joint->axis, v, sizeof joint->axis);
  begin_pose(u->ctx, u->count++, pose);
  return PF_OK;
}

/* ---------------------------------------------------------------- masses */

static void add_to(PfContext *ctx, PfExpr *sum, PfExpr more)
{
  *sum = pf_expr_add(ctx, *sum, more);
}

/* J += R I R^T + m (c.c 1 - c c^T), mc += m c The inertia of a body about the origin of its joint; bodies fixed to the
 * ground are left out. */
static PfStatus add_mass(PfUnrollModel *u, const PfBody *body, const Pose *pose)
{
  PfContext *ctx = u->ctx;
  PfExpr own[13], c[3], half[9], I[9], Rt[9];
  if (pose->joint < 0) return PF_OK;
  own[0] = body->mass;
  memcpy(own + 1, body->com, 3*sizeof *own);
  memcpy(own + 4, body->inertia, 9*sizeof *own);
  PF_TRY(expand(u, own, 13, own));
  PfUnrollJoint *joint = u->joint + pose->joint;
  turn_vector(ctx, pose->R, own + 1, c);
  for (int i = 0; i < 3; i++) add_to(ctx, c + i, pose->p[i]);
  product(ctx, pose->R, own + 4, half);
  for (int i = 0; i < 9; i++) Rt[i] = pose->R[3*(i%3) + i/3];
  product(ctx, half, Rt, I);
  const PfExpr square = pf_expr_dot3(ctx, c, c);
  for (int i = 0; i < 3; i++) {
    add_to(ctx, joint->mc + i, pf_expr_mul(ctx, own[0], c[i]));
    for (int j = i; j < 3; j++) {
      PfExpr arm = pf_expr_neg(ctx, pf_expr_mul(ctx, c[i], c[j]));
      if (i == j) add_to(ctx, &arm, square);
      add_to(ctx, joint->J + symmetric(i, j), pf_expr_add(ctx, I[3*i + j], pf_expr_mul(ctx, own[0], arm)));
    }
  }
  add_to(ctx, &joint->m, own[0]);
  return PF_OK;
}

/* ---------------------------------------------------------------- rates and forces */

/* Value, rate, second derivative at q'' = 0, and derivative by the own coordinate. One list of 4*count expressions, so
 * that they are expanded together. */
static PfStatus list_rates(PfUnrollModel *u)
{
  const PfRecursion *r = u->recursion;
  const PfModel *model = r->model;
  size_t n = (size_t)model->coordinate_count, count = (size_t)r->rate_count;
  PfExpr *a, *zeros;
  PF_TRY(pf_arrays(u->ctx, u->arena, "the recursion", PF_ROOM(a, n), PF_ROOM(zeros, n), PF_ROOM(u->value, 4*count)));
  u->rate = u->value + count, u->second = u->rate + count, u->slope = u->second + count;
  for (size_t i = 0; i < n; i++) a[i] = model->coordinates[i].a, zeros[i] = pf_expr_int(u->ctx, 0);
  for (size_t k = 0; k < count; k++) {
    const PfRate *rate = r->rate + k;
    u->value[k] = r->chain.step[rate->step].value;
    u->slope[k] = rate->role == PF_RATE_OWN ? pf_expr_diff(u->ctx, u->value[k], model->coordinates[rate->coordinate].q)
                                            : pf_expr_int(u->ctx, 0);
  }
  PF_TRY(pf_model_time_derivative(model, u->value, (int)count, u->rate));
  PF_TRY(pf_model_time_derivative(model, u->rate, (int)count, u->second));
  PF_TRY(pf_expr_substitute(u->ctx, u->second, (int)count, a, zeros, (int)n, u->second));
  return u->plan->expand(u->plan->user, u->value, 4*(int)count);
}

/* Poses of all frames along the chain, joints at moving steps, masses lumped to the joints that carry them, rates, and
 * forces without weight. */
PfStatus pf_unroll_joints(PfUnrollModel *u)
{
  const PfModel *model = u->recursion->model;
  Pose *pose = pf_arena_array(u->arena, Pose, model->frame_count);
  u->joint = pf_arena_array(u->arena, PfUnrollJoint, u->recursion->chain.count);
  if (!pose || !u->joint) return pf_no_room(u->ctx, "the recursion");
  const PfRecursion *r = u->recursion;
  begin_pose(u->ctx, -1, pose);
  for (int f = 1; f < r->model->frame_count; f++) {
    pose[f] = pose[r->model->frames[f].parent];
    for (int k = r->chain.first[f]; k < r->chain.first[f + 1] && r->used[f]; k++) PF_TRY(take_step(u, k, pose + f));
  }
  for (int i = 0; i < model->body_count; i++) PF_TRY(add_mass(u, model->bodies + i, pose + model->bodies[i].frame));
  PF_TRY(expand(u, model->gravity, 3, u->gravity));
  PF_TRY(list_rates(u));
  const PfEquations *eq = u->system->eq;
  size_t n = (size_t)eq->n;
  PfExpr *q;
  PF_TRY(pf_arrays(u->ctx, u->arena, "the recursion", PF_ROOM(q, n), PF_ROOM(u->force, n)));
  for (size_t i = 0; i < n; i++) q[i] = eq->model->coordinates[i].q;
  PF_TRY(pf_expr_gradient(u->ctx, eq->model->potential, q, (int)n, u->force));
  for (size_t i = 0; i < n; i++)
    u->force[i] = pf_expr_sub(u->ctx, pf_expr_add(u->ctx, eq->applied[i], eq->C[i]), u->force[i]);
  PF_TRY(u->plan->expand(u->plan->user, u->force, (int)n));
  return pf_expr_check(u->ctx);
}
