/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints: their kind follows from their contents.
 *
 * A residual with accelerations must be linear in them; one with velocities is nonholonomic if it is linear in them,
 * nonlinear otherwise; one with coordinates only is holonomic. The time or an input in it makes it rheonomic. A
 * residual that is identically zero is left out with a warning, one that contains no motion is an error. A constraint
 * between vectors gives three rows x, y, z, each with a multiplier of its own. */
#include "lang/check_impl.h"

#include <string.h>

/* Is e the same at other values of the symbols? Derivatives do not decide that: that of max(x', 2) jumps, and the
 * derivative of a jump is zero wherever there is one. At half of all points sqrt(x'^2) equals x'. */
static bool is_independent(Checker *ck, PfExpr e, const PfExpr *symbols, const PfExpr *others, int n)
{
  enum { POINTS = 20 };
  PfExpr there;
  if (!pf_expr_depends(ck->ctx, e, symbols, n)) return true;
  if (pf_expr_substitute(ck->ctx, &e, 1, symbols, others, n, &there) != PF_OK) return pf_check_no_memory(ck);
  return pf_expr_is_probably_zero(ck->ctx, pf_expr_sub(ck->ctx, e, there), POINTS) == PF_TRUE;
}

/* Structurally first, then by the zero test: (x' + y')^2 - x'^2 is not, x'*cos(a)^2 + x'*sin(a)^2 is. homogeneous
 * receives whether the terms without these symbols vanish. False also when that cannot be decided or without memory.
 * The cost is one gradient with respect to all velocities (or accelerations) and the zero tests of its differences. */
bool pf_is_linear(Checker *ck, PfExpr residual, unsigned in, bool *homogeneous)
{
  PfContext *ctx = ck->ctx;
  int n = (int)ck->coordinates.count;
  PfExpr *symbols = pf_arena_array(ck->arena, PfExpr, n), *others = pf_arena_array(ck->arena, PfExpr, n);
  PfExpr *gradient = pf_arena_array(ck->arena, PfExpr, n);
  if (!symbols || !others || !gradient) return pf_check_no_memory(ck);
  for (int i = 0; i < n; i++) {
    symbols[i] = in == HAS_ACCELERATION ? ck->coordinates.at[i].a : ck->coordinates.at[i].v;
    others[i] = pf_expr_symbol(ctx, pf_print_text(ck, "other %d", i));
  }
  if (pf_expr_gradient(ctx, residual, symbols, n, gradient) != PF_OK) return false;
  PfExpr rest = residual;
  for (int i = 0; i < n; i++) {
    if (!is_independent(ck, gradient[i], symbols, others, n)) return false;
    rest = pf_expr_sub(ctx, rest, pf_expr_mul(ctx, gradient[i], symbols[i]));
  }
  *homogeneous = pf_expr_is_probably_zero(ctx, rest, 2) == PF_TRUE;
  return *homogeneous || is_independent(ck, rest, symbols, others, n);
}

/* Sets kind and rheonomic of the constraint by the symbols in its residual. False when it is left out: because it is
 * wrong, which is reported, or because it always holds, which is a warning. */
static bool find_kind(Checker *ck, const PfNode *node, PfConstraint *c)
{
  unsigned contents = pf_contents(ck, c->residual);
  bool homogeneous = false;
  if (!pf_check_no_equality(ck, node, contents, "a constraint")) return false;
  c->rheonomic = (contents & (HAS_TIME | HAS_INPUT)) != 0;
  if (contents & (HAS_SPEED | HAS_MULTIPLIER))
    return pf_check_refuse(ck, PF_ERR_MODEL, node,
                           "a constraint is written with coordinates and their derivatives, not with %s",
                           contents & HAS_SPEED ? "speeds" : "multipliers");
  if (pf_expr_is_probably_zero(ck->ctx, c->residual, 2) == PF_TRUE) {
    pf_warn_at(ck->ctx, c->place, "the constraint '%s' always holds: it is left out", c->name);
    return false;
  }
  if (!(contents & (HAS_COORDINATE | HAS_VELOCITY | HAS_ACCELERATION)))
    return pf_check_refuse(ck, PF_ERR_MODEL, node, "the constraint '%s' contains no coordinate and no velocity",
                           c->name);
  if (contents & HAS_ACCELERATION) {
    c->kind = PF_ACCELERATION;
    if (pf_is_linear(ck, c->residual, HAS_ACCELERATION, &homogeneous)) return true;
    if (!ck->out_of_memory)
      pf_check_fail(ck, PF_ERR_MODEL, node, "the constraint '%s' must be linear in the accelerations", c->name);
    return false;
  }
  if (!(contents & HAS_VELOCITY)) c->kind = PF_HOLONOMIC;
  else if (!pf_is_linear(ck, c->residual, HAS_VELOCITY, &homogeneous)) c->kind = PF_NONLINEAR;
  else c->kind = homogeneous ? PF_PFAFFIAN : PF_AFFINE;
  return !ck->out_of_memory;
}

/* Adds a row residual = 0, whose kind (holonomic, affine, nonlinear) is found from its contents, with a multiplier of
 * its own. */
void pf_add_constraint(Checker *ck, const PfNode *node, const char *name, PfExpr residual, Dim dim)
{
  PfConstraint c = {.name = name, .residual = residual, .place = pf_model_place(ck, node)};
  if (residual == PF_EXPR_NONE) return;
  c.multiplier = pf_expr_symbol(ck->ctx, pf_print_text(ck, "lambda[%s]", name));
  pf_set_contents(ck, c.multiplier, HAS_MULTIPLIER);
  if (!find_kind(ck, node, &c)) return;
  /* lambda times the variation of the residual, or of the residual without its dots, is work. */
  int dots = c.kind == PF_HOLONOMIC ? 0 : c.kind == PF_ACCELERATION ? 2 : 1;
  Dim force = dim.bare ? pf_dim_unknown() : pf_dim_force(pf_dim_multiply(dim, pf_dim_make(0, 0, dots)));
  c.unit = pf_dim_unit(ck, force);
  if (!pf_push(ck->allocator, &ck->multiplier_dims, force) || !pf_push(ck->allocator, &ck->constraints, c))
    pf_check_no_memory(ck);
}

