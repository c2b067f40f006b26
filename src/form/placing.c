/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a model in numbers: every moving step of a placement becomes a joint of a tree, and a frame is fixed to
 * the last one on its way. */
#include "form/placing.h"

#include "num/rotation.h"

#include <string.h>

/* R becomes R S. */
static void append_rotation(PfPose *pose, const double S[9])
{
  double R[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      R[3*i + j] = 0;
      for (int k = 0; k < 3; k++) R[3*i + j] += pose->R[3*i + k]*S[3*k + j];
    }
  memcpy(pose->R, R, sizeof R);
}

/* Fails as pf_expr_evaluate does, for symbols that the values do not have. */
PfStatus pf_placing_numbers(const PfPlacing *b, const PfExpr *e, int count, double *x)
{
  int known = 0; /* most are written as numbers */
  while (known < count && pf_expr_is_number(b->ctx, e[known], x + known)) known++;
  if (known == count) return PF_OK;
  return pf_expr_evaluate(b->ctx, e, count, b->in->symbol, b->values, b->in->count, x);
}

static void shift(PfPose *pose, const double v[3])
{
  double w[3];
  pf_rotation_times(pose->R, v, w);
  for (int k = 0; k < 3; k++) pose->p[k] += w[k];
}

/* A joint of the tree at the pose; from there on the frame is fixed to the new body. */
static PfStatus add_joint(PfPlacing *b, PfPose *pose, PfJoint joint, const double axis[3], int *index)
{
  PfTreeBody *body = b->list + b->count;
  *body = pf_tree_body(pose->body, joint);
  pf_rotation_quat(pose->R, body->quat);
  memcpy(body->pos, pose->p, sizeof body->pos);
  if (axis) memcpy(body->axis, axis, sizeof body->axis);
  *index = b->count++;
  *pose = (PfPose){.body = *index, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return PF_OK;
}

/* Constant steps move the pose; a moving one adds a joint and begins a new pose at it. */
static PfStatus take_step(PfPlacing *b, int k, PfPose *pose)
{
  const PfChainStep *step = b->chain->step + k;
  double v[3], angle, R[9], q[4];
  PF_TRY(pf_placing_numbers(b, step->v, 3, v));
  switch (step->kind) {
  case PF_CHAIN_SHIFT: shift(pose, v); return PF_OK;
  case PF_CHAIN_TURN:
    PF_TRY(pf_placing_numbers(b, &step->value, 1, &angle));
    pf_rotation_about(v, angle, R);
    append_rotation(pose, R);
    return PF_OK;
  case PF_CHAIN_SLIDE: return add_joint(b, pose, PF_JOINT_PRISMATIC, v, b->body_of_step + k);
  case PF_CHAIN_SPIN: return add_joint(b, pose, PF_JOINT_REVOLUTE, v, b->body_of_step + k);
  case PF_CHAIN_FREE:
    shift(pose, v);
    return add_joint(b, pose, PF_JOINT_FREE, NULL, b->body_of_step + k);
  case PF_CHAIN_BALL: break;
  }
  if (step->ball >= 0) return add_joint(b, pose, PF_JOINT_SPHERICAL, NULL, b->body_of_step + k);
  PF_TRY(pf_placing_numbers(b, b->model->frames[step->frame].quaternion, 4, q)); /* held */
  pf_quat_rotation(q, R);
  append_rotation(pose, R);
  return PF_OK;
}

/* Frames are listed after their parents, so one pass does. Joints are numbered in the order of the steps. */
PfStatus pf_placing_walk(PfPlacing *b)
{
  b->pose[0] = (PfPose){.body = -1, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int f = 1; f < b->model->frame_count; f++) {
    b->pose[f] = b->pose[b->model->frames[f].parent];
    for (int k = b->chain->first[f]; k < b->chain->first[f + 1] && b->used[f]; k++)
      PF_TRY(take_step(b, k, b->pose + f));
  }
  return PF_OK;
}

/* In kilograms, metres and kg m^2; the inertia is about the mass centre, in body axes, by rows. */
PfStatus pf_placing_mass(const PfPlacing *b, const PfBody *own, double *mass, double com[3], double I[9])
{
  PF_TRY(pf_placing_numbers(b, &own->mass, 1, mass));
  PF_TRY(pf_placing_numbers(b, own->com, 3, com));
  return pf_placing_numbers(b, own->inertia, 9, I);
}
