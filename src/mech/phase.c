/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a phase between two events: some coordinates are held where they are, some constraints are not
 * active. Nothing is derived again. With q'' = 0 and q' = 0 for a held coordinate, its rows and columns drop out of
 * M q'' = F + A^T lambda, and its q is one more parameter. */
#include "mech/mech_impl.h"

#include <string.h>


/* ---------------------------------------------------------------- the model */

/* Held coordinates follow the parameters. */
static PfStatus add_parameters(PfContext *ctx, PfArena *arena, const PfModel *all, const bool *held, PfModel *model)
{
  size_t count = (size_t)all->parameter_count, n = (size_t)all->coordinate_count;
  PF_TRY(pf_arrays(ctx, arena, "the equations of a phase", PF_ROOM(model->parameters, count + n),
                   PF_ROOM(model->parameter_order, count + n)));
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

/* The number of the value in a list, or -1. */
static int find(const int *list, int count, int value)
{
  for (int i = 0; i < count; i++)
    if (list[i] == value) return i;
  return -1;
}

/* Velocities of held coordinates are zero. */
static PfStatus freeze(PfContext *ctx, const PfModel *all, const bool *held, PfArena *arena, PfExpr *e, size_t count)
{
  size_t n = (size_t)all->coordinate_count;
  PfExpr *symbols, *zeros;
  PF_TRY(pf_arrays(ctx, arena, "the equations of a phase", PF_ROOM(symbols, n), PF_ROOM(zeros, n)));
  int k = 0;
  for (size_t i = 0; i < n; i++)
    if (held[i]) symbols[k] = all->coordinates[i].v, zeros[k++] = pf_expr_int(ctx, 0);
  if (k == 0 || count == 0) return PF_OK;
  return pf_expr_substitute(ctx, e, (int)count, symbols, zeros, k, e);
}

/* The same in the components of a vector, of which a copy is made. */
static PfStatus freeze_vector(PfContext *ctx, const PfModel *all, const bool *held, PfArena *arena, PfVector *v)
{
  if (v->count <= 0) return PF_OK;
  PfVectorPart *parts = pf_arena_array(arena, PfVectorPart, v->count);
  if (!parts) return pf_no_room(ctx, "the equations of a phase");
  memcpy(parts, v->part, (size_t)v->count*sizeof *parts);
  v->part = parts;
  for (int i = 0; i < v->count; i++) PF_TRY(freeze(ctx, all, held, arena, parts[i].c, 3));
  return PF_OK;
}

/* The same in the expressions of the model, from which the equations in angular velocities are derived again. */
static PfStatus freeze_model(PfContext *ctx, const PfModel *all, const bool *held, PfArena *arena, PfModel *model)
{
  size_t n = (size_t)model->coordinate_count;
  PF_TRY(pf_arrays(ctx, arena, "the equations of a phase", PF_ROOM(model->loads, all->load_count)));
  if (all->load_count) memcpy(model->loads, all->loads, (size_t)all->load_count*sizeof *model->loads);
  for (int i = 0; i < model->load_count; i++) {
    PF_TRY(freeze_vector(ctx, all, held, arena, &model->loads[i].force));
    PF_TRY(freeze_vector(ctx, all, held, arena, &model->loads[i].velocity));
  }
  for (int k = 0; k < model->constraint_count; k++)
    PF_TRY(freeze(ctx, all, held, arena, &model->constraints[k].residual, 1));
  PF_TRY(freeze(ctx, all, held, arena, &model->kinetic, 1));
  PF_TRY(freeze(ctx, all, held, arena, &model->dissipation, 1));
  PF_TRY(freeze(ctx, all, held, arena, model->force, n));
  return freeze(ctx, all, held, arena, model->nonideal, n);
}

/* The model of a phase: without held coordinates and inactive constraints. The user's speeds move the free coordinates
 * of the model as it is written: they do not apply where coordinates are held, nor with rows that were attached. */
static PfStatus make_model(PfContext *ctx, PfArena *arena, const PfModel *all, const bool *held, PfPhase *phase)
{
  PfModel *model = &phase->model;
  const int n = phase->equations.n, m = phase->equations.m;
  *model = *all;
  model->complete = NULL;
  model->event_count = model->ball_count = 0;
  model->coordinate_count = n;
  model->constraint_count = m;
  PF_TRY(pf_arrays(ctx, arena, "the equations of a phase", PF_ROOM(model->coordinates, n),
                   PF_ROOM(model->constraints, m), PF_ROOM(model->force, n), PF_ROOM(model->nonideal, n),
                   PF_ROOM(model->balls, all->ball_count)));
  if (n != all->coordinate_count) model->speed_count = 0;
  for (int i = 0; i < n; i++) {
    model->coordinates[i] = all->coordinates[phase->coordinate[i]];
    model->force[i] = all->force[phase->coordinate[i]];
    model->nonideal[i] = all->nonideal[phase->coordinate[i]];
  }
  for (int k = 0; k < m; k++) {
    model->constraints[k] = all->constraints[phase->constraint[k]];
    if (model->constraints[k].attached) model->speed_count = 0;
  }
  PF_TRY(freeze_model(ctx, all, held, arena, model));
  PF_TRY(add_parameters(ctx, arena, all, held, model));
  /* the balls of which the quaternion is not held, by the numbers of the phase */
  for (int b = 0; b < all->ball_count; b++) {
    PfBall ball = all->balls[b];
    int position[3] = {-1, -1, -1};
    for (int c = 0; c < 3 && ball.p >= 0; c++) position[c] = find(phase->coordinate, n, ball.p + c);
    ball.q = find(phase->coordinate, n, ball.q);
    ball.p = position[1] < 0 || position[2] < 0 ? -1 : position[0]; /* where one is held the joint does not float */
    ball.norm = find(phase->constraint, m, ball.norm);
    if (ball.q >= 0) model->balls[model->ball_count++] = ball;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the equations */


/* The equations of a phase: rows and columns that are left, held coordinates as parameters and their velocities zero.
 * All expressions are in one list, in which held coordinates are replaced at once. */
static PfStatus make_equations(PfContext *ctx, PfArena *arena, const PfEquations *all, const bool *held, PfPhase *phase)
{
  const int n = phase->equations.n, m = phase->equations.m, *row = phase->constraint, *column = phase->coordinate;
  const size_t N = (size_t)n, K = (size_t)m, count = N*N + 5*N + K*N + 3*K + 2;
  PfExpr *list;
  PF_TRY(pf_arrays(ctx, arena, "the equations of a phase", PF_ROOM(list, count)));
  PfEquations *eq = &phase->equations;
  *eq = (PfEquations){.model = &phase->model, .n = n, .m = m, .M = list, .F = list + N*N};
  eq->C = eq->F + n, eq->applied = eq->C + n, eq->rate = eq->applied + n, eq->momentum = eq->rate + n;
  eq->A = eq->momentum + n, eq->b = eq->A + K*N, eq->position = eq->b + m, eq->velocity = eq->position + m;
  for (int i = 0; i < n; i++) {
    int r = column[i];
    for (int j = 0; j < n; j++) eq->M[i*n + j] = all->M[r*all->n + column[j]];
    eq->F[i] = all->F[r];
    eq->C[i] = all->C[r];
    eq->applied[i] = all->applied[r];
    eq->rate[i] = phase->model.speed_count ? all->rate[r] : all->model->coordinates[r].v;
    eq->momentum[i] = all->momentum[r];
  }
  for (int k = 0; k < m; k++) {
    int r = row[k];
    for (int j = 0; j < n; j++) eq->A[k*n + j] = all->A[r*all->n + column[j]];
    eq->b[k] = all->b[r];
    eq->position[k] = all->position[r];
    eq->velocity[k] = all->velocity[r];
  }
  list[count - 2] = all->kinetic;
  list[count - 1] = all->potential;
  for (size_t i = 0; i < count; i++)
    if (list[i] == PF_EXPR_NONE) list[i] = pf_expr_int(ctx, 0);
  PF_TRY(freeze(ctx, all->model, held, arena, list, count));
  for (int k = 0; k < m; k++) {
    if (all->position[row[k]] == PF_EXPR_NONE) eq->position[k] = PF_EXPR_NONE;
    if (all->velocity[row[k]] == PF_EXPR_NONE) eq->velocity[k] = PF_EXPR_NONE;
  }
  eq->kinetic = list[count - 2];
  eq->potential = list[count - 1];
  return pf_expr_check(ctx);
}

/* First the lists of coordinates and rows that are left, then the model, then its equations. */
PfStatus pf_phase_make(PfContext *ctx, PfArena *arena, const PfEquations *all, const bool *held, const bool *active,
                       PfPhase *phase)
{
  int n = 0, m = 0;
  *phase = (PfPhase){0};
  PF_TRY(pf_arrays(ctx, arena, "the equations of a phase", PF_ROOM(phase->coordinate, all->n),
                   PF_ROOM(phase->constraint, all->m)));
  for (int i = 0; i < all->n; i++)
    if (!held[i]) phase->coordinate[n++] = i;
  for (int k = 0; k < all->m; k++) {
    bool moves = false; /* a row without moving coordinates is not a constraint any more */
    for (int j = 0; j < n && active[k]; j++)
      moves = moves || !pf_expr_is_int(ctx, all->A[k*all->n + phase->coordinate[j]], 0);
    if (moves) phase->constraint[m++] = k;
  }
  phase->equations.n = n;
  phase->equations.m = m;
  PF_TRY(make_model(ctx, arena, all->model, held, phase));
  return make_equations(ctx, arena, all, held, phase);
}
