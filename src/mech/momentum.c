/* SPDX-License-Identifier: Apache-2.0 */
/* Total momentum and angular momentum of the bodies about the origin of the ground, summed up link by link from the
 * outermost frames inward. */
#include "mech/mech_impl.h"

#include <string.h>

/* The frames between the joint and the ground may be placed anywhere, but must not move. */
bool pf_model_floats(const PfModel *model)
{
  for (int b = 0; b < model->ball_count; b++) {
    bool fixed = model->balls[b].p >= 0; /* is the frame that carries it? */
    for (int f = model->frames[model->balls[b].frame].parent; f && fixed; f = model->frames[f].parent) {
      const PfFrame *frame = model->frames + f;
      fixed = frame->quaternion[0] == PF_EXPR_NONE;
      for (int i = 0; i < model->coordinate_count && fixed; i++) {
        PfExpr q = model->coordinates[i].q;
        fixed = frame->angle == PF_EXPR_NONE || !pf_expr_depends(model->ctx, frame->angle, &q, 1);
        for (int k = 0; k < 3; k++) fixed = fixed && !pf_expr_depends(model->ctx, frame->origin[k], &q, 1);
      }
    }
    if (fixed) return true;
  }
  return false;
}

/* ---------------------------------------------------------------- floating in a plane */

/* A coordinate that moves a body on the ground along the plane, and the direction, in the axes of the ground. */
typedef struct Shift {
  int coordinate;
  PfExpr direction[3];
} Shift;

static bool is_zero(PfContext *ctx, PfExpr e)
{
  return pf_expr_is_structural_zero(ctx, e) || pf_expr_is_probably_zero(ctx, e, 2) == PF_TRUE;
}

/* The axis about which the joint of a body on the ground turns, and its two translations; false when these are not at
 * right angles, of length 1 and along one plane, which is that of `normal` unless this is the first body. */
static bool find_shifts(const PfModel *model, int body, const PfBodyJoint *joint, bool first, PfExpr normal[3],
                        Shift *shift)
{
  PfContext *ctx = model->ctx;
  PfExpr axis[3], c[3], parallel[3];
  int count = 0, turning = -1;
  for (int f = model->bodies[body].frame; f; f = model->frames[f].parent)
    for (int k = 0; k < joint->coordinate_count; k++) {
      PfExpr q = model->coordinates[joint->coordinates[k]].q;
      const PfFrame *frame = model->frames + f;
      if (frame->angle != PF_EXPR_NONE && pf_expr_depends(ctx, frame->angle, &q, 1)) turning = f;
    }
  if (turning < 0) return false;
  pf_frame_turn(model, turning, 0, model->frames[turning].axis, axis);
  pf_vector_express(model, pf_frame_position(model, turning), 0, c);
  for (int k = 0; k < joint->coordinate_count; k++) {
    Shift found = {.coordinate = joint->coordinates[k]};
    bool moves = false;
    for (int j = 0; j < 3; j++) {
      found.direction[j] = pf_expr_diff(ctx, c[j], model->coordinates[found.coordinate].q);
      moves = moves || !pf_expr_is_structural_zero(ctx, found.direction[j]);
    }
    if (moves && count == 2) return false;
    if (moves) shift[count++] = found;
  }
  if (count != 2) return false;
  const PfExpr *a = shift[0].direction, *b = shift[1].direction, one = pf_expr_int(ctx, 1);
  bool good = is_zero(ctx, pf_expr_dot3(ctx, a, b)) && is_zero(ctx, pf_expr_sub(ctx, pf_expr_dot3(ctx, a, a), one)) &&
              is_zero(ctx, pf_expr_sub(ctx, pf_expr_dot3(ctx, b, b), one)) &&
              is_zero(ctx, pf_expr_dot3(ctx, a, axis)) && is_zero(ctx, pf_expr_dot3(ctx, b, axis));
  if (first) memcpy(normal, axis, sizeof axis);
  pf_expr_cross3(ctx, normal, axis, parallel);
  for (int j = 0; j < 3; j++) good = good && is_zero(ctx, parallel[j]);
  return good;
}

/* Does a translation of all bodies along the direction change the residual? */
static bool sees_translation(const PfModel *model, PfExpr residual, const Shift *shift, int count, const PfExpr e[3])
{
  PfContext *ctx = model->ctx;
  for (int level = 0; level < 3; level++) {
    PfExpr sum = pf_expr_int(ctx, 0);
    for (int i = 0; i < count; i++) {
      const PfCoordinate *c = model->coordinates + shift[i].coordinate;
      PfExpr symbol = level == 0 ? c->q : level == 1 ? c->v : c->a;
      if (!pf_expr_depends(ctx, residual, &symbol, 1)) continue;
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, pf_expr_dot3(ctx, shift[i].direction, e),
                                              pf_expr_diff(ctx, residual, symbol)));
    }
    if (!is_zero(ctx, sum)) return true;
  }
  return false;
}

