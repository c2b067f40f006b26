/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include "pfaff/lang.h"
#include "lang/lex.h"

#include <dirent.h>
#include <stdlib.h>

static const char *format(Fixture *f, const char *text)
{
  const char *formatted = NULL;
  pf_diagnostics_clear(f->ctx);
  if (pf_model_format(f->ctx, f->arena, "test.pf", text, strlen(text), &formatted) != PF_OK)
    fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
  return formatted;
}

/* All tokens with their texts, without the ';' that only end statements. */
static const char *token_sequence(Fixture *f, const char *bytes)
{
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", bytes, strlen(bytes)), PF_OK);
  PfLexer lexer;
  pf_lexer_init(&lexer, &source, PF_SKIP_COMMENTS);
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  for (PfToken token = pf_lexer_next(&lexer); token.kind != PF_T_END; token = pf_lexer_next(&lexer)) {
    if (token.kind == PF_T_SEMICOLON) continue;
    if (token.kind == PF_T_UNIT) pf_text_print(&text, "[%s]\n", pf_token_unit(&source, &token));
    else pf_text_print(&text, "%d %.*s\n", (int)token.kind, (int)token.size, source.bytes + token.start);
  }
  pf_source_free(&source);
  const char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return copy;
}

static int count_comments(Fixture *f, const char *bytes)
{
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", bytes, strlen(bytes)), PF_OK);
  PfLexer lexer;
  pf_lexer_init(&lexer, &source, PF_KEEP_COMMENTS);
  int count = 0;
  for (PfToken token = pf_lexer_next(&lexer); token.kind != PF_T_END; token = pf_lexer_next(&lexer))
    count += token.kind == PF_T_COMMENT;
  pf_source_free(&source);
  return count;
}

static const char *tree_of(Fixture *f, const char *text)
{
  PfNode *tree;
  if (parse_bytes(f, text, strlen(text), &tree) != PF_OK)
    fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
  return tree_text(f, tree);
}

/* What holds for every text: same tokens, same tree, same comments; twice is as good as once; tidy lines. */
static void assert_layout_is_safe(Fixture *f, const char *text)
{
  const char *once = format(f, text), *twice = format(f, once);
  if (strcmp(once, twice)) fail_msg("%s\nbecomes\n%s\nthen\n%s", text, once, twice);
  if (strcmp(token_sequence(f, text), token_sequence(f, once))) fail_msg("%s\nloses tokens:\n%s", text, once);
  if (strcmp(tree_of(f, text), tree_of(f, once))) fail_msg("%s\nchanges its meaning:\n%s", text, once);
  assert_int_equal(count_comments(f, text), count_comments(f, once));
  assert_null(strstr(once, " \n"));
  assert_null(strstr(once, "\n\n\n"));
  assert_null(strchr(once, '\r'));
  size_t length = strlen(once);
  if (length) assert_int_equal(once[length - 1], '\n');
  if (length > 1) assert_true(once[0] != '\n' && once[length - 2] != '\n');
}

static void assert_format(Fixture *f, const char *text, const char *expected)
{
  const char *formatted = format(f, text);
  if (strcmp(formatted, expected)) fail_msg("%s\nbecomes\n%s\ninstead of\n%s", text, formatted, expected);
  assert_layout_is_safe(f, text);
}

/* ---------------------------------------------------------------- within a line */

static void blanks_show_how_tight_an_operator_binds(void **state)
{
  Fixture *f = *state;
  assert_format(f, "kinetic m / 2*( x ' ^2+y'^ 2 )", "kinetic m/2*(x'^2 + y'^2)\n");
  assert_format(f, "let a=b<=c and not( d==e )or f>-g", "let a = b <= c and not (d == e) or f > -g\n");
  assert_format(f, "kinetic f ( a,b ) .x-sum( i in 1 .. 3,psi[ i+1 ] )",
                "kinetic f(a, b).x - sum(i in 1..3, psi[i + 1])\n");
}

static void signs_of_values_stick_to_them(void **state)
{
  Fixture *f = *state;
  assert_format(f, "kinetic - x*- y - - z^ - 2+( - 1)", "kinetic -x*-y - -z^-2 + (-1)\n");
  assert_format(f, "body b in g turn - a about z { com - r }", "body b in g turn -a about z { com -r }\n");
  assert_format(f, "start x =- 1!,y'=+2", "start x = -1 !, y' = +2\n");
  assert_format(f, "for i in - 1 .. - 3{ }", "for i in -1..-3 {}\n");
}

