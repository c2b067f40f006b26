/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, LIMIT = 1 << 20 };

/* A file that is gone after the test, whatever its end. */
typedef struct FileFixture {
  Fixture *base;
  char path[200];
} FileFixture;

static int setup_file(void **state)
{
  FileFixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  void *base = NULL;
  if (setup(&base)) return -1;
  f->base = base;
  const char *place = getenv("TMPDIR");
  int length = snprintf(f->path, sizeof f->path, "%s/pfaff_test_XXXXXX", place && *place ? place : "/tmp");
  assert_in_range(length, 1, sizeof f->path - 1);
  int descriptor = mkstemp(f->path);
  if (descriptor < 0) return -1;
  close(descriptor);
  *state = f;
  return 0;
}

static int teardown_file(void **state)
{
  FileFixture *f = *state;
  void *base = f->base;
  unlink(f->path);
  free(f);
  return teardown(&base);
}

static void fill(const FileFixture *f, const char *bytes, size_t count)
{
  FILE *stream = fopen(f->path, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(bytes, 1, count, stream), count);
  assert_int_equal(fclose(stream), 0);
}

/* count bytes in which a lost or doubled chunk shows */
static char *pattern(size_t count)
{
  char *bytes = malloc(count + 1);
  assert_non_null(bytes);
  for (size_t i = 0; i < count; i++) bytes[i] = (char)('a' + i%23);
  bytes[count] = 0;
  return bytes;
}

static PfStatus read_file(const FileFixture *f, const char *path, const char **bytes, size_t *count)
{
  return pf_file_read(f->base->ctx, f->base->arena, path, LIMIT, bytes, count);
}

static void a_file_is_read_byte_for_byte(void **state)
{
  FileFixture *f = *state;
  const char *bytes;
  size_t count;
  fill(f, "a\0b\r\n\xff", 6);
  assert_int_equal(read_file(f, f->path, &bytes, &count), PF_OK);
  assert_int_equal(count, 6);
  assert_memory_equal(bytes, "a\0b\r\n\xff", 7); /* with the zero after the end */
}

static void an_empty_file_is_an_empty_text(void **state)
{
  FileFixture *f = *state;
  const char *bytes;
  size_t count;
  assert_int_equal(read_file(f, f->path, &bytes, &count), PF_OK);
  assert_int_equal(count, 0);
  assert_string_equal(bytes, "");
}

static void lengths_around_the_size_of_a_chunk_are_whole(void **state)
{
  FileFixture *f = *state;
  const size_t lengths[] = {CHUNK - 1, CHUNK, CHUNK + 1, 3*CHUNK, 3*CHUNK + 7};
  for (size_t i = 0; i < sizeof lengths/sizeof *lengths; i++) {
    char *expected = pattern(lengths[i]);
    const char *bytes;
    size_t count;
    fill(f, expected, lengths[i]);
    assert_int_equal(read_file(f, f->path, &bytes, &count), PF_OK);
    assert_int_equal(count, lengths[i]);
    assert_memory_equal(bytes, expected, count + 1);
    free(expected);
  }
}

static void the_limit_itself_is_allowed_and_one_more_is_not(void **state)
{
  FileFixture *f = *state;
  char *big = pattern(LIMIT + 1);
  const char *bytes;
  size_t count;
  fill(f, big, LIMIT);
  assert_int_equal(read_file(f, f->path, &bytes, &count), PF_OK);
  assert_int_equal(count, LIMIT);
  fill(f, big, LIMIT + 1);
  free(big);

  assert_int_equal(read_file(f, f->path, &bytes, &count), PF_ERR_LIMIT);
  assert_contains(pf_context_message(f->base->ctx), f->path);
  assert_contains(pf_context_message(f->base->ctx), "longer than 1 MB");
}

static void a_file_that_is_not_there_is_named_with_the_reason(void **state)
{
  FileFixture *f = *state;
  const char *bytes;
  size_t count;
  assert_int_equal(read_file(f, "/no/such/snake.pf", &bytes, &count), PF_ERR_FILE);
  assert_contains(pf_context_message(f->base->ctx), "cannot open '/no/such/snake.pf': No such file");
}

static void a_directory_is_no_file(void **state)
{
  FileFixture *f = *state;
  const char *bytes;
  size_t count;
  assert_int_equal(read_file(f, "/tmp", &bytes, &count), PF_ERR_FILE);
  assert_contains(pf_context_message(f->base->ctx), "'/tmp': Is a directory");
}

static void a_dash_is_standard_input(void **state)
{
  FileFixture *f = *state;
  const char *bytes;
  size_t count;
  fill(f, "model piped\n", 12);
  assert_non_null(freopen(f->path, "rb", stdin));
  assert_int_equal(read_file(f, "-", &bytes, &count), PF_OK);
  assert_string_equal(bytes, "model piped\n");
  assert_int_equal(count, 12);
}

static void read_with_little_memory(Counter *counter, void *user)
{
  const FileFixture *f = user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = ctx ? pf_arena_new(&counter->allocator) : NULL;
  if (arena) {
    const char *bytes = NULL;
    size_t count = 0;
    PfStatus status = pf_file_read(ctx, arena, f->path, LIMIT, &bytes, &count);
    assert_int_equal(status, counter->refused ? PF_ERR_MEMORY : PF_OK);
    if (status == PF_OK) assert_int_equal(count, 3*CHUNK);
  }
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void a_host_without_memory_is_a_memory_error(void **state)
{
  FileFixture *f = *state;
  char *bytes = pattern(3*CHUNK);
  fill(f, bytes, 3*CHUNK);
  free(bytes);
  fail_every_allocation(read_with_little_memory, f);
}

#define with_file(test) cmocka_unit_test_setup_teardown(test, setup_file, teardown_file)

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_file(a_file_is_read_byte_for_byte),
    with_file(an_empty_file_is_an_empty_text),
    with_file(lengths_around_the_size_of_a_chunk_are_whole),
    with_file(the_limit_itself_is_allowed_and_one_more_is_not),
    with_file(a_file_that_is_not_there_is_named_with_the_reason),
    with_file(a_directory_is_no_file),
    with_file(a_dash_is_standard_input),
    with_file(a_host_without_memory_is_a_memory_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
