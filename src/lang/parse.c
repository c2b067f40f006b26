/* SPDX-License-Identifier: Apache-2.0 */
/* The parser's core: tokens, errors, nodes, and the loop over statements that goes on after an error. */
#include "lang/parse_impl.h"
#include "pfaff/expr.h"

#include <string.h>

/* ---------------------------------------------------------------- tokens */

/* Goes on to the next token; after an error only the recovery does. */
void pf_parser_advance(PfParser *p)
{
  if (p->failed) return;
  p->last = p->token;
  p->token = pf_lexer_next(&p->lexer);
}

/* Reads the next token if it is of this kind. */
bool pf_parser_accept(PfParser *p, PfTokenKind kind)
{
  if (p->token.kind != kind) return false;
  pf_parser_advance(p);
  return true;
}

bool pf_parser_expect(PfParser *p, PfTokenKind kind, const char *purpose, const char *hint)
{
  if (pf_parser_accept(p, kind)) return true;
  if (pf_parser_expected(p, "%s %s", pf_token_text(kind), purpose) && hint) pf_hint(p->ctx, "%s", hint);
  return false;
}

bool pf_parser_sees(const PfParser *p, const char *word)
{
  return pf_token_is(p->source, &p->token, word) && !p->failed;
}

/* Reads the next token if it is this word. */
bool pf_parser_accept_word(PfParser *p, const char *word)
{
  if (!pf_parser_sees(p, word)) return false;
  pf_parser_advance(p);
  return true;
}

/* Reads this word, or reports that it was expected. */
bool pf_parser_expect_word(PfParser *p, const char *word, const char *purpose, const char *hint)
{
  if (pf_parser_accept_word(p, word)) return true;
  if (pf_parser_expected(p, "'%s' %s", word, purpose) && hint) pf_hint(p->ctx, "%s", hint);
  return false;
}

bool pf_parser_line_ended(const PfParser *p)
{
  return p->token.newlines && !p->brackets;
}

/* ---------------------------------------------------------------- errors */

/* The name of the token in messages. Returns the buffer or a constant. */
const char *pf_parser_describe(const PfParser *p, const PfToken *token, char buffer[PF_TOKEN_NAME])
{
  const char *bytes = p->source->bytes + token->start;
  const char *more = token->size > 32 ? "…" : "";
  int shown = token->size > 32 ? 32 : (int)token->size;
  switch (token->kind) {
  case PF_T_NAME:
  case PF_T_KEYWORD:
  case PF_T_CLAUSE:
    snprintf(buffer, PF_TOKEN_NAME, "'%.*s%s'", shown, bytes, more);
    return buffer;
  case PF_T_NUMBER:
    snprintf(buffer, PF_TOKEN_NAME, "the number %.*s%s", shown, bytes, more);
    return buffer;
  default: return pf_token_text(token->kind);
  }
}

/* From here to the end of the statement all is silent. */
static void give_up(PfParser *p)
{
  if (p->failed) return;
  p->failed = true;
  p->kept = p->token;
  p->token.kind = PF_T_END;
  p->token.size = 0;
}

static void stop(PfParser *p, PfStatus status)
{
  p->status = status;
  p->stopped = true;
  give_up(p);
}

/* Reports a failed allocation, once, and stops. */
void pf_parser_no_memory(PfParser *p)
{
  if (p->stopped) return;
  stop(p, pf_fail(p->ctx, PF_ERR_MEMORY, "no room for the tree of %s", p->source->file));
}

/* Whether there is anything new to say; counts what is said. */
static bool may_report(PfParser *p, const PfToken *at)
{
  if (p->failed) return false;
  if (p->errors == PF_MOST_ERRORS) {
    pf_warn_at(p->ctx, pf_token_place(p->source, at), "too many errors: the rest of the file was not read");
    stop(p, PF_ERR_SYNTAX);
    return false;
  }
  p->errors++;
  p->status = PF_ERR_SYNTAX;
  return true;
}

bool pf_parser_error(PfParser *p, const PfToken *at, const char *format, ...)
{
  if (!may_report(p, at)) return false;
  char message[400];
  va_list words;
  va_start(words, format);
  vsnprintf(message, sizeof message, format, words);
  va_end(words);
  pf_fail_at(p->ctx, PF_ERR_SYNTAX, pf_token_place(p->source, at), "%s", message);
  give_up(p);
  return true;
}

/* The token found instead, and where to show it: a token missing at the end of a line is reported there, not where the
 * next line starts. */
