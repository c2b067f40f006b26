/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/json_read.h"

static PfJsonNode *read_text(Fixture *f, const char *text)
{
  PfJsonNode *root = NULL;
  return pf_json_read(f->ctx, f->arena, "text", text, strlen(text), &root) == PF_OK ? root : NULL;
}

static void values_are_read(void **state)
{
  const PfJsonNode *root = read_text(*state, " {\"a\": [1, -2.5e3, true, null, []], "
                                     "\"b\\u00e9\": \"x\\n\\\"\\ud83d\\ude00\"}\n");
  assert_non_null(root);
  const PfJsonNode *list = pf_json_member(root, "a");
  assert_int_equal(list->kind, PF_JSON_LIST);
  assert_near(list->child->number, 1, 0, 0);
  assert_near(list->child->next->number, -2500, 0, 0);
  assert_int_equal(list->child->next->next->kind, PF_JSON_BOOL);
  assert_int_equal(list->child->next->next->next->kind, PF_JSON_NULL);
  assert_null(list->child->next->next->next->next->child);
  assert_string_equal(pf_json_text(root, "b\xC3\xA9"), "x\n\"\xF0\x9F\x98\x80");
  assert_null(pf_json_text(root, "a"));
}

static void what_was_written_is_read_again(void **state)
{
  Fixture *f = *state;
  static const char words[] = "a\"b\\c\n\x1b\xE2\x80\xA8\xF3\xA0\x80\x81";
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(f->ctx));
  pf_json_open(&json, NULL, '{');
  pf_json_string(&json, words, words);
  pf_json_close(&json, '}');
  assert_string_equal(pf_json_text(read_text(f, pf_text_get(&json.text)), words), words);
  pf_json_free(&json);
}

static void what_is_none_is_refused(void **state)
{
  static const char *const texts[] = {"", "{", "[1,]", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"abc", "\"\\x\"", "\"\\u12\"",
                                      "\"\\ud800\"", "tru", "1 2", "]", "[1}", ".5", "nan", "\"\\u0000\""};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) assert_null(read_text(*state, texts[i]));
  char deep[200];
  memset(deep, '[', sizeof deep);
  deep[199] = 0;
  assert_null(read_text(*state, deep));
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(values_are_read), with_fixture(what_was_written_is_read_again),
                                     with_fixture(what_is_none_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
