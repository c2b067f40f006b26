/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities of a model that are asked for beside it: "x, theta [deg]; pos(w)". The model is read once more from its
 * text, because scopes and definitions are gone; symbols are the same, since they go by name. */
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

static Dim dimension_of(Checker *ck, const PfGivenName *given)
{
  PfUnit unit;
  const PfPlace nowhere = {0};
  if (!*given->unit || pf_unit_parse(ck->ctx, nowhere, given->unit, &unit) != PF_OK) return pf_dim_unknown();
  const Dim dim = {.known = true, .of = unit.dimension};
  return given->summed ? pf_dim_multiply(dim, pf_dim_make(0, 0, 1)) : dim;
}

/* Like what only the equations know, numbers of the caller have no derivative; formulas do. */
static void add_given(Asked *a, Checker *ck, const PfNode *node)
{
  for (int i = 0; i < a->given_count; i++) {
    PfExpr value = a->given[i].value;
    if (value == PF_EXPR_NONE) {
      value = pf_expr_symbol(a->ctx, a->given[i].name);
      pf_set_contents(ck, value, HAS_ACCELERATION);
    }
    pf_scope_bind(ck, ck->global, node, a->given[i].name, pf_scalar_value(value, dimension_of(ck, a->given + i)));
  }
}

static PfStatus check_quantities(Asked *a, Checker *ck)
{
  PfNode *tree = NULL;
  ck->source = a->text;
  ck->asked = true;
  ck->kept_line = 0;
  ck->plots.count = 0;
  ck->errors_before = pf_error_count(a->ctx);
  if (pf_parse_quantities(a->text, &tree) != PF_OK) return tree ? PF_ERR_ARGUMENT : PF_ERR_MEMORY;
  add_given(a, ck, tree);
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

/* What was said about the model when it was read is not said again. */
static PfStatus check_again(Asked *a, Checker *ck, const PfNode *tree)
{
  int before = pf_diagnostic_count(a->ctx);
  ck->errors_before = pf_error_count(a->ctx);
  PF_TRY(pf_check_tree(ck, tree));
  pf_diagnostics_cut(a->ctx, before);
  return PF_OK;
}

static Checker new_checker(const Asked *a, PfSource *source, PfModel *model)
{
  *model = (PfModel){.ctx = a->ctx, .arena = a->arena, .file = a->model->file};
  return (Checker){.ctx = a->ctx, .model = model, .source = source, .arena = a->work,
                   .allocator = pf_context_allocator(a->ctx)};
}

static PfStatus read_complete(Asked *a, PfSource *source, const PfNode *tree, const Checker *first)
{
  PfModel model;
  Checker ck = new_checker(a, source, &model);
  ck.complete = true;
  ck.releases.at = first->releases.at, ck.releases.count = first->releases.count;
  PfStatus status = check_again(a, &ck, tree);
  if (status == PF_OK) status = check_quantities(a, &ck);
  pf_check_release(&ck);
  return status;
}

static PfStatus read_all(Asked *a, PfSource *source)
{
  PfNode *tree = NULL;
  PfModel model;
  PF_TRY(pf_parse(source, &tree));
  Checker ck = new_checker(a, source, &model);
  PfStatus status = check_again(a, &ck, tree);
  if (status == PF_OK && a->model->is_complete) status = read_complete(a, source, tree, &ck);
  else if (status == PF_OK) status = check_quantities(a, &ck);
  pf_check_release(&ck);
  pf_array_free(ck.allocator, &ck.releases);
  return status;
}

static PfStatus read_with_source(Asked *a, const char *what, const char *text)
{
  PfSource source, asked;
  PF_TRY(pf_source_init(&source, a->ctx, a->work, a->model->file, a->model->text, a->model->text_size));
  PfStatus status = pf_source_init(&asked, a->ctx, a->work, what, text, strlen(text));
  /* bytes that are no text: what was asked is wrong, not the model */
  if (status == PF_ERR_SYNTAX) status = PF_ERR_ARGUMENT;
  a->text = &asked;
  if (status == PF_OK) status = read_all(a, &source);
  a->text = NULL;
  pf_source_free(&asked);
  pf_source_free(&source);
  return status;
}

PfStatus pf_quantities_read_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfPlot **plots,
                                  int *count)
{
  Asked a = {.ctx = ctx, .arena = arena, .work = pf_arena_new(pf_context_allocator(ctx)), .model = model,
             .given = given, .given_count = given_count};
  *plots = NULL;
  *count = 0;
  if (!a.work) return pf_no_room(ctx, "what is shown");
  PfStatus status = read_with_source(&a, what, text);
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
