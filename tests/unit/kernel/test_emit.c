/* SPDX-License-Identifier: Apache-2.0 */
#include "tapes.h"

#include "kernel/kernel_impl.h"

/* Makes the tape of one expression of x, y, z, which must be this one instruction. */
static void assert_one(PfContext *ctx, PfExpr e, uint32_t op, double expected)
{
  Bench b = bench(ctx);
  PfTape *tape = tape_of(ctx, b.inputs, 3, &e, 1);
  assert_int_equal(pf_tape_instruction_count(tape), 1);
  assert_int_equal(tape->runs[0], PF_RUN(op, 1));
  assert_int_equal(tape->runs[1], PF_RUN(PF_TAPE_END, 1));
  pf_tape_free(tape);
  assert_near(value(ctx, e, 2, 3, 5), expected, 1e-16, 0);
}

static void two_operations_are_one_instruction(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr yz = pf_expr_mul(ctx, b.y, b.z), sum = pf_expr_add(ctx, b.x, b.y), difference = pf_expr_sub(ctx, b.x, b.y);
  assert_one(ctx, pf_expr_add(ctx, b.x, yz), PF_TAPE_ADD_MUL, 17);
  assert_one(ctx, pf_expr_sub(ctx, b.x, yz), PF_TAPE_SUB_MUL, -13);
  assert_one(ctx, pf_expr_sub(ctx, yz, b.x), PF_TAPE_MUL_SUB, 13);
  assert_one(ctx, pf_expr_mul(ctx, b.x, yz), PF_TAPE_MUL_MUL, 30);
  assert_one(ctx, pf_expr_add(ctx, sum, b.z), PF_TAPE_ADD_ADD, 10);
  assert_one(ctx, pf_expr_sub(ctx, sum, b.z), PF_TAPE_ADD_SUB, 0);
  assert_one(ctx, pf_expr_add(ctx, difference, b.z), PF_TAPE_SUB_ADD, 4);
  assert_one(ctx, pf_expr_sub(ctx, difference, b.z), PF_TAPE_SUB_SUB, -6);
  assert_one(ctx, pf_expr_mul(ctx, sum, b.z), PF_TAPE_ADD_TIMES, 25);
  assert_one(ctx, pf_expr_mul(ctx, difference, b.z), PF_TAPE_SUB_TIMES, -5);
  assert_one(ctx, pf_expr_div(ctx, pf_expr_mul(ctx, b.x, b.y), b.z), PF_TAPE_MUL_DIV, 1.2);
  assert_one(ctx, pf_expr_div(ctx, b.x, yz), PF_TAPE_DIV_MUL, 2.0/15);
  assert_one(ctx, pf_expr_neg(ctx, yz), PF_TAPE_NEG_MUL, -15);
}

static void single_operations_stay_single(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  assert_one(ctx, pf_expr_neg(ctx, b.x), PF_TAPE_NEG, -2);
  assert_one(ctx, pf_expr_add(ctx, b.x, b.y), PF_TAPE_ADD, 5);
  assert_one(ctx, pf_expr_sub(ctx, b.x, b.y), PF_TAPE_SUB, -1);
  assert_one(ctx, pf_expr_mul(ctx, b.x, b.y), PF_TAPE_MUL, 6);
  assert_one(ctx, pf_expr_div(ctx, b.x, b.y), PF_TAPE_DIV, 2.0/3);
  assert_one(ctx, pf_expr_pow_int(ctx, b.x, 2), PF_TAPE_MUL, 4);
  assert_one(ctx, pf_expr_sqrt(ctx, b.x), PF_TAPE_SQRT, sqrt(2));
}

/* -(x - y)/z, whichever way the expression writes it. */
static void a_negated_difference_is_the_other_difference(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr xz = pf_expr_mul(ctx, b.x, b.z), yz = pf_expr_mul(ctx, b.y, b.z);
  assert_one(ctx, pf_expr_sub(ctx, xz, yz), PF_TAPE_SUB_TIMES, -5);
  assert_one(ctx, pf_expr_sub(ctx, yz, xz), PF_TAPE_SUB_TIMES, 5);
}

