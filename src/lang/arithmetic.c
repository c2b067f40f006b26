/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, products and powers, vectors and conditions made of values: kinds and dimensions must fit.
 *
 * Every function takes the checker, the node and either values that were computed already or the scope in which the
 * operands are read, and returns the value of the node. After an error, which is reported at the node, the value has
 * the kind V_NONE; operands of that kind are passed on silently, so that one mistake gives one message. Numbers are
 * exact: sums and products are expressions of the context, which simplify themselves. */
#include "lang/check_impl.h"

#include <string.h>

/* Zero fits every dimension and is the neutral term of a sum: only the number 0 itself counts, no zero test is made. */
static bool is_zero(Checker *ck, Value value)
{
  return value.kind == V_SCALAR && pf_expr_is_int(ck->ctx, value.scalar, 0);
}

/* The dimension of a sum so far with one more term; reports a mismatch. Zero fits everything; a bare vector such as
 * (0.1, 0, 0) fits everything too. When one of two scalar dimensions is not known, the sum has the known one unless
 * that is bare. verb: the word of the message, "add" or "compare". Updates *sum; first: there is no sum yet. */
static bool join_dims(Checker *ck, const PfNode *node, Dim *sum, Value term, bool first, const char *verb)
{
  if (is_zero(ck, term)) return true;
  bool plain = term.kind == V_VECTOR && (sum->bare || term.dim.bare); /* (0.1, 0, 0) fits everywhere, and is in SI */
  if (first || plain) {
    if (first || sum->bare) *sum = term.dim;
    return true;
  }
  if (!sum->known || !term.dim.known) { /* a number beside a name without a unit says nothing about the unit */
    Dim other = sum->known ? *sum : term.dim;
    *sum = other.known && !other.bare ? other : pf_dim_unknown_of(*sum, term.dim);
    return true;
  }
  if (pf_dimension_equal(sum->of, term.dim.of)) {
    sum->bare = sum->bare && term.dim.bare;
    return true;
  }
  pf_check_fail(ck, PF_ERR_UNIT, node, "cannot %s %s and %s", verb, pf_dim_text(ck, *sum),
                pf_dim_text(ck, term.dim));
  pf_dim_hint_at_fraction(ck, node->kind == PF_N_TERM ? node->child : node);
  if (term.dim.bare)
    pf_check_hint(ck, "give the number its unit, as in 0.5 [%s]", pf_dim_text(ck, *sum));
  return false;
}

/* A sum so far; the first term decides its kind. */
typedef struct Adding {
  ValueKind kind;
  Dim dim;
  PfExpr *scalars;
  int count;
  PfVector vector;
  PfExpr matrix[9];
} Adding;

/* Adds one term; false after an error. The sign comes from the flag of the term's node (1: subtracted). Scalars are
 * collected in the list of the sum, vectors are added at once; other kinds, and terms of different kinds, are
 * refused. */
static bool add_term(Checker *ck, Adding *sum, const PfNode *node, Value term)
{
  PfContext *ctx = ck->ctx;
  bool first = sum->kind == V_NONE;
  if (!first && sum->kind != term.kind)
    return pf_check_refuse(ck, PF_ERR_MODEL, node, "cannot add %s and %s", pf_kind_text(sum->kind),
                           pf_kind_text(term.kind));
  if (!join_dims(ck, node, &sum->dim, term, first, "add")) return false;
  sum->kind = term.kind;
  PfExpr sign = pf_expr_int(ctx, node->flag ? -1 : 1);
  if (term.kind == V_SCALAR) {
    sum->scalars[sum->count++] = node->flag ? pf_expr_neg(ctx, term.scalar) : term.scalar;
  } else if (term.kind == V_VECTOR) {
    sum->vector = pf_vector_add(ck->model, sum->vector, pf_vector_scale(ck->model, term.vector, sign));
  } else if (term.kind == V_MATRIX) {
    for (int k = 0; k < 9; k++) {
      PfExpr entry = pf_expr_mul(ctx, sign, term.c[k]);
      sum->matrix[k] = first ? entry : pf_expr_add(ctx, sum->matrix[k], entry);
    }
  } else {
    return pf_check_refuse(ck, PF_ERR_MODEL, node, "%s cannot be added", pf_kind_text(term.kind));
  }
  return true;
}

