#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct Reader {
  PfArena *arena;
  const char *start, *at;
  const char *error;
} Reader;

static void skip_blanks(Reader *r)
{
  while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r') r->at++;
}

static Json *complain(Reader *r, const char *what)
{
  if (!r->error) r->error = what;
  return NULL;
}

static const char *read_text(Reader *r)
{
  const char *begin = ++r->at;
  while (*r->at && *r->at != '"') {
    if (*r->at == '\\' || (unsigned char)*r->at < 0x20) {
      complain(r, "escapes and control characters in texts are not read");
      return NULL;
    }
    r->at++;
  }
  if (!*r->at) {
    complain(r, "a text without end");
    return NULL;
  }
  return pf_arena_text(r->arena, begin, (size_t)(r->at++ - begin));
}

/* strtod reads more than JSON allows: the characters are checked first. */
static Json *read_number(Reader *r, Json *value)
{
  const char *p = r->at + (*r->at == '-');
  if (*p < '0' || *p > '9') return complain(r, "not a value");
  char *end;
  value->kind = JSON_NUMBER;
  value->number = strtod(r->at, &end);
  if (strspn(r->at, "-+.eE0123456789") != (size_t)(end - r->at)) return complain(r, "not a number");
  r->at = end;
  return value;
}

static bool read_word(Reader *r, const char *word)
{
  const size_t length = strlen(word);
  if (strncmp(r->at, word, length)) return false;
  r->at += length;
  return true;
}

static Json *read_value(Reader *r, int depth);

static Json *read_member(Reader *r, bool named, int depth)
{
  const char *key = NULL;
  skip_blanks(r);
  if (named) {
    if (*r->at != '"') return complain(r, "expected a key");
    key = read_text(r);
    skip_blanks(r);
    if (!key || *r->at++ != ':') return complain(r, "expected ':'");
  }
  Json *member = read_value(r, depth + 1);
  if (member) member->key = key;
  return member;
}

static Json *read_members(Reader *r, Json *value, char end, int depth)
{
  if (depth > DEEPEST) return complain(r, "nested too deeply");
  Json **last = &value->first;
  r->at++;
  skip_blanks(r);
  if (*r->at == end) return r->at++, value;
  for (;;) {
    Json *member = read_member(r, end == '}', depth);
    if (!member) return NULL;
    *last = member;
    last = &member->next;
    value->count++;
    skip_blanks(r);
    if (*r->at == end) return r->at++, value;
    if (*r->at++ != ',') return complain(r, "expected ',' or the end of a list");
  }
}

static Json *read_value(Reader *r, int depth)
{
  Json *value = pf_arena_array(r->arena, Json, 1);
  if (!value) return complain(r, "no memory");
  skip_blanks(r);
  switch (*r->at) {
  case '{': value->kind = JSON_OBJECT; return read_members(r, value, '}', depth);
  case '[': value->kind = JSON_LIST; return read_members(r, value, ']', depth);
  case '"':
    value->kind = JSON_TEXT;
    value->text = read_text(r);
    return value->text ? value : NULL;
  default: break;
  }
  if (read_word(r, "null")) value->kind = JSON_NULL;
  else if (read_word(r, "true")) value->kind = JSON_TRUE;
  else if (read_word(r, "false")) value->kind = JSON_FALSE;
  else return read_number(r, value);
  return value;
}

const Json *json_read(PfArena *arena, const char *text, char *error, size_t room)
{
  Reader r = {arena, text, text, NULL};
  const Json *value = read_value(&r, 0);
  skip_blanks(&r);
  if (value && *r.at) complain(&r, "something follows the value");
  if (!r.error) return value;
  int line = 1, column = 1;
  for (const char *p = text; p < r.at; p++) {
    column = *p == '\n' ? 1 : column + 1;
    line += *p == '\n';
  }
  snprintf(error, room, "%d:%d: %s", line, column, r.error);
  return NULL;
}

const Json *json_get(const Json *object, const char *key)
{
  for (const Json *member = object ? object->first : NULL; member; member = member->next)
    if (member->key && !strcmp(member->key, key)) return member;
  return NULL;
}

const Json *json_at(const Json *list, int index)
{
  const Json *member = list ? list->first : NULL;
  while (member && index-- > 0) member = member->next;
  return member;
}

/* Lists inside lists, without recursion beyond the depth that was read. */
int json_numbers(const Json *value, double *to, int room)
{
  if (!value) return 0;
  if (value->kind != JSON_LIST && value->kind != JSON_OBJECT) {
    if (room > 0) *to = value->kind == JSON_NUMBER ? value->number : value->kind == JSON_NULL ? NAN :
        value->kind == JSON_TRUE;
    return 1;
  }
  int count = 0;
  for (const Json *member = value->first; member; member = member->next) {
    const int used = count < room ? count : room;
    count += json_numbers(member, used ? to + used : to, room - used);
  }
  return count;
}
