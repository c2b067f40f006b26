/* SPDX-License-Identifier: Apache-2.0 */
/* The functions whose changes of sign end a step: surfaces of switching, what ceases to stick, comparisons in
 * conditions. */
#include "time/breaks_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static PfStatus grow(PfMotionRun *run, PfBreaks *b)
{
  if (b->count < b->room) return PF_OK;
  int room = b->room ? 2*b->room : 8;
  Break *at = pf_run_array(run, Break, room);
  PfExpr *g = pf_run_array(run, PfExpr, room), *truth = pf_run_array(run, PfExpr, room);
  if (!at || !g || !truth) return PF_ERR_MEMORY;
  if (b->count) {
    memcpy(at, b->at, (size_t)b->count*sizeof *at);
    memcpy(g, b->g, (size_t)b->count*sizeof *g);
    memcpy(truth, b->truth_symbol, (size_t)b->count*sizeof *truth);
  }
  b->at = at, b->g = g, b->truth_symbol = truth;
  b->room = room;
  return PF_OK;
}

static PfStatus add(PfMotionRun *run, PfBreaks *b, Break item, PfExpr g)
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
  b->by_forces = b->by_forces || item.by_forces;
  b->by_accelerations = b->by_accelerations || accelerated;
  b->by_state = b->by_state || !item.timed;
  b->g[b->count] = g;
  b->at[b->count++] = item;
  return pf_expr_check(ctx);
}

typedef struct Watched {
  PfMotionRun *run;
  PfBreaks *b;
} Watched;

/* A comparison: its truth is a symbol, that of equal ones the same. */
static PfStatus add_atom(void *user, PfExpr g, PfOp op, PfExpr *truth)
{
  PfMotionRun *run = ((Watched *)user)->run;
  PfBreaks *b = ((Watched *)user)->b;
  Break item = {.kind = ATOM, .equality = op == PF_OP_EQUAL, .or_equal = op == PF_OP_LESS_EQUAL};
  for (int i = 0; i < b->count; i++)
    if (b->at[i].kind == ATOM && b->g[i] == g && b->at[i].equality == item.equality &&
        b->at[i].or_equal == item.or_equal) {
      *truth = b->truth_symbol[b->at[i].index];
      return PF_OK;
    }
  char name[32];
  snprintf(name, sizeof name, "truth %d", b->truth_count + 1); /* with a blank: nobody else has such a name */
  PF_TRY(grow(run, b));
  *truth = b->truth_symbol[b->truth_count] = pf_expr_symbol(run->ctx, name);
  item.index = b->truth_count++;
  return add(run, b, item, g);
}

static PfStatus add_conditions(PfMotionRun *run, PfBreaks *b)
{
  const PfPhaseRun *p = b->phase;
  Watched watched = {run, b};
  PfExpr *roots = pf_run_array(run, PfExpr, p->condition_count + 1);
  if (!roots) return PF_ERR_MEMORY;
  for (int i = 0; i < p->condition_count; i++)
    PF_TRY(pf_condition_read(run->ctx, p->conditions[i], add_atom, &watched, roots + i));
  b->truth = pf_run_array(run, double, b->truth_count + 1);
  b->holds = pf_run_array(run, double, p->condition_count + 1);
  if (!b->truth || !b->holds) return PF_ERR_MEMORY;
  PF_TRY(pf_tape_new(run->ctx, b->truth_symbol, b->truth_count, roots, p->condition_count, &b->conditions));
  b->conditions_work = pf_run_scratch(run, double, pf_tape_work_size(b->conditions));
  return b->conditions_work ? PF_OK : PF_ERR_MEMORY;
}

/* |s| < 1 while it sticks: 1 - s^2 > 0. */
static PfStatus add_releases(PfMotionRun *run, PfBreaks *b)
{
  const PfPhaseRun *p = b->phase;
  for (int i = 0; i < p->stuck_count; i++) {
    PfExpr s = p->stuck_side[i], g = pf_expr_sub(run->ctx, pf_expr_int(run->ctx, 1), pf_expr_mul(run->ctx, s, s));
    PF_TRY(add(run, b, (Break){.kind = RELEASE, .index = i}, g));
  }
  return PF_OK;
}

/* What sticks with a row of its own stays on its surface. */
static bool has_row(const PfSides *s, int k)
{
  for (int r = 0; s->stuck[k] && r < s->row_count; r++)
    if (s->row[r] == k) return true;
  return false;
}

static PfStatus add_surfaces(PfMotionRun *run, PfBreaks *b)
{
  const PfSides *s = b->phase->sides;
  for (int k = 0; s && k < s->count; k++)
    if (!has_row(s, k)) PF_TRY(add(run, b, (Break){.kind = SURFACE, .index = k}, s->at[k].surface));
  return PF_OK;
}

