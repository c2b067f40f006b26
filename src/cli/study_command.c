/* SPDX-License-Identifier: Apache-2.0 */
/* A study on the command line: from its words to the printed report and the file of --out. */
#include "cli/study.h"

#include <string.h>

/* The JSON of a file ends without a line end. */
static PfStatus make_json(Study *st, const StudyKind *kind, PfText *text)
{
  PfReport *report = NULL;
  PfStatus status = pf_cli_make_report(st->s.ctx, kind->fields, st, kind->write, &report);
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
  while (file->kind && !pf_cli_out_is(st->options, file->kind)) file++;
  PfStatus status = pf_cli_out_is(st->options, "json") ? make_json(st, kind, &text) : file->write(st, &text);
  if (status == PF_OK) status = pf_cli_write(st->s.ctx, st->options, &text);
  pf_text_free(&text);
  return status;
}

void pf_study_close(Study *st)
{
  pf_cli_end(&st->motion);
  pf_dynamics_free(st->field);
  pf_system_free(st->system);
  if (st->original) st->s.model = st->original; /* the one with angles lives in the arena of the session */
  pf_cli_close(&st->s);
}

int pf_study_command(const StudyKind *kind, const Console *console, int argc, char **argv, Study *st)
{
  Options options;
  int code = pf_cli_options(kind->command, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  st->options = &options;
  st->long_formulas = options.json;
  PfStatus status = pf_cli_open(&st->s, &options);
  if (status == PF_OK) status = kind->compute(st);
  if (status == PF_OK && options.out) status = write_file(st, kind);
  code = pf_cli_report(st->s.ctx, status, &options, kind->fields, st, kind->write);
  if (kind->free) kind->free(st);
  pf_study_close(st);
  st->options = NULL;
  return code;
}
