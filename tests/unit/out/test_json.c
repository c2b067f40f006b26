/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of JSON: what no character can leave. */
#include "support.h"

#include "out/out.h"

#include <math.h>

static void strings_stay_between_their_quotes(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *bytes, *quoted;
  } cases[] = {{"x", "\"x\""},
               {"a\"b\\c", "\"a\\\"b\\\\c\""},
               {"\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\""},
               {"\xC2\x85", "\"\\u0085\""},                 /* next line, of C1 */
               {"\xE2\x80\xA8", "\"\\u2028\""},             /* ends a line in JavaScript */
               {"\xCE\xB8\xF0\x9F\x98\x80", "\"\xCE\xB8\xF0\x9F\x98\x80\""},
               {"\xFF" "a\xC3", "\"\\ufffda\\ufffd\""}};    /* not UTF-8 */
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfText text;
    pf_text_init(&text, pf_context_allocator(f->ctx));
    pf_put_quoted(&text, cases[i].bytes);
    assert_string_equal(pf_text_get(&text), cases[i].quoted);
    pf_text_free(&text);
  }
}

/* A tag of plane 14 is a pair in JSON (RFC 8259, 7), and nothing that Python could read as two characters. */
static void hidden_characters_are_pairs(void **state)
{
  Fixture *f = *state;
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(f->ctx));
  pf_json_string(&json, NULL, "a\xF3\xA0\x80\x81");
  assert_string_equal(pf_text_get(&json.text), "\"a\\udb40\\udc01\"");
  json.text.count = 0;
  pf_put_quoted(&json.text, "\xF3\xA0\x80\x81");
  assert_string_equal(pf_text_get(&json.text), "\"\\ufffd\"");
  pf_json_free(&json);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(strings_stay_between_their_quotes),
                                     with_fixture(hidden_characters_are_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
