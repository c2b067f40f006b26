/* SPDX-License-Identifier: Apache-2.0 */
/* First pass: declares every name, unrolls loops and parts, and lists the statements with their scopes. Names
 * are then known before anything is worked out, so the order of statements does not matter.
 *
 * Loops and parts are unrolled here: each turn and each use has a scope of its own, and the same syntax node then
 * stands in the list several times with different scopes. Limits on turns, statements, elements and nesting end the
 * check with an error, since a few lines of text could otherwise ask for unlimited memory. */
#include "lang/check_impl.h"

#include <string.h>

enum { MOST_TURNS = 100000, MOST_STATEMENTS = 1000000, MOST_ELEMENTS = 100000, DEEPEST = 100 };

/* The first child of the kind, or NULL. Nodes have few children, so that the search is linear. */
const PfNode *pf_child_of_kind(const PfNode *node, PfNodeKind kind)
{
  for (const PfNode *child = node->child; child; child = child->next)
    if (child->kind == kind) return child;
  return NULL;
}

/* ---------------------------------------------------------------- param, coord, input, speed, let */

/* The number of direct children. */
int pf_child_count(const PfNode *node)
{
  int count = 0;
  for (const PfNode *child = node->child; child; child = child->next) count++;
  return count;
}

/* list(1, 2, 3) gives one value to each element of a list. */
static bool is_list(const PfNode *value)
{
  return value && value->kind == PF_N_CALL && !strcmp(value->text, "list");
}

/* "mm" per "s" is "mm/s"; "" stays, and "-" is a pure number. */
static const char *unit_per(Checker *ck, const char *unit, const char *below)
{
  if (!unit[0]) return "";
  return pf_print_text(ck, "%s/%s", strcmp(unit, "-") ? unit : "1", below);
}

/* Adds a coordinate with its symbols q, q', q'', at rest at zero. Returns its number; without memory that is
 * remembered. */
int pf_add_coordinate(Checker *ck, const PfNode *node, const char *name, const char *unit, bool contact)
{
  PfContext *ctx = ck->ctx;
  PfExpr zero = pf_expr_int(ctx, 0);
  PfCoordinate c = {.name = name, .unit = unit, .scale = 1, .start_q = zero, .start_v = zero, .contact = contact};
  c.rate_unit = unit_per(ck, unit, "s");
  c.acceleration_unit = unit_per(ck, unit, "s^2");
  c.place = pf_model_place(ck, node);
  c.q = pf_expr_symbol(ctx, name);
  c.v = pf_expr_symbol(ctx, pf_print_text(ck, "%s'", name));
  c.a = pf_expr_symbol(ctx, pf_print_text(ck, "%s''", name));
  c.held = pf_expr_symbol(ctx, pf_print_text(ck, "held(%s)", name));
  pf_set_contents(ck, c.q, HAS_COORDINATE);
  pf_set_contents(ck, c.v, HAS_VELOCITY);
  pf_set_contents(ck, c.a, HAS_ACCELERATION);
  if (!pf_push(ck->allocator, &ck->coordinates, c) || !pf_push(ck->allocator, &ck->forces, zero) ||
      !pf_push(ck->allocator, &ck->nonideals, zero) ||
      !pf_push(ck->allocator, &ck->coordinate_dims, pf_dim_unknown()))
    pf_check_no_memory(ck);
  return (int)ck->coordinates.count - 1;
}

/* Declares one name of param, coord, input, speed or let, with its unit; its value is worked out when it is first
 * needed. */
