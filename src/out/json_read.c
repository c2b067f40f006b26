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

/* Four hexadecimal digits. */
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

/* The character after a backslash, as UTF-8, of which halves of a pair (\uD83D\uDE00) are put together; where the next
 * one goes, NULL when it is not known. */
static char *read_escape(Reader *r, char *to)
{
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  uint32_t code, low;
  if (r->at == r->end || !*r->at) return NULL;
  const char *found = strchr(letters, *r->at);
  if (!found && *r->at != 'u') return NULL;
  r->at++;
  if (found) {
    *to++ = meanings[found - letters];
    return to;
  }
  if (!read_hex(r, &code) || !code) return NULL;
  if (code >= 0xD800 && code < 0xDC00) {
    if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') return NULL;
    r->at += 2;
    if (!read_hex(r, &low) || low < 0xDC00 || low > 0xDFFF) return NULL;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code < 0x80) *to++ = (char)code;
  else if (code < 0x800) *to++ = (char)(0xC0 | code >> 6);
  else if (code < 0x10000) *to++ = (char)(0xE0 | code >> 12);
  else *to++ = (char)(0xF0 | code >> 18);
  if (code >= 0x10000) *to++ = (char)(0x80 | (code >> 12 & 0x3F));
  if (code >= 0x800) *to++ = (char)(0x80 | (code >> 6 & 0x3F));
  if (code >= 0x80) *to++ = (char)(0x80 | (code & 0x3F));
  return to;
}

/* A string without its quotes, in the arena. */
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

/* The digits are copied: the bytes need not end with a zero. */
static PfStatus read_number(Reader *r, double *number)
{
  static const char allowed[] = "+-.0123456789Ee";
  char digits[64], *stop;
  size_t count = 0;
  while (r->at + count < r->end && r->at[count] && strchr(allowed, r->at[count])) count++;
  const char *text = digits;
  if (count < sizeof digits) {
    memcpy(digits, r->at, count);
    digits[count] = 0;
  } else {
    text = pf_arena_text(r->arena, r->at, count);
    if (!text) return pf_no_room(r->ctx, "a text");
  }
  *number = pf_read_double(text, &stop);
  if (!count || *stop || !strchr("-0123456789", *text)) return fail(r, "a value is expected");
  r->at += count;
  return PF_OK;
}

/* Reads a value, with its name in an object, into a node that is linked where the next one goes; lists and objects are
 * opened. */
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
  if (*r->at != '[' && *r->at != '{') {
    node->kind = PF_JSON_BOOL;
    if (take_word(r, "true")) return node->number = 1, PF_OK;
    if (take_word(r, "false")) return PF_OK;
    node->kind = PF_JSON_NULL;
    if (take_word(r, "null")) return PF_OK;
    node->kind = PF_JSON_STRING;
    if (*r->at == '"') return read_string(r, &node->text);
    node->kind = PF_JSON_NUMBER;
    return read_number(r, &node->number);
  }
  if (r->depth == DEEPEST - 1) return fail(r, "brackets are nested too deeply");
  node->kind = *r->at++ == '[' ? PF_JSON_LIST : PF_JSON_OBJECT;
  r->open[r->depth++] = node;
  r->next[r->depth] = &node->child;
  return PF_OK;
}

/* Reads the brackets that close after a value, and a comma; *wants: another value must follow. */
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
