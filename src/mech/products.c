/* SPDX-License-Identifier: Apache-2.0 */
/* Names for products of moving factors that occur in many terms: in a train of trailers each one is as fast as the one
 * ahead times a cosine, and with c2 = c*cos(psi1), c3 = c2*cos(psi2), … the equations grow by the same amount with each
 * trailer. The pair of factors that occurs most often gets a name, then the next pair, which may contain that name. */
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

/* ---------------------------------------------------------------- pairs */

/* A factor that may be named together with another: a sine or cosine of a moving quantity, or such a name. */
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

/* The pair that stands in most products; of equal ones the first. */
static PfStatus find_pair(const Work *w, Pair *best)
{
  PfMark mark = pf_arena_mark(w->arena);
  Pair *pairs;
  int count = 0;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the equations", PF_ROOM(pairs, MOST_PAIRS + 1)));
  for (int i = 0; i < w->node_count; i++) {
    PfExpr base[MOST_FACTORS];
    int power[MOST_FACTORS], factors = list_factors(w, w->nodes[i], base, power, MOST_FACTORS);
    for (int a = 0; a < factors; a++)
      for (int b = a + 1; b < factors; b++) {
        int k = 0;
        if (power[a] != power[b]) continue;
        while (k < count && (pairs[k].a != base[a] || pairs[k].b != base[b])) k++;
        pairs[k] = (Pair){base[a], base[b], k < count ? pairs[k].uses + 1 : 1};
        if (k == count && count < MOST_PAIRS) count++; /* there is room for one that is not counted */
      }
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

/* A product with the name in the place of the pair, where both have the same power. */
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

/* Gives the product of the pair a name, and writes all formulas with it. */
static PfStatus name_pair(Work *w, Pair pair)
{
  PfDerivation *d = w->d;
  PfReducedRows parts = {.part_count = d->part_count, .part_names = d->part_names, .part_values = d->part_values};
  Replacement r = {.w = w, .pair = pair};
  PfExpr rate, value = pf_expr_mul(w->ctx, pair.a, pair.b);
  const int roots = 2*d->equation_count + d->part_count;
  PF_TRY(pf_reduced_name(w->ctx, w->arena, w->eq->model, w->k, "c", &parts, value, &r.name, &rate));
  for (int i = 0; i < roots; i++) {
    PfExpr *formula = pf_formula_at(d->equations, d->equation_count, d->part_values, i);
    PF_TRY(pf_expr_map(w->ctx, formula, 1, replaced, &r, formula));
  }
  d->part_count = parts.part_count;
  return pf_expr_check(w->ctx);
}

/* Round by round, as long as a pair of factors stands in several products. Short derivations need no such names, and
 * very long ones are not read. */
PfStatus pf_name_products(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfDerivation *d)
{
  enum { LEAST_WORDS = 240, LEAST_USES = 4, MOST_NAMES = 64, MOST_NODES = 1500 };
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .d = d};
  size_t words = 0;
  for (int i = 0; i < 2*d->equation_count + d->part_count; i++)
    words += pf_expr_token_count(ctx, *pf_formula_at(d->equations, d->equation_count, d->part_values, i));
  if (words < LEAST_WORDS) return PF_OK; /* short enough without */
  PfExpr *names, *values;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(names, d->part_count + MOST_NAMES),
                   PF_ROOM(values, d->part_count + MOST_NAMES)));
  if (d->part_count) {
    memcpy(names, d->part_names, (size_t)d->part_count*sizeof *names);
    memcpy(values, d->part_values, (size_t)d->part_count*sizeof *values);
  }
  d->part_names = names;
  d->part_values = values;
  for (int i = 0; i < MOST_NAMES; i++) {
    Pair pair = {0};
    PF_TRY(pf_formulas_reach(ctx, arena, d->equations, d->equation_count, d->part_values, d->part_count, NULL, &w.nodes,
                             &w.node_count));
    if (w.node_count > MOST_NODES) return PF_OK; /* too long to be read: numbered parts will do */
    PF_TRY(find_pair(&w, &pair));
    if (pair.uses < LEAST_USES) return PF_OK;
    PF_TRY(name_pair(&w, pair));
  }
  return PF_OK;
}
