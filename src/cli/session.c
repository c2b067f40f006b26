/* SPDX-License-Identifier: Apache-2.0 */
/* What every command does first and last: the model and its numbers, the result, the exit code. */
#include "cli/cli.h"
#include "out/file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- session */

bool pf_cli_is_stopped(const Console *console)
{
  return console->is_stopped && console->is_stopped(console->user);
}

PfContext *pf_cli_context(const Console *console)
{
  PfContext *ctx = pf_context_new(NULL);
  if (ctx) pf_context_set_cancel(ctx, console->is_stopped, console->user);
  return ctx;
}

/* The name of a file stands for a model without one in summaries and titles: one line, whatever is in it. */
static PfStatus name_file(Session *s)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(s->ctx));
  pf_text_add_escaped(&text, s->model->file, strlen(s->model->file), "");
  s->model->file = pf_arena_text(s->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return s->model->file ? PF_OK : pf_fail(s->ctx, PF_ERR_MEMORY, "no memory");
}

PfStatus pf_cli_begin_session(Session *session, const Console *console)
{
  *session = (Session){.ctx = pf_cli_context(console)};
  if (!session->ctx) return PF_ERR_MEMORY;
  session->arena = pf_arena_new(pf_context_allocator(session->ctx));
  return session->arena ? PF_OK : pf_no_room(session->ctx, "the command");
}

/* Steps that keep pace with the clock do not wait for anything, unless that is asked for. */
PfStatus pf_cli_choose_native(PfContext *ctx, const Options *options)
{
  const char *word = options->native ? options->native : options->real_time ? "off" : "auto", *name, *summary;
  for (int i = 0; (name = pf_native_value(i, &summary)) != NULL; i++)
    if (!strcmp(name, word)) return pf_context_set_native(ctx, (PfNative)i);
  return pf_fail(ctx, PF_ERR_ARGUMENT, "--native '%s': it is 'off', 'auto' or 'on'", word);
}

static bool insists(const PfContext *ctx)
{
  return pf_context_native(ctx) == PF_NATIVE_ON;
}

const PfField pf_native_fields[] = {
  PF_FIELD("compiled", INTEGER, "functions that were compiled"),
  PF_FIELD("cached", INTEGER, "functions that earlier runs had compiled"),
  PF_FIELD("failed", INTEGER, "functions that could not be compiled and are interpreted"),
  PF_FIELD("seconds", NUMBER, "time of the compiler"),
  PF_FIELD("trouble", STRING, "why one could not be compiled"),
  {0}};

