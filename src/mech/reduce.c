/* SPDX-License-Identifier: Apache-2.0 */
/* Reduced equations G omega' = g: by Maggi, and by Tatarinov's laconic form. */
#include "mech/mech_impl.h"

#include <string.h>

static PfStatus make_room(PfContext *ctx, PfArena *arena, int count, PfReducedForm *form)
{
  form->G = pf_arena_array(arena, PfExpr, (size_t)count*(size_t)count);
  form->g = pf_arena_array(arena, PfExpr, count);
  return form->G && form->g ? PF_OK : pf_no_room(ctx, "the reduced equations");
}

/* Velocities replaced by v(omega), in place: what the papers mark by a star. */
static PfStatus star(PfContext *ctx, PfArena *scratch, const PfModel *model, const PfKinematics *k, const PfExpr *e,
                     int count, PfExpr *out)
{
  int n = model->coordinate_count;
  PfExpr *v = pf_arena_array(scratch, PfExpr, n);
  if (!v) return pf_no_room(ctx, "the reduced equations");
  for (int i = 0; i < n; i++) v[i] = model->coordinates[i].v;
  return pf_expr_substitute(ctx, e, count, v, k->v, n, out);
}

/* ---------------------------------------------------------------- Maggi */

PfStatus pf_reduce_maggi(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                         PfReducedForm *form)
{
  int n = eq->n, s = k->count;
  PF_TRY(make_room(ctx, arena, s, form));
  PfExpr *F = pf_arena_array(arena, PfExpr, n), *M = pf_arena_array(arena, PfExpr, (size_t)n*(size_t)n);
  PfExpr *MN = pf_arena_array(arena, PfExpr, (size_t)n*(size_t)s);
  if (!F || !M || !MN) return pf_no_room(ctx, "the reduced equations");
  PF_TRY(star(ctx, arena, eq->model, k, eq->M, n*n, M));
  for (int i = 0; i < n; i++) {
    F[i] = pf_expr_add(ctx, eq->F[i], eq->C[i]);
    PF_TRY(star(ctx, arena, eq->model, k, F + i, 1, F + i));
    for (int j = 0; j < n; j++) F[i] = pf_expr_sub(ctx, F[i], pf_expr_mul(ctx, M[i*n + j], k->drift[j]));
    for (int b = 0; b < s; b++) {
      PfExpr sum = pf_expr_int(ctx, 0);
      for (int j = 0; j < n; j++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, M[i*n + j], k->N[j*s + b]));
      MN[i*s + b] = sum;
    }
  }
  for (int a = 0; a < s; a++) {
    PfExpr sum = pf_expr_int(ctx, 0);
    for (int i = 0; i < n; i++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, k->N[i*s + a], F[i]));
    form->g[a] = sum;
    for (int b = 0; b < s; b++) {
      sum = pf_expr_int(ctx, 0);
      for (int i = 0; i < n; i++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, k->N[i*s + a], MN[i*s + b]));
      form->G[a*s + b] = sum;
    }
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- laconic */

/* What one equation is made of, index a. */
typedef struct Laconic {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  PfExpr T, L, *p, *Q, *Pi;   /* kinetic energy, Lagrangian, momenta, forces with v(omega) put in; dT/domega */
} Laconic;

/* Derivative of expressions along the direction of omega_a: q_i -> dv_i/domega_a. This is -{P_a, ·} for functions of
 * q. */
static PfStatus along_direction(const Laconic *l, int a, const PfExpr *e, int count, PfExpr *out)
{
  const PfModel *model = l->eq->model;
  int n = l->eq->n, s = l->k->count, all = n + model->follower_count;
  PfExpr *from = pf_arena_array(l->arena, PfExpr, all), *direction = pf_arena_array(l->arena, PfExpr, all);
  if (!from || !direction) return pf_no_room(l->ctx, "the reduced equations");
  for (int i = 0; i < n; i++) from[i] = model->coordinates[i].q, direction[i] = l->k->N[i*s + a];
  PF_TRY(pf_follower_rates(l->ctx, l->arena, model, direction, from + n, direction + n));
  return pf_expr_derive_along(l->ctx, e, count, from, direction, all, out);
}

/* Angular velocities do not commute: p.(w x dw/domega_a), with the other sign in the axes of the parent. */
static PfExpr commutators(const Laconic *l, int a)
{
  const PfModel *model = l->eq->model;
  PfExpr sum = pf_expr_int(l->ctx, 0);
  for (int i = 0; i < model->spinning_count; i++) {
    const PfSpinning *spinning = model->spinnings + i;
    PfExpr direction[3], product[3];
    for (int k = 0; k < 3; k++) direction[k] = l->k->N[(spinning->first + k)*l->k->count + a];
    pf_expr_cross3(l->ctx, l->k->v + spinning->first, direction, product);
    PfExpr term = pf_expr_dot3(l->ctx, l->p + spinning->first, product);
    sum = spinning->sign > 0 ? pf_expr_add(l->ctx, sum, term) : pf_expr_sub(l->ctx, sum, term);
  }
  return sum;
}

