/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static const PfAllocator standard = {pf_standard_resize, NULL};

static bool put(PfMap *map, const char *key, void *value)
{
  return pf_map_set(map, key, strlen(key), value);
}

static void *get(const PfMap *map, const char *key)
{
  return pf_map_get(map, key, strlen(key));
}

/* ---------------------------------------------------------------- map */

static void an_empty_map_finds_nothing(void **state)
{
  (void)state;
  PfMap map;
  pf_map_init(&map, &standard);
  assert_null(get(&map, "x"));
  pf_map_free(&map);
}

static void a_name_leads_to_its_value(void **state)
{
  (void)state;
  int x, y;
  PfMap map;
  pf_map_init(&map, &standard);
  assert_true(put(&map, "x", &x));
  assert_true(put(&map, "y", &y));
  assert_ptr_equal(get(&map, "x"), &x);
  assert_ptr_equal(get(&map, "y"), &y);
  assert_null(get(&map, "z"));
  pf_map_free(&map);
}

static void a_second_value_replaces_the_first_in_its_place(void **state)
{
  (void)state;
  int first, second, other;
  PfMap map;
  pf_map_init(&map, &standard);
  put(&map, "a", &first);
  put(&map, "b", &other);
  put(&map, "a", &second);
  assert_ptr_equal(get(&map, "a"), &second);
  assert_int_equal(map.entries.count, 2);
  assert_string_equal(map.entries.at[0].key, "a");
  pf_map_free(&map);
}

static void keys_end_where_their_length_says(void **state)
{
  (void)state;
  int two, three, zero, inside;
  PfMap map;
  pf_map_init(&map, &standard);
  const char *text = "phi_b*x";
  assert_true(pf_map_set(&map, text, 2, &two));
  assert_true(pf_map_set(&map, text, 3, &three));
  assert_true(pf_map_set(&map, text, 0, &zero));
  assert_true(pf_map_set(&map, "a\0b", 3, &inside));
  assert_ptr_equal(get(&map, "ph"), &two);
  assert_ptr_equal(get(&map, "phi"), &three);
  assert_ptr_equal(get(&map, ""), &zero);
  assert_null(get(&map, "a"));
  assert_ptr_equal(pf_map_get(&map, "a\0b", 3), &inside);
  pf_map_free(&map);
}

static void many_names_keep_the_order_in_which_they_came(void **state)
{
  (void)state;
  enum { COUNT = 20000 };
  static char names[COUNT][8];
  PfMap map;
  pf_map_init(&map, &standard);
  for (int i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i], "q%d", (int)((long)i*7919%COUNT));
    assert_true(put(&map, names[i], names[i]));
  }
  assert_int_equal(map.entries.count, COUNT);
  for (int i = 0; i < COUNT; i++) {
    assert_ptr_equal(map.entries.at[i].value, names[i]);
    assert_ptr_equal(get(&map, names[i]), names[i]);
  }
  pf_map_free(&map);
}

static void fill_map(Counter *counter, void *user)
{
  enum { COUNT = 100 };
  static char names[COUNT][8];
  (void)user;
  bool stored[COUNT];
  PfMap map;
  pf_map_init(&map, &counter->allocator);
  for (int i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i], "q%d", i);
    stored[i] = put(&map, names[i], names[i]);
    assert_true(stored[i] || counter->refused);
  }
  /* what was accepted is there, what was refused is not */
  for (int i = 0; i < COUNT; i++) assert_ptr_equal(get(&map, names[i]), stored[i] ? names[i] : NULL);
  pf_map_free(&map);
}

static void a_host_without_memory_loses_no_name_that_was_accepted(void **state)
{
  (void)state;
  fail_every_allocation(fill_map, NULL);
}

/* ---------------------------------------------------------------- hash */

static void the_hash_depends_on_every_byte_and_on_the_seed(void **state)
{
  (void)state;
  assert_true(pf_hash_bytes("abc", 3, 0) == pf_hash_bytes("abcd", 3, 0));
  assert_true(pf_hash_bytes("abc", 3, 0) != pf_hash_bytes("abd", 3, 0));
  assert_true(pf_hash_bytes("abc", 3, 0) != pf_hash_bytes("bbc", 3, 0));
  assert_true(pf_hash_bytes("abc", 3, 0) != pf_hash_bytes("abc", 2, 0));
  assert_true(pf_hash_bytes("abc", 3, 0) != pf_hash_bytes("abc", 3, 1));
}

