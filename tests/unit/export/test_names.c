/* SPDX-License-Identifier: Apache-2.0 */
#include "export/names.h"
#include "support.h"

static const char *take(PfNames *names, const char *name)
{
  const char *identifier = NULL;
  assert_int_equal(pf_names_take(names, name, &identifier), PF_OK);
  return identifier;
}

static void names_keep_what_is_an_identifier(void **state)
{
  Fixture *f = *state;
  PfNames names;
  pf_names_init(&names, f->ctx, f->arena, PF_WORDS_C);
  assert_string_equal(take(&names, "theta"), "theta");
  assert_string_equal(take(&names, "w[2]"), "w_2");
  assert_string_equal(take(&names, "hub.wx"), "hub_wx");
  assert_string_equal(take(&names, "x'"), "x_dot");
  assert_string_equal(take(&names, "x''"), "x_ddot");
  assert_string_equal(take(&names, "L*theta'^2 + 1"), "L_theta_dot_2_1");
  assert_string_equal(take(&names, "2x"), "n_2x");
  assert_string_equal(take(&names, "__x"), "n__x");
  assert_string_equal(take(&names, "**"), "unnamed");
  pf_names_free(&names);
}

static void two_names_that_become_one_are_numbered(void **state)
{
  Fixture *f = *state;
  PfNames names;
  pf_names_init(&names, f->ctx, f->arena, PF_WORDS_C);
  assert_string_equal(take(&names, "a.b"), "a_b");
  assert_string_equal(take(&names, "a_b"), "a_b_2");
  assert_string_equal(take(&names, "a[b]"), "a_b_3");
  assert_string_equal(take(&names, "a_b_2"), "a_b_2_2");
  pf_names_free(&names);
}

static void reserved_words_of_each_language_are_mended(void **state)
{
  static const struct {
    PfWords words;
    const char *name, *identifier;
  } cases[] = {{PF_WORDS_C, "class", "class_"},      {PF_WORDS_C, "NAN", "NAN_"},     {PF_WORDS_C, "lambda", "lambda"},
               {PF_WORDS_C, "restrict", "restrict_"}, {PF_WORDS_C, "errno", "errno_"}, {PF_WORDS_C, "I", "I_"},
               {PF_WORDS_PYTHON, "lambda", "lambda_"}, {PF_WORDS_PYTHON, "int", "int"},
               {PF_WORDS_PYTHON, "None", "None_"},
               {PF_WORDS_MATLAB, "end", "end_"},      {PF_WORDS_MATLAB, "class", "class"}};
  Fixture *f = *state;
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfNames names;
    pf_names_init(&names, f->ctx, f->arena, cases[i].words);
    assert_string_equal(take(&names, cases[i].name), cases[i].identifier);
    pf_names_free(&names);
  }
}

static void long_names_stay_apart(void **state)
{
  Fixture *f = *state;
  PfNames names;
  char a[300], b[300];
  memset(a, 'x', sizeof a - 1);
  memset(b, 'x', sizeof b - 1);
  a[299] = b[299] = 0;
  b[298] = 'y';
  pf_names_init(&names, f->ctx, f->arena, PF_WORDS_C);
  const char *first = take(&names, a), *second = take(&names, b);
  assert_true(strlen(first) <= PF_LONGEST_IDENTIFIER && strlen(second) <= PF_LONGEST_IDENTIFIER + 8);
  assert_string_not_equal(first, second);
  pf_names_free(&names);
}

static void models_do_not_stand_in_front_of_headers_and_modules(void **state)
{
  Fixture *f = *state;
  const char *id;
  assert_int_equal(pf_names_of_model(f->ctx, f->arena, PF_WORDS_C, "math", &id), PF_OK);
  assert_string_equal(id, "math_");
  assert_int_equal(pf_names_of_model(f->ctx, f->arena, PF_WORDS_PYTHON, "Numpy", &id), PF_OK);
  assert_string_equal(id, "Numpy_");
  assert_int_equal(pf_names_of_model(f->ctx, f->arena, PF_WORDS_C, "my robot", &id), PF_OK);
  assert_string_equal(id, "my_robot");
  assert_string_equal(pf_names_upper(f->arena, id), "MY_ROBOT");
}

static void check_put(Fixture *f, void (*put)(PfText *, const char *), const char *words, const char *wanted)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  put(&text, words);
  assert_string_equal(pf_text_get(&text), wanted);
  pf_text_free(&text);
}

static void texts_cannot_leave_their_place(void **state)
{
  Fixture *f = *state;
  check_put(f, pf_put_comment, "*/ int x; /*", "* / int x; / *");
  check_put(f, pf_put_comment, "a\nb\r?" "?/", "a\\x0ab\\x0d? ?/");
  check_put(f, pf_put_comment, "ends in \\", "ends in \\ ");
  check_put(f, pf_put_comment, "\xe2\x80\xae", "\\xe2\\x80\\xae"); /* turns the direction of writing */
  check_put(f, pf_put_c_string, "a\"b\\\n?", "\"a\\042b\\134\\012\\077\"");
  check_put(f, pf_put_matlab_string, "it's\n", "'it''s\\x0a'");
  check_put(f, pf_put_markdown, "a|b <c>", "a\\|b &lt;c>");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(names_keep_what_is_an_identifier),
    with_fixture(two_names_that_become_one_are_numbered),
    with_fixture(reserved_words_of_each_language_are_mended),
    with_fixture(long_names_stay_apart),
    with_fixture(models_do_not_stand_in_front_of_headers_and_modules),
    with_fixture(texts_cannot_leave_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
