/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: elementary functions, vectors and motion, and the functions that the model defines.
 *
 * A call is looked up in this order: functions of the model ('let f(x) = …'), elementary functions of one to two
 * numbers (sin, atan2, max), and the table of built-in functions below (pos, vel, omega, norm, dot, diag, if …), each
 * with a function of its own. All of them check the number, the kinds and the dimensions of their arguments, and report
 * at the argument that is wrong. */
#include "lang/check_impl.h"

#include <string.h>

enum { MOST_ARGUMENTS = 16 };

/* Reports a call that has fewer than `least` or more than `most` arguments; true when their number is right. */
static bool expect_arguments(Checker *ck, const PfNode *node, int least, int most)
{
  int count = pf_child_count(node);
  if (count >= least && count <= most) return true;
  const char *wanted = least == most ? pf_print_text(ck, "%d", least) : pf_print_text(ck, "%d to %d", least, most);
  return pf_check_refuse(ck, PF_ERR_MODEL, node, "'%s' takes %s argument%s, not %d", node->text, wanted,
                         most == 1 ? "" : "s", count);
}

/* ---------------------------------------------------------------- elementary functions */

static PfOp elementary(const char *name)
{
  for (int op = PF_OP_SIN; op <= PF_OP_MAX; op++)
    if (!strcmp(pf_function_name((PfOp)op), name)) return (PfOp)op;
  return PF_OP_NONE;
}

static bool keeps_dimension(PfOp op)
{
  return op == PF_OP_ABS || op == PF_OP_MIN || op == PF_OP_MAX;
}

/* sin(x) of a length has no meaning; sign, abs, min, max, atan2 take any unit. Reports at the node of the call and
 * returns false otherwise: the arguments of min, max and atan2 must agree in their dimension, an argument of sin, exp …
 * must be a pure number or an angle. */
static bool fits_function(Checker *ck, const PfNode *node, PfOp op, const Value *args, int count)
{
  if (op == PF_OP_SIGN || op == PF_OP_ABS) return true;
  if (op == PF_OP_ATAN2 || keeps_dimension(op)) {
    Dim dim = args[0].dim;
    for (int i = 1; i < count; i++)
      if (dim.known && args[i].dim.known && !dim.bare && !args[i].dim.bare &&
          !pf_dimension_equal(dim.of, args[i].dim.of)) {
        return pf_check_refuse(ck, PF_ERR_UNIT, node, "%s compares %s with %s", node->text, pf_dim_text(ck, dim),
                               pf_dim_text(ck, args[i].dim));
      }
    return true;
  }
  if (!args[0].dim.known || pf_dimension_is_none(args[0].dim.of)) return true;
  return pf_check_refuse(ck, PF_ERR_UNIT, node, "%s needs an angle or a pure number, not %s", node->text,
                         pf_dim_text(ck, args[0].dim));
}

/* The value of one argument of an elementary function, which must be a number. No value after an error. */
static Value argument_of(Checker *ck, Scope *scope, const PfNode *call, const PfNode *node)
{
  Value value = pf_value_of(ck, scope, node);
  if (value.kind == V_NONE || value.kind == V_SCALAR) return value;
  return pf_check_fail(ck, PF_ERR_MODEL, node, "an argument of %s must be a number, this is %s", call->text,
                       pf_kind_text(value.kind));
}

/* A sine is a pure number; but in a model without units it may well be an energy, and of w*t it is a pure number,
 * presumably. */
