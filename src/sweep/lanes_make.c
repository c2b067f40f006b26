/* SPDX-License-Identifier: Apache-2.0 */
/* Which sweeps can go in lanes, and the tapes for it: accelerations in closed form or of the recursion, corrections of
 * positions and velocities, outputs. Whatever these cannot do is left to simulations. */
#include "form/angles.h"
#include "form/closed.h"
#include "sim/quantities.h"
#include "sweep/lanes.h"
#include "sweep/settings.h"

#include <string.h>

typedef struct Maker {
  PfContext *ctx;
  PfArena *arena;  /* for good */
  PfArena *room;   /* until it is made */
  const PfSweep *sweep;
  PfSim *sim;
  const PfSystem *system;
  const PfEquations *eq;
  const PfSymbols *in;
  PfLaneEngine *e;
} Maker;

/* ---------------------------------------------------------------- whether */

/* Whether steps by dopri5 or rk4 are all that a member needs: forces that jump, events and conditions need a look at
 * every step; other methods need matrices. Notes the method in the engine. */
static bool is_plain(const Maker *k)
{
  const PfModel *model = pf_sim_model(k->sim);
  const PfRunOverrides *w = &k->sweep->run;
  const PfRunOptions run = {.method = w->method ? w->method : model->run.method};
  const char *name = pf_run_method(&run);
  PfSwitches switches;
  if (model->complete || model->run.until != PF_EXPR_NONE || w->formulation) return false;
  if (pf_sweep_setting(k->sweep, "as-given") || pf_sweep_setting(k->sweep, "vary")) return false;
  for (int i = 0; i < model->run.setting_count; i++)
    if (!strcmp(model->run.settings[i].key, "formulation")) return false;
  if (pf_switches_find(k->ctx, k->room, k->eq, &switches) != PF_OK || switches.count) return false;
  k->e->adaptive = !strcmp(name, "dopri5");
  k->e->by_default = !run.method;
  return k->e->adaptive || !strcmp(name, "rk4");
}

/* ---------------------------------------------------------------- motion */

/* A tape of the roots, whose inputs are the symbols up to the velocities. Angles that they share are evaluated once. */
static PfStatus make_tape(Maker *k, PfExpr *roots, int count, PfTape **tape)
{
  PF_TRY(pf_angles_share(k->ctx, k->room, roots, count));
  return pf_tape_new(k->ctx, k->in->symbol, k->in->lambda, roots, count, tape);
}

/* The tape of the accelerations of a system in closed form; `pairs`: and after them its pivots, each with its value
 * before the elimination, by which a step decides whether the formulas hold. */
static PfStatus closed_tape(Maker *k, const PfSystem *system, bool pairs, PfTape **tape)
{
  PfLaneTapes *t = &k->e->tapes;
  PfClosedForm form;
  const int n = k->eq->n;
  PF_TRY(pf_closed_form(k->ctx, k->room, system, PF_CLOSED_SHORT, &form));
  const int count = n + (pairs ? 2*form.pairs : 0);
  PfExpr *roots = pf_arena_array(k->room, PfExpr, count);
  if (!roots) return PF_ERR_MEMORY;
  memcpy(roots, form.acceleration, (size_t)n*sizeof *roots);
  if (pairs) {
    memcpy(roots + n, form.pair, 2*(size_t)form.pairs*sizeof *roots);
    t->pairs = form.pairs;
    t->mass_pairs = form.mass_pairs;
  }
  return make_tape(k, roots, count, tape);
}

/* With M d = A^T mu and A d = -residual, d is the smallest change that undoes the residual: the equations of motion
 * without forces. */
