/* SPDX-License-Identifier: Apache-2.0 */
/* Names for expressions that occur more than once in authored equations: sums, and products of parameters as m*R^2. A
 * name is given where it saves words, the best one first. */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  PfReducedRows *out;
  PfExpr *nodes;
  int node_count;
  size_t *uses; /* how often each node would be written */
  PfExpr *rates;
  int rate_count;
} Work;

typedef struct Choice {
  PfExpr value;
  long saving;
  bool product;
} Choice;

/* ---------------------------------------------------------------- how often */

/* The number of a node in the list, which is ascending: by bisection. */
static int place_of(const Work *w, PfExpr e)
{
  int low = 0, high = w->node_count - 1;
  while (low < high) {
    int middle = (low + high)/2;
    if (w->nodes[middle] < e) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* All nodes of the formulas, and how often each would be written: operands come before the nodes that use them, so from
 * the end every node passes on how often it is written itself. */
static PfStatus count_uses(Work *w)
{
  PfContext *ctx = w->ctx;
  PfExpr *roots;
  PF_TRY(pf_formulas_reach(ctx, w->arena, w->out->equations, w->k->count, w->out->part_values, w->out->part_count,
                           &roots, &w->nodes, &w->node_count));
  PF_TRY(pf_arrays(ctx, w->arena, "the equations", PF_ROOM(w->uses, w->node_count)));
  for (int i = 0; i < 2*w->k->count + w->out->part_count; i++) w->uses[place_of(w, roots[i])]++;
  for (int i = w->node_count; i-- > 0;) {
    PfOp op = pf_expr_op(ctx, w->nodes[i]);
    for (int k = 0; k < pf_expr_arg_count(ctx, w->nodes[i]); k++) {
      bool number = (op == PF_OP_SUM || op == PF_OP_PRODUCT) && k%2 == 1;
      if (!number) w->uses[place_of(w, pf_expr_arg(ctx, w->nodes[i], k))] += w->uses[i];
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- candidates */

/* Is it made of parameters only, without names and rates? */
static bool is_constant(const Work *w, PfExpr e)
{
  return !pf_is_moving(w->ctx, w->eq->model, w->k, e) && !pf_expr_depends(w->ctx, e, w->rates, w->rate_count) &&
         !pf_expr_depends(w->ctx, e, w->out->part_names, w->out->part_count);
}

/* e with the factor taken out, if all of it is there; else PF_EXPR_NONE. */
static PfExpr without(const Work *w, PfExpr e, PfExpr factor)
{
  PfContext *ctx = w->ctx;
  PfExpr rest = pf_expr_div(ctx, e, factor), back;
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) return PF_EXPR_NONE;
  for (int k = 0; k < pf_expr_arg_count(ctx, factor); k += 2) { /* its power may not become negative */
    double left = 0, need = 0;
    bool found = false;
    for (int j = 0; j < pf_expr_arg_count(ctx, e); j += 2) {
      if (pf_expr_arg(ctx, e, j) != pf_expr_arg(ctx, factor, k)) continue;
      found = pf_expr_is_number(ctx, pf_expr_arg(ctx, e, j + 1), &left) &&
              pf_expr_is_number(ctx, pf_expr_arg(ctx, factor, k + 1), &need) && left >= need;
    }
    if (!found) return PF_EXPR_NONE;
  }
  back = pf_expr_mul(ctx, rest, factor);
  return back == e ? rest : PF_EXPR_NONE;
}

/* Makes e the best choice if a name for it saves more tokens: each use becomes one token, and the definition is written
 * once. */
static void consider(const Work *w, PfExpr e, size_t uses, bool product, Choice *best)
{
  long words = (long)pf_expr_token_count(w->ctx, e),
      saving = (long)(uses > 10000 ? 10000 : uses)*(words - 1) - words - 2;
  if (uses < 2 || saving <= best->saving) return;
  *best = (Choice){e, saving, product};
}

/* Considers the constant factors of a product for a name: m R^2, say. */
static void consider_product(const Work *w, PfExpr e, Choice *best)
{
  /* The factors of a product that are parameters, with whole powers above the fraction line. */
  PfContext *ctx = w->ctx;
  PfExpr part = pf_expr_int(ctx, 1);
  for (int k = 0; k < pf_expr_arg_count(ctx, e); k += 2) {
    PfExpr base = pf_expr_arg(ctx, e, k), exponent = pf_expr_arg(ctx, e, k + 1);
    double value = 0;
    bool above = pf_expr_is_number(ctx, exponent, &value) && value > 0;
    if (above && pf_expr_op(ctx, base) == PF_OP_SYMBOL && is_constant(w, base))
      part = pf_expr_mul(ctx, part, pf_expr_pow(ctx, base, exponent));
  }
  size_t uses = 0;
  if (pf_expr_op(w->ctx, part) != PF_OP_PRODUCT || pf_expr_arg_count(w->ctx, part) < 4) return;
  for (int i = 0; i < w->node_count; i++)
    if (without(w, w->nodes[i], part) != PF_EXPR_NONE) uses += w->uses[i];
  consider(w, part, uses, true, best);
}

/* A sum of coordinates, as the argument of a sine: its own name says more than a new one. */
static bool is_angle(const Work *w, PfExpr e)
{
  for (int i = 2; i < pf_expr_arg_count(w->ctx, e); i += 2)
    if (pf_expr_op(w->ctx, pf_expr_arg(w->ctx, e, i)) != PF_OP_SYMBOL || is_constant(w, pf_expr_arg(w->ctx, e, i)))
      return false;
  return true;
}

/* ---------------------------------------------------------------- names */

typedef struct Replacement {
  const Work *w;
  PfExpr value, name;
  bool product;
} Replacement;

/* PfExprMap: the value, its negative, or a product that contains it, by the name. */
static PfExpr replaced(void *user, PfExpr e)
{
  const Replacement *r = user;
  if (e == r->value) return r->name;
  if (!r->product) return e == pf_expr_neg(r->w->ctx, r->value) ? pf_expr_neg(r->w->ctx, r->name) : e;
  PfExpr rest = without(r->w, e, r->value);
  return rest == PF_EXPR_NONE ? e : pf_expr_mul(r->w->ctx, rest, r->name);
}

/* Round by round: what would be written most often gets a name, until nothing saves enough tokens. */
PfStatus pf_reduced_add_names(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                              PfReducedRows *out)
{
  enum { LEAST_SAVING = 5, MOST_NAMES = 12, MOST_NODES = 700 };
  const int n = eq->n, s = k->count;
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .out = out};
  if (pf_expr_is_exhausted(ctx)) return PF_OK; /* long equations get numbered parts */
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(w.rates, n + s + out->part_count)));
  for (int i = 0; i < out->part_count; i++) w.rates[w.rate_count++] = pf_rate_symbol(ctx, out->part_names[i]);
  for (int i = 0; i < n; i++) w.rates[w.rate_count++] = eq->model->coordinates[i].a;
  for (int a = 0; a < s; a++) w.rates[w.rate_count++] = k->rate[a];
  for (int names = 0; names < MOST_NAMES && out->part_count < PF_MOST_AUTHORED; names++) {
    Choice best = {.saving = LEAST_SAVING - 1};
    PF_TRY(count_uses(&w));
    if (w.node_count > MOST_NODES) return PF_OK;
    for (int i = 0; i < w.node_count; i++) {
      PfExpr e = w.nodes[i];
      PfOp op = pf_expr_op(ctx, e);
      if (op == PF_OP_PRODUCT && w.uses[i]) consider_product(&w, e, &best);
      bool scaled = op == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 && pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
      if (op == PF_OP_SUM && !scaled && !is_angle(&w, e)) consider(&w, e, w.uses[i], false, &best);
    }
    if (best.value == PF_EXPR_NONE) return PF_OK;
    /* The best gets a name, as a sum of accelerations, a constant or something that moves, and all formulas are written
     * with it. In the end parts are sorted by their contents. */
    PfExpr rate;
    const int count = 2*s + out->part_count;
    const char *stem = pf_expr_depends(ctx, best.value, w.rates, w.rate_count) ? "s"
                       : is_constant(&w, best.value) ? "k" : "n";
    Replacement r = {.w = &w, .value = best.value, .product = best.product};
    PF_TRY(pf_reduced_name(ctx, arena, eq->model, k, stem, out, best.value, &r.name, &rate));
    for (int i = 0; i < count; i++) {
      PfExpr *formula = pf_formula_at(out->equations, s, out->part_values, i);
      PF_TRY(pf_expr_map(ctx, formula, 1, replaced, &r, formula));
    }
    PF_TRY(pf_expr_check(ctx));
  }
  return PF_OK;
}
