/* SPDX-License-Identifier: Apache-2.0 */
/* Placements as elementary steps, and the joints of the reference table recognised from them. */
#include "mech/chain.h"

#include "mech/mech_impl.h"

#include <stdlib.h>
#include <string.h>

/* Is it a step that moves: slide, spin, ball, free? */
bool pf_chain_moves(PfChainKind kind)
{
  return kind != PF_CHAIN_SHIFT && kind != PF_CHAIN_TURN;
}

/* The answer is false where memory fails. */
bool pf_chain_depends(PfContext *ctx, PfExpr e, const PfExpr *symbols, int count, bool *failed)
{
  bool found;
  if (pf_expr_contain(ctx, &e, 1, symbols, count, &found) != PF_OK) *failed = true;
  return found;
}

/* ---------------------------------------------------------------- coordinates by their symbols */

/* Pairs of a handle and a number, by their handles: for qsort and bsearch. */
static int compare_handles(const void *a, const void *b)
{
  PfExpr x = ((const PfExpr *)a)[0], y = ((const PfExpr *)b)[0];
  return x < y ? -1 : x > y;
}

/* Coordinates by the symbols of their positions or velocities, for pf_coordinate_of: sorted, found by bisection. */
static PfStatus make_index(PfContext *ctx, PfArena *arena, const PfModel *model, bool of_velocities,
                           PfCoordinateIndex *index)
{
  const size_t n = (size_t)model->coordinate_count;
  index->count = model->coordinate_count;
  PF_TRY(pf_arrays(ctx, arena, "the joints", PF_ROOM(index->pair, n)));
  for (size_t i = 0; i < n; i++) {
    const PfCoordinate *c = model->coordinates + i;
    index->pair[i][0] = of_velocities ? c->v : c->q;
    index->pair[i][1] = (PfExpr)i;
  }
  qsort(index->pair, n, sizeof *index->pair, compare_handles);
  return PF_OK;
}

PfStatus pf_coordinate_index_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfCoordinateIndex *index)
{
  return make_index(ctx, arena, model, false, index);
}

PfStatus pf_velocity_index_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfCoordinateIndex *index)
{
  return make_index(ctx, arena, model, true, index);
}

/* By bisection. */
int pf_coordinate_of(const PfCoordinateIndex *index, PfExpr symbol)
{
  const PfExpr key[2] = {symbol, 0};
  const PfExpr *found = bsearch(key, index->pair, (size_t)index->count, sizeof *index->pair, compare_handles);
  return found ? (int)found[1] : -1;
}

/* ---------------------------------------------------------------- steps */

typedef struct Making {
  PfContext *ctx;
  const PfModel *model;
  PfArena *arena;
  PfExpr *moving; /* coordinates, inputs, time */
  int moving_count;
  PfCoordinateIndex index;
  int *within;    /* coordinates of a placement, `within_count` of them */
  int within_count;
  PfExpr zero;
  PfChain *chain;
  bool *failed;
} Making;

/* Does it contain no coordinate, no input and not the time? */
static bool is_constant(const Making *k, PfExpr e)
{
  return !pf_chain_depends(k->ctx, e, k->moving, k->moving_count, k->failed);
}

/* A new step of a frame, all zero; the caller fills in what it is about. */
static PfChainStep *add_step(const Making *k, PfChainKind kind, int frame)
{
  PfChainStep *step = k->chain->step + k->chain->count++;
  *step = (PfChainStep){.kind = kind, .frame = frame, .v = {k->zero, k->zero, k->zero}, .value = k->zero, .ball = -1};
  return step;
}

/* A constant translation, unless it is zero. */
static void add_shift(const Making *k, int frame, const PfExpr v[3])
{
  if (v[0] == k->zero && v[1] == k->zero && v[2] == k->zero) return;
  memcpy(add_step(k, PF_CHAIN_SHIFT, frame)->v, v, 3*sizeof *v);
}

/* A translation by a value that moves, along a unit vector. */
static void add_slide(const Making *k, int frame, const PfExpr axis[3], PfExpr value)
{
  PfChainStep *step = add_step(k, PF_CHAIN_SLIDE, frame);
  memcpy(step->v, axis, 3*sizeof *axis);
  step->value = value;
}