static const char *found(const PfParser *p, PfToken *at, char buffer[PF_TOKEN_NAME])
{
  bool end = p->token.kind == PF_T_END, new_statement = p->token.kind == PF_T_KEYWORD && p->token.newlines;
  *at = p->token;
  if (!end && !new_statement && !pf_parser_line_ended(p)) return pf_parser_describe(p, &p->token, buffer);
  at->line = p->last.line;
  at->column = p->last.column + p->last.length;
  at->length = 1;
  if (end) return pf_token_text(PF_T_END);
  return pf_parser_line_ended(p) ? "the end of the line" : "the next statement";
}

bool pf_parser_expected(PfParser *p, const char *format, ...)
{
  PfToken at;
  char what[250], buffer[PF_TOKEN_NAME];
  const char *instead = found(p, &at, buffer);
  if (p->token.kind == PF_T_BAD && !pf_parser_line_ended(p)) {
    if (may_report(p, &at)) pf_lex_report(p->source, &p->token);
    give_up(p);
    return false;
  }
  va_list words;
  va_start(words, format);
  vsnprintf(what, sizeof what, format, words);
  va_end(words);
  return pf_parser_error(p, &at, "expected %s, found %s", what, instead);
}

/* Reports too deep a nesting, and stops. */
void pf_parser_too_deep(PfParser *p)
{
  if (p->failed) return;
  PfPlace place = pf_token_place(p->source, &p->token);
  stop(p, pf_fail_at(p->ctx, PF_ERR_LIMIT, place, "nested deeper than %d levels", PF_DEEPEST_NESTING));
}

void pf_parser_enter(PfParser *p)
{
  if (++p->nesting > PF_DEEPEST_NESTING) pf_parser_too_deep(p);
}

/* Back by one level. */
void pf_parser_leave(PfParser *p)
{
  p->nesting--;
}

/* ---------------------------------------------------------------- brackets */

PfBracket pf_parser_open(PfParser *p)
{
  PfBracket bracket = {p->token, p->open};
  p->open = p->token;
  if (p->token.kind == PF_T_LBRACE) p->braces++;
  else p->brackets++;
  pf_parser_enter(p);
  pf_parser_advance(p);
  return bracket;
}

void pf_parser_close(PfParser *p, const PfBracket *bracket, PfTokenKind kind, const char *instead)
{
  PfTokenKind next = p->token.kind;
  if (pf_parser_accept(p, kind)) {
    p->open = bracket->outer;
    if (kind == PF_T_RBRACE) p->braces--;
    else p->brackets--;
    pf_parser_leave(p);
    return;
  }
  const PfToken *open = &bracket->open;
  bool same_line = p->token.line == open->line && next != PF_T_END;
  bool said = same_line ? pf_parser_expected(p, "%s", instead)
                        : pf_parser_expected(p, "%s to close the %s of line %u", instead,
                                             pf_token_text(open->kind), (unsigned)open->line);
  if (!said) return;
  if (next == PF_T_EQUAL && kind == PF_T_RPAREN)
    pf_hint(p->ctx, "a comparison is written with two signs: ==");
  else if (same_line) pf_parser_hint_neighbours(p);
}

static bool is_value_end(PfTokenKind kind)
{
  return kind == PF_T_NAME || kind == PF_T_NUMBER || kind == PF_T_RPAREN || kind == PF_T_RBRACKET ||
         kind == PF_T_PRIME || kind == PF_T_UNIT;
}

static bool is_short(const PfToken *token)
{
  return token->size <= 32 && (token->kind == PF_T_NAME || token->kind == PF_T_NUMBER);
}

static bool is_function(const PfToken *token, const char *text)
{
  for (int op = PF_OP_SIN; token->kind == PF_T_NAME && op <= PF_OP_MAX; op++) {
    const char *name = pf_function_name((PfOp)op);
    if (strlen(name) == token->size && !strncmp(name, text, token->size)) return true;
  }
  return token->size == 4 && !strncmp("sqrt", text, 4);
}

