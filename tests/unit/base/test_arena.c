/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdalign.h>

static bool is_aligned(const void *block)
{
  return (uintptr_t)block%alignof(max_align_t) == 0;
}

static bool is_zero(const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (bytes[i]) return false;
  return true;
}

static void memory_comes_zeroed_and_aligned(void **state)
{
  Fixture *f = *state;
  for (size_t size = 1; size < 300; size++) {
    char *block = pf_arena_alloc(f->arena, size, 1);
    assert_non_null(block);
    assert_true(is_aligned(block));
    assert_true(is_zero(block, size));
    memset(block, 0xA5, size);
  }
}

static void blocks_do_not_overlap(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 2000 };
  unsigned char *blocks[COUNT];
  for (int i = 0; i < COUNT; i++) {
    blocks[i] = pf_arena_alloc(f->arena, (size_t)(i%97) + 1, 1);
    assert_non_null(blocks[i]);
    memset(blocks[i], i%251, (size_t)(i%97) + 1);
  }
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < i%97 + 1; j++) assert_int_equal(blocks[i][j], i%251);
}

static void a_request_for_nothing_gives_a_pointer_of_its_own(void **state)
{
  Fixture *f = *state;
  void *a = pf_arena_alloc(f->arena, 0, 8);
  void *b = pf_arena_alloc(f->arena, 8, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
}

static void a_size_that_overflows_is_refused(void **state)
{
  Fixture *f = *state;
  assert_null(pf_arena_alloc(f->arena, SIZE_MAX, 1));
  assert_null(pf_arena_alloc(f->arena, SIZE_MAX - 20, 1));
  assert_null(pf_arena_alloc(f->arena, SIZE_MAX/2, 3));
  assert_null(pf_arena_alloc(f->arena, 3, SIZE_MAX/2));
  assert_null(pf_arena_text(f->arena, "", SIZE_MAX));
  assert_non_null(pf_arena_alloc(f->arena, 1, 1)); /* and the arena is as good as before */
}

static void a_request_larger_than_a_block_is_served(void **state)
{
  Fixture *f = *state;
  const size_t count = (size_t)40 << 20;
  char *small = pf_arena_array(f->arena, char, 10);
  char *large = pf_arena_array(f->arena, char, count);
  assert_non_null(large);
  assert_true(is_zero(large, count));
  large[count - 1] = 1;
  assert_true(is_zero(small, 10));
}

static void a_text_is_copied_with_zeros_inside_and_at_its_end(void **state)
{
  Fixture *f = *state;
  char text[] = "ab\0cd";
  char *copy = pf_arena_text(f->arena, text, 5);
  text[0] = 'X';
  assert_memory_equal(copy, "ab\0cd", 6);
  assert_string_equal(pf_arena_text(f->arena, NULL, 0), "");
}

static void a_text_is_printed_with_room_for_all_of_it(void **state)
{
  Fixture *f = *state;
  assert_string_equal(pf_arena_print(f->arena, "%s[%d]'", "x", 3), "x[3]'");
  assert_string_equal(pf_arena_print(f->arena, "%s", ""), "");
  const char *text = pf_arena_print(f->arena, "%5000d", 7);
  assert_int_equal(strlen(text), 5000);
  assert_int_equal(text[4999], '7');
}

static void several_arrays_come_zeroed_and_aligned(void **state)
{
  Fixture *f = *state;
  double *x;
  char *text;
  int *empty;
  assert_int_equal(pf_arrays(f->ctx, f->arena, "a test", PF_ROOM(text, 3), PF_ROOM2(x, 5, 7), PF_ROOM(empty, 0)),
                   PF_OK);
  assert_true(is_aligned(x) && is_aligned(text) && is_aligned(empty));
  assert_true(is_zero((const char *)x, 35*sizeof *x));
  assert_ptr_not_equal(empty, x);
}

static void several_arrays_without_memory_are_one_error(void **state)
{
  Fixture *f = *state;
  double *x, *y;
  assert_int_equal(pf_arrays(f->ctx, f->arena, "a test", PF_ROOM(x, SIZE_MAX), PF_ROOM2(y, SIZE_MAX/16, 8)),
                   PF_ERR_MEMORY);
  assert_int_equal(pf_error_count(f->ctx), 1);
  assert_string_equal(pf_context_message(f->ctx), "no room for a test");
}

static void a_release_gives_back_what_came_after_the_mark(void **state)
{
  Fixture *f = *state;
  char *kept = pf_arena_text(f->arena, "kept", 4);
  PfMark mark = pf_arena_mark(f->arena);
  char *scratch = pf_arena_alloc(f->arena, 100, 1);
  memset(scratch, 0xA5, 100);
  pf_arena_release(f->arena, mark);

  char *again = pf_arena_alloc(f->arena, 100, 1);
  assert_ptr_equal(again, scratch);
  assert_true(is_zero(again, 100));
  assert_string_equal(kept, "kept");
}

static void marks_nest(void **state)
{
  Fixture *f = *state;
  PfMark outer = pf_arena_mark(f->arena);
  char *first = pf_arena_text(f->arena, "first", 5);
  PfMark inner = pf_arena_mark(f->arena);
  pf_arena_alloc(f->arena, 10000, 1);
  pf_arena_release(f->arena, inner);
  assert_string_equal(first, "first");
  pf_arena_release(f->arena, outer);
  assert_int_equal(pf_arena_mark(f->arena).used, outer.used);
}

/* Scratch that is taken and released in a loop must not ask the host again and again. */
static void a_release_frees_the_blocks_of_the_host_but_one(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfArena *arena = pf_arena_new(&counter.allocator);
  PfMark empty = pf_arena_mark(arena);
  for (int i = 0; i < 100; i++) pf_arena_alloc(arena, 1000, 1);
  assert_true(counter.live > 2);
  pf_arena_release(arena, empty);
  assert_int_equal(counter.live, 2); /* the arena itself, and the largest block for next time */
  long asked = counter.calls;
  pf_arena_alloc(arena, 1000, 1);
  pf_arena_release(arena, empty);
  assert_int_equal(counter.calls, asked);
  pf_arena_free(arena);
  assert_int_equal(counter.live, 0);
}

static void many_small_requests_ask_the_host_rarely(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  PfArena *arena = pf_arena_new(&counter.allocator);
  for (int i = 0; i < 100000; i++) assert_non_null(pf_arena_alloc(arena, 16, 1));
  /* 1.6 MB in blocks of 4 kB, 8 kB, 16 kB …: 9 of them, and the arena */
  assert_true(counter.calls <= 12);
  pf_arena_free(arena);
}

static void freeing_no_arena_is_allowed(void **state)
{
  (void)state;
  pf_arena_free(NULL);
}

static void use_arena(Counter *counter, void *user)
{
  (void)user;
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (!arena) {
    assert_true(counter->refused > 0);
    return;
  }
  int served = 0;
  for (int i = 0; i < 40; i++) {
    char *block = pf_arena_alloc(arena, 1000, 1);
    served += block != NULL;
    if (block) memset(block, 1, 1000);
  }
  assert_true(served == 40 || counter->refused);
  pf_arena_free(arena);
}

static void a_host_without_memory_gives_null_and_no_leak(void **state)
{
  (void)state;
  fail_every_allocation(use_arena, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(memory_comes_zeroed_and_aligned),
    with_fixture(blocks_do_not_overlap),
    with_fixture(a_request_for_nothing_gives_a_pointer_of_its_own),
    with_fixture(a_size_that_overflows_is_refused),
    with_fixture(a_request_larger_than_a_block_is_served),
    with_fixture(a_text_is_copied_with_zeros_inside_and_at_its_end),
    with_fixture(a_text_is_printed_with_room_for_all_of_it),
    with_fixture(several_arrays_come_zeroed_and_aligned),
    with_fixture(several_arrays_without_memory_are_one_error),
    with_fixture(a_release_gives_back_what_came_after_the_mark),
    with_fixture(marks_nest),
    cmocka_unit_test(a_release_frees_the_blocks_of_the_host_but_one),
    cmocka_unit_test(many_small_requests_ask_the_host_rarely),
    cmocka_unit_test(freeing_no_arena_is_allowed),
    cmocka_unit_test(a_host_without_memory_gives_null_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
