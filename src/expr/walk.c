/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over everything that some roots are made of: collecting, dependence, substitution, evaluation,
 * operation counts. Operands have smaller handles, so a walk is a loop over a sorted list. */
#include "expr/expr_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool enlarge_marks(PfExprTable *table)
{
  size_t room = table->nodes.room;
  const PfAllocator *allocator = table->allocator;
  uint32_t *stamp = allocator->resize(allocator->user, table->stamp, room*sizeof *stamp);
  if (!stamp) return false;
  table->stamp = stamp;
  uint32_t *place = allocator->resize(allocator->user, table->place, room*sizeof *place);
  if (!place) return false;
  table->place = place;
  memset(stamp + table->mark_room, 0, (room - table->mark_room)*sizeof *stamp);
  table->mark_room = room;
  return true;
}

static bool begin_walk(PfExprTable *table)
{
  if (table->mark_room < table->nodes.count && !enlarge_marks(table)) return false;
  if (++table->epoch == 0) { /* after 2^32 walks old stamps could be taken for new ones */
    memset(table->stamp, 0, table->mark_room*sizeof *table->stamp);
    table->epoch = 1;
  }
  return true;
}

static int by_handle(const void *a, const void *b)
{
  PfExpr x = *(const PfExpr *)a, y = *(const PfExpr *)b;
  return (x > y) - (x < y);
}

typedef PF_ARRAY(PfExpr) ExprList;

static bool visit(PfExprTable *table, ExprList *list, PfExpr e)
{
  if (table->stamp[e] == table->epoch) return true;
  table->stamp[e] = table->epoch;
  return pf_push(table->allocator, list, e);
}

/* Breadth first: the list is its own queue. */
static bool collect(PfExprTable *table, ExprList *list, const PfExpr *roots, int count)
{
  for (int i = 0; i < count; i++)
    if (roots[i] != PF_EXPR_NONE && !visit(table, list, roots[i])) return false;
  for (size_t next = 0; next < list->count; next++) {
    PfExpr e = list->at[next];
    if (next%4096 == 0 && pf_context_is_cancelled(table->ctx)) return false;
    for (uint32_t i = 0; i < node_of(table, e)->count; i++)
      if (!visit(table, list, args_of(table, e)[i])) return false;
  }
  return true;
}

/* The marked nodes in creation order. Where they lie close together a look at every mark is faster than sorting. */
static void list_marked(const PfExprTable *table, const ExprList *list, PfExpr *nodes)
{
  PfExpr low = UINT32_MAX, high = 0;
  for (size_t i = 0; i < list->count; i++) {
    nodes[i] = list->at[i];
    if (nodes[i] < low) low = nodes[i];
    if (nodes[i] > high) high = nodes[i];
  }
  if (list->count && (high - low)/8 < list->count) {
    size_t found = 0;
    for (PfExpr e = low; found < list->count; e++)
      if (table->stamp[e] == table->epoch) nodes[found++] = e;
  } else {
    qsort(nodes, list->count, sizeof *nodes, by_handle);
  }
}

PfStatus pf_walk(PfExprTable *table, PfArena *arena, const PfExpr *roots, int count, PfExpr **nodes,
                 int *node_count)
{
  ExprList list = {0};
  bool good = begin_walk(table) && collect(table, &list, roots, count);
  *nodes = good ? pf_arena_array(arena, PfExpr, list.count) : NULL;
  if (*nodes) {
    list_marked(table, &list, *nodes);
    for (size_t i = 0; i < list.count; i++) table->place[(*nodes)[i]] = (uint32_t)i;
    *node_count = (int)list.count;
  }
  pf_array_free(table->allocator, &list);
  return *nodes ? PF_OK : pf_no_room(table->ctx, "the walk over the expressions");
}

PfStatus pf_expr_reach(PfContext *ctx, PfArena *arena, const PfExpr *roots, int count, PfExpr **nodes,
                       int *node_count)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return pf_no_room(ctx, "the expression table");
  return pf_walk(table, arena, roots, count, nodes, node_count);
}

