/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep made of settings: opens the model, applies values that are the same for all members, reads plan and outputs,
 * and names the columns. */
#include "base/spelling.h"
#include "lang/parts.h"
#include "sim/settings.h"
#include "sweep/settings.h"
#include "sweep/store.h"
#include "sweep/stream.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- the model */

/* Fails as a simulation did, for the setting `what` (as "@%s" takes it) or NULL. */
static PfStatus fail_like(PfContext *ctx, const PfError *error, const char *what)
{
  PfPlace place = {.file = error->file, .line = error->line, .column = error->column, .length = 1};
  if (error->line) pf_fail_at(ctx, error->status, place, "%s", error->message);
  else pf_fail(ctx, error->status, what ? "@%s: %s" : "@%s%s", what ? what : " ", error->message);
  if (error->hint[0]) pf_hint(ctx, "%s", error->hint);
  return error->status;
}

/* Sets "NAME=VALUE", the same for all members; hub.w=(0, 0, 1) part by part. */
static PfStatus set_given(PfSweep *s, const char *text)
{
  const PfModel *model = pf_sim_model(s->base);
  const char *equals = strchr(text, '=');
  int count;
  if (!equals) return pf_fail(s->ctx, PF_ERR_ARGUMENT, "%s: write name=value", text);
  const char *name = pf_piece(s->arena, text, equals), *value = pf_piece(s->arena, equals + 1, text + strlen(text));
  const char *what = pf_spell(s->ctx, s->arena, " %s", text);
  if (!name || !value || !what) return pf_no_room(s->ctx, "the sweep");
  if (!pf_parts_count(model, name))
    return pf_sim_set_text(s->base, name, value) ? PF_OK : fail_like(s->ctx, pf_sim_error(s->base), what);
  PfPart *parts = pf_arena_array(s->arena, PfPart, PF_MOST_PARTS);
  if (!parts) return pf_no_room(s->ctx, "the sweep");
  PF_TRY(pf_parts_read(s->ctx, s->arena, model, what, name, value, parts, &count));
  for (int k = 0; k < count; k++)
    if (!pf_sim_set(s->base, parts[k].name, parts[k].value)) return fail_like(s->ctx, pf_sim_error(s->base), what);
  return PF_OK;
}

static bool is_given(const PfSweepSetting *setting)
{
  return !strcmp(setting->key, "param") || !strcmp(setting->key, "state");
}

/* Opens the simulation that others are clones of, from the machine or else from the text of the model, and sets what is
 * the same for all members. */
static PfStatus open_model(PfSweep *s, PfMachine *machine)
{
  const char *text = pf_sweep_setting(s, "model"), *time = pf_sweep_setting(s, "time");
  PfError error;
  if (!text) return pf_fail(s->ctx, PF_ERR_ARGUMENT, "a sweep needs a model");
  s->base = machine ? pf_sim_of_machine_by(machine, s->run.method, s->run.formulation, NULL, NULL, &error)
                    : pf_sim_open_like(s->ctx, text, &error);
  if (!s->base) return fail_like(s->ctx, &error, NULL);
  for (int i = 0; i < s->setting_count; i++)
    if (is_given(s->settings + i)) PF_TRY(set_given(s, s->settings[i].value));
  if (time && !pf_sim_set_text(s->base, "t", time)) return fail_like(s->ctx, pf_sim_error(s->base), "time");
  if (!pf_sim_set_method(s->base, s->run.method, s->run.formulation))
    return fail_like(s->ctx, pf_sim_error(s->base), NULL);
  pf_sim_set_as_given(s->base, pf_sweep_setting(s, "as-given"));
  return PF_OK;
}

/* The names that vary must exist: the first member is set, and every later one sets them anew. A name that is there but
 * cannot be set is a definition, maybe one that says how many parts the model has. */
static PfStatus set_first(PfSweep *s)
{
  const PfPlan *plan = &s->plan;
  double *values = pf_arena_array(s->arena, double, plan->variable_count);
  if (!values) return pf_no_room(s->ctx, "the sweep");
  pf_plan_member(plan, 0, values);
  for (int i = 0; i < plan->variable_count; i++) {
    const char *name = plan->variables[i].name;
    if (plan->variables[i].option) continue;
    if (pf_sim_set(s->base, name, values[i])) continue;
    PfError error = *pf_sim_error(s->base);
    if (error.status == PF_ERR_NAME && pf_sim_find(s->base, name) >= 0) {
      pf_fail(s->ctx, PF_ERR_ARGUMENT, "'%s' is defined by the text of the model and cannot vary", name);
      pf_hint(s->ctx, "'param %s = …' instead of 'let' makes it a parameter; where it says how many parts there are, "
              "members would not be the same model: sweep one text for each number", name);
      return PF_ERR_ARGUMENT;
    }
    if (error.status == PF_ERR_NAME) error.status = PF_ERR_ARGUMENT; /* it is not a name of the text */
    return fail_like(s->ctx, &error, NULL);
  }
  return PF_OK;
}

