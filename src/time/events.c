/* Runs with events. Between two events a phase of the model moves (pf_phase_make); every method starts afresh in it. At an
 * event the poses stay and the velocities jump to the nearest ones, in the metric of the mass matrix, that the new phase
 * allows:
 *
 *   v+ = v- + M^-1 (I + A^T lambda),   A v+ = 0,
 *
 * which is the impulsive motion: no momentum is lost but through what holds the system to the ground (reference page,
 * 4.1), and the kinetic energy falls by the energy of the jump when there is no impulse I from outside. */
#include "time/manifold.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

typedef struct Switching {
  PfContext *ctx;
  PfArena *arena;           /* of the caller: the log */
  PfArena *own;
  const PfSystem *system;   /* of the complete model */
  const PfEquations *eq;
  const PfModel *model;
  const PfSymbols *symbols;
  const PfRunOptions *options;
  PfEventLog *log;
  PfRunResult *result;
  double *values;           /* of the complete model, where the run is */
  double *instant;          /* per event; NaN for conditions */
  bool *held, *active, *fired;
  double *a, *multiplier;   /* of a sample */
  PfExpr momentum[6];
  /* the phase */
  PfPhase phase;
  PfArena *phase_arena;
  PfSystem *phase_system;
  double *phase_values, *end;
  bool sampled_now;         /* a sample was given at the time where the phase begins */
  bool any_sample;
  double sampled_t;
} Switching;

static PfStatus no_room(PfContext *ctx)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for the events");
}

/* ---------------------------------------------------------------- phases */

static void end_phase(Switching *s)
{
  pf_system_free(s->phase_system);
  pf_arena_free(s->phase_arena);
  s->phase_system = NULL;
  s->phase_arena = NULL;
}

/* Numbers of the phase from those of the complete model. */
static void to_phase(Switching *s)
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

static void from_phase(Switching *s, double t, const double *q, const double *v)
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

static PfStatus begin_phase(Switching *s)
{
  end_phase(s);
  s->phase_arena = pf_arena_new(pf_context_allocator(s->ctx));
  if (!s->phase_arena) return no_room(s->ctx);
  PF_TRY(pf_phase_make(s->ctx, s->phase_arena, s->eq, s->held, s->active, &s->phase));
  PF_TRY(pf_system_new(s->ctx, &s->phase.equations, &s->phase_system));
  s->phase_values = pf_arena_array(s->phase_arena, double, pf_system_symbols(s->phase_system)->count);
  s->end = pf_arena_array(s->phase_arena, double, 2*(size_t)s->phase.equations.n);
  return s->phase_values && s->end ? PF_OK : no_room(s->ctx);
}

/* ---------------------------------------------------------------- samples */

/* A sample of the phase as one of the complete model; what is held rests, what is not active pulls with nothing. */
static PfStatus take_sample(void *user, const PfSample *sample)
{
  Switching *s = user;
  if (s->sampled_now && sample->t == s->sampled_t) return PF_OK;
  s->sampled_now = false;
  s->any_sample = true;
  s->sampled_t = sample->t;
  from_phase(s, sample->t, sample->q, sample->v);
  memset(s->a, 0, (size_t)s->eq->n*sizeof *s->a);
  memset(s->multiplier, 0, (size_t)s->eq->m*sizeof *s->multiplier);
  for (int i = 0; i < s->phase.equations.n; i++) s->a[s->phase.coordinate[i]] = sample->a[i];
  for (int k = 0; k < s->phase.equations.m; k++) s->multiplier[s->phase.constraint[k]] = sample->multiplier[k];
  PfSample whole = *sample;
  whole.q = s->values + s->symbols->q;
  whole.v = s->values + s->symbols->v;
  whole.a = s->a;
  whole.multiplier = s->multiplier;
  return s->options->sample(s->options->user, &whole);
}

static bool is_cancelled(void *user, double t)
{
  const Switching *s = user;
  return s->options->cancelled && s->options->cancelled(s->options->user, t);
}

static PfRunOptions phase_options(Switching *s)
{
  PfRunOptions o = *s->options;
  o.user = s;
  o.sample = s->options->sample ? take_sample : NULL;
  o.cancelled = is_cancelled;
  o.final = s->end;
  return o;
}