/* Lists the coordinates that a placement contains, in their order. */
static void list_within(Making *k, const PfExpr origin[3])
{
  PfMark mark = pf_arena_mark(k->arena);
  PfExpr *nodes;
  int count;
  k->within_count = 0;
  if (pf_expr_reach(k->ctx, k->arena, origin, 3, &nodes, &count) != PF_OK) {
    *k->failed = true;
    return;
  }
  for (int i = 0; i < count; i++) {
    int c = pf_expr_op(k->ctx, nodes[i]) == PF_OP_SYMBOL ? pf_coordinate_of(&k->index, nodes[i]) : -1, at;
    if (c < 0) continue;
    for (at = k->within_count++; at > 0 && k->within[at - 1] > c; at--) k->within[at] = k->within[at - 1];
    k->within[at] = c;
  }
  pf_arena_release(k->arena, mark);
}

/* Is the translation r + g q with one coordinate and constant r and g? Then it is a slide along g. */
static bool add_straight(const Making *k, int frame, const PfExpr origin[3])
{
  PfContext *ctx = k->ctx;
  for (int i = 0; i < k->within_count; i++) {
    PfExpr q = k->model->coordinates[k->within[i]].q, g[3], rest[3];
    bool straight = true, moves = false;
    for (int c = 0; c < 3; c++) {
      g[c] = pf_expr_diff(ctx, origin[c], q);
      rest[c] = origin[c]; /* at q = 0, not origin - g q, where (1 + q) g would have to be multiplied out */
      if (pf_expr_substitute(ctx, rest + c, 1, &q, &k->zero, 1, rest + c) != PF_OK) rest[c] = PF_EXPR_NONE;
      straight = straight && is_constant(k, g[c]) && is_constant(k, rest[c]);
      moves = moves || g[c] != k->zero;
    }
    if (!straight || !moves) continue;
    PfExpr length = pf_expr_sqrt(ctx, pf_expr_dot3(ctx, g, g));
    for (int c = 0; c < 3; c++) g[c] = pf_expr_div(ctx, g[c], length);
    add_shift(k, frame, rest);
    add_slide(k, frame, g, pf_expr_mul(ctx, length, q));
    return true;
  }
  return false;
}

/* The translation of a frame: constant, along one straight line, or component by component. */
static void add_translation(Making *k, int frame, const PfExpr origin[3])
{
  bool moves = false;
  for (int c = 0; c < 3; c++) moves = moves || !is_constant(k, origin[c]);
  if (moves) list_within(k, origin);
  if (!moves) add_shift(k, frame, origin);
  if (!moves || add_straight(k, frame, origin)) return;
  PfExpr fixed[3];
  for (int c = 0; c < 3; c++) fixed[c] = is_constant(k, origin[c]) ? origin[c] : k->zero;
  add_shift(k, frame, fixed);
  for (int c = 0; c < 3; c++) {
    if (is_constant(k, origin[c])) continue;
    PfExpr axis[3], shift[3] = {k->zero, k->zero, k->zero}, rest = origin[c];
    for (int j = 0; j < 3; j++) axis[j] = pf_expr_int(k->ctx, j == c);
    for (int i = 0; i < k->within_count; i++) { /* x + 0.1 is a shift and a slide */
      PfExpr q = k->model->coordinates[k->within[i]].q;
      PfExpr constant = pf_expr_sub(k->ctx, origin[c], q);
      if (!is_constant(k, constant)) continue;
      shift[c] = constant;
      rest = q;
      break;
    }
    add_shift(k, frame, shift);
    add_slide(k, frame, axis, rest);
  }
}

/* The steps of a frame: its translation and its turn by an angle; or a ball, or a free joint where the translation is
 * that of its three coordinates but for a constant. A quaternion that is held has become a parameter: a constant turn,
 * of which only the numbers are known. */
static void add_frame(Making *k, int frame)
{
  const PfModel *model = k->model;
  const PfFrame *f = model->frames + frame;
  if (f->quaternion[0] == PF_EXPR_NONE) {
    add_translation(k, frame, f->origin);
    if (f->angle == PF_EXPR_NONE) return;
    PfChainStep *step = add_step(k, is_constant(k, f->angle) ? PF_CHAIN_TURN : PF_CHAIN_SPIN, frame);
    memcpy(step->v, f->axis, sizeof step->v);
    step->value = f->angle;
    return;
  }
  int b = model->ball_count - 1;
  while (b >= 0 && model->balls[b].frame != frame) b--;
  PfExpr rest[3];
  bool free = b >= 0 && model->balls[b].p >= 0;
  for (int c = 0; c < 3 && free; c++) {
    rest[c] = pf_expr_sub(k->ctx, f->origin[c], model->coordinates[model->balls[b].p + c].q);
    free = is_constant(k, rest[c]);
  }
  if (!free) add_translation(k, frame, f->origin);
  PfChainStep *step = add_step(k, free ? PF_CHAIN_FREE : PF_CHAIN_BALL, frame);
  step->ball = b;
  if (free) memcpy(step->v, rest, sizeof rest);
}

