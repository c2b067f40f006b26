/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives: forward along a direction, and backward to a gradient. One sweep over the shared graph each,
 * so the cost is that of the graph and never that of the formula written out. */
#include "expr/expr_impl.h"

/* b^(e-1) * e * (the other factors): the derivative of a product by its i-th base, times `seed`. */
static PfExpr product_by_base(PfExprTable *table, PfExpr e, uint32_t i, PfExpr seed)
{
  PfContext *ctx = table->ctx;
  PfExpr one = pf_expr_int(ctx, 1), exponent = args_of(table, e)[2*i + 1];
  ProductBuilder product;
  pf_product_begin(&product, table);
  for (uint32_t k = 0; k < node_of(table, e)->count/2; k++) {
    PfExpr power = k == i ? pf_expr_sub(ctx, exponent, one) : args_of(table, e)[2*k + 1];
    pf_product_push(&product, args_of(table, e)[2*k], power);
  }
  pf_product_push(&product, exponent, one);
  pf_product_push(&product, seed, one);
  return pf_product_end(&product);
}

/* e * log(b): the derivative of a product by its i-th exponent, times `seed`. */
static PfExpr product_by_exponent(PfExprTable *table, PfExpr e, uint32_t i, PfExpr seed)
{
  PfExpr base = args_of(table, e)[2*i];
  PfExpr factors[3] = {e, pf_expr_call1(table->ctx, PF_OP_LOG, base), seed};
  return pf_expr_product(table->ctx, factors, 3);
}

/* ---------------------------------------------------------------- forward */

typedef struct Forward {
  PfExprTable *table;
  PfExpr zero;
  const PfExpr *rates; /* derivative of each node of the walk */
} Forward;

static PfExpr rate_of(const Forward *f, PfExpr e)
{
  return f->rates[f->table->place[e]];
}

static bool is_choice(PfOp op)
{
  return op == PF_OP_IF || op == PF_OP_MIN || op == PF_OP_MAX;
}

/* The derivative of a node from those of its operands. Choices keep the branches apart, so that a branch which is not
 * taken cannot spoil the result. */
static PfExpr forward_node(const Forward *f, PfExpr e)
{
  PfExprTable *table = f->table;
  PfContext *ctx = table->ctx;
  PfOp op = op_of(table, e);
  uint32_t count = node_of(table, e)->count;
  bool moves = false;
  for (uint32_t i = 0; i < count && !moves; i++) moves = rate_of(f, args_of(table, e)[i]) != f->zero;
  if (!moves) return f->zero;
  if (is_choice(op)) {
    const PfExpr *args = args_of(table, e);
    if (op == PF_OP_IF) return pf_expr_if(ctx, args[0], rate_of(f, args[1]), rate_of(f, args[2]));
    PfExpr left = rate_of(f, args[0]), right = rate_of(f, args[1]);
    PfExpr first_smaller = pf_expr_call2(ctx, PF_OP_LESS, args[0], args[1]);
    return op == PF_OP_MIN ? pf_expr_if(ctx, first_smaller, left, right)
                           : pf_expr_if(ctx, first_smaller, right, left);
  }
  SumBuilder sum;
  pf_sum_begin(&sum, table);
  if (op == PF_OP_PRODUCT) {
    /* (b1^e1 b2^e2 …)': the sum over all factors of the product with e b^(e-1) b' + b^e ln(b) e' in the place of
     * one. */
    for (uint32_t i = 0; i < node_of(f->table, e)->count/2; i++) {
      PfExpr base_rate = rate_of(f, args_of(f->table, e)[2*i]);
      PfExpr exponent_rate = rate_of(f, args_of(f->table, e)[2*i + 1]);
      if (base_rate != f->zero)
        pf_sum_push(&sum, pf_number_int(1), product_by_base(f->table, e, i, base_rate));
      if (exponent_rate != f->zero)
        pf_sum_push(&sum, pf_number_int(1), product_by_exponent(f->table, e, i, exponent_rate));
    }
  }
  for (uint32_t i = op == PF_OP_SUM ? 2 : 0; i < count && op != PF_OP_PRODUCT; i += op == PF_OP_SUM ? 2 : 1) {
    PfExpr rate = rate_of(f, args_of(table, e)[i]);
    if (rate == f->zero) continue;
    if (op == PF_OP_SUM) pf_sum_push(&sum, number_of(table, args_of(table, e)[i - 1]), rate);
    else pf_sum_push(&sum, pf_number_int(1), pf_expr_mul(ctx, pf_function_partial(ctx, e, (int)i), rate));
  }
  return pf_sum_end(&sum);
}

