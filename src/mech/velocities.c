/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of bodies as linear forms of the pseudo-velocities, in the axes of each body, and the kinetic energy in
 * them, body by body. */
#include "mech/links.h"

static PfStatus list_body(PfContext *ctx, PfLinks *links, const PfBody *body, int stride, PfExpr *form)
{
  const PfLink *link;
  PfExpr swing[3];
  PF_TRY(pf_links_reach(links, body->frame, &link));
  pf_expr_cross3(ctx, link->w, body->com, swing);
  for (int k = 0; k < 3; k++) {
    PF_TRY(pf_links_form(links, pf_expr_add(ctx, link->u[k], swing[k]), form + k*stride));
    PF_TRY(pf_links_form(links, link->w[k], form + (3 + k)*stride));
  }
  return PF_OK;
}

PfStatus pf_body_velocities(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            PfExpr **forms)
{
  const PfModel *model = eq->model;
  int stride = k->count + 1;
  PfLinks *links;
  *forms = pf_arena_array(arena, PfExpr, (size_t)model->body_count*6*(size_t)stride);
  if (!*forms) return pf_no_room(ctx, "the velocities of bodies");
  PF_TRY(pf_links_make(ctx, arena, model, k->v, k->omega, k->count, k->still, &links));
  for (int b = 0; b < model->body_count; b++)
    PF_TRY(list_body(ctx, links, model->bodies + b, stride, *forms + b*6*stride));
  return PF_OK;
}

/* ---------------------------------------------------------------- inertia */

/* What one body adds to G_ab. */
static PfExpr body_inertia(PfContext *ctx, const PfBody *body, const PfExpr *form, int stride, int a, int b)
{
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int i = 0; i < 3; i++) {
    PfExpr factors[3] = {body->mass, form[i*stride + a], form[i*stride + b]};
    sum = pf_expr_add(ctx, sum, pf_expr_product(ctx, factors, 3));
    for (int j = 0; j < 3; j++) {
      PfExpr turns[3] = {body->inertia[3*i + j], form[(3 + i)*stride + a], form[(3 + j)*stride + b]};
      sum = pf_expr_add(ctx, sum, pf_expr_product(ctx, turns, 3));
    }
  }
  return sum;
}

/* Of the kinetic energy that is given by a formula. */
static PfStatus formula_inertia(PfContext *ctx, PfArena *arena, const PfModel *model, const PfKinematics *k, PfExpr *G)
{
  int n = model->coordinate_count, s = k->count;
  PfExpr *v = pf_arena_array(arena, PfExpr, n), *p = pf_arena_array(arena, PfExpr, s), T;
  if (!v || !p) return pf_no_room(ctx, "the inertia");
  for (int i = 0; i < n; i++) v[i] = model->coordinates[i].v;
  PF_TRY(pf_expr_substitute(ctx, &model->kinetic, 1, v, k->v, n, &T));
  PF_TRY(pf_expr_gradient(ctx, T, k->omega, s, p));
  for (int a = 0; a < s; a++) PF_TRY(pf_expr_gradient(ctx, p[a], k->omega, s, G + a*s));
  return PF_OK;
}

PfExpr pf_shorter(PfContext *ctx, PfExpr a, PfExpr b)
{
  return pf_expr_words(ctx, b) < pf_expr_words(ctx, a) ? b : a;
}

PfStatus pf_reduced_inertia(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfExpr *forms, PfExpr *G)
{
  enum { LONG_SUM = 1500 };
  const PfModel *model = eq->model;
  int s = k->count, stride = s + 1;
  PF_TRY(formula_inertia(ctx, arena, model, k, G));
  for (int a = 0; a < s; a++)
    for (int b = 0; b <= a; b++) {
      PfExpr sum = pf_expr_simplest(ctx, G[a*s + b]);
      for (int i = 0; i < model->body_count; i++) {
        PfExpr own = body_inertia(ctx, model->bodies + i, forms + i*6*stride, stride, a, b);
        sum = pf_expr_add(ctx, sum, pf_expr_simplest(ctx, own));
      }
      if (pf_expr_length(ctx, sum) < LONG_SUM) sum = pf_shorter(ctx, sum, pf_expr_simplest(ctx, sum));
      G[a*s + b] = G[b*s + a] = sum;
    }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- forces of inertia */

/* m (V' + W x V) and I W' + W x I W of a body while the pseudo-velocities are constant. */
static PfStatus body_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfBody *body, const PfExpr *form, PfExpr force[6])
{
  int s = k->count, stride = s + 1;
  PfExpr y[6], rate[6], H[3], dH[3], turn[3];
  for (int r = 0; r < 6; r++)
    y[r] = pf_expr_add(ctx, form[r*stride + s], pf_combination(ctx, form + r*stride, 1, k->omega, s));
  PF_TRY(pf_along_motion(ctx, arena, eq->model, k, y, 6, rate));
  for (int i = 0; i < 3; i++) {
    H[i] = pf_expr_dot3(ctx, body->inertia + 3*i, y + 3);
    dH[i] = pf_expr_dot3(ctx, body->inertia + 3*i, rate + 3);
  }
  pf_expr_cross3(ctx, y + 3, y, turn);
  for (int i = 0; i < 3; i++) force[i] = pf_expr_mul(ctx, body->mass, pf_expr_add(ctx, rate[i], turn[i]));
  pf_expr_cross3(ctx, y + 3, H, turn);
  for (int i = 0; i < 3; i++) force[3 + i] = pf_expr_add(ctx, dH[i], turn[i]);
  return pf_expr_check(ctx);
}

PfStatus pf_inertia_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                           const PfExpr *forms, PfExpr *out)
{
  int s = k->count, stride = s + 1;
  for (int a = 0; a < s; a++) out[a] = pf_expr_int(ctx, 0);
  for (int b = 0; b < eq->model->body_count; b++) {
    const PfExpr *form = forms + b*6*stride;
    PfExpr force[6];
    PF_TRY(body_forces(ctx, arena, eq, k, eq->model->bodies + b, form, force));
    for (int a = 0; a < s; a++)
      for (int r = 0; r < 6; r++)
        out[a] = pf_expr_sub(ctx, out[a], pf_expr_mul(ctx, form[r*stride + a], force[r]));
  }
  return pf_expr_check(ctx);
}
