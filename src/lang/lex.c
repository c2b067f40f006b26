/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tokens, and what to say about characters that start none. */
#include "lang/lex.h"
#include "lang/units.h"

#include <string.h>

static const char *const keywords[] = {
#define ENTRY(word, function) word,
  PF_KEYWORD_LIST(ENTRY)
#undef ENTRY
};
enum { KEYWORD_COUNT = sizeof keywords/sizeof *keywords };

/* Words inside statements. They are not names either: 'turn about z' should miss its angle, not its axis. */
static const char *const clauses[] = {"in",   "at",    "on",    "to",    "by",     "as",
                                      "from", "about", "along", "until", "against"};
enum { CLAUSE_COUNT = sizeof clauses/sizeof *clauses };

static const char *const token_text[] = {
#define ENTRY(kind, text) text,
  PF_TOKEN_LIST(ENTRY)
#undef ENTRY
};

const char *pf_token_text(PfTokenKind kind)
{
  return kind < PF_T_COUNT ? token_text[kind] : "nothing";
}

/* ---------------------------------------------------------------- words */

static bool is_one_of(const char *const *list, int count, const char *word, size_t size)
{
  for (int i = 0; i < count; i++)
    if (list[i][0] == word[0] && !strncmp(list[i], word, size) && !list[i][size]) return true;
  return false;
}

PfTokenKind pf_word_kind(const char *word, size_t size)
{
  if (size < 2 || size > 11) return PF_T_NAME; /* the longest is 'dissipation' */
  if (is_one_of(keywords, KEYWORD_COUNT, word, size)) return PF_T_KEYWORD;
  if (is_one_of(clauses, CLAUSE_COUNT, word, size)) return PF_T_CLAUSE;
  if (size == 3 && !memcmp(word, "and", 3)) return PF_T_AND;
  if (size == 2 && !memcmp(word, "or", 2)) return PF_T_OR;
  if (size == 3 && !memcmp(word, "not", 3)) return PF_T_NOT;
  return PF_T_NAME;
}

bool pf_is_keyword(const char *word)
{
  return pf_word_kind(word, strlen(word)) == PF_T_KEYWORD;
}

const char *pf_nearest_keyword(const char *word)
{
  int best = strlen(word) > 4 ? 3 : 2; /* one more than the edits that are allowed */
  const char *nearest = NULL;
  for (int i = 0; i < KEYWORD_COUNT; i++) {
    int distance = pf_name_distance(word, keywords[i], best);
    if (distance >= best) continue;
    best = distance;
    nearest = keywords[i];
  }
  return nearest;
}

/* ---------------------------------------------------------------- reading */

void pf_lexer_init(PfLexer *lexer, const PfSource *source, PfComments comments)
{
  *lexer = (PfLexer){.source = source, .comments = comments, .line = 1, .column = 1};
  lexer->last = (PfToken){.kind = PF_T_END, .line = 1, .column = 1};
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* How many bytes the first line of the rest has. */
static uint32_t to_line_end(const PfLexer *lexer)
{
  const char *at = lexer->source->bytes + lexer->at;
  size_t left = lexer->source->count - lexer->at;
  const char *end = memchr(at, '\n', left);
  size_t size = end ? (size_t)(end - at) : left;
  if (end && size && at[size - 1] == '\r') size--;
  return (uint32_t)size;
}

static uint32_t character_count(const char *bytes, uint32_t size)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < size; i++) count += ((unsigned char)bytes[i] & 0xC0) != 0x80;
  return count;
}

/* Blanks, line ends and, if they are not wanted, comments; returns the number of line ends, at most 2. */
static uint32_t skip_blanks(PfLexer *lexer)
{
  uint32_t newlines = 0;
  for (;;) {
    char c = lexer->source->bytes[lexer->at];
    if (c == '\n') {
      newlines += newlines < 2;
      lexer->line++;
      lexer->column = 0;
    } else if (c == '#' && lexer->comments == PF_SKIP_COMMENTS) {
      lexer->at += to_line_end(lexer); /* the column does not matter: the line is over */
      continue;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return newlines;
    }
    lexer->at++;
    lexer->column++;
  }
}

