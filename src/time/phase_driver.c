/* SPDX-License-Identifier: Apache-2.0 */
/* A motion from one advance to the next: steps, events, changes of sticking. The motion of a phase is always open
 * between two advances, so that it can be evaluated. */
#include "time/phase_driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- results */

static void add_result(PfRunResult *sum, const PfRunResult *r, bool first)
{
  sum->end = r->end;
  sum->t = r->t;
  sum->formulations |= r->formulations;
  sum->steps += r->steps;
  sum->rejected += r->rejected;
  sum->evaluations += r->evaluations;
  sum->switches += r->switches;
  sum->position = fmax(sum->position, r->position);
  sum->velocity = fmax(sum->velocity, r->velocity);
  if (first) sum->energy_start = r->energy_start;
  sum->energy_end = r->energy_end;
  sum->drift += r->drift; /* every phase has its own balance */
  sum->kinetic = fmax(sum->kinetic, r->kinetic);
  if (r->weakest < sum->weakest) {
    sum->weakest = r->weakest;
    sum->weakest_t = r->weakest_t;
    sum->weakest_row = r->weakest_row;
  }
}

void pf_driver_end_motion(PfDriver *s)
{
  if (!s->motion) return;
  add_result(&s->past, &s->motion->result, !s->any_past);
  s->any_past = true;
  pf_motion_close(s->motion);
  s->motion = NULL;
}

/* ---------------------------------------------------------------- the motion of a phase */

/* The methods that take over, one after the other, where the motion is stiff and the method is the default: libraries
 * may be missing, and a method may need formulas. Then the first one goes on as if the options had named it. */
static const char *const implicit[] = {NULL, "cvode_bdf", "generalized_alpha", PF_DEFAULT_METHOD};
enum { IMPLICIT = sizeof implicit/sizeof *implicit };

static const char *method_of(const PfDriver *s)
{
  return s->opened.implicit ? implicit[s->opened.implicit] : s->options.method;
}

static PfRunOptions phase_options(const PfDriver *s, double horizon)
{
  PfRunOptions o = s->options;
  o.method = method_of(s);
  if (s->opened.implicit) o.step = 0; /* it was the first one of another method */
  if (s->whole) return o;
  o.t_end = horizon;
  if (o.most_steps > 0) o.most_steps = o.most_steps > s->past.steps ? o.most_steps - s->past.steps : 1;
  return o;
}

/* Does the requested formulation not support sticking? Then 'multipliers' takes over, with one warning. */
static bool falls_back(PfDriver *s, const PfRunOptions *o, PfStatus status)
{
  const PfRunResult *r = s->motion ? &s->motion->result : NULL;
  bool other = o->formulation && strcmp(o->formulation, "multipliers") != 0;
  bool failed = r ? r->end == PF_RUN_TROUBLE && r->steps == 0 : status == PF_ERR_MODEL;
  if (!s->stuck_count || !other || !failed) return false;
  /* it is the sticking that it has no place for if it applies when nothing sticks */
  PfSolver *solver = NULL;
  const PfFormulation *form = pf_formulation_find(o->formulation);
  int before = pf_diagnostic_count(s->ctx);
  bool applies = form && pf_solver_new(s->ctx, s->phase_system, form, &solver) == PF_OK;
  pf_solver_free(solver);
  pf_diagnostics_truncate(s->ctx, before);
  if (!applies) return false;
  if (!s->warned)
    pf_warn_at(s->ctx, (PfPlace){0}, "the formulation '%s' has no place for what sticks from t = %.6g on: such phases "
               "are computed by 'multipliers'", o->formulation, s->values[s->symbols->time]);
  return s->warned = true;
}

