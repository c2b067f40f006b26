/* SPDX-License-Identifier: Apache-2.0 */
#include "tapes.h"

#include "runtime/pf_sincos.h"

/* ---------------------------------------------------------------- operations */

static void sums_have_their_signs_and_coefficients(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr half = pf_expr_rational(ctx, 1, 2);
  PfExpr e = pf_expr_sub(ctx, pf_expr_add(ctx, b.x, b.y), b.z);
  assert_near(value(ctx, e, 5, 2, 3), 4, 0, 0);
  assert_near(value(ctx, pf_expr_neg(ctx, e), 5, 2, 3), -4, 0, 0);
  assert_near(value(ctx, pf_expr_neg(ctx, b.x), 5, 2, 3), -5, 0, 0);
  assert_near(value(ctx, pf_expr_neg(ctx, pf_expr_add(ctx, b.x, b.y)), 5, 2, 3), -7, 0, 0);
  assert_near(value(ctx, pf_expr_mul(ctx, half, e), 5, 2, 3), 2, 0, 0);
  assert_near(value(ctx, pf_expr_sub(ctx, pf_expr_int(ctx, 7), e), 5, 2, 3), 3, 0, 0);
  PfExpr mixed = pf_expr_sub(ctx, pf_expr_mul(ctx, half, b.x), pf_expr_mul(ctx, pf_expr_int(ctx, 3), b.y));
  assert_near(value(ctx, mixed, 5, 2, 3), -3.5, 0, 0);
  mixed = pf_expr_add(ctx, mixed, pf_expr_mul(ctx, pf_expr_int(ctx, 3), b.z));
  assert_near(value(ctx, mixed, 5, 2, 3), 5.5, 0, 0);
  mixed = pf_expr_sub(ctx, pf_expr_mul(ctx, pf_expr_int(ctx, -2), b.x), pf_expr_mul(ctx, b.y, b.z));
  assert_near(value(ctx, mixed, 5, 2, 3), -16, 0, 0);
  mixed = pf_expr_sub(ctx, pf_expr_mul(ctx, b.x, b.y), pf_expr_mul(ctx, pf_expr_int(ctx, 2), b.z));
  assert_near(value(ctx, mixed, 5, 2, 3), 4, 0, 0);
}

static void powers_are_those_of_pow(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  for (int k = -70; k <= 70; k++) {
    PfExpr half = pf_expr_rational(ctx, k, 2), third = pf_expr_rational(ctx, k, 3);
    assert_near(value(ctx, pf_expr_pow_int(ctx, b.x, k), 1.1, 0, 0), pow(1.1, k), 1e-14, 0);
    assert_near(value(ctx, pf_expr_pow(ctx, b.x, half), 2, 0, 0), pow(2, k/2.0), 1e-14, 0);
    assert_near(value(ctx, pf_expr_pow(ctx, b.x, third), 2, 0, 0), pow(2, k/3.0), 1e-14, 0);
  }
  assert_near(value(ctx, pf_expr_pow(ctx, b.x, b.y), 2, 0.3, 0), pow(2, 0.3), 1e-15, 0);
  assert_near(value(ctx, pf_expr_pow(ctx, b.x, pf_expr_double(ctx, 0.7)), 2, 0, 0), pow(2, 0.7), 1e-15, 0);
  assert_near(value(ctx, pf_expr_pow_int(ctx, b.x, 1 << 30), 1 + 1e-9, 0, 0), exp(1.073741824), 1e-6, 0);
}

static void factors_below_are_gathered_into_one_division(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_div(ctx, b.x, pf_expr_mul(ctx, pf_expr_pow_int(ctx, b.y, 2), pf_expr_sqrt(ctx, b.z)));
  assert_near(value(ctx, e, 7, 2, 9), 7.0/12, 1e-15, 0);
  assert_int_equal(instructions(ctx, &e, 1), 3); /* y*y, sqrt z, x/(y2*root) */
  assert_near(value(ctx, pf_expr_pow_int(ctx, b.x, -1), 8, 0, 0), 0.125, 0, 0);
}

