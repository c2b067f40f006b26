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
  PfExpr *velocity, *zeros; /* symbols q'; zeros for all unknowns */
};

static PfStatus put_velocities_in(const PfLinks *l, PfExpr *e, int count)
{
  return pf_expr_substitute(l->ctx, e, count, l->velocity, l->v, l->model->coordinate_count, e);
}

PfStatus pf_links_form(const PfLinks *l, PfExpr e, PfExpr *form)
{
  PF_TRY(pf_expr_gradient(l->ctx, e, l->unknowns, l->count, form));
  PF_TRY(pf_expr_substitute(l->ctx, &e, 1, l->unknowns, l->zeros, l->count, form + l->count));
  for (int a = 0; a <= l->count; a++) form[a] = pf_expr_simplest(l->ctx, form[a]);
  return pf_expr_check(l->ctx);
}

static PfStatus tidy(const PfLinks *l, PfExpr *e)
{
  PfMark mark = pf_arena_mark(l->arena);
  PfExpr *form = pf_arena_array(l->arena, PfExpr, l->count + 1);
  if (!form) return pf_no_room(l->ctx, "the velocities of bodies");
  PF_TRY(pf_links_form(l, *e, form));
  *e = pf_expr_add(l->ctx, form[l->count], pf_combination(l->ctx, form, 1, l->unknowns, l->count));
  pf_arena_release(l->arena, mark);
  return PF_OK;
}

static PfStatus tidy3(const PfLinks *l, PfExpr *e)
{
  for (int k = 0; k < 3; k++) PF_TRY(tidy(l, e + k));
  return PF_OK;
}

static void from_parent(const PfLinks *l, int frame, const PfExpr *v, PfExpr *out)
{
  if (l->round[frame]) memcpy(out, v, 3*sizeof *out);
  else pf_frame_from_parent(l->model, frame, v, out);
}

/* The rates at which the frame moves against its parent: of its origin, and its turn in its own axes. */
static PfStatus find_rates(const PfLinks *l, const PfFrame *frame, PfExpr rate[3], PfExpr turn[3])
{
  PfExpr zero = pf_expr_int(l->ctx, 0);
  PfExpr e[4] = {frame->origin[0], frame->origin[1], frame->origin[2], frame->angle ? frame->angle : zero};
  PF_TRY(pf_model_time_derivative(l->model, e, 4, e));
  memcpy(rate, e, 3*sizeof *rate);
  for (int k = 0; k < 3; k++)
    turn[k] = frame->rotation[0] ? frame->turning[k] : pf_expr_mul(l->ctx, e[3], frame->axis[k]);
  PF_TRY(put_velocities_in(l, rate, 3));
  return put_velocities_in(l, turn, 3);
}

static PfStatus move(const PfLinks *l, int f)
{
  const PfFrame *frame = l->model->frames + f;
  const PfLink *parent = l->link + frame->parent;
  PfLink *link = l->link + f;
  PfExpr rate[3], turn[3], u[3];
  PF_TRY(find_rates(l, frame, rate, turn));
  pf_expr_cross3(l->ctx, parent->w, frame->origin, u);
  for (int k = 0; k < 3; k++) {
    PfExpr terms[3] = {parent->u[k], u[k], rate[k]};
    u[k] = pf_expr_sum(l->ctx, terms, 3);
  }
  from_parent(l, f, u, link->u);
  from_parent(l, f, parent->w, link->w);
  for (int k = 0; k < 3 && l->still; k++)
    if (l->still[f] & 1 << k) link->u[k] = pf_expr_int(l->ctx, 0);
  if (pf_frame_is_turned(frame))
    for (int k = 0; k < 3; k++) link->w[k] = pf_expr_add(l->ctx, link->w[k], turn[k]);
  PF_TRY(tidy3(l, link->u));
  return tidy3(l, link->w);
}

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

int pf_links_axes(const PfLinks *l, int frame)
{
  while (l->round[frame]) frame = l->model->frames[frame].parent;
  return frame;
}

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

PfStatus pf_links_make(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *v, const PfExpr *unknowns,
                       int count, const uint8_t *still, PfLinks **links)
{
  int n = model->coordinate_count;
  PfLinks *l = *links = pf_arena_array(arena, PfLinks, 1);
  bool *used = pf_arena_array(arena, bool, model->frame_count);
  if (!l || !used) return pf_no_room(ctx, "the velocities of bodies");
  *l = (PfLinks){.ctx = ctx, .arena = arena, .model = model, .v = v, .count = count, .unknowns = unknowns,
                 .still = still};
  l->round = pf_arena_array(arena, bool, model->frame_count);
  l->done = pf_arena_array(arena, bool, model->frame_count);
  l->wanted = pf_arena_array(arena, bool, model->frame_count);
  l->link = pf_arena_array(arena, PfLink, model->frame_count);
  l->velocity = pf_arena_array(arena, PfExpr, n);
  l->zeros = pf_arena_array(arena, PfExpr, count);
  if (!l->round || !l->done || !l->wanted || !l->link || !l->velocity || !l->zeros)
    return pf_no_room(ctx, "the velocities of bodies");
  for (int i = 0; i < n; i++) l->velocity[i] = model->coordinates[i].v;
  for (int a = 0; a < count; a++) l->zeros[a] = pf_expr_int(ctx, 0);
  for (int i = 0; i < 3; i++) l->link[0].u[i] = l->link[0].w[i] = pf_expr_int(ctx, 0);
  l->done[0] = true;
  pf_frames_used(model, used);
  pf_frames_round(model, used, l->round);
  return PF_OK;
}
