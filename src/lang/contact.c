/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling contacts, skates and wheels with rollers, written out as constraints.
 *
 * Notation: d from the support's origin to the centre of the rolling body, n the normal of the support, a the
 * axle, c from the centre to the contact point, v the velocity of the body's material point in contact relative
 * to the material of the support. Rolling means that the tangential part of v vanishes. */
#include "lang/check_impl.h"

#include <math.h>
#include <string.h>

typedef struct Contact {
  Checker *ck;
  Scope *scope;
  const PfNode *node;
  const char *name;
  int body, support;    /* frames */
  PfExpr radius;
  Dim length;           /* of distances: in m when the placements or the radius say so */
  PfVector axle;        /* unit vector; disc only */
  PfVector d;           /* centre relative to the support's origin */
  PfVector support_spin, support_velocity, body_spin, body_velocity;
  PfContact shown;      /* for pictures only: kind, support */
  PfVector *force;      /* sum of the forces on the body, lambda times the direction of the row */
} Contact;

/* ---------------------------------------------------------------- vector shorthand */

static PfVector plus(const Contact *k, PfVector a, PfVector b)
{
  return pf_vector_add(k->ck->model, a, b);
}
static PfVector times(const Contact *k, PfExpr s, PfVector a)
{
  return pf_vector_scale(k->ck->model, a, s);
}
static PfVector minus(const Contact *k, PfVector a, PfVector b)
{
  return plus(k, a, times(k, pf_expr_int(k->ck->ctx, -1), b));
}
static PfVector cross(const Contact *k, PfVector a, PfVector b)
{
  return pf_vector_cross(k->ck->model, a, b);
}
static PfExpr dot(const Contact *k, PfVector a, PfVector b)
{
  return pf_vector_dot(k->ck->model, a, b);
}
static PfVector axis(const Contact *k, int frame, int i)
{
  PfExpr c[3];
  for (int j = 0; j < 3; j++) c[j] = pf_expr_int(k->ck->ctx, j == i);
  return pf_vector_make(k->ck->model, frame, c);
}
static PfVector in_support(const Contact *k, PfExpr x, PfExpr y, PfExpr z)
{
  return pf_vector_make(k->ck->model, k->support, (PfExpr[]){x, y, z});
}

/* The vector as one part in the frame where `like` is simplest. */
static PfVector gathered(const Contact *k, PfVector a, PfVector like)
{
  PfExpr c[3];
  int frame = like.count == 1 ? like.part[0].frame : 0;
  pf_vector_express(k->ck->model, a, frame, c);
  return pf_vector_make(k->ck->model, frame, c);
}

/* v = (velocity of the body's point at c) - (velocity of the support's point there), at the point of contact. */
static PfVector slip(const Contact *k, PfVector c)
{
  /* Remembers where it touches, at c from the centre. */
  Checker *ck = k->ck;
  PfContact contact = k->shown;
  contact.name = k->name, contact.body = k->body, contact.support = k->support;
  contact.radius = k->radius, contact.axle = k->axle;
  contact.point = plus(k, pf_frame_position(ck->model, k->body), c);
  bool good = pf_push(ck->allocator, &ck->contacts, contact) && pf_push(ck->allocator, &ck->contact_dims, k->length);
  if (!good) pf_check_no_memory(ck);
  PfVector own = plus(k, k->body_velocity, cross(k, k->body_spin, c));
  PfVector carried = plus(k, k->support_velocity, cross(k, k->support_spin, plus(k, k->d, c)));
  return minus(k, own, carried);
}

/* The multiplier is the force along the direction in which the row measures: its gradient by the place of the
 * contact. */
static void add_named_row(const Contact *k, const char *name, PfExpr residual, Dim dim, PfVector direction)
{
  Checker *ck = k->ck;
  size_t rows = ck->constraints.count;
  pf_add_constraint(ck, k->node, name, residual, dim);
  if (ck->constraints.count == rows + 1)
    *k->force = plus(k, *k->force, times(k, ck->constraints.at[rows].multiplier, direction));
}

/* A row that the placement already satisfies is left out: a wheel that stays in a plane cannot slip sideways. */
static void add_row_in(const Contact *k, const char *part, PfExpr residual, Dim dim, PfVector direction)
{
  if (residual == PF_EXPR_NONE || pf_expr_is_probably_zero(k->ck->ctx, residual, 2) == PF_TRUE) return;
  add_named_row(k, pf_print_text(k->ck, "%s.%s", k->name, part), residual, dim, direction);
}

