/* SPDX-License-Identifier: Apache-2.0 */
/* Angle sums by sin(x + y) = sin x cos y + cos x sin y where the parts are needed anyway, and the other way round where
 * the sum is a number.
 *
 * sin(theta + phi) in formulas of chains is a function of its own for a processor; written by the sines and cosines of
 * theta and phi, which the formulas need anyway, it costs two products. pf_angles_share does that for all roots at
 * once, before a tape is made of them; pf_angles_join replaces sums of such products whose angle is a number. */
#include "form/angles.h"

#include "base/base.h"

#include <math.h>

/* How an angle is written by others. */
typedef enum AngleKind {
  PLAIN,  /* it is not */
  SHIFTED, /* angle `x` and a number */
  SUM,     /* x + y */
  DIFFERENCE /* x - y */
} AngleKind;

typedef struct Angle {
  PfExpr whole, rest; /* rest: without its number */
  double number;
  bool has_sin, has_cos;
  AngleKind kind;
  int x, y;
} Angle;

typedef struct Angles {
  PfContext *ctx;
  int count;
  Angle *at;
  PfExpr *node, *image; /* of all nodes, in order of creation */
  int node_count;
} Angles;

/* ---------------------------------------------------------------- finding them */

static int find(const Angles *a, PfExpr whole)
{
  for (int i = 0; i < a->count; i++)
    if (a->at[i].whole == whole) return i;
  return -1;
}

/* Takes the number and the multiple of pi out of a sum. angle->number gets the constant part in radians, angle->rest
 * the angle without it. */
static void split(PfContext *ctx, Angle *angle)
{
  angle->rest = angle->whole;
  if (pf_expr_op(ctx, angle->whole) != PF_OP_SUM) return;
  PfExpr number = pf_expr_arg(ctx, angle->whole, 0);
  double value;
  if (pf_expr_is_number(ctx, number, &value)) angle->number = value;
  for (int i = 1; i < pf_expr_arg_count(ctx, angle->whole); i += 2) {
    PfExpr factor = pf_expr_arg(ctx, angle->whole, i), term = pf_expr_arg(ctx, angle->whole, i + 1);
    if (pf_expr_op(ctx, term) != PF_OP_PI || !pf_expr_is_number(ctx, factor, &value)) continue;
    angle->number += value*acos(-1);
    number = pf_expr_add(ctx, number, pf_expr_mul(ctx, factor, term));
  }
  if (angle->number != 0) angle->rest = pf_expr_sub(ctx, angle->whole, number);
}

/* An angle with both functions, or none: -1. Only plain ones count, so that no way leads in a circle. */
static int find_part(const Angles *a, PfExpr part)
{
  int k = find(a, part);
  return k >= 0 && a->at[k].has_sin && a->at[k].has_cos && a->at[k].kind == PLAIN ? k : -1;
}

/* 0 + x + y or 0 + x - y */
static void find_sum(Angles *a, Angle *angle)
{
  PfContext *ctx = a->ctx;
  if (pf_expr_op(ctx, angle->whole) != PF_OP_SUM || pf_expr_arg_count(ctx, angle->whole) != 5 || angle->number != 0)
    return;
  PfExpr first = pf_expr_arg(ctx, angle->whole, 1), second = pf_expr_arg(ctx, angle->whole, 3);
  int x = find_part(a, pf_expr_arg(ctx, angle->whole, 2)), y = find_part(a, pf_expr_arg(ctx, angle->whole, 4));
  bool first_less = pf_expr_is_int(ctx, first, -1), second_less = pf_expr_is_int(ctx, second, -1);
  if (x < 0 || y < 0 || (first_less && second_less)) return;
  if ((!first_less && !pf_expr_is_int(ctx, first, 1)) || (!second_less && !pf_expr_is_int(ctx, second, 1))) return;
  angle->kind = first_less || second_less ? DIFFERENCE : SUM;
  angle->x = first_less ? y : x;
  angle->y = first_less ? x : y;
}

/* ---------------------------------------------------------------- writing them */

static PfExpr sum_of_products(PfContext *ctx, PfExpr a, PfExpr b, PfExpr c, PfExpr d)
{
  return pf_expr_add(ctx, pf_expr_mul(ctx, a, b), pf_expr_mul(ctx, c, d));
}

/* The sine or cosine of an angle by those of its parts x and y, or by those of x and the sine and cosine of a
 * number. */
