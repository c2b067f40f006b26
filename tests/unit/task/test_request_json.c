/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as JSON: the values arrive, and each mistake has a message with the name of its setting. */
#include "support.h"

#include "task/request.h"

#define MODEL "\"text\": \"coord x [m]; param m = 2 [kg], k = 8 [N/m]; kinetic m*x'^2/2; potential k*x^2/2\""

static PfRequest *read_request(Fixture *f, const char *json)
{
  PfRequest *request = NULL;
  PfStatus status = pf_request_read(f->ctx, json, strlen(json), &request);
  if (status != PF_OK) fail_msg("%s: %s", json, pf_context_message(f->ctx));
  return request;
}

static void values_have_their_types(void **state)
{
  PfRequest *r = read_request(*state, "{\"param\": {\"m\": 0.1, \"k\": \"5 [N/m]\"}, \"task\": \"run\", "
                              "\"settings\": {\"for\": 2.5, \"step\": \"5 [ms]\", \"as-given\": true, \"by\": \"rk4\", "
                              "\"at\": [0, 0.1, 1e-3], \"adaptive\": false, \"rtol\": null, \"no_projection\": true}, "
                              "\"state\": {\"x'\": [1, 2], \"x\": null}, \"files\": [\"a.pf\"]}");
  assert_string_equal(pf_task_name(r->task), "run");
  assert_near(r->horizon, 2.5, 0, 0);
  assert_near(r->step, 0.005, 1e-15, 0);
  assert_true(r->as_given && r->drift && !r->adaptive && isnan(r->rtol));
  assert_string_equal(r->method, "rk4");
  assert_int_equal(r->time_count, 3);
  assert_near(r->times[1], 0.1, 0, 0);
  assert_int_equal(r->parameters.count, 2);
  assert_string_equal(r->parameters.at[0], "m=0.1");
  assert_string_equal(r->parameters.at[1], "k=5 [N/m]");
  assert_int_equal(r->state.count, 1);
  assert_string_equal(r->state.at[0], "x'=(1, 2)");
  assert_string_equal(r->files[0], "a.pf");
  pf_request_free(r);
}

static void texts_are_copied_and_lists_may_be_long(void **state)
{
  Fixture *f = *state;
  char json[] = "{\"task\": \"sweep\", \"settings\": {\"random\": [\"m ~ normal(5, 0.1)\", \"k ~ uniform(1, 2)\"], "
                "\"take\": \"max(x)\", \"members\": 10}, " MODEL ", \"name\": \"spring\\u00e9.pf\"}";
  PfRequest *r = read_request(f, json);
  memset(json, 'x', strlen(json));
  assert_int_equal(r->random.count, 2);
  assert_string_equal(r->random.at[1], "k ~ uniform(1, 2)");
  assert_string_equal(r->input_name, "spring\xC3\xA9.pf");
  assert_string_equal(r->files[0], "-");
  assert_memory_equal(r->input, "coord x", 7);
  assert_int_equal(r->input_size, strlen(r->input));
  pf_request_free(r);
}

/* k/m = 8/(2^2*0.5) = 4: the linear model has the eigenvalues +-2i. */
static void a_task_runs_by_it(void **state)
{
  PfRequest *r = read_request(*state, "{\"task\": \"linearize\", \"param\": {\"m\": 2}, " MODEL "}");
  PfReport *report;
  assert_int_equal(pf_task_run(NULL, r, NULL, &report), PF_OK);
  const PfValue *point = pf_value_item(pf_value_member(pf_report_values(report), "points"), 0);
  const PfValue *first = pf_value_item(pf_value_member(point, "eigenvalues"), 0);
  assert_near(fabs(pf_value_number(pf_value_member(first, "im"))), 2, 1e-12, 0);
  pf_report_free(report);
  pf_request_free(r);
}

