/* SPDX-License-Identifier: Apache-2.0 */
/* JSON reader (RFC 8259), without recursion. */
#include "out/json_read.h"

#include <string.h>

enum { DEEPEST = 64 };

typedef struct Reader {
  PfContext *ctx;
  PfArena *arena;
  const char *name, *first, *at, *end;
  int depth;
  PfJsonNode *open[DEEPEST];  /* lists and objects around the place */
  PfJsonNode **next[DEEPEST]; /* where the next value of each goes */
} Reader;

static PfStatus fail(const Reader *r, const char *wanted)
{
  int line = 1;
  for (const char *c = r->first; c < r->at; c++) line += *c == '\n';
  return pf_fail(r->ctx, PF_ERR_SYNTAX, "'%s': line %d is no JSON: %s", r->name, line, wanted);
}

static void skip_blanks(Reader *r)
{
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

/* ---------------------------------------------------------------- strings */

static bool read_hex(Reader *r, uint32_t *code)
{
  *code = 0;
  if (r->end - r->at < 4) return false;
  for (int i = 0; i < 4; i++, r->at++) {
    const char c = *r->at;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return false;
    *code = *code*16 + (uint32_t)digit;
  }
  return true;
}

static char *put_utf8(char *to, uint32_t code)
{
  if (code < 0x80) *to++ = (char)code;
  else if (code < 0x800) *to++ = (char)(0xC0 | code >> 6);
  else if (code < 0x10000) *to++ = (char)(0xE0 | code >> 12);
  else *to++ = (char)(0xF0 | code >> 18);
  if (code >= 0x10000) *to++ = (char)(0x80 | (code >> 12 & 0x3F));
  if (code >= 0x800) *to++ = (char)(0x80 | (code >> 6 & 0x3F));
  if (code >= 0x80) *to++ = (char)(0x80 | (code & 0x3F));
  return to;
}

/* Behind \u; halves of a pair are put together. */
static char *read_code(Reader *r, char *to)
{
  uint32_t code, low;
  if (!read_hex(r, &code) || !code) return NULL;
  if (code >= 0xD800 && code < 0xDC00) {
    if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') return NULL;
    r->at += 2;
    if (!read_hex(r, &low) || low < 0xDC00 || low > 0xDFFF) return NULL;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  return put_utf8(to, code);
}

static char *read_escape(Reader *r, char *to)
{
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char *found = r->at < r->end && *r->at ? strchr(letters, *r->at) : NULL;
  if (r->at < r->end && *r->at == 'u') {
    r->at++;
    return read_code(r, to);
  }
  if (!found) return NULL;
  r->at++;
  *to++ = meanings[found - letters];
  return to;
}

static PfStatus read_string(Reader *r, const char **text)
{
  const char *close = r->at + 1;
  while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (*r->at != '"' || close >= r->end) return fail(r, "a string is expected");
  char *to = pf_arena_array(r->arena, char, close - r->at), *at = to;
  if (!to) return pf_no_room(r->ctx, "a text");
  for (r->at++; r->at < close;) {
    if (!*r->at) return fail(r, "a string has a zero in it");
    if (*r->at != '\\') {
      *at++ = *r->at++;
      continue;
    }
    r->at++;
    at = read_escape(r, at);
    if (!at) return fail(r, "a character is not known");
  }
  *at = 0;
  r->at = close + 1;
  *text = to;
  return PF_OK;
}

/* ---------------------------------------------------------------- values */

static bool take_word(Reader *r, const char *word)
{
  const size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
  r->at += length;
  return true;
}

/* Those that stand for themselves. */
static PfStatus read_plain(Reader *r, PfJsonNode *node)
{
  char *stop;
  node->kind = PF_JSON_BOOL;
  if (take_word(r, "true")) return node->number = 1, PF_OK;
  if (take_word(r, "false")) return PF_OK;
  node->kind = PF_JSON_NULL;
  if (take_word(r, "null")) return PF_OK;
  node->kind = PF_JSON_STRING;
  if (*r->at == '"') return read_string(r, &node->text);
  node->kind = PF_JSON_NUMBER;
  node->number = pf_read_double(r->at, &stop);
  if (stop == r->at || stop > r->end || !strchr("-0123456789", *r->at)) return fail(r, "a value is expected");
  r->at = stop;
  return PF_OK;
}

/* A value, with its name in an object; lists and objects are opened. */
static PfStatus read_value(Reader *r)
{
  PfJsonNode *node = pf_arena_array(r->arena, PfJsonNode, 1);
  const PfJsonNode *parent = r->depth ? r->open[r->depth - 1] : NULL;
  if (!node) return pf_no_room(r->ctx, "a text");
  if (parent && parent->kind == PF_JSON_OBJECT) {
    PF_TRY(read_string(r, &node->key));
    skip_blanks(r);
    if (r->at == r->end || *r->at++ != ':') return fail(r, "':' is expected");
    skip_blanks(r);
  }
  if (r->at == r->end) return fail(r, "it ends too early");
  *r->next[r->depth] = node;
  r->next[r->depth] = &node->next;
  if (*r->at != '[' && *r->at != '{') return read_plain(r, node);
  if (r->depth == DEEPEST - 1) return fail(r, "brackets are nested too deeply");
  node->kind = *r->at++ == '[' ? PF_JSON_LIST : PF_JSON_OBJECT;
  r->open[r->depth++] = node;
  r->next[r->depth] = &node->child;
  return PF_OK;
}

/* What follows a value: brackets that close, and a comma. */
static PfStatus close_brackets(Reader *r, bool *wants)
{
  for (;;) {
    skip_blanks(r);
    if (!r->depth) return *wants = false, PF_OK;
    const PfJsonNode *parent = r->open[r->depth - 1];
    if (r->at == r->end) return fail(r, "a bracket is not closed");
    if (*r->at == (parent->kind == PF_JSON_LIST ? ']' : '}')) r->at++, r->depth--;
    else if (!parent->child) return *wants = true, PF_OK;
    else if (*r->at == ',') {
      r->at++;
      skip_blanks(r);
      return *wants = true, PF_OK;
    } else return fail(r, "',' or a bracket is expected");
  }
}

PfStatus pf_json_read(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                      PfJsonNode **root)
{
  Reader r = {.ctx = ctx, .arena = arena, .name = name, .first = bytes, .at = bytes, .end = bytes + count};
  bool wants = true;
  *root = NULL;
  r.next[0] = root;
  skip_blanks(&r);
  while (wants) {
    if (r.at == r.end) return fail(&r, "it ends too early");
    PF_TRY(read_value(&r));
    PF_TRY(close_brackets(&r, &wants));
  }
  return r.at == r.end ? PF_OK : fail(&r, "something follows");
}

const PfJsonNode *pf_json_member(const PfJsonNode *object, const char *key)
{
  const PfJsonNode *node = object && object->kind == PF_JSON_OBJECT ? object->child : NULL;
  while (node && strcmp(node->key, key) != 0) node = node->next;
  return node;
}

const char *pf_json_text(const PfJsonNode *object, const char *key)
{
  const PfJsonNode *node = pf_json_member(object, key);
  return node && node->kind == PF_JSON_STRING ? node->text : NULL;
}
