/* SPDX-License-Identifier: Apache-2.0 */
/* Which expressions keep their digits: products do, however small they are; of sums whose terms cancel rounding is
 * left, and of functions of numbers as well, as of cos(1.5707963267948966). */
#include "expr/expr_impl.h"

/* A number, a symbol, or a function of something that moves. */
static bool is_plain(PfContext *ctx, PfExpr e, const PfExpr *moving, int count)
{
  const PfOp op = pf_expr_op(ctx, e);
  if (op == PF_OP_SYMBOL || op == PF_OP_PI || pf_expr_is_number(ctx, e, NULL)) return true;
  return op != PF_OP_SUM && op != PF_OP_PRODUCT && pf_expr_depends(ctx, e, moving, count);
}

/* c t is a sum of one term. */
static PfExpr without_factor(PfContext *ctx, PfExpr e)
{
  bool one = pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
             pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
  return one ? pf_expr_arg(ctx, e, 2) : e;
}

bool pf_expr_keeps_digits(PfContext *ctx, PfExpr e, const PfExpr *moving, int count)
{
  if (e == PF_EXPR_NONE) return false;
  const PfExpr t = without_factor(ctx, e);
  if (pf_expr_op(ctx, t) != PF_OP_PRODUCT) return is_plain(ctx, t, moving, count);
  for (int i = 0; i < pf_expr_arg_count(ctx, t); i += 2) {
    bool fixed = pf_expr_is_number(ctx, pf_expr_arg(ctx, t, i + 1), NULL);
    if (!fixed || !is_plain(ctx, pf_expr_arg(ctx, t, i), moving, count)) return false;
  }
  return true;
}
