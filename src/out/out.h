/* SPDX-License-Identifier: Apache-2.0 */
/* Writing results: JSON and MAT files. Pictures are in chart.h. */
#ifndef PF_SRC_OUT_H
#define PF_SRC_OUT_H

#include "base/base.h"
#include "out/chart.h"
#include "report/json.h"

/* Appends a number of so many bytes, the lowest first (zip.c). */
void pf_put_little_endian(PfText *text, uint64_t value, int size);

/* ---------------------------------------------------------------- MAT files (mat.c) */

/* Appends a variable to a MAT file of level 4: a matrix (row-major). */
void pf_mat_matrix(PfText *text, const char *name, const double *values, int rows, int columns);
/* The same of texts, padded with blanks to equal length. */
void pf_mat_texts(PfText *text, const char *name, const char *const *lines, int count);

/* The same in pieces, for a matrix that is the last of its file and whose columns come one by one: its head as if it
 * had none, then `rows` numbers for each, and at last their number at PF_MAT_COLUMNS from where the head begins. */
#define PF_MAT_COLUMNS 8
/* The head of the matrix. */
void pf_mat_open(PfText *text, const char *name, int rows);
/* One column. */
void pf_mat_column(PfText *text, const double *values, int rows);
/* The number of columns as 4 bytes, to be written into the head. */
void pf_mat_count(PfText *text, uint32_t columns);

#endif
