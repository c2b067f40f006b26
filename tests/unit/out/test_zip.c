/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: what was deflated is there again when a decoder written from RFC 1951 reads it. */
#include "support.h"

#include "out/zip.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- inflate, codes of the block only */

typedef struct Reader {
  const unsigned char *at;
  size_t count, bit;
} Reader;

static unsigned bits(Reader *r, int count)
{
  unsigned value = 0;
  for (int i = 0; i < count; i++, r->bit++) {
    assert_true(r->bit/8 < r->count);
    value |= (unsigned)(r->at[r->bit/8] >> r->bit%8 & 1) << i;
  }
  return value;
}

/* The symbol whose code comes next: codes of each length are consecutive, in the order of the symbols. */
static int symbol(Reader *r, const unsigned char *length, int count)
{
  int code = 0, first = 0;
  for (int size = 1; size < 16; size++) {
    int of_size = 0;
    code |= (int)bits(r, 1);
    for (int i = 0; i < count; i++) of_size += length[i] == size;
    if (code - first < of_size)
      for (int i = 0, k = code - first; i < count; i++)
        if (length[i] == size && k-- == 0) return i;
    first = (first + of_size) << 1;
    code <<= 1;
  }
  fail_msg("no such code");
  return -1;
}

static void read_lengths(Reader *r, const unsigned char *code, unsigned char *lengths, int count)
{
  for (int i = 0; i < count;) {
    int s = symbol(r, code, 19), times = 1;
    unsigned char value = (unsigned char)s;
    if (s == 16) value = lengths[i - 1], times = 3 + (int)bits(r, 2);
    if (s == 17) value = 0, times = 3 + (int)bits(r, 3);
    if (s == 18) value = 0, times = 11 + (int)bits(r, 7);
    while (times--) assert_true(i < count), lengths[i++] = value;
  }
}

static size_t inflate(const PfText *packed, unsigned char *out, size_t room)
{
  static const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  Reader r = {(const unsigned char *)packed->at, packed->count, 0};
  unsigned char code[19] = {0}, lengths[320];
  size_t count = 0;
  assert_int_equal(bits(&r, 3), 5);
  int literals = 257 + (int)bits(&r, 5), distances = 1 + (int)bits(&r, 5), given = 4 + (int)bits(&r, 4);
  for (int i = 0; i < given; i++) code[order[i]] = (unsigned char)bits(&r, 3);
  read_lengths(&r, code, lengths, literals + distances);
  for (int s; (s = symbol(&r, lengths, literals)) != 256;) {
    if (s < 256) {
      assert_true(count < room);
      out[count++] = (unsigned char)s;
      continue;
    }
    int k = s - 257, extra = k < 8 || k == 28 ? 0 : k/4 - 1;
    size_t length = k == 28 ? 258 : k < 8 ? (size_t)k + 3 : ((size_t)(4 + k%4) << extra) + 3;
    length += bits(&r, extra);
    k = symbol(&r, lengths + literals, distances);
    extra = k < 4 ? 0 : k/2 - 1;
    size_t back = (k < 4 ? (size_t)k : (size_t)(2 + k%2) << extra) + 1 + bits(&r, extra);
    assert_true(back <= count && count + length <= room);
    for (; length--; count++) out[count] = out[count - back];
  }
  return count;
}

/* ---------------------------------------------------------------- tests */

static void round_trip(PfContext *ctx, const unsigned char *bytes, size_t count)
{
  PfText packed;
  unsigned char *back = malloc(count + 1);
  assert_non_null(back);
  pf_text_init(&packed, pf_context_allocator(ctx));
  pf_deflate(ctx, bytes, count, &packed);
  assert_false(packed.failed);
  assert_int_equal(inflate(&packed, back, count), count);
  if (count) assert_memory_equal(back, bytes, count);
  pf_text_free(&packed);
  free(back);
}

/* Nothing, a byte, one letter again and again, noise, text, every length of a match, distances beyond the window. */
static void deflated_comes_back(void **state)
{
  enum { SIZE = 200000 };
  PfContext *ctx = ((Fixture *)*state)->ctx;
  unsigned char *bytes = malloc(SIZE);
  unsigned noise = 1;
  assert_non_null(bytes);
  round_trip(ctx, bytes, 0);
  memset(bytes, 'a', SIZE);
  for (size_t count = 1; count < 300; count++) round_trip(ctx, bytes, count);
  round_trip(ctx, bytes, SIZE);
  for (size_t i = 0; i < SIZE; i++) noise = noise*1664525u + 1013904223u, bytes[i] = (unsigned char)(noise >> 24);
  round_trip(ctx, bytes, SIZE);
  for (size_t i = 0; i < SIZE; i++) bytes[i] = (unsigned char)("const double v0 = x->q[1];\n"[i%27] + (i%1013 == 0));
  round_trip(ctx, bytes, SIZE);
  memcpy(bytes + SIZE - 1000, bytes, 1000);
  round_trip(ctx, bytes, SIZE);
  /* frequencies of Fibonacci make the deepest tree: codes of more than 15 bits are not allowed */
  size_t at = 0;
  for (unsigned k = 0, a = 1, b = 1; k < 24 && at + a < SIZE; k++, b += a, a = b - a)
    for (unsigned i = 0; i < a; i++) bytes[at++] = (unsigned char)k;
  for (size_t i = at; i-- > 1;) {
    noise = noise*1664525u + 1013904223u;
    size_t k = (noise >> 8)%(i + 1);
    unsigned char kept = bytes[i];
    bytes[i] = bytes[k], bytes[k] = kept;
  }
  round_trip(ctx, bytes, at);
  free(bytes);
}

static void sums_are_those_of_the_standard(void **state)
{
  (void)state;
  assert_int_equal(pf_crc32((const unsigned char *)"123456789", 9), 0xcbf43926u);
  assert_int_equal(pf_crc32(NULL, 0), 0);
}

static void archives_have_their_records(void **state)
{
  PfContext *ctx = ((Fixture *)*state)->ctx;
  PfText archive[2];
  for (int i = 0; i < 2; i++) {
    PfZip zip;
    pf_text_init(archive + i, pf_context_allocator(ctx));
    pf_zip_begin(&zip, ctx, archive + i);
    pf_zip_add(&zip, "a/b.txt", "hello", 5);
    pf_zip_add(&zip, "c.txt", "", 0);
    assert_int_equal(pf_zip_end(&zip), PF_OK);
  }
  assert_int_equal(archive[0].count, archive[1].count);
  assert_memory_equal(archive[0].at, archive[1].at, archive[0].count);
  assert_memory_equal(archive[0].at, "PK\3\4", 4);
  assert_memory_equal(archive[0].at + archive[0].count - 22, "PK\5\6\0\0\0\0\2\0\2\0", 12);
  for (int i = 0; i < 2; i++) pf_text_free(archive + i);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(deflated_comes_back),
                                     with_fixture(sums_are_those_of_the_standard),
                                     with_fixture(archives_have_their_records)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
