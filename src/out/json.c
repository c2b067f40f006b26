/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer. */
#include "out/out.h"

#include <math.h>
#include <string.h>

void pf_json_begin(PfJson *json, const PfAllocator *allocator)
{
  *json = (PfJson){0};
  pf_text_init(&json->text, allocator);
}

void pf_json_free(PfJson *json)
{
  pf_text_free(&json->text);
}

/* One character; what is no UTF-8 becomes U+FFFD, control characters \\u001b. */
static size_t put_character(PfText *text, const char *at, size_t left)
{
  uint32_t size = pf_utf8_size(at, left);
  unsigned char c = (unsigned char)*at;
  /* Python knows no pairs of \u */
  if (!size || (size == 4 && pf_utf8_is_hidden(at, size))) pf_text_add(text, "\\ufffd");
  else if (c == '"' || c == '\\') pf_text_print(text, "\\%c", c);
  else if (pf_utf8_is_hidden(at, size)) pf_text_print(text, "\\u%04x", (unsigned)pf_utf8_code(at, size));
  else pf_text_put(text, at, size);
  return size ? size : 1;
}

void pf_put_quoted(PfText *text, const char *string)
{
  pf_text_put(text, "\"", 1);
  for (size_t at = 0, count = strlen(string); at < count;) at += put_character(text, string + at, count - at);
  pf_text_put(text, "\"", 1);
}

static void quote(PfJson *json, const char *string)
{
  pf_put_quoted(&json->text, string);
}

static void begin_item(PfJson *json, const char *key)
{
  if (json->comma) pf_text_put(&json->text, ",", 1);
  if (json->depth) pf_text_print(&json->text, "\n%*s", 2*json->depth, "");
  json->comma = true;
  if (!key) return;
  quote(json, key);
  pf_text_add(&json->text, ": ");
}

void pf_json_open(PfJson *json, const char *key, char bracket)
{
  begin_item(json, key);
  pf_text_put(&json->text, &bracket, 1);
  json->depth++;
  json->comma = false;
}

void pf_json_close(PfJson *json, char bracket)
{
  json->depth--;
  if (json->comma) pf_text_print(&json->text, "\n%*s", 2*json->depth, "");
  pf_text_put(&json->text, &bracket, 1);
  json->comma = true;
}

void pf_json_string(PfJson *json, const char *key, const char *value)
{
  begin_item(json, key);
  if (value) quote(json, value);
  else pf_text_add(&json->text, "null");
}

void pf_json_number(PfJson *json, const char *key, double value)
{
  begin_item(json, key);
  if (isfinite(value)) pf_text_print(&json->text, "%.17g", value == 0 ? 0 : value); /* no -0 */
  else pf_text_add(&json->text, "null");
}

void pf_json_integer(PfJson *json, const char *key, long long value)
{
  begin_item(json, key);
  pf_text_print(&json->text, "%lld", value);
}

void pf_json_bool(PfJson *json, const char *key, bool value)
{
  begin_item(json, key);
  pf_text_add(&json->text, value ? "true" : "false");
}
