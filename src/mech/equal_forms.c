/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs that the forms for readers are the same equations: G and g of each reduced form against those of Maggi for the
 * same pseudo-velocities, as functions of the state, by evaluation in prime fields; Hamilton's equations against
 * Lagrange's. */
#include "mech/mech_impl.h"

#include <string.h>

/* Is e zero as a function of the state, with derived parameters written out? */
static PfStatus vanishes(PfContext *ctx, const PfModel *model, PfExpr e, PfTruth *truth)
{
  enum { ROUNDS = 2 }; /* an error below (degree/2^61)^2 */
  PF_TRY(pf_model_expand(model, &e, 1, &e));
  PfTruth own = pf_expr_is_probably_zero(ctx, e, ROUNDS);
  if (*truth == PF_TRUE || own == PF_FALSE) *truth = own;
  return pf_expr_check(ctx);
}

/* Pseudo-velocities and G omega' = g of each; NULL: pf_kinematics_find. */
static const struct Reduced {
  const char *name;
  PfStatus (*find)(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, PfKinematics *k);
  PfStatus (*reduce)(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfReducedForm *form);
} reduced[] = {
  {"laconic", NULL, pf_reduce_laconic},
  {"gibbs_appell", NULL, pf_reduce_gibbs_appell},
  {"kane", NULL, pf_reduce_kane},
  {"chaplygin", pf_kinematics_chaplygin, pf_reduce_chaplygin},
  {"voronets", pf_kinematics_voronets, pf_reduce_voronets},
  {"boltzmann_hamel", NULL, pf_reduce_boltzmann_hamel},
  {"hamel_wrong", pf_kinematics_voronets, pf_reduce_hamel_wrong},
};

enum { REDUCED = sizeof reduced/sizeof *reduced };

/* One form against Maggi's. */
static PfStatus compare(PfContext *ctx, PfArena *arena, const PfEquations *eq, const struct Reduced *own,
                        PfTruth *truth)
{
  PfKinematics k;
  PfReducedForm maggi, other;
  const PfDeriveOptions options = {.form = own->name};
  PF_TRY(own->find ? own->find(ctx, arena, eq, &options, &k) : pf_kinematics_find(ctx, arena, eq, &k));
  PF_TRY(pf_reduce_maggi(ctx, arena, eq, &k, &maggi));
  PF_TRY(own->reduce(ctx, arena, eq, &k, &other));
  *truth = PF_TRUE;
  for (int i = 0; i < k.count*k.count; i++)
    PF_TRY(vanishes(ctx, eq->model, pf_expr_sub(ctx, maggi.G[i], other.G[i]), truth));
  for (int a = 0; a < k.count; a++)
    PF_TRY(vanishes(ctx, eq->model, pf_expr_sub(ctx, maggi.g[a], other.g[a]), truth));
  return PF_OK;
}

/* The residuals of Hamilton's equations, with momenta written out, without those of Lagrange's. */
static PfStatus compare_hamilton(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfTruth *truth)
{
  PfExpr *rest;
  PF_TRY(pf_arrays(ctx, arena, "a proof", PF_ROOM(rest, 2*eq->n)));
  PF_TRY(pf_hamilton_difference(ctx, arena, eq, rest));
  *truth = PF_TRUE;
  for (int i = 0; i < 2*eq->n; i++) PF_TRY(vanishes(ctx, eq->model, rest[i], truth));
  return PF_OK;
}

/* What a form says where it does not exist is the reason in its row; failures of another kind end all. */
static PfStatus settle(PfContext *ctx, PfArena *arena, PfStatus status, int before, PfFormProof *row)
{
  if (status == PF_OK) return PF_OK;
  if (pf_is_final(status) || status == PF_ERR_LIMIT) return status;
  const char *message = pf_context_message(ctx);
  row->why_not = pf_arena_text(arena, message, strlen(message));
  pf_diagnostics_truncate(ctx, before);
  return row->why_not ? PF_OK : pf_no_room(ctx, "a proof");
}

/* Forces that depend on multipliers leave only forms that have multipliers. */
static const char *multiplier_force(PfContext *ctx, PfArena *arena, const PfEquations *eq)
{
  for (int k = 0; k < eq->m; k++)
    for (int j = 0; j < eq->n; j++)
      if (pf_expr_depends(ctx, eq->C[j], &eq->model->constraints[k].multiplier, 1))
        return pf_arena_print(arena, "the non-ideal force on '%s' depends on the multiplier of '%s'",
                              eq->model->coordinates[j].name, eq->model->constraints[k].name);
  return NULL;
}

/* In angular velocities where the model has balls, as pf_derive. */
PfStatus pf_forms_prove(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfFormProof **rows, int *count)
{
  const PfEquations *eq = equations;
  PfQuasi *quasi;
  *count = REDUCED + 1;
  PF_TRY(pf_arrays(ctx, arena, "a proof", PF_ROOM(*rows, *count), PF_ROOM(quasi, 1)));
  if (equations->model->ball_count) {
    PF_TRY(pf_quasi_make(ctx, arena, equations, quasi));
    eq = &quasi->equations;
  }
  const char *force = multiplier_force(ctx, arena, eq);
  for (int i = 0; i < *count; i++) {
    PfFormProof *row = *rows + i;
    const int before = pf_diagnostic_count(ctx);
    *row = (PfFormProof){i < REDUCED ? reduced[i].name : "hamilton", PF_UNKNOWN, i < REDUCED ? force : NULL};
    if (row->why_not) continue;
    PfStatus status = i < REDUCED ? compare(ctx, arena, eq, reduced + i, &row->equal)
                                  : compare_hamilton(ctx, arena, eq, &row->equal);
    PF_TRY(settle(ctx, arena, status, before, row));
  }
  return PF_OK;
}
