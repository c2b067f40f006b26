/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a model. */
#include "model/model.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[] = {
#define ENTRY(kind, name) name,
  PF_CONSTRAINT_KINDS(ENTRY)
#undef ENTRY
};

const char *pf_constraint_kind_name(PfConstraintKind kind)
{
  return kind_names[kind];
}

static void free_one(PfModel *model)
{
  if (model->free_names) model->free_names((struct PfNames *)(uintptr_t)model->names);
  pf_arena_free(model->arena); /* the model itself lives in its arena */
}

void pf_model_free(PfModel *model)
{
  if (!model) return;
  if (model->complete && model->complete != model) free_one(model->complete);
  free_one(model);
}

int pf_model_find_parameter(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->parameter_count; i++)
    if (!strcmp(model->parameters[i].name, name)) return i;
  return -1;
}

int pf_model_find_coordinate(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->coordinate_count; i++)
    if (!strcmp(model->coordinates[i].name, name)) return i;
  return -1;
}

/* ---------------------------------------------------------------- time derivative */

/* symbols and rates: room for 2*coordinates + inputs + followers + 1. */
static PfStatus list_rates(const PfModel *model, PfExpr *symbols, PfExpr *rates, int *count)
{
  PfContext *ctx = model->ctx;
  int n = 0;
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    symbols[n] = c->q, rates[n++] = c->v;
    symbols[n] = c->v, rates[n++] = c->a;
  }
  for (int i = 0; i < model->input_count; i++) {
    const PfInput *input = model->inputs + i;
    symbols[n] = input->symbol;
    rates[n] = input->value ? pf_expr_diff(ctx, input->value, model->time) : PF_EXPR_NONE;
    n += rates[n] != PF_EXPR_NONE;
  }
  for (int i = 0; i < model->follower_count; i++)
    symbols[n] = model->followers[i].symbol, rates[n++] = model->followers[i].rate;
  symbols[n] = model->time, rates[n++] = pf_expr_int(ctx, 1);
  *count = n;
  return PF_OK;
}

PfStatus pf_model_check_inputs(const PfModel *model, const PfExpr *e, int count)
{
  for (int i = 0; i < model->input_count; i++) {
    if (model->inputs[i].value) continue;
    for (int k = 0; k < count; k++)
      if (pf_expr_depends(model->ctx, e[k], &model->inputs[i].symbol, 1)) {
        pf_fail_at(model->ctx, PF_ERR_MODEL, model->inputs[i].place,
                   "the time derivative of input '%s' is needed, but it has no function of time",
                   model->inputs[i].name);
        pf_hint(model->ctx, "give it one, input %s = sin(t), and leave it so (--inputs)", model->inputs[i].name);
        return PF_ERR_MODEL;
      }
  }
  return PF_OK;
}

static PfStatus time_derivative(const PfModel *model, PfArena *scratch, const PfExpr *e, int count,
                                PfExpr *out)
{
  size_t most = 2*(size_t)model->coordinate_count + (size_t)model->input_count + (size_t)model->follower_count + 1;
  PfExpr *symbols = pf_arena_array(scratch, PfExpr, most), *rates = pf_arena_array(scratch, PfExpr, most);
  if (!symbols || !rates) return pf_no_room(model->ctx, "derivatives");
  int n;
  PF_TRY(pf_model_check_inputs(model, e, count));
  PF_TRY(list_rates(model, symbols, rates, &n));
  return pf_expr_derive_along(model->ctx, e, count, symbols, rates, n, out);
}

PfStatus pf_model_time_derivative(const PfModel *model, const PfExpr *e, int count, PfExpr *out)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = time_derivative(model, scratch, e, count, out);
  pf_arena_release(scratch, mark);
  return status;
}

/* ---------------------------------------------------------------- gradient */

/* With an angular velocity: along the rates of what follows it, for each component alone. */
static PfStatus add_followers(const PfModel *model, PfArena *scratch, PfExpr e, PfExpr *gradient)
{
  PfContext *ctx = model->ctx;
  PfExpr *symbols = pf_arena_array(scratch, PfExpr, model->follower_count);
  PfExpr *slopes = pf_arena_array(scratch, PfExpr, model->follower_count);
  if (!symbols || !slopes) return pf_no_room(ctx, "derivatives");
  for (int i = 0; i < model->follower_count; i++) symbols[i] = model->followers[i].symbol;
  PF_TRY(pf_expr_gradient(ctx, e, symbols, model->follower_count, slopes));
  for (int i = 0; i < model->follower_count; i++) {
    if (pf_expr_is_structural_zero(ctx, slopes[i])) continue;
    for (int j = 0; j < model->coordinate_count; j++) {
      if (!model->coordinates[j].quasi) continue;
      PfExpr along = pf_expr_diff(ctx, model->followers[i].rate, model->coordinates[j].v);
      gradient[j] = pf_expr_add(ctx, gradient[j], pf_expr_mul(ctx, slopes[i], along));
    }
  }
  return pf_expr_check(ctx);
}

