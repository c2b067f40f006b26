/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that make the equations jump or bend: sign, abs, min, max and the comparisons in 'if'. Each has a surface
 * g(q, q', t) = 0. Here the sign of g is taken out of the equations and becomes an argument of them, its side s = +-1:
 *
 *   sign(g) = s,   abs(g) = s g,   max(a, b) = a where s > 0 else b,   (a < b) = (1 - s)/2   with g = a - b.
 *
 * With the sides held the equations are smooth, also beyond the surface: an integrator steps over it without noticing,
 * the crossing is located, and the other side is taken from there. On the surface s may be anything from -1 to 1, which
 * is Filippov's motion along it: the force is the convex combination of those of both sides, so it is affine in s
 * however the law is written (make_affine). s = 0 stands for a surface on which the motion rests by itself, and the
 * formulas have the values that they have there. Expressions with the same zeros are one surface (side_of). */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

typedef struct Finder {
  PfContext *ctx;
  PfArena *arena;
  PfSwitches *found;
  int room;
  const PfExpr *moving, *others; /* time, coordinates, velocities; multipliers, accelerations and speeds */
  int moving_count, other_count;
  int depth;                     /* sides that the argument being read was split by */
  bool known_only;               /* no further surfaces are taken up */
  bool failed;
} Finder;

/* ---------------------------------------------------------------- surfaces */

/* g without its leading factor; *sign is that of the factor. */
static PfExpr without_factor(PfContext *ctx, PfExpr g, int *sign)
{
  double factor;
  *sign = 1;
  if (pf_expr_op(ctx, g) != PF_OP_SUM || !pf_expr_is_number(ctx, pf_expr_arg(ctx, g, 1), &factor)) return g;
  *sign = factor < 0 ? -1 : 1;
  PfExpr size = pf_expr_arg(ctx, g, 1);
  return pf_expr_div(ctx, g, size);
}

/* Is h = c g with a c made of parameters? It is where all derivatives of h/g by moving quantities vanish:
 * g dh/dy = h dg/dy. A c in which the state is written all the same has its value anywhere. */
static bool find_ratio(const Finder *f, PfExpr h, PfExpr g, PfExpr *dh, PfExpr *dg, PfExpr *c)
{
  PfContext *ctx = f->ctx;
  int n = f->moving_count, y = -1;
  if (pf_expr_gradient(ctx, h, f->moving, n, dh) != PF_OK) return false;
  if (pf_expr_gradient(ctx, g, f->moving, n, dg) != PF_OK) return false;
  for (int i = 0; i < n; i++) {
    bool none = pf_expr_is_structural_zero(ctx, dg[i]);
    if (none != pf_expr_is_structural_zero(ctx, dh[i])) return false;
    if (!none && y < 0) y = i;
  }
  if (y < 0) return false;
  for (int i = y; i < n; i++) {
    PfExpr left = pf_expr_sub(ctx, pf_expr_mul(ctx, g, dh[i]), pf_expr_mul(ctx, h, dg[i]));
    if (!pf_expr_is_structural_zero(ctx, left) && pf_expr_is_probably_zero(ctx, left, 2) != PF_TRUE) return false;
  }
  *c = pf_expr_div(ctx, dh[y], dg[y]);
  if (!pf_expr_depends(ctx, *c, f->moving, n)) return *c != PF_EXPR_NONE;
  for (int i = 0; i < n; i++) dh[i] = pf_expr_rational(ctx, 2*i + 3, 2*i + 8);
  if (pf_expr_substitute(ctx, c, 1, f->moving, dh, n, c) != PF_OK) *c = PF_EXPR_NONE;
  return *c != PF_EXPR_NONE;
}

/* Is h = c g with a c made of parameters? */
static bool is_multiple(const Finder *f, PfExpr h, PfExpr g, PfExpr *c)
{
  PfArena *scratch = pf_context_scratch(f->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *gradients = pf_arena_array(scratch, PfExpr, 2*f->moving_count);
  bool is = gradients && find_ratio(f, h, g, gradients, gradients + f->moving_count, c);
  pf_arena_release(scratch, mark);
  return is;
}

/* The number of a new surface g = 0, or -1 without memory. */
static int add_surface(Finder *f, PfExpr g)
{
  PfSwitches *s = f->found;
  char name[32];
  if (s->count == f->room) {
    const int room = f->room ? 2*f->room : 8;
    PfSwitch *more = pf_arena_array(f->arena, PfSwitch, room);
    f->failed = f->failed || !more;
    if (!more) return -1;
    if (s->count) memcpy(more, s->at, (size_t)s->count*sizeof *more);
    s->at = more;
    f->room = room;
  }
  snprintf(name, sizeof name, "side %d", s->count + 1); /* with a blank, which no name of a model contains */
  s->at[s->count] = (PfSwitch){.surface = g, .mode = pf_expr_symbol(f->ctx, name)};
  return s->count++;
}

/* The side of g, no product, as an expression: the symbol of the surface on which g is zero, with the sign of g over
 * that of the surface. PF_EXPR_NONE: there is no such surface, and none may be added. */
static PfExpr side_of_one(Finder *f, PfExpr g, PfOp op)
{
  const PfSwitches *s = f->found;
  int turned, k = 0;
  PfExpr ratio = PF_EXPR_NONE, surface = without_factor(f->ctx, g, &turned), sign = pf_expr_int(f->ctx, 1);
  while (k < s->count && s->at[k].surface != surface) k++;
  if (k == s->count) {
    for (k = 0; k < s->count && !is_multiple(f, surface, s->at[k].surface, &ratio);) k++;
    if (k < s->count) sign = pf_expr_call1(f->ctx, PF_OP_SIGN, ratio);
    else k = f->known_only ? -1 : add_surface(f, surface);
  }
  if (k < 0) return PF_EXPR_NONE;
  PfSwitch *found = f->found->at + k;
  if (op == PF_OP_LESS || op == PF_OP_LESS_EQUAL) found->compared = true;
  PfExpr side = pf_expr_mul(f->ctx, sign, found->mode);
  return turned < 0 ? pf_expr_neg(f->ctx, side) : side;
}

/* Does it change along the motion, as a function of the state alone? Forces of constraints are handled where they are
 * found. */
static bool switches(const Finder *f, PfExpr g)
{
  return pf_expr_depends(f->ctx, g, f->moving, f->moving_count) &&
         !pf_expr_depends(f->ctx, g, f->others, f->other_count);
}

/* Does e contain the side of a surface? */
static bool has_side(const Finder *f, PfExpr e)
{
  for (int k = 0; k < f->found->count; k++)
    if (pf_expr_depends(f->ctx, e, &f->found->at[k].mode, 1)) return true;
  return false;
}

/* Are all powers of the product odd, so that its sign is the product of the signs of its factors? */
static bool has_odd_powers(PfContext *ctx, PfExpr product)
{
  int64_t power, below;
  for (int i = 1; i < pf_expr_arg_count(ctx, product); i += 2) {
    if (!pf_expr_is_rational(ctx, pf_expr_arg(ctx, product, i), &power, &below)) return false;
    if (below != 1 || power%2 == 0) return false;
  }
  return true;
}

/* The side of g as an expression. A product has the surfaces of its factors: m*x' that of x', whatever m is. */
static PfExpr side_of(Finder *f, PfExpr g, PfOp op)
{
  int turned;
  PfContext *ctx = f->ctx;
  PfExpr product = without_factor(ctx, g, &turned), side = pf_expr_int(ctx, turned);
  if (pf_expr_op(ctx, product) != PF_OP_PRODUCT || !has_odd_powers(ctx, product)) return side_of_one(f, g, op);
  for (int i = 0; i < pf_expr_arg_count(ctx, product); i += 2) {
    PfExpr base = pf_expr_arg(ctx, product, i);
    PfExpr own = switches(f, base) ? side_of_one(f, base, op) : pf_expr_call1(ctx, PF_OP_SIGN, base);
    if (own == PF_EXPR_NONE) return own;
    side = pf_expr_mul(ctx, side, own);
  }
  return side;
}

/* ---------------------------------------------------------------- what stands in the place of each function */

/* A condition c that may be anything from 0 to 1: where it is 0 or 1 only one case is evaluated, and the other need not
 * exist. Beyond that range the result is continued linearly, for iterations that search for c. */
static PfExpr choose(PfContext *ctx, PfExpr c, PfExpr yes, PfExpr no)
{
  PfExpr one = pf_expr_int(ctx, 1), zero = pf_expr_int(ctx, 0);
  if (yes == no) return yes;
  PfExpr part = pf_expr_mul(ctx, c, pf_expr_sub(ctx, yes, no));
  PfExpr otherwise = pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, c, zero), no, pf_expr_add(ctx, no, part));
  return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, c, one), yes, otherwise);
}

