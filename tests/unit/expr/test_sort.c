/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

typedef struct Item {
  PfExpr handle;
  int number;
} Item;

static void assert_sorted_stably(const Item *items, int count)
{
  for (int i = 1; i < count; i++) {
    assert_true(items[i - 1].handle <= items[i].handle);
    if (items[i - 1].handle == items[i].handle) assert_true(items[i - 1].number < items[i].number);
  }
}

/* Around the length where insertion gives way to merging, and around doublings of it. */
static void lists_of_every_length_are_sorted_stably(void **state)
{
  Fixture *f = *state;
  PfExprTable *table = pf_expr_table(f->ctx);
  uint64_t seed = 3;
  Item items[200];
  for (int count = 0; count <= 200; count++) {
    for (int i = 0; i < count; i++) items[i] = (Item){draw(&seed, (uint32_t)count/2 + 1), i};
    assert_true(pf_sort_by_handle(table, items, (size_t)count, sizeof *items));
    assert_sorted_stably(items, count);
  }
}

static void a_long_list_in_reverse_is_sorted(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000 };
  Item *items = pf_arena_array(f->arena, Item, COUNT);
  for (int i = 0; i < COUNT; i++) items[i] = (Item){(PfExpr)(COUNT - i)/3, i};
  assert_true(pf_sort_by_handle(pf_expr_table(f->ctx), items, COUNT, sizeof *items));
  assert_sorted_stably(items, COUNT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(lists_of_every_length_are_sorted_stably),
      with_fixture(a_long_list_in_reverse_is_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
