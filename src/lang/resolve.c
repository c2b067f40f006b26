/* SPDX-License-Identifier: Apache-2.0 */
/* What a declared name stands for, worked out when it is first needed. */
#include "lang/check_impl.h"

#include <string.h>

/* Definitions that refer to each other deeper than this are resolved from the other end. */
enum { DEEP = 50 };

static bool spoil(Entity *entity)
{
  entity->state = SPOILED;
  return false;
}

/* ---------------------------------------------------------------- parameters, inputs, definitions */

/* After the value is known: parameters are evaluated in this order. */
static void enter_order(Checker *ck, int parameter)
{
  if (!pf_push(ck->allocator, &ck->parameter_order, parameter)) pf_check_no_memory(ck);
}

/* A parameter without a declared unit is read and shown in the one of its value: 3 [N/mm]; else in SI. */
static void adopt_unit(Checker *ck, const Entity *entity, const char **text, double *scale)
{
  PfUnit unit;
  if (!entity->dim.known || entity->dim.bare) return;
  if (entity->value->kind == PF_N_UNIT && pf_unit_of(ck, entity->value, &unit)) {
    *text = pf_print_text(ck, "%s", entity->value->text);
    *scale = unit.scale;
  } else if (!pf_dimension_is_none(entity->dim.of)) {
    *text = pf_dim_text(ck, entity->dim);
  }
}

static bool resolve_parameter(Checker *ck, Entity *entity)
{
  if (entity->value) {
    Value value = pf_scalar_of(ck, entity->scope, entity->value, "the value of a parameter");
    value = pf_value_in_unit(ck, entity->value, value, entity);
    if (value.kind == V_NONE) return false;
    if (pf_contents(ck, value.scalar) & HAS_MOTION) {
      pf_check_fail(ck, PF_ERR_MODEL, entity->value,
                    "a parameter is constant, but this value contains coordinates, inputs or time");
      pf_check_hint(ck, "write 'let %s = …' for a name of an expression", entity->name);
      return false;
    }
    PfParameter *p = ck->parameters.at + entity->index;
    p->value = value.scalar;
    if (!entity->has_unit && !value.dim.bare) entity->dim = value.dim;
    if (!entity->has_unit) adopt_unit(ck, entity, &p->unit, &p->scale);
  }
  enter_order(ck, entity->index);
  return true;
}

static bool resolve_input(Checker *ck, Entity *entity)
{
  if (!entity->value) return true;
  Value value = pf_scalar_of(ck, entity->scope, entity->value, "the function of an input");
  value = pf_value_in_unit(ck, entity->value, value, entity);
  if (value.kind == V_NONE) return false;
  if (pf_contents(ck, value.scalar) & (HAS_MOTION & ~(unsigned)HAS_TIME)) {
    pf_check_fail(ck, PF_ERR_MODEL, entity->value, "an input is a function of time t and parameters only");
    return false;
  }
  PfInput *input = ck->inputs.at + entity->index;
  input->value = value.scalar;
  if (!entity->has_unit && !value.dim.bare) entity->dim = value.dim;
  if (!entity->has_unit) adopt_unit(ck, entity, &input->unit, &input->scale);
  return true;
}

/* u = x'*cos(theta) + y'*sin(theta) */
static bool is_speed(Checker *ck, const Entity *entity, PfExpr value)
{
  unsigned contents = pf_contents(ck, value);
  bool homogeneous;
  if (contents & (HAS_ACCELERATION | HAS_SPEED | HAS_MULTIPLIER)) {
    pf_check_fail(ck, PF_ERR_MODEL, entity->value, "a speed is a combination of velocities; '%s' contains %s",
                  entity->name, contents & HAS_ACCELERATION ? "accelerations"
                                : contents & HAS_SPEED      ? "a speed"
                                                            : "multipliers");
    return false;
  }
  if (!(contents & HAS_VELOCITY)) {
    pf_check_fail(ck, PF_ERR_MODEL, entity->value, "a speed is a combination of velocities; '%s' contains none",
                  entity->name);
    pf_check_hint(ck, "velocities are written with an apostrophe, x'; where a speed begins is said by 'start %s = …'",
                  entity->name);
    return false;
  }
  if (pf_is_linear(ck, value, HAS_VELOCITY, &homogeneous)) return true;
  if (ck->out_of_memory) return false;
  pf_check_fail(ck, PF_ERR_MODEL, entity->value, "the speed '%s' is not linear in the velocities", entity->name);
  pf_check_hint(ck, "where velocities are functions of the speeds of another kind, give them by 'rate'");
  return false;
}