/* The stop of the run and the conditions of the events that have not happened. */
static PfStatus list_conditions(PfDriver *s)
{
  int count = 0;
  s->exchange = (PfPhaseExchange){.modes = s->switches.count ? &s->modes : NULL, .stuck = s->stuck_list,
                                  .stuck_count = s->stuck_count, .stuck_mode = s->stuck.mode,
                                  .changes = s->exchange.changes, .change_t = s->exchange.change_t,
                                  .warned_of_skips = s->exchange.warned_of_skips, .conditions = s->conditions,
                                  .holds = s->condition_holds, .condition = -1};
  if (s->until != PF_EXPR_NONE) {
    s->condition_event[count] = -1;
    s->conditions[count++] = s->until;
  }
  for (int e = 0; e < s->event_count; e++) {
    if (s->fired[e] || s->condition_form[e] == PF_EXPR_NONE) continue;
    s->condition_event[count] = e;
    s->conditions[count++] = s->condition_form[e];
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < s->stuck_count; k++) { /* the mode of a sticking contact follows from multipliers */
      PfExpr mode = s->switches.at[s->stuck_list[k]].mode;
      PF_TRY(pf_expr_substitute(s->ctx, s->conditions + i, 1, &mode, s->stuck.mode + k, 1, s->conditions + i));
    }
    PF_TRY(pf_driver_without_absent(s, s->conditions + i));
  }
  s->exchange.condition_count = count;
  return PF_OK;
}

static PfStatus open_by(PfDriver *s, const char *formulation, double horizon)
{
  const double *values;
  const PfSystem *system = pf_driver_moving_system(s, &values);
  PfRunOptions o = phase_options(s, horizon);
  o.formulation = formulation;
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_motion_open(s->ctx, system, values, &o, &s->exchange, &s->motion);
  if (!falls_back(s, &o, status)) return status;
  pf_diagnostics_truncate(s->ctx, before);
  pf_driver_end_motion(s);
  return open_by(s, NULL, horizon);
}

static PfStatus open_here(PfDriver *s, double horizon)
{
  if (!s->whole) {
    PF_TRY(list_conditions(s));
    return open_by(s, s->options.formulation, horizon);
  }
  /* the system moves as a whole, with formulas when the method that takes over needs them */
  PfRunOptions o = phase_options(s, horizon);
  bool formulas = pf_system_in_bodies(s->system) && !pf_motion_does_without_formulas(&o);
  if (formulas && !s->written) {
    s->written_equations = *pf_system_equations(s->system);
    if (s->written_equations.n > PF_MOST_WRITTEN_OUT)
      return pf_fail(s->ctx, PF_ERR_MODEL, "the method '%s' needs formulas, which would be too long", o.method);
    PF_TRY(pf_equations_write_out(s->ctx, s->own, &s->written_equations));
    PF_TRY(pf_system_new(s->ctx, &s->written_equations, &s->written));
  }
  return pf_motion_open(s->ctx, formulas ? s->written : s->system, s->values, &o, &s->exchange, &s->motion);
}

PfStatus pf_driver_open_motion(PfDriver *s, double horizon)
{
  pf_driver_note_opening(s);
  return open_here(s, horizon);
}

/* The phase moves from where the run is. */
static PfStatus open_motion(PfDriver *s, double horizon)
{
  PF_TRY(pf_driver_decide(s));
  if (s->undecided) {
    s->stage = PF_STAGE_OVER;
    s->end = PF_RUN_TROUBLE;
    return PF_OK;
  }
  return pf_driver_open_motion(s, horizon);
}

/* ---------------------------------------------------------------- moves */

double pf_driver_time(const PfDriver *s)
{
  return s->motion ? s->motion->seen.t : s->values[s->symbols->time];
}

bool pf_driver_is_stop(const PfDriver *s)
{
  if (!s->motion || s->stage == PF_STAGE_OVER) return false;
  const PfSeen *seen = &s->motion->seen;
  bool met = s->motion->result.end == PF_RUN_UNTIL || (seen->pending && seen->crossing.condition >= 0);
  return met || pf_driver_next_instant(s, INFINITY) <= seen->t;
}

