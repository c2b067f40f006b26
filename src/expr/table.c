/* SPDX-License-Identifier: Apache-2.0 */
/* The hash-consed table. Handles count up from 1 in order of creation, so operands always come before the expressions
 * built from them, and every walk is a loop. */
#include "expr/expr_impl.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 100*1000*1000 };

/* Frees all arrays of the table. */
static void release(PfExprTable *table)
{
  const PfAllocator allocator = *table->allocator;
  pf_array_free(&allocator, &table->nodes);
  pf_array_free(&allocator, &table->args);
  pf_array_free(&allocator, &table->numbers);
  pf_array_free(&allocator, &table->names);
  pf_array_free(&allocator, &table->notations);
  pf_array_free(&allocator, &table->rotations);
  pf_array_free(&allocator, &table->simplest);
  pf_array_free(&allocator, &table->shortened);
  pf_array_free(&allocator, &table->lengths);
  pf_array_free(&allocator, &table->fields);
  allocator.resize(allocator.user, table->slots, 0);
  allocator.resize(allocator.user, table->wides, 0);
  allocator.resize(allocator.user, table->stamp, 0);
  allocator.resize(allocator.user, table->place, 0);
  pf_arena_free(table->names_arena);
  allocator.resize(allocator.user, table, 0);
}

PfExprTable *pf_expr_table_empty(PfContext *ctx)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  PfExprTable *table = allocator->resize(allocator->user, NULL, sizeof *table);
  if (!table) return NULL;
  memset(table, 0, sizeof *table);
  table->ctx = ctx;
  table->allocator = allocator;
  table->names_arena = pf_arena_new(allocator);
  if (!table->names_arena) {
    release(table);
    return NULL;
  }
  pf_context_set_expr_table(ctx, table, release);
  return table;
}

PfExprTable *pf_expr_table(PfContext *ctx)
{
  enum { FIRST_SLOTS = 1024 };
  PfExprTable *table = pf_context_expr_table(ctx);
  if (table) return table;
  table = pf_expr_table_empty(ctx);
  if (!table) return NULL;
  const PfAllocator *allocator = table->allocator;
  table->slots = allocator->resize(allocator->user, NULL, FIRST_SLOTS*sizeof *table->slots);
  if (table->slots) {
    memset(table->slots, 0, FIRST_SLOTS*sizeof *table->slots);
    table->slot_count = FIRST_SLOTS;
    /* a first block of operands, so that those of a leaf have an address */
    if (pf_push(allocator, &table->nodes, (Node){0}) && pf_reserve(allocator, &table->args, 64)) return table;
  }
  pf_context_set_expr_table(ctx, NULL, NULL);
  release(table);
  return NULL;
}

PfExpr pf_expr_poison(PfExprTable *table, PfStatus status, const char *cause)
{
  if (table && table->failure == PF_OK) {
    table->failure = status;
    table->cause = cause;
  }
  return PF_EXPR_NONE;
}

PfStatus pf_expr_check(PfContext *ctx)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return pf_no_room(ctx, "the expression table");
  PfStatus status = table->failure;
  table->failure = PF_OK;
  PF_TRY(pf_check_cancelled(ctx)); /* also where an attempt has forgotten its failure */
  return status == PF_OK ? PF_OK : pf_fail(ctx, status, "%s", table->cause);
}

/* ---------------------------------------------------------------- interning */

static uint32_t mix(uint32_t hash, uint32_t word)
{
  hash ^= word*0x9E3779B1u;
  hash = (hash << 13) | (hash >> 19);
  return hash*5 + 0xE6546B64u;
}

static uint32_t hash_node(PfOp op, const PfExpr *args, uint32_t count)
{
  uint32_t hash = mix(0x811C9DC5u, (uint32_t)op);
  for (uint32_t i = 0; i < count; i++) hash = mix(hash, args[i]);
  hash ^= hash >> 16;
  hash *= 0x85EBCA6Bu;
  return hash ^ (hash >> 13);
}

