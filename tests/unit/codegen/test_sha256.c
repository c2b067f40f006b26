/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "codegen/sha256.h"

#include <stdio.h>
#include <stdlib.h>

static const char *hash_of(const char *text, size_t piece)
{
  static char hex[2*PF_SHA256_SIZE + 1];
  unsigned char hash[PF_SHA256_SIZE];
  PfSha256 s;
  const size_t length = strlen(text);
  pf_sha256_begin(&s);
  for (size_t at = 0; at < length; at += piece)
    pf_sha256_add(&s, text + at, length - at < piece ? length - at : piece);
  pf_sha256_end(&s, hash);
  for (int i = 0; i < PF_SHA256_SIZE; i++) snprintf(hex + 2*i, 3, "%02x", hash[i]);
  return hex;
}

/* The examples of the National Institute of Standards and Technology for FIPS 180. */
static void hashes_are_those_of_the_standard(void **state)
{
  (void)state;
  assert_string_equal(hash_of("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert_string_equal(hash_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert_string_equal(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 5),
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_in_pieces_of_any_size(void **state)
{
  (void)state;
  char *text = malloc(1000001);
  assert_non_null(text);
  memset(text, 'a', 1000000);
  text[1000000] = 0;
  for (size_t piece = 1; piece < 300; piece += 71)
    assert_string_equal(hash_of(text, piece), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(hashes_are_those_of_the_standard),
    cmocka_unit_test(a_million_letters_in_pieces_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
