/* SPDX-License-Identifier: Apache-2.0 */
/* Generated functions are compiled and run beside the tape. */
#include "random_tapes.h"

#include "codegen/code.h"

static void put_input(PfText *text, const void *user, int input)
{
  (void)user;
  pf_text_print(text, "x[%d]", input);
}
static void put_output(PfText *text, const void *user, int output)
{
  (void)user;
  pf_text_print(text, "y[%d]", output);
}

static const PfCodeStyle doubles = {
  .dialect = PF_CODE_C, .real = "double", .name = "code", .qualifiers = "extern ",
  .parameters = "const double *x, double *y", .arguments = "x, y", .put_input = put_input, .put_output = put_output};
static const PfCodeStyle floats = {
  .dialect = PF_CODE_C, .real = "float", .name = "code", .qualifiers = "",
  .parameters = "const float *x, float *y", .arguments = "x, y", .put_input = put_input, .put_output = put_output};

/* Sines and cosines are those of the tape. */
static const char head[] = "#include \"runtime/pf_sincos.c\"\n#define sin pf_sin\n#define cos pf_cos\n";

/* The function with what stands before it. */
static void write_code(PfContext *ctx, const PfTape *tape, const PfCodeStyle *style, PfText *text)
{
  PfProgram program;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  pf_text_init(text, pf_context_allocator(ctx));
  pf_text_print(text, "%s%svoid %s(%s);\n", style == &doubles ? head : "#include <math.h>\n", style->qualifiers,
                style->name, style->parameters);
  assert_int_equal(pf_tape_program(ctx, arena, tape, &program), PF_OK);
  assert_int_equal(pf_code_write(ctx, &program, style, text), PF_OK);
  pf_arena_free(arena);
}

static Loaded load(PfContext *ctx, const PfTape *tape, const PfCodeStyle *style)
{
  PfText text;
  write_code(ctx, tape, style, &text);
  Loaded loaded = load_code(pf_text_get(&text), "-std=c99 -pedantic -O1 -I" PF_SOURCE_DIR "/src");
  pf_text_free(&text);
  return loaded;
}

static void run_tape(const PfTape *tape, const double *inputs, double *outputs)
{
  double *work = malloc((pf_tape_work_size(tape) + 1)*sizeof *work);
  assert_non_null(work);
  pf_tape_run(tape, inputs, outputs, work);
  free(work);
}

static void fill_inputs(uint64_t *seed, double *inputs)
{
  for (int i = 0; i < RANDOM_INPUTS; i++) inputs[i] = random_number(seed);
}

/* ---------------------------------------------------------------- tests */

static void assert_same_bits(const double *a, const double *b, int count)
{
  for (int i = 0; i < count; i++) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    if (memcmp(a + i, b + i, sizeof *a) != 0) fail_msg("output %d: %.17g and %.17g", i, a[i], b[i]);
  }
}

static void compare_doubles(PfContext *ctx, uint64_t seed, uint32_t size)
{
  int count;
  PfTape *tape = random_tape(ctx, seed, size, &count);
  Loaded code = load(ctx, tape, &doubles);
  void (*function)(const double *, double *) = (void (*)(const double *, double *))(uintptr_t)code.function;
  double inputs[RANDOM_INPUTS], *expected = calloc((size_t)count, sizeof *expected);
  double *got = calloc((size_t)count, sizeof *got);
  for (int k = 0; k < 20; k++) {
    fill_inputs(&seed, inputs);
    run_tape(tape, inputs, expected);
    function(inputs, got);
    assert_same_bits(got, expected, count);
  }
  free(got);
  free(expected);
  dlclose(code.handle);
  pf_tape_free(tape);
}

static void compiled_doubles_are_those_of_the_tape_bit_for_bit(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  if (!has_compiler()) skip();
  for (uint64_t seed = 1; seed <= 8; seed++) compare_doubles(ctx, seed, (uint32_t)(seed*seed*8));
}

static void long_functions_in_pieces_give_the_same_bits(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  PfText text;
  int count;
  if (!has_compiler()) skip();
  PfTape *tape = random_tape(ctx, 77, 4000, &count);
  write_code(ctx, tape, &doubles, &text);
  assert_contains(pf_text_get(&text), "static void code_3(const double *x, double *y, double *kept)");
  pf_text_free(&text);
  pf_tape_free(tape);
  compare_doubles(ctx, 77, 4000);
}

/* Both round as they go, so only formulas that do not amplify are compared: sums, products, sines. A float has 24 bits,
 * 6e-8. */