static Dim dimension_of_result(PfContext *ctx, PfOp op, const Value *args, int count)
{
  bool keeps = keeps_dimension(op), known = true, loose = true, presumed = true;
  bool arc = op == PF_OP_ASIN || op == PF_OP_ACOS || op == PF_OP_ATAN || op == PF_OP_ATAN2;
  double value;
  Dim dim = keeps ? args[0].dim : pf_dim_none();
  dim.bare = true;
  for (int i = 0; i < count; i++) {
    known = known && args[i].dim.known;
    loose = loose && pf_dim_is_loose(args[i].dim);
    presumed = presumed && (args[i].dim.known || args[i].dim.presumed);
    if (keeps && dim.bare) dim.of = args[i].dim.of;
    dim.bare = dim.bare && args[i].dim.bare;
  }
  if (!known) {
    dim = (Dim){.timed = loose, .presumed = presumed};
    if (keeps && presumed) dim.of = args[0].dim.bare ? args[count - 1].dim.of : args[0].dim.of;
    return dim;
  }
  /* An angle in radians of something that changes: acos(b.z.z) [deg] converts. Of numbers alone it is a number, to
   * which a unit may be given. */
  for (int i = 0; i < count && arc; i++)
    if (!pf_expr_is_number(ctx, args[i].scalar, &value)) dim.bare = false;
  return dim;
}

/* sin, sqrt, max …: arguments are numbers, angles or of one dimension, as the function needs. */
static Value call_elementary(Checker *ck, Scope *scope, const PfNode *node, PfOp op)
{
  int arity = pf_function_arity(op), count = pf_child_count(node);
  bool many = op == PF_OP_MIN || op == PF_OP_MAX;
  if (!expect_arguments(ck, node, arity, many ? MOST_ARGUMENTS : arity)) return pf_no_value();
  Value args[MOST_ARGUMENTS] = {{.kind = V_NONE}};
  int i = 0;
  for (const PfNode *child = node->child; child; child = child->next, i++) {
    args[i] = argument_of(ck, scope, node, child);
    if (args[i].kind == V_NONE) return pf_no_value();
  }
  if (!fits_function(ck, node, op, args, count)) return pf_no_value();
  PfExpr e = arity == 1 ? pf_expr_call1(ck->ctx, op, args[0].scalar) : args[0].scalar;
  for (i = 1; i < count; i++) e = pf_expr_call2(ck->ctx, op, e, args[i].scalar);
  return pf_scalar_value(e, dimension_of_result(ck->ctx, op, args, count));
}

/* sqrt(x): the powers of the dimension are halved. Where a half is not possible in twelfths, the dimension is not
 * known. */
static Value call_sqrt(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 1, 1)) return pf_no_value();
  Value a = argument_of(ck, scope, node, node->child);
  if (a.kind == V_NONE) return a;
  if ((a.dim.known || a.dim.presumed) && !pf_dimension_power(a.dim.of, 1, 2, &a.dim.of)) a.dim = pf_dim_unknown();
  return pf_scalar_value(pf_expr_sqrt(ck->ctx, a.scalar), a.dim);
}

/* if(condition, a, b): both values have one kind and one dimension. A zero fits the dimension of the other choice. The
 * result is the expression if(c, a, b), which evaluates to one of the two. */
static Value call_if(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 3, 3)) return pf_no_value();
  Value condition = pf_value_of(ck, scope, node->child);
  Value yes = pf_scalar_of(ck, scope, node->child->next, "a choice of 'if'");
  Value no = pf_scalar_of(ck, scope, node->child->next->next, "a choice of 'if'");
  if (condition.kind == V_NONE || yes.kind == V_NONE || no.kind == V_NONE) return pf_no_value();
  if (condition.kind != V_CONDITION)
    return pf_check_fail(ck, PF_ERR_MODEL, node->child, "'if' needs a condition such as x < 0, this is %s",
                         pf_kind_text(condition.kind));
  bool yes_zero = pf_expr_is_int(ck->ctx, yes.scalar, 0), no_zero = pf_expr_is_int(ck->ctx, no.scalar, 0);
  bool compared = !yes_zero && !no_zero && !yes.dim.bare;
  if (compared && !pf_dim_expect(ck, node->child->next->next, no.dim, yes.dim, "both choices of 'if'"))
    return pf_no_value();
  Dim dim = yes_zero || yes.dim.bare ? no.dim : yes.dim;
  if (dim.timed) dim = pf_dim_unknown_of(yes.dim, no.dim);
  return pf_scalar_value(pf_expr_if(ck->ctx, condition.scalar, yes.scalar, no.scalar), dim);
}

