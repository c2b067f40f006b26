/* SPDX-License-Identifier: Apache-2.0 */
/* Takes shared parts out of long formulas, so that their text is no longer than their graph. */
#include "expr/expr_impl.h"

#include <string.h>

/* Parts lighter than this stay where they are: a name for cos(theta) does not help the reader. */
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
  bool *open; /* each node: it contains a symbol that a root with this node in it shows */
  PF_ARRAY(PfExpr) names, values;
  int latest; /* number of the latest name */
} Sharing;

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

/* ---------------------------------------------------------------- names */

/* A symbol that the formulas do not use: the prefix and the next number. */
static PfExpr next_name(Sharing *s)
{
  const PfExprTable *table = s->table;
  size_t room = strlen(s->prefix) + 16;
  char *name = pf_arena_alloc(s->arena, room, 1);
  if (!name) return pf_expr_poison(s->table, PF_ERR_MEMORY, "no room for more names");
  for (;;) {
    snprintf(name, room, "%s%d", s->prefix, ++s->latest);
    PfExpr symbol = pf_expr_symbol(table->ctx, name);
    bool used = symbol != PF_EXPR_NONE && symbol < table->mark_room && table->stamp[symbol] == table->epoch;
    if (!used) return symbol;
  }
}

/* ---------------------------------------------------------------- sharing */

/* Rebuilds all nodes with names in the place of parts that are worth one. */
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
    /* The length of the node when it is written out, with named parts counted as one. */
    PfExpr e = s->nodes[i];
    const PfExprTable *table = s->table;
    uint32_t count = node_of(table, e)->count;
    size_t weight = count ? 1 + count/2 : 1; /* a function's name, or a sign for every term or factor */
    for (uint32_t k = 0; k < count; k++) {
      if (!is_written(table, e, k)) continue;
      size_t part = s->weight[table->place[args_of(table, e)[k]]];
      weight = part > SIZE_MAX - weight ? SIZE_MAX : weight + part;
    }
    s->weight[i] = weight;
    if (s->uses[i] < 2 || weight < LEAST_WEIGHT || count == 0 || s->open[i]) continue;
    PfExpr name = next_name(s);
    if (!pf_push(table->allocator, &s->names, name) || !pf_push(table->allocator, &s->values, s->images[i]))
      return pf_no_room(table->ctx, "shared parts of formulas");
    s->images[i] = name;
    s->weight[i] = 1;
  }
  return pf_expr_check(s->table->ctx);
}

/* Down from the roots that show symbols, then up from the symbols: operands come before what uses them. */
static PfStatus mark_open(Sharing *s, const PfExpr *roots, int count, const PfShown *shown)
{
  const PfExprTable *table = s->table;
  bool *contains;
  PF_TRY(pf_arrays(table->ctx, s->arena, "shared parts of formulas", PF_ROOM(contains, s->node_count)));
  for (int i = 0; i < count; i++)
    if (roots[i] != PF_EXPR_NONE && shown->roots[i]) s->open[table->place[roots[i]]] = true;
  for (int i = s->node_count; i-- > 0;)
    for (uint32_t k = 0; s->open[i] && k < node_of(table, s->nodes[i])->count; k++)
      s->open[table->place[args_of(table, s->nodes[i])[k]]] = true;
  for (int i = 0; i < s->node_count; i++) {
    const uint32_t operands = node_of(table, s->nodes[i])->count;
    for (int k = 0; k < shown->count && operands == 0; k++)
      contains[i] = contains[i] || shown->symbols[k] == s->nodes[i];
    for (uint32_t k = 0; k < operands; k++)
      contains[i] = contains[i] || contains[table->place[args_of(table, s->nodes[i])[k]]];
    s->open[i] = s->open[i] && contains[i];
  }
  return PF_OK;
}

/* Counts uses, names shared parts and rewrites the roots. */
static PfStatus share(Sharing *s, PfArena *arena, PfExpr *roots, int count, const PfShown *shown, PfParts *parts)
{
  PF_TRY(pf_walk(s->table, s->arena, roots, count, &s->nodes, &s->node_count));
  PF_TRY(pf_arrays(s->table->ctx, s->arena, "shared parts of formulas", PF_ROOM(s->uses, s->node_count),
                   PF_ROOM(s->weight, s->node_count), PF_ROOM(s->images, s->node_count),
                   PF_ROOM(s->open, s->node_count)));
  /* How often each node is an operand or a result. */
  const PfExprTable *table = s->table;
  for (int i = 0; i < s->node_count; i++)
    for (uint32_t k = 0; k < node_of(table, s->nodes[i])->count; k++)
      s->uses[table->place[args_of(table, s->nodes[i])[k]]]++;
  for (int i = 0; i < count; i++)
    if (roots[i] != PF_EXPR_NONE) s->uses[table->place[roots[i]]]++;
  if (shown) PF_TRY(mark_open(s, roots, count, shown));
  PF_TRY(rewrite(s));
  size_t found = s->names.count;
  PfExpr *names = pf_arena_array(arena, PfExpr, found), *values = pf_arena_array(arena, PfExpr, found);
  if (!names || !values) return pf_no_room(s->table->ctx, "shared parts of formulas");
  if (found) memcpy(names, s->names.at, found*sizeof *names);
  if (found) memcpy(values, s->values.at, found*sizeof *values);
  *parts = (PfParts){(int)found, names, values};
  for (int i = 0; i < count; i++)
    if (roots[i] != PF_EXPR_NONE) roots[i] = s->images[s->table->place[roots[i]]];
  return PF_OK;
}

PfStatus pf_expr_share_around(PfContext *ctx, PfArena *arena, PfExpr *roots, int count, const PfShown *shown,
                              const char *prefix, size_t limit, PfParts *parts)
{
  *parts = (PfParts){0};
  size_t length = 0;
  for (int i = 0; i < count && length < limit; i++) {
    size_t more = pf_expr_length(ctx, roots[i]);
    length = more > SIZE_MAX - length ? SIZE_MAX : length + more;
  }
  if (length < limit) return PF_OK;
  Sharing s = {.table = pf_expr_table(ctx), .prefix = prefix};
  s.arena = s.table ? pf_arena_new(s.table->allocator) : NULL;
  if (!s.arena) return pf_no_room(ctx, "shared parts of formulas");
  PfStatus status = share(&s, arena, roots, count, shown, parts);
  pf_array_free(s.table->allocator, &s.names);
  pf_array_free(s.table->allocator, &s.values);
  pf_arena_free(s.arena);
  return status;
}

PfStatus pf_expr_share(PfContext *ctx, PfArena *arena, PfExpr *roots, int count, const char *prefix, size_t limit,
                       PfParts *parts)
{
  return pf_expr_share_around(ctx, arena, roots, count, NULL, prefix, limit, parts);
}
