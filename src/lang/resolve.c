/* SPDX-License-Identifier: Apache-2.0 */
/* What a declared name stands for, worked out when it is first needed. */
#include "lang/check_impl.h"

#include <string.h>

/* Definitions that refer to each other deeper than this are resolved from the other end. */
enum { DEEP = 50 };

static bool poison(Entity *entity)
{
  entity->state = POISONED;
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

/* The value of a parameter, made of numbers and other parameters; the function of an input, of time and parameters; the
 * definition of a speed. */
static bool resolve_number(Checker *ck, Entity *entity)
{
  static const char *const what[] = {[E_PARAM] = "the value of a parameter", [E_INPUT] = "the function of an input",
                                     [E_SPEED] = "a speed"};
  EntityKind kind = entity->kind;
  if (entity->value) {
    Value value = pf_scalar_of(ck, entity->scope, entity->value, what[kind]);
    value = pf_value_in_unit(ck, entity->value, value, entity);
    if (value.kind == V_NONE) return false;
    unsigned contents = pf_contents(ck, value.scalar);
    if (kind == E_PARAM && (contents & HAS_MOTION)) {
      pf_check_fail(ck, PF_ERR_MODEL, entity->value,
                    "a parameter is constant, but this value contains coordinates, inputs or time");
      pf_check_hint(ck, "write 'let %s = …' for a name of an expression", entity->name);
      return false;
    }
    if (kind == E_INPUT && (contents & (HAS_MOTION & ~(unsigned)HAS_TIME)))
      return pf_check_refuse(ck, PF_ERR_MODEL, entity->value, "an input is a function of time t and parameters only");
    if (kind == E_SPEED && !is_speed(ck, entity, value.scalar)) return false;
    const char **unit;
    double *scale;
    if (kind == E_PARAM) {
      PfParameter *p = ck->parameters.at + entity->index;
      p->value = value.scalar, unit = &p->unit, scale = &p->scale;
    } else if (kind == E_INPUT) {
      PfInput *input = ck->inputs.at + entity->index;
      input->value = value.scalar, unit = &input->unit, scale = &input->scale;
    } else {
      PfSpeed *speed = ck->speeds.at + entity->index;
      speed->value = value.scalar, unit = &speed->unit, scale = &speed->scale;
    }
    if (!entity->has_unit && !value.dim.bare) entity->dim = value.dim;
    if (!entity->has_unit) adopt_unit(ck, entity, unit, scale);
  }
  if (kind == E_PARAM) enter_order(ck, entity->index);
  return true;
}

/* let: a value of any kind. A definition made of parameters keeps its name in all formulas, as people write them: k,
 * not m2*r*L. */
static bool resolve_definition(Checker *ck, Entity *entity)
{
  if (!entity->value) return false; /* a list with too few values: reported */
  Value value = pf_value_of(ck, entity->scope, entity->value);
  value = pf_value_in_unit(ck, entity->value, value, entity);
  entity->result = value;
  if (value.kind != V_SCALAR) return value.kind != V_NONE;
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
  if (!value.plain) return pf_check_refuse(ck, PF_ERR_MODEL, node, "an axis is x, y, z or three numbers (a, b, c)");
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

/* 'at': moves the origin by numbers or to a point of the frame. */
static bool place_at(Checker *ck, Scope *scope, Placing *at, const PfNode *step)
{
  Value value = pf_value_of(ck, scope, step->child);
  if (value.kind == V_NONE) return false;
  if (value.kind == V_POINT && value.frame != at->frame)
    return pf_check_refuse(ck, PF_ERR_MODEL, step->child, "this point is not fixed in the frame that is placed");
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

/* turn angle about axis: one more frame; shift length along axis: moves the origin. */
static bool place_by(Checker *ck, Scope *scope, Placing *at, const PfNode *step)
{
  bool turn = step->kind == PF_N_TURN;
  const char *what = turn ? "an angle" : "a shift";
  PfFrame frame = {.angle = PF_EXPR_NONE};
  Value by = pf_scalar_of(ck, scope, step->child, what);
  if (by.kind == V_NONE || !pf_axis_of(ck, scope, step->child->next, frame.axis)) return false;
  if (moves_with_velocities(ck, step->child, by.scalar)) return false;
  if (!pf_dim_expect(ck, step->child, by.dim, turn ? pf_dim_none() : pf_dim_make(0, 1, 0), what)) return false;
  pf_placed_add(&at->placed, turn ? pf_dim_unknown() : by.dim, turn ? by.dim : pf_dim_unknown());
  frame.angle = by.scalar;
  if (turn) return add_frame(ck, at, frame);
  for (int k = 0; k < 3; k++)
    at->origin[k] = pf_expr_add(ck->ctx, at->origin[k], pf_expr_mul(ck->ctx, by.scalar, frame.axis[k]));
  return true;
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

/* Places a frame: one frame of the model for each turn, the last one has its name. False after an error. */
static bool resolve_frame(Checker *ck, Entity *entity)
{
  const PfNode *statement = entity->value, *parent = statement->child->next;
  Value in = pf_frame_of(ck, entity->scope, parent, "what a body is placed in");
  if (in.kind == V_NONE) return false;
  Placing at = {.frame = in.frame, .placed = pf_placed(ck, in.frame)};
  int first = ck->model->frame_count;
  for (int k = 0; k < 3; k++) at.origin[k] = pf_expr_int(ck->ctx, 0);
  for (const PfNode *step = parent->next; step; step = step->next) {
    bool good = step->kind == PF_N_AT      ? place_at(ck, entity->scope, &at, step)
                : step->kind == PF_N_SHIFT ? place_by(ck, entity->scope, &at, step)
                : step->kind == PF_N_TURN  ? place_by(ck, entity->scope, &at, step)
                : step->kind == PF_N_JOINT ? entity->ball && place_joint(ck, &at, entity->ball - 1)
                                           : true;
    if (!good) return false;
  }
  if (entity->release && !place_joint(ck, &at, entity->release - 1)) return false;
  /* A frame that is only translated gets its own number too: it has a name. */
  bool moved = false;
  for (int k = 0; k < 3; k++) moved = moved || !pf_expr_is_int(ck->ctx, at.origin[k], 0);
  if (at.frame < first || moved) {
    PfFrame frame = {.name = entity->name, .angle = PF_EXPR_NONE};
    for (int k = 0; k < 3; k++) frame.axis[k] = pf_expr_int(ck->ctx, k == 2);
    if (!add_frame(ck, &at, frame)) return false;
  }
  ck->model->frames[at.frame].name = entity->name;
  entity->result = (Value){.kind = V_FRAME, .frame = at.frame};
  return true;
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

bool pf_resolve(Checker *ck, Entity *entity, const PfNode *user)
{
  if (entity->state == RESOLVED) return true;
  if (entity->state == POISONED || pf_check_stopped(ck)) return false;
  if (entity->kind == E_FUNCTION) return true;
  if (entity->state == BEING_RESOLVED) {
    pf_check_fail(ck, PF_ERR_NAME, user, "'%s' is defined by itself", entity->name);
    pf_check_hint(ck, "its definition in line %u leads back to it", entity->node->line);
    return poison(entity);
  }
  if (ck->depth >= DEEP && !entity->listed) pf_resolve_needs(ck, entity);
  if (entity->state != NOT_RESOLVED) return entity->state == RESOLVED;
  entity->state = BEING_RESOLVED;
  int errors = pf_error_count(ck->ctx);
  bool good = true;
  switch (entity->kind) {
  case E_PARAM:
  case E_INPUT:
  case E_SPEED: good = resolve_number(ck, entity); break;
  case E_LET: good = resolve_definition(ck, entity); break;
  case E_FRAME: good = resolve_frame(ck, entity); break;
  case E_POINT: good = resolve_point(ck, entity); break;
  default: break;
  }
  if (!good || pf_error_count(ck->ctx) != errors) return poison(entity);
  entity->state = RESOLVED;
  return true;
}