static void brackets_of_units_and_indices_differ(void **state)
{
  Fixture *f = *state;
  assert_format(f, "param m=6[ kg  m^2 ],L [m]=2*0.5[m]", "param m = 6 [kg m^2], L [m] = 2*0.5 [m]\n");
  assert_format(f, "coord psi[ 3 ][rad]", "coord psi[3] [rad]\n");
}

static void words_and_calls_have_different_brackets(void **state)
{
  Fixture *f = *state;
  assert_format(f, "force(1,0,0)at tip", "force (1, 0, 0) at tip\n");
  assert_format(f, "nonideal force(1,0,0)at(0,0,0)", "nonideal force (1, 0, 0) at (0, 0, 0)\n");
  assert_format(f, "body b in f (x)at(1,2,3)shift(a)along x{com(0,0,l),mass(m)}",
                "body b in f(x) at (1, 2, 3) shift (a) along x { com (0, 0, l), mass (m) }\n");
  assert_format(f, "draw tip as point (0.1){color\"red\"}", "draw tip as point(0.1) { color \"red\" }\n");
  assert_format(f, "roll a : disc f (x){radius(r)}on surface h in(g)",
                "roll a: disc f(x) { radius (r) } on surface h in (g)\n");
  assert_format(f, "let h ( x ,y )=x", "let h(x, y) = x\n");
  assert_format(f, "plot arm . psi[ 2 ]+point (a,(1,2,3)).x", "plot arm.psi[2] + point(a, (1, 2, 3)).x\n");
}

static void a_short_number_keeps_its_distance_from_a_range(void **state)
{
  Fixture *f = *state;
  assert_format(f, "for i in 1. .. 3 {}", "for i in 1. ..3 {}\n");
}

/* ---------------------------------------------------------------- lines */

static void blank_lines_are_kept_but_one_at_a_time(void **state)
{
  Fixture *f = *state;
  assert_format(f, "\n\ncoord x\n\n\n\ncoord y\ncoord z\n\n\n", "coord x\n\ncoord y\ncoord z\n");
  assert_format(f, "for i in 1..2 {\n\n  coord x\n\n\n  coord y\n\n}", "for i in 1..2 {\n  coord x\n\n  coord y\n}\n");
  assert_format(f, "", "");
  assert_format(f, "\n \n", "");
  assert_format(f, "coord x\r\n\r\ncoord y\r\n", "coord x\n\ncoord y\n");
}

static void each_statement_gets_its_line(void **state)
{
  Fixture *f = *state;
  assert_format(f, "coord x; coord y;;coord z;", "coord x\ncoord y\ncoord z\n");
  assert_format(f, "for i in 1..2 { coord x; coord y }", "for i in 1..2 {\n  coord x\n  coord y\n}\n");
}

static void lines_inside_a_statement_are_the_authors(void **state)
{
  Fixture *f = *state;
  assert_format(f, "kinetic a\n          + b\n - c", "kinetic a\n    + b\n    - c\n");
  assert_format(f, "param a = 1,\nb = 2", "param a = 1,\n    b = 2\n");
  assert_format(f, "plot a,\npoint(b, c).x\nplot d", "plot a,\n    point(b, c).x\nplot d\n");
  assert_format(f, "kinetic (a +\nb\n)", "kinetic (a +\n    b\n    )\n");
  assert_format(f, "body b in g\nat (1, 2, 3)\nturn a about z\n{ mass m }",
                "body b in g\n    at (1, 2, 3)\n    turn a about z { mass m }\n");
}

static void blocks_stay_on_one_line_if_they_were(void **state)
{
  Fixture *f = *state;
  assert_format(f, "for i in 1..3{use wheel(i)}", "for i in 1..3 { use wheel(i) }\n");
  assert_format(f, "for i in 1..3 { use wheel(i)\n}", "for i in 1..3 {\n  use wheel(i)\n}\n");
  assert_format(f, "for i in 1..2 { for j in 1..2 { body b in g { mass m } } }",
                "for i in 1..2 { for j in 1..2 { body b in g { mass m } } }\n");
  assert_format(f, "body b in g { mass m,\ncom c\ninertia J }", "body b in g {\n  mass m,\n  com c\n  inertia J\n}\n");
  assert_format(f, "part p()\n{\nfor i in 1..2 {\ncoord x }}",
                "part p() {\n  for i in 1..2 {\n    coord x\n  }\n}\n");
}

/* ---------------------------------------------------------------- comments */

