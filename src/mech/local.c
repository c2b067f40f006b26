/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by the velocities of one frame. Where a body slides freely in the ground the direction of a row is read off its
 * coefficients at q = 0, then the moment from the turns; both are constant in the axes of the frame when the row is one
 * about that frame. Whether it is, is decided afterwards (pf_expr_is_probably_zero), so that nothing depends on a
 * good guess. */
#include "mech/local.h"

#include "mech/chain.h"
#include "mech/mech_impl.h"

#include <string.h>

/* Velocities from which on a row is looked at. */
enum { LONG_ROW = 5, ROUNDS = 2 };

typedef struct Axes {
  PfExpr u[3], w[3];   /* velocity of the origin, angular velocity, in own axes */
  PfExpr ground[3][3]; /* unit vectors of the ground at q = 0, likewise */
  PfExpr turn;         /* the coordinate's velocity, when it turns by exactly one; or PF_EXPR_NONE */
  PfExpr slide[3];     /* likewise along the axes of the ground, when that is its parent */
  bool plain;          /* no quaternion on the way */
} Axes;

typedef struct Work {
  PfContext *ctx;
  PfArena *scratch;
  const PfModel *model;
  const PfEquations *eq;
  PfCoordinateIndex by_q, by_v;
  Axes *axes;
  int reached;            /* frames up to here have axes */
  int *frame_of;          /* coordinate: the last frame that it moves, or 0 */
  PfExpr *q, *v, *zeros, *slope, *slope_u;
  PfExpr zero;
} Work;

/* ---------------------------------------------------------------- frames */

static PfStatus list_coordinates(Work *w)
{
  for (int f = 1; f < w->model->frame_count; f++) {
    const PfFrame *frame = w->model->frames + f;
    PfExpr e[4] = {frame->origin[0], frame->origin[1], frame->origin[2], frame->angle ? frame->angle : w->zero};
    PfExpr *nodes;
    int count;
    PF_TRY(pf_expr_reach(w->ctx, w->scratch, e, 4, &nodes, &count));
    for (int k = 0; k < count; k++) {
      int i = pf_expr_op(w->ctx, nodes[k]) == PF_OP_SYMBOL ? pf_coordinate_of(&w->by_q, nodes[k]) : -1;
      if (i >= 0) w->frame_of[i] = f;
    }
  }
  return PF_OK;
}

/* e at q = 0 */
static PfStatus at_rest(const Work *w, PfExpr *e, int count)
{
  return pf_expr_substitute(w->ctx, e, count, w->q, w->zeros, w->eq->n, e);
}

static PfStatus find_axes(const Work *w, int f)
{
  const PfFrame *frame = w->model->frames + f;
  const Axes *parent = w->axes + frame->parent;
  Axes *a = w->axes + f;
  PfExpr e[4] = {frame->origin[0], frame->origin[1], frame->origin[2], frame->angle ? frame->angle : w->zero}, rate[4];
  PfExpr turn[3], u[3];
  a->plain = parent->plain && !frame->quaternion[0] && !frame->rotation[0];
  if (!a->plain) return PF_OK;
  PF_TRY(pf_model_time_derivative(w->model, e, 4, rate));
  memcpy(u, parent->u, sizeof u);
  pf_expr_add_cross3(w->ctx, u, parent->w, frame->origin);
  pf_expr_add3(w->ctx, u, rate);
  pf_frame_from_parent(w->model, f, u, a->u);
  pf_frame_from_parent(w->model, f, parent->w, a->w);
  for (int k = 0; k < 3; k++) {
    turn[k] = frame->angle ? pf_expr_mul(w->ctx, rate[3], frame->axis[k]) : w->zero;
    pf_frame_from_parent(w->model, f, parent->ground[k], a->ground[k]);
    PF_TRY(at_rest(w, a->ground[k], 3));
    if (frame->parent == 0 && pf_coordinate_of(&w->by_v, rate[k]) >= 0) a->slide[k] = rate[k];
  }
  if (frame->angle && pf_coordinate_of(&w->by_v, rate[3]) >= 0) a->turn = rate[3];
  pf_expr_add3(w->ctx, a->w, turn);
  return PF_OK;
}

