/* SPDX-License-Identifier: Apache-2.0 */
/* A motion from move to move: steps, events, changes of what sticks. The motion of a phase is always open between two
 * moves, so that it can be looked at. */
#include "time/phases.h"

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

void pf_phases_end_motion(PfPhases *s)
{
  if (!s->motion) return;
  add_result(&s->past, &s->motion->result, !s->any_past);
  s->any_past = true;
  pf_motion_close(s->motion);
  s->motion = NULL;
}

/* ---------------------------------------------------------------- the motion of a phase */

/* What takes over, one after the other, where the motion is stiff and no method was asked for: libraries may be
 * missing, and a method may need formulas. Then the first one goes on as if it had been asked for. */
static const char *const implicit[] = {NULL, "cvode_bdf", "generalized_alpha", "dopri5"};
enum { IMPLICIT = sizeof implicit/sizeof *implicit };

static const char *method_of(const PfPhases *s)
{
  return s->opened.implicit ? implicit[s->opened.implicit] : s->options.method;
}

static PfRunOptions phase_options(const PfPhases *s, double horizon)
{
  PfRunOptions o = s->options;
  o.method = method_of(s);
  if (s->opened.implicit) o.step = 0; /* it was the first one of another method */
  if (s->whole) return o;
  o.t_end = horizon;
  if (o.most_steps > 0) o.most_steps = o.most_steps > s->past.steps ? o.most_steps - s->past.steps : 1;
  return o;
}

/* Does the formulation apply when nothing sticks? Then it is the sticking that it has no place for. */
static bool applies_without(PfPhases *s, const char *formulation)
{
  PfSolver *solver = NULL;
  const PfFormulation *form = pf_formulation_find(formulation);
  int before = pf_diagnostic_count(s->ctx);
  bool applies = form && pf_solver_new(s->ctx, s->phase_system, form, &solver) == PF_OK;
  pf_solver_free(solver);
  pf_diagnostics_cut(s->ctx, before);
  return applies;
}

/* Has the formulation that was asked for no place for what sticks? Then 'multipliers' takes over, which is said
 * once. */
static bool falls_back(PfPhases *s, const PfRunOptions *o, PfStatus status)
{
  const PfRunResult *r = s->motion ? &s->motion->result : NULL;
  bool other = o->formulation && strcmp(o->formulation, "multipliers") != 0;
  bool failed = r ? r->end == PF_RUN_TROUBLE && r->steps == 0 : status == PF_ERR_MODEL;
  if (!s->stuck_count || !other || !failed || !applies_without(s, o->formulation)) return false;
  if (!s->warned)
    pf_warn_at(s->ctx, (PfPlace){0}, "the formulation '%s' has no place for what sticks from t = %.6g on: such phases "
               "are computed by 'multipliers'", o->formulation, s->values[s->symbols->time]);
  return s->warned = true;
}

/* Of what sticks the side, of which forces are made, follows from multipliers. */
static PfStatus settle_condition(const PfPhases *s, PfExpr *e)
{
  for (int i = 0; i < s->stuck_count; i++) {
    PfExpr side = s->switches.at[s->stuck_list[i]].side;
    PF_TRY(pf_expr_substitute(s->ctx, e, 1, &side, s->stuck.side + i, 1, e));
  }
  return pf_phases_without_absent(s, e);
}

