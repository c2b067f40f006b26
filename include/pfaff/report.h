/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a task: a tree of values with keys, for programs, and a text, for people. Both are written in one
 * pass. A table of fields says which keys a report has, in which order, of which type, and what they mean; JSON, the
 * reference of keys in the documentation and the types of other languages follow from it. */
#ifndef PFAFF_REPORT_H
#define PFAFF_REPORT_H

#include "pfaff/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PfType {
  PF_TYPE_NULL, /* the type of a value that was not given */
  PF_TYPE_BOOL,
  PF_TYPE_INTEGER,
  PF_TYPE_NUMBER,
  PF_TYPE_STRING,
  PF_TYPE_RECORD, /* members with the keys of a table of fields */
  PF_TYPE_MAP,    /* members with other keys, as the names of a model, all of one type */
  PF_TYPE_LIST,   /* items of one type */
  PF_TYPE_NUMBERS, /* a vector or a matrix; in JSON a list of numbers, or of rows */
  PF_TYPE_STRINGS  /* the same of strings, as the entries of a matrix of formulas */
} PfType;

/* The layout of numbers and strings. */
typedef enum PfLayout {
  PF_VECTOR,
  PF_MATRIX, /* by rows */
  PF_VECTOR_OR_MATRIX
} PfLayout;

/* A key of a record. A list or a map has items of the type `of`; `fields` are those of a record, or of records in a
 * list or map; of a list of lists it is one field, that of the inner list. A field that was not written is null or,
 * when it is optional, left out. After an error any field may be missing but the diagnostics; after success null stands
 * only for fields that are nullable, and as entries of numbers and strings that are. */
typedef struct PfField {
  const char *key;
  PfType type, of;
  const struct PfField *fields; /* ended by an empty one */
  const char *about;
  PfLayout layout;
  bool optional;
  bool nullable;
  bool large; /* numbers with many rows: their JSON is indented as if they stood alone, which saves bytes */
  int base64; /* numbers: in JSON the base64 of their bytes, the lowest first, 8 each or 4 (floats); 0: numbers */
} PfField;

typedef struct PfValue PfValue;
typedef struct PfReport PfReport;

/* An empty report on records with these fields. The tables must outlive it. */
PF_API PfStatus pf_report_new(PfContext *ctx, const PfField *fields, PfReport **report);
PF_API void pf_report_free(PfReport *report);

/* ---------------------------------------------------------------- writing */

/* Opens a record, a map or a list, as its field says, until it is closed; what is written in between belongs to it. The
 * key is NULL for an item of a list. */
PF_API void pf_report_open(PfReport *report, const char *key);
PF_API void pf_report_close(PfReport *report);

PF_API void pf_report_bool(PfReport *report, const char *key, bool value);
PF_API void pf_report_integer(PfReport *report, const char *key, long long value);
PF_API void pf_report_number(PfReport *report, const char *key, double value);
/* A copy of the string; NULL writes null. */
PF_API void pf_report_string(PfReport *report, const char *key, const char *value);
/* Copies of a vector, and of a matrix by rows. */
PF_API void pf_report_numbers(PfReport *report, const char *key, const double *values, int count);
PF_API void pf_report_matrix(PfReport *report, const char *key, const double *values, int rows, int columns);
/* Complex numbers, as a matrix with rows of real and imaginary part. */
PF_API void pf_report_complex(PfReport *report, const char *key, const double *re, const double *im, int count);
/* A vector and a matrix of strings; NULL among them is null. */
PF_API void pf_report_strings(PfReport *report, const char *key, const char *const *values, int count);
PF_API void pf_report_string_matrix(PfReport *report, const char *key, const char *const *values, int rows,
                                    int columns);
/* Text for people, added to the end. */
PF_API void pf_report_print(PfReport *report, const char *format, ...) PF_PRINTF(2, 3);

/* PF_ERR_MEMORY, with a message, when something could not be written. */
PF_API PfStatus pf_report_check(PfReport *report);

/* ---------------------------------------------------------------- reading */

/* The diagnostics of the task that has written it: pf_diagnostic(pf_report_context(report), i). The context belongs to
 * the report. */
PF_API const PfContext *pf_report_context(const PfReport *report);

/* The text for people. */
PF_API const char *pf_report_text(const PfReport *report);
/* The tree as JSON, with a line end after it; made when first called. NULL without memory. */
PF_API const char *pf_report_json(PfReport *report);

/* The record of the whole report; the member of a record or map, the item of a list (NULL: there is none). A value of
 * NULL is of type PF_TYPE_NULL, has no members and no items. */
PF_API const PfValue *pf_report_values(const PfReport *report);
PF_API const PfValue *pf_value_member(const PfValue *value, const char *key);
PF_API const PfValue *pf_value_item(const PfValue *value, int index);
/* The first member or item, and the next after one. */
PF_API const PfValue *pf_value_first(const PfValue *value);
PF_API const PfValue *pf_value_next(const PfValue *value);

PF_API PfType pf_value_type(const PfValue *value);
PF_API const char *pf_value_key(const PfValue *value); /* NULL for an item of a list */
PF_API int pf_value_count(const PfValue *value);       /* of members or items; of rows, for numbers and strings */
/* The value, converted among the numeric types; NaN, 0, false and NULL where the type is another. */
PF_API double pf_value_number(const PfValue *value);
PF_API long long pf_value_integer(const PfValue *value);
PF_API bool pf_value_bool(const PfValue *value);
PF_API const char *pf_value_string(const PfValue *value);
/* The numbers or strings by rows, and how many stand in one; -1 columns: a vector. They live as long as the report. */
PF_API const double *pf_value_numbers(const PfValue *value, int *rows, int *columns);
PF_API const char *const *pf_value_strings(const PfValue *value, int *rows, int *columns);

#ifdef __cplusplus
}
#endif
#endif
