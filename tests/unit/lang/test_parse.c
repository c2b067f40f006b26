/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <stdlib.h>

/* All messages as "line:column message", one per line. */
static const char *messages(Fixture *f)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  for (int i = 0; i < pf_diagnostic_count(f->ctx); i++) {
    const PfDiagnostic *said = pf_diagnostic(f->ctx, i);
    pf_text_print(&text, "%d:%d %s\n", said->place.line, said->place.column, said->message);
  }
  const char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return copy;
}

/* `before`, then `piece` `count` times, then `after`. */
static char *repeated(const char *before, const char *piece, size_t count, const char *after, size_t *size)
{
  size_t length = strlen(piece);
  *size = strlen(before) + count*length + strlen(after);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  char *at = text + strlen(before);
  strcpy(text, before);
  for (size_t i = 0; i < count; i++, at += length) memcpy(at, piece, length + 1);
  strcpy(at, after);
  return text;
}

/* ---------------------------------------------------------------- whole files */

static void a_file_without_statements_is_an_empty_block(void **state)
{
  Fixture *f = *state;
  assert_parsed(f, "", "");
  assert_parsed(f, "\n  # nothing\n\n;;", "");
}

static void windows_line_ends_and_tabs_are_blanks(void **state)
{
  Fixture *f = *state;
  assert_parsed(f, "coord\tx\r\nkinetic x\r\n\t+ y\r\n", "(declare coord (item x)) (energy kinetic (+ x y))");
}

static void nodes_know_their_places(void **state)
{
  Fixture *f = *state;
  const char *text = "coord \xC3\xA9\n"; /* a bad one first, to see that columns count characters */
  PfNode *tree;
  assert_int_equal(parse_bytes(f, text, strlen(text), &tree), PF_ERR_SYNTAX);
  assert_string_equal(messages(f), "1:7 '\xC3\xA9' has no meaning here\n");

  text = "\nkinetic m/2*(x'^2 + y'^2) - sin(a)\n  + 3";
  assert_int_equal(parse_bytes(f, text, strlen(text), &tree), PF_OK);
  const PfNode *energy = tree->child, *sum = energy->child, *first = sum->child;
  assert_int_equal(energy->line, 2);
  assert_int_equal(energy->column, 1);
  assert_int_equal(energy->length, 7); /* the keyword */
  assert_int_equal(sum->column, 9);
  assert_int_equal(sum->length, 1); /* it goes on in the next line: its first token */
  assert_int_equal(first->column, 9);
  assert_int_equal(first->length, 17); /* with the bracket that closes it */
  assert_int_equal(first->next->column, 29);
  assert_int_equal(first->next->length, 6);
  assert_int_equal(first->next->next->line, 3);
  assert_int_equal(first->next->next->column, 5);
}

static void equal_names_share_their_text(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  assert_int_equal(parse_bytes(f, "kinetic x*x", 11, &tree), PF_OK);
  const PfNode *first = tree->child->child->child;
  assert_ptr_equal(first->child->text, first->next->child->text);
}

/* ---------------------------------------------------------------- several errors */

static void all_errors_of_a_file_are_reported(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  const char *text = "coords x\n"
                     "param m = 6 [kg]\n"
                     "kinetic (m/2*x'^2\n"
                     "potential 2x + 3y\n"
                     "body b in ground {\n"
                     "  mass , inertia 3\n"
                     "}\n"
                     "for i in 1..3 {\n"
                     "  constraint x y = 3\n"
                     "  fro j in 1..2 { coord z }\n"
                     "  plot x\n"
                     "}\n"
                     "plot y\n";
  assert_int_equal(parse_bytes(f, text, strlen(text), &tree), PF_ERR_SYNTAX);
  assert_string_equal(messages(f),
                      "1:1 'coords' is not a statement\n"
                      "3:18 expected ')' to close the '(' of line 3, found the next statement\n"
                      "4:11 the number 2 runs into the name 'x'\n"
                      "6:8 expected a number, a name or '(' after 'mass', found ','\n"
                      "9:16 expected '=' and the other side of the constraint, found 'y'\n"
                      "10:3 'fro' is not a statement\n");
  assert_string_equal(tree_text(f, tree), "(declare param (item m (value (unit kg 6)))) "
                                          "(for i (.. 1 3) (block (plot plot x))) (plot plot y)");
}