void pf_parser_hint_neighbours(PfParser *p)
{
  const PfToken *a = &p->last, *b = p->failed ? &p->kept : &p->token;
  const char *left = p->source->bytes + a->start, *right = p->source->bytes + b->start;
  bool both_short = is_short(a) && is_short(b);
  int m = (int)a->size, n = (int)b->size;
  if (!is_value_end(a->kind)) return;
  if (a->kind == PF_T_NUMBER && b->kind == PF_T_COMMA && right[1] >= '0' && right[1] <= '9')
    pf_hint(p->ctx, "decimals follow a point: 0.5");
  else if (b->kind == PF_T_UNIT && right[1] >= '0' && right[1] <= '9')
    pf_hint(p->ctx, "an element of an array is written without a blank: psi[1]");
  else if (b->kind == PF_T_UNIT)
    pf_hint(p->ctx, "a unit follows a number, as in 0.5 [m], or a name that is being declared");
  else if (both_short && is_function(a, left))
    pf_hint(p->ctx, "write %.*s(%.*s)", m, left, n, right);
  else if (both_short && a->kind == PF_T_NUMBER && b->kind == PF_T_NAME)
    pf_hint(p->ctx, "write %.*s*%.*s for a product, %.*s [%.*s] for a unit", m, left, n, right, m, left, n,
            right);
  else if (both_short)
    pf_hint(p->ctx, "write %.*s*%.*s for a product; a list needs commas", m, left, n, right);
  else if (b->kind == PF_T_NAME || b->kind == PF_T_NUMBER || b->kind == PF_T_LPAREN)
    pf_hint(p->ctx, "a product is written with *; a list needs commas");
}

/* ---------------------------------------------------------------- nodes */

PfNode *pf_parser_node(PfParser *p, PfNodeKind kind, const PfToken *start)
{
  PfNode *node = pf_arena_alloc(p->source->arena, 1, sizeof *node);
  if (!node) {
    pf_parser_no_memory(p);
    node = &p->nowhere;
  }
  *node = (PfNode){.kind = kind, .text = ""};
  node->line = start->line;
  node->column = start->column;
  node->length = start->length;
  return node;
}

void pf_parser_extend(PfParser *p, PfNode *node)
{
  uint32_t end = p->last.column + p->last.length;
  if (p->last.line == node->line && end > node->column + node->length) node->length = end - node->column;
}

PfNode **pf_parser_add(PfNode **tail, PfNode *node)
{
  *tail = node;
  return &node->next;
}

/* The text in the arena, the same pointer for the same text. */
static const char *interned_text(PfParser *p, const char *bytes, size_t size)
{
  char *text = pf_map_get(&p->words, bytes, size);
  if (text) return text;
  text = pf_arena_text(p->source->arena, bytes, size);
  if (text && pf_map_set(&p->words, text, size, text)) return text;
  pf_parser_no_memory(p);
  return "";
}

/* The text of a token, in the arena. */
const char *pf_parser_token_text(PfParser *p, const PfToken *token)
{
  return interned_text(p, p->source->bytes + token->start, token->size);
}

/* ---------------------------------------------------------------- statements */

/* Keywords of other programs, with the equivalent to write here. */
static const struct {
  const char *word, *hint;
} habits[] = {
  {"parameter", "write: param"},
  {"parameters", "write: param"},
  {"const", "write: param"},
  {"constant", "write: param"},
  {"coordinate", "write: coord"},
  {"coordinates", "write: coord"},
  {"var", "write: coord x for a coordinate, let x = … for a definition"},
  {"variable", "write: coord x for a coordinate, let x = … for a definition"},
  {"define", "write: let"},
  {"def", "write: let"},
  {"set", "write: let x = … for a definition, start x = … for a start value"},
  {"initial", "write: start"},
  {"init", "write: start"},
  {"simulate", "write: run"},
  {"integrate", "write: run"},
  {"mass", "masses are given with the body: body b in ground { mass m }"},
  {"joint", "a joint is a body whose placement contains a coordinate: body arm in base turn theta about z"},
  {"link", "write: body"},
  {"wheel", "a wheel is a body on the ground: body w in frame … { … }, then roll, omni, mecanum or skate"},
  {"motor", "a motor is a torque: force theta = …, of an input or a formula"},
  {"friction", "write: force x = -mu*m*g*sign(x'), or nonideal x = …"},
  {"title", "write: model name \"title\""},
  {"include", "a model is one file"},
  {"import", "a model is one file"},
};

static const char first_words[] =
    "every statement starts with a word such as param, coord, kinetic, body or constraint";

static const char *find_habit(const char *word)
{
  for (size_t i = 0; i < sizeof habits/sizeof *habits; i++)
    if (!strcmp(word, habits[i].word)) return habits[i].hint;
  return NULL;
}

