/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations of bodies by the rates of pseudo-velocities, and their inertia. In axes that turn
 * with Omega the acceleration of a centre of mass is V' + Omega x V, the change of the angular momentum
 * I W' + Omega x I W; Omega is W itself but for wheels, whose axes do not spin with them. */
#include "mech/accelerations.h"
#include "mech/links.h"

/* Are velocities linear in omega, and bodies few enough for readers? */
static bool by_bodies(PfContext *ctx, const PfEquations *eq, const PfKinematics *k)
{
  enum { MOST_ENTRIES = 600 };
  for (int i = 0; i < eq->n*k->count; i++)
    if (pf_expr_depends(ctx, k->N[i], k->omega, k->count)) return false;
  return k->count*eq->model->body_count <= MOST_ENTRIES;
}

/* The coefficients of a form times these, without its free term. */
static PfExpr along(PfContext *ctx, const PfExpr *form, const PfExpr *unknowns, int count)
{
  return pf_combination(ctx, form, 1, unknowns, count);
}

/* Velocities of one body, found link by link, and their derivatives. */
static PfStatus find_body(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfLinks *links,
                          PfBodyMotion *motion)
{
  const PfBody *body = motion->body;
  const int s = k->count;
  const PfLink *link, *axes;
  PfExpr swing[3], *form, Omega[3], IW[3], y[6], rate[6];
  PF_TRY(pf_arrays(ctx, arena, "the accelerations of bodies", PF_ROOM2(form, 6, s + 1)));
  PF_TRY(pf_links_reach(links, body->frame, &link));
  PF_TRY(pf_links_reach(links, pf_links_axes(links, body->frame), &axes));
  pf_expr_cross3(ctx, link->w, body->com, swing);
  for (int r = 0; r < 6; r++) {
    PfExpr e = r < 3 ? pf_expr_add(ctx, link->u[r], swing[r]) : link->w[r - 3], *own = form + r*(s + 1);
    PF_TRY(pf_links_form(links, e, own));
    y[r] = pf_expr_add(ctx, own[s], along(ctx, own, k->omega, s));
  }
  for (int j = 0; j < 3; j++) {
    motion->V[j] = y[j], motion->W[j] = y[3 + j], Omega[j] = axes->w[j];
    IW[j] = pf_expr_dot3(ctx, body->inertia + 3*j, y + 3);
  }
  PF_TRY(pf_model_derive_along(eq->model, k->v, y, 6, rate)); /* at constant omega */
  for (int r = 0; r < 6; r++) rate[r] = pf_expr_add(ctx, rate[r], along(ctx, form + r*(s + 1), k->rate, s));
  pf_expr_cross3(ctx, Omega, motion->V, motion->a);
  pf_expr_cross3(ctx, Omega, IW, motion->turn);
  for (int j = 0; j < 3; j++) {
    motion->a[j] = pf_expr_add(ctx, rate[j], motion->a[j]);
    motion->rate[j] = rate[3 + j];
  }
  return pf_expr_check(ctx);
}

/* R = M q'' + h of the kinetic energy that is given by a formula; components of angular velocities, which are not
 * derivatives of coordinates, have p x w in addition, as Lagrange's equations (lagrange.c). */
static PfStatus formula_inertia(PfContext *ctx, PfArena *arena, const PfModel *model, PfExpr *R)
{
  const int n = model->coordinate_count;
  PfExpr *p, *slope;
  PF_TRY(pf_arrays(ctx, arena, "the accelerations", PF_ROOM(p, n), PF_ROOM(slope, n)));
  PF_TRY(pf_velocity_gradient(model, model->kinetic, p));
  PF_TRY(pf_model_gradient(model, model->kinetic, slope));
  PF_TRY(pf_model_time_derivative(model, p, n, R));
  for (int i = 0; i < n; i++) R[i] = pf_expr_sub(ctx, R[i], slope[i]);
  for (int i = 0; i < model->spinning_count; i++) {
    const PfSpinning *spinning = model->spinnings + i;
    PfExpr w[3], moment[3];
    for (int k = 0; k < 3; k++) w[k] = model->coordinates[spinning->first + k].v;
    pf_expr_cross3(ctx, p + spinning->first, w, moment);
    for (int k = 0; k < 3; k++) {
      PfExpr *own = R + spinning->first + k;
      *own = spinning->sign > 0 ? pf_expr_sub(ctx, *own, moment[k]) : pf_expr_add(ctx, *own, moment[k]);
    }
  }
  return pf_expr_check(ctx);
}

/* The same of the whole kinetic energy: M q'' - F without applied forces and the potential. */
static PfStatus whole_inertia(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr *R)
{
  const int n = eq->n;
  PfExpr *slope;
  PF_TRY(pf_arrays(ctx, arena, "the accelerations", PF_ROOM(slope, n)));
  PF_TRY(pf_model_gradient(eq->model, eq->potential, slope));
  for (int i = 0; i < n; i++) {
    R[i] = pf_expr_sub(ctx, pf_expr_sub(ctx, eq->applied[i], slope[i]), eq->F[i]);
    for (int j = 0; j < n; j++)
      R[i] = pf_expr_add(ctx, R[i], pf_expr_mul(ctx, eq->M[i*n + j], eq->model->coordinates[j].a));
  }
  return pf_expr_check(ctx);
}