/* One sample where the run is: before or after an event. */
static PfStatus sample_here(Switching *s)
{
  if (!s->options->sample) return PF_OK;
  double t = s->values[s->symbols->time];
  s->sampled_now = false;
  PfRunOptions o = phase_options(s);
  o.t_end = t;
  o.every = 0;
  o.at = NULL;
  o.until = PF_EXPR_NONE;
  PfRunResult ignored;
  to_phase(s);
  PF_TRY(pf_run(s->ctx, s->phase_system, s->phase_values, &o, &ignored));
  s->sampled_now = true;
  s->sampled_t = t;
  return PF_OK;
}

/* ---------------------------------------------------------------- the jump */

static PfStatus evaluate(const Switching *s, const PfExpr *e, int count, double *out)
{
  return pf_expr_evaluate(s->ctx, e, count, s->symbols->symbol, s->values, s->symbols->count, out);
}

typedef struct Jump {
  double *M, *before, *impulse, *change; /* n x n; n; n: from outside; n: M (v+ - v-) - impulse */
  bool *held_before;                     /* n */
} Jump;

static PfStatus jump_room(Switching *s, Jump *j)
{
  size_t n = (size_t)s->eq->n;
  j->M = pf_arena_array(s->own, double, n*n);
  j->before = pf_arena_array(s->own, double, n);
  j->impulse = pf_arena_array(s->own, double, n);
  j->change = pf_arena_array(s->own, double, n);
  j->held_before = pf_arena_array(s->own, bool, n);
  if (!j->M || !j->before || !j->impulse || !j->change || !j->held_before) return no_room(s->ctx);
  memcpy(j->held_before, s->held, n*sizeof *s->held);
  return PF_OK;
}

/* v+ without the constraints of the new phase: what is held stops, and M_BB (v+ - v-)_B = M_BH v-_H + I_B. */
static PfStatus stop_held(Switching *s, const Jump *j)
{
  int n = s->eq->n, b = s->phase.equations.n;
  const int *at = s->phase.coordinate;
  double *M = pf_arena_array(s->own, double, (size_t)b*(size_t)b), *right = pf_arena_array(s->own, double, b);
  PfLdl ldl;
  if (!M || !right) return no_room(s->ctx);
  PF_TRY(pf_ldl_make(s->ctx, s->own, b, &ldl));
  for (int i = 0; i < b; i++) {
    for (int k = 0; k < b; k++) M[i*b + k] = j->M[at[i]*n + at[k]];
    right[i] = j->impulse[at[i]];
    for (int k = 0; k < n; k++)
      if (s->held[k]) right[i] += j->M[at[i]*n + k]*j->before[k];
  }
  if (pf_ldl_factor(&ldl, M, 0) != PF_OK || ldl.rank < b) {
    const char *name = s->model->coordinates[at[ldl.rank < b ? ldl.order[ldl.rank] : 0]].name;
    pf_fail(s->ctx, PF_ERR_NUMBER, "the event at t = %.12g cannot be worked out: '%s' has no inertia of its own, so the jump of "
            "the velocities is not determined", s->values[s->symbols->time], name);
    return PF_ERR_NUMBER;
  }
  pf_ldl_solve(&ldl, right, right);
  for (int i = 0; i < b; i++) s->values[s->symbols->v + at[i]] += right[i];
  for (int k = 0; k < n; k++)
    if (s->held[k]) s->values[s->symbols->v + k] = 0;
  return PF_OK;
}

/* Onto the constraints of the new phase, in the metric of M. Positions hold already: what an event attaches is where it is. */
static PfStatus satisfy(Switching *s)
{
  enum { MOST = 20 };
  PfManifold manifold = {0};
  to_phase(s);
  PfStatus status = pf_manifold_make(s->ctx, s->phase_arena, s->phase_system, &manifold);
  double miss = INFINITY;
  for (int k = 0; k < MOST && status == PF_OK; k++) {
    double now = pf_manifold_miss(&manifold, s->phase_values, PF_LEVEL_VELOCITY, NULL);
    if (now < 1e-14 || !(now < 0.5*miss)) break;
    miss = now;
    if (!pf_manifold_step(&manifold, s->phase_values, PF_LEVEL_VELOCITY, NULL)) break;
  }
  pf_manifold_release(&manifold);
  const PfSymbols *in = pf_system_symbols(s->phase_system);
  if (status == PF_OK) from_phase(s, s->values[s->symbols->time], s->phase_values + in->q, s->phase_values + in->v);
  return status;
}

