/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: one table says what each token does at the start of an expression and between two of them. */
#include "lang/parse_impl.h"

#include <string.h>

/* Loosest first. */
typedef enum Precedence {
  PREC_NONE,
  PREC_OR,
  PREC_AND,
  PREC_NOT,
  PREC_COMPARE,
  PREC_SUM,
  PREC_PRODUCT,
  PREC_SIGN,
  PREC_POWER,
  PREC_POSTFIX
} Precedence;

/* A chain a.b.c… makes a deep tree without nesting; functions that walk the tree may rely on this height. */
enum { HIGHEST = 5*PF_DEEPEST_NESTING, MOST_PRIMES = 4 };

/* Reads an expression that starts with this token. */
typedef PfNode *(*Prefix)(PfParser *p);
/* Reads on after `left`, which starts at the token `start`; the operator is next. */
typedef PfNode *(*Infix)(PfParser *p, PfNode *left, const PfToken *start);

typedef struct Rule {
  Prefix prefix;
  Infix infix;
  Precedence precedence; /* of the infix */
} Rule;

static const Rule *rule_of(PfTokenKind kind);
static PfNode *expression(PfParser *p, Precedence least);

/* ---------------------------------------------------------------- errors */

/* Reports that an operand is missing, with a hint at the likely intention. */
static PfNode *missing_operand(PfParser *p)
{
  PfToken token = p->token;
  char buffer[PF_TOKEN_NAME];
  bool reserved = token.kind == PF_T_KEYWORD && !token.newlines;
  if (reserved) {
    if (pf_parser_error(p, &token, "%s starts a statement, so it cannot be a name",
                        pf_parser_describe(p, &token, buffer)))
      pf_hint(p->ctx, "choose another name, for example %.*s_1", (int)token.size,
              p->source->bytes + token.start);
  } else if (pf_parser_expected(p, "a number, a name or '(' after %s",
                                pf_parser_describe(p, &p->last, buffer))) {
    PfTokenKind kind = token.kind;
    const PfToken *next = &p->kept;
    const char *bytes = p->source->bytes + next->start;
    bool comment = p->last.kind == PF_T_SLASH && (kind == PF_T_SLASH || kind == PF_T_STAR);
    comment = comment || (kind == PF_T_SLASH && (bytes[1] == '/' || bytes[1] == '*'));
    if (kind == PF_T_PRIME)
      pf_hint(p->ctx, "the ' of a time derivative follows its name: x'");
    else if (kind == PF_T_UNIT && memchr(bytes, ',', next->size))
      pf_hint(p->ctx, "a vector is written with round brackets: (a, b, c)");
    else if (kind == PF_T_UNIT)
      pf_hint(p->ctx, "a unit follows its number: 0.5 [m]");
    else if (comment)
      pf_hint(p->ctx, "a comment starts with #");
    else if (p->brackets && (kind == PF_T_END || kind == PF_T_KEYWORD))
      pf_hint(p->ctx, "the %s of line %u is not closed", pf_token_text(p->open.kind), (unsigned)p->open.line);
  }
  return &p->nowhere;
}

/* ---------------------------------------------------------------- values */

static PfNode *name(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_NAME, &p->token);
  node->text = pf_parser_token_text(p, &p->token);
  pf_parser_advance(p);
  return node;
}

/* 1. and 1.e3 are 1 and 1e3: later readers of the text need not handle the short form. */
static PfNode *number(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_NUMBER, &p->token);
  node->text = pf_parser_token_text(p, &p->token);
  char *dot = strchr(node->text, '.');
  if (dot && (dot[1] == 0 || dot[1] == 'e' || dot[1] == 'E')) {
    char *text = pf_arena_text(p->source->arena, node->text, strlen(node->text));
    if (!text) pf_parser_no_memory(p);
    else memmove(text + (dot - node->text), dot + 1, strlen(dot));
    if (text) node->text = text;
  }
  pf_parser_advance(p);
  return node;
}