void pf_driver_state(const PfDriver *s, double *y)
{
  if (s->whole) {
    const double *now = s->motion ? pf_seen_state(s->motion) : s->values + s->symbols->q;
    memcpy(y, now, 2*(size_t)(s->symbols->v - s->symbols->q)*sizeof *y);
    return;
  }
  memcpy(y, s->values + s->symbols->q, 2*(size_t)s->eq->n*sizeof *y);
  for (int i = 0; s->motion && i < s->motion->n; i++) {
    y[s->phase.coordinate[i]] = pf_seen_state(s->motion)[i];
    y[s->eq->n + s->phase.coordinate[i]] = pf_seen_state(s->motion)[s->motion->n + i];
  }
}

PfRunEnd pf_driver_next_end(const PfDriver *s)
{
  return s->stage == PF_STAGE_OVER ? s->end : s->motion ? s->motion->result.end : PF_RUN_DONE;
}

PfRunResult pf_driver_result(const PfDriver *s)
{
  PfRunResult sum = s->past;
  sum.formulation = pf_run_formulation(&s->options);
  const char *method = method_of(s);
  bool stiff = s->opened.implicit && s->opened.implicit < IMPLICIT - 1;
  sum.method = method ? method : PF_DEFAULT_METHOD;
  sum.stiff = stiff;
  sum.stiff_t = stiff ? s->opened.stiff_t : 0;
  if (s->motion) {
    add_result(&sum, &s->motion->result, !s->any_past);
    sum.formulation = pf_formulation_name(pf_solver_formulation(s->motion->flow.solver));
  }
  sum.end = s->stage == PF_STAGE_OVER ? s->end : PF_RUN_DONE;
  sum.t = pf_driver_time(s);
  return sum;
}

/* Where the motion stands, as numbers of the complete model. */
static void store(PfDriver *s)
{
  const double *y = s->motion->state.y;
  if (s->whole) {
    s->values[s->symbols->time] = s->motion->state.t;
    memcpy(s->values + s->symbols->q, y, 2*(size_t)s->motion->n*sizeof *y);
  } else {
    pf_driver_store_phase(s, s->motion->state.t, y, y + s->phase.equations.n);
  }
}

static void end_by(PfDriver *s, PfRunEnd end)
{
  if (s->motion) store(s);
  s->stage = PF_STAGE_OVER;
  s->end = end;
}

/* A condition has become true: the stop, or those of events. */
static void end_by_condition(PfDriver *s)
{
  store(s);
  if (s->whole || s->condition_event[s->exchange.condition] < 0) {
    end_by(s, PF_RUN_UNTIL);
    return;
  }
  for (int i = 0; i < s->exchange.condition_count; i++)
    if (s->condition_event[i] >= 0)
      s->forced[s->condition_event[i]] = s->condition_holds[i] || i == s->exchange.condition;
  s->stage = PF_STAGE_CHECK;
}

/* The motion goes on at the same state by an implicit method. */
static PfStatus go_on_implicitly(PfDriver *s, double horizon, int before)
{
  PfStatus status = PF_ERR_NUMBER;
  store(s);
  s->opened.stiff_t = s->motion->state.t;
  for (s->opened.implicit = 1; s->opened.implicit < IMPLICIT; s->opened.implicit++) {
    pf_diagnostics_truncate(s->ctx, before);
    pf_driver_end_motion(s);
    status = pf_driver_open_motion(s, horizon);
    if (pf_is_final(status) || (status == PF_OK && !pf_run_failed(s->motion->result.end))) break;
  }
  if (s->opened.implicit == IMPLICIT) s->opened.implicit--;
  return status;
}

/* Handles the end of the motion of the phase: it may need other equations. */
static PfStatus follow(PfDriver *s, double horizon, int before)
{
  PfRunEnd end = s->motion->result.end;
  if (end == PF_RUN_TROUBLE && falls_back(s, &s->options, PF_OK)) {
    pf_diagnostics_truncate(s->ctx, before);
    pf_driver_end_motion(s);
    return open_by(s, NULL, horizon);
  }
  if (end == PF_RUN_STALL && s->motion->by_default) return go_on_implicitly(s, horizon, before);
  if (!s->exchange.switched || end != PF_RUN_DONE) return PF_OK;
  store(s); /* other surfaces stick from here on; the motion goes on at the same state */
  pf_driver_end_motion(s);
  PF_TRY(pf_driver_begin_sliding(s));
  return open_motion(s, horizon);
}

