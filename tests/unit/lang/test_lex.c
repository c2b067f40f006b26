/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "lang/lex.h"

#include <stdlib.h>

/* All tokens of a text, separated by blanks, with what the kind alone does not tell. */
static const char *tokens(Fixture *f, const char *bytes, PfComments comments)
{
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", bytes, strlen(bytes)), PF_OK);
  PfLexer lexer;
  pf_lexer_init(&lexer, &source, comments);
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  for (PfToken token = pf_lexer_next(&lexer); token.kind != PF_T_END; token = pf_lexer_next(&lexer)) {
    static const char *const marks[PF_T_COUNT] = {
      [PF_T_NAME] = "name:",     [PF_T_KEYWORD] = "keyword:", [PF_T_CLAUSE] = "clause:", [PF_T_AND] = "operator:",
      [PF_T_OR] = "operator:",   [PF_T_NOT] = "operator:",    [PF_T_NUMBER] = "number:", [PF_T_STRING] = "string:",
      [PF_T_UNIT] = "unit:",     [PF_T_COMMENT] = "comment:", [PF_T_BAD] = "bad:",       [PF_T_LBRACKET] = "index:",
    };
    const char *mark = marks[token.kind] ? marks[token.kind] : "";
    pf_text_print(&text, "%s%s%.*s", text.count ? " " : "", mark, (int)token.size, source.bytes + token.start);
  }
  pf_source_free(&source);
  const char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return copy;
}

static void assert_tokens(Fixture *f, const char *bytes, const char *expected)
{
  assert_string_equal(tokens(f, bytes, PF_SKIP_COMMENTS), expected);
}

static void words_are_names_or_words_of_the_language(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "x _a1 theta_b Model", "name:x name:_a1 name:theta_b name:Model");
  assert_tokens(f, "model mode models", "keyword:model name:mode name:models");
  assert_tokens(f, "when in at turn", "keyword:when clause:in clause:at name:turn");
  assert_tokens(f, "a and b or not c", "name:a operator:and name:b operator:or operator:not name:c");
  assert_true(pf_is_keyword("constraint"));
  assert_true(pf_is_keyword("detach"));
  assert_false(pf_is_keyword("at"));
  assert_false(pf_is_keyword("constrain"));
  assert_false(pf_is_keyword(""));
}

static void numbers_have_all_their_forms(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "12 0.5 .5 1e-3 2.5E+4 1. 7e2",
                "number:12 number:0.5 number:.5 number:1e-3 number:2.5E+4 number:1. number:7e2");
}

static void the_dots_of_a_range_are_not_part_of_its_numbers(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "1..3", "number:1 .. number:3");
  assert_tokens(f, "1...5", "number:1 .. number:.5");
  assert_tokens(f, "1.5..n", "number:1.5 .. name:n");
  assert_tokens(f, "a.b..c", "name:a . name:b .. name:c");
}

static void a_number_that_runs_into_a_name_is_bad(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "2x 3.5kg 1e 2e+ 0x1F", "bad:2x bad:3.5kg bad:1e bad:2e + bad:0x1F");
}

static void a_square_bracket_is_an_index_only_directly_after_a_name(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "psi[3] [rad]", "name:psi index:[ number:3 ] unit:[rad]");
  assert_tokens(f, "psi[3][rad]", "name:psi index:[ number:3 ] unit:[rad]");
  assert_tokens(f, "x [kg m^2], 6[%]", "name:x unit:[kg m^2] , number:6 unit:[%]");
  assert_tokens(f, "roll[i]:", "keyword:roll index:[ name:i ] :");
  assert_tokens(f, "a [m\nb", "name:a bad:[m name:b");
}

static void strings_stay_in_their_line(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "\"a # b\" x", "string:\"a # b\" name:x");
  assert_tokens(f, "\"say \\\"no\\\"\" \"back\\\\\"", "string:\"say \\\"no\\\"\" string:\"back\\\\\"");
  assert_tokens(f, "\"open\nx", "bad:\"open name:x");
  assert_tokens(f, "\"open\\\"", "bad:\"open\\\"");
}

static void signs_are_read_as_long_as_possible(void **state)
{
  Fixture *f = *state;
  assert_tokens(f, "<=<>=>===!;:{}(),'", "<= < >= >= == ! ; : { } ( ) , '");
  assert_tokens(f, "x''", "name:x ' '");
  assert_tokens(f, "** := != && || & |", "bad:** bad::= bad:!= bad:&& bad:|| bad:& bad:|");
}

static void comments_are_skipped_or_kept(void **state)
{
  Fixture *f = *state;
  assert_string_equal(tokens(f, "a # one\n# two\r\nb", PF_SKIP_COMMENTS), "name:a name:b");
  assert_string_equal(tokens(f, "a # one\n# two\r\nb", PF_KEEP_COMMENTS), "name:a comment:# one comment:# two name:b");
}

static void tokens_know_their_places_in_characters(void **state)
{
  Fixture *f = *state;
  const char *text = "\"\xC3\xA9\" x\n\n\t# \xC3\xA9\n yy\n\n";
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", text, strlen(text)), PF_OK);
  PfLexer lexer;
  pf_lexer_init(&lexer, &source, PF_SKIP_COMMENTS);
  static const struct {
    uint32_t line, column, length, newlines;
  } expected[] = {{1, 1, 3, 0}, {1, 5, 1, 0}, {4, 2, 2, 2}, {4, 4, 0, 2}, {4, 4, 0, 0}};
  for (size_t i = 0; i < sizeof expected/sizeof *expected; i++) {
    PfToken token = pf_lexer_next(&lexer);
    assert_int_equal(token.line, expected[i].line);
    assert_int_equal(token.column, expected[i].column);
    assert_int_equal(token.length, expected[i].length);
    assert_int_equal(token.newlines, expected[i].newlines);
  }
  pf_source_free(&source);
}

