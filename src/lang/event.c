/* SPDX-License-Identifier: Apache-2.0 */
/* Events: when an instant or a condition is reached, joints are locked, unlocked, detached, bodies attached.
 *
 * Locking holds coordinates. What is detached or attached needs more: a free joint behind the body's own, or rows that
 * become active. They exist in the complete model only, for which the text is checked a second time; the model itself
 * is what holds at the start. */
#include "lang/check_impl.h"

#include <string.h>

/* Searches the bodies that events detach, a short list that the first check collects and the second one obeys, and the
 * frames whose joints are cut. */
bool pf_is_released(const Checker *ck, const char *name)
{
  for (size_t i = 0; ck->complete && i < ck->releases.count; i++)
    if (!strcmp(ck->releases.at[i], name)) return true;
  for (int i = 0; i < ck->cut_count; i++)
    if (!strcmp(ck->cuts[i], name)) return true;
  return false;
}

/* ---------------------------------------------------------------- joints */

/* Is the coordinate in the placement of the body? */
static bool is_of_joint(const Checker *ck, const Entity *body, int parent, PfExpr symbol)
{
  const PfModel *model = ck->model;
  for (int i = body->result.frame; i != parent && i; i = model->frames[i].parent) {
    const PfFrame *f = model->frames + i;
    for (int k = 0; k < 3; k++)
      if (pf_expr_depends(ck->ctx, f->origin[k], &symbol, 1)) return true;
    for (int k = 0; k < 4 && f->quaternion[0]; k++)
      if (f->quaternion[k] == symbol) return true;
    if (f->angle != PF_EXPR_NONE && pf_expr_depends(ck->ctx, f->angle, &symbol, 1)) return true;
  }
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
  return pf_check_refuse(ck, PF_ERR_MODEL, node,
                         "'%s' has no joint that could be locked: its placement contains no coordinate", body->name);
}

/* ---------------------------------------------------------------- lock, unlock */

/* The coordinates that a list of joints and coordinates means. Writes their numbers into action->coordinates and counts
 * them. A free or ball joint gives all its coordinates; a single component of a quaternion, an unknown name and an
 * entity that does not move are errors, after which it returns false. */
