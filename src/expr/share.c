/* SPDX-License-Identifier: Apache-2.0 */
/* Takes shared parts out of long formulas, so that their text is no longer than their graph. */
#include "expr/expr_impl.h"

#include <string.h>

/* Parts lighter than this stay where they are: a name for cos(theta) helps nobody. */
enum { LEAST_WEIGHT = 8 };

typedef struct Sharing {
  PfExprTable *table;
  PfArena *arena; /* holds everything of one call */
  const char *prefix;
  PfExpr *nodes; /* of the walk over the roots */
  int node_count;
  uint32_t *uses;  /* how often each node is an operand or a root */
  size_t *weight;  /* names, numbers and signs of its text with the parts taken out */
  PfExpr *images;  /* each node in terms of the parts */
  PF_ARRAY(PfExpr) names, values;
  int latest; /* number of the latest name */
} Sharing;

/* ---------------------------------------------------------------- what is worth a name */

static void count_uses(Sharing *s, const PfExpr *roots, int count)
{
  const PfExprTable *table = s->table;
  for (int i = 0; i < s->node_count; i++)
    for (uint32_t k = 0; k < node_of(table, s->nodes[i])->count; k++)
      s->uses[table->place[args_of(table, s->nodes[i])[k]]]++;
  for (int i = 0; i < count; i++)
    if (roots[i] != PF_EXPR_NONE) s->uses[table->place[roots[i]]]++;
}

/* Coefficients and exponents 1 are not written, nor is the constant 0. */
static bool is_written(const PfExprTable *table, PfExpr e, uint32_t k)
{
  PfOp op = op_of(table, e);
  PfExpr arg = args_of(table, e)[k];
  if (!is_integer(table, arg) || (op != PF_OP_SUM && op != PF_OP_PRODUCT)) return true;
  int64_t value = number_of(table, arg).num;
  if (op == PF_OP_SUM) return k ? value != 1 && value != -1 : value != 0;
  return k%2 == 0 || value != 1;
}

static size_t weigh(const Sharing *s, PfExpr e)
{
  const PfExprTable *table = s->table;
  uint32_t count = node_of(table, e)->count;
  size_t weight = count ? 1 + count/2 : 1; /* a function's name, or a sign for every term or factor */
  for (uint32_t k = 0; k < count; k++) {
    if (!is_written(table, e, k)) continue;
    size_t part = s->weight[table->place[args_of(table, e)[k]]];
    weight = part > SIZE_MAX - weight ? SIZE_MAX : weight + part;
  }
  return weight;
}

static bool is_worth_a_name(const Sharing *s, int i)
{
  return s->uses[i] > 1 && s->weight[i] >= LEAST_WEIGHT && node_of(s->table, s->nodes[i])->count > 0;
}

/* ---------------------------------------------------------------- names */

/* Do the formulas use the symbol already? */
static bool is_taken(const PfExprTable *table, PfExpr symbol)
{
  return symbol != PF_EXPR_NONE && symbol < table->mark_room && table->stamp[symbol] == table->epoch;
}

static PfExpr next_name(Sharing *s)
{
  size_t room = strlen(s->prefix) + 16;
  char *name = pf_arena_alloc(s->arena, room, 1);
  if (!name) return pf_expr_spoil(s->table, PF_ERR_MEMORY, "no room for more names");
  PfExpr symbol;
  do {
    snprintf(name, room, "%s%d", s->prefix, ++s->latest);
    symbol = pf_expr_symbol(s->table->ctx, name);
  } while (is_taken(s->table, symbol));
  return symbol;
}

static bool take_out(Sharing *s, int i)
{
  PfExpr name = next_name(s);
  if (!pf_push(s->table->allocator, &s->names, name)) return false;
  if (!pf_push(s->table->allocator, &s->values, s->images[i])) return false;
  s->images[i] = name;
  s->weight[i] = 1;
  return true;
}

/* ---------------------------------------------------------------- sharing */

static PfStatus rewrite(Sharing *s)
{
  PfArena *scratch = pf_context_scratch(s->table->ctx);
  for (int i = 0; i < s->node_count; i++) {
    s->images[i] = s->nodes[i];
    if (node_of(s->table, s->nodes[i])->count > 0) {
      PfMark mark = pf_arena_mark(scratch);
      s->images[i] = pf_rebuild(s->table, s->nodes[i], s->images);
      pf_arena_release(scratch, mark);
    }
    s->weight[i] = weigh(s, s->nodes[i]);
    if (is_worth_a_name(s, i) && !take_out(s, i))
      return pf_no_room(s->table->ctx, "shared parts of formulas");
  }
  return pf_expr_check(s->table->ctx);
}

static PfStatus hand_over(const Sharing *s, PfArena *arena, PfParts *parts)
{
  size_t count = s->names.count;
  PfExpr *names = pf_arena_array(arena, PfExpr, count), *values = pf_arena_array(arena, PfExpr, count);
  if (!names || !values) return pf_no_room(s->table->ctx, "shared parts of formulas");
  if (count) memcpy(names, s->names.at, count*sizeof *names);
  if (count) memcpy(values, s->values.at, count*sizeof *values);
  *parts = (PfParts){(int)count, names, values};
  return PF_OK;
}

static PfStatus share(Sharing *s, PfArena *arena, PfExpr *roots, int count, PfParts *parts)
{
  PF_TRY(pf_walk(s->table, s->arena, roots, count, &s->nodes, &s->node_count));
  s->uses = pf_arena_array(s->arena, uint32_t, s->node_count);
  s->weight = pf_arena_array(s->arena, size_t, s->node_count);
  s->images = pf_arena_array(s->arena, PfExpr, s->node_count);
  if (!s->uses || !s->weight || !s->images)
    return pf_no_room(s->table->ctx, "shared parts of formulas");
  count_uses(s, roots, count);
  PF_TRY(rewrite(s));
  PF_TRY(hand_over(s, arena, parts));
  for (int i = 0; i < count; i++)
    if (roots[i] != PF_EXPR_NONE) roots[i] = s->images[s->table->place[roots[i]]];
  return PF_OK;
}

static bool is_shorter(PfContext *ctx, const PfExpr *roots, int count, size_t limit)
{
  size_t length = 0;
  for (int i = 0; i < count && length < limit; i++) {
    size_t more = pf_expr_length(ctx, roots[i]);
    length = more > SIZE_MAX - length ? SIZE_MAX : length + more;
  }
  return length < limit;
}

PfStatus pf_expr_share(PfContext *ctx, PfArena *arena, PfExpr *roots, int count, const char *prefix,
                       size_t limit, PfParts *parts)
{
  *parts = (PfParts){0};
  if (is_shorter(ctx, roots, count, limit)) return PF_OK;
  Sharing s = {.table = pf_expr_table(ctx), .prefix = prefix};
  s.arena = s.table ? pf_arena_new(s.table->allocator) : NULL;
  if (!s.arena) return pf_no_room(ctx, "shared parts of formulas");
  PfStatus status = share(&s, arena, roots, count, parts);
  pf_array_free(s.table->allocator, &s.names);
  pf_array_free(s.table->allocator, &s.values);
  pf_arena_free(s.arena);
  return status;
}