PfNode *pf_parse_string(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_STRING, &p->token);
  char *text = pf_arena_text(p->source->arena, p->source->bytes + p->token.start + 1, p->token.size - 2);
  if (!text) {
    pf_parser_no_memory(p);
    return node;
  }
  char *end = text;
  for (const char *at = text; *at; at++) {
    if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
    *end++ = *at;
  }
  *end = 0;
  node->text = text;
  pf_parser_advance(p);
  return node;
}

/* (a, b, c): the rest after the first component */
static PfNode *vector(PfParser *p, const PfToken *open, PfNode *first)
{
  PfNode *node = pf_parser_node(p, PF_N_VECTOR, open);
  PfNode **tail = pf_parser_add(&node->child, first);
  unsigned count = 1;
  while (pf_parser_accept(p, PF_T_COMMA)) {
    tail = pf_parser_add(tail, pf_parse_expression(p));
    count++;
  }
  bool wrong = p->token.kind == PF_T_RPAREN && count != 3 && count != 4; /* four: the start of a quaternion */
  if (wrong && pf_parser_error(p, open, "a vector has three components, this one has %u", count))
    pf_hint(p->ctx, count == 2 ? "in the plane write (a, b, 0)" : "write (a, b, c)");
  return node;
}

static PfNode *group(PfParser *p)
{
  PfBracket bracket = pf_parser_open(p);
  PfNode *node = pf_parse_expression(p);
  bool is_vector = p->token.kind == PF_T_COMMA;
  if (is_vector) node = vector(p, &bracket.open, node);
  pf_parser_close(p, &bracket, PF_T_RPAREN, is_vector ? "',' or ')'" : "')'");
  if (is_vector) pf_parser_extend(p, node);
  return node;
}

/* ---------------------------------------------------------------- signs and operators */

/* A sign or a word before its operand. */
static PfNode *unary(PfParser *p, PfNodeKind kind, Precedence precedence)
{
  PfNode *node = pf_parser_node(p, kind, &p->token);
  pf_parser_enter(p);
  pf_parser_advance(p);
  node->child = expression(p, precedence);
  pf_parser_leave(p);
  pf_parser_extend(p, node);
  return node;
}

static PfNode *negate(PfParser *p)
{
  return unary(p, PF_N_NEGATE, PREC_SIGN);
}

static PfNode *logical_not(PfParser *p)
{
  return unary(p, PF_N_NOT, PREC_NOT);
}

/* +x is x. */
static PfNode *plus(PfParser *p)
{
  pf_parser_enter(p);
  pf_parser_advance(p);
  PfNode *node = expression(p, PREC_SIGN);
  pf_parser_leave(p);
  return node;
}

static PfNode *term(PfParser *p, PfNode *child, int flag)
{
  PfToken place = {.line = child->line, .column = child->column, .length = child->length};
  PfNode *node = pf_parser_node(p, PF_N_TERM, &place);
  node->child = child;
  node->flag = flag;
  return node;
}

/* A sum or a product of any number of terms is one node. `inverse` is the sign - or /. */
static PfNode *chain(PfParser *p, PfNodeKind kind, PfNode *left, const PfToken *start, PfTokenKind inverse)
{
  Precedence precedence = rule_of(inverse)->precedence;
  PfNode *node = pf_parser_node(p, kind, start);
  PfNode **tail = pf_parser_add(&node->child, term(p, left, 0));
  while (rule_of(p->token.kind)->precedence == precedence) {
    int flag = p->token.kind == inverse;
    pf_parser_advance(p);
    tail = pf_parser_add(tail, term(p, expression(p, precedence + 1), flag));
  }
  pf_parser_extend(p, node);
  return node;
}

static PfNode *sum(PfParser *p, PfNode *left, const PfToken *start)
{
  return chain(p, PF_N_SUM, left, start, PF_T_MINUS);
}

