/* SPDX-License-Identifier: Apache-2.0 */
/* Typesetting of names: theta is a letter, _b and [2] are indices, x'' has primes, m/s^2 an exponent. A label is
 * written as runs of characters, each at a level (on the line, index, exponent) and upright or slanted. */
#include "out/label.h"

#include <ctype.h>
#include <string.h>

/* ---------------------------------------------------------------- runs of text */

typedef enum Level { ON_LINE, INDEX, EXPONENT } Level;
typedef enum Slant { UPRIGHT, ITALIC } Slant;

/* A label that is being set. Without a text only the width is computed. */
typedef struct Setter {
  PfText *text;
  double size;  /* of the font in pixels */
  double shift; /* how far below the line the last run stood: the next one begins there */
  double width;
  bool gap;     /* a blank before the next run */
} Setter;

/* The width of a text by DejaVu Sans, a wide font, in units of its size. */
static double run_width(const char *bytes, size_t count)
{
  double width = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (!c || (c & 0xC0) == 0x80) continue; /* inside a character */
    if (c >= 0x80) width += c == 0xC2 ? 0.42 : 0.8; /* dots, degrees */
    else if (strchr("ijlI.,:;'|!", c)) width += 0.33;
    else if (strchr("frt()[]{}/- \"`", c)) width += 0.42;
    else if (strchr("mwMW%@", c)) width += 0.97;
    else width += isupper(c) ? 0.72 : 0.63;
  }
  return width;
}

/* Adds a run of characters. Viewers drop a blank where a tspan begins, and the shift of an empty tspan: the blank is a
 * shift of the next character. */
static void put_run(Setter *s, Level level, Slant slant, const char *bytes, size_t count)
{
  static const double below[] = {0, 0.25, -0.4}, part[] = {1, 0.72, 0.72};
  double shift = below[level]*s->size;
  if (!count) return;
  s->width += part[level]*s->size*run_width(bytes, count);
  if (!s->text) return;
  bool plain = level == ON_LINE && slant == UPRIGHT && shift == s->shift && !s->gap;
  if (!plain && *bytes == ' ') {
    s->gap = true;
    bytes++, count--;
  }
  if (!count) return;
  if (!plain) {
    /* Opens a tspan at its place. */
    pf_text_add(s->text, "<tspan");
    if (s->gap) pf_text_print(s->text, " dx=\"%.1f\"", 0.32*s->size);
    if (shift != s->shift) pf_text_print(s->text, " dy=\"%.1f\"", shift - s->shift);
    if (level != ON_LINE) pf_text_print(s->text, " font-size=\"%.1f\"", part[level]*s->size);
    if (slant == ITALIC) pf_text_add(s->text, " font-style=\"italic\"");
    pf_text_add(s->text, ">");
  }
  pf_put_xml(s->text, bytes, count);
  if (!plain) pf_text_add(s->text, "</tspan>");
  s->shift = shift;
  s->gap = false;
}

static void put(Setter *s, Level level, const char *string)
{
  put_run(s, level, UPRIGHT, string, strlen(string));
}

/* ---------------------------------------------------------------- names */