static bool resolve_speed(Checker *ck, Entity *entity)
{
  if (!entity->value) return true;
  Value value = pf_scalar_of(ck, entity->scope, entity->value, "a speed");
  value = pf_value_in_unit(ck, entity->value, value, entity);
  if (value.kind == V_NONE || !is_speed(ck, entity, value.scalar)) return false;
  PfSpeed *speed = ck->speeds.at + entity->index;
  speed->value = value.scalar;
  if (!entity->has_unit && !value.dim.bare) entity->dim = value.dim;
  if (!entity->has_unit) adopt_unit(ck, entity, &speed->unit, &speed->scale);
  return true;
}

/* A definition made of parameters keeps its name in all formulas, as people write them: k, not m2*r*L. */
static bool keep_as_name(Checker *ck, Entity *entity, Value value)
{
  PfOp op = pf_expr_op(ck->ctx, value.scalar);
  if (pf_contents(ck, value.scalar) != HAS_PARAMETER || op == PF_OP_SYMBOL) return true;
  PfParameter p = {.name = entity->name, .unit = entity->unit_text, .scale = entity->has_unit ? entity->unit.scale : 1,
                   .value = value.scalar, .derived = true};
  p.place = pf_model_place(ck, entity->node);
  p.symbol = pf_expr_symbol(ck->ctx, entity->name);
  if (pf_contents(ck, p.symbol)) return true; /* a local name may mean something else elsewhere: written out */
  pf_set_contents(ck, p.symbol, HAS_PARAMETER);
  if (!pf_push(ck->allocator, &ck->parameters, p)) return pf_check_no_memory(ck);
  enter_order(ck, (int)ck->parameters.count - 1);
  entity->result.scalar = p.symbol;
  return true;
}

static bool resolve_definition(Checker *ck, Entity *entity)
{
  if (!entity->value) return false; /* a list with too few values: reported */
  Value value = pf_value_of(ck, entity->scope, entity->value);
  value = pf_value_in_unit(ck, entity->value, value, entity);
  if (value.kind == V_NONE) return false;
  entity->result = value;
  return value.kind != V_SCALAR || keep_as_name(ck, entity, value);
}

/* ---------------------------------------------------------------- frames and points */

bool pf_axis_of(Checker *ck, Scope *scope, const PfNode *node, PfExpr axis[3])
{
  PfContext *ctx = ck->ctx;
  bool word = node->kind == PF_N_NAME && node->text[0] >= 'x' && node->text[0] <= 'z' && !node->text[1];
  if (word) {
    for (int k = 0; k < 3; k++) axis[k] = pf_expr_int(ctx, k == node->text[0] - 'x');
    return true;
  }
  Value value = pf_vector_of(ck, scope, node, "an axis");
  if (value.kind == V_NONE) return false;
  if (!value.plain) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "an axis is x, y, z or three numbers (a, b, c)");
    return false;
  }
  unsigned contents = 0;
  for (int k = 0; k < 3; k++) contents |= pf_contents(ck, value.c[k]);
  PfExpr length = pf_expr_sqrt(ctx, pf_expr_dot3(ctx, value.c, value.c));
  if ((contents & HAS_MOTION) || pf_expr_is_int(ctx, length, 0)) {
    pf_check_fail(ck, PF_ERR_MODEL, node, contents ? "an axis must not move in its frame" : "an axis needs a length");
    if (contents) pf_check_hint(ck, "use two turns about fixed axes instead");
    return false;
  }
  for (int k = 0; k < 3; k++) axis[k] = pf_expr_div(ctx, value.c[k], length);
  return true;
}

/* A placement being read: translated so far in the axes of `frame`. */
typedef struct Placing {
  int frame;
  PfExpr origin[3];
  Placed placed;
} Placing;

static bool add_frame(Checker *ck, Placing *at, PfFrame frame)
{
  frame.parent = at->frame;
  if (!frame.name) frame.name = "";
  memcpy(frame.origin, at->origin, sizeof frame.origin);
  if (!pf_sync_coordinates(ck) || pf_frame_add(ck->model, &ck->frame_room, frame, &at->frame) != PF_OK) return false;
  for (int k = 0; k < 3; k++) at->origin[k] = pf_expr_int(ck->ctx, 0);
  return pf_placed_keep(ck, at->frame, at->placed);
}

