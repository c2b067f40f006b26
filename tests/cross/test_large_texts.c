/* SPDX-License-Identifier: Apache-2.0 */
/* Models that are too large for files: read, derived and diagnosed in seconds, or refused with a reason. */
#include "support.h"

#include "base/base.h"
#include "pfaff/pfaff.h"

#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define PF_UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PF_UNDER_SANITIZER 1
#endif
#endif
#ifndef PF_UNDER_SANITIZER
#define PF_UNDER_SANITIZER 0
#endif
#define MOST_SECONDS (PF_UNDER_SANITIZER ? 60 : 10)

typedef void (*Writer)(PfText *text);

/* Reads the text, derives and diagnoses; the first message must contain the words (NULL: all must go well). */
static void read_large(Writer write, const char *words)
{
  const PfAllocator allocator = {pf_standard_resize, NULL};
  PfText text;
  pf_text_init(&text, &allocator);
  write(&text);
  assert_false(text.failed);
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  PfModel *model = NULL;
  PfEquations eq;
  PfDiagnosis d;
  clock_t begin = clock();
  PfStatus status = pf_model_read(ctx, "large.pf", text.at, text.count, &model);
  if (status == PF_OK) status = pf_equations_derive(ctx, arena, model, &eq);
  if (status == PF_OK) status = pf_diagnose(ctx, arena, &eq, NULL, &d);
  double seconds = (double)(clock() - begin)/CLOCKS_PER_SEC;
  if (!words && status != PF_OK) print_error("%s\n", pf_context_message(ctx));
  if (words) assert_contains(pf_diagnostic_count(ctx) ? pf_diagnostic(ctx, 0)->message : "", words);
  assert_true((status == PF_OK) == !words);
  if (seconds > MOST_SECONDS/10.0) print_message("%.1f s\n", seconds);
  if (seconds > MOST_SECONDS) fail_msg("it took %.1f s", seconds);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  pf_text_free(&text);
}

static void repeat(PfText *text, const char *piece, int count)
{
  for (int i = 0; i < count; i++) pf_text_add(text, piece);
}

static void write_parentheses(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential ");
  repeat(text, "(", 100000);
  pf_text_add(text, "x");
  repeat(text, ")", 100000);
}

static void parentheses_nested_a_hundred_thousand_times(void **state)
{
  (void)state;
  read_large(write_parentheses, "nested deeper than");
}

static void write_minus(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential ");
  repeat(text, "-", 1000000);
  pf_text_add(text, "x");
}

static void a_million_minus_signs(void **state)
{
  (void)state;
  read_large(write_minus, "nested deeper than");
}

static void write_powers(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential x");
  repeat(text, "^x", 100000);
}

static void powers_of_powers(void **state)
{
  (void)state;
  read_large(write_powers, "nested deeper than");
}

static void write_braces(PfText *text)
{
  repeat(text, "for i in 1..2 {\n", 100000);
}

static void blocks_nested_a_hundred_thousand_times(void **state)
{
  (void)state;
  read_large(write_braces, "nested deeper than");
}

static void write_sum(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential 0");
  for (int i = 0; i < 1000000; i++) pf_text_print(text, " + %d*x", i%7);
}

static void a_sum_of_a_million_terms(void **state)
{
  (void)state;
  read_large(write_sum, NULL);
}

static void write_different_terms(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential 0");
  for (int i = 0; i < 200000; i++) pf_text_print(text, " + x^%d", i);
}

static void a_sum_of_many_different_terms(void **state)
{
  (void)state;
  read_large(write_different_terms, NULL);
}

static void write_lets(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nlet a0 = x\n");
  for (int i = 1; i <= 100000; i++) pf_text_print(text, "let a%d = sin(a%d)\n", i, i - 1);
  pf_text_add(text, "potential a100000\n");
}

static void definitions_that_build_on_each_other(void **state)
{
  (void)state;
  read_large(write_lets, NULL);
}