/* Logic on numbers from 0 to 1. */
static PfExpr logic(PfContext *ctx, PfOp op, PfExpr a, PfExpr b)
{
  PfExpr one = pf_expr_int(ctx, 1);
  if (op == PF_OP_NOT) return pf_expr_sub(ctx, one, a);
  PfExpr both = pf_expr_mul(ctx, a, b);
  return op == PF_OP_AND ? both : pf_expr_sub(ctx, pf_expr_add(ctx, a, b), both);
}

/* The value `above` where s = 1, `below` where s = -1 and `on` where s = 0; Filippov's combination between. Where s is
 * a side only its own case is evaluated: the other one need not exist there. */
static PfExpr combine(PfContext *ctx, PfExpr s, PfExpr above, PfExpr below, PfExpr on)
{
  if (above == below && above == on) return above;
  PfExpr half = pf_expr_rational(ctx, 1, 2), one = pf_expr_int(ctx, 1);
  PfExpr mean = pf_expr_mul(ctx, half, pf_expr_add(ctx, above, below));
  PfExpr jump = pf_expr_mul(ctx, half, pf_expr_sub(ctx, above, below));
  PfExpr between = pf_expr_add(ctx, mean, pf_expr_mul(ctx, s, jump));
  PfExpr rest = pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, s, pf_expr_int(ctx, 0)), on, between);
  rest = pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, s, pf_expr_neg(ctx, one)), below, rest);
  return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, s, one), above, rest);
}

