/* SPDX-License-Identifier: Apache-2.0 */
/* A consistent start: positions, then velocities, each by a search (search.c). */
#include "time/goals.h"
#include "time/manifold.h"
#include "time/moved.h"
#include "time/search.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

/* Attitudes may come with quaternions of any length: the angular velocity stays. */
static void normalise(const PfModel *model, double *q, double *v)
{
  for (int i = 0; i < model->ball_count; i++) {
    int at = model->balls[i].q;
    double length = pf_norm(q + at, 4);
    if (!(length > 0) || fabs(length - 1) < 1e-12) continue;
    for (int k = 0; k < 4; k++) q[at + k] /= length, v[at + k] /= length;
  }
}

/* The velocities to begin with at the corrected configuration: the same angular velocities of joints with a
 * quaternion, the same speeds. `before`: q and v; `room`: n. */
static void carry_over(const PfModel *model, const PfSymbols *in, PfGoals *goals, const double *before, double *values,
                       double *room)
{
  const int n = model->coordinate_count;
  const double *q = values + in->q;
  double *v = values + in->v;
  if (pf_goals_rates(goals, values, room))
    for (int j = 0; j < n; j++)
      if (model->coordinates[j].firm_v == PF_START_OPEN && !model->coordinates[j].contact) v[j] = room[j];
  for (int i = 0; i < model->ball_count; i++) {
    double w[3];
    int at = model->balls[i].q;
    pf_moved_spin(before + at, before + n + at, w);
    v[at] = -0.5*pf_dot(q + at + 1, w, 3);
    for (int k = 0; k < 3; k++) {
      int a = at + 1 + (k + 1)%3, b = at + 1 + (k + 2)%3;
      v[at + 1 + k] = 0.5*(q[at]*w[k] + q[a]*w[(k + 2)%3] - q[b]*w[(k + 1)%3]);
    }
  }
}

static void measure(PfManifold *f, const double *values, PfStart *start)
{
  start->position = pf_manifold_residual(f, values, PF_LEVEL_POSITION, NULL);
  start->velocity = pf_manifold_residual(f, values, PF_LEVEL_VELOCITY, NULL);
  start->missed = pf_manifold_miss(f, values, PF_LEVEL_POSITION);
  double velocity = pf_manifold_miss(f, values, PF_LEVEL_VELOCITY);
  if (!(velocity <= start->missed)) start->missed = velocity;
}

/* Which of the velocities that are `sought` the constraints give one value, when the others are known. */
static PfStatus mark_unique(PfContext *ctx, PfArena *arena, const PfManifold *f, const bool *sought, bool *plain)
{
  const size_t n = (size_t)f->n, m = (size_t)f->m;
  double *A = pf_arena_array(arena, double, m*n), *N = pf_arena_array(arena, double, n*n);
  PfQr qr;
  if (!A || !N) return pf_no_room(ctx, "the start");
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++) A[i*n + j] = sought[j] ? f->A[i*n + j] : 0;
    const double unit = pf_binary_scale(A + i*n, n);
    for (size_t j = 0; j < n; j++) A[i*n + j] /= unit;
  }
  PF_TRY(pf_qr_make(ctx, arena, f->m, f->n, &qr));
  if (pf_qr_factor(&qr, A, PF_RANK_TOLERANCE) != PF_OK) return PF_OK;
  pf_qr_null_space(&qr, N);
  const size_t free = n - (size_t)qr.rank;
  for (size_t j = 0; j < n; j++)
    plain[j] = plain[j] || (sought[j] && pf_norm(N + j*free, (int)free) <= PF_RANK_TOLERANCE);
  return PF_OK;
}

/* Velocities of which there is one value only: the constraints, linear in them, give it together with what was given,
 * or, where there is no inertia, with the velocities that have some. */
