/* SPDX-License-Identifier: Apache-2.0 */
/* What makes the equations jump or bend: sign, abs, min, max and the comparisons in 'if'. Each has a surface g(q, q',
 * t) = 0. Here the sign of g is taken out of the equations and becomes an argument of them, its side s = +-1:
 *
 *   sign(g) = s,   abs(g) = s g,   max(a, b) = a where s > 0 else b,   (a < b) = (1 - s)/2   with g = a - b.
 *
 * With the sides held the equations are smooth, also beyond the surface: an integrator steps over it without noticing,
 * the crossing is located, and the other side is taken from there. On the surface s may be anything from -1 to 1, which
 * is Filippov's motion along it; s = 0 stands for a surface on which the motion rests by itself, and the formulas have
 * the values that they have there. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

typedef struct Finder {
  PfContext *ctx;
  PfArena *arena;
  PfSwitches *found;
  int room;
  const PfExpr *moving, *others; /* time, coordinates, velocities; multipliers and accelerations */
  int moving_count, other_count;
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

static bool grow(Finder *f)
{
  PfSwitches *s = f->found;
  int room = f->room ? 2*f->room : 8;
  PfSwitch *more = pf_arena_array(f->arena, PfSwitch, room);
  if (!more) return false;
  if (s->count) memcpy(more, s->at, (size_t)s->count*sizeof *more);
  s->at = more;
  f->room = room;
  return true;
}

/* The side of g as an expression, plus or minus a symbol. */
static PfExpr side_of(Finder *f, PfExpr g, PfOp op)
{
  int sign;
  PfSwitches *s = f->found;
  PfExpr surface = without_factor(f->ctx, g, &sign);
  int k = 0;
  while (k < s->count && s->at[k].surface != surface) k++;
  if (k == s->count) {
    char name[32];
    if (k == f->room && !grow(f)) {
      f->failed = true;
      return PF_EXPR_NONE;
    }
    snprintf(name, sizeof name, "side %d", k + 1); /* with a blank: nobody else has such a name */
    s->at[s->count++] = (PfSwitch){.surface = surface, .side = pf_expr_symbol(f->ctx, name)};
  }
  if (op == PF_OP_LESS || op == PF_OP_LESS_EQUAL) s->at[k].compared = true;
  return sign < 0 ? pf_expr_neg(f->ctx, s->at[k].side) : s->at[k].side;
}

/* Does it change along the motion, as a function of the state alone? Forces of constraints are left to those who find
 * them. */
static bool switches(const Finder *f, PfExpr g)
{
  return pf_expr_depends(f->ctx, g, f->moving, f->moving_count) &&
         !pf_expr_depends(f->ctx, g, f->others, f->other_count);
}

static bool has_side(const Finder *f, PfExpr e)
{
  for (int k = 0; k < f->found->count; k++)
    if (pf_expr_depends(f->ctx, e, &f->found->at[k].side, 1)) return true;
  return false;
}

/* ---------------------------------------------------------------- what stands in the place of each function */

/* (1 - s)/2, and where the motion rests on the surface, s = 0, what the comparison says of equal numbers. */
static PfExpr truth(PfContext *ctx, PfOp op, PfExpr side)
{
  PfExpr one = pf_expr_int(ctx, 1), zero = pf_expr_int(ctx, 0);
  PfExpr part = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_sub(ctx, one, side));
  return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, side, zero), op == PF_OP_LESS_EQUAL ? one : zero, part);
}

/* A condition c that may be anything from 0 to 1: where it is one of both only one case is looked at, the other need
 * not exist. Beyond them it goes straight on, for those who search. */
static PfExpr choose(PfContext *ctx, PfExpr c, PfExpr yes, PfExpr no)
{
  PfExpr one = pf_expr_int(ctx, 1), zero = pf_expr_int(ctx, 0);
  if (yes == no) return yes;
  PfExpr part = pf_expr_mul(ctx, c, pf_expr_sub(ctx, yes, no));
  PfExpr otherwise = pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, c, zero), no, pf_expr_add(ctx, no, part));
  return pf_expr_if(ctx, pf_expr_call2(ctx, PF_OP_EQUAL, c, one), yes, otherwise);
}

