/* SPDX-License-Identifier: Apache-2.0 */
/* Lagrange's equations with multipliers for people to read: M, F, C, A and b in their shortest forms, rows assembled
 * from them, and abbreviations for shared parts, sorted so that each comes after those in it. Also the helpers that all
 * derivations share: linear combinations, rates of abbreviations, titles of sections. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Equations longer than this (pf_expr_length) get abbreviations. */
enum { LONG_EQUATIONS = 6000 };

/* Shortest forms of a list; PF_EXPR_NONE stays. */
static PfStatus simplify(PfContext *ctx, const PfExpr *from, PfExpr *to, size_t count)
{
  for (size_t i = 0; i < count; i++) to[i] = from[i] == PF_EXPR_NONE ? PF_EXPR_NONE : pf_expr_simplest(ctx, from[i]);
  return pf_expr_check(ctx);
}

/* The shortest forms of M, F, C, A and b that are found within the budget. */
static PfStatus simplify_equations(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfEquations *simple)
{
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  *simple = *eq;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(simple->M, n*n), PF_ROOM(simple->F, n), PF_ROOM(simple->C, n),
                   PF_ROOM(simple->A, m*n), PF_ROOM(simple->b, m)));
  PF_TRY(simplify(ctx, eq->F, simple->F, n));
  PF_TRY(simplify(ctx, eq->C, simple->C, n));
  PF_TRY(simplify(ctx, eq->A, simple->A, m*n));
  PF_TRY(simplify(ctx, eq->b, simple->b, m));
  for (size_t i = 0; i < n; i++) {
    PF_TRY(simplify(ctx, eq->M + i*n, simple->M + i*n, i + 1));
    for (size_t j = 0; j < i; j++) simple->M[j*n + i] = simple->M[i*n + j];
  }
  return PF_OK;
}

/* Empty parts, and more than there is room for, are left out. */
void pf_derivation_section(PfDerivation *d, const char *title, int count)
{
  if (count == 0) return;
  d->sections[d->section_count].title = title;
  d->sections[d->section_count++].count = count;
}

/* Left and right sides by turns, then values. */
PfStatus pf_formulas_reach(PfContext *ctx, PfArena *arena, PfEquation *equations, int count, PfExpr *values,
                           int part_count, PfExpr **roots, PfExpr **nodes, int *node_count)
{
  const int all = 2*count + part_count;
  PfExpr *list;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(list, all)));
  for (int i = 0; i < all; i++) list[i] = *pf_formula_at(equations, count, values, i);
  if (roots) *roots = list;
  return pf_expr_reach(ctx, arena, list, all, nodes, node_count);
}

/* ---------------------------------------------------------------- abbreviations */

/* Names of models are shorter than the room here. */
PfExpr pf_rate_symbol(PfContext *ctx, PfExpr name)
{
  char text[320];
  snprintf(text, sizeof text, "%.310s'", pf_expr_symbol_name(ctx, name));
  return pf_expr_symbol(ctx, text);
}

/* Every name after those that its value contains, themselves or by their rates: depth first. */
static PfStatus sort_parts(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  const int count = d->part_count;
  int done = 0, top = 0, *stack, *index;
  PfExpr *names, *values, *rates;
  bool *placed, *waiting;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(names, count), PF_ROOM(values, count), PF_ROOM(rates, count),
                   PF_ROOM(stack, 2*(size_t)count), PF_ROOM(placed, count), PF_ROOM(waiting, count)));
  for (int i = 0; i < count; i++) rates[i] = pf_rate_symbol(ctx, d->part_names[i]);
  /* Parts by their names and by the symbols of their rates: number + 1. */
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(index, (size_t)pf_expr_table_size(ctx) + 1)));
  for (int i = 0; i < count; i++) index[d->part_names[i]] = index[rates[i]] = i + 1;
  for (int first = 0; first < count; first++) {
    if (!placed[first]) stack[top++] = first;
    while (top > 0) {
      int i = stack[top - 1], node_count, before = top;
      PfExpr *nodes;
      PfMark mark = pf_arena_mark(arena);
      PF_TRY(pf_expr_reach(ctx, arena, d->part_values + i, 1, &nodes, &node_count));
      for (int k = 0; k < node_count && top == before && !placed[i]; k++) {
        int other = index[nodes[k]] - 1;
        if (other < 0 || other == i || placed[other]) continue;
        if (waiting[other]) return pf_fail(ctx, PF_ERR_NAME, "abbreviations define each other");
        waiting[i] = true;
        stack[top++] = other;
      }
      pf_arena_release(arena, mark);
      if (top > before) continue;
      if (!placed[i]) names[done] = d->part_names[i], values[done++] = d->part_values[i];
      placed[i] = true;
      top--;
    }
  }
  d->part_names = names;
  d->part_values = values;
  return PF_OK;
}

