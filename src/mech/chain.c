/* SPDX-License-Identifier: Apache-2.0 */
/* Placements as elementary steps, and the joints of the reference table recognised from them. */
#include "mech/chain.h"

#include "mech/mech_impl.h"

#include <stdlib.h>
#include <string.h>

bool pf_chain_moves(PfChainKind kind)
{
  return kind != PF_CHAIN_SHIFT && kind != PF_CHAIN_TURN;
}

bool pf_chain_depends(PfContext *ctx, PfExpr e, const PfExpr *symbols, int count, bool *failed)
{
  bool found;
  if (pf_expr_contain(ctx, &e, 1, symbols, count, &found) != PF_OK) *failed = true;
  return found;
}

/* ---------------------------------------------------------------- coordinates by their symbols */

static int compare_handles(const void *a, const void *b)
{
  PfExpr x = ((const PfExpr *)a)[0], y = ((const PfExpr *)b)[0];
  return x < y ? -1 : x > y;
}

static PfStatus make_index(PfContext *ctx, PfArena *arena, const PfModel *model, bool of_velocities,
                           PfCoordinateIndex *index)
{
  size_t n = (size_t)model->coordinate_count;
  index->count = model->coordinate_count;
  index->pair = pf_arena_alloc(arena, n, sizeof *index->pair);
  if (!index->pair) return pf_no_room(ctx, "the joints");
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

static bool is_constant(const Making *k, PfExpr e)
{
  return !pf_chain_depends(k->ctx, e, k->moving, k->moving_count, k->failed);
}

static PfChainStep *add_step(const Making *k, PfChainKind kind, int frame)
{
  PfChainStep *step = k->chain->step + k->chain->count++;
  *step = (PfChainStep){.kind = kind, .frame = frame, .v = {k->zero, k->zero, k->zero}, .value = k->zero, .ball = -1};
  return step;
}

static void add_shift(const Making *k, int frame, const PfExpr v[3])
{
  if (v[0] == k->zero && v[1] == k->zero && v[2] == k->zero) return;
  memcpy(add_step(k, PF_CHAIN_SHIFT, frame)->v, v, 3*sizeof *v);
}

static void add_slide(const Making *k, int frame, const PfExpr axis[3], PfExpr value)
{
  PfChainStep *step = add_step(k, PF_CHAIN_SLIDE, frame);
  memcpy(step->v, axis, 3*sizeof *axis);
  step->value = value;
}

static PfExpr at_zero(const Making *k, PfExpr e, PfExpr q)
{
  return pf_expr_substitute(k->ctx, &e, 1, &q, &k->zero, 1, &e) == PF_OK ? e : PF_EXPR_NONE;
}

static int compare_numbers(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
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
    if (pf_expr_op(k->ctx, nodes[i]) != PF_OP_SYMBOL) continue;
    int coordinate = pf_coordinate_of(&k->index, nodes[i]);
    if (coordinate >= 0) k->within[k->within_count++] = coordinate;
  }
  qsort(k->within, (size_t)k->within_count, sizeof *k->within, compare_numbers);
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
      rest[c] = at_zero(k, origin[c], q); /* not origin - g q, where (1 + q) g would have to be multiplied out */
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

/* Component by component. */
static void add_components(const Making *k, int frame, const PfExpr origin[3])
{
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

static void add_translation(Making *k, int frame, const PfExpr origin[3])
{
  bool moves = false;
  for (int c = 0; c < 3; c++) moves = moves || !is_constant(k, origin[c]);
  if (moves) list_within(k, origin);
  if (!moves) add_shift(k, frame, origin);
  else if (!add_straight(k, frame, origin)) add_components(k, frame, origin);
}

static int ball_of_frame(const PfModel *model, int frame)
{
  for (int b = 0; b < model->ball_count; b++)
    if (model->balls[b].frame == frame) return b;
  return -1;
}

/* A quaternion that is held has become a parameter: a constant turn, of which only the numbers are known. */
static PfStatus add_ball(Making *k, int frame)
{
  const PfModel *model = k->model;
  const PfFrame *f = model->frames + frame;
  int b = ball_of_frame(model, frame);
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
  return PF_OK;
}

static PfStatus add_frame(Making *k, int frame)
{
  const PfFrame *f = k->model->frames + frame;
  if (f->quaternion[0] != PF_EXPR_NONE) return add_ball(k, frame);
  add_translation(k, frame, f->origin);
  if (f->angle == PF_EXPR_NONE) return PF_OK;
  PfChainStep *step = add_step(k, is_constant(k, f->angle) ? PF_CHAIN_TURN : PF_CHAIN_SPIN, frame);
  memcpy(step->v, f->axis, sizeof step->v);
  step->value = f->angle;
  return PF_OK;
}

PfStatus pf_chain_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfChain *chain)
{
  enum { MOST_STEPS = 8 }; /* of a frame: three shifts and slides, a shift and a turn */
  size_t frames = (size_t)model->frame_count, n = (size_t)model->coordinate_count, inputs = (size_t)model->input_count;
  chain->count = 0;
  chain->step = pf_arena_array(arena, PfChainStep, MOST_STEPS*frames);
  chain->first = pf_arena_array(arena, int, frames + 1);
  bool failed = false;
  Making k = {.ctx = ctx, .arena = arena, .model = model, .zero = pf_expr_int(ctx, 0), .chain = chain,
              .failed = &failed};
  k.moving = pf_arena_array(arena, PfExpr, n + inputs + 1);
  k.within = pf_arena_array(arena, int, n);
  if (!chain->step || !chain->first || !k.moving || !k.within) return pf_no_room(ctx, "the joints");
  PF_TRY(pf_coordinate_index_make(ctx, arena, model, &k.index));
  for (size_t i = 0; i < n; i++) k.moving[k.moving_count++] = model->coordinates[i].q;
  for (size_t i = 0; i < inputs; i++) k.moving[k.moving_count++] = model->inputs[i].symbol;
  k.moving[k.moving_count++] = model->time;
  for (int f = 1; f < model->frame_count; f++) {
    chain->first[f] = chain->count;
    PF_TRY(add_frame(&k, f));
  }
  chain->first[frames] = chain->count;
  return failed ? pf_no_room(ctx, "the joints") : pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- joints of bodies */

enum { MOST_MOVING = 4 };

/* What moves between a body and the one it hangs on. */
typedef struct Moving {
  int count;
  const PfChainStep *step[MOST_MOVING];
  bool apart[MOST_MOVING];  /* shifted or turned against the moving step before */
  bool turned[MOST_MOVING]; /* only turned */
} Moving;

/* The steps are met from the ground outward. */
static void meet(Moving *m, const PfChainStep *step, bool *shifted, bool *turned)
{
  if (step->kind == PF_CHAIN_SHIFT) *shifted = true;
  if (step->kind == PF_CHAIN_TURN) *turned = true;
  if (!pf_chain_moves(step->kind)) return;
  if (m->count < MOST_MOVING) {
    m->step[m->count] = step;
    m->apart[m->count] = *shifted || *turned;
    m->turned[m->count] = *turned && !*shifted;
  }
  m->count++;
  *shifted = *turned = false;
}

static bool same_axis(const PfChainStep *a, const PfChainStep *b)
{
  return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2];
}

static bool is_across(PfContext *ctx, const PfChainStep *a, const PfChainStep *b)
{
  return pf_expr_is_int(ctx, pf_expr_dot3(ctx, a->v, b->v), 0);
}

static const char *kind_of_pair(PfContext *ctx, const PfModel *model, const Moving *m, PfBodyJoint *joint)
{
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

static const char *kind_of(PfContext *ctx, const PfModel *model, const Moving *m, PfBodyJoint *joint)
{
  if (m->count == 0) return "weld";
  PfChainKind kind = m->step[0]->kind;
  if (m->count == 1 && kind == PF_CHAIN_FREE) return "free";
  if (m->count == 1 && kind == PF_CHAIN_BALL) return "spherical";
  if (joint->coordinate_count == 0) return "driven";
  if (m->count == 1 && joint->coordinate_count == 1) return kind == PF_CHAIN_SPIN ? "revolute" : "prismatic";
  if (m->count == 2) return kind_of_pair(ctx, model, m, joint);
  bool planar = m->count == 3 && joint->coordinate_count == 3 && kind == PF_CHAIN_SLIDE &&
                m->step[1]->kind == PF_CHAIN_SLIDE && m->step[2]->kind == PF_CHAIN_SPIN &&
                is_across(ctx, m->step[0], m->step[1]) &&
                is_across(ctx, m->step[0], m->step[2]) && is_across(ctx, m->step[1], m->step[2]);
  return planar && !m->turned[1] && !m->turned[2] ? "planar" : "general";
}

static void add_coordinate(PfBodyJoint *joint, int i)
{
  for (int k = 0; k < joint->coordinate_count; k++)
    if (joint->coordinates[k] == i) return;
  joint->coordinates[joint->coordinate_count++] = i;
}

static void list_coordinates(PfContext *ctx, const PfModel *model, const PfChainStep *step, PfBodyJoint *joint)
{
  if (step->ball >= 0) {
    const PfBall *ball = model->balls + step->ball;
    for (int k = 0; k < 4; k++) add_coordinate(joint, ball->q + k);
    for (int k = 0; k < 3 && step->kind == PF_CHAIN_FREE; k++) add_coordinate(joint, ball->p + k);
    return;
  }
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_expr_depends(ctx, step->value, &model->coordinates[i].q, 1)) add_coordinate(joint, i);
}

static int body_of_frame(const PfModel *model, int frame)
{
  for (int b = 0; b < model->body_count; b++)
    if (model->bodies[b].frame == frame) return b;
  return -1;
}

static PfStatus recognise(PfContext *ctx, PfArena *arena, const PfModel *model, const PfChain *chain, int body,
                          int *path, PfBodyJoint *joint)
{
  *joint = (PfBodyJoint){.parent = -1, .pitch = PF_EXPR_NONE};
  joint->coordinates = pf_arena_array(arena, int, model->coordinate_count);
  if (!joint->coordinates) return pf_no_room(ctx, "the joints");
  int count = 0, f = model->bodies[body].frame;
  for (; f && joint->parent < 0; f = model->frames[f].parent) {
    path[count++] = f;
    joint->parent = body_of_frame(model, model->frames[f].parent);
  }
  Moving m = {0};
  bool shifted = false, turned = false;
  while (count-- > 0)
    for (int k = chain->first[path[count]]; k < chain->first[path[count] + 1]; k++) {
      meet(&m, chain->step + k, &shifted, &turned);
      if (pf_chain_moves(chain->step[k].kind)) list_coordinates(ctx, model, chain->step + k, joint);
    }
  joint->kind = kind_of(ctx, model, &m, joint);
  for (int k = 0; k < m.count && k < MOST_MOVING && joint->axis_count < 2; k++)
    if (m.step[k]->kind == PF_CHAIN_SPIN || m.step[k]->kind == PF_CHAIN_SLIDE)
      memcpy(joint->axis[joint->axis_count++], m.step[k]->v, sizeof joint->axis[0]);
  return PF_OK;
}

PfStatus pf_model_joints(PfContext *ctx, PfArena *arena, const PfModel *model, PfBodyJoint **joints)
{
  PfChain chain;
  PF_TRY(pf_chain_make(ctx, arena, model, &chain));
  int *path = pf_arena_array(arena, int, model->frame_count);
  *joints = pf_arena_array(arena, PfBodyJoint, model->body_count);
  if (!path || !*joints) return pf_no_room(ctx, "the joints");
  for (int b = 0; b < model->body_count; b++) PF_TRY(recognise(ctx, arena, model, &chain, b, path, *joints + b));
  return pf_expr_check(ctx);
}