/* The velocity v has no component along a direction. */
static void add_row(const Contact *k, const char *part, PfVector v, PfVector direction)
{
  add_row_in(k, part, dot(k, v, direction), pf_dim_rate(k->length), direction);
}

/* A position condition that the placement cannot satisfy is an error. The residual is left out when it vanishes
 * identically. Otherwise it becomes a holonomic row, or it is a number: then the placement keeps a wrong distance for
 * ever, unless rounding explains it (1e-9 of the radius). */
static void add_position(const Contact *k, const char *part, PfExpr residual, Dim dim, PfVector gradient)
{
  Checker *ck = k->ck;
  double gap, radius;
  if (residual == PF_EXPR_NONE || pf_expr_is_probably_zero(ck->ctx, residual, 2) == PF_TRUE) return;
  if (pf_contents(ck, residual) & HAS_COORDINATE) {
    add_row_in(k, part, residual, dim, gradient);
    return;
  }
  /* Numbers with 17 digits add up to a radius only up to rounding. */
  bool numbers = !((pf_contents(ck, residual) | pf_contents(ck, k->radius)) & (HAS_MOTION | HAS_PARAMETER));
  if (numbers && pf_expr_evaluate(ck->ctx, &residual, 1, NULL, NULL, 0, &gap) == PF_OK &&
      pf_expr_evaluate(ck->ctx, &k->radius, 1, NULL, NULL, 0, &radius) == PF_OK && fabs(gap) <= 1e-12*fabs(radius))
    return;
  pf_check_fail(ck, PF_ERR_MODEL, k->node, "the body of '%s' does not touch what it rolls on, however it moves",
                k->name);
  pf_check_hint(ck, "place its centre one radius away from the support, with the same name for the radius");
}

/* ---------------------------------------------------------------- a leaning disc on a plane */

/* Is e the function op of one argument, apart from a sign? Sums of the form 0 ± f(x) with a factor of 1 count as well.
 * *argument receives x. */
static bool is_call(PfContext *ctx, PfExpr e, PfOp op, PfExpr *argument)
{
  double sign;
  if (pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
      pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0) && pf_expr_is_number(ctx, pf_expr_arg(ctx, e, 1), &sign) &&
      fabs(sign) == 1)
    e = pf_expr_arg(ctx, e, 2);
  if (pf_expr_op(ctx, e) != op) return false;
  *argument = pf_expr_arg(ctx, e, 0);
  return true;
}

/* e where the model starts: only parameters and numbers are left. */
static PfExpr at_start(const Contact *k, PfExpr e)
{
  Checker *ck = k->ck;
  PfExpr zero = pf_expr_int(ck->ctx, 0);
  for (size_t i = 0; i < ck->coordinates.count; i++)
    if (pf_expr_substitute(ck->ctx, &e, 1, &ck->coordinates.at[i].q, &ck->coordinates.at[i].start_q, 1, &e) != PF_OK)
      return PF_EXPR_NONE;
  for (size_t i = 0; i < ck->inputs.count; i++) {
    PfExpr value = ck->inputs.at[i].value ? ck->inputs.at[i].value : zero;
    if (pf_expr_substitute(ck->ctx, &e, 1, &ck->inputs.at[i].symbol, &value, 1, &e) != PF_OK) return PF_EXPR_NONE;
  }
  if (pf_expr_substitute(ck->ctx, &e, 1, &ck->model->time, &zero, 1, &e) != PF_OK) return PF_EXPR_NONE;
  return pf_contents(ck, e) & HAS_MOTION ? PF_EXPR_NONE : e;
}

/* sqrt(1 - s^2) without the root when s is a sine or cosine. The sign is that of the start: a wheel that leans by
 * less than a right angle keeps it. A parameter without a value leaves the sign positive. */