PfStatus pf_expr_contain(PfContext *ctx, const PfExpr *list, int list_count, const PfExpr *symbols, int count,
                         bool *found)
{
  PfExprTable *table = pf_expr_table(ctx);
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes;
  int node_count;
  *found = false;
  PfStatus status = table ? pf_walk(table, scratch, list, list_count, &nodes, &node_count)
                          : pf_no_room(ctx, "the expression table");
  for (int i = 0; status == PF_OK && i < count && !*found; i++)
    *found = symbols[i] < table->nodes.count && table->stamp[symbols[i]] == table->epoch;
  pf_arena_release(scratch, mark);
  return status;
}

bool pf_expr_depends(PfContext *ctx, PfExpr e, const PfExpr *symbols, int count)
{
  bool found;
  return pf_expr_contain(ctx, &e, 1, symbols, count, &found) == PF_OK && found;
}

/* ---------------------------------------------------------------- substitution */

PfExpr pf_rebuild(PfExprTable *table, PfExpr e, const PfExpr *images)
{
  const Node node = *node_of(table, e);
  bool changed = false;
  for (uint32_t i = 0; i < node.count && !changed; i++) {
    PfExpr arg = table->args.at[node.first + i];
    changed = images[table->place[arg]] != arg;
  }
  if (!changed) return e;
  if (node.op == PF_OP_SUM) {
    SumBuilder sum;
    pf_sum_begin(&sum, table);
    sum.constant = number_of(table, table->args.at[node.first]);
    for (uint32_t i = 1; i < node.count; i += 2)
      pf_sum_push(&sum, number_of(table, table->args.at[node.first + i]),
                  images[table->place[table->args.at[node.first + i + 1]]]);
    return pf_sum_end(&sum);
  }
  if (node.op == PF_OP_PRODUCT) {
    ProductBuilder product;
    pf_product_begin(&product, table);
    for (uint32_t i = 0; i < node.count; i += 2)
      pf_product_push(&product, images[table->place[table->args.at[node.first + i]]],
                      images[table->place[table->args.at[node.first + i + 1]]]);
    return pf_product_end(&product);
  }
  PfExpr args[3] = {0};
  for (uint32_t i = 0; i < node.count && i < 3; i++)
    args[i] = images[table->place[table->args.at[node.first + i]]];
  return pf_expr_call(table->ctx, (PfOp)node.op, args);
}

/* After walks of others: where each node of this one stands. */
static void mark_again(PfExprTable *table, const PfExpr *nodes, int count)
{
  for (int i = 0; i < count; i++) table->place[nodes[i]] = (uint32_t)i;
}

static PfStatus map(PfExprTable *table, PfArena *scratch, const PfExpr *roots, int root_count, PfExprMap image_of,
                    void *user, PfExpr *out)
{
  PfExpr *nodes;
  int node_count;
  PF_TRY(pf_walk(table, scratch, roots, root_count, &nodes, &node_count));
  PfExpr *images = pf_arena_array(scratch, PfExpr, node_count);
  if (!images) return pf_no_room(table->ctx, "rewritten expressions");
  for (int i = 0; i < node_count; i++) {
    PfMark mark = pf_arena_mark(scratch);
    uint32_t epoch = table->epoch;
    PfExpr same = node_of(table, nodes[i])->count == 0 ? nodes[i] : pf_rebuild(table, nodes[i], images);
    images[i] = image_of(user, same);
    if (table->epoch != epoch) mark_again(table, nodes, node_count);
    pf_arena_release(scratch, mark);
  }
  for (int i = 0; i < root_count; i++)
    out[i] = roots[i] == PF_EXPR_NONE ? PF_EXPR_NONE : images[table->place[roots[i]]];
  return pf_expr_check(table->ctx);
}

