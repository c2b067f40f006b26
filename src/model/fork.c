/* SPDX-License-Identifier: Apache-2.0 */
/* A model for a fork of its context: what may be set is copied, everything else is that of the original. */
#include "model/model.h"

#include <string.h>

/* A copy of `count` items in the arena of the model; NULL without memory. */
static void *copy_items(const PfModel *model, const void *items, int count, size_t size)
{
  void *copy = pf_arena_alloc(model->arena, (size_t)count, size);
  if (copy && count) memcpy(copy, items, (size_t)count*size);
  return copy;
}

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

PfModel *pf_model_fork(PfContext *ctx, const PfModel *from)
{
  PfModel *to = fork_one(ctx, from);
  if (!to || !from->complete) return to;
  to->complete = from->complete == from ? to : fork_one(ctx, from->complete);
  if (to->complete) return to;
  pf_model_free(to);
  return NULL;
}