/* A name where a statement should start: was it a definition, an equation, or a misspelt keyword? */
static void unknown_statement(PfParser *p)
{
  PfToken start = p->token;
  const char *word = pf_parser_token_text(p, &start);
  char buffer[PF_TOKEN_NAME];
  const char *name = pf_parser_describe(p, &start, buffer);
  pf_parser_advance(p);
  PfTokenKind next = p->token.kind;
  bool equation = next == PF_T_EQUAL || next == PF_T_PRIME || next == PF_T_LBRACKET;
  if (!pf_parser_error(p, &start, "%s%s%s", equation ? "a line cannot start with the name " : "", name,
                       equation ? "" : " is not a statement"))
    return;

  const char *habit = find_habit(word), *nearest = pf_nearest_keyword(word);
  int shown = start.size > 32 ? 32 : (int)start.size;
  if (next == PF_T_EQUAL)
    pf_hint(p->ctx, "to define a name write: let %.*s = …", shown, word);
  else if (equation)
    pf_hint(p->ctx, "an equation between coordinates or velocities is written: constraint … = …; "
                    "a start value: start … = …");
  else if (habit)
    pf_hint(p->ctx, "%s", habit);
  else if (nearest)
    pf_hint(p->ctx, "did you mean '%s'?", nearest);
  else
    pf_hint(p->ctx, "%s", first_words);
}

/* Anything else where a statement should start. */
static void no_statement(PfParser *p)
{
  PfToken start = p->token;
  char buffer[PF_TOKEN_NAME];
  const char *name = pf_parser_describe(p, &start, buffer);
  p->last = start;
  p->token.newlines = 0;
  if (start.kind == PF_T_BAD) {
    pf_parser_expected(p, "a statement");
  } else if (start.kind == PF_T_RPAREN || start.kind == PF_T_RBRACKET || start.kind == PF_T_RBRACE) {
    pf_parser_error(p, &start, "%s without an opening bracket before it", name);
  } else if (pf_parser_error(p, &start, "a statement cannot start with %s", name)) {
    pf_hint(p->ctx, "%s", start.kind == PF_T_SLASH ? "a comment starts with #" : first_words);
  }
}

/* A statement ends with its line, a ';', the block or the file. */
static void finish(PfParser *p)
{
  PfTokenKind kind = p->token.kind;
  if (kind == PF_T_END || kind == PF_T_RBRACE || kind == PF_T_SEMICOLON || pf_parser_line_ended(p)) return;
  if (kind == PF_T_RPAREN || kind == PF_T_RBRACKET) {
    pf_parser_error(p, &p->token, "%s without an opening bracket before it", pf_token_text(kind));
    return;
  }
  if (!pf_parser_expected(p, "the end of the statement")) return;
  if (kind == PF_T_EQUAL)
    pf_hint(p->ctx, "a comparison is written with ==, a definition with let, an equation with constraint");
  else if (kind == PF_T_BANG)
    pf_hint(p->ctx, "'!' belongs after a start value: start x = 1 !");
  else if (p->last.kind == PF_T_RBRACE)
    pf_hint(p->ctx, "start a new line after '}'");
  else if (kind == PF_T_KEYWORD)
    pf_hint(p->ctx, "every statement starts on a new line");
  else
    pf_parser_hint_neighbours(p);
}

/* Does a line that starts with this token go on with the statement before it? */
static bool continues(const PfParser *p)
{
  switch (p->token.kind) {
  case PF_T_KEYWORD:
  case PF_T_NUMBER:
  case PF_T_STRING:
  case PF_T_BAD:
  case PF_T_RBRACE: return false;
  case PF_T_NAME:
    return pf_parser_sees(p, "turn") || pf_parser_sees(p, "shift") || pf_parser_sees(p, "inside") ||
           pf_parser_sees(p, "outside");
  default: return true;
  }
}

/* Is the next token the start of the next statement of a block at this depth of braces? */
static bool is_next_statement(const PfParser *p, int depth)
{
  if (p->token.kind == PF_T_END || p->stopped) return true;
  bool keyword = p->token.newlines && p->token.kind == PF_T_KEYWORD;
  if (keyword && (p->braces == depth || p->in_properties)) return true;
  if (p->braces != depth) return false;
  if (p->token.kind == PF_T_RBRACE) return depth > 0;
  if (p->brackets > 0) return false;
  return p->token.kind == PF_T_SEMICOLON || (p->token.newlines && !continues(p));
}