/* A request that is refused; the diagnostic names the setting (NULL: it is not about one) and has the words. */
static const struct {
  const char *json, *setting, *words;
} wrong[] = {
  {"", NULL, "it ends too early"},
  {"{\"task\": \"run\"", NULL, "a bracket is not closed"},
  {"{\"task\": \"run\"} x", NULL, "something follows"},
  {"[1]", NULL, "a request is a JSON object"},
  {"null", NULL, "a request is a JSON object"},
  {"{}", NULL, "a request names its task"},
  {"{\"task\": 5}", NULL, "a request names its task"},
  {"{\"task\": \"fly\"}", NULL, "there is no task 'fly'"},
  {"{\"task\": \"run\", \"task\": \"check\"}", "task", "task was given twice"},
  {"{\"task\": \"run\", \"for\": 5}", NULL, "a request has no member 'for'"},
  {"{\"task\": \"run\", \"nonsense\": 5}", NULL, "a request has no member 'nonsense'"},
  {"{\"task\": \"run\", \"files\": \"a.pf\"}", NULL, "'files' is not a list of names"},
  {"{\"task\": \"run\", \"files\": [1]}", NULL, "'files' is not a list of names"},
  {"{\"task\": \"run\", \"files\": [\"a\", \"b\"]}", NULL, "takes at most 1 file"},
  {"{\"task\": \"run\", \"text\": 1}", NULL, "'text' is not a text"},
  {"{\"task\": \"run\", \"settings\": [1]}", NULL, "the settings are not an object"},
  {"{\"task\": \"run\", \"settings\": {\"stepp\": 1}}", "stepp", "there is no setting 'stepp'"},
  {"{\"task\": \"check\", \"settings\": {\"step\": 1}}", "step", "the task 'check' does not take step"},
  {"{\"task\": \"run\", \"settings\": {\"json\": true}}", "json", "there is no setting 'json'"},
  {"{\"task\": \"run\", \"settings\": {\"step\": true}}", "step", "step is a number, not a flag"},
  {"{\"task\": \"run\", \"settings\": {\"step\": \"fast\"}}", "step", "step"},
  {"{\"task\": \"run\", \"settings\": {\"step\": \"5 [kg]\"}}", "step", "kg"},
  {"{\"task\": \"run\", \"settings\": {\"step\": \" \"}}", "step", "step: the value is empty"},
  {"{\"task\": \"run\", \"settings\": {\"step\": 0}}", "step", "step: '0' is not a positive number"},
  {"{\"task\": \"run\", \"settings\": {\"step\": -1}}", "step", "step: '-1' is not a positive number"},
  {"{\"task\": \"run\", \"settings\": {\"step\": [1]}}", "step", "step is a number, not a list of numbers"},
  {"{\"task\": \"run\", \"settings\": {\"step\": {\"a\": 1}}}", "step", "step: the value is not a number, a text"},
  {"{\"task\": \"run\", \"settings\": {\"step\": 1e999}}", "step", "step: 'inf' is not a finite number"},
  {"{\"task\": \"run\", \"settings\": {\"time\": -1e999}}", "time", "time: '-inf' is not a finite number"},
  {"{\"task\": \"run\", \"settings\": {\"step\": NaN}}", "step", "step: 'request': line 1"},
  {"{\"task\": \"run\", \"settings\": {\"for\": 1, \"step\":\n -Infinity}}", "step", "step: 'request': line 2"},
  {"{\"task\": \"run\", \"settings\": {\"step\": 1e}}", "step", "'request': line 1"},
  {"{\"task\": \"run\", \"settings\": {\"step\": 0x10}}", "step", "'request': line 1"},
  {"{\"task\": \"run\", \"settings\": {\"by\": 4}}", "by", "by is a text, not a number"},
  {"{\"task\": \"run\", \"settings\": {\"by\": [\"rk4\"]}}", "by", "by: the value is not a list of numbers"},
  {"{\"task\": \"run\", \"settings\": {\"as-given\": \"yes\"}}", "as_given", "as_given is a flag, not a text"},
  {"{\"task\": \"run\", \"settings\": {\"as-given\": 1}}", "as_given", "as_given is a flag, not a number"},
  {"{\"task\": \"run\", \"settings\": {\"most-steps\": 2.5}}", "most_steps", "'2.5' is not a positive whole number"},
  {"{\"task\": \"run\", \"settings\": {\"rho\": 1.5}}", "rho", "'1.5' is not a number between 0 and 1"},
  {"{\"task\": \"run\", \"settings\": {\"step\": 1, \"step\": 2}}", "step", "step was given twice"},
  {"{\"task\": \"run\", \"settings\": {\"as-given\": false, \"as-given\": true}}", "as_given", "was given twice"},
  {"{\"task\": \"run\", \"settings\": {\"as-given\": true, \"as_given\": true, \"for\": 1, \"for\": 2}}", "for",
   "twice"},
  {"{\"task\": \"run\", \"settings\": {}, \"settings\": {}}", "settings", "settings was given twice"},
  {"{\"task\": \"run\", \"settings\": {\"at\": [1, \"2\"]}}", "at", "at: the value is not a list of numbers"},
  {"{\"task\": \"run\", \"settings\": {\"at\": [1, 1e400]}}", "at", "at: a time is not a finite number"},
  {"{\"task\": \"run\", \"settings\": {\"at\": [[1]]}}", "at", "at: the value is not a list of numbers"},
  {"{\"task\": \"sweep\", \"settings\": {\"random\": [1]}}", "random", "random: the value is not a list of texts"},
  {"{\"task\": \"sweep\", \"settings\": {\"random\": 1}}", "random", "random is a list of texts, not a number"},
  {"{\"task\": \"run\", \"settings\": {\"by\": \"\xff\"}}", "by", "by: the text is not UTF-8 from its byte 0 on"},
  {"{\"task\": \"run\", \"settings\": {\"show\": \"x, \xC3\"}}", "show",
   "show: the text is not UTF-8 from its byte 3 on"},
  {"{\"task\": \"run\", \"settings\": {\"by\": \"\\ud800\"}}", "by", "by: 'request': line 1"},
  {"{\"task\": \"run\", \"settings\": {\"by\": \"\\u0000\"}}", "by", "by: 'request': line 1"},
  {"{\"task\": \"run\", \"param\": 1}", "param", "param: the value is not an object with values by name"},
  {"{\"task\": \"run\", \"param\": {\"m\": true}}", "param",
   "param: the value of 'm' is not a number, a text or a list"},
  {"{\"task\": \"run\", \"param\": {\"m\": 1, \"m\": 2}}", "param", "param: 'm' was given twice"},
  {"{\"task\": \"run\", \"param\": {\"m\": NaN}}", "param", "param: 'request': line 1"},
  {"{\"task\": \"run\", \"param\": {\"m\": 1e999}}", "param", "param: 'm' is not finite"},
  {"{\"task\": \"run\", \"param\": {\"m\": [1, \"a\"]}}", "param", "the value of 'm' is not a list of numbers"},
  {"{\"task\": \"run\", \"param\": {\"\": 1}}", "param", "param: '' is not a name"},
  {"{\"task\": \"run\", \"param\": {\"m=1\": 1}}", "param", "param: 'm=1' is not a name"},
  {"{\"task\": \"run\", \"param\": {\"\xff\": 1}}", "param", "param: the text is not UTF-8"},
  {"{\"task\": \"run\", \"state\": {\"x\": \"\xff\"}}", "state", "state: the text is not UTF-8"},
  {"{\"task\": \"fmt\", \"param\": {\"m\": 1}}", "param", "the task 'fmt' does not take param"},
};

