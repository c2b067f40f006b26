/* SPDX-License-Identifier: Apache-2.0 */
/* Writing results: JSON and MAT files. Pictures are in chart.h. */
#ifndef PF_SRC_OUT_H
#define PF_SRC_OUT_H

#include "base/base.h"
#include "out/chart.h"
#include "report/json.h"

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
