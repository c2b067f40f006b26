/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints on velocities that the motion keeps by itself, as the momentum of a robot that floats freely: their
 * multipliers are zero, and the equations are shorter without them. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "num/num.h"

#include <math.h>

/* Accelerations of the motion without constraints. */
static PfStatus free_motion(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr *a, bool *found)
{
  PfGuide guide;
  PfElimination e;
  PfExpr *force = pf_arena_array(arena, PfExpr, eq->n);
  if (!force) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < eq->n; i++) force[i] = pf_expr_add(ctx, eq->F[i], eq->C[i]);
  PF_TRY(pf_equations_guide(ctx, arena, eq, &guide));
  PF_TRY(pf_eliminate(ctx, arena, &guide, eq->n, eq->n, eq->n, eq->M, force, &e));
  *found = e.rank == eq->n;
  for (int i = 0; i < eq->n && *found; i++) a[e.column[i]] = e.d[i];
  return pf_expr_check(ctx);
}

/* By numbers at a generic state, which saves most models the algebra below. */
static PfStatus may_be_integrals(PfContext *ctx, PfArena *arena, const PfEquations *eq, bool *may)
{
  PfSymbols symbols;
  int n = eq->n, m = eq->m;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &symbols));
  double *values = pf_arena_array(arena, double, symbols.count), *M = pf_arena_array(arena, double, n*n), *start;
  double *a = pf_arena_array(arena, double, n), *C = pf_arena_array(arena, double, n);
  double *A = pf_arena_array(arena, double, m*n), *b = pf_arena_array(arena, double, m);
  int *order = pf_arena_array(arena, int, n);
  if (!values || !M || !a || !C || !A || !b || !order) return pf_no_room(ctx, "the equations");
  PF_TRY(pf_start_values(ctx, arena, eq, symbols.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &symbols, start, values));
  PF_TRY(pf_expr_evaluate(ctx, eq->M, n*n, symbols.symbol, values, symbols.count, M));
  PF_TRY(pf_expr_evaluate(ctx, eq->F, n, symbols.symbol, values, symbols.count, a));
  PF_TRY(pf_expr_evaluate(ctx, eq->C, n, symbols.symbol, values, symbols.count, C));
  PF_TRY(pf_expr_evaluate(ctx, eq->A, m*n, symbols.symbol, values, symbols.count, A));
  PF_TRY(pf_expr_evaluate(ctx, eq->b, m, symbols.symbol, values, symbols.count, b));
  for (int i = 0; i < n; i++) a[i] += C[i];
  *may = pf_lu_factor(M, n, order) != 0;
  if (*may) pf_lu_solve(M, n, order, a);
  for (int i = 0; i < m && *may; i++) {
    double rate = -b[i], size = fabs(b[i]);
    for (int j = 0; j < n; j++) rate += A[i*n + j]*a[j], size += fabs(A[i*n + j]*a[j]);
    *may = fabs(rate) <= 1e-9*(1 + size);
  }
  return PF_OK;
}

/* Is every constraint one that holds by itself? */
PfStatus pf_constraints_are_integrals(PfContext *ctx, PfArena *arena, const PfEquations *eq, bool *yes)
{
  enum { MOST_COORDINATES = 6, MOST_ROWS = 3 };
  *yes = false;
  if (!eq->m || eq->m > MOST_ROWS || eq->n > MOST_COORDINATES || eq->model->speed_count) return PF_OK;
  for (int i = 0; i < eq->m; i++)
    if (eq->model->constraints[i].kind != PF_PFAFFIAN && eq->model->constraints[i].kind != PF_AFFINE) return PF_OK;
  PfExpr *a = pf_arena_array(arena, PfExpr, eq->n);
  bool found = false, may = false;
  PF_TRY(may_be_integrals(ctx, arena, eq, &may));
  if (!may) return PF_OK;
  if (!a) return pf_no_room(ctx, "the equations");
  PF_TRY(free_motion(ctx, arena, eq, a, &found));
  *yes = found;
  for (int i = 0; i < eq->m && *yes; i++) {
    PfExpr rate = pf_expr_sub(ctx, pf_combination(ctx, eq->A + i*eq->n, 1, a, eq->n), eq->b[i]);
    PF_TRY(pf_model_expand(eq->model, &rate, 1, &rate));
    *yes = pf_expr_is_probably_zero(ctx, rate, 2) == PF_TRUE;
  }
  return PF_OK;
}