static void mistakes_name_their_setting(void **state)
{
  Fixture *f = *state;
  for (size_t i = 0; i < sizeof wrong/sizeof *wrong; i++) {
    PfRequest *r = NULL;
    int before = pf_diagnostic_count(f->ctx);
    assert_int_not_equal(pf_request_read(f->ctx, wrong[i].json, strlen(wrong[i].json), &r), PF_OK);
    assert_null(r);
    const PfDiagnostic *d = pf_diagnostic(f->ctx, before);
    assert_non_null(d);
    if (!wrong[i].setting != !d->setting || (d->setting && strcmp(d->setting, wrong[i].setting) != 0))
      fail_msg("%s: %s (%s)", wrong[i].json, d->message, d->setting);
    assert_contains(d->message, wrong[i].words);
  }
}

static void brackets_that_are_nested_deeply_are_refused(void **state)
{
  Fixture *f = *state;
  static const char head[] = "{\"task\": \"run\", \"settings\": {\"at\": ";
  enum { DEPTH = 100000 };
  char *json = test_malloc(sizeof head + DEPTH);
  PfRequest *r;
  memcpy(json, head, sizeof head - 1);
  memset(json + sizeof head - 1, '[', DEPTH);
  assert_int_equal(pf_request_read(f->ctx, json, sizeof head - 1 + DEPTH, &r), PF_ERR_SYNTAX);
  assert_contains(pf_context_message(f->ctx), "at: 'request': line 1");
  assert_contains(pf_context_message(f->ctx), "nested too deeply");
  assert_string_equal(pf_diagnostic(f->ctx, 0)->setting, "at");
  test_free(json);
}