static void declare_one(Checker *ck, Entity *entity, const PfNode *item, EntityKind kind, const PfNode *value,
                        int element)
{
  if (!entity) return;
  entity->element = element;
  entity->value = value && is_list(value) ? value->child : value;
  for (int i = 1; is_list(value) && entity->value && i < element; i++) entity->value = entity->value->next;
  const PfNode *units = pf_child_of_kind(item, PF_N_UNITS);
  if (units && pf_unit_of(ck, units, &entity->unit)) {
    entity->has_unit = true;
    entity->dim = (Dim){.known = true, .of = entity->unit.dimension};
    entity->unit_text = pf_print_text(ck, "%s", units->text);
  }
  const char *name = entity->name, *unit = entity->unit_text;
  double scale = entity->has_unit ? entity->unit.scale : 1;
  bool good = true;
  if (kind == E_PARAM || kind == E_INPUT || kind == E_SPEED) {
    PfExpr symbol = pf_expr_symbol(ck->ctx, name);
    PfPlace place = pf_model_place(ck, entity->node);
    PfParameter parameter = {.name = name, .unit = unit, .scale = scale, .place = place, .symbol = symbol};
    PfInput input = {.name = name, .unit = unit, .scale = scale, .place = place, .symbol = symbol};
    PfSpeed speed = {.name = name, .unit = unit, .scale = scale, .place = place, .symbol = symbol};
    pf_set_contents(ck, symbol, kind == E_PARAM ? HAS_PARAMETER : kind == E_INPUT ? HAS_INPUT : HAS_SPEED);
    entity->index = (int)(kind == E_PARAM   ? ck->parameters.count
                          : kind == E_INPUT ? ck->inputs.count
                                            : ck->speeds.count);
    good = kind == E_PARAM   ? pf_push(ck->allocator, &ck->parameters, parameter)
           : kind == E_INPUT ? pf_push(ck->allocator, &ck->inputs, input)
                             : pf_push(ck->allocator, &ck->speeds, speed);
  } else if (kind == E_COORD) {
    entity->index = pf_add_coordinate(ck, item, name, unit, false);
    if (value) {
      pf_check_fail(ck, PF_ERR_MODEL, value, "a coordinate has no value of its own");
      pf_check_hint(ck, "where it begins is said by 'start %s = …'", item->text);
    }
    if (ck->out_of_memory) return;
    ck->coordinate_dims.at[entity->index] = entity->dim;
    ck->coordinates.at[entity->index].scale = scale;
  }
  if (!good) pf_check_no_memory(ck);
  pf_check_notation(ck, item, kind, entity);
}

/* Checks the names of the parameters of a function or part before its first call. */
static void check_parameters(Checker *ck, Scope *scope, const PfNode *names)
{
  Visit visit = pf_scope_enter(ck, scope);
  for (const PfNode *name = names->child; name && visit.scope; name = name->next)
    (void)pf_scope_bind(ck, visit.scope, name, name->text, pf_no_value());
  pf_scope_leave(ck, &visit);
}

/* Declares an item, or every element of a list. Reports names of built-in functions that are defined again, and lengths
 * of lists that are no whole numbers in their limits. Values and units stay in the tree: they are read when the name is
 * first needed (resolve.c). */
static void declare_item(Checker *ck, Scope *scope, const PfNode *statement, const PfNode *item)
{
  static const char letters[] = "pcis";
  static const EntityKind kinds[] = {E_PARAM, E_COORD, E_INPUT, E_SPEED};
  const PfNode *names = pf_child_of_kind(item, PF_N_PARAMETERS), *size = pf_child_of_kind(item, PF_N_SIZE);
  const PfNode *value = pf_child_of_kind(item, PF_N_VALUE);
  const char *letter = strchr(letters, statement->text[0]); /* of param, coord, input, speed; else it is let */
  EntityKind kind = letter ? kinds[letter - letters] : names ? E_FUNCTION : E_LET;
  value = value ? value->child : NULL;
  if (kind == E_FUNCTION && pf_is_builtin(item->text)) {
    pf_check_fail(ck, PF_ERR_NAME, item, "'%s' is a function of the language and cannot be defined again", item->text);
    return;
  }
  if (kind == E_FUNCTION) check_parameters(ck, scope, names);
  if (!size) {
    if (is_list(value)) {
      pf_check_fail(ck, PF_ERR_MODEL, value, "a list of values belongs to a name with a length");
      pf_check_hint(ck, "write %s[3] = list(1, 2, 3), for example", item->text);
    }
    declare_one(ck, pf_scope_declare(ck, scope, item, item->text, kind), item, kind, value, 0);
    return;
  }
  int64_t count;
  if (!pf_integer_of(ck, scope, size->child, "the length of a list", 1, MOST_ELEMENTS, &count)) return;
  Entity *list = pf_scope_declare(ck, scope, item, item->text, E_ARRAY);
  if (!list) return;
  list->size = (int)count;
  if (is_list(value) && pf_child_count(value) != count)
    pf_check_fail(ck, PF_ERR_MODEL, value, "a list of %lld elements needs as many values, not %d", (long long)count,
                  pf_child_count(value));
  for (int i = 1; i <= count && !pf_check_stopped(ck); i++) {
    const char *name = pf_print_text(ck, "%s[%d]", item->text, i);
    const char *outer = pf_print_text(ck, "%s%s[%d]", item->text, scope->suffix, i);
    declare_one(ck, pf_scope_declare_as(ck, scope, item, name, outer, kind), item, kind, value, i);
  }
}