static void comments_are_kept_where_they_are(void **state)
{
  Fixture *f = *state;
  assert_format(f, "#one\n\n\n#  two  \n##three\n#\ncoord x     #four\n#five",
                "# one\n\n#  two\n##three\n#\ncoord x  # four\n# five\n");
  assert_format(f, "#!/usr/bin/pfaff\ncoord x", "#!/usr/bin/pfaff\ncoord x\n");
  assert_format(f, "coord x; # of x\ncoord y", "coord x  # of x\ncoord y\n");
  assert_format(f, "coord x\n# one\n;\n# two\n", "coord x\n# one\n# two\n");
  assert_format(f, "coord x\n\n;\n# two\ncoord y", "coord x\n\n# two\ncoord y\n");
}

static void comments_are_indented_like_what_follows(void **state)
{
  Fixture *f = *state;
  assert_format(f, "kinetic a\n# of b\n+ b\n# of c\ncoord c", "kinetic a\n    # of b\n    + b\n# of c\ncoord c\n");
  assert_format(f, "for i in 1..2 { # first\n# second\ncoord x\n# last\n}",
                "for i in 1..2 {  # first\n  # second\n  coord x\n  # last\n}\n");
  assert_format(f, "body b in g {\nmass m, # kg\n# of c\ncom c # m\n}",
                "body b in g {\n  mass m,  # kg\n  # of c\n  com c  # m\n}\n");
}

static void a_brace_does_not_slip_into_a_comment(void **state)
{
  Fixture *f = *state;
  assert_format(f, "body b in g # rear\n{ mass m }", "body b in g  # rear\n{ mass m }\n");
  assert_format(f, "body b in g # rear\n\n# its mass\n{\nmass m }",
                "body b in g  # rear\n\n# its mass\n{\n  mass m\n}\n");
}

/* ---------------------------------------------------------------- any text */

static const char model[] =
    "model m \"t # no comment\"\n\nparam a = 6 [kg], b [m] = 2., c\ncoord x, y [m], p[3]\n"
    "let h(u) = u^2, k = if(a < b and not c, 1, -1)\n"
    "body b in ground at (x, y, 0) turn -p[1] about z shift -a along x { mass a, inertia diag(1, 2, 3), com -r }\n"
    "constraint r[1]: -sin(p[2])*x' + y'' - (a - b)/-c = 0\nfor i in 1..3 { use w(i, -i) as v[i]; plot x }\n"
    "roll q: disc b { radius 1, axis (0, 1, 0) } on surface h in ground\n"
    "roll ball b { radius -1 } inside sphere { radius 2 }\n"
    "start x = 1 !, x' = 2\nkinetic a/2*(x'^2 + sum(i in 1..3, p[i]'^2)) - 5 [N m]*x.y\n"
    "run 10 by rk4 until x > 3 { step = 1e-3 }\n"
    "nonideal torque (0, 0, 1) on b.c from d\ndraw b as point(-1) { color \"red\", size -2 }\n"
    "part q(a, b) { spring p to q { stiffness k, length -l } }\nskate a: b on ground\n";

static void the_layout_of_a_whole_model_is_safe(void **state)
{
  assert_layout_is_safe(*state, model);
}

static uint32_t next_random(uint32_t *random)
{
  *random = *random*1664525u + 1013904223u;
  return *random >> 8;
}

/* The model with other blanks, line ends, comments and semicolons between its tokens; most are still models. */
static char *scramble(Fixture *f, uint32_t *random)
{
  static const char *const gaps[] = {"", " ", "   ", "\t", "\n", "\n\n\n", " # c\n", "\n#c\n", "\n\n  # c\n\n", ";",
                                     " ;\n\n"};
  PfSource source;
  assert_int_equal(pf_source_init(&source, f->ctx, f->arena, "test.pf", model, sizeof model - 1), PF_OK);
  PfLexer lexer;
  pf_lexer_init(&lexer, &source, PF_SKIP_COMMENTS);
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  uint32_t end = 0;
  for (PfToken token = pf_lexer_next(&lexer); token.kind != PF_T_END; token = pf_lexer_next(&lexer)) {
    if (next_random(random)%16) pf_text_put(&text, model + end, token.start - end);
    else pf_text_add(&text, gaps[next_random(random)%(sizeof gaps/sizeof *gaps)]);
    pf_text_put(&text, model + token.start, token.size);
    end = token.start + token.size;
  }
  pf_source_free(&source);
  char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return copy;
}