PfStatus pf_expr_derive_along(PfContext *ctx, const PfExpr *roots, int root_count, const PfExpr *symbols,
                              const PfExpr *seeds, int count, PfExpr *out)
{
  Sweep s;
  PF_TRY(pf_sweep_begin(ctx, roots, root_count, sizeof(PfExpr), "derivatives", &s));
  PfExprTable *table = s.table;
  PfExpr *rates = s.values;
  Forward f = {table, pf_expr_int(ctx, 0), rates};
  for (int i = 0; i < s.count; i++) rates[i] = f.zero;
  for (int i = 0; i < count; i++)
    if (table->stamp[symbols[i]] == table->epoch) rates[table->place[symbols[i]]] = seeds[i];
  for (int i = 0; i < s.count; i++) { /* operands are differentiated before their users */
    if (node_of(table, s.nodes[i])->count == 0) continue;
    PfMark mark = pf_arena_mark(s.scratch);
    rates[i] = forward_node(&f, s.nodes[i]);
    pf_arena_release(s.scratch, mark);
  }
  for (int i = 0; i < root_count; i++)
    out[i] = roots[i] == PF_EXPR_NONE ? PF_EXPR_NONE : rates[table->place[roots[i]]];
  pf_sweep_end(&s);
  return pf_expr_check(ctx);
}

