/* SPDX-License-Identifier: Apache-2.0 */
/* First pass: declares every name, unrolls loops and parts, and lists the statements with their scopes. Names
 * are then known before anything is worked out, so the order of statements does not matter. */
#include "lang/check_impl.h"

#include <string.h>

enum { MOST_TURNS = 100000, MOST_STATEMENTS = 1000000, MOST_ELEMENTS = 100000, DEEPEST = 100 };

const PfNode *pf_child_of_kind(const PfNode *node, PfNodeKind kind)
{
  for (const PfNode *child = node->child; child; child = child->next)
    if (child->kind == kind) return child;
  return NULL;
}

/* ---------------------------------------------------------------- param, coord, input, speed, let */

static EntityKind kind_of_item(const PfNode *statement, const PfNode *item)
{
  switch (statement->text[0]) {
  case 'p': return E_PARAM;
  case 'c': return E_COORD;
  case 'i': return E_INPUT;
  case 's': return E_SPEED;
  default: return pf_child_of_kind(item, PF_N_PARAMETERS) ? E_FUNCTION : E_LET;
  }
}

/* list(1, 2, 3) gives one value to each element of a list. */
static const PfNode *value_of_element(const PfNode *value, int element)
{
  if (!value || value->kind != PF_N_CALL || strcmp(value->text, "list")) return value;
  const PfNode *child = value->child;
  for (int i = 1; child && i < element; i++) child = child->next;
  return child;
}

static void read_unit(Checker *ck, Entity *entity, const PfNode *item)
{
  const PfNode *units = pf_child_of_kind(item, PF_N_UNITS);
  if (!units || !pf_unit_of(ck, units, &entity->unit)) return;
  entity->has_unit = true;
  entity->dim = (Dim){.known = true, .of = entity->unit.dimension};
  entity->unit_text = pf_print_text(ck, "%s", units->text);
}

/* "mm" per "s" is "mm/s"; "" stays, and "-" is a pure number. */
static const char *unit_per(Checker *ck, const char *unit, const char *below)
{
  if (!unit[0]) return "";
  return pf_print_text(ck, "%s/%s", strcmp(unit, "-") ? unit : "1", below);
}

static double scale_of(const Entity *entity)
{
  return entity->has_unit ? entity->unit.scale : 1;
}

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

static void add_parameter(Checker *ck, Entity *entity)
{
  PfParameter p = {.name = entity->name, .unit = entity->unit_text, .scale = scale_of(entity)};
  p.place = pf_model_place(ck, entity->node);
  p.symbol = pf_expr_symbol(ck->ctx, entity->name);
  pf_set_contents(ck, p.symbol, HAS_PARAMETER);
  entity->index = (int)ck->parameters.count;
  if (!pf_push(ck->allocator, &ck->parameters, p)) pf_check_no_memory(ck);
}

static void add_input(Checker *ck, Entity *entity)
{
  PfInput input = {.name = entity->name, .unit = entity->unit_text, .scale = scale_of(entity)};
  input.place = pf_model_place(ck, entity->node);
  input.symbol = pf_expr_symbol(ck->ctx, entity->name);
  pf_set_contents(ck, input.symbol, HAS_INPUT);
  entity->index = (int)ck->inputs.count;
  if (!pf_push(ck->allocator, &ck->inputs, input)) pf_check_no_memory(ck);
}

static void add_speed(Checker *ck, Entity *entity)
{
  PfSpeed speed = {.name = entity->name, .unit = entity->unit_text, .scale = scale_of(entity), .start = PF_EXPR_NONE};
  speed.place = pf_model_place(ck, entity->node);
  speed.symbol = pf_expr_symbol(ck->ctx, entity->name);
  pf_set_contents(ck, speed.symbol, HAS_SPEED);
  entity->index = (int)ck->speeds.count;
  if (!pf_push(ck->allocator, &ck->speeds, speed)) pf_check_no_memory(ck);
}