/* e where the side s is 1, -1 and 0. */
typedef struct Cases {
  PfExpr above, below, on;
} Cases;

/* e with a number in the place of the side s; PF_EXPR_NONE when that fails. */
static PfExpr with_mode(PfContext *ctx, PfExpr e, PfExpr s, int value)
{
  PfExpr number = pf_expr_int(ctx, value);
  return pf_expr_substitute(ctx, &e, 1, &s, &number, 1, &e) == PF_OK ? e : PF_EXPR_NONE;
}

/* The three cases of e. Where e divides by an expression of the side, it may have no value at s = 0: there it is the
 * mean of both sides. */
static Cases cases_of(const Finder *f, PfExpr e, PfExpr s)
{
  PfContext *ctx = f->ctx;
  Cases c = {with_mode(ctx, e, s, 1), with_mode(ctx, e, s, -1), PF_EXPR_NONE};
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes;
  int count;
  bool divides = pf_expr_reach(ctx, scratch, &e, 1, &nodes, &count) != PF_OK;
  for (int i = 0; !divides && i < count; i++)
    for (int j = 0; pf_expr_op(ctx, nodes[i]) == PF_OP_PRODUCT && j < pf_expr_arg_count(ctx, nodes[i]); j += 2) {
      double power;
      bool positive = pf_expr_is_number(ctx, pf_expr_arg(ctx, nodes[i], j + 1), &power) && power > 0;
      divides = divides || (!positive && pf_expr_depends(ctx, pf_expr_arg(ctx, nodes[i], j), &s, 1));
    }
  pf_arena_release(scratch, mark);
  c.on = !divides ? with_mode(ctx, e, s, 0)
                  : pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_add(ctx, c.above, c.below));
  return c;
}

