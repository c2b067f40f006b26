/* SPDX-License-Identifier: Apache-2.0 */
/* A model for a fork of its context: parameters and starts, which may be set, are copied; everything else is shared
 * with the original. So each of many simulations of one machine sets numbers of its own, at the cost of a few arrays
 * and without reading or deriving the model again. */
#include "model/model.h"

#include <string.h>

/* A copy of `count` items in the arena of the model; NULL without memory. */
static void *copy_items(const PfModel *model, const void *items, int count, size_t size)
{
  void *copy = pf_arena_alloc(model->arena, (size_t)count, size);
  if (copy && count) memcpy(copy, items, (size_t)count*size);
  return copy;
}

/* One model, without its complete model: the struct and what may be set are copied into an arena of its own, which also
 * owns the struct. Expressions have the same handles in a fork of the context, so that they are shared. NULL without
 * memory. */
static PfModel *fork_one(PfContext *ctx, const PfModel *from)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfModel *to = arena ? pf_arena_array(arena, PfModel, 1) : NULL;
  if (!to) {
    pf_arena_free(arena);
    return NULL;
  }
  *to = *from;
  to->ctx = ctx;
  to->arena = arena;
  to->complete = NULL;
  to->free_names = NULL;
  to->parameters = copy_items(to, from->parameters, from->parameter_count, sizeof *from->parameters);
  to->coordinates = copy_items(to, from->coordinates, from->coordinate_count, sizeof *from->coordinates);
  to->speeds = copy_items(to, from->speeds, from->speed_count, sizeof *from->speeds);
  to->balls = copy_items(to, from->balls, from->ball_count, sizeof *from->balls);
  if (to->parameters && to->coordinates && to->speeds && to->balls) return to;
  pf_arena_free(arena);
  return NULL;
}

/* Compares handles of expressions: equal numbers have equal handles. Unequal handles may still stand for equal values,
 * which only costs the caller a search for the start. */
bool pf_model_starts_like(const PfModel *a, const PfModel *b)
{
  bool same = true;
  for (int i = 0; i < a->parameter_count; i++) same = same && a->parameters[i].value == b->parameters[i].value;
  for (int i = 0; i < a->coordinate_count; i++) {
    const PfCoordinate *x = a->coordinates + i, *y = b->coordinates + i;
    same = same && x->start_q == y->start_q && x->start_v == y->start_v && x->priority_q == y->priority_q &&
           x->priority_v == y->priority_v;
  }
  for (int i = 0; i < a->speed_count; i++)
    same = same && a->speeds[i].start == b->speeds[i].start && a->speeds[i].priority == b->speeds[i].priority;
  for (int i = 0; i < a->ball_count; i++)
    for (int k = 0; k < 3; k++) {
      const PfBall *x = a->balls + i, *y = b->balls + i;
      same = same && x->start_w[k] == y->start_w[k] && x->priority_w[k] == y->priority_w[k];
    }
  return same;
}

/* The complete model, which events need, is forked as well; where it is the model itself, the fork is its own. */
PfModel *pf_model_fork(PfContext *ctx, const PfModel *from)
{
  PfModel *to = fork_one(ctx, from);
  if (!to || !from->complete) return to;
  to->complete = from->complete == from ? to : fork_one(ctx, from->complete);
  if (to->complete) return to;
  pf_model_free(to);
  return NULL;
}
