/* SPDX-License-Identifier: Apache-2.0 */
/* Events: when an instant or a condition is reached, joints are locked, unlocked, detached, bodies attached.
 *
 * Locking holds coordinates. What is detached or attached needs more: a free joint behind the body's own, or rows that
 * become active. They exist in the complete model only, for which the text is checked a second time; the model itself
 * is what holds at the start. */
#include "lang/check_impl.h"

#include <string.h>

bool pf_is_released(const Checker *ck, const char *name)
{
  for (size_t i = 0; ck->complete && i < ck->releases.count; i++)
    if (!strcmp(ck->releases.at[i], name)) return true;
  return false;
}

/* ---------------------------------------------------------------- joints */

/* The body or frame that the node names, placed; NULL after an error. */
static Entity *frame_entity(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *entity = pf_scope_lookup(ck, scope, node);
  if (!entity) return NULL;
  if (entity->kind == E_FRAME) return pf_resolve(ck, entity, node) ? entity : NULL;
  pf_check_fail(ck, PF_ERR_NAME, node, "a body is expected here, '%s' is none", entity->name);
  return NULL;
}

static bool frame_contains(const Checker *ck, const PfFrame *f, PfExpr symbol)
{
  for (int k = 0; k < 3; k++)
    if (pf_expr_depends(ck->ctx, f->origin[k], &symbol, 1)) return true;
  for (int k = 0; k < 4 && f->quaternion[0]; k++)
    if (f->quaternion[k] == symbol) return true;
  return f->angle != PF_EXPR_NONE && pf_expr_depends(ck->ctx, f->angle, &symbol, 1);
}

/* Is the coordinate in the placement of the body? */
static bool is_of_joint(const Checker *ck, const Entity *body, int parent, PfExpr symbol)
{
  const PfModel *model = ck->model;
  for (int f = body->result.frame; f != parent && f; f = model->frames[f].parent)
    if (frame_contains(ck, model->frames + f, symbol)) return true;
  return false;
}

/* Adds the coordinates of the body's own joint; false after an error. */
static bool list_joint(Checker *ck, const Entity *body, const PfNode *node, PfAction *action)
{
  Value in = pf_frame_of(ck, body->scope, body->value->child->next, "what a body is placed in");
  if (in.kind == V_NONE) return false;
  int before = action->coordinate_count;
  for (size_t i = 0; i < ck->coordinates.count; i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (!c->released && is_of_joint(ck, body, in.frame, c->q))
      action->coordinates[action->coordinate_count++] = (int)i;
  }
  if (action->coordinate_count > before || action->kind == PF_DETACH) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node, "'%s' has no joint that could be locked: its placement contains no coordinate",
                body->name);
  return false;
}

/* ---------------------------------------------------------------- lock, unlock */

/* The joint whose quaternion the coordinate is part of, or NULL. */
static const PfBall *ball_of(const Checker *ck, int coordinate)
{
  for (size_t b = 0; b < ck->balls.count; b++) {
    const PfBall *ball = ck->balls.at + b;
    if (coordinate >= ball->q && coordinate < ball->q + 4) return ball;
  }
  return NULL;
}

