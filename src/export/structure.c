/* SPDX-License-Identifier: Apache-2.0 */
/* Phases by flags. In the equations of a phase (mech/phase.c) the rows and columns of what is held and the rows of what
 * is not active are left out; here they are there and say a = 0 and nothing at all:
 *
 *   M_ij free_i free_j, and 1 on the diagonal of what is held;  F_i free_i;  A_kj active_k free_j;  b_k active_k.
 *
 * So the code of a model is one, whatever its events do, and a row of zeros is a redundant constraint to its solver.
 *
 * A flag is an input: held (1: the coordinate keeps its value) or active (1: the row holds). pf_structure_make
 * multiplies the complete equations by them; which event sets which flag is in the table `effect`. */
#include "export/structure.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  PfStructure *s;
} Work;

static PfStatus no_room(PfContext *ctx)
{
  return pf_no_room(ctx, "the events of the export");
}

/* ---------------------------------------------------------------- flags */

/* A flag with its number at the start; returns its place. */
static int add_flag(PfStructure *s, PfExpr symbol, double start)
{
  s->flag[s->flag_count] = symbol;
  s->start[s->flag_count] = start;
  return s->flag_count++;
}

/* Gives a coordinate its flag, once. */
static void hold(const PfModel *model, PfStructure *s, int i)
{
  const PfCoordinate *c = model->coordinates + i;
  if (s->coordinate[i] < 0) s->coordinate[i] = add_flag(s, c->held, c->released);
}

/* Flags of coordinates that events ever hold, then of rows that they ever attach. */
static PfStatus list_flags(const Work *w, const PfModel *model)
{
  PfStructure *s = w->s;
  const size_t n = (size_t)model->coordinate_count, m = (size_t)model->constraint_count;
  s->flag = pf_arena_array(w->arena, PfExpr, n + m);
  s->start = pf_arena_array(w->arena, double, n + m);
  s->coordinate = pf_arena_array(w->arena, int, n);
  s->row = pf_arena_array(w->arena, int, m);
  if (!s->flag || !s->start || !s->coordinate || !s->row) return no_room(w->ctx);
  for (size_t i = 0; i < n; i++) s->coordinate[i] = -1;
  for (int i = 0; i < model->coordinate_count; i++)
    if (model->coordinates[i].released) hold(model, s, i);
  for (int e = 0; e < model->event_count; e++)
    for (int k = 0; k < model->events[e].action_count; k++) {
      const PfAction *action = model->events[e].actions + k;
      for (int i = 0; i < action->coordinate_count; i++) hold(model, s, action->coordinates[i]);
    }
  s->held_count = s->flag_count;
  for (size_t k = 0; k < m; k++)
    s->row[k] = model->constraints[k].attached ? add_flag(s, model->constraints[k].active, 0) : -1;
  return PF_OK;
}

/* ---------------------------------------------------------------- effects of events */

static void set_rows(const PfStructure *s, const PfAction *action, int *effect, int active)
{
  for (int k = 0; k < action->row_count; k++) effect[s->row[action->row + k]] = active;
}

static void set_held(const PfStructure *s, const PfAction *action, int *effect, int held)
{
  for (int i = 0; i < action->coordinate_count; i++) effect[s->coordinate[action->coordinates[i]]] = held;
}

/* The flags that an action sets. A release deactivates the rows of each attachment of the same two; where a joint is
 * detached it stays as it is, and the free one that follows it moves. */