static void write_lets_backwards(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential a100000\n");
  for (int i = 100000; i >= 1; i--) pf_text_print(text, "let a%d = sin(a%d)\n", i, i - 1);
  pf_text_add(text, "let a0 = x\n");
}

static void definitions_in_reverse_order(void **state)
{
  (void)state;
  read_large(write_lets_backwards, NULL);
}

static void write_derived(PfText *text)
{
  pf_text_add(text, "coord x\nparam m\nkinetic x'^2\nlet a0 = 2*m\n");
  for (int i = 1; i <= 100000; i++) pf_text_print(text, "let a%d = 1 + a%d\n", i, i - 1);
  pf_text_add(text, "potential a100000*x\n");
}

static void derived_parameters_by_the_thousands(void **state)
{
  (void)state;
  read_large(write_derived, NULL);
}

static void write_for(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nfor i in 1..1000000000 { force x = i }\n");
}

static void a_loop_of_a_thousand_million_turns(void **state)
{
  (void)state;
  read_large(write_for, "would run 1000000000 times");
}

static void write_nested_for(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nfor i in 1..100000 { for j in 1..100000 { for k in 1..9 { } } }\n");
}

static void empty_loops_in_loops(void **state)
{
  (void)state;
  read_large(write_nested_for, "unroll to more than");
}