PfStatus pf_expr_map(PfContext *ctx, const PfExpr *roots, int root_count, PfExprMap image_of, void *user, PfExpr *out)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return pf_no_room(ctx, "the expression table");
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = map(table, scratch, roots, root_count, image_of, user, out);
  pf_arena_release(scratch, mark);
  return status;
}

static PfStatus substitute(PfExprTable *table, PfArena *scratch, const PfExpr *roots, int root_count,
                           const PfExpr *symbols, const PfExpr *values, int count, PfExpr *out)
{
  PfExpr *nodes;
  int node_count;
  PF_TRY(pf_walk(table, scratch, roots, root_count, &nodes, &node_count));
  PfExpr *images = pf_arena_array(scratch, PfExpr, node_count);
  if (!images) return pf_no_room(table->ctx, "the substitution");
  for (int i = 0; i < node_count; i++) images[i] = nodes[i];
  for (int i = 0; i < count; i++)
    if (table->stamp[symbols[i]] == table->epoch) images[table->place[symbols[i]]] = values[i];
  for (int i = 0; i < node_count; i++) {
    if (node_of(table, nodes[i])->count == 0 || images[i] != nodes[i]) continue;
    PfMark mark = pf_arena_mark(scratch);
    images[i] = pf_rebuild(table, nodes[i], images);
    pf_arena_release(scratch, mark);
  }
  for (int i = 0; i < root_count; i++)
    out[i] = roots[i] == PF_EXPR_NONE ? PF_EXPR_NONE : images[table->place[roots[i]]];
  return pf_expr_check(table->ctx);
}

PfStatus pf_expr_substitute(PfContext *ctx, const PfExpr *roots, int root_count, const PfExpr *symbols,
                            const PfExpr *values, int count, PfExpr *out)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return pf_no_room(ctx, "the expression table");
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = substitute(table, scratch, roots, root_count, symbols, values, count, out);
  pf_arena_release(scratch, mark);
  return status;
}

/* ---------------------------------------------------------------- evaluation */

static double evaluate_call(const PfExprTable *table, PfExpr e, const double *values)
{
  const PfExpr *args = args_of(table, e);
  double a = values[table->place[args[0]]];
  double b = node_of(table, e)->count > 1 ? values[table->place[args[1]]] : 0;
  switch (op_of(table, e)) {
  case PF_OP_SIN: return sin(a);
  case PF_OP_COS: return cos(a);
  case PF_OP_TAN: return tan(a);
  case PF_OP_ASIN: return asin(a);
  case PF_OP_ACOS: return acos(a);
  case PF_OP_ATAN: return atan(a);
  case PF_OP_SINH: return sinh(a);
  case PF_OP_COSH: return cosh(a);
  case PF_OP_TANH: return tanh(a);
  case PF_OP_EXP: return exp(a);
  case PF_OP_LOG: return log(a);
  case PF_OP_ABS: return fabs(a);
  case PF_OP_SIGN: return (a > 0) - (a < 0);
  case PF_OP_ATAN2: return atan2(a, b);
  case PF_OP_MIN: return a < b ? a : b;
  case PF_OP_MAX: return a < b ? b : a;
  case PF_OP_LESS: return a < b;
  case PF_OP_LESS_EQUAL: return a <= b;
  case PF_OP_EQUAL: return a == b;
  case PF_OP_AND: return a != 0 && b != 0;
  case PF_OP_OR: return a != 0 || b != 0;
  case PF_OP_NOT: return a == 0;
  case PF_OP_IF: return a != 0 ? b : values[table->place[args[2]]];
  default: return NAN;
  }
}