static bool list_locked(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  for (const PfNode *joint = node->child; joint; joint = joint->next) {
    Entity *entity = pf_scope_lookup(ck, scope, joint);
    if (!entity) return false;
    if (entity->kind == E_COORD) {
      for (size_t i = 0; i < ck->balls.count; i++) {
        const PfBall *ball = ck->balls.at + i;
        if (entity->index < ball->q || entity->index >= ball->q + 4) continue;
        pf_check_fail(ck, PF_ERR_MODEL, joint, "a single component of a quaternion cannot be locked");
        pf_check_hint(ck, "lock the whole joint: lock %s", ball->name);
        return false;
      }
      action->coordinates[action->coordinate_count++] = entity->index;
      continue;
    }
    if (entity->kind != E_FRAME)
      return pf_check_refuse(ck, PF_ERR_NAME, joint, "a body or a coordinate is expected here, '%s' is none",
                             entity->name);
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

/* ---------------------------------------------------------------- attach */

/* An attachment being made: its captured values and its rows. */
typedef struct Joining {
  Checker *ck;
  const PfNode *node;
  PfAction *action;
  const char *name; /* probe.bus; probe.bus.attach_2 … when an event before it in the text attached the same bodies */
  int other;        /* the frame of the body that the first one is attached to */
} Joining;

/* A parameter that the event sets to the value of e. A new hidden parameter `event.cK` of the model, which holds the
 * value of e at the instant of the event: so the placement at which a body was attached stays in the rows. Returns its
 * symbol. */
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

/* A row of an attachment, which holds only from the event on, unless the tree of bodies satisfies it already. */
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

/* A direction of the body as it is at the event, fixed in the other one from then on. */
static PfVector hold(Joining *j, PfVector direction)
{
  PfExpr c[3];
  for (int k = 0; k < 3; k++)
    c[k] = capture(j, pf_vector_dot(j->ck->model, direction, axis_vector(j->ck, j->other, k)));
  return pf_vector_make(j->ck->model, j->other, c);
}

/* The product of a held direction with another direction of the body stays zero; negated, so that the multiplier of
 * turn_z is a torque about z. */
static void join_directions(Joining *j, const char *suffix, PfVector held, PfVector direction)
{
  PfExpr product = pf_vector_dot(j->ck->model, held, direction);
  add_row(j, suffix, pf_expr_neg(j->ck->ctx, product), pf_dim_none());
}

/* The point of the body at which it is attached: that of 'at', else its origin. In the frame of that body, as three
 * constant components. False after an error. */
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
  return pf_check_refuse(ck, PF_ERR_MODEL, at->child,
                         "'at' needs a point, or three numbers (a, b, c) in the axes of the body");
}

/* attach: rows that make points and axes meet, added to the complete model. A weld has three rows for the point and
 * three for the axes, a ball the first three, a hinge five. Residuals are differences to values that are captured when
 * the event happens, so that the rows hold from the first instant on. False after an error. */
static bool read_attach(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  static const char *const shifts[] = {"x", "y", "z"}, *const turns[] = {"turn_z", "turn_x", "turn_y"};
  Value body = pf_frame_of(ck, scope, node->child, "what is attached");
  Value other = pf_frame_of(ck, scope, node->child->next, "what a body is attached to");
  const PfNode *joint = pf_child_of_kind(node, PF_N_JOINT);
  const char *kind = joint ? joint->text : "weld";
  PfExpr axis[3];
  Value point;
  if (body.kind == V_NONE || other.kind == V_NONE) return false;
  if (body.frame == other.frame)
    return pf_check_refuse(ck, PF_ERR_MODEL, node->child->next, "a body cannot be attached to itself");
  action->bodies[0] = body.frame;
  action->bodies[1] = other.frame;
  if (!attachment_point(ck, scope, node, body.frame, &point)) return false;
  if (!strcmp(kind, "hinge") && !pf_axis_of(ck, scope, joint->child, axis)) return false;
  action->row = (int)ck->constraints.count;
  ck->needs_complete = !ck->complete;
  if (!ck->complete) return true;
  const PfModel *model = ck->model;
  const char *a = model->frames[body.frame].name, *b = model->frames[other.frame].name;
  Joining j = {ck, node, action, pf_print_text(ck, "%s.%s", a, b), other.frame};
  for (int n = 2; is_captured(ck, j.name); n++) j.name = pf_print_text(ck, "%s.%s.attach_%d", a, b, n);

  /* The point of the body stays where it is in the other one. */
  PfVector arm = pf_vector_scale(model, pf_frame_position(model, other.frame), pf_expr_int(ck->ctx, -1));
  Dim dim = pf_dim_either(pf_dim_position(ck, point), pf_dim_position(ck, other));
  arm = pf_vector_add(model, pf_value_position(ck, point), arm);
  for (int k = 0; k < 3; k++) {
    PfExpr along = pf_vector_dot(model, arm, axis_vector(ck, other.frame, k));
    add_row(&j, shifts[k], pf_expr_sub(ck->ctx, along, capture(&j, along)), dim);
  }
  /* No turn about any axis: of three held axes, each stays perpendicular to the next one of the body. */
  for (int i = 0; i < 3 && !strcmp(kind, "weld"); i++) {
    PfVector held = hold(&j, axis_vector(ck, body.frame, i));
    join_directions(&j, turns[i], held, axis_vector(ck, body.frame, (i + 1)%3));
  }
  if (!strcmp(kind, "hinge")) { /* two directions across the axis stay across it */
    PfExpr zero = pf_expr_int(ck->ctx, 0), one = pf_expr_int(ck->ctx, 1), first[3], second[3];
    bool along_z = axis[0] == zero && axis[1] == zero;
    pf_expr_cross3(ck->ctx, axis, (PfExpr[]){along_z ? one : zero, zero, along_z ? zero : one}, first);
    pf_expr_cross3(ck->ctx, axis, first, second);
    PfVector held = hold(&j, pf_vector_make(model, body.frame, axis));
    join_directions(&j, "tilt_1", held, pf_vector_make(model, body.frame, first));
    join_directions(&j, "tilt_2", held, pf_vector_make(model, body.frame, second));
  }
  if (action->row_count == 0 && !ck->out_of_memory)
    pf_check_fail(ck, PF_ERR_MODEL, node, "'%s' and '%s' are attached to each other already", a, b);
  return action->row_count > 0;
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

/* One action of an event: lock, unlock, detach, release or attach. Fills *action with the coordinates, parameters, rows
 * or impulses that belong to it; its lists live in the arena of the model. False after an error. */
static bool read_action(Checker *ck, Scope *scope, const PfNode *node, PfAction *action)
{
  enum { MOST_CAPTURED = 16 };
  const PfNode *from = pf_child_of_kind(node, PF_N_FROM);
  size_t joints = (size_t)pf_child_count(node);
  action->text = words_of(ck, node);
  action->place = pf_model_place(ck, node);
  action->ball = -1;
  action->coordinates = pf_arena_array(ck->model->arena, int, (joints + 1)*(ck->coordinates.count + 1));
  action->parameters = pf_arena_array(ck->model->arena, int, MOST_CAPTURED);
  action->captured = pf_arena_array(ck->model->arena, PfExpr, MOST_CAPTURED);
  if (!action->coordinates || !action->parameters || !action->captured) return pf_check_no_memory(ck);
  char letter = node->text[0]; /* of lock, unlock, detach, attach */
  action->kind = letter == 'l' ? PF_LOCK : letter == 'u' ? PF_UNLOCK : letter == 'a' ? PF_ATTACH
                 : from ? PF_RELEASE : PF_DETACH;
  if (letter == 'l' || letter == 'u') return list_locked(ck, scope, node, action);
  if (letter == 'a') return read_attach(ck, scope, node, action);
  if (from) { /* detach a from b ends an attachment */
    Value body = pf_frame_of(ck, scope, node->child, "what is released");
    Value other = pf_frame_of(ck, scope, from->child, "what a body is released from");
    if (body.kind == V_NONE || other.kind == V_NONE) return false;
    action->bodies[0] = body.frame;
    action->bodies[1] = other.frame;
    return true;
  }
  /* detach: in the complete model a free joint is there, and the impulses of 'detach' do work in its motion. */
  Entity *body = pf_scope_lookup(ck, scope, node->child);
  if (!body) return false;
  if (body->kind != E_FRAME)
    return pf_check_refuse(ck, PF_ERR_NAME, node->child, "a body is expected here, '%s' is none", body->name);
  if (!pf_resolve(ck, body, node->child)) return false;
  Value in = pf_frame_of(ck, body->scope, body->value->child->next, "what a body is placed in");
  if (in.kind == V_NONE) return false;
  ck->needs_complete = !ck->complete;
  if (!ck->complete && !pf_push(ck->allocator, &ck->releases, body->name)) return pf_check_no_memory(ck);
  action->ball = body->release - 1;
  return list_joint(ck, body, node->child, action) && add_power(ck, scope, node, body, in.frame, action);
}

/* An event: its condition or instant, and its actions. The condition has the form a > b, a < b or a combination; an
 * instant, 't = 5', is an expression of parameters. The event and its actions live in the arena of the model. */
void pf_check_when(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *condition = node->child, *instant = condition->next->kind == PF_N_VALUE ? condition->next : NULL;
  const PfNode *block = pf_child_of_kind(node, PF_N_BLOCK);
  PfEvent event = {.text = words_of(ck, condition), .place = pf_model_place(ck, node)};
  event.text = pf_print_text(ck, "%.*s", (int)strcspn(event.text, "{"), event.text); /* with its blank */
  int room = pf_child_count(block);
  event.actions = pf_arena_array(ck->model->arena, PfAction, room);
  if (!event.actions) {
    pf_check_no_memory(ck);
    return;
  }
  if (instant) {
    Value t = pf_scalar_of(ck, scope, condition->child, "the time");
    Value at = pf_scalar_of(ck, scope, instant->child, "an instant");
    if (t.kind == V_NONE || at.kind == V_NONE) return;
    if (t.scalar != ck->model->time || (pf_contents(ck, at.scalar) & HAS_MOTION)) {
      pf_check_fail(ck, PF_ERR_MODEL, condition, "'=' in 'when' is for an instant: when t = 5 { … }");
      pf_check_hint(ck, "a condition on the motion is a comparison: when x > 3 { … }");
      return;
    }
    event.time = at.scalar;
    if (!pf_dim_expect(ck, instant->child, at.dim, pf_dim_make(0, 0, 1), "an instant")) return;
  } else {
    Value value = pf_value_of_condition(ck, scope, condition->child);
    event.condition = value.scalar;
    if (value.kind != V_CONDITION && value.kind != V_NONE)
      pf_check_fail(ck, PF_ERR_MODEL, condition, "'when' needs an instant or a condition: when t = 5, when x > 3");
    if (value.kind != V_CONDITION) return;
  }
  if (!room) pf_check_fail(ck, PF_ERR_MODEL, node, "nothing happens in this event");
  for (const PfNode *action = block->child; action && !pf_check_stopped(ck); action = action->next) {
    if (action->kind != PF_N_ACTION)
      pf_check_fail(ck, PF_ERR_MODEL, action, "an event can lock, unlock, attach and detach; this it cannot do");
    else if (read_action(ck, scope, action, event.actions + event.action_count)) event.action_count++;
  }
  if (!pf_push(ck->allocator, &ck->events, event)) pf_check_no_memory(ck);
}

/* ---------------------------------------------------------------- at the end */

/* Does any event attach the two bodies to each other? */
static bool is_attached(const Checker *ck, int body, int other)
{
  for (size_t i = 0; i < ck->events.count; i++)
    for (int k = 0; k < ck->events.at[i].action_count; k++) {
      const PfAction *attach = ck->events.at[i].actions + k;
      const int *a = attach->bodies;
      bool same = (a[0] == body && a[1] == other) || (a[0] == other && a[1] == body);
      if (attach->kind == PF_ATTACH && same) return true;
    }
  return false;
}

/* Reports actions that contradict the rest of the model: 'release' of bodies that no event attaches, and a lock of a
 * coordinate whose motion is prescribed. */
void pf_check_events(Checker *ck)
{
  for (size_t i = 0; i < ck->events.count; i++)
    for (int a = 0; a < ck->events.at[i].action_count; a++) {
      const PfAction *action = ck->events.at[i].actions + a;
      if (action->kind == PF_RELEASE && !is_attached(ck, action->bodies[0], action->bodies[1])) {
        const char *body = ck->model->frames[action->bodies[0]].name;
        pf_fail_at(ck->ctx, PF_ERR_MODEL, action->place, "'%s' is never attached to '%s'", body,
                   ck->model->frames[action->bodies[1]].name);
        pf_hint(ck->ctx, "'detach %s' without 'from' frees a body of its own joint", body);
      }
      for (int k = 0; k < action->coordinate_count && action->kind == PF_LOCK; k++) {
        const PfCoordinate *c = ck->coordinates.at + action->coordinates[k];
        PfExpr symbols[3] = {c->q, c->v, c->a};
        const PfConstraint *drive = NULL;
        for (size_t r = ck->constraints.count; r-- > 0;) {
          const PfConstraint *row = ck->constraints.at + r;
          if (row->prescribed && pf_expr_depends(ck->ctx, row->residual, symbols, 3)) drive = row;
        }
        if (!drive) continue;
        pf_fail_at(ck->ctx, PF_ERR_MODEL, action->place, "'%s' cannot be locked: its motion is prescribed by '%s'",
                   c->name, drive->name);
        pf_hint(ck->ctx, "let the prescribed motion come to rest instead");
        break;
      }
    }
}