/* The stop of the run and the conditions of the events that have not happened. */
static PfStatus list_conditions(PfPhases *s)
{
  int count = 0;
  s->told = (PfPhaseRun){.sides = s->switches.count ? &s->sides : NULL, .stuck = s->stuck_list,
                         .stuck_count = s->stuck_count, .stuck_side = s->stuck.side,
                         .changes = s->told.changes, .change_t = s->told.change_t,
                         .warned_of_skips = s->told.warned_of_skips, .conditions = s->conditions,
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
  for (int i = 0; i < count; i++) PF_TRY(settle_condition(s, s->conditions + i));
  s->told.condition_count = count;
  return PF_OK;
}

static PfStatus open_by(PfPhases *s, const char *formulation, double horizon)
{
  const double *values;
  const PfSystem *system = pf_phases_moving_system(s, &values);
  PfRunOptions o = phase_options(s, horizon);
  o.formulation = formulation;
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_motion_open(s->ctx, system, values, &o, &s->told, &s->motion);
  if (!falls_back(s, &o, status)) return status;
  pf_diagnostics_cut(s->ctx, before);
  pf_phases_end_motion(s);
  return open_by(s, NULL, horizon);
}

/* The system that moves as a whole, with formulas when the method that takes over needs them. */
static PfStatus whole_system(PfPhases *s, const PfRunOptions *o, const PfSystem **system)
{
  *system = s->system;
  if (!pf_system_in_bodies(s->system) || pf_motion_does_without_formulas(o)) return PF_OK;
  if (!s->written) {
    s->written_equations = *pf_system_equations(s->system);
    if (s->written_equations.n > PF_MOST_WRITTEN_OUT)
      return pf_fail(s->ctx, PF_ERR_MODEL, "the method '%s' needs formulas, which would be too long", o->method);
    PF_TRY(pf_equations_write_out(s->ctx, s->own, &s->written_equations));
    PF_TRY(pf_system_new(s->ctx, &s->written_equations, &s->written));
  }
  *system = s->written;
  return PF_OK;
}

static PfStatus open_here(PfPhases *s, double horizon)
{
  if (s->whole) {
    const PfSystem *system;
    PfRunOptions o = phase_options(s, horizon);
    PF_TRY(whole_system(s, &o, &system));
    return pf_motion_open(s->ctx, system, s->values, &o, &s->told, &s->motion);
  }
  PF_TRY(list_conditions(s));
  return open_by(s, s->options.formulation, horizon);
}

PfStatus pf_phases_open_motion(PfPhases *s, double horizon)
{
  pf_phases_note_opening(s);
  return open_here(s, horizon);
}

/* The phase moves from where the run is. */
static PfStatus open_motion(PfPhases *s, double horizon)
{
  PF_TRY(pf_phases_decide(s));
  if (s->undecided) {
    s->stage = PF_STAGE_OVER;
    s->end = PF_RUN_TROUBLE;
    return PF_OK;
  }
  return pf_phases_open_motion(s, horizon);
}

/* ---------------------------------------------------------------- moves */

double pf_phases_time(const PfPhases *s)
{
  return s->motion ? s->motion->seen.t : s->values[s->symbols->time];
}

bool pf_phases_is_stop(const PfPhases *s)
{
  if (!s->motion || s->stage == PF_STAGE_OVER) return false;
  const PfSeen *seen = &s->motion->seen;
  bool met = s->motion->result.end == PF_RUN_UNTIL || (seen->pending && seen->cut.condition >= 0);
  return met || pf_phases_next_instant(s, INFINITY) <= seen->t;
}

void pf_phases_state(const PfPhases *s, double *y)
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

PfRunEnd pf_phases_outlook(const PfPhases *s)
{
  return s->stage == PF_STAGE_OVER ? s->end : s->motion ? s->motion->result.end : PF_RUN_DONE;
}

PfRunResult pf_phases_result(const PfPhases *s)
{
  PfRunResult sum = s->past;
  sum.formulation = s->options.formulation ? s->options.formulation : "auto";
  const char *method = method_of(s);
  bool stiff = s->opened.implicit && s->opened.implicit < IMPLICIT - 1;
  sum.method = method ? method : "dopri5";
  sum.stiff = stiff;
  sum.stiff_t = stiff ? s->opened.stiff_t : 0;
  if (s->motion) {
    add_result(&sum, &s->motion->result, !s->any_past);
    sum.formulation = pf_formulation_name(pf_solver_formulation(s->motion->flow.solver));
  }
  sum.end = s->stage == PF_STAGE_OVER ? s->end : PF_RUN_DONE;
  sum.t = pf_phases_time(s);
  return sum;
}

/* Where the motion stands, as numbers of the complete model. */
static void store(PfPhases *s)
{
  const double *y = s->motion->state.y;
  if (s->whole) {
    s->values[s->symbols->time] = s->motion->state.t;
    memcpy(s->values + s->symbols->q, y, 2*(size_t)s->motion->n*sizeof *y);
  } else {
    pf_phases_store(s, s->motion->state.t, y, y + s->phase.equations.n);
  }
}

static void end_by(PfPhases *s, PfRunEnd end)
{
  if (s->motion) store(s);
  s->stage = PF_STAGE_OVER;
  s->end = end;
}

/* A condition has become true: the stop, or those of events. */
static void meet_condition(PfPhases *s)
{
  store(s);
  if (s->whole || s->condition_event[s->told.condition] < 0) {
    end_by(s, PF_RUN_UNTIL);
    return;
  }
  for (int i = 0; i < s->told.condition_count; i++)
    if (s->condition_event[i] >= 0) s->forced[s->condition_event[i]] = s->condition_holds[i] || i == s->told.condition;
  s->stage = PF_STAGE_CHECK;
}

/* Other surfaces stick from here on; the motion goes on at the same state. */
static PfStatus change_stuck(PfPhases *s, double horizon)
{
  store(s);
  pf_phases_end_motion(s);
  PF_TRY(pf_phases_begin_stuck(s));
  return open_motion(s, horizon);
}

/* The motion goes on at the same state by an implicit method. */
static PfStatus go_on_implicitly(PfPhases *s, double horizon, int before)
{
  PfStatus status = PF_ERR_NUMBER;
  store(s);
  s->opened.stiff_t = s->motion->state.t;
  for (s->opened.implicit = 1; s->opened.implicit < IMPLICIT; s->opened.implicit++) {
    pf_diagnostics_cut(s->ctx, before);
    pf_phases_end_motion(s);
    status = pf_phases_open_motion(s, horizon);
    if (pf_is_final(status) || (status == PF_OK && !pf_run_failed(s->motion->result.end))) break;
  }
  if (s->opened.implicit == IMPLICIT) s->opened.implicit--;
  return status;
}

/* What the motion of the phase has come to: it may need other equations. */
static PfStatus follow(PfPhases *s, double horizon, int before)
{
  PfRunEnd end = s->motion->result.end;
  if (end == PF_RUN_TROUBLE && falls_back(s, &s->options, PF_OK)) {
    pf_diagnostics_cut(s->ctx, before);
    pf_phases_end_motion(s);
    return open_by(s, NULL, horizon);
  }
  if (end == PF_RUN_STALL && s->motion->by_default) return go_on_implicitly(s, horizon, before);
  return s->told.switched && end == PF_RUN_DONE ? change_stuck(s, horizon) : PF_OK;
}

/* ---------------------------------------------------------------- changes from outside */

void pf_phases_set_input(PfPhases *s, int input, double value)
{
  double *now = s->values + s->symbols->inputs + input;
  s->inputs_changed = s->inputs_changed || *now != value;
  *now = value;
}

const double *pf_phases_inputs(const PfPhases *s)
{
  return s->motion ? s->motion->flow.values + s->motion->symbols->inputs : s->values + s->symbols->inputs;
}

/* Does nothing stick at the new inputs, and every force that switches stay on its side? Then the equations stay. */
static bool keeps_sides(PfPhases *s)
{
  PfSides *sides = &s->sides;
  if (s->stuck_count) return false;
  int before = pf_diagnostic_count(s->ctx);
  pf_phases_take(s);
  pf_sides_set(sides, s->phase_values);
  bool same = pf_sides_decide(sides, NULL, NULL) == PF_OK;
  pf_diagnostics_cut(s->ctx, before);
  for (int k = 0; k < sides->count; k++)
    same = same && !sides->stuck[k] && sides->side[k] == sides->old[k] && sides->side[k] != 0;
  if (same) return true;
  memcpy(sides->side, sides->old, (size_t)sides->count*sizeof *sides->side);
  memset(sides->stuck, 0, (size_t)sides->count*sizeof *sides->stuck);
  return false;
}

/* The sides at the new inputs: forces of friction may be too small now to hold what sticks. */
static PfStatus decide_again(PfPhases *s, double horizon)
{
  pf_phases_end_motion(s);
  s->decided = false;
  return open_motion(s, horizon);
}

static PfStatus take_inputs(PfPhases *s, double horizon)
{
  s->inputs_changed = false;
  if (!s->motion) return decide_again(s, horizon);
  if (s->switches.count) {
    store(s);
    if (!keeps_sides(s)) return decide_again(s, horizon);
  }
  size_t inputs = (size_t)(s->symbols->q - s->symbols->inputs - s->switches.count);
  memcpy(s->motion->flow.values + s->motion->symbols->inputs, s->values + s->symbols->inputs, inputs*sizeof *s->values);
  int before = pf_diagnostic_count(s->ctx);
  pf_motion_take_inputs(s->motion);
  return follow(s, horizon, before);
}

static PfStatus settle(PfPhases *s, double horizon)
{
  int before = pf_diagnostic_count(s->ctx);
  s->told.horizon = horizon;
  pf_motion_settle(s->motion);
  return follow(s, horizon, before);
}

/* A failure between two moves ends the motion as one in a move does. */
static PfStatus end_unless(PfPhases *s, PfStatus status)
{
  if (status != PF_OK) s->stage = PF_STAGE_OVER, s->end = PF_RUN_TROUBLE;
  return status;
}

static bool goes_on(const PfPhases *s)
{
  bool stands = s->stage == PF_STAGE_MOVE || s->stage == PF_STAGE_CHECK;
  return stands && (!s->motion || s->motion->result.end == PF_RUN_DONE);
}

/* There are no accelerations with the inputs that were taken for a look. It is the next move that ends the motion;
 * until then other ones may be set. With switches the motion is opened again for these. */
static PfStatus refuse_inputs(PfPhases *s, PfStage stage)
{
  if (s->switches.count) pf_phases_end_motion(s);
  else if (s->motion) s->motion->result.end = PF_RUN_DONE;
  s->stage = stage;
  s->inputs_changed = true;
  return PF_ERR_NUMBER;
}

PfStatus pf_phases_take_inputs(PfPhases *s)
{
  if (!s->inputs_changed || !goes_on(s)) return PF_OK;
  if (s->motion && s->motion->seen.pending) PF_TRY(end_unless(s, settle(s, s->told.horizon)));
  if (!goes_on(s)) return PF_OK;
  PfStage stage = s->stage;
  PF_TRY(end_unless(s, take_inputs(s, s->options.t_end)));
  bool none = s->motion ? s->motion->result.end == PF_RUN_TROUBLE : s->undecided;
  return none ? refuse_inputs(s, stage) : PF_OK;
}

/* What a motion that is opened in place of another one changes: without it that one goes on as before. */
typedef struct Before {
  PfMotionRun *motion;
  const PfSystem *system;
  PfRunOptions options;
  PfRunResult past;
  PfPhaseRun told;
  bool any_past, warned;
  int implicit;
} Before;

static Before set_aside(PfPhases *s)
{
  Before b = {s->motion, s->system, s->options, s->past, s->told, s->any_past, s->warned,
              s->opened.implicit};
  add_result(&s->past, &s->motion->result, !s->any_past);
  s->any_past = true;
  s->motion = NULL;
  return b;
}

static void put_back(PfPhases *s, const Before *b)
{
  pf_motion_close(s->motion);
  s->motion = b->motion;
  s->system = b->system;
  s->options = b->options;
  s->past = b->past;
  s->told = b->told;
  s->any_past = b->any_past;
  s->warned = b->warned;
  s->opened.implicit = b->implicit;
}

static void set_tolerances(PfPhases *s)
{
  if (!(s->options.rtol > 0)) s->options.rtol = PF_USUAL_RTOL;
  if (!(s->options.atol > 0)) s->options.atol = s->size*s->options.rtol/100;
}

PfStatus pf_phases_set_options(PfPhases *s, const PfSystem *system, const PfRunOptions *options)
{
  if (!s->motion || s->stage == PF_STAGE_OVER) return PF_OK;
  if (s->motion->seen.pending) PF_TRY(end_unless(s, settle(s, s->told.horizon)));
  if (!s->motion) return PF_OK;
  store(s);
  Before b = set_aside(s);
  if (s->whole) s->system = system;
  s->options = *options;
  s->options.until = b.options.until;
  s->opened.implicit = 0;
  set_tolerances(s);
  PfStatus status = open_here(s, s->options.t_end);
  if (status == PF_OK && pf_run_failed(s->motion->result.end) && !pf_run_failed(b.motion->result.end))
    status = PF_ERR_NUMBER;
  if (status != PF_OK) {
    put_back(s, &b);
    return status;
  }
  pf_motion_close(b.motion);
  pf_phases_note_opening(s);
  if (!s->switches.count) s->inputs_changed = false;
  return PF_OK;
}

/* ---------------------------------------------------------------- steps */

/* *stepped: there is a step to look at. */
static PfStatus step(PfPhases *s, double horizon, bool *stepped)
{
  int before = pf_diagnostic_count(s->ctx);
  s->told.horizon = horizon;
  pf_motion_step(s->motion, horizon);
  *stepped = s->motion->result.end == PF_RUN_DONE;
  return follow(s, horizon, before);
}

/* The horizon is reached, or an instant at which something is due. */
static void arrive(PfPhases *s, PfMove *move, bool *done)
{
  store(s);
  *move = PF_MOVE_END;
  *done = pf_phases_next_instant(s, INFINITY) > s->motion->state.t;
  if (!*done) s->stage = PF_STAGE_CHECK;
}

/* Towards the next instant at which something is due, or the horizon; *done: that was a move. */
static PfStatus move_on(PfPhases *s, double horizon, PfMove *move, bool *done)
{
  double next = pf_phases_next_instant(s, horizon);
  if (!s->motion) return take_inputs(s, next); /* those that were looked at have none */
  PfRunEnd end = s->motion->result.end;
  if (end == PF_RUN_UNTIL) meet_condition(s);
  else if (end != PF_RUN_DONE) end_by(s, end);
  else if (s->motion->seen.pending) return settle(s, next);
  else if (s->inputs_changed) return take_inputs(s, next);
  else if (s->motion->state.t >= next) arrive(s, move, done);
  else {
    *move = PF_MOVE_STEP;
    return step(s, next, done);
  }
  return PF_OK;
}

static PfStatus check_due(PfPhases *s, PfMove *move, bool *done)
{
  int event = -1;
  if (!s->whole) PF_TRY(pf_phases_find_due(s, &event));
  *done = event >= 0;
  *move = PF_MOVE_BEFORE;
  s->stage = *done ? PF_STAGE_HAPPEN : PF_STAGE_MOVE;
  return PF_OK;
}

static PfStatus happen(PfPhases *s, double horizon, PfMove *move)
{
  PF_TRY(pf_phases_happen_due(s));
  *move = PF_MOVE_EVENT;
  s->stage = PF_STAGE_MOVE;
  return open_motion(s, pf_phases_next_instant(s, horizon));
}

static PfStatus find_move(PfPhases *s, double horizon, PfMove *move)
{
  for (bool done = false; !done;) {
    switch (s->stage) {
    case PF_STAGE_CHECK: PF_TRY(check_due(s, move, &done)); break;
    case PF_STAGE_HAPPEN: done = true; PF_TRY(happen(s, horizon, move)); break;
    case PF_STAGE_MOVE: PF_TRY(move_on(s, horizon, move, &done)); break;
    case PF_STAGE_OVER: done = true; *move = PF_MOVE_END; break;
    }
  }
  return PF_OK;
}

PfStatus pf_phases_move(PfPhases *s, double horizon, PfMove *move)
{
  PfStatus status = find_move(s, horizon, move);
  if (status != PF_OK) s->stage = PF_STAGE_OVER, s->end = PF_RUN_TROUBLE, *move = PF_MOVE_END;
  s->moves++;
  s->latest = *move;
  return status;
}

/* ---------------------------------------------------------------- making */

/* Numbers of the complete model; the sides, its last inputs, are found later. */
static void copy_values(PfPhases *s, const PfSymbols *from, const double *values)
{
  const PfSymbols *to = s->symbols;
  memcpy(s->values, values, (size_t)from->q*sizeof *values);
  memcpy(s->values + to->q, values + from->q, (size_t)(from->count - from->q)*sizeof *values);
}

static PfStatus make_room(PfPhases *s)
{
  size_t n = (size_t)s->eq->n, m = (size_t)s->eq->m, events = (size_t)s->event_count;
  s->values = pf_arena_array(s->own, double, s->symbols->count);
  s->instant = pf_arena_array(s->own, double, events);
  s->held = pf_arena_array(s->own, bool, n);
  s->active = pf_arena_array(s->own, bool, m);
  s->fired = pf_arena_array(s->own, bool, events);
  s->forced = pf_arena_array(s->own, bool, events);
  s->q = pf_arena_array(s->own, double, 2*n);
  s->side = pf_arena_array(s->own, double, s->switches.count);
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
    if (!s->log->record[e].joint || !s->log->record[e].multiplier) return pf_phases_no_room(s);
  }
  bool good = s->values && s->instant && s->held && s->active && s->fired && s->forced && s->q && s->a &&
              s->side && s->multiplier && s->condition_form && s->conditions && s->condition_event &&
              s->condition_holds && s->log->record;
  return good ? PF_OK : pf_phases_no_room(s);
}

