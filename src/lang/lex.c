/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer: from text to tokens, one at a time and without memory of its own; and the messages about characters that
 * start no token. */
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
static const char clauses[] = "in at on to by as from about along until against";

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



PfTokenKind pf_word_kind(const char *word, size_t size)
{
  if (size < 2 || size > 11) return PF_T_NAME; /* the longest is 'dissipation' */
  for (int i = 0; i < KEYWORD_COUNT; i++)
    if (keywords[i][0] == word[0] && !strncmp(keywords[i], word, size) && !keywords[i][size]) return PF_T_KEYWORD;
  if (pf_word_is_in(clauses, word, size)) return PF_T_CLAUSE;
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

/* Starts at the first byte of the source, which must outlive the lexer. */
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

/* The signs of one and of two characters; signs of other languages are read whole, to be refused. */
static PfTokenKind sign(const char *at, uint32_t *size)
{
  static const struct {
    char text[3];
    PfTokenKind kind;
  } pairs[] = {
    {"..", PF_T_DOTDOT}, {"<=", PF_T_LESS_EQUAL}, {">=", PF_T_GREATER_EQUAL}, {"==", PF_T_EQUAL_EQUAL},
    {"**", PF_T_BAD},    {":=", PF_T_BAD},        {"!=", PF_T_BAD},           {"&&", PF_T_BAD},
    {"||", PF_T_BAD},
  };
  static const char signs[] = "()]{},:;=+-*/^'.<>!";
  static const PfTokenKind kinds[] = {
    PF_T_LPAREN, PF_T_RPAREN, PF_T_RBRACKET, PF_T_LBRACE, PF_T_RBRACE, PF_T_COMMA, PF_T_COLON,
    PF_T_SEMICOLON, PF_T_EQUAL, PF_T_PLUS, PF_T_MINUS, PF_T_STAR, PF_T_SLASH, PF_T_CARET,
    PF_T_PRIME, PF_T_DOT, PF_T_LESS, PF_T_GREATER, PF_T_BANG,
  };
  *size = 2;
  for (size_t i = 0; i < sizeof pairs/sizeof *pairs; i++)
    if (at[0] == pairs[i].text[0] && at[1] == pairs[i].text[1]) return pairs[i].kind;
  *size = 1;
  const char *found = *at ? strchr(signs, *at) : NULL;
  return found ? kinds[found - signs] : PF_T_BAD;
}

/* The kind and the size of the token that starts here; not called at the end. */
static PfTokenKind classify(const PfLexer *lexer, uint32_t *size)
{
  const char *at = lexer->source->bytes + lexer->at;
  if (is_letter(*at)) {
    *size = word_size(at);
    return pf_word_kind(at, *size);
  }
  if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) {
    *size = number_size(at);
    if (!is_letter(at[*size])) return PF_T_NUMBER;
    *size += word_size(at + *size); /* 2x, 5kg */
    return PF_T_BAD;
  }
  if (*at == '"') return string(at, size);
  if (*at == '[') {
    /* '[' directly after a name opens an index; anywhere else it is a unit, which is read as a whole. */
    const PfToken *last = &lexer->last;
    *size = 1;
    if ((last->kind == PF_T_NAME || last->kind == PF_T_KEYWORD) && last->start + last->size == lexer->at)
      return PF_T_LBRACKET;
    uint32_t i = 1;
    while (at[i] && at[i] != '\n' && at[i] != ']') i++;
    *size = i + (at[i] == ']');
    return at[i] == ']' ? PF_T_UNIT : PF_T_BAD;
  }
  if (*at == '#') {
    *size = to_line_end(lexer);
    return PF_T_COMMENT;
  }
  PfTokenKind kind = sign(at, size);
  if (kind == PF_T_BAD && *size == 1) *size = pf_utf8_size(at, lexer->source->count - lexer->at);
  return kind;
}

PfToken pf_lexer_next(PfLexer *lexer)
{
  uint32_t newlines = skip_blanks(lexer);
  if (lexer->at >= lexer->source->count) {
    const PfToken *last = &lexer->last;
    return (PfToken){.kind = PF_T_END,
                     .start = lexer->at,
                     .line = last->line,
                     .column = last->column + last->length,
                     .newlines = newlines};
  }

  PfToken token = {.start = lexer->at, .line = lexer->line, .column = lexer->column, .newlines = newlines};
  token.kind = classify(lexer, &token.size);
  const char *bytes = lexer->source->bytes + token.start; /* characters of UTF-8 are counted, not bytes */
  for (uint32_t i = 0; i < token.size; i++) token.length += ((unsigned char)bytes[i] & 0xC0) != 0x80;
  lexer->at += token.size;
  lexer->column += token.length;
  if (token.kind != PF_T_COMMENT) lexer->last = token;
  return token;
}

