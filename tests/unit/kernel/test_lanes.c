/* SPDX-License-Identifier: Apache-2.0 */
/* Several states at a time give the numbers of each alone, bit by bit, by all kinds of vectors this processor has. */
#include "tapes.h"

#include "kernel/kernel_impl.h"
#include "pfaff/lang.h"
#include "pfaff/mech.h"

#include <float.h>

enum { MOST_STATES = 2*PF_LANES + 1 };

static uint64_t next_random(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* Of numbers between -2 and 2; or also of zeros, infinities, NaN and the like. */
typedef enum Choice { USUAL, STRANGE } Choice;

static double random_number(uint64_t *seed, Choice choice)
{
  static const double strange[] = {0, -0.0, INFINITY, -INFINITY, NAN, DBL_MIN/4, -DBL_MIN/8, DBL_MAX, 1, -1, 1e300,
                                   1e-300};
  const uint64_t random = next_random(seed);
  if (choice == STRANGE && random%2) return strange[random/2%(sizeof strange/sizeof *strange)];
  return (double)(random >> 11)/(double)(1ull << 51) - 2;
}

static double *room(size_t count)
{
  double *numbers = malloc((count ? count : 1)*sizeof *numbers);
  assert_non_null(numbers);
  return numbers;
}

/* ---------------------------------------------------------------- comparison */

static bool same(double x, double y)
{
  return (isnan(x) && isnan(y)) || !memcmp(&x, &y, sizeof x);
}

static void run_each(const PfTape *tape, const double *inputs, double *outputs)
{
  double *work = room(pf_tape_work_size(tape));
  for (int k = 0; k < MOST_STATES; k++)
    pf_tape_run(tape, inputs + k*tape->input_count, outputs + k*tape->output_count, work);
  free(work);
}

/* The first `count` states; what is behind their outputs stays as it was. */
static void compare(const PfTape *tape, PfLanes lanes, int count, const double *inputs, const double *expected)
{
  const int outputs = tape->output_count;
  double *got = room((size_t)((count + 1)*outputs));
  double *work = room(pf_tape_many_work_size(tape));
  for (int i = 0; i < (count + 1)*outputs; i++) got[i] = 12345;
  for (size_t i = 0; i < pf_tape_many_work_size(tape); i++) work[i] = NAN; /* must be written before it is read */
  bool finite = true;
  for (int i = 0; i < count*outputs; i++) finite = finite && isfinite(expected[i]);
  assert_true(pf_tape_run_lanes(lanes, tape, count, inputs, got, work) == finite);
  for (int i = 0; i < count*outputs; i++)
    if (!same(got[i], expected[i]))
      fail_msg("lanes %d, %d states, output %d of state %d: %.17g, not %.17g", (int)lanes, count, i%outputs, i/outputs,
               got[i], expected[i]);
  for (int i = count*outputs; i < (count + 1)*outputs; i++) assert_true(got[i] == 12345);
  free(got);
  free(work);
}

static void compare_all(const PfTape *tape, uint64_t *seed, Choice choice)
{
  double *inputs = room((size_t)(MOST_STATES*tape->input_count));
  double *expected = room((size_t)(MOST_STATES*tape->output_count));
  for (int i = 0; i < MOST_STATES*tape->input_count; i++) inputs[i] = random_number(seed, choice);
  run_each(tape, inputs, expected);
  for (int lanes = PF_LANES_PLAIN; lanes <= (int)pf_lanes_best(); lanes++)
    for (int count = 0; count <= MOST_STATES; count++) compare(tape, (PfLanes)lanes, count, inputs, expected);
  free(inputs);
  free(expected);
}

/* ---------------------------------------------------------------- instructions */

enum { INPUTS = 5, CONSTANTS = 2, MOST = PF_TAPE_OP_COUNT*PF_RUN_MOST*(PF_RUN_MOST + 1) };

typedef struct Written {
  PfTape tape;
  PfInstruction instructions[MOST];
  uint16_t runs[MOST];
  uint32_t outputs[MOST];
  double constants[CONSTANTS];
  int run_count;
} Written;

static void write_instruction(Written *w, uint32_t op, uint64_t *seed)
{
  PfTape *tape = &w->tape;
  uint32_t slot[3];
  for (int k = 0; k < 3; k++) slot[k] = (uint32_t)(next_random(seed)%(CONSTANTS + INPUTS));
  const uint32_t dst = tape->slot_count++;
  w->outputs[tape->output_count++] = dst;
  if (op == PF_TAPE_SINCOS) w->outputs[tape->output_count++] = slot[1] = tape->slot_count++;
  w->instructions[tape->instruction_count++] = (PfInstruction){pf_slots(dst, slot[0]), pf_slots(slot[1], slot[2])};
}

/* Every instruction in runs of every length that can be. */
static Written *write_all(uint64_t *seed)
{
  Written *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->constants[0] = 0.75, w->constants[1] = -0.0;
  w->tape = (PfTape){.input_count = INPUTS, .constant_count = CONSTANTS, .slot_count = CONSTANTS + INPUTS,
                     .constants = w->constants, .instructions = w->instructions, .runs = w->runs,
                     .outputs = w->outputs};
  for (uint32_t op = 0; op < PF_TAPE_END; op++)
    for (int count = 1; count <= (op < PF_TAPE_SQRT ? PF_RUN_MOST : 1); count++) {
      for (int i = 0; i < count; i++) write_instruction(w, op, seed);
      w->runs[w->run_count++] = (uint16_t)PF_RUN(op, (uint32_t)count);
    }
  w->runs[w->run_count] = PF_RUN(PF_TAPE_END, 1);
  return w;
}

static void every_instruction_is_the_same_in_all_lanes(void **state)
{
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int round = 0; round < 40; round++) {
    Written *w = write_all(&seed);
    compare_all(&w->tape, &seed, round%2 ? STRANGE : USUAL);
    free(w);
  }
}