/* Frames come after what they hang on. */
static PfStatus reach_axes(Work *w, int f)
{
  for (; w->reached < f; w->reached++) PF_TRY(find_axes(w, w->reached + 1));
  return PF_OK;
}

/* ---------------------------------------------------------------- a row */

/* The last frame that it knows of; *moving: how many velocities it has. */
static PfStatus frame_of_row(const Work *w, PfExpr row, int *frame, int *moving)
{
  PfMark mark = pf_arena_mark(w->scratch);
  PfExpr *nodes;
  int count;
  *frame = *moving = 0;
  PF_TRY(pf_expr_reach(w->ctx, w->scratch, &row, 1, &nodes, &count));
  for (int k = 0; k < count; k++) {
    if (pf_expr_op(w->ctx, nodes[k]) != PF_OP_SYMBOL) continue;
    int i = pf_coordinate_of(&w->by_q, nodes[k]), j = i < 0 ? pf_coordinate_of(&w->by_v, nodes[k]) : i;
    *moving += i < 0 && j >= 0;
    if (j >= 0 && w->frame_of[j] > *frame) *frame = w->frame_of[j];
  }
  pf_arena_release(w->scratch, mark);
  return PF_OK;
}

/* a = sum of (slope along an axis of the ground) times that axis; false when nothing slides there. */
static PfStatus find_direction(const Work *w, int f, PfExpr *a, bool *found)
{
  int root = f;
  while (w->model->frames[root].parent) root = w->model->frames[root].parent;
  *found = false;
  for (int k = 0; k < 3; k++) a[k] = w->zero;
  for (int axis = 0; axis < 3; axis++) {
    if (w->axes[root].slide[axis] == PF_EXPR_NONE) continue;
    PfExpr slope = w->slope[pf_coordinate_of(&w->by_v, w->axes[root].slide[axis])];
    PF_TRY(at_rest(w, &slope, 1));
    for (int k = 0; k < 3; k++)
      a[k] = pf_expr_add(w->ctx, a[k], pf_expr_mul(w->ctx, slope, w->axes[f].ground[axis][k]));
    *found = true;
  }
  return PF_OK;
}

/* Which axis of the frame is it, and which way round? 0: none of them. */
static int sign_of_axis(const Work *w, const PfExpr *e, int *axis)
{
  for (*axis = 0; *axis < 3; ++*axis)
    if (pf_expr_is_int(w->ctx, e[(*axis + 1)%3], 0) && pf_expr_is_int(w->ctx, e[(*axis + 2)%3], 0)) {
      if (pf_expr_is_int(w->ctx, e[*axis], 1)) return 1;
      if (pf_expr_is_int(w->ctx, e[*axis], -1)) return -1;
    }
  return 0;
}

/* The axis about which a frame turns, in the axes of f, at q = 0. */
static void axis_at_rest(const Work *w, int frame, int f, PfExpr *out)
{
  for (int k = 0; k < 3; k++) out[k] = w->zero;
  for (int g = 0; g < 3; g++) {
    PfExpr part = pf_expr_dot3(w->ctx, w->model->frames[frame].axis, w->axes[frame].ground[g]);
    for (int k = 0; k < 3; k++)
      out[k] = pf_expr_add(w->ctx, out[k], pf_expr_mul(w->ctx, part, w->axes[f].ground[g][k]));
  }
}