static bool moves_with_velocities(Checker *ck, const PfNode *node, PfExpr e)
{
  if (!(pf_contents(ck, e) & ~(unsigned)(HAS_COORDINATE | HAS_TIME | HAS_INPUT | HAS_PARAMETER))) return false;
  pf_check_fail(ck, PF_ERR_MODEL, node, "a placement depends on coordinates and time only, not on velocities");
  return true;
}

static bool place_at(Checker *ck, Scope *scope, Placing *at, const PfNode *step)
{
  Value value = pf_value_of(ck, scope, step->child);
  if (value.kind == V_NONE) return false;
  if (value.kind == V_POINT && value.frame != at->frame) {
    pf_check_fail(ck, PF_ERR_MODEL, step->child, "this point is not fixed in the frame that is placed");
    return false;
  }
  if (value.kind != V_POINT && !(value.kind == V_VECTOR && value.plain)) {
    pf_check_fail(ck, PF_ERR_MODEL, step->child, "'at' needs three numbers (a, b, c) or a point of the frame");
    if (value.kind == V_SCALAR) pf_check_hint(ck, "write at (a, 0, 0), or shift a along x");
    return false;
  }
  if (value.kind == V_VECTOR && !pf_dim_expect(ck, step->child, value.dim, pf_dim_make(0, 1, 0), "a position"))
    return false;
  pf_placed_add(&at->placed, value.dim, pf_dim_unknown());
  for (int k = 0; k < 3; k++) {
    if (moves_with_velocities(ck, step->child, value.c[k])) return false;
    at->origin[k] = pf_expr_add(ck->ctx, at->origin[k], value.c[k]);
  }
  return true;
}

static bool place_shift(Checker *ck, Scope *scope, Placing *at, const PfNode *step)
{
  PfExpr axis[3];
  Value length = pf_scalar_of(ck, scope, step->child, "a shift");
  if (length.kind == V_NONE || !pf_axis_of(ck, scope, step->child->next, axis)) return false;
  if (moves_with_velocities(ck, step->child, length.scalar)) return false;
  if (!pf_dim_expect(ck, step->child, length.dim, pf_dim_make(0, 1, 0), "a shift")) return false;
  pf_placed_add(&at->placed, length.dim, pf_dim_unknown());
  for (int k = 0; k < 3; k++)
    at->origin[k] = pf_expr_add(ck->ctx, at->origin[k], pf_expr_mul(ck->ctx, length.scalar, axis[k]));
  return true;
}

static bool place_turn(Checker *ck, Scope *scope, Placing *at, const PfNode *step)
{
  PfFrame frame = {.angle = PF_EXPR_NONE};
  Value angle = pf_scalar_of(ck, scope, step->child, "an angle");
  if (angle.kind == V_NONE || !pf_axis_of(ck, scope, step->child->next, frame.axis)) return false;
  if (moves_with_velocities(ck, step->child, angle.scalar)) return false;
  if (!pf_dim_expect(ck, step->child, angle.dim, pf_dim_none(), "an angle")) return false;
  pf_placed_add(&at->placed, pf_dim_unknown(), angle.dim);
  frame.angle = angle.scalar;
  return add_frame(ck, at, frame);
}

/* free: translated by three coordinates, then turned by a quaternion; ball: turned only. */
static bool place_joint(Checker *ck, Placing *at, int number)
{
  PfFrame frame = {.angle = PF_EXPR_NONE};
  PfBall *ball = ck->balls.at + number;
  const PfCoordinate *c = ck->coordinates.at;
  for (int k = 0; k < 3; k++) frame.axis[k] = pf_expr_int(ck->ctx, k == 2);
  for (int k = 0; k < 4; k++) frame.quaternion[k] = c[ball->q + k].q;
  for (int k = 0; k < 3 && ball->p >= 0; k++) at->origin[k] = pf_expr_add(ck->ctx, at->origin[k], c[ball->p + k].q);
  if (ck->has_units) pf_placed_add(&at->placed, ball->p >= 0 ? pf_dim_make(0, 1, 0) : pf_dim_unknown(), pf_dim_none());
  if (!add_frame(ck, at, frame)) return false;
  ball->frame = at->frame;
  return true;
}