/* The first side by which g jumps. (With abs, min and max of others in it, g only bends.) */
static int jumping_side(const Finder *f, PfExpr g)
{
  for (int k = 0; k < f->found->count; k++) {
    const PfSwitch *w = f->found->at + k;
    PfExpr ratio;
    if (!pf_expr_depends(f->ctx, g, &w->mode, 1)) continue;
    PfExpr jump = pf_expr_sub(f->ctx, with_mode(f->ctx, g, w->mode, 1), with_mode(f->ctx, g, w->mode, -1));
    if (!pf_expr_is_structural_zero(f->ctx, jump) && !is_multiple(f, jump, w->surface, &ratio)) return k;
  }
  return -1;
}

static PfExpr image_of(void *user, PfExpr e);

/* A function whose argument jumps with the side of another surface is two functions, one for each side: each has a
 * surface of its own without a jump in it. */
static PfExpr split(Finder *f, PfExpr e, int k)
{
  PfExpr s = f->found->at[k].mode;
  Cases c = cases_of(f, e, s);
  f->depth++;
  c = (Cases){image_of(f, c.above), image_of(f, c.below), image_of(f, c.on)};
  f->depth--;
  return combine(f->ctx, s, c.above, c.below, c.on);
}

/* sign, abs, min, max or a comparison, with its deciding expression as g. */
static PfExpr image_of_switch(Finder *f, PfExpr e, PfExpr g)
{
  enum { DEEPEST = 4 }; /* of arguments with more sides than that the cases are too many */
  PfContext *ctx = f->ctx;
  PfOp op = pf_expr_op(ctx, e);
  if (!switches(f, g)) return e;
  int jumps = f->depth < DEEPEST ? jumping_side(f, g) : -1;
  if (jumps >= 0) return split(f, e, jumps);
  PfExpr side = side_of(f, g, op);
  if (side == PF_EXPR_NONE) return f->known_only ? e : side;
  if (op == PF_OP_SIGN) return side;
  if (op == PF_OP_ABS) return pf_expr_mul(ctx, side, g);
  if (op == PF_OP_LESS || op == PF_OP_LESS_EQUAL) {
    /* (1 - s)/2, and where the motion rests on the surface, s = 0, the result of the comparison for equal numbers. */
    PfExpr one = pf_expr_int(ctx, 1), zero = pf_expr_int(ctx, 0);
    PfExpr part = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_sub(ctx, one, side));
    return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, side, zero), op == PF_OP_LESS_EQUAL ? one : zero, part);
  }
  PfExpr a = pf_expr_arg(ctx, e, 0), b = pf_expr_arg(ctx, e, 1); /* min or max */
  PfExpr zero = pf_expr_int(f->ctx, 0), above = pf_expr_call2(f->ctx, PF_OP_LESS, zero, side);
  return op == PF_OP_MAX ? pf_expr_if(f->ctx, above, a, b) : pf_expr_if(f->ctx, above, b, a);
}

/* Powers of a side are the side itself or 1: x'/abs(x') is sign(x'). */
static PfExpr without_powers(const Finder *f, PfExpr product)
{
  PfContext *ctx = f->ctx;
  PfExpr result = product;
  int64_t power, below;
  for (int i = 0; i < pf_expr_arg_count(ctx, product); i += 2) {
    PfExpr base = pf_expr_arg(ctx, product, i);
    bool side = false;
    for (int k = 0; k < f->found->count; k++) side = side || f->found->at[k].mode == base;
    if (!side || !pf_expr_is_rational(ctx, pf_expr_arg(ctx, product, i + 1), &power, &below)) continue;
    if (below != 1 || power == 1) continue;
    result = pf_expr_mul(ctx, result, pf_expr_pow_int(ctx, base, (int)(power%2 != 0) - (int)power));
  }
  return result;
}

