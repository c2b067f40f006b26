/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdlib.h>

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

/* ---------------------------------------------------------------- allocators */

void make_test_folder(char path[200])
{
  const char *place = getenv("TMPDIR");
  int length = snprintf(path, 200, "%s/pfaff_test_XXXXXX", place && *place ? place : "/tmp");
  assert_in_range(length, 1, 199);
  assert_non_null(mkdtemp(path));
}

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
