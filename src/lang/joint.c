/* SPDX-License-Identifier: Apache-2.0 */
/* Joints with a quaternion: 'free' and 'ball' in a placement. Their coordinates are named after the body: hub.qw,
 * hub.qx, hub.qy, hub.qz, and hub.px, hub.py, hub.pz when it also translates. What people give and read are the
 * quasi-velocities hub.wx, hub.wy, hub.wz (relative angular velocity, in the axes of the body) and hub.vx … = hub.px'
 * …. */
#include "lang/check_impl.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- declaring */

static int declare_coordinate(Checker *ck, Scope *inside, const PfNode *node, const char *name, Dim dim)
{
  Entity *entity = pf_scope_declare(ck, inside, node, name, E_COORD);
  if (!entity) return -1;
  entity->dim = dim;
  entity->unit_text = dim.of.power[PF_BASE_M] ? "m" : "";
  entity->index = pf_add_coordinate(ck, node, entity->name, entity->unit_text, false);
  if (!ck->out_of_memory) ck->coordinate_dims.at[entity->index] = dim;
  return entity->index;
}

/* A name for an expression that is known already. */
static const char *declare_velocity(Checker *ck, Scope *inside, const PfNode *node, const char *name, PfExpr e, Dim dim)
{
  Entity *entity = pf_scope_declare(ck, inside, node, name, E_LET);
  if (!entity) return "";
  entity->state = RESOLVED;
  entity->dim = dim;
  entity->result = pf_scalar_value(e, dim);
  return entity->name;
}

/* Coordinates, quasi-velocities and the joint itself, all inside the scope; its number + 1, or 0. */
static int declare_ball(Checker *ck, Scope *inside, const char *name, const PfNode *label, bool translates)
{
  static const char *const quaternion[] = {"qw", "qx", "qy", "qz"}, *const position[] = {"px", "py", "pz"};
  PfBall ball = {.name = name, .q = (int)ck->coordinates.count, .p = -1, .norm = -1};
  ball.place = pf_model_place(ck, label);
  for (int k = 0; k < 4; k++) (void)declare_coordinate(ck, inside, label, quaternion[k], pf_dim_none());
  if (translates) {
    ball.p = (int)ck->coordinates.count;
    for (int k = 0; k < 3; k++) (void)declare_coordinate(ck, inside, label, position[k], pf_dim_make(0, 1, 0));
  }
  if (ck->out_of_memory) return 0;
  static const char *const spins[] = {"wx", "wy", "wz"}, *const speeds[] = {"vx", "vy", "vz"};
  const PfCoordinate *c = ck->coordinates.at;
  PfExpr q[4], rate[4];
  for (int k = 0; k < 4; k++) q[k] = c[ball.q + k].q, rate[k] = c[ball.q + k].v;
  pf_quaternion_spin(ck->ctx, q, rate, ball.spin);
  for (int k = 0; k < 3; k++) {
    ball.spin_name[k] = declare_velocity(ck, inside, label, spins[k], ball.spin[k], pf_dim_turning());
    if (ball.p >= 0)
      ball.speed_name[k] = declare_velocity(ck, inside, label, speeds[k], c[ball.p + k].v, pf_dim_make(0, 1, -1));
  }
  if (!pf_push(ck->allocator, &ck->balls, ball) ||
      !pf_push(ck->allocator, &ck->ball_starts, (BallStart){.node = NULL}))
    pf_check_no_memory(ck);
  return (int)ck->balls.count;
}

void pf_declare_joint(Checker *ck, Scope *scope, Entity *frame, const PfNode *node)
{
  const PfNode *joint = pf_child_of_kind(node, PF_N_JOINT);
  for (const PfNode *other = joint->next; other; other = other->next) {
    if (other->kind != PF_N_JOINT) continue;
    pf_check_fail(ck, PF_ERR_MODEL, other, "a placement has one 'free' or 'ball' at most");
    pf_check_hint(ck, "a frame between can have the other one: frame middle in … ball");
    return;
  }
  frame->inside = pf_scope_new(ck, scope, NULL, pf_print_text(ck, "%s.", frame->name), "");
  if (frame->inside)
    frame->ball = declare_ball(ck, frame->inside, frame->name, node->child, !strcmp(joint->text, "free"));
}