/* The replacement of a node: functions with a zero crossing are written with the discrete mode of their surface. */
static PfExpr image_of(void *user, PfExpr e)
{
  Finder *f = user;
  PfContext *ctx = f->ctx;
  PfOp op = pf_expr_op(ctx, e);
  int count = op > PF_OP_PRODUCT ? pf_expr_arg_count(ctx, e) : 0;
  PfExpr a = count > 0 ? pf_expr_arg(ctx, e, 0) : PF_EXPR_NONE, b = count > 1 ? pf_expr_arg(ctx, e, 1) : PF_EXPR_NONE;
  switch (op) {
  case PF_OP_SIGN:
  case PF_OP_ABS: return image_of_switch(f, e, a);
  case PF_OP_MIN:
  case PF_OP_MAX:
  case PF_OP_LESS:
  case PF_OP_LESS_EQUAL: return image_of_switch(f, e, pf_expr_sub(ctx, a, b));
  case PF_OP_AND:
  case PF_OP_OR:
  case PF_OP_NOT: return has_side(f, e) ? logic(ctx, op, a, b) : e;
  case PF_OP_IF: return has_side(f, a) ? choose(ctx, a, b, pf_expr_arg(ctx, e, 2)) : e;
  case PF_OP_PRODUCT: return without_powers(f, e);
  default: return e;
  }
}

/* ---------------------------------------------------------------- affine in every side */

/* Cases for single values of sides (s = 0, one case alone) do not concern values in between. */
static PfExpr without_single_values(void *user, PfExpr e)
{
  const Finder *f = user;
  return pf_expr_op(f->ctx, e) == PF_OP_EQUAL && has_side(f, e) ? pf_expr_int(f->ctx, 0) : e;
}

/* Is the derivative of e by s free of s? */
static bool is_affine(Finder *f, PfExpr e, PfExpr s)
{
  PfExpr between = e;
  if (pf_expr_map(f->ctx, &e, 1, without_single_values, f, &between) != PF_OK) return true;
  return !pf_expr_depends(f->ctx, pf_expr_diff(f->ctx, between, s), &s, 1);
}

/* A law in which one switch stands twice, as if(x' > 0, F1, F2)*sign(x'), or inside another function. */
static PfExpr affine_term(Finder *f, PfExpr term)
{
  enum { MOST = 6 };
  int changed = 0;
  for (int k = 0; k < f->found->count && changed < MOST; k++) {
    PfExpr s = f->found->at[k].mode;
    if (!pf_expr_depends(f->ctx, term, &s, 1) || is_affine(f, term, s)) continue;
    Cases c = cases_of(f, term, s);
    term = combine(f->ctx, s, c.above, c.below, c.on);
    changed++;
  }
  return term;
}

/* e with affine_term of every term. */
static PfExpr make_affine(Finder *f, PfExpr e)
{
  PfContext *ctx = f->ctx;
  if (e == PF_EXPR_NONE || !has_side(f, e)) return e;
  if (pf_expr_op(ctx, e) != PF_OP_SUM) return affine_term(f, e);
  PfExpr sum = pf_expr_arg(ctx, e, 0);
  for (int i = 1; i < pf_expr_arg_count(ctx, e); i += 2)
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, pf_expr_arg(ctx, e, i), affine_term(f, pf_expr_arg(ctx, e, i + 1))));
  return sum;
}

/* ---------------------------------------------------------------- the equations */