static void write_many_statements(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nfor i in 1..100000 { ");
  repeat(text, "force x = i; ", 11);
  pf_text_add(text, "}\n");
}

static void loops_that_make_a_million_statements(void **state)
{
  (void)state;
  read_large(write_many_statements, "unroll to more than a million statements");
}

static void write_list(PfText *text)
{
  pf_text_add(text, "coord x[1000000000]\nkinetic x[1]'^2\n");
}

static void a_list_of_a_thousand_million_elements(void **state)
{
  (void)state;
  read_large(write_list, "the length of a list must lie between 1 and");
}

static void write_sum_over(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential sum(i in 1..1000000000, i*x)\n");
}

static void a_sum_over_a_thousand_million(void **state)
{
  (void)state;
  read_large(write_sum_over, "the last number of a range must lie between");
}

static void write_nested_sums(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\npotential ");
  repeat(text, "sum(i in 1..1000, ", 6);
  pf_text_add(text, "i*x");
  repeat(text, ")", 6);
}

static void sums_in_sums(void **state)
{
  (void)state;
  read_large(write_nested_sums, "multiply to more than");
}

static void write_coordinates(PfText *text)
{
  pf_text_add(text, "coord q[10000]\n");
  for (int i = 1; i <= 10000; i++) pf_text_print(text, "kinetic q[%d]'^2\n", i);
}

static void ten_thousand_coordinates(void **state)
{
  (void)state;
  read_large(write_coordinates, "10000 coordinates");
}

static void write_part_chain(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\n");
  for (int i = 1; i <= 100000; i++) pf_text_print(text, "part p%d() {\nuse p%d()\n}\n", i, i + 1);
  pf_text_add(text, "part p100001() { force x = 1 }\nuse p1()\n");
}

static void parts_in_parts(void **state)
{
  (void)state;
  read_large(write_part_chain, "nested deeper than");
}

static void write_part_tree(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\n");
  for (int i = 1; i <= 60; i++) pf_text_print(text, "part p%d() {\nuse p%d()\nuse p%d()\n}\n", i, i + 1, i + 1);
  pf_text_add(text, "part p61() { }\nuse p1()\n");
}

static void parts_that_double_sixty_times(void **state)
{
  (void)state;
  read_large(write_part_tree, "unroll to more than");
}

static void write_function_tree(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nlet f0(a) = a\n");
  for (int i = 1; i <= 60; i++) pf_text_print(text, "let f%d(a) = f%d(a) + f%d(2*a)\n", i, i - 1, i - 1);
  pf_text_add(text, "potential f60(x)\n");
}

static void functions_that_double_sixty_times(void **state)
{
  (void)state;
  read_large(write_function_tree, "multiply to more than");
}

static void write_function_chain(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nlet f0(a) = a\n");
  for (int i = 1; i <= 1000; i++) pf_text_print(text, "let f%d(a) = f%d(a)\n", i, i - 1);
  pf_text_add(text, "potential f1000(x)\n");
}

static void functions_in_functions(void **state)
{
  (void)state;
  read_large(write_function_chain, "definitions refer to each other more than");
}

static void write_vector_functions(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\nlet f0(a) = (a, a, a)\n");
  for (int i = 1; i <= 60; i++) pf_text_print(text, "let f%d(a) = f%d(a) + f%d(2*a)\n", i, i - 1, i - 1);
  pf_text_add(text, "potential norm(f60(x))\n");
}

static void functions_of_vectors_that_double_sixty_times(void **state)
{
  (void)state;
  read_large(write_vector_functions, "multiply to more than");
}

static void write_errors(PfText *text)
{
  pf_text_add(text, "coord x\nkinetic x'^2\n");
  for (int i = 1; i <= 100000; i++) pf_text_print(text, "force x%d = y%d\n", i, i);
}

static void a_hundred_thousand_errors(void **state)
{
  (void)state;
  read_large(write_errors, "'x1' is not defined");
}

static void write_one_line(PfText *text)
{
  pf_text_add(text, "coord x; kinetic x'^2");
  for (int i = 1; i <= 500000; i++) pf_text_add(text, "; force x = 1");
}

static void half_a_million_statements_in_one_line(void **state)
{
  (void)state;
  read_large(write_one_line, NULL);
}

static void write_name(PfText *text)
{
  pf_text_add(text, "coord ");
  repeat(text, "abcdefghij", 1000000);
  pf_text_add(text, "\nkinetic x'^2\n");
}

static void a_name_of_ten_million_letters(void **state)
{
  (void)state;
  read_large(write_name, "'x' is not defined");
}

static void write_chain(PfText *text)
{
  pf_text_add(text, "gravity (0, 0, -9.81)\ncoord q[60]\n"
                    "body b[1] in ground turn q[1] about y { mass 1, com (0, 0, -1) }\n"
                    "for i in 2..60 {\n"
                    "  body b[i] in b[i - 1] at (0, 0, -1) turn q[i] about y { mass 1, com (0, 0, -1) }\n"
                    "}\n");
}

static void a_chain_of_sixty_bodies(void **state)
{
  (void)state;
  read_large(write_chain, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parentheses_nested_a_hundred_thousand_times),
    cmocka_unit_test(a_million_minus_signs),
    cmocka_unit_test(powers_of_powers),
    cmocka_unit_test(blocks_nested_a_hundred_thousand_times),
    cmocka_unit_test(a_sum_of_a_million_terms),
    cmocka_unit_test(a_sum_of_many_different_terms),
    cmocka_unit_test(definitions_that_build_on_each_other),
    cmocka_unit_test(definitions_in_reverse_order),
    cmocka_unit_test(derived_parameters_by_the_thousands),
    cmocka_unit_test(a_loop_of_a_thousand_million_turns),
    cmocka_unit_test(empty_loops_in_loops),
    cmocka_unit_test(loops_that_make_a_million_statements),
    cmocka_unit_test(a_list_of_a_thousand_million_elements),
    cmocka_unit_test(a_sum_over_a_thousand_million),
    cmocka_unit_test(sums_in_sums),
    cmocka_unit_test(ten_thousand_coordinates),
    cmocka_unit_test(parts_in_parts),
    cmocka_unit_test(parts_that_double_sixty_times),
    cmocka_unit_test(functions_that_double_sixty_times),
    cmocka_unit_test(functions_of_vectors_that_double_sixty_times),
    cmocka_unit_test(a_hundred_thousand_errors),
    cmocka_unit_test(half_a_million_statements_in_one_line),
    cmocka_unit_test(a_name_of_ten_million_letters),
    cmocka_unit_test(functions_in_functions),
    cmocka_unit_test(a_chain_of_sixty_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
