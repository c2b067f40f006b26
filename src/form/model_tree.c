/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a tree of bodies with names: what a tree can say exactly, and a refusal of all else.
 *
 * Joints have one coordinate each, or are ball and free joints; a body hangs on the last joint of its placement, and
 * what is fixed to the same joint further on is welded to it. Forces are springs and dampers of single coordinates;
 * inputs are left to the caller, as joint forces.
 *
 * pf_tree_from_model is for users who want the recursion alone, with the numbers of a model. The tree has a joint for
 * each moving step of a placement, a body for each mass, and springs and dampers where forces of the model have this
 * form. */
#include "base/base.h"
#include "form/placing.h"
#include "num/rotation.h"
#include "pfaff/form.h"

#include <math.h>
#include <string.h>

typedef struct Making {
  PfPlacing placing;
  PfArena *arena;
  PfChain chain;
  PfSymbols symbols;
  bool *used;
  bool failed;
  int *step;      /* per coordinate: the step that it moves, or -1 */
  PfExpr *moving; /* coordinates, velocities, time */
  int moving_count;
  PfTreeBuilder *builder;
} Making;

static bool is_constant(Making *k, PfExpr e)
{
  return !pf_chain_depends(k->placing.ctx, e, k->moving, k->moving_count, &k->failed);
}

/* ---------------------------------------------------------------- which frames, which coordinates */

/* The one coordinate that a step depends on. */
static PfStatus find_coordinate(Making *k, int s, int *found)
{
  const PfModel *model = k->placing.model;
  PfContext *ctx = k->placing.ctx;
  const PfChainStep *step = k->chain.step + s;
  int named = step->frame; /* the nearest frame with a name on the way to the ground */
  while (named && !model->frames[named].name[0]) named = model->frames[named].parent;
  const char *frame = named ? model->frames[named].name : "ground";
  *found = -1;
  for (int i = 0; i < model->coordinate_count; i++) {
    if (!pf_chain_depends(ctx, step->value, &model->coordinates[i].q, 1, &k->failed)) continue;
    if (*found >= 0)
      return pf_fail(ctx, PF_ERR_MODEL, "the placement of '%s' depends on several coordinates at once, '%s' and '%s'",
                     frame, model->coordinates[*found].name, model->coordinates[i].name);
    *found = i;
  }
  if (k->failed) return pf_no_room(ctx, "the tree of the model");
  if (*found < 0) return pf_fail(ctx, PF_ERR_MODEL, "the placement of '%s' follows time or an input", frame);
  if (k->step[*found] >= 0)
    return pf_fail(ctx, PF_ERR_MODEL, "the coordinate '%s' moves more than one joint", model->coordinates[*found].name);
  k->step[*found] = s;
  return PF_OK;
}

/* Marks the frames that carry a body and frames fixed to such, as those of tools are; then finds the step that each
 * coordinate moves. */
static PfStatus list_coordinates(Making *k)
{
  const PfModel *model = k->placing.model;
  for (int i = 0; i < model->body_count; i++)
    for (int f = model->bodies[i].frame; f && !k->used[f]; f = model->frames[f].parent) k->used[f] = true;
  k->used[0] = true;
  for (int f = 1; f < model->frame_count; f++) {
    bool fixed = k->used[model->frames[f].parent];
    for (int s = k->chain.first[f]; s < k->chain.first[f + 1]; s++)
      fixed = fixed && !pf_chain_moves(k->chain.step[s].kind);
    k->used[f] = k->used[f] || fixed;
  }
  for (int s = 0, i; s < k->chain.count; s++) {
    const PfChainStep *step = k->chain.step + s;
    if (!k->used[step->frame]) continue;
    if (step->kind == PF_CHAIN_SLIDE || step->kind == PF_CHAIN_SPIN) PF_TRY(find_coordinate(k, s, &i));
    for (int j = 0; j < 4 && step->ball >= 0; j++) k->step[model->balls[step->ball].q + j] = s;
    for (int j = 0; j < 3 && step->kind == PF_CHAIN_FREE; j++) k->step[model->balls[step->ball].p + j] = s;
  }
  for (int i = 0; i < model->coordinate_count; i++)
    if (k->step[i] < 0)
      return pf_fail(k->placing.ctx, PF_ERR_MODEL, "the coordinate '%s' moves no mass", model->coordinates[i].name);
  return PF_OK;
}

