/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of messages. The format is printed without the signs of its tokens, and their places in the printed text are
 * found by printing the format up to there: so no text of an argument is taken for a token. */
#include "base/plain.h"
#include "base/spelling.h"

#include <string.h>

/* ---------------------------------------------------------------- C */

const char *pf_setting_name(const char *name)
{
  static const char *const letters[][2] = {{"p", "param"}, {"s", "state"}, {"n", "members"}, {"o", "out"},
                                           {"w", "write"}, {"h", "help"}};
  for (size_t i = 0; i < sizeof letters/sizeof *letters; i++)
    if (!strcmp(letters[i][0], name)) return letters[i][1];
  return name;
}

static void put_setting(PfText *text, const char *name, const char *value)
{
  pf_text_add(text, pf_setting_name(name));
  if (value) pf_text_print(text, " = %s", value);
}

static void put_task(PfText *text, const char *name, const char *words, const char *settings, bool quoted)
{
  (void)words, (void)quoted;
  pf_text_print(text, "the task '%s'%s%s", name, *settings ? " with " : "", settings);
}

const PfSpelling pf_spelling_of_c = {put_setting, put_task};

/* ---------------------------------------------------------------- the format */

/* Where something begins or ends, in the format and then in what was printed. */
typedef enum MarkKind { SETTING, VALUE, SETTING_END, TASK, CALL, TASK_END } MarkKind;
typedef struct Mark {
  MarkKind kind;
  size_t at;
} Mark;

enum { MOST_MARKS = 120, MOST_FORMAT = 2000 };

typedef struct Format {
  char plain[MOST_FORMAT]; /* the format without the signs of tokens */
  size_t count;
  Mark marks[MOST_MARKS];
  int mark_count;
} Format;

static void mark(Format *f, MarkKind kind)
{
  if (f->mark_count < MOST_MARKS) f->marks[f->mark_count++] = (Mark){kind, f->count};
}

static void put(Format *f, const char *from, size_t count)
{
  if (count > sizeof f->plain - 1 - f->count) count = sizeof f->plain - 1 - f->count;
  memcpy(f->plain + f->count, from, count);
  f->count += count;
}

/* The length of what may stand for a name after '@': letters, %s or %.*s; 0: it is not a token. */
static size_t name_length(const char *at)
{
  if (!strncmp(at, "%s", 2)) return 2;
  if (!strncmp(at, "%.*s", 4)) return 4;
  return *at >= 'a' && *at <= 'z' ? strspn(at, "abcdefghijklmnopqrstuvwxyz_") : 0;
}

/* Takes the signs of tokens out of the format and marks where they were. Braces are of a token when one is open. */
static void read_format(const char *format, Format *f)
{
  MarkKind open[8]; /* what the next '}' ends */
  int depth = 0;
  f->count = 0, f->mark_count = 0;
  for (const char *at = format; *at;) {
    size_t name = *at == '@' ? name_length(at + 1) : 0;
    if (*at == '%' && at[1] == '%') {
      put(f, at, 2), at += 2;
    } else if (*at == '@' && at[1] == '@') {
      put(f, at, 1), at += 2;
    } else if ((!strncmp(at, "@task{", 6) || !strncmp(at, "@call{", 6)) && depth < 8) {
      mark(f, at[1] == 't' ? TASK : CALL), open[depth++] = TASK_END, at += 6;
    } else if (name) {
      mark(f, SETTING), put(f, at + 1, name), at += 1 + name;
      if (*at == '{' && depth < 8) mark(f, VALUE), open[depth++] = SETTING_END, at++;
      else mark(f, SETTING_END);
    } else if (*at == '}' && depth) {
      mark(f, open[--depth]), at++;
    } else {
      put(f, at, 1), at++;
    }
  }
  f->plain[f->count] = 0;
}

/* ---------------------------------------------------------------- spelling */

typedef struct Speller {
  const PfSpelling *spelling;
  char *printed;       /* its marks' places get zero bytes while a piece is looked at */
  const Mark *marks;
  int count, next;
  size_t at;           /* so much of it is spelled */
  char *setting;       /* gets the name of the first one */
} Speller;

/* Text up to the next mark. */
static void copy_to(Speller *s, PfText *text, size_t end)
{
  if (end < s->at) return;
  pf_text_put(text, s->printed + s->at, end - s->at);
  s->at = end;
}

/* A piece of what was printed as a text of its own: the byte behind it is put back by the caller. */
static char end_piece(Speller *s, size_t end)
{
  char behind = s->printed[end];
  s->printed[end] = 0;
  return behind;
}