/* Nothing added up is the number 0. */
static Value total(Checker *ck, const Adding *sum)
{
  if (sum->kind == V_NONE) return pf_scalar_value(pf_expr_int(ck->ctx, 0), pf_dim_bare());
  if (sum->kind == V_SCALAR) return pf_scalar_value(pf_expr_sum(ck->ctx, sum->scalars, sum->count), sum->dim);
  if (sum->kind == V_VECTOR) return pf_vector_value(sum->vector, sum->dim);
  Value matrix = {.kind = V_MATRIX, .dim = sum->dim};
  memcpy(matrix.c, sum->matrix, sizeof sum->matrix);
  return matrix;
}

/* The value of a SUM node: terms of one kind and one dimension, each with its sign. After an error the other terms are
 * checked too, so that all errors are reported at once. */
Value pf_value_of_sum(Checker *ck, Scope *scope, const PfNode *node)
{
  PfMark mark = pf_arena_mark(ck->arena);
  Adding sum = {.scalars = pf_arena_array(ck->arena, PfExpr, pf_child_count(node))};
  bool good = sum.scalars || pf_check_no_memory(ck);
  for (const PfNode *child = node->child; child && sum.scalars; child = child->next) {
    Value term = pf_value_of(ck, scope, child->child);
    good = term.kind != V_NONE && good;
    good = good && add_term(ck, &sum, child, term);
  }
  Value result = good ? total(ck, &sum) : pf_no_value();
  pf_arena_release(ck->arena, mark);
  return result;
}

/* The product of two values, of which at least one is a number; dimensions are multiplied. One of them must be a
 * scalar, the other may be a number or a vector: it is scaled. A vector times a vector, and products with frames,
 * points or matrices, are refused. */
static Value multiply(Checker *ck, const PfNode *node, Value a, Value b)
{
  PfContext *ctx = ck->ctx;
  if (a.kind != V_SCALAR && b.kind == V_SCALAR) {
    Value swap = a;
    a = b;
    b = swap;
  }
  Dim dim = pf_dim_multiply(a.dim, b.dim);
  if (a.kind != V_SCALAR) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "%s and %s cannot be multiplied", pf_kind_text(a.kind),
                  pf_kind_text(b.kind));
    if (a.kind == V_VECTOR && b.kind == V_VECTOR) pf_check_hint(ck, "write dot(a, b) or cross(a, b)");
    return pf_no_value();
  }
  if (b.kind == V_SCALAR) return pf_scalar_value(pf_expr_mul(ctx, a.scalar, b.scalar), dim);
  if (b.kind == V_VECTOR) return pf_vector_value(pf_vector_scale(ck->model, b.vector, a.scalar), dim);
  if (b.kind != V_MATRIX)
    return pf_check_fail(ck, PF_ERR_MODEL, node, "%s cannot be multiplied", pf_kind_text(b.kind));
  for (int k = 0; k < 9; k++) b.c[k] = pf_expr_mul(ctx, a.scalar, b.c[k]);
  b.dim = dim;
  return b;
}

/* a/b, as a times b^-1. b must be a number other than zero; a may be a vector. The dimension is that of a over that of
 * b. */
static Value divide(Checker *ck, const PfNode *node, Value a, Value b)
{
  if (b.kind != V_SCALAR) return pf_check_fail(ck, PF_ERR_MODEL, node, "cannot divide by %s", pf_kind_text(b.kind));
  if (is_zero(ck, b)) return pf_check_fail(ck, PF_ERR_NUMBER, node, "division by zero");
  b.scalar = pf_expr_pow_int(ck->ctx, b.scalar, -1);
  b.dim = pf_dim_divide(pf_dim_bare(), b.dim);
  return multiply(ck, node, a, b);
}

/* The value of a PRODUCT node: factors and divisors from left to right. Scalars are gathered and multiplied at once: a
 * product of a million factors stays linear. After an error the other factors are checked too. */
