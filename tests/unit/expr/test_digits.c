/* SPDX-License-Identifier: Apache-2.0 */
/* Products keep their digits; sums that may cancel and functions do not. */
#include "support.h"

#include "pfaff/expr.h"

static void products_keep_their_digits(void **state)
{
  Fixture *f = *state;
  PfContext *ctx = f->ctx;
  PfExpr q = pf_expr_symbol(ctx, "q"), p = pf_expr_symbol(ctx, "p");
  PfExpr small = pf_expr_double(ctx, 1e-300), turn = pf_expr_call1(ctx, PF_OP_COS, q);
  assert_true(pf_expr_keeps_digits(ctx, small));
  assert_true(pf_expr_keeps_digits(ctx, pf_expr_mul(ctx, small, p)));
  assert_false(pf_expr_keeps_digits(ctx, pf_expr_mul(ctx, small, pf_expr_mul(ctx, p, turn))));
}

static void what_may_cancel_does_not(void **state)
{
  Fixture *f = *state;
  PfContext *ctx = f->ctx;
  PfExpr q = pf_expr_symbol(ctx, "q"), p = pf_expr_symbol(ctx, "p");
  PfExpr sum = pf_expr_add(ctx, q, p), quarter = pf_expr_call1(ctx, PF_OP_COS, p);
  assert_false(pf_expr_keeps_digits(ctx, sum));
  assert_false(pf_expr_keeps_digits(ctx, pf_expr_mul(ctx, p, sum)));
  assert_false(pf_expr_keeps_digits(ctx, quarter)); /* p may be 1.5707963267948966 */
  assert_false(pf_expr_keeps_digits(ctx, PF_EXPR_NONE));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(products_keep_their_digits),
    with_fixture(what_may_cancel_does_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
