/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps along a motion: sign, and comparisons, of time and state. Derivatives leave the jump out. An 'if' whose two
 * cases agree where it switches, as in the energy of a spring that only pushes, does not jump. */
#include "mech/mech_impl.h"

typedef struct Exchange {
  PfExpr node, by;
} Exchange;

/* PfExprMap: one node by another one. */
static PfExpr image_of(void *user, PfExpr e)
{
  const Exchange *x = user;
  return e == x->node ? x->by : e;
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

/* Every sign and comparison in each expression is tried: e above and below its surface, and whether the difference
 * vanishes on it. */
PfStatus pf_may_jump(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *list, int count, bool *may)
{
  /* Time, coordinates, velocities, accelerations, multipliers. */
  const int n = model->coordinate_count, m = model->constraint_count, moving_count = 3*n + m + 1;
  PfExpr *moving, *nodes;
  int node_count;
  *may = false;
  PF_TRY(pf_arrays(ctx, arena, "the jumps of the equations", PF_ROOM(moving, moving_count)));
  for (int i = 0; i < n; i++) {
    const PfCoordinate *c = model->coordinates + i;
    moving[i] = c->q, moving[n + i] = c->v, moving[2*n + i] = c->a;
  }
  for (int k = 0; k < m; k++) moving[3*n + k] = model->constraints[k].multiplier;
  moving[3*n + m] = model->time;
  for (int i = 0; i < count && !*may; i++) {
    PfExpr e = list[i];
    if (e == PF_EXPR_NONE) continue;
    PF_TRY(pf_insert_inputs(ctx, model, &e, 1));
    PF_TRY(pf_expr_reach(ctx, arena, &e, 1, &nodes, &node_count));
    for (int k = 0; k < node_count && !*may; k++) {
      const PfOp op = pf_expr_op(ctx, nodes[k]);
      PfExpr g = PF_EXPR_NONE; /* the function whose sign decides */
      if (op == PF_OP_SIGN) g = pf_expr_arg(ctx, nodes[k], 0);
      if (op == PF_OP_LESS || op == PF_OP_LESS_EQUAL)
        g = pf_expr_sub(ctx, pf_expr_arg(ctx, nodes[k], 0), pf_expr_arg(ctx, nodes[k], 1));
      if (g != PF_EXPR_NONE && pf_expr_depends(ctx, g, moving, moving_count))
        PF_TRY(jumps_at(ctx, e, nodes[k], g, moving, moving_count, may));
    }
    PF_TRY(pf_expr_check(ctx));
  }
  return PF_OK;
}

/* F and C; constraints jump with their rows, which pf_may_jump is asked about apart. */
PfStatus pf_forces_may_jump(PfContext *ctx, PfArena *arena, const PfEquations *eq, bool *may)
{
  *may = false;
  if (eq->in_bodies) return PF_OK; /* nothing in matrix-free equations switches */
  PF_TRY(pf_may_jump(ctx, arena, eq->model, eq->F, eq->n, may));
  return *may ? PF_OK : pf_may_jump(ctx, arena, eq->model, eq->C, eq->n, may);
}
