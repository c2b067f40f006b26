/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical layout: the tokens of a correct model with other blanks between them. Line breaks inside a
 * statement are the author's; all else follows from the token before and a little memory of what is open. */
#include "lang/lex.h"
#include "pfaff/lang.h"

#include <string.h>

enum { INDENT = 2, CONTINUED = 4 };

/* An open brace. */
typedef struct Level {
  bool flat;       /* its block stays on one line */
  bool properties; /* it holds properties, not statements */
} Level;

typedef struct Printer {
  const PfSource *source;
  PfLexer lexer;
  PfText out;
  PF_ARRAY(bool) flat; /* for every '{', in the order of the text */
  size_t braces;       /* how many of them have been printed */
  Level levels[PF_DEEPEST_NESTING + 1];
  int depth;
  int brackets;        /* open round and square ones */
  PfToken last;        /* the token printed before, comments left out */
  PfToken keyword;     /* that started the statement */
  PfToken next;        /* the first token after a run of comments, once looked up */
  uint32_t newlines;   /* line ends before a ';' that was dropped */
  bool starts;         /* the next token starts a statement */
  bool after_value;    /* the next sign is binary, the next '(' a call, the next name a word like 'turn' */
  bool after_sign;     /* the last token was the sign of a value: -x */
  bool after_comment;  /* the line is over */
  bool after_brace;    /* nothing was printed since '{' */
} Printer;

/* ---------------------------------------------------------------- blocks on one line */

/* A block stays on one line if the author had it so, and if it has no ';', which becomes a line end. */
static bool find_flat_blocks(Printer *p, const PfAllocator *allocator)
{
  size_t open[PF_DEEPEST_NESTING + 1];
  int depth = 0;
  PfLexer lexer;
  pf_lexer_init(&lexer, p->source, PF_KEEP_COMMENTS);
  for (;;) {
    PfToken token = pf_lexer_next(&lexer);
    if (token.kind == PF_T_END) return true;
    if (token.newlines || token.kind == PF_T_SEMICOLON) {
      /* Marks the open blocks as broken over lines. Whoever was marked before has marked those around it. */
      for (int i = depth; i-- > 0 && p->flat.at[open[i]];) p->flat.at[open[i]] = false;
    }
    if (token.kind == PF_T_RBRACE && depth > 0) depth--;
    if (token.kind != PF_T_LBRACE || depth > PF_DEEPEST_NESTING) continue;
    open[depth++] = p->flat.count;
    if (!pf_push(allocator, &p->flat, true)) return false;
  }
}

/* ---------------------------------------------------------------- what kind of line */

static const Level *level(const Printer *p)
{
  static const Level file = {false, false};
  return p->depth ? p->levels + p->depth - 1 : &file;
}

/* Operators and closing signs never start a statement or a property. */
static bool continues(PfTokenKind kind)
{
  return kind == PF_T_AND || kind == PF_T_OR || (kind >= PF_T_LPAREN && kind != PF_T_RBRACE);
}

/* After these a statement cannot end, even if a keyword starts the next line: plot a, and below it point(b, c).x */
static bool needs_more(PfTokenKind kind)
{
  switch (kind) {
  case PF_T_RPAREN:
  case PF_T_RBRACKET:
  case PF_T_RBRACE:
  case PF_T_PRIME:
  case PF_T_BANG: return false;
  default: return kind >= PF_T_LPAREN || (kind >= PF_T_CLAUSE && kind <= PF_T_NOT);
  }
}

/* Does the token start a statement or a property? */
static bool is_start(const Printer *p, const PfToken *token)
{
  if (p->brackets) return false;
  if (p->starts || p->last.kind == PF_T_LBRACE) return true;
  if (!level(p)->properties)
    return token->newlines && token->kind == PF_T_KEYWORD && !needs_more(p->last.kind);
  return p->last.kind == PF_T_COMMA || (token->newlines && p->after_value && !continues(token->kind));
}

/* ---------------------------------------------------------------- lines and blanks */

/* Begins a new line, after a blank one if the author had that; not at the start of the file or of a block. */
static void new_line(Printer *p, uint32_t newlines, int indent)
{
  if (p->out.count) pf_text_put(&p->out, "\n\n", newlines > 1 && !p->after_brace ? 2 : 1);
  for (int i = 0; i < indent; i++) pf_text_put(&p->out, " ", 1);
}

static bool is_call(const Printer *p)
{
  return p->after_value && (p->last.kind == PF_T_NAME || p->last.kind == PF_T_KEYWORD);
}

static bool ends_in_dot(const Printer *p)
{
  return p->last.kind == PF_T_NUMBER && p->source->bytes[p->last.start + p->last.size - 1] == '.';
}