/* A condition with the forces of locks and constraints written out. */
static PfStatus express(PfPhases *s, const PfEquations *eq, PfExpr *condition)
{
  return *condition == PF_EXPR_NONE ? PF_OK : pf_equations_express(s->ctx, s->own, eq, condition, 1);
}

static bool depends_on_forces(const PfPhases *s, PfExpr condition)
{
  if (condition == PF_EXPR_NONE) return false;
  for (int i = 0; i < s->eq->n; i++)
    if (pf_expr_depends(s->ctx, condition, &s->model->coordinates[i].a, 1)) return true;
  return pf_expr_depends(s->ctx, condition, s->symbols->symbol + s->symbols->lambda, s->eq->m);
}

static PfStatus prepare_events(PfPhases *s)
{
  for (int i = 0; i < s->eq->n; i++) s->held[i] = s->model->coordinates[i].released;
  for (int k = 0; k < s->eq->m; k++) s->active[k] = !s->model->constraints[k].attached;
  for (int e = 0; e < s->event_count; e++) {
    const PfEvent *event = s->model->events + e;
    s->instant[e] = NAN;
    s->condition_form[e] = event->condition;
    if (event->time != PF_EXPR_NONE) PF_TRY(pf_phases_evaluate(s, &event->time, 1, s->instant + e));
    PF_TRY(express(s, s->eq, s->condition_form + e));
    s->by_forces = s->by_forces || depends_on_forces(s, s->condition_form[e]);
  }
  s->until = s->options.until;
  PF_TRY(express(s, s->eq, &s->until));
  return s->event_count ? pf_model_momentum(s->ctx, s->model, s->momentum) : PF_OK;
}