static bool enlarge(PfExprTable *table)
{
  size_t slot_count = 2*table->slot_count;
  const PfAllocator *allocator = table->allocator;
  uint32_t *slots = allocator->resize(allocator->user, NULL, slot_count*sizeof *slots);
  if (!slots) return false;
  memset(slots, 0, slot_count*sizeof *slots);
  for (size_t i = 1; i < table->nodes.count; i++) {
    size_t slot = table->nodes.at[i].hash & (slot_count - 1);
    while (slots[slot]) slot = (slot + 1) & (slot_count - 1);
    slots[slot] = (uint32_t)i;
  }
  allocator->resize(allocator->user, table->slots, 0);
  table->slots = slots;
  table->slot_count = slot_count;
  return true;
}

/* Adds the node to the list and to the free slot. */
static PfExpr add_node(PfExprTable *table, size_t slot, Node node)
{
  if (table->nodes.count%256 == 0 && pf_context_is_cancelled(table->ctx))
    return pf_expr_poison(table, PF_ERR_CANCELLED, "stopped on request");
  if (table->nodes.count > MOST_NODES)
    return pf_expr_poison(table, PF_ERR_LIMIT, "the equations grew over 100 million terms");
  if (!pf_push(table->allocator, &table->nodes, node))
    return pf_expr_poison(table, PF_ERR_MEMORY, "no room for more expressions");
  PfExpr e = (PfExpr)(table->nodes.count - 1);
  table->slots[slot] = e;
  if (2*table->nodes.count > table->slot_count && !enlarge(table))
    return pf_expr_poison(table, PF_ERR_MEMORY, "no room for more expressions");
  return e;
}

/* The node with these operands: the one that exists, or a new one. Equal expressions have equal handles. */
PfExpr pf_intern(PfExprTable *table, PfOp op, const PfExpr *args, uint32_t count)
{
  uint32_t hash = hash_node(op, args, count);
  size_t slot = hash & (table->slot_count - 1);
  for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
    const Node *node = node_of(table, table->slots[slot]);
    if (node->hash == hash && node->op == (uint32_t)op && node->count == count &&
        (count == 0 || !memcmp(table->args.at + node->first, args, count*sizeof *args)))
      return table->slots[slot];
  }
  size_t first = table->args.count;
  if (first + count > UINT32_MAX || !pf_reserve(table->allocator, &table->args, first + count + 1))
    return pf_expr_poison(table, PF_ERR_MEMORY, "no room for more expressions");
  if (count) memcpy(table->args.at + first, args, count*sizeof *args);
  table->args.count += count;
  return add_node(table, slot, (Node){(uint32_t)first, count, hash, (uint32_t)op});
}

/* The handle of a number, which exists once for equal values: a hash table with open addressing. Numbers that are not
 * finite give PF_EXPR_NONE. */
static PfExpr find_number(PfExprTable *table, Number value)
{
  const bool exact = pf_number_is_exact(value);
  if (!exact && !isfinite(value.value))
    return pf_expr_poison(table, PF_ERR_NUMBER, "a number in a formula is too large or divided by zero");
  PfOp op = exact ? PF_OP_RATIONAL : PF_OP_DOUBLE;
  Number key = value;
  if (pf_number_is_wide(value)) key.num = pf_wide_hash(value.wide); /* not by its address */
  uint32_t words[4];
  memcpy(words, &key.num, 8);
  memcpy(words + 2, &key.den, 8);
  uint32_t hash = hash_node(op, words, 4);
  size_t slot = hash & (table->slot_count - 1);
  for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
    const Node *node = node_of(table, table->slots[slot]);
    if (node->hash == hash && node->op == (uint32_t)op && pf_number_is_same(table->numbers.at[node->first], value))
      return table->slots[slot];
  }
  if (!pf_push(table->allocator, &table->numbers, value))
    return pf_expr_poison(table, PF_ERR_MEMORY, "no room for more expressions");
  return add_node(table, slot, (Node){(uint32_t)table->numbers.count - 1, 0, hash, (uint32_t)op});
}

/* Coefficients and exponents are small whole numbers nearly always: those are remembered. */
PfExpr pf_intern_number(PfExprTable *table, Number value)
{
  if (!pf_number_is_integer(value) || value.num < -LARGEST_KEPT || value.num > LARGEST_KEPT)
    return find_number(table, value);
  PfExpr *kept = table->small + LARGEST_KEPT + value.num;
  if (*kept == PF_EXPR_NONE) *kept = find_number(table, value);
  return *kept;
}