/* Slots are chosen by the low bits: names that differ in a digit must spread there. */
static void the_hash_spreads_similar_names(void **state)
{
  (void)state;
  enum { SLOTS = 256, NAMES = 2560 };
  int used[SLOTS] = {0};
  for (int i = 0; i < NAMES; i++) {
    char name[16];
    int length = snprintf(name, sizeof name, "psi[%d]", i);
    used[pf_hash_bytes(name, (size_t)length, 0)%SLOTS]++;
  }
  /* ten names per slot on average; the chance of a slot with 40 under a fair hash is below 1e-10 */
  for (int i = 0; i < SLOTS; i++) assert_true(used[i] < 40);
}

/* ---------------------------------------------------------------- distance */

static void the_distance_counts_single_letter_edits(void **state)
{
  (void)state;
  assert_int_equal(pf_name_distance("theta", "theta", 3), 0);
  assert_int_equal(pf_name_distance("theta", "thetas", 3), 1);   /* insertion */
  assert_int_equal(pf_name_distance("theta", "teta", 3), 1);     /* deletion */
  assert_int_equal(pf_name_distance("theta", "thete", 3), 1);    /* substitution */
  assert_int_equal(pf_name_distance("theta", "thtea", 3), 1);    /* neighbours swapped */
  assert_int_equal(pf_name_distance("kitten", "sitting", 5), 3); /* the textbook's */
  assert_int_equal(pf_name_distance("ca", "abc", 5), 3);         /* nothing is edited twice */
  assert_int_equal(pf_name_distance("", "abc", 5), 3);
  assert_int_equal(pf_name_distance("", "", 5), 0);
}

static void the_distance_stops_beyond_its_limit(void **state)
{
  (void)state;
  assert_int_equal(pf_name_distance("kitten", "sitting", 2), 3);
  assert_int_equal(pf_name_distance("abcdef", "uvwxyz", 2), 3);
  assert_int_equal(pf_name_distance("a", "abcdefgh", 2), 3);
  assert_int_equal(pf_name_distance("a", "b", 0), 1);
}

static void names_without_end_are_far_from_everything(void **state)
{
  (void)state;
  char name[101], other[66];
  memset(name, 'a', sizeof name - 1);
  memset(other, 'a', sizeof other - 1);
  name[sizeof name - 1] = other[sizeof other - 1] = 0;
  assert_int_equal(pf_name_distance(name, name, 2), 3);
  assert_int_equal(pf_name_distance(other, other, 2), 3);
  other[64] = 0; /* 64 letters are the most that are compared */
  assert_int_equal(pf_name_distance(other, other, 2), 0);
}

static void the_distance_is_the_same_both_ways(void **state)
{
  (void)state;
  const char *names[] = {"phi_b", "phi_f", "psi", "pi", "x", "", "phib", "hpi_b", "F", "speed"};
  const int count = sizeof names/sizeof *names;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      assert_int_equal(pf_name_distance(names[i], names[j], 9), pf_name_distance(names[j], names[i], 9));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_empty_map_finds_nothing),
    cmocka_unit_test(a_name_leads_to_its_value),
    cmocka_unit_test(a_second_value_replaces_the_first_in_its_place),
    cmocka_unit_test(keys_end_where_their_length_says),
    cmocka_unit_test(many_names_keep_the_order_in_which_they_came),
    cmocka_unit_test(a_host_without_memory_loses_no_name_that_was_accepted),
    cmocka_unit_test(the_hash_depends_on_every_byte_and_on_the_seed),
    cmocka_unit_test(the_hash_spreads_similar_names),
    cmocka_unit_test(the_distance_counts_single_letter_edits),
    cmocka_unit_test(the_distance_stops_beyond_its_limit),
    cmocka_unit_test(names_without_end_are_far_from_everything),
    cmocka_unit_test(the_distance_is_the_same_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