static PfStatus gradient_of(const PfModel *model, PfArena *scratch, PfExpr e, PfExpr *gradient)
{
  int n = model->coordinate_count;
  PfExpr *q = pf_arena_array(scratch, PfExpr, n);
  if (!q) return pf_no_room(model->ctx, "derivatives");
  for (int i = 0; i < n; i++) q[i] = model->coordinates[i].q;
  PF_TRY(pf_expr_gradient(model->ctx, e, q, n, gradient));
  return model->follower_count ? add_followers(model, scratch, e, gradient) : PF_OK;
}

PfStatus pf_model_gradient(const PfModel *model, PfExpr e, PfExpr *gradient)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = gradient_of(model, scratch, e, gradient);
  pf_arena_release(scratch, mark);
  return status;
}

/* ---------------------------------------------------------------- parameters */

/* The derived parameters in order, each written out in the values of the ones after it. */
PfStatus pf_model_expand(const PfModel *model, const PfExpr *e, int count, PfExpr *out)
{
  if (out != e) memcpy(out, e, (size_t)count*sizeof *out);
  for (int k = model->parameter_count; k-- > 0;) { /* later ones first: they may contain earlier ones */
    const PfParameter *p = model->parameters + model->parameter_order[k];
    if (p->derived)
      PF_TRY(pf_expr_substitute(model->ctx, out, count, &p->symbol, &p->value, 1, out));
  }
  return PF_OK;
}

/* Arbitrary but the same in every run; positive and of size one, like most parameters. */
static double generic_value(int i)
{
  double x = (i + 1)*0.61803398874989484820;
  return 0.5 + (x - floor(x));
}

/* Evaluates with the few parameters that occur in the expression; index[symbol] is the number of a parameter + 1. */
static PfStatus evaluate_parameter(const PfModel *model, PfArena *scratch, const int *index, double *values, int i)
{
  const PfParameter *p = model->parameters + i;
  PfExpr *symbols;
  int node_count, count = 0;
  PF_TRY(pf_expr_reach(model->ctx, scratch, &p->value, 1, &symbols, &node_count));
  double *given = pf_arena_array(scratch, double, node_count);
  if (!given) return pf_no_room(model->ctx, "parameters");
  for (int k = 0; k < node_count; k++) {
    if (!index[symbols[k]]) continue;
    given[count] = values[index[symbols[k]] - 1];
    symbols[count++] = symbols[k];
  }
  PF_TRY(pf_expr_evaluate(model->ctx, &p->value, 1, symbols, given, count, values + i));
  if (isfinite(values[i])) return PF_OK;
  return pf_fail_at(model->ctx, PF_ERR_NUMBER, p->place, "the value of '%s' is not a finite number", p->name);
}

static PfStatus parameter_value(const PfModel *model, PfArena *scratch, const int *index, double *values, int i,
                                PfMissing missing)
{
  const PfParameter *p = model->parameters + i;
  if (p->value == PF_EXPR_NONE) {
    values[i] = generic_value(i);
    if (missing == PF_MISSING_GENERIC) return PF_OK;
    pf_fail_at(model->ctx, PF_ERR_MODEL, p->place, "parameter '%s' has no value", p->name);
    pf_hint(model->ctx, "write 'param %s = …', or give it on the command line: -p %s=…", p->name, p->name);
    return PF_ERR_MODEL;
  }
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = evaluate_parameter(model, scratch, index, values, i);
  pf_arena_release(scratch, mark);
  return status;
}

/* The table may have grown far beyond what parameters are made of: operands come before what uses them. */
static PfExpr last_handle(const PfModel *model)
{
  PfExpr last = 0;
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (p->symbol > last) last = p->symbol;
    if (p->value != PF_EXPR_NONE && p->value > last) last = p->value;
  }
  return last;
}

static PfStatus parameter_values(const PfModel *model, PfArena *scratch, const double *given,
                                 PfMissing missing, double *values)
{
  int *index = pf_arena_array(scratch, int, (size_t)last_handle(model) + 1);
  if (!index) return pf_no_room(model->ctx, "parameters");
  for (int i = 0; i < model->parameter_count; i++) {
    index[model->parameters[i].symbol] = i + 1;
    values[i] = NAN;
  }
  for (int k = 0; k < model->parameter_count; k++) {
    int i = model->parameter_order[k];
    if (given && !isnan(given[i])) values[i] = given[i];
    else PF_TRY(parameter_value(model, scratch, index, values, i, missing));
  }
  return PF_OK;
}

PfStatus pf_model_parameter_values(const PfModel *model, const double *given, PfMissing missing,
                                   double *values)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = parameter_values(model, scratch, given, missing, values);
  pf_arena_release(scratch, mark);
  return status;
}
