/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of bodies as linear forms of the pseudo-velocities, in the axes of each body, and the kinetic energy in
 * them, body by body. */
#include "mech/links.h"

/* V = u + w x c by the velocities u and w of the body's frame. */
PfStatus pf_body_velocities(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            PfExpr **forms)
{
  const PfModel *model = eq->model;
  int stride = k->count + 1;
  PfLinks *links;
  *forms = pf_arena_array(arena, PfExpr, (size_t)model->body_count*6*(size_t)stride);
  if (!*forms) return pf_no_room(ctx, "the velocities of bodies");
  PF_TRY(pf_links_make(ctx, arena, model, k->v, k->omega, k->count, k->still, &links));
  for (int b = 0; b < model->body_count; b++) {
    const PfBody *body = model->bodies + b;
    PfExpr *form = *forms + b*6*stride;
    const PfLink *link;
    PfExpr swing[3]; /* V = u + w x c */
    PF_TRY(pf_links_reach(links, body->frame, &link));
    pf_expr_cross3(ctx, link->w, body->com, swing);
    for (int j = 0; j < 3; j++) {
      PF_TRY(pf_links_form(links, pf_expr_add(ctx, link->u[j], swing[j]), form + j*stride));
      PF_TRY(pf_links_form(links, link->w[j], form + (3 + j)*stride));
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- inertia */

/* By tokens. */
PfExpr pf_shorter(PfContext *ctx, PfExpr a, PfExpr b)
{
  return pf_expr_token_count(ctx, b) < pf_expr_token_count(ctx, a) ? b : a;
}

/* The Hessian of the kinetic energy that is given by a formula, then m dV/da.dV/db + dW/da.I dW/db of each body. */
PfStatus pf_reduced_inertia(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfExpr *forms, PfExpr *G)
{
  enum { LONG_SUM = 1500 };
  const PfModel *model = eq->model;
  const int s = k->count, stride = s + 1;
  PfExpr *p, T; /* T: the kinetic energy that is given by a formula */
  PF_TRY(pf_arrays(ctx, arena, "the inertia", PF_ROOM(p, s)));
  PF_TRY(pf_put_velocities(model, k->v, &model->kinetic, 1, &T));
  PF_TRY(pf_expr_gradient(ctx, T, k->omega, s, p));
  for (int a = 0; a < s; a++) PF_TRY(pf_expr_gradient(ctx, p[a], k->omega, s, G + a*s));
  for (int a = 0; a < s; a++)
    for (int b = 0; b <= a; b++) {
      PfExpr sum = pf_expr_simplest(ctx, G[a*s + b]);
      for (int body = 0; body < model->body_count; body++) {
        const PfBody *own = model->bodies + body;
        const PfExpr *form = forms + body*6*stride;
        PfExpr part = pf_expr_int(ctx, 0); /* m dV/da.dV/db + dW/da.I dW/db */
        for (int i = 0; i < 3; i++) {
          PfExpr factors[3] = {own->mass, form[i*stride + a], form[i*stride + b]};
          part = pf_expr_add(ctx, part, pf_expr_product(ctx, factors, 3));
          for (int j = 0; j < 3; j++) {
            PfExpr turns[3] = {own->inertia[3*i + j], form[(3 + i)*stride + a], form[(3 + j)*stride + b]};
            part = pf_expr_add(ctx, part, pf_expr_product(ctx, turns, 3));
          }
        }
        sum = pf_expr_add(ctx, sum, pf_expr_simplest(ctx, part));
      }
      if (pf_expr_length(ctx, sum) < LONG_SUM) sum = pf_shorter(ctx, sum, pf_expr_simplest(ctx, sum));
      G[a*s + b] = G[b*s + a] = sum;
    }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- forces of inertia */

/* Newton's and Euler's left sides. */
void pf_inertia_force(PfContext *ctx, const PfBody *body, const PfExpr y[6], const PfExpr rate[6], PfExpr force[6])
{
  PfExpr H[3], dH[3], turn[3];
  for (int i = 0; i < 3; i++) {
    H[i] = pf_expr_dot3(ctx, body->inertia + 3*i, y + 3);
    dH[i] = pf_expr_dot3(ctx, body->inertia + 3*i, rate + 3);
  }
  pf_expr_cross3(ctx, y + 3, y, turn);
  for (int i = 0; i < 3; i++) force[i] = pf_expr_mul(ctx, body->mass, pf_expr_add(ctx, rate[i], turn[i]));
  pf_expr_cross3(ctx, y + 3, H, turn);
  for (int i = 0; i < 3; i++) force[3 + i] = pf_expr_add(ctx, dH[i], turn[i]);
}

/* The forces of each body times the coefficients of its velocity forms. */
PfStatus pf_inertia_forces(PfContext *ctx, const PfEquations *eq, const PfKinematics *k, const PfExpr *forms,
                           PfExpr *out)
{
  const int s = k->count, stride = s + 1;
  for (int a = 0; a < s; a++) out[a] = pf_expr_int(ctx, 0);
  for (int b = 0; b < eq->model->body_count; b++) {
    const PfExpr *form = forms + b*6*stride;
    PfExpr y[6], rate[6], force[6];
    for (int r = 0; r < 6; r++)
      y[r] = pf_expr_add(ctx, form[r*stride + s], pf_combination(ctx, form + r*stride, 1, k->omega, s));
    PF_TRY(pf_model_derive_along(eq->model, k->v, y, 6, rate));
    pf_inertia_force(ctx, eq->model->bodies + b, y, rate, force);
    PF_TRY(pf_expr_check(ctx));
    for (int a = 0; a < s; a++)
      for (int r = 0; r < 6; r++)
        out[a] = pf_expr_sub(ctx, out[a], pf_expr_mul(ctx, form[r*stride + a], force[r]));
  }
  return pf_expr_check(ctx);
}
