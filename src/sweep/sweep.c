/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep made of words. */
#include "lang/parts.h"
#include "sweep/store.h"
#include "sweep/stream.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- the model */

static PfStatus fail_like(PfContext *ctx, const PfError *error, const char *what)
{
  PfPlace place = {.file = error->file, .line = error->line, .column = error->column, .length = 1};
  if (error->line) pf_fail_at(ctx, error->status, place, "%s", error->message);
  else pf_fail(ctx, error->status, "%s%s%s", what ? what : "", what ? ": " : "", error->message);
  if (error->hint[0]) pf_hint(ctx, "%s", error->hint);
  return error->status;
}

/* hub.w=(0, 0, 1): part by part. */
static PfStatus set_parts(PfSweep *s, const char *text, const char *name, const char *value)
{
  PfPart *parts = pf_arena_array(s->arena, PfPart, PF_MOST_PARTS);
  int count;
  if (!parts) return pf_no_room(s->ctx, "the sweep");
  PF_TRY(pf_parts_read(s->ctx, s->arena, pf_sim_model(s->base), text, name, value, parts, &count));
  for (int k = 0; k < count; k++)
    if (!pf_sim_set(s->base, parts[k].name, parts[k].value)) return fail_like(s->ctx, pf_sim_error(s->base), text);
  return PF_OK;
}

/* NAME=VALUE, the same for all members. */
static PfStatus set_given(PfSweep *s, const char *text)
{
  const char *equals = strchr(text, '=');
  if (!equals) return pf_fail(s->ctx, PF_ERR_ARGUMENT, "%s: write name=value", text);
  const char *name = pf_piece(s->arena, text, equals), *value = pf_piece(s->arena, equals + 1, text + strlen(text));
  if (!name || !value) return pf_no_room(s->ctx, "the sweep");
  if (pf_parts_count(pf_sim_model(s->base), name)) return set_parts(s, text, name, value);
  return pf_sim_set_text(s->base, name, value) ? PF_OK : fail_like(s->ctx, pf_sim_error(s->base), text);
}

static PfStatus open_model(PfSweep *s, PfMachine *machine)
{
  const char *text = pf_word(s->words, s->word_count, "model"), *time = pf_word(s->words, s->word_count, "time");
  PfError error;
  if (!text) return pf_fail(s->ctx, PF_ERR_ARGUMENT, "a sweep needs a model");
  s->base = machine ? pf_sim_of_machine(machine, NULL, NULL, &error) : pf_sim_open_text(text, &error);
  if (!s->base) return fail_like(s->ctx, &error, NULL);
  for (int i = 0; i < s->word_count; i++) {
    const char *key = s->words[i].key;
    if (!strcmp(key, "param") || !strcmp(key, "state")) PF_TRY(set_given(s, s->words[i].value));
  }
  if (time && !pf_sim_set_text(s->base, "t", time)) return fail_like(s->ctx, pf_sim_error(s->base), "--time");
  if (!pf_sim_set_method(s->base, s->run.method, s->run.formulation))
    return fail_like(s->ctx, pf_sim_error(s->base), NULL);
  pf_sim_set_as_given(s->base, pf_word(s->words, s->word_count, "as-given"));
  return PF_OK;
}

/* A name that is there but cannot be set: a definition, maybe one that says how many parts the model has. */
static PfStatus refuse_definition(PfSweep *s, const char *name)
{
  pf_fail(s->ctx, PF_ERR_ARGUMENT, "'%s' is defined by the text of the model and cannot vary", name);
  pf_hint(s->ctx, "'param %s = …' instead of 'let' makes it a parameter; where it says how many parts there are, "
          "members would not be the same model: sweep one text for each number", name);
  return PF_ERR_ARGUMENT;
}

