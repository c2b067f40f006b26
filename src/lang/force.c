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

int pf_target_coordinate(Checker *ck, Scope *scope, const PfNode *target, int *primes)
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

/* The dimension of the force that belongs to a coordinate: energy over the coordinate's. */
static Dim force_dimension(Checker *ck, int coordinate)
{
  return pf_dim_divide(pf_dim_make(1, 2, -2), ck->coordinate_dims.at[coordinate]);
}

/* What the force contains; it is remembered when there are multipliers in it. */
static unsigned contents_of_force(Checker *ck, const PfNode *node, PfExpr force)
{
  unsigned contents = pf_contents(ck, force);
  bool keep = (contents & HAS_MULTIPLIER) != 0;
  if (keep && !pf_push(ck->allocator, &ck->multiplier_forces, (MultiplierForce){node, force})) pf_check_no_memory(ck);
  return contents;
}

static void assign_force(Checker *ck, Scope *scope, const PfNode *assign, bool nonideal)
{
  int primes, i = pf_target_coordinate(ck, scope, assign->child, &primes);
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
  if (!pf_expr_is_int(ck->ctx, value.scalar, 0) &&
      !pf_dim_expect(ck, assign->child->next, value.dim, force_dimension(ck, i),
                     pf_print_text(ck, "the force on '%s'", ck->coordinates.at[i].name)))
    return;
  PfExpr *sum = (nonideal ? ck->nonideals.at : ck->forces.at) + i;
  *sum = pf_expr_add(ck->ctx, *sum, value.scalar);
}

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
    speed->firm = pf_firmness(assign);
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
  PfFirmness *firm = primes ? &c->firm_v : &c->firm_q;
  if (*firm != PF_START_OPEN) {
    pf_check_fail(ck, PF_ERR_NAME, assign->child, "the start of '%s%s' is given twice", entity->name,
                  primes ? "'" : "");
    return;
  }
  *(primes ? &c->start_v : &c->start_q) = value.scalar;
  *firm = pf_firmness(assign);
}

static void assign_rate(Checker *ck, Scope *scope, const PfNode *assign)
{
  int primes, i = pf_target_coordinate(ck, scope, assign->child, &primes);
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

static void add_load(Checker *ck, const PfNode *node, PfVector force, PfVector velocity)
{
  PfLoad load = {force, velocity, node->flag != 0};
  if (!pf_push(ck->allocator, &ck->loads, load)) pf_check_no_memory(ck);
}

static bool is_load(Checker *ck, const PfNode *node, Value force, bool torque, bool nonideal)
{
  if (force.kind == V_NONE) return false;
  Dim dim = torque ? pf_dim_make(1, 2, -2) : pf_dim_make(1, 1, -2);
  if (!pf_dim_expect(ck, node, force.dim, dim, torque ? "a torque" : "a force")) return false;
  unsigned contents = 0;
  for (int i = 0; i < force.vector.count; i++)
    for (int k = 0; k < 3; k++) contents |= contents_of_force(ck, node, force.vector.part[i].c[k]);
  if (!pf_check_no_equality(ck, node, contents, torque ? "a torque" : "a force")) return false;
  unsigned forbidden = HAS_ACCELERATION | HAS_SPEED | (nonideal ? 0u : HAS_MULTIPLIER);
  if (!(contents & forbidden)) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node, "a force cannot depend on accelerations, speeds or multipliers here");
  return false;
}

