/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities of a model that are asked for beside it: "x, theta [deg]; pos(w)". They are read in a scope inside the
 * outermost one of the model, whose names the model has kept. */
#include "base/spelling.h"
#include "lang/check_impl.h"
#include "lang/given.h"

#include <string.h>

typedef struct Asked {
  PfContext *ctx;
  PfArena *arena, *work; /* of the result; of what is read */
  const PfModel *model;
  PfSource *text;        /* the quantities */
  const PfGivenName *given;
  int given_count;
  PfPlot *plots;
  int count;
} Asked;

/* Checks the list in the names of the model, with those that the caller gives besides. */
static PfStatus check_quantities(Asked *a, Checker *ck)
{
  PfNode *tree = NULL;
  ck->global = pf_scope_new(ck, ck->global, NULL, "", "");
  if (!ck->global) return PF_ERR_MEMORY;
  if (pf_parse_quantities(a->text, &tree) != PF_OK) return tree ? PF_ERR_ARGUMENT : PF_ERR_MEMORY;
  /* Like what only the equations know, numbers of the caller have no derivative; formulas do. */
  for (int i = 0; i < a->given_count; i++) {
    PfExpr value = a->given[i].value;
    if (value == PF_EXPR_NONE) {
      value = pf_expr_symbol(a->ctx, a->given[i].name);
      pf_set_contents(ck, value, HAS_ACCELERATION);
    }
    PfUnit unit;
    const char *text = a->given[i].unit;
    Dim dim = pf_dim_unknown();
    if (*text && pf_unit_parse(ck->ctx, (PfPlace){0}, text, &unit) == PF_OK) {
      dim = (Dim){.known = true, .of = unit.dimension};
      if (a->given[i].summed) dim = pf_dim_multiply(dim, pf_dim_make(0, 0, 1));
    }
    pf_scope_bind(ck, ck->global, tree, a->given[i].name, pf_scalar_value(value, dim));
  }
  for (const PfNode *list = tree->child; list; list = list->next) pf_check_plot(ck, ck->global, list);
  pf_check_multipliers(ck);
  if (pf_error_count(a->ctx) != ck->errors_before) return PF_ERR_ARGUMENT;
  if (ck->out_of_memory) return pf_no_room(a->ctx, "what is shown");
  PF_TRY(pf_expr_check(a->ctx));
  a->count = (int)ck->plots.count;
  a->plots = pf_arena_array(a->arena, PfPlot, a->count);
  if (!a->plots) return pf_no_room(a->ctx, "what is shown");
  memcpy(a->plots, ck->plots.at, ck->plots.count*sizeof *a->plots);
  return pf_settle_plots(ck->model, a->work, a->plots, a->count);
}

/* A checker with the lists of the model's own, of which reading quantities changes none, and with new ones for all that
 * it adds. */
static PfStatus read_quantities(Asked *a)
{
  const Checker *of = &a->model->names->ck;
  PfModel model = *a->model;
  Checker ck = *of;
  model.arena = a->arena;
  ck.ctx = a->ctx;
  ck.model = &model;
  ck.source = a->text;
  ck.arena = a->work;
  ck.allocator = pf_context_allocator(a->ctx);
  memset(&ck.scopes, 0, sizeof ck.scopes);
  memset(&ck.plots, 0, sizeof ck.plots);
  memset(&ck.multiplier_uses, 0, sizeof ck.multiplier_uses);
  memset(&ck.classes, 0, sizeof ck.classes);
  ck.asked = true;
  ck.kept_line = 0;
  ck.errors_before = pf_error_count(a->ctx);
  /* The classes of expressions go on from those of the model: this list grows and is a copy. */
  bool room = pf_reserve(ck.allocator, &ck.classes, of->classes.count);
  if (room) memcpy(ck.classes.at, of->classes.at, of->classes.count*sizeof *of->classes.at);
  ck.classes.count = room ? of->classes.count : 0;
  PfStatus status = room ? check_quantities(a, &ck) : pf_no_room(a->ctx, "what is shown");
  for (size_t i = 0; i < ck.scopes.count; i++) pf_map_free(&ck.scopes.at[i]->names);
  pf_array_free(ck.allocator, &ck.scopes);
  pf_array_free(ck.allocator, &ck.plots);
  pf_array_free(ck.allocator, &ck.multiplier_uses);
  pf_array_free(ck.allocator, &ck.classes);
  return status;
}

PfStatus pf_quantities_read_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfPlot **plots,
                                  int *count)
{
  PfSource source;
  Asked a = {.ctx = ctx, .arena = arena, .work = pf_arena_new(pf_context_allocator(ctx)), .model = model,
             .text = &source, .given = given, .given_count = given_count};
  *plots = NULL;
  *count = 0;
  const char *file = a.work ? pf_spell(ctx, a.work, "@%s", what) : NULL;
  if (!file) {
    pf_arena_free(a.work);
    return pf_no_room(ctx, "what is shown");
  }
  PfStatus status = pf_source_init_value(&source, ctx, a.work, file, *what == ' ' ? NULL : pf_setting_name(what), text,
                                         strlen(text));
  if (status == PF_ERR_SYNTAX) status = PF_ERR_ARGUMENT; /* bytes that are not text: the list is wrong, not the model */
  if (status == PF_OK) status = read_quantities(&a);
  pf_source_free(&source);
  pf_arena_free(a.work);
  if (status != PF_OK) return status;
  *plots = a.plots;
  *count = a.count;
  return PF_OK;
}

PfStatus pf_quantities_read(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *text,
                            PfPlot **plots, int *count)
{
  return pf_quantities_read_given(ctx, arena, model, what, text, NULL, 0, plots, count);
}
