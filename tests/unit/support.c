/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dirent.h>
#include <stdlib.h>

void choose_cases(void)
{
  const char *pattern = getenv("PFAFF_CASE");
  if (pattern && *pattern) cmocka_set_test_filter(pattern);
}

int setup(void **state)
{
  Fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->ctx = pf_context_new(NULL);
  f->arena = pf_arena_new(NULL);
  *state = f;
  return f->ctx && f->arena ? 0 : -1;
}

int teardown(void **state)
{
  Fixture *f = *state;
  pf_arena_free(f->arena);
  pf_context_free(f->ctx);
  free(f);
  return 0;
}

/* ---------------------------------------------------------------- numbers */

static bool is_near(double a, double b, double rtol, double atol)
{
  if (isinf(a) || isinf(b)) return a == b;
  return fabs(a - b) <= atol + rtol*fabs(b);
}

void assert_near_at(double a, double b, double rtol, double atol, const char *a_text, const char *b_text,
                    const char *file, int line)
{
  if (is_near(a, b, rtol, atol)) return;
  print_error("%s = %.17g\n%s = %.17g\ndifference %.3g, allowed %.3g + %.3g*|%.17g|\n", a_text, a, b_text, b,
              a - b, atol, rtol, b);
  _fail(file, line);
}

void assert_contains_at(const char *text, const char *part, const char *file, int line)
{
  if (text && strstr(text, part)) return;
  print_error("'%s'\nis not in\n'%s'\n", part, text ? text : "(null)");
  _fail(file, line);
}

/* ---------------------------------------------------------------- files */

void make_test_folder(char path[200])
{
  const char *place = getenv("TMPDIR");
  int length = snprintf(path, 200, "%s/pfaff_test_XXXXXX", place && *place ? place : "/tmp");
  assert_in_range(length, 1, 199);
  assert_non_null(mkdtemp(path));
}

static bool is_there(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

void find_example(const char *name, char path[EXAMPLE_PATH])
{
  bool found = false;
  DIR *families = opendir(PF_SOURCE_DIR "/examples");
  assert_non_null(families);
  for (struct dirent *entry; !found && (entry = readdir(families));) {
    snprintf(path, EXAMPLE_PATH, PF_SOURCE_DIR "/examples/%s/%s.pf", entry->d_name, name);
    found = is_there(path);
  }
  closedir(families);
  if (!found) fail_msg("no example '%s'", name);
}

/* The name in a line 'family/name  reason'; NULL in comments and empty lines. */
static const char *listed_name(PfArena *arena, const char *line, size_t length)
{
  const char *slash = memchr(line, '/', length);
  if (*line == '#' || !slash) return NULL;
  return pf_arena_text(arena, slash + 1, strcspn(slash + 1, " \n"));
}

const char *const *representative_examples(const Fixture *f)
{
  enum { MOST = 200 };
  const char **names = pf_arena_array(f->arena, const char *, MOST), *text;
  size_t size;
  int count = 0;
  assert_non_null(names);
  assert_int_equal(pf_file_read(f->ctx, f->arena, PF_SOURCE_DIR "/tests/examples.txt", 1 << 20, &text, &size), PF_OK);
  for (size_t length; *text && count < MOST - 1; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    const char *name = listed_name(f->arena, text, length);
    if (name) names[count++] = name;
  }
  assert_true(count >= 40);
  names[count] = NULL;
  return names;
}

/* ---------------------------------------------------------------- allocators */

static bool refuses(const Counter *counter)
{
  if (!counter->fail_at) return false;
  return counter->fail_on ? counter->calls >= counter->fail_at : counter->calls == counter->fail_at;
}

static void *counting_resize(void *user, void *block, size_t size)
{
  Counter *counter = user;
  if (!size) {
    counter->live -= block != NULL;
    return pf_standard_resize(NULL, block, 0);
  }
  counter->calls++;
  if (refuses(counter)) {
    counter->refused++;
    return NULL;
  }
  void *result = pf_standard_resize(NULL, block, size);
  counter->live += result && !block;
  return result;
}

void counter_init(Counter *counter)
{
  *counter = (Counter){.allocator = {counting_resize, counter}};
}

static void fail_each(void (*attempt)(Counter *counter, void *user), void *user, bool fail_on)
{
  enum { MOST = 100000 };
  for (long n = 1;; n++) {
    Counter counter;
    counter_init(&counter);
    counter.fail_at = n;
    counter.fail_on = fail_on;
    attempt(&counter, user);
    if (counter.live) fail_msg("%ld blocks leak when request %ld is refused", counter.live, n);
    if (!counter.refused) return;
    if (n == MOST) fail_msg("more than %d requests for memory: take a smaller case", MOST);
  }
}

void fail_every_allocation(void (*attempt)(Counter *counter, void *user), void *user)
{
  fail_each(attempt, user, false);
  fail_each(attempt, user, true);
}