static uint32_t word_size(const char *at)
{
  uint32_t size = 0;
  while (is_letter(at[size]) || is_digit(at[size])) size++;
  return size;
}

static uint32_t digits(const char *at)
{
  uint32_t size = 0;
  while (is_digit(at[size])) size++;
  return size;
}

/* 12, 0.5, .5, 1., 1e-3; the dots of 1..3 are not part of the number. */
static uint32_t number_size(const char *at)
{
  uint32_t size = digits(at);
  if (at[size] == '.' && at[size + 1] != '.') size += 1 + digits(at + size + 1);
  if (at[size] == 'e' || at[size] == 'E') {
    uint32_t sign = at[size + 1] == '+' || at[size + 1] == '-';
    uint32_t exponent = digits(at + size + 1 + sign);
    if (exponent) size += 1 + sign + exponent;
  }
  return size;
}

static PfTokenKind number(const char *at, uint32_t *size)
{
  *size = number_size(at);
  if (!is_letter(at[*size])) return PF_T_NUMBER;
  *size += word_size(at + *size);
  return PF_T_BAD;
}

/* Strings and units end in their line; what does not end takes all of it, so that no byte is read twice. */
static PfTokenKind string(const char *at, uint32_t *size)
{
  uint32_t i = 1;
  while (at[i] && at[i] != '\n' && at[i] != '"') {
    bool escaped = at[i] == '\\' && (at[i + 1] == '"' || at[i + 1] == '\\');
    i += escaped ? 2 : 1;
  }
  *size = i + (at[i] == '"');
  return at[i] == '"' ? PF_T_STRING : PF_T_BAD;
}

/* '[' directly after a name opens an index; anywhere else it is a unit, which is read as a whole. */
static PfTokenKind bracket(const PfLexer *lexer, uint32_t *size)
{
  const PfToken *last = &lexer->last;
  *size = 1;
  if ((last->kind == PF_T_NAME || last->kind == PF_T_KEYWORD) && last->start + last->size == lexer->at)
    return PF_T_LBRACKET;
  const char *at = lexer->source->bytes + lexer->at;
  uint32_t i = 1;
  while (at[i] && at[i] != '\n' && at[i] != ']') i++;
  *size = i + (at[i] == ']');
  return at[i] == ']' ? PF_T_UNIT : PF_T_BAD;
}

static PfTokenKind two_characters(const char *at)
{
  static const struct {
    char text[3];
    PfTokenKind kind;
  } pairs[] = {
    {"..", PF_T_DOTDOT}, {"<=", PF_T_LESS_EQUAL}, {">=", PF_T_GREATER_EQUAL}, {"==", PF_T_EQUAL_EQUAL},
    {"**", PF_T_BAD},    {":=", PF_T_BAD},        {"!=", PF_T_BAD},           {"&&", PF_T_BAD},
    {"||", PF_T_BAD},
  };
  for (size_t i = 0; i < sizeof pairs/sizeof *pairs; i++)
    if (at[0] == pairs[i].text[0] && at[1] == pairs[i].text[1]) return pairs[i].kind;
  return PF_T_END;
}

static PfTokenKind one_character(char c)
{
  switch (c) {
  case '(': return PF_T_LPAREN;
  case ')': return PF_T_RPAREN;
  case ']': return PF_T_RBRACKET;
  case '{': return PF_T_LBRACE;
  case '}': return PF_T_RBRACE;
  case ',': return PF_T_COMMA;
  case ':': return PF_T_COLON;
  case ';': return PF_T_SEMICOLON;
  case '=': return PF_T_EQUAL;
  case '+': return PF_T_PLUS;
  case '-': return PF_T_MINUS;
  case '*': return PF_T_STAR;
  case '/': return PF_T_SLASH;
  case '^': return PF_T_CARET;
  case '\'': return PF_T_PRIME;
  case '.': return PF_T_DOT;
  case '<': return PF_T_LESS;
  case '>': return PF_T_GREATER;
  case '!': return PF_T_BANG;
  default: return PF_T_BAD;
  }
}

