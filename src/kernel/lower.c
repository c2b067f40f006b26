/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions to items. Whole powers up to 64 are left to multiplication and division, halves become a
 * square root, everything else pow. */
#include "kernel/kernel_impl.h"

#include <math.h>

enum { MOST_MULTIPLIED = 64 }; /* largest power that is multiplied out */

typedef struct Lower {
  PfContext *ctx;
  PfItems *items;
  uint32_t *image; /* of each handle: its item + 1, 0 = not lowered yet */
  PF_ARRAY(PfPart) parts;
} Lower;

static void push(Lower *lower, uint32_t item, double coefficient)
{
  PfPart part = {item, coefficient};
  if (!pf_push(lower->items->allocator, &lower->parts, part)) lower->items->failed = true;
}

static uint32_t end_list(Lower *lower, PfItemKind kind)
{
  return pf_item_list(lower->items, kind, lower->parts.at, (uint32_t)lower->parts.count);
}

static uint32_t call(PfItems *items, int op, uint32_t a, uint32_t b)
{
  PfPart parts[] = {{a, 1}, {b, 1}};
  return pf_item(items, PF_ITEM_CALL, op, parts, (uint32_t)pf_op_operands((uint32_t)op));
}

/* Numbers become items only where they are operands, not as coefficients and exponents. */
static uint32_t image_of(Lower *lower, PfExpr e)
{
  double value;
  if (lower->image[e]) return lower->image[e] - 1;
  if (pf_expr_op(lower->ctx, e) == PF_OP_PI) value = 3.14159265358979323846;
  else if (!pf_expr_is_number(lower->ctx, e, &value)) value = NAN;
  uint32_t item = pf_item_constant(lower->items, value);
  lower->image[e] = item + 1;
  return item;
}

/* ---------------------------------------------------------------- sums */

static uint32_t lower_sum(Lower *lower, PfExpr e)
{
  PfContext *ctx = lower->ctx;
  const int count = pf_expr_arg_count(ctx, e);
  double c = 0;
  lower->parts.count = 0;
  pf_expr_is_number(ctx, pf_expr_arg(ctx, e, 0), &c);
  if (c != 0) push(lower, PF_ITEM_ONE, c);
  for (int i = 1; i < count; i += 2) {
    pf_expr_is_number(ctx, pf_expr_arg(ctx, e, i), &c);
    push(lower, image_of(lower, pf_expr_arg(ctx, e, i + 1)), c);
  }
  return end_list(lower, PF_ITEM_SUM);
}

/* ---------------------------------------------------------------- products */

static void push_factor(Lower *lower, PfExpr base, PfExpr exponent)
{
  int64_t num = 0, den = 0;
  uint32_t item = image_of(lower, base);
  bool exact = pf_expr_is_rational(lower->ctx, exponent, &num, &den) && den <= 2 &&
               num <= den*MOST_MULTIPLIED && num >= -den*MOST_MULTIPLIED;
  if (!exact) {
    push(lower, call(lower->items, PF_TAPE_POW, item, image_of(lower, exponent)), 1);
  } else {
    int64_t whole = num/den;
    push(lower, item, (double)whole); /* a zero vanishes with the end of the list */
    if (den == 2) push(lower, call(lower->items, PF_TAPE_SQRT, item, 0), num < 0 ? -1 : 1);
  }
}

static uint32_t lower_product(Lower *lower, PfExpr e)
{
  const int count = pf_expr_arg_count(lower->ctx, e);
  lower->parts.count = 0;
  for (int i = 0; i < count; i += 2)
    push_factor(lower, pf_expr_arg(lower->ctx, e, i), pf_expr_arg(lower->ctx, e, i + 1));
  return end_list(lower, PF_ITEM_PRODUCT);
}

/* ---------------------------------------------------------------- functions */

static int op_of_function(PfOp function)
{
  switch (function) {
  case PF_OP_SIN: return PF_TAPE_SIN;
  case PF_OP_COS: return PF_TAPE_COS;
  case PF_OP_TAN: return PF_TAPE_TAN;
  case PF_OP_ASIN: return PF_TAPE_ASIN;
  case PF_OP_ACOS: return PF_TAPE_ACOS;
  case PF_OP_ATAN: return PF_TAPE_ATAN;
  case PF_OP_SINH: return PF_TAPE_SINH;
  case PF_OP_COSH: return PF_TAPE_COSH;
  case PF_OP_TANH: return PF_TAPE_TANH;
  case PF_OP_EXP: return PF_TAPE_EXP;
  case PF_OP_LOG: return PF_TAPE_LOG;
  case PF_OP_ABS: return PF_TAPE_ABS;
  case PF_OP_SIGN: return PF_TAPE_SIGN;
  case PF_OP_ATAN2: return PF_TAPE_ATAN2;
  case PF_OP_MIN: return PF_TAPE_MIN;
  case PF_OP_MAX: return PF_TAPE_MAX;
  case PF_OP_LESS: return PF_TAPE_LESS;
  case PF_OP_LESS_EQUAL: return PF_TAPE_LESS_EQUAL;
  case PF_OP_EQUAL: return PF_TAPE_EQUAL;
  case PF_OP_AND: return PF_TAPE_AND;
  case PF_OP_OR: return PF_TAPE_OR;
  case PF_OP_NOT: return PF_TAPE_NOT;
  case PF_OP_IF: return PF_TAPE_IF;
  default: return -1;
  }
}