static void declare_one(Checker *ck, Entity *entity, const PfNode *item, EntityKind kind, const PfNode *value,
                        int element)
{
  if (!entity) return;
  entity->element = element;
  entity->value = value_of_element(value, element);
  read_unit(ck, entity, item);
  if (kind == E_PARAM) add_parameter(ck, entity);
  if (kind == E_INPUT) add_input(ck, entity);
  if (kind == E_SPEED) add_speed(ck, entity);
  if (kind == E_COORD) {
    entity->index = pf_add_coordinate(ck, item, entity->name, entity->unit_text, false);
    if (value) {
      pf_check_fail(ck, PF_ERR_MODEL, value, "a coordinate has no value of its own");
      pf_check_hint(ck, "where it begins is said by 'start %s = …'", item->text);
    }
    if (ck->out_of_memory) return;
    ck->coordinate_dims.at[entity->index] = entity->dim;
    ck->coordinates.at[entity->index].scale = scale_of(entity);
  }
  pf_check_notation(ck, item, kind, entity);
}

/* The names of the parameters of a function or part, before anybody calls it. */
static void check_parameters(Checker *ck, Scope *scope, const PfNode *names)
{
  Visit visit = pf_scope_enter(ck, scope);
  for (const PfNode *name = names->child; name && visit.scope; name = name->next)
    (void)pf_scope_bind(ck, visit.scope, name, name->text, pf_no_value());
  pf_scope_leave(ck, &visit);
}

static void check_list_length(Checker *ck, const PfNode *value, int64_t size)
{
  if (!value || value->kind != PF_N_CALL || strcmp(value->text, "list")) return;
  int64_t count = 0;
  for (const PfNode *child = value->child; child; child = child->next) count++;
  if (count != size)
    pf_check_fail(ck, PF_ERR_MODEL, value, "a list of %lld elements needs as many values, not %lld", (long long)size,
                  (long long)count);
}

static void declare_item(Checker *ck, Scope *scope, const PfNode *statement, const PfNode *item)
{
  EntityKind kind = kind_of_item(statement, item);
  const PfNode *size = pf_child_of_kind(item, PF_N_SIZE), *value = pf_child_of_kind(item, PF_N_VALUE);
  value = value ? value->child : NULL;
  if (kind == E_FUNCTION && pf_is_builtin(item->text)) {
    pf_check_fail(ck, PF_ERR_NAME, item, "'%s' is a function of the language and cannot be defined again", item->text);
    return;
  }
  if (kind == E_FUNCTION) check_parameters(ck, scope, pf_child_of_kind(item, PF_N_PARAMETERS));
  if (!size) {
    bool list = value && value->kind == PF_N_CALL && !strcmp(value->text, "list");
    if (list) pf_check_fail(ck, PF_ERR_MODEL, value, "a list of values belongs to a name with a length");
    if (list) pf_check_hint(ck, "write %s[3] = list(1, 2, 3), for example", item->text);
    declare_one(ck, pf_scope_declare(ck, scope, item, item->text, kind), item, kind, value, 0);
    return;
  }
  int64_t count;
  if (!pf_integer_of(ck, scope, size->child, "the length of a list", 1, MOST_ELEMENTS, &count)) return;
  Entity *list = pf_scope_declare(ck, scope, item, item->text, E_ARRAY);
  if (!list) return;
  list->size = (int)count;
  check_list_length(ck, value, count);
  for (int i = 1; i <= count && !pf_check_stopped(ck); i++) {
    const char *name = pf_print_text(ck, "%s[%d]", item->text, i);
    const char *outer = pf_print_text(ck, "%s%s[%d]", item->text, scope->suffix, i);
    declare_one(ck, pf_scope_declare_as(ck, scope, item, name, outer, kind), item, kind, value, i);
  }
}

/* ---------------------------------------------------------------- statements with a label */

static Entity *declare_label(Checker *ck, Scope *scope, const PfNode *node, EntityKind kind)
{
  const PfNode *label = pf_child_of_kind(node, PF_N_LABEL);
  if (!label) return NULL;
  const char *name = pf_label_name(ck, scope, label);
  Entity *entity = name ? pf_scope_declare(ck, scope, label, name, kind) : NULL;
  if (entity) entity->value = node;
  return entity;
}

static void declare_frame(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *entity = declare_label(ck, scope, node, E_FRAME);
  if (entity && pf_child_of_kind(node, PF_N_JOINT)) pf_declare_joint(ck, scope, entity, node);
  if (entity && pf_is_released(ck, entity->name)) pf_declare_release(ck, scope, entity, node);
}

