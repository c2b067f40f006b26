/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities in numbers along a run. */
#include "time/time_impl.h"

#include <string.h>

/* Inputs of the tape: the symbols of the system, accelerations, what a sample has of the whole (SUMMARY), what events
 * hold, which of the rows hold that they attach, and the sides of the surfaces at which forces switch. */
enum { SUMMARY = 4 };
struct PfReadings {
  PfArena *arena;
  const PfSystem *system;
  PfSwitches switches; /* of the equations, when something that is read may switch */
  PfTape *tape, *surfaces;
  double *in, *work, *sides;
  int a, summary, held, active, side; /* where they begin in `in` */
};

/* As a sample has them: energies need not be worked out again. */
static const char *const summary_names[SUMMARY] = {"sampled(kinetic)", "sampled(potential)", "violation_position()",
                                                   "violation_velocity()"};

static PfStatus take_sampled(PfContext *ctx, PfExpr *roots, int count)
{
  PfExpr own[2] = {pf_expr_symbol(ctx, "kinetic()"), pf_expr_symbol(ctx, "potential()")};
  PfExpr sampled[2] = {pf_expr_symbol(ctx, summary_names[0]), pf_expr_symbol(ctx, summary_names[1])};
  return pf_expr_substitute(ctx, roots, count, own, sampled, 2, roots);
}

static PfStatus list_inputs(PfContext *ctx, PfReadings *r, PfExpr **list, int *count)
{
  const PfEquations *eq = pf_system_equations(r->system);
  const PfSymbols *known = pf_system_symbols(r->system);
  int k = known->count;
  PfExpr *in = *list = pf_arena_array(r->arena, PfExpr, k + 2*eq->n + eq->m + SUMMARY + r->switches.count);
  if (!in) return pf_no_room(ctx, "what is shown");
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
  r->side = k;
  for (int i = 0; i < r->switches.count; i++) in[k++] = r->switches.at[i].side;
  *count = k;
  return PF_OK;
}

/* What sticks makes the sign of a velocity that is zero another number than the formula: the surfaces are needed. */
static PfStatus find_switches(PfContext *ctx, PfReadings *r, const PfExpr *roots, int count)
{
  bool may;
  PF_TRY(pf_may_switch(ctx, r->arena, roots, count, &may));
  return may ? pf_switches_find(ctx, r->arena, pf_system_equations(r->system), &r->switches) : PF_OK;
}

/* Whose signs the sides are when a sample does not tell them. */
static PfStatus make_surfaces(PfContext *ctx, PfReadings *r, const PfExpr *in, int in_count)
{
  int count = r->switches.count;
  PfExpr *roots = pf_arena_array(r->arena, PfExpr, count);
  if (!count) return PF_OK;
  if (!roots) return pf_no_room(ctx, "what is shown");
  for (int i = 0; i < count; i++) roots[i] = pf_expr_call1(ctx, PF_OP_SIGN, r->switches.at[i].surface);
  return pf_tape_new(ctx, in, in_count, roots, count, &r->surfaces);
}

static size_t work_size(const PfReadings *r)
{
  size_t main = pf_tape_work_size(r->tape), other = r->surfaces ? pf_tape_work_size(r->surfaces) : 0;
  return main > other ? main : other;
}

static PfStatus make(PfContext *ctx, PfReadings *r, const double *values, const PfExpr *list, int count)
{
  PfExpr *in = NULL, *roots = pf_arena_array(r->arena, PfExpr, count);
  int in_count = 0;
  if (!roots) return pf_no_room(ctx, "what is shown");
  if (count) memcpy(roots, list, (size_t)count*sizeof *roots);
  PF_TRY(take_sampled(ctx, roots, count));
  PF_TRY(pf_equations_express(ctx, r->arena, pf_system_equations(r->system), roots, count));
  PF_TRY(pf_insert_inputs(ctx, pf_system_equations(r->system)->model, roots, (size_t)count));
  PF_TRY(find_switches(ctx, r, roots, count)); /* forces of locks switch with what acts on them */
  PF_TRY(list_inputs(ctx, r, &in, &in_count));
  PF_TRY(pf_switches_insert(ctx, r->arena, &r->switches, roots, count));
  PF_TRY(pf_tape_new(ctx, in, in_count, roots, count, &r->tape));
  PF_TRY(make_surfaces(ctx, r, in, in_count));
  r->in = pf_arena_array(r->arena, double, in_count);
  r->work = pf_arena_array(r->arena, double, work_size(r));
  r->sides = pf_arena_array(r->arena, double, r->switches.count);
  if (!r->in || !r->work || !r->sides) return pf_no_room(ctx, "what is shown");
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
    return pf_no_room(ctx, "what is shown");
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

static void take_sides(PfReadings *r, const PfSample *sample)
{
  const double *sides = sample->sides ? sample->sides : r->sides;
  if (!r->switches.count) return;
  if (!sample->sides) pf_tape_run(r->surfaces, r->in, r->sides, r->work);
  memcpy(r->in + r->side, sides, (size_t)r->switches.count*sizeof *sides);
}

void pf_readings_take(PfReadings *r, const PfSample *sample, double *numbers)
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
  take_sides(r, sample);
  pf_tape_run(r->tape, in, numbers, r->work);
}
