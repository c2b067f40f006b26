/* A consistent start: positions, then velocities, by the smallest mass-weighted change. */
#include "time/manifold.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

static PfStatus conflict(PfContext *ctx, const PfSystem *system, int row, double miss, PfLevel level)
{
  const PfModel *model = pf_system_equations(system)->model;
  const PfConstraint *c = model->constraints + (row < 0 ? 0 : row);
  pf_fail_at(ctx, PF_ERR_MODEL, c->place, "no %s near the start satisfies the constraint '%s' together with the others",
             level == PF_LEVEL_POSITION ? "configuration" : "velocity", c->name);
  pf_hint(ctx, "it is missed by %.3g at best; are values marked with '!' in the way?", miss);
  return PF_ERR_MODEL;
}

/* Newton until rounding; the step is halved while it does not help. */
static PfStatus settle(PfContext *ctx, PfManifold *f, double *values, PfLevel level, const bool *held, double *keep)
{
  enum { MOST = 60 };
  const PfSymbols *in = pf_system_symbols(f->system);
  double *x = values + (level == PF_LEVEL_POSITION ? in->q : in->v);
  int row, n = f->n;
  double miss = pf_manifold_miss(f, values, level, &row);
  for (int k = 0; k < MOST && !(miss <= 1e-13); k++) {
    memcpy(keep, x, (size_t)n*sizeof *x);
    if (!pf_manifold_step(f, values, level, held)) break;
    double now = pf_manifold_miss(f, values, level, &row);
    for (int half = 0; half < 20 && !(now < miss); half++) {
      for (int j = 0; j < n; j++) x[j] = 0.5*(x[j] + keep[j]);
      now = pf_manifold_miss(f, values, level, &row);
    }
    if (!(now < miss)) {
      memcpy(x, keep, (size_t)n*sizeof *x);
      break;
    }
    miss = now;
  }
  miss = pf_manifold_miss(f, values, level, &row);
  return miss <= 1e-9 ? PF_OK : conflict(ctx, f->system, row, miss, level);
}

static void find_change(const double *before, const double *after, int n, double *change, int *which)
{
  *change = 0;
  *which = -1;
  for (int j = 0; j < n; j++)
    if (fabs(after[j] - before[j]) > *change) *change = fabs(after[j] - before[j]), *which = j;
}

static PfStatus correct(PfContext *ctx, PfArena *arena, PfManifold *f, double *values, PfStart *start)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = pf_system_equations(f->system)->model;
  size_t n = (size_t)f->n;
  bool *held = pf_arena_array(arena, bool, n), any = false;
  double *keep = pf_arena_array(arena, double, n), *before = pf_arena_array(arena, double, 2*n);
  if (!held || !keep || !before) return pf_fail(ctx, PF_ERR_MEMORY, "no room for the start");
  memcpy(before, values + in->q, 2*n*sizeof *before);
  for (size_t j = 0; j < n; j++) any |= held[j] = model->coordinates[j].firm_q == PF_START_FIXED;
  PF_TRY(settle(ctx, f, values, PF_LEVEL_POSITION, any ? held : NULL, keep));
  any = false;
  for (size_t j = 0; j < n; j++) any |= held[j] = model->coordinates[j].firm_v == PF_START_FIXED;
  PF_TRY(settle(ctx, f, values, PF_LEVEL_VELOCITY, any ? held : NULL, keep));
  find_change(before, values + in->q, f->n, &start->position_change, &start->moved_coordinate);
  find_change(before + n, values + in->v, f->n, &start->velocity_change, &start->moved_velocity);
  start->position = pf_manifold_miss(f, values, PF_LEVEL_POSITION, NULL);
  start->velocity = pf_manifold_miss(f, values, PF_LEVEL_VELOCITY, NULL);
  return PF_OK;
}

PfStatus pf_start_correct(PfContext *ctx, const PfSystem *system, double *values, PfStart *start)
{
  *start = (PfStart){.moved_coordinate = -1, .moved_velocity = -1};
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfManifold manifold = {0};
  PfStatus status = arena ? pf_manifold_make(ctx, arena, system, &manifold)
                          : pf_fail(ctx, PF_ERR_MEMORY, "no room for the start");
  if (status == PF_OK) status = correct(ctx, arena, &manifold, values, start);
  pf_manifold_release(&manifold);
  pf_arena_free(arena);
  return status;
}