PfExpr pf_expr_diff(PfContext *ctx, PfExpr e, PfExpr symbol)
{
  PfExpr one = pf_expr_int(ctx, 1), result = PF_EXPR_NONE;
  return pf_expr_derive_along(ctx, &e, 1, &symbol, &one, 1, &result) == PF_OK ? result : PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- backward */

/* Contributions of the users of a node to its adjoint: a linked list per node. */
typedef struct Share {
  PfExpr value;
  uint32_t next; /* index + 1 */
} Share;

/* Adjoints inside a branch have the form if(condition, value, 0), or if(condition, 0, value). The guard stays
 * outside of all that is multiplied: 0 times the slope of a branch which is not taken could be NaN. */
typedef struct Guard {
  PfExpr condition;
  bool when;
} Guard;

enum { MOST_GUARDS = 8 };
typedef struct Guards {
  Guard at[MOST_GUARDS];
  int count;
} Guards;

typedef struct Backward {
  PfExprTable *table;
  PfExpr zero;
  uint32_t *first; /* per node of the walk: its list of shares */
  bool *wanted;    /* per node of the walk: is it, or does it contain, a requested symbol? */
  PF_ARRAY(Share) shares;
  Guards guards; /* of the adjoint that is being passed on */
  bool failed;
} Backward;

/* Takes at most `limit` guards off the value. */
static PfExpr unguard(const Backward *b, PfExpr value, int limit, Guards *guards)
{
  guards->count = 0;
  while (guards->count < limit && op_of(b->table, value) == PF_OP_IF) {
    const PfExpr *args = args_of(b->table, value);
    if (args[1] != b->zero && args[2] != b->zero) break;
    guards->at[guards->count++] = (Guard){args[0], args[2] == b->zero};
    value = args[2] == b->zero ? args[1] : args[2];
  }
  return value;
}

static PfExpr guard(const Backward *b, PfExpr value, const Guards *guards)
{
  for (int i = guards->count; i-- > 0;) {
    Guard g = guards->at[i];
    value = g.when ? pf_expr_if(b->table->ctx, g.condition, value, b->zero)
                   : pf_expr_if(b->table->ctx, g.condition, b->zero, value);
  }
  return value;
}

static bool is_wanted(const Backward *b, PfExpr e)
{
  return b->wanted[b->table->place[e]];
}

static void contribute(Backward *b, PfExpr to, PfExpr value)
{
  value = guard(b, value, &b->guards);
  uint32_t place = b->table->place[to];
  if (!pf_push(b->table->allocator, &b->shares, (Share){value, b->first[place]})) {
    b->failed = true;
    return;
  }
  b->first[place] = (uint32_t)b->shares.count;
}

/* The sum of all shares of a node, inside the guards that all of them begin with. */
static PfExpr total(const Backward *b, uint32_t place)
{
  Guards common = {0}, others;
  for (uint32_t i = b->first[place]; i; i = b->shares.at[i - 1].next) {
    bool first = i == b->first[place];
    unguard(b, b->shares.at[i - 1].value, first ? MOST_GUARDS : common.count, &others);
    if (first) common = others;
    int same = 0;
    while (same < others.count && others.at[same].condition == common.at[same].condition &&
           others.at[same].when == common.at[same].when)
      same++;
    common.count = same;
  }
  SumBuilder sum;
  pf_sum_begin(&sum, b->table);
  for (uint32_t i = b->first[place]; i; i = b->shares.at[i - 1].next)
    pf_sum_push(&sum, pf_number_int(1), unguard(b, b->shares.at[i - 1].value, common.count, &others));
  return guard(b, pf_sum_end(&sum), &common);
}

static void backward_choice(Backward *b, PfExpr e, PfExpr adjoint)
{
  PfContext *ctx = b->table->ctx;
  PfExpr zero = b->zero;
  PfOp op = op_of(b->table, e);
  PfExpr a0 = args_of(b->table, e)[0], a1 = args_of(b->table, e)[1];
  if (op == PF_OP_IF) {
    PfExpr a2 = args_of(b->table, e)[2];
    contribute(b, a1, pf_expr_if(ctx, a0, adjoint, zero));
    contribute(b, a2, pf_expr_if(ctx, a0, zero, adjoint));
    return;
  }
  PfExpr first_smaller = pf_expr_call2(ctx, PF_OP_LESS, a0, a1);
  bool min = op == PF_OP_MIN;
  contribute(b, a0, pf_expr_if(ctx, first_smaller, min ? adjoint : zero, min ? zero : adjoint));
  contribute(b, a1, pf_expr_if(ctx, first_smaller, min ? zero : adjoint, min ? adjoint : zero));
}

/* Hands the adjoint of a node on to its operands, times the partial derivatives. */
static void backward_node(Backward *b, PfExpr e, PfExpr adjoint)
{
  PfExprTable *table = b->table;
  PfOp op = op_of(table, e);
  uint32_t count = node_of(table, e)->count;
  if (op == PF_OP_SUM) {
    for (uint32_t i = 1; i < count; i += 2) {
      PfExpr term = args_of(table, e)[i + 1];
      if (!is_wanted(b, term)) continue;
      contribute(b, term, pf_expr_scale(table, number_of(table, args_of(table, e)[i]), adjoint));
    }
  } else if (op == PF_OP_PRODUCT) {
    for (uint32_t i = 0; i < count/2; i++) {
      PfExpr base = args_of(table, e)[2*i], exponent = args_of(table, e)[2*i + 1];
      if (is_wanted(b, base)) contribute(b, base, product_by_base(table, e, i, adjoint));
      if (is_wanted(b, exponent)) contribute(b, exponent, product_by_exponent(table, e, i, adjoint));
    }
  } else if (is_choice(op)) {
    backward_choice(b, e, adjoint);
  } else {
    for (uint32_t i = 0; i < count; i++) {
      if (!is_wanted(b, args_of(table, e)[i])) continue;
      PfExpr partial = pf_function_partial(table->ctx, e, (int)i);
      contribute(b, args_of(table, e)[i], pf_expr_mul(table->ctx, partial, adjoint));
    }
  }
}

/* One sweep from the root back to the symbols. Nodes that depend on none of the symbols are left out. */
PfStatus pf_expr_gradient(PfContext *ctx, PfExpr root, const PfExpr *symbols, int count, PfExpr *out)
{
  if (root == PF_EXPR_NONE || !pf_expr_table(ctx)) {
    for (int i = 0; i < count; i++) out[i] = PF_EXPR_NONE;
    return pf_expr_check(ctx);
  }
  Sweep s;
  PF_TRY(pf_sweep_begin(ctx, &root, 1, sizeof(uint32_t), "derivatives", &s));
  PfExprTable *table = s.table;
  Backward b = {.table = table, .first = s.values, .wanted = pf_arena_array(s.scratch, bool, s.count)};
  b.failed = !b.wanted;
  for (int i = 0; i < count && !b.failed; i++)
    if (table->stamp[symbols[i]] == table->epoch) b.wanted[table->place[symbols[i]]] = true;
  for (int i = 0; i < s.count && !b.failed; i++)
    for (uint32_t k = 0; k < node_of(table, s.nodes[i])->count && !b.wanted[i]; k++)
      b.wanted[i] = is_wanted(&b, args_of(table, s.nodes[i])[k]);
  b.zero = pf_expr_int(ctx, 0);
  if (!b.failed) contribute(&b, root, pf_expr_int(ctx, 1));
  for (int i = s.count; i-- > 0 && !b.failed;) {
    if (node_of(table, s.nodes[i])->count == 0 || !b.first[i] || !b.wanted[i]) continue;
    PfMark mark = pf_arena_mark(s.scratch);
    PfExpr adjoint = unguard(&b, total(&b, (uint32_t)i), MOST_GUARDS, &b.guards);
    if (adjoint != b.zero) backward_node(&b, s.nodes[i], adjoint);
    pf_arena_release(s.scratch, mark);
  }
  for (int i = 0; i < count && !b.failed; i++) {
    bool used = table->stamp[symbols[i]] == table->epoch;
    PfMark mark = pf_arena_mark(s.scratch);
    out[i] = used ? total(&b, table->place[symbols[i]]) : b.zero;
    pf_arena_release(s.scratch, mark);
  }
  pf_array_free(table->allocator, &b.shares);
  pf_sweep_end(&s);
  return b.failed ? pf_no_room(ctx, "derivatives") : pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- Jacobian */

typedef struct Entry {
  int row, column;
  PfExpr value;
} Entry;

typedef PF_ARRAY(Entry) EntryList;

/* Into the Jacobian by rows; within a row the columns keep their order. */
static PfStatus sort_by_rows(PfContext *ctx, PfArena *arena, const EntryList *entries, PfJacobian *jacobian)
{
  jacobian->count = (int)entries->count;
  int *next;
  PF_TRY(pf_arrays(ctx, arena, "a Jacobian", PF_ROOM(jacobian->row, entries->count),
                   PF_ROOM(jacobian->column, entries->count), PF_ROOM(jacobian->value, entries->count),
                   PF_ROOM(next, (size_t)jacobian->rows + 1)));
  for (size_t k = 0; k < entries->count; k++) next[entries->at[k].row + 1]++;
  for (int i = 0; i < jacobian->rows; i++) next[i + 1] += next[i];
  for (size_t k = 0; k < entries->count; k++) {
    int at = next[entries->at[k].row]++;
    jacobian->row[at] = entries->at[k].row;
    jacobian->column[at] = entries->at[k].column;
    jacobian->value[at] = entries->at[k].value;
  }
  return PF_OK;
}

PfStatus pf_expr_jacobian(PfContext *ctx, PfArena *arena, const PfExpr *roots, int root_count,
                          const PfExpr *symbols, int symbol_count, PfJacobian *jacobian)
{
  *jacobian = (PfJacobian){.rows = root_count, .columns = symbol_count};
  EntryList entries = {0};
  PfExpr one = pf_expr_int(ctx, 1), zero = pf_expr_int(ctx, 0), *column = pf_arena_array(arena, PfExpr, root_count);
  PfStatus status = column ? PF_OK : pf_no_room(ctx, "a Jacobian");
  for (int j = 0; j < symbol_count && status == PF_OK; j++) { /* one forward sweep for each column */
    status = pf_expr_derive_along(ctx, roots, root_count, symbols + j, &one, 1, column);
    for (int i = 0; i < root_count && status == PF_OK; i++)
      if (column[i] != zero && !pf_push(pf_context_allocator(ctx), &entries, (Entry){i, j, column[i]}))
        status = pf_no_room(ctx, "a Jacobian");
  }
  if (status == PF_OK) status = sort_by_rows(ctx, arena, &entries, jacobian);
  pf_array_free(pf_context_allocator(ctx), &entries);
  return status;
}