void pf_check_force(Checker *ck, Scope *scope, const PfNode *node)
{
  bool torque = !strcmp(node->text, "torque");
  const PfNode *at = node->child->next, *from = at->next;
  Value force = pf_vector_of(ck, scope, node->child, torque ? "a torque" : "a force");
  Value on = torque ? pf_frame_of(ck, scope, at, "what a torque acts on")
                    : pf_point_of(ck, scope, at, "where a force acts");
  if (on.kind == V_NONE || !is_load(ck, node->child, force, torque, node->flag != 0)) return;
  PfVector velocity = torque ? pf_frame_spin(ck->model, on.frame) : pf_value_velocity(ck, on);
  if (from) {
    Value other = torque ? pf_frame_of(ck, scope, from, "what a torque comes from")
                         : pf_point_of(ck, scope, from, "where a force comes from");
    if (other.kind == V_NONE) return;
    PfVector back = torque ? pf_frame_spin(ck->model, other.frame) : pf_value_velocity(ck, other);
    velocity = pf_vector_add(ck->model, velocity, pf_vector_scale(ck->model, back, pf_expr_int(ck->ctx, -1)));
  }
  add_load(ck, node, force.vector, velocity);
}

/* ---------------------------------------------------------------- springs and dampers */

/* What a spring acts along: its length s and the square of it. */
typedef struct Stretch {
  PfExpr square, length;
  Dim dim;
  bool between; /* two points */
  PfVector end[2];
} Stretch;

static bool stretch_between(Checker *ck, Scope *scope, const PfNode *first, const PfNode *second, Stretch *s)
{
  Value p = pf_point_of(ck, scope, first, "an end of a spring");
  Value q = pf_point_of(ck, scope, second, "an end of a spring");
  if (p.kind == V_NONE || q.kind == V_NONE) return false;
  PfExpr minus = pf_expr_int(ck->ctx, -1);
  PfVector r = pf_vector_add(ck->model, pf_value_position(ck, p),
                             pf_vector_scale(ck->model, pf_value_position(ck, q), minus));
  s->between = true;
  s->end[0] = pf_value_position(ck, p), s->end[1] = pf_value_position(ck, q);
  s->square = pf_vector_dot(ck->model, r, r);
  s->length = pf_expr_sqrt(ck->ctx, s->square);
  s->dim = pf_dim_make(0, 1, 0);
  return true;
}

static bool stretch_of(Checker *ck, Scope *scope, const PfNode *node, Stretch *s)
{
  Value value = pf_value_of(ck, scope, node);
  if (value.kind == V_NONE) return false;
  if (value.kind != V_SCALAR) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "what a spring acts on must be a number, this is %s",
                  pf_kind_text(value.kind));
    pf_check_hint(ck, "between two points write: spring p to q { … }");
    return false;
  }
  s->length = value.scalar;
  s->square = pf_expr_pow_int(ck->ctx, value.scalar, 2);
  s->dim = value.dim;
  return true;
}

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
  if (!(pf_contents(ck, *e) & ~(unsigned)(HAS_COORDINATE | HAS_TIME | HAS_INPUT | HAS_PARAMETER))) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node, "%s of a spring or damper depends on coordinates and time only", what);
  pf_check_hint(ck, "any other law is written with 'force'");
  return false;
}

static bool is_stretch(Checker *ck, const PfNode *node, PfExpr length)
{
  unsigned contents = pf_contents(ck, length);
  bool pure = !(contents & ~(unsigned)(HAS_COORDINATE | HAS_TIME | HAS_INPUT | HAS_PARAMETER));
  if (pure && (contents & HAS_COORDINATE)) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node->child, "a %s acts on something that depends on coordinates%s", node->text,
                pure ? "; this does not" : " and time only");
  return false;
}

