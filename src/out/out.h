/* SPDX-License-Identifier: Apache-2.0 */
/* Writing results: JSON and MAT files. Pictures are in chart.h. */
#ifndef PF_SRC_OUT_H
#define PF_SRC_OUT_H

#include "base/base.h"
#include "out/chart.h"

/* A JSON text being written. Keys are NULL inside lists. Numbers read back exactly; what is not finite becomes
 * null, since JSON has no other word for it. */
typedef struct PfJson {
  PfText text;
  int depth;
  bool comma; /* the next item needs a comma before it */
} PfJson;

void pf_json_begin(PfJson *json, const PfAllocator *allocator);
void pf_json_free(PfJson *json);
void pf_json_open(PfJson *json, const char *key, char bracket); /* '{' or '[' */
void pf_json_close(PfJson *json, char bracket);                 /* '}' or ']' */
void pf_json_string(PfJson *json, const char *key, const char *value); /* NULL becomes null */
void pf_json_number(PfJson *json, const char *key, double value);
void pf_json_integer(PfJson *json, const char *key, long long value);
/* A string between quotes that no character of it can leave; Python reads it as well. */
void pf_put_quoted(PfText *text, const char *string);
void pf_json_bool(PfJson *json, const char *key, bool value);
/* What stands before a value that the caller puts into the text himself. */
void pf_json_item(PfJson *json, const char *key);
/* Numbers as the base64 of their bytes, the lowest first, in 8 bytes each or in 4 (base64.c). What is not finite stays
 * what it is. */
void pf_json_doubles(PfJson *json, const char *key, const double *values, size_t count);
void pf_json_floats(PfJson *json, const char *key, const double *values, size_t count);

/* ---------------------------------------------------------------- MAT files (mat.c) */

/* Appends a variable to a MAT file of level 4: a matrix (row-major), or texts as rows of characters. */
void pf_mat_matrix(PfText *text, const char *name, const double *values, int rows, int columns);
void pf_mat_texts(PfText *text, const char *name, const char *const *lines, int count);

/* The same in pieces, for a matrix that is the last of its file and whose columns come one by one: its head as if it
 * had none, then `rows` numbers for each, and at last their number at PF_MAT_COLUMNS from where the head begins. */
#define PF_MAT_COLUMNS 8
void pf_mat_open(PfText *text, const char *name, int rows);
void pf_mat_column(PfText *text, const double *values, int rows);
void pf_mat_count(PfText *text, uint32_t columns);

#endif
