/* SPDX-License-Identifier: Apache-2.0 */
/* Forces: on coordinates, at points, between bodies; springs and dampers; and the other statements that assign
 * something to coordinates: start, rate, nonideal. */
#include "lang/check_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- assignments */

static Entity *target_entity(Checker *ck, Scope *scope, const PfNode *target, int *primes)
{
  *primes = 0;
  if (target->kind == PF_N_PRIME) {
    *primes = target->flag;
    target = target->child;
  }
  return pf_scope_lookup(ck, scope, target);
}

/* The coordinate that a target names (x or x'), or -1 after an error; primes = 0 or 1. */
static int target_coordinate(Checker *ck, Scope *scope, const PfNode *target, int *primes)
{
  Entity *entity = target_entity(ck, scope, target, primes);
  if (!entity) return -1;
  if (entity->kind == E_COORD && *primes <= 1) return entity->index;
  if (entity->kind == E_ARRAY) {
    (void)pf_value_of_entity(ck, entity, target); /* says that it is a list */
    return -1;
  }
  pf_check_fail(ck, PF_ERR_NAME, target, *primes > 1 ? "an acceleration cannot be given here"
                                                       : "a coordinate is expected here, '%s' is none",
                entity->name);
  return -1;
}

/* What the force contains; it is remembered when there are multipliers in it. */
static unsigned contents_of_force(Checker *ck, const PfNode *node, PfExpr force)
{
  unsigned contents = pf_contents(ck, force);
  bool keep = (contents & HAS_MULTIPLIER) != 0;
  if (keep && !pf_push(ck->allocator, &ck->multiplier_forces, (MultiplierForce){node, force})) pf_check_no_memory(ck);
  return contents;
}

/* Adds a generalised force, ideal or non-ideal, on a coordinate. */
static void assign_force(Checker *ck, Scope *scope, const PfNode *assign, bool nonideal)
{
  int primes, i = target_coordinate(ck, scope, assign->child, &primes);
  Value value = pf_scalar_of(ck, scope, assign->child->next, "a force");
  if (i < 0 || value.kind == V_NONE) return;
  if (primes) {
    pf_check_fail(ck, PF_ERR_MODEL, assign->child, "a force acts on a coordinate, not on a velocity");
    return;
  }
  unsigned forbidden = HAS_ACCELERATION | HAS_SPEED | (nonideal ? 0u : HAS_MULTIPLIER);
  unsigned contents = contents_of_force(ck, assign->child->next, value.scalar);
  if (!pf_check_no_equality(ck, assign->child->next, contents, "a force")) return;
  if (contents & forbidden) {
    pf_check_fail(ck, PF_ERR_MODEL, assign->child->next, "a force cannot depend on %s here",
                  contents & HAS_MULTIPLIER ? "multipliers" : "accelerations or speeds");
    if (contents & HAS_MULTIPLIER)
      pf_check_hint(ck, "a force that depends on constraint forces is written with 'nonideal'");
    return;
  }
  /* The force on a coordinate has the dimension of an energy over that of the coordinate. */
  Dim dim = pf_dim_divide(pf_dim_make(1, 2, -2), ck->coordinate_dims.at[i]);
  if (!pf_expr_is_int(ck->ctx, value.scalar, 0) &&
      !pf_dim_expect(ck, assign->child->next, value.dim, dim,
                     pf_print_text(ck, "the force on '%s'", ck->coordinates.at[i].name)))
    return;
  PfExpr *sum = (nonideal ? ck->nonideals.at : ck->forces.at) + i;
  *sum = pf_expr_add(ck->ctx, *sum, value.scalar);
}

