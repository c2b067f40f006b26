/* SPDX-License-Identifier: Apache-2.0 */
/* The model as data: names, lookup, values of parameters, total time derivatives and gradients of expressions along
 * the coordinates of the model. */
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The text is static. */
const char *pf_constraint_kind_name(PfConstraintKind kind)
{
  static const char *const names[] = {
#define ENTRY(kind, name) name,
    PF_CONSTRAINT_KINDS(ENTRY)
#undef ENTRY
  };
  return names[kind];
}

/* The names and the arena of one model. */
static void free_one(PfModel *model)
{
  if (model->free_names) model->free_names((struct PfNames *)(uintptr_t)model->names);
  pf_arena_free(model->arena); /* the model itself lives in its arena */
}

/* The complete model belongs to the model unless it is the model itself; a fork without names of its own frees none. */
void pf_model_free(PfModel *model)
{
  if (!model) return;
  if (model->complete && model->complete != model) free_one(model->complete);
  free_one(model);
}

/* The number of the parameter with the name, or -1. */
int pf_model_find_parameter(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->parameter_count; i++)
    if (!strcmp(model->parameters[i].name, name)) return i;
  return -1;
}

/* The number of the coordinate with the name, or -1. */
int pf_model_find_coordinate(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->coordinate_count; i++)
    if (!strcmp(model->coordinates[i].name, name)) return i;
  return -1;
}

/* ---------------------------------------------------------------- time derivative */

/* Do velocities change along the motion? */
typedef enum Motion { WITH_CONSTANT_VELOCITIES, WITH_ACCELERATIONS } Motion;

/* Everything that changes along a motion with constant velocities, and its rate: coordinates with `velocity` (NULL:
 * their symbols), inputs, time, and auxiliary states; *n: how many. */
static PfStatus list_rates(const PfModel *model, const PfExpr *velocity, PfExpr *symbols, PfExpr *rates, int *n)
{
  PfContext *ctx = model->ctx;
  int k = 0;
  for (int i = 0; i < model->coordinate_count; i++) {
    symbols[k] = model->coordinates[i].q;
    rates[k++] = velocity ? velocity[i] : model->coordinates[i].v;
  }
  for (int i = 0; i < model->input_count; i++) {
    const PfInput *input = model->inputs + i;
    if (input->value) symbols[k] = input->symbol, rates[k++] = pf_expr_diff(ctx, input->value, model->time);
  }
  symbols[k] = model->time, rates[k++] = pf_expr_int(ctx, 1);
  const int first = k, auxiliaries = model->auxiliary_count;
  for (int i = 0; i < auxiliaries; i++)
    symbols[k] = model->auxiliaries[i].symbol, rates[k++] = model->auxiliaries[i].rate;
  *n = k;
  if (!velocity || !auxiliaries) return PF_OK;
  return pf_put_velocities(model, velocity, rates + first, auxiliaries, rates + first);
}

/* The symbols of all velocities and as many zeros, in scratch memory. */
static PfStatus list_velocities(const PfModel *model, PfArena *scratch, PfExpr **symbols, PfExpr **zeros)
{
  const int n = model->coordinate_count;
  PF_TRY(pf_arrays(model->ctx, scratch, "velocities", PF_ROOM(*symbols, n), PF_ROOM(*zeros, n)));
  for (int i = 0; i < n; i++) (*symbols)[i] = model->coordinates[i].v, (*zeros)[i] = pf_expr_int(model->ctx, 0);
  return PF_OK;
}

/* A simultaneous substitution: velocities may contain the symbols that they replace. */
PfStatus pf_put_velocities(const PfModel *model, const PfExpr *velocity, const PfExpr *e, int count, PfExpr *out)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *symbols, *zeros;
  PfStatus status = list_velocities(model, scratch, &symbols, &zeros);
  if (status == PF_OK)
    status = pf_expr_substitute(model->ctx, e, count, symbols, velocity ? velocity : zeros, model->coordinate_count,
                                out);
  pf_arena_release(scratch, mark);
  return status;
}

