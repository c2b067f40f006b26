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

typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  PfChain chain;
  PfCoordinateIndex index;
  bool *moved; /* per coordinate: some joint has it */
  int *depth;  /* per frame: rates on the way from the ground */
} Search;

/* Rows that bind more than the length of a quaternion. */
static int row_count(const PfModel *model)
{
  int count = 0;
  for (int k = 0; k < model->constraint_count; k++) count += !model->constraints[k].norm;
  return count;
}

/* Looks for switches in one more list, unless some have been found already. */
static PfStatus look_for_switches(const Search *l, const PfExpr *list, int count, bool *may)
{
  return *may || !count ? PF_OK : pf_may_switch(l->ctx, l->arena, list, count, may);
}

/* Does the model consist of bodies, few constraints and ideal forces only? */
static bool is_plain(const Search *l)
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

/* Is every coordinate that of one joint? `elements` of the mass matrix are not zero. */
static bool are_joints(const Search *l, double *elements)
{
  const PfModel *model = l->model;
  *elements = 0;
  for (int f = 1; f < model->frame_count; f++) {
    int depth = l->depth[model->frames[f].parent];
    for (int k = l->chain.first[f]; k < l->chain.first[f + 1]; k++) {
      const PfChainStep *step = l->chain.step + k;
      const bool simple = step->kind == PF_CHAIN_SLIDE || step->kind == PF_CHAIN_SPIN, ball = step->ball >= 0;
      if (!pf_chain_moves(step->kind)) continue;
      if (!simple && !ball) return false;
      const PfBall *of = ball ? model->balls + step->ball : NULL;
      for (int i = 0; i < 4 && ball; i++) l->moved[of->q + i] = true;
      for (int i = 0; i < 3 && ball && step->kind == PF_CHAIN_FREE; i++) l->moved[of->p + i] = true;
      if (!ball) { /* its value is the symbol of a coordinate that no other joint has */
        int coordinate = pf_coordinate_of(&l->index, step->value);
        if (coordinate < 0 || l->moved[coordinate]) return false;
        l->moved[coordinate] = true;
      }
      int own = step->kind == PF_CHAIN_FREE ? 7 : ball ? 4 : 1;
      depth += own;
      *elements += own*(double)depth;
    }
    l->depth[f] = depth;
  }
  for (int i = 0; i < model->coordinate_count; i++)
    if (!l->moved[i]) return false;
  return true;
}

/* Is the model a deep tree of joints, large enough that the recursion is cheaper than its mass matrix in formulas, and
 * smooth: do formulas of forces and constraints stay what they are along the motion? */
static PfStatus search(Search *l, bool *suits)
{
  const PfModel *model = l->model;
  size_t n = (size_t)model->coordinate_count;
  double elements;
  if (n < LEAST_PER_COORDINATE || !is_plain(l)) return PF_OK;
  PF_TRY(pf_arrays(l->ctx, l->arena, "the equations", PF_ROOM(l->moved, n), PF_ROOM(l->depth, model->frame_count)));
  PF_TRY(pf_coordinate_index_make(l->ctx, l->arena, model, &l->index));
  PF_TRY(pf_chain_make(l->ctx, l->arena, model, &l->chain));
  if (!are_joints(l, &elements)) return PF_OK;
  bool bound = row_count(model) > 0 || model->start_spin_count > 0; /* or speeds in the place of velocities */
  for (int i = 0; i < model->speed_count; i++) bound = bound || model->speeds[i].start != PF_EXPR_NONE;
  double least = bound ? LEAST_ELEMENTS_BOUND : LEAST_ELEMENTS;
  double least_each = bound ? LEAST_PER_COORDINATE_BOUND : LEAST_PER_COORDINATE;
  if (elements < least || elements < least_each*(double)n) return PF_OK;
  const PfExpr energies[2] = {model->potential, model->dissipation};
  bool may = false;
  PF_TRY(look_for_switches(l, model->force, model->coordinate_count, &may));
  PF_TRY(look_for_switches(l, energies, 2, &may));
  for (int k = 0; k < model->constraint_count; k++)
    PF_TRY(look_for_switches(l, &model->constraints[k].residual, 1, &may));
  for (int i = 0; i < model->input_count; i++)
    PF_TRY(look_for_switches(l, &model->inputs[i].value, model->inputs[i].value != PF_EXPR_NONE, &may));
  for (int k = 0; k < model->load_count; k++) { /* forces, and the velocities of the points at which they act */
    const PfLoad *load = model->loads + k;
    for (int p = 0; p < load->force.count; p++) PF_TRY(look_for_switches(l, load->force.part[p].c, 3, &may));
    for (int p = 0; p < load->velocity.count; p++) PF_TRY(look_for_switches(l, load->velocity.part[p].c, 3, &may));
  }
  *suits = !may;
  return PF_OK;
}

/* In scratch memory of its own, since large models have many expressions to look at. */
PfStatus pf_matrix_free_suits(PfContext *ctx, const PfModel *model, bool *suits)
{
  Search l = {.ctx = ctx, .model = model, .arena = pf_arena_new(pf_context_allocator(ctx))};
  *suits = false;
  if (!l.arena) return pf_no_room(ctx, "the equations");
  PfStatus status = search(&l, suits);
  pf_arena_free(l.arena);
  return status;
}