/* Is there a blank between the last token and this one, in one line? */
static bool has_blank(const Printer *p, PfTokenKind kind)
{
  if (p->after_sign) return false;
  switch (p->last.kind) {
  case PF_T_LPAREN:
  case PF_T_LBRACKET:
  case PF_T_DOT:
  case PF_T_DOTDOT:
  case PF_T_STAR:
  case PF_T_SLASH:
  case PF_T_CARET: return false;
  case PF_T_LBRACE: return kind != PF_T_RBRACE;
  default: break;
  }
  switch (kind) {
  case PF_T_RPAREN:
  case PF_T_RBRACKET:
  case PF_T_LBRACKET:
  case PF_T_COMMA:
  case PF_T_COLON:
  case PF_T_PRIME:
  case PF_T_DOT:
  case PF_T_STAR:
  case PF_T_SLASH:
  case PF_T_CARET: return false;
  case PF_T_DOTDOT: return ends_in_dot(p); /* 1. .. 3 */
  case PF_T_LPAREN: return !is_call(p);
  default: return true;
  }
}

/* Everything before the token: a line end and the indentation, a blank, or nothing. */
static void separate(Printer *p, const PfToken *token, bool start)
{
  uint32_t newlines = token->newlines > p->newlines ? token->newlines : p->newlines;
  int indent = INDENT*p->depth;
  bool flat = level(p)->flat;
  if (!p->out.count) return;
  if (token->kind == PF_T_RBRACE && !flat)
    new_line(p, 1, indent - INDENT);
  else if (token->kind == PF_T_LBRACE && p->after_comment)
    new_line(p, 1, indent);
  else if (start && !flat && (newlines || p->starts || p->last.kind == PF_T_LBRACE))
    new_line(p, newlines, indent);
  else if (!start && newlines && token->kind != PF_T_LBRACE)
    new_line(p, newlines, indent + CONTINUED);
  else if (has_blank(p, token->kind))
    pf_text_put(&p->out, " ", 1);
}

/* ---------------------------------------------------------------- tokens */

static bool is(const Printer *p, const PfToken *token, const char *word)
{
  return pf_token_is(p->source, token, word);
}

/* A word of the statement's grammar, not a value: a name beside a value, a key, the shape in 'roll disc'. */
static bool is_word(const Printer *p, const PfToken *token, bool start)
{
  bool member = p->last.kind == PF_T_DOT || (p->last.kind == PF_T_CLAUSE && is(p, &p->last, "as"));
  bool function = !start && is(p, token, "point");
  if (member || function) return false;
  if (token->kind == PF_T_KEYWORD && !start && is(p, &p->keyword, "plot")) return false; /* kinetic can be shown */
  if (token->kind != PF_T_NAME || start || p->after_value) return true;
  bool shape = is(p, token, "disc") || is(p, token, "ball") || is(p, token, "surface");
  return shape && is(p, &p->keyword, "roll");
}

/* detach arm with impulse (1, 0, 0), torque (0, 1, 0): what follows is no call. */
static bool is_impulse(const Printer *p, const PfToken *token)
{
  bool list = is(p, &p->last, "with") || p->last.kind == PF_T_COMMA;
  return list && !p->brackets && is(p, &p->keyword, "detach") && (is(p, token, "impulse") || is(p, token, "torque"));
}

/* Appends a token, with a line end, indentation or blank before it. */
static void print_token(Printer *p, const PfToken *token)
{
  bool start = is_start(p, token);
  separate(p, token, start);
  if (token->kind == PF_T_RBRACE) p->depth--;
  if (token->kind == PF_T_UNIT) {
    const char *unit = pf_token_unit(p->source, token);
    pf_text_print(&p->out, "[%s]", unit ? unit : "");
    p->out.failed |= !unit;
  } else {
    pf_text_put(&p->out, p->source->bytes + token->start, token->size);
  }
  /* What the token means for those that follow. */
  bool sign = (token->kind == PF_T_PLUS || token->kind == PF_T_MINUS) && !p->after_value;
  switch (token->kind) {
  case PF_T_NAME:
  case PF_T_KEYWORD:
  case PF_T_CLAUSE: p->after_value = !is_word(p, token, start) && !is_impulse(p, token); break;
  case PF_T_NUMBER:
  case PF_T_STRING:
  case PF_T_UNIT:
  case PF_T_RPAREN:
  case PF_T_RBRACKET:
  case PF_T_RBRACE:
  case PF_T_PRIME: p->after_value = true; break;
  default: p->after_value = false;
  }
  p->after_sign = sign;
  p->brackets += (token->kind == PF_T_LPAREN || token->kind == PF_T_LBRACKET);
  p->brackets -= (token->kind == PF_T_RPAREN || token->kind == PF_T_RBRACKET);
  if (start && token->kind == PF_T_KEYWORD) p->keyword = *token;
  p->after_brace = token->kind == PF_T_LBRACE;
  p->starts = p->after_comment = false;
  p->newlines = 0;
  p->last = *token;
  if (token->kind == PF_T_LBRACE) {
    bool statements = is(p, &p->keyword, "for") || is(p, &p->keyword, "part") || is(p, &p->keyword, "when");
    p->levels[p->depth++] = (Level){p->flat.at[p->braces++], !statements};
  }
}

