/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of the library for Python: settings by typed functions, the report as JSON or text, the rows of a run by
 * pointer, diagnostics as structs. And models, which are opened once and described by such a report. */
#include "base/base.h"
#include "cli/cli.h"

#include "glue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct PfPyTask {
  PfContext *ctx; /* of the request, with the diagnostics of its settings; of a model that could not be opened */
  PfRequest *request;
  PfReport *report;
  PfStatus status;
  Ask ask;
  double *rows;
  size_t row_count, row_room;
  int columns;
  char *file, *words; /* what was written to '-'; the diagnostics for people */
  size_t file_size, words_size;
};

static PfPyTask *task_new(PfContext *ctx)
{
  PfPyTask *t = ctx ? calloc(1, sizeof *t) : NULL;
  if (!t) {
    pf_context_free(ctx);
    return NULL;
  }
  t->ctx = ctx;
  pf_context_set_spelling(ctx, &pf_spelling_of_python);
  return t;
}

PfPyTask *pf_py_task_new(const char *name)
{
  PfPyTask *t = task_new(pf_context_new(NULL));
  const PfTask *task = pf_task_find(name);
  if (t && task) t->status = pf_request_new(t->ctx, task, &t->request);
  else if (t) t->status = pf_fail(t->ctx, PF_ERR_ARGUMENT, "there is no task '%s'", name);
  return t;
}

void pf_py_task_free(PfPyTask *t)
{
  if (!t) return;
  pf_report_free(t->report);
  pf_request_free(t->request);
  pf_context_free(t->ctx);
  free(t->rows);
  free(t->file);
  free(t->words);
  free(t);
}

/* ---------------------------------------------------------------- settings */

/* The first failure is that of the task. */
static void note(PfPyTask *t, PfStatus status)
{
  if (t->status == PF_OK) t->status = status;
}

void pf_py_task_number(PfPyTask *t, const char *setting, double value)
{
  if (t->request) note(t, pf_request_set_number(t->request, setting, value));
}

void pf_py_task_text(PfPyTask *t, const char *setting, const char *value)
{
  if (t->request) note(t, pf_request_set_text(t->request, setting, value));
}

void pf_py_task_flag(PfPyTask *t, const char *setting)
{
  if (t->request) note(t, pf_request_set_flag(t->request, setting, true));
}

void pf_py_task_value(PfPyTask *t, const char *setting, const char *name, double value)
{
  if (t->request) note(t, pf_request_set_value(t->request, setting, name, value));
}

void pf_py_task_value_text(PfPyTask *t, const char *setting, const char *name, const char *value)
{
  if (t->request) note(t, pf_request_set_value_text(t->request, setting, name, value));
}

void pf_py_task_values(PfPyTask *t, const char *setting, const char *name, const double *values, int count)
{
  if (t->request) note(t, pf_request_set_values(t->request, setting, name, values, count));
}

void pf_py_task_operand(PfPyTask *t, const char *operand)
{
  if (t->request) note(t, pf_request_add_file(t->request, operand));
}

void pf_py_task_input(PfPyTask *t, const char *name, const char *bytes, size_t size)
{
  if (t->request) note(t, pf_request_set_input(t->request, name, bytes, size));
}

/* ---------------------------------------------------------------- doing */

static bool is_cancelled(void *user)
{
  return pf_py_ask(&((PfPyTask *)user)->ask);
}

static bool take_row(void *user, const double *row, int count)
{
  PfPyTask *t = user;
  if (t->row_count == t->row_room) {
    const size_t room = t->row_room ? 2*t->row_room : 256, size = (size_t)count*sizeof *row;
    double *rows = room <= SIZE_MAX/size ? realloc(t->rows, room*size) : NULL;
    if (!rows) return false;
    t->rows = rows, t->row_room = room;
  }
  t->columns = count;
  memcpy(t->rows + t->row_count++*(size_t)count, row, (size_t)count*sizeof *row);
  return true;
}

/* The poses of a run whose trajectory goes to memory. */
static bool write_file(const char *path, const char *bytes, size_t count)
{
  FILE *file = fopen(path, "wb");
  const bool good = file && fwrite(bytes, 1, count, file) == count;
  return file && fclose(file) == 0 && good;
}