typedef double (*Function1)(double);
typedef struct Known {
  PfOp op;
  Function1 function;
} Known;

/* Sine and cosine are Pfaff's own (test_sincos.c). */
static const Known known[] = {
  {PF_OP_SIN, pf_sin}, {PF_OP_COS, pf_cos}, {PF_OP_TAN, tan},   {PF_OP_ASIN, asin},
  {PF_OP_ACOS, acos}, {PF_OP_ATAN, atan}, {PF_OP_SINH, sinh}, {PF_OP_COSH, cosh},
  {PF_OP_TANH, tanh}, {PF_OP_EXP, exp},   {PF_OP_LOG, log},   {PF_OP_ABS, fabs},
};

static void functions_are_those_of_the_c_library_bit_for_bit(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  for (size_t i = 0; i < sizeof known/sizeof *known; i++)
    for (double x = 0.05; x < 1; x += 0.1)
      assert_near(value(ctx, pf_expr_call1(ctx, known[i].op, b.x), x, 0, 0), known[i].function(x), 0, 0);
  assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_ATAN2, b.x, b.y), 1, -1, 0), atan2(1, -1), 0, 0);
}

static void signs_bounds_and_conditions_have_their_values(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  const double values[] = {-2, 0, 3};
  for (int i = 0; i < 9; i++) {
    const double x = values[i%3], y = values[i/3];
    assert_near(value(ctx, pf_expr_call1(ctx, PF_OP_SIGN, b.x), x, y, 0), (x > 0) - (x < 0), 0, 0);
    assert_near(value(ctx, pf_expr_call1(ctx, PF_OP_NOT, b.x), x, y, 0), x == 0, 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_MIN, b.x, b.y), x, y, 0), fmin(x, y), 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_MAX, b.x, b.y), x, y, 0), fmax(x, y), 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_LESS, b.x, b.y), x, y, 0), x < y, 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_LESS_EQUAL, b.x, b.y), x, y, 0), x <= y, 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, b.x, b.y), x, y, 0), x == y, 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_AND, b.x, b.y), x, y, 0), x != 0 && y != 0, 0, 0);
    assert_near(value(ctx, pf_expr_call2(ctx, PF_OP_OR, b.x, b.y), x, y, 0), x != 0 || y != 0, 0, 0);
  }
}

/* The other branch is not defined: it must not spoil the result. */
static void a_condition_picks_its_branch(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr positive = pf_expr_call2(ctx, PF_OP_LESS, pf_expr_int(ctx, 0), b.x);
  PfExpr e = pf_expr_if(ctx, positive, pf_expr_call1(ctx, PF_OP_LOG, b.x), pf_expr_pow_int(ctx, b.y, -1));
  assert_near(value(ctx, e, 2, 0, 0), log(2), 1e-15, 0);
  assert_near(value(ctx, e, -2, 4, 0), 0.25, 0, 0);
}

static void inputs_constants_and_repetitions_are_outputs(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  const PfExpr roots[] = {b.z, pf_expr_int(ctx, 0), b.x, b.z, pf_expr_pi(ctx), pf_expr_double(ctx, 1e-3),
                          pf_expr_sqrt(ctx, pf_expr_int(ctx, 2)), pf_expr_neg(ctx, pf_expr_pi(ctx))};
  const double given[] = {1, 2, 3}, expected[] = {3, 0, 1, 3, acos(-1), 1e-3, sqrt(2), -acos(-1)};
  double outputs[8];
  PfTape *tape = tape_of(ctx, b.inputs, 3, roots, 8);
  assert_int_equal(pf_tape_instruction_count(tape), 0);
  run(tape, given, outputs);
  for (int i = 0; i < 8; i++) assert_near(outputs[i], expected[i], 1e-16, 0);
  pf_tape_free(tape);
}