static PfNode *product(PfParser *p, PfNode *left, const PfToken *start)
{
  return chain(p, PF_N_PRODUCT, left, start, PF_T_SLASH);
}

static PfNode *binary(PfParser *p, PfNodeKind kind, PfNode *left, const PfToken *start, Precedence right)
{
  PfNode *node = pf_parser_node(p, kind, start);
  if (kind == PF_N_COMPARE) node->text = pf_parser_token_text(p, &p->token);
  pf_parser_advance(p);
  node->child = left;
  left->next = expression(p, right);
  pf_parser_extend(p, node);
  return node;
}

/* x^y^z is x^(y^z), and an exponent may have a sign. */
static PfNode *power(PfParser *p, PfNode *left, const PfToken *start)
{
  pf_parser_enter(p);
  PfNode *node = binary(p, PF_N_POWER, left, start, PREC_SIGN);
  pf_parser_leave(p);
  return node;
}

static PfNode *compare(PfParser *p, PfNode *left, const PfToken *start)
{
  PfNode *node = binary(p, PF_N_COMPARE, left, start, PREC_SUM);
  if (rule_of(p->token.kind)->precedence == PREC_COMPARE &&
      pf_parser_error(p, &p->token, "comparisons cannot be chained"))
    pf_hint(p->ctx, "write: a < b and b < c");
  return node;
}

static PfNode *logical_and(PfParser *p, PfNode *left, const PfToken *start)
{
  return binary(p, PF_N_AND, left, start, PREC_AND + 1);
}

static PfNode *logical_or(PfParser *p, PfNode *left, const PfToken *start)
{
  return binary(p, PF_N_OR, left, start, PREC_OR + 1);
}

/* ---------------------------------------------------------------- what follows a value */

static bool is_constant(const PfNode *node)
{
  return node->kind == PF_N_NUMBER || node->kind == PF_N_UNIT || node->kind == PF_N_STRING;
}

/* x', x'': time derivatives. */
static PfNode *prime(PfParser *p, PfNode *left, const PfToken *start)
{
  if (is_constant(left)) {
    if (pf_parser_error(p, &p->token, "a number has no time derivative"))
      pf_hint(p->ctx, "the ' of a time derivative follows a name: x'; a text stands in double quotes: \"…\"");
    return left;
  }
  PfNode *node = pf_parser_node(p, PF_N_PRIME, start);
  node->child = left;
  while (node->flag < MOST_PRIMES && pf_parser_accept(p, PF_T_PRIME)) node->flag++;
  if (p->token.kind == PF_T_PRIME)
    pf_parser_error(p, &p->token, "more than %d time derivatives of one quantity", MOST_PRIMES);
  pf_parser_extend(p, node);
  return node;
}

/* a.b */
static PfNode *member(PfParser *p, PfNode *left, const PfToken *start)
{
  if (is_constant(left)) {
    if (pf_parser_error(p, &p->token, "a number has no members")) pf_hint(p->ctx, "a product is written with *");
    return left;
  }
  PfNode *node = pf_parser_node(p, PF_N_MEMBER, start);
  pf_parser_advance(p);
  PfTokenKind kind = p->token.kind;
  bool word = kind == PF_T_NAME || kind == PF_T_KEYWORD || kind == PF_T_CLAUSE;
  if (!word || p->token.newlines) {
    pf_parser_expected(p, "a name after '.'");
    return left;
  }
  node->text = pf_parser_token_text(p, &p->token);
  node->child = left;
  pf_parser_advance(p);
  pf_parser_extend(p, node);
  return node;
}

/* The lexer sees to it that there is a name before the bracket. */
static PfNode *element(PfParser *p, PfNode *left, const PfToken *start)
{
  if (left->kind == PF_N_MEMBER && !left->child->next) {
    left->child->next = pf_parse_index(p);
    pf_parser_extend(p, left);
    return left;
  }
  if (left->kind != PF_N_NAME) {
    if (pf_parser_error(p, &p->token, "only a name can have an index"))
      pf_hint(p->ctx, "write psi[2], or wheel[2].psi for a member of an element");
    return left;
  }
  PfNode *node = pf_parser_node(p, PF_N_INDEX, start);
  node->text = left->text;
  node->child = pf_parse_index(p);
  pf_parser_extend(p, node);
  return node;
}

