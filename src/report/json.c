/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer. */
#include "report/json.h"

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

/* Beyond U+FFFF JSON has pairs. Python has none, and would take them for two characters. */
static void put_code(PfText *text, uint32_t code, bool pairs)
{
  if (code < 0x10000) pf_text_print(text, "\\u%04x", (unsigned)code);
  else if (!pairs) pf_text_add(text, "\\ufffd");
  else pf_text_print(text, "\\u%04x\\u%04x", 0xD800u + (unsigned)((code - 0x10000) >> 10),
                     0xDC00u + (unsigned)(code & 0x3FF));
}

/* One character; what is no UTF-8 becomes U+FFFD, control characters \\u001b. */
static size_t put_character(PfText *text, const char *at, size_t left, bool pairs)
{
  uint32_t size = pf_utf8_size(at, left);
  unsigned char c = (unsigned char)*at;
  if (!size) pf_text_add(text, "\\ufffd");
  else if (c == '"' || c == '\\') pf_text_print(text, "\\%c", c);
  else if (pf_utf8_is_hidden(at, size)) put_code(text, pf_utf8_code(at, size), pairs);
  else pf_text_put(text, at, size);
  return size ? size : 1;
}

static void put_quoted(PfText *text, const char *string, bool pairs)
{
  pf_text_put(text, "\"", 1);
  for (size_t at = 0, count = strlen(string); at < count;) at += put_character(text, string + at, count - at, pairs);
  pf_text_put(text, "\"", 1);
}

void pf_put_quoted(PfText *text, const char *string)
{
  put_quoted(text, string, false);
}

static void quote(PfJson *json, const char *string)
{
  put_quoted(&json->text, string, true);
}

void pf_json_item(PfJson *json, const char *key)
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
  pf_json_item(json, key);
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
  pf_json_item(json, key);
  if (value) quote(json, value);
  else pf_text_add(&json->text, "null");
}

void pf_json_number(PfJson *json, const char *key, double value)
{
  pf_json_item(json, key);
  if (isfinite(value)) pf_text_number(&json->text, value == 0 ? 0 : value); /* no -0 */
  else pf_text_add(&json->text, "null");
}

void pf_json_integer(PfJson *json, const char *key, long long value)
{
  pf_json_item(json, key);
  pf_text_print(&json->text, "%lld", value);
}

void pf_json_bool(PfJson *json, const char *key, bool value)
{
  pf_json_item(json, key);
  pf_text_add(&json->text, value ? "true" : "false");
}
