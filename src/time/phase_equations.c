/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a phase. Between two events a phase of the model moves (pf_phase_make), and between two changes of
 * sticking the phase with additional constraints (pf_sliding_make); every method starts afresh in it. A model without
 * events and switches has one phase, which is the model itself. */
#include "time/phase_driver.h"

#include <math.h>
#include <string.h>

PfStatus pf_driver_no_room(const PfDriver *s)
{
  return pf_no_room(s->ctx, "the events");
}

PfStatus pf_driver_evaluate(const PfDriver *s, const PfExpr *e, int count, double *out)
{
  return pf_expr_evaluate(s->ctx, e, count, s->symbols->symbol, s->values, s->symbols->count, out);
}

/* ---------------------------------------------------------------- phases */

static void end_stuck(PfDriver *s)
{
  pf_system_free(s->stuck_system);
  pf_arena_free(s->stuck_arena);
  s->stuck_system = NULL;
  s->stuck_arena = NULL;
  s->stuck_count = 0;
}

void pf_driver_end_phase(PfDriver *s)
{
  pf_driver_end_motion(s);
  end_stuck(s);
  pf_switch_modes_release(&s->modes);
  pf_system_free(s->phase_system);
  pf_arena_free(s->phase_arena);
  s->phase_system = NULL;
  s->phase_arena = NULL;
}

void pf_driver_load_phase(PfDriver *s)
{
  const PfSymbols *in = pf_system_symbols(s->phase_system), *all = s->symbols;
  double *x = s->phase_values;
  memcpy(x, s->values, (size_t)s->model->parameter_count*sizeof *x);
  int next = s->model->parameter_count;
  for (int i = 0; i < s->eq->n; i++)
    if (s->held[i]) x[next++] = s->values[all->q + i];
  x[in->time] = s->values[all->time];
  for (int i = 0; i < s->model->input_count; i++) x[in->inputs + i] = s->values[all->inputs + i];
  for (int i = 0; i < s->phase.equations.n; i++) {
    x[in->q + i] = s->values[all->q + s->phase.coordinate[i]];
    x[in->v + i] = s->values[all->v + s->phase.coordinate[i]];
  }
}

void pf_driver_store_phase(PfDriver *s, double t, const double *q, const double *v)
{
  const PfSymbols *all = s->symbols;
  s->values[all->time] = t;
  for (int i = 0; i < s->phase.equations.n; i++) {
    s->values[all->q + s->phase.coordinate[i]] = q[i];
    s->values[all->v + s->phase.coordinate[i]] = v[i];
  }
  for (int i = 0; i < s->eq->n; i++)
    if (s->held[i]) s->values[all->v + i] = 0;
}

/* Symbols with the numbers that they have throughout the phase. */
typedef struct Settled {
  PfContext *ctx;
  PfExpr *symbol, *value;
  int count;
} Settled;

static void settle(Settled *l, PfExpr symbol, int value)
{
  l->symbol[l->count] = symbol;
  l->value[l->count++] = pf_expr_int(l->ctx, value);
}

PfStatus pf_driver_without_absent(const PfDriver *s, PfExpr *e)
{
  PfMark mark = pf_arena_mark(s->own);
  size_t room = 3*(size_t)s->eq->n + 2*(size_t)s->eq->m;
  Settled l = {s->ctx, pf_arena_array(s->own, PfExpr, room), pf_arena_array(s->own, PfExpr, room), 0};
  bool good = l.symbol && l.value;
  for (int i = 0; good && i < s->eq->n && s->model->event_count; i++) {
    const PfCoordinate *c = s->model->coordinates + i;
    settle(&l, c->held, s->held[i]);
    if (s->held[i]) settle(&l, c->v, 0), settle(&l, c->a, 0);
  }
  for (int k = 0; good && k < s->eq->m; k++) {
    const PfConstraint *c = s->model->constraints + k;
    if (c->attached) settle(&l, c->active, s->active[k]);
    if (!s->active[k]) settle(&l, c->multiplier, 0);
  }
  PfStatus status = good ? pf_expr_substitute(s->ctx, e, 1, l.symbol, l.value, l.count, e) : pf_driver_no_room(s);
  pf_arena_release(s->own, mark);
  return status;
}

