/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities in numbers along a run. */
#include "time/time_impl.h"

#include <string.h>

/* Inputs of the tape: the symbols of the system, accelerations, the summary of a sample (SUMMARY), the coordinates that
 * events hold, the active rows among those that events attach, and the modes of the surfaces at which forces switch. */
enum { SUMMARY = 4 };
struct PfReadings {
  PfArena *arena;
  const PfSystem *system;
  PfSwitches switches; /* of the equations, when something that is read may switch */
  PfTape *tape, *surfaces;
  double *in, *work, *modes;
  int a, summary, held, active, mode; /* where they begin in `in` */
};

/* As a sample has them: energies need not be worked out again. */
static const char *const summary_names[SUMMARY] = {"sampled(kinetic)", "sampled(potential)", "violation_position()",
                                                   "violation_velocity()"};

static PfStatus list_inputs(PfContext *ctx, PfReadings *r, PfExpr **list, int *count)
{
  const PfEquations *eq = pf_system_equations(r->system);
  const PfSymbols *known = pf_system_symbols(r->system);
  int k = known->count;
  PfExpr *in = *list = pf_arena_array(r->arena, PfExpr, k + 2*eq->n + eq->m + SUMMARY + r->switches.count);
  if (!in) return pf_no_room(ctx, "quantities");
  memcpy(in, known->symbol, (size_t)k*sizeof *in);
  r->a = k;
  for (int i = 0; i < eq->n; i++) in[k++] = eq->model->coordinates[i].a;
  r->summary = k;
  for (int i = 0; i < SUMMARY; i++) in[k++] = pf_expr_symbol(ctx, summary_names[i]);
  r->held = k;
  for (int i = 0; i < eq->n; i++) in[k++] = eq->model->coordinates[i].held;
  r->active = k;
  for (int i = 0; i < eq->m; i++)
    if (eq->model->constraints[i].attached) in[k++] = eq->model->constraints[i].active;
  r->mode = k;
  for (int i = 0; i < r->switches.count; i++) in[k++] = r->switches.at[i].mode;
  *count = k;
  return PF_OK;
}

static PfStatus make(PfContext *ctx, PfReadings *r, const double *values, const PfExpr *list, int count)
{
  const PfEquations *eq = pf_system_equations(r->system);
  const PfExpr own[2] = {pf_expr_symbol(ctx, "kinetic()"), pf_expr_symbol(ctx, "potential()")};
  const PfExpr sampled[2] = {pf_expr_symbol(ctx, summary_names[0]), pf_expr_symbol(ctx, summary_names[1])};
  PfExpr *in = NULL, *roots = pf_arena_array(r->arena, PfExpr, count);
  int in_count = 0;
  bool may;
  if (!roots) return pf_no_room(ctx, "quantities");
  if (count) memcpy(roots, list, (size_t)count*sizeof *roots);
  PF_TRY(pf_expr_substitute(ctx, roots, count, own, sampled, 2, roots));
  PF_TRY(pf_equations_express(ctx, r->arena, eq, roots, count));
  PF_TRY(pf_insert_inputs(ctx, eq->model, roots, (size_t)count));
  /* Forces of locks switch with the forces on them. With sticking, the sign of a velocity that is zero differs from the
   * value of the formula: the surfaces are needed. */
  PF_TRY(pf_may_switch(ctx, r->arena, roots, count, &may));
  if (may) PF_TRY(pf_switches_find(ctx, r->arena, eq, &r->switches));
  PF_TRY(list_inputs(ctx, r, &in, &in_count));
  PF_TRY(pf_switches_insert(ctx, r->arena, &r->switches, roots, count));
  PF_TRY(pf_tape_new(ctx, in, in_count, roots, count, &r->tape));
  size_t work = pf_tape_work_size(r->tape);
  const int surfaces = r->switches.count;
  if (surfaces) { /* the functions whose signs are the modes when a sample does not contain these */
    PfExpr *signs = pf_arena_array(r->arena, PfExpr, surfaces);
    if (!signs) return pf_no_room(ctx, "quantities");
    for (int i = 0; i < surfaces; i++) signs[i] = pf_expr_call1(ctx, PF_OP_SIGN, r->switches.at[i].surface);
    PF_TRY(pf_tape_new(ctx, in, in_count, signs, surfaces, &r->surfaces));
    if (pf_tape_work_size(r->surfaces) > work) work = pf_tape_work_size(r->surfaces);
  }
  r->in = pf_arena_array(r->arena, double, in_count);
  r->work = pf_arena_array(r->arena, double, work);
  r->modes = pf_arena_array(r->arena, double, surfaces);
  if (!r->in || !r->work || !r->modes) return pf_no_room(ctx, "quantities");
  memcpy(r->in, values, (size_t)pf_system_symbols(r->system)->count*sizeof *values);
  return PF_OK;
}

PfStatus pf_readings_new(PfContext *ctx, const PfSystem *system, const double *values, const PfExpr *list, int count,
                         PfReadings **readings)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfReadings *r = arena ? pf_arena_array(arena, PfReadings, 1) : NULL;
  *readings = NULL;
  if (!r) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "quantities");
  }
  *r = (PfReadings){.arena = arena, .system = system};
  PfStatus status = make(ctx, r, values, list, count);
  if (status == PF_OK) *readings = r;
  else pf_readings_free(r);
  return status;
}

void pf_readings_free(PfReadings *r)
{
  if (!r) return;
  pf_tape_free(r->tape);
  pf_tape_free(r->surfaces);
  pf_arena_free(r->arena);
}

void pf_readings_set_inputs(PfReadings *r, const double *inputs)
{
  const PfModel *model = pf_system_equations(r->system)->model;
  double *in = r->in + pf_system_symbols(r->system)->inputs;
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value == PF_EXPR_NONE) in[i] = inputs[i];
}

static void set_modes(PfReadings *r, const PfSample *sample)
{
  const double *modes = sample->modes ? sample->modes : r->modes;
  if (!r->switches.count) return;
  if (!sample->modes) pf_tape_run(r->surfaces, r->in, r->modes, r->work);
  memcpy(r->in + r->mode, modes, (size_t)r->switches.count*sizeof *modes);
}

void pf_readings_evaluate(PfReadings *r, const PfSample *sample, double *numbers)
{
  const PfEquations *eq = pf_system_equations(r->system);
  const PfSymbols *known = pf_system_symbols(r->system);
  size_t n = (size_t)eq->n, m = (size_t)eq->m, p = (size_t)eq->model->parameter_count;
  double *in = r->in, *active = in + r->active;
  if (sample->parameters && p) memcpy(in + known->parameters, sample->parameters, p*sizeof *in);
  in[known->time] = sample->t;
  if (n) memcpy(in + known->q, sample->q, n*sizeof *in);
  if (n) memcpy(in + known->v, sample->v, n*sizeof *in);
  if (n) memcpy(in + r->a, sample->a, n*sizeof *in);
  if (m) memcpy(in + known->lambda, sample->multiplier, m*sizeof *in);
  const double summary[SUMMARY] = {sample->kinetic, sample->potential, sample->position, sample->velocity};
  memcpy(in + r->summary, summary, sizeof summary);
  for (size_t i = 0; i < n; i++) in[(size_t)r->held + i] = sample->held && sample->held[i];
  for (size_t k = 0; k < m; k++)
    if (eq->model->constraints[k].attached) *active++ = !sample->active || sample->active[k];
  set_modes(r, sample);
  pf_tape_run(r->tape, in, numbers, r->work);
}
