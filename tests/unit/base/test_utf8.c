/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8, and what a terminal may see of them. */
#include "support.h"

#include "base/base.h"

#include <string.h>

/* Markus Kuhn's list of what a decoder must refuse, in short. */
static void characters_have_their_sizes(void **state)
{
  (void)state;
  static const struct {
    const char *bytes;
    uint32_t size;
  } cases[] = {
    {"a", 1},
    {"\xC3\xA9", 2},              /* é */
      {"\xE2\x82\xAC", 3},          /* € */
      {"\xF0\x9F\x99\x82", 4},      /* an emoji */
      {"\xF4\x8F\xBF\xBF", 4},      /* U+10FFFF, the last one */
      {"\xF4\x90\x80\x80", 0},      /* beyond it */
      {"\xC0\xAF", 0},              /* overlong */
      {"\xE0\x80\xAF", 0},          /* overlong */
      {"\xF0\x80\x80\xAF", 0},      /* overlong */
      {"\xED\xA0\x80", 0},          /* a surrogate */
      {"\x80", 0},                  /* starts in the middle */
      {"\xE2\x82", 0},              /* ends too early */
      {"\xE2\x28\xA1", 0},          /* wrong in the middle */
      {"\xFE", 0},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    assert_int_equal(pf_utf8_size(cases[i].bytes, strlen(cases[i].bytes)), cases[i].size);
  assert_int_equal(pf_utf8_size("", 0), 0);
}

static void characters_have_their_numbers(void **state)
{
  (void)state;
  assert_int_equal(pf_utf8_code("a", 1), 'a');
  assert_int_equal(pf_utf8_code("\xC3\xA9", 2), 0xE9);
  assert_int_equal(pf_utf8_code("\xE2\x82\xAC", 3), 0x20AC);
  assert_int_equal(pf_utf8_code("\xF4\x8F\xBF\xBF", 4), 0x10FFFF);
}

static void what_steers_a_terminal_is_escaped(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *bytes, *shown;
  } cases[] = {{"plain \xCE\xB8", "plain \xCE\xB8"},
               {"\x1b[2J", "\\x1b[2J"},
               {"a\rb\b\x7f", "a\\x0db\\x08\\x7f"},
               {"\xC2\x9B" "31m", "\\xc2\\x9b31m"},               /* CSI as one character of C1 */
               {"\x9b" "31m", "\\x9b31m"},                        /* and as a byte that is no UTF-8 */
               {"\xE2\x80\xAE" "abc", "\\xe2\\x80\\xaeabc"},      /* from right to left */
               {"tab\tline\n", "tab\tline\\x0a"}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfText text;
    pf_text_init(&text, pf_context_allocator(f->ctx));
    pf_text_add_escaped(&text, cases[i].bytes, strlen(cases[i].bytes), "\t");
    assert_string_equal(pf_text_get(&text), cases[i].shown);
    pf_text_free(&text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(characters_have_their_sizes),
    cmocka_unit_test(characters_have_their_numbers),
    with_fixture(what_steers_a_terminal_is_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