static PfExpr complement(const Contact *k, PfExpr s)
{
  Checker *ck = k->ck;
  PfContext *ctx = ck->ctx;
  PfExpr angle, one = pf_expr_int(ctx, 1), root = PF_EXPR_NONE;
  if (pf_expr_is_int(ctx, s, 0)) return one;
  if (is_call(ctx, s, PF_OP_SIN, &angle)) root = pf_expr_call1(ctx, PF_OP_COS, angle);
  else if (is_call(ctx, s, PF_OP_COS, &angle)) root = pf_expr_call1(ctx, PF_OP_SIN, angle);
  if (root == PF_EXPR_NONE) return pf_expr_sqrt(ctx, pf_expr_sub(ctx, one, pf_expr_pow_int(ctx, s, 2)));
  PfExpr start = at_start(k, root);
  double value;
  for (size_t i = ck->parameter_order.count; i-- > 0 && start;) { /* later parameters may contain earlier ones */
    const PfParameter *p = ck->parameters.at + ck->parameter_order.at[i];
    if (p->value != PF_EXPR_NONE && pf_expr_substitute(ctx, &start, 1, &p->symbol, &p->value, 1, &start) != PF_OK)
      return root;
  }
  bool negative = start && pf_expr_evaluate(ctx, &start, 1, NULL, NULL, 0, &value) == PF_OK && value < 0;
  return negative ? pf_expr_neg(ctx, root) : root;
}

/* c = -R (n - s a)/sqrt(1 - s^2) with s = n.a: the lowest point of the rim. The directions are that of the track,
 * a x n, and the one across it. */
static void disc_on_plane(const Contact *k)
{
  PfContext *ctx = k->ck->ctx;
  PfVector n = axis(k, k->support, 2);
  PfExpr s = dot(k, k->axle, n), root = complement(k, s);
  if (pf_expr_is_probably_zero(ctx, root, 2) == PF_TRUE) {
    pf_check_fail(k->ck, PF_ERR_MODEL, k->node, "the disc of '%s' lies flat on its support", k->name);
    return;
  }
  PfExpr inverse = pf_expr_pow_int(ctx, root, -1);
  PfVector up = gathered(k, minus(k, n, times(k, s, k->axle)), k->axle);
  PfVector c = times(k, pf_expr_mul(ctx, pf_expr_neg(ctx, k->radius), inverse), up);
  PfVector track = gathered(k, times(k, inverse, cross(k, k->axle, n)), k->axle);
  PfVector across = cross(k, track, times(k, pf_expr_int(ctx, -1), n));
  PfVector v = slip(k, c);
  add_position(k, "height", pf_expr_sub(ctx, dot(k, k->d, n), pf_expr_mul(ctx, k->radius, root)), k->length, n);
  add_row(k, "roll", v, track);
  add_row(k, "side", v, across);
}

/* ---------------------------------------------------------------- on a surface z = h(x, y) */

/* The surface at the contact: its coordinates (u, w) are massless coordinates of the model. */
typedef struct Surface {
  PfExpr u, w, h, hu, hw; /* height and slopes there */
  PfVector normal, tangent[2], point;
} Surface;

/* Adds a coordinate `name.part` for the place of contact on a surface, with an initial value for the search of a
 * consistent position (or none). Returns its symbol, PF_EXPR_NONE without memory. */
static PfExpr contact_coordinate(const Contact *k, const char *part, PfExpr start)
{
  Checker *ck = k->ck;
  int i = pf_add_coordinate(ck, k->node, pf_print_text(ck, "%s.%s", k->name, part), "", true);
  if (ck->out_of_memory || !pf_sync_coordinates(ck)) return PF_EXPR_NONE;
  if (start != PF_EXPR_NONE) ck->coordinates.at[i].start_q = start;
  return ck->coordinates.at[i].q;
}

/* h with the contact coordinates as arguments. The value of the model's function `name` for the heights of a surface,
 * at u and w. It must be a function of two arguments; else an error is reported and PF_EXPR_NONE returned. */