/* ---------------------------------------------------------------- tokens */

/* Is the token this word? */
bool pf_token_is(const PfSource *source, const PfToken *token, const char *word)
{
  return token->size == strlen(word) && !memcmp(source->bytes + token->start, word, token->size);
}

/* The place of the token in the source. */
PfPlace pf_token_place(const PfSource *source, const PfToken *token)
{
  return pf_source_place(source, token->line, token->column, token->length ? token->length : 1);
}

void pf_squeeze_blanks(char *text)
{
  char *end = text;
  for (const char *from = text; *from; from++) {
    bool blank = *from == ' ' || *from == '\t';
    if (!blank) *end++ = *from;
    else if (end > text && end[-1] != ' ') *end++ = ' ';
  }
  if (end > text && end[-1] == ' ') end--;
  *end = 0;
}

char *pf_token_unit(const PfSource *source, const PfToken *token)
{
  char *text = pf_arena_text(source->arena, source->bytes + token->start + 1, token->size - 2);
  if (text) pf_squeeze_blanks(text);
  return text;
}

/* ---------------------------------------------------------------- what is wrong with it */

/* Signs of other languages, separated by blanks, with the equivalent to write here. */
static const struct {
  const char *signs, *hint;
} habits[] = {
  {"** \u00B2", "a power is written with ^, for example x^2"},
  {":=", "to define a name write: let x = …"},
  {"!=", "write: not (a == b)"},
  {"&& &", "write: and"},
  {"||", "write: or"},
  {"|", "write: or; an absolute value is abs(x)"},
  {"%", "a comment starts with #"},
  {"\\", "a long line may be broken after an operator or a comma without any sign"},
  {"\u2019 \u2018 \u2032 \u00B4 `", "a time derivative is written with a straight apostrophe: x'"},
  {"\u201C \u201D \u201E", "write straight quotes: \"…\""},
  {"\u2212 \u2013 \u2014", "write an ordinary minus sign: -"},
  {"\u00B7", "a product is written with *"},
  {"\u00D7", "a product is written with *; the product of two vectors is cross(a, b)"},
  {"\u00B3", "a power is written with ^, for example x^3"},
  {"\u2264", "write: <="},
  {"\u2265", "write: >="},
  {"\u221A", "a square root is sqrt(x)"},
  {"\u03C0", "write: pi"},
  {"\u2026", "a range is written with two dots: 1..3"},
  {"\u00B0", "write the unit: 30 [deg]"},
};

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
  pf_diagnostics_truncate(ctx, before);
  return known;
}

PfStatus pf_lex_report(const PfSource *source, const PfToken *token)
{
  const char *at = source->bytes + token->start;
  PfPlace place = pf_token_place(source, token);
  if (*at == '"' || *at == '[') place.length = 1; /* where it starts, not the whole line */
  if (is_digit(*at) || *at == '.') {
    /* 2x: a product without its sign; 5kg: a unit without its brackets. */
    uint32_t digit_count = number_size(at), letters = token->size - digit_count;
    int shown = digit_count > 20 ? 20 : (int)digit_count, shown_letters = letters > 20 ? 20 : (int)letters;
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, pf_token_place(source, token),
               "the number %.*s runs into the name '%.*s'", shown, at, shown_letters, at + digit_count);
    if (digit_count <= 20 && letters <= 20) {
      int number = shown - (at[shown - 1] == '.');
      const char *name = at + digit_count;
      if (is_unit(source->ctx, name, shown_letters))
        pf_hint(source->ctx, "write %.*s [%.*s] for the unit, %.*s*%.*s for the product", number, at, shown_letters,
                name, number, at, shown_letters, name);
      else pf_hint(source->ctx, "write %.*s*%.*s for the product", number, at, shown_letters, name);
    }
  } else if (*at == '"') {
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, place,
               "the text that starts here has no closing quote in this line");
  } else if (*at == '[') {
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, place,
               "the unit that starts here has no closing ']' in this line");
    pf_hint(source->ctx, "an index follows its name without a blank: psi[1]");
  } else if (!report_invisible(source, token)) {
    pf_fail_at(source->ctx, PF_ERR_SYNTAX, place, "'%.*s' has no meaning here", (int)token->size, at);
    const char *hint = NULL;
    for (size_t i = 0; i < sizeof habits/sizeof *habits; i++)
      if (pf_word_is_in(habits[i].signs, at, token->size)) hint = habits[i].hint;
    if (!hint && (unsigned char)*at >= 0x80)
      hint = "names are made of the letters a-z and A-Z, digits and _, for example theta_1";
    if (hint) pf_hint(source->ctx, "%s", hint);
  }
  return PF_ERR_SYNTAX;
}