/* The name lives in the arena of the model. Numbers count all rows so far, and skip names that are declared. */
const char *pf_constraint_name(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *label = pf_child_of_kind(node, PF_N_LABEL);
  for (size_t number = ck->constraints.count + 1; !label; number++) {
    const char *name = pf_print_text(ck, "c%zu", number);
    if (ck->out_of_memory || !pf_scope_find(ck->global, name)) return name;
  }
  const char *name = pf_label_name(ck, scope, label);
  Entity *entity = name ? pf_scope_find(scope, name) : NULL;
  return entity && entity->value == node ? entity->name : NULL;
}

/* prescribe: one quantity of the motion as a function of time, in *name drive.theta for theta, theta' and theta''
 * unless the statement has a label. False after an error. */
static bool check_drive(Checker *ck, Scope *scope, const PfNode *statement, const PfNode *left, Value a, Value b,
                        const char **name)
{
  if (a.kind != V_SCALAR || b.kind != V_SCALAR)
    return pf_check_refuse(ck, PF_ERR_MODEL, left, "'prescribe' is for one coordinate, velocity or acceleration");
  if (!(pf_contents(ck, a.scalar) & (HAS_COORDINATE | HAS_VELOCITY | HAS_ACCELERATION)))
    return pf_check_refuse(ck, PF_ERR_MODEL, left,
                           "nothing moves here: a coordinate, velocity or acceleration is prescribed");
  if (pf_contents(ck, b.scalar) & ~(unsigned)(HAS_TIME | HAS_INPUT | HAS_PARAMETER)) {
    pf_check_fail(ck, PF_ERR_MODEL, left->next, "a prescribed motion is a function of time, inputs and parameters");
    pf_check_hint(ck, "any other relation is a constraint: constraint … = …");
    return false;
  }
  if (left->kind == PF_N_PRIME) left = left->child;
  bool named = left->kind == PF_N_NAME || left->kind == PF_N_INDEX || left->kind == PF_N_MEMBER;
  if (!named || pf_child_of_kind(statement, PF_N_LABEL)) return true;
  const Entity *entity = pf_scope_lookup(ck, scope, left);
  if (entity) *name = pf_print_text(ck, "drive.%s", entity->name);
  return true;
}

/* Reads 'constraint a = b' or 'prescribe a = b' and adds its rows a - b. The sides must agree in kind and dimension; a
 * zero on the right fits vectors. Three components that vanish identically are left out, and a vector equation without
 * any row is an error. Rows of 'prescribe' are marked as driven. */
void pf_check_constraint(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *name = pf_constraint_name(ck, scope, node);
  const PfNode *left = node->child->kind == PF_N_LABEL ? node->child->next : node->child, *right = left->next;
  const PfNode *statement = node;
  bool prescribed = !strcmp(node->text, "prescribe");
  size_t before = ck->constraints.count;
  node = node->child; /* the label, or the left side: where errors are shown */
  Value a = pf_value_of(ck, scope, left), b = pf_value_of(ck, scope, right);
  if (!name || a.kind == V_NONE || b.kind == V_NONE) return;
  if (prescribed && !check_drive(ck, scope, statement, left, a, b, &name)) return;
  bool zero = b.kind == V_SCALAR && pf_expr_is_int(ck->ctx, b.scalar, 0);
  if (a.kind == V_VECTOR && (b.kind == V_VECTOR || zero)) {
    const char *what = "the right side of the constraint";
    if (!zero && !a.dim.bare && !pf_dim_expect(ck, right, b.dim, a.dim, what)) return;
    PfVector minus = zero ? pf_vector_zero() : pf_vector_scale(ck->model, b.vector, pf_expr_int(ck->ctx, -1));
    /* A vector equation is three constraints. */
    PfVector difference = pf_vector_add(ck->model, a.vector, minus);
    Dim dim = pf_dim_either(a.dim, b.dim);
    PfExpr c[3];
    bool any = false;
    pf_vector_express(ck->model, difference, 0, c);
    for (int k = 0; k < 3; k++) {
      if (c[k] == PF_EXPR_NONE || pf_expr_is_probably_zero(ck->ctx, c[k], 2) == PF_TRUE) continue;
      pf_add_constraint(ck, node, pf_print_text(ck, "%s.%c", name, 'x' + k), c[k], dim);
      any = true;
    }
    if (!any) pf_warn_at(ck->ctx, pf_model_place(ck, node), "the constraint '%s' always holds: it is left out", name);
    return;
  }
  if (a.kind != V_SCALAR || b.kind != V_SCALAR) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "a constraint equates two numbers or two vectors, not %s and %s",
                  pf_kind_text(a.kind), pf_kind_text(b.kind));
    return;
  }
  bool left_fits = a.dim.bare || pf_expr_is_int(ck->ctx, a.scalar, 0);
  if (!zero && !left_fits && !pf_dim_expect(ck, right, b.dim, a.dim, "the right side of the constraint")) return;
  pf_add_constraint(ck, node, name, pf_expr_sub(ck->ctx, a.scalar, b.scalar), pf_dim_either(a.dim, b.dim));
  if (prescribed && ck->constraints.count > before) ck->constraints.at[before].prescribed = true;
}
