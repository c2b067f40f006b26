/* SPDX-License-Identifier: Apache-2.0 */
/* What jumps along a motion: sign, and comparisons, of time and state. Derivatives leave the jump out. An 'if' whose
 * two cases agree where it switches, as in the energy of a spring that only pushes, does not jump. */
#include "mech/mech_impl.h"

typedef struct Exchange {
  PfExpr node, by;
} Exchange;

static PfExpr image_of(void *user, PfExpr e)
{
  const Exchange *x = user;
  return e == x->node ? x->by : e;
}

/* Time, coordinates, velocities, accelerations, multipliers. */
static PfStatus list_moving(PfContext *ctx, PfArena *arena, const PfModel *model, PfExpr **list, int *count)
{
  int n = model->coordinate_count, m = model->constraint_count, c = 0;
  PfExpr *x = *list = pf_arena_array(arena, PfExpr, 3*(size_t)n + (size_t)m + 1);
  if (!x) return pf_no_room(ctx, "the jumps of the equations");
  for (int i = 0; i < n; i++) x[c++] = model->coordinates[i].q;
  for (int i = 0; i < n; i++) x[c++] = model->coordinates[i].v;
  for (int i = 0; i < n; i++) x[c++] = model->coordinates[i].a;
  for (int k = 0; k < m; k++) x[c++] = model->constraints[k].multiplier;
  x[c++] = model->time;
  *count = c;
  return PF_OK;
}

/* The function whose sign decides, or PF_EXPR_NONE. */
static PfExpr surface_of(PfContext *ctx, PfExpr node)
{
  PfOp op = pf_expr_op(ctx, node);
  if (op == PF_OP_SIGN) return pf_expr_arg(ctx, node, 0);
  if (op != PF_OP_LESS && op != PF_OP_LESS_EQUAL) return PF_EXPR_NONE;
  return pf_expr_sub(ctx, pf_expr_arg(ctx, node, 0), pf_expr_arg(ctx, node, 1));
}

/* Is d zero on the surface g = 0? Shown by solving for a symbol of which g is a linear function. */
static PfStatus vanishes(PfContext *ctx, PfExpr d, PfExpr g, const PfExpr *moving, int count, bool *yes)
{
  PfExpr zero = pf_expr_int(ctx, 0), rest, there;
  *yes = pf_expr_is_structural_zero(ctx, d);
  for (int i = 0; i < count && !*yes; i++) {
    PfExpr slope = pf_expr_diff(ctx, g, moving[i]);
    PF_TRY(pf_expr_check(ctx));
    if (pf_expr_is_structural_zero(ctx, slope) || pf_expr_depends(ctx, slope, moving + i, 1)) continue;
    PF_TRY(pf_expr_substitute(ctx, &g, 1, moving + i, &zero, 1, &rest));
    PfExpr root = pf_expr_neg(ctx, pf_expr_div(ctx, rest, slope));
    PF_TRY(pf_expr_substitute(ctx, &d, 1, moving + i, &root, 1, &there));
    *yes = pf_expr_is_probably_zero(ctx, there, 4) == PF_TRUE;
  }
  return PF_OK;
}

/* Does e change at the node, from one side of its surface to the other? */
static PfStatus jumps_at(PfContext *ctx, PfExpr e, PfExpr node, PfExpr g, const PfExpr *moving, int count, bool *jumps)
{
  bool same;
  PfExpr above, below;
  Exchange high = {node, pf_expr_int(ctx, 1)},
           low = {node, pf_expr_int(ctx, pf_expr_op(ctx, node) == PF_OP_SIGN ? -1 : 0)};
  PF_TRY(pf_expr_map(ctx, &e, 1, image_of, &high, &above));
  PF_TRY(pf_expr_map(ctx, &e, 1, image_of, &low, &below));
  PF_TRY(vanishes(ctx, pf_expr_sub(ctx, above, below), g, moving, count, &same));
  *jumps = !same;
  return PF_OK;
}

static PfStatus one_jumps(PfContext *ctx, PfArena *arena, PfExpr e, const PfExpr *moving, int count, bool *jumps)
{
  PfExpr *nodes;
  int node_count;
  PF_TRY(pf_expr_reach(ctx, arena, &e, 1, &nodes, &node_count));
  for (int k = 0; k < node_count && !*jumps; k++) {
    PfExpr g = surface_of(ctx, nodes[k]);
    if (g == PF_EXPR_NONE || !pf_expr_depends(ctx, g, moving, count)) continue;
    PF_TRY(jumps_at(ctx, e, nodes[k], g, moving, count, jumps));
  }
  return pf_expr_check(ctx);
}

PfStatus pf_may_jump(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *list, int count, bool *may)
{
  PfExpr *moving;
  int moving_count = 0;
  *may = false;
  PF_TRY(list_moving(ctx, arena, model, &moving, &moving_count));
  for (int i = 0; i < count && !*may; i++) {
    PfExpr e = list[i];
    if (e == PF_EXPR_NONE) continue;
    PF_TRY(pf_insert_inputs(ctx, model, &e, 1));
    PF_TRY(one_jumps(ctx, arena, e, moving, moving_count, may));
  }
  return PF_OK;
}

PfStatus pf_forces_may_jump(PfContext *ctx, PfArena *arena, const PfEquations *eq, bool *may)
{
  *may = false;
  if (eq->in_bodies) return PF_OK; /* nothing in an outline switches */
  PF_TRY(pf_may_jump(ctx, arena, eq->model, eq->F, eq->n, may));
  return *may ? PF_OK : pf_may_jump(ctx, arena, eq->model, eq->C, eq->n, may);
}