/* The bytes of a request need not end with a zero. */
static void nothing_is_read_past_the_end(void **state)
{
  Fixture *f = *state;
  static const char whole[] = "{\"task\": \"run\", \"settings\": {\"for\": 12.5, \"by\": \"rk4\"}, "
                              "\"param\": {\"m\": [1, 2]}}";
  for (size_t count = 0; count + 1 < sizeof whole; count++) {
    PfRequest *r;
    char *bytes = test_malloc(count + 1);
    memcpy(bytes + 1, whole, count); /* it ends with the block: guards of the allocator and sanitizers find more */
    PfStatus status = pf_request_read(f->ctx, bytes + 1, count, &r);
    assert_true(status == PF_OK ? count + 1 == sizeof whole : status == PF_ERR_SYNTAX);
    pf_request_free(r);
    test_free(bytes);
  }
}

static void many_values_are_refused_in_words(void **state)
{
  Fixture *f = *state;
  PfText json;
  PfRequest *r;
  pf_text_init(&json, pf_context_allocator(f->ctx));
  pf_text_add(&json, "{\"task\": \"run\", \"param\": {");
  for (int i = 0; i < 100000; i++) pf_text_print(&json, "%s\"p%d\": 1", i ? ", " : "", i);
  pf_text_add(&json, "}}");
  assert_int_equal(pf_request_read(f->ctx, pf_text_get(&json), json.count, &r), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "param is given too often");
  pf_text_free(&json);
}

static void attempt(Counter *counter, void *user)
{
  static const char json[] = "{\"task\": \"run\", \"settings\": {\"for\": 1, \"at\": [1, 2], \"by\": \"rk4\"}, "
                             "\"param\": {\"m\": 3, \"k\": \"1\"}, " MODEL "}";
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfRequest *r = NULL;
  if (ctx) {
    PfStatus status = pf_request_read(ctx, json, sizeof json - 1, &r);
    assert_true(status == PF_OK || status == PF_ERR_MEMORY);
    assert_true(status == PF_OK || counter->refused);
    assert_int_equal(status == PF_OK, r != NULL);
  }
  pf_request_free(r);
  pf_context_free(ctx);
}

static void it_fails_cleanly_without_memory(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(values_have_their_types),
    with_fixture(texts_are_copied_and_lists_may_be_long),
    with_fixture(a_task_runs_by_it),
    with_fixture(mistakes_name_their_setting),
    with_fixture(brackets_that_are_nested_deeply_are_refused),
    with_fixture(nothing_is_read_past_the_end),
    with_fixture(many_values_are_refused_in_words),
    cmocka_unit_test(it_fails_cleanly_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