static PfExpr height_at(const Contact *k, const PfNode *name, PfExpr u, PfExpr w)
{
  Checker *ck = k->ck;
  Entity *function = pf_scope_find(k->scope, name->text);
  const PfNode *names = function && function->kind == E_FUNCTION
                            ? pf_child_of_kind(function->node, PF_N_PARAMETERS) : NULL;
  if (!names || !names->child || !names->child->next || names->child->next->next) {
    pf_check_fail(ck, PF_ERR_NAME, name, "'%s' must be a function of two lengths", name->text);
    pf_check_hint(ck, "define the surface first: let %s(x, y) = …", name->text);
    return PF_EXPR_NONE;
  }
  Visit visit = pf_scope_enter(ck, function->scope);
  const PfNode *first = names->child, *second = first->next;
  bool good = visit.scope &&
              pf_scope_bind(ck, visit.scope, first, first->text, pf_scalar_value(u, pf_dim_unknown())) &&
              pf_scope_bind(ck, visit.scope, second, second->text, pf_scalar_value(w, pf_dim_unknown()));
  Value h = good ? pf_scalar_of(ck, visit.scope, function->value, "the height of a surface") : pf_no_value();
  pf_scope_leave(ck, &visit);
  return h.kind == V_NONE ? PF_EXPR_NONE : h.scalar;
}

/* The point of contact on z = h(u, w): two coordinates of its own, the tangents (1, 0, h_u) and (0, 1, h_w) and the
 * unit normal. */
static bool find_surface(Contact *k, const PfNode *name, Surface *s)
{
  PfContext *ctx = k->ck->ctx;
  PfExpr centre[3], one = pf_expr_int(ctx, 1), zero = pf_expr_int(ctx, 0);
  pf_vector_express(k->ck->model, k->d, k->support, centre);
  s->u = contact_coordinate(k, "u", at_start(k, centre[0]));
  s->w = contact_coordinate(k, "w", at_start(k, centre[1]));
  if (s->u == PF_EXPR_NONE || s->w == PF_EXPR_NONE) return false;
  s->h = height_at(k, name, s->u, s->w);
  if (s->h == PF_EXPR_NONE) return false;
  k->shown.on = PF_SUPPORT_SURFACE;
  k->shown.u = s->u, k->shown.w = s->w, k->shown.height = s->h;
  s->hu = pf_expr_diff(ctx, s->h, s->u);
  s->hw = pf_expr_diff(ctx, s->h, s->w);
  PfExpr square[3] = {one, pf_expr_pow_int(ctx, s->hu, 2), pf_expr_pow_int(ctx, s->hw, 2)};
  PfExpr inverse = pf_expr_pow(ctx, pf_expr_sum(ctx, square, 3), pf_expr_rational(ctx, -1, 2));
  s->point = in_support(k, s->u, s->w, s->h);
  s->tangent[0] = in_support(k, one, zero, s->hu);
  s->tangent[1] = in_support(k, zero, one, s->hw);
  s->normal = in_support(k, pf_expr_neg(ctx, pf_expr_mul(ctx, s->hu, inverse)),
                         pf_expr_neg(ctx, pf_expr_mul(ctx, s->hw, inverse)), inverse);
  return true;
}

/* The point of the body at c is the point of the surface: three conditions in the support's axes. */
static void add_touch(const Contact *k, const Surface *s, PfVector c)
{
  PfExpr gap[3];
  pf_vector_express(k->ck->model, minus(k, plus(k, k->d, c), s->point), k->support, gap);
  for (int i = 0; i < 3; i++)
    add_row_in(k, (const char *[]){"touch_x", "touch_y", "touch_z"}[i], gap[i], k->length, axis(k, k->support, i));
}

static void add_rolling(const Contact *k, const Surface *s, PfVector c)
{
  PfVector v = slip(k, c);
  add_row(k, "roll_x", v, s->tangent[0]);
  add_row(k, "roll_y", v, s->tangent[1]);
}

/* The rim point at an angle that is one more coordinate; its tangent lies in the surface. The search for the start
 * begins at the lowest point. */
