/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that several statements share: new names, labels, parameters, arguments, units, properties. */
#include "lang/parse_impl.h"

/* ---------------------------------------------------------------- names */

static bool is_reserved(PfTokenKind kind)
{
  return kind == PF_T_KEYWORD || kind == PF_T_CLAUSE || kind == PF_T_AND || kind == PF_T_OR || kind == PF_T_NOT;
}

PfNode *pf_parse_new_name(PfParser *p, PfNodeKind kind, const char *purpose)
{
  PfToken token = p->token;
  PfNode *node = pf_parser_node(p, kind, &token);
  bool missing = pf_parser_line_ended(p) && (p->last.kind != PF_T_COMMA || token.kind == PF_T_KEYWORD);
  if (is_reserved(token.kind) && !missing) {
    char buffer[PF_TOKEN_NAME];
    if (pf_parser_error(p, &token, "%s is a word of the language, so it cannot be a name",
                        pf_parser_describe(p, &token, buffer)))
      pf_hint(p->ctx, "choose another name, for example %.*s_1", (int)token.size,
              p->source->bytes + token.start);
  } else if (token.kind != PF_T_NAME || missing) {
    pf_parser_expected(p, "%s", purpose);
  } else {
    node->text = pf_parser_token_text(p, &token);
    pf_parser_advance(p);
  }
  return node;
}

PfNode *pf_parse_index(PfParser *p)
{
  PfBracket bracket = pf_parser_open(p);
  PfNode *index = pf_parse_expression(p);
  pf_parser_close(p, &bracket, PF_T_RBRACKET, "']'");
  return index;
}

PfNode *pf_parse_label(PfParser *p, const char *purpose)
{
  PfNode *node = pf_parse_new_name(p, PF_N_LABEL, purpose);
  if (p->token.kind == PF_T_LBRACKET) node->child = pf_parse_index(p);
  pf_parser_extend(p, node);
  return node;
}

/* [unit], as UNITS. */
PfNode *pf_parse_units(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_UNITS, &p->token);
  const char *text = pf_token_unit(p->source, &p->token);
  if (!text) pf_parser_no_memory(p);
  node->text = text ? text : "";
  pf_parser_advance(p);
  return node;
}

/* ---------------------------------------------------------------- lists in round brackets */

PfNode *pf_parse_parameters(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_PARAMETERS, &p->token);
  if (p->token.kind != PF_T_LPAREN) {
    if (pf_parser_expected(p, "'(' and the names of the parameters"))
      pf_hint(p->ctx, "for example: part wheel(i, angle) { … }; without parameters: part wheel() { … }");
    return node;
  }
  PfBracket bracket = pf_parser_open(p);
  PfNode **tail = &node->child;
  if (p->token.kind != PF_T_RPAREN) {
    do {
      tail = pf_parser_add(tail, pf_parse_new_name(p, PF_N_NAME, "the name of a parameter"));
    } while (pf_parser_accept(p, PF_T_COMMA));
  }
  pf_parser_close(p, &bracket, PF_T_RPAREN, "',' or ')'");
  pf_parser_extend(p, node);
  return node;
}

void pf_parse_arguments(PfParser *p, PfNode **tail, const char *hint)
{
  if (p->token.kind != PF_T_LPAREN) {
    if (pf_parser_expected(p, "'(' and the arguments") && hint) pf_hint(p->ctx, "%s", hint);
    return;
  }
  PfBracket bracket = pf_parser_open(p);
  if (p->token.kind != PF_T_RPAREN) {
    do {
      tail = pf_parser_add(tail, pf_parse_expression(p));
    } while (pf_parser_accept(p, PF_T_COMMA));
  }
  pf_parser_close(p, &bracket, PF_T_RPAREN, "',' or ')'");
}

/* ---------------------------------------------------------------- properties */

