/* SPDX-License-Identifier: Apache-2.0 */
/* The functions whose changes of sign end a step: surfaces of switching, limits of sticking, comparisons in
 * conditions. */
#include "time/crossings_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static PfStatus grow(PfMotionRun *run, PfCrossings *b)
{
  if (b->set.count < b->room) return PF_OK;
  int room = b->room ? 2*b->room : 8;
  PfIndicator *at = pf_run_array(run, PfIndicator, room);
  PfExpr *g = pf_run_array(run, PfExpr, room), *truth = pf_run_array(run, PfExpr, room);
  if (!at || !g || !truth) return PF_ERR_MEMORY;
  if (b->set.count) {
    memcpy(at, b->set.at, (size_t)b->set.count*sizeof *at);
    memcpy(g, b->g, (size_t)b->set.count*sizeof *g);
    memcpy(truth, b->truth_symbol, (size_t)b->set.count*sizeof *truth);
  }
  b->set.at = at, b->g = g, b->truth_symbol = truth;
  b->room = room;
  return PF_OK;
}

static PfStatus add(PfMotionRun *run, PfCrossings *b, PfIndicator item, PfExpr g)
{
  const PfSymbols *in = run->symbols;
  PfContext *ctx = run->ctx;
  PF_TRY(grow(run, b));
  PF_TRY(pf_insert_inputs(ctx, pf_system_equations(run->system)->model, &g, 1));
  int after_time = in->lambda - in->inputs;
  bool accelerated = pf_expr_depends(ctx, g, b->symbol + in->count, run->n);
  item.by_forces = accelerated || (run->m > 0 && pf_expr_depends(ctx, g, in->symbol + in->lambda, run->m));
  item.timed = !item.by_forces && !pf_expr_depends(ctx, g, in->symbol + in->inputs, after_time);
  PF_TRY(pf_may_switch(ctx, run->arena, &g, 1, &item.jumps));
  item.linear = item.timed && !item.jumps &&
                !pf_expr_depends(ctx, pf_expr_diff(ctx, g, in->symbol[in->time]), in->symbol + in->time, 1);
  b->set.by_forces = b->set.by_forces || item.by_forces;
  b->by_accelerations = b->by_accelerations || accelerated;
  b->set.by_state = b->set.by_state || !item.timed;
  b->g[b->set.count] = g;
  b->set.at[b->set.count++] = item;
  return pf_expr_check(ctx);
}

typedef struct ConditionReader {
  PfMotionRun *run;
  PfCrossings *b;
} ConditionReader;

/* A comparison: its truth is a symbol, that of equal ones the same. */
static PfStatus add_comparison(void *user, PfExpr g, PfOp op, PfExpr *truth)
{
  PfMotionRun *run = ((ConditionReader *)user)->run;
  PfCrossings *b = ((ConditionReader *)user)->b;
  PfIndicator item = {.kind = PF_INDICATOR_COMPARISON, .equality = op == PF_OP_EQUAL,
                      .or_equal = op == PF_OP_LESS_EQUAL};
  for (int i = 0; i < b->set.count; i++) {
    const PfIndicator *other = b->set.at + i;
    if (other->kind == item.kind && b->g[i] == g && other->equality == item.equality &&
        other->or_equal == item.or_equal) {
      *truth = b->truth_symbol[other->index];
      return PF_OK;
    }
  }
  char name[32];
  snprintf(name, sizeof name, "truth %d", b->set.comparison_count + 1); /* with a blank: unique */
  PF_TRY(grow(run, b));
  *truth = b->truth_symbol[b->set.comparison_count] = pf_expr_symbol(run->ctx, name);
  item.index = b->set.comparison_count++;
  return add(run, b, item, g);
}

static PfStatus read_conditions(PfMotionRun *run, PfCrossings *b, PfExpr **roots)
{
  const PfPhaseExchange *p = b->phase;
  ConditionReader reader = {run, b};
  *roots = pf_run_array(run, PfExpr, p->condition_count + 1);
  if (!*roots) return PF_ERR_MEMORY;
  for (int i = 0; i < p->condition_count; i++)
    PF_TRY(pf_condition_read(run->ctx, p->conditions[i], add_comparison, &reader, *roots + i));
  return PF_OK;
}

/* |s| < 1 while it sticks: 1 - s^2 > 0. */
static PfStatus add_releases(PfMotionRun *run, PfCrossings *b)
{
  const PfPhaseExchange *p = b->phase;
  for (int i = 0; i < p->stuck_count; i++) {
    PfExpr s = p->stuck_mode[i], g = pf_expr_sub(run->ctx, pf_expr_int(run->ctx, 1), pf_expr_mul(run->ctx, s, s));
    PF_TRY(add(run, b, (PfIndicator){.kind = PF_INDICATOR_RELEASE, .index = p->stuck[i]}, g));
  }
  return PF_OK;
}

/* A sticking surface with a row of its own is not left by the motion. */
static bool has_row(const PfModes *s, int k)
{
  for (int r = 0; s->sticks[k] && r < s->row_count; r++)
    if (s->row[r] == k) return true;
  return false;
}

