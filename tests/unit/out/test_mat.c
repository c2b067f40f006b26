/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/out.h"

static uint32_t word(const PfText *text, size_t at)
{
  const unsigned char *b = (const unsigned char *)pf_text_get(text) + at;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The bytes of 1.0, little-endian: 00 00 00 00 00 00 f0 3f. */
static bool is_one(const PfText *text, size_t at)
{
  static const unsigned char one[8] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
  return !memcmp(pf_text_get(text) + at, one, 8);
}

/* Head of five numbers, name with its zero, numbers by columns. */
static void a_matrix_is_written_by_columns(void **state)
{
  Fixture *f = *state;
  PfText text;
  const double A[] = {0, 1, 0, 0, 0, 0}; /* 2 x 3: A[0][1] = 1 */
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_mat_matrix(&text, "A", A, 2, 3);
  assert_int_equal(text.count, 20 + 2 + 6*8);
  const uint32_t head[] = {0, 2, 3, 0, 2};
  for (size_t i = 0; i < 5; i++) assert_int_equal(word(&text, 4*i), head[i]);
  assert_string_equal(pf_text_get(&text) + 20, "A");
  assert_true(is_one(&text, 22 + 2*8));
  pf_text_free(&text);
}

static void texts_are_rows_of_characters_filled_with_blanks(void **state)
{
  Fixture *f = *state;
  PfText text;
  const char *const names[] = {"x", "theta"};
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_mat_texts(&text, "n", names, 2);
  const uint32_t head[] = {1, 2, 5, 0, 2};
  for (size_t i = 0; i < 5; i++) assert_int_equal(word(&text, 4*i), head[i]);
  double first, third;
  memcpy(&first, pf_text_get(&text) + 22, 8);
  memcpy(&third, pf_text_get(&text) + 22 + 16, 8);
  assert_near(first, 'x', 0, 0); /* as on little-endian machines; the bytes are fixed by the test above */
  assert_near(third, ' ', 0, 0);
  pf_text_free(&text);
}

static void nothing_is_a_matrix_too(void **state)
{
  Fixture *f = *state;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_mat_matrix(&text, "B", NULL, 3, 0);
  pf_mat_texts(&text, "inputs", NULL, 0);
  assert_int_equal(text.count, 20 + 2 + 20 + 7);
  pf_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_matrix_is_written_by_columns),
    with_fixture(texts_are_rows_of_characters_filled_with_blanks),
    with_fixture(nothing_is_a_matrix_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
