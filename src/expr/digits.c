/* SPDX-License-Identifier: Apache-2.0 */
/* Which expressions keep their digits: products do, however small they are; of sums whose terms cancel rounding is
 * left, and of functions as well, as of cos(1.5707963267948966). */
#include "expr/expr_impl.h"

static bool is_plain(PfContext *ctx, PfExpr e)
{
  const PfOp op = pf_expr_op(ctx, e);
  return op == PF_OP_SYMBOL || op == PF_OP_PI || pf_expr_is_number(ctx, e, NULL);
}

bool pf_expr_keeps_digits(PfContext *ctx, PfExpr e)
{
  if (e == PF_EXPR_NONE) return false;
  const bool one_term = pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
                        pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
  const PfExpr t = one_term ? pf_expr_arg(ctx, e, 2) : e; /* a number times t is a sum of one term */
  if (pf_expr_op(ctx, t) != PF_OP_PRODUCT) return is_plain(ctx, t);
  for (int i = 0; i < pf_expr_arg_count(ctx, t); i += 2)
    if (!is_plain(ctx, pf_expr_arg(ctx, t, i)) || !pf_expr_is_number(ctx, pf_expr_arg(ctx, t, i + 1), NULL))
      return false;
  return true;
}