/* ---------------------------------------------------------------- vectors and motion */

/* dot(a, b) and cross(a, b) */
static Value call_vector_product(Checker *ck, Scope *scope, const PfNode *node)
{
  bool dot = !strcmp(node->text, "dot");
  const char *what = dot ? "an argument of dot" : "an argument of cross";
  if (!expect_arguments(ck, node, 2, 2)) return pf_no_value();
  Value a = pf_vector_of(ck, scope, node->child, what);
  Value b = pf_vector_of(ck, scope, node->child->next, what);
  if (a.kind == V_NONE || b.kind == V_NONE) return pf_no_value();
  Dim dim = pf_dim_multiply(a.dim, b.dim);
  if (dot) return pf_scalar_value(pf_vector_dot(ck->model, a.vector, b.vector), dim);
  return pf_vector_value(pf_vector_cross(ck->model, a.vector, b.vector), dim);
}

/* norm(v) = sqrt(v·v), in the unit of v. */
static Value call_norm(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 1, 1)) return pf_no_value();
  Value a = pf_vector_of(ck, scope, node->child, "the argument of norm");
  if (a.kind == V_NONE) return a;
  return pf_scalar_value(pf_expr_sqrt(ck->ctx, pf_vector_dot(ck->model, a.vector, a.vector)), a.dim);
}

static PfVector difference(Checker *ck, PfVector a, PfVector b)
{
  return pf_vector_add(ck->model, a, pf_vector_scale(ck->model, b, pf_expr_int(ck->ctx, -1)));
}

/* Of a point, or of where a contact touches. */
static Value position_of(Checker *ck, Scope *scope, const PfNode *node)
{
  int contact = pf_contact_of(ck, scope, node);
  if (contact >= 0) return pf_vector_value(ck->contacts.at[contact].point, ck->contact_dims.at[contact]);
  Value p = pf_point_of(ck, scope, node, "the argument of pos");
  return p.kind == V_NONE ? p : pf_vector_value(pf_value_position(ck, p), pf_dim_position(ck, p));
}

/* pos(p), or pos(p, q): from q to p. */
static Value call_pos(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 1, 2)) return pf_no_value();
  Value position = position_of(ck, scope, node->child);
  if (position.kind == V_NONE || !node->child->next) return position;
  Value from = position_of(ck, scope, node->child->next);
  if (from.kind == V_NONE) return from;
  return pf_vector_value(difference(ck, position.vector, from.vector), pf_dim_either(position.dim, from.dim));
}

/* vel(p), or vel(p, f): relative to what is fixed in the frame f. In the inertial frame without f. With f the velocity
 * of the point of f that coincides with p is subtracted: v_p - v_f - omega_f x (p - f), where v_f belongs to the origin
 * of f. */
static Value call_vel(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 1, 2)) return pf_no_value();
  Value p = pf_point_of(ck, scope, node->child, "the argument of vel");
  if (p.kind == V_NONE) return p;
  PfVector velocity = pf_value_velocity(ck, p);
  Dim dim = pf_dim_position(ck, p);
  if (node->child->next) {
    Value f = pf_frame_of(ck, scope, node->child->next, "the second argument of vel");
    if (f.kind == V_NONE) return f;
    PfVector arm = difference(ck, pf_value_position(ck, p), pf_frame_position(ck->model, f.frame));
    PfVector carried = pf_vector_add(ck->model, pf_frame_velocity(ck->model, f.frame),
                                     pf_vector_cross(ck->model, pf_frame_spin(ck->model, f.frame), arm));
    velocity = difference(ck, velocity, carried);
    dim = pf_dim_either(dim, pf_dim_position(ck, f));
  }
  return pf_vector_value(velocity, pf_dim_rate(dim));
}