/* An initial value of a coordinate, a velocity or a speed, with its priority. */
static void assign_start(Checker *ck, Scope *scope, const PfNode *assign)
{
  int primes;
  if (pf_assign_spin_start(ck, scope, assign) || pf_assign_joint_start(ck, scope, assign)) return;
  Entity *entity = target_entity(ck, scope, assign->child, &primes);
  if (!entity) return;
  Value value = pf_scalar_of(ck, scope, assign->child->next, "a start value");
  if (!pf_is_start_value(ck, assign->child->next, value)) return;
  if (entity->kind == E_SPEED && primes == 0) {
    PfSpeed *speed = ck->speeds.at + entity->index;
    value = pf_value_in_unit(ck, assign->child->next, value, entity);
    if (speed->start) pf_check_fail(ck, PF_ERR_NAME, assign->child, "the start of '%s' is given twice", entity->name);
    speed->start = value.kind == V_NONE ? PF_EXPR_NONE : value.scalar;
    speed->priority = pf_start_priority(assign);
    return;
  }
  if (entity->kind == E_ARRAY) {
    (void)pf_value_of_entity(ck, entity, assign->child);
    return;
  }
  if (entity->kind != E_COORD || primes > 1) {
    pf_check_fail(ck, PF_ERR_NAME, assign->child, "a start is given for a coordinate or a velocity, '%s' is neither",
                  entity->name);
    return;
  }
  Entity rate = *entity; /* a bare number for x' is in the unit of x per second */
  if (primes) {
    rate.dim = pf_dim_divide(rate.dim, pf_dim_make(0, 0, 1));
    rate.name = pf_print_text(ck, "%s'", entity->name);
  }
  value = pf_value_in_unit(ck, assign->child->next, value, &rate);
  if (value.kind == V_NONE) return;
  PfCoordinate *c = ck->coordinates.at + entity->index;
  PfStartPriority *priority = primes ? &c->priority_v : &c->priority_q;
  if (*priority != PF_START_OPEN) {
    pf_check_fail(ck, PF_ERR_NAME, assign->child, "the start of '%s%s' is given twice", entity->name,
                  primes ? "'" : "");
    return;
  }
  *(primes ? &c->start_v : &c->start_q) = value.scalar;
  *priority = pf_start_priority(assign);
}

/* The rate of a coordinate in terms of the speeds: x' = f(q, u, t). */
static void assign_rate(Checker *ck, Scope *scope, const PfNode *assign)
{
  int primes, i = target_coordinate(ck, scope, assign->child, &primes);
  Value value = pf_scalar_of(ck, scope, assign->child->next, "a rate");
  if (i < 0 || value.kind == V_NONE) return;
  if (primes != 1) {
    pf_check_fail(ck, PF_ERR_MODEL, assign->child,
                  "write 'rate %s' = …': the rate of a coordinate in terms of the speeds", ck->coordinates.at[i].name);
    return;
  }
  if (pf_contents(ck, value.scalar) & (HAS_VELOCITY | HAS_ACCELERATION | HAS_MULTIPLIER)) {
    pf_check_fail(ck, PF_ERR_MODEL, assign->child->next, "a rate is made of coordinates, speeds and time only");
    return;
  }
  if (!ck->speeds.count) {
    pf_check_fail(ck, PF_ERR_MODEL, assign->child, "a rate is given in terms of speeds, and there are none");
    pf_check_hint(ck, "declare them with 'speed w1, w2'; if x' is to follow a law, write a constraint");
    return;
  }
  if (ck->coordinates.at[i].rate != PF_EXPR_NONE) {
    pf_check_fail(ck, PF_ERR_NAME, assign->child, "the rate of '%s' is given twice", ck->coordinates.at[i].name);
    return;
  }
  ck->coordinates.at[i].rate = value.scalar;
}

/* force, rate, start: one assignment after the other. */
void pf_check_assignments(Checker *ck, Scope *scope, const PfNode *node)
{
  for (const PfNode *assign = node->child; assign && !pf_check_stopped(ck); assign = assign->next) {
    switch (node->text[0]) {
    case 'f': assign_force(ck, scope, assign, false); break;
    case 'n': assign_force(ck, scope, assign, true); break;
    case 's': assign_start(ck, scope, assign); break;
    default: assign_rate(ck, scope, assign); break;
    }
  }
}

/* ---------------------------------------------------------------- forces at points, torques on bodies */

/* A force at a point, a torque on a body: a vector of the right dimension, without accelerations, and without
 * multipliers unless it is non-ideal. */