static void outputs_go_to_their_places(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  const PfExpr roots[] = {pf_expr_add(ctx, b.x, b.y), pf_expr_div(ctx, b.x, b.z)};
  const int place[] = {3, 1};
  double given[] = {1, 2, 4}, outputs[] = {7, 7, 7, 7}, work[16];
  PfTape *tape = tape_of(ctx, b.inputs, 3, roots, 2);
  assert_true(pf_tape_work_size(tape) <= 16);
  assert_true(pf_tape_run_to_places(tape, given, place, outputs, work));
  const double expected[] = {7, 0.25, 7, 3};
  for (int i = 0; i < 4; i++) assert_near(outputs[i], expected[i], 0, 0);
  given[2] = 0;
  assert_false(pf_tape_run_to_places(tape, given, place, outputs, work));
  assert_true(isinf(outputs[1]));
  given[0] = given[2] = NAN;
  assert_false(pf_tape_run_to_places(tape, given, place, outputs, work));
  pf_tape_free(tape);
}

static void an_empty_tape_runs(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  PfTape *tape = tape_of(ctx, NULL, 0, NULL, 0);
  pf_tape_run(tape, NULL, NULL, NULL);
  assert_int_equal(pf_tape_work_size(tape), 0);
  pf_tape_free(tape);
}

/* ---------------------------------------------------------------- economy */

static void sine_and_cosine_of_one_angle_are_one_instruction(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr angle = pf_expr_add(ctx, b.x, b.y), outputs_of[2];
  outputs_of[0] = pf_expr_call1(ctx, PF_OP_COS, angle);
  outputs_of[1] = pf_expr_call1(ctx, PF_OP_SIN, angle);
  assert_int_equal(instructions(ctx, outputs_of, 2), 2);

  const double given[] = {1e5, 0.25, 0};
  double outputs[2];
  PfTape *tape = tape_of(ctx, b.inputs, 3, outputs_of, 2);
  run(tape, given, outputs);
  pf_tape_free(tape);
  assert_near(outputs[0], cos(1e5 + 0.25), 0, 0);
  assert_near(outputs[1], sin(1e5 + 0.25), 0, 0);
}

static void sine_and_cosine_together_are_those_apart(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  const PfExpr roots[] = {pf_expr_call1(ctx, PF_OP_SIN, b.x), pf_expr_call1(ctx, PF_OP_COS, b.x)};
  PfTape *tape = tape_of(ctx, b.inputs, 3, roots, 2);
  assert_int_equal(pf_tape_instruction_count(tape), 1);
  for (double x = 1e-9; x < 1e9; x *= 1.37) {
    const double given[] = {x, 0, 0};
    double outputs[2];
    run(tape, given, outputs);
    assert_near(outputs[0], pf_sin(x), 0, 0);
    assert_near(outputs[1], pf_cos(x), 0, 0);
  }
  pf_tape_free(tape);
}

static void slots_are_used_again(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr terms[1000];
  for (int i = 0; i < 1000; i++) /* a sum of a thousand sines: each takes the place of its argument */
    terms[i] = pf_expr_call1(ctx, PF_OP_SIN, pf_expr_mul(ctx, b.x, pf_expr_double(ctx, i + 0.5)));
  PfExpr e = pf_expr_sum(ctx, terms, 1000);
  PfTape *tape = tape_of(ctx, b.inputs, 3, &e, 1);
  assert_true(pf_tape_work_size(tape) <= 1000 + 3 + 1000 + 8); /* constants, inputs, a run, a few values */
  pf_tape_free(tape);

  /* sum_k sin((k + 1/2) x) = sin^2(n x/2)/sin(x/2) */
  assert_near(value(ctx, e, 0.01, 0, 0), pow(sin(5), 2)/sin(0.005), 1e-11, 0);
}

/* ---------------------------------------------------------------- random expressions */