/* The kind and the size of the token that starts here; not called at the end. */
static PfTokenKind classify(const PfLexer *lexer, uint32_t *size)
{
  const char *at = lexer->source->bytes + lexer->at;
  if (is_letter(*at)) {
    *size = word_size(at);
    return pf_word_kind(at, *size);
  }
  if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) return number(at, size);
  if (*at == '"') return string(at, size);
  if (*at == '[') return bracket(lexer, size);
  if (*at == '#') {
    *size = to_line_end(lexer);
    return PF_T_COMMENT;
  }
  PfTokenKind kind = two_characters(at);
  *size = kind == PF_T_END ? 1 : 2;
  if (kind != PF_T_END) return kind;
  kind = one_character(*at);
  if (kind == PF_T_BAD) *size = pf_utf8_size(at, lexer->source->count - lexer->at);
  return kind;
}

static PfToken end_token(const PfLexer *lexer, uint32_t newlines)
{
  const PfToken *last = &lexer->last;
  return (PfToken){.kind = PF_T_END,
                   .start = lexer->at,
                   .line = last->line,
                   .column = last->column + last->length,
                   .newlines = newlines};
}

PfToken pf_lexer_next(PfLexer *lexer)
{
  uint32_t newlines = skip_blanks(lexer);
  if (lexer->at >= lexer->source->count) return end_token(lexer, newlines);

  PfToken token = {.start = lexer->at, .line = lexer->line, .column = lexer->column, .newlines = newlines};
  token.kind = classify(lexer, &token.size);
  token.length = character_count(lexer->source->bytes + token.start, token.size);
  lexer->at += token.size;
  lexer->column += token.length;
  if (token.kind != PF_T_COMMENT) lexer->last = token;
  return token;
}

/* ---------------------------------------------------------------- tokens */

bool pf_token_is(const PfSource *source, const PfToken *token, const char *word)
{
  return token->size == strlen(word) && !memcmp(source->bytes + token->start, word, token->size);
}

PfPlace pf_token_place(const PfSource *source, const PfToken *token)
{
  return pf_source_place(source, token->line, token->column, token->length ? token->length : 1);
}

char *pf_token_unit(const PfSource *source, const PfToken *token)
{
  char *text = pf_arena_text(source->arena, source->bytes + token->start + 1, token->size - 2);
  if (!text) return NULL;
  char *end = text;
  for (const char *from = text; *from; from++) {
    bool blank = *from == ' ' || *from == '\t';
    if (!blank) *end++ = *from;
    else if (end > text && end[-1] != ' ') *end++ = ' ';
  }
  if (end > text && end[-1] == ' ') end--;
  *end = 0;
  return text;
}

/* ---------------------------------------------------------------- what is wrong with it */

static const struct {
  const char *text, *hint;
} habits[] = {
  {"**", "a power is written with ^, for example x^2"},
  {":=", "to define a name write: let x = …"},
  {"!=", "write: not (a == b)"},
  {"&&", "write: and"},
  {"||", "write: or"},
  {"&", "write: and"},
  {"|", "write: or; an absolute value is abs(x)"},
  {"%", "a comment starts with #"},
  {"\\", "a long line may be broken after an operator or a comma without any sign"},
  {"\u2019", "a time derivative is written with a straight apostrophe: x'"},
  {"\u2018", "a time derivative is written with a straight apostrophe: x'"},
  {"\u2032", "a time derivative is written with a straight apostrophe: x'"},
  {"\u00B4", "a time derivative is written with a straight apostrophe: x'"},
  {"`", "a time derivative is written with a straight apostrophe: x'"},
  {"\u201C", "write straight quotes: \"…\""},
  {"\u201D", "write straight quotes: \"…\""},
  {"\u201E", "write straight quotes: \"…\""},
  {"\u2212", "write an ordinary minus sign: -"},
  {"\u2013", "write an ordinary minus sign: -"},
  {"\u2014", "write an ordinary minus sign: -"},
  {"\u00B7", "a product is written with *"},
  {"\u00D7", "a product is written with *; the product of two vectors is cross(a, b)"},
  {"\u00B2", "a power is written with ^, for example x^2"},
  {"\u00B3", "a power is written with ^, for example x^3"},
  {"\u2264", "write: <="},
  {"\u2265", "write: >="},
  {"\u221A", "a square root is sqrt(x)"},
  {"\u03C0", "write: pi"},
  {"\u2026", "a range is written with two dots: 1..3"},
  {"\u00B0", "write the unit: 30 [deg]"},
};