/* What rounding and the tolerance make of g. Of what depends on multipliers that is not known. */
static PfStatus make_sizes(PfMotionRun *run, PfBreaks *b)
{
  PfExpr *roots = pf_run_array(run, PfExpr, 2*(size_t)b->count);
  b->size = pf_run_array(run, double, 2*(size_t)b->count);
  if (!roots || !b->size) return PF_ERR_MEMORY;
  for (int i = 0; i < b->count; i++) {
    roots[2*i] = roots[2*i + 1] = pf_expr_int(run->ctx, 0);
    if (!b->at[i].timed && !b->at[i].by_forces)
      PF_TRY(pf_surface_sizes(run->ctx, run->arena, b->g[i], run->symbols->symbol + run->symbols->q, 2*run->n,
                              roots + 2*i, roots + 2*i + 1));
  }
  PF_TRY(pf_tape_new(run->ctx, run->symbols->symbol, run->symbols->count, roots, 2*b->count, &b->sizes));
  b->size_work = pf_run_scratch(run, double, pf_tape_work_size(b->sizes));
  return b->size_work ? PF_OK : PF_ERR_MEMORY;
}

static PfStatus list_symbols(PfMotionRun *run, PfBreaks *b)
{
  size_t count = (size_t)run->symbols->count, n = (size_t)run->n;
  b->symbol = pf_run_array(run, PfExpr, count + n);
  if (!b->symbol) return PF_ERR_MEMORY;
  memcpy(b->symbol, run->symbols->symbol, count*sizeof *b->symbol);
  for (size_t i = 0; i < n; i++) b->symbol[count + i] = pf_system_equations(run->system)->model->coordinates[i].a;
  return PF_OK;
}

static PfStatus make_tape(PfMotionRun *run, PfBreaks *b)
{
  int count = run->symbols->count + (b->by_accelerations ? run->n : 0);
  if (b->by_accelerations) {
    b->in = pf_run_array(run, double, count);
    if (!b->in) return PF_ERR_MEMORY;
  }
  PF_TRY(pf_tape_new(run->ctx, b->symbol, count, b->g, b->count, &b->tape));
  b->work = pf_run_scratch(run, double, pf_tape_work_size(b->tape));
  return b->work ? PF_OK : pf_no_room(run->ctx, "the events of a run");
}

static PfStatus make(PfMotionRun *run, PfBreaks *b)
{
  PF_TRY(list_symbols(run, b));
  PF_TRY(add_surfaces(run, b));
  PF_TRY(add_releases(run, b));
  PF_TRY(add_conditions(run, b));
  size_t N = 2*(size_t)run->n;
  b->value = pf_run_array(run, double, b->count);
  b->samples = pf_run_array(run, double, 6*(size_t)b->count);
  size_t room = b->by_forces ? MEMORY_ROOM : 0;
  b->memory = pf_run_array(run, double, room*(size_t)b->count);
  b->memory_t = pf_run_array(run, double, room);
  b->y = pf_run_array(run, double, N);
  b->dy = pf_run_array(run, double, N);
  b->when = pf_run_array(run, double, b->count);
  b->met = pf_run_array(run, bool, b->phase->sides ? b->phase->sides->count : 0);
  b->released = pf_run_array(run, bool, b->phase->sides ? b->phase->sides->count : 0);
  if (!b->memory || !b->memory_t) return PF_ERR_MEMORY;
  if (!b->value || !b->samples || !b->y || !b->dy || !b->when || !b->met || !b->released) return PF_ERR_MEMORY;
  PF_TRY(make_tape(run, b));
  return make_sizes(run, b);
}

PfStatus pf_breaks_make(PfMotionRun *run, PfPhaseRun *phase, PfBreaks **breaks)
{
  *breaks = NULL;
  if (!phase || (!phase->sides && phase->condition_count == 0)) return PF_OK;
  PfBreaks *b = pf_run_array(run, PfBreaks, 1);
  if (!b) return PF_ERR_MEMORY;
  *breaks = b;
  b->phase = phase;
  b->begun = run->state.t;
  b->known = -INFINITY;
  PF_TRY(make(run, b));
  bool kept = pf_keep(run->arena, &run->kept, b->at, (size_t)b->count*sizeof *b->at) &&
              pf_keep_members(run->arena, &run->kept, b, begun, known_break);
  return kept ? PF_OK : pf_no_room(run->ctx, "the events of a run");
}

void pf_breaks_release(PfBreaks *b)
{
  pf_tape_free(b->tape);
  pf_tape_free(b->sizes);
  pf_tape_free(b->conditions);
}
