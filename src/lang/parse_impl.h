/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the parser share. After an error the parser sees nothing but the end of the file, so that
 * every function falls through to the statement loop without asking; only that loop looks at `failed`. */
#ifndef PF_LANG_PARSE_IMPL_H
#define PF_LANG_PARSE_IMPL_H

#include "lang/lex.h"

typedef struct PfParser {
  PfSource *source;
  PfContext *ctx;
  PfLexer lexer;
  PfToken token; /* the one to read next */
  PfToken last;  /* the one read before it */
  PfToken kept;  /* the real next one while `failed` */
  PfMap words;   /* every text of the tree, once */
  PfToken open;  /* the innermost open bracket, when there is one */
  int brackets;  /* open round and square ones: inside, line ends are blanks */
  int braces;
  bool showing;       /* in 'plot': kinetic and potential are names */
  bool in_properties; /* the innermost open brace holds properties, not statements */
  int nesting;        /* brackets, calls, powers, signs and blocks around the next token */
  int height;         /* of the highest subtree of the node that is being made */
  int errors;
  bool failed;      /* this statement is lost */
  bool stopped;     /* all is lost: a limit, too many errors, or no memory */
  PfStatus status;  /* what to return */
  PfNode nowhere;   /* stands for a node that could not be made */
} PfParser;

/* ---------------------------------------------------------------- tokens */

void pf_parser_advance(PfParser *p);
bool pf_parser_accept(PfParser *p, PfTokenKind kind);
/* The purpose completes the message "expected '=' …"; the hint may be NULL. */
bool pf_parser_expect(PfParser *p, PfTokenKind kind, const char *purpose, const char *hint);
/* The next token is this word, whatever its kind. */
bool pf_parser_sees(const PfParser *p, const char *word);
bool pf_parser_accept_word(PfParser *p, const char *word);
bool pf_parser_expect_word(PfParser *p, const char *word, const char *purpose, const char *hint);
/* The next token is on a new line, and no bracket is open. */
bool pf_parser_line_ended(const PfParser *p);

/* ---------------------------------------------------------------- errors */

/* Both record an error unless the statement has one already, and give up the statement. True when it was
 * recorded: then a hint may be added. */
bool pf_parser_expected(PfParser *p, const char *format, ...) PF_PRINTF(2, 3); /* "expected …, found …" */
bool pf_parser_error(PfParser *p, const PfToken *at, const char *format, ...) PF_PRINTF(3, 4);
void pf_parser_no_memory(PfParser *p);

/* What a message calls the token: 'x', the number 3, … */
enum { PF_TOKEN_NAME = 64 };
const char *pf_parser_describe(const PfParser *p, const PfToken *token, char buffer[PF_TOKEN_NAME]);

/* One level deeper or back; too deep stops the parser. */
void pf_parser_enter(PfParser *p);
void pf_parser_leave(PfParser *p);
void pf_parser_too_deep(PfParser *p);

/* ---------------------------------------------------------------- nodes */

/* A node that starts at the token and, so far, is as long as it. Never NULL. */
PfNode *pf_parser_node(PfParser *p, PfNodeKind kind, const PfToken *start);
/* The node reaches to the last token read, if that is in the same line. */
void pf_parser_extend(PfParser *p, PfNode *node);
/* Puts the node at the tail of a list; returns the new tail. */
PfNode **pf_parser_add(PfNode **tail, PfNode *node);
const char *pf_parser_token_text(PfParser *p, const PfToken *token);

/* ---------------------------------------------------------------- brackets */

typedef struct PfBracket {
  PfToken open, outer;
} PfBracket;

/* Reads an opening bracket, which is next, and counts one more level. */
PfBracket pf_parser_open(PfParser *p);
/* The bracket that closes it must come next; `instead` names all that could. After an error the count of
 * brackets stays, for the recovery to go on with. */
void pf_parser_close(PfParser *p, const PfBracket *bracket, PfTokenKind kind, const char *instead);
/* Says how to write a product or a unit if two values stand side by side. */
void pf_parser_hint_neighbours(PfParser *p);

/* ---------------------------------------------------------------- grammar */

PfNode *pf_parse_expression(PfParser *p);
/* The same with a unit behind it that holds for all of it: (pi/3) [rad]. */
PfNode *pf_parse_start_value(PfParser *p);
PfNode **pf_parse_shown(PfParser *p, PfNode **tail); /* what 'plot' lists; returns the new tail */
PfNode *pf_parse_range(PfParser *p);
PfNode *pf_parse_string(PfParser *p); /* the next token is one */
/* (a, b, …) as a list */
void pf_parse_arguments(PfParser *p, PfNode **tail, const char *hint);
/* (a, b, …) where only names are allowed, as PARAMETERS */
PfNode *pf_parse_parameters(PfParser *p);
/* A new name, as a node of the kind. Words of the language and derivatives cannot be names. */
PfNode *pf_parse_new_name(PfParser *p, PfNodeKind kind, const char *purpose);
/* NAME or NAME[index], as LABEL */
PfNode *pf_parse_label(PfParser *p, const char *purpose);
/* [index] directly after a name: the expression */
PfNode *pf_parse_index(PfParser *p);
PfNode *pf_parse_units(PfParser *p);
/* { key expr, key = expr … }, as BLOCK */
PfNode *pf_parse_properties(PfParser *p, const char *purpose, const char *hint);
/* The same if there is a '{'; returns the new tail. */
PfNode **pf_parse_optional_properties(PfParser *p, PfNode **tail);
/* The node of a statement whose keyword was read last; its place and text are the keyword's. */
PfNode *pf_parse_node(PfParser *p, PfNodeKind kind);
/* An expression inside a node of the kind, which shows its role. */
PfNode *pf_parse_wrapped(PfParser *p, PfNodeKind kind);
/* A label is first read as an expression, because only the ':' behind it tells. A word of the language in its place is
 * refused as a name. */
PfNode *pf_parse_label_or_expression(PfParser *p);
bool pf_parse_is_label(const PfParser *p, const PfNode *node);
PfNode *pf_parse_as_label(PfParser *p, PfNode *node);

/* The statement after its keyword, which was read last. */
PfNode *pf_parse_statement(PfParser *p);
PfNode *pf_parse_frame(PfParser *p);
PfNode *pf_parse_point(PfParser *p);
PfNode *pf_parse_spring(PfParser *p);
PfNode *pf_parse_constraint(PfParser *p);
PfNode *pf_parse_roll(PfParser *p);
PfNode *pf_parse_skate(PfParser *p);
PfNode *pf_parse_when(PfParser *p);
PfNode *pf_parse_lock(PfParser *p);
PfNode *pf_parse_attach(PfParser *p);
PfNode *pf_parse_detach(PfParser *p);
/* A block of statements in braces. */
PfNode *pf_parse_block(PfParser *p);

#endif
