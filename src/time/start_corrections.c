/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that the correction of a start made, by name, and which of them deserve a warning. */
#include "time/start_corrections.h"

#include "runtime/pf_speeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct List {
  const PfModel *model;
  PfStartCorrection *at;
  int count, positions;
} List;

/* ---------------------------------------------------------------- all that may have moved */

static bool is_quaternion(const PfModel *model, int j)
{
  for (int i = 0; i < model->ball_count; i++)
    if (j >= model->balls[i].q && j < model->balls[i].q + 4) return true;
  return false;
}

static void add_positions(List *l, const double *before, const double *after)
{
  for (int j = 0; j < l->model->coordinate_count; j++) {
    const PfCoordinate *c = l->model->coordinates + j;
    if (!c->contact) /* not the user's */
      l->at[l->count++] = (PfStartCorrection){.name = c->name, .unit = c->unit, .priority = c->priority_q,
                                              .place = c->place, .from = before[j], .to = after[j]};
  }
  l->positions = l->count;
}

/* Angular velocities stand for the rates of quaternions. */
static void add_velocities(List *l, const double *before, const double *after)
{
  int n = l->model->coordinate_count;
  for (int j = 0; j < n; j++) {
    const PfCoordinate *c = l->model->coordinates + j;
    if (!c->contact && !is_quaternion(l->model, j))
      l->at[l->count++] = (PfStartCorrection){.name = c->name, .unit = c->unit, .rate = true, .priority = c->priority_v,
                                              .place = c->place, .from = before[n + j], .to = after[n + j]};
  }
  for (int i = 0; i < l->model->ball_count; i++) {
    const PfBall *ball = l->model->balls + i;
    double from[3], to[3];
    pf_spin_of_rate(before + ball->q, before + n + ball->q, from);
    pf_spin_of_rate(after + ball->q, after + n + ball->q, to);
    for (int k = 0; k < 3; k++)
      l->at[l->count++] = (PfStartCorrection){.name = ball->spin_name[k], .unit = "", .priority = ball->priority_w[k],
                                              .place = ball->place, .from = from[k], .to = to[k]};
  }
}

/* omega(b).x and speeds, which are not velocities themselves. */
static void add_conditions(List *l, const PfStartConditions *conditions)
{
  for (int i = 0; i < conditions->count; i++) {
    const PfStartCondition *g = conditions->condition + i;
    bool listed = false;
    for (int k = l->positions; k < l->count; k++) listed = listed || l->at[k].name == g->name;
    if (!listed)
      l->at[l->count++] = (PfStartCorrection){.name = g->name, .unit = g->unit, .priority = g->priority,
                                              .place = g->place, .from = g->target, .to = g->value};
  }
}

/* ---------------------------------------------------------------- selection of the changes to report */

static double change(const PfStartCorrection *m)
{
  return fabs(m->to - m->from);
}

static double largest(const PfStartCorrection *at, int count)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fmax(fabs(at[i].from), fabs(at[i].to)));
  return most;
}

/* The size of the given values in the same unit, at least 1. */
static double given_size(const PfStartCorrection *at, int count, const PfStartCorrection *one)
{
  double most = 1;
  for (int i = 0; i < count; i++)
    if (at[i].priority != PF_START_OPEN && (one->rate || !strcmp(at[i].unit, one->unit)))
      most = fmax(most, fabs(at[i].from));
  return most;
}

/* A given value is reported when it differs by more than the digits that people type. A value that was solved for is as
 * intended, unless the configuration is far from the one that the start shows, or a velocity comes out of all
 * proportion. */
static void judge(PfStartCorrection *at, int count, bool velocities)
{
  double size = largest(at, count);
  for (int i = 0; i < count; i++) {
    double by = change(at + i), limit = velocities ? 10 : 0.5;
    at[i].remarkable = at[i].priority != PF_START_OPEN ? by > 1e-9*size : by > limit*given_size(at, count, at + i);
    if (!(by > 1e-12*size + 1e-15)) at[i].name = NULL;
  }
}

/* A large change is nothing to choose where there is no other solution: a prescribed coordinate, a height. */
static void forgive(const PfModel *model, PfStartCorrection *at, bool velocities, const bool *plain)
{
  for (int j = 0; j < model->coordinate_count; j++) {
    if (model->coordinates[j].contact || (velocities && is_quaternion(model, j))) continue;
    if (plain[j] && at->priority == PF_START_OPEN) at->remarkable = false;
    at++;
  }
}

/* To nine digits: changes that differ by rounding only are listed by name, in the same order on every machine. */
static double rounded(double x)
{
  int exponent;
  double part = frexp(x, &exponent);
  return ldexp(floor(part*0x1p30 + 0.5), exponent - 30);
}

static int by_size(const void *a, const void *b)
{
  const PfStartCorrection *x = a, *y = b;
  double dx = rounded(change(x)), dy = rounded(change(y));
  return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->name, y->name);
}

static int add_correction(PfStartCorrection *at, int count)
{
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (at[i].name) at[kept++] = at[i];
  qsort(at, (size_t)kept, sizeof *at, by_size);
  return kept;
}

/* 0: given and changed, 1: found far away, 2: found as wanted. */
static int rank(const PfStartCorrection *m)
{
  return !m->remarkable ? 2 : m->priority == PF_START_OPEN;
}

/* By rank, positions before velocities, the largest change first. */
static void merge(const PfStartCorrection *position, int positions, const PfStartCorrection *velocity, int velocities,
                  PfStart *start)
{
  start->correction_count = positions + velocities;
  int count = 0;
  for (int pass = 0; pass < 6; pass++) {
    const PfStartCorrection *at = pass%2 ? velocity : position;
    for (int i = 0; i < (pass%2 ? velocities : positions); i++)
      if (rank(at + i) == pass/2 && count < PF_MOST_CORRECTIONS) start->corrections[count++] = at[i];
  }
}

static void find_change(const double *before, const double *after, int n, double *change, int *which)
{
  for (int j = 0; j < n; j++)
    if (fabs(after[j] - before[j]) > *change) *change = fabs(after[j] - before[j]), *which = j;
}

PfStatus pf_start_corrections(PfContext *ctx, PfArena *arena, const PfModel *model, const PfStartConditions *conditions,
                              const double *before, const double *after, const bool *plain, PfStart *start)
{
  int n = model->coordinate_count;
  List l = {.model = model};
  l.at = pf_arena_array(arena, PfStartCorrection, 2*n + 3*model->ball_count + conditions->count);
  if (!l.at) return pf_no_room(ctx, "the start");
  add_positions(&l, before, after);
  add_velocities(&l, before, after);
  add_conditions(&l, conditions);
  PfStartCorrection *velocity = l.at + l.positions;
  int velocities = l.count - l.positions;
  judge(l.at, l.positions, false);
  forgive(model, l.at, false, plain);
  judge(velocity, velocities, true);
  forgive(model, velocity, true, plain + n);
  merge(l.at, add_correction(l.at, l.positions), velocity, add_correction(velocity, velocities), start);
  find_change(before, after, n, &start->position_change, &start->corrected_coordinate);
  find_change(before + n, after + n, n, &start->velocity_change, &start->corrected_velocity);
  return PF_OK;
}