void pf_declare_release(Checker *ck, Scope *scope, Entity *frame, const PfNode *node)
{
  const char *name = pf_print_text(ck, "%s.free", frame->name);
  Scope *inside = pf_scope_new(ck, scope, NULL, pf_print_text(ck, "%s.", name), "");
  size_t before = ck->coordinates.count;
  if (inside) frame->release = declare_ball(ck, inside, name, node->child, true);
  for (size_t i = before; i < ck->coordinates.count; i++) ck->coordinates.at[i].released = true;
}

/* ---------------------------------------------------------------- using */

Value pf_value_of_joint(Checker *ck, Scope *scope, Entity *joint, const PfNode *node)
{
  /* Names of 'derive': ball.gz, where axis z of the frame in which the body is placed stands in the axes of the body,
   * and ball.omega_z, the angular velocity in the axes of that frame. 0 to 8, 9 to 11, or -1. */
  static const char rows[] = "abg", columns[] = "xyz";
  const bool omega = !strncmp(node->text, "omega_", 6), known = ck->showing || ck->in_condition;
  const char *last = node->text + (omega ? 6 : 1), *row = omega ? rows + 3 : strchr(rows, *node->text);
  const char *column = known && row && *node->text && *last && !last[1] ? strchr(columns, *last) : NULL;
  const int attitude = column ? 3*(int)(row - rows) + (int)(column - columns) : -1;
  if (strcmp(node->text, "w") && attitude < 0) {
    Entity *entity = pf_scope_lookup(ck, scope, node);
    return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
  }
  if (!pf_resolve(ck, joint, node)) return pf_no_value();
  const PfBall *ball = ck->balls.at + joint->ball - 1;
  if (attitude >= 0) {
    PfExpr q[4], R[3];
    for (int k = 0; k < 4; k++) q[k] = ck->coordinates.at[ball->q + k].q;
    if (attitude < 9) return pf_scalar_value(pf_quaternion_entry(ck->ctx, q, attitude/3, attitude%3), pf_dim_none());
    for (int k = 0; k < 3; k++) R[k] = pf_quaternion_entry(ck->ctx, q, attitude - 9, k);
    return pf_scalar_value(pf_expr_dot3(ck->ctx, R, ball->spin), pf_dim_turning());
  }
  return pf_vector_value(pf_vector_make(ck->model, ball->frame, ball->spin), pf_dim_turning());
}

/* (q.q - 1)/2 = 0: its rate is q.q', its row of A is q. */
void pf_add_norm(Checker *ck, int number, const PfNode *node)
{
  PfBall *ball = ck->balls.at + number;
  PfExpr sum = pf_expr_int(ck->ctx, -1);
  size_t before = ck->constraints.count;
  for (int k = 0; k < 4; k++) {
    PfExpr q = ck->coordinates.at[ball->q + k].q;
    sum = pf_expr_add(ck->ctx, sum, pf_expr_pow_int(ck->ctx, q, 2));
  }
  PfExpr half = pf_expr_mul(ck->ctx, pf_expr_rational(ck->ctx, 1, 2), sum);
  pf_add_constraint(ck, node, pf_print_text(ck, "%s.norm", ball->name), half, pf_dim_none());
  if (ck->constraints.count == before) return;
  ball->norm = (int)before;
  ck->constraints.at[before].norm = true;
}

/* ---------------------------------------------------------------- springs */

/* |rotation vector|^2 = 4 atan2(|v|, |w|)^2, the shorter way round. Near no rotation |v| has no derivative and its
 * quotients are 0/0: there the series in u = |v|^2/w^2 is used, which is exact to rounding for u < 1e-4. */
