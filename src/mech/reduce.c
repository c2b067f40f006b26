/* SPDX-License-Identifier: Apache-2.0 */
/* Reduced equations G omega' = g: by Maggi, and by Tatarinov's laconic form. */
#include "mech/mech_impl.h"

#include <string.h>

/* G and g of `count` equations. */
static PfStatus make_room(PfContext *ctx, PfArena *arena, int count, PfReducedForm *form)
{
  return pf_arrays(ctx, arena, "the reduced equations", PF_ROOM2(form->G, count, count), PF_ROOM(form->g, count));
}

/* ---------------------------------------------------------------- Maggi */

/* v(omega) is put into M and the forces; then come the products with N. */
PfStatus pf_reduce_maggi(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                         PfReducedForm *form)
{
  const PfModel *model = eq->model;
  const int n = eq->n, s = k->count;
  PfExpr *F, *M, *MN;
  PF_TRY(make_room(ctx, arena, s, form));
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM(F, n), PF_ROOM2(M, n, n), PF_ROOM2(MN, n, s)));
  PF_TRY(pf_put_velocities(model, k->v, eq->M, n*n, M));
  for (int i = 0; i < n; i++) {
    F[i] = pf_expr_add(ctx, eq->F[i], eq->C[i]);
    PF_TRY(pf_put_velocities(model, k->v, F + i, 1, F + i));
    for (int j = 0; j < n; j++) F[i] = pf_expr_sub(ctx, F[i], pf_expr_mul(ctx, M[i*n + j], k->drift[j]));
    for (int b = 0; b < s; b++) MN[b*n + i] = pf_combination(ctx, k->N + b, (size_t)s, M + i*n, n);
  }
  for (int a = 0; a < s; a++) {
    form->g[a] = pf_combination(ctx, k->N + a, (size_t)s, F, n);
    for (int b = 0; b < s; b++) form->G[a*s + b] = pf_combination(ctx, k->N + a, (size_t)s, MN + b*n, n);
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- laconic */

/* The ingredients of one equation, index a. */
typedef struct Laconic {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  PfExpr T, L, *p, *Q, *Pi;   /* kinetic energy, Lagrangian, momenta, forces with v(omega) put in; dT/domega */
} Laconic;

/* They are linear in the velocities of their body. */
PfStatus pf_auxiliary_rates(const PfModel *model, const PfExpr *velocity, PfExpr *symbols, PfExpr *rates)
{
  for (int i = 0; i < model->auxiliary_count; i++)
    symbols[i] = model->auxiliaries[i].symbol, rates[i] = model->auxiliaries[i].rate;
  return pf_put_velocities(model, velocity, rates, model->auxiliary_count, rates);
}

/* q_i -> dv_i/domega_a, and auxiliary states with them. */
PfStatus pf_along_omega(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, int a,
                        const PfExpr *e, int count, PfExpr *out)
{
  const PfModel *model = eq->model;
  int n = eq->n, s = k->count, all = n + model->auxiliary_count;
  PfExpr *from, *direction;
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM(from, all), PF_ROOM(direction, all)));
  for (int i = 0; i < n; i++) from[i] = model->coordinates[i].q, direction[i] = k->N[i*s + a];
  PF_TRY(pf_auxiliary_rates(model, direction, from + n, direction + n));
  return pf_expr_derive_along(ctx, e, count, from, direction, all, out);
}

/* This is -{P_a, ·} for functions of q. */
static PfStatus along_direction(const Laconic *l, int a, const PfExpr *e, int count, PfExpr *out)
{
  return pf_along_omega(l->ctx, l->arena, l->eq, l->k, a, e, count, out);
}

/* {P_a, p_i v_i}* = p_j ( d/dt dv_j/domega_a - dv_j/dq_i dv_i/domega_a ), the first with omega held. Angular velocities
 * do not commute: they add p.(w x dw/domega_a), with the other sign in the axes of the parent. */
static PfStatus bracket(const Laconic *l, int a, PfExpr *sum)
{
  PfContext *ctx = l->ctx;
  const PfModel *model = l->eq->model;
  int n = l->eq->n, s = l->k->count;
  PfExpr *column, *swept;
  PF_TRY(pf_arrays(ctx, l->arena, "the reduced equations", PF_ROOM(column, n), PF_ROOM(swept, n)));
  for (int j = 0; j < n; j++) column[j] = l->k->N[j*s + a];
  PF_TRY(pf_model_derive_along(model, l->k->v, column, n, column));
  PF_TRY(along_direction(l, a, l->k->v, n, swept));
  *sum = pf_expr_int(ctx, 0);
  for (int i = 0; i < model->spinning_count; i++) {
    const int first = model->spinnings[i].first;
    PfExpr direction[3], product[3];
    for (int k = 0; k < 3; k++) direction[k] = l->k->N[(first + k)*s + a];
    pf_expr_cross3(ctx, l->k->v + first, direction, product);
    PfExpr term = pf_expr_dot3(ctx, l->p + first, product);
    *sum = model->spinnings[i].sign > 0 ? pf_expr_add(ctx, *sum, term) : pf_expr_sub(ctx, *sum, term);
  }
  for (int j = 0; j < n; j++)
    *sum = pf_expr_add(ctx, *sum, pf_expr_mul(ctx, l->p[j], pf_expr_sub(ctx, column[j], swept[j])));
  return PF_OK;
}

