/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints on velocities that the motion keeps by itself, as the momentum of a robot that floats freely: their
 * multipliers are zero, and the equations are shorter without them. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "num/num.h"

#include <math.h>

/* By numbers at a generic state, which saves most models the algebra below. */
static PfStatus may_be_integrals(PfContext *ctx, PfArena *arena, const PfEquations *eq, bool *may)
{
  PfSymbols in;
  const int n = eq->n, m = eq->m;
  double *values, *M, *a, *C, *A, *b, *start;
  int *order;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &in));
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(values, in.count), PF_ROOM2(M, n, n), PF_ROOM(a, n),
                   PF_ROOM(C, n), PF_ROOM2(A, m, n), PF_ROOM(b, m), PF_ROOM(order, n)));
  PF_TRY(pf_start_values(ctx, arena, eq, in.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &in, start, values));
  PF_TRY(pf_expr_evaluate(ctx, eq->M, n*n, in.symbol, values, in.count, M));
  PF_TRY(pf_expr_evaluate(ctx, eq->F, n, in.symbol, values, in.count, a));
  PF_TRY(pf_expr_evaluate(ctx, eq->C, n, in.symbol, values, in.count, C));
  PF_TRY(pf_expr_evaluate(ctx, eq->A, m*n, in.symbol, values, in.count, A));
  PF_TRY(pf_expr_evaluate(ctx, eq->b, m, in.symbol, values, in.count, b));
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

/* Is every constraint one that holds by itself? By the accelerations of the motion without constraints. */
PfStatus pf_constraints_are_integrals(PfContext *ctx, PfArena *arena, const PfEquations *eq, bool *yes)
{
  enum { MOST_COORDINATES = 6, MOST_ROWS = 3 };
  const int n = eq->n;
  PfSamplePoint sample;
  PfElimination e;
  PfExpr *a, *force;
  *yes = false;
  if (!eq->m || eq->m > MOST_ROWS || n > MOST_COORDINATES || eq->model->speed_count) return PF_OK;
  for (int i = 0; i < eq->m; i++)
    if (eq->model->constraints[i].kind != PF_PFAFFIAN && eq->model->constraints[i].kind != PF_AFFINE) return PF_OK;
  PF_TRY(may_be_integrals(ctx, arena, eq, yes));
  if (!*yes) return PF_OK;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(a, n), PF_ROOM(force, n)));
  for (int i = 0; i < n; i++) force[i] = pf_expr_add(ctx, eq->F[i], eq->C[i]);
  PF_TRY(pf_equations_sample(ctx, arena, eq, &sample));
  PF_TRY(pf_eliminate(ctx, arena, &sample, n, n, n, eq->M, force, &e));
  *yes = e.rank == n;
  for (int i = 0; i < n && *yes; i++) a[e.column[i]] = e.d[i];
  PF_TRY(pf_expr_check(ctx));
  for (int i = 0; i < eq->m && *yes; i++) {
    PfExpr rate = pf_expr_sub(ctx, pf_combination(ctx, eq->A + i*n, 1, a, n), eq->b[i]);
    PF_TRY(pf_model_expand(eq->model, &rate, 1, &rate));
    *yes = pf_expr_is_probably_zero(ctx, rate, 2) == PF_TRUE;
  }
  return PF_OK;
}