static void compiled_floats_are_near(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  const PfExpr x[] = {pf_expr_symbol(ctx, "a"), pf_expr_symbol(ctx, "b")};
  if (!has_compiler()) skip();
  const PfExpr product = pf_expr_mul(ctx, pf_expr_double(ctx, 0.1), pf_expr_mul(ctx, x[0], x[1]));
  const PfExpr roots[] = {
    pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_SIN, product), pf_expr_call1(ctx, PF_OP_EXP, x[1])),
    pf_expr_mul(ctx, pf_expr_double(ctx, 1e-60), x[0]),
    pf_expr_call1(ctx, PF_OP_SIGN, pf_expr_call2(ctx, PF_OP_MIN, x[0], product)),
    pf_expr_call2(ctx, PF_OP_MAX, pf_expr_double(ctx, -1e300), x[0]),
  };
  PfTape *tape = NULL;
  assert_int_equal(pf_tape_new(ctx, x, 2, roots, 4, &tape), PF_OK);
  Loaded code = load(ctx, tape, &floats);
  void (*function)(const float *, float *) = (void (*)(const float *, float *))(uintptr_t)code.function;
  const double inputs[] = {-1.3, 0.7};
  double expected[4];
  float got[4];
  run_tape(tape, inputs, expected);
  function((const float[]){-1.3F, 0.7F}, got);
  for (int i = 0; i < 4; i++) assert_near((double)got[i], expected[i], 1e-6, 1e-30);
  dlclose(code.handle);
  pf_tape_free(tape);
}

/* What a reader sees: one use stands in place, two have a name, numbers have a point, a negative one brackets. */
static void code_reads_as_formulas(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  const PfExpr x[] = {pf_expr_symbol(ctx, "a"), pf_expr_symbol(ctx, "b")};
  const PfExpr sine = pf_expr_call1(ctx, PF_OP_SIN, x[0]);
  const PfExpr roots[] = {pf_expr_mul(ctx, sine, x[1]), pf_expr_add(ctx, sine, pf_expr_int(ctx, -2)), x[1]};
  PfTape *tape = NULL;
  PfText text;
  assert_int_equal(pf_tape_new(ctx, x, 2, roots, 3, &tape), PF_OK);
  write_code(ctx, tape, &doubles, &text);
  assert_string_equal(pf_text_get(&text), "#include \"runtime/pf_sincos.c\"\n#define sin pf_sin\n#define cos pf_cos\n"
                                          "extern void code(const double *x, double *y);\n"
                                          "extern void code(const double *x, double *y)\n"
                                          "{\n"
                                          "  y[2] = x[1];\n"
                                          "  const double v0 = sin(x[0]);\n"
                                          "  y[0] = x[1]*v0;\n"
                                          "  y[1] = (-2.0) + v0;\n"
                                          "}\n");
  pf_text_free(&text);
  pf_tape_free(tape);
}

static void parameters_that_nobody_reads_are_named(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  const PfExpr root = pf_expr_double(ctx, -0.125);
  PfTape *tape = NULL;
  if (!has_compiler()) skip();
  assert_int_equal(pf_tape_new(ctx, NULL, 0, &root, 1, &tape), PF_OK);
  Loaded code = load(ctx, tape, &doubles);
  double got = 0;
  ((void (*)(const double *, double *))(uintptr_t)code.function)(NULL, &got);
  assert_near(got, -0.125, 0, 0);
  dlclose(code.handle);
  pf_tape_free(tape);
}

static char *code_of_a_fresh_context(void)
{
  int count;
  PfText text;
  PfContext *ctx = pf_context_new(NULL);
  assert_non_null(ctx);
  PfTape *tape = random_tape(ctx, 5, 300, &count);
  write_code(ctx, tape, &doubles, &text);
  char *copy = strdup(pf_text_get(&text));
  pf_text_free(&text);
  pf_tape_free(tape);
  pf_context_free(ctx);
  return copy;
}

static void the_same_tape_gives_the_same_bytes(void **state)
{
  (void)state;
  char *first = code_of_a_fresh_context(), *second = code_of_a_fresh_context();
  assert_string_equal(first, second);
  free(first);
  free(second);
}

static void a_language_that_is_not_there_is_refused(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  PfCodeStyle style = doubles;
  PfProgram program = {0};
  PfText text;
  style.dialect = (PfDialect)77;
  pf_text_init(&text, pf_context_allocator(ctx));
  assert_int_equal(pf_code_write(ctx, &program, &style, &text), PF_ERR_ARGUMENT);
  pf_text_free(&text);
}

static void attempt(Counter *counter, void *user)
{
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfTape *tape = NULL;
  (void)user;
  if (!ctx) return;
  const PfExpr x = pf_expr_symbol(ctx, "x"), root = pf_expr_call1(ctx, PF_OP_SIN, pf_expr_mul(ctx, x, x));
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfProgram program;
  PfText text;
  pf_text_init(&text, pf_context_allocator(ctx));
  if (arena && !pf_expr_check(ctx) && !pf_tape_new(ctx, &x, 1, &root, 1, &tape) &&
      !pf_tape_program(ctx, arena, tape, &program) && !pf_code_write(ctx, &program, &doubles, &text))
    assert_contains(pf_text_get(&text), "sin(x[0]*x[0])");
  else assert_true(counter->refused > 0);
  pf_text_free(&text);
  pf_arena_free(arena);
  pf_tape_free(tape);
  pf_context_free(ctx);
}

static void without_memory_it_fails_cleanly(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(compiled_doubles_are_those_of_the_tape_bit_for_bit),
    with_fixture(long_functions_in_pieces_give_the_same_bits),
    with_fixture(compiled_floats_are_near),
    with_fixture(code_reads_as_formulas),
    with_fixture(parameters_that_nobody_reads_are_named),
    cmocka_unit_test(the_same_tape_gives_the_same_bytes),
    with_fixture(a_language_that_is_not_there_is_refused),
    cmocka_unit_test(without_memory_it_fails_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