/* gradient[j] = de/dx'_j, n of them, in the order of the coordinates. */
PfStatus pf_velocity_gradient(const PfModel *model, PfExpr e, PfExpr *gradient)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *symbols, *zeros;
  PfStatus status = list_velocities(model, scratch, &symbols, &zeros);
  if (status == PF_OK) status = pf_expr_gradient(model->ctx, e, symbols, model->coordinate_count, gradient);
  pf_arena_release(scratch, mark);
  return status;
}

/* The derivatives of `count` expressions along a motion: sum over everything that changes of de/ds s'. With
 * accelerations the velocities change, too, by the symbols x''. The lists live in scratch memory. */
static PfStatus derive(const PfModel *model, const PfExpr *velocity, Motion motion, const PfExpr *e, int count,
                       PfExpr *out)
{
  const int n = model->coordinate_count, most = 2*n + model->input_count + model->auxiliary_count + 1;
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *symbols, *rates;
  int k;
  PfStatus status = pf_arrays(model->ctx, scratch, "derivatives", PF_ROOM(symbols, most), PF_ROOM(rates, most));
  if (status == PF_OK) status = list_rates(model, velocity, symbols, rates, &k);
  for (int i = 0; i < n && status == PF_OK && motion == WITH_ACCELERATIONS; i++)
    symbols[k] = model->coordinates[i].v, rates[k++] = model->coordinates[i].a;
  if (status == PF_OK) status = pf_expr_derive_along(model->ctx, e, count, symbols, rates, k, out);
  pf_arena_release(scratch, mark);
  return status;
}

/* A derivative without accelerations: A' v of a row of constraints, or the part of x'' that velocities alone cause. */
PfStatus pf_model_derive_along(const PfModel *model, const PfExpr *velocity, const PfExpr *e, int count, PfExpr *out)
{
  return derive(model, velocity, WITH_CONSTANT_VELOCITIES, e, count, out);
}

/* The first such input, in the order of declaration, is reported at its place, with a hint. */
PfStatus pf_model_check_inputs(const PfModel *model, const PfExpr *e, int count)
{
  for (int i = 0; i < model->input_count; i++) {
    if (model->inputs[i].value) continue;
    for (int k = 0; k < count; k++)
      if (pf_expr_depends(model->ctx, e[k], &model->inputs[i].symbol, 1)) {
        pf_fail_at(model->ctx, PF_ERR_MODEL, model->inputs[i].place,
                   "the time derivative of input '%s' is needed, but it has no function of time",
                   model->inputs[i].name);
        pf_hint(model->ctx, "give it one, input %s = sin(t), and leave it so (@inputs)", model->inputs[i].name);
        return PF_ERR_MODEL;
      }
  }
  return PF_OK;
}

/* e' = sum de/dq q' + sum de/dq' q'' + sum de/du u' + de/dt, and along auxiliary states by their rates. */
PfStatus pf_model_time_derivative(const PfModel *model, const PfExpr *e, int count, PfExpr *out)
{
  PF_TRY(pf_model_check_inputs(model, e, count));
  return derive(model, NULL, WITH_ACCELERATIONS, e, count, out);
}

/* ---------------------------------------------------------------- gradient */

/* With an angular velocity: the gradient along the rates of the auxiliary states that it drives, for each component
 * alone. */
static PfStatus add_auxiliaries(const PfModel *model, PfArena *scratch, PfExpr e, PfExpr *gradient)
{
  PfContext *ctx = model->ctx;
  PfExpr *symbols = pf_arena_array(scratch, PfExpr, model->auxiliary_count);
  PfExpr *slopes = pf_arena_array(scratch, PfExpr, model->auxiliary_count);
  if (!symbols || !slopes) return pf_no_room(ctx, "derivatives");
  for (int i = 0; i < model->auxiliary_count; i++) symbols[i] = model->auxiliaries[i].symbol;
  PF_TRY(pf_expr_gradient(ctx, e, symbols, model->auxiliary_count, slopes));
  for (int i = 0; i < model->auxiliary_count; i++) {
    if (pf_expr_is_structural_zero(ctx, slopes[i])) continue;
    for (int j = 0; j < model->coordinate_count; j++) {
      if (!model->coordinates[j].quasi) continue;
      PfExpr along = pf_expr_diff(ctx, model->auxiliaries[i].rate, model->coordinates[j].v);
      gradient[j] = pf_expr_add(ctx, gradient[j], pf_expr_mul(ctx, slopes[i], along));
    }
  }
  return pf_expr_check(ctx);
}

