/* SPDX-License-Identifier: Apache-2.0 */
/* The values of names: theta, psi[2], left.rear of a used part, body.x (an axis), r.x (a component), lambda[rear] (a
 * multiplier). */
#include "lang/check_impl.h"

#include <string.h>

/* The value of a declared name, which is worked out now if it was not yet. */
Value pf_value_of_entity(Checker *ck, Entity *entity, const PfNode *node)
{
  const char *name = entity->name, *row = NULL;
  if (!pf_resolve(ck, entity, node)) return pf_no_value();
  switch (entity->kind) {
  case E_PARAM: return pf_scalar_value(ck->parameters.at[entity->index].symbol, entity->dim);
  case E_COORD: return pf_scalar_value(ck->coordinates.at[entity->index].q, entity->dim);
  case E_INPUT: return pf_scalar_value(ck->inputs.at[entity->index].symbol, entity->dim);
  case E_SPEED: return pf_scalar_value(ck->speeds.at[entity->index].symbol, entity->dim);
  case E_LET:
  case E_VALUE:
  case E_FRAME:
  case E_POINT: return entity->result;
  case E_ARRAY:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a list: write %s[1] to %s[%d]", name, name, name,
                         entity->size);
  case E_FUNCTION:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a function and needs arguments: %s(…)", name, name);
  case E_PART:
  case E_SPACE: return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a part, not a value", name);
  case E_CONSTRAINT: /* a contact or a vector equation has several rows, each with its own multiplier */
    for (size_t i = ck->constraints.count; i-- > 0;) {
      const char *other = ck->constraints.at[i].name;
      if (!strncmp(other, name, strlen(name)) && other[strlen(name)] == '.') row = other;
    }
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a constraint, not a value", name);
    if (row) pf_check_hint(ck, "it has several rows, and each its multiplier: lambda[%s], for example", row);
    else pf_check_hint(ck, "its multiplier is written lambda[%s]", name);
  }
  return pf_no_value();
}

static bool is_axis_name(const char *name)
{
  return name[0] >= 'x' && name[0] <= 'z' && name[1] == 0;
}

/* The value of a NAME or INDEX node. */
Value pf_value_of_name(Checker *ck, Scope *scope, const PfNode *node)
{
  PfContext *ctx = ck->ctx;
  if (!strcmp(node->text, "pi")) return pf_scalar_value(pf_expr_pi(ctx), pf_dim_bare());
  if (!strcmp(node->text, "t")) /* sin(t) */
    return pf_scalar_value(ck->model->time, (Dim){.timed = true, .presumed = true, .of = pf_dim_make(0, 0, 1).of});
  if (!strcmp(node->text, "ground")) return (Value){.kind = V_FRAME, .frame = 0};
  if (!strcmp(node->text, "lambda"))
    return pf_check_fail(ck, PF_ERR_NAME, node, "a multiplier is written with the name of its constraint: lambda[c]");
  Value shown;
  if (pf_value_of_shown(ck, scope, node, &shown)) return shown;
  Entity *entity = pf_scope_lookup(ck, scope, node);
  return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
}

/* The full name of a constraint: rear, wheel[2].side, left.rear, drive.theta, probe.bus.x. Rows need not have an
 * entity, and those of attachments are not even made yet: whether it exists is looked at when all are known. */
static const char *constraint_name(Checker *ck, Scope *scope, const PfNode *node, const Entity **entity)
{
  *entity = NULL;
  if (node->kind == PF_N_MEMBER) {
    const Entity *outer;
    const char *before = constraint_name(ck, scope, node->child, &outer);
    const char *spelt = before ? pf_spell_member(ck, scope, node) : NULL;
    if (!spelt) return NULL;
    /* A body after another one (A.B.x of 'attach A to B') and a coordinate after drive stand in full. */
    const Entity *own = pf_scope_find(scope, spelt);
    bool body = outer && outer->kind == E_FRAME && own && own->kind == E_FRAME;
    bool driven = !outer && !strcmp(before, "drive") && own && own->kind == E_COORD;
    return pf_print_text(ck, "%s.%s", before, body || driven ? own->name : spelt);
  }
  if (node->kind != PF_N_NAME && node->kind != PF_N_INDEX) {
    pf_check_fail(ck, PF_ERR_NAME, node, "the name of a constraint is expected here");
    return NULL;
  }
  const char *name = pf_spell_name(ck, scope, node);
  *entity = name ? pf_scope_find(scope, name) : NULL;
  return *entity ? (*entity)->name : name; /* c1, c2, drive.theta … have none */
}

const char *pf_spell_constraint(Checker *ck, Scope *scope, const PfNode *node)
{
  const Entity *entity;
  return constraint_name(ck, scope, node, &entity);
}

/* lambda[rear]: the multiplier of a constraint, which may be declared further down; of a coordinate that an event
 * locks, the force of the lock. */
Value pf_value_of_multiplier(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *name = pf_spell_constraint(ck, scope, node->child);
  if (!name) return pf_no_value();
  name = pf_print_text(ck, "%s", name);
  PfExpr symbol = pf_expr_symbol(ck->ctx, pf_print_text(ck, "lambda[%s]", name));
  pf_set_contents(ck, symbol, HAS_MULTIPLIER);
  if (!pf_push(ck->allocator, &ck->multiplier_uses, (MultiplierUse){node, name, "lambda"})) pf_check_no_memory(ck);
  for (size_t i = 0; i < ck->constraints.count; i++)
    if (ck->constraints.at[i].multiplier == symbol) return pf_scalar_value(symbol, ck->multiplier_dims.at[i]);
  int locked = pf_checked_coordinate(ck, name);
  return pf_scalar_value(symbol, locked < 0 ? pf_dim_unknown() : pf_dim_force(ck->coordinate_dims.at[locked]));
}

/* The value of a.b: an axis or component, a name of a used part, a variable of a joint or contact. */
Value pf_value_of_member(Checker *ck, Scope *scope, const PfNode *node)
{
  if (pf_scope_find_used(ck, scope, node->child)) {
    Entity *entity = pf_scope_lookup(ck, scope, node);
    return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
  }
  if (pf_is_wrench(scope, node)) return pf_value_of_wrench_part(ck, scope, node);
  Entity *joint = pf_find_joint(ck, scope, node->child);
  if (joint && !is_axis_name(node->text)) return pf_value_of_joint(ck, scope, joint, node);
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  bool axis = is_axis_name(node->text) && !node->child->next;
  if (value.kind == V_FRAME && axis) {
    PfExpr c[3];
    for (int k = 0; k < 3; k++) c[k] = pf_expr_int(ck->ctx, k == node->text[0] - 'x');
    return pf_vector_value(pf_vector_make(ck->model, value.frame, c), pf_dim_bare()); /* 2*b.z may be a torque */
  }
  if (value.kind == V_VECTOR && axis) {
    PfExpr c[3];
    pf_vector_express(ck->model, value.vector, 0, c);
    return pf_scalar_value(c[node->text[0] - 'x'], value.dim);
  }
  pf_check_fail(ck, PF_ERR_NAME, node, "%s has no part '%s'", pf_kind_text(value.kind), node->text);
  if (value.kind == V_FRAME) pf_check_hint(ck, "a frame has the axes .x, .y and .z");
  return pf_no_value();
}
