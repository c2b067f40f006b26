/* SPDX-License-Identifier: Apache-2.0 */
/* The first and last actions of every task: the model and its numbers, the report. */
#include "task/task.h"
#include "out/file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- session */

bool pf_task_is_stopped(const PfRequest *options)
{
  const PfObserver *observer = &options->host->observer;
  return observer->cancelled && observer->cancelled(observer->user);
}

PfContext *pf_task_context(const PfRequest *options)
{
  const PfObserver *observer = &options->host->observer;
  PfContext *ctx = pf_context_new(NULL);
  if (!ctx) return NULL;
  pf_context_set_cancel(ctx, observer->cancelled, observer->user);
  pf_context_set_spelling(ctx, options->spelling);
  return ctx;
}

PfStatus pf_task_begin_session(Session *session, const PfRequest *options)
{
  *session = (Session){.ctx = pf_task_context(options)};
  if (!session->ctx) return PF_ERR_MEMORY;
  session->arena = pf_arena_new(pf_context_allocator(session->ctx));
  return session->arena ? PF_OK : pf_no_room(session->ctx, "the command");
}

/* Steps that keep pace with the clock do not wait for anything, unless that is asked for. */
PfStatus pf_task_choose_native(PfContext *ctx, const PfRequest *options)
{
  const char *word = options->native ? options->native : options->real_time ? "off" : "auto", *name, *summary;
  for (int i = 0; (name = pf_native_value(i, &summary)) != NULL; i++)
    if (!strcmp(name, word)) return pf_context_set_native(ctx, (PfNative)i);
  return pf_fail(ctx, PF_ERR_ARGUMENT, "@native{'%s'}: it is 'off', 'auto' or 'on'", word);
}

const PfField pf_native_fields[] = {
  PF_FIELD("compiled", INTEGER, "functions that were compiled"),
  PF_FIELD("cached", INTEGER, "functions that earlier runs had compiled"),
  PF_FIELD("failed", INTEGER, "functions that could not be compiled and are interpreted"),
  PF_FIELD("seconds", NUMBER, "time of the compiler"),
  PF_FIELD_OR_NULL("trouble", STRING, "why one could not be compiled; null: all could"),
  {0}};

void pf_native_report(const PfContext *ctx, PfReport *report)
{
  const PfNativeReport x = pf_context_native_report(ctx);
  const bool failed = x.failed && (pf_context_native(ctx) == PF_NATIVE_ON);
  pf_report_open(report, "native");
  pf_report_integer(report, "compiled", x.compiled);
  pf_report_integer(report, "cached", x.cached);
  pf_report_integer(report, "failed", x.failed);
  pf_report_number(report, "seconds", x.seconds);
  pf_report_string(report, "trouble", x.trouble[0] ? x.trouble : NULL);
  pf_report_close(report);
  if (!x.compiled && !x.cached && !failed) return;
  pf_report_print(report, "  native code         ");
  if (x.compiled)
    pf_report_print(report, "%d function%s compiled in %.2g s", x.compiled, x.compiled > 1 ? "s" : "", x.seconds);
  if (x.cached) pf_report_print(report, "%s%d from earlier runs", x.compiled ? ", " : "", x.cached);
  if (failed) pf_report_print(report, "%s%d not: %s", x.compiled || x.cached ? ", " : "", x.failed, x.trouble);
  pf_report_print(report, "\n");
}

/* Is the first file the text of the request, or the machine of the host? */
static bool is_input(const PfRequest *options)
{
  return options->input && !strcmp(options->file, "-");
}

static bool is_machine(const PfRequest *options)
{
  return options->host->machine && (!options->file || !strcmp(options->file, "-"));
}

static PfStatus read_file(PfContext *ctx, PfArena *arena, const PfRequest *options, size_t limit, const char **bytes,
                          size_t *count)
{
  const PfModel *model = is_machine(options) ? pf_machine_model(options->host->machine) : NULL;
  if (!model && !is_input(options)) return pf_file_read(ctx, arena, options->file, limit, bytes, count);
  *bytes = model ? model->text : options->input;
  *count = model ? model->text_size : options->input_size;
  if (*count <= limit) return PF_OK;
  return pf_fail(ctx, PF_ERR_LIMIT, "the text is longer than %zu MB, the most that such a file may have", limit >> 20);
}

static const char *name_of(const PfRequest *options)
{
  if (is_machine(options)) return pf_machine_model(options->host->machine)->file;
  if (is_input(options)) return options->input_name;
  return strcmp(options->file, "-") ? options->file : "<stdin>";
}