static PfStatus make_modes(PfDriver *s)
{
  int count = s->switches.count;
  PfSwitch *at = pf_arena_array(s->phase_arena, PfSwitch, count);
  s->stuck_list = pf_arena_array(s->phase_arena, int, count);
  if (!at || !s->stuck_list) return pf_driver_no_room(s);
  for (int k = 0; k < count; k++) {
    at[k] = s->switches.at[k];
    PF_TRY(pf_driver_without_absent(s, &at[k].surface));
  }
  return pf_switch_modes_make(s->ctx, s->phase_arena, s->phase_system, at, count, s->options.atol, &s->modes);
}

/* The phase begins here: choices by numbers, of pivots for example, must use the values that events have set and held,
 * and a configuration on the constraints, not those of the text, where rows that are attached later are all zero. */
static PfStatus set_start(PfDriver *s)
{
  PfModel *model = &s->phase.model;
  const PfSymbols *in = pf_system_symbols(s->phase_system);
  pf_driver_load_phase(s);
  for (int i = 0; i < model->parameter_count; i++)
    if (model->parameters[i].hidden) model->parameters[i].value = pf_expr_double(s->ctx, s->phase_values[i]);
  for (int i = 0; i < model->coordinate_count; i++)
    model->coordinates[i].start_q = pf_expr_double(s->ctx, s->phase_values[in->q + i]);
  return pf_expr_check(s->ctx);
}

PfStatus pf_driver_begin_phase(PfDriver *s)
{
  pf_driver_end_phase(s);
  s->decided = false;
  s->phase_arena = pf_arena_new(pf_context_allocator(s->ctx));
  if (!s->phase_arena) return pf_driver_no_room(s);
  PF_TRY(pf_phase_make(s->ctx, s->phase_arena, s->eq, s->held, s->active, &s->phase));
  PF_TRY(pf_system_new(s->ctx, &s->phase.equations, &s->phase_system));
  s->phase_values = pf_arena_array(s->phase_arena, double, pf_system_symbols(s->phase_system)->count);
  if (!s->phase_values) return pf_driver_no_room(s);
  PF_TRY(set_start(s));
  return s->switches.count ? make_modes(s) : PF_OK;
}

/* ---------------------------------------------------------------- what sticks */

static PfStatus rank_of(const PfDriver *s, const PfExpr *A, int m, int n, int *rank)
{
  const PfSymbols *in = pf_system_symbols(s->phase_system);
  double *numbers = pf_arena_array(s->stuck_arena, double, (size_t)m*(size_t)n);
  PfRows rows = {0};
  *rank = 0;
  const bool *sure = pf_sure_entries(s->ctx, s->stuck_arena, A, (size_t)m*(size_t)n);
  if (!numbers || !sure) return pf_driver_no_room(s);
  if (m == 0 || n == 0) return PF_OK;
  PF_TRY(pf_expr_evaluate(s->ctx, A, m*n, in->symbol, s->modes.values, in->count, numbers));
  PF_TRY(pf_make_alike(s->ctx, numbers, sure, m, n));
  PF_TRY(pf_rows_sort(s->ctx, s->stuck_arena, numbers, m, n, PF_RANK_TOLERANCE, &rows));
  *rank = rows.rank;
  return PF_OK;
}

/* When more surfaces stick than are needed to hold the motion, how they share the force is not determined. */
static PfStatus warn_of_sharing(PfDriver *s)
{
  int n = s->phase.equations.n, before, after;
  if (s->warned_of_sharing) return PF_OK;
  PF_TRY(rank_of(s, s->phase.equations.A, s->phase.equations.m, n, &before));
  PF_TRY(rank_of(s, s->stuck.equations.A, s->stuck.equations.m, n, &after));
  if (after == before + s->stuck_count) return PF_OK;
  s->warned_of_sharing = true;
  pf_warn_at(s->ctx, (PfPlace){0}, "at t = %.6g more sticks than is needed to hold the motion: how friction and "
             "constraints share the load is not determined", s->values[s->symbols->time]);
  pf_hint(s->ctx, "the motion is; multipliers and single forces of friction are one possibility");
  return PF_OK;
}