static void act(const PfModel *model, const PfStructure *s, const PfAction *action, int *effect)
{
  switch (action->kind) {
  case PF_LOCK: set_held(s, action, effect, 1); return;
  case PF_UNLOCK: set_held(s, action, effect, 0); return;
  case PF_ATTACH: set_rows(s, action, effect, 1); return;
  case PF_RELEASE:
    for (int e = 0; e < model->event_count; e++)
      for (int k = 0; k < model->events[e].action_count; k++) {
        const PfAction *other = model->events[e].actions + k;
        if (other->kind == PF_ATTACH && pf_actions_join_same(action, other)) set_rows(s, other, effect, 0);
      }
    return;
  case PF_DETACH: break;
  }
  const PfBall *ball = model->balls + action->ball;
  set_held(s, action, effect, 1);
  for (int k = 0; k < 4; k++) effect[s->coordinate[ball->q + k]] = 0;
  for (int k = 0; k < 3; k++) effect[s->coordinate[ball->p + k]] = 0;
}

/* Numbers that attachments capture at their event: the symbol of each, its expression, and the event. */
static PfStatus list_captured(const Work *w, const PfModel *model)
{
  PfStructure *s = w->s;
  size_t room = (size_t)model->parameter_count;
  s->slot = pf_arena_array(w->arena, PfExpr, room);
  s->captured = pf_arena_array(w->arena, PfExpr, room);
  s->captured_by = pf_arena_array(w->arena, int, room);
  if (!s->slot || !s->captured || !s->captured_by) return no_room(w->ctx);
  for (int e = 0; e < model->event_count; e++)
    for (int k = 0; k < model->events[e].action_count; k++) {
      const PfAction *action = model->events[e].actions + k;
      for (int i = 0; i < action->parameter_count; i++, s->captured_count++) {
        s->slot[s->captured_count] = model->parameters[action->parameters[i]].symbol;
        s->captured[s->captured_count] = action->captured[i];
        s->captured_by[s->captured_count] = e;
      }
    }
  return PF_OK;
}

/* The derivative of the power of the impulses by each velocity, which is the impulse on the coordinate. */
PfStatus pf_structure_impulse(PfContext *ctx, const PfStructure *s, int event, PfExpr *impulse)
{
  const PfModel *model = s->plain->model;
  const PfEvent *e = model->events + event;
  PfExpr power = pf_expr_int(ctx, 0);
  for (int k = 0; k < e->action_count; k++)
    if (e->actions[k].power != PF_EXPR_NONE) power = pf_expr_add(ctx, power, e->actions[k].power);
  for (int i = 0; i < model->coordinate_count; i++)
    PF_TRY(pf_expr_gradient(ctx, power, &model->coordinates[i].v, 1, impulse + i));
  return PF_OK;
}

/* ---------------------------------------------------------------- the equations */

/* The model with flags and captured numbers as further inputs. A captured number was a parameter, which gets another
 * symbol that nothing uses. */
static PfStatus add_inputs(const Work *w, const PfModel *model)
{
  PfStructure *s = w->s;
  const size_t old = (size_t)model->input_count, count = (size_t)model->parameter_count;
  const int more = s->flag_count + s->captured_count;
  PfInput *inputs = pf_arena_array(w->arena, PfInput, old + (size_t)more);
  PfParameter *parameters = pf_arena_array(w->arena, PfParameter, count);
  if (!inputs || !parameters) return no_room(w->ctx);
  s->model = *model;
  if (old) memcpy(inputs, model->inputs, old*sizeof *inputs);
  for (int i = 0; i < more; i++) {
    PfExpr symbol = i < s->flag_count ? s->flag[i] : s->slot[i - s->flag_count];
    inputs[old + (size_t)i] = (PfInput){.name = pf_expr_symbol_name(w->ctx, symbol), .unit = "", .symbol = symbol};
  }
  if (count) memcpy(parameters, model->parameters, count*sizeof *parameters);
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < s->captured_count; k++) {
      char name[40];
      if (parameters[i].symbol != s->slot[k]) continue;
      snprintf(name, sizeof name, "captured %d", k + 1); /* with a blank: no other name has one */
      parameters[i].symbol = pf_expr_symbol(w->ctx, name);
    }
  s->model.inputs = inputs;
  s->model.input_count += more;
  s->model.parameters = parameters;
  return pf_expr_check(w->ctx);
}