/* Equations of a kind, or a preparation. */
typedef struct Opening {
  PfWritten written;
  const PfPreparation *preparation; /* NULL: none */
  const char *key;
  const void *details;
} Opening;

static PfStatus open_workspace(PfMachine *machine, const PfRequest *options, const Opening *x, Session *session)
{
  const PfObserver *o = &options->host->observer;
  if (x->preparation)
    return pf_workspace_open_prepared(machine, x->preparation, x->key, x->details, o->cancelled, o->user, session);
  if (x->written == PF_MATRIX_FREE)
    return pf_workspace_open_to_move(machine, options->method, options->form, o->cancelled, o->user, session);
  return pf_workspace_open(machine, x->written, o->cancelled, o->user, session);
}

/* The session becomes a workspace of the machine, that of the host or a new one, and keeps its arena. The context that
 * it had before belongs to a new machine; next to a machine of the host it has no use any more. */
static PfStatus load_by(Session *session, const PfRequest *options, const Opening *opening)
{
  PfMachine *machine;
  bool open = is_machine(options);
  if (open) machine = pf_machine_retain(options->host->machine);
  else if (!is_input(options)) PF_TRY(pf_machine_open(session->ctx, options->file, &machine));
  else PF_TRY(pf_machine_read(session->ctx, options->input_name, options->input, options->input_size, &machine));
  PfContext *before = open ? session->ctx : NULL;
  PfArena *arena = session->arena;
  PfStatus status = open_workspace(machine, options, opening, session);
  pf_machine_release(machine);
  pf_arena_free(session->arena);
  session->arena = arena;
  pf_context_free(before);
  if (session->ctx) pf_context_set_spelling(session->ctx, options->spelling);
  PF_TRY(status);
  PF_TRY(pf_task_choose_native(session->ctx, options));
  /* The name of a file stands for a model without one in summaries and titles: one line, whatever is in it. */
  PfText text;
  pf_text_init(&text, pf_context_allocator(session->ctx));
  pf_text_add_escaped(&text, session->model->file, strlen(session->model->file), "");
  session->model->file = pf_arena_text(session->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  PF_TRY(session->model->file ? PF_OK : pf_fail(session->ctx, PF_ERR_MEMORY, "no memory"));
  return pf_task_give_state(session, options);
}

static PfStatus open_by(Session *session, const PfRequest *options, const Opening *opening)
{
  PF_TRY(pf_task_begin_session(session, options));
  PF_TRY(pf_task_choose_native(session->ctx, options));
  PF_TRY(pf_task_check_out(session->ctx, options));
  return load_by(session, options, opening);
}

PfStatus pf_task_load(Session *session, const PfRequest *options)
{
  return load_by(session, options, &(Opening){.written = PF_FORMULAS});
}

PfStatus pf_task_load_to_move(Session *session, const PfRequest *options)
{
  return load_by(session, options, &(Opening){.written = PF_MATRIX_FREE});
}

PfStatus pf_task_open(Session *session, const PfRequest *options)
{
  return open_by(session, options, &(Opening){.written = PF_FORMULAS});
}

PfStatus pf_task_open_to_move(Session *session, const PfRequest *options)
{
  return open_by(session, options, &(Opening){.written = options->invariants ? PF_FORMULAS : PF_MATRIX_FREE});
}

PfStatus pf_task_open_prepared(Session *session, const PfRequest *options, const PfPreparation *preparation,
                               const char *key, const void *details)
{
  return open_by(session, options, &(Opening){.preparation = preparation, .key = key, .details = details});
}

/* M, F, A, b after sharing: the cost of an evaluation. */
PfStatus pf_task_count(Session *s, PfCount *count)
{
  const PfEquations *eq = &s->equations;
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  PfExpr *roots = pf_arena_array(s->arena, PfExpr, n*n + n + m*n + m);
  if (!roots) return pf_no_room(s->ctx, "the command");
  memcpy(roots, eq->M, n*n*sizeof *roots);
  memcpy(roots + n*n, eq->F, n*sizeof *roots);
  if (m) memcpy(roots + n*n + n, eq->A, m*n*sizeof *roots);
  if (m) memcpy(roots + n*n + n + m*n, eq->b, m*sizeof *roots);
  return pf_expr_operations(s->ctx, roots, (int)(n*n + n + m*n + m), count);
}

void pf_task_close(Session *session)
{
  pf_workspace_close(session);
}

const PfField pf_text_fields[] = {
  PF_FIELD("text", STRING, "the model that was made"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void write_turned(void *user, PfReport *report)
{
  const char *result = *(const char **)user;
  pf_report_string(report, "text", result);
  if (result) pf_text_add(pf_report_page(report), result);
}

/* Leaves what is still to be reported in `result`; NULL: nothing. */
static PfStatus turn_text(PfContext *ctx, PfArena *arena, const PfRequest *options, size_t largest, TurnText turn,
                          const char **result)
{
  const char *bytes;
  size_t count;
  PF_TRY(pf_task_check_out(ctx, options));
  PF_TRY(read_file(ctx, arena, options, largest, &bytes, &count));
  PF_TRY(turn(ctx, arena, name_of(options), bytes, count, options, result));
  if (!options->out || !*result) return PF_OK;
  PfText text = {.at = (char *)(uintptr_t)*result, .count = strlen(*result)};
  if (!options->tree) *result = NULL; /* it is written */
  return pf_task_put(ctx, options, &text);
}

PfStatus pf_task_turn_text(const PfRequest *options, size_t largest, TurnText turn)
{
  PfContext *ctx = pf_task_context(options);
  PfArena *arena = ctx ? pf_arena_new(pf_context_allocator(ctx)) : NULL;
  const char *result = NULL;
  PfStatus status = arena ? turn_text(ctx, arena, options, largest, turn, &result) : PF_ERR_MEMORY;
  status = pf_task_report(ctx, status, options, (void *)&result, write_turned);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return status;
}

/* ---------------------------------------------------------------- the report */

PfStatus pf_task_make_report(PfContext *ctx, const PfField *fields, void *user, WriteReport write, PfReport **report)
{
  PF_TRY(pf_report_new(ctx, fields, report));
  write(user, *report);
  pf_report_diagnostics(*report, ctx);
  return pf_report_check(*report);
}

/* A task that fails after a request to stop fails because of it, whatever a part of it took that for. */
static PfStatus check_stopped(PfContext *ctx, PfStatus status)
{
  if (status == PF_OK) return pf_check_cancelled(ctx);
  if (status == PF_ERR_MEMORY) return PF_OK;
  for (int i = 0; i < pf_diagnostic_count(ctx); i++)
    if (pf_diagnostic(ctx, i)->code == PF_ERR_CANCELLED) return PF_ERR_CANCELLED;
  return pf_error_count(ctx) ? PF_OK : pf_check_cancelled(ctx);
}

PfStatus pf_task_give(PfContext *ctx, PfStatus status, const PfRequest *options, PfReport *report)
{
  Host *host = options->host;
  if (!ctx) return status;
  bool told = options->tree && pf_error_count(ctx); /* programs learn the reason from the report */
  PfStatus stopped = status == PF_OK && told ? PF_OK : check_stopped(ctx, status);
  if (stopped != PF_OK) {
    status = stopped;
    pf_report_free(report);
    report = NULL;
  }
  if (!report && pf_report_diagnostics_only(ctx, &report) != PF_OK) {
    pf_report_free(report);
    return PF_ERR_MEMORY;
  }
  pf_report_free(host->report);
  host->report = report;
  return pf_report_keep(report) == PF_OK ? status : PF_ERR_MEMORY;
}

PfStatus pf_task_report(PfContext *ctx, PfStatus status, const PfRequest *options, void *user, WriteReport write)
{
  const PfField *fields = options->task->fields;
  PfReport *report = NULL;
  for (const OtherReport *other = options->task->others; other && other->setting; other++)
    if (pf_task_given(options, other->setting)) {
      fields = other->fields;
      break;
    }
  if (ctx && status == PF_OK) status = pf_task_make_report(ctx, fields, user, write, &report);
  if (status == PF_OK) return pf_task_give(ctx, status, options, report);
  pf_report_free(report);
  return pf_task_give(ctx, status, options, NULL);
}

const char *pf_model_label(const PfModel *model)
{
  return model->name[0] ? model->name : model->file;
}

const char *pf_model_heading(const PfModel *model)
{
  return model->title[0] ? model->title : pf_model_label(model);
}

void pf_task_report_model(const PfModel *model, PfReport *report)
{
  pf_report_string(report, "model", pf_model_label(model));
  pf_report_print(report, "%s%s%s\n", pf_model_label(model), model->title[0] ? ": " : "", model->title);
}