static PfStatus correction_tape(Maker *k, const PfExpr *residual, PfTape **tape)
{
  PfEquations eq = *k->eq;
  const PfExpr zero = pf_expr_int(k->ctx, 0);
  PfSystem *system = NULL;
  eq.F = pf_arena_array(k->room, PfExpr, eq.n);
  eq.b = pf_arena_array(k->room, PfExpr, eq.m);
  if (!eq.F || !eq.b) return PF_ERR_MEMORY;
  eq.C = eq.F;
  for (int i = 0; i < eq.n; i++) eq.F[i] = zero;
  for (int i = 0; i < eq.m; i++) eq.b[i] = residual[i] == PF_EXPR_NONE ? zero : pf_expr_neg(k->ctx, residual[i]);
  PfStatus status = pf_system_new(k->ctx, &eq, &system);
  if (status == PF_OK) status = closed_tape(k, system, false, tape);
  pf_system_free(system);
  return status;
}

/* The tapes of the motion. Velocities are put back on the constraints by one linear step, which must do: fails where a
 * constraint is not linear in them. */
static PfStatus make_motion(Maker *k)
{
  PfLaneTapes *t = &k->e->tapes;
  const PfEquations *eq = k->eq;
  const int before = pf_diagnostic_count(k->ctx);
  bool positions = false;
  if (!eq->m && pf_flow_tape(k->system, NULL, &t->flow) == PF_OK) {
    t->pairs = t->mass_pairs = 2;
    return PF_OK;
  }
  pf_diagnostics_truncate(k->ctx, before);
  if (eq->in_bodies) return PF_ERR_MODEL;
  for (int i = 0; i < eq->m; i++) {
    const PfConstraintKind kind = eq->model->constraints[i].kind;
    if (kind == PF_NONLINEAR || kind == PF_ACCELERATION) return PF_ERR_MODEL;
    positions = positions || eq->position[i] != PF_EXPR_NONE;
  }
  PF_TRY(closed_tape(k, k->system, true, &t->flow));
  if (!eq->m || k->sweep->run.drift) return PF_OK;
  PF_TRY(correction_tape(k, eq->velocity, &t->velocity));
  return positions ? correction_tape(k, eq->position, &t->position) : PF_OK;
}

/* ---------------------------------------------------------------- the outputs */

/* The tape of the roots as quantities; `express`: with the velocities of bodies written out. */
static PfStatus output_tape(Maker *k, const PfExpr *roots, bool express)
{
  PfLaneEngine *e = k->e;
  PfExpr *own = pf_arena_array(k->room, PfExpr, e->roots);
  if (!own) return PF_ERR_MEMORY;
  memcpy(own, roots, (size_t)e->roots*sizeof *own);
  if (express) PF_TRY(pf_equations_express(k->ctx, k->room, k->eq, own, e->roots));
  PF_TRY(pf_insert_inputs(k->ctx, k->eq->model, own, (size_t)e->roots));
  return make_tape(k, own, e->roots, &e->tapes.output);
}

/* The tape of the outputs. Whatever needs accelerations or multipliers is left to simulations. */
static PfStatus make_outputs(Maker *k)
{
  PfLaneEngine *e = k->e;
  const PfOutputSet *output_set = e->what;
  PfExpr *roots = pf_arena_array(k->room, PfExpr, output_set->count);
  e->root = pf_arena_array(k->arena, int, output_set->count);
  if (!roots || !e->root) return PF_ERR_MEMORY;
  for (int i = 0; i < output_set->count; i++) {
    const PfOutput *item = output_set->items + i;
    PfPlot *plots;
    int count;
    e->root[i] = -1;
    if (item->handle < 0) continue;
    PF_TRY(pf_quantities_find(k->ctx, k->room, pf_sim_model(k->sim), "take", item->quantity, &plots, &count));
    if (count != 1 || item->part >= plots->count) return PF_ERR_MODEL;
    e->root[i] = e->roots;
    roots[e->roots++] = plots->values[item->part];
  }
  if (!e->roots || output_tape(k, roots, false) == PF_OK) return PF_OK;
  return k->eq->in_bodies ? PF_ERR_MODEL : output_tape(k, roots, true);
}

/* ---------------------------------------------------------------- room */

static size_t most(size_t a, size_t b)
{
  return a > b ? a : b;
}