/* The names that vary must exist: the first member is set, and every later one sets them anew. */
static PfStatus set_first(PfSweep *s)
{
  const PfPlan *plan = &s->plan;
  double *values = pf_arena_array(s->arena, double, plan->variable_count);
  if (!values) return pf_no_room(s->ctx, "the sweep");
  pf_plan_member(plan, 0, values);
  for (int i = 0; i < plan->variable_count; i++) {
    if (pf_sim_set(s->base, plan->variables[i].name, values[i])) continue;
    PfError error = *pf_sim_error(s->base);
    if (error.status == PF_ERR_NAME && pf_sim_find(s->base, plan->variables[i].name) >= 0)
      return refuse_definition(s, plan->variables[i].name);
    if (error.status == PF_ERR_NAME) error.status = PF_ERR_ARGUMENT; /* it is no name of the text */
    return fail_like(s->ctx, &error, NULL);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- columns */

/* Names that results have for something else. */
static bool is_reserved(const char *name)
{
  return !strcmp(name, "status") || !strcmp(name, "reason") || !strcmp(name, "member") || !strcmp(name, "letter");
}

static PfStatus rename_column(PfSweep *s, int column, const char *behind)
{
  char name[600];
  snprintf(name, sizeof name, "%s%s", s->names[column], behind);
  s->names[column] = pf_arena_text(s->arena, name, strlen(name));
  return s->names[column] ? PF_OK : pf_no_room(s->ctx, "the sweep");
}

/* A start that varies and where it led to have one name. */
static PfStatus tell_apart(PfSweep *s)
{
  const int varied = s->plan.variable_count;
  for (int i = varied; i < s->columns; i++)
    for (int k = 0; k < varied; k++)
      if (!strcmp(s->names[k], s->names[i])) {
        PF_TRY(rename_column(s, i, pf_word(s->words, s->word_count, "study") ? " as found" : " at the end"));
        break;
      }
  for (int i = 0; i < s->columns; i++)
    if (is_reserved(s->names[i])) PF_TRY(rename_column(s, i, "_"));
  return PF_OK;
}

static PfStatus name_columns(PfSweep *s)
{
  const int varied = s->plan.variable_count;
  s->columns = varied + s->take.columns;
  s->names = pf_arena_array(s->arena, const char *, s->columns);
  s->units = pf_arena_array(s->arena, const char *, s->columns);
  s->scales = pf_arena_array(s->arena, double, varied);
  if (!s->names || !s->units || !s->scales) return pf_no_room(s->ctx, "the sweep");
  for (int i = 0; i < varied; i++) {
    s->names[i] = s->plan.variables[i].name;
    s->units[i] = s->plan.variables[i].measure.unit;
    s->scales[i] = s->plan.variables[i].measure.scale;
  }
  for (int i = 0; i < s->take.columns; i++) {
    s->names[varied + i] = s->take.column[i].name;
    s->units[varied + i] = s->take.column[i].unit;
  }
  return tell_apart(s);
}

/* One number for all, and others for each, contradict each other. */
static PfStatus refuse_twice(PfSweep *s)
{
  for (int i = 0; i < s->word_count; i++) {
    const PfSweepWord *w = s->words + i;
    const bool fixed = !strcmp(w->key, "param") || !strcmp(w->key, "state");
    const char *name = fixed ? pf_piece(s->arena, w->value, w->value + strcspn(w->value, "=")) : "";
    if (!name) return pf_no_room(s->ctx, "the sweep");
    for (int k = 0; fixed && k < s->plan.variable_count; k++) {
      if (strcmp(name, s->plan.variables[k].name) != 0) continue;
      pf_fail(s->ctx, PF_ERR_ARGUMENT, "%s: '%s' varies already", w->value, name);
      pf_hint(s->ctx, "give it once: as a value for all, or as what varies");
      return PF_ERR_ARGUMENT;
    }
  }
  return PF_OK;
}

static PfStatus make(PfSweep *s, PfMachine *machine)
{
  const char *take = pf_word(s->words, s->word_count, "take");
  PF_TRY(pf_run_words_read(s->ctx, s->words, s->word_count, &s->run));
  PF_TRY(open_model(s, machine));
  PF_TRY(pf_plan_read(s->ctx, s->arena, pf_sim_model(s->base), s->words, s->word_count, &s->plan));
  PF_TRY(refuse_twice(s));
  PF_TRY(set_first(s));
  if (!take) {
    pf_fail(s->ctx, PF_ERR_ARGUMENT, "what is taken of each member?");
    pf_hint(s->ctx, "--take \"x, max(abs(theta)), t_end\" takes the end of x, the largest |theta|, and when it ended");
    return PF_ERR_ARGUMENT;
  }
  PF_TRY(pf_take_read(s->ctx, s->arena, s->base, take, pf_word(s->words, s->word_count, "study"), &s->take));
  return name_columns(s);
}

PfStatus pf_sweep_new(PfContext *ctx, const PfSweepWord *words, int count, PfSweep **sweep)
{
  return pf_sweep_of_machine(ctx, NULL, words, count, sweep);
}

PfStatus pf_sweep_of_machine(PfContext *ctx, PfMachine *machine, const PfSweepWord *words, int count, PfSweep **sweep)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSweep *s = arena ? pf_arena_array(arena, PfSweep, 1) : NULL;
  *sweep = NULL;
  if (!s) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the sweep");
  }
  *s = (PfSweep){.ctx = ctx, .arena = arena, .words = words, .word_count = count};
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
  pf_take_free(&s->take);
  pf_sim_close(s->base);
  pf_arena_free(s->own_words);
  pf_arena_free(s->arena);
}

/* ---------------------------------------------------------------- what it is */

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
  const char *file = pf_word(s->words, s->word_count, "file");
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

const char *pf_sweep_unit(const PfSweep *s, int column)
{
  return column >= 0 && column < s->columns ? s->units[column] : "";
}

PfStatus pf_sweep_values(const PfSweep *s, long long member, double *values)
{
  if (member < 0 || member >= s->plan.count)
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "there is no member %lld: they are 0 to %lld", member, s->plan.count - 1);
  pf_plan_member(&s->plan, member, values);
  for (int i = 0; i < s->plan.variable_count; i++) values[i] /= s->scales[i];
  return PF_OK;
}

typedef struct Alone {
  long long member; /* -1: it is under way */
  int columns;
  double *row;
  int *end;
  char *reason;
} Alone;

static bool next_alone(void *user, long long *number)
{
  Alone *x = user;
  *number = x->member;
  x->member = -1;
  return *number >= 0;
}

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
  if (member < 0 || member >= s->plan.count)
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "there is no member %lld: they are 0 to %lld", member, s->plan.count - 1);
  if (!s->alone.sim) PF_TRY(pf_member_open(s->ctx, s, &s->alone));
  Alone alone = {member, s->columns, row, end, reason};
  const PfMemberFlow flow = {next_alone, take_alone, &alone};
  return pf_members_run(&s->alone, &flow) ? PF_OK : PF_ERR_CANCELLED;
}
