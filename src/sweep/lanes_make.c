/* SPDX-License-Identifier: Apache-2.0 */
/* Which sweeps can go in lanes, and the tapes for it. */
#include "form/angles.h"
#include "form/closed.h"
#include "sim/quantities.h"
#include "sweep/lanes.h"

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

/* Forces that jump, events and conditions need a look at every step; other methods, matrices. */
static bool is_plain(const Maker *k)
{
  const PfModel *model = pf_sim_model(k->sim);
  const PfRunWords *w = &k->sweep->run;
  PfSwitches switches;
  if (model->complete || model->run.until != PF_EXPR_NONE || w->formulation) return false;
  if (pf_word(k->sweep->words, k->sweep->word_count, "as-given")) return false;
  for (int i = 0; i < model->run.setting_count; i++)
    if (!strcmp(model->run.settings[i].key, "formulation")) return false;
  return pf_switches_find(k->ctx, k->room, k->eq, &switches) == PF_OK && !switches.count;
}

static bool choose_method(const Maker *k)
{
  const char *own = pf_sim_model(k->sim)->run.method, *name = k->sweep->run.method;
  if (!name) name = own ? own : "dopri5";
  k->e->adaptive = !strcmp(name, "dopri5");
  k->e->by_default = !k->sweep->run.method && !own;
  return k->e->adaptive || !strcmp(name, "rk4");
}

/* One linear step brings velocities back on such constraints. */
static bool are_linear(const Maker *k)
{
  const PfModel *model = k->eq->model;
  for (int i = 0; i < k->eq->m; i++)
    if (model->constraints[i].kind == PF_NONLINEAR || model->constraints[i].kind == PF_ACCELERATION) return false;
  return true;
}

/* ---------------------------------------------------------------- motion */

static PfStatus make_tape(Maker *k, PfExpr *roots, int count, PfTape **tape)
{
  PF_TRY(pf_angles_share(k->ctx, k->room, roots, count));
  return pf_tape_new(k->ctx, k->in->symbol, k->in->lambda, roots, count, tape);
}

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

static bool has_positions(const PfEquations *eq)
{
  for (int i = 0; i < eq->m; i++)
    if (eq->position[i] != PF_EXPR_NONE) return true;
  return false;
}

static PfStatus make_motion(Maker *k)
{
  PfLaneTapes *t = &k->e->tapes;
  const int before = pf_diagnostic_count(k->ctx);
  if (!k->eq->m && pf_flow_tape(k->system, NULL, &t->flow) == PF_OK) {
    t->pairs = t->mass_pairs = 2;
    return PF_OK;
  }
  pf_diagnostics_cut(k->ctx, before);
  if (k->eq->in_bodies || !are_linear(k)) return PF_ERR_MODEL;
  PF_TRY(closed_tape(k, k->system, true, &t->flow));
  if (!k->eq->m || k->sweep->run.drift) return PF_OK;
  PF_TRY(correction_tape(k, k->eq->velocity, &t->velocity));
  return has_positions(k->eq) ? correction_tape(k, k->eq->position, &t->position) : PF_OK;
}

/* ---------------------------------------------------------------- what is taken */

static PfStatus read_item(Maker *k, const PfTaken *item, PfExpr *root)
{
  PfPlot *plots;
  int count;
  PF_TRY(pf_quantities_find(k->ctx, k->room, pf_sim_model(k->sim), "--take", item->quantity, &plots, &count));
  if (count != 1 || item->part >= plots->count) return PF_ERR_MODEL;
  *root = plots->values[item->part];
  return PF_OK;
}

static PfStatus take_tape(Maker *k, const PfExpr *roots, bool express)
{
  PfLaneEngine *e = k->e;
  PfExpr *own = pf_arena_array(k->room, PfExpr, e->roots);
  if (!own) return PF_ERR_MEMORY;
  memcpy(own, roots, (size_t)e->roots*sizeof *own);
  if (express) PF_TRY(pf_equations_express(k->ctx, k->room, k->eq, own, e->roots));
  PF_TRY(pf_insert_inputs(k->ctx, k->eq->model, own, (size_t)e->roots));
  return make_tape(k, own, e->roots, &e->tapes.take);
}

/* Whatever needs accelerations or multipliers is left to simulations. */
static PfStatus make_take(Maker *k)
{
  PfLaneEngine *e = k->e;
  const PfTake *take = e->what;
  PfExpr *roots = pf_arena_array(k->room, PfExpr, take->count);
  e->root = pf_arena_array(k->arena, int, take->count);
  if (!roots || !e->root) return PF_ERR_MEMORY;
  for (int i = 0; i < take->count; i++) {
    const PfTaken *item = take->items + i;
    e->root[i] = item->handle >= 0 ? e->roots++ : -1;
    if (item->handle >= 0) PF_TRY(read_item(k, item, roots + e->root[i]));
  }
  if (!e->roots || take_tape(k, roots, false) == PF_OK) return PF_OK;
  return k->eq->in_bodies ? PF_ERR_MODEL : take_tape(k, roots, true);
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

static PfStatus make_room(Maker *k)
{
  PfLaneEngine *e = k->e;
  const PfLaneTapes *t = &e->tapes;
  const PfTape *tapes[] = {t->flow, t->velocity, t->position, t->take};
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
  e->k = vectors(k, PF_LANE_STAGES*state);
  e->value = pf_arena_array(k->arena, double, items);
  e->node = pf_arena_array(k->arena, double, PF_TAKE_NODES*items);
  e->end = pf_arena_array(k->arena, double, e->what->count);
  e->room = pf_arena_array(k->arena, double, pf_take_room(e->what));
  const bool good = e->now && e->tried && e->rtol && e->atol && e->error && e->rows && e->out && e->work && e->y &&
                    e->y_old && e->k && e->value && e->node && e->end && e->room;
  return good ? PF_OK : PF_ERR_MEMORY;
}

static PfStatus make(Maker *k)
{
  PfLaneEngine *e = k->e;
  if (!is_plain(k) || !choose_method(k)) return PF_ERR_MODEL;
  e->n = k->eq->n;
  e->width = k->in->lambda;
  e->time = k->in->time;
  e->q = k->in->q;
  PF_TRY(make_motion(k));
  e->tapes.outputs = e->n + 2*e->tapes.pairs;
  PF_TRY(make_take(k));
  return make_room(k);
}

static void free_tapes(PfLaneTapes *t)
{
  pf_tape_free(t->flow);
  pf_tape_free(t->velocity);
  pf_tape_free(t->position);
  pf_tape_free(t->take);
}

void pf_lanes_free(PfLaneEngine *engine)
{
  if (engine) free_tapes(&engine->tapes);
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
  k.e->what = &member->sweep->take;
  PfStatus status = make(&k);
  pf_arena_free(k.room);
  pf_diagnostics_forget(ctx, before);
  if (status == PF_OK) *engine = k.e;
  else pf_lanes_free(k.e);
  return status == PF_ERR_MEMORY ? status : PF_OK;
}