/* Settings that vary must have an effect, and no value for all as well. */
static PfStatus check_options(PfSweep *s)
{
  const PfRun *line = &pf_sim_model(s->base)->run;
  const char *given = s->run.method ? s->run.method : line->method;
  const PfMethod *method = pf_method_find(given ? given : PF_DEFAULT_METHOD);
  bool has_step = s->run.step > 0; /* alpha methods without one choose their steps */
  for (int i = 0; i < line->setting_count; i++) has_step = has_step || !strcmp(line->settings[i].key, "step");
  for (int i = 0; i < s->plan.variable_count; i++)
    has_step = has_step || (s->plan.variables[i].option && !strcmp(s->plan.variables[i].name, "step"));
  for (int i = 0; i < s->plan.variable_count && method; i++) {
    const PfVariable *v = s->plan.variables + i;
    if (!v->option) continue;
    PF_TRY(pf_varied_option_check(s->ctx, v->option, method, s->run.adaptive || !has_step));
    if (pf_sweep_setting(s, v->name))
      return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@%s is given, and '%s' varies: give it once", v->name, v->name);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- columns */

static PfStatus rename_column(PfSweep *s, int column, const char *ending)
{
  char name[600];
  snprintf(name, sizeof name, "%s%s", s->names[column], ending);
  s->names[column] = pf_arena_text(s->arena, name, strlen(name));
  return s->names[column] ? PF_OK : pf_no_room(s->ctx, "the sweep");
}

/* Names, units and scales of all columns: varied inputs, then outputs. Their names are distinct: a start that varies
 * and where it led to have one name in the model, and some names mean something else in results. */
static PfStatus name_columns(PfSweep *s)
{
  static const char *const reserved[] = {"status", "reason", "member", "letter"};
  const char *found = pf_sweep_setting(s, "study") ? " as found" : " at the end";
  const int varied = s->plan.variable_count;
  s->columns = varied + s->output_set.columns;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the sweep", PF_ROOM(s->names, s->columns), PF_ROOM(s->units, s->columns),
                   PF_ROOM(s->scales, varied)));
  for (int i = 0; i < varied; i++) {
    s->names[i] = s->plan.variables[i].name;
    s->units[i] = s->plan.variables[i].measure.unit;
    s->scales[i] = s->plan.variables[i].measure.scale;
  }
  for (int i = varied; i < s->columns; i++) {
    const PfOutputColumn *output = s->output_set.column + i - varied;
    int same = 0;
    s->names[i] = output->name;
    s->units[i] = output->unit;
    while (same < varied && strcmp(s->names[same], output->name) != 0) same++;
    if (same < varied) PF_TRY(rename_column(s, i, found));
  }
  for (int i = 0; i < s->columns; i++)
    for (size_t k = 0; k < sizeof reserved/sizeof *reserved; k++)
      if (!strcmp(s->names[i], reserved[k])) PF_TRY(rename_column(s, i, "_"));
  return PF_OK;
}

/* ---------------------------------------------------------------- all of it */

static PfStatus make(PfSweep *s, PfMachine *machine)
{
  const char *outputs = pf_sweep_setting(s, "take");
  PF_TRY(pf_run_overrides_read(s->ctx, s->settings, s->setting_count, &s->run));
  PF_TRY(open_model(s, machine));
  PF_TRY(pf_plan_read(s->ctx, s->arena, pf_sim_model(s->base), s->settings, s->setting_count, &s->plan));
  /* One number for all, and others for each, contradict each other. */
  for (int i = 0; i < s->setting_count; i++) {
    const PfSweepSetting *w = s->settings + i;
    if (!is_given(w)) continue;
    const char *name = pf_piece(s->arena, w->value, w->value + strcspn(w->value, "="));
    if (!name) return pf_no_room(s->ctx, "the sweep");
    for (int k = 0; k < s->plan.variable_count; k++) {
      if (strcmp(name, s->plan.variables[k].name) != 0) continue;
      pf_fail(s->ctx, PF_ERR_ARGUMENT, "%s: '%s' varies already", w->value, name);
      pf_hint(s->ctx, "give it once: as a value for all, or as what varies");
      return PF_ERR_ARGUMENT;
    }
  }
  PF_TRY(check_options(s));
  PF_TRY(set_first(s));
  if (!outputs) {
    pf_fail(s->ctx, PF_ERR_ARGUMENT, "@take is missing: what is taken of each member?");
    pf_hint(s->ctx, "@take{\"x, max(abs(theta)), t_end\"} takes the end of x, the largest |theta|, and when it ended");
    return PF_ERR_ARGUMENT;
  }
  PF_TRY(pf_output_set_read(s->ctx, s->arena, s->base, outputs, pf_sweep_setting(s, "study"), &s->output_set));
  return name_columns(s);
}

