/* Runs. Between two events a phase of the model moves (pf_phase_make), and between two changes of what sticks the phase with
 * so many constraints more (pf_stick_make); every method starts afresh in it. A model without events and switches has one
 * phase, which is the model itself. */
#include "time/phases.h"

#include <math.h>
#include <string.h>

PfStatus pf_phases_no_room(const PfPhases *s)
{
  return pf_fail(s->ctx, PF_ERR_MEMORY, "no room for the events");
}

PfStatus pf_phases_evaluate(const PfPhases *s, const PfExpr *e, int count, double *out)
{
  return pf_expr_evaluate(s->ctx, e, count, s->symbols->symbol, s->values, s->symbols->count, out);
}

/* ---------------------------------------------------------------- phases */

static void end_stuck(PfPhases *s)
{
  pf_system_free(s->stuck_system);
  pf_arena_free(s->stuck_arena);
  s->stuck_system = NULL;
  s->stuck_arena = NULL;
  s->stuck_count = 0;
}

static void end_phase(PfPhases *s)
{
  end_stuck(s);
  pf_sides_release(&s->sides);
  pf_system_free(s->phase_system);
  pf_arena_free(s->phase_arena);
  s->phase_system = NULL;
  s->phase_arena = NULL;
}

void pf_phases_load(PfPhases *s)
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

void pf_phases_store(PfPhases *s, double t, const double *q, const double *v)
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

/* What is held rests, what is not active pulls with nothing. */
static PfStatus without_absent(const PfPhases *s, PfExpr *e)
{
  PfExpr zero = pf_expr_int(s->ctx, 0);
  for (int i = 0; i < s->eq->n; i++)
    if (s->held[i]) PF_TRY(pf_expr_substitute(s->ctx, e, 1, &s->model->coordinates[i].v, &zero, 1, e));
  for (int k = 0; k < s->eq->m; k++)
    if (!s->active[k]) PF_TRY(pf_expr_substitute(s->ctx, e, 1, &s->model->constraints[k].multiplier, &zero, 1, e));
  return PF_OK;
}

static PfStatus make_sides(PfPhases *s)
{
  int count = s->switches.count;
  PfSwitch *at = pf_arena_array(s->phase_arena, PfSwitch, count);
  s->stuck_list = pf_arena_array(s->phase_arena, int, count);
  if (!at || !s->stuck_list) return pf_phases_no_room(s);
  for (int k = 0; k < count; k++) {
    at[k] = s->switches.at[k];
    PF_TRY(without_absent(s, &at[k].surface));
  }
  double rtol = s->options->rtol > 0 ? s->options->rtol : 1e-8;
  double atol = s->options->atol > 0 ? s->options->atol : rtol/100;
  return pf_sides_make(s->ctx, s->phase_arena, s->phase_system, at, count, atol, &s->sides);
}

PfStatus pf_phases_begin(PfPhases *s)
{
  end_phase(s);
  s->decided = false;
  s->phase_arena = pf_arena_new(pf_context_allocator(s->ctx));
  if (!s->phase_arena) return pf_phases_no_room(s);
  PF_TRY(pf_phase_make(s->ctx, s->phase_arena, s->eq, s->held, s->active, &s->phase));
  PF_TRY(pf_system_new(s->ctx, &s->phase.equations, &s->phase_system));
  s->phase_values = pf_arena_array(s->phase_arena, double, pf_system_symbols(s->phase_system)->count);
  s->end = pf_arena_array(s->phase_arena, double, 2*(size_t)s->phase.equations.n);
  if (!s->phase_values || !s->end) return pf_phases_no_room(s);
  return s->switches.count ? make_sides(s) : PF_OK;
}

/* ---------------------------------------------------------------- what sticks */

static PfStatus list_rows(PfPhases *s, PfStickRow *rows)
{
  for (int k = 0; k < s->sides.count; k++) {
    if (!s->sides.stuck[k]) continue;
    PfStickRow *row = rows + s->stuck_count;
    *row = (PfStickRow){.surface = s->sides.at[k].surface, .side = s->sides.at[k].side, .degree = s->sides.degree[k]};
    row->name = pf_expr_print(s->ctx, s->stuck_arena, row->surface, PF_TEXT);
    if (!row->name) return PF_ERR_MEMORY;
    PF_TRY(pf_sides_factor(&s->sides, s->stuck_arena, k, &row->factor));
    s->stuck_list[s->stuck_count++] = k;
  }
  return PF_OK;
}

