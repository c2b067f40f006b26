/* SPDX-License-Identifier: Apache-2.0 */
/* What an event does. At an event the poses stay and the velocities jump to the nearest ones, in the metric of the mass
 * matrix, that the new phase allows:
 *
 *   v+ = v- + M^-1 (I + A^T lambda),   A v+ = 0,
 *
 * which is the impulsive motion: no momentum is lost but through what holds the system to the ground (reference page,
 * 4.1), and the kinetic energy falls by the energy of the jump when there is no impulse I from outside. */
#include "time/manifold.h"
#include "time/phases.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the jump */

typedef struct Jump {
  double *M, *before, *impulse, *change; /* n x n; n; n: from outside; n: M (v+ - v-) - impulse */
  bool *held_before;                     /* n */
} Jump;

static PfStatus jump_room(PfPhases *s, Jump *j)
{
  size_t n = (size_t)s->eq->n;
  j->M = pf_arena_array(s->own, double, n*n);
  j->before = pf_arena_array(s->own, double, n);
  j->impulse = pf_arena_array(s->own, double, n);
  j->change = pf_arena_array(s->own, double, n);
  j->held_before = pf_arena_array(s->own, bool, n);
  if (!j->M || !j->before || !j->impulse || !j->change || !j->held_before) return pf_phases_no_room(s);
  memcpy(j->held_before, s->held, n*sizeof *s->held);
  return PF_OK;
}

static PfStatus undetermined(const PfPhases *s, int coordinate)
{
  return pf_fail(s->ctx, PF_ERR_NUMBER, "the event at t = %.12g cannot be worked out: its impulse acts on '%s', which "
                 "has no inertia of its own", s->values[s->symbols->time], s->model->coordinates[coordinate].name);
}

/* v+ without the constraints of the new phase: what is held stops, and M_BB (v+ - v-)_B = M_BH v-_H + I_B. What has no
 * inertia stays as it is here: it follows from the constraints. */
static PfStatus stop_held(PfPhases *s, const Jump *j)
{
  int n = s->eq->n, b = s->phase.equations.n;
  const int *at = s->phase.coordinate;
  double *M = pf_arena_array(s->own, double, (size_t)b*(size_t)b), *right = pf_arena_array(s->own, double, b);
  PfLdl ldl;
  if (!M || !right) return pf_phases_no_room(s);
  PF_TRY(pf_ldl_make(s->ctx, s->own, b, &ldl));
  for (int i = 0; i < b; i++) {
    for (int k = 0; k < b; k++) M[i*b + k] = j->M[at[i]*n + at[k]];
    right[i] = j->impulse[at[i]];
    for (int k = 0; k < n; k++)
      if (s->held[k]) right[i] += j->M[at[i]*n + k]*j->before[k];
  }
  if (pf_ldl_factor(&ldl, M, 0) != PF_OK) return undetermined(s, at[ldl.fault_row < 0 ? 0 : ldl.fault_row]);
  if (pf_ldl_solve(&ldl, right, right) > PF_AGREEMENT) return undetermined(s, at[ldl.order[ldl.rank]]);
  for (int i = 0; i < b; i++) s->values[s->symbols->v + at[i]] += right[i];
  for (int k = 0; k < n; k++)
    if (s->held[k]) s->values[s->symbols->v + k] = 0;
  return PF_OK;
}

/* Onto the constraints of the new phase, in the metric of M, until rounding is left: rows and velocities may have any
 * size. Positions hold already: what an event attaches is where it is. */
static PfStatus satisfy(PfPhases *s)
{
  PfManifold manifold = {0};
  if (s->phase.equations.m == 0) return PF_OK;
  pf_phases_take(s);
  PF_TRY(pf_manifold_make(s->ctx, s->phase_arena, s->phase_system, &manifold));
  pf_manifold_measure(&manifold, s->phase_values);
  (void)pf_manifold_project(&manifold, s->phase_values, PF_LEVEL_VELOCITY, 0);
  const PfSymbols *in = pf_system_symbols(s->phase_system);
  pf_phases_store(s, s->values[s->symbols->time], s->phase_values + in->q, s->phase_values + in->v);
  return PF_OK;
}

static void find_change(const PfPhases *s, const Jump *j)
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