static PfExpr is_free(const Work *w, int i)
{
  int flag = w->s->coordinate[i];
  PfExpr one = pf_expr_int(w->ctx, 1);
  return flag < 0 ? one : pf_expr_sub(w->ctx, one, w->s->flag[flag]);
}

static PfExpr times(const Work *w, PfExpr factor, PfExpr e)
{
  return e == PF_EXPR_NONE ? e : pf_expr_mul(w->ctx, factor, e);
}

/* The matrices and vectors with the factors of the head of this file. */
static PfStatus flag_equations(const Work *w, const PfEquations *all)
{
  PfStructure *s = w->s;
  PfContext *ctx = w->ctx;
  const int n = all->n, m = all->m;
  PfExpr *M = pf_arena_array(w->arena, PfExpr, (size_t)n*(size_t)n), *F = pf_arena_array(w->arena, PfExpr, n);
  PfExpr *C = pf_arena_array(w->arena, PfExpr, n), *A = pf_arena_array(w->arena, PfExpr, (size_t)m*(size_t)n);
  PfExpr *b = pf_arena_array(w->arena, PfExpr, 3*(size_t)m);
  if (!M || !F || !C || !A || !b) return no_room(ctx);
  PfExpr *position = b + m, *velocity = position + m;
  s->equations = *all;
  s->equations.model = &s->model;
  s->equations.M = M, s->equations.F = F, s->equations.C = C, s->equations.A = A;
  s->equations.b = b, s->equations.position = position, s->equations.velocity = velocity;
  for (int i = 0; i < n; i++) {
    PfExpr fi = is_free(w, i);
    for (int j = 0; j < n; j++) {
      PfExpr both = i == j ? fi : pf_expr_mul(ctx, fi, is_free(w, j));
      M[i*n + j] = pf_expr_mul(ctx, both, all->M[i*n + j]);
    }
    if (s->coordinate[i] >= 0) M[i*n + i] = pf_expr_add(ctx, M[i*n + i], s->flag[s->coordinate[i]]);
    F[i] = pf_expr_mul(ctx, fi, all->F[i]);
    C[i] = times(w, fi, all->C[i]);
  }
  for (int k = 0; k < m; k++) {
    int flag = w->s->row[k];
    PfExpr on = flag < 0 ? pf_expr_int(w->ctx, 1) : w->s->flag[flag];
    for (int j = 0; j < n; j++)
      A[k*n + j] = pf_expr_mul(ctx, pf_expr_mul(ctx, on, is_free(w, j)), all->A[k*n + j]);
    b[k] = times(w, on, all->b[k]);
    position[k] = times(w, on, all->position[k]);
    velocity[k] = times(w, on, all->velocity[k]);
  }
  return pf_expr_check(ctx);
}

/* Flags and effects first, since the equations are multiplied by the flags. */
PfStatus pf_structure_make(PfContext *ctx, PfArena *arena, const PfEquations *complete, PfStructure *s)
{
  Work w = {ctx, arena, s};
  *s = (PfStructure){.plain = complete};
  PF_TRY(list_flags(&w, complete->model));
  /* effect[event][flag]: 0 or 1 after the event, -1 where the event leaves it. */
  const PfModel *model = complete->model;
  size_t count = (size_t)model->event_count*(size_t)s->flag_count;
  s->effect = pf_arena_array(w.arena, int, count);
  if (!s->effect) return no_room(w.ctx);
  for (size_t i = 0; i < count; i++) s->effect[i] = -1;
  for (int e = 0; e < model->event_count; e++)
    for (int k = 0; k < model->events[e].action_count; k++)
      act(model, s, model->events[e].actions + k, s->effect + (size_t)e*(size_t)s->flag_count);
  PF_TRY(list_captured(&w, complete->model));
  PF_TRY(add_inputs(&w, complete->model));
  return flag_equations(&w, complete);
}
