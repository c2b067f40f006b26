/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test needs: cmocka with its headers, a fixture, numbers that are near, and allocators
 * that count and fail. */
#ifndef PF_TESTS_SUPPORT_H
#define PF_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- cases */

/* Programs run those of their cases whose name matches the pattern in the environment variable PFAFF_CASE, with *
 * and ?; all of them without it. `make check CASE=name` sets it. */
void choose_cases(void);
#undef cmocka_run_group_tests
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, cases, set_up, tear_down) \
  (choose_cases(), _cmocka_run_group_tests(name, cases, sizeof(cases)/sizeof *(cases), set_up, tear_down))
#define cmocka_run_group_tests(cases, set_up, tear_down) cmocka_run_group_tests_name(#cases, cases, set_up, tear_down)

/* ---------------------------------------------------------------- fixture */

/* A context and an arena, fresh for every test: cmocka_unit_test_setup_teardown(test, setup, teardown),
 * or with_fixture(test) for short. */
typedef struct Fixture {
  PfContext *ctx;
  PfArena *arena;
} Fixture;

int setup(void **state);
int teardown(void **state);
#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* For tests of what only the exact normal form can do: the shortest text of an equation. */
#ifdef PF_HAVE_FLINT
#define needs_shortest_forms() ((void)0)
#else
#define needs_shortest_forms() skip()
#endif

/* ---------------------------------------------------------------- numbers */

/* Fails unless |a - b| <= atol + rtol*|b|, b being the number that is expected; prints both with 17 digits.
 * Equal infinities are near, a NaN is near nothing. */
#define assert_near(a, b, rtol, atol) \
  assert_near_at((a), (b), (rtol), (atol), #a, #b, __FILE__, __LINE__)
void assert_near_at(double a, double b, double rtol, double atol, const char *a_text, const char *b_text,
                    const char *file, int line);

/* Fails unless the text holds the part; prints both. */
#define assert_contains(text, part) assert_contains_at((text), (part), __FILE__, __LINE__)
void assert_contains_at(const char *text, const char *part, const char *file, int line);

/* ---------------------------------------------------------------- files */

/* A new folder where temporary files go; whoever asks removes it. */
void make_test_folder(char path[200]);

enum { EXAMPLE_PATH = 1024 };

/* Where examples/<family>/<name>.pf is; fails the test when there is none. */
void find_example(const char *name, char path[EXAMPLE_PATH]);

/* The names in tests/examples.txt, models of every kind, for tests that would take too long on all examples; NULL at
 * the end. */
const char *const *representative_examples(const Fixture *f);

/* ---------------------------------------------------------------- allocators */

/* Counts what goes through it, and may refuse. Only requests for memory count as calls, never frees. */
typedef struct Counter {
  PfAllocator allocator; /* hand this to the library */
  long calls;            /* requests so far, refused ones too */
  long live;             /* blocks that are not freed yet */
  long fail_at;          /* the request to refuse, counting from 1; 0 = none */
  bool fail_on;          /* refuse all later requests as well */
  long refused;
} Counter;

/* The allocator in the counter points to the counter: it must stay where it is. */
void counter_init(Counter *counter);

/* Runs the attempt again and again, with its first, second, third … request refused, until one run needs
 * fewer; and all of this twice: with only that request refused, and with all later ones too. The attempt
 * checks its own results (counter->refused says whether there was a refusal) and frees what it made; a
 * block that stays behind fails the test. */
void fail_every_allocation(void (*attempt)(Counter *counter, void *user), void *user);

#endif