/* ---------------------------------------------------------------- statements with a label */

/* Declares the label of a statement, such as the name of a body, as an entity of the kind; its value is the statement.
 * NULL when the statement has no label or the name is refused. */
static Entity *declare_label(Checker *ck, Scope *scope, const PfNode *node, EntityKind kind)
{
  const PfNode *label = pf_child_of_kind(node, PF_N_LABEL);
  if (!label) return NULL;
  const char *name = pf_label_name(ck, scope, label);
  Entity *entity = name ? pf_scope_declare(ck, scope, label, name, kind) : NULL;
  if (entity) entity->value = node;
  return entity;
}

/* ---------------------------------------------------------------- loops and parts */

/* Counts what loops and parts multiply to. */
static bool count_turn(Checker *ck, const PfNode *node)
{
  if (pf_check_stopped(ck)) return false;
  if (++ck->turns <= MOST_TURNS) return true;
  pf_check_give_up(ck, node, "the loops and parts of this model unroll to more than %d turns", MOST_TURNS);
  return false;
}

/* 'for': a scope for each turn, in which the loop variable is a number and names end in its index. The body is declared
 * once per turn in the scope of that turn. More than MOST_TURNS turns are refused before the first one is declared. */
static void unroll(Checker *ck, Scope *scope, const PfNode *node)
{
  enum { FAR = 1000000000 };
  const PfNode *range = node->child;
  int64_t first, last;
  if (!pf_integer_of(ck, scope, range->child, "the first number of a range", -FAR, FAR, &first) ||
      !pf_integer_of(ck, scope, range->child->next, "the last number of a range", -FAR, FAR, &last))
    return;
  if (last - first >= MOST_TURNS) {
    pf_check_fail(ck, PF_ERR_LIMIT, node, "this 'for' would run %lld times; at most %d are possible",
                  (long long)(last - first + 1), MOST_TURNS);
    return;
  }
  for (int64_t i = first; i <= last && count_turn(ck, node); i++) {
    const char *suffix = pf_print_text(ck, "%s[%lld]", scope->suffix, (long long)i);
    Scope *inside = pf_scope_new(ck, scope, scope->home, "", suffix);
    if (!inside) return;
    Value value = pf_scalar_value(pf_expr_int(ck->ctx, i), pf_dim_bare());
    if (!pf_scope_bind(ck, inside, node, node->text, value)) return;
    pf_declare_statements(ck, inside, range->next);
  }
}

/* 'use': the statements of a part in a scope of their own, with the arguments bound. With 'as w' everything in it is
 * called w.name; without, it is as if the statements of the part stood in place of 'use'. */
