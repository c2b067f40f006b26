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
  int brackets;  /* open round and square ones: inside, line ends are blanks */
  int braces;
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
bool pf_parser_expect(PfParser *p, PfTokenKind kind, const char *purpose);
/* The next token is this word, whatever its kind. */
bool pf_parser_sees(const PfParser *p, const char *word);
bool pf_parser_accept_word(PfParser *p, const char *word);
bool pf_parser_expect_word(PfParser *p, const char *word, const char *purpose);
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
/* The text in the arena, the same pointer for the same text. */
const char *pf_parser_text(PfParser *p, const char *bytes, size_t size);
const char *pf_parser_token_text(PfParser *p, const PfToken *token);

/* ---------------------------------------------------------------- grammar */

PfNode *pf_parse_expression(PfParser *p);
PfNode *pf_parse_range(PfParser *p);
/* The bracket that closes `open` must come next; `instead` names all that could. p->brackets goes down with a
 * round or square one, and stays after an error, for the recovery to count on. */
void pf_parse_closing(PfParser *p, const PfToken *open, PfTokenKind kind, const char *instead);
/* Arguments up to the closing bracket; the opening one is next. */
void pf_parse_arguments(PfParser *p, PfNode **tail);
/* Says how to write a product or a unit if two values stand side by side. */
void pf_parse_hint_neighbours(PfParser *p);

/* The statement after its keyword, which was read last. */
PfNode *pf_parse_statement(PfParser *p);
/* A block of statements in braces. */
PfNode *pf_parse_block(PfParser *p);

#endif