static void a_wrong_statement_takes_its_own_block_with_it(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  const char *text = "bdy b in ground\n  at (1, 2, 3)\n  turn a about z\n{\n  mass m\n}\nplot x; fli; plot y";
  assert_int_equal(parse_bytes(f, text, strlen(text), &tree), PF_ERR_SYNTAX);
  assert_string_equal(messages(f), "1:1 'bdy' is not a statement\n7:9 'fli' is not a statement\n");
  assert_string_equal(tree_text(f, tree), "(plot plot x) (plot plot y)");
}

static void every_open_brace_is_named_at_the_end_of_the_file(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  const char *text = "part a() {\n  for i in 1..3 {\n    coord x\n\n\n";
  assert_int_equal(parse_bytes(f, text, strlen(text), &tree), PF_ERR_SYNTAX);
  assert_string_equal(messages(f), "3:12 expected '}' to close the '{' of line 2, found the end of the file\n"
                                   "3:12 expected '}' to close the '{' of line 1, found the end of the file\n");
}

static void after_twenty_errors_the_parser_stops_with_a_note(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  size_t size;
  char *text = repeated("", "banana\n", 100, "", &size);
  assert_int_equal(parse_bytes(f, text, size, &tree), PF_ERR_SYNTAX);
  assert_int_equal(pf_error_count(f->ctx), PF_MOST_ERRORS);
  assert_int_equal(pf_diagnostic_count(f->ctx), PF_MOST_ERRORS + 1);
  const PfDiagnostic *note = pf_diagnostic(f->ctx, PF_MOST_ERRORS);
  assert_int_equal(note->place.line, 21);
  assert_int_equal(note->severity, PF_WARNING);
  assert_string_equal(note->message, "too many errors: the rest of the file was not read");
  assert_null(note->hint);
  free(text);
}

static void twenty_errors_exactly_need_no_note(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  size_t size;
  char *text = repeated("", "banana\n", PF_MOST_ERRORS, "plot x\n", &size);
  assert_int_equal(parse_bytes(f, text, size, &tree), PF_ERR_SYNTAX);
  assert_int_equal(pf_diagnostic_count(f->ctx), PF_MOST_ERRORS);
  assert_string_equal(tree_text(f, tree), "(plot plot x)");
  free(text);
}

/* ---------------------------------------------------------------- limits */

static void assert_too_deep(Fixture *f, const char *before, const char *piece, const char *after)
{
  PfNode *tree;
  size_t size;
  char *text = repeated(before, piece, 100000, after, &size);
  assert_int_equal(parse_bytes(f, text, size, &tree), PF_ERR_LIMIT);
  assert_int_equal(pf_diagnostic_count(f->ctx), 1);
  assert_string_equal(pf_context_message(f->ctx), "nested deeper than 200 levels");
  free(text);
}

static void a_hundred_thousand_levels_are_one_error(void **state)
{
  Fixture *f = *state;
  assert_too_deep(f, "kinetic ", "(", "");
  assert_too_deep(f, "kinetic ", "f(", "");
  assert_too_deep(f, "kinetic ", "a[", "");
  assert_too_deep(f, "kinetic ", "-", "x");
  assert_too_deep(f, "kinetic ", "not ", "x");
  assert_too_deep(f, "kinetic ", "x^", "x");
  assert_too_deep(f, "kinetic ", "sum(i in 1..2, ", "x");
  assert_too_deep(f, "kinetic x", ".y", "");
  assert_too_deep(f, "kinetic x", " and x", "");
  assert_too_deep(f, "", "for i in 1..2 {", "");
}