PfStatus pf_sweep_new(PfContext *ctx, const PfSweepSetting *settings, int count, PfSweep **sweep)
{
  return pf_sweep_of_machine(ctx, NULL, settings, count, sweep);
}

PfStatus pf_sweep_of_machine(PfContext *ctx, PfMachine *machine, const PfSweepSetting *settings, int count,
                             PfSweep **sweep)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSweep *s = arena ? pf_arena_array(arena, PfSweep, 1) : NULL;
  *sweep = NULL;
  if (!s) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the sweep");
  }
  *s = (PfSweep){.ctx = ctx, .arena = arena, .settings = settings, .setting_count = count};
  PfStatus status = make(s, machine);
  if (status == PF_OK) *sweep = s;
  else pf_sweep_free(s);
  return status;
}

void pf_sweep_free(PfSweep *s)
{
  if (!s) return;
  pf_row_store_free(s->memory);
  pf_sweep_forget(s);
  pf_stream_free(s->stream);
  pf_member_close(&s->alone);
  pf_output_set_free(&s->output_set);
  pf_sim_close(s->base);
  pf_arena_free(s->settings_arena);
  pf_arena_free(s->arena);
}

/* ---------------------------------------------------------------- what it is, and single members */

PfContext *pf_sweep_context(const PfSweep *s)
{
  return s->ctx;
}

long long pf_sweep_count(const PfSweep *s)
{
  return s->plan.count;
}

const char *pf_sweep_model(const PfSweep *s)
{
  const PfModel *model = pf_sim_model(s->base);
  const char *file = pf_sweep_setting(s, "file");
  return model->name[0] || !file ? model->name : file;
}

int pf_sweep_columns(const PfSweep *s)
{
  return s->columns;
}

int pf_sweep_varied(const PfSweep *s)
{
  return s->plan.variable_count;
}

const char *pf_sweep_name(const PfSweep *s, int column)
{
  return column >= 0 && column < s->columns ? s->names[column] : "";
}

bool pf_sweep_is_setting(const PfSweep *s, int column)
{
  return column >= 0 && column < s->plan.variable_count && s->plan.variables[column].option;
}

const char *pf_sweep_unit(const PfSweep *s, int column)
{
  return column >= 0 && column < s->columns ? s->units[column] : "";
}

static PfStatus check_member(const PfSweep *s, long long member)
{
  if (member >= 0 && member < s->plan.count) return PF_OK;
  return pf_fail(s->ctx, PF_ERR_ARGUMENT, "there is no member %lld: they are 0 to %lld", member, s->plan.count - 1);
}

PfStatus pf_sweep_values(const PfSweep *s, long long member, double *values)
{
  PF_TRY(check_member(s, member));
  pf_plan_member(&s->plan, member, values);
  for (int i = 0; i < s->plan.variable_count; i++) values[i] /= s->scales[i];
  return PF_OK;
}

/* Where the row of a member goes that is run alone. */
typedef struct Alone {
  int columns;
  double *row;
  int *end;
  char *reason;
} Alone;

static bool take_alone(void *user, long long number, const double *row, int end, const char *reason)
{
  const Alone *x = user;
  (void)number;
  memcpy(x->row, row, (size_t)x->columns*sizeof *row);
  memcpy(x->reason, reason, PF_REASON);
  *x->end = end;
  return true;
}

PfStatus pf_sweep_member(PfSweep *s, long long member, double *row, int *end, char *reason)
{
  Alone alone = {s->columns, row, end, reason};
  PF_TRY(check_member(s, member));
  if (!s->alone.sim) PF_TRY(pf_member_open(s->ctx, s, &s->alone));
  return pf_members_run_list(&s->alone, &member, 1, take_alone, &alone) ? PF_OK : PF_ERR_CANCELLED;
}