static PfNode *unit(PfParser *p, PfNode *left, const PfToken *start)
{
  PfNode *node = pf_parser_node(p, PF_N_UNIT, start);
  const char *text = pf_token_unit(p->source, &p->token);
  if (!text) pf_parser_no_memory(p);
  node->text = text ? text : "";
  node->child = left;
  pf_parser_advance(p);
  pf_parser_extend(p, node);
  return node;
}

static PfNode *call_sum(PfParser *p, PfNode *node)
{
  PfBracket bracket = pf_parser_open(p);
  PfNode *first = pf_parse_expression(p);
  PfNode **tail = pf_parser_add(&node->child, first);
  if (first->kind == PF_N_NAME && pf_parser_sees(p, "in")) {
    /* sum(i in 1..3, e): the variable has been read as the first argument, 'in' is next. */
    node->kind = PF_N_SUMOVER;
    node->text = first->text;
    pf_parser_advance(p);
    node->child = pf_parse_range(p);
    if (pf_parser_expect(p, PF_T_COMMA, "and what to add up", "for example: sum(i in 1..3, psi[i]^2)"))
      node->child->next = pf_parse_expression(p);
  } else {
    while (pf_parser_accept(p, PF_T_COMMA)) tail = pf_parser_add(tail, pf_parse_expression(p));
  }
  pf_parser_close(p, &bracket, PF_T_RPAREN, "',' or ')'");
  return node;
}

static PfNode *call(PfParser *p, PfNode *left, const PfToken *start)
{
  if (p->last.kind != PF_T_NAME || left->kind != PF_N_NAME) { /* (a)(b) is not a call either */
    if (pf_parser_expected(p, "an operator")) pf_hint(p->ctx, "a product is written with *: 2*(a + b)");
    return left;
  }
  PfNode *node = pf_parser_node(p, PF_N_CALL, start);
  node->text = left->text;
  if (!strcmp(left->text, "sum")) call_sum(p, node);
  else pf_parse_arguments(p, &node->child, NULL);
  pf_parser_extend(p, node);
  return node;
}

/* ---------------------------------------------------------------- the table */

static const Rule rules[PF_T_COUNT] = {
  [PF_T_NAME]          = {name, NULL, PREC_NONE},
  [PF_T_NUMBER]        = {number, NULL, PREC_NONE},
  [PF_T_STRING]        = {pf_parse_string, NULL, PREC_NONE},
  [PF_T_OR]            = {NULL, logical_or, PREC_OR},
  [PF_T_AND]           = {NULL, logical_and, PREC_AND},
  [PF_T_NOT]           = {logical_not, NULL, PREC_NONE},
  [PF_T_LESS]          = {NULL, compare, PREC_COMPARE},
  [PF_T_LESS_EQUAL]    = {NULL, compare, PREC_COMPARE},
  [PF_T_GREATER]       = {NULL, compare, PREC_COMPARE},
  [PF_T_GREATER_EQUAL] = {NULL, compare, PREC_COMPARE},
  [PF_T_EQUAL_EQUAL]   = {NULL, compare, PREC_COMPARE},
  [PF_T_PLUS]          = {plus, sum, PREC_SUM},
  [PF_T_MINUS]         = {negate, sum, PREC_SUM},
  [PF_T_STAR]          = {NULL, product, PREC_PRODUCT},
  [PF_T_SLASH]         = {NULL, product, PREC_PRODUCT},
  [PF_T_CARET]         = {NULL, power, PREC_POWER},
  [PF_T_PRIME]         = {NULL, prime, PREC_POSTFIX},
  [PF_T_DOT]           = {NULL, member, PREC_POSTFIX},
  [PF_T_LBRACKET]      = {NULL, element, PREC_POSTFIX},
  [PF_T_UNIT]          = {NULL, unit, PREC_POSTFIX},
  [PF_T_LPAREN]        = {group, call, PREC_POSTFIX},
};