static PfStatus prepare(PfPhases *s, const PfSystem *system, const double *values)
{
  s->eq = &s->switches.equations;
  s->model = s->eq->model;
  s->symbols = pf_system_symbols(system);
  s->told.change_t = -INFINITY;
  if (s->switches.count) {
    PF_TRY(pf_equations_symbols(s->ctx, s->own, s->model, &s->own_symbols));
    s->symbols = &s->own_symbols;
  }
  PF_TRY(make_room(s));
  copy_values(s, pf_system_symbols(system), values);
  return prepare_events(s);
}

/* One phase from the beginning to the end: the system itself moves. */
static PfStatus open_whole(PfPhases *s, const PfSystem *system, const double *values)
{
  s->whole = true;
  s->until = s->options.until;
  PF_TRY(express(s, pf_system_equations(system), &s->until));
  s->told = (PfPhaseRun){.conditions = &s->until, .condition_count = s->until != PF_EXPR_NONE, .condition = -1};
  s->system = system;
  s->symbols = pf_system_symbols(system);
  s->values = pf_arena_array(s->own, double, s->symbols->count);
  if (!s->values) return pf_phases_no_room(s);
  memcpy(s->values, values, (size_t)s->symbols->count*sizeof *values);
  PF_TRY(pf_phases_keep(s));
  return pf_phases_open_motion(s, s->options.t_end);
}