static PfExpr write(Angles *a, const Angle *angle, PfOp op)
{
  PfContext *ctx = a->ctx;
  const Angle *x = a->at + angle->x, *y = a->at + angle->y;
  PfExpr sx = pf_expr_call1(ctx, PF_OP_SIN, x->whole), cx = pf_expr_call1(ctx, PF_OP_COS, x->whole), sy, cy;
  if (angle->kind == SHIFTED) {
    double shift = angle->number - x->number;
    sy = pf_expr_double(ctx, sin(shift));
    cy = pf_expr_double(ctx, cos(shift));
  } else {
    sy = pf_expr_call1(ctx, PF_OP_SIN, y->whole);
    cy = pf_expr_call1(ctx, PF_OP_COS, y->whole);
    if (angle->kind == DIFFERENCE) sy = pf_expr_neg(ctx, sy);
  }
  return op == PF_OP_SIN ? sum_of_products(ctx, sx, cy, cx, sy)
                         : sum_of_products(ctx, cx, cy, pf_expr_neg(ctx, sx), sy);
}

/* The new form of a node that the roots reach, found by bisection; nodes that were not reached are themselves. */
static PfExpr image_of(const Angles *a, PfExpr e)
{
  int low = 0, high = a->node_count; /* nodes are in ascending order */
  while (high - low > 1) {
    int middle = (low + high)/2;
    if (a->node[middle] <= e) low = middle;
    else high = middle;
  }
  return a->node[low] == e ? a->image[low] : e;
}

/* The node with the new forms of its operands; itself when none has changed. Operands come before their users, so one
 * pass in order of creation does. */
static PfExpr rebuild(const Angles *a, PfExpr e)
{
  PfContext *ctx = a->ctx;
  int count = pf_expr_arg_count(ctx, e);
  PfOp op = pf_expr_op(ctx, e);
  bool same = true;
  for (int i = 0; i < count && same; i++) same = image_of(a, pf_expr_arg(ctx, e, i)) == pf_expr_arg(ctx, e, i);
  if (same) return e;
  PfExpr args[3], result = op == PF_OP_SUM ? image_of(a, pf_expr_arg(ctx, e, 0)) : pf_expr_int(ctx, 1);
  switch (op) {
  case PF_OP_SUM:
    for (int i = 1; i < count; i += 2)
      result = pf_expr_add(ctx, result,
                           pf_expr_mul(ctx, pf_expr_arg(ctx, e, i), image_of(a, pf_expr_arg(ctx, e, i + 1))));
    return result;
  case PF_OP_PRODUCT:
    for (int i = 0; i < count; i += 2) {
      PfExpr base = image_of(a, pf_expr_arg(ctx, e, i)), exponent = image_of(a, pf_expr_arg(ctx, e, i + 1));
      result = pf_expr_mul(ctx, result, pf_expr_pow(ctx, base, exponent));
    }
    return result;
  default:
    for (int i = 0; i < count && i < 3; i++) args[i] = image_of(a, pf_expr_arg(ctx, e, i));
    return pf_expr_call(ctx, op, args);
  }
}

static PfExpr image(Angles *a, PfExpr e)
{
  PfOp op = pf_expr_op(a->ctx, e);
  if (op == PF_OP_SIN || op == PF_OP_COS) {
    const Angle *angle = a->at + find(a, pf_expr_arg(a->ctx, e, 0));
    if (angle->kind != PLAIN) return write(a, angle, op);
  }
  return rebuild(a, e);
}

/* Replaces the roots. Cost: a pass over all nodes that they reach, and the square of the number of angles. Memory is
 * taken from `arena`. */