/* The stem of abbreviations: the first one with which, and a number after it, no name of the model begins. */
static const char *free_prefix(const PfModel *model)
{
  static const char *const prefixes[] = {"z", "Z", "zz", "z_"};
  const int p = model->parameter_count, c = p + model->coordinate_count, s = c + model->speed_count;
  for (size_t k = 0; k < sizeof prefixes/sizeof *prefixes; k++) {
    const size_t length = strlen(prefixes[k]);
    bool taken = false;
    for (int i = 0; i < s + model->input_count && !taken; i++) {
      const char *name = i < p   ? model->parameters[i].name
                         : i < c ? model->coordinates[i - p].name
                         : i < s ? model->speeds[i - c].name
                                 : model->inputs[i - s].name;
      const char *number = name + length;
      taken = !strncmp(name, prefixes[k], length) && *number && !number[strspn(number, "0123456789")];
    }
    if (!taken) return prefixes[k];
  }
  return "zzz_";
}

/* The number of an abbreviation, which follows the stem in its name; -1 for other names. */
static int number_of(PfContext *ctx, PfExpr name, const char *prefix)
{
  const char *text = pf_expr_symbol_name(ctx, name);
  const size_t length = strlen(prefix);
  if (strncmp(text, prefix, length) != 0 || !text[length] || text[length + strspn(text + length, "0123456789")])
    return -1;
  return atoi(text + length);
}

/* Room for one more name in lists of a length that is doubled when it is reached. */
static PfStatus grow_parts(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  enum { FIRST = 8 };
  const int count = d->part_count;
  PfExpr *names, *values;
  if (count && (count < FIRST || (count & (count - 1)))) return PF_OK;
  const int room = count ? 2*count : FIRST;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(names, room), PF_ROOM(values, room)));
  if (count) memcpy(names, d->part_names, (size_t)count*sizeof *names);
  if (count) memcpy(values, d->part_values, (size_t)count*sizeof *values);
  d->part_names = names;
  d->part_values = values;
  return PF_OK;
}

PfStatus pf_derivation_name(PfContext *ctx, PfArena *arena, PfDerivation *d, PfExpr *e)
{
  char text[32];
  if (pf_expr_op(ctx, *e) == PF_OP_SYMBOL || pf_expr_is_number(ctx, *e, NULL)) return PF_OK;
  for (int i = 0; i < d->part_count; i++)
    if (d->part_values[i] == *e) {
      *e = d->part_names[i];
      return PF_OK;
    }
  PF_TRY(grow_parts(ctx, arena, d));
  snprintf(text, sizeof text, "%s%d", free_prefix(d->model), d->part_count + 1);
  d->part_values[d->part_count] = *e;
  *e = d->part_names[d->part_count++] = pf_expr_symbol(ctx, text);
  return pf_expr_check(ctx);
}

/* Leaves out abbreviations that nothing contains: those of steps that came to nothing. */
static PfStatus drop_unused_parts(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  const char *prefix = free_prefix(d->model);
  int left = 0, matrix_count = 0;
  bool *used;
  for (int k = 0; k < d->matrix_count; k++) matrix_count += d->matrices[k].rows*d->matrices[k].columns;
  const int all = 2*d->equation_count + matrix_count + d->divisor_count;
  PfExpr *roots;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(roots, all + 1), PF_ROOM(used, d->part_count)));
  int at = 0;
  for (; at < 2*d->equation_count; at++)
    roots[at] = *pf_formula_at(d->equations, d->equation_count, d->part_values, at);
  for (int k = 0; k < d->matrix_count; k++)
    for (int i = 0; i < d->matrices[k].rows*d->matrices[k].columns; i++) roots[at++] = d->matrices[k].entries[i];
  for (int i = 0; i < d->divisor_count; i++) roots[at++] = d->divisors[i];
  /* The latest names first: earlier ones may be used in their values. */
  for (int i = d->part_count; i-- > 0;) {
    const PfExpr own[2] = {d->part_names[i], pf_rate_symbol(ctx, d->part_names[i])};
    used[i] = number_of(ctx, own[0], prefix) < 0;
    if (!used[i]) PF_TRY(pf_expr_contain(ctx, roots, at, own, 2, used + i));
    for (int k = i + 1; k < d->part_count && !used[i]; k++)
      if (used[k]) used[i] = pf_expr_depends(ctx, d->part_values[k], own, 2);
  }
  for (int i = 0; i < d->part_count; i++)
    if (used[i]) d->part_names[left] = d->part_names[i], d->part_values[left++] = d->part_values[i];
  d->part_count = left;
  return pf_expr_check(ctx);
}