static uint64_t next_random(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* A random node of positive value near 1, so that nothing cancels. */
static PfExpr random_node(PfContext *ctx, const PfExpr *nodes, int count, uint64_t *seed)
{
  PfExpr args[8];
  for (int i = 0; i < 8; i++) args[i] = nodes[next_random(seed)%(uint64_t)count];
  const int n = 2 + (int)(next_random(seed)%7);
  switch (next_random(seed)%9) {
  case 0:
  case 1: {
    PfExpr sum = pf_expr_sum(ctx, args, n);
    return pf_expr_mul(ctx, sum, pf_expr_rational(ctx, 1, n));
  }
  case 2:
  case 3: { /* the root brings the size back */
    PfExpr product = pf_expr_product(ctx, args, 2);
    return pf_expr_sqrt(ctx, product);
  }
  case 4: return pf_expr_div(ctx, pf_expr_mul(ctx, args[0], args[1]), args[2]);
  case 5: return pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_SIN, args[0]), pf_expr_int(ctx, 2));
  case 6: return pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_COS, args[0]), pf_expr_int(ctx, 2));
  case 7: return pf_expr_call1(ctx, PF_OP_ATAN, args[0]);
  default: return pf_expr_call2(ctx, n%2 ? PF_OP_MIN : PF_OP_MAX, args[0], args[1]);
  }
}

static void compare_with_evaluation(PfContext *ctx, const PfExpr *inputs, int input_count,
                                    const PfExpr *roots, int root_count, uint64_t *seed, double tolerance)
{
  double given[16], got[64], want[64];
  assert_true(root_count <= 64 && input_count <= 16);
  for (int i = 0; i < input_count; i++) given[i] = 0.5 + (double)(next_random(seed)%1000)/1000;
  PfTape *tape = tape_of(ctx, inputs, input_count, roots, root_count);
  run(tape, given, got);
  assert_int_equal(pf_expr_evaluate(ctx, roots, root_count, inputs, given, input_count, want), PF_OK);
  for (int i = 0; i < root_count; i++) {
    if (isfinite(want[i])) assert_near(got[i], want[i], tolerance, 0);
  }
  pf_tape_free(tape);
}

static void random_expressions_have_the_value_of_their_evaluation(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  uint64_t seed = 88172645463325252u;
  Bench b = bench(ctx);
  for (int round = 0; round < 200; round++) {
    PfExpr nodes[60] = {b.x, b.y, b.z};
    for (int i = 3; i < 60; i++) nodes[i] = random_node(ctx, nodes, i, &seed);
    compare_with_evaluation(ctx, b.inputs, 3, nodes, 60, &seed, 1e-14);
  }
}

/* Polynomials with many common pairs and factors, all coefficients positive. */
static void random_polynomials_have_the_value_of_their_evaluation(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  uint64_t seed = 1234567;
  PfExpr inputs[8], roots[12];
  for (int i = 0; i < 8; i++) inputs[i] = pf_expr_symbol(ctx, (char[]){(char)('a' + i), 0});
  for (int round = 0; round < 100; round++) {
    for (int r = 0; r < 12; r++) {
      PfExpr terms[20];
      for (int t = 0; t < 20; t++) {
        PfExpr factors[5];
        for (int f = 0; f < 4; f++) factors[f] = inputs[next_random(&seed)%8];
        factors[4] = pf_expr_rational(ctx, 1 + (int64_t)(next_random(&seed)%3), 2);
        terms[t] = pf_expr_product(ctx, factors + next_random(&seed)%3, 3);
      }
      roots[r] = pf_expr_sum(ctx, terms, 20);
      if (r%3 == 2) roots[r] = pf_expr_mul(ctx, roots[r], pf_expr_add(ctx, roots[r - 1], inputs[r%8]));
    }
    compare_with_evaluation(ctx, inputs, 8, roots, 12, &seed, 1e-14);
  }
}

