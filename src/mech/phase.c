/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a phase between two events: some coordinates are held where they are, some constraints are not
 * active. Nothing is derived again. With q'' = 0 and q' = 0 for what is held, its rows and columns drop out of M q'' =
 * F + A^T lambda, and its q is one more parameter. */
#include "mech/mech_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- what is left */

/* A row that contains nothing that moves is no constraint any more. */
static bool is_left(PfContext *ctx, const PfEquations *all, const PfPhase *phase, int row)
{
  for (int j = 0; j < phase->equations.n; j++)
    if (!pf_expr_is_int(ctx, all->A[row*all->n + phase->coordinate[j]], 0)) return true;
  return false;
}

static void choose(PfContext *ctx, const PfEquations *all, const bool *held, const bool *active, PfPhase *phase)
{
  int n = 0, m = 0;
  for (int i = 0; i < all->n; i++)
    if (!held[i]) phase->coordinate[n++] = i;
  phase->equations.n = n;
  for (int k = 0; k < all->m; k++)
    if (active[k] && is_left(ctx, all, phase, k)) phase->constraint[m++] = k;
  phase->equations.m = m;
}

/* ---------------------------------------------------------------- the model */

/* Held coordinates follow the parameters. */
static PfStatus add_parameters(PfContext *ctx, PfArena *arena, const PfModel *all, const bool *held, PfModel *model)
{
  size_t count = (size_t)all->parameter_count, n = (size_t)all->coordinate_count;
  model->parameters = pf_arena_array(arena, PfParameter, count + n);
  model->parameter_order = pf_arena_array(arena, int, count + n);
  if (!model->parameters || !model->parameter_order) return pf_no_room(ctx, "the equations of a phase");
  if (count) memcpy(model->parameters, all->parameters, count*sizeof *model->parameters);
  if (count) memcpy(model->parameter_order, all->parameter_order, count*sizeof *model->parameter_order);
  for (size_t i = 0; i < n; i++) {
    if (!held[i]) continue;
    const PfCoordinate *c = all->coordinates + i;
    model->parameters[count] = (PfParameter){.name = c->name, .unit = c->unit, .scale = c->scale, .symbol = c->q,
                                             .value = c->start_q, .hidden = true, .place = c->place};
    model->parameter_order[count] = (int)count;
    count++;
  }
  model->parameter_count = (int)count;
  return PF_OK;
}

static int find(const int *list, int count, int value)
{
  for (int i = 0; i < count; i++)
    if (list[i] == value) return i;
  return -1;
}

/* The first of the three coordinates of position, by the numbers of the phase; where one of them is held the joint does
 * not float any more: -1. */
static int find_position(const PfPhase *phase, int p)
{
  int n = phase->equations.n, first = find(phase->coordinate, n, p);
  for (int c = 1; c < 3; c++)
    if (find(phase->coordinate, n, p + c) < 0) return -1;
  return first;
}

/* Joints with a quaternion that is not held, by the numbers of the phase. */
static PfStatus add_balls(PfContext *ctx, PfArena *arena, const PfModel *all, const PfPhase *phase, PfModel *model)
{
  model->balls = pf_arena_array(arena, PfBall, all->ball_count);
  if (!model->balls) return pf_no_room(ctx, "the equations of a phase");
  model->ball_count = 0;
  for (int b = 0; b < all->ball_count; b++) {
    PfBall ball = all->balls[b];
    ball.q = find(phase->coordinate, phase->equations.n, ball.q);
    if (ball.p >= 0) ball.p = find_position(phase, ball.p);
    ball.norm = find(phase->constraint, phase->equations.m, ball.norm);
    if (ball.q >= 0) model->balls[model->ball_count++] = ball;
  }
  return PF_OK;
}

/* The user's speeds move what is free in the model as it is written: not what is held now, nor by rows that were
 * attached. */
static bool keeps_speeds(const PfModel *all, const PfPhase *phase)
{
  for (int k = 0; k < phase->equations.m; k++)
    if (all->constraints[phase->constraint[k]].attached) return false;
  return phase->equations.n == all->coordinate_count;
}