static PfExpr square_of_turn(PfContext *ctx, const PfExpr q[4])
{
  static const int top[] = {4, -8, 92, -176, 2252}, bottom[] = {1, 3, 45, 105, 1575}; /* 4 atan(x)^2 in powers of x^2 */
  PfExpr s = pf_expr_dot3(ctx, q + 1, q + 1), w2 = pf_expr_pow_int(ctx, q[0], 2), u = pf_expr_div(ctx, s, w2);
  PfExpr series = pf_expr_int(ctx, 0);
  for (int k = 5; k-- > 0;)
    series = pf_expr_mul(ctx, u, pf_expr_add(ctx, pf_expr_rational(ctx, top[k], bottom[k]), series));
  PfExpr angle = pf_expr_call2(ctx, PF_OP_ATAN2, pf_expr_sqrt(ctx, s), pf_expr_call1(ctx, PF_OP_ABS, q[0]));
  PfExpr exact = pf_expr_mul(ctx, pf_expr_int(ctx, 4), pf_expr_pow_int(ctx, angle, 2));
  PfExpr limit = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 10000), w2);
  return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_LESS, s, limit), series, exact);
}

bool pf_is_joint_turn(Checker *ck, Scope *scope, const PfNode *node, PfExpr *potential, PfExpr *dissipation)
{
  PfContext *ctx = ck->ctx;
  if (node->kind != PF_N_MEMBER || strcmp(node->text, "turn")) return false;
  const Entity *joint = pf_find_joint(ck, scope, node->child);
  if (!joint) return false;
  const PfBall *ball = ck->balls.at + joint->ball - 1;
  PfExpr half = pf_expr_rational(ctx, 1, 2), q[4];
  for (int k = 0; k < 4; k++) q[k] = ck->coordinates.at[ball->q + k].q;
  *potential = pf_expr_mul(ctx, half, square_of_turn(ctx, q));
  *dissipation = pf_expr_mul(ctx, half, pf_expr_dot3(ctx, ball->spin, ball->spin));
  return true;
}

/* ---------------------------------------------------------------- starts */

/* The components of (a, b, c) or (a, b, c, d) into slots that must be empty. */
static bool read_components(Checker *ck, Scope *scope, const PfNode *assign, Dim dim, int count, PfExpr **slot)
{
  const PfNode *list = assign->child->next, *child = list->child;
  if (list->kind != PF_N_VECTOR || pf_child_count(list) != count) {
    pf_check_fail(ck, PF_ERR_MODEL, list, "'%s' needs %d numbers in brackets here", assign->child->text, count);
    pf_check_hint(ck, count == 4 ? "scalar part first: start hub.q = (1, 0, 0, 0)"
                                 : "for example: start hub.%s = (0, 0, 1)", assign->child->text);
    return false;
  }
  for (int k = 0; k < count; k++, child = child->next) {
    Value value = pf_scalar_of(ck, scope, child, "a start value");
    if (!pf_is_start_value(ck, child, value)) return false;
    if (!pf_dim_expect(ck, child, value.dim, dim, "this start")) return false;
    if (*slot[k] != PF_EXPR_NONE) return pf_check_refuse(ck, PF_ERR_NAME, assign->child, "this start is given twice");
    *slot[k] = value.scalar;
  }
  return true;
}

/* hub.p and hub.v are starts of coordinates. */
static void assign_translation(Checker *ck, Scope *scope, const PfNode *assign, const PfBall *ball, int primes)
{
  PfExpr value[3] = {PF_EXPR_NONE, PF_EXPR_NONE, PF_EXPR_NONE}, *slot[3] = {value, value + 1, value + 2};
  if (ball->p < 0) {
    pf_check_fail(ck, PF_ERR_NAME, assign->child, "'%s' is a ball joint: it does not translate", ball->name);
    return;
  }
  if (!read_components(ck, scope, assign, pf_dim_make(0, 1, -primes), 3, slot)) return;
  for (int k = 0; k < 3; k++) {
    PfCoordinate *c = ck->coordinates.at + ball->p + k;
    PfStartPriority *priority = primes ? &c->priority_v : &c->priority_q;
    if (*priority != PF_START_OPEN)
      pf_check_fail(ck, PF_ERR_NAME, assign->child, "the start of '%s%s' is given twice", c->name, primes ? "'" : "");
    *(primes ? &c->start_v : &c->start_q) = value[k];
    *priority = pf_start_priority(assign);
  }
}