static void disc_on_surface(const Contact *k, const Surface *s)
{
  PfContext *ctx = k->ck->ctx;
  const PfVectorPart *axle = k->axle.part;
  int along = 0; /* the axis of its frame that the axle is; the other two span the disc */
  if (k->axle.count != 1) along = 3;
  while (along < 3 && !pf_expr_is_int(ctx, axle->c[along], 1) && !pf_expr_is_int(ctx, axle->c[along], -1)) along++;
  if (along == 3) {
    pf_check_fail(k->ck, PF_ERR_MODEL, k->node, "the axle of a disc on a surface must be an axis of its frame");
    return;
  }
  PfVector e1 = axis(k, axle->frame, (along + 1)%3), e2 = axis(k, axle->frame, (along + 2)%3);
  PfVector down = times(k, pf_expr_int(ctx, -1), axis(k, k->support, 2));
  PfExpr lowest = pf_expr_call2(ctx, PF_OP_ATAN2, dot(k, e2, down), dot(k, e1, down));
  PfExpr angle = contact_coordinate(k, "rim", at_start(k, lowest));
  if (angle == PF_EXPR_NONE) return;
  PfExpr cosine = pf_expr_call1(ctx, PF_OP_COS, angle), sine = pf_expr_call1(ctx, PF_OP_SIN, angle);
  PfVector rim = plus(k, times(k, cosine, e1), times(k, sine, e2));
  PfVector tangent = minus(k, times(k, cosine, e2), times(k, sine, e1));
  PfVector c = times(k, k->radius, rim);
  add_touch(k, s, c);
  add_row_in(k, "tangent", dot(k, tangent, s->normal), pf_dim_none(), pf_vector_zero()); /* a condition on `angle` */
  add_rolling(k, s, c);
}

/* ---------------------------------------------------------------- reading the statement */

/* The axle of a disc: a unit vector that is fixed in the body. Reads the property 'axis' into k->axle, normalised to
 * length 1. It is an error if it is missing or moves in the body. */
static bool read_axle(Contact *k, const PfNode *node)
{
  Checker *ck = k->ck;
  if (!node) {
    pf_check_fail(ck, PF_ERR_MODEL, k->node, "the direction of the axle is missing");
    pf_check_hint(ck, "say it in braces: { radius R, axis wheel.y }");
    return false;
  }
  Value value = pf_vector_of(ck, k->scope, node, "an axle");
  if (value.kind == V_NONE) return false;
  k->axle = value.vector;
  PfExpr off = pf_expr_sub(ck->ctx, dot(k, k->axle, k->axle), pf_expr_int(ck->ctx, 1)), c[3];
  if (pf_expr_is_probably_zero(ck->ctx, off, 2) != PF_TRUE)
    return pf_check_refuse(ck, PF_ERR_MODEL, node, "an axle is a direction of length 1, such as wheel.y");
  /* The axle of a wheel may be said in the axes of its fork, but must keep its direction in the body. */
  pf_vector_express(ck->model, k->axle, k->body, c);
  bool fixed = pf_model_time_derivative(ck->model, c, 3, c) == PF_OK;
  for (int i = 0; i < 3 && fixed; i++) fixed = pf_expr_is_probably_zero(ck->ctx, c[i], 2) != PF_FALSE;
  return fixed || pf_check_refuse(ck, PF_ERR_MODEL, node, "an axle has a fixed direction in the body that rolls");
}

/* A constant length; PF_EXPR_NONE after an error. */
static PfExpr read_radius(Contact *k, const PfNode *node)
{
  Checker *ck = k->ck;
  Value value = pf_scalar_of(ck, k->scope, node, "a radius");
  if (value.kind == V_NONE || !pf_dim_expect(ck, node, value.dim, pf_dim_make(0, 1, 0), "a radius"))
    return PF_EXPR_NONE;
  double number;
  k->length = pf_dim_either(k->length, value.dim);
  if (pf_contents(ck, value.scalar) & HAS_MOTION)
    pf_check_fail(ck, PF_ERR_MODEL, node, "a radius is constant, but this one moves");
  else if (pf_expr_is_number(ck->ctx, value.scalar, &number) && !(number > 0))
    pf_check_fail(ck, PF_ERR_MODEL, node, "a radius is a positive length");
  else return value.scalar;
  return PF_EXPR_NONE;
}

/* The rolling body and its radius. */
static bool read_body(Contact *k, const PfNode *frame, const PfNode *block, const char *const *keys)
{
  Checker *ck = k->ck;
  Value body = pf_frame_of(ck, k->scope, frame, "what rolls");
  if (body.kind == V_NONE || !pf_check_properties(ck, block, keys)) return false;
  k->body = body.frame;
  const PfNode *radius = pf_property(block, "radius");
  if (!radius) {
    pf_check_fail(ck, PF_ERR_MODEL, k->node, "the radius is missing");
    pf_check_hint(ck, "say it in braces: { radius R }");
    return false;
  }
  k->radius = read_radius(k, radius);
  return k->radius != PF_EXPR_NONE;
}