/* ---------------------------------------------------------------- joints */

/* The joint of a coordinate: its name, and the zero and sign of its angle or shift, which must be plus or minus the
 * coordinate and a constant. */
static PfStatus set_joint(Making *k, int i)
{
  PfContext *ctx = k->placing.ctx;
  const PfCoordinate *coordinate = k->placing.model->coordinates + i;
  const PfChainStep *step = k->chain.step + k->step[i];
  PfTreeBody *body = k->placing.list + k->placing.body_of_step[k->step[i]];
  PfExpr zero = pf_expr_int(ctx, 0), part[2] = {pf_expr_diff(ctx, step->value, coordinate->q), step->value};
  double number[2];
  PF_TRY(pf_expr_substitute(ctx, part + 1, 1, &coordinate->q, &zero, 1, part + 1));
  if (!is_constant(k, part[0]) || !is_constant(k, part[1]))
    return k->failed ? pf_no_room(ctx, "the tree of the model")
                     : pf_fail(ctx, PF_ERR_MODEL, "a placement is a nonlinear function of '%s'", coordinate->name);
  PF_TRY(pf_placing_numbers(&k->placing, part, 2, number));
  if (fabs(fabs(number[0]) - 1) > 1e-14)
    return pf_fail(ctx, PF_ERR_MODEL, "a joint moves by %g times the coordinate '%s'", number[0], coordinate->name);
  body->joint_name = coordinate->name;
  /* value = q + offset or -q + offset: the joint is turned or shifted by the offset, and its axis points the
   * other way. */
  double R[9], Q[9], S[9], moved[3];
  pf_quat_rotation(body->quat, R);
  if (step->kind == PF_CHAIN_SLIDE) {
    pf_rotation_times(R, body->axis, moved);
    for (int j = 0; j < 3; j++) body->pos[j] += number[1]*moved[j];
  } else if (number[1] != 0) {
    pf_rotation_about(body->axis, number[1], Q);
    for (int j = 0; j < 9; j++) S[j] = R[3*(j/3)]*Q[j%3] + R[3*(j/3) + 1]*Q[3 + j%3] + R[3*(j/3) + 2]*Q[6 + j%3];
    pf_rotation_quat(S, body->quat);
  }
  for (int j = 0; j < 3; j++) body->axis[j] *= number[0];
  return PF_OK;
}

/* ---------------------------------------------------------------- springs and dampers */

static PfStatus refuse_force(Making *k, int i)
{
  PfContext *ctx = k->placing.ctx;
  if (k->failed) return pf_no_room(ctx, "the tree of the model");
  pf_fail(ctx, PF_ERR_MODEL, "the force on '%s' is not that of a spring and a damper of this coordinate alone",
          k->placing.model->coordinates[i].name);
  pf_hint(ctx, "make it an input: a tree takes inputs as joint forces");
  return PF_ERR_MODEL;
}

/* Q = -stiffness (q - ref) - damping q' */
static PfStatus set_spring(Making *k, int i, PfExpr Q)
{
  PfContext *ctx = k->placing.ctx;
  const PfCoordinate *c = k->placing.model->coordinates + i;
  const PfChainStep *step = k->chain.step + k->step[i];
  if (pf_expr_is_structural_zero(ctx, Q) || pf_expr_is_probably_zero(ctx, Q, 2) == PF_TRUE) return PF_OK;
  PfExpr part[3] = {pf_expr_neg(ctx, pf_expr_diff(ctx, Q, c->q)), pf_expr_neg(ctx, pf_expr_diff(ctx, Q, c->v)), Q};
  PfExpr state[2] = {c->q, c->v}, zeros[2] = {pf_expr_int(ctx, 0), pf_expr_int(ctx, 0)};
  double number[3];
  PF_TRY(pf_expr_substitute(ctx, part + 2, 1, state, zeros, 2, part + 2)); /* the force at zero: stiffness times ref */
  if (step->ball >= 0) return refuse_force(k, i);
  for (int j = 0; j < 3; j++)
    if (!is_constant(k, part[j])) return refuse_force(k, i);
  PF_TRY(pf_placing_numbers(&k->placing, part, 3, number));
  if (number[0] == 0 && number[2] != 0) return refuse_force(k, i);
  PfTreeBody *body = k->placing.list + k->placing.body_of_step[k->step[i]];
  body->stiffness[0] = number[0];
  body->spring_ref[0] = number[0] != 0 ? number[2]/number[0] : 0;
  body->damping[0] = number[1];
  return PF_OK;
}