static void spell_setting(Speller *s, PfText *text)
{
  const Mark *m = s->marks + s->next;
  const bool valued = m[1].kind == VALUE;
  const size_t name_end = m[1].at, end = m[valued ? 2 : 1].at;
  PfText name;
  pf_text_init(&name, text->allocator);
  pf_text_put(&name, s->printed + m->at, name_end - m->at);
  char behind = end_piece(s, end), *blank = valued ? NULL : strchr(pf_text_get(&name), ' ');
  const char *value = valued ? s->printed + name_end : NULL;
  if (blank) *blank = 0, value = s->printed + m->at + (blank - name.at) + 1;
  for (char *c = name.at; c && *c; c++)
    if (*c == '-') *c = '_'; /* tables of options have them */
  const char *word = pf_text_get(&name), *whole = pf_setting_name(word);
  if (*word) s->spelling->setting(text, word, value);
  else pf_text_add(text, value ? value : "");
  if (s->setting && !*s->setting && strlen(whole) < PF_LONGEST_SETTING)
    memcpy(s->setting, whole, strlen(whole) + 1);
  s->printed[end] = behind;
  text->failed = text->failed || name.failed;
  pf_text_free(&name);
  s->at = end;
  s->next += valued ? 3 : 2;
}

/* 'pfaff run --out x.csv': the name ends at a blank or with the task. */
static void spell_task(Speller *s, PfText *text)
{
  PfText words, settings;
  pf_text_init(&words, text->allocator);
  pf_text_init(&settings, text->allocator);
  const bool quoted = s->marks[s->next++].kind == TASK;
  while (s->next < s->count && s->marks[s->next].kind == SETTING) {
    copy_to(s, &words, s->marks[s->next].at);
    size_t before = words.count;
    spell_setting(s, &words);
    pf_text_add(&settings, settings.count ? ", " : "");
    pf_text_add(&settings, pf_text_get(&words) + before);
  }
  if (s->next < s->count) copy_to(s, &words, s->marks[s->next++].at);
  size_t name = strcspn(pf_text_get(&words), " ");
  char task[PF_LONGEST_SETTING];
  snprintf(task, sizeof task, "%.*s", (int)name, pf_text_get(&words));
  s->spelling->task(text, task, pf_text_get(&words) + name, pf_text_get(&settings), quoted);
  text->failed = text->failed || words.failed || settings.failed;
  pf_text_free(&words);
  pf_text_free(&settings);
}

/* What was printed, with its marks in it. */
static void spell_all(PfText *text, const PfSpelling *spelling, char *setting, const Format *f, char *printed,
                      size_t count)
{
  Speller s = {.spelling = spelling, .printed = printed, .marks = f->marks, .count = f->mark_count, .setting = setting};
  while (s.next < s.count) {
    copy_to(&s, text, s.marks[s.next].at);
    if (s.marks[s.next].kind != SETTING) spell_task(&s, text);
    else spell_setting(&s, text);
  }
  copy_to(&s, text, count);
}

void pf_text_spell_list(PfText *text, const PfSpelling *spelling, char *setting, const char *format, va_list words)
{
  if (setting) *setting = 0;
  if (!strchr(format, '@')) {
    pf_text_print_list(text, format, words);
    return;
  }
  Format f;
  read_format(format, &f);
  char prefix[MOST_FORMAT];
  const PfPlain plain = pf_plain_begin();
  for (int i = 0; i < f.mark_count; i++) {
    va_list again;
    va_copy(again, words);
    memcpy(prefix, f.plain, f.marks[i].at);
    prefix[f.marks[i].at] = 0;
    int length = vsnprintf(NULL, 0, prefix, again);
    f.marks[i].at = length > 0 ? (size_t)length : 0;
    va_end(again);
  }
  pf_plain_end(plain);
  PfText printed;
  pf_text_init(&printed, text->allocator);
  pf_text_print_list(&printed, f.plain, words);
  text->failed = text->failed || printed.failed;
  if (!text->failed) spell_all(text, spelling, setting, &f, printed.at, printed.count);
  pf_text_free(&printed);
}

void pf_text_spell_words(PfText *text, const PfSpelling *spelling, const char *words)
{
  Format f;
  read_format(words, &f);
  spell_all(text, spelling, NULL, &f, f.plain, f.count);
}

void pf_text_spell(PfText *text, const PfSpelling *spelling, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  pf_text_spell_list(text, spelling, NULL, format, words);
  va_end(words);
}

const char *pf_spell(PfContext *ctx, PfArena *arena, const char *format, ...)
{
  PfText text;
  va_list words;
  pf_text_init(&text, pf_context_allocator(ctx));
  va_start(words, format);
  pf_text_spell_list(&text, pf_context_spelling(ctx), NULL, format, words);
  va_end(words);
  const char *kept = text.failed ? NULL : pf_arena_text(arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return kept;
}