void pf_native_report(const PfContext *ctx, PfReport *report)
{
  const PfNativeReport x = pf_context_native_report(ctx);
  const bool failed = x.failed && insists(ctx);
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

static bool is_given(const Console *console, const char *path)
{
  return console->input && !strcmp(path, "-");
}

/* A file, or what the console has for '-'. */
static PfStatus read_file(PfContext *ctx, PfArena *arena, const Options *options, size_t limit, const char **bytes,
                          size_t *count)
{
  const Console *console = options->console;
  if (!is_given(console, options->file)) return pf_file_read(ctx, arena, options->file, limit, bytes, count);
  *bytes = console->input, *count = console->input_size;
  if (*count <= limit) return PF_OK;
  return pf_fail(ctx, PF_ERR_LIMIT, "the text is longer than %zu MB, the most that such a file may have", limit >> 20);
}

static const char *name_of(const Options *options)
{
  if (is_given(options->console, options->file)) return options->console->name;
  return strcmp(options->file, "-") ? options->file : "<stdin>";
}

/* The machine of the console, or a new one, to which the context of the session goes over. */
static PfStatus find_machine(Session *session, const Options *options, PfMachine **machine)
{
  const Console *console = options->console;
  if (!is_given(console, options->file)) return pf_machine_open(session->ctx, options->file, machine);
  if (console->machine) *machine = pf_machine_retain(console->machine);
  else PF_TRY(pf_machine_read(session->ctx, console->name, console->input, console->input_size, machine));
  return PF_OK;
}

/* The session becomes a workspace of the machine and keeps its arena. The context that it had before belongs to a new
 * machine; next to a machine of the console it has no use any more. */
static PfStatus load_by(Session *session, const Options *options, PfWritten written)
{
  const Console *console = options->console;
  PfMachine *machine;
  PF_TRY(find_machine(session, options, &machine));
  PfContext *before = machine == console->machine ? session->ctx : NULL;
  PfArena *arena = session->arena;
  PfStatus status = pf_workspace_open(machine, written, console->is_stopped, console->user, session);
  pf_machine_release(machine);
  pf_arena_free(session->arena);
  session->arena = arena;
  pf_context_free(before);
  PF_TRY(status);
  PF_TRY(pf_cli_choose_native(session->ctx, options));
  PF_TRY(name_file(session));
  return pf_cli_give_state(session, options);
}

static PfStatus open_by(Session *session, const Options *options, PfWritten written)
{
  PF_TRY(pf_cli_begin_session(session, options->console));
  PF_TRY(pf_cli_choose_native(session->ctx, options));
  PF_TRY(pf_cli_check_out(session->ctx, options));
  return load_by(session, options, written);
}

PfStatus pf_cli_load(Session *session, const Options *options)
{
  return load_by(session, options, PF_FORMULAS);
}

PfStatus pf_cli_load_to_move(Session *session, const Options *options)
{
  return load_by(session, options, PF_OUTLINE);
}

PfStatus pf_cli_open(Session *session, const Options *options)
{
  return open_by(session, options, PF_FORMULAS);
}

PfStatus pf_cli_open_to_move(Session *session, const Options *options)
{
  return open_by(session, options, options->invariants ? PF_FORMULAS : PF_OUTLINE);
}

/* M, F, A, b after sharing: what an evaluation costs. */
PfStatus pf_cli_count(Session *s, PfCount *count)
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

void pf_cli_close(Session *session)
{
  pf_workspace_close(session);
}

static int print(const Console *console, const PfText *text)
{
  bool good = !text->failed;
  good = good && fwrite(pf_text_get(text), 1, text->count, console->out) == text->count;
  good = fflush(console->out) == 0 && good;
  if (good) return PF_EXIT_OK;
  const char *why = text->failed ? "no memory" : errno == EINTR ? "stopped on request" : strerror(errno);
  fprintf(console->err, "pfaff: error: cannot write the result: %s\n", why);
  return PF_EXIT_FAILED;
}

/* Names, titles and units come from files: they may not steer the terminal. */
int pf_cli_print(const Console *console, const PfText *text)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  PfText shown;
  pf_text_init(&shown, &standard);
  pf_text_add_escaped(&shown, pf_text_get(text), text->count, "\n\t");
  shown.failed = shown.failed || text->failed;
  int code = print(console, &shown);
  pf_text_free(&shown);
  return code;
}