static void declare_part(Checker *ck, Scope *scope, const PfNode *node)
{
  check_parameters(ck, scope, pf_child_of_kind(node, PF_N_PARAMETERS));
  (void)declare_label(ck, scope, node, E_PART);
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

/* The scope inside a used part: with 'as w' everything in it is called w.name; without, it is as if the
 * statements of the part stood in place of 'use'. */
static Scope *part_scope(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *label = pf_child_of_kind(node, PF_N_LABEL);
  if (!label) return pf_scope_new(ck, scope, scope->home, "", scope->suffix);
  const char *name = pf_label_name(ck, scope, label);
  Entity *space = name ? pf_scope_declare(ck, scope, label, name, E_SPACE) : NULL;
  if (!space) return NULL;
  space->inside = pf_scope_new(ck, scope, NULL, pf_print_text(ck, "%s.", space->name), "");
  return space->inside;
}

static int child_count(const PfNode *node)
{
  int count = 0;
  for (const PfNode *child = node->child; child; child = child->next) count++;
  return count;
}

static bool is_active(const Checker *ck, const PfNode *part)
{
  for (size_t i = 0; i < ck->active_parts.count; i++)
    if (ck->active_parts.at[i] == part) return true;
  return false;
}

static void use_part(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *call = node->child;
  PfNode name_node = {.kind = PF_N_NAME, .text = node->text, .line = call->line, .column = call->column,
                      .length = call->length};
  Entity *part = pf_scope_lookup(ck, scope, &name_node);
  if (!part) return;
  if (part->kind != E_PART) {
    pf_check_fail(ck, PF_ERR_NAME, call, "'%s' is not a part", node->text);
    return;
  }
  if (is_active(ck, part->value)) {
    pf_check_fail(ck, PF_ERR_NAME, call, "the part '%s' uses itself", node->text);
    return;
  }
  const PfNode *parameters = pf_child_of_kind(part->value, PF_N_PARAMETERS);
  int wanted = child_count(parameters), given = child_count(call);
  if (wanted != given) {
    pf_check_fail(ck, PF_ERR_MODEL, call, "the part '%s' takes %d argument%s, not %d", node->text, wanted,
                  wanted == 1 ? "" : "s", given);
    return;
  }
  Scope *inside = count_turn(ck, node) ? part_scope(ck, scope, node) : NULL;
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

static void declare_statement(Checker *ck, Scope *scope, const PfNode *node)
{
  switch (node->kind) {
  case PF_N_DECLARE:
    for (const PfNode *item = node->child; item; item = item->next) declare_item(ck, scope, node, item);
    break;
  case PF_N_FRAME: declare_frame(ck, scope, node); break;
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

static bool is_repetition(const PfNode *node)
{
  return node->kind == PF_N_PART || node->kind == PF_N_FOR || node->kind == PF_N_USE;
}

/* Parts and definitions come first: lengths of lists, ranges and indices are made of them. */
static void declare_all(Checker *ck, Scope *scope, const PfNode *block)
{
  for (const PfNode *node = block->child; node && !pf_check_stopped(ck); node = node->next) {
    if (node->kind == PF_N_PART) declare_part(ck, scope, node);
    if (is_let(node)) declare_statement(ck, scope, node);
  }
  for (const PfNode *node = block->child; node && !pf_check_stopped(ck); node = node->next)
    if (!is_let(node) && !is_repetition(node)) declare_statement(ck, scope, node);
  for (const PfNode *node = block->child; node && !pf_check_stopped(ck); node = node->next) {
    if (node->kind == PF_N_FOR) unroll(ck, scope, node);
    if (node->kind == PF_N_USE) use_part(ck, scope, node);
  }
}

void pf_declare_statements(Checker *ck, Scope *scope, const PfNode *block)
{
  if (ck->nesting >= DEEPEST) {
    pf_check_give_up(ck, block, "loops and parts are nested deeper than %d levels", DEEPEST);
    return;
  }
  ck->nesting++;
  declare_all(ck, scope, block);
  ck->nesting--;
}