/* ---------------------------------------------------------------- bodies */

static bool is_unit(const PfPose *pose)
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  bool same = pose->p[0] == 0 && pose->p[1] == 0 && pose->p[2] == 0;
  for (int i = 0; i < 9; i++) same = same && pose->R[i] == unit[i];
  return same;
}

/* A frame with a name is the moving side of its joint, or else welded to it. */
static PfStatus add_frame(Making *k, int f, PfTreeBody *welds, int *count)
{
  const PfModel *model = k->placing.model;
  const PfPose *pose = k->placing.pose + f;
  int b = -1; /* the body of the frame */
  for (int i = model->body_count; i-- > 0;)
    if (model->bodies[i].frame == f) b = i;
  if (!k->used[f] || (b < 0 && !model->frames[f].name[0])) return PF_OK;
  PfTreeBody *body = pose->body >= 0 && is_unit(pose) ? k->placing.list + pose->body : NULL;
  if (!body || body->name) {
    body = welds + (*count)++;
    *body = pf_tree_body(pose->body, PF_JOINT_WELD);
    pf_rotation_quat(pose->R, body->quat);
    memcpy(body->pos, pose->p, sizeof body->pos);
  }
  body->name = b >= 0 ? model->bodies[b].name : model->frames[f].name;
  return b >= 0 ? pf_placing_mass(&k->placing, model->bodies + b, &body->mass, body->com, body->inertia) : PF_OK;
}

/* The tree of the bodies that were placed; frames become bodies without mass that are welded to them. Weight is that of
 * the model. */
static PfStatus build(Making *k, PfTree **tree)
{
  PfPlacing *b = &k->placing;
  double gravity[3];
  int welds = 0;
  PfTreeBody *weld = pf_arena_array(k->arena, PfTreeBody, b->model->frame_count);
  if (!weld) return pf_no_room(b->ctx, "the tree of the model");
  for (int f = 1; f < b->model->frame_count; f++) PF_TRY(add_frame(k, f, weld, &welds));
  PF_TRY(pf_placing_numbers(b, b->model->gravity, 3, gravity));
  PF_TRY(pf_tree_builder_new(b->ctx, &k->builder));
  pf_tree_builder_trust(k->builder); /* plane models have inertias about one axis only */
  pf_tree_builder_gravity(k->builder, gravity);
  for (int i = 0; i < b->count; i++) PF_TRY(pf_tree_builder_add(k->builder, b->list + i, NULL));
  for (int i = 0; i < welds; i++) PF_TRY(pf_tree_builder_add(k->builder, weld + i, NULL));
  return pf_tree_builder_finish(k->builder, tree);
}

/* ---------------------------------------------------------------- all */

/* What is seen before anything is made. */
static PfStatus check_model(Making *k)
{
  const PfModel *model = k->placing.model;
  PfContext *ctx = k->placing.ctx;
  if (!model->body_count)
    return pf_fail(ctx, PF_ERR_MODEL, "the model has no bodies: its inertia is given by 'kinetic'");
  if (!pf_expr_is_structural_zero(ctx, model->kinetic))
    return pf_fail(ctx, PF_ERR_MODEL, "a part of the inertia is given by 'kinetic' and belongs to no body");
  for (int i = 0; i < model->constraint_count; i++) {
    if (model->constraints[i].norm) continue;
    pf_fail(ctx, PF_ERR_MODEL, "a tree has no constraints, and the model has '%s'", model->constraints[i].name);
    pf_hint(ctx, "the formulation 'recursive' computes the model with them");
    return PF_ERR_MODEL;
  }
  for (int i = 0; i < 3; i++)
    if (!is_constant(k, model->gravity[i]))
      return k->failed ? pf_no_room(ctx, "the tree of the model")
                       : pf_fail(ctx, PF_ERR_MODEL, "the gravity of a tree is constant, that of the model is not");
  return PF_OK;
}