void pf_check_force(Checker *ck, Scope *scope, const PfNode *node)
{
  bool torque = !strcmp(node->text, "torque"), nonideal = node->flag != 0;
  const char *what = torque ? "a torque" : "a force";
  const PfNode *at = node->child->next, *from = at->next;
  Value force = pf_vector_of(ck, scope, node->child, what);
  Value on = torque ? pf_frame_of(ck, scope, at, "what a torque acts on")
                    : pf_point_of(ck, scope, at, "where a force acts");
  if (on.kind == V_NONE || force.kind == V_NONE) return;
  if (!pf_dim_expect(ck, node->child, force.dim, pf_dim_make(1, torque ? 2 : 1, -2), what)) return;
  unsigned contents = 0, forbidden = HAS_ACCELERATION | HAS_SPEED | (nonideal ? 0u : HAS_MULTIPLIER);
  for (int i = 0; i < force.vector.count; i++)
    for (int k = 0; k < 3; k++) contents |= contents_of_force(ck, node->child, force.vector.part[i].c[k]);
  if (!pf_check_no_equality(ck, node->child, contents, what)) return;
  if (contents & forbidden) {
    pf_check_fail(ck, PF_ERR_MODEL, node->child, "a force cannot depend on accelerations, speeds or multipliers here");
    return;
  }
  PfVector velocity = torque ? pf_frame_spin(ck->model, on.frame) : pf_value_velocity(ck, on);
  if (from) {
    Value other = torque ? pf_frame_of(ck, scope, from, "what a torque comes from")
                         : pf_point_of(ck, scope, from, "where a force comes from");
    if (other.kind == V_NONE) return;
    PfVector back = torque ? pf_frame_spin(ck->model, other.frame) : pf_value_velocity(ck, other);
    velocity = pf_vector_add(ck->model, velocity, pf_vector_scale(ck->model, back, pf_expr_int(ck->ctx, -1)));
  }
  PfLoad load = {force.vector, velocity, nonideal};
  if (!pf_push(ck->allocator, &ck->loads, load)) pf_check_no_memory(ck);
}

/* ---------------------------------------------------------------- springs and dampers */

enum { OF_POSITION = HAS_COORDINATE | HAS_TIME | HAS_INPUT | HAS_PARAMETER };

/* A property of a spring, 0 when it is not given. */
static bool read_property(Checker *ck, Scope *scope, const PfNode *block, const char *key, Dim dim, PfExpr *e)
{
  const PfNode *node = pf_property(block, key);
  *e = pf_expr_int(ck->ctx, 0);
  if (!node) return true;
  const char *what = pf_print_text(ck, "the %s", key);
  Value value = pf_scalar_of(ck, scope, node, what);
  if (value.kind == V_NONE || !pf_dim_expect(ck, node, value.dim, dim, what)) return false;
  *e = value.scalar;
  if (!(pf_contents(ck, *e) & ~(unsigned)OF_POSITION)) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node, "%s of a spring or damper depends on coordinates and time only", what);
  pf_check_hint(ck, "any other law is written with 'force'");
  return false;
}

/* What a spring acts along: its length s and the square of it. */
typedef struct Stretch {
  PfExpr square, length;
  Dim dim;
  PfVector end[2]; /* between two points */
} Stretch;

/* The distance of two points, by its square, so that no root is needed without a rest length; or a number. */
static bool find_stretch(Checker *ck, Scope *scope, const PfNode *node, const PfNode *to, Stretch *s)
{
  if (to) {
    Value p = pf_point_of(ck, scope, node->child, "an end of a spring");
    Value q = pf_point_of(ck, scope, to->child, "an end of a spring");
    if (p.kind == V_NONE || q.kind == V_NONE) return false;
    s->end[0] = pf_value_position(ck, p), s->end[1] = pf_value_position(ck, q);
    PfExpr minus = pf_expr_int(ck->ctx, -1);
    PfVector r = pf_vector_add(ck->model, s->end[0], pf_vector_scale(ck->model, s->end[1], minus));
    s->square = pf_vector_dot(ck->model, r, r);
    s->length = pf_expr_sqrt(ck->ctx, s->square);
    s->dim = pf_dim_make(0, 1, 0);
  } else {
    Value value = pf_value_of(ck, scope, node->child);
    if (value.kind == V_NONE) return false;
    if (value.kind != V_SCALAR) {
      pf_check_fail(ck, PF_ERR_MODEL, node->child, "what a spring acts on must be a number, this is %s",
                    pf_kind_text(value.kind));
      pf_check_hint(ck, "between two points write: spring p to q { … }");
      return false;
    }
    s->length = value.scalar;
    s->square = pf_expr_pow_int(ck->ctx, value.scalar, 2);
    s->dim = value.dim;
  }
  unsigned contents = pf_contents(ck, s->length);
  bool pure = !(contents & ~(unsigned)OF_POSITION);
  return (pure && (contents & HAS_COORDINATE)) ||
         pf_check_refuse(ck, PF_ERR_MODEL, node->child, "a %s acts on something that depends on coordinates%s",
                         node->text, pure ? "; this does not" : " and time only");
}