/* Velocities of what is held are zero. */
static PfStatus rest(PfContext *ctx, const PfModel *all, const bool *held, PfArena *arena, PfExpr *e, size_t count)
{
  size_t n = (size_t)all->coordinate_count;
  PfExpr *symbols = pf_arena_array(arena, PfExpr, n), *zeros = pf_arena_array(arena, PfExpr, n);
  if (!symbols || !zeros) return pf_no_room(ctx, "the equations of a phase");
  int k = 0;
  for (size_t i = 0; i < n; i++)
    if (held[i]) symbols[k] = all->coordinates[i].v, zeros[k++] = pf_expr_int(ctx, 0);
  if (k == 0 || count == 0) return PF_OK;
  return pf_expr_substitute(ctx, e, (int)count, symbols, zeros, k, e);
}

static PfStatus rest_vector(PfContext *ctx, const PfModel *all, const bool *held, PfArena *arena, PfVector *v)
{
  if (v->count <= 0) return PF_OK;
  PfVectorPart *parts = pf_arena_array(arena, PfVectorPart, v->count);
  if (!parts) return pf_no_room(ctx, "the equations of a phase");
  memcpy(parts, v->part, (size_t)v->count*sizeof *parts);
  v->part = parts;
  for (int i = 0; i < v->count; i++) PF_TRY(rest(ctx, all, held, arena, parts[i].c, 3));
  return PF_OK;
}

/* The same in what the model says, for who derives from it again: in angular velocities. */
static PfStatus rest_model(PfContext *ctx, const PfModel *all, const bool *held, PfArena *arena, PfModel *model)
{
  size_t n = (size_t)model->coordinate_count;
  model->loads = pf_arena_array(arena, PfLoad, all->load_count);
  if (!model->loads) return pf_no_room(ctx, "the equations of a phase");
  if (all->load_count) memcpy(model->loads, all->loads, (size_t)all->load_count*sizeof *model->loads);
  for (int i = 0; i < model->load_count; i++) {
    PF_TRY(rest_vector(ctx, all, held, arena, &model->loads[i].force));
    PF_TRY(rest_vector(ctx, all, held, arena, &model->loads[i].velocity));
  }
  for (int k = 0; k < model->constraint_count; k++)
    PF_TRY(rest(ctx, all, held, arena, &model->constraints[k].residual, 1));
  PF_TRY(rest(ctx, all, held, arena, &model->kinetic, 1));
  PF_TRY(rest(ctx, all, held, arena, &model->dissipation, 1));
  PF_TRY(rest(ctx, all, held, arena, model->force, n));
  return rest(ctx, all, held, arena, model->nonideal, n);
}

static PfStatus make_model(PfContext *ctx, PfArena *arena, const PfModel *all, const bool *held, PfPhase *phase)
{
  PfModel *model = &phase->model;
  size_t n = (size_t)phase->equations.n, m = (size_t)phase->equations.m;
  *model = *all;
  model->complete = NULL;
  model->event_count = 0;
  model->coordinate_count = (int)n;
  model->constraint_count = (int)m;
  if (!keeps_speeds(all, phase)) model->speed_count = 0;
  model->coordinates = pf_arena_array(arena, PfCoordinate, n);
  model->constraints = pf_arena_array(arena, PfConstraint, m);
  model->force = pf_arena_array(arena, PfExpr, n);
  model->nonideal = pf_arena_array(arena, PfExpr, n);
  if (!model->coordinates || !model->constraints || !model->force || !model->nonideal)
    return pf_no_room(ctx, "the equations of a phase");
  for (size_t i = 0; i < n; i++) {
    model->coordinates[i] = all->coordinates[phase->coordinate[i]];
    model->force[i] = all->force[phase->coordinate[i]];
    model->nonideal[i] = all->nonideal[phase->coordinate[i]];
  }
  for (size_t k = 0; k < m; k++) model->constraints[k] = all->constraints[phase->constraint[k]];
  PF_TRY(rest_model(ctx, all, held, arena, model));
  PF_TRY(add_parameters(ctx, arena, all, held, model));
  return add_balls(ctx, arena, all, phase, model);
}