/* A product that is wanted itself must not vanish into the sum. */
static void what_is_used_twice_is_computed_once(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr yz = pf_expr_mul(ctx, b.y, b.z);
  const PfExpr roots[] = {yz, pf_expr_add(ctx, b.x, yz), pf_expr_sub(ctx, b.x, yz)};
  assert_int_equal(instructions(ctx, roots, 3), 3);
}

/* x^2, x^4 and x^6 need three multiplications together. */
static void powers_share_their_squares(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  const PfExpr roots[] = {pf_expr_pow_int(ctx, b.x, 6), pf_expr_pow_int(ctx, b.x, 4),
                          pf_expr_pow_int(ctx, b.x, 2)};
  assert_int_equal(instructions(ctx, roots, 3), 3);
  assert_int_equal(instructions(ctx, roots, 1), 2); /* x*x, and that three times */
}

/* (x y)^2: the factors are multiplied before they are squared. */
static void equal_powers_are_taken_together(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_pow_int(ctx, pf_expr_mul(ctx, b.x, b.y), 2);
  assert_int_equal(instructions(ctx, &e, 1), 2);
  assert_near(value(ctx, e, 2, 3, 0), 36, 0, 0);
}

/* x/2 + y/2 - z/2 = (x + y - z)/2 */
static void equal_coefficients_are_taken_together(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_sub(ctx, pf_expr_add(ctx, b.x, b.y), b.z);
  e = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), e);
  assert_int_equal(instructions(ctx, &e, 1), 2);
  assert_near(value(ctx, e, 2, 3, 4), 0.5, 0, 0);
}

/* Twenty times sin(a) cos(a) + a: twenty pairs of sines and cosines, each alone, then twenty sums, eight at a time. */
static void equal_instructions_come_in_runs(void **state)
{
  enum { MANY = 20 };
  PfContext *ctx = ((Fixture *)*state)->ctx;
  PfExpr inputs[MANY], roots[MANY];
  for (int i = 0; i < MANY; i++) {
    char name[16];
    snprintf(name, sizeof name, "a%d", i);
    PfExpr a = inputs[i] = pf_expr_symbol(ctx, name);
    PfExpr s = pf_expr_call1(ctx, PF_OP_SIN, a), c = pf_expr_call1(ctx, PF_OP_COS, a);
    roots[i] = pf_expr_add(ctx, pf_expr_mul(ctx, s, c), a);
  }
  PfTape *tape = tape_of(ctx, inputs, MANY, roots, MANY);
  for (int i = 0; i < MANY; i++) assert_int_equal(tape->runs[i], PF_RUN(PF_TAPE_SINCOS, 1));
  const uint16_t sums[] = {PF_RUN(PF_TAPE_ADD_MUL, 8), PF_RUN(PF_TAPE_ADD_MUL, 8), PF_RUN(PF_TAPE_ADD_MUL, 4),
                           PF_RUN(PF_TAPE_END, 1)};
  assert_memory_equal(tape->runs + MANY, sums, sizeof sums);
  pf_tape_free(tape);
}

static void an_instruction_fits_sixteen_bytes(void **state)
{
  (void)state;
  assert_int_equal(sizeof(PfInstruction), 16);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(two_operations_are_one_instruction),
    with_fixture(single_operations_stay_single),
    with_fixture(a_negated_difference_is_the_other_difference),
    with_fixture(what_is_used_twice_is_computed_once),
    with_fixture(powers_share_their_squares),
    with_fixture(equal_powers_are_taken_together),
    with_fixture(equal_coefficients_are_taken_together),
    with_fixture(equal_instructions_come_in_runs),
    with_fixture(an_instruction_fits_sixteen_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
