/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzzers ask of whatever comes out: a truth, clean characters, JSON. */
#ifndef PF_FUZZ_EXPECT_H
#define PF_FUZZ_EXPECT_H

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Past the stream, which may be held back (fuzz_options.c). */
static inline void expect(bool truth, const char *what)
{
  if (truth) return;
  dprintf(2, "does not hold: %s\n", what);
  abort();
}

/* All of it is valid UTF-8 without control characters but those in `kept`. */
static inline void expect_characters(const char *text, size_t count, const char *kept)
{
  for (size_t at = 0; at < count;) {
    uint32_t size = pf_utf8_size(text + at, count - at);
    expect(size > 0, "what is written is UTF-8");
    expect((text[at] && strchr(kept, text[at])) || !pf_utf8_is_hidden(text + at, size), "no control characters");
    at += size;
  }
}

/* One string from its first quote on, with escapes that JSON and Python know: the place behind it. */
static inline const char *expect_string(const char *text)
{
  expect(*text++ == '"', "a string begins with a quote");
  for (; *text != '"'; text++) {
    expect(*text && *text != '\n', "a string has its quotes");
    if (*text != '\\') continue;
    text++;
    expect(*text && strchr("\"\\u", *text), "an escape is known");
    if (*text != 'u') continue;
    expect(strspn(text + 1, "0123456789abcdef") >= 4, "an escape has four digits");
    text += 4;
  }
  return text + 1;
}

/* One object: brackets match, and strings end. */
static inline void expect_json(const char *text)
{
  int depth = 0;
  expect(*text == '{', "JSON is an object");
  for (; *text; text += *text != 0) {
    while (*text == '"') text = expect_string(text);
    depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
    if (!depth) break;
  }
  expect(!depth && !strcmp(text, "}\n"), "JSON ends with its last bracket");
}

#endif
