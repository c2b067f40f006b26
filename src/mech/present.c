/* SPDX-License-Identifier: Apache-2.0 */
/* Equations for people to read. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

/* Equations longer than this (pf_expr_length) get abbreviations. */
enum { LONG_EQUATIONS = 6000 };

static PfStatus simplify(PfContext *ctx, const PfExpr *from, PfExpr *to, size_t count)
{
  for (size_t i = 0; i < count; i++) to[i] = from[i] == PF_EXPR_NONE ? PF_EXPR_NONE : pf_expr_simplest(ctx, from[i]);
  return pf_expr_check(ctx);
}

static PfStatus simplify_equations(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfEquations *simple)
{
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  *simple = *eq;
  simple->M = pf_arena_array(arena, PfExpr, n*n);
  simple->F = pf_arena_array(arena, PfExpr, n);
  simple->C = pf_arena_array(arena, PfExpr, n);
  simple->A = pf_arena_array(arena, PfExpr, m*n);
  simple->b = pf_arena_array(arena, PfExpr, m);
  if (!simple->M || !simple->F || !simple->C || !simple->A || !simple->b)
    return pf_no_room(ctx, "the equations");
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

PfExpr pf_combination(PfContext *ctx, const PfExpr *coefficients, size_t stride, const PfExpr *unknowns, int count)
{
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int j = 0; j < count; j++)
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, coefficients[(size_t)j*stride], unknowns[j]));
  return sum;
}

static void assemble(PfContext *ctx, PfDerivation *d)
{
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
}

void pf_derivation_section(PfDerivation *d, const char *title, int count)
{
  if (count == 0) return;
  d->sections[d->section_count].title = title;
  d->sections[d->section_count++].count = count;
}

/* ---------------------------------------------------------------- abbreviations */

PfExpr pf_rate_symbol(PfContext *ctx, PfExpr name)
{
  char text[320];
  snprintf(text, sizeof text, "%.310s'", pf_expr_symbol_name(ctx, name));
  return pf_expr_symbol(ctx, text);
}

/* Parts by their names and by the symbols of their rates: number + 1. */
static PfStatus index_parts(PfContext *ctx, PfArena *arena, const PfDerivation *d, int **index)
{
  PfExpr *rates = pf_arena_array(arena, PfExpr, d->part_count);
  if (!rates) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < d->part_count; i++) rates[i] = pf_rate_symbol(ctx, d->part_names[i]);
  *index = pf_arena_array(arena, int, (size_t)pf_expr_table_size(ctx) + 1);
  if (!*index) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < d->part_count; i++) (*index)[d->part_names[i]] = (*index)[rates[i]] = i + 1;
  return PF_OK;
}

