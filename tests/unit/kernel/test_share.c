/* SPDX-License-Identifier: Apache-2.0 */
#include "tapes.h"

enum { N = 8 };

typedef struct Vars {
  PfExpr at[N];
} Vars;

static Vars letters(PfContext *ctx)
{
  Vars l;
  for (int i = 0; i < N; i++) l.at[i] = pf_expr_symbol(ctx, (char[]){(char)('a' + i), 0});
  return l;
}

/* Instructions of the roots; compares the values with products or sums of the chosen letters. */
static int instructions_of(PfContext *ctx, const PfExpr *roots, int count)
{
  Vars l = letters(ctx);
  double given[N], got[N], want[N];
  for (int i = 0; i < N; i++) given[i] = 1 + 0.125*i;
  PfTape *tape = tape_of(ctx, l.at, N, roots, count);
  run(tape, given, got);
  assert_int_equal(pf_expr_evaluate(ctx, roots, count, l.at, given, N, want), PF_OK);
  for (int i = 0; i < count; i++) assert_near(got[i], want[i], 1e-15, 1e-15);
  int result = pf_tape_instruction_count(tape);
  pf_tape_free(tape);
  return result;
}

/* a*b*c, a*b*d, a*b*e: a*b once, then one multiplication each. */
static void a_pair_of_factors_is_multiplied_once(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Vars l = letters(ctx);
  PfExpr roots[3];
  for (int i = 0; i < 3; i++) roots[i] = pf_expr_product(ctx, (PfExpr[]){l.at[0], l.at[1], l.at[2 + i]}, 3);
  assert_int_equal(instructions_of(ctx, roots, 3), 4);
}

/* a - 2 b occurs as it is, negative, and with opposite sign of the whole. */
static void a_pair_of_terms_is_added_once_whatever_its_sign(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Vars l = letters(ctx);
  PfExpr two = pf_expr_int(ctx, 2), pair = pf_expr_sub(ctx, l.at[0], pf_expr_mul(ctx, two, l.at[1]));
  const PfExpr roots[] = {pf_expr_add(ctx, pair, l.at[2]), pf_expr_sub(ctx, l.at[3], pair),
                          pf_expr_sub(ctx, pair, l.at[4])};
  assert_int_equal(instructions_of(ctx, roots, 3), 4);
}

/* 3 a + 3 b and a/2 + b/2 have a + b in common. */
static void a_pair_with_equal_coefficients_is_the_same_at_every_scale(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Vars l = letters(ctx);
  PfExpr pair = pf_expr_add(ctx, l.at[0], l.at[1]);
  const PfExpr roots[] = {
    pf_expr_add(ctx, pf_expr_mul(ctx, pf_expr_int(ctx, 3), pair), l.at[2]),
    pf_expr_add(ctx, pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pair), l.at[3]),
  };
  assert_int_equal(instructions_of(ctx, roots, 2), 3);
}

/* The sums of the first k letters: each needs one addition more than the one before. */
static void partial_sums_grow_out_of_each_other(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Vars l = letters(ctx);
  PfExpr roots[N - 1];
  for (int k = 2; k <= N; k++) roots[k - 2] = pf_expr_sum(ctx, l.at, k);
  assert_int_equal(instructions_of(ctx, roots, N - 1), N - 1);
  for (int k = 2; k <= N; k++) roots[k - 2] = pf_expr_product(ctx, l.at, k);
  assert_int_equal(instructions_of(ctx, roots, N - 1), N - 1);
}

/* Lists far longer than a segment, and many of them. */
static void long_lists_are_shared_in_pieces(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  enum { LONG = 500, LISTS = 8 };
  Vars l = letters(ctx);
  PfExpr terms[LONG], roots[LISTS];
  for (int i = 0; i < LONG; i++) {
    PfExpr angle = pf_expr_mul(ctx, l.at[i%N], pf_expr_int(ctx, 1 + i));
    terms[i] = pf_expr_call1(ctx, i%2 ? PF_OP_ATAN : PF_OP_TANH, angle);
  }
  for (int k = 0; k < LISTS; k++) {
    PfExpr rest = pf_expr_sum(ctx, terms + 10*k, LONG - 10*k);
    roots[k] = pf_expr_add(ctx, rest, l.at[k]);
  }
  int additions = instructions_of(ctx, roots, LISTS) - LONG - (LONG - N); /* less functions and angles */
  assert_true(additions < 2*LONG);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_pair_of_factors_is_multiplied_once),
    with_fixture(a_pair_of_terms_is_added_once_whatever_its_sign),
    with_fixture(a_pair_with_equal_coefficients_is_the_same_at_every_scale),
    with_fixture(partial_sums_grow_out_of_each_other),
    with_fixture(long_lists_are_shared_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
