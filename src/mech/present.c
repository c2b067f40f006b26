/* SPDX-License-Identifier: Apache-2.0 */
/* Equations for people to read. */
#include "mech/mech_impl.h"

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

PfStatus pf_abbreviate(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  int count = 2*d->equation_count;
  PfExpr *roots = pf_arena_array(arena, PfExpr, count);
  PfParts parts = {0};
  if (!roots) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < d->equation_count; i++) {
    roots[2*i] = d->equations[i].left;
    roots[2*i + 1] = d->equations[i].right;
  }
  PF_TRY(pf_expr_share(ctx, arena, roots, count, "z", LONG_EQUATIONS, &parts));
  for (int i = 0; i < d->equation_count; i++) {
    d->equations[i].left = roots[2*i];
    d->equations[i].right = roots[2*i + 1];
  }
  d->part_count = parts.count;
  d->part_names = parts.names;
  d->part_values = parts.values;
  return PF_OK;
}

PfStatus pf_derive_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  *d = (PfDerivation){.form = "multipliers", .motion_count = eq->n, .others = "Constraints, differentiated"};
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