/* Each instruction of a run is the operation of `ops.def`. */
static void every_run_does_its_operation(void **state)
{
  (void)state;
  uint64_t seed = 4711;
  Written *w = write_all(&seed);
  double inputs[INPUTS], *work = room(w->tape.slot_count), *outputs = room(MOST);
  for (int i = 0; i < INPUTS; i++) inputs[i] = random_number(&seed, USUAL);
  pf_tape_run(&w->tape, inputs, outputs, work);
  const PfInstruction *at = w->instructions;
  for (const uint16_t *run = w->runs; *run/PF_RUN_MOST < PF_TAPE_SINCOS; run++)
    for (int i = 0; i <= *run%PF_RUN_MOST; i++, at++)
      assert_true(same(work[pf_low_slot(at->dst_a)],
                       pf_op_value(*run/PF_RUN_MOST, work[pf_high_slot(at->dst_a)], work[pf_low_slot(at->b_c)],
                                   work[pf_high_slot(at->b_c)])));
  assert_true(same(work[pf_low_slot(at->dst_a)], sin(work[pf_high_slot(at->dst_a)])));
  assert_true(same(work[pf_low_slot(at->b_c)], cos(work[pf_high_slot(at->dst_a)])));
  free(work);
  free(outputs);
  free(w);
}

/* ---------------------------------------------------------------- models */

static void compare_model(const char *path, uint64_t *seed)
{
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  PfModel *model = NULL;
  PfEquations eq;
  PfSymbols symbols;
  if (pf_model_load(ctx, path, &model) || pf_equations_derive(ctx, arena, model, &eq) ||
      pf_equations_symbols(ctx, arena, model, &symbols))
    fail_msg("%s: %s", path, pf_context_message(ctx));
  const size_t n = (size_t)eq.n, m = (size_t)eq.m;
  PfExpr *roots = pf_arena_array(arena, PfExpr, n*n + n + m*n + m), *at = roots;
  for (size_t i = 0; i < n*n; i++) *at++ = eq.M[i];
  for (size_t i = 0; i < n; i++) *at++ = eq.F[i];
  for (size_t i = 0; i < m*n; i++) *at++ = eq.A[i];
  for (size_t i = 0; i < m; i++) *at++ = eq.b[i];
  PfTape *tape = tape_of(ctx, symbols.symbol, symbols.count, roots, (int)(at - roots));
  compare_all(tape, seed, USUAL);
  compare_all(tape, seed, STRANGE);
  pf_tape_free(tape);
  pf_arena_free(arena);
  pf_model_free(model);
  pf_context_free(ctx);
}

static void examples_are_the_same_in_all_lanes(void **state)
{
  uint64_t seed = 31415926535u;
  for (const char *const *name = representative_examples(*state); *name; name++) {
    char path[EXAMPLE_PATH];
    find_example(*name, path);
    compare_model(path, &seed);
  }
}

/* ---------------------------------------------------------------- memory */

/* Wherever the work array begins, vectors are aligned inside. */
static void work_may_begin_anywhere(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  Bench b = bench(ctx);
  PfExpr e = pf_expr_add(ctx, pf_expr_mul(ctx, b.x, b.y), pf_expr_call1(ctx, PF_OP_SIN, b.z));
  PfTape *tape = tape_of(ctx, b.inputs, 3, &e, 1);
  const size_t size = pf_tape_many_work_size(tape);
  double inputs[3*PF_LANES], expected[PF_LANES];
  uint64_t seed = 99;
  for (int i = 0; i < 3*PF_LANES; i++) inputs[i] = random_number(&seed, USUAL);
  for (int k = 0; k < PF_LANES; k++) run(tape, inputs + 3*k, expected + k);
  for (size_t offset = 0; offset < PF_LANES; offset++) {
    double outputs[PF_LANES], *work = room(size + offset);
    assert_true(pf_tape_run_many(tape, PF_LANES, inputs, outputs, work + offset));
    assert_memory_equal(outputs, expected, sizeof outputs);
    free(work);
  }
  pf_tape_free(tape);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_instruction_is_the_same_in_all_lanes),
    cmocka_unit_test(every_run_does_its_operation),
    with_fixture(examples_are_the_same_in_all_lanes),
    with_fixture(work_may_begin_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
