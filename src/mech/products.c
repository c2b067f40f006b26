/* SPDX-License-Identifier: Apache-2.0 */
/* Names for products of what moves that stand in many terms: behind a tractor every trailer goes as fast as the one
 * before times a cosine, and with c2 = c*cos(psi1), c3 = c2*cos(psi2), … equations grow by as much with each. The pair
 * of factors that stands together most often gets a name, then the next pair, of which the name may be one. */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  PfDerivation *d;
  PfExpr *nodes;
  int node_count;
} Work;

typedef struct Pair {
  PfExpr a, b;
  int uses;
} Pair;

static int root_count(const Work *w)
{
  return 2*w->d->equation_count + w->d->part_count;
}

static PfExpr *root_at(const Work *w, int i)
{
  int equations = 2*w->d->equation_count;
  if (i >= equations) return w->d->part_values + (i - equations);
  return i%2 ? &w->d->equations[i/2].right : &w->d->equations[i/2].left;
}

static PfStatus list_nodes(Work *w)
{
  int count = root_count(w);
  PfExpr *roots = pf_arena_array(w->arena, PfExpr, count);
  if (!roots) return pf_no_room(w->ctx, "the equations");
  for (int i = 0; i < count; i++) roots[i] = *root_at(w, i);
  return pf_expr_reach(w->ctx, w->arena, roots, count, &w->nodes, &w->node_count);
}

/* ---------------------------------------------------------------- pairs */

/* A factor that may be named together with another: a sine or cosine of what moves, or such a name. */
static bool is_factor(const Work *w, PfExpr base)
{
  PfOp op = pf_expr_op(w->ctx, base);
  if (op == PF_OP_SIN || op == PF_OP_COS) return pf_is_moving(w->ctx, w->eq->model, w->k, base);
  for (int i = 0; op == PF_OP_SYMBOL && i < w->d->part_count; i++)
    if (w->d->part_names[i] == base) return pf_expr_op(w->ctx, w->d->part_values[i]) == PF_OP_PRODUCT;
  return false;
}

/* Bases and whole exponents above the fraction line of the factors of e that may be named. */
static int list_factors(const Work *w, PfExpr e, PfExpr *base, int *power, int room)
{
  int count = 0;
  if (pf_expr_op(w->ctx, e) != PF_OP_PRODUCT) return 0;
  for (int k = 0; k < pf_expr_arg_count(w->ctx, e) && count < room; k += 2) {
    double exponent = 0;
    bool number = pf_expr_is_number(w->ctx, pf_expr_arg(w->ctx, e, k + 1), &exponent);
    if (!number || (exponent != 1 && exponent != 2) || !is_factor(w, pf_expr_arg(w->ctx, e, k))) continue;
    base[count] = pf_expr_arg(w->ctx, e, k);
    power[count++] = (int)exponent;
  }
  return count;
}

enum { MOST_FACTORS = 64, MOST_PAIRS = 4096 };

static int count_pair(Pair *pairs, int count, PfExpr a, PfExpr b)
{
  for (int i = 0; i < count; i++)
    if (pairs[i].a == a && pairs[i].b == b) {
      pairs[i].uses++;
      return count;
    }
  if (count < MOST_PAIRS) pairs[count++] = (Pair){a, b, 1};
  return count;
}

/* The pair that stands in most products; of equal ones the first. */
static PfStatus find_pair(const Work *w, Pair *best)
{
  PfMark mark = pf_arena_mark(w->arena);
  Pair *pairs = pf_arena_array(w->arena, Pair, MOST_PAIRS);
  int count = 0;
  if (!pairs) return pf_no_room(w->ctx, "the equations");
  for (int i = 0; i < w->node_count; i++) {
    PfExpr base[MOST_FACTORS];
    int power[MOST_FACTORS], factors = list_factors(w, w->nodes[i], base, power, MOST_FACTORS);
    for (int a = 0; a < factors; a++)
      for (int b = a + 1; b < factors; b++)
        if (power[a] == power[b]) count = count_pair(pairs, count, base[a], base[b]);
  }
  *best = (Pair){0};
  for (int i = 0; i < count; i++)
    if (pairs[i].uses > best->uses) *best = pairs[i];
  pf_arena_release(w->arena, mark);
  return PF_OK;
}

/* ---------------------------------------------------------------- names */

typedef struct Replacement {
  const Work *w;
  Pair pair;
  PfExpr name;
} Replacement;

static PfExpr replaced(void *user, PfExpr e)
{
  const Replacement *r = user;
  PfContext *ctx = r->w->ctx;
  PfExpr base[MOST_FACTORS];
  int power[MOST_FACTORS], count = list_factors(r->w, e, base, power, MOST_FACTORS), a = -1, b = -1;
  for (int i = 0; i < count; i++) {
    if (base[i] == r->pair.a) a = i;
    if (base[i] == r->pair.b) b = i;
  }
  if (a < 0 || b < 0 || power[a] != power[b]) return e;
  PfExpr both = pf_expr_mul(ctx, r->pair.a, r->pair.b);
  return pf_expr_mul(ctx, pf_expr_pow_int(ctx, pf_expr_div(ctx, r->name, both), power[a]), e);
}

static PfStatus name_pair(Work *w, Pair pair)
{
  PfDerivation *d = w->d;
  PfAuthored parts = {.part_count = d->part_count, .part_names = d->part_names, .part_values = d->part_values};
  Replacement r = {.w = w, .pair = pair};
  PfExpr rate, value = pf_expr_mul(w->ctx, pair.a, pair.b);
  int roots = root_count(w);
  PF_TRY(pf_author_name(w->ctx, w->arena, w->eq->model, w->k, "c", &parts, value, &r.name, &rate));
  for (int i = 0; i < roots; i++) PF_TRY(pf_expr_map(w->ctx, root_at(w, i), 1, replaced, &r, root_at(w, i)));
  d->part_count = parts.part_count;
  return pf_expr_check(w->ctx);
}

static size_t words(const Work *w)
{
  size_t sum = 0;
  for (int i = 0; i < root_count(w); i++) sum += pf_expr_words(w->ctx, *root_at(w, i));
  return sum;
}

PfStatus pf_name_products(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfDerivation *d)
{
  enum { LEAST_WORDS = 240, LEAST_USES = 4, MOST_NAMES = 64, MOST_NODES = 1500 };
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .d = d};
  if (words(&w) < LEAST_WORDS) return PF_OK; /* short enough without */
  size_t room = (size_t)d->part_count + MOST_NAMES;
  PfExpr *names = pf_arena_array(arena, PfExpr, room), *values = pf_arena_array(arena, PfExpr, room);
  if (!names || !values) return pf_no_room(ctx, "the equations");
  if (d->part_count) {
    memcpy(names, d->part_names, (size_t)d->part_count*sizeof *names);
    memcpy(values, d->part_values, (size_t)d->part_count*sizeof *values);
  }
  d->part_names = names;
  d->part_values = values;
  for (int i = 0; i < MOST_NAMES; i++) {
    Pair pair = {0};
    PF_TRY(list_nodes(&w));
    if (w.node_count > MOST_NODES) return PF_OK; /* nobody reads that: numbered parts will do */
    PF_TRY(find_pair(&w, &pair));
    if (pair.uses < LEAST_USES) return PF_OK;
    PF_TRY(name_pair(&w, pair));
  }
  return PF_OK;
}
