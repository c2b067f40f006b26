/* SPDX-License-Identifier: Apache-2.0 */
/* A study as a task: from the model to the report and the file of 'out'; parts that several reports have in common. */
#include "task/study.h"

#include <string.h>

/* The JSON of a file ends without a line end. */
static PfStatus make_json(Study *st, const StudyKind *kind, PfText *text)
{
  PfReport *report = NULL;
  PfStatus status = pf_task_make_report(st->s.ctx, st->options->task->fields, st, kind->write, &report);
  const char *json = status == PF_OK ? pf_report_json(report) : NULL;
  if (json) pf_text_put(text, json, strlen(json) - 1);
  pf_report_free(report);
  return status == PF_OK && !json ? pf_no_room(st->s.ctx, "the report") : status;
}

static PfStatus write_file(Study *st, const StudyKind *kind)
{
  const StudyFile *file = kind->files;
  PfText text;
  pf_text_init(&text, pf_context_allocator(st->s.ctx));
  while (file->kind && !pf_task_out_is(st->options, file->kind)) file++;
  PfStatus status = pf_task_out_is(st->options, "json") ? make_json(st, kind, &text) : file->write(st, &text);
  if (status == PF_OK) status = pf_task_write(st->s.ctx, st->options, &text);
  pf_text_free(&text);
  return status;
}

void pf_study_close(Study *st)
{
  pf_task_end(&st->motion);
  pf_dynamics_free(st->field);
  pf_system_free(st->system);
  if (st->original) st->s.model = st->original; /* the one with angles lives in the arena of the session */
  pf_task_close(&st->s);
}

PfStatus pf_study_run(const StudyKind *kind, const PfRequest *options, Study *st)
{
  st->options = options;
  st->long_formulas = options->tree;
  PfStatus status = pf_task_open(&st->s, options);
  if (status == PF_OK) status = kind->compute(st);
  if (status == PF_OK && options->out) status = write_file(st, kind);
  status = pf_task_report(st->s.ctx, status, options, st, kind->write);
  if (kind->free) kind->free(st);
  pf_study_close(st);
  return status;
}

/* ---------------------------------------------------------------- parts of reports */

void pf_study_report_names(const Study *st, PfReport *report, const char *key, const char *units_key,
                           const char *const *names, int count)
{
  pf_report_strings(report, key, names, count);
  pf_report_open(report, units_key);
  for (int i = 0; i < count; i++) pf_report_string(report, NULL, pf_study_measure(st, names[i]).unit);
  pf_report_close(report);
}

void pf_study_print_names(PfReport *report, const char *const *names, int count)
{
  for (int i = 0; i < count; i++) pf_report_print(report, "%s%s", i ? ", " : "", names[i]);
  if (!count) pf_report_print(report, "none");
}

void pf_study_print_eigenvalues(PfReport *report, const Eigenvalues *values, int digits, const char *between)
{
  for (int k = 0; k < values->count; k++) {
    double re = values->re[k], im = values->im[k];
    if (im < 0) continue;
    pf_report_print(report, "  %.*g", digits, re);
    if (im > 0) pf_report_print(report, "%s%.*gi", between, digits, im);
  }
  pf_report_print(report, "\n");
}

void pf_study_report_state(const Study *st, PfReport *report, PfSteadyKind kind, const char *const *names,
                           const bool *cyclic, int size)
{
  pf_report_string(report, "model", pf_model_label(st->s.model));
  pf_report_string(report, "kind", kind == PF_EQUILIBRIA ? "equilibria" : "steady");
  pf_study_report_names(st, report, "states", "units", names, size);
  pf_report_open(report, "cyclic");
  for (int i = 0; i < size; i++)
    if (cyclic[i]) pf_report_string(report, NULL, names[i]);
  pf_report_close(report);
}

void pf_study_print_failed(PfReport *report, int failed)
{
  if (failed) pf_report_print(report, "  at %d places what is kept cannot have its value\n", failed);
}
