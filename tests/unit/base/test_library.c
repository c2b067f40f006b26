/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"
#include "support.h"

#include <stdlib.h>

#define FUNCTIONS(USE) USE(atoi) USE(strlen)

typedef struct Strings {
  FUNCTIONS(PF_LIBRARY_MEMBER)
  int (*no_such_function)(void);
} Strings;

static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME) "no_such_function"};

static const char file[] = "libc.so.6"; /* where it has another name these tests are skipped */

static void must_not_be_called(const void *functions)
{
  (void)functions;
  fail();
}

static void functions_are_found_by_their_names(void **state)
{
  Fixture *f = *state;
  const PfLibrary library = {file, names, 3, 2, must_not_be_called}; /* it is loaded already */
  const void *functions, *again;
  if (pf_library_open(f->ctx, &library, &functions) != PF_OK) skip();
  const Strings *strings = functions;
  assert_int_equal(strings->atoi("17"), 17);
  assert_int_equal(strings->strlen("abc"), 3);
  assert_true(strings->no_such_function == NULL);
  assert_int_equal(pf_library_open(f->ctx, &library, &again), PF_OK);
  assert_ptr_equal(again, functions);
}

static void a_function_that_must_be_there_is_missed(void **state)
{
  Fixture *f = *state;
  const PfLibrary all = {file, names, 3, 3, NULL};
  const void *functions;
  assert_int_equal(pf_library_require(f->ctx, &all, "reading needs it", &functions), PF_ERR_MISSING);
  assert_null(functions);
  assert_contains(pf_context_message(f->ctx), "reading needs it, which cannot be loaded: ");
}

static void a_library_that_is_not_there_is_no_error_for_those_who_can_do_without(void **state)
{
  Fixture *f = *state;
  const PfLibrary library = {"libpfaff_none.so.1", names, 3, 0, NULL};
  const void *functions;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pf_library_open(f->ctx, &library, &functions), PF_ERR_MISSING);
    assert_null(functions);
  }
  assert_int_equal(pf_diagnostic_count(f->ctx), 0);
  assert_int_equal(pf_library_require(f->ctx, &library, "it is needed", &functions), PF_ERR_MISSING);
  assert_contains(pf_context_message(f->ctx), "libpfaff_none.so.1");
}

static void open_both(Counter *counter, void *user)
{
  (void)user;
  const PfLibrary none = {"libpfaff_none.so.1", names, 3, 2, NULL}, library = {file, names, 3, 2, NULL};
  const void *functions;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfStatus first = pf_library_open(ctx, &none, &functions), second = pf_library_open(ctx, &library, &functions);
  assert_true(first == PF_ERR_MISSING || (first == PF_ERR_MEMORY && counter->refused));
  assert_true(second != PF_ERR_MEMORY || counter->refused);
  pf_context_free(ctx);
}

static void a_host_without_memory_gets_no_library(void **state)
{
  (void)state;
  fail_every_allocation(open_both, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(functions_are_found_by_their_names),
    with_fixture(a_function_that_must_be_there_is_missed),
    with_fixture(a_library_that_is_not_there_is_no_error_for_those_who_can_do_without),
    cmocka_unit_test(a_host_without_memory_gets_no_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