/* Brackets and chains within their limits can still make a deep tree together. */
static void chains_in_brackets_are_counted_together(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  size_t size, more;
  char *open = repeated("kinetic ", "(", 190, "x", &size),
       *text = repeated(open, ".y.y.y.y.y.y.y.y.y)", 190, "", &more);
  assert_int_equal(parse_bytes(f, text, more, &tree), PF_ERR_LIMIT);
  free(open);
  free(text);
}

static void two_hundred_levels_are_allowed(void **state)
{
  Fixture *f = *state;
  PfNode *tree;
  char text[1000] = "kinetic ";
  for (int i = 0; i < PF_DEEPEST_NESTING; i++) strcat(text, "(");
  strcat(text, "x");
  for (int i = 0; i < PF_DEEPEST_NESTING; i++) strcat(text, ")");
  assert_int_equal(parse_bytes(f, text, strlen(text), &tree), PF_OK);
  assert_string_equal(tree_text(f, tree), "(energy kinetic x)");
}

/* A million terms side by side are not nested at all. */
static void a_long_sum_is_wide_and_not_deep(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 1000000 };
  PfNode *tree;
  size_t size;
  char *text = repeated("kinetic x", " + y*2", COUNT, "", &size);
  assert_int_equal(parse_bytes(f, text, size, &tree), PF_OK);
  const PfNode *sum = tree->child->child;
  assert_int_equal(sum->kind, PF_N_SUM);
  int count = 0;
  for (const PfNode *term = sum->child; term; term = term->next) count++;
  assert_int_equal(count, COUNT + 1);
  free(text);
}

/* ---------------------------------------------------------------- noise */

static uint32_t next_random(uint32_t *random)
{
  *random = *random*1664525u + 1013904223u;
  return *random >> 8;
}

/* Pieces of the language in random order: whatever comes out, it is a tree or an error, never both. */
static void random_tokens_never_crash_the_parser(void **state)
{
  Fixture *f = *state;
  static const char *const pieces[] = {
    "model ", "param ", "coord ", "let ", "kinetic ", "force ", "torque ", "nonideal ", "start ", "rate ", "body ",
    "point ", "spring ", "constraint ", "roll ", "skate ", "omni ", "part ", "use ", "for ", "run ", "plot ", "draw ",
    "when ", "x", "y", "disc ", "surface ", "sphere ", "inside ", " turn ", " shift ", "in ", "at ", "on ", "to ",
    "as ", "about ", "and ", "not ", "1", "2.5", "..", ".", "'", "(", ")", "[", "]", " [m]", "{", "}", ",", ":", ";",
    "=", "==", "<", "+", "-", "*", "/", "^", "!", "\n", "\n", "\n", " ", "\"s\"", "# c\n", "2x", "**", "\xC3\xA9",
    "sum(",
  };
  uint32_t random = 2024;
  PfArena *arena = f->arena;
  for (int round = 0; round < 20000; round++) {
    char text[400] = "";
    for (int i = 0; i < 40; i++) strcat(text, pieces[next_random(&random)%(sizeof pieces/sizeof *pieces)]);
    PfNode *tree;
    PfMark mark = pf_arena_mark(arena);
    PfStatus status = parse_bytes(f, text, strlen(text), &tree);
    assert_non_null(tree);
    assert_int_equal(status == PF_OK, pf_error_count(f->ctx) == 0);
    assert_true(pf_error_count(f->ctx) <= PF_MOST_ERRORS);
    (void)tree_text(f, tree); /* all of it can be walked */
    pf_arena_release(arena, mark);
  }
}

static void random_bytes_never_crash_the_parser(void **state)
{
  Fixture *f = *state;
  uint32_t random = 99;
  for (int round = 0; round < 5000; round++) {
    char text[100];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(next_random(&random)%(round%2 ? 256 : 128));
    PfNode *tree;
    PfMark mark = pf_arena_mark(f->arena);
    PfStatus status = parse_bytes(f, text, sizeof text, &tree);
    assert_int_equal(status == PF_OK, pf_error_count(f->ctx) == 0);
    pf_arena_release(f->arena, mark);
  }
}