/* Every expression of the equations and of the model that motion is computed from, in one list. */
static PfExpr *list_all(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfEquations *out, size_t *count)
{
  size_t n = (size_t)eq->n, m = (size_t)eq->m, whole = !eq->in_bodies; /* Matrix-free equations have no inertia */
  struct {
    const PfExpr *from;
    PfExpr **to;
    size_t count;
  } parts[] = {{eq->M, &out->M, whole*n*n}, {eq->F, &out->F, whole*n}, {eq->C, &out->C, n},
               {eq->applied, &out->applied, n},
               {eq->A, &out->A, m*n}, {eq->b, &out->b, m}, {eq->position, &out->position, m},
               {eq->velocity, &out->velocity, m}, {eq->rate, &out->rate, n},
               {eq->momentum, &out->momentum, whole*n}};
  enum { PARTS = sizeof parts/sizeof *parts };
  *count = 4;
  for (size_t i = 0; i < PARTS; i++) *count += parts[i].count;
  PfExpr *list = pf_arena_array(arena, PfExpr, *count), *at = list;
  if (!list) {
    (void)pf_no_room(ctx, "the switches of the equations");
    return NULL;
  }
  for (size_t i = 0; i < PARTS; i++) {
    *parts[i].to = at;
    if (parts[i].count && parts[i].from) memcpy(at, parts[i].from, parts[i].count*sizeof *at);
    at += parts[i].count;
  }
  at[0] = eq->kinetic, at[1] = eq->potential, at[2] = eq->model->kinetic, at[3] = eq->model->potential;
  return list;
}

/* Inputs that are set from outside stay symbols. */
PfStatus pf_insert_inputs(PfContext *ctx, const PfModel *model, PfExpr *list, size_t count)
{
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_substitute(ctx, list, (int)count, &model->inputs[i].symbol, &model->inputs[i].value, 1, list));
  return PF_OK;
}

/* In their order: a function may contain time and parameters only. */
PfStatus pf_evaluate_inputs(PfContext *ctx, const PfModel *model, const PfSymbols *symbols, double *values)
{
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_evaluate(ctx, &model->inputs[i].value, 1, symbols->symbol, values, symbols->count,
                              values + symbols->inputs + i));
  return PF_OK;
}

/* Symbols of the state, on which zero crossings depend, and those on which they must not. */
static PfStatus list_symbols(Finder *f, const PfModel *model)
{
  size_t n = (size_t)model->coordinate_count, m = (size_t)model->constraint_count, u = (size_t)model->speed_count;
  PfExpr *moving = pf_arena_array(f->arena, PfExpr, 2*n + 1), *others = pf_arena_array(f->arena, PfExpr, n + m + u);
  if (!moving || !others) return pf_no_room(f->ctx, "the switches of the equations");
  for (size_t i = 0; i < n; i++) {
    moving[2*i] = model->coordinates[i].q;
    moving[2*i + 1] = model->coordinates[i].v;
    others[i] = model->coordinates[i].a;
  }
  moving[2*n] = model->time;
  for (size_t k = 0; k < m; k++) others[n + k] = model->constraints[k].multiplier;
  for (size_t a = 0; a < u; a++) others[n + m + a] = model->speeds[a].symbol;
  f->moving = moving, f->moving_count = (int)(2*n + 1);
  f->others = others, f->other_count = (int)(n + m + u);
  return PF_OK;
}

/* A look that costs little: most models have nothing that switches. */
PfStatus pf_may_switch(PfContext *ctx, PfArena *arena, const PfExpr *list, int count, bool *may)
{
  PfExpr *nodes;
  int node_count;
  *may = false;
  PF_TRY(pf_expr_reach(ctx, arena, list, count, &nodes, &node_count));
  for (int i = 0; i < node_count && !*may; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    *may = op == PF_OP_SIGN || op == PF_OP_ABS || op == PF_OP_MIN || op == PF_OP_MAX || op == PF_OP_IF ||
           op == PF_OP_LESS || op == PF_OP_LESS_EQUAL;
  }
  return PF_OK;
}

