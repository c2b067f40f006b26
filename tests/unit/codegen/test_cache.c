/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "codegen/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char parent[200];
static PfCache cache;

static int make_folder(void **state)
{
  (void)state;
  make_test_folder(parent);
  if (setenv("XDG_CACHE_HOME", parent, 1)) return 1;
  pf_cache_open(&cache);
  return !cache.folder[0];
}

static int remove_folder(void **state)
{
  (void)state;
  pf_folder_remove(cache.folder);
  pf_folder_remove(parent);
  return 0;
}

static void put(int number, size_t size)
{
  char from[300], path[PF_CACHE_PATH], *bytes = calloc(size, 1);
  unsigned char key[PF_SHA256_SIZE] = {(unsigned char)number};
  assert_non_null(bytes);
  snprintf(from, sizeof from, "%s/source", parent);
  FILE *file = fopen(from, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  assert_true(pf_cache_put(&cache, key, from, path));
  free(bytes);
}

static bool has(int number)
{
  char path[PF_CACHE_PATH];
  unsigned char key[PF_SHA256_SIZE] = {(unsigned char)number};
  return pf_cache_find(&cache, key, path);
}

/* Seconds since the last use. */
static void age(int number, long seconds)
{
  char path[PF_CACHE_PATH];
  snprintf(path, sizeof path, "%s/%02x%062d.so", cache.folder, (unsigned)number, 0);
  struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void what_is_put_is_found_again(void **state)
{
  (void)state;
  assert_false(has(1));
  put(1, 1000);
  assert_true(has(1));
  assert_false(has(2));
  put(1, 500);
  assert_true(has(1));
}

static void the_oldest_use_goes_first(void **state)
{
  (void)state;
  for (int i = 10; i < 14; i++) put(i, 10000), age(i, 1000*(20 - i));
  assert_true(has(10)); /* which is a use */
  cache.limit = 35000;
  put(14, 10000);
  assert_true(has(10));
  assert_false(has(11));
  assert_false(has(12));
  assert_true(has(13));
  assert_true(has(14));
}

static void what_was_never_finished_is_removed(void **state)
{
  (void)state;
  char path[PF_CACHE_PATH];
  snprintf(path, sizeof path, "%s/%064d.abcdef", cache.folder, 0);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  put(20, 100);
  assert_int_equal(access(path, F_OK), 0); /* it may still be written */
  struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
  put(21, 100);
  assert_int_not_equal(access(path, F_OK), 0);
}

static void what_is_not_ours_stays(void **state)
{
  (void)state;
  char path[PF_CACHE_PATH];
  snprintf(path, sizeof path, "%s/notes.so", cache.folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  cache.limit = 1;
  put(30, 100);
  assert_int_equal(access(path, F_OK), 0);
  assert_false(has(30));
}

static void a_folder_elsewhere_or_of_others_is_none(void **state)
{
  (void)state;
  PfCache other;
  assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
  assert_int_equal(setenv("HOME", "", 1), 0);
  pf_cache_open(&other);
  assert_string_equal(other.folder, "");
  assert_int_equal(setenv("HOME", parent, 1), 0);
  pf_cache_open(&other);
  assert_contains(other.folder, "/.cache/pfaff");
  pf_folder_remove(other.folder);
  char path[300];
  snprintf(path, sizeof path, "%s/.cache", parent);
  pf_folder_remove(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_put_is_found_again),
    cmocka_unit_test(the_oldest_use_goes_first),
    cmocka_unit_test(what_was_never_finished_is_removed),
    cmocka_unit_test(what_is_not_ours_stays),
    cmocka_unit_test(a_folder_elsewhere_or_of_others_is_none),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