static PfStatus rank_of(const PfPhases *s, const PfExpr *A, int m, int n, int *rank)
{
  const PfSymbols *in = pf_system_symbols(s->phase_system);
  double *numbers = pf_arena_array(s->stuck_arena, double, (size_t)m*(size_t)n);
  PfRows rows = {0};
  *rank = 0;
  if (!numbers) return pf_phases_no_room(s);
  if (m == 0 || n == 0) return PF_OK;
  PF_TRY(pf_expr_evaluate(s->ctx, A, m*n, in->symbol, s->sides.values, in->count, numbers));
  PF_TRY(pf_rows_sort(s->ctx, s->stuck_arena, numbers, m, n, PF_RANK_TOLERANCE, &rows));
  *rank = rows.rank;
  return PF_OK;
}

/* When more sticks than is needed to hold the motion, it is open how they share the load. */
static PfStatus warn_of_sharing(PfPhases *s)
{
  int n = s->phase.equations.n, before, after;
  if (s->warned_of_sharing) return PF_OK;
  PF_TRY(rank_of(s, s->phase.equations.A, s->phase.equations.m, n, &before));
  PF_TRY(rank_of(s, s->stuck.equations.A, s->stuck.equations.m, n, &after));
  if (after == before + s->stuck_count) return PF_OK;
  s->warned_of_sharing = true;
  pf_warn_at(s->ctx, (PfPlace){0}, "at t = %.6g more sticks than is needed to hold the motion: how friction and constraints "
             "share the load is not determined", s->values[s->symbols->time]);
  pf_hint(s->ctx, "the motion is; multipliers and single forces of friction are one possibility");
  return PF_OK;
}

static PfStatus begin_stuck(PfPhases *s)
{
  s->stuck_before = s->stuck_count;
  end_stuck(s);
  bool any = false;
  for (int k = 0; k < s->switches.count; k++) any = any || s->sides.stuck[k];
  if (!any) return PF_OK;
  s->stuck_arena = pf_arena_new(pf_context_allocator(s->ctx));
  PfStickRow *rows = s->stuck_arena ? pf_arena_array(s->stuck_arena, PfStickRow, s->sides.count) : NULL;
  if (!rows) return pf_phases_no_room(s);
  int before = s->stuck_before;
  PF_TRY(list_rows(s, rows));
  if (s->stuck_count > before) s->result->sticks += s->stuck_count - before;
  PF_TRY(pf_stick_make(s->ctx, s->stuck_arena, &s->phase.equations, rows, s->stuck_count, &s->stuck));
  PF_TRY(pf_system_new(s->ctx, &s->stuck.equations, &s->stuck_system));
  s->stuck_values = pf_arena_array(s->stuck_arena, double, pf_system_symbols(s->stuck_system)->count);
  return s->stuck_values ? warn_of_sharing(s) : pf_phases_no_room(s);
}

/* The sides of a new phase follow from the state; s->undecided when that has no accelerations. */
static PfStatus decide(PfPhases *s)
{
  if (s->decided || s->switches.count == 0) return PF_OK;
  s->decided = true;
  pf_phases_load(s);
  pf_sides_set(&s->sides, s->phase_values);
  PfStatus status = pf_sides_decide(&s->sides, NULL, NULL);
  s->undecided = status != PF_OK;
  if (s->undecided) return pf_is_final(status) ? status : PF_OK;
  return begin_stuck(s);
}

/* The system that moves now, with the numbers where the run is. */
static const PfSystem *moving_system(PfPhases *s, const double **values)
{
  int sides = s->switches.count;
  if (sides) memcpy(s->values + s->symbols->q - sides, s->sides.side, (size_t)sides*sizeof *s->values);
  pf_phases_load(s);
  *values = s->phase_values;
  if (!s->stuck_system) return s->phase_system;
  memcpy(s->stuck_values, s->phase_values, (size_t)pf_system_symbols(s->phase_system)->lambda*sizeof *s->values);
  *values = s->stuck_values;
  return s->stuck_system;
}