/* Do the equations, or the functions of time of inputs, switch? Lists of large systems are long: that is found out on a
 * copy that is freed. */
static PfStatus any_switches(PfContext *ctx, const PfEquations *equations, bool *may)
{
  const PfModel *model = equations->model;
  PfEquations copy;
  size_t count;
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  PfExpr *list = scratch ? list_all(ctx, scratch, equations, &copy, &count) : NULL;
  PfStatus status = list ? pf_may_switch(ctx, scratch, list, (int)count, may) : PF_ERR_MEMORY;
  for (int i = 0; i < model->input_count && status == PF_OK && !*may; i++)
    if (model->inputs[i].value) status = pf_may_switch(ctx, scratch, &model->inputs[i].value, 1, may);
  pf_arena_free(scratch);
  return status;
}

/* Rates are written in speeds, constraints in velocities: max(u, 2) in the rate of z and max(x', 2) in a constraint are
 * one switch where x' = u. With the rates put into the known surfaces they are recognised, and the rates get the same
 * sides. A switch in the rates alone stays as it is: accelerations do not depend on how velocities are parametrised. */
static PfStatus switch_rates(PfContext *ctx, PfArena *arena, PfSwitches *s)
{
  const PfModel *model = &s->model;
  const int n = model->coordinate_count, speeds = model->speed_count;
  PfSwitches by_speeds = *s;
  PfExpr *moving; /* the symbols that rates consist of: coordinates, speeds in place of the velocities, time */
  if (!s->count || !speeds) return PF_OK;
  PF_TRY(pf_arrays(ctx, arena, "the switches of the equations", PF_ROOM(by_speeds.at, s->count),
                   PF_ROOM(moving, n + speeds + 1)));
  for (int k = 0; k < s->count; k++) {
    PfExpr *surface = &by_speeds.at[k].surface;
    by_speeds.at[k] = s->at[k];
    PF_TRY(pf_put_velocities(model, s->equations.rate, surface, 1, surface));
  }
  for (int i = 0; i < n; i++) moving[i] = model->coordinates[i].q;
  for (int a = 0; a < speeds; a++) moving[n + a] = model->speeds[a].symbol;
  moving[n + speeds] = model->time;
  Finder f = {.ctx = ctx, .arena = arena, .found = &by_speeds, .known_only = true, .moving = moving,
              .moving_count = n + speeds + 1};
  return pf_expr_map(ctx, s->equations.rate, n, image_of, &f, s->equations.rate);
}

/* Every expression of the equations is rewritten in one pass; forces are made affine in each side afterwards. Models
 * without switches, which most are, share the lists of the original. */
