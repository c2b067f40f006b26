/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of events, such as x < 0 and t > 1, as logic over comparisons with zero: a zero crossing is then
 * located for each comparison, and the logic decides whether the event happens. */
#include "mech/mech_impl.h"

/* Anything but a logical combination of comparisons, down to some depth, is one comparison of its value. */
static PfStatus read_to(PfContext *ctx, PfExpr e, int depth, PfAddComparison *add, void *user, PfExpr *out)
{
  PfOp op = pf_expr_op(ctx, e);
  bool logic = (op == PF_OP_AND || op == PF_OP_OR || op == PF_OP_NOT) && depth > 0;
  if (logic) {
    PfExpr args[2] = {PF_EXPR_NONE, PF_EXPR_NONE};
    int count = pf_expr_arg_count(ctx, e);
    for (int i = 0; i < count; i++) PF_TRY(read_to(ctx, pf_expr_arg(ctx, e, i), depth - 1, add, user, args + i));
    *out = count == 2 ? pf_expr_call2(ctx, op, args[0], args[1]) : pf_expr_call1(ctx, op, args[0]);
    return pf_expr_check(ctx);
  }
  if (pf_expr_is_number(ctx, e, NULL)) {
    *out = e;
    return PF_OK;
  }
  bool compares = op == PF_OP_LESS || op == PF_OP_LESS_EQUAL || op == PF_OP_EQUAL;
  PfExpr g = compares ? pf_expr_sub(ctx, pf_expr_arg(ctx, e, 0), pf_expr_arg(ctx, e, 1))
                      : pf_expr_sub(ctx, pf_expr_rational(ctx, 1, 2), e);
  return add(user, g, compares ? op : PF_OP_LESS, out);
}

/* Depth first, to a limited depth, since the text of a model decides how deep the condition is. */
PfStatus pf_condition_read(PfContext *ctx, PfExpr condition, PfAddComparison *add, void *user, PfExpr *logic)
{
  enum { DEPTH = 64 };
  return read_to(ctx, condition, DEPTH, add, user, logic);
}