/* A frame that is only translated gets its own number too: it has a name. */
static bool finish_placing(Checker *ck, Placing *at, Entity *entity, int first)
{
  bool moved = false;
  for (int k = 0; k < 3; k++) moved = moved || !pf_expr_is_int(ck->ctx, at->origin[k], 0);
  if (at->frame < first || moved) {
    PfFrame frame = {.name = entity->name, .angle = PF_EXPR_NONE};
    for (int k = 0; k < 3; k++) frame.axis[k] = pf_expr_int(ck->ctx, k == 2);
    if (!add_frame(ck, at, frame)) return false;
  }
  ck->model->frames[at->frame].name = entity->name;
  entity->result = (Value){.kind = V_FRAME, .frame = at->frame};
  return true;
}

bool pf_resolve_frame(Checker *ck, Entity *entity)
{
  const PfNode *statement = entity->value, *parent = statement->child->next;
  Value in = pf_frame_of(ck, entity->scope, parent, "what a body is placed in");
  if (in.kind == V_NONE) return false;
  Placing at = {.frame = in.frame, .placed = pf_placed(ck, in.frame)};
  int first = ck->model->frame_count;
  for (int k = 0; k < 3; k++) at.origin[k] = pf_expr_int(ck->ctx, 0);
  for (const PfNode *step = parent->next; step; step = step->next) {
    bool good = step->kind == PF_N_AT      ? place_at(ck, entity->scope, &at, step)
                : step->kind == PF_N_SHIFT ? place_shift(ck, entity->scope, &at, step)
                : step->kind == PF_N_TURN  ? place_turn(ck, entity->scope, &at, step)
                : step->kind == PF_N_JOINT ? entity->ball && place_joint(ck, &at, entity->ball - 1)
                                           : true;
    if (!good) return false;
  }
  if (entity->release && !place_joint(ck, &at, entity->release - 1)) return false;
  return finish_placing(ck, &at, entity, first);
}

static bool resolve_point(Checker *ck, Entity *entity)
{
  const PfNode *statement = entity->value, *parent = statement->child->next;
  Value in = pf_frame_of(ck, entity->scope, parent, "what a point is placed in");
  if (in.kind == V_NONE) return false;
  Placing at = {.frame = in.frame};
  for (int k = 0; k < 3; k++) at.origin[k] = pf_expr_int(ck->ctx, 0);
  if (!place_at(ck, entity->scope, &at, parent->next)) return false;
  Dim dim = at.placed.length ? pf_dim_make(0, 1, 0) : pf_dim_unknown();
  entity->result = (Value){.kind = V_POINT, .frame = in.frame, .dim = dim};
  memcpy(entity->result.c, at.origin, sizeof at.origin);
  return true;
}

/* ---------------------------------------------------------------- all */

static bool resolve_by_kind(Checker *ck, Entity *entity)
{
  switch (entity->kind) {
  case E_PARAM: return resolve_parameter(ck, entity);
  case E_INPUT: return resolve_input(ck, entity);
  case E_SPEED: return resolve_speed(ck, entity);
  case E_LET: return resolve_definition(ck, entity);
  case E_FRAME: return pf_resolve_frame(ck, entity);
  case E_POINT: return resolve_point(ck, entity);
  default: return true;
  }
}

bool pf_resolve(Checker *ck, Entity *entity, const PfNode *user)
{
  if (entity->state == RESOLVED) return true;
  if (entity->state == SPOILED || pf_check_stopped(ck)) return false;
  if (entity->kind == E_FUNCTION) return true;
  if (entity->state == BEING_RESOLVED) {
    pf_check_fail(ck, PF_ERR_NAME, user, "'%s' is defined by itself", entity->name);
    pf_check_hint(ck, "its definition in line %u leads back to it", entity->node->line);
    return spoil(entity);
  }
  if (ck->depth >= DEEP && !entity->listed) pf_resolve_needs(ck, entity);
  if (entity->state != NOT_RESOLVED) return entity->state == RESOLVED;
  entity->state = BEING_RESOLVED;
  int errors = pf_error_count(ck->ctx);
  bool good = resolve_by_kind(ck, entity) && pf_error_count(ck->ctx) == errors;
  if (!good) return spoil(entity);
  entity->state = RESOLVED;
  return true;
}
