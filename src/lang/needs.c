/* SPDX-License-Identifier: Apache-2.0 */
/* Long chains of definitions, resolved without deep recursion: what a definition is made of is listed on a stack and
 * worked out first. The list may hold too much (the variable of a sum can have the name of a definition) or too
 * little (members of parts): what is missing is resolved when its value is asked for. */
#include "lang/check_impl.h"

#include <string.h>

typedef struct Pending {
  Entity *entity;
  bool open; /* its needs are on the stack, above it */
} Pending;

typedef struct Needs {
  Checker *ck;
  PF_ARRAY(Pending) stack;
} Needs;

static void add_entity(Needs *needs, Entity *entity)
{
  if (!entity || entity->listed || entity->state != NOT_RESOLVED) return;
  entity->listed = true;
  if (!pf_push(needs->ck->allocator, &needs->stack, (Pending){entity, false})) pf_check_no_memory(needs->ck);
}

/* As deep as the tree is high, which the parser limits. The index of a list may contain the variable of a sum, which
 * has no value yet: errors about it are dropped. */
static void add_names(Needs *needs, Scope *scope, const PfNode *node)
{
  PfContext *ctx = needs->ck->ctx;
  if (node->kind == PF_N_NAME || node->kind == PF_N_CALL) add_entity(needs, pf_scope_find(scope, node->text));
  if (node->kind == PF_N_INDEX) {
    int before = pf_diagnostic_count(ctx);
    const char *name = pf_spell_name(needs->ck, scope, node);
    pf_diagnostics_truncate(ctx, before);
    if (name) add_entity(needs, pf_scope_find(scope, name));
  }
  if (node->kind == PF_N_BLOCK) return; /* the mass of a body does not matter for its place */
  for (const PfNode *child = node->child; child; child = child->next) add_names(needs, scope, child);
}

/* Has the entity a value that must be worked out? */
static bool has_needs(const Entity *entity)
{
  switch (entity->kind) {
  case E_PARAM:
  case E_INPUT:
  case E_SPEED:
  case E_LET:
  case E_FUNCTION:
  case E_FRAME:
  case E_POINT: return entity->value != NULL;
  default: return false;
  }
}

/* Depth first, with a stack: everything that a value names is resolved before the value itself. */
void pf_resolve_needs(Checker *ck, Entity *first)
{
  Needs needs = {.ck = ck};
  PfMark mark = pf_arena_mark(ck->arena);
  first->listed = true;
  if (has_needs(first)) add_names(&needs, first->scope, first->value);
  while (needs.stack.count && !pf_check_stopped(ck)) {
    Pending *top = needs.stack.at + needs.stack.count - 1;
    Entity *entity = top->entity;
    if (!top->open && has_needs(entity)) {
      top->open = true;
      add_names(&needs, entity->scope, entity->value);
      continue;
    }
    needs.stack.count--;
    if (entity->kind != E_FUNCTION) (void)pf_resolve(ck, entity, entity->node);
  }
  pf_array_free(ck->allocator, &needs.stack);
  pf_arena_release(ck->arena, mark);
}