/* The start of one component into its slot, which must be empty. */
static void assign_one(Checker *ck, Scope *scope, const PfNode *assign, Dim dim, PfExpr *slot)
{
  Value value = pf_scalar_of(ck, scope, assign->child->next, "a start value");
  if (!pf_is_start_value(ck, assign->child->next, value)) return;
  if (!pf_dim_expect(ck, assign->child->next, value.dim, dim, "this start")) return;
  if (*slot != PF_EXPR_NONE) pf_check_fail(ck, PF_ERR_NAME, assign->child, "this start is given twice");
  *slot = value.scalar;
}

bool pf_assign_joint_start(Checker *ck, Scope *scope, const PfNode *assign)
{
  static const char *const words[] = {"q",  "turn", "w",  "p",  "v",  "qw", "qx", "qy",
                                      "qz", "wx",   "wy", "wz", "vx", "vy", "vz"};
  const PfNode *target = assign->child->kind == PF_N_PRIME ? assign->child->child : assign->child;
  const Entity *joint = target->kind == PF_N_MEMBER ? pf_find_joint(ck, scope, target->child) : NULL;
  const int count = sizeof words/sizeof *words;
  int which = joint ? 0 : count;
  while (which < count && strcmp(target->text, words[which])) which++;
  if (which == count) return false;
  if (target != assign->child) {
    pf_check_fail(ck, PF_ERR_MODEL, assign->child, "the rate of '%s.%s' is not given by itself", joint->name,
                  target->text);
    pf_check_hint(ck, "the angular velocity is: start %s.w = (0, 0, 1), in the axes of the body", joint->name);
    return true;
  }
  const PfBall *ball = ck->balls.at + joint->ball - 1;
  BallStart *s = ck->ball_starts.at + joint->ball - 1;
  PfExpr *q[4] = {s->q, s->q + 1, s->q + 2, s->q + 3}, *turn[3] = {s->turn, s->turn + 1, s->turn + 2};
  PfExpr *w[3] = {s->w, s->w + 1, s->w + 2};
  Dim per_second = pf_dim_turning();
  if (which <= 1 || (which >= 5 && which <= 8)) {
    s->node = target;
    if (s->priority_q != PF_START_FIXED) s->priority_q = pf_start_priority(assign);
  }
  for (int k = 0; k < 3; k++)
    if (which == 2 || which == 9 + k) s->priority_w[k] = pf_start_priority(assign);
  if (which == 0) (void)read_components(ck, scope, assign, pf_dim_none(), 4, q);
  else if (which == 1) (void)read_components(ck, scope, assign, pf_dim_none(), 3, turn);
  else if (which == 2) (void)read_components(ck, scope, assign, per_second, 3, w);
  else if (which <= 4) assign_translation(ck, scope, assign, ball, which - 3);
  else if (which <= 11) {
    bool rate = which > 8;
    assign_one(ck, scope, assign, rate ? per_second : pf_dim_none(), rate ? w[which - 9] : q[which - 5]);
  } else { /* start hub.vx is start hub.px', which is as good */
    PfExpr value = PF_EXPR_NONE;
    if (ball->p < 0) return false;
    assign_one(ck, scope, assign, pf_dim_make(0, 1, -1), &value);
    if (value == PF_EXPR_NONE) return true;
    PfCoordinate *c = ck->coordinates.at + ball->p + which - 12;
    if (c->priority_v != PF_START_OPEN) pf_check_fail(ck, PF_ERR_NAME, assign->child, "this start is given twice");
    c->start_v = value;
    c->priority_v = pf_start_priority(assign);
  }
  return true;
}