/* {P_a, p_i v_i}* = p_j ( d/dt dv_j/domega_a - dv_j/dq_i dv_i/domega_a ), the first with omega held. */
static PfStatus bracket(const Laconic *l, int a, PfExpr *sum)
{
  int n = l->eq->n, s = l->k->count;
  PfExpr *column = pf_arena_array(l->arena, PfExpr, n), *swept = pf_arena_array(l->arena, PfExpr, n);
  if (!column || !swept) return pf_no_room(l->ctx, "the reduced equations");
  for (int j = 0; j < n; j++) column[j] = l->k->N[j*s + a];
  PF_TRY(pf_along_motion(l->ctx, l->arena, l->eq->model, l->k, column, n, column));
  PF_TRY(along_direction(l, a, l->k->v, n, swept));
  *sum = commutators(l, a);
  for (int j = 0; j < n; j++) {
    PfExpr difference = pf_expr_sub(l->ctx, column[j], swept[j]);
    *sum = pf_expr_add(l->ctx, *sum, pf_expr_mul(l->ctx, l->p[j], difference));
  }
  return PF_OK;
}

/* Row a: G_ab = d^2T star/domega_a domega_b - p_j d^2v_j/domega_a domega_b,
 * g_a = Q_a + {P_a, p v} - {P_a, L star} - (d/dt dT star/domega_a with omega held). */
static PfStatus equation(const Laconic *l, int a, PfReducedForm *form)
{
  PfContext *ctx = l->ctx;
  int n = l->eq->n, s = l->k->count;
  PfExpr g = PF_EXPR_NONE, pull, carried;
  PF_TRY(bracket(l, a, &g));
  PF_TRY(along_direction(l, a, &l->L, 1, &pull));
  PF_TRY(pf_along_motion(ctx, l->arena, l->eq->model, l->k, l->Pi + a, 1, &carried));
  g = pf_expr_sub(ctx, pf_expr_add(ctx, g, pull), carried);
  for (int i = 0; i < n; i++) g = pf_expr_add(ctx, g, pf_expr_mul(ctx, l->Q[i], l->k->N[i*s + a]));
  form->g[a] = g;
  PF_TRY(pf_expr_gradient(ctx, l->Pi[a], l->k->omega, s, form->G + (size_t)a*(size_t)s));
  for (int b = 0; b < s; b++)
    for (int j = 0; j < n; j++) {
      PfExpr second = pf_expr_diff(ctx, l->k->N[j*s + a], l->k->omega[b]);
      form->G[a*s + b] = pf_expr_sub(ctx, form->G[a*s + b], pf_expr_mul(ctx, l->p[j], second));
    }
  return PF_OK;
}

static PfStatus prepare(Laconic *l)
{
  const PfEquations *eq = l->eq;
  PfContext *ctx = l->ctx;
  int n = eq->n;
  l->p = pf_arena_array(l->arena, PfExpr, n);
  l->Q = pf_arena_array(l->arena, PfExpr, n);
  l->Pi = pf_arena_array(l->arena, PfExpr, l->k->count);
  if (!l->p || !l->Q || !l->Pi) return pf_no_room(ctx, "the reduced equations");
  PF_TRY(star(ctx, l->arena, eq->model, l->k, &eq->kinetic, 1, &l->T));
  PF_TRY(star(ctx, l->arena, eq->model, l->k, eq->momentum, n, l->p));
  for (int i = 0; i < n; i++) l->Q[i] = pf_expr_add(ctx, eq->applied[i], eq->C[i]);
  PF_TRY(star(ctx, l->arena, eq->model, l->k, l->Q, n, l->Q));
  l->L = pf_expr_sub(ctx, l->T, eq->potential);
  return pf_expr_gradient(ctx, l->T, l->k->omega, l->k->count, l->Pi);
}

PfStatus pf_reduce_laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                           PfReducedForm *form)
{
  Laconic l = {.ctx = ctx, .arena = arena, .eq = eq, .k = k};
  PF_TRY(make_room(ctx, arena, k->count, form));
  PF_TRY(prepare(&l));
  for (int a = 0; a < k->count; a++) PF_TRY(equation(&l, a, form));
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- steps of the laconic form */

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
    PfExpr sum = pf_expr_int(ctx, 0);
    for (int i = 0; i < eq->n; i++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, l.Q[i], k->N[i*k->count + a]));
    PF_TRY(pf_step_add(ctx, arena, d, "Q", k->names[a], sum));
  }
  return PF_OK;
}
