/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of the textbooks, without any hint at speeds: the laconic equations are about as long as a good author writes
 * them, and hold in every form. Length: names, numbers, functions and operators of the equations of motion and of the
 * abbreviations. */
#include "form/derived.h"

typedef struct Book {
  const char *name;
  int words;        /* by hand: equations of motion and definitions */
  bool fails;       /* where the constraints lose rank, by hand as well */
} Book;

static const Book books[] = {
  {"sleigh", 23, false},
  {"sleigh_rotor", 29, false},
  {"unicycle", 16, false},
  {"leaning_disc", 70, false},
  {"ball_plane", 29, false},
  {"ball_turntable", 27, false},
  {"ball_sphere", 72, false},
  {"chaplygin_sphere", 72, false},
  {"suslov", 25, false},
  {"top", 40, false},
  {"diff_drive", 60, false},
  {"segway", 152, false},
  {"tractor1", 70, false},
  {"tractor2", 84, false},
  {"racer", 94, false},
  {"snakeboard", 66, false},
  {"space_robot", 205, false},
  {"free_floating_absolute", 74, false},
  {"../../../examples/skates/snakeboard", 90, true},
  {"../../../examples/spacecraft/free_floating", 74, false},
};

enum { BOOKS = sizeof books/sizeof *books };

static void load_book(Fixture *f, const Book *book, System *s)
{
  char path[1024];
  const char *bytes;
  size_t count;
  snprintf(path, sizeof path, PF_SOURCE_DIR "/tests/reference/textbook/%s.pf", book->name);
  assert_int_equal(pf_file_read(f->ctx, f->arena, path, 1 << 20, &bytes, &count), PF_OK);
  read_system(f, pf_arena_text(f->arena, bytes, count), s);
}

static size_t words_of(const System *s, const PfDerivation *d)
{
  size_t sum = 0;
  for (int i = 0; i < d->motion_count; i++)
    sum += pf_expr_token_count(s->ctx, d->equations[i].left) + pf_expr_token_count(s->ctx, d->equations[i].right);
  for (int i = 0; i < d->part_count; i++) sum += 1 + pf_expr_token_count(s->ctx, d->part_values[i]);
  return sum;
}

static void equations_are_as_short_as_those_of_the_textbook(void **state)
{
  needs_shortest_forms();
  int close = 0;
  for (int i = 0; i < BOOKS; i++) {
    System s;
    PfDerivation d;
    load_book(*state, books + i, &s);
    derive(&s, "laconic", &d);
    double ratio = (double)words_of(&s, &d)/books[i].words;
    if (ratio > 1.5) fail_msg("%s is %.2f times as long as by hand", books[i].name, ratio);
    if (!books[i].fails && d.divisor_count) fail_msg("%s divides by something", books[i].name);
    close += ratio <= 1.25;
    pf_model_free(s.model);
  }
  assert_true(close >= 18);
}

static void they_hold_in_every_form(void **state)
{
  for (int i = 0; i < BOOKS; i++) {
    System s;
    load_book(*state, books + i, &s);
    assert_all_hold(&s, books[i].name, 11 + (uint64_t)i);
    pf_model_free(s.model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(equations_are_as_short_as_those_of_the_textbook),
    with_fixture(they_hold_in_every_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