static PfExpr larger_or_smaller(Finder *f, PfOp op, PfExpr a, PfExpr b)
{
  PfExpr side = side_of(f, pf_expr_sub(f->ctx, a, b), op), zero = pf_expr_int(f->ctx, 0);
  PfExpr above = pf_expr_call2(f->ctx, PF_OP_LESS, zero, side);
  return op == PF_OP_MAX ? pf_expr_if(f->ctx, above, a, b) : pf_expr_if(f->ctx, above, b, a);
}

/* Logic on numbers from 0 to 1. */
static PfExpr logic(PfContext *ctx, PfOp op, PfExpr a, PfExpr b)
{
  PfExpr one = pf_expr_int(ctx, 1);
  if (op == PF_OP_NOT) return pf_expr_sub(ctx, one, a);
  PfExpr both = pf_expr_mul(ctx, a, b);
  return op == PF_OP_AND ? both : pf_expr_sub(ctx, pf_expr_add(ctx, a, b), both);
}

static PfExpr image_of(void *user, PfExpr e)
{
  Finder *f = user;
  PfContext *ctx = f->ctx;
  PfOp op = pf_expr_op(ctx, e);
  int count = op > PF_OP_PRODUCT ? pf_expr_arg_count(ctx, e) : 0;
  PfExpr a = count > 0 ? pf_expr_arg(ctx, e, 0) : PF_EXPR_NONE, b = count > 1 ? pf_expr_arg(ctx, e, 1) : PF_EXPR_NONE;
  switch (op) {
  case PF_OP_SIGN: return switches(f, a) ? side_of(f, a, op) : e;
  case PF_OP_ABS: return switches(f, a) ? pf_expr_mul(ctx, side_of(f, a, op), a) : e;
  case PF_OP_MIN:
  case PF_OP_MAX: return switches(f, pf_expr_sub(ctx, a, b)) ? larger_or_smaller(f, op, a, b) : e;
  case PF_OP_LESS:
  case PF_OP_LESS_EQUAL:
    return switches(f, pf_expr_sub(ctx, a, b)) ? truth(ctx, op, side_of(f, pf_expr_sub(ctx, a, b), op)) : e;
  case PF_OP_AND:
  case PF_OP_OR:
  case PF_OP_NOT: return has_side(f, e) ? logic(ctx, op, a, b) : e;
  case PF_OP_IF: return has_side(f, a) ? choose(ctx, a, b, pf_expr_arg(ctx, e, 2)) : e;
  default: return e;
  }
}

/* ---------------------------------------------------------------- the equations */

/* Every expression of the equations and of the model that motion is computed from, in one list. */
static PfExpr *list_all(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfEquations *out, size_t *count)
{
  size_t n = (size_t)eq->n, m = (size_t)eq->m, whole = !eq->in_bodies; /* an outline has no inertia */
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

PfStatus pf_insert_inputs(PfContext *ctx, const PfModel *model, PfExpr *list, size_t count)
{
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_substitute(ctx, list, (int)count, &model->inputs[i].symbol, &model->inputs[i].value, 1, list));
  return PF_OK;
}

PfStatus pf_evaluate_inputs(PfContext *ctx, const PfModel *model, const PfSymbols *symbols, double *values)
{
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_evaluate(ctx, &model->inputs[i].value, 1, symbols->symbol, values, symbols->count,
                              values + symbols->inputs + i));
  return PF_OK;
}

static PfStatus list_symbols(Finder *f, const PfModel *model)
{
  size_t n = (size_t)model->coordinate_count, m = (size_t)model->constraint_count;
  PfExpr *moving = pf_arena_array(f->arena, PfExpr, 2*n + 1), *others = pf_arena_array(f->arena, PfExpr, n + m);
  if (!moving || !others) return pf_no_room(f->ctx, "the switches of the equations");
  for (size_t i = 0; i < n; i++) {
    moving[2*i] = model->coordinates[i].q;
    moving[2*i + 1] = model->coordinates[i].v;
    others[i] = model->coordinates[i].a;
  }
  moving[2*n] = model->time;
  for (size_t k = 0; k < m; k++) others[n + k] = model->constraints[k].multiplier;
  f->moving = moving, f->moving_count = (int)(2*n + 1);
  f->others = others, f->other_count = (int)(n + m);
  return PF_OK;
}