/* Arrays by the numbers of frames, steps and coordinates. */
static PfStatus make_room(Making *k)
{
  PfPlacing *b = &k->placing;
  const PfModel *model = b->model;
  size_t n = (size_t)model->coordinate_count, frames = (size_t)model->frame_count;
  PF_TRY(pf_equations_symbols(b->ctx, k->arena, model, &k->symbols));
  PF_TRY(pf_chain_make(b->ctx, k->arena, model, &k->chain));
  PF_TRY(pf_arrays(b->ctx, k->arena, "the tree of the model", PF_ROOM(k->used, frames), PF_ROOM(k->step, n),
                   PF_ROOM(k->moving, 2*n + 1), PF_ROOM(b->list, k->chain.count), PF_ROOM(b->pose, frames),
                   PF_ROOM(b->body_of_step, k->chain.count)));
  for (size_t i = 0; i < n; i++) {
    k->step[i] = -1;
    k->moving[k->moving_count++] = model->coordinates[i].q;
    k->moving[k->moving_count++] = model->coordinates[i].v;
  }
  k->moving[k->moving_count++] = model->time;
  b->chain = &k->chain;
  b->used = k->used;
  b->in = &k->symbols;
  return PF_OK;
}

/* Placement in numbers, joints, the equations of the model for its forces, then the tree. */
static PfStatus make(Making *k, const double *parameters, PfTree **tree)
{
  PfPlacing *b = &k->placing;
  PfEquations eq;
  PF_TRY(make_room(k));
  PF_TRY(check_model(k));
  double *values = pf_arena_array(k->arena, double, k->symbols.count);
  if (!values) return pf_no_room(b->ctx, "the tree of the model");
  PF_TRY(pf_model_parameter_values(b->model, parameters, PF_MISSING_FAILS, values + k->symbols.parameters));
  b->values = values;
  PF_TRY(list_coordinates(k));
  PF_TRY(pf_placing_walk(b));
  for (int i = 0; i < b->model->coordinate_count; i++) {
    const int ball = k->chain.step[k->step[i]].ball;
    if (ball < 0) PF_TRY(set_joint(k, i));
    else b->list[b->body_of_step[k->step[i]]].joint_name = b->model->balls[ball].name;
  }
  PF_TRY(pf_equations_derive(b->ctx, k->arena, b->model, &eq));
  /* All forces but weight, with the inputs at zero. */
  const PfModel *model = k->placing.model;
  PfContext *ctx = k->placing.ctx;
  int n = model->coordinate_count;
  PfExpr *Q = pf_arena_array(k->arena, PfExpr, n), *q = pf_arena_array(k->arena, PfExpr, n), zero = pf_expr_int(ctx, 0);
  if (!Q || !q) return pf_no_room(ctx, "the tree of the model");
  for (int i = 0; i < n; i++) q[i] = model->coordinates[i].q;
  PF_TRY(pf_expr_gradient(ctx, model->potential, q, n, Q));
  for (int i = 0; i < n; i++) Q[i] = pf_expr_sub(ctx, pf_expr_add(ctx, eq.applied[i], eq.C[i]), Q[i]);
  for (int j = 0; j < model->input_count; j++)
    PF_TRY(pf_expr_substitute(ctx, Q, n, &model->inputs[j].symbol, &zero, 1, Q));
  for (int i = 0; i < n; i++) PF_TRY(set_spring(k, i, Q[i]));
  PF_TRY(pf_expr_check(ctx));
  return build(k, tree);
}

/* Models whose inertia is given by bodies and whose forces are springs and dampers at joints; PF_ERR_MODEL names what a
 * tree cannot express. The tree is freed by pf_tree_free. */
PfStatus pf_tree_from_model(const PfModel *model, const double *parameters, PfTree **tree)
{
  PfContext *ctx = model->ctx;
  *tree = NULL;
  Making k = {.placing = {.ctx = ctx, .model = model}, .arena = pf_arena_new(pf_context_allocator(ctx))};
  if (!k.arena) return pf_no_room(ctx, "the tree of the model");
  PfStatus status = make(&k, parameters, tree);
  pf_tree_builder_free(k.builder);
  pf_arena_free(k.arena);
  return status;
}