/* ---------------------------------------------------------------- changes from outside */

void pf_driver_set_input(PfDriver *s, int input, double value)
{
  double *now = s->values + s->symbols->inputs + input;
  s->inputs_changed = s->inputs_changed || *now != value;
  *now = value;
}

const double *pf_driver_inputs(const PfDriver *s)
{
  return s->motion ? s->motion->flow.values + s->motion->symbols->inputs : s->values + s->symbols->inputs;
}

/* Does nothing stick at the new inputs, and every force that switches stay on its side? Then the equations stay. */
static bool keeps_modes(PfDriver *s)
{
  PfModes *modes = &s->modes.core;
  if (s->stuck_count) return false;
  int before = pf_diagnostic_count(s->ctx);
  pf_driver_load_phase(s);
  pf_switch_modes_set(&s->modes, s->phase_values);
  bool same = pf_switch_modes_decide(&s->modes, NULL, NULL) == PF_OK;
  pf_diagnostics_truncate(s->ctx, before);
  for (int k = 0; k < modes->count; k++)
    same = same && !modes->sticks[k] && modes->mode[k] == modes->before[k] && modes->mode[k] != 0;
  if (same) return true;
  memcpy(modes->mode, modes->before, (size_t)modes->count*sizeof *modes->mode);
  memset(modes->sticks, 0, (size_t)modes->count*sizeof *modes->sticks);
  return false;
}

static PfStatus take_inputs(PfDriver *s, double horizon)
{
  s->inputs_changed = false;
  if (s->motion && s->switches.count) store(s);
  if (!s->motion || (s->switches.count && !keeps_modes(s))) {
    /* the modes at the new inputs: forces of friction may be too small now to hold the sticking contacts */
    pf_driver_end_motion(s);
    s->decided = false;
    return open_motion(s, horizon);
  }
  size_t inputs = (size_t)(s->symbols->q - s->symbols->inputs - s->switches.count);
  memcpy(s->motion->flow.values + s->motion->symbols->inputs, s->values + s->symbols->inputs, inputs*sizeof *s->values);
  int before = pf_diagnostic_count(s->ctx);
  pf_motion_apply_inputs(s->motion);
  return follow(s, horizon, before);
}

static PfStatus settle(PfDriver *s, double horizon)
{
  int before = pf_diagnostic_count(s->ctx);
  s->exchange.horizon = horizon;
  pf_motion_settle(s->motion);
  return follow(s, horizon, before);
}

/* A failure between two advances ends the motion as one in an advance does. */
static PfStatus end_unless(PfDriver *s, PfStatus status)
{
  if (status != PF_OK) s->stage = PF_STAGE_OVER, s->end = PF_RUN_TROUBLE;
  return status;
}

static bool goes_on(const PfDriver *s)
{
  bool stands = s->stage == PF_STAGE_ADVANCE || s->stage == PF_STAGE_CHECK;
  return stands && (!s->motion || s->motion->result.end == PF_RUN_DONE);
}

PfStatus pf_driver_apply_inputs(PfDriver *s)
{
  if (!s->inputs_changed || !goes_on(s)) return PF_OK;
  if (s->motion && s->motion->seen.pending) PF_TRY(end_unless(s, settle(s, s->exchange.horizon)));
  if (!goes_on(s)) return PF_OK;
  PfStage stage = s->stage;
  PF_TRY(end_unless(s, take_inputs(s, s->options.t_end)));
  bool none = s->motion ? s->motion->result.end == PF_RUN_TROUBLE : s->undecided;
  if (!none) return PF_OK;
  /* It is the next advance that ends the motion; until then other inputs may be set. With switches the motion is opened
   * again for these. */
  if (s->switches.count) pf_driver_end_motion(s);
  else if (s->motion) s->motion->result.end = PF_RUN_DONE;
  s->stage = stage;
  s->inputs_changed = true;
  return PF_ERR_NUMBER;
}