/* Writes the placement of every frame as elementary steps: constant shifts and turns, slides, spins, ball and free
 * joints. */
PfStatus pf_chain_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfChain *chain)
{
  enum { MOST_STEPS = 8 }; /* of a frame: three shifts and slides, a shift and a turn */
  const size_t frames = (size_t)model->frame_count, n = (size_t)model->coordinate_count;
  bool failed = false;
  Making k = {.ctx = ctx, .arena = arena, .model = model, .zero = pf_expr_int(ctx, 0), .chain = chain,
              .failed = &failed};
  chain->count = 0;
  PF_TRY(pf_arrays(ctx, arena, "the joints", PF_ROOM(chain->step, MOST_STEPS*frames),
                   PF_ROOM(chain->first, frames + 1), PF_ROOM(k.moving, n + (size_t)model->input_count + 1),
                   PF_ROOM(k.within, n)));
  PF_TRY(pf_coordinate_index_make(ctx, arena, model, &k.index));
  for (size_t i = 0; i < n; i++) k.moving[k.moving_count++] = model->coordinates[i].q;
  for (int i = 0; i < model->input_count; i++) k.moving[k.moving_count++] = model->inputs[i].symbol;
  k.moving[k.moving_count++] = model->time;
  for (int f = 1; f < model->frame_count; f++) {
    chain->first[f] = chain->count;
    add_frame(&k, f);
  }
  chain->first[frames] = chain->count;
  return failed ? pf_no_room(ctx, "the joints") : pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- joints of bodies */

enum { MOST_MOVING = 4 };

/* The moving steps between a body and its parent. */
typedef struct Moving {
  int count;
  const PfChainStep *step[MOST_MOVING];
  bool apart[MOST_MOVING];  /* shifted or turned against the moving step before */
  bool turned[MOST_MOVING]; /* only turned */
} Moving;

/* Have both steps the same axis to the letter? */
static bool same_axis(const PfChainStep *a, const PfChainStep *b)
{
  return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2];
}

/* Are the axes of both steps at right angles, as far as the expression shows it? */
static bool is_across(PfContext *ctx, const PfChainStep *a, const PfChainStep *b)
{
  return pf_expr_is_int(ctx, pf_expr_dot3(ctx, a->v, b->v), 0);
}

/* The name of the joint by its moving steps: weld, revolute, prismatic, universal, cylindrical, screw, spherical,
 * planar, free, driven or general. */
static const char *kind_of(PfContext *ctx, const PfModel *model, const Moving *m, PfBodyJoint *joint)
{
  if (m->count == 0) return "weld";
  PfChainKind kind = m->step[0]->kind;
  if (m->count == 1 && kind == PF_CHAIN_FREE) return "free";
  if (m->count == 1 && kind == PF_CHAIN_BALL) return "spherical";
  if (joint->coordinate_count == 0) return "driven";
  if (m->count == 1 && joint->coordinate_count == 1) return kind == PF_CHAIN_SPIN ? "revolute" : "prismatic";
  if (m->count == 2) {
    const PfChainStep *a = m->step[0], *b = m->step[1];
    if (a->kind == PF_CHAIN_SPIN && b->kind == PF_CHAIN_SPIN && (!m->apart[1] || m->turned[1]) && !same_axis(a, b))
      return "universal";
    bool spin_and_slide = (a->kind == PF_CHAIN_SPIN && b->kind == PF_CHAIN_SLIDE) ||
                          (a->kind == PF_CHAIN_SLIDE && b->kind == PF_CHAIN_SPIN);
    if (!spin_and_slide || m->apart[1] || !same_axis(a, b)) return "general";
    const PfChainStep *spin = a->kind == PF_CHAIN_SPIN ? a : b, *slide = a->kind == PF_CHAIN_SPIN ? b : a;
    if (joint->coordinate_count == 2) return "cylindrical";
    PfExpr q = model->coordinates[joint->coordinates[0]].q;
    PfExpr turn = pf_expr_diff(ctx, spin->value, q), rise = pf_expr_diff(ctx, slide->value, q);
    if (turn == pf_expr_int(ctx, 0) || pf_expr_depends(ctx, turn, &q, 1) || pf_expr_depends(ctx, rise, &q, 1))
      return "general";
    joint->pitch = pf_expr_div(ctx, rise, turn);
    return "screw";
  }
  bool planar = m->count == 3 && joint->coordinate_count == 3 && kind == PF_CHAIN_SLIDE &&
                m->step[1]->kind == PF_CHAIN_SLIDE && m->step[2]->kind == PF_CHAIN_SPIN &&
                is_across(ctx, m->step[0], m->step[1]) &&
                is_across(ctx, m->step[0], m->step[2]) && is_across(ctx, m->step[1], m->step[2]);
  return planar && !m->turned[1] && !m->turned[2] ? "planar" : "general";
}