/* Keeps the statements that are right, one by one. */
static void random_blanks_and_comments_are_laid_out_safely(void **state)
{
  Fixture *f = *state;
  uint32_t random = 7;
  int good = 0;
  for (int round = 0; round < 3000; round++) {
    PfMark mark = pf_arena_mark(f->arena);
    PfNode *tree;
    char *text = scramble(f, &random);
    /* cut it to a third, so that errors elsewhere do not spoil it */
    char *start = text;
    for (uint32_t skip = next_random(&random)%8; skip && strstr(start, "\n"); skip--) start = strstr(start, "\n") + 1;
    char *stop = start;
    for (int lines = 0; lines < 4 && strstr(stop, "\n"); lines++) stop = strstr(stop, "\n") + 1;
    *stop = 0;
    if (parse_bytes(f, start, strlen(start), &tree) == PF_OK) {
      assert_layout_is_safe(f, start);
      good++;
    }
    pf_arena_release(f->arena, mark);
  }
  assert_true(good > 300);
}

static void check_file(Fixture *f, const char *path)
{
  const char *bytes;
  size_t count;
  PfNode *tree;
  assert_int_equal(pf_file_read(f->ctx, f->arena, path, PF_LONGEST_SOURCE, &bytes, &count), PF_OK);
  if (strlen(bytes) == count && parse_bytes(f, bytes, count, &tree) == PF_OK) assert_layout_is_safe(f, bytes);
}

static bool is_model(const char *name)
{
  size_t length = strlen(name);
  return length > 3 && !strcmp(name + length - 3, ".pf");
}

static void check_folder(Fixture *f, const char *folder)
{
  DIR *dir = opendir(folder);
  if (!dir) return;
  for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    char path[1000];
    if (!is_model(entry->d_name)) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    check_file(f, path);
  }
  closedir(dir);
}

/* The models of all families. */
static void check_examples(Fixture *f)
{
  DIR *families = opendir(PF_SOURCE_DIR "/examples");
  assert_non_null(families);
  for (struct dirent *entry = readdir(families); entry; entry = readdir(families)) {
    char path[1000];
    snprintf(path, sizeof path, PF_SOURCE_DIR "/examples/%s", entry->d_name);
    if (*entry->d_name != '.') check_folder(f, path);
  }
  closedir(families);
}

static void the_layout_of_all_examples_and_test_models_is_safe(void **state)
{
  check_examples(*state);
  check_folder(*state, PF_SOURCE_DIR "/tests/models");
  check_folder(*state, PF_SOURCE_DIR "/tests/models/good");
  check_folder(*state, PF_SOURCE_DIR "/tests/models/bad");
}

static void a_wrong_model_is_reported_and_not_formatted(void **state)
{
  Fixture *f = *state;
  const char *formatted = "before", *text = "coord x\nkinetic (x\n";
  assert_int_equal(pf_model_format(f->ctx, f->arena, "test.pf", text, strlen(text), &formatted), PF_ERR_SYNTAX);
  assert_null(formatted);
  assert_string_equal(pf_context_message(f->ctx), "expected ')' to close the '(' of line 2, found the end of the file");
}

/* Comments are looked past once, not once each. */
static void many_comments_take_linear_time(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 200000 };
  char *text = malloc(2*COUNT + 20);
  assert_non_null(text);
  strcpy(text, "kinetic a\n");
  for (size_t i = 0; i < COUNT; i++) memcpy(text + 10 + 2*i, "#\n", 3);
  strcat(text, "+ b\n");
  const char *formatted = format(f, text);
  assert_int_equal(strlen(formatted), 10 + COUNT*6 + 8);
  free(text);
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (ctx && arena) {
    const char *formatted;
    PfStatus status = pf_model_format(ctx, arena, "test.pf", model, sizeof model - 1, &formatted);
    assert_int_equal(status, counter->refused ? PF_ERR_MEMORY : PF_OK);
    assert_int_equal(formatted != NULL, status == PF_OK);
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
    with_fixture(blanks_show_how_tight_an_operator_binds),
    with_fixture(signs_of_values_stick_to_them),
    with_fixture(brackets_of_units_and_indices_differ),
    with_fixture(words_and_calls_have_different_brackets),
    with_fixture(a_short_number_keeps_its_distance_from_a_range),
    with_fixture(blank_lines_are_kept_but_one_at_a_time),
    with_fixture(each_statement_gets_its_line),
    with_fixture(lines_inside_a_statement_are_the_authors),
    with_fixture(blocks_stay_on_one_line_if_they_were),
    with_fixture(comments_are_kept_where_they_are),
    with_fixture(comments_are_indented_like_what_follows),
    with_fixture(a_brace_does_not_slip_into_a_comment),
    with_fixture(the_layout_of_a_whole_model_is_safe),
    with_fixture(random_blanks_and_comments_are_laid_out_safely),
    with_fixture(the_layout_of_all_examples_and_test_models_is_safe),
    with_fixture(a_wrong_model_is_reported_and_not_formatted),
    with_fixture(many_comments_take_linear_time),
    cmocka_unit_test(without_memory_it_fails_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