static void set_tolerances(PfDriver *s)
{
  s->options.rtol = pf_run_rtol(&s->options);
  if (!(s->options.atol > 0)) s->options.atol = pf_default_atol(s->size, s->options.rtol);
}

PfStatus pf_driver_set_options(PfDriver *s, const PfSystem *system, const PfRunOptions *options)
{
  if (!s->motion || s->stage == PF_STAGE_OVER) return PF_OK;
  if (s->motion->seen.pending) PF_TRY(end_unless(s, settle(s, s->exchange.horizon)));
  if (!s->motion) return PF_OK;
  store(s);
  const PfDriver before = *s;
  add_result(&s->past, &s->motion->result, !s->any_past);
  s->any_past = true;
  s->motion = NULL;
  if (s->whole) s->system = system;
  s->options = *options;
  s->options.until = before.options.until;
  s->opened.implicit = 0;
  set_tolerances(s);
  PfStatus status = open_here(s, s->options.t_end);
  if (status == PF_OK && pf_run_failed(s->motion->result.end) && !pf_run_failed(before.motion->result.end))
    status = PF_ERR_NUMBER;
  if (status != PF_OK) { /* the motion of before goes on */
    pf_motion_close(s->motion);
    s->motion = before.motion;
    s->system = before.system;
    s->options = before.options;
    s->past = before.past;
    s->exchange = before.exchange;
    s->any_past = before.any_past;
    s->warned = before.warned;
    s->opened.implicit = before.opened.implicit;
    return status;
  }
  pf_motion_close(before.motion);
  pf_driver_note_opening(s);
  if (!s->switches.count) s->inputs_changed = false;
  return PF_OK;
}

/* ---------------------------------------------------------------- steps */

/* Towards the next instant at which something is due, or the horizon; *done: that was an advance. */
static PfStatus advance_motion(PfDriver *s, double horizon, PfAdvance *advance, bool *done)
{
  double next = pf_driver_next_instant(s, horizon);
  if (!s->motion) return take_inputs(s, next); /* those that were looked at have none */
  PfRunEnd end = s->motion->result.end;
  if (end == PF_RUN_UNTIL) end_by_condition(s);
  else if (end != PF_RUN_DONE) end_by(s, end);
  else if (s->motion->seen.pending) return settle(s, next);
  else if (s->inputs_changed) return take_inputs(s, next);
  else if (s->motion->state.t < next) {
    int before = pf_diagnostic_count(s->ctx);
    s->exchange.horizon = next;
    pf_motion_step(s->motion, next);
    *advance = PF_ADVANCE_STEP;
    *done = s->motion->result.end == PF_RUN_DONE; /* there is a step to look at */
    return follow(s, next, before);
  } else { /* the horizon is reached, or an instant at which something is due */
    store(s);
    *advance = PF_ADVANCE_END;
    *done = pf_driver_next_instant(s, INFINITY) > s->motion->state.t;
    if (!*done) s->stage = PF_STAGE_CHECK;
  }
  return PF_OK;
}

static PfStatus find_advance(PfDriver *s, double horizon, PfAdvance *advance)
{
  for (bool done = false; !done;) {
    int event = -1;
    switch (s->stage) {
    case PF_STAGE_CHECK:
      if (!s->whole) PF_TRY(pf_driver_due_event(s, &event));
      done = event >= 0;
      *advance = PF_ADVANCE_BEFORE;
      s->stage = done ? PF_STAGE_HAPPEN : PF_STAGE_ADVANCE;
      break;
    case PF_STAGE_HAPPEN:
      PF_TRY(pf_driver_handle_due_events(s));
      *advance = PF_ADVANCE_EVENT;
      s->stage = PF_STAGE_ADVANCE;
      return open_motion(s, pf_driver_next_instant(s, horizon));
    case PF_STAGE_ADVANCE: PF_TRY(advance_motion(s, horizon, advance, &done)); break;
    case PF_STAGE_OVER: *advance = PF_ADVANCE_END; return PF_OK;
    }
  }
  return PF_OK;
}