static bool take_file(void *user, const char *path, const char *bytes, size_t count)
{
  PfPyTask *t = user;
  if (strcmp(path, "-") != 0) return write_file(path, bytes, count);
  free(t->file);
  t->file = malloc(count + 1);
  if (!t->file) return false;
  memcpy(t->file, bytes, count);
  t->file_size = count;
  return true;
}

int pf_py_task_run(PfPyTask *t, PfMachine *machine, int text, void *who)
{
  if (t->status != PF_OK) return t->status;
  const bool to_memory = t->request->out && !strcmp(t->request->out, "-");
  const PfObserver observer = {.user = t, .cancelled = is_cancelled, .row = take_row,
                               .file = to_memory ? take_file : NULL};
  t->request->tree = !text, t->request->text = text;
  pf_py_ask_begin(&t->ask, who);
  t->status = pf_task_run(machine, t->request, &observer, &t->report);
  return t->status;
}

int pf_py_task_stopped(const PfPyTask *t)
{
  return t->ask.stopped;
}

const char *pf_py_task_json(PfPyTask *t)
{
  return t->report ? pf_report_json(t->report) : NULL;
}

const char *pf_py_task_words(const PfPyTask *t)
{
  return t->report ? pf_report_text(t->report) : "";
}

const char *pf_py_task_file(const PfPyTask *t, size_t *size)
{
  *size = t->file_size;
  return t->file;
}

/* Room that was doubled once too often is given back. */
double *pf_py_task_rows(PfPyTask *t, size_t *shape)
{
  const size_t size = t->row_count*(size_t)t->columns*sizeof(double);
  double *rows = size ? realloc(t->rows, size) : NULL;
  if (!rows) rows = t->rows;
  t->rows = NULL;
  shape[0] = t->row_count, shape[1] = (size_t)t->columns;
  return rows;
}

/* ---------------------------------------------------------------- diagnostics */

static int sort(const PfPyTask *t, const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS])
{
  return pf_diagnostics_sort(t->report ? pf_report_context(t->report) : t->ctx, sorted);
}

int pf_py_task_diagnostic(const PfPyTask *t, int index, PfPyDiagnostic *diagnostic)
{
  const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS];
  if (index >= sort(t, sorted)) return false;
  const PfDiagnostic *d = sorted[index];
  *diagnostic = (PfPyDiagnostic){pf_severity_name(d->severity), pf_status_name(d->code), d->message, d->hint,
                                 d->setting, d->place.line ? d->place.file : NULL, d->place.line, d->place.column,
                                 d->place.length};
  return true;
}

const char *pf_py_task_complaints(PfPyTask *t)
{
  const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS];
  const int count = sort(t, sorted);
  free(t->words);
  t->words = NULL;
  FILE *stream = open_memstream(&t->words, &t->words_size);
  for (int i = 0; stream && i < count; i++) {
    if (sorted[i]->place.line) pf_cli_diagnostic(stream, sorted[i], false);
    else if (sorted[i]->hint) fprintf(stream, "%s\n       = %s\n", sorted[i]->message, sorted[i]->hint);
    else fprintf(stream, "%s\n", sorted[i]->message);
  }
  const bool good = stream && fclose(stream) == 0;
  return good && t->words ? t->words : "";
}

/* ---------------------------------------------------------------- a model by name */

#define NAME_FIELDS                                            \
  PF_FIELD("name", STRING, "its name"),                        \
  PF_FIELD("unit", STRING, "the declared unit"),               \
  PF_FIELD("scale", NUMBER, "of that unit, in SI")

static const PfField coordinate_fields[] = {NAME_FIELDS, {0}};
static const PfField parameter_fields[] = {
  NAME_FIELDS,
  PF_FIELD("derived", BOOL, "it follows from others"),
  PF_FIELD("value", NUMBER, "in SI; null: not a number by itself"),
  {0}};
static const PfField input_fields[] = {NAME_FIELDS, PF_FIELD("given", BOOL, "it is a function of time"), {0}};
static const PfField constraint_fields[] = {
  PF_FIELD("name", STRING, "its name"), PF_FIELD("kind", STRING, "holonomic, nonholonomic, norm …"), {0}};
