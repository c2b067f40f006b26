/* SPDX-License-Identifier: Apache-2.0 */
/* A consistent start: positions, then velocities, each by a search (search.c). */
#include "runtime/pf_speeds.h"
#include "time/manifold.h"
#include "time/search.h"
#include "time/start_conditions.h"
#include "time/start_corrections.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

/* The velocities to begin with at the corrected configuration: the same angular velocities of joints with a
 * quaternion, the same speeds. `before`: q and v; `room`: n. */
static void carry_over(const PfModel *model, const PfSymbols *in, PfStartConditions *conditions, const double *before,
                       double *values, double *room)
{
  const int n = model->coordinate_count;
  const double *q = values + in->q;
  double *v = values + in->v;
  if (pf_start_conditions_rates(conditions, values, room))
    for (int j = 0; j < n; j++)
      if (model->coordinates[j].priority_v == PF_START_OPEN && !model->coordinates[j].contact) v[j] = room[j];
  for (int i = 0; i < model->ball_count; i++) {
    double w[3];
    int at = model->balls[i].q;
    pf_spin_of_rate(before + at, before + n + at, w);
    pf_rate_of_spin(q + at, w, v + at);
  }
}

static void measure(PfManifold *f, const double *values, PfStart *start)
{
  start->position = pf_manifold_residual(f, values, PF_LEVEL_POSITION, NULL);
  start->velocity = pf_manifold_residual(f, values, PF_LEVEL_VELOCITY, NULL);
  start->scaled_violation = pf_manifold_scaled_residual(f, values, PF_LEVEL_POSITION);
  double velocity = pf_manifold_scaled_residual(f, values, PF_LEVEL_VELOCITY);
  if (!(velocity <= start->scaled_violation)) start->scaled_violation = velocity;
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

/* Velocities of which there is one value only: the constraints, linear in them, give it together with the given values,
 * or, where there is no inertia, with the velocities that have some. */
static PfStatus find_unique(PfContext *ctx, PfArena *arena, PfManifold *f, const PfStartPriority *priority,
                            const double *values, bool *plain)
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
    for (size_t j = 0; j < n; j++) sought[j] = priority[j] == PF_START_OPEN && !(light && f->M[j*n + j] > 0);
    PF_TRY(mark_unique(ctx, arena, f, sought, plain));
  }
  return PF_OK;
}

static PfStatus correct(PfContext *ctx, PfArena *arena, PfManifold *f, PfStartConditions *conditions, double *values,
                        PfStart *start)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = pf_system_equations(f->system)->model;
  size_t n = (size_t)f->n;
  double *before = pf_arena_array(arena, double, 2*n), *unit = pf_arena_array(arena, double, 2*n);
  double *room = pf_arena_array(arena, double, n);
  PfStartPriority *priority = pf_arena_array(arena, PfStartPriority, 2*n);
  bool *plain = pf_arena_array(arena, bool, 2*n);
  if (!before || !unit || !room || !priority || !plain) return pf_no_room(ctx, "the start");
  memcpy(before, values + in->q, 2*n*sizeof *before);
  for (int i = 0; i < model->ball_count; i++)
    pf_normalise_quaternion(values + in->q + model->balls[i].q, values + in->v + model->balls[i].q);
  memcpy(unit, values + in->q, 2*n*sizeof *before);
  for (size_t j = 0; j < n; j++)
    priority[j] = model->coordinates[j].priority_q, priority[n + j] = model->coordinates[j].priority_v;
  PF_TRY(pf_search_start(ctx, arena, f, NULL, PF_LEVEL_POSITION, priority, values, plain));
  PF_TRY(pf_start_conditions_check_place(ctx, conditions, values, room));
  carry_over(model, in, conditions, unit, values, room);
  PF_TRY(pf_search_start(ctx, arena, f, conditions, PF_LEVEL_VELOCITY, priority + n, values, plain + n));
  PF_TRY(find_unique(ctx, arena, f, priority + n, values, plain + n));
  pf_start_conditions_evaluate(conditions, values);
  PF_TRY(pf_start_corrections(ctx, arena, model, conditions, before, values + in->q, plain, start));
  measure(f, values, start);
  return PF_OK;
}

PfStatus pf_start_correct(PfContext *ctx, const PfSystem *system, double *values, PfStart *start)
{
  *start = (PfStart){.corrected_coordinate = -1, .corrected_velocity = -1};
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfManifold manifold = {0};
  PfStartConditions conditions = {0};
  PfStatus status = arena ? pf_start_conditions_make(ctx, arena, system, &conditions) : pf_no_room(ctx, "the start");
  /* any start will do: the tape is long */
  bool open = !pf_system_equations(system)->m && !conditions.count && !conditions.speeds;
  if (status == PF_OK && !open) status = pf_manifold_make_metric(ctx, arena, system, &manifold);
  if (status == PF_OK && !open) status = correct(ctx, arena, &manifold, &conditions, values, start);
  pf_start_conditions_release(&conditions);
  pf_arena_free(arena);
  return status;
}

bool pf_start_is_off(const PfStart *start)
{
  return !(start->scaled_violation <= PF_TYPED_DIGITS);
}

PfStatus pf_start_measure(PfContext *ctx, const PfSystem *system, const double *values, PfStart *start)
{
  *start = (PfStart){.corrected_coordinate = -1, .corrected_velocity = -1};
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