/* ---------------------------------------------------------------- samples */

/* A sample of the phase as one of the complete model. */
static PfStatus take_sample(void *user, const PfSample *sample)
{
  PfPhases *s = user;
  bool given = s->any_sample && !s->here && sample->t <= s->sampled_t && (s->options->at || s->options->every > 0);
  if (given || (s->sampled_now && sample->t == s->sampled_t)) return PF_OK;
  s->sampled_now = false;
  s->any_sample = true;
  s->sampled_t = sample->t;
  pf_phases_store(s, sample->t, sample->q, sample->v);
  memset(s->a, 0, (size_t)s->eq->n*sizeof *s->a);
  memset(s->multiplier, 0, (size_t)s->eq->m*sizeof *s->multiplier);
  for (int i = 0; i < s->phase.equations.n; i++) s->a[s->phase.coordinate[i]] = sample->a[i];
  for (int k = 0; k < s->phase.equations.m; k++) s->multiplier[s->phase.constraint[k]] = sample->multiplier[k];
  PfSample whole = *sample;
  whole.q = s->values + s->symbols->q;
  whole.v = s->values + s->symbols->v;
  whole.a = s->a;
  whole.multiplier = s->multiplier;
  whole.parameters = s->values + s->symbols->parameters;
  whole.active = s->active;
  whole.held = s->held;
  return s->options->sample(s->options->user, &whole);
}

static bool is_cancelled(void *user, double t)
{
  const PfPhases *s = user;
  return s->options->cancelled && s->options->cancelled(s->options->user, t);
}