PfExpr pf_expr_symbol(PfContext *ctx, const char *name)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return PF_EXPR_NONE;
  size_t length = strlen(name);
  uint32_t hash = (uint32_t)pf_hash_bytes(name, length, PF_OP_SYMBOL);
  size_t slot = hash & (table->slot_count - 1);
  for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
    const Node *node = node_of(table, table->slots[slot]);
    if (node->op == PF_OP_SYMBOL && node->hash == hash && !strcmp(table->names.at[node->first], name))
      return table->slots[slot];
  }
  const char *copy = pf_arena_text(table->names_arena, name, length);
  if (!copy || !pf_push(table->allocator, &table->names, copy))
    return pf_expr_poison(table, PF_ERR_MEMORY, "no room for more names");
  return add_node(table, slot, (Node){(uint32_t)table->names.count - 1, 0, hash, PF_OP_SYMBOL});
}

PfExpr pf_expr_int(PfContext *ctx, int64_t value)
{
  return pf_expr_rational(ctx, value, 1);
}

PfExpr pf_expr_rational(PfContext *ctx, int64_t num, int64_t den)
{
  PfExprTable *table = pf_expr_table(ctx);
  return table ? pf_intern_number(table, pf_number_rational(table, num, den)) : PF_EXPR_NONE;
}

PfExpr pf_expr_double(PfContext *ctx, double value)
{
  PfExprTable *table = pf_expr_table(ctx);
  return table ? pf_intern_number(table, pf_number_double(value)) : PF_EXPR_NONE;
}

PfExpr pf_expr_pi(PfContext *ctx)
{
  PfExprTable *table = pf_expr_table(ctx);
  return table ? pf_intern(table, PF_OP_PI, NULL, 0) : PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- looking */

PfOp pf_expr_op(PfContext *ctx, PfExpr e)
{
  return e == PF_EXPR_NONE ? PF_OP_NONE : op_of(pf_expr_table(ctx), e);
}

int pf_expr_arg_count(PfContext *ctx, PfExpr e)
{
  return e == PF_EXPR_NONE ? 0 : (int)node_of(pf_expr_table(ctx), e)->count;
}

PfExpr pf_expr_arg(PfContext *ctx, PfExpr e, int i)
{
  return args_of(pf_expr_table(ctx), e)[i];
}

const char *pf_expr_symbol_name(PfContext *ctx, PfExpr e)
{
  PfExprTable *table = pf_expr_table(ctx);
  return table && op_of(table, e) == PF_OP_SYMBOL ? table->names.at[node_of(table, e)->first] : NULL;
}

bool pf_expr_symbol_notation(PfContext *ctx, PfExpr e, const char *latex)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || e == PF_EXPR_NONE || op_of(table, e) != PF_OP_SYMBOL) return table != NULL;
  size_t which = node_of(table, e)->first;
  if (!latex && which >= table->notations.count) return true;
  while (table->notations.count <= which)
    if (!pf_push(table->allocator, &table->notations, NULL)) return false;
  const char *copy = latex ? pf_arena_text(table->names_arena, latex, strlen(latex)) : NULL;
  table->notations.at[which] = copy;
  return !latex || copy;
}

bool pf_expr_is_rational(PfContext *ctx, PfExpr e, int64_t *num, int64_t *den)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || op_of(table, e) != PF_OP_RATIONAL) return false;
  Number value = number_of(table, e);
  if (!pf_number_is_narrow(value)) return false;
  if (num) *num = value.num;
  if (den) *den = value.den;
  return true;
}

bool pf_expr_is_number(PfContext *ctx, PfExpr e, double *value)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || !is_number(table, e)) return false;
  if (value) *value = pf_number_value(number_of(table, e));
  return true;
}

bool pf_expr_is_int(PfContext *ctx, PfExpr e, int64_t value)
{
  PfExprTable *table = pf_expr_table(ctx);
  return table && op_of(table, e) == PF_OP_RATIONAL && pf_number_is(number_of(table, e), value);
}

bool pf_expr_is_structural_zero(PfContext *ctx, PfExpr e)
{
  return pf_expr_is_int(ctx, e, 0);
}

uint32_t pf_expr_table_size(PfContext *ctx)
{
  PfExprTable *table = pf_expr_table(ctx);
  return table ? (uint32_t)table->nodes.count - 1 : 0;
}