static const PfField model_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("title", STRING, "the title of the model"),
  PF_FIELD_RECORDS("coordinates", coordinate_fields, "the coordinates"),
  PF_FIELD("speeds", STRINGS, "names of the speeds"),
  PF_FIELD_RECORDS("parameters", parameter_fields, "the parameters"),
  PF_FIELD_RECORDS("inputs", input_fields, "the inputs"),
  PF_FIELD_RECORDS("constraints", constraint_fields, "the constraints"),
  PF_FIELD("bodies", STRINGS, "names of the bodies"),
  PF_FIELD("events", INTEGER, "number of events"),
  {0}};

/* Opens a record of a list with the name and its unit. */
static void open_name(PfReport *r, const char *name, const char *unit, double scale)
{
  pf_report_open(r, NULL);
  pf_report_string(r, "name", name);
  pf_report_string(r, "unit", unit ? unit : "");
  pf_report_number(r, "scale", scale > 0 ? scale : 1);
}

static void describe(const PfModel *model, const char **names, PfReport *r)
{
  pf_report_string(r, "model", pf_model_label(model));
  pf_report_string(r, "title", model->title);
  pf_report_open(r, "coordinates");
  for (int i = 0; i < model->coordinate_count; i++) {
    open_name(r, model->coordinates[i].name, model->coordinates[i].unit, model->coordinates[i].scale);
    pf_report_close(r);
  }
  pf_report_close(r);
  for (int i = 0; i < model->speed_count; i++) names[i] = model->speeds[i].name;
  pf_report_strings(r, "speeds", names, model->speed_count);
  pf_report_open(r, "parameters");
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    double value;
    open_name(r, p->name, p->unit, p->scale);
    pf_report_bool(r, "derived", p->derived || p->hidden);
    if (p->value != PF_EXPR_NONE && pf_expr_is_number(model->ctx, p->value, &value))
      pf_report_number(r, "value", value);
    pf_report_close(r);
  }
  pf_report_close(r);
  pf_report_open(r, "inputs");
  for (int i = 0; i < model->input_count; i++) {
    open_name(r, model->inputs[i].name, model->inputs[i].unit, model->inputs[i].scale);
    pf_report_bool(r, "given", model->inputs[i].value != PF_EXPR_NONE);
    pf_report_close(r);
  }
  pf_report_close(r);
  pf_report_open(r, "constraints");
  for (int i = 0; i < model->constraint_count; i++) {
    const PfConstraint *c = model->constraints + i;
    pf_report_open(r, NULL);
    pf_report_string(r, "name", c->name);
    pf_report_string(r, "kind", c->norm ? "norm" : pf_constraint_kind_name(c->kind));
    pf_report_close(r);
  }
  pf_report_close(r);
  for (int i = 0; i < model->body_count; i++) names[i] = model->bodies[i].name;
  pf_report_strings(r, "bodies", names, model->body_count);
  pf_report_integer(r, "events", model->event_count);
}

PfPyTask *pf_py_machine_open(const char *text, size_t size, const char *name, void *who, PfMachine **machine)
{
  PfPyTask *t = task_new(pf_context_new(NULL));
  *machine = NULL;
  if (!t) return NULL;
  pf_py_ask_begin(&t->ask, who);
  pf_context_set_cancel(t->ctx, pf_py_ask, &t->ask);
  t->status = pf_machine_read(t->ctx, name, text, size, machine);
  if (t->status != PF_OK) return t;
  pf_context_set_cancel(t->ctx, NULL, NULL);
  t->ctx = NULL; /* it is the machine's */
  /* In a workspace, because the machine does not change. */
  PfReport **report = &t->report;
  PfWorkspace work;
  PfStatus status = pf_workspace_open(*machine, PF_NO_EQUATIONS, NULL, NULL, &work);
  if (status == PF_OK) {
    const int most = work.model->speed_count + work.model->body_count + 1;
    const char **names = pf_arena_array(work.arena, const char *, most);
    status = names ? pf_report_new(work.ctx, model_fields, report) : PF_ERR_MEMORY;
    if (status == PF_OK) {
      describe(work.model, names, *report);
      status = pf_report_check(*report);
    }
    if (status == PF_OK) status = pf_report_keep(*report);
  }
  pf_workspace_close(&work);
  t->status = status;
  return t;
}

int pf_py_task_status(const PfPyTask *t)
{
  return t->status;
}

long pf_py_machine_work(const PfMachine *machine, int work)
{
  return pf_context_work_done(pf_machine_context(machine), (PfWork)work);
}

void pf_py_machine_release(PfMachine *machine)
{
  pf_machine_release(machine);
}
