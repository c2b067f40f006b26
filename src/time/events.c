/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of an event. At an event the poses stay and the velocities jump to the nearest ones, in the metric of the
 * mass matrix, that the new phase allows:
 *
 *   v+ = v- + M^-1 (I + A^T lambda),   A v+ = 0,
 *
 * which is the impulsive motion: momentum is lost only through the connections of the system to the ground (reference
 * page, 4.1), and the kinetic energy falls by the energy of the jump when there is no impulse I from outside. */
#include "time/manifold.h"
#include "time/phase_driver.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the jump */

typedef struct Jump {
  double *M, *before, *impulse, *change; /* n x n; n; n: from outside; n: M (v+ - v-) - impulse */
  bool *held_before;                     /* n */
} Jump;

static PfStatus undetermined(const PfDriver *s, int coordinate)
{
  return pf_fail(s->ctx, PF_ERR_NUMBER, "the event at t = %.12g cannot be worked out: its impulse acts on '%s', which "
                 "has no inertia of its own", s->values[s->symbols->time], s->model->coordinates[coordinate].name);
}

/* v+ without the constraints of the new phase: held coordinates stop, and M_BB (v+ - v-)_B = M_BH v-_H + I_B.
 * Coordinates without inertia are unchanged here: they follow from the constraints. */
