/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities that the language names and that follow from the equations only: energies, reactions, violations, wrenches
 * of joints.
 *
 * The wrench that a joint exerts on a body is that of the cut through the joint: after its placement the body gets a
 * free joint that does not move. The equation of motion of each of its coordinates, M q'' = F + C + A^T lambda + r,
 * gives the force r that keeps it in place, with everything that acts on the body and on bodies that it carries:
 * inertia, weight, forces at points, contacts and constraints between points. Forces on coordinates and constraints
 * written by coordinates act in the joints. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

typedef struct Names {
  PfContext *ctx;
  const PfEquations *eq;
  int count;
  PfExpr *symbol, *value;
  PfModel *cut;        /* the model with free joints after the bodies whose wrenches are named; NULL: none is */
  PfEquations of_cut;
  int count_of_cut;    /* of its symbols that the model has not, and their numbers: its free joints do not move */
  PfExpr *symbol_of_cut, *number_of_cut;
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
static PfExpr unbalanced(const Names *s, const PfEquations *eq, int i)
{
  PfExpr sum = pf_expr_neg(s->ctx, eq->F[i]);
  for (int j = 0; j < eq->n; j++)
    sum = pf_expr_add(s->ctx, sum,
                      pf_expr_mul(s->ctx, eq->M[(size_t)i*(size_t)eq->n + (size_t)j], eq->model->coordinates[j].a));
  return sum;
}

/* C + A^T lambda for one coordinate. */
static PfExpr of_constraints(const Names *s, const PfEquations *eq, int i)
{
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

/* ---------------------------------------------------------------- wrenches of joints */

/* The frame b of wrench(b).fx and the number of the component; NULL for another name. */
static const char *wrench_of(PfArena *arena, const char *name, int *part)
{
  static const char *const parts[] = {"mx", "my", "mz", "fx", "fy", "fz"};
  size_t all = strlen(name);
  if (strncmp(name, "wrench(", 7) != 0 || all < 12 || name[all - 4] != ')' || name[all - 3] != '.') return NULL;
  for (*part = 0; *part < 6 && strcmp(name + all - 2, parts[*part]) != 0;) ++*part;
  return *part < 6 ? pf_arena_text(arena, name + 7, all - 11) : NULL;
}

/* Numbers of the symbols that only the cut model has: coordinates of free joints at rest, and multipliers of rows that
 * hold by themselves in the model, as the lengths of their quaternions and the height of a wheel that cannot tilt. */
static PfStatus list_cut_symbols(Names *s, PfArena *arena)
{
  PfContext *ctx = s->ctx;
  const PfModel *model = s->cut;
  const int most = 3*model->coordinate_count + model->constraint_count;
  PF_TRY(pf_arrays(ctx, arena, "what is shown", PF_ROOM(s->symbol_of_cut, most), PF_ROOM(s->number_of_cut, most)));
  for (int k = 0; k < model->coordinate_count; k++) {
    const PfCoordinate *c = model->coordinates + k;
    const size_t length = strlen(c->name);
    if (pf_model_find_coordinate(s->eq->model, c->name) >= 0) continue;
    const bool scalar = length > 2 && !strcmp(c->name + length - 2, "qw");
    const PfExpr symbol[3] = {c->q, c->v, c->a};
    for (int j = 0; j < 3; j++) {
      s->symbol_of_cut[s->count_of_cut] = symbol[j];
      s->number_of_cut[s->count_of_cut++] = pf_expr_int(ctx, j == 0 && scalar);
    }
  }
  for (int k = 0; k < model->constraint_count; k++) {
    bool known = false;
    for (int j = 0; j < s->eq->m && !known; j++)
      known = s->eq->model->constraints[j].multiplier == model->constraints[k].multiplier;
    if (known) continue;
    s->symbol_of_cut[s->count_of_cut] = model->constraints[k].multiplier;
    s->number_of_cut[s->count_of_cut++] = pf_expr_int(ctx, 0);
  }
  return PF_OK;
}

/* A v of a row, with the velocities of the model. */
static PfExpr row_rate(const Names *s, const PfEquations *eq, int row)
{
  PfExpr sum = pf_expr_int(s->ctx, 0);
  for (int i = 0; i < eq->n; i++)
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, eq->A[(size_t)row*(size_t)eq->n + (size_t)i],
                                               eq->model->coordinates[i].v));
  return sum;
}

/* A multiplier means the same force in both models only if its row is the same one. A contact may be written in another
 * way where a free joint lets the body tilt; then the wrench is not known. */