Value pf_value_of_product(Checker *ck, Scope *scope, const PfNode *node)
{
  PfMark mark = pf_arena_mark(ck->arena);
  PfExpr *scalars = pf_arena_array(ck->arena, PfExpr, pf_child_count(node) + 1);
  int count = 0;
  bool good = scalars || pf_check_no_memory(ck);
  Dim dim = pf_dim_bare();
  Value one = pf_scalar_value(pf_expr_int(ck->ctx, 1), pf_dim_bare()), other = pf_no_value(), result = pf_no_value();
  for (const PfNode *child = node->child; child && scalars; child = child->next) {
    Value factor = pf_value_of(ck, scope, child->child);
    if (child->flag && factor.kind != V_NONE) factor = divide(ck, child, one, factor);
    good = factor.kind != V_NONE && good;
    if (!good) continue;
    if (factor.kind == V_SCALAR) {
      scalars[count++] = factor.scalar;
      dim = pf_dim_multiply(dim, factor.dim);
    } else {
      other = other.kind == V_NONE ? factor : multiply(ck, child, other, factor);
      good = other.kind != V_NONE;
    }
  }
  if (good) result = pf_scalar_value(pf_expr_product(ck->ctx, scalars, count), dim);
  if (good && other.kind != V_NONE) result = multiply(ck, node, result, other);
  pf_arena_release(ck->arena, mark);
  return result;
}

/* The value of base^exponent: numbers only, the dimension is raised to the power. An exponent has no dimension. If the
 * base has one, the exponent must be a rational number, since powers of units are fractions; 0 to a negative power is
 * an error. Returns no value after an error. */
Value pf_value_of_power(Checker *ck, Scope *scope, const PfNode *node)
{
  Value base = pf_scalar_of(ck, scope, node->child, "the base of a power");
  Value exponent = pf_scalar_of(ck, scope, node->child->next, "an exponent");
  if (base.kind == V_NONE || exponent.kind == V_NONE) return pf_no_value();
  if (!pf_dim_expect(ck, node->child->next, exponent.dim, pf_dim_none(), "an exponent")) return pf_no_value();
  int64_t num, den;
  Dim dim = base.dim;
  bool rational = pf_expr_is_rational(ck->ctx, exponent.scalar, &num, &den);
  if (is_zero(ck, base) && rational && num < 0) return pf_check_fail(ck, PF_ERR_NUMBER, node, "division by zero");
  if ((dim.known || dim.presumed) && rational) {
    if (!pf_dimension_power(dim.of, num, den, &dim.of)) dim = pf_dim_unknown();
  } else if (dim.known && !pf_dimension_is_none(dim.of)) {
    return pf_check_fail(ck, PF_ERR_UNIT, node, "%s cannot be raised to a power that is not a number",
                         pf_dim_text(ck, dim));
  } else if (!dim.known) {
    dim.presumed = false;
  }
  return pf_scalar_value(pf_expr_pow(ck->ctx, base.scalar, exponent.scalar), dim);
}

/* The value of -x, of a number, a vector or a matrix. */
Value pf_value_of_negation(Checker *ck, Scope *scope, const PfNode *node)
{
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  Value minus = pf_scalar_value(pf_expr_int(ck->ctx, -1), pf_dim_bare());
  return multiply(ck, node, minus, value);
}

/* sum(i in first..last, term), with the loop variable bound to one number after the other. */
static Value add_up(Checker *ck, Scope *scope, const PfNode *node, int64_t first, int64_t last)
{
  size_t count = last < first ? 0 : (size_t)(last - first + 1);
  PfNode term_node = *node->child->next; /* its flag has another meaning */
  term_node.flag = 0;
  Adding sum = {.scalars = pf_arena_array(ck->arena, PfExpr, count)};
  Entity *variable = pf_scope_bind(ck, scope, node, node->text, pf_no_value());
  if (!sum.scalars) pf_check_no_memory(ck);
  if (!variable || !sum.scalars) return pf_no_value();
  for (int64_t i = first; i <= last; i++) {
    variable->result = pf_scalar_value(pf_expr_int(ck->ctx, i), pf_dim_bare());
    Value term = pf_value_of(ck, scope, node->child->next);
    if (term.kind == V_NONE || !add_term(ck, &sum, &term_node, term)) return pf_no_value();
  }
  return total(ck, &sum);
}