static PfStatus add_surfaces(PfMotionRun *run, PfCrossings *b)
{
  const PfSwitchModes *s = b->phase->modes;
  for (int k = 0; s && k < s->core.count; k++)
    if (!has_row(&s->core, k))
      PF_TRY(add(run, b, (PfIndicator){.kind = PF_INDICATOR_SURFACE, .index = k}, s->at[k].surface));
  return PF_OK;
}

/* Sizes of the errors of g from rounding and from the tolerance. They are not known where g depends on multipliers. */
static PfStatus make_sizes(PfMotionRun *run, PfCrossings *b)
{
  const int count = b->set.count;
  PfExpr *roots = pf_run_array(run, PfExpr, 2*(size_t)count);
  if (!roots) return PF_ERR_MEMORY;
  for (int i = 0; i < count; i++) {
    roots[2*i] = roots[2*i + 1] = pf_expr_int(run->ctx, 0);
    if (!b->set.at[i].timed && !b->set.at[i].by_forces)
      PF_TRY(pf_surface_sizes(run->ctx, run->arena, b->g[i], run->symbols->symbol + run->symbols->q, 2*run->n,
                              roots + 2*i, roots + 2*i + 1));
  }
  PF_TRY(pf_tape_new(run->ctx, run->symbols->symbol, run->symbols->count, roots, 2*count, &b->sizes));
  b->size_work = pf_run_scratch(run, double, pf_tape_work_size(b->sizes));
  return b->size_work ? PF_OK : PF_ERR_MEMORY;
}

/* Symbols of the system, then accelerations. */
static PfStatus list_symbols(PfMotionRun *run, PfCrossings *b)
{
  size_t count = (size_t)run->symbols->count, n = (size_t)run->n;
  b->symbol = pf_run_array(run, PfExpr, count + n);
  if (!b->symbol) return PF_ERR_MEMORY;
  memcpy(b->symbol, run->symbols->symbol, count*sizeof *b->symbol);
  for (size_t i = 0; i < n; i++) b->symbol[count + i] = pf_system_equations(run->system)->model->coordinates[i].a;
  return PF_OK;
}

static PfStatus make_tapes(PfMotionRun *run, PfCrossings *b, const PfExpr *conditions)
{
  int count = run->symbols->count + (b->by_accelerations ? run->n : 0);
  if (b->by_accelerations) {
    b->in = pf_run_array(run, double, count);
    if (!b->in) return PF_ERR_MEMORY;
  }
  PF_TRY(pf_tape_new(run->ctx, b->truth_symbol, b->set.comparison_count, conditions, b->phase->condition_count,
                     &b->conditions));
  b->conditions_work = pf_run_scratch(run, double, pf_tape_work_size(b->conditions));
  PF_TRY(pf_tape_new(run->ctx, b->symbol, count, b->g, b->set.count, &b->tape));
  b->work = pf_run_scratch(run, double, pf_tape_work_size(b->tape));
  if (!b->work || !b->conditions_work) return pf_no_room(run->ctx, "the events of a run");
  return make_sizes(run, b);
}

static PfStatus make(PfMotionRun *run, PfCrossings *b)
{
  const size_t N = 2*(size_t)run->n;
  PfIndicators *set = &b->set;
  PfExpr *conditions;
  PF_TRY(list_symbols(run, b));
  PF_TRY(add_surfaces(run, b));
  PF_TRY(add_releases(run, b));
  PF_TRY(read_conditions(run, b, &conditions));
  double *reals = pf_run_array(run, double, PF_INDICATOR_REALS((size_t)set->count, (size_t)set->comparison_count,
                                                               (size_t)set->condition_count, set->by_forces));
  bool *bools = pf_run_array(run, bool, PF_INDICATOR_BOOLS((size_t)set->surface_count));
  b->value = pf_run_array(run, double, set->count);
  b->y = pf_run_array(run, double, N);
  b->dy = pf_run_array(run, double, N);
  if (!reals || !bools || !b->value || !b->y || !b->dy) return PF_ERR_MEMORY;
  pf_indicators_place(set, reals, bools);
  return make_tapes(run, b, conditions);
}

PfStatus pf_crossings_make(PfMotionRun *run, PfPhaseExchange *phase, PfCrossings **crossings)
{
  *crossings = NULL;
  if (!phase || (!phase->modes && phase->condition_count == 0)) return PF_OK;
  PfCrossings *b = pf_run_array(run, PfCrossings, 1);
  if (!b) return PF_ERR_MEMORY;
  *crossings = b;
  b->phase = phase;
  b->set = (PfIndicators){.user = run, .calls = &pf_crossing_calls, .condition_count = phase->condition_count,
                          .atol = run->options.atol, .begun = run->state.t, .known = -INFINITY};
  if (phase->modes) {
    const PfModes *modes = &phase->modes->core;
    b->set.surface_count = modes->count, b->set.mode = modes->mode, b->set.sticks = modes->sticks;
  }
  PF_TRY(make(run, b));
  bool kept = pf_checkpoint_add(run->arena, &run->checkpoint, b->set.at, (size_t)b->set.count*sizeof *b->set.at) &&
              pf_checkpoint_members(run->arena, &run->checkpoint, &b->set, begun, known_indicator);
  return kept ? PF_OK : pf_no_room(run->ctx, "the events of a run");
}

void pf_crossings_release(PfCrossings *b)
{
  pf_tape_free(b->tape);
  pf_tape_free(b->sizes);
  pf_tape_free(b->conditions);
}