/* omega(f), or omega(f, g): relative to g. */
static Value call_omega(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 1, 2)) return pf_no_value();
  Value f = pf_frame_of(ck, scope, node->child, "the argument of omega");
  if (f.kind == V_NONE) return f;
  PfVector spin = pf_frame_spin(ck->model, f.frame);
  Dim dim = pf_dim_spin(ck, f.frame);
  if (node->child->next) {
    Value g = pf_frame_of(ck, scope, node->child->next, "the second argument of omega");
    if (g.kind == V_NONE) return g;
    spin = difference(ck, spin, pf_frame_spin(ck->model, g.frame));
    dim = pf_dim_either(dim, pf_dim_spin(ck, g.frame));
  }
  return pf_vector_value(spin, dim);
}

/* distance(p, q) = |p - q| of two points, as the root of the scalar product. The dimension is a length if the placement
 * of either point has units. */
static Value call_distance(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 2, 2)) return pf_no_value();
  Value p = pf_point_of(ck, scope, node->child, "an argument of distance");
  Value q = pf_point_of(ck, scope, node->child->next, "an argument of distance");
  if (p.kind == V_NONE || q.kind == V_NONE) return pf_no_value();
  PfVector r = difference(ck, pf_value_position(ck, p), pf_value_position(ck, q));
  Dim dim = pf_dim_either(pf_dim_position(ck, p), pf_dim_position(ck, q));
  return pf_scalar_value(pf_expr_sqrt(ck->ctx, pf_vector_dot(ck->model, r, r)), dim);
}

/* point(frame, (a, b, c)) */
static Value call_point(Checker *ck, Scope *scope, const PfNode *node)
{
  if (!expect_arguments(ck, node, 2, 2)) return pf_no_value();
  Value f = pf_frame_of(ck, scope, node->child, "the first argument of point");
  Value at = pf_vector_of(ck, scope, node->child->next, "the second argument of point");
  if (f.kind == V_NONE || at.kind == V_NONE) return pf_no_value();
  if (!pf_dim_expect(ck, node->child->next, at.dim, pf_dim_make(0, 1, 0), "a position")) return pf_no_value();
  Value point = {.kind = V_POINT, .frame = f.frame, .dim = at.dim};
  if (at.plain) memcpy(point.c, at.c, 3*sizeof *at.c);
  else pf_vector_express(ck->model, at.vector, f.frame, point.c);
  return point;
}

/* ---------------------------------------------------------------- matrices */

/* diag(a, b, c), or inertia(xx, yy, zz, xy, yz, xz) with the products of inertia as they stand in the matrix. The
 * symmetric 3 x 3 matrix of moments and products of inertia, row by row in c[0..8]. All entries have one dimension;
 * zeros fit any. */
static Value call_matrix(Checker *ck, Scope *scope, const PfNode *node)
{
  static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  bool full = !strcmp(node->text, "inertia");
  if (!expect_arguments(ck, node, full ? 6 : 3, full ? 6 : 3)) return pf_no_value();
  Value matrix = {.kind = V_MATRIX};
  for (int k = 0; k < 9; k++) matrix.c[k] = pf_expr_int(ck->ctx, 0);
  int i = 0;
  for (const PfNode *child = node->child; child; child = child->next, i++) {
    Value entry = pf_scalar_of(ck, scope, child, "an entry of a matrix");
    if (entry.kind == V_NONE) return entry;
    matrix.c[3*place[i][0] + place[i][1]] = matrix.c[3*place[i][1] + place[i][0]] = entry.scalar;
    if (!pf_expr_is_int(ck->ctx, entry.scalar, 0) && !entry.dim.bare) {
      if (!pf_dim_expect(ck, child, entry.dim, matrix.dim, "this entry of the matrix")) return pf_no_value();
      if (!matrix.dim.known) matrix.dim = entry.dim;
    }
  }
  return matrix;
}

/* ---------------------------------------------------------------- functions of the model */

/* A function defined by 'let': its body with the arguments bound in a scope of their own. Each call reads the body of
 * the function again: its cost grows with the number of calls in the text. A function that calls itself is refused. The
 * scope and all it holds are released afterwards. */
