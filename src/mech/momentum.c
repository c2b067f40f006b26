/* SPDX-License-Identifier: Apache-2.0 */
/* Total momentum of the bodies. */
#include "mech/mech_impl.h"

static bool moves(const PfModel *model, const PfFrame *f)
{
  for (int i = 0; i < model->coordinate_count; i++) {
    PfExpr q = model->coordinates[i].q;
    for (int k = 0; k < 3; k++)
      if (pf_expr_depends(model->ctx, f->origin[k], &q, 1)) return true;
    if (f->angle != PF_EXPR_NONE && pf_expr_depends(model->ctx, f->angle, &q, 1)) return true;
  }
  return f->quaternion[0] != PF_EXPR_NONE;
}

bool pf_model_floats(const PfModel *model)
{
  for (int b = 0; b < model->ball_count; b++) {
    if (model->balls[b].p < 0) continue;
    int f = model->frames[model->balls[b].frame].parent;
    while (f && !moves(model, model->frames + f)) f = model->frames[f].parent;
    if (!f) return true;
  }
  return false;
}

/* p = sum m v, h = sum r x m v + I w, with r and v of the centre of mass. */
PfStatus pf_model_momentum(PfContext *ctx, const PfModel *model, PfExpr momentum[6])
{
  PfExpr c[3];
  for (int k = 0; k < 6; k++) momentum[k] = pf_expr_int(ctx, 0);
  for (int i = 0; i < model->body_count; i++) {
    const PfBody *body = model->bodies + i;
    PfVector r = pf_point_position(model, body->frame, body->com);
    PfVector p = pf_vector_scale(model, pf_point_velocity(model, body->frame, body->com), body->mass);
    PfExpr spin[3], own[3];
    for (int k = 0; k < 3; k++) spin[k] = model->frames[body->frame].spin[k];
    for (int k = 0; k < 3; k++) own[k] = pf_expr_dot3(ctx, body->inertia + 3*k, spin);
    PfVector h = pf_vector_make(model, body->frame, own);
    PfExpr R[3], P[3];
    pf_vector_express(model, r, 0, R);
    pf_vector_express(model, p, 0, P);
    pf_vector_express(model, h, 0, own);
    pf_expr_cross3(ctx, R, P, c);
    for (int k = 0; k < 3; k++) {
      momentum[k] = pf_expr_add(ctx, momentum[k], P[k]);
      momentum[3 + k] = pf_expr_add(ctx, momentum[3 + k], pf_expr_add(ctx, c[k], own[k]));
    }
  }
  return pf_expr_check(ctx);
}