static PfStatus check_cut_rows(const Names *s, const char *frame)
{
  PfContext *ctx = s->ctx;
  for (int k = 0; k < s->eq->m; k++) {
    const PfConstraint *c = s->eq->model->constraints + k;
    int other = 0;
    while (other < s->of_cut.m && s->cut->constraints[other].multiplier != c->multiplier) other++;
    PfExpr difference = PF_EXPR_NONE;
    if (other < s->of_cut.m) {
      PfExpr rate = row_rate(s, &s->of_cut, other);
      PF_TRY(pf_expr_substitute(ctx, &rate, 1, s->symbol_of_cut, s->number_of_cut, s->count_of_cut, &rate));
      difference = pf_expr_sub(ctx, rate, row_rate(s, s->eq, k));
    }
    if (difference != PF_EXPR_NONE && pf_expr_is_probably_zero(ctx, difference, 2) != PF_FALSE) continue;
    pf_fail(ctx, PF_ERR_MODEL, "wrench(%s): the constraint '%s' is another one when the body may tilt", frame, c->name);
    pf_hint(ctx, "write the constraint by positions and velocities of points");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* Cuts the joints of all wrenches among the symbols and derives the equations of that model. */
static PfStatus cut_joints(Names *s, PfArena *arena, const PfExpr *nodes, int count)
{
  PfContext *ctx = s->ctx;
  const PfModel *model = s->eq->model;
  const char **frames = pf_arena_array(arena, const char *, count);
  int frame_count = 0, part;
  if (!frames) return pf_no_room(ctx, "what is shown");
  for (int i = 0; i < count; i++) {
    if (pf_expr_op(ctx, nodes[i]) != PF_OP_SYMBOL) continue;
    const char *frame = wrench_of(arena, pf_expr_symbol_name(ctx, nodes[i]), &part);
    for (int k = 0; frame && k < frame_count; k++)
      if (!strcmp(frames[k], frame)) frame = NULL;
    if (frame) frames[frame_count++] = frame;
  }
  if (!frame_count) return PF_OK;
  if (!model->body_count || !pf_expr_is_structural_zero(ctx, model->kinetic)) {
    pf_fail(ctx, PF_ERR_MODEL, "wrench(%s): %s", frames[0],
            model->body_count ? "a part of the inertia is given by 'kinetic' and belongs to no body"
                              : "the model has no bodies: its inertia is given by 'kinetic'");
    pf_hint(ctx, "the wrench of a joint is found from the masses of the bodies that it carries");
    return PF_ERR_MODEL;
  }
  if (!model->cut) return pf_fail(ctx, PF_ERR_MODEL, "wrench(%s): the model has no text", frames[0]);
  PF_TRY(model->cut(ctx, model, frames, frame_count, &s->cut));
  PF_TRY(pf_equations_derive(ctx, arena, s->cut, &s->of_cut));
  PF_TRY(list_cut_symbols(s, arena));
  return check_cut_rows(s, frames[0]);
}

/* r of the coordinate of the free joint: force components along its axes; of the quaternion, whose rate is half the
 * angular velocity where it is (1, 0, 0, 0), twice the moment. */
static PfStatus find_wrench(const Names *s, PfArena *arena, const char *frame, int part, PfExpr *value)
{
  static const char *const coordinates[] = {"qx", "qy", "qz", "px", "py", "pz"};
  PfContext *ctx = s->ctx;
  const PfModel *model = s->cut;
  char *name = pf_arena_alloc(arena, strlen(frame) + 9, 1);
  if (!name) return pf_no_room(ctx, "what is shown");
  sprintf(name, "%s.free.%s", frame, coordinates[part]);
  const int i = s->of_cut.F ? pf_model_find_coordinate(model, name) : -1;
  if (i < 0) return pf_fail(ctx, PF_ERR_NAME, "the model has no frame '%s'", frame);
  *value = pf_expr_sub(ctx, unbalanced(s, &s->of_cut, i), of_constraints(s, &s->of_cut, i));
  if (part < 3) *value = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), *value);
  return pf_expr_substitute(ctx, value, 1, s->symbol_of_cut, s->number_of_cut, s->count_of_cut, value);
}

/* The expression of a symbol such as reaction(x), violation(rear), kinetic(), or lambda[x]: the multiplier of x' = 0
 * while an event locks x, which is the remainder M q'' - F. */
static PfStatus find(Names *s, PfArena *arena, PfExpr symbol)
{
  PfContext *ctx = s->ctx;
  const PfModel *model = s->eq->model;
  const char *name = pf_expr_symbol_name(ctx, symbol), *of;
  PfExpr value = PF_EXPR_NONE, zero = pf_expr_int(ctx, 0);
  int i, part;
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
    value = switches ? unbalanced(s, s->eq, i) : of_constraints(s, s->eq, i);
    if (!switches && model->event_count) value = if_held(s, i, unbalanced(s, s->eq, i), value);
  } else if ((of = wrench_of(arena, name, &part))) {
    PF_TRY(find_wrench(s, arena, of, part, &value));
  } else if ((of = inside(arena, name, "violation"))) {
    for (i = 0; i < model->constraint_count && strcmp(model->constraints[i].name, of) != 0;) i++;
    if (i == model->constraint_count) return pf_fail(ctx, PF_ERR_NAME, "the model has no constraint '%s'", of);
    value = violation(s, i);
  } else if ((of = inside(arena, name, "lambda"))) {
    if ((i = pf_model_find_coordinate(model, of)) < 0) return PF_OK; /* of a constraint that this model does not have */
    value = zero;
    if (model->event_count)
      value = if_held(s, i, pf_expr_sub(ctx, unbalanced(s, s->eq, i), of_constraints(s, s->eq, i)), zero);
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
  PfStatus status = cut_joints(&s, arena, nodes, node_count);
  for (int i = 0; i < node_count && status == PF_OK; i++)
    if (pf_expr_op(ctx, nodes[i]) == PF_OP_SYMBOL) status = find(&s, arena, nodes[i]);
  pf_model_free(s.cut);
  PF_TRY(status);
  return s.count ? pf_expr_substitute(ctx, list, count, s.symbol, s.value, s.count, list) : PF_OK;
}