static PfStatus stop_held(PfDriver *s, const Jump *j)
{
  int n = s->eq->n, b = s->phase.equations.n;
  const int *at = s->phase.coordinate;
  double *M = pf_arena_array(s->own, double, (size_t)b*(size_t)b), *right = pf_arena_array(s->own, double, b);
  PfLdl ldl;
  if (!M || !right) return pf_driver_no_room(s);
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

/* Projection on the constraints of the new phase, in the metric of M, down to rounding: rows and velocities may have
 * any size. Positions hold already: an event attaches bodies where they are. */
static PfStatus satisfy(PfDriver *s)
{
  PfManifold manifold = {0};
  if (s->phase.equations.m == 0) return PF_OK;
  pf_driver_load_phase(s);
  PF_TRY(pf_manifold_make(s->ctx, s->phase_arena, s->phase_system, &manifold));
  pf_manifold_measure(&manifold, s->phase_values);
  (void)pf_manifold_project(&manifold, s->phase_values, PF_LEVEL_VELOCITY, 0);
  const PfSymbols *in = pf_system_symbols(s->phase_system);
  pf_driver_store_phase(s, s->values[s->symbols->time], s->phase_values + in->q, s->phase_values + in->v);
  return PF_OK;
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

/* Impulses of the constraints of the new phase: A_B^T lambda = change_B; then those of the locked coordinates: the rest
 * of their change. */
static PfStatus find_impulses(PfDriver *s, const Jump *j, PfEventRecord *record)
{
  int n = s->eq->n, b = s->phase.equations.n, m = s->phase.equations.m;
  double *A = pf_arena_array(s->own, double, (size_t)s->eq->m*(size_t)n);
  double *B = pf_arena_array(s->own, double, (size_t)m*(size_t)b), *right = pf_arena_array(s->own, double, b);
  double *lambda = pf_arena_array(s->own, double, m);
  if (!A || !B || !right || !lambda) return pf_driver_no_room(s);
  PF_TRY(pf_driver_evaluate(s, s->eq->A, s->eq->m*n, A));
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

static void hold(PfDriver *s, const PfAction *action, bool held)
{
  for (int k = 0; k < action->coordinate_count; k++) s->held[action->coordinates[k]] = held;
}

/* Applies an action to the held coordinates and the active rows; adds to `impulse` (n) that of the springs of a
 * detached joint. */
static PfStatus act(PfDriver *s, const PfAction *action, double *impulse)
{
  const size_t n = (size_t)s->eq->n, parameters = (size_t)action->parameter_count;
  PfExpr *v = pf_arena_array(s->own, PfExpr, n), *gradient = pf_arena_array(s->own, PfExpr, n);
  double *value = pf_arena_array(s->own, double, n > parameters ? n : parameters);
  if (!v || !gradient || !value) return pf_driver_no_room(s);
  switch (action->kind) {
  case PF_LOCK: hold(s, action, true); return PF_OK;
  case PF_UNLOCK: hold(s, action, false); return PF_OK;
  case PF_ATTACH:
    PF_TRY(pf_driver_evaluate(s, action->captured, action->parameter_count, value));
    for (int k = 0; k < action->parameter_count; k++)
      s->values[s->symbols->parameters + action->parameters[k]] = value[k];
    for (int k = 0; k < action->row_count; k++) s->active[action->row + k] = true;
    return PF_OK;
  case PF_RELEASE: /* everything that holds the two bodies together by an event */
    for (int e = 0; e < s->event_count; e++)
      for (int k = 0; k < s->model->events[e].action_count; k++) {
        const PfAction *other = s->model->events[e].actions + k;
        if (other->kind != PF_ATTACH || !pf_actions_join_same(action, other)) continue;
        for (int row = 0; row < other->row_count; row++) s->active[other->row + row] = false;
      }
    return PF_OK;
  case PF_DETACH: break;
  }
  hold(s, action, true); /* the joint stays as it is, and the free one after it moves: no force acts on it */
  const PfBall *ball = s->model->balls + action->ball;
  for (int k = 0; k < 4; k++) s->held[ball->q + k] = false;
  for (int k = 0; k < 3; k++) s->held[ball->p + k] = false;
  if (action->power == PF_EXPR_NONE) return PF_OK;
  for (size_t i = 0; i < n; i++) v[i] = s->model->coordinates[i].v;
  PF_TRY(pf_expr_gradient(s->ctx, action->power, v, (int)n, gradient));
  PF_TRY(pf_driver_evaluate(s, gradient, (int)n, value));
  for (size_t i = 0; i < n; i++) impulse[i] += value[i];
  return PF_OK;
}

static PfStatus measure(PfDriver *s, double *kinetic, double *momentum)
{
  PF_TRY(pf_driver_evaluate(s, &s->eq->kinetic, 1, kinetic));
  return pf_driver_evaluate(s, s->momentum, 6, momentum);
}

/* The residual of a row A v+ that counts as zero: a small part of its terms before and after the event, and the
 * rounding error of a motion that has come to rest, by its numbers where the phase that has ended began. */
static double allowed_residual(const PfDriver *s, const Jump *j, const double *A)
{
  const double part = 1e-7, rounding = 1e-12;
  const double *q = s->values + s->symbols->q, *v = s->values + s->symbols->v;
  const double *began = s->opened.values;
  double sum = 0;
  for (int i = 0; i < s->eq->n; i++) {
    double moving = fmax(fabs(j->before[i]), fabs(v[i])), typical = fmax(s->size, fabs(q[i]));
    typical = fmax(typical, fmax(fabs(began[s->symbols->q + i]), fabs(began[s->symbols->v + i])));
    sum += fabs(A[i])*(part*moving + rounding*typical);
  }
  return sum;
}

/* Rows that hold cannot contradict each other, and one of which everything is held cannot ask for a motion. */
static PfStatus check_rows(PfDriver *s, const Jump *j)
{
  const size_t n = (size_t)s->eq->n;
  double *A = pf_arena_array(s->own, double, n);
  if (!A) return pf_driver_no_room(s);
  for (int k = 0; k < s->eq->m; k++) {
    double misfit = 0, push = 0;
    bool in_phase = false;
    if (!s->active[k]) continue;
    for (int i = 0; i < s->phase.equations.m; i++) in_phase = in_phase || s->phase.constraint[i] == k;
    if (s->eq->velocity[k] != PF_EXPR_NONE) PF_TRY(pf_driver_evaluate(s, s->eq->velocity + k, 1, &misfit));
    if (!in_phase) PF_TRY(pf_driver_evaluate(s, s->eq->b + k, 1, &push));
    PF_TRY(pf_driver_evaluate(s, s->eq->A + (size_t)k*n, s->eq->n, A));
    double allowed = allowed_residual(s, j, A);
    if (fabs(misfit) <= allowed && fabs(push) <= allowed) continue;
    pf_fail_at(s->ctx, PF_ERR_NUMBER, s->model->constraints[k].place, "the event at t = %.12g cannot be worked out: it "
               "contradicts the constraint '%s'", s->values[s->symbols->time], s->model->constraints[k].name);
    pf_hint(s->ctx, "locked or attached coordinates would have to move");
    return PF_ERR_NUMBER;
  }
  return PF_OK;
}

PfStatus pf_driver_handle_event(PfDriver *s, int e)
{
  const PfEvent *event = s->model->events + e;
  PfEventRecord *record = s->log->record + s->log->count;
  const size_t n = (size_t)s->eq->n;
  const double *v = s->values + s->symbols->v;
  *record = (PfEventRecord){.event = e, .t = s->values[s->symbols->time], .joint = record->joint,
                            .multiplier = record->multiplier};
  memset(record->joint, 0, n*sizeof *record->joint);
  memset(record->multiplier, 0, (size_t)s->eq->m*sizeof *record->multiplier);
  Jump j = {.M = pf_arena_array(s->own, double, n*n), .before = pf_arena_array(s->own, double, n),
            .impulse = pf_arena_array(s->own, double, n), .change = pf_arena_array(s->own, double, n),
            .held_before = pf_arena_array(s->own, bool, n)};
  if (!j.M || !j.before || !j.impulse || !j.change || !j.held_before) return pf_driver_no_room(s);
  memcpy(j.held_before, s->held, n*sizeof *s->held);
  PF_TRY(measure(s, &record->kinetic_before, record->momentum_before));
  PF_TRY(pf_driver_evaluate(s, s->eq->M, s->eq->n*s->eq->n, j.M));
  memcpy(j.before, v, n*sizeof *j.before);
  for (int k = 0; k < event->action_count; k++) PF_TRY(act(s, event->actions + k, j.impulse));
  PF_TRY(pf_driver_begin_phase(s));
  PF_TRY(stop_held(s, &j));
  PF_TRY(satisfy(s));
  PF_TRY(check_rows(s, &j));
  for (size_t i = 0; i < n; i++) {
    j.change[i] = -j.impulse[i];
    for (size_t k = 0; k < n; k++) j.change[i] += j.M[i*n + k]*(v[k] - j.before[k]);
  }
  PF_TRY(find_impulses(s, &j, record));
  PF_TRY(measure(s, &record->kinetic_after, record->momentum_after));
  s->fired[e] = true;
  s->log->count++;
  return PF_OK;
}
