/* SPDX-License-Identifier: Apache-2.0 */
/* --table: rows of a file as a direction of the grid. "runs.csv: m, theta" takes these columns and no others. */
#include "task/sweep.h"
#include "task/table.h"

#include <math.h>
#include <string.h>

/* Of the tables that sweeps write: they say nothing of the model. */
static bool is_ours(const char *name)
{
  return !strcmp(name, "member") || !strcmp(name, "status") || !strcmp(name, "reason");
}

static bool is_settable(const PfModel *model, const char *name)
{
  const int i = pf_model_find_parameter(model, name);
  return (i >= 0 && !model->parameters[i].derived) || pf_task_is_start(model, name) ||
         pf_task_is_input(model, name) || !strcmp(name, "t");
}

/* ---------------------------------------------------------------- which columns */

typedef struct Choice {
  Sweep *sw;
  const char *path, *wanted; /* wanted: behind the colon; NULL: all of them */
  Table table;
  bool *taken;
} Choice;

static PfStatus unknown_column(const Choice *c, const char *name)
{
  PfContext *ctx = c->sw->s.ctx;
  pf_fail(ctx, PF_ERR_ARGUMENT, "%s:%d: the model has no parameter, start or input '%s'", c->path, c->table.head_line,
          name);
  pf_hint(ctx, "@table{\"%s: NAME, NAME\"} takes some of the columns", c->path);
  return PF_ERR_ARGUMENT;
}

static PfStatus check_unit(const Choice *c, int column)
{
  const char *name = c->table.names[column], *unit = c->table.units[column];
  const PfMeasure own = pf_model_measure(c->sw->s.model, name);
  if (!unit[0] || pf_unit_factor(c->sw->s.ctx, unit, own.unit[0] ? own.unit : "1") > 0) return PF_OK;
  return pf_fail(c->sw->s.ctx, PF_ERR_ARGUMENT, "%s:%d: the column '%s' is in [%s], and '%s' is in [%s]", c->path,
                 c->table.head_line, name, unit, name, own.unit[0] ? own.unit : "1");
}

/* All that the model knows; what sweeps add to their own tables is left out, and nothing else. */
static PfStatus choose_all(Choice *c)
{
  char left_out[80] = "";
  for (int i = 0; i < c->table.columns; i++) {
    const char *name = c->table.names[i];
    c->taken[i] = is_settable(c->sw->s.model, name);
    if (!c->taken[i] && !is_ours(name)) return unknown_column(c, name);
    const size_t used = strlen(left_out);
    if (!c->taken[i]) snprintf(left_out + used, sizeof left_out - used, "%s'%s'", used ? ", " : "", name);
  }
  if (!left_out[0]) return PF_OK;
  pf_warn_at(c->sw->s.ctx, (PfPlace){0}, "%s: %s belong to the result of a sweep and are left out", c->path,
             left_out);
  pf_hint(c->sw->s.ctx, "what was taken there is read as a start: @table{\"%s: NAME, NAME\"} takes some columns",
          c->path);
  return PF_OK;
}

static PfStatus choose_named(Choice *c)
{
  for (const char *at = c->wanted; *at;) {
    char name[PF_LONGEST_NAME];
    at += strspn(at, " ,");
    size_t length = strcspn(at, ",");
    while (length && at[length - 1] == ' ') length--;
    if (!length) break;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    const int column = pf_table_find(&c->table, name);
    if (column < 0)
      return pf_fail(c->sw->s.ctx, PF_ERR_ARGUMENT, "%s:%d: there is no column '%s'", c->path, c->table.head_line,
                     name);
    if (!is_settable(c->sw->s.model, c->table.names[column])) return unknown_column(c, name);
    c->taken[column] = true;
    at += strcspn(at, ",");
  }
  return PF_OK;
}

static PfStatus check_cells(const Choice *c)
{
  const Table *t = &c->table;
  for (int i = 0; i < t->columns; i++) {
    if (!c->taken[i] || !t->words[i].text) continue;
    pf_fail(c->sw->s.ctx, PF_ERR_ARGUMENT, "%s:%d: '%.40s' under '%s' is not a number", c->path, t->words[i].line,
            t->words[i].text, t->names[i]);
    pf_hint(c->sw->s.ctx, "units stand in the head, as in 'm [g]'");
    return PF_ERR_ARGUMENT;
  }
  for (int r = 0; r < pf_table_rows(t); r++)
    for (int i = 0; i < t->columns; i++)
      if (c->taken[i] && !isfinite(pf_table_at(t, r, i)))
        return pf_fail(c->sw->s.ctx, PF_ERR_ARGUMENT, "%s: row %d has no number under '%s'", c->path, r + 1,
                       t->names[i]);
  return pf_table_rows(t) ? PF_OK : pf_fail(c->sw->s.ctx, PF_ERR_ARGUMENT, "%s: there are no rows", c->path);
}

/* ---------------------------------------------------------------- as a word */

static void put_column(const Table *t, int column, PfText *text)
{
  pf_text_print(text, "%s%s", text->count ? ";" : "", t->names[column]);
  if (t->units[column][0]) pf_text_print(text, " [%s]", t->units[column]);
  for (int r = 0; r < pf_table_rows(t); r++) {
    pf_text_add(text, r ? "," : "=");
    pf_text_number(text, pf_table_at(t, r, column));
  }
}

static PfStatus read_columns(Choice *c, PfText *text)
{
  PfContext *ctx = c->sw->s.ctx;
  PF_TRY(pf_table_read_list(ctx, c->sw->s.arena, c->path, &c->table));
  c->taken = pf_arena_array(c->sw->s.arena, bool, c->table.columns);
  if (!c->taken) return pf_no_room(ctx, "the table");
  PF_TRY(c->wanted ? choose_named(c) : choose_all(c));
  PF_TRY(check_cells(c));
  for (int i = 0; i < c->table.columns; i++)
    if (c->taken[i]) PF_TRY(check_unit(c, i));
  for (int i = 0; i < c->table.columns; i++)
    if (c->taken[i]) put_column(&c->table, i, text);
  if (text->failed) return pf_no_room(ctx, "the table");
  return text->count ? PF_OK : pf_fail(ctx, PF_ERR_ARGUMENT, "%s: there are no columns to take", c->path);
}

PfStatus pf_sweep_table_setting(Sweep *sw, const char *given, const char **word)
{
  const char *colon = strstr(given, ".csv:");
  Choice choice = {.sw = sw, .path = given, .wanted = colon ? colon + 5 : NULL};
  PfText text;
  if (colon) choice.path = pf_arena_text(sw->s.arena, given, (size_t)(colon + 4 - given));
  if (!choice.path) return pf_no_room(sw->s.ctx, "the table");
  pf_text_init(&text, pf_context_allocator(sw->s.ctx));
  PfStatus status = read_columns(&choice, &text);
  *word = status == PF_OK ? pf_arena_text(sw->s.arena, pf_text_get(&text), text.count) : NULL;
  if (status == PF_OK && !*word) status = pf_no_room(sw->s.ctx, "the table");
  pf_text_free(&text);
  pf_table_free(sw->s.ctx, &choice.table);
  return status;
}