/* The tape depends on what is asked, not on addresses or on what was asked before. */
static void equal_questions_give_equal_results_in_every_bit(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx, *other = pf_context_new(NULL);
  double first[40], second[40];
  const double given[] = {0.7, 1.1, 0.9};
  for (int pass = 0; pass < 2; pass++) {
    PfContext *c = pass ? other : ctx;
    uint64_t seed = 42;
    Bench b = bench(c);
    PfExpr nodes[40] = {b.x, b.y, b.z};
    for (int i = 3; i < 40; i++) nodes[i] = random_node(c, nodes, i, &seed);
    PfTape *tape = tape_of(c, b.inputs, 3, nodes, 40);
    run(tape, given, pass ? second : first);
    pf_tape_free(tape);
  }
  assert_memory_equal(first, second, sizeof first);
  pf_context_free(other);
}

/* ---------------------------------------------------------------- size */

/* x -> x/2 + sin(x)/4, a hundred thousand times over. */
static void a_chain_of_a_hundred_thousand_links_works(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = b.x, half = pf_expr_rational(ctx, 1, 2);
  double x = 1;
  for (int i = 0; i < 100000; i++) {
    e = pf_expr_add(ctx, pf_expr_mul(ctx, half, pf_expr_call1(ctx, PF_OP_COS, e)), b.y);
    x = 0.5*cos(x) + 0.25;
  }
  PfTape *tape = tape_of(ctx, b.inputs, 3, &e, 1);
  const double given[] = {1, 0.25, 0};
  double result;
  run(tape, given, &result);
  assert_near(result, x, 1e-13, 0);
  assert_true(pf_tape_work_size(tape) < 20);
  pf_tape_free(tape);
}

static void running_allocates_nothing(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfContext *ctx = pf_context_new(&counter.allocator);
  uint64_t seed = 7;
  Bench b = bench(ctx);
  PfExpr nodes[50] = {b.x, b.y, b.z};
  for (int i = 3; i < 50; i++) nodes[i] = random_node(ctx, nodes, i, &seed);
  PfTape *tape = tape_of(ctx, b.inputs, 3, nodes, 50);
  const double given[] = {1, 2, 3};
  double outputs[50];
  long before = counter.calls;
  run(tape, given, outputs);
  assert_int_equal(counter.calls, before);
  pf_context_free(ctx); /* the tape outlives the context */
  run(tape, given, outputs);
  pf_tape_free(tape);
  assert_int_equal(counter.live, 0);
}

/* ---------------------------------------------------------------- bad input */

static void a_symbol_that_is_no_input_is_named(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfTape *tape;
  PfExpr e = pf_expr_mul(ctx, b.x, pf_expr_symbol(ctx, "omega"));
  assert_int_equal(pf_tape_new(ctx, b.inputs, 3, &e, 1, &tape), PF_ERR_NAME);
  assert_null(tape);
  assert_contains(pf_context_message(ctx), "'omega'");
}

static void wrong_arguments_are_refused(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfTape *tape;
  const PfExpr twice[] = {b.x, b.y, b.x}, sum = pf_expr_add(ctx, b.x, b.y), none = PF_EXPR_NONE;
  assert_int_equal(pf_tape_new(ctx, twice, 3, &b.x, 1, &tape), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(ctx), "'x' is an input twice");
  assert_int_equal(pf_tape_new(ctx, &sum, 1, &b.x, 1, &tape), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(ctx), "input 0");
  assert_int_equal(pf_tape_new(ctx, &none, 1, &b.x, 1, &tape), PF_ERR_ARGUMENT);
  assert_int_equal(pf_tape_new(ctx, b.inputs, 3, &none, 1, &tape), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(ctx), "output 0");
  assert_int_equal(pf_tape_new(ctx, b.inputs, -3, &b.x, 1, &tape), PF_ERR_ARGUMENT);
  assert_null(tape);
  pf_tape_free(NULL);
}

static void what_is_not_finite_comes_through(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  assert_true(isinf(value(ctx, pf_expr_pow_int(ctx, b.x, -1), 0, 0, 0)));
  assert_true(isnan(value(ctx, pf_expr_sqrt(ctx, b.x), -1, 0, 0)));
  assert_true(isnan(value(ctx, pf_expr_add(ctx, b.x, b.y), NAN, 0, 0)));
}