static double evaluate_node(const PfExprTable *table, PfExpr e, const double *values)
{
  const PfExpr *args = args_of(table, e);
  uint32_t count = node_of(table, e)->count;
  double result;
  switch (op_of(table, e)) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE: return pf_number_value(number_of(table, e));
  case PF_OP_PI: return 3.14159265358979323846;
  case PF_OP_SYMBOL: return NAN;
  case PF_OP_SUM:
    result = values[table->place[args[0]]];
    for (uint32_t i = 1; i < count; i += 2)
      result += values[table->place[args[i]]]*values[table->place[args[i + 1]]];
    return result;
  case PF_OP_PRODUCT:
    result = 1;
    for (uint32_t i = 0; i < count; i += 2)
      result *= pow(values[table->place[args[i]]], values[table->place[args[i + 1]]]);
    return result;
  default: return evaluate_call(table, e, values);
  }
}

static PfStatus evaluate(PfExprTable *table, PfArena *scratch, const PfExpr *roots, int root_count,
                         const PfExpr *symbols, const double *given, int count, double *out)
{
  PfExpr *nodes;
  int node_count;
  PF_TRY(pf_walk(table, scratch, roots, root_count, &nodes, &node_count));
  double *values = pf_arena_array(scratch, double, node_count);
  if (!values) return pf_no_room(table->ctx, "the evaluation");
  for (int i = 0; i < node_count; i++) values[i] = NAN;
  for (int i = 0; i < count; i++)
    if (table->stamp[symbols[i]] == table->epoch) values[table->place[symbols[i]]] = given[i];
  for (int i = 0; i < node_count; i++)
    if (op_of(table, nodes[i]) != PF_OP_SYMBOL) values[i] = evaluate_node(table, nodes[i], values);
  for (int i = 0; i < root_count; i++)
    out[i] = roots[i] == PF_EXPR_NONE ? NAN : values[table->place[roots[i]]];
  return PF_OK;
}

PfStatus pf_expr_evaluate(PfContext *ctx, const PfExpr *roots, int root_count, const PfExpr *symbols,
                          const double *values, int count, double *out)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return pf_no_room(ctx, "the expression table");
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = evaluate(table, scratch, roots, root_count, symbols, values, count, out);
  pf_arena_release(scratch, mark);
  return status;
}

/* ---------------------------------------------------------------- counting */

static void count_product(const PfExprTable *table, PfExpr e, PfCount *operations)
{
  int above = 0, below = 0;
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
    PfExpr exponent = args_of(table, e)[i + 1];
    Number power = is_number(table, exponent) ? number_of(table, exponent) : (Number){.num = 1, .den = 2};
    if (pf_number_sign(power) < 0) below++;
    else above++;
    if (!pf_number_is_integer(power)) {
      operations->functions++;
      continue;
    }
    for (int64_t k = power.num < 0 ? -power.num : power.num; k > 1; k >>= 1)
      operations->multiplications += 1 + (int)(k & 1);
  }
  operations->multiplications += (above > 1 ? above - 1 : 0) + (below > 1 ? below - 1 : 0);
  operations->divisions += below > 0;
}

static void count_node(const PfExprTable *table, PfExpr e, PfCount *operations)
{
  PfOp op = op_of(table, e);
  const PfExpr *args = args_of(table, e);
  if (op == PF_OP_SUM) {
    operations->additions += (int)(node_of(table, e)->count/2) - pf_number_is(number_of(table, args[0]), 0);
    for (uint32_t i = 1; i < node_of(table, e)->count; i += 2) {
      Number c = number_of(table, args[i]);
      operations->multiplications += !pf_number_is(c, 1) && !pf_number_is(c, -1);
    }
  } else if (op == PF_OP_PRODUCT) {
    count_product(table, e, operations);
  } else if (op >= PF_OP_SIN) {
    operations->functions++;
  }
}

PfStatus pf_expr_operations(PfContext *ctx, const PfExpr *roots, int count, PfCount *operations)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return pf_no_room(ctx, "the expression table");
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes;
  *operations = (PfCount){0};
  PfStatus status = pf_walk(table, scratch, roots, count, &nodes, &operations->nodes);
  for (int i = 0; status == PF_OK && i < operations->nodes; i++) count_node(table, nodes[i], operations);
  pf_arena_release(scratch, mark);
  return status;
}
