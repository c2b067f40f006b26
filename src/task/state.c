/* SPDX-License-Identifier: Apache-2.0 */
/* The state at which a command evaluates: the start of the model, changed by --state and --time. */
#include "task/task.h"
#include "lang/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Setter {
  PfContext *ctx;
  PfModel *model;
  const char *text; /* as given */
} Setter;

/* ---------------------------------------------------------------- names */

/* --state x_dot=1 is meant as x'=1. */
static bool hint_derivative(const Setter *s, const char *name)
{
  char other[128];
  int order;
  for (int k = 0; pf_rate_spelling(name, k, other, sizeof other, &order); k++) {
    if (order != 1 || pf_model_find_coordinate(s->model, other) < 0) continue;
    pf_hint(s->ctx, "a velocity is written with an apostrophe: @state{\"%s'=…\"}", other);
    return true;
  }
  return false;
}

static void hint_coordinates(const Setter *s)
{
  enum { MOST = 8 };
  const PfModel *model = s->model;
  char list[300] = "";
  size_t used = 0;
  for (int i = 0; i < model->coordinate_count && i < MOST && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", model->coordinates[i].name);
  pf_hint(s->ctx, "there are %s%s", list, model->coordinate_count > MOST ? ", …" : "");
}

static PfStatus unknown_name(const Setter *s, const char *name)
{
  const PfModel *model = s->model;
  const char *similar = NULL;
  int best = 0;
  char own[128];
  snprintf(own, sizeof own, "%.*s", (int)strcspn(name, "'"), name);
  pf_fail(s->ctx, PF_ERR_NAME, "@state{%s}: the model has no coordinate, velocity or speed '%s'", s->text, name);
  if (hint_derivative(s, name)) return PF_ERR_ARGUMENT;
  if (pf_model_find_parameter(model, name) >= 0) {
    pf_hint(s->ctx, "it is a parameter: write @p{\"%s\"}", s->text);
    return PF_ERR_ARGUMENT;
  }
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_name_is_nearer(own, model->coordinates[i].name, &best)) similar = model->coordinates[i].name;
  for (int i = 0; i < model->speed_count; i++)
    if (pf_name_is_nearer(own, model->speeds[i].name, &best)) similar = model->speeds[i].name;
  for (int i = 0; i < 3*model->ball_count; i++)
    if (pf_name_is_nearer(own, model->balls[i/3].spin_name[i%3], &best)) similar = model->balls[i/3].spin_name[i%3];
  if (similar) pf_hint(s->ctx, "did you mean '%s'?", similar);
  else hint_coordinates(s);
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- several numbers */

/* ---------------------------------------------------------------- reading */

/* Parts of a quaternion have no unit and are pure numbers all the same. */
static const char *unit_of(const PfModel *model, const char *name)
{
  int i = pf_model_find_coordinate(model, name);
  for (int b = 0; b < model->ball_count; b++)
    if (i >= model->balls[b].q && i < model->balls[b].q + 4) return "1";
  return pf_model_measure(model, name).unit;
}

/* x=1, x'=2 [m/s], hub.wz=1, hub.turn=(0, 0, 30 [deg]), chi=(0.1, 0.2) of a list */
static PfStatus set_one(Setter *s)
{
  char name[PF_LONGEST_NAME], what[256];
  const char *text;
  if (!pf_task_split(s->text, name, &text))
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@state{%s}: write name=value or name'=value", s->text);
  snprintf(what, sizeof what, "state %s", s->text);
  if (pf_parts_count(s->model, name)) {
    /* Coordinates that the name stands for, as the place of a body. */
    PfArena *scratch = pf_context_scratch(s->ctx);
    PfMark mark = pf_arena_mark(scratch);
    PfPart *parts = pf_arena_array(scratch, PfPart, PF_MOST_PARTS);
    int count = 0;
    PfStatus status = parts ? pf_parts_read(s->ctx, scratch, s->model, what, name, text, parts, &count)
                            : pf_no_room(s->ctx, "a start");
    for (int k = 0; k < count && status == PF_OK; k++)
      if (!pf_model_set_start(s->model, parts[k].name, parts[k].value)) status = unknown_name(s, parts[k].name);
    pf_arena_release(scratch, mark);
    return status;
  }
  double value;
  PF_TRY(pf_constant_read_for(s->ctx, what, text, unit_of(s->model, name), &value));
  return pf_model_set_start(s->model, name, value) ? PF_OK : unknown_name(s, name);
}

/* The name up to '=' once more? The names of groups and of their parts are not compared. */
static bool is_given_before(const Texts *list, int index)
{
  size_t length = strcspn(list->at[index], "=");
  for (int i = 0; i < index; i++)
    if (strcspn(list->at[i], "=") == length && !strncmp(list->at[i], list->at[index], length)) return true;
  return false;
}

PfStatus pf_task_give_state(Session *s, const PfRequest *options)
{
  for (int i = 0; i < options->state.count; i++) {
    Setter setter = {s->ctx, s->model, options->state.at[i]};
    if (is_given_before(&options->state, i))
      return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@state{%s}: a second value for the same start", setter.text);
    PF_TRY(set_one(&setter));
  }
  return PF_OK;
}

PfStatus pf_task_state(Session *s, const PfRequest *options, const PfSystem *system, double **values)
{
  const PfSymbols *symbols = pf_system_symbols(system);
  *values = pf_arena_array(s->arena, double, symbols->count);
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  if (!*values) return pf_no_room(s->ctx, "the state");
  PF_TRY(pf_equations_start(s->ctx, &s->equations, given, *values));
  if (isnan(options->time)) return PF_OK;
  (*values)[symbols->time] = options->time;
  return pf_evaluate_inputs(s->ctx, s->model, symbols, *values);
}

PfStatus pf_task_warn_contradiction(Session *s, const PfRequest *options)
{
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  int before = pf_diagnostic_count(s->ctx);
  PfDiagnosis diagnosis;
  PF_TRY(pf_equations_write_out(s->ctx, s->arena, &s->equations));
  PfStatus status = pf_diagnose(s->ctx, s->arena, &s->equations, given, &diagnosis);
  if (status == PF_OK || pf_is_final(status)) return status;
  const PfDiagnostic *why = pf_diagnostic(s->ctx, before);
  char message[512], hint[256];
  PfPlace place = why->place;
  snprintf(message, sizeof message, "%s", why->message);
  snprintf(hint, sizeof hint, "%s", why->hint ? why->hint : "there may be no motion at all");
  pf_diagnostics_truncate(s->ctx, before);
  pf_warn_at(s->ctx, place, "%s", message);
  pf_hint(s->ctx, "%s", hint);
  return PF_OK;
}

PfStatus pf_task_refuse_singular(Session *s, const PfSystem *system, const double *values)
{
  int row;
  PF_TRY(pf_state_singular(s->ctx, system, values, &row));
  if (row < 0) return PF_OK;
  const PfConstraint *c = s->model->constraints + row;
  pf_fail_at(s->ctx, PF_ERR_NUMBER, c->place, "the constraints lose rank in this state: '%s' %s, and the forces of "
             "constraint are not determined", c->name,
             s->equations.m > 1 ? "depends on the others here, and not nearby"
                                : "restricts nothing here, though it does nearby");
  pf_hint(s->ctx, "the state itself is singular: take one nearby");
  return PF_ERR_NUMBER;
}