PfStatus pf_switches_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfSwitches *s)
{
  const PfModel *model = equations->model;
  PfEquations *eq = &s->equations;
  Finder f = {.ctx = ctx, .arena = arena, .found = s};
  size_t count;
  bool may;
  *s = (PfSwitches){.model = *model, .equations = *equations};
  PF_TRY(any_switches(ctx, equations, &may));
  if (!may) return PF_OK;
  PfExpr *list = list_all(ctx, arena, equations, eq, &count);
  if (!list) return PF_ERR_MEMORY;
  PF_TRY(pf_insert_inputs(ctx, model, list, count));
  PF_TRY(list_symbols(&f, model));
  PF_TRY(pf_expr_map(ctx, list, (int)count, image_of, &f, list));
  if (f.failed) return pf_no_room(ctx, "the switches of the equations");
  eq->kinetic = list[count - 4];
  eq->potential = list[count - 3];
  s->model.kinetic = list[count - 2];
  s->model.potential = list[count - 1];
  eq->model = &s->model;
  for (int i = 0; i < eq->n; i++) {
    if (!eq->in_bodies) eq->F[i] = make_affine(&f, eq->F[i]);
    eq->C[i] = make_affine(&f, eq->C[i]);
    eq->applied[i] = make_affine(&f, eq->applied[i]);
  }
  PF_TRY(switch_rates(ctx, arena, s));
  /* The sides are inputs without a function of time, after those of the model. Surfaces of time alone: their zero
   * crossings are known beforehand. */
  PF_TRY(pf_arrays(ctx, arena, "the switches of the equations",
                   PF_ROOM(s->model.inputs, model->input_count + s->count)));
  if (model->input_count) memcpy(s->model.inputs, model->inputs, (size_t)model->input_count*sizeof *model->inputs);
  for (int k = 0; k < s->count; k++) {
    PfSwitch *w = s->at + k;
    s->model.inputs[s->model.input_count++] =
        (PfInput){.name = pf_expr_symbol_name(ctx, w->mode), .unit = "", .symbol = w->mode, .is_mode = true};
    w->timed = !has_side(&f, w->surface);
    for (int i = 0; i < model->coordinate_count; i++) {
      PfExpr both[2] = {model->coordinates[i].q, model->coordinates[i].v};
      w->timed = w->timed && !pf_expr_depends(ctx, w->surface, both, 2);
    }
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- other expressions */

/* No surface is added: what switches elsewhere stays as it is. */
PfStatus pf_switches_insert(PfContext *ctx, PfArena *arena, const PfSwitches *switches, PfExpr *list, int count)
{
  PfSwitches known = *switches;
  Finder f = {.ctx = ctx, .arena = arena, .found = &known, .known_only = true};
  if (!switches->count) return PF_OK;
  PF_TRY(list_symbols(&f, &switches->model));
  PF_TRY(pf_expr_map(ctx, list, count, image_of, &f, list));
  for (int i = 0; i < count; i++) list[i] = make_affine(&f, list[i]);
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- quotients that are signs */

/* g^p abs(g)^q is sign(g)^p abs(g)^(p + q), which has a value at g = 0 unless p + q is negative; p and q are whole
 * numbers of different signs. */
static PfExpr with_sign(void *user, PfExpr e)
{
  enum { MOST = 64 };
  PfContext *ctx = user;
  PfExpr result = e;
  int64_t p, q, below;
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) return e;
  for (int i = 0; i < pf_expr_arg_count(ctx, e); i += 2) {
    PfExpr g = pf_expr_arg(ctx, e, i), size = PF_EXPR_NONE;
    if (!pf_expr_is_rational(ctx, pf_expr_arg(ctx, e, i + 1), &p, &below) || below != 1) continue;
    q = 0;
    for (int k = 0; k < pf_expr_arg_count(ctx, e) && size == PF_EXPR_NONE; k += 2) {
      PfExpr base = pf_expr_arg(ctx, e, k);
      if (pf_expr_op(ctx, base) != PF_OP_ABS || pf_expr_arg(ctx, base, 0) != g) continue;
      size = base;
      if (!pf_expr_is_rational(ctx, pf_expr_arg(ctx, e, k + 1), &q, &below) || below != 1) q = 0;
    }
    if (q == 0 || (p > 0) == (q > 0) || p < -MOST || p > MOST || q < -MOST || q > MOST) continue;
    PfExpr sign = pf_expr_call1(ctx, PF_OP_SIGN, g);
    result = pf_expr_mul(ctx, result, pf_expr_mul(ctx, pf_expr_pow_int(ctx, g, (int)-p),
                                                  pf_expr_pow_int(ctx, size, (int)-q)));
    result = pf_expr_mul(ctx, result, pf_expr_pow_int(ctx, size, (int)(p + q)));
    if (p%2 != 0) result = pf_expr_mul(ctx, result, sign);
  }
  return result;
}

/* Products are looked at one by one, each once. */
PfStatus pf_write_signs(PfContext *ctx, PfExpr *list, int count)
{
  return pf_expr_map(ctx, list, count, with_sign, ctx, list);
}