/* key expr or key = expr */
static PfNode *property(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_PROPERTY, &p->token);
  if (p->token.kind != PF_T_NAME && p->token.kind != PF_T_CLAUSE) {
    pf_parser_expected(p, "the name of a property or '}'");
    return node;
  }
  node->text = pf_parser_token_text(p, &p->token);
  pf_parser_advance(p);
  if (!pf_parser_accept(p, PF_T_EQUAL) && pf_parser_line_ended(p))
    pf_parser_expected(p, "the value of '%.40s'", node->text);
  node->child = pf_parse_expression(p);
  return node;
}

static void separator(PfParser *p, const PfNode *after)
{
  if (pf_parser_accept(p, PF_T_COMMA) || p->token.kind == PF_T_RBRACE || pf_parser_line_ended(p)) return;
  PfTokenKind kind = p->token.kind;
  if (kind == PF_T_END) return;
  if (pf_parser_expected(p, "',' or '}' after the value of '%.40s'", after->text) && kind == PF_T_SEMICOLON)
    pf_hint(p->ctx, "properties are separated by commas or new lines");
}

PfNode *pf_parse_properties(PfParser *p, const char *purpose, const char *hint)
{
  PfNode *block = pf_parser_node(p, PF_N_BLOCK, &p->token);
  PfNode **tail = &block->child;
  if (p->token.kind != PF_T_LBRACE) {
    if (pf_parser_expected(p, "'{' %s", purpose) && hint) pf_hint(p->ctx, "%s", hint);
    return block;
  }
  PfBracket brace = pf_parser_open(p);
  p->in_properties = true;
  bool forgotten = false; /* the brace, when a statement follows */
  while (p->token.kind != PF_T_RBRACE && p->token.kind != PF_T_END && !forgotten) {
    PfNode *node = property(p);
    tail = pf_parser_add(tail, node);
    separator(p, node);
    forgotten = p->token.kind == PF_T_KEYWORD && p->token.newlines;
  }
  pf_parser_close(p, &brace, PF_T_RBRACE, "'}'");
  if (!p->failed) p->in_properties = false;
  return block;
}

/* ---------------------------------------------------------------- nodes of statements */

/* The statement's node; its place and text are the keyword's. */
PfNode *pf_parse_node(PfParser *p, PfNodeKind kind)
{
  PfNode *node = pf_parser_node(p, kind, &p->last);
  node->text = pf_parser_token_text(p, &p->last);
  return node;
}

/* A label that was read as an expression, because only the ':' behind it tells. */
PfNode *pf_parse_as_label(PfParser *p, PfNode *node)
{
  pf_parser_advance(p);
  node->kind = PF_N_LABEL;
  return node;
}

/* A word of the language where the ':' or '[' behind it shows that it was meant as a label. */
static bool sees_reserved_label(const PfParser *p)
{
  const char *at = p->source->bytes + p->token.start + p->token.size;
  if (!is_reserved(p->token.kind) || pf_parser_line_ended(p)) return false;
  while (*at == ' ' || *at == '\t') at++;
  return *at == ':' || *at == '[';
}

PfNode *pf_parse_label_or_expression(PfParser *p)
{
  return sees_reserved_label(p) ? pf_parse_new_name(p, PF_N_LABEL, "a name") : pf_parse_expression(p);
}

/* Is the expression that was read a label: a name with ':' after it? */
bool pf_parse_is_label(const PfParser *p, const PfNode *node)
{
  return p->token.kind == PF_T_COLON && (node->kind == PF_N_NAME || node->kind == PF_N_INDEX);
}

/* Wraps an expression, so that its role shows. */
PfNode *pf_parse_wrapped(PfParser *p, PfNodeKind kind)
{
  PfNode *node = pf_parser_node(p, kind, &p->token);
  node->child = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

PfNode **pf_parse_optional_properties(PfParser *p, PfNode **tail)
{
  return p->token.kind == PF_T_LBRACE ? pf_parser_add(tail, pf_parse_properties(p, "", NULL)) : tail;
}
