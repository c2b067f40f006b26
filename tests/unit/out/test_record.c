/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"t", "pos(a, b)", "say \"x\""}, *const units[] = {"s", "m", ""};
static const PfRecordHead head = {.count = 3, .names = names, .units = units};

/* A folder for one test. */
static const char *make_folder(void)
{
  static char folder[200];
  make_test_folder(folder);
  return folder;
}

static const char *in(const char *folder, const char *name)
{
  static char paths[4][256];
  static int next;
  char *path = paths[next++%4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void write_text(const char *path, const char *text)
{
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static const char *content(PfContext *ctx, PfArena *arena, const char *path)
{
  const char *bytes;
  size_t count;
  assert_int_equal(pf_file_read(ctx, arena, path, 1 << 20, &bytes, &count), PF_OK);
  return bytes;
}

static bool exists(const char *path)
{
  return access(path, F_OK) == 0;
}

static void add_two(PfRecord *record)
{
  assert_int_equal(pf_record_add(record, (const double[]){0, 0.5, NAN}), PF_OK);
  assert_int_equal(pf_record_add(record, (const double[]){1, -2, 3}), PF_OK);
}

static void rows_become_csv(void **state)
{
  Fixture *f = *state;
  const char *folder = make_folder(), *path = in(folder, "x.csv");
  PfRecord record;
  assert_int_equal(pf_record_begin(&record, f->ctx, path, &head), PF_OK);
  add_two(&record);
  assert_false(exists(path));
  assert_int_equal(pf_record_close(&record), PF_OK);
  assert_string_equal(content(f->ctx, f->arena, path),
                      "t [s],\"pos(a, b) [m]\",\"say \"\"x\"\"\"\n0,0.5,nan\n1,-2,3\n");
  unlink(path), rmdir(folder);
}

/* A last column of CSV may have words, quoted where they must be. */
static void rows_have_words(void **state)
{
  Fixture *f = *state;
  const char *folder = make_folder(), *path = in(folder, "x.csv");
  const PfRecordHead with_words = {.count = 1, .names = names, .units = units, .words = "reason"};
  PfRecord record;
  assert_int_equal(pf_record_begin(&record, f->ctx, path, &with_words), PF_OK);
  assert_int_equal(pf_record_add_word(&record, (const double[]){1}, "a, \"b\""), PF_OK);
  assert_int_equal(pf_record_add_word(&record, (const double[]){2}, ""), PF_OK);
  assert_int_equal(pf_record_close(&record), PF_OK);
  assert_string_equal(content(f->ctx, f->arena, path), "t [s],reason\n1,\"a, \"\"b\"\"\"\n2,\n");
  unlink(path), rmdir(folder);
}

/* JSON has no word for what is not a number. */
static void rows_become_json(void **state)
{
  Fixture *f = *state;
  const char *folder = make_folder(), *path = in(folder, "x.json");
  PfRecord record;
  assert_int_equal(pf_record_begin(&record, f->ctx, path, &head), PF_OK);
  add_two(&record);
  assert_int_equal(pf_record_close(&record), PF_OK);
  const char *text = content(f->ctx, f->arena, path);
  assert_contains(text, "\"say \\\"x\\\"\"");
  assert_contains(text, "\"rows\": [\n    [0, 0.5, null],\n    [1, -2, 3]\n  ]\n}\n");
  unlink(path), rmdir(folder);
}

/* What was kept on the way is complete, stands beside, and the old file stays until the end. */
static void rows_are_kept_on_the_way(void **state)
{
  Fixture *f = *state;
  const char *folder = make_folder(), *path = in(folder, "x.json"), *part = in(folder, "x.part.json");
  PfRecord record;
  write_text(path, "old");
  assert_int_equal(pf_record_begin(&record, f->ctx, path, &head), PF_OK);
  add_two(&record);
  record.flushed -= 1; /* as if a second had passed */
  assert_int_equal(pf_record_keep(&record), PF_OK);
  assert_contains(content(f->ctx, f->arena, part), "[1, -2, 3]\n  ]\n}\n");
  assert_string_equal(content(f->ctx, f->arena, path), "old");
  add_two(&record);
  record.flushed -= 1;
  assert_int_equal(pf_record_keep(&record), PF_OK);
  assert_contains(content(f->ctx, f->arena, part), "[1, -2, 3],\n    [0, 0.5, null],\n    [1, -2, 3]\n  ]\n}\n");
  pf_record_drop(&record);
  assert_false(exists(part));
  assert_string_equal(content(f->ctx, f->arena, path), "old");
  unlink(path), rmdir(folder);
}

/* Long writes are done by another process: its bytes are the same. */
static void many_rows_are_all_there(void **state)
{
  enum { ROWS = 20000 };
  Fixture *f = *state;
  const char *folder = make_folder(), *path = in(folder, "x.mat");
  PfRecord record;
  struct stat status;
  assert_int_equal(pf_record_begin(&record, f->ctx, path, &head), PF_OK);
  off_t size = (off_t)record.pending.count;
  for (int i = 0; i < ROWS; i++) {
    if (i%5000 == 0) record.flushed -= 1;
    assert_int_equal(pf_record_add(&record, (const double[]){i, 1, 2}), PF_OK);
  }
  off_t matrix = record.mat;
  assert_int_equal(pf_record_close(&record), PF_OK);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_size, size + ROWS*3*8);
  FILE *stream = fopen(path, "rb");
  unsigned char count[4];
  assert_int_equal(fseek(stream, (long)matrix + PF_MAT_COLUMNS, SEEK_SET), 0);
  assert_int_equal(fread(count, 1, 4, stream), 4);
  assert_int_equal(count[0] | count[1] << 8 | count[2] << 16 | count[3] << 24, ROWS);
  fclose(stream);
  unlink(path), rmdir(folder);
}

/* Without memory there is an error, no leak, and the old file. */
static void attempt(Counter *counter, void *user)
{
  const char *folder = user, *path = in(folder, "x.json");
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfRecord record;
  PfStatus status = pf_record_begin(&record, ctx, path, &head);
  for (int i = 0; i < 50 && status == PF_OK; i++) {
    if (i == 20) record.flushed -= 1;
    status = pf_record_add(&record, (const double[]){i, 1, 2});
  }
  if (status == PF_OK) status = pf_record_close(&record);
  else pf_record_drop(&record);
  assert_true(status == PF_OK || counter->refused);
  pf_context_free(ctx);
  assert_true(exists(path));
  assert_false(exists(in(folder, "x.part.json")));
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  char folder[200];
  snprintf(folder, sizeof folder, "%s", make_folder());
  write_text(in(folder, "x.json"), "old");
  fail_every_allocation(attempt, folder);
  unlink(in(folder, "x.json")), rmdir(folder);
}

static void what_has_no_way_back(void **state)
{
  Fixture *f = *state;
  const char *folder = make_folder(), *path = in(folder, "x.mat");
  PfRecord record;
  assert_int_equal(symlink("/dev/null", path), 0);
  assert_int_equal(pf_record_begin(&record, f->ctx, path, &head), PF_ERR_FILE);
  assert_contains(pf_context_message(f->ctx), "MAT-file");
  pf_record_drop(&record);
  unlink(path), rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(rows_become_csv),
    with_fixture(rows_have_words),
    with_fixture(rows_become_json),
    with_fixture(rows_are_kept_on_the_way),
    with_fixture(many_rows_are_all_there),
    with_fixture(every_allocation_may_fail),
    with_fixture(what_has_no_way_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
