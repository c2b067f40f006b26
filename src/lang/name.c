/* SPDX-License-Identifier: Apache-2.0 */
/* What a name means: theta, left.rear, body.x, lambda[rear]. */
#include "lang/check_impl.h"

#include <string.h>

/* A contact or a vector equation has several rows, each with its own multiplier. */
static Value constraint_is_no_value(Checker *ck, const Entity *entity, const PfNode *node)
{
  size_t length = strlen(entity->name);
  const char *row = NULL;
  for (size_t i = ck->constraints.count; i-- > 0;) {
    const char *name = ck->constraints.at[i].name;
    if (!strncmp(name, entity->name, length) && name[length] == '.') row = name;
  }
  pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a constraint, not a value", entity->name);
  if (row) pf_check_hint(ck, "it has several rows, and each its multiplier: lambda[%s], for example", row);
  else pf_check_hint(ck, "its multiplier is written lambda[%s]", entity->name);
  return pf_no_value();
}

Value pf_value_of_entity(Checker *ck, Entity *entity, const PfNode *node)
{
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
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a list: write %s[1] to %s[%d]", entity->name,
                         entity->name, entity->name, entity->size);
  case E_FUNCTION:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a function and needs arguments: %s(…)", entity->name,
                         entity->name);
  case E_PART:
  case E_SPACE:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a part, not a value", entity->name);
  case E_CONSTRAINT: return constraint_is_no_value(ck, entity, node);
  }
  return pf_no_value();
}

static bool is_axis_name(const char *name)
{
  return name[0] >= 'x' && name[0] <= 'z' && name[1] == 0;
}

Value pf_value_of_name(Checker *ck, Scope *scope, const PfNode *node)
{
  PfContext *ctx = ck->ctx;
  if (!strcmp(node->text, "pi")) return pf_scalar_value(pf_expr_pi(ctx), pf_dim_bare());
  if (!strcmp(node->text, "t")) /* sin(t) */
    return pf_scalar_value(ck->model->time, (Dim){.timed = true, .presumed = true, .of = pf_dim_make(0, 0, 1).of});
  if (!strcmp(node->text, "ground")) return (Value){.kind = V_FRAME, .frame = 0};
  if (!strcmp(node->text, "lambda")) {
    pf_check_fail(ck, PF_ERR_NAME, node, "a multiplier is written with the name of its constraint: lambda[c]");
    return pf_no_value();
  }
  Value shown;
  if (pf_value_of_shown(ck, scope, node, &shown)) return shown;
  Entity *entity = pf_scope_lookup(ck, scope, node);
  return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
}

/* What a member of a dotted name stands for in full: a body after another one (A.B.x of 'attach A to B'), a coordinate
 * after drive. Everything else is as it is written. */
static const char *member_name(Scope *scope, const Entity *outer, const char *before, const char *spelt)
{
  const Entity *own = pf_scope_find(scope, spelt);
  bool body = outer && outer->kind == E_FRAME && own && own->kind == E_FRAME;
  bool driven = !outer && !strcmp(before, "drive") && own && own->kind == E_COORD;
  return body || driven ? own->name : spelt;
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
    return spelt ? pf_print_text(ck, "%s.%s", before, member_name(scope, outer, before, spelt)) : NULL;
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

/* The dimension of lambda[name]: unknown for a constraint that is declared further down. */
static Dim multiplier_dimension(const Checker *ck, const char *name, PfExpr symbol)
{
  for (size_t i = 0; i < ck->constraints.count; i++)
    if (ck->constraints.at[i].multiplier == symbol) return ck->multiplier_dims.at[i];
  int coordinate = pf_checked_coordinate(ck, name);
  return coordinate < 0 ? pf_dim_unknown() : pf_dim_force(ck->coordinate_dims.at[coordinate]);
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
  return pf_scalar_value(symbol, multiplier_dimension(ck, name, symbol));
}

static Value axis_of_frame(Checker *ck, int frame, int i)
{
  PfExpr c[3];
  for (int k = 0; k < 3; k++) c[k] = pf_expr_int(ck->ctx, k == i);
  return pf_vector_value(pf_vector_make(ck->model, frame, c), pf_dim_bare()); /* 2*b.z may be a torque */
}

Value pf_value_of_member(Checker *ck, Scope *scope, const PfNode *node)
{
  if (pf_scope_find_used(ck, scope, node->child)) {
    Entity *entity = pf_scope_lookup(ck, scope, node);
    return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
  }
  Entity *joint = pf_find_joint(ck, scope, node->child);
  if (joint && !is_axis_name(node->text)) return pf_value_of_joint(ck, scope, joint, node);
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  bool axis = is_axis_name(node->text) && !node->child->next;
  if (value.kind == V_FRAME && axis) return axis_of_frame(ck, value.frame, node->text[0] - 'x');
  if (value.kind == V_VECTOR && axis) {
    PfExpr c[3];
    pf_vector_express(ck->model, value.vector, 0, c);
    return pf_scalar_value(c[node->text[0] - 'x'], value.dim);
  }
  pf_check_fail(ck, PF_ERR_NAME, node, "%s has no part '%s'", pf_kind_text(value.kind), node->text);
  if (value.kind == V_FRAME) pf_check_hint(ck, "a frame has the axes .x, .y and .z");
  return pf_no_value();
}
