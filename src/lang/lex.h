/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tokens. The lexer hands out one token at a time and remembers nothing else, so that a file of any
 * length needs no memory; a copy of it is a bookmark. */
#ifndef PF_LANG_LEX_H
#define PF_LANG_LEX_H

#include "lang/ast.h"

/* The words that start a statement, and the function of the parser that reads the rest of it. */
#define PF_KEYWORD_LIST(ENTRY)             \
  ENTRY("model", model_statement)          \
  ENTRY("param", declare_statement)        \
  ENTRY("coord", declare_statement)        \
  ENTRY("input", declare_statement)        \
  ENTRY("speed", declare_statement)        \
  ENTRY("let", declare_statement)          \
  ENTRY("kinetic", energy_statement)       \
  ENTRY("potential", energy_statement)     \
  ENTRY("dissipation", energy_statement)   \
  ENTRY("gravity", energy_statement)       \
  ENTRY("force", force_statement)          \
  ENTRY("torque", torque_statement)        \
  ENTRY("nonideal", nonideal_statement)    \
  ENTRY("start", assign_statement)         \
  ENTRY("rate", assign_statement)          \
  ENTRY("body", pf_parse_frame)            \
  ENTRY("frame", pf_parse_frame)           \
  ENTRY("point", pf_parse_point)           \
  ENTRY("spring", pf_parse_spring)         \
  ENTRY("damper", pf_parse_spring)         \
  ENTRY("constraint", pf_parse_constraint) \
  ENTRY("roll", pf_parse_roll)             \
  ENTRY("skate", pf_parse_skate)           \
  ENTRY("omni", pf_parse_skate)            \
  ENTRY("mecanum", pf_parse_skate)         \
  ENTRY("part", part_statement)            \
  ENTRY("use", use_statement)              \
  ENTRY("for", for_statement)              \
  ENTRY("run", run_statement)              \
  ENTRY("plot", plot_statement)            \
  ENTRY("draw", draw_statement)            \
  ENTRY("prescribe", pf_parse_constraint)  \
  ENTRY("when", pf_parse_when)             \
  ENTRY("lock", pf_parse_lock)             \
  ENTRY("unlock", pf_parse_lock)           \
  ENTRY("attach", pf_parse_attach)         \
  ENTRY("detach", pf_parse_detach)

/* Every kind of token, and how a message calls it. */
#define PF_TOKEN_LIST(ENTRY)                        \
  ENTRY(PF_T_END, "the end of the file")            \
  ENTRY(PF_T_BAD, "an unknown character")           \
  ENTRY(PF_T_NAME, "a name")                        \
  ENTRY(PF_T_KEYWORD, "a statement") /* starts a statement, cannot be a name */ \
  ENTRY(PF_T_CLAUSE, "a word")       /* in, at, on …: inside statements, cannot be a name */ \
  ENTRY(PF_T_AND, "'and'")                          \
  ENTRY(PF_T_OR, "'or'")                            \
  ENTRY(PF_T_NOT, "'not'")                          \
  ENTRY(PF_T_NUMBER, "a number")                    \
  ENTRY(PF_T_STRING, "a text in quotes")            \
  ENTRY(PF_T_UNIT, "a unit in square brackets")     \
  ENTRY(PF_T_COMMENT, "a comment")                  \
  ENTRY(PF_T_LPAREN, "'('")                         \
  ENTRY(PF_T_RPAREN, "')'")                         \
  ENTRY(PF_T_LBRACKET, "'['") /* of an index: directly after a name */ \
  ENTRY(PF_T_RBRACKET, "']'")                       \
  ENTRY(PF_T_LBRACE, "'{'")                         \
  ENTRY(PF_T_RBRACE, "'}'")                         \
  ENTRY(PF_T_COMMA, "','")                          \
  ENTRY(PF_T_COLON, "':'")                          \
  ENTRY(PF_T_SEMICOLON, "';'")                      \
  ENTRY(PF_T_EQUAL, "'='")                          \
  ENTRY(PF_T_PLUS, "'+'")                           \
  ENTRY(PF_T_MINUS, "'-'")                          \
  ENTRY(PF_T_STAR, "'*'")                           \
  ENTRY(PF_T_SLASH, "'/'")                          \
  ENTRY(PF_T_CARET, "'^'")                          \
  ENTRY(PF_T_PRIME, "an apostrophe (')")            \
  ENTRY(PF_T_DOT, "'.'")                            \
  ENTRY(PF_T_DOTDOT, "'..'")                        \
  ENTRY(PF_T_LESS, "'<'")                           \
  ENTRY(PF_T_LESS_EQUAL, "'<='")                    \
  ENTRY(PF_T_GREATER, "'>'")                        \
  ENTRY(PF_T_GREATER_EQUAL, "'>='")                 \
  ENTRY(PF_T_EQUAL_EQUAL, "'=='")                   \
  ENTRY(PF_T_BANG, "'!'")

typedef enum PfTokenKind {
#define PF_TOKEN_ENTRY(kind, text) kind,
  PF_TOKEN_LIST(PF_TOKEN_ENTRY)
#undef PF_TOKEN_ENTRY
  PF_T_COUNT
} PfTokenKind;

typedef struct PfToken {
  PfTokenKind kind;
  uint32_t start, size;          /* bytes of the source; a string with its quotes, a unit with its brackets */
  uint32_t line, column, length; /* the same in characters, from 1 */
  uint32_t newlines;             /* line ends since the token before; 2 stands for more */
} PfToken;

typedef enum PfComments { PF_SKIP_COMMENTS, PF_KEEP_COMMENTS } PfComments;

typedef struct PfLexer {
  const PfSource *source;
  PfComments comments;
  uint32_t at, line, column; /* where to read on */
  PfToken last;              /* the latest token that is no comment */
} PfLexer;

void pf_lexer_init(PfLexer *lexer, const PfSource *source, PfComments comments);

/* The next token; PF_T_END for ever at the end, placed directly behind the last one. */
PfToken pf_lexer_next(PfLexer *lexer);

/* Says what is wrong with a PF_T_BAD token. */
PfStatus pf_lex_report(const PfSource *source, const PfToken *token);

/* What messages call the kind. */
const char *pf_token_text(PfTokenKind kind);
bool pf_token_is(const PfSource *source, const PfToken *token, const char *word);
PfPlace pf_token_place(const PfSource *source, const PfToken *token);

/* The unit between the brackets of a PF_T_UNIT with single blanks, in the arena; NULL without memory. */
char *pf_token_unit(const PfSource *source, const PfToken *token);

/* Makes runs of blanks single, in place, and drops those at the ends. */
void pf_squeeze_blanks(char *text);

/* PF_T_NAME, or what else the word is. */
PfTokenKind pf_word_kind(const char *word, size_t size);

/* The keyword nearest to a misspelt word, or NULL. */
const char *pf_nearest_keyword(const char *word);

#endif