/* Numbers abbreviations in the order in which they are defined. */
static PfStatus number_parts(PfContext *ctx, PfArena *arena, PfDerivation *d, PfExpr *roots, int count)
{
  const char *prefix = free_prefix(d->model);
  int numbered = 0, latest = 0;
  bool sorted = true;
  PfExpr *from, *to;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(from, d->part_count), PF_ROOM(to, d->part_count)));
  for (int i = 0; i < d->part_count; i++) {
    char text[32];
    int number = number_of(ctx, d->part_names[i], prefix);
    if (number < 0) continue;
    sorted = sorted && number > latest;
    latest = number;
    from[numbered] = d->part_names[i];
    snprintf(text, sizeof text, "%s%d", prefix, numbered + 1);
    to[numbered++] = pf_expr_symbol(ctx, text);
  }
  if (sorted) return pf_expr_check(ctx);
  PF_TRY(pf_expr_substitute(ctx, roots, count, from, to, numbered, roots));
  PF_TRY(pf_expr_substitute(ctx, d->part_values, d->part_count, from, to, numbered, d->part_values));
  PF_TRY(pf_expr_substitute(ctx, d->divisors, d->divisor_count, from, to, numbered, d->divisors));
  return pf_expr_substitute(ctx, d->part_names, d->part_count, from, to, numbered, d->part_names);
}

/* Both sides of all equations, the values of names and the entries of matrices get abbreviations for the parts that
 * they share. In equations that are not solved these contain no unknowns: the factors of unknowns are seen there.
 * Abbreviations come before the names that are there already, which may contain them. */
PfStatus pf_abbreviate(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  PF_TRY(drop_unused_parts(ctx, arena, d));
  const int named = d->part_count, sides = 2*d->equation_count;
  int entries = 0;
  PfExpr *roots, *names, *values;
  bool *coupled;
  PfParts parts = {0};
  for (int k = 0; k < d->matrix_count; k++) entries += d->matrices[k].rows*d->matrices[k].columns;
  const int count = sides + entries + 2*named; /* names are among them: no new one is like them */
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(roots, count), PF_ROOM(coupled, count)));
  for (int i = 0; i < sides; i++) {
    roots[i] = *pf_formula_at(d->equations, d->equation_count, d->part_values, i);
    coupled[i] = pf_expr_op(ctx, d->equations[i/2].left) != PF_OP_SYMBOL;
  }
  for (int k = 0, at = sides; k < d->matrix_count; k++) {
    const int own = d->matrices[k].rows*d->matrices[k].columns;
    memcpy(roots + at, d->matrices[k].entries, (size_t)own*sizeof *roots);
    at += own;
  }
  for (int i = 0; i < named; i++)
    roots[sides + entries + i] = d->part_values[i], roots[sides + entries + named + i] = d->part_names[i];
  const PfShown shown = {d->unknowns, d->unknown_count, coupled};
  PF_TRY(pf_expr_share_around(ctx, arena, roots, count, &shown, free_prefix(d->model), LONG_EQUATIONS, &parts));
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(names, parts.count + named),
                   PF_ROOM(values, parts.count + named)));
  for (int i = 0; i < parts.count; i++) names[i] = parts.names[i], values[i] = parts.values[i];
  for (int i = 0; i < named; i++) {
    names[parts.count + i] = d->part_names[i];
    values[parts.count + i] = roots[sides + entries + i];
  }
  d->part_count = parts.count + named;
  d->part_names = names;
  d->part_values = values;
  PF_TRY(sort_parts(ctx, arena, d));
  PF_TRY(number_parts(ctx, arena, d, roots, sides + entries));
  for (int i = 0; i < sides; i++) *pf_formula_at(d->equations, d->equation_count, d->part_values, i) = roots[i];
  for (int k = 0, at = sides; k < d->matrix_count; k++) { /* each keeps its piece of the list */
    d->matrices[k].entries = roots + at;
    at += d->matrices[k].rows*d->matrices[k].columns;
  }
  return pf_expr_check(ctx);
}