static PfRunOptions phase_options(PfPhases *s)
{
  PfRunOptions o = *s->options;
  o.user = s;
  o.sample = s->options->sample ? take_sample : NULL;
  o.cancelled = is_cancelled;
  o.final = s->end;
  if (o.most_steps > 0) o.most_steps = o.most_steps > s->result->steps ? o.most_steps - s->result->steps : 1;
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

/* By the formulation that was asked for, unless that has no place for what sticks: then by multipliers, which is said once. */
static PfStatus run_by(PfPhases *s, const PfSystem *system, const double *values, PfRunOptions *o,
                       PfPhaseRun *told, PfRunResult *r)
{
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_run_phase(s->ctx, system, values, o, told, r);
  bool other = o->formulation && strcmp(o->formulation, "multipliers") != 0;
  bool failed = status == PF_ERR_MODEL || (status == PF_OK && r->end == PF_RUN_TROUBLE && r->steps == 0);
  if (!s->stuck_count || !other || !failed || !applies_without(s, o->formulation)) return status;
  pf_diagnostics_cut(s->ctx, before);
  if (!s->warned)
    pf_warn_at(s->ctx, (PfPlace){0}, "the formulation '%s' has no place for what sticks from t = %.6g on: such phases are "
               "computed by 'multipliers'", o->formulation, s->values[s->symbols->time]);
  s->warned = true;
  o->formulation = NULL;
  return pf_run_phase(s->ctx, system, values, o, told, r);
}

/* One sample where the run is: before or after an event. */
static PfStatus sample_here(PfPhases *s)
{
  if (!s->options->sample) return PF_OK;
  double t = s->values[s->symbols->time];
  const double *values;
  s->sampled_now = false;
  PF_TRY(decide(s));
  if (s->undecided) return PF_OK;
  PfRunOptions o = phase_options(s);
  o.t_end = t;
  o.every = 0;
  o.at = NULL;
  PfRunResult ignored;
  const PfSystem *system = moving_system(s, &values);
  s->here = true;
  PfStatus status = run_by(s, system, values, &o, NULL, &ignored);
  s->here = false;
  PF_TRY(status);
  s->sampled_now = true;
  s->sampled_t = t;
  return PF_OK;
}

/* ---------------------------------------------------------------- which event, when */

/* Multipliers where the run is, for conditions that depend on them. */
static PfStatus find_forces(PfPhases *s)
{
  const double *values;
  PfSolver *solver;
  PfMotion motion = {.acceleration = s->a};
  int row;
  if (!s->by_forces || s->phase.equations.n == 0) return PF_OK;
  PF_TRY(decide(s));
  if (s->undecided) return PF_OK;
  const PfSystem *system = moving_system(s, &values);
  motion.multiplier = pf_arena_array(s->phase_arena, double, pf_system_equations(system)->m);
  if (!motion.multiplier) return pf_phases_no_room(s);
  PF_TRY(pf_solver_new(s->ctx, system, pf_formulation_find("multipliers"), &solver));
  PfTrouble trouble = pf_solver_accelerate(solver, values, &motion, &row);
  pf_solver_free(solver);
  if (trouble != PF_TROUBLE_NONE) return pf_trouble_report_at(s->ctx, system, values, trouble, row);
  for (int k = 0; k < s->eq->m; k++) s->values[s->symbols->lambda + k] = 0;
  for (int k = 0; k < s->phase.equations.m; k++)
    s->values[s->symbols->lambda + s->phase.constraint[k]] = motion.multiplier[k];
  return PF_OK;
}

static PfStatus is_due(PfPhases *s, int e, bool *due)
{
  double holds = 0;
  *due = false;
  if (s->fired[e]) return PF_OK;
  if (!isnan(s->instant[e])) {
    *due = s->instant[e] <= s->values[s->symbols->time];
    return PF_OK;
  }
  PF_TRY(find_forces(s));
  PF_TRY(pf_phases_evaluate(s, &s->model->events[e].condition, 1, &holds));
  *due = holds != 0;
  return PF_OK;
}

/* All events that are due now, as they were written; what one does may make another one due. Those whose conditions have come
 * true are due in any case: the step was cut where they began to hold, which rounding, or the first of them, may hide. */
static PfStatus happen_due(PfPhases *s)
{
  bool any = false;
  for (int e = 0; e < s->model->event_count; e++) {
    bool due;
    PF_TRY(is_due(s, e, &due));
    if (!due && !(s->forced[e] && !s->fired[e])) continue;
    bool seen = s->any_sample && s->sampled_t >= s->values[s->symbols->time];
    if (!any && !seen) PF_TRY(sample_here(s));
    any = true;
    PF_TRY(pf_phases_happen(s, e));
    e = -1; /* from the beginning: each happens once, so this ends */
  }
  return any ? sample_here(s) : PF_OK;
}

static double next_instant(const PfPhases *s)
{
  double next = s->options->t_end;
  for (int e = 0; e < s->model->event_count; e++)
    if (!s->fired[e] && s->instant[e] < next) next = s->instant[e];
  return next;
}

/* What ends the phase: the stop of the run and the conditions of the events that have not happened. */
static PfStatus list_conditions(PfPhases *s, PfExpr *conditions, int *event)
{
  int count = 0;
  s->told.final_condition = -1;
  if (s->options->until != PF_EXPR_NONE) {
    s->told.final_condition = count;
    event[count] = -1;
    conditions[count++] = s->options->until;
  }
  for (int e = 0; e < s->model->event_count; e++) {
    if (s->fired[e] || s->model->events[e].condition == PF_EXPR_NONE) continue;
    event[count] = e;
    conditions[count++] = s->model->events[e].condition;
  }
  for (int i = 0; i < count; i++) PF_TRY(without_absent(s, conditions + i));
  s->told.conditions = conditions;
  s->told.condition_count = count;
  return PF_OK;
}

/* ---------------------------------------------------------------- the run */

static void add_result(PfRunResult *sum, const PfRunResult *r, bool first)
{
  sum->end = r->end;
  sum->t = r->t;
  sum->steps += r->steps;
  sum->rejected += r->rejected;
  sum->evaluations += r->evaluations;
  sum->switches += r->switches;
  sum->position = fmax(sum->position, r->position);
  sum->velocity = fmax(sum->velocity, r->velocity);
  if (first) sum->energy_start = r->energy_start;
  sum->energy_end = r->energy_end;
  sum->drift = fmax(sum->drift, r->drift);
  sum->kinetic = fmax(sum->kinetic, r->kinetic);
  if (r->weakest < sum->weakest) {
    sum->weakest = r->weakest;
    sum->weakest_t = r->weakest_t;
  }
}

static void skip_given_samples(const PfPhases *s, PfRunOptions *o)
{
  double t = s->values[s->symbols->time];
  int k = 0;
  if (!o->at || !s->any_sample) return;
  while (k < o->at_count && o->at[k] <= t) k++;
  o->at += k;
  o->at_count -= k;
}

/* Until something happens. */
static PfStatus run_phase(PfPhases *s, PfRunResult *r)
{
  size_t most = (size_t)s->model->event_count + 1;
  PfMark mark = pf_arena_mark(s->own);
  PfExpr *conditions = pf_arena_array(s->own, PfExpr, most);
  int *event = pf_arena_array(s->own, int, most);
  bool *holds = pf_arena_array(s->own, bool, most);
  const double *values;
  if (!conditions || !event || !holds) return pf_phases_no_room(s);
  PF_TRY(decide(s));
  if (s->undecided) {
    *r = (PfRunResult){.end = PF_RUN_TROUBLE, .t = s->values[s->symbols->time], .weakest = 1};
    return PF_OK;
  }
  PfRunOptions o = phase_options(s);
  o.t_end = next_instant(s);
  skip_given_samples(s, &o);
  PF_TRY(list_conditions(s, conditions, event));
  s->told.sides = s->switches.count ? &s->sides : NULL;
  s->told.stuck = s->stuck_list;
  s->told.stuck_count = s->stuck_count;
  s->told.horizon = s->options->t_end;
  s->told.condition = -1;
  s->told.holds = holds;
  s->told.switched = false;
  const PfSystem *system = moving_system(s, &values);
  PfStatus status = run_by(s, system, values, &o, &s->told, r);
  if (r->end == PF_RUN_CANCELLED) {
    s->result->end = r->end;
    s->result->t = r->t;
    pf_phases_store(s, r->t, s->end, s->end + s->phase.equations.n);
  }
  PF_TRY(status);
  s->stopped = s->told.condition >= 0 && s->told.condition == s->told.final_condition;
  for (int i = 0; i < s->told.condition_count; i++)
    if (event[i] >= 0) s->forced[event[i]] = s->told.condition >= 0 && holds[i];
  pf_phases_store(s, r->t, s->end, s->end + s->phase.equations.n);
  pf_arena_release(s->own, mark);
  return PF_OK;
}

/* Other surfaces stick from here on; the run goes on at the same state, which has been given as a sample. */
static PfStatus change_stuck(PfPhases *s)
{
  double t = s->values[s->symbols->time];
  s->sampled_now = s->any_sample && s->sampled_t == t;
  return begin_stuck(s);
}

static PfStatus loop(PfPhases *s)
{
  PfRunResult r;
  bool first = true;
  PF_TRY(pf_phases_begin(s));
  PF_TRY(happen_due(s));
  for (;;) {
    PF_TRY(run_phase(s, &r));
    add_result(s->result, &r, first);
    first = false;
    if (r.end != PF_RUN_DONE && (r.end != PF_RUN_UNTIL || s->stopped)) return PF_OK;
    if (s->told.switched && r.end == PF_RUN_DONE) {
      PF_TRY(change_stuck(s));
      continue;
    }
    if (r.end == PF_RUN_DONE && r.t >= s->options->t_end) return happen_due(s);
    PF_TRY(happen_due(s));
    s->result->end = PF_RUN_DONE;
  }
}

/* Numbers of the complete model; the sides, its last inputs, are found later. */
static void copy_values(PfPhases *s, const PfSymbols *from, const double *values)
{
  const PfSymbols *to = s->symbols;
  memcpy(s->values, values, (size_t)from->q*sizeof *values);
  memcpy(s->values + to->q, values + from->q, (size_t)(from->count - from->q)*sizeof *values);
}

static PfStatus make_room(PfPhases *s)
{
  size_t n = (size_t)s->eq->n, m = (size_t)s->eq->m, events = (size_t)s->model->event_count;
  s->values = pf_arena_array(s->own, double, s->symbols->count);
  s->instant = pf_arena_array(s->own, double, events);
  s->held = pf_arena_array(s->own, bool, n);
  s->active = pf_arena_array(s->own, bool, m);
  s->fired = pf_arena_array(s->own, bool, events);
  s->forced = pf_arena_array(s->own, bool, events);
  s->a = pf_arena_array(s->own, double, n);
  s->multiplier = pf_arena_array(s->own, double, m);
  s->log->record = pf_arena_array(s->arena, PfEventRecord, events);
  bool good = s->values && s->instant && s->held && s->active && s->fired && s->forced && s->a && s->multiplier && s->log->record;
  return good ? PF_OK : pf_phases_no_room(s);
}

static PfStatus prepare_events(PfPhases *s)
{
  for (int i = 0; i < s->eq->n; i++) s->held[i] = s->model->coordinates[i].released;
  for (int k = 0; k < s->eq->m; k++) s->active[k] = !s->model->constraints[k].attached;
  for (int e = 0; e < s->model->event_count; e++) {
    const PfEvent *event = s->model->events + e;
    s->instant[e] = NAN;
    if (event->time != PF_EXPR_NONE) PF_TRY(pf_phases_evaluate(s, &event->time, 1, s->instant + e));
    else if (pf_expr_depends(s->ctx, event->condition, s->symbols->symbol + s->symbols->lambda, s->eq->m)) s->by_forces = true;
  }
  return s->model->event_count ? pf_model_momentum(s->ctx, s->model, s->momentum) : PF_OK;
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
static PfStatus run_whole(PfPhases *s, const PfSystem *system, const double *values)
{
  PfExpr until = s->options->until;
  PfPhaseRun told = {.conditions = &until, .condition_count = until != PF_EXPR_NONE, .horizon = s->options->t_end,
                     .condition = -1};
  return pf_run_phase(s->ctx, system, values, s->options, &told, s->result);
}

static PfStatus run_all(PfPhases *s, const PfSystem *system, const double *values)
{
  const PfEquations *eq = pf_system_equations(system);
  PF_TRY(pf_switches_find(s->ctx, s->own, eq, &s->switches));
  if (s->switches.count == 0 && !s->log) return run_whole(s, system, values);
  if (!s->log) {
    s->log = &s->no_log;
    s->switches.model.event_count = 0;
  }
  PF_TRY(prepare(s, system, values));
  PfStatus status = loop(s);
  if (status != PF_OK && s->result->end != PF_RUN_CANCELLED) { /* it has not reached the end, whatever the phase before has */
    s->result->end = PF_RUN_TROUBLE;
    s->result->t = s->values[s->symbols->time];
  }
  if (s->options->final) memcpy(s->options->final, s->values + s->symbols->q, 2*(size_t)s->eq->n*sizeof *s->values);
  return status;
}

static PfStatus check_samples(PfContext *ctx, const PfRunOptions *o, double start)
{
  if (!o->at || o->at_count == 0 || o->at[0] >= start - 1e-12*fmax(1, fabs(start))) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "a sample is asked for at t = %g, before the start at t = %g", o->at[0], start);
}

static PfStatus start(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                      const PfRunOptions *options, PfEventLog *log, PfRunResult *result)
{
  *result = (PfRunResult){.weakest = 1, .weakest_row = -1};
  PfPhases s = {.ctx = ctx, .arena = arena, .options = options, .log = log, .result = result};
  PF_TRY(check_samples(ctx, options, values[pf_system_symbols(system)->time]));
  s.own = pf_arena_new(pf_context_allocator(ctx));
  if (!s.own) return pf_phases_no_room(&s);
  if (!arena) s.arena = s.own;
  PfStatus status = run_all(&s, system, values);
  end_phase(&s);
  pf_arena_free(s.own);
  return status;
}

PfStatus pf_run(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                PfRunResult *result)
{
  return start(ctx, NULL, system, values, options, NULL, result);
}

PfStatus pf_run_events(PfContext *ctx, PfArena *arena, const PfSystem *complete, const double *values,
                       const PfRunOptions *options, PfEventLog *log, PfRunResult *result)
{
  *log = (PfEventLog){0};
  return start(ctx, arena, complete, values, options, log, result);
}
