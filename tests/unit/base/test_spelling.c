/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spelling.h"
#include "support.h"

/* ---------------------------------------------------------------- a spelling that shows what it was given */

static void put_setting(PfText *text, const char *name, const char *value)
{
  pf_text_print(text, "<%s|%s>", name, value ? value : "");
}

static void put_task(PfText *text, const char *name, const char *words, const char *settings, bool quoted)
{
  pf_text_print(text, "%s(%s|%s|%s)", quoted ? "task" : "call", name, words, settings);
}

static const PfSpelling plain = {put_setting, put_task};

static const char *message(Fixture *f)
{
  return pf_diagnostic(f->ctx, pf_diagnostic_count(f->ctx) - 1)->message;
}

static const char *setting(Fixture *f)
{
  return pf_diagnostic(f->ctx, pf_diagnostic_count(f->ctx) - 1)->setting;
}

/* ---------------------------------------------------------------- tests */

static void programs_in_c_read_plain_names(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "@step has no effect, @step{%g} neither: see @task{run}", 0.5);
  assert_string_equal(message(f), "step has no effect, step = 0.5 neither: see the task 'run'");
  pf_hint(f->ctx, "@task{run @out{%s.csv} MODEL} writes @p{m=1}", "x");
  assert_string_equal(pf_diagnostic(f->ctx, 0)->hint, "the task 'run' with out = x.csv writes param = m=1");
  assert_string_equal(setting(f), "step");
}

static void tokens_are_spelled_by_the_context(void **state)
{
  Fixture *f = *state;
  pf_context_set_spelling(f->ctx, &plain);
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "%d of @at lie beyond %s", 3, "the end");
  assert_string_equal(message(f), "3 of <at|> lie beyond the end");
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "@task{sweep @resume{%s} @part{%d/%d} now}, @call{plot}", "a.zarr", 1, 2);
  assert_string_equal(message(f),
                      "task(sweep| <resume|a.zarr> <part|1/2> now|<resume|a.zarr>, <part|1/2>), call(plot||)");
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "{ step = %d } @@ 100%% @ @step{}", 1);
  assert_string_equal(message(f), "{ step = 1 } @ 100% @ <step|>");
}

static void a_name_may_be_an_argument(void **state)
{
  Fixture *f = *state;
  pf_context_set_spelling(f->ctx, &plain);
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "@%s: wrong", "state x=1 [m]");
  assert_string_equal(message(f), "<state|x=1 [m]>: wrong");
  assert_string_equal(setting(f), "state");
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "@%.*s and @%s{%s}", 4, "rtol atol", "most-steps", "3");
  assert_string_equal(message(f), "<rtol|> and <most_steps|3>");
  assert_string_equal(setting(f), "rtol");
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "@%s: wrong", " m=1..2");
  assert_string_equal(message(f), "m=1..2: wrong");
  assert_null(setting(f));
}

static void letters_have_whole_names(void **state)
{
  Fixture *f = *state;
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "@p{m=1}: wrong");
  assert_string_equal(message(f), "param = m=1: wrong");
  assert_string_equal(setting(f), "param");
}

static void arguments_are_not_looked_at(void **state)
{
  Fixture *f = *state;
  pf_context_set_spelling(f->ctx, &plain);
  pf_fail(f->ctx, PF_ERR_ARGUMENT, "%s @by{%s} %s", "@step{1}", "@task{run}}", "@@");
  assert_string_equal(message(f), "@step{1} <by|@task{run}}> @@");
  pf_warn_at(f->ctx, (PfPlace){.setting = "show"}, "%s", "@step");
  assert_string_equal(message(f), "@step");
  assert_string_equal(setting(f), "show");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(programs_in_c_read_plain_names),
    with_fixture(tokens_are_spelled_by_the_context),
    with_fixture(a_name_may_be_an_argument),
    with_fixture(letters_have_whole_names),
    with_fixture(arguments_are_not_looked_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