/* Every name after those that its value contains, themselves or by their rates: depth first. */
static PfStatus sort_parts(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  int count = d->part_count, done = 0, top = 0, *index;
  PfExpr *names = pf_arena_array(arena, PfExpr, count), *values = pf_arena_array(arena, PfExpr, count);
  int *stack = pf_arena_array(arena, int, 2*(size_t)count);
  bool *placed = pf_arena_array(arena, bool, count), *waiting = pf_arena_array(arena, bool, count);
  if (!names || !values || !stack || !placed || !waiting) return pf_no_room(ctx, "the equations");
  PF_TRY(index_parts(ctx, arena, d, &index));
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

static int count_entries(const PfDerivation *d)
{
  int count = 0;
  for (int k = 0; k < d->matrix_count; k++) count += d->matrices[k].rows*d->matrices[k].columns;
  return count;
}

/* Both sides of all equations and what names stand for, then the entries of matrices: in a list, and back from it. */
static void list_formulas(const PfDerivation *d, PfExpr *roots)
{
  for (int i = 0; i < d->equation_count; i++) {
    roots[2*i] = d->equations[i].left;
    roots[2*i + 1] = d->equations[i].right;
  }
  roots += 2*d->equation_count;
  for (int i = 0; i < d->part_count; i++) *roots++ = d->part_values[i];
  for (int k = 0; k < d->matrix_count; k++)
    for (int i = 0; i < d->matrices[k].rows*d->matrices[k].columns; i++) *roots++ = d->matrices[k].entries[i];
}

static PfStatus take_formulas(PfContext *ctx, PfArena *arena, PfDerivation *d, const PfExpr *roots)
{
  for (int i = 0; i < d->equation_count; i++) {
    d->equations[i].left = roots[2*i];
    d->equations[i].right = roots[2*i + 1];
  }
  roots += 2*d->equation_count + d->part_count;
  for (int k = 0; k < d->matrix_count; k++) {
    int count = d->matrices[k].rows*d->matrices[k].columns;
    PfExpr *entries = pf_arena_array(arena, PfExpr, count);
    if (!entries) return pf_no_room(ctx, "the equations");
    memcpy(entries, roots, (size_t)count*sizeof *entries);
    d->matrices[k].entries = entries;
    roots += count;
  }
  return PF_OK;
}

/* Has the model a name made of the prefix and a number? */
static bool is_taken(const PfModel *model, const char *prefix)
{
  size_t length = strlen(prefix);
  for (int i = 0; i < model->parameter_count + model->coordinate_count + model->speed_count + model->input_count; i++) {
    int k = i;
    const char *name = NULL;
    if (k < model->parameter_count) name = model->parameters[k].name;
    else if ((k -= model->parameter_count) < model->coordinate_count) name = model->coordinates[k].name;
    else if ((k -= model->coordinate_count) < model->speed_count) name = model->speeds[k].name;
    else name = model->inputs[k - model->speed_count].name;
    if (!strncmp(name, prefix, length) && name[length] && strspn(name + length, "0123456789") == strlen(name + length))
      return true;
  }
  return false;
}

static const char *free_prefix(const PfModel *model)
{
  static const char *const prefixes[] = {"z", "Z", "zz", "z_"};
  for (size_t i = 0; i < sizeof prefixes/sizeof *prefixes; i++)
    if (!is_taken(model, prefixes[i])) return prefixes[i];
  return "zzz_";
}

/* Shared parts come before the names that are there already, which may contain them. */
PfStatus pf_abbreviate(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  int named = d->part_count, count = 2*d->equation_count + named + count_entries(d);
  PfExpr *roots = pf_arena_array(arena, PfExpr, count);
  PfParts parts = {0};
  if (!roots) return pf_no_room(ctx, "the equations");
  list_formulas(d, roots);
  PF_TRY(pf_expr_share(ctx, arena, roots, count, free_prefix(d->model), LONG_EQUATIONS, &parts));
  PF_TRY(take_formulas(ctx, arena, d, roots));
  PfExpr *names = pf_arena_array(arena, PfExpr, parts.count + named);
  PfExpr *values = pf_arena_array(arena, PfExpr, parts.count + named);
  if (!names || !values) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < parts.count; i++) names[i] = parts.names[i], values[i] = parts.values[i];
  for (int i = 0; i < named; i++) {
    names[parts.count + i] = d->part_names[i];
    values[parts.count + i] = roots[2*d->equation_count + i];
  }
  d->part_count = parts.count + named;
  d->part_names = names;
  d->part_values = values;
  return sort_parts(ctx, arena, d);
}

/* Does the model know its rate: is it a velocity, a direction cosine, a component of a quaternion? */
static bool is_known(const PfModel *model, PfExpr symbol)
{
  for (int k = 0; k < model->coordinate_count; k++)
    if (model->coordinates[k].v == symbol) return true;
  for (int k = 0; k < model->follower_count; k++)
    if (model->followers[k].symbol == symbol) return true;
  return false;
}

/* x -> x', x' -> x'', as the model knows; omega -> omega', and the other parts. */
PfStatus pf_derivation_rate(PfContext *ctx, PfArena *arena, const PfDerivation *d, int part, PfExpr *rate)
{
  int speeds = d->speeds ? d->unknown_count : 0, count = 0;
  size_t most = (size_t)speeds + (size_t)d->part_count;
  PfExpr *from = pf_arena_array(arena, PfExpr, most), *to = pf_arena_array(arena, PfExpr, most), own;
  if (!from || !to) return pf_no_room(ctx, "the equations");
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

PfStatus pf_derive_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  *d = (PfDerivation){.form = "multipliers", .model = eq->model, .motion_count = eq->n};
  pf_derivation_section(d, "Constraints, differentiated", eq->m);
  d->unknown_count = d->equation_count = eq->n + eq->m;
  d->unknowns = pf_arena_array(arena, PfExpr, d->unknown_count);
  d->equations = pf_arena_array(arena, PfEquation, d->equation_count);
  if (!d->unknowns || !d->equations) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < eq->n; i++) d->unknowns[i] = eq->model->coordinates[i].a;
  for (int k = 0; k < eq->m; k++) d->unknowns[eq->n + k] = eq->model->constraints[k].multiplier;
  PF_TRY(simplify_equations(ctx, arena, eq, &d->simple));
  assemble(ctx, d);
  PF_TRY(pf_expr_check(ctx));
  return pf_abbreviate(ctx, arena, d);
}
