/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program as a function: what they print is kept in memory, and so are the rows of a run. */
#include "cli/cli.h"

#include "ask.h"

#include <stdlib.h>
#include <string.h>

typedef struct Call {
  Ask ask;
  PfPyOutcome *outcome;
} Call;

void pf_py_free(void *block)
{
  free(block);
}

const char *pf_py_version(void)
{
  return pf_version();
}

static bool is_stopped(void *user)
{
  return pf_py_ask(&((Call *)user)->ask);
}

static bool make_room(PfPyOutcome *o, int columns)
{
  size_t room = o->row_room ? 2*o->row_room : 256;
  double *rows = room <= SIZE_MAX/sizeof(double)/(size_t)columns
               ? realloc(o->rows, room*(size_t)columns*sizeof *rows) : NULL;
  if (!rows) return false;
  o->rows = rows, o->row_room = room;
  return true;
}

static bool take_row(void *user, const double *row, int count)
{
  PfPyOutcome *o = ((Call *)user)->outcome;
  o->columns = count;
  if (o->row_count == o->row_room && !make_room(o, count)) return false;
  memcpy(o->rows + o->row_count++*(size_t)count, row, (size_t)count*sizeof *row);
  return true;
}

/* What was doubled once too often is given back. */
static void shrink(PfPyOutcome *o)
{
  size_t size = o->row_count*(size_t)o->columns*sizeof(double);
  double *rows = size ? realloc(o->rows, size) : NULL;
  if (rows) o->rows = rows, o->row_room = o->row_count;
}

static bool end_streams(Console *console)
{
  bool good = console->out && console->err;
  if (console->out && fclose(console->out) != 0) good = false;
  if (console->err && fclose(console->err) != 0) good = false;
  return good;
}

/* The words one by one, in memory that is freed as a whole; NULL without. */
static char **split(const char *words, int count)
{
  const char *end = words;
  for (int i = 0; i < count; i++) end += strlen(end) + 1;
  char **list = malloc(((size_t)count + 1)*sizeof *list + (size_t)(end - words));
  if (!list) return NULL;
  char *next = memcpy(list + count + 1, words, (size_t)(end - words));
  for (int i = 0; i < count; i++) list[i] = next, next += strlen(next) + 1;
  list[count] = NULL;
  return list;
}

int pf_py_command(const char *words, int count, PfMachine *machine, const char *input, size_t size, const char *name,
                  void *who, PfPyOutcome *outcome)
{
  *outcome = (PfPyOutcome){.code = PF_EXIT_FAILED};
  char **list = split(words, count);
  Call call = {.outcome = outcome};
  pf_py_ask_begin(&call.ask, who);
  Console console = {.out = open_memstream(&outcome->out, &outcome->out_size),
                     .err = open_memstream(&outcome->err, &outcome->err_size),
                     .exact = true, .machine = machine, .input = input, .input_size = size, .name = name,
                     .is_stopped = is_stopped, .take_row = take_row, .user = &call};
  if (list && console.out && console.err) outcome->code = pf_cli_run(&console, count, list);
  bool good = end_streams(&console) && list;
  free(list);
  outcome->stopped = call.ask.stopped;
  shrink(outcome);
  return good;
}

int pf_py_terminal(const char *words, int count)
{
  char **list = split(words, count);
  int code = list ? pf_cli_terminal(count, list) : PF_EXIT_FAILED;
  free(list);
  return code;
}

/* ---------------------------------------------------------------- a model by name */

static void put_name(PfJson *json, const char *name, const char *unit, double scale)
{
  pf_json_string(json, "name", name);
  pf_json_string(json, "unit", unit ? unit : "");
  pf_json_number(json, "scale", scale > 0 ? scale : 1);
}

