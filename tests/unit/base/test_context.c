/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* ---------------------------------------------------------------- status */

static void every_status_has_a_text_of_its_own(void **state)
{
  (void)state;
  for (int i = PF_OK; i <= PF_ERR_CANCELLED; i++) {
    assert_true(strlen(pf_status_text((PfStatus)i)) > 0);
    for (int j = PF_OK; j < i; j++)
      assert_string_not_equal(pf_status_text((PfStatus)i), pf_status_text((PfStatus)j));
  }
  assert_string_equal(pf_status_text(PF_OK), "success");
}

static void a_status_that_does_not_exist_has_a_text_too(void **state)
{
  (void)state;
  assert_string_equal(pf_status_text((PfStatus)(PF_ERR_CANCELLED + 1)), "unknown status");
  assert_string_equal(pf_status_text((PfStatus)-1), "unknown status");
}

static void the_version_is_the_one_of_the_build(void **state)
{
  (void)state;
  assert_string_equal(pf_version(), PF_VERSION);
}

/* Numbers between -1 and 1 of which no two of the first thousands are equal, with the mean of an even distribution. */
static void arbitrary_numbers_fill_their_interval(void **state)
{
  (void)state;
  enum { COUNT = 2000 };
  double number[COUNT], sum = 0;
  for (int i = 0; i < COUNT; i++) {
    sum += number[i] = pf_arbitrary(i, i%3);
    assert_true(number[i] > -1 && number[i] < 1);
    for (int j = 0; j < i; j++) assert_true(number[i] < number[j] || number[i] > number[j]);
  }
  assert_near(sum/COUNT, 0, 0, 0.052); /* four standard deviations of the mean: 4/sqrt(3*2000) */
}

/* ---------------------------------------------------------------- diagnostics */

static void a_new_context_has_nothing_to_say(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_diagnostic_count(f->ctx), 0);
  assert_int_equal(pf_error_count(f->ctx), 0);
  assert_null(pf_diagnostic(f->ctx, 0));
  assert_string_equal(pf_context_message(f->ctx), "");
}

static void a_failure_returns_its_code_and_keeps_its_words(void **state)
{
  Fixture *f = *state;
  assert_int_equal(pf_fail(f->ctx, PF_ERR_NUMBER, "row %d of %s", 3, "A"), PF_ERR_NUMBER);

  const PfDiagnostic *d = pf_diagnostic(f->ctx, 0);
  assert_int_equal(pf_diagnostic_count(f->ctx), 1);
  assert_int_equal(d->code, PF_ERR_NUMBER);
  assert_int_equal(d->severity, PF_ERROR);
  assert_int_equal(d->place.line, 0);
  assert_string_equal(d->message, "row 3 of A");
  assert_null(d->hint);
}

static void the_texts_of_a_place_are_copied(void **state)
{
  Fixture *f = *state;
  char file[] = "snake.pf", line[] = "coord x, x";
  PfPlace place = {.file = file, .text = line, .line = 1, .column = 10, .length = 1};
  assert_int_equal(pf_fail_at(f->ctx, PF_ERR_NAME, place, "'x' is already a coordinate"), PF_ERR_NAME);
  file[0] = line[0] = '?';

  const PfDiagnostic *d = pf_diagnostic(f->ctx, 0);
  assert_string_equal(d->place.file, "snake.pf");
  assert_string_equal(d->place.text, "coord x, x");
  assert_int_equal(d->place.line, 1);
  assert_int_equal(d->place.column, 10);
  assert_int_equal(d->place.length, 1);
}

static void a_warning_is_no_error(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_MODEL, "first");
  pf_warn_at(f->ctx, (PfPlace){0}, "second");
  assert_int_equal(pf_diagnostic_count(f->ctx), 2);
  assert_int_equal(pf_error_count(f->ctx), 1);
  assert_int_equal(pf_diagnostic(f->ctx, 1)->severity, PF_WARNING);
  assert_string_equal(pf_context_message(f->ctx), "first"); /* the latest error, not the latest words */
}

