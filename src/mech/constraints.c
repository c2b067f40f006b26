/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints at position, velocity and acceleration level. Derivatives come from the expression core only. */
#include "mech/mech_impl.h"

/* psi(q, v, t) = 0 differentiated: (d psi/dv) v' = -(d psi/dt + d psi/dq v), so A = d psi/dv and b = minus the
 * time derivative at v' = 0. */
static PfStatus to_acceleration(PfContext *ctx, const PfModel *model, PfExpr velocity, PfExpr *A, PfExpr *b,
                                PfExpr *symbols, PfExpr *zeros)
{
  int n = model->coordinate_count;
  for (int i = 0; i < n; i++) symbols[i] = model->coordinates[i].v;
  PF_TRY(pf_expr_gradient(ctx, velocity, symbols, n, A));
  PfExpr rate;
  PF_TRY(pf_model_time_derivative(model, &velocity, 1, &rate));
  for (int i = 0; i < n; i++) {
    symbols[i] = model->coordinates[i].a;
    zeros[i] = pf_expr_int(ctx, 0);
  }
  PF_TRY(pf_expr_substitute(ctx, &rate, 1, symbols, zeros, n, &rate));
  *b = pf_expr_neg(ctx, rate);
  return PF_OK;
}

/* Already at acceleration level: A = d phi/da, b = -phi at a = 0. */
static PfStatus from_acceleration(PfContext *ctx, const PfModel *model, PfExpr residual, PfExpr *A, PfExpr *b,
                                  PfExpr *symbols, PfExpr *zeros)
{
  int n = model->coordinate_count;
  for (int i = 0; i < n; i++) {
    symbols[i] = model->coordinates[i].a;
    zeros[i] = pf_expr_int(ctx, 0);
  }
  PF_TRY(pf_expr_gradient(ctx, residual, symbols, n, A));
  PfExpr rest;
  PF_TRY(pf_expr_substitute(ctx, &residual, 1, symbols, zeros, n, &rest));
  *b = pf_expr_neg(ctx, rest);
  return pf_expr_substitute(ctx, A, n, symbols, zeros, n, A); /* linear: the zeros only tidy up */
}

PfStatus pf_derive_constraints(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  PfExpr *symbols = pf_arena_array(scratch, PfExpr, eq->n), *zeros = pf_arena_array(scratch, PfExpr, eq->n);
  if (!symbols || !zeros) return pf_no_room(ctx, "the constraints");
  for (int i = 0; i < eq->m; i++) {
    const PfConstraint *c = model->constraints + i;
    PfExpr *A = eq->A + (size_t)i*(size_t)eq->n;
    if (c->kind == PF_ACCELERATION) {
      PF_TRY(from_acceleration(ctx, model, c->residual, A, eq->b + i, symbols, zeros));
      continue;
    }
    eq->velocity[i] = c->residual;
    if (c->kind == PF_HOLONOMIC) {
      eq->position[i] = c->residual;
      PF_TRY(pf_model_time_derivative(model, &c->residual, 1, eq->velocity + i));
    }
    PF_TRY(to_acceleration(ctx, model, eq->velocity[i], A, eq->b + i, symbols, zeros));
  }
  return PF_OK;
}