PfStatus pf_angles_share(PfContext *ctx, PfArena *arena, PfExpr *roots, int count)
{
  Angles a = {.ctx = ctx};
  PF_TRY(pf_expr_reach(ctx, arena, roots, count, &a.node, &a.node_count));
  PF_TRY(pf_arrays(ctx, arena, "angles", PF_ROOM(a.at, a.node_count), PF_ROOM(a.image, a.node_count)));
  /* Lists the angles of all sines and cosines among the nodes, once each, with the functions that are needed of
   * them. */
  for (int i = 0; i < a.node_count; i++) {
    PfOp op = pf_expr_op(a.ctx, a.node[i]);
    if (op != PF_OP_SIN && op != PF_OP_COS) continue;
    PfExpr whole = pf_expr_arg(a.ctx, a.node[i], 0);
    int k = find(&a, whole);
    if (k < 0) {
      k = a.count++;
      a.at[k] = (Angle){.whole = whole};
      split(a.ctx, a.at + k);
    }
    if (op == PF_OP_SIN) a.at[k].has_sin = true;
    else a.at[k].has_cos = true;
  }
  for (int i = 0; i < a.count; i++)
    for (int k = 0; k < i && a.at[i].kind == PLAIN; k++)
      if (a.at[k].rest == a.at[i].rest && a.at[k].kind == PLAIN) a.at[i].kind = SHIFTED, a.at[i].x = k;
  for (int i = 0; i < a.count; i++)
    if (a.at[i].kind == PLAIN) find_sum(&a, a.at + i);
  for (int i = 0; i < a.node_count; i++) a.image[i] = image(&a, a.node[i]);
  for (int i = 0; i < count; i++) roots[i] = image_of(&a, roots[i]);
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- the other way round */

/* A product as f(x) f(y) rest, f being sine or cosine. */
typedef struct Pair {
  PfExpr x, y, rest;
} Pair;

/* Finds two factors `function` of some angles in a product, the square of one counting as two; false when there are
 * fewer. */
static bool take_pair(PfContext *ctx, PfExpr term, PfOp function, Pair *pair)
{
  int found = 0;
  PfExpr angle[2];
  if (pf_expr_op(ctx, term) != PF_OP_PRODUCT) return false;
  pair->rest = pf_expr_int(ctx, 1);
  for (int i = 0; i < pf_expr_arg_count(ctx, term); i += 2) {
    PfExpr base = pf_expr_arg(ctx, term, i), exponent = pf_expr_arg(ctx, term, i + 1);
    bool two = pf_expr_is_int(ctx, exponent, 2);
    if (pf_expr_op(ctx, base) != function || found == 2 || (!two && !pf_expr_is_int(ctx, exponent, 1)) ||
        (two && found)) {
      pair->rest = pf_expr_mul(ctx, pair->rest, pf_expr_pow(ctx, base, exponent));
      continue;
    }
    for (int k = 0; k < (two ? 2 : 1); k++) angle[found++] = pf_expr_arg(ctx, base, 0);
  }
  if (found < 2) return false;
  pair->x = angle[0];
  pair->y = angle[1];
  return true;
}

/* Has the expression a finite value without any symbol? Functions of numbers count, too. */
static bool is_number(PfContext *ctx, PfExpr e, double *value)
{
  return pf_expr_evaluate(ctx, &e, 1, NULL, NULL, 0, value) == PF_OK && isfinite(*value);
}

/* The term behind `from` that makes cos(x - y) with this one, or -1. */
static int find_other(PfContext *ctx, PfExpr sum, int from, const Pair *pair)
{
  for (int i = 1; i < pf_expr_arg_count(ctx, sum); i += 2) {
    Pair other;
    if (pf_expr_arg(ctx, sum, i) != pf_expr_arg(ctx, sum, from) ||
        !take_pair(ctx, pf_expr_arg(ctx, sum, i + 1), PF_OP_COS, &other) || other.rest != pair->rest)
      continue;
    bool same = other.x == pair->x && other.y == pair->y, crossed = other.x == pair->y && other.y == pair->x;
    if (same || crossed) return i;
  }
  return -1;
}

/* sin x sin y + cos x cos y becomes cos(x - y) where x - y is a number, in a sum of terms with equal coefficients. */
PfExpr pf_angles_join(PfContext *ctx, PfExpr sum)
{
  int count = pf_expr_op(ctx, sum) == PF_OP_SUM ? pf_expr_arg_count(ctx, sum) : 0;
  PfExpr result = sum;
  for (int i = 1; i < count; i += 2) {
    Pair pair;
    double shift;
    PfExpr factor = pf_expr_arg(ctx, sum, i), term = pf_expr_arg(ctx, sum, i + 1);
    if (!take_pair(ctx, term, PF_OP_SIN, &pair) || !is_number(ctx, pf_expr_sub(ctx, pair.x, pair.y), &shift)) continue;
    int other = find_other(ctx, sum, i, &pair);
    if (other < 0) continue;
    PfExpr both = pf_expr_add(ctx, term, pf_expr_arg(ctx, sum, other + 1));
    PfExpr joined = pf_expr_mul(ctx, pf_expr_double(ctx, cos(shift)), pair.rest);
    result = pf_expr_add(ctx, result, pf_expr_mul(ctx, factor, pf_expr_sub(ctx, joined, both)));
  }
  return result;
}