/* Zeroed, where vectors begin. */
static double *vectors(Maker *k, size_t count)
{
  double *block = pf_arena_array(k->arena, double, count + PF_LANES - 1);
  const size_t past = (uintptr_t)block/sizeof *block%PF_LANES;
  return block ? block + (past ? PF_LANES - past : 0) : NULL;
}

static PfStatus make(Maker *k)
{
  PfLaneEngine *e = k->e;
  if (!is_plain(k)) return PF_ERR_MODEL;
  e->n = k->eq->n;
  e->width = k->in->lambda;
  e->time = k->in->time;
  e->q = k->in->q;
  PF_TRY(make_motion(k));
  e->tapes.outputs = e->n + 2*e->tapes.pairs;
  PF_TRY(make_outputs(k));
  /* All arrays of the engine; the workspace is the largest that one of the tapes needs, alone or for groups. */
  const PfLaneTapes *t = &e->tapes;
  const PfTape *tapes[] = {t->flow, t->velocity, t->position, t->output};
  const size_t lanes = PF_LANE_COUNT, state = 2*(size_t)e->n*lanes, items = lanes*(size_t)e->what->count;
  size_t work = 0;
  for (size_t i = 0; i < sizeof tapes/sizeof *tapes; i++)
    if (tapes[i]) work = most(work, most(pf_tape_many_work_size(tapes[i]), pf_tape_work_size(tapes[i]) +
                                         (size_t)e->width + most((size_t)t->outputs, (size_t)e->roots)));
  e->now = vectors(k, lanes);
  e->tried = vectors(k, lanes);
  e->rtol = vectors(k, lanes);
  e->atol = vectors(k, lanes);
  e->error = vectors(k, lanes);
  e->rows = vectors(k, lanes*(size_t)e->width);
  e->out = vectors(k, lanes*most((size_t)t->outputs, (size_t)e->roots));
  e->work = pf_arena_array(k->arena, double, work);
  e->y = vectors(k, state);
  e->y_old = vectors(k, state);
  e->k = vectors(k, PF_DOPRI5_STAGES*state);
  e->value = pf_arena_array(k->arena, double, items);
  e->node = pf_arena_array(k->arena, double, PF_OUTPUT_NODES*items);
  e->end = pf_arena_array(k->arena, double, e->what->count);
  e->room = pf_arena_array(k->arena, double, pf_output_set_room(e->what));
  const bool good = e->now && e->tried && e->rtol && e->atol && e->error && e->rows && e->out && e->work && e->y &&
                    e->y_old && e->k && e->value && e->node && e->end && e->room;
  return good ? PF_OK : PF_ERR_MEMORY;
}

void pf_lanes_free(PfLaneEngine *engine)
{
  if (!engine) return;
  pf_tape_free(engine->tapes.flow);
  pf_tape_free(engine->tapes.velocity);
  pf_tape_free(engine->tapes.position);
  pf_tape_free(engine->tapes.output);
}

PfStatus pf_lanes_make(PfMember *member, PfLaneEngine **engine)
{
  PfContext *ctx = pf_sim_context(member->sim);
  const int before = pf_diagnostic_count(ctx);
  Maker k = {.ctx = ctx, .arena = member->arena, .room = pf_arena_new(pf_context_allocator(ctx)),
             .sweep = member->sweep, .sim = member->sim, .system = pf_sim_system(member->sim)};
  *engine = NULL;
  k.e = k.room ? pf_arena_array(k.arena, PfLaneEngine, 1) : NULL;
  if (!k.e) {
    pf_arena_free(k.room);
    return PF_ERR_MEMORY;
  }
  k.eq = pf_system_equations(k.system);
  k.in = pf_system_symbols(k.system);
  k.e->what = &member->sweep->output_set;
  PfStatus status = make(&k);
  pf_arena_free(k.room);
  pf_diagnostics_forget(ctx, before);
  if (status == PF_OK) *engine = k.e;
  else pf_lanes_free(k.e);
  return status == PF_ERR_MEMORY ? status : PF_OK;
}