/* V = k/2 (s - s0)^2, dissipation = c/2 s'^2; with s0 = 0 the root of the distance is not needed. */
static void add_spring(Checker *ck, const Stretch *s, PfExpr stiffness, PfExpr rest, PfExpr damping)
{
  PfContext *ctx = ck->ctx;
  PfExpr half = pf_expr_rational(ctx, 1, 2), rate;
  bool relaxed_at_zero = pf_expr_is_int(ctx, rest, 0);
  PfExpr square = relaxed_at_zero ? s->square : pf_expr_pow_int(ctx, pf_expr_sub(ctx, s->length, rest), 2);
  PfExpr factors[3] = {half, stiffness, square};
  ck->model->potential = pf_expr_add(ctx, ck->model->potential, pf_expr_product(ctx, factors, 3));
  if (pf_expr_is_int(ctx, damping, 0)) return;
  if (!pf_sync_coordinates(ck) || pf_model_time_derivative(ck->model, &s->length, 1, &rate) != PF_OK) return;
  PfExpr loss[3] = {half, damping, pf_expr_pow_int(ctx, rate, 2)};
  ck->model->dissipation = pf_expr_add(ctx, ck->model->dissipation, pf_expr_product(ctx, loss, 3));
}

/* spring arm.turn { … }: on the rotation vector of a ball joint. */
static void check_turn_spring(Checker *ck, Scope *scope, const PfNode *node, PfExpr potential, PfExpr dissipation)
{
  static const char *const keys[] = {"stiffness", "damping", NULL};
  const PfNode *block = pf_child_of_kind(node, PF_N_BLOCK);
  PfExpr stiffness, damping;
  if (!pf_check_properties(ck, block, keys)) return;
  if (!read_property(ck, scope, block, "stiffness", pf_dim_make(1, 2, -2), &stiffness) ||
      !read_property(ck, scope, block, "damping", pf_dim_make(1, 2, -1), &damping))
    return;
  if (pf_expr_is_int(ck->ctx, stiffness, 0) && pf_expr_is_int(ck->ctx, damping, 0))
    pf_check_fail(ck, PF_ERR_MODEL, node, "a %s without stiffness and damping does nothing", node->text);
  PfModel *model = ck->model;
  model->potential = pf_expr_add(ck->ctx, model->potential, pf_expr_mul(ck->ctx, stiffness, potential));
  model->dissipation = pf_expr_add(ck->ctx, model->dissipation, pf_expr_mul(ck->ctx, damping, dissipation));
}

void pf_check_spring(Checker *ck, Scope *scope, const PfNode *node)
{
  static const char *const spring_keys[] = {"stiffness", "length", "damping", NULL};
  static const char *const damper_keys[] = {"damping", NULL};
  const PfNode *to = pf_child_of_kind(node, PF_N_VALUE), *block = pf_child_of_kind(node, PF_N_BLOCK);
  bool spring = !strcmp(node->text, "spring");
  Stretch s = {0};
  PfExpr stiffness, rest, damping;
  if (pf_is_joint_turn(ck, scope, node->child, &rest, &damping)) {
    check_turn_spring(ck, scope, node, rest, damping);
    return;
  }
  if (!pf_check_properties(ck, block, spring ? spring_keys : damper_keys)) return;
  if (to ? !stretch_between(ck, scope, node->child, to->child, &s) : !stretch_of(ck, scope, node->child, &s)) return;
  if (!is_stretch(ck, node, s.length)) return;
  Dim per_square = pf_dim_divide(pf_dim_make(1, 2, -2), pf_dim_multiply(s.dim, s.dim));
  if (!read_property(ck, scope, block, "stiffness", per_square, &stiffness) ||
      !read_property(ck, scope, block, "length", s.dim, &rest) ||
      !read_property(ck, scope, block, "damping", pf_dim_multiply(per_square, pf_dim_make(0, 0, 1)), &damping))
    return;
  if (pf_expr_is_int(ck->ctx, stiffness, 0) && pf_expr_is_int(ck->ctx, damping, 0)) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "a %s without %s does nothing", node->text,
                  spring ? "stiffness" : "damping");
    return;
  }
  add_spring(ck, &s, stiffness, rest, damping);
  PfSpring drawn = {{s.end[0], s.end[1]}, pf_expr_is_int(ck->ctx, stiffness, 0)};
  if (s.between && !pf_push(ck->allocator, &ck->springs, drawn)) pf_check_no_memory(ck);
}