PfStatus pf_driver_begin_sliding(PfDriver *s)
{
  const PfSwitchModes *at = &s->modes;
  const PfModes *modes = &at->core;
  s->stuck_before = s->stuck_count ? modes->row_count : 0;
  end_stuck(s);
  bool any = false;
  for (int k = 0; k < s->switches.count; k++) any = any || modes->sticks[k];
  if (!any) return PF_OK;
  s->stuck_arena = pf_arena_new(pf_context_allocator(s->ctx));
  PfSlidingRow *rows = s->stuck_arena ? pf_arena_array(s->stuck_arena, PfSlidingRow, modes->count) : NULL;
  PfSlidingMode *sliding = rows ? pf_arena_array(s->stuck_arena, PfSlidingMode, modes->count) : NULL;
  if (!sliding) return pf_driver_no_room(s);
  pf_driver_note_sliding(s);
  PF_TRY(pf_switch_modes_choose_rows(&s->modes));
  for (int r = 0; r < modes->row_count; r++) {
    int k = modes->row[r];
    rows[r] = (PfSlidingRow){.surface = at->at[k].surface, .mode = at->at[k].mode, .degree = at->degree[k],
                             .name = pf_expr_print(s->ctx, s->stuck_arena, at->at[k].surface, PF_TEXT)};
    if (!rows[r].name) return PF_ERR_MEMORY;
    PF_TRY(pf_switch_modes_factor(&s->modes, s->stuck_arena, r, &rows[r].factor));
  }
  for (int k = 0; k < modes->count; k++) {
    if (!modes->sticks[k]) continue;
    sliding[s->stuck_count] = (PfSlidingMode){at->at[k].mode, modes->load + (size_t)k*(size_t)modes->count};
    s->stuck_list[s->stuck_count++] = k;
  }
  int count = modes->row_count;
  if (count > s->stuck_before) s->past.sticks += count - s->stuck_before;
  PF_TRY(pf_sliding_make(s->ctx, s->stuck_arena, &s->phase.equations, rows, count, sliding, s->stuck_count, &s->stuck));
  PF_TRY(pf_system_new(s->ctx, &s->stuck.equations, &s->stuck_system));
  s->stuck_values = pf_arena_array(s->stuck_arena, double, pf_system_symbols(s->stuck_system)->count);
  return s->stuck_values ? warn_of_sharing(s) : pf_driver_no_room(s);
}

/* The modes of a new phase follow from the state; s->undecided when that has no accelerations. */
PfStatus pf_driver_decide(PfDriver *s)
{
  if (s->decided || s->switches.count == 0) return PF_OK;
  s->decided = true;
  pf_driver_load_phase(s);
  pf_switch_modes_set(&s->modes, s->phase_values);
  PfStatus status = pf_switch_modes_decide(&s->modes, NULL, NULL);
  s->undecided = status != PF_OK;
  if (s->undecided) return pf_is_final(status) ? status : PF_OK;
  return pf_driver_begin_sliding(s);
}

/* The system that moves now, with the numbers where the run is. */
const PfSystem *pf_driver_moving_system(PfDriver *s, const double **values)
{
  int modes = s->switches.count;
  if (modes) memcpy(s->values + s->symbols->q - modes, s->modes.core.mode, (size_t)modes*sizeof *s->values);
  pf_driver_load_phase(s);
  *values = s->phase_values;
  if (!s->stuck_system) return s->phase_system;
  memcpy(s->stuck_values, s->phase_values, (size_t)pf_system_symbols(s->phase_system)->lambda*sizeof *s->values);
  *values = s->stuck_values;
  return s->stuck_system;
}