static PfStatus lower_call(Lower *lower, PfExpr e, uint32_t *item)
{
  PfPart parts[3] = {{0, 1}, {0, 1}, {0, 1}};
  const int count = pf_expr_arg_count(lower->ctx, e), op = op_of_function(pf_expr_op(lower->ctx, e));
  if (op < 0 || count > 3) return pf_fail(lower->ctx, PF_ERR_ARGUMENT, "a node that no instruction computes");
  for (int i = 0; i < count; i++) parts[i].item = image_of(lower, pf_expr_arg(lower->ctx, e, i));
  *item = pf_item(lower->items, PF_ITEM_CALL, op, parts, (uint32_t)count);
  return PF_OK;
}

/* ---------------------------------------------------------------- all nodes */

static PfStatus lower_node(Lower *lower, PfExpr e)
{
  uint32_t item = 0;
  switch (pf_expr_op(lower->ctx, e)) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE:
  case PF_OP_PI: return PF_OK;
  case PF_OP_SYMBOL:
    if (lower->image[e]) return PF_OK;
    return pf_fail(lower->ctx, PF_ERR_NAME, "the value of '%s' is not given: it is no input of the tape",
                   pf_expr_symbol_name(lower->ctx, e));
  case PF_OP_SUM: item = lower_sum(lower, e); break;
  case PF_OP_PRODUCT: item = lower_product(lower, e); break;
  default: PF_TRY(lower_call(lower, e, &item));
  }
  lower->image[e] = item + 1;
  return PF_OK;
}

static PfStatus lower_inputs(Lower *lower, const PfExpr *inputs, int count)
{
  for (int i = 0; i < count; i++) {
    const char *name = inputs[i] ? pf_expr_symbol_name(lower->ctx, inputs[i]) : NULL;
    if (!name) return pf_fail(lower->ctx, PF_ERR_ARGUMENT, "input %d of a tape is not a symbol", i);
    if (lower->image[inputs[i]]) return pf_fail(lower->ctx, PF_ERR_ARGUMENT, "'%s' is an input twice", name);
    PfPart part = {PF_ITEM_ONE, i};
    lower->image[inputs[i]] = pf_item(lower->items, PF_ITEM_INPUT, 0, &part, 1) + 1;
  }
  return PF_OK;
}

static PfStatus lower_all(Lower *lower, PfArena *scratch, const PfExpr *inputs, int input_count,
                          const PfExpr *roots, int root_count)
{
  PfExpr *nodes;
  int count;
  for (int i = 0; i < root_count; i++)
    if (roots[i] == PF_EXPR_NONE)
      return pf_fail(lower->ctx, PF_ERR_ARGUMENT, "output %d of a tape is missing", i);
  PF_TRY(pf_expr_reach(lower->ctx, scratch, roots, root_count, &nodes, &count));
  lower->image = pf_arena_array(scratch, uint32_t, (size_t)pf_expr_table_size(lower->ctx) + 1);
  if (!lower->image) return pf_no_room(lower->ctx, "a tape");

  PF_TRY(lower_inputs(lower, inputs, input_count));
  for (int i = 0; i < count && pf_items_go_on(lower->items); i++) PF_TRY(lower_node(lower, nodes[i]));
  for (int i = 0; i < root_count; i++)
    if (!pf_push(lower->items->allocator, &lower->items->roots, image_of(lower, roots[i])))
      lower->items->failed = true;
  return lower->items->failed ? pf_no_room(lower->ctx, "a tape") : PF_OK;
}

PfStatus pf_items_lower(PfContext *ctx, PfItems *items, const PfExpr *inputs, int input_count,
                        const PfExpr *roots, int root_count)
{
  Lower lower = {.ctx = ctx, .items = items};
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = lower_all(&lower, scratch, inputs, input_count, roots, root_count);
  pf_arena_release(scratch, mark);
  pf_array_free(items->allocator, &lower.parts);
  return status;
}