/* Motions of body and support, the latter with its origin (for a sphere: its centre). */
static void find_motion(Contact *k, Value support)
{
  const PfModel *model = k->ck->model;
  k->support = support.frame;
  k->length = pf_dim_either(k->length, pf_dim_position(k->ck, support));
  k->length = pf_dim_either(k->length, pf_dim_position(k->ck, (Value){.kind = V_FRAME, .frame = k->body}));
  k->d = minus(k, pf_frame_position(model, k->body), pf_value_position(k->ck, support));
  k->body_spin = pf_frame_spin(model, k->body);
  k->body_velocity = pf_frame_velocity(model, k->body);
  k->support_spin = pf_frame_spin(model, k->support);
  k->support_velocity = pf_value_velocity(k->ck, support);
}

static Value origin_of(const Contact *k, int frame)
{
  Value origin = {.kind = V_POINT, .frame = frame};
  for (int i = 0; i < 3; i++) origin.c[i] = pf_expr_int(k->ck->ctx, 0);
  return origin;
}

/* Prepares the contact of a statement: its name, and a vector *force that collects the force of the rows on the body.
 * False when the name is a duplicate or memory is missing. */
static bool begin(Contact *k, Checker *ck, Scope *scope, const PfNode *node, PfVector *force)
{
  *force = pf_vector_zero();
  *k = (Contact){.ck = ck, .scope = scope, .node = node, .force = force};
  k->name = pf_constraint_name(ck, scope, node);
  return k->name && pf_sync_coordinates(ck);
}

/* The plane z = 0 of the frame that the support names, or of the ground without one; and the motions. */
static bool find_plane(Contact *k, const PfNode *support, const char *what)
{
  Value frame = origin_of(k, 0);
  if (support) frame = pf_frame_of(k->ck, k->scope, support->child, what);
  if (frame.kind == V_NONE) return false;
  find_motion(k, origin_of(k, frame.frame));
  return true;
}

/* Rolling on a surface z = h(x, y) of a frame. */
static void roll_on_surface(Contact *k, const PfNode *support, bool disc)
{
  Value in = origin_of(k, 0);
  if (support->child->next) in = pf_frame_of(k->ck, k->scope, support->child->next, "the frame of a surface");
  if (in.kind == V_NONE) return;
  find_motion(k, origin_of(k, in.frame));
  Surface surface;
  if (!find_surface(k, support->child, &surface)) return;
  if (disc) disc_on_surface(k, &surface);
  else {
    PfVector c = times(k, pf_expr_neg(k->ck->ctx, k->radius), surface.normal);
    add_touch(k, &surface, c);
    add_rolling(k, &surface, c);
  }
}

/* Rolling inside or outside of a sphere. The centre of the body keeps the distance R + r, or R - r inside, from the
 * centre of the sphere (row `height`), and the velocity at the point of contact vanishes in the two tangential
 * directions. A disc on a sphere is refused. */