/* sum(i in 1..3, expr) */
Value pf_value_of_sum_over(Checker *ck, Scope *scope, const PfNode *node)
{
  enum { MOST = 100000 };
  const PfNode *range = node->child;
  int64_t first, last;
  if (!pf_integer_of(ck, scope, range->child, "the first number of a range", -MOST, MOST, &first) ||
      !pf_integer_of(ck, scope, range->child->next, "the last number of a range", -MOST, MOST, &last))
    return pf_no_value();
  Visit visit = pf_scope_enter(ck, scope);
  Value sum = visit.scope ? add_up(ck, visit.scope, node, first, last) : pf_no_value();
  pf_scope_leave(ck, &visit);
  return sum;
}

/* ---------------------------------------------------------------- vectors and conditions */

/* The value of (a, b, c): a vector in the axes of the ground. It is marked as plain: where a vector in other axes is
 * expected, as by 'at', its numbers are taken as they are. */
Value pf_value_of_vector(Checker *ck, Scope *scope, const PfNode *node)
{
  Value result = {.kind = V_VECTOR, .plain = true};
  int i = 0;
  if (node->child->next->next->next) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "a vector has three components, this one has 4");
    pf_check_hint(ck, "only the start of a quaternion has four: start hub.q = (1, 0, 0, 0)");
    return pf_no_value();
  }
  bool first = true; /* bare numbers beside others are in SI, as in (0.2, 0, R) */
  result.dim = pf_dim_bare();
  for (const PfNode *child = node->child; child && i < 3; child = child->next, i++) {
    Value c = pf_scalar_of(ck, scope, child, "a component of a vector");
    if (c.kind == V_NONE) return c;
    if (!c.dim.bare && !join_dims(ck, child, &result.dim, c, first, "put into one vector")) return pf_no_value();
    first = first && (c.dim.bare || is_zero(ck, c)); /* rho*cos(pi/2) says nothing */
    result.c[i] = c.scalar;
  }
  result.vector = pf_vector_make(ck->model, 0, result.c);
  return result;
}

/* The value of a < b, a <= b, a == b and the like: 1 or 0, of numbers with one dimension. */
Value pf_value_of_compare(Checker *ck, Scope *scope, const PfNode *node)
{
  Value left = pf_scalar_of(ck, scope, node->child, "the left side of a comparison");
  Value right = pf_scalar_of(ck, scope, node->child->next, "the right side of a comparison");
  if (left.kind == V_NONE || right.kind == V_NONE) return pf_no_value();
  Dim dim = left.dim;
  if (!is_zero(ck, left) && !join_dims(ck, node, &dim, right, false, "compare")) return pf_no_value();
  bool swap = node->text[0] == '>';
  PfOp op = !strcmp(node->text, "==") ? PF_OP_EQUAL : node->text[1] == '=' ? PF_OP_LESS_EQUAL : PF_OP_LESS;
  PfExpr e = pf_expr_call2(ck->ctx, op, swap ? right.scalar : left.scalar, swap ? left.scalar : right.scalar);
  return (Value){.kind = V_CONDITION, .scalar = e};
}

/* The value of and, or, not: 1 or 0. */
Value pf_value_of_logic(Checker *ck, Scope *scope, const PfNode *node)
{
  PfExpr args[2] = {PF_EXPR_NONE};
  int i = 0;
  for (const PfNode *child = node->child; child && i < 2; child = child->next, i++) {
    Value value = pf_value_of(ck, scope, child);
    if (value.kind == V_NONE) return value;
    if (value.kind != V_CONDITION)
      return pf_check_fail(ck, PF_ERR_MODEL, child, "a condition is expected here, this is %s",
                           pf_kind_text(value.kind));
    args[i] = value.scalar;
  }
  PfOp op = node->kind == PF_N_AND ? PF_OP_AND : node->kind == PF_N_OR ? PF_OP_OR : PF_OP_NOT;
  return (Value){.kind = V_CONDITION, .scalar = pf_expr_call(ck->ctx, op, args)};
}