static void find_change(const Switching *s, const Jump *j)
{
  int n = s->eq->n;
  for (int i = 0; i < n; i++) {
    j->change[i] = -j->impulse[i];
    for (int k = 0; k < n; k++) j->change[i] += j->M[i*n + k]*(s->values[s->symbols->v + k] - j->before[k]);
  }
}

/* The force on the rates of a quaternion as a torque about the axes of the body: B^T Q, q' = B w. */
static void to_torque(const double q[4], double Q[4])
{
  double torque[3];
  for (int i = 1; i < 4; i++) {
    int j = i%3 + 1, k = (i + 1)%3 + 1;
    torque[i - 1] = 0.5*(q[0]*Q[i] + q[k]*Q[j] - q[i]*Q[0] - q[j]*Q[k]);
  }
  Q[0] = 0;
  memcpy(Q + 1, torque, sizeof torque);
}

/* Impulses of the constraints of the new phase: A_B^T lambda = change_B; then those of what was locked: what is left of its
 * change. */
static PfStatus find_impulses(Switching *s, const Jump *j, PfEventRecord *record)
{
  int n = s->eq->n, b = s->phase.equations.n, m = s->phase.equations.m;
  double *A = pf_arena_array(s->own, double, (size_t)s->eq->m*(size_t)n);
  double *B = pf_arena_array(s->own, double, (size_t)m*(size_t)b), *right = pf_arena_array(s->own, double, b);
  double *lambda = pf_arena_array(s->own, double, m);
  record->multiplier = pf_arena_array(s->arena, double, s->eq->m);
  record->joint = pf_arena_array(s->arena, double, n);
  if (!A || !B || !right || !lambda || !record->multiplier || !record->joint) return no_room(s->ctx);
  PF_TRY(evaluate(s, s->eq->A, s->eq->m*n, A));
  for (int k = 0; k < m; k++)
    for (int i = 0; i < b; i++) B[k*b + i] = A[s->phase.constraint[k]*n + s->phase.coordinate[i]];
  for (int i = 0; i < b; i++) right[i] = j->change[s->phase.coordinate[i]];
  if (m > 0) {
    PfQr qr;
    PF_TRY(pf_qr_make(s->ctx, s->own, m, b, &qr));
    PF_TRY(pf_qr_factor(&qr, B, 1e-10));
    (void)pf_qr_solve_transposed(&qr, right, lambda);
  }
  for (int k = 0; k < m; k++) record->multiplier[s->phase.constraint[k]] = lambda[k];
  for (int i = 0; i < n; i++) {
    if (!s->held[i] || j->held_before[i]) continue;
    record->joint[i] = j->change[i];
    for (int k = 0; k < m; k++) record->joint[i] -= A[s->phase.constraint[k]*n + i]*lambda[k];
  }
  for (int ball = 0; ball < s->model->ball_count; ball++) {
    int q = s->model->balls[ball].q;
    if (s->held[q] && !j->held_before[q]) to_torque(s->values + s->symbols->q + q, record->joint + q);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- what an event does */

static void hold(Switching *s, const PfAction *action, bool held)
{
  for (int k = 0; k < action->coordinate_count; k++) s->held[action->coordinates[k]] = held;
}

static PfStatus add_impulse(Switching *s, PfExpr power, double *impulse)
{
  size_t n = (size_t)s->eq->n;
  PfExpr *v = pf_arena_array(s->own, PfExpr, n), *gradient = pf_arena_array(s->own, PfExpr, n);
  double *value = pf_arena_array(s->own, double, n);
  if (!v || !gradient || !value) return no_room(s->ctx);
  for (size_t i = 0; i < n; i++) v[i] = s->model->coordinates[i].v;
  PF_TRY(pf_expr_gradient(s->ctx, power, v, (int)n, gradient));
  PF_TRY(evaluate(s, gradient, (int)n, value));
  for (size_t i = 0; i < n; i++) impulse[i] += value[i];
  return PF_OK;
}

static PfStatus attach(Switching *s, const PfAction *action)
{
  double *value = pf_arena_array(s->own, double, action->parameter_count);
  if (!value) return no_room(s->ctx);
  PF_TRY(evaluate(s, action->captured, action->parameter_count, value));
  for (int k = 0; k < action->parameter_count; k++) s->values[s->symbols->parameters + action->parameters[k]] = value[k];
  for (int k = 0; k < action->row_count; k++) s->active[action->row + k] = true;
  return PF_OK;
}

static PfStatus act(Switching *s, const PfAction *action, double *impulse)
{
  switch (action->kind) {
  case PF_LOCK: hold(s, action, true); return PF_OK;
  case PF_UNLOCK: hold(s, action, false); return PF_OK;
  case PF_ATTACH: return attach(s, action);
  case PF_DETACH: break;
  }
  hold(s, action, true); /* the joint stays as it is, and the free one behind it moves: no force acts on it */
  const PfBall *ball = s->model->balls + action->ball;
  for (int k = 0; k < 4; k++) s->held[ball->q + k] = false;
  for (int k = 0; k < 3; k++) s->held[ball->p + k] = false;
  return action->power == PF_EXPR_NONE ? PF_OK : add_impulse(s, action->power, impulse);
}

static PfStatus look(Switching *s, double *kinetic, double *momentum)
{
  PF_TRY(evaluate(s, &s->eq->kinetic, 1, kinetic));
  return evaluate(s, s->momentum, 6, momentum);
}

static PfStatus happen(Switching *s, int e)
{
  const PfEvent *event = s->model->events + e;
  PfEventRecord *record = s->log->record + s->log->count;
  Jump j;
  *record = (PfEventRecord){.event = e, .t = s->values[s->symbols->time]};
  PF_TRY(jump_room(s, &j));
  PF_TRY(look(s, &record->kinetic_before, record->momentum_before));
  PF_TRY(evaluate(s, s->eq->M, s->eq->n*s->eq->n, j.M));
  memcpy(j.before, s->values + s->symbols->v, (size_t)s->eq->n*sizeof *j.before);
  for (int k = 0; k < event->action_count; k++) PF_TRY(act(s, event->actions + k, j.impulse));
  PF_TRY(begin_phase(s));
  PF_TRY(stop_held(s, &j));
  PF_TRY(satisfy(s));
  find_change(s, &j);
  PF_TRY(find_impulses(s, &j, record));
  PF_TRY(look(s, &record->kinetic_after, record->momentum_after));
  s->fired[e] = true;
  s->log->count++;
  return PF_OK;
}

/* ---------------------------------------------------------------- which event, when */

static PfStatus is_due(Switching *s, int e, bool *due)
{
  double holds = 0;
  *due = false;
  if (s->fired[e]) return PF_OK;
  if (!isnan(s->instant[e])) {
    *due = s->instant[e] <= s->values[s->symbols->time];
    return PF_OK;
  }
  PF_TRY(evaluate(s, &s->model->events[e].condition, 1, &holds));
  *due = holds != 0;
  return PF_OK;
}

/* All events that are due now, as they were written; what one does may make another one due. `forced` is due in any case: the
 * step was cut where it began to hold, which rounding may hide. */
static PfStatus happen_due(Switching *s, int forced)
{
  bool any = false;
  for (int e = 0; e < s->model->event_count; e++) {
    bool due;
    PF_TRY(is_due(s, e, &due));
    if (!due && e != forced) continue;
    bool seen = s->any_sample && s->sampled_t >= s->values[s->symbols->time];
    if (!any && !seen) PF_TRY(sample_here(s));
    any = true;
    forced = -1;
    PF_TRY(happen(s, e));
    e = -1; /* from the beginning: each happens once, so this ends */
  }
  return any ? sample_here(s) : PF_OK;
}

static double next_instant(const Switching *s)
{
  double next = s->options->t_end;
  for (int e = 0; e < s->model->event_count; e++)
    if (!s->fired[e] && s->instant[e] < next) next = s->instant[e];
  return next;
}

/* The stop condition of the phase: that of the run, or the condition of an event. */
static PfStatus phase_until(Switching *s, PfExpr *until)
{
  *until = s->options->until;
  for (int e = 0; e < s->model->event_count; e++) {
    PfExpr condition = s->model->events[e].condition;
    if (s->fired[e] || condition == PF_EXPR_NONE) continue;
    *until = *until == PF_EXPR_NONE ? condition : pf_expr_call2(s->ctx, PF_OP_OR, *until, condition);
  }
  if (*until == PF_EXPR_NONE) return PF_OK;
  for (int i = 0; i < s->eq->n; i++) {
    PfExpr zero = pf_expr_int(s->ctx, 0);
    if (s->held[i]) PF_TRY(pf_expr_substitute(s->ctx, until, 1, &s->model->coordinates[i].v, &zero, 1, until));
  }
  return PF_OK;
}

/* After a phase that a condition has ended: the event that did it when none holds any more, by rounding. */
static PfStatus find_cause(Switching *s, int *cause)
{
  *cause = -1;
  for (int e = 0; e < s->model->event_count; e++) {
    bool due;
    PF_TRY(is_due(s, e, &due));
    if (due) {
      *cause = e;
      return PF_OK;
    }
    if (!s->fired[e] && isnan(s->instant[e]) && *cause < 0) *cause = e;
  }
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

static PfStatus run_phase(Switching *s, PfRunResult *r)
{
  PfRunOptions o = phase_options(s);
  double t = s->values[s->symbols->time];
  o.t_end = next_instant(s);
  PF_TRY(phase_until(s, &o.until));
  if (o.at && s->any_sample) { /* earlier samples were given */
    int k = 0;
    while (k < o.at_count && o.at[k] <= t) k++;
    o.at += k;
    o.at_count -= k;
  }
  to_phase(s);
  PF_TRY(pf_run(s->ctx, s->phase_system, s->phase_values, &o, r));
  from_phase(s, r->t, s->end, s->end + s->phase.equations.n);
  return PF_OK;
}

static PfStatus loop(Switching *s)
{
  PfRunResult r;
  bool first = true;
  PF_TRY(begin_phase(s));
  PF_TRY(happen_due(s, -1));
  for (;;) {
    PF_TRY(run_phase(s, &r));
    add_result(s->result, &r, first);
    first = false;
    bool whole = r.end == PF_RUN_DONE && r.t >= s->options->t_end;
    if (whole || (r.end != PF_RUN_DONE && r.end != PF_RUN_UNTIL)) return PF_OK;
    int cause = -1;
    if (r.end == PF_RUN_UNTIL) {
      double stop = 0;
      if (s->options->until != PF_EXPR_NONE) PF_TRY(evaluate(s, &s->options->until, 1, &stop));
      if (stop != 0) return PF_OK;
      PF_TRY(find_cause(s, &cause));
      if (cause < 0) return PF_OK;
    }
    PF_TRY(happen_due(s, cause));
    s->result->end = PF_RUN_DONE;
  }
}

static PfStatus prepare(Switching *s, const double *values)
{
  size_t n = (size_t)s->eq->n, m = (size_t)s->eq->m, events = (size_t)s->model->event_count;
  size_t count = (size_t)s->symbols->count;
  s->values = pf_arena_array(s->own, double, count);
  s->instant = pf_arena_array(s->own, double, events);
  s->held = pf_arena_array(s->own, bool, n);
  s->active = pf_arena_array(s->own, bool, m);
  s->fired = pf_arena_array(s->own, bool, events);
  s->a = pf_arena_array(s->own, double, n);
  s->multiplier = pf_arena_array(s->own, double, m);
  s->log->record = pf_arena_array(s->arena, PfEventRecord, events);
  if (!s->values || !s->instant || !s->held || !s->active || !s->fired || !s->a || !s->multiplier || !s->log->record)
    return no_room(s->ctx);
  memcpy(s->values, values, count*sizeof *values);
  for (size_t i = 0; i < n; i++) s->held[i] = s->model->coordinates[i].released;
  for (size_t k = 0; k < m; k++) s->active[k] = !s->model->constraints[k].attached;
  for (size_t e = 0; e < events; e++) {
    s->instant[e] = NAN;
    if (s->model->events[e].time != PF_EXPR_NONE) PF_TRY(evaluate(s, &s->model->events[e].time, 1, s->instant + e));
  }
  return pf_model_momentum(s->ctx, s->model, s->momentum);
}

PfStatus pf_run_events(PfContext *ctx, PfArena *arena, const PfSystem *complete, const double *values,
                       const PfRunOptions *options, PfEventLog *log, PfRunResult *result)
{
  *result = (PfRunResult){.weakest = 1, .weakest_row = -1};
  *log = (PfEventLog){0};
  Switching s = {.ctx = ctx, .arena = arena, .system = complete, .eq = pf_system_equations(complete), .options = options,
                 .symbols = pf_system_symbols(complete), .log = log, .result = result};
  s.model = s.eq->model;
  s.own = pf_arena_new(pf_context_allocator(ctx));
  if (!s.own) return no_room(ctx);
  PfStatus status = prepare(&s, values);
  if (status == PF_OK) status = loop(&s);
  end_phase(&s);
  pf_arena_free(s.own);
  return status;
}
