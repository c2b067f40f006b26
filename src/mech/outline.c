/* SPDX-License-Identifier: Apache-2.0 */
/* Which models move without formulas for their inertia: trees of bodies of which the mass matrix would have many
 * elements, that is deep ones. Every coordinate is the turn or the way of one joint, or part of a quaternion; nothing
 * but the bodies has inertia; forces do not switch, and there are no events: phases of a motion are made of
 * formulas. */
#include "mech/chain.h"
#include "mech/mech_impl.h"

/* Elements of the mass matrix from which on it pays, in all and per coordinate: from an arm of six joints on, the
 * recursion takes less time than formulas, to be made and in each step. */
enum { LEAST_ELEMENTS = 21, LEAST_PER_COORDINATE = 3 };
/* With constraints, and with starts that leave velocities open: both are met by the smallest change in the metric of
 * the mass matrix, where there is one. */
enum { LEAST_ELEMENTS_BOUND = 1000, LEAST_PER_COORDINATE_BOUND = 20 };
/* Coordinates per constraint: each costs a sweep over the tree. */
enum { COORDINATES_PER_ROW = 8 };

typedef struct Look {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  PfChain chain;
  PfCoordinateIndex index;
  bool *moved; /* per coordinate: some joint has it */
  int *depth;  /* per frame: rates on the way from the ground */
} Look;

/* Rows that bind more than the length of a quaternion. */
static int row_count(const PfModel *model)
{
  int count = 0;
  for (int k = 0; k < model->constraint_count; k++) count += !model->constraints[k].norm;
  return count;
}

/* Does it give speeds or angular velocities in the place of velocities? */
static bool is_start_open(const PfModel *model)
{
  for (int i = 0; i < model->speed_count; i++)
    if (model->speeds[i].start != PF_EXPR_NONE) return true;
  return model->start_spin_count > 0;
}

/* Adds to an answer that was no so far. */
static PfStatus look_for_switches(const Look *l, const PfExpr *list, int count, bool *may)
{
  return *may || !count ? PF_OK : pf_may_switch(l->ctx, l->arena, list, count, may);
}

static PfStatus look_into_vector(const Look *l, const PfVector *vector, bool *may)
{
  for (int p = 0; p < vector->count; p++) PF_TRY(look_for_switches(l, vector->part[p].c, 3, may));
  return PF_OK;
}

/* Do formulas of forces and constraints stay what they are along the motion? */
static PfStatus is_smooth(const Look *l, bool *yes)
{
  const PfModel *model = l->model;
  const PfExpr energies[2] = {model->potential, model->dissipation};
  bool may = false;
  PF_TRY(look_for_switches(l, model->force, model->coordinate_count, &may));
  PF_TRY(look_for_switches(l, energies, 2, &may));
  for (int k = 0; k < model->constraint_count; k++)
    PF_TRY(look_for_switches(l, &model->constraints[k].residual, 1, &may));
  for (int i = 0; i < model->input_count; i++)
    PF_TRY(look_for_switches(l, &model->inputs[i].value, model->inputs[i].value != PF_EXPR_NONE, &may));
  for (int k = 0; k < model->load_count; k++) {
    PF_TRY(look_into_vector(l, &model->loads[k].force, &may));
    PF_TRY(look_into_vector(l, &model->loads[k].velocity, &may)); /* of the point at which it acts */
  }
  *yes = !may;
  return PF_OK;
}

static bool is_plain(const Look *l)
{
  const PfModel *model = l->model;
  PfContext *ctx = l->ctx;
  if (!model->body_count || !pf_expr_is_structural_zero(ctx, model->kinetic)) return false;
  if (model->event_count || (model->complete && model->complete != model)) return false;
  if (row_count(model)*COORDINATES_PER_ROW > model->coordinate_count) return false;
  for (int i = 0; i < model->coordinate_count; i++) {
    if (!pf_expr_is_structural_zero(ctx, model->nonideal[i])) return false;
    if (model->coordinates[i].rate != PF_EXPR_NONE) return false;
  }
  for (int k = 0; k < model->load_count; k++)
    if (model->loads[k].nonideal) return false;
  for (int k = 0; k < 3; k++)
    if (pf_expr_depends(ctx, model->gravity[k], &model->time, 1)) return false;
  return true;
}

/* Takes the coordinate whose symbol is the value of a joint; false when there is none, or when it has a joint. */
static bool take(const Look *l, PfExpr value)
{
  int coordinate = pf_coordinate_of(&l->index, value);
  if (coordinate < 0 || l->moved[coordinate]) return false;
  return l->moved[coordinate] = true;
}

static void take_ball(const Look *l, const PfChainStep *step)
{
  const PfBall *ball = l->model->balls + step->ball;
  for (int i = 0; i < 4; i++) l->moved[ball->q + i] = true;
  for (int i = 0; i < 3 && step->kind == PF_CHAIN_FREE; i++) l->moved[ball->p + i] = true;
}

/* Every coordinate is a joint; `elements` of the mass matrix are not zero. */
static bool are_joints(const Look *l, double *elements)
{
  const PfModel *model = l->model;
  *elements = 0;
  for (int f = 1; f < model->frame_count; f++) {
    int depth = l->depth[model->frames[f].parent];
    for (int k = l->chain.first[f]; k < l->chain.first[f + 1]; k++) {
      const PfChainStep *step = l->chain.step + k;
      if (!pf_chain_moves(step->kind)) continue;
      if (step->kind != PF_CHAIN_SLIDE && step->kind != PF_CHAIN_SPIN && step->ball < 0) return false;
      if (step->ball >= 0) take_ball(l, step);
      else if (!take(l, step->value)) return false;
      int own = step->kind == PF_CHAIN_FREE ? 7 : step->ball >= 0 ? 4 : 1;
      depth += own;
      *elements += own*(double)depth;
    }
    l->depth[f] = depth;
  }
  for (int i = 0; i < model->coordinate_count; i++)
    if (!l->moved[i]) return false;
  return true;
}

static PfStatus look(Look *l, bool *suits)
{
  const PfModel *model = l->model;
  size_t n = (size_t)model->coordinate_count;
  if (n < LEAST_PER_COORDINATE || !is_plain(l)) return PF_OK;
  l->moved = pf_arena_array(l->arena, bool, n);
  l->depth = pf_arena_array(l->arena, int, model->frame_count);
  if (!l->moved || !l->depth) return pf_no_room(l->ctx, "the equations");
  PF_TRY(pf_coordinate_index_make(l->ctx, l->arena, model, &l->index));
  PF_TRY(pf_chain_make(l->ctx, l->arena, model, &l->chain));
  double elements;
  if (!are_joints(l, &elements)) return PF_OK;
  bool bound = row_count(model) > 0 || is_start_open(model);
  double least = bound ? LEAST_ELEMENTS_BOUND : LEAST_ELEMENTS;
  double least_each = bound ? LEAST_PER_COORDINATE_BOUND : LEAST_PER_COORDINATE;
  if (elements < least || elements < least_each*(double)n) return PF_OK;
  return is_smooth(l, suits);
}

PfStatus pf_outline_suits(PfContext *ctx, const PfModel *model, bool *suits)
{
  Look l = {.ctx = ctx, .model = model, .arena = pf_arena_new(pf_context_allocator(ctx))};
  *suits = false;
  if (!l.arena) return pf_no_room(ctx, "the equations");
  PfStatus status = look(&l, suits);
  pf_arena_free(l.arena);
  return status;
}