/* Does the model know its rate: is it a velocity, a direction cosine, a component of a quaternion? */
static bool is_known(const PfModel *model, PfExpr symbol)
{
  for (int k = 0; k < model->coordinate_count; k++)
    if (model->coordinates[k].v == symbol) return true;
  for (int k = 0; k < model->auxiliary_count; k++)
    if (model->auxiliaries[k].symbol == symbol) return true;
  return false;
}

/* x -> x', x' -> x'', as the model knows; omega -> omega', and the other parts. */
PfStatus pf_derivation_rate(PfContext *ctx, PfArena *arena, const PfDerivation *d, int part, PfExpr *rate)
{
  int speeds = d->speeds ? d->unknown_count : 0, count = 0;
  PfExpr *from, *to, own;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(from, speeds + d->part_count),
                   PF_ROOM(to, speeds + d->part_count)));
  for (int i = 0; i < speeds; i++)
    if (!is_known(d->model, d->speeds[i])) from[count] = d->speeds[i], to[count++] = d->unknowns[i];
  for (int i = 0; i < d->part_count; i++)
    if (!is_known(d->model, d->part_names[i]))
      from[count] = d->part_names[i], to[count++] = pf_rate_symbol(ctx, d->part_names[i]);
  PF_TRY(pf_expr_derive_along(ctx, d->part_values + part, 1, from, to, count, &own));
  PF_TRY(pf_model_time_derivative(d->model, d->part_values + part, 1, rate));
  *rate = pf_expr_add(ctx, *rate, own);
  return PF_OK;
}

/* The latest abbreviations first, since they may contain earlier ones. */
PfStatus pf_derivation_expand(PfContext *ctx, PfArena *arena, const PfDerivation *d, PfExpr *list, int count)
{
  for (int i = d->part_count; i-- > 0;) {
    PfExpr from[2] = {d->part_names[i], pf_rate_symbol(ctx, d->part_names[i])},
           to[2] = {d->part_values[i], PF_EXPR_NONE};
    bool rates = false;
    for (int k = 0; k < count; k++) rates = rates || pf_expr_depends(ctx, list[k], from + 1, 1);
    if (rates) PF_TRY(pf_derivation_rate(ctx, arena, d, i, to + 1));
    PF_TRY(pf_expr_substitute(ctx, list, count, from, to, rates ? 2 : 1, list));
  }
  return pf_expr_check(ctx);
}

/* M q'' = F + C + A^T lambda and A q'' = b, row by row, in the shortest forms of M, F, C, A and b. */
PfStatus pf_derive_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  *d = (PfDerivation){.form = "multipliers", .model = eq->model, .motion_count = eq->n};
  pf_derivation_section(d, "Constraints, differentiated", eq->m);
  d->unknown_count = d->equation_count = eq->n + eq->m;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(d->unknowns, d->unknown_count),
                   PF_ROOM(d->equations, d->equation_count)));
  for (int i = 0; i < eq->n; i++) d->unknowns[i] = eq->model->coordinates[i].a;
  for (int k = 0; k < eq->m; k++) d->unknowns[eq->n + k] = eq->model->constraints[k].multiplier;
  PF_TRY(simplify_equations(ctx, arena, eq, &d->simple));
  /* M q'' = F + C + A^T lambda and A q'' = b, row by row. */
  const PfEquations *s = &d->simple;
  const PfModel *model = s->model;
  size_t n = (size_t)s->n;
  const PfExpr *acceleration = d->unknowns, *lambda = d->unknowns + n;
  for (size_t i = 0; i < n; i++) {
    PfEquation *e = d->equations + i;
    e->name = model->coordinates[i].name;
    e->left = pf_combination(ctx, s->M + i*n, 1, acceleration, s->n);
    PfExpr forces = pf_expr_add(ctx, s->F[i], s->C[i]);
    e->right = pf_expr_add(ctx, forces, pf_combination(ctx, s->A + i, n, lambda, s->m));
  }
  for (int k = 0; k < s->m; k++) {
    PfEquation *e = d->equations + n + (size_t)k;
    e->name = model->constraints[k].name;
    e->left = pf_combination(ctx, s->A + (size_t)k*n, 1, acceleration, s->n);
    e->right = s->b[k];
  }
  PF_TRY(pf_expr_check(ctx));
  return pf_abbreviate(ctx, arena, d);
}
