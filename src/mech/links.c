/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of frames as linear forms of unknowns, in the axes of each frame, every coefficient in its shortest form.
 * Short forms are found link by link, where the motion of the whole chain in one formula would be hopeless: the n-th
 * trailer moves as its hitch does. */
#include "mech/links.h"

#include <string.h>

struct PfLinks {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  const PfExpr *v;
  int count;
  const PfExpr *unknowns;
  const uint8_t *still;
  bool *round, *done, *wanted;
  PfLink *link;
  PfExpr *zeros; /* for all unknowns */
};

/* The gradient by the unknowns, and what is left where they are zero. */
PfStatus pf_links_form(const PfLinks *l, PfExpr e, PfExpr *form)
{
  PF_TRY(pf_expr_gradient(l->ctx, e, l->unknowns, l->count, form));
  PF_TRY(pf_expr_substitute(l->ctx, &e, 1, l->unknowns, l->zeros, l->count, form + l->count));
  for (int a = 0; a <= l->count; a++) form[a] = pf_expr_simplest(l->ctx, form[a]);
  return pf_expr_check(l->ctx);
}

/* The three expressions by the unknowns, every coefficient in its shortest form. */
static PfStatus tidy3(const PfLinks *l, PfExpr *e)
{
  PfMark mark = pf_arena_mark(l->arena);
  PfExpr *form;
  PF_TRY(pf_arrays(l->ctx, l->arena, "the velocities of bodies", PF_ROOM(form, l->count + 1)));
  for (int k = 0; k < 3; k++) {
    PF_TRY(pf_links_form(l, e[k], form));
    e[k] = pf_expr_add(l->ctx, form[l->count], pf_combination(l->ctx, form, 1, l->unknowns, l->count));
  }
  pf_arena_release(l->arena, mark);
  return PF_OK;
}

/* v into the axes of the frame; round wheels keep those of their parent. */
static void from_parent(const PfLinks *l, int frame, const PfExpr *v, PfExpr *out)
{
  if (l->round[frame]) memcpy(out, v, 3*sizeof *out);
  else pf_frame_from_parent(l->model, frame, v, out);
}

/* Velocity and angular velocity of a frame from those of its parent, each in its shortest form: u = R^T (u_p + w_p x o
 * + o'), w = R^T w_p + turn. */
static PfStatus move(const PfLinks *l, int f)
{
  const PfFrame *frame = l->model->frames + f;
  const PfLink *parent = l->link + frame->parent;
  PfLink *link = l->link + f;
  PfExpr rate[4], turn[3], u[3];
  PF_TRY(pf_frame_rates(l->model, f, rate));
  for (int k = 0; k < 3; k++)
    turn[k] = frame->rotation[0] ? frame->turning[k] : pf_expr_mul(l->ctx, rate[3], frame->axis[k]);
  PF_TRY(pf_put_velocities(l->model, l->v, rate, 3, rate));
  PF_TRY(pf_put_velocities(l->model, l->v, turn, 3, turn));
  pf_expr_cross3(l->ctx, parent->w, frame->origin, u);
  for (int k = 0; k < 3; k++) {
    PfExpr terms[3] = {parent->u[k], u[k], rate[k]};
    u[k] = pf_expr_sum(l->ctx, terms, 3);
  }
  from_parent(l, f, u, link->u);
  from_parent(l, f, parent->w, link->w);
  for (int k = 0; k < 3 && l->still; k++)
    if (l->still[f] & 1 << k) link->u[k] = pf_expr_int(l->ctx, 0);
  if (pf_frame_is_turned(frame)) pf_expr_add3(l->ctx, link->w, turn);
  PF_TRY(tidy3(l, link->u));
  return tidy3(l, link->w);
}

/* The velocity of a frame in its own axes, by pseudo-velocities; frames on the way are done once. */
PfStatus pf_links_reach(PfLinks *l, int frame, const PfLink **link)
{
  for (int f = frame; f && !l->done[f]; f = l->model->frames[f].parent) l->wanted[f] = true;
  for (int f = 1; f <= frame; f++) { /* parents first */
    if (!l->wanted[f]) continue;
    PF_TRY(move(l, f));
    l->wanted[f] = false;
    l->done[f] = true;
  }
  *link = l->link + frame;
  return PF_OK;
}

/* Of a round wheel those of the frame that carries it. */
int pf_links_axes(const PfLinks *l, int frame)
{
  while (l->round[frame]) frame = l->model->frames[frame].parent;
  return frame;
}

/* Frames that hang on a forgotten one are forgotten, too. */
void pf_links_forget(PfLinks *l, PfExpr unknown)
{
  for (int f = 1; f < l->model->frame_count; f++) {
    if (!l->done[f]) continue;
    bool depends = !l->done[l->model->frames[f].parent];
    for (int k = 0; k < 3; k++)
      depends = depends || pf_expr_depends(l->ctx, l->link[f].u[k], &unknown, 1) ||
                pf_expr_depends(l->ctx, l->link[f].w[k], &unknown, 1);
    l->done[f] = !depends;
  }
}

/* Nothing is worked out yet: frames are reached when they are needed. */
PfStatus pf_links_make(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *v, const PfExpr *unknowns,
                       int count, const uint8_t *still, PfLinks **links)
{
  const int frames = model->frame_count;
  bool *used;
  PF_TRY(pf_arrays(ctx, arena, "the velocities of bodies", PF_ROOM(*links, 1), PF_ROOM(used, frames)));
  PfLinks *l = *links;
  *l = (PfLinks){.ctx = ctx, .arena = arena, .model = model, .v = v, .count = count, .unknowns = unknowns,
                 .still = still};
  PF_TRY(pf_arrays(ctx, arena, "the velocities of bodies", PF_ROOM(l->round, frames), PF_ROOM(l->done, frames),
                   PF_ROOM(l->wanted, frames), PF_ROOM(l->link, frames), PF_ROOM(l->zeros, count)));
  for (int a = 0; a < count; a++) l->zeros[a] = pf_expr_int(ctx, 0);
  for (int i = 0; i < 3; i++) l->link[0].u[i] = l->link[0].w[i] = pf_expr_int(ctx, 0);
  l->done[0] = true;
  pf_frames_used(model, used);
  pf_frames_round(model, used, l->round);
  return PF_OK;
}
