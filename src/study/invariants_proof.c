/* SPDX-License-Identifier: Apache-2.0 */
/* The rate of a function by the normal form. With Maggi's G omega' = g, Cramer's rule gives
 *   det(G) df/dt = det(G) (df/dt at constant omega) + df/domega adj(G) g,
 * a polynomial that is zero or not. */
#include "study/invariants.h"

#include "base/base.h"
#include "study/distribution.h"

/* G (k x k) without a row and a column, in `minor`, which is returned. */
static PfExpr *minor_of(const PfExpr *G, int k, int row, int column, PfExpr *minor)
{
  int at = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      if (i != row && j != column) minor[at++] = G[i*k + j];
  return minor;
}

/* For k up to 3. */
static PfExpr determinant(PfContext *ctx, const PfExpr *G, int k)
{
  if (k == 0) return pf_expr_int(ctx, 1);
  if (k == 1) return G[0];
  if (k == 2) return pf_expr_sub(ctx, pf_expr_mul(ctx, G[0], G[3]), pf_expr_mul(ctx, G[1], G[2]));
  PfExpr sum = pf_expr_int(ctx, 0), minor[4];
  for (int j = 0; j < k; j++) {
    const PfExpr *m = minor_of(G, k, 0, j, minor);
    PfExpr part = pf_expr_sub(ctx, pf_expr_mul(ctx, m[0], m[3]), pf_expr_mul(ctx, m[1], m[2]));
    part = pf_expr_mul(ctx, G[j], part);
    sum = j%2 ? pf_expr_sub(ctx, sum, part) : pf_expr_add(ctx, sum, part);
  }
  return sum;
}

/* The function and the form, with velocities by pseudo-velocities and inputs by their functions of time. */
static PfStatus write_out(const PfFlow *flow, PfExpr *e, int count)
{
  const PfModel *model = flow->eq->model;
  for (int i = 0; i < flow->eq->n; i++)
    if (flow->states.kinematics.v[i] != model->coordinates[i].v)
      PF_TRY(pf_expr_substitute(flow->ctx, e, count, &model->coordinates[i].v, flow->states.kinematics.v + i, 1, e));
  return pf_insert_inputs(flow->ctx, model, e, (size_t)count);
}

/* det(G) times the rate of f, all in terms of q, omega and t: df/domega times adj(G) g by Cramer's rule. */
PfStatus pf_invariant_prove(const PfFlow *flow, const double *parameters, const PfInvariant *invariant, PfTruth *truth)
{
  PfContext *ctx = flow->ctx;
  const PfKinematics *kinematics = &flow->states.kinematics;
  const PfModel *model = flow->eq->model;
  const int k = kinematics->count, n = flow->eq->n;
  PfReducedForm form;
  *truth = PF_UNKNOWN;
  if (!flow->states.laconic || k > 3 || k < 1) return PF_OK;
  PF_TRY(pf_reduce_maggi(ctx, flow->arena, flow->eq, kinematics, &form));
  PfExpr f = invariant->value, rate, slope[3], held, minor[4], *from, *to;
  PF_TRY(write_out(flow, &f, 1));
  PF_TRY(write_out(flow, form.G, k*k));
  PF_TRY(write_out(flow, form.g, k));
  PF_TRY(pf_arrays(ctx, flow->arena, "a proof", PF_ROOM(from, n + 1), PF_ROOM(to, n + 1)));
  for (int i = 0; i < n; i++) from[i] = model->coordinates[i].q, to[i] = kinematics->v[i];
  from[n] = model->time, to[n] = pf_expr_int(ctx, 1);
  PF_TRY(pf_expr_derive_along(ctx, &f, 1, from, to, n + 1, &held));
  PF_TRY(pf_expr_gradient(ctx, f, kinematics->omega, k, slope));
  rate = pf_expr_mul(ctx, held, determinant(ctx, form.G, k));
  for (int a = 0; a < k; a++) {
    PfExpr along = pf_expr_int(ctx, 0); /* det(G) times component a of omega' */
    for (int b = 0; b < k; b++) {
      PfExpr part = pf_expr_mul(ctx, form.g[b], determinant(ctx, minor_of(form.G, k, b, a, minor), k - 1));
      along = (a + b)%2 ? pf_expr_sub(ctx, along, part) : pf_expr_add(ctx, along, part);
    }
    rate = pf_expr_add(ctx, rate, pf_expr_mul(ctx, slope[a], along));
  }
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(write_out(flow, &rate, 1));
  if (invariant->general) {
    PF_TRY(pf_put_zeros(ctx, model, parameters, &rate, 1));
    PF_TRY(pf_model_expand(model, &rate, 1, &rate));
  } else PF_TRY(pf_put_parameters(ctx, model, parameters, &rate, 1));
  *truth = pf_expr_is_zero(ctx, rate);
  return PF_OK;
}
