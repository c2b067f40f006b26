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