static void a_hint_belongs_to_the_latest_diagnostic(void **state)
{
  Fixture *f = *state;
  pf_hint(f->ctx, "to nobody");
  pf_fail(f->ctx, PF_ERR_NAME, "one");
  pf_fail(f->ctx, PF_ERR_NAME, "two");
  pf_hint(f->ctx, "did you mean '%s'?", "v2");
  assert_null(pf_diagnostic(f->ctx, 0)->hint);
  assert_string_equal(pf_diagnostic(f->ctx, 1)->hint, "did you mean 'v2'?");
}

static void a_long_message_is_kept_whole(void **state)
{
  Fixture *f = *state;
  char words[20001];
  memset(words, 'w', sizeof words - 1);
  words[sizeof words - 1] = 0;
  pf_fail(f->ctx, PF_ERR_SYNTAX, "<%s>", words);
  assert_int_equal(strlen(pf_context_message(f->ctx)), sizeof words + 1);
}

static void words_of_the_user_are_no_format(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_NAME, "unknown name '%s'", "%s%n%d");
  assert_string_equal(pf_context_message(f->ctx), "unknown name '%s%n%d'");
}

static void an_attempt_that_fails_leaves_nothing_behind(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_MODEL, "before");
  PfStatus status = pf_fail(f->ctx, PF_ERR_NUMBER, "in the attempt");
  assert_int_equal(pf_end_attempt(f->ctx, 1, status), PF_OK);
  assert_int_equal(pf_diagnostic_count(f->ctx), 1);
  assert_string_equal(pf_context_message(f->ctx), "before");
  status = pf_fail(f->ctx, PF_ERR_MEMORY, "no more attempts");
  assert_int_equal(pf_end_attempt(f->ctx, 1, status), PF_ERR_MEMORY);
  assert_int_equal(pf_diagnostic_count(f->ctx), 2);
}

static void an_index_outside_gives_nothing(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_NAME, "one");
  assert_null(pf_diagnostic(f->ctx, -1));
  assert_null(pf_diagnostic(f->ctx, 1));
}

static void diagnostics_keep_their_order(void **state)
{
  Fixture *f = *state;
  for (int i = 0; i < 500; i++) pf_fail(f->ctx, PF_ERR_NAME, "number %d", i);
  for (int i = 0; i < 500; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "number %d", i);
    assert_string_equal(pf_diagnostic(f->ctx, i)->message, expected);
  }
}

static void clearing_forgets_everything(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_NAME, "one");
  pf_diagnostics_clear(f->ctx);
  assert_int_equal(pf_diagnostic_count(f->ctx), 0);
  assert_string_equal(pf_context_message(f->ctx), "");
  pf_fail(f->ctx, PF_ERR_NAME, "two");
  assert_string_equal(pf_context_message(f->ctx), "two");
}

static void cutting_forgets_the_end_only(void **state)
{
  Fixture *f = *state;
  for (int i = 0; i < 3; i++) pf_fail(f->ctx, PF_ERR_NAME, "number %d", i);
  pf_diagnostics_truncate(f->ctx, 7);
  pf_diagnostics_truncate(f->ctx, -1);
  assert_int_equal(pf_diagnostic_count(f->ctx), 3);
  pf_diagnostics_truncate(f->ctx, 1);
  assert_int_equal(pf_diagnostic_count(f->ctx), 1);
  assert_string_equal(pf_context_message(f->ctx), "number 0");
}

/* ---------------------------------------------------------------- life */

static void two_contexts_know_nothing_of_each_other(void **state)
{
  Fixture *f = *state;
  PfContext *other = pf_context_new(NULL);
  pf_fail(other, PF_ERR_NAME, "mine");
  assert_int_equal(pf_diagnostic_count(f->ctx), 0);
  assert_ptr_not_equal(pf_context_scratch(f->ctx), pf_context_scratch(other));
  pf_context_free(other);
}

/* The library knows the table by its name only; here it is a counter of releases. */
static void count_release(PfExprTable *table)
{
  ++*(int *)(void *)table;
}

static void the_expression_table_is_released_with_its_context(void **state)
{
  (void)state;
  int releases = 0;
  PfContext *ctx = pf_context_new(NULL);
  assert_null(pf_context_expr_table(ctx));
  pf_context_set_expr_table(ctx, (PfExprTable *)(void *)&releases, count_release);
  assert_ptr_equal(pf_context_expr_table(ctx), &releases);
  assert_int_equal(releases, 0);
  pf_context_free(ctx);
  assert_int_equal(releases, 1);
}