static void try_to_make_a_tape(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  uint64_t seed = 3;
  Bench b = bench(ctx);
  PfExpr nodes[40] = {b.x, b.y, b.z};
  for (int i = 3; i < 40; i++) nodes[i] = random_node(ctx, nodes, i, &seed);
  if (b.x && b.y && b.z && pf_expr_check(ctx) == PF_OK) {
    PfTape *tape = NULL;
    const double given[] = {1, 2, 3};
    double outputs[40];
    PfStatus status = pf_tape_new(ctx, b.inputs, 3, nodes, 40, &tape);
    assert_true((status == PF_OK) == (tape != NULL));
    assert_true(status == PF_OK || status == PF_ERR_MEMORY);
    if (tape) run(tape, given, outputs);
    pf_tape_free(tape);
  }
  pf_context_free(ctx);
}

static void missing_memory_is_an_error_without_leak(void **state)
{
  (void)state;
  fail_every_allocation(try_to_make_a_tape, NULL);
}

static bool is_over(void *user)
{
  return (*(int *)user)-- <= 0;
}

/* Whenever the host says so: no tape, no leak, and the next one is made as if nothing had been. */
static void a_stop_at_any_moment_is_heard(void **state)
{
  enum { COUNT = 3000 };
  Fixture *f = *state;
  Bench b = bench(f->ctx);
  PfExpr *roots = pf_arena_array(f->arena, PfExpr, COUNT);
  for (int i = 0; i < COUNT; i++) {
    PfExpr wave = pf_expr_call1(f->ctx, PF_OP_SIN, pf_expr_mul(f->ctx, pf_expr_int(f->ctx, i), b.x));
    roots[i] = pf_expr_add(f->ctx, pf_expr_mul(f->ctx, wave, b.y), pf_expr_mul(f->ctx, wave, b.z));
  }
  int asked = -1;
  PfStatus status;
  do {
    PfTape *tape;
    int left = ++asked;
    pf_context_set_cancel(f->ctx, is_over, &left);
    status = pf_tape_new(f->ctx, b.inputs, 3, roots, COUNT, &tape);
    assert_true(status == PF_OK || status == PF_ERR_CANCELLED);
    assert_true((status == PF_OK) == (tape != NULL));
    pf_tape_free(tape);
  } while (status != PF_OK);
  pf_context_set_cancel(f->ctx, NULL, NULL);
  assert_true(asked > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(sums_have_their_signs_and_coefficients),
    with_fixture(powers_are_those_of_pow),
    with_fixture(factors_below_are_gathered_into_one_division),
    with_fixture(functions_are_those_of_the_c_library_bit_for_bit),
    with_fixture(signs_bounds_and_conditions_have_their_values),
    with_fixture(a_condition_picks_its_branch),
    with_fixture(inputs_constants_and_repetitions_are_outputs),
    with_fixture(outputs_go_to_their_places),
    with_fixture(an_empty_tape_runs),
    with_fixture(sine_and_cosine_of_one_angle_are_one_instruction),
    with_fixture(sine_and_cosine_together_are_those_apart),
    with_fixture(slots_are_used_again),
    with_fixture(random_expressions_have_the_value_of_their_evaluation),
    with_fixture(random_polynomials_have_the_value_of_their_evaluation),
    with_fixture(equal_questions_give_equal_results_in_every_bit),
    with_fixture(a_chain_of_a_hundred_thousand_links_works),
    with_fixture(running_allocates_nothing),
    with_fixture(a_symbol_that_is_no_input_is_named),
    with_fixture(wrong_arguments_are_refused),
    with_fixture(what_is_not_finite_comes_through),
    with_fixture(missing_memory_is_an_error_without_leak),
    with_fixture(a_stop_at_any_moment_is_heard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
