/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as the library sees them: the values, and the text as a text that grows. */
#ifndef PF_SRC_REPORT_H
#define PF_SRC_REPORT_H

#include "base/base.h"
#include "pfaff/report.h"

struct PfValue {
  const char *key;      /* NULL for an item of a list */
  const PfField *field; /* its own; for items that are not lists or maps that of their list or map */
  PfType wanted, type;  /* as the field says; PF_TYPE_NULL until it is written */
  bool written;
  int count, columns;   /* members, items or rows; of a matrix, -1: a vector */
  PfValue *parent, *first, *last, *next;
  union {
    long long integer; /* and bool */
    double number;
    const char *string;
    const double *numbers;
    const char *const *strings;
  };
};

/* The meaning of a field, for documentation and the types of other languages. The module for pages, which is sent, does
 * without. */
#ifdef __wasi__
#define PF_ABOUT(meaning) NULL
#else
#define PF_ABOUT(meaning) meaning
#endif

/* Fields in tables. A plain value or numbers; one that may be null; one that may be left out; a matrix; maps and lists
 * of such values; a record, or a list of records, with a table of its own. The type is given without its prefix:
 * PF_FIELD("rank", INTEGER, "rank of the constraints"). */
#define PF_FIELD(name, kind, meaning) {.key = name, .type = PF_TYPE_##kind, .about = PF_ABOUT(meaning)}
#define PF_FIELD_OR_NULL(name, kind, meaning) \
  {.key = name, .type = PF_TYPE_##kind, .about = PF_ABOUT(meaning), .nullable = true}
#define PF_FIELD_OPTIONAL(name, kind, meaning) \
  {.key = name, .type = PF_TYPE_##kind, .about = PF_ABOUT(meaning), .optional = true}
#define PF_FIELD_MATRIX(name, kind, meaning) \
  {.key = name, .type = PF_TYPE_##kind, .about = PF_ABOUT(meaning), .layout = PF_MATRIX}
#define PF_FIELD_MAP(name, kind, meaning) \
  {.key = name, .type = PF_TYPE_MAP, .of = PF_TYPE_##kind, .about = PF_ABOUT(meaning)}
#define PF_FIELD_LIST(name, kind, meaning) \
  {.key = name, .type = PF_TYPE_LIST, .of = PF_TYPE_##kind, .about = PF_ABOUT(meaning)}
#define PF_FIELD_RECORD(name, table, meaning) \
  {.key = name, .type = PF_TYPE_RECORD, .fields = table, .about = PF_ABOUT(meaning)}
#define PF_FIELD_RECORDS(name, table, meaning) \
  {.key = name, .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = table, .about = PF_ABOUT(meaning)}

/* The text of the report, for functions that write to a text. */
PfText *pf_report_page(PfReport *report);

/* Makes the report independent of the context of its writer, whose diagnostics are copied. */
PfStatus pf_report_keep(PfReport *report);
/* The last member or item of the record, map or list that is open; it is taken out again. */
const PfValue *pf_report_last(const PfReport *report);
void pf_report_remove_last(PfReport *report);
/* Forgets the text. */
void pf_report_clear_text(PfReport *report);

/* What was added to the text since it had `before` bytes, as a string as well; or only as a string. */
void pf_report_shown(PfReport *report, const char *key, size_t before);
void pf_report_moved(PfReport *report, const char *key, size_t before);

/* All diagnostics of a context under the key "diagnostics", whose field is PF_FIELD_DIAGNOSTICS (diagnostics.c). */
void pf_report_diagnostics(PfReport *report, const PfContext *ctx);
/* A report of these alone, of a task that did not get further; to be freed also after an error. */
PfStatus pf_report_diagnostics_only(PfContext *ctx, PfReport **report);
extern const PfField pf_diagnostic_fields[];
#define PF_FIELD_DIAGNOSTICS \
  PF_FIELD_RECORDS("diagnostics", pf_diagnostic_fields, "errors, warnings and notes, in the order of the text")

/* The diagnostics of a context in the order of the text, the first PF_MOST_DIAGNOSTICS of them; returns how many. */
enum { PF_MOST_DIAGNOSTICS = 100 };
int pf_diagnostics_sort(const PfContext *ctx, const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS]);
const char *pf_severity_name(PfSeverity severity);
const char *pf_status_name(PfStatus status);

/* The value and all below it, with its key, as the next item of a JSON text; nothing for an optional field
 * that was not written (json_value.c). */
struct PfJson;
void pf_json_value(struct PfJson *json, const PfValue *value);

#endif