static void roll_on_sphere(Contact *k, const PfNode *support, bool disc)
{
  static const char *const keys[] = {"radius", "center", NULL};
  Checker *ck = k->ck;
  const PfNode *radius = pf_property(support->child, "radius"), *center = pf_property(support->child, "center");
  if (!pf_check_properties(ck, support->child, keys)) return;
  if (!radius) {
    pf_check_fail(ck, PF_ERR_MODEL, support, "the radius of the sphere is missing");
    return;
  }
  PfExpr sphere = read_radius(k, radius);
  Value point = center ? pf_point_of(ck, k->scope, center, "the centre of a sphere") : origin_of(k, 0);
  if (sphere == PF_EXPR_NONE || point.kind == V_NONE) return;
  find_motion(k, point);
  bool inside = !strcmp(support->text, "inside");
  k->shown.on = inside ? PF_SUPPORT_INSIDE : PF_SUPPORT_OUTSIDE;
  k->shown.sphere = sphere;
  k->shown.center = pf_value_position(ck, point);
  PfContext *ctx = ck->ctx;
  Dim area = pf_dim_multiply(k->length, k->length);
  if (disc) {
    /* e = d - (d.a) a lies in the plane of the disc and points to the rim point farthest from the centre of the sphere
     * (inside) or away from the nearest (outside): |d|^2 +- 2 R |e| + R^2 = Rs^2. */
    PfExpr along = dot(k, k->d, k->axle), sign = pf_expr_int(ctx, inside ? 1 : -1);
    PfVector e = minus(k, k->d, times(k, along, k->axle));
    PfExpr square = dot(k, k->d, k->d);
    PfExpr length = pf_expr_sqrt(ctx, pf_expr_sub(ctx, square, pf_expr_pow_int(ctx, along, 2)));
    PfExpr lever[3] = {sign, k->radius, pf_expr_pow_int(ctx, length, -1)};
    PfExpr arm[4] = {pf_expr_int(ctx, 2), sign, k->radius, length};
    PfExpr terms[4] = {square, pf_expr_product(ctx, arm, 4), pf_expr_pow_int(ctx, k->radius, 2),
                       pf_expr_neg(ctx, pf_expr_pow_int(ctx, sphere, 2))};
    PfVector c = times(k, pf_expr_product(ctx, lever, 3), e), v = slip(k, c), track = cross(k, k->axle, e);
    add_position(k, "shell", pf_expr_sum(ctx, terms, 4), area, times(k, pf_expr_int(ctx, 2), plus(k, k->d, c)));
    add_row_in(k, "roll", dot(k, v, track), pf_dim_rate(area), track);
    add_row(k, "side", v, k->axle);
    return;
  }
  /* |d| = Rs - R inside, Rs + R outside; then the normal is d over that. The slip vanishes as a whole: one of the three
   * rows follows from the position condition and is redundant. */
  PfExpr gap = inside ? pf_expr_sub(ctx, sphere, k->radius) : pf_expr_add(ctx, sphere, k->radius);
  double room;
  if (pf_expr_is_number(ctx, gap, &room) && room <= 0) {
    pf_check_fail(ck, PF_ERR_MODEL, k->node, "a ball inside a sphere must be smaller than it");
    return;
  }
  PfExpr lever = pf_expr_div(ctx, k->radius, gap);
  PfVector v = slip(k, times(k, inside ? lever : pf_expr_neg(ctx, lever), k->d));
  add_position(k, "shell", pf_expr_sub(ctx, dot(k, k->d, k->d), pf_expr_pow_int(ctx, gap, 2)), area,
               times(k, pf_expr_int(ctx, 2), k->d));
  for (int i = 0; i < 3; i++) add_row(k, (const char *[]){"x", "y", "z"}[i], v, axis(k, k->support, i));
}

/* The contact that was remembered last gets its force, after all of its rows. */
static void keep_force(const Contact *k, size_t contacts)
{
  if (k->ck->contacts.count == contacts + 1) k->ck->contacts.at[contacts].force = *k->force;
}

/* Reads 'roll disc BODY on …' or 'roll ball BODY on …' with a plane, a sphere or a surface as support, and adds its
 * rows: the position of the centre above the support, and no slip along the two tangents. The contact is kept for
 * pictures and for the quantity contact force only if all rows were added without an error. */
void pf_check_roll(Checker *ck, Scope *scope, const PfNode *node)
{
  static const char *const disc_keys[] = {"radius", "axis", NULL}, *const ball_keys[] = {"radius", NULL};
  Contact k;
  PfVector force;
  PfContext *ctx = ck->ctx;
  size_t contacts = ck->contacts.count;
  if (!begin(&k, ck, scope, node, &force)) return;
  const PfNode *body = node->child->kind == PF_N_LABEL ? node->child->next : node->child;
  const PfNode *block = pf_child_of_kind(node, PF_N_BLOCK), *support = pf_child_of_kind(node, PF_N_SUPPORT);
  bool disc = !strcmp(node->text, "disc");
  k.shown.kind = disc ? PF_CONTACT_DISC : PF_CONTACT_BALL;
  size_t rows = ck->constraints.count;
  int errors = pf_error_count(ctx);
  if (!read_body(&k, body, block, disc ? disc_keys : ball_keys)) return;
  if (disc && !read_axle(&k, pf_property(block, "axis"))) return;
  if (!strcmp(support->text, "surface")) roll_on_surface(&k, support, disc);
  else if (strcmp(support->text, "plane")) roll_on_sphere(&k, support, disc);
  else if (find_plane(&k, support, "the support of a rolling body")) {
    if (disc) disc_on_plane(&k);
    else { /* the height of the centre, and no slip along x and y */
      PfVector n = axis(&k, k.support, 2), v = slip(&k, times(&k, pf_expr_neg(ctx, k.radius), n));
      add_position(&k, "height", pf_expr_sub(ctx, dot(&k, k.d, n), k.radius), k.length, n);
      add_row(&k, "x", v, axis(&k, k.support, 0));
      add_row(&k, "y", v, axis(&k, k.support, 1));
    }
  }
  keep_force(&k, contacts);
  if (ck->constraints.count == rows && pf_error_count(ctx) == errors)
    pf_check_fail(ck, PF_ERR_MODEL, node, "the contact '%s' holds by itself: nothing in it can slip", k.name);
}