/* A good model with one byte changed, dropped or doubled. */
static void a_model_with_one_wrong_byte_never_crashes_the_parser(void **state)
{
  Fixture *f = *state;
  static const char model[] =
      "model m \"t\"\nparam a = 6 [kg], b [m] = 2\ncoord x, y [m], p[3]\nlet h(u) = u^2\n"
      "body b in ground at (x, y, 0) turn p[1] about z { mass a, inertia diag(1, 2, 3) }\n"
      "constraint r: -sin(p[2])*x' + y' = 0\nfor i in 1..3 { use w(i) as v[i] }\nroll disc b { radius 1 } on ground\n"
      "start x = 1 !, x' = 2\nkinetic a/2*(x'^2\n  + sum(i in 1..3, p[i]'^2))\nrun 10 by rk4 { step = 1e-3 }\n";
  for (size_t i = 0; i + 1 < sizeof model; i++) {
    for (int change = 0; change < 4; change++) {
      char text[sizeof model + 1];
      size_t cut = change == 0 ? 1 : 0, size = sizeof model - 1;
      memcpy(text, model, i);
      memcpy(text + i + (change == 1), model + i + cut, size - i - cut); /* drop or double it */
      if (change == 2) text[i] = '(';
      if (change == 3) text[i] = '\n';
      if (change == 1) text[i] = model[i];
      size += (change == 1) - cut;
      PfNode *tree;
      PfMark mark = pf_arena_mark(f->arena);
      PfStatus status = parse_bytes(f, text, size, &tree);
      assert_int_equal(status == PF_OK, pf_error_count(f->ctx) == 0);
      pf_arena_release(f->arena, mark);
    }
  }
}

static void attempt(Counter *counter, void *user)
{
  const char *text = user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (ctx && arena) {
    PfSource source;
    PfNode *tree = NULL;
    PfStatus status = pf_source_init(&source, ctx, arena, "test.pf", text, strlen(text));
    if (status == PF_OK) status = pf_parse(&source, &tree);
    assert_int_equal(status, counter->refused ? PF_ERR_MEMORY : PF_OK);
    assert_int_equal(tree != NULL, status == PF_OK);
    pf_source_free(&source);
  }
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void without_memory_the_parser_fails_cleanly(void **state)
{
  (void)state;
  size_t size;
  char *text = repeated("param a = 1 [m], b = \"t\"\ncoord x, y [m]\n",
                        "let h_1(u) = u^2 + 1.*(a, b, c).x\nstart x' = sin(y) !\nbody b in g at (1, 2, 3) { mass m }\n",
                        30,
                        "", &size);
  fail_every_allocation(attempt, text);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_file_without_statements_is_an_empty_block),
    with_fixture(windows_line_ends_and_tabs_are_blanks),
    with_fixture(nodes_know_their_places),
    with_fixture(equal_names_share_their_text),
    with_fixture(all_errors_of_a_file_are_reported),
    with_fixture(a_wrong_statement_takes_its_own_block_with_it),
    with_fixture(every_open_brace_is_named_at_the_end_of_the_file),
    with_fixture(after_twenty_errors_the_parser_stops_with_a_note),
    with_fixture(twenty_errors_exactly_need_no_note),
    with_fixture(a_hundred_thousand_levels_are_one_error),
    with_fixture(chains_in_brackets_are_counted_together),
    with_fixture(two_hundred_levels_are_allowed),
    with_fixture(a_long_sum_is_wide_and_not_deep),
    with_fixture(random_tokens_never_crash_the_parser),
    with_fixture(random_bytes_never_crash_the_parser),
    with_fixture(a_model_with_one_wrong_byte_never_crashes_the_parser),
    cmocka_unit_test(without_memory_the_parser_fails_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