static void freeing_no_context_is_allowed(void **state)
{
  (void)state;
  pf_context_free(NULL);
}

static void use_context(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) {
    assert_true(counter->refused > 0);
    return;
  }
  assert_ptr_equal(pf_context_allocator(ctx)->user, counter);
  const PfPlace place = {.file = "a.pf", .text = "coord x", .line = 1, .column = 1, .length = 5};
  for (int i = 0; i < 40; i++) {
    /* the code is what the caller acts on: it survives even if there is no room for the words */
    assert_int_equal(pf_fail_at(ctx, PF_ERR_NAME, place, "%0300d", i), PF_ERR_NAME);
    pf_hint(ctx, "%0300d", i);
  }
  for (int i = 0; i < pf_diagnostic_count(ctx); i++) assert_non_null(pf_diagnostic(ctx, i)->message);
  assert_true(pf_diagnostic_count(ctx) == 40 || counter->refused);
  pf_context_free(ctx);
}

static void a_host_without_memory_loses_words_but_no_codes(void **state)
{
  (void)state;
  fail_every_allocation(use_context, NULL);
}

/* Says yes from the n-th time on. */
static bool count_down(void *user)
{
  int *left = user;
  return --*left <= 0;
}

static void a_request_to_stop_is_remembered_and_said_once(void **state)
{
  Fixture *f = *state;
  int left = 2;
  pf_context_set_cancel(f->ctx, count_down, &left);
  assert_false(pf_context_is_cancelled(f->ctx));
  assert_int_equal(pf_fail(f->ctx, PF_ERR_NUMBER, "before"), PF_ERR_NUMBER);
  assert_true(pf_context_is_cancelled(f->ctx));
  left = 100;
  assert_true(pf_context_is_cancelled(f->ctx));
  assert_int_equal(pf_fail(f->ctx, PF_ERR_NUMBER, "a consequence"), PF_ERR_CANCELLED);
  assert_int_equal(pf_fail_at(f->ctx, PF_ERR_SYNTAX, (PfPlace){0}, "another"), PF_ERR_CANCELLED);
  pf_hint(f->ctx, "advice for the consequence");
  assert_int_equal(pf_diagnostic_count(f->ctx), 2);
  assert_string_equal(pf_context_message(f->ctx), "stopped on request");
  assert_null(pf_diagnostic(f->ctx, 1)->hint);
  pf_context_set_cancel(f->ctx, NULL, NULL);
  assert_int_equal(pf_fail(f->ctx, PF_ERR_NUMBER, "after"), PF_ERR_NUMBER);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_status_has_a_text_of_its_own),
    cmocka_unit_test(a_status_that_does_not_exist_has_a_text_too),
    cmocka_unit_test(the_version_is_the_one_of_the_build),
    cmocka_unit_test(arbitrary_numbers_fill_their_interval),
    with_fixture(a_new_context_has_nothing_to_say),
    with_fixture(a_failure_returns_its_code_and_keeps_its_words),
    with_fixture(the_texts_of_a_place_are_copied),
    with_fixture(a_warning_is_no_error),
    with_fixture(a_hint_belongs_to_the_latest_diagnostic),
    with_fixture(a_long_message_is_kept_whole),
    with_fixture(words_of_the_user_are_no_format),
    with_fixture(an_attempt_that_fails_leaves_nothing_behind),
    with_fixture(an_index_outside_gives_nothing),
    with_fixture(diagnostics_keep_their_order),
    with_fixture(clearing_forgets_everything),
    with_fixture(cutting_forgets_the_end_only),
    with_fixture(a_request_to_stop_is_remembered_and_said_once),
    with_fixture(two_contexts_know_nothing_of_each_other),
    cmocka_unit_test(the_expression_table_is_released_with_its_context),
    cmocka_unit_test(freeing_no_context_is_allowed),
    cmocka_unit_test(a_host_without_memory_loses_words_but_no_codes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