static void units_lose_their_extra_blanks(void **state)
{
  Fixture *f = *state;
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", "[ kg \t m^2 ]", 12), PF_OK);
  PfLexer lexer;
  pf_lexer_init(&lexer, &source, PF_SKIP_COMMENTS);
  PfToken token = pf_lexer_next(&lexer);
  assert_string_equal(pf_token_unit(&source, &token), "kg m^2");
  pf_source_free(&source);
}

static void what_is_bad_is_explained(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *text, *message, *hint;
  } cases[] = {
    {"2x", "the number 2 runs into the name 'x'", "write 2*x for the product"},
    {"2.x", "the number 2. runs into the name 'x'", "write 2*x for the product"},
    {"\"abc", "the text that starts here has no closing quote in this line", NULL},
    {"[kg", "the unit that starts here has no closing ']' in this line",
     "an index follows its name without a blank: psi[1]"},
    {"**", "'**' has no meaning here", "a power is written with ^, for example x^2"},
    {":=", "':=' has no meaning here", "to define a name write: let x = …"},
    {"&&", "'&&' has no meaning here", "write: and"},
    {"||", "'||' has no meaning here", "write: or"},
    {"!=", "'!=' has no meaning here", "write: not (a == b)"},
    {"%", "'%' has no meaning here", "a comment starts with #"},
    {"\u2019", "'\u2019' has no meaning here", "a time derivative is written with a straight apostrophe: x'"},
    {"\u2212", "'\u2212' has no meaning here", "write an ordinary minus sign: -"},
    {"\u03B8", "'\u03B8' has no meaning here",
     "names are made of the letters a-z and A-Z, digits and _, for example theta_1"},
    {"\u00A0", "a special blank (U+00A0) in the text",
     "replace it by an ordinary blank; it often comes from a web page or a word processor"},
    {"$", "'$' has no meaning here", NULL},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfSource source;
    pf_diagnostics_clear(f->ctx);
    assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", cases[i].text, strlen(cases[i].text)), PF_OK);
    PfLexer lexer;
    pf_lexer_init(&lexer, &source, PF_SKIP_COMMENTS);
    PfToken token = pf_lexer_next(&lexer);
    assert_int_equal(token.kind, PF_T_BAD);
    assert_int_equal(pf_lex_report(&source, &token), PF_ERR_SYNTAX);
    const PfDiagnostic *said = pf_diagnostic(f->ctx, 0);
    assert_string_equal(said->message, cases[i].message);
    if (cases[i].hint) assert_string_equal(said->hint, cases[i].hint);
    else assert_null(said->hint);
    assert_int_equal(said->place.line, 1);
    assert_int_equal(said->place.column, 1);
    pf_source_free(&source);
  }
}

static void misspelt_keywords_find_their_neighbour(void **state)
{
  (void)state;
  assert_string_equal(pf_nearest_keyword("constrain"), "constraint");
  assert_string_equal(pf_nearest_keyword("kintetic"), "kinetic");
  assert_string_equal(pf_nearest_keyword("coords"), "coord");
  assert_string_equal(pf_nearest_keyword("prarm"), "param");
  assert_null(pf_nearest_keyword("banana"));
  assert_null(pf_nearest_keyword("x"));
}

/* Random bytes, half of them from the alphabet of the language: every byte is read once, none is lost. */
static void random_text_is_cut_into_tokens_without_gaps(void **state)
{
  Fixture *f = *state;
  static const char alphabet[] = "abx_019.eE+-*/^'\"[](){}<>=!;:,#\n\r\t  \\&|%\xC3\xA9";
  uint32_t random = 12345;
  for (int round = 0; round < 2000; round++) {
    char text[80];
    size_t count = 0;
    while (count < sizeof text) {
      random = random*1664525u + 1013904223u;
      text[count++] = alphabet[(random >> 16)%(sizeof alphabet - 1)];
    }
    PfSource source;
    if (pf_source_init(&source, f->ctx, f->arena, "test.pf", text, count) == PF_OK) {
      PfLexer lexer;
      pf_lexer_init(&lexer, &source, PF_KEEP_COMMENTS);
      uint32_t end = 0;
      for (PfToken token = pf_lexer_next(&lexer); token.kind != PF_T_END; token = pf_lexer_next(&lexer)) {
        assert_true(token.size > 0);
        for (uint32_t i = end; i < token.start; i++) assert_non_null(strchr(" \t\r\n", text[i]));
        end = token.start + token.size;
      }
      assert_true(end <= count);
    }
    pf_source_free(&source);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(words_are_names_or_words_of_the_language),
    with_fixture(numbers_have_all_their_forms),
    with_fixture(the_dots_of_a_range_are_not_part_of_its_numbers),
    with_fixture(a_number_that_runs_into_a_name_is_bad),
    with_fixture(a_square_bracket_is_an_index_only_directly_after_a_name),
    with_fixture(strings_stay_in_their_line),
    with_fixture(signs_are_read_as_long_as_possible),
    with_fixture(comments_are_skipped_or_kept),
    with_fixture(tokens_know_their_places_in_characters),
    with_fixture(units_lose_their_extra_blanks),
    with_fixture(what_is_bad_is_explained),
    cmocka_unit_test(misspelt_keywords_find_their_neighbour),
    with_fixture(random_text_is_cut_into_tokens_without_gaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
