/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics as a part of a report. */
#include "report/report.h"

const PfField pf_diagnostic_fields[] = {
  PF_FIELD("severity", STRING, "'error', 'warning' or 'note'"),
  PF_FIELD("code", STRING, "the kind of the error, as 'syntax', 'unit' or 'number'"),
  PF_FIELD("message", STRING, "the message"),
  PF_FIELD_OR_NULL("hint", STRING, "how to fix it; null: no advice"),
  PF_FIELD_OR_NULL("setting", STRING, "the setting that it is about; null: it is about none"),
  PF_FIELD_OR_NULL("file", STRING, "the text in which the place is; null without a place"),
  PF_FIELD("line", INTEGER, "counted from 1; 0: without a place"),
  PF_FIELD("column", INTEGER, "counted from 1, in characters"),
  PF_FIELD("length", INTEGER, "of the place, in characters"),
  {0}};

const char *pf_status_name(PfStatus status)
{
  static const char *const name[] = {"none", "memory", "argument", "limit", "file", "syntax", "name", "unit",
                                     "model", "number", "missing", "cancelled"}; /* as in PF_STATUS_LIST */
  _Static_assert(sizeof name/sizeof *name == PF_ERR_CANCELLED + 1, "every status has a name");
  return name[status];
}

static bool is_before(const PfDiagnostic *a, const PfDiagnostic *b)
{
  if (!a->place.line || !b->place.line) return false; /* one without a place stays where it is */
  return a->place.line < b->place.line || (a->place.line == b->place.line && a->place.column < b->place.column);
}

int pf_diagnostics_sort(const PfContext *ctx, const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS])
{
  int count = 0;
  for (int i = 0; i < pf_diagnostic_count(ctx) && count < PF_MOST_DIAGNOSTICS; i++) {
    const PfDiagnostic *d = pf_diagnostic(ctx, i);
    int k = count++;
    for (; k > 0 && is_before(d, sorted[k - 1]); k--) sorted[k] = sorted[k - 1];
    sorted[k] = d;
  }
  return count;
}

const char *pf_severity_name(PfSeverity severity)
{
  static const char *const name[] = {"note", "warning", "error"};
  return name[severity];
}

void pf_report_diagnostics(PfReport *report, const PfContext *ctx)
{
  const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS];
  int count = pf_diagnostics_sort(ctx, sorted);
  pf_report_open(report, "diagnostics");
  for (int i = 0; i < count; i++) {
    const PfDiagnostic *d = sorted[i];
    pf_report_open(report, NULL);
    pf_report_string(report, "severity", pf_severity_name(d->severity));
    pf_report_string(report, "code", pf_status_name(d->code));
    pf_report_string(report, "message", d->message);
    pf_report_string(report, "hint", d->hint);
    pf_report_string(report, "setting", d->setting);
    pf_report_string(report, "file", d->place.line ? d->place.file : NULL);
    pf_report_integer(report, "line", d->place.line);
    pf_report_integer(report, "column", d->place.column);
    pf_report_integer(report, "length", d->place.length);
    pf_report_close(report);
  }
  pf_report_close(report);
}

PfStatus pf_report_diagnostics_only(PfContext *ctx, PfReport **report)
{
  static const PfField fields[] = {PF_FIELD_DIAGNOSTICS, {0}};
  PF_TRY(pf_report_new(ctx, fields, report));
  pf_report_diagnostics(*report, ctx);
  return pf_report_check(*report);
}