/* Does something take part only from an event on? */
static bool awaits_events(const PfModel *model)
{
  for (int i = 0; i < model->coordinate_count; i++)
    if (model->coordinates[i].released) return true;
  for (int k = 0; k < model->constraint_count; k++)
    if (model->constraints[k].attached) return true;
  return false;
}

static PfStatus open_all(PfPhases *s, const PfSystem *system, const double *values)
{
  PF_TRY(pf_switches_find(s->ctx, s->own, pf_system_equations(system), &s->switches));
  if (s->switches.count == 0 && !s->log && !awaits_events(pf_system_equations(system)->model))
    return open_whole(s, system, values);
  if (s->log) s->event_count = pf_system_equations(system)->model->event_count;
  else s->log = &s->no_log;
  PF_TRY(prepare(s, system, values));
  PF_TRY(pf_phases_keep(s));
  PF_TRY(pf_phases_begin(s));
  return open_motion(s, pf_phases_next_instant(s, s->options.t_end));
}

/* Does the time have digits for the steps of the run? Where it moves by more than milliseconds, a run of no length is
 * one whose length was lost. */
static PfStatus check_clock(PfContext *ctx, double start, double end)
{
  double least = DBL_EPSILON*fabs(start);
  if (end - start >= 1e4*least || (end <= start && least < 1e-3)) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, "at t = %g the time moves by %.2g s at least: a run to t = %.17g cannot be resolved",
          start, least, end);
  pf_hint(ctx, "begin at an earlier time, and let functions of time have an offset");
  return PF_ERR_ARGUMENT;
}

PfStatus pf_phases_open(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                        const PfRunOptions *options, PfEventLog *log, PfPhases **out)
{
  PfArena *own = pf_arena_new(pf_context_allocator(ctx));
  PfPhases *s = own ? pf_arena_array(own, PfPhases, 1) : NULL;
  *out = NULL;
  if (!s) {
    pf_arena_free(own);
    return pf_no_room(ctx, "the run");
  }
  PfStatus status = check_clock(ctx, values[pf_system_symbols(system)->time], options->t_end);
  *s = (PfPhases){.ctx = ctx, .arena = arena ? arena : own, .own = own, .options = *options, .log = log,
                  .past = {.weakest = 1, .weakest_row = -1}, .size = 1};
  if (status == PF_OK) s->size = pf_state_size(ctx, system, values, options->t_end);
  set_tolerances(s);
  if (status == PF_OK) status = open_all(s, system, values);
  if (status == PF_OK) *out = s;
  else pf_phases_close(s);
  return status;
}

void pf_phases_close(PfPhases *s)
{
  if (!s) return;
  pf_phases_end(s);
  pf_system_free(s->written);
  pf_arena_free(s->own);
}