static void fill(Checker *ck, PfExpr *slot, int count)
{
  for (int k = 0; k < count; k++)
    if (slot[k] == PF_EXPR_NONE) slot[k] = pf_expr_int(ck->ctx, 0);
}

/* cos(a/2) and the axis times sin(a/2), where the rotation vector is a times the axis. */
static void quaternion_of_turn(PfContext *ctx, const PfExpr turn[3], PfExpr q[4])
{
  PfExpr zero = pf_expr_int(ctx, 0), half = pf_expr_rational(ctx, 1, 2), angle = zero;
  int parts = 0;
  for (int k = 0; k < 3; k++)
    if (turn[k] != zero) angle = turn[k], parts++;
  if (parts > 1) angle = pf_expr_sqrt(ctx, pf_expr_dot3(ctx, turn, turn));
  q[0] = pf_expr_call1(ctx, PF_OP_COS, pf_expr_mul(ctx, half, angle));
  PfExpr sine = pf_expr_call1(ctx, PF_OP_SIN, pf_expr_mul(ctx, half, angle));
  for (int k = 0; k < 3; k++)
    q[k + 1] = turn[k] == zero ? zero : parts == 1 ? sine : pf_expr_div(ctx, pf_expr_mul(ctx, sine, turn[k]), angle);
}

/* Divides by the length, and says so when that is not nearly 1. */
static bool normalise(Checker *ck, const BallStart *s, const PfBall *ball, PfExpr q[4])
{
  PfContext *ctx = ck->ctx;
  PfExpr square = pf_expr_pow_int(ctx, q[0], 2);
  square = pf_expr_add(ctx, square, pf_expr_dot3(ctx, q + 1, q + 1));
  double value = 1;
  bool known = pf_expr_is_number(ctx, square, &value);
  if (known && value == 1) return true;
  if (known && !(value > 0))
    return pf_check_refuse(ck, PF_ERR_MODEL, s->node, "the quaternion of '%s' is zero: it is no rotation", ball->name);
  if (fabs(value - 1) > 1e-9)
    pf_warn_at(ctx, pf_node_place(ck->source, s->node),
               "the quaternion of '%s' has the length %.9g: it is divided by that", ball->name, sqrt(value));
  PfExpr length = pf_expr_sqrt(ctx, square);
  for (int k = 0; k < 4; k++) q[k] = pf_expr_div(ctx, q[k], length);
  return true;
}

void pf_settle_joint_starts(Checker *ck)
{
  for (size_t i = 0; i < ck->balls.count && !pf_check_stopped(ck); i++) {
    PfBall *ball = ck->balls.at + i;
    BallStart *s = ck->ball_starts.at + i;
    bool turn = s->turn[0] || s->turn[1] || s->turn[2], given = s->q[0] || s->q[1] || s->q[2] || s->q[3];
    if (turn && given) {
      pf_check_fail(ck, PF_ERR_NAME, s->node, "the start of '%s' is given both by q and by turn", ball->name);
      return;
    }
    if (!given) s->q[0] = pf_expr_int(ck->ctx, 1);
    fill(ck, s->q, 4), fill(ck, s->turn, 3), fill(ck, s->w, 3);
    if (turn) quaternion_of_turn(ck->ctx, s->turn, s->q);
    else if (given && !normalise(ck, s, ball, s->q)) return;
    PfExpr rate[4];
    pf_quaternion_rate(ck->ctx, s->q, s->w, rate);
    for (int k = 0; k < 3; k++) ball->start_w[k] = s->w[k], ball->priority_w[k] = s->priority_w[k];
    for (int k = 0; k < 4; k++) {
      PfCoordinate *c = ck->coordinates.at + ball->q + k;
      c->start_q = s->q[k], c->start_v = rate[k];
      c->priority_q = s->priority_q;
    }
  }
}