static bool list_locked(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  for (const PfNode *joint = node->child; joint; joint = joint->next) {
    Entity *entity = pf_scope_lookup(ck, scope, joint);
    if (!entity) return false;
    if (entity->kind == E_COORD) {
      const PfBall *ball = ball_of(ck, entity->index);
      if (ball) {
        pf_check_fail(ck, PF_ERR_MODEL, joint, "a single component of a quaternion cannot be locked");
        pf_check_hint(ck, "lock the whole joint: lock %s", ball->name);
        return false;
      }
      action->coordinates[action->coordinate_count++] = entity->index;
      continue;
    }
    if (entity->kind != E_FRAME) {
      pf_check_fail(ck, PF_ERR_NAME, joint, "a body or a coordinate is expected here, '%s' is none", entity->name);
      return false;
    }
    if (!pf_resolve(ck, entity, joint) || !list_joint(ck, entity, joint, action)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- detach */

/* Power of the impulses in the motion of the body relative to what it hung on: of its velocity as seen from there, and
 * of its relative angular velocity. They act back on the other side (reference page, 4.2). */
static bool add_power(Checker *ck, Scope *scope, const PfNode *node, const Entity *body, int parent, PfAction *action)
{
  const PfModel *model = ck->model;
  int frame = body->result.frame;
  PfExpr minus = pf_expr_int(ck->ctx, -1);
  PfVector spin = pf_frame_spin(model, parent), arm = pf_frame_position(model, frame);
  arm = pf_vector_add(model, arm, pf_vector_scale(model, pf_frame_position(model, parent), minus));
  PfVector carried = pf_vector_add(model, pf_frame_velocity(model, parent), pf_vector_cross(model, spin, arm));
  PfVector velocity = pf_vector_add(model, pf_frame_velocity(model, frame), pf_vector_scale(model, carried, minus));
  PfVector turn = pf_vector_add(model, pf_frame_spin(model, frame), pf_vector_scale(model, spin, minus));
  for (const PfNode *p = node->child->next; p; p = p->next) {
    bool torque = !strcmp(p->text, "torque");
    Value value = pf_vector_of(ck, scope, p->child, torque ? "an impulsive torque" : "an impulse");
    if (value.kind == V_NONE) return false;
    Dim dim = pf_dim_make(1, torque ? 2 : 1, -1);
    if (!pf_dim_expect(ck, p->child, value.dim, dim, torque ? "an impulsive torque" : "an impulse")) return false;
    PfExpr part = pf_vector_dot(model, value.vector, torque ? turn : velocity);
    action->power = action->power == PF_EXPR_NONE ? part : pf_expr_add(ck->ctx, action->power, part);
  }
  return true;
}

static bool read_detach(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  Entity *body = frame_entity(ck, scope, node->child);
  if (!body) return false;
  Value in = pf_frame_of(ck, body->scope, body->value->child->next, "what a body is placed in");
  if (in.kind == V_NONE) return false;
  ck->needs_complete = !ck->complete;
  if (!ck->complete && !pf_push(ck->allocator, &ck->releases, body->name)) return pf_check_no_memory(ck);
  action->ball = body->release - 1;
  return list_joint(ck, body, node->child, action) && add_power(ck, scope, node, body, in.frame, action);
}

/* ---------------------------------------------------------------- attach */

/* An attachment being made: what is captured, and the rows. */
typedef struct Joining {
  Checker *ck;
  const PfNode *node;
  PfAction *action;
  const char *name;
} Joining;

/* A parameter that the event sets to the value of e. */
static PfExpr capture(Joining *j, PfExpr e)
{
  Checker *ck = j->ck;
  PfAction *action = j->action;
  const char *name = pf_print_text(ck, "%s.c%d", j->name, action->parameter_count + 1);
  PfParameter p = {.name = name, .unit = "", .hidden = true};
  p.place = pf_model_place(ck, j->node);
  p.symbol = pf_expr_symbol(ck->ctx, p.name);
  p.value = pf_expr_int(ck->ctx, 0);
  pf_set_contents(ck, p.symbol, HAS_PARAMETER);
  int index = (int)ck->parameters.count;
  if (!pf_push(ck->allocator, &ck->parameters, p) || !pf_push(ck->allocator, &ck->parameter_order, index)) {
    pf_check_no_memory(ck);
    return PF_EXPR_NONE;
  }
  action->parameters[action->parameter_count] = index;
  action->captured[action->parameter_count++] = e;
  return p.symbol;
}

/* Did an attachment of that name capture anything? Each does. */
static bool is_captured(const Checker *ck, const char *name)
{
  size_t length = strlen(name);
  for (size_t i = 0; i < ck->parameters.count; i++) {
    const PfParameter *p = ck->parameters.at + i;
    if (p->hidden && !strncmp(p->name, name, length) && !strcmp(p->name + length, ".c1")) return true;
  }
  return false;
}

static void add_row(Joining *j, const char *suffix, PfExpr residual, Dim dim)
{
  Checker *ck = j->ck;
  size_t before = ck->constraints.count;
  if (!(pf_contents(ck, residual) & HAS_COORDINATE)) return; /* the tree sees to it */
  if (pf_expr_is_probably_zero(ck->ctx, residual, 2) == PF_TRUE) return;
  pf_add_constraint(ck, j->node, pf_print_text(ck, "%s.%s", j->name, suffix), residual, dim);
  if (ck->constraints.count == before) return;
  PfConstraint *row = ck->constraints.at + before;
  row->attached = true;
  row->active = pf_expr_symbol(ck->ctx, pf_print_text(ck, "active(%s)", row->name));
  j->action->row_count++;
}

static PfVector axis_vector(const Checker *ck, int frame, int axis)
{
  PfExpr c[3];
  for (int k = 0; k < 3; k++) c[k] = pf_expr_int(ck->ctx, k == axis);
  return pf_vector_make(ck->model, frame, c);
}

/* The point of one body stays where it is in the other one. */
static void join_points(Joining *j, PfVector arm, int other, Dim dim)
{
  static const char *const suffix[] = {"x", "y", "z"};
  for (int k = 0; k < 3; k++) {
    PfExpr along = pf_vector_dot(j->ck->model, arm, axis_vector(j->ck, other, k));
    add_row(j, suffix[k], pf_expr_sub(j->ck->ctx, along, capture(j, along)), dim);
  }
}

/* A direction of the body as it is at the event, fixed in the other one from then on: its product with another
 * direction of the body stays zero. */
typedef struct Held {
  PfExpr c[3];
} Held;

static Held hold(Joining *j, PfVector direction, int other)
{
  Held held;
  for (int k = 0; k < 3; k++)
    held.c[k] = capture(j, pf_vector_dot(j->ck->model, direction, axis_vector(j->ck, other, k)));
  return held;
}

static void join_directions(Joining *j, const char *suffix, const Held *held, int other, PfVector direction)
{
  PfVector fixed = pf_vector_make(j->ck->model, other, held->c);
  PfExpr product = pf_vector_dot(j->ck->model, fixed, direction);
  /* so that the multiplier of turn_z is a torque about z */
  add_row(j, suffix, pf_expr_neg(j->ck->ctx, product), pf_dim_none());
}

/* No turn about any axis: of three held axes, each stays perpendicular to the next one of the body. */
static void join_axes(Joining *j, int frame, int other)
{
  static const char *const suffix[] = {"turn_z", "turn_x", "turn_y"};
  for (int i = 0; i < 3; i++) {
    Held held = hold(j, axis_vector(j->ck, frame, i), other);
    join_directions(j, suffix[i], &held, other, axis_vector(j->ck, frame, (i + 1)%3));
  }
}

/* Two directions across the axis stay across it. */
static void join_hinge(Joining *j, int frame, int other, const PfExpr axis[3])
{
  PfContext *ctx = j->ck->ctx;
  PfExpr zero = pf_expr_int(ctx, 0), first[3], second[3], start[3] = {zero, zero, pf_expr_int(ctx, 1)};
  bool along_z = axis[0] == zero && axis[1] == zero;
  if (along_z) start[0] = start[2], start[2] = zero;
  pf_expr_cross3(ctx, axis, start, first);
  pf_expr_cross3(ctx, axis, first, second);
  const PfModel *model = j->ck->model;
  Held held = hold(j, pf_vector_make(model, frame, axis), other);
  join_directions(j, "tilt_1", &held, other, pf_vector_make(model, frame, first));
  join_directions(j, "tilt_2", &held, other, pf_vector_make(model, frame, second));
}

static bool attachment_point(Checker *ck, Scope *scope, const PfNode *node, int frame, Value *point)
{
  const PfNode *at = pf_child_of_kind(node, PF_N_AT);
  *point = (Value){.kind = V_POINT, .frame = frame};
  for (int k = 0; k < 3; k++) point->c[k] = pf_expr_int(ck->ctx, 0);
  if (!at) return true;
  Value value = pf_value_of(ck, scope, at->child);
  if (value.kind == V_NONE) return false;
  if (value.kind == V_VECTOR && value.plain) { /* in the axes of the body that is attached */
    memcpy(point->c, value.c, 3*sizeof *value.c);
    point->dim = value.dim;
    return pf_dim_expect(ck, at->child, value.dim, pf_dim_make(0, 1, 0), "a position");
  }
  if (value.kind == V_FRAME) {
    point->frame = value.frame;
    return true;
  }
  if (value.kind == V_POINT) {
    *point = value;
    return true;
  }
  pf_check_fail(ck, PF_ERR_MODEL, at->child, "'at' needs a point, or three numbers (a, b, c) in the axes of the body");
  return false;
}

/* probe.bus, and probe.bus.attach_2 … when an event attached the same bodies before it in the text. */
static const char *joining_name(Checker *ck, const char *a, const char *b)
{
  const char *name = pf_print_text(ck, "%s.%s", a, b);
  for (int number = 2; is_captured(ck, name); number++) name = pf_print_text(ck, "%s.%s.attach_%d", a, b, number);
  return name;
}

static bool read_attach(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  Value body = pf_frame_of(ck, scope, node->child, "what is attached");
  Value other = pf_frame_of(ck, scope, node->child->next, "what a body is attached to");
  const PfNode *joint = pf_child_of_kind(node, PF_N_JOINT);
  const char *kind = joint ? joint->text : "weld";
  PfExpr axis[3];
  Value point;
  if (body.kind == V_NONE || other.kind == V_NONE) return false;
  if (body.frame == other.frame) {
    pf_check_fail(ck, PF_ERR_MODEL, node->child->next, "a body cannot be attached to itself");
    return false;
  }
  action->bodies[0] = body.frame;
  action->bodies[1] = other.frame;
  if (!attachment_point(ck, scope, node, body.frame, &point)) return false;
  if (!strcmp(kind, "hinge") && !pf_axis_of(ck, scope, joint->child, axis)) return false;
  action->row = (int)ck->constraints.count;
  ck->needs_complete = !ck->complete;
  if (!ck->complete) return true;
  const PfModel *model = ck->model;
  const char *a = model->frames[body.frame].name, *b = model->frames[other.frame].name;
  Joining j = {ck, node, action, joining_name(ck, a, b)};
  PfVector arm = pf_vector_scale(model, pf_frame_position(model, other.frame), pf_expr_int(ck->ctx, -1));
  Dim dim = pf_dim_either(pf_dim_position(ck, point), pf_dim_position(ck, other));
  join_points(&j, pf_vector_add(model, pf_value_position(ck, point), arm), other.frame, dim);
  if (!strcmp(kind, "weld")) join_axes(&j, body.frame, other.frame);
  if (!strcmp(kind, "hinge")) join_hinge(&j, body.frame, other.frame, axis);
  if (action->row_count == 0 && !ck->out_of_memory)
    pf_check_fail(ck, PF_ERR_MODEL, node, "'%s' and '%s' are attached to each other already", a, b);
  return action->row_count > 0;
}

/* ---------------------------------------------------------------- release */

/* detach a from b: what was attached before is let go again. */
static bool read_release(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  Value body = pf_frame_of(ck, scope, node->child, "what is released");
  Value other = pf_frame_of(ck, scope, pf_child_of_kind(node, PF_N_FROM)->child, "what a body is released from");
  if (body.kind == V_NONE || other.kind == V_NONE) return false;
  action->bodies[0] = body.frame;
  action->bodies[1] = other.frame;
  return true;
}

static bool joins(const PfAction *attach, const PfAction *release)
{
  const int *a = attach->bodies, *r = release->bodies;
  return attach->kind == PF_ATTACH && ((a[0] == r[0] && a[1] == r[1]) || (a[0] == r[1] && a[1] == r[0]));
}

static void check_release(Checker *ck, const PfAction *release)
{
  for (size_t i = 0; i < ck->events.count; i++)
    for (int a = 0; a < ck->events.at[i].action_count; a++)
      if (joins(ck->events.at[i].actions + a, release)) return;
  const PfFrame *frames = ck->model->frames;
  pf_fail_at(ck->ctx, PF_ERR_MODEL, release->place, "'%s' is never attached to '%s'", frames[release->bodies[0]].name,
             frames[release->bodies[1]].name);
  pf_hint(ck->ctx, "'detach %s' without 'from' frees a body of its own joint", frames[release->bodies[0]].name);
}

/* ---------------------------------------------------------------- events */

/* The words as written, blanks made single. */
static const char *words_of(Checker *ck, const PfNode *node)
{
  PfPlace place = pf_node_place(ck->source, node);
  const char *text = place.text ? place.text : "";
  size_t length = strlen(text), from = (size_t)place.column - 1;
  if (from > length) from = length;
  size_t end = from + strcspn(text + from, "};#\n\r");
  while (end > from && text[end - 1] == ' ') end--;
  return pf_print_text(ck, "%.*s", (int)(end - from), text + from);
}

static bool read_action(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  enum { MOST_CAPTURED = 16 };
  size_t joints = 1;
  for (const PfNode *child = node->child->next; child; child = child->next) joints++;
  action->text = words_of(ck, node);
  action->place = pf_model_place(ck, node);
  action->ball = -1;
  action->coordinates = pf_arena_array(ck->model->arena, int, (joints + 1)*(ck->coordinates.count + 1));
  action->parameters = pf_arena_array(ck->model->arena, int, MOST_CAPTURED);
  action->captured = pf_arena_array(ck->model->arena, PfExpr, MOST_CAPTURED);
  if (!action->coordinates || !action->parameters || !action->captured) return pf_check_no_memory(ck);
  switch (node->text[0]) {
  case 'l': action->kind = PF_LOCK; return list_locked(ck, scope, node, action);
  case 'u': action->kind = PF_UNLOCK; return list_locked(ck, scope, node, action);
  case 'd':
    action->kind = pf_child_of_kind(node, PF_N_FROM) ? PF_RELEASE : PF_DETACH;
    return action->kind == PF_RELEASE ? read_release(ck, scope, node, action) : read_detach(ck, scope, node, action);
  default: action->kind = PF_ATTACH; return read_attach(ck, scope, node, action);
  }
}

static bool read_instant(Checker *ck, Scope *scope, const PfNode *left, const PfNode *right, PfEvent *event)
{
  Value t = pf_scalar_of(ck, scope, left->child, "the time"), at = pf_scalar_of(ck, scope, right->child, "an instant");
  if (t.kind == V_NONE || at.kind == V_NONE) return false;
  if (t.scalar != ck->model->time || (pf_contents(ck, at.scalar) & HAS_MOTION)) {
    pf_check_fail(ck, PF_ERR_MODEL, left, "'=' in 'when' is for an instant: when t = 5 { … }");
    pf_check_hint(ck, "a condition on the motion is a comparison: when x > 3 { … }");
    return false;
  }
  event->time = at.scalar;
  return pf_dim_expect(ck, right->child, at.dim, pf_dim_make(0, 0, 1), "an instant");
}

static bool read_condition(Checker *ck, Scope *scope, const PfNode *node, PfEvent *event)
{
  Value condition = pf_value_of_condition(ck, scope, node->child);
  if (condition.kind == V_NONE) return false;
  if (condition.kind != V_CONDITION) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "'when' needs an instant or a condition: when t = 5, when x > 3");
    return false;
  }
  event->condition = condition.scalar;
  return true;
}

void pf_check_when(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *condition = node->child, *instant = condition->next->kind == PF_N_VALUE ? condition->next : NULL;
  const PfNode *block = pf_child_of_kind(node, PF_N_BLOCK);
  PfEvent event = {.text = words_of(ck, condition), .place = pf_model_place(ck, node)};
  event.text = pf_print_text(ck, "%.*s", (int)strcspn(event.text, "{"), event.text); /* with its blank */
  int room = 0;
  for (const PfNode *action = block->child; action; action = action->next) room++;
  event.actions = pf_arena_array(ck->model->arena, PfAction, room);
  if (!event.actions) {
    pf_check_no_memory(ck);
    return;
  }
  bool read = instant ? read_instant(ck, scope, condition, instant, &event)
                      : read_condition(ck, scope, condition, &event);
  if (!read) return;
  if (!room) pf_check_fail(ck, PF_ERR_MODEL, node, "nothing happens in this event");
  for (const PfNode *action = block->child; action && !pf_check_stopped(ck); action = action->next) {
    if (action->kind != PF_N_ACTION) {
      pf_check_fail(ck, PF_ERR_MODEL, action, "an event can lock, unlock, attach and detach; this it cannot do");
      continue;
    }
    if (read_action(ck, scope, action, event.actions + event.action_count)) event.action_count++;
  }
  if (!pf_push(ck->allocator, &ck->events, event)) pf_check_no_memory(ck);
}

/* ---------------------------------------------------------------- at the end */

static const PfConstraint *drive_of(const Checker *ck, int coordinate)
{
  const PfCoordinate *c = ck->coordinates.at + coordinate;
  PfExpr symbols[3] = {c->q, c->v, c->a};
  for (size_t k = 0; k < ck->constraints.count; k++)
    if (ck->constraints.at[k].prescribed && pf_expr_depends(ck->ctx, ck->constraints.at[k].residual, symbols, 3))
      return ck->constraints.at + k;
  return NULL;
}

void pf_check_events(Checker *ck)
{
  for (size_t i = 0; i < ck->events.count; i++)
    for (int a = 0; a < ck->events.at[i].action_count; a++) {
      const PfAction *action = ck->events.at[i].actions + a;
      if (action->kind == PF_RELEASE) check_release(ck, action);
      for (int k = 0; k < action->coordinate_count && action->kind == PF_LOCK; k++) {
        const PfConstraint *drive = drive_of(ck, action->coordinates[k]);
        if (!drive) continue;
        pf_fail_at(ck->ctx, PF_ERR_MODEL, action->place, "'%s' cannot be locked: its motion is prescribed by '%s'",
                   ck->coordinates.at[action->coordinates[k]].name, drive->name);
        pf_hint(ck->ctx, "let the prescribed motion come to rest instead");
        break;
      }
    }
}