/* The Greek letter with that name, or NULL. */
static const char *greek(const char *word, size_t length)
{
  static const char *const letters[][2] = {
    {"alpha", "α"},   {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"}, {"zeta", "ζ"},  {"eta", "η"},
    {"theta", "θ"},   {"iota", "ι"},   {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},
    {"pi", "π"},      {"rho", "ρ"},    {"sigma", "σ"}, {"tau", "τ"},   {"upsilon", "υ"}, {"phi", "φ"},   {"chi", "χ"},
    {"psi", "ψ"},     {"omega", "ω"},  {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},
    {"Pi", "Π"},      {"Sigma", "Σ"},  {"Upsilon", "Υ"}, {"Phi", "Φ"}, {"Psi", "Ψ"},     {"Omega", "Ω"}};
  for (size_t i = 0; i < sizeof letters/sizeof *letters; i++)
    if (strlen(letters[i][0]) == length && !memcmp(letters[i][0], word, length)) return letters[i][1];
  return NULL;
}

/* A Greek letter, a single letter in italics, a word upright; capital Greek letters are upright. */
static void put_word(Setter *s, Level level, const char *word, size_t length)
{
  const char *letter = greek(word, length);
  if (letter) put_run(s, level, islower((unsigned char)*word) ? ITALIC : UPRIGHT, letter, strlen(letter));
  else put_run(s, level, length == 1 && isalpha((unsigned char)*word) ? ITALIC : UPRIGHT, word, length);
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* Where the bracket that is open at `at` is closed; the end when it is not. */
static const char *end_of_brackets(const char *at, const char *end)
{
  int depth = 0;
  for (; at < end; at++) {
    depth += *at == '[';
    depth -= *at == ']';
    if (!depth) return at + 1;
  }
  return end;
}

/* leg[2].phi_b'': words with dots between them, brackets and primes; where the name ends. */
static const char *end_of_name(const char *at, const char *end)
{
  for (;;) {
    while (at < end && is_word(*at)) at++;
    while (at < end && *at == '[') at = end_of_brackets(at, end);
    if (at + 1 >= end || *at != '.' || !is_word(at[1])) break;
    at++;
  }
  while (at < end && *at == '\'') at++;
  return at;
}

/* One more index, after a comma unless it is the first; an empty one is left out. */
static void put_index(Setter *s, int *count, const char *word, const char *end)
{
  if (word == end) return;
  if ((*count)++) put(s, INDEX, ",");
  put_word(s, INDEX, word, (size_t)(end - word));
}

/* A name: its last word, _b, 12 and [2] of it as indices, then the words before as another index, then primes. One that
 * begins with '_' is written as it is. */
static void put_name(Setter *s, const char *name, const char *end)
{
  const char *own = name, *last = end;
  int count = 0;
  for (const char *c = name; c < end;) {
    if (*c == '[') c = end_of_brackets(c, end);
    else if (*c++ == '.') own = c;
  }
  /* The letters at the beginning: all of the word up to '_', but q and phi of q1 and phi12. */
  const char *letters = own, *word = own;
  while (letters < end && isalpha((unsigned char)*letters)) letters++;
  while (word < end && isalnum((unsigned char)*word)) word++;
  size_t length = (size_t)(letters - own);
  bool number = letters < word;
  for (const char *c = letters; c < word; c++) number = number && isdigit((unsigned char)*c);
  const char *at = number && (length == 1 || greek(own, length)) ? letters : word;
  while (last > own && last[-1] == '\'') last--;
  if (at == own) {
    put_run(s, ON_LINE, UPRIGHT, name, (size_t)(end - name));
    return;
  }
  put_word(s, ON_LINE, own, (size_t)(at - own));
  while (at < last) {
    const char *start = at;
    if (*at == '[') {
      at = end_of_brackets(at, last);
      put_index(s, &count, start + 1, at[-1] == ']' ? at - 1 : at);
    } else if (*at == '_' || *at == '\'') {
      at++;
    } else {
      while (at < last && isalnum((unsigned char)*at)) at++;
      put_index(s, &count, start, at > start ? at : ++at);
    }
  }
  if (own > name) put_index(s, &count, name, own - 1);
  for (; last < end; last++) put(s, ON_LINE, "′");
}

/* ---------------------------------------------------------------- formulas and units */

/* Δ before a name: a difference. */
static bool is_difference(const char *at, const char *end)
{
  return end - at >= 2 && !memcmp(at, "Δ", 2);
}

/* A name or a formula, in which blanks stand next to operators only; else it is a sentence. */
static bool is_formula(const char *at, const char *end)
{
  bool letters = false, gap = false, after_word = false;
  for (; at < end; at++) {
    if (*at == ' ') {
      gap = true;
    } else if (!after_word && is_difference(at, end)) {
      at++;
    } else if (*at && strchr("+-*/^,()=<>", *at)) {
      gap = after_word = false;
    } else {
      if (!is_word(*at) && !strchr(".[]'", *at)) return false;
      if (gap && after_word) return false;
      gap = false;
      after_word = true;
      letters = letters || isalpha((unsigned char)*at);
    }
  }
  return letters;
}

/* Where a number like 1.5e-3 ends. */
static const char *end_of_number(const char *at, const char *end)
{
  while (at < end && (isdigit((unsigned char)*at) || *at == '.')) at++;
  if (at < end && *at == 'e' && at + 1 < end && (isdigit((unsigned char)at[1]) || at[1] == '-' || at[1] == '+')) {
    at += 2;
    while (at < end && isdigit((unsigned char)*at)) at++;
  }
  return at;
}

/* Puts one number, name, unit or sign of a formula; returns where the next begins. ^2 and ^-1 are raised; other
 * exponents stay as they are written. */
static const char *put_token(Setter *s, const char *at, const char *end, bool unit)
{
  const char *after = at + 1;
  if (*at == '^') {
    const char *digits = after + (after < end && *after == '-'), *stop = digits;
    while (stop < end && isdigit((unsigned char)*stop)) stop++;
    if (stop == digits) {
      put(s, ON_LINE, "^");
      return after;
    }
    if (digits > after) put(s, EXPONENT, "−");
    put_run(s, EXPONENT, UPRIGHT, digits, (size_t)(stop - digits));
    return stop;
  }
  if (is_difference(at, end)) {
    put(s, ON_LINE, "Δ");
    return at + 2;
  }
  if (*at == '*') put(s, ON_LINE, "·");
  else if (*at == '-') put(s, ON_LINE, "−");
  else if (isdigit((unsigned char)*at))
    after = end_of_number(at, end), put_run(s, ON_LINE, UPRIGHT, at, (size_t)(after - at));
  else if (unit && isalpha((unsigned char)*at)) {
    while (after < end && isalpha((unsigned char)*after)) after++;
    if (after - at == 3 && !memcmp(at, "deg", 3)) put(s, ON_LINE, "°");
    else put_run(s, ON_LINE, UPRIGHT, at, (size_t)(after - at));
  } else if (is_word(*at)) {
    after = end_of_name(at, end);
    put_name(s, at, after);
  } else {
    put_run(s, ON_LINE, UPRIGHT, at, 1);
  }
  return after;
}

static void put_tokens(Setter *s, const char *at, const char *end, bool unit)
{
  while (at < end) at = put_token(s, at, end, unit);
}

/* momentum along nu[3]: words as they are, and among them those that can only be names: nu[3], x'. */
static void put_sentence(Setter *s, const char *at, const char *end)
{
  const char *start = at;
  while (at < end) {
    const char *word = at;
    while (at < end && *at != ' ') at++;
    if (at > word && isalpha((unsigned char)*word) && (memchr(word, '[', (size_t)(at - word)) || at[-1] == '\'') &&
        is_formula(word, at)) {
      put_run(s, ON_LINE, UPRIGHT, start, (size_t)(word - start));
      put_tokens(s, word, at, false);
      start = at;
    }
    while (at < end && *at == ' ') at++;
  }
  put_run(s, ON_LINE, UPRIGHT, start, (size_t)(end - start));
}

static void put_formula(Setter *s, const char *at, const char *end, bool unit)
{
  if (is_formula(at, end)) put_tokens(s, at, end, unit);
  else put_sentence(s, at, end);
}

/* Where " [unit]" begins at the end of the label, or its end. */
static const char *find_unit(const char *label)
{
  size_t length = strlen(label);
  const char *open = length && label[length - 1] == ']' ? strrchr(label, '[') : NULL;
  return open && (open == label || open[-1] == ' ') ? open : label + length;
}

/* A unit, from its bracket on. */
static void put_unit(Setter *s, const char *unit)
{
  put(s, ON_LINE, "[");
  put_formula(s, unit + 1, unit + strlen(unit) - 1, true);
  put(s, ON_LINE, "]");
}

/* The whole label. */
static void set(Setter *s, PfLabelKind kind, const char *label)
{
  const char *end = label + strlen(label), *unit = kind == PF_LABEL_NAME ? find_unit(label) : end, *name_end = unit;
  if (kind == PF_LABEL_PLAIN) {
    put_run(s, ON_LINE, UPRIGHT, label, (size_t)(end - label));
    return;
  }
  while (name_end > label && name_end[-1] == ' ') name_end--;
  put_formula(s, label, name_end, false);
  if (unit == end) return;
  if (name_end > label) put(s, ON_LINE, " ");
  put_unit(s, unit);
}

/* ---------------------------------------------------------------- labels */

double pf_label_width(PfLabelKind kind, const char *label, double size)
{
  Setter s = {.size = size};
  set(&s, kind, label);
  return s.width;
}

/* A label that is too wide is cut after as many characters as there is room for, as they are written; its unit is kept
 * unless that would leave nothing of the name. */
void pf_label_put(PfText *text, PfLabelKind kind, const char *label, double size, double most)
{
  Setter s = {.text = text, .size = size}, measured = {.size = size};
  if (pf_label_width(kind, label, size) <= most) {
    set(&s, kind, label);
    return;
  }
  const char *unit = kind == PF_LABEL_NAME ? find_unit(label) : label + strlen(label);
  if (*unit) put_unit(&measured, unit);
  if (measured.width > 0.7*most) unit = label + strlen(label), measured.width = 0;
  const double room = most - measured.width - (*unit ? 0.42*size : 0);
  const size_t count = (size_t)(unit - label);
  size_t at = 0;
  for (double width = size; at < count;) {
    uint32_t bytes = pf_utf8_size(label + at, count - at);
    if (!bytes) bytes = 1;
    width += size*run_width(label + at, bytes);
    if (width > room) break;
    at += bytes;
  }
  pf_put_xml(text, label, at);
  pf_text_add(text, "…");
  if (!*unit) return;
  pf_text_add(text, " ");
  put_unit(&s, unit);
}
