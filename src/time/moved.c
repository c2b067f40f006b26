/* SPDX-License-Identifier: Apache-2.0 */
/* What the correction of a start changed, by name; what of it is worth a warning. */
#include "time/moved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct List {
  const PfModel *model;
  PfMoved *at;
  int count, positions;
} List;

void pf_moved_spin(const double q[4], const double rate[4], double w[3])
{
  double scale = 2/pf_dot(q, q, 4);
  for (int k = 0; k < 3; k++) {
    int a = 1 + (k + 1)%3, b = 1 + (k + 2)%3;
    w[k] = scale*(q[0]*rate[1 + k] + q[b]*rate[a] - q[1 + k]*rate[0] - q[a]*rate[b]);
  }
}

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
      l->at[l->count++] = (PfMoved){.name = c->name, .unit = c->unit, .firm = c->firm_q, .place = c->place,
                                    .from = before[j], .to = after[j]};
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
      l->at[l->count++] = (PfMoved){.name = c->name, .unit = c->unit, .rate = true, .firm = c->firm_v,
                                    .place = c->place, .from = before[n + j], .to = after[n + j]};
  }
  for (int i = 0; i < l->model->ball_count; i++) {
    const PfBall *ball = l->model->balls + i;
    double from[3], to[3];
    pf_moved_spin(before + ball->q, before + n + ball->q, from);
    pf_moved_spin(after + ball->q, after + n + ball->q, to);
    for (int k = 0; k < 3; k++)
      l->at[l->count++] = (PfMoved){.name = ball->spin_name[k], .unit = "", .firm = ball->firm_w[k],
                                    .place = ball->place, .from = from[k], .to = to[k]};
  }
}

/* omega(b).x and speeds, which are no velocities themselves. */
static void add_goals(List *l, const PfGoals *goals)
{
  for (int i = 0; i < goals->count; i++) {
    const PfGoal *g = goals->goal + i;
    bool listed = false;
    for (int k = l->positions; k < l->count; k++) listed = listed || l->at[k].name == g->name;
    if (!listed)
      l->at[l->count++] = (PfMoved){.name = g->name, .unit = g->unit, .firm = g->firm, .place = g->place,
                                    .from = g->target, .to = g->value};
  }
}

/* ---------------------------------------------------------------- what of it to tell */

static double change(const PfMoved *m)
{
  return fabs(m->to - m->from);
}

static double largest(const PfMoved *at, int count)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fmax(fabs(at[i].from), fabs(at[i].to)));
  return most;
}

/* The size of what was given in the same unit, at least 1. */
static double given_size(const PfMoved *at, int count, const PfMoved *one)
{
  double most = 1;
  for (int i = 0; i < count; i++)
    if (at[i].firm != PF_START_OPEN && (one->rate || !strcmp(at[i].unit, one->unit)))
      most = fmax(most, fabs(at[i].from));
  return most;
}

/* What was given differs by more than the digits that people type. What was solved for is as wanted, unless the
 * configuration is far from the one that the start shows, or a velocity comes out of all proportion. */
static void judge(PfMoved *at, int count, bool velocities)
{
  double size = largest(at, count);
  for (int i = 0; i < count; i++) {
    double by = change(at + i), limit = velocities ? 10 : 0.5;
    at[i].remarkable = at[i].firm != PF_START_OPEN ? by > 1e-9*size : by > limit*given_size(at, count, at + i);
    if (!(by > 1e-12*size + 1e-15)) at[i].name = NULL;
  }
}

/* A large change is nothing to choose where there is no other solution: a prescribed coordinate, a height. */
static void forgive(const PfModel *model, PfMoved *at, bool velocities, const bool *plain)
{
  for (int j = 0; j < model->coordinate_count; j++) {
    if (model->coordinates[j].contact || (velocities && is_quaternion(model, j))) continue;
    if (plain[j] && at->firm == PF_START_OPEN) at->remarkable = false;
    at++;
  }
}

/* To nine digits: what differs by rounding only is listed by name, the same on every machine. */
static double rounded(double x)
{
  int exponent;
  double part = frexp(x, &exponent);
  return ldexp(floor(part*0x1p30 + 0.5), exponent - 30);
}

static int by_size(const void *a, const void *b)
{
  const PfMoved *x = a, *y = b;
  double dx = rounded(change(x)), dy = rounded(change(y));
  return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->name, y->name);
}

static int keep_moved(PfMoved *at, int count)
{
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (at[i].name) at[kept++] = at[i];
  qsort(at, (size_t)kept, sizeof *at, by_size);
  return kept;
}

/* 0: given and changed, 1: found far away, 2: found as wanted. */
static int rank(const PfMoved *m)
{
  return !m->remarkable ? 2 : m->firm == PF_START_OPEN;
}

/* By rank, positions before velocities, the largest change first. */
static void merge(const PfMoved *position, int positions, const PfMoved *velocity, int velocities, PfStart *start)
{
  start->moved_count = positions + velocities;
  int count = 0;
  for (int pass = 0; pass < 6; pass++) {
    const PfMoved *at = pass%2 ? velocity : position;
    for (int i = 0; i < (pass%2 ? velocities : positions); i++)
      if (rank(at + i) == pass/2 && count < PF_MOST_MOVED) start->moved[count++] = at[i];
  }
}

static void find_change(const double *before, const double *after, int n, double *change, int *which)
{
  for (int j = 0; j < n; j++)
    if (fabs(after[j] - before[j]) > *change) *change = fabs(after[j] - before[j]), *which = j;
}

PfStatus pf_moved_list(PfContext *ctx, PfArena *arena, const PfModel *model, const PfGoals *goals, const double *before,
                       const double *after, const bool *plain, PfStart *start)
{
  int n = model->coordinate_count;
  List l = {.model = model};
  l.at = pf_arena_array(arena, PfMoved, 2*n + 3*model->ball_count + goals->count);
  if (!l.at) return pf_no_room(ctx, "the start");
  add_positions(&l, before, after);
  add_velocities(&l, before, after);
  add_goals(&l, goals);
  PfMoved *velocity = l.at + l.positions;
  int velocities = l.count - l.positions;
  judge(l.at, l.positions, false);
  forgive(model, l.at, false, plain);
  judge(velocity, velocities, true);
  forgive(model, velocity, true, plain + n);
  merge(l.at, keep_moved(l.at, l.positions), velocity, keep_moved(velocity, velocities), start);
  find_change(before, after, n, &start->position_change, &start->moved_coordinate);
  find_change(before + n, after + n, n, &start->velocity_change, &start->moved_velocity);
  return PF_OK;
}