/* ---------------------------------------------------------------- skates, omni and mecanum wheels */

/* The roller in contact turns freely about its own axle r, so only the slip along r vanishes: r is the axle of the
 * wheel turned by the roller angle about the normal (Zobova 2011, eq. (4.1)). */
static void add_roller_wheel(Contact *k, const PfNode *frame, const PfNode *block, const PfNode *support)
{
  static const char *const keys[] = {"radius", "axis", "roller", NULL};
  PfContext *ctx = k->ck->ctx;
  if (!read_body(k, frame, block, keys) || !read_axle(k, pf_property(block, "axis"))) return;
  const PfNode *roller = pf_property(block, "roller");
  bool omni = !strcmp(k->node->text, "omni");
  PfExpr angle = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, omni ? 2 : 4), pf_expr_pi(ctx));
  if (roller) {
    Value value = pf_scalar_of(k->ck, k->scope, roller, "a roller angle");
    if (value.kind == V_NONE || !pf_dim_expect(k->ck, roller, value.dim, pf_dim_none(), "a roller angle")) return;
    angle = value.scalar;
  }
  k->shown.kind = omni ? PF_CONTACT_OMNI : PF_CONTACT_MECANUM;
  k->shown.roller = angle;
  if (!find_plane(k, support, "the plane of a wheel")) return;
  PfVector n = axis(k, k->support, 2);
  /* A joint that is cut does not move, but its coordinates could tilt the axle. */
  if (!k->ck->cut_count && pf_expr_is_probably_zero(ctx, dot(k, k->axle, n), 2) == PF_FALSE) {
    pf_check_fail(k->ck, PF_ERR_MODEL, k->node, "the axle of a wheel with rollers is parallel to the plane");
    return;
  }
  PfVector track = cross(k, k->axle, times(k, pf_expr_int(ctx, -1), n)); /* n x a, in the axes of the axle */
  PfVector r = plus(k, times(k, pf_expr_call1(ctx, PF_OP_COS, angle), k->axle),
                    times(k, pf_expr_call1(ctx, PF_OP_SIN, angle), track));
  PfVector v = slip(k, times(k, pf_expr_neg(ctx, k->radius), n));
  add_named_row(k, k->name, dot(k, v, r), pf_dim_rate(k->length), r);
}

/* Reads 'skate FRAME on plane P' (no velocity along the y axis of the frame) or a wheel with rollers (no velocity along
 * the axis of the roller in contact), and adds its row. */
void pf_check_skate(Checker *ck, Scope *scope, const PfNode *node)
{
  Contact k;
  PfVector force;
  size_t contacts = ck->contacts.count;
  if (!begin(&k, ck, scope, node, &force)) return;
  const PfNode *frame = node->child->kind == PF_N_LABEL ? node->child->next : node->child;
  const PfNode *block = pf_child_of_kind(node, PF_N_BLOCK), *support = pf_child_of_kind(node, PF_N_SUPPORT);
  if (strcmp(node->text, "skate")) add_roller_wheel(&k, frame, block, support);
  else if (block && block->child) pf_check_fail(ck, PF_ERR_NAME, block->child, "a skate has no properties");
  else { /* a blade along the x axis of its frame: no velocity along y */
    Value body = pf_frame_of(ck, scope, frame, "a skate");
    k.body = body.frame;
    k.shown.kind = PF_CONTACT_SKATE;
    if (body.kind == V_NONE || !find_plane(&k, support, "the plane of a skate")) return;
    PfVector v = slip(&k, pf_vector_zero()), across = axis(&k, k.body, 1);
    add_named_row(&k, k.name, dot(&k, v, across), pf_dim_rate(k.length), across);
  }
  keep_force(&k, contacts);
}
