/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities that the language names and that follow from the equations only: energies, reactions, violations. */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Names {
  PfContext *ctx;
  const PfEquations *eq;
  int count;
  PfExpr *symbol, *value;
} Names;

/* The text between the brackets of word(…) or word[…], or NULL. */
static const char *inside(PfArena *arena, const char *name, const char *word)
{
  size_t length = strlen(word), all = strlen(name);
  if (all <= length + 1 || strncmp(name, word, length) != 0) return NULL;
  bool is = strchr("([", name[length]) && strchr(")]", name[all - 1]);
  return is ? pf_arena_text(arena, name + length + 1, all - length - 2) : NULL;
}

/* M q'' - F for one coordinate. */
static PfExpr unbalanced(const Names *s, int i)
{
  const PfEquations *eq = s->eq;
  PfExpr sum = pf_expr_neg(s->ctx, eq->F[i]);
  for (int j = 0; j < eq->n; j++)
    sum = pf_expr_add(s->ctx, sum,
                      pf_expr_mul(s->ctx, eq->M[(size_t)i*(size_t)eq->n + (size_t)j], eq->model->coordinates[j].a));
  return sum;
}

/* C + A^T lambda for one coordinate. */
static PfExpr of_constraints(const Names *s, int i)
{
  const PfEquations *eq = s->eq;
  PfExpr sum = eq->C[i];
  for (int k = 0; k < eq->m; k++)
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, eq->A[(size_t)k*(size_t)eq->n + (size_t)i],
                                               eq->model->constraints[k].multiplier));
  return sum;
}

/* An expression that holds while an event locks coordinate i, and another one otherwise. */
static PfExpr if_held(const Names *s, int i, PfExpr then, PfExpr otherwise)
{
  PfExpr held = pf_expr_call2(s->ctx, PF_OP_LESS, pf_expr_int(s->ctx, 0), s->eq->model->coordinates[i].held);
  return pf_expr_if(s->ctx, held, then, otherwise);
}

/* At the level at which the constraint is stated. Rows that events attach are looked at while they hold. */
static PfExpr violation(const Names *s, int k)
{
  const PfEquations *eq = s->eq;
  const PfConstraint *c = eq->model->constraints + k;
  PfExpr e = eq->position[k] != PF_EXPR_NONE ? eq->position[k] : eq->velocity[k];
  if (e == PF_EXPR_NONE) {
    e = pf_expr_neg(s->ctx, eq->b[k]);
    for (int j = 0; j < eq->n; j++)
      e = pf_expr_add(s->ctx, e,
                      pf_expr_mul(s->ctx, eq->A[(size_t)k*(size_t)eq->n + (size_t)j], eq->model->coordinates[j].a));
  }
  if (!c->attached) return e;
  PfExpr zero = pf_expr_int(s->ctx, 0);
  return pf_expr_if(s->ctx, pf_expr_call2(s->ctx, PF_OP_LESS, zero, c->active), e, zero);
}

/* The expression of a symbol such as reaction(x), violation(rear), kinetic(), or lambda[x]: the multiplier of x' = 0
 * while an event locks x, which is the remainder M q'' - F. */
static PfStatus find(Names *s, PfArena *arena, PfExpr symbol)
{
  PfContext *ctx = s->ctx;
  const PfModel *model = s->eq->model;
  const char *name = pf_expr_symbol_name(ctx, symbol), *of;
  PfExpr value = PF_EXPR_NONE, zero = pf_expr_int(ctx, 0);
  int i;
  for (int k = 0; k < model->constraint_count; k++)
    if (model->constraints[k].multiplier == symbol) return PF_OK;
  if (!strcmp(name, "kinetic()")) value = s->eq->kinetic;
  else if (!strcmp(name, "potential()")) value = s->eq->potential;
  else if ((of = inside(arena, name, "reaction"))) {
    if ((i = pf_model_find_coordinate(model, of)) < 0)
      return pf_fail(ctx, PF_ERR_NAME, "the model has no coordinate '%s'", of);
    /* C + A^T lambda, which is M q'' - F, except where something sticks: there the signs of velocities in F or C, which
     * are mere rounding, must not count. A locked coordinate has no multiplier. */
    bool switches;
    PF_TRY(pf_may_switch(ctx, arena, s->eq->C + i, 1, &switches));
    value = switches ? unbalanced(s, i) : of_constraints(s, i);
    if (!switches && model->event_count) value = if_held(s, i, unbalanced(s, i), value);
  } else if ((of = inside(arena, name, "violation"))) {
    for (i = 0; i < model->constraint_count && strcmp(model->constraints[i].name, of) != 0;) i++;
    if (i == model->constraint_count) return pf_fail(ctx, PF_ERR_NAME, "the model has no constraint '%s'", of);
    value = violation(s, i);
  } else if ((of = inside(arena, name, "lambda"))) {
    if ((i = pf_model_find_coordinate(model, of)) < 0) return PF_OK; /* of a constraint that this model does not have */
    value = zero;
    if (model->event_count)
      value = if_held(s, i, pf_expr_sub(ctx, unbalanced(s, i), of_constraints(s, i)), zero);
  } else return PF_OK;
  s->symbol[s->count] = symbol;
  s->value[s->count++] = value;
  return PF_OK;
}

/* All symbols of the list that have such a name are collected first and replaced at once. */
PfStatus pf_equations_express(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfExpr *list, int count)
{
  PfExpr *nodes;
  int node_count;
  PF_TRY(pf_expr_reach(ctx, arena, list, count, &nodes, &node_count));
  Names s = {.ctx = ctx, .eq = equations, .symbol = pf_arena_array(arena, PfExpr, node_count),
             .value = pf_arena_array(arena, PfExpr, node_count)};
  if (!s.symbol || !s.value) return pf_no_room(ctx, "what is shown");
  for (int i = 0; i < node_count; i++)
    if (pf_expr_op(ctx, nodes[i]) == PF_OP_SYMBOL) PF_TRY(find(&s, arena, nodes[i]));
  return s.count ? pf_expr_substitute(ctx, list, count, s.symbol, s.value, s.count, list) : PF_OK;
}
