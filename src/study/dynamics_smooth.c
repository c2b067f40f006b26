/* SPDX-License-Identifier: Apache-2.0 */
/* Points where a derivative does not exist: found by looking at what decides in abs, sign, min, max and conditions. */
#include "study/dynamics.h"

#include <math.h>

/* What must not vanish for the node to be smooth, or PF_EXPR_NONE. */
static PfExpr decider(PfContext *ctx, PfExpr e)
{
  switch (pf_expr_op(ctx, e)) {
  case PF_OP_ABS:
  case PF_OP_SIGN: return pf_expr_arg(ctx, e, 0);
  case PF_OP_MIN:
  case PF_OP_MAX:
  case PF_OP_LESS:
  case PF_OP_LESS_EQUAL:
  case PF_OP_EQUAL: return pf_expr_sub(ctx, pf_expr_arg(ctx, e, 0), pf_expr_arg(ctx, e, 1));
  default: return PF_EXPR_NONE;
  }
}

static PfStatus check(PfDynamics *f, PfArena *arena)
{
  PfExpr *nodes;
  int count;
  PF_TRY(pf_expr_reach(f->ctx, arena, f->roots, f->root_count, &nodes, &count));
  for (int i = 0; i < count; i++) {
    PfExpr e = decider(f->ctx, nodes[i]);
    double value;
    if (e == PF_EXPR_NONE) continue;
    PF_TRY(pf_expr_evaluate(f->ctx, &e, 1, f->symbol, f->full, f->count, &value));
    if (fabs(value) > 1e-10 || isnan(value)) continue;
    const char *text = pf_expr_print(f->ctx, arena, e, PF_TEXT);
    pf_fail(f->ctx, PF_ERR_NUMBER, "the equations have a kink here: %s = 0", text ? text : "a decision");
    pf_hint(f->ctx, "a linear model exists on either side of it only: give a state beside it, or smooth the model");
    return PF_ERR_NUMBER;
  }
  return PF_OK;
}

PfStatus pf_dynamics_check_smooth(PfDynamics *f)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(f->ctx));
  if (!arena) return pf_no_room(f->ctx, "the vector field");
  PfStatus status = check(f, arena);
  pf_arena_free(arena);
  return status;
}
