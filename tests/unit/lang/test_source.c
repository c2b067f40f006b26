/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "lang/lex.h"

#include <stdlib.h>

/* The status of a text and, when it is bad, "line:column: message". */
static PfStatus read_source(Fixture *f, const char *bytes, size_t count, PfSource *source, char words[200])
{
  PfStatus status = pf_source_init(source, f->ctx, f->arena, "test.pf", bytes, count);
  const PfDiagnostic *last = pf_diagnostic(f->ctx, pf_diagnostic_count(f->ctx) - 1);
  if (status != PF_OK) snprintf(words, 200, "%d:%d: %s", last->place.line, last->place.column, last->message);
  return status;
}

static void lines_are_found_with_both_kinds_of_line_ends(void **state)
{
  Fixture *f = *state;
  PfSource source;
  const char *text = "one\ntwo\r\n\nfour";
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", text, strlen(text)), PF_OK);
  assert_int_equal(source.lines.count, 4);
  assert_string_equal(pf_source_place(&source, 1, 1, 1).text, "one");
  assert_string_equal(pf_source_place(&source, 2, 1, 1).text, "two");
  assert_string_equal(pf_source_place(&source, 3, 1, 1).text, "");
  assert_string_equal(pf_source_place(&source, 4, 2, 3).text, "four");
  assert_int_equal(pf_source_place(&source, 4, 2, 3).column, 2);
  assert_int_equal(pf_source_place(&source, 4, 2, 3).length, 3);
  pf_source_free(&source);
}

static void an_empty_text_has_one_empty_line(void **state)
{
  Fixture *f = *state;
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", "", 0), PF_OK);
  assert_int_equal(source.lines.count, 1);
  assert_string_equal(pf_source_place(&source, 1, 1, 1).text, "");
  assert_null(pf_source_place(&source, 0, 1, 1).text);
  assert_null(pf_source_place(&source, 7, 1, 1).text);
  pf_source_free(&source);
}

static void the_text_needs_no_zero_at_its_end(void **state)
{
  Fixture *f = *state;
  PfSource source;
  const char text[3] = {'a', 'b', 'c'};
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", text, 3), PF_OK);
  assert_string_equal(source.bytes, "abc");
  pf_source_free(&source);
}

static void a_byte_order_mark_is_skipped(void **state)
{
  Fixture *f = *state;
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", "\xEF\xBB\xBFmodel", 8), PF_OK);
  assert_string_equal(source.bytes, "model");
  pf_source_free(&source);
}

static void what_is_no_text_is_refused_with_place_and_byte(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *bytes;
    size_t count;
    const char *words, *hint;
  } cases[] = {
    {"coord x\n# M\xE4rz\n", 16, "2:4: the file is not UTF-8 text: byte 0xE4 does not belong here",
     "save the file as UTF-8"},
    {"\xC3\xA9\xC3\xA9 \xFF", 6, "1:4: the file is not UTF-8 text: byte 0xFF does not belong here",
     "save the file as UTF-8"},
    {"\xFF\xFEm\0", 4, "1:1: the file is UTF-16 text: it starts with byte 0xFF", "save it as UTF-8"},
    {"a\0b", 3, "1:2: control character 0x00 in the text", "delete it; is this really a text file?"},
    {"\n\nab\x1B[0m", 8, "3:3: control character 0x1B in the text", "delete it; is this really a text file?"},
    {"a\rb", 3, "1:2: control character 0x0D in the text", "delete it; is this really a text file?"},
    {"a\x7F", 2, "1:2: control character 0x7F in the text", "delete it; is this really a text file?"},
    {"# \xC2\x9B""2J", 6, "1:3: control character U+009B in the text", "delete it; is this really a text file?"},
    {"# \xE2\x80\xAE x", 7, "1:3: control character U+202E in the text", "delete it; is this really a text file?"},
    {"# \xE2\x81\xA6 x", 7, "1:3: control character U+2066 in the text", "delete it; is this really a text file?"},
    {"ab\xE2\x82", 4, "1:3: the file is not UTF-8 text: byte 0xE2 does not belong here", "save the file as UTF-8"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfSource source;
    char words[200];
    assert_int_equal(read_source(f, cases[i].bytes, cases[i].count, &source, words), PF_ERR_SYNTAX);
    assert_string_equal(words, cases[i].words);
    assert_string_equal(pf_diagnostic(f->ctx, (int)i)->hint, cases[i].hint);
    assert_int_equal(pf_diagnostic_count(f->ctx), (int)i + 1);
    pf_source_free(&source);
  }
}

static void the_quoted_line_can_always_be_printed(void **state)
{
  Fixture *f = *state;
  PfSource source;
  char words[200];
  assert_int_equal(read_source(f, "caf\xE9 \x01 \xC3\xA9", 9, &source, words), PF_ERR_SYNTAX);
  assert_string_equal(pf_diagnostic(f->ctx, 0)->place.text, "caf? ? \xC3\xA9");
  pf_source_free(&source);
}

static void a_very_long_line_is_quoted_in_part_or_not_at_all(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000 };
  char *text = malloc(COUNT);
  assert_non_null(text);
  memset(text, 'x', COUNT);
  memcpy(text + 499, "\xC3\xA9", 2); /* lies across the cut */
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", text, COUNT), PF_OK);
  free(text);
  assert_int_equal(strlen(pf_source_place(&source, 1, 10, 1).text), 499);
  assert_null(pf_source_place(&source, 1, 50000, 1).text);
  assert_int_equal(pf_source_place(&source, 1, 50000, 1).column, 50000);
  pf_source_free(&source);
}

static void a_text_beyond_the_limit_is_refused(void **state)
{
  Fixture *f = *state;
  size_t count = (size_t)50 << 20;
  char *text = malloc(count);
  assert_non_null(text);
  memset(text, ' ', count);
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "big.pf", text, count), PF_ERR_LIMIT);
  assert_string_equal(pf_context_message(f->ctx), "big.pf has 52428800 bytes, more than the limit of 16 MB");
  pf_source_free(&source);
  free(text);
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (ctx && arena) {
    PfSource source;
    PfStatus status = pf_source_init(&source, ctx, arena, "test.pf", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", 20);
    assert_int_equal(status, counter->refused ? PF_ERR_MEMORY : PF_OK);
    pf_source_free(&source);
  }
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void without_memory_it_fails_cleanly(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(lines_are_found_with_both_kinds_of_line_ends),
    with_fixture(an_empty_text_has_one_empty_line),
    with_fixture(the_text_needs_no_zero_at_its_end),
    with_fixture(a_byte_order_mark_is_skipped),
    with_fixture(what_is_no_text_is_refused_with_place_and_byte),
    with_fixture(the_quoted_line_can_always_be_printed),
    with_fixture(a_very_long_line_is_quoted_in_part_or_not_at_all),
    with_fixture(a_text_beyond_the_limit_is_refused),
    cmocka_unit_test(without_memory_it_fails_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