/* de/dq_i by differentiation; a component w_i of an angular velocity has no coordinate behind it: for it the change of
 * e along the turn is sum_k de/ds_k ds_k'/dw_i over the auxiliary states s of the body (pf_model_derive_along by a
 * single w_i = 1). */
PfStatus pf_model_gradient(const PfModel *model, PfExpr e, PfExpr *gradient)
{
  int n = model->coordinate_count;
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *q = pf_arena_array(scratch, PfExpr, n);
  for (int i = 0; i < n && q; i++) q[i] = model->coordinates[i].q;
  PfStatus status = q ? pf_expr_gradient(model->ctx, e, q, n, gradient) : pf_no_room(model->ctx, "derivatives");
  if (status == PF_OK && model->auxiliary_count) status = add_auxiliaries(model, scratch, e, gradient);
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

/* The value of parameter i from those before it, or the generic one. Of the parameters only the few that occur in the
 * expression are looked at: index[symbol] is the number of a parameter + 1. */
static PfStatus parameter_value(const PfModel *model, PfArena *scratch, const int *index, double *values, int i,
                                PfMissing missing)
{
  const PfParameter *p = model->parameters + i;
  if (p->value == PF_EXPR_NONE) {
    /* Arbitrary but the same in every run; positive and of size one, like most parameters. */
    double x = (i + 1)*0.61803398874989484820;
    values[i] = 0.5 + (x - floor(x));
    if (missing == PF_MISSING_GENERIC) return PF_OK;
    pf_fail_at(model->ctx, PF_ERR_MODEL, p->place, "parameter '%s' has no value", p->name);
    pf_hint(model->ctx, "write 'param %s = …', or give it on the command line: @p{%s=…}", p->name, p->name);
    return PF_ERR_MODEL;
  }
  PfExpr *symbols;
  double *given;
  int node_count, count = 0;
  PF_TRY(pf_expr_reach(model->ctx, scratch, &p->value, 1, &symbols, &node_count));
  PF_TRY(pf_arrays(model->ctx, scratch, "parameters", PF_ROOM(given, node_count)));
  for (int k = 0; k < node_count; k++) {
    assert(index); /* nodes that are reached are in the table */
    if (!index[symbols[k]]) continue;
    given[count] = values[index[symbols[k]] - 1];
    symbols[count++] = symbols[k];
  }
  PF_TRY(pf_expr_evaluate(model->ctx, &p->value, 1, symbols, given, count, values + i));
  if (isfinite(values[i])) return PF_OK;
  return pf_fail_at(model->ctx, PF_ERR_NUMBER, p->place, "the value of '%s' is not a finite number", p->name);
}

/* All parameters are evaluated in an order in which each comes after those from which it is made. */
PfStatus pf_model_parameter_values(const PfModel *model, const double *given, PfMissing missing,
                                   double *values)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  /* The table may have grown far beyond the expressions of the parameters: operands come before their users. */
  PfExpr last = 0;
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (p->symbol > last) last = p->symbol;
    if (p->value != PF_EXPR_NONE && p->value > last) last = p->value;
  }
  int *index;
  PfStatus status = pf_arrays(model->ctx, scratch, "parameters", PF_ROOM(index, (size_t)last + 1));
  for (int i = 0; i < model->parameter_count && index; i++) {
    index[model->parameters[i].symbol] = i + 1;
    values[i] = NAN;
  }
  for (int k = 0; k < model->parameter_count && status == PF_OK; k++) {
    int i = model->parameter_order[k];
    PfMark own = pf_arena_mark(scratch);
    if (given && !isnan(given[i])) values[i] = given[i];
    else status = parameter_value(model, scratch, index, values, i, missing);
    pf_arena_release(scratch, own);
  }
  pf_arena_release(scratch, mark);
  return status;
}
