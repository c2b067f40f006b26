/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static const PfAllocator standard = {pf_standard_resize, NULL};

/* ---------------------------------------------------------------- arrays */

static void an_array_keeps_what_is_pushed(void **state)
{
  (void)state;
  PF_ARRAY(int) squares = {0};
  for (int i = 0; i < 1000; i++) assert_true(pf_push(&standard, &squares, i*i));
  assert_int_equal(squares.count, 1000);
  for (int i = 0; i < 1000; i++) assert_int_equal(squares.at[i], i*i);
  pf_array_free(&standard, &squares);
  assert_null(squares.at);
  assert_int_equal(squares.count, 0);
}

static void an_array_takes_structs_with_commas(void **state)
{
  (void)state;
  typedef struct Pair {
    int a, b;
  } Pair;
  PF_ARRAY(Pair) pairs = {0};
  assert_true(pf_push(&standard, &pairs, (Pair){1, 2}));
  assert_int_equal(pairs.at[0].b, 2);
  pf_array_free(&standard, &pairs);
}

static void growing_at_least_doubles(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PF_ARRAY(double) numbers = {0};
  for (int i = 0; i < 100000; i++) assert_true(pf_push(&counter.allocator, &numbers, 0.0));
  assert_true(counter.calls <= 15); /* 8*2^14 > 100000 */
  pf_array_free(&counter.allocator, &numbers);
  assert_int_equal(counter.live, 0);
}

static void an_array_that_would_overflow_stays_as_it_is(void **state)
{
  (void)state;
  PF_ARRAY(double) numbers = {0};
  assert_true(pf_push(&standard, &numbers, 1.5));
  assert_false(pf_reserve(&standard, &numbers, SIZE_MAX/4));
  assert_false(pf_reserve(&standard, &numbers, SIZE_MAX));
  assert_int_equal(numbers.count, 1);
  assert_near(numbers.at[0], 1.5, 0, 0);
  pf_array_free(&standard, &numbers);
}

/* ---------------------------------------------------------------- text */

static void a_text_without_words_is_empty(void **state)
{
  (void)state;
  PfText text;
  pf_text_init(&text, &standard);
  assert_string_equal(pf_text_get(&text), "");
  pf_text_put(&text, NULL, 0);
  assert_string_equal(pf_text_get(&text), "");
  pf_text_free(&text);
}

static void words_follow_each_other(void **state)
{
  (void)state;
  PfText text;
  pf_text_init(&text, &standard);
  pf_text_add(&text, "x = ");
  pf_text_print(&text, "%.17g [%s]", 0.5, "kg m^2");
  pf_text_put(&text, "; and more", 1);
  assert_string_equal(pf_text_get(&text), "x = 0.5 [kg m^2];");
  assert_int_equal(text.count, 17);
  assert_false(text.failed);
  pf_text_free(&text);
}

static void zeros_inside_are_kept(void **state)
{
  (void)state;
  PfText text;
  pf_text_init(&text, &standard);
  pf_text_put(&text, "a\0b", 3);
  pf_text_add(&text, "c");
  assert_int_equal(text.count, 4);
  assert_memory_equal(text.at, "a\0bc", 5);
  pf_text_free(&text);
}

static void a_long_text_is_whole_and_terminated(void **state)
{
  (void)state;
  PfText text;
  pf_text_init(&text, &standard);
  for (int i = 0; i < 20000; i++) pf_text_print(&text, "%04d", i%10000);
  assert_int_equal(text.count, 80000);
  assert_int_equal(strlen(text.at), 80000);
  assert_memory_equal(text.at + 4*12345, "2345", 4);
  pf_text_free(&text);
}

static void a_length_that_overflows_is_refused(void **state)
{
  (void)state;
  PfText text;
  pf_text_init(&text, &standard);
  pf_text_add(&text, "kept");
  pf_text_put(&text, "never read", SIZE_MAX);
  assert_true(text.failed);
  assert_string_equal(pf_text_get(&text), "kept");
  pf_text_free(&text);
}

static void a_failed_text_takes_no_more_words(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfText text;
  pf_text_init(&text, &counter.allocator);
  pf_text_add(&text, "kept");
  counter.fail_at = 2;
  pf_text_add(&text, "much too long for the room there is");
  assert_true(text.failed);
  pf_text_add(&text, "!"); /* would fit, but the sentence would have a hole */
  assert_string_equal(pf_text_get(&text), "kept");
  pf_text_free(&text);
  assert_int_equal(counter.live, 0);
}

static void write_text(Counter *counter, void *user)
{
  (void)user;
  PfText text;
  pf_text_init(&text, &counter->allocator);
  for (int i = 0; i < 100; i++) {
    pf_text_print(&text, "%d", i%10);
    pf_text_add(&text, "abcdefgh");
  }
  assert_int_equal(text.failed, counter->refused > 0);
  assert_int_equal(strlen(pf_text_get(&text)), text.count);
  if (!text.failed) assert_int_equal(text.count, 900);
  pf_text_free(&text);
}

static void a_host_without_memory_is_noticed_at_the_end(void **state)
{
  (void)state;
  fail_every_allocation(write_text, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_array_keeps_what_is_pushed),
    cmocka_unit_test(an_array_takes_structs_with_commas),
    cmocka_unit_test(growing_at_least_doubles),
    cmocka_unit_test(an_array_that_would_overflow_stays_as_it_is),
    cmocka_unit_test(a_text_without_words_is_empty),
    cmocka_unit_test(words_follow_each_other),
    cmocka_unit_test(zeros_inside_are_kept),
    cmocka_unit_test(a_long_text_is_whole_and_terminated),
    cmocka_unit_test(a_length_that_overflows_is_refused),
    cmocka_unit_test(a_failed_text_takes_no_more_words),
    cmocka_unit_test(a_host_without_memory_is_noticed_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