/* b from the turns, the nearest one about each axis, after what a.u explains. */
static PfStatus find_moment(const Work *w, int f, PfExpr *b)
{
  bool found[3] = {false};
  for (int k = 0; k < 3; k++) b[k] = w->zero;
  for (int frame = f; frame; frame = w->model->frames[frame].parent) {
    PfExpr e[3];
    int axis, sign;
    if (w->axes[frame].turn == PF_EXPR_NONE) continue;
    axis_at_rest(w, frame, f, e);
    if (!(sign = sign_of_axis(w, e, &axis)) || found[axis]) continue;
    int i = pf_coordinate_of(&w->by_v, w->axes[frame].turn);
    PfExpr left = pf_expr_sub(w->ctx, w->slope[i], w->slope_u[i]);
    PF_TRY(at_rest(w, &left, 1));
    b[axis] = sign > 0 ? left : pf_expr_neg(w->ctx, left);
    found[axis] = true;
  }
  return PF_OK;
}

/* `local` and what the row has besides, without velocities, when that is all. */
static PfStatus accept(const Work *w, PfExpr local, PfExpr *row)
{
  PfExpr left = pf_expr_sub(w->ctx, *row, local), rest;
  PF_TRY(pf_expr_substitute(w->ctx, &left, 1, w->v, w->zeros, w->eq->n, &rest));
  if (pf_expr_is_probably_zero(w->ctx, pf_expr_sub(w->ctx, left, rest), ROUNDS) != PF_TRUE)
    return pf_expr_check(w->ctx);
  *row = pf_expr_add(w->ctx, local, rest);
  return pf_expr_check(w->ctx);
}

static PfStatus look_at_row(Work *w, PfExpr *row)
{
  int f, moving;
  bool found;
  PfExpr a[3], b[3];
  PF_TRY(frame_of_row(w, *row, &f, &moving));
  if (!f || moving < LONG_ROW) return PF_OK;
  PF_TRY(reach_axes(w, f));
  if (!w->axes[f].plain) return PF_OK;
  PF_TRY(pf_expr_gradient(w->ctx, *row, w->v, w->eq->n, w->slope));
  PF_TRY(find_direction(w, f, a, &found));
  if (!found) return PF_OK;
  PfExpr along = pf_expr_dot3(w->ctx, a, w->axes[f].u);
  PF_TRY(pf_expr_gradient(w->ctx, along, w->v, w->eq->n, w->slope_u));
  PF_TRY(find_moment(w, f, b));
  return accept(w, pf_expr_add(w->ctx, along, pf_expr_dot3(w->ctx, b, w->axes[f].w)), row);
}

PfStatus pf_local_rows(PfContext *ctx, PfArena *scratch, const PfEquations *eq, PfExpr *velocity)
{
  const size_t n = (size_t)eq->n, frames = (size_t)eq->model->frame_count;
  Work w = {.ctx = ctx, .scratch = scratch, .model = eq->model, .eq = eq, .zero = pf_expr_int(ctx, 0)};
  if (!frames) return PF_OK;
  w.axes = pf_arena_array(scratch, Axes, frames);
  w.frame_of = pf_arena_array(scratch, int, n);
  PfExpr *lists = pf_arena_array(scratch, PfExpr, 5*n);
  if (!w.axes || !w.frame_of || !lists) return pf_no_room(ctx, "the rows of bodies");
  w.q = lists, w.v = w.q + n, w.zeros = w.v + n, w.slope = w.zeros + n, w.slope_u = w.slope + n;
  for (size_t i = 0; i < n; i++) {
    w.q[i] = eq->model->coordinates[i].q;
    w.v[i] = eq->model->coordinates[i].v;
    w.zeros[i] = w.zero;
  }
  w.axes[0].plain = true;
  for (int k = 0; k < 3; k++) {
    w.axes[0].u[k] = w.axes[0].w[k] = w.zero;
    for (int j = 0; j < 3; j++) w.axes[0].ground[k][j] = pf_expr_int(ctx, j == k);
  }
  PF_TRY(pf_coordinate_index_make(ctx, scratch, eq->model, &w.by_q));
  PF_TRY(pf_velocity_index_make(ctx, scratch, eq->model, &w.by_v));
  PF_TRY(list_coordinates(&w));
  for (int k = 0; k < eq->m; k++) PF_TRY(look_at_row(&w, velocity + k));
  return PF_OK;
}