/* Kinetic energy, momenta and forces with v(omega) put in (the papers mark this by a star), and the momenta
 * P_a = dT/domega_a. */
static PfStatus prepare(Laconic *l)
{
  const PfEquations *eq = l->eq;
  PfContext *ctx = l->ctx;
  const PfExpr *v = l->k->v;
  const int n = eq->n;
  PF_TRY(pf_arrays(ctx, l->arena, "the reduced equations", PF_ROOM(l->p, n), PF_ROOM(l->Q, n),
                   PF_ROOM(l->Pi, l->k->count)));
  PF_TRY(pf_put_velocities(eq->model, v, &eq->kinetic, 1, &l->T));
  PF_TRY(pf_put_velocities(eq->model, v, eq->momentum, n, l->p));
  for (int i = 0; i < n; i++) l->Q[i] = pf_expr_add(ctx, eq->applied[i], eq->C[i]);
  PF_TRY(pf_put_velocities(eq->model, v, l->Q, n, l->Q));
  l->L = pf_expr_sub(ctx, l->T, eq->potential);
  return pf_expr_gradient(ctx, l->T, l->k->omega, l->k->count, l->Pi);
}

/* Row a: G_ab = d^2T star/domega_a domega_b - p_j d^2v_j/domega_a domega_b, g_a = Q_a + {P_a, p v} - {P_a, L star}
 * - (d/dt dT star/domega_a with omega held). */
PfStatus pf_reduce_laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                           PfReducedForm *form)
{
  Laconic l = {.ctx = ctx, .arena = arena, .eq = eq, .k = k};
  const int n = eq->n, s = k->count;
  PF_TRY(make_room(ctx, arena, s, form));
  PF_TRY(prepare(&l));
  for (int a = 0; a < s; a++) {
    PfExpr g = PF_EXPR_NONE, pull, carried;
    PF_TRY(bracket(&l, a, &g));
    PF_TRY(along_direction(&l, a, &l.L, 1, &pull));
    PF_TRY(pf_model_derive_along(eq->model, k->v, l.Pi + a, 1, &carried));
    g = pf_expr_sub(ctx, pf_expr_add(ctx, g, pull), carried);
    for (int i = 0; i < n; i++) g = pf_expr_add(ctx, g, pf_expr_mul(ctx, l.Q[i], k->N[i*s + a]));
    form->g[a] = g;
    PF_TRY(pf_expr_gradient(ctx, l.Pi[a], k->omega, s, form->G + (size_t)a*(size_t)s));
    for (int b = 0; b < s; b++)
      for (int j = 0; j < n; j++) {
        PfExpr second = pf_expr_diff(ctx, k->N[j*s + a], k->omega[b]);
        form->G[a*s + b] = pf_expr_sub(ctx, form->G[a*s + b], pf_expr_mul(ctx, l.p[j], second));
      }
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- steps of the laconic form */

/* The ingredients of the equations in the order in which they are computed by hand. */
PfStatus pf_steps_of_laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                             PfDerivation *d)
{
  Laconic l = {.ctx = ctx, .arena = arena, .eq = eq, .k = k};
  PF_TRY(prepare(&l));
  PF_TRY(pf_steps_of_energies(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_constraints(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_kinematics(ctx, arena, eq, k, d));
  pf_step_begin(d, "Lagrangian with v(omega) put in, L*");
  PF_TRY(pf_step_add(ctx, arena, d, "L_star", NULL, l.L));
  pf_step_begin(d, "Momenta P_a = p_i dv_i/domega_a = dL*/domega_a");
  for (int a = 0; a < k->count; a++) PF_TRY(pf_step_add(ctx, arena, d, "P", k->names[a], l.Pi[a]));
  pf_step_begin(d, "Brackets {P_a, p_i v_i}: what the pseudo-velocities are not derivatives of coordinates by");
  for (int a = 0; a < k->count; a++) {
    PfExpr sum = PF_EXPR_NONE;
    PF_TRY(bracket(&l, a, &sum));
    PF_TRY(pf_step_add(ctx, arena, d, "B", k->names[a], sum));
  }
  pf_step_begin(d, "Brackets -{P_a, L*}: the change of L* along each omega");
  for (int a = 0; a < k->count; a++) {
    PfExpr along = PF_EXPR_NONE;
    PF_TRY(along_direction(&l, a, &l.L, 1, &along));
    PF_TRY(pf_step_add(ctx, arena, d, "D", k->names[a], along));
  }
  pf_step_begin(d, "Applied forces along each omega; the equations are P_a' = B_a + D_a + Q_a");
  for (int a = 0; a < k->count; a++) {
    PfExpr sum = pf_combination(ctx, k->N + a, (size_t)k->count, l.Q, eq->n);
    PF_TRY(pf_step_add(ctx, arena, d, "Q", k->names[a], sum));
  }
  return PF_OK;
}