static PfStatus find_unique(PfContext *ctx, PfArena *arena, PfManifold *f, const PfFirmness *firm, const double *values,
                            bool *plain)
{
  const PfModel *model = pf_system_equations(f->system)->model;
  const size_t n = (size_t)f->n;
  bool *sought = pf_arena_array(arena, bool, n);
  if (!sought) return pf_no_room(ctx, "the start");
  if (!f->M || f->in_bodies || !f->m) return PF_OK;
  for (int i = 0; i < model->constraint_count; i++)
    if (model->constraints[i].kind == PF_NONLINEAR) return PF_OK;
  pf_manifold_slopes(f, values);
  for (int light = 0; light < 2; light++) {
    for (size_t j = 0; j < n; j++) sought[j] = firm[j] == PF_START_OPEN && !(light && f->M[j*n + j] > 0);
    PF_TRY(mark_unique(ctx, arena, f, sought, plain));
  }
  return PF_OK;
}

static PfStatus correct(PfContext *ctx, PfArena *arena, PfManifold *f, PfGoals *goals, double *values, PfStart *start)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = pf_system_equations(f->system)->model;
  size_t n = (size_t)f->n;
  double *before = pf_arena_array(arena, double, 2*n), *unit = pf_arena_array(arena, double, 2*n);
  double *room = pf_arena_array(arena, double, n);
  PfFirmness *firm = pf_arena_array(arena, PfFirmness, 2*n);
  bool *plain = pf_arena_array(arena, bool, 2*n);
  if (!before || !unit || !room || !firm || !plain) return pf_no_room(ctx, "the start");
  memcpy(before, values + in->q, 2*n*sizeof *before);
  normalise(model, values + in->q, values + in->v);
  memcpy(unit, values + in->q, 2*n*sizeof *before);
  for (size_t j = 0; j < n; j++) firm[j] = model->coordinates[j].firm_q, firm[n + j] = model->coordinates[j].firm_v;
  PF_TRY(pf_search_start(ctx, arena, f, NULL, PF_LEVEL_POSITION, firm, values, plain));
  PF_TRY(pf_goals_check_place(ctx, goals, values, room));
  carry_over(model, in, goals, unit, values, room);
  PF_TRY(pf_search_start(ctx, arena, f, goals, PF_LEVEL_VELOCITY, firm + n, values, plain + n));
  PF_TRY(find_unique(ctx, arena, f, firm + n, values, plain + n));
  pf_goals_evaluate(goals, values);
  PF_TRY(pf_moved_list(ctx, arena, model, goals, before, values + in->q, plain, start));
  measure(f, values, start);
  return PF_OK;
}

PfStatus pf_start_correct(PfContext *ctx, const PfSystem *system, double *values, PfStart *start)
{
  *start = (PfStart){.moved_coordinate = -1, .moved_velocity = -1};
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfManifold manifold = {0};
  PfGoals goals = {0};
  PfStatus status = arena ? pf_goals_make(ctx, arena, system, &goals) : pf_no_room(ctx, "the start");
  /* any start will do: the tape is long */
  bool open = !pf_system_equations(system)->m && !goals.count && !goals.speeds;
  if (status == PF_OK && !open) status = pf_manifold_make_metric(ctx, arena, system, &manifold);
  if (status == PF_OK && !open) status = correct(ctx, arena, &manifold, &goals, values, start);
  pf_goals_release(&goals);
  pf_arena_free(arena);
  return status;
}

bool pf_start_is_off(const PfStart *start)
{
  return !(start->missed <= PF_TYPED_DIGITS);
}

PfStatus pf_start_measure(PfContext *ctx, const PfSystem *system, const double *values, PfStart *start)
{
  *start = (PfStart){.moved_coordinate = -1, .moved_velocity = -1};
  if (!pf_system_equations(system)->m) return PF_OK;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfManifold manifold = {0};
  PfStatus status = arena ? pf_manifold_make(ctx, arena, system, &manifold) : pf_no_room(ctx, "the start");
  if (status == PF_OK) {
    pf_manifold_find_units(&manifold, values);
    measure(&manifold, values, start);
  }
  pf_arena_free(arena);
  return status;
}
