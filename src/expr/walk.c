/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over everything that some roots are made of: collecting, dependence, substitution, evaluation,
 * operation counts. Operands have smaller handles, so a walk is a loop over a sorted list. */
#include "expr/expr_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for the marks of all nodes and begins a new epoch of stamps; false without memory. */
static bool begin_walk(PfExprTable *table)
{
  if (table->mark_room < table->nodes.count) {
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
  }
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

PfStatus pf_sweep_begin(PfContext *ctx, const PfExpr *roots, int root_count, size_t size, const char *purpose,
                        Sweep *sweep)
{
  *sweep = (Sweep){.table = pf_expr_table(ctx), .scratch = pf_context_scratch(ctx)};
  if (!sweep->table) return pf_no_room(ctx, "the expression table");
  sweep->mark = pf_arena_mark(sweep->scratch);
  PfStatus status = pf_walk(sweep->table, sweep->scratch, roots, root_count, &sweep->nodes, &sweep->count);
  if (status == PF_OK) {
    sweep->values = pf_arena_alloc(sweep->scratch, (size_t)sweep->count, size);
    if (sweep->values) return PF_OK;
    status = pf_no_room(ctx, purpose);
  }
  pf_sweep_end(sweep);
  return status;
}

void pf_sweep_end(const Sweep *sweep)
{
  pf_arena_release(sweep->scratch, sweep->mark);
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

/* What becomes of each node: one of the symbols its value; another is rebuilt from the images of its operands, then
 * given to the function, unless that is NULL. */
typedef struct Rewriting {
  const PfExpr *symbols, *values;
  int count;
  PfExprMap image_of;
  void *user;
} Rewriting;

/* One sweep over the nodes of the roots. */
static PfStatus rewrite(PfContext *ctx, const PfExpr *roots, int root_count, const Rewriting *by, const char *purpose,
                        PfExpr *out)
{
  Sweep s;
  PF_TRY(pf_sweep_begin(ctx, roots, root_count, sizeof(PfExpr), purpose, &s));
  PfExprTable *table = s.table;
  PfExpr *images = s.values;
  for (int i = 0; i < s.count; i++) images[i] = s.nodes[i];
  for (int i = 0; i < by->count; i++)
    if (table->stamp[by->symbols[i]] == table->epoch) images[table->place[by->symbols[i]]] = by->values[i];
  for (int i = 0; i < s.count; i++) {
    if (images[i] != s.nodes[i]) continue;
    PfMark mark = pf_arena_mark(s.scratch);
    uint32_t epoch = table->epoch;
    if (node_of(table, s.nodes[i])->count) images[i] = pf_rebuild(table, s.nodes[i], images);
    if (by->image_of) images[i] = by->image_of(by->user, images[i]);
    for (int k = 0; table->epoch != epoch && k < s.count; k++) /* after walks of others */
      table->place[s.nodes[k]] = (uint32_t)k;
    pf_arena_release(s.scratch, mark);
  }
  for (int i = 0; i < root_count; i++)
    out[i] = roots[i] == PF_EXPR_NONE ? PF_EXPR_NONE : images[table->place[roots[i]]];
  pf_sweep_end(&s);
  return pf_expr_check(ctx);
}

PfStatus pf_expr_map(PfContext *ctx, const PfExpr *roots, int root_count, PfExprMap image_of, void *user, PfExpr *out)
{
  const Rewriting by = {.image_of = image_of, .user = user};
  return rewrite(ctx, roots, root_count, &by, "rewritten expressions", out);
}

PfStatus pf_expr_substitute(PfContext *ctx, const PfExpr *roots, int root_count, const PfExpr *symbols,
                            const PfExpr *values, int count, PfExpr *out)
{
  const Rewriting by = {.symbols = symbols, .values = values, .count = count};
  return rewrite(ctx, roots, root_count, &by, "the substitution", out);
}

/* ---------------------------------------------------------------- evaluation */

/* The value of a node from those of its operands. */
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
  case PF_OP_IF: return values[table->place[args[values[table->place[args[0]]] != 0 ? 1 : 2]]];
  default:
    return pf_function_value(op_of(table, e), values[table->place[args[0]]],
                             count > 1 ? values[table->place[args[1]]] : 0);
  }
}

PfStatus pf_expr_evaluate(PfContext *ctx, const PfExpr *roots, int root_count, const PfExpr *symbols,
                          const double *given, int count, double *out)
{
  Sweep s;
  PF_TRY(pf_sweep_begin(ctx, roots, root_count, sizeof(double), "the evaluation", &s));
  const PfExprTable *table = s.table;
  double *values = s.values;
  for (int i = 0; i < s.count; i++) values[i] = NAN;
  for (int i = 0; i < count; i++)
    if (table->stamp[symbols[i]] == table->epoch) values[table->place[symbols[i]]] = given[i];
  for (int i = 0; i < s.count; i++)
    if (op_of(table, s.nodes[i]) != PF_OP_SYMBOL) values[i] = evaluate_node(table, s.nodes[i], values);
  for (int i = 0; i < root_count; i++)
    out[i] = roots[i] == PF_EXPR_NONE ? NAN : values[table->place[roots[i]]];
  pf_sweep_end(&s);
  return PF_OK;
}

/* ---------------------------------------------------------------- counting */

/* Multiplications of a product, whole powers by repeated squaring, and one division by everything below the line. */
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

/* The operations of a node as it would be written in C. */
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
