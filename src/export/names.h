/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of a model in the languages that it is exported to. Whatever stands in a model, an identifier stays
 * an identifier, a comment a comment, a string a string. */
#ifndef PF_EXPORT_NAMES_H
#define PF_EXPORT_NAMES_H

#include "base/base.h"

/* Languages whose reserved words a name must not be. */
typedef enum PfWords { PF_WORDS_C, PF_WORDS_PYTHON, PF_WORDS_MATLAB } PfWords;

/* Names that live side by side, as the members of a struct: each becomes one identifier, no two the same. */
typedef struct PfNames {
  PfContext *ctx;
  PfArena *arena; /* of the identifiers */
  PfWords words;
  PfMap taken;
} PfNames;

enum { PF_LONGEST_IDENTIFIER = 48 };

void pf_names_init(PfNames *names, PfContext *ctx, PfArena *arena, PfWords words);
void pf_names_free(PfNames *names);

/* The identifier of a name: w[2] becomes w_2, hub.wx hub_wx, x' x_dot; reserved words get an underscore behind them,
 * what is taken a number: equal lists give equal identifiers. */
PfStatus pf_names_take(PfNames *names, const char *name, const char **identifier);

/* The identifier of a whole model, which also names files: neither a header of C, nor a module of Python, nor a device
 * of Windows. */
PfStatus pf_names_of_model(PfContext *ctx, PfArena *arena, PfWords words, const char *name, const char **identifier);

/* The same in capitals. */
const char *pf_names_upper(PfArena *arena, const char *identifier);

/* Text inside a comment of one line, in C, Python or MATLAB: no end of it, no line end, no trigraph, nothing hidden. */
void pf_put_comment(PfText *text, const char *words);
/* A string of C, with its quotes. */
void pf_put_c_string(PfText *text, const char *string);
/* A character vector of MATLAB, with its quotes: one line. */
void pf_put_matlab_string(PfText *text, const char *string);
/* A word in Markdown. */
void pf_put_markdown(PfText *text, const char *words);

#endif
