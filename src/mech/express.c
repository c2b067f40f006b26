/* SPDX-License-Identifier: Apache-2.0 */
/* What the language has a name for and only the equations know: energies, reactions, violations. */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Names {
  PfContext *ctx;
  const PfEquations *eq;
  int count;
  PfExpr *symbol, *value;
} Names;

/* The text between the brackets of word(…), or NULL. */
static const char *inside(PfArena *arena, const char *name, const char *word)
{
  size_t length = strlen(word), all = strlen(name);
  bool is = all > length + 1 && !strncmp(name, word, length) && name[length] == '(' && name[all - 1] == ')';
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

/* C + A^T lambda, which is M q'' - F, but where something sticks: there the signs of velocities in F or C, which are no
 * more than rounding, must not count. What is locked has no multiplier. */
static PfStatus reaction(const Names *s, PfArena *arena, int i, PfExpr *value)
{
  const PfEquations *eq = s->eq;
  PfExpr sum = eq->C[i];
  bool switches;
  PF_TRY(pf_may_switch(s->ctx, arena, &sum, 1, &switches));
  for (int k = 0; k < eq->m; k++)
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, eq->A[(size_t)k*(size_t)eq->n + (size_t)i],
                                               eq->model->constraints[k].multiplier));
  *value = sum;
  if (!switches && !eq->model->event_count) return PF_OK;
  PfExpr whole = unbalanced(s, i);
  *value = whole;
  if (switches) return PF_OK;
  PfExpr held = pf_expr_call2(s->ctx, PF_OP_LESS, pf_expr_int(s->ctx, 0), eq->model->coordinates[i].held);
  *value = pf_expr_if(s->ctx, held, whole, sum);
  return PF_OK;
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

static PfStatus find(Names *s, PfArena *arena, PfExpr symbol)
{
  const PfModel *model = s->eq->model;
  const char *name = pf_expr_symbol_name(s->ctx, symbol), *of;
  PfExpr value = PF_EXPR_NONE;
  if (!strcmp(name, "kinetic()")) value = s->eq->kinetic;
  else if (!strcmp(name, "potential()")) value = s->eq->potential;
  else if ((of = inside(arena, name, "reaction"))) {
    int i = pf_model_find_coordinate(model, of);
    if (i < 0) return pf_fail(s->ctx, PF_ERR_NAME, "the model has no coordinate '%s'", of);
    PF_TRY(reaction(s, arena, i, &value));
  } else if ((of = inside(arena, name, "violation"))) {
    int k = 0;
    while (k < model->constraint_count && strcmp(model->constraints[k].name, of) != 0) k++;
    if (k == model->constraint_count) return pf_fail(s->ctx, PF_ERR_NAME, "the model has no constraint '%s'", of);
    value = violation(s, k);
  } else return PF_OK;
  s->symbol[s->count] = symbol;
  s->value[s->count++] = value;
  return PF_OK;
}

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
