/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters on the command line, as -p m=2, and diagnostics of names that are not parameters. */
#include "task/task.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- names of other kinds */

static bool is_settable(const PfParameter *p)
{
  return !p->derived && !p->hidden;
}

/* The number of name[i]; -1: there is none that can be set. */
static int find_element(const PfModel *model, const char *name, int i)
{
  char element[PF_LONGEST_NAME + 16];
  snprintf(element, sizeof element, "%s[%d]", name, i);
  int k = pf_model_find_parameter(model, element);
  return k >= 0 && is_settable(model->parameters + k) ? k : -1;
}

/* How many elements the list of that name has; 0: there is no such list. */
static int list_size(const PfModel *model, const char *name)
{
  int count = 0;
  while (find_element(model, name, count + 1) >= 0) count++;
  return count;
}

/* The definition of a 'let', with the names of other ones written out. False: there is no such definition. */
static bool find_definition(PfContext *ctx, PfArena *arena, const PfModel *model, const char *name, PfPlot *plot)
{
  PfPlot *plots;
  int count, before = pf_diagnostic_count(ctx);
  bool good = pf_quantities_read(ctx, arena, model, "p", name, &plots, &count) == PF_OK && count == 1 &&
              pf_model_expand(model, plots[0].values, plots[0].count, plots[0].values) == PF_OK;
  pf_diagnostics_truncate(ctx, before);
  if (good) *plot = plots[0];
  return good;
}

static bool depends(PfContext *ctx, const PfPlot *plot, PfExpr symbol)
{
  for (int i = 0; i < plot->count; i++)
    if (pf_expr_depends(ctx, plot->values[i], &symbol, 1)) return true;
  return false;
}

/* A definition cannot be set: it is part of the text, and may decide how many bodies there are. What it is made of
 * can. */
static void hint_definition(PfContext *ctx, const PfModel *model, const char *name, const PfPlot *plot)
{
  PfText names;
  const char *first = NULL;
  pf_text_init(&names, pf_context_allocator(ctx));
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (!is_settable(p) || !depends(ctx, plot, p->symbol)) continue;
    pf_text_print(&names, "%s%s", first ? ", " : "", p->name);
    if (!first) first = p->name;
  }
  bool any = depends(ctx, plot, model->time);
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    any = any || depends(ctx, plot, c->q) || depends(ctx, plot, c->v) || depends(ctx, plot, c->a);
  }
  for (int i = 0; i < model->input_count; i++) any = any || depends(ctx, plot, model->inputs[i].symbol);
  bool moving = any;
  if (first)
    pf_hint(ctx, "'%s' is defined by 'let' and follows from %s%s: set these, as @p{%s=…}", name, pf_text_get(&names),
            moving ? " and the motion" : "", first);
  else if (moving) pf_hint(ctx, "'%s' is defined by 'let' and follows from the motion alone", name);
  else
    pf_hint(ctx, "'%s' is a constant of the text, by 'let': change it there, or write 'param' in its place unless it "
                 "counts something", name);
  pf_text_free(&names);
}

static void hint_similar(PfContext *ctx, const PfModel *model, const char *name)
{
  const char *similar = NULL;
  int best = 0;
  for (int k = 0; k < model->parameter_count; k++)
    if (is_settable(model->parameters + k) && pf_name_is_nearer(name, model->parameters[k].name, &best))
      similar = model->parameters[k].name;
  if (similar) pf_hint(ctx, "did you mean '%s'?", similar);
}

void pf_task_hint_parameter(PfContext *ctx, const PfModel *model, const char *name)
{
  int size = list_size(model, name);
  PfPlot plot;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  if (size) pf_hint(ctx, "it is a list: give %s[1] to %s[%d], each on its own", name, name, size);
  else if (pf_task_is_input(model, name))
    pf_hint(ctx, "'%s' is an input: @input{%s=…} holds it; or write 'param' and 'input %s = …' in the model", name,
            name, name);
  else if (pf_model_find_coordinate(model, name) >= 0)
    pf_hint(ctx, "'%s' is a coordinate: @state{%s=…} says where it starts", name, name);
  else if (pf_task_is_start(model, name))
    pf_hint(ctx, "'%s' is a velocity: @state{\"%s=…\"} gives its start", name, name);
  else if (arena && find_definition(ctx, arena, model, name, &plot)) hint_definition(ctx, model, name, &plot);
  else hint_similar(ctx, model, name);
  pf_arena_free(arena);
}

/* ---------------------------------------------------------------- setting */

/* One option while it is read. */
typedef struct Given {
  PfContext *ctx;
  const PfModel *model;
  const char *text; /* m=2, as it was given */
  char name[PF_LONGEST_NAME];
  double *values;
} Given;

static PfStatus set(const Given *g, int i, const char *value)
{
  char what[256];
  if (!isnan(g->values[i]))
    return pf_fail(g->ctx, PF_ERR_ARGUMENT, "@p{%s}: '%s' is given twice", g->text, g->model->parameters[i].name);
  snprintf(what, sizeof what, "p %s", g->text);
  const char *unit = pf_model_measure(g->model, g->model->parameters[i].name).unit;
  return pf_constant_read_for(g->ctx, what, value, unit, g->values + i);
}

/* U=0: all of a list; U=1,2,3: one after another. */
static PfStatus set_list(const Given *g, PfArena *arena, const char *value, int size)
{
  const char *text = value;
  int count = 1;
  for (text = pf_piece_end(text, ","); *text; text = pf_piece_end(text + 1, ",")) count++;
  if (count != 1 && count != size)
    return pf_fail(g->ctx, PF_ERR_ARGUMENT, "@p{%s}: '%s' is a list of %d, and these are %d values", g->text, g->name,
                   size, count);
  for (int i = 1; i <= size; i++) {
    const char *end = pf_piece_end(value, ",");
    const char *piece = pf_arena_text(arena, value, (size_t)(end - value));
    if (!piece) return pf_no_room(g->ctx, "parameters");
    PF_TRY(set(g, find_element(g->model, g->name, i), piece));
    if (count > 1) value = end + 1;
  }
  return PF_OK;
}

static PfStatus set_parameter(Given *g, PfArena *arena)
{
  const char *value;
  if (!pf_task_split(g->text, g->name, &value))
    return pf_fail(g->ctx, PF_ERR_ARGUMENT, "@p{%s}: write name=value", g->text);
  int i = pf_model_find_parameter(g->model, g->name), size = list_size(g->model, g->name);
  if (i >= 0 && is_settable(g->model->parameters + i)) return set(g, i, value);
  if (size) return set_list(g, arena, value, size);
  pf_fail(g->ctx, PF_ERR_NAME, "@p{%s}: the model has no parameter '%s'", g->text, g->name);
  pf_task_hint_parameter(g->ctx, g->model, g->name);
  return PF_ERR_ARGUMENT;
}

double *pf_task_parameters(PfContext *ctx, PfArena *arena, const PfModel *model, const PfRequest *options)
{
  Given g = {.ctx = ctx, .model = model, .values = pf_arena_array(arena, double, model->parameter_count)};
  if (!g.values) {
    pf_no_room(ctx, "parameters");
    return NULL;
  }
  for (int i = 0; i < model->parameter_count; i++) g.values[i] = NAN;
  for (int i = 0; i < options->parameters.count; i++) {
    g.text = options->parameters.at[i];
    if (set_parameter(&g, arena) != PF_OK) return NULL;
  }
  return g.values;
}