/* Impulses of the constraints of the new phase: A_B^T lambda = change_B; then those of what was locked: what is left of
 * its change. */
static PfStatus find_impulses(PfPhases *s, const Jump *j, PfEventRecord *record)
{
  int n = s->eq->n, b = s->phase.equations.n, m = s->phase.equations.m;
  double *A = pf_arena_array(s->own, double, (size_t)s->eq->m*(size_t)n);
  double *B = pf_arena_array(s->own, double, (size_t)m*(size_t)b), *right = pf_arena_array(s->own, double, b);
  double *lambda = pf_arena_array(s->own, double, m);
  if (!A || !B || !right || !lambda) return pf_phases_no_room(s);
  PF_TRY(pf_phases_evaluate(s, s->eq->A, s->eq->m*n, A));
  for (int k = 0; k < m; k++)
    for (int i = 0; i < b; i++) B[k*b + i] = A[s->phase.constraint[k]*n + s->phase.coordinate[i]];
  for (int i = 0; i < b; i++) right[i] = j->change[s->phase.coordinate[i]];
  if (m > 0) {
    PfQr qr;
    PfAlike units;
    PF_TRY(pf_qr_make(s->ctx, s->own, m, b, &qr));
    PF_TRY(pf_alike_make(s->ctx, s->own, m, b, &units));
    PF_TRY(pf_alike_factor(&units, &qr, B, 1e-10));
    pf_alike_solve_transposed(&units, &qr, right, lambda);
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

static void hold(PfPhases *s, const PfAction *action, bool held)
{
  for (int k = 0; k < action->coordinate_count; k++) s->held[action->coordinates[k]] = held;
}

static PfStatus add_impulse(PfPhases *s, PfExpr power, double *impulse)
{
  size_t n = (size_t)s->eq->n;
  PfExpr *v = pf_arena_array(s->own, PfExpr, n), *gradient = pf_arena_array(s->own, PfExpr, n);
  double *value = pf_arena_array(s->own, double, n);
  if (!v || !gradient || !value) return pf_phases_no_room(s);
  for (size_t i = 0; i < n; i++) v[i] = s->model->coordinates[i].v;
  PF_TRY(pf_expr_gradient(s->ctx, power, v, (int)n, gradient));
  PF_TRY(pf_phases_evaluate(s, gradient, (int)n, value));
  for (size_t i = 0; i < n; i++) impulse[i] += value[i];
  return PF_OK;
}

static PfStatus attach(PfPhases *s, const PfAction *action)
{
  double *value = pf_arena_array(s->own, double, action->parameter_count);
  if (!value) return pf_phases_no_room(s);
  PF_TRY(pf_phases_evaluate(s, action->captured, action->parameter_count, value));
  for (int k = 0; k < action->parameter_count; k++)
    s->values[s->symbols->parameters + action->parameters[k]] = value[k];
  for (int k = 0; k < action->row_count; k++) s->active[action->row + k] = true;
  return PF_OK;
}

/* Whatever holds the two bodies together by an event. */
static void release(PfPhases *s, const PfAction *action)
{
  for (int e = 0; e < s->event_count; e++)
    for (int k = 0; k < s->model->events[e].action_count; k++) {
      const PfAction *other = s->model->events[e].actions + k;
      if (other->kind != PF_ATTACH || !pf_actions_join_same(action, other)) continue;
      for (int row = 0; row < other->row_count; row++) s->active[other->row + row] = false;
    }
}

static PfStatus act(PfPhases *s, const PfAction *action, double *impulse)
{
  switch (action->kind) {
  case PF_LOCK: hold(s, action, true); return PF_OK;
  case PF_UNLOCK: hold(s, action, false); return PF_OK;
  case PF_ATTACH: return attach(s, action);
  case PF_RELEASE: release(s, action); return PF_OK;
  case PF_DETACH: break;
  }
  hold(s, action, true); /* the joint stays as it is, and the free one behind it moves: no force acts on it */
  const PfBall *ball = s->model->balls + action->ball;
  for (int k = 0; k < 4; k++) s->held[ball->q + k] = false;
  for (int k = 0; k < 3; k++) s->held[ball->p + k] = false;
  return action->power == PF_EXPR_NONE ? PF_OK : add_impulse(s, action->power, impulse);
}

static PfStatus look(PfPhases *s, double *kinetic, double *momentum)
{
  PF_TRY(pf_phases_evaluate(s, &s->eq->kinetic, 1, kinetic));
  return pf_phases_evaluate(s, s->momentum, 6, momentum);
}

static bool is_in_phase(const PfPhases *s, int row)
{
  for (int k = 0; k < s->phase.equations.m; k++)
    if (s->phase.constraint[k] == row) return true;
  return false;
}

/* The residual of a row A v+ that still is none: a small part of its terms before and after the event, and what
 * rounding leaves of a motion that has come to rest, by its numbers where the phase that has ended began. */
static double allowed_miss(const PfPhases *s, const Jump *j, const double *A)
{
  const double part = 1e-7, rounding = 1e-12;
  const double *q = s->values + s->symbols->q, *v = s->values + s->symbols->v;
  const double *began = s->opened.values;
  double sum = 0;
  for (int i = 0; i < s->eq->n; i++) {
    double moving = fmax(fabs(j->before[i]), fabs(v[i])), usual = fmax(s->size, fabs(q[i]));
    usual = fmax(usual, fmax(fabs(began[s->symbols->q + i]), fabs(began[s->symbols->v + i])));
    sum += fabs(A[i])*(part*moving + rounding*usual);
  }
  return sum;
}

/* Rows that hold cannot contradict each other, and one of which everything is held cannot ask for a motion. */
static PfStatus check_rows(PfPhases *s, const Jump *j)
{
  const size_t n = (size_t)s->eq->n;
  double *A = pf_arena_array(s->own, double, n);
  if (!A) return pf_phases_no_room(s);
  for (int k = 0; k < s->eq->m; k++) {
    double miss = 0, push = 0;
    if (!s->active[k]) continue;
    if (s->eq->velocity[k] != PF_EXPR_NONE) PF_TRY(pf_phases_evaluate(s, s->eq->velocity + k, 1, &miss));
    if (!is_in_phase(s, k)) PF_TRY(pf_phases_evaluate(s, s->eq->b + k, 1, &push));
    PF_TRY(pf_phases_evaluate(s, s->eq->A + (size_t)k*n, s->eq->n, A));
    double allowed = allowed_miss(s, j, A);
    if (fabs(miss) <= allowed && fabs(push) <= allowed) continue;
    pf_fail_at(s->ctx, PF_ERR_NUMBER, s->model->constraints[k].place, "the event at t = %.12g cannot be worked out: it "
               "contradicts the constraint '%s'", s->values[s->symbols->time], s->model->constraints[k].name);
    pf_hint(s->ctx, "what is locked or attached would have to move");
    return PF_ERR_NUMBER;
  }
  return PF_OK;
}

PfStatus pf_phases_happen(PfPhases *s, int e)
{
  const PfEvent *event = s->model->events + e;
  PfEventRecord *record = s->log->record + s->log->count;
  Jump j;
  *record = (PfEventRecord){.event = e, .t = s->values[s->symbols->time], .joint = record->joint,
                            .multiplier = record->multiplier};
  memset(record->joint, 0, (size_t)s->eq->n*sizeof *record->joint);
  memset(record->multiplier, 0, (size_t)s->eq->m*sizeof *record->multiplier);
  PF_TRY(jump_room(s, &j));
  PF_TRY(look(s, &record->kinetic_before, record->momentum_before));
  PF_TRY(pf_phases_evaluate(s, s->eq->M, s->eq->n*s->eq->n, j.M));
  memcpy(j.before, s->values + s->symbols->v, (size_t)s->eq->n*sizeof *j.before);
  for (int k = 0; k < event->action_count; k++) PF_TRY(act(s, event->actions + k, j.impulse));
  PF_TRY(pf_phases_begin(s));
  PF_TRY(stop_held(s, &j));
  PF_TRY(satisfy(s));
  PF_TRY(check_rows(s, &j));
  find_change(s, &j);
  PF_TRY(find_impulses(s, &j, record));
  PF_TRY(look(s, &record->kinetic_after, record->momentum_after));
  s->fired[e] = true;
  s->log->count++;
  return PF_OK;
}