/* ---------------------------------------------------------------- the equations */

typedef struct Lists {
  PfExpr *M, *F, *C, *applied, *A, *b, *position, *velocity, *rate, *momentum;
} Lists;

static PfStatus make_room(PfContext *ctx, PfArena *arena, size_t n, size_t m, Lists *l, PfExpr **all, size_t *count)
{
  *count = n*n + 5*n + m*n + 3*m + 2;
  PfExpr *e = *all = pf_arena_array(arena, PfExpr, *count);
  if (!e) return pf_no_room(ctx, "the equations of a phase");
  l->M = e, e += n*n;
  l->F = e, e += n;
  l->C = e, e += n;
  l->applied = e, e += n;
  l->rate = e, e += n;
  l->momentum = e, e += n;
  l->A = e, e += m*n;
  l->b = e, e += m;
  l->position = e, e += m;
  l->velocity = e;
  return PF_OK;
}

static void copy_rows(const PfEquations *all, const PfPhase *phase, const Lists *l)
{
  int n = phase->equations.n, m = phase->equations.m;
  for (int i = 0; i < n; i++) {
    int r = phase->coordinate[i];
    for (int j = 0; j < n; j++) l->M[i*n + j] = all->M[r*all->n + phase->coordinate[j]];
    l->F[i] = all->F[r];
    l->C[i] = all->C[r];
    l->applied[i] = all->applied[r];
    l->rate[i] = phase->model.speed_count ? all->rate[r] : all->model->coordinates[r].v;
    l->momentum[i] = all->momentum[r];
  }
  for (int k = 0; k < m; k++) {
    int r = phase->constraint[k];
    for (int j = 0; j < n; j++) l->A[k*n + j] = all->A[r*all->n + phase->coordinate[j]];
    l->b[k] = all->b[r];
    l->position[k] = all->position[r];
    l->velocity[k] = all->velocity[r];
  }
}

static PfStatus make_equations(PfContext *ctx, PfArena *arena, const PfEquations *all, const bool *held, PfPhase *phase)
{
  PfEquations *eq = &phase->equations;
  size_t n = (size_t)eq->n, m = (size_t)eq->m, count;
  Lists l = {0};
  PfExpr *list;
  PF_TRY(make_room(ctx, arena, n, m, &l, &list, &count));
  copy_rows(all, phase, &l);
  list[count - 2] = all->kinetic;
  list[count - 1] = all->potential;
  for (size_t i = 0; i < count; i++)
    if (list[i] == PF_EXPR_NONE) list[i] = pf_expr_int(ctx, 0);
  PF_TRY(rest(ctx, all->model, held, arena, list, count));
  for (size_t k = 0; k < m; k++) {
    if (all->position[phase->constraint[k]] == PF_EXPR_NONE) l.position[k] = PF_EXPR_NONE;
    if (all->velocity[phase->constraint[k]] == PF_EXPR_NONE) l.velocity[k] = PF_EXPR_NONE;
  }
  *eq = (PfEquations){.model = &phase->model, .n = (int)n, .m = (int)m, .M = l.M, .F = l.F, .C = l.C,
                      .applied = l.applied,
                      .A = l.A, .b = l.b, .position = l.position, .velocity = l.velocity, .rate = l.rate,
                      .kinetic = list[count - 2], .potential = list[count - 1], .momentum = l.momentum};
  return pf_expr_check(ctx);
}

PfStatus pf_phase_make(PfContext *ctx, PfArena *arena, const PfEquations *all, const bool *held, const bool *active,
                       PfPhase *phase)
{
  *phase = (PfPhase){.coordinate = pf_arena_array(arena, int, all->n),
                     .constraint = pf_arena_array(arena, int, all->m)};
  if (!phase->coordinate || !phase->constraint) return pf_no_room(ctx, "the equations of a phase");
  choose(ctx, all, held, active, phase);
  PF_TRY(make_model(ctx, arena, all->model, held, phase));
  return make_equations(ctx, arena, all, held, phase);
}