static void use_part(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *call = node->child, *label = pf_child_of_kind(node, PF_N_LABEL);
  PfNode name_node = {.kind = PF_N_NAME, .text = node->text, .line = call->line, .column = call->column,
                      .length = call->length};
  Entity *part = pf_scope_lookup(ck, scope, &name_node);
  if (!part) return;
  if (part->kind != E_PART) {
    pf_check_fail(ck, PF_ERR_NAME, call, "'%s' is not a part", node->text);
    return;
  }
  for (size_t i = 0; i < ck->active_parts.count; i++)
    if (ck->active_parts.at[i] == part->value) {
      pf_check_fail(ck, PF_ERR_NAME, call, "the part '%s' uses itself", node->text);
      return;
    }
  const PfNode *parameters = pf_child_of_kind(part->value, PF_N_PARAMETERS);
  int wanted = pf_child_count(parameters), given = pf_child_count(call);
  if (wanted != given) {
    pf_check_fail(ck, PF_ERR_MODEL, call, "the part '%s' takes %d argument%s, not %d", node->text, wanted,
                  wanted == 1 ? "" : "s", given);
    return;
  }
  if (!count_turn(ck, node)) return;
  Entity *space = label ? declare_label(ck, scope, node, E_SPACE) : NULL;
  if (label && !space) return;
  Scope *inside = label ? pf_scope_new(ck, scope, NULL, pf_print_text(ck, "%s.", space->name), "")
                        : pf_scope_new(ck, scope, scope->home, "", scope->suffix);
  if (label) space->inside = inside;
  if (!inside) return;
  const PfNode *name = parameters->child, *value = call->child;
  for (; name && value; name = name->next, value = value->next) {
    Value argument = pf_value_of(ck, scope, value);
    if (argument.kind == V_NONE || !pf_scope_bind(ck, inside, name, name->text, argument)) return;
  }
  if (!pf_push(ck->allocator, &ck->active_parts, part->value)) {
    pf_check_no_memory(ck);
    return;
  }
  pf_declare_statements(ck, inside, pf_child_of_kind(part->value, PF_N_BLOCK));
  ck->active_parts.count--;
}

/* ---------------------------------------------------------------- all statements */

/* Declares what a statement names, and puts it on the flat list for the second pass. The list is in the order of the
 * text, within the order that pf_declare_statements gives. Bodies with 'free' or 'ball' declare their coordinates here,
 * as do bodies that an event detaches. */
static void declare_statement(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *frame = NULL;
  switch (node->kind) {
  case PF_N_DECLARE:
    for (const PfNode *item = node->child; item; item = item->next) declare_item(ck, scope, node, item);
    break;
  case PF_N_FRAME:
    frame = declare_label(ck, scope, node, E_FRAME);
    if (frame && pf_child_of_kind(node, PF_N_JOINT)) pf_declare_joint(ck, scope, frame, node);
    if (frame && pf_is_released(ck, frame->name)) pf_declare_release(ck, scope, frame, node);
    break;
  case PF_N_POINT: (void)declare_label(ck, scope, node, E_POINT); break;
  case PF_N_CONSTRAINT:
  case PF_N_ROLL:
  case PF_N_SKATE: (void)declare_label(ck, scope, node, E_CONSTRAINT); break;
  default: break;
  }
  if (ck->work.count >= MOST_STATEMENTS)
    pf_check_give_up(ck, node, "the loops and parts of this model unroll to more than a million statements");
  else if (!pf_push(ck->allocator, &ck->work, (Work){node, scope}))
    pf_check_no_memory(ck);
}

static bool is_let(const PfNode *node)
{
  return node->kind == PF_N_DECLARE && !strcmp(node->text, "let");
}

/* Runs three times over the statements of a block: parts and definitions first, then all other declarations, at last
 * loops and uses, whose inside may refer to all names of the block. */
void pf_declare_statements(Checker *ck, Scope *scope, const PfNode *block)
{
  if (ck->nesting >= DEEPEST) {
    pf_check_give_up(ck, block, "loops and parts are nested deeper than %d levels", DEEPEST);
    return;
  }
  ck->nesting++;
  /* Parts and definitions come first: lengths of lists, ranges and indices are made of them. */
  for (const PfNode *node = block->child; node && !pf_check_stopped(ck); node = node->next) {
    if (node->kind == PF_N_PART) {
      check_parameters(ck, scope, pf_child_of_kind(node, PF_N_PARAMETERS));
      (void)declare_label(ck, scope, node, E_PART);
    }
    if (is_let(node)) declare_statement(ck, scope, node);
  }
  for (const PfNode *node = block->child; node && !pf_check_stopped(ck); node = node->next) {
    bool repetition = node->kind == PF_N_PART || node->kind == PF_N_FOR || node->kind == PF_N_USE;
    if (!is_let(node) && !repetition) declare_statement(ck, scope, node);
  }
  for (const PfNode *node = block->child; node && !pf_check_stopped(ck); node = node->next) {
    if (node->kind == PF_N_FOR) unroll(ck, scope, node);
    if (node->kind == PF_N_USE) use_part(ck, scope, node);
  }
  ck->nesting--;
}
