/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by the velocities of one frame. Where a body slides freely in the ground the direction of a row is read off its
 * coefficients at q = 0, then the moment from the turns; both are constant in the axes of the frame when the row is one
 * about that frame. Whether it is, is decided afterwards (pf_expr_is_probably_zero), so that nothing depends on a
 * good guess. */
#include "mech/body_rows.h"

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

/* e at q = 0 */
static PfStatus at_rest(const Work *w, PfExpr *e, int count)
{
  return pf_expr_substitute(w->ctx, e, count, w->q, w->zeros, w->eq->n, e);
}

/* Velocity, angular velocity and the axes of the ground of a frame, in its own axes. */
static PfStatus find_axes(const Work *w, int f)
{
  const PfFrame *frame = w->model->frames + f;
  const Axes *parent = w->axes + frame->parent;
  Axes *a = w->axes + f;
  PfExpr rate[4], turn[3], u[3];
  a->plain = parent->plain && !frame->quaternion[0] && !frame->rotation[0];
  if (!a->plain) return PF_OK;
  PF_TRY(pf_frame_rates(w->model, f, rate));
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

/* b from the turns, the nearest one about each axis of the frame f, after the part explained by a.u is subtracted. */
static PfStatus find_moment(const Work *w, int f, PfExpr *b)
{
  PfContext *ctx = w->ctx;
  bool found[3] = {false};
  for (int k = 0; k < 3; k++) b[k] = w->zero;
  for (int frame = f; frame; frame = w->model->frames[frame].parent) {
    PfExpr e[3]; /* the axis about which the frame turns, in the axes of f, at q = 0 */
    int axis = 0, sign = 0;
    if (w->axes[frame].turn == PF_EXPR_NONE) continue;
    for (int k = 0; k < 3; k++) e[k] = w->zero;
    for (int g = 0; g < 3; g++) {
      PfExpr part = pf_expr_dot3(ctx, w->model->frames[frame].axis, w->axes[frame].ground[g]);
      for (int k = 0; k < 3; k++) e[k] = pf_expr_add(ctx, e[k], pf_expr_mul(ctx, part, w->axes[f].ground[g][k]));
    }
    for (int k = 0; k < 3 && !sign; k++) /* which axis of f is it, and which way round? */
      if (pf_expr_is_int(ctx, e[(k + 1)%3], 0) && pf_expr_is_int(ctx, e[(k + 2)%3], 0))
        axis = k, sign = pf_expr_is_int(ctx, e[k], 1) ? 1 : pf_expr_is_int(ctx, e[k], -1) ? -1 : 0;
    if (!sign || found[axis]) continue;
    int i = pf_coordinate_of(&w->by_v, w->axes[frame].turn);
    PfExpr left = pf_expr_sub(ctx, w->slope[i], w->slope_u[i]);
    PF_TRY(at_rest(w, &left, 1));
    b[axis] = sign > 0 ? left : pf_expr_neg(ctx, left);
    found[axis] = true;
  }
  return PF_OK;
}

/* Writes a row as velocity of a frame along a direction and its angular velocity times a moment, where it is that. */
static PfStatus look_at_row(Work *w, PfExpr *row)
{
  int f, moving;
  PfExpr a[3], b[3];
  PF_TRY(frame_of_row(w, *row, &f, &moving));
  if (!f || moving < LONG_ROW) return PF_OK;
  /* A frame comes after its parent. */
  for (; w->reached < f; w->reached++) PF_TRY(find_axes(w, w->reached + 1));
  if (!w->axes[f].plain) return PF_OK;
  PF_TRY(pf_expr_gradient(w->ctx, *row, w->v, w->eq->n, w->slope));
  /* a = sum of (slope along an axis of the ground) times that axis; false when nothing slides there. */
  int root = f;
  while (w->model->frames[root].parent) root = w->model->frames[root].parent;
  bool found = false;
  for (int k = 0; k < 3; k++) a[k] = w->zero;
  for (int axis = 0; axis < 3; axis++) {
    if (w->axes[root].slide[axis] == PF_EXPR_NONE) continue;
    PfExpr slope = w->slope[pf_coordinate_of(&w->by_v, w->axes[root].slide[axis])];
    PF_TRY(at_rest(w, &slope, 1));
    for (int k = 0; k < 3; k++)
      a[k] = pf_expr_add(w->ctx, a[k], pf_expr_mul(w->ctx, slope, w->axes[f].ground[axis][k]));
    found = true;
  }
  if (!found) return PF_OK;
  PfExpr along = pf_expr_dot3(w->ctx, a, w->axes[f].u);
  PF_TRY(pf_expr_gradient(w->ctx, along, w->v, w->eq->n, w->slope_u));
  PF_TRY(find_moment(w, f, b));
  /* The row becomes `local` and its terms without velocities, if that is all of it. */
  PfExpr local = pf_expr_add(w->ctx, along, pf_expr_dot3(w->ctx, b, w->axes[f].w));
  PfExpr left = pf_expr_sub(w->ctx, *row, local), rest;
  PF_TRY(pf_expr_substitute(w->ctx, &left, 1, w->v, w->zeros, w->eq->n, &rest));
  if (pf_expr_is_probably_zero(w->ctx, pf_expr_sub(w->ctx, left, rest), ROUNDS) != PF_TRUE)
    return pf_expr_check(w->ctx);
  *row = pf_expr_add(w->ctx, local, rest);
  return pf_expr_check(w->ctx);
}

/* Lists of symbols and the frame that each coordinate places, once; then row by row. Frames get their axes when a row
 * needs them, in ascending order. */
PfStatus pf_body_rows(PfContext *ctx, PfArena *scratch, const PfEquations *eq, PfExpr *velocity)
{
  const PfModel *model = eq->model;
  const size_t n = (size_t)eq->n;
  Work w = {.ctx = ctx, .scratch = scratch, .model = model, .eq = eq, .zero = pf_expr_int(ctx, 0)};
  if (!model->frame_count) return PF_OK;
  PF_TRY(pf_arrays(ctx, scratch, "the rows of bodies", PF_ROOM(w.axes, model->frame_count), PF_ROOM(w.frame_of, n),
                   PF_ROOM(w.q, n), PF_ROOM(w.v, n), PF_ROOM(w.zeros, n), PF_ROOM(w.slope, n),
                   PF_ROOM(w.slope_u, n)));
  for (size_t i = 0; i < n; i++) {
    w.q[i] = model->coordinates[i].q;
    w.v[i] = model->coordinates[i].v;
    w.zeros[i] = w.zero;
  }
  w.axes[0].plain = true;
  for (int k = 0; k < 3; k++) {
    w.axes[0].u[k] = w.axes[0].w[k] = w.zero;
    for (int j = 0; j < 3; j++) w.axes[0].ground[k][j] = pf_expr_int(ctx, j == k);
  }
  PF_TRY(pf_coordinate_index_make(ctx, scratch, model, &w.by_q));
  PF_TRY(pf_velocity_index_make(ctx, scratch, model, &w.by_v));
  for (int f = 1; f < model->frame_count; f++) { /* the outermost frame that each coordinate places */
    const PfFrame *frame = model->frames + f;
    PfExpr e[4] = {frame->origin[0], frame->origin[1], frame->origin[2], frame->angle ? frame->angle : w.zero}, *nodes;
    int count;
    PF_TRY(pf_expr_reach(ctx, scratch, e, 4, &nodes, &count));
    for (int k = 0; k < count; k++) {
      int i = pf_expr_op(ctx, nodes[k]) == PF_OP_SYMBOL ? pf_coordinate_of(&w.by_q, nodes[k]) : -1;
      if (i >= 0) w.frame_of[i] = f;
    }
  }
  for (int k = 0; k < eq->m; k++) PF_TRY(look_at_row(&w, velocity + k));
  return PF_OK;
}