PfStatus pf_model_floating(PfContext *ctx, PfArena *arena, const PfModel *model, PfFloating *floating,
                           PfExpr normal[3])
{
  PfBodyJoint *joints;
  int count = 0;
  *floating = pf_model_floats(model) ? PF_FLOATS_FREE : PF_FLOATS_NOT;
  if (*floating == PF_FLOATS_FREE || !model->body_count) return PF_OK;
  PF_TRY(pf_model_joints(ctx, arena, model, &joints));
  Shift *shift = pf_arena_array(arena, Shift, 2*model->body_count);
  if (!shift) return pf_no_room(ctx, "the momentum");
  for (int b = 0; b < model->body_count; b++) {
    if (joints[b].parent >= 0) continue;
    if (strcmp(joints[b].kind, "planar") != 0) return PF_OK;
    if (!find_shifts(model, b, joints + b, count == 0, normal, shift + count)) return pf_expr_check(ctx);
    count += 2;
  }
  for (int k = 0; k < model->constraint_count && count; k++)
    for (int j = 0; j < 2 && !model->constraints[k].norm; j++)
      if (sees_translation(model, model->constraints[k].residual, shift, count, shift[j].direction))
        return pf_expr_check(ctx);
  if (count) *floating = PF_FLOATS_IN_PLANE;
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- momentum */

/* Of each frame, in its own axes. */
typedef struct Link {
  PfExpr u[3];       /* velocity of the origin */
  PfExpr p[3], h[3]; /* momentum of the bodies it carries, the angular one about the origin */
} Link;

/* Velocities outward, then momenta of bodies, then sums inward: all by the tree of frames. */
static PfStatus add_up(const PfModel *model, Link *links)
{
  for (int f = 0; f < model->frame_count; f++)
    for (int k = 0; k < 3; k++) links[f].u[k] = links[f].p[k] = links[f].h[k] = pf_expr_int(model->ctx, 0);
  for (int f = 1; f < model->frame_count; f++) {
    /* u = R^T (u_parent + w_parent x o + o'), o the way from the parent */
    const PfFrame *frame = model->frames + f;
    PfExpr v[3];
    PF_TRY(pf_model_time_derivative(model, frame->origin, 3, v));
    pf_expr_add3(model->ctx, v, links[frame->parent].u);
    pf_expr_add_cross3(model->ctx, v, model->frames[frame->parent].spin, frame->origin);
    pf_frame_from_parent(model, f, v, links[f].u);
  }
  for (int i = 0; i < model->body_count; i++) {
    /* p = m (u + w x c), h = I w + c x p */
    const PfBody *body = model->bodies + i;
    Link *link = links + model->bodies[i].frame;
    PfContext *ctx = model->ctx;
    const PfExpr *w = model->frames[body->frame].spin;
    PfExpr p[3], h[3];
    memcpy(p, link->u, sizeof p);
    pf_expr_add_cross3(ctx, p, w, body->com);
    for (int k = 0; k < 3; k++) p[k] = pf_expr_mul(ctx, body->mass, p[k]);
    for (int k = 0; k < 3; k++) h[k] = pf_expr_dot3(ctx, body->inertia + 3*k, w);
    pf_expr_add_cross3(ctx, h, body->com, p);
    pf_expr_add3(ctx, link->p, p);
    pf_expr_add3(ctx, link->h, h);
  }
  for (int f = model->frame_count - 1; f > 0; f--) { /* momenta about the origin of the parent, in its axes */
    const PfFrame *frame = model->frames + f;
    Link *parent = links + frame->parent;
    PfExpr p[3], h[3];
    pf_frame_to_parent(model, f, links[f].p, p);
    pf_frame_to_parent(model, f, links[f].h, h);
    pf_expr_add_cross3(model->ctx, h, frame->origin, p);
    pf_expr_add3(model->ctx, parent->p, p);
    pf_expr_add3(model->ctx, parent->h, h);
  }
  return pf_expr_check(model->ctx);
}

/* Link by link: written out for each body, the ways to the ground of n bodies in a row would be n^2 long. */
PfStatus pf_model_momentum(PfContext *ctx, const PfModel *model, PfExpr momentum[6])
{
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  Link *links = scratch ? pf_arena_array(scratch, Link, model->frame_count) : NULL;
  PfStatus status = links ? add_up(model, links) : pf_no_room(ctx, "the momentum");
  if (status == PF_OK) {
    memcpy(momentum, links[0].p, sizeof links[0].p);
    memcpy(momentum + 3, links[0].h, sizeof links[0].h);
  }
  pf_arena_free(scratch);
  return status;
}

/* Of the linear momentum the part along the plane, of the angular momentum the part about its normal: the rest is held
 * by the ground. */
void pf_momentum_in_plane(PfContext *ctx, const PfExpr normal[3], PfExpr momentum[6])
{
  PfExpr across = pf_expr_dot3(ctx, momentum, normal), about = pf_expr_dot3(ctx, momentum + 3, normal);
  for (int k = 0; k < 3; k++) {
    momentum[k] = pf_expr_sub(ctx, momentum[k], pf_expr_mul(ctx, across, normal[k]));
    momentum[3 + k] = pf_expr_mul(ctx, about, normal[k]);
  }
}