static void hint_habit(const PfSource *source, const PfToken *token)
{
  for (size_t i = 0; i < sizeof habits/sizeof *habits; i++) {
    if (!pf_token_is(source, token, habits[i].text)) continue;
    pf_hint(source->ctx, "%s", habits[i].hint);
    return;
  }
  if ((unsigned char)source->bytes[token->start] >= 0x80)
    pf_hint(source->ctx, "names are made of the letters a-z and A-Z, digits and _, for example theta_1");
}

/* The blanks of other alphabets look like nothing: they need their number. */
static bool report_invisible(const PfSource *source, const PfToken *token)
{
  static const struct {
    const char *text, *name;
  } invisible[] = {{"\u00A0", "U+00A0"}, {"\u200B", "U+200B"}, {"\uFEFF", "U+FEFF"}, {"\u202F", "U+202F"},
                   {"\u2009", "U+2009"}, {"\u00AD", "U+00AD"}, {"\u2028", "U+2028"}};
  for (size_t i = 0; i < sizeof invisible/sizeof *invisible; i++) {
    if (!pf_token_is(source, token, invisible[i].text)) continue;
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, pf_token_place(source, token), "a special blank (%s) in the text",
               invisible[i].name);
    pf_hint(source->ctx,
            "replace it by an ordinary blank; it often comes from a web page or a word processor");
    return true;
  }
  return false;
}

static bool is_unit(PfContext *ctx, const char *letters, int count)
{
  char text[32];
  PfUnit unit;
  int before = pf_diagnostic_count(ctx);
  snprintf(text, sizeof text, "%.*s", count, letters);
  bool known = pf_unit_parse(ctx, (PfPlace){0}, text, &unit) == PF_OK;
  pf_diagnostics_cut(ctx, before);
  return known;
}

/* 2x: a product without its sign; 5kg: a unit without its brackets. */
static void report_number(const PfSource *source, const PfToken *token)
{
  const char *at = source->bytes + token->start;
  uint32_t digit_count = number_size(at), letters = token->size - digit_count;
  int shown = digit_count > 20 ? 20 : (int)digit_count, shown_letters = letters > 20 ? 20 : (int)letters;
  pf_fail_at(source->ctx, PF_ERR_SYNTAX, pf_token_place(source, token),
             "the number %.*s runs into the name '%.*s'", shown, at, shown_letters, at + digit_count);
  if (digit_count > 20 || letters > 20) return;
  int number = shown - (at[shown - 1] == '.');
  const char *name = at + digit_count;
  if (is_unit(source->ctx, name, shown_letters))
    pf_hint(source->ctx, "write %.*s [%.*s] for the unit, %.*s*%.*s for the product", number, at, shown_letters, name,
            number, at, shown_letters, name);
  else pf_hint(source->ctx, "write %.*s*%.*s for the product", number, at, shown_letters, name);
}

PfStatus pf_lex_report(const PfSource *source, const PfToken *token)
{
  const char *at = source->bytes + token->start;
  PfPlace place = pf_token_place(source, token);
  if (*at == '"' || *at == '[') place.length = 1; /* where it starts, not the whole line */
  if (is_digit(*at) || *at == '.') {
    report_number(source, token);
  } else if (*at == '"') {
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, place,
               "the text that starts here has no closing quote in this line");
  } else if (*at == '[') {
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, place,
               "the unit that starts here has no closing ']' in this line");
    pf_hint(source->ctx, "an index follows its name without a blank: psi[1]");
  } else if (!report_invisible(source, token)) {
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, place, "'%.*s' has no meaning here", (int)token->size, at);
    hint_habit(source, token);
  }
  return PF_ERR_SYNTAX;
}