/* Adds to the joint the coordinates of a step that moves, each once. */
static void add_coordinates(PfContext *ctx, const PfModel *model, const PfChainStep *step, PfBodyJoint *joint)
{
  const PfBall *ball = step->ball >= 0 ? model->balls + step->ball : NULL;
  for (int i = 0; i < model->coordinate_count; i++) {
    bool has = ball && ((i >= ball->q && i < ball->q + 4) ||
                        (step->kind == PF_CHAIN_FREE && i >= ball->p && i < ball->p + 3));
    has = has || (!ball && pf_expr_depends(ctx, step->value, &model->coordinates[i].q, 1));
    for (int k = 0; k < joint->coordinate_count; k++) has = has && joint->coordinates[k] != i;
    if (has) joint->coordinates[joint->coordinate_count++] = i;
  }
}

/* The joint between a body and the one that carries it, from the steps between their frames. `path`: room for all
 * frames. */
static PfStatus recognise(PfContext *ctx, PfArena *arena, const PfModel *model, const PfChain *chain, int body,
                          int *path, PfBodyJoint *joint)
{
  *joint = (PfBodyJoint){.parent = -1, .pitch = PF_EXPR_NONE};
  PF_TRY(pf_arrays(ctx, arena, "the joints", PF_ROOM(joint->coordinates, model->coordinate_count)));
  int count = 0, f = model->bodies[body].frame;
  for (; f && joint->parent < 0; f = model->frames[f].parent) {
    path[count++] = f;
    for (int b = model->body_count; b-- > 0;)
      if (model->bodies[b].frame == model->frames[f].parent) joint->parent = b; /* the first one there */
  }
  Moving m = {0};
  bool shifted = false, turned = false;
  while (count-- > 0) /* from the ground outward */
    for (int k = chain->first[path[count]]; k < chain->first[path[count] + 1]; k++) {
      const PfChainStep *step = chain->step + k;
      shifted = shifted || step->kind == PF_CHAIN_SHIFT;
      turned = turned || step->kind == PF_CHAIN_TURN;
      if (!pf_chain_moves(step->kind)) continue;
      if (m.count < MOST_MOVING) {
        m.step[m.count] = step;
        m.apart[m.count] = shifted || turned;
        m.turned[m.count] = turned && !shifted;
      }
      m.count++;
      shifted = turned = false;
      add_coordinates(ctx, model, step, joint);
    }
  joint->kind = kind_of(ctx, model, &m, joint);
  for (int k = 0; k < m.count && k < MOST_MOVING && joint->axis_count < 2; k++)
    if (m.step[k]->kind == PF_CHAIN_SPIN || m.step[k]->kind == PF_CHAIN_SLIDE)
      memcpy(joint->axis[joint->axis_count++], m.step[k]->v, sizeof joint->axis[0]);
  return PF_OK;
}

/* Steps of all frames once, then the joint of each body. */
PfStatus pf_model_joints(PfContext *ctx, PfArena *arena, const PfModel *model, PfBodyJoint **joints)
{
  PfChain chain;
  PF_TRY(pf_chain_make(ctx, arena, model, &chain));
  int *path;
  PF_TRY(pf_arrays(ctx, arena, "the joints", PF_ROOM(path, model->frame_count), PF_ROOM(*joints, model->body_count)));
  for (int b = 0; b < model->body_count; b++) PF_TRY(recognise(ctx, arena, model, &chain, b, path, *joints + b));
  return pf_expr_check(ctx);
}