/* A spring or damper on a length s: V = k/2 (s - s0)^2, dissipation = c/2 s'^2; with s0 = 0 the root of the distance is
 * not needed. A spring on the rotation vector of a ball joint, spring arm.turn { … }, has no rest length. */
void pf_check_spring(Checker *ck, Scope *scope, const PfNode *node)
{
  static const char *const spring_keys[] = {"stiffness", "length", "damping", NULL};
  static const char *const damper_keys[] = {"damping", NULL}, *const turn_keys[] = {"stiffness", "damping", NULL};
  PfContext *ctx = ck->ctx;
  PfModel *model = ck->model;
  const PfNode *to = pf_child_of_kind(node, PF_N_VALUE), *block = pf_child_of_kind(node, PF_N_BLOCK);
  Stretch s = {.dim = pf_dim_none()};
  PfExpr stiffness, rest_length, damping, potential, dissipation, rate;
  bool spring = !strcmp(node->text, "spring");
  bool turn = pf_is_joint_turn(ck, scope, node->child, &potential, &dissipation);
  if (!pf_check_properties(ck, block, turn ? turn_keys : spring ? spring_keys : damper_keys)) return;
  if (!turn && !find_stretch(ck, scope, node, to, &s)) return;
  Dim per_square = pf_dim_divide(pf_dim_make(1, 2, -2), pf_dim_multiply(s.dim, s.dim));
  if (!read_property(ck, scope, block, "stiffness", per_square, &stiffness) ||
      !read_property(ck, scope, block, "length", s.dim, &rest_length) ||
      !read_property(ck, scope, block, "damping", pf_dim_multiply(per_square, pf_dim_make(0, 0, 1)), &damping))
    return;
  if (pf_expr_is_int(ctx, stiffness, 0) && pf_expr_is_int(ctx, damping, 0)) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "a %s without %s does nothing", node->text,
                  turn ? "stiffness and damping" : spring ? "stiffness" : "damping");
    return;
  }
  if (turn) {
    model->potential = pf_expr_add(ctx, model->potential, pf_expr_mul(ctx, stiffness, potential));
    model->dissipation = pf_expr_add(ctx, model->dissipation, pf_expr_mul(ctx, damping, dissipation));
    return;
  }
  PfExpr half = pf_expr_rational(ctx, 1, 2);
  bool relaxed_at_zero = pf_expr_is_int(ctx, rest_length, 0);
  PfExpr square = relaxed_at_zero ? s.square : pf_expr_pow_int(ctx, pf_expr_sub(ctx, s.length, rest_length), 2);
  PfExpr factors[3] = {half, stiffness, square};
  model->potential = pf_expr_add(ctx, model->potential, pf_expr_product(ctx, factors, 3));
  if (!pf_expr_is_int(ctx, damping, 0) && pf_sync_coordinates(ck) &&
      pf_model_time_derivative(model, &s.length, 1, &rate) == PF_OK) {
    PfExpr loss[3] = {half, damping, pf_expr_pow_int(ctx, rate, 2)};
    model->dissipation = pf_expr_add(ctx, model->dissipation, pf_expr_product(ctx, loss, 3));
  }
  PfSpring drawn = {{s.end[0], s.end[1]}, pf_expr_is_int(ctx, stiffness, 0)};
  if (to && !pf_push(ck->allocator, &ck->springs, drawn)) pf_check_no_memory(ck);
}
