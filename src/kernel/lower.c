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

/* A product of powers; other exponents than whole and half numbers become calls of pow. */
static uint32_t lower_product(Lower *lower, PfExpr e)
{
  const int count = pf_expr_arg_count(lower->ctx, e);
  lower->parts.count = 0;
  for (int i = 0; i < count; i += 2) {
    PfExpr base = pf_expr_arg(lower->ctx, e, i);
    PfExpr exponent = pf_expr_arg(lower->ctx, e, i + 1);
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
  return end_list(lower, PF_ITEM_PRODUCT);
}

/* Functions of expressions (pfaff/functions.def) and instructions (ops.def) are listed in the same order. */
#define SAME_PLACE(name) ((int)PF_OP_##name - (int)PF_OP_SIN == (int)PF_TAPE_##name - (int)PF_TAPE_SIN)
_Static_assert(SAME_PLACE(TAN) && SAME_PLACE(ATAN) && SAME_PLACE(TANH) && SAME_PLACE(LOG) && SAME_PLACE(SIGN) &&
               SAME_PLACE(ATAN2) && SAME_PLACE(MAX) && SAME_PLACE(LESS) && SAME_PLACE(EQUAL) && SAME_PLACE(AND) &&
               SAME_PLACE(NOT) && SAME_PLACE(IF), "the functions and their instructions differ in order");

/* The item of one expression, whose operands have theirs. */
static PfStatus lower_node(Lower *lower, PfExpr e)
{
  PfContext *ctx = lower->ctx;
  const PfOp op = pf_expr_op(ctx, e);
  const int count = pf_expr_arg_count(ctx, e);
  PfPart parts[3] = {{0, 1}, {0, 1}, {0, 1}};
  double c = 0;
  uint32_t item = 0;
  switch (op) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE:
  case PF_OP_PI: return PF_OK;
  case PF_OP_SYMBOL:
    if (lower->image[e]) return PF_OK;
    return pf_fail(ctx, PF_ERR_NAME, "the value of '%s' is not given: it is no input of the tape",
                   pf_expr_symbol_name(ctx, e));
  case PF_OP_SUM:
    lower->parts.count = 0;
    pf_expr_is_number(ctx, pf_expr_arg(ctx, e, 0), &c);
    if (c != 0) push(lower, PF_ITEM_ONE, c);
    for (int i = 1; i < count; i += 2) {
      pf_expr_is_number(ctx, pf_expr_arg(ctx, e, i), &c);
      push(lower, image_of(lower, pf_expr_arg(ctx, e, i + 1)), c);
    }
    item = end_list(lower, PF_ITEM_SUM);
    break;
  case PF_OP_PRODUCT: item = lower_product(lower, e); break;
  default:
    if (op < PF_OP_SIN || op > PF_OP_IF || count > 3)
      return pf_fail(ctx, PF_ERR_ARGUMENT, "a node that no instruction computes");
    for (int i = 0; i < count; i++) parts[i].item = image_of(lower, pf_expr_arg(ctx, e, i));
    item = pf_item(lower->items, PF_ITEM_CALL, (int)op - (int)PF_OP_SIN + (int)PF_TAPE_SIN, parts, (uint32_t)count);
  }
  lower->image[e] = item + 1;
  return PF_OK;
}

/* Items of all expressions that the roots reach, in creation order: operands first. `scratch` holds the image of each
 * expression; it is released by the caller. */
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

  for (int i = 0; i < input_count; i++) {
    const char *name = inputs[i] ? pf_expr_symbol_name(lower->ctx, inputs[i]) : NULL;
    if (!name) return pf_fail(lower->ctx, PF_ERR_ARGUMENT, "input %d of a tape is not a symbol", i);
    if (lower->image[inputs[i]]) return pf_fail(lower->ctx, PF_ERR_ARGUMENT, "'%s' is an input twice", name);
    PfPart part = {PF_ITEM_ONE, i};
    lower->image[inputs[i]] = pf_item(lower->items, PF_ITEM_INPUT, 0, &part, 1) + 1;
  }
  for (int i = 0; i < count && pf_items_go_on(lower->items); i++) PF_TRY(lower_node(lower, nodes[i]));
  for (int i = 0; i < root_count; i++)
    if (!pf_push(lower->items->allocator, &lower->items->roots, image_of(lower, roots[i])))
      lower->items->failed = true;
  return lower->items->failed ? pf_no_room(lower->ctx, "a tape") : PF_OK;
}

/* Cost: the nodes that the roots reach, each once, and an array as long as the table of expressions. */
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