static void put_parameters(const PfModel *model, PfJson *json)
{
  pf_json_open(json, "parameters", '[');
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    double value;
    pf_json_open(json, NULL, '{');
    put_name(json, p->name, p->unit, p->scale);
    pf_json_bool(json, "derived", p->derived || p->hidden);
    bool known = p->value != PF_EXPR_NONE && pf_expr_is_number(model->ctx, p->value, &value);
    if (known) pf_json_number(json, "value", value);
    else pf_json_string(json, "value", NULL);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void put_coordinates(const PfModel *model, PfJson *json)
{
  pf_json_open(json, "coordinates", '[');
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    pf_json_open(json, NULL, '{');
    put_name(json, c->name, c->unit, c->scale);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_open(json, "speeds", '[');
  for (int i = 0; i < model->speed_count; i++) pf_json_string(json, NULL, model->speeds[i].name);
  pf_json_close(json, ']');
}

static void put_inputs(const PfModel *model, PfJson *json)
{
  pf_json_open(json, "inputs", '[');
  for (int i = 0; i < model->input_count; i++) {
    const PfInput *u = model->inputs + i;
    pf_json_open(json, NULL, '{');
    put_name(json, u->name, u->unit, u->scale);
    pf_json_bool(json, "given", u->value != PF_EXPR_NONE);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void put_constraints(const PfModel *model, PfJson *json)
{
  pf_json_open(json, "constraints", '[');
  for (int i = 0; i < model->constraint_count; i++) {
    const PfConstraint *c = model->constraints + i;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "name", c->name);
    pf_json_string(json, "kind", c->norm ? "norm" : pf_constraint_kind_name(c->kind));
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_open(json, "bodies", '[');
  for (int i = 0; i < model->body_count; i++) pf_json_string(json, NULL, model->bodies[i].name);
  pf_json_close(json, ']');
}

static void put_model(const PfModel *model, PfJson *json)
{
  pf_json_string(json, "model", pf_cli_name(model));
  pf_json_string(json, "title", model->title);
  put_coordinates(model, json);
  put_parameters(model, json);
  put_inputs(model, json);
  put_constraints(model, json);
  pf_json_integer(json, "events", model->event_count);
}

static void describe(PfContext *ctx, const PfModel *model, const Console *console)
{
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(ctx));
  pf_json_open(&json, NULL, '{');
  if (model) put_model(model, &json);
  pf_cli_json_diagnostics(ctx, &json);
  pf_json_close(&json, '}');
  fputs(pf_text_get(&json.text), console->out);
  pf_json_free(&json);
  pf_cli_diagnostics(ctx, console);
}

/* Of a model that was read: in a workspace, because the machine does not change. */
static int describe_machine(PfMachine *machine, const Console *console)
{
  PfWorkspace work;
  PfStatus status = pf_workspace_open(machine, PF_NO_EQUATIONS, NULL, NULL, &work);
  if (status == PF_OK) describe(work.ctx, work.model, console);
  pf_workspace_close(&work);
  return status == PF_OK ? PF_EXIT_OK : PF_EXIT_FAILED;
}

static void open_machine(const char *text, size_t size, const char *name, Ask *ask, const Console *console,
                         PfPyOutcome *outcome, PfMachine **machine)
{
  PfContext *ctx = pf_context_new(NULL);
  if (!ctx) return;
  pf_context_set_cancel(ctx, pf_py_ask, ask);
  if (pf_machine_read(ctx, name, text, size, machine) == PF_OK) {
    outcome->code = describe_machine(*machine, console);
  } else {
    describe(ctx, NULL, console);
    pf_context_free(ctx);
  }
}

int pf_py_machine_open(const char *text, size_t size, const char *name, void *who, PfPyOutcome *outcome,
                       PfMachine **machine)
{
  *outcome = (PfPyOutcome){.code = PF_EXIT_FAILED};
  *machine = NULL;
  Console console = {.out = open_memstream(&outcome->out, &outcome->out_size),
                     .err = open_memstream(&outcome->err, &outcome->err_size), .exact = true};
  Ask ask;
  pf_py_ask_begin(&ask, who);
  if (console.out && console.err) open_machine(text, size, name, &ask, &console, outcome, machine);
  bool good = end_streams(&console);
  outcome->stopped = ask.stopped;
  return good && (*machine || outcome->out_size);
}

void pf_py_machine_release(PfMachine *machine)
{
  pf_machine_release(machine);
}

/* ---------------------------------------------------------------- constants */

int pf_py_constant(const char *text, const char *unit, double *value, PfError *error)
{
  PfContext *ctx = pf_context_new(NULL);
  PfStatus status = ctx ? pf_constant_read(ctx, text, unit, value) : PF_ERR_MEMORY;
  *error = (PfError){.status = status};
  const char *words = ctx && status != PF_OK ? pf_context_message(ctx) : pf_status_text(status);
  snprintf(error->message, sizeof error->message, "%s", words);
  pf_context_free(ctx);
  return status == PF_OK ? PF_PY_GOOD : PF_PY_FAILED;
}