PfStatus pf_driver_advance(PfDriver *s, double horizon, PfAdvance *advance)
{
  PfStatus status = find_advance(s, horizon, advance);
  if (status != PF_OK) s->stage = PF_STAGE_OVER, s->end = PF_RUN_TROUBLE, *advance = PF_ADVANCE_END;
  s->advances++;
  s->latest = *advance;
  return status;
}

/* ---------------------------------------------------------------- making */

static PfStatus make_room(PfDriver *s)
{
  size_t n = (size_t)s->eq->n, m = (size_t)s->eq->m, events = (size_t)s->event_count;
  s->values = pf_arena_array(s->own, double, s->symbols->count);
  s->instant = pf_arena_array(s->own, double, events);
  s->held = pf_arena_array(s->own, bool, n);
  s->active = pf_arena_array(s->own, bool, m);
  s->fired = pf_arena_array(s->own, bool, events);
  s->forced = pf_arena_array(s->own, bool, events);
  s->q = pf_arena_array(s->own, double, 2*n);
  s->mode = pf_arena_array(s->own, double, s->switches.count);
  s->a = pf_arena_array(s->own, double, n);
  s->condition_form = pf_arena_array(s->own, PfExpr, events);
  s->conditions = pf_arena_array(s->own, PfExpr, events + 1);
  s->condition_event = pf_arena_array(s->own, int, events + 1);
  s->condition_holds = pf_arena_array(s->own, bool, events + 1);
  s->multiplier = pf_arena_array(s->own, double, m);
  s->log->record = pf_arena_array(s->arena, PfEventRecord, events);
  for (size_t e = 0; s->log->record && e < events; e++) {
    s->log->record[e].joint = pf_arena_array(s->arena, double, n);
    s->log->record[e].multiplier = pf_arena_array(s->arena, double, m);
    if (!s->log->record[e].joint || !s->log->record[e].multiplier) return pf_driver_no_room(s);
  }
  bool good = s->values && s->instant && s->held && s->active && s->fired && s->forced && s->q && s->a &&
              s->mode && s->multiplier && s->condition_form && s->conditions && s->condition_event &&
              s->condition_holds && s->log->record;
  return good ? PF_OK : pf_driver_no_room(s);
}

/* A condition with the forces of locks and constraints written out. */
static PfStatus express(PfDriver *s, const PfEquations *eq, PfExpr *condition)
{
  return *condition == PF_EXPR_NONE ? PF_OK : pf_equations_express(s->ctx, s->own, eq, condition, 1);
}

static PfStatus prepare_events(PfDriver *s)
{
  for (int i = 0; i < s->eq->n; i++) s->held[i] = s->model->coordinates[i].released;
  for (int k = 0; k < s->eq->m; k++) s->active[k] = !s->model->constraints[k].attached;
  for (int e = 0; e < s->event_count; e++) {
    const PfEvent *event = s->model->events + e;
    s->instant[e] = NAN;
    s->condition_form[e] = event->condition;
    if (event->time != PF_EXPR_NONE) PF_TRY(pf_driver_evaluate(s, &event->time, 1, s->instant + e));
    PF_TRY(express(s, s->eq, s->condition_form + e));
    if (event->condition == PF_EXPR_NONE || s->by_forces) continue;
    const PfExpr condition = s->condition_form[e];
    s->by_forces = pf_expr_depends(s->ctx, condition, s->symbols->symbol + s->symbols->lambda, s->eq->m);
    for (int i = 0; i < s->eq->n && !s->by_forces; i++)
      s->by_forces = pf_expr_depends(s->ctx, condition, &s->model->coordinates[i].a, 1);
  }
  s->until = s->options.until;
  PF_TRY(express(s, s->eq, &s->until));
  return s->event_count ? pf_model_momentum(s->ctx, s->model, s->momentum) : PF_OK;
}