static const Rule *rule_of(PfTokenKind kind)
{
  return rules + kind;
}

/* Is the unit that is next that of pi, as in 6*pi [rad/s]*r? At the end of a value it holds for all of it. */
static bool is_unit_of_pi(const PfParser *p)
{
  const char *last = p->source->bytes + p->last.start, *next = p->source->bytes + p->token.start + p->token.size;
  next += strspn(next, " \t");
  return p->last.kind == PF_T_NAME && p->last.size == 2 && !memcmp(last, "pi", 2) && *next && strchr("*/+-^", *next);
}

/* An operator may start a line; a token that must follow a value directly may not. A unit follows numbers only, and pi;
 * after another name it belongs to the declaration. */
static bool goes_on(const PfParser *p, Precedence least)
{
  Precedence precedence = rule_of(p->token.kind)->precedence;
  if (precedence == PREC_NONE || precedence < least) return false;
  if (precedence == PREC_POSTFIX && pf_parser_line_ended(p)) return false;
  return p->token.kind != PF_T_UNIT || p->last.kind == PF_T_NUMBER || is_unit_of_pi(p);
}

/* 'point' starts a statement, but point(arm, (a, b, c)) is also a function. */
static bool is_function(const PfParser *p)
{
  const char *next = p->source->bytes + p->token.start + p->token.size;
  return pf_parser_sees(p, "point") && next[strspn(next, " \t")] == '(';
}

/* So do 'kinetic' and 'potential', which can be shown. */
static bool is_energy(const PfParser *p)
{
  return p->showing && !p->token.newlines && (pf_parser_sees(p, "kinetic") || pf_parser_sees(p, "potential"));
}

/* Pratt's algorithm: an operand by the rule of its first token, then operators as long as they bind more tightly than
 * `least`. The height of the tree is limited, so that later recursions are. */
static PfNode *expression(PfParser *p, Precedence least)
{
  if (is_function(p) || is_energy(p)) p->token.kind = PF_T_NAME;
  PfToken start = p->token;
  int around = p->height;
  Prefix prefix = rule_of(start.kind)->prefix;
  if (!prefix) return missing_operand(p);

  p->height = 0;
  PfNode *left = prefix(p);
  p->height++;
  while (goes_on(p, least)) {
    left = rule_of(p->token.kind)->infix(p, left, &start);
    if (++p->height > HIGHEST) pf_parser_too_deep(p);
  }
  if (around > p->height) p->height = around;
  return left;
}

/* An expression; never NULL, after an error a node without meaning. */
PfNode *pf_parse_expression(PfParser *p)
{
  return expression(p, PREC_OR);
}

PfNode *pf_parse_start_value(PfParser *p)
{
  PfToken start = p->token;
  PfNode *value = pf_parse_expression(p);
  bool unit_follows = !p->failed && p->token.kind == PF_T_UNIT && !pf_parser_line_ended(p);
  if (!unit_follows) return value;
  value = unit(p, value, &start);
  bool goes = rule_of(p->token.kind)->infix && !pf_parser_line_ended(p);
  if (goes && pf_parser_error(p, &p->token, "the unit before %s holds for all that is before it, and ends the value",
                              pf_parser_describe(p, &p->token, (char[PF_TOKEN_NAME]){0})))
    pf_hint(p->ctx, "put the unit behind a number of the product: 2 [m]*k instead of 2*k [m]");
  return value;
}

PfNode *pf_parse_range(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_RANGE, &p->token);
  node->child = pf_parse_expression(p);
  if (pf_parser_expect(p, PF_T_DOTDOT, "and the last number of the range", "for example: 1..3"))
    node->child->next = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}