/* q'' and v are put into R, and for h zeros in the place of q''. */
PfStatus pf_accelerations_find(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                               PfAccelerations *x)
{
  const PfModel *model = eq->model;
  const int n = eq->n, s = k->count;
  const bool bodies = by_bodies(ctx, eq, k);
  PfExpr *second, *zeros;
  PfLinks *links;
  *x = (PfAccelerations){.n = n, .count = s, .body_count = bodies ? model->body_count : 0};
  PF_TRY(pf_arrays(ctx, arena, "the accelerations", PF_ROOM(x->bodies, x->body_count), PF_ROOM(x->q2, n),
                   PF_ROOM(x->R, n), PF_ROOM(x->h, n), PF_ROOM(x->Q, s), PF_ROOM(second, n), PF_ROOM(zeros, n)));
  PF_TRY(pf_links_make(ctx, arena, model, k->v, k->omega, s, k->still, &links));
  for (int b = 0; b < x->body_count; b++) {
    x->bodies[b].body = model->bodies + b;
    PF_TRY(find_body(ctx, arena, eq, k, links, x->bodies + b));
  }
  for (int i = 0; i < n; i++) {
    x->q2[i] = pf_expr_add(ctx, k->drift[i], pf_combination(ctx, k->N + i*s, 1, k->rate, s));
    second[i] = model->coordinates[i].a, zeros[i] = pf_expr_int(ctx, 0);
  }
  PF_TRY(bodies ? formula_inertia(ctx, arena, model, x->R) : whole_inertia(ctx, arena, eq, x->R));
  PF_TRY(pf_put_velocities(model, k->v, x->R, n, x->R));
  PF_TRY(pf_expr_substitute(ctx, x->R, n, second, zeros, n, x->h));
  PF_TRY(pf_expr_substitute(ctx, x->R, n, second, x->q2, n, x->R));
  for (int i = 0; i < n; i++) x->formula = x->formula || !pf_expr_is_structural_zero(ctx, x->R[i]);
  PF_TRY(pf_reduced_forces(ctx, arena, eq, k, x->Q));
  return pf_expr_check(ctx);
}

/* Its products with dW/domega are the work of the inertia of turning. */
void pf_body_moment(PfContext *ctx, const PfBodyMotion *motion, PfExpr moment[3])
{
  for (int j = 0; j < 3; j++)
    moment[j] = pf_expr_add(ctx, pf_expr_dot3(ctx, motion->body->inertia + 3*j, motion->rate), motion->turn[j]);
}

/* The slopes by omega', and the rest where omega' = 0. */
PfStatus pf_reduced_by_inertia(PfContext *ctx, PfArena *arena, const PfKinematics *k, const PfExpr *inertia,
                               const PfExpr *Q, PfReducedForm *form)
{
  const int s = k->count;
  PfExpr *zeros;
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM2(form->G, s, s), PF_ROOM(form->g, s),
                   PF_ROOM(zeros, s)));
  for (int a = 0; a < s; a++) zeros[a] = pf_expr_int(ctx, 0);
  PF_TRY(pf_expr_substitute(ctx, inertia, s, k->rate, zeros, s, form->g));
  for (int a = 0; a < s; a++) {
    PF_TRY(pf_expr_gradient(ctx, inertia[a], k->rate, s, form->G + (size_t)a*(size_t)s));
    form->g[a] = pf_expr_sub(ctx, Q[a], form->g[a]);
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- steps */

/* Components that are zero are left out. */
PfStatus pf_step_vector(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *what, const PfBody *body,
                        const char *of, const PfExpr v[3])
{
  for (int j = 0; j < 3; j++) {
    const char *row = pf_arena_print(arena, "%s.%c", body->name, "xyz"[j]);
    if (!row) return pf_no_room(ctx, "the steps");
    PfExpr value = pf_expr_simplest(ctx, v[j]);
    PF_TRY(pf_step_entry(ctx, arena, d, what, row, of, value));
  }
  return PF_OK;
}

/* Of massless bodies none. */
PfStatus pf_steps_of_accelerations(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfAccelerations *x,
                                   PfDerivation *d)
{
  pf_step_begin(d, "Accelerations of the centres of mass, in the axes of each body (of a wheel: without its spin)");
  for (int b = 0; b < x->body_count; b++)
    if (!pf_expr_is_structural_zero(ctx, x->bodies[b].body->mass))
      PF_TRY(pf_step_vector(ctx, arena, d, "a", x->bodies[b].body, NULL, x->bodies[b].a));
  if (!x->formula) return PF_OK;
  pf_step_begin(d, "Accelerations of the coordinates, q'' = N omega' + (dN/dt) omega");
  for (int i = 0; i < x->n; i++) PF_TRY(pf_step_add(ctx, arena, d, "a", eq->model->coordinates[i].name, x->q2[i]));
  return PF_OK;
}