/* ---------------------------------------------------------------- comments */

/* The first token after the comments; looked up once for all of them. */
static const PfToken *after_comments(Printer *p, const PfToken *comment)
{
  if (p->next.start > comment->start) return &p->next;
  PfLexer ahead = p->lexer;
  do {
    p->next = pf_lexer_next(&ahead);
  } while (p->next.kind == PF_T_COMMENT);
  p->next.newlines = 1; /* the comment ends its line */
  return &p->next;
}

/* Does the statement go on after the comment? */
static bool goes_on(const Printer *p, const PfToken *next)
{
  switch (next->kind) {
  case PF_T_END:
  case PF_T_LBRACE:
  case PF_T_RBRACE:
  case PF_T_SEMICOLON: return false;
  default: return !is_start(p, next);
  }
}

/* Appends a comment at the end of its line, or on a line of its own. */
static void print_comment(Printer *p, const PfToken *comment)
{
  uint32_t newlines = comment->newlines > p->newlines ? comment->newlines : p->newlines;
  if (p->out.count && !comment->newlines) {
    pf_text_add(&p->out, "  ");
  } else {
    int more = goes_on(p, after_comments(p, comment)) ? CONTINUED : 0;
    new_line(p, newlines, INDENT*p->depth + more);
    p->after_brace = false;
  }
  /* "# words", without blanks at the end; #! and ## stay as they are. */
  const char *at = p->source->bytes + comment->start;
  uint32_t size = comment->size;
  while (size > 1 && (at[size - 1] == ' ' || at[size - 1] == '\t' || at[size - 1] == '\r')) size--;
  pf_text_put(&p->out, "#", 1);
  if (size > 1 && !strchr(" \t#!", at[1])) pf_text_put(&p->out, " ", 1);
  pf_text_put(&p->out, at + 1, size - 1);
  p->after_comment = true;
  p->newlines = 0;
}

/* ---------------------------------------------------------------- the whole text */

/* False when it was asked to stop. */
static bool print_all(Printer *p)
{
  p->starts = true;
  for (;;) {
    PfToken token = pf_lexer_next(&p->lexer);
    if (token.kind == PF_T_END) break;
    if (token.newlines && pf_context_is_cancelled(p->source->ctx)) return false;
    if (token.kind == PF_T_COMMENT) {
      print_comment(p, &token);
    } else if (token.kind == PF_T_SEMICOLON) {
      p->starts = true;
      if (token.newlines > p->newlines) p->newlines = token.newlines;
    } else {
      print_token(p, &token);
    }
  }
  if (p->out.count) pf_text_put(&p->out, "\n", 1);
  return true;
}

PfStatus pf_model_format(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                         const char **formatted)
{
  PfSource source;
  PfNode *tree;
  *formatted = NULL;
  PfArena *work = pf_arena_new(pf_context_allocator(ctx)); /* the tree is only for the errors */
  if (!work) return pf_fail(ctx, PF_ERR_MEMORY, "no room to format %s", file);
  PfStatus status = pf_source_init(&source, ctx, work, file, bytes, count);
  if (status == PF_OK) status = pf_parse(&source, &tree);
  if (status == PF_OK) {
    /* The text has been parsed without errors. */
    const PfAllocator *allocator = pf_context_allocator(ctx);
    Printer p = {.source = &source};
    pf_lexer_init(&p.lexer, &source, PF_KEEP_COMMENTS);
    pf_text_init(&p.out, allocator);
    bool done = find_flat_blocks(&p, allocator) && print_all(&p);
    *formatted = done && !p.out.failed ? pf_arena_text(arena, pf_text_get(&p.out), p.out.count) : NULL;
    pf_text_free(&p.out);
    pf_array_free(allocator, &p.flat);
    status = *formatted ? PF_OK : pf_fail(ctx, PF_ERR_MEMORY, "no room to format %s", source.file);
  }
  pf_source_free(&source);
  pf_arena_free(work);
  return status;
}