/* The sides are inputs without a function of time. */
static PfStatus add_inputs(Finder *f, const PfModel *model)
{
  PfSwitches *s = f->found;
  size_t old = (size_t)model->input_count;
  s->model.inputs = pf_arena_array(f->arena, PfInput, old + (size_t)s->count);
  if (!s->model.inputs) return pf_no_room(f->ctx, "the switches of the equations");
  if (old) memcpy(s->model.inputs, model->inputs, old*sizeof *model->inputs);
  for (int k = 0; k < s->count; k++)
    s->model.inputs[old + (size_t)k] =
        (PfInput){.name = pf_expr_symbol_name(f->ctx, s->at[k].side), .unit = "", .symbol = s->at[k].side};
  s->model.input_count += s->count;
  return PF_OK;
}

static PfStatus classify(Finder *f, const PfModel *model)
{
  for (int k = 0; k < f->found->count; k++) {
    PfSwitch *w = f->found->at + k;
    w->timed = true;
    for (int i = 0; i < model->coordinate_count; i++) {
      const PfCoordinate *c = model->coordinates + i;
      PfExpr both[2] = {c->q, c->v};
      if (pf_expr_depends(f->ctx, w->surface, both, 2)) w->timed = false;
    }
    if (has_side(f, w->surface)) w->timed = false;
  }
  return pf_expr_check(f->ctx);
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

static PfStatus may_switch_at_all(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *list, int count,
                                  bool *may)
{
  PF_TRY(pf_may_switch(ctx, arena, list, count, may));
  for (int i = 0; i < model->input_count && !*may; i++)
    if (model->inputs[i].value) PF_TRY(pf_may_switch(ctx, arena, &model->inputs[i].value, 1, may));
  return PF_OK;
}

/* Lists of large systems are long: whether there is anything to be found is asked of a copy that is freed. */
static PfStatus any_switches(PfContext *ctx, const PfEquations *equations, bool *may)
{
  PfEquations copy;
  size_t count;
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  PfExpr *list = scratch ? list_all(ctx, scratch, equations, &copy, &count) : NULL;
  PfStatus status = list ? may_switch_at_all(ctx, scratch, equations->model, list, (int)count, may) : PF_ERR_MEMORY;
  pf_arena_free(scratch);
  return status;
}

PfStatus pf_switches_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfSwitches *s)
{
  Finder f = {.ctx = ctx, .arena = arena, .found = s};
  size_t count;
  *s = (PfSwitches){.model = *equations->model, .equations = *equations};
  bool may;
  PF_TRY(any_switches(ctx, equations, &may));
  if (!may) return PF_OK;
  PfExpr *list = list_all(ctx, arena, equations, &s->equations, &count);
  if (!list) return PF_ERR_MEMORY;
  PF_TRY(pf_insert_inputs(ctx, equations->model, list, count));
  PF_TRY(list_symbols(&f, equations->model));
  PF_TRY(pf_expr_map(ctx, list, (int)count, image_of, &f, list));
  if (f.failed) return pf_no_room(ctx, "the switches of the equations");
  s->equations.kinetic = list[count - 4];
  s->equations.potential = list[count - 3];
  s->model.kinetic = list[count - 2];
  s->model.potential = list[count - 1];
  s->equations.model = &s->model;
  PF_TRY(add_inputs(&f, equations->model));
  return classify(&f, equations->model);
}

/* ---------------------------------------------------------------- other expressions */

typedef struct Known {
  PfContext *ctx;
  const PfSwitches *switches;
} Known;

static PfExpr known_side(void *user, PfExpr e)
{
  const Known *k = user;
  int sign;
  if (pf_expr_op(k->ctx, e) != PF_OP_SIGN) return e;
  PfExpr surface = without_factor(k->ctx, pf_expr_arg(k->ctx, e, 0), &sign);
  for (int i = 0; i < k->switches->count; i++) {
    const PfSwitch *at = k->switches->at + i;
    if (at->surface == surface) return sign < 0 ? pf_expr_neg(k->ctx, at->side) : at->side;
  }
  return e;
}

PfStatus pf_switches_insert(PfContext *ctx, const PfSwitches *switches, PfExpr *list, int count)
{
  return switches->count ? pf_expr_map(ctx, list, count, known_side, &(Known){ctx, switches}, list) : PF_OK;
}