static Value call_function(Checker *ck, Scope *scope, const PfNode *node, Entity *function)
{
  const PfNode *names = pf_child_of_kind(function->node, PF_N_PARAMETERS);
  int wanted = pf_child_count(names);
  if (!expect_arguments(ck, node, wanted, wanted)) return pf_no_value();
  if (function->state == BEING_RESOLVED)
    return pf_check_fail(ck, PF_ERR_NAME, node, "the function '%s' calls itself", function->name);
  Visit visit = pf_scope_enter(ck, function->scope);
  bool good = visit.scope != NULL;
  const PfNode *name = names->child;
  for (const PfNode *child = node->child; child && good; child = child->next, name = name->next) {
    Value value = pf_value_of(ck, scope, child);
    good = value.kind != V_NONE && pf_scope_bind(ck, visit.scope, name, name->text, value);
  }
  function->state = BEING_RESOLVED;
  Value result = good ? pf_value_of(ck, visit.scope, function->value) : pf_no_value();
  function->state = RESOLVED;
  pf_scope_leave(ck, &visit);
  return result;
}

typedef struct Builtin {
  const char *name;
  Value (*call)(Checker *ck, Scope *scope, const PfNode *node);
} Builtin;

static const Builtin builtins[] = {
  {"sqrt", call_sqrt},   {"if", call_if},     {"dot", call_vector_product}, {"cross", call_vector_product},
  {"norm", call_norm},   {"pos", call_pos},   {"vel", call_vel},   {"omega", call_omega},
  {"point", call_point}, {"diag", call_matrix}, {"inertia", call_matrix}, {"distance", call_distance},
  {"reaction", pf_value_of_reaction}, {"wrench", pf_value_of_wrench},
};

/* Is it the name of a function of the language? */
bool pf_is_builtin(const char *name)
{
  for (size_t i = 0; i < sizeof builtins/sizeof *builtins; i++)
    if (!strcmp(builtins[i].name, name)) return true;
  return elementary(name) != PF_OP_NONE || !strcmp(name, "sum") || !strcmp(name, "list");
}

/* The value of name(arguments): a function of the language, or one that the model defines by 'let'. A name that is none
 * of them is reported with the most similar function or, when it is a variable, the advice that a product is written
 * with *. */
Value pf_value_of_call(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *entity = pf_scope_find(scope, node->text);
  if (entity && entity->kind == E_FUNCTION) return call_function(ck, scope, node, entity);
  PfOp op = elementary(node->text);
  if (op != PF_OP_NONE) return call_elementary(ck, scope, node, op);
  for (size_t i = 0; i < sizeof builtins/sizeof *builtins; i++)
    if (!strcmp(builtins[i].name, node->text)) return builtins[i].call(ck, scope, node);
  /* Reports an unknown function, with the most similar name, or a hint that a product needs a '*'. */
  int best = pf_allowed_edits(node->text) + 1;
  const char *similar = NULL;
  for (op = PF_OP_SIN; op <= PF_OP_MAX; op++)
    if (pf_is_nearer(node->text, pf_function_name(op), &best)) similar = pf_function_name(op);
  for (size_t i = 0; i < sizeof builtins/sizeof *builtins; i++)
    if (pf_is_nearer(node->text, builtins[i].name, &best)) similar = builtins[i].name;
  if (!strcmp(node->text, "sgn") || !strcmp(node->text, "signum")) similar = "sign";
  if (entity) {
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is not a function", node->text);
    pf_check_hint(ck, "to multiply write %s*(…)", node->text);
  } else if (similar) {
    pf_check_fail(ck, PF_ERR_NAME, node, "there is no function '%s' (did you mean '%s'?)", node->text, similar);
  } else {
    pf_check_fail(ck, PF_ERR_NAME, node, "there is no function '%s'", node->text);
    pf_check_hint(ck, "define it with 'let %s(x) = …', or write * to multiply", node->text);
  }
  return pf_no_value();
}