static const PfField text_fields[] = {
  PF_FIELD("text", STRING, "the model that was made"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void write_turned(void *user, PfReport *report)
{
  const char *result = *(const char **)user;
  pf_report_string(report, "text", result);
  if (result) pf_text_add(pf_report_page(report), result);
}

/* Leaves what is still to be printed in `result`; NULL: nothing. */
static PfStatus turn_text(PfContext *ctx, PfArena *arena, const Options *options, size_t largest, TurnText turn,
                          const char **result)
{
  const char *bytes, *name = name_of(options);
  size_t count;
  PF_TRY(pf_cli_check_out(ctx, options));
  PF_TRY(read_file(ctx, arena, options, largest, &bytes, &count));
  PF_TRY(turn(ctx, arena, name, bytes, count, options, result));
  bool exact = !options->json && options->console->exact;
  if ((!options->out && !exact) || !*result) return PF_OK;
  PfText text = {.at = (char *)(uintptr_t)*result, .count = strlen(*result)};
  if (!options->json) *result = NULL; /* it is written */
  if (options->out) return pf_cli_put(ctx, options, &text);
  return print(options->console, &text) == PF_EXIT_OK ? PF_OK : PF_ERR_FILE;
}

int pf_cli_turn_text(const Options *options, size_t largest, TurnText turn)
{
  PfContext *ctx = pf_cli_context(options->console);
  PfArena *arena = ctx ? pf_arena_new(pf_context_allocator(ctx)) : NULL;
  const char *result = NULL;
  PfStatus status = arena ? turn_text(ctx, arena, options, largest, turn, &result) : PF_ERR_MEMORY;
  int code = pf_cli_report(ctx, status, options, text_fields, (void *)&result, write_turned);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return code;
}

int pf_cli_exit_code(PfStatus status)
{
  return status == PF_OK ? PF_EXIT_OK : status == PF_ERR_ARGUMENT ? PF_EXIT_USAGE : PF_EXIT_FAILED;
}

/* After an error: the diagnostics are the whole result for programs. */
static int put_failure(PfContext *ctx, const Options *options)
{
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(ctx));
  pf_json_open(&json, NULL, '{');
  pf_cli_json_diagnostics(ctx, &json);
  pf_json_close(&json, '}');
  pf_text_add(&json.text, "\n");
  (void)pf_cli_print(options->console, &json.text);
  pf_json_free(&json);
  return PF_EXIT_FAILED;
}

/* What was asked to stop has no result, though an attempt may have gone on without it; programs are told why. */
static bool has_no_result(PfContext *ctx, bool json)
{
  bool told = json && pf_error_count(ctx);
  return !told && pf_check_cancelled(ctx) != PF_OK;
}

int pf_cli_put_report(PfContext *ctx, const Options *options, PfReport *report)
{
  bool json = options->json;
  if (has_no_result(ctx, json)) return json ? put_failure(ctx, options) : PF_EXIT_FAILED;
  if (pf_report_check(report) != PF_OK) return PF_EXIT_FAILED;
  if (!json && pf_cli_out_is_standard(options)) return pf_cli_put_aside(ctx, options, pf_report_text(report));
  const char *words = json ? pf_report_json(report) : pf_report_text(report);
  if (!words) return PF_EXIT_FAILED;
  PfText text = {.at = (char *)(uintptr_t)words, .count = strlen(words)};
  return pf_cli_print(options->console, &text);
}

int pf_cli_fail(PfContext *ctx, PfStatus status, const Options *options)
{
  if (!ctx && options->json)
    fputs("{\"diagnostics\": [{\"severity\": \"error\", \"message\": \"out of memory\"}]}\n", options->console->out);
  if (ctx && options->json) (void)put_failure(ctx, options);
  pf_cli_diagnostics(ctx, options->console);
  return pf_cli_exit_code(status);
}

PfStatus pf_cli_make_report(PfContext *ctx, const PfField *fields, void *user, WriteReport write, PfReport **report)
{
  PF_TRY(pf_report_new(ctx, fields, report));
  write(user, *report);
  pf_report_diagnostics(*report, ctx);
  return pf_report_check(*report);
}

int pf_cli_report(PfContext *ctx, PfStatus status, const Options *options, const PfField *fields, void *user,
                  WriteReport write)
{
  PfReport *report = NULL;
  if (status == PF_OK) status = pf_cli_make_report(ctx, fields, user, write, &report);
  int code = status == PF_OK ? pf_cli_put_report(ctx, options, report) : PF_EXIT_OK;
  pf_report_free(report);
  if (status != PF_OK) return pf_cli_fail(ctx, status, options);
  pf_cli_diagnostics(ctx, options->console);
  return code;
}

int pf_cli_wrong_usage(const Console *console, int argc, char **argv, const char *hint, const char *format, ...)
{
  Options options = {.console = console};
  char message[256];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  for (int i = 1; i < argc; i++) options.json = options.json || !strcmp(argv[i], "--json");
  PfContext *ctx = pf_context_new(NULL);
  PfStatus status = ctx ? pf_fail(ctx, PF_ERR_ARGUMENT, "%s", message) : PF_ERR_MEMORY;
  if (ctx) pf_hint(ctx, "%s", hint);
  int code = pf_cli_fail(ctx, status, &options);
  pf_context_free(ctx);
  return code;
}

const char *pf_cli_name(const PfModel *model)
{
  return model->name[0] ? model->name : model->file;
}

const char *pf_cli_title(const PfModel *model)
{
  return model->title[0] ? model->title : pf_cli_name(model);
}

void pf_cli_report_model(const PfModel *model, PfReport *report)
{
  pf_report_string(report, "model", pf_cli_name(model));
  pf_report_print(report, "%s%s%s\n", pf_cli_name(model), model->title[0] ? ": " : "", model->title);
}