/* The next statement of a block, or NULL after an error. */
static PfNode *statement(PfParser *p, int depth)
{
  PfNode *node = NULL;
  uint32_t start = p->token.start;
  int nesting = p->nesting;
  p->height = 0;
  if (p->token.kind == PF_T_KEYWORD) {
    pf_parser_advance(p);
    node = pf_parse_statement(p);
    finish(p);
  } else if (p->token.kind == PF_T_NAME || p->token.kind == PF_T_CLAUSE) {
    unknown_statement(p);
  } else {
    no_statement(p);
  }
  if (!p->failed) return node;
  /* After an error: on to the next statement. Brackets are counted, so that half a statement is not taken for a whole
   * one; but a keyword at the start of a line is always believed. */
  p->failed = p->stopped;
  if (!p->stopped) p->token = p->kept;
  if (p->token.start == start) pf_parser_advance(p);
  for (; !is_next_statement(p, depth); pf_parser_advance(p)) {
    PfTokenKind kind = p->token.kind;
    p->braces += (kind == PF_T_LBRACE) - (kind == PF_T_RBRACE && p->braces > depth);
    p->brackets += (kind == PF_T_LPAREN || kind == PF_T_LBRACKET);
    p->brackets -= (kind == PF_T_RPAREN || kind == PF_T_RBRACKET) && p->brackets > 0;
    if (kind == PF_T_LBRACE) p->in_properties = false; /* the contents of this one are not known */
  }
  p->braces = depth;
  p->brackets = 0;
  p->in_properties = false;
  p->nesting = nesting;
  return NULL;
}

/* Statements up to the closing brace or the end; each recovers from its own errors. */
static void statements(PfParser *p, PfNode *block, int depth)
{
  PfNode **tail = &block->child;
  while (!p->stopped && p->token.kind != PF_T_END && !(depth && p->token.kind == PF_T_RBRACE)) {
    if (pf_parser_accept(p, PF_T_SEMICOLON)) continue;
    if (pf_check_cancelled(p->ctx) != PF_OK) {
      p->status = PF_ERR_CANCELLED;
      p->failed = p->stopped = true;
      return;
    }
    PfNode *node = statement(p, depth);
    if (node) tail = pf_parser_add(tail, node);
  }
}

PfNode *pf_parse_block(PfParser *p)
{
  PfNode *block = pf_parser_node(p, PF_N_BLOCK, &p->token);
  if (p->token.kind != PF_T_LBRACE) {
    pf_parser_expected(p, "'{' and statements");
    return block;
  }
  PfBracket brace = pf_parser_open(p);
  statements(p, block, p->braces);
  pf_parser_close(p, &brace, PF_T_RBRACE, "'}'");
  return block;
}

static void begin(PfParser *p, PfSource *source)
{
  *p = (PfParser){.source = source, .ctx = source->ctx};
  pf_map_init(&p->words, pf_context_allocator(source->ctx));
  pf_lexer_init(&p->lexer, source, PF_SKIP_COMMENTS);
  p->last = (PfToken){.kind = PF_T_END, .line = 1, .column = 1};
  p->token = pf_lexer_next(&p->lexer);
}

PfStatus pf_parse(PfSource *source, PfNode **tree)
{
  PfParser p;
  begin(&p, source);
  *tree = pf_parser_node(&p, PF_N_BLOCK, &p.token);
  if (!p.stopped) statements(&p, *tree, 0);
  if (p.status == PF_ERR_MEMORY) *tree = NULL;
  pf_map_free(&p.words);
  return p.status;
}

PfStatus pf_parse_constant(PfSource *source, PfNode **node, PfNode **units)
{
  PfParser p;
  begin(&p, source);
  *node = pf_parse_expression(&p);
  *units = !p.failed && p.token.kind == PF_T_UNIT ? pf_parse_units(&p) : NULL;
  if (!p.failed && p.token.kind != PF_T_END) pf_parser_expected(&p, "the end of the value");
  pf_map_free(&p.words);
  return p.status;
}

PfStatus pf_parse_quantities(PfSource *source, PfNode **tree)
{
  PfParser p;
  begin(&p, source);
  *tree = pf_parser_node(&p, PF_N_BLOCK, &p.token);
  PfNode **tail = &(*tree)->child;
  do {
    PfNode *list = pf_parser_node(&p, PF_N_PLOT, &p.token);
    pf_parse_shown(&p, &list->child);
    tail = pf_parser_add(tail, list);
  } while (!p.failed && pf_parser_accept(&p, PF_T_SEMICOLON) && p.token.kind != PF_T_END);
  if (!p.failed && p.token.kind != PF_T_END) pf_parser_expected(&p, "',', ';' or the end of the list");
  if (p.status == PF_ERR_MEMORY) *tree = NULL;
  pf_map_free(&p.words);
  return p.status;
}