/* One phase from the beginning to the end: the system itself moves. */
static PfStatus open_whole(PfDriver *s, const PfSystem *system, const double *values)
{
  s->whole = true;
  s->until = s->options.until;
  PF_TRY(express(s, pf_system_equations(system), &s->until));
  s->exchange = (PfPhaseExchange){.conditions = &s->until, .condition_count = s->until != PF_EXPR_NONE,
                                  .condition = -1};
  s->system = system;
  s->symbols = pf_system_symbols(system);
  s->values = pf_arena_array(s->own, double, s->symbols->count);
  if (!s->values) return pf_driver_no_room(s);
  memcpy(s->values, values, (size_t)s->symbols->count*sizeof *values);
  PF_TRY(pf_driver_register_state(s));
  return pf_driver_open_motion(s, s->options.t_end);
}

static PfStatus open_all(PfDriver *s, const PfSystem *system, const double *values)
{
  const PfSymbols *from = pf_system_symbols(system);
  const PfModel *model = pf_system_equations(system)->model;
  PF_TRY(pf_switches_find(s->ctx, s->own, pf_system_equations(system), &s->switches));
  bool waits = false; /* does something take part only from an event on? */
  for (int i = 0; i < model->coordinate_count; i++) waits = waits || model->coordinates[i].released;
  for (int k = 0; k < model->constraint_count; k++) waits = waits || model->constraints[k].attached;
  if (s->switches.count == 0 && !s->log && !waits) return open_whole(s, system, values);
  if (s->log) s->event_count = model->event_count;
  else s->log = &s->no_log;
  s->eq = &s->switches.equations;
  s->model = s->eq->model;
  s->symbols = from;
  s->exchange.change_t = -INFINITY;
  if (s->switches.count) {
    PF_TRY(pf_equations_symbols(s->ctx, s->own, s->model, &s->own_symbols));
    s->symbols = &s->own_symbols;
  }
  PF_TRY(make_room(s));
  /* numbers of the complete model; the modes, its last inputs, are found later */
  memcpy(s->values, values, (size_t)from->q*sizeof *values);
  memcpy(s->values + s->symbols->q, values + from->q, (size_t)(from->count - from->q)*sizeof *values);
  PF_TRY(prepare_events(s));
  PF_TRY(pf_driver_register_state(s));
  PF_TRY(pf_driver_begin_phase(s));
  return open_motion(s, pf_driver_next_instant(s, s->options.t_end));
}

PfStatus pf_driver_open(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                        const PfRunOptions *options, PfEventLog *log, PfDriver **out)
{
  PfArena *own = pf_arena_new(pf_context_allocator(ctx));
  PfDriver *s = own ? pf_arena_array(own, PfDriver, 1) : NULL;
  *out = NULL;
  if (!s) {
    pf_arena_free(own);
    return pf_no_room(ctx, "the run");
  }
  /* Does the time have digits for the steps of the run? Where it moves by more than milliseconds, a run of no length is
   * one whose length was lost. */
  PfStatus status = PF_OK;
  double start = values[pf_system_symbols(system)->time], end = options->t_end, tick = DBL_EPSILON*fabs(start);
  if (!(end - start >= 1e4*tick || (end <= start && tick < 1e-3))) {
    status = pf_fail(ctx, PF_ERR_ARGUMENT, "at t = %g the time moves by %.2g s at least: a run to t = %.17g cannot be "
                     "resolved", start, tick, end);
    pf_hint(ctx, "begin at an earlier time, and let functions of time have an offset");
  }
  *s = (PfDriver){.ctx = ctx, .arena = arena ? arena : own, .own = own, .options = *options, .log = log,
                  .past = {.weakest = 1, .weakest_row = -1}, .size = 1};
  if (status == PF_OK) s->size = pf_state_size(ctx, system, values, options->t_end);
  set_tolerances(s);
  if (status == PF_OK) status = open_all(s, system, values);
  if (status == PF_OK) *out = s;
  else pf_driver_close(s);
  return status;
}

void pf_driver_close(PfDriver *s)
{
  if (!s) return;
  pf_driver_end_phase(s);
  pf_system_free(s->written);
  pf_arena_free(s->own);
}
